//! Interner: values as 32-bit ids, with equal ids if and only if equal values.
//!
//! The table only grows and is shared by all workers through `&self`. Locked hash tables, sharded by hash, map values to ids.
//! The values lie in segments that double in size and never move, so a lookup by id takes no lock. Small
//! natural numbers are not hashed; a direct table has their ids. A state is a vector of ids, so two ids for one value would split a state.

use std::fmt;
use std::hash::{BuildHasher as _, Hash};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use abridge_diag::with_stack;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::value::Value;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

impl fmt::Debug for ValueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

const N_SHARDS: usize = 16;
/// Values of the first segment; each further segment is twice as large.
const FIRST_SEGMENT_VALUES: u32 = 8;
/// Number of segments, enough for 2^32 values.
const N_SEGMENTS: usize = 30;

/// Types that can be interned.
pub trait Internable: Clone + Eq + Hash {
    /// The value as a small number, if it is one; distinct values give distinct numbers.
    fn as_small(&self) -> Option<u32> {
        None
    }

    /// Bytes on the heap that it holds, roughly.
    fn owned_bytes(&self) -> usize {
        0
    }
}

impl Internable for Value {
    fn as_small(&self) -> Option<u32> {
        match self {
            Value::Int(n) => u32::try_from(*n).ok(),
            _ => None,
        }
    }

    fn owned_bytes(&self) -> usize {
        Value::owned_bytes(self)
    }
}

impl Internable for Box<[u32]> {
    fn owned_bytes(&self) -> usize {
        size_of_val::<[u32]>(self)
    }
}

impl<T: Clone + Eq + Hash> Internable for Arc<T> {}

/// Numbers below this have an entry in the direct table.
const N_SMALL: u32 = 1 << 22;
/// Entries of the direct table that are allocated together.
const CHUNK_ENTRIES: usize = 1 << 12;

type Chunk = OnceLock<Box<[AtomicU32]>>;

pub struct Interner<T = Value> {
    /// Ids of small numbers plus one; zero without an id. Chunks are allocated on demand, and a frugal interner has none.
    small: OnceLock<Box<[Chunk]>>,
    shards: [RwLock<HashTable<u32>>; N_SHARDS],
    segments: [OnceLock<Box<[OnceLock<T>]>>; N_SEGMENTS],
    /// The next free id. An id below it may lack its value for the moment between reservation and store.
    next: AtomicU32,
    /// Bytes that the values hold.
    owned: AtomicU64,
}

/// Values may be deep.
impl<T> Drop for Interner<T> {
    fn drop(&mut self) {
        with_stack(|| {
            self.segments.iter_mut().for_each(|segment| drop(segment.take()));
        });
    }
}

impl<T: Internable> Interner<T> {
    pub fn new() -> Self {
        Interner {
            small: OnceLock::new(),
            shards: [const { RwLock::new(HashTable::new()) }; N_SHARDS],
            segments: [const { OnceLock::new() }; N_SEGMENTS],
            next: AtomicU32::new(0),
            owned: AtomicU64::new(0),
        }
    }

    /// An interner without a direct table, for one of very many that have few values each.
    pub fn frugal() -> Self {
        let interner = Interner::new();
        interner.small.get_or_init(Box::default);
        interner
    }

    /// The id of a value, which is added if it is new.
    ///
    /// # Panics
    /// If there are more than 2^32 - 1 different values.
    pub fn intern(&self, value: &T) -> ValueId {
        match self.small_place(value) {
            Some(place) => self.intern_small(place, value),
            None => self.intern_hashed(value),
        }
    }

    /// Entry of the direct table for a small number.
    fn small_place(&self, value: &T) -> Option<&AtomicU32> {
        let n = value.as_small().filter(|n| *n < N_SMALL)? as usize;
        let chunks = self.small.get_or_init(|| (0..N_SMALL as usize / CHUNK_ENTRIES).map(|_| Chunk::new()).collect());
        let chunk =
            chunks.get(n / CHUNK_ENTRIES)?.get_or_init(|| (0..CHUNK_ENTRIES).map(|_| AtomicU32::new(0)).collect());
        Some(&chunk[n % CHUNK_ENTRIES])
    }

    fn intern_small(&self, place: &AtomicU32, value: &T) -> ValueId {
        let known = place.load(Ordering::Acquire);
        if known != 0 {
            return ValueId(known - 1);
        }
        // Any single lock prevents two workers from giving a number two ids.
        let _guard = self.shards[0].write().unwrap_or_else(PoisonError::into_inner);
        let known = place.load(Ordering::Acquire);
        if known != 0 {
            return ValueId(known - 1);
        }
        let id = self.push(value.clone());
        place.store(id.0 + 1, Ordering::Release);
        id
    }

    fn intern_hashed(&self, value: &T) -> ValueId {
        let hash = FxBuildHasher.hash_one(value);
        let shard = self.shard(hash);
        let is_same = |id: &u32| self.get(ValueId(*id)) == value;
        let table = shard.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = table.find(hash, is_same) {
            return ValueId(*id);
        }
        drop(table);
        let mut table = shard.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = table.find(hash, is_same) {
            return ValueId(*id);
        }
        let id = self.push(value.clone());
        table.insert_unique(hash, id.0, |id| FxBuildHasher.hash_one(self.get(ValueId(*id))));
        id
    }

    /// The id of a value that was interned before.
    pub fn find(&self, value: &T) -> Option<ValueId> {
        if let Some(place) = self.small_place(value) {
            return place.load(Ordering::Acquire).checked_sub(1).map(ValueId);
        }
        let hash = FxBuildHasher.hash_one(value);
        let table = self.shard(hash).read().unwrap_or_else(PoisonError::into_inner);
        table.find(hash, |id| self.get(ValueId(*id)) == value).map(|id| ValueId(*id))
    }

    /// Hash for the tables, which use its low and top bits.
    fn shard(&self, hash: u64) -> &RwLock<HashTable<u32>> {
        &self.shards[(hash >> 40) as usize % N_SHARDS]
    }

    /// The value of an id that [`Interner::intern`] gave.
    ///
    /// # Panics
    /// If the id comes from another interner.
    pub fn get(&self, id: ValueId) -> &T {
        let (segment, offset) = place(id.0);
        let value = self.segments[segment].get().and_then(|items| items[offset].get());
        value.expect("ids come from the interner they are used with")
    }

    /// Number of distinct values.
    pub fn len(&self) -> usize {
        self.next.load(Ordering::Acquire) as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of the values and of what finds them.
    pub fn bytes(&self) -> u64 {
        let place = size_of::<OnceLock<T>>() + size_of::<u32>() + 1;
        self.owned.load(Ordering::Relaxed) + (self.len() * place) as u64
    }

    fn push(&self, value: T) -> ValueId {
        self.owned.fetch_add(value.owned_bytes() as u64, Ordering::Relaxed);
        let id = self.next.fetch_add(1, Ordering::AcqRel);
        assert!(id < u32::MAX, "more than 2^32 - 1 different values");
        let (segment, offset) = place(id);
        let items = self.segments[segment].get_or_init(|| {
            let len = (FIRST_SEGMENT_VALUES as usize) << segment;
            std::iter::repeat_with(OnceLock::new).take(len).collect()
        });
        // The id was reserved by this thread, so its place is free.
        let _ = items[offset].set(value);
        ValueId(id)
    }
}

/// Segment and offset of an id.
fn place(id: u32) -> (usize, usize) {
    let shifted = u64::from(id) + u64::from(FIRST_SEGMENT_VALUES);
    let segment = shifted.ilog2() - FIRST_SEGMENT_VALUES.ilog2();
    let start = u64::from(FIRST_SEGMENT_VALUES) << segment;
    (segment as usize, (shifted - start) as usize)
}

impl<T: Internable> Default for Interner<T> {
    fn default() -> Self {
        Interner::new()
    }
}

impl<T: Internable> fmt::Debug for Interner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Interner({} values)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_dense() {
        assert_eq!(place(0), (0, 0));
        assert_eq!(place(7), (0, 7));
        assert_eq!(place(8), (1, 0));
        assert_eq!(place(23), (1, 15));
        assert_eq!(place(24), (2, 0));
        let (segment, offset) = place(u32::MAX);
        assert!(segment < N_SEGMENTS && offset < (FIRST_SEGMENT_VALUES as usize) << segment);
    }

    #[test]
    fn numbers_have_one_id_each() {
        for interner in [Interner::new(), Interner::frugal()] {
            numbers_have_one_id_in(&interner);
        }
    }

    fn numbers_have_one_id_in(interner: &Interner) {
        let large = i64::from(N_SMALL);
        let numbers = [0, 1, 4095, 4096, large - 1, large, -1, i64::MAX, i64::MIN];
        for (idx, n) in (0..).zip(numbers) {
            assert_eq!(interner.find(&Value::Int(n)), None);
            assert_eq!(interner.intern(&Value::Int(n)), ValueId(idx));
        }
        for (idx, n) in (0..).zip(numbers) {
            assert_eq!(interner.intern(&Value::Int(n)), ValueId(idx));
            assert_eq!(interner.find(&Value::Int(n)), Some(ValueId(idx)));
            assert_eq!(interner.get(ValueId(idx)), &Value::Int(n));
        }
        assert_eq!(interner.len(), numbers.len());
    }

    #[test]
    fn workers_agree_on_ids() {
        let interner = Interner::new();
        let value = |n: i64| match n % 5000 {
            n if n % 3 == 0 => Value::Int(n),
            n => Value::pair(Value::Int(n), Value::Bool(n % 2 == 0)),
        };
        let ids: Vec<Vec<ValueId>> = std::thread::scope(|scope| {
            let worker = |start: i64| (start..start + 10_000).map(|n| interner.intern(&value(n))).collect();
            let workers: Vec<_> = (0..4).map(|idx| scope.spawn(move || worker(idx * 2500))).collect();
            workers.into_iter().filter_map(|handle| handle.join().ok()).collect()
        });
        assert_eq!(interner.len(), 5000);
        for (start, ids) in (0..).step_by(2500).zip(&ids) {
            for (n, id) in (start..).zip(ids) {
                assert_eq!(interner.get(*id), &value(n));
            }
        }
    }
}
