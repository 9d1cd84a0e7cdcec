//! Preferences: SET_PREF definitions of the main machine, overridden by the command line.
//!
//! [`table`] lists the preferences of ProB and the effect of each. A setting without effect is reported, as is a name that ProB does not know.
//! Otherwise a machine would be checked under other rules than its author believes.

use abridge_diag::{Diagnostic, Span};
use abridge_model::carriers::MAX_BITS;
use abridge_model::{Preferences, SmolStr};
use abridge_syntax::ast::{self, Atom, BinaryOp, DefinitionBody};
use num_bigint::BigInt;

use crate::Options;
use crate::definitions::{DefEntry, DefTable, definitions_of};
use crate::project::{SourceProject, UnitId};
use crate::suggest;

mod table;

use table::{Effect, effect_of};
pub use table::{PreferenceRow, preference_table};

const PREFIX: &str = "SET_PREF_";

/// Preferences that are on or off. Any other value would be off without a word.
const SWITCHES: [&str; 11] = [
    "ALLOW_COMPLEX_LETS",
    "ALLOW_LOCAL_OPERATION_CALLS",
    "ALLOW_NEW_OPERATIONS_IN_REFINEMENT",
    "ALLOW_OPERATION_CALLS_FOR_USES",
    "ALLOW_OPERATION_CALLS_IN_EXPRESSIONS",
    "ALLOW_SIMULTANEOUS_ASSIGNMENTS",
    "ALLOW_UNTYPED_IDENTIFIERS",
    "SHOW_EVENTB_ANY_VALUES",
    "SYMBOLIC",
    "TRY_FIND_ABORT",
    "USE_SCOPE_DEFINITION",
];

/// Reads the preferences of a project.
pub(crate) fn collect(
    project: &SourceProject,
    defs: &DefTable,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> Preferences {
    let mut preferences = Preferences::default();
    for entry in defs.iter() {
        let Some(name) = entry.name.name.strip_prefix(PREFIX) else { continue };
        match value_of(project, defs, entry) {
            Some(text) => {
                let setting = Setting { name, text: &text, span: Some(entry.name.span) };
                set(&mut preferences, &setting, options.heeds_caps, diagnostics);
            }
            None => {
                let message = format!("the value of preference `{name}` is not a number, a truth value or a string");
                diagnostics.push(Diagnostic::error("wrong-preference", message).at(entry.name.span));
            }
        }
    }
    for (name, text) in &options.preferences {
        set(&mut preferences, &Setting { name, text, span: None }, options.heeds_caps, diagnostics);
    }
    report_preferences_elsewhere(project, &preferences, diagnostics);
    preferences
}

/// Reports SET_PREF outside of the main machine and its definition files, where it has no effect.
fn report_preferences_elsewhere(project: &SourceProject, preferences: &Preferences, diagnostics: &mut Vec<Diagnostic>) {
    for unit in &project.units {
        let Some(machine) = unit.ast.machine().filter(|_| unit.ast.file != project.ast(project.main).file) else {
            continue;
        };
        for definition in definitions_of(&unit.ast) {
            let ast::Definition::Named { name, .. } = definition else { continue };
            let Some(preference) = name.name.strip_prefix(PREFIX) else { continue };
            let is_honoured = matches!(effect_of(preference), Some(Effect::Honoured(_)));
            if is_honoured && !preferences.set.contains_key(preference) {
                let message = format!(
                    "preference `{preference}` has no effect in `{}`, which is not the main machine",
                    machine.name.name
                );
                let help = format!("set it in `{}` or with `-p {preference} VALUE`", main_name(project));
                diagnostics.push(Diagnostic::warning("ignored-preference", message).at(name.span).help(help));
            }
        }
    }
}

fn main_name(project: &SourceProject) -> &str {
    project.machine(project.main).map_or("the main machine", |machine| machine.name.name.as_str())
}

/// Preference set by a definition or on the command line.
struct Setting<'a> {
    name: &'a str,
    text: &'a str,
    /// Span of the definition.
    span: Option<Span>,
}

fn set(preferences: &mut Preferences, setting: &Setting<'_>, heeds_caps: bool, diagnostics: &mut Vec<Diagnostic>) {
    let Setting { name, text, span } = *setting;
    let at = |diagnostic: Diagnostic| match span {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    };
    match effect_of(name) {
        Some(Effect::Honoured(_)) => {}
        Some(Effect::Cap) if heeds_caps => {}
        Some(Effect::Fixed { value, .. }) if text.eq_ignore_ascii_case(value) => {}
        Some(effect) => diagnostics.push(at(ignored(name, effect))),
        None => {
            let diagnostic = at(Diagnostic::warning("unknown-preference", format!("there is no preference `{name}`")));
            let near = suggest::nearest(name, table::names());
            let help = near.map(|near| format!("a similar one exists: `{near}`"));
            diagnostics.push(help.into_iter().fold(diagnostic, Diagnostic::help));
        }
    }
    let number = BigInt::parse_bytes(text.trim().as_bytes(), 10);
    let wrong = |what: &str| {
        at(Diagnostic::error("wrong-preference", format!("preference `{name}` needs {what}, not `{text}`")))
    };
    match (name, number) {
        ("MAXINT", Some(value)) => preferences.max_int = value,
        ("MININT", Some(value)) => preferences.min_int = value,
        ("DEFAULT_SETSIZE", Some(value)) => match u32::try_from(&value) {
            Ok(size) if size > 0 => preferences.default_set_size = size,
            _ => diagnostics.push(wrong("a positive number")),
        },
        ("TIME_OUT", Some(value)) if u64::try_from(&value).is_ok() => {}
        ("TIME_OUT", _) => diagnostics.push(wrong("a number of milliseconds")),
        ("MAXINT" | "MININT" | "DEFAULT_SETSIZE" | "MAX_OPERATIONS" | "MAX_INITIALISATIONS", None) => {
            diagnostics.push(wrong("an integer"));
        }
        ("SYMMETRY_MODE", _) if !is_one_of(text, &["off", "flood", "nauty", "hash"]) => {
            diagnostics.push(wrong("`off`, `flood`, `nauty` or `hash`"));
        }
        _ if SWITCHES.contains(&name) && !is_one_of(text, &["true", "false"]) => {
            diagnostics.push(wrong("TRUE or FALSE"));
        }
        _ => {}
    }
    preferences.set.insert(SmolStr::from(name), SmolStr::from(text));
}

fn is_one_of(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(text.trim()))
}

/// Warning about a preference of ProB without effect.
fn ignored(name: &str, effect: Effect) -> Diagnostic {
    let diagnostic = Diagnostic::warning("ignored-preference", format!("preference `{name}` has no effect"));
    match effect {
        Effect::Honoured(_) => diagnostic,
        Effect::Cap => diagnostic
            .note("all set-ups, initialisations and steps are explored")
            .help("`abridge check --prob-limits` obeys the caps of ProB"),
        Effect::Fixed { value, because } => diagnostic.note(format!("it is always `{value}`: {because}")),
        Effect::Ignored(reason) => diagnostic.note(reason.text()),
    }
}

/// Text of the value of a preference.
fn value_of(project: &SourceProject, defs: &DefTable, entry: &DefEntry) -> Option<String> {
    let DefinitionBody::Formula(body) = entry.body else { return None };
    if entry.is_cyclic {
        return None;
    }
    match &project.ast(entry.unit).expr(body).expr {
        ast::Expr::Atom(Atom::True) => Some("TRUE".to_owned()),
        ast::Expr::Atom(Atom::False) => Some("FALSE".to_owned()),
        ast::Expr::String(text) => Some(text.to_string()),
        ast::Expr::Ident(name) if !defs.contains(name) => Some(name.to_string()),
        _ => integer(project, defs, entry.unit, body).map(|value| value.to_string()),
    }
}

/// Value of an integer expression without variables; `None` if it is too large or takes too many steps.
pub(crate) fn integer(project: &SourceProject, defs: &DefTable, unit: UnitId, id: ast::ExprId) -> Option<BigInt> {
    integer_within(&mut 1000, project, defs, unit, id)
}

/// [`integer`] with a budget of steps, since definitions may double at each level.
fn integer_within(
    fuel: &mut u32,
    project: &SourceProject,
    defs: &DefTable,
    unit: UnitId,
    id: ast::ExprId,
) -> Option<BigInt> {
    *fuel = fuel.checked_sub(1)?;
    let tree = project.ast(unit);
    let mut of = |id: ast::ExprId| integer_within(fuel, project, defs, unit, id);
    let value = match &tree.expr(id).expr {
        ast::Expr::Integer(text) if text.len() as u64 > MAX_BITS / 4 => None,
        ast::Expr::Integer(text) => match text.strip_prefix("0x") {
            Some(digits) => BigInt::parse_bytes(digits.as_bytes(), 16),
            None => BigInt::parse_bytes(text.as_bytes(), 10),
        },
        ast::Expr::Neg(operand) => of(*operand).map(|value| -value),
        ast::Expr::Described { expr, .. } => of(*expr),
        ast::Expr::Ident(name) => {
            let entry = defs.get(name).filter(|entry| !entry.is_cyclic && entry.params.is_empty())?;
            match entry.body {
                DefinitionBody::Formula(body) => integer_within(fuel, project, defs, entry.unit, body),
                DefinitionBody::Substitution(_) => None,
            }
        }
        ast::Expr::Binary(op, left, right) => {
            let (left, right) = (of(*left)?, of(*right)?);
            match op {
                BinaryOp::Add => Some(left + right),
                BinaryOp::Minus => Some(left - right),
                BinaryOp::Times => Some(left * right),
                BinaryOp::Divide if right != BigInt::ZERO => Some(left / right),
                BinaryOp::Power => {
                    let is_short = |exponent: &u32| left.bits().saturating_mul(u64::from(*exponent)) <= MAX_BITS;
                    u32::try_from(&right).ok().filter(is_short).map(|exponent| left.pow(exponent))
                }
                _ => None,
            }
        }
        _ => None,
    };
    value.filter(|value| value.bits() <= MAX_BITS)
}
