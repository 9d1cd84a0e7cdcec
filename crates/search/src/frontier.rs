//! The states that wait, and which of them comes next.

use std::collections::VecDeque;

/// The order in which states are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Shortest traces.
    BreadthFirst,
    DepthFirst,
    /// At each step at random the newest or the oldest state, one in three times the oldest; the same seed gives the same run.
    Mixed {
        seed: u64,
    },
}

pub(crate) struct Frontier {
    strategy: Strategy,
    waiting: VecDeque<u32>,
    random: u64,
}

impl Frontier {
    pub(crate) fn new(strategy: Strategy) -> Self {
        let random = match strategy {
            Strategy::Mixed { seed } => seed,
            _ => 0,
        };
        Frontier { strategy, waiting: VecDeque::new(), random }
    }

    pub(crate) fn push(&mut self, state: u32) {
        self.waiting.push_back(state);
    }

    pub(crate) fn pop(&mut self) -> Option<u32> {
        match self.strategy {
            Strategy::BreadthFirst => self.waiting.pop_front(),
            Strategy::DepthFirst => self.waiting.pop_back(),
            Strategy::Mixed { .. } => {
                if self.next_random().is_multiple_of(3) {
                    self.waiting.pop_front()
                } else {
                    self.waiting.pop_back()
                }
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// SplitMix64: small, seedable, the same everywhere.
    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
