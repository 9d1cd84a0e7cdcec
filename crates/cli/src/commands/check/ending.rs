//! Ends of `abridge check`: exit statuses, the saved trace, and machines or formulas that are refused.
//!
//! Exit 0 must mean that every property that was asked for holds.

use std::path::Path;

use abridge_check::{Report, TemporalReport, TemporalVerdict, Verdict, ViolationKind};
use abridge_model::Model;
use serde_json::json;

use crate::commands::print_json;
use crate::exit::Exit;
use crate::load::Loaded;
use crate::out::{errln, outln};
use crate::report::json_diagnostics;
use crate::trace_file;

/// The status of a run, after a word about the trace that was to be saved.
pub(super) fn ending(report: &Report, saved: Option<Result<Option<&Path>, String>>, json: bool) -> Exit {
    match saved {
        Some(Err(message)) => {
            if !json {
                errln!("error: {message}");
            }
            Exit::Usage
        }
        Some(Ok(None)) if !json => {
            outln!("no violation, so no trace was saved");
            exit_status(report)
        }
        _ => exit_status(report),
    }
}

/// Ends a run because of the mistakes of a machine or of a formula. As text, they have been printed.
pub(super) fn refuse_model(file: &Path, analysis: &Loaded, json: bool) -> Exit {
    if json {
        let message = analysis.diagnostics.iter().find(|d| d.is_error()).map(|d| d.message.clone()).unwrap_or_default();
        let diagnostics = json_diagnostics(&analysis.sources, &analysis.diagnostics);
        print_json(&json!({ "file": file, "verdict": "error", "message": message, "diagnostics": diagnostics }));
    }
    Exit::WrongModel
}

/// Saves the trace of the violation, or else of the first violated temporal formula, and returns its path; `None` if there is no violation.
pub(super) fn save_trace<'p>(path: &'p Path, model: &Model, report: &Report) -> Result<Option<&'p Path>, String> {
    let is_violated = |formula: &&TemporalReport| formula.verdict == TemporalVerdict::Violated;
    let of_formula = || report.temporal.iter().filter(is_violated).find_map(|formula| formula.trace.as_ref());
    let violation = report.violation();
    let Some(trace) = violation.map(|violation| &violation.trace).or_else(of_formula) else { return Ok(None) };
    let fault = violation.map(|violation| match &violation.kind {
        ViolationKind::Invariant { .. } => "invariant violated",
        ViolationKind::Assertion { .. } => "assertion violated",
        ViolationKind::Deadlock => "deadlock",
        ViolationKind::IllDefined { .. } => "not well-defined",
        ViolationKind::Goal => "goal reached",
    });
    trace_file::save(path, model, &trace.steps, trace.loop_start, fault).map(|()| Some(path))
}

fn exit_status(report: &Report) -> Exit {
    if report.por.as_ref().is_some_and(|tally| !tally.mistakes.is_empty()) {
        return Exit::No;
    }
    match report.violation().map(|violation| &violation.kind) {
        Some(ViolationKind::Invariant { .. }) => Exit::Invariant,
        Some(ViolationKind::Assertion { .. }) => Exit::Assertion,
        Some(ViolationKind::Deadlock) => Exit::Deadlock,
        Some(ViolationKind::IllDefined { .. }) => Exit::IllDefined,
        Some(ViolationKind::Goal) | None => temporal_status(report),
    }
}

/// The exit status of a run that found no violation in single states.
fn temporal_status(report: &Report) -> Exit {
    let is = |wanted: fn(&TemporalVerdict) -> bool| report.temporal.iter().any(|formula| wanted(&formula.verdict));
    if is(|verdict| *verdict == TemporalVerdict::Violated) {
        Exit::Temporal
    } else if is(|verdict| matches!(verdict, TemporalVerdict::IllDefined(_))) {
        Exit::IllDefined
    } else if is(|verdict| matches!(verdict, TemporalVerdict::Error(_))) {
        Exit::WrongModel
    } else if report.verdict == Verdict::Incomplete {
        Exit::Incomplete
    } else {
        Exit::Ok
    }
}
