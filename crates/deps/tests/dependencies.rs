//! Dependencies of small machines.

use std::sync::Arc;

use abridge_deps::{AnalysisDepth, Answers, AskedErrors, Dependencies, Resources};
use abridge_encoding::EncodingSource;
use abridge_eval::EvalConfig;
use abridge_explicit::{Explicit, SystemConfig, judge};
use abridge_model_system::ModelSystem as _;
use abridge_system::{Steps, System as _, Worker as _};
use abridge_testkit::Project;
use abridge_value::bytes::Key;

const ASKED: AskedErrors = AskedErrors { deadlock: true, invariant: true, assertions: true, goal: false };
const SEMANTIC: AnalysisDepth = AnalysisDepth::Semantic { conflicts: 1000 };

/// Names of dependent pairs, of pairs where the first can enable the second, and of possible errors.
struct Found {
    instances: Vec<String>,
    dependent: Vec<(String, String)>,
    enabling: Vec<(String, String)>,
    shared: Vec<String>,
    errors: Vec<String>,
    may_deadlock: bool,
    /// Number of questions to the solver, apart from examples.
    questions: u64,
}

fn find(text: &str, depth: AnalysisDepth) -> Found {
    find_with(text, depth, &Resources::new(Arc::default(), u64::MAX))
}

fn find_with(text: &str, depth: AnalysisDepth, resources: &Resources) -> Found {
    let project = Project::new(&[("M.mch", text)]);
    let analysis = project.analyse();
    let model = analysis.model.as_ref().unwrap_or_else(|| panic!("{}", project.diagnostics()));
    let system = Explicit::new(judge(model, EvalConfig::default()), SystemConfig::default());
    let mut steps = Steps::new(system.width());
    assert!(system.worker().initial(&mut steps).is_whole());
    let words = steps.iter().next().expect("the machine starts").target.to_vec();
    let dependencies = Dependencies::new(
        &EncodingSource::new(system.judge()),
        &system.decode(&words).0,
        (ASKED, &[]),
        depth,
        resources,
    )
    .expect("the machine can be analysed");
    let name = |event| dependencies.name(model, system.operation_ids(), event);
    let enabling = dependencies.enabling();
    (0..dependencies.n_instances()).for_each(|event| _ = (dependencies.discords(event), dependencies.disablers(event)));
    let questions = dependencies.outline().questions;
    let dependences = dependencies.dependences(&EncodingSource::new(system.judge()));
    Found {
        instances: (0..dependencies.n_instances()).map(name).collect(),
        dependent: dependences.iter().map(|pair| (name(pair.first), name(pair.second))).collect(),
        enabling: enabling.into_iter().map(|(by, event)| (name(by), name(event))).collect(),
        shared: dependences.iter().flat_map(|pair| pair.shared.clone()).collect(),
        errors: dependencies.errors().map(name).collect(),
        may_deadlock: dependencies.may_deadlock(),
        questions,
    }
}

fn pair(first: &str, second: &str) -> (String, String) {
    (first.to_owned(), second.to_owned())
}

/// Koerner, Leuschel, listing 1.
const LOCK: &str = "
MACHINE M
VARIABLES xx, locked
INVARIANT xx : POW(1..2) & locked : BOOL
INITIALISATION xx := {} || locked := FALSE
OPERATIONS
  add(yy) = SELECT locked = FALSE & yy : 1..2 & yy /: xx THEN xx := xx \\/ {yy} END;
  lock = SELECT locked = FALSE THEN locked := TRUE END;
  unlock = SELECT locked = TRUE THEN locked := FALSE END
END";

#[test]
fn elements_are_told_apart() {
    for depth in [AnalysisDepth::Syntactic, SEMANTIC] {
        let found = find(LOCK, depth);
        assert_eq!(found.instances, ["add(1)", "add(2)", "lock", "unlock"]);
        assert_eq!(found.dependent, [pair("add(1)", "lock"), pair("add(2)", "lock")]);
        assert!(found.shared.iter().all(|place| place.contains("locked")), "{:?}", found.shared);
        assert!(!found.enabling.contains(&pair("add(1)", "add(2)")));
        assert!(found.enabling.contains(&pair("unlock", "add(1)")) && found.enabling.contains(&pair("unlock", "lock")));
        assert!(!found.may_deadlock && found.errors.is_empty());
    }
}

#[test]
fn what_is_never_enabled_together_accords_if_induction_says_so() {
    let machine = |invariant: &str| {
        format!(
            "MACHINE M VARIABLES aa, bb, cc INVARIANT aa : BOOL & bb : BOOL & cc : BOOL {invariant}
             INITIALISATION aa := TRUE || bb := FALSE || cc := FALSE
             OPERATIONS
               left = SELECT aa = TRUE THEN aa := FALSE || bb := TRUE || cc := TRUE END;
               right = SELECT bb = TRUE THEN bb := FALSE || aa := TRUE || cc := FALSE END
             END"
        )
    };
    assert_eq!(find(&machine(""), SEMANTIC).dependent, [pair("left", "right")]);
    let strong = machine("& (aa = TRUE => bb = FALSE)");
    assert!(find(&strong, SEMANTIC).dependent.is_empty());
    assert_eq!(find(&strong, AnalysisDepth::Syntactic).dependent, [pair("left", "right")]);
    // The invariant is stated but false, so nothing may be derived from it.
    let wrong = find(&machine("& (aa = TRUE => bb = TRUE)"), SEMANTIC);
    assert_eq!(wrong.dependent, [pair("left", "right")]);
    assert!(wrong.errors.iter().any(|error| error.contains("invariant")));
}

#[test]
fn integers_keep_their_bounds_or_lose_them() {
    let machine = |guard: &str| {
        format!(
            "MACHINE M VARIABLES nn, mm INVARIANT nn : 0..3 & mm : 0..3 INITIALISATION nn := 0 || mm := 0
             OPERATIONS
               up = SELECT {guard} THEN nn := nn + 1 END;
               down = SELECT nn > 0 THEN nn := nn - 1 END;
               other = SELECT mm < 3 THEN mm := mm + 1 END
             END"
        )
    };
    let bounded = find(&machine("nn < 3"), SEMANTIC);
    assert!(bounded.errors.is_empty(), "{:?}", bounded.errors);
    assert!(!bounded.enabling.contains(&pair("down", "down")) && bounded.enabling.contains(&pair("down", "up")));
    let unbounded = find(&machine("mm >= 0"), SEMANTIC);
    assert_eq!(unbounded.errors, ["violation of invariant 1"]);
    assert!(!unbounded.dependent.contains(&pair("up", "other")));
    // Adding and subtracting one commute, for all integers.
    assert!(unbounded.dependent.is_empty(), "{:?}", unbounded.dependent);
}

#[test]
fn what_may_be_ill_defined_is_an_error_until_it_is_excluded() {
    let machine = |invariant: &str| {
        format!(
            "MACHINE M SETS SS = {{s1, s2}} VARIABLES ff, bb INVARIANT {invariant} & bb : BOOL
             INITIALISATION ff := {{s1 |-> TRUE, s2 |-> FALSE}} || bb := FALSE
             OPERATIONS
               get = BEGIN bb := ff(s1) END;
               set(xx) = PRE xx : SS THEN ff(xx) := TRUE END
             END"
        )
    };
    assert_eq!(find(&machine("ff : SS --> BOOL"), SEMANTIC).errors, Vec::<String>::new());
    let errors = find(&machine("ff : SS <-> BOOL"), SEMANTIC).errors;
    assert_eq!(errors, ["ill-defined get"]);
}

#[test]
fn an_operation_beyond_circuits_depends_on_all_that_it_touches() {
    let found = find(
        "MACHINE M VARIABLES nn, mm, kk INVARIANT nn : NATURAL & mm : NATURAL & kk : NATURAL
         INITIALISATION nn := 0 || mm := 0 || kk := 0
         OPERATIONS
           loop = PRE nn < 3 THEN WHILE nn < 2 DO nn := nn + 1 INVARIANT TRUE = TRUE VARIANT 2 - nn END END;
           touch = PRE nn < 2 THEN nn := nn + 1 END;
           apart = PRE kk < 2 THEN kk := kk + 1 END
         END",
        SEMANTIC,
    );
    assert_eq!(found.dependent, [pair("loop", "touch")]);
}

/// Two counters with bounds that follow from guards, so that the solver is asked.
fn counters(most: u32) -> String {
    format!(
        "MACHINE M VARIABLES nn, mm INVARIANT nn : 0..5 & mm : 0..5 & (nn = 3 => mm < 5) INITIALISATION nn := 0 || mm := 0
         OPERATIONS
           up = SELECT nn < {most} & mm < 5 THEN nn := nn + 1 END;
           down = SELECT nn > 0 THEN nn := nn - 1 END;
           other = SELECT mm < 3 & nn < 5 THEN mm := mm + 1 END
         END"
    )
}

#[test]
fn what_is_known_is_not_asked_again() {
    let resources = Resources::new(Arc::default(), u64::MAX);
    let first = find_with(&counters(3), SEMANTIC, &resources);
    assert!(first.questions > 0);
    // The next run reads the answers.
    let key = Key::new([1; 32]);
    let kept = Answers::from_bytes(&resources.answers.to_bytes(&key), &key).expect("what was written can be read");
    let resources = Resources::new(Arc::new(kept), u64::MAX);
    let second = find_with(&counters(3), SEMANTIC, &resources);
    assert_eq!(second.questions, 0);
    assert!(!resources.answers.is_changed());
    assert_eq!(
        (&first.dependent, &first.enabling, &first.errors),
        (&second.dependent, &second.enabling, &second.errors)
    );
    assert_eq!(first.may_deadlock, second.may_deadlock);
}

#[test]
fn another_model_has_other_answers() {
    let resources = Resources::new(Arc::default(), u64::MAX);
    find_with(&counters(3), SEMANTIC, &resources);
    let other = find_with(&counters(4), SEMANTIC, &resources);
    assert!(other.questions > 0);
    let fresh = find(&counters(4), SEMANTIC);
    assert_eq!((other.dependent, other.enabling, other.errors), (fresh.dependent, fresh.enabling, fresh.errors));
}

#[test]
fn what_was_given_up_is_asked_again_with_more_patience() {
    let resources = Resources::new(Arc::default(), u64::MAX);
    let hasty = AnalysisDepth::Semantic { conflicts: 0 };
    let first = find_with(&counters(3), hasty, &resources);
    let second = find_with(&counters(3), SEMANTIC, &resources);
    assert!(first.dependent.len() >= second.dependent.len() && second.questions > 0);
    assert_eq!(second.dependent, find(&counters(3), SEMANTIC).dependent);
}

#[test]
fn all_valuations_share_one_budget() {
    let text = "MACHINE M SETS SS = {s1, s2, s3} CONSTANTS kk PROPERTIES kk : SS --> 0..3
         VARIABLES ff, nn INVARIANT ff : SS --> 0..3 & nn : 0..9 INITIALISATION ff := kk || nn := 0
         OPERATIONS
           set(xx) = SELECT xx : SS & ff(xx) < 3 & nn < 9 THEN ff(xx) := ff(xx) + 1 || nn := nn + 1 END;
           down = SELECT nn > 0 THEN nn := nn - 1 END
         END";
    let model = Project::model_of(text);
    let system = Explicit::new(judge(&model, EvalConfig::default()), SystemConfig::default());
    let mut steps = Steps::new(system.width());
    let _ = system.worker().initial(&mut steps);
    assert!(steps.len() >= 64, "each valuation has its initial state");
    let questions = |effort: u64, n_valuations: usize| {
        let resources = Resources::new(Arc::default(), effort);
        let dependencies = |step: abridge_system::Step<'_>| {
            Dependencies::new(
                &EncodingSource::new(system.judge()),
                &system.decode(step.target).0,
                (ASKED, &[]),
                SEMANTIC,
                &resources,
            )
        };
        let dependencies: Vec<Dependencies> = steps.iter().take(n_valuations).filter_map(dependencies).collect();
        dependencies.iter().for_each(|dependencies| {
            (0..dependencies.n_instances()).for_each(|event| _ = dependencies.discords(event))
        });
        (dependencies.len(), dependencies.iter().map(|dependencies| dependencies.outline().questions).sum::<u64>())
    };
    let (n_analysed, n_asked) = questions(u64::MAX, 4);
    assert!(n_analysed == 4 && n_asked > 10, "{n_asked}");
    let (n_analysed, n_asked) = questions(10, 64);
    assert!(n_analysed < 64 && n_asked <= 10, "{n_analysed} analysed, {n_asked} asked");
}

#[test]
fn when_the_time_is_over_nothing_is_asked_or_kept() {
    let resources = Resources::new(Arc::default(), u64::MAX).ended_by(|| true);
    let text = counters(3);
    let project = Project::new(&[("M.mch", &text)]);
    let analysis = project.analyse();
    let model = analysis.model.as_ref().expect("a machine");
    let system = Explicit::new(judge(model, EvalConfig::default()), SystemConfig::default());
    let mut steps = Steps::new(system.width());
    assert!(system.worker().initial(&mut steps).is_whole());
    let words = steps.iter().next().expect("the machine starts").target.to_vec();
    assert!(
        Dependencies::new(
            &EncodingSource::new(system.judge()),
            &system.decode(&words).0,
            (ASKED, &[]),
            SEMANTIC,
            &resources
        )
        .is_none()
    );
    assert!(!resources.answers.is_changed());
}

#[test]
fn functions_to_sets_have_parts() {
    let machine = |invariant: &str| {
        format!(
            "MACHINE M SETS SS = {{s1, s2}} VARIABLES gg INVARIANT {invariant} INITIALISATION gg := {{}}
             OPERATIONS
               enter(xx) = PRE xx : SS & xx /: dom(gg) THEN gg(xx) := {{}} END;
               add(xx, yy) = PRE xx : dom(gg) & yy : SS & yy /: gg(xx) THEN gg(xx) := gg(xx) \\/ {{yy}} END;
               leave(xx) = PRE xx : dom(gg) THEN gg := {{xx}} <<| gg END
             END"
        )
    };
    let found = find(&machine("gg : SS +-> POW(SS)"), SEMANTIC);
    assert!(found.errors.is_empty() && !found.may_deadlock, "{:?}", found.errors);
    // Only instances with the same argument are dependent.
    let argument = |name: &str| name.split(['(', ',', ')']).nth(1).map(str::to_owned);
    assert!(!found.dependent.is_empty());
    assert!(found.dependent.iter().all(|(first, second)| argument(first) == argument(second)), "{:?}", found.dependent);
    assert!(!found.dependent.contains(&pair("add(s1,s1)", "add(s1,s2)")));
    // A false invariant does not justify splitting the variable into cells.
    let wrong = find(&machine("gg : SS +-> POW({s1})"), SEMANTIC);
    assert_eq!(wrong.errors.last().map(String::as_str), Some("violation of invariant 1"));
}

#[test]
fn what_a_type_says_needs_no_circuit() {
    let found = find(
        "MACHINE M VARIABLES ss, nn INVARIANT ss <: INTEGER & nn : NATURAL INITIALISATION ss := {} || nn := 0
         OPERATIONS
           add(xx) = PRE xx : 0..1 & xx /: ss THEN ss := ss \\/ {xx} END;
           up = SELECT nn < 3 THEN nn := nn + 1 END
         END",
        SEMANTIC,
    );
    assert!(found.errors.is_empty(), "{:?}", found.errors);
}
