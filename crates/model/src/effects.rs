//! Read and write sets of formulas and operations.
//!
//! All sets are over-approximations. An additional variable is sound; a missing one is not, since memos and partial order reduction rely on the sets.
//! The analysis first computes the effects of each body without calls, then propagates effects from callees to callers up to a fixpoint.

mod must;

use abridge_diag::with_stack;

pub use must::must_write;

use crate::ModelNode;
use crate::expr::Expr;
use crate::ids::{ConstId, ExprId, IdSet, IdVec, OpId, PredId, SubstId, VarId};
use crate::model::{Effects, Model};
use crate::subst::{Subst, Target};

/// Read set of a formula.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Reads {
    pub variables: IdSet<VarId>,
    pub constants: IdSet<ConstId>,
}

/// Computes the effects of all operations and conjuncts.
pub fn compute(model: &mut Model) {
    let analysis = Analysis::of(model);
    let effects = analysis.effects.clone();
    let conjuncts = model.properties.iter().chain(&model.invariant).chain(&model.assertions);
    let reads: Vec<Reads> = conjuncts.map(|conjunct| analysis.formula(ModelNode::Pred(conjunct.pred))).collect();
    for (op, effects) in model.operations.values_mut().zip(effects.values()) {
        op.effects = effects.clone();
    }
    let variables = &model.variables;
    let conjuncts = model.properties.iter_mut().chain(&mut model.invariant).chain(&mut model.assertions);
    for (conjunct, reads) in conjuncts.zip(reads) {
        conjunct.is_gluing = reads.variables.iter().any(|id| variables[id].is_abstract);
        conjunct.reads = reads.variables;
        conjunct.constants = reads.constants;
    }
}

/// Variables that each operation may write, including calls. The model needs no types.
pub fn writes(model: &Model) -> IdVec<OpId, IdSet<VarId>> {
    let mut analysis = Analysis { model, effects: IdVec::new(), blocks: IdVec::new() };
    analysis.operations();
    analysis.effects.values().map(|effects| effects.writes.clone()).collect()
}

/// Read set of a predicate.
pub fn reads_of(model: &Model, pred: PredId) -> Reads {
    Analysis::of(model).formula(ModelNode::Pred(pred))
}

/// Read set of an expression.
pub fn reads_of_expr(model: &Model, expr: ExprId) -> Reads {
    Analysis::of(model).formula(ModelNode::Expr(expr))
}

struct Analysis<'a> {
    model: &'a Model,
    effects: IdVec<OpId, Effects>,
    /// True if an operation may have no outcome in some state. A false precondition counts as no outcome.
    blocks: IdVec<OpId, bool>,
}

/// Effects of one body, without its callees.
#[derive(Clone, Default)]
struct Direct {
    effects: Effects,
    calls: IdSet<OpId>,
    blocks: bool,
}

impl<'a> Analysis<'a> {
    fn of(model: &'a Model) -> Self {
        let mut analysis = Analysis { model, effects: IdVec::new(), blocks: IdVec::new() };
        let order = analysis.operations();
        analysis.guards(&order);
        analysis
    }

    /// Computes all effects of operations except guards. Returns the operations, callees first.
    fn operations(&mut self) -> Vec<OpId> {
        let bodies = self.model.operations.values().map(|op| ModelNode::Subst(op.body));
        let direct: IdVec<OpId, Direct> = bodies.map(|body| Direct::of(self.model, body)).collect();
        self.effects = direct.values().map(|direct| direct.effects.clone()).collect();
        self.blocks = direct.values().map(|direct| direct.blocks).collect();
        let order = callees_first(&direct);
        self.close(&direct, &order);
        order
    }

    /// Propagates effects from callees to callers.
    fn close(&mut self, direct: &IdVec<OpId, Direct>, order: &[OpId]) {
        loop {
            let mut changed = false;
            for op in order.iter().copied() {
                let before = (self.effects[op].clone(), self.blocks[op]);
                let mut effects = before.0.clone();
                for callee in direct[op].calls.iter() {
                    effects.take_over(&self.effects[callee]);
                    self.blocks[op] |= self.blocks[callee];
                }
                changed |= (&effects, self.blocks[op]) != (&before.0, before.1);
                self.effects[op] = effects;
            }
            if !changed {
                break;
            }
        }
    }

    fn guards(&mut self, order: &[OpId]) {
        let mut blocking = IdVec::default();
        for id in self.model.substs.ids() {
            let blocks = Direct::of_one(self.model, id, &self.blocks);
            blocking.push(blocks);
        }
        let mut blocking = Blocking { model: self.model, known: blocking };
        loop {
            let mut changed = false;
            for op in order.iter().copied() {
                let mut guard = IdSet::new();
                self.guard(self.model.operations[op].body, &mut blocking, &mut guard);
                changed |= guard != self.effects[op].guard_reads;
                self.effects[op].guard_reads = guard;
            }
            if !changed {
                break;
            }
        }
    }

    fn formula(&self, root: ModelNode) -> Reads {
        let direct = Direct::of(self.model, root);
        let mut effects = direct.effects;
        for callee in direct.calls.iter() {
            effects.take_over(&self.effects[callee]);
        }
        Reads { variables: effects.reads, constants: effects.constants }
    }

    /// Adds the variables that decide whether the substitution has an outcome.
    fn guard(&self, id: SubstId, blocking: &mut Blocking<'_>, out: &mut IdSet<VarId>) {
        if !blocking.can_block(id) {
            return;
        }
        // A value read before a blocking part may flow into its condition, so all direct formulas count.
        let mut parts = Vec::new();
        self.model.for_each_child(ModelNode::Subst(id), &mut |child| parts.push(child));
        let in_sequence = matches!(self.model.subst(id), Subst::Sequence(_) | Subst::While { .. });
        for part in parts {
            match part {
                ModelNode::Subst(body) if !in_sequence => with_stack(|| self.guard(body, blocking, out)),
                node => out.union_with(&self.formula(node).variables),
            }
        }
        if let Subst::Call { op, .. } = self.model.subst(id) {
            out.union_with(&self.effects[*op].guard_reads);
        }
    }
}

/// Operations, callees before callers where calls are not recursive, so that one pass usually reaches the fixpoint.
fn callees_first(direct: &IdVec<OpId, Direct>) -> Vec<OpId> {
    let mut order = Vec::new();
    let mut seen: IdSet<OpId> = IdSet::new();
    for root in direct.ids() {
        let mut path = Vec::new();
        if seen.insert(root) {
            path.push((root, direct[root].calls.iter()));
        }
        while let Some((op, calls)) = path.last_mut() {
            match calls.find(|callee| seen.insert(*callee)) {
                Some(callee) => path.push((callee, direct[callee].calls.iter())),
                None => {
                    order.push(*op);
                    path.pop();
                }
            }
        }
    }
    order
}

/// Memo of the substitutions that may have no outcome.
struct Blocking<'a> {
    model: &'a Model,
    /// `None` if it depends on the parts of the substitution.
    known: IdVec<SubstId, Option<bool>>,
}

impl Blocking<'_> {
    fn can_block(&mut self, id: SubstId) -> bool {
        if let Some(known) = self.known[id] {
            return known;
        }
        let mut parts = Vec::new();
        self.model.for_each_child(ModelNode::Subst(id), &mut |child| {
            if let ModelNode::Subst(part) = child {
                parts.push(part);
            }
        });
        let blocks = parts.into_iter().any(|part| with_stack(|| self.can_block(part)));
        self.known[id] = Some(blocks);
        blocks
    }
}

impl Direct {
    /// Everything read, written and called at or below a node.
    fn of(model: &Model, root: ModelNode) -> Direct {
        let mut direct = Direct::default();
        let effects = &mut direct.effects;
        model.for_each_node(root, &mut |node| match node {
            ModelNode::Expr(id) => match model.expr(id) {
                Expr::Variable(id) => _ = effects.reads.insert(*id),
                Expr::Constant(id) => _ = effects.constants.insert(*id),
                Expr::CallOperation(op, _) => _ = direct.calls.insert(*op),
                _ => {}
            },
            ModelNode::Pred(_) => {}
            ModelNode::Subst(id) => {
                let subst = model.subst(id);
                subst
                    .targets()
                    .iter()
                    .filter_map(|target| target.variable())
                    .for_each(|id| _ = effects.writes.insert(id));
                direct.blocks |= subst.is_guarded();
                match subst {
                    Subst::Call { op, .. } => _ = direct.calls.insert(*op),
                    Subst::While { before, .. } => {
                        before
                            .iter()
                            .filter_map(|(target, _)| target.variable())
                            .for_each(|id| _ = effects.reads.insert(id));
                    }
                    _ => {}
                }
            }
        });
        direct
    }

    /// True if a substitution itself may block: it is guarded, or calls an operation that may block. `None` if it depends on the parts.
    fn of_one(model: &Model, id: SubstId, blocks: &IdVec<OpId, bool>) -> Option<bool> {
        let subst = model.subst(id);
        let mut found = subst.is_guarded();
        if let Subst::Call { op, .. } = subst {
            found |= blocks[*op];
        }
        model.for_each_child(ModelNode::Subst(id), &mut |child| {
            if !matches!(child, ModelNode::Subst(_)) {
                model.for_each_node(child, &mut |node| {
                    if let ModelNode::Expr(id) = node
                        && let Expr::CallOperation(op, _) = model.expr(id)
                    {
                        found |= blocks[*op];
                    }
                });
            }
        });
        found.then_some(true)
    }
}

impl Effects {
    /// Adds the effects of a callee, except its guard, which [`Analysis::guard`] adds.
    fn take_over(&mut self, callee: &Effects) {
        self.reads.union_with(&callee.reads);
        self.writes.union_with(&callee.writes);
        self.constants.union_with(&callee.constants);
    }
}

impl Subst {
    /// Targets that the substitution assigns itself, not in its parts.
    pub fn targets(&self) -> &[Target] {
        match self {
            Subst::Assign { targets, .. } | Subst::BecomesElement { targets, .. } => targets,
            Subst::BecomesSuch { targets, .. } => targets,
            Subst::Call { outputs, .. } => outputs,
            _ => &[],
        }
    }

    /// True if the substitution has a guard of its own.
    fn is_guarded(&self) -> bool {
        use Subst::{Any, Assert, BecomesElement, BecomesSuch, Pre, Select};
        matches!(
            self,
            BecomesElement { .. } | BecomesSuch { .. } | Any { .. } | Pre { .. } | Assert { .. } | Select { .. }
        )
    }
}

impl Target {
    pub fn variable(self) -> Option<VarId> {
        match self {
            Target::Variable(id) => Some(id),
            Target::Local(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_ids_do_not_remember_how_they_grew() {
        let mut set: IdSet<VarId> = IdSet::new();
        set.insert(VarId(200));
        set.remove(VarId(200));
        assert_eq!(set, IdSet::new());
    }
}
