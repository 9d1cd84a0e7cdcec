//! Boolean circuits for unknown finite B values, in the style of Kodkod.
//!
//! An unknown value is a [`CircuitValue`]: one literal of a [`Circuit`] per possible value, or per possible element. Operators of B become gates. An
//! operator without a circuit is [`Unsupported`]; the caller then evaluates in another way. [`SatSolver`] decides satisfiability.
//!
//! The crate knows no model; its users translate formulas. A circuit must be exact: verdicts rest on "unsatisfiable".

mod align;
mod bits;
mod circuit;
mod clauses;
mod compose;
mod count;
mod fold;
mod relation;
mod sat;
mod set;
mod value;

pub use bits::Bits;
pub use circuit::{Circuit, Lit};
pub use compose::{Evaluation, Formulas, Replaced, Savepoint};
pub use fold::{Algebra, GateView};
pub use relation::Side;
pub use sat::{Next, SatAnswer, SatSolutionFn, SatSolver};
pub use value::{Blast, Choice, CircuitValue, Entry, MAX_ONE_HOT, Members, Unsupported};

/// Source files that determine answers about circuits. Caches of answers include them in their keys.
pub const SOURCES: [&str; 2] = [include_str!("compose.rs"), include_str!("sat.rs")];
