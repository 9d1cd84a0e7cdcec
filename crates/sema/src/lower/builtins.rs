//! Keyword functions: `dom(r)`, `card(S)`, `father(t, p)`.

use abridge_diag::Span;
use abridge_model::{BinaryOp, Expr, ExprId, TreeOp, UnaryOp};
use abridge_syntax::ast::{self, Builtin};

use crate::lower::Lower;
use crate::scope::Ctx;
use crate::types::overload::{NumberNode, PendingKind, TextOp};
use crate::types::{Ty, Unifier};

impl Lower<'_> {
    pub(crate) fn builtin(&mut self, ctx: Ctx, builtin: Builtin, args: &[ast::ExprId], span: Span) -> ExprId {
        let args: Vec<ExprId> = args.iter().map(|arg| self.expr(ctx, *arg)).collect();
        match (builtin, args.as_slice()) {
            (_, [arg]) if tree_op(builtin).is_none() => self.builtin_unary(builtin, *arg, span),
            (Builtin::Prj1 | Builtin::Prj2, [left, right]) => self.projection(builtin, *left, *right, span),
            (Builtin::Iterate, [relation, times]) => {
                let ty = self.homogeneous(*relation, "`iterate` needs a relation on one type", span);
                self.expect(*times, Unifier::INTEGER, "the number of iterations is an integer", span);
                self.add_expr(Expr::Binary(BinaryOp::Iterate, *relation, *times), ty, span)
            }
            _ => match tree_op(builtin) {
                Some(op) => self.tree_operation(op, args, span),
                None => self.error_expr(span),
            },
        }
    }

    fn builtin_unary(&mut self, builtin: Builtin, arg: ExprId, span: Span) -> ExprId {
        let info = builtin.info();
        let set_needed = format!("`{}` needs a set", info.name);
        let (op, ty) = match builtin {
            Builtin::Max | Builtin::Min => {
                let ty = self.expect_set(arg, &set_needed, span);
                let op = if builtin == Builtin::Max { UnaryOp::Max } else { UnaryOp::Min };
                let node = self.add_expr(Expr::Unary(op, arg), ty, span);
                self.overloaded(PendingKind::Number { node: NumberNode::Expr(node), ty }, span);
                return node;
            }
            Builtin::Size | Builtin::Rev | Builtin::Conc => return self.text_operation(builtin, arg, span),
            Builtin::Card => {
                self.expect_set(arg, &set_needed, span);
                (UnaryOp::Card, Unifier::INTEGER)
            }
            Builtin::Floor | Builtin::Ceiling => {
                self.expect(arg, Unifier::REAL, "rounding needs a real", span);
                (if builtin == Builtin::Floor { UnaryOp::Floor } else { UnaryOp::Ceiling }, Unifier::INTEGER)
            }
            Builtin::Real => {
                self.expect(arg, Unifier::INTEGER, "`real` converts an integer", span);
                (UnaryOp::ToReal, Unifier::REAL)
            }
            Builtin::Pow | Builtin::Pow1 | Builtin::Fin | Builtin::Fin1 => {
                self.expect_set(arg, &set_needed, span);
                let op = match builtin {
                    Builtin::Pow => UnaryOp::Pow,
                    Builtin::Pow1 => UnaryOp::Pow1,
                    Builtin::Fin => UnaryOp::Fin,
                    _ => UnaryOp::Fin1,
                };
                (op, self.types.pow(self.ty(arg)))
            }
            Builtin::GeneralUnion | Builtin::GeneralInter => {
                let elem = self.types.fresh();
                let set = self.types.pow(elem);
                let sets = self.types.pow(set);
                self.expect(arg, sets, &format!("`{}` needs a set of sets", info.name), span);
                (if builtin == Builtin::GeneralUnion { UnaryOp::GeneralUnion } else { UnaryOp::GeneralInter }, set)
            }
            _ => {
                match self.relation_builtin(builtin, arg, span).or_else(|| self.sequence_builtin(builtin, arg, span)) {
                    Some(found) => found,
                    None => return self.error_expr(span),
                }
            }
        };
        self.add_expr(Expr::Unary(op, arg), ty, span)
    }

    /// Model operator and result type of a builtin on relations.
    fn relation_builtin(&mut self, builtin: Builtin, arg: ExprId, span: Span) -> Option<(UnaryOp, Ty)> {
        let info = builtin.info();
        let relation_needed = format!("`{}` needs a relation", info.name);
        Some(match builtin {
            Builtin::Dom => {
                let (first, _) = self.expect_relation(arg, &relation_needed, span);
                (UnaryOp::Dom, self.types.pow(first))
            }
            Builtin::Ran => {
                let (_, second) = self.expect_relation(arg, &relation_needed, span);
                (UnaryOp::Ran, self.types.pow(second))
            }
            Builtin::Id => {
                let elem = self.expect_set(arg, &format!("`{}` needs a set", info.name), span);
                (UnaryOp::Id, self.types.relation(elem, elem))
            }
            Builtin::Prj1 | Builtin::Prj2 => {
                let (first, second) = (self.types.fresh(), self.types.fresh());
                let pair = self.types.pair(first, second);
                self.expect(arg, pair, &format!("`{}` with one argument needs a pair", info.name), span);
                if builtin == Builtin::Prj1 { (UnaryOp::First, first) } else { (UnaryOp::Second, second) }
            }
            Builtin::Closure | Builtin::Closure1 => {
                let ty = self.homogeneous(arg, &format!("`{}` needs a relation on one type", info.name), span);
                (if builtin == Builtin::Closure { UnaryOp::Closure } else { UnaryOp::Closure1 }, ty)
            }
            Builtin::Fnc => {
                let (first, second) = self.expect_relation(arg, &relation_needed, span);
                let set = self.types.pow(second);
                (UnaryOp::Fnc, self.types.relation(first, set))
            }
            Builtin::Rel => {
                let (first, elem) = (self.types.fresh(), self.types.fresh());
                let set = self.types.pow(elem);
                let expected = self.types.relation(first, set);
                self.expect(arg, expected, "`rel` needs a function to sets", span);
                (UnaryOp::Rel, self.types.relation(first, elem))
            }
            _ => return None,
        })
    }

    /// Model operator and result type of a builtin on sequences.
    fn sequence_builtin(&mut self, builtin: Builtin, arg: ExprId, span: Span) -> Option<(UnaryOp, Ty)> {
        let info = builtin.info();
        let sequence_needed = format!("`{}` needs a sequence", info.name);
        Some(match builtin {
            Builtin::Seq | Builtin::Seq1 | Builtin::Iseq | Builtin::Iseq1 | Builtin::Perm => {
                let elem = self.expect_set(arg, &format!("`{}` needs a set", info.name), span);
                let op = match builtin {
                    Builtin::Seq => UnaryOp::Seq,
                    Builtin::Seq1 => UnaryOp::Seq1,
                    Builtin::Iseq => UnaryOp::Iseq,
                    Builtin::Iseq1 => UnaryOp::Iseq1,
                    _ => UnaryOp::Perm,
                };
                let sequence = self.types.sequence(elem);
                (op, self.types.pow(sequence))
            }
            Builtin::First | Builtin::Last => {
                let elem = self.types.fresh();
                let sequence = self.types.sequence(elem);
                self.expect(arg, sequence, &sequence_needed, span);
                (if builtin == Builtin::First { UnaryOp::SeqFirst } else { UnaryOp::SeqLast }, elem)
            }
            Builtin::Front | Builtin::Tail => {
                let ty = self.expect_sequence(arg, &sequence_needed, span);
                (if builtin == Builtin::Front { UnaryOp::Front } else { UnaryOp::Tail }, ty)
            }
            _ => return None,
        })
    }

    /// Lowers `size`, `rev` and `conc`, which also apply to strings.
    fn text_operation(&mut self, builtin: Builtin, arg: ExprId, span: Span) -> ExprId {
        let (op, text_op, ty) = match builtin {
            Builtin::Size => (UnaryOp::Size, TextOp::Size, Unifier::INTEGER),
            Builtin::Rev => (UnaryOp::Rev, TextOp::Rev, self.ty(arg)),
            _ => (UnaryOp::GeneralConcat, TextOp::GeneralConcat, self.types.fresh()),
        };
        let node = self.add_expr(Expr::Unary(op, arg), ty, span);
        let ty = self.ty(arg);
        self.overloaded(PendingKind::Text { node, op: text_op, operand: arg, ty }, span);
        node
    }

    /// Requires a relation on one type and returns its type.
    fn homogeneous(&mut self, relation: ExprId, why: &str, span: Span) -> Ty {
        let elem = self.types.fresh();
        let expected = self.types.relation(elem, elem);
        if self.expect(relation, expected, why, span) { expected } else { Unifier::ERROR }
    }

    fn projection(&mut self, builtin: Builtin, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let why = format!("`{}` with two arguments needs sets", builtin.info().name);
        let first = self.expect_set(left, &why, span);
        let second = self.expect_set(right, &why, span);
        let pair = self.types.pair(first, second);
        let (op, to) = if builtin == Builtin::Prj1 { (BinaryOp::Prj1, first) } else { (BinaryOp::Prj2, second) };
        let ty = self.types.relation(pair, to);
        self.add_expr(Expr::Binary(op, left, right), ty, span)
    }

    /// Lowers an operator on trees, which map paths (sequences of integers) to labels.
    fn tree_operation(&mut self, op: TreeOp, args: Vec<ExprId>, span: Span) -> ExprId {
        let label = self.types.fresh();
        let path = self.types.sequence(Unifier::INTEGER);
        let tree = self.types.relation(path, label);
        let trees = self.types.sequence(tree);
        let labels = self.types.sequence(label);
        let set = self.types.pow(label);
        let set_of_trees = self.types.pow(tree);
        let integer = Unifier::INTEGER;
        let (expected, result): (Vec<Ty>, Ty) = match op {
            TreeOp::Tree | TreeOp::Btree => (vec![set], set_of_trees),
            TreeOp::Const => (vec![label, trees], tree),
            TreeOp::Top => (vec![tree], label),
            TreeOp::Sons => (vec![tree], trees),
            TreeOp::Prefix | TreeOp::Postfix | TreeOp::Infix => (vec![tree], labels),
            TreeOp::SizeT => (vec![tree], integer),
            TreeOp::Mirror | TreeOp::Left | TreeOp::Right => (vec![tree], tree),
            TreeOp::Rank | TreeOp::Arity => (vec![tree, path], integer),
            TreeOp::Father => (vec![tree, path], path),
            TreeOp::Son => (vec![tree, path, integer], path),
            TreeOp::Subtree => (vec![tree, path], tree),
            TreeOp::Bin if args.len() == 1 => (vec![label], tree),
            TreeOp::Bin => (vec![tree, label, tree], tree),
        };
        for (arg, ty) in args.iter().zip(expected) {
            self.expect(*arg, ty, "the tree operator needs another type", span);
        }
        self.add_expr(Expr::Tree(op, args), result, span)
    }
}

fn tree_op(builtin: Builtin) -> Option<TreeOp> {
    Some(match builtin {
        Builtin::Tree => TreeOp::Tree,
        Builtin::Btree => TreeOp::Btree,
        Builtin::Const => TreeOp::Const,
        Builtin::Top => TreeOp::Top,
        Builtin::Sons => TreeOp::Sons,
        Builtin::Prefix => TreeOp::Prefix,
        Builtin::Postfix => TreeOp::Postfix,
        Builtin::Infix => TreeOp::Infix,
        Builtin::SizeT => TreeOp::SizeT,
        Builtin::Mirror => TreeOp::Mirror,
        Builtin::Rank => TreeOp::Rank,
        Builtin::Father => TreeOp::Father,
        Builtin::Son => TreeOp::Son,
        Builtin::Subtree => TreeOp::Subtree,
        Builtin::Arity => TreeOp::Arity,
        Builtin::Bin => TreeOp::Bin,
        Builtin::Left => TreeOp::Left,
        Builtin::Right => TreeOp::Right,
        _ => return None,
    })
}
