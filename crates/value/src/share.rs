//! Equal parts of values, held once.
//!
//! Values that are made one from the other share most of their parts, but a part that is made anew each time (the pair `1 |-> 0` of a
//! function that is overridden there) is not the one that other values hold. A [`PartPool`] knows the parts that are in use, so that a value
//! that is to be kept can hold those instead of its own. It makes keeping a value slower and smaller.

use std::sync::{Mutex, PoisonError};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher as _;

use crate::set::Set;
use crate::value::Value;

/// Parts that a pool knows at most; where there are more, few of them are equal.
const MAX_PARTS: usize = 1 << 16;

/// Parts of values, each held once.
#[derive(Default)]
pub struct PartPool(Mutex<HashTable<Value>>);

impl PartPool {
    /// The part that is equal to this one and that others hold too.
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
    /// The same value with the parts of a pool: the elements of a set, where they are pairs, records or the like.
    #[must_use]
    pub fn with_shared_parts(&self, pool: &PartPool) -> Value {
        match self {
            Value::Set(set) => Value::Set(set.map_parts(|part| pool.part(part))),
            _ => self.clone(),
        }
    }
}

impl Set {
    /// The same set with each element replaced by an equal one, if elements are large enough for that.
    fn map_parts(&self, part: impl Fn(&Value) -> Value) -> Set {
        match self.as_slice() {
            Some(items) if items.iter().all(Value::is_large) => Set::from_sorted(items.iter().map(part).collect()),
            _ => self.clone(),
        }
    }
}

impl Value {
    /// Whether it lies on the heap.
    fn is_large(&self) -> bool {
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
