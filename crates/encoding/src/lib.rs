//! One encoding of states, steps and properties of a machine as boolean circuits, for one valuation of the constants.
//!
//! A state is made of [`Cells`], bits with a meaning in B. Every operation becomes [`Instance`]s, one for each value of its parameters: a
//! condition under which it happens, a condition under which it is an error, and new literals of the cells that it writes. Initial
//! states, conjuncts of the invariant, assertions and the goal are circuits over the same cells. Five engines stand on this: dependency analysis, BDDs,
//! proofs about canonizers, the sliced evaluator and bounded model checking.
//!
//! What has no exact circuit is a [`CircuitGap`] with its reason, never an approximation. Bounds of variables are proved, never believed.
//!
//! Start with `encoding.rs`; `cells.rs` converts states, `bounds.rs` proves bounds, `actions.rs` translates substitutions, `initial.rs` has the initial
//! states, `gap.rs` the reasons.

mod actions;
mod bounds;
mod cells;
mod encoding;
mod gap;
mod initial;
mod prover;
mod source;

pub use abridge_solve::encode::{ChoiceKind, ChoicePoint, TruthPair};
pub use bounds::{DRIFT_RANGE, MAX_DRIFT};
pub use cells::{CellId, Cells};
pub use encoding::{Encoding, ErrorCondition, Instance, PropertyKind, StateProperty};
pub use gap::{Cause, CircuitGap, GapSubject};
pub use initial::Initial;
pub use prover::{Prover, SatProver};
pub use source::{EncodingConfig, EncodingSource};

/// What encodings follow from; whoever keeps answers about them for a later version of the program keeps this with them.
pub const SOURCES: [&str; 6] = [
    include_str!("actions.rs"),
    include_str!("bounds.rs"),
    include_str!("cells.rs"),
    include_str!("encoding.rs"),
    include_str!("initial.rs"),
    include_str!("source.rs"),
];
