//! `abridge canonizers` and `abridge check --reduce`: exit statuses, verdict lines and JSON.

mod common;

use std::path::Path;

use common::{Folder, abridge};

fn ring() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/Ring.mch").display().to_string()
}

#[test]
fn a_proved_reduction_holds_and_a_refuted_one_is_not_searched_with() {
    let run = abridge(&["check", &ring(), "--no-deadlock", "--reduce", "turn", "--json"]);
    let json = run.json();
    assert_eq!((run.status, &json["verdict"], &json["states"]), (0, &"holds".into(), &11.into()), "{json}");
    assert_eq!(json["reduction"]["proved"], true);
    let run = abridge(&["check", &ring(), "--no-deadlock", "--reduce", "mix", "--json"]);
    let json = run.json();
    assert_eq!((run.status, &json["verdict"], &json["states"]), (20, &"incomplete".into(), &0.into()), "{json}");
    assert_eq!(json["reduction"]["refutation"]["name"], "mix");
}

#[test]
fn each_reduction_is_examined() {
    let run = abridge(&["canonizers", &ring(), "--json"]);
    let json = run.json();
    let proved: Vec<bool> =
        json["examined"].as_array().expect("a list").iter().map(|it| it["proved"] == true).collect();
    assert_eq!((run.status, proved), (1, vec![true, false, true]), "{json}");
    let answers: Vec<&str> = ["group_action", "predicates", "bisimulation", "strong"]
        .into_iter()
        .map(|check| json["examined"][1]["parts"][0]["checks"][check]["answer"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(answers, ["proved", "refuted", "refuted", "proved"], "{json}");
}

#[test]
fn the_symbolic_engine_reduces_sets_of_states() {
    for (options, states) in [(&["--reduce", "turn"][..], 11), (&["--reduce", "rot:local"], 11), (&[], 34)] {
        let run =
            abridge(&[&["check", &ring(), "--no-deadlock", "--engine", "symbolic", "--json"][..], options].concat());
        let json = run.json();
        assert_eq!((run.status, &json["states"]), (0, &states.into()), "{options:?} {json}");
        assert_eq!(json["engine"], "symbolic", "{json}");
    }
    // What the engine does not do is told, and nothing holds.
    let run = abridge(&[
        "check",
        &ring(),
        "--no-deadlock",
        "--engine",
        "symbolic",
        "--reduce",
        "rot",
        "--canonise-start",
        "no",
        "--json",
    ]);
    let json = run.json();
    assert_eq!((run.status, &json["verdict"]), (20, &"incomplete".into()), "{json}");
}

#[test]
fn what_cannot_be_combined_is_refused() {
    for options in [
        &["--check-por", "5"][..],
        &["--symmetry", "canon"],
        &["--engine", "auto"],
        &["--engine", "symbolic", "--por", "syntactic"],
        &["--prob-limits"],
    ] {
        let run = abridge(&[&["check", &ring(), "--reduce", "turn"][..], options].concat());
        assert_eq!(run.status, 2, "{options:?}");
    }
    assert_eq!(abridge(&["check", &ring(), "--reduce", "spin"]).status, 2);
    assert_eq!(abridge(&["check", &ring(), "--check-reduce"]).status, 2);
}

#[test]
fn a_reduction_that_is_not_there_is_explained() {
    let run = abridge(&["check", &ring(), "--reduce", "rot,rot:local"]);
    assert!(run.status == 2 && run.stderr.contains("`rot` is named twice in a row"), "{}", run.stderr);
    // Between others it may come back.
    assert_eq!(abridge(&["check", &ring(), "--no-deadlock", "--reduce", "rot,turn,rot"]).status, 0);
    let folder = Folder::new("canonizers-ignored");
    let text = "MACHINE Ignored DEFINITIONS CANONIZER_c == BEGIN xx :: 0..1 END; ROTATION_r == 0..7 \
                VARIABLES xx INVARIANT xx : 0..1 INITIALISATION xx := 0 OPERATIONS flip = BEGIN xx := 1 - xx END END";
    let file = folder.file("Ignored.mch", text);
    for (name, definition) in [("c", "CANONIZER_c"), ("r", "ROTATION_r")] {
        let run = abridge(&["check", &file, "--reduce", name]);
        let why = format!("no reduction `{name}`: `{definition}` is ignored");
        assert!(run.status == 2 && run.stderr.contains(&why), "{}", run.stderr);
        assert!(run.stderr.contains("warning[wrong-reduction]"), "{}", run.stderr);
    }
    let run = abridge(&["canonizers", &file]);
    assert!(run.stdout.contains("is ignored; see the diagnostics"), "{}", run.stdout);
}

#[test]
fn the_symbolic_engine_names_the_function_without_a_circuit() {
    let folder = Folder::new("canonizers-gap");
    let text = "MACHINE Loop DEFINITIONS CANONIZER_c == VAR nn IN nn := xx; WHILE nn > 6 DO nn := nn - 2 INVARIANT nn : NATURAL \
                VARIANT nn END; xx := nn END VARIABLES xx INVARIANT xx : 0..6 INITIALISATION xx := 0 \
                OPERATIONS up = SELECT xx < 5 THEN xx := xx + 2 END END";
    let run =
        abridge(&["check", &folder.file("Loop.mch", text), "--no-deadlock", "--engine", "symbolic", "--reduce", "c"]);
    assert!(run.status == 20 && run.stdout.contains("function `CANONIZER_c` has no exact circuit"), "{}", run.stdout);
}

#[test]
fn symmetry_and_partial_order_go_with_reductions() {
    let folder = Folder::new("canonizers-together");
    // Seats can be turned and colours exchanged; two operations have nothing to do with each other.
    let file = folder.file(
        "Both.mch",
        "MACHINE Both SETS COLOUR DEFINITIONS scope_COLOUR == 3; ROTATION_turn == 0 .. 3 VARIABLES paint, tick \
         INVARIANT paint : 0 .. 3 <-> COLOUR & tick : 0 .. 2 & card(ran(paint)) <= 3 \
         INITIALISATION paint := {} || tick := 0 OPERATIONS \
         add(seat, cc) = PRE seat : 0 .. 3 & cc : COLOUR & seat |-> cc /: paint THEN paint := paint \\/ {seat |-> cc} END; \
         pass = PRE tick < 2 THEN tick := tick + 1 END END",
    );
    let run = |options: &[&str]| {
        let run = abridge(&[&["check", &file, "--no-deadlock", "--json"][..], options].concat());
        let json = run.json();
        (run.status, json["states"].as_u64().expect("a number"), json)
    };
    let (status, turned, _) = run(&["--reduce", "turn"]);
    assert_eq!(status, 0);
    // A search this short ends before there is a trial of the reduction.
    let (status, states, json) = run(&["--reduce", "turn", "--por", "auto"]);
    assert_eq!((status, states), (0, turned), "{json}");
    for options in [&["--symmetry", "auto"][..], &["--por", "semantic"], &["--symmetry", "auto", "--por", "semantic"]] {
        let (status, states, json) = run(&[&["--reduce", "turn"][..], options].concat());
        assert_eq!(status, 0, "{options:?}: {json}");
        assert!(states < turned, "{options:?}: {states} of {turned}");
    }
}

#[test]
fn formulas_hold_where_their_atoms_are_proved() {
    let ring = ring();
    let verdict = |formula: &str| {
        let run = abridge(&["check", &ring, "--no-deadlock", "--reduce", "rot", "--ltl", formula, "--json"]);
        (run.status, run.json()["temporal"][0]["verdict"].as_str().unwrap_or_default().to_owned())
    };
    let neighbours = "G {!ii.(ii : 0 .. 3 => not(phase(ii) = eating & phase((ii + 1) mod 4) = eating))}";
    assert_eq!(verdict(neighbours), (0, "holds".to_owned()));
    assert_eq!(verdict("G ([eat] => X e(stop))"), (0, "holds".to_owned()));
    // Who it is, a rotation does not preserve.
    for formula in ["G ([eat(0)] => X e(stop))", "G ({phase(0) = eating} => e(stop))"] {
        let (status, verdict) = verdict(formula);
        assert!(status == 20 && verdict != "holds", "{formula}: {status} {verdict}");
    }
}

#[test]
fn a_machine_without_end_is_compared_along_the_reduced_system() {
    let folder = Folder::new("canonizers-endless");
    let file = folder.file(
        "Endless.mch",
        "MACHINE Endless DEFINITIONS CANONIZER_wrap == BEGIN nn := nn mod 400 END VARIABLES nn INVARIANT nn : NATURAL \
         INITIALISATION nn := 0 OPERATIONS up = nn := nn + 1; late = PRE nn > 399 THEN skip END END",
    );
    let run =
        |options: &[&str]| abridge(&[&["check", &file, "--no-deadlock", "--reduce", "wrap"][..], options].concat());
    let tested = run(&[]);
    assert!(tested.status == 20 && tested.stdout.contains("reduction tested on"), "{}", tested.stdout);
    let compared = run(&["--check-reduce", "--max-states", "2000"]);
    assert!(compared.status == 20 && compared.stdout.contains("the reduction may be wrong"), "{}", compared.stdout);
}

#[test]
fn a_run_with_a_tested_reduction_goes_on_from_its_checkpoint() {
    let folder = Folder::new("canonizers-checkpoint");
    let text = |modulus: u32| {
        format!(
            "MACHINE Wheel DEFINITIONS CANONIZER_wrap == BEGIN nn := nn mod {modulus} END VARIABLES nn INVARIANT nn : NATURAL \
             INITIALISATION nn := 0 OPERATIONS up = nn := nn + 1; jump = nn := nn + 3 END"
        )
    };
    let (file, saved) = (folder.file("Wheel.mch", &text(9000)), folder.path("saved"));
    let check = |options: &[&str]| abridge(&[&["check", &file, "--reduce", "wrap", "--json"][..], options].concat());
    let whole = check(&[]).json();
    assert_eq!(check(&["--max-states", "500", "--checkpoint", &saved]).status, 20);
    let resumed = check(&["--resume", &saved]).json();
    for key in ["states", "transitions", "verdict"] {
        assert_eq!(resumed[key], whole[key], "{resumed}");
    }
    // Another function would give another system.
    folder.file("Wheel.mch", &text(8000));
    assert_eq!(check(&["--resume", &saved]).status, 2);
}

#[test]
fn states_that_could_not_be_tested_are_named() {
    let folder = Folder::new("canonizers-untested");
    let text = "MACHINE M DEFINITIONS
        CANONIZER_loop == BEGIN WHILE y > 0 DO skip INVARIANT TRUE = TRUE VARIANT 1 END END
        VARIABLES x, y INVARIANT x : 0..5 & y : 0..1 INITIALISATION x := 0 || y := 0
        OPERATIONS inc = SELECT x < 6 THEN x := x + 1 || y := 1 END END";
    let file = folder.file("M.mch", text);
    let run = abridge(&["canonizers", &file]);
    assert!(run.stdout.contains("states could not be tested, the first with x = 1, y = 1"), "{}", run.stdout);
    let run = abridge(&["check", &file, "--reduce", "loop"]);
    assert_eq!(run.status, 12, "{}", run.stdout);
    assert!(run.stdout.contains("has no result in a state with x = 1, y = 1, which stays as it is"), "{}", run.stdout);
}

#[test]
fn strategies_are_for_generators() {
    let folder = Folder::new("canonizers-strategy");
    let text = "MACHINE Cut DEFINITIONS CANONIZER_c == BEGIN yy := 0 END; ID == NATURAL; ABSTRACT_a == ID VARIABLES xx, yy \
                INVARIANT xx : ID & yy : 0..1 INITIALISATION xx, yy := 0, 0 OPERATIONS flip = BEGIN yy := 1 - yy END END";
    let file = folder.file("Cut.mch", text);
    for name in ["c", "a"] {
        let run = abridge(&["check", &file, "--reduce", &format!("{name}:local")]);
        assert!(run.status == 2 && run.stderr.contains(&format!("`{name}` is a canonizer")), "{}", run.stderr);
        assert_ne!(abridge(&["check", &file, "--reduce", name]).status, 2);
    }
}

/// What lies outside of the scope is neither inspected nor explored, so that circuits say nothing about the search.
#[test]
fn a_scope_leaves_nothing_proved() {
    let folder = Folder::new("canonizers-scope");
    let text = "MACHINE Narrow DEFINITIONS SCOPE == yy = 0; CANONIZER_c == BEGIN yy := 1 END VARIABLES xx, yy \
                INVARIANT xx : 0..6 & yy : 0..1 & xx < 3 INITIALISATION xx, yy := 0, 0 \
                OPERATIONS up = SELECT xx < 6 THEN xx := xx + 1 END; flip = BEGIN yy := 1 - yy END END";
    let file = folder.file("Narrow.mch", text);
    assert_eq!(abridge(&["check", &file, "--no-deadlock"]).status, 12);
    for options in [&[][..], &["--check-reduce"]] {
        let run = abridge(&[&["check", &file, "--no-deadlock", "--reduce", "c"][..], options].concat());
        assert_eq!(run.status, 20, "{}", run.stdout);
        assert!(run.stdout.contains("predicates: refuted (conjunct 3 of the invariant"), "{}", run.stdout);
    }
}

/// `stop2` is enabled in the machine, and its exchange with `stop1` hides that from the counts.
#[test]
fn coverage_tells_that_operations_may_be_exchanged() {
    let folder = Folder::new("canonizers-coverage");
    let text = "MACHINE Pair DEFINITIONS GENERATOR_g == BEGIN xx := (3 - xx) mod 3 END VARIABLES xx INVARIANT xx : 0..2 \
                INITIALISATION xx := 0 OPERATIONS go1 = SELECT xx = 0 THEN xx := 1 END; go2 = SELECT xx = 0 THEN xx := 2 END; \
                stop1 = SELECT xx = 1 THEN xx := 0 END; stop2 = SELECT xx = 2 THEN xx := 0 END END";
    let file = folder.file("Pair.mch", text);
    let run = abridge(&["check", &file, "--reduce", "g", "--coverage"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(run.stdout.contains("canonizers may exchange operations"), "{}", run.stdout);
}

/// From 3 it goes to 0 and stays there: nothing leads back, which is noticed long before an orbit is too large.
#[test]
fn a_generator_that_leads_nowhere_is_told() {
    let folder = Folder::new("canonizers-nowhere");
    for (number, body) in
        ["xx := max({xx - 1, 0})", "xx, yy := max({xx - 1, 0}), yy + min({xx, 0})"].into_iter().enumerate()
    {
        let text = format!(
            "MACHINE Nowhere DEFINITIONS GENERATOR_c == BEGIN {body} END VARIABLES xx, yy INVARIANT xx : 0..3 & yy : 0..1 \
             INITIALISATION xx, yy := 0, 0 OPERATIONS up = SELECT xx < 3 THEN xx := xx + 1 END; flip = BEGIN yy := 1 - yy END END"
        );
        let file = folder.file(&format!("Nowhere{number}.mch"), &text.replace("Nowhere", &format!("Nowhere{number}")));
        let run = abridge(&["check", &file, "--no-deadlock", "--reduce", "c"]);
        assert_eq!(run.status, 20, "{}", run.stdout);
        assert!(run.stdout.contains("`c` never leads back in a state with xx = 1"), "{}", run.stdout);
        assert!(run.stdout.contains("strong: not proved (it needs a group)"), "{}", run.stdout);
    }
}
