//! Stored steps of a search: what is read back is what the system lists, for any number of threads, in memory, in files, and after a search was gone on with.

use std::io;
use std::num::NonZero;

use abridge_search::{
    Checkpoint, Control, Disk, Exploration, Progress, SearchConfig, StateGraph, Strategy, explore, explore_on_disk,
};
use abridge_store::Ram;
use abridge_system::{FindingKind, Limit, Origin, Pause, Properties, RuleWorker, Rules, Step, Steps, System};
use abridge_value::bytes::Key;

/// Numbers below `size`, each with marked steps to some others. Multiples of 97 end a path, and all but multiples of 7 leave out steps.
struct Web {
    size: u32,
}

impl System for Web {
    type Worker<'a> = RuleWorker<'a, Web>;

    fn width(&self) -> usize {
        2
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

    fn is_mark(&self, marks: u64) -> bool {
        marks == 7 || marks.is_multiple_of(1000) && marks <= 2000
    }
}

impl Web {
    fn targets(&self, n: u32) -> Vec<(u64, u32)> {
        (1..1 + n % 5).map(|factor| (u64::from(factor % 3) * 1_000, (n * (factor + 1) + factor) % self.size)).collect()
    }
}

impl Rules for Web {
    fn add_steps(&self, origin: Origin<'_>, out: &mut Steps, _: &mut Pause<'_>) {
        match origin {
            Origin::Root => (1..4).for_each(|n| out.push(0, 1, &[n, 1])),
            Origin::State(state) if state[0] % 97 == 0 => out.set_ending(Some(7)),
            Origin::State(state) => {
                for (marks, target) in self.targets(state[0]) {
                    let target = [target, 1];
                    let step = Step { operation: 1, count: 1, label: None, marks: 0, target: &target };
                    out.push_like(&step, marks, &target);
                }
                out.puts_off = state[0] % 7 != 0;
            }
        }
    }

    fn add_findings(&self, _: &[u32], _: Properties, _: &mut dyn FnMut(FindingKind)) {}
}

fn config(workers: usize) -> SearchConfig {
    SearchConfig {
        strategy: Strategy::BreadthFirst,
        properties: Properties::default(),
        deadlock: false,
        stop_at_first: false,
        max_states: None,
        max_depth: None,
        max_findings: 1,
        workers: NonZero::new(workers).expect("some"),
    }
}

/// Has steps stored, finds memory short beyond some bytes, and wants an end after some polls.
struct Storing {
    memory: u64,
    polls: u32,
}

impl Storing {
    fn for_ever() -> Self {
        Storing { memory: u64::MAX, polls: u32::MAX }
    }
}

impl Control for Storing {
    fn poll(&mut self, progress: &Progress) -> Option<Limit> {
        self.polls = self.polls.saturating_sub(1);
        if self.polls == 0 {
            return Some(Limit::Interrupted);
        }
        (progress.bytes >= self.memory).then_some(Limit::Memory)
    }

    fn needs_steps(&self) -> bool {
        true
    }
}

fn explored(system: &Web, workers: usize) -> Exploration {
    explore(system, &config(workers), &mut Storing::for_ever())
}

fn steps_of(graph: &StateGraph, state: u32) -> Vec<(u64, u32)> {
    let mut steps = Vec::new();
    graph.reader().steps(state, &mut |marks, target| steps.push((marks, target)));
    steps
}

/// All steps by one reader, which goes through the states forwards, backwards or in leaps.
fn all_steps(graph: &StateGraph, order: impl Iterator<Item = u32>) -> Vec<(u32, Vec<(u64, u32)>)> {
    let mut reader = graph.reader();
    let mut all: Vec<(u32, Vec<(u64, u32)>)> = order
        .map(|state| {
            let mut steps = Vec::new();
            reader.steps(state, &mut |marks, target| steps.push((marks, target)));
            (state, steps)
        })
        .collect();
    all.sort_unstable();
    all
}

const SIZE: u32 = 60_013;

#[test]
fn steps_are_those_of_the_system() {
    let system = Web { size: SIZE };
    let exploration = explored(&system, 2);
    let (n_states, graph) = (exploration.table.len() as u32, &exploration.steps);
    assert!(n_states > 20_000 && graph.n_states() == n_states && graph.gap().is_none());
    let number = |state: u32| exploration.table.get(state).expect("in memory")[0];
    let mut n_steps = 0;
    for state in 0..n_states {
        let own = number(state);
        let mut found: Vec<(u64, u32)> =
            steps_of(graph, state).into_iter().map(|(marks, target)| (marks, number(target))).collect();
        let mut expected = if own % 97 == 0 { Vec::new() } else { system.targets(own) };
        found.sort_unstable();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(found, expected, "state {own}");
        assert_eq!(graph.reader().ending(state), (own % 97 == 0).then_some(7));
        n_steps += found.len() as u64;
    }
    assert_eq!(graph.n_steps(), n_steps);
}

#[test]
fn neither_threads_nor_files_nor_the_order_of_reading_change_steps() -> Result<(), abridge_search::Refusal> {
    let system = Web { size: SIZE };
    let whole = explored(&system, 1);
    let n_states = whole.table.len() as u32;
    let expected = all_steps(&whole.steps, 0..n_states);
    assert_eq!(all_steps(&whole.steps, (0..n_states).rev()), expected);
    assert_eq!(all_steps(&explored(&system, 4).steps, 0..n_states), expected);
    let again = StateGraph::of_table(&system, (&whole.table, whole.table.len() as u32), &mut ()).expect("no limit");
    assert_eq!((all_steps(&again, 0..n_states), again.n_steps()), (expected.clone(), whole.steps.n_steps()));
    let volume = Ram::new();
    for workers in [1, 3] {
        let disk = Disk { checkpoint: None, spill: Some(&volume) };
        let mut control = Storing { memory: 450_000, polls: u32::MAX };
        let moved = explore_on_disk(&system, &config(workers), disk, &mut control)?;
        assert!(moved.disk.is_spilled && moved.steps.is_spilled());
        assert_eq!(all_steps(&moved.steps, 0..n_states), expected);
        let leaps = (0..n_states).map(|state| (u64::from(state) * 7_919 % u64::from(n_states)) as u32);
        assert_eq!(all_steps(&moved.steps, leaps), expected);
        assert_eq!(moved.steps.cycles_of_putting_off(), whole.steps.cycles_of_putting_off());
    }
    Ok(())
}

#[test]
fn a_search_that_is_gone_on_with_has_all_steps() -> Result<(), abridge_search::Refusal> {
    let system = Web { size: SIZE };
    let whole = explored(&system, 1);
    let expected = all_steps(&whole.steps, 0..whole.table.len() as u32);
    for memory in [u64::MAX, 450_000] {
        let (saved, spill, key) = (Ram::new(), Ram::new(), Key::new([1; 32]));
        let disk = |resume| Disk {
            checkpoint: Some(Checkpoint { volume: &saved, key: &key, fingerprint: [42; 32], resume }),
            spill: Some(&spill),
        };
        let mut found = explore_on_disk(&system, &config(2), disk(false), &mut Storing { memory, polls: 90 })?;
        let mut n_runs = 1;
        while found.is_stopped {
            let mut control = Storing { memory, polls: 90 + n_runs };
            found = explore_on_disk(&system, &config(2), disk(true), &mut control)?;
            n_runs += 1;
        }
        assert!(n_runs > 2);
        assert_eq!(found.disk.is_spilled, memory != u64::MAX);
        assert_eq!(all_steps(&found.steps, 0..found.table.len() as u32), expected);
        // What the steps are for may still be interrupted, so the checkpoint is kept until somebody takes it away.
        let again = explore_on_disk(&system, &config(1), disk(true), &mut Storing::for_ever())?;
        assert_eq!(all_steps(&again.steps, 0..again.table.len() as u32), expected);
        if let Some(checkpoint) = disk(true).checkpoint {
            checkpoint.remove();
        }
        assert!(saved.names().is_empty());
    }
    Ok(())
}

#[test]
fn without_the_chosen_states_no_cycle_is_left() {
    let system = Web { size: 30_011 };
    let exploration = explored(&system, 1);
    let (n_states, graph) = (exploration.table.len() as u32, &exploration.steps);
    let chosen: Vec<u32> = graph.cycles_of_putting_off().into_iter().map(|(_, target)| target).collect();
    assert!(!chosen.is_empty());
    let number = |state: u32| exploration.table.get(state).expect("in memory")[0];
    // States that are reduced and not chosen, removed as long as one has no successor among them.
    let mut left: Vec<u32> =
        (0..n_states).filter(|state| number(*state) % 7 != 0 && number(*state) % 97 != 0).collect();
    left.retain(|state| !chosen.contains(state));
    loop {
        let n_left = left.len();
        let kept = left.clone();
        left.retain(|state| steps_of(graph, *state).iter().any(|(_, target)| kept.binary_search(target).is_ok()));
        if left.len() == n_left {
            break;
        }
    }
    assert_eq!(left, []);
}
