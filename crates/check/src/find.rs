//! Search for a state that passes a test, breadth-first from some state of any machine.

use std::num::NonZero;
use std::sync::Mutex;

use abridge_diag::with_stack;
use abridge_search::{Control, SearchConfig, Strategy, explore};
use abridge_system::{
    Alike, Completeness, FindingKind, Gap, Layer, Machine, Move, Origin, Pause, Properties, Steps, System, Worker,
    WorkerLayer,
};

use crate::report::limit_text;
use crate::trace::states_to;

/// The outcome of a search for a state.
pub enum Sought<F> {
    /// The steps that lead there; none if the state where the search began passes.
    Found(Vec<Move>),
    /// No reachable state passes.
    Nowhere,
    /// Not found, and not everything was visited.
    Stopped(String),
    /// Not found, but somewhere the test itself failed.
    Failed(F),
}

fn search_config(properties: Properties, max_states: Option<u64>) -> SearchConfig {
    SearchConfig {
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

/// Looks for a nearest state that passes `test`, from a state or the root. States that only set the machine up are not tested.
pub fn find<M: Machine, F: Send>(
    machine: &M,
    start: Option<&[u32]>,
    test: &(dyn Fn(&[u32]) -> Result<bool, F> + Sync),
    control: &mut dyn Control,
) -> Sought<F> {
    let seeker = Seeker { machine, start, test, failure: Mutex::default() };
    let asked = Properties { goal: true, ..Properties::default() };
    let exploration = with_stack(|| explore(&seeker, &search_config(asked, None), control));
    let found = exploration.findings.iter().find(|finding| finding.kind == FindingKind::Goal);
    if let Some(found) = found {
        let path = match states_to(machine, &exploration.table, Some(found.state), &[], None) {
            Ok(path) => path,
            Err(error) => return Sought::Stopped(error.to_string()),
        };
        // With a start, the first state of the search is the start itself.
        let states = &path.states[usize::from(start.is_some())..];
        return match moves(machine, start, states) {
            Some(moves) => Sought::Found(moves),
            None => Sought::Stopped("a step to it could not be found again by the plain interpreter".to_owned()),
        };
    }
    if let Some(failure) = seeker.failure.into_inner().ok().flatten() {
        return Sought::Failed(failure);
    }
    match exploration.limits.first() {
        Some(limit) => Sought::Stopped(limit_text(*limit)),
        None if exploration.is_ill_defined_at_root || !exploration.findings.is_empty() => {
            Sought::Stopped("some steps could not be evaluated".to_owned())
        }
        None => Sought::Nowhere,
    }
}

/// The moves through states that follow each other; nothing if one of them is not found again.
fn moves(machine: &impl Machine, start: Option<&[u32]>, states: &[Vec<u32>]) -> Option<Vec<Move>> {
    let befores = std::iter::once(start).chain(states.iter().map(|state| Some(state.as_slice())));
    let step = |(before, state): (Option<&[u32]>, &Vec<u32>)| {
        machine.move_to(before.map_or(Origin::Root, Origin::State), state)
    };
    befores.zip(states).map(step).collect()
}

/// The state with this number in breadth-first order, counted from 1; set-up states count.
pub fn nth_state(system: &impl System, number: u64, control: &mut dyn Control) -> Option<Vec<u32>> {
    let index = number.checked_sub(1)?;
    let config = search_config(Properties::default(), Some(number));
    let exploration = with_stack(|| explore(system, &config, control));
    let index = u32::try_from(index).ok().filter(|_| index < exploration.table.len() as u64)?;
    exploration.table.get(index).ok()
}

/// The machine with another start and another goal.
struct Seeker<'a, M, F> {
    machine: &'a M,
    start: Option<&'a [u32]>,
    test: &'a (dyn Fn(&[u32]) -> Result<bool, F> + Sync),
    /// The first failure of the test.
    failure: Mutex<Option<F>>,
}

struct SeekerWorker<'w, M: System + 'w, F> {
    worker: M::Worker<'w>,
    seeker: &'w Seeker<'w, M, F>,
}

impl<M: Machine, F: Send> Layer for Seeker<'_, M, F> {
    type Inner = M;
    type Worker<'w>
        = SeekerWorker<'w, M, F>
    where
        Self: 'w;

    fn inner(&self) -> &M {
        self.machine
    }

    fn layer_worker(&self) -> SeekerWorker<'_, M, F> {
        SeekerWorker { worker: self.machine.worker(), seeker: self }
    }
}

impl<'w, M: Machine, F: Send> WorkerLayer for SeekerWorker<'w, M, F> {
    type Inner = M::Worker<'w>;

    fn inner(&self) -> &M::Worker<'w> {
        &self.worker
    }

    fn inner_mut(&mut self) -> &mut M::Worker<'w> {
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
        if !self.seeker.machine.is_running(Origin::State(state)) {
            return Completeness::Whole;
        }
        match (self.seeker.test)(state) {
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
