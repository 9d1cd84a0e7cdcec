//! Interning table of quads: tuples of four 32-bit ids.
//!
//! The table only grows and is shared through `&self`. Quads lie in segments that never move. Hash tables, sharded by hash, map quads to ids. A
//! per-thread [`QuadCache`] keeps recent answers, and the tables of all shards as they were when the thread looked last: an old table has true entries, so
//! known quads are found without a lock, and only what is missing there is looked for, and added, under the lock of the shard. Equal quads must have equal ids:
//! otherwise one state has two roots.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use abridge_value::Segments;

const N_SHARDS: usize = 32;
/// Slots of the first table of the first shard.
const FIRST_SLOTS: usize = 64;

/// Slots of the first table of a shard. Those of the shards are spread over a doubling: since all shards have about as many quads, they would
/// otherwise double at the same time, and a block of states could take half as much memory again as all tables had.
fn first_slots(shard: usize) -> usize {
    FIRST_SLOTS + FIRST_SLOTS * shard / N_SHARDS
}
/// Quads of the first segment.
const FIRST_SEGMENT_QUADS: u32 = 1024;

/// Four ids, two in each half.
pub(crate) type Quad = [u64; 2];

/// Hash table of a shard: open addressing. A slot is 0, or has an id plus one in its low bits and bits of the hash of the quad in the others.
#[derive(Default)]
struct Slots {
    /// Bits of an id plus one.
    n_bits: u32,
    slots: Box<[AtomicU32]>,
}

impl Slots {
    /// A table for ids up to one, and some more.
    fn new(len: usize, id: u32) -> Slots {
        let n_bits = (u32::BITS - (id + 1).leading_zeros() + 1).min(u32::BITS);
        Slots { n_bits, slots: std::iter::repeat_with(AtomicU32::default).take(len).collect() }
    }

    /// The bits of an id plus one.
    fn mask(&self) -> u32 {
        u32::MAX.checked_shr(u32::BITS - self.n_bits).unwrap_or(0)
    }

    fn first(&self, hash: u64) -> usize {
        (((hash >> 32) * self.slots.len() as u64) >> 32) as usize
    }

    fn after(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() { 0 } else { at + 1 }
    }

    fn fill(&self, hash: u64, id: u32) {
        let mut at = self.first(hash);
        while self.slots[at].load(Ordering::Relaxed) != 0 {
            at = self.after(at);
        }
        self.slots[at].store(hash as u32 & !self.mask() | (id + 1), Ordering::Release);
    }
}

#[derive(Default)]
struct QuadShard {
    /// The present table; it is replaced by a larger one and never changes otherwise, but for empty slots that are filled.
    table: Arc<Slots>,
    n_used: usize,
}

/// Shard of a hash.
fn shard_of(hash: u64) -> usize {
    (hash >> 8) as usize % N_SHARDS
}

/// Number of quads, apart from what all threads read: each new quad changes it.
#[repr(align(128))]
#[derive(Default)]
struct Count(AtomicU32);

pub(crate) struct Quads {
    shards: [Mutex<QuadShard>; N_SHARDS],
    /// Halves of quads.
    segments: Segments<[AtomicU64; 2], FIRST_SEGMENT_QUADS>,
    count: Count,
}

impl Quads {
    pub(crate) fn new() -> Self {
        Quads {
            shards: std::array::from_fn(|_| Mutex::default()),
            segments: Segments::default(),
            count: Count::default(),
        }
    }

    /// Quad of an id. [`Quads::id`] returns an id only after its quad is stored.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Quad {
        let Some([first, second]) = self.segments.get(id) else { return Quad::default() };
        [first.load(Ordering::Relaxed), second.load(Ordering::Relaxed)]
    }

    /// Id of a quad that a table of its shard has.
    fn find(&self, table: &Slots, quad: Quad, hash: u64) -> Option<u32> {
        let mask = table.mask();
        let mut at = table.first(hash);
        loop {
            let slot = table.slots.get(at)?.load(Ordering::Acquire);
            let id = (slot & mask).checked_sub(1)?;
            if (slot ^ hash as u32) & !mask == 0 && self.get(id) == quad {
                return Some(id);
            }
            at = table.after(at);
        }
    }

    /// Id of a quad. A new quad is added. `seen` becomes the present table of its shard.
    fn id(&self, quad: Quad, hash: u64, seen: &mut Arc<Slots>) -> u32 {
        let mut shard = self.shards[shard_of(hash)].lock().unwrap_or_else(PoisonError::into_inner);
        let id = self.find(&shard.table, quad, hash).unwrap_or_else(|| {
            let id = self.push(quad);
            self.add_to(&mut shard, hash, id);
            id
        });
        if !Arc::ptr_eq(seen, &shard.table) {
            seen.clone_from(&shard.table);
        }
        id
    }

    /// Adds an id to a shard that does not have its quad.
    fn add_to(&self, shard: &mut QuadShard, hash: u64, id: u32) {
        let len = shard.table.slots.len();
        let is_full = shard.n_used * 10 >= len * 7;
        if is_full || id >= shard.table.mask() {
            let larger = Slots::new(if is_full { first_slots(shard_of(hash)).max(2 * len) } else { len }, id);
            let mask = shard.table.mask();
            let known = shard.table.slots.iter().map(|slot| slot.load(Ordering::Relaxed) & mask);
            known.filter_map(|id| id.checked_sub(1)).for_each(|id| larger.fill(hash_of(self.get(id)), id));
            shard.table = Arc::new(larger);
        }
        shard.table.fill(hash, id);
        shard.n_used += 1;
    }

    fn push(&self, quad: Quad) -> u32 {
        let id = self.count.0.fetch_add(1, Ordering::Relaxed);
        assert!(id < u32::MAX, "more than 2^32 - 1 different quads");
        for (place, half) in self.segments.grow_to(id).iter().zip(quad) {
            place.store(half, Ordering::Relaxed);
        }
        id
    }

    /// Adds a quad that is expected to be new, and returns its id.
    pub(crate) fn add(&self, quad: Quad) -> Option<u32> {
        (self.len() < u64::from(u32::MAX)).then(|| self.id(quad, hash_of(quad), &mut Arc::default()))
    }

    /// Number of distinct quads.
    pub(crate) fn len(&self) -> u64 {
        u64::from(self.count.0.load(Ordering::Acquire))
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let index =
            |shard: &Mutex<QuadShard>| size_of_val(&*shard.lock().unwrap_or_else(PoisonError::into_inner).table.slots);
        let ids = self.count.0.load(Ordering::Relaxed) as usize * size_of::<Quad>();
        ids + self.shards.iter().map(index).sum::<usize>()
    }
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
    /// Tables of the shards, as they were seen last.
    seen: [Arc<Slots>; N_SHARDS],
}

const FIRST_CACHE_BITS: u32 = 12;
const MAX_CACHE_BITS: u32 = 20;
/// Marks an empty cache entry; no quad has this id.
const NO_QUAD: u32 = u32::MAX;

fn no_quads(n_bits: u32) -> Box<[u32]> {
    vec![NO_QUAD; 1 << n_bits].into_boxed_slice()
}

impl QuadCache {
    pub fn new() -> Self {
        let n_bits = FIRST_CACHE_BITS;
        QuadCache { entries: no_quads(n_bits), n_bits, seen: std::array::from_fn(|_| Arc::default()) }
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

    #[cold]
    fn grow(&mut self, quads: &Quads) {
        self.n_bits += 2;
        let old = std::mem::replace(&mut self.entries, no_quads(self.n_bits));
        for id in old.into_iter().filter(|id| *id != NO_QUAD) {
            self.entries[(hash_of(quads.get(id)) >> (64 - self.n_bits)) as usize] = id;
        }
    }

    fn ask(&mut self, quads: &Quads, quad: Quad, hash: u64) -> u32 {
        if self.n_bits < MAX_CACHE_BITS && quads.len() > self.entries.len() as u64 {
            self.grow(quads);
        }
        let seen = &mut self.seen[shard_of(hash)];
        let id = quads.find(seen, quad, hash).unwrap_or_else(|| quads.id(quad, hash, seen));
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
    fn tables_grow_one_after_the_other() {
        let quads = Quads::new();
        let mut cache = QuadCache::new();
        let mut before = quads.bytes();
        for n in 0..400_000_u64 {
            cache.id(&quads, [n, n / 3]);
            if n.is_multiple_of(4096) {
                let now = quads.bytes();
                assert!(n < 100_000 || now <= before + before / 10, "{before} bytes, then {now}");
                before = now;
            }
        }
    }

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
