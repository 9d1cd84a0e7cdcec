//! Temporal formulas and their automata.
//!
//! The language is in `formula.rs`, its parser in `parse.rs`. Atoms are opaque here: whoever evaluates B tells the truth of each in a
//! state and on the step that leaves it. The path of a formula of LTL: [`expand`] (no quantifiers, premises apart), `lower.rs` (normal form, past as
//! monitors), `translate.rs` (automaton), `simplify.rs` and `weak.rs` (smaller), [`LinearProperty`] (what an engine needs). [`evaluate`] judges
//! words from the definitions alone; [`emptiness`] looks for violating paths in a graph. CTL is checked on graphs in [`ctl`].

pub mod automaton;
pub mod bdd;
mod components;
pub mod ctl;
mod dot;
pub mod emptiness;
mod expand;
pub mod formula;
mod hoa;
mod idle;
mod lasso;
mod lexer;
mod lower;
mod monitor;
mod normal;
mod parse;
mod prefix;
mod print;
mod product;
mod property;
mod ranks;
mod simplify;
mod stutter;
mod translate;
mod weak;

pub use dot::{dot, guard_texts};
pub use expand::{
    BranchingFormula, Domain, ExpandError, ExpandedFormula, FairnessConstraint, FairnessSubject, NoDomain, expand,
};
pub use hoa::{HoaWords, hoa};
pub use idle::Idle;
pub use lasso::{LassoTruth, evaluate, is_fair};
pub use parse::{TemporalText, parse_ctl, parse_ltl};
pub use prefix::{PrefixVerdict, evaluate_prefix};
pub use product::{Word, accepts, intersect};
pub use property::{Class, LinearProperty, StreettPair, satisfaction};
pub use translate::{Budget, GaveUp};
