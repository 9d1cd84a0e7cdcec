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
struct Segment {
    first: u32,
    /// Words of a set.
    words: usize,
    sets: Vec<u64>,
}

impl Segment {
    fn states(&self) -> Range<u32> {
        self.first..self.first + (self.sets.len() / self.words) as u32
    }

    fn bytes(&self) -> usize {
        size_of::<Segment>() + self.sets.capacity() * size_of::<u64>()
    }
}

/// Sleep sets of states that are not yet expanded, in the order of their numbers. States without one have all steps awake.
#[derive(Default)]
pub(crate) struct SleepSets {
    segments: VecDeque<Segment>,
    n_bytes: usize,
    /// No more sets are kept for now.
    is_full: bool,
}

impl SleepSets {
    /// Decides whether further sets are kept; not if they would take too much memory beside that of the states.
    pub(crate) fn limit(&mut self, table_bytes: usize) {
        self.is_full = self.n_bytes > table_bytes / MAX_PART + MIN_BYTES;
    }

    /// Keeps the sets of states from a number on, each of so many words.
    pub(crate) fn add(&mut self, first: u32, words: usize, sets: Vec<u64>) {
        if !self.is_full && !sets.is_empty() {
            let segment = Segment { first, words, sets };
            self.n_bytes += segment.bytes();
            self.segments.push_back(segment);
        }
    }

    /// Drops the sets of states before a number; all of them if sets have no words.
    pub(crate) fn forget_before(&mut self, state: u32, words: usize) {
        if words == 0 {
            *self = SleepSets::default();
        }
        while let Some(segment) = self.segments.front().filter(|segment| segment.states().end <= state) {
            self.n_bytes -= segment.bytes();
            self.segments.pop_front();
        }
    }

    /// Copies the sets of some states, of so many words each.
    pub(crate) fn read(&self, states: Range<u32>, words: usize, out: &mut Vec<u64>) {
        out.clear();
        out.resize(states.len() * words, 0);
        let first = self.segments.partition_point(|segment| segment.states().end <= states.start);
        let segments = self.segments.range(first..).take_while(|segment| segment.first < states.end);
        for segment in segments.filter(|segment| segment.words == words) {
            let own = segment.states();
            let common = own.start.max(states.start)..own.end.min(states.end);
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

    fn note(sets: &mut SleepSets, states: Range<u32>, words: usize) {
        sets.add(states.start, words, states.flat_map(|state| vec![u64::from(state); words]).collect());
    }

    #[test]
    fn sets_are_found_until_their_states_are_passed() {
        let (mut sets, mut found) = (SleepSets::default(), Vec::new());
        note(&mut sets, 10..20, 2);
        note(&mut sets, 20..25, 2);
        note(&mut sets, 30..40, 2);
        sets.read(5..12, 2, &mut found);
        assert_eq!(found, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 10, 11, 11]);
        sets.forget_before(18, 2);
        sets.read(18..32, 2, &mut found);
        let expected = |state: u64| if (25..30).contains(&state) { 0 } else { state };
        assert_eq!(found, (18..32).flat_map(|state| [expected(state); 2]).collect::<Vec<_>>());
        sets.forget_before(25, 2);
        sets.read(24..26, 2, &mut found);
        assert_eq!(found, [0; 4], "the sets of states before are gone");
        sets.read(32..33, 1, &mut found);
        assert_eq!(found, [0], "sets of another width mean nothing");
        assert!(sets.bytes() > 0);
        sets.forget_before(40, 2);
        sets.read(40..41, 2, &mut found);
        assert_eq!((found.as_slice(), sets.bytes()), (&[0, 0][..], 0));
        note(&mut sets, 50..60, 2);
        sets.forget_before(45, 0);
        sets.read(45..46, 0, &mut found);
        assert!(found.is_empty() && sets.bytes() == 0, "nobody wants them any more");
    }

    #[test]
    fn memory_is_bounded() {
        let mut sets = SleepSets::default();
        sets.limit(0);
        note(&mut sets, 0..2_200_000, 1);
        sets.limit(0);
        note(&mut sets, 2_200_000..2_200_010, 1);
        assert_eq!(sets.segments.len(), 1);
        sets.limit(1 << 28);
        note(&mut sets, 2_200_010..2_200_020, 1);
        assert_eq!(sets.segments.len(), 2);
    }
}
