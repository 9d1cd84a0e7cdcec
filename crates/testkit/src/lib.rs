//! What the tests of Abridge share: projects that live in memory, and inputs nobody thought of.
//!
//! Start with [`Project`] in `project.rs`. For fuzzing, `fuzz.rs` says what must hold, `mutate.rs`, `generate.rs` and `everything.rs` make inputs;
//! `compare.rs` checks one machine in every way there is; `nesting.rs` nests every construct; `silence.rs` and `limited.rs` measure whether runs keep their limits, `allowance.rs` ends processes that do not. `mistakes.rs` and `models.rs` read the B files that carry their expectations.

pub mod allowance;
mod choices;
pub mod compare;
pub mod everything;
pub mod expectations;
pub mod explosions;
pub mod faulty;
pub mod fuzz;
pub mod generate;
pub mod guarded;
pub mod jugs;
pub mod limited;
pub mod minimise;
pub mod mistakes;
pub mod models;
pub mod mutate;
pub mod nesting;
pub mod pairs;
mod project;
pub mod refinement;
pub mod seeds;
pub mod silence;
pub mod sizes;
pub mod symbolic;
pub mod temporal;

pub use abridge_value::Random;
pub use choices::{Choices, Choose};
pub use project::{FolderFiles, Project, with_formulas};
