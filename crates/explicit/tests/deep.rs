//! Deeply nested formulas and values do not exhaust the stack.

mod common;

use abridge_eval::EvalConfig;
use common::explore::explore;
use common::model;

const DEPTH: usize = 15_000;

/// A machine that computes, keeps and compares the value.
fn explores(expr: &str, ty: &str) {
    let text = format!(
        "MACHINE M VARIABLES x, y INVARIANT x : {ty} & y : {ty} & x = y INITIALISATION x := {expr} || y := {expr}
         OPERATIONS set = x := y END"
    );
    let model = model(&text);
    let report = explore(&model, EvalConfig::prob(), 10);
    assert!(report.states <= 1);
}

#[test]
fn sums() {
    explores(&vec!["1"; DEPTH].join(" + "), "INTEGER");
}

#[test]
fn parentheses_of_sets() {
    let depth = 3_000;
    let nested = format!("{}1{}", "{".repeat(depth), "}".repeat(depth));
    let ty = format!("{}INTEGER{}", "POW(".repeat(depth), ")".repeat(depth));
    explores(&nested, &ty);
}

#[test]
fn pairs() {
    explores(&vec!["1"; 3_000].join(" |-> "), &vec!["INTEGER"; 3_000].join(" * "));
}

#[test]
fn symbolic_unions() {
    let parts: Vec<String> = (0..DEPTH).map(|n| format!("INTEGER * {{{n}}}")).collect();
    explores(&parts.join(" \\/ "), "POW(INTEGER * INTEGER)");
}

#[test]
fn sequences_of_substitutions() {
    let steps = vec!["x := x + 1"; 5_000].join("; ");
    let text = format!(
        "MACHINE M VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS go = PRE x = 0 THEN {steps} END END"
    );
    let report = explore(&model(&text), EvalConfig::prob(), 10);
    assert_eq!((report.states, report.transitions), (2, 2));
}

#[test]
fn recursive_functions() {
    let text = "MACHINE M CONSTANTS sum PROPERTIES sum : INTEGER +-> INTEGER & sum = %x.(x = 0 | 0) \\/ %x.(x > 0 | x + sum(x - 1))
        OPERATIONS r <-- go = r := sum(3000) END";
    let report = explore(&model(text), EvalConfig::prob(), 10);
    assert_eq!((report.transitions, report.errors.len()), (3, 0));
}

#[test]
fn freetypes() {
    let text = "MACHINE M FREETYPES L = nil, cons(INTEGER * L) VARIABLES l, n INVARIANT l : L & n : NATURAL INITIALISATION l := nil || n := 0
        OPERATIONS grow = PRE n = 0 THEN WHILE n < 2000 DO l := cons(n |-> l); n := n + 1 INVARIANT n >= 0 VARIANT 2000 - n END END END";
    let report = explore(&model(text), EvalConfig::prob(), 10);
    assert_eq!((report.states, report.errors.len()), (2, 0), "{:?}", report.errors);
}

#[test]
fn an_infinite_set_that_grows() {
    let text = "MACHINE M VARIABLES f, n INVARIANT f : INTEGER <-> INTEGER & n : NATURAL INITIALISATION f := %x.(x : INTEGER | x) || n := 0
        OPERATIONS grow = PRE n = 0 THEN WHILE n < 600 DO f := f <+ %x.(x : INTEGER & x > n | 0); n := n + 1 INVARIANT n >= 0 VARIANT 600 - n END END";
    let text = format!("{text} END");
    let model = model(&text);
    let report = explore(&model, EvalConfig { max_calls: 300, ..EvalConfig::prob() }, 10);
    assert_eq!(report.errors.first().map(|error| error.diagnostic(&model).id), Some("too-deep"));
}

#[test]
fn an_infinite_relation_composed_with_itself() {
    let text = "MACHINE M VARIABLES f, n INVARIANT f : INTEGER <-> INTEGER & n : NATURAL INITIALISATION f := %x.(x : INTEGER | x + 1) || n := 0
        OPERATIONS square = PRE n < 24 THEN f := (f ; f) || n := n + 1 END; r <-- at = PRE n < 10 THEN r := f(0) END END";
    let model = model(text);
    let report = explore(&model, EvalConfig::prob(), 500);
    assert_eq!((report.states, report.transitions), (25, 35));
}
