//! Construction of models, for front ends.
//!
//! A [`Builder`] takes declarations and typed nodes in any order. [`Builder::finish`] sizes the deferred sets, computes effects, looks for duplicate
//! names and verifies. It returns a [`Model`] only if all promises of [`mod@crate::verify`] hold, so evaluators, reductions and engines have the same
//! guarantees for every front end. A model that breaks a promise leads to wrong verdicts.
//!
//! New nodes get the source place that was last set by [`Builder::at`]. The caller gives the types of expressions; they are checked at the end.

use std::collections::HashMap;

use abridge_diag::{Diagnostic, FileId, Span};
use num_bigint::BigInt;
use smol_str::SmolStr;

use crate::carriers;
use crate::expr::{BinaryOp, Expr, ExprNode};
use crate::ids::{ConstId, ExprId, IdSet, LocalId, OpId, PredId, SetId, SubstId, TypeId, VarId};
use crate::model::{
    CarrierKind, CarrierSet, Conjunct, Constant, DeclOrigin, Effects, Local, Model, ModelKind, Operation, Steering,
    Variable,
};
use crate::pred::{Comparison, Pred, PredNode};
use crate::subst::{Subst, SubstNode, Target};
use crate::types::{Type, TypeTable};
use crate::verify::{self, Fault, verify};

/// Model under construction. Its initialisation is `skip` until it is set.
pub struct Builder {
    pub(crate) model: Model,
    /// Source place of new nodes.
    span: Span,
}

/// Reasons why a model was rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejected {
    /// Mistakes of the user: impossible sizes of sets.
    pub diagnostics: Vec<Diagnostic>,
    /// Mistakes of the front end: broken promises and duplicate names.
    pub faults: Vec<Fault>,
}

impl Builder {
    pub fn new(name: impl Into<SmolStr>, kind: ModelKind) -> Self {
        let mut builder = Builder { model: Model::empty(name.into(), kind), span: Span::new(FileId(0), 0, 0) };
        builder.model.initialisation = builder.subst(Subst::Skip);
        builder
    }

    /// Sets the source place of everything added after this call.
    pub fn at(&mut self, span: Span) {
        self.span = span;
    }

    /// Continues with an existing model.
    #[cfg(test)]
    pub(crate) fn of(model: Model) -> Self {
        Builder { model, span: Span::new(FileId(0), 0, 0) }
    }

    /// The model with its effects, not verified.
    #[cfg(test)]
    pub(crate) fn unchecked(mut self) -> Model {
        crate::effects::compute(&mut self.model);
        self.model
    }

    /// The model as built so far. No promise holds yet.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Definitions that control checking: goal, preferences, sizes of sets, temporal properties.
    pub fn steering(&mut self) -> &mut Steering {
        &mut self.model.steering
    }

    /// Completes and verifies the model.
    ///
    /// # Errors
    /// If a deferred set cannot have its size, a name is declared twice, or a promise of the verifier is broken.
    pub fn finish(mut self) -> Result<Model, Rejected> {
        // The later checks follow ids, so ids are checked first.
        let faults: Vec<Fault> = verify::structure(&self.model).into_iter().chain(self.names_taken_twice()).collect();
        if !faults.is_empty() {
            return Err(Rejected { diagnostics: Vec::new(), faults });
        }
        let diagnostics = carriers::size(&mut self.model);
        if !diagnostics.is_empty() {
            return Err(Rejected { diagnostics, faults: Vec::new() });
        }
        crate::effects::compute(&mut self.model);
        let faults = verify(&self.model);
        if faults.is_empty() { Ok(self.model) } else { Err(Rejected { diagnostics: Vec::new(), faults }) }
    }

    /// Names declared twice. Sets, elements, constants and variables share one name space; operations have another.
    fn names_taken_twice(&self) -> Vec<Fault> {
        let model = &self.model;
        let elements = model.sets.values().flat_map(|set| match &set.kind {
            CarrierKind::Enumerated(elements) => elements.as_slice(),
            CarrierKind::Deferred { .. } => &[],
        });
        let data = model.sets.values().map(|set| &set.name).chain(elements);
        let data = data.chain(model.constants.values().map(|constant| &constant.name));
        let data = data.chain(model.state_variables().map(|(_, variable)| &variable.name));
        let operations = model.transitions().map(|(_, operation)| &operation.name);
        let mut faults = Vec::new();
        for names in [data.collect::<Vec<_>>(), operations.collect()] {
            let mut counts: HashMap<&SmolStr, usize> = HashMap::new();
            names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
            let twice = names.into_iter().filter(|name| counts.remove(name).is_some_and(|count| count > 1));
            faults.extend(twice.map(|name| Fault(format!("names: `{name}` is taken twice"))));
        }
        faults
    }

    fn origin(&self) -> DeclOrigin {
        DeclOrigin { machine: self.model.name.clone(), span: self.span, desc: None }
    }
}

/// Types.
impl Builder {
    pub fn ty(&mut self, ty: Type) -> TypeId {
        self.model.types.intern(ty)
    }

    pub fn pow(&mut self, elem: TypeId) -> TypeId {
        self.model.types.pow(elem)
    }

    pub fn pair(&mut self, first: TypeId, second: TypeId) -> TypeId {
        self.model.types.pair(first, second)
    }

    pub fn relation(&mut self, from: TypeId, to: TypeId) -> TypeId {
        let pair = self.pair(from, to);
        self.pow(pair)
    }
}

/// Declarations.
impl Builder {
    /// Declares a given set; returns it with the type of its elements. A deferred set of size 0 is sized by [`Builder::finish`].
    pub fn set(&mut self, name: &str, kind: CarrierKind) -> (SetId, TypeId) {
        let set = CarrierSet { name: SmolStr::new(name), kind, origin: self.origin() };
        let set = self.model.sets.push(set);
        (set, self.ty(Type::Given(set)))
    }

    pub fn constant(&mut self, name: &str, ty: TypeId) -> ConstId {
        let origin = self.origin();
        self.model.constants.push(Constant { name: SmolStr::new(name), ty, origin })
    }

    pub fn variable(&mut self, name: &str, ty: TypeId) -> VarId {
        let origin = self.origin();
        self.model.variables.push(Variable { name: SmolStr::new(name), ty, is_abstract: false, origin })
    }

    /// Declares a local. Exactly one binder, operation or substitution must bind it.
    pub fn local(&mut self, name: &str, ty: TypeId) -> LocalId {
        self.model.locals.push(Local { name: SmolStr::new(name), ty, span: self.span })
    }

    /// Adds an operation that is a transition.
    pub fn operation(&mut self, name: &str, params: &[LocalId], outputs: &[LocalId], body: SubstId) -> OpId {
        let operation = Operation {
            name: SmolStr::new(name),
            params: params.to_vec(),
            outputs: outputs.to_vec(),
            body,
            is_top_level: true,
            refines: None,
            effects: Effects::default(),
            origin: self.origin(),
        };
        self.model.operations.push(operation)
    }

    pub fn initialisation(&mut self, subst: SubstId) {
        self.model.initialisation = subst;
    }

    /// Adds a conjunct of the properties. It may read constants only.
    pub fn property(&mut self, pred: PredId) {
        let conjunct = self.conjunct(pred, &[]);
        self.model.properties.push(conjunct);
    }

    /// Adds a conjunct of the invariant.
    pub fn invariant(&mut self, pred: PredId, labels: &[&str]) {
        let conjunct = self.conjunct(pred, labels);
        self.model.invariant.push(conjunct);
    }

    pub fn assertion(&mut self, pred: PredId, labels: &[&str]) {
        let conjunct = self.conjunct(pred, labels);
        self.model.assertions.push(conjunct);
    }

    pub(crate) fn conjunct(&self, pred: PredId, labels: &[&str]) -> Conjunct {
        Conjunct {
            pred,
            labels: labels.iter().map(SmolStr::new).collect(),
            machine: self.model.name.clone(),
            span: self.model.preds.get(pred).map_or(self.span, |node| node.span),
            reads: IdSet::new(),
            constants: IdSet::new(),
            is_gluing: false,
        }
    }
}

/// Formulas and substitutions.
impl Builder {
    pub fn expr(&mut self, expr: Expr, ty: TypeId) -> ExprId {
        self.model.exprs.push(ExprNode { expr, ty, span: self.span })
    }

    pub fn int(&mut self, value: impl Into<BigInt>) -> ExprId {
        self.expr(Expr::Integer(value.into()), TypeTable::INTEGER)
    }

    /// Expression for the value of a variable, constant or local.
    pub fn get(&mut self, what: impl Into<BuilderName>) -> ExprId {
        match what.into() {
            BuilderName::Variable(id) => self.expr(Expr::Variable(id), self.model.variables[id].ty),
            BuilderName::Constant(id) => self.expr(Expr::Constant(id), self.model.constants[id].ty),
            BuilderName::Local(id) => self.expr(Expr::Local(id), self.model.locals[id].ty),
        }
    }

    pub fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, ty: TypeId) -> ExprId {
        self.expr(Expr::Binary(op, left, right), ty)
    }

    /// Binary operator whose result has the type of its left operand.
    pub fn same(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        self.binary(op, left, right, self.model.ty(left))
    }

    /// Expression for a given set.
    pub fn carrier(&mut self, set: SetId) -> ExprId {
        let elem = self.ty(Type::Given(set));
        let pow = self.pow(elem);
        self.expr(Expr::Carrier(set), pow)
    }

    pub fn pred(&mut self, pred: Pred) -> PredId {
        self.model.preds.push(PredNode { pred, span: self.span })
    }

    pub fn compare(&mut self, op: Comparison, left: ExprId, right: ExprId) -> PredId {
        self.pred(Pred::Compare(op, left, right))
    }

    pub fn subst(&mut self, subst: Subst) -> SubstId {
        self.model.substs.push(SubstNode { subst, span: self.span })
    }

    pub fn assign(&mut self, target: impl Into<Target>, value: ExprId) -> SubstId {
        self.subst(Subst::Assign { targets: vec![target.into()], values: vec![value] })
    }
}

/// Named thing with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuilderName {
    Variable(VarId),
    Constant(ConstId),
    Local(LocalId),
}

impl From<VarId> for BuilderName {
    fn from(id: VarId) -> Self {
        BuilderName::Variable(id)
    }
}

impl From<ConstId> for BuilderName {
    fn from(id: ConstId) -> Self {
        BuilderName::Constant(id)
    }
}

impl From<LocalId> for BuilderName {
    fn from(id: LocalId) -> Self {
        BuilderName::Local(id)
    }
}

impl From<VarId> for Target {
    fn from(id: VarId) -> Self {
        Target::Variable(id)
    }
}

impl From<LocalId> for Target {
    fn from(id: LocalId) -> Self {
        Target::Local(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTEGER: TypeId = TypeTable::INTEGER;

    /// Machine with a variable `x` of `0..1`, changed by the operation `step`.
    fn counter() -> (Builder, VarId) {
        let mut b = Builder::new("Counter", ModelKind::Machine);
        let x = b.variable("x", INTEGER);
        let (zero, one, get_x) = (b.int(0), b.int(1), b.get(x));
        let integers = b.pow(INTEGER);
        let range = b.binary(BinaryOp::Interval, zero, one, integers);
        let typing = b.compare(Comparison::Member, get_x, range);
        b.invariant(typing, &["typing"]);
        let start = b.assign(x, zero);
        b.initialisation(start);
        let (one, get_x) = (b.int(1), b.get(x));
        let other = b.same(BinaryOp::Subtract, one, get_x);
        let body = b.assign(x, other);
        b.operation("step", &[], &[], body);
        (b, x)
    }

    fn faults(b: Builder) -> Vec<String> {
        let rejected = b.finish().expect_err("the model is wrong");
        rejected.faults.into_iter().map(|fault| fault.0).collect()
    }

    #[test]
    fn a_finished_model_has_its_effects() {
        let (b, x) = counter();
        let model = b.finish().expect("a model");
        let step = model.operations.values().next().expect("an operation");
        assert!(step.effects.reads.contains(x) && step.effects.writes.contains(x));
        assert!(model.invariant[0].reads.contains(x));
    }

    #[test]
    fn deferred_sets_get_their_sizes() {
        let (mut b, _) = counter();
        let (set, _) = b.set("S", CarrierKind::Deferred { size: 0 });
        let all = b.carrier(set);
        let card = b.expr(Expr::Unary(crate::UnaryOp::Card, all), INTEGER);
        let five = b.int(5);
        let sized = b.compare(Comparison::Equal, card, five);
        b.property(sized);
        assert_eq!(b.finish().expect("a model").sets[set].size(), 5);
    }

    #[test]
    fn sizes_that_no_set_can_have_are_the_users_mistake() {
        let (mut b, _) = counter();
        let (set, _) = b.set("S", CarrierKind::Deferred { size: 0 });
        b.steering().set_sizes.push((set, 2_000_000_000));
        let rejected = b.finish().expect_err("the set is too large");
        assert_eq!((rejected.diagnostics[0].id, rejected.faults.len()), ("wrong-set-size", 0));
    }

    #[test]
    fn broken_promises_are_refused() {
        let (mut b, x) = counter();
        let yes = b.expr(Expr::Bool(true), TypeTable::BOOL);
        let body = b.assign(x, yes);
        b.operation("wrong", &[], &[], body);
        assert!(faults(b).iter().all(|fault| fault.starts_with("assigned: ")));
        let (mut b, _) = counter();
        b.initialisation(SubstId(99));
        assert!(faults(b).iter().all(|fault| fault.starts_with("ids: ")));
    }

    #[test]
    fn names_are_taken_once() {
        let (mut b, _) = counter();
        b.set("E", CarrierKind::Enumerated(vec!["x".into()]));
        assert_eq!(faults(b), ["names: `x` is taken twice"]);
        let (mut b, _) = counter();
        let skip = b.subst(Subst::Skip);
        b.operation("step", &[], &[], skip);
        assert_eq!(faults(b), ["names: `step` is taken twice"]);
    }
}
