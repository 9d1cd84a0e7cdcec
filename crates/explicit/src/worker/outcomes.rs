//! Deduplication of the outcomes of one operation in one state.

use std::hash::BuildHasher as _;

use abridge_system::Steps;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::operation::OperationMemos;

/// Steps of one operation out of one state, with the number of transitions to each target.
pub(crate) struct OperationOutcomes<'o> {
    operation: &'o OperationMemos,
    words: &'o [u32],
    start: usize,
    /// Indices of the targets by their hashes, once there are more than [`MAX_COMPARED_TARGETS`].
    groups: HashTable<u32>,
    out: &'o mut Steps,
}

/// Number of targets up to which linear search beats hashing.
const MAX_COMPARED_TARGETS: usize = 8;

impl<'o> OperationOutcomes<'o> {
    pub(crate) fn new(operation: &'o OperationMemos, words: &'o [u32], out: &'o mut Steps) -> Self {
        OperationOutcomes { operation, words, start: out.len(), groups: HashTable::new(), out }
    }

    pub(crate) fn add(&mut self, target: &mut Vec<u32>, count: u64, written: impl Iterator<Item = u32>) {
        target.clear();
        target.extend_from_slice(self.words);
        for (word, value) in self.operation.writes.iter().zip(written) {
            target[*word] = value;
        }
        let n_targets = self.out.len() - self.start;
        let known = if n_targets <= MAX_COMPARED_TARGETS {
            self.out.iter_from(self.start).position(|other| other.target == target.as_slice())
        } else {
            self.group();
            let (out, start) = (&self.out, self.start);
            let is_same = |idx: &u32| out.get(start + *idx as usize).target == target.as_slice();
            self.groups.find(hash(target), is_same).map(|idx| *idx as usize)
        };
        match known {
            Some(idx) => self.out.add_count(self.start + idx, count),
            None => {
                self.out.push(self.operation.step, count, target);
                if n_targets > MAX_COMPARED_TARGETS {
                    self.list(n_targets as u32);
                }
            }
        }
    }

    pub(crate) fn group(&mut self) {
        if self.groups.is_empty() {
            (0..(self.out.len() - self.start) as u32).for_each(|idx| self.list(idx));
        }
    }

    fn list(&mut self, idx: u32) {
        let (out, start) = (&self.out, self.start);
        let hash_at = |idx: &u32| hash(out.get(start + *idx as usize).target);
        self.groups.insert_unique(hash_at(&idx), idx, hash_at);
    }
}

/// Set of rows of words, all in one piece: very many boxes would take long to be dropped.
#[derive(Default)]
pub(crate) struct DistinctRows {
    rows: Vec<u32>,
    n_rows: usize,
    /// Positions of the rows by their hashes, once there are more than [`MAX_COMPARED_TARGETS`].
    many: HashTable<u32>,
}

impl DistinctRows {
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.n_rows = 0;
        self.many.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.n_rows
    }

    /// Adds a row, of the same length as all others; `true` if it is new.
    pub(crate) fn insert(&mut self, row: &[u32]) -> bool {
        if row.is_empty() {
            self.n_rows += 1;
            return self.n_rows == 1;
        }
        if self.contains(row) {
            return false;
        }
        self.rows.extend_from_slice(row);
        self.n_rows += 1;
        let unlisted = match self.n_rows {
            n_rows if n_rows <= MAX_COMPARED_TARGETS => 0..0,
            n_rows if self.many.is_empty() => 0..n_rows,
            n_rows => n_rows - 1..n_rows,
        };
        let rows = &self.rows;
        let hash_at = |number: &u32| hash(row_at(rows, row.len(), *number));
        for number in unlisted {
            let number = number as u32;
            self.many.insert_unique(hash_at(&number), number, hash_at);
        }
        true
    }

    pub(crate) fn contains(&self, row: &[u32]) -> bool {
        if self.n_rows <= MAX_COMPARED_TARGETS {
            return !row.is_empty() && self.rows.chunks_exact(row.len()).any(|other| other == row);
        }
        self.many.find(hash(row), |number| row_at(&self.rows, row.len(), *number) == row).is_some()
    }
}

fn row_at(rows: &[u32], width: usize, number: u32) -> &[u32] {
    &rows[number as usize * width..][..width]
}

fn hash(row: &[u32]) -> u64 {
    FxBuildHasher.hash_one(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_apart() {
        let mut distinct = DistinctRows::default();
        for round in 0..2 {
            for n in 0..1000_u32 {
                assert_eq!(distinct.contains(&[n % 7, n]), round == 1);
                assert_eq!(distinct.insert(&[n % 7, n]), round == 0, "{n}");
            }
        }
        assert_eq!(distinct.len(), 1000);
        distinct.clear();
        assert!(distinct.insert(&[3]) && !distinct.insert(&[3]) && distinct.insert(&[4]));
        distinct.clear();
        assert!(distinct.insert(&[]) && !distinct.insert(&[]));
    }
}
