//! Diagnostics as text and as JSON.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use abridge_diag::{Diagnostic, RenderConfig, Severity, SourceMap, Span, in_order, render};
use abridge_model::{Conjunct, Model, dump};
use abridge_system::{Part, Reason};
use serde::Serialize;

use crate::out::write_raw_error;
use crate::terminal::colours_errors;

/// Texts of the warnings that were printed.
static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Prints diagnostics to standard error, errors first in the order of their places. A command line that becomes several commands has its warnings once.
pub(crate) fn print_diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    let config = RenderConfig { color: colours_errors(), ..RenderConfig::default() };
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    let mut texts = Vec::new();
    for diagnostic in in_order(diagnostics) {
        let text = render(sources, diagnostic, config);
        if diagnostic.is_error() || told.insert(text.clone()) {
            texts.push(text);
        }
    }
    write_raw_error(&texts.join("\n"));
}

/// The same as text, without colours.
pub(crate) fn text_diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let render = |diagnostic| render(sources, diagnostic, RenderConfig::default());
    in_order(diagnostics).into_iter().map(render).collect::<Vec<_>>().join("\n")
}

/// A diagnostic in the JSON output; `docs/json.md` describes it.
#[derive(Serialize)]
pub(crate) struct JsonDiagnostic {
    id: &'static str,
    severity: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<JsonPlace>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<JsonPlace>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    help: Vec<String>,
}

#[derive(Serialize)]
struct JsonPlace {
    #[serde(flatten)]
    span: JsonSpan,
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
}

/// Lines and columns count from 1; the end is excluded.
#[derive(Serialize)]
pub(crate) struct JsonSpan {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

impl JsonSpan {
    pub(crate) fn new(sources: &SourceMap, span: Span) -> Self {
        let file = sources.file(span.file);
        let (start, end) = (file.line_column(span.start), file.line_column(span.end));
        JsonSpan {
            file: file.name().to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

pub(crate) fn json_diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<JsonDiagnostic> {
    let place =
        |label: &abridge_diag::Label| JsonPlace { span: JsonSpan::new(sources, label.span), text: label.text.clone() };
    let json = |diagnostic: &Diagnostic| JsonDiagnostic {
        id: diagnostic.id,
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: diagnostic.message.clone(),
        place: diagnostic.primary.as_ref().map(place),
        also: diagnostic.secondary.iter().map(place).collect(),
        notes: diagnostic.notes.clone(),
        help: diagnostic.help.clone(),
    };
    in_order(diagnostics).into_iter().map(json).collect()
}

/// What the user wrote at a place, on one line; the given text if there is no place, or if what is there has comments or is long.
pub(crate) fn quoted(sources: &SourceMap, span: Option<Span>, text: &str) -> String {
    const MAX_QUOTED_CHARS: usize = 200;
    let Some(span) = span else { return text.to_owned() };
    let snippet = sources.snippet(span);
    let is_plain = !snippet.contains("/*") && !snippet.contains("//") && snippet.chars().count() <= MAX_QUOTED_CHARS;
    let words: Vec<&str> = snippet.split_whitespace().collect();
    if is_plain && !words.is_empty() { without_parentheses(&words.join(" ")).to_owned() } else { text.to_owned() }
}

/// A formula without parentheses around the whole of it.
fn without_parentheses(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0_i32;
    let closes_early = inner.chars().any(|ch| {
        depth += i32::from(ch == '(') - i32::from(ch == ')');
        depth < 0
    });
    // A string may contain anything.
    if closes_early || inner.contains('"') { text } else { without_parentheses(inner.trim()) }
}

/// A conjunct as the user wrote it.
pub(crate) fn conjunct_text(model: &Model, sources: &SourceMap, conjunct: &Conjunct) -> String {
    quoted(sources, Some(conjunct.span), &dump::pred_text(model, conjunct.pred))
}

/// A subformula as the user wrote it.
pub(crate) fn part_text(sources: &SourceMap, part: &Part) -> String {
    quoted(sources, part.span, &part.text)
}

/// A reason of a false property as a sentence, with the formula as the user wrote it.
pub(crate) fn reason_text(sources: &SourceMap, reason: &Reason) -> String {
    match &reason.formula {
        Some((text, span)) => format!("{} `{}`", reason.text, quoted(sources, *span, text)),
        None => reason.text.clone(),
    }
}

/// What makes a property false, one line each: values of its subformulas, then sentences.
pub(crate) fn explanation_lines(sources: &SourceMap, parts: &[Part], reasons: &[Reason]) -> Vec<String> {
    // A literal is its own value; parentheses around pairs are no difference.
    let bare = |text: &str| text.replace([' ', '(', ')'], "");
    let parts = parts.iter().map(|part| (part_text(sources, part), &part.value));
    let parts = parts.filter(|(text, value)| bare(text) != bare(value));
    let parts = parts.map(|(text, value)| format!("{text} is {value}"));
    parts.chain(reasons.iter().map(|reason| reason_text(sources, reason))).collect()
}

/// `1 error`, `2 errors`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
