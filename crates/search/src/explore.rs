//! The one loop of all strategies.

use abridge_store::{Inserted, NO_PARENT, StateTable};
use abridge_system::{Finding, FindingKind, Limit, Properties, Steps, System, Worker};

use crate::frontier::{Frontier, Strategy};

/// What to do and when to stop.
#[derive(Clone, Debug)]
pub struct Config {
    pub strategy: Strategy,
    pub properties: Properties,
    pub deadlock: bool,
    /// End at the first finding.
    pub stop_at_first: bool,
    pub max_states: Option<u64>,
    /// The longest distance from the root, the steps of set-up and initialisation included.
    pub max_depth: Option<u32>,
    /// Findings kept of each kind; all are counted.
    pub max_findings: usize,
}

/// How far a search is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    pub waiting: u64,
    pub bytes: u64,
    pub depth: u32,
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

/// States between two questions to the [`Control`].
const POLL_EVERY: u64 = 256;

/// Visits what is reachable.
pub fn explore<S: System>(system: &S, config: &Config, control: &mut dyn Control) -> Exploration {
    let mut search = Search {
        worker: system.worker(),
        config,
        out: Exploration {
            table: StateTable::new(system.width()),
            transitions: 0,
            per_operation: Vec::new(),
            findings: Vec::new(),
            limits: Vec::new(),
            depth: 0,
            is_stuck_at_root: false,
            is_ill_defined_at_root: false,
        },
        frontier: Frontier::new(config.strategy),
        depths: Vec::new(),
        is_done: false,
    };
    search.run(system.width(), control);
    search.out
}

struct Search<'c, W> {
    worker: W,
    config: &'c Config,
    out: Exploration,
    frontier: Frontier,
    /// Distance of each state from the root along its parents.
    depths: Vec<u32>,
    is_done: bool,
}

impl<W: Worker> Search<'_, W> {
    fn run(&mut self, width: usize, control: &mut dyn Control) {
        let mut steps = Steps::new(width);
        self.worker.initial(&mut steps);
        self.out.is_stuck_at_root = steps.is_empty();
        self.out.is_ill_defined_at_root = steps.is_ill_defined;
        self.take(&steps, NO_PARENT);
        let mut state = Vec::with_capacity(width);
        let mut visited = 0_u64;
        while let Some(next) = self.frontier.pop().filter(|_| !self.is_done) {
            visited += 1;
            if visited.is_multiple_of(POLL_EVERY)
                && let Some(limit) = control.poll(&self.progress())
            {
                self.stop(limit);
                break;
            }
            state.clear();
            state.extend_from_slice(self.out.table.get(next));
            steps.clear();
            self.worker.successors(&state, &mut steps);
            if steps.is_ill_defined {
                self.find(FindingKind::IllDefined, next);
            }
            if steps.is_empty() && !steps.is_incomplete && self.config.deadlock {
                self.find(FindingKind::Deadlock, next);
            }
            if !self.is_done {
                self.take(&steps, next);
            }
        }
        control.poll(&self.progress());
    }

    fn progress(&self) -> Progress {
        Progress {
            states: self.out.table.len() as u64,
            transitions: self.out.transitions,
            waiting: self.frontier.len() as u64,
            bytes: self.out.table.bytes() as u64,
            depth: self.out.depth,
        }
    }

    /// Counts the steps out of a state and adds what is new.
    fn take(&mut self, steps: &Steps, parent: u32) {
        let depth = if parent == NO_PARENT { 1 } else { self.depths[parent as usize] + 1 };
        let is_too_deep = self.config.max_depth.is_some_and(|max| depth > max);
        for (operation, count, target) in steps.iter() {
            if is_too_deep {
                self.limit(Limit::Depth(depth - 1));
                return;
            }
            self.out.transitions += u64::from(count);
            let operation = operation as usize;
            if self.out.per_operation.len() <= operation {
                self.out.per_operation.resize(operation + 1, 0);
            }
            self.out.per_operation[operation] += u64::from(count);
            if let Inserted::New(state) = self.out.table.insert(target, parent) {
                self.depths.push(depth);
                self.out.depth = self.out.depth.max(depth);
                self.inspect(state, target);
                self.frontier.push(state);
                if self.config.max_states.is_some_and(|max| self.out.table.len() as u64 >= max)
                    && self.frontier.len() > 0
                {
                    self.stop(Limit::States(self.out.table.len() as u64));
                }
            }
            if self.is_done {
                return;
            }
        }
    }

    fn inspect(&mut self, state: u32, words: &[u32]) {
        let mut kinds = Vec::new();
        self.worker.inspect(words, self.config.properties, &mut |kind| kinds.push(kind));
        for kind in kinds {
            self.find(kind, state);
        }
    }

    fn find(&mut self, kind: FindingKind, state: u32) {
        let known = self
            .out
            .findings
            .iter()
            .filter(|finding| std::mem::discriminant(&finding.kind) == std::mem::discriminant(&kind))
            .count();
        if known < self.config.max_findings {
            self.out.findings.push(Finding { kind, state });
        }
        if self.config.stop_at_first {
            self.is_done = true;
        }
    }

    fn limit(&mut self, limit: Limit) {
        if !self.out.limits.contains(&limit) {
            self.out.limits.push(limit);
        }
    }

    fn stop(&mut self, limit: Limit) {
        self.limit(limit);
        self.is_done = true;
    }
}

#[cfg(test)]
mod tests {
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

        fn inspect(&mut self, state: &[u32], asked: Properties, found: &mut dyn FnMut(FindingKind)) {
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
}
