//! Vocabulary of engines and models.
//!
//! A [`System`] offers a root, successors per operation and the properties of single states; engines (`search`) know no B. A state is
//! a vector of 32-bit words of one width per system, so that engines can store, hash and compare it without knowing what it means.
//! Workers append [`Steps`] and return their [`Completeness`], which must be consumed: a step that is missing is a [`Limit`], wherever
//! it got lost. Wrappers are [`Layer`]s; systems without memory are [`Rules`]. An engine reports a [`Finding`] or a [`Limit`]; a [`Machine`] turns states and findings into
//! something that people can read.

mod finding;
mod layer;
mod machine;
mod rules;
mod steps;
mod system;

pub use finding::{Finding, FindingKind, Limit};
pub use layer::{Layer, WorkerLayer};
pub use machine::{Explanation, Failure, Listing, Machine, Move, Named, Part, Remarks};
pub use rules::{RuleWorker, Rules};
pub use steps::{Completeness, Gap, LabelId, Marks, Step, Steps};
pub use system::{Ahead, Alike, Origin, Pause, Properties, Question, System, Worker, go_on};
