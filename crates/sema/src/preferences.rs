//! Preferences: SET_PREF definitions of the main machine, overridden by the command line.

use abridge_diag::{Diagnostic, Span};
use abridge_model::{Preferences, SmolStr};
use abridge_syntax::ast::{self, Atom, BinaryOp, DefinitionBody};
use num_bigint::BigInt;

use crate::Options;
use crate::definitions::{DefEntry, DefTable};
use crate::project::{Project, UnitId};
use crate::suggest;

const PREFIX: &str = "SET_PREF_";

/// The preferences of ProB that machines and users set; others are reported as unknown.
const KNOWN: &[&str] = &[
    "ALLOW_COMPLEX_LETS",
    "ALLOW_INCOMPLETE_SETUP_CONSTANTS",
    "ALLOW_LOCAL_OPERATION_CALLS",
    "ALLOW_NEW_OPERATIONS_IN_REFINEMENT",
    "ALLOW_OPERATION_CALLS_FOR_USES",
    "ALLOW_OPERATION_CALLS_IN_EXPRESSIONS",
    "ALLOW_OUTPUT_READING",
    "ALLOW_REALS",
    "ALLOW_SIMULTANEOUS_ASSIGNMENTS",
    "ALLOW_UNTYPED_IDENTIFIERS",
    "ASSERT_CHECKING",
    "CHR",
    "CLPFD",
    "COMPRESSION",
    "CSE",
    "CSE_PRED",
    "CSE_SUBST",
    "DATA_VALIDATION",
    "DEFAULT_SETSIZE",
    "DETECT_LAMBDAS",
    "DISPROVER_MODE",
    "DOUBLE_EVALUATION",
    "ENUMERATE_INFINITE_TYPES",
    "EXPAND_CLOSURES_FOR_STATE",
    "EXPAND_FORALL_UPTO",
    "IGNORE_HASH_COLLISIONS",
    "IGNORE_PRJ_TYPES",
    "INVARIANT_CHECKING",
    "JVM_PARSER_HEAP_MB",
    "KODKOD",
    "KODKOD_MAX_NR_SOLS",
    "KODKOD_ONLY_FULL",
    "KODKOD_SAT_SOLVER",
    "KODKOD_SYMMETRY",
    "LIFT_EXISTS",
    "LTL_SAFETY_MODEL_CHECK",
    "LTSMIN",
    "MAXINT",
    "MAX_DISPLAY_SET",
    "MAX_INITIALISATIONS",
    "MAX_OPERATIONS",
    "MC_DFS_BFS_MODE",
    "MEMO",
    "MEMOIZE_FUNCTIONS",
    "MININT",
    "NUMBER_OF_ANIMATED_ABSTRACTIONS",
    "NUMBER_OF_SKIPPED_REFINEMENTS",
    "OPERATION_REUSE",
    "OPTIMIZE_AST",
    "PARTITION_PROPERTIES",
    "PERFORMANCE_INFO",
    "POR",
    "PROOF_INFO",
    "PROB_SAFE_MODE",
    "RAISE_ABORT_IMMEDIATELY",
    "RANDOMISE_ENUMERATION_ORDER",
    "RANDOMISE_OPERATION_ORDER",
    "REMOVE_IMPLIED_CONSTRAINTS",
    "REQUIRE_OUTPUT_ASSIGNMENT",
    "SAFE_MODE",
    "SAFETY_MODEL_CHECK",
    "SHOW_EVENTB_ANY_VALUES",
    "SMT",
    "SMT_SUPPORTED_INTERPRETER",
    "SOLVER_FOR_PROPERTIES",
    "SOLVER_STRENGTH",
    "STATIC_SYMMETRY_DETECTION",
    "STORE_DETAILED_TRANSITION_INFOS",
    "STRICT_RAISE_ENUM_WARNINGS",
    "STRICT_RAISE_WARNINGS",
    "STRING_AS_SEQUENCE",
    "SYMBOLIC",
    "SYMMETRY_MODE",
    "TIME_OUT",
    "TRACE_INFO",
    "TRACE_UPON_ERROR",
    "TREAT_OUTERMOST_PRE_AS_SELECT",
    "TRY_FIND_ABORT",
    "TYPE_CHECK_DEFINITIONS",
    "USE_CHR_SOLVER",
    "USE_CLPFD_SOLVER",
    "USE_COMMON_SUBEXPRESSION_ELIMINATION",
    "USE_PO",
    "USE_RECORD_CONSTRUCTION",
    "USE_SCOPE_DEFINITION",
    "USE_SMT_MODE",
    "USE_STATIC_ORDERING",
    "WARN_ABOUT_DEFINITIONS",
    "WARN_IF_ENUMERATION_EXCEEDS",
];

/// Reads the preferences of a project.
pub(crate) fn collect(
    project: &Project,
    defs: &DefTable,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> Preferences {
    let mut preferences = Preferences::default();
    for entry in defs.iter() {
        let Some(name) = entry.name.name.strip_prefix(PREFIX) else { continue };
        match value_of(project, defs, entry) {
            Some(text) => set(&mut preferences, name, &text, Some(entry.name.span), diagnostics),
            None => {
                let message = format!("the value of preference `{name}` is not a number, a truth value or a string");
                diagnostics.push(Diagnostic::error("wrong-preference", message).at(entry.name.span));
            }
        }
    }
    for (name, text) in &options.preferences {
        set(&mut preferences, name, text, None, diagnostics);
    }
    preferences
}

fn set(preferences: &mut Preferences, name: &str, text: &str, span: Option<Span>, diagnostics: &mut Vec<Diagnostic>) {
    let at = |diagnostic: Diagnostic| match span {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    };
    if !KNOWN.contains(&name) && !name.starts_with("TK_") && !name.starts_with("DOT_") {
        let mut diagnostic = at(Diagnostic::warning("unknown-preference", format!("there is no preference `{name}`")));
        if let Some(near) = suggest::nearest(name, KNOWN.iter().copied()) {
            diagnostic = diagnostic.help(format!("a similar one exists: `{near}`"));
        }
        diagnostics.push(diagnostic);
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
        ("MAXINT" | "MININT" | "DEFAULT_SETSIZE", None) => diagnostics.push(wrong("an integer")),
        _ => {}
    }
    preferences.set.insert(SmolStr::from(name), SmolStr::from(text));
}

/// The text of a preference's value.
fn value_of(project: &Project, defs: &DefTable, entry: &DefEntry) -> Option<String> {
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

/// No integer that steers us is longer.
pub(crate) const MAX_BITS: u64 = 1 << 16;

/// The value of an integer expression without variables; none if it is too long or the way to it is.
pub(crate) fn integer(project: &Project, defs: &DefTable, unit: UnitId, id: ast::ExprId) -> Option<BigInt> {
    integer_within(&mut 1000, project, defs, unit, id)
}

/// The same with so many steps left: definitions may double at each level.
fn integer_within(fuel: &mut u32, project: &Project, defs: &DefTable, unit: UnitId, id: ast::ExprId) -> Option<BigInt> {
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
