//! Reductions of a transition system that keep its verdicts: layers around it that can be taken off.
//!
//! [`symmetry`] identifies states that differ only in the names of interchangeable elements. A selection ([`Selected`]) leaves out steps,
//! since other orders of the same steps lead to whatever is to be found.

mod selection;
pub mod symmetry;

pub use selection::{Analysed, Paths, Por, Rule, Sample, Selected, SelectedWorker, Tally, source_of};
