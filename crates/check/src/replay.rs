//! Replaying a trace that was written down: which real steps fit what it says.
//!
//! A trace may leave out parameters, results and parts of states, so that several steps fit; all of them are followed until the trace
//! itself decides.

use std::collections::HashSet;
use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_eval::{Env, Session, Val, val_text};
use abridge_model::{Model, OpId};
use abridge_model_system::{Execution, INITIALISATION_NAME, ModelSystem, Place, SETUP_NAME, executions, named_values};

/// What a trace says about one step; what it does not mention is free.
#[derive(Clone, Default, Debug)]
pub struct WantedStep {
    /// The operation, [`SETUP_NAME`] or [`INITIALISATION_NAME`].
    pub name: String,
    pub params: Vec<(String, Val)>,
    pub outputs: Vec<(String, Val)>,
    /// Values after the step.
    pub state: Vec<(String, Val)>,
    /// Names whose value the step does not change.
    pub unchanged: Vec<String>,
}

/// How far a trace could be replayed.
pub struct Replay {
    pub moves: Vec<Execution>,
    /// Nothing if all steps could be taken.
    pub failure: Option<ReplayFailure>,
}

/// Why a step cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayFailure {
    /// Its position in the trace, counted from 0.
    pub step: usize,
    pub reason: String,
}

/// Places followed at once; a trace that says as little as this allows is followed no further in some of them.
const MAX_PLACES: usize = 1000;
/// Alternatives listed in a message.
const MAX_SHOWN: usize = 5;

/// Follows a trace from the start of the machine.
pub fn replay(system: &impl ModelSystem, wanted: &[WantedStep]) -> Replay {
    with_stack(|| replay_inner(system, wanted))
}

fn replay_inner(system: &impl ModelSystem, wanted: &[WantedStep]) -> Replay {
    let mut replayer = Replayer { system, nodes: Vec::new(), front: vec![None] };
    for (idx, step) in wanted.iter().enumerate() {
        // Other tools may set up constants in a step of its own where we do not, and the other way round.
        if step.name == SETUP_NAME && !system.has_setup() && idx == 0 {
            continue;
        }
        if step.name == INITIALISATION_NAME && system.has_setup() && idx == 0 {
            let setup = WantedStep { name: SETUP_NAME.to_owned(), ..WantedStep::default() };
            if let Err(reason) = replayer.advance(&setup) {
                return replayer.result(Some(ReplayFailure { step: idx, reason }));
            }
        }
        if let Err(reason) = replayer.advance(step) {
            return replayer.result(Some(ReplayFailure { step: idx, reason }));
        }
    }
    replayer.result(None)
}

struct Replayer<'s, S> {
    system: &'s S,
    /// Moves that were tried, each with the one before it.
    nodes: Vec<(Execution, Option<usize>)>,
    /// The last moves of all ways that fit; nothing stands for the start.
    front: Vec<Option<usize>>,
}

/// How near a move comes to what is wanted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum NearMiss {
    Params(String),
    Outputs(String),
    State(String),
    Error(String),
}

impl<S: ModelSystem> Replayer<'_, S> {
    fn place(&self, node: Option<usize>) -> Place {
        node.map_or(Place::Start, |node| self.nodes[node].0.to.clone())
    }

    fn result(&self, failure: Option<ReplayFailure>) -> Replay {
        let mut moves = Vec::new();
        let mut next = self.front.first().copied().flatten();
        while let Some(node) = next {
            moves.push(self.nodes[node].0.clone());
            next = self.nodes[node].1;
        }
        moves.reverse();
        Replay { moves, failure }
    }

    /// Takes a step in all ways that fit; the reason if there is none.
    fn advance(&mut self, wanted: &WantedStep) -> Result<(), String> {
        let model = self.system.model();
        let op = operation(model, &wanted.name)?;
        let mut next: Vec<Option<usize>> = Vec::new();
        let mut seen: HashSet<Place> = HashSet::new();
        let mut misses: Vec<NearMiss> = Vec::new();
        let session = self.system.judge().session();
        for node in self.front.clone() {
            let from = self.place(node);
            if op.is_none() && !is_next(self.system, &from, &wanted.name) {
                continue;
            }
            let (nodes, system) = (&mut self.nodes, self.system);
            executions(system, &session, &from, op, &mut |found| {
                match found.map(|found| (misfit(&session, model, wanted, &from, &found), found)) {
                    Ok((None, found)) => {
                        if seen.insert(found.to.clone()) {
                            nodes.push((found, node));
                            next.push(Some(nodes.len() - 1));
                        }
                    }
                    Ok((Some(miss), _)) => misses.push(miss),
                    Err(error) => misses.push(NearMiss::Error(error.diagnostic(model).message)),
                }
                if next.len() < MAX_PLACES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        if next.is_empty() {
            return Err(self.reason(wanted, misses));
        }
        self.front = next;
        Ok(())
    }

    fn reason(&self, wanted: &WantedStep, mut misses: Vec<NearMiss>) -> String {
        let name = &wanted.name;
        misses.sort();
        misses.dedup();
        let texts = |pick: fn(&NearMiss) -> Option<&String>| -> Vec<&str> {
            misses.iter().filter_map(pick).map(String::as_str).collect()
        };
        let states = texts(|miss| if let NearMiss::State(text) = miss { Some(text) } else { None });
        if !states.is_empty() {
            return format!("`{name}` is possible, but leads elsewhere: {}", listed(&states));
        }
        let outputs = texts(|miss| if let NearMiss::Outputs(text) = miss { Some(text) } else { None });
        if !outputs.is_empty() {
            return format!("`{name}` has other results: {}", listed(&outputs));
        }
        let errors = texts(|miss| if let NearMiss::Error(text) = miss { Some(text) } else { None });
        let params = texts(|miss| if let NearMiss::Params(text) = miss { Some(text) } else { None });
        match (params.is_empty(), errors.first()) {
            (_, Some(error)) => format!("`{name}` cannot be evaluated: {error}"),
            (false, _) => format!("`{name}` is possible only with other parameters: {}", listed(&params)),
            (true, _) => format!("`{name}` is not enabled here"),
        }
    }
}

/// The operation with a name; nothing for set-up and initialisation.
fn operation(model: &Model, name: &str) -> Result<Option<OpId>, String> {
    if name == SETUP_NAME || name == INITIALISATION_NAME {
        return Ok(None);
    }
    let found = model.transitions().find(|(_, op)| op.name == name).map(|(id, _)| Some(id));
    found.ok_or_else(|| format!("the machine has no operation `{name}`"))
}

/// Whether set-up or initialisation comes next at a place.
fn is_next(system: &impl ModelSystem, from: &Place, name: &str) -> bool {
    match from {
        Place::Start => (name == SETUP_NAME) == system.has_setup(),
        Place::SetUp(_) => name == INITIALISATION_NAME,
        Place::Running(_) => false,
    }
}

/// In what a move differs from what is wanted.
fn misfit(
    session: &Session<'_>,
    model: &Model,
    wanted: &WantedStep,
    from: &Place,
    found: &Execution,
) -> Option<NearMiss> {
    let env = found.to.state().map_or_else(Env::empty, Env::new);
    let same = |left: &Val, right: &Val| session.same(left, right, &env).unwrap_or(false);
    let show = |name: &str, val: &Val| format!("{name} = {}", val_text(model, val));
    let fits = |wanted: &[(String, Val)], name: &str, val: &Val| {
        wanted.iter().filter(|(known, _)| known == name).all(|(_, other)| same(val, other))
    };
    if found.named_params(model).any(|(name, val)| !fits(&wanted.params, name, val)) {
        let texts: Vec<String> = found.named_params(model).map(|(name, val)| show(name, val)).collect();
        return Some(NearMiss::Params(texts.join(", ")));
    }
    let mut assigned = found.named_outputs(model).filter_map(|(name, val)| Some((name, val?)));
    if let Some((name, val)) = assigned.find(|(name, val)| !fits(&wanted.outputs, name, val)) {
        return Some(NearMiss::Outputs(show(name, val)));
    }
    let state = found.to.state()?;
    let before: Vec<(&str, &Val)> = from.state().map(|state| named_values(model, state).collect()).unwrap_or_default();
    let is_kept = |name: &str, val: &Val| {
        let old = before.iter().find(|(known, _)| *known == name);
        !wanted.unchanged.iter().any(|known| known == name) || old.is_none_or(|(_, old)| same(val, old))
    };
    let differs = |(name, val): &(&str, &Val)| !fits(&wanted.state, name, val) || !is_kept(name, val);
    let texts: Vec<String> = named_values(model, state).filter(differs).map(|(name, val)| show(name, val)).collect();
    (!texts.is_empty()).then(|| NearMiss::State(texts.join(", ")))
}

/// The first few of several texts.
fn listed(texts: &[&str]) -> String {
    let more = texts.len().saturating_sub(MAX_SHOWN);
    let shown = texts[..texts.len() - more].join("; ");
    if more == 0 { shown } else { format!("{shown}; and {more} more") }
}
