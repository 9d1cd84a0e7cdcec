//! Systems of models: what checks and reductions see of a B machine that is explored.
//!
//! A [`ModelSystem`] (`model_system.rs`) is a [`Machine`](abridge_system::Machine) that was made from a model. It translates between the words
//! of a state and B values, gives the values behind labels, applies functions on states, and answers questions about formulas by the judge.
//! Checks and reductions are generic over it, so that an evaluator of another kind gets all of them. `execution.rs` lists steps with their
//! values, as the judge finds them. A layer around a system of a model is one itself (`layer.rs`).

mod execution;
mod layer;
mod layout;
mod model_system;

pub use execution::{
    Execution, Executions, INITIALISATION_NAME, Place, SETUP_NAME, executions, named_values, shown_values,
};
pub use layout::{FIRST_OPERATION, INITIALISATION, SETUP, UNSET, is_initialised, step_number};
pub use model_system::{LabelValues, ModelSystem, Transformer, has_scope};
