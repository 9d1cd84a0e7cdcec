//! `abridge graph` and `abridge show --symmetry`.

mod common;

use common::{Folder, abridge};

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

/// Figure 1 of the paper on permutation flooding: 8 states and the root, four of them representatives.
#[test]
fn a_state_space() {
    let run = abridge(&["graph", "models/LoginVerySimple.mch", "--set-size", "Session=3"]);
    assert_eq!(run.status, 0);
    assert_eq!(count(&run.stdout, " [label=\"active = "), 8, "{}", run.stdout);
    assert_eq!(count(&run.stdout, "peripheries=2"), 4);
    assert_eq!(count(&run.stdout, "Login"), 12);
    assert_eq!(count(&run.stdout, "permute"), 0);
}

/// Figure 2: the same states, of which four are expanded and four are permutations.
#[test]
fn a_flooded_state_space() {
    let run = abridge(&["graph", "models/LoginVerySimple.mch", "--set-size", "Session=3", "--symmetry", "flood"]);
    assert_eq!(count(&run.stdout, " [label=\"active = "), 8, "{}", run.stdout);
    assert_eq!(count(&run.stdout, "label=\"permute\", style=dashed"), 4);
    assert_eq!(count(&run.stdout, "Login"), 3 + 2 + 1);
    let quotient = abridge(&["graph", "models/LoginVerySimple.mch", "--set-size", "Session=3", "--symmetry", "auto"]);
    assert_eq!(count(&quotient.stdout, " [label=\"active = "), 4);
}

/// What is missing is told with its reason, and not as a limit on states.
#[test]
fn steps_that_cannot_be_evaluated_are_told() {
    let folder = Folder::new("graph-missing");
    let text = "MACHINE M VARIABLES x INVARIANT x : NATURAL INITIALISATION x := 0 OPERATIONS op(n) = PRE n : NATURAL THEN x := n END END";
    let run = abridge(&["graph", &folder.file("M.mch", text)]);
    let warning = "warning: steps are missing: op could not be evaluated: cannot enumerate `n`: add a bound such as `n : 0..10`\n";
    assert_eq!((run.status, run.stderr.as_str()), (0, warning));
    let run = abridge(&["graph", "models/lift.mch", "--max-states", "5"]);
    assert_eq!(run.stderr, "warning: drawing cut at 5 states (raise --max-states)\n");
}

#[test]
fn a_picture_in_a_file() {
    let folder = Folder::new("graph");
    let file = folder.file("state.svg", "");
    let run = abridge(&["graph", "models/Personnel.mch", "--state", "2", "-o", &file]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let svg = std::fs::read_to_string(&file).expect("written");
    assert!(svg.starts_with("<svg ") && svg.contains(">staff_council<") && svg.contains(">single<"), "{svg}");
    assert_eq!(abridge(&["graph", "models/Personnel.mch", "--state", "999"]).status, 2);
}

#[test]
fn what_is_symmetric_and_why_not() {
    let run = abridge(&["show", "models/SymCounterEx.mch", "--symmetry"]);
    assert!(run.stdout.contains("interchangeable: s2, s3\n"), "{}", run.stdout);
    assert!(run.stdout.contains("s1 is named at models/SymCounterEx.mch:"), "{}", run.stdout);
    let json = abridge(&["show", "models/scheduler0.mch", "--symmetry", "--set-size", "PROC=3", "--json"]).json();
    assert_eq!(json["symmetry"][0]["blocks"], serde_json::json!([["PROC1", "PROC2", "PROC3"]]));
    assert_eq!(json["symmetry"][1]["fixed"][0]["element"], "idle");
}

#[test]
fn literals_and_functions_that_tell_elements_apart() {
    let folder = Folder::new("symmetry");
    let symmetric = |name: &str, use_of: &str| {
        let text = format!(
            "MACHINE m SETS S = {{a, b, c, d}} VARIABLES x INVARIANT x : POW(S) INITIALISATION x := {{}} OPERATIONS op = {use_of} END"
        );
        let file = folder.file(&format!("{name}.mch"), &text.replace("MACHINE m", &format!("MACHINE {name}")));
        let json = abridge(&["show", &file, "--symmetry", "--json"]).json();
        json["symmetry"][0]["blocks"].to_string()
    };
    assert_eq!(symmetric("none", "x := S"), r#"[["a","b","c","d"]]"#);
    assert_eq!(symmetric("one", "x := x \\/ {a}"), r#"[["b","c","d"]]"#);
    assert_eq!(symmetric("two", "x := {a, b}"), r#"[["a","b"],["c","d"]]"#);
    assert_eq!(symmetric("swap", "x := {a |-> b, b |-> a}[x]"), r#"[["a","b"],["c","d"]]"#);
    assert_eq!(symmetric("cycle", "x := {a |-> b, b |-> c, c |-> a}[x]"), "[]");
    assert_eq!(symmetric("all", "x := {a, b, c, d}"), r#"[["a","b","c","d"]]"#);
}

#[test]
fn states_with_findings_are_marked() {
    let folder = Folder::new("graph-marks");
    let text = "MACHINE M VARIABLES x INVARIANT x : 0..2 & x /= 1 INITIALISATION x := 0
        OPERATIONS r <-- up(n) = SELECT n : 1..2 & x + n <= 2 THEN x := x + n || r := x END END";
    let file = folder.file("M.mch", text);
    let run = abridge(&["graph", &file]);
    let marked = |what: &str| format!(" [label=\"{what}\", fillcolor=\"#f4b6b0\"];");
    for expected in
        [marked("x = 1\\ninvariant violated"), marked("x = 2\\ndeadlock"), "[label=\"up(2) --> 0\"]".to_owned()]
    {
        assert!(run.stdout.contains(&expected), "{expected}: {}", run.stdout);
    }
    assert_eq!(count(&run.stdout, "#f4b6b0"), 2, "{}", run.stdout);
    assert_eq!(count(&run.stdout, "peripheries"), 0, "where all states are representatives, none is marked as one");
}

#[test]
fn a_projection_joins_states() {
    let folder = Folder::new("graph-project");
    let text = "MACHINE M VARIABLES x, y INVARIANT x : 0..3 & y : 0..1 & x /= 3 INITIALISATION x := 0 || y := 0
        OPERATIONS up = SELECT x < 3 THEN x := x + 1 END; flip(n) = SELECT n : 0..1 & n /= y THEN y := n END END";
    let file = folder.file("M.mch", text);
    let run = abridge(&["graph", &file, "--project", "x mod 2", "--project", "y > 0"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(count(&run.stdout, "label=\"x mod 2 = "), 4, "{}", run.stdout);
    for expected in [
        "label=\"x mod 2 = 0\\ny > 0 = FALSE\\nstates = 2\", fillcolor=\"#ffffff\"",
        "label=\"x mod 2 = 1\\ny > 0 = TRUE\\nstates = 2\\ninvariant violated\", fillcolor=\"#f4b6b0\"",
        "n1 -> n2 [label=\"up\"]",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
    assert_eq!(count(&run.stdout, "label=\"flip\""), 4, "{}", run.stdout);
    let unknown = abridge(&["graph", &file, "--project", "zz + 1 = 2"]);
    assert!(unknown.status != 0 && !unknown.stderr.is_empty(), "{}", unknown.stdout);
}

#[test]
fn a_picture_is_not_written_under_the_name_of_another_kind() {
    let folder = Folder::new("graph-kinds");
    let path = folder.path("out.png");
    let run = abridge(&["graph", "models/airlock.mch", "-o", &path]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("pictures are written as .svg and .dot, not as .png"), "{}", run.stderr);
    assert!(!std::path::Path::new(&path).exists());
    let run = abridge(&["graph", "models/airlock.mch", "-o", "/nowhere/out.svg"]);
    assert_eq!(
        (run.status, run.stderr.as_str()),
        (2, "error: cannot write `/nowhere/out.svg`: no such file or folder\n")
    );
}

#[test]
fn the_drawing_of_a_trace_says_what_is_wrong() {
    let folder = Folder::new("graph-trace");
    let path = folder.path("story.svg");
    assert_eq!(abridge(&["check", "models/airlock.mch", "--save-trace", &path]).status, 12);
    let svg = std::fs::read_to_string(&path).expect("a drawing");
    assert!(svg.contains("invariant violated"), "{svg}");
    assert_eq!(count(&svg, "#f4b6b0"), 1, "{svg}");
}
