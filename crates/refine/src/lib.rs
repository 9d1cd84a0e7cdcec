//! Refinement: a pair of machines as one system.
//!
//! A state of a [`Pair`] is a state of the refinement with what its abstraction may have done meanwhile: the *set* of abstract states that
//! the same trace may have reached ([`Notion::Traces`], [`Notion::Failures`]) or one abstract state that the gluing invariant relates to
//! it ([`Notion::Simulation`]). A step of the refinement that the abstraction cannot follow leads to a pair that says which
//! [`Obligation`] failed; inspection finds it. So every engine for systems checks refinement, and the shortest trace to such a pair is
//! the shortest counterexample.
//!
//! `events.rs` says what callers see of a step, `side.rs` lists the steps of one level, `pair.rs` puts two of them together;
//! `traces.rs` and `simulation.rs` have the notions; `values.rs` lets one permutation act on both levels; `saved.rs` makes a comparison
//! one that can be gone on with; `shown.rs` is for people. A step that may be missing is a gap of the pair and neither a failure nor a
//! proof.

mod antichain;
mod directed;
mod events;
mod gluing;
mod models;
mod pair;
mod saved;
mod shown;
mod side;
mod simulation;
mod spec;
mod traces;
mod values;

pub use models::Models;
pub use pair::{HIDDEN, Notion, Obligation, Pair, PairConfig, PairWorker};
pub use shown::{AbstractStep, Candidate, Failed, SideBySide};
