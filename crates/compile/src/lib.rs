//! Compiled form: formulas and operations as small trees over slots, with a search order fixed in advance.
//!
//! It covers the common case: concrete values, well-defined conditions, searches with an evident order. Everything else ends in a [`Stop`], and the
//! caller asks the plain interpreter instead, which gives the exact answer, errors included. So the compiled form makes no messages, and must
//! never make a wrong value.
//!
//! `code.rs` has the data types, `build.rs` translates the model, `run.rs` evaluates, `program.rs` holds the forms of a whole model, and
//! `fragments.rs` lends compiled parts of formulas to the interpreter. `symmetry.rs` has the symmetry of interchangeable elements.

mod build;
mod code;
mod fragments;
mod order;
mod program;
mod run;
mod success;
mod symmetry;

pub use fragments::CompiledFragments;
pub use order::StepOrder;
pub use program::{Assigned, Condition, GuardVerdict, ParameterSearch, Program, Staged};
pub use run::{Fast, Runtime, StepLocals, StepWrites, Stop, unset};
pub use success::SuccessRate;
pub use symmetry::{FixedSets, Interchangeable, OrbitChoice, Stabiliser, elements};
