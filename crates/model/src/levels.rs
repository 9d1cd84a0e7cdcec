//! Levels of a development: a refinement and its abstractions, each as a model.
//!
//! The front end composes a refinement with all its abstractions into one model. [`Model::at_level`] extracts one level as a model. All levels share
//! the ids of carriers, constants, types, variables, operations and formulas. So a value of one level is a value of the others, and a formula can be
//! evaluated over the states of two levels together ([`Model::joint`]). A variable that a refinement keeps has one id and is part of the state of
//! both levels. If ids differed, events of two levels could not be compared.

use smol_str::SmolStr;

use crate::effects;
use crate::ids::{IdSet, OpId, SubstId, VarId};
use crate::model::{Conjunct, Model, Steering};
use crate::subst::{Subst, SubstNode};

/// Refinement or one of its abstractions, with the machines that it consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Level {
    pub name: SmolStr,
    /// Number of refinement steps between the main machine and this level.
    pub distance: usize,
    /// The machine itself and the machines that it includes, imports, sees or uses.
    pub machines: Vec<SmolStr>,
    /// Variables of its states.
    pub variables: IdSet<VarId>,
    /// Transitions of the level, under the names that callers use.
    pub operations: Vec<(SmolStr, OpId)>,
    /// Those among them that belong to machines which the level only sees or uses: others call them, too.
    pub seen: Vec<OpId>,
    pub initialisation: SubstId,
}

impl Level {
    /// Operation with a given name.
    pub fn operation(&self, name: &str) -> Option<OpId> {
        self.operations.iter().find(|(other, _)| other == name).map(|(_, op)| *op)
    }

    /// Leaves out what another level does not offer because it does not see the machine, unless `keeps` says otherwise.
    pub fn retain_seen(&mut self, other: &Level, keeps: impl Fn(OpId) -> bool) {
        let is_offered = |op: OpId| other.operations.iter().any(|(_, offered)| *offered == op);
        let seen = &self.seen;
        self.operations.retain(|(_, op)| !seen.contains(op) || is_offered(*op) || keeps(*op));
    }

    fn states(&self, conjunct: &Conjunct) -> bool {
        self.machines.contains(&conjunct.machine)
    }
}

impl Model {
    /// One level as a model, with its own invariant and assertions.
    #[must_use]
    pub fn at_level(&self, level: &Level) -> Model {
        let mut model = self.of_levels(&[level], level.initialisation);
        model.name = level.name.clone();
        effects::compute(&mut model);
        model
    }

    /// Two levels in one model, with the invariant of the concrete level. Its states have the variables of both levels.
    #[must_use]
    pub fn joint(&self, concrete: &Level, abstracted: &Level) -> Model {
        let mut model = self.of_levels(&[concrete, abstracted], concrete.initialisation);
        model.invariant.retain(|conjunct| concrete.states(conjunct));
        let span = model.substs[concrete.initialisation].span;
        let parts = vec![abstracted.initialisation, concrete.initialisation];
        model.initialisation = model.substs.push(SubstNode { subst: Subst::Sequence(parts), span });
        effects::compute(&mut model);
        model
    }

    /// Model in which every operation is reduced to its outermost precondition: it is enabled where the precondition holds and changes nothing.
    #[must_use]
    pub fn preconditions(&self) -> Model {
        let mut model = self.clone();
        for op in self.operations.ids() {
            let body = self.operations[op].body;
            let span = self.substs[body].span;
            let skip = model.substs.push(SubstNode { subst: Subst::Skip, span });
            model.operations[op].body = match self.subst(body) {
                Subst::Pre { pred, .. } => {
                    model.substs.push(SubstNode { subst: Subst::Pre { pred: *pred, body: skip }, span })
                }
                _ => skip,
            };
        }
        effects::compute(&mut model);
        model
    }

    fn of_levels(&self, levels: &[&Level], initialisation: SubstId) -> Model {
        let mut model = self.clone();
        for id in self.variables.ids() {
            model.variables[id].is_abstract = !levels.iter().any(|level| level.variables.contains(id));
        }
        for id in self.operations.ids() {
            let is_offered = |level: &&Level| level.operations.iter().any(|(_, op)| *op == id);
            model.operations[id].is_top_level = levels.iter().any(is_offered);
        }
        let is_stated = |conjunct: &Conjunct| levels.iter().any(|level| level.states(conjunct));
        model.invariant.retain(is_stated);
        model.assertions.retain(is_stated);
        model.initialisation = initialisation;
        model.abstraction = None;
        model.levels.clear();
        let Steering { set_sizes, force_symmetry, preferences, .. } = self.steering.clone();
        model.steering = Steering { set_sizes, force_symmetry, preferences, ..Steering::default() };
        model
    }
}
