//! The report of a check as text: verdict, violations with their traces, counts.

use abridge_check::{
    Config, Report, Stuck, SymbolicReport, SymbolicSymmetry, Verdict, Violation, ViolationKind, why_stuck,
};
use abridge_diag::{RenderConfig, SourceMap, render};
use abridge_model::{Conjunct, Model, dump};

use super::{MAX_LISTED_VIOLATIONS, Times, temporal};
use crate::out::{out, outln};
use crate::report::count;
use crate::steps::table;
use crate::watch::{grouped, peak_bytes};

pub(super) fn print_report(model: &Model, sources: &SourceMap, report: &Report, times: &Times, config: &Config) {
    match report.violation() {
        Some(violation) if is_stuck(violation) => print_stuck(model, sources, config),
        Some(_) => print_violations(model, sources, report),
        None if report.verdict == Verdict::Holds => outln!("{}", holds_text(report)),
        None if report.verdict == Verdict::Violated => outln!("{}", temporal::violated_text(report)),
        None => outln!("{}", incomplete_text(report, times)),
    }
    temporal::print(report, sources);
    if report.outside_scope > 0 {
        outln!("  {} outside SCOPE, not explored", plural(report.outside_scope, "state"));
    }
    // The verdict line of an incomplete search has the first limit.
    for limit in report.limits.iter().skip(usize::from(report.verdict == Verdict::Incomplete)) {
        outln!("  {limit}");
    }
    report.unchecked.iter().for_each(|one| out!("{}", render(sources, one, RenderConfig::default())));
    for (_, diagnostic) in report.failures.iter().take(3) {
        let diagnostic = match diagnostic.id {
            "unbounded-value" => diagnostic.clone().help("`--compat prob` tries the integers from MININT to MAXINT"),
            _ => diagnostic.clone(),
        };
        out!("{}", render(sources, &diagnostic, RenderConfig::default()));
    }
    outln!();
    let rate = report.states as f64 / times.search.max(1e-9);
    match &report.symbolic {
        Some(symbolic) => outln!("{}", symbolic_text(symbolic, times)),
        None => outln!(
            "{}, {}, depth {}, {:.2} s ({:.0} states/s), {} MB",
            plural(report.states, "state"),
            plural(report.transitions, "transition"),
            report.depth,
            times.total,
            rate,
            peak_bytes() >> 20
        ),
    }
    let refused = report.por.as_ref().and_then(|tally| tally.refused.as_ref());
    if let Some(why) = refused {
        outln!("partial order reduction: not made, since {why}");
    } else if let Some(tally) = &report.por {
        let outline = tally.outline;
        outln!(
            "partial order reduction: {} reduced, {}, {}, {}",
            plural(tally.reduced, "state"),
            plural(outline.instances as u64, "operation instance"),
            plural(outline.errors as u64, "kind") + " of violation not excluded",
            plural(outline.questions, "solver call")
        );
        tally.mistakes.iter().for_each(|mistake| outln!("ERROR in partial order reduction: {mistake}"));
    }
    let never: Vec<&str> =
        report.coverage.iter().filter(|c| c.transitions == 0).map(|c| c.operation.as_str()).collect();
    // Under partial order reduction, coverage says nothing about the machine.
    if !never.is_empty() && (report.por.is_none() || refused.is_some()) {
        outln!("operations never taken: {}", never.join(", "));
    }
}

/// Counts and statistics of the symbolic engine.
fn symbolic_text(symbolic: &SymbolicReport, times: &Times) -> String {
    let transitions = symbolic.transitions.as_ref().map_or("transitions not counted".to_owned(), |count| {
        format!("{} transitions", grouped_digits(&count.to_string()))
    });
    let learnt = match symbolic.learnt_operations {
        0 => String::new(),
        learnt => format!(", {} learnt from the evaluator", plural(learnt as u64, "operation")),
    };
    let states = grouped_digits(&symbolic.states.to_string());
    let behind = symbolic.states_behind.as_ref().map(|count| grouped_digits(&count.to_string()));
    let states = match (symbolic.symmetry, behind) {
        (SymbolicSymmetry::Off, _) => format!("{states} states"),
        (SymbolicSymmetry::Unique, Some(behind)) => format!("{states} orbits of {behind} states"),
        (SymbolicSymmetry::Unique, None) => format!("{states} orbits"),
        (SymbolicSymmetry::Several, Some(behind)) => format!("{states} representatives of {behind} states"),
        (SymbolicSymmetry::Several, None) => format!("{states} representatives"),
    };
    format!(
        "{states}, {transitions}, {}, at most {}{learnt}, {:.2} s, {} MB",
        plural(u64::from(symbolic.rounds), "round"),
        plural(symbolic.peak_nodes as u64, "node"),
        times.total,
        peak_bytes() >> 20
    )
}

/// A number in decimal with groups of three digits.
fn grouped_digits(digits: &str) -> String {
    let first = digits.len() % 3;
    let (head, tail) = digits.split_at(first);
    let groups = tail.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let all: Vec<String> = Some(head.to_owned()).into_iter().filter(|head| !head.is_empty()).chain(groups).collect();
    all.join(",")
}

fn holds_text(report: &Report) -> String {
    if let Some(symbolic) = &report.symbolic {
        return format!("holds (symbolic search: {} states)", grouped_digits(&symbolic.states.to_string()));
    }
    let is_symmetric = report.symmetry.carriers.iter().any(|carrier| !carrier.blocks.is_empty());
    let is_selected = report.por.as_ref().is_some_and(|tally| tally.reduced > 0 && !tally.is_verification);
    let states = plural(report.states, "state");
    match (is_selected, is_symmetric) {
        (true, true) => format!("holds (partial order and symmetry reduction: {states} visited)"),
        (true, false) => format!("holds (partial order reduction: {} of the states visited)", grouped(report.states)),
        (false, true) => format!("holds (symmetry reduction: {states} visited)"),
        (false, false) => format!("holds (exhaustive search: {states} visited)"),
    }
}

/// Verdict, first limit, and how far the search came.
fn incomplete_text(report: &Report, times: &Times) -> String {
    let limit = report.limits.first().map_or("incomplete", String::as_str);
    let search = if report.visited_all { "exhaustive search, " } else { "" };
    format!("no violation found ({limit}; {search}{} in {:.2} s)", plural(report.states, "state"), times.search)
}

pub(super) fn plural(n: u64, noun: &str) -> String {
    count(n as usize, noun).replacen(&n.to_string(), &grouped(n), 1)
}

/// A machine without initial states: reported as a deadlock of the root.
fn is_stuck(violation: &Violation) -> bool {
    matches!(violation.kind, ViolationKind::Deadlock) && violation.trace.steps.is_empty()
}

fn print_stuck(model: &Model, sources: &SourceMap, config: &Config) {
    match why_stuck(model, config) {
        Some(Stuck::IllDefined(error)) => {
            outln!("the machine cannot start: a property is not well-defined");
            out!("{}", render(sources, &error, RenderConfig::default()));
        }
        Some(Stuck::Property(idx)) => {
            let property = &model.properties[idx];
            outln!("the machine cannot start: PROPERTIES are unsatisfiable");
            let text = dump::pred_text(model, property.pred);
            outln!("  first conjunct that contradicts those before it: {text}");
            outln!("  --> {}", sources.locate(property.span));
            print_bounds(model, sources, &model.properties[..=idx]);
        }
        Some(Stuck::Initialisation) => outln!("the machine cannot start: INITIALISATION has no outcome"),
        None => outln!("the machine cannot start: PROPERTIES are unsatisfiable, or INITIALISATION has no outcome"),
    }
}

/// Prints the bounds of INT if the text of some formula depends on them: few users expect NAT to end at 3.
fn print_bounds(model: &Model, sources: &SourceMap, formulas: &[Conjunct]) {
    const BOUNDED: [&str; 5] = ["INT", "NAT", "NAT1", "MAXINT", "MININT"];
    let is_bounded = |formula: &Conjunct| {
        let words = sources.snippet(formula.span).split(|ch: char| !ch.is_alphanumeric() && ch != '_');
        words.into_iter().any(|word| BOUNDED.contains(&word))
    };
    if formulas.iter().any(is_bounded) {
        let preferences = &model.steering.preferences;
        outln!(
            "  INT is {}..{} here; enlarge it with `-p MAXINT 100`, or with `SET_PREF_MAXINT == 100` in the DEFINITIONS",
            preferences.min_int,
            preferences.max_int
        );
    }
}

/// All violations, the first in the order of discovery first. Several are counted and numbered.
fn print_violations(model: &Model, sources: &SourceMap, report: &Report) {
    let n_violations = report.violations.len();
    if n_violations > 1 {
        outln!("{n_violations} findings, one of each kind, conjunct and operation");
    }
    for (number, violation) in (1..).zip(&report.violations) {
        if n_violations > 1 {
            outln!("\n[{number}]");
        }
        print_violation(model, sources, violation);
    }
    if n_violations >= MAX_LISTED_VIOLATIONS {
        outln!("\nfurther findings are not listed");
    }
}

fn print_violation(model: &Model, sources: &SourceMap, violation: &Violation) {
    let steps = violation.trace.n_steps();
    match &violation.kind {
        ViolationKind::Invariant { conjunct } => {
            let conjunct = &model.invariant[*conjunct];
            outln!("invariant violated after {}: {}", count(steps, "step"), dump::pred_text(model, conjunct.pred));
            outln!("  --> {}", sources.locate(conjunct.span));
            print_bounds(model, sources, std::slice::from_ref(conjunct));
        }
        ViolationKind::Assertion { conjunct } => {
            let conjunct = &model.assertions[*conjunct];
            outln!("assertion violated after {}: {}", count(steps, "step"), dump::pred_text(model, conjunct.pred));
            outln!("  --> {}", sources.locate(conjunct.span));
            print_bounds(model, sources, std::slice::from_ref(conjunct));
        }
        ViolationKind::Deadlock => outln!("deadlock after {}: no operation is enabled", count(steps, "step")),
        ViolationKind::Goal => outln!("goal reached after {}", count(steps, "step")),
        ViolationKind::IllDefined { operation, error } => {
            let place = operation.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
            outln!("not well-defined{place} after {}", count(steps, "step"));
            out!("{}", render(sources, error, RenderConfig::default()));
        }
    }
    for part in &violation.parts {
        outln!("  {} is {}", part.text, part.value);
    }
    outln!();
    out!("{}", table(&violation.trace.steps, 1 - violation.trace.n_setup.min(1)));
    if let Some(gap) = &violation.trace.gap {
        outln!("  the trace is incomplete: {gap}");
    }
}
