//! Semantic domains: results of expressions, environments, and errors of evaluation.
//!
//! The three are one module because they contain each other: a symbolic set ([`SymbolicSet`]) keeps the scope of its formula, a scope ([`Scope`])
//! keeps values, and an [`Error`] shows the values that caused it. Nothing here evaluates.

mod env;
mod error;
mod map;
mod names;
mod notation;
mod text;
mod update;
mod val;

pub use env::{Env, Locals, Scope, Slots, State};
pub use error::{Error, ErrorKind, IllDefined, Result};
pub use map::map_slots;
pub use names::{ModelNames, value_text};
pub use notation::Notations;
pub use text::val_text;
pub use update::Update;
pub use val::{Closure, Partial, SymbolicNode, SymbolicSet, Val};
