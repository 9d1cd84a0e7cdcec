//! A pair as a [`Machine`], and its failures in words: everything here is asked of the plain interpreters of both levels.

use std::ops::ControlFlow;
use std::sync::PoisonError;

use abridge_diag::Diagnostic;
use abridge_eval::Val;
use abridge_explicit::InterpreterChoice;
use abridge_model::dump;
use abridge_model_system::{
    FIRST_OPERATION, INITIALISATION, INITIALISATION_NAME, ModelSystem, SETUP, SETUP_NAME, step_number,
};
use abridge_system::{Completeness, Explanation, FindingKind, Listing, Machine, Move, Named, Origin, Part, Remarks};
use rustc_hash::FxHashMap;

use crate::events::Letter;
use crate::gluing::{Glued, GluingFault};
use crate::pair::{Deed, Notion, Obligation, Pair, PairStep};
use crate::side::{Lister, PairSide};
use crate::spec::MatchResult;

/// Abstract states and steps that are shown of one pair.
const MAX_SHOWN: usize = 12;

/// Steps of an abstract operation that are looked at for what is shown. There may be millions.
const MAX_LISTED: usize = 1_000;

/// Abstract states of one pair among which those to be shown are chosen.
const MAX_SORTED: usize = 1 << 14;

fn texts(values: &[Named]) -> impl Iterator<Item = &str> {
    values.iter().map(|value| value.text.as_str())
}

/// A state of a pair, level by level.
#[derive(Clone, Debug)]
pub struct SideBySide {
    pub concrete: Vec<Named>,
    /// States that the abstraction may be in, at most twelve of them.
    pub abstracted: Vec<Vec<Named>>,
    pub n_abstract: usize,
}

/// An event that the abstraction allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractStep {
    pub name: String,
    pub params: Vec<(String, String)>,
    pub outputs: Vec<(String, String)>,
    /// A state after it.
    pub state: Vec<Named>,
    /// The number of states that may follow.
    pub n_states: usize,
}

/// An abstract outcome that does not fit the concrete one, and why.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub state: Vec<Named>,
    /// The conjunct or the kept variable at fault.
    pub fault: String,
    pub parts: Vec<Part>,
}

/// An obligation that failed, as the judge sees it.
#[derive(Clone, Debug)]
pub struct Failed {
    pub obligation: Obligation,
    pub operation: String,
    /// Arguments and, if the step has any, results.
    pub params: Vec<(String, String)>,
    pub outputs: Vec<(String, String)>,
    /// The abstraction before the step.
    pub before: SideBySide,
    /// What the abstraction allows instead, the same operation first.
    pub allowed: Vec<AbstractStep>,
    pub n_allowed: usize,
    /// Abstract outcomes of the same event that are not related to the concrete one.
    pub candidates: Vec<Candidate>,
}

impl Pair<'_> {
    /// A pair in words.
    pub fn side_by_side(&self, state: &[u32]) -> SideBySide {
        SideBySide {
            concrete: self.concrete.system.values(self.concrete_words(state)),
            abstracted: self.first_states(state).into_iter().map(|(_, values)| values).collect(),
            n_abstract: self.spec(state).states.len(),
        }
    }

    /// Abstract states of a pair that are shown, in the order of their texts: that of their vectors depends on threads.
    fn first_states(&self, state: &[u32]) -> Vec<(&[u32], Vec<Named>)> {
        let states = self.spec(state).states.iter().take(MAX_SORTED);
        let mut states: Vec<(&[u32], Vec<Named>)> =
            states.map(|state| (&state[..], self.abstracted.system.values(state))).collect();
        states.sort_by(|(_, one), (_, other)| texts(one).cmp(texts(other)));
        states.truncate(MAX_SHOWN);
        states
    }

    /// The obligation that failed on the way to a pair.
    pub fn failed(&self, state: &[u32]) -> Option<Obligation> {
        match self.spec(state).outcome {
            MatchResult::Failed(number) | MatchResult::IllDefined(number) => Some(Obligation::of_number(number).0),
            MatchResult::Followed => None,
        }
    }

    /// The step that leads to a pair in which an obligation failed, found by the judge; nothing if it does not find it.
    pub fn failure(&self, origin: Origin<'_>, target: &[u32]) -> Option<Failed> {
        let MatchResult::Failed(number) = self.spec(target).outcome else { return None };
        let step = self.worker_by(InterpreterChoice::Judge).find_to(origin, target)?;
        let (obligation, operation) = Obligation::of_number(number);
        let shown = self.shown(&step);
        let mut lister = Lister::new(&self.abstracted, &self.events, InterpreterChoice::Judge);
        let (allowed, n_allowed) = self.allowed(target, step.deed, &mut lister);
        let candidates = self.candidates(origin, &step, &mut lister);
        Some(Failed {
            obligation,
            operation: self.operation_name(operation),
            params: shown.params,
            outputs: shown.outputs,
            before: self.side_by_side(target),
            allowed,
            n_allowed,
            candidates,
        })
    }

    /// What is not well-defined about a step out of a pair, in the refinement or else in the abstraction.
    fn error_in(&self, operation: u32, state: &[u32]) -> Option<Diagnostic> {
        let (own, words) = (self.alphabet.concrete.len(), self.concrete_words(state));
        let Some(position) = operation.checked_sub(FIRST_OPERATION).map(|position| position as usize) else {
            let states = &self.spec(state).states;
            return violation_in(&self.concrete.system, operation, words)
                .or_else(|| states.iter().find_map(|words| violation_in(&self.abstracted.system, operation, words)));
        };
        let (concrete, abstracted) = (&self.concrete.system, &self.abstracted.system);
        let of_refinement = self
            .alphabet
            .concrete
            .get(position)
            .and_then(|letter| violation_in(concrete, step_number(concrete.model(), letter.op)?, words));
        if of_refinement.is_some() {
            return of_refinement;
        }
        let letter = match self.alphabet.concrete.get(position) {
            Some(letter) => letter.letter as usize,
            None => position - own,
        };
        let number = step_number(abstracted.model(), self.alphabet.abstracted.get(letter)?.op)?;
        self.spec(state).states.iter().find_map(|words| violation_in(abstracted, number, words))
    }

    fn letter_of(&self, deed: Deed) -> Option<u32> {
        match deed {
            Deed::Start => None,
            Deed::Event(event) => Some(self.events.call(self.events.get(event).call).letter),
            Deed::Call(call) => Some(self.events.call(call).letter),
        }
    }

    /// Events that the abstraction allows in the states of a pair.
    fn allowed(&self, state: &[u32], deed: Deed, lister: &mut Lister<'_, '_>) -> (Vec<AbstractStep>, usize) {
        let letter = self.letter_of(deed);
        // Events in the order in which they are found, with the states after each.
        let mut events: Vec<Allowed> = Vec::new();
        let mut places: FxHashMap<(usize, u32), usize> = FxHashMap::default();
        let states = self.first_states(state).into_iter().map(|(state, _)| state);
        for state in states.filter(|state| state[0] & 1 == 1) {
            let letters = 0..self.alphabet.abstracted.len();
            for step in letters.flat_map(|position| lister.some_steps(position, state, None, MAX_LISTED)) {
                let place = *places.entry((step.position, step.event)).or_insert_with(|| {
                    events.push(Allowed { position: step.position, event: step.event, states: Vec::new() });
                    events.len() - 1
                });
                events[place].states.push(step.target);
            }
        }
        events.sort_by_key(|event| Some(self.alphabet.abstracted[event.position].letter) != letter);
        let n_allowed = events.len();
        let shown = events.into_iter().take(MAX_SHOWN).map(|Allowed { position, event, mut states }| {
            states.sort_unstable();
            states.dedup();
            let own = &self.alphabet.abstracted[position];
            let (params, outputs) = self.named(&self.abstracted, own, event);
            let shown = states.iter().map(|state| self.abstracted.system.values(state));
            let state = shown.min_by(|one, other| texts(one).cmp(texts(other))).unwrap_or_default();
            AbstractStep { name: own.name.to_string(), params, outputs, state, n_states: states.len() }
        });
        (shown.collect(), n_allowed)
    }

    /// Abstract outcomes of the event of a step that failed, some of them where there are many: those that kept variables allow or, if
    /// there are none, others.
    fn outcomes(
        &self,
        origin: Origin<'_>,
        step: &PairStep,
        lister: &mut Lister<'_, '_>,
        max: usize,
    ) -> Vec<Box<[u32]>> {
        let before = &self.spec(&step.target).states[0];
        let (concrete, _) = self.concrete.system.decode(self.concrete_words(&step.target));
        match (step.deed, self.letter_of(step.deed)) {
            (Deed::Start, _) if origin != Origin::Root || !self.concrete.system.has_setup() => {
                let decided = self.directed.initialisation(&concrete);
                let near = decided.map(|decided| lister.some_initial(before, Some(decided), max).0);
                let near = near.filter(|states| !states.is_empty());
                near.unwrap_or_else(|| lister.some_initial(before, None, max).0)
            }
            (Deed::Event(event), Some(letter)) if !self.alphabet.is_new(letter) => {
                let call = self.events.get(event).call;
                let decided = self.directed.operation(letter as usize, &concrete);
                let near = decided.map(|decided| lister.call_with(letter as usize, before, call, Some(decided)).0);
                let near = near.filter(|steps| steps.iter().any(|step| step.event == event));
                let listed = if max == usize::MAX { max } else { MAX_LISTED };
                let steps = near.unwrap_or_else(|| lister.some_steps(letter as usize, before, Some(call), listed));
                steps.into_iter().filter(|step| step.event == event).map(|step| step.target).collect()
            }
            (Deed::Event(_), _) => vec![before.clone()],
            _ => Vec::new(),
        }
    }

    /// The same with what is wrong about each.
    fn candidates(&self, origin: Origin<'_>, step: &PairStep, lister: &mut Lister<'_, '_>) -> Vec<Candidate> {
        if self.notion != Notion::Simulation {
            return Vec::new();
        }
        let (concrete, _) = self.concrete.system.decode(self.concrete_words(&step.target));
        let wrong = self.outcomes(origin, step, lister, MAX_SHOWN).into_iter().take(MAX_SHOWN).filter_map(|state| {
            let (abstracted, _) = self.abstracted.system.decode(&state);
            let Glued::No(fault) = self.gluing.glued(InterpreterChoice::Judge, &concrete, &abstracted) else {
                return None;
            };
            let model = self.gluing.system().model();
            let (fault, parts) = match fault {
                GluingFault::Kept(id) => {
                    (format!("{0} has the same value in both machines", model.variables[id].name), Vec::new())
                }
                GluingFault::Conjunct(conjunct) => {
                    let together = self.gluing.together(&concrete, &abstracted);
                    let pred = self.gluing.pred(conjunct);
                    (dump::pred_text(model, pred), self.gluing.system().parts_of(pred, &together))
                }
            };
            Some(Candidate { state: self.abstracted.system.values(&state), fault, parts })
        });
        wrong.collect()
    }

    /// What is not well-defined about the gluing invariant after a step, with the operation; nothing if the judge finds nothing.
    pub fn ill_defined_gluing(&self, origin: Origin<'_>, target: &[u32]) -> Option<(String, Diagnostic)> {
        let step = self.worker_by(InterpreterChoice::Judge).find_to(origin, target)?;
        let mut lister = Lister::new(&self.abstracted, &self.events, InterpreterChoice::Judge);
        let (concrete, _) = self.concrete.system.decode(self.concrete_words(target));
        let error = self.outcomes(origin, &step, &mut lister, usize::MAX).into_iter().find_map(|state| {
            let (abstracted, _) = self.abstracted.system.decode(&state);
            match self.gluing.glued(InterpreterChoice::Judge, &concrete, &abstracted) {
                Glued::IllDefined(conjunct) => self.gluing.error(conjunct, &concrete, &abstracted),
                _ => None,
            }
        })?;
        Some((self.operation_name(step.operation), error))
    }

    /// Names and values of an event, in the words of one level.
    fn named(&self, side: &PairSide<'_>, letter: &Letter, event: u32) -> (Texts, Texts) {
        let event = self.events.get(event);
        let model = side.system.model();
        let outputs = letter.outputs.iter().zip(&event.outputs).map(|(position, val)| {
            let local = model.operations[letter.op].outputs[*position];
            let text = val.as_ref().map_or("?".to_owned(), |val| side.system.notations().local_text(model, local, val));
            (model.locals[local].name.to_string(), text)
        });
        (named_params(side, letter, &self.events.call(event.call).params), outputs.collect())
    }

    fn shown(&self, step: &PairStep) -> Move {
        let name = self.operation_name(step.operation);
        let position = step.operation.checked_sub(FIRST_OPERATION).map(|position| position as usize);
        let (side, letter) = match position.map(|position| self.alphabet.concrete.get(position).ok_or(position)) {
            None => (&self.concrete, None),
            Some(Ok(letter)) => (&self.concrete, Some(letter)),
            Some(Err(position)) => {
                (&self.abstracted, self.alphabet.abstracted.get(position - self.alphabet.concrete.len()))
            }
        };
        let (params, outputs) = match (step.deed, letter) {
            (Deed::Event(event), Some(letter)) => self.named(side, letter, event),
            (Deed::Call(call), Some(letter)) => {
                (named_params(side, letter, &self.events.call(call).params), Vec::new())
            }
            _ => (Vec::new(), Vec::new()),
        };
        Move { operation: step.operation, name, params, outputs, to: step.target.clone() }
    }
}

/// An event of the abstraction and the states that may follow.
struct Allowed {
    position: usize,
    event: u32,
    states: Vec<Box<[u32]>>,
}

/// Names and values.
type Texts = Vec<(String, String)>;

/// What is not well-defined, or breaks an obligation, in a step of a level.
fn violation_in(system: &impl ModelSystem, number: u32, words: &[u32]) -> Option<Diagnostic> {
    Some(system.violation_of(number, words)?.diagnostic(system.model()))
}

fn named_params(side: &PairSide<'_>, letter: &Letter, params: &[Val]) -> Texts {
    let (model, notations) = (side.system.model(), side.system.notations());
    let names = letter.params.iter().map(|position| model.operations[letter.op].params[*position]);
    names
        .zip(params)
        .map(|(local, val)| (model.locals[local].name.to_string(), notations.local_text(model, local, val)))
        .collect()
}

impl Machine for Pair<'_> {
    fn operation_name(&self, operation: u32) -> String {
        let own = self.alphabet.concrete.len();
        match operation {
            SETUP => SETUP_NAME.to_owned(),
            INITIALISATION => INITIALISATION_NAME.to_owned(),
            number => {
                let position = (number - FIRST_OPERATION) as usize;
                let letter = match position.checked_sub(own) {
                    None => &self.alphabet.concrete[position],
                    Some(position) => &self.alphabet.abstracted[position],
                };
                letter.name.to_string()
            }
        }
    }

    fn operations(&self) -> Vec<u32> {
        (FIRST_OPERATION..).take(self.alphabet.concrete.len()).collect()
    }

    fn is_running(&self, origin: Origin<'_>) -> bool {
        origin.state().is_some_and(|words| words[0] & 1 == 1)
    }

    fn is_start(&self, state: &[u32]) -> bool {
        self.concrete.system.is_start(self.concrete_words(state))
    }

    fn start_name(&self, state: &[u32]) -> String {
        self.concrete.system.start_name(self.concrete_words(state))
    }

    /// Those of the refinement.
    fn values(&self, state: &[u32]) -> Vec<Named> {
        self.concrete.system.values(self.concrete_words(state))
    }

    fn moves(&self, origin: Origin<'_>, operation: Option<u32>, found: &mut Listing<'_>) -> Completeness {
        let mut worker = self.worker_by(InterpreterChoice::Judge);
        worker.find(origin);
        for step in &worker.found.steps {
            if operation.is_none_or(|operation| operation == step.operation)
                && found(Ok(self.shown(step))) == ControlFlow::Break(())
            {
                break;
            }
        }
        worker.found.gap.into()
    }

    fn move_to(&self, origin: Origin<'_>, target: &[u32]) -> Option<Move> {
        self.worker_by(InterpreterChoice::Judge).find_to(origin, target).map(|step| self.shown(&step))
    }

    fn explain(&self, kind: FindingKind, state: &[u32]) -> Option<Explanation> {
        let FindingKind::IllDefined(operation) = kind else { return Some(Explanation::default()) };
        let mut worker = self.worker_by(InterpreterChoice::Judge);
        worker.find(Origin::State(state));
        if !worker.found.ill_defined.contains(&operation) {
            return None;
        }
        let error = self.error_in(operation, state).or_else(|| {
            // Only for certain arguments, which the judge was given.
            let name = self.operation_name(operation);
            let noted =
                self.remarks().failures.into_iter().find(|failure| failure.is_violation && failure.what == name);
            noted.map(|failure| failure.diagnostic)
        })?;
        Some(Explanation { error: Some((Some(self.operation_name(operation)), error)), ..Explanation::default() })
    }

    fn remarks(&self) -> Remarks {
        let gaps = self.gaps.lock().unwrap_or_else(PoisonError::into_inner);
        let is_operation = |name: &str| self.gluing.system().model().operations.values().any(|op| op.name == name);
        let mut all = Remarks::default();
        let systems = [&self.concrete.system, &self.abstracted.system, &self.preconditions, self.gluing.system()];
        for system in systems {
            let Remarks { failures, caveats, .. } = system.remarks();
            for failure in failures {
                let matters = failure.is_violation || !is_operation(&failure.what) || gaps.contains(&*failure.what);
                if matters && !all.failures.contains(&failure) {
                    all.failures.push(failure);
                }
            }
            all.caveats.extend(caveats);
        }
        all.caveats.sort();
        all.caveats.dedup();
        all
    }

    /// Pairs on the way to a counterexample are expanded again, also those that others cover.
    fn wind_up(&self) {
        if let Some(antichain) = &self.antichain {
            antichain.end();
        }
        self.concrete.system.wind_up();
        self.abstracted.system.wind_up();
        self.preconditions.wind_up();
        self.gluing.system().wind_up();
    }
}
