//! The models that a comparison of two levels needs, derived from the model of a refinement.

use abridge_model::{Level, Model};

/// Two levels of a development, alone and together. They share the ids of everything, constants included: both levels are about
/// the same valuation, since the PROPERTIES of a refinement speak about the constants of its abstraction and are assumed with them.
pub struct Models {
    pub concrete_level: Level,
    pub abstract_level: Level,
    pub concrete: Model,
    pub abstracted: Model,
    /// States with the variables of both, and the invariant of the refinement.
    pub joint: Model,
    /// The abstraction with every operation reduced to its precondition.
    pub preconditions: Model,
}

impl Models {
    /// The main machine and the first level that it can be compared with; nothing if there is none.
    pub fn of(model: &Model) -> Option<Models> {
        Models::of_link(model, 0)
    }

    /// A level of a chain of refinements, counted from the main machine, and the next one above it; nothing if there is none.
    ///
    /// Operations of a machine that only one level sees are no part of what is compared. Those that change the state of such a machine stay in the
    /// refinement, which may read it: they are steps of others (`events.rs`).
    pub fn of_link(model: &Model, level: usize) -> Option<Models> {
        let [concrete, abstracted, ..] = model.levels.get(level..)? else { return None };
        let (mut concrete_level, mut abstract_level) = (concrete.clone(), abstracted.clone());
        concrete_level.retain_seen(abstracted, |op| !model.operations[op].effects.writes.is_empty());
        abstract_level.retain_seen(concrete, |_| false);
        let at_abstraction = model.at_level(&abstract_level);
        Some(Models {
            concrete: model.at_level(&concrete_level),
            joint: model.joint(&concrete_level, &abstract_level),
            preconditions: at_abstraction.preconditions(),
            abstracted: at_abstraction,
            concrete_level,
            abstract_level,
        })
    }
}
