//! `abridge repl` with input from a pipe.

mod common;

use common::{Folder, abridge_with};

/// The answers to some lines.
fn answers(args: &[&str], lines: &str) -> String {
    let args: Vec<&str> = ["repl"].iter().chain(args).copied().collect();
    abridge_with(&args, lines).stdout
}

#[test]
fn formulas_are_answered_line_by_line() {
    let text = answers(&[], "1 + 1\n{1,2} \\/ {3}\nx:1..5 & x*x > 10\n2 > 3\n\\forall x.(x \\in 1..3 => x \\leq 3)\n");
    assert_eq!(text, "2 : INTEGER\n{1,2,3} : POW(INTEGER)\nx = 4\nx = 5\n2 solutions\nFALSE\nTRUE\n");
}

#[test]
fn names_stand_for_expressions() {
    let text =
        answers(&[], ":let n = 20\n:let m = n + 1\nm * 2\nm = y & y : 0..30\n:let\n:let n = 1\nm\n:let m\n:type m\n");
    let expected = "20 : INTEGER\n21 : INTEGER\n42 : INTEGER\ny = 21\n1 solution\nn = 20\nm = n + 1\n1 : INTEGER\n";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(
        answers(&[], ":let n 20\n:let b bool(n=20)\n:let n\n:let\n"),
        "20 : INTEGER\nTRUE : BOOL\nb = bool(n=20)\n"
    );
    let run = abridge_with(&["repl"], ":let n = n + 1\n:let p = 1 > 2\n:nothing\n1 +\n");
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("`n` cannot be defined by itself"), "{}", run.stdout);
    assert!(run.stdout.contains("`:let` names expressions"), "{}", run.stdout);
    assert!(run.stdout.contains("no command `:nothing`"), "{}", run.stdout);
}

/// Messages show what was typed, not what names stand for.
#[test]
fn messages_quote_the_line() {
    let run = abridge_with(&["repl"], ":let f = {1|->2}\n:let g = f\ng(3)\ng(3\n");
    let message = "  --> <formula>:1:1\n1 | g(3)\n  | ^^^^\n";
    assert!(run.stdout.contains(message), "{}", run.stdout);
    assert!(run.stdout.contains("1 | g(3\n"), "{}", run.stdout);
    assert!(!run.stdout.contains("LET"), "{}", run.stdout);
}

#[test]
fn what_is_false_has_a_reason() {
    let text = answers(
        &[],
        ":let f = {1|->2}\nf : {2} --> {2}\n3 : dom({1|->2})\n{1|->2,1|->3} : 1..2 +-> 1..9\n!x.(x : 1..3 => x < 3)\n",
    );
    let reasons = "{(1|->2)} : POW(INTEGER*INTEGER)\nFALSE\n  f is {(1|->2)}\n  1 is not in `{2}`\nFALSE\n  dom({1|->2}) is {1}\n  3 is not in `dom({1|->2})`\nFALSE\n  1 has two images, 2 and 3\nFALSE\n  x is 3\n";
    assert_eq!(text, reasons);
}

#[test]
fn types_and_tables() {
    let text = answers(
        &[],
        ":type {1|->TRUE}\n:type x > y & x : {z | z : STRING}\n:table {1|->TRUE|->\"a\", 20|->FALSE|->\"b\"}\n",
    );
    assert!(text.starts_with("POW(INTEGER*BOOL)\n"), "{text}");
    assert!(text.ends_with("1   TRUE   \"a\"\n20  FALSE  \"b\"\n2 rows\n"), "{text}");
    assert_eq!(answers(&[], ":t x > 3 & y = {x}\n"), "predicate\nx : INTEGER\ny : POW(INTEGER)\n");
}

#[test]
fn a_machine_gives_its_names() {
    let folder = Folder::new("repl-machine");
    let file = folder.file(
        "M.mch",
        "MACHINE M SETS S = {aa, bb} CONSTANTS k PROPERTIES k = 3 VARIABLES x INVARIANT x : 0..k INITIALISATION x := 2
         OPERATIONS r <-- up(n) = PRE n : 1..2 & x + n <= k THEN x := x + n || r := x END END",
    );
    let text = answers(&[&file], "x + k\n:b\n:reload\n");
    assert!(text.starts_with("5 : INTEGER\n"), "{text}");
    assert!(text.contains("set        S   enumerated, 2 elements\n"), "{text}");
    assert!(text.contains("operation  up  (n : INTEGER) --> r : INTEGER\n"), "{text}");
    assert!(text.ends_with("loaded M\n"), "{text}");
    let lines = abridge_with(&["repl", &file, "--json"], "x\n:type x\n").json_lines();
    assert_eq!((&lines[1]["value"], &lines[2]["type"]), (&"2".into(), &"INTEGER".into()));
}
