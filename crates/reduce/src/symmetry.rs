//! Symmetry: states that are permutations of each other are one.
//!
//! `carriers.rs` finds which elements of given sets a model cannot tell apart; they make up the [`Group`]. A [`Quotient`] maps a
//! state to the representative of its class, and [`Quotiented`] makes a system of representatives of any system. The methods differ
//! in how they choose representatives: [`Auto`] by signatures of values, refinement and search (`auto.rs`).
//!
//! Whatever the method, a representative is a permutation of the state it stands for. So a method that fails to identify two
//! symmetric states costs time and never a verdict.

mod auto;
mod cache;
mod carriers;
mod group;
mod permute;
mod quotient;
mod search;
mod term;

pub use auto::Auto;
pub use carriers::{Carrier, Reason, Symmetry, symmetry_of};
pub use group::{Block, Group, Permutation};
pub use permute::permute_value;
pub use quotient::{Canonizer, Quotient, Quotiented};

/// How representatives are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Method {
    /// Every state stands for itself.
    #[default]
    Off,
    Auto,
}

impl Method {
    /// The name under which users know it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Off => "off",
            Method::Auto => "auto",
        }
    }
}
