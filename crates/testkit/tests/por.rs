//! With and without partial order reduction a check finds the same kinds of violation.

use abridge_check::{Config, Control, PorMode, Progress, Report, check};
use abridge_model::Model;
use abridge_system::Limit;
use abridge_testkit::{Project, Random, guarded};

struct Patient;

impl Control for Patient {
    fn poll(&mut self, _: &Progress) -> Option<Limit> {
        None
    }
}

const MOST_STATES: u64 = 3000;

/// Explores everything; nothing if there is too much of it.
fn explore(model: &Model, por: PorMode, config: &Config) -> Option<Report> {
    let config = Config { por, find_all: true, max_states: Some(MOST_STATES), ..config.clone() };
    let report = check(model, &config, &mut Patient);
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
    for mode in [PorMode::Syntactic, PorMode::Semantic] {
        let reduced = explore(model, mode, &config)
            .unwrap_or_else(|| panic!("seed {seed}, {name}, {mode:?} did not finish\n{text}"));
        assert_eq!(full.found, reduced.found, "seed {seed}, {name}, {mode:?}\n{text}");
        assert!(reduced.states <= full.states, "seed {seed}, {name}, {mode:?}\n{text}");
        if mode == PorMode::Semantic {
            tally.reduced += usize::from(reduced.states < full.states);
            tally.violated += usize::from(full.violation.is_some());
            tally.states.0 += full.states;
            tally.states.1 += reduced.states;
        }
    }
    let twin = Config { check_por: Some(3), ..config.clone() };
    let checked = explore(model, PorMode::Semantic, &twin).and_then(|report| report.por);
    let mistakes = checked.map(|tally| tally.mistakes).unwrap_or_default();
    assert!(mistakes.is_empty(), "seed {seed}, {name}: {mistakes:?}\n{text}");
    // Deadlocks only, as the reduction is strongest then.
    let config = Config { invariant: false, assertions: false, ..config };
    if let (Some(full), Some(reduced)) = (explore(model, PorMode::Off, &config), explore(model, PorMode::Semantic, &config))
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
