//! Some states in a row that one thread expands, and what came of it.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use abridge_store::{N_SHARDS, StateTable, shard_of};
use abridge_system::{FindingKind, Gap, Worker};

use crate::explore::Config;
use crate::record::Tally;
use crate::scratch::Scratch;

/// The target of a step is known.
const KNOWN: u32 = u32::MAX;
/// The target of a step is new; its number follows.
const NEW: u32 = u32::MAX - 1;

/// States of each batch of a block: enough to make taking one cheap, few enough to share the block evenly. Where many states are best evaluated together,
/// a batch has as many.
pub(crate) fn batch_size(n_states: usize, n_workers: usize, states_ahead: usize) -> u32 {
    let n_batches = if states_ahead > 64 { 4 * n_workers } else { 64 };
    (n_states / n_batches).clamp(8, states_ahead.max(64)) as u32
}

/// The block that a batch belongs to.
#[derive(Clone, Copy, Default)]
pub(crate) struct At {
    pub(crate) is_last_level: bool,
    /// States that are announced together.
    pub(crate) states_ahead: usize,
    /// Number of the blocks before it that were given up.
    pub(crate) generation: u32,
}

#[derive(Default)]
pub(crate) struct Batch {
    parents: Range<u32>,
    parent_roots: Vec<u64>,
    /// Steps of all parents.
    n_steps: usize,
    /// Roots of the targets of steps, the candidates, in order; without those that are known to be known.
    roots: Vec<u64>,
    /// Where the candidates of each parent end.
    ends: Vec<u32>,
    /// Candidates by shard, in order within a shard.
    by_shard: Vec<u32>,
    shard_ends: [u32; N_SHARDS],
    /// For each candidate [`KNOWN`], [`NEW`], or its number. Each is written by the one thread that sifts its shard.
    numbers: Vec<AtomicU32>,
    pub(crate) tally: Tally,
    /// Candidates that are new, after the positions of their parents.
    new: Vec<(u32, u32)>,
    /// Findings with the position of the parent that led to them.
    findings: Vec<(u32, FindingKind, u32)>,
    /// Some parent has steps, but they lead too far.
    pub(crate) leads_too_far: bool,
    /// The gravest reason why steps or truth values may be missing.
    pub(crate) gap: Option<Gap>,
}

impl Batch {
    /// Expands the parents, whose roots are given.
    pub(crate) fn expand<W: Worker>(
        &mut self,
        table: &StateTable,
        config: &Config,
        scratch: &mut Scratch<W>,
        (parents, parent_roots): (Range<u32>, &[u64]),
        at: &At,
    ) {
        self.parents = parents;
        self.parent_roots.clear();
        self.parent_roots.extend_from_slice(parent_roots);
        self.roots.clear();
        self.n_steps = 0;
        self.ends.clear();
        self.tally.clear();
        self.findings.clear();
        self.leads_too_far = false;
        self.gap = None;
        for (idx, parent) in self.parents.clone().enumerate() {
            if idx % at.states_ahead == 0 {
                scratch.read_ahead(table, &parent_roots[idx..parent_roots.len().min(idx + at.states_ahead)]);
            }
            scratch.turn_to(idx % at.states_ahead);
            let completeness = scratch.expand();
            self.gap = self.gap.max(completeness.gap());
            let position = self.ends.len() as u32;
            let ill_defined = scratch.steps.ill_defined().iter();
            self.findings.extend(ill_defined.map(|operation| (position, FindingKind::IllDefined(*operation), parent)));
            if config.deadlock && scratch.steps.is_deadlock(completeness) {
                self.findings.push((position, FindingKind::Deadlock, parent));
            }
            if at.is_last_level {
                self.leads_too_far |= !scratch.steps.is_empty();
            } else {
                self.n_steps += scratch.steps.len();
                scratch.fresh_targets(table, at.generation, |operation, count, root| {
                    self.tally.add(operation, count);
                    self.roots.extend(root);
                });
            }
            self.ends.push(self.roots.len() as u32);
        }
        self.sort_by_shard();
    }

    fn sort_by_shard(&mut self) {
        let mut counts = [0_u32; N_SHARDS];
        self.roots.iter().for_each(|root| counts[shard_of(*root)] += 1);
        let mut sum = 0;
        let mut next = counts.map(|count| {
            sum += count;
            sum - count
        });
        self.by_shard.resize(self.roots.len(), 0);
        for (idx, root) in (0..).zip(&self.roots) {
            let at = &mut next[shard_of(*root)];
            self.by_shard[*at as usize] = idx;
            *at += 1;
        }
        self.shard_ends = next;
        self.numbers.resize_with(self.roots.len(), AtomicU32::default);
        self.numbers.iter_mut().for_each(|number| *number.get_mut() = KNOWN);
    }

    fn of_shard(&self, shard: usize) -> &[u32] {
        let start = if shard == 0 { 0 } else { self.shard_ends[shard - 1] };
        &self.by_shard[start as usize..self.shard_ends[shard] as usize]
    }

    pub(crate) fn n_steps(&self) -> usize {
        self.n_steps
    }

    pub(crate) fn n_candidates(&self) -> usize {
        self.roots.len()
    }

    /// Root and position of each candidate of a shard.
    pub(crate) fn candidates(&self, shard: usize) -> impl ExactSizeIterator<Item = (u64, u32)> {
        self.of_shard(shard).iter().map(|idx| (self.roots[*idx as usize], *idx))
    }

    pub(crate) fn mark_new(&self, candidate: u32) {
        self.numbers[candidate as usize].store(NEW, Ordering::Relaxed);
    }

    pub(crate) fn number(&self, candidate: u32) -> u32 {
        self.numbers[candidate as usize].load(Ordering::Relaxed)
    }

    /// Gives numbers to the new states, in order.
    pub(crate) fn append_to(&mut self, table: &mut StateTable) {
        let mut start = 0;
        for (parent, end) in self.parents.clone().zip(&self.ends) {
            let mut n_children = 0;
            let candidates = start as usize..*end as usize;
            for (root, number) in self.roots[candidates.clone()].iter().zip(&mut self.numbers[candidates]) {
                if *number.get_mut() == NEW {
                    *number.get_mut() = table.append(*root);
                    n_children += 1;
                }
            }
            table.close(parent, n_children);
            start = *end;
        }
    }

    /// Inspects the new states.
    pub(crate) fn inspect<W: Worker>(
        &mut self,
        table: &StateTable,
        config: &Config,
        scratch: &mut Scratch<W>,
        states_ahead: usize,
    ) {
        self.new.clear();
        let mut start = 0;
        for (position, end) in (0..).zip(&self.ends) {
            let is_new = |candidate: &u32| self.numbers[*candidate as usize].load(Ordering::Relaxed) != KNOWN;
            self.new.extend((start..*end).filter(is_new).map(|candidate| (position, candidate)));
            start = *end;
        }
        for states in self.new.chunks(states_ahead) {
            let roots = states
                .iter()
                .map(|(position, candidate)| (self.parent_roots[*position as usize], self.roots[*candidate as usize]));
            let gap = scratch.inspect_all(table, roots, config.properties, &mut |idx, kind| {
                let (position, candidate) = states[idx];
                self.findings.push((position, kind, self.numbers[candidate as usize].load(Ordering::Relaxed)));
            });
            self.gap = self.gap.max(gap);
        }
        // Those of the expansion come first, as they do when one state is handled after the other.
        self.findings.sort_by_key(|(position, ..)| *position);
    }

    /// Kind and state of each finding, in order.
    pub(crate) fn findings(&self) -> impl Iterator<Item = (FindingKind, u32)> {
        self.findings.iter().map(|(_, kind, state)| (*kind, *state))
    }
}
