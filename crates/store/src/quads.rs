//! Interning table of quads: tuples of four 32-bit ids.
//!
//! The table only grows and is shared through `&self`. Quads lie in segments that double in size and never move. Locked hash tables,
//! sharded by hash, map quads to ids. A per-thread [`QuadCache`] in front of them keeps recent answers, so that locks are rarely
//! contended. Equal quads must have equal ids: otherwise one state has two roots.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};

use hashbrown::HashTable;

const N_SHARDS: usize = 32;
/// Quads of the first segment; each further segment is twice as large.
const FIRST_SEGMENT_QUADS: u32 = 1024;
const N_SEGMENTS: usize = 23;

/// Four ids, two in each half.
pub(crate) type Quad = [u64; 2];

pub(crate) struct Quads {
    shards: [RwLock<HashTable<u32>>; N_SHARDS],
    /// Halves of quads, both of a quad side by side.
    segments: [OnceLock<Box<[AtomicU64]>>; N_SEGMENTS],
    next: AtomicU32,
}

impl Quads {
    pub(crate) fn new() -> Self {
        Quads {
            shards: [const { RwLock::new(HashTable::new()) }; N_SHARDS],
            segments: [const { OnceLock::new() }; N_SEGMENTS],
            next: AtomicU32::new(0),
        }
    }

    /// Quad of an id. [`Quads::id`] returns an id only after its quad is stored.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Quad {
        let (segment, offset) = place(id);
        let halves = self.segments[segment].get().map(Box::as_ref).unwrap_or_default();
        let [first, second] = &halves[2 * offset..2 * offset + 2] else { return Quad::default() };
        [first.load(Ordering::Relaxed), second.load(Ordering::Relaxed)]
    }

    /// Id of a quad. A new quad is added.
    fn id(&self, quad: Quad, hash: u64) -> u32 {
        let shard = &self.shards[(hash >> 40) as usize % N_SHARDS];
        let is_same = |id: &u32| self.get(*id) == quad;
        let table = shard.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = table.find(hash, is_same) {
            return *id;
        }
        drop(table);
        let mut table = shard.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = table.find(hash, is_same) {
            return *id;
        }
        let id = self.push(quad);
        table.insert_unique(hash, id, |id| hash_of(self.get(*id)));
        id
    }

    fn push(&self, quad: Quad) -> u32 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        assert!(id < u32::MAX, "more than 2^32 - 1 different quads");
        let (segment, offset) = place(id);
        let halves = self.segments[segment].get_or_init(|| {
            let len = (FIRST_SEGMENT_QUADS as usize) << segment;
            std::iter::repeat_with(AtomicU64::default).take(2 * len).collect()
        });
        for (place, half) in halves[2 * offset..].iter().zip(quad) {
            place.store(half, Ordering::Relaxed);
        }
        id
    }

    /// Adds a quad that is expected to be new, and returns its id.
    pub(crate) fn add(&self, quad: Quad) -> Option<u32> {
        (self.len() < u64::from(u32::MAX)).then(|| self.id(quad, hash_of(quad)))
    }

    /// Number of distinct quads.
    pub(crate) fn len(&self) -> u64 {
        u64::from(self.next.load(Ordering::Acquire))
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let index = |shard: &RwLock<HashTable<u32>>| {
            shard.read().unwrap_or_else(PoisonError::into_inner).capacity() * (size_of::<u32>() + 1) * 8 / 7
        };
        let ids = self.next.load(Ordering::Relaxed) as usize * size_of::<Quad>();
        ids + self.shards.iter().map(index).sum::<usize>()
    }
}

/// Segment and offset of an id.
fn place(id: u32) -> (usize, usize) {
    let shifted = u64::from(id) + u64::from(FIRST_SEGMENT_QUADS);
    let segment = shifted.ilog2() - FIRST_SEGMENT_QUADS.ilog2();
    let start = u64::from(FIRST_SEGMENT_QUADS) << segment;
    (segment as usize, (shifted - start) as usize)
}

/// Spreads all bits of a number over all bits of its hash (the end of SplitMix64).
pub(crate) fn mix(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[inline]
fn hash_of([first, second]: Quad) -> u64 {
    mix(first ^ second.wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(32))
}

/// Per-thread cache of recently used quads. It grows with the table, since a cache that is much smaller than the table is of little use.
pub struct QuadCache {
    entries: Box<[u32]>,
    n_bits: u32,
}

const FIRST_CACHE_BITS: u32 = 12;
const MAX_CACHE_BITS: u32 = 20;
/// Marks an empty cache entry; no quad has this id.
const NO_QUAD: u32 = u32::MAX;

impl QuadCache {
    pub fn new() -> Self {
        QuadCache::with_bits(FIRST_CACHE_BITS)
    }

    fn with_bits(n_bits: u32) -> Self {
        QuadCache { entries: vec![NO_QUAD; 1 << n_bits].into_boxed_slice(), n_bits }
    }

    /// Begins a lookup: reads the cache.
    #[inline]
    pub(crate) fn begin(&self, quad: Quad) -> Lookup {
        let hash = hash_of(quad);
        Lookup { quad, hash, id: self.entries[(hash >> (64 - self.n_bits)) as usize] }
    }

    /// Id of a quad whose lookup was verified.
    #[inline]
    pub(crate) fn finish(&mut self, quads: &Quads, lookup: &Lookup) -> u32 {
        if lookup.id != NO_QUAD { lookup.id } else { self.ask(quads, lookup.quad, lookup.hash) }
    }

    #[inline]
    pub(crate) fn id(&mut self, quads: &Quads, quad: Quad) -> u32 {
        let hash = hash_of(quad);
        let id = self.entries[(hash >> (64 - self.n_bits)) as usize];
        if id != NO_QUAD && quads.get(id) == quad {
            return id;
        }
        self.ask(quads, quad, hash)
    }

    fn ask(&mut self, quads: &Quads, quad: Quad, hash: u64) -> u32 {
        if self.n_bits < MAX_CACHE_BITS && quads.len() > self.entries.len() as u64 {
            *self = QuadCache::with_bits(self.n_bits + 2);
        }
        let id = quads.id(quad, hash);
        self.entries[(hash >> (64 - self.n_bits)) as usize] = id;
        id
    }
}

/// Lookup in three steps, each of which waits for memory at most once: those of several quads overlap.
pub(crate) struct Lookup {
    quad: Quad,
    hash: u64,
    /// Id that the cache has for the hash.
    id: u32,
}

impl Lookup {
    /// Forgets the id unless it is that of the quad.
    #[inline]
    pub(crate) fn verify(&mut self, quads: &Quads) {
        if self.id != NO_QUAD && quads.get(self.id) != self.quad {
            self.id = NO_QUAD;
        }
    }
}

impl Default for QuadCache {
    fn default() -> Self {
        QuadCache::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_agree_on_ids() {
        let quads = Quads::new();
        let quad = |n: u64| [(n % 7000) << 20, n % 7];
        let n_quads = (0..32_000).map(quad).collect::<std::collections::HashSet<_>>().len();
        let ids: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let work = |start: u64| {
                let mut cache = QuadCache::new();
                (start..start + 20_000).map(|n| cache.id(&quads, quad(n))).collect()
            };
            let workers: Vec<_> = (0..4).map(|idx| scope.spawn(move || work(idx * 4000))).collect();
            workers.into_iter().filter_map(|handle| handle.join().ok()).collect()
        });
        assert_eq!(quads.len(), n_quads as u64);
        for (start, ids) in (0_u64..).step_by(4000).zip(&ids) {
            for (n, id) in (start..).zip(ids) {
                assert_eq!(quads.get(*id), quad(n));
            }
        }
    }
}
