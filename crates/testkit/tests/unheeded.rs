//! What a user wrote and the tool does not heed is told: preferences, steering definitions, temporal properties, gluing conjuncts.

use abridge_check::{Config, Report, Verdict, ViolationKind, check};
use abridge_model::Logic;
use abridge_testkit::Project;

fn warnings(project: &Project) -> Vec<String> {
    let analysis = project.analyse();
    assert!(analysis.model.is_some(), "{:?}", analysis.diagnostics);
    analysis.diagnostics.iter().map(|one| format!("{}: {}", one.id, one.message)).collect()
}

fn checked(project: &Project, config: &Config) -> Report {
    let model = project.analyse().model.expect("a model");
    check(&model, config, &mut ())
}

fn unchecked(report: &Report) -> Vec<&str> {
    report.unchecked.iter().map(|one| one.message.as_str()).collect()
}

fn counter(definitions: &str) -> Project {
    Project::new(&[(
        "M.mch",
        &format!(
            "MACHINE M DEFINITIONS {definitions} SETS S; E = {{e1, e2}} VARIABLES x INVARIANT x : 0..1 \
             INITIALISATION x := 0 OPERATIONS step = x := 1 - x END"
        ),
    )])
}

#[test]
fn preferences_without_effect_are_told() {
    let project = counter("SET_PREF_CLPFD == TRUE; SET_PREF_MAXINT == 7; SET_PREF_SMT == TRUE");
    assert_eq!(
        warnings(&project),
        ["ignored-preference: preference `CLPFD` has no effect", "ignored-preference: preference `SMT` has no effect"]
    );
}

#[test]
fn a_preference_that_asks_for_what_is_done_anyway_is_not_told() {
    assert_eq!(warnings(&counter("SET_PREF_STRING_AS_SEQUENCE == TRUE")), [""; 0]);
    assert_eq!(
        warnings(&counter("SET_PREF_STRING_AS_SEQUENCE == FALSE")),
        ["ignored-preference: preference `STRING_AS_SEQUENCE` has no effect"]
    );
}

#[test]
fn caps_are_told_unless_they_are_obeyed() {
    let mut project = counter("SET_PREF_MAX_OPERATIONS == 3");
    assert_eq!(warnings(&project), ["ignored-preference: preference `MAX_OPERATIONS` has no effect"]);
    project.options.heeds_caps = true;
    assert_eq!(warnings(&project), [""; 0]);
}

#[test]
fn unknown_preferences_get_a_suggestion() {
    let analysis = counter("SET_PREF_MINIT == -4").analyse();
    assert_eq!(analysis.diagnostics[0].id, "unknown-preference");
    assert_eq!(analysis.diagnostics[0].help, ["a similar one exists: `MININT`"]);
}

#[test]
fn preferences_of_other_machines_are_told() {
    let project = Project::new(&[
        ("M.mch", "MACHINE M INCLUDES N END"),
        ("N.mch", "MACHINE N DEFINITIONS SET_PREF_MAXINT == 9 END"),
    ]);
    assert_eq!(
        warnings(&project),
        ["ignored-preference: preference `MAXINT` has no effect in `N`, which is not the main machine"]
    );
}

#[test]
fn steering_without_effect_is_told() {
    let project = counter("HEURISTIC_FUNCTION == x; MAX_OPERATIONS_step == 2");
    assert_eq!(
        warnings(&project),
        [
            "ignored-steering: `HEURISTIC_FUNCTION` has no effect",
            "ignored-steering: `MAX_OPERATIONS_step` has no effect"
        ]
    );
}

#[test]
fn scopes_that_size_nothing_are_told() {
    let project = counter("scope_T == 3; scope_E == 3; scope_S == x");
    assert_eq!(
        warnings(&project),
        [
            "wrong-steering: `scope_T` speaks of the set `T`, which does not exist",
            "wrong-steering: `scope_E` gives a size to `E`, whose elements are enumerated",
            "wrong-steering: `scope_S` is not a number of elements"
        ]
    );
}

#[test]
fn a_misspelt_temporal_property_is_told() {
    assert_eq!(
        warnings(&counter("ASSERT_CLT8 == \"G {x = 0}\"")),
        ["wrong-steering: `ASSERT_CLT8` is no temporal property"]
    );
}

#[test]
fn temporal_properties_of_one_name_all_count() {
    let model = counter("ASSERT_LTL == \"G {x = 0}\"; ASSERT_LTL == \"F {x = 1}\"; ASSERT_CTL1 == \"EF {x = 1}\"")
        .analyse()
        .model
        .expect("a model");
    let mut known: Vec<(&str, Logic, &str)> = Vec::new();
    known.extend(model.steering.temporal.iter().map(|one| (one.name.as_str(), one.logic, one.text.as_str())));
    known.sort_by_key(|(name, _, text)| (*name, *text));
    assert_eq!(
        known,
        [
            ("ASSERT_CTL1", Logic::Ctl, "EF {x = 1}"),
            ("ASSERT_LTL", Logic::Ltl, "F {x = 1}"),
            ("ASSERT_LTL", Logic::Ltl, "G {x = 0}")
        ]
    );
}

#[test]
fn a_temporal_property_that_is_not_checked_is_no_holds() {
    let project = counter("ASSERT_LTL == \"G {x = 0}\"");
    let report = checked(&project, &Config::default());
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert!(report.visited_all);
    assert_eq!(unchecked(&report), ["temporal property `ASSERT_LTL` was not checked"]);
    assert_eq!(report.limits, unchecked(&report));
    let left_out = checked(&project, &Config { temporal: false, ..Config::default() });
    assert_eq!((left_out.verdict, left_out.limits), (Verdict::Holds, Vec::new()));
    let as_prob = checked(&project, &Config::default().prob());
    assert_eq!(as_prob.verdict, Verdict::Holds);
    assert_eq!(unchecked(&as_prob), ["temporal property `ASSERT_LTL` was not checked"]);
}

const ABSTRACT: &str = "MACHINE M VARIABLES xx INVARIANT xx : 0..9 INITIALISATION xx := 0 OPERATIONS step = skip END";

#[test]
fn a_false_gluing_invariant_is_no_holds() {
    let project = Project::new(&[
        (
            "R.ref",
            "REFINEMENT R REFINES M VARIABLES yy INVARIANT yy : 0..9 & yy = 2 * xx INITIALISATION yy := 7 \
             OPERATIONS step = skip END",
        ),
        ("M.mch", ABSTRACT),
    ]);
    let report = checked(&project, &Config::default());
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert_eq!(unchecked(&report), ["a gluing conjunct of the invariant was not checked"]);
    assert_eq!(report.unchecked[0].notes, ["states have no value of `xx`, which only the abstraction has"]);
    assert_eq!(checked(&project, &Config { gluing: false, ..Config::default() }).verdict, Verdict::Holds);
    assert_eq!(checked(&project, &Config { invariant: false, ..Config::default() }).verdict, Verdict::Holds);
    assert_eq!(checked(&project, &Config::default().prob()).verdict, Verdict::Holds);
}

#[test]
fn what_an_abstraction_states_about_itself_is_its_own() {
    let project = Project::new(&[
        (
            "R.ref",
            "REFINEMENT R REFINES M VARIABLES yy INVARIANT yy : 0..9 INITIALISATION yy := 7 OPERATIONS step = skip END",
        ),
        ("M.mch", ABSTRACT),
    ]);
    let report = checked(&project, &Config::default());
    assert_eq!((report.verdict, unchecked(&report)), (Verdict::Holds, Vec::new()));
}

fn counting(operations: &str) -> Project {
    let text =
        format!("MACHINE M VARIABLES xx INVARIANT xx : NATURAL INITIALISATION xx := 0 OPERATIONS {operations} END");
    Project::new(&[("M.mch", &text)])
}

const UNBOUNDED: &str = "set(nn) = PRE nn : NATURAL THEN xx := nn END";

#[test]
fn an_unbounded_parameter_hides_no_mistake() {
    for operations in [format!("{UNBOUNDED}; bad = xx := 1 / xx"), format!("bad = xx := 1 / xx; {UNBOUNDED}")] {
        let report = checked(&counting(&operations), &Config::default());
        assert_eq!(report.verdict, Verdict::Violated, "{operations}");
        let kind = report.violation().map(|violation| violation.kind.clone());
        let Some(ViolationKind::IllDefined { operation, error }) = kind else { panic!("{operations}: {kind:?}") };
        assert_eq!((operation.as_deref(), error.id), (Some("bad"), "division-by-zero"), "{operations}");
        assert_eq!(report.limits, ["set could not be evaluated"], "{operations}");
    }
}

#[test]
fn an_unbounded_parameter_is_a_limit() {
    let report =
        checked(&counting(&format!("step = SELECT xx < 3 THEN xx := xx + 1 END; {UNBOUNDED}")), &Config::default());
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert!(report.violations.is_empty() && !report.found.ill_defined);
    // The search goes on with the other operations.
    assert_eq!(report.states, 4);
    let [(what, diagnostic)] = report.failures.as_slice() else { panic!("{:?}", report.failures) };
    assert_eq!((what.as_str(), diagnostic.id), ("set", "unbounded-value"));
}

#[test]
fn an_unbounded_choice_at_the_start_hides_no_mistake() {
    for parts in ["xx :: NATURAL || yy := 1 / 0", "yy := 1 / 0 || xx :: NATURAL"] {
        let text =
            format!("MACHINE M VARIABLES xx, yy INVARIANT xx : NATURAL & yy : NATURAL INITIALISATION {parts} END");
        let report = checked(&Project::new(&[("M.mch", &text)]), &Config::default());
        assert_ne!(report.verdict, Verdict::Holds, "{parts}");
    }
}
