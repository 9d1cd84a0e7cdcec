//! The symbolic engine.
pub mod bdd;
