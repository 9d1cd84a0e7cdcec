//! State table: the visited states of a search.
//!
//! A [`StateTable`] stores fixed-width states exactly. It numbers them in the order of insertion, finds them by content, and
//! records the parent from which each was first reached. A state is folded into one 64-bit *root*: its words are the leaves of a tree
//! whose inner nodes are quads of ids, and each distinct quad is stored once (`quads.rs`, `fold.rs`; Laarman, van de Pol, Weber,
//! "Parallel recursive state compression for free"). Sharded hash tables with open addressing map roots to numbers (`shard.rs`), or
//! hold them exactly where numbers are not needed (`set.rs`).
//!
//! Thread protocol: reading, folding and unfolding states need `&StateTable` and may happen at any time. The thread that sifts
//! candidates through a shard holds its lock. Appending roots needs `&mut StateTable`. So no mutation is unlocked, and no `unsafe` is
//! needed. A table that loses a state, or identifies two, makes a verdict wrong.

mod filter;
mod fold;
mod parents;
mod quads;
mod roots;
mod runs;
mod saved;
mod set;
mod shard;
mod sift;
mod table;
mod volume;

pub use fold::FoldQueue;
pub use parents::Families;
pub use quads::QuadCache;
pub use saved::{Restoring, SavedLengths, TableParts};
pub use shard::{N_SHARDS, shard_of};
pub use sift::{CandidatePlace, Sift, Sifted};
pub use table::{Inserted, MAX_STATES, NO_PARENT, Order, StateTable};
pub use volume::{Medium, Ram, Volume};
