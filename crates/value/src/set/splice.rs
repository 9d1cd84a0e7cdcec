//! Updates of a few elements of a large set.
//!
//! The other elements are copied unchanged, and the hash is updated incrementally. The result must have the canonical layout; where that might
//! change, the update returns `None` and the caller merges.

use std::ops::Range;

use triomphe::ThinArc;

use super::{Layout, Set, position};
use crate::value::{Value, hash_item};

/// Maximum number of elements that are spliced; updates of more elements are merged.
const MAX_SPLICED_ELEMENTS: u64 = 2;

impl Set {
    /// Union with a much smaller set; `None` if a merge is better.
    pub(super) fn with_few(&self, few: &Set) -> Option<Set> {
        if few.len() > MAX_SPLICED_ELEMENTS || few.len() * 4 > self.len() {
            return None;
        }
        let mut out = self.clone();
        for value in few {
            out = out.with(value)?;
        }
        Some(out)
    }

    /// Difference with a much smaller set; `None` if a merge is better.
    pub(super) fn without_few(&self, few: &Set) -> Option<Set> {
        if few.len() > MAX_SPLICED_ELEMENTS {
            return None;
        }
        let mut out = self.clone();
        for value in few {
            out = match out.find(&value)? {
                Ok(idx) => out.spliced(idx..idx + 1, None)?,
                Err(_) => out,
            };
        }
        Some(out)
    }

    /// Set with one element added.
    fn with(&self, value: Value) -> Option<Set> {
        match self.find(&value)? {
            Ok(_) => Some(self.clone()),
            Err(idx) => self.spliced(idx..idx, Some(value)),
        }
    }

    /// Position or insertion point of a value in a set that is stored as a slice.
    fn find(&self, value: &Value) -> Option<Result<usize, usize>> {
        match (&self.0, value) {
            (Layout::Ints(ints), Value::Int(int)) => Some(ints.slice.binary_search(int)),
            (Layout::Sorted(items), _) if position(value).is_none() => Some(items.slice.binary_search(value)),
            _ => None,
        }
    }

    /// Set with a range of positions replaced by at most one value that belongs there; `None` if the set is not stored as a slice.
    pub(crate) fn spliced(&self, run: Range<usize>, new: Option<Value>) -> Option<Set> {
        match (&self.0, new) {
            (Layout::Ints(ints), None) => Some(spliced_ints(ints, run, None)),
            (Layout::Ints(ints), Some(Value::Int(int))) => Some(spliced_ints(ints, run, Some(int))),
            (Layout::Sorted(items), new) => spliced_values(items, run, new),
            _ => None,
        }
    }
}

fn spliced_ints(ints: &ThinArc<u64, i64>, run: Range<usize>, new: Option<i64>) -> Set {
    let (before, after) = (&ints.slice[..run.start], &ints.slice[run.end..]);
    let mut out = Vec::with_capacity(before.len() + 1 + after.len());
    out.extend_from_slice(before);
    out.extend(new);
    out.extend_from_slice(after);
    Set::as_interval(&out).unwrap_or_else(|| {
        let hash = changed_hash(ints.header.header, &ints.slice[run], new.as_ref());
        Set(Layout::Ints(ThinArc::from_header_and_slice(hash, &out)))
    })
}

/// Replaces a range of a slice by at most one value. `None` if the result may need another layout: numbers, pairs that may fit a matrix, or the empty
/// set.
fn spliced_values(items: &ThinArc<u64, Value>, run: Range<usize>, new: Option<Value>) -> Option<Set> {
    let (before, after) = (&items.slice[..run.start], &items.slice[run.end..]);
    let sample = before.first().or(after.first()).or(new.as_ref())?;
    let is_cell = |(first, second): (&Value, &Value)| position(first).is_some() && position(second).is_some();
    if position(sample).is_some() || sample.as_int().is_some() || sample.as_pair().is_some_and(is_cell) {
        return None;
    }
    let hash = changed_hash(items.header.header, &items.slice[run], new.as_ref());
    let spliced = Spliced { before: before.iter(), new, after: after.iter() };
    Some(Set(Layout::Sorted(ThinArc::from_header_and_iter(hash, spliced))))
}

fn changed_hash<T: std::hash::Hash>(hash: u64, gone: &[T], new: Option<&T>) -> u64 {
    let hash = gone.iter().fold(hash, |hash, item| hash.wrapping_sub(hash_item(item)));
    new.map_or(hash, |item| hash.wrapping_add(hash_item(item)))
}

struct Spliced<'a> {
    before: std::slice::Iter<'a, Value>,
    new: Option<Value>,
    after: std::slice::Iter<'a, Value>,
}

impl Iterator for Spliced<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match self.before.next() {
            Some(value) => Some(value.clone()),
            None => self.new.take().or_else(|| self.after.next().cloned()),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.before.len() + usize::from(self.new.is_some()) + self.after.len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for Spliced<'_> {}
