//! Simulation: the proof obligations of classical B, on reachable pairs of states.
//!
//! In a pair that the gluing invariant relates, every call that the abstract precondition allows must satisfy the concrete one, and every
//! concrete outcome must have an abstract one with equal outputs that the gluing invariant relates to it. All such outcomes are pairs to
//! be looked at, since the obligations are about all related states.

use std::ops::ControlFlow;
use std::rc::Rc;

use abridge_eval::PrescribedChoices;
use abridge_explicit::{Called, ConditionTruth};
use abridge_model_system::{INITIALISATION, ModelSystem as _};
use abridge_system::Gap;
use rustc_hash::FxHashSet;

use crate::events::Call;
use crate::gluing::Glued;
use crate::pair::{Deed, Obligation, PairWorker};
use crate::side::{Listed, SideStep};
use crate::spec::MatchResult;

/// Calls of an operation for which its abstract precondition holds in a state, and what the list is worth.
pub(crate) type Arguments = (Vec<u32>, Called);

/// Lists of arguments that are kept.
const MAX_KEPT_LISTS: usize = 1 << 17;

impl PairWorker<'_, '_> {
    /// Adds the initial states of the refinement with those of the abstraction that are related to them.
    pub(crate) fn simulate_start(&mut self, own: Vec<Box<[u32]>>, abstracted: &[u32]) {
        let pair = self.pair;
        let mut all: Option<(Vec<Box<[u32]>>, Called)> = None;
        for state in own {
            if self.is_ended() {
                return;
            }
            if !self.wants(&state) {
                continue;
            }
            let decided = pair.directed.initialisation(&pair.concrete.system.decode(&state).0);
            let directed = decided.map(|decided| self.abstracted.initial(abstracted, Some(decided)));
            let (others, called) = match &directed {
                Some(found) => found,
                None => &*all.get_or_insert_with(|| self.abstracted.initial(abstracted, None)),
            };
            self.found.heed(*called, INITIALISATION);
            let is_whole = called.gap.is_none() && !called.is_ill_defined;
            self.relate(INITIALISATION, Deed::Start, &state, abstracted, others, is_whole);
        }
    }

    /// Adds the related outcomes of all operations, and failures.
    pub(crate) fn simulate(&mut self, words: &[u32], state: &[u32]) {
        let pair = self.pair;
        let listed = self.concrete.list(words);
        for (position, letter) in pair.alphabet.concrete.iter().enumerate() {
            let operation = pair.concrete_step(position);
            if !self.wants_operation(operation) {
                continue;
            }
            if pair.alphabet.is_new(letter.letter) {
                self.heed(listed.called[position], operation);
                for step in listed.steps.iter().filter(|step| step.position == position) {
                    if !self.wants(&step.target) {
                        continue;
                    }
                    let deed = Deed::Event(step.event);
                    match pair.is_skip(letter) {
                        true => self.relate(operation, deed, &step.target, state, &[state.into()], true),
                        false => self.fail(operation, deed, &step.target, &[state.into()], Obligation::Trace),
                    }
                }
                continue;
            }
            self.simulate_operation(position, words, state, &listed);
        }
        for letter in 0..pair.alphabet.abstracted.len() {
            if pair.alphabet.concrete.iter().all(|own| own.letter as usize != letter) {
                self.miss_operation(letter, words, state);
            }
        }
    }

    fn simulate_operation(&mut self, position: usize, words: &[u32], state: &[u32], listed: &Listed) {
        let pair = self.pair;
        let letter = &pair.alphabet.concrete[position];
        let operation = pair.concrete_step(position);
        let has_condition = pair.concrete.system.precondition(letter.op).is_some();
        // What is wrong with a list may concern calls that the abstraction does not allow, so the allowed ones are asked about one by one.
        let is_whole = listed.is_whole(position);
        if !has_condition && is_whole {
            let steps = listed.steps.iter().filter(|step| step.position == position);
            for step in steps.cloned().collect::<Vec<SideStep>>() {
                if self.is_ended() {
                    return;
                }
                match self.is_allowed(letter.letter as usize, state, step.call) {
                    ConditionTruth::True => self.simulate_step(&step, state),
                    ConditionTruth::False => {}
                    ConditionTruth::IllDefined => self.heed(ILL_DEFINED, operation),
                    ConditionTruth::Unknown(gap) => self.miss(gap, operation),
                }
            }
            return;
        }
        let arguments = self.arguments(letter.letter, state);
        let (calls, called) = &*arguments;
        self.heed(*called, pair.abstract_step(letter.letter));
        for call in calls {
            if self.is_ended() {
                return;
            }
            let mut steps: Vec<SideStep> =
                listed.steps.iter().filter(|step| step.position == position && step.call == *call).cloned().collect();
            let given = letter.given(pair.concrete.system.model(), pair.events.call(*call));
            if steps.is_empty() && has_condition {
                match pair.concrete.system.may_call(self.concrete.evaluator(), letter.op, words, &given) {
                    ConditionTruth::True => {}
                    ConditionTruth::False => {
                        self.fail(operation, Deed::Call(*call), words, &[state.into()], Obligation::Precondition);
                        continue;
                    }
                    ConditionTruth::IllDefined => {
                        self.heed(ILL_DEFINED, operation);
                        continue;
                    }
                    ConditionTruth::Unknown(gap) => {
                        self.miss(gap, operation);
                        continue;
                    }
                }
            }
            if !is_whole {
                let (found, called) = self.concrete.call(position, words, *call);
                self.heed(called, operation);
                steps = found;
            }
            for step in &steps {
                self.simulate_step(step, state);
            }
        }
    }

    /// Adds the pairs that an outcome leads to.
    fn simulate_step(&mut self, step: &SideStep, state: &[u32]) {
        if !self.wants(&step.target) {
            return;
        }
        let pair = self.pair;
        let operation = pair.concrete_step(step.position);
        let letter = pair.alphabet.concrete[step.position].letter as usize;
        let is_one_by_one = self.wanted.is_some() || pair.directed.has_operations();
        let list = (!is_one_by_one).then(|| self.abstracted.list(state)).filter(|list| list.is_whole(letter));
        let (candidates, mut is_whole): (Vec<Box<[u32]>>, bool) = if let Some(list) = list {
            let targets = list.steps.iter().filter(|other| other.event == step.event);
            (targets.map(|other| other.target.clone()).collect(), true)
        } else {
            let decided = pair.directed.operation(letter, &pair.concrete.system.decode(&step.target).0);
            let (steps, called) = self.abstracted.call_with(letter, state, step.call, decided);
            self.heed(called, pair.abstract_step(letter as u32));
            let targets = steps.into_iter().filter(|other| other.event == step.event).map(|other| other.target);
            (targets.collect(), called.gap.is_none() && !called.is_ill_defined)
        };
        if !pair.events.is_exact(step.event) {
            is_whole = false;
            self.miss(Gap::Failed, operation);
        }
        self.relate(operation, Deed::Event(step.event), &step.target, state, &candidates, is_whole);
    }

    /// Adds the pairs of a concrete state and those candidates that the gluing invariant relates to it; a failure if there are none.
    pub(crate) fn relate(
        &mut self,
        operation: u32,
        deed: Deed,
        words: &[u32],
        before: &[u32],
        candidates: &[Box<[u32]>],
        is_whole: bool,
    ) {
        let pair = self.pair;
        let (mut is_related, mut is_known, mut ill_defined) = (false, is_whole, false);
        for candidate in candidates {
            if self.is_ended() {
                return;
            }
            let (own, other) = ((&pair.concrete, words), (&pair.abstracted, &candidate[..]));
            match pair.gluing.glued_words(self.concrete.evaluator(), own, other) {
                Glued::Yes => {
                    is_related = true;
                    let spec = self.spec(vec![candidate.clone()], MatchResult::Followed);
                    self.push(operation, deed, words, spec);
                }
                Glued::No(_) => {}
                Glued::IllDefined(_) => ill_defined = true,
                Glued::Unknown(gap) => {
                    is_known = false;
                    self.miss(gap, operation);
                }
            }
        }
        if is_related || !is_known {
            return;
        }
        let kind = if deed == Deed::Start { Obligation::Initialisation } else { Obligation::Outcome };
        let number = kind.number(operation);
        let outcome = if ill_defined { MatchResult::IllDefined(number) } else { MatchResult::Failed(number) };
        let spec = self.spec(vec![before.into()], outcome);
        self.push(operation, deed, words, spec);
    }

    /// The refinement lacks an operation that could be called.
    fn miss_operation(&mut self, letter: usize, words: &[u32], state: &[u32]) {
        let arguments = self.arguments(letter as u32, state);
        let (calls, called) = &*arguments;
        let operation = self.pair.abstract_step(letter as u32);
        if !self.wants_operation(operation) {
            return;
        }
        self.heed(*called, operation);
        if let Some(call) = calls.first() {
            self.fail(operation, Deed::Call(*call), words, &[state.into()], Obligation::Operation);
        }
    }

    /// Truth of the abstract precondition of a call.
    fn is_allowed(&self, letter: usize, state: &[u32], call: u32) -> ConditionTruth {
        let (system, letter) = (&self.pair.abstracted.system, &self.pair.alphabet.abstracted[letter]);
        let given = letter.given(system.model(), self.pair.events.call(call));
        system.may_call(self.abstracted.evaluator(), letter.op, state, &given)
    }

    /// The calls of an operation that its abstract precondition allows in a state.
    fn arguments(&mut self, letter: u32, state: &[u32]) -> Rc<Arguments> {
        let key = (letter, Box::from(state));
        if let Some(known) = self.arguments.get(&key) {
            return known.clone();
        }
        let pair = self.pair;
        let (abstract_state, _) = pair.abstracted.system.decode(state);
        let words = pair.preconditions.words_of(&abstract_state, true);
        let own = &pair.alphabet.abstracted[letter as usize];
        let (mut calls, mut seen) = (Vec::new(), FxHashSet::default());
        let evaluator = self.abstracted.evaluator();
        let called =
            pair.preconditions.call(evaluator, own.op, &words, PrescribedChoices::default(), &mut |transition, _| {
                let params = own.params.iter().map(|position| transition.params[*position].clone()).collect();
                let call = pair.events.call_number(Call { letter, params });
                if seen.insert(call) {
                    calls.push(call);
                }
                ControlFlow::Continue(())
            });
        if self.arguments.len() >= MAX_KEPT_LISTS {
            self.arguments.clear();
        }
        let arguments = Rc::new((calls, called));
        self.arguments.insert(key, arguments.clone());
        arguments
    }
}

const ILL_DEFINED: Called = Called { gap: None, is_ill_defined: true };
