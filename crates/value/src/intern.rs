//! Interner: values as 32-bit ids, with equal ids if and only if equal values.
//!
//! The table only grows and is shared by all workers through `&self`. Hash tables map values to ids; they are sharded by hash, with a lock per shard.
//! Values are stored in segments that never move (`segments.rs`), so a lookup by id takes no lock. Small natural numbers are not hashed; a direct
//! table has their ids. A state is a vector of ids, so a second id of a value would split states.

use std::fmt;
use std::hash::{BuildHasher as _, Hash};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use abridge_diag::with_stack;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::segments::Segments;
use crate::value::Value;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

impl fmt::Debug for ValueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

const N_SHARDS: usize = 16;
/// Capacity of the first segment.
const FIRST_SEGMENT_VALUES: u32 = 8;

/// Types that can be interned.
pub trait Internable: Clone + Eq + Hash {
    /// Small number that represents the value, if there is one. Distinct values have distinct numbers.
    fn as_small(&self) -> Option<u32> {
        None
    }

    /// Estimate of the heap memory of the value, in bytes.
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

/// Numbers below this bound have an entry in the direct table.
const N_DIRECT_NUMBERS: u32 = 1 << 22;
/// Entries of the direct table that are allocated together.
const CHUNK_ENTRIES: usize = 1 << 12;

type Chunk = OnceLock<Box<[AtomicU32]>>;

pub struct Interner<T = Value> {
    /// Direct table: ids of small numbers plus one, zero if there is no id. Chunks are allocated on demand; a frugal interner has none.
    small: OnceLock<Box<[Chunk]>>,
    shards: [RwLock<HashTable<u32>>; N_SHARDS],
    segments: Segments<OnceLock<T>, FIRST_SEGMENT_VALUES>,
    /// Next free id. For a moment after its reservation, an id below it has no value yet.
    next: AtomicU32,
    /// Heap memory of the values, in bytes.
    owned: AtomicU64,
}

/// Grows the stack, since values may be nested deeply.
impl<T> Drop for Interner<T> {
    fn drop(&mut self) {
        with_stack(|| {
            drop(std::mem::take(&mut self.segments));
        });
    }
}

impl<T: Internable> Interner<T> {
    pub fn new() -> Self {
        Interner {
            small: OnceLock::new(),
            shards: [const { RwLock::new(HashTable::new()) }; N_SHARDS],
            segments: Segments::default(),
            next: AtomicU32::new(0),
            owned: AtomicU64::new(0),
        }
    }

    /// Interner without a direct table, for applications with many small interners.
    pub fn frugal() -> Self {
        let interner = Interner::new();
        interner.small.get_or_init(Box::default);
        interner
    }

    /// Id of a value; adds the value if it is new.
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
        let n = value.as_small().filter(|n| *n < N_DIRECT_NUMBERS)? as usize;
        let chunks =
            self.small.get_or_init(|| (0..N_DIRECT_NUMBERS as usize / CHUNK_ENTRIES).map(|_| Chunk::new()).collect());
        let chunk =
            chunks.get(n / CHUNK_ENTRIES)?.get_or_init(|| (0..CHUNK_ENTRIES).map(|_| AtomicU32::new(0)).collect());
        Some(&chunk[n % CHUNK_ENTRIES])
    }

    fn intern_small(&self, place: &AtomicU32, value: &T) -> ValueId {
        let known = place.load(Ordering::Acquire);
        if known != 0 {
            return ValueId(known - 1);
        }
        // The lock prevents two workers from giving a number two ids. It could be any lock, if it is the same one for all numbers.
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

    /// Id of a value, if it was interned before.
    pub fn find(&self, value: &T) -> Option<ValueId> {
        if let Some(place) = self.small_place(value) {
            return place.load(Ordering::Acquire).checked_sub(1).map(ValueId);
        }
        let hash = FxBuildHasher.hash_one(value);
        let table = self.shard(hash).read().unwrap_or_else(PoisonError::into_inner);
        table.find(hash, |id| self.get(ValueId(*id)) == value).map(|id| ValueId(*id))
    }

    /// Shard of a hash. The hash tables use the low and the top bits, so the shard is chosen by bits between them.
    fn shard(&self, hash: u64) -> &RwLock<HashTable<u32>> {
        &self.shards[(hash >> 40) as usize % N_SHARDS]
    }

    /// Value of an id that [`Interner::intern`] returned.
    ///
    /// # Panics
    /// If the id comes from another interner.
    pub fn get(&self, id: ValueId) -> &T {
        let value = self.segments.get(id.0).and_then(OnceLock::get);
        value.expect("ids come from the interner they are used with")
    }

    /// Number of distinct values.
    pub fn len(&self) -> usize {
        self.next.load(Ordering::Acquire) as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Estimate of the memory of values and tables, in bytes.
    pub fn bytes(&self) -> u64 {
        let place = size_of::<OnceLock<T>>() + size_of::<u32>() + 1;
        self.owned.load(Ordering::Relaxed) + (self.len() * place) as u64
    }

    fn push(&self, value: T) -> ValueId {
        self.owned.fetch_add(value.owned_bytes() as u64, Ordering::Relaxed);
        let id = self.next.fetch_add(1, Ordering::AcqRel);
        assert!(id < u32::MAX, "more than 2^32 - 1 different values");
        // This thread reserved the id, so its place is empty.
        let _ = self.segments.grow_to(id).set(value);
        ValueId(id)
    }
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
    fn numbers_have_one_id_each() {
        for interner in [Interner::new(), Interner::frugal()] {
            numbers_have_one_id_in(&interner);
        }
    }

    fn numbers_have_one_id_in(interner: &Interner) {
        let large = i64::from(N_DIRECT_NUMBERS);
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
