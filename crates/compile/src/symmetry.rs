//! Symmetry inside evaluation: which elements of given sets can be exchanged, and what follows for values.
//!
//! The text of a model cannot tell apart the elements of a block ([`Interchangeable`]). Of these permutations, those that leave the values at hand as they are form
//! the stabiliser of these values ([`Stabiliser`]); values that it maps to each other are an orbit, and one representative of each orbit is enough. `signature.rs` compares
//! elements by how they occur in values, `stabiliser.rs` keeps the group, the canonical form of values under it and the sizes of orbits, and lists orbit representatives
//! of subsets, functions and sequences; `estimate.rs` reads types. A group that is too small costs time; one that is too large would lose
//! states, so every doubt makes it smaller.

mod estimate;
mod signature;
mod stabiliser;

pub use estimate::OrbitChoice;
pub(crate) use signature::Occurrences;
pub use signature::{Interchangeable, elements};
pub use stabiliser::FixedSets;
pub use stabiliser::Stabiliser;
