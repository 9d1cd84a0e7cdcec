//! Public interface of a search: its configuration, the control of a running search, and its result.

use std::num::NonZero;
use std::time::Duration;

use abridge_store::StateTable;
use abridge_system::{AnySystem, Finding, Limit, Properties};

use crate::disk::{Disk, Refusal};
use crate::frontier::Strategy;
use crate::graph::StateGraph;
use crate::scout::Scouted;
use crate::{bfs, serial};

/// Strategy, properties to check, and bounds of a search.
#[derive(Clone, Debug)]
pub struct SearchConfig {
    pub strategy: Strategy,
    pub properties: Properties,
    pub deadlock: bool,
    /// End at the first finding. Work that was begun together with it may still be finished.
    pub stop_at_first: bool,
    pub max_states: Option<u64>,
    /// Largest distance from the root, counting the steps of set-up and initialisation.
    pub max_depth: Option<u32>,
    /// Number of findings to keep for each kind, conjunct and operation.
    pub max_findings: usize,
    /// Number of threads. Only breadth-first search uses more than one. Results do not depend on it.
    pub workers: NonZero<usize>,
}

/// Progress of a running search.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    /// States of the frontier.
    pub waiting: u64,
    /// Memory of the state table and the system.
    pub bytes: u64,
    /// States were moved to files.
    pub is_spilled: bool,
    /// Spilling states or shrinking the table would free memory.
    pub can_spill: bool,
    pub depth: u32,
    /// The search or a walk ahead of it has a finding, so the verdict is known.
    pub is_settled: bool,
}

/// Callbacks of a running search: progress, limits, time and checkpoints.
pub trait Control {
    /// Receives progress at intervals. A returned limit ends the search, except [`Limit::Memory`] while spilling can free memory.
    fn poll(&mut self, progress: &Progress) -> Option<Limit>;

    /// Time since the start of the run; `None` without a clock.
    fn elapsed(&self) -> Option<Duration> {
        None
    }

    /// The steps of the search are to be stored. Only breadth-first search does so.
    fn needs_steps(&self) -> bool {
        false
    }

    /// Told between blocks which states were expanded: those whose steps are stored. Whether the search may end, since all that was asked is known. Only
    /// breadth-first search tells.
    fn is_enough(&mut self, table: &StateTable, steps: &StateGraph) -> bool {
        let _ = (table, steps);
        false
    }

    /// Called between blocks if the search has a checkpoint folder; `true` writes a checkpoint.
    fn is_checkpoint_due(&mut self) -> bool {
        false
    }
}

/// No observer and no clock: the search runs to its end.
impl Control for () {
    fn poll(&mut self, _: &Progress) -> Option<Limit> {
        None
    }
}

/// Result of a search.
pub struct Exploration {
    pub table: StateTable,
    /// States with smaller numbers have been expanded.
    pub n_expanded: u32,
    /// The steps of these states, if [`Control::needs_steps`].
    pub steps: StateGraph,
    pub transitions: u64,
    /// Transitions per operation.
    pub per_operation: Vec<u64>,
    /// First findings of each kind, conjunct and operation, in order of discovery.
    pub findings: Vec<Finding>,
    /// Findings of random walks, the first of each kind. Their states need not be in the table.
    pub scouted: Vec<Scouted>,
    /// Reasons why a state, step or truth value may be missing; empty after an exhaustive search.
    pub limits: Vec<Limit>,
    /// A limit ended the search: there would be more to do.
    pub is_stopped: bool,
    /// Largest distance of a visited state from the root along first visits.
    pub depth: u32,
    /// The root has no successor.
    pub is_stuck_at_root: bool,
    /// A step out of the root is ill-defined.
    pub is_ill_defined_at_root: bool,
    pub disk: DiskUse,
}

/// Use of files by a search: checkpoints, spilled states, errors.
#[derive(Clone, Default, Debug)]
pub struct DiskUse {
    /// States were moved to files.
    pub is_spilled: bool,
    /// Number of checkpoints written.
    pub n_checkpoints: u64,
    /// Error of the last attempt to write a checkpoint, if it failed.
    pub checkpoint_error: Option<String>,
    /// Error while moving states to files or reading them back.
    pub spill_error: Option<String>,
}

/// Visits all reachable states, in memory only.
pub fn explore<'s>(system: impl Into<AnySystem<'s>>, config: &SearchConfig, control: &mut dyn Control) -> Exploration {
    let system = &system.into();
    match config.strategy {
        Strategy::BreadthFirst => bfs::explore(system, config, control),
        Strategy::DepthFirst | Strategy::Mixed { .. } => serial::explore(system, config, control),
    }
}

/// Visits all reachable states breadth-first. With a checkpoint folder the search saves itself and can be resumed; with a spill volume it moves
/// states to files when memory is short.
pub fn explore_on_disk<'s>(
    system: impl Into<AnySystem<'s>>,
    config: &SearchConfig,
    disk: Disk<'_>,
    control: &mut dyn Control,
) -> Result<Exploration, Refusal> {
    bfs::explore_on_disk(&system.into(), config, disk, control)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::LazyLock;

    use abridge_store::{Ram, Volume as _};
    use abridge_system::{FindingKind, Origin, Pause, RuleWorker, Rules, Steps, System};
    use abridge_value::bytes::Key;

    use super::*;
    use crate::disk::{Checkpoint, MANIFEST};

    /// A counter from 0 to `top` that can also jump back to 0.
    struct Counter {
        top: u32,
    }

    impl System for Counter {
        type Worker<'a> = RuleWorker<'a, Counter>;

        fn width(&self) -> usize {
            1
        }

        fn worker(&self) -> RuleWorker<'_, Counter> {
            RuleWorker(self)
        }
    }

    impl Rules for Counter {
        fn add_steps(&self, origin: Origin<'_>, out: &mut Steps, _: &mut Pause<'_>) {
            match origin {
                Origin::Root => out.push(0, 1, &[0]),
                Origin::State(state) if state[0] < self.top => {
                    out.push(1, 1, &[state[0] + 1]);
                    out.push(2, 2, &[0]);
                }
                Origin::State(_) => {}
            }
        }

        fn add_findings(&self, state: &[u32], asked: Properties, found: &mut dyn FnMut(FindingKind)) {
            if asked.invariant && state[0] == 7 {
                found(FindingKind::Invariant(0));
            }
        }
    }

    fn config(strategy: Strategy) -> SearchConfig {
        SearchConfig {
            strategy,
            properties: Properties { invariant: true, ..Properties::default() },
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
            let found = explore(&Counter { top: 20 }, &config(strategy), &mut ());
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
        let few = SearchConfig { max_states: Some(5), ..config(Strategy::BreadthFirst) };
        let found = explore(&Counter { top: 20 }, &few, &mut ());
        assert_eq!((found.table.len(), found.limits.as_slice()), (5, [Limit::States(5)].as_slice()));
        let near = SearchConfig { max_depth: Some(3), ..config(Strategy::BreadthFirst) };
        let found = explore(&Counter { top: 20 }, &near, &mut ());
        assert_eq!((found.table.len(), found.limits.as_slice()), (3, [Limit::Depth(3)].as_slice()));
    }

    #[test]
    fn a_limit_that_is_not_reached_is_no_limit() {
        let enough = SearchConfig { max_states: Some(100), max_depth: Some(100), ..config(Strategy::BreadthFirst) };
        assert!(explore(&Counter { top: 20 }, &enough, &mut ()).limits.is_empty());
    }

    #[test]
    fn the_number_of_states_stays_near_its_limit() {
        let system = Web { size: 199_999 };
        for max in [1, 7, 1000, 10_000, 30_000, 60_000] {
            let config = |workers| SearchConfig { max_states: Some(max), ..web_config(workers, false, None) };
            let found = explore(&system, &config(1), &mut ());
            let n_states = found.table.len() as u64;
            // One part of a block: sixteen states with up to six steps each.
            assert!(n_states >= max && n_states < max + 96, "{n_states} of {max}");
            assert_eq!(found.limits, [Limit::States(n_states)]);
            explore(&system, &config(2), &mut ()).assert_same(&found);
        }
    }

    /// Graph on the numbers below `size`. Edges lead to numbers spread over the whole range.
    struct Web {
        size: u32,
    }

    impl System for Web {
        type Worker<'a> = RuleWorker<'a, Web>;

        fn width(&self) -> usize {
            3
        }

        fn worker(&self) -> RuleWorker<'_, Web> {
            RuleWorker(self)
        }

        // Words mean the same in every run.
        fn save(&self, _: &mut Vec<u64>, _: &mut dyn io::Write) -> io::Result<()> {
            Ok(())
        }

        fn restore(&self, _: &[u64], _: &mut dyn io::Read, _: &[u8]) -> io::Result<()> {
            Ok(())
        }
    }

    impl Web {
        fn words(&self, n: u32) -> [u32; 3] {
            [n % 64, n / 64 % 64, n / 4096]
        }
    }

    impl Rules for Web {
        fn add_steps(&self, origin: Origin<'_>, out: &mut Steps, _: &mut Pause<'_>) {
            let Origin::State(state) = origin else {
                return (0..3).for_each(|n| out.push(0, 1, &self.words(n)));
            };
            let n = state[0] + 64 * state[1] + 4096 * state[2];
            for factor in 1..1 + n % 7 {
                let next = self.words((n * (factor + 1) + factor * factor) % self.size);
                out.push(factor, u64::from(1 + factor % 2), &next);
            }
        }

        fn add_findings(&self, state: &[u32], asked: Properties, found: &mut dyn FnMut(FindingKind)) {
            if asked.goal && state[0] == 17 && state[1] == 40 {
                found(FindingKind::Goal);
            }
        }
    }

    #[test]
    fn the_number_of_workers_changes_nothing() {
        let system = Web { size: 199_999 };
        let run = |workers: usize, stop_at_first: bool| {
            let properties = Properties { goal: true, ..Properties::default() };
            let config = SearchConfig {
                workers: NonZero::new(workers).unwrap_or(NonZero::<usize>::MIN),
                stop_at_first,
                deadlock: !stop_at_first,
                properties,
                ..config(Strategy::BreadthFirst)
            };
            explore(&system, &config, &mut ())
        };
        for stop_at_first in [false, true] {
            let alone = run(1, stop_at_first);
            assert!(alone.table.len() > if stop_at_first { 100 } else { 100_000 });
            for workers in [2, 8] {
                let many = run(workers, stop_at_first);
                many.assert_same(&alone);
            }
        }
    }

    impl Exploration {
        fn assert_same(&self, other: &Exploration) {
            assert_eq!((self.transitions, self.depth), (other.transitions, other.depth));
            assert_eq!((&self.findings, &self.per_operation), (&other.findings, &other.per_operation));
            assert_eq!((&self.limits, self.table.len()), (&other.limits, other.table.len()));
            for state in 0..self.table.len() as u32 {
                assert_eq!(self.table.get(state).ok(), other.table.get(state).ok());
                assert_eq!(self.table.parent(state), other.table.parent(state));
            }
        }
    }

    #[test]
    fn breadth_first_and_depth_first_agree_on_counts() {
        let system = Web { size: 30_000 };
        let counts = |strategy| {
            let found = explore(&system, &config(strategy), &mut ());
            (found.table.len(), found.transitions, found.per_operation)
        };
        assert_eq!(counts(Strategy::BreadthFirst), counts(Strategy::DepthFirst));
        assert_eq!(counts(Strategy::DepthFirst).0, 13_568);
    }

    /// Interrupts after `polls` polls, and reports a memory limit from `memory` bytes on.
    struct Impatient {
        polls: u32,
        memory: u64,
        checkpoint_every: u32,
        blocks: u32,
    }

    impl Impatient {
        fn after(polls: u32) -> Self {
            Impatient { polls, memory: u64::MAX, checkpoint_every: 0, blocks: 0 }
        }
    }

    impl Control for Impatient {
        fn poll(&mut self, progress: &Progress) -> Option<Limit> {
            self.polls = self.polls.saturating_sub(1);
            if self.polls == 0 {
                return Some(Limit::Interrupted);
            }
            (progress.bytes >= self.memory).then_some(Limit::Memory)
        }

        fn is_checkpoint_due(&mut self) -> bool {
            self.blocks += 1;
            self.checkpoint_every > 0 && self.blocks.is_multiple_of(self.checkpoint_every)
        }
    }

    /// Reports a memory limit from `memory` bytes on, and interrupts once states have been spilled.
    struct UntilSpilled {
        memory: u64,
    }

    impl Control for UntilSpilled {
        fn poll(&mut self, progress: &Progress) -> Option<Limit> {
            if progress.is_spilled {
                return Some(Limit::Interrupted);
            }
            (progress.bytes >= self.memory).then_some(Limit::Memory)
        }
    }

    fn web_config(workers: usize, stop_at_first: bool, max_states: Option<u64>) -> SearchConfig {
        SearchConfig {
            workers: NonZero::new(workers).unwrap_or(NonZero::<usize>::MIN),
            stop_at_first,
            deadlock: !stop_at_first,
            properties: Properties { goal: true, ..Properties::default() },
            max_states,
            ..config(Strategy::BreadthFirst)
        }
    }

    fn key() -> &'static Key {
        static KEY: LazyLock<Key> = LazyLock::new(|| Key::new([1; 32]));
        &KEY
    }

    fn checkpoint(volume: &Ram, resume: bool) -> Disk<'_> {
        Disk { checkpoint: Some(Checkpoint { volume, key: key(), fingerprint: [42; 32], resume }), spill: None }
    }

    #[test]
    fn a_search_interrupted_anywhere_ends_as_if_it_was_not() -> Result<(), Refusal> {
        let system = Web { size: 99_999 };
        for (stop_at_first, max_states) in [(false, None), (true, None), (false, Some(20_000))] {
            let whole = explore(&system, &web_config(1, stop_at_first, max_states), &mut ());
            for (patience, workers) in [(5, 2), (40, 1), (200, 2)] {
                let (volume, config) = (Ram::new(), web_config(workers, stop_at_first, max_states));
                let mut found =
                    explore_on_disk(&system, &config, checkpoint(&volume, false), &mut Impatient::after(patience))?;
                let mut n_runs = 1;
                while found.limits.contains(&Limit::Interrupted) {
                    assert_eq!((found.disk.n_checkpoints, found.disk.checkpoint_error), (1, None));
                    let control = &mut Impatient::after(patience + n_runs);
                    found = explore_on_disk(&system, &config, checkpoint(&volume, true), control)?;
                    n_runs += 1;
                }
                assert!(n_runs > 1 || stop_at_first || patience > 100);
                found.assert_same(&whole);
                // A finished search removes its checkpoint.
                assert_eq!(volume.names().is_empty(), max_states.is_none());
            }
        }
        Ok(())
    }

    /// Nothing is left of the first search but its checkpoint, as after a killed process.
    #[test]
    fn a_search_that_was_killed_goes_on_from_its_last_checkpoint() -> Result<(), Refusal> {
        let system = Web { size: 199_999 };
        let (volume, config) = (Ram::new(), web_config(2, false, None));
        let whole = explore(&system, &config, &mut ());
        // A single thread polls often enough, whatever the load of the machine.
        let alone = web_config(1, false, None);
        let mut control = Impatient { checkpoint_every: 7, ..Impatient::after(500) };
        explore_on_disk(&system, &alone, checkpoint(&volume, false), &mut control)?;
        // Bytes beyond the last checkpoint, as if the process was killed while it wrote.
        for name in ["roots", "quads", "parents", "values"] {
            let len = volume.read(name).map_err(Refusal::Unreadable)?.len() as u64;
            let mut file = volume.open(name, len).map_err(Refusal::Unreadable)?;
            file.append(b"half a word").map_err(Refusal::Unreadable)?;
        }
        explore_on_disk(&system, &config, checkpoint(&volume, true), &mut ())?.assert_same(&whole);
        Ok(())
    }

    #[test]
    fn what_is_not_a_checkpoint_of_this_search_is_refused() -> Result<(), Refusal> {
        let system = Web { size: 99_999 };
        let (volume, config) = (Ram::new(), web_config(1, false, None));
        let resume = |volume: &Ram| explore_on_disk(&system, &config, checkpoint(volume, true), &mut ()).err();
        assert!(matches!(resume(&volume), Some(Refusal::Unreadable(_))));
        explore_on_disk(&system, &config, checkpoint(&volume, false), &mut Impatient::after(500))?;
        let other = Disk {
            checkpoint: Some(Checkpoint { volume: &volume, key: key(), fingerprint: [43; 32], resume: true }),
            spill: None,
        };
        assert!(matches!(explore_on_disk(&system, &config, other, &mut ()), Err(Refusal::OtherModel)));
        let content: Vec<(String, Vec<u8>)> =
            volume.names().into_iter().map(|name| (name.clone(), volume.read(&name).unwrap_or_default())).collect();
        let with = |changed: &str, change: &dyn Fn(&mut Vec<u8>)| {
            let copy = Ram::new();
            for (name, content) in &content {
                let mut content = content.clone();
                if name == changed {
                    change(&mut content);
                }
                copy.replace(name, &content).expect("there is room");
            }
            copy
        };
        for (name, content) in content.iter().filter(|(_, content)| !content.is_empty()) {
            for at in [0, content.len() / 2, content.len() - 1] {
                let damaged = with(name, &|content| content[at] ^= 4);
                assert!(matches!(resume(&damaged), Some(Refusal::Damaged)), "{name} {at}");
                let short = with(name, &|content| content.truncate(at));
                assert!(matches!(resume(&short), Some(Refusal::Damaged)), "{name} {at}");
            }
        }
        let newer = with(MANIFEST, &|content| content[8] = 99);
        assert!(matches!(resume(&newer), Some(Refusal::OtherVersion)));
        assert!(resume(&with("", &|_| {})).is_none());
        Ok(())
    }

    #[test]
    fn states_in_files_change_nothing() -> Result<(), Refusal> {
        let system = Web { size: 199_999 };
        for (stop_at_first, max_states) in [(false, None), (true, None), (false, Some(50_000))] {
            let whole = explore(&system, &web_config(1, stop_at_first, max_states), &mut ());
            for workers in [1, 2] {
                let volume = Ram::new();
                let disk = Disk { checkpoint: None, spill: Some(&volume) };
                let mut control = Impatient { memory: 400_000, ..Impatient::after(u32::MAX) };
                let config = web_config(workers, stop_at_first, max_states);
                let found = explore_on_disk(&system, &config, disk, &mut control)?;
                assert_eq!(found.disk.is_spilled, !stop_at_first);
                found.assert_same(&whole);
            }
        }
        Ok(())
    }

    #[test]
    fn a_search_in_files_can_be_saved_and_gone_on_with() -> Result<(), Refusal> {
        let system = Web { size: 199_999 };
        let (config, saved, scratch) = (web_config(2, false, None), Ram::new(), Ram::new());
        let disk = |resume| Disk { spill: Some(&scratch), ..checkpoint(&saved, resume) };
        let found = explore_on_disk(&system, &config, disk(false), &mut UntilSpilled { memory: 400_000 })?;
        assert!(found.disk.is_spilled && found.limits == [Limit::Interrupted]);
        let control = &mut Impatient { memory: 400_000, ..Impatient::after(u32::MAX) };
        let found = explore_on_disk(&system, &config, disk(true), control)?;
        assert!(found.disk.is_spilled);
        found.assert_same(&explore(&system, &config, &mut ()));
        Ok(())
    }

    #[test]
    fn a_full_disk_ends_the_search_honestly() -> Result<(), Refusal> {
        let system = Web { size: 199_999 };
        let config = web_config(2, false, None);
        for capacity in [0, 100_000, 300_000] {
            let volume = Ram::with_capacity(capacity);
            let disk = Disk { checkpoint: None, spill: Some(&volume) };
            let mut control = Impatient { memory: 400_000, ..Impatient::after(u32::MAX) };
            let found = explore_on_disk(&system, &config, disk, &mut control)?;
            assert_eq!(found.limits, [Limit::Disk]);
            assert!(found.disk.spill_error.is_some());
        }
        // A failed checkpoint is reported and does not end the search.
        let volume = Ram::with_capacity(1000);
        let mut control = Impatient { checkpoint_every: 20, ..Impatient::after(u32::MAX) };
        let found = explore_on_disk(&system, &config, checkpoint(&volume, false), &mut control)?;
        assert!(found.limits.is_empty() && found.disk.checkpoint_error.is_some());
        assert!(volume.names().is_empty(), "{:?}", volume.names());
        Ok(())
    }

    #[test]
    fn what_cannot_be_moved_to_files_is_limited() -> Result<(), Refusal> {
        let volume = Ram::new();
        let disk = Disk { checkpoint: None, spill: Some(&volume) };
        let mut control = Impatient { memory: 30_000, ..Impatient::after(u32::MAX) };
        let found = explore_on_disk(&Web { size: 199_999 }, &web_config(1, false, None), disk, &mut control)?;
        assert_eq!(found.limits, [Limit::Memory]);
        Ok(())
    }
}
