//! Partial order reduction of a run: its method, and the trials that decide whether it begins.
//!
//! Left to itself ([`PorMode::Auto`]), a check begins without it. When that has gone on for a while, a part of the time spent so far is
//! given to the analysis and to a trial on some states: a small share by the clock, if there is one. If the trial promises much, the search
//! starts anew with the reduction; otherwise it goes on as if nothing had happened, and there is another trial, which goes on from the
//! answers of this one, when it has gone on much longer. A trial that more effort would not change is the last.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use abridge_deps::{AnalysisDepth, Answers, AskedErrors, Dependence, Outline, Resources};
use abridge_diag::with_stack;
use abridge_explicit::judge;
use abridge_model::Model;
use abridge_model_system::ModelSystem;
use abridge_reduce::{Analysed as _, Paths, Por, Selected, SelectionRule, source_of};
use abridge_search::{Exploration, SearchConfig, explore};
use abridge_system::{AnySystem, Limit, Origin, Steps, System as _, Worker as _};

use crate::explorer::{Explorer, Watched, Watcher};
use crate::{Config, Control, Progress, stack};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PorMode {
    Off,
    /// When a search takes long and a trial promises much.
    Auto,
    /// By what operations read and write, element by element.
    Syntactic,
    /// Also by what a SAT solver says about all states.
    Semantic,
    /// The same with ample sets instead of stubborn sets, for comparison.
    Ample,
}

/// Conflicts until the solver gives up on a question.
const TRIAL_CONFLICTS: u64 = 2_000;
const MAX_CONFLICTS: u64 = 20_000;
/// Questions of a run, hard ones and the translation counting more: some seconds of work.
pub(crate) const MAX_EFFORT: u64 = 60_000;
/// States before the first trial, and how much later the next one is.
const FIRST_TRIAL_STATES: u64 = 20_000;
const TRIAL_GROWTH: u64 = 3;
/// The part of the time so far that a trial may take: together they take an eighth of it, unless they promise something.
const TIME_SHARE: u32 = 12;
/// The same while all that was seen so far promises much, and how much later the next trial is then, as a fraction: together they take at most three
/// eighths of the time until the search starts anew.
const HOPEFUL_TIME_SHARE: u32 = 8;
/// Trials in a row that may end before they have seen anything: they go on from each other's answers.
const MAX_BLIND_TRIALS: u32 = 8;
const HOPEFUL_TRIAL_GROWTH: (u64, u64) = (3, 2);
/// Trials have taken at most one part in so many of the time so far when another one begins. A trial may take longer than its share, since circuits are
/// built in one go.
const MIN_TIME_BETWEEN_TRIALS: u32 = 4;
/// A trial in less time than this says nothing, and comes a bit later.
const MIN_TRIAL_TIME: Duration = Duration::from_millis(3);
const RETRY_GROWTH: u64 = 2;
/// A question takes about as long as so many states.
const STATES_PER_QUESTION: u64 = 20;
/// States that a trial looks at.
const SAMPLE_STATES: usize = 400;

/// How to reduce; nothing if steps must not be left out.
pub(crate) fn settings(system: &impl ModelSystem, config: &Config) -> Option<Por> {
    // Which steps are tried under a cap depends on which states are visited, and another order of steps may leave the scope.
    if config.system.max_operations.is_some() || config.system.max_initialisations.is_some() || system.has_scope() {
        return None;
    }
    let (depth, max_setups) = match config.por {
        PorMode::Off => return None,
        PorMode::Auto => (AnalysisDepth::Semantic { conflicts: TRIAL_CONFLICTS }, 8),
        PorMode::Syntactic => (AnalysisDepth::Syntactic, 256),
        PorMode::Semantic | PorMode::Ample => (AnalysisDepth::Semantic { conflicts: MAX_CONFLICTS }, 256),
    };
    let asked = AskedErrors {
        deadlock: config.deadlock,
        invariant: config.invariant,
        assertions: config.assertions,
        goal: config.goal,
    };
    let rule = if config.por == PorMode::Ample { SelectionRule::Ample } else { SelectionRule::Stubborn };
    Some(Por { rule, depth, asked, max_setups, verified_length: config.check_por })
}

/// Watches a search without reduction and ends it if one with reduction seems better.
pub(crate) struct PorTrial<'t, S> {
    pub(crate) control: &'t mut dyn Control,
    pub(crate) system: &'t S,
    pub(crate) por: Por,
    /// Formulas about paths are asked for.
    paths: Option<&'t Paths>,
    /// What one trial finds out, the next one need not.
    pub(crate) answers: Arc<Answers>,
    /// States before the next trial; nothing if another one would not say more.
    pub(crate) next: Option<u64>,
    /// The last trial was not finished, but what it saw promised much.
    is_hopeful: bool,
    /// Trials in a row that saw nothing.
    n_blind: u32,
    /// Time that all trials have taken.
    spent: Duration,
    /// The search is to start anew.
    pub(crate) is_promising: bool,
}

impl<'t, S: ModelSystem> PorTrial<'t, S> {
    pub(crate) fn new(
        control: &'t mut dyn Control,
        system: &'t S,
        por: Por,
        paths: Option<&'t Paths>,
        answers: Arc<Answers>,
    ) -> Self {
        PorTrial {
            control,
            system,
            por,
            paths,
            answers,
            next: Some(FIRST_TRIAL_STATES),
            is_hopeful: true,
            n_blind: 0,
            spent: Duration::ZERO,
            is_promising: false,
        }
    }

    /// What the analysis may use after so many states: a share of the time, if there is a clock; nothing if that is not worth while.
    fn resources(&self, n_states: u64) -> Option<Resources> {
        let resources = Resources::new(self.answers.clone(), n_states / STATES_PER_QUESTION);
        let stop = self.system.judge().stop();
        let Some(elapsed) = self.control.elapsed() else { return Some(resources.ended_by(move || stop.is_raised())) };
        let share = if self.is_hopeful { HOPEFUL_TIME_SHARE } else { TIME_SHARE };
        let (start, time) = (Instant::now(), elapsed / share);
        (time >= MIN_TRIAL_TIME).then(|| resources.ended_by(move || stop.is_raised() || start.elapsed() >= time))
    }

    /// Looks whether a reduction promises much.
    fn try_out(&mut self, n_states: u64) {
        let Some(resources) = self.resources(n_states) else {
            self.next = Some(n_states * RETRY_GROWTH);
            return;
        };
        let selected = Selected::new(self.system, self.por, resources);
        let sample = match self.paths {
            Some(paths) => selected.along(paths).sample(SAMPLE_STATES),
            None => selected.sample(SAMPLE_STATES),
        };
        // Fewer steps by a quarter at least, else what each state costs outweighs it.
        let is_good = sample.taken * 4 < sample.steps * 3;
        self.is_promising = !sample.is_exhausted && is_good;
        self.n_blind = if sample.steps == 0 { self.n_blind + 1 } else { 0 };
        self.is_hopeful = is_good || sample.steps == 0 && self.n_blind <= MAX_BLIND_TRIALS;
        let (times, of) = if self.is_hopeful { HOPEFUL_TRIAL_GROWTH } else { (TRIAL_GROWTH, 1) };
        self.next = sample.may_improve.then_some(n_states * times / of);
    }
}

impl<S: ModelSystem> Control for PorTrial<'_, S> {
    fn poll(&mut self, progress: &Progress) -> Option<Limit> {
        let answer = self.control.poll(progress);
        let is_affordable = || self.elapsed().is_none_or(|elapsed| self.spent * MIN_TIME_BETWEEN_TRIALS <= elapsed);
        let is_due = self.next.is_some_and(|next| progress.states >= next) && is_affordable();
        if answer.is_some() || !is_due || progress.is_settled || progress.waiting == 0 {
            return answer;
        }
        let start = Instant::now();
        self.try_out(progress.states);
        self.spent += start.elapsed();
        self.is_promising.then_some(Limit::Interrupted)
    }

    fn elapsed(&self) -> Option<Duration> {
        self.control.elapsed()
    }
}

impl<S: ModelSystem> Explorer for PorTrial<'_, S> {
    type Refusal = Infallible;

    fn explore(
        &mut self,
        system: AnySystem<'_>,
        search: &SearchConfig,
        watcher: &mut dyn Watcher,
    ) -> Result<Exploration, Infallible> {
        Ok(explore(system, search, &mut Watched(self, watcher)))
    }

    fn control(&mut self) -> &mut dyn Control {
        self
    }

    fn may_restart(&self) -> bool {
        true
    }

    fn is_abandoned(&self) -> bool {
        self.is_promising
    }

    fn forget_saved(&mut self) {}
}

/// What the analysis found out about a machine.
#[derive(Clone, Debug)]
pub struct PorAnalysis {
    /// Operations with the values of their parameters, or as a whole.
    pub instances: Vec<String>,
    /// What a search may have to report.
    pub errors: Vec<String>,
    pub may_deadlock: bool,
    pub dependences: Vec<Dependence>,
    /// Which instances can enable which others, by position.
    pub enabling: Vec<(usize, usize)>,
    pub outline: Outline,
}

/// Analyses the operations of a machine under the first constants that there are; nothing if there are none or it is beyond analysis.
pub fn analyse_dependences(model: &Model, config: &Config) -> Option<PorAnalysis> {
    with_stack(|| analyse_dependences_inner(model, config))
}

fn analyse_dependences_inner(model: &Model, config: &Config) -> Option<PorAnalysis> {
    let system = stack::system_of(judge(model, config.eval.clone()), config.system.clone());
    let por = settings(&system, &Config { por: PorMode::Semantic, ..config.clone() })?;
    let mut steps = Steps::new(system.width());
    // One valuation is enough.
    let _ = system.worker().expand(Origin::Root, None, &mut steps, &mut |_| ControlFlow::Break(()));
    let words = steps.iter().next()?.target.to_vec();
    let dependencies =
        system.analyse(&words, (por.asked, &[]), por.depth, &Resources::new(config.answers.clone(), MAX_EFFORT))?;
    let name = |node| dependencies.name(model, system.operation_ids(), node);
    Some(PorAnalysis {
        instances: (0..dependencies.n_instances()).map(name).collect(),
        errors: dependencies.errors().map(name).collect(),
        may_deadlock: dependencies.may_deadlock(),
        dependences: dependencies.dependences(&source_of(&system)),
        enabling: dependencies.enabling(),
        outline: dependencies.outline(),
    })
}
