//! Operands of every node of the syntax tree.
//!
//! Only this file knows where nodes keep their operands. An operand that is missing here is invisible to every traversal.

use crate::ast::{Ast, Expr, ExprId, Ident, Subst, SubstId, TemplatePart};

/// Reference to a node of an [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AstNode {
    Expr(ExprId),
    Subst(SubstId),
}

impl Ast {
    /// Calls `visit` with each direct operand, in the order of the text.
    pub fn for_each_child(&self, node: AstNode, visit: &mut dyn FnMut(AstNode)) {
        match node {
            AstNode::Expr(id) => self.expr(id).expr.for_each_child(&mut |child| visit(AstNode::Expr(child))),
            AstNode::Subst(id) => self.subst(id).subst.for_each_child(visit),
        }
    }

    /// Calls `visit` with the node and all nodes below it, parents first.
    pub fn for_each_node(&self, root: AstNode, visit: &mut dyn FnMut(AstNode)) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            visit(node);
            let first_child = open.len();
            self.for_each_child(node, &mut |child| open.push(child));
            open[first_child..].reverse();
        }
    }
}

impl Expr {
    /// Calls `visit` with each direct operand, in the order of the text.
    pub fn for_each_child(&self, visit: &mut dyn FnMut(ExprId)) {
        match self {
            Expr::Error | Expr::Ident(_) | Expr::Before(_) | Expr::Integer(_) | Expr::Real(_) => {}
            Expr::String(_) | Expr::Atom(_) => {}
            Expr::Template(parts) => {
                for part in parts {
                    if let TemplatePart::Expr(id) = part {
                        visit(*id);
                    }
                }
            }
            Expr::Neg(operand) | Expr::Inverse(operand) | Expr::Not(operand) | Expr::Field(operand, _) => {
                visit(*operand)
            }
            Expr::Described { expr, .. } => visit(*expr),
            Expr::Labelled { pred, .. } | Expr::Comprehension { pred, .. } => visit(*pred),
            Expr::Forall { pred, .. } | Expr::Exists { pred, .. } => visit(*pred),
            Expr::And(items) | Expr::Or(items) | Expr::Builtin(_, items) | Expr::Tuple(items) => {
                items.iter().copied().for_each(visit);
            }
            Expr::SetExtension(items) | Expr::SequenceExtension(items) => items.iter().copied().for_each(visit),
            Expr::Binary(_, left, right) | Expr::Image(left, right) | Expr::OfType(left, right) => {
                visit(*left);
                visit(*right);
            }
            Expr::Apply(function, args) => {
                visit(*function);
                args.iter().copied().for_each(visit);
            }
            Expr::SetImage { pred, expr, .. } | Expr::Quantified { pred, expr, .. } => {
                visit(*pred);
                visit(*expr);
            }
            Expr::Record(fields) | Expr::Struct(fields) => fields.iter().for_each(|(_, value)| visit(*value)),
            Expr::If { branches, otherwise } => {
                for (condition, value) in branches {
                    visit(*condition);
                    visit(*value);
                }
                visit(*otherwise);
            }
            Expr::Let { pred, body, .. } => {
                visit(*pred);
                visit(*body);
            }
            Expr::Substituted(it) => {
                it.values.iter().copied().for_each(&mut *visit);
                visit(it.pred);
            }
        }
    }

    /// Names that the formula binds for its operands.
    pub fn binder(&self) -> &[Ident] {
        match self {
            Expr::Comprehension { ids, .. } | Expr::SetImage { ids, .. } | Expr::Quantified { ids, .. } => ids,
            Expr::Forall { ids, .. } | Expr::Exists { ids, .. } | Expr::Let { ids, .. } => ids,
            Expr::Substituted(it) => &it.ids,
            _ => &[],
        }
    }
}

impl Subst {
    /// Names that the substitution binds for its parts.
    pub fn binder(&self) -> &[Ident] {
        match self {
            Subst::Any { ids, .. } | Subst::Let { ids, .. } | Subst::Var { ids, .. } => ids,
            _ => &[],
        }
    }

    /// Calls `visit` with each direct operand, in the order of the text.
    pub fn for_each_child(&self, visit: &mut dyn FnMut(AstNode)) {
        let exprs =
            |ids: &[ExprId], visit: &mut dyn FnMut(AstNode)| ids.iter().for_each(|id| visit(AstNode::Expr(*id)));
        match self {
            Subst::Error | Subst::Skip => {}
            Subst::Block(body) | Subst::Var { body, .. } => visit(AstNode::Subst(*body)),
            Subst::Assign { targets, values } => {
                exprs(targets, visit);
                exprs(values, visit);
            }
            Subst::BecomesElement { set, .. } => visit(AstNode::Expr(*set)),
            Subst::BecomesSuch { pred, .. } => visit(AstNode::Expr(*pred)),
            Subst::Pre { pred, body } | Subst::Assert { pred, body } | Subst::Witness { pred, body } => {
                visit(AstNode::Expr(*pred));
                visit(AstNode::Subst(*body));
            }
            Subst::Any { pred, body, .. } | Subst::Let { pred, body, .. } => {
                visit(AstNode::Expr(*pred));
                visit(AstNode::Subst(*body));
            }
            Subst::Select { branches, otherwise } | Subst::If { branches, otherwise } => {
                for (condition, body) in branches {
                    visit(AstNode::Expr(*condition));
                    visit(AstNode::Subst(*body));
                }
                otherwise.iter().for_each(|id| visit(AstNode::Subst(*id)));
            }
            Subst::Case { selector, branches, otherwise } => {
                visit(AstNode::Expr(*selector));
                for (values, body) in branches {
                    exprs(values, visit);
                    visit(AstNode::Subst(*body));
                }
                otherwise.iter().for_each(|id| visit(AstNode::Subst(*id)));
            }
            Subst::While { condition, body, invariant, variant } => {
                visit(AstNode::Expr(*condition));
                visit(AstNode::Subst(*body));
                exprs(&[*invariant, *variant], visit);
            }
            Subst::Call { outputs, args, .. } => {
                exprs(outputs, visit);
                exprs(args, visit);
            }
            Subst::Choice(parts) | Subst::Sequence(parts) | Subst::Parallel(parts) => {
                parts.iter().for_each(|id| visit(AstNode::Subst(*id)));
            }
        }
    }
}
