//! Layout of states: one word for the constants and whether the machine is initialised, then one word per variable.

use abridge_model::{IdSet, VarId};

/// Numbers of the steps that are not operations; operation `n` is step `n + FIRST_OPERATION`.
pub const SETUP: u32 = 0;

pub const INITIALISATION: u32 = 1;

pub const FIRST_OPERATION: u32 = 2;

/// The word of a variable without a value.
pub const UNSET: u32 = u32::MAX;

/// Where variables lie in a state, whether anything is to be remembered, and what many choices are.
pub(crate) struct Words<'a> {
    pub(crate) variables: &'a [VarId],
    pub(crate) memo: bool,
    pub(crate) labels: bool,
    pub(crate) many_choices: f64,
}

impl Words<'_> {
    pub(crate) fn of(&self, set: &IdSet<VarId>) -> Vec<usize> {
        self.of_those(|id| set.contains(id))
    }

    pub(crate) fn of_those(&self, is_meant: impl Fn(VarId) -> bool) -> Vec<usize> {
        (0..self.variables.len()).filter(|idx| is_meant(self.variables[*idx])).map(|idx| idx + 1).collect()
    }

    pub(crate) fn position(&self, id: VarId) -> Option<usize> {
        self.variables.iter().position(|other| *other == id).map(|idx| idx + 1)
    }

    /// True if different states can have the same words at these positions.
    pub(crate) fn can_repeat(&self, words: &[usize]) -> bool {
        self.memo && words.len() < self.variables.len()
    }
}

/// The key of some positions: the constants first.
#[inline]
pub(crate) fn fill(key: &mut Vec<u32>, words: &[u32], positions: &[usize]) {
    key.clear();
    key.push(words[0] >> 1);
    key.extend(positions.iter().map(|word| words[*word]));
}
