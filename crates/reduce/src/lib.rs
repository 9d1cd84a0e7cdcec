//! Reductions of the state space: layers around a system that can be taken off.
//!
//! A selection ([`Selected`]) leaves out steps, since other orders of the same steps lead to whatever is to be found.

mod selection;

pub use selection::{Por, Rule, Sample, Selected, SelectedWorker, Tally};
