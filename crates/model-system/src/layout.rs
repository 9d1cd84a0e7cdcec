//! Layout of states and numbers of steps, which all systems of models share.
//!
//! Word 0 of a state stands for the constants. Its lowest bit is set once the machine is initialised. Each further word stands for the value of
//! one variable. A system with another layout would get wrong verdicts from every reduction.

use abridge_model::{Model, OpId};

/// Step number of the set-up of constants.
pub const SETUP: u32 = 0;

/// Step number of the initialisation.
pub const INITIALISATION: u32 = 1;

/// Step number of the first operation.
pub const FIRST_OPERATION: u32 = 2;

/// Step number of an operation; `None` if it is no transition.
pub fn step_number(model: &Model, op: OpId) -> Option<u32> {
    model.transitions().position(|(id, _)| id == op).map(|position| position as u32 + FIRST_OPERATION)
}

/// Word of a variable without a value.
pub const UNSET: u32 = u32::MAX;

/// Whether the variables of a state have values, so that operations can follow.
#[inline]
pub fn is_initialised(words: &[u32]) -> bool {
    words[0] & 1 == 1
}
