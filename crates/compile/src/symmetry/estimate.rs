//! Estimates, from types alone, of how many choices an operation or the initialisation has.
//!
//! They decide where choices are generated one per orbit rather than listed. A wrong estimate costs time and changes no answer.

use abridge_model::walk::Node;
use abridge_model::{Model, OpId, Subst, SubstId, Target, Type, TypeId};

use super::choices::Choosing;
use super::kinds::Shape;

/// With so many choices more than many, in bits, listing them is out of the question.
const TOO_MANY: f64 = 6.0;

/// Otherwise, a kind must have so many elements: what is listed can be remembered.
const WORTH: usize = 6;

impl Choosing {
    /// For an operation, if it has at least two to the power of `many` choices that have to do with given sets.
    pub fn of_operation(model: &Model, op: OpId, many: f64) -> Option<Choosing> {
        let operation = &model.operations[op];
        let params = || operation.params.iter().map(|local| model.locals[*local].ty);
        let chosen = params().chain(chosen_types(model, operation.body));
        let bits: f64 = chosen.filter(|ty| has_given(model, *ty)).map(|ty| bits(model, ty)).sum();
        let outputs = operation.outputs.iter().map(|local| model.locals[*local].ty);
        let written = operation.effects.writes.iter().map(|id| model.variables[id].ty);
        (bits > 0.0 && bits >= many).then(|| Choosing {
            least_kind: if bits >= many + TOO_MANY { 2 } else { WORTH },
            params: Shape::of(model, params()),
            outcome: Shape::of(model, outputs.chain(written)),
        })
    }
}

impl Shape {
    /// Of what the initialisation writes, if it has a choice that has to do with given sets.
    pub fn of_initialisation(model: &Model) -> Option<Shape> {
        let chosen = chosen_types(model, model.initialisation);
        let has_choice = chosen.into_iter().any(|ty| has_given(model, ty));
        has_choice.then(|| Shape::of(model, model.state_variables().map(|(_, variable)| variable.ty)))
    }
}

/// The types of what a substitution chooses.
fn chosen_types(model: &Model, body: SubstId) -> Vec<TypeId> {
    let mut types = Vec::new();
    model.for_each_node(Node::Subst(body), &mut |node| {
        let Node::Subst(id) = node else { return };
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
