//! [`MachineLayer`]: layers that are read like the machine inside.
//!
//! Such a layer may change which steps are found and how they are evaluated, but its states, labels and findings mean what they mean inside.
//! The blanket implementation makes it a [`Machine`]. A layer that replaces states, as a quotient does, must not be one: traces would show
//! states that nobody met.

use crate::finding::FindingKind;
use crate::layer::Layer;
use crate::machine::{Explanation, Listing, Machine, Move, Named, Remarks};
use crate::steps::Completeness;
use crate::system::Origin;

/// Layer with the states, labels and findings of the machine inside.
pub trait MachineLayer: Layer<Inner: Machine> {
    fn layer_moves(&self, origin: Origin<'_>, operation: Option<u32>, found: &mut Listing<'_>) -> Completeness {
        self.inner().moves(origin, operation, found)
    }
}

impl<L: MachineLayer> Machine for L {
    fn operation_name(&self, operation: u32) -> String {
        self.inner().operation_name(operation)
    }

    fn operations(&self) -> Vec<u32> {
        self.inner().operations()
    }

    fn is_running(&self, origin: Origin<'_>) -> bool {
        self.inner().is_running(origin)
    }

    fn is_start(&self, state: &[u32]) -> bool {
        self.inner().is_start(state)
    }

    fn start_name(&self, state: &[u32]) -> String {
        self.inner().start_name(state)
    }

    fn values(&self, state: &[u32]) -> Vec<Named> {
        self.inner().values(state)
    }

    fn moves(&self, origin: Origin<'_>, operation: Option<u32>, found: &mut Listing<'_>) -> Completeness {
        self.layer_moves(origin, operation, found)
    }

    fn move_to(&self, origin: Origin<'_>, target: &[u32]) -> Option<Move> {
        self.inner().move_to(origin, target)
    }

    fn explain(&self, kind: FindingKind, state: &[u32]) -> Option<Explanation> {
        self.inner().explain(kind, state)
    }

    fn remarks(&self) -> Remarks {
        self.inner().remarks()
    }

    fn wind_up(&self) {
        self.inner().wind_up();
    }
}
