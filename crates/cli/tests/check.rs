//! `abridge check`: verdicts, exit statuses, JSON, and what happens when things go wrong.

mod common;

use common::{Folder, abridge, command, counter};

#[test]
fn a_machine_that_holds() {
    let run = abridge(&["check", "models/lift.mch"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.starts_with("holds (exhaustive search: 36 states visited)\n"), "{}", run.stdout);
    let mutex = ["check", "models/mutex.mch", "--set-size", "PROC=3", "--json"];
    let json = abridge(&[&mutex[..], &["--symmetry", "off"]].concat()).json();
    assert_eq!(
        (&json["verdict"], &json["states"], &json["nodes"], &json["transitions"]),
        (&"holds".into(), &20.into(), &21.into(), &49.into())
    );
    // Which process waits does not matter.
    let json = abridge(&mutex).json();
    assert_eq!((&json["verdict"], &json["states"], &json["nodes"]), (&"holds".into(), &7.into(), &8.into()));
    let run = abridge(&mutex[..4]);
    assert!(run.stdout.starts_with("holds (symmetry reduction: 7 states visited)\n"), "{}", run.stdout);
    for field in [
        "found",
        "violation",
        "limits",
        "message",
        "coverage",
        "symmetry",
        "por",
        "workers",
        "search_seconds",
        "total_seconds",
        "peak_bytes",
    ] {
        assert!(json.get(field).is_some(), "{field}");
    }
    assert_eq!(json["found"]["deadlock"], false);
}

#[test]
fn files_are_read_from_where_the_machine_lies() {
    let folder = Folder::new("data-files");
    folder.file("limits.csv", "name,limit\nlow,2\nhigh,4\n");
    let machine = "MACHINE M DEFINITIONS \"LibraryCSV.def\"
        CONSTANTS limit PROPERTIES limit : STRING +-> INTEGER & limit = READ_CSV(\"FILE\", TRUE, FALSE)
        VARIABLES x INVARIANT x <= limit(\"high\") INITIALISATION x := 0
        OPERATIONS up = SELECT x < limit(\"low\") THEN x := x + 1 END; stay = skip END";
    let good = folder.file("M.mch", &machine.replace("FILE", "limits.csv"));
    let json = abridge(&["check", &good, "--json"]).json();
    assert_eq!((&json["verdict"], &json["states"]), (&"holds".into(), &4.into()), "{json}");
    let run = abridge(&["eval", &good, "limit(\"low\")"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, "2 : INTEGER\n"), "{}", run.stderr);
    let bad = folder.file("M.mch", &machine.replace("FILE", "nowhere.csv"));
    let run = abridge(&["check", &bad]);
    assert_eq!(run.status, 20);
    assert!(run.stdout.contains("error[data-unreadable]: `nowhere.csv` cannot be read"), "{}", run.stdout);
    assert!(run.stdout.contains("M.mch:2:"), "{}", run.stdout);
}

#[test]
fn a_scope_bounds_what_is_explored() {
    let folder = Folder::new("scope");
    let machine = "MACHINE M DEFINITIONS SCOPE == card(s) <= 2; PREF
        VARIABLES s INVARIANT s : seq(BOOL) & size(s) <= 2 INITIALISATION s := <>
        OPERATIONS put(b) = PRE b : BOOL THEN s := s <- b END; drop = PRE s /= <> THEN s := tail(s) END END";
    let file = folder.file("M.mch", &machine.replace("; PREF", ""));
    for por in ["off", "semantic"] {
        let run = abridge(&["check", &file, "--json", "--por", por]);
        let json = run.json();
        // What does not satisfy the invariant, and would deadlock, lies outside.
        assert_eq!((run.status, &json["verdict"]), (0, &"holds".into()), "{json}");
        assert_eq!((&json["states"], &json["outside_scope"]), (&7.into(), &8.into()), "{json}");
        assert_eq!(json["transitions"], 1 + 7 * 2 + 6, "{json}");
    }
    let run = abridge(&["check", &file]);
    assert!(run.stdout.contains("  8 states outside SCOPE, not explored\n"), "{}", run.stdout);
    let file = folder.file("M.mch", &machine.replace("PREF", "SET_PREF_USE_SCOPE_DEFINITION == FALSE"));
    assert_eq!(abridge(&["check", &file, "--json"]).status, 12);
}

#[test]
fn a_scope_that_is_not_well_defined_leaves_no_state_out() {
    let folder = Folder::new("scope-ill-defined");
    let machine =
        "MACHINE M DEFINITIONS SCOPE == 4 / n > 1 VARIABLES n INVARIANT n : 0..3 & BOUND INITIALISATION n := 1
        OPERATIONS down = SELECT n = 1 THEN n := 0 END; up = SELECT n < 3 THEN n := n + 1 END END";
    let check = |bound: &str, more: &[&str]| {
        let file = folder.file("M.mch", &machine.replace("BOUND", bound));
        let run = abridge(&[&["check", &file, "--json"], more].concat());
        (run.status, run.json())
    };
    for more in [&[][..], &["--plain"], &["--evaluator", "sliced"], &["--por", "semantic"]] {
        let (status, json) = check("n < 4", more);
        assert_eq!((status, &json["verdict"]), (20, &"incomplete".into()), "{json}");
        assert_eq!((&json["states"], &json["outside_scope"]), (&3.into(), &1.into()), "{json}");
        assert_eq!(json["limits"], serde_json::json!(["SCOPE could not be evaluated"]));
        assert!(json["message"].as_str().is_some_and(|text| text.contains("division by zero")), "{json}");
        assert_eq!(check("n > 0", more).0, 12);
    }
    // ProB leaves it out.
    let (status, json) = check("n > 0", &["--compat", "prob"]);
    assert_eq!((status, &json["states"], &json["outside_scope"]), (0, &2.into(), &2.into()), "{json}");
}

#[test]
fn steps_that_do_not_matter_are_left_out() {
    let full = abridge(&["check", "models/Interlocking_Small.mch", "--json"]).json();
    assert_eq!((&full["por"], full["partial_order"].is_null()), (&"off".into(), true));
    let reduced = abridge(&["check", "models/Interlocking_Small.mch", "--por", "semantic", "--json"]).json();
    assert_eq!((&reduced["por"], &reduced["verdict"]), (&"semantic".into(), &"holds".into()));
    assert!(reduced["states"].as_u64() < full["states"].as_u64());
    assert!(reduced["partial_order"]["reduced_states"].as_u64() > Some(0));
    let run = abridge(&["check", "models/Interlocking_Small.mch", "--por", "semantic", "--symmetry", "off"]);
    let verdict = format!("holds (partial order reduction: {} of the states visited)\n", reduced["states"]);
    assert!(run.stdout.starts_with(&verdict), "{}", run.stdout);
    // A violation is found by a real trace.
    let run = abridge(&["check", "models/airlock.mch", "--por", "semantic"]);
    assert_eq!(run.status, 12);
    assert!(run.stdout.starts_with("invariant violated after 5 steps: card(is_open) <= 1\n"), "{}", run.stdout);
    let run = abridge(&["check", "models/mutex.mch", "--check-por", "--symmetry", "off"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(run.stdout.starts_with("holds (exhaustive search: 8 states visited)\n"), "{}", run.stdout);
    assert!(run.stdout.contains("8 states, 15 transitions"), "{}", run.stdout);
}

#[test]
fn dependences_are_shown_with_their_reasons() {
    let run = abridge(&["por", "models/mutex.mch"]);
    assert_eq!(run.status, 0);
    for expected in [
        "enter(PROC1)  ...x..\n",
        "enter(PROC1) and enter(PROC2): enter(PROC1) can disable enter(PROC2)\n",
        "  example state: waiting = {PROC1,PROC2}, inside = {}\n",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
    assert!(abridge(&["por", "models/mutex.mch", "--dot", "enabling"]).stdout.contains("n0 -> n2;"));
    let json = abridge(&["por", "models/mutex.mch", "--json"]).json();
    assert_eq!(json["dependences"][0]["reason"], "first_disables_second");
}

#[test]
fn a_violated_invariant_is_told_as_a_story() {
    let run = abridge(&["check", "models/airlock.mch"]);
    assert_eq!(run.status, 12);
    assert!(run.stdout.starts_with("invariant violated after 5 steps: card(is_open) <= 1\n"), "{}", run.stdout);
    assert!(run.stdout.contains("  card(is_open) is 2\n  is_open is {inner,outer}\n"), "{}", run.stdout);
    assert!(run.stdout.contains("    4  open_door(inner)  granted = {outer}, is_open = {inner}\n"), "{}", run.stdout);
    let json = abridge(&["check", "models/airlock.mch", "--json"]).json();
    let violation = &json["violation"];
    assert_eq!((&json["verdict"], &violation["kind"]), (&"violated".into(), &"invariant".into()));
    assert_eq!(violation["parts"][0]["text"], "card(is_open)");
    assert_eq!(violation["parts"][0]["value"], "2");
    assert_eq!(violation["trace"][4]["params"]["dd"], "outer");
    assert_eq!(violation["trace"][4]["state"]["is_open"], "{inner,outer}");
}

#[test]
fn a_quantified_invariant_names_its_counterexample() {
    let folder = Folder::new("check-forall");
    let file = folder
        .file("counter.mch", &counter("!k.(k : 1..5 => k /= n)", "up = PRE n < 9 THEN n := n + 1 END; down = n := 0"));
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 12);
    assert!(run.stdout.contains("\n  k is 1\n  n is 1\n"), "{}", run.stdout);
}

#[test]
fn a_deadlock() {
    let folder = Folder::new("check-deadlock");
    let file = folder.file("counter.mch", &counter("n <= 3", "up = PRE n < 3 THEN n := n + 1 END"));
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 11);
    assert!(run.stdout.starts_with("deadlock after 4 steps"), "{}", run.stdout);
    assert_eq!(abridge(&["check", &file, "--no-deadlock"]).status, 0);
}

#[test]
fn a_deadlock_of_a_machine_without_operations_is_said_to_be_one() {
    let folder = Folder::new("context");
    let text = "MACHINE Context SETS S = {a, b} CONSTANTS f PROPERTIES f : S --> 0..9 & f = {a |-> 1, b |-> 2} END";
    folder.file("Context.mch", text);
    let run = abridge(&["check", &folder.path("Context.mch")]);
    assert_eq!(run.status, 11);
    let heading = "deadlock after 1 step: the machine has no operations; `--no-deadlock` accepts that\n";
    assert!(run.stdout.starts_with(heading), "{}", run.stdout);
    assert_eq!(abridge(&["check", &folder.path("Context.mch"), "--no-deadlock"]).status, 0);
}

#[test]
fn an_assertion_that_fails() {
    let folder = Folder::new("check-assertion");
    let text = counter("n <= 3", "up = PRE n < 3 THEN n := n + 1 END; down = n := 0")
        .replace("INITIALISATION", "ASSERTIONS n < 2 INITIALISATION");
    let file = folder.file("counter.mch", &text);
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 14);
    assert!(run.stdout.starts_with("assertion violated after 3 steps: n < 2\n"), "{}", run.stdout);
    assert_eq!(abridge(&["check", &file, "--no-assertions"]).status, 0);
}

#[test]
fn something_that_is_not_well_defined() {
    let folder = Folder::new("check-ill-defined");
    let file =
        folder.file("counter.mch", &counter("n <= 3", "up = PRE n < 3 THEN n := n + 1 END; half = n := n / (2 - n)"));
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 75);
    assert!(run.stdout.contains("error[division-by-zero]"), "{}", run.stdout);
    let json = abridge(&["check", &file, "--json"]).json();
    assert_eq!(
        (&json["violation"]["kind"], &json["violation"]["detail"]["operation"]),
        (&"ill_defined".into(), &"half".into())
    );
    assert_eq!(json["found"]["ill_defined"], true);
}

/// Two conjuncts and two operations that go wrong at different depths, and a deadlock.
const FAULTY: &str = "MACHINE Faulty VARIABLES n INVARIANT n < 2 & n /= 4 INITIALISATION n := 0
    OPERATIONS up = PRE n < 5 THEN n := n + 1 END;
        half = SELECT n > 0 & n < 5 THEN n := n / (3 - n) END;
        pick = SELECT n : 1..4 THEN n := max({k | k : 1..n & k > 3}) END END";

#[test]
fn all_violations_are_listed_with_their_shortest_traces() {
    let folder = Folder::new("check-find-all");
    let file = folder.file("Faulty.mch", FAULTY);
    let json = abridge(&["check", &file, "--find", "all", "--json"]).json();
    let listed: Vec<(String, String, u64)> = json["violations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|violation| {
            let detail = &violation["detail"];
            let what = detail["operation"].as_str().or(detail["text"].as_str()).unwrap_or_default();
            assert_eq!(violation["trace"].as_array().map(Vec::len), violation["steps"].as_u64().map(|n| n as usize));
            (
                violation["kind"].as_str().expect("a kind").to_owned(),
                what.to_owned(),
                violation["steps"].as_u64().expect("a number"),
            )
        })
        .collect();
    let expected = [
        ("ill_defined", "pick", 2),
        ("invariant", "n < 2", 3),
        ("ill_defined", "half", 4),
        ("invariant", "n /= 4", 5),
        ("deadlock", "", 6),
    ];
    assert_eq!(listed, expected.map(|(kind, what, steps)| (kind.to_owned(), what.to_owned(), steps)), "{json}");
    assert_eq!(json["violation"], json["violations"][0]);
    assert_eq!(json["depth"], 9);
    let text = abridge(&["check", &file, "--find", "all"]).stdout;
    assert!(
        text.starts_with(
            "5 findings, one of each kind, conjunct and operation\n\n[1]\nnot well-defined in pick after 2 steps\n"
        ),
        "{text}"
    );
    assert!(text.contains("\n[4]\ninvariant violated after 5 steps: n /= 4\n"), "{text}");
    assert!(text.contains("\n[5]\ndeadlock after 6 steps"), "{text}");
}

#[test]
fn steps_and_depth_are_counted_alike_and_without_the_set_up() {
    let folder = Folder::new("check-depth");
    let machine = counter("n < 3", "up = n := n + 1");
    let plain = folder.file("counter.mch", &machine);
    let with_constant = folder.file(
        "Constant.mch",
        &machine.replace("counter", "Constant").replace("VARIABLES", "CONSTANTS c PROPERTIES c = 1 VARIABLES"),
    );
    for (file, trace) in [(&plain, 4), (&with_constant, 5)] {
        for strategy in ["bfs", "dfs"] {
            let json = abridge(&["check", file, "--strategy", strategy, "--json"]).json();
            let violation = &json["violation"];
            assert_eq!((&json["depth"], &violation["steps"]), (&4.into(), &4.into()), "{strategy}: {json}");
            assert_eq!(violation["trace"].as_array().map(Vec::len), Some(trace));
        }
    }
    let text = abridge(&["check", &with_constant]).stdout;
    assert!(text.starts_with("invariant violated after 4 steps"), "{text}");
    assert!(text.contains("\n    0  SETUP_CONSTANTS  c = 1\n    1  INITIALISATION   n = 0\n"), "{text}");
    assert!(text.contains(", depth 4, "), "{text}");
}

#[test]
fn an_unbounded_parameter_does_not_hide_what_is_ill_defined() {
    let folder = Folder::new("check-culprit");
    let operations = "set(p) = PRE p : NATURAL THEN n := p END; bad = n := 1 / n";
    let run = abridge(&["check", &folder.file("counter.mch", &counter("n : INTEGER", operations))]);
    assert_eq!(run.status, 75, "{}", run.stdout);
    assert!(run.stdout.starts_with("not well-defined in bad after 1 step\nerror[division-by-zero]"), "{}", run.stdout);
}

#[test]
fn an_ill_defined_initialisation_is_named() {
    let folder = Folder::new("check-initialisation");
    let machine = "MACHINE M CONSTANTS c PROPERTIES c = 0 VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 1 / c
        OPERATIONS stay = skip END";
    let run = abridge(&["check", &folder.file("M.mch", machine)]);
    assert_eq!(run.status, 75, "{}", run.stdout);
    assert!(
        run.stdout.starts_with("not well-defined in INITIALISATION after 0 steps\nerror[division-by-zero]"),
        "{}",
        run.stdout
    );
}

#[test]
fn an_invariant_that_is_not_well_defined_is_not_called_false() {
    let folder = Folder::new("check-ill-defined-invariant");
    let up = "up = PRE n < 3 THEN n := n + 1 END; down = n := 0";
    let file = folder.file("counter.mch", &counter("1 / (2 - n) < 5", up));
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 75, "{}", run.stdout);
    let found = &abridge(&["check", &file, "--survey", "--json"]).json()["found"];
    assert_eq!((&found["ill_defined"], &found["invariant"]), (&true.into(), &false.into()));

    let text = counter("ASSERT_TRUE(bool(n < 2), \"large\")", up)
        .replace("VARIABLES", "DEFINITIONS \"LibraryProB.def\" VARIABLES");
    let file = folder.file("assert.mch", &text.replace("counter", "assert"));
    let found = &abridge(&["check", &file, "--survey", "--json"]).json()["found"];
    assert_eq!((&found["ill_defined"], &found["invariant"]), (&false.into(), &true.into()));
}

#[test]
fn a_property_without_a_witness_among_few_integers_is_not_called_false() {
    let folder = Folder::new("check-few-integers");
    let pell = "#(xx, yy).(xx : INTEGER & yy : INTEGER & xx * xx - 61 * yy * yy = 1 & yy > 3)";
    let file = folder.file("counter.mch", &counter(pell, "stay = skip"));
    for options in [&["--compat", "prob"][..], &[]] {
        let json = abridge(&[&["check", &file, "--json"], options].concat()).json();
        assert_eq!((&json["verdict"], &json["found"]["invariant"]), (&"incomplete".into(), &false.into()), "{json}");
    }
}

#[test]
fn what_cannot_be_evaluated_is_no_deadlock() {
    let folder = Folder::new("check-beyond");
    let up = "up = PRE n = 0 & #f.(f : NATURAL --> NATURAL & f(0) = f(1)) THEN n := n + 1 END";
    let json = abridge(&["check", &folder.file("counter.mch", &counter("n <= 3", up)), "--json"]).json();
    assert_eq!((&json["verdict"], &json["found"]["deadlock"]), (&"incomplete".into(), &false.into()), "{json}");
}

#[test]
fn a_wrong_model() {
    let folder = Folder::new("check-wrong");
    let file = folder.file("counter.mch", &counter("n = TRUE", "up = n := n + 1"));
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 150);
    assert!(run.stderr.contains("error[type-mismatch]"), "{}", run.stderr);
    let run = abridge(&["check", &file, "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (150, ""));
    assert_eq!(run.json()["verdict"], "error");
    assert_eq!(run.json()["diagnostics"][0]["id"], "type-mismatch");
}

#[test]
fn a_file_that_cannot_be_read() {
    let run = abridge(&["check", "models/nowhere.mch"]);
    assert_eq!(run.status, 150);
    assert!(run.stderr.contains("cannot read `models/nowhere.mch`: no such file"), "{}", run.stderr);
    assert_eq!(abridge(&["check", "models"]).status, 150);
}

#[test]
fn an_included_file_that_is_missing() {
    let folder = Folder::new("check-missing");
    let file = folder.file("top.mch", "MACHINE top INCLUDES below END");
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 150);
    assert!(run.stderr.contains("machine `below` not found"), "{}", run.stderr);
}

#[test]
fn limits_are_honest() {
    let folder = Folder::new("check-limits");
    let file = folder.file("counter.mch", &counter("n >= 0", "up = n := n + 1"));
    let run = abridge(&["check", &file, "--max-states", "50", "--json"]);
    assert_eq!((run.status, &run.json()["verdict"], &run.json()["states"]), (20, &"incomplete".into(), &50.into()));
    assert_eq!(run.json()["limits"][0], "stopped after 50 states");
    let run = abridge(&["check", &file, "--max-depth", "5"]);
    assert_eq!(run.status, 20);
    assert!(
        run.stdout.starts_with(
            "no violation found (depth limit: states more than 5 steps from the root were not visited; 5 states in "
        ),
        "{}",
        run.stdout
    );
    let run = abridge(&["check", &file, "--time", "0.2", "--json"]);
    assert_eq!((run.status, &run.json()["limits"][0]), (20, &"time limit reached".into()));
    let run = abridge(&["check", &file, "--memory", "1M", "--json"]);
    assert_eq!((run.status, &run.json()["limits"][0]), (20, &"memory limit reached".into()));
}

#[test]
fn wrong_use() {
    assert_eq!(abridge(&["check"]).status, 2);
    assert_eq!(abridge(&["check", "models/lift.mch", "--max-states", "many"]).status, 2);
    assert_eq!(abridge(&["check", "models/lift.mch", "--memory", "lots"]).status, 2);
    assert_eq!(abridge(&["check", "models/lift.mch", "--time", "0"]).status, 2);
}

#[test]
fn a_trace_that_cannot_be_written() {
    let folder = Folder::new("check-unwritable");
    let missing = folder.path("nowhere/story.prob2trace");
    let run = abridge(&["check", "models/airlock.mch", "--save-trace", &missing]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("cannot write"), "{}", run.stderr);
    assert!(folder.names().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let run = abridge(&["check", "models/airlock.mch", "--save-trace", "/dev/full"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("cannot write `/dev/full`"), "{}", run.stderr);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    let output = command(&["check", "models/airlock.mch"]).stdout(full).output().expect("the program ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away() {
    use std::process::Stdio;
    let mut child = command(&["show", "models/Interlocking.mch", "--model"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn control_c_stops_with_what_is_known() {
    use std::process::Stdio;
    let folder = Folder::new("check-interrupt");
    let file = folder.file("counter.mch", &counter("n >= 0", "up = n := n + 1"));
    let trace = folder.path("story.prob2trace");
    let args = ["check", &file, "--json", "--save-trace", &trace];
    let child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    common::interrupt(&child);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(20));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a JSON object");
    assert_eq!((&json["verdict"], &json["limits"][0]), (&"incomplete".into(), &"interrupted by the user".into()));
    assert_eq!(folder.names(), ["counter.mch"]);
}

/// Two counters and a set; more than a thousand states, and some operations that read little of them.
const GRID: &str = "MACHINE Grid
 VARIABLES a, b, s
 INVARIANT a : 0..20 & b : 0..20 & s <: {1,2,3} & (a = 20 => b : 0..20)
 INITIALISATION a, b, s := 0, 0, {}
 OPERATIONS
   right = PRE a < 20 THEN a := a + 1 END;
   up = PRE b < 20 THEN b := b + 1 END;
   back(k) = SELECT k : 1..3 & a > k THEN a := a - k || b := b / 2 END;
   put = ANY e WHERE e : {1,2,3} - s THEN s := s \\/ {e} END;
   clear = s := {}
 END";

#[test]
fn the_number_of_workers_changes_no_result() {
    let folder = Folder::new("check-workers");
    let file = folder.file("Grid.mch", GRID);
    let run = |options: &[&str]| {
        let mut json = abridge(&[&["check", &file, "--json"], options].concat()).json();
        // The evaluator is chosen by its time.
        let timed =
            ["workers", "search_seconds", "total_seconds", "peak_bytes", "table_bytes", "bytes_per_state", "evaluator"];
        for field in timed {
            assert!(json.as_object_mut().is_some_and(|fields| fields.remove(field).is_some()), "{field}");
        }
        json
    };
    let alone = run(&["--workers", "1"]);
    assert_eq!((&alone["verdict"], &alone["states"]), (&"holds".into(), &(21 * 21 * 8).into()));
    for workers in ["2", "8"] {
        assert_eq!(run(&["--workers", workers]), alone);
    }
    for other in [["--no-memo"], ["--plain"]] {
        let judged = run(&other);
        assert_eq!((&judged["transitions"], &judged["coverage"]), (&alone["transitions"], &alone["coverage"]));
    }
    let deep = run(&["--strategy", "dfs"]);
    assert_eq!((&deep["states"], &deep["transitions"]), (&alone["states"], &alone["transitions"]));
}

#[test]
fn a_memory_limit_is_told() {
    let folder = Folder::new("check-memory");
    let file = folder.file("Grid.mch", GRID);
    let run = abridge(&["check", &file, "--json", "--memory", "1k"]);
    assert_eq!((run.status, &run.json()["verdict"]), (20, &"incomplete".into()));
    assert_eq!(run.json()["limits"][0], "memory limit reached");
}

#[test]
fn a_survey_of_something_infinite_ends_once_a_violation_is_known() {
    let folder = Folder::new("check-settle");
    let file = folder.file("counter.mch", &counter("n < 100", "up = n := n + 1"));
    let json = abridge(&["check", &file, "--survey", "--settle", "0.2", "--json"]).json();
    assert_eq!((&json["verdict"], &json["found"]["invariant"]), (&"violated".into(), &true.into()));
    assert_eq!(json["limits"][0], "counting stopped after a violation (--settle)");
}

#[test]
fn symmetry_is_on_unless_everything_is_to_be_counted() {
    let counts = |options: &[&str]| {
        let arguments = [&["check", "models/mutex.mch", "--set-size", "PROC=3", "--json"], options].concat();
        let json = abridge(&arguments).json();
        (json["symmetry"].clone(), json["states"].clone())
    };
    assert_eq!(counts(&[]), ("auto".into(), 7.into()));
    assert_eq!(counts(&["--survey"]), ("off".into(), 20.into()));
    assert_eq!(counts(&["--compat", "prob"]), ("off".into(), 20.into()));
    assert_eq!(counts(&["--compat", "prob", "--symmetry", "auto"]), ("auto".into(), 7.into()));
    for method in ["canon", "flood", "marker"] {
        assert_eq!(counts(&["--symmetry", method]), (method.into(), 7.into()));
    }
    let json = abridge(&["check", "models/mutex.mch", "--json"]).json();
    assert_eq!(json["symmetric"], serde_json::json!({ "PROC": [["PROC1", "PROC2"]] }));
}

#[test]
fn markers_say_that_they_are_approximate() {
    let ring = ["check", "models/TokenRing.mch", "--no-temporal", "--set-size", "Servers=4", "--symmetry", "marker"];
    let run = abridge(&ring);
    assert_eq!(run.status, 20);
    assert!(run.stdout.starts_with("no violation found (approximate: "), "{}", run.stdout);
    assert_eq!(abridge(&[&ring[..], &["--precise"]].concat()).status, 0);
}

#[cfg(not(feature = "nauty"))]
#[test]
fn a_build_without_nauty_says_so() {
    let run = abridge(&["check", "models/mutex.mch", "--symmetry", "nauty"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("this build has no nauty"), "{}", run.stderr);
}

#[test]
fn methods_of_the_symbolic_engine_need_it() {
    for method in ["dynamic", "multiple", "orbits", "counters"] {
        let run = abridge(&["check", "models/mutex.mch", "--symmetry", method]);
        assert_eq!(run.status, 2, "{method}");
        assert!(run.stderr.contains("needs `--engine symbolic`"), "{}", run.stderr);
    }
}

#[test]
fn a_backward_search_needs_the_symbolic_engine() {
    let run = abridge(&["check", "models/McsLock.mch", "--direction", "backward"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("needs `--engine symbolic`"), "{}", run.stderr);
    let options = ["--engine", "symbolic", "--direction", "backward", "--no-deadlock", "--json"];
    let run = abridge(&[&["check", "models/McsLock.mch"], &options[..]].concat());
    let json = run.json();
    assert_eq!((run.status, &json["verdict"], &json["states"]), (0, &"holds".into(), &serde_json::Value::Null));
    assert_eq!(json["symbolic"]["direction"], "backward");
}

#[test]
fn time_is_up_within_an_evaluation_too() {
    let folder = Folder::new("hopeless");
    // A prime is no such product.
    let text = "MACHINE Hopeless CONSTANTS x, y
        PROPERTIES x : 2..1000000000000 & y : 2..1000000000000 & x * y = 1000000000000000003 END";
    let file = folder.file("Hopeless.mch", text);
    let run = abridge(&["check", &file, "--time", "1", "--json"]);
    assert_eq!((run.status, &run.json()["verdict"]), (20, &"incomplete".into()), "{}", run.stdout);
}

#[test]
fn a_machine_that_cannot_start_says_why() {
    let folder = Folder::new("stuck");
    let start = |properties: &str| {
        let file = folder.file("M.mch", &format!("MACHINE M CONSTANTS n, m PROPERTIES\n{properties} END"));
        let run = abridge(&["check", &file]);
        assert_eq!(run.status, 11, "{}", run.stdout);
        run.stdout
    };
    let text = start("m : 1..3 &\nn : 2..9 &\nn + m = 2 &\nn > m");
    assert!(text.contains("contradicts those before it: n + m = 2\n  --> ") && text.contains("M.mch:4:1"), "{text}");
    let text = start("m = 0 &\nn = 1 / m & n : INTEGER");
    assert!(text.contains("a property is not well-defined") && text.contains("M.mch:3:5"), "{text}");
    let file = folder.file(
        "M.mch",
        "MACHINE M VARIABLES x INVARIANT x : NATURAL INITIALISATION ANY y WHERE y : 1..3 & y > 5 THEN x := y END END",
    );
    let run = abridge(&["check", &file]);
    assert!(run.stdout.starts_with("the machine cannot start: INITIALISATION has no outcome\n"), "{}", run.stdout);
}

#[test]
fn a_formula_with_bounded_integers_says_where_they_end() {
    let folder = Folder::new("bounds");
    let run = |text: &str| abridge(&["check", &folder.file("M.mch", text)]).stdout;
    let bounds = " here; enlarge it with `-p MAXINT 100`";
    let text = run("MACHINE M VARIABLES x INVARIANT x : NAT INITIALISATION x := 100 END");
    assert!(text.starts_with("invariant violated") && text.contains(&format!("  NAT is 0..3{bounds}")), "{text}");
    let text = run("MACHINE M CONSTANTS n PROPERTIES n : NAT1 & n = 10 END");
    assert!(
        text.starts_with("the machine cannot start") && text.contains(&format!("  NAT1 is 1..3{bounds}")),
        "{text}"
    );
    let text = run("MACHINE M VARIABLES f INVARIANT f : 1..2 +-> NAT INITIALISATION f := {1|->0, 1|->2} END");
    assert!(text.starts_with("invariant violated") && !text.contains(bounds), "{text}");
    let text = run("MACHINE M VARIABLES x INVARIANT x : NATURAL & x < 3 INITIALISATION x := 100 END");
    assert!(text.starts_with("invariant violated") && !text.contains(bounds), "{text}");
}

#[test]
fn every_operation_that_was_beyond_evaluation_is_named_once() {
    let folder = Folder::new("unbounded");
    let file = folder.file(
        "M.mch",
        "MACHINE M VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
         OPERATIONS set(n) = PRE n : NATURAL THEN x := 1 END; add(k) = PRE k : NATURAL THEN skip END; up = x := x mod 3 + 1
         END",
    );
    let run = abridge(&["check", &file, "--workers", "1"]);
    assert_eq!(run.status, 20, "{}", run.stdout);
    assert!(run.stdout.starts_with("no violation found (add, set could not be evaluated; "), "{}", run.stdout);
    assert_eq!(run.stdout.matches("error[unbounded-value]").count(), 2, "{}", run.stdout);
    assert_eq!(run.stdout.matches("= help: `--compat prob` tries the integers").count(), 2, "{}", run.stdout);
}

#[test]
fn messages_quote_what_the_user_wrote() {
    let folder = Folder::new("quoted");
    let run = |name: &str, invariant: &str, init: &str| {
        let text =
            format!("MACHINE M SETS A = {{a1, a2}} VARIABLES x INVARIANT {invariant} INITIALISATION x := {init} END");
        abridge(&["check", &folder.file(name, &text)]).stdout
    };
    for (invariant, init, heading) in [
        ("x : NAT", "7", "x : NAT\n"),
        ("x : INTEGER & 3 > x", "7", "3 > x\n"),
        ("x : INTEGER & (x\n  /= 7)", "7", "x /= 7\n"),
        ("x : INTEGER & (x > 3 /* small */ => x < 2)", "7", "x > 3 => x < 2\n"),
    ] {
        let text = run("M.mch", invariant, init);
        let first = text.split_inclusive('\n').next().unwrap_or_default();
        assert!(first.ends_with(&format!("after 1 step: {heading}")), "{text}");
    }
}

#[test]
fn a_false_membership_says_why() {
    let folder = Folder::new("reasons");
    for (invariant, init, reason) in [
        ("x : A +-> 0..3", "{a1|->0, a1|->2}", "a1 has two images, 0 and 2"),
        ("x : A --> 0..3", "{a1|->0}", "a2 has no image, but is in `A`"),
        ("x : A +-> NAT", "{a1|->0, a2|->9}", "9 is not in `NAT`"),
        ("x : A >-> 0..3", "{a1|->1, a2|->1}", "a1 and a2 have the same image, 1"),
        ("x : A +->> 1..2", "{a1|->1, a2|->1}", "nothing is mapped to 2, which is in `1..2`"),
        ("x : seq(0..1)", "{1|->0, 3|->1}", "its domain is {1,3}, not 1..2"),
        ("x : iseq(0..1)", "[1, 0, 1]", "1 is at the positions 1 and 3"),
        ("x : perm(A)", "[a1]", "a2 is at no position, but in `A`"),
        ("x : seq1(0..1)", "{}", "the sequence is empty"),
        ("x <: 0..3", "{1, 7}", "7 is not in `0..3`"),
        ("x : POW1(0..3)", "{}", "the set is empty"),
        ("x <: INTEGER & x = {1, 2}", "{1, 3}", "3 is missing from `{1, 2}`"),
        ("x : INTEGER & x : dom({1|->2})", "3", "3 is not in `dom({1|->2})`"),
        ("x : struct(a: 0..3, b: POW(0..1))", "rec(a: 2, b: {0, 5})", "field `b`: 5 is not in `0..1`"),
        ("x <: INTEGER & !y.(y : x => y : 0..2)", "{1, 5}", "5 is not in `0..2`"),
    ] {
        let text =
            format!("MACHINE M SETS A = {{a1, a2}} VARIABLES x INVARIANT {invariant} INITIALISATION x := {init} END");
        let file = folder.file("M.mch", &text);
        let run = abridge(&["check", &file]);
        assert!(run.stdout.contains(&format!("\n  {reason}\n")), "{invariant}: {}", run.stdout);
        let json = abridge(&["check", &file, "--json"]).json();
        assert_eq!(json["violation"]["reasons"][0], reason, "{invariant}");
    }
    let text = "MACHINE M VARIABLES x INVARIANT x <: 0..3 & x /\\ 0..1 = {} INITIALISATION x := {1} END";
    let run = abridge(&["check", &folder.file("M.mch", text)]).stdout;
    assert!(run.contains("  x /\\ 0..1 is {1}\n") && !run.contains("missing"), "{run}");
}

#[test]
fn a_value_without_bounds_is_told_with_an_example_of_one() {
    let folder = Folder::new("bounds");
    for (property, bound) in [
        ("n : NATURAL", "`n`: add a bound such as `n : 0..10`"),
        ("n <: INTEGER", "`n`: add a bound such as `n : POW(0..10)`"),
        ("n : INTEGER <-> BOOL", "`n`: add a bound such as `n : 0..10 <-> BOOL`"),
    ] {
        let text = format!(
            "MACHINE M CONSTANTS n PROPERTIES {property} VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 END"
        );
        let run = abridge(&["check", &folder.file("M.mch", &text)]);
        assert_eq!(run.stdout.matches(&format!("cannot enumerate {bound}")).count(), 1, "{}", run.stdout);
    }
}

#[test]
fn a_long_trace_is_folded_and_ends_with_the_verdict() {
    let folder = Folder::new("folded");
    let text = "MACHINE M VARIABLES x INVARIANT x : 0..3000 INITIALISATION x := 0 OPERATIONS up = x := x + 1 END";
    let file = folder.file("M.mch", text);
    let run = abridge(&["check", &file]);
    let heading = "invariant violated after 3002 steps: x : 0..3000\n";
    assert_eq!(run.stdout.matches(heading).count(), 2, "{}", run.stdout);
    assert!(run.stdout.lines().count() < 120, "{}", run.stdout);
    let fold =
        "   50  up              x = 49\n  ...  2,902 steps not shown; --json and saved traces have them\n  2953  up";
    assert!(run.stdout.contains(fold), "{}", run.stdout);
    let json = abridge(&["check", &file, "--json"]).json();
    assert_eq!(json["violation"]["trace"].as_array().map(Vec::len), Some(3002));
    let run = abridge(&["check", &file, "--no-invariant", "--ltl", "G {x < 3000}", "--max-states", "4000"]);
    assert_eq!(run.stdout.matches("--ltl violated: G {x < 3000}\n").count(), 2, "{}", run.stdout);
}

#[test]
fn sequences_are_printed_as_sequences() {
    let folder = Folder::new("sequences");
    let text = "MACHINE M VARIABLES s INVARIANT s : seq(0..1) & size(s) < 3 INITIALISATION s := []
        OPERATIONS r <-- app = BEGIN s := s <- 1 || r := s <- 0 END END";
    let run = abridge(&["check", &folder.file("M.mch", text)]);
    for expected in [
        "    1  INITIALISATION   s = []\n",
        "    2  app --> [0]      s = [1]\n",
        "    4  app --> [1,1,0]  s = [1,1,1]\n",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
}

#[test]
fn a_report_is_one_small_page() {
    let folder = Folder::new("report");
    let text = "MACHINE M DEFINITIONS ASSERT_LTL == \"G {x < 9}\" VARIABLES x, s INVARIANT x : 0..3000 & s : STRING
        INITIALISATION x := 0 || s := \"<b>&\" OPERATIONS up = x := x + 1; never = SELECT x < 0 THEN skip END END";
    let (file, page) = (folder.file("M.mch", text), folder.path("out.html"));
    let run = abridge(&["check", &file, "--report", &page, "--find", "all", "--max-states", "4000"]);
    assert_eq!(run.status, 12, "{}", run.stdout);
    let html = std::fs::read_to_string(&page).expect("written");
    for expected in [
        "<h2>invariant violated after 3002 steps: x : 0..3000</h2>",
        "<td class=\"n\">3002</td><td>up</td><td>x = 3001</td>",
        "2,902 steps not shown",
        "s = \"&lt;b&gt;&amp;\"",
        "<p class=\"open\">operations not taken so far: <code>never</code></p>",
        "<tr><th>INT</th><td>-1..3</td></tr>",
        "<td>up</td><td class=\"n\">",
    ] {
        assert!(html.contains(expected), "{expected}");
    }
    assert!(html.len() < 1 << 20 && !html.contains("http") && !html.contains("<script"), "{}", html.len());
    let run = abridge(&["check", &file, "--report", &folder.path("nowhere/out.html"), "--max-states", "5"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
}

#[test]
fn verdicts_have_colours_where_they_are_wanted() {
    let folder = Folder::new("check-colours");
    let text = "MACHINE M VARIABLES x INVARIANT x : 0..2 & x /= 2 INITIALISATION x := 0
        OPERATIONS up = SELECT x < 2 THEN x := x + 1 END; stay = skip END";
    let file = folder.file("M.mch", text);
    let first_line = |args: &[&str]| {
        let run = abridge(&[&["check", &file], args].concat());
        run.stdout.lines().next().map(str::to_owned).expect("a verdict")
    };
    let violated = "invariant violated after 3 steps: x /= 2";
    assert_eq!(first_line(&["--color", "always"]), format!("\x1b[1;31m{violated}\x1b[0m"));
    assert_eq!(first_line(&[]), violated, "the output is no terminal");
    let holds = first_line(&["--no-invariant", "--color", "always"]);
    assert_eq!(holds, "\x1b[1;32mholds (exhaustive search: 3 states visited)\x1b[0m");
    let cut = first_line(&["--max-states", "1", "--color", "always"]);
    assert!(cut.starts_with("\x1b[1;33mno violation found"), "{cut}");
}

#[test]
fn values_that_a_preference_does_not_know_are_refused() {
    for (name, value, needed) in [
        ("SYMMETRY_MODE", "bogus", "`off`, `flood`, `nauty` or `hash`"),
        ("TRY_FIND_ABORT", "maybe", "TRUE or FALSE"),
        ("MAX_OPERATIONS", "many", "an integer"),
    ] {
        let run = abridge(&["check", "models/mutex.mch", "-p", name, value]);
        let message = format!("preference `{name}` needs {needed}, not `{value}`");
        assert!(run.status != 0 && run.stderr.contains(&message), "{}\n{}", run.stdout, run.stderr);
    }
    assert_eq!(abridge(&["check", "models/mutex.mch", "-p", "TRY_FIND_ABORT", "true"]).status, 0);
}
