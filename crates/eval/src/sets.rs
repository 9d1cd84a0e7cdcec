//! Sets that may be symbolic: how large they are, what is in them, what they contain element by element, how they compare.
//!
//! An operator applied to values gives a value at once; as soon as an operand is symbolic, the operator itself becomes a symbolic set
//! ([`crate::domain::SymbolicSet`]), and the questions asked about it are passed on to its operands:
//!
//! - `size.rs`: bounds on the number of elements, exact cardinalities;
//! - `member.rs`: is it in;
//! - `images.rs`: what a relation maps a value to, hence application, image, domain tests;
//! - `iterate.rs`: all elements, one after the other or as a value (`collect.rs`);
//! - `arrows.rs`: sets of relations, functions and sequences;
//! - `compare.rs`: equality and inclusion;
//! - `cut.rs`: finite parts of infinite sets, where an incomplete search is better than none;
//! - `derive.rs`: domain, range and inverse by the form of the operand.

mod arrows;
mod collect;
mod compare;
mod cut;
mod derive;
mod images;
mod iterate;
mod member;
mod size;

pub use collect::Collector;
pub use iterate::Visit;
pub use size::Size;
