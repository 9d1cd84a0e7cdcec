//! Promises `ids` and `types`: every id is in range, so the other checks can index tables.

use std::fmt::Debug;

use super::{Faults, Promise};
use crate::ModelNode;
use crate::expr::Expr;
use crate::ids::{Id, IdSet, IdVec, LocalId, TypeId};
use crate::model::{Conjunct, Model, Operation};
use crate::pred::Pred;
use crate::subst::{Subst, Target};
use crate::types::{Type, TypeTable};

pub(super) fn check(model: &Model, faults: &mut Faults) {
    let mut ranges = Ranges { model, faults };
    ranges.type_table();
    ranges.declarations();
    model.exprs.ids().for_each(|id| ranges.node(ModelNode::Expr(id)));
    model.preds.ids().for_each(|id| ranges.node(ModelNode::Pred(id)));
    model.substs.ids().for_each(|id| ranges.node(ModelNode::Subst(id)));
    model.operations.iter().for_each(|(id, op)| ranges.operation(id, op));
    for (clause, conjuncts) in
        [("properties", &model.properties), ("invariant", &model.invariant), ("assertions", &model.assertions)]
    {
        conjuncts.iter().for_each(|conjunct| ranges.conjunct(clause, conjunct));
    }
    ranges.roots();
}

struct Ranges<'a> {
    model: &'a Model,
    faults: &'a mut Faults,
}

impl<'a> Ranges<'a> {
    fn within<I: Id + Debug, T>(&mut self, table: &IdVec<I, T>, id: I, place: impl Debug) {
        if table.get(id).is_none() {
            self.faults.add(Promise::Ids, place, format_args!("{id:?} does not exist"));
        }
    }

    fn all_within<I: Id + Debug, T>(&mut self, table: &IdVec<I, T>, ids: &IdSet<I>, place: impl Debug + Copy) {
        ids.iter().for_each(|id| self.within(table, id, place));
    }

    fn ty(&mut self, id: TypeId, place: impl Debug) {
        if id.index() >= self.model.types.len() {
            self.faults.add(Promise::Ids, place, format_args!("{id:?} does not exist"));
        }
    }

    fn type_table(&mut self) {
        let types: &TypeTable = &self.model.types;
        for id in (0..types.len()).map(TypeId::from_index) {
            let mut parts = Vec::new();
            match types.get(id) {
                Type::Integer | Type::Bool | Type::String | Type::Real => {}
                Type::Given(set) => self.within(&self.model.sets, *set, id),
                Type::Free(free) => self.within(&self.model.free_types, *free, id),
                Type::Pow(elem) => parts.push(*elem),
                Type::Pair(first, second) => parts.extend([*first, *second]),
                Type::Record(fields) => {
                    if fields.is_empty() {
                        self.faults.add(Promise::Types, id, "a record type without fields");
                    }
                    if fields.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
                        self.faults.add(Promise::Types, id, "fields are not in the order of their names");
                    }
                    parts.extend(fields.iter().map(|(_, ty)| *ty));
                }
            }
            for part in parts.into_iter().filter(|part| *part >= id) {
                self.faults.add(Promise::Types, id, format_args!("its part {part:?} comes after it"));
            }
        }
    }

    fn declarations(&mut self) {
        let model = self.model;
        model.constants.iter().for_each(|(id, constant)| self.ty(constant.ty, id));
        model.variables.iter().for_each(|(id, variable)| self.ty(variable.ty, id));
        model.locals.iter().for_each(|(id, local)| self.ty(local.ty, id));
        for (id, free) in model.free_types.iter() {
            for (set, ty) in free.constructors.iter().filter_map(|constructor| constructor.arg) {
                self.within(&model.exprs, set, id);
                self.ty(ty, id);
            }
        }
    }

    fn operation(&mut self, id: impl Debug + Copy, op: &Operation) {
        let model = self.model;
        op.params.iter().chain(&op.outputs).for_each(|local| self.within(&model.locals, *local, id));
        self.within(&model.substs, op.body, id);
        op.refines.iter().for_each(|refined| self.within(&model.operations, *refined, id));
        for variables in [&op.effects.reads, &op.effects.guard_reads, &op.effects.writes] {
            self.all_within(&model.variables, variables, id);
        }
        self.all_within(&model.constants, &op.effects.constants, id);
    }

    fn conjunct(&mut self, clause: &str, conjunct: &Conjunct) {
        let model = self.model;
        self.within(&model.preds, conjunct.pred, clause);
        self.all_within(&model.variables, &conjunct.reads, clause);
        self.all_within(&model.constants, &conjunct.constants, clause);
    }

    fn roots(&mut self) {
        let (model, steering) = (self.model, &self.model.steering);
        self.within(&model.substs, model.initialisation, "initialisation");
        if let Some(abstraction) = &model.abstraction {
            self.within(&model.substs, abstraction.initialisation, "abstraction");
        }
        for level in &model.levels {
            self.within(&model.substs, level.initialisation, "levels");
            self.all_within(&model.variables, &level.variables, "levels");
            level.operations.iter().for_each(|(_, op)| self.within(&model.operations, *op, "levels"));
        }
        let distinct = model.distinct_constants.iter().flatten();
        distinct.for_each(|id| self.within(&model.constants, *id, "distinct constants"));
        let formulas = steering.goal.iter().chain(&steering.scope);
        formulas.for_each(|id| self.within(&model.preds, *id, "steering"));
        steering.heuristic.iter().for_each(|id| self.within(&model.exprs, *id, "steering"));
        steering.force_symmetry.iter().for_each(|id| self.within(&model.sets, *id, "steering"));
        steering.set_sizes.iter().for_each(|(id, _)| self.within(&model.sets, *id, "steering"));
        steering.max_operations.iter().for_each(|(id, _)| self.within(&model.operations, *id, "steering"));
        for reduction in &steering.reductions {
            reduction.operations().for_each(|id| self.within(&model.operations, id, "reductions"));
            reduction.order().into_iter().for_each(|id| self.within(&model.exprs, id, "reductions"));
        }
    }

    fn node(&mut self, node: ModelNode) {
        let model = self.model;
        model.for_each_child(node, &mut |child| match child {
            ModelNode::Expr(id) => self.within(&model.exprs, id, node),
            ModelNode::Pred(id) => self.within(&model.preds, id, node),
            ModelNode::Subst(id) => self.within(&model.substs, id, node),
        });
        model.bound_locals(node).into_iter().for_each(|local| self.local(local, node));
        match node {
            ModelNode::Expr(id) => {
                self.ty(model.ty(id), node);
                self.expr(model.expr(id), node);
            }
            ModelNode::Pred(id) => {
                if let Pred::External(external, _) = model.pred(id) {
                    self.within(&model.externals, *external, node);
                }
            }
            ModelNode::Subst(id) => self.subst(model.subst(id), node),
        }
    }

    fn local(&mut self, id: LocalId, node: ModelNode) {
        self.within(&self.model.locals, id, node);
    }

    fn expr(&mut self, expr: &Expr, node: ModelNode) {
        let model = self.model;
        match expr {
            Expr::Element(set, idx) => match model.sets.get(*set) {
                // A set without a size is reported separately, so its positions are not checked.
                Some(set) if set.size() == 0 => {}
                Some(set) => self.position(*idx, set.size() as usize, node, "element"),
                None => self.within(&model.sets, *set, node),
            },
            Expr::Constructor(free, idx) => match model.free_types.get(*free) {
                Some(free) => self.position(*idx, free.constructors.len(), node, "constructor"),
                None => self.within(&model.free_types, *free, node),
            },
            Expr::Constant(id) => self.within(&model.constants, *id, node),
            Expr::Variable(id) => self.within(&model.variables, *id, node),
            Expr::Local(id) => self.local(*id, node),
            Expr::Carrier(id) => self.within(&model.sets, *id, node),
            Expr::FreeType(id) => self.within(&model.free_types, *id, node),
            Expr::External(id, _) => self.within(&model.externals, *id, node),
            Expr::CallOperation(id, _) => self.within(&model.operations, *id, node),
            _ => {}
        }
    }

    fn position(&mut self, idx: u32, size: usize, node: ModelNode, what: &str) {
        if idx as usize >= size {
            self.faults.add(Promise::Ids, node, format_args!("{what} {idx} of {size}"));
        }
    }

    fn subst(&mut self, subst: &Subst, node: ModelNode) {
        let model = self.model;
        subst.targets().iter().for_each(|target| self.target(*target, node));
        match subst {
            Subst::While { before, .. } => before.iter().for_each(|(target, _)| self.target(*target, node)),
            Subst::Call { op, .. } => self.within(&model.operations, *op, node),
            Subst::External(id, _) => self.within(&model.externals, *id, node),
            _ => {}
        }
    }

    fn target(&mut self, target: Target, node: ModelNode) {
        match target {
            Target::Variable(id) => self.within(&self.model.variables, id, node),
            Target::Local(id) => self.local(id, node),
        }
    }
}
