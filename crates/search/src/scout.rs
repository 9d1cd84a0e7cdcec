//! Scout: random walks ahead of the search, from states of the frontier.
//!
//! Breadth-first search finds nothing beyond the levels that it reaches, and with very many set-ups, initial states or steps it does not reach
//! far. So a small share of a long run goes to random walks. Walks change neither the table nor the order of states. Their findings count only
//! if the search ends early: an exhaustive search finds them too. The times of walks are the only part of a search that depends on the clock;
//! without a clock there are no walks.

use std::ops::ControlFlow;
use std::time::Duration;

use abridge_store::StateTable;
use abridge_system::{FindingKind, Steps, System, Worker};
use abridge_value::Random;

use crate::explore::{Control, SearchConfig};

/// Time of the first walks.
const FIRST_WALKS_AFTER: Duration = Duration::from_millis(500);
/// Walks take 1/64 of the time elapsed so far. The next walks are due when the elapsed time has doubled.
const TIME_DIVISOR: u32 = 64;
/// Largest number of consecutive walks, also if the clock stands still.
const MAX_WALKS: usize = 512;
/// Largest length of a walk.
pub(crate) const WALK_STEPS: usize = 128;
/// Length of a walk from a state that is close to the root, if the search ends at the first finding: a trace of set-up and initialisation is nearly the shortest there is.
pub(crate) const FIRST_WALK_STEPS: usize = 2;
/// Steps of one state between two looks at the clock; a power of two.
const STEPS_PER_LOOK: usize = 64;
/// Steps that a walk takes even if its time is over.
const MIN_WALK_STEPS: usize = 3;

/// Finding of a random walk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scouted {
    pub kind: FindingKind,
    /// Number of the state where the walk began; `None` for the root.
    pub from: Option<u32>,
    /// States of the walk after `from`. The last is the state of the finding.
    pub path: Vec<Vec<u32>>,
}

/// First state of a walk.
pub(crate) struct WalkStart {
    /// Number in the table of the state or, if it is a new one, of the state before it; `None` for the root.
    pub(crate) number: Option<u32>,
    /// The state is not in the table and has not been inspected: it is the first of the path.
    pub(crate) is_new: bool,
    pub(crate) words: Vec<u32>,
}

impl WalkStart {
    /// Random state among those numbered from `first` on.
    pub(crate) fn waiting(table: &StateTable, first: u32, random: &mut Random) -> Option<WalkStart> {
        let n_waiting = (table.len() as u64).checked_sub(u64::from(first)).filter(|waiting| *waiting > 0)?;
        let number = first + random.below(n_waiting as usize) as u32;
        Some(WalkStart { number: Some(number), is_new: false, words: table.get(number).ok()? })
    }
}

/// Schedule, worker and findings of the walks.
pub(crate) struct Scout<'s, S: System> {
    system: &'s S,
    /// Worker and buffer, made at the first walk.
    scratch: Option<(S::Worker<'s>, Steps)>,
    random: Random,
    /// Time of the next walks; `None` if there are to be none.
    due: Option<Duration>,
    pub(crate) found: Vec<Scouted>,
}

impl<'s, S: System> Scout<'s, S> {
    pub(crate) fn new(system: &'s S, config: &SearchConfig) -> Self {
        // With a limit on states or depth, exactly the states within it are to be examined.
        let is_counted = config.max_depth.is_some() || config.max_states.is_some();
        let due = (system.may_look_ahead() && !is_counted).then_some(FIRST_WALKS_AFTER);
        Scout { system, scratch: None, random: Random::new(1), due, found: Vec::new() }
    }

    pub(crate) fn is_due(&self, control: &dyn Control) -> bool {
        self.due.zip(control.elapsed()).is_some_and(|(due, elapsed)| elapsed >= due)
    }

    /// Makes walks of at most `length` steps from states that `start` picks, until their share of the time is used.
    pub(crate) fn look(
        &mut self,
        config: &SearchConfig,
        length: usize,
        control: &dyn Control,
        start: &mut dyn FnMut(&mut Random) -> Option<WalkStart>,
    ) {
        let Some(begin) = control.elapsed() else { return };
        let end = begin + begin / TIME_DIVISOR;
        let is_over = || control.elapsed().is_none_or(|elapsed| elapsed >= end);
        for _ in 0..MAX_WALKS {
            let Some(start) = start(&mut self.random) else { break };
            self.walk(config, start, length, &is_over);
            if is_over() || is_done(config, &self.found) {
                break;
            }
        }
        self.due = control.elapsed().map(|elapsed| elapsed * 2);
    }

    /// Makes walks from the newest step out of a state whose steps are still being found. Ends the list if a finding is enough.
    pub(crate) fn look_within(
        &mut self,
        config: &SearchConfig,
        state: u32,
        steps: &Steps,
        control: &dyn Control,
    ) -> ControlFlow<()> {
        let n_known = self.found.len();
        let newest = steps.last().filter(|_| steps.len().is_multiple_of(STEPS_PER_LOOK) && self.is_due(control));
        if let Some(words) = newest.map(|step| step.target.to_vec()) {
            let length = if config.stop_at_first { FIRST_WALK_STEPS } else { WALK_STEPS };
            let mut start = |_: &mut _| Some(WalkStart { number: Some(state), is_new: true, words: words.clone() });
            self.look(config, length, control, &mut start);
        }
        let is_enough = config.stop_at_first && self.found.len() > n_known;
        if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Makes a walk. It ends at a finding that is enough: the steps of such a state may take all the time and memory that is left.
    fn walk(&mut self, config: &SearchConfig, start: WalkStart, length: usize, is_over: &dyn Fn() -> bool) {
        let Scout { system, scratch, random, found, .. } = self;
        let (worker, steps) = scratch.get_or_insert_with(|| (system.worker(), Steps::new(system.width())));
        let WalkStart { number, is_new, words: mut state } = start;
        let mut path = Vec::new();
        let note = |found: &mut Vec<Scouted>, kind: FindingKind, path: &[Vec<u32>]| {
            if !found.iter().any(|other| other.kind == kind) {
                found.push(Scouted { kind, from: number, path: path.to_vec() });
            }
        };
        if is_new {
            path.push(state.clone());
            // A walk proves nothing, so its completeness does not matter.
            let _ = worker.inspect(&state, None, config.properties, &mut |kind| note(found, kind, &path));
        }
        for n_steps in 0..length {
            if is_done(config, found) || n_steps >= MIN_WALK_STEPS && is_over() {
                return;
            }
            steps.clear();
            let completeness = worker.successors(&state, steps);
            steps.ill_defined().iter().for_each(|operation| note(found, FindingKind::IllDefined(*operation), &path));
            if config.deadlock && steps.is_deadlock(completeness) {
                note(found, FindingKind::Deadlock, &path);
            }
            if steps.is_empty() {
                return;
            }
            let target = steps.get(random.below(steps.len())).target;
            path.push(target.to_vec());
            let _ = worker.inspect(target, Some(&state), config.properties, &mut |kind| note(found, kind, &path));
            state.clear();
            state.extend_from_slice(target);
        }
    }
}

/// Whether one finding was asked for, and is there.
fn is_done(config: &SearchConfig, found: &[Scouted]) -> bool {
    config.stop_at_first && !found.is_empty()
}
