//! Index of visited states by content, one part for each shard, and the sifting of candidates.
//!
//! Candidates of a block are *sifted*: all candidates of a shard go through its index in order, and the first of equal ones that the table does not have is new. Where
//! numbers of known states are needed, the index is a table of numbers (`shard.rs`), otherwise a set of roots (`set.rs`). After a spill,
//! candidates that are unknown in memory are looked up in the files, all of a block at once.

use std::io;
use std::sync::MutexGuard;

use crate::quads::mix;
use crate::runs::Runs;
use crate::set::{Home, RootSet};
use crate::shard::{Known, PREFETCH_SLOTS, Probe, Shard, shard_of};

/// Index of one shard.
pub(crate) enum Index {
    /// Roots with the numbers of their states.
    Numbers(Shard),
    /// Roots alone.
    Members(RootSet),
}

impl Index {
    pub(crate) fn new(is_numbered: bool) -> Index {
        if is_numbered { Index::Numbers(Shard::default()) } else { Index::Members(RootSet::default()) }
    }

    /// Makes room for `more` states with numbers up to `largest`, and with roots that have no bits outside of `all`. A set whose slots are too small for them becomes a
    /// table of numbers, which `known` has.
    #[inline]
    fn reserve(&mut self, more: usize, largest: usize, all: u64, known: Known<'_>) {
        match self {
            Index::Members(set) => {
                if !set.reserve(more, all) {
                    self.become_numbers(more, largest, known);
                }
            }
            Index::Numbers(shard) => shard.reserve(more, largest, known),
        }
    }

    /// Replaces a set by a table of numbers, with the same room.
    #[cold]
    fn become_numbers(&mut self, more: usize, largest: usize, known: Known<'_>) {
        let Index::Members(set) = self else { return };
        let shard = set.roots().next().map(shard_of);
        let mut numbers = Shard::default();
        for number in 0..known.len() {
            if let Some(root) = known.get(number).filter(|root| Some(shard_of(*root)) == shard) {
                numbers.add(root, number, known);
            }
        }
        numbers.reserve(more, largest, known);
        *self = Index::Numbers(numbers);
    }

    /// Adds a root. Returns the number of a known one, if the index has numbers, and `None` if it is new.
    pub(crate) fn insert(&mut self, root: u64, known: Known<'_>) -> Option<u32> {
        self.reserve(1, known.len() + 1, root, known);
        match self {
            Index::Numbers(shard) => shard.insert(root, known),
            Index::Members(set) => {
                let home = set.home(root);
                if set.insert(|| root, home) { None } else { Some(0) }
            }
        }
    }

    /// Adds a state that is known to be new, with its number.
    pub(crate) fn add(&mut self, root: u64, number: usize, known: Known<'_>) {
        match self {
            Index::Numbers(shard) => shard.add(root, number, known),
            Index::Members(_) => _ = self.insert(root, known),
        }
    }

    /// Number of a root that the index has; it means nothing if the index has no numbers.
    pub(crate) fn find(&self, root: u64, known: Known<'_>) -> Option<u32> {
        match self {
            Index::Numbers(shard) => shard.find(root, known),
            Index::Members(set) => set.contains(root).then_some(0),
        }
    }

    pub(crate) fn has_numbers(&self) -> bool {
        matches!(self, Index::Numbers(_))
    }

    /// The roots of all states with their numbers, if the index has them, unordered.
    pub(crate) fn roots(&self, known: Known<'_>) -> Vec<(u64, u32)> {
        match self {
            Index::Numbers(shard) => shard.roots(known),
            Index::Members(set) => set.roots().map(|root| (root, 0)).collect(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Index::Numbers(shard) => shard.bytes(),
            Index::Members(set) => set.bytes(),
        }
    }
}

/// Position of a candidate, as given by the caller.
pub type CandidatePlace = (u32, u32);

/// Result of the lookup of a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sifted {
    New,
    /// Known state with its number, which is valid only if the table is numbered.
    Known(u32),
    /// The same new state as an earlier candidate. A table that is not numbered may call it known.
    Same(CandidatePlace),
}

/// Exclusive access of one thread to a shard during a block.
pub struct Sift<'t> {
    pub(crate) number: usize,
    pub(crate) index: MutexGuard<'t, Index>,
    pub(crate) known: Known<'t>,
    pub(crate) runs: Option<&'t Runs>,
    /// Candidates unknown in memory that files may contain, with their positions.
    pub(crate) doubtful: Vec<(u64, CandidatePlace)>,
}

impl Sift<'_> {
    /// Reserves room for `n_candidates` of this shard. `n_all`, the number of candidates of all shards, bounds the state numbers; the roots of all candidates have no
    /// bits outside of `all`.
    pub fn begin(&mut self, n_candidates: usize, n_all: usize, all: u64) {
        if let Index::Numbers(shard) = &mut *self.index {
            shard.fresh.clear();
        }
        // Most candidates that files may contain are known; `finish` reserves room for the new ones.
        let n_sure = if self.runs.is_some() { 1 } else { n_candidates };
        self.index.reserve(n_sure, self.known.len() + n_all, all, self.known);
    }

    /// Calls `tell` for each candidate with its status: in the table, new, or equal to an earlier candidate. Candidates that files may contain are
    /// deferred to `finish`.
    pub fn add(
        &mut self,
        candidates: impl Iterator<Item = (u64, CandidatePlace)>,
        mut tell: impl FnMut(CandidatePlace, Sifted),
    ) {
        let (known, doubtful) = (self.known, self.runs.is_some().then_some(&mut self.doubtful));
        match (&mut *self.index, doubtful) {
            (Index::Numbers(shard), doubtful) => sift_numbers(shard, known, candidates, doubtful, &mut tell),
            (Index::Members(set), None) => sift_members(set, candidates, &mut tell),
            (Index::Members(set), Some(doubtful)) => {
                for (root, place) in candidates {
                    if set.contains(root) {
                        tell(place, Sifted::Known(0));
                    } else {
                        doubtful.push((root, place));
                    }
                }
            }
        }
    }

    /// Looks up the deferred candidates in the files, and calls `tell` for each.
    pub fn finish(&mut self, mut tell: impl FnMut(CandidatePlace, Sifted)) -> io::Result<()> {
        let Some(runs) = self.runs else { return Ok(()) };
        let mut doubtful = std::mem::take(&mut self.doubtful);
        doubtful.sort_unstable();
        let mut roots: Vec<u64> = doubtful.iter().map(|(root, _)| *root).collect();
        roots.dedup();
        let mut known: Vec<Option<u32>> = vec![None; roots.len()];
        runs.find(self.number, &roots, |idx, number| known[idx] = Some(number))?;
        let n_new = known.iter().filter(|known| known.is_none()).count();
        let all = roots.iter().fold(0, |all, root| all | root);
        self.index.reserve(n_new, self.known.len() + n_new, all, self.known);
        // The first of equal candidates counts.
        for (equal, known) in doubtful.chunk_by(|left, right| left.0 == right.0).zip(known) {
            let (root, first) = equal[0];
            if let Some(number) = known {
                equal.iter().for_each(|(_, place)| tell(*place, Sifted::Known(number)));
                continue;
            }
            let is_new = match &mut *self.index {
                Index::Numbers(shard) => {
                    let hash = mix(root);
                    match shard.probe(root, hash, self.known) {
                        Probe::Free(at) => {
                            shard.take(at, root, hash, first, self.known);
                            true
                        }
                        Probe::Known(_) => false,
                    }
                }
                Index::Members(set) => {
                    let home = set.home(root);
                    set.insert(|| root, home)
                }
            };
            if is_new {
                tell(first, Sifted::New);
                equal[1..].iter().for_each(|(_, place)| tell(*place, Sifted::Same(first)));
            }
        }
        Ok(())
    }

    /// Replaces provisional numbers by real ones.
    pub fn settle(&mut self, number: impl Fn(CandidatePlace) -> u32) {
        if let Index::Numbers(shard) = &mut *self.index {
            shard.settle(self.known.base, number);
        }
    }
}

fn sift_numbers(
    shard: &mut Shard,
    known: Known<'_>,
    candidates: impl Iterator<Item = (u64, CandidatePlace)>,
    mut doubtful: Option<&mut Vec<(u64, CandidatePlace)>>,
    tell: &mut impl FnMut(CandidatePlace, Sifted),
) {
    let mut candidates = candidates.peekable();
    let mut chunk = [(0, 0, (0, 0)); PREFETCH_SLOTS];
    while candidates.peek().is_some() {
        let mut len = 0;
        for (root, place) in candidates.by_ref().take(PREFETCH_SLOTS) {
            chunk[len] = (root, mix(root), place);
            len += 1;
        }
        let touched = chunk[..len].iter().fold(0, |all, (_, hash, _)| all ^ shard.touch(*hash, known));
        std::hint::black_box(touched);
        for (root, hash, place) in &chunk[..len] {
            match (shard.probe(*root, *hash, known), &mut doubtful) {
                // The number may be provisional.
                (Probe::Known(number), _) => match (number as usize).checked_sub(known.len()) {
                    None => tell(*place, Sifted::Known(number + known.base as u32)),
                    Some(fresh) => tell(*place, Sifted::Same(shard.fresh[fresh].place)),
                },
                (Probe::Free(_), Some(doubtful)) => doubtful.push((*root, *place)),
                (Probe::Free(at), None) => {
                    shard.take(at, *root, *hash, *place, known);
                    tell(*place, Sifted::New);
                }
            }
        }
    }
}

fn sift_members(
    set: &mut RootSet,
    candidates: impl Iterator<Item = (u64, CandidatePlace)>,
    tell: &mut impl FnMut(CandidatePlace, Sifted),
) {
    let mut candidates = candidates.peekable();
    let mut chunk = [(0, Home::default(), (0, 0)); PREFETCH_SLOTS];
    while candidates.peek().is_some() {
        let (mut len, mut touched) = (0, 0);
        for (root, place) in candidates.by_ref().take(PREFETCH_SLOTS) {
            let home = set.home(root);
            touched ^= set.touch(home);
            chunk[len] = (root, home, place);
            len += 1;
        }
        std::hint::black_box(touched);
        for (root, home, place) in &chunk[..len] {
            let is_new = set.insert(|| *root, *home);
            tell(*place, if is_new { Sifted::New } else { Sifted::Known(0) });
        }
    }
}
