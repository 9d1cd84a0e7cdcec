//! What is encoded, and within which limits.
//!
//! The variables and operations of a [`EncodingSource`] are numbered by their positions; cells and instances refer to them by these numbers.

use abridge_eval::Interp;
use abridge_model::{LocalId, OpId, PredId, VarId};

/// What is encoded.
pub struct EncodingSource<'m> {
    pub interp: &'m Interp<'m>,
    /// The variables of a state, in the order of their cells.
    pub variables: Vec<VarId>,
    pub operations: Vec<OpId>,
    /// For each operation the locals whose values label its steps.
    pub labels: Vec<Vec<LocalId>>,
    /// Functions on states that are no steps, numbered behind the operations. What is assumed about states survives them, too.
    pub functions: Vec<OpId>,
    /// Predicates of states that are asked about beside the properties of the machine.
    pub propositions: Vec<PredId>,
}

impl<'m> EncodingSource<'m> {
    /// All variables and top-level operations of a machine.
    pub fn new(interp: &'m Interp<'m>) -> EncodingSource<'m> {
        let model = interp.model();
        let operations: Vec<OpId> = model.transitions().map(|(op, _)| op).collect();
        EncodingSource {
            interp,
            variables: model.state_variables().map(|(id, _)| id).collect(),
            labels: operations.iter().map(|op| model.label_locals(*op)).collect(),
            operations,
            functions: Vec::new(),
            propositions: Vec::new(),
        }
    }

    /// Operations and functions with the locals that label them, by number.
    pub(crate) fn labelled(&self) -> impl Iterator<Item = (OpId, &[LocalId])> {
        let model = self.interp.model();
        let operations = self.operations.iter().copied().zip(self.labels.iter().map(Vec::as_slice));
        operations.chain(self.functions.iter().map(|op| (*op, &model.operations[*op].params[..])))
    }

    /// The operation or function with a number.
    pub fn operation(&self, number: usize) -> OpId {
        let functions = || self.functions[number - self.operations.len()];
        self.operations.get(number).copied().unwrap_or_else(functions)
    }
}

/// Limits and forms of an encoding.
#[derive(Clone, Debug)]
pub struct EncodingConfig {
    /// Integers with at most this many values are one-hot, others are in binary. Elements of given sets are always one-hot.
    pub max_one_hot: i64,
    /// A bound that the invariant gives is tried even where the type would do.
    pub prefers_invariant: bool,
    /// Integers without bounds may drift: an approximation with a gap of its own.
    pub allows_drift: bool,
    /// Bounds that are not proved are kept, and instances say where they are left.
    pub keeps_unproved: bool,
    /// There is no encoding where no variable has cells: it would say nothing about states.
    pub needs_cells: bool,
    /// Labels of one operation, beyond which it stays whole.
    pub max_labels: usize,
    /// Instances altogether, beyond which there is no encoding.
    pub max_instances: usize,
    pub max_cells_per_variable: usize,
    /// Steps of evaluation for each round of the translation.
    pub fuel: u64,
}

impl Default for EncodingConfig {
    fn default() -> EncodingConfig {
        EncodingConfig {
            max_one_hot: 1,
            prefers_invariant: true,
            allows_drift: false,
            keeps_unproved: false,
            needs_cells: false,
            max_labels: 1024,
            max_instances: 4096,
            max_cells_per_variable: 4096,
            fuel: 30_000_000,
        }
    }
}
