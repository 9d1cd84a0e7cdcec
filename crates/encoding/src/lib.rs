//! States, steps and properties of a machine as boolean circuits, for one valuation of the constants.

mod actions;

pub use abridge_solve::encode::Truth;
pub use actions::{Action, Guard, Translator};
