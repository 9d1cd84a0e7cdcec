//! With and without partial order reduction a check finds the same kinds of violation.

use std::num::NonZero;
use std::time::Duration;

use abridge_check::{Config, Control, PorMode, Progress, Report, Strategy, check};
use abridge_model::Model;
use abridge_system::Limit;
use abridge_testkit::models::{self, ModelFile, subjects};
use abridge_testkit::{Project, Random, guarded};

const MOST_STATES: u64 = 3000;

/// Explores everything; nothing if there is too much of it.
fn explore(model: &Model, por: PorMode, config: &Config) -> Option<Report> {
    let config = Config { por, find_all: true, max_states: Some(MOST_STATES), ..config.clone() };
    let report = check(model, &config, &mut ());
    report.limits.is_empty().then_some(report)
}

#[derive(Default)]
struct Tally {
    compared: usize,
    reduced: usize,
    violated: usize,
    states: (u64, u64),
}

/// Compares the run with a reduction to the one without.
fn compare(text: &str, seed: u64, tally: &mut Tally) {
    let analysis = Project::new(&[("Random.mch", text)]).analyse();
    let model = analysis.model.as_ref().unwrap_or_else(|| panic!("seed {seed} is no machine:\n{text}"));
    let exact = Config::default();
    let (config, name) = if seed.is_multiple_of(4) { (exact.prob(), "prob") } else { (exact, "exact") };
    let Some(full) = explore(model, PorMode::Off, &config) else { return };
    tally.compared += 1;
    for mode in [PorMode::Syntactic, PorMode::Ample, PorMode::Semantic] {
        let reduced = explore(model, mode, &config)
            .unwrap_or_else(|| panic!("seed {seed}, {name}, {mode:?} did not finish\n{text}"));
        assert_eq!(full.found, reduced.found, "seed {seed}, {name}, {mode:?}\n{text}");
        assert!(reduced.states <= full.states, "seed {seed}, {name}, {mode:?}\n{text}");
        if reduced.por.as_ref().is_some_and(|tally| tally.reduced == 0) {
            assert_eq!(full.transitions, reduced.transitions, "seed {seed}, {name}, {mode:?}\n{text}");
        }
        if mode == PorMode::Semantic {
            tally.reduced += usize::from(reduced.states < full.states);
            tally.violated += usize::from(!full.violations.is_empty());
            tally.states.0 += full.states;
            tally.states.1 += reduced.states;
        }
    }
    let verified = Config { check_por: Some(3), ..config.clone() };
    for mode in [PorMode::Semantic, PorMode::Ample] {
        let checked = explore(model, mode, &verified).and_then(|report| report.por);
        let mistakes = checked.map(|tally| tally.mistakes).unwrap_or_default();
        assert!(mistakes.is_empty(), "seed {seed}, {name}, {mode:?}: {mistakes:?}\n{text}");
    }
    // Deadlocks only, as the reduction is strongest then.
    let config = Config { invariant: false, assertions: false, ..config };
    if let (Some(full), Some(reduced)) =
        (explore(model, PorMode::Off, &config), explore(model, PorMode::Semantic, &config))
    {
        assert_eq!(full.found, reduced.found, "seed {seed}, {name}, deadlocks only\n{text}");
    }
}

#[test]
fn verdicts_are_the_same_on_random_machines() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 10_000 } else { 600 };
    let first: u64 = std::env::var("SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut tally = Tally::default();
    for seed in first..first + n_machines {
        compare(&guarded::machine(&mut Random::new(seed)), seed, &mut tally);
    }
    let Tally { compared, reduced, violated, states } = tally;
    eprintln!("{compared} compared, {violated} violated, {reduced} reduced, {} of {} states", states.1, states.0);
    assert!(compared * 2 > n_machines as usize && reduced * 8 > compared && violated * 4 > compared);
}

/// The machines that come with the project, and how many states each has without and with the reduction.
#[test]
fn verdicts_are_the_same_on_our_machines() {
    let (mut compared, mut reduced) = (0, 0);
    for ModelFile { path, .. } in subjects() {
        if path.extension().is_none_or(|end| end != "mch") {
            continue;
        }
        let model = &models::model(&path.file_name().unwrap_or_default().to_string_lossy());
        let config = Config::default();
        let Some(full) = explore(model, PorMode::Off, &config) else { continue };
        compared += 1;
        for mode in [PorMode::Syntactic, PorMode::Semantic] {
            let report = explore(model, mode, &config).unwrap_or_else(|| panic!("{} did not end", path.display()));
            assert_eq!(full.found, report.found, "{}, {mode:?}", path.display());
            reduced += usize::from(mode == PorMode::Semantic && report.states < full.states);
        }
        if full.states > 300 {
            continue;
        }
        let verified = Config { check_por: Some(2), ..config };
        let mistakes =
            explore(model, PorMode::Semantic, &verified).and_then(|report| report.por).map(|tally| tally.mistakes);
        assert_eq!(mistakes, Some(Vec::new()), "{}", path.display());
    }
    assert!(compared >= 20 && reduced * 2 >= compared, "{reduced} of {compared} were reduced");
}

fn states(name: &str, por: PorMode, config: &Config) -> u64 {
    explore(&models::model(name), por, config).unwrap_or_else(|| panic!("{name} did not end")).states
}

/// Koerner, Leuschel, listings 1 to 3: the form in which a machine is written does not matter.
#[test]
fn the_listings_of_the_paper_are_reduced_alike() {
    for name in ["NoReduction.mch", "Unrolled.mch", "HasReduction.mch"] {
        for por in [PorMode::Syntactic, PorMode::Semantic] {
            assert_eq!(states(name, por, &Config::default()), 1, "{name}");
        }
    }
}

/// Sets that have nothing to do with each other: published are 35,937 states, and 33 or 34 with the reduction.
#[test]
fn independent_sets_are_reduced_for_deadlocks() {
    let deadlocks = Config { invariant: false, assertions: false, ..Config::default() };
    for por in [PorMode::Syntactic, PorMode::Semantic] {
        assert!(states("SetLaws.mch", por, &deadlocks) <= 33);
    }
}

/// Machines with an integer `x`: jumps, drifts and constants at the edges of what circuits can say.
const WIDE_INTEGERS: [(&str, &str, &str); 9] = [
    // It jumps to the edge, and one more step breaks the invariant.
    (
        "x <= 549755813888",
        "x := 0",
        "jump = SELECT x = 0 THEN x := 549755813888 END; inc = SELECT x > 100 & x < 549755813890 THEN x := x + 1 END",
    ),
    (
        "x >= -549755813888",
        "x := 0",
        "jump = SELECT x = 0 THEN x := -549755813888 END; dec = SELECT x < -100 & x > -549755813890 THEN x := x - 1 END",
    ),
    // Two jumps, each half of the way.
    (
        "x < 549755813888",
        "x := 0",
        "jump = SELECT x < 549755813888 THEN x := x + 274877906944 END; back = SELECT x = 274877906944 THEN x := 1 END",
    ),
    // It begins at the edge of what may drift, or beyond.
    ("x /= 274877906946", "x := 274877906944", "inc = SELECT x < 274877906950 THEN x := x + 1 END"),
    ("x /= 549755813890", "x := 549755813887", "inc = SELECT x < 549755813895 THEN x := x + 1 END"),
    ("x /= 1099511627779", "x := 1099511627775", "inc = SELECT x < 1099511627780 THEN x := x + 1 END"),
    (
        "x /= 18446744073709551617",
        "x := 18446744073709551615",
        "inc = SELECT x < 18446744073709551620 THEN x := x + 1 END",
    ),
    // It doubles.
    ("x < 1180591620717411303424", "x := 1", "twice = SELECT x < 1180591620717411303424 THEN x := x * 2 END"),
    // It changes by a little more than a drift.
    ("x < 650", "x := 0", "inc = SELECT x < 650 THEN x := x + 65 END; dec = SELECT x > 0 THEN x := x - 65 END"),
];

#[test]
fn wide_integers_jump_without_being_overlooked() {
    for (invariant, initial, operations) in WIDE_INTEGERS {
        let text = format!(
            "MACHINE M VARIABLES x, y INVARIANT x : INTEGER & y : BOOL & {invariant} INITIALISATION {initial} || y := FALSE
             OPERATIONS {operations}; flip = SELECT y = FALSE THEN y := TRUE END END"
        );
        let model = Project::model_of(&text);
        let full = explore(&model, PorMode::Off, &Config::default()).expect("few states");
        assert!(full.found.invariant, "{text}");
        for mode in [PorMode::Syntactic, PorMode::Ample, PorMode::Semantic] {
            let reduced = explore(&model, mode, &Config::default()).expect("few states");
            assert_eq!(full.found, reduced.found, "{mode:?}\n{text}");
        }
    }
}

/// Operations whose choices, outputs and parameters come to the same targets; all steps depend on each other.
#[test]
fn transitions_are_counted_alike_where_nothing_is_left_out() {
    let text = "MACHINE M VARIABLES x, y INVARIANT x : 0..7 & y : 0..7 & x * y /= 49 INITIALISATION x := 0 || y := 0
        OPERATIONS
          half = ANY i WHERE i : 0..7 THEN x := i / 2 || y := (x + y) mod 8 END;
          set(i) = PRE i : 0..3 THEN CHOICE x := i OR x := i / 2 OR x := 2 * i - i END END;
          o <-- get = ANY i WHERE i : 0..5 & i > x THEN o := i mod 2 || x := y END;
          o <-- ask(i) = PRE i : 0..2 THEN CHOICE o := 0 OR o := 1 OR o := 1 END || y := i END
        END";
    let model = Project::model_of(text);
    for is_compiled in [true, false] {
        let mut config = Config::default();
        config.system.compiled = is_compiled;
        config.system.memo = is_compiled;
        let full = explore(&model, PorMode::Off, &config).expect("few states");
        // The invariant may be broken by every operation, so that all are needed.
        for mode in [PorMode::Syntactic, PorMode::Semantic] {
            let other = explore(&model, mode, &config).expect("few states");
            assert_eq!(other.por.as_ref().map(|tally| tally.reduced), Some(0), "{mode:?}");
            assert_eq!((full.states, full.transitions), (other.states, other.transitions), "{mode:?}");
        }
    }
}

/// A state of which steps are missing is no evidence against a selection: here evaluation runs out of fuel in some states.
#[test]
fn missing_steps_are_no_mistakes_of_a_selection() {
    let text = "MACHINE M VARIABLES x, y, z INVARIANT x : 0..9 & y : 0..1 & z : BOOL INITIALISATION x := 0 || y := 0 || z := FALSE
        OPERATIONS
          up = SELECT x < 9 THEN x := x + 1 END;
          flip = SELECT y = 0 THEN y := 1 END;
          long = SELECT x > 3 & SIGMA(i).(i : 0..(if_large(x)) | i mod 7) > 5 THEN z := TRUE END
        DEFINITIONS if_large(n) == IF n = 5 THEN 200000 ELSE 10 END
        END";
    let model = Project::model_of(text);
    let mut config = Config { find_all: true, check_por: Some(3), por: PorMode::Semantic, ..Config::default() };
    config.eval.fuel = 20_000;
    config.system.compiled = false;
    let report = check(&model, &config, &mut ());
    assert!(!report.limits.is_empty(), "something is missing");
    assert_eq!(report.por.map(|tally| tally.mistakes), Some(Vec::new()));
}

/// A clock that stands still.
struct Clock(Option<Duration>);

impl Control for Clock {
    fn poll(&mut self, _: &Progress) -> Option<Limit> {
        None
    }

    fn elapsed(&self) -> Option<Duration> {
        self.0
    }
}

/// Left to itself, a reduction is tried when a search has gone on for a while, and only if there is time for it.
#[test]
fn a_trial_takes_a_share_of_the_time() {
    let model = models::model("SetLaws.mch");
    let config = Config { por: PorMode::Auto, invariant: false, assertions: false, ..Config::default() };
    let states = |elapsed: Option<u64>| {
        let report = check(&model, &config, &mut Clock(elapsed.map(Duration::from_secs)));
        assert!(report.limits.is_empty() && report.violations.is_empty());
        report.states
    };
    assert_eq!(states(Some(0)), 35_937);
    assert!(states(Some(3600)) <= 33 && states(None) <= 33);
}

/// The interlocking with three routes: trains on routes that share no block run one after the other.
#[test]
fn a_small_interlocking_is_reduced_for_deadlocks_and_for_its_invariant() {
    let config = Config::default();
    let full = states("Interlocking_Small.mch", PorMode::Off, &config);
    assert!(states("Interlocking_Small.mch", PorMode::Semantic, &config) * 10 < full);
    let deadlocks = Config { invariant: false, assertions: false, ..config };
    assert!(states("Interlocking_Small.mch", PorMode::Semantic, &deadlocks) * 10 < full);
}

/// What is selected depends on the state alone.
#[test]
fn neither_threads_nor_orders_matter() {
    let config = Config::default();
    let states = |workers: usize, strategy: Strategy| {
        let workers = NonZero::new(workers).expect("some threads");
        states("Interlocking_Small.mch", PorMode::Semantic, &Config { workers, strategy, ..config.clone() })
    };
    let alone = states(1, Strategy::BreadthFirst);
    assert_eq!(alone, states(3, Strategy::BreadthFirst));
    assert_eq!(alone, states(1, Strategy::DepthFirst));
    assert_eq!(alone, states(1, Strategy::Mixed { seed: 7 }));
}
