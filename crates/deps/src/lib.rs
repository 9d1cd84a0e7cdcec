//! Dependency analysis: instances of operations that enable, disable or do not commute with others.
//!
//! [`Dependencies`] belong to one valuation of the constants. An operation is split into *instances*, one for each value of its parameters (and of
//! the locals of an ANY), and variables into *cells*: elements of sets, pairs of relations, values of small types. Both come from the encoding of
//! the machine (`abridge_encoding`). An instance reads the inputs that its literals depend on, and writes the cells whose literals differ from
//! their inputs. If that is too coarse, a SAT solver is asked about all states at once. A formula without a circuit depends on all that it reads,
//! and an unknown answer counts as dependent.
//!
//! Start with `dependencies.rs`; `build.rs` constructs them, `relations.rs` answers questions about pairs, `theory.rs` decides literals,
//! `induction.rs` proves invariants of the reachable states, `observe.rs` finds the instances that formulas about paths notice, `answers.rs` caches
//! answers.

mod answers;
mod build;
mod dependencies;
mod explain;
mod induction;
mod observe;
mod relations;
mod theory;

pub use answers::Answers;
pub use dependencies::{AnalysisDepth, AskedErrors, Dependencies, EventId, GuardId, Outline, Resources};
pub use explain::{Dependence, DependenceReason};
pub use observe::{Observed, ObservedOperation};
