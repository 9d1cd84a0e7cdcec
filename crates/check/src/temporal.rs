//! Temporal properties of a B machine: from a finished search to a verdict for each formula.
//!
//! `prepare.rs` reads the formulas, `letters.rs` computes which atoms hold where, `graph.rs` joins both with the stored steps, and `story.rs` finds the
//! path of a violation again with the judge. The theory is in the crate `temporal`.

mod atoms;
mod graph;
mod letters;
mod prepare;
mod story;

use std::sync::atomic::Ordering;

use abridge_diag::Diagnostic;
use abridge_explicit::Explicit;
use abridge_model::Logic;
use abridge_reduce::symmetry::Canonizer;
use abridge_search::{Control, Exploration, StateGraph};
use abridge_system::{Limit, Machine as _, Origin, System};
use abridge_temporal::emptiness::{Answer, find_violation};
use abridge_temporal::{Budget, GaveUp, Property, ctl};

use crate::{Config, Trace, limit_text};

pub use prepare::{FormulaSource, Lowering, Prepared, PreparedFormula, prepare};
pub use story::{Position, Row, Story};

pub(crate) use letters::Lettered;

use graph::{Branching, Linear};
use prepare::{Body, Tree};

/// What became of a formula.
#[derive(Clone, Debug)]
pub struct TemporalReport {
    pub name: String,
    pub logic: Logic,
    pub formula: String,
    pub verdict: TemporalVerdict,
    /// The path that shows a violation, or leads to what has no value.
    pub trace: Option<Trace>,
    /// The trace as a story; for LTL only.
    pub story: Option<Story>,
    /// What is wrong with the formula, or warnings about it.
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TemporalVerdict {
    Holds,
    Violated,
    /// Why it is not known.
    Incomplete(String),
    /// An atom, as text, has no value at the end of the trace.
    IllDefined(String),
    /// The formula is wrong.
    Error(String),
}

impl TemporalVerdict {
    pub fn name(&self) -> &'static str {
        match self {
            TemporalVerdict::Holds => "holds",
            TemporalVerdict::Violated => "violated",
            TemporalVerdict::Incomplete(_) => "incomplete",
            TemporalVerdict::IllDefined(_) | TemporalVerdict::Error(_) => "error",
        }
    }
}

/// A search with all that is needed to judge formulas.
pub(crate) struct Searched<'s, 'm, S> {
    pub(crate) system: &'s Explicit<'m>,
    /// The machine with letters, and whatever lies around it.
    pub(crate) steps: &'s S,
    pub(crate) lettered: &'s Lettered<'s, 'm>,
    pub(crate) exploration: &'s Exploration,
    pub(crate) config: &'s Config,
    /// Why the search is not about everything.
    pub(crate) limits: &'s [String],
}

impl<S: System> Searched<'_, '_, S> {
    /// Judges all formulas.
    pub(crate) fn judge(
        &self,
        mut canonizer: Option<&mut dyn Canonizer>,
        control: &mut dyn Control,
    ) -> Vec<TemporalReport> {
        let prepared = &self.config.formulas;
        let mut stored = StateGraph::default();
        let is_running = |words: &[u32]| self.system.is_running(Origin::State(words));
        let (table, end) = (&self.exploration.table, self.exploration.n_expanded);
        let built = stored.extend(self.steps, table, end, &is_running, self.config.workers, control);
        let letters = self.lettered.letters();
        let mut reports = Vec::new();
        for formula in &prepared.formulas {
            let canonizer = canonizer.as_mut().map(|canonizer| &mut **canonizer as &mut dyn Canonizer);
            let mut report = TemporalReport {
                name: formula.source.name.clone(),
                logic: formula.source.logic,
                formula: formula.source.text.clone(),
                verdict: TemporalVerdict::Holds,
                trace: None,
                story: None,
                diagnostics: formula.diagnostics.clone(),
            };
            match (&formula.body, &built) {
                (None, _) => report.verdict = TemporalVerdict::Error(first_error(&formula.diagnostics)),
                (Some(_), Err(limit)) => report.verdict = TemporalVerdict::Incomplete(self.why(*limit)),
                (Some(body), Ok(())) => {
                    let seen = Seen { stored: &stored, letters: &letters };
                    self.judge_one(body, seen, canonizer, &mut report);
                }
            }
            reports.push(report);
        }
        reports
    }

    fn why(&self, limit: Limit) -> String {
        if self.exploration.table.is_spilled() {
            return "temporal properties need all states in memory, and some were moved to files".to_owned();
        }
        self.config.stopped_for.get().map_or_else(|| limit_text(limit), |why| limit_text(*why))
    }

    fn is_stopped(&self) -> bool {
        self.config.stop.load(Ordering::Relaxed)
    }

    fn stopped(&self) -> TemporalVerdict {
        TemporalVerdict::Incomplete(self.why(Limit::Interrupted))
    }

    /// The verdict where no violation was found.
    fn nothing_found(&self, stored: &StateGraph) -> TemporalVerdict {
        if let Some(limit) = self.limits.first() {
            return TemporalVerdict::Incomplete(limit.clone());
        }
        if stored.n_states() as usize != self.exploration.table.len() {
            return TemporalVerdict::Incomplete("the search ended before all states were visited".to_owned());
        }
        match stored.gap() {
            Some(gap) => TemporalVerdict::Incomplete(limit_text(Limit::Missing(gap))),
            None => TemporalVerdict::Holds,
        }
    }

    fn judge_one(
        &self,
        body: &Body,
        seen: Seen<'_>,
        canonizer: Option<&mut dyn Canonizer>,
        report: &mut TemporalReport,
    ) {
        let is_stopped = || self.is_stopped();
        let n_states = self.exploration.table.len();
        match &body.tree {
            Tree::Ltl(expanded) => {
                let budget = Budget { is_stopped: &is_stopped, ..Budget::default() };
                let property = match Property::new(expanded, &budget) {
                    Ok(property) => property,
                    Err(GaveUp::Stopped) => return report.verdict = self.stopped(),
                    Err(GaveUp::TooLarge) => {
                        return report.verdict =
                            TemporalVerdict::Incomplete("the automaton of the formula is too large".to_owned());
                    }
                };
                let graph = Linear::new(seen, n_states, &body.atoms, &is_stopped);
                match find_violation(&graph, &property) {
                    Answer::None => report.verdict = self.nothing_found(seen.stored),
                    Answer::Stopped => report.verdict = self.stopped(),
                    Answer::Unknown => {
                        report.verdict = TemporalVerdict::Incomplete("the truth of some atoms is not known".to_owned());
                    }
                    Answer::Path(path) => {
                        report.verdict = TemporalVerdict::Violated;
                        let told = story::tell(self, body, expanded, &path, seen.letters, canonizer);
                        (report.trace, report.story) = (Some(told.0), told.1);
                    }
                    Answer::IllDefined(path, atom) => {
                        report.verdict = TemporalVerdict::IllDefined(expanded.formula.atoms.get(atom).to_string());
                        report.trace = Some(story::tell(self, body, expanded, &path, seen.letters, canonizer).0);
                    }
                }
            }
            Tree::Ctl(formula) => self.judge_branching(body, formula, seen, canonizer, report),
        }
    }

    fn judge_branching(
        &self,
        body: &Body,
        formula: &abridge_temporal::formula::Ctl,
        seen: Seen<'_>,
        canonizer: Option<&mut dyn Canonizer>,
        report: &mut TemporalReport,
    ) {
        let is_stopped = || self.is_stopped();
        report.verdict = self.nothing_found(seen.stored);
        if report.verdict != TemporalVerdict::Holds {
            return;
        }
        let graph = Branching::new(seen, &body.atoms, formula, &is_stopped);
        if let Some((state, atom)) = graph.undefined() {
            report.verdict = TemporalVerdict::IllDefined(formula.atoms.get(atom).to_string());
            report.trace = Some(story::path_to_state(self, state, canonizer));
            return;
        }
        let Ok(satisfied) = ctl::check(&graph, formula, &[]) else { return report.verdict = self.stopped() };
        let Some(wrong) = seen.stored.initial().iter().find(|state| !satisfied.holds(formula.root(), **state)) else {
            return;
        };
        report.verdict = TemporalVerdict::Violated;
        if let Ok(evidence) = ctl::evidence(&graph, formula, &satisfied, &[], *wrong) {
            report.trace = Some(story::branch(self, &graph, &evidence, canonizer));
        }
    }
}

fn first_error(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().find(|diagnostic| diagnostic.is_error()).map_or_else(String::new, |error| error.message.clone())
}

/// Steps of the machine, and what their marks mean.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'g> {
    pub(crate) stored: &'g StateGraph,
    pub(crate) letters: &'g [letters::Letter],
}
