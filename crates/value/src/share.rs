//! Pool of shared parts of values.
//!
//! A value derived from another shares most parts with it. But equal parts that were built separately (such as the pair `1 |-> 0` of two functions
//! overridden at `1`) are separate allocations. A [`PartPool`] knows the parts in use; a value that is to be kept takes its parts from there. Keeping
//! a value then costs more time and less memory. The replaced parts must be equal to the original ones, or values change.

use std::sync::{Mutex, PoisonError};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher as _;

use crate::set::Set;
use crate::value::Value;

/// Maximum number of parts in a pool. Beyond it, few parts are equal.
const MAX_PARTS: usize = 1 << 16;

/// Table of parts of values, without duplicates.
#[derive(Default)]
pub struct PartPool(Mutex<HashTable<Value>>);

impl PartPool {
    /// Equal part of the pool; adds the part if it is new and the pool is not full.
    fn part(&self, part: &Value) -> Value {
        let hash = FxBuildHasher.hash_one(part);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.find(hash, |other| other == part) {
            return same.clone();
        }
        if known.len() < MAX_PARTS {
            known.insert_unique(hash, part.clone(), |other| FxBuildHasher.hash_one(other));
        }
        part.clone()
    }
}

impl Value {
    /// Equal value with parts of a pool. The parts are the elements of a set that have memory of their own, such as pairs and records.
    #[must_use]
    pub fn with_shared_parts(&self, pool: &PartPool) -> Value {
        match self {
            Value::Set(set) => Value::Set(set.map_parts(|part| pool.part(part))),
            _ => self.clone(),
        }
    }
}

impl Set {
    /// Equal set with each element replaced by an equal one, if the elements have memory of their own.
    fn map_parts(&self, part: impl Fn(&Value) -> Value) -> Set {
        match self.as_slice() {
            Some(items) if items.iter().all(Value::is_on_heap) => Set::from_sorted(items.iter().map(part).collect()),
            _ => self.clone(),
        }
    }
}

impl Value {
    /// True if the value has memory on the heap.
    fn is_on_heap(&self) -> bool {
        matches!(self, Value::Pair(_) | Value::Record(_) | Value::Free(_) | Value::Set(_) | Value::String(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_equal_and_become_smaller() {
        let pool = PartPool::default();
        let function = |last: i64| -> Value {
            let pair = |n: i64, to: i64| Value::pair(Value::pair(Value::Int(n), Value::Int(n)), Value::Int(to));
            Value::Set((0..20).map(|n| pair(n, n + 1)).chain([pair(20, last)]).collect())
        };
        let own = function(5).owned_bytes();
        let kept: Vec<Value> = (0..50).map(|last| function(last).with_shared_parts(&pool)).collect();
        assert!((0..50).zip(&kept).all(|(last, value)| *value == function(last)));
        assert!(kept[7].owned_bytes() * 3 < own, "{} of {own}", kept[7].owned_bytes());
        for small in [Value::Int(3), Value::Set(Set::EMPTY), Value::Set((0..9).map(Value::Int).collect())] {
            assert_eq!(small.with_shared_parts(&pool), small);
        }
    }
}
