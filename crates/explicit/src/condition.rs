//! Conditions of operations without unknowns. Operations with the same condition share its memo.

use abridge_compile::Condition;
use abridge_model::Model;
use abridge_model::dump::pred_text;
use rustc_hash::FxHashMap;

use crate::layout::WordLayout;
use crate::memo::Memo;

/// Distinct conditions of all operations.
#[derive(Default)]
pub(crate) struct Conditions {
    pub(crate) list: Vec<ConditionMemo>,
    /// Number of each condition, by the positions that it reads and its text.
    numbers: FxHashMap<(Vec<usize>, String), usize>,
}

/// Positions that a condition reads, and its memo.
pub(crate) struct ConditionMemo {
    pub(crate) words: Vec<usize>,
    pub(crate) memo: Option<Memo>,
}

impl Conditions {
    /// Number of a condition; equal conditions get the same number.
    pub(crate) fn number(&mut self, model: &Model, words: &WordLayout, condition: &Condition) -> usize {
        let read = words.of(&condition.reads.iter().copied().collect());
        *self.numbers.entry((read, pred_text(model, condition.pred))).or_insert_with_key(|(read, _)| {
            let memo = words.can_repeat(read).then(|| Memo::new(words.is_frugal, 1 + read.len(), 5, usize::MAX));
            self.list.push(ConditionMemo { words: read.clone(), memo });
            self.list.len() - 1
        })
    }

    pub(crate) fn words(&self, number: usize) -> &[usize] {
        &self.list[number].words
    }

    pub(crate) fn memos(&self) -> impl Iterator<Item = &Memo> {
        self.list.iter().filter_map(|shared| shared.memo.as_ref())
    }
}
