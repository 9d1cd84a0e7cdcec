//! Infix operators and function application.

use abridge_diag::{Diagnostic, Span};
use abridge_model::{Arrow, BinaryOp, Expr, ExprId, SmolStr, UnaryOp};
use abridge_syntax::ast::{self, Ident};

use crate::lower::Lower;
use crate::scope::Ctx;
use crate::types::overload::{NumberNode, PendingKind, TextOp};
use crate::types::{Ty, TypeTerm, Unifier};

impl Lower<'_> {
    pub(crate) fn binary(
        &mut self,
        ctx: Ctx,
        op: ast::BinaryOp,
        left: ast::ExprId,
        right: ast::ExprId,
        span: Span,
    ) -> ExprId {
        let (left, right) = (self.expr(ctx, left), self.expr(ctx, right));
        self.binary_of(op, left, right, span)
    }

    /// Lowers an infix operator on lowered operands.
    pub(crate) fn binary_of(&mut self, op: ast::BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        use ast::BinaryOp::*;
        match op {
            Add | Divide | Power => self.arithmetic(op, left, right, span),
            Modulo => {
                self.expect(left, Unifier::INTEGER, "`mod` needs integers", span);
                self.expect(right, Unifier::INTEGER, "`mod` needs integers", span);
                self.add_expr(Expr::Binary(BinaryOp::Modulo, left, right), Unifier::INTEGER, span)
            }
            Minus => {
                let ty = self.common_type(left, right, span);
                let node = self.add_expr(Expr::Binary(BinaryOp::Subtract, left, right), ty, span);
                self.overloaded(PendingKind::Minus { node, ty }, span);
                node
            }
            Times => {
                let ty = self.types.fresh();
                let node = self.add_expr(Expr::Binary(BinaryOp::Multiply, left, right), ty, span);
                self.overloaded(PendingKind::Times { node, left, right }, span);
                node
            }
            Interval => {
                let why = "an interval `a..b` has integer bounds";
                let is_interval = matches!(self.model.exprs[left].expr, Expr::Binary(BinaryOp::Interval, ..));
                if !self.expect(left, Unifier::INTEGER, why, span) && is_interval {
                    self.suggest_parentheses();
                    return self.error_expr(span);
                }
                self.expect(right, Unifier::INTEGER, why, span);
                let ty = self.types.pow(Unifier::INTEGER);
                self.add_expr(Expr::Binary(BinaryOp::Interval, left, right), ty, span)
            }
            Union | Intersection | SetMinus => self.set_operation(op, left, right, span),
            Cartesian => {
                let first = self.expect_set(left, "`×` needs sets", span);
                let second = self.expect_set(right, "`×` needs sets", span);
                let ty = self.types.relation(first, second);
                self.add_expr(Expr::Binary(BinaryOp::Cartesian, left, right), ty, span)
            }
            Maplet => {
                let ty = self.types.pair(self.ty(left), self.ty(right));
                self.add_expr(Expr::Binary(BinaryOp::Pair, left, right), ty, span)
            }
            Compose => self.composition(left, right, span),
            BackwardCompose => self.composition(right, left, span),
            ParallelProduct | DirectProduct | Override => self.relation_product(op, left, right, span),
            DomainRestrict | DomainSubtract | RangeRestrict | RangeSubtract => self.restriction(op, left, right, span),
            Concat | InsertFront | InsertTail | RestrictFront | RestrictTail => {
                self.sequence_operation(op, left, right, span)
            }
            _ => self.arrow(op, left, right, span),
        }
    }

    /// Adds a hint to the last diagnostic, for `0..3 * 0..3`.
    fn suggest_parentheses(&mut self) {
        if let Some(last) = self.diagnostics.last_mut() {
            last.help
                .push("`..` binds looser than `*`, `+` and `-`; put intervals in parentheses: `(a..b)`".to_owned());
        }
    }

    /// Unifies the types of two operands and returns the common type, or an error type.
    fn common_type(&mut self, left: ExprId, right: ExprId, span: Span) -> Ty {
        if self.expect_like(left, right, span) { self.ty(left) } else { Unifier::ERROR }
    }

    fn arithmetic(&mut self, op: ast::BinaryOp, left: ExprId, mut right: ExprId, span: Span) -> ExprId {
        let model_op = match op {
            ast::BinaryOp::Add => BinaryOp::Add,
            ast::BinaryOp::Divide => BinaryOp::Divide,
            _ => BinaryOp::Power,
        };
        let mut ty = self.ty(left);
        if op == ast::BinaryOp::Power && matches!(self.types.shape(ty), TypeTerm::Real) {
            // A real may be raised to an integer or to a real.
            if matches!(self.types.shape(self.ty(right)), TypeTerm::Integer) {
                right = self.add_expr(Expr::Unary(UnaryOp::ToReal, right), Unifier::REAL, self.span(right));
            } else {
                self.expect(right, Unifier::REAL, "`**` on reals needs a number", span);
            }
        } else {
            ty = self.common_type(left, right, span);
        }
        let node = self.add_expr(Expr::Binary(model_op, left, right), ty, span);
        self.overloaded(PendingKind::Number { node: NumberNode::Expr(node), ty }, span);
        node
    }

    fn set_operation(&mut self, op: ast::BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let model_op = match op {
            ast::BinaryOp::Union => BinaryOp::Union,
            ast::BinaryOp::Intersection => BinaryOp::Intersection,
            _ => BinaryOp::Difference,
        };
        let why = format!("`{}` needs sets", op.info().ascii);
        let left_elem = self.expect_set(left, &why, span);
        let right_elem = self.expect_set(right, &why, span);
        let is_known = !self.types.is_error(left_elem) && !self.types.is_error(right_elem);
        let ty = if is_known { self.common_type(left, right, span) } else { Unifier::ERROR };
        self.add_expr(Expr::Binary(model_op, left, right), ty, span)
    }

    fn composition(&mut self, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let (first, middle) = self.expect_relation(left, "composition needs relations", span);
        let (link, last) = self.expect_relation(right, "composition needs relations", span);
        self.agree_between(
            [left, right],
            [middle, link],
            "the first relation leads to elements that the second does not start from",
            ["leads to", "starts from"],
            span,
        );
        let ty = self.types.relation(first, last);
        self.add_expr(Expr::Binary(BinaryOp::Compose, left, right), ty, span)
    }

    fn relation_product(&mut self, op: ast::BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let why = format!("`{}` needs relations", op.info().ascii);
        let (a, b) = self.expect_relation(left, &why, span);
        let (c, d) = self.expect_relation(right, &why, span);
        match op {
            ast::BinaryOp::ParallelProduct => {
                let (from, to) = (self.types.pair(a, c), self.types.pair(b, d));
                let ty = self.types.relation(from, to);
                self.add_expr(Expr::Binary(BinaryOp::ParallelProduct, left, right), ty, span)
            }
            ast::BinaryOp::DirectProduct => {
                self.agree_between(
                    [left, right],
                    [a, c],
                    "`><` needs relations that start from the same elements",
                    ["starts from", "starts from"],
                    span,
                );
                let to = self.types.pair(b, d);
                let ty = self.types.relation(a, to);
                self.add_expr(Expr::Binary(BinaryOp::DirectProduct, left, right), ty, span)
            }
            _ => {
                let is_known = !self.types.is_error(a) && !self.types.is_error(c);
                let ty = if is_known { self.common_type(left, right, span) } else { Unifier::ERROR };
                self.add_expr(Expr::Binary(BinaryOp::Override, left, right), ty, span)
            }
        }
    }

    fn restriction(&mut self, op: ast::BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        use ast::BinaryOp::{DomainRestrict, DomainSubtract};
        let text = op.info().ascii;
        let on_domain = matches!(op, DomainRestrict | DomainSubtract);
        let (set, relation) = if on_domain { (left, right) } else { (right, left) };
        let side = if on_domain { "right" } else { "left" };
        let n_diagnostics = self.diagnostics.len();
        let (first, second) = self.expect_relation(relation, &format!("`{text}` needs a relation on its {side}"), span);
        let end = if on_domain { first } else { second };
        let ty = if self.types.is_error(end) {
            if self.diagnostics.len() > n_diagnostics {
                self.suggest_swap(text, set, relation);
            }
            Unifier::ERROR
        } else {
            let expected = self.types.pow(end);
            self.expect(set, expected, &format!("`{text}` needs a set that fits the relation: {{}}"), span);
            self.ty(relation)
        };
        let model_op = match op {
            DomainRestrict => BinaryOp::DomainRestrict,
            DomainSubtract => BinaryOp::DomainSubtract,
            ast::BinaryOp::RangeRestrict => BinaryOp::RangeRestrict,
            _ => BinaryOp::RangeSubtract,
        };
        self.add_expr(Expr::Binary(model_op, left, right), ty, span)
    }

    /// Adds a hint to the last diagnostic, for `f <| S` instead of `S <| f`.
    fn suggest_swap(&mut self, op: &str, set: ExprId, relation: ExprId) {
        let is_relation = match self.types.shape(self.ty(set)) {
            TypeTerm::Pow(pair) => matches!(self.types.shape(*pair), TypeTerm::Pair(..)),
            _ => false,
        };
        let (left, right) = (self.snippet(self.span(set)), self.snippet(self.span(relation)));
        let swapped = if op.starts_with('<') { format!("{right} {op} {left}") } else { format!("{left} {op} {right}") };
        if is_relation && let Some(last) = self.diagnostics.last_mut() {
            last.help.push(format!("write `{swapped}`"));
        }
    }

    fn sequence_operation(&mut self, op: ast::BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let why = format!("`{}` needs a sequence", op.info().ascii);
        match op {
            ast::BinaryOp::Concat => {
                let ty = self.common_type(left, right, span);
                let node = self.add_expr(Expr::Binary(BinaryOp::Concat, left, right), ty, span);
                self.overloaded(PendingKind::Text { node, op: TextOp::Concat, operand: left, ty }, span);
                node
            }
            ast::BinaryOp::InsertFront => {
                let sequence = self.types.sequence(self.ty(left));
                self.expect(right, sequence, &why, span);
                self.add_expr(Expr::Binary(BinaryOp::InsertFront, left, right), sequence, span)
            }
            ast::BinaryOp::InsertTail => {
                let sequence = self.types.sequence(self.ty(right));
                self.expect(left, sequence, &why, span);
                self.add_expr(Expr::Binary(BinaryOp::InsertTail, left, right), sequence, span)
            }
            _ => {
                let ty = self.expect_sequence(left, &why, span);
                self.expect(right, Unifier::INTEGER, "a number of elements is an integer", span);
                let model_op = if op == ast::BinaryOp::RestrictFront { BinaryOp::Take } else { BinaryOp::Drop };
                self.add_expr(Expr::Binary(model_op, left, right), ty, span)
            }
        }
    }

    /// Requires a sequence and returns its type.
    pub(crate) fn expect_sequence(&mut self, expr: ExprId, why: &str, span: Span) -> Ty {
        let elem = self.types.fresh();
        let sequence = self.types.sequence(elem);
        if self.expect(expr, sequence, why, span) { sequence } else { Unifier::ERROR }
    }

    fn arrow(&mut self, op: ast::BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let why = format!("`{}` needs sets", op.info().ascii);
        let first = self.expect_set(left, &why, span);
        let second = self.expect_set(right, &why, span);
        let relation = self.types.relation(first, second);
        let ty = self.types.pow(relation);
        self.add_expr(Expr::Binary(BinaryOp::Arrow(arrow_of(op)), left, right), ty, span)
    }

    /// `f(a, b)`: a definition, an operation used as an expression, or a function applied.
    pub(crate) fn application(&mut self, ctx: Ctx, head: ast::ExprId, args: &[ast::ExprId], span: Span) -> ExprId {
        let project = self.project;
        if let ast::Expr::Ident(name) = &project.ast(ctx.unit).expr(head).expr {
            let head_span = project.ast(ctx.unit).expr(head).span;
            return self.apply_named(ctx, &Ident { name: name.clone(), span: head_span }, args, span);
        }
        let function = self.expr(ctx, head);
        let args: Vec<ExprId> = args.iter().map(|arg| self.expr(ctx, *arg)).collect();
        self.apply(function, &args, span)
    }

    /// Lowers a name applied to arguments.
    pub(crate) fn apply_named(&mut self, ctx: Ctx, head: &Ident, args: &[ast::ExprId], span: Span) -> ExprId {
        let name = &head.name;
        if self.frames.find(ctx.frame, name).is_none() {
            if let Some(entry) = self.defs.get(name).cloned()
                && (!entry.params.is_empty() || entry.external.is_some())
            {
                return self.expand_expr(ctx, &entry, args, span);
            }
            if !self.defs.contains(name)
                && !self.names.symbols.contains_key(name)
                && let Some(call) = self.called_operation(ctx, name, args, span)
            {
                return call;
            }
        }
        let function = self.identifier(ctx, name, head.span);
        let args: Vec<ExprId> = args.iter().map(|arg| self.expr(ctx, *arg)).collect();
        self.apply(function, &args, span)
    }

    /// Name of a builtin that is a keyword only in calls, if a visible declaration has that name.
    pub(crate) fn named_like(&self, ctx: Ctx, builtin: ast::Builtin, span: Span) -> Option<Ident> {
        let info = builtin.info();
        let is_known = |name: &str| {
            self.frames.find(ctx.frame, name).is_some()
                || self.defs.contains(name)
                || self.names.symbols.contains_key(name)
        };
        let span = Span { end: span.start + info.name.len() as u32, ..span };
        (info.contextual && is_known(info.name)).then(|| Ident { name: SmolStr::new_static(info.name), span })
    }

    /// Lowers a function applied to its arguments as one tuple.
    pub(crate) fn apply(&mut self, function: ExprId, args: &[ExprId], span: Span) -> ExprId {
        let arg = self.tuple(args, span);
        let function_ty = self.ty(function);
        match self.types.shape(function_ty) {
            TypeTerm::Pow(pair) if matches!(self.types.shape(*pair), TypeTerm::Pair(..)) => {
                let TypeTerm::Pair(from, to) = self.types.shape(*pair).clone() else { return self.error_expr(span) };
                self.expect_argument(function, arg, args, (from, to), span);
                self.add_expr(Expr::Binary(BinaryOp::Apply, function, arg), to, span)
            }
            TypeTerm::Unknown | TypeTerm::Pow(_) | TypeTerm::Error => {
                let to = self.types.fresh();
                let expected = self.types.relation(self.ty(arg), to);
                self.expect(function, expected, "only functions can be applied", span);
                self.add_expr(Expr::Binary(BinaryOp::Apply, function, arg), to, span)
            }
            _ => {
                self.report_not_a_function(function);
                self.error_expr(span)
            }
        }
    }

    fn report_not_a_function(&mut self, function: ExprId) {
        let (text, snippet) = (self.types.text(&self.model, self.ty(function)), self.snippet(self.span(function)));
        let message = format!("`{snippet}` is {text} and cannot be applied to an argument");
        let diagnostic =
            Diagnostic::error("not-a-function", message).at_saying(self.span(function), "this is no function");
        let diagnostic = self.with_reason(diagnostic, function);
        self.report(diagnostic);
    }

    fn expect_argument(&mut self, function: ExprId, arg: ExprId, args: &[ExprId], (from, to): (Ty, Ty), span: Span) {
        let found = self.ty(arg);
        if self.types.unify(found, from, span).is_ok() {
            return;
        }
        let name = self.snippet(self.span(function));
        let wanted = self.types.text(&self.model, from);
        let given = self.types.text(&self.model, found);
        let places = self.tuple_width(from);
        let message = if args.len() == places {
            format!("`{name}` takes an argument of type {wanted}, but is given {given}")
        } else {
            format!("`{name}` takes {}, but is given {}", count(places), count(args.len()))
        };
        let place = args.iter().fold(self.span(args[0]), |place, arg| place.to(self.span(*arg)));
        let diagnostic = Diagnostic::error("wrong-argument", message).at_saying(place, format!("this is {given}"));
        let mut diagnostic = self.with_reason(diagnostic, function);
        if let Some(help) = self.argument_hint(&name, args, from, to) {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
    }

    fn argument_hint(&self, name: &str, args: &[ExprId], from: Ty, to: Ty) -> Option<String> {
        let texts = |args: &[ExprId]| args.iter().map(|arg| self.snippet(self.span(*arg))).collect::<Vec<_>>();
        let places = self.tuple_width(from);
        let wanted = self.types.text(&self.model, from);
        match args {
            [set] if matches!(self.types.shape(self.ty(*set)), TypeTerm::Pow(elem) if self.alike(*elem, from)) => {
                let set = self.snippet(self.span(*set));
                Some(format!("the values at all elements of a set are written `{name}[{set}]`"))
            }
            [set] if places > 1 => match self.elements_of_extension(*set) {
                Some(items) => Some(format!("write the arguments without braces: `{name}({})`", items.join(", "))),
                None => {
                    Some(format!("its arguments are {wanted}; write them with commas between, as in `{name}(a, b)`"))
                }
            },
            [first, rest @ ..] if places == 1 && self.alike(self.ty(*first), from) => {
                let is_function = matches!(self.types.shape(to), TypeTerm::Pow(pair) if matches!(self.types.shape(*pair), TypeTerm::Pair(..)));
                let help = || {
                    format!(
                        "`{name}(...)` is a function itself; write `{name}({})({})`",
                        texts(&[*first])[0],
                        texts(rest).join(", ")
                    )
                };
                is_function.then(help)
            }
            _ if args.len() > 1 && places == 1 && matches!(self.types.shape(from), TypeTerm::Pow(_)) => {
                Some(format!("a set is written with braces: `{name}({{{}}})`", texts(args).join(", ")))
            }
            _ => None,
        }
    }

    fn tuple_width(&self, mut ty: Ty) -> usize {
        let mut width = 1;
        while let TypeTerm::Pair(first, _) = self.types.shape(ty) {
            width += 1;
            ty = *first;
        }
        width
    }
}

fn count(arguments: usize) -> String {
    match arguments {
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

fn arrow_of(op: ast::BinaryOp) -> Arrow {
    use ast::BinaryOp::*;
    let relation = Arrow::RELATION;
    let (partial, total) = (Arrow::PARTIAL, Arrow::TOTAL);
    match op {
        PartialFunction => partial,
        TotalFunction => total,
        PartialInjection => Arrow { injective: true, ..partial },
        TotalInjection => Arrow { injective: true, ..total },
        PartialSurjection => Arrow { surjective: true, ..partial },
        TotalSurjection => Arrow { surjective: true, ..total },
        PartialBijection => Arrow { injective: true, surjective: true, ..partial },
        TotalBijection => Arrow { injective: true, surjective: true, ..total },
        TotalRelation => Arrow { total: true, ..relation },
        SurjectionRelation => Arrow { surjective: true, ..relation },
        TotalSurjectionRelation => Arrow { total: true, surjective: true, ..relation },
        _ => relation,
    }
}
