//! Traces and failures: the abstraction follows every step with all states that it may be in.

use std::rc::Rc;

use abridge_explicit::Called;
use abridge_system::Gap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pair::{Deed, Obligation, PairWorker};
use crate::side::Listed;
use crate::spec::MatchResult;

/// How the abstraction answers an event.
#[derive(Clone, Copy)]
enum Answer {
    /// With states, by their number.
    Spec(u32),
    Refused,
    /// States may be missing, so nothing follows.
    Unknown(Gap),
}

impl PairWorker<'_, '_> {
    /// Adds the steps of the refinement with the abstract states that the same event leads to.
    pub(crate) fn follow(&mut self, words: &[u32], states: &[Box<[u32]>]) {
        let pair = self.pair;
        let listed = self.concrete.list(words);
        for (position, called) in listed.called.iter().enumerate() {
            self.heed(*called, pair.concrete_step(position));
        }
        let others = self.abstract_lists(states);
        let others = others.as_deref();
        let mut answers: FxHashMap<u32, Answer> = FxHashMap::default();
        for step in &listed.steps {
            if self.is_ended() {
                return;
            }
            let operation = pair.concrete_step(step.position);
            if !self.wants(&step.target) || !self.wants_operation(operation) {
                continue;
            }
            let own = &pair.alphabet.concrete[step.position];
            let deed = Deed::Event(step.event);
            let answer = match answers.get(&step.event) {
                Some(answer) => *answer,
                None => match (pair.alphabet.is_new(own.letter), pair.is_skip(own)) {
                    (true, true) => Answer::Spec(self.spec(states.to_vec(), MatchResult::Followed)),
                    (true, false) => Answer::Refused,
                    (false, _) => self.answer(own.letter as usize, step.event, states, others),
                },
            };
            match answer {
                Answer::Spec(spec) => self.push(operation, deed, &step.target, spec),
                Answer::Refused => self.fail(operation, deed, &step.target, states, Obligation::Trace),
                Answer::Unknown(gap) => self.miss(gap, operation),
            }
            answers.insert(step.event, answer);
        }
    }

    /// The steps of the abstraction out of each state, unless one step is looked for. What is not well-defined there is found too.
    fn abstract_lists(&mut self, states: &[Box<[u32]>]) -> Option<Vec<Rc<Listed>>> {
        if self.wanted.is_some() {
            return None;
        }
        let lists: Vec<Rc<Listed>> = states.iter().map(|state| self.abstracted.list(state)).collect();
        for called in lists.iter().map(|list| &list.called) {
            for (letter, called) in (0..).zip(called).filter(|(_, called)| called.is_ill_defined) {
                let operation = self.pair.abstract_step(letter);
                self.heed(Called { gap: None, ..*called }, operation);
            }
        }
        Some(lists)
    }

    /// The abstract states after an event of an operation, out of any of the given states.
    fn answer(&mut self, position: usize, event: u32, states: &[Box<[u32]>], lists: Option<&[Rc<Listed>]>) -> Answer {
        let events = &self.pair.events;
        let call = events.get(event).call;
        let mut next = Vec::new();
        for (idx, state) in states.iter().enumerate() {
            if let Some(list) = lists.map(|lists| &lists[idx]).filter(|list| list.is_whole(position)) {
                next.extend(list.steps.iter().filter(|step| step.event == event).map(|step| step.target.clone()));
                continue;
            }
            let (steps, called) = self.abstracted.call(position, state, call);
            if let Some(gap) = called.gap {
                return Answer::Unknown(gap);
            }
            if called.is_ill_defined {
                return Answer::Unknown(Gap::Failed);
            }
            next.extend(steps.into_iter().filter(|step| step.event == event).map(|step| step.target));
        }
        match (events.is_exact(event), next.is_empty()) {
            (false, _) => Answer::Unknown(Gap::Failed),
            (true, true) => Answer::Refused,
            (true, false) => Answer::Spec(self.spec(next, MatchResult::Followed)),
        }
    }

    /// Adds a failure for each call that the refinement refuses and the abstraction accepts whatever state it is in. A state
    /// with a step that callers do not see is not stable, so that nothing is refused there.
    pub(crate) fn refuse(&mut self, words: &[u32], states: &[Box<[u32]>]) {
        let pair = self.pair;
        let listed = self.concrete.list(words);
        let is_hidden = |position: usize| pair.alphabet.is_added(&pair.alphabet.concrete[position]);
        if pair.new_is_skip && listed.steps.iter().any(|step| is_hidden(step.position)) {
            return;
        }
        let lists = self.abstract_lists(states);
        let Some(first) = states.first().map(|state| self.abstracted.list(state)) else { return };
        let rest = lists.as_deref().map(|lists| &lists[1..]);
        // Calls that are not listed may be refused without being noticed.
        for (letter, called) in (0..).zip(&first.called) {
            self.heed(*called, pair.abstract_step(letter));
        }
        let mut seen: FxHashSet<u32> = listed.steps.iter().map(|step| step.call).collect();
        for step in &first.steps {
            if self.is_ended() {
                return;
            }
            if !self.wants_operation(pair.abstract_step(step.position as u32)) || !seen.insert(step.call) {
                continue;
            }
            let is_accepted = self.is_accepted_by_all(step.position, step.call, &states[1..], rest);
            match is_accepted
                .and_then(|is_accepted| Ok(is_accepted && self.is_refused(step.position, step.call, words, &listed)?))
            {
                Ok(false) => {}
                Ok(true) => {
                    let operation = pair.abstract_step(step.position as u32);
                    self.fail(operation, Deed::Call(step.call), words, states, Obligation::Refusal);
                }
                Err(gap) => self.miss(gap, pair.abstract_step(step.position as u32)),
            }
        }
    }

    fn is_accepted_by_all(
        &mut self,
        position: usize,
        call: u32,
        states: &[Box<[u32]>],
        lists: Option<&[Rc<Listed>]>,
    ) -> Result<bool, Gap> {
        for (idx, state) in states.iter().enumerate() {
            let list = lists.map(|lists| &lists[idx]);
            let is_listed = list.is_some_and(|list| list.steps.iter().any(|step| step.call == call));
            let is_whole = list.is_some_and(|list| list.is_whole(position));
            if !is_listed && (is_whole || !self.accepts_abstractly(position, state, call)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn accepts_abstractly(&mut self, position: usize, state: &[u32], call: u32) -> Result<bool, Gap> {
        let (steps, called) = self.abstracted.call(position, state, call);
        match called.gap {
            Some(gap) if steps.is_empty() => Err(gap),
            _ => Ok(!steps.is_empty()),
        }
    }

    /// No operation of the refinement answers the call.
    fn is_refused(&mut self, letter: usize, call: u32, words: &[u32], listed: &Listed) -> Result<bool, Gap> {
        if !self.pair.events.is_exact_call(call) {
            return Err(Gap::Failed);
        }
        let letters = &self.pair.alphabet.concrete;
        for position in (0..letters.len()).filter(|position| letters[*position].letter as usize == letter) {
            if listed.is_whole(position) {
                continue;
            }
            let (steps, called) = self.concrete.call(position, words, call);
            match called.gap {
                _ if !steps.is_empty() => return Ok(false),
                Some(gap) => return Err(gap),
                None if called.is_ill_defined => return Err(Gap::Failed),
                None => {}
            }
        }
        Ok(true)
    }
}
