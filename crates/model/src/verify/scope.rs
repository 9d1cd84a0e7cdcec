//! Promises `bound-once` and `scope`.
//!
//! Scopes form a tree with one node per bound local. A model node with several parents lies in several scopes. It may use the locals that are bound
//! in all of them, that is, in their lowest common ancestor. Nodes are visited parents first, so the scope of a node is final when it is visited, and
//! each node and each local is visited once.

use super::order::Numbering;
use super::{Faults, Promise};
use crate::ModelNode;
use crate::expr::{Binding, Expr};
use crate::ids::{IdVec, LocalId};
use crate::model::{Model, ReductionDef};
use crate::pred::Pred;
use crate::subst::{Subst, Target};

/// Checks both promises. `order` has all nodes, parents first.
pub(super) fn check(model: &Model, order: &[ModelNode], faults: &mut Faults) {
    let mut n_binders: IdVec<LocalId, u32> = model.locals.ids().map(|_| 0).collect();
    let parameters = model.operations.values().flat_map(|op| op.params.iter().chain(&op.outputs));
    parameters.for_each(|local| n_binders[*local] += 1);
    for node in order {
        model.bound_locals(*node).into_iter().for_each(|local| n_binders[local] += 1);
    }
    for (local, n_binders) in n_binders.iter().filter(|(_, n_binders)| **n_binders != 1) {
        faults.add(Promise::BoundOnce, local, format_args!("is bound in {n_binders} places"));
    }
    let mut check = ScopeCheck::new(model, faults);
    check.roots();
    order.iter().for_each(|node| check.node(*node));
}

struct ScopeCheck<'a> {
    model: &'a Model,
    faults: &'a mut Faults,
    numbering: Numbering,
    scopes: Scopes,
    /// Scope of each node; `None` until a parent has been visited. A node that is visited without a scope is unreachable.
    scope_of: Vec<Option<Scope>>,
    bound_in: IdVec<LocalId, Option<Scope>>,
}

impl<'a> ScopeCheck<'a> {
    fn new(model: &'a Model, faults: &'a mut Faults) -> Self {
        let numbering = Numbering::of(model);
        let bound_in = model.locals.ids().map(|_| None).collect();
        ScopeCheck { model, faults, numbering, scopes: Scopes::new(), scope_of: vec![None; numbering.len()], bound_in }
    }

    fn roots(&mut self) {
        let (model, steering) = (self.model, &self.model.steering);
        let conjuncts = model.properties.iter().chain(&model.invariant).chain(&model.assertions);
        let preds = conjuncts.map(|conjunct| conjunct.pred).chain(steering.goal).chain(steering.scope);
        let args = model.free_types.values().flat_map(|free| free.constructors.iter().filter_map(|c| c.arg));
        let orders = steering.reductions.iter().filter_map(ReductionDef::order);
        let exprs = args.map(|(set, _)| set).chain(steering.heuristic).chain(orders);
        let abstraction = model.abstraction.as_ref().map(|abstraction| abstraction.initialisation);
        let substs = std::iter::once(model.initialisation).chain(abstraction);
        let roots = preds.map(ModelNode::Pred).chain(exprs.map(ModelNode::Expr)).chain(substs.map(ModelNode::Subst));
        roots.for_each(|root| self.see(root, Scopes::ROOT));
        for op in model.operations.values() {
            let scope = self.bind(Scopes::ROOT, &op.params);
            let scope = self.bind(scope, &op.outputs);
            self.see(ModelNode::Subst(op.body), scope);
        }
    }

    fn bind(&mut self, outer: Scope, locals: &[LocalId]) -> Scope {
        locals.iter().fold(outer, |outer, local| {
            let scope = self.scopes.push(outer);
            self.bound_in[*local] = Some(scope);
            scope
        })
    }

    /// Records the use of a node in a scope.
    fn see(&mut self, node: ModelNode, scope: Scope) {
        let known = &mut self.scope_of[self.numbering.index(node)];
        *known = Some(known.map_or(scope, |known| self.scopes.common(known, scope)));
    }

    fn node(&mut self, node: ModelNode) {
        let Some(scope) = self.scope_of[self.numbering.index(node)] else { return };
        let model = self.model;
        match node {
            ModelNode::Expr(id) => match model.expr(id) {
                Expr::Local(local) => self.used(*local, scope, node),
                Expr::Let { bindings, body } => self.let_in(bindings, ModelNode::Expr(*body), scope),
                _ => self.operands(node, scope),
            },
            ModelNode::Pred(id) => match model.pred(id) {
                Pred::Let { bindings, body } => self.let_in(bindings, ModelNode::Pred(*body), scope),
                _ => self.operands(node, scope),
            },
            ModelNode::Subst(id) => {
                model.subst(id).targets().iter().for_each(|target| self.target(*target, scope, node));
                match model.subst(id) {
                    Subst::Let { bindings, body } => self.let_in(bindings, ModelNode::Subst(*body), scope),
                    Subst::While { condition, body, invariant, variant, before } => {
                        before.iter().for_each(|(target, _)| self.target(*target, scope, node));
                        self.see(ModelNode::Pred(*condition), scope);
                        self.see(ModelNode::Subst(*body), scope);
                        let scope = self.bind(scope, &model.bound_locals(node));
                        self.see(ModelNode::Pred(*invariant), scope);
                        self.see(ModelNode::Expr(*variant), scope);
                    }
                    _ => self.operands(node, scope),
                }
            }
        }
    }

    /// Visits the operands of a node, all in the scope of the locals that it binds.
    fn operands(&mut self, node: ModelNode, scope: Scope) {
        let model = self.model;
        let scope = self.bind(scope, &model.bound_locals(node));
        model.for_each_child(node, &mut |child| self.see(child, scope));
    }

    fn let_in(&mut self, bindings: &[Binding], body: ModelNode, scope: Scope) {
        let scope = bindings.iter().fold(scope, |scope, binding| {
            self.see(ModelNode::Expr(binding.value), scope);
            self.bind(scope, &[binding.local])
        });
        self.see(body, scope);
    }

    fn target(&mut self, target: Target, scope: Scope, node: ModelNode) {
        if let Target::Local(local) = target {
            self.used(local, scope, node);
        }
    }

    fn used(&mut self, local: LocalId, scope: Scope, node: ModelNode) {
        if !self.bound_in[local].is_some_and(|binder| self.scopes.encloses(binder, scope)) {
            self.faults.add(Promise::Scope, node, format_args!("uses {local:?} outside of what binds it"));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Scope(u32);

/// Growing tree with ancestor queries in logarithmic time. Each node has a pointer to a higher ancestor, as in Myers, "An applicative random-access
/// stack" (1983).
struct Scopes {
    nodes: Vec<ScopeNode>,
}

struct ScopeNode {
    parent: Scope,
    jump: Scope,
    depth: u32,
}

impl Scopes {
    const ROOT: Scope = Scope(0);

    fn new() -> Self {
        Scopes { nodes: vec![ScopeNode { parent: Scopes::ROOT, jump: Scopes::ROOT, depth: 0 }] }
    }

    fn push(&mut self, parent: Scope) -> Scope {
        let near = self.get(parent).jump;
        let far = self.get(near).jump;
        let near_is_far = self.depth(parent) - self.depth(near) == self.depth(near) - self.depth(far);
        let jump = if near_is_far { far } else { parent };
        self.nodes.push(ScopeNode { parent, jump, depth: self.depth(parent) + 1 });
        Scope(self.nodes.len() as u32 - 1)
    }

    fn get(&self, scope: Scope) -> &ScopeNode {
        &self.nodes[scope.0 as usize]
    }

    fn depth(&self, scope: Scope) -> u32 {
        self.get(scope).depth
    }

    fn ancestor(&self, mut scope: Scope, depth: u32) -> Scope {
        while self.depth(scope) > depth {
            let node = self.get(scope);
            scope = if self.depth(node.jump) >= depth { node.jump } else { node.parent };
        }
        scope
    }

    fn encloses(&self, outer: Scope, inner: Scope) -> bool {
        self.ancestor(inner, self.depth(outer)) == outer
    }

    /// Innermost scope that encloses both.
    fn common(&self, left: Scope, right: Scope) -> Scope {
        let depth = self.depth(left).min(self.depth(right));
        let (mut left, mut right) = (self.ancestor(left, depth), self.ancestor(right, depth));
        while left != right {
            let (up, over) = (self.get(left), self.get(right));
            (left, right) = if up.jump != over.jump { (up.jump, over.jump) } else { (up.parent, over.parent) };
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_scopes_agree_with_walking_up() {
        let mut scopes = Scopes::new();
        for idx in 1..300u32 {
            // A mix of chains and forks.
            scopes.push(Scope(if idx % 7 == 0 { idx / 3 } else { idx - 1 }));
        }
        let path = |mut scope: Scope| {
            let mut path = vec![scope];
            while scope != Scopes::ROOT {
                scope = scopes.get(scope).parent;
                path.push(scope);
            }
            path
        };
        for left in (0..300).map(Scope) {
            for right in (0..300).step_by(11).map(Scope) {
                let (above_left, above_right) = (path(left), path(right));
                let common = above_left.iter().find(|scope| above_right.contains(scope)).unwrap();
                assert!(scopes.common(left, right) == *common);
                assert_eq!(scopes.encloses(right, left), above_left.contains(&right));
            }
        }
    }
}
