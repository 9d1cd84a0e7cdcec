//! The symbolic engine against headers of models, formulas and the explicit engine.
//!
//! `RUN_SLOW=1` compares more random machines; those of `compare.rs` go through the engine as well.

use abridge_check::{Config, Control, Engine, Method, Progress, Report, SymbolicSymmetry, Verdict, check};
use abridge_model::Model;
use abridge_system::Limit;
use abridge_testkit::Project;
use abridge_testkit::compare::{Way, compare, machine, minimised, ways};
use abridge_testkit::expectations::{About, Count};
use abridge_testkit::models::{Subject, subjects};

/// Larger state spaces are not explored here.
const MAX_STATES: u64 = 9_000;
const MAX_COMPARED_STATES: u64 = 1_500;

fn survey() -> Config {
    Config {
        engine: Engine::Symbolic,
        find_all: true,
        assertions: false,
        goal: false,
        temporal: false,
        gluing: false,
        ..Config::default()
    }
}

fn of_subject(subject: &Subject) -> Config {
    if subject.is_prob() { survey().prob() } else { survey() }
}

/// Both numbers of states: representatives, and all behind them.
fn numbers(report: &Report) -> (String, Option<String>) {
    let symbolic = report.symbolic.as_ref().expect("the symbolic engine answers");
    (symbolic.states.to_string(), symbolic.states_behind.as_ref().map(ToString::to_string))
}

#[test]
fn models_have_the_states_of_their_headers() {
    let (mut n_counts, mut n_transitions) = (0, 0);
    for subject in subjects().iter().filter(|subject| subject.is_checked(false)) {
        for counts in subject.counts(About::All).into_iter().filter(|counts| counts.states() <= MAX_STATES) {
            let report = check(&subject.model(&counts.sizes), &of_subject(subject), &mut ());
            let place = format!("{} {:?}", subject.path.display(), counts.sizes);
            assert_eq!(report.limits, [""; 0], "{place}");
            let Some(symbolic) = &report.symbolic else { continue };
            for (count, expected) in &counts.list {
                match count {
                    Count::States => assert_eq!(report.states, *expected, "{place}"),
                    Count::Nodes => assert_eq!(report.states + 1, *expected, "{place}"),
                    Count::Transitions if symbolic.transitions.is_some() => {
                        assert_eq!(report.transitions, *expected, "{place}");
                        n_transitions += 1;
                    }
                    Count::Transitions => continue,
                }
                n_counts += 1;
            }
        }
    }
    eprintln!("{n_counts} counts compared, {n_transitions} of transitions");
    assert!(n_counts > 50 && n_transitions > 20, "{n_counts} counts, {n_transitions} of transitions");
}

#[test]
fn random_machines_have_the_same_states() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 2_000 } else { 100 };
    let ways: Vec<Way> = ways().into_iter().filter(|way| way.name.starts_with("symbolic")).collect();
    assert_eq!(ways.len(), 2);
    let mut n_finished = 0;
    for number in 10_000..10_000 + n_machines {
        let text = machine(number);
        let compared = compare(&Project::model_of(&text), &ways);
        let compared = compared.unwrap_or_else(|difference| {
            panic!("machine {number}: {difference}\n{}", minimised(&text, difference.way));
        });
        n_finished += compared.finished;
    }
    eprintln!("{n_finished} runs finished");
    assert!(n_finished as u64 >= n_machines, "only {n_finished} runs finished");
}

#[test]
fn orbits_are_those_of_the_explicit_engine() {
    let mut n_unique = 0;
    for subject in subjects().iter().filter(|subject| subject.is_checked(false) && !subject.is_prob()) {
        for counts in subject.counts(About::All).into_iter().filter(|counts| counts.states() <= MAX_COMPARED_STATES) {
            let model = subject.model(&counts.sizes);
            let reduced = Config { symmetry: Method::Auto, ..of_subject(subject) };
            let report = check(&model, &reduced, &mut ());
            let Some(symbolic) = &report.symbolic else { continue };
            let explicit = check(&model, &Config { engine: Engine::Explicit, ..reduced }, &mut ());
            let place = format!("{} {:?}", subject.path.display(), counts.sizes);
            assert_eq!((report.verdict, report.found), (explicit.verdict, explicit.found), "{place}");
            let plain = check(&model, &of_subject(subject), &mut ());
            assert_eq!(symbolic.states_behind, plain.symbolic.map(|symbolic| symbolic.states), "{place}");
            match symbolic.symmetry {
                SymbolicSymmetry::Off => {}
                SymbolicSymmetry::Unique => {
                    assert_eq!(report.states, explicit.states, "{place}");
                    n_unique += 1;
                }
                SymbolicSymmetry::Several => assert!(report.states >= explicit.states, "{place}"),
            }
        }
    }
    assert!(n_unique >= 5, "only {n_unique} models with unique representatives");
}

/// A ring of cells, each of which can be set once its neighbour is, and a token that goes round.
fn counters(n: u32) -> Model {
    Project::model_of(&format!(
        "MACHINE Counters\nVARIABLES on, at\nINVARIANT on <: 1..{n} & at : 1..{n}\nINITIALISATION on := {{}} || at := 1\nOPERATIONS\n  \
         set = SELECT at /: on THEN on := on \\/ {{at}} END;\n  clear = SELECT at : on THEN on := on - {{at}} END;\n  \
         go = IF at < {n} THEN at := at + 1 ELSE at := 1 END\nEND\n"
    ))
}

#[test]
fn counts_beyond_machine_words_are_exact() {
    let report = check(&counters(100), &survey(), &mut ());
    let expected = num_bigint::BigUint::from(100_u32) << 100_u32;
    assert_eq!((report.verdict, numbers(&report).0), (Verdict::Holds, expected.to_string()));
}

/// A process is absent, idle or waiting, or one of them is active.
#[test]
fn a_scheduler_of_forty_processes_is_counted() {
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with("scheduler0.mch")).expect("a model");
    let model = subject.model(&[("PROC".to_owned(), 40)]);
    let expected = num_bigint::BigUint::from(43_u32) * num_bigint::BigUint::from(3_u32).pow(39);
    let report = check(&model, &survey(), &mut ());
    assert_eq!((report.verdict, numbers(&report).0), (Verdict::Holds, expected.to_string()));
}

#[test]
fn symmetry_reduces_subsets_to_their_sizes() {
    let text = "MACHINE Club\nSETS MEMBER\nVARIABLES in, chair\nINVARIANT in <: MEMBER & chair <: MEMBER & chair <: in & card(chair) <= 1\n\
                INITIALISATION in := {} || chair := {}\nOPERATIONS\n  join(m) = SELECT m : MEMBER - in THEN in := in \\/ {m} END;\n  \
                leave(m) = SELECT m : in - chair THEN in := in - {m} END;\n  elect(m) = SELECT m : in THEN chair := {m} END\nEND\n";
    let mut project = Project::new(&[("M.mch", text)]);
    project.options.set_sizes = vec![("MEMBER".to_owned(), 12)];
    let model = project.analyse().model.expect("a model");
    let report = check(&model, &Config { symmetry: Method::Auto, ..survey() }, &mut ());
    // Sizes 0 to 12 without a chair, 1 to 12 with one; all subsets, and all subsets with one of their members.
    assert_eq!(numbers(&report), ("25".to_owned(), Some((4096 + 12 * 2048).to_string())));
    assert_eq!(report.verdict, Verdict::Holds);
}

const BROKEN: &str = "MACHINE Broken\nSETS P\nVARIABLES in, n\nINVARIANT in <: P & n : 0..9 & card(in) < 3\nINITIALISATION in := {} || n := 0\nOPERATIONS\n  \
                      enter(p) = SELECT p : P - in & n > 2 THEN in := in \\/ {p} END;\n  tick = SELECT n < 9 THEN n := n + 1 END\nEND\n";

#[test]
fn traces_are_shortest_and_real() {
    let mut project = Project::new(&[("M.mch", BROKEN)]);
    project.options.set_sizes = vec![("P".to_owned(), 4)];
    let model = project.analyse().model.expect("a model");
    for symmetry in [Method::Off, Method::Auto] {
        let report = check(&model, &Config { symmetry, find_all: false, ..survey() }, &mut ());
        let violation = report.violation().expect("the invariant fails");
        assert_eq!(
            (report.verdict, violation.trace.n_steps(), violation.trace.gap.clone()),
            (Verdict::Violated, 7, None)
        );
    }
}

#[test]
fn what_ends_a_search_is_a_limit() {
    struct Impatient;
    impl Control for Impatient {
        fn poll(&mut self, progress: &Progress) -> Option<Limit> {
            (progress.depth > 2).then_some(Limit::Interrupted)
        }
    }
    let report = check(&counters(30), &survey(), &mut Impatient);
    assert_eq!((report.verdict, report.limits), (Verdict::Incomplete, vec!["interrupted by the user".to_owned()]));
    let report = check(&counters(30), &Config { max_nodes: 1, ..survey() }, &mut ());
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert_eq!(report.limits, ["node limit of the symbolic engine reached"]);
    let report = check(&counters(30), &Config { max_depth: Some(3), ..survey() }, &mut ());
    assert_eq!(report.verdict, Verdict::Incomplete);
}

#[test]
fn what_has_no_circuit_is_learnt() {
    let text = "MACHINE Queue\nVARIABLES q, n\nINVARIANT q : seq(1..3) & n : 0..3 & size(q) <= 4\nINITIALISATION q := <> || n := 0\nOPERATIONS\n  \
                put(x) = SELECT x : 1..3 & size(q) < 4 THEN q := q <- x END;\n  get = SELECT q /= <> THEN q := tail(q) END;\n  \
                count = BEGIN n := (n + 1) mod 4 END\nEND\n";
    let report = check(&Project::model_of(text), &survey(), &mut ());
    let symbolic = report.symbolic.as_ref().expect("the symbolic engine answers");
    // 1 + 3 + 9 + 27 + 81 sequences.
    assert_eq!((report.verdict, report.states), (Verdict::Holds, 121 * 4));
    let explicit = check(&Project::model_of(text), &Config { engine: Engine::Explicit, ..survey() }, &mut ());
    assert_eq!(symbolic.transitions, Some(explicit.transitions.into()));
}

#[test]
fn automatic_choice_gives_the_same_answer() {
    let report = check(&counters(12), &Config { engine: Engine::Auto, ..survey() }, &mut ());
    assert_eq!((report.verdict, report.states), (Verdict::Holds, 12 << 12));
    let report = check(&counters(18), &Config { engine: Engine::Auto, ..survey() }, &mut ());
    assert_eq!((report.verdict, report.states), (Verdict::Holds, 18 << 18));
    assert!(report.symbolic.is_some());
}
