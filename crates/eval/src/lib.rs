//! What B means: the plain interpreter.
//!
//! It walks the formulas of a [`abridge_model::Model`] and is written to be obviously right: one small function per operator, ordered by family.
//! Faster evaluators are measured against it.
//!
//! [`Interp`] belongs to a model and is shared; a [`Session`] evaluates, with a budget of steps and a list of warnings. Sets
//! that are infinite or large stay symbolic ([`Val`]) while an expression is evaluated. Start with `pred.rs` and `expr.rs`, then
//! `subst.rs` and `machine.rs`; `sets.rs` explains symbolic sets, `solve.rs` how values are found.

mod codec;
mod compiled;
mod config;
pub mod encode;
mod env;
mod error;
mod explicit;
mod expr;
mod formula;
mod free;
mod interp;
mod kinds;
mod leaves;
mod machine;
mod marks;
mod names;
mod pred;
mod sets;
mod solve;
mod subst;
mod val;
mod world;

pub use config::{Config, Unbounded};
pub use env::{Env, Locals, Scope, Slots, State};
pub use error::{Error, ErrorKind, IllDefined, Result};
pub use explicit::{
    Cost, Explicit, ExplicitWorker, FIRST_OPERATION, Failure, INITIALISATION, LabelledStep, Measured, NO_LABEL, Notes,
    Profile, SETUP, SystemConfig, UNSET,
};
pub use expr::is_silent_predicate;
pub use free::{FreeNames, NameCache};
pub use interp::{Interp, Session, Warning};
pub use machine::Transition;
pub use marks::Interchangeable;
pub use names::{ModelNames, value_text};
pub use solve::Classes;
pub use subst::{Outcome, Update};
pub use val::{Closure, Partial, SymbolicNode, SymbolicSet, Val, val_text};
pub use world::{Facts, Outside, World};
