//! B values: what a variable, a constant or a set element can be.
//!
//! Every value has one canonical form, so that equality, hash and order are structural: equal values have equal encodings, and
//! equal encodings are equal values. Values are 16 bytes, cheap to clone, and share what is large. Nothing here is infinite;
//! sets that are not enumerated live in the evaluator.
//!
//! The crate knows no model: given sets, record types and freetypes are plain numbers, and [`Names`] turns them into
//! text. Start with `value.rs`, then `set.rs`; [`relation`] and [`sequence`] read sets of pairs; `intern.rs` gives values ids;
//! `codec.rs` writes them into files.

mod bitset;
pub mod bytes;
mod codec;
mod int;
mod intern;
mod print;
mod random;
mod real;
pub mod relation;
pub mod sequence;
mod set;
mod share;
mod value;
mod weight;

pub use bitset::BitSet;
pub use codec::{put_value, read_value};
pub use int::{Big, Int};
pub use intern::{Internable, Interner, ValueId};
pub use print::{Names, PlainNames, Printer, Shown};
pub use random::Random;
pub use real::Real;
pub use set::{Builder, Set, SetIter};
pub use share::PartPool;
pub use value::{Free, Record, Text, Value};
