//! Symmetry inside evaluation.

pub(crate) mod choices;
mod estimate;
pub(crate) mod kinds;
pub(crate) mod marks;
pub(crate) mod twins;
