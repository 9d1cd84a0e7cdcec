//! Traces: real steps of the real machine, found again by its judge.
//!
//! A search stores one parent for each state. [`states_to`] reads the states on the way to one of them; where the table holds
//! representatives of orbits, it finds real states that they stand for. [`Trace::through`] then asks the judge for a step between every two
//! states that follow each other. Whatever cannot be found again is told as a gap: a representative is never shown as if it were a
//! state, and a step without a label is never shown under another name. Under a canonizer that the user wrote, a path that cannot be found again is shown
//! in two parts: each step of the machine, and then the step [`CANONISED`] to the representative of its target.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;

use abridge_reduce::symmetry::Canonizer;
use abridge_store::{NO_PARENT, StateTable};
use abridge_system::{Machine, Move, Named, Origin, Steps, Worker as _};

/// The name of a step from a state to its representative.
pub(crate) const CANONISED: &str = "(canonised)";

/// A path of a machine from its root, or a lasso.
#[derive(Clone, Default, Debug)]
pub struct Trace {
    pub steps: Vec<TraceStep>,
    /// Number of leading steps that set the machine up, before it is initialised. They are not counted as steps of the trace.
    pub n_setup: usize,
    /// The position of the first step of the loop, if the path goes on for ever.
    pub loop_start: Option<usize>,
    /// What is missing behind the last step, and why; nothing if the trace is whole.
    pub gap: Option<String>,
}

/// One step and the state after it, as text.
#[derive(Clone, Debug)]
pub struct TraceStep {
    /// The operation, or what sets a machine up or initialises it.
    pub name: String,
    pub params: Vec<(String, String)>,
    pub outputs: Vec<(String, String)>,
    /// Names that have a value after the step, with it.
    pub state: Vec<(String, String)>,
    /// Names in `state` whose value the step changed.
    pub changed: Vec<String>,
    /// Names in `state` whose text is not a value that could be read back: infinite or very large sets.
    pub opaque: Vec<String>,
}

impl TraceStep {
    /// A move with the state that it leads to and what it changes there.
    pub fn of(machine: &impl Machine, from: Option<&[u32]>, step: &Move) -> TraceStep {
        let old = from.map(|state| machine.values(state)).unwrap_or_default();
        let old: HashSet<Named> = old.into_iter().collect();
        let new = machine.values(&step.to);
        let names = |is_meant: &dyn Fn(&Named) -> bool| -> Vec<String> {
            new.iter().filter(|value| is_meant(value)).map(|value| value.name.clone()).collect()
        };
        TraceStep {
            name: step.name.clone(),
            params: step.params.clone(),
            outputs: step.outputs.clone(),
            changed: names(&|value| !old.contains(value)),
            opaque: names(&|value| value.is_opaque),
            state: new.iter().map(|value| (value.name.clone(), value.text.clone())).collect(),
        }
    }

    /// Names that the step changed, with their values after it.
    pub fn changes(&self) -> impl Iterator<Item = &(String, String)> {
        let changed: HashSet<&String> = self.changed.iter().collect();
        self.state.iter().filter(move |(name, _)| changed.contains(name))
    }
}

impl Trace {
    /// Number of steps without the set-up.
    pub fn n_steps(&self) -> usize {
        self.steps.len() - self.n_setup
    }

    /// The trace through states that follow each other, from the root.
    pub(crate) fn through(machine: &impl Machine, path: &StatePath) -> Trace {
        let mut trace = Trace { gap: path.gap.clone(), ..Trace::default() };
        let mut before: Option<&[u32]> = None;
        for (number, state) in path.states.iter().enumerate() {
            let origin = before.map_or(Origin::Root, Origin::State);
            if path.canonised.contains(&number) {
                let name = CANONISED.to_owned();
                let step = Move { name, operation: 0, params: Vec::new(), outputs: Vec::new(), to: state.clone() };
                trace.steps.push(TraceStep::of(machine, before, &step));
                before = Some(state);
                continue;
            }
            let step = machine.move_to(origin, state).or_else(|| {
                let name = (!machine.is_running(origin)).then(|| machine.start_name(state));
                let what = name.clone().unwrap_or_else(|| format!("step {}", trace.steps.len() + 1));
                trace.gap.get_or_insert(format!("{what} could not be found again by the plain interpreter"));
                // A start is told as the search found it: its name is certain.
                name.map(|name| Move { name, operation: 0, params: Vec::new(), outputs: Vec::new(), to: state.clone() })
            });
            let Some(step) = step else { return trace };
            trace.steps.push(TraceStep::of(machine, before, &step));
            trace.n_setup += usize::from(!machine.is_running(Origin::State(state)));
            before = Some(state);
        }
        trace
    }
}

/// States that follow each other from the root.
#[derive(Clone, Default, Debug)]
pub(crate) struct StatePath {
    pub(crate) states: Vec<Vec<u32>>,
    /// Positions of states that are representatives of those before them.
    pub(crate) canonised: Vec<usize>,
    /// Why there are no more of them, if there should be.
    pub(crate) gap: Option<String>,
}

/// The states along which a state was first reached, itself included, and further states behind it: states of the machine as it is. Those
/// of the table may be representatives; then each state on the way is one that its representative stands for. They may have to be read
/// from files.
pub(crate) fn states_to(
    machine: &impl Machine,
    table: &StateTable,
    state: Option<u32>,
    behind: &[Vec<u32>],
    canonizer: Option<&mut dyn Canonizer>,
) -> io::Result<StatePath> {
    let states = states_of_table(table, state, behind)?;
    Ok(match canonizer {
        Some(canonizer) => realise(machine, &states, canonizer),
        None => StatePath { states, ..StatePath::default() },
    })
}

/// The states of the table along which a state was first reached, and further states behind it.
pub(crate) fn states_of_table(
    table: &StateTable,
    state: Option<u32>,
    behind: &[Vec<u32>],
) -> io::Result<Vec<Vec<u32>>> {
    let mut numbers: Vec<u32> = state.into_iter().collect();
    while let Some(last) = numbers.last().copied().filter(|last| table.parent(*last) != NO_PARENT) {
        numbers.push(table.parent(last));
    }
    let states: io::Result<Vec<Vec<u32>>> = numbers.into_iter().rev().map(|number| table.get(number)).collect();
    let mut states = states?;
    states.extend_from_slice(behind);
    Ok(states)
}

/// Steps out of the root or a set-up that are listed; more of them are looked at one by one.
const MAX_LISTED_STEPS: usize = 4096;

/// A path of the machine whose states have the given representatives.
pub(crate) fn realise(
    machine: &impl Machine,
    representatives: &[Vec<u32>],
    canonizer: &mut dyn Canonizer,
) -> StatePath {
    let mut path = StatePath::default();
    for representative in representatives {
        if path.states.is_empty() && machine.is_start(representative) {
            path.states.push(representative.clone());
            continue;
        }
        match next_state(machine, path.states.last().map(Vec::as_slice), representative, canonizer) {
            Some(next) => path.states.push(next),
            // Symmetric states have corresponding steps, so that this is a mistake of ours or an evaluation that failed.
            None => {
                let number = path.states.len() + 1;
                let gap = format!("no real state was found for the orbit that step {number} leads to");
                let in_parts =
                    canonizer.is_shown().then(|| in_two_parts(machine, representatives, canonizer)).flatten();
                return StatePath { gap: Some(gap), ..in_parts.unwrap_or(path) };
            }
        }
    }
    path
}

/// The path of the reduced system: steps from representatives, each followed by the representative of its target. Nothing if a step is not found.
pub(crate) fn in_two_parts(
    machine: &impl Machine,
    representatives: &[Vec<u32>],
    canonizer: &mut dyn Canonizer,
) -> Option<StatePath> {
    let mut path = StatePath::default();
    for representative in representatives {
        let before = path.states.last().cloned();
        if before.is_none() && machine.is_start(representative) {
            path.states.push(representative.clone());
            continue;
        }
        let target = step_to(machine, before.as_deref(), representative, canonizer)?;
        let is_representative = target == *representative;
        path.states.push(target);
        if !is_representative {
            path.canonised.push(path.states.len());
            path.states.push(representative.clone());
        }
    }
    Some(path)
}

/// The target of a step that is a representative, or has it.
fn step_to(
    machine: &impl Machine,
    state: Option<&[u32]>,
    representative: &[u32],
    canonizer: &mut dyn Canonizer,
) -> Option<Vec<u32>> {
    let (mut worker, mut steps) = (machine.worker(), Steps::new(machine.width()));
    let _ = worker.expand(state.map_or(Origin::Root, Origin::State), None, &mut steps, &mut |steps| {
        if steps.len() >= MAX_LISTED_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let mut wanted = representative.to_vec();
    canonizer.represent(&mut wanted);
    // A canonizer need not be idempotent.
    let mut has_it = |target: &[u32]| {
        let mut found = target.to_vec();
        canonizer.represent(&mut found);
        found == representative || found == wanted
    };
    let targets = || steps.iter().map(|step| step.target);
    let target = targets().find(|target| *target == representative).or_else(|| targets().find(|it| has_it(it)));
    target.map(<[u32]>::to_vec)
}

/// A successor of a state, or of the root, whose representative is that of the given state.
pub(crate) fn next_state(
    machine: &impl Machine,
    state: Option<&[u32]>,
    representative: &[u32],
    canonizer: &mut dyn Canonizer,
) -> Option<Vec<u32>> {
    let mut wanted = representative.to_vec();
    canonizer.represent(&mut wanted);
    let origin = state.map_or(Origin::Root, Origin::State);
    let (mut worker, mut steps) = (machine.worker(), Steps::new(machine.width()));
    let mut is_cut = false;
    let alike = match state {
        _ if !worker.wants_alike(origin) => None,
        Some(state) => canonizer.alike(state),
        None => canonizer.alike_at_first(),
    };
    // Of several steps that lead to one orbit, one is enough. What is missing shows below: then no state is found.
    let _ = worker.expand(origin, alike, &mut steps, &mut |steps| {
        is_cut = steps.len() >= MAX_LISTED_STEPS;
        if is_cut { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let mut stands_for = |target: &[u32]| {
        let mut found = target.to_vec();
        canonizer.represent(&mut found);
        found == wanted
    };
    let listed = steps.iter().map(|step| step.target).find(|target| stands_for(target)).map(<[u32]>::to_vec);
    if listed.is_some() || !is_cut {
        return listed;
    }
    steps.clear();
    let _ = worker.expand(origin, None, &mut steps, &mut |steps| match steps.last() {
        Some(step) if stands_for(step.target) => ControlFlow::Break(()),
        _ => {
            steps.clear();
            ControlFlow::Continue(())
        }
    });
    steps.iter().map(|step| step.target).find(|target| stands_for(target)).map(<[u32]>::to_vec)
}
