//! Canonizers: reductions that users define and the tool checks.
//!
//! After Lluch Lafuente, Meseguer and Vandin, "State Space c-Reductions of Concurrent Systems in Rewriting Logic". A canonizer maps each state
//! to a state that is equivalent to it, and the search applies it after each step (Definition 7). The equivalence is the one that the functions of the
//! reduction generate: a state is equivalent to its images. If it is a bisimulation that preserves the properties of the run, verdicts stay as they are
//! (Theorem 1). Nobody is believed that it is one: [`prove`] asks a SAT solver about all states, [`sample`] looks at the first states of the machine, and
//! [`compare_all`] at all of them. A reduction that is neither proved nor compared with the whole state space must never end in `Holds`.
//!
//! `plan.rs` has what a run applies, `represent.rs` applies it, `order.rs` compares the states of an orbit, `cycles.rs` those of rotations, `proof.rs`, `sample.rs` and `exhaustive.rs` check.

mod cycles;
mod exhaustive;
mod order;
mod plan;
mod proof;
mod represent;
mod sample;

pub use exhaustive::{ExhaustiveComparison, compare_all};
pub use plan::{CanonizerStrategy, ChosenReduction, PartKind, PlannedReduction, ReductionPlan};
pub use proof::{ReductionProof, prove};
pub use represent::{Canonized, CanonizedWorker, PartSample, Trouble, TroubleKind};
pub use sample::{Refutation, Sampled, ToldApart, accompany, sample};
