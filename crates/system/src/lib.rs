//! What engines and models know of each other.
//!
//! A [`System`] offers a root, successors per operation and the properties of single states; engines (`search`) know no B. A state is
//! a vector of 32-bit words of one width per system, so that engines can store, hash and compare it without knowing what it means.
//! What an engine reports is a [`Finding`] or a [`Limit`]; whoever built the system turns state numbers back into something readable.

pub use abridge_value::bytes;

mod finding;
mod system;

pub use finding::{Finding, FindingKind, Limit};
pub use system::{Ahead, Alike, Pause, Properties, Question, Steps, System, Worker};
