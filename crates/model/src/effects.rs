//! What nodes read and write.
//!
//! All sets are over-approximations: a variable too many is sound, one too few is not. Calls are followed.

use std::collections::HashMap;

use abridge_diag::with_stack;

use crate::expr::Expr;
use crate::ids::{ConstId, IdSet, OpId, PredId, SubstId, VarId};
use crate::model::{Effects, Model};
use crate::subst::{Subst, Target};
use crate::walk::Node;

/// What a formula reads.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Reads {
    pub variables: IdSet<VarId>,
    pub constants: IdSet<ConstId>,
}

/// Fills the effects of all operations and conjuncts.
pub fn compute(model: &mut Model) {
    let mut analysis = Analysis { model, done: HashMap::new(), open: Vec::new() };
    let effects: Vec<Effects> = model.operations.ids().map(|op| analysis.operation(op)).collect();
    let conjuncts = model.properties.iter().chain(&model.invariant).chain(&model.assertions);
    let reads: Vec<Reads> = conjuncts.map(|conjunct| analysis.formula(Node::Pred(conjunct.pred))).collect();
    for (op, effects) in model.operations.values_mut().zip(effects) {
        op.effects = effects;
    }
    let variables = &model.variables;
    let conjuncts = model.properties.iter_mut().chain(&mut model.invariant).chain(&mut model.assertions);
    for (conjunct, reads) in conjuncts.zip(reads) {
        conjunct.is_gluing = reads.variables.iter().any(|id| variables[id].is_abstract);
        conjunct.reads = reads.variables;
        conjunct.constants = reads.constants;
    }
}

/// What a predicate reads.
pub fn reads_of(model: &Model, pred: PredId) -> Reads {
    Analysis { model, done: HashMap::new(), open: Vec::new() }.formula(Node::Pred(pred))
}

struct Analysis<'a> {
    model: &'a Model,
    done: HashMap<OpId, Effects>,
    /// Operations under way; a recursive call adds nothing that the outer visit does not add.
    open: Vec<OpId>,
}

impl Analysis<'_> {
    fn operation(&mut self, op: OpId) -> Effects {
        if let Some(effects) = self.done.get(&op) {
            return effects.clone();
        }
        if self.open.contains(&op) {
            return Effects::default();
        }
        self.open.push(op);
        let body = self.model.operations[op].body;
        let mut effects = Effects::default();
        self.substitution(body, &mut effects);
        self.guard(body, &mut effects.guard_reads);
        self.open.pop();
        if self.open.is_empty() {
            // Inside a cycle of calls the result may be partial, so only outermost visits are remembered.
            self.done.insert(op, effects.clone());
        }
        effects
    }

    fn formula(&mut self, root: Node) -> Reads {
        let mut effects = Effects::default();
        self.reads(root, &mut effects);
        Reads { variables: effects.reads, constants: effects.constants }
    }

    fn substitution(&mut self, root: SubstId, effects: &mut Effects) {
        self.reads(Node::Subst(root), effects);
    }

    /// Adds everything read or written at or below a node.
    fn reads(&mut self, root: Node, effects: &mut Effects) {
        let model = self.model;
        let mut called = Vec::new();
        model.for_each_node(root, &mut |node| match node {
            Node::Expr(id) => match model.expr(id) {
                Expr::Variable(id) => _ = effects.reads.insert(*id),
                Expr::Constant(id) => _ = effects.constants.insert(*id),
                Expr::CallOperation(op, _) => called.push(*op),
                _ => {}
            },
            Node::Pred(_) => {}
            Node::Subst(id) => {
                for target in model.subst(id).targets() {
                    if let Target::Variable(id) = target {
                        effects.writes.insert(*id);
                    }
                }
                match model.subst(id) {
                    Subst::Call { op, .. } => called.push(*op),
                    Subst::While { before, .. } => {
                        let old = before.iter().filter_map(|(target, _)| target.variable());
                        old.for_each(|id| _ = effects.reads.insert(id));
                    }
                    _ => {}
                }
            }
        });
        for op in called {
            let callee = self.operation(op);
            effects.reads.union_with(&callee.reads);
            effects.writes.union_with(&callee.writes);
            effects.constants.union_with(&callee.constants);
        }
    }

    /// Adds the variables that decide whether the substitution has an outcome.
    fn guard(&mut self, id: SubstId, out: &mut IdSet<VarId>) {
        with_stack(|| self.guard_inner(id, out));
    }

    fn guard_inner(&mut self, id: SubstId, out: &mut IdSet<VarId>) {
        if !self.can_block(id) {
            return;
        }
        // What is read before a part that can block may flow into its condition, so all direct formulas count.
        let mut parts = Vec::new();
        self.model.for_each_child(Node::Subst(id), &mut |child| parts.push(child));
        let in_sequence = matches!(self.model.subst(id), Subst::Sequence(_) | Subst::While { .. });
        for part in parts {
            match part {
                Node::Subst(body) if !in_sequence => self.guard(body, out),
                node => out.union_with(&self.formula(node).variables),
            }
        }
        if let Subst::Call { op, .. } = self.model.subst(id) {
            out.union_with(&self.operation(*op).guard_reads);
        }
    }

    /// Whether the substitution may have no outcome in some state.
    fn can_block(&self, root: SubstId) -> bool {
        let mut can_block = false;
        let mut called = vec![];
        let mut seen: IdSet<OpId> = IdSet::new();
        let mut roots = vec![root];
        while let (Some(root), false) = (roots.pop(), can_block) {
            self.model.for_each_node(Node::Subst(root), &mut |node| {
                let Node::Subst(id) = node else { return };
                match self.model.subst(id) {
                    Subst::BecomesElement { .. } | Subst::BecomesSuch { .. } | Subst::Any { .. } => can_block = true,
                    Subst::Pre { .. } | Subst::Assert { .. } | Subst::Select { .. } => can_block = true,
                    Subst::Call { op, .. } => called.push(*op),
                    _ => {}
                }
            });
            for op in called.drain(..) {
                if seen.insert(op) {
                    roots.push(self.model.operations[op].body);
                }
            }
        }
        can_block
    }
}

impl Subst {
    /// What the substitution itself assigns, its parts excluded.
    pub fn targets(&self) -> &[Target] {
        match self {
            Subst::Assign { targets, .. } | Subst::BecomesElement { targets, .. } => targets,
            Subst::BecomesSuch { targets, .. } => targets,
            Subst::Call { outputs, .. } => outputs,
            _ => &[],
        }
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
