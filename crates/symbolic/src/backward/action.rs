//! Instances of operations as substitutions.

use abridge_blast::Lit;
use rustc_hash::{FxHashMap, FxHashSet};

use super::BackwardSearch;
use super::facts::DiagramFacts;
use crate::bdd::{Bdd, Made, Var};
use crate::reach::AskedFindings;
use crate::space::{Distrust, Halt, Space, fold, is_learnt};

/// An instance of an operation. Diagrams are made when they are asked for.
pub(super) struct BackwardAction {
    pub(super) operation: usize,
    instance: usize,
    /// Bits that stand for choices.
    choices: FxHashMap<Lit, Var>,
    /// New values of bits.
    writes: FxHashMap<Var, Lit>,
    updates: FxHashMap<Var, Bdd>,
    /// Where there is a step, for some choices.
    guard: Option<Bdd>,
}

impl Space<'_> {
    /// All instances, if everything that is asked about has an exact circuit.
    pub(super) fn backward_actions(&self, asked: AskedFindings) -> Result<Vec<BackwardAction>, Halt> {
        let Space { encoding, layout, source, .. } = self;
        let trust = Distrust::default();
        if (0..source.variables.len()).any(|position| layout.is_numbered(position)) {
            return Err(Halt::Inapplicable("backward search: a variable has no exact form"));
        }
        if (0..source.operations.len()).any(|operation| is_learnt(encoding, operation, &trust)) {
            return Err(Halt::Inapplicable("backward search: an operation has no exact circuit"));
        }
        if encoding.properties.iter().any(|property| asked.includes(property.kind) && property.truth.is_err()) {
            return Err(Halt::Inapplicable("backward search: a property has no exact circuit"));
        }
        let instances = encoding.instances.iter().enumerate().filter(|(_, it)| it.operation < source.operations.len());
        let action = |(idx, instance): (usize, &abridge_encoding::Instance)| BackwardAction {
            operation: instance.operation,
            instance: idx,
            choices: layout.choice_bits(&self.placed[idx]),
            writes: instance.writes.iter().filter_map(|(cell, lit)| Some((layout.cell(*cell)?, (*lit)?))).collect(),
            updates: FxHashMap::default(),
            guard: None,
        };
        Ok(instances.map(action).collect())
    }

    fn guard(&mut self, action: &mut BackwardAction) -> Made<Bdd> {
        if let Some(guard) = &action.guard {
            return Ok(guard.clone());
        }
        let Space { encoding, layout, manager, .. } = self;
        let lit = encoding.instances[action.instance].relation;
        let guard = fold(encoding, layout, manager, &action.choices, &[lit])?.remove(0);
        Ok(action.guard.insert(guard).clone())
    }

    /// The states with a step.
    pub(super) fn enabled(&mut self, action: &mut BackwardAction) -> Made<Bdd> {
        let guard = self.guard(action)?;
        let cube = self.manager.cube(action.choices.values().copied())?;
        self.manager.exists(&guard, &cube)
    }

    /// The states where evaluating an instance is an error.
    pub(super) fn error_of(&mut self, action: &BackwardAction) -> Made<Bdd> {
        let Space { encoding, layout, manager, .. } = self;
        let error = &encoding.instances[action.instance].error;
        let values = fold(encoding, layout, manager, &action.choices, &[error.context, error.ill_defined])?;
        let cube = manager.cube(action.choices.values().copied())?;
        manager.and_exists(&values[0], &values[1], &cube)
    }

    /// States and choices from which a step leads to a set; nothing if the step changes no bit that the set reads.
    pub(super) fn substituted(
        &mut self,
        action: &mut BackwardAction,
        facts: &DiagramFacts,
        set: &Bdd,
        support: &[Var],
    ) -> Made<Option<Bdd>> {
        let written: Vec<Var> = support.iter().copied().filter(|bit| action.writes.contains_key(bit)).collect();
        if written.is_empty() {
            return Ok(None);
        }
        let guard = self.guard(action)?;
        if guard.is_false() {
            return Ok(None);
        }
        let Space { encoding, layout, manager, .. } = self;
        let missing: Vec<Var> = written.iter().copied().filter(|bit| !action.updates.contains_key(bit)).collect();
        if !missing.is_empty() {
            let lits: Vec<Lit> = missing.iter().map(|bit| action.writes[bit]).collect();
            let values = fold(encoding, layout, manager, &action.choices, &lits)?;
            action.updates.extend(missing.into_iter().zip(values));
        }
        let new = written.iter().map(|bit| (*bit, action.updates[bit].clone()));
        // A conditional assignment writes bits that it leaves as they are.
        let with: Vec<(Var, Bdd)> = new.filter(|(bit, new)| manager.as_variable(new) != Some(*bit)).collect();
        // Bits that others become copies of.
        let copied: FxHashSet<Var> = with.iter().filter_map(|(_, new)| manager.as_variable(new)).collect();
        let known = facts.about(manager, &copied)?;
        if with.is_empty() {
            return Ok(None);
        }
        let composed = manager.compose(set, &with, &known)?;
        Ok(Some(manager.and(&composed, &guard)?))
    }

    /// New states from which one step leads to a set, as far as visible variables tell. `known` has the states that are not new.
    pub(super) fn before(
        &mut self,
        search: &mut BackwardSearch,
        idx: usize,
        (set, support): (&Bdd, &[Var]),
        known: &Bdd,
    ) -> Made<Bdd> {
        let BackwardSearch { actions, facts, hidden, .. } = search;
        let action = &mut actions[idx];
        let Some(states) = self.substituted(action, facts, set, support)? else {
            return Ok(self.manager.constant(false));
        };
        let manager = &mut self.manager;
        let mut states = manager.minus(&states, known)?;
        let is_left_out = |bit: &Var| hidden.contains(bit) || action.choices.values().any(|choice| choice == bit);
        if manager.support(&states).iter().any(is_left_out) {
            states = facts.within(manager, &states, &|bit| hidden.contains(&bit))?;
            let over: Vec<Var> = manager.support(&states).into_iter().filter(is_left_out).collect();
            let cube = manager.cube(over)?;
            states = manager.exists(&states, &cube)?;
        }
        Ok(states)
    }
}
