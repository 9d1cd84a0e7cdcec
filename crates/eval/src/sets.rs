//! Operations on sets that may be symbolic: size, membership, images, enumeration, comparison.
//!
//! An operator on concrete values gives a value at once. If an operand is symbolic, the application itself becomes a symbolic set
//! ([`crate::domain::SymbolicSet`]), and questions about it are passed on to its operands:
//!
//! - `size.rs`: bounds on the number of elements, exact cardinalities;
//! - `member.rs`: membership;
//! - `images.rs`: images of a value under a relation, hence application, image, domain tests;
//! - `iterate.rs`: enumeration of elements, one by one or as a value (`collect.rs`);
//! - `arrows.rs`: sets of relations, functions and sequences;
//! - `compare.rs`: equality and inclusion;
//! - `cut.rs`: finite subsets of infinite sets, if an incomplete search is better than none;
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
pub use iterate::ElementFn;
pub use size::Size;
