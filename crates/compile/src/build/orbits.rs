//! Marks plan steps over elements of a given set for the search by orbits (`run/orbits.rs`).

use std::sync::Arc;

use abridge_eval::FreeNames;
use abridge_model::ids::Id as _;
use abridge_model::{LocalId, Type};

use super::CodeBuilder;
use crate::code::{OrbitStep, Plan, PlanStep, Purpose, ValuePattern};

impl CodeBuilder<'_, '_> {
    /// Marks the steps of a plan that try possibly interchangeable elements. `names` are the free names of the formula around the plan.
    pub(crate) fn with_orbits(&mut self, mut plan: Plan, names: &FreeNames, purpose: Purpose) -> Plan {
        let constants = names.constants.iter().map(|id| self.layout.constant(*id));
        let fixed: Arc<[usize]> = constants.chain(names.variables.iter().map(|id| self.layout.variable(*id))).collect();
        let mut bound: Vec<usize> = names.locals.iter().map(|id| self.layout.local(*id)).collect();
        let mut numbers: Vec<(u32, usize)> = Vec::new();
        for step in &mut plan.steps {
            if let PlanStep::Each { pattern: ValuePattern::Bind(slot), orbits, .. } = step
                && let Some(set) = self.given_set(*slot)
            {
                let known = numbers.iter().find(|(other, _)| *other == set).map(|(_, number)| *number);
                let number = known.unwrap_or_else(|| {
                    self.numbers.classes += 1;
                    numbers.push((set, self.numbers.classes - 1));
                    self.numbers.classes - 1
                });
                let (fixed, bound) = (fixed.clone(), bound.clone());
                *orbits = Some(Box::new(OrbitStep { set, number, fixed, bound, purpose }));
            }
            step.binds(&mut bound);
        }
        plan
    }

    /// Given set that is the type of the local in a slot.
    fn given_set(&self, slot: usize) -> Option<u32> {
        let local = LocalId::from_index(slot.checked_sub(self.layout.local(LocalId::from_index(0)))?);
        match self.model.types.get(self.model.locals[local].ty) {
            Type::Given(set) => Some(set.0),
            _ => None,
        }
    }
}
