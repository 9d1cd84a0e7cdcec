//! The compiled form: formulas and operations as small trees over slots, with the order of searching decided beforehand.
//!
//! It covers what most machines do most of the time: values that are not symbolic, conditions that are well-defined, searches with an
//! evident order. Everything else ends in a [`Stop`], and the caller asks the plain interpreter instead, which gives the exact answer,
//! errors included. So nothing here needs to produce a message, and nothing here may produce a wrong value.
//!
//! `code.rs` has the forms, `build.rs` makes them from the model, `run.rs` runs them, `program.rs` holds those of a whole model, and `fragments.rs` lends them to the
//! plain interpreter part by part. `symmetry.rs` is what both know about interchangeable elements.

mod build;
mod code;
mod fragments;
mod program;
mod run;
mod success;
mod symmetry;

pub use fragments::CompiledFragments;
pub use program::{Assigned, Condition, GuardVerdict, ParameterSearch, Program, Staged};
pub use run::{Chosen, Fast, Runtime, Stop, Written, unset};
pub use success::SuccessRate;
pub use symmetry::{FixedSets, Interchangeable, OrbitChoice, Stabiliser, elements};
