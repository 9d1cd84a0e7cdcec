//! Strategies that take one waiting state after the other.

use abridge_store::{Inserted, MAX_STATES, NO_PARENT, Order, StateTable};
use abridge_system::{Finding, FindingKind, Limit, Steps, System};

use crate::bfs::PAIRS_MARGIN;
use crate::explore::{Config, Control, DiskUse, Exploration, Progress};
use crate::frontier::Frontier;
use crate::hand::Hand;
use crate::root::{self, Taker};
use crate::scout::Scout;
use crate::tally::Outcome;

/// States between two questions to the [`Control`].
const POLL_EVERY: u64 = 256;

pub(crate) fn explore<S: System>(system: &S, config: &Config, control: &mut dyn Control) -> Exploration {
    let mut walk = Walk {
        hand: Hand::new(system),
        scout: Scout::new(system, config),
        config,
        table: StateTable::new(system.width(), Order::Any),
        outcome: Outcome::default(),
        frontier: Frontier::new(config.strategy),
        depths: Vec::new(),
        depth: 0,
    };
    let root = root::enumerate(system, config, &mut walk, control);
    walk.run(system, control);
    let Walk { table, outcome, depth, scout, .. } = walk;
    Exploration {
        table,
        transitions: outcome.tally.transitions,
        per_operation: outcome.tally.per_operation,
        findings: outcome.findings,
        scouted: scout.found,
        limits: outcome.limits,
        depth,
        is_stuck_at_root: root.is_stuck,
        is_ill_defined_at_root: root.is_ill_defined,
        disk: DiskUse::default(),
    }
}

struct Walk<'c, 's, S: System> {
    hand: Hand<S::Worker<'s>>,
    scout: Scout<'s, S>,
    config: &'c Config,
    table: StateTable,
    outcome: Outcome,
    frontier: Frontier,
    /// Distance of each state from the root along its parents.
    depths: Vec<u32>,
    depth: u32,
}

impl<'s, S: System> Taker<'s, S> for Walk<'_, 's, S> {
    fn take_part(&mut self, steps: &mut Steps) {
        std::mem::swap(steps, &mut self.hand.steps);
        self.take(NO_PARENT);
    }

    fn progress(&self) -> Progress {
        self.progress()
    }

    fn heed(&mut self, limit: Limit) -> bool {
        self.outcome.stop(limit);
        true
    }

    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn scout(&mut self) -> &mut Scout<'s, S> {
        &mut self.scout
    }
}

impl<S: System> Walk<'_, '_, S> {
    fn run(&mut self, system: &S, control: &mut dyn Control) {
        let mut visited = 0_u64;
        while let Some(next) = self.frontier.pop().filter(|_| !self.outcome.is_done) {
            visited += 1;
            if visited.is_multiple_of(POLL_EVERY) {
                (0..system.tidy(self.table.len() as u64)).for_each(|_| system.tidy_part());
                if let Some(limit) = control.poll(&self.progress()) {
                    self.outcome.stop(limit);
                    break;
                }
            }
            self.hand.read(&self.table, self.table.root(next));
            self.hand.expand();
            if self.hand.steps.is_ill_defined {
                self.find(FindingKind::IllDefined, next);
            }
            if self.config.deadlock && self.hand.steps.is_deadlock() {
                self.find(FindingKind::Deadlock, next);
            }
            if !self.outcome.is_done {
                self.take(next);
            }
        }
        control.poll(&self.progress());
    }

    fn progress(&self) -> Progress {
        Progress {
            states: self.table.len() as u64,
            transitions: self.outcome.tally.transitions,
            waiting: self.frontier.len() as u64,
            bytes: self.table.bytes() as u64,
            is_spilled: false,
            depth: self.depth,
            is_settled: !self.outcome.findings.is_empty() || !self.scout.found.is_empty(),
        }
    }

    /// Counts the steps out of a state and adds what is new.
    fn take(&mut self, parent: u32) {
        let depth = if parent == NO_PARENT { 1 } else { self.depths[parent as usize] + 1 };
        if self.config.max_depth.is_some_and(|max| depth > max) {
            if !self.hand.steps.is_empty() {
                self.outcome.limit(Limit::Depth(depth - 1));
            }
            return;
        }
        let mut targets = Vec::with_capacity(self.hand.steps.len());
        self.hand.targets(&self.table, |operation, count, root| targets.push((operation, count, root)));
        for (operation, count, root) in targets {
            self.outcome.tally.add(operation, count);
            // A table in memory is read without failure.
            if let Ok(Inserted::New(state)) = self.table.insert(root) {
                self.table.close(parent, 1);
                self.depths.push(depth);
                self.depth = self.depth.max(depth);
                self.inspect(state, root);
                self.frontier.push(state);
                let len = self.table.len() as u64;
                if self.config.max_states.is_some_and(|max| len >= max) {
                    self.outcome.stop(Limit::States(len));
                }
                if len >= MAX_STATES || self.table.n_pairs() >= MAX_STATES - PAIRS_MARGIN {
                    self.outcome.stop(Limit::Numbers);
                }
            }
            if self.outcome.is_done {
                return;
            }
        }
    }

    fn inspect(&mut self, state: u32, root: u64) {
        let mut kinds = Vec::new();
        self.hand.inspect(&self.table, root, self.config.properties, &mut |kind| kinds.push(kind));
        kinds.into_iter().for_each(|kind| self.find(kind, state));
    }

    fn find(&mut self, kind: FindingKind, state: u32) {
        self.outcome.find(self.config, Finding { kind, state });
    }
}
