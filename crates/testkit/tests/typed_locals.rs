//! Locals that a choice gives a type, as implementations do: the choice is not tried where its value is never read.

use abridge_check::{Config, Report, Verdict, check};
use abridge_testkit::Project;

fn checked(initial: &str, body: &str) -> Report {
    let text = format!(
        "MACHINE M VARIABLES xx INVARIANT xx : 0..9 INITIALISATION xx := 0
         OPERATIONS
           step = VAR ii IN {initial}; {body} END;
           more = PRE xx < 4 THEN xx := xx + 1 END
         END"
    );
    let analysis = Project::new(&[("M.mch", &text)]).analyse();
    let model = analysis.model.unwrap_or_else(|| panic!("{body}: {:?}", analysis.diagnostics));
    check(&model, &Config { deadlock: false, ..Config::default() }, &mut ())
}

/// Bodies that read the local, overwrite it, or do one of both on some paths.
const BODIES: [&str; 16] = [
    "ii := 2; xx := ii",
    "xx := ii",
    "skip",
    "ii := ii + 1; xx := ii",
    "IF xx = 1 THEN ii := 2 ELSE ii := 0 END; xx := ii",
    "IF xx = 1 THEN ii := 2 END; xx := ii",
    "IF ii = 1 THEN ii := 2 ELSE ii := 0 END; xx := ii",
    "SELECT xx < 3 THEN ii := 2 END; xx := ii",
    "CASE xx OF EITHER 1 THEN ii := 2 OR 2 THEN ii := 0 ELSE ii := 1 END END; xx := ii",
    "CASE xx OF EITHER 1 THEN ii := 2 OR 2 THEN skip ELSE ii := 1 END END; xx := ii",
    "CHOICE ii := 2 OR skip END; xx := ii",
    "WHILE xx > 2 DO ii := 2; xx := xx - 1 INVARIANT xx : 0..9 VARIANT xx END; xx := ii",
    "WHILE xx > 2 DO xx := xx - 1 INVARIANT xx : 0..9 & ii : 0..2 VARIANT xx END; ii := 1; xx := ii",
    "xx := ii || ii := 1",
    "ii : (ii : 0..2 & ii /= ii$0); xx := ii",
    "VAR jj IN jj := 1; LET kk BE kk = jj IN ii := kk END END; ANY pp WHERE pp : 1..2 THEN xx := ii + pp END",
];

#[test]
fn a_choice_that_is_not_read_counts_as_if_it_were_tried() {
    for body in BODIES {
        let tried = checked("CHOICE ii := 0 OR ii := 1 OR ii := 2 END", body);
        for choice in ["ii :: 0..2", "ii : (ii : 0..2)", "ii : (ii : NATURAL & ii < 3)"] {
            let report = checked(choice, body);
            let counts = |report: &Report| (report.verdict, report.states, report.transitions);
            assert_eq!(counts(&report), counts(&tried), "{choice}; {body}");
        }
    }
}

#[test]
fn a_type_of_four_billion_values_is_not_listed() {
    for choice in ["ii : (ii : 0..4294967295)", "ii :: 0..4294967295", "ii : (ii : INTEGER)", "ii :: NATURAL"] {
        for body in ["ii := xx; xx := ii", "IF xx = 0 THEN ii := 1 ELSE ii := 2 END; xx := ii"] {
            let report = checked(choice, body);
            assert_eq!((report.verdict, report.limits.len()), (Verdict::Holds, 0), "{choice}; {body}");
        }
    }
}

#[test]
fn a_choice_among_nothing_stays_impossible() {
    for choice in ["ii :: {}", "ii : (ii : 1..0)", "ii : (ii : 0..2 & ii < 0)"] {
        let report = checked(choice, "ii := 9; xx := ii");
        assert_eq!((report.verdict, report.states), (Verdict::Holds, 5), "{choice}");
    }
}
