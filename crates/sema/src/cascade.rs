//! Leaving out messages that only repeat an earlier one.
//!
//! A file that could not be read as a whole is still analysed, so that all its independent mistakes are reported in one run. Two kinds
//! of messages are then not worth reading: those about a line with a syntax error, and those about something that seems to be
//! missing and may stand in the text that was not understood. Beyond a limit, messages are only counted.

use std::collections::HashSet;

use abridge_diag::{Diagnostic, FileId, SourceMap, Span};

use crate::project::Gaps;

/// Messages about names that nothing declares.
const UNKNOWN_NAMES: [&str; 3] = ["not-an-enumeration", "unknown-identifier", "unknown-operation"];

/// Messages about names that nothing gives a type or value.
const WITHOUT_FORMULA: [&str; 3] = ["let-without-value", "unknown-type", "uninitialised"];

/// Nobody reads more messages than this.
const MOST: usize = 200;

/// In a long line only what is so near is repetition.
const NEAR: u32 = 200;

/// What was found while reading the files, and what the analysis found besides.
pub(crate) fn joined(
    read: Vec<Diagnostic>,
    analysed: Vec<Diagnostic>,
    sources: &SourceMap,
    gaps: Gaps,
) -> Vec<Diagnostic> {
    let line = |span: Span| (span.file, sources.file(span.file).line(span.start));
    let errors: Vec<Span> = read.iter().filter(|found| found.is_error()).filter_map(Diagnostic::span).collect();
    let lines: HashSet<(FileId, u32)> = errors.iter().map(|span| line(*span)).collect();
    let is_near =
        |span: Span| errors.iter().any(|error| error.file == span.file && error.start.abs_diff(span.start) < NEAR);
    let repeats = |span: Span| lines.contains(&line(span)) && is_near(span);
    let is_gap = |found: &Diagnostic| {
        let is_name = gaps.names && UNKNOWN_NAMES.contains(&found.id);
        !errors.is_empty() && (is_name || (gaps.formulas && WITHOUT_FORMULA.contains(&found.id)))
    };
    let is_news = |found: &Diagnostic| !is_gap(found) && !found.span().is_some_and(repeats);
    let mut all = read;
    let mut news: Vec<Diagnostic> = analysed.into_iter().filter(is_news).collect();
    let n_more = news.len().saturating_sub(MOST);
    if n_more > 0 {
        // Errors are kept before warnings, so that a wrong model never looks right.
        news.sort_by_key(|found| found.severity);
        news.truncate(MOST);
    }
    all.extend(news);
    if n_more > 0 {
        let message = format!("{n_more} more messages are not shown");
        all.push(Diagnostic::warning("too-many-messages", message).help("correct some of those above first"));
    }
    all
}
