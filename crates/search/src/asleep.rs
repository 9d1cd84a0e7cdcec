//! Sleep sets of the frontier (Godefroid, "Partial-order methods for the verification of concurrent systems", section 5).
//!
//! Two steps that do not influence each other lead to the same state in both orders. A system that knows such steps says with a step which steps of its target
//! lead to states that the search meets earlier: those that the predecessor took before, and those that were asleep there. The search keeps this set until the target is
//! expanded, and the worker then only counts these steps. No state is left out, since states are expanded in the order of their numbers; so all numbers, counts and findings are the
//! same without sleep sets, and they can be dropped at any time.

use std::collections::VecDeque;
use std::ops::Range;

/// Sleep sets use one part in so many of the memory of the states, beside [`MIN_BYTES`].
const MAX_PART: usize = 4;
const MIN_BYTES: usize = 1 << 24;

/// Sleep sets of consecutive states.
#[derive(Default)]
struct Segment {
    first: u32,
    /// Words of a set.
    words: usize,
    sets: Vec<u64>,
}

impl Segment {
    fn states(&self) -> Range<u32> {
        self.first..self.first + (self.sets.len() / self.words.max(1)) as u32
    }

    fn bytes(&self) -> usize {
        self.sets.capacity() * size_of::<u64>()
    }
}

/// Sleep sets of states that are not yet expanded, in the order of their numbers. States without one have all steps awake.
#[derive(Default)]
pub(crate) struct SleepSets {
    segments: VecDeque<Segment>,
    newest: Segment,
    n_bytes: usize,
}

impl SleepSets {
    /// Begins to note the sets of states from a number on, each of so many words; none if they would take too much memory.
    pub(crate) fn begin(&mut self, first: u32, words: usize, table_bytes: usize) {
        let is_affordable = self.n_bytes <= table_bytes / MAX_PART + MIN_BYTES;
        self.newest = Segment { first, words: if is_affordable { words } else { 0 }, sets: Vec::new() };
    }

    /// Notes the sets of the next states, of so many words each.
    pub(crate) fn push(&mut self, sets: &[u64], words: usize) {
        if self.newest.words == words {
            self.newest.sets.extend_from_slice(sets);
        }
    }

    pub(crate) fn end(&mut self) {
        let mut newest = std::mem::take(&mut self.newest);
        if !newest.sets.is_empty() {
            newest.sets.shrink_to_fit();
            self.n_bytes += newest.bytes();
            self.segments.push_back(newest);
        }
    }

    /// Copies the sets of some states, of so many words each, and drops those of states before; without words, all of them.
    pub(crate) fn take(&mut self, states: Range<u32>, words: usize, out: &mut Vec<u64>) {
        out.clear();
        if words == 0 {
            *self = SleepSets::default();
        }
        out.resize(states.len() * words, 0);
        while let Some(segment) = self.segments.front().filter(|segment| segment.states().end <= states.start) {
            self.n_bytes -= segment.bytes();
            self.segments.pop_front();
        }
        for segment in self.segments.iter().filter(|segment| segment.words == words) {
            let own = segment.states();
            let common = own.start.max(states.start)..own.end.min(states.end);
            if common.start >= states.end {
                break;
            }
            let from = (common.start - own.start) as usize * words..(common.end - own.start) as usize * words;
            let to = (common.start - states.start) as usize * words;
            out[to..to + from.len()].copy_from_slice(&segment.sets[from]);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.n_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(sets: &mut SleepSets, states: Range<u32>, words: usize) {
        sets.begin(states.start, words, 0);
        states.for_each(|state| sets.push(&vec![u64::from(state); words], words));
        sets.end();
    }

    #[test]
    fn sets_are_found_until_their_states_are_passed() {
        let (mut sets, mut found) = (SleepSets::default(), Vec::new());
        noted(&mut sets, 10..20, 2);
        noted(&mut sets, 20..25, 2);
        noted(&mut sets, 30..40, 2);
        sets.take(5..12, 2, &mut found);
        assert_eq!(found, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 10, 11, 11]);
        sets.take(18..32, 2, &mut found);
        let expected = |state: u64| if (25..30).contains(&state) { 0 } else { state };
        assert_eq!(found, (18..32).flat_map(|state| [expected(state); 2]).collect::<Vec<_>>());
        sets.take(32..33, 1, &mut found);
        assert_eq!(found, [0], "sets of another width mean nothing");
        assert!(sets.bytes() > 0);
        sets.take(40..41, 2, &mut found);
        assert_eq!((found.as_slice(), sets.bytes()), (&[0, 0][..], 0));
        noted(&mut sets, 50..60, 2);
        sets.take(45..46, 0, &mut found);
        assert!(found.is_empty() && sets.bytes() == 0, "nobody wants them any more");
    }

    #[test]
    fn memory_is_bounded() {
        let mut sets = SleepSets::default();
        noted(&mut sets, 0..2_200_000, 1);
        noted(&mut sets, 2_200_000..2_200_010, 1);
        assert_eq!(sets.segments.len(), 1);
    }
}
