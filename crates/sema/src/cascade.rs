//! Suppression of follow-up diagnostics.
//!
//! A file with syntax errors is still analysed, so that all independent mistakes are reported in one run. Two kinds of diagnostics are then
//! dropped: those on a line with a syntax error, and those about missing names or formulas that may be in the text that was skipped. Beyond a
//! limit, diagnostics are only counted.

use std::collections::HashSet;

use abridge_diag::{Diagnostic, FileId, SourceMap, Span};

use crate::project::Gaps;

/// Diagnostics about undeclared names.
const UNKNOWN_NAMES: [&str; 3] = ["not-an-enumeration", "unknown-identifier", "unknown-operation"];

/// Diagnostics about names without a type or value.
const WITHOUT_FORMULA: [&str; 3] = ["let-without-value", "unknown-type", "uninitialised"];

/// Largest number of diagnostics of the analysis.
const MAX_DIAGNOSTICS: usize = 200;

/// Distance from a syntax error, in bytes, within which a diagnostic on the same line is a follow-up.
const FOLLOW_UP_BYTES: u32 = 200;

/// Diagnostics of reading the files, and those of the analysis without follow-ups.
pub(crate) fn joined(
    read: Vec<Diagnostic>,
    analysed: Vec<Diagnostic>,
    sources: &SourceMap,
    gaps: Gaps,
) -> Vec<Diagnostic> {
    let line = |span: Span| (span.file, sources.file(span.file).line(span.start));
    let errors: Vec<Span> = read.iter().filter(|found| found.is_error()).filter_map(Diagnostic::span).collect();
    let lines: HashSet<(FileId, u32)> = errors.iter().map(|span| line(*span)).collect();
    let is_near = |span: Span| {
        errors.iter().any(|error| error.file == span.file && error.start.abs_diff(span.start) < FOLLOW_UP_BYTES)
    };
    let repeats = |span: Span| lines.contains(&line(span)) && is_near(span);
    let is_gap = |found: &Diagnostic| {
        let is_name = gaps.names && UNKNOWN_NAMES.contains(&found.id);
        !errors.is_empty() && (is_name || (gaps.formulas && WITHOUT_FORMULA.contains(&found.id)))
    };
    let is_news = |found: &Diagnostic| !is_gap(found) && !found.span().is_some_and(repeats);
    let mut all = read;
    let mut news: Vec<Diagnostic> = analysed.into_iter().filter(is_news).collect();
    let n_more = news.len().saturating_sub(MAX_DIAGNOSTICS);
    if n_more > 0 {
        // Errors come before warnings, so that a wrong model never looks right.
        news.sort_by_key(|found| found.severity);
        news.truncate(MAX_DIAGNOSTICS);
    }
    all.extend(news);
    if n_more > 0 {
        let message = format!("{n_more} more messages are not shown");
        all.push(Diagnostic::warning("too-many-messages", message).help("correct some of those above first"));
    }
    all
}
