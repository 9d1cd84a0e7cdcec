//! Layout of states: one word for the constants and whether the machine is initialised, then one word per variable.

use abridge_model::ids::Id as _;
use abridge_model::{IdSet, VarId};

/// Numbers of the steps that are not operations; operation `n` is step `n + FIRST_OPERATION`.
pub const SETUP: u32 = 0;

pub const INITIALISATION: u32 = 1;

pub const FIRST_OPERATION: u32 = 2;

/// The word of a variable without a value.
pub const UNSET: u32 = u32::MAX;

/// Where variables lie in a state, whether anything is to be remembered, and what many choices are.
pub(crate) struct Words {
    /// The word of each variable of the model, if it belongs to states.
    pub(crate) positions: Vec<Option<usize>>,
    pub(crate) n_variables: usize,
    pub(crate) memo: bool,
    pub(crate) labels: bool,
    pub(crate) many_choices: f64,
    /// Tables of what is remembered start small, since there are very many.
    pub(crate) is_frugal: bool,
}

impl Words {
    /// Words of variables of the state in this order, for a model with so many variables. Nothing is remembered.
    pub(crate) fn new(variables: &[VarId], n_declared: usize) -> Words {
        let mut positions = vec![None; n_declared];
        for (word, id) in (1..).zip(variables) {
            positions[id.index()] = Some(word);
        }
        let n_variables = variables.len();
        Words { positions, n_variables, memo: false, labels: false, many_choices: f64::INFINITY, is_frugal: false }
    }

    /// Words of variables, ascending.
    pub(crate) fn of(&self, ids: &IdSet<VarId>) -> Vec<usize> {
        let mut words: Vec<usize> = ids.iter().filter_map(|id| self.position(id)).collect();
        words.sort_unstable();
        words
    }

    pub(crate) fn position(&self, id: VarId) -> Option<usize> {
        self.positions[id.index()]
    }

    /// True if different states can have the same words at these positions.
    pub(crate) fn can_repeat(&self, words: &[usize]) -> bool {
        self.memo && words.len() < self.n_variables
    }
}

/// The key of some positions: the constants first.
#[inline]
pub(crate) fn fill(key: &mut Vec<u32>, words: &[u32], positions: &[usize]) {
    key.clear();
    key.push(words[0] >> 1);
    key.extend(positions.iter().map(|word| words[*word]));
}
