//! Bit matrices: relations between booleans or elements of given sets, all at positions below 64.
//!
//! Set operators become operations on whole rows. Trailing empty rows are dropped, so that equal relations have equal matrices.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use triomphe::ThinArc;

use super::{Layout, Set, at, cmp_bits, position};
use crate::value::{Value, hash_slice};
use crate::weight::is_shared;

/// Maximum number of rows and of columns.
pub(crate) const MAX_POSITIONS: usize = 64;

/// Matrix with one row per first component, up to the last non-empty row. A row has the positions of the second components.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Matrix(ThinArc<Head, u64>);

#[derive(Clone, Copy, PartialEq, Eq)]
struct Head {
    hash: u64,
    from: u32,
    to: u32,
}

impl Matrix {
    /// Set of these rows, over the carriers of first and second components.
    pub(crate) fn set(from: u32, to: u32, rows: &[u64]) -> Set {
        let n_rows = rows.iter().rposition(|row| *row != 0).map_or(0, |last| last + 1);
        if n_rows == 0 {
            return Set::EMPTY;
        }
        let rows = &rows[..n_rows];
        let head = Head { hash: hash_slice(from ^ to.rotate_left(16), rows), from, to };
        Set(Layout::Matrix(Matrix(ThinArc::from_header_and_slice(head, rows))))
    }

    /// Memory of header and rows, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Head>() + size_of_val(&self.0.slice)
    }

    pub(super) fn is_shared(&self) -> bool {
        is_shared(&self.0)
    }

    /// Set of one pair, if the pair fits a matrix.
    pub(super) fn single(pair: &Value) -> Option<Set> {
        let ((from, row), (to, column)) = cell(pair)?;
        let mut rows = [0; MAX_POSITIONS];
        rows[row] = 1 << column;
        Some(Matrix::set(from, to, &rows[..=row]))
    }

    /// Set of pairs, if all fit one matrix.
    pub(super) fn collect(pairs: &[Value]) -> Option<Set> {
        let ((from, _), (to, _)) = cell(pairs.first()?)?;
        let mut rows = [0; MAX_POSITIONS];
        for pair in pairs {
            let ((from2, row), (to2, column)) = cell(pair)?;
            if (from2, to2) != (from, to) {
                return None;
            }
            rows[row] |= 1 << column;
        }
        Some(Matrix::set(from, to, &rows))
    }

    /// Carriers of first and second components.
    pub(crate) fn carriers(&self) -> (u32, u32) {
        (self.0.header.header.from, self.0.header.header.to)
    }

    pub(crate) fn rows(&self) -> &[u64] {
        &self.0.slice
    }

    pub(crate) fn row(&self, idx: usize) -> u64 {
        self.rows().get(idx).copied().unwrap_or(0)
    }

    /// Row of a first component; zero for a value of another carrier.
    pub(crate) fn row_of(&self, key: &Value) -> u64 {
        position(key).filter(|(carrier, _)| *carrier == self.carriers().0).map_or(0, |(_, idx)| self.row(idx as usize))
    }

    pub(super) fn len(&self) -> u64 {
        self.rows().iter().map(|row| u64::from(row.count_ones())).sum()
    }

    pub(super) fn contains(&self, pair: &Value) -> bool {
        cell(pair).is_some_and(|((from, row), (to, column))| {
            self.carriers() == (from, to) && self.row(row) & (1 << column) != 0
        })
    }

    pub(super) fn last(&self) -> Option<Value> {
        let (row, columns) = (self.rows().len() - 1, self.rows().last()?);
        Some(self.pair(row, columns.ilog2()))
    }

    fn pair(&self, row: usize, column: u32) -> Value {
        let (from, to) = self.carriers();
        Value::pair(at(from, row as u32), at(to, column))
    }

    pub(crate) fn cells(&self) -> MatrixPairs<'_> {
        MatrixPairs { matrix: self, row: 0, columns: self.row(0) }
    }

    /// Combines both row by row, if both are over the same carriers.
    pub(crate) fn rowwise(&self, other: &Matrix, combine: fn(u64, u64) -> u64) -> Option<Set> {
        if self.carriers() != other.carriers() {
            return None;
        }
        let mut rows = [0; MAX_POSITIONS];
        let n_rows = self.rows().len().max(other.rows().len());
        for (idx, row) in rows.iter_mut().enumerate().take(n_rows) {
            *row = combine(self.row(idx), other.row(idx));
        }
        let (from, to) = self.carriers();
        Some(Matrix::set(from, to, &rows[..n_rows]))
    }

    /// Maps each row.
    pub(crate) fn map_rows(&self, change: impl Fn(usize, u64) -> u64) -> Set {
        let mut rows = [0; MAX_POSITIONS];
        for (idx, row) in self.rows().iter().enumerate() {
            rows[idx] = change(idx, *row);
        }
        let (from, to) = self.carriers();
        Matrix::set(from, to, &rows[..self.rows().len()])
    }

    /// Compares by ascending pairs; both must be over the same carriers.
    pub(super) fn cmp_cells(&self, other: &Matrix) -> Ordering {
        let n_rows = self.rows().len().max(other.rows().len());
        let Some(idx) = (0..n_rows).find(|idx| self.row(*idx) != other.row(*idx)) else { return Ordering::Equal };
        let (mine, theirs) = (self.row(idx), other.row(idx));
        let lowest = (mine ^ theirs) & (mine ^ theirs).wrapping_neg();
        // The relation without the first differing pair is greater if it has later pairs; otherwise it is a prefix.
        let has_later_row = |matrix: &Matrix| matrix.rows().len() > idx + 1;
        match (mine & lowest != 0, has_later_row(self), has_later_row(other)) {
            (true, _, true) => Ordering::Less,
            (false, true, _) => Ordering::Greater,
            _ => cmp_bits(mine, theirs),
        }
    }
}

impl Hash for Matrix {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.header.header.hash.hash(state);
    }
}

/// Positions of the set bits, ascending.
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let idx = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(idx)
    })
}

/// Carriers and positions of a pair that fits a matrix.
fn cell(pair: &Value) -> Option<((u32, usize), (u32, usize))> {
    let (first, second) = pair.as_pair()?;
    let ((from, row), (to, column)) = (position(first)?, position(second)?);
    let fits = (row as usize) < MAX_POSITIONS && (column as usize) < MAX_POSITIONS;
    fits.then_some(((from, row as usize), (to, column as usize)))
}

/// Iterator over the pairs of a matrix as first and second components, ascending.
pub(crate) struct MatrixPairs<'a> {
    matrix: &'a Matrix,
    row: usize,
    columns: u64,
}

impl Iterator for MatrixPairs<'_> {
    type Item = (Value, Value);

    fn next(&mut self) -> Option<(Value, Value)> {
        while self.columns == 0 {
            self.row += 1;
            self.columns = *self.matrix.rows().get(self.row)?;
        }
        let column = self.columns.trailing_zeros();
        self.columns &= self.columns - 1;
        let (from, to) = self.matrix.carriers();
        Some((at(from, self.row as u32), at(to, column)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.matrix.rows().iter().skip(self.row + 1).map(|row| row.count_ones()).sum::<u32>();
        let left = (rest + self.columns.count_ones()) as usize;
        (left, Some(left))
    }
}
