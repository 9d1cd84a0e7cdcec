//! Engines and layers over systems that are not B: one with a known answer, one that withholds steps.

use std::num::NonZero;
use std::sync::Arc;

use abridge_check::{
    Animation, Config, Origin, Sought, SpaceView, Strategy, Verdict, ViolationKind, check_machine, choices, find,
    nth_state, space_of,
};
use abridge_deps::{AnalysisDepth, AskedErrors, Resources};
use abridge_explicit::{Explicit, SystemConfig, judge};
use abridge_reduce::symmetry::{Canonizer, Quotient, Quotiented};
use abridge_reduce::{Por, Selected, SelectionRule};
use abridge_search::{Disk, explore, explore_on_disk};
use abridge_system::{Gap, Limit, Properties, System};
use abridge_testkit::Project;
use abridge_testkit::faulty::Faulty;
use abridge_testkit::jugs::Jugs;

const PUZZLE: Jugs = Jugs { small: 3, large: 5, wanted: 4 };
/// The same without a solution: every amount is even.
const UNSOLVABLE: Jugs = Jugs { small: 4, large: 6, wanted: 3 };

fn config(strategy: Strategy, workers: usize) -> Config {
    Config { strategy, workers: NonZero::new(workers).expect("some workers"), ..Config::default() }
}

const STRATEGIES: [Strategy; 3] = [Strategy::BreadthFirst, Strategy::DepthFirst, Strategy::Mixed { seed: 3 }];

#[test]
fn a_machine_without_b_is_checked() {
    let report = check_machine(&PUZZLE, &config(Strategy::BreadthFirst, 1), &mut ());
    let violation = report.violation().expect("the puzzle has a solution");
    assert_eq!(report.verdict, Verdict::Violated);
    assert!(matches!(violation.kind, ViolationKind::Invariant { conjunct: 0 }));
    assert_eq!(violation.property.as_ref().map(|(text, _)| text.as_str()), Some("large /= 4"));
    assert_eq!((violation.trace.steps.len(), violation.trace.gap.as_deref()), (7, None));
    let last = violation.trace.steps.last().expect("a step");
    assert_eq!((last.name.as_str(), &last.state[1]), ("pour", &("large".to_owned(), "4".to_owned())));
    for (strategy, workers) in STRATEGIES.into_iter().flat_map(|strategy| [(strategy, 1), (strategy, 4)]) {
        let report = check_machine(&UNSOLVABLE, &config(strategy, workers), &mut ());
        assert_eq!((report.verdict, report.states, report.transitions), (Verdict::Holds, 10, 35));
        let coverage: Vec<(&str, u64)> =
            report.coverage.iter().map(|item| (item.operation.as_str(), item.transitions)).collect();
        assert_eq!(coverage, [("fill", 13), ("empty", 13), ("pour", 8)]);
    }
}

#[test]
fn states_of_a_machine_without_b_are_found() {
    let is_four = |state: &[u32]| Ok::<bool, String>(state[1] == 4);
    let Sought::Found(steps) = find(&PUZZLE, None, &is_four, &mut ()) else { panic!("the puzzle has a solution") };
    assert_eq!((steps.len(), steps[6].name.as_str(), steps[6].to[1]), (7, "pour", 4));
    let Sought::Found(rest) = find(&PUZZLE, Some(&steps[4].to), &is_four, &mut ()) else { panic!("near its end") };
    assert_eq!(rest, steps[5..]);
    assert!(matches!(find(&UNSOLVABLE, None, &|state| Ok::<bool, String>(state[1] == 3), &mut ()), Sought::Nowhere));
    let failing = |state: &[u32]| if state[0] == 0 { Ok(false) } else { Err("no answer".to_owned()) };
    assert!(matches!(find(&UNSOLVABLE, None, &failing, &mut ()), Sought::Failed(text) if text == "no answer"));
    assert_eq!(nth_state(&PUZZLE, 1, &mut ()), Some(vec![0, 0]));
    assert_eq!(nth_state(&PUZZLE, 1000, &mut ()), None);
}

#[test]
fn a_machine_without_b_is_animated() {
    let mut animation = Animation::new(&PUZZLE, 10);
    let labels = |animation: &Animation<'_, Jugs>| -> Vec<String> {
        let label = |step: &abridge_check::Move| match step.params.first() {
            Some((_, jug)) => format!("{} {jug}", step.name),
            None => step.name.clone(),
        };
        animation.choices().list.iter().map(label).collect()
    };
    assert_eq!(labels(&animation), ["start"]);
    assert!(animation.take(0) && !animation.take(9));
    assert_eq!(labels(&animation), ["fill small", "fill large"]);
    assert!(animation.take(1));
    assert_eq!(labels(&animation), ["fill small", "empty large", "pour large"]);
    assert!(animation.take(2));
    let trace = animation.trace();
    assert_eq!(trace.last().map(|step| step.changed.clone()), Some(vec!["small".to_owned(), "large".to_owned()]));
    animation.back(2);
    assert_eq!((animation.history().len(), animation.state()), (1, Some(&[0, 0][..])));
}

#[test]
fn a_machine_without_b_is_drawn() {
    let space = space_of(&UNSOLVABLE, SpaceView::Everything, 100, None);
    assert_eq!((space.nodes.len(), space.edges.len(), space.is_cut), (11, 35, false));
    assert!(space.edges.iter().any(|edge| edge.label == "pour(small)"));
    assert!(space_of(&UNSOLVABLE, SpaceView::Everything, 5, None).is_cut);
}

/// Every state is its own orbit.
struct Identity;

impl Quotient for Identity {
    type Canonizer<'a> = Identity;

    fn canonizer(&self) -> Identity {
        Identity
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn is_lasting(&self) -> bool {
        true
    }
}

impl Canonizer for Identity {
    fn represent(&mut self, _: &mut [u32]) {}
}

const GAPS: [Gap; 5] = [Gap::Bounded, Gap::Capped, Gap::Failed, Gap::Memory, Gap::Stopped];

fn search_config(strategy: Strategy, workers: usize) -> abridge_search::SearchConfig {
    abridge_search::SearchConfig {
        strategy,
        properties: Properties { invariant: true, ..Properties::default() },
        deadlock: true,
        stop_at_first: false,
        max_states: None,
        max_depth: None,
        max_findings: 1,
        workers: NonZero::new(workers).expect("some workers"),
    }
}

/// Explores in every way and compares limits with what was withheld; the number of runs in which something was.
fn explore_all(system: &impl System, n_gaps: &dyn Fn() -> u64, gap: Gap) -> usize {
    let mut n_spoilt = 0;
    for (strategy, workers) in [(0, 1), (0, 4), (1, 1), (2, 1)].map(|(idx, workers)| (STRATEGIES[idx], workers)) {
        for on_disk in [false, true] {
            let before = n_gaps();
            let config = search_config(strategy, workers);
            let found = match strategy {
                Strategy::BreadthFirst if on_disk => {
                    let disk = Disk { checkpoint: None, spill: None };
                    explore_on_disk(system, &config, disk, &mut ()).unwrap_or_else(|_| panic!("nothing to refuse"))
                }
                _ => explore(system, &config, &mut ()),
            };
            let is_spoilt = n_gaps() > before;
            assert_eq!(found.limits.contains(&Limit::Missing(gap)), is_spoilt, "{strategy:?} {:?}", found.limits);
            n_spoilt += usize::from(is_spoilt);
        }
    }
    n_spoilt
}

#[test]
fn what_is_withheld_is_a_limit_on_every_engine_and_through_every_layer() {
    let (mut n_spoilt, mut n_runs) = (0, 0);
    for seed in 0..40 {
        let gap = GAPS[seed as usize % GAPS.len()];
        let system = Jugs { small: 7 + seed as u32 % 3, large: 11, wanted: 100 };
        for one_in in [3, 30, 300] {
            let faulty = Faulty::new(&system, seed, one_in, gap);
            n_spoilt += explore_all(&faulty, &|| faulty.n_gaps(), gap);
            let outside = Quotiented::new(&faulty, &Identity);
            n_spoilt += explore_all(&outside, &|| faulty.n_gaps(), gap);
            let quotiented = Quotiented::new(&system, &Identity);
            let inside = Faulty::new(&quotiented, seed, one_in, gap);
            n_spoilt += explore_all(&inside, &|| inside.n_gaps(), gap);
            n_runs += 24;
        }
    }
    assert!(n_spoilt > n_runs / 3 && n_spoilt < n_runs, "{n_spoilt} of {n_runs} runs were spoilt");
}

/// A selection over what is withheld takes all steps that are left, and says that they are not all.
#[test]
fn what_is_withheld_is_a_limit_through_a_selection() {
    let (mut n_spoilt, mut n_runs, mut n_reduced) = (0, 0, 0);
    let counters = Project::model_of(
        "MACHINE Counters VARIABLES a, b, c INVARIANT a : 0..4 & b : 0..4 & c : 0..4
         INITIALISATION a, b, c := 0, 0, 0
         OPERATIONS
           ia = SELECT a < 4 THEN a := a + 1 END;
           ib = SELECT b < 4 THEN b := b + 1 END;
           ic = SELECT c < 4 THEN c := c + 1 END
         END",
    );
    for seed in 0..3 {
        let config = SystemConfig { labels: true, ..SystemConfig::default() };
        let system = Explicit::new(judge(&counters, abridge_eval::EvalConfig::default()), config);
        for (one_in, gap) in [(2, GAPS[0]), (8, GAPS[1]), (30, GAPS[2]), (u64::MAX, GAPS[3])] {
            let faulty = Faulty::new(&system, seed, one_in, gap);
            let asked = AskedErrors { deadlock: true, invariant: true, assertions: false, goal: false };
            let depth = AnalysisDepth::Semantic { conflicts: 1_000 };
            let por = Por { rule: SelectionRule::Stubborn, depth, asked, max_setups: 4, verified_length: None };
            let selected = Selected::new(&faulty, por, Resources::new(Arc::default(), 100_000));
            n_spoilt += explore_all(&selected, &|| faulty.n_gaps(), gap);
            n_reduced += selected.tally().reduced;
            n_runs += 8;
        }
    }
    assert!(n_spoilt > n_runs / 4 && n_spoilt < n_runs, "{n_spoilt} of {n_runs} runs were spoilt");
    assert!(n_reduced > 20, "{n_reduced} states were reduced");
}

#[test]
fn what_is_withheld_never_holds() {
    let (mut n_spoilt, mut n_whole) = (0, 0);
    for seed in 0..200 {
        let faulty = Faulty::new(&UNSOLVABLE, seed, 12, GAPS[seed as usize % GAPS.len()]);
        let report = check_machine(&faulty, &config(STRATEGIES[seed as usize % 3], 1), &mut ());
        if faulty.n_gaps() > 0 {
            n_spoilt += 1;
            assert!(report.verdict == Verdict::Incomplete && !report.limits.is_empty(), "{report:?}");
        } else {
            n_whole += 1;
            assert_eq!((report.verdict, report.states), (Verdict::Holds, 10));
        }
        let before = faulty.n_gaps();
        let found = choices(&faulty, Origin::State(&[0, 0]), 10);
        assert_eq!(found.completeness.is_whole(), faulty.n_gaps() == before);
        let before = faulty.n_gaps();
        let space = space_of(&faulty, SpaceView::Everything, 100, None);
        assert_eq!(space.is_cut, faulty.n_gaps() > before);
    }
    assert!(n_spoilt > 50 && n_whole > 10, "{n_spoilt} {n_whole}");
}
