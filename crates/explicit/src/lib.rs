//! Explicit-state system of a B machine.
//!
//! A state is a vector of value ids (`layout.rs`); each variable has its own table of values ([`Explicit`], `system.rs`). The outcomes of an
//! operation depend only on the variables that it reads. Memos keep outcomes under the ids of those variables (`operation.rs`, `memo.rs`), and
//! truth values of conjuncts of the invariant likewise (`conjunct.rs`). All workers share the memos. A worker (`worker.rs`) asks the memos
//! first, then the compiled form, then the interpreter. `between.rs` finds steps again with the plain interpreter, the judge, and `shown.rs`
//! names them for users. A memo whose key misses a variable that is read makes verdicts wrong.

mod between;
mod calls;
mod condition;
mod conjunct;
mod explain;
mod layout;
mod lists;
mod memo;
mod model_system;
mod operation;
mod order;
mod plausible;
mod profile;
mod saved;
mod shown;
mod system;
mod table;
mod worker;

pub use abridge_compile::StepOrder;
pub use calls::{Called, ConditionTruth, InterpreterChoice};
pub use conjunct::ProvedConjuncts;
pub use explain::why_false;
pub use profile::{Measured, Profile, Usage};
pub use system::{Explicit, Notes, SystemConfig, interpreter, judge};
pub use worker::{ExplicitTransformer, ExplicitWorker};
