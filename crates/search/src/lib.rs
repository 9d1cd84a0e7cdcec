//! Exhaustive exploration of a [`System`](abridge_system::System).
//!
//! [`explore`] visits every reachable state once, in the order of a [`Strategy`], and reports counts, findings and limits. All strategies
//! share one step function; they differ only in which waiting state comes next (`frontier.rs`).

mod explore;
mod frontier;

pub use explore::{Config, Control, Exploration, Progress, explore};
pub use frontier::Strategy;
