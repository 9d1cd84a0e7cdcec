//! Operations and initialisations performed for one choice of each kind: counts are those of performing them for every choice.

use std::collections::BTreeMap;

use abridge_check::{Config, Method, Report, check};
use abridge_testkit::{Project, Random};

/// A machine over two deferred sets of these sizes and an enumerated one.
fn machine((s, t): (u32, u32), initialisation: &str, operations: &str) -> String {
    format!(
        "MACHINE M SETS S; T; D = {{d, e}}
        PROPERTIES card(S) = {s} & card(T) = {t}
        VARIABLES a, b, c, f, h, n
        INVARIANT a <: S & b <: T & c : S & f : S +-> D & h : D +-> T & n : 0..3
        INITIALISATION {initialisation}
        OPERATIONS {operations}
        END"
    )
}

const FIXED: &str = "a, b, f, h, n := {}, {}, {}, {}, 0 || c :: S";

/// States, transitions, and transitions of each operation.
type Counts = (u64, u64, BTreeMap<String, u64>);

fn counts(report: &Report) -> Counts {
    let coverage = report.coverage.iter().map(|item| (item.operation.clone(), item.transitions));
    (report.states, report.transitions, coverage.collect())
}

fn config(symmetry: Method) -> Config {
    let mut config = Config { find_all: true, deadlock: false, symmetry, ..Config::default() };
    config.system.many_choices = -10.0;
    config
}

#[track_caller]
fn same(text: &str) -> Counts {
    let model = Project::model_of(text);
    let run = |method| check(&model, &config(method), &mut ());
    let (by_kind, all, off) = (run(Method::Auto), run(Method::Canon), run(Method::Off));
    assert_eq!(counts(&by_kind), counts(&all), "{text}");
    assert_eq!((by_kind.verdict, by_kind.found), (off.verdict, off.found), "{text}");
    counts(&by_kind)
}

const OPERATIONS: [&str; 24] = [
    "order(x) = PRE x : perm(S) & x(1) = c THEN a := {x(card(S))} END",
    "row(x) = PRE x : iseq(T) & size(x) <= 2 THEN b := b \\/ ran(x) END",
    "sub(x) = PRE x <: S & x /\\ a = {} THEN a := a \\/ x END",
    "pow(x) = PRE x : POW1(S) & card(x) <= 2 THEN a := x END",
    "two(x, y) = PRE x <: S & y <: x & card(y) = 1 THEN a := x - y END",
    "both(x, y) = PRE x <: S & y <: T & card(x) = card(y) THEN a := x || b := y END",
    "total(x) = PRE x : S --> D & x~[{d}] /\\ a = {} THEN f := x END",
    "partial(x) = PRE x : S +-> D & dom(x) <: a THEN f := f <+ x END",
    "into(x) = PRE x : D --> T & x(d) /: b THEN h := x END",
    "one(x) = PRE x : D >-> T THEN h := x || b := ran(x) END",
    "map(x) = PRE x : S >-> T & n < 2 THEN b := ran(x) || n := n + 1 END",
    "link(x) = PRE x : D <-> T & card(x) = 2 THEN b := x[{d}] END",
    "out <-- tell(x, y) = PRE x <: S & y : S & y /: x THEN out := x \\/ {c} || c := y END",
    "way(x) = SELECT x : a THEN a := a - {x} WHEN x : S & x /= c THEN c := x ELSE a := {x} END",
    "any = ANY x WHERE x <: S & card(x) = card(a) THEN a := x END",
    "some = ANY x, y WHERE x : S --> D & y : S & x(y) = d THEN c := y || f := {y |-> d} END",
    "hide = ANY x, y WHERE x : S +-> S & y : a & y : dom(x) THEN c := x(y) END",
    "such = BEGIN a : (a <: S & c : a & card(a) <= card(a$0) + 1) END",
    "elem = BEGIN c :: S - {c} || b :: POW(T) END",
    "next(x) = PRE x <: S & card(x) = 2 THEN ANY y WHERE y <: S - x & card(y) = 1 THEN a := x \\/ y END END",
    "out <-- pick(x) = PRE x : S & x /: a THEN CHOICE out :: S - {x} OR out := x; a := {x} OR ANY y WHERE y : T THEN b := {y} || out := c END END END",
    "loop = VAR x IN x :: S; IF x : a THEN a := a - {x} ELSE c := x; f :: {c} --> D END END",
    "split(x) = PRE x : S * T THEN LET y, z BE y = prj1(S, T)(x) & z = prj2(S, T)(x) IN c := y || b := {z} END END",
    "fam(x) = PRE x : {a, {c}, S} & x /= {} THEN a := S - x END",
];

const INITIALISATIONS: [&str; 4] = [
    FIXED,
    "a :: POW(S) || b :: POW1(T) || c :: S || f := {} || h := {} || n := 0",
    "BEGIN c :: S; f :: S --> D; a := f~[{d}] END || b := {} || h :: D +-> T || n :: 0..1",
    "ANY x, y WHERE x <: S & y : S & y /: x THEN a := x || c := y || f := x * {d} END || b, h, n := {}, {}, 0",
];

#[test]
fn each_operation_counts_for_all_choices() {
    for operation in OPERATIONS {
        for sizes in [(2, 3), (3, 2)] {
            let (_, transitions, _) = same(&machine(sizes, FIXED, operation));
            assert!(transitions > u64::from(sizes.0), "{operation}");
        }
    }
}

#[test]
fn each_initialisation_counts_for_all_choices() {
    for initialisation in INITIALISATIONS {
        let (states, transitions, _) = same(&machine((3, 2), initialisation, "skip_ = skip"));
        assert!(states < transitions, "{initialisation}: {states} of {transitions}");
    }
}

#[test]
fn forall_operations_together() {
    let mut random = Random::new(7);
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 400 } else { 40 };
    for _ in 0..n_machines {
        let mut operations: Vec<&str> = Vec::new();
        while operations.len() < 3 {
            let operation = *random.pick(&OPERATIONS);
            if !operations.contains(&operation) {
                operations.push(operation);
            }
        }
        let sizes = *random.pick(&[(2, 2), (3, 1), (3, 2), (1, 3)]);
        let initialisation = *random.pick(&INITIALISATIONS[..]);
        same(&machine(sizes, initialisation, &operations.join(";\n")));
    }
}

/// What takes too long if all choices are listed.
#[test]
fn many_choices_of_few_kinds() {
    let counts = |text: &str| {
        let config = Config { find_all: true, deadlock: false, symmetry: Method::Auto, ..Config::default() };
        counts(&check(&Project::model_of(text), &config, &mut ()))
    };
    let text = machine((30, 1), FIXED, "put(x) = PRE x <: S & a = {} THEN a := x END");
    let (states, transitions, _) = counts(&text);
    // Where nothing has been put, any set can be: with `c` or without, and with 0 to 29 of the others.
    assert_eq!((states, transitions), (1 + 60, 1 + 30 + (1 << 30)));
    let text = machine((30, 1), FIXED, "any = ANY x WHERE x : S --> D & x(c) = d THEN f := x END");
    let (states, transitions, _) = counts(&text);
    assert_eq!((states, transitions), (1 + 31, 1 + 30 + 31 * (1 << 29)));
}

/// Traces have real steps, whatever they were found by.
#[test]
fn traces_are_found_again() {
    for operation in [
        "put(x) = PRE x <: S & card(x) = 15 & c /: x THEN a := x END",
        "any = ANY x WHERE x <: S & card(x) = 15 & c /: x THEN a := x END",
        "elem = BEGIN a :: POW1(S - {c}) END",
        "such = BEGIN a : (a <: S & c /: a & card(a) > 14) END",
        "more(x) = PRE x <: S & card(x) = 16 THEN c :: x; a := x - {c} END",
    ] {
        let never = "never(x) = PRE x : S --> D & n = 1 THEN a := x~[{d}] END";
        let text = machine((30, 1), FIXED, &format!("{never}; {operation}"));
        let text = text.replace("n : 0..3", "n : 0..3 & not(card(a) = 15 & c /: a)");
        let config = Config { symmetry: Method::Auto, ..Config::default() };
        let report = check(&Project::model_of(&text), &config, &mut ());
        let violation = report.violation().unwrap_or_else(|| panic!("{operation} violates the invariant"));
        let last = violation.trace.steps.last().expect("a step");
        assert!(operation.starts_with(&last.name), "{operation}: {}", last.name);
        assert_eq!(
            last.params.len(),
            usize::from(operation.split_once(" = ").is_some_and(|(head, _)| head.ends_with("(x)"))),
            "{operation}"
        );
    }
}
