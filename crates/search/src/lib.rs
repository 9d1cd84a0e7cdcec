//! Exhaustive exploration of a [`System`](abridge_system::System).
//!
//! [`explore()`] visits every reachable state once, in the order of a [`Strategy`], and reports counts, findings and limits. Breadth-first
//! search (`bfs.rs`) expands the frontier block by block. Large blocks run on a pool of threads (`parallel.rs`, `pool.rs`), and every state
//! gets the number that a single-threaded search gives it. The other strategies (`serial.rs`) expand one state at a time. Breadth-first
//! search can write checkpoints, resume from them, and spill states to files (`disk.rs`). Steps out of the root are consumed while they are
//! being enumerated (`root.rs`). Long searches look ahead by random walks (`scout.rs`). A [`StateGraph`] stores the steps between visited
//! states, on which temporal properties are judged.

mod asleep;
mod batch;
mod bfs;
mod disk;
mod explore;
mod frontier;
mod graph;
mod lazy;
mod parallel;
mod pool;
mod recent;
mod record;
mod root;
mod scout;
mod scratch;
mod serial;

pub use disk::{Checkpoint, Disk, MANIFEST, Refusal};
pub use explore::{Control, DiskUse, Exploration, Progress, SearchConfig, explore, explore_on_disk};
pub use frontier::Strategy;
pub use graph::{GraphReader, StateGraph};
pub use lazy::{Expansion, Lazy};
pub use scout::Scouted;
