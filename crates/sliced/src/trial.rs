//! Trial: evaluation by memos and by circuits in turns, until one is known to be faster.
//!
//! The unit is the block of the search: its time, over the number of states that workers were asked about. The first block with circuits fills their
//! tables and does not count. A wrong decision costs time and never a result.

use std::time::{Duration, Instant};

/// States of a search after which circuits are compiled.
const MIN_TRIAL_STATES: u64 = 20_000;
/// States that each way must have been asked about.
const MIN_JUDGED_STATES: u64 = 16_384;
/// Circuits must save one part in so many.
const MIN_SAVED_PART: u32 = 20;

/// The stage of a trial.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Stage {
    /// There are few states.
    #[default]
    Waiting,
    /// Blocks with circuits fill their tables.
    Warming,
    /// Ways are measured in turns; the present one is by circuits or not.
    Measuring {
        is_on: bool,
    },
    Settled {
        is_on: bool,
    },
}

/// Decides between two ways of evaluation.
#[derive(Default)]
pub(crate) struct Trial {
    stage: Stage,
    last: Option<Instant>,
    /// Time and states without and with circuits.
    spent: [(Duration, u64); 2],
    is_refused: bool,
}

impl Trial {
    /// Takes note of a block, which had so many states, and says whether the next one is evaluated by circuits. `begin` compiles them, and says
    /// whether they are worth a trial.
    pub(crate) fn next(&mut self, n_states: u64, n_asked: u64, now: Instant, begin: impl FnOnce() -> bool) -> bool {
        let elapsed = self.last.map_or(Duration::ZERO, |last| now.duration_since(last));
        self.last = Some(now);
        match self.stage {
            Stage::Waiting if n_states < MIN_TRIAL_STATES => {}
            Stage::Waiting => {
                let is_on = begin();
                self.is_refused = !is_on;
                self.stage = if is_on { Stage::Warming } else { Stage::Settled { is_on: false } };
                // What compiling took is no part of a block.
                self.last = None;
            }
            Stage::Warming if n_asked == 0 => {}
            Stage::Warming => self.stage = Stage::Measuring { is_on: true },
            Stage::Measuring { is_on } => {
                let (time, n_judged) = &mut self.spent[usize::from(is_on)];
                *time += elapsed;
                *n_judged += n_asked;
                self.stage = self.after(is_on);
            }
            Stage::Settled { .. } => {}
        }
        match self.stage {
            Stage::Waiting => false,
            Stage::Warming => true,
            Stage::Measuring { is_on } | Stage::Settled { is_on } => is_on,
        }
    }

    fn after(&self, was_on: bool) -> Stage {
        let [(without, n_without), (with, n_with)] = self.spent;
        if n_without.min(n_with) < MIN_JUDGED_STATES {
            // A way goes on until it has been judged.
            return Stage::Measuring {
                is_on: if self.spent[usize::from(was_on)].1 < MIN_JUDGED_STATES { was_on } else { !was_on },
            };
        }
        let per_state = |time: Duration, n_states: u64| time.as_secs_f64() / n_states as f64;
        let limit = per_state(without, n_without) * (1.0 - 1.0 / f64::from(MIN_SAVED_PART));
        Stage::Settled { is_on: per_state(with, n_with) < limit }
    }

    /// The result in words, if there is something to tell.
    pub(crate) fn verdict(&self) -> Option<String> {
        let [(without, n_without), (with, n_with)] = self.spent;
        match self.stage {
            Stage::Settled { is_on: false } if !self.is_refused => {
                let nanoseconds = |time: Duration, n_states: u64| time.as_nanos() / u128::from(n_states.max(1));
                let (with, without) = (nanoseconds(with, n_with), nanoseconds(without, n_without));
                Some(format!("circuits took {with} ns for each state, memos {without} ns"))
            }
            Stage::Waiting => Some("the search was short".to_owned()),
            _ => None,
        }
    }
}
