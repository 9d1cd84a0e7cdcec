//! Conditions of operations without unknowns. Operations often share them, so each is settled once in a state, under the few words that it reads.

use abridge_model::dump::pred_text;
use abridge_model::{Model, PredId};
use abridge_system::Ahead;

use super::fast::FastPath;
use super::memo::{Desk, Memo, Seat};
use super::{Explicit, Words, fill};
use abridge_compile::{Condition, Fast, Verdict};

/// The different conditions of all operations.
#[derive(Default)]
pub(super) struct Conditions {
    list: Vec<Shared>,
}

struct Shared {
    pred: PredId,
    words: Vec<usize>,
    memo: Option<Memo>,
}

impl Conditions {
    /// The number of a condition, the same for all that say the same.
    pub(super) fn number(&mut self, model: &Model, words: &Words<'_>, condition: &Condition) -> usize {
        let text = pred_text(model, condition.pred);
        let read = words.of_those(|id| condition.reads.contains(&id));
        let is_same = |other: &Shared| other.words == read && pred_text(model, other.pred) == text;
        self.list.iter().position(is_same).unwrap_or_else(|| {
            let memo = words.can_repeat(&read).then(|| Memo::new(1 + read.len(), 5, usize::MAX));
            self.list.push(Shared { pred: condition.pred, words: read, memo });
            self.list.len() - 1
        })
    }

    pub(super) fn words(&self, number: usize) -> &[usize] {
        &self.list[number].words
    }

    pub(super) fn memos(&self) -> impl Iterator<Item = &Memo> {
        self.list.iter().filter_map(|shared| shared.memo.as_ref())
    }
}

/// One worker's part.
pub(super) struct Settled<'a> {
    conditions: &'a Conditions,
    seats: Vec<Option<Seat<'a>>>,
    /// What is known in the state at hand.
    verdicts: Vec<Option<Verdict>>,
    key: Vec<u32>,
}

impl<'a> Settled<'a> {
    pub(super) fn new(conditions: &'a Conditions) -> Self {
        Settled {
            seats: conditions.list.iter().map(|shared| shared.memo.as_ref().map(Seat::new)).collect(),
            verdicts: vec![None; conditions.list.len()],
            conditions,
            key: Vec::new(),
        }
    }

    pub(super) fn refresh(&mut self) {
        self.seats.iter_mut().flatten().for_each(Seat::refresh);
    }

    /// Another state is at hand.
    pub(super) fn begin(&mut self) {
        self.verdicts.fill(None);
    }

    /// Fetches what is remembered of states.
    pub(super) fn fetch(&self, states: &[Ahead], desk: &mut Desk) {
        for (shared, seat) in self.conditions.list.iter().zip(&self.seats) {
            if let Some(seat) = seat {
                seat.fetch(states.iter().map(|state| state.words.as_slice()), &shared.words, desk);
            }
        }
    }

    /// What a condition says in a state.
    pub(super) fn verdict(
        &mut self,
        number: usize,
        condition: &Condition,
        system: &Explicit<'_>,
        fast: &mut FastPath<'_>,
        words: &[u32],
    ) -> Fast<Verdict> {
        if let Some(verdict) = self.verdicts[number] {
            return Ok(verdict);
        }
        let read = self.conditions.words(number);
        let mut missing = None;
        if let Some(seat) = self.seats[number].as_mut().filter(|seat| !seat.is_off()) {
            fill(&mut self.key, words, read);
            match seat.get(&system.lists, &self.key) {
                Ok(number_of_verdict) => {
                    let verdict = Verdict::from_number(number_of_verdict);
                    self.verdicts[number] = Some(verdict);
                    return Ok(verdict);
                }
                Err(key) => missing = Some(key),
            }
        }
        fast.load(system, words, read);
        let verdict = fast.runtime.condition(condition)?;
        if let (Some(key), Some(seat)) = (missing, &self.seats[number]) {
            seat.insert(&system.lists, &self.key, key, verdict.number());
        }
        self.verdicts[number] = Some(verdict);
        Ok(verdict)
    }
}
