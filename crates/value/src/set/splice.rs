//! A large set with a few elements changed: what stays is copied as it is, and the hash follows the change.

use std::ops::Range;

use triomphe::ThinArc;

use super::{Layout, Set, position};
use crate::value::{Value, hash_item};

/// Up to this many elements are put in or taken out one after the other.
const FEW: u64 = 2;

impl Set {
    /// The union with a much smaller set.
    pub(super) fn with_few(&self, few: &Set) -> Option<Set> {
        if few.len() > FEW || few.len() * 4 > self.len() {
            return None;
        }
        let mut out = self.clone();
        for value in few {
            out = out.with(value)?;
        }
        Some(out)
    }

    /// The difference with a much smaller set.
    pub(super) fn without_few(&self, few: &Set) -> Option<Set> {
        if few.len() > FEW {
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

    /// With one more element.
    fn with(&self, value: Value) -> Option<Set> {
        match self.find(&value)? {
            Ok(_) => Some(self.clone()),
            Err(idx) => self.spliced(idx..idx, Some(value)),
        }
    }

    /// Where a value is or would be in a set that is kept as a slice.
    fn find(&self, value: &Value) -> Option<Result<usize, usize>> {
        match (&self.0, value) {
            (Layout::Ints(ints), Value::Int(int)) => Some(ints.slice.binary_search(int)),
            (Layout::Sorted(items), _) if position(value).is_none() => Some(items.slice.binary_search(value)),
            _ => None,
        }
    }

    /// With a run of positions replaced by at most one value that belongs there; nothing if the set is not kept as a slice.
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

/// Nothing if the result may be of another form: what is left of numbers, of pairs that may fit a matrix, or of nothing.
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
