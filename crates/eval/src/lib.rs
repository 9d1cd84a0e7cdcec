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
mod encode;
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
mod symbolic;
mod val;
mod world;

pub use config::{Config, Unbounded};
pub use env::{Env, Locals, Scope, Slots, State};
pub use error::{Error, ErrorKind, IllDefined, Result};
pub use explicit::{
    Cost, Execution, Executions, Explicit, ExplicitWorker, FIRST_OPERATION, INITIALISATION, INITIALISATION_NAME,
    Measured, Notes, Place, Profile, SETUP, SETUP_NAME, SystemConfig, UNSET, named_values,
};
pub use expr::is_silent_predicate;
pub use interp::{Interp, Session, Warning};
pub use machine::Transition;
pub use marks::Interchangeable;
pub use names::{ModelNames, value_text};
pub use solve::Classes;
pub use subst::{Outcome, Update};
pub use symbolic::{Action, Guard, Symbolic, Truth};
pub use val::{Closure, Partial, Sym, SymNode, Val, val_text};
pub use world::{Facts, Outside, World};
