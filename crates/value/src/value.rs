//! [`Value`]: one B value.
//!
//! All constructors produce the canonical form, so the derived equality is the equality of B. The order is that of ProB: numbers by size,
//! strings by code point, `FALSE` before `TRUE`, elements as declared, pairs and records lexicographically, sets by their sorted
//! elements. A typed model never compares values of different kinds; the order is total nevertheless.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};

use abridge_diag::{drop_in_turn, with_stack};
use rustc_hash::{FxBuildHasher, FxHasher};
use triomphe::{Arc, ThinArc};

use crate::int::{Big, Int};
use crate::real::Real;
use crate::set::Set;

#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Value {
    Bool(bool),
    /// Integer within `i64`; [`Value::int`] constructs any integer.
    Int(i64),
    BigInt(Big),
    Real(Real),
    String(Text),
    /// Element of a deferred or enumerated set, by position.
    Element {
        set: u32,
        index: u32,
    },
    Pair(Arc<(Value, Value)>),
    Record(Record),
    Free(Free),
    Set(Set),
}

/// Immutable, shared string.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<Box<str>>);

/// Record: number of its type, and field values in the order of the type.
#[derive(Clone, PartialEq, Eq)]
pub struct Record(ThinArc<u32, Value>);

/// Value of a freetype: a constructor with its argument, if it takes one.
#[derive(Clone)]
pub struct Free(Arc<FreeNode>);

struct FreeNode {
    free_type: u32,
    constructor: u32,
    arg: Option<Value>,
    hash: u64,
}

impl Value {
    pub fn int(int: Int) -> Value {
        match int {
            Int::Small(small) => Value::Int(small),
            Int::Big(big) => Value::BigInt(big),
        }
    }

    pub fn real(real: f64) -> Value {
        Value::Real(Real::new(real))
    }

    pub fn string(text: impl Into<Box<str>>) -> Value {
        Value::String(Text(Arc::new(text.into())))
    }

    pub fn element(set: u32, index: u32) -> Value {
        Value::Element { set, index }
    }

    pub fn pair(first: Value, second: Value) -> Value {
        Value::Pair(Arc::new((first, second)))
    }

    /// Record of the type number `shape`, with `fields` in the order of the type.
    pub fn record(shape: u32, fields: Vec<Value>) -> Value {
        Value::Record(Record(ThinArc::from_header_and_iter(shape, fields.into_iter())))
    }

    pub fn free(free_type: u32, constructor: u32, arg: Option<Value>) -> Value {
        let hash = hash_of(&(free_type, constructor, &arg));
        Value::Free(Free(Arc::new(FreeNode { free_type, constructor, arg, hash })))
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<Int> {
        match self {
            Value::Int(small) => Some(Int::Small(*small)),
            Value::BigInt(big) => Some(Int::Big(big.clone())),
            _ => None,
        }
    }

    pub fn as_real(&self) -> Option<f64> {
        match self {
            Value::Real(real) => Some(real.get()),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text.get()),
            _ => None,
        }
    }

    pub fn as_pair(&self) -> Option<(&Value, &Value)> {
        match self {
            Value::Pair(pair) => Some((&pair.0, &pair.1)),
            _ => None,
        }
    }

    pub fn as_set(&self) -> Option<&Set> {
        match self {
            Value::Set(set) => Some(set),
            _ => None,
        }
    }

    /// Hash of the value, the same in every run.
    pub fn stable_hash(&self) -> u64 {
        hash_of(self)
    }

    fn rank(&self) -> u8 {
        match self {
            Value::Bool(_) => 0,
            Value::Int(_) | Value::BigInt(_) => 1,
            Value::Real(_) => 2,
            Value::String(_) => 3,
            Value::Element { .. } => 4,
            Value::Pair(_) => 5,
            Value::Record(_) => 6,
            Value::Free(_) => 7,
            Value::Set(_) => 8,
        }
    }
}

pub(crate) fn hash_of(hashable: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(hashable)
}

impl From<i64> for Value {
    fn from(int: i64) -> Value {
        Value::Int(int)
    }
}

impl From<Int> for Value {
    fn from(int: Int) -> Value {
        Value::int(int)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value::Bool(flag)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::string(text)
    }
}

impl From<Set> for Value {
    fn from(set: Set) -> Value {
        Value::Set(set)
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Int(left), Value::Int(right)) => left.cmp(right),
            (Value::Pair(left), Value::Pair(right)) => {
                if Arc::ptr_eq(left, right) {
                    return Ordering::Equal;
                }
                left.0.cmp(&right.0).then_with(|| left.1.cmp(&right.1))
            }
            (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
            (Value::Element { set, index }, Value::Element { set: set2, index: index2 }) => {
                (set, index).cmp(&(set2, index2))
            }
            (Value::Set(left), Value::Set(right)) => left.cmp(right),
            (Value::String(left), Value::String(right)) => left.cmp(right),
            (Value::Real(left), Value::Real(right)) => left.cmp(right),
            (Value::Record(left), Value::Record(right)) => left.cmp(right),
            (Value::Free(left), Value::Free(right)) => left.cmp(right),
            _ => match (self.as_int(), other.as_int()) {
                (Some(left), Some(right)) => left.cmp(&right),
                _ => self.rank().cmp(&other.rank()),
            },
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Text {
    pub fn get(&self) -> &str {
        &self.0
    }
}

impl Record {
    /// Number of references to the record.
    pub(crate) fn n_owners(&self) -> usize {
        ThinArc::strong_count(&self.0)
    }

    /// Number of the record type.
    pub fn shape(&self) -> u32 {
        self.0.header.header
    }

    pub fn fields(&self) -> &[Value] {
        &self.0.slice
    }

    /// Record with one field replaced; the same record if it has no such field.
    #[must_use]
    pub fn with(&self, field: usize, value: Value) -> Record {
        let fields = self.fields().iter().enumerate();
        let fields = fields.map(|(idx, old)| if idx == field { value.clone() } else { old.clone() });
        Record(ThinArc::from_header_and_iter(self.shape(), fields))
    }
}

impl Ord for Record {
    fn cmp(&self, other: &Record) -> Ordering {
        (self.shape(), self.fields()).cmp(&(other.shape(), other.fields()))
    }
}

impl PartialOrd for Record {
    fn partial_cmp(&self, other: &Record) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Record {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shape().hash(state);
        self.fields().hash(state);
    }
}

impl Free {
    /// Number of references to the value.
    pub(crate) fn n_owners(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    pub fn free_type(&self) -> u32 {
        self.0.free_type
    }

    pub fn constructor(&self) -> u32 {
        self.0.constructor
    }

    pub fn arg(&self) -> Option<&Value> {
        self.0.arg.as_ref()
    }
}

// Only values of freetypes can be nested deeper than their types, so recursion through them grows the stack. For the other kinds,
// `abridge_diag::expect_depth` reserves enough stack once a type is known.

impl PartialEq for Free {
    fn eq(&self, other: &Free) -> bool {
        let (left, right) = (&self.0, &other.0);
        if Arc::ptr_eq(left, right) {
            return true;
        }
        (left.hash, left.free_type, left.constructor) == (right.hash, right.free_type, right.constructor)
            && with_stack(|| left.arg == right.arg)
    }
}

impl Eq for Free {}

impl Ord for Free {
    fn cmp(&self, other: &Free) -> Ordering {
        let (left, right) = (&self.0, &other.0);
        if Arc::ptr_eq(left, right) {
            return Ordering::Equal;
        }
        let heads = (left.free_type, left.constructor).cmp(&(right.free_type, right.constructor));
        heads.then_with(|| with_stack(|| left.arg.cmp(&right.arg)))
    }
}

impl PartialOrd for Free {
    fn partial_cmp(&self, other: &Free) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Free {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash.hash(state);
    }
}

thread_local! {
    /// Arguments that remain to be dropped, while a value is being dropped.
    static WAITING: RefCell<Option<Vec<Value>>> = const { RefCell::new(None) };
}

impl Drop for FreeNode {
    fn drop(&mut self) {
        if let Some(arg) = self.arg.take() {
            drop_in_turn(&WAITING, arg);
        }
    }
}

/// Hash of a slice of values, computed when the slice is built.
pub(crate) fn hash_slice<T: Hash>(tag: u32, items: &[T]) -> u64 {
    let mut hasher = FxHasher::default();
    tag.hash(&mut hasher);
    items.hash(&mut hasher);
    hasher.finish()
}

/// Order-independent hash of a slice of values. It can be updated incrementally when elements change.
pub(crate) fn hash_unordered<T: Hash>(items: &[T]) -> u64 {
    items.iter().fold(0, |sum: u64, item| sum.wrapping_add(hash_item(item)))
}

/// Summand of [`hash_unordered`]. All its bits must be well mixed.
pub(crate) fn hash_item<T: Hash>(item: &T) -> u64 {
    let mut bits = hash_of(item);
    bits = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    bits ^ (bits >> 32)
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&crate::Printer::new(&crate::PlainNames).value(self), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_small() {
        assert_eq!(size_of::<Value>(), 16);
        assert_eq!(size_of::<Option<Value>>(), 16);
    }

    #[test]
    fn a_deep_freetype_value_does_not_exhaust_the_stack() {
        let deep = |n: i64| {
            (0..n)
                .fold(Value::free(0, 0, None), |tail, idx| Value::free(0, 1, Some(Value::pair(Value::Int(idx), tail))))
        };
        let (left, right) = (deep(200_000), deep(200_000));
        assert_eq!(left, right);
        assert_eq!(left.cmp(&right), Ordering::Equal);
        assert_eq!(left.stable_hash(), right.stable_hash());
    }
}
