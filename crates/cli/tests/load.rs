//! Reading models: kinds of files, conventions of ProB, and properties that are told as not checked.

mod common;

use common::{Folder, abridge};

#[test]
fn files_of_other_formalisms_are_refused_by_name() {
    let folder = Folder::new("kinds");
    let file = folder.file("Spec.tla", "---- MODULE Spec ----\n====\n");
    for command in ["check", "typecheck", "show", "graph", "por", "animate", "parse", "fmt"] {
        let run = abridge(&[command, &file]);
        assert_eq!(run.status, 150, "{command}: {}{}", run.stdout, run.stderr);
        let told = format!("{}{}", run.stdout, run.stderr);
        assert!(told.contains("error[unsupported-file]: cannot read"), "{command}: {told}");
        assert!(told.contains("it is a TLA+ module"), "{command}: {told}");
    }
    let run = abridge(&["eval", &file, "1 + 1"]);
    assert_eq!(run.status, 150, "{}{}", run.stdout, run.stderr);
    let json = abridge(&["check", &file, "--json"]).json();
    assert_eq!((&json["verdict"], &json["diagnostics"][0]["id"]), (&"error".into(), &"unsupported-file".into()));
}

#[test]
fn folders_and_forgotten_commands_are_told() {
    for command in ["check", "animate", "parse"] {
        let run = abridge(&[command, "."]);
        let told = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(run.status, 150, "{told}");
        assert!(told.contains("error[unsupported-file]: cannot read `.`: it is a folder\n"), "{command}: {told}");
    }
    for (word, text) in [
        ("models/lift.mch", "error: `models/lift.mch` is no command; `abridge check models/lift.mch` checks it,"),
        ("chek", "a similar subcommand exists: 'check'"),
    ] {
        let run = abridge(&[word]);
        assert_eq!(run.status, 2);
        assert!(run.stderr.contains(text), "{}", run.stderr);
    }
}

#[test]
fn gluing_conjuncts_are_told_as_not_checked() {
    let folder = Folder::new("gluing");
    folder
        .file("M.mch", "MACHINE M VARIABLES xx INVARIANT xx : 0..9 INITIALISATION xx := 0 OPERATIONS step = skip END");
    let file = folder.file(
        "R.ref",
        "REFINEMENT R REFINES M VARIABLES yy INVARIANT yy : 0..9 & yy = 2*xx INITIALISATION yy := 7 OPERATIONS step = skip END",
    );
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 20, "{}", run.stdout);
    assert!(run.stdout.contains("warning[gluing-unchecked]: a gluing conjunct"), "{}", run.stdout);
    assert_eq!(abridge(&["check", &file, "--no-gluing"]).status, 0);
    assert_eq!(abridge(&["check", &file, "--compat", "prob"]).status, 0);
}

#[test]
fn abstract_preconditions_are_assumed_unless_told_otherwise() {
    let folder = Folder::new("assumed");
    folder.file(
        "M.mch",
        "MACHINE M VARIABLES xx INVARIANT xx : 0..3 INITIALISATION xx := 0
         OPERATIONS up = PRE xx < 3 THEN xx := xx + 1 END; down = PRE xx > 0 THEN xx := xx - 1 END END",
    );
    let file = folder.file(
        "R.ref",
        "REFINEMENT R REFINES M VARIABLES xx INITIALISATION xx := 0
         OPERATIONS up = xx := xx + 1; down = xx := xx - 1 END",
    );
    assert_eq!(abridge(&["check", &file]).status, 0);
    assert_eq!(abridge(&["check", &file, "--ignore-abstract-preconditions"]).status, 12);
    assert_eq!(abridge(&["check", &file, "--compat", "prob"]).status, 12);
}

#[test]
fn definitions_capture_as_in_prob_when_asked_to() {
    let folder = Folder::new("capture");
    let file = folder.file(
        "C.mch",
        "MACHINE C DEFINITIONS egt(x) == #y.(y : 0..99 & x < y) VARIABLES y INVARIANT y : 0..1 & egt(y + 1)
         INITIALISATION y := 0 OPERATIONS step = y := 1 - y END",
    );
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert!(format!("{}{}", run.stdout, run.stderr).contains("warning[definition-capture]"));
    assert_eq!(abridge(&["check", &file, "--compat", "prob"]).status, 12);
    assert_eq!(abridge(&["eval", &file, "egt(y + 1)", "--compat", "prob"]).status, 1);
}

#[test]
fn an_unbounded_parameter_hides_no_mistake() {
    let folder = Folder::new("unbounded");
    let file = folder.file(
        "U.mch",
        "MACHINE U VARIABLES xx INVARIANT xx : NATURAL INITIALISATION xx := 0
         OPERATIONS set(nn) = PRE nn : NATURAL THEN xx := nn END; bad = xx := 1 / xx END",
    );
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 75, "{}", run.stdout);
    assert!(run.stdout.starts_with("not well-defined in bad after 1 step\nerror[division-by-zero]"), "{}", run.stdout);
    assert!(run.stdout.contains("set could not be evaluated"), "{}", run.stdout);
}

#[test]
fn manual_pages() {
    let page = abridge(&["man"]).stdout;
    assert!(page.contains(".TH abridge 1") && page.contains("Exit statuses"), "{page}");
    let page = abridge(&["man", "check"]).stdout;
    assert!(page.contains("max\\-states"), "{page}");
    assert_eq!(abridge(&["man", "nothing"]).status, 2);
}

#[test]
fn a_rules_machine_is_named_whatever_its_file_is_called() {
    let folder = Folder::new("rules-machine");
    let file = folder.file("r.mch", "/* rules */ // of a plant\nRULES_MACHINE r OPERATIONS RULE x BODY skip END END\n");
    let run = abridge(&["check", &file]);
    assert_eq!(run.status, 150);
    assert!(
        run.stderr.contains("it is a B rules machine") && run.stderr.matches("error").count() == 1,
        "{}",
        run.stderr
    );
}
