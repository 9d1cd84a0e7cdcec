//! Solver: enumerates all solutions of a conjunction with unknowns.
//!
//! [`Solver`] is the [`Finder`](abridge_eval::Finder) of every interpreter that has to answer in reasonable time. `search/` is a backtracking
//! search that binds one unknown after the other, guided by the constraints. `encode/` translates formulas into circuits, for problems with many
//! candidates and for symbolic engines. Start with `search.rs`. A missing solution makes verdicts wrong, so every cut of the search must either
//! be proved empty or be warned of.

pub mod encode;
mod search;

pub use search::Solver;
