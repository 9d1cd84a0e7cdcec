//! Steps with what was chosen for them: the parameters of the operation or, where it has none, the values of its ANY.
//!
//! Reductions have to tell the instances of an operation apart; the ordinary search does not and is not slowed down by this.

use std::ops::ControlFlow;

use abridge_compile::Fast;
use abridge_eval::{State, Val};
use abridge_model::LocalId;
use abridge_model::ids::Id as _;
use abridge_system::{LabelId, Steps};
use abridge_value::ValueId;

use super::fast::FastPath;
use super::perform::{Doubt, Expansion, Performer, Run, Scratch, WorkerBuffers};
use crate::layout::{UNSET, fill};
use crate::operation::Operation;
use crate::system::{Explicit, is_violation};

impl Explicit<'_> {
    pub(crate) fn label_of(&self, locals: &[u32]) -> LabelId {
        LabelId(self.labels.intern(&locals.into()).0)
    }

    /// The locals whose values make up the labels of an operation, by its position.
    pub fn label_locals(&self, operation: usize) -> &[LocalId] {
        &self.operation_memos[operation].label
    }

    /// The values of a label.
    pub fn label_vals(&self, label: LabelId) -> impl Iterator<Item = &Val> {
        self.labels.get(ValueId(label.0)).iter().map(|id| self.local(*id))
    }

    /// The value of a variable by its word; nothing if it has none.
    pub fn value_of(&self, word: usize, id: u32) -> Option<&Val> {
        (id != UNSET).then(|| self.decode_val(word, id))
    }
}

/// The label, in an entry of a memo, of a step of which only the operation is known.
const NO_LABEL: u32 = u32::MAX;

impl Performer<'_> {
    /// Adds the steps of the operation with their labels, remembered ones if there are.
    pub(crate) fn labelled(&mut self, at: &mut Expansion<'_, '_>, out: &mut Steps) -> Doubt {
        let (system, words, operation) = (at.system, at.words, self.operation);
        let mut key = None;
        if let Some(handle) = self.with_labels.as_mut().filter(|handle| !handle.is_off()) {
            let scratch = &mut at.buffers.scratch;
            fill(&mut scratch.key, words, &operation.key);
            match handle.get(&system.lists, &scratch.key) {
                Ok(number) => return operation.emit_labelled(system, number, words, scratch, out),
                Err(missing) => key = Some(missing),
            }
        }
        let start = out.len();
        let doubt = self.compute_labelled(at, out);
        if let (Some(key), Some(handle)) = (key.filter(|_| doubt.is_lasting()), &self.with_labels) {
            let scratch = &mut at.buffers.scratch;
            if operation.list_labelled(start, doubt, scratch, out)
                && let Some(number) = system.lists.number(&scratch.entry)
            {
                fill(&mut scratch.key, words, &operation.key);
                handle.insert(&system.lists, &scratch.key, key, number);
            }
        }
        doubt
    }

    fn compute_labelled(&mut self, at: &mut Expansion<'_, '_>, out: &mut Steps) -> Doubt {
        let Expansion { system, words, state, buffers: WorkerBuffers { fast, verdicts, scratch }, .. } = at;
        let start = out.len();
        if let Some(fast) = fast.as_mut().filter(|_| self.trust.is_given() && system.config.max_operations.is_none()) {
            let done = match &mut self.staged {
                Some((staged, handles)) => {
                    let mut run = Run { system, fast, words, alike: None, scratch, verdicts, n_computed: 0 };
                    let done = self.operation.in_stages(&mut run, staged, handles, out);
                    self.cost.computed += run.n_computed;
                    done
                }
                None => {
                    self.cost.computed += 1;
                    self.operation.at_once_labelled(system, fast, words, scratch, out)
                }
            };
            self.trust.count(done.is_ok());
            if done.is_ok() {
                return Doubt::default();
            }
            fast.forget();
            out.truncate(start);
        }
        self.cost.plain += 1;
        let has_names = self.operation.label == system.model().operations[self.operation.op].params;
        let state = state.get_or_insert_with(|| system.decode(words).0);
        self.operation.plainly_labelled(system, words, state, has_names, scratch, out)
    }
}

impl Operation {
    /// Adds the steps of an entry.
    fn emit_labelled(
        &self,
        system: &Explicit<'_>,
        number: u32,
        words: &[u32],
        scratch: &mut Scratch,
        out: &mut Steps,
    ) -> Doubt {
        let Some((head, outcomes)) = system.lists.get(number).split_last() else { return Doubt::default() };
        for outcome in outcomes.chunks_exact(1 + self.writes.len()) {
            let label = (outcome[0] != NO_LABEL).then_some(LabelId(outcome[0] >> 1));
            let is_new = label.is_none() || outcome[0] & 1 == 0;
            self.add_labelled(words, outcome[1..].iter().copied(), label, is_new, scratch, out);
        }
        Doubt::from_word(*head)
    }

    /// Makes the entry of the steps that were added last; false if a label is too large for it. The lowest bit of a label says that the step repeats
    /// a transition.
    fn list_labelled(&self, start: usize, doubt: Doubt, scratch: &mut Scratch, out: &Steps) -> bool {
        let entry = &mut scratch.entry;
        entry.clear();
        for step in out.iter().skip(start) {
            if step.label.is_some_and(|label| label.0 >= NO_LABEL >> 1) {
                return false;
            }
            entry.push(step.label.map_or(NO_LABEL, |label| label.0 << 1 | u32::from(step.count == 0)));
            entry.extend(self.writes.iter().map(|word| step.target[*word]));
        }
        entry.push(doubt.to_word());
        true
    }

    /// Adds a step with its label.
    fn add_labelled(
        &self,
        words: &[u32],
        written: impl Iterator<Item = u32>,
        label: Option<LabelId>,
        is_new: bool,
        scratch: &mut Scratch,
        out: &mut Steps,
    ) {
        scratch.target.clear();
        scratch.target.extend_from_slice(words);
        for (word, value) in self.writes.iter().zip(written) {
            scratch.target[*word] = value;
        }
        out.push_labelled(self.step, label, u64::from(is_new), &scratch.target);
    }

    fn at_once_labelled(
        &self,
        system: &Explicit<'_>,
        fast: &mut FastPath<'_>,
        words: &[u32],
        scratch: &mut Scratch,
        out: &mut Steps,
    ) -> Fast<()> {
        fast.load(system, words, self.key.iter().chain(&self.writes));
        fast.runtime.labelled(self.op, &mut |chosen, outcome, is_new| {
            let label: Vec<u32> = self.label.iter().map(|id| system.locals.intern(chosen.local(*id)).0).collect();
            let written = self.writes.iter().zip(outcome.written).map(|(word, val)| system.encode_val(*word, val));
            self.add_labelled(words, written, Some(system.label_of(&label)), is_new, scratch, out);
        })
    }

    /// With the plain interpreter, which says parameters only; `has_names` if these are all there is to say.
    fn plainly_labelled(
        &self,
        system: &Explicit<'_>,
        words: &[u32],
        state: &State,
        has_names: bool,
        scratch: &mut Scratch,
        out: &mut Steps,
    ) -> Doubt {
        let session = system.interp.session();
        let mut doubt = Doubt::default();
        let mut failure = None;
        session.operation(self.op, state, &mut |transition| {
            match transition {
                Ok(transition) => {
                    let params: Vec<u32> = transition.params.iter().map(|val| system.locals.intern(val).0).collect();
                    let label = has_names.then(|| system.label_of(&params));
                    let val = |word: &usize| transition.state.variables[system.variables[*word - 1].index()].as_ref();
                    let written =
                        self.writes.iter().map(|word| val(word).map_or(UNSET, |val| system.encode_val(*word, val)));
                    self.add_labelled(words, written, label, true, scratch, out);
                }
                Err(error) if is_violation(&error) => doubt.is_ill_defined = true,
                Err(error) => failure = Some(error),
            }
            ControlFlow::Continue(())
        });
        doubt.gap = system.note(&session, &system.model().operations[self.op].name, failure);
        doubt
    }
}
