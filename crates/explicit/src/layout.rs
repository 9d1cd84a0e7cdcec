//! Layout of states: one word for the constants and the flag "initialised", then one word per variable.

use abridge_model::ids::Id as _;
use abridge_model::{IdSet, VarId};

/// Positions of variables in a state, and the options that memos are made with.
pub(crate) struct WordLayout {
    /// Position of each variable of the model, if it belongs to states.
    pub(crate) positions: Vec<Option<usize>>,
    pub(crate) n_variables: usize,
    pub(crate) memo: bool,
    pub(crate) labels: bool,
    pub(crate) many_choices: f64,
    /// Memo tables start small, since there are very many.
    pub(crate) is_frugal: bool,
}

impl WordLayout {
    /// Layout of states with these variables in order, for a model with `n_declared` variables. Memos are off.
    pub(crate) fn new(variables: &[VarId], n_declared: usize) -> WordLayout {
        let mut positions = vec![None; n_declared];
        for (word, id) in (1..).zip(variables) {
            positions[id.index()] = Some(word);
        }
        let n_variables = variables.len();
        WordLayout { positions, n_variables, memo: false, labels: false, many_choices: f64::INFINITY, is_frugal: false }
    }

    /// Positions of variables, ascending.
    pub(crate) fn of(&self, ids: &IdSet<VarId>) -> Vec<usize> {
        let mut words: Vec<usize> = ids.iter().filter_map(|id| self.position(id)).collect();
        words.sort_unstable();
        words
    }

    pub(crate) fn position(&self, id: VarId) -> Option<usize> {
        self.positions[id.index()]
    }

    /// Whether a memo over these positions can be hit: memos are on, and different states can agree there.
    pub(crate) fn can_repeat(&self, words: &[usize]) -> bool {
        self.memo && words.len() < self.n_variables
    }
}

/// Fills a memo key: the constants, then the words at the given positions.
#[inline]
pub(crate) fn fill(key: &mut Vec<u32>, words: &[u32], positions: &[usize]) {
    key.clear();
    key.push(words[0] >> 1);
    key.extend(positions.iter().map(|word| words[*word]));
}
