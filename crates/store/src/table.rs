//! States in one array of words, found through a hash table of their numbers.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// The parent of a state that was reached from the root.
pub const NO_PARENT: u32 = u32::MAX;

pub struct StateTable {
    width: usize,
    words: Vec<u32>,
    parents: Vec<u32>,
    index: HashTable<u32>,
}

/// What [`StateTable::insert`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    New(u32),
    Known(u32),
}

impl StateTable {
    pub fn new(width: usize) -> Self {
        StateTable { width, words: Vec::new(), parents: Vec::new(), index: HashTable::new() }
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The words of a state.
    pub fn get(&self, state: u32) -> &[u32] {
        let start = state as usize * self.width;
        &self.words[start..start + self.width]
    }

    /// The state from which this one was first reached, or [`NO_PARENT`].
    pub fn parent(&self, state: u32) -> u32 {
        self.parents[state as usize]
    }

    /// Adds a state unless it is known.
    pub fn insert(&mut self, words: &[u32], parent: u32) -> Inserted {
        let (width, stored) = (self.width, &self.words);
        let at = |state: u32| &stored[state as usize * width..(state as usize + 1) * width];
        let hash = hash(words);
        if let Some(state) = self.index.find(hash, |state| at(*state) == words) {
            return Inserted::Known(*state);
        }
        let state = self.parents.len() as u32;
        self.index.insert_unique(hash, state, |state| self::hash(at(*state)));
        self.words.extend_from_slice(words);
        self.parents.push(parent);
        Inserted::New(state)
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let index = self.index.capacity() * (size_of::<u32>() + 1);
        (self.words.capacity() + self.parents.capacity()) * size_of::<u32>() + index
    }
}

fn hash(words: &[u32]) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    for word in words {
        hasher.write_u32(*word);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_kept_once_and_found_again() {
        let mut table = StateTable::new(2);
        for n in 0..1000_u32 {
            assert_eq!(table.insert(&[n, n / 3], n.checked_sub(1).unwrap_or(NO_PARENT)), Inserted::New(n));
        }
        for n in 0..1000_u32 {
            assert_eq!(table.insert(&[n, n / 3], 7), Inserted::Known(n));
            assert_eq!(table.get(n), [n, n / 3]);
        }
        assert_eq!(table.parent(0), NO_PARENT);
        assert_eq!(table.parent(500), 499);
        assert_eq!(table.len(), 1000);
    }

    #[test]
    fn a_system_without_words_has_one_state() {
        let mut table = StateTable::new(0);
        assert_eq!(table.insert(&[], NO_PARENT), Inserted::New(0));
        assert_eq!(table.insert(&[], NO_PARENT), Inserted::Known(0));
    }
}
