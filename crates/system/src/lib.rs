//! Interface between engines and transition systems.
//!
//! A [`System`] offers a root, the steps out of a state, and properties of single states. Engines (`search`) know no B: a state is a vector of
//! 32-bit words, of one width per system, which engines store, hash and compare without knowing its meaning. Workers append [`Steps`] and
//! return their [`Completeness`], which must be consumed: a missing step becomes a [`Limit`], wherever it was lost. Wrappers are [`Layer`]s, and [`MachineLayer`]s if they can be read like what is inside;
//! stateless systems are [`Rules`]; [`AnySystem`] hides the type of a system. An engine reports a [`Finding`] or a [`Limit`]; a [`Machine`] turns states and findings into text.

mod erased;
mod finding;
mod layer;
mod machine;
mod machine_layer;
mod rules;
mod steps;
mod system;

pub use erased::{AnySystem, AnyWorker};
pub use finding::{Finding, FindingKind, Limit};
pub use layer::{Layer, WorkerLayer};
pub use machine::{Explanation, Failure, Listing, Machine, Move, Named, Part, Reason, Remarks};
pub use machine_layer::MachineLayer;
pub use rules::{RuleWorker, Rules};
pub use steps::{Completeness, Gap, LabelId, Marks, NOT_STORED, Step, Steps};
pub use system::{Ahead, Alike, Origin, Pause, Properties, Question, System, Worker, go_on};
