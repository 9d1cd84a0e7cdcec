//! Interning table of pairs of 32-bit ids.
//!
//! The table only grows and is shared through `&self`. Pairs lie in segments that double in size and never move. Locked hash tables,
//! sharded by hash, map pairs to ids. A per-thread [`PairCache`] in front of them keeps recent answers, so that locks are rarely
//! contended. Equal pairs must have equal ids: otherwise one state has two roots.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};

use hashbrown::HashTable;

const N_SHARDS: usize = 32;
/// Pairs of the first segment; each further segment is twice as large.
const FIRST_SEGMENT_PAIRS: u32 = 1024;
const N_SEGMENTS: usize = 23;

pub(crate) struct Pairs {
    shards: [RwLock<HashTable<u32>>; N_SHARDS],
    segments: [OnceLock<Box<[AtomicU64]>>; N_SEGMENTS],
    next: AtomicU32,
}

impl Pairs {
    pub(crate) fn new() -> Self {
        Pairs {
            shards: [const { RwLock::new(HashTable::new()) }; N_SHARDS],
            segments: [const { OnceLock::new() }; N_SEGMENTS],
            next: AtomicU32::new(0),
        }
    }

    /// Pair of an id. [`Pairs::id`] returns an id only after its pair is stored.
    pub(crate) fn get(&self, id: u32) -> u64 {
        let (segment, offset) = place(id);
        let pairs = self.segments[segment].get().map(Box::as_ref).unwrap_or_default();
        pairs[offset].load(Ordering::Relaxed)
    }

    /// Id of a pair. A new pair is added.
    fn id(&self, pair: u64, hash: u64) -> u32 {
        let shard = &self.shards[(hash >> 40) as usize % N_SHARDS];
        let is_same = |id: &u32| self.get(*id) == pair;
        let table = shard.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = table.find(hash, is_same) {
            return *id;
        }
        drop(table);
        let mut table = shard.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = table.find(hash, is_same) {
            return *id;
        }
        let id = self.push(pair);
        table.insert_unique(hash, id, |id| mix(self.get(*id)));
        id
    }

    fn push(&self, pair: u64) -> u32 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        assert!(id < u32::MAX, "more than 2^32 - 1 different pairs");
        let (segment, offset) = place(id);
        let pairs = self.segments[segment].get_or_init(|| {
            let len = (FIRST_SEGMENT_PAIRS as usize) << segment;
            std::iter::repeat_with(AtomicU64::default).take(len).collect()
        });
        pairs[offset].store(pair, Ordering::Relaxed);
        id
    }

    /// Adds a pair that is expected to be new, and returns its id.
    pub(crate) fn add(&self, pair: u64) -> Option<u32> {
        (self.len() < u64::from(u32::MAX)).then(|| self.id(pair, mix(pair)))
    }

    /// Number of distinct pairs.
    pub(crate) fn len(&self) -> u64 {
        u64::from(self.next.load(Ordering::Acquire))
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let index = |shard: &RwLock<HashTable<u32>>| {
            shard.read().unwrap_or_else(PoisonError::into_inner).capacity() * (size_of::<u32>() + 1) * 8 / 7
        };
        let ids = self.next.load(Ordering::Relaxed) as usize * size_of::<u64>();
        ids + self.shards.iter().map(index).sum::<usize>()
    }
}

/// Segment and offset of an id.
fn place(id: u32) -> (usize, usize) {
    let shifted = u64::from(id) + u64::from(FIRST_SEGMENT_PAIRS);
    let segment = shifted.ilog2() - FIRST_SEGMENT_PAIRS.ilog2();
    let start = u64::from(FIRST_SEGMENT_PAIRS) << segment;
    (segment as usize, (shifted - start) as usize)
}

/// Spreads all bits of a pair over all bits of its hash (the end of SplitMix64).
pub(crate) fn mix(pair: u64) -> u64 {
    let mixed = pair.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Per-thread cache of recently used pairs. It grows with the table, since a cache that is much smaller than the table is of little use.
pub struct PairCache {
    entries: Box<[(u64, u32)]>,
    n_bits: u32,
}

const FIRST_CACHE_BITS: u32 = 12;
const MAX_CACHE_BITS: u32 = 18;
/// Marks an empty cache entry; no pair has this id.
const NO_PAIR: u32 = u32::MAX;

impl PairCache {
    pub fn new() -> Self {
        PairCache::with_bits(FIRST_CACHE_BITS)
    }

    fn with_bits(n_bits: u32) -> Self {
        PairCache { entries: vec![(0, NO_PAIR); 1 << n_bits].into_boxed_slice(), n_bits }
    }

    #[inline]
    pub(crate) fn id(&mut self, pairs: &Pairs, pair: u64) -> u32 {
        let hash = mix(pair);
        let (known, id) = self.entries[(hash >> (64 - self.n_bits)) as usize];
        if known == pair && id != NO_PAIR {
            return id;
        }
        self.ask(pairs, pair, hash)
    }

    fn ask(&mut self, pairs: &Pairs, pair: u64, hash: u64) -> u32 {
        if self.n_bits < MAX_CACHE_BITS && pairs.len() > self.entries.len() as u64 {
            *self = PairCache::with_bits(self.n_bits + 2);
        }
        let id = pairs.id(pair, hash);
        self.entries[(hash >> (64 - self.n_bits)) as usize] = (pair, id);
        id
    }
}

impl Default for PairCache {
    fn default() -> Self {
        PairCache::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_agree_on_ids() {
        let pairs = Pairs::new();
        let ids: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let work = |start: u64| {
                let mut cache = PairCache::new();
                (start..start + 20_000).map(|n| cache.id(&pairs, (n % 7000) << 20)).collect()
            };
            let workers: Vec<_> = (0..4).map(|idx| scope.spawn(move || work(idx * 3000))).collect();
            workers.into_iter().filter_map(|handle| handle.join().ok()).collect()
        });
        assert_eq!(pairs.next.load(Ordering::Relaxed), 7000);
        for (start, ids) in (0_u64..).step_by(3000).zip(&ids) {
            for (n, id) in (start..).zip(ids) {
                assert_eq!(pairs.get(*id), (n % 7000) << 20);
            }
        }
    }
}
