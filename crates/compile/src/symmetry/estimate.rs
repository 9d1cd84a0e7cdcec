//! Estimates, from types alone, of the number of choices that an operation or the initialisation has.
//!
//! They decide where choices are generated one per orbit rather than listed. A wrong estimate costs time and changes no answer.

use abridge_model::ModelNode;
use abridge_model::{Model, OpId, Subst, SubstId, Target, Type, TypeId};

use super::FixedSets;

/// How an operation chooses one candidate per orbit.
pub struct OrbitChoice {
    /// The types of parameters.
    pub params: FixedSets,
    /// The types of what can be written, and of outputs.
    pub outcome: FixedSets,
    /// In states whose cells are all smaller, choices are listed instead.
    pub min_cell_size: usize,
}

/// Bits of choices above the threshold from which on listing them is out of the question.
const UNLISTABLE_BITS: f64 = 6.0;

/// The smallest cell that pays where choices could be listed, since what is listed can be remembered.
const MIN_PAYING_CELL: usize = 6;

impl OrbitChoice {
    /// For an operation, if it has at least two to the power of `many` choices that have to do with given sets.
    pub fn of_operation(model: &Model, op: OpId, many: f64) -> Option<OrbitChoice> {
        let operation = &model.operations[op];
        let params = || operation.params.iter().map(|local| model.locals[*local].ty);
        let chosen = params().chain(chosen_types(model, operation.body));
        let bits: f64 = chosen.filter(|ty| has_given(model, *ty)).map(|ty| bits(model, ty)).sum();
        let outputs = operation.outputs.iter().map(|local| model.locals[*local].ty);
        let written = operation.effects.writes.iter().map(|id| model.variables[id].ty);
        (bits > 0.0 && bits >= many).then(|| OrbitChoice {
            min_cell_size: if bits >= many + UNLISTABLE_BITS { 2 } else { MIN_PAYING_CELL },
            params: FixedSets::of(model, params()),
            outcome: FixedSets::of(model, outputs.chain(written)),
        })
    }
}

impl FixedSets {
    /// Of what the initialisation writes, if it has a choice that has to do with given sets.
    pub fn of_initialisation(model: &Model) -> Option<FixedSets> {
        let chosen = chosen_types(model, model.initialisation);
        let has_choice = chosen.into_iter().any(|ty| has_given(model, ty));
        has_choice.then(|| FixedSets::of(model, model.state_variables().map(|(_, variable)| variable.ty)))
    }
}

/// The types of what a substitution chooses.
fn chosen_types(model: &Model, body: SubstId) -> Vec<TypeId> {
    let mut types = Vec::new();
    model.for_each_node(ModelNode::Subst(body), &mut |node| {
        let ModelNode::Subst(id) = node else { return };
        match model.subst(id) {
            Subst::Any { binder, .. } => types.extend(binder.iter().map(|local| model.locals[*local].ty)),
            Subst::BecomesElement { targets, .. } | Subst::BecomesSuch { targets, .. } => {
                types.extend(targets.iter().map(|target| match target {
                    Target::Variable(id) => model.variables[*id].ty,
                    Target::Local(id) => model.locals[*id].ty,
                }));
            }
            _ => {}
        }
    });
    types
}

/// True if elements of given sets occur in values of a type.
fn has_given(model: &Model, ty: TypeId) -> bool {
    match model.types.get(ty) {
        Type::Integer | Type::Bool | Type::String | Type::Real | Type::Free(_) => false,
        Type::Given(_) => true,
        Type::Pow(of) => has_given(model, *of),
        Type::Pair(first, second) => has_given(model, *first) || has_given(model, *second),
        Type::Record(fields) => fields.iter().any(|(_, field)| has_given(model, *field)),
    }
}

/// The logarithm of the number of values of a type; a few for what has no end.
fn bits(model: &Model, ty: TypeId) -> f64 {
    match model.types.get(ty) {
        Type::Bool => 1.0,
        Type::Integer | Type::String | Type::Real | Type::Free(_) => 2.0,
        Type::Given(set) => f64::from(model.sets[*set].size().max(1)).log2(),
        Type::Pow(of) => bits(model, *of).min(64.0).exp2(),
        Type::Pair(first, second) => bits(model, *first) + bits(model, *second),
        Type::Record(fields) => fields.iter().map(|(_, field)| bits(model, *field)).sum(),
    }
}
