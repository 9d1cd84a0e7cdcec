//! Looking for a state that satisfies a predicate, breadth-first from some place.

use std::num::NonZero;
use std::sync::Mutex;

use abridge_eval::Error;
use abridge_explicit::{Explicit, ExplicitWorker};
use abridge_model::PredId;
use abridge_search::{Control, Strategy, explore};
use abridge_system::{FindingKind, Properties, Steps, System, Worker};

use crate::report::limit_text;
use crate::trace::path;
use crate::walk::{Move, Place};

/// What a search for a state yields.
pub enum Sought {
    /// The moves that lead there; none if it holds where the search began.
    Found(Vec<Move>),
    /// No reachable state satisfies it.
    Nowhere,
    /// Not found, and not everything was visited.
    Stopped(String),
    /// Not found, but somewhere it could not be evaluated.
    Failed(Error),
}

/// Looks for a nearest state that satisfies a predicate.
pub fn find(system: &Explicit<'_>, from: &Place, pred: PredId, control: &mut dyn Control) -> Sought {
    let start = from.words(system);
    let seeker = Seeker { system, start: start.as_deref(), pred, failure: Mutex::default() };
    let config = abridge_search::Config {
        strategy: Strategy::BreadthFirst,
        properties: Properties { invariant: false, assertions: false, goal: true },
        deadlock: false,
        stop_at_first: true,
        max_states: None,
        max_depth: None,
        max_findings: 1,
        workers: NonZero::<usize>::MIN,
    };
    let exploration = explore(&seeker, &config, control);
    let found = exploration.findings.iter().find(|finding| finding.kind == FindingKind::Goal);
    if let Some(found) = found {
        return match path(system, &exploration.table, found.state, start.as_deref()) {
            Ok(moves) => Sought::Found(moves),
            Err(error) => Sought::Stopped(error.to_string()),
        };
    }
    if let Some(error) = seeker.failure.into_inner().ok().flatten() {
        return Sought::Failed(error);
    }
    match exploration.limits.first() {
        Some(limit) => Sought::Stopped(limit_text(*limit)),
        None if exploration.findings.is_empty() => Sought::Nowhere,
        None => Sought::Stopped("some steps could not be evaluated".to_owned()),
    }
}

/// The state with this number in breadth-first order, counted from 1; set-up states count.
pub fn nth_state(system: &Explicit<'_>, number: u64, control: &mut dyn Control) -> Option<Place> {
    let config = abridge_search::Config {
        strategy: Strategy::BreadthFirst,
        properties: Properties { invariant: false, assertions: false, goal: false },
        deadlock: false,
        stop_at_first: false,
        max_states: Some(number),
        max_depth: None,
        max_findings: 0,
        workers: NonZero::<usize>::MIN,
    };
    let index = number.checked_sub(1)?;
    let exploration = explore(system, &config, control);
    let index = u32::try_from(index).ok().filter(|_| index < exploration.table.len() as u64)?;
    Some(Place::of_words(system, &exploration.table.get(index).ok()?))
}

/// The system with another start and another goal.
struct Seeker<'a, 'm> {
    system: &'a Explicit<'m>,
    start: Option<&'a [u32]>,
    pred: PredId,
    /// The first error that was met.
    failure: Mutex<Option<Error>>,
}

struct SeekerWorker<'w> {
    worker: ExplicitWorker<'w>,
    seeker: &'w Seeker<'w, 'w>,
}

impl<'m> System for Seeker<'_, 'm> {
    type Worker<'w>
        = SeekerWorker<'w>
    where
        Self: 'w;

    fn width(&self) -> usize {
        self.system.width()
    }

    fn worker(&self) -> SeekerWorker<'_> {
        SeekerWorker { worker: self.system.worker(), seeker: self }
    }

    fn tidy(&self, n_states: u64) -> usize {
        self.system.tidy(n_states)
    }

    fn tidy_part(&self) {
        self.system.tidy_part();
    }

    fn bytes(&self) -> u64 {
        self.system.bytes()
    }
}

impl Worker for SeekerWorker<'_> {
    fn initial(&mut self, out: &mut Steps) {
        match self.seeker.start {
            Some(start) => out.push(0, 1, start),
            None => self.worker.initial(out),
        }
    }

    fn successors(&mut self, state: &[u32], out: &mut Steps) {
        self.worker.successors(state, out);
        // What cannot be evaluated is not what is asked for.
        out.is_ill_defined = false;
    }

    fn inspect(&mut self, state: &[u32], _: Option<&[u32]>, _: Properties, found: &mut dyn FnMut(FindingKind)) {
        if !matches!(Place::of_words(self.seeker.system, state), Place::Running(_)) {
            return;
        }
        match self.seeker.system.holds(self.seeker.pred, state) {
            Ok(true) => found(FindingKind::Goal),
            Ok(false) => {}
            Err(error) => {
                if let Ok(mut failure) = self.seeker.failure.lock() {
                    failure.get_or_insert(error);
                }
            }
        }
    }
}
