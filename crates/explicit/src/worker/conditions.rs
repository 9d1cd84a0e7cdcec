//! Verdicts of conditions in the current state. Each is evaluated at most once per state, and memoised under the few words that it reads.

use abridge_compile::{Condition, Fast, GuardVerdict};
use abridge_system::Ahead;

use super::fast::FastPath;
use crate::condition::Conditions;
use crate::layout::fill;
use crate::memo::{MemoHandle, PrefetchBuffer};
use crate::system::Explicit;

/// Verdicts of all conditions in the current state, with the handles of their memos.
pub(crate) struct GuardVerdicts<'a> {
    conditions: &'a Conditions,
    handles: Vec<Option<MemoHandle<'a>>>,
    /// Verdicts known so far in the current state.
    verdicts: Vec<Option<GuardVerdict>>,
    key: Vec<u32>,
}

impl<'a> GuardVerdicts<'a> {
    pub(crate) fn new(conditions: &'a Conditions) -> Self {
        GuardVerdicts {
            handles: conditions.list.iter().map(|shared| shared.memo.as_ref().map(MemoHandle::new)).collect(),
            verdicts: vec![None; conditions.list.len()],
            conditions,
            key: Vec::new(),
        }
    }

    pub(crate) fn refresh(&mut self) {
        self.handles.iter_mut().flatten().for_each(MemoHandle::refresh);
    }

    /// Drops the verdicts, before another state.
    pub(crate) fn begin(&mut self) {
        self.verdicts.fill(None);
    }

    /// Prefetches the memo entries of states.
    pub(crate) fn fetch(&self, states: &[Ahead], buffer: &mut PrefetchBuffer) {
        for (shared, handle) in self.conditions.list.iter().zip(&self.handles) {
            if let Some(handle) = handle {
                handle.fetch(states.iter().map(|state| state.words.as_slice()), &shared.words, buffer);
            }
        }
    }

    /// Verdict of a condition in a state.
    pub(crate) fn verdict(
        &mut self,
        number: usize,
        condition: &Condition,
        system: &Explicit<'_>,
        fast: &mut FastPath<'_>,
        words: &[u32],
    ) -> Fast<GuardVerdict> {
        if let Some(verdict) = self.verdicts[number] {
            return Ok(verdict);
        }
        let read = self.conditions.words(number);
        let mut missing = None;
        if let Some(handle) = self.handles[number].as_mut().filter(|handle| !handle.is_off()) {
            fill(&mut self.key, words, read);
            match handle.get(&system.lists, &self.key) {
                Ok(number_of_verdict) => {
                    let verdict = GuardVerdict::from_number(number_of_verdict);
                    self.verdicts[number] = Some(verdict);
                    return Ok(verdict);
                }
                Err(key) => missing = Some(key),
            }
        }
        fast.load(system, words, read);
        let verdict = fast.runtime.condition(condition)?;
        if let (Some(key), Some(handle)) = (missing, &self.handles[number]) {
            handle.insert(&system.lists, &self.key, key, verdict.number());
        }
        self.verdicts[number] = Some(verdict);
        Ok(verdict)
    }
}
