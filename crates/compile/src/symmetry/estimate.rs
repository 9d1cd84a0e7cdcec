//! Estimates of the number of choices of an operation or the initialisation, from types alone.
//!
//! They decide whether choices are generated one per orbit rather than listed. A wrong estimate costs time and changes no answer.

use abridge_model::ModelNode;
use abridge_model::{Model, OpId, Subst, SubstId, Target, Type, TypeId};

use super::FixedSets;

/// Data for choosing one candidate per orbit in an operation.
pub struct OrbitChoice {
    /// Restrictions from the types of parameters.
    pub params: FixedSets,
    /// Restrictions from the types of written variables and outputs.
    pub outcome: FixedSets,
    /// Smallest size of the largest cell for which choices are made by orbit rather than listed.
    pub min_cell_size: usize,
}

/// Bits of choices above the threshold from which on listing is infeasible.
const UNLISTABLE_BITS: f64 = 6.0;

/// Smallest cell that pays if choices can be listed, since listed choices can be memoised.
const MIN_PAYING_CELL: usize = 6;

impl OrbitChoice {
    /// Data for an operation with at least `2^many` choices that involve given sets.
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
    /// Restrictions for the initialisation, if it has a choice that involves given sets.
    pub fn of_initialisation(model: &Model) -> Option<FixedSets> {
        let chosen = chosen_types(model, model.initialisation);
        let has_choice = chosen.into_iter().any(|ty| has_given(model, ty));
        has_choice.then(|| FixedSets::of(model, model.state_variables().map(|(_, variable)| variable.ty)))
    }
}

/// Types of the values that a substitution chooses.
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

/// Whether elements of given sets occur in values of a type.
fn has_given(model: &Model, ty: TypeId) -> bool {
    match model.types.get(ty) {
        Type::Integer | Type::Bool | Type::String | Type::Real | Type::Free(_) => false,
        Type::Given(_) => true,
        Type::Pow(of) => has_given(model, *of),
        Type::Pair(first, second) => has_given(model, *first) || has_given(model, *second),
        Type::Record(fields) => fields.iter().any(|(_, field)| has_given(model, *field)),
    }
}

/// Binary logarithm of the number of values of a type; a small constant for infinite types.
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
