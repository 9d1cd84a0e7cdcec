//! [`StateTable`]: states by number and by content, in memory or in files.
//!
//! The table joins the parts of this crate: folding, roots, index, parents, runs.

use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::fold::{FoldQueue, FoldTree};
use crate::parents::{Families, Parents};
use crate::quads::{QuadCache, Quads};
use crate::roots::Roots;
use crate::runs::Runs;
use crate::shard::{Known, N_SHARDS, shard_of};
use crate::sift::{Index, Sift};
use crate::volume::Volume;

/// Parent of a state that was first reached from the artificial root.
pub const NO_PARENT: u32 = u32::MAX;

/// Order in which states are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// By number, each state completely before the next. Parent links then take two bits per state.
    Ascending,
    Any,
}

/// States by number and by content, with parent links. See the crate documentation.
pub struct StateTable {
    tree: FoldTree,
    pub(crate) quads: Quads,
    pub(crate) roots: Roots,
    /// Index from roots to numbers, for the states from `base` on.
    pub(crate) shards: [Mutex<Index>; N_SHARDS],
    /// Roots of the states before `base`, in files.
    runs: Option<Runs>,
    pub(crate) base: usize,
    pub(crate) parents: Parents,
    /// True if lookups return the numbers of known states.
    is_numbered: bool,
}

/// Maximum number of states; the last 32-bit numbers are reserved.
pub const MAX_STATES: u64 = u32::MAX as u64 - 2;

/// Result of [`StateTable::insert`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    /// New state with its number.
    New(u32),
    /// Known state with its number, which is valid only if the table is numbered.
    Known(u32),
}

impl StateTable {
    pub fn new(width: usize, order: Order) -> Self {
        StateTable {
            tree: FoldTree::new(width),
            quads: Quads::new(),
            roots: Roots::default(),
            shards: std::array::from_fn(|_| Mutex::new(Index::new(true))),
            runs: None,
            base: 0,
            parents: Parents::new(order),
            is_numbered: true,
        }
    }

    /// Sets for an empty table whether lookups return the numbers of known states, which needs larger files and more time.
    #[must_use]
    pub fn numbered(self, is_numbered: bool) -> Self {
        let shards = std::array::from_fn(|_| Mutex::new(Index::new(is_numbered)));
        StateTable { is_numbered, shards, ..self }
    }

    pub fn len(&self) -> usize {
        self.roots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Words of a state, read from a file if it is spilled.
    pub fn get(&self, state: u32) -> io::Result<Vec<u32>> {
        let (mut words, mut ids) = (Vec::new(), Vec::new());
        self.roots.read(state as usize..state as usize + 1, |root| self.unfold(root, &mut words, &mut ids))?;
        Ok(words)
    }

    /// Root of a state that is not spilled.
    pub fn root(&self, state: u32) -> u64 {
        self.roots.get(state as usize)
    }

    /// Replaces the content of `roots` by the roots of a range of states.
    pub fn read_roots(&self, states: Range<u32>, roots: &mut Vec<u64>) -> io::Result<()> {
        roots.clear();
        self.roots.read(states.start as usize..states.end as usize, |root| roots.push(root))
    }

    /// Unfolds a root into its words and the ids of its inner nodes.
    pub fn unfold(&self, root: u64, words: &mut Vec<u32>, ids: &mut Vec<u32>) {
        words.resize(self.tree.width(), 0);
        ids.resize(self.tree.n_inner(), 0);
        self.tree.unfold(&self.quads, root, words, ids);
    }

    /// [`StateTable::unfold`] for an untrusted root; `false` if it is not a valid one.
    pub(crate) fn try_unfold(&self, root: u64, words: &mut Vec<u32>, ids: &mut Vec<u32>) -> bool {
        words.resize(self.tree.width(), 0);
        ids.resize(self.tree.n_inner(), 0);
        self.tree.try_unfold(&self.quads, root, words, ids)
    }

    /// Folds words into a root. `near` has words and ids of a similar state, if there is one.
    pub fn fold(
        &self,
        cache: &mut QuadCache,
        words: &[u32],
        near: Option<(&[u32], &[u32])>,
        ids: &mut Vec<u32>,
    ) -> u64 {
        ids.resize(self.tree.n_inner(), 0);
        self.tree.fold(&self.quads, cache, words, near, ids)
    }

    /// States can be folded by [`StateTable::fold_queue`].
    pub fn can_queue(&self) -> bool {
        self.tree.can_queue()
    }

    /// Folds the states of a queue together, and calls `each` with their roots in order.
    pub fn fold_queue(&self, cache: &mut QuadCache, queue: &mut FoldQueue, each: impl FnMut(u64)) {
        self.tree.fold_queue(&self.quads, cache, queue, each);
    }

    /// State from which this one was first reached, or [`NO_PARENT`].
    pub fn parent(&self, state: u32) -> u32 {
        self.parents.get(state)
    }

    /// Adds a state unless it is known.
    pub fn insert(&mut self, root: u64) -> io::Result<Inserted> {
        let number = shard_of(root);
        let known = Known { roots: &self.roots, base: self.base };
        let shard = self.shards[number].get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(runs) = &self.runs
            && shard.find(root, known).is_none()
        {
            let mut found = None;
            runs.find(number, &[root], |_, number| found = Some(number))?;
            if let Some(number) = found {
                return Ok(Inserted::Known(number));
            }
        }
        match shard.insert(root, known) {
            Some(number) => Ok(Inserted::Known(number + self.base as u32)),
            None => Ok(Inserted::New(self.append(root))),
        }
    }

    /// Number of the state with this root; slow unless the table is numbered. Spilled states are not found.
    pub fn find(&self, root: u64) -> Option<u32> {
        let known = Known { roots: &self.roots, base: self.base };
        let index = self.shards[shard_of(root)].lock().unwrap_or_else(PoisonError::into_inner);
        let number = index.find(root, known)?;
        if index.has_numbers() {
            return Some(number + self.base as u32);
        }
        let number = (0..known.len()).find(|number| known.get(*number) == Some(root))?;
        Some((self.base + number) as u32)
    }

    /// Locks a shard, to find the new states among candidates.
    pub fn sift(&self, shard: usize) -> Sift<'_> {
        Sift {
            number: shard,
            index: self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner),
            known: Known { roots: &self.roots, base: self.base },
            runs: self.runs.as_ref(),
            doubtful: Vec::new(),
        }
    }

    /// Gives the next number to a root that its shard already contains.
    pub fn append(&mut self, root: u64) -> u32 {
        let number = self.roots.len() as u32;
        self.roots.push(root);
        number
    }

    /// Gives the next numbers to roots that their shards already contain; the first of these numbers.
    pub fn append_all(&mut self, roots: &[u64]) -> u32 {
        let first = self.roots.len() as u32;
        self.roots.extend(roots);
        first
    }

    /// The index has the numbers of states, so those of new ones must be settled ([`Sift::settle`]).
    pub fn needs_numbers(&self) -> bool {
        let has_numbers = |index: &Mutex<Index>| index.lock().unwrap_or_else(PoisonError::into_inner).has_numbers();
        self.shards.iter().any(has_numbers)
    }

    /// Moves the roots of all states so far to files, by number and by content. Parents and quads stay in memory. After a failure states can
    /// still be read by number, but lookups by content may miss some, so the search must end.
    pub fn spill(&mut self, volume: &dyn Volume) -> io::Result<()> {
        let known = Known { roots: &self.roots, base: self.base };
        let shards = &mut self.shards;
        let mut runs = self.runs.take().unwrap_or_else(|| Runs::new(self.is_numbered));
        let written =
            runs.add(volume, |shard| shards[shard].get_mut().unwrap_or_else(PoisonError::into_inner).roots(known));
        if written.is_err() {
            self.runs = (self.base > 0).then_some(runs);
            return written;
        }
        self.runs = Some(runs);
        self.base = self.roots.len();
        self.shards = std::array::from_fn(|_| Mutex::new(Index::new(self.is_numbered)));
        self.roots.spill(|| volume.open("roots", 0))
    }

    /// True if filters can be dropped to free memory.
    pub fn can_shrink(&self) -> bool {
        self.runs.as_ref().is_some_and(Runs::has_filters)
    }

    /// Drops the filters of spilled roots; lookups in files become slower.
    pub fn shrink(&mut self) {
        if let Some(runs) = &mut self.runs {
            runs.drop_filters();
        }
    }

    pub fn is_spilled(&self) -> bool {
        self.runs.is_some()
    }

    /// Number of states added since the last spill.
    pub fn n_recent(&self) -> usize {
        self.roots.len() - self.base
    }

    /// Bytes that [`StateTable::spill`] would free.
    pub fn spillable_bytes(&self) -> usize {
        self.shard_bytes() + self.roots.spillable_bytes()
    }

    fn shard_bytes(&self) -> usize {
        let shard = |shard: &Mutex<Index>| shard.lock().unwrap_or_else(PoisonError::into_inner).bytes();
        self.shards.iter().map(shard).sum()
    }

    /// Number of distinct quads; [`MAX_STATES`] bounds it as well.
    pub fn n_quads(&self) -> u64 {
        self.quads.len()
    }

    /// Closes a state: its children are the `n_children` states appended last. With [`Order::Ascending`] the artificial root is closed first,
    /// then all states by number.
    pub fn close(&mut self, state: u32, n_children: u32) {
        self.parents.close(state, n_children);
    }

    /// Closes consecutive states, whose children are appended.
    pub fn close_all(&mut self, first: u32, families: &Families) {
        self.parents.close_all(first, families);
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        let runs = self.runs.as_ref().map_or(0, Runs::bytes);
        self.roots.bytes() + self.shard_bytes() + runs + self.quads.bytes() + self.parents.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sift::{CandidatePlace, Sifted};
    use crate::volume::Ram;

    fn words(n: u32) -> [u32; 3] {
        [n, n / 3, n / 100]
    }

    #[test]
    fn states_are_kept_once_and_found_again() -> io::Result<()> {
        let mut table = StateTable::new(3, Order::Any);
        let (mut cache, mut ids) = (QuadCache::new(), Vec::new());
        for n in 0..100_000_u32 {
            let root = table.fold(&mut cache, &words(n), None, &mut ids);
            assert_eq!(table.insert(root)?, Inserted::New(n));
            table.close(n.checked_sub(1).unwrap_or(NO_PARENT), 1);
        }
        for n in 0..100_000_u32 {
            let root = table.fold(&mut cache, &words(n), None, &mut ids);
            assert_eq!(table.insert(root)?, Inserted::Known(n));
            assert_eq!(table.get(n)?, words(n));
        }
        assert_eq!(table.parent(0), NO_PARENT);
        assert_eq!(table.parent(500), 499);
        assert_eq!(table.len(), 100_000);
        Ok(())
    }

    /// Sifts candidates that occur twice and of which half are known. Checks that the numbers returned for candidates are those under which they are
    /// stored.
    fn sift_round(table: &mut StateTable, numbers: Range<u64>) -> io::Result<usize> {
        let candidates: Vec<u64> = numbers.flat_map(|n| [n, n / 2, n]).collect();
        let mut told = vec![None; candidates.len()];
        for shard in 0..N_SHARDS {
            let mine = candidates.iter().enumerate().filter(|(_, root)| shard_of(**root) == shard);
            let mut sift = table.sift(shard);
            sift.begin(candidates.len(), candidates.len(), candidates.iter().fold(0, |all, root| all | root));
            let mut tell = |(_, idx): CandidatePlace, sifted| assert_eq!(told[idx as usize].replace(sifted), None);
            sift.add(mine.map(|(idx, root)| (*root, (0, idx as u32))), &mut tell);
            sift.finish(&mut tell)?;
        }
        let mut given = vec![0; candidates.len()];
        for (idx, root) in candidates.iter().enumerate() {
            given[idx] = match told[idx] {
                Some(Sifted::New) => table.append(*root),
                Some(Sifted::Known(number)) => number,
                Some(Sifted::Same((_, first))) => given[first as usize],
                None => panic!("nothing is known of candidate {idx}"),
            };
        }
        if table.is_numbered {
            let stored = numbers_in_order(table)?;
            assert!(candidates.iter().zip(&given).all(|(root, number)| stored[*number as usize] == *root));
        }
        (0..N_SHARDS).for_each(|shard| table.sift(shard).settle(|(_, idx)| given[idx as usize]));
        Ok(table.len())
    }

    fn numbers_in_order(table: &StateTable) -> io::Result<Vec<u64>> {
        let mut roots = Vec::new();
        table.read_roots(0..table.len() as u32, &mut roots)?;
        Ok(roots)
    }

    #[test]
    fn sifting_finds_each_new_state_once() -> io::Result<()> {
        for is_numbered in [false, true] {
            let mut table = StateTable::new(2, Order::Ascending).numbered(is_numbered);
            assert_eq!(sift_round(&mut table, 0..1000)?, 1000);
            assert_eq!(sift_round(&mut table, 500..70_000)?, 70_000);
            assert_eq!(sift_round(&mut table, 0..70_001)?, 70_001);
            for n in 0..70_001 {
                assert!(matches!(table.insert(n)?, Inserted::Known(_)));
            }
            assert_eq!(
                table.find(123),
                numbers_in_order(&table)?.iter().position(|root| *root == 123).map(|n| n as u32)
            );
        }
        Ok(())
    }

    #[test]
    fn a_set_with_large_roots_becomes_a_table_of_numbers() -> io::Result<()> {
        let mut table = StateTable::new(2, Order::Ascending).numbered(false);
        let is_set = |table: &StateTable| {
            table.shards.iter().any(|index| !index.lock().unwrap_or_else(PoisonError::into_inner).has_numbers())
        };
        assert_eq!(sift_round(&mut table, 0..5000)?, 5000);
        assert!(is_set(&table));
        assert_eq!(sift_round(&mut table, u64::MAX - 3000..u64::MAX)?, 5000 + 3000 + 1501);
        assert!(!is_set(&table));
        assert_eq!(sift_round(&mut table, 0..6000)?, 6000 + 3000 + 1501);
        assert_eq!(table.find(u64::MAX - 1).map(|number| table.root(number)), Some(u64::MAX - 1));
        Ok(())
    }

    #[test]
    fn states_in_files_are_known_under_the_same_numbers() -> io::Result<()> {
        [false, true].into_iter().try_for_each(moved_as_kept)
    }

    fn moved_as_kept(is_numbered: bool) -> io::Result<()> {
        let (volume, mut kept, mut moved) = (
            Ram::new(),
            StateTable::new(2, Order::Ascending).numbered(true),
            StateTable::new(2, Order::Ascending).numbered(is_numbered),
        );
        for round in 0..20_u64 {
            let numbers = round * 2000..round * 5000 + 3000;
            assert_eq!(sift_round(&mut kept, numbers.clone())?, sift_round(&mut moved, numbers)?);
            if round % 2 == 1 {
                let before = moved.bytes();
                moved.spill(&volume)?;
                assert!(moved.bytes() < before && moved.is_spilled());
            }
        }
        assert_eq!(numbers_in_order(&kept)?, numbers_in_order(&moved)?);
        for (root, number) in numbers_in_order(&kept)?.into_iter().zip(0..) {
            let Inserted::Known(found) = moved.insert(root)? else { panic!("{root} is known") };
            assert!(!is_numbered || found == number);
        }
        let number = moved.len() as u32;
        assert_eq!(moved.insert(1 << 40)?, Inserted::New(number));
        assert_eq!(moved.get(number)?, [1 << 8, 0]);
        Ok(())
    }

    #[test]
    fn a_full_volume_leaves_the_table_as_it_was() -> io::Result<()> {
        let volume = Ram::with_capacity(100_000);
        let mut table = StateTable::new(2, Order::Ascending);
        let mut n_failed = 0;
        for round in 0..30_u64 {
            assert_eq!(sift_round(&mut table, round * 2000..round * 3000 + 3000)? as u64, round * 3000 + 3000);
            n_failed += u64::from(table.spill(&volume).is_err());
        }
        assert!((1..30).contains(&n_failed), "{n_failed}");
        let mut sorted = numbers_in_order(&table)?;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..90_000));
        Ok(())
    }

    #[test]
    fn a_system_without_words_has_one_state() -> io::Result<()> {
        let mut table = StateTable::new(0, Order::Any);
        let root = table.fold(&mut QuadCache::new(), &[], None, &mut Vec::new());
        assert_eq!(table.insert(root)?, Inserted::New(0));
        assert_eq!(table.insert(root)?, Inserted::Known(0));
        Ok(())
    }
}
