//! What a search is asked and what it answers.

use std::num::NonZero;

use abridge_store::StateTable;
use abridge_system::{Finding, Limit, Properties, System};

use crate::frontier::Strategy;
use crate::{bfs, walk};

/// What to do and when to stop.
#[derive(Clone, Debug)]
pub struct Config {
    pub strategy: Strategy,
    pub properties: Properties,
    pub deadlock: bool,
    /// End at the first finding; what has been begun together with it may be finished.
    pub stop_at_first: bool,
    pub max_states: Option<u64>,
    /// The longest distance from the root, the steps of set-up and initialisation included.
    pub max_depth: Option<u32>,
    /// Findings kept of each kind; all are counted.
    pub max_findings: usize,
    /// Threads; only breadth-first search uses more than one. No result depends on it.
    pub workers: NonZero<usize>,
}

/// How far a search is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    pub waiting: u64,
    pub bytes: u64,
    pub depth: u32,
    /// Something was found, so the verdict is known.
    pub is_settled: bool,
}

/// The world outside, asked now and then.
pub trait Control {
    /// Told about progress; the answer ends the search.
    fn poll(&mut self, progress: &Progress) -> Option<Limit>;
}

/// What a search found out.
pub struct Exploration {
    pub table: StateTable,
    pub transitions: u64,
    /// Transitions per operation.
    pub per_operation: Vec<u64>,
    /// The first findings of each kind, in the order of discovery.
    pub findings: Vec<Finding>,
    /// Not empty if some state was not visited.
    pub limits: Vec<Limit>,
    pub depth: u32,
    /// The root itself has no successor.
    pub is_stuck_at_root: bool,
    /// The initial steps could not be evaluated completely.
    pub is_ill_defined_at_root: bool,
}

/// Visits what is reachable.
pub fn explore<S: System>(system: &S, config: &Config, control: &mut dyn Control) -> Exploration {
    match config.strategy {
        Strategy::BreadthFirst => bfs::explore(system, config, control),
        Strategy::DepthFirst | Strategy::Mixed { .. } => walk::explore(system, config, control),
    }
}

#[cfg(test)]
mod tests {
    use abridge_system::{FindingKind, Steps, Worker};

    use super::*;

    /// A counter from 0 to `top` that can also jump back to 0.
    struct Counter {
        top: u32,
    }

    struct CounterWorker<'a>(&'a Counter);

    impl System for Counter {
        type Worker<'a> = CounterWorker<'a>;

        fn width(&self) -> usize {
            1
        }

        fn worker(&self) -> CounterWorker<'_> {
            CounterWorker(self)
        }
    }

    impl Worker for CounterWorker<'_> {
        fn initial(&mut self, out: &mut Steps) {
            out.push(0, 1, &[0]);
        }

        fn successors(&mut self, state: &[u32], out: &mut Steps) {
            if state[0] < self.0.top {
                out.push(1, 1, &[state[0] + 1]);
                out.push(2, 2, &[0]);
            }
        }

        fn inspect(&mut self, state: &[u32], _: Option<&[u32]>, asked: Properties, found: &mut dyn FnMut(FindingKind)) {
            if asked.invariant && state[0] == 7 {
                found(FindingKind::Invariant(0));
            }
        }
    }

    struct Patient;

    impl Control for Patient {
        fn poll(&mut self, _: &Progress) -> Option<Limit> {
            None
        }
    }

    fn config(strategy: Strategy) -> Config {
        Config {
            strategy,
            properties: Properties { invariant: true, assertions: false, goal: false },
            deadlock: true,
            stop_at_first: false,
            max_states: None,
            max_depth: None,
            max_findings: 10,
            workers: NonZero::<usize>::MIN,
        }
    }

    #[test]
    fn every_strategy_visits_everything() {
        for strategy in [Strategy::BreadthFirst, Strategy::DepthFirst, Strategy::Mixed { seed: 1 }] {
            let found = explore(&Counter { top: 20 }, &config(strategy), &mut Patient);
            assert_eq!((found.table.len(), found.transitions), (21, 1 + 20 * 3));
            assert_eq!(
                found.findings,
                [
                    Finding { kind: FindingKind::Invariant(0), state: 7 },
                    Finding { kind: FindingKind::Deadlock, state: 20 }
                ]
            );
            assert!(found.limits.is_empty());
        }
    }

    #[test]
    fn limits_are_told() {
        let few = Config { max_states: Some(5), ..config(Strategy::BreadthFirst) };
        let found = explore(&Counter { top: 20 }, &few, &mut Patient);
        assert_eq!((found.table.len(), found.limits.as_slice()), (5, [Limit::States(5)].as_slice()));
        let near = Config { max_depth: Some(3), ..config(Strategy::BreadthFirst) };
        let found = explore(&Counter { top: 20 }, &near, &mut Patient);
        assert_eq!((found.table.len(), found.limits.as_slice()), (3, [Limit::Depth(3)].as_slice()));
    }

    #[test]
    fn a_limit_that_is_not_reached_is_no_limit() {
        let enough = Config { max_states: Some(100), max_depth: Some(100), ..config(Strategy::BreadthFirst) };
        assert!(explore(&Counter { top: 20 }, &enough, &mut Patient).limits.is_empty());
    }

    /// Numbers below `size`, each with steps to some others, spread widely.
    struct Web {
        size: u32,
    }

    struct WebWorker<'a>(&'a Web);

    impl System for Web {
        type Worker<'a> = WebWorker<'a>;

        fn width(&self) -> usize {
            3
        }

        fn worker(&self) -> WebWorker<'_> {
            WebWorker(self)
        }
    }

    impl Web {
        fn words(&self, n: u32) -> [u32; 3] {
            [n % 64, n / 64 % 64, n / 4096]
        }
    }

    impl Worker for WebWorker<'_> {
        fn initial(&mut self, out: &mut Steps) {
            (0..3).for_each(|n| out.push(0, 1, &self.0.words(n)));
        }

        fn successors(&mut self, state: &[u32], out: &mut Steps) {
            let n = state[0] + 64 * state[1] + 4096 * state[2];
            for factor in 1..1 + n % 7 {
                out.push(factor, 1 + factor % 2, &self.0.words((n * (factor + 1) + factor * factor) % self.0.size));
            }
        }

        fn inspect(&mut self, state: &[u32], _: Option<&[u32]>, asked: Properties, found: &mut dyn FnMut(FindingKind)) {
            if asked.goal && state[0] == 17 && state[1] == 40 {
                found(FindingKind::Goal);
            }
        }
    }

    #[test]
    fn the_number_of_workers_changes_nothing() {
        let system = Web { size: 199_999 };
        let run = |workers: usize, stop_at_first: bool| {
            let properties = Properties { invariant: false, assertions: false, goal: true };
            let config = Config {
                workers: NonZero::new(workers).unwrap_or(NonZero::<usize>::MIN),
                stop_at_first,
                deadlock: !stop_at_first,
                properties,
                ..config(Strategy::BreadthFirst)
            };
            explore(&system, &config, &mut Patient)
        };
        for stop_at_first in [false, true] {
            let alone = run(1, stop_at_first);
            assert!(alone.table.len() > if stop_at_first { 100 } else { 100_000 });
            for workers in [2, 8] {
                let many = run(workers, stop_at_first);
                assert_eq!((many.transitions, many.depth), (alone.transitions, alone.depth));
                assert_eq!((&many.findings, &many.per_operation), (&alone.findings, &alone.per_operation));
                assert_eq!(many.table.len(), alone.table.len());
                for state in 0..alone.table.len() as u32 {
                    assert_eq!(many.table.get(state), alone.table.get(state));
                    assert_eq!(many.table.parent(state), alone.table.parent(state));
                }
            }
        }
    }

    #[test]
    fn breadth_first_and_depth_first_agree_on_counts() {
        let system = Web { size: 30_000 };
        let counts = |strategy| {
            let found = explore(&system, &config(strategy), &mut Patient);
            (found.table.len(), found.transitions, found.per_operation)
        };
        assert_eq!(counts(Strategy::BreadthFirst), counts(Strategy::DepthFirst));
        assert_eq!(counts(Strategy::DepthFirst).0, 13_568);
    }
}
