//! The lines of `docs/limits.md` that no other test shows.
//!
//! A test that fails here means that a limit is gone or has moved: correct the page with it.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Folder, abridge, abridge_with, counter};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The texts of all integration tests.
fn test_sources() -> String {
    let mut sources = String::new();
    for entry in fs::read_dir(root().join("crates")).expect("the crates") {
        let tests = entry.expect("a crate").path().join("tests");
        for file in fs::read_dir(tests).into_iter().flatten() {
            let file = file.expect("a file").path();
            if file.is_file() {
                sources += &fs::read_to_string(file).expect("a test is readable");
            }
        }
    }
    sources
}

#[test]
fn every_test_that_the_page_names_exists() {
    let page = fs::read_to_string(root().join("docs/limits.md")).expect("the page");
    let sources = test_sources();
    let mut n_names = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cell = row.trim_end_matches(" |").rsplit(" | ").next().expect("a row has cells");
        for name in cell.split('`').skip(1).step_by(2).filter(|name| name.contains('_') && !name.ends_with(".rs")) {
            assert!(sources.contains(&format!("fn {name}()")), "no test `{name}`");
            n_names += 1;
        }
    }
    assert!(n_names >= 20, "only {n_names} tests are named");
}

#[test]
fn temporal_formulas_need_the_whole_state_space() {
    let folder = Folder::new("limits-temporal");
    let file = folder.file("counter.mch", &counter("n : 0..3", "up = PRE n < 3 THEN n := n + 1 END; stay = skip"));
    let run = abridge(&["check", &file, "--max-states", "2", "--ltl", "G {n <= 3}", "--ctl", "AG {n <= 3}", "--json"]);
    let json = run.json();
    assert_eq!((run.status, &json["verdict"]), (20, &"incomplete".into()), "{json}");
    for formula in json["temporal"].as_array().expect("a list") {
        assert_eq!(formula["verdict"], "incomplete");
        assert_eq!(formula["message"], "stopped after 2 states");
    }
}

#[test]
fn a_survey_leaves_temporal_formulas_of_the_machine_out() {
    let json = abridge(&["check", "models/Requests.mch", "--survey", "--json"]).json();
    assert_eq!((&json["verdict"], &json["temporal"]), (&"holds".into(), &serde_json::json!([])), "{json}");
}

#[test]
fn a_gluing_invariant_is_not_checked() {
    let folder = Folder::new("limits-gluing");
    folder.file("A.mch", "MACHINE A VARIABLES xx INVARIANT xx : 0..9 INITIALISATION xx := 0 OPERATIONS go = skip END");
    let refinement = "REFINEMENT R REFINES A VARIABLES yy INVARIANT yy : 0..9 & yy = 2 * xx
        INITIALISATION yy := 7 OPERATIONS go = skip END";
    let file = folder.file("R.ref", refinement);
    for (options, verdict) in [(&[][..], "incomplete"), (&["--compat", "prob"], "holds"), (&["--no-gluing"], "holds")] {
        let json = abridge(&[&["check", &file, "--json"], options].concat()).json();
        assert_eq!((&json["verdict"], &json["found"]["invariant"]), (&verdict.into(), &false.into()), "{json}");
    }
    let shown = abridge(&["show", &file, "--model", "--json"]).json();
    let conjuncts = shown["invariant"].as_array().expect("a list").iter();
    let skipped: Vec<&str> = conjuncts
        .filter(|conjunct| conjunct["gluing"] == true)
        .filter_map(|conjunct| conjunct["text"].as_str())
        .collect();
    assert_eq!(skipped, ["xx : 0..9", "yy = 2 * xx"]);
}

#[test]
fn an_ill_defined_search_condition_counts_as_false() {
    let folder = Folder::new("limits-search");
    let operations = "param(p) = PRE p : 0..3 & 6 / p > 2 THEN n := p END;
        any = ANY p WHERE p : 0..3 & 6 / p > 2 THEN n := p END";
    let json = abridge(&["check", &folder.file("counter.mch", &counter("n : 0..3", operations)), "--json"]).json();
    assert_eq!((&json["verdict"], &json["states"]), (&"holds".into(), &3.into()), "{json}");
    assert_eq!(abridge(&["eval", "#x.(x : 0..3 & 6 / x > 2)"]).status, 0);
    assert_eq!(abridge(&["eval", "{x | x : 0..3 & 6 / x > 2}"]).stdout, "{1,2} : POW(INTEGER)\n");
    // It is reported where nothing is searched for.
    assert_eq!(abridge(&["eval", "!x.(x : 0..3 => 6 / x > 1)"]).status, 75);
    let guard = counter("n : 0..3", "half = PRE 6 / n > 2 THEN n := 1 END; stay = skip");
    assert_eq!(abridge(&["check", &folder.file("counter.mch", &guard)]).status, 75);
}

#[test]
fn deferred_sets_have_two_elements() {
    let folder = Folder::new("limits-deferred");
    let file = folder.file("M.mch", "MACHINE M SETS S END");
    assert_eq!(abridge(&["eval", &file, "card(S)"]).stdout, "2 : INTEGER\n");
    assert_eq!(abridge(&["eval", &file, "card(S)", "--set-size", "S=5"]).stdout, "5 : INTEGER\n");
}

#[test]
fn unbounded_strings_are_two_examples() {
    let folder = Folder::new("limits-strings");
    let machine = "MACHINE M VARIABLES x INVARIANT x : STRING INITIALISATION x := \"\"
        OPERATIONS set(s) = PRE s : STRING THEN x := s END END";
    let file = folder.file("M.mch", machine);
    assert_eq!(abridge(&["check", &file]).status, 20);
    let json = abridge(&["check", &file, "--compat", "prob", "--json"]).json();
    assert_eq!((&json["verdict"], &json["states"]), (&"incomplete".into(), &3.into()), "{json}");
    assert_eq!(json["limits"][0], "`s` was enumerated over two strings only");
}

#[test]
fn long_sets_are_not_listed() {
    let run = abridge(&["eval", "card({x | x : 0..3000000 & x mod 2 = 0} \\/ {-1})"]);
    assert_eq!(run.status, 20, "{}", run.stderr);
    assert!(format!("{}{}", run.stdout, run.stderr).contains("error[set-too-large]"), "{}{}", run.stdout, run.stderr);
    assert_eq!(abridge(&["eval", "card(0..3000000)"]).stdout, "3000001 : INTEGER\n");
    assert_eq!(abridge(&["eval", "card({x | x : 0..3000000 & x mod 2 = 0})"]).stdout, "1500001 : INTEGER\n");
}

#[test]
fn deep_recursion_is_a_limit() {
    let folder = Folder::new("limits-recursion");
    let machine = "MACHINE M ABSTRACT_CONSTANTS f
        PROPERTIES f = %n.(n : NATURAL | IF n = 0 THEN 0 ELSE f(n - 1) END)
        VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0
        OPERATIONS up = x := f(20000); stay = skip END";
    let run = abridge(&["check", &folder.file("M.mch", machine)]);
    assert_eq!(run.status, 20, "{}", run.stdout);
    assert!(run.stdout.starts_with("no violation found (up could not be evaluated; "), "{}", run.stdout);
    assert!(run.stdout.contains("error[too-deep]"), "{}", run.stdout);
}

#[test]
fn reals_are_doubles() {
    assert_eq!(abridge(&["eval", "0.1 + 0.2 = 0.3"]).stdout, "FALSE\n  0.1 + 0.2 is 0.30000000000000004\n");
}

/// The orbit of a set with six of 22 elements has 74,613 members, more than flooding stores.
#[test]
fn flooding_leaves_large_orbits_alone() {
    let folder = Folder::new("limits-flood");
    let machine = "MACHINE M SETS S VARIABLES s INVARIANT s <: S INITIALISATION s := {}
        OPERATIONS put(x) = PRE x : S - s & card(s) < 6 THEN s := s \\/ {x} END END";
    let file = folder.file("M.mch", machine);
    let states = |method: &str| {
        let options = ["check", &file, "--set-size", "S=22", "--no-deadlock", "--json", "--symmetry", method];
        let json = abridge(&options).json();
        assert_eq!(json["verdict"], "holds", "{json}");
        json["states"].as_u64().expect("a number")
    };
    assert_eq!((states("auto"), states("canon")), (7, 7));
    // Six representatives, and every successor of the last one.
    assert_eq!(states("flood"), 6 + 17);
}

#[test]
fn deep_traces_are_not_shortest() {
    let folder = Folder::new("limits-deep");
    let operations = "short = PRE n = 0 THEN n := 30 END; break = PRE n : {20, 30} THEN n := 99 END;
        up = PRE n < 20 THEN n := n + 1 END";
    let file = folder.file("counter.mch", &counter("n < 99", operations));
    let steps = |strategy: &str| {
        let json = abridge(&["check", &file, "--strategy", strategy, "--json"]).json();
        json["violation"]["trace"].as_array().expect("a trace").len()
    };
    assert_eq!(steps("bfs"), 3);
    assert_eq!(steps("dfs"), 22);
}

/// Takes minutes.
const LONG: &str = "card({s | s : POW(1..40) & SIGMA(y).(y:s|y) = 400})";

#[test]
fn single_evaluations_keep_the_preferred_time() {
    let run = abridge(&["eval", "-p", "TIME_OUT", "100", LONG]);
    assert_eq!(run.status, 20, "{}{}", run.stdout, run.stderr);
    assert!((run.stdout + &run.stderr).contains("the evaluation takes longer than 100 ms (TIME_OUT)"));
    let folder = Folder::new("limits-time-out");
    let text = format!(
        "MACHINE M DEFINITIONS SET_PREF_TIME_OUT == 100 VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
         OPERATIONS up = SELECT x < 3 THEN x := x + 1 END; down = SELECT x = 3 THEN x := 0 END;
           long = SELECT {LONG} = x THEN x := 0 END END"
    );
    let file = folder.file("M.mch", &text);
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 20, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("long") && run.stdout.contains("(TIME_OUT)"), "{}", run.stdout);
    let run = abridge_with(&["animate", &file], "init\nup\neval x + 1\n");
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(
        run.stdout.contains("long could not be evaluated") && run.stdout.ends_with("2 : INTEGER\n"),
        "{}",
        run.stdout
    );
    // The command line wins, and 0 is no limit.
    assert_eq!(abridge(&["eval", &file, "-p", "TIME_OUT", "0", "card(POW(1..12))"]).stdout, "4096 : INTEGER\n");
    let run = abridge(&["eval", "-p", "TIME_OUT", "soon", "1"]);
    assert_eq!(run.status, 150);
    assert!(run.stderr.contains("preference `TIME_OUT` needs a number of milliseconds, not `soon`"), "{}", run.stderr);
}

#[test]
fn a_literal_function_is_a_conditional() {
    assert_eq!(abridge(&["eval", "{TRUE |-> 1, FALSE |-> 1 / 0}(TRUE)"]).stdout, "1 : INTEGER\n");
    assert_eq!(abridge(&["eval", "{TRUE |-> 1, FALSE |-> 1 / 0}(FALSE)"]).status, 75);
    // Keys that are no literals make it a function like any other.
    assert_eq!(abridge(&["eval", "{1 |-> 1, 1 + 1 |-> 1 / 0}(1)"]).status, 75);
}

#[test]
fn conditions_of_trace_files_are_not_evaluated() {
    let folder = Folder::new("limits-trace");
    let file = folder.file("counter.mch", &counter("n : 0..3", "up = PRE n < 3 THEN n := n + 1 END"));
    let trace = folder.path("up.prob2trace");
    assert_eq!(abridge(&["check", &file, "--save-trace", &trace]).status, 11);
    let text = fs::read_to_string(&trace).expect("the trace");
    let false_everywhere = text.replace("\"preds\": []", "\"preds\": [\"n > 77\"]").replace(
        "\"postconditions\": []",
        "\"postconditions\": [{\"kind\": \"PREDICATE\", \"predicate\": \"n > 88\"}]",
    );
    assert_ne!(text, false_everywhere);
    let run = abridge(&["trace", "replay", &file, &folder.file("false.prob2trace", &false_everywhere)]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn values_of_deferred_sets_give_their_size_only() {
    let folder = Folder::new("limits-values");
    folder.file("V.mch", "MACHINE V SETS S VARIABLES x INVARIANT x : S INITIALISATION x :: S OPERATIONS go = skip END");
    let text = "IMPLEMENTATION V_i REFINES V VALUES S = 1..4 CONCRETE_VARIABLES y INVARIANT y : S
        INITIALISATION y :: S OPERATIONS go = skip END";
    let file = folder.file("V_i.imp", text);
    assert_eq!(abridge(&["eval", &file, "card(S)"]).stdout, "4 : INTEGER\n");
    assert!(abridge(&["eval", &file, "1 : S"]).stderr.contains("VALUES give `S` its size only"));
}

#[test]
fn caps_on_steps_leave_nothing_to_partial_order_reduction() {
    let states = |options: &[&str]| {
        let json =
            abridge(&[&["check", "models/HasReduction.mch", "--json", "--symmetry", "off"], options].concat()).json();
        json["states"].as_u64().expect("a number")
    };
    assert!(states(&["--por", "semantic"]) < states(&[]));
    assert_eq!(states(&["--por", "semantic", "--prob-limits"]), states(&["--prob-limits"]));
}

#[test]
fn the_symbolic_engine_saves_nothing_and_heeds_no_order() {
    let folder = Folder::new("limits-symbolic");
    let file = folder.file("counter.mch", &counter("n : 0..3", "up = PRE n < 3 THEN n := n + 1 END; stay = skip"));
    let engine = ["check", &file, "--engine", "symbolic"];
    for option in ["--checkpoint", "--resume"] {
        assert_eq!(abridge(&[&engine[..], &[option, &folder.path("saved")]].concat()).status, 2);
    }
    let json = |options: &[&str]| abridge(&[&engine[..], &["--json"], options].concat()).json();
    let (plain, other) = (json(&[]), json(&["--por", "semantic", "--strategy", "dfs", "--workers", "4"]));
    assert_eq!((&plain["verdict"], &plain["states"]), (&"holds".into(), &4.into()), "{plain}");
    assert_eq!((&plain["verdict"], &plain["states"]), (&other["verdict"], &other["states"]), "{other}");
}

#[test]
fn deferred_sets_have_a_million_elements_at_most() {
    let folder = Folder::new("limits-large");
    let file = folder.file("M.mch", "MACHINE M SETS S END");
    assert_eq!(abridge(&["eval", &file, "card(S)", "--set-size", "S=1000000"]).stdout, "1000000 : INTEGER\n");
    let refused = abridge(&["eval", &file, "card(S)", "--set-size", "S=1000001"]);
    assert!(refused.status != 0 && refused.stderr.contains("error[wrong-set-size]"), "{}", refused.stderr);
}

#[test]
fn many_messages_are_not_printed() {
    let folder = Folder::new("limits-messages");
    let printed = |value: &str| {
        let operations: Vec<String> = (0..300).map(|idx| format!("op{idx} = n := {value}{idx}")).collect();
        let file = folder.file("counter.mch", &counter("n : 0..3", &operations.join(";\n")));
        let told = abridge(&["check", &file]).stderr;
        (told.matches("error[").count(), told.contains("warning[too-many-messages]: 100 more messages"))
    };
    assert_eq!(printed("unknown"), (200, true));
    assert_eq!(printed(":= "), (100, false));
}

#[test]
fn a_symmetry_that_is_asserted_is_believed() {
    let folder = Folder::new("limits-force");
    let mut verdicts = Vec::new();
    for (first, bad) in [("s1", "s2"), ("s2", "s1")] {
        for definitions in ["", "DEFINITIONS FORCE_SYMMETRY_S == TRUE"] {
            let text = format!(
                "MACHINE M SETS S = {{s1, s2}} {definitions} VARIABLES x INVARIANT x : S & x /= {bad}
                 INITIALISATION x := {first} OPERATIONS go = x := {bad}; back = x := {first} END"
            );
            let json = abridge(&["check", &folder.file("M.mch", &text), "--json"]).json();
            verdicts.push((definitions.is_empty(), json["verdict"] == "holds"));
        }
    }
    assert!(verdicts.contains(&(false, true)), "the wrong assertion is noticed: {verdicts:?}");
    assert!(!verdicts.contains(&(true, true)), "{verdicts:?}");
}

#[test]
fn the_symbolic_engine_takes_so_many_instances() {
    let folder = Folder::new("limits-instances");
    let operations: Vec<String> =
        (0..4097).map(|idx| format!("op{idx} = PRE n = {} THEN n := 0 END", idx % 4)).collect();
    let file = folder.file("counter.mch", &counter("n : 0..3", &operations.join(";\n")));
    let json = abridge(&["check", &file, "--engine", "symbolic", "--json"]).json();
    assert_eq!((&json["verdict"], &json["states"]), (&"incomplete".into(), &0.into()), "{json}");
}

/// Predicates of the command line take the place of the definitions, also beside temporal formulas, and are refused with their own place.
#[test]
fn goal_and_scope_are_given() {
    let folder = Folder::new("goal");
    let file = folder.file(
        "M.mch",
        "MACHINE M SETS S DEFINITIONS GOAL == x = 1; SCOPE == x < 2 VARIABLES x, s INVARIANT x : 0..4 & s <: S
         INITIALISATION x, s := 0, {} OPERATIONS up = SELECT x < 4 THEN x := x + 1 END; back = x := 0;
         add(e) = SELECT e : S THEN s := s \\/ {e} END END",
    );
    for (options, status, text) in [
        (&[][..], 0, "goal reached after 2 steps\n"),
        (&["--goal", "x = 0 & card(s) = 2"], 0, "goal reached after 3 steps\n"),
        (&["--goal", "x = 3"], 0, "  no reachable state satisfies GOAL\n  3 states outside SCOPE, not explored\n"),
        (&["--goal", "x = 3", "--scope", "x < 9"], 0, "goal reached after 4 steps\n"),
        (&["--goal", "x = 9", "--scope", "btrue", "--ltl", "G {x < 4}"], 13, "--ltl violated"),
        (&["--goal", "s = {S2}"], 0, "    2  add(S2)"),
        (&["--goal", "s = {S3}"], 150, "`S3` is not declared"),
        (&["--goal", "x = {}"], 150, "  --> <--goal>:1:"),
        (&["--goal", "y = 1"], 150, "error[unknown-identifier]: `y` is not declared"),
        (&["--goal", "x = 1", "--no-goal"], 2, "cannot be used with"),
    ] {
        let run = abridge(&[&["check", &file], options].concat());
        assert_eq!(run.status, status, "{options:?}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains(text) || run.stderr.contains(text), "{options:?}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn a_goal_that_is_not_well_defined_is_not_reached() {
    let folder = Folder::new("limits-goal");
    let goal = |formula: &str| {
        let text =
            counter("n : 0..1", "nop = skip").replace("VARIABLES", &format!("DEFINITIONS GOAL == {formula} VARIABLES"));
        abridge(&["check", &folder.file("counter.mch", &text), "--json"]).json()["verdict"].clone()
    };
    assert_eq!((goal("1 / n = 1"), goal("n = 0")), ("holds".into(), "goal".into()));
}

#[test]
fn infinite_results_are_compared_by_form() {
    let folder = Folder::new("limits-infinite");
    folder.file("A.mch", "MACHINE A OPERATIONS f <-- get = f := %x.(x : INTEGER | x + 0) END");
    let refinement =
        folder.file("R.ref", "REFINEMENT R REFINES A OPERATIONS f <-- get = f := %y.(y : INTEGER | y) END");
    let run = abridge(&["refine", &refinement, "--json"]);
    assert_eq!((run.status, &run.json()["verdict"]), (20, &"incomplete".into()));
}

#[test]
fn guards_are_tried_in_the_first_states() {
    let folder = Folder::new("limits-guards");
    let operations = "up = SELECT n < 20100 THEN n := n + 1 END; late = SELECT n > 20050 THEN skip END";
    let file = folder.file("counter.mch", &counter("n : 0..20100", operations));
    let json = abridge(&["check", &file, "--coverage", "--json"]).json();
    let coverage = &json["state_coverage"];
    assert_eq!((&json["verdict"], &coverage["guard_states"]), (&"holds".into(), &20_000.into()), "{json}");
    assert_eq!(coverage["guards_never_true"][0]["guard"], "n > 20050");
}

#[test]
fn many_initial_states_of_a_set_up_hide_no_violation() {
    let folder = Folder::new("many-initial-states");
    let text = "MACHINE Array CONSTANTS n PROPERTIES n : 4..5 VARIABLES f, place INVARIANT f : 0..n --> 0..9999 & place : 0..n \
        INITIALISATION f :: 0..n --> 0..9999 || place := -1 OPERATIONS put(i) = PRE i : 0..n THEN f(i) := 0 || place := i END END";
    folder.file("Array.mch", text);
    let run = abridge(&["check", &folder.path("Array.mch"), "--time", "60", "--json"]);
    let json = run.json();
    assert_eq!((run.status, &json["found"]["invariant"]), (12, &true.into()), "{json}");
    assert!(json["states"].as_u64().is_some_and(|states| states < 10), "{json}");
    assert!(run.stdout.contains("random walk"), "{json}");
}

#[test]
fn infinite_sets_are_no_elements() {
    let folder = Folder::new("limits-elements");
    let kept = |ty: &str, first: &str, next: &str| {
        let text = format!(
            "MACHINE M VARIABLES v INVARIANT v : {ty} INITIALISATION v := {first} OPERATIONS op = v := {next} END"
        );
        let run = abridge(&["check", &folder.file("M.mch", &text), "--json"]);
        (run.status, run.json()["limits"][0].as_str().unwrap_or_default().to_owned())
    };
    let open = (20, "op could not be evaluated".to_owned());
    assert_eq!(kept("INTEGER +-> POW(INTEGER)", "{}", "{0 |-> NATURAL}"), open);
    assert_eq!(kept("POW(POW(INTEGER))", "{}", "{{y | y : INTEGER & y > 3}}"), open);
    assert_eq!(kept("seq(POW(INTEGER))", "[]", "[NATURAL]"), open);
    assert_eq!(kept("POW(INTEGER)", "{}", "{y | y : INTEGER & y > 3}"), (0, String::new()));
    assert_eq!(kept("struct(a : POW(INTEGER))", "rec(a : {})", "rec(a : NATURAL)"), (0, String::new()));
}
