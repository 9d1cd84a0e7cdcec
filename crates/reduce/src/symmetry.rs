//! Symmetry: states that are permutations of each other are one.
//!
//! `carriers.rs` finds which elements of given sets a model cannot tell apart; they make up the [`Group`]. A [`Quotient`] maps a
//! state to the representative of its class, and [`Quotiented`] makes a system of representatives of any system. The methods differ
//! in how they choose representatives: [`Auto`] by signatures of values, refinement and search; [`Canon`] by canonical labelling of
//! graphs; [`Flood`] by enumerating classes; [`Marker`] takes the first state with a marker and is approximate.
//!
//! Whatever the method, a representative is a permutation of the state it stands for. So a method that fails to identify two
//! symmetric states costs time and never a verdict.

mod auto;
mod cache;
mod canon;
mod carriers;
mod classes;
mod flood;
mod graph;
mod group;
mod known;
mod label;
mod layers;
mod marker;
#[cfg(feature = "nauty")]
mod nauty;
mod permute;
mod quotient;
mod search;
mod states;
mod term;

pub use auto::{Auto, AutoCanonizer, canonical_permutation};
pub use canon::{Canon, Labelling, OwnLabelling, graph_permutation};
pub use carriers::{AsymmetryReason, Carrier, SYMMETRIC_EXTERNALS, Symmetry, symmetry_of};
pub use classes::TupleClasses;
pub use flood::{Flood, FloodCanonizer};
pub use graph::{EdgeLabel, GraphEdge, ValueGraph, VertexColour};
pub use group::{CarrierBlock, Group, Permutation};
pub use label::{canonical_labelling, numbered};
pub use layers::Layered;
pub use marker::Marker;
#[cfg(feature = "nauty")]
pub use nauty::Nauty;
pub use permute::{permute_state, permute_value};
pub use quotient::{Canonizer, Quotient, Quotiented, Turns};
pub use states::ValueStates;

/// How representatives are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Method {
    /// Every state stands for itself.
    #[default]
    Off,
    /// [`Auto`]
    Auto,
    /// [`Canon`] with our own labelling.
    Canon,
    /// [`Canon`] with the labelling of nauty.
    #[cfg(feature = "nauty")]
    Nauty,
    /// [`Flood`]
    Flood,
    /// [`Marker`]; if precise, hits are confirmed.
    Marker { is_precise: bool },
}

impl Method {
    /// The name under which users know it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Off => "off",
            Method::Auto => "auto",
            Method::Canon => "canon",
            #[cfg(feature = "nauty")]
            Method::Nauty => "nauty",
            Method::Flood => "flood",
            Method::Marker { .. } => "marker",
        }
    }
}
