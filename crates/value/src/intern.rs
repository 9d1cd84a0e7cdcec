//! Values, or anything built from them, as 32-bit ids: equal ids if and only if equal values.
//!
//! The table only grows and is shared by all workers through `&self`. A value is found through one of several locked hash
//! tables of ids, chosen by its hash; the values themselves lie in segments that double in size and never move, so that reading
//! one by its id takes no lock.

use std::fmt;
use std::hash::{BuildHasher as _, Hash};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};

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
/// The first segment holds this many values, each later one twice as many as the one before.
const FIRST_SEGMENT: u32 = 64;
/// Enough segments for 2^32 values.
const N_SEGMENTS: usize = 27;

pub struct Interner<T = Value> {
    shards: [RwLock<HashTable<u32>>; N_SHARDS],
    segments: [OnceLock<Box<[OnceLock<T>]>>; N_SEGMENTS],
    /// The next free id. Ids below it may still lack their value for the moment between taking and filling a place.
    next: AtomicU32,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    pub fn new() -> Self {
        Interner {
            shards: [const { RwLock::new(HashTable::new()) }; N_SHARDS],
            segments: [const { OnceLock::new() }; N_SEGMENTS],
            next: AtomicU32::new(0),
        }
    }

    /// The id of a value; a new one if it was never seen.
    ///
    /// # Panics
    /// If there are more than 2^32 - 1 different values.
    pub fn intern(&self, value: &T) -> ValueId {
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
        let hash = FxBuildHasher.hash_one(value);
        let table = self.shard(hash).read().unwrap_or_else(PoisonError::into_inner);
        table.find(hash, |id| self.get(ValueId(*id)) == value).map(|id| ValueId(*id))
    }

    /// The tables use the low and the top bits for themselves.
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

    /// How many different values there are.
    pub fn len(&self) -> usize {
        self.next.load(Ordering::Acquire) as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn push(&self, value: T) -> ValueId {
        let id = self.next.fetch_add(1, Ordering::AcqRel);
        assert!(id < u32::MAX, "more than 2^32 - 1 different values");
        let (segment, offset) = place(id);
        let items = self.segments[segment].get_or_init(|| {
            let len = (FIRST_SEGMENT as usize) << segment;
            std::iter::repeat_with(OnceLock::new).take(len).collect()
        });
        // The id is ours alone, so the place is free.
        let _ = items[offset].set(value);
        ValueId(id)
    }
}

/// Segment and offset of an id.
fn place(id: u32) -> (usize, usize) {
    let shifted = u64::from(id) + u64::from(FIRST_SEGMENT);
    let segment = shifted.ilog2() - FIRST_SEGMENT.ilog2();
    let start = u64::from(FIRST_SEGMENT) << segment;
    (segment as usize, (shifted - start) as usize)
}

impl<T: Clone + Eq + Hash> Default for Interner<T> {
    fn default() -> Self {
        Interner::new()
    }
}

impl<T: Clone + Eq + Hash> fmt::Debug for Interner<T> {
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
        assert_eq!(place(63), (0, 63));
        assert_eq!(place(64), (1, 0));
        assert_eq!(place(191), (1, 127));
        assert_eq!(place(192), (2, 0));
        let (segment, offset) = place(u32::MAX);
        assert!(segment < N_SEGMENTS && offset < (FIRST_SEGMENT as usize) << segment);
    }

    #[test]
    fn workers_agree_on_ids() {
        let interner = Interner::new();
        let value = |n: i64| Value::pair(Value::Int(n % 5000), Value::Bool(n % 2 == 0));
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
