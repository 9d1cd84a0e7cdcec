//! Reductions of a transition system that keep its verdicts: layers around it that can be taken off.
//!
//! [`canonizer`] maps states to representatives by functions that users define. [`symmetry`] identifies states that differ only in the names of interchangeable elements. A selection ([`Selected`]) leaves out steps:
//! other orders of the same steps lead to the same findings.

pub mod canonizer;
mod selection;
pub mod symmetry;

pub use selection::{Analysed, Paths, Por, Sample, Selected, SelectedWorker, SelectionRule, SelectionTally, source_of};
