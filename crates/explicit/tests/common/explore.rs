//! Breadth-first exploration of a machine by the plain interpreter.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use abridge_eval::{Error, EvalConfig, Interp, Session, State, Warning};
use abridge_explicit::judge;
use abridge_model::Model;

/// Result of an exploration. States and transitions are counted as ProB counts them: without the root.
#[derive(Default, Debug)]
pub(crate) struct Report {
    pub(crate) states: usize,
    pub(crate) transitions: usize,
    pub(crate) deadlock: bool,
    /// A conjunct of the invariant is false or ill-defined in some state.
    pub(crate) invariant_violated: bool,
    pub(crate) errors: Vec<Error>,
    pub(crate) warnings: Vec<Warning>,
    /// There are more states than the limit.
    pub(crate) is_cut: bool,
}

pub(crate) fn explore(model: &Model, config: EvalConfig, max_states: usize) -> Report {
    explore_with(&judge(model, config), max_states)
}

/// [`explore`] with an interpreter that may have compiled fragments.
pub(crate) fn explore_with(interp: &Interp<'_>, max_states: usize) -> Report {
    let model = interp.model();
    let mut report = Report::default();
    let session = interp.session();
    let mut roots = Vec::new();
    session.setup_constants(&mut |found| {
        report.note(found, |state| roots.push(state));
        if roots.len() > max_states { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if !model.constants.is_empty() || !model.properties.is_empty() {
        report.states += roots.len();
        report.transitions += roots.len();
    }
    report.deadlock = roots.is_empty();
    let mut seen: HashSet<State> = HashSet::new();
    let mut open: VecDeque<State> = VecDeque::new();
    for root in &roots {
        let before = report.transitions;
        session.initialise(root, &mut |found| {
            let mut fresh = None;
            report.step(found, |state| fresh = Some(state));
            open.extend(fresh.filter(|state| seen.insert(state.clone())));
            ControlFlow::Continue(())
        });
        report.deadlock |= report.transitions == before;
    }
    report.warnings.extend(session.take_warnings());
    while let Some(state) = open.pop_front() {
        if seen.len() > max_states {
            report.is_cut = true;
            break;
        }
        expand(&interp.session(), &state, &mut report, &mut |next| {
            if seen.insert(next.clone()) {
                open.push_back(next);
            }
        });
    }
    report.states += seen.len();
    report
}

fn expand(session: &Session<'_>, state: &State, report: &mut Report, visit: &mut dyn FnMut(State)) {
    for (_, answer) in session.invariant(state) {
        report.invariant_violated |= !matches!(answer, Ok(true));
        report.note(answer, |_| ());
    }
    let before = report.transitions;
    for (op, _) in session.interp().model().transitions() {
        session.operation(op, state, &mut |found| {
            report.step(found, |transition| visit(transition.state));
            ControlFlow::Continue(())
        });
    }
    report.deadlock |= report.transitions == before;
    report.warnings.extend(session.take_warnings());
}

impl Report {
    fn note<T>(&mut self, found: Result<T, Error>, use_it: impl FnOnce(T)) {
        match found {
            Ok(found) => use_it(found),
            Err(error) => self.errors.push(error),
        }
    }

    fn step<T>(&mut self, found: Result<T, Error>, use_it: impl FnOnce(T)) {
        self.transitions += usize::from(found.is_ok());
        self.note(found, use_it);
    }
}
