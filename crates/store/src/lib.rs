//! The states that were met.
//!
//! [`StateTable`] keeps fixed-width states exactly, gives each a number in the order of arrival, finds them again by content, and
//! knows from which state each was first reached. A state is folded into one 64-bit *root*: its words are the leaves of a binary
//! tree whose inner nodes are pairs of ids, each different pair kept once (`pairs.rs`, `shape.rs`; Laarman, van de Pol, Weber,
//! "Parallel recursive state compression for free"). Numbers are found from roots through shards of open addressing (`shard.rs`).
//!
//! Protocol for several threads: reading states, folding and unfolding need `&StateTable` and may happen at any time; each shard is
//! locked by the thread that sifts candidates through it; appending roots needs `&mut StateTable`. So there is no unlocked
//! mutation and no `unsafe`.

mod filter;
mod pairs;
mod parents;
mod roots;
mod runs;
mod saved;
mod shape;
mod shard;
mod table;
mod volume;

pub use pairs::PairCache;
pub use saved::{Marks, Parts, Restoring};
pub use shard::{N_SHARDS, Sift, shard_of};
pub use table::{Inserted, MAX_STATES, NO_PARENT, Order, StateTable};
pub use volume::{Medium, Ram, Volume};
