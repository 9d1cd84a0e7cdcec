//! States expanded on demand: [`Lazy`].
//!
//! A search along paths decides itself which state comes next, and may be over long before all states are visited, or where there is no end of them. Each state that is expanded is counted,
//! inspected and stored as by every other search, so that what was found on the way is an [`Exploration`] like any other.

use abridge_store::NO_PARENT;
use abridge_system::System;
use abridge_value::BitSet;

use crate::explore::{Control, Exploration, SearchConfig};
use crate::root::{self, Root};
use crate::serial::Serial;

pub struct Lazy<'s, S: System> {
    system: &'s S,
    serial: Serial<'s, 's, S>,
    root: Root,
    n_expanded: u64,
    is_expanded: BitSet,
    /// All states are expanded.
    is_finished: bool,
}

/// What leaves a state.
#[derive(Clone, Default, Debug)]
pub struct Expansion {
    /// Marks and target of each step, in the order of the system.
    pub steps: Vec<(u64, u32)>,
    /// Marks of a state where paths end.
    pub ending: Option<u64>,
    pub is_whole: bool,
}

/// States between two questions to the [`Control`].
const POLL_EVERY: u64 = 256;

impl<'s, S: System> Lazy<'s, S> {
    /// Takes the steps out of the root.
    pub fn new(system: &'s S, config: &'s SearchConfig, control: &mut dyn Control) -> Self {
        let mut serial = Serial::new(system, config);
        let root = root::enumerate(system, config, &mut serial, control);
        Lazy { system, serial, root, n_expanded: 0, is_expanded: BitSet::default(), is_finished: false }
    }

    /// The number of states so far.
    pub fn n_states(&self) -> u32 {
        self.serial.table.len() as u32
    }

    /// The states that the root leads to.
    pub fn first(&self) -> impl Iterator<Item = u32> {
        let table = &self.serial.table;
        (0..table.len() as u32).take_while(|state| table.parent(*state) == NO_PARENT)
    }

    pub fn words(&self, state: u32) -> Vec<u32> {
        self.serial.table.get(state).unwrap_or_default()
    }

    /// Something ended the search: a limit or a finding.
    pub fn is_done(&self) -> bool {
        self.serial.record.is_done
    }

    /// Expands a state, which is to be done once. Nothing is missing unless the search is done.
    pub fn expand(&mut self, state: u32, control: &mut dyn Control) -> Expansion {
        self.n_expanded += 1;
        if self.n_expanded.is_multiple_of(POLL_EVERY) {
            (0..self.system.tidy(self.serial.table.len() as u64)).for_each(|_| self.system.tidy_part());
            if let Some(limit) = control.poll(&self.serial.progress()) {
                self.serial.record.stop(limit);
            }
        }
        if self.is_done() {
            return Expansion::default();
        }
        self.is_expanded.insert(state as usize);
        let completeness = self.serial.expand(state);
        let Serial { scratch, table, .. } = &mut self.serial;
        let ending = scratch.steps.ending().filter(|_| scratch.steps.is_deadlock(completeness));
        let mut expansion = Expansion { steps: Vec::new(), ending, is_whole: completeness.is_whole() };
        scratch.marked_targets(table, |marks, root| match table.find(root) {
            Some(target) => expansion.steps.push((marks, target)),
            None => expansion.is_whole = false,
        });
        expansion
    }

    /// Expands all other states.
    pub fn finish(&mut self, control: &mut dyn Control) {
        while let Some(state) = self.serial.frontier.pop().filter(|_| !self.is_done()) {
            if !self.is_expanded.contains(state as usize) {
                let _ = self.expand(state, control);
            }
        }
        self.is_finished = !self.is_done();
    }

    /// What was found on the way.
    pub fn into_exploration(self) -> Exploration {
        let Lazy { serial, root, is_finished, .. } = self;
        serial.into_exploration(root, is_finished)
    }
}
