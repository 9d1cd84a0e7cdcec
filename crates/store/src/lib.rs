//! The states that were met.
//!
//! [`StateTable`] keeps fixed-width states exactly, gives each a number in the order of arrival, finds them again by content, and
//! remembers from which state each was first reached.

mod table;

pub use table::{Inserted, NO_PARENT, StateTable};
