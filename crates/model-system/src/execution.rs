//! Executions: steps with their values, found by the judge.
//!
//! A [`Place`] is the root or a state; an [`Execution`] is a step with the values of its parameters and outputs. Replay and all code that
//! compares values works with these. Code that only shows steps uses [`abridge_system::Machine`].

use std::collections::HashSet;
use std::ops::ControlFlow;

use abridge_eval::{Error, Notations, Session, State, Transition, Val};
use abridge_model::ids::Id as _;
use abridge_model::{LocalId, Model, OpId};
use abridge_system::{Move, Named};

use crate::layout::{FIRST_OPERATION, INITIALISATION, SETUP, step_number};
use crate::model_system::ModelSystem;

/// Name of the set-up step.
pub const SETUP_NAME: &str = "SETUP_CONSTANTS";
/// Name of the initialisation step.
pub const INITIALISATION_NAME: &str = "INITIALISATION";

/// Root or state of a machine.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// Root, before any step.
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

    /// Vector of the state; `None` at the start.
    pub fn words(&self, system: &impl ModelSystem) -> Option<Vec<u32>> {
        self.state().map(|state| system.words_of(state, matches!(self, Place::Running(_))))
    }

    /// Place of a vector; `None` is the root.
    pub fn of_words(system: &impl ModelSystem, words: Option<&[u32]>) -> Place {
        match words.map(|words| system.decode(words)) {
            None => Place::Start,
            Some((state, true)) => Place::Running(state),
            Some((state, false)) => Place::SetUp(state),
        }
    }
}

/// Step with its values and target.
#[derive(Clone, Debug)]
pub struct Execution {
    /// `None` for set-up and initialisation.
    pub op: Option<OpId>,
    pub params: Vec<Val>,
    /// `None` for an output that was not assigned.
    pub outputs: Vec<Option<Val>>,
    pub to: Place,
}

impl Execution {
    /// Set-up or initialisation that leads to a place.
    pub fn bare(to: Place) -> Execution {
        Execution { op: None, params: Vec::new(), outputs: Vec::new(), to }
    }

    /// Name of the operation, [`SETUP_NAME`] or [`INITIALISATION_NAME`].
    pub fn name<'m>(&self, model: &'m Model) -> &'m str {
        match (self.op, &self.to) {
            (Some(op), _) => &model.operations[op].name,
            (None, Place::Running(_)) => INITIALISATION_NAME,
            (None, _) => SETUP_NAME,
        }
    }

    /// Parameters with their names.
    pub fn named_params<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = (&'a str, &'a Val)> {
        let locals = self.op.map_or(&[][..], |op| &model.operations[op].params);
        locals.iter().map(|local| model.locals[*local].name.as_str()).zip(&self.params)
    }

    /// Outputs with their names; an output that was not assigned has no value.
    pub fn named_outputs<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = (&'a str, Option<&'a Val>)> {
        let locals = self.op.map_or(&[][..], |op| &model.operations[op].outputs);
        locals.iter().map(|local| model.locals[*local].name.as_str()).zip(self.outputs.iter().map(Option::as_ref))
    }

    /// Readable form of the step.
    pub fn shown(&self, system: &impl ModelSystem) -> Move {
        let model = system.model();
        let text = |local: &LocalId, val: Option<&Val>| {
            let text = val.map_or("?".to_owned(), |val| system.notations().local_text(model, *local, val));
            (model.locals[*local].name.to_string(), text)
        };
        let (params, outputs) = match self.op.map(|op| &model.operations[op]) {
            Some(op) => (op.params.as_slice(), op.outputs.as_slice()),
            None => (&[][..], &[][..]),
        };
        Move {
            operation: match (self.op, &self.to) {
                (Some(op), _) => step_number(model, op).unwrap_or(FIRST_OPERATION),
                (None, Place::Running(_)) => INITIALISATION,
                (None, _) => SETUP,
            },
            name: self.name(model).to_owned(),
            params: params.iter().zip(&self.params).map(|(local, val)| text(local, Some(val))).collect(),
            outputs: outputs.iter().zip(&self.outputs).map(|(local, val)| text(local, val.as_ref())).collect(),
            to: self.to.words(system).unwrap_or_default(),
        }
    }
}

/// Callback for each execution; breaks to end the list.
pub type Executions<'v> = dyn FnMut(Result<Execution, Error>) -> ControlFlow<()> + 'v;

/// Calls `found` with every execution of an operation or, without one, with every set-up or initialisation. Warnings stay in the session.
pub fn executions(
    system: &impl ModelSystem,
    session: &Session<'_>,
    from: &Place,
    op: Option<OpId>,
    found: &mut Executions<'_>,
) {
    match (from, op) {
        (Place::Running(state), Some(op)) => session.operation(op, state, &mut |transition| {
            found(transition.map(|Transition { params, outputs, state }| Execution {
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
                state => found(state.map(|state| Execution::bare(Place::SetUp(state)))),
            });
        }
        (Place::Start, None) => initialise(session, &system.blank(), found),
        (Place::SetUp(state), None) => initialise(session, state, found),
    }
}

fn initialise(session: &Session<'_>, constants: &State, found: &mut Executions<'_>) {
    session.initialise(constants, &mut |state| found(state.map(|state| Execution::bare(Place::Running(state)))));
}

/// Constants and variables that have a value, with their values.
pub fn named_values<'a>(model: &'a Model, state: &'a State) -> impl Iterator<Item = (&'a str, &'a Val)> {
    let constants =
        model.constants.iter().filter_map(|(id, c)| Some((c.name.as_str(), value(&state.constants, id.index())?)));
    let variables =
        model.state_variables().filter_map(|(id, v)| Some((v.name.as_str(), value(&state.variables, id.index())?)));
    constants.chain(variables)
}

/// Readable form of the constants and variables that have a value.
pub fn shown_values(model: &Model, notations: &Notations, state: &State) -> Vec<Named> {
    let named = |name: &str, val: &Val, text: String| Named {
        name: name.to_owned(),
        text,
        is_opaque: val.as_value().is_none(),
    };
    let constants = model.constants.iter().filter_map(|(id, constant)| {
        let val = value(&state.constants, id.index())?;
        Some(named(&constant.name, val, notations.constant_text(model, id, val)))
    });
    let variables = model.state_variables().filter_map(|(id, variable)| {
        let val = value(&state.variables, id.index())?;
        Some(named(&variable.name, val, notations.variable_text(model, id, val)))
    });
    constants.chain(variables).collect()
}

fn value(slots: &[Option<Val>], index: usize) -> Option<&Val> {
    slots.get(index).and_then(Option::as_ref)
}
