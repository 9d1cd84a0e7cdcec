//! Iteration over the elements of a set in ascending order, for every layout.
//!
//! The order must be that of [`Value`]: merges and the comparison of sets rely on it.

use super::matrix::MatrixPairs;
use super::{Layout, Set, at};
use crate::int::Int;
use crate::value::Value;

pub struct SetIter<'a>(Cursor<'a>);

enum Cursor<'a> {
    /// Current word, its first position, and the remaining words.
    Bits {
        carrier: u32,
        bits: u64,
        base: u32,
        rest: &'a [u64],
    },
    Interval {
        next: i64,
        left: u64,
    },
    LongInterval {
        next: Int,
        hi: Int,
    },
    Ints(std::slice::Iter<'a, i64>),
    Cells(MatrixPairs<'a>),
    Slice(std::slice::Iter<'a, Value>),
}

impl<'a> SetIter<'a> {
    pub(super) fn new(set: &'a Set) -> SetIter<'a> {
        SetIter(match &set.0 {
            Layout::Empty => Cursor::Slice([].iter()),
            Layout::Bits { carrier, bits } => Cursor::Bits { carrier: *carrier, bits: *bits, base: 0, rest: &[] },
            Layout::Words { carrier, words } => match &words.slice {
                [bits, rest @ ..] => Cursor::Bits { carrier: *carrier, bits: *bits, base: 0, rest },
                [] => Cursor::Slice([].iter()),
            },
            Layout::Interval { span, lo } => Cursor::Interval { next: *lo, left: u64::from(*span) + 1 },
            Layout::LongInterval(ends) => Cursor::LongInterval { next: ends.0.clone(), hi: ends.1.clone() },
            Layout::Ints(ints) => Cursor::Ints(ints.slice.iter()),
            Layout::Matrix(matrix) => Cursor::Cells(matrix.cells()),
            Layout::Sorted(items) => Cursor::Slice(items.slice.iter()),
        })
    }
}

impl Iterator for SetIter<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match &mut self.0 {
            Cursor::Bits { carrier, bits, base, rest } => {
                while *bits == 0 {
                    let (word, after) = rest.split_first()?;
                    (*bits, *rest) = (*word, after);
                    *base += 64;
                }
                let index = bits.trailing_zeros();
                *bits &= *bits - 1;
                Some(at(*carrier, *base + index))
            }
            Cursor::Interval { next, left } => {
                *left = left.checked_sub(1)?;
                let value = Value::Int(*next);
                // The addition saturates only after the last element.
                *next = next.saturating_add(1);
                Some(value)
            }
            Cursor::LongInterval { next, hi } => {
                if *next > *hi {
                    return None;
                }
                let value = Value::int(next.clone());
                *next = &*next + &Int::ONE;
                Some(value)
            }
            Cursor::Ints(ints) => ints.next().map(|int| Value::Int(*int)),
            Cursor::Cells(cells) => cells.next().map(|(first, second)| Value::pair(first, second)),
            Cursor::Slice(items) => items.next().cloned(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Cursor::Bits { bits, rest, .. } => {
                let left = bits.count_ones() + rest.iter().map(|word| word.count_ones()).sum::<u32>();
                (left as usize, Some(left as usize))
            }
            Cursor::Interval { left, .. } => {
                (usize::try_from(*left).unwrap_or(usize::MAX), usize::try_from(*left).ok())
            }
            Cursor::LongInterval { .. } => (0, None),
            Cursor::Ints(ints) => ints.size_hint(),
            Cursor::Cells(cells) => cells.size_hint(),
            Cursor::Slice(items) => items.size_hint(),
        }
    }
}
