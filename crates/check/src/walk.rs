//! Walking through a machine with the plain interpreter: where one can stand, and which moves lead away from there.

use std::collections::HashSet;
use std::ops::ControlFlow;

use abridge_diag::Diagnostic;
use abridge_eval::{Error, State, Transition, Val, val_text};
use abridge_explicit::Explicit;
use abridge_model::ids::Id as _;
use abridge_model::{Model, OpId};

use crate::trace::Step;

/// Different errors kept at a place.
const MAX_ERRORS: usize = 20;

pub const SETUP_CONSTANTS: &str = "SETUP_CONSTANTS";
pub const INITIALISATION: &str = "INITIALISATION";

/// Where a walk stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// Nothing has happened.
    Start,
    /// Constants have values, variables do not.
    SetUp(State),
    Running(State),
}

impl Place {
    pub fn state(&self) -> Option<&State> {
        match self {
            Place::Start => None,
            Place::SetUp(state) | Place::Running(state) => Some(state),
        }
    }

    pub(crate) fn words(&self, system: &Explicit<'_>) -> Option<Vec<u32>> {
        self.state().map(|state| system.words_of(state, matches!(self, Place::Running(_))))
    }

    pub(crate) fn of_words(system: &Explicit<'_>, words: &[u32]) -> Place {
        match system.decode(words) {
            (state, true) => Place::Running(state),
            (state, false) => Place::SetUp(state),
        }
    }
}

/// A step and the place that it leads to.
#[derive(Clone, Debug)]
pub struct Move {
    /// Nothing for set-up and initialisation.
    pub op: Option<OpId>,
    pub params: Vec<Val>,
    /// Empty where the operation did not assign an output.
    pub outputs: Vec<Option<Val>>,
    pub to: Place,
}

impl Move {
    fn bare(to: Place) -> Move {
        Move { op: None, params: Vec::new(), outputs: Vec::new(), to }
    }

    /// The operation, [`SETUP_CONSTANTS`] or [`INITIALISATION`].
    pub fn name<'m>(&self, model: &'m Model) -> &'m str {
        match (self.op, &self.to) {
            (Some(op), _) => &model.operations[op].name,
            (None, Place::Running(_)) => INITIALISATION,
            (None, _) => SETUP_CONSTANTS,
        }
    }

    /// Parameters with their names.
    pub fn named_params<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = (&'a str, &'a Val)> {
        let locals = self.op.map_or(&[][..], |op| &model.operations[op].params);
        locals.iter().map(|local| model.locals[*local].name.as_str()).zip(&self.params)
    }

    /// Outputs with their names; one that was not assigned has no value.
    pub fn named_outputs<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = (&'a str, Option<&'a Val>)> {
        let locals = self.op.map_or(&[][..], |op| &model.operations[op].outputs);
        locals.iter().map(|local| model.locals[*local].name.as_str()).zip(self.outputs.iter().map(Option::as_ref))
    }

    /// The move as text.
    pub fn step(&self, model: &Model, from: &Place) -> Step {
        let text = |val: &Val| val_text(model, val);
        let state = self.to.state().map(|state| state_texts(model, state)).unwrap_or_default();
        let old = from.state().map(|state| state_texts(model, state)).unwrap_or_default();
        let changed = state.iter().filter(|entry| !old.contains(entry)).map(|(name, _)| name.clone()).collect();
        Step {
            name: self.name(model).to_owned(),
            params: self.named_params(model).map(|(name, val)| (name.to_owned(), text(val))).collect(),
            outputs: self
                .named_outputs(model)
                .map(|(name, val)| (name.to_owned(), val.map_or("?".to_owned(), text)))
                .collect(),
            opaque: self.to.state().map(|state| opaque_names(model, state)).unwrap_or_default(),
            state,
            changed,
        }
    }
}

/// What can be done at a place.
#[derive(Default)]
pub struct Moves {
    pub list: Vec<Move>,
    /// There are more than were asked for.
    pub is_cut: bool,
    /// What could not be evaluated: the step and why.
    pub errors: Vec<(String, Diagnostic)>,
}

/// The moves at a place, at most `limit` for each operation.
pub fn moves(system: &Explicit<'_>, from: &Place, limit: usize) -> Moves {
    let model = system.model();
    let mut moves = Moves::default();
    let ops: Vec<Option<OpId>> = match from {
        Place::Running(_) => system.operations().iter().copied().map(Some).collect(),
        _ => vec![None],
    };
    for op in ops {
        let mut count = 0;
        visit(system, from, op, &mut |found| {
            match found {
                Ok(_) if count == limit => {
                    moves.is_cut = true;
                    return ControlFlow::Break(());
                }
                Ok(found) => {
                    count += 1;
                    moves.list.push(found);
                }
                Err(error) => {
                    let name = op.map_or("the start", |op| &model.operations[op].name);
                    let error = error.diagnostic(model);
                    let is_told = moves
                        .errors
                        .iter()
                        .any(|(_, known)| known.message == error.message && known.span() == error.span());
                    if !is_told && moves.errors.len() < MAX_ERRORS {
                        moves.errors.push((name.to_owned(), error));
                    }
                }
            }
            ControlFlow::Continue(())
        });
    }
    moves
}

type Visit<'v> = dyn FnMut(Result<Move, Error>) -> ControlFlow<()> + 'v;

/// Calls `found` with every move of an operation or, without one, with every set-up or initialisation.
pub(crate) fn visit(system: &Explicit<'_>, from: &Place, op: Option<OpId>, found: &mut Visit<'_>) {
    let session = system.judge().session();
    match (from, op) {
        (Place::Running(state), Some(op)) => session.operation(op, state, &mut |transition| {
            found(transition.map(|Transition { params, outputs, state }| Move {
                op: Some(op),
                params,
                outputs,
                to: Place::Running(state),
            }))
        }),
        (Place::Running(_), None) | (_, Some(_)) => {}
        (Place::Start, None) if system.has_setup() => {
            let mut seen = HashSet::new();
            session.setup_with(system.pinned(), None, &mut |state| match state {
                Ok(state) if !seen.insert(state.clone()) => ControlFlow::Continue(()),
                state => found(state.map(|state| Move::bare(Place::SetUp(state)))),
            });
        }
        (Place::Start, None) => initialise(&session, &system.blank(), found),
        (Place::SetUp(state), None) => initialise(&session, state, found),
    }
}

fn initialise(session: &abridge_eval::Session<'_>, constants: &State, found: &mut Visit<'_>) {
    session.initialise(constants, &mut |state| found(state.map(|state| Move::bare(Place::Running(state)))));
}

/// Constants and variables that have a value, with their values.
pub fn named_values<'a>(model: &'a Model, state: &'a State) -> impl Iterator<Item = (&'a str, &'a Val)> {
    fn value(slots: &[Option<Val>], index: usize) -> Option<&Val> {
        slots.get(index).and_then(Option::as_ref)
    }
    let constants =
        model.constants.iter().filter_map(|(id, c)| Some((c.name.as_str(), value(&state.constants, id.index())?)));
    let variables =
        model.state_variables().filter_map(|(id, v)| Some((v.name.as_str(), value(&state.variables, id.index())?)));
    constants.chain(variables)
}

/// The same as text.
pub fn state_texts(model: &Model, state: &State) -> Vec<(String, String)> {
    named_values(model, state).map(|(name, val)| (name.to_owned(), val_text(model, val))).collect()
}

/// Names whose values are formulas rather than values.
fn opaque_names(model: &Model, state: &State) -> Vec<String> {
    named_values(model, state).filter(|(_, val)| val.as_value().is_none()).map(|(name, _)| name.to_owned()).collect()
}
