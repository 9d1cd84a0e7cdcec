//! Union, intersection, difference and inclusion of sets.
//!
//! Bit sets are combined word by word, intervals by their bounds, other layouts by merging. Every path must yield the canonical layout.

use std::cmp::Ordering;

use super::{Layout, Set};
use crate::int::Int;

impl Set {
    #[must_use]
    pub fn union(&self, other: &Set) -> Set {
        if self.is_empty() {
            return other.clone();
        }
        if other.is_empty() {
            return self.clone();
        }
        if let Some(set) = self.wordwise(other, |left, right| left | right) {
            return set;
        }
        if let (Some((lo, hi)), Some((lo2, hi2))) = (self.ends(), other.ends())
            && lo.clone().max(lo2.clone()) <= &hi.clone().min(hi2.clone()) + &Int::ONE
        {
            return Set::interval(lo.min(lo2), hi.max(hi2));
        }
        if let Some(set) = self.with_few(other).or_else(|| other.with_few(self)) {
            return set;
        }
        self.merged(other, Keep { left: true, both: true, right: true })
    }

    #[must_use]
    pub fn intersection(&self, other: &Set) -> Set {
        if self.is_empty() || other.is_empty() {
            return Set::EMPTY;
        }
        if let Some(set) = self.wordwise(other, |left, right| left & right) {
            return set;
        }
        if let (Some((lo, hi)), Some((lo2, hi2))) = (self.ends(), other.ends()) {
            return Set::interval(lo.max(lo2), hi.min(hi2));
        }
        let (small, large) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        if small.is_much_smaller(large) {
            return Set::from_sorted(small.iter().filter(|value| large.contains(value)).collect());
        }
        self.merged(other, Keep { left: false, both: true, right: false })
    }

    #[must_use]
    pub fn difference(&self, other: &Set) -> Set {
        if self.is_empty() || other.is_empty() {
            return self.clone();
        }
        if let Some(set) = self.wordwise(other, |left, right| left & !right) {
            return set;
        }
        if let Some(set) = self.interval_difference(other) {
            return set;
        }
        if self.is_much_smaller(other) {
            return Set::from_sorted(self.iter().filter(|value| !other.contains(value)).collect());
        }
        if let Some(set) = self.without_few(other) {
            return set;
        }
        self.merged(other, Keep { left: true, both: false, right: false })
    }

    pub fn is_subset(&self, other: &Set) -> bool {
        if self.is_empty() {
            return true;
        }
        if self.len() > other.len() {
            return false;
        }
        if let Some((left, right)) = self.words_of_both(other) {
            let word = |idx: usize| right.get(idx).copied().unwrap_or(0);
            return left.iter().enumerate().all(|(idx, bits)| bits & !word(idx) == 0);
        }
        if let (Some((lo, hi)), Some((lo2, hi2))) = (self.ends(), other.ends()) {
            return lo2 <= lo && hi <= hi2;
        }
        if self.is_much_smaller(other) {
            return self.iter().all(|value| other.contains(&value));
        }
        // A sorted subset is a subsequence of the other set.
        if let (Some(mine), Some(theirs)) = (self.ints(), other.ints()) {
            let mut candidates = theirs;
            return mine.into_iter().all(|int| candidates.any(|candidate| candidate == int));
        }
        let mut candidates = other.iter();
        self.iter().all(|value| candidates.any(|candidate| candidate == value))
    }

    pub fn is_disjoint(&self, other: &Set) -> bool {
        if let Some((left, right)) = self.words_of_both(other) {
            return left.iter().zip(right).all(|(left, right)| left & right == 0);
        }
        if let (Some((lo, hi)), Some((lo2, hi2))) = (self.ends(), other.ends()) {
            return hi < lo2 || hi2 < lo;
        }
        let (small, large) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        small.iter().all(|value| !large.contains(&value))
    }

    /// Whether both are intervals and their union is one.
    pub fn joins(&self, other: &Set) -> bool {
        match (self.ends(), other.ends()) {
            (Some((lo, hi)), Some((lo2, hi2))) => lo2 <= &hi + &Int::ONE && lo <= &hi2 + &Int::ONE,
            _ => false,
        }
    }

    /// Whether both are intervals and their difference is one, or empty.
    pub fn cuts_off(&self, other: &Set) -> bool {
        match (self.ends(), other.ends()) {
            (Some((lo, hi)), Some((lo2, hi2))) => lo2 <= lo || hi <= hi2,
            _ => false,
        }
    }

    /// Combines both bitwise, if both are bit sets or matrices over the same carriers.
    fn wordwise(&self, other: &Set, combine: fn(u64, u64) -> u64) -> Option<Set> {
        if let (Layout::Bits { carrier, bits }, Layout::Bits { carrier: carrier2, bits: bits2 }) = (&self.0, &other.0)
            && carrier == carrier2
        {
            return Some(Set::from_bits(*carrier, combine(*bits, *bits2)));
        }
        if let (Layout::Matrix(left), Layout::Matrix(right)) = (&self.0, &other.0) {
            return left.rowwise(right, combine);
        }
        let (left, right) = self.words_of_both(other)?;
        let (carrier, _) = self.words()?;
        let word = |words: &[u64], idx: usize| words.get(idx).copied().unwrap_or(0);
        let words = (0..left.len().max(right.len())).map(|idx| combine(word(left, idx), word(right, idx)));
        Some(Set::from_words(carrier, words.collect()))
    }

    fn words_of_both<'a>(&'a self, other: &'a Set) -> Option<(&'a [u64], &'a [u64])> {
        if let (Layout::Matrix(left), Layout::Matrix(right)) = (&self.0, &other.0) {
            return (left.carriers() == right.carriers()).then_some((left.rows(), right.rows()));
        }
        let ((carrier, left), (carrier2, right)) = (self.words()?, other.words()?);
        (carrier == carrier2).then_some((left, right))
    }

    fn words(&self) -> Option<(u32, &[u64])> {
        match &self.0 {
            Layout::Bits { carrier, bits } => Some((*carrier, std::slice::from_ref(bits))),
            Layout::Words { carrier, words } => Some((*carrier, &words.slice)),
            _ => None,
        }
    }

    /// Difference of two intervals, if it is an interval.
    fn interval_difference(&self, other: &Set) -> Option<Set> {
        let ((lo, hi), (lo2, hi2)) = (self.ends()?, other.ends()?);
        if hi < lo2 || hi2 < lo {
            return Some(self.clone());
        }
        if lo2 <= lo {
            return Some(Set::interval(&hi2 + &Int::ONE, hi));
        }
        (hi <= hi2).then(|| Set::interval(lo, &lo2 - &Int::ONE))
    }

    /// Elements as `i64`, if all are integers within its range.
    fn ints(&self) -> Option<IntIter<'_>> {
        match &self.0 {
            Layout::Ints(ints) => Some(IntIter::Slice(ints.slice.iter())),
            Layout::Interval { span, lo } => Some(IntIter::Interval(*lo..=*lo + i64::from(*span))),
            _ => None,
        }
    }

    fn merged(&self, other: &Set, keep: Keep) -> Set {
        match (self.ints(), other.ints()) {
            (Some(mine), Some(theirs)) => Set::from_sorted_ints(&merge(mine, theirs, keep)),
            _ => Set::from_sorted(merge(self.iter(), other.iter(), keep)),
        }
    }

    /// True if a lookup of each element of `self` costs less than a merge.
    fn is_much_smaller(&self, other: &Set) -> bool {
        self.len().saturating_mul(16) < other.len()
    }
}

/// Sides whose elements a merge keeps.
#[derive(Clone, Copy)]
struct Keep {
    left: bool,
    both: bool,
    right: bool,
}

fn merge<T: Ord>(left: impl Iterator<Item = T>, right: impl Iterator<Item = T>, keep: Keep) -> Vec<T> {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    let mut out = Vec::new();
    loop {
        let (mine, theirs) = match (left.peek(), right.peek()) {
            (Some(mine), Some(theirs)) => match mine.cmp(theirs) {
                Ordering::Less => (true, false),
                Ordering::Greater => (false, true),
                Ordering::Equal => (true, true),
            },
            (Some(_), None) if keep.left => (true, false),
            (None, Some(_)) if keep.right => (false, true),
            _ => return out,
        };
        let is_kept = if mine && theirs { keep.both } else { mine && keep.left || theirs && keep.right };
        let from_right = if theirs { right.next() } else { None };
        let value = if mine { left.next() } else { from_right };
        if is_kept {
            out.extend(value);
        }
    }
}

/// Iterator over the elements of a set of integers within `i64`.
enum IntIter<'a> {
    Slice(std::slice::Iter<'a, i64>),
    Interval(std::ops::RangeInclusive<i64>),
}

impl Iterator for IntIter<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        match self {
            IntIter::Slice(ints) => ints.next().copied(),
            IntIter::Interval(range) => range.next(),
        }
    }
}
