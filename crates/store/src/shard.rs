//! From roots to numbers: open addressing with 32-bit slots. Small shards have room to spare, large ones are filled to between 70 and 85
//! hundredths.
//!
//! A slot is 0, or the number of a state plus one in its low bits and some bits of the hash of its root in the others, so that few
//! roots are looked at in vain. Numbers are counted from the first state that was not moved to files. Candidates of one round are
//! sifted: one that is new gets a provisional number, the states so far plus its position among the new ones of the shard, until
//! the round is over and the real numbers are known. Where states were moved to files, candidates that memory does not know
//! are looked for there, all of the round at once.

use std::io;
use std::sync::MutexGuard;

use crate::pairs::mix;
use crate::roots::Roots;
use crate::runs::Runs;

/// Enough for many threads, few enough to stay cheap for small tables.
pub const N_SHARDS: usize = 16;

/// Which shard a root belongs to.
pub fn shard_of(root: u64) -> usize {
    (mix(root) >> 60) as usize
}

#[derive(Default)]
pub(crate) struct Shard {
    slots: Vec<u32>,
    n_used: usize,
    /// Bits of a slot that hold the number.
    n_bits: u32,
    fresh: Vec<Fresh>,
}

/// The roots that slots speak of: those from a number on.
#[derive(Clone, Copy)]
pub(crate) struct Known<'t> {
    pub(crate) roots: &'t Roots,
    pub(crate) base: usize,
}

impl Known<'_> {
    fn len(self) -> usize {
        self.roots.len() - self.base
    }

    fn get(self, number: usize) -> Option<u64> {
        (number < self.len()).then(|| self.roots.get(self.base + number))
    }
}

/// A state found in this round.
struct Fresh {
    root: u64,
    slot: u32,
    /// Where the candidate stands, in terms of the caller.
    place: (u32, u32),
}

enum Probe {
    Known(u32),
    Free(usize),
}

/// Up to so many slots speed counts more than room.
const SPACIOUS: usize = 1 << 17;

/// How far ahead slots and roots are touched, so that the waits for memory overlap.
const AHEAD: usize = 16;

impl Shard {
    /// Makes room for more states, the largest number of which is given.
    pub(crate) fn reserve(&mut self, more: usize, largest: usize, known: Known<'_>) {
        // Who adds states sees to it that numbers fit into 32 bits.
        let n_bits = usize::BITS - (largest + 1).leading_zeros();
        if n_bits > self.n_bits {
            self.widen(n_bits);
        }
        let needed = self.n_used + more;
        let (fullest, next) = if self.slots.len() < SPACIOUS { (60, needed * 3) } else { (85, needed * 10 / 7) };
        if needed * 100 > self.slots.len() * fullest {
            self.grow(next + 64, known);
        }
    }

    /// Gives more bits to numbers; the bits of the hash that remain are its upper ones.
    fn widen(&mut self, n_bits: u32) {
        for slot in self.slots.iter_mut().filter(|slot| **slot != 0) {
            *slot = tag_bits(*slot, n_bits) | (*slot & number_mask(self.n_bits));
        }
        self.n_bits = n_bits;
    }

    fn grow(&mut self, len: usize, known: Known<'_>) {
        let old = std::mem::replace(&mut self.slots, vec![0; len.max(16)]);
        for chunk in old.chunks(AHEAD) {
            let number = |slot: u32| ((slot & number_mask(self.n_bits)) as usize).wrapping_sub(1);
            let found: [u64; AHEAD] =
                std::array::from_fn(|idx| chunk.get(idx).and_then(|slot| known.get(number(*slot))).unwrap_or_default());
            for (slot, root) in chunk.iter().zip(found).filter(|(slot, _)| **slot != 0) {
                let mut at = self.start(mix(root));
                while self.slots[at] != 0 {
                    at = self.after(at);
                }
                self.slots[at] = *slot;
            }
        }
    }

    fn start(&self, hash: u64) -> usize {
        ((((hash << 4) >> 32) * self.slots.len() as u64) >> 32) as usize
    }

    fn after(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() { 0 } else { at + 1 }
    }

    fn probe(&self, root: u64, hash: u64, known: Known<'_>) -> Probe {
        let tag = tag_bits(hash as u32, self.n_bits);
        let mask = number_mask(self.n_bits);
        let mut at = self.start(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Probe::Free(at);
            }
            if slot & !mask == tag {
                let number = (slot & mask) as usize - 1;
                let stored = known.get(number).unwrap_or_else(|| self.fresh[number - known.len()].root);
                if stored == root {
                    return Probe::Known(number as u32);
                }
            }
            at = self.after(at);
        }
    }

    /// Reads what [`Shard::probe`] will read first.
    fn touch(&self, hash: u64, known: Known<'_>) -> u64 {
        let slot = self.slots[self.start(hash)];
        let number = ((slot & number_mask(self.n_bits)) as usize).wrapping_sub(1);
        known.get(number).unwrap_or(0)
    }

    fn fill(&mut self, at: usize, hash: u64, number: usize) {
        self.slots[at] = tag_bits(hash as u32, self.n_bits) | (number as u32 + 1);
        self.n_used += 1;
    }

    /// The number of a root, or the given one from now on.
    pub(crate) fn insert(&mut self, root: u64, known: Known<'_>) -> Option<u32> {
        self.reserve(1, known.len() + 1, known);
        let hash = mix(root);
        match self.probe(root, hash, known) {
            Probe::Known(number) => Some(number),
            Probe::Free(at) => {
                self.fill(at, hash, known.len());
                None
            }
        }
    }

    /// Adds a state that is known to be new, under a number that is given to a state beforehand.
    pub(crate) fn add(&mut self, root: u64, number: usize, known: Known<'_>) {
        self.reserve(1, number + 1, known);
        let hash = mix(root);
        let mut at = self.start(hash);
        while self.slots[at] != 0 {
            at = self.after(at);
        }
        self.fill(at, hash, number);
    }

    /// Whether a root is here.
    pub(crate) fn contains(&self, root: u64, known: Known<'_>) -> bool {
        !self.slots.is_empty() && matches!(self.probe(root, mix(root), known), Probe::Known(_))
    }

    /// The roots of all states, in no order.
    pub(crate) fn roots(&self, known: Known<'_>) -> Vec<u64> {
        let mask = number_mask(self.n_bits);
        let numbers = self.slots.iter().filter(|slot| **slot != 0).map(|slot| (slot & mask) as usize - 1);
        numbers.filter_map(|number| known.get(number)).collect()
    }

    pub(crate) fn clear(&mut self) {
        *self = Shard::default();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u32>()
    }
}

fn number_mask(n_bits: u32) -> u32 {
    u32::MAX.checked_shr(32 - n_bits).unwrap_or(0)
}

/// The upper bits of a hash or a slot, which numbers leave free.
fn tag_bits(hash: u32, n_bits: u32) -> u32 {
    hash & !number_mask(n_bits)
}

/// One thread's hold of a shard during a round.
pub struct Sift<'t> {
    pub(crate) number: usize,
    pub(crate) shard: MutexGuard<'t, Shard>,
    pub(crate) known: Known<'t>,
    pub(crate) runs: Option<&'t Runs>,
    /// Candidates that memory does not know but files may, with their places.
    pub(crate) doubtful: Vec<(u64, (u32, u32))>,
}

impl Sift<'_> {
    /// Prepares for this many candidates of the shard, and so many of all shards, which determine how large numbers can be.
    pub fn begin(&mut self, n_candidates: usize, n_all: usize) {
        self.shard.fresh.clear();
        // Doubtful candidates are mostly known; room is made when it is clear which are not.
        let n_sure = if self.runs.is_some() { 1 } else { n_candidates };
        self.shard.reserve(n_sure, self.known.len() + n_all, self.known);
    }

    /// Calls `is_new` with the place of each candidate that neither the table nor an earlier candidate has, unless files must be asked.
    pub fn add(&mut self, candidates: impl Iterator<Item = (u64, (u32, u32))>, mut is_new: impl FnMut((u32, u32))) {
        let mut candidates = candidates.peekable();
        let mut chunk = [(0, 0, (0, 0)); AHEAD];
        while candidates.peek().is_some() {
            let mut len = 0;
            for (root, place) in candidates.by_ref().take(AHEAD) {
                chunk[len] = (root, mix(root), place);
                len += 1;
            }
            let touched = chunk[..len].iter().fold(0, |all, (_, hash, _)| all ^ self.shard.touch(*hash, self.known));
            std::hint::black_box(touched);
            for (root, hash, place) in &chunk[..len] {
                if let Probe::Free(at) = self.shard.probe(*root, *hash, self.known) {
                    if self.runs.is_some() {
                        self.doubtful.push((*root, *place));
                    } else {
                        self.take(at, *root, *hash, *place);
                        is_new(*place);
                    }
                }
            }
        }
    }

    fn take(&mut self, at: usize, root: u64, hash: u64, place: (u32, u32)) {
        let number = self.known.len() + self.shard.fresh.len();
        self.shard.fill(at, hash, number);
        self.shard.fresh.push(Fresh { root, slot: at as u32, place });
    }

    /// Asks the files about the candidates that memory does not know, and calls `is_new` for those that they do not know either.
    pub fn finish(&mut self, mut is_new: impl FnMut((u32, u32))) -> io::Result<()> {
        let Some(runs) = self.runs else { return Ok(()) };
        let mut doubtful = std::mem::take(&mut self.doubtful);
        doubtful.sort_unstable();
        // Of equal ones the first counts.
        doubtful.dedup_by_key(|(root, _)| *root);
        let roots: Vec<u64> = doubtful.iter().map(|(root, _)| *root).collect();
        let mut is_known = vec![false; roots.len()];
        runs.find(self.number, &roots, |idx| is_known[idx] = true)?;
        let n_new = is_known.iter().filter(|is_known| !**is_known).count();
        let largest = self.known.len() + n_new;
        self.shard.reserve(n_new, largest, self.known);
        for ((root, place), _) in doubtful.into_iter().zip(is_known).filter(|(_, is_known)| !is_known) {
            let hash = mix(root);
            if let Probe::Free(at) = self.shard.probe(root, hash, self.known) {
                self.take(at, root, hash, place);
                is_new(place);
            }
        }
        Ok(())
    }

    /// Replaces provisional numbers by real ones.
    pub fn settle(&mut self, number: impl Fn((u32, u32)) -> u32) {
        let shard = &mut *self.shard;
        let mask = number_mask(shard.n_bits);
        for fresh in shard.fresh.drain(..) {
            let slot = &mut shard.slots[fresh.slot as usize];
            let number = number(fresh.place) as usize - self.known.base;
            *slot = (*slot & !mask) | (number as u32 + 1);
        }
    }
}
