//! Trial: evaluation by memos and by circuits in turns, until one is known to be faster.
//!
//! The unit is the block of the search: its time, over the number of states that workers were asked about. Circuits are compiled when memos have taken
//! some time, and if that takes too long, again when they have taken much more. Their first blocks fill their tables, since the states that wait were found by memos, and do not count. If they are much faster than memos were before, that decides; otherwise both are measured
//! in turns. A wrong decision costs time and never a result.

use std::time::{Duration, Instant};

/// Time of a search after which circuits are compiled.
const MIN_TRIAL_TIME: Duration = Duration::from_millis(20);
/// States of a search after which circuits are compiled.
const MIN_TRIAL_STATES: u64 = 4_096;
/// Time for compiling at first, and its growth to the next attempt. Later it may take one part in so many of the time of the search.
const MIN_COMPILE_TIME: Duration = Duration::from_millis(500);
const COMPILE_GROWTH: u32 = 4;
const COMPILE_DIVISOR: u32 = 4;
/// States of the first turn of each way, and those that each must have been asked about if neither is clearly faster in it.
const FIRST_TURN_STATES: u64 = 4_096;
const MIN_JUDGED_STATES: u64 = 16_384;
/// A way that takes no more than one part in so many of the time of the other is clearly faster.
const MIN_EARLY_SPEEDUP: f64 = 1.4;
/// States that fill tables, at most.
const MAX_WARMING_STATES: u64 = 8_192;
/// States that circuits must have been asked about to be judged by the time of memos before.
const MIN_FIRST_JUDGED_STATES: u64 = 2_048;
/// Circuits that take no more than one part in so many of the time of memos before are kept without further turns. Memos become faster as they
/// fill, so the factor is large.
const MIN_CLEAR_SPEEDUP: f64 = 3.0;
/// Circuits must save one part in so many.
const MIN_SAVED_PART: u32 = 20;

/// The stage of a trial.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Stage {
    /// The search is short so far, or has no blocks of states.
    #[default]
    Waiting,
    /// Blocks with circuits fill their tables, with so many states more.
    Warming {
        n_left: u64,
    },
    /// Circuits are compared with the memos before.
    First,
    /// Ways are measured in turns; the present one is by circuits or not.
    Measuring {
        is_on: bool,
    },
    Settled {
        is_on: bool,
    },
}

/// Time for a number of states.
#[derive(Clone, Copy, Default)]
struct Spent {
    time: Duration,
    n_states: u64,
}

impl Spent {
    fn add(&mut self, time: Duration, n_states: u64) {
        self.time += time;
        self.n_states += n_states;
    }

    fn per_state(self) -> f64 {
        self.time.as_secs_f64() / self.n_states.max(1) as f64
    }
}

/// The end of an attempt to compile circuits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CompileOutcome {
    Promising,
    Useless,
    /// There was not enough time.
    Late,
}

/// Decides between two ways of evaluation.
#[derive(Default)]
pub(crate) struct Trial {
    stage: Stage,
    last: Option<Instant>,
    /// Time of the search before the trial, and states that memos were asked about.
    waited: Duration,
    n_asked: u64,
    /// The latest blocks before the trial.
    before: Spent,
    /// Blocks of the trial, without and with circuits.
    spent: [Spent; 2],
    /// What became of the last attempt to compile, and the time that it could take.
    compiled: Option<CompileOutcome>,
    allowed: Duration,
    has_ended: bool,
}

impl Trial {
    /// Takes note of a block, which had so many states, and says whether the next one is evaluated by circuits. `begin` compiles them in some time.
    pub(crate) fn next(
        &mut self,
        n_states: u64,
        n_asked: u64,
        now: Instant,
        begin: impl FnOnce(Duration) -> CompileOutcome,
    ) -> bool {
        let elapsed = self.last.map_or(Duration::ZERO, |last| now.duration_since(last));
        self.last = Some(now);
        match self.stage {
            Stage::Waiting => self.wait(n_states, (elapsed, n_asked), begin),
            Stage::Warming { n_left } if n_asked == 0 || n_left > n_asked => {
                self.stage = Stage::Warming { n_left: n_left - n_asked };
            }
            Stage::Warming { .. } => self.stage = Stage::First,
            Stage::First => {
                self.spent[1].add(elapsed, n_asked);
                if self.spent[1].n_states >= MIN_FIRST_JUDGED_STATES {
                    let is_clear = self.spent[1].per_state() * MIN_CLEAR_SPEEDUP <= self.before.per_state();
                    self.stage =
                        if is_clear { Stage::Settled { is_on: true } } else { Stage::Measuring { is_on: true } };
                }
            }
            Stage::Measuring { is_on } => {
                self.spent[usize::from(is_on)].add(elapsed, n_asked);
                self.stage = self.after(is_on);
            }
            Stage::Settled { .. } => {}
        }
        match self.stage {
            Stage::Waiting => false,
            Stage::Warming { .. } | Stage::First => true,
            Stage::Measuring { is_on } | Stage::Settled { is_on } => is_on,
        }
    }

    /// Whether nothing is to be measured any more, or nothing can be: true once after circuits were compiled.
    pub(crate) fn has_just_ended(&mut self) -> bool {
        let is_over = match self.stage {
            Stage::Settled { .. } => true,
            Stage::Waiting => self.compiled == Some(CompileOutcome::Promising),
            Stage::Warming { .. } | Stage::First | Stage::Measuring { .. } => false,
        };
        is_over && !std::mem::replace(&mut self.has_ended, is_over)
    }

    fn wait(
        &mut self,
        n_states: u64,
        (elapsed, n_asked): (Duration, u64),
        begin: impl FnOnce(Duration) -> CompileOutcome,
    ) {
        self.waited += elapsed;
        self.n_asked += n_asked;
        if self.before.n_states >= MIN_FIRST_JUDGED_STATES {
            self.before = Spent::default();
        }
        if n_asked > 0 {
            self.before.add(elapsed, n_asked);
        }
        if n_states < MIN_TRIAL_STATES || self.waited < MIN_TRIAL_TIME {
            return;
        }
        if self.compiled != Some(CompileOutcome::Promising) {
            let allowance = MIN_COMPILE_TIME.max(self.waited / COMPILE_DIVISOR);
            if allowance < self.allowed * COMPILE_GROWTH {
                return;
            }
            self.allowed = allowance;
            self.compiled = Some(begin(allowance));
            // What compiling took is no part of a block.
            self.last = None;
        }
        let n_left = n_states.saturating_sub(self.n_asked).min(MAX_WARMING_STATES);
        match self.compiled {
            Some(CompileOutcome::Promising) if self.before.n_states > 0 => self.stage = Stage::Warming { n_left },
            Some(CompileOutcome::Useless) => self.stage = Stage::Settled { is_on: false },
            _ => {}
        }
    }

    fn after(&self, was_on: bool) -> Stage {
        let [without, with] = self.spent;
        let least = without.n_states.min(with.n_states);
        let [slower, faster] = [f64::max, f64::min].map(|choose| choose(without.per_state(), with.per_state()));
        let is_clear = least >= FIRST_TURN_STATES && faster * MIN_EARLY_SPEEDUP <= slower;
        if least < MIN_JUDGED_STATES && !is_clear {
            let turn = if least < FIRST_TURN_STATES { FIRST_TURN_STATES } else { MIN_JUDGED_STATES };
            // A way goes on to the end of its turn.
            let has_ended = self.spent[usize::from(was_on)].n_states >= turn;
            return Stage::Measuring { is_on: was_on != has_ended };
        }
        let limit = without.per_state() * (1.0 - 1.0 / f64::from(MIN_SAVED_PART));
        Stage::Settled { is_on: with.per_state() < limit }
    }

    /// The result in words, if there is something to tell.
    pub(crate) fn verdict(&self) -> Option<String> {
        match self.stage {
            Stage::Settled { is_on: false } if self.compiled == Some(CompileOutcome::Promising) => {
                let [without, with] = self.spent.map(|spent| spent.per_state() * 1e9);
                Some(format!("circuits took {with:.0} ns for each state, memos {without:.0} ns"))
            }
            Stage::Waiting if self.compiled == Some(CompileOutcome::Promising) => {
                Some("no states were there to be evaluated together".to_owned())
            }
            Stage::Waiting if self.compiled == Some(CompileOutcome::Late) => {
                Some(format!("circuits were not compiled within {} ms", self.allowed.as_millis()))
            }
            Stage::Waiting => Some("the search was short".to_owned()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CompileOutcome, Trial};
    use std::time::{Duration, Instant};

    #[test]
    fn compiling_that_takes_too_long_is_tried_again_with_more_time() {
        let (mut trial, start) = (Trial::default(), Instant::now());
        let mut attempts = Vec::new();
        // Blocks of a tenth of a second each.
        for block in 0..400 {
            let now = start + Duration::from_millis(100) * block;
            let is_on = trial.next(10_000, 1_000, now, |allowance| {
                attempts.push((block, allowance.as_millis()));
                CompileOutcome::Late
            });
            assert!(!is_on);
        }
        assert_eq!(attempts, [(1, 500), (81, 2000), (322, 8000)]);
        assert_eq!(trial.verdict(), Some("circuits were not compiled within 8000 ms".to_owned()));
    }
}
