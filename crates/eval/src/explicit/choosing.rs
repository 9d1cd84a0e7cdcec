//! Operations with many choices, performed for one choice of each kind.
//!
//! Where the choices of an operation are many by their types, listing them costs more than anything that could be remembered. If
//! elements play the same part in a state, only one choice of each kind is tried (`compiled/choices.rs`), and counts for all.

use abridge_model::walk::Node;
use abridge_model::{Model, OpId, Subst, SubstId, Target, Type, TypeId};
use abridge_system::{Alike, Steps, System as _};
use abridge_value::Value;

use super::fast::FastPath;
use super::operation::{At, Operation, Outcomes};
use super::{Execution, Explicit};
use crate::compiled::{Choosing, Fast, Stop};
use crate::interp::Wishes;
use crate::kinds::{Kinds, Shape};
use crate::val::Val;

/// With so many choices more than many, in bits, listing them is out of the question.
const TOO_MANY: f64 = 6.0;

/// Otherwise, a kind must have so many elements: what is listed can be remembered.
const WORTH: usize = 6;

impl Choosing {
    /// For an operation, if it has at least two to the power of `many` choices that have to do with given sets.
    pub(super) fn of_operation(model: &Model, op: OpId, many: f64) -> Option<Choosing> {
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
    pub(super) fn of_initialisation(model: &Model) -> Option<Shape> {
        let chosen = chosen_types(model, model.initialisation);
        let has_choice = chosen.into_iter().any(|ty| has_given(model, ty));
        has_choice.then(|| Shape::of(model, model.state_variables().map(|(_, variable)| variable.ty)))
    }
}

impl Explicit<'_> {
    /// Elements that play the same part, by kind.
    pub(super) fn kinds(&self, alike: &dyn Alike) -> Kinds {
        Kinds::of_state(alike, self.set_sizes())
    }

    fn set_sizes(&self) -> impl Iterator<Item = u32> {
        self.model().sets.iter().map(|(_, set)| set.size())
    }

    /// A step of an operation with many choices between two states. What must be chosen for it is looked for among choices that differ by
    /// more than elements which both states cannot tell apart; the plain interpreter then makes that choice.
    pub(super) fn step_of_many(&self, operation: &Operation, from: &[u32], to: &[u32]) -> Option<Execution> {
        let (source, target) = (self.decode(from).0, self.decode(to).0);
        let vals = [&source.constants, &source.variables, &target.variables].into_iter().flat_map(|slots| slots.iter());
        let values: Option<Vec<&Value>> = vals.flatten().map(Val::as_value).collect();
        let kinds = Kinds::all(self.set_sizes()).refined(values?);
        let mut fast = FastPath::new(self)?;
        fast.load(self, from, &(1..self.width()).collect::<Vec<_>>());
        let written: Vec<Val> = operation.writes.iter().map(|word| self.decode_val(*word, to[*word]).clone()).collect();
        let locals = fast.runtime.choices_for(operation.op, &kinds, &written).ok()??;
        self.step_between(operation.op, from, to, Wishes { locals, variables: Some(target.variables) })
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

impl At<'_, '_> {
    /// Elements that play the same part in the state, by kind.
    fn kinds(&mut self) -> &Kinds {
        let (system, alike) = (self.system, self.alike);
        self.kinds.get_or_insert_with(|| match alike {
            Some(alike) => system.kinds(alike),
            None => Kinds::default(),
        })
    }

    /// Adds one step of each kind of an operation with many choices. False if that cannot be done, and nothing was added.
    pub(super) fn perform_by_kind(&mut self, operation: &Operation, out: &mut Steps) -> bool {
        let Some(choosing) = operation.choosing.as_ref().filter(|_| self.alike.is_some()) else { return false };
        if self.kinds().is_empty() || self.system.config.max_operations.is_some() {
            return false;
        }
        let start = out.len();
        let done = self.steps_by_kind(operation, choosing, out);
        if done.is_err() {
            out.truncate(start);
        }
        done.is_ok()
    }

    fn steps_by_kind(&mut self, operation: &Operation, choosing: &Choosing, out: &mut Steps) -> Fast<()> {
        let (Some(kinds), Some(fast)) = (&self.kinds, &mut self.means.fast) else { return Err(Stop::Escape) };
        let (system, scratch) = (self.system, &mut self.means.scratch);
        fast.load(system, self.words, operation.key.iter().chain(&operation.writes));
        let mut outcomes = Outcomes::new(operation, self.words, out);
        let done = fast.runtime.operation_by_kind(operation.op, kinds, choosing, &mut |count, written| {
            let written = operation.writes.iter().zip(written);
            outcomes.add(&mut scratch.target, count, written.map(|(word, val)| system.encode_val(*word, val)));
        });
        if done.is_err() {
            fast.forget();
        }
        done
    }
}
