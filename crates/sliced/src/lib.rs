//! Sliced evaluation: circuits of a machine, evaluated for up to 512 states at once.
//!
//! Under one valuation of the constants, every instance of an operation is a few circuits over the cells of a state (`encoding`). A gate program
//! (`program.rs`) evaluates all gates one after the other, each for a whole block of states: one bit of a machine word for each state (`lanes.rs`). So the price
//! of interpreting a gate is paid once per block, without branches and without cache misses. [`Sliced`] (`system.rs`) is a layer around the
//! explicit system with the same states; `compiled.rs` says what has circuits, `block.rs` loads states, `values.rs` turns ids of values into bits and new bits into
//! ids, `worker.rs` answers, and `trial.rs` decides when circuits pay. `independence.rs` says which steps lead to the same state in both orders, so that the search takes
//! them in one order only.
//!
//! What has no exact circuit, and every state in which something is ill-defined, is left to the explicit system. An inexact circuit would make a verdict wrong.

mod block;
mod compiled;
mod independence;
mod lanes;
mod outcomes;
mod program;
mod proofs;
mod system;
mod trial;
mod values;
mod worker;

pub use lanes::MAX_BLOCK_STATES;
pub use system::{CircuitUsage, Evaluator, Sliced};
pub use worker::SlicedWorker;
