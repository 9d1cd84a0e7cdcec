//! The meaning of B: the plain interpreter.
//!
//! It evaluates the formulas of a [`abridge_model::Model`] directly and is written to be obviously right: one small function per operator, ordered by
//! family. It is the judge of all faster evaluators.
//!
//! [`Interp`] belongs to a model and is shared; a [`Session`] evaluates, with a budget of steps and a list of warnings. Infinite and large sets stay
//! symbolic ([`Val`]) while an expression is evaluated. Start with `pred.rs` and `expr.rs`, then `subst.rs` and `machine.rs`; `sets.rs` explains
//! symbolic sets. A construct that binds names poses a [`Problem`] to the [`Finder`] of the interpreter (`interp/hooks.rs`).

mod codec;
mod config;
mod constraint;
mod cost;
mod domain;
mod enumeration;
mod expr;
mod formula;
mod free;
mod interp;
mod machine;
mod memory;
mod pred;
mod sets;
mod subst;
mod world;

pub use codec::{put_slots, put_span, put_val, put_warning, read_slots, read_span, read_val, read_warning};
pub use config::{EvalConfig, Unbounded};
pub use cost::Cost;
pub use domain::{
    Closure, Env, Error, ErrorKind, IllDefined, Locals, ModelNames, Notations, Partial, Result, Scope, Slots, State,
    SymbolicNode, SymbolicSet, Update, Val, map_slots, val_text, value_text,
};
pub use enumeration::Enumeration;
pub use expr::{MAX_BITS, cases};
pub use free::{FreeNames, NameCache};
pub use interp::{
    Classes, Constraint, ConstraintKind, Externals, Finder, Fragments, Interp, OpenUnknowns, Operand,
    PrescribedChoices, Problem, Relation, STEPS_PER_STOP_CHECK, Scratch, Session, SolutionFn, Unknown, Warning,
    has_strings, normalise,
};
pub use machine::Transition;
pub use memory::Memory;
pub use sets::{Collector, ElementFn, Size};
pub use subst::UpdateResult;
pub use world::{FileMetadata, Outside, World};
