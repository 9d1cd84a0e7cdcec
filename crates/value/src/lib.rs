//! Finite B values in canonical form.
//!
//! Every value has exactly one encoding, so equality, hash and order are structural. If a value had two encodings, a state could be visited twice. A
//! value takes 16 bytes, is cheap to clone and shares large parts. All values are finite; symbolic sets belong to the evaluator.
//!
//! The crate knows no model: given sets, record types and freetypes are plain numbers, and [`Names`] turns them into
//! text. Start with `value.rs`, then `set.rs`. [`relation`] and [`sequence`] operate on sets of pairs, `intern.rs` gives values ids,
//! `codec.rs` encodes values as bytes.

mod accumulate;
mod bitset;
pub mod bytes;
mod codec;
mod int;
mod intern;
mod notation;
mod print;
mod random;
mod real;
pub mod relation;
mod segments;
pub mod sequence;
mod set;
mod value;
mod weight;

pub use accumulate::{RealSum, real_product};
pub use bitset::BitSet;
pub use codec::{put_value, read_value};
pub use int::{Big, Int};
pub use intern::{Internable, Interner, ValueId};
pub use notation::Notation;
pub use print::{Names, PlainNames, Printer, Shown};
pub use random::Random;
pub use real::Real;
pub use segments::Segments;
pub use set::{Set, SetBuilder, SetIter};
pub use value::{Free, Record, Text, Value};
pub use weight::PAIR_BYTES;
