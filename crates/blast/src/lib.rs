//! Finite B values as boolean circuits.
//!
//! A value that is not known is a [`Sym`]: for each value that it can be, or each element that it can have, a literal of
//! a [`Circuit`] that says when it does. Operators of B become gates. What cannot be expressed is [`Unsupported`], and whoever asked goes another way.
//! [`Solver`] decides circuits.
//!
//! Knows no model: formulas are translated by whoever has them.

mod bits;
mod circuit;
mod compose;
mod count;
mod fold;
mod relation;
mod sat;
mod set;
mod shape;
mod sym;

pub use bits::Bits;
pub use circuit::{Circuit, Lit};
pub use compose::{Evaluation, Formulas, Mark, Replaced};
pub use fold::{Algebra, GateView};
pub use relation::Side;
pub use sat::{Answer, Found, Next, Solver};
pub use sym::{Blast, Choice, Entry, MAX_ONE_HOT, Members, Sym, Unsupported};

/// What answers about circuits follow from; whoever keeps answers for a later version of the program keeps this with them.
pub const SOURCES: [&str; 2] = [include_str!("compose.rs"), include_str!("sat.rs")];
