//! Temporal formulas on the command line: `abridge ltl`, and `abridge check` with formulas of machines, options and files.

mod common;

use common::{Folder, Run, abridge, counter};
use serde_json::{Value, json};

const RESPONSE: &str = "G ([request] => F [serve])";

/// The report of one formula.
fn formula<'j>(json: &'j Value, name: &str) -> &'j Value {
    let list = json["temporal"].as_array().expect("a list of formulas");
    list.iter().find(|formula| formula["name"] == name).unwrap_or_else(|| panic!("no `{name}` in {json}"))
}

fn verdicts(json: &Value) -> Vec<(&str, &str)> {
    let list = json["temporal"].as_array().expect("a list of formulas");
    list.iter().map(|formula| (formula["name"].as_str().unwrap(), formula["verdict"].as_str().unwrap())).collect()
}

fn up_to_three() -> String {
    counter("n : 0..3", "up = PRE n < 3 THEN n := n + 1 END")
}

#[test]
fn a_formula_is_shown_with_its_automaton() {
    let run = abridge(&["ltl", RESPONSE]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let mut lines = run.stdout.lines();
    assert_eq!(lines.next(), Some(RESPONSE));
    assert_eq!(lines.next(), Some("class              weak (a violation is a loop in an accepting component)"));
    assert_eq!(lines.next(), Some("stutter-invariant  yes"));
    assert!(run.stdout.contains("\nstate  to   marks  if\n"), "{}", run.stdout);
    assert!(run.stdout.contains("  end  "), "a path may end: {}", run.stdout);
}

#[test]
fn an_automaton_is_printed_in_all_formats() {
    let hoa = abridge(&["ltl", RESPONSE, "--hoa"]).stdout;
    assert!(hoa.starts_with("HOA: v1\nname: \"G ([request] => F [serve])\"\nStates: "), "{hoa}");
    assert!(hoa.contains("\"[request]\" \"[serve]\" \"alive\"") && hoa.ends_with("--END--\n"), "{hoa}");
    let dot = abridge(&["ltl", RESPONSE, "--violations", "--dot"]).stdout;
    assert!(dot.starts_with("digraph automaton {\n  label=\"not G ([request] => F [serve])\""), "{dot}");
    let svg = abridge(&["ltl", "G {xx < 2 & yy > 1}", "--svg"]).stdout;
    assert!(
        svg.starts_with("<svg ") && svg.contains("{xx &lt; 2 &amp; yy &gt; 1}") && svg.ends_with("</svg>\n"),
        "{svg}"
    );
    assert_eq!(abridge(&["ltl", RESPONSE, "--hoa", "--dot"]).status, 2);
}

#[test]
fn a_formula_is_shown_as_json() {
    let json = abridge(&["ltl", "SF(go) & WF(stop(_,1)) => G {xx = 1}", "--json"]).json();
    assert_eq!((&json["class"], &json["is_stutter_invariant"]), (&"safety".into(), &true.into()), "{json}");
    assert_eq!(json["fairness"], "WF(stop(_,1)) & SF(go)");
    let automaton = &json["automaton"];
    assert_eq!((&automaton["initial"], &automaton["is_deterministic"]), (&0.into(), &true.into()));
    let states = json!([{ "edges": [{ "to": 0, "guard": ["{xx = 1}"], "marks": [] }], "last": ["{xx = 1}"] }]);
    assert_eq!(automaton["states"], states);
    assert_eq!(abridge(&["ltl", "G {xx = 1}", "--json"]).json()["fairness"], Value::Null);
}

#[test]
fn classes_are_told_apart() {
    let classes = [
        ("G {xx = 1}", "safety"),
        ("G ([go] => X {xx = 1})", "safety"),
        ("F {xx = 1}", "guarantee"),
        ("G {xx = 1} or F {xx = 2}", "obligation"),
        ("G ({xx = 1} => F {xx = 2})", "weak"),
        ("F G {xx = 1}", "general"),
    ];
    for (text, class) in classes {
        assert_eq!(abridge(&["ltl", text, "--json"]).json()["class"], class, "{text}");
    }
    assert_eq!(abridge(&["ltl", "[go]", "--json"]).json()["is_stutter_invariant"], false);
}

#[test]
fn a_wrong_formula_is_located() {
    let run = abridge(&["ltl", "G ({xx = 1} => F"]);
    assert_eq!(run.status, 150);
    assert!(
        run.stderr.contains("<formula>:1:17") || run.stdout.contains("<formula>:1:17"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    let json = abridge(&["ltl", "!pp.({pp : PROC} => F {pp : inside})", "--json"]).json();
    assert_eq!(json["diagnostics"][0]["id"], "temporal-formula", "{json}");
    assert_eq!(json["diagnostics"][0]["place"]["column"], 6, "{json}");
}

/// The machine has infinitely many states, so that only who looks at formulas first has an answer.
#[test]
fn a_wrong_formula_is_told_before_the_search() {
    let folder = Folder::new("temporal-wrong");
    let text = "MACHINE M VARIABLES xx INVARIANT xx : NATURAL INITIALISATION xx := 0 OPERATIONS up = BEGIN xx := xx + 1 END END";
    let file = folder.file("M.mch", text);
    let options = [
        ("--ltl", "G {zz = 0}", "unknown-identifier"),
        ("--ltl", "G (", "missing-operand"),
        ("--ctl", "AG e(nop)", "unknown-operation"),
    ];
    for (option, formula, id) in options {
        let run = abridge(&["check", &file, "--ltl", "true", option, formula]);
        assert_eq!((run.status, run.stdout.as_str()), (150, ""), "{formula}");
        assert_eq!(run.stderr.matches("error[").count(), 1, "{}", run.stderr);
        let json = abridge(&["check", &file, option, formula, "--json"]).json();
        assert_eq!((&json["verdict"], &json["diagnostics"][0]["id"]), (&"error".into(), &id.into()), "{json}");
    }
    // One of the machine does not stop others, and is told once.
    let text = text.replace("MACHINE M ", "MACHINE M DEFINITIONS ASSERT_LTL == \"G {zz = 0}\" ");
    let run = abridge(&["check", &folder.file("M.mch", &text), "--max-states", "9", "--ltl", "G {xx < 5}"]);
    assert_eq!(run.status, 13);
    assert!(
        run.stderr.contains("`zz` is not declared") && !run.stdout.contains("error["),
        "{}{}",
        run.stderr,
        run.stdout
    );
    assert!(run.stdout.contains("ASSERT_LTL: the formula is wrong\n"), "{}", run.stdout);
}

#[test]
fn properties_of_a_machine_are_checked() {
    let run = abridge(&["check", "models/Semaphore.mch", "--json"]);
    let json = run.json();
    assert_eq!((run.status, &json["verdict"]), (13, &"violated".into()));
    let expected = [("ASSERT_LTL1", "violated"), ("ASSERT_LTL2", "violated"), ("ASSERT_LTL3", "holds")];
    assert_eq!(verdicts(&json), expected);
    let wrong = formula(&json, "ASSERT_LTL2");
    assert_eq!((&wrong["logic"], &wrong["gap"]), (&"ltl".into(), &Value::Null));
    assert_eq!(wrong["culprit"], "`{left : inside}` never holds from step 2 on");
    assert_eq!((&wrong["ends_in_deadlock"], &wrong["is_prefix"]), (&false.into(), &false.into()));
    let reasons = wrong["fairness"].as_array().expect("a list");
    assert!(reasons[0].as_str().unwrap().starts_with("WF(enter(left)): not enabled after step "), "{reasons:?}");
    assert!(reasons[1].as_str().unwrap().starts_with("WF(leave): taken by step "), "{reasons:?}");
    let (trace, start) = (wrong["trace"].as_array().unwrap(), wrong["loop_start"].as_u64().unwrap() as usize);
    assert!(start > 0 && start < trace.len(), "{wrong}");
    // The loop comes back to where it starts.
    assert_eq!(trace[start - 1]["state"], trace[trace.len() - 1]["state"]);
    let rows = wrong["subformulas"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["holds"].as_array().unwrap().len() == trace.len() - 1), "{wrong}");
    assert_eq!(
        rows[0],
        json!({ "text": "G ({left : waiting} => F {left : inside})", "holds": vec![false; trace.len() - 1] })
    );
}

#[test]
fn a_violation_is_told_as_a_story() {
    let run = abridge(&["check", "models/Requests.mch"]);
    assert_eq!(run.status, 13);
    let expected = "\
1 of 2 temporal properties violated
ASSERT_LTL1 violated: G ([request] => F [serve])
  `[serve]` never holds from the initial state on

    1  INITIALISATION  waits = FALSE
    2  request         waits = TRUE
  loop starts here
    3  work
  loop: the last step for ever

    1  2  after step
    ·  ●  G ([request] => F [serve])
    ·  ●  [request] => F [serve]
    ·  ·  F [serve]
    ·  ·  [serve]
    ●  ·  [request]

ASSERT_LTL2 holds: WF(serve) => G ([request] => F [serve])
";
    assert!(run.stdout.starts_with(expected), "{}", run.stdout);
}

#[test]
fn a_path_may_end_in_a_deadlock() {
    let folder = Folder::new("temporal-deadlock");
    let file = folder.file("counter.mch", &up_to_three());
    let run = abridge(&["check", &file, "--no-deadlock", "--ltl", "F {n = 5}", "--ltl", "F deadlock", "--json"]);
    let json = run.json();
    assert_eq!((run.status, verdicts(&json)), (13, vec![("--ltl 1", "violated"), ("--ltl 2", "holds")]), "{json}");
    let wrong = formula(&json, "--ltl 1");
    assert_eq!((&wrong["ends_in_deadlock"], &wrong["loop_start"]), (&true.into(), &Value::Null));
    let text = abridge(&["check", &file, "--no-deadlock", "--ltl", "F {n = 5}"]).stdout;
    assert!(text.starts_with("temporal property violated\n--ltl violated: F {n = 5}\n"), "{text}");
    assert!(text.contains("\n  ends in a deadlock\n"), "{text}");
}

#[test]
fn branching_time_is_checked_too() {
    let json = abridge(&["check", "models/Vault.mch", "--json"]).json();
    let wrong = formula(&json, "ASSERT_CTL2");
    assert_eq!((&wrong["logic"], &wrong["verdict"]), (&"ctl".into(), &"violated".into()));
    let names: Vec<&Value> = wrong["trace"].as_array().unwrap().iter().map(|step| &step["name"]).collect();
    assert_eq!(names, ["INITIALISATION", "wall_up"]);
    assert_eq!(formula(&json, "ASSERT_CTL1")["verdict"], "holds");
    let prefix = formula(&json, "ASSERT_LTL4");
    assert_eq!((&prefix["is_prefix"], &prefix["culprit"]), (&true.into(), &"`[open]` holds after step 4".into()));
}

#[test]
fn an_atom_without_a_value_is_a_finding() {
    let folder = Folder::new("temporal-undefined");
    let file = folder.file("counter.mch", &up_to_three());
    let run = abridge(&["check", &file, "--no-deadlock", "--ltl", "G {6 / n > 0}", "--json"]);
    let json = run.json();
    let undefined = formula(&json, "--ltl");
    assert_eq!((run.status, &undefined["verdict"], &undefined["ill_defined"]), (75, &"error".into(), &true.into()));
    assert_eq!(undefined["message"], "`{6 / n > 0}` is not well-defined");
}

fn diagnostic(run: &Run, name: &str) -> (String, u64) {
    let json = run.json();
    let one = &formula(&json, name)["diagnostics"][0];
    (one["id"].as_str().expect("an id").to_owned(), one["place"]["column"].as_u64().expect("a column"))
}

#[test]
fn mistakes_are_placed_inside_formulas() {
    let folder = Folder::new("temporal-mistakes");
    let file = folder.file("counter.mch", &up_to_three());
    let wrong = [
        ("G {n = TRUE}", "type-mismatch", 8),
        ("G ([upp] => F {n = 2})", "unknown-operation", 5),
        ("G {n", "unclosed-bracket", 3),
        ("G ([up(1)] => F {n = 2})", "temporal-formula", 5),
        ("G (F {goal})", "unknown-identifier", 7),
        ("G goal", "temporal-formula", 3),
    ];
    for (text, id, column) in wrong {
        let run = abridge(&["check", &file, "--no-deadlock", "--ltl", text, "--json"]);
        assert_eq!(run.status, 150, "{text}: {}", run.stdout);
        let found = &run.json()["diagnostics"][0];
        assert_eq!((&found["id"], &found["place"]["column"]), (&id.into(), &column.into()), "{text}");
    }
    let machine = up_to_three().replace("VARIABLES", "\nDEFINITIONS\n  ASSERT_LTL == \"G {m > 0}\"\nVARIABLES");
    let json = abridge(&["check", &folder.file("own.mch", &machine), "--no-deadlock", "--json"]).json();
    let place = &formula(&json, "ASSERT_LTL")["diagnostics"][0]["place"];
    assert_eq!((&place["line"], &place["column"]), (&3.into(), &21.into()), "{json}");
}

#[test]
fn a_wrong_formula_does_not_hide_others() {
    let folder = Folder::new("temporal-others");
    let file = folder.file("counter.mch", &up_to_three());
    let lines = "ltl F {n = 3} & [nothing]\nltl F {n = 3}\nltl G {n = 3 & n = TRUE}\nltl F {n = 3} & G {n = FALSE}\n";
    let formulas = folder.file("f.txt", lines);
    let run = abridge(&["check", &file, "--no-deadlock", "--json", "--formulas", &formulas]);
    let expected = [("f.txt:1", "error"), ("f.txt:2", "holds"), ("f.txt:3", "error"), ("f.txt:4", "error")];
    assert_eq!((run.status, verdicts(&run.json())), (150, expected.to_vec()));
    assert_eq!(diagnostic(&run, "f.txt:4"), ("type-mismatch".to_owned(), 20));
}

#[test]
fn formulas_are_read_from_files() {
    let folder = Folder::new("temporal-files");
    let file = folder.file("counter.mch", &up_to_three());
    let lines = "// counting\n\nltl F {n = 3}\nCTL AG EF {n = 0}\n# done\n";
    let formulas = folder.file("formulas.txt", lines);
    let run = abridge(&["check", &file, "--no-deadlock", "--formulas", &formulas, "--json"]);
    let expected = [("formulas.txt:3", "holds"), ("formulas.txt:4", "violated")];
    assert_eq!((run.status, verdicts(&run.json())), (13, expected.to_vec()));
    let wrong = folder.file("wrong.txt", "F {n = 3}\n");
    let run = abridge(&["check", &file, "--formulas", &wrong]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("line 1: a line begins with `ltl` or `ctl`"), "{}", run.stderr);
    let run = abridge(&["check", &file, "--formulas", &folder.path("missing.txt")]);
    assert!(run.status == 2 && run.stderr.contains("cannot read"), "{}", run.stderr);
}

#[test]
fn formulas_are_read_from_projects_of_prob() {
    let folder = Folder::new("temporal-project");
    let file = folder.file("counter.mch", &up_to_three());
    let new = json!({ "machines": [{ "name": "counter", "validationTasks": [
        { "validationTaskType": "LTL", "code": "F {n = 3}", "description": "" },
        { "validationTaskType": "CTL", "code": "AG EF {n = 0}" },
        { "validationTaskType": "LTL_PATTERN", "code": "def p(x): x end" },
        { "validationTaskType": "SYMBOLIC", "code": "n = 3" },
    ]}]});
    let old =
        json!({ "machines": [{ "name": "counter", "ltlFormulas": [{ "code": "G {n < 3}", "selected": true }] }] });
    let new = folder.file("new.prob2project", &new.to_string());
    let old = folder.file("old.prob2project", &old.to_string());
    let run = abridge(&["check", &file, "--no-deadlock", "--formulas", &new, "--formulas", &old, "--json"]);
    let expected =
        [("new.prob2project 1", "holds"), ("new.prob2project 2", "violated"), ("old.prob2project 1", "violated")];
    assert_eq!((run.status, verdicts(&run.json())), (13, expected.to_vec()));
    let broken = folder.file("broken.prob2project", "{");
    assert_eq!(abridge(&["check", &file, "--formulas", &broken]).status, 2);
}

#[test]
fn properties_of_the_machine_can_be_left_out() {
    let run = abridge(&["check", "models/Requests.mch", "--no-temporal", "--json"]);
    let json = run.json();
    assert_eq!((run.status, &json["verdict"], &json["temporal"]), (0, &"holds".into(), &json!([])));
    let run = abridge(&["check", "models/Requests.mch", "--no-temporal", "--ltl", RESPONSE, "--json"]);
    assert_eq!((run.status, verdicts(&run.json())), (13, vec![("--ltl", "violated")]));
}

#[test]
fn the_animator_checks_formulas_from_the_current_state() {
    let commands =
        "1\nltl G not [open]\nwall_up\nltl G not [open]\nltl F {door = shut}\nltl G current\nltl G [opne]\nltl G (\n";
    let run = common::abridge_with(&["animate", "models/Vault.mch", "--json"], commands);
    let replies = run.json_lines();
    // The start, the initialisation, then the first formula.
    assert_eq!(replies[2]["verdict"], "violated", "{}", replies[2]);
    let names: Vec<&Value> = replies[2]["trace"].as_array().unwrap().iter().map(|step| &step["name"]).collect();
    assert_eq!(names, ["unlock", "open"]);
    assert_eq!((&replies[2]["is_prefix"], &replies[2]["loop_start"]), (&true.into(), &Value::Null));
    assert_eq!(replies[2]["subformulas"][2], json!({ "text": "[open]", "holds": [false, true, false] }));
    assert_eq!(replies[4]["verdict"], "holds", "{}", replies[4]);
    assert!(replies[5]["verdict"] == "violated" && replies[5]["loop_start"].is_u64(), "{}", replies[5]);
    assert_eq!(replies[6]["verdict"], "holds", "a wall stays: {}", replies[6]);
    assert_eq!(replies[7]["diagnostics"][0]["id"], "unknown-operation");
    assert_eq!(replies[7]["diagnostics"][0]["place"]["column"], 4, "{}", replies[7]);
    assert_eq!(replies[8]["ok"], false);
    let text =
        common::abridge_with(&["animate", "models/Requests.mch"], "ltl F {waits = TRUE}\n1\nltl F {waits = TRUE}\n")
            .stdout;
    assert!(text.contains("the machine is not initialised"), "{text}");
    assert!(text.contains("\nviolated on this path from this state on\n    1  work\n  loop starts here\n"), "{text}");
}

#[test]
fn the_trace_of_a_formula_is_saved_with_its_loop() {
    let folder = Folder::new("temporal-trace");
    let file = folder.path("starved.prob2trace");
    assert_eq!(abridge(&["check", "models/Requests.mch", "--save-trace", &file]).status, 13);
    let saved: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("a trace")).expect("JSON");
    let steps = saved["transitionList"].as_array().expect("a list");
    let texts: Vec<&str> = steps.iter().map(|step| step["description"].as_str().expect("a text")).collect();
    assert_eq!(texts, ["", "", "loop starts here; it lasts to the end of the trace"]);
    let replay = abridge(&["trace", "replay", "models/Requests.mch", &file]);
    assert_eq!(replay.status, 0, "{}{}", replay.stdout, replay.stderr);
}

#[test]
fn a_deadlock_may_stutter_under_fairness() {
    let folder = Folder::new("temporal-stutter");
    let file = folder.file("counter.mch", &up_to_three());
    for premise in ["WEF", "SEF", "WF(up)", "SF(up)"] {
        let formula_text = format!("{premise} => GF {{n = 1}}");
        let run =
            abridge(&["check", &file, "--no-deadlock", "--deadlock", "stutter", "--ltl", &formula_text, "--json"]);
        let json = run.json();
        let wrong = formula(&json, "--ltl");
        assert_eq!((run.status, &wrong["verdict"], &wrong["gap"]), (13, &"violated".into(), &Value::Null), "{json}");
        assert!(wrong["culprit"].is_string(), "{json}");
    }
}

#[test]
fn formulas_that_restrict_symmetry_are_named() {
    let restrictions = |options: &[&str]| {
        let args = [&["check", "models/Semaphore.mch", "--no-temporal"], options].concat();
        let text = abridge(&args).stdout;
        let json = abridge(&[&args[..], &["--json"]].concat()).json();
        let list = json["symmetry_restrictions"].as_array().expect("a list").clone();
        let list: Vec<String> = list.iter().map(|one| one.as_str().expect("a text").to_owned()).collect();
        list.iter().for_each(|one| assert!(text.contains(&format!("\nsymmetry reduction: {one}\n")), "{text}"));
        list
    };
    let fair = "WEF => G F {inside = {}}";
    assert!(restrictions(&["--ltl", "G {card(inside) <= 1}", "--ltl", fair]).is_empty());
    let named = restrictions(&["--ltl", "G {card(inside) <= 1}", "--ltl", "G F {left /: inside}"]);
    assert_eq!(named, ["restricted, since `--ltl 2` names left of PROC"]);
    assert!(restrictions(&["--ltl", "G F {left /: inside}", "--symmetry", "off"]).is_empty());
    let other = restrictions(&["--ltl", fair, "--symmetry", "canon"]);
    assert_eq!(other.len(), 1);
    assert!(other[0].starts_with("not made, since `--ltl` follows every operation"), "{other:?}");
}

/// A counter without end that may stay at three.
fn endless() -> String {
    counter("n : NATURAL", "up = BEGIN n := n + 1 END; stay = SELECT n = 3 THEN skip END")
}

#[test]
fn a_violation_in_a_space_without_end_is_found() {
    let folder = Folder::new("temporal-endless");
    let file = folder.file("counter.mch", &endless());
    for strategy in ["bfs", "dfs"] {
        for formula_text in ["F {n = 5}", "G ({n = 2} => F {n = 4})", "WF(stay) => F {n = 9}", "G {n < 7}"] {
            let run =
                abridge(&["check", &file, "--strategy", strategy, "--time", "60", "--ltl", formula_text, "--json"]);
            let json = run.json();
            let found = formula(&json, "--ltl");
            assert_eq!((run.status, &found["verdict"]), (13, &"violated".into()), "{strategy} {formula_text}: {json}");
            assert_eq!(found["gap"], Value::Null, "{json}");
            assert_eq!(found["loop_start"].is_u64(), formula_text != "G {n < 7}", "{json}");
            assert!(strategy == "bfs" || json["states"].as_u64().is_some_and(|n_states| n_states < 20), "{json}");
        }
    }
}

#[test]
fn the_path_of_a_formula_is_drawn() {
    let folder = Folder::new("temporal-drawing");
    let file = folder.path("starved.svg");
    assert_eq!(abridge(&["check", "models/Requests.mch", "--save-trace", &file]).status, 13);
    let drawn = std::fs::read_to_string(&file).expect("a drawing");
    assert!(drawn.starts_with("<svg") && drawn.contains("waits = TRUE"), "{drawn}");
    // Three steps between the start and two states, the last of which leads back.
    assert_eq!(drawn.matches("marker-end").count(), 3, "{drawn}");
    assert!(["INITIALISATION", "request", "work"].iter().all(|step| drawn.contains(step)), "{drawn}");
}

#[test]
fn the_animator_shows_formulas_along_the_steps_so_far() {
    let commands = "past G {waits = TRUE}\n1\nrequest\nwork\npast G ([request] => F [serve])\npast O [request]\nserve\npast F [serve]\npast G (\n";
    let run = common::abridge_with(&["animate", "models/Requests.mch", "--json"], commands);
    let replies = run.json_lines();
    assert_eq!(replies[1]["ok"], false, "{}", replies[1]);
    let rows = |reply: &Value| -> Vec<(String, Value)> {
        let rows = reply["subformulas"].as_array().unwrap_or_else(|| panic!("{reply}"));
        rows.iter().map(|row| (row["text"].as_str().unwrap_or_default().to_owned(), row["holds"].clone())).collect()
    };
    let response = rows(&replies[5]);
    assert_eq!(response[0], ("G ([request] => F [serve])".to_owned(), json!([null, null, null])));
    assert_eq!(response[1], ("[request] => F [serve]".to_owned(), json!([null, true, null])));
    assert!(response.contains(&("[request]".to_owned(), json!([true, false, null]))), "{response:?}");
    assert_eq!(rows(&replies[6])[0].1, json!([true, true, true]));
    assert_eq!(rows(&replies[8])[0].1, json!([true, true, true, null]));
    assert_eq!(replies[9]["ok"], false);
}
