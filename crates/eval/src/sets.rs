//! Sets that may be symbolic: how large they are, what is in them, what they contain element by element, how they compare.
//!
//! An operator applied to values gives a value at once; as soon as an operand is symbolic, the operator itself becomes a symbolic set
//! ([`crate::val::SymbolicSet`]), and the questions asked about it are passed on to its operands:
//!
//! - `size.rs`: bounds on the number of elements, exact cardinalities;
//! - `member.rs`: is it in;
//! - `images.rs`: what a relation maps a value to, hence application, image, domain tests;
//! - `iterate.rs`: all elements, one after the other or as a value;
//! - `arrows.rs`: sets of relations, functions and sequences;
//! - `compare.rs`: equality and inclusion;
//! - `derive.rs`: domain, range and inverse by the form of the operand.

mod arrows;
mod compare;
mod derive;
mod images;
mod iterate;
mod member;
mod size;

pub(crate) use iterate::Visit;
pub(crate) use size::Size;
