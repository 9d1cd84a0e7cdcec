//! Serial strategies: depth-first and mixed search, which expand one state at a time in memory.

use abridge_store::{Inserted, MAX_STATES, NO_PARENT, Order, StateTable};
use abridge_system::{Completeness, Finding, FindingKind, Gap, Limit, Steps, System};

use crate::bfs::QUADS_MARGIN;
use crate::explore::{Control, DiskUse, Exploration, Progress, SearchConfig};
use crate::frontier::Frontier;
use crate::graph::StateGraph;
use crate::record::SearchRecord;
use crate::root::{self, Root, RootConsumer};
use crate::scout::Scout;
use crate::scratch::BatchScratch;

/// Expanded states between two polls of the [`Control`].
const STATES_PER_POLL: u64 = 256;

pub(crate) fn explore<S: System>(system: &S, config: &SearchConfig, control: &mut dyn Control) -> Exploration {
    let mut serial = Serial::new(system, config);
    let root = root::enumerate(system, config, &mut serial, control);
    serial.run(system, control);
    // States are expanded in any order, so only a search that ended by itself has expanded the first ones.
    let is_finished = !serial.record.is_done;
    serial.into_exploration(root, is_finished)
}

/// A search that expands one state after the other.
pub(crate) struct Serial<'c, 's, S: System> {
    pub(crate) scratch: BatchScratch<S::Worker<'s>>,
    scout: Scout<'s, S>,
    config: &'c SearchConfig,
    pub(crate) table: StateTable,
    pub(crate) record: SearchRecord,
    pub(crate) frontier: Frontier,
    /// Distance of each state from the root along its parents.
    depths: Vec<u32>,
    /// Largest of these distances.
    depth: u32,
}

impl<'s, S: System> RootConsumer<'s, S> for Serial<'_, 's, S> {
    fn consume(&mut self, steps: &mut Steps) {
        std::mem::swap(steps, &mut self.scratch.steps);
        self.absorb(NO_PARENT);
    }

    fn progress(&self) -> Progress {
        self.progress()
    }

    fn heed(&mut self, limit: Limit) -> bool {
        self.record.stop(limit);
        true
    }

    fn record(&mut self) -> &mut SearchRecord {
        &mut self.record
    }

    fn scout(&mut self) -> &mut Scout<'s, S> {
        &mut self.scout
    }
}

impl<'c, 's, S: System> Serial<'c, 's, S> {
    pub(crate) fn new(system: &'s S, config: &'c SearchConfig) -> Self {
        Serial {
            scratch: BatchScratch::new(system, true),
            scout: Scout::new(system, config),
            config,
            table: StateTable::new(system.width(), Order::Any),
            record: SearchRecord::default(),
            frontier: Frontier::new(config.strategy),
            depths: Vec::new(),
            depth: 0,
        }
    }

    /// The result. `is_finished` says that all states were expanded.
    pub(crate) fn into_exploration(self, root: Root, is_finished: bool) -> Exploration {
        let Serial { table, record, depth, scout, .. } = self;
        Exploration {
            n_expanded: if is_finished { table.len() as u32 } else { 0 },
            steps: StateGraph::default(),
            table,
            transitions: record.tally.transitions,
            per_operation: record.tally.per_operation,
            findings: record.findings,
            scouted: scout.found,
            limits: record.limits,
            is_stopped: record.is_stopped,
            depth,
            is_stuck_at_root: root.is_stuck,
            is_ill_defined_at_root: root.is_ill_defined,
            disk: DiskUse::default(),
        }
    }

    fn run(&mut self, system: &S, control: &mut dyn Control) {
        let mut visited = 0_u64;
        while let Some(next) = self.frontier.pop().filter(|_| !self.record.is_done) {
            visited += 1;
            if visited.is_multiple_of(STATES_PER_POLL) {
                (0..system.tidy(self.table.len() as u64)).for_each(|_| system.tidy_part());
                if let Some(limit) = control.poll(&self.progress()) {
                    self.record.stop(limit);
                    break;
                }
            }
            // The record has noted what is missing.
            let _ = self.expand(next);
        }
        control.poll(&self.progress());
    }

    /// Expands a state.
    pub(crate) fn expand(&mut self, next: u32) -> Completeness {
        self.scratch.read(&self.table, self.table.root(next));
        let completeness = self.scratch.expand();
        self.record.heed(completeness);
        for operation in self.scratch.steps.ill_defined().to_vec() {
            self.find(FindingKind::IllDefined(operation), next);
        }
        if self.config.deadlock && self.scratch.steps.is_deadlock(completeness) {
            self.find(FindingKind::Deadlock, next);
        }
        if !self.record.is_done {
            self.absorb(next);
        }
        completeness
    }

    pub(crate) fn progress(&self) -> Progress {
        Progress {
            states: self.table.len() as u64,
            transitions: self.record.tally.transitions,
            waiting: self.frontier.len() as u64,
            bytes: self.table.bytes() as u64,
            is_spilled: false,
            can_spill: false,
            depth: self.depth,
            is_settled: !self.record.findings.is_empty() || !self.scout.found.is_empty(),
        }
    }

    /// Counts the steps in the buffer, adds the new targets to table and frontier, and inspects them.
    fn absorb(&mut self, parent: u32) {
        let depth = if parent == NO_PARENT { 1 } else { self.depths[parent as usize] + 1 };
        if self.config.max_depth.is_some_and(|max| depth > max) {
            if !self.scratch.steps.is_empty() {
                self.record.limit(Limit::Depth(depth - 1));
            }
            return;
        }
        let mut targets = Vec::with_capacity(self.scratch.steps.len());
        if !self.scratch.targets(&self.table, |operation, count, root| targets.push((operation, count, root))) {
            self.record.heed_gap(Some(Gap::Stopped));
        }
        for (step, (operation, count, root)) in targets.into_iter().enumerate() {
            if self.scratch.is_stopped_at(step) {
                self.record.heed_gap(Some(Gap::Stopped));
                return;
            }
            self.record.tally.add(operation, count);
            // A table in memory cannot fail.
            if let Ok(Inserted::New(state)) = self.table.insert(root) {
                self.table.close(parent, 1);
                self.depths.push(depth);
                self.depth = self.depth.max(depth);
                self.inspect(state, step);
                self.frontier.push(state);
                let len = self.table.len() as u64;
                if self.config.max_states.is_some_and(|max| len >= max) {
                    self.record.stop(Limit::States(len));
                }
                if len >= MAX_STATES || self.table.n_quads() >= MAX_STATES - QUADS_MARGIN {
                    self.record.stop(Limit::Numbers);
                }
            }
            if self.record.is_done {
                return;
            }
        }
    }

    fn inspect(&mut self, state: u32, step: usize) {
        let mut kinds = Vec::new();
        let completeness = self.scratch.inspect(step, self.config.properties, &mut |kind| kinds.push(kind));
        self.record.heed(completeness);
        kinds.into_iter().for_each(|kind| self.find(kind, state));
    }

    fn find(&mut self, kind: FindingKind, state: u32) {
        self.record.find(self.config, Finding { kind, state });
    }
}
