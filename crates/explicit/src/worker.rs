//! Workers: expansion and inspection of states by one thread.
//!
//! A worker holds handles of the shared memos, and buffers of its own. A step omitted silently would make verdicts wrong, so every method that
//! lists steps returns their completeness.

mod alike;
mod by_orbit;
mod conditions;
mod fast;
mod inspect;
mod labelled;
mod outcomes;
mod perform;
mod transform;

pub use transform::ExplicitTransformer;

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use abridge_eval::{State, Val};
use abridge_model_system::{INITIALISATION, ModelSystem as _, SETUP};
use abridge_system::{
    Ahead, Alike, Completeness, FindingKind, Gap, Origin, Pause, Properties, Question, Steps, System, Worker,
};

use rustc_hash::FxHashSet;

use crate::memo::PrefetchBuffer;
use crate::system::{Explicit, lock};
use inspect::{InspectedState, Inspector};
use outcomes::DistinctRows;
use perform::{Performer, StateExpansion, WorkerBuffers};

/// Memory that memos may always take.
const MEMO_BASE_BYTES: u64 = 48 << 20;
/// Additional memory for memos per visited state.
const MEMO_BYTES_PER_STATE: u64 = 1;

impl System for Explicit<'_> {
    type Worker<'a>
        = ExplicitWorker<'a>
    where
        Self: 'a;

    fn width(&self) -> usize {
        1 + self.variables.len()
    }

    fn worker(&self) -> ExplicitWorker<'_> {
        ExplicitWorker::new(self)
    }

    fn tidy(&self, n_states: u64) -> usize {
        let allowed =
            (MEMO_BASE_BYTES + n_states * MEMO_BYTES_PER_STATE).min(self.config.memo_bytes.unwrap_or(u64::MAX));
        let mut room = allowed.saturating_sub(self.memo_bytes());
        self.lists.allow(room > 0);
        let mut moves = lock(&self.moves);
        let n_changed = self.memos().filter(|memo| memo.tidy(&mut room, &mut moves)).count();
        if n_changed > 0 {
            self.epoch.fetch_add(1, Ordering::Release);
        }
        moves.len()
    }

    fn open_properties(&self, asked: Properties) -> Properties {
        // States with other constants may violate what was proved for these.
        let Some(proved) = self.proved().filter(|_| self.constants.len() == 1) else { return asked };
        Properties {
            invariant: asked.invariant && !self.invariant.are_proved(&proved),
            assertions: asked.assertions && !self.assertions.are_proved(&proved),
            ..asked
        }
    }

    fn tidy_part(&self) {
        let next = lock(&self.moves).pop();
        if let Some(part) = next {
            part.run(&self.lists);
        }
    }

    fn may_look_ahead(&self) -> bool {
        // States outside the scope are counted when they are expanded, so expanding them ahead would change the count.
        !self.has_scope()
    }

    fn bytes(&self) -> u64 {
        self.memo_bytes() + self.value_bytes()
    }

    fn save(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()> {
        self.save_tables(marks, sink)
    }

    fn save_notes(&self) -> Vec<u8> {
        self.notes_bytes()
    }

    fn is_state(&self, words: &[u32]) -> bool {
        self.are_known(words)
    }

    fn restore(&self, marks: &[u64], source: &mut dyn io::Read, notes: &[u8]) -> io::Result<()> {
        self.restore_tables(marks, source)?;
        self.restore_notes(notes).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

pub struct ExplicitWorker<'a> {
    pub(crate) system: &'a Explicit<'a>,
    pub(crate) operations: Vec<Performer<'a>>,
    invariant: Inspector<'a>,
    assertions: Inspector<'a>,
    goal: Inspector<'a>,
    propositions: Inspector<'a>,
    scope: Inspector<'a>,
    pub(crate) buffers: WorkerBuffers<'a>,
    target: Vec<u32>,
    buffer: PrefetchBuffer,
    /// Value of [`Explicit::epoch`] at the last refresh of the handles.
    epoch: u32,
}

impl<'a> ExplicitWorker<'a> {
    pub(crate) fn new(system: &'a Explicit<'a>) -> Self {
        ExplicitWorker {
            system,
            operations: system.operation_memos.iter().map(|operation| Performer::new(system, operation)).collect(),
            invariant: Inspector::new(&system.invariant),
            assertions: Inspector::new(&system.assertions),
            goal: Inspector::new(&system.goal),
            propositions: Inspector::new(&system.propositions),
            scope: Inspector::new(&system.scope),
            buffers: WorkerBuffers::new(system),
            target: Vec::new(),
            buffer: PrefetchBuffer::default(),
            epoch: 0,
        }
    }

    pub(crate) fn refresh(&mut self) {
        let epoch = self.system.epoch.load(Ordering::Acquire);
        if epoch != self.epoch {
            self.epoch = epoch;
            self.operations.iter_mut().for_each(Performer::refresh);
            self.buffers.verdicts.refresh();
            let inspectors = [&mut self.invariant, &mut self.assertions, &mut self.goal, &mut self.propositions];
            let proved = self.system.proved();
            inspectors.into_iter().chain([&mut self.scope]).for_each(|inspector| inspector.refresh(proved.as_deref()));
        }
    }

    fn setup(&mut self, out: &mut Steps, pause: &mut Pause<'_>) -> Completeness {
        let system = self.system;
        let session = system.interp.session();
        let mut seen = FxHashSet::default();
        let (mut failure, mut capped) = (None, None);
        let classes = system.classes.get().map(|classes| &**classes);
        session.setup_with(&system.pinned, classes, &mut |state| match state {
            Ok(state) => {
                if system.config.max_initialisations.is_some_and(|max| seen.len() >= max) {
                    capped = Some(Gap::Capped);
                    return ControlFlow::Break(());
                }
                system.encode(&state, false, &mut self.target);
                if seen.insert(self.target[0]) {
                    let count = classes.map_or(1, |classes| classes.size(&values(&state)));
                    out.push(SETUP, count, &self.target);
                }
                pause(out)
            }
            Err(error) => {
                if error.is_violation() {
                    out.push_ill_defined(SETUP);
                }
                failure = Some(error);
                ControlFlow::Continue(())
            }
        });
        capped.max(system.note(&session, "the constants", failure)).into()
    }

    /// Adds one initial state per orbit; `false` if that is not possible.
    fn initialise_by_orbit(&mut self, constants: &State, alike: &dyn Alike, out: &mut Steps) -> bool {
        let system = self.system;
        let Some(shape) = system.initial_fixed_sets.as_ref().filter(|_| system.config.max_initialisations.is_none())
        else {
            return false;
        };
        let stabiliser = shape.movable(&system.stabiliser(alike));
        if stabiliser.is_empty() {
            return false;
        }
        let session = system.interp.session();
        let states = system.fragments.as_ref().and_then(|it| it.initialise_by_orbit(&session, constants, &stabiliser));
        let Some(states) = states else { return false };
        for (state, number) in states {
            system.encode(&state, true, &mut self.target);
            out.push(INITIALISATION, number, &self.target);
        }
        true
    }

    fn initialise(&mut self, constants: &State, out: &mut Steps, pause: &mut Pause<'_>) -> Completeness {
        let system = self.system;
        let session = system.interp.session();
        let (mut failure, mut capped) = (None, None);
        let mut seen = DistinctRows::default();
        session.initialise_repeatedly(constants, &mut |state| match state {
            Ok(state) => {
                system.encode(&state, true, &mut self.target);
                if seen.contains(&self.target) {
                    return ControlFlow::Continue(());
                }
                if system.config.max_initialisations.is_some_and(|max| seen.len() >= max) {
                    capped = Some(Gap::Capped);
                    return ControlFlow::Break(());
                }
                seen.insert(&self.target);
                out.push(INITIALISATION, 1, &self.target);
                pause(out)
            }
            Err(error) => {
                if error.is_violation() {
                    out.push_ill_defined(INITIALISATION);
                }
                failure = Some(error);
                ControlFlow::Continue(())
            }
        });
        capped.max(system.note(&session, "the initialisation", failure)).into()
    }
}

impl Drop for ExplicitWorker<'_> {
    fn drop(&mut self) {
        if !self.system.config.profile {
            return;
        }
        let mut profile = lock(&self.system.profile);
        self.operations.iter().map(Performer::cost).for_each(|(what, cost)| profile.add(what, cost));
        let inspectors = [&self.invariant, &self.assertions, &self.goal, &self.propositions];
        inspectors.into_iter().flat_map(Inspector::costs).for_each(|(what, cost)| profile.add(what, cost));
    }
}

/// Selects the inspectors (of invariant, assertions, goal, propositions) for the requested properties.
fn asked_of<'i, 'a>(
    asked: Properties,
    inspectors: [&'i mut Inspector<'a>; 4],
) -> impl Iterator<Item = &'i mut Inspector<'a>> {
    let is_asked = [asked.invariant, asked.assertions, asked.goal, asked.propositions];
    inspectors.into_iter().zip(is_asked).filter_map(|(inspector, is_asked)| is_asked.then_some(inspector))
}

/// Values of the constants.
fn values(state: &State) -> Vec<Val> {
    state.constants.iter().flatten().cloned().collect()
}

impl Worker for ExplicitWorker<'_> {
    fn expand(
        &mut self,
        origin: Origin<'_>,
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness {
        let constants = match origin {
            Origin::Root if self.system.has_setup => return self.setup(out, pause),
            Origin::Root => self.system.blank(),
            Origin::State(words) if words[0] & 1 == 1 => return self.operate(words, alike, out),
            Origin::State(words) => self.system.decode(words).0,
        };
        if alike.is_some_and(|alike| self.initialise_by_orbit(&constants, alike, out)) {
            return Completeness::Whole;
        }
        self.initialise(&constants, out, pause)
    }

    fn announce(&mut self, states: &[Ahead], question: Question) {
        if states.iter().any(|state| state.words[0] & 1 == 0) {
            return;
        }
        self.refresh();
        match question {
            Question::Successors => {
                self.buffers.verdicts.fetch(states, &mut self.buffer);
                self.operations.iter().for_each(|operation| operation.fetch(states, &mut self.buffer));
            }
            Question::Properties(asked) => {
                let Self { invariant, assertions, goal, propositions, .. } = self;
                let inspectors = asked_of(asked, [invariant, assertions, goal, propositions]);
                inspectors.for_each(|inspector| inspector.fetch(states, &mut self.buffer));
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.system.interp.is_stopped()
    }

    fn wants_alike(&self, origin: Origin<'_>) -> bool {
        match origin {
            Origin::State(words) if words[0] & 1 == 1 => self.operations.iter().any(Performer::wants_alike),
            _ => self.system.initial_fixed_sets.is_some(),
        }
    }

    fn inspect(
        &mut self,
        words: &[u32],
        before: Option<&[u32]>,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        if words[0] & 1 == 0 {
            return Completeness::Whole;
        }
        self.refresh();
        let (is_outside, mut completeness) = self.is_outside_scope(words);
        if is_outside {
            return completeness;
        }
        let mut state = None;
        let Self { system, buffers, invariant, assertions, goal, propositions, .. } = self;
        let mut subject = InspectedState { system, fast: buffers.fast.as_mut(), words, state: &mut state };
        let mut inspect = |inspector: &mut Inspector<'_>| {
            if inspector.has_questions(words[0]) {
                completeness = completeness.and(inspector.inspect(&mut subject, before, found));
            }
        };
        if asked.invariant {
            inspect(invariant);
        }
        if asked.assertions {
            inspect(assertions);
        }
        if asked.goal {
            inspect(goal);
        }
        if asked.propositions {
            inspect(propositions);
        }
        completeness
    }
}

impl ExplicitWorker<'_> {
    /// Adds the steps of one operation, by its position, out of an initialised state.
    pub fn perform(&mut self, operation: usize, words: &[u32], out: &mut Steps) -> Completeness {
        self.refresh();
        self.buffers.scratch.wants_labels = out.wants_labels();
        let mut at = StateExpansion::new(self.system, words, &mut self.buffers);
        self.operations[operation].perform(&mut at, out)
    }

    fn is_outside_scope(&mut self, words: &[u32]) -> (bool, Completeness) {
        if !self.system.has_scope() {
            return (false, Completeness::Whole);
        }
        let mut state = None;
        let mut subject =
            InspectedState { system: self.system, fast: self.buffers.fast.as_mut(), words, state: &mut state };
        let mut is_outside = false;
        let completeness = self.scope.inspect(&mut subject, None, &mut |_| is_outside = true);
        (is_outside, completeness)
    }

    /// Adds the steps of all operations out of an initialised state.
    fn operate(&mut self, words: &[u32], alike: Option<&dyn Alike>, out: &mut Steps) -> Completeness {
        self.refresh();
        let (is_outside, mut completeness) = self.is_outside_scope(words);
        if is_outside {
            lock(&self.system.notes).n_outside += 1;
            out.is_reduced = true;
            return completeness;
        }
        self.buffers.scratch.wants_labels = out.wants_labels();
        let mut at = StateExpansion { alike, ..StateExpansion::new(self.system, words, &mut self.buffers) };
        for operation in &mut self.operations {
            completeness = completeness.and(operation.perform(&mut at, out));
        }
        completeness
    }
}
