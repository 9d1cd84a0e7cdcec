//! Symmetry inside evaluation: interchangeable elements, stabilisers and orbits of values.
//!
//! The text of a model cannot distinguish the elements of a block ([`Interchangeable`]). The permutations within blocks that leave given values
//! unchanged form the stabiliser of these values ([`Stabiliser`]). Its orbits consist of symmetric values, and one representative of each orbit is
//! enough. `signature.rs` compares elements by their occurrences in values. `stabiliser.rs` keeps the group, canonises values, computes sizes of
//! orbits, and lists representatives of subsets, functions and sequences. `estimate.rs` estimates numbers of choices from types. A group that is
//! too small costs time; one that is too large loses states, so every doubt makes it smaller.

mod estimate;
mod signature;
mod stabiliser;

pub use estimate::OrbitChoice;
pub(crate) use signature::Occurrences;
pub use signature::{Interchangeable, elements};
pub use stabiliser::FixedSets;
pub use stabiliser::Stabiliser;
