//! The explicit-state system of a B machine.
//!
//! A state is a vector of value ids (`layout.rs`), whose values are numbered per variable ([`Explicit`], `system.rs`). The outcomes of an operation depend only on the
//! variables it reads, so they are remembered under the ids of those (`operation.rs`, `memo.rs`); the same for conjuncts of the invariant (`conjunct.rs`). The tables are shared by
//! all workers; a worker (`worker.rs`) asks them first, then the compiled form, then the interpreter. `execution.rs` finds steps again with the plain interpreter, the
//! judge, and `shown.rs` names them for users.

mod calls;
mod condition;
mod conjunct;
mod execution;
mod explain;
mod layout;
mod lists;
mod memo;
mod operation;
mod order;
mod plausible;
mod profile;
mod saved;
mod shown;
mod system;
mod worker;

pub use calls::{Called, Evaluator, Truth};
pub use execution::{Execution, Executions, INITIALISATION_NAME, Place, SETUP_NAME, named_values};
pub use layout::{FIRST_OPERATION, INITIALISATION, SETUP, UNSET};
pub use profile::{Measured, Profile, Usage};
pub use system::{Explicit, Notes, SystemConfig, interpreter, judge};
pub use worker::{ExplicitWorker, LabelValues, Transformer};
