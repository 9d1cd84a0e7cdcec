//! Substitutions, operations, constants: state and transition counts of whole machines.

mod common;

use abridge_diag::StopFlag;

use abridge_eval::{Env, EvalConfig};
use abridge_explicit::judge;
use common::explore::explore;
use common::{check_counts, counts, model};

/// A machine over `x : -9..9` that starts at 0, with these operations.
fn over_x(operations: &str) -> String {
    format!("MACHINE M VARIABLES x INVARIANT x : -9..9 INITIALISATION x := 0 OPERATIONS {operations} END")
}

#[test]
fn transitions_are_sets() {
    check_counts(
        "MACHINE M OPERATIONS t = ANY k WHERE k : 1..9 THEN skip END; r <-- u = ANY k WHERE k : 1..3 THEN r := k END END",
        1,
        5,
    );
    check_counts(
        "MACHINE M
         SETS D
         PROPERTIES card(D) = 2
         VARIABLES s
         INVARIANT s <: D
         INITIALISATION s := {}
         OPERATIONS
           in(p) = PRE p : D & p /: s THEN s := s \\/ {p} END;
           out(p) = PRE p : s THEN s := s - {p} END
         END",
        5,
        10,
    );
    check_counts("MACHINE M CONSTANTS n PROPERTIES n : NAT1 & n < 10 OPERATIONS run = skip END", 6, 9);
    check_counts(
        "MACHINE M
         SETS ID = {aa, bb}
         CONSTANTS iv
         PROPERTIES iv : ID
         VARIABLES xx
         INVARIANT xx : ID
         INITIALISATION xx := iv
         OPERATIONS Set(yy) = PRE yy : ID THEN xx := yy END; Move = PRE xx = aa THEN skip END
         END",
        6,
        14,
    );
}

#[test]
fn infeasible_substitutions_disable() {
    check_counts(&over_x("go = BEGIN x :: {y | y : 1..2 & 1 = 2} END"), 1, 1);
    check_counts(&over_x("go = BEGIN x := 1; SELECT x = 2 THEN skip END END"), 1, 1);
    check_counts(&over_x("go = x := 1 || SELECT x = 1 THEN skip END"), 1, 1);
    check_counts(&over_x("go = ANY y WHERE y : 1..3 & y > 5 THEN x := y END"), 1, 1);
}

#[test]
fn every_substitution() {
    check_counts(&over_x("go = SELECT x = 0 THEN x := 1 WHEN x <= 1 THEN x := 2 ELSE x := 0 END"), 3, 5);
    check_counts(&over_x("go = IF x = 0 THEN x := 1 ELSIF x = 1 THEN x := 2 END"), 3, 4);
    check_counts(&over_x("go = CHOICE x := 1 OR x := 2 OR x := 1 END"), 3, 7);
    check_counts(&over_x("go = CASE x OF EITHER 0, 1 THEN x := 2 OR 2 THEN x := 3 END END"), 3, 4);
    check_counts(&over_x("go = CASE x OF EITHER 0 THEN x := 2 ELSE x := 0 END END"), 2, 3);
    check_counts(&over_x("go = LET y BE y = x + 1 IN x := y mod 3 END"), 3, 4);
    check_counts(&over_x("go = VAR y IN y := x + 1; x := y mod 3 END"), 3, 4);
    check_counts(&over_x("go = SELECT x < 2 THEN x := x + 1; x := x * 2 END"), 2, 2);
    check_counts(&over_x("go = SELECT x = 0 THEN x : (x > x$0 & x < x$0 + 3) END"), 3, 3);
    check_counts(&over_x("go = x :: 1..3"), 4, 13);
    check_counts(&over_x("go = PRE x = 0 THEN WHILE x < 3 DO x := x + 1 INVARIANT x <= 3 VARIANT 3 - x END END"), 2, 2);
    check_counts(
        "MACHINE M VARIABLES x, y INVARIANT x : 0..2 & y : 0..2 INITIALISATION x, y := 1, 2
         OPERATIONS swap = x := y || y := x; both = BEGIN x, y :: {0} * {0, 1} END END",
        5,
        16,
    );
}

#[test]
fn assignments_to_parts() {
    let part = |assignment: &str, expected: &str| {
        let text = format!(
            "MACHINE M VARIABLES f, g, r, w, done
             INVARIANT done = TRUE => {expected}
             INITIALISATION f := {{1 |-> 1, 1 |-> 2}} || g := {{1 |-> {{2 |-> 5}}}} || r := rec(a : 1, b : rec(c : 2, d : 3))
               || w := {{(1, 2) |-> 3}} || done := FALSE
             OPERATIONS go = SELECT done = FALSE THEN {assignment} || done := TRUE END END"
        );
        let model = model(&text);
        let report = explore(&model, EvalConfig::prob(), 100);
        assert!(report.errors.is_empty(), "{text}: {:?}", report.errors);
        assert_eq!((report.states, report.invariant_violated), (2, false), "{text}");
    };
    part(
        "f(1) := 9",
        "f = {1 |-> 9} & g : INTEGER +-> (INTEGER +-> INTEGER) & r : struct(a : INTEGER, b : struct(c : INTEGER, d : INTEGER)) & w : INTEGER * INTEGER +-> INTEGER & done : BOOL",
    );
    part(
        "g(1)(3) := 6",
        "g = {1 |-> {2 |-> 5, 3 |-> 6}} & f : INTEGER <-> INTEGER & r : struct(a : INTEGER, b : struct(c : INTEGER, d : INTEGER)) & w : INTEGER * INTEGER +-> INTEGER & done : BOOL",
    );
    part(
        "r'b'c := 7",
        "r = rec(a : 1, b : rec(c : 7, d : 3)) & f : INTEGER <-> INTEGER & g : INTEGER +-> (INTEGER +-> INTEGER) & w : INTEGER * INTEGER +-> INTEGER & done : BOOL",
    );
    part(
        "w(1, 2) := 4",
        "w = {(1, 2) |-> 4} & f : INTEGER <-> INTEGER & g : INTEGER +-> (INTEGER +-> INTEGER) & r : struct(a : INTEGER, b : struct(c : INTEGER, d : INTEGER)) & done : BOOL",
    );
}

#[test]
fn obligations_are_kept_apart() {
    let errors = |operations: &str| counts(&over_x(operations)).2;
    assert_eq!(errors("go = SELECT x = 0 THEN PRE x > 0 THEN skip END END"), ["precondition-violated"]);
    assert_eq!(errors("go = ASSERT x > 0 THEN skip END"), ["assert-violated"]);
    assert_eq!(errors("go = WHILE x < 3 DO x := x + 1 INVARIANT x < 3 VARIANT 3 - x END"), ["loop-invariant-violated"]);
    assert_eq!(errors("go = WHILE x < 3 DO x := x + 1 INVARIANT 1 = 1 VARIANT x END"), ["loop-variant-violated"]);
    assert_eq!(errors("go = WHILE x < 3 DO x := x + 1 INVARIANT 1 = 1 VARIANT -1 END"), ["loop-variant-violated"]);
    assert_eq!(errors("go = x := 1 / x"), ["division-by-zero"]);
    assert_eq!(errors("go = VAR y IN x := y; y := 1 END"), ["unassigned"]);
    assert_eq!(errors("go = PRE x > 0 THEN skip END"), Vec::<&str>::new());
}

#[test]
fn calls() {
    let project = abridge_testkit::Project::new(&[
        (
            "Main.mch",
            "MACHINE Main INCLUDES Inner OPERATIONS go = dec; r <-- ask = r <-- get; up(n) = PRE n : 1..2 THEN add(n) END END",
        ),
        (
            "Inner.mch",
            "MACHINE Inner VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 1
             OPERATIONS
               dec = PRE x > 0 THEN x := x - 1 END;
               r <-- get = r := x;
               add(n) = PRE n : NATURAL THEN SELECT x + n <= 3 THEN x := x + n END END
             END",
        ),
    ]);
    let model = project.analyse().model.unwrap_or_else(|| panic!("{}", project.diagnostics()));
    let report = explore(&model, EvalConfig::prob(), 100);
    assert_eq!((report.states, report.transitions), (4, 1 + 3 + 4 + 5));
    let ids: Vec<&str> = report.errors.iter().map(|error| error.diagnostic(&model).id).collect();
    assert_eq!(ids, ["precondition-violated"]);
}

#[test]
fn ill_defined_guards() {
    let text = "MACHINE M SETS P = {p1, p2}; ST = {idle, ready}
        VARIABLES pst INVARIANT pst : P +-> ST INITIALISATION pst := {p1 |-> idle}
        OPERATIONS enter(p) = PRE pst(p) = idle THEN pst(p) := ready END; look = SELECT pst(p2) = idle THEN skip END END";
    let model = model(text);
    let strict = explore(&model, EvalConfig::default(), 100);
    assert_eq!((strict.states, strict.transitions, strict.errors.len()), (2, 2, 2));
    let lenient = explore(&model, EvalConfig::prob(), 100);
    assert_eq!((lenient.states, lenient.transitions, lenient.errors.len()), (2, 2, 0));
}

#[test]
fn constants() {
    check_counts(
        "MACHINE M CONSTANTS fac
         PROPERTIES fac : INTEGER +-> INTEGER & fac = %x.(x = 0 | 1) \\/ %x.(x > 0 | x * fac(x - 1))
         OPERATIONS r <-- get(n) = PRE n : {5, 30} THEN r := fac(n) END END",
        2,
        4,
    );
    check_counts(
        "MACHINE M CONSTANTS q
         PROPERTIES q : 1..6 >-> 1..6 & !(i, j).(i : 1..6 & j : 1..6 & i < j => q(i) - q(j) /= i - j & q(j) - q(i) /= i - j)
         END",
        8,
        8,
    );
    check_counts(
        "MACHINE M CONSTANTS S, f PROPERTIES S = NATURAL & f = %x.(x : S | x + 1)
         VARIABLES v INVARIANT v : S INITIALISATION v := 0 OPERATIONS up = SELECT v < 3 THEN v := f(v) END END",
        5,
        5,
    );
    check_counts(
        "MACHINE M CONSTANTS s, t PROPERTIES s <: 1..10 & card(s) = 2 & t = {x | x : s & x > 8} & t = s END",
        2,
        2,
    );
}

#[test]
fn a_definition_that_reads_itself_is_not_listed() {
    check_counts(
        "MACHINE M CONSTANTS f, U
         PROPERTIES U = 1..16 & f = %(m, x, c).(m : {1, 2} & x <: U & c <: U |
             IF x = {} THEN c ELSE f(m, x - {min(x)}, c \\/ {min(x) * m}) END)
         OPERATIONS r <-- get(m) = PRE m : {1, 2} THEN r := f(m, {1, 3, 5}, {}) END END",
        2,
        4,
    );
}

#[test]
fn long_intervals_are_not_listed() {
    let end = "9".repeat(30);
    for properties in [
        format!("x <: 1..{end} & card(x) >= 2"),
        format!("x : 1..{end} --> 1..{end} & x(1) = 2"),
        format!("x : 1..2 +-> 1..{end} & card(x) > 1"),
        format!("x : iseq(1..{end}) & size(x) = 2"),
    ] {
        let model = model(&format!("MACHINE M CONSTANTS x PROPERTIES {properties} END"));
        let report = explore(&model, EvalConfig::default(), 10);
        let diagnostic = report.errors.first().map(|error| error.diagnostic(&model));
        assert!(diagnostic.is_some_and(|diagnostic| diagnostic.span().is_some()), "{properties}: {report:?}");
    }
}

#[test]
fn an_unbounded_choice_is_an_error_or_a_warning() {
    let model = model("MACHINE M OPERATIONS v <-- q = BEGIN v :: INTEGER END END");
    let report = explore(&model, EvalConfig::prob(), 100);
    assert_eq!((report.transitions, report.errors.len(), report.warnings.is_empty()), (6, 0, false));
    let report = explore(&model, EvalConfig::default(), 100);
    assert_eq!((report.transitions, report.errors.len()), (1, 1));
    assert_eq!(report.errors[0].diagnostic(&model).id, "infinite-set");
}

#[test]
fn of_several_unbounded_unknowns_the_one_with_the_fewest_values_is_first() {
    let counted = |text: &str| {
        let report = explore(&model(text), EvalConfig::prob(), 10_000);
        (report.transitions, report.errors.len(), report.warnings.is_empty())
    };
    let with_n_last = counted("MACHINE M CONSTANTS f, n PROPERTIES f : 1..n --> INTEGER END");
    assert_eq!(with_n_last, counted("MACHINE M CONSTANTS n, f PROPERTIES f : 1..n --> INTEGER END"));
    assert_eq!(with_n_last, (314, 0, false));
}

#[test]
fn runaway_evaluation_ends() {
    let text = over_x("go = x := card({y | y : POW(1..40) & SIGMA(i).(i : y | i) = -1})");
    let config = EvalConfig { fuel: 200_000, hard: u64::MAX, ..EvalConfig::prob() };
    let model = model(&text);
    let report = explore(&model, config, 100);
    assert!(!report.errors.is_empty());
    let text = "MACHINE M CONSTANTS f PROPERTIES f : INTEGER +-> INTEGER & f = %x.(x : INTEGER | f(x + 1))
        OPERATIONS r <-- go = r := f(1) END";
    assert_eq!(counts(text).2, ["too-deep"]);
}

#[test]
fn evaluations_end_when_asked_to_but_not_while_a_search_winds_up() {
    let model = model("MACHINE M INVARIANT SIGMA(x).(x : 1..100000 | x mod 2) = 50000 END");
    let stop = StopFlag::default();
    stop.raise();
    let interp = judge(&model, EvalConfig::default()).stopped_by(stop);
    let invariant = || interp.session().pred(model.invariant[0].pred, &Env::empty());
    assert!(invariant().is_err_and(|error| error.diagnostic(&model).id == "stopped"));
    interp.wind_up();
    assert!(matches!(invariant(), Ok(true)));
}

#[test]
fn two_strings_stand_for_a_parameter_but_not_for_a_quantifier() {
    let machine = |guard: &str| {
        format!(
            "MACHINE M VARIABLES x INVARIANT x : BOOL INITIALISATION x := TRUE
             OPERATIONS go(s, t) = PRE s : STRING & t <: STRING & {guard} THEN skip END END"
        )
    };
    check_counts(&machine("1 = 1"), 1, 9);
    check_counts(&machine("s = \"a\" & t = {s}"), 1, 2);
    assert_eq!(
        counts(&machine("!(u, v).(u : STRING & v : STRING & u /= v => {u} /= {v})")),
        (1, 1, vec!["unbounded-value"])
    );
}

#[test]
fn an_output_without_a_value_is_in_its_type() {
    check_counts(
        "MACHINE M VARIABLES s INVARIANT s <: 1..3 INITIALISATION s := 1..3
         OPERATIONS r <-- empty = WHILE s /= {} DO r := min(s); s := s - {r} INVARIANT r : INTEGER VARIANT card(s) END END",
        2,
        3,
    );
}

#[test]
fn a_bijection_with_a_product_sizes_a_deferred_set() {
    let with = |property: &str| format!("MACHINE M SETS R; C = {{c1, c2}} CONSTANTS f PROPERTIES {property} END");
    check_counts(&with("f : BOOL * C >->> R"), 48, 48);
    check_counts(&with("f : R >->> BOOL * (5..5)"), 4, 4);
    check_counts(&with("f : BOOL * C >->> R & card(R) = 3"), 0, 0);
    check_counts(&with("f : 1..3 >->> R"), 0, 0);
}

/// A search without a good plan is left to the solver.
#[test]
fn very_many_candidates_are_not_tried() {
    let sets = "go(n, s) = PRE n : 0..999 & s : POW(0..999) & card(s) = 1 & n : s & n < 3 THEN x := n END";
    check_counts(&over_x(sets), 3, 10);
    let pairs = "go(s) = PRE s <: 0..999 & card(s) <= 2 & {4, 7} <: s THEN x := card(s) END";
    check_counts(&over_x(pairs), 2, 3);
    let boxes = "go(m, n) = PRE m : 0..9999 & n : 0..9999 & (m < 50 or n = 7) & (n > 9990 or m = 3) &
        (m /= 3 or n = 2) & (n /= 9995 or m : 1..2) & (m : 2..3 or n < 0) THEN x := m END";
    check_counts(&over_x(boxes), 3, 1 + 3 * 10);
}

#[test]
fn local_operations_do_what_operations_say() {
    // The specification allows six values, the realisation gives one; neither is a step of its own.
    let machine = |bound: u32| {
        over_x(&format!(
            "step = VAR t IN t <-- next(x); put(t) END;
             r <-- next(n) = IF n < 5 THEN r := n + 1 ELSE r := 5 END;
             put(m) = x := m
             LOCAL_OPERATIONS
             r <-- next(n) = PRE n : 0..5 THEN r :: 0..5 END;
             put(k) = PRE k : 0..{bound} THEN x :: 0..5 END"
        ))
    };
    check_counts(&machine(5), 6, 7);
    // The caller is responsible for the precondition of the specification.
    assert_eq!(counts(&machine(3)), (4, 4, vec!["precondition-violated"]));
    // Without a realisation the specification is executed.
    check_counts(&over_x("go = put LOCAL_OPERATIONS put = x :: 1..2"), 3, 7);
}

#[test]
fn calls_without_end_are_too_deep() {
    let text = over_x("go = again(0) LOCAL_OPERATIONS again(n) = PRE n : INTEGER THEN again(n + 1) END");
    assert_eq!(counts(&text), (1, 1, vec!["too-deep"]));
}

#[test]
fn parallel_choices_with_more_outcomes_than_are_kept() {
    let machine = |first: &str, second: &str| {
        format!(
            "MACHINE M VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER INITIALISATION x := 0 || y := 0
             OPERATIONS go = PRE x = 0 THEN x :: {first} || y :: {second} END END"
        )
    };
    let n_states = |text: &str| {
        let report = explore(&model(text), EvalConfig::default(), 100_000);
        (report.states, report.errors.len())
    };
    assert_eq!(n_states(&machine("1..20000", "1..2")), (40_001, 0));
    assert_eq!(n_states(&machine("1..2", "1..20000")), (40_001, 0));
    assert_eq!(n_states(&machine("1..20000", "{k | k : 1..2 & k > 2}")), (1, 0));
    // A failure is reported once, however many choices there are beside it.
    assert_eq!(n_states(&machine("1..20000", "{1 / x}")), (1, 1));
    assert_eq!(n_states(&machine("{1 / x}", "1..20000")), (1, 1));
}

/// Many independent constant functions, and three sets with the properties `said`.
fn many_constants(n_independent: usize, said: &str) -> String {
    let names: Vec<String> = (0..n_independent).map(|n| format!("f{n}")).collect();
    let typing: Vec<String> = names.iter().map(|name| format!("{name} : 0..1 --> 0..7")).collect();
    format!(
        "MACHINE M SETS P CONSTANTS {}, a, b, c
         PROPERTIES card(P) = 2 & {} & a : POW(P) & b : POW(P) & c : POW(P) & {said} END",
        names.join(", "),
        typing.join(" & ")
    )
}

/// A contradiction among a few constants is found whatever values the others might have.
#[test]
fn a_contradiction_is_found_among_many_constants() {
    let disjoint = "a /\\ b = {} & b /\\ c = {} & a /\\ c = {}";
    check_counts(&many_constants(20, &format!("{disjoint} & a /= {{}} & b /= {{}} & c /= {{}}")), 0, 0);
    let fixed: Vec<String> = (0..20).map(|n| format!("f{n} = {{0 |-> 1, 1 |-> 2}}")).collect();
    let with_solutions = format!("{disjoint} & a /= {{}} & b /= {{}} & {}", fixed.join(" & "));
    check_counts(&many_constants(20, &with_solutions), 4, 4);
    // Two ways to be disjoint with two elements, for each value at one point.
    let rest: Vec<String> = (0..20).map(|n| format!("ran(f{n}) <: 3..{}", if n == 0 { 4 } else { 3 })).collect();
    check_counts(&many_constants(20, &format!("{disjoint} & a /= {{}} & b /= {{}} & {}", rest.join(" & "))), 16, 16);
}
