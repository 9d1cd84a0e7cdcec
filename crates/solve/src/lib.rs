//! The solver: all solutions of a conjunction with unknowns.
//!
//! [`Solver`] is the [`Finder`](abridge_eval::Finder) of every interpreter that has to answer in reasonable time. `search/` binds unknowns one after the
//! other, from what constraints say about them; `encode/` translates formulas into circuits, for problems with many candidates and for whoever
//! reasons about all states at once. Start with `search.rs`. A solution that is missing makes verdicts wrong, so whatever cuts the search must either prove that
//! nothing was cut or warn.

pub mod encode;
mod search;

pub use search::Solver;
