//! Operations: the words that they read and write, and the memos of their outcomes, shared by all workers.
//!
//! Outcomes are memoised as a whole, under all words that determine them, and in stages ([`Staged`]): conditions, the search for parameters, and
//! each new value, each under the few words that it reads. If whole outcomes rarely repeat, their memo gives itself up and the stages remain.
//! Both yield the same outcomes in the same order.

use abridge_compile::{OrbitChoice, Program, Staged};
use abridge_model::effects::must_write;
use abridge_model::{LocalId, Model, OpId, Target, VarId};

use crate::condition::Conditions;
use crate::layout::WordLayout;
use crate::memo::Memo;
use abridge_model_system::FIRST_OPERATION;

/// Operation with the words that it reads and writes, the locals of its label, and its memos.
pub(crate) struct OperationMemos {
    pub(crate) op: OpId,
    pub(crate) step: u32,
    /// Words that determine the outcomes.
    pub(crate) key: Vec<usize>,
    /// Words that an outcome may change, in the order of their variables.
    pub(crate) writes: Vec<usize>,
    /// Words that are read or may be changed.
    pub(crate) touched: Vec<usize>,
    /// Number of parameters.
    pub(crate) n_params: usize,
    /// Locals that distinguish its instances: its parameters or, if there are none, the locals of its ANY.
    pub(crate) instance: Vec<LocalId>,
    pub(crate) outputs: Vec<LocalId>,
    /// Memo of whole outcomes.
    pub(crate) whole: Option<Memo>,
    /// Memo of whole outcomes with labels.
    pub(crate) labelled: Option<Memo>,
    pub(crate) stages: Option<Stages>,
    /// Choice of one representative per orbit, for an operation with many choices.
    pub(crate) by_orbit: Option<OrbitChoice>,
}

/// Memos of the stages of an operation.
pub(crate) struct Stages {
    /// Numbers in [`Conditions`].
    pub(crate) conditions: Vec<usize>,
    pub(crate) search: StageMemo,
    /// Stages of the assigned values, with the positions of their variables.
    pub(crate) values: Vec<(StageMemo, Option<usize>)>,
    /// Indices of the outputs among the values; `None` for an output that is not assigned.
    pub(crate) outputs: Vec<Option<usize>>,
}

/// Positions that a stage reads, and its memo.
pub(crate) struct StageMemo {
    pub(crate) words: Vec<usize>,
    pub(crate) memo: Option<Memo>,
}

impl OperationMemos {
    pub(crate) fn new(
        model: &Model,
        words: &WordLayout,
        program: Option<&Program>,
        conditions: &mut Conditions,
        (idx, op): (usize, OpId),
    ) -> Self {
        let effects = &model.operations[op].effects;
        let mut determines = effects.reads.clone();
        let must = must_write(model, op);
        for id in effects.writes.iter().filter(|id| !must.contains(*id)) {
            determines.insert(id);
        }
        let key = words.of(&determines);
        let staged = program.and_then(|program| program.staged(op));
        let stages = staged.map(|staged| Stages::new(model, words, conditions, op, staged));
        let stages = stages.filter(|stages| stages.read_less_than(conditions, &key));
        // Stages need less memory for the same outcomes, so the whole must pay much better.
        let (must_hit, most) = if stages.is_some() { (60, 1 << 16) } else { (5, usize::MAX) };
        let memo = || Memo::new(words.is_frugal, 1 + key.len(), must_hit, most);
        let whole = words.can_repeat(&key).then(memo);
        let labelled = (words.labels && words.can_repeat(&key)).then(memo);
        let writes = effects.writes.iter().filter_map(|id| words.position(id)).collect();
        let instance = match staged.filter(|_| stages.is_some()) {
            Some(staged) => staged.search.locals.clone(),
            None => instance_locals(model, program, op),
        };
        let n_params = model.operations[op].params.len();
        let has_form = program.is_some_and(|program| program.has(op));
        let by_orbit = if has_form { OrbitChoice::of_operation(model, op, words.many_choices) } else { None };
        let step = idx as u32 + FIRST_OPERATION;
        let outputs = model.operations[op].outputs.clone();
        let mut touched: Vec<usize> = key.iter().chain(&writes).copied().collect();
        touched.sort_unstable();
        touched.dedup();
        OperationMemos {
            op,
            step,
            writes,
            touched,
            n_params,
            instance,
            outputs,
            key,
            whole,
            labelled,
            stages,
            by_orbit,
        }
    }

    pub(crate) fn memos(&self) -> impl Iterator<Item = &Memo> {
        self.whole
            .iter()
            .chain(&self.labelled)
            .chain(self.stages.iter().flat_map(|stages| stages.all().filter_map(|s| s.memo.as_ref())))
    }
}

impl Stages {
    pub(crate) fn new(
        model: &Model,
        words: &WordLayout,
        conditions: &mut Conditions,
        op: OpId,
        staged: &Staged,
    ) -> Self {
        let stage = |reads: &[VarId], n_locals: usize| {
            let read = words.of(&reads.iter().copied().collect());
            let memo =
                words.can_repeat(&read).then(|| Memo::new(words.is_frugal, 1 + read.len() + n_locals, 5, usize::MAX));
            StageMemo { words: read, memo }
        };
        let position = |target: Target| match target {
            Target::Variable(id) => words.position(id),
            Target::Local(_) => None,
        };
        let assigned = |target: Target| staged.values.iter().position(|value| value.target == target);
        Stages {
            conditions: staged.conditions.iter().map(|item| conditions.number(model, words, item)).collect(),
            search: stage(&staged.search.reads, 0),
            values: staged
                .values
                .iter()
                .map(|value| (stage(&value.reads, value.locals.len()), position(value.target)))
                .collect(),
            outputs: model.operations[op].outputs.iter().map(|output| assigned(Target::Local(*output))).collect(),
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &StageMemo> {
        [&self.search].into_iter().chain(self.values.iter().map(|(stage, _)| stage))
    }

    /// Whether some stage reads fewer words than the whole operation. Otherwise stages have no advantage.
    pub(crate) fn read_less_than(&self, conditions: &Conditions, key: &[usize]) -> bool {
        let conditions = self.conditions.iter().map(|number| conditions.words(*number).len());
        let mut n_words = self.all().map(|stage| stage.words.len()).chain(conditions);
        n_words.any(|n_words| n_words > 0 && n_words < key.len())
    }
}

/// Locals that distinguish the instances of an operation. Without compiled form only the parameters: the plain interpreter reports no others.
fn instance_locals(model: &Model, program: Option<&Program>, op: OpId) -> Vec<LocalId> {
    if program.is_some_and(|program| program.has(op)) {
        model.label_locals(op)
    } else {
        model.operations[op].params.clone()
    }
}
