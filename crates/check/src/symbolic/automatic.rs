//! Choice of the engine: explicit, with the symbolic engine on trial now and then.
//!
//! The explicit search goes on to its end unless a trial has an answer before. Trials are made while the search waits, each with at least twice the time of the last one, and all together take a
//! fixed share of the time of the search. So the answer never comes later than with the explicit engine by more than this share, and with the symbolic engine it comes
//! after a fixed multiple of its own time at the latest.

use std::time::{Duration, Instant};

use abridge_diag::StopFlag;
use abridge_search::{Control, Progress};
use abridge_system::Limit;

use super::{run, temporal};
use crate::explorer::InMemory;
use crate::report::{Report, Verdict};
use crate::stack::EvaluatedSystem;
use crate::{Config, reduced};

/// States that the explicit engine visits before the symbolic one is tried.
const TRIAL_STATES: u64 = 200_000;
/// Share of the time of the explicit search that trials may take, in percent.
const TRIAL_PERCENT: u32 = 12;
/// Time of a trial, in that of the one before.
const TRIAL_GROWTH: u32 = 2;

/// Explores a system explicitly, unless the symbolic engine has an answer before.
pub(crate) fn automatic(system: &impl EvaluatedSystem, config: &Config, control: &mut dyn Control) -> Report {
    let is_trying = temporal::are_supported(config);
    let mut trials = SymbolicTrials {
        system,
        config,
        control,
        is_trying,
        start: Instant::now(),
        spent: Duration::ZERO,
        last: Duration::ZERO,
        answer: None,
    };
    let Ok(report) = reduced::run(system, config, InMemory(&mut trials));
    trials.answer.unwrap_or(report)
}

/// Tries the symbolic engine while an explicit search waits, and ends the search if that has an answer.
struct SymbolicTrials<'t, S> {
    system: &'t S,
    config: &'t Config,
    control: &'t mut dyn Control,
    /// The symbolic engine can answer what is asked.
    is_trying: bool,
    start: Instant,
    /// Time of all trials, and of the last one.
    spent: Duration,
    last: Duration,
    answer: Option<Report>,
}

impl<S: EvaluatedSystem> SymbolicTrials<'_, S> {
    /// Time for a trial now; nothing if it is too early.
    fn allowance(&self, progress: &Progress) -> Option<Duration> {
        if !self.is_trying || progress.states < TRIAL_STATES || progress.waiting == 0 || progress.is_settled {
            return None;
        }
        let share = self.start.elapsed().saturating_sub(self.spent) * TRIAL_PERCENT / 100;
        let allowance = share.saturating_sub(self.spent);
        (allowance >= self.last * TRIAL_GROWTH).then_some(allowance)
    }

    fn attempt(&mut self, allowance: Duration, bytes: u64) {
        let start = Instant::now();
        let end = start + allowance;
        let whole = self.config.stop.clone();
        let stop = StopFlag::probed(move || whole.is_raised() || Instant::now() >= end);
        let config = Config { stop, ..self.config.clone() };
        let mut control = TimedControl { control: &mut *self.control, end, bytes };
        let report = run(self.system, &config, &mut control);
        self.answer = report.filter(|report| report.verdict != Verdict::Incomplete);
        self.last = start.elapsed();
        self.spent += self.last;
    }
}

impl<S: EvaluatedSystem> Control for SymbolicTrials<'_, S> {
    fn poll(&mut self, progress: &Progress) -> Option<Limit> {
        let limit = self.control.poll(progress);
        if limit.is_none()
            && let Some(allowance) = self.allowance(progress)
        {
            self.attempt(allowance, progress.bytes.saturating_sub(self.system.bytes()));
        }
        limit.or(self.answer.is_some().then_some(Limit::Interrupted))
    }

    fn elapsed(&self) -> Option<Duration> {
        self.control.elapsed()
    }
}

/// The control of a trial: it ends in time, and the table of the waiting search counts as memory of the run.
struct TimedControl<'t> {
    control: &'t mut dyn Control,
    end: Instant,
    bytes: u64,
}

impl Control for TimedControl<'_> {
    fn poll(&mut self, progress: &Progress) -> Option<Limit> {
        let progress = Progress { bytes: progress.bytes + self.bytes, ..*progress };
        self.control.poll(&progress).or((Instant::now() >= self.end).then_some(Limit::Interrupted))
    }

    fn elapsed(&self) -> Option<Duration> {
        self.control.elapsed()
    }
}
