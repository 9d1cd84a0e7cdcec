//! The symbolic engine: sets of states as binary decision diagrams.
//!
//! A [`Space`] is a machine under one valuation of the constants (`space.rs`): circuits of the encoding, folded into the diagrams of `bdd.rs`, and relations
//! learnt from the evaluator where there is no exact circuit (`learn.rs`). `reach.rs` computes the reachable states and what is found in them, `path.rs`
//! shortest paths to findings, `backward.rs` searches from properties that fail to the initial states, `ctl.rs` judges formulas of branching time, `within.rs` evaluates large
//! properties, `order.rs` has the static order of cells, `constant.rs` those without a choice, `layout.rs` the bits of states. `symmetry.rs` reduces to
//! representatives of orbits inside the fixpoint, `canonize.rs` by functions that users define. Results are exact or come with the reason why not: a
//! state that is missing without a reason would make a verdict wrong.

mod backward;
pub mod bdd;
mod canonize;
mod constant;
mod ctl;
mod layout;
mod learn;
mod order;
mod path;
mod patterns;
mod reach;
mod space;
mod symmetry;
mod within;

pub use backward::{Direction, Traced};
pub use bdd::BddStop;
pub use canonize::Reduction;
pub use ctl::{CtlVerdict, Matching, NoVerdict, StateAtom, Witness};
pub use patterns::{NoProof, PatternProof, prove};
pub use reach::{AskedFindings, FixpointProgress, FixpointWatch, ReachedStates, SymbolicFinding};
pub use space::{Distrust, ExactParts, Halt, Space, SymbolicOptions};
pub use symmetry::{ElementBitOrder, ElementRenaming, PermutationClass, Representatives};

/// Stack of the engine: operations on diagrams recurse once for each level.
const STACK_BYTES: usize = 256 << 20;

/// Runs a function with enough stack for operations on diagrams.
pub fn with_engine_stack<R>(run: impl FnOnce() -> R) -> R {
    stacker::grow(STACK_BYTES, run)
}
