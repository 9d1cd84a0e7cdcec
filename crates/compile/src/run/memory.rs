//! Slots and caches of a runtime between two uses inside the plain interpreter.

use std::sync::Arc;

use abridge_eval::{Env, FreeNames, Session, Slots, State, Val};
use abridge_model::ids::Id as _;

use super::rows::Rows;
use super::{Applied, FUEL, Fast, Runtime, Stop, is_unset, unset};
use crate::program::{Program, SlotLayout};

/// Slots and caches of a runtime between two uses.
#[derive(Default)]
pub(crate) struct RuntimeMemory {
    slots: Vec<Val>,
    constants: Arc<Slots>,
    cells: Vec<Option<Val>>,
    tables: Vec<Rows>,
    applied: Applied,
}

impl RuntimeMemory {
    pub(crate) fn new(layout: SlotLayout) -> RuntimeMemory {
        RuntimeMemory {
            slots: vec![unset(); layout.n_slots],
            constants: Arc::default(),
            cells: Vec::new(),
            tables: Vec::new(),
            applied: Applied::default(),
        }
    }
}

impl<'p> Runtime<'p> {
    pub(crate) fn with_memory(program: &'p Program, session: Session<'p>, memory: RuntimeMemory) -> Runtime<'p> {
        let RuntimeMemory { slots, constants, cells, tables, applied } = memory;
        Runtime {
            program,
            session,
            slots,
            written: Vec::new(),
            constants,
            cells,
            per_element: Vec::new(),
            tables,
            applied,
            fuel: FUEL,
            is_strict: false,
            is_partial: false,
            orbits: None,
            choices: None,
        }
    }

    pub(crate) fn into_memory(self) -> RuntimeMemory {
        let Runtime { slots, constants, cells, tables, applied, .. } = self;
        RuntimeMemory { slots, constants, cells, tables, applied }
    }

    /// Empties the slots of all variables.
    pub(crate) fn declare_variables(&mut self) {
        let layout = self.program.layout;
        self.slots[layout.n_constants..][..layout.n_variables].fill(unset());
    }

    /// State in the slots; stops if a variable has no value.
    pub(crate) fn initial_state(&self, constants: &State) -> Fast<State> {
        let layout = self.program.layout;
        let variables = &self.slots[layout.n_constants..][..layout.n_variables];
        let variables: Vec<Option<Val>> = variables.iter().map(|val| (!is_unset(val)).then(|| val.clone())).collect();
        let mut needed = self.session.model().state_variables();
        if needed.any(|(id, _)| variables[id.index()].is_none()) {
            return Err(Stop::Escape);
        }
        Ok(State { constants: constants.constants.clone(), variables: Arc::new(variables) })
    }

    /// Loads the values of names into their slots.
    pub(crate) fn load(&mut self, env: &Env, names: &FreeNames) {
        if !Arc::ptr_eq(&self.constants, &env.constants) {
            if self.constants != env.constants {
                self.forget_constants();
            }
            self.constants = env.constants.clone();
        }
        let layout = self.program.layout;
        for id in &names.constants {
            self.slots[layout.constant(*id)] = env.constant(*id).cloned().unwrap_or_else(unset);
        }
        for id in &names.variables {
            self.slots[layout.variable(*id)] = env.variable(*id).cloned().unwrap_or_else(unset);
        }
        for id in &names.locals {
            self.slots[layout.local(*id)] = env.local(*id).cloned().unwrap_or_else(unset);
        }
    }
}
