//! Exhaustive exploration of a [`System`](abridge_system::System).
//!
//! [`explore`] visits every reachable state once, in the order of a [`Strategy`], and reports counts, findings and limits.
//! Breadth-first search (`bfs.rs`) goes by blocks of waiting states and uses many threads (`parallel.rs`, `pool.rs`) where a block is
//! large; it gives every state the number that a search with one thread gives it. The other strategies (`serial.rs`) take one
//! state after the other. Breadth-first search can save itself and go on later, and keep states in files (`disk.rs`). What leaves the root is taken
//! while it is being found (`root.rs`), and long searches look ahead now and then (`scout.rs`). A [`StateGraph`] keeps the steps that temporal properties
//! are about.

mod batch;
mod bfs;
mod disk;
mod explore;
mod frontier;
mod graph;
mod lazy;
mod parallel;
mod pool;
mod record;
mod root;
mod scout;
mod scratch;
mod serial;

pub use disk::{Checkpoint, Disk, MANIFEST, Refusal};
pub use explore::{Config, Control, DiskUse, Exploration, Progress, explore, explore_on_disk};
pub use frontier::Strategy;
pub use graph::{GraphReader, StateGraph};
pub use lazy::{Expansion, Lazy};
pub use scout::Scouted;
