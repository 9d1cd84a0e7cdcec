//! The report of a check as one HTML file: verdict, findings with traces, temporal formulas, coverage with charts.
//!
//! The file refers to nothing outside of itself, and stays below a megabyte whatever the run was: traces are folded, values cut, findings counted. Everything that a machine says goes
//! through `xml`, since a name or a string may contain markup.

use std::fmt::Write as _;
use std::path::Path;

use abridge_check::{Report, TemporalVerdict, Trace, Violation, ViolationKind};
use abridge_diag::{RenderConfig, SourceMap, render};
use abridge_model::Model;

use super::text::{heading, never_taken, plural, reasons, set_sizes, verdict_line};
use super::{CheckTimes, coverage};
use crate::report::count;
use crate::steps::{MAX_LISTED_STEPS, N_END_STEPS, changes, label, shortened};
use crate::watch::{grouped, peak_bytes};
use abridge_draw::xml;

/// Findings that are shown with their traces.
const MAX_SHOWN_FINDINGS: usize = 20;
/// Characters of a cell of a trace.
const MAX_CELL_CHARS: usize = 300;
/// Operations in the chart; the most frequent ones come first, and those that were never taken are named anyway.
const MAX_SHOWN_OPERATIONS: usize = 500;
/// Variables with charts of their values, and characters of a name in a chart.
const MAX_SHOWN_VARIABLES: usize = 60;
const MAX_BAR_CHARS: usize = 120;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}.bad{color:#a02020}.good{color:#207020}.open{color:#8a6100}\
table{border-collapse:collapse;width:100%}td,th{padding:.15rem .6rem .15rem 0;text-align:left;vertical-align:top}\
td.n,th.n{text-align:right;white-space:nowrap}code,td,pre{font-family:ui-monospace,monospace;font-size:.85rem}\
table.facts{width:auto}.facts th{padding-right:2rem;font-weight:500}td.chart{width:45%}h3{font-size:1rem}.bar{background:#7aa6d8;height:.8rem;display:inline-block}tr.fold td{color:#777}\
@media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#ddd}.bad{color:#ff8a80}.good{color:#9ccc65}.open{color:#ffd54f}}";

/// The page about a run; `goal` is the text of the goal that was sought.
pub(super) fn page(
    model: &Model,
    sources: &SourceMap,
    file: &Path,
    report: &Report,
    times: &CheckTimes,
    goal: Option<String>,
) -> String {
    let mut page = Page { out: String::new() };
    page.head(model, file, report, times, goal);
    page.findings(model, sources, report);
    page.temporal(report);
    page.coverage(sources, report);
    page.out += "</body></html>\n";
    page.out
}

/// A text with what stands between backquotes as code.
fn marked(text: &str) -> String {
    let parts = text.split('`').map(xml);
    let parts = parts.enumerate().map(|(idx, part)| if idx % 2 == 1 { format!("<code>{part}</code>") } else { part });
    parts.collect()
}

struct Page {
    out: String,
}

impl Page {
    fn line(&mut self, text: &str) {
        self.out += text;
        self.out.push('\n');
    }

    fn head(&mut self, model: &Model, file: &Path, report: &Report, times: &CheckTimes, goal: Option<String>) {
        let name = xml(&model.name);
        let class = match report.verdict {
            abridge_check::Verdict::Holds | abridge_check::Verdict::GoalReached => "good",
            abridge_check::Verdict::Violated => "bad",
            abridge_check::Verdict::Incomplete => "open",
        };
        let _ = write!(
            self.out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
             <title>{name}</title><style>{STYLE}</style></head><body>\n<h1>{name}</h1>\n<p><code>{}</code></p>\n",
            xml(&file.display().to_string())
        );
        self.line(&format!("<p class=\"{class}\"><strong>{}</strong></p>", xml(&verdict_line(report, times))));
        let rows = [
            ("states", grouped(report.states)),
            ("transitions", grouped(report.transitions)),
            ("depth", grouped(u64::from(report.depth))),
            ("time", format!("{:.2} s", times.total)),
            ("memory", format!("{} MB", peak_bytes() >> 20)),
            ("version", format!("abridge {}", env!("CARGO_PKG_VERSION"))),
        ];
        // What holds, holds for these.
        let preferences = &model.steering.preferences;
        let integers = ("INT", format!("{}..{}", preferences.min_int, preferences.max_int));
        let sizes = Some(set_sizes(model, true)).filter(|sizes| !sizes.is_empty());
        let sizes = sizes.map(|sizes| ("deferred sets", xml(&shortened(&sizes.join(", "), MAX_CELL_CHARS))));
        let reached = match report.verdict {
            abridge_check::Verdict::Holds => ": satisfied by no reachable state",
            _ => "",
        };
        let goal = goal.map(|text| ("GOAL", xml(&shortened(&text, MAX_CELL_CHARS)) + reached));
        let rows = rows.into_iter().chain(sizes).chain([integers]).chain(goal);
        self.line("<table class=\"facts\">");
        rows.for_each(|(name, value)| self.line(&format!("<tr><th>{name}</th><td>{value}</td></tr>")));
        self.line("</table>");
        if !report.limits.is_empty() {
            self.line("<h2>Limits</h2><ul>");
            let limits = report.limits.iter().map(|limit| marked(&shortened(limit, MAX_CELL_CHARS)));
            limits.for_each(|limit| self.line(&format!("<li>{limit}</li>")));
            self.line("</ul>");
        }
    }

    fn findings(&mut self, model: &Model, sources: &SourceMap, report: &Report) {
        for violation in report.violations.iter().take(MAX_SHOWN_FINDINGS) {
            self.line(&format!("<h2>{}</h2>", xml(&shortened(&heading(model, sources, violation), MAX_CELL_CHARS))));
            self.place(model, sources, violation);
            self.line("<ul>");
            for text in reasons(model, sources, violation) {
                self.line(&format!("<li>{}</li>", marked(&shortened(&text, MAX_CELL_CHARS))));
            }
            self.line("</ul>");
            self.trace(&violation.trace);
        }
        if report.violations.len() > MAX_SHOWN_FINDINGS {
            let rest = report.violations.len() - MAX_SHOWN_FINDINGS;
            self.line(&format!("<p>{} not shown</p>", count(rest, "further finding")));
        }
    }

    /// Where a finding is about: the place of a conjunct, or the message about what is not well-defined.
    fn place(&mut self, model: &Model, sources: &SourceMap, violation: &Violation) {
        let conjunct = match &violation.kind {
            ViolationKind::Invariant { conjunct } => &model.invariant[*conjunct],
            ViolationKind::Assertion { conjunct } => &model.assertions[*conjunct],
            ViolationKind::IllDefined { error, .. } => {
                let text = shortened(&render(sources, error, RenderConfig::default()), 10 * MAX_CELL_CHARS);
                self.line(&format!("<pre>{}</pre>", xml(text.trim_end())));
                return;
            }
            ViolationKind::Deadlock | ViolationKind::Goal => return,
        };
        self.line(&format!("<p><code>{}</code></p>", xml(&sources.locate(conjunct.span).to_string())));
    }

    fn trace(&mut self, trace: &Trace) {
        self.line("<table><tr><th class=\"n\">step</th><th>operation</th><th>changes</th></tr>");
        let n_steps = trace.steps.len();
        let hidden = match n_steps > MAX_LISTED_STEPS {
            true => N_END_STEPS..n_steps - N_END_STEPS,
            false => 0..0,
        };
        for (idx, step) in trace.steps.iter().enumerate().filter(|(idx, _)| !hidden.contains(idx)) {
            if idx == hidden.end && idx > 0 {
                let text = format!("{} not shown", plural(hidden.len() as u64, "step"));
                self.line(&format!("<tr class=\"fold\"><td></td><td colspan=\"2\">{text}</td></tr>"));
            }
            if trace.loop_start == Some(idx) {
                self.line("<tr class=\"fold\"><td></td><td colspan=\"2\">loop starts here</td></tr>");
            }
            let number = idx + 1 - trace.n_setup.min(1);
            let (name, text) = (shortened(&label(step), MAX_CELL_CHARS), shortened(&changes(step), MAX_CELL_CHARS));
            self.line(&format!("<tr><td class=\"n\">{number}</td><td>{}</td><td>{}</td></tr>", xml(&name), xml(&text)));
        }
        self.line("</table>");
        if let Some(gap) = &trace.gap {
            self.line(&format!("<p>the trace is incomplete: {}</p>", xml(gap)));
        }
    }

    fn temporal(&mut self, report: &Report) {
        if report.temporal.is_empty() {
            return;
        }
        self.line("<h2>Temporal properties</h2>");
        for formula in report.temporal.iter().take(MAX_SHOWN_FINDINGS) {
            let (class, verdict) = match &formula.verdict {
                TemporalVerdict::Holds => ("good", "holds".to_owned()),
                TemporalVerdict::Violated => ("bad", "violated".to_owned()),
                TemporalVerdict::Incomplete(why) => ("open", format!("not known: {why}")),
                TemporalVerdict::IllDefined(atom) => ("bad", format!("not well-defined: {atom}")),
                TemporalVerdict::Error(why) => ("bad", format!("wrong: {why}")),
            };
            let (text, verdict) = (shortened(&formula.formula, MAX_CELL_CHARS), shortened(&verdict, MAX_CELL_CHARS));
            self.line(&format!("<p><code>{}</code> <span class=\"{class}\">{}</span></p>", xml(&text), xml(&verdict)));
            if let Some(story) = &formula.story {
                self.line(&format!(
                    "<ul><li>{}</li></ul>",
                    marked(&shortened(&story.culprit.to_string(), MAX_CELL_CHARS))
                ));
            }
            if let Some(trace) = &formula.trace {
                self.trace(trace);
            }
        }
    }

    /// Operations, values of variables and guards that are never true.
    fn coverage(&mut self, sources: &SourceMap, report: &Report) {
        if report.coverage.is_empty() && report.state_coverage.is_none() {
            return;
        }
        self.line("<h2>Coverage</h2>");
        for caveat in coverage::caveats(report) {
            self.line(&format!("<p class=\"open\">{}</p>", marked(&caveat)));
        }
        self.operations(report);
        let Some(covered) = &report.state_coverage else { return };
        if !covered.guards.is_empty() {
            self.line(&format!(
                "<h3>Guards that are true in none of {}</h3><ul>",
                plural(covered.guard_states, "state")
            ));
            for guard in covered.guards.iter().take(MAX_SHOWN_OPERATIONS) {
                let text = shortened(&coverage::guard_text(sources, guard), MAX_CELL_CHARS);
                let place = sources.locate(guard.span).to_string();
                let operation = shortened(&guard.operation, MAX_CELL_CHARS);
                self.line(&format!(
                    "<li><code>{}</code>: <code>{}</code> ({})</li>",
                    xml(&operation),
                    xml(&text),
                    xml(&place)
                ));
            }
            self.line("</ul>");
        }
        self.line(&format!("<h3>Values of variables in {}</h3>", plural(covered.states, "state")));
        for variable in covered.variables.iter().take(MAX_SHOWN_VARIABLES) {
            let (name, n_values) = (shortened(&variable.name, MAX_CELL_CHARS), plural(variable.n_values, "value"));
            self.line(&format!("<details open><summary><code>{}</code>: {n_values}</summary>", xml(&name)));
            let shown = variable.values.iter().take(coverage::MAX_PAGE_VALUES);
            self.bars(shown.map(|(value, states)| (value.as_str(), *states)));
            if variable.n_values > coverage::MAX_PAGE_VALUES as u64 {
                let rest = variable.n_values - coverage::MAX_PAGE_VALUES as u64;
                self.line(&format!("<p>{} not shown</p>", plural(rest, "further value")));
            }
            self.line("</details>");
        }
        if let Some(rest) = covered.variables.len().checked_sub(MAX_SHOWN_VARIABLES).filter(|rest| *rest > 0) {
            self.line(&format!("<p>{} not shown</p>", count(rest, "further variable")));
        }
    }

    /// Transitions per operation.
    fn operations(&mut self, report: &Report) {
        self.line("<h3>Transitions per operation</h3>");
        let mut rows: Vec<_> = report.coverage.iter().collect();
        rows.sort_by_key(|one| std::cmp::Reverse(one.transitions));
        self.bars(rows.iter().take(MAX_SHOWN_OPERATIONS).map(|one| (one.operation.as_str(), one.transitions)));
        let never: Vec<&str> =
            rows.iter().filter(|one| one.transitions == 0).map(|one| one.operation.as_str()).collect();
        let has_all_steps = report.por.as_ref().is_none_or(|tally| tally.refused.is_some());
        // Canonizers may exchange operations.
        if !never.is_empty() && has_all_steps && report.reduction.is_none() {
            let never = xml(&shortened(&never.join(", "), 10 * MAX_CELL_CHARS));
            self.line(&format!("<p class=\"open\">{}: <code>{never}</code></p>", never_taken(report)));
        }
    }

    /// A chart: names with numbers, the largest first.
    fn bars<'t>(&mut self, rows: impl Iterator<Item = (&'t str, u64)>) {
        self.line("<table>");
        let mut most = None;
        for (name, number) in rows {
            // Whatever is there can be seen.
            let share = (u128::from(number) * 100).div_ceil(u128::from(*most.get_or_insert(number.max(1))));
            self.line(&format!(
                "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"chart\"><span class=\"bar\" style=\"width:{share}%\"></span></td></tr>",
                xml(&shortened(name, MAX_BAR_CHARS)),
                grouped(number)
            ));
        }
        self.line("</table>");
    }
}
