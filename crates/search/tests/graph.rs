//! Stored steps of a search: what is read back is what the system lists, for any number of threads and in any number of pieces.

use std::num::NonZero;

use abridge_search::{Config, Control, Exploration, Progress, StateGraph, Strategy, explore};
use abridge_system::{
    FindingKind, Limit, Origin, Pause, Properties, RuleWorker, Rules, Step, Steps, System, Worker as _,
};

/// Numbers below `size`, each with marked steps to some others. Multiples of 97 end a path, and all but multiples of 7 leave out steps. The first
/// state is not running.
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
}

const START: [u32; 2] = [u32::MAX, 0];

impl Web {
    fn targets(&self, n: u32) -> Vec<(u64, u32)> {
        (1..1 + n % 5).map(|factor| (u64::from(factor % 3) * 1_000, (n * (factor + 1) + factor) % self.size)).collect()
    }
}

impl Rules for Web {
    fn add_steps(&self, origin: Origin<'_>, out: &mut Steps, _: &mut Pause<'_>) {
        match origin {
            Origin::Root => out.push(0, 1, &START),
            Origin::State(state) if state == START => (1..4).for_each(|n| out.push(0, 1, &[n, 1])),
            Origin::State(state) if state[0] % 97 == 0 => out.set_ending(Some(7)),
            Origin::State(state) => {
                for (marks, target) in self.targets(state[0]) {
                    let target = [target, 1];
                    out.push_like(
                        &Step { operation: 1, count: 1, label: None, marks: 0, target: &target },
                        marks,
                        &target,
                    );
                }
                out.puts_off = state[0] % 7 != 0;
            }
        }
    }

    fn add_findings(&self, _: &[u32], _: Properties, _: &mut dyn FnMut(FindingKind)) {}
}

fn explored(system: &Web) -> Exploration {
    let config = Config {
        strategy: Strategy::BreadthFirst,
        properties: Properties::default(),
        deadlock: false,
        stop_at_first: false,
        max_states: None,
        max_depth: None,
        max_findings: 1,
        workers: NonZero::<usize>::MIN,
    };
    explore(system, &config, &mut ())
}

fn is_running(words: &[u32]) -> bool {
    words != START
}

fn stored(system: &Web, exploration: &Exploration, ends: &[u32], workers: usize) -> StateGraph {
    let mut graph = StateGraph::default();
    let workers = NonZero::new(workers).expect("some");
    for end in ends {
        graph.extend(system, &exploration.table, *end, &is_running, workers, &mut ()).expect("no limit");
    }
    graph
}

fn steps_of(graph: &StateGraph, state: u32) -> Vec<(u64, u32)> {
    let mut steps = Vec::new();
    graph.steps(state, &mut |marks, target| steps.push((marks, target)));
    steps
}

#[test]
fn steps_are_those_of_the_system() {
    let system = Web { size: 30_011 };
    let exploration = explored(&system);
    let n_states = exploration.table.len() as u32;
    let graph = stored(&system, &exploration, &[n_states], 1);
    assert!(n_states > 10_000 && graph.n_states() == n_states && graph.gap().is_none());
    assert_eq!(graph.initial(), [1, 2, 3]);
    let number = |state: u32| exploration.table.get(state).expect("in memory")[0];
    let mut n_steps = 0;
    for state in 1..n_states {
        let own = number(state);
        let mut found: Vec<(u64, u32)> =
            steps_of(&graph, state).into_iter().map(|(marks, target)| (marks, number(target))).collect();
        let mut expected = if own % 97 == 0 { Vec::new() } else { system.targets(own) };
        found.sort_unstable();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(found, expected, "state {own}");
        assert_eq!(graph.ending(state), (own % 97 == 0).then_some(7));
        n_steps += found.len() as u64;
    }
    assert_eq!(graph.n_steps(), n_steps);
    assert_eq!(steps_of(&graph, 0), []);
}

#[test]
fn neither_threads_nor_pieces_change_the_stream() {
    let system = Web { size: 30_011 };
    let exploration = explored(&system);
    let n_states = exploration.table.len() as u32;
    let whole = stored(&system, &exploration, &[n_states], 1);
    let all = |graph: &StateGraph| (0..n_states).map(|state| steps_of(graph, state)).collect::<Vec<_>>();
    for (ends, workers) in [(vec![n_states], 4), (vec![1, 5_000, 5_001, n_states], 2)] {
        let other = stored(&system, &exploration, &ends, workers);
        assert_eq!(all(&other), all(&whole));
        assert_eq!(other.cycles_of_putting_off(), whole.cycles_of_putting_off());
    }
}

#[test]
fn without_the_chosen_states_no_cycle_is_left() {
    let system = Web { size: 30_011 };
    let exploration = explored(&system);
    let n_states = exploration.table.len() as u32;
    let graph = stored(&system, &exploration, &[n_states], 1);
    let chosen: Vec<u32> = graph.cycles_of_putting_off().into_iter().map(|(_, target)| target).collect();
    assert!(!chosen.is_empty());
    let number = |state: u32| exploration.table.get(state).expect("in memory")[0];
    // States that are reduced and not chosen, removed as long as one has no successor among them.
    let mut left: Vec<u32> =
        (1..n_states).filter(|state| number(*state) % 7 != 0 && number(*state) % 97 != 0).collect();
    left.retain(|state| !chosen.contains(state));
    loop {
        let n_left = left.len();
        let kept = left.clone();
        left.retain(|state| steps_of(&graph, *state).iter().any(|(_, target)| kept.binary_search(target).is_ok()));
        if left.len() == n_left {
            break;
        }
    }
    assert_eq!(left, []);
}

/// Wants an end at once.
struct Impatient;

impl Control for Impatient {
    fn poll(&mut self, _: &Progress) -> Option<Limit> {
        Some(Limit::Time)
    }
}

#[test]
fn a_stop_leaves_what_was_whole_before() {
    let system = Web { size: 30_011 };
    let exploration = explored(&system);
    let n_states = exploration.table.len() as u32;
    let mut graph = stored(&system, &exploration, &[9_000], 1);
    let stopped =
        graph.extend(&system, &exploration.table, n_states, &is_running, NonZero::<usize>::MIN, &mut Impatient);
    assert_eq!(stopped, Err(Limit::Time));
    assert_eq!(graph.n_states(), 8_192);
    let whole = stored(&system, &exploration, &[n_states], 1);
    assert!((0..8_192).all(|state| steps_of(&graph, state) == steps_of(&whole, state)));
    let mut worker = system.worker();
    let mut steps = Steps::new(2);
    assert!(worker.successors(&START, &mut steps).is_whole());
}
