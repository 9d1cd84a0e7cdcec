//! Estimates of the memory of values, for the memory limit of a run.
//!
//! Values share parts: two functions that differ at one point share all other pairs. A part is counted for a value only if no other value holds it at
//! that time. So the sum over values, each measured when it is created, is close to the memory in use.

use triomphe::{Arc, ThinArc};

use abridge_diag::with_stack;

use crate::value::Value;

/// Overhead of an allocation in bytes: reference count and bookkeeping of the allocator.
pub(crate) const ALLOCATION_BYTES: usize = 24;

/// Approximate memory of a pair in a set under construction, in bytes.
pub const PAIR_BYTES: usize = 88;

impl Value {
    /// Heap memory of the value in bytes, without parts that are shared with other values.
    pub fn owned_bytes(&self) -> usize {
        match self {
            Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Element { .. } => 0,
            Value::BigInt(big) => ALLOCATION_BYTES + big.get().bits() as usize / 8,
            Value::String(text) => 2 * ALLOCATION_BYTES + text.get().len(),
            Value::Pair(pair) => ALLOCATION_BYTES + 2 * size_of::<Value>() + pair.0.part_bytes() + pair.1.part_bytes(),
            Value::Record(record) => ALLOCATION_BYTES + slice_bytes(record.fields()),
            Value::Free(free) => {
                let arg = free.arg().map_or(0, Value::part_bytes);
                ALLOCATION_BYTES + 3 * size_of::<Value>() + arg
            }
            Value::Set(set) => set.owned_bytes(),
        }
    }

    /// Estimate of the memory of another value of the same length, in bytes, without inspecting the elements; zero for values of constant size.
    pub fn copy_bytes(&self) -> usize {
        match self {
            Value::String(text) => text.get().len(),
            Value::BigInt(big) => big.get().bits() as usize / 8,
            Value::Set(set) => set.copy_bytes(),
            _ => 0,
        }
    }

    /// Heap memory of a part of a value; zero if the part is shared with other values.
    pub(crate) fn part_bytes(&self) -> usize {
        let is_shared = match self {
            Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Element { .. } => return 0,
            Value::BigInt(_) | Value::String(_) => false,
            Value::Pair(pair) => Arc::strong_count(pair) > 1,
            Value::Record(record) => record.n_owners() > 1,
            Value::Free(free) => free.n_owners() > 1,
            Value::Set(set) => set.is_shared(),
        };
        if is_shared { 0 } else { with_stack(|| self.owned_bytes()) }
    }
}

/// Memory of a slice of values in bytes, with the heap memory of its elements.
pub(crate) fn slice_bytes(values: &[Value]) -> usize {
    size_of_val(values) + values.iter().map(Value::part_bytes).sum::<usize>()
}

/// True if other values share a slice.
pub(crate) fn is_shared<H, T>(slice: &ThinArc<H, T>) -> bool {
    ThinArc::strong_count(slice) > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Set;

    #[test]
    fn shared_parts_count_once() {
        let pair = |n: i64| Value::pair(Value::Int(n), Value::string("a text of some length"));
        let first: Set = (0..100).map(pair).collect();
        let second = first.insert(pair(100));
        let (first, second) = (Value::Set(first), Value::Set(second));
        assert_eq!(Value::Int(7).owned_bytes(), 0);
        // All pairs but the last are shared.
        assert!(first.owned_bytes() < 100 * size_of::<Value>() + 2 * ALLOCATION_BYTES, "{}", first.owned_bytes());
        let all = second.owned_bytes();
        drop(first);
        assert!(second.owned_bytes() > all + 99 * (2 * size_of::<Value>()), "{all} {}", second.owned_bytes());
    }
}
