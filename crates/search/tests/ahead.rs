//! Roots with very many steps, and random walks ahead of a search.

use std::cell::Cell;
use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use abridge_search::{
    Checkpoint, Control, Disk, Exploration, Progress, Refusal, SearchConfig, Strategy, explore, explore_on_disk,
};
use abridge_store::{NO_PARENT, Ram};
use abridge_system::{
    Finding, FindingKind, Limit, Origin, Pause, Properties, RuleWorker, Rules, Steps, System, Worker as _,
};
use abridge_value::bytes::Key;

/// Towers side by side. A state is the number of a tower and a height. The top of a tower with an odd number is a deadlock; from the top of the
/// others a step leads back to the ground.
struct Towers {
    /// Number of towers; infinite if `None`.
    n_towers: Option<u32>,
    height: u32,
    /// Tower whose ground state violates the invariant.
    broken: Option<u32>,
}

impl System for Towers {
    type Worker<'a> = RuleWorker<'a, Towers>;

    fn width(&self) -> usize {
        2
    }

    fn worker(&self) -> RuleWorker<'_, Towers> {
        RuleWorker(self)
    }

    fn may_look_ahead(&self) -> bool {
        true
    }

    // Words mean the same in every run.
    fn save(&self, _: &mut Vec<u64>, _: &mut dyn io::Write) -> io::Result<()> {
        Ok(())
    }
}

impl Rules for Towers {
    fn add_steps(&self, origin: Origin<'_>, out: &mut Steps, pause: &mut Pause<'_>) {
        match origin {
            Origin::Root => {
                for tower in (0..).take_while(|tower| self.n_towers.is_none_or(|end| *tower < end)) {
                    out.push(0, 1, &[tower, 0]);
                    if pause(out).is_break() {
                        break;
                    }
                }
            }
            Origin::State(&[tower, height]) if height < self.height => out.push(1, 1, &[tower, height + 1]),
            Origin::State(&[tower, _]) if tower % 2 == 0 => out.push(2, 1, &[tower, 0]),
            Origin::State(_) => {}
        }
    }

    fn add_findings(&self, state: &[u32], asked: Properties, found: &mut dyn FnMut(FindingKind)) {
        if asked.invariant && state[1] == 0 && Some(state[0]) == self.broken {
            found(FindingKind::Invariant(0));
        }
    }
}

/// Clock that advances each time it is read, with a time limit.
struct Clock {
    now: Cell<Duration>,
    end: Duration,
}

impl Clock {
    fn until(seconds: u64) -> Self {
        Clock { now: Cell::default(), end: Duration::from_secs(seconds) }
    }
}

impl Control for Clock {
    fn poll(&mut self, _: &Progress) -> Option<Limit> {
        (self.now.get() >= self.end).then_some(Limit::Time)
    }

    fn elapsed(&self) -> Option<Duration> {
        self.now.set(self.now.get() + Duration::from_millis(1));
        Some(self.now.get())
    }
}

const STRATEGIES: [Strategy; 3] = [Strategy::BreadthFirst, Strategy::DepthFirst, Strategy::Mixed { seed: 7 }];

fn config(strategy: Strategy, stop_at_first: bool) -> SearchConfig {
    SearchConfig {
        strategy,
        properties: Properties { invariant: true, ..Properties::default() },
        deadlock: true,
        stop_at_first,
        max_states: None,
        max_depth: None,
        max_findings: 1,
        workers: NonZero::<usize>::MIN,
    }
}

/// Every path of a walk consists of steps of the system.
fn assert_walkable(system: &Towers, found: &Exploration) {
    for scouted in &found.scouted {
        let from = scouted.from.map(|number| found.table.get(number).expect("the table is in memory"));
        let mut states = from.into_iter().chain(scouted.path.iter().cloned());
        let mut before = states.next().expect("a walk begins somewhere");
        assert!(scouted.from.is_some() || before[1] == 0);
        let mut steps = Steps::new(2);
        for state in states {
            steps.clear();
            assert!(system.worker().successors(&before, &mut steps).is_whole());
            assert!(steps.iter().any(|step| step.target == state));
            before = state;
        }
        steps.clear();
        assert!(system.worker().successors(&before, &mut steps).is_whole());
        assert_eq!(scouted.kind == FindingKind::Deadlock, steps.is_empty());
    }
}

fn kinds_ahead(found: &Exploration) -> Vec<FindingKind> {
    found.scouted.iter().map(|scouted| scouted.kind).collect()
}

#[test]
fn something_is_found_though_the_root_has_no_end() {
    let system = Towers { n_towers: None, height: 5, broken: None };
    for strategy in STRATEGIES {
        let found = explore(&system, &config(strategy, false), &mut Clock::until(20));
        assert_eq!(found.limits, [Limit::Time]);
        assert!(found.table.len() > 1000 && found.findings.is_empty() && !found.is_stuck_at_root);
        assert_eq!(kinds_ahead(&found), [FindingKind::Deadlock]);
        assert_eq!(found.scouted[0].path.len(), 6);
        assert_walkable(&system, &found);
    }
}

#[test]
fn a_search_for_one_finding_ends_while_the_root_has_no_end() {
    for strategy in STRATEGIES {
        // Finding in a target of the root.
        let system = Towers { n_towers: None, height: 5, broken: Some(700) };
        let found = explore(&system, &config(strategy, true), &mut ());
        assert_eq!(found.findings, [Finding { kind: FindingKind::Invariant(0), state: 700 }]);
        assert!(found.table.len() < 1000 && found.limits.is_empty());
        // Finding one step further, by a walk.
        let system = Towers { n_towers: None, height: 1, broken: None };
        let found = explore(&system, &config(strategy, true), &mut Clock::until(60));
        assert!(found.findings.is_empty() && found.limits.is_empty());
        assert_eq!(kinds_ahead(&found), [FindingKind::Deadlock]);
        assert_walkable(&system, &found);
    }
}

/// Endless initial states that violate the invariant. Whoever asks for their steps waits long.
struct Mined {
    is_stepped_on: AtomicBool,
}

impl System for Mined {
    type Worker<'a> = RuleWorker<'a, Mined>;

    fn width(&self) -> usize {
        1
    }

    fn worker(&self) -> RuleWorker<'_, Mined> {
        RuleWorker(self)
    }

    fn may_look_ahead(&self) -> bool {
        true
    }
}

impl Rules for Mined {
    fn add_steps(&self, origin: Origin<'_>, out: &mut Steps, pause: &mut Pause<'_>) {
        match origin {
            Origin::Root => {
                for number in 0.. {
                    out.push(0, 1, &[number]);
                    if pause(out).is_break() {
                        break;
                    }
                }
            }
            Origin::State(state) => {
                self.is_stepped_on.store(true, Ordering::Relaxed);
                out.push(1, 1, state);
            }
        }
    }

    fn add_findings(&self, _: &[u32], asked: Properties, found: &mut dyn FnMut(FindingKind)) {
        if asked.invariant {
            found(FindingKind::Invariant(0));
        }
    }
}

#[test]
fn a_walk_ends_at_the_finding_that_ends_the_search() {
    for strategy in STRATEGIES {
        let system = Mined { is_stepped_on: AtomicBool::new(false) };
        // Walks are due before the search has looked at the first states.
        let mut clock = Clock { now: Cell::new(Duration::from_secs(1)), end: Duration::from_secs(60) };
        let found = explore(&system, &config(strategy, true), &mut clock);
        assert_eq!(kinds_ahead(&found), [FindingKind::Invariant(0)]);
        assert!(!system.is_stepped_on.into_inner(), "{strategy:?}");
    }
}

#[test]
fn all_steps_out_of_a_large_root_are_taken() {
    let system = Towers { n_towers: Some(1000), height: 3, broken: Some(999) };
    for strategy in STRATEGIES {
        let found = explore(&system, &config(strategy, false), &mut ());
        assert_eq!((found.table.len(), found.transitions, found.depth), (4000, 1000 + 3000 + 500, 4));
        assert!(found.limits.is_empty() && found.scouted.is_empty());
        for state in 0..4000 {
            let words = found.table.get(state).expect("the table is in memory");
            let parent = found.table.parent(state);
            assert_eq!(parent == NO_PARENT, words[1] == 0);
            if parent != NO_PARENT {
                assert_eq!(found.table.get(parent).ok(), Some(vec![words[0], words[1] - 1]));
            }
        }
    }
}

#[test]
fn walks_leave_a_search_as_it_is() {
    let system = Towers { n_towers: Some(20_000), height: 40, broken: Some(77) };
    let alone = explore(&system, &config(Strategy::BreadthFirst, false), &mut ());
    for workers in [1, 2, 8] {
        let workers = NonZero::new(workers).expect("not zero");
        let config = SearchConfig { workers, ..config(Strategy::BreadthFirst, false) };
        let found = explore(&system, &config, &mut Clock::until(u64::MAX));
        assert_eq!((&found.findings, &found.limits), (&alone.findings, &alone.limits));
        assert_eq!((found.transitions, found.table.len()), (alone.transitions, alone.table.len()));
        assert!((0..found.table.len() as u32).all(|state| found.table.get(state).ok() == alone.table.get(state).ok()));
        assert!(!found.scouted.is_empty());
        let is_known = |kind: FindingKind| found.findings.iter().any(|finding| finding.kind == kind);
        assert!(found.scouted.iter().all(|scouted| is_known(scouted.kind)));
        assert_walkable(&system, &found);
    }
}

#[test]
fn a_search_with_a_limit_in_numbers_does_not_look_ahead() {
    let system = Towers { n_towers: None, height: 5, broken: None };
    let near = SearchConfig { max_depth: Some(3), ..config(Strategy::BreadthFirst, false) };
    assert!(explore(&system, &near, &mut Clock::until(20)).scouted.is_empty());
    let few = SearchConfig { max_states: Some(1_000_000), ..config(Strategy::BreadthFirst, false) };
    assert!(explore(&system, &few, &mut Clock::until(20)).scouted.is_empty());
}

#[test]
fn a_search_that_does_not_know_its_root_is_not_saved() -> Result<(), Refusal> {
    let system = Towers { n_towers: None, height: 5, broken: None };
    let volume = Ram::new();
    let key = Key::new([1; 32]);
    let disk = Disk {
        checkpoint: Some(Checkpoint { volume: &volume, key: &key, fingerprint: [1; 32], resume: false }),
        spill: None,
    };
    let found = explore_on_disk(&system, &config(Strategy::BreadthFirst, false), disk, &mut Clock::until(3))?;
    assert_eq!((found.limits.as_slice(), found.disk.n_checkpoints), ([Limit::Time].as_slice(), 0));
    assert!(found.disk.checkpoint_error.is_some() && volume.names().is_empty());
    Ok(())
}
