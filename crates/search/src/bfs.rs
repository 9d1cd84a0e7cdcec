//! Breadth-first search, block by block.
//!
//! A block is a run of states of one level. Its size follows from what has been visited so far and not from time or threads, and
//! whatever ends the search is looked at after a block, so that results do not depend on the number of threads. Small blocks are
//! done on the spot, large ones by a [`Round`].

use std::ops::Range;
use std::thread::{self, Scope};

use abridge_store::{Inserted, NO_PARENT, Order, StateTable};
use abridge_system::{Finding, FindingKind, Limit, System, Worker};

use crate::crew::Crew;
use crate::explore::{Config, Control, Exploration, Progress};
use crate::hand::Hand;
use crate::round::{Round, Task};
use crate::tally::{Outcome, Tally};

/// Blocks smaller than this are not worth waking anybody.
const SMALL: u32 = 128;
const LARGEST: u32 = 1 << 15;
/// Steps that a block should have at most.
const STEPS: u64 = 1 << 20;
/// The least number of states after which the system may rearrange things.
const TIDY_EVERY: u32 = 64;
/// States between two questions to the [`Control`].
const POLL_EVERY: u32 = 256;

pub(crate) fn explore<S: System>(system: &S, config: &Config, control: &mut dyn Control) -> Exploration {
    let round = Round::new(config, StateTable::new(system.width(), Order::Ascending));
    let crew = Crew::new();
    let mut exploration = thread::scope(|scope| {
        let mut search = Search {
            system,
            config,
            round: &round,
            crew: &crew,
            hand: Hand::new(system),
            outcome: Outcome::default(),
            depth: 0,
            since_poll: 0,
            tidied: 0,
        };
        let exploration = search.run(scope, control);
        crew.dismiss();
        exploration
    });
    exploration.table = round.into_table();
    exploration
}

struct Search<'e, S: System + 'e> {
    system: &'e S,
    config: &'e Config,
    round: &'e Round<'e>,
    crew: &'e Crew<Task>,
    hand: Hand<S::Worker<'e>>,
    outcome: Outcome,
    depth: u32,
    since_poll: u32,
    /// How many states had been visited when the system could last rearrange things.
    tidied: u32,
}

impl<'e, S: System> Search<'e, S> {
    fn run<'s>(&mut self, scope: &'s Scope<'s, 'e>, control: &mut dyn Control) -> Exploration {
        self.hand.worker.initial(&mut self.hand.steps);
        let (is_stuck, is_ill_defined) = (self.hand.steps.is_empty(), self.hand.steps.is_ill_defined);
        self.levels(scope, control);
        let waiting = self.round.table().len() as u32;
        control.poll(&self.progress(waiting));
        let outcome = std::mem::take(&mut self.outcome);
        Exploration {
            table: StateTable::new(0, Order::Ascending),
            transitions: outcome.tally.transitions,
            per_operation: outcome.tally.per_operation,
            findings: outcome.findings,
            limits: outcome.limits,
            depth: self.depth,
            is_stuck_at_root: is_stuck,
            is_ill_defined_at_root: is_ill_defined,
        }
    }

    fn levels<'s>(&mut self, scope: &'s Scope<'s, 'e>, control: &mut dyn Control) {
        let is_last = |depth: u32| self.config.max_depth.is_some_and(|max| depth >= max);
        let mut level = 0..0;
        self.take(NO_PARENT, is_last(0));
        self.cut(level.end);
        while !self.outcome.is_done {
            level = level.end..self.round.table().len() as u32;
            if level.is_empty() {
                return;
            }
            self.depth += 1;
            let mut next = level.start;
            while next < level.end && !self.outcome.is_done {
                let block = next..level.end.min(next.saturating_add(self.block_size(next)));
                next = block.end;
                if block.len() < SMALL as usize {
                    self.small_block(block, is_last(self.depth), control);
                } else {
                    self.large_block(block, is_last(self.depth), scope, control);
                }
                self.cut(next);
                self.tidy(next);
            }
        }
    }

    fn tidy(&mut self, visited: u32) {
        if visited - self.tidied >= TIDY_EVERY {
            self.tidied = visited;
            let n_states = self.round.table().len() as u64;
            self.system.tidy(n_states);
        }
    }

    /// How many states to expand before looking up. What is wasted when a search ends is a part of what was done before.
    fn block_size(&self, visited: u32) -> u32 {
        let per_state = self.outcome.tally.transitions / u64::from(visited.max(1)) + 1;
        let largest = (STEPS / per_state).clamp(u64::from(SMALL), u64::from(LARGEST)) as u32;
        (visited / 4).clamp(16, largest)
    }

    /// Ends the search where it has enough states.
    fn cut(&mut self, visited: u32) {
        let len = self.round.table().len() as u64;
        if self.config.max_states.is_some_and(|max| len >= max && u64::from(visited) < len) {
            self.outcome.stop(Limit::States(len));
        }
        // The last numbers are not states.
        if len >= u64::from(u32::MAX - LARGEST * 64) {
            self.outcome.stop(Limit::Memory);
        }
    }

    fn progress(&self, visited: u32) -> Progress {
        let table = self.round.table();
        Progress {
            states: table.len() as u64,
            transitions: self.outcome.tally.transitions,
            waiting: table.len() as u64 - u64::from(visited),
            bytes: table.bytes() as u64 + self.system.bytes(),
            depth: self.depth,
            is_settled: !self.outcome.findings.is_empty(),
        }
    }

    fn small_block(&mut self, block: Range<u32>, is_last_level: bool, control: &mut dyn Control) {
        for state in block {
            self.since_poll += 1;
            if self.since_poll >= POLL_EVERY {
                self.since_poll = 0;
                if let Some(limit) = control.poll(&self.progress(state)) {
                    return self.outcome.stop(limit);
                }
            }
            let table = self.round.table();
            self.hand.read(&table, table.root(state));
            drop(table);
            self.hand.expand();
            if self.hand.steps.is_ill_defined {
                self.outcome.find(self.config, Finding { kind: FindingKind::IllDefined, state });
            }
            if self.config.deadlock && self.hand.steps.is_deadlock() {
                self.outcome.find(self.config, Finding { kind: FindingKind::Deadlock, state });
            }
            self.take(state, is_last_level);
            self.cut(state + 1);
            if self.outcome.is_done {
                return;
            }
        }
    }

    /// Counts the steps in the buffer and adds what is new.
    fn take(&mut self, parent: u32, is_last_level: bool) {
        let Search { config, round, hand, outcome, depth, .. } = self;
        if is_last_level {
            if !hand.steps.is_empty() {
                outcome.limit(Limit::Depth(*depth));
            }
            return round.table_mut().close(parent, 0);
        }
        let mut table = round.table_mut();
        let mut fresh = Vec::new();
        let mut found = Vec::new();
        hand.targets(&table, |operation, count, root| {
            outcome.tally.add(operation, count);
            found.push(root);
        });
        for root in found {
            if let Inserted::New(state) = table.insert(root) {
                fresh.push((state, root));
            }
        }
        table.close(parent, fresh.len() as u32);
        for (state, root) in fresh {
            hand.inspect(&table, root, config.properties, &mut |kind| {
                outcome.find(config, Finding { kind, state });
            });
        }
    }

    fn large_block<'s>(
        &mut self,
        block: Range<u32>,
        is_last_level: bool,
        scope: &'s Scope<'s, 'e>,
        control: &mut dyn Control,
    ) {
        self.hire(scope);
        self.since_poll = 0;
        let start = block.start;
        self.round.begin(block, is_last_level);
        let mut limit = None;
        let progress = self.progress(start);
        self.together(Task::Expand, &mut |round| {
            if limit.is_none() {
                limit = control.poll(&progress);
                if limit.is_some() {
                    round.stop();
                }
            }
        });
        self.round.close_expansion();
        self.together(Task::Sift, &mut |_| {});
        self.round.number();
        self.together(Task::Inspect, &mut |_| {});
        self.collect();
        if let Some(limit) = limit {
            self.outcome.stop(limit);
        }
    }

    /// Takes on helpers when the first large block comes.
    fn hire<'s>(&mut self, scope: &'s Scope<'s, 'e>) {
        if self.crew.has_helpers() {
            return;
        }
        let (system, round, crew) = (self.system, self.round, self.crew);
        for _ in 1..self.config.workers.get() {
            crew.enlist();
            scope.spawn(move || {
                let mut hand = Hand::new(system);
                crew.help(|task| round.work(task, &mut hand, &mut || {}));
            });
        }
    }

    fn together(&mut self, task: Task, pause: &mut dyn FnMut(&Round<'_>)) {
        let (round, hand) = (self.round, &mut self.hand);
        round.rewind();
        self.crew.lead(task, || round.work(task, hand, &mut || pause(round)));
    }

    fn collect(&mut self) {
        let Search { config, round, outcome, depth, .. } = self;
        let mut tally = Tally::default();
        round.for_each_batch(|batch| {
            tally.take_over(&batch.tally);
            batch.findings().for_each(|(kind, state)| outcome.find(config, Finding { kind, state }));
            if batch.leads_too_far {
                outcome.limit(Limit::Depth(*depth));
            }
        });
        outcome.tally.take_over(&tally);
    }
}
