//! Counterexamples as SVG: both machines side by side, time runs downwards.
//!
//! Each step is a row: the state of the refinement on the left, what the abstraction may be in on the right, and the event that led
//! there between them. The step that fails is marked, with what the abstraction would have allowed. Text of the model is escaped.

use std::fmt::Write as _;

use abridge_check::{Counterexample, Named, Obligation, SideBySide};

use crate::steps::{event, shortened};
use abridge_draw::xml;

const LINE: f64 = 16.0;
const PADDING: f64 = 8.0;
/// Width of a character, roughly: boxes must not be too narrow for any font.
const CHARACTER: f64 = 7.2;
/// Room between two rows, where the event is written.
const GAP: f64 = 46.0;
/// Room between the columns.
const AISLE: f64 = 60.0;
const MARGIN: f64 = 20.0;
const LONGEST_LINE: usize = 60;
/// Abstract states of a step that are drawn.
const MAX_DRAWN_STATES: usize = 3;
/// Events that the abstraction allows that are drawn.
const MAX_DRAWN_EVENTS: usize = 6;

const ALARM: &str = "#c62828";
const PAIRED: &str = "#9e9e9e";

/// A box with lines of text; those that a step changed are bold.
struct Box {
    lines: Vec<(String, bool)>,
    is_alarming: bool,
}

impl Box {
    fn height(&self) -> f64 {
        LINE * self.lines.len().max(1) as f64 + 2.0 * PADDING
    }

    fn width(&self) -> f64 {
        let longest = self.lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or(0);
        CHARACTER * longest as f64 + 2.0 * PADDING
    }
}

fn remark(text: &str) -> Box {
    Box { lines: vec![(text.to_owned(), false)], is_alarming: true }
}

fn lines(before: Option<&[Named]>, now: &[Named]) -> Vec<(String, bool)> {
    let line = |value: &Named| {
        let is_new = before.is_some_and(|before| !before.contains(value));
        (shortened(&format!("{} = {}", value.name, value.text), LONGEST_LINE), is_new)
    };
    now.iter().map(line).collect()
}

/// States that the abstraction may be in, one after the other.
fn abstract_lines(before: Option<&SideBySide>, now: &SideBySide) -> Vec<(String, bool)> {
    let only = |state: &SideBySide| (state.n_abstract == 1).then(|| state.abstracted.first().cloned()).flatten();
    if let Some(state) = only(now) {
        return lines(before.and_then(only).as_deref(), &state);
    }
    let mut all = Vec::new();
    for (idx, state) in now.abstracted.iter().take(MAX_DRAWN_STATES).enumerate() {
        if idx > 0 {
            all.push(("or".to_owned(), false));
        }
        all.extend(lines(None, state));
    }
    let n_more = now.n_abstract.saturating_sub(MAX_DRAWN_STATES);
    if n_more > 0 {
        all.push((format!("or one of {n_more} more"), false));
    }
    all
}

/// A row: the event that leads there and the two boxes.
struct PictureRow {
    event: String,
    concrete: Box,
    abstracted: Box,
    is_alarming: bool,
}

fn rows(found: &Counterexample) -> Vec<PictureRow> {
    let mut rows: Vec<PictureRow> = Vec::new();
    for (idx, step) in found.steps.iter().enumerate() {
        let before = idx.checked_sub(1).map(|idx| &found.steps[idx].state);
        let failed = found.failed.as_ref().filter(|_| idx + 1 == found.steps.len());
        let calm = |lines| Box { lines, is_alarming: false };
        let concrete = calm(lines(before.map(|state| state.concrete.as_slice()), &step.state.concrete));
        let (concrete, abstracted) = match failed.map(|failed| failed.obligation) {
            None => (concrete, calm(abstract_lines(before, &step.state))),
            Some(Obligation::Precondition) => (remark("precondition false"), remark("precondition true")),
            Some(Obligation::Refusal) => (remark("refuses"), remark("accepts")),
            Some(Obligation::Operation) => (remark("has no such operation"), remark("accepts")),
            Some(_) => (concrete, remark("cannot follow")),
        };
        rows.push(PictureRow {
            event: event(&step.name, &step.params, &step.outputs),
            concrete,
            abstracted,
            is_alarming: failed.is_some(),
        });
    }
    if let (Some(failed), Some(last)) = (&found.failed, rows.last_mut())
        && matches!(failed.obligation, Obligation::Trace | Obligation::Outcome)
    {
        let allowed = failed.allowed.iter().take(MAX_DRAWN_EVENTS);
        let allowed = allowed.map(|step| (format!("  {}", event(&step.name, &step.params, &step.outputs)), false));
        let allowed: Vec<(String, bool)> = allowed.collect();
        let title = if allowed.is_empty() { "allows nothing there" } else { "allows there:" };
        last.abstracted.lines.push((title.to_owned(), false));
        last.abstracted.lines.extend(allowed);
        let n_more = failed.n_allowed.saturating_sub(MAX_DRAWN_EVENTS);
        if n_more > 0 {
            last.abstracted.lines.push((format!("  and {n_more} more"), false));
        }
    }
    rows
}

/// The picture of a run of both machines.
pub(super) fn svg((concrete, abstracted): (&str, &str), found: &Counterexample) -> String {
    let rows = rows(found);
    let width = |of: &dyn Fn(&PictureRow) -> f64, title: &str| {
        rows.iter().map(of).fold(CHARACTER * title.chars().count() as f64 + 2.0 * PADDING, f64::max)
    };
    let left = width(&|row| row.concrete.width(), concrete);
    let right = width(&|row| row.abstracted.width(), abstracted);
    let longest = rows.iter().map(|row| CHARACTER * row.event.chars().count() as f64).fold(0.0, f64::max);
    // Events stand left of the middle of the left column.
    let x = MARGIN + (longest - left / 2.0 + PADDING).max(0.0);
    let (other, total) = (x + left + AISLE, x + left + AISLE + right + MARGIN);
    let mut out = String::new();
    let mut y = MARGIN + LINE;
    heading(&mut out, x + left / 2.0, y, concrete);
    heading(&mut out, other + right / 2.0, y, abstracted);
    y += PADDING;
    let mut tops = Vec::new();
    for (idx, row) in rows.iter().enumerate() {
        let colour = if row.is_alarming { ALARM } else { "#000000" };
        let top = y + GAP;
        for centre in [x + left / 2.0, other + right / 2.0].into_iter().filter(|_| idx > 0) {
            arrow(&mut out, centre, y, top, colour);
        }
        text(&mut out, x + left / 2.0 - PADDING, y + GAP * 0.6, "end", colour, false, &row.event);
        let height = row.concrete.height().max(row.abstracted.height());
        frame(&mut out, (x, top, left, height), &row.concrete);
        frame(&mut out, (other, top, right, height), &row.abstracted);
        let middle = top + height / 2.0;
        let _ = writeln!(
            out,
            "<line x1=\"{:.1}\" y1=\"{middle:.1}\" x2=\"{other:.1}\" y2=\"{middle:.1}\" stroke=\"{PAIRED}\" stroke-dasharray=\"4 3\"/>",
            x + left
        );
        tops.push(top);
        y = top + height;
    }
    if let Some(start) = found.loop_start.and_then(|start| tops.get(start)) {
        text(&mut out, x, y + LINE + PADDING, "start", ALARM, false, "and so on for ever, from the marked row");
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{start:.1}\" width=\"4\" height=\"{:.1}\" fill=\"{ALARM}\"/>",
            x - PADDING,
            y - start
        );
        y += LINE + PADDING;
    }
    let height = y + MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{total:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {total:.0} {height:.0}\" font-family=\"Helvetica, sans-serif\" font-size=\"12\">\n<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\"/></marker></defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{out}</svg>\n"
    )
}

fn heading(out: &mut String, x: f64, y: f64, name: &str) {
    text(out, x, y, "middle", "#000000", true, name);
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, colour: &str, is_bold: bool, content: &str) {
    let weight = if is_bold { " font-weight=\"bold\"" } else { "" };
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\"{weight}>{}</text>",
        xml(content)
    );
}

fn arrow(out: &mut String, x: f64, from: f64, to: f64, colour: &str) {
    let _ = writeln!(
        out,
        "<line x1=\"{x:.1}\" y1=\"{from:.1}\" x2=\"{x:.1}\" y2=\"{to:.1}\" stroke=\"{colour}\" marker-end=\"url(#arrow)\"/>"
    );
}

fn frame(out: &mut String, (x, y, width, height): (f64, f64, f64, f64), content: &Box) {
    let stroke = if content.is_alarming { ALARM } else { "#000000" };
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\" fill=\"#ffffff\" stroke=\"{stroke}\"/>"
    );
    for (idx, (line, is_new)) in content.lines.iter().enumerate() {
        let baseline = y + PADDING + LINE * (idx as f64 + 0.8);
        text(out, x + PADDING, baseline, "start", if content.is_alarming { ALARM } else { "#000000" }, *is_new, line);
    }
}

#[cfg(test)]
mod tests {
    use abridge_check::PairedStep;

    use super::*;

    fn named(text: &str) -> Vec<Named> {
        vec![Named { name: "xx".to_owned(), text: text.to_owned(), is_opaque: false }]
    }

    #[test]
    fn both_machines_are_drawn_and_text_is_escaped() {
        let step = |name: &str, own: &str, others: &[&str]| PairedStep {
            name: name.to_owned(),
            params: Vec::new(),
            outputs: Vec::new(),
            state: SideBySide {
                concrete: named(own),
                abstracted: others.iter().map(|text| named(text)).collect(),
                n_abstract: others.len(),
            },
        };
        let steps = vec![step("INITIALISATION", "{1|->2}", &["0", "1"]), step("<go>", "\"&\"", &["5"])];
        let found = Counterexample { steps, n_setup: 0, failed: None, loop_start: Some(1), gap: None };
        let picture = svg(("Own", "Other"), &found);
        for text in ["Own", "Other", "xx = {1|-&gt;2}", "xx = 0", "or", "xx = 1", "&lt;go&gt;", "&amp;", "for ever"] {
            assert!(picture.contains(text), "{text} is missing in {picture}");
        }
        assert_eq!(picture.matches("<rect").count(), 1 + 4 + 1, "{picture}");
    }
}
