//! Hash index from roots to state numbers: open addressing with 32-bit slots. Large shards have a load factor of 70 to 85 %, small ones less.
//!
//! A slot is 0, or has a state number plus one in its low bits and a tag from the hash of the root in the other bits. The tag avoids most comparisons
//! of roots. Numbers are relative to the first state that is not spilled. While candidates of a block are sifted (`sift.rs`), new ones have provisional
//! numbers, which are replaced at the end of the block when the real numbers are known.

use crate::quads::mix;
use crate::roots::Roots;
use crate::sift::CandidatePlace;

/// Number of shards of the index: enough for many threads, few enough for small tables.
pub const N_SHARDS: usize = 32;

/// Low bits of a root that choose neither its shard nor its bucket, so that states with neighbouring ids, which are often met together, lie together.
pub(crate) const NEAR_BITS: u32 = 3;

/// Shard of a root.
pub fn shard_of(root: u64) -> usize {
    (mix(root >> NEAR_BITS) >> (u64::BITS - N_SHARDS.ilog2())) as usize
}

#[derive(Default)]
pub(crate) struct Shard {
    slots: Vec<u32>,
    n_used: usize,
    /// Bits of a slot that hold the number.
    n_bits: u32,
    /// New states of this block.
    pub(crate) fresh: Vec<Fresh>,
}

/// Roots that slots refer to: those of the states from `base` on.
#[derive(Clone, Copy)]
pub(crate) struct Known<'t> {
    pub(crate) roots: &'t Roots,
    pub(crate) base: usize,
}

impl Known<'_> {
    pub(crate) fn len(self) -> usize {
        self.roots.len() - self.base
    }

    pub(crate) fn get(self, number: usize) -> Option<u64> {
        (number < self.len()).then(|| self.roots.get(self.base + number))
    }
}

/// New state of this block.
pub(crate) struct Fresh {
    root: u64,
    slot: u32,
    pub(crate) place: CandidatePlace,
}

pub(crate) enum Probe {
    Known(u32),
    Free(usize),
}

/// Shards with fewer slots trade memory for speed.
const MIN_DENSE_SLOTS: usize = 1 << 17;

/// Slots that are prefetched together, so that waits for memory overlap.
pub(crate) const PREFETCH_SLOTS: usize = 16;

impl Shard {
    /// Makes room for `more` states with numbers up to `largest`.
    pub(crate) fn reserve(&mut self, more: usize, largest: usize, known: Known<'_>) {
        // The caller ensures that numbers fit into 32 bits.
        let n_bits = usize::BITS - (largest + 1).leading_zeros();
        if n_bits > self.n_bits {
            self.widen(n_bits);
        }
        let needed = self.n_used + more;
        let (fullest, next) = if self.slots.len() < MIN_DENSE_SLOTS { (60, needed * 3) } else { (85, needed * 10 / 7) };
        if needed * 100 > self.slots.len() * fullest {
            self.grow(next + 64, known);
        }
    }

    /// Widens the number field; the tag keeps the upper bits of the hash.
    fn widen(&mut self, n_bits: u32) {
        for slot in self.slots.iter_mut().filter(|slot| **slot != 0) {
            *slot = tag_bits(*slot, n_bits) | (*slot & number_mask(self.n_bits));
        }
        self.n_bits = n_bits;
    }

    fn grow(&mut self, len: usize, known: Known<'_>) {
        let old = std::mem::replace(&mut self.slots, vec![0; len.max(16)]);
        for chunk in old.chunks(PREFETCH_SLOTS) {
            let number = |slot: u32| ((slot & number_mask(self.n_bits)) as usize).wrapping_sub(1);
            let found: [u64; PREFETCH_SLOTS] =
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

    pub(crate) fn probe(&self, root: u64, hash: u64, known: Known<'_>) -> Probe {
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

    /// Prefetches the first slot and root that [`Shard::probe`] will read.
    pub(crate) fn touch(&self, hash: u64, known: Known<'_>) -> u64 {
        let slot = self.slots[self.start(hash)];
        let number = ((slot & number_mask(self.n_bits)) as usize).wrapping_sub(1);
        known.get(number).unwrap_or(0)
    }

    fn fill(&mut self, at: usize, hash: u64, number: usize) {
        self.slots[at] = tag_bits(hash as u32, self.n_bits) | (number as u32 + 1);
        self.n_used += 1;
    }

    /// Returns the number of a known root. Adds a new root with the next number and returns `None`.
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

    /// Adds a state that is known to be new, with its number.
    pub(crate) fn add(&mut self, root: u64, number: usize, known: Known<'_>) {
        self.reserve(1, number + 1, known);
        let hash = mix(root);
        let mut at = self.start(hash);
        while self.slots[at] != 0 {
            at = self.after(at);
        }
        self.fill(at, hash, number);
    }

    /// Number of a root, if the shard has it.
    pub(crate) fn find(&self, root: u64, known: Known<'_>) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        match self.probe(root, mix(root), known) {
            Probe::Known(number) => Some(number),
            Probe::Free(_) => None,
        }
    }

    /// The roots of all states with their numbers, unordered.
    pub(crate) fn roots(&self, known: Known<'_>) -> Vec<(u64, u32)> {
        let mask = number_mask(self.n_bits);
        let numbers = self.slots.iter().filter(|slot| **slot != 0).map(|slot| (slot & mask) as usize - 1);
        numbers.filter_map(|number| Some((known.get(number)?, (known.base + number) as u32))).collect()
    }

    /// Adds a new candidate under a provisional number.
    pub(crate) fn take(&mut self, at: usize, root: u64, hash: u64, place: CandidatePlace, known: Known<'_>) {
        let number = known.len() + self.fresh.len();
        self.fill(at, hash, number);
        self.fresh.push(Fresh { root, slot: at as u32, place });
    }

    /// Replaces provisional numbers by real ones.
    pub(crate) fn settle(&mut self, base: usize, number: impl Fn(CandidatePlace) -> u32) {
        let mask = number_mask(self.n_bits);
        for fresh in self.fresh.drain(..) {
            let slot = &mut self.slots[fresh.slot as usize];
            let number = number(fresh.place) as usize - base;
            *slot = (*slot & !mask) | (number as u32 + 1);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u32>()
    }
}

fn number_mask(n_bits: u32) -> u32 {
    u32::MAX.checked_shr(32 - n_bits).unwrap_or(0)
}

/// Tag: upper bits of a hash or slot that the number field leaves free.
fn tag_bits(hash: u32, n_bits: u32) -> u32 {
    hash & !number_mask(n_bits)
}
