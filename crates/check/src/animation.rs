//! Animation: a walk through a machine, one chosen step at a time.
//!
//! It works for any [`Machine`]; what only B can do (formulas, traces with values) is added by whoever shows it.

use std::ops::ControlFlow;

use abridge_diag::{Diagnostic, with_stack};
use abridge_system::{Completeness, Machine, Move, Origin};

use crate::trace::TraceStep;

/// Different errors kept at one state.
const MAX_ERRORS: usize = 20;

/// Steps out of a state or the root.
pub struct OpenSteps {
    pub list: Vec<Move>,
    /// There are more than were asked for.
    pub is_cut: bool,
    /// What could not be evaluated: the step and why.
    pub errors: Vec<(String, Diagnostic)>,
    /// Whether steps are missing for other reasons than the limit.
    pub completeness: Completeness,
}

/// Lists the steps at a place, at most `limit` for each operation.
pub fn choices(machine: &impl Machine, origin: Origin<'_>, limit: usize) -> OpenSteps {
    let mut found =
        OpenSteps { list: Vec::new(), is_cut: false, errors: Vec::new(), completeness: Completeness::Whole };
    let operations: Vec<Option<u32>> =
        if machine.is_running(origin) { machine.operations().into_iter().map(Some).collect() } else { vec![None] };
    for operation in operations {
        let mut count = 0;
        let completeness = with_stack(|| {
            machine.moves(origin, operation, &mut |step| {
                match step {
                    Ok(_) if count == limit => {
                        found.is_cut = true;
                        return ControlFlow::Break(());
                    }
                    Ok(step) => {
                        count += 1;
                        found.list.push(step);
                    }
                    Err((name, error)) => {
                        let is_same =
                            |known: &Diagnostic| known.message == error.message && known.span() == error.span();
                        if found.errors.len() < MAX_ERRORS && !found.errors.iter().any(|(_, known)| is_same(known)) {
                            found.errors.push((name, error));
                        }
                    }
                }
                ControlFlow::Continue(())
            })
        });
        found.completeness = found.completeness.and(completeness);
    }
    found
}

/// A walk with its history and the steps that lead on.
pub struct Animation<'m, M> {
    machine: &'m M,
    limit: usize,
    history: Vec<Move>,
    choices: OpenSteps,
}

impl<'m, M: Machine> Animation<'m, M> {
    /// A walk that has not begun, with at most `limit` choices for each operation.
    pub fn new(machine: &'m M, limit: usize) -> Self {
        Animation { machine, limit, history: Vec::new(), choices: choices(machine, Origin::Root, limit) }
    }

    pub fn machine(&self) -> &'m M {
        self.machine
    }

    /// The state in which the walk stands; nothing at the root.
    pub fn state(&self) -> Option<&[u32]> {
        self.history.last().map(|step| step.to.as_slice())
    }

    pub fn history(&self) -> &[Move] {
        &self.history
    }

    /// The steps that lead on.
    pub fn choices(&self) -> &OpenSteps {
        &self.choices
    }

    /// Takes one of the steps that lead on; false if there is no such step.
    pub fn take(&mut self, choice: usize) -> bool {
        let Some(step) = self.choices.list.get(choice).cloned() else { return false };
        self.follow([step]);
        true
    }

    /// Goes on along steps that follow each other.
    pub fn follow(&mut self, steps: impl IntoIterator<Item = Move>) {
        self.history.extend(steps);
        self.refresh();
    }

    /// Goes back some steps, at most to the root.
    pub fn back(&mut self, n_steps: usize) {
        self.history.truncate(self.history.len().saturating_sub(n_steps));
        self.refresh();
    }

    /// Begins again.
    pub fn restart(&mut self) {
        self.history.clear();
        self.refresh();
    }

    /// Stands at the end of other steps from the root.
    pub fn retrace(&mut self, steps: Vec<Move>) {
        self.history = steps;
        self.refresh();
    }

    fn refresh(&mut self) {
        let origin = self.history.last().map_or(Origin::Root, |step| Origin::State(&step.to));
        self.choices = choices(self.machine, origin, self.limit);
    }

    /// The steps so far with the states that they lead to.
    pub fn trace(&self) -> Vec<TraceStep> {
        let befores = std::iter::once(None).chain(self.history.iter().map(|step| Some(step.to.as_slice())));
        befores.zip(&self.history).map(|(before, step)| TraceStep::of(self.machine, before, step)).collect()
    }
}
