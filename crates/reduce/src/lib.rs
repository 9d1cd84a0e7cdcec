//! Reductions of a transition system that keep its verdicts: layers that can be taken off.
//!
//! [`symmetry`] identifies states that differ only in the names of interchangeable elements.

pub mod symmetry;
