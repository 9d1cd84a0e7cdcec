//! Every method of symmetry reduction on the machines under `models/`: the counts of the papers' tables, the verdicts without reduction.

use std::num::NonZero;

use abridge_check::{Config, INITIALISATION, Method, Report, SETUP_CONSTANTS, check};
use abridge_testkit::Project;
use abridge_testkit::expectations::{About, Claim, Count, Expectation};
use abridge_testkit::models::{Counts, ModelFile, subjects};

/// More classes than this are left to `RUN_SLOW=1`, and to the methods other than the default one the smaller number.
const MAX_CLASSES: u64 = 3_200;
const MAX_OTHERS: u64 = 500;
/// Flooding is not tried with larger groups.
const MAX_FLOOD: u64 = 720;

fn config(subject: &ModelFile, method: Method, workers: usize) -> Config {
    let config = Config {
        find_all: true,
        assertions: false,
        goal: false,
        temporal: false,
        gluing: false,
        symmetry: method,
        workers: NonZero::new(workers).expect("not zero"),
        ..Config::default()
    };
    if subject.is_prob() { config.prob() } else { config }
}

/// Compares the counts of one size; how many were compared.
fn compare(subject: &ModelFile, counts: &Counts, methods: &[(Method, usize)]) -> usize {
    let model = subject.model(&counts.sizes);
    for (method, workers) in methods {
        let report = check(&model, &config(subject, *method, *workers), &mut ());
        for (count, expected) in &counts.list {
            let found = match count {
                Count::States => report.states,
                Count::Nodes => report.states + 1,
                Count::Transitions => report.transitions,
            };
            let place = format!("{} {:?}: {count:?}, {method:?}", subject.path.display(), counts.sizes);
            assert_eq!(found, *expected, "{place}, {workers} workers");
        }
    }
    counts.list.len() * methods.len()
}

fn group_order(sizes: &[(String, u32)]) -> u64 {
    sizes.iter().map(|(_, size)| (1..=u64::from(*size)).product::<u64>()).product()
}

#[test]
fn all_exact_methods_visit_one_state_of_each_class() {
    let slow = std::env::var_os("RUN_SLOW").is_some();
    let mut n_compared = 0;
    for subject in subjects() {
        for counts in subject.counts(About::Orbits) {
            let n_classes = counts.states();
            if n_classes > MAX_CLASSES && !slow {
                continue;
            }
            let mut methods = vec![(Method::Auto, 1), (Method::Auto, 2), (Method::Auto, 8)];
            if n_classes <= MAX_OTHERS || slow {
                methods.extend([(Method::Canon, 1), (Method::Canon, 8), (Method::Marker { is_precise: true }, 1)]);
                if group_order(&counts.sizes) <= MAX_FLOOD {
                    methods.extend([(Method::Flood, 1), (Method::Flood, 8)]);
                }
            }
            n_compared += compare(&subject, &counts, &methods);
        }
    }
    assert!(n_compared > 400, "only {n_compared} counts were compared");
}

#[test]
fn markers_visit_what_the_tables_say() {
    let mut n_compared = 0;
    for subject in subjects() {
        for counts in subject.counts(About::Markers) {
            n_compared += compare(&subject, &counts, &[(Method::Marker { is_precise: false }, 1)]);
        }
    }
    assert_eq!(n_compared, 12);
}

#[test]
fn markers_are_exact_where_they_decide() {
    let subjects = subjects();
    let verdict = |name: &str| {
        let subject = subjects.iter().find(|subject| subject.path.ends_with(name)).expect("a model");
        let config = config(subject, Method::Marker { is_precise: false }, 1);
        let report = check(&subject.model(&[]), &config, &mut ());
        (report.verdict, report.symmetry.is_approximate)
    };
    use abridge_check::Verdict;
    assert_eq!(verdict("scheduler1.ref"), (Verdict::Holds, false));
    assert_eq!(verdict("USB.mch"), (Verdict::Holds, false));
    assert_eq!(verdict("TokenRing.mch"), (Verdict::Incomplete, true));
}

/// What a report says that a reduction must not change, and the length of its trace.
fn verdict(report: &Report) -> (abridge_check::Verdict, abridge_check::FoundViolations, Option<usize>) {
    let length = report.violation().map(|violation| violation.trace.steps.len());
    (report.verdict, report.found, length)
}

/// Every step after the first ones is one of an operation, so it was found again by the plain interpreter.
fn assert_is_trace(report: &Report, place: &str) {
    let Some(violation) = report.violation() else { return };
    let is_start = |name: &str| [SETUP_CONSTANTS, INITIALISATION].contains(&name);
    let steps = &violation.trace.steps;
    let n_start = steps.iter().take_while(|step| is_start(&step.name)).count();
    assert!(n_start <= 2 && steps[n_start..].iter().all(|step| !is_start(&step.name)), "{place}: {steps:?}");
}

#[test]
fn verdicts_are_those_without_reduction() {
    let methods = [Method::Auto, Method::Canon, Method::Flood, Method::Marker { is_precise: true }];
    let mut n_violated = 0;
    for subject in subjects() {
        let is_meant = |line: &Expectation| line.about == About::Orbits || matches!(line.claim, Claim::Fails(..));
        if !subject.lines.iter().any(is_meant) || !subject.is_checked(false) {
            continue;
        }
        let model = subject.model(&[]);
        for (invariant, deadlock, goal) in [(true, false, false), (false, true, false), (false, false, true)] {
            let run = |method| {
                let config = Config { invariant, deadlock, goal, find_all: false, ..config(&subject, method, 1) };
                check(&model, &config, &mut ())
            };
            let plain = run(Method::Off);
            n_violated += usize::from(!plain.violations.is_empty());
            for method in methods {
                let report = run(method);
                let place = format!("{}: {method:?}", subject.path.display());
                assert_eq!(verdict(&report), verdict(&plain), "{place}");
                assert_is_trace(&report, &place);
            }
        }
    }
    assert!(n_violated >= 8, "only {n_violated} violations were compared");
}

#[test]
fn traces_lead_through_very_many_initial_states() {
    let model = Project::model_of(
        "MACHINE M SETS F; C
         CONSTANTS k PROPERTIES card(F) = 2 & card(C) = 3 & k : F
         VARIABLES s INVARIANT s : F --> (1..4 --> C) & card(ran(s(k))) < 3
         INITIALISATION s :: F --> (1..4 --> C)
         OPERATIONS stay = skip
         END",
    );
    let run = |symmetry| check(&model, &Config { symmetry, ..Config::default() }, &mut ());
    let (plain, reduced) = (run(Method::Off), run(Method::Auto));
    assert_eq!(verdict(&reduced), verdict(&plain));
    assert!(plain.found.invariant && reduced.states < plain.states);
    assert_is_trace(&reduced, "very many initial states");
}

/// Where there are too many orbits for a list, initial states enter the search while they are generated, as without reduction.
#[test]
fn very_many_initial_states_are_looked_at_as_they_come() {
    let model = Project::model_of(
        "MACHINE M SETS S VARIABLES s, n INVARIANT s : S & n : 0..99999 & n /= 5
         INITIALISATION s :: S || n :: 0..99999 OPERATIONS stay = skip END",
    );
    let report = check(&model, &Config { symmetry: Method::Auto, ..Config::default() }, &mut ());
    assert!(report.found.invariant && report.states < 1_000, "{} states", report.states);
}
