//! Temporal properties of a B machine: from a finished search to a verdict for each formula.
//!
//! `prepare.rs` reads the formulas, `letters.rs` computes which atoms hold where, `graph.rs` joins both with the stored steps, and `story.rs` finds the
//! path of a violation again with the judge. The theory is in the crate `temporal`.

pub(crate) mod atoms;
mod branching;
mod evidence;
mod graph;
mod history;
mod idle;
mod letters;
mod observe;
mod on_demand;
mod prepare;
mod restricted;
mod story;
mod turns;

use abridge_diag::Diagnostic;
use abridge_eval::Val;
use abridge_model::Logic;
use abridge_model_system::ModelSystem;
use abridge_reduce::Paths;
use abridge_reduce::symmetry::{Canonizer, Group, Permutation};
use abridge_search::{Control, Exploration, StateGraph, Strategy};
use abridge_store::{NO_PARENT, StateTable};
use abridge_system::{AnySystem, Limit, Origin, Steps, System as _, Worker as _};
use abridge_temporal::emptiness::{PathAnswer, Suspicion, find_violation, has_violation};
use abridge_temporal::{GaveUp, ctl};

use crate::explorer::Watcher;
use crate::{Config, Trace, limit_text};

pub use evidence::{Branch, BranchShown, BranchingStory};
pub use history::{HistoryRow, along_history};
pub use prepare::{FormulaSource, LowerTexts, Prepared, PreparedFormula, formulas_of, prepare};
pub use story::{Story, StoryEnd, StoryRow};

pub(crate) use idle::LinearProperties;
pub(crate) use letters::Lettered;
pub(crate) use restricted::{needs_permutations, restrictions};

use branching::Decided;
use graph::Lettering;
use letters::StepLetter;
use prepare::PreparedBody;

pub(crate) use prepare::FormulaTree;

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
    /// Why the formula is violated, or holds if a path shows that; for CTL only.
    pub evidence: Option<BranchingStory>,
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

/// Judges the formulas of a run: in passing whenever the number of visited states has doubled, so that violations are found early and in
/// spaces without end, and when the search is over.
pub(crate) struct Temporal<'s, S> {
    system: &'s S,
    /// The machine with letters, and whatever lies around it.
    steps: AnySystem<'s>,
    lettered: &'s Lettered<'s, S>,
    config: &'s Config,
    /// States to be expanded fully, if some steps are left out.
    paths: Option<&'s Paths>,
    properties: &'s LinearProperties,
    /// Violations that were found in passing.
    found: Vec<Option<PathAnswer>>,
    /// The same for formulas of branching time.
    decided: Vec<Option<Decided>>,
    /// So many states must be expanded before the next look.
    next_look: u32,
    /// All steps of the states of the present look, where some were left out.
    all_steps: Option<StateGraph>,
}

/// States of the first look.
const FIRST_LOOK_STATES: u32 = 1 << 10;

impl<'s, S: ModelSystem> Temporal<'s, S> {
    pub(crate) fn new(
        system: &'s S,
        steps: AnySystem<'s>,
        lettered: &'s Lettered<'s, S>,
        config: &'s Config,
        (properties, paths): (&'s LinearProperties, Option<&'s Paths>),
    ) -> Self {
        let n_formulas = config.formulas.formulas.len();
        Temporal {
            system,
            steps,
            lettered,
            config,
            paths,
            properties,
            found: vec![None; n_formulas],
            decided: (0..n_formulas).map(|_| None).collect(),
            next_look: FIRST_LOOK_STATES,
            all_steps: None,
        }
    }

    /// There is a formula to judge.
    pub(crate) fn is_needed(&self) -> bool {
        self.config.formulas.formulas.iter().any(|formula| formula.body.is_some())
    }

    /// Violations of all formulas were found.
    fn are_all_known(&self) -> bool {
        let formulas = &self.config.formulas.formulas;
        let is_known = |number: usize| {
            self.found[number].is_some() || self.decided[number].is_some() || formulas[number].body.is_none()
        };
        (0..formulas.len()).all(is_known)
    }

    /// Paths are to be followed depth-first. Where steps are left out, their cycles are checked on the stored graph.
    pub(crate) fn is_on_the_fly(&self) -> bool {
        self.config.strategy == Strategy::DepthFirst && self.paths.is_none() && self.is_needed()
    }

    /// Where steps are left out, notes what must not be left out the next time because steps may be put off for ever along a cycle; the answer
    /// says so, if there is such a cycle.
    fn ignored(&self, stored: &StateGraph, exploration: &Exploration) -> Option<String> {
        let paths = self.paths?;
        let closing = stored.cycles_of_putting_off();
        let mut worker = self.steps.worker();
        let mut steps = Steps::new(self.steps.width());
        for (source, target) in &closing {
            let (Ok(source), Ok(target)) = (exploration.table.get(*source), exploration.table.get(*target)) else {
                continue;
            };
            if !paths.is_impatient() {
                paths.add(&target);
                continue;
            }
            steps.clear();
            // What is missing is taken care of when the step is met again.
            let _ = worker.successors(&source, &mut steps);
            steps.iter().filter(|step| step.target == target).for_each(|step| paths.close(step.operation));
        }
        paths.end_round();
        (!closing.is_empty()).then(|| "partial order reduction may postpone a step for ever".to_owned())
    }

    /// Where paths begin. Either all steps out of the root are set-ups, or none is.
    fn starts(&self, table: &StateTable, stored: &StateGraph) -> PathStarts {
        let n_first = (0..table.len() as u32).take_while(|state| table.parent(*state) == NO_PARENT).count() as u32;
        if n_first == 0 {
            return PathStarts { n_setups: 0, initial: Vec::new() };
        }
        let first = table.get(0).unwrap_or_default();
        if self.system.is_running(Origin::State(&first)) {
            return PathStarts { n_setups: 0, initial: (0..n_first).collect() };
        }
        let mut initial = Vec::new();
        let mut reader = stored.reader();
        for state in 0..n_first.min(stored.n_states()) {
            reader.steps(state, &mut |_, target| initial.push(target));
        }
        initial.sort_unstable();
        initial.dedup();
        PathStarts { n_setups: n_first, initial }
    }

    /// Looks for violations of a formula of linear time in what is stored. Where steps were left out and there is one, all steps are computed for the sake of its path.
    fn answer(
        &mut self,
        formula: usize,
        seen: MarkedSteps<'_>,
        table: &StateTable,
        control: &mut dyn Control,
    ) -> Option<Result<PathAnswer, GaveUp>> {
        let config = self.config;
        let body = config.formulas.formulas[formula].body.as_ref()?;
        let property = match self.properties.of_formula(formula)? {
            Ok(property) => property,
            Err(error) => return Some(Err(*error)),
        };
        let lettered = self.lettered;
        let is_stopped = || config.stop.is_raised();
        let turned = |turn: u32, instance: u32| lettered.turned_instance(turn, instance);
        let turned: Option<&Turned> = lettered.group().is_some().then_some(&turned);
        let seen = MarkedSteps { turned, ..seen };
        let graph = Lettering::new(seen, table.len(), &body.atoms, &is_stopped);
        let answer = if lettered.leaves_out() {
            let states = seen.starts.n_setups..seen.stored.n_states();
            match has_violation(&graph, property, states) {
                Suspicion::None => PathAnswer::None,
                Suspicion::Unknown => PathAnswer::Unknown,
                Suspicion::Stopped => PathAnswer::Stopped,
                Suspicion::Violation => self.in_all_steps(seen, table, control, |seen| {
                    find_violation(&Lettering::new(seen, table.len(), &body.atoms, &is_stopped), property)
                }),
            }
        } else {
            find_violation(&graph, property)
        };
        Some(Ok(if seen.stored.has_failed() { PathAnswer::Stopped } else { answer }))
    }

    /// Looks for a path among all steps of the states whose steps are stored in part.
    fn in_all_steps(
        &mut self,
        seen: MarkedSteps<'_>,
        table: &StateTable,
        control: &mut dyn Control,
        find: impl FnOnce(MarkedSteps<'_>) -> PathAnswer,
    ) -> PathAnswer {
        let (steps, n_states) = (self.steps, seen.stored.n_states());
        let known = self.all_steps.take().filter(|all| all.n_states() == n_states);
        let all = known.map_or_else(
            || self.lettered.with_all_steps(|| StateGraph::of_table(&steps, (table, n_states), control)),
            Ok,
        );
        let Ok(all) = all else { return PathAnswer::Stopped };
        let letters = self.lettered.letters();
        let answer = find(MarkedSteps { stored: &all, letters: &letters, ..seen });
        self.all_steps = Some(all);
        answer
    }

    /// Looks for violations of all formulas of linear time at the end of a search.
    fn answers(
        &mut self,
        seen: MarkedSteps<'_>,
        table: &StateTable,
        control: &mut dyn Control,
    ) -> Vec<Option<Result<PathAnswer, GaveUp>>> {
        let answers = (0..self.found.len()).map(|formula| match self.found[formula].take() {
            Some(found) => Some(Ok(found)),
            None => self.answer(formula, seen, table, control),
        });
        answers.collect()
    }

    /// Judges a formula of branching time at the end of a search. What a search with fewer steps says counts only if it is complete.
    fn decide(
        &self,
        body: &PreparedBody,
        seen: MarkedSteps<'_>,
        searched: &Searched<'_, S>,
    ) -> Result<Decided, ctl::Stopped> {
        let FormulaTree::Ctl(branching) = &body.tree else { return Ok(Decided::Open) };
        if self.paths.is_some() && searched.nothing_found(seen.stored) != TemporalVerdict::Holds {
            return Ok(Decided::Open);
        }
        let lettered = self.lettered;
        let turned = |turn: u32, instance: u32| lettered.turned_instance(turn, instance);
        let n_states = searched.exploration.table.len();
        branching::decide(branching, &body.atoms, (seen, n_states), &turned, self.config)
    }

    /// Judges a formula of branching time in passing; nothing unless it is violated, whatever follows. Steps that a reduction left out do not follow.
    fn decided_so_far(&self, formula: usize, seen: MarkedSteps<'_>, n_states: usize) -> Option<Decided> {
        let body = self.config.formulas.formulas[formula].body.as_ref()?;
        let FormulaTree::Ctl(branching) = &body.tree else { return None };
        if self.paths.is_some() {
            return None;
        }
        let lettered = self.lettered;
        let turned = |turn: u32, instance: u32| lettered.turned_instance(turn, instance);
        let decided = branching::decide(branching, &body.atoms, (seen, n_states), &turned, self.config);
        decided.ok().filter(Decided::is_final)
    }

    /// Judges all formulas at the end of a search. `limits` say why that is not about everything.
    pub(crate) fn judge(
        mut self,
        exploration: &Exploration,
        limits: &[String],
        mut canonizer: Option<&mut dyn Canonizer>,
        control: &mut dyn Control,
    ) -> Vec<TemporalReport> {
        let config = self.config;
        let prepared = &config.formulas;
        // Breadth-first search has stored the steps.
        let is_stored = !self.is_needed() || exploration.steps.n_states() == exploration.n_expanded;
        let built = match is_stored {
            true => Ok(StateGraph::default()),
            false => StateGraph::of_table(&self.steps, (&exploration.table, exploration.table.len() as u32), control),
        };
        let stored = if is_stored { &exploration.steps } else { built.as_ref().unwrap_or(&exploration.steps) };
        let starts = self.starts(&exploration.table, stored);
        let ignored = if built.is_ok() { self.ignored(stored, exploration) } else { None };
        let limits = if ignored.is_none() { limits } else { ignored.as_slice() };
        let (lettered, letters) = (self.lettered, self.lettered.letters());
        let has_turns = lettered.group().is_some();
        let seen = MarkedSteps {
            stored,
            starts: &starts,
            letters: &letters,
            stutters: config.stutters,
            turned: None,
            has_turns,
        };
        let answers = match &built {
            Ok(_) => self.answers(seen, &exploration.table, control),
            Err(_) => self.found.iter_mut().map(|found| found.take().map(Ok)).collect(),
        };
        // Paths may have letters that no stored step has.
        let letters = lettered.letters();
        let seen = MarkedSteps { letters: &letters, ..seen };
        let instance = |operation: u32, params: Vec<Val>| lettered.instance(operation, params);
        let images = |turn: u32| lettered.images(turn);
        let turning = lettered.group().map(|group| Turning { group, images: &images });
        let mut reports = Vec::new();
        for ((number, formula), answer) in prepared.formulas.iter().enumerate().zip(answers) {
            let canonizer = canonizer.as_mut().map(|canonizer| &mut **canonizer as &mut dyn Canonizer);
            let mut report = TemporalReport {
                name: formula.source.name.clone(),
                logic: formula.source.logic,
                formula: formula.source.text.clone(),
                verdict: TemporalVerdict::Holds,
                trace: None,
                story: None,
                evidence: None,
                diagnostics: formula.diagnostics.clone(),
            };
            let searched = Searched { system: self.system, exploration, config, instance: &instance, turning, limits };
            match (&formula.body, answer, &built) {
                (None, ..) => report.verdict = TemporalVerdict::Error(first_error(&formula.diagnostics)),
                (Some(body), Some(answer), _) => searched.tell(body, answer, seen, canonizer, &mut report),
                (Some(_), None, Err(limit)) => report.verdict = TemporalVerdict::Incomplete(searched.why(*limit)),
                (Some(body), None, Ok(_)) => {
                    let decided = match self.decided[number].take() {
                        Some(decided) => Ok(decided),
                        None => self.decide(body, seen, &searched),
                    };
                    searched.tell_branching(body, decided, seen, canonizer, &mut report);
                }
            }
            reports.push(report);
        }
        reports
    }
}

impl<S: ModelSystem> Watcher for Temporal<'_, S> {
    fn needs_steps(&self) -> bool {
        true
    }

    fn is_enough(&mut self, table: &StateTable, steps: &StateGraph, control: &mut dyn Control) -> bool {
        if steps.n_states() < self.next_look {
            return false;
        }
        self.next_look = steps.n_states().saturating_mul(2);
        let (letters, starts) = (self.lettered.letters(), self.starts(table, steps));
        let has_turns = self.lettered.group().is_some();
        let seen = MarkedSteps {
            stored: steps,
            starts: &starts,
            letters: &letters,
            stutters: self.config.stutters,
            turned: None,
            has_turns,
        };
        for formula in 0..self.found.len() {
            if self.found[formula].is_some() || self.decided[formula].is_some() {
                continue;
            }
            self.decided[formula] = self.decided_so_far(formula, seen, table.len());
            // A look that does not come to its end finds nothing; the search itself notices the limit.
            if let Some(Ok(answer @ (PathAnswer::Path(_) | PathAnswer::IllDefined(..)))) =
                self.answer(formula, seen, table, control)
            {
                self.found[formula] = Some(answer);
            }
        }
        self.all_steps = None;
        // Other formulas go on, and so does whatever is asked about states if all of it is asked for.
        !self.config.find_all && self.are_all_known()
    }
}

/// A search that is over, and how to tell what it means.
pub(crate) struct Searched<'s, S> {
    pub(crate) system: &'s S,
    pub(crate) exploration: &'s Exploration,
    pub(crate) config: &'s Config,
    /// The number of an operation with its arguments, as letters have it.
    instance: &'s dyn Fn(u32, Vec<Val>) -> u32,
    /// Instances are followed through a quotient.
    turning: Option<Turning<'s>>,
    /// Why the search is not about everything.
    limits: &'s [String],
}

/// The group of a quotient, and its permutations by number.
#[derive(Clone, Copy)]
pub(crate) struct Turning<'s> {
    group: &'s Group,
    images: &'s dyn Fn(u32) -> Permutation,
}

impl<S: ModelSystem> Searched<'_, S> {
    fn why(&self, limit: Limit) -> String {
        if self.exploration.steps.has_failed() {
            return "a file with steps could not be read".to_owned();
        }
        self.config.stopped_for.get().map_or_else(|| limit_text(limit), |why| limit_text(*why))
    }

    fn stopped(&self) -> TemporalVerdict {
        TemporalVerdict::Incomplete(self.why(Limit::Interrupted))
    }

    /// The verdict where no violation was found.
    fn nothing_found(&self, stored: &StateGraph) -> TemporalVerdict {
        if let Some(limit) = self.limits.first() {
            return TemporalVerdict::Incomplete(limit.clone());
        }
        if self.exploration.table.is_empty() {
            return TemporalVerdict::Incomplete("there is no initial state".to_owned());
        }
        if stored.n_states() as usize != self.exploration.table.len() {
            return TemporalVerdict::Incomplete("the search ended before all states were visited".to_owned());
        }
        match stored.gap() {
            Some(gap) => TemporalVerdict::Incomplete(limit_text(Limit::Missing(gap))),
            None => TemporalVerdict::Holds,
        }
    }

    /// The report about a formula of linear time.
    fn tell(
        &self,
        body: &PreparedBody,
        answer: Result<PathAnswer, GaveUp>,
        seen: MarkedSteps<'_>,
        canonizer: Option<&mut dyn Canonizer>,
        report: &mut TemporalReport,
    ) {
        let FormulaTree::Ltl(expanded) = &body.tree else { return };
        report.verdict = match answer {
            Err(GaveUp::TooLarge) => {
                TemporalVerdict::Incomplete("the automaton of the formula is too large".to_owned())
            }
            Err(GaveUp::Stopped) | Ok(PathAnswer::Stopped) => self.stopped(),
            Ok(PathAnswer::None) => self.nothing_found(seen.stored),
            Ok(PathAnswer::Unknown) => TemporalVerdict::Incomplete("the truth of some atoms is not known".to_owned()),
            Ok(PathAnswer::Path(path)) => {
                let told = story::tell(self, body, expanded, &path, seen.letters, canonizer);
                (report.trace, report.story) = (Some(told.0), told.1);
                TemporalVerdict::Violated
            }
            Ok(PathAnswer::IllDefined(path, atom)) => {
                report.trace = Some(story::tell(self, body, expanded, &path, seen.letters, canonizer).0);
                TemporalVerdict::IllDefined(expanded.formula.atoms.get(atom).to_string())
            }
        };
    }

    /// The report about a formula of branching time.
    fn tell_branching(
        &self,
        body: &PreparedBody,
        decided: Result<Decided, ctl::Stopped>,
        seen: MarkedSteps<'_>,
        canonizer: Option<&mut dyn Canonizer>,
        report: &mut TemporalReport,
    ) {
        let FormulaTree::Ctl(branching) = &body.tree else { return };
        let known = self.nothing_found(seen.stored);
        report.verdict = match decided {
            Err(ctl::Stopped) => self.stopped(),
            Ok(Decided::IllDefined(state, atom)) => {
                report.trace = Some(story::path_to_state(self, state, canonizer));
                TemporalVerdict::IllDefined(branching.formula.atoms.get(atom).to_string())
            }
            Ok(Decided::False(evidence)) => {
                let told = evidence.map(|evidence| evidence::tell(self, body, seen, &evidence, canonizer));
                (report.evidence, report.trace) = told.map_or((None, None), |(tree, trace)| (tree, Some(trace)));
                TemporalVerdict::Violated
            }
            Ok(Decided::True(evidence)) if known == TemporalVerdict::Holds => {
                report.evidence =
                    evidence.and_then(|evidence| evidence::tell(self, body, seen, &evidence, canonizer).0);
                known
            }
            Ok(Decided::Open) if known == TemporalVerdict::Holds => {
                TemporalVerdict::Incomplete("the truth of some atoms is not known".to_owned())
            }
            Ok(Decided::True(_) | Decided::Open) => known,
        };
    }
}

pub(crate) fn first_error(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().find(|diagnostic| diagnostic.is_error()).map_or_else(String::new, |error| error.message.clone())
}

/// Steps of the machine, and what their marks mean.
#[derive(Clone, Copy)]
pub(crate) struct MarkedSteps<'g> {
    pub(crate) stored: &'g StateGraph,
    pub(crate) starts: &'g PathStarts,
    pub(crate) letters: &'g [StepLetter],
    /// Paths stay for ever where nothing is enabled.
    pub(crate) stutters: bool,
    /// The number of an instance after a permutation, in a quotient with permutations on its steps.
    pub(crate) turned: Option<&'g Turned<'g>>,
    /// Steps carry permutations.
    pub(crate) has_turns: bool,
}

pub(crate) type Turned<'g> = dyn Fn(u32, u32) -> u32 + Sync + 'g;

/// Where paths begin.
pub(crate) struct PathStarts {
    /// States before this one have constants only, and no path goes through them.
    pub(crate) n_setups: u32,
    /// Initial states in ascending order.
    pub(crate) initial: Vec<u32>,
}
