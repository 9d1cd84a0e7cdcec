//! Frontier of the serial strategies: visited states that are not yet expanded, and the choice of the next one.

use std::collections::VecDeque;

use abridge_value::Random;

/// The order in which states are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Finds shortest traces.
    BreadthFirst,
    DepthFirst,
    /// Expands the oldest waiting state with probability 1/3, otherwise the newest. The same seed gives the same run.
    Mixed {
        seed: u64,
    },
}

pub(crate) struct Frontier {
    strategy: Strategy,
    waiting: VecDeque<u32>,
    random: Random,
}

impl Frontier {
    pub(crate) fn new(strategy: Strategy) -> Self {
        let seed = match strategy {
            Strategy::Mixed { seed } => seed,
            _ => 0,
        };
        Frontier { strategy, waiting: VecDeque::new(), random: Random::new(seed) }
    }

    pub(crate) fn push(&mut self, state: u32) {
        self.waiting.push_back(state);
    }

    pub(crate) fn pop(&mut self) -> Option<u32> {
        match self.strategy {
            Strategy::BreadthFirst => self.waiting.pop_front(),
            Strategy::DepthFirst => self.waiting.pop_back(),
            Strategy::Mixed { .. } => {
                if self.random.below(3) == 0 {
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
}
