//! Temporal formulas and their automata.
//!
//! The language is in `formula.rs`, its parser in `parse.rs`. Atoms are opaque here: whoever evaluates B tells the truth of each in a
//! state and on the step that leaves it.

pub mod automaton;
pub mod bdd;
mod components;
mod expand;
pub mod formula;
mod lexer;
mod lower;
mod monitor;
mod normal;
mod parse;
mod print;
mod product;
mod simplify;
mod translate;

pub use expand::{Constraint, Domain, ExpandError, Expanded, Fair, NoDomain, expand};
pub use parse::{Source, parse_ctl, parse_ltl};
pub use product::{Word, accepts};
pub use translate::{Budget, GaveUp};
