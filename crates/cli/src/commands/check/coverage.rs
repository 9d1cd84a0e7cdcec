//! Coverage of a run as text, CSV and JSON: transitions per operation, values of variables, guards that are never true.

use std::fmt::Write as _;

use abridge_check::{DeadGuard, Report, StateCoverage, VariableCoverage, Verdict};
use abridge_diag::SourceMap;
use serde_json::{Value, json};

use super::text::plural;
use crate::csv;
use crate::report::{JsonSpan, quoted};
use crate::steps::shortened;
use crate::text::aligned;
use crate::watch::grouped;

/// Values of a variable in a text, in a page, and in a file for other programs.
pub(super) const MAX_PRINTED_VALUES: usize = 8;
pub(super) const MAX_PAGE_VALUES: usize = 20;
pub(super) const MAX_LISTED_VALUES: usize = 10_000;
const MAX_VALUE_CHARS: usize = 60;

/// What the figures are about, if it is not the whole state space.
pub(super) fn caveats(report: &Report) -> Vec<String> {
    let mut caveats = Vec::new();
    let is_over = report.verdict == Verdict::Holds || report.visited_all && report.limits.is_empty();
    if !report.violations.is_empty() && !report.finds_all {
        caveats.push("the search ended at a finding; `--find all` goes on".to_owned());
    } else if !is_over {
        caveats.push("not all states were visited".to_owned());
    }
    if report.symmetry.carriers.iter().any(|carrier| !carrier.blocks.is_empty()) {
        caveats.push("states are representatives; `--symmetry off` covers all states".to_owned());
    }
    if report.reduction.is_some() {
        let what = "states are representatives, and canonizers may exchange operations";
        caveats.push(format!("{what}; `--reduce off` covers all states"));
    }
    if report.por.as_ref().is_some_and(|tally| tally.refused.is_none()) {
        caveats.push("partial order reduction left steps out".to_owned());
    }
    if report.state_coverage.as_ref().is_some_and(|covered| !covered.is_whole) {
        caveats.push("not all visited states were looked at again".to_owned());
    }
    if report.state_coverage.is_none() {
        caveats.push("the symbolic engine has no values and guards".to_owned());
    }
    caveats
}

/// A guard as the user wrote it.
pub(super) fn guard_text(sources: &SourceMap, guard: &DeadGuard) -> String {
    quoted(sources, Some(guard.span), "")
}

pub(super) fn text(sources: &SourceMap, report: &Report) -> String {
    let mut out = "\ncoverage\n".to_owned();
    caveats(report).iter().for_each(|caveat| out += &format!("  {caveat}\n"));
    let indented = |rows: &[Vec<String>], n_texts: usize| -> String {
        aligned(rows, n_texts).lines().map(|line| format!("  {line}\n")).collect()
    };
    let mut rows = vec![vec!["operation".to_owned(), "transitions".to_owned()]];
    rows.extend(report.coverage.iter().map(|one| vec![one.operation.clone(), grouped(one.transitions)]));
    out += &indented(&rows, 1);
    let Some(covered) = &report.state_coverage else { return out };
    let mut rows =
        vec![vec!["variable".to_owned(), "values".to_owned(), "most frequent, with their states".to_owned()]];
    for variable in &covered.variables {
        let shown = variable.values.iter().take(MAX_PRINTED_VALUES);
        let values: Vec<String> = shown
            .map(|(value, states)| format!("{} ({})", shortened(value, MAX_VALUE_CHARS), grouped(*states)))
            .collect();
        let more = if variable.n_values > values.len() as u64 { ", ..." } else { "" };
        rows.push(vec![variable.name.clone(), grouped(variable.n_values), values.join(", ") + more]);
    }
    let _ = writeln!(out, "\n  {}", plural(covered.states, "state"));
    out += &indented(&rows, 3);
    if covered.guards.is_empty() {
        return out;
    }
    let _ = writeln!(out, "\n  guards that are true in none of {}", plural(covered.guard_states, "state"));
    let rows = covered.guards.iter().map(|guard| {
        vec![guard.operation.clone(), guard_text(sources, guard), format!("--> {}", sources.locate(guard.span))]
    });
    out + &indented(&rows.collect::<Vec<_>>(), 3)
}

/// One row for each operation, value and guard: kind, name, value, count.
pub(super) fn csv(sources: &SourceMap, report: &Report) -> String {
    let mut out = csv::line(["kind", "name", "value", "count"]);
    for one in &report.coverage {
        out += &csv::line(["operation", &one.operation, "", &one.transitions.to_string()]);
    }
    let none = StateCoverage::default();
    let covered = report.state_coverage.as_ref().unwrap_or(&none);
    for VariableCoverage { name, n_values, values } in &covered.variables {
        out += &csv::line(["variable", name, "", &n_values.to_string()]);
        for (value, states) in values {
            out += &csv::line(["value", name, value, &states.to_string()]);
        }
    }
    for guard in &covered.guards {
        out += &csv::line(["guard", &guard.operation, &guard_text(sources, guard), "0"]);
    }
    out
}

pub(super) fn json(sources: &SourceMap, report: &Report) -> Value {
    let Some(covered) = &report.state_coverage else { return Value::Null };
    let variable = |variable: &VariableCoverage| {
        let values: Vec<Value> =
            variable.values.iter().map(|(value, states)| json!({ "value": value, "states": states })).collect();
        json!({ "name": variable.name, "values": variable.n_values, "most_frequent": values })
    };
    let guard = |guard: &DeadGuard| {
        json!({
            "operation": guard.operation,
            "guard": guard_text(sources, guard),
            "place": JsonSpan::new(sources, guard.span),
        })
    };
    json!({
        "states": covered.states,
        "whole": covered.is_whole,
        "variables": covered.variables.iter().map(variable).collect::<Vec<_>>(),
        "guards_never_true": covered.guards.iter().map(guard).collect::<Vec<_>>(),
        "guard_states": covered.guard_states,
    })
}
