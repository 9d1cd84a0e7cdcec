//! Diagnostics as text and as JSON.

use abridge_diag::{Diagnostic, RenderConfig, Severity, SourceMap, Span, in_order, render};
use serde::Serialize;

use crate::out::write_raw_error;
use crate::terminal::colours_errors;

/// Prints diagnostics to standard error, errors first in the order of their places.
pub(crate) fn print_diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    let config = RenderConfig { color: colours_errors(), ..RenderConfig::default() };
    let texts: Vec<String> =
        in_order(diagnostics).into_iter().map(|diagnostic| render(sources, diagnostic, config)).collect();
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

/// `1 error`, `2 errors`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
