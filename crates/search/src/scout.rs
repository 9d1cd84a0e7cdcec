//! Look-ahead: random walks from states of the frontier.
//!
//! Breadth-first search finds nothing in states that it does not come to, and where there are very many set-ups, initial states or steps it
//! does not come far. So a small share of a long run goes to walks. They leave the table and the order of states alone: what they find
//! matters only if the search ends before it gets there itself, and a search that visits everything finds what they can find. When there is
//! time for a walk is the only thing in a search that depends on the clock; without one there are no walks.

use std::time::Duration;

use abridge_store::StateTable;
use abridge_system::{FindingKind, Steps, System, Worker};
use abridge_value::Random;

use crate::explore::{Config, Control};

/// When the first walks are made.
const FIRST_WALKS_AFTER: Duration = Duration::from_millis(500);
/// The part of the time so far that walks take when they are made; the time until they are made again doubles.
const TIME_DIVISOR: u32 = 64;
/// Walks that are made one after the other, even if the clock stands still.
const MAX_WALKS: usize = 512;
/// Steps of a walk.
pub(crate) const WALK_STEPS: usize = 128;
/// Steps of a walk that are taken whatever the time.
const MIN_WALK_STEPS: usize = 3;

/// Something found ahead of the search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scouted {
    pub kind: FindingKind,
    /// A state of the table from which the walk went; nothing for the root.
    pub from: Option<u32>,
    /// The states of the walk behind that one, up to the one it is about.
    pub path: Vec<Vec<u32>>,
}

/// Where a walk begins.
pub(crate) struct Start {
    /// The number of the state, if it has one: then it has been inspected.
    pub(crate) number: Option<u32>,
    pub(crate) words: Vec<u32>,
}

impl Start {
    /// One of the states of a table from `first` on.
    pub(crate) fn waiting(table: &StateTable, first: u32, random: &mut Random) -> Option<Start> {
        let n_waiting = (table.len() as u64).checked_sub(u64::from(first)).filter(|waiting| *waiting > 0)?;
        let number = first + random.below(n_waiting as usize) as u32;
        Some(Start { number: Some(number), words: table.get(number).ok()? })
    }
}

pub(crate) struct Scout<'s, S: System> {
    system: &'s S,
    /// Worker and buffer, once they are needed.
    scratch: Option<(S::Worker<'s>, Steps)>,
    random: Random,
    /// When walks are made next; nothing if never.
    due: Option<Duration>,
    pub(crate) found: Vec<Scouted>,
}

impl<'s, S: System> Scout<'s, S> {
    pub(crate) fn new(system: &'s S, config: &Config) -> Self {
        // Whoever counts states or steps wants these and no others.
        let is_counted = config.max_depth.is_some() || config.max_states.is_some();
        let due = (system.may_look_ahead() && !is_counted).then_some(FIRST_WALKS_AFTER);
        Scout { system, scratch: None, random: Random::new(1), due, found: Vec::new() }
    }

    pub(crate) fn is_due(&self, control: &dyn Control) -> bool {
        self.due.zip(control.elapsed()).is_some_and(|(due, elapsed)| elapsed >= due)
    }

    /// Makes some walks of a length from where `start` says, as long as there is time.
    pub(crate) fn look(
        &mut self,
        config: &Config,
        length: usize,
        control: &dyn Control,
        start: &mut dyn FnMut(&mut Random) -> Option<Start>,
    ) {
        let Some(begin) = control.elapsed() else { return };
        let end = begin + begin / TIME_DIVISOR;
        let is_over = || control.elapsed().is_none_or(|elapsed| elapsed >= end);
        for _ in 0..MAX_WALKS {
            let Some(start) = start(&mut self.random) else { break };
            self.walk(config, start, length, &is_over);
            if is_over() {
                break;
            }
        }
        self.due = control.elapsed().map(|elapsed| elapsed * 2);
    }

    fn walk(&mut self, config: &Config, start: Start, length: usize, is_over: &dyn Fn() -> bool) {
        let Scout { system, scratch, random, found, .. } = self;
        let (worker, steps) = scratch.get_or_insert_with(|| (system.worker(), Steps::new(system.width())));
        let Start { number, words: mut state } = start;
        let mut path = Vec::new();
        let mut note = |kind: FindingKind, path: &[Vec<u32>]| {
            if !found.iter().any(|other| other.kind == kind) {
                found.push(Scouted { kind, from: number, path: path.to_vec() });
            }
        };
        if number.is_none() {
            path.push(state.clone());
            // A walk proves nothing, so what it could not find out matters to nobody.
            let _ = worker.inspect(&state, None, config.properties, &mut |kind| note(kind, &path));
        }
        for n_steps in 0..length {
            if n_steps >= MIN_WALK_STEPS && is_over() {
                return;
            }
            steps.clear();
            let completeness = worker.successors(&state, steps);
            steps.ill_defined().iter().for_each(|operation| note(FindingKind::IllDefined(*operation), &path));
            if config.deadlock && steps.is_deadlock(completeness) {
                note(FindingKind::Deadlock, &path);
            }
            if steps.is_empty() {
                return;
            }
            let target = steps.get(random.below(steps.len())).target;
            path.push(target.to_vec());
            let _ = worker.inspect(target, Some(&state), config.properties, &mut |kind| note(kind, &path));
            state.clear();
            state.extend_from_slice(target);
        }
    }
}
