//! Compiled operations and properties of a model, shared by all workers.
//!
//! Beside the form of an operation as a whole there is one in stages ([`Staged`]): what a stage yields depends on few variables only, so it can be remembered under
//! few ids.

use abridge_model::ids::Id as _;
use abridge_model::{ConstId, LocalId, Model, OpId, PredId, Target, VarId};
use rustc_hash::FxHashMap;

use crate::code::{Case, Code, Plan, Test};

/// Where values lie: constants first, then variables, then locals.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub(crate) n_constants: usize,
    pub(crate) n_variables: usize,
    pub(crate) n_slots: usize,
}

impl Layout {
    pub(crate) fn of(model: &Model) -> Layout {
        let (n_constants, n_variables) = (model.constants.len(), model.variables.len());
        Layout { n_constants, n_variables, n_slots: n_constants + n_variables + model.locals.len() }
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
}

/// The compiled operations and properties of a model; shared by all workers.
pub struct Program {
    pub layout: Layout,
    pub(crate) n_cells: usize,
    pub(crate) operations: Vec<Option<Operation>>,
    pub(crate) staged: Vec<Option<Staged>>,
    /// Conjuncts of the invariant, assertions and the goal, by predicate.
    pub(crate) tests: Vec<Test>,
    pub(crate) test_numbers: FxHashMap<PredId, usize>,
}

/// One operation.
pub(crate) struct Operation {
    pub(crate) cases: Vec<Case>,
    pub(crate) outputs: Vec<usize>,
    /// Parameters and outputs.
    pub(crate) label: Vec<usize>,
    /// Variables it may write.
    pub(crate) writes: Vec<usize>,
    /// Different choices may lead to the same step.
    pub(crate) may_repeat: bool,
}

impl Operation {
    pub(crate) fn params(&self) -> &[usize] {
        &self.label[..self.label.len() - self.outputs.len()]
    }
}

impl Program {
    /// True if there is a compiled form of an operation.
    pub fn has(&self, op: OpId) -> bool {
        self.operations[op.index()].is_some()
    }

    /// An operation in stages, if it has the form.
    pub fn staged(&self, op: OpId) -> Option<&Staged> {
        self.staged[op.index()].as_ref()
    }

    /// The test for a predicate, if it was compiled.
    pub fn test(&self, pred: PredId) -> Option<usize> {
        self.test_numbers.get(&pred).copied()
    }
}

pub struct Staged {
    pub conditions: Vec<Condition>,
    pub search: ParameterSearch,
    pub values: Vec<Assigned>,
    /// Number of the found locals that are parameters and so belong to the label of a step; they come first.
    pub n_params: usize,
}

/// A conjunct of the guard without unknowns.
pub struct Condition {
    pub pred: PredId,
    pub(crate) test: Test,
    pub reads: Vec<VarId>,
}

/// The search for parameters or for the locals of ANY.
pub struct ParameterSearch {
    pub(crate) plan: Plan,
    pub reads: Vec<VarId>,
    /// The locals that matter afterwards, and their slots.
    pub locals: Vec<LocalId>,
    pub(crate) found: Vec<usize>,
}

/// The new value of a variable, or of an output.
pub struct Assigned {
    pub(crate) code: Code,
    pub target: Target,
    pub reads: Vec<VarId>,
    /// Which of the found locals it reads.
    pub locals: Vec<usize>,
}

/// Verdict of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuardVerdict {
    False,
    True,
    /// Ill-defined: if nothing else forbids the step, the plain interpreter decides.
    Doubtful,
}

impl GuardVerdict {
    /// A number for a memo, never 0.
    pub fn number(self) -> u32 {
        self as u32 + 1
    }

    pub fn from_number(number: u32) -> GuardVerdict {
        [GuardVerdict::False, GuardVerdict::True].get(number as usize - 1).copied().unwrap_or(GuardVerdict::Doubtful)
    }
}

impl ParameterSearch {
    /// Number of locals matter afterwards.
    pub fn n_found(&self) -> usize {
        self.found.len()
    }

    /// There is nothing to search for.
    pub fn is_trivial(&self) -> bool {
        self.plan.is_empty()
    }
}
