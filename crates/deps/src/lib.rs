//! Dependency analysis: instances of operations that enable, disable or do not commute with others.
//!
//! [`Dependencies`] belong to one valuation of the constants. An operation is taken apart into *instances*, one for each value of its
//! parameters (and of what an ANY chooses), and variables into *cells*: elements of sets, pairs of relations, values of small types. Both come
//! from the encoding of the machine (`abridge_encoding`): the inputs that a literal depends on are what is read,
//! the literals that differ from their inputs are what is written. Where that says too little, a SAT solver is asked about all states
//! at once. What has no circuit counts as a whole, and what is not known counts as dependent.
//!
//! Start with `dependencies.rs`; `build.rs` makes them, `relations.rs` answers questions about pairs, `theory.rs` decides literals,
//! `induction.rs` finds out what holds in all reachable states, `observe.rs` what formulas about paths notice, `answers.rs` keeps answers.

mod answers;
mod build;
mod dependencies;
mod explain;
mod induction;
mod observe;
mod relations;
mod theory;

pub use answers::Answers;
pub use dependencies::{Asked, Dependencies, Depth, EventId, GuardId, Outline, Resources};
pub use explain::{Dependence, Reason};
pub use observe::{Observed, Pattern};
