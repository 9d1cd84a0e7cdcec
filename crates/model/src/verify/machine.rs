//! Promises about the machine as a whole: `carriers`, `properties`, `abstract`, `effects`, `gluing`, `refines`, `distinct`, and
//! that operations called in expressions write nothing (`calls`).

use super::{Faults, Promise};
use crate::ModelNode;
use crate::effects;
use crate::expr::Expr;
use crate::ids::{ConstId, Id, IdSet, SetId, VarId};
use crate::model::{Conjunct, Model};
use crate::subst::Subst;
use crate::types::Type;

pub(super) fn check(model: &Model, faults: &mut Faults) {
    let mut computed = model.clone();
    effects::compute(&mut computed);
    let mut check = MachineCheck { model, computed: &computed, faults };
    check.carriers();
    check.operations();
    check.expressions();
    check.conjuncts();
    check.abstract_variables();
    check.distinct_constants();
}

struct MachineCheck<'a> {
    model: &'a Model,
    /// The same model with effects computed again.
    computed: &'a Model,
    faults: &'a mut Faults,
}

impl MachineCheck<'_> {
    fn carriers(&mut self) {
        let model = self.model;
        for (id, set) in model.sets.iter().filter(|(_, set)| set.size() == 0) {
            self.faults.add(Promise::Carriers, id, format_args!("{} has no elements", set.name));
        }
        for (id, free) in model.free_types.iter() {
            if free.constructors.is_empty() {
                self.faults.add(Promise::Carriers, id, format_args!("{} has no constructors", free.name));
            }
            for constructor in &free.constructors {
                let Some((set, ty)) = constructor.arg else { continue };
                if model.types.elem(model.ty(set)) != Some(ty) {
                    let text = format_args!("the argument of {} has another type than its set", constructor.name);
                    self.faults.add(Promise::Carriers, id, text);
                }
                if !self.touched(ModelNode::Expr(set)).is_empty() {
                    let text = format_args!("the argument of {} reads a variable", constructor.name);
                    self.faults.add(Promise::Carriers, id, text);
                }
            }
        }
    }

    fn operations(&mut self) {
        for (id, op) in self.model.operations.iter() {
            if op.refines == Some(id) {
                self.faults.add(Promise::Refines, id, format_args!("{} refines itself", op.name));
            }
            let (told, computed) = (&op.effects, &self.computed.operations[id].effects);
            let variables = [
                ("reads", &told.reads, &computed.reads),
                ("guard reads", &told.guard_reads, &computed.guard_reads),
                ("writes", &told.writes, &computed.writes),
            ];
            for (what, told, computed) in variables {
                if let Some(variable) = missing(told, computed) {
                    self.faults.add(Promise::Effects, id, format_args!("{variable:?} is missing among its {what}"));
                }
            }
            if let Some(constant) = missing(&told.constants, &computed.constants) {
                self.faults.add(Promise::Effects, id, format_args!("{constant:?} is missing among its constants"));
            }
        }
    }

    fn expressions(&mut self) {
        for (id, node) in self.model.exprs.iter() {
            let Expr::CallOperation(op, _) = &node.expr else { continue };
            if !self.computed.operations[*op].effects.writes.is_empty() {
                let text = format_args!("{} is called in an expression and writes", self.model.operations[*op].name);
                self.faults.add(Promise::Calls, id, text);
            }
        }
    }

    fn conjuncts(&mut self) {
        for (told, computed) in conjuncts(self.model).zip(conjuncts(self.computed)) {
            if let Some(variable) = missing(&told.reads, &computed.reads) {
                self.faults.add(Promise::Effects, told.pred, format_args!("{variable:?} is missing among its reads"));
            }
            if let Some(constant) = missing(&told.constants, &computed.constants) {
                self.faults.add(
                    Promise::Effects,
                    told.pred,
                    format_args!("{constant:?} is missing among its constants"),
                );
            }
            if told.is_gluing != told.reads.iter().any(|id| self.model.variables[id].is_abstract) {
                self.faults.add(Promise::Gluing, told.pred, format_args!("is_gluing is {}", told.is_gluing));
            }
        }
        for property in &self.computed.properties {
            if let Some(variable) = property.reads.iter().next() {
                self.faults.add(Promise::Properties, property.pred, format_args!("reads {variable:?}"));
            }
        }
    }

    fn distinct_constants(&mut self) {
        let model = self.model;
        let mut sets: IdSet<SetId> = IdSet::new();
        for group in &model.distinct_constants {
            let ty = group.first().map(|first| model.types.get(model.constants[*first].ty));
            let Some(Type::Given(set)) =
                ty.filter(|ty| matches!(ty, Type::Given(set) if model.sets[*set].is_deferred()))
            else {
                self.faults.add(Promise::Distinct, group, "is not a group of constants of a deferred set");
                continue;
            };
            if !sets.insert(*set) {
                self.faults.add(Promise::Distinct, set, "has two groups");
            }
            let is_same_type = |id: &ConstId| *model.types.get(model.constants[*id].ty) == Type::Given(*set);
            if !group.iter().all(is_same_type) || group.iter().copied().collect::<IdSet<_>>().len() < group.len() {
                self.faults.add(Promise::Distinct, group, "its constants repeat or have different types");
            }
        }
    }

    fn abstract_variables(&mut self) {
        let (model, steering) = (self.model, &self.model.steering);
        for (id, op) in model.transitions() {
            let effects = &self.computed.operations[id].effects;
            self.concrete(effects.reads.iter().chain(effects.writes.iter()), &op.name);
        }
        self.concrete_root(ModelNode::Subst(model.initialisation), "the initialisation");
        for id in steering.goal.iter().chain(&steering.scope) {
            self.concrete_root(ModelNode::Pred(*id), "a steering formula");
        }
        if let Some(id) = steering.heuristic {
            self.concrete_root(ModelNode::Expr(id), "the heuristic");
        }
        for reduction in &steering.reductions {
            reduction.order().into_iter().for_each(|id| self.concrete_root(ModelNode::Expr(id), "an order"));
            for op in reduction.operations() {
                let effects = &self.computed.operations[op].effects;
                self.concrete(effects.reads.iter().chain(effects.writes.iter()), "a reduction");
            }
        }
    }

    fn concrete_root(&mut self, root: ModelNode, what: &str) {
        self.concrete(self.touched(root).iter(), what);
    }

    fn concrete(&mut self, mut touched: impl Iterator<Item = VarId>, what: &str) {
        if let Some(variable) = touched.find(|id| self.model.variables[*id].is_abstract) {
            self.faults.add(Promise::Abstract, variable, format_args!("{what} reads or writes it"));
        }
    }

    /// Variables read or written at or below a node, including calls.
    fn touched(&self, root: ModelNode) -> IdSet<VarId> {
        let mut touched = IdSet::new();
        let mut called = Vec::new();
        self.model.for_each_node(root, &mut |node| match node {
            ModelNode::Expr(id) => match self.model.expr(id) {
                Expr::Variable(id) => _ = touched.insert(*id),
                Expr::CallOperation(op, _) => called.push(*op),
                _ => {}
            },
            ModelNode::Pred(_) => {}
            ModelNode::Subst(id) => {
                let subst = self.model.subst(id);
                let mut targets = subst.targets().to_vec();
                match subst {
                    Subst::Call { op, .. } => called.push(*op),
                    Subst::While { before, .. } => targets.extend(before.iter().map(|(target, _)| *target)),
                    _ => {}
                }
                targets.iter().filter_map(|target| target.variable()).for_each(|id| _ = touched.insert(id));
            }
        });
        for op in called {
            let effects = &self.computed.operations[op].effects;
            touched.union_with(&effects.reads);
            touched.union_with(&effects.writes);
        }
        touched
    }
}

fn conjuncts(model: &Model) -> impl Iterator<Item = &Conjunct> {
    model.properties.iter().chain(&model.invariant).chain(&model.assertions)
}

fn missing<I: Id>(told: &IdSet<I>, computed: &IdSet<I>) -> Option<I> {
    computed.iter().find(|id| !told.contains(*id))
}
