//! `abridge animate`, driven through a pipe.

mod common;

use common::{Folder, abridge_with};

#[test]
fn steps_forth_and_back() {
    let run = abridge_with(&["animate", "models/airlock.mch"], "1\n2\nb\nrequest(inner)\nr\nq\n");
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(
        run.stdout.starts_with("airlock: not started\n\n  1  INITIALISATION  granted = {}, is_open = {}\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("after 2: request(outer)\n* granted = {outer}\n  is_open = {}\n"), "{}", run.stdout);
    assert!(run.stdout.contains("after 2: request(inner)\n"), "{}", run.stdout);
    assert!(!run.stdout.contains('\x1b'), "no colours in a pipe");
    assert!(!run.stdout.contains("> "), "no prompt in a pipe");
}

#[test]
fn finds_a_state_and_tells_what_is_wrong_there() {
    let run = abridge_with(
        &["animate", "models/airlock.mch"],
        "find card(is_open) = 2\ninv\nvars\neval card(is_open)\neval d : is_open\ntrace\n",
    );
    assert_eq!(run.status, 0, "{}", run.stdout);
    for expected in [
        "found after 5 more steps\n",
        "  invariant violated: card(is_open) <= 1\n    card(is_open) is 2\n",
        "  FALSE  card(is_open) <= 1\n           card(is_open) is 2\n",
        "  is_open = {inner,outer}\n",
        "2 : INTEGER\n",
        "d = inner\nd = outer\n2 solutions\n",
        "    5  open_door(outer)  granted = {}, is_open = {inner,outer}\n",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
}

#[test]
fn mistakes_are_answered_and_counted() {
    let script = "7\njump\nevil card(waiting)\nexec entr\neval\neval 1 +\nfind nonsense\nfind 1 = 2\nb\nload nowhere.prob2trace\nsave /nowhere/t.prob2trace\neval waiting\n";
    let run = abridge_with(&["animate", "models/mutex.mch"], script);
    assert_eq!(run.status, 1);
    for expected in [
        "no step 7: steps are numbered from 1 to 1\n",
        "`jump` is neither a command nor a step",
        "`evil card(waiting)` is neither a command nor a step; type `help` for a list of commands; `eval` is similar\n",
        "no operation `entr`; `enter` is similar\n",
        "`eval` needs a formula",
        "error[missing-operand]",
        "error[unknown-identifier]: `nonsense` is not declared",
        "no reachable state satisfies the predicate",
        "no step to undo",
        "cannot read the trace `nowhere.prob2trace`: no such file or folder\n",
        "cannot write `/nowhere/t.prob2trace`",
        "constants or variables without values",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
}

/// What is false in a state is explained as `check` explains it, and a formula with wrong types is told as such.
#[test]
fn reasons_and_wrong_types_are_told() {
    let folder = Folder::new("animate-reasons");
    let text = "MACHINE M SETS S = {a, b} CONSTANTS c PROPERTIES c = 3 VARIABLES f INVARIANT f : S --> 0..c INITIALISATION f := {a |-> 1}
                OPERATIONS add(n) = PRE n : 5..6 THEN f(b) := n END END";
    let file = folder.file("M.mch", text);
    let run = abridge_with(&["animate", &file], "add(5)\ninit\nadd(5)\ninv\nf : seq(S)\n");
    assert_eq!(run.status, 1);
    for expected in [
        "the machine is not initialised: SETUP_CONSTANTS and INITIALISATION are missing; `init` takes the first steps\n",
        "  invariant violated: f : S --> 0..c\n    f is {(a|->1)}\n",
        "    b has no image, but is in `S`\n",
        "after 2: add(5)\n",
        "  FALSE  f : S --> 0..c\n           f is {(a|->1),(b|->5)}\n",
        "           5 is not in `0..c`\n",
        "error[type-mismatch]",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
}

#[test]
fn constants_are_set_up_first() {
    let folder = Folder::new("animate-constants");
    let text = "MACHINE M CONSTANTS c PROPERTIES c : 1..2 VARIABLES v INVARIANT v : 0..9 INITIALISATION v := c
                OPERATIONS r <-- up(k) = PRE k : 1..c & v + k < 10 THEN v := v + k || r := v END END";
    let file = folder.file("M.mch", text);
    let run = abridge_with(&["animate", &file], "INITIALISATION\nSETUP_CONSTANTS\nup(1)\nINITIALISATION\nup(1)\n");
    let missing: Vec<&str> = run.stdout.lines().filter(|line| line.contains("missing")).collect();
    let missing_is =
        |what: &str| format!("the machine is not initialised: {what} missing; `init` takes the first steps");
    assert_eq!(missing, [missing_is("SETUP_CONSTANTS and INITIALISATION are"), missing_is("INITIALISATION is")]);
    assert!(run.stdout.contains("after 2: up(1) --> "), "{}", run.stdout);
    let run = abridge_with(&["animate", &file], "2\neval c\n1\nup(2)\nvars\n");
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(run.stdout.contains("  1  SETUP_CONSTANTS  c = 1\n  2  SETUP_CONSTANTS  c = 2\n"), "{}", run.stdout);
    assert!(run.stdout.contains("2 : INTEGER\n"), "{}", run.stdout);
    assert!(run.stdout.contains("after 0: SETUP_CONSTANTS (not initialised)\n* c = 2\n"), "{}", run.stdout);
    assert!(run.stdout.contains("after 2: up(2) --> 2\n* v = 4\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("  c = 2\n  v = 4\n"), "{}", run.stdout);
}

/// Variables, parameters and results that are declared as sequences are shown as such wherever a state is shown.
#[test]
fn declared_sequences_are_written_in_brackets() {
    let folder = Folder::new("animate-sequences");
    let text = "MACHINE M SETS S = {a, b} CONSTANTS Words PROPERTIES Words = iseq(S)
                VARIABLES log, word, of, f INVARIANT log : seq(S) & word : Words & of : S +-> seq(S) & f : 1..1 +-> S & size(log) < 2
                INITIALISATION log := [] || word := [] || of := {} || f := {}
                OPERATIONS
                  r <-- add(w) = PRE w : Words & size(w) = 1 & size(log) < 2
                                 THEN log := log ^ w || word := w || of(a) := w || f := w || r := log ^ w END END";
    let file = folder.file("M.mch", text);
    let run = abridge_with(&["animate", &file, "--do", "init", "--do", "add([b])"], "");
    let first = "after 2: add([b]) --> [b]\n* log  = [b]\n* word = [b]\n* of   = {(a|->[b])}\n* f    = {(1|->b)}\n";
    for expected in ["* log  = []\n* word = []\n* of   = {}\n* f    = {}\n", first] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
    let run = abridge_with(&["check", &file, "--symmetry", "off", "--json"], "").json();
    let state = &run["violation"]["trace"][2]["state"];
    assert_eq!((state["log"].as_str(), state["f"].as_str()), (Some("[a]"), Some("{(1|->a)}")), "{run}");
    let dot = abridge_with(&["graph", &file, "--project", "log"], "").stdout;
    assert!(dot.contains("log = [a]"), "{dot}");
}

#[test]
fn saves_and_loads() {
    let folder = Folder::new("animate-trace");
    let trace = folder.path("story.prob2trace");
    let run = abridge_with(
        &["animate", "models/airlock.mch"],
        &format!("find card(is_open) = 2\nsave {trace}\nr\nload {trace}\n"),
    );
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(run.stdout.contains("saved 5 steps"), "{}", run.stdout);
    assert_eq!(run.stdout.matches("after 5: open_door(outer)").count(), 2, "{}", run.stdout);
    let run = abridge_with(&["animate", "models/airlock.mch", "--load", &trace], "");
    assert!(run.stdout.starts_with("after 5: open_door(outer)\n"), "{}", run.stdout);
}

#[test]
fn answers_for_programs() {
    let run = abridge_with(
        &["animate", "models/airlock.mch", "--json"],
        "1\nfind card(is_open) = 2\neval card(is_open)\nfoo\n",
    );
    let lines = run.json_lines();
    assert_eq!(lines.len(), 5);
    assert_eq!((&lines[0]["place"], &lines[0]["choices"][0]["name"]), (&"start".into(), &"INITIALISATION".into()));
    assert_eq!(lines[1]["choices"][0]["params"]["dd"], "inner");
    assert_eq!((&lines[2]["depth"], &lines[2]["violated"][0]), (&5.into(), &"card(is_open) <= 1".into()));
    assert_eq!((&lines[3]["kind"], &lines[3]["value"]), (&"value".into(), &"2".into()));
    assert_eq!((&lines[4]["ok"], &lines[4]["command"]), (&false.into(), &"foo".into()));
}

#[test]
fn a_wrong_machine_is_refused() {
    let folder = Folder::new("animate-wrong");
    let file = folder.file("M.mch", "MACHINE M VARIABLES v INITIALISATION v := 1 + TRUE END");
    assert_eq!(abridge_with(&["animate", &file], "1\n").status, 150);
}

/// A machine whose parameters nothing bounds.
const COUNTER: &str = "MACHINE M VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0
    OPERATIONS set(n, s) = PRE n : NATURAL & s <: NATURAL & n > x THEN x := n END; r <-- get = BEGIN r := x END;
      pick = ANY y WHERE y : 1..3 THEN x := y END; low(k) = PRE k : 1..100 & k < x THEN x := k END END";

#[test]
fn steps_are_typed_whether_they_are_listed_or_not() {
    let folder = Folder::new("animate-typed");
    let file = folder.file("M.mch", COUNTER);
    let lines = "1\nset(x + 7, {1,2})\nget\nset(1, {})\nset(1)\npick\nset(50, {})\nlow(30)\nnothing(1)\ntrace\n";
    let run = abridge_with(&["animate", &file], lines);
    for expected in [
        "after 2: set(7,{1,2})\n* x = 7\n",
        "after 3: get --> 7\n",
        "the step is not possible here: `n > x` is false\n",
        "`set` has 2 parameters, not 1",
        "after 4: pick\n* x = 1\n",
        "after 6: low(30)\n",
        "`nothing(1)` is neither a command nor a step",
        "    6  low(30)",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
}

#[test]
fn steps_are_described_by_predicates() {
    let folder = Folder::new("animate-exec");
    let file = folder.file("M.mch", COUNTER);
    let lines = "1\nexec set n = 2 * 20 + x & s = {n}\nexec low k mod 7 = 0 & k > 20\nexec low k > 90\nexec get r = 28\nexec low z = 1\nexec get r = 1\n";
    let run = abridge_with(&["animate", &file], lines);
    for expected in [
        "after 2: set(40,{40})\n",
        "after 3: low(21)\n",
        "no step of `low` satisfies the predicate here\n",
        "`low` has no parameter or result `z`\n",
        "no step of `get` satisfies the predicate here\n",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
}

#[test]
fn random_walks_are_repeatable() {
    let walk = |seed: &str| abridge_with(&["animate", "models/lift.mch"], &format!("walk 200 {seed}\ntrace\n")).stdout;
    let first = walk("7");
    assert!(first.contains("200 random steps taken (seed 7)\n"), "{first}");
    assert!(first.contains("\n  200  "), "{first}");
    assert!(first == walk("7") && first != walk("8"));
}

#[test]
fn what_was_undone_is_kept_in_a_tree() {
    let lines = "1\nrequest(inner)\nb\nrequest(outer)\nb 2\nredo\nredo\ntree\ngoto 2\ntrace\ngoto 9\n";
    let run = abridge_with(&["animate", "models/airlock.mch"], lines);
    let tree = "   1  INITIALISATION\n   2  - request(inner)\n*  3  - request(outer)\n";
    assert!(run.stdout.contains(tree), "{}", run.stdout);
    assert!(run.stdout.contains("    2  request(inner)  granted = {inner}\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("`goto` needs a number from 1 to 3; `tree` prints them\n"), "{}", run.stdout);
}

/// What looks like a formula is refused as one; a mistyped step or command is not.
#[test]
fn mistakes_in_formulas_are_told() {
    let run = abridge_with(
        &["animate", "models/airlock.mch"],
        "1\ncard(granted) +\ncard(granned)\nrequst(inner)\nfin\nis_open = 3\n",
    );
    let told = [
        "error[missing-operand]: the right side of `+` is missing\n",
        "error[unknown-identifier]: `granned` is not declared\n",
        "`requst(inner)` is neither a command nor a step; type `help` for a list of commands; `request` is similar\n",
        "`fin` is neither a command nor a step; type `help` for a list of commands; `find` is similar\n",
        "error[type-mismatch]: ",
    ];
    let mut rest = run.stdout.as_str();
    for text in told {
        let at = rest.find(text).unwrap_or_else(|| panic!("{text}\n{}", run.stdout));
        rest = &rest[at + text.len()..];
    }
}

#[test]
fn walks_that_part_are_told_apart_in_the_tree() {
    let folder = Folder::new("animate-tree");
    let file = folder.file(
        "M.mch",
        "MACHINE M CONSTANTS c PROPERTIES c : 5..6 VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0
         OPERATIONS a = x := 1; b = x := 2; c1 = x := c END",
    );
    let run = abridge_with(&["animate", &file], "1\n1\na\na\nb 2\nb\nb 3\n2\ntree\n");
    let tree = "   1  - SETUP_CONSTANTS  c = 5\n   2    INITIALISATION\n   3    a\n   4    a\n*  5  - SETUP_CONSTANTS  c = 6\n";
    assert!(run.stdout.ends_with(tree), "{}", run.stdout);
}

#[test]
fn a_formula_without_unknown_names_is_evaluated() {
    let run = abridge_with(&["animate", "models/airlock.mch"], "1\nDOOR - is_open\ncard(granted) = 0\nx > 3\n12\n");
    assert!(run.stdout.contains("{inner,outer} : POW(DOOR)\nTRUE\n"), "{}", run.stdout);
    let unknown = "`x > 3` is neither a command nor a step; type `help` for a list of commands; `eval x > 3` looks for values of `x`";
    assert!(run.stdout.contains(unknown), "{}", run.stdout);
    assert!(run.stdout.contains("no step 12: steps are numbered from 1 to 2\n"), "{}", run.stdout);
    assert_eq!(run.status, 1);
}
