//! The memory that values take, for the account of a run.
//!
//! Values share parts: a function that differs from another in one point shares the other pairs with it. A part counts for the value that
//! alone holds it when it is weighed, so the sum over values that are weighed when they are made comes near the truth.

use triomphe::{Arc, ThinArc};

use abridge_diag::with_stack;

use crate::value::Value;

/// What an allocation takes beside its content: counts, and the allocator's own.
pub(crate) const ALLOCATION_BYTES: usize = 24;

/// Memory of a pair in a set while the set is built, about.
pub const PAIR_BYTES: usize = 88;

impl Value {
    /// Bytes on the heap that this value holds, beside those that other values hold as well.
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

    /// Bytes that another value of the same length takes, about; found without a look at the elements. Small values take nothing.
    pub fn copy_bytes(&self) -> usize {
        match self {
            Value::String(text) => text.get().len(),
            Value::BigInt(big) => big.get().bits() as usize / 8,
            Value::Set(set) => set.copy_bytes(),
            _ => 0,
        }
    }

    /// The same for a part of a value: nothing if others hold it too.
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

/// Values that lie side by side, with what they hold.
pub(crate) fn slice_bytes(values: &[Value]) -> usize {
    size_of_val(values) + values.iter().map(Value::part_bytes).sum::<usize>()
}

/// Whether others hold a slice too.
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
        // All pairs but the last are held by both.
        assert!(first.owned_bytes() < 100 * size_of::<Value>() + 2 * ALLOCATION_BYTES, "{}", first.owned_bytes());
        let all = second.owned_bytes();
        drop(first);
        assert!(second.owned_bytes() > all + 99 * (2 * size_of::<Value>()), "{all} {}", second.owned_bytes());
    }
}
