//! One level of a pair: its system, and its steps with events.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use abridge_eval::{PrescribedChoices, Slots, Transition, Val};
use abridge_explicit::{Called, Explicit, ExplicitWorker, InterpreterChoice};
use abridge_model::OpId;
use abridge_model_system::{FIRST_OPERATION, ModelSystem as _};
use abridge_system::{LabelId, Steps, System as _, Worker as _};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::events::{Call, Event, Events, Letter};

/// A machine of the pair.
pub(crate) struct PairSide<'m> {
    pub(crate) system: Explicit<'m>,
    pub(crate) letters: Vec<Letter>,
}

impl PairSide<'_> {
    fn position(&self, op: OpId) -> Option<usize> {
        self.letters.iter().position(|letter| letter.op == op)
    }
}

/// A step with the event that callers see.
#[derive(Clone, Debug)]
pub(crate) struct SideStep {
    /// Position of the operation among those of the level.
    pub(crate) position: usize,
    pub(crate) call: u32,
    pub(crate) event: u32,
    pub(crate) target: Box<[u32]>,
}

/// The steps out of a state.
#[derive(Default, Debug)]
pub(crate) struct Listed {
    pub(crate) steps: Vec<SideStep>,
    /// What the list is worth, for each operation.
    pub(crate) called: Vec<Called>,
}

impl Listed {
    /// The list has all steps of an operation.
    pub(crate) fn is_whole(&self, position: usize) -> bool {
        self.called.get(position).is_none_or(|called| called.gap.is_none() && !called.is_ill_defined)
    }
}

/// States whose steps a lister keeps.
const MAX_KEPT_STATES: usize = 1 << 16;

/// Labels whose events a lister keeps.
const MAX_KEPT_LABELS: usize = 1 << 18;

/// Lists steps on behalf of one thread, and remembers them.
pub(crate) struct Lister<'a, 'm> {
    pub(crate) side: &'a PairSide<'m>,
    events: &'a Events,
    evaluator: InterpreterChoice,
    known: FxHashMap<Box<[u32]>, Rc<Listed>>,
    fast: Option<FastLister<'a>>,
}

/// The fast evaluator of a level, which remembers outcomes, and the events of its labels.
struct FastLister<'a> {
    worker: ExplicitWorker<'a>,
    steps: Steps,
    /// Position among the letters, by the number of the operation.
    positions: Vec<Option<usize>>,
    numbers: FxHashMap<(u32, LabelId), (u32, u32)>,
}

impl<'a, 'm> Lister<'a, 'm> {
    pub(crate) fn new(side: &'a PairSide<'m>, events: &'a Events, evaluator: InterpreterChoice) -> Self {
        let fast = (evaluator == InterpreterChoice::Usual).then(|| FastLister {
            worker: side.system.worker(),
            steps: Steps::with_labels(side.system.width()),
            positions: side.system.operation_ids().iter().map(|op| side.position(*op)).collect(),
            numbers: FxHashMap::default(),
        });
        Lister { side, events, evaluator, known: FxHashMap::default(), fast }
    }

    pub(crate) fn evaluator(&self) -> InterpreterChoice {
        self.evaluator
    }

    /// All steps out of an initialised state.
    pub(crate) fn list(&mut self, words: &[u32]) -> Rc<Listed> {
        if let Some(known) = self.known.get(words) {
            return known.clone();
        }
        let listed = self.list_fast(words).unwrap_or_else(|| {
            let mut listed = Listed::default();
            for position in 0..self.side.letters.len() {
                let called = self.add(
                    position,
                    words,
                    self.evaluator,
                    PrescribedChoices::default(),
                    usize::MAX,
                    &mut listed.steps,
                );
                listed.called.push(called);
            }
            listed
        });
        if self.known.len() >= MAX_KEPT_STATES {
            self.known.clear();
        }
        let listed = Rc::new(listed);
        if listed.called.iter().all(|called| called.gap.is_none()) {
            self.known.insert(words.into(), listed.clone());
        }
        listed
    }

    /// All steps, if nothing is missing and every one of them has a label. What is missing has to be known for each operation.
    fn list_fast(&mut self, words: &[u32]) -> Option<Listed> {
        let FastLister { worker, steps, positions, numbers } = self.fast.as_mut()?;
        steps.clear();
        let completeness = worker.successors(words, steps);
        if !completeness.is_whole() || !steps.ill_defined().is_empty() {
            return None;
        }
        if numbers.len() >= MAX_KEPT_LABELS {
            numbers.clear();
        }
        let mut listed = Listed { steps: Vec::with_capacity(steps.len()), called: Vec::new() };
        for step in steps.iter() {
            let (label, operation) = (step.label?, step.operation);
            let position = positions[(operation - FIRST_OPERATION) as usize]?;
            let (call, event) = *numbers.entry((operation, label)).or_insert_with(|| {
                let vals = self.side.system.label_values(operation, label);
                let params = vals.params.into_iter().cloned().collect();
                let outputs = vals.outputs.into_iter().map(|val| val.cloned()).collect();
                event(self.events, &self.side.letters[position], params, outputs)
            });
            listed.steps.push(SideStep { position, call, event, target: step.target.into() });
        }
        // Steps that differ in what callers do not see are one.
        let mut seen = FxHashSet::default();
        listed.steps.retain(|step| seen.insert((step.position, step.event, step.target.clone())));
        listed.called.resize(self.side.letters.len(), Called::default());
        Some(listed)
    }

    /// The steps for a call of an operation, without enumerating arguments.
    pub(crate) fn call(&mut self, position: usize, words: &[u32], call: u32) -> (Vec<SideStep>, Called) {
        self.call_with(position, words, call, None)
    }

    /// The same for given values of variables that the operation chooses.
    pub(crate) fn call_with(
        &mut self,
        position: usize,
        words: &[u32],
        call: u32,
        variables: Option<Arc<Slots>>,
    ) -> (Vec<SideStep>, Called) {
        let locals = self.side.letters[position].given(self.side.system.model(), self.events.call(call));
        let evaluator = self.evaluator_for(variables.as_ref());
        let mut steps = Vec::new();
        let given = PrescribedChoices { locals, variables };
        let called = self.add(position, words, evaluator, given, usize::MAX, &mut steps);
        (steps, called)
    }

    /// So many steps of an operation at most, of a call or of all.
    pub(crate) fn some_steps(&self, position: usize, words: &[u32], call: Option<u32>, max: usize) -> Vec<SideStep> {
        let letter = &self.side.letters[position];
        let locals = call.map(|call| letter.given(self.side.system.model(), self.events.call(call)));
        let given = PrescribedChoices { locals: locals.unwrap_or_default(), variables: None };
        let mut steps = Vec::new();
        let _ = self.add(position, words, self.evaluator, given, max, &mut steps);
        steps
    }

    /// Compiled fragments make all choices, whatever is given.
    fn evaluator_for(&self, variables: Option<&Arc<Slots>>) -> InterpreterChoice {
        if variables.is_some() { InterpreterChoice::Judge } else { self.evaluator }
    }

    fn add(
        &self,
        position: usize,
        words: &[u32],
        evaluator: InterpreterChoice,
        given: PrescribedChoices,
        max: usize,
        steps: &mut Vec<SideStep>,
    ) -> Called {
        let end = steps.len().saturating_add(max);
        let letter = &self.side.letters[position];
        self.side.system.call(evaluator, letter.op, words, given, &mut |transition, target| {
            let Transition { params, outputs, .. } = transition;
            let (call, event) = event(self.events, letter, params, outputs);
            steps.push(SideStep { position, call, event, target: target.into() });
            if steps.len() < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    }

    /// The initial states for the constants of a vector and given values of variables that the initialisation chooses.
    pub(crate) fn initial(&self, words: &[u32], variables: Option<Arc<Slots>>) -> (Vec<Box<[u32]>>, Called) {
        self.some_initial(words, variables, usize::MAX)
    }

    /// So many of them at most.
    pub(crate) fn some_initial(
        &self,
        words: &[u32],
        variables: Option<Arc<Slots>>,
        max: usize,
    ) -> (Vec<Box<[u32]>>, Called) {
        let mut states = Vec::new();
        let evaluator = self.evaluator_for(variables.as_ref());
        let given = PrescribedChoices { locals: Vec::new(), variables };
        let called = self.side.system.initial_states(evaluator, words, given, &mut |state| {
            states.push(state.into());
            if states.len() < max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        (states, called)
    }
}

/// The numbers of a call and an event, of which callers see some values only.
fn event(events: &Events, letter: &Letter, params: Vec<Val>, outputs: Vec<Option<Val>>) -> (u32, u32) {
    let params = letter.params.iter().map(|position| params[*position].clone()).collect();
    let call = events.call_number(Call { letter: letter.letter, params });
    let outputs = letter.outputs.iter().map(|position| outputs[*position].clone()).collect();
    (call, events.number(Event { call, outputs }))
}
