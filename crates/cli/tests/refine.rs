//! `abridge refine`: exit statuses, counterexamples, limits.

mod common;

use common::{Folder, abridge, abridge_with};

fn refine(file: &str, more: &[&str]) -> common::Run {
    abridge(&[&["refine", file, "--json"], more].concat())
}

#[test]
fn a_refinement_that_holds_ends_with_0() {
    for by in ["traces", "simulation", "failures"] {
        let run = refine("models/Queue.ref", &["--by", by, "--set-size", "ITEM=3"]);
        let json = run.json();
        assert_eq!((run.status, json["verdict"].as_str()), (0, Some("holds")), "{by}");
        assert_eq!((json["refinement"].as_str(), json["abstraction"].as_str()), (Some("Queue"), Some("Pool")));
        assert!(json["counterexample"].is_null());
    }
}

#[test]
fn one_that_fails_ends_with_15_and_both_machines_step_by_step() {
    let run = refine("models/scheduler1_broken.ref", &[]);
    let json = run.json();
    let found = &json["counterexample"];
    assert_eq!((run.status, json["verdict"].as_str(), found["steps"].as_u64()), (15, Some("violated"), Some(7)));
    assert_eq!((found["obligation"].as_str(), found["failed"]["operation"].as_str()), (Some("trace"), Some("enter")));
    let last = found["trace"].as_array().and_then(|steps| steps.last()).expect("a step");
    assert!(last["concrete"]["activef"] == "TRUE" && last["abstract"][0]["pst"].is_string(), "{last}");
    assert_eq!(found["failed"]["allowed"][0]["name"], "leave");
}

#[test]
fn a_gluing_invariant_that_fails_is_named() {
    let folder = Folder::new("refine-gluing");
    folder.file("A.mch", "MACHINE A VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0 OPERATIONS up = SELECT x < 3 THEN x := x + 1 END END");
    let text = "REFINEMENT B REFINES A VARIABLES y INVARIANT y : 0..6 & y = 2 * x INITIALISATION y := 0 \
        OPERATIONS up = SELECT y < 6 THEN IF y = 2 THEN y := 5 ELSE y := y + 2 END END END";
    folder.file("B.ref", text);
    let run = refine(&folder.path("B.ref"), &["--by", "simulation"]);
    let json = run.json();
    let candidate = &json["counterexample"]["failed"]["candidates"][0];
    assert_eq!((run.status, json["counterexample"]["obligation"].as_str()), (15, Some("outcome")));
    assert_eq!((candidate["fault"].as_str(), candidate["state"]["x"].as_str()), (Some("y = 2 * x"), Some("2")));
    assert_eq!(json["gluing_unchecked"], 0);
    // The traces are the same, whatever the invariant says, and the report does not hide that.
    for by in ["traces", "failures"] {
        let run = refine(&folder.path("B.ref"), &["--by", by]);
        assert_eq!((run.status, &run.json()["gluing_unchecked"]), (0, &1.into()));
        let told = abridge(&["refine", &folder.path("B.ref"), "--by", by]).stdout;
        assert!(
            told.contains(&format!("1 gluing conjunct of the invariant not checked: {by} do not look at them")),
            "{told}"
        );
    }
    assert_eq!(refine("models/Queue.ref", &["--by", "simulation"]).json()["gluing_unchecked"], 0);
}

#[test]
fn new_operations_are_errors_or_hidden_and_may_diverge() {
    let folder = Folder::new("refine-new");
    folder.file(
        "A.mch",
        "MACHINE A VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS flip = x := 1 - x END",
    );
    let text = "REFINEMENT B REFINES A VARIABLES x, n INVARIANT n : 0..2 INITIALISATION x := 0 || n := 0 \
        OPERATIONS flip = SELECT n = 2 THEN x := 1 - x || n := 0 END; tick = SELECT n < 2 THEN n := n + 1 END END";
    folder.file("B.ref", text);
    let file = folder.path("B.ref");
    assert_eq!(refine(&file, &[]).status, 15);
    for by in ["traces", "failures"] {
        assert_eq!(refine(&file, &["--new", "skip", "--by", by]).status, 0, "{by}");
    }
    folder.file("B.ref", &text.replace("n := n + 1", "n := 1 - n"));
    assert_eq!(refine(&file, &["--new", "skip"]).status, 0);
    let run = refine(&file, &["--new", "skip", "--by", "failures"]);
    let json = run.json();
    assert_eq!((run.status, json["counterexample"]["loop_start"].as_u64()), (15, Some(1)), "{json}");
}

#[test]
fn operations_of_machines_that_only_one_level_sees_are_not_compared() {
    let folder = Folder::new("refine-seen");
    folder.file(
        "Log.mch",
        "MACHINE Log OPERATIONS write(tt) = PRE tt : STRING THEN skip END; bb <-- ask = bb :: BOOL END",
    );
    let clock = "MACHINE Clock VARIABLES now INVARIANT now : 0..2 INITIALISATION now := 0 \
        OPERATIONS tick = now := (now + 1) mod 3; tt <-- time = tt := now END";
    folder.file("Clock.mch", clock);
    folder.file("A.mch", "MACHINE A OPERATIONS rr <-- get = rr :: 0..2 END");
    folder.file(
        "B.imp",
        "IMPLEMENTATION B REFINES A SEES Log, Clock OPERATIONS rr <-- get = BEGIN write(\"get\"); rr <-- time END END",
    );
    for by in ["traces", "simulation", "failures"] {
        let json = refine(&folder.path("B.imp"), &["--by", by]).json();
        assert_eq!((json["verdict"].as_str(), json["pairs"].as_u64()), (Some("holds"), Some(3)), "{by}: {json}");
    }
    // What the clock does is no excuse for what the refinement does.
    folder.file("A.mch", "MACHINE A OPERATIONS rr <-- get = rr :: 0..1 END");
    let json = refine(&folder.path("B.imp"), &[]).json();
    assert_eq!((json["verdict"].as_str(), &json["counterexample"]["steps"]), (Some("violated"), &4.into()), "{json}");
    folder.file("A.mch", "MACHINE A SEES Log OPERATIONS rr <-- get = rr :: 0..2 END");
    folder.file("B.imp", "IMPLEMENTATION B REFINES A OPERATIONS rr <-- get = rr := 1 END");
    assert_eq!(refine(&folder.path("B.imp"), &["--by", "simulation"]).status, 0);
}

#[test]
fn traces_point_to_simulation_where_a_precondition_was_left_out() {
    let folder = Folder::new("refine-left-out");
    let machine = "MACHINE A VARIABLES x INVARIANT x : 0..2 INITIALISATION x := 0 \
        OPERATIONS up(n) = PRE n : 1..2 & x + n <= 2 THEN x := x + n END; half = PRE x > 0 THEN x := x / 2 END; tt <-- ask = tt := x END";
    folder.file("A.mch", machine);
    let text = "REFINEMENT B REFINES A VARIABLES x INITIALISATION x := 0 \
        OPERATIONS up(n) = PRE n : 1..2 THEN x := x + n END; half = x := x / 2; tt <-- ask = tt := x END";
    folder.file("B.ref", text);
    let file = folder.path("B.ref");
    let pointer = "`--by simulation` looks at `half` only where its precondition in A holds";
    let told = |more: &[&str]| abridge(&[&["refine", &file], more].concat()).stdout;
    assert!(told(&[]).contains(pointer), "{}", told(&[]));
    assert!(told(&["--by", "simulation"]).starts_with("B refines A by simulation"));
    folder.file("B.ref", &text.replace("half = x := x / 2", "half = x := 1 / x"));
    assert!(told(&[]).contains(pointer), "{}", told(&[]));
    folder.file(
        "B.ref",
        &text.replace(
            "half = x := x / 2; tt <-- ask = tt := x",
            "half = PRE x > 0 THEN x := x / 2 END; tt <-- ask = tt := x + 1",
        ),
    );
    assert!(!told(&[]).contains("--by simulation` looks"), "{}", told(&[]));
    folder.file("B.ref", &text.replace("PRE n : 1..2 THEN x := x + n END", "x := x + n"));
    assert!(told(&[]).contains("`--by simulation` and `--assume-preconditions` take the bounds"), "{}", told(&[]));
}

#[test]
fn two_machines_can_be_compared_and_levels_skipped() {
    let folder = Folder::new("refine-against");
    let machine = |name: &str, step: u32| {
        format!(
            "MACHINE {name} SETS S VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0 OPERATIONS up(s) = PRE s : S & x < 6 THEN x := x + {step} END END"
        )
    };
    folder.file("A.mch", &machine("A", 1));
    folder.file("B.mch", &machine("B", 2));
    let run = refine(&folder.path("B.mch"), &["--against", &folder.path("A.mch")]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert_eq!(refine(&folder.path("A.mch"), &["--against", &folder.path("B.mch")]).status, 15);
    assert_eq!(refine(&folder.path("A.mch"), &[]).status, 150);
    folder.file("C.ref", "REFINEMENT C REFINES A VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0 OPERATIONS up(s) = PRE s : S & x < 5 THEN x := x + 1 END END");
    folder.file("D.ref", "REFINEMENT D REFINES C VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0 OPERATIONS up(s) = PRE s : S & x < 4 THEN x := x + 1 END END");
    let json = refine(&folder.path("D.ref"), &[]).json();
    assert_eq!((json["verdict"].as_str(), json["abstraction"].as_str()), (Some("holds"), Some("C")));
    let json = refine(&folder.path("D.ref"), &["--against", &folder.path("A.mch")]).json();
    assert_eq!((json["verdict"].as_str(), json["abstraction"].as_str()), (Some("holds"), Some("A")));
    assert_eq!(refine(&folder.path("D.ref"), &["--against", &folder.path("B.mch")]).status, 150);
}

#[test]
fn what_may_be_missing_is_neither_a_failure_nor_a_proof() {
    let folder = Folder::new("refine-gap");
    folder.file("A.mch", "MACHINE A VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS set(n) = PRE n : NATURAL THEN x := n END; n <-- get = n := x END");
    // The abstraction has infinitely many arguments, but each call can be followed.
    let bounded = "REFINEMENT B REFINES A VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS set(n) = PRE n : 0..3 THEN x := n END; n <-- get = n := x END";
    folder.file("B.ref", bounded);
    assert_eq!(refine(&folder.path("B.ref"), &[]).status, 0);
    folder.file("B.ref", &bounded.replace("n : 0..3", "n : NATURAL"));
    let run = refine(&folder.path("B.ref"), &[]);
    assert_eq!((run.status, run.json()["verdict"].as_str()), (20, Some("incomplete")));
    folder.file("B.ref", &bounded.replace("n <-- get = n := x", "n <-- get = n := 10 / x"));
    assert_eq!(refine(&folder.path("B.ref"), &[]).status, 75);
    let run = refine("models/scheduler1.ref", &["--max-states", "5"]);
    assert_eq!((run.status, run.json()["verdict"].as_str()), (20, Some("incomplete")));
}

/// A refinement with many states of a machine with few; the bound of `three` decides whether it holds.
fn counters(folder: &Folder, bound: u32) -> String {
    counters_to(folder, 30, bound)
}

/// Two counters up to `most` and a third up to `bound`, which the abstraction counts up to `most`.
fn counters_to(folder: &Folder, most: u32, bound: u32) -> String {
    folder.file(
        "Few.mch",
        &format!(
            "MACHINE Few VARIABLES n INVARIANT n : 0..{most} INITIALISATION n := 0 OPERATIONS one = skip; two = skip; three = SELECT n < {most} THEN n := n + 1 END END"
        ),
    );
    folder.file(
        "Many.ref",
        &format!(
            "REFINEMENT Many REFINES Few VARIABLES a, b, c INVARIANT c = n & a : 0..{most} & b : 0..{most} INITIALISATION a := 0 || b := 0 || c := 0 OPERATIONS one = SELECT a < {most} THEN a := a + 1 END; two = SELECT b < {most} THEN b := b + 1 END; three = SELECT c < {bound} THEN c := c + 1 END END"
        ),
    )
}

/// What does not depend on time, memory and files.
fn essence(mut json: serde_json::Value) -> serde_json::Value {
    for key in [
        "search_seconds",
        "total_seconds",
        "peak_bytes",
        "table_bytes",
        "checkpoints",
        "spilled",
        "resumed",
        "diagnostics",
    ] {
        json[key] = serde_json::Value::Null;
    }
    json
}

#[test]
fn a_comparison_is_saved_and_gone_on_with() {
    let folder = Folder::new("refine-saved");
    for (bound, status) in [(30, 0), (31, 15)] {
        let file = counters(&folder, bound);
        let whole = refine(&file, &["--workers", "1"]);
        assert_eq!(whole.status, status, "{}", whole.stdout);
        let saved = folder.path(&format!("saved{bound}"));
        let first = refine(&file, &["--checkpoint", &saved, "--max-states", "2000", "--workers", "2"]);
        assert_eq!((first.status, first.json()["checkpoints"].as_u64()), (20, Some(1)), "{}", first.stdout);
        assert_eq!(refine(&file, &["--resume", &saved, "--by", "failures"]).status, 2, "other options are refused");
        let then = refine(&file, &["--resume", &saved, "--max-states", "4000", "--workers", "8"]);
        assert_eq!((then.status, then.json()["resumed"].as_bool()), (20, Some(true)), "{}", then.stdout);
        let last = refine(&file, &["--resume", &saved]);
        assert_eq!(essence(last.json()), essence(whole.json()));
        assert_eq!(last.status, status);
    }
}

/// The cycle of new operations is found behind the last pair, on steps that are part of the checkpoint.
#[test]
fn a_divergence_is_found_after_going_on_with_another_number_of_workers() {
    let folder = Folder::new("refine-divergence-saved");
    folder.file(
        "Still.mch",
        "MACHINE Still VARIABLES n INVARIANT n : 0..1 INITIALISATION n := 0 OPERATIONS go = skip END",
    );
    for (turning, status) in [("a = 40 & b = 40", 15), ("a = 41", 0)] {
        let file = folder.file(
            "Moving.ref",
            &format!(
                "REFINEMENT Moving REFINES Still VARIABLES a, b INVARIANT a : 0..41 & b : 0..41 INITIALISATION a := 0 || b := 0 \
                 OPERATIONS go = skip; right = SELECT a < 40 THEN a := a + 1 END; up = SELECT b < 40 THEN b := b + 1 END; \
                 turn = SELECT {turning} THEN a := 39 || b := 40 END END"
            ),
        );
        let options = ["--new", "skip", "--by", "failures"];
        let whole = refine(&file, &[&options[..], &["--workers", "1"]].concat());
        assert_eq!(whole.status, status, "{}", whole.stdout);
        let saved = folder.path(&format!("saved{status}"));
        let first = refine(&file, &[&options[..], &["--checkpoint", &saved, "--max-states", "900"]].concat());
        assert_eq!(first.status, 20, "{}", first.stdout);
        let last = refine(&file, &[&options[..], &["--resume", &saved, "--workers", "2"]].concat());
        assert_eq!((last.status, essence(last.json())), (status, essence(whole.json())));
        assert!(
            !std::path::Path::new(&saved).join("manifest").exists(),
            "a run that is over leaves nothing to go on with"
        );
        if status == 15 {
            let found = &whole.json()["counterexample"];
            let start = found["loop_start"].as_u64().expect("a loop") as usize;
            let steps = found["trace"].as_array().expect("steps");
            assert!(steps[start..].iter().all(|step| step["name"] != "go"), "only new operations: {found}");
        }
    }
}

/// A comparison that is killed without warning goes on to the same end. A run that was over before it could be killed is repeated with a larger machine.
#[test]
fn a_killed_comparison_goes_on() {
    let folder = Folder::new("refine-killed");
    for most in [30, 45, 70, 100, 150] {
        let file = counters_to(&folder, most, most + 1);
        let saved = folder.path(&format!("saved{most}"));
        if !is_killed_after_a_checkpoint(&file, &saved) {
            continue;
        }
        let whole = refine(&file, &["--workers", "1"]);
        let last = refine(&file, &["--resume", &saved]);
        assert_eq!((last.status, essence(last.json())), (15, essence(whole.json())));
        return;
    }
    panic!("every run ended before it was killed");
}

/// Kills a comparison as soon as it has saved itself; false if it had ended by then.
fn is_killed_after_a_checkpoint(file: &str, saved: &str) -> bool {
    let manifest = std::path::Path::new(saved).join("manifest");
    let args = ["refine", file, "--checkpoint", saved, "--checkpoint-every", "0.0002", "--workers", "1"];
    let mut child = common::command(&args)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    while !manifest.exists() && child.try_wait().expect("a child").is_none() {
        std::thread::yield_now();
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    manifest.exists()
}

#[test]
fn simulation_over_a_chain_is_checked_link_by_link() {
    let folder = Folder::new("refine-chain");
    folder.file("A.mch", "MACHINE A VARIABLES a INVARIANT a : 0..9 INITIALISATION a := 0 OPERATIONS up = SELECT a < 6 THEN a := a + 2 END END");
    let middle = "REFINEMENT B REFINES A VARIABLES b INVARIANT 2 * b = a INITIALISATION b := 0 OPERATIONS up = SELECT b < 3 THEN b := b + 1 END END";
    folder.file("B.ref", middle);
    let file = folder.file("C.ref", "REFINEMENT C REFINES B VARIABLES c INVARIANT c = b + 1 INITIALISATION c := 1 OPERATIONS up = SELECT c < 4 THEN c := c + 1 END END");
    let against = ["--by", "simulation", "--against", &folder.path("A.mch")];
    let json = refine(&file, &against).json();
    assert_eq!((json["verdict"].as_str(), json["links"].as_array().map(Vec::len)), (Some("holds"), Some(2)), "{json}");
    folder.file("B.ref", &middle.replace("b < 3", "b < 4"));
    let run = refine(&file, &against);
    let json = run.json();
    let names = (json["refinement"].as_str(), json["abstraction"].as_str());
    assert_eq!((run.status, names), (15, (Some("B"), Some("A"))), "{json}");
}

/// The checkpoint belongs to the second comparison, so that the first one is not made again.
#[test]
fn a_chain_is_saved_and_gone_on_with() {
    let folder = Folder::new("refine-saved-chain");
    for (bound, status) in [(30, 0), (31, 15)] {
        counters(&folder, bound);
        let file = folder.file(
            "Less.ref",
            "REFINEMENT Less REFINES Many VARIABLES d, e, f INVARIANT d = a & e = b & f = c INITIALISATION d := 0 || e := 0 || f := 0 OPERATIONS one = SELECT d < 3 THEN d := d + 1 END; two = SELECT e < 3 THEN e := e + 1 END; three = SELECT f < 3 THEN f := f + 1 END END",
        );
        let options = ["--by", "simulation", "--against", &folder.path("Few.mch")];
        let with = |more: &[&str]| refine(&file, &[&options[..], more].concat());
        let whole = with(&[]);
        assert_eq!(whole.status, status, "{}", whole.stdout);
        let saved = folder.path(&format!("saved{bound}"));
        let first = with(&["--checkpoint", &saved, "--max-states", "2000", "--workers", "2"]);
        let links = first.json()["links"].as_array().map(Vec::len);
        assert_eq!((first.status, links), (20, Some(2)), "{}", first.stdout);
        assert_eq!(refine(&file, &["--by", "simulation", "--resume", &saved]).status, 2, "that is one comparison");
        let last = with(&["--resume", &saved]);
        assert_eq!(last.status, status, "{}", last.stdout);
        let (mut last, mut whole) = (last.json(), whole.json());
        let held = &last["links"][0];
        let names = (held["refinement"].as_str(), held["before_checkpoint"].as_bool(), held["verdict"].as_str());
        assert_eq!(names, (Some("Less"), Some(true), Some("holds")));
        (last["links"], whole["links"]) = (serde_json::Value::Null, serde_json::Value::Null);
        assert_eq!(essence(last), essence(whole));
    }
}

#[test]
fn counterexamples_are_drawn_side_by_side() {
    let folder = Folder::new("refine-svg");
    let picture = folder.path("short.svg");
    let run =
        abridge(&["refine", "models/ShortQueue.ref", "--by", "failures", "--set-size", "ITEM=3", "--svg", &picture]);
    assert_eq!(run.status, 15, "{}", run.stdout);
    let svg = std::fs::read_to_string(&picture).expect("a picture");
    for text in ["<svg", "ShortQueue", "Pool", "put(ITEM3)", "refuses", "accepts"] {
        assert!(svg.contains(text), "{text} is missing in {svg}");
    }
}

#[test]
fn the_animator_shows_both_machines() {
    let args = ["animate", "models/scheduler1_broken.ref", "--beside", "--json"];
    let start = abridge_with(&args, "");
    assert!(start.json_lines()[0]["steps"].as_array().is_some_and(|steps| !steps.is_empty()), "{}", start.stdout);
    // The shortest failure, replayed: its last step is one that the abstraction cannot follow.
    let found = refine("models/scheduler1_broken.ref", &[]).json();
    let trace = found["counterexample"]["trace"].as_array().expect("a trace").clone();
    let text = |step: &serde_json::Value| {
        let params: Vec<&str> =
            step["params"].as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str()).collect();
        let params = if params.is_empty() { String::new() } else { format!("({})", params.join(",")) };
        format!("{}{params}\n", step["name"].as_str().unwrap_or_default())
    };
    let commands: String = trace.iter().map(text).collect();
    let run = abridge_with(&args, &commands);
    let last = run.json_lines().pop().expect("an answer");
    assert_eq!((run.status, last["fails"].as_str()), (0, Some("trace")), "{}", run.stdout);
    let run = abridge_with(
        &["animate", "models/Queue.ref", "--beside", "--set-size", "ITEM=2"],
        "1\nput(ITEM1)\ntrace\nb\nq\n",
    );
    assert!(run.stdout.contains("  Queue"), "{}", run.stdout);
    assert!(
        run.stdout.lines().any(|line| line.contains("* queue = ") && line.contains("* pool = {ITEM1}")),
        "{}",
        run.stdout
    );
}

/// Files are loaded before anything polls a limit.
#[test]
fn limits_hold_while_files_are_loaded() {
    let folder = Folder::new("refine-loading");
    let many = |form: &str, between: &str| {
        (0..40_000).map(|n| form.replace('@', &n.to_string())).collect::<Vec<_>>().join(between)
    };
    let (names, typing) = (many("v@", ", "), many("v@ : 0..9", " & "));
    let values = many("v@ := 0", " || ");
    folder.file("A.mch", &format!("MACHINE A VARIABLES {names} INVARIANT {typing} INITIALISATION {values} END"));
    folder.file("B.ref", "REFINEMENT B REFINES A VARIABLES w INVARIANT w = v0 INITIALISATION w := 0 END");
    let run = refine(&folder.path("B.ref"), &["--memory", "1M"]);
    assert_eq!((run.status, &run.json()["verdict"]), (20, &"incomplete".into()), "{}", run.stdout);
    assert_eq!(run.json()["limits"][0], "memory limit reached while the machine was loaded", "{}", run.stdout);
}
