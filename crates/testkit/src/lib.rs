//! What the tests of Abridge share: projects that live in memory.
//!
//! Start with [`Project`] in `project.rs`.

mod project;

pub use project::{Project, dedent};
