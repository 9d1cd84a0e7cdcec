//! Compiled operations and properties of a model, shared by all workers.
//!
//! Some operations also have a form in stages ([`Staged`]). Each stage depends on few variables only, so its results can be memoised under few ids.

use abridge_model::ids::Id as _;
use abridge_model::{ConstId, LocalId, Model, OpId, PredId, Target, VarId};
use rustc_hash::FxHashMap;

use crate::code::{Code, CompiledCase, Plan, Test};

/// Layout of slots: constants first, then variables, then locals.
#[derive(Clone, Copy, Debug)]
pub struct SlotLayout {
    pub(crate) n_constants: usize,
    pub(crate) n_variables: usize,
    pub(crate) n_slots: usize,
}

impl SlotLayout {
    pub(crate) fn of(model: &Model) -> SlotLayout {
        let (n_constants, n_variables) = (model.constants.len(), model.variables.len());
        SlotLayout { n_constants, n_variables, n_slots: n_constants + n_variables + model.locals.len() }
    }

    pub(crate) fn constant(self, id: ConstId) -> usize {
        id.index()
    }

    pub fn variable(self, id: VarId) -> usize {
        self.n_constants + id.index()
    }

    pub(crate) fn local(self, id: LocalId) -> usize {
        self.n_constants + self.n_variables + id.index()
    }

    /// The local in a slot.
    pub(crate) fn local_at(self, slot: usize) -> Option<LocalId> {
        slot.checked_sub(self.n_constants + self.n_variables).map(LocalId::from_index)
    }
}

/// Compiled operations and properties of a model.
pub struct Program {
    pub layout: SlotLayout,
    pub(crate) n_cells: usize,
    pub(crate) operations: Vec<Option<CompiledOperation>>,
    pub(crate) staged: Vec<Option<Staged>>,
    /// Conjuncts of the invariant, assertions and the goal, by predicate.
    pub(crate) tests: Vec<Test>,
    pub(crate) test_numbers: FxHashMap<PredId, usize>,
}

/// Compiled operation.
pub(crate) struct CompiledOperation {
    pub(crate) cases: Vec<CompiledCase>,
    pub(crate) outputs: Vec<usize>,
    /// Slots of parameters and outputs.
    pub(crate) label: Vec<usize>,
    /// Slots of the variables that it may write.
    pub(crate) writes: Vec<usize>,
    /// Different choices may give the same step.
    pub(crate) may_repeat: bool,
}

impl CompiledOperation {
    pub(crate) fn params(&self) -> &[usize] {
        &self.label[..self.label.len() - self.outputs.len()]
    }
}

impl Program {
    /// Whether an operation has a compiled form.
    pub fn has(&self, op: OpId) -> bool {
        self.operations[op.index()].is_some()
    }

    /// Stages of an operation, if it has them.
    pub fn staged(&self, op: OpId) -> Option<&Staged> {
        self.staged[op.index()].as_ref()
    }

    /// Number of the test of a predicate, if it was compiled.
    pub fn test(&self, pred: PredId) -> Option<usize> {
        self.test_numbers.get(&pred).copied()
    }
}

pub struct Staged {
    pub conditions: Vec<Condition>,
    pub search: ParameterSearch,
    pub values: Vec<Assigned>,
    /// Number of found locals that are parameters, and so belong to the label of a step. They come first.
    pub n_params: usize,
}

/// Conjunct of the guard without unknowns.
pub struct Condition {
    pub pred: PredId,
    pub(crate) test: Test,
    pub reads: Vec<VarId>,
}

/// Search for parameters or for the locals of an ANY.
pub struct ParameterSearch {
    pub(crate) plan: Plan,
    pub reads: Vec<VarId>,
    /// Found locals: those that later stages read.
    pub locals: Vec<LocalId>,
    /// Slots of the found locals.
    pub(crate) found: Vec<usize>,
}

/// New value of a variable or output.
pub struct Assigned {
    pub(crate) code: Code,
    pub target: Target,
    pub reads: Vec<VarId>,
    /// Indices of the found locals that it reads.
    pub locals: Vec<usize>,
}

/// Verdict of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuardVerdict {
    False,
    True,
    /// Ill-defined. If no other condition is false, the plain interpreter decides.
    Doubtful,
}

impl GuardVerdict {
    /// Number for a memo, never 0.
    pub fn number(self) -> u32 {
        self as u32 + 1
    }

    pub fn from_number(number: u32) -> GuardVerdict {
        [GuardVerdict::False, GuardVerdict::True].get(number as usize - 1).copied().unwrap_or(GuardVerdict::Doubtful)
    }
}

impl ParameterSearch {
    /// Number of found locals.
    pub fn n_found(&self) -> usize {
        self.found.len()
    }

    /// Whether there is nothing to search for.
    pub fn is_trivial(&self) -> bool {
        self.plan.is_empty()
    }
}
