//! Steps with labels: the parameters and outputs of the operation and, where it has no parameters, the values that its ANY chose.
//!
//! A label is a list of ids: the locals that distinguish instances, then the outputs. Reductions read the instance; temporal formulas and
//! refinement read parameters and outputs. Without an output in its label, two steps that users can distinguish would become one. The ordinary
//! search asks for no labels and pays nothing for them.

use abridge_compile::{Fast, StepOrder};
use abridge_eval::{State, Transition, Val};
use abridge_model_system::{FIRST_OPERATION, ModelSystem as _, UNSET};
use abridge_system::{LabelId, Steps};
use abridge_value::ValueId;

use super::fast::FastPath;
use super::perform::{OperationScratch, Performer, StageRun, StateExpansion, StepDoubts, WorkerBuffers};
use crate::layout::fill;
use crate::operation::{OperationMemos, Stages};
use crate::system::Explicit;

impl Explicit<'_> {
    fn label_of(&self, instance: impl Iterator<Item = u32>, outputs: impl Iterator<Item = u32>) -> LabelId {
        LabelId(self.labels.intern(&instance.chain(outputs).collect()).0)
    }

    /// The label of a step, by the values of [`ModelSystem::instance_locals`] and of the outputs.
    pub fn label(&self, instance: &[Val], outputs: &[Val]) -> LabelId {
        let id = |val: &Val| self.locals.intern(val).0;
        self.label_of(instance.iter().map(id), outputs.iter().map(id))
    }

    /// The order in which the compiled form finds the steps of an operation. Nothing if they come in no such order.
    pub fn step_order(&self, operation: usize) -> Option<StepOrder> {
        let OperationMemos { op, stages, .. } = &self.operation_memos[operation];
        self.program.as_ref()?.step_order(self.model(), *op, stages.is_some())
    }

    /// Whether an operation has a compiled form, which finds its steps.
    pub fn is_compiled(&self, operation: usize) -> bool {
        let OperationMemos { op, stages, .. } = &self.operation_memos[operation];
        self.program.as_ref().is_some_and(|program| stages.is_some() || program.has(*op))
    }

    pub(crate) fn label_ids(&self, operation: u32, label: LabelId) -> (&[u32], &[u32]) {
        let operation = &self.operation_memos[(operation - FIRST_OPERATION) as usize];
        self.labels.get(ValueId(label.0)).split_at(operation.instance.len())
    }

    pub(crate) fn known_local(&self, id: u32) -> Option<&Val> {
        (id != UNSET).then(|| self.local(id))
    }

    /// Id of an optional value in a label.
    fn local_id(&self, val: Option<&Val>) -> u32 {
        val.map_or(UNSET, |val| self.locals.intern(val).0)
    }
}

impl Stages {
    /// Label of the step computed last, for a solution of the search.
    pub(crate) fn label(&self, run: &StageRun<'_, '_, '_>, found: &[u32]) -> LabelId {
        let outputs = self.outputs.iter().map(|place| place.map_or(UNSET, |place| run.scratch.entry[place]));
        run.system.label_of(found.iter().copied(), outputs)
    }
}

/// Labels from this number on do not fit into a memo entry.
const MAX_LISTED_LABELS: u32 = 1 << 31;

impl Performer<'_> {
    /// Adds the steps of the operation with their labels, from the memo if possible.
    pub(crate) fn labelled(&mut self, at: &mut StateExpansion<'_, '_>, out: &mut Steps) -> StepDoubts {
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
        if let (Some(key), Some(head), Some(handle)) = (key, doubt.to_word(), &self.with_labels) {
            let scratch = &mut at.buffers.scratch;
            if operation.list_labelled(start, head, scratch, out)
                && let Some(number) = system.lists.number(&scratch.entry)
            {
                fill(&mut scratch.key, words, &operation.key);
                handle.insert(&system.lists, &scratch.key, key, number);
            }
        }
        doubt
    }

    fn compute_labelled(&mut self, at: &mut StateExpansion<'_, '_>, out: &mut Steps) -> StepDoubts {
        let StateExpansion { system, words, state, buffers: WorkerBuffers { fast, verdicts, scratch }, .. } = at;
        let start = out.len();
        if let Some(fast) =
            fast.as_mut().filter(|_| self.success.is_worthwhile() && system.config.max_operations.is_none())
        {
            let done = match &mut self.staged {
                Some((staged, handles)) => {
                    let mut run = StageRun { system, fast, words, alike: None, scratch, verdicts, n_computed: 0 };
                    let done = self.operation.in_stages(&mut run, staged, handles, out);
                    self.cost.computed += run.n_computed;
                    done
                }
                None => {
                    self.cost.computed += 1;
                    self.operation.at_once_labelled(system, fast, words, scratch, out)
                }
            };
            self.success.count(done.is_ok());
            if done.is_ok() {
                return StepDoubts::default();
            }
            fast.forget();
            out.truncate(start);
        }
        self.cost.plain += 1;
        let state = state.get_or_insert_with(|| system.decode(words).0);
        self.operation.plainly_labelled(system, words, state, scratch, out)
    }
}

impl OperationMemos {
    /// Adds the steps of a memo entry.
    fn emit_labelled(
        &self,
        system: &Explicit<'_>,
        number: u32,
        words: &[u32],
        scratch: &mut OperationScratch,
        out: &mut Steps,
    ) -> StepDoubts {
        let Some((head, outcomes)) = system.lists.get(number).split_last() else { return StepDoubts::default() };
        for outcome in outcomes.chunks_exact(1 + self.writes.len()) {
            let (label, is_new) = (LabelId(outcome[0] >> 1), outcome[0] & 1 == 0);
            self.add_labelled(words, outcome[1..].iter().copied(), label, is_new, scratch, out);
        }
        StepDoubts::from_word(*head)
    }

    /// Makes the memo entry of the steps from `start` on; `false` if a label is too large for it. The lowest bit of a label marks a step that repeats
    /// a transition.
    fn list_labelled(&self, start: usize, head: u32, scratch: &mut OperationScratch, out: &Steps) -> bool {
        let entry = &mut scratch.entry;
        entry.clear();
        for step in out.iter_from(start) {
            let Some(label) = step.label.filter(|label| label.0 < MAX_LISTED_LABELS) else { return false };
            entry.push(label.0 << 1 | u32::from(step.count == 0));
            entry.extend(self.writes.iter().map(|word| step.target[*word]));
        }
        entry.push(head);
        true
    }

    /// Adds a step with its label.
    fn add_labelled(
        &self,
        words: &[u32],
        written: impl Iterator<Item = u32>,
        label: LabelId,
        is_new: bool,
        scratch: &mut OperationScratch,
        out: &mut Steps,
    ) {
        scratch.target.clear();
        scratch.target.extend_from_slice(words);
        for (word, value) in self.writes.iter().zip(written) {
            scratch.target[*word] = value;
        }
        out.push_labelled(self.step, Some(label), u64::from(is_new), &scratch.target);
    }

    fn at_once_labelled(
        &self,
        system: &Explicit<'_>,
        fast: &mut FastPath<'_>,
        words: &[u32],
        scratch: &mut OperationScratch,
        out: &mut Steps,
    ) -> Fast<()> {
        fast.load(system, words, &self.touched);
        fast.runtime.labelled(self.op, &mut |chosen, outcome, is_new| {
            let instance = self.instance.iter().map(|id| system.local_id(Some(chosen.local(*id))));
            let outputs = self.outputs.iter().map(|id| system.local_id(chosen.output(*id)));
            let written = self.writes.iter().zip(outcome.written).map(|(word, val)| system.encode_val(*word, val));
            self.add_labelled(words, written, system.label_of(instance, outputs), is_new, scratch, out);
        })
    }

    /// Adds the steps that the interpreter finds. Their labels have parameters and outputs only.
    fn plainly_labelled(
        &self,
        system: &Explicit<'_>,
        words: &[u32],
        state: &State,
        scratch: &mut OperationScratch,
        out: &mut Steps,
    ) -> StepDoubts {
        self.transitions(system, state, &mut |transition| {
            let label = self.plain_label(system, transition);
            self.add_labelled(words, self.written(system, transition), label, true, scratch, out);
        })
    }

    /// Label of a transition of the interpreter, which does not report the values that an ANY chose.
    fn plain_label(&self, system: &Explicit<'_>, transition: &Transition) -> LabelId {
        let params = transition.params.iter().map(Some);
        let instance = params.chain(std::iter::repeat(None)).take(self.instance.len());
        let outputs = transition.outputs.iter().map(Option::as_ref);
        let id = |val| system.local_id(val);
        system.label_of(instance.map(id), outputs.map(id))
    }
}
