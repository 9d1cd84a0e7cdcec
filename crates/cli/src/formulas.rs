//! Formulas typed by the user: type-checked in the scope of a machine, evaluated in a state, answered as text and as JSON.
//!
//! `eval` and `animate` share this code, so both give the same answer to the same formula.

use std::path::Path;

use abridge_check::{CalculatedAnswer, Calculation, Config, Needs, Origin, Place, choices, evaluate, needs, solve};
use abridge_diag::{Diagnostic, RenderConfig, SourceMap, render};
use abridge_eval::{Env, Error, Notations, Warning};
use abridge_explicit::{Explicit, judge, why_false};
use abridge_model::Model;
use abridge_model::ModelNode;
use abridge_model_system::ModelSystem as _;
use abridge_sema::{Formula, FormulaAnalysis, FormulaBody, FormulaRole, FormulaText, Options};
use abridge_system::{Part, Reason};
use serde_json::{Map, Value, json};

use crate::exit::Exit;
use crate::load::load_with;
use crate::report::{count, explanation_lines, json_diagnostics};

/// Name of the formula in diagnostics, in place of a file name.
const SOURCE: &str = "<formula>";

/// Type-checks one formula, in the scope of a machine if there is one.
pub(crate) fn analyse_one(machine: Option<&Path>, text: &str, role: FormulaRole, options: &Options) -> FormulaAnalysis {
    let text = FormulaText { source: SOURCE.to_owned(), text: text.to_owned(), role };
    load_with(machine, &[text], options)
}

/// The part of the state that a formula reads.
pub(crate) fn needs_of(model: &Model, formula: &Formula) -> Needs {
    match formula.body {
        FormulaBody::Pred(pred) => needs(model, ModelNode::Pred(pred)),
        FormulaBody::Expr(expr) => needs(model, ModelNode::Expr(expr)),
    }
}

/// What a formula comes to and, if it is false, why.
pub(crate) struct Calculated {
    calculation: Calculation,
    parts: Vec<Part>,
    reasons: Vec<Reason>,
}

/// Evaluates a formula of a model at a place.
pub(crate) fn calculate(model: &Model, formula: &Formula, place: &Place, limit: usize, config: Config) -> Calculated {
    let interp = judge(model, config.eval).stopped_by(config.stop);
    let env = place.state().map_or_else(Env::empty, Env::new);
    let pred = match formula.body {
        FormulaBody::Pred(pred) => pred,
        FormulaBody::Expr(expr) => {
            let calculation = evaluate(&interp, expr, &env);
            return Calculated { calculation, parts: Vec::new(), reasons: Vec::new() };
        }
    };
    let calculation = solve(&interp, &formula.free, pred, &env, limit);
    let (parts, reasons) = match calculation.answer {
        Ok(CalculatedAnswer::Truth(false)) => why_false(&interp.session(), &Notations::new(model), pred, &env),
        _ => (Vec::new(), Vec::new()),
    };
    Calculated { calculation, parts, reasons }
}

/// The first place in which everything that is read has a value, or a message if there is none.
pub(crate) fn first_place(system: &Explicit<'_>, needs: Needs) -> Result<Place, String> {
    let mut place = match needs {
        Needs::Nothing => return Ok(Place::Start),
        Needs::Constants if !system.has_setup() => return Ok(Place::SetUp(system.blank())),
        _ => Place::Start,
    };
    loop {
        let is_enough = match &place {
            Place::Start => false,
            Place::SetUp(_) => needs == Needs::Constants,
            Place::Running(_) => true,
        };
        if is_enough {
            return Ok(place);
        }
        let words = place.words(system);
        let found = choices(system, words.as_deref().map_or(Origin::Root, Origin::State), 1);
        let error = found.errors.first().map(|(_, error)| error.message.clone());
        place = match found.list.into_iter().next() {
            Some(first) => Place::of_words(system, Some(&first.to)),
            None => return Err(error.unwrap_or_else(|| "the machine has no initial state".to_owned())),
        };
    }
}

/// The exit status of an error during evaluation.
pub(crate) fn exit_of(error: &Error) -> Exit {
    if error.is_ill_defined() || error.is_obligation() { Exit::IllDefined } else { Exit::Incomplete }
}

/// An answer as text, its JSON fields, and the exit status.
pub(crate) struct ToldAnswer {
    pub(crate) text: String,
    pub(crate) json: Map<String, Value>,
    pub(crate) exit: Exit,
}

pub(crate) fn tell(model: &Model, sources: &SourceMap, calculated: &Calculated) -> ToldAnswer {
    let Calculated { calculation, parts, reasons } = calculated;
    let mut told = match &calculation.answer {
        Ok(answer) => tell_answer(answer),
        Err(error) => tell_error(sources, &error.diagnostic(model), exit_of(error)),
    };
    let why = explanation_lines(sources, parts, reasons);
    if matches!(calculation.answer, Ok(CalculatedAnswer::Truth(false))) {
        told.text.extend(why.iter().map(|line| format!("  {line}\n")));
        told.json.insert("why".to_owned(), json!(why));
    }
    let mut warnings = Vec::new();
    for warning in &calculation.warnings {
        warnings.push(match warning {
            Warning::Enumeration { name, .. } => {
                told.exit = told.exit.max(Exit::Incomplete);
                format!("`{name}` was enumerated from MININT to MAXINT only")
            }
            Warning::Strings { name, .. } => {
                told.exit = told.exit.max(Exit::Incomplete);
                format!("`{name}` was enumerated over two strings only")
            }
            Warning::Impure { name } => format!("`{name}` depends on files, the clock or chance"),
            Warning::Unchecked { .. } => {
                "membership of an infinite function in a set of functions was assumed".to_owned()
            }
            Warning::Reported { message } => message.clone(),
        });
    }
    told.text.extend(warnings.iter().map(|warning| format!("note: {warning}\n")));
    told.json.insert("warnings".to_owned(), json!(warnings));
    told
}

/// The answer to a formula that failed with a diagnostic.
pub(crate) fn tell_error(sources: &SourceMap, error: &Diagnostic, exit: Exit) -> ToldAnswer {
    let text = render(sources, error, RenderConfig::default());
    let diagnostics = json_diagnostics(sources, std::slice::from_ref(error));
    ToldAnswer {
        text,
        json: fields(json!({ "kind": "error", "message": error.message, "diagnostics": diagnostics })),
        exit,
    }
}

/// The answer to a formula that failed with a message.
pub(crate) fn tell_message(message: &str, exit: Exit) -> ToldAnswer {
    ToldAnswer {
        text: format!("error: {message}\n"),
        json: fields(json!({ "kind": "error", "message": message })),
        exit,
    }
}

fn tell_answer(answer: &CalculatedAnswer) -> ToldAnswer {
    match answer {
        CalculatedAnswer::Value { value, ty } => {
            let json = json!({ "kind": "value", "value": value, "type": ty });
            ToldAnswer { text: format!("{value} : {ty}\n"), json: fields(json), exit: Exit::Ok }
        }
        CalculatedAnswer::Truth(truth) => {
            let text = if *truth { "TRUE\n" } else { "FALSE\n" };
            let exit = if *truth { Exit::Ok } else { Exit::No };
            ToldAnswer { text: text.to_owned(), json: fields(json!({ "kind": "truth", "value": truth })), exit }
        }
        CalculatedAnswer::Solutions { names, list, is_complete } => tell_solutions(names, list, *is_complete),
    }
}

fn tell_solutions(names: &[(String, String)], list: &[Vec<String>], is_complete: bool) -> ToldAnswer {
    let row = |values: &Vec<String>| -> String {
        let texts: Vec<String> =
            names.iter().zip(values).map(|((name, _), value)| format!("{name} = {value}")).collect();
        texts.join(", ") + "\n"
    };
    let mut text: String = list.iter().map(row).collect();
    text += &match (list.len(), is_complete) {
        (0, true) => "no solution\n".to_owned(),
        (n, true) => count(n, "solution") + "\n",
        (n, false) => format!("first {}; more exist (raise --limit)\n", count(n, "solution")),
    };
    let object = |values: &Vec<String>| -> Value {
        Value::Object(names.iter().zip(values).map(|((name, _), value)| (name.clone(), json!(value))).collect())
    };
    let identifiers: Vec<Value> = names.iter().map(|(name, ty)| json!({ "name": name, "type": ty })).collect();
    let solutions: Vec<Value> = list.iter().map(object).collect();
    let json =
        json!({ "kind": "solutions", "identifiers": identifiers, "solutions": solutions, "complete": is_complete });
    let exit = if list.is_empty() && is_complete { Exit::No } else { Exit::Ok };
    ToldAnswer { text, json: fields(json), exit }
}

pub(crate) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
