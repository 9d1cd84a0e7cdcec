//! States by number and by content.

use std::sync::{Mutex, PoisonError};

use crate::pairs::{PairCache, Pairs};
use crate::parents::Parents;
use crate::shape::Shape;
use crate::shard::{N_SHARDS, Shard, Sift, shard_of};

/// The parent of a state that was reached from the root.
pub const NO_PARENT: u32 = u32::MAX;

/// In which order states are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// By their numbers, each completely before the next. Then parents cost next to nothing.
    Ascending,
    Any,
}

pub struct StateTable {
    shape: Shape,
    pairs: Pairs,
    /// The roots of all states by number.
    roots: Vec<u64>,
    shards: [Mutex<Shard>; N_SHARDS],
    parents: Parents,
}

/// What [`StateTable::insert`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    New(u32),
    Known(u32),
}

impl StateTable {
    pub fn new(width: usize, order: Order) -> Self {
        StateTable {
            shape: Shape::new(width),
            pairs: Pairs::new(),
            roots: Vec::new(),
            shards: std::array::from_fn(|_| Mutex::default()),
            parents: Parents::new(order),
        }
    }

    pub fn len(&self) -> usize {
        self.roots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// The words of a state.
    pub fn get(&self, state: u32) -> Vec<u32> {
        let (mut words, mut ids) = (Vec::new(), Vec::new());
        self.unfold(self.roots[state as usize], &mut words, &mut ids);
        words
    }

    pub fn root(&self, state: u32) -> u64 {
        self.roots[state as usize]
    }

    /// The words of a root and the ids of its inner nodes.
    pub fn unfold(&self, root: u64, words: &mut Vec<u32>, ids: &mut Vec<u32>) {
        words.resize(self.shape.width(), 0);
        ids.resize(self.shape.n_inner(), 0);
        self.shape.unfold(&self.pairs, root, words, ids);
    }

    /// The root of some words; `near` are words and ids of a state that differs little, if there is one.
    pub fn fold(
        &self,
        cache: &mut PairCache,
        words: &[u32],
        near: Option<(&[u32], &[u32])>,
        ids: &mut Vec<u32>,
    ) -> u64 {
        ids.resize(self.shape.n_inner(), 0);
        self.shape.fold(&self.pairs, cache, words, near, ids)
    }

    /// The state from which this one was first reached, or [`NO_PARENT`].
    pub fn parent(&self, state: u32) -> u32 {
        self.parents.get(state)
    }

    /// Adds a state unless it is known.
    pub fn insert(&mut self, root: u64) -> Inserted {
        let shard = self.shards[shard_of(root)].get_mut().unwrap_or_else(PoisonError::into_inner);
        match shard.insert(root, &self.roots) {
            Some(number) => Inserted::Known(number),
            None => Inserted::New(self.append(root)),
        }
    }

    /// The hold of a shard, to find out which candidates are new.
    pub fn sift(&self, shard: usize) -> Sift<'_> {
        Sift { shard: self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner), roots: &self.roots }
    }

    /// Gives the next number to a root that is in its shard already.
    pub fn append(&mut self, root: u64) -> u32 {
        let number = self.roots.len() as u32;
        self.roots.push(root);
        number
    }

    /// The next state, or at first the artificial root, has this many new children: those appended last.
    pub fn close(&mut self, state: u32, n_children: u32) {
        match &mut self.parents {
            Parents::Ascending(runs) => runs.push_run(n_children),
            Parents::Listed(parents) => parents.extend(std::iter::repeat_n(state, n_children as usize)),
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let shard = |shard: &Mutex<Shard>| shard.lock().unwrap_or_else(PoisonError::into_inner).bytes();
        let shards: usize = self.shards.iter().map(shard).sum();
        self.roots.len() * size_of::<u64>() + shards + self.pairs.bytes() + self.parents.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(n: u32) -> [u32; 3] {
        [n, n / 3, n / 100]
    }

    #[test]
    fn states_are_kept_once_and_found_again() {
        let mut table = StateTable::new(3, Order::Any);
        let (mut cache, mut ids) = (PairCache::new(), Vec::new());
        for n in 0..100_000_u32 {
            let root = table.fold(&mut cache, &words(n), None, &mut ids);
            assert_eq!(table.insert(root), Inserted::New(n));
            table.close(n.checked_sub(1).unwrap_or(NO_PARENT), 1);
        }
        for n in 0..100_000_u32 {
            let root = table.fold(&mut cache, &words(n), None, &mut ids);
            assert_eq!(table.insert(root), Inserted::Known(n));
            assert_eq!(table.get(n), words(n));
        }
        assert_eq!(table.parent(0), NO_PARENT);
        assert_eq!(table.parent(500), 499);
        assert_eq!(table.len(), 100_000);
    }

    #[test]
    fn sifting_finds_each_new_state_once() {
        let mut table = StateTable::new(2, Order::Ascending);
        let mut round = |from: u64, to: u64| {
            let candidates: Vec<u64> = (from..to).flat_map(|n| [n, n / 2, n]).collect();
            let mut is_new = vec![false; candidates.len()];
            for shard in 0..N_SHARDS {
                let mine = candidates.iter().enumerate().filter(|(_, root)| shard_of(**root) == shard);
                let mut sift = table.sift(shard);
                sift.begin(candidates.len(), candidates.len());
                sift.add(mine.map(|(idx, root)| (*root, (0, idx as u32))), |(_, idx)| is_new[idx as usize] = true);
            }
            let mut numbers = vec![0; candidates.len()];
            for (idx, root) in candidates.iter().enumerate().filter(|(idx, _)| is_new[*idx]) {
                numbers[idx] = table.append(*root);
            }
            (0..N_SHARDS).for_each(|shard| table.sift(shard).settle(|(_, idx)| numbers[idx as usize]));
            table.len() as u64
        };
        assert_eq!(round(0, 1000), 1000);
        assert_eq!(round(500, 70_000), 70_000);
        assert_eq!(round(0, 70_001), 70_001);
        for n in 0..70_001 {
            assert!(matches!(table.insert(n), Inserted::Known(number) if table.root(number) == n));
        }
    }

    #[test]
    fn a_system_without_words_has_one_state() {
        let mut table = StateTable::new(0, Order::Any);
        let root = table.fold(&mut PairCache::new(), &[], None, &mut Vec::new());
        assert_eq!(table.insert(root), Inserted::New(0));
        assert_eq!(table.insert(root), Inserted::Known(0));
    }
}
