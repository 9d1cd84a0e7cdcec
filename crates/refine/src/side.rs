//! One level of a pair: its system, and its steps with events.

use std::rc::Rc;

use abridge_eval::{Transition, Val};
use abridge_explicit::{Called, Evaluator, Explicit};
use rustc_hash::FxHashMap;

use crate::events::{Call, Event, Events, Letter};

/// A machine of the pair.
pub(crate) struct Side<'m> {
    pub(crate) system: Explicit<'m>,
    pub(crate) letters: Vec<Letter>,
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

/// Lists steps on behalf of one thread, and remembers them.
pub(crate) struct Lister<'a, 'm> {
    pub(crate) side: &'a Side<'m>,
    events: &'a Events,
    evaluator: Evaluator,
    known: FxHashMap<Box<[u32]>, Rc<Listed>>,
}

impl<'a, 'm> Lister<'a, 'm> {
    pub(crate) fn new(side: &'a Side<'m>, events: &'a Events, evaluator: Evaluator) -> Self {
        Lister { side, events, evaluator, known: FxHashMap::default() }
    }

    pub(crate) fn evaluator(&self) -> Evaluator {
        self.evaluator
    }

    /// All steps out of an initialised state.
    pub(crate) fn list(&mut self, words: &[u32]) -> Rc<Listed> {
        if let Some(known) = self.known.get(words) {
            return known.clone();
        }
        let mut listed = Listed::default();
        for position in 0..self.side.letters.len() {
            let called = self.add(position, words, Vec::new(), &mut listed.steps);
            listed.called.push(called);
        }
        if self.known.len() >= MAX_KEPT_STATES {
            self.known.clear();
        }
        let listed = Rc::new(listed);
        if listed.called.iter().all(|called| called.gap.is_none()) {
            self.known.insert(words.into(), listed.clone());
        }
        listed
    }

    /// The steps for a call of an operation, without enumerating arguments.
    pub(crate) fn call(&mut self, position: usize, words: &[u32], call: u32) -> (Vec<SideStep>, Called) {
        let given = self.side.letters[position].given(self.side.system.model(), self.events.call(call));
        let mut steps = Vec::new();
        let called = self.add(position, words, given, &mut steps);
        (steps, called)
    }

    fn add(
        &self,
        position: usize,
        words: &[u32],
        given: Vec<(abridge_model::LocalId, Val)>,
        steps: &mut Vec<SideStep>,
    ) -> Called {
        let letter = &self.side.letters[position];
        self.side.system.call(self.evaluator, letter.op, words, given, &mut |transition, target| {
            let (call, event) = self.event(letter, &transition);
            steps.push(SideStep { position, call, event, target: target.into() });
        })
    }

    fn event(&self, letter: &Letter, transition: &Transition) -> (u32, u32) {
        let params = letter.params.iter().map(|position| transition.params[*position].clone()).collect();
        let call = self.events.call_number(Call { letter: letter.letter, params });
        let outputs = letter.outputs.iter().map(|position| transition.outputs[*position].clone()).collect();
        (call, self.events.number(Event { call, outputs }))
    }

    /// The initial states for the constants of a vector.
    pub(crate) fn initial(&self, words: &[u32]) -> (Vec<Box<[u32]>>, Called) {
        let mut states = Vec::new();
        let called = self.side.system.initial_states(self.evaluator, words, &mut |state| states.push(state.into()));
        (states, called)
    }
}
