//! The report of a check as text: verdict, violations with their traces, counts.

use abridge_check::{
    Config, Report, Stuck, SymbolicReport, SymbolicSymmetry, Verdict, Violation, ViolationKind, why_stuck,
};
use abridge_diag::{Diagnostic, RenderConfig, SourceMap, render};
use abridge_model::{Conjunct, Model};
use num_bigint::BigInt;

use super::{CheckTimes, MAX_LISTED_VIOLATIONS, temporal};
use crate::commands::canonizers::reduction_text;
use crate::out::{out, outln, raw};
use crate::report::{conjunct_text, count, explanation_lines};
use crate::steps::{MAX_LISTED_STEPS, table};
use crate::terminal::{Tone, colours_output, print_toned, wrapped_for_output};
use crate::watch::{grouped, peak_bytes};

/// Different failures of evaluation that are printed.
const MAX_PRINTED_FAILURES: usize = 3;

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Holds | Verdict::GoalReached => Tone::Good,
        Verdict::Violated => Tone::Bad,
        Verdict::Incomplete => Tone::Open,
    }
}

/// Prints a diagnostic that is part of the report.
pub(super) fn print_diagnostic(sources: &SourceMap, diagnostic: &Diagnostic) {
    let config = RenderConfig { color: colours_output(), ..RenderConfig::default() };
    raw(render(sources, diagnostic, config).as_bytes());
}

pub(super) fn print_report(model: &Model, sources: &SourceMap, report: &Report, times: &CheckTimes, config: &Config) {
    match report.violation() {
        Some(violation) if is_stuck(violation) => print_stuck(model, sources, config),
        Some(_) => print_violations(model, sources, report),
        None => print_toned(&verdict_line(report, times), tone(report.verdict)),
    }
    temporal::print(report);
    // Whoever names a goal wants to know.
    if report.verdict == Verdict::Holds && config.goal && model.steering.goal.is_some() {
        outln!("  no reachable state satisfies GOAL");
    }
    if report.outside_scope > 0 {
        outln!("  {} outside SCOPE, not explored", plural(report.outside_scope, "state"));
    }
    // The verdict line of an incomplete search has the first limit.
    for limit in report.limits.iter().skip(usize::from(report.verdict == Verdict::Incomplete)) {
        outln!("  {limit}");
    }
    report.unchecked.iter().for_each(|one| print_diagnostic(sources, one));
    let mut told: Vec<&Diagnostic> = Vec::new();
    for (_, diagnostic) in &report.failures {
        let is_same = |known: &&Diagnostic| known.message == diagnostic.message && known.span() == diagnostic.span();
        if told.len() == MAX_PRINTED_FAILURES || told.iter().any(is_same) {
            continue;
        }
        told.push(diagnostic);
        let diagnostic = match diagnostic.id {
            "unbounded-value" => {
                diagnostic.clone().help("`--compat prob` tries the integers from MININT to MAXINT, and two strings")
            }
            "infinite-set" => diagnostic.clone().help("choose from a finite set, such as `0..10`"),
            _ => diagnostic.clone(),
        };
        print_diagnostic(sources, &diagnostic);
    }
    outln!();
    let rate = report.states as f64 / times.search.max(1e-9);
    match &report.symbolic {
        Some(symbolic) => outln!("{}", symbolic_text(symbolic, times)),
        None => {
            let counts = format!(
                "{}, {}, depth {}, {:.2} s ({:.0} states/s), {} MB\n",
                plural(report.states, "state"),
                plural(report.transitions, "transition"),
                report.depth,
                times.total,
                rate,
                peak_bytes() >> 20
            );
            out!("{}", wrapped_for_output(&counts));
        }
    }
    report.symmetry.restrictions.iter().for_each(|text| outln!("symmetry reduction: {text}"));
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
    if let Some(reduction) = &report.reduction {
        out!("{}", reduction_text(reduction));
    }
    print_never_taken(report, refused.is_some());
    print_deferred(model, report);
}

/// What is said about operations without steps: a search that has ended early may not have come to them.
pub(super) fn never_taken(report: &Report) -> &'static str {
    let ended_at_finding = !report.violations.is_empty() && !report.finds_all;
    match report.visited_all && !ended_at_finding {
        true => "operations never taken",
        false => "operations not taken so far",
    }
}

fn print_never_taken(report: &Report, is_por_refused: bool) {
    let never: Vec<&str> =
        report.coverage.iter().filter(|c| c.transitions == 0).map(|c| c.operation.as_str()).collect();
    // Under partial order reduction, coverage says nothing about the machine; neither does it if the machine did not start. Canonizers may exchange operations.
    let is_about_all = (report.por.is_none() || is_por_refused) && report.reduction.is_none();
    if !never.is_empty() && is_about_all && report.states > 0 {
        outln!("{}: {}", never_taken(report), never.join(", "));
    }
}

/// The sizes of deferred sets; those that the user chose are known to him.
pub(super) fn set_sizes(model: &Model, has_chosen: bool) -> Vec<String> {
    let is_chosen = |id| model.steering.set_sizes.iter().any(|(set, _)| *set == id);
    let deferred = model.sets.iter().filter(|(id, set)| set.is_deferred() && (has_chosen || !is_chosen(*id)));
    deferred.map(|(_, set)| format!("{} has {}", set.name, plural(u64::from(set.size()), "element"))).collect()
}

/// What holds, holds for the sizes of deferred sets that were chosen.
fn print_deferred(model: &Model, report: &Report) {
    let sizes = set_sizes(model, false);
    if !sizes.is_empty() && report.verdict == Verdict::Holds {
        outln!("deferred sets: {}", sizes.join(", "));
    }
}

/// Counts and statistics of the symbolic engine.
fn symbolic_text(symbolic: &SymbolicReport, times: &CheckTimes) -> String {
    if let Some(proof) = symbolic.backward.as_ref().and_then(|backward| backward.proof.as_ref()) {
        if proof.patterns.is_empty() {
            return format!(
                "backward search, the properties are inductive, {} of the solver, {:.2} s, {} MB",
                plural(proof.queries, "answer"),
                times.total,
                peak_bytes() >> 20
            );
        }
        return format!(
            "backward search, {} of at most {}, {} of the solver, {} looked at, {:.2} s, {} MB",
            plural(proof.patterns.len() as u64, "pattern"),
            plural(proof.n_variables as u64, "element"),
            plural(proof.queries, "answer"),
            plural(proof.samples as u64, "state"),
            times.total,
            peak_bytes() >> 20
        );
    }
    if let Some(backward) = &symbolic.backward {
        return format!(
            "backward search, {}, at most {}, {} of {} variables visible, {:.2} s, {} MB",
            plural(u64::from(symbolic.rounds), "round"),
            plural(symbolic.peak_nodes as u64, "node"),
            backward.visible,
            backward.variables,
            times.total,
            peak_bytes() >> 20
        );
    }
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

/// The verdict of a run, without the details of violations.
pub(super) fn verdict_line(report: &Report, times: &CheckTimes) -> String {
    match report.verdict {
        Verdict::Holds => holds_text(report),
        Verdict::GoalReached => "goal reached".to_owned(),
        Verdict::Violated if report.violations.is_empty() => temporal::violated_text(report),
        Verdict::Violated => format!("violated: {}", count(report.violations.len(), "finding")),
        Verdict::Incomplete => incomplete_text(report, times),
    }
}

fn holds_text(report: &Report) -> String {
    if let Some(symbolic) = &report.symbolic {
        if symbolic.backward.is_some() {
            return "holds (backward search: no initial state leads to a violation)".to_owned();
        }
        return format!("holds (symbolic search: {} states)", grouped_digits(&symbolic.states.to_string()));
    }
    if report.reduction.is_some() {
        return format!("holds (reduction by canonizers: {} visited)", plural(report.states, "state"));
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
fn incomplete_text(report: &Report, times: &CheckTimes) -> String {
    let limit = report.limits.first().map_or("incomplete", String::as_str);
    if report.symbolic.as_ref().is_some_and(|symbolic| symbolic.backward.is_some()) {
        return format!("no violation found ({limit}; backward search, {:.2} s)", times.search);
    }
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
            print_diagnostic(sources, &error);
        }
        Some(Stuck::Property(idx)) => {
            let property = &model.properties[idx];
            outln!("the machine cannot start: PROPERTIES are unsatisfiable");
            let text = conjunct_text(model, sources, property);
            outln!("  first conjunct that contradicts those before it: {text}");
            outln!("  --> {}", sources.locate(property.span));
            let formulas = &model.properties[..=idx];
            let texts = formulas.iter().map(|formula| sources.snippet(formula.span));
            bounds(model, sources, formulas, texts).iter().for_each(|text| outln!("  {text}"));
        }
        Some(Stuck::Initialisation) => outln!("the machine cannot start: INITIALISATION has no outcome"),
        None => outln!("the machine cannot start: PROPERTIES are unsatisfiable, or INITIALISATION has no outcome"),
    }
}

/// The bounds of the bounded integers that some formula names, if some text has a number beyond them: few users expect NAT to end at 3.
fn bounds<'t>(
    model: &Model,
    sources: &SourceMap,
    formulas: &[Conjunct],
    texts: impl IntoIterator<Item = &'t str>,
) -> Option<String> {
    let preferences = &model.steering.preferences;
    let (low, high) = (&preferences.min_int, &preferences.max_int);
    let bounded = [
        ("NAT", format!("NAT is 0..{high}")),
        ("NAT1", format!("NAT1 is 1..{high}")),
        ("INT", format!("INT is {low}..{high}")),
        ("MAXINT", format!("MAXINT is {high}")),
        ("MININT", format!("MININT is {low}")),
    ];
    let names = |formula: &Conjunct, name: &str| {
        let mut words = sources.snippet(formula.span).split(|ch: char| !ch.is_alphanumeric() && ch != '_');
        words.any(|word| word == name)
    };
    let (_, meaning) = bounded.into_iter().find(|(name, _)| formulas.iter().any(|formula| names(formula, name)))?;
    let is_beyond = |text: &str| has_number_beyond(text, low, high);
    let change = "enlarge it with `-p MAXINT 100`, or with `SET_PREF_MAXINT == 100` in the DEFINITIONS";
    texts.into_iter().any(is_beyond).then(|| format!("{meaning} here; {change}"))
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

/// The conjunct that a finding is about.
pub(super) fn false_conjunct<'m>(model: &'m Model, violation: &Violation) -> Option<&'m Conjunct> {
    match &violation.kind {
        ViolationKind::Invariant { conjunct } => Some(&model.invariant[*conjunct]),
        ViolationKind::Assertion { conjunct } => Some(&model.assertions[*conjunct]),
        ViolationKind::IllDefined { .. } | ViolationKind::Deadlock | ViolationKind::Goal => None,
    }
}

/// Why a conjunct is false, one reason a line.
pub(super) fn reasons(model: &Model, sources: &SourceMap, violation: &Violation) -> Vec<String> {
    let mut lines = explanation_lines(sources, &violation.parts, &violation.reasons);
    if let Some(conjunct) = false_conjunct(model, violation) {
        let is_read = |name: &str| conjunct.reads.iter().any(|id| model.variables[id].name == name);
        let state = violation.trace.steps.last().map(|step| step.state.as_slice()).unwrap_or_default();
        let read = state.iter().filter(|(name, _)| is_read(name)).map(|(_, value)| value.as_str());
        let parts = violation.parts.iter().map(|part| part.value.as_str());
        lines.extend(bounds(model, sources, std::slice::from_ref(conjunct), read.chain(parts)));
    }
    lines
}

/// Whether a text has an integer beyond some bounds. Digits in names do not count.
fn has_number_beyond(text: &str, low: &BigInt, high: &BigInt) -> bool {
    let is_word = |ch: char| ch.is_alphanumeric() || ch == '_';
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let length = rest[start..].find(|ch| !is_word(ch)).unwrap_or(rest.len() - start);
        let word = &rest[start..start + length];
        if let Ok(number) = word.parse::<BigInt>() {
            let number = if rest[..start].ends_with('-') { -number } else { number };
            if number < *low || number > *high {
                return true;
            }
        }
        rest = &rest[start + length..];
    }
    false
}

/// The first line about a violation.
pub(super) fn heading(model: &Model, sources: &SourceMap, violation: &Violation) -> String {
    let after = count(violation.trace.n_steps(), "step");
    match &violation.kind {
        ViolationKind::Invariant { conjunct } => {
            format!("invariant violated after {after}: {}", conjunct_text(model, sources, &model.invariant[*conjunct]))
        }
        ViolationKind::Assertion { conjunct } => {
            format!("assertion violated after {after}: {}", conjunct_text(model, sources, &model.assertions[*conjunct]))
        }
        ViolationKind::Deadlock => {
            // A machine of sets and constants, mostly.
            let why = match model.transitions().next().is_some() {
                true => "no operation is enabled",
                false => "the machine has no operations; `--no-deadlock` accepts that",
            };
            format!("deadlock after {after}: {why}")
        }
        ViolationKind::Goal => format!("goal reached after {after}"),
        ViolationKind::IllDefined { operation, error } => {
            let place = operation.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
            let what = match error.id {
                "precondition-violated" => "precondition violated",
                "assert-violated" => "ASSERT violated",
                "loop-invariant-violated" => "loop invariant violated",
                "loop-variant-violated" => "loop variant violated",
                _ => "not well-defined",
            };
            format!("{what}{place} after {after}")
        }
    }
}

fn print_violation(model: &Model, sources: &SourceMap, violation: &Violation) {
    let tone = if matches!(violation.kind, ViolationKind::Goal) { Tone::Good } else { Tone::Bad };
    let heading = heading(model, sources, violation);
    print_toned(&heading, tone);
    if let Some(conjunct) = false_conjunct(model, violation) {
        outln!("  --> {}", sources.locate(conjunct.span));
    }
    if let ViolationKind::IllDefined { error, .. } = &violation.kind {
        print_diagnostic(sources, error);
    }
    for line in reasons(model, sources, violation) {
        out!("{}", wrapped_for_output(&format!("  {line}\n")));
    }
    outln!();
    out!("{}", wrapped_for_output(&table(&violation.trace.steps, 1 - violation.trace.n_setup.min(1))));
    if let Some(gap) = &violation.trace.gap {
        outln!("  the trace is incomplete: {gap}");
    }
    if violation.trace.steps.len() > MAX_LISTED_STEPS {
        // The first line has left the screen.
        outln!();
        print_toned(&heading, tone);
    }
}
