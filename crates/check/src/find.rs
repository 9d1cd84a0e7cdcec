//! Search for a state that satisfies a predicate, breadth-first from some place.

use std::num::NonZero;
use std::sync::Mutex;

use abridge_diag::with_stack;
use abridge_eval::Error;
use abridge_explicit::{Execution, Explicit, ExplicitWorker, Place};
use abridge_model::PredId;
use abridge_search::{Config, Control, Strategy, explore};
use abridge_system::{
    Alike, Completeness, FindingKind, Gap, Layer, Origin, Pause, Properties, Steps, System as _, Worker as _,
    WorkerLayer,
};

use crate::report::limit_text;
use crate::trace::states_to;

/// The outcome of a search for a state.
pub enum Sought {
    /// The steps that lead there; none if it holds where the search began.
    Found(Vec<Execution>),
    /// No reachable state satisfies it.
    Nowhere,
    /// Not found, and not everything was visited.
    Stopped(String),
    /// Not found, but somewhere it could not be evaluated.
    Failed(Error),
}

fn search_config(properties: Properties, max_states: Option<u64>) -> Config {
    Config {
        strategy: Strategy::BreadthFirst,
        properties,
        deadlock: false,
        stop_at_first: max_states.is_none(),
        max_states,
        max_depth: None,
        max_findings: usize::from(max_states.is_none()),
        workers: NonZero::<usize>::MIN,
    }
}

/// Looks for a nearest state that satisfies a predicate.
pub fn find(system: &Explicit<'_>, from: &Place, pred: PredId, control: &mut dyn Control) -> Sought {
    let start = from.words(system);
    let seeker = Seeker { system, start: start.as_deref(), pred, failure: Mutex::default() };
    let asked = Properties { goal: true, ..Properties::default() };
    let exploration = with_stack(|| explore(&seeker, &search_config(asked, None), control));
    let found = exploration.findings.iter().find(|finding| finding.kind == FindingKind::Goal);
    if let Some(found) = found {
        let path = match states_to(system, &exploration.table, Some(found.state), &[], None) {
            Ok(path) => path,
            Err(error) => return Sought::Stopped(error.to_string()),
        };
        // With a start, the first state of the search is the start itself.
        let states = &path.states[usize::from(start.is_some())..];
        return match executions(system, start.as_deref(), states) {
            Some(executions) => Sought::Found(executions),
            None => Sought::Stopped("a step to it could not be found again by the plain interpreter".to_owned()),
        };
    }
    if let Some(error) = seeker.failure.into_inner().ok().flatten() {
        return Sought::Failed(error);
    }
    match exploration.limits.first() {
        Some(limit) => Sought::Stopped(limit_text(*limit)),
        None if exploration.is_ill_defined_at_root || !exploration.findings.is_empty() => {
            Sought::Stopped("some steps could not be evaluated".to_owned())
        }
        None => Sought::Nowhere,
    }
}

/// The executions through states that follow each other; nothing if one of them is not found again.
fn executions(system: &Explicit<'_>, start: Option<&[u32]>, states: &[Vec<u32>]) -> Option<Vec<Execution>> {
    let before = std::iter::once(start).chain(states.iter().map(|state| Some(state.as_slice())));
    before.zip(states).map(|(before, state)| system.execution_between(before, state)).collect()
}

/// The state with this number in breadth-first order, counted from 1; set-up states count.
pub fn nth_state(system: &Explicit<'_>, number: u64, control: &mut dyn Control) -> Option<Vec<u32>> {
    let index = number.checked_sub(1)?;
    let config = search_config(Properties::default(), Some(number));
    let exploration = with_stack(|| explore(system, &config, control));
    let index = u32::try_from(index).ok().filter(|_| index < exploration.table.len() as u64)?;
    exploration.table.get(index).ok()
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

impl<'m> Layer for Seeker<'_, 'm> {
    type Inner = Explicit<'m>;
    type Worker<'w>
        = SeekerWorker<'w>
    where
        Self: 'w;

    fn inner(&self) -> &Explicit<'m> {
        self.system
    }

    fn layer_worker(&self) -> SeekerWorker<'_> {
        SeekerWorker { worker: self.system.worker(), seeker: self }
    }
}

impl<'w> WorkerLayer for SeekerWorker<'w> {
    type Inner = ExplicitWorker<'w>;

    fn inner(&self) -> &ExplicitWorker<'w> {
        &self.worker
    }

    fn inner_mut(&mut self) -> &mut ExplicitWorker<'w> {
        &mut self.worker
    }

    fn layer_expand(
        &mut self,
        origin: Origin<'_>,
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness {
        if let (Origin::Root, Some(start)) = (origin, self.seeker.start) {
            out.push(0, 1, start);
            return Completeness::Whole;
        }
        let completeness = self.worker.expand(origin, alike, out, pause);
        // An operation that cannot be evaluated is not what is asked for, but its steps are missing.
        let is_ill_defined = out.take_ill_defined();
        completeness.and(is_ill_defined.then_some(Gap::Failed).into())
    }

    fn layer_inspect(
        &mut self,
        state: &[u32],
        _: Option<&[u32]>,
        _: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        if !matches!(Place::of_words(self.seeker.system, Some(state)), Place::Running(_)) {
            return Completeness::Whole;
        }
        match self.seeker.system.holds(self.seeker.pred, state) {
            Ok(true) => found(FindingKind::Goal),
            Ok(false) => {}
            Err(error) => {
                if let Ok(mut failure) = self.seeker.failure.lock() {
                    failure.get_or_insert(error);
                }
                return Completeness::Missing(Gap::Failed);
            }
        }
        Completeness::Whole
    }
}
