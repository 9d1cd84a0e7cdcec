//! Formulas and machines from B text.
#![allow(dead_code, reason = "each test file uses some of it")]

use abridge_eval::{Env, Error, EvalConfig, Val, val_text};
use abridge_explicit::judge;
use abridge_model::{Comparison, ExprId, Model, Pred};
use abridge_testkit::Project;

/// The model of one machine.
pub(crate) fn model(text: &str) -> Model {
    let project = Project::new(&[("M.mch", text)]);
    match project.analyse().model {
        Some(model) => model,
        None => panic!("{text}\n{}", project.diagnostics()),
    }
}

fn machine(clause: &str) -> Model {
    model(&format!(
        "MACHINE M
        SETS S = {{a, b, c}}; D
        FREETYPES L = nil, cons(INTEGER * L); F = f0, f1(BOOL)
        CONSTANTS unknown_value
        PROPERTIES card(D) = 2 & {clause}
        END"
    ))
}

/// The right side of `unknown_value = E`.
fn right_side(model: &Model) -> ExprId {
    let found = model.properties.iter().find_map(|conjunct| match model.pred(conjunct.pred) {
        Pred::Compare(Comparison::Equal, left, right)
            if matches!(model.expr(*left), abridge_model::Expr::Constant(_)) =>
        {
            Some(*right)
        }
        _ => None,
    });
    found.expect("the property is an equation")
}

fn eval(text: &str) -> Result<String, Error> {
    let model = machine(&format!("unknown_value = ({text})"));
    let interp = judge(&model, EvalConfig::default());
    let session = interp.session();
    session.value(right_side(&model), &Env::empty()).map(|val: Val| val_text(&model, &val))
}

/// Asserts that the value is the same if every search goes through circuits. At least one search must.
#[track_caller]
pub(crate) fn same_by_circuit(text: &str) {
    let model = machine(&format!("unknown_value = ({text})"));
    let plain = judge(&model, EvalConfig { hard: u64::MAX, ..EvalConfig::default() });
    let circuits = judge(&model, EvalConfig { hard: 2, probe: 0, ..EvalConfig::default() });
    let value = |session: &abridge_eval::Session<'_>| {
        let value = session.value(right_side(&model), &Env::empty());
        value.map(|val| val_text(&model, &val)).map_err(|error| error.diagnostic(&model).id)
    };
    let session = circuits.session();
    assert_eq!(value(&session), value(&plain.session()), "{text}");
    assert!(session.circuits() > 0, "not solved by a circuit: {text}");
}

/// Asserts the value of an expression, as B text.
#[track_caller]
pub(crate) fn check(text: &str, expected: &str) {
    match eval(text) {
        Ok(found) => assert_eq!(found, expected, "{text}"),
        Err(error) => panic!("{text}: {error:?}"),
    }
}

/// Asserts the value of an expression, found without circuits within `fuel` steps.
#[track_caller]
pub(crate) fn check_in(fuel: u64, text: &str, expected: &str) {
    let model = machine(&format!("unknown_value = ({text})"));
    let interp = judge(&model, EvalConfig { hard: u64::MAX, fuel, ..EvalConfig::default() });
    match interp.session().value(right_side(&model), &Env::empty()) {
        Ok(found) => assert_eq!(val_text(&model, &found), expected, "{text}"),
        Err(error) => panic!("{text}: {error:?}"),
    }
}

/// Asserts that the expression has no value, with diagnostic `id`.
#[track_caller]
pub(crate) fn fails(text: &str, id: &str) {
    let model = machine(&format!("unknown_value = ({text})"));
    let interp = judge(&model, EvalConfig::default());
    match interp.session().value(right_side(&model), &Env::empty()) {
        Ok(found) => panic!("{text} is {}", val_text(&model, &found)),
        Err(error) => assert_eq!(error.diagnostic(&model).id, id, "{text}"),
    }
}

fn truth_with(text: &str, config: EvalConfig) -> (Result<bool, Error>, usize) {
    let model = machine(&format!("unknown_value = bool({text})"));
    let interp = judge(&model, config);
    let session = interp.session();
    let answer = session.value(right_side(&model), &Env::empty()).and_then(|val| val.bool());
    (answer, session.take_warnings().len())
}

#[track_caller]
fn truth(text: &str, expected: bool) {
    match truth_with(text, EvalConfig::default()).0 {
        Ok(found) => assert_eq!(found, expected, "{text}"),
        Err(error) => panic!("{text}: {error:?}"),
    }
}

#[track_caller]
pub(crate) fn holds(text: &str) {
    truth(text, true);
}

#[track_caller]
pub(crate) fn refuted(text: &str) {
    truth(text, false);
}

/// Asserts that the predicate is ill-defined or undecided.
#[track_caller]
pub(crate) fn undefined(text: &str, id: &str) {
    let model = machine(&format!("unknown_value = bool({text})"));
    let interp = judge(&model, EvalConfig::default());
    match interp.session().value(right_side(&model), &Env::empty()) {
        Ok(found) => panic!("{text} is {}", val_text(&model, &found)),
        Err(error) => assert_eq!(error.diagnostic(&model).id, id, "{text}"),
    }
}

/// Asserts the truth of a predicate with the conventions of ProB, and whether there was a warning.
#[track_caller]
pub(crate) fn prob_holds(text: &str, expected: bool, warns: bool) {
    let (answer, n_warnings) = truth_with(text, EvalConfig::prob());
    match answer {
        Ok(found) => assert_eq!((found, n_warnings > 0), (expected, warns), "{text}"),
        Err(error) => panic!("{text}: {error:?}"),
    }
}

pub(crate) mod explore;

/// States, transitions, and the ids of errors, of a machine explored with ProB's conventions.
pub(crate) fn counts(text: &str) -> (usize, usize, Vec<&'static str>) {
    let model = model(text);
    let report = explore::explore(&model, EvalConfig::prob(), 10_000);
    let mut ids: Vec<&'static str> = report.errors.iter().map(|error| error.diagnostic(&model).id).collect();
    ids.dedup();
    (report.states, report.transitions, ids)
}

/// Counts without errors.
#[track_caller]
pub(crate) fn check_counts(text: &str, states: usize, transitions: usize) {
    assert_eq!(counts(text), (states, transitions, vec![]), "{text}");
}
