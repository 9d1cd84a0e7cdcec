//! One thread's evaluation.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use abridge_eval::{Error, State, Val};
use abridge_system::{Ahead, Alike, FindingKind, Pause, Properties, Question, Steps, Worker};

use rustc_hash::FxHashSet;

use super::conjunct::{Inspector, Subject};
use super::memo::Desk;
use super::operation::{At, Means, Performer};
use super::{Explicit, INITIALISATION, SETUP, is_violation, lock};

pub struct ExplicitWorker<'a> {
    pub(super) system: &'a Explicit<'a>,
    pub(super) operations: Vec<Performer<'a>>,
    invariant: Inspector<'a>,
    assertions: Inspector<'a>,
    goal: Inspector<'a>,
    scope: Inspector<'a>,
    pub(super) means: Means<'a>,
    target: Vec<u32>,
    desk: Desk,
    /// What was rearranged up to here has been taken up.
    epoch: u32,
}

impl<'a> ExplicitWorker<'a> {
    pub(super) fn new(system: &'a Explicit<'a>) -> Self {
        ExplicitWorker {
            system,
            operations: system.operation_memos.iter().map(|operation| Performer::new(system, operation)).collect(),
            invariant: Inspector::new(&system.invariant),
            assertions: Inspector::new(&system.assertions),
            goal: Inspector::new(&system.goal),
            scope: Inspector::new(&system.scope),
            means: Means::new(system),
            target: Vec::new(),
            desk: Desk::default(),
            epoch: 0,
        }
    }

    pub(super) fn refresh(&mut self) {
        let epoch = self.system.epoch.load(Ordering::Acquire);
        if epoch != self.epoch {
            self.epoch = epoch;
            self.operations.iter_mut().for_each(Performer::refresh);
            self.means.canonical.refresh();
            [&mut self.invariant, &mut self.assertions, &mut self.goal, &mut self.scope]
                .into_iter()
                .for_each(Inspector::refresh);
        }
    }

    fn setup(&mut self, out: &mut Steps, pause: &mut Pause<'_>) {
        let system = self.system;
        let session = system.interp.session();
        let mut seen = FxHashSet::default();
        let mut failure = None;
        let classes = system.classes.get().map(|classes| &**classes);
        session.setup_with(&system.pinned, classes, &mut |state| match state {
            Ok(state) => {
                if system.config.max_initialisations.is_some_and(|max| seen.len() >= max) {
                    lock(&system.notes).is_capped = true;
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
                doubt(&error, out);
                failure = Some(error);
                ControlFlow::Continue(())
            }
        });
        system.note(&session, "the constants", failure);
    }

    /// Adds one initial state of each kind. False if that cannot be done.
    fn initialise_by_orbit(&mut self, constants: &State, alike: &dyn Alike, out: &mut Steps) -> bool {
        let system = self.system;
        let Some(shape) = system.initial_fixed_sets.as_ref().filter(|_| system.config.max_initialisations.is_none())
        else {
            return false;
        };
        let kinds = shape.movable(&system.kinds(alike));
        if kinds.is_empty() {
            return false;
        }
        let session = system.interp.session();
        let states = system.fragments.as_ref().and_then(|it| it.initialise_by_orbit(&session, constants, &kinds));
        let Some(states) = states else { return false };
        for (state, number) in states {
            system.encode(&state, true, &mut self.target);
            out.push(INITIALISATION, number, &self.target);
        }
        true
    }

    fn initialise(&mut self, constants: &State, out: &mut Steps, pause: &mut Pause<'_>) {
        let system = self.system;
        let session = system.interp.session();
        let mut failure = None;
        let mut count = 0;
        session.initialise(constants, &mut |state| match state {
            Ok(state) => {
                if system.config.max_initialisations.is_some_and(|max| count >= max) {
                    lock(&system.notes).is_capped = true;
                    return ControlFlow::Break(());
                }
                count += 1;
                system.encode(&state, true, &mut self.target);
                out.push(INITIALISATION, 1, &self.target);
                pause(out)
            }
            Err(error) => {
                doubt(&error, out);
                failure = Some(error);
                ControlFlow::Continue(())
            }
        });
        system.note(&session, "the initialisation", failure);
    }
}

impl Drop for ExplicitWorker<'_> {
    fn drop(&mut self) {
        if !self.system.config.profile {
            return;
        }
        let mut profile = lock(&self.system.profile);
        self.operations.iter().map(Performer::cost).for_each(|(what, cost)| profile.add(what, cost));
        let inspectors = [&self.invariant, &self.assertions, &self.goal];
        inspectors.into_iter().flat_map(Inspector::costs).for_each(|(what, cost)| profile.add(what, cost));
    }
}

/// All steps are wanted at once.
fn go_on(_: &mut Steps) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Says what an error means for the steps.
fn doubt(error: &Error, out: &mut Steps) {
    out.is_ill_defined |= is_violation(error);
    out.is_incomplete |= !is_violation(error);
}

/// Those of the inspectors of invariant, assertions and goal that are asked.
fn asked_of<'i, 'a>(
    asked: Properties,
    inspectors: [&'i mut Inspector<'a>; 3],
) -> impl Iterator<Item = &'i mut Inspector<'a>> {
    let is_asked = [asked.invariant, asked.assertions, asked.goal];
    inspectors.into_iter().zip(is_asked).filter_map(|(inspector, is_asked)| is_asked.then_some(inspector))
}

/// The values of the constants.
fn values(state: &State) -> Vec<Val> {
    state.constants.iter().flatten().cloned().collect()
}

impl Worker for ExplicitWorker<'_> {
    fn initial(&mut self, out: &mut Steps) {
        self.initial_by_parts(out, &mut go_on);
    }

    fn initial_by_parts(&mut self, out: &mut Steps, pause: &mut Pause<'_>) {
        if self.system.has_setup {
            return self.setup(out, pause);
        }
        self.initialise(&self.system.blank(), out, pause);
    }

    fn initial_alike(&mut self, alike: &dyn Alike, out: &mut Steps) -> bool {
        !self.system.has_setup && self.initialise_by_orbit(&self.system.blank(), alike, out)
    }

    fn announce(&mut self, states: &[Ahead], question: Question) {
        if states.iter().any(|state| state.words[0] & 1 == 0) {
            return;
        }
        self.refresh();
        match question {
            Question::Successors => {
                self.means.canonical.fetch(states, &mut self.desk);
                self.operations.iter().for_each(|operation| operation.fetch(states, &mut self.desk));
            }
            Question::Properties(asked) => {
                let inspectors = asked_of(asked, [&mut self.invariant, &mut self.assertions, &mut self.goal]);
                inspectors.for_each(|inspector| inspector.fetch(states, &mut self.desk));
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.system.interp.is_stopped()
    }

    fn successors(&mut self, words: &[u32], out: &mut Steps) {
        self.expand(words, None, out, &mut go_on);
    }

    fn successors_alike(&mut self, words: &[u32], alike: &dyn Alike, out: &mut Steps) {
        self.expand(words, Some(alike), out, &mut go_on);
    }

    fn successors_by_parts(
        &mut self,
        words: &[u32],
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) {
        self.expand(words, alike, out, pause);
    }

    fn wants_alike(&self, words: &[u32]) -> bool {
        if words[0] & 1 == 0 {
            return self.system.initial_fixed_sets.is_some();
        }
        self.operations.iter().any(Performer::wants_alike)
    }

    fn inspect(
        &mut self,
        words: &[u32],
        before: Option<&[u32]>,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) {
        if words[0] & 1 == 0 {
            return;
        }
        self.refresh();
        if self.is_outside_scope(words) {
            return;
        }
        let mut state = None;
        let mut subject = Subject { system: self.system, fast: self.means.fast.as_mut(), words, state: &mut state };
        let inspectors = asked_of(asked, [&mut self.invariant, &mut self.assertions, &mut self.goal]);
        for inspector in inspectors {
            inspector.inspect(&mut subject, before, found);
        }
    }
}

impl ExplicitWorker<'_> {
    fn is_outside_scope(&mut self, words: &[u32]) -> bool {
        if !self.system.has_scope() {
            return false;
        }
        let mut state = None;
        let mut subject = Subject { system: self.system, fast: self.means.fast.as_mut(), words, state: &mut state };
        let mut is_outside = false;
        self.scope.inspect(&mut subject, None, &mut |_| is_outside = true);
        is_outside
    }

    fn expand(&mut self, words: &[u32], alike: Option<&dyn Alike>, out: &mut Steps, pause: &mut Pause<'_>) {
        if words[0] & 1 == 0 {
            let (constants, _) = self.system.decode(words);
            if !alike.is_some_and(|alike| self.initialise_by_orbit(&constants, alike, out)) {
                self.initialise(&constants, out, pause);
            }
            return;
        }
        self.refresh();
        if self.is_outside_scope(words) {
            lock(&self.system.notes).n_outside += 1;
            out.is_reduced = true;
            return;
        }
        let mut at = At { alike, ..At::new(self.system, words, &mut self.means) };
        for operation in &mut self.operations {
            operation.perform(&mut at, out);
        }
    }
}
