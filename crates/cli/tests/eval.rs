//! `abridge eval`: values, truth, solutions, and formulas that are wrong.

mod common;

use common::{Folder, abridge};

fn eval(args: &[&str]) -> (i32, String) {
    let run = abridge(&[&["eval"], args].concat());
    (run.status, run.stdout + &run.stderr)
}

#[test]
fn expressions_have_values_and_types() {
    assert_eq!(eval(&["SIGMA(x).(x:1..10|x*x)"]), (0, "385 : INTEGER\n".to_owned()));
    assert_eq!(eval(&["{1,2} \\/ {3}"]), (0, "{1,2,3} : POW(INTEGER)\n".to_owned()));
    assert_eq!(eval(&["2**100"]), (0, "1267650600228229401496703205376 : INTEGER\n".to_owned()));
    assert_eq!(eval(&["STRING_LENGTH(\"abc\")"]), (0, "3 : INTEGER\n".to_owned()));
    assert_eq!(eval(&["--", "-7 / 2"]), (0, "-3 : INTEGER\n".to_owned()));
    assert_eq!(eval(&["-7 / 2"]), (0, "-3 : INTEGER\n".to_owned()));
    assert_eq!(eval(&["-(1 + 2)", "--limit", "3"]), (0, "-3 : INTEGER\n".to_owned()));
    assert_eq!(eval(&["-p", "MININT", "-5", "MININT"]), (0, "-5 : INTEGER\n".to_owned()));
    assert_eq!(eval(&["-p", "MAXINT", "5", "MAXINT"]), (0, "5 : INTEGER\n".to_owned()));
    assert_eq!(
        eval(&["{x|x:NATURAL & x mod 2 = 0}"]),
        (0, "{x | x : NATURAL & x mod 2 = 0} : POW(INTEGER)\n".to_owned())
    );
}

/// What operators and typing conjuncts make a sequence is written as one, also if it has one item or none; other relations are sets of pairs.
#[test]
fn sequences_are_written_in_brackets() {
    for (formula, text) in [
        ("[7]", "[7]"),
        ("tail([7])", "[]"),
        ("{1|->7}", "{(1|->7)}"),
        ("[[7]]", "[[7]]"),
        ("first([[7]])", "[7]"),
        ("[1,2] /|\\ 1", "[1]"),
        ("ran([[7],[7,8]])", "{[7],[7,8]}"),
        ("1..1 --> {[7]}", "{{(1|->[7])}}"),
        ("{x | x : seq(1..1) & size(x) = 1}", "{[1]}"),
        ("%x.(x : 1..1 | [x])", "{(1|->[1])}"),
        ("rec(a:[7],b:{1|->7})", "rec(a:[7],b:{(1|->7)})"),
        ("[7] <+ {2|->3}", "[7,3]"),
        ("[7] <+ {3|->3}", "{(1|->7),(3|->3)}"),
    ] {
        let (status, found) = eval(&["--", formula]);
        assert_eq!((status, found.split(" : ").next()), (0, Some(text)), "{formula}: {found}");
    }
    assert_eq!(eval(&["s : iseq(0..0)"]), (0, "s = []\ns = [0]\n2 solutions\n".to_owned()));
}

#[test]
fn predicates_are_true_or_false() {
    assert_eq!(eval(&["!x.(x:1..5 => x*x < 30)"]), (0, "TRUE\n".to_owned()));
    assert_eq!(eval(&["#x.(x:1..5 & x*x = 17)"]), (1, "FALSE\n".to_owned()));
}

#[test]
fn free_identifiers_have_solutions() {
    assert_eq!(eval(&["x:1..5 & x*x>10"]), (0, "x = 4\nx = 5\n2 solutions\n".to_owned()));
    assert_eq!(eval(&["x:1..5 & y = x*x & y > 20"]), (0, "x = 5, y = 25\n1 solution\n".to_owned()));
    assert_eq!(eval(&["x:1..5 & x > 9"]), (1, "no solution\n".to_owned()));
    let (status, text) = eval(&["x:1..100", "--limit", "2"]);
    assert_eq!((status, text.as_str()), (0, "x = 1\nx = 2\nfirst 2 solutions; more exist (raise --limit)\n"));
}

#[test]
fn a_machine_lends_its_names() {
    assert_eq!(eval(&["models/lift.mch", "LEVELS - calls"]), (0, "{0,1,2} : POW(INTEGER)\n".to_owned()));
    assert_eq!(
        eval(&["models/mutex.mch", "PROC2 : PROC & x : PROC - waiting"]).1,
        "x = PROC1\nx = PROC2\n2 solutions\n"
    );
    assert_eq!(eval(&["models/mutex.mch", "waiting", "--state", "2"]).1, "{PROC1} : POW(PROC)\n");
    let (status, text) = eval(&["models/mutex.mch", "waiting", "--state", "1000000"]);
    assert_eq!((status, text.contains("no state 1000000")), (2, true));
}

#[test]
fn constants_come_from_the_first_set_up() {
    let folder = Folder::new("eval-constants");
    let file =
        folder.file("M.mch", "MACHINE M CONSTANTS c PROPERTIES c : 4..6 DEFINITIONS twice(x) == 2*x; big == c > 3 END");
    assert_eq!(eval(&[&file, "twice(c)"]), (0, "8 : INTEGER\n".to_owned()));
    assert_eq!(eval(&[&file, "big"]), (0, "TRUE\n".to_owned()));
    assert_eq!(eval(&[&file, "twice(5)"]), (0, "10 : INTEGER\n".to_owned()));
    let file = folder.file("N.mch", "MACHINE N CONSTANTS c PROPERTIES c : 4..6 & c > 7 END");
    assert_eq!(eval(&[&file, "1 + 1"]).0, 0);
    assert_eq!(eval(&[&file, "c"]).0, 20);
}

#[test]
fn what_is_wrong_is_shown_in_the_formula() {
    for (formula, id, status) in [
        ("1 +", "missing-operand", 150),
        ("1 + TRUE", "type-mismatch", 150),
        ("x + 1", "unknown-identifier", 150),
        ("x = y", "unknown-type", 150),
        ("1 / 0", "division-by-zero", 75),
        ("max({})", "of-empty-set", 75),
        ("x > 3", "unbounded-value", 20),
        ("card(NATURAL)", "infinite-set", 20),
    ] {
        let (found, text) = eval(&[formula]);
        assert_eq!(
            (found, text.contains(&format!("error[{id}]")), text.contains("--> <formula>:1:")),
            (status, true, true),
            "{formula}: {text}"
        );
    }
    assert_eq!(eval(&["models/lift.mch"]).0, 2);
    assert_eq!(eval(&["models/nowhere.mch", "1 + 1"]).0, 150);
    assert_eq!(eval(&["models/mutex.mch", "PROC9"]).0, 150);
}

#[test]
fn answers_for_programs() {
    let json = |formula: &str| abridge(&["eval", "--json", formula]).json();
    assert_eq!(
        (&json("1+1")["kind"], &json("1+1")["value"], &json("1+1")["type"]),
        (&"value".into(), &"2".into(), &"INTEGER".into())
    );
    assert_eq!(json("1=2")["value"], false);
    let solutions = json("x:1..2");
    assert_eq!((&solutions["solutions"][1]["x"], &solutions["complete"]), (&"2".into(), &true.into()));
    assert_eq!(solutions["identifiers"][0]["type"], "INTEGER");
    assert_eq!(json("1/0")["diagnostics"][0]["id"], "division-by-zero");
    assert_eq!(json("1+")["kind"], "error");
}

#[test]
fn a_failed_application_names_the_function() {
    let folder = Folder::new("eval-application");
    let file = folder.file(
        "M.mch",
        "MACHINE M VARIABLES ff, xx INVARIANT ff : 1..3 +-> NAT & xx : NAT INITIALISATION ff := {1|->0} || xx := 1
         OPERATIONS far = xx := ff(xx + 1) END",
    );
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 75, "{}", run.stdout);
    for expected in [
        "error[outside-domain]: `ff` is applied to `2`, which is not in its domain\n",
        "`ff` is {(1|->0)}\n",
        "this is 2\n",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
    let file = folder.file(
        "R.mch",
        "MACHINE R VARIABLES rr INVARIANT rr : 1..3 <-> 1..3 INITIALISATION rr := {1|->2} OPERATIONS far = rr := rr <+ {2|->rr~(3)} END",
    );
    let run = abridge(&["check", &file]);
    assert!(run.stdout.contains("`rr~` is applied to `3`, which is not in its domain\n"), "{}", run.stdout);
    assert!(run.stdout.contains("`rr~` is {(2|->1)}\n"), "{}", run.stdout);
    let run = abridge(&["eval", "{1|->0}(3)"]);
    assert!((run.stdout + &run.stderr).contains("`{(1|->0)}` is applied to `3`, which is not in its domain"));
}
