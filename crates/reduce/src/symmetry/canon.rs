//! Representatives by canonical labelling of state graphs: the method of Spermann's thesis with our own labelling, exact for any value.

use abridge_eval::Val;

use super::auto::images_of;
use super::graph::ValueGraph;
use super::group::{Group, Permutation};
use super::known::KnownRepresentatives;
use super::label::canonical_labelling;
use super::permute::permute_word;
use super::quotient::{Canonizer, Quotient};
use super::states::ValueStates;

/// Bytes for states whose representatives are remembered.
const KNOWN_BYTES: usize = 256 << 20;

/// Numbers the vertices of graphs: isomorphic ones so that they become equal.
pub trait Labelling: Sync {
    /// The position of each vertex.
    fn positions(&self, graph: &ValueGraph) -> Vec<u32>;
}

/// Our own labelling.
pub struct OwnLabelling;

impl Labelling for OwnLabelling {
    fn positions(&self, graph: &ValueGraph) -> Vec<u32> {
        canonical_labelling(graph)
    }
}

/// Representatives by a canonical labelling of graphs.
pub struct Canon<'s, S, L> {
    system: &'s S,
    group: Group,
    labelling: L,
    known: KnownRepresentatives,
}

impl<'s, S: ValueStates, L: Labelling> Canon<'s, S, L> {
    pub fn new(system: &'s S, group: Group, labelling: L) -> Self {
        Canon { system, group, labelling, known: KnownRepresentatives::new(KNOWN_BYTES) }
    }
}

/// The permutation that maps a tuple of values to its representative.
pub fn graph_permutation(group: &Group, vals: &[Val], labelling: &impl Labelling) -> Permutation {
    let graph = ValueGraph::new(group, (0..).zip(vals), false);
    let mut images = Vec::new();
    images_of(&graph.order(group, &labelling.positions(&graph)), &mut images);
    images
}

impl<S: ValueStates, L: Labelling> Quotient for Canon<'_, S, L> {
    type Canonizer<'a>
        = CanonCanonizer<'a, S, L>
    where
        Self: 'a;

    fn canonizer(&self) -> CanonCanonizer<'_, S, L> {
        CanonCanonizer { canon: self, images: Vec::new(), state: Vec::new() }
    }

    fn is_lasting(&self) -> bool {
        true
    }

    fn bytes(&self) -> u64 {
        self.known.bytes()
    }
}

pub struct CanonCanonizer<'a, S, L> {
    canon: &'a Canon<'a, S, L>,
    images: Vec<u32>,
    /// The state as it came.
    state: Vec<u32>,
}

impl<S: ValueStates, L: Labelling> Canonizer for CanonCanonizer<'_, S, L> {
    fn represent(&mut self, state: &mut [u32]) {
        let Canon { system, group, labelling, known } = self.canon;
        if known.replace(state) {
            return;
        }
        let graph = ValueGraph::new(group, system.values_of(state), false);
        images_of(&graph.order(group, &labelling.positions(&graph)), &mut self.images);
        self.state.clear();
        self.state.extend_from_slice(state);
        for (word, image) in state.iter_mut().enumerate() {
            *image = permute_word(*system, group, &self.images, &self.state, word);
        }
        known.insert(&self.state, state);
    }
}
