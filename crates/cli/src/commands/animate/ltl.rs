//! The commands `ltl` and `past` of the animator: does a formula hold on all paths from the current state on, and what is known of it along the steps so far?
//!
//! The formula φ is checked on the whole machine as `G (here => φ)`, where `here` is a predicate that the current state alone satisfies; `current` in φ stands
//! for it, too. A formula about the future holds from the current state on exactly if that holds. Past operators see every past that leads to the state, not
//! only the steps that the user took.

use std::sync::Arc;
use std::time::Instant;

use abridge_check::{
    Config, FormulaSource, HistoryRow, Method, Origin, Place, StoryEnd, TemporalReport, TemporalVerdict, along_history,
    check, prepare,
};
use abridge_diag::{Diagnostic, SourceMap};
use abridge_model::Logic;
use abridge_system::Machine as _;
use abridge_temporal::formula::{
    AtomId, AtomKind, BText, BinaryTemporal, FormulaAtom, Ltl, LtlNode, NodeId, TextRange as Span, UnaryTemporal,
};
use abridge_temporal::{TemporalText, parse_ltl};
use serde_json::json;

use super::Dialogue;
use crate::commands::check::temporal::{path_text, table_text};
use crate::formulas::fields;
use crate::load::{load, load_with};
use crate::report::{json_diagnostics, text_diagnostics};
use crate::steps::steps_json;
use crate::talk::Reply;
use crate::watch::{Watch, usual_budget};

/// Name of the formula in diagnostics.
const SOURCE: &str = "<formula>";

/// A formula that is asked about the current state.
struct AskedFormula {
    /// The formula itself, with `here` for `current`.
    formula: String,
    /// `G (here => formula)`, behind the premise of the formula.
    wrapped: String,
    has_current: bool,
}

impl Dialogue<'_> {
    pub(super) fn ltl(&self, text: &str) -> Reply {
        if text.is_empty() {
            return Reply::error("`ltl` needs a formula, for example: ltl G F {inside = {}}");
        }
        if !matches!(self.place(), Place::Running(_)) {
            return self.uninitialised();
        }
        let Some(here) = self.here() else {
            return Reply::error("a value of this state cannot be written as text");
        };
        let mut sources = load(self.file, self.model_options).sources;
        let file = sources.add(SOURCE, text);
        let (ltl, diagnostics) = parse_ltl(TemporalText { file, base: 0, text });
        let Some(ltl) = ltl else { return wrong(&sources, &diagnostics) };
        let asked = asked(&ltl, &here);
        let config = Config {
            invariant: false,
            deadlock: false,
            assertions: false,
            goal: false,
            gluing: false,
            symmetry: Method::Auto,
            ..self.config()
        };
        let lower = &mut |texts: &[_]| load_with(Some(self.file), texts, self.model_options);
        let mut source = |text: &str, name: &str| {
            let file = if text == name { file } else { sources.add(SOURCE, text) };
            FormulaSource { name: SOURCE.to_owned(), logic: Logic::Ltl, text: text.to_owned(), file, base: 0 }
        };
        // Mistakes are placed in what the user wrote, unless that speaks of the current state.
        let shown = if asked.has_current { asked.formula.as_str() } else { text };
        let (formula, wrapped) = (source(shown, text), source(&asked.wrapped, text));
        let (_, prepared) = prepare(self.model, vec![formula], &config, lower);
        let mistakes = &prepared.formulas[0].diagnostics;
        if mistakes.iter().any(Diagnostic::is_error) {
            return wrong(&sources, mistakes);
        }
        let (with_atoms, prepared) = prepare(self.model, vec![wrapped], &config, lower);
        let config = Config { formulas: Arc::new(prepared), ..config };
        let mut watch = Watch::new(Instant::now(), None, Some(usual_budget()), true, self.session.interrupt().clone());
        let report = check(with_atoms.as_ref().unwrap_or(self.model), &config, &mut watch);
        watch.clear();
        match report.temporal.first() {
            Some(report) => told(report, &asked, &here),
            None => Reply::error("the formula was not checked"),
        }
    }

    /// Truth of a formula and its parts along the steps so far.
    pub(super) fn past(&self, text: &str) -> Reply {
        if text.is_empty() {
            return Reply::error("`past` needs a formula, for example: past G ({inside /= {}} => O [enter])");
        }
        let mut sources = load(self.file, self.model_options).sources;
        let file = sources.add(SOURCE, text);
        let config = self.config();
        let lower = &mut |texts: &[_]| load_with(Some(self.file), texts, self.model_options);
        let source = FormulaSource { name: SOURCE.to_owned(), logic: Logic::Ltl, text: text.to_owned(), file, base: 0 };
        let (with_atoms, prepared) = prepare(self.model, vec![source], &config, lower);
        let mistakes = prepared.formulas[0].diagnostics.clone();
        if mistakes.iter().any(Diagnostic::is_error) {
            return wrong(&sources, &mistakes);
        }
        let config = Config { formulas: Arc::new(prepared), ..config };
        let steps = self.animation.trace();
        let model = with_atoms.as_ref().unwrap_or(self.model);
        let Some(rows) = along_history(model, &config, &steps) else {
            return Reply::error("the steps so far could not be taken again");
        };
        let n_positions = rows.first().map_or(0, |row| row.values.len());
        if n_positions == 0 {
            return self.uninitialised();
        }
        let first = steps.len() - n_positions + 1;
        let json: Vec<_> = rows.iter().map(|row| json!({ "text": row.text, "holds": row.values })).collect();
        Reply::text(history_text(&rows, first), json!({ "first_step": first, "subformulas": json }))
    }

    /// A predicate that the current state alone satisfies, if the machine is initialised and its values can be written as B.
    fn here(&self) -> Option<String> {
        let state = self.animation.state().filter(|state| self.system.is_running(Origin::State(state)))?;
        let values = self.system.values(state);
        if values.iter().any(|value| value.is_opaque) {
            return None;
        }
        let equations: Vec<String> = values.iter().map(|value| format!("{} = {}", value.name, value.text)).collect();
        Some(if equations.is_empty() { "TRUE = TRUE".to_owned() } else { equations.join(" & ") })
    }
}

/// The formula about the current state, and about all states.
fn asked(ltl: &Ltl, here: &str) -> AskedFormula {
    let place = Span::default();
    let mut new = Ltl::default();
    let mut has_current = false;
    let here = AtomKind::Predicate(BText { text: here.into(), start: 0 });
    let mut atom = |new: &mut Ltl, id: AtomId| {
        let mut atom = ltl.atoms.get(id).clone();
        if atom.kind == AtomKind::Current {
            (atom.kind, has_current) = (here.clone(), true);
        }
        new.atoms.intern(atom)
    };
    for (id, node) in ltl.nodes() {
        let node = match node {
            LtlNode::Atom(id) => LtlNode::Atom(atom(&mut new, *id)),
            LtlNode::Quantified(quantifier, name, range, body) => {
                LtlNode::Quantified(*quantifier, name.clone(), atom(&mut new, *range), *body)
            }
            node => node.clone(),
        };
        new.push(node, ltl.place(id));
    }
    let formula = new.to_string();
    let (premise, body) = match new.node(new.root()) {
        LtlNode::Fair(premise, body) => (Some(premise.clone()), *body),
        _ => (None, new.root()),
    };
    let here = new.atoms.intern(FormulaAtom { kind: here, bindings: Vec::new(), place });
    let here = new.push(LtlNode::Atom(here), place);
    let implied: NodeId = new.push(LtlNode::Binary(BinaryTemporal::Implies, here, body), place);
    let always = new.push(LtlNode::Unary(UnaryTemporal::Globally, implied), place);
    if let Some(premise) = premise {
        new.push(LtlNode::Fair(premise, always), place);
    }
    AskedFormula { formula, wrapped: new.to_string(), has_current }
}

/// Positions that a table shows, the newest ones.
const MAX_COLUMNS: usize = 24;

/// A table like that of a counterexample. What the steps so far do not decide is a question mark.
fn history_text(rows: &[HistoryRow], first: usize) -> String {
    let n_positions = rows.first().map_or(0, |row| row.values.len());
    let skipped = n_positions.saturating_sub(MAX_COLUMNS);
    let head: String = (first + skipped..).take(n_positions - skipped).map(|step| format!("{step:>3}")).collect();
    let mut text = format!("  {head}  after step\n");
    for row in rows {
        let sign = |value: &Option<bool>| match value {
            Some(true) => "  ●",
            Some(false) => "  ·",
            None => "  ?",
        };
        let values: String = row.values[skipped..].iter().map(sign).collect();
        text += &format!("  {values}  {}\n", row.text);
    }
    text
}

fn wrong(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Reply {
    let json = json!({ "kind": "error", "diagnostics": json_diagnostics(sources, diagnostics) });
    Reply { is_ok: false, text: text_diagnostics(sources, diagnostics), json: fields(json), shows_place: false }
}

fn told(report: &TemporalReport, asked: &AskedFormula, here: &str) -> Reply {
    let verdict = report.verdict.name();
    match (&report.verdict, &report.trace, &report.story) {
        (TemporalVerdict::Holds, ..) => {
            Reply::text("holds on all paths from this state on\n", json!({ "verdict": verdict }))
        }
        (TemporalVerdict::Violated, Some(trace), Some(story)) => {
            // The operand of the outermost `G` is false where the path begins that the user asked for.
            let start = story.rows.get(1).and_then(|row| row.truths.iter().position(|truth| !truth)).unwrap_or(0);
            let first = trace.n_setup + start + 1;
            let (steps, loop_start) = from(&trace.steps, first, trace.loop_start);
            let end = match (loop_start, story.end) {
                (Some(_), _) => None,
                (None, end) => Some(end),
            };
            let mut rows = story.rows.clone();
            // The first two are about all states.
            rows.drain(..rows.len().min(2));
            rows.retain(|row| asked.has_current || row.text != format!("{{{here}}}"));
            for row in &mut rows {
                row.truths = from(&row.truths, start, trace.loop_start.map(|at| at - trace.n_setup - 1)).0;
            }
            let text = format!(
                "violated on this path from this state on\n{}{}",
                path_text(&steps, 1, loop_start, end),
                table_text(&rows, 0)
            );
            let rows: Vec<_> = rows.iter().map(|row| json!({ "text": row.text, "holds": row.truths })).collect();
            let json = json!({
                "verdict": verdict,
                "trace": steps_json(&steps),
                "loop_start": loop_start,
                "ends_in_deadlock": end == Some(StoryEnd::Deadlock),
                "is_prefix": end == Some(StoryEnd::Anything),
                "subformulas": rows,
            });
            Reply::text(text, json)
        }
        (TemporalVerdict::Violated, ..) => {
            Reply::text("violated; the path could not be found again\n", json!({ "verdict": verdict }))
        }
        (TemporalVerdict::Incomplete(why), ..) => Reply::error(format!("not known: {why}")),
        (TemporalVerdict::IllDefined(atom), ..) => Reply::error(format!("`{atom}` is not well-defined in some state")),
        (TemporalVerdict::Error(why), ..) => Reply::error(why.clone()),
    }
}

/// The part of a path from a position on, with the new start of its loop. A loop that began before is begun in its middle.
fn from<T: Clone>(list: &[T], first: usize, loop_start: Option<usize>) -> (Vec<T>, Option<usize>) {
    let rest = list.get(first..).unwrap_or_default().to_vec();
    match loop_start {
        None => (rest, None),
        Some(start) if start >= first => (rest, Some(start - first)),
        Some(start) => ([&rest[..], &list[start..first]].concat(), Some(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_cut_and_its_loop_turned() {
        assert_eq!(from(&[0, 1, 2, 3], 1, None), (vec![1, 2, 3], None));
        assert_eq!(from(&[0, 1, 2, 3], 1, Some(2)), (vec![1, 2, 3], Some(1)));
        assert_eq!(from(&[0, 1, 2, 3], 2, Some(1)), (vec![2, 3, 1], Some(0)));
    }
}
