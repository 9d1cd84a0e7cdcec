//! Every machine under `models/` yields what its header says, with the compiled form and with the plain interpreter.
//!
//! `RUN_SLOW=1` also runs the large ones.

use std::num::NonZero;
use std::sync::Arc;

use abridge_check::{
    Config, Method, Models, Notion, RefineConfig, Refinement, Report, Sought, TemporalVerdict, Verdict, ViolationKind,
    check, find, refine,
};
use abridge_explicit::{Explicit, interpreter};
use abridge_model::Model;
use abridge_model_system::ModelSystem as _;
use abridge_sema::{FormulaBody, FormulaRole, FormulaText, Options, analyse, analyse_formulas};
use abridge_system::{FindingKind, Properties};
use abridge_testkit::FolderFiles;
use abridge_testkit::expectations::{About, Claim, Count, Property};
use abridge_testkit::models::{ModelFile, subjects};

/// State spaces up to this size are explored by default, and up to the smaller one by the plain interpreter too.
const MAX_STATES: u64 = 50_000;
const MAX_PLAIN: u64 = 1_000;

/// How many lines of headers were compared.
#[derive(Default)]
struct Tally {
    counts: usize,
    deadlocks: usize,
    properties: usize,
    predicates: usize,
    temporal: usize,
    refinements: usize,
}

#[test]
fn models_yield_what_they_promise() {
    let slow = std::env::var_os("RUN_SLOW").is_some();
    let mut tally = Tally::default();
    for subject in subjects() {
        let model = subject.model(&[]);
        if subject.is_checked(slow) {
            check_counts(&subject, slow, &mut tally);
            for line in &subject.lines {
                check_claim(&subject, &model, &line.claim, &mut tally);
            }
        }
    }
    let Tally { counts, deadlocks, properties, predicates, temporal, refinements } = tally;
    eprintln!("compared: {counts} counts, {deadlocks} of deadlocks, {properties} properties, {predicates} predicates");
    eprintln!("and {temporal} temporal properties, {refinements} refinements");
    assert!(counts > 100 && deadlocks >= 35 && properties >= 42 && predicates >= 1);
    assert!(temporal >= 25 && refinements >= 11);
}

fn config(subject: &ModelFile) -> Config {
    let config = Config {
        invariant: false,
        deadlock: false,
        assertions: false,
        goal: false,
        temporal: false,
        gluing: false,
        ..Config::default()
    };
    if subject.is_prob() { config.prob() } else { config }
}

/// Compares states, nodes and transitions for every size that the header names.
fn check_counts(subject: &ModelFile, slow: bool, tally: &mut Tally) {
    for counts in subject.counts(About::All) {
        if counts.largest() > MAX_STATES && !slow {
            continue;
        }
        let model = subject.model(&counts.sizes);
        for compiled in [true, false] {
            if !compiled && counts.largest() > MAX_PLAIN {
                continue;
            }
            let report = explore(subject, &model, compiled);
            for (count, expected) in &counts.list {
                let found = match count {
                    Count::States => report.states,
                    Count::Nodes => report.states + 1,
                    Count::Transitions => report.transitions,
                };
                let place = format!("{} {:?}: {count:?}, compiled: {compiled}", subject.path.display(), counts.sizes);
                assert_eq!(found, *expected, "{place}");
                tally.counts += 1;
            }
        }
    }
}

fn explore(subject: &ModelFile, model: &Model, compiled: bool) -> Report {
    let mut config = Config { find_all: true, invariant: true, deadlock: true, ..config(subject) };
    config.system.compiled = compiled;
    let report = check(model, &config, &mut ());
    assert!(report.limits.is_empty(), "{}: {:?}", subject.path.display(), report.limits);
    report
}

/// One run with the default sizes for each line that is not about counts of states.
fn check_claim(subject: &ModelFile, model: &Model, claim: &Claim, tally: &mut Tally) {
    let place = format!("{}: {claim:?}", subject.path.display());
    let length_of = |report: &Report| report.violation().map(|violation| violation.trace.steps.len());
    match claim {
        Claim::Run { .. } | Claim::CompatProb | Claim::SetSizes(_) | Claim::Count(..) => {}
        Claim::Deadlocks(expected) => {
            assert_eq!(n_deadlocks(subject, model), *expected, "{place}");
            tally.deadlocks += 1;
        }
        Claim::Holds(Property::Predicate(predicate)) => {
            assert_always(subject, predicate, &place);
            tally.predicates += 1;
        }
        Claim::Holds(Property::Temporal(name)) => {
            assert_temporal(subject, name, &TemporalVerdict::Holds, &place);
            tally.temporal += 1;
        }
        Claim::Fails(Property::Temporal(name), _) => {
            assert_temporal(subject, name, &TemporalVerdict::Violated, &place);
            tally.temporal += 1;
        }
        Claim::Holds(property) => {
            let report = check(model, &asking(subject, property), &mut ());
            assert_eq!(report.verdict, Verdict::Holds, "{place}: {:?}", report.violations);
            tally.properties += 1;
        }
        Claim::Fails(property, length) => {
            let report = check(model, &asking(subject, property), &mut ());
            assert_eq!((report.verdict, length_of(&report)), (Verdict::Violated, *length), "{place}");
            let kind = report.violation().map(|violation| &violation.kind);
            let is_asked = match property {
                Property::Invariant => matches!(kind, Some(ViolationKind::Invariant { .. })),
                Property::Assertions => matches!(kind, Some(ViolationKind::Assertion { .. })),
                Property::Deadlock => matches!(kind, Some(ViolationKind::Deadlock)),
                Property::Predicate(_) | Property::Temporal(_) => false,
            };
            assert!(is_asked, "{place}: {kind:?}");
            tally.properties += 1;
        }
        Claim::ReachesGoal(length) => {
            let report = check(model, &Config { goal: true, ..config(subject) }, &mut ());
            assert_eq!((report.verdict, length_of(&report)), (Verdict::GoalReached, Some(*length)), "{place}");
            tally.properties += 1;
        }
        Claim::Refines(notion) => {
            let report = refinement(subject, *notion);
            assert_eq!((report.verdict, &report.limits), (Verdict::Holds, &Vec::new()), "{place}");
            tally.refinements += 1;
        }
        Claim::FailsToRefine(notion, length) => {
            let report = refinement(subject, *notion);
            let steps = report.counterexample.map(|found| found.steps.len());
            assert_eq!((report.verdict, steps), (Verdict::Violated, Some(*length)), "{place}");
            tally.refinements += 1;
        }
    }
}

/// The preconditions of a refinement are those that it states.
fn refinement(subject: &ModelFile, notion: Notion) -> Refinement {
    let options = Options { ignore_abstract_preconditions: true, ..subject.options(&[]) };
    let model = analyse(&FolderFiles, &subject.path, &options).model.expect("a model");
    let models = Models::of(&model).expect("a refinement");
    let choices = RefineConfig { notion, new_is_skip: false, antichains: true };
    refine(&models, &Config { symmetry: Method::Auto, ..config(subject) }, choices, &mut ())
}

fn asking(subject: &ModelFile, property: &Property) -> Config {
    let mut config = config(subject);
    match property {
        Property::Invariant => config.invariant = true,
        Property::Assertions => config.assertions = true,
        Property::Deadlock => config.deadlock = true,
        Property::Predicate(_) | Property::Temporal(_) => {}
    }
    config
}

/// Checks the formulas of a machine with and without symmetry reduction, compiled and plain. Counterexamples are whole.
fn assert_temporal(subject: &ModelFile, name: &str, expected: &TemporalVerdict, place: &str) {
    for (symmetry, compiled) in [(Method::Off, true), (Method::Off, false), (Method::Auto, true)] {
        let mut config = Config { symmetry, ..config(subject) };
        config.system.compiled = compiled;
        let (model, formulas) = subject.with_formulas(&config);
        config.formulas = Arc::new(formulas);
        let report = check(&model, &config, &mut ());
        let named: Vec<_> = report.temporal.iter().filter(|formula| formula.name == name).collect();
        assert!(!named.is_empty(), "{place}: no such property");
        for formula in named {
            assert_eq!(formula.verdict, *expected, "{place}, {symmetry:?}, compiled: {compiled}");
            let gap = formula.trace.as_ref().and_then(|trace| trace.gap.as_ref());
            assert_eq!((formula.trace.is_some(), gap), (*expected == TemporalVerdict::Violated, None), "{place}");
        }
    }
}

fn n_deadlocks(subject: &ModelFile, model: &Model) -> u64 {
    let config = config(subject);
    let system = Explicit::new(interpreter(model, config.eval.clone()), config.system.clone());
    let search = abridge_search::SearchConfig {
        strategy: config.strategy,
        properties: Properties::default(),
        deadlock: true,
        stop_at_first: false,
        max_states: None,
        max_depth: None,
        max_findings: usize::MAX,
        workers: NonZero::<usize>::MIN,
    };
    let exploration = abridge_search::explore(&system, &search, &mut ());
    assert!(exploration.limits.is_empty(), "{}: {:?}", subject.path.display(), exploration.limits);
    exploration.findings.iter().filter(|finding| finding.kind == FindingKind::Deadlock).count() as u64
}

/// No reachable state of the machine satisfies the negation.
fn assert_always(subject: &ModelFile, predicate: &str, place: &str) {
    let formula =
        FormulaText { source: "<header>".to_owned(), text: format!("not({predicate})"), role: FormulaRole::Predicate };
    let analysis = analyse_formulas(&FolderFiles, Some(&subject.path), &[formula], &subject.options(&[]));
    let model = analysis.model.as_ref().unwrap_or_else(|| panic!("{place}: {:?}", analysis.diagnostics));
    let FormulaBody::Pred(negation) = analysis.formulas[0].body else { panic!("{place}: not a predicate") };
    let config = config(subject);
    let system = Explicit::new(interpreter(model, config.eval.clone()), config.system.clone());
    match find(&system, None, &|state| system.holds(negation, state), &mut ()) {
        Sought::Nowhere => {}
        Sought::Found(moves) => panic!("{place}: false after {} steps", moves.len()),
        Sought::Stopped(reason) => panic!("{place}: {reason}"),
        Sought::Failed(error) => panic!("{place}: {error:?}"),
    }
}
