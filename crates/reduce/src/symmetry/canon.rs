//! Representatives by canonical labelling of state graphs: the method of Spermann's thesis with our own labelling, exact for any value.

use abridge_eval::Val;
use abridge_explicit::{Explicit, UNSET};
use abridge_model::ids::Id as _;
use abridge_system::System as _;

use super::auto::images_of;
use super::graph::Graph;
use super::group::{Group, Permutation};
use super::known::Known;
use super::label::canonical_labelling;
use super::permute::permute_word;
use super::quotient::{Canonizer, Quotient};

/// Bytes for states whose representatives are remembered.
const KNOWN_BYTES: usize = 256 << 20;

/// Numbers the vertices of graphs: isomorphic ones so that they become equal.
pub trait Labelling: Sync {
    /// The position of each vertex.
    fn positions(&self, graph: &Graph) -> Vec<u32>;
}

/// Our own labelling.
pub struct Own;

impl Labelling for Own {
    fn positions(&self, graph: &Graph) -> Vec<u32> {
        canonical_labelling(graph)
    }
}

/// Representatives by a canonical labelling of graphs.
pub struct Canon<'s, 'm, L> {
    system: &'s Explicit<'m>,
    group: Group,
    labelling: L,
    known: Known,
}

impl<'s, 'm, L: Labelling> Canon<'s, 'm, L> {
    pub fn new(system: &'s Explicit<'m>, group: Group, labelling: L) -> Self {
        Canon { system, group, labelling, known: Known::new(KNOWN_BYTES) }
    }
}

/// The values of a state at numbered places: constants first.
pub fn places<'v>(system: &'v Explicit<'_>, state: &'v [u32]) -> impl Iterator<Item = (u32, &'v Val)> {
    let constants = system.constants_of(state);
    let first = system.model().constants.len() as u32;
    let constants = (0..).zip(constants.iter()).filter_map(|(place, val)| Some((place, val.as_ref()?)));
    let words = (1..system.width()).filter(|word| state[*word] != UNSET);
    let variables = words.map(move |word| {
        let variable = system.variables()[word - 1].index() as u32;
        (first + variable, system.decode_val(word, state[word]))
    });
    constants.chain(variables)
}

/// The permutation that maps a tuple of values to its representative.
pub fn graph_permutation(group: &Group, vals: &[Val], labelling: &impl Labelling) -> Permutation {
    let graph = Graph::new(group, (0..).zip(vals), false);
    let mut images = Vec::new();
    images_of(&graph.order(group, &labelling.positions(&graph)), &mut images);
    images
}

impl<L: Labelling> Quotient for Canon<'_, '_, L> {
    type Canonizer<'a>
        = CanonCanonizer<'a, L>
    where
        Self: 'a;

    fn canonizer(&self) -> CanonCanonizer<'_, L> {
        CanonCanonizer { canon: self, images: Vec::new(), state: Vec::new() }
    }

    fn is_lasting(&self) -> bool {
        true
    }

    fn bytes(&self) -> u64 {
        self.known.bytes()
    }
}

pub struct CanonCanonizer<'a, L> {
    canon: &'a Canon<'a, 'a, L>,
    images: Vec<u32>,
    /// The state as it came.
    state: Vec<u32>,
}

impl<L: Labelling> Canonizer for CanonCanonizer<'_, L> {
    fn represent(&mut self, state: &mut [u32]) {
        let Canon { system, group, labelling, known } = self.canon;
        if known.replace(state) {
            return;
        }
        let graph = Graph::new(group, places(system, state), false);
        images_of(&graph.order(group, &labelling.positions(&graph)), &mut self.images);
        self.state.clear();
        self.state.extend_from_slice(state);
        for (word, image) in state.iter_mut().enumerate() {
            *image = permute_word(system, group, &self.images, &self.state, word);
        }
        known.insert(&self.state, state);
    }
}
