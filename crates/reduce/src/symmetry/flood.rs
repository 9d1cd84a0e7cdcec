//! Permutation flooding (Leuschel, Butler, Spermann, Turner, "Symmetry Reduction for B by Permutation Flooding", Algorithm 3.1): when a
//! state is met for the first time, all its permutations are stored as processed.
//!
//! The permuted states lie in a table beside that of the search, each with the one state of the class that the search may visit: the least
//! one, so that it does not matter which was met first. Departs from the paper: instead of enumerating (partial) permutations, the class is
//! closed under exchanging neighbouring elements of a block. That reaches each permuted state, those that only differ in elements
//! which do not occur never arise, and a state in which many elements play the same part has few permutations rather than many equal ones.
//! Classes that are too large to be stored are left as they are: each of their states stands for itself.

use std::cmp::Ordering;
use std::collections::HashSet;

use abridge_eval::{Classes as _, Val};
use abridge_value::Value;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::classes::TupleClasses;
use super::group::Group;
use super::known::KnownRepresentatives;
use super::permute::permute_word;
use super::quotient::{Canonizer, Quotient};
use super::states::ValueStates;

/// Exchanged words that a thread remembers.
const MAX_IMAGES: usize = 1 << 20;

/// Larger classes are not flooded.
const MAX_MEMBERS: u64 = 1 << 16;

/// Classes by enumeration of their members.
pub struct Flood<'s, S> {
    system: &'s S,
    group: Group,
    /// Permutations that exchange two neighbouring points of a block.
    exchanges: Vec<Vec<u32>>,
    processed: KnownRepresentatives,
    classes: TupleClasses,
    /// Some class may be too large.
    is_large: bool,
}

impl<'s, S: ValueStates> Flood<'s, S> {
    pub fn new(system: &'s S, group: Group) -> Self {
        let exchanges = group.exchanges();
        // All permutations must be kept, so memory is limited by the search alone.
        let is_large = group.order().is_none_or(|order| order > u128::from(MAX_MEMBERS));
        let classes = TupleClasses::new(group.clone());
        Flood { system, group, exchanges, processed: KnownRepresentatives::new(usize::MAX), classes, is_large }
    }
}

impl<S: ValueStates> Flood<'_, S> {
    fn is_too_large(&self, state: &[u32]) -> bool {
        if !self.is_large {
            return false;
        }
        let vals: Vec<Val> = self.system.values_of(state).map(|(_, val)| val.into_owned()).collect();
        self.classes.size(&vals) > MAX_MEMBERS
    }
}

impl<S: ValueStates> Quotient for Flood<'_, S> {
    type Canonizer<'a>
        = FloodCanonizer<'a, S>
    where
        Self: 'a;

    fn canonizer(&self) -> FloodCanonizer<'_, S> {
        FloodCanonizer { flood: self, images: FxHashMap::default() }
    }

    fn is_lasting(&self) -> bool {
        false
    }

    fn bytes(&self) -> u64 {
        self.processed.bytes()
    }
}

pub struct FloodCanonizer<'a, S> {
    flood: &'a Flood<'a, S>,
    /// Words under exchanges: exchange, position and word, to the new word.
    images: FxHashMap<(u32, u32, u32), u32>,
}

impl<S: ValueStates> FloodCanonizer<'_, S> {
    /// All permutations of a state, itself included.
    pub fn members(&mut self, state: &[u32]) -> Vec<Box<[u32]>> {
        let mut members: Vec<Box<[u32]>> = vec![state.into()];
        let mut seen: HashSet<Box<[u32]>, FxBuildHasher> = HashSet::default();
        seen.insert(state.into());
        let mut next = 0;
        while next < members.len() {
            for exchange in 0..self.flood.exchanges.len() {
                let image = self.exchanged(&members[next], exchange);
                if !seen.contains(&image) {
                    seen.insert(image.clone());
                    members.push(image);
                }
            }
            next += 1;
        }
        members
    }

    fn exchanged(&mut self, state: &[u32], exchange: usize) -> Box<[u32]> {
        let Flood { system, group, exchanges, .. } = self.flood;
        if self.images.len() > MAX_IMAGES {
            self.images.clear();
        }
        let mut image: Box<[u32]> = state.into();
        for word in 0..state.len() {
            let known = self.images.entry((exchange as u32, word as u32, state[word]));
            image[word] = *known.or_insert_with(|| permute_word(*system, group, &exchanges[exchange], state, word));
        }
        image
    }
}

impl<S: ValueStates> Canonizer for FloodCanonizer<'_, S> {
    fn represent(&mut self, state: &mut [u32]) {
        let flood = self.flood;
        if flood.processed.replace(state) {
            return;
        }
        if flood.is_too_large(state) {
            flood.processed.insert(state, state);
            return;
        }
        let members = self.members(state);
        let Some(least) = members.iter().min_by(|left, right| compare(flood.system, left, right)) else { return };
        for member in &members {
            flood.processed.insert(member, least);
        }
        state.copy_from_slice(least);
    }
}

/// Compares permuted states by their values.
fn compare(system: &impl ValueStates, left: &[u32], right: &[u32]) -> Ordering {
    // Permuted states have values at the same places.
    let differing = (0..left.len()).filter(|word| left[*word] != right[*word]);
    let pairs = differing.flat_map(|word| system.values_at(left, word).zip(system.values_at(right, word)));
    pairs
        .map(|((_, left), (_, right))| compare_vals(&left, &right))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Permutations of one formula differ in their leaves only.
fn compare_vals(left: &Val, right: &Val) -> Ordering {
    let leaves = |val: &Val| {
        let mut leaves: Vec<Value> = Vec::new();
        val.for_each_leaf(&mut |leaf| leaves.push(leaf.clone()));
        leaves
    };
    match (left, right) {
        (Val::Value(left), Val::Value(right)) => left.cmp(right),
        _ => leaves(left).cmp(&leaves(right)),
    }
}
