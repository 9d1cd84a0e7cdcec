//! Formulas of branching time on the command line: trees of evidence, fairness, spaces without end.

mod common;

use common::{Folder, abridge, counter};
use serde_json::Value;

/// The report of the only formula.
fn only(json: &Value) -> &Value {
    let list = json["temporal"].as_array().expect("a list of formulas");
    assert_eq!(list.len(), 1, "{json}");
    &list[0]
}

fn names(branch: &Value) -> Vec<&str> {
    let steps = branch["trace"].as_array().expect("a trace");
    steps.iter().map(|step| step["name"].as_str().expect("a name")).collect()
}

fn ctl(file: &str, formula: &str, others: &[&str]) -> (i32, Value) {
    let mut args = vec!["check", file, "--no-deadlock", "--no-temporal", "--json", "--ctl", formula];
    args.extend(others);
    let run = abridge(&args);
    (run.status, run.json())
}

#[test]
fn evidence_is_a_tree() {
    let formula = "EF (EG {door = shut} & EX {door = locked})";
    let (status, json) = ctl("models/Vault.mch", formula, &[]);
    assert_eq!((status, &only(&json)["verdict"]), (0, &"holds".into()));
    let root = &only(&json)["evidence"];
    assert_eq!((names(root), &root["holds"]), (vec!["INITIALISATION", "unlock"], &true.into()), "{root}");
    let [stay, next] = root["parts"].as_array().expect("parts").as_slice() else { panic!("{root}") };
    assert_eq!((&stay["formula"], &stay["after"]), (&"EG {door = shut}".into(), &2.into()), "{root}");
    assert_eq!((names(stay), &stay["loop_start"]), (vec!["pass_by"], &0.into()), "{root}");
    assert_eq!((&next["formula"], names(next)), (&"EX {door = locked}".into(), vec!["lock"]), "{root}");
    let text = abridge(&["check", "models/Vault.mch", "--no-temporal", "--ctl", formula]).stdout;
    let expected = "\
--ctl holds: EF (EG {door = shut} & EX {door = locked})

    1  INITIALISATION  door = locked
    2  unlock          door = shut
  after step 2: `EG {door = shut}` holds
    loop starts here
      3  pass_by
    loop: the last step for ever
  after step 2: `EX {door = locked}` holds
      3  lock  door = locked
";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_counterexample_says_what_is_false_on_all_paths() {
    let (status, json) = ctl("models/Vault.mch", "AG (EX {door = walled} => EF {door = wide_open})", &[]);
    assert_eq!((status, &only(&json)["verdict"]), (13, &"violated".into()));
    let root = &only(&json)["evidence"];
    assert_eq!(names(root), ["INITIALISATION", "wall_up"], "{root}");
    let parts = root["parts"].as_array().expect("parts");
    let of = |formula: &str| parts.iter().find(|part| part["formula"] == formula).unwrap_or_else(|| panic!("{root}"));
    assert_eq!(of("EF {door = wide_open}")["on_all_paths"], true);
    assert_eq!((names(of("EX {door = walled}")), &of("EX {door = walled}")["holds"]), (vec!["pass_by"], &true.into()));
    // The trace is one way through the tree.
    assert_eq!(names(only(&json)), ["INITIALISATION", "wall_up", "pass_by"], "{json}");
}

#[test]
fn the_part_that_decides_is_named() {
    let text =
        abridge(&["check", "models/Vault.mch", "--no-temporal", "--ctl", "AG {door : DOOR} & AF {door = walled}"]);
    assert_eq!(text.status, 13);
    assert!(text.stdout.contains("\n  `AF {door = walled}` is false\n\n    1  INITIALISATION"), "{}", text.stdout);
    assert!(text.stdout.contains("  loop starts here\n"), "{}", text.stdout);
}

#[test]
fn paths_may_have_to_be_fair() {
    let response = "AG ({waits = TRUE} => AF {waits = FALSE})";
    for (premise, verdict) in
        [("", "violated"), ("WF(serve) => ", "holds"), ("WEF => ", "holds"), ("SF(work) => ", "violated")]
    {
        for reduction in [&["--symmetry", "auto"][..], &["--workers", "2"], &["--por", "semantic"]] {
            let (_, json) = ctl("models/Requests.mch", &format!("{premise}{response}"), reduction);
            assert_eq!(only(&json)["verdict"], verdict, "{premise} {reduction:?}: {json}");
        }
    }
    // A path to a goal goes on fairly, too.
    let (_, json) = ctl("models/Requests.mch", "WF(serve) => EF {waits = TRUE}", &[]);
    let root = &only(&json)["evidence"];
    let loop_start = root["loop_start"].as_u64().unwrap_or_else(|| panic!("{root}")) as usize;
    assert!(names(root)[loop_start..].contains(&"serve"), "{root}");
    let (_, json) = ctl("models/Requests.mch", "AG WF(serve)", &[]);
    let message = json["diagnostics"][0]["message"].as_str().expect("a message").to_owned();
    assert_eq!(message, "`WF(serve)` cannot stand here in a formula of CTL");
}

#[test]
fn a_violation_in_a_space_without_end_is_found() {
    let folder = Folder::new("branching-endless");
    let machine = counter("n : NATURAL", "up = BEGIN n := n + 1 END; stay = SELECT n = 3 THEN skip END");
    let file = folder.file("counter.mch", &machine);
    let (status, json) = ctl(&file, "AG ({n = 2} => AX {n /= 3})", &["--time", "60"]);
    assert_eq!((status, &only(&json)["verdict"]), (13, &"violated".into()), "{json}");
    let (_, json) = ctl(&file, "AF {n = 5}", &["--time", "60"]);
    let found = only(&json);
    assert_eq!((&found["verdict"], found["loop_start"].is_u64()), (&"violated".into(), true), "{json}");
    // What missing steps may decide is not known.
    let (status, json) = ctl(&file, "AG EF {n = 2000}", &["--max-depth", "50"]);
    assert_eq!((status, &only(&json)["verdict"]), (20, &"incomplete".into()), "{json}");
}

#[test]
fn a_loop_that_closes_on_the_last_level_is_found() {
    let folder = Folder::new("branching-last-level");
    // The fourth state leads back to the first, and on.
    let machine = counter("n : NATURAL", "up = BEGIN n := n + 1 END; reset = SELECT n = 3 THEN n := 0 END");
    let file = folder.file("counter.mch", &machine);
    for depth in 1..=8 {
        let depth_text = depth.to_string();
        let formulas = ["--ltl", "F {n = 9}", "--ctl", "AF {n = 9}"];
        let run = abridge(&[&["check", &file, "--max-depth", &depth_text, "--json"][..], &formulas].concat());
        let json = run.json();
        let list = json["temporal"].as_array().expect("formulas");
        // As soon as the fourth state is visited, its steps are looked at.
        let verdict = if json["states"].as_u64() >= Some(4) { "violated" } else { "incomplete" };
        assert!(list.iter().all(|one| one["verdict"] == verdict), "{depth}: {json}");
    }
}

/// Without initial states there is nothing that could hold.
#[test]
fn nothing_holds_where_the_initialisation_fails() {
    let folder = Folder::new("branching-initialisation");
    let file = folder.file("counter.mch", &counter("n = n", "up = skip").replace("n := 0", "n := 1 / 0"));
    let run = abridge(&["check", &file, "--ltl", "F {n = 9}", "--ctl", "AF {n = 9}", "--json"]);
    let json = run.json();
    let list = json["temporal"].as_array().expect("formulas");
    assert!(list.len() == 2 && list.iter().all(|one| one["verdict"] == "incomplete"), "{json}");
}

#[test]
fn events_of_csp_have_their_arguments_behind_a_dot() {
    let formula = "G ([ask.left] => F {left : inside})";
    let run = abridge(&["check", "models/Semaphore.mch", "--no-temporal", "--ltl", formula, "--json"]);
    let json = run.json();
    let found = only(&json);
    assert_eq!((run.status, &found["verdict"]), (13, &"violated".into()), "{json}");
    assert_eq!(found["diagnostics"][0]["message"], "`ask.left` is read as `ask(left)`");
    let run = abridge(&["check", "models/Semaphore.mch", "--no-temporal", "--ltl", "F [ask.nobody]", "--json"]);
    let json = run.json();
    let ids: Vec<&Value> = json["diagnostics"].as_array().expect("a list").iter().map(|one| &one["id"]).collect();
    assert!(run.status == 150 && ids.contains(&&Value::from("unknown-identifier")), "{json}");
    let run = abridge(&["check", "models/Semaphore.mch", "--no-temporal", "--ltl", "F [ask.left.left]", "--json"]);
    assert_eq!((run.status, &run.json()["diagnostics"][0]["id"]), (150, &"unknown-operation".into()));
}
