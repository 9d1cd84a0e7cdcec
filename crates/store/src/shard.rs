//! From roots to numbers: open addressing with 32-bit slots, filled to about four fifths.
//!
//! A slot is 0, or the number of a state plus one in its low bits and some bits of the hash of its root in the others, so that few
//! roots are looked at in vain. Candidates of one round are sifted: one that is new gets a provisional number, the states so far plus
//! its position among the new ones of the shard, until the round is over and the real numbers are known.

use std::sync::MutexGuard;

use crate::pairs::mix;

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

/// How far ahead slots and roots are touched, so that the waits for memory overlap.
const AHEAD: usize = 16;

impl Shard {
    /// Makes room for more states, the largest number of which is given.
    pub(crate) fn reserve(&mut self, more: usize, largest: usize, roots: &[u64]) {
        let n_bits = usize::BITS - (largest + 1).leading_zeros();
        assert!(n_bits <= 32, "more than 2^32 - 2 states");
        if n_bits > self.n_bits {
            self.widen(n_bits);
        }
        let needed = self.n_used + more;
        if needed * 8 > self.slots.len() * 7 {
            self.grow((needed * 3 / 2).min(needed + self.slots.len() / 3 + 64), roots);
        }
    }

    /// Gives more bits to numbers; the bits of the hash that remain are its upper ones.
    fn widen(&mut self, n_bits: u32) {
        for slot in self.slots.iter_mut().filter(|slot| **slot != 0) {
            *slot = tag_bits(*slot, n_bits) | (*slot & number_mask(self.n_bits));
        }
        self.n_bits = n_bits;
    }

    fn grow(&mut self, len: usize, roots: &[u64]) {
        let old = std::mem::replace(&mut self.slots, vec![0; len.max(16)]);
        for chunk in old.chunks(AHEAD) {
            let number = |slot: u32| ((slot & number_mask(self.n_bits)) as usize).wrapping_sub(1);
            let found: [u64; AHEAD] = std::array::from_fn(|idx| {
                chunk.get(idx).and_then(|slot| roots.get(number(*slot))).copied().unwrap_or_default()
            });
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

    fn probe(&self, root: u64, hash: u64, roots: &[u64]) -> Probe {
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
                let stored = roots.get(number).copied().unwrap_or_else(|| self.fresh[number - roots.len()].root);
                if stored == root {
                    return Probe::Known(number as u32);
                }
            }
            at = self.after(at);
        }
    }

    /// Reads what [`Shard::probe`] will read first.
    fn touch(&self, hash: u64, roots: &[u64]) -> u64 {
        let slot = self.slots[self.start(hash)];
        let number = ((slot & number_mask(self.n_bits)) as usize).wrapping_sub(1);
        roots.get(number).copied().unwrap_or(0)
    }

    fn fill(&mut self, at: usize, hash: u64, number: usize) {
        self.slots[at] = tag_bits(hash as u32, self.n_bits) | (number as u32 + 1);
        self.n_used += 1;
    }

    /// The number of a root, or the given one from now on.
    pub(crate) fn insert(&mut self, root: u64, roots: &[u64]) -> Option<u32> {
        self.reserve(1, roots.len() + 1, roots);
        let hash = mix(root);
        match self.probe(root, hash, roots) {
            Probe::Known(number) => Some(number),
            Probe::Free(at) => {
                self.fill(at, hash, roots.len());
                None
            }
        }
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
    pub(crate) shard: MutexGuard<'t, Shard>,
    pub(crate) roots: &'t [u64],
}

impl Sift<'_> {
    /// Prepares for this many candidates of the shard, and so many of all shards, which determine how large numbers can be.
    pub fn begin(&mut self, n_candidates: usize, n_all: usize) {
        self.shard.fresh.clear();
        self.shard.reserve(n_candidates, self.roots.len() + n_all, self.roots);
    }

    /// Calls `is_new` with the place of each candidate that neither the table nor an earlier candidate has.
    pub fn add(&mut self, candidates: impl Iterator<Item = (u64, (u32, u32))>, mut is_new: impl FnMut((u32, u32))) {
        let mut candidates = candidates.peekable();
        let mut chunk = [(0, 0, (0, 0)); AHEAD];
        while candidates.peek().is_some() {
            let mut len = 0;
            for (root, place) in candidates.by_ref().take(AHEAD) {
                chunk[len] = (root, mix(root), place);
                len += 1;
            }
            let touched = chunk[..len].iter().fold(0, |all, (_, hash, _)| all ^ self.shard.touch(*hash, self.roots));
            std::hint::black_box(touched);
            for (root, hash, place) in &chunk[..len] {
                if let Probe::Free(at) = self.shard.probe(*root, *hash, self.roots) {
                    let number = self.roots.len() + self.shard.fresh.len();
                    self.shard.fill(at, *hash, number);
                    self.shard.fresh.push(Fresh { root: *root, slot: at as u32, place: *place });
                    is_new(*place);
                }
            }
        }
    }

    /// Replaces provisional numbers by real ones.
    pub fn settle(&mut self, number: impl Fn((u32, u32)) -> u32) {
        let shard = &mut *self.shard;
        let mask = number_mask(shard.n_bits);
        for fresh in shard.fresh.drain(..) {
            let slot = &mut shard.slots[fresh.slot as usize];
            *slot = (*slot & !mask) | (number(fresh.place) + 1);
        }
    }
}
