//! Finite sets, including relations, functions and sequences.
//!
//! The layout of a set is determined by its value, so it is part of the canonical form:
//!
//! - the empty set has one form, whatever its type;
//! - sets of booleans and of given-set elements are bit sets, inline while all positions are below 64;
//! - every non-empty contiguous set of integers, singletons included, is an interval;
//! - other sets of integers within `i64` are a sorted slice of numbers;
//! - relations between booleans or elements, all at positions below 64, are bit matrices (`matrix.rs`);
//! - everything else is a sorted slice of values without duplicates.
//!
//! `iter.rs` iterates in ascending order, `algebra.rs` has union, intersection and difference, `splice.rs` changes a few elements of a
//! large set.

mod algebra;
mod iter;
pub(crate) mod matrix;
mod splice;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use triomphe::{Arc, ThinArc};

pub use iter::SetIter;
use matrix::Matrix;

use crate::int::Int;
use crate::value::{Value, hash_slice, hash_unordered};
use crate::weight::{ALLOCATION_BYTES, PAIR_BYTES, is_shared, slice_bytes};

#[derive(Clone)]
pub struct Set(Layout);

/// Carrier number of bit sets of booleans.
const BOOL_CARRIER: u32 = u32::MAX;

#[derive(Clone)]
enum Layout {
    Empty,
    /// The bits are not zero.
    Bits {
        carrier: u32,
        bits: u64,
    },
    /// At least two words, the last one not zero. The header is the hash.
    Words {
        carrier: u32,
        words: ThinArc<u64, u64>,
    },
    /// `lo..lo + span`, all within `i64`.
    Interval {
        span: u32,
        lo: i64,
    },
    /// Interval that does not fit [`Layout::Interval`].
    LongInterval(Arc<(Int, Int)>),
    /// Strictly ascending and not contiguous. The header is the sum of the hashes of the elements.
    Ints(ThinArc<u64, i64>),
    Matrix(Matrix),
    /// Strictly ascending, without any other layout. The header is the sum of the hashes of the elements.
    Sorted(ThinArc<u64, Value>),
}

impl Set {
    pub const EMPTY: Set = Set(Layout::Empty);

    pub fn singleton(value: Value) -> Set {
        match position(&value) {
            Some((carrier, index)) if index < 64 => Set(Layout::Bits { carrier, bits: 1 << index }),
            None if value.as_int().is_none() => {
                if let Some(set) = Matrix::single(&value) {
                    return set;
                }
                let items = [value];
                Set(Layout::Sorted(ThinArc::from_header_and_iter(hash_unordered(&items), items.into_iter())))
            }
            _ => Set::from_sorted(vec![value]),
        }
    }

    /// `lo..hi`, empty if `hi < lo`.
    pub fn interval(lo: Int, hi: Int) -> Set {
        if hi < lo {
            return Set::EMPTY;
        }
        if let (Int::Small(low), Int::Small(high)) = (&lo, &hi)
            && let Some(span) = high.checked_sub(*low)
            && let Ok(span) = u32::try_from(span)
        {
            return Set(Layout::Interval { span, lo: *low });
        }
        Set(Layout::LongInterval(Arc::new((lo, hi))))
    }

    /// First `size` elements of a given set.
    pub fn carrier(set: u32, size: u32) -> Set {
        let mut words = vec![u64::MAX; (size / 64) as usize];
        if !size.is_multiple_of(64) {
            words.push((1 << (size % 64)) - 1);
        }
        Set::from_words(set, words)
    }

    /// `{FALSE, TRUE}`
    pub fn booleans() -> Set {
        Set(Layout::Bits { carrier: BOOL_CARRIER, bits: 3 })
    }

    /// Elements of the given set number `set` at the positions of `bits`.
    pub fn from_bits(set: u32, bits: u64) -> Set {
        if bits == 0 { Set::EMPTY } else { Set(Layout::Bits { carrier: set, bits }) }
    }

    /// Set of a strictly ascending list of values.
    pub fn from_sorted(items: Vec<Value>) -> Set {
        debug_assert!(items.is_sorted_by(|left, right| left < right));
        let (Some(first), Some(last)) = (items.first(), items.last()) else { return Set::EMPTY };
        // The order groups values by kind and carrier, so a kind shared by the first and the last element is shared by all.
        if let (Value::Int(_), Value::Int(_)) = (first, last) {
            let ints = items.iter().filter_map(|item| if let Value::Int(int) = item { Some(*int) } else { None });
            return Set::from_sorted_ints(&ints.collect::<Vec<i64>>());
        }
        if let (Some(lo), Some(hi)) = (first.as_int(), last.as_int())
            && &hi - &lo == Int::from(items.len() - 1)
        {
            return Set::interval(lo, hi);
        }
        if let (Some((carrier, _)), Some((last_carrier, last))) = (position(first), position(last))
            && carrier == last_carrier
        {
            let mut words = vec![0; last as usize / 64 + 1];
            for (_, index) in items.iter().filter_map(position) {
                words[index as usize / 64] |= 1 << (index % 64);
            }
            return Set::from_words(carrier, words);
        }
        if let Some(set) = Matrix::collect(&items) {
            return set;
        }
        let hash = hash_unordered(&items);
        Set(Layout::Sorted(ThinArc::from_header_and_iter(hash, items.into_iter())))
    }

    /// Set of a strictly ascending list of numbers.
    fn from_sorted_ints(ints: &[i64]) -> Set {
        Set::as_interval(ints).unwrap_or_else(|| {
            let hash = hash_unordered(ints);
            Set(Layout::Ints(ThinArc::from_header_and_slice(hash, ints)))
        })
    }

    /// Set of a strictly ascending list of numbers, if the list is empty or contiguous.
    fn as_interval(ints: &[i64]) -> Option<Set> {
        let (Some(lo), Some(hi)) = (ints.first(), ints.last()) else { return Some(Set::EMPTY) };
        let span = i128::from(*hi) - i128::from(*lo);
        (span == ints.len() as i128 - 1).then(|| Set::interval(Int::Small(*lo), Int::Small(*hi)))
    }

    fn from_words(carrier: u32, mut words: Vec<u64>) -> Set {
        while words.last() == Some(&0) {
            words.pop();
        }
        match words[..] {
            [] => Set::EMPTY,
            [bits] => Set(Layout::Bits { carrier, bits }),
            _ => {
                let hash = hash_slice(carrier, &words);
                Set(Layout::Words { carrier, words: ThinArc::from_header_and_slice(hash, &words) })
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        matches!(self.0, Layout::Empty)
    }

    /// Number of elements; `u64::MAX` if an interval has more.
    pub fn len(&self) -> u64 {
        match &self.0 {
            Layout::Empty => 0,
            Layout::Bits { bits, .. } => u64::from(bits.count_ones()),
            Layout::Words { words, .. } => words.slice.iter().map(|word| u64::from(word.count_ones())).sum(),
            Layout::Interval { span, .. } => u64::from(*span) + 1,
            Layout::LongInterval(_) => self.card().to_u64().unwrap_or(u64::MAX),
            Layout::Ints(ints) => ints.slice.len() as u64,
            Layout::Matrix(matrix) => matrix.len(),
            Layout::Sorted(items) => items.slice.len() as u64,
        }
    }

    /// Exact number of elements.
    pub fn card(&self) -> Int {
        match &self.0 {
            Layout::LongInterval(ends) => &(&ends.1 - &ends.0) + &Int::ONE,
            _ => Int::from(self.len()),
        }
    }

    pub fn contains(&self, value: &Value) -> bool {
        match &self.0 {
            Layout::Empty => false,
            Layout::Bits { carrier, bits } => {
                position(value).is_some_and(|(set, index)| set == *carrier && index < 64 && bits & (1 << index) != 0)
            }
            Layout::Words { carrier, words } => position(value).is_some_and(|(set, index)| {
                let word = words.slice.get(index as usize / 64).copied().unwrap_or(0);
                set == *carrier && word & (1 << (index % 64)) != 0
            }),
            Layout::Interval { .. } | Layout::LongInterval(_) => match (self.ends(), value.as_int()) {
                (Some((lo, hi)), Some(int)) => lo <= int && int <= hi,
                _ => false,
            },
            Layout::Ints(ints) => matches!(value, Value::Int(int) if ints.slice.binary_search(int).is_ok()),
            Layout::Matrix(matrix) => matrix.contains(value),
            Layout::Sorted(items) => items.slice.binary_search(value).is_ok(),
        }
    }

    /// Least element.
    pub fn first(&self) -> Option<Value> {
        self.iter().next()
    }

    /// Greatest element.
    pub fn last(&self) -> Option<Value> {
        match &self.0 {
            Layout::Empty => None,
            Layout::Bits { carrier, bits } => Some(at(*carrier, bits.ilog2())),
            Layout::Words { carrier, words } => {
                let last = words.slice.last()?;
                Some(at(*carrier, (words.slice.len() as u32 - 1) * 64 + last.ilog2()))
            }
            Layout::Interval { .. } | Layout::LongInterval(_) => Some(Value::int(self.ends()?.1)),
            Layout::Ints(ints) => ints.slice.last().map(|int| Value::Int(*int)),
            Layout::Matrix(matrix) => matrix.last(),
            Layout::Sorted(items) => items.slice.last().cloned(),
        }
    }

    /// Element of a singleton; `None` for other sets.
    pub fn only(&self) -> Option<Value> {
        let mut items = self.iter();
        let first = items.next()?;
        items.next().is_none().then_some(first)
    }

    /// Iterates over the elements in ascending order.
    pub fn iter(&self) -> SetIter<'_> {
        SetIter::new(self)
    }

    /// Bounds of a non-empty interval of integers; `None` for other sets.
    pub fn ends(&self) -> Option<(Int, Int)> {
        match &self.0 {
            Layout::Interval { span, lo } => Some((Int::Small(*lo), Int::Small(lo + i64::from(*span)))),
            Layout::LongInterval(ends) => Some((ends.0.clone(), ends.1.clone())),
            _ => None,
        }
    }

    /// Elements as a slice, if they are stored so. Sets of records, strings and sets always are.
    pub fn as_slice(&self) -> Option<&[Value]> {
        match &self.0 {
            Layout::Empty => Some(&[]),
            Layout::Sorted(items) => Some(&items.slice),
            _ => None,
        }
    }

    /// Given set and positions of the elements, if all are of one given set and below position 64.
    pub fn as_bits(&self) -> Option<(u32, u64)> {
        match self.0 {
            Layout::Bits { carrier, bits } if carrier != BOOL_CARRIER => Some((carrier, bits)),
            _ => None,
        }
    }

    /// Heap memory of the set in bytes, without parts that are shared with other values.
    pub(crate) fn owned_bytes(&self) -> usize {
        let content = match &self.0 {
            Layout::Empty | Layout::Bits { .. } | Layout::Interval { .. } => return 0,
            Layout::Words { words, .. } => size_of_val(&words.slice),
            Layout::LongInterval(_) => size_of::<(Int, Int)>(),
            Layout::Ints(ints) => size_of_val(&ints.slice),
            Layout::Matrix(matrix) => matrix.bytes(),
            Layout::Sorted(items) => slice_bytes(&items.slice),
        };
        ALLOCATION_BYTES + size_of::<u64>() + content
    }

    /// Estimate of the memory needed to build a set of the same size, in bytes; zero for compact layouts.
    pub fn copy_bytes(&self) -> usize {
        match &self.0 {
            Layout::Ints(ints) => 2 * size_of_val(&ints.slice),
            Layout::Sorted(items) => items.slice.len() * PAIR_BYTES,
            _ => 0,
        }
    }

    /// True if other values share the elements.
    pub(crate) fn is_shared(&self) -> bool {
        match &self.0 {
            Layout::Words { words, .. } => is_shared(words),
            Layout::Ints(ints) => is_shared(ints),
            Layout::Sorted(items) => is_shared(items),
            Layout::Matrix(matrix) => matrix.is_shared(),
            Layout::LongInterval(ends) => Arc::strong_count(ends) > 1,
            Layout::Empty | Layout::Bits { .. } | Layout::Interval { .. } => false,
        }
    }

    pub(crate) fn as_matrix(&self) -> Option<&Matrix> {
        match &self.0 {
            Layout::Matrix(matrix) => Some(matrix),
            _ => None,
        }
    }

    /// Positions below 64 of the elements of a carrier; `None` if the set has elements of another one.
    pub(crate) fn bits_of(&self, carrier: u32) -> Option<u64> {
        match &self.0 {
            Layout::Empty => Some(0),
            Layout::Bits { carrier: own, bits } if *own == carrier => Some(*bits),
            Layout::Words { carrier: own, words } if *own == carrier => words.slice.first().copied(),
            _ => None,
        }
    }

    #[must_use]
    pub fn insert(&self, value: Value) -> Set {
        if self.contains(&value) { self.clone() } else { self.union(&Set::singleton(value)) }
    }

    #[must_use]
    pub fn remove(&self, value: &Value) -> Set {
        if self.contains(value) { self.difference(&Set::singleton(value.clone())) } else { self.clone() }
    }
}

/// Carrier and position of a boolean or an element.
pub(crate) fn position(value: &Value) -> Option<(u32, u32)> {
    match value {
        Value::Bool(flag) => Some((BOOL_CARRIER, u32::from(*flag))),
        Value::Element { set, index } => Some((*set, *index)),
        _ => None,
    }
}

/// Value at a position of a carrier.
pub(crate) fn at(carrier: u32, index: u32) -> Value {
    if carrier == BOOL_CARRIER { Value::Bool(index == 1) } else { Value::Element { set: carrier, index } }
}

/// Builder of a set from values in any order.
#[derive(Default)]
pub struct SetBuilder(Vec<Value>);

impl SetBuilder {
    pub fn new() -> SetBuilder {
        SetBuilder::default()
    }

    pub fn push(&mut self, value: Value) {
        self.0.push(value);
    }

    /// Number of values pushed, duplicates included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn finish(self) -> Set {
        let mut items = self.0;
        if !items.is_sorted_by(|left, right| left < right) {
            items.sort_unstable();
            items.dedup();
        }
        Set::from_sorted(items)
    }
}

impl Extend<Value> for SetBuilder {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, items: I) {
        self.0.extend(items);
    }
}

impl FromIterator<Value> for Set {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Set {
        SetBuilder(items.into_iter().collect()).finish()
    }
}

impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        match (&self.0, &other.0) {
            (Layout::Empty, Layout::Empty) => true,
            (Layout::Bits { carrier, bits }, Layout::Bits { carrier: carrier2, bits: bits2 }) => {
                (carrier, bits) == (carrier2, bits2)
            }
            (Layout::Words { carrier, words }, Layout::Words { carrier: carrier2, words: words2 }) => {
                carrier == carrier2 && words == words2
            }
            (Layout::Interval { span, lo }, Layout::Interval { span: span2, lo: lo2 }) => (span, lo) == (span2, lo2),
            (Layout::LongInterval(ends), Layout::LongInterval(ends2)) => ends == ends2,
            (Layout::Matrix(left), Layout::Matrix(right)) => left == right,
            (Layout::Ints(left), Layout::Ints(right)) => {
                std::ptr::eq(&left.slice, &right.slice)
                    || (left.header.header == right.header.header && left.slice == right.slice)
            }
            (Layout::Sorted(left), Layout::Sorted(right)) => {
                std::ptr::eq(&left.slice, &right.slice)
                    || (left.header.header == right.header.header && left.slice == right.slice)
            }
            _ => false,
        }
    }
}

impl Eq for Set {}

impl Hash for Set {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Layout::Empty => 0_u64.hash(state),
            Layout::Bits { carrier, bits } => (carrier, bits).hash(state),
            Layout::Words { words, .. } => words.header.header.hash(state),
            Layout::Interval { span, lo } => (span, lo).hash(state),
            Layout::LongInterval(ends) => ends.hash(state),
            Layout::Ints(ints) => ints.header.header.hash(state),
            Layout::Matrix(matrix) => matrix.hash(state),
            Layout::Sorted(items) => items.header.header.hash(state),
        }
    }
}

impl Ord for Set {
    fn cmp(&self, other: &Set) -> Ordering {
        match (&self.0, &other.0) {
            (Layout::Bits { carrier, bits }, Layout::Bits { carrier: carrier2, bits: bits2 })
                if carrier == carrier2 =>
            {
                cmp_bits(*bits, *bits2)
            }
            (Layout::Ints(left), Layout::Ints(right)) => left.slice.cmp(&right.slice),
            (Layout::Matrix(left), Layout::Matrix(right)) if left.carriers() == right.carriers() => {
                left.cmp_cells(right)
            }
            (Layout::Sorted(left), Layout::Sorted(right)) => {
                if std::ptr::eq(&left.slice, &right.slice) {
                    return Ordering::Equal;
                }
                left.slice.cmp(&right.slice)
            }
            _ => match (self.ends(), other.ends()) {
                (Some((lo, hi)), Some((lo2, hi2))) => lo.cmp(&lo2).then(hi.cmp(&hi2)),
                _ => self.iter().cmp(other.iter()),
            },
        }
    }
}

/// Compares two bit sets by their ascending positions.
fn cmp_bits(left: u64, right: u64) -> Ordering {
    let different = left ^ right;
    if different == 0 {
        return Ordering::Equal;
    }
    let lowest = different & different.wrapping_neg();
    let above = !(lowest | (lowest - 1));
    // The set with the lowest differing position is smaller, unless the other set has no further elements.
    if left & lowest != 0 {
        if right & above != 0 { Ordering::Less } else { Ordering::Greater }
    } else if left & above != 0 {
        Ordering::Greater
    } else {
        Ordering::Less
    }
}

impl PartialOrd for Set {
    fn partial_cmp(&self, other: &Set) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> IntoIterator for &'a Set {
    type Item = Value;
    type IntoIter = SetIter<'a>;
    fn into_iter(self) -> SetIter<'a> {
        self.iter()
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&Value::Set(self.clone()), f)
    }
}
