//! Traversal of the model: operands of every node, in evaluation order.
//!
//! Only this file knows where nodes keep their operands. An operand that is missing here is invisible to every analysis.

use crate::expr::Expr;
use crate::ids::{ExprId, LocalId, PredId, SubstId};
use crate::model::Model;
use crate::pred::Pred;
use crate::subst::Subst;

/// Reference to any node of a [`Model`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ModelNode {
    Expr(ExprId),
    Pred(PredId),
    Subst(SubstId),
}

impl Model {
    /// Calls `visit` with each direct operand.
    pub fn for_each_child(&self, node: ModelNode, visit: &mut dyn FnMut(ModelNode)) {
        match node {
            ModelNode::Expr(id) => self.expr(id).for_each_child(visit),
            ModelNode::Pred(id) => self.pred(id).for_each_child(visit),
            ModelNode::Subst(id) => self.subst(id).for_each_child(visit),
        }
    }

    /// Calls `visit` with the node and all nodes below it, parents first. Bodies of called operations are not entered.
    pub fn for_each_node(&self, root: ModelNode, visit: &mut dyn FnMut(ModelNode)) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            visit(node);
            let first_child = open.len();
            self.for_each_child(node, &mut |child| open.push(child));
            open[first_child..].reverse();
        }
    }

    /// Locals that a node binds for its operands.
    pub fn bound_locals(&self, node: ModelNode) -> Vec<LocalId> {
        let of = |bindings: &[crate::Binding]| bindings.iter().map(|binding| binding.local).collect();
        match node {
            ModelNode::Expr(id) => match self.expr(id) {
                Expr::Comprehension { binder, .. } | Expr::SetImage { binder, .. } => binder.clone(),
                Expr::Quantified { binder, .. } => binder.clone(),
                Expr::Let { bindings, .. } => of(bindings),
                _ => Vec::new(),
            },
            ModelNode::Pred(id) => match self.pred(id) {
                Pred::Forall { binder, .. } | Pred::Exists { binder, .. } => binder.clone(),
                Pred::Let { bindings, .. } => of(bindings),
                _ => Vec::new(),
            },
            ModelNode::Subst(id) => match self.subst(id) {
                Subst::BecomesSuch { new, .. } => new.clone(),
                Subst::Any { binder, .. } => binder.clone(),
                Subst::Let { bindings, .. } => of(bindings),
                Subst::Var { locals, .. } => locals.clone(),
                Subst::While { before, .. } => before.iter().map(|(_, local)| *local).collect(),
                _ => Vec::new(),
            },
        }
    }
}

impl Expr {
    fn for_each_child(&self, visit: &mut dyn FnMut(ModelNode)) {
        let all =
            |ids: &[ExprId], visit: &mut dyn FnMut(ModelNode)| ids.iter().for_each(|id| visit(ModelNode::Expr(*id)));
        match self {
            Expr::Integer(_) | Expr::Real(_) | Expr::String(_) | Expr::Bool(_) | Expr::Element(..) => {}
            Expr::Constant(_) | Expr::Variable(_) | Expr::Local(_) | Expr::Carrier(_) | Expr::FreeType(_) => {}
            Expr::BaseSet(_) | Expr::EmptySet | Expr::Constructor(..) => {}
            Expr::Successor | Expr::Predecessor | Expr::FirstProjection | Expr::SecondProjection => {}
            Expr::Unary(_, operand) | Expr::Field(operand, _) => visit(ModelNode::Expr(*operand)),
            Expr::Binary(_, left, right) | Expr::WithField(left, _, right) => all(&[*left, *right], visit),
            Expr::Tree(_, items) | Expr::SetExtension(items) | Expr::SequenceExtension(items) => all(items, visit),
            Expr::Record(items) | Expr::StructSet(items) | Expr::Template(items) => all(items, visit),
            Expr::External(_, args) | Expr::CallOperation(_, args) => all(args, visit),
            Expr::Comprehension { pred, .. } | Expr::BoolOf(pred) => visit(ModelNode::Pred(*pred)),
            Expr::SetImage { pred, expr, .. } | Expr::Quantified { pred, expr, .. } => {
                visit(ModelNode::Pred(*pred));
                visit(ModelNode::Expr(*expr));
            }
            Expr::If(condition, then, otherwise) => {
                visit(ModelNode::Pred(*condition));
                all(&[*then, *otherwise], visit);
            }
            Expr::Let { bindings, body } => {
                bindings.iter().for_each(|binding| visit(ModelNode::Expr(binding.value)));
                visit(ModelNode::Expr(*body));
            }
        }
    }
}

impl Pred {
    fn for_each_child(&self, visit: &mut dyn FnMut(ModelNode)) {
        match self {
            Pred::True | Pred::False => {}
            Pred::Not(operand) => visit(ModelNode::Pred(*operand)),
            Pred::And(operands) | Pred::Or(operands) => operands.iter().for_each(|id| visit(ModelNode::Pred(*id))),
            Pred::Implies(left, right) | Pred::Equivalent(left, right) => {
                visit(ModelNode::Pred(*left));
                visit(ModelNode::Pred(*right));
            }
            Pred::Compare(_, left, right) => {
                visit(ModelNode::Expr(*left));
                visit(ModelNode::Expr(*right));
            }
            Pred::Forall { body, .. } | Pred::Exists { body, .. } => visit(ModelNode::Pred(*body)),
            Pred::If(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|id| visit(ModelNode::Pred(*id)));
            }
            Pred::Let { bindings, body } => {
                bindings.iter().for_each(|binding| visit(ModelNode::Expr(binding.value)));
                visit(ModelNode::Pred(*body));
            }
            Pred::Finite(set) => visit(ModelNode::Expr(*set)),
            Pred::Partition(set, parts) => {
                visit(ModelNode::Expr(*set));
                parts.iter().for_each(|id| visit(ModelNode::Expr(*id)));
            }
            Pred::External(_, args) => args.iter().for_each(|id| visit(ModelNode::Expr(*id))),
        }
    }
}

impl Subst {
    fn for_each_child(&self, visit: &mut dyn FnMut(ModelNode)) {
        match self {
            Subst::Skip => {}
            Subst::Assign { values, .. } => values.iter().for_each(|id| visit(ModelNode::Expr(*id))),
            Subst::BecomesElement { set, .. } => visit(ModelNode::Expr(*set)),
            Subst::BecomesSuch { pred, .. } => visit(ModelNode::Pred(*pred)),
            Subst::Pre { pred, body } | Subst::Assert { pred, body } | Subst::Any { pred, body, .. } => {
                visit(ModelNode::Pred(*pred));
                visit(ModelNode::Subst(*body));
            }
            Subst::Select { branches, otherwise } | Subst::If { branches, otherwise } => {
                for (condition, body) in branches {
                    visit(ModelNode::Pred(*condition));
                    visit(ModelNode::Subst(*body));
                }
                otherwise.iter().for_each(|id| visit(ModelNode::Subst(*id)));
            }
            Subst::Case { selector, branches, otherwise } => {
                visit(ModelNode::Expr(*selector));
                for (values, body) in branches {
                    values.iter().for_each(|id| visit(ModelNode::Expr(*id)));
                    visit(ModelNode::Subst(*body));
                }
                otherwise.iter().for_each(|id| visit(ModelNode::Subst(*id)));
            }
            Subst::Let { bindings, body } => {
                bindings.iter().for_each(|binding| visit(ModelNode::Expr(binding.value)));
                visit(ModelNode::Subst(*body));
            }
            Subst::Var { body, .. } => visit(ModelNode::Subst(*body)),
            Subst::While { condition, body, invariant, variant, .. } => {
                visit(ModelNode::Pred(*condition));
                visit(ModelNode::Subst(*body));
                visit(ModelNode::Pred(*invariant));
                visit(ModelNode::Expr(*variant));
            }
            Subst::Call { args, .. } | Subst::External(_, args) => {
                args.iter().for_each(|id| visit(ModelNode::Expr(*id)))
            }
            Subst::Choice(parts) | Subst::Sequence(parts) | Subst::Parallel(parts) => {
                parts.iter().for_each(|id| visit(ModelNode::Subst(*id)));
            }
        }
    }
}
