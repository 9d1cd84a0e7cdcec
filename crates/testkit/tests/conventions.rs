//! Where ProB's conventions and ours differ in what a machine means: abstract preconditions and captured names.

use abridge_check::{Config, Report, Verdict, ViolationKind, check};
use abridge_testkit::Project;

fn checked(project: &Project) -> Report {
    let analysis = project.analyse();
    let model = analysis.model.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics));
    check(&model, &Config { deadlock: false, gluing: false, ..Config::default() }, &mut ())
}

fn ids(project: &Project) -> Vec<&'static str> {
    project.analyse().diagnostics.iter().map(|one| one.id).collect()
}

fn as_prob(mut project: Project) -> Project {
    project.options = project.options.prob();
    project
}

const STORE: &str = "
    MACHINE Store
    VARIABLES level
    INVARIANT level : 0..5
    INITIALISATION level := 0
    OPERATIONS
      put(n) = PRE n : 1..5 & level + n <= 5 THEN level := level + n END;
      ask = PRE level > 0 THEN skip END
    END";

fn refined(text: &str) -> Project {
    Project::new(&[("R.ref", text), ("Store.mch", STORE)])
}

const KEEPING: &str = "
    REFINEMENT R REFINES Store VARIABLES level INITIALISATION level := 0
    OPERATIONS put(k) = level := level + k; ask = ASSERT level > 0 THEN skip END END";

#[test]
fn a_refined_operation_assumes_the_abstract_precondition() {
    assert_eq!(checked(&refined(KEEPING)).verdict, Verdict::Holds);
}

#[test]
fn the_assumption_can_be_switched_off() {
    let mut project = refined(KEEPING);
    project.options.ignore_abstract_preconditions = true;
    assert_ne!(checked(&project).verdict, Verdict::Holds);
    assert_ne!(checked(&as_prob(refined(KEEPING))).verdict, Verdict::Holds);
}

#[test]
fn preconditions_of_all_levels_are_assumed() {
    let first = "
        REFINEMENT R1 REFINES Store VARIABLES level INITIALISATION level := 0
        OPERATIONS put(k) = PRE k = 5 THEN level := level + k END; ask = skip END";
    let second = "
        REFINEMENT R2 REFINES R1 VARIABLES level INVARIANT level : {0, 5} INITIALISATION level := 0
        OPERATIONS put(n) = level := level + n; ask = skip END";
    let project = Project::new(&[("R2.ref", second), ("R1.ref", first), ("Store.mch", STORE)]);
    assert_eq!(checked(&project).verdict, Verdict::Holds);
}

#[test]
fn a_precondition_of_its_own_is_a_guard_beside_the_abstract_one() {
    let text = "
        REFINEMENT R REFINES Store VARIABLES level INVARIANT level : {0, 2, 4} INITIALISATION level := 0
        OPERATIONS put(k) = PRE k = 2 THEN level := level + k END; ask = skip END";
    let report = checked(&refined(text));
    assert_eq!((report.verdict, report.states), (Verdict::Holds, 3));
}

const REPLACING: &str = "
    REFINEMENT R REFINES Store VARIABLES double INVARIANT double : NATURAL & double = 2 * level
    INITIALISATION double := 0
    OPERATIONS put(k) = double := (double + 2 * k) mod 12; ask = skip END";

#[test]
fn what_speaks_of_replaced_variables_is_not_assumed_and_told() {
    let project = refined(REPLACING);
    assert_eq!(ids(&project), ["abstract-precondition", "abstract-precondition"]);
    // `k : 1..5` is assumed, so the operation can be tried with all its arguments.
    let report = checked(&project);
    assert_eq!((report.verdict, report.states), (Verdict::Holds, 6));
    assert_eq!(ids(&as_prob(refined(REPLACING))), [""; 0]);
}

#[test]
fn an_abstract_precondition_may_speak_of_outputs() {
    let machine = "
        MACHINE Sensor VARIABLES level INVARIANT level : 0..2 INITIALISATION level := 0
        OPERATIONS ll, ok <-- ask(n) = PRE n : 1..2 & ll : 0..2 & ok : BOOL THEN ll, ok := level, TRUE END END";
    let refinement = "
        REFINEMENT R REFINES Sensor VARIABLES level INITIALISATION level := 0
        OPERATIONS vv, bb <-- ask(k) = BEGIN ASSERT k : 1..2 THEN vv := level END; bb := bool(vv < k) END END";
    let project = Project::new(&[("R.ref", refinement), ("Sensor.mch", machine)]);
    assert_eq!(ids(&project), [""; 0]);
    let report = checked(&project);
    assert_eq!((report.verdict, report.transitions), (Verdict::Holds, 3));
}

#[test]
fn a_precondition_on_an_output_gives_its_type_and_asks_nothing_of_callers() {
    let clock = "
        MACHINE Clock CONSTANTS TIME PROPERTIES TIME = 0..9 VARIABLES now INVARIANT now : TIME INITIALISATION now := 0
        OPERATIONS tt <-- ask(n) = PRE tt : TIME & n : 1..2 & tt < 9 THEN tt := now END END";
    let user = |call: &str| {
        let text = format!(
            "MACHINE User INCLUDES Clock VARIABLES seen INVARIANT seen : TIME INITIALISATION seen := 0
            OPERATIONS look = BEGIN {call} END END"
        );
        checked(&Project::new(&[("User.mch", &text), ("Clock.mch", clock)]))
    };
    let report = user("seen <-- ask(1)");
    assert_eq!((report.verdict, report.transitions), (Verdict::Holds, 3));
    let ill_defined =
        |report: Report| report.violations.iter().any(|one| matches!(one.kind, ViolationKind::IllDefined { .. }));
    assert!(ill_defined(user("seen <-- ask(3)")));
}

fn capturing(definitions: &str, formula: &str) -> Project {
    let text = format!(
        "MACHINE M DEFINITIONS {definitions} VARIABLES y INVARIANT y : 0..3 & ({formula}) INITIALISATION y := 0 \
         OPERATIONS step = y := 1 - y END"
    );
    Project::new(&[("M.mch", &text)])
}

const GREATER: &str = "egt(x) == #y.(y : 0..99 & x < y)";

#[test]
fn definitions_are_hygienic_and_say_where_prob_differs() {
    let project = capturing(GREATER, "egt(y + 1)");
    assert_eq!(ids(&project), ["definition-capture"]);
    assert_eq!(checked(&project).verdict, Verdict::Holds);
}

#[test]
fn as_prob_definitions_capture() {
    // `#y.(y : 0..99 & y + 1 < y)` is false.
    let project = as_prob(capturing(GREATER, "egt(y + 1)"));
    assert_eq!(ids(&project), [""; 0]);
    assert_eq!(checked(&project).verdict, Verdict::Violated);
}

#[test]
fn a_single_name_is_never_captured() {
    let project = capturing(GREATER, "egt(y)");
    assert_eq!(ids(&project), [""; 0]);
    assert_eq!(checked(&project).verdict, Verdict::Holds);
    assert_eq!(checked(&as_prob(capturing(GREATER, "egt(y)"))).verdict, Verdict::Holds);
}

#[test]
fn capture_goes_through_definitions_that_pass_arguments_on() {
    let definitions = format!("{GREATER}; outer(z) == egt(z)");
    assert_eq!(ids(&capturing(&definitions, "outer(y + 1)")), ["definition-capture"]);
    assert_eq!(checked(&as_prob(capturing(&definitions, "outer(y + 1)"))).verdict, Verdict::Violated);
    assert_eq!(ids(&capturing(&definitions, "outer(y)")), [""; 0]);
    let definitions = format!("{GREATER}; outer(z) == egt(z + 1)");
    assert_eq!(ids(&capturing(&definitions, "outer(y)")), ["definition-capture"]);
}

#[test]
fn names_that_are_bound_in_the_argument_are_its_own() {
    assert_eq!(ids(&capturing(GREATER, "egt(card({y | y : 0..1}))")), [""; 0]);
}

#[test]
fn names_that_the_body_does_not_bind_around_the_formal_do_not_matter() {
    assert_eq!(ids(&capturing("both(x) == (#y.(y : 0..9) & x < 9)", "both(y + 1)")), [""; 0]);
}

#[test]
fn as_prob_a_bound_beyond_maxint_is_tried() {
    for (properties, guard, n_states) in
        [("mm > 3", "xx = mm", 3), ("mm = 0", "xx > 5", 3), ("mm = 0", "xx < -5", 3), ("mm = 0", "vv < 3 & xx > vv", 5)]
    {
        let text = format!(
            "MACHINE M CONSTANTS mm PROPERTIES mm : INTEGER & {properties} VARIABLES vv INVARIANT vv : INTEGER INITIALISATION vv := 0
             OPERATIONS go = ANY xx WHERE {guard} THEN vv := xx END END"
        );
        let project = Project::new(&[("M.mch", &text)]);
        let config = Config { eval: abridge_eval::EvalConfig::prob(), deadlock: false, ..Config::default() };
        let report = check(&project.analyse().model.expect("a model"), &config, &mut ());
        let unknown = if properties == "mm > 3" { "mm" } else { "xx" };
        let limit = format!("`{unknown}` was enumerated from MININT to MAXINT only");
        assert_eq!((report.states, report.limits), (n_states, vec![limit]), "{properties}, {guard}");
    }
}
