//! Interchangeable elements in formulas and among the choices of operations: what is left out makes no difference.

use std::collections::BTreeMap;

use abridge_check::{Config, Method, Report, check};
use abridge_compile::Interchangeable;
use abridge_explicit::{Explicit, judge};
use abridge_model::Model;
use abridge_model_system::ModelSystem as _;
use abridge_system::{Machine as _, Steps, System as _, Worker as _};
use abridge_testkit::Project;

/// A machine whose operation says what the value of an expression is, for all values of some variables over a set of four.
fn calculating(types: &str, expr: &str, zero: &str) -> Model {
    let names: Vec<&str> = types.split(" & ").filter_map(|part| part.split(" : ").next()).collect();
    let choices: Vec<String> = types.split(" & ").map(|part| part.replacen(" : ", " :: ", 1)).collect();
    let text = format!(
        "MACHINE M SETS S; D = {{d, e}}
        PROPERTIES card(S) = 4
        VARIABLES result, {} INVARIANT {types} & 1 = 1
        INITIALISATION result := {zero} || {}
        OPERATIONS calculate = BEGIN result := {expr} END
        END",
        names.join(", "),
        choices.join(" || ")
    );
    Project::model_of(&text)
}

/// What the operation makes of each initial state.
fn results(model: &Model, is_plain: bool, interchangeable: Option<&[u32]>) -> Vec<(String, Vec<String>)> {
    let mut config = Config::default();
    config.system.compiled = !is_plain;
    config.system.memo = false;
    config.system.profile = true;
    let system = Explicit::new(judge(model, config.eval.clone()), config.system.clone());
    if let Some(elements) = interchangeable {
        system.use_interchangeable(Interchangeable::new([(0, elements)].into_iter()));
    }
    let mut steps = Steps::new(system.width());
    assert!(system.worker().initial(&mut steps).is_whole());
    let setups: Vec<Vec<u32>> = steps.iter().map(|step| step.target.to_vec()).collect();
    steps.clear();
    setups.iter().for_each(|setup| assert!(system.worker().successors(setup, &mut steps).is_whole()));
    let text = |words: &[u32]| format!("{:?}", system.values(words));
    let initial: Vec<Vec<u32>> = steps.iter().map(|step| step.target.to_vec()).collect();
    let mut results: Vec<(String, Vec<String>)> = Vec::new();
    for state in initial {
        let mut steps = Steps::new(system.width());
        // A new worker has not given anything up.
        assert!(system.worker().successors(&state, &mut steps).is_whole());
        let ends = if !steps.ill_defined().is_empty() { vec!["?".to_owned()] } else { Vec::new() };
        results.push((text(&state), ends.into_iter().chain(steps.iter().map(|step| text(step.target))).collect()));
    }
    results.sort();
    results
}

#[track_caller]
fn same(types: &str, expr: &str, zero: &str) {
    let model = calculating(types, expr, zero);
    let plain = results(&model, true, None);
    assert!(plain.len() > 10, "{expr}");
    let all = [0, 1, 2, 3];
    assert_eq!(results(&model, false, Some(&all)), plain, "{expr}");
    assert_eq!(results(&model, false, None), plain, "{expr}");
}

#[test]
fn quantifiers_over_alike_elements() {
    let types = "a : POW(S) & f : S --> D & x : S";
    for pred in [
        "!y.(y : S => f(y) = d or y : a)",
        "!y.(y : a => f(y) = f(x))",
        "#y.(y : S & y /: a & f(y) = e)",
        "!(y,z).(y : S & z : S & y /= z => f(y) = d or f(z) = d or {y,z} <: a)",
        "#(y,z).(y : a & z : S - a & f(y) = f(z) & y /= x)",
        "!y.(y : S & f(y) = e => #z.(z : a & z /= y & f(z) = d))",
        "!y.(y : S => #z.(z : S & z /= y & !w.(w : a & w /= z => f(w) = f(y))))",
        "#y.(y : S & y = x & f~[{d}] <: a)",
        "#(y,b).(y : S & b <: S & b = a - {y} & card(b) = 2)",
        "!y.(y : S => f(y) = d) <=> not(#y.(y : S & f(y) = e))",
        "#y.(y : S & card({z | z : S & f(z) = f(y)}) = 3)",
    ] {
        same(types, &format!("bool({pred})"), "TRUE");
    }
}

#[test]
fn comprehensions_over_alike_elements() {
    let types = "a : POW(S) & f : S --> D & x : S";
    for (expr, zero) in [
        ("{y | y : S & f(y) = d & y /: a}", "{}"),
        ("{y,z | y : S & z : S & f(y) = f(z) & y /: a & z /= x}", "{}"),
        ("%y.(y : S & f(y) = d | bool(y : a))", "{}"),
        ("%(y,z).(y : a & z : S & f(y) /= f(z) | f(z))", "{}"),
        ("SIGMA(y).(y : S & f(y) = d | 2)", "0"),
        ("SIGMA(y,z).(y : S & z : S & y /= z & f(y) = d | card(a \\/ {y,z}))", "0"),
        ("PI(y).(y : S | card(a - {y}) + 1)", "0"),
        ("SIGMA(y).(y : S & PI(z).(z : S & z /= y | card(a - {z})) > 0 | SIGMA(z).(z : a | 1))", "0"),
        ("UNION(y).(y : S & f(y) = e | a - {y})", "{}"),
        ("{b | #y.(y : S & f(y) = d & b = a - {y})}", "{}"),
    ] {
        same(types, expr, zero);
    }
}

#[test]
fn relations_between_alike_elements() {
    let types = "r : POW({d} * S) & g : S +-> S";
    for pred in [
        "!y.(y : S => y : dom(g) or y : r[{d}])",
        "!(y,z).(y : S & z : S & y |-> z : g => d |-> z : r)",
        "#y.(y : S & y : dom(g) & g(y) = y)",
        "!y.(y : dom(g) => #z.(z : S & g(y) /= z & d |-> z : r))",
        "SIGMA(y).(y : S - dom(g) | card(r)) = 4",
    ] {
        same(types, &format!("bool({pred})"), "TRUE");
    }
}

#[test]
fn ill_defined_formulas_stay_so() {
    let types = "a : POW(S) & g : S +-> {d}";
    for pred in [
        "!y.(y : a => g(y) = d)",
        "#y.(y : S & y : a & g(y) = d)",
        "!(y,z).(y : a & z : a => g(y) = g(z))",
        "SIGMA(y).(y : a | card({g(y)})) = card(a)",
    ] {
        same(types, &format!("bool({pred})"), "TRUE");
    }
}

/// If it is claimed that an element cannot be told apart which is, then answers change: elements are left out.
#[test]
fn elements_are_left_out() {
    let text = |expr: &str| {
        let zero = if expr.starts_with("bool") { "TRUE" } else { "0" };
        format!(
            "MACHINE M SETS S = {{s, t, u, v}} VARIABLES n, result INVARIANT 1 = 1
            INITIALISATION n, result := 0, {zero} OPERATIONS calculate = BEGIN result := {expr} END END"
        )
    };
    for (expr, honest, claimed) in [
        ("bool(n = 0 & !y.(y : S => y = s or n > 0))", "FALSE", "TRUE"),
        ("bool(#y.(y : S & card({y, v}) = n + 1))", "TRUE", "FALSE"),
        ("SIGMA(y).(y : S & card({y, s}) = n + 1 | 1)", "1", "4"),
        ("PI(y).(y : S & card({y, s}) = n + 1 | 3)", "3", "81"),
        ("card({y | y : S & card({y, s}) = n + 1})", "1", "4"),
    ] {
        let model = Project::model_of(&text(expr));
        let result = |elements: &[u32]| results(&model, false, Some(elements))[0].1.concat();
        assert!(result(&[]).contains(&format!("\"{honest}\"")), "{expr}: {}", result(&[]));
        assert!(result(&[0, 1, 2, 3]).contains(&format!("\"{claimed}\"")), "{expr}: {}", result(&[0, 1, 2, 3]));
    }
}

/// States, transitions and how often each operation was executed.
fn counts(report: &Report) -> (u64, u64, BTreeMap<String, u64>) {
    let coverage = report.coverage.iter().map(|item| (item.operation.clone(), item.transitions));
    (report.states, report.transitions, coverage.collect())
}

#[test]
fn choices_that_are_alike_count_for_all() {
    let operations = [
        "add(q) = PRE q : S - s THEN s := s \\/ {q} END",
        "fill(q) = PRE q <: S & q /\\ s = {} THEN s := s \\/ q END",
        "move(q, r) = PRE q <: s & r : t THEN s := s - q || t := t \\/ q END",
        "out <-- ask(q, r) = PRE q <: S & r <: S & q /\\ r = {} & card(q) = 2 THEN out := q \\/ r || t := r END",
        "any = ANY q, r WHERE q : S & r : S & q /= r THEN t := {q, r} END",
        "some = ANY q WHERE q <: S & card(q) <= 2 THEN t := q - s END",
        "forget = ANY q, r WHERE q : s & r <: t THEN s := s - {q} END",
        "pair = ANY q, r WHERE q : S & r : S THEN g := {q |-> r} END",
        "both(q) = SELECT q : s THEN s := s - {q} WHEN q : S - t THEN t := t \\/ {q} || s := {} END",
        "either(q, r) = PRE q : S & r <: S & q /: r THEN CHOICE s := r OR t := r \\/ {q} OR ANY z WHERE z : r THEN s := {z} END END END",
        "out <-- name(q) = PRE q : S THEN IF q : s THEN out := q ELSE out := q; s := s \\/ {q} END END",
        "tell(q, n) = PRE q : S & n : 0..1 & g = {} THEN ANY z WHERE z : S - s THEN g := {q |-> z} END END",
        "nest(q) = PRE q : POW(POW(S)) & q <: {s, t} THEN s := union(q) END",
    ];
    for size in 2..=5 {
        for operation in operations {
            let text = format!(
                "MACHINE M SETS S PROPERTIES card(S) = {size} VARIABLES s, t, g INVARIANT s <: S & t <: S & g : S +-> S
                INITIALISATION s :: POW(S) || t := {{}} || g := {{}}
                OPERATIONS {operation}; drop = PRE t /= {{}} THEN t, g := {{}}, {{}} END END"
            );
            let model = Project::model_of(&text);
            for memo in [true, false] {
                let mut config = Config { find_all: true, deadlock: false, ..Config::default() };
                config.system.memo = memo;
                let run = |symmetry| counts(&check(&model, &Config { symmetry, ..config.clone() }, &mut ()));
                assert_eq!(run(Method::Auto), run(Method::Canon), "{operation} with {size}");
            }
        }
    }
}

/// What has no solution is seen as such whether or not solutions are wanted one per class.
#[test]
fn too_many_pigeons() {
    for arrow in [">->", "-->>", "+->>", ">->>"] {
        let (pigeons, holes) = if arrow == ">->" { (60, 59) } else { (59, 60) };
        let text = format!(
            "MACHINE M SETS P; H CONSTANTS f PROPERTIES card(P) = {pigeons} & card(H) = {holes} & f : P {arrow} H END"
        );
        let report = check(&Project::model_of(&text), &Config { symmetry: Method::Auto, ..Config::default() }, &mut ());
        assert_eq!((report.states, report.transitions), (0, 0), "{arrow}");
    }
}
