//! Deduplication of the outcomes of one operation in one state.

use abridge_system::Steps;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::operation::Operation;

/// Steps of one operation out of one state, with the number of transitions to each target.
pub(crate) struct Outcomes<'o> {
    operation: &'o Operation,
    words: &'o [u32],
    start: usize,
    /// Index of each target, once there are more than [`MAX_COMPARED_TARGETS`].
    groups: FxHashMap<Box<[u32]>, usize>,
    out: &'o mut Steps,
}

/// Number of targets up to which linear search beats hashing.
const MAX_COMPARED_TARGETS: usize = 8;

impl<'o> Outcomes<'o> {
    pub(crate) fn new(operation: &'o Operation, words: &'o [u32], out: &'o mut Steps) -> Self {
        Outcomes { operation, words, start: out.len(), groups: FxHashMap::default(), out }
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
            self.groups.get(target.as_slice()).copied()
        };
        match known {
            Some(idx) => self.out.add_count(self.start + idx, count),
            None => {
                self.out.push(self.operation.step, count, target);
                if n_targets > MAX_COMPARED_TARGETS {
                    self.groups.insert(target.as_slice().into(), n_targets);
                }
            }
        }
    }

    pub(crate) fn group(&mut self) {
        if self.groups.is_empty() {
            let targets = self.out.iter_from(self.start).enumerate();
            self.groups = targets.map(|(idx, step)| (step.target.into(), idx)).collect();
        }
    }
}

/// Set of rows of words.
#[derive(Default)]
pub(crate) struct Distinct {
    rows: Vec<u32>,
    n_rows: usize,
    many: FxHashSet<Box<[u32]>>,
}

impl Distinct {
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.n_rows = 0;
        self.many.clear();
    }

    /// Adds a row, of the same length as all others; `true` if it is new.
    pub(crate) fn insert(&mut self, row: &[u32]) -> bool {
        if row.is_empty() {
            self.n_rows += 1;
            return self.n_rows == 1;
        }
        if self.n_rows > MAX_COMPARED_TARGETS {
            return self.many.insert(row.into());
        }
        if self.rows.chunks_exact(row.len()).any(|other| other == row) {
            return false;
        }
        self.rows.extend_from_slice(row);
        self.n_rows += 1;
        if self.n_rows > MAX_COMPARED_TARGETS {
            self.many = self.rows.chunks_exact(row.len()).map(Into::into).collect();
        }
        true
    }
}
