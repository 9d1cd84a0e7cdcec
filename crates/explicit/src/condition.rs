//! Conditions of operations without unknowns, each once for all operations that share it.

use abridge_compile::Condition;
use abridge_model::dump::pred_text;
use abridge_model::{Model, PredId};

use crate::layout::Words;
use crate::memo::Memo;

/// The different conditions of all operations.
#[derive(Default)]
pub(crate) struct Conditions {
    pub(crate) list: Vec<Shared>,
}

pub(crate) struct Shared {
    pub(crate) pred: PredId,
    pub(crate) words: Vec<usize>,
    pub(crate) memo: Option<Memo>,
}

impl Conditions {
    /// The number of a condition, the same for all that say the same.
    pub(crate) fn number(&mut self, model: &Model, words: &Words<'_>, condition: &Condition) -> usize {
        let text = pred_text(model, condition.pred);
        let read = words.of_those(|id| condition.reads.contains(&id));
        let is_same = |other: &Shared| other.words == read && pred_text(model, other.pred) == text;
        self.list.iter().position(is_same).unwrap_or_else(|| {
            let memo = words.can_repeat(&read).then(|| Memo::new(1 + read.len(), 5, usize::MAX));
            self.list.push(Shared { pred: condition.pred, words: read, memo });
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
