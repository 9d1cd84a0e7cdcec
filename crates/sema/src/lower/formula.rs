//! Lowering of predicates and expressions.

use abridge_diag::{Diagnostic, Span};
use abridge_model::{
    BaseSet, BinaryOp, Comparison, Expr, ExprId, LocalId, Pred, PredId, QuantifiedOp, SmolStr, UnaryOp,
};
use abridge_syntax::ast::{self, Atom, Ident, Quantifier, TemplatePart};
use num_bigint::BigInt;

use crate::lower::{ClausePlace, Lower};
use crate::scope::{Access, BeforeValue, Ctx, LocalKind, LocalMeaning, Symbol};
use crate::types::overload::{NumberNode, PendingKind};
use crate::types::{Ty, TypeTerm, Unifier};

/// Number of unknown names up to which suggestions are made.
const MAX_GUESSED_NAMES: usize = 50;

/// Longest decimal number, since reading one takes time quadratic in its length.
const MAX_DIGITS: usize = 100_000;

impl Lower<'_> {
    /// Lowers a formula that must be a predicate.
    pub(crate) fn pred(&mut self, ctx: Ctx, id: ast::ExprId) -> PredId {
        let span = self.tree(ctx.unit).expr(id).span;
        self.deeper(1, span, |this| this.pred_inner(ctx, id)).unwrap_or_else(|| self.error_pred(span))
    }

    fn pred_inner(&mut self, ctx: Ctx, id: ast::ExprId) -> PredId {
        let project = self.project;
        let node = project.ast(ctx.unit).expr(id);
        let span = node.span;
        if self.is_exhausted {
            return self.error_pred(span);
        }
        match &node.expr {
            ast::Expr::Error => self.error_pred(span),
            ast::Expr::Atom(Atom::BTrue) => self.add_pred(Pred::True, span),
            ast::Expr::Atom(Atom::BFalse) => self.add_pred(Pred::False, span),
            ast::Expr::Not(operand) => {
                let operand = self.pred(ctx, *operand);
                self.add_pred(Pred::Not(operand), span)
            }
            ast::Expr::And(items) => {
                let items = items.iter().map(|item| self.pred(ctx, *item)).collect();
                self.add_pred(Pred::And(items), span)
            }
            ast::Expr::Or(items) => {
                let items = items.iter().map(|item| self.pred(ctx, *item)).collect();
                self.add_pred(Pred::Or(items), span)
            }
            ast::Expr::Binary(op, left, right) if op.takes_predicates() => {
                let (left, right) = (self.pred(ctx, *left), self.pred(ctx, *right));
                let pred = match op {
                    ast::BinaryOp::Implies => Pred::Implies(left, right),
                    _ => Pred::Equivalent(left, right),
                };
                self.add_pred(pred, span)
            }
            ast::Expr::Binary(op, left, right) if op.is_relation() => self.relation(ctx, *op, *left, *right, span),
            ast::Expr::Forall { ids, pred } => {
                let (ctx, binder) = self.bind(ctx, ids, LocalKind::Bound);
                let body = self.pred(ctx, *pred);
                self.add_pred(Pred::Forall { binder, body }, span)
            }
            ast::Expr::Exists { ids, pred } => {
                let (ctx, binder) = self.bind(ctx, ids, LocalKind::Bound);
                let body = self.pred(ctx, *pred);
                self.add_pred(Pred::Exists { binder, body }, span)
            }
            ast::Expr::If { branches, otherwise } => {
                let nested = self.deeper(branches.len(), span, |this| {
                    let mut result = this.pred(ctx, *otherwise);
                    for (condition, value) in branches.iter().rev() {
                        let (condition, value) = (this.pred(ctx, *condition), this.pred(ctx, *value));
                        result = this.add_pred(Pred::If(condition, value, result), span);
                    }
                    result
                });
                nested.unwrap_or_else(|| self.error_pred(span))
            }
            ast::Expr::Let { ids, pred, body } => {
                let (inner, bindings) = self.let_bindings(ctx, ids, *pred);
                let body = self.pred(inner, *body);
                self.add_pred(Pred::Let { bindings, body }, span)
            }
            ast::Expr::Substituted(it) => {
                let (inner, bindings) = self.substituted(ctx, &it.ids, &it.values, span);
                let body = self.pred(inner, it.pred);
                self.add_pred(Pred::Let { bindings, body }, span)
            }
            ast::Expr::Builtin(ast::Builtin::Finite, args) => {
                let set = self.expr(ctx, args[0]);
                self.expect_set(set, "`@finite` needs a set", span);
                self.add_pred(Pred::Finite(set), span)
            }
            ast::Expr::Builtin(ast::Builtin::Partition, args) => self.partition(ctx, args, span),
            ast::Expr::Labelled { pred, .. } => self.pred(ctx, *pred),
            ast::Expr::Described { expr, .. } => self.pred(ctx, *expr),
            ast::Expr::Ident(name) => self.named_pred(ctx, id, name, &[], span),
            ast::Expr::Apply(head, args) => match &project.ast(ctx.unit).expr(*head).expr {
                ast::Expr::Ident(name) => self.named_pred(ctx, id, name, args, span),
                _ => self.report_not_a_predicate(ctx, id, span),
            },
            _ => self.report_not_a_predicate(ctx, id, span),
        }
    }

    pub(crate) fn report_not_a_predicate(&mut self, ctx: Ctx, id: ast::ExprId, span: Span) -> PredId {
        let expr = self.expr(ctx, id);
        let ty = self.ty(expr);
        if !self.types.is_error(ty) {
            let (snippet, text) = (self.snippet(span), self.types.text(&self.model, ty));
            let mut diagnostic = Diagnostic::error(
                "predicate-expected",
                format!("`{snippet}` is an expression of type {text}, but a predicate is needed here"),
            )
            .at(span);
            diagnostic = diagnostic.help(match self.types.shape(ty) {
                TypeTerm::Bool => format!("write `{snippet} = TRUE`"),
                TypeTerm::Pow(_) => format!("say something about it, such as `{snippet} /= {{}}`"),
                _ => format!("compare it with something: `{snippet} = ...`"),
            });
            self.report(diagnostic);
        }
        self.error_pred(span)
    }

    fn relation(&mut self, ctx: Ctx, op: ast::BinaryOp, left: ast::ExprId, right: ast::ExprId, span: Span) -> PredId {
        use ast::BinaryOp::*;
        let (left, right) = (self.expr(ctx, left), self.expr(ctx, right));
        match op {
            Equal | NotEqual => {
                self.expect_equal(left, right, span);
                self.comparison(Comparison::Equal, left, right, op == NotEqual, span)
            }
            Member | NotMember => {
                self.expect_member(left, right, span);
                self.comparison(Comparison::Member, left, right, op == NotMember, span)
            }
            Subset | NotSubset | StrictSubset | NotStrictSubset => {
                self.expect_subset(left, right, op.info().ascii, span);
                let strict = matches!(op, StrictSubset | NotStrictSubset);
                let comparison = if strict { Comparison::StrictSubset } else { Comparison::Subset };
                self.comparison(comparison, left, right, matches!(op, NotSubset | NotStrictSubset), span)
            }
            _ => {
                let ty = if self.expect_like(left, right, span) { self.ty(left) } else { Unifier::ERROR };
                let (low, high) = if matches!(op, Greater | GreaterEqual) { (right, left) } else { (left, right) };
                let strict = matches!(op, Less | Greater);
                let comparison = if strict { Comparison::Less } else { Comparison::LessEqual };
                let pred = self.add_pred(Pred::Compare(comparison, low, high), span);
                self.overloaded(PendingKind::Number { node: NumberNode::Pred(pred), ty }, span);
                pred
            }
        }
    }

    fn comparison(&mut self, op: Comparison, left: ExprId, right: ExprId, negated: bool, span: Span) -> PredId {
        let pred = self.add_pred(Pred::Compare(op, left, right), span);
        if negated { self.add_pred(Pred::Not(pred), span) } else { pred }
    }

    /// Requires one type of both sides of `=`, with a hint if an element and a set are confused.
    fn expect_equal(&mut self, left: ExprId, right: ExprId, span: Span) {
        if self.expect_like(left, right, span) {
            return;
        }
        let is_member = match self.types.shape(self.ty(right)) {
            TypeTerm::Pow(elem) => {
                !matches!(self.types.shape(self.ty(left)), TypeTerm::Unknown) && self.alike(*elem, self.ty(left))
            }
            _ => false,
        };
        let (elem, set) = (self.snippet(self.span(left)), self.snippet(self.span(right)));
        if is_member && let Some(last) = self.diagnostics.last_mut() {
            last.help.push(format!("that an element is in a set is written `{elem} : {set}`"));
        }
    }

    fn expect_subset(&mut self, left: ExprId, right: ExprId, op: &str, span: Span) {
        let why = format!("`{op}` compares sets");
        let left_elem = self.expect_set(left, &why, span);
        let right_elem = self.expect_set(right, &why, span);
        if !self.types.is_error(left_elem) && !self.types.is_error(right_elem) {
            self.expect_like(left, right, span);
        }
    }

    fn partition(&mut self, ctx: Ctx, args: &[ast::ExprId], span: Span) -> PredId {
        let args: Vec<ExprId> = args.iter().map(|arg| self.expr(ctx, *arg)).collect();
        self.expect_set(args[0], "`@partition` needs sets", span);
        for part in &args[1..] {
            self.expect_like(args[0], *part, span);
        }
        self.add_pred(Pred::Partition(args[0], args[1..].to_vec()), span)
    }

    /// Requires a set and returns its element type.
    pub(crate) fn expect_set(&mut self, expr: ExprId, why: &str, span: Span) -> Ty {
        if let TypeTerm::Pow(elem) = self.types.shape(self.ty(expr)) {
            return *elem;
        }
        let elem = self.types.fresh();
        let set = self.types.pow(elem);
        if self.expect(expr, set, why, span) { elem } else { Unifier::ERROR }
    }

    /// Requires a relation and returns its domain and range types.
    pub(crate) fn expect_relation(&mut self, expr: ExprId, why: &str, span: Span) -> (Ty, Ty) {
        let (first, second) = (self.types.fresh(), self.types.fresh());
        let relation = self.types.relation(first, second);
        if self.expect(expr, relation, why, span) { (first, second) } else { (Unifier::ERROR, Unifier::ERROR) }
    }

    /// Lowers a formula that must be an expression.
    pub(crate) fn expr(&mut self, ctx: Ctx, id: ast::ExprId) -> ExprId {
        let span = self.tree(ctx.unit).expr(id).span;
        self.deeper(1, span, |this| this.expr_inner(ctx, id)).unwrap_or_else(|| self.error_expr(span))
    }

    fn expr_inner(&mut self, ctx: Ctx, id: ast::ExprId) -> ExprId {
        let project = self.project;
        let node = project.ast(ctx.unit).expr(id);
        let span = node.span;
        if self.is_exhausted {
            return self.error_expr(span);
        }
        match &node.expr {
            ast::Expr::Error => self.error_expr(span),
            ast::Expr::Ident(name) => self.identifier(ctx, name, span),
            ast::Expr::Before(name) => self.before(ctx, name, span),
            ast::Expr::Integer(text) => self.integer(text, span),
            ast::Expr::Real(text) => {
                let value = text.parse().unwrap_or(0.0);
                self.add_expr(Expr::Real(value), Unifier::REAL, span)
            }
            ast::Expr::String(text) => self.add_expr(Expr::String(text.clone()), Unifier::STRING, span),
            ast::Expr::Template(parts) => {
                let parts = parts.iter().map(|part| self.template_part(ctx, part, span)).collect();
                self.add_expr(Expr::Template(parts), Unifier::STRING, span)
            }
            ast::Expr::Atom(atom) => self.atom(*atom, span),
            ast::Expr::Neg(operand) => self.negation(ctx, *operand, span),
            ast::Expr::Inverse(operand) => self.inverse(ctx, *operand, span),
            ast::Expr::Binary(op, left, right) if !op.yields_predicate() => self.binary(ctx, *op, *left, *right, span),
            ast::Expr::Builtin(ast::Builtin::Bool, args) => {
                let pred = self.pred(ctx, args[0]);
                self.add_expr(Expr::BoolOf(pred), Unifier::BOOL, span)
            }
            ast::Expr::Builtin(builtin, args) if !matches!(builtin, ast::Builtin::Finite | ast::Builtin::Partition) => {
                match self.named_like(ctx, *builtin, span) {
                    Some(head) => self.apply_named(ctx, &head, args, span),
                    None => self.builtin(ctx, *builtin, args, span),
                }
            }
            ast::Expr::Apply(head, args) => self.application(ctx, *head, args, span),
            ast::Expr::Image(relation, set) => self.image(ctx, *relation, *set, span),
            ast::Expr::Field(record, name) => self.field(ctx, *record, name, span),
            ast::Expr::Tuple(items) => {
                let lowered =
                    self.deeper(items.len(), span, |this| items.iter().map(|item| this.expr(ctx, *item)).collect());
                let lowered: Vec<ExprId> = lowered.unwrap_or_else(|| vec![self.error_expr(span)]);
                self.tuple(&lowered, span)
            }
            ast::Expr::SetExtension(items) => {
                let items = self.same_type_items(ctx, items);
                let ty = self.types.pow(self.ty(items[0]));
                self.add_expr(Expr::SetExtension(items), ty, span)
            }
            ast::Expr::SequenceExtension(items) => {
                let items = self.same_type_items(ctx, items);
                let ty = self.types.sequence(self.ty(items[0]));
                self.add_expr(Expr::SequenceExtension(items), ty, span)
            }
            ast::Expr::Comprehension { ids, pred, .. } => self.comprehension(ctx, ids, *pred, node.symbolic, span),
            ast::Expr::SetImage { ids, pred, expr } => self.set_image(ctx, ids, *pred, *expr, span),
            ast::Expr::Quantified { kind, ids, pred, expr } => {
                self.quantified(ctx, *kind, ids, *pred, *expr, node.symbolic, span)
            }
            ast::Expr::Record(fields) => self.record(ctx, fields, span),
            ast::Expr::Struct(fields) => self.struct_set(ctx, fields, span),
            ast::Expr::If { branches, otherwise } => self.conditional(ctx, branches, *otherwise, span),
            ast::Expr::Let { ids, pred, body } => {
                let (inner, bindings) = self.let_bindings(ctx, ids, *pred);
                let body = self.expr(inner, *body);
                let ty = self.ty(body);
                self.add_expr(Expr::Let { bindings, body }, ty, span)
            }
            ast::Expr::OfType(expr, of) => self.annotated(ctx, *expr, *of, span),
            ast::Expr::Described { expr, .. } => self.expr(ctx, *expr),
            _ => self.expression_expected(span),
        }
    }

    fn comprehension(&mut self, ctx: Ctx, ids: &[ast::Ident], pred: ast::ExprId, symbolic: bool, span: Span) -> ExprId {
        let (inner, binder) = self.bind(ctx, ids, LocalKind::Bound);
        let pred = self.pred(inner, pred);
        let elem = self.binder_type(&binder);
        let ty = self.types.pow(elem);
        self.add_expr(Expr::Comprehension { binder, pred, symbolic }, ty, span)
    }

    /// `{ids . pred | expr}`
    fn set_image(&mut self, ctx: Ctx, ids: &[ast::Ident], pred: ast::ExprId, expr: ast::ExprId, span: Span) -> ExprId {
        let (inner, binder) = self.bind(ctx, ids, LocalKind::Bound);
        let (pred, expr) = (self.pred(inner, pred), self.expr(inner, expr));
        let ty = self.types.pow(self.ty(expr));
        self.add_expr(Expr::SetImage { binder, pred, expr }, ty, span)
    }

    fn negation(&mut self, ctx: Ctx, operand: ast::ExprId, span: Span) -> ExprId {
        let operand = self.expr(ctx, operand);
        let ty = self.ty(operand);
        let node = self.add_expr(Expr::Unary(UnaryOp::Negate, operand), ty, span);
        self.overloaded(PendingKind::Number { node: NumberNode::Expr(node), ty }, span);
        node
    }

    fn inverse(&mut self, ctx: Ctx, operand: ast::ExprId, span: Span) -> ExprId {
        let operand = self.expr(ctx, operand);
        let (first, second) = self.expect_relation(operand, "`~` needs a relation", span);
        let ty = self.types.relation(second, first);
        self.add_expr(Expr::Unary(UnaryOp::Inverse, operand), ty, span)
    }

    /// `r[S]`
    fn image(&mut self, ctx: Ctx, relation: ast::ExprId, set: ast::ExprId, span: Span) -> ExprId {
        let (relation, set) = (self.expr(ctx, relation), self.expr(ctx, set));
        let (first, second) = self.expect_relation(relation, "the image `r[S]` needs a relation", span);
        let domain = self.types.pow(first);
        let ok = self.expect_image(relation, set, domain, span);
        let ty = if ok { self.types.pow(second) } else { Unifier::ERROR };
        self.add_expr(Expr::Binary(BinaryOp::Image, relation, set), ty, span)
    }

    /// `r'name`
    fn field(&mut self, ctx: Ctx, record: ast::ExprId, name: &ast::Ident, span: Span) -> ExprId {
        let record = self.expr(ctx, record);
        let ty = self.types.fresh();
        let node = self.add_expr(Expr::Field(record, 0), ty, span);
        let kind = PendingKind::Field { node, record, name: name.name.clone(), name_span: name.span };
        self.overloaded(kind, span);
        node
    }

    /// Lowers a conditional expression, nested from the last branch to the first.
    fn conditional(
        &mut self,
        ctx: Ctx,
        branches: &[(ast::ExprId, ast::ExprId)],
        otherwise: ast::ExprId,
        span: Span,
    ) -> ExprId {
        let nested = self.deeper(branches.len(), span, |this| {
            let mut result = this.expr(ctx, otherwise);
            for (condition, value) in branches.iter().rev() {
                let (condition, value) = (this.pred(ctx, *condition), this.expr(ctx, *value));
                let ty = if this.expect_like(value, result, span) { this.ty(result) } else { Unifier::ERROR };
                result = this.add_expr(Expr::If(condition, value, result), ty, span);
            }
            result
        });
        nested.unwrap_or_else(|| self.error_expr(span))
    }

    /// Lowers an expression with a type annotation.
    fn annotated(&mut self, ctx: Ctx, expr: ast::ExprId, of: ast::ExprId, span: Span) -> ExprId {
        let expr = self.expr(ctx, expr);
        let of = self.expr(ctx, of);
        let elem = self.expect_set(of, "a type annotation is a set", span);
        self.expect(expr, elem, "its annotation says {}", span);
        expr
    }

    /// Reports a predicate in place of an expression.
    fn expression_expected(&mut self, span: Span) -> ExprId {
        let snippet = self.snippet(span);
        let diagnostic = Diagnostic::error(
            "expression-expected",
            format!("`{snippet}` is a predicate, but an expression is needed here"),
        )
        .at(span);
        self.report(diagnostic.help(format!("`bool({snippet})` is its truth value as a BOOL")));
        self.error_expr(span)
    }

    /// Requires the type of the set in `r[S]`.
    fn expect_image(&mut self, relation: ExprId, set: ExprId, domain: Ty, span: Span) -> bool {
        let name = self.snippet(self.span(relation));
        let ok = self.expect(
            set,
            domain,
            &format!("`{name}[...]` needs a set of elements that `{name}` relates: {{}}"),
            span,
        );
        let is_element = matches!(self.types.shape(domain), TypeTerm::Pow(elem) if self.alike(*elem, self.ty(set)));
        let elem = self.snippet(self.span(set));
        if !ok
            && is_element
            && let Some(last) = self.diagnostics.last_mut()
        {
            last.help.push(format!("the value of a function at `{elem}` is written `{name}({elem})`"));
        }
        ok
    }

    fn template_part(&mut self, ctx: Ctx, part: &TemplatePart, span: Span) -> ExprId {
        match part {
            TemplatePart::Text(text) => self.add_expr(Expr::String(text.clone()), Unifier::STRING, span),
            TemplatePart::Expr(id) => self.expr(ctx, *id),
        }
    }

    pub(crate) fn integer(&mut self, text: &str, span: Span) -> ExprId {
        if text.len() > MAX_DIGITS {
            let message = format!("this number has {} digits, which is too long", text.len());
            self.report(
                Diagnostic::error("number-too-long", message)
                    .at(span)
                    .note(format!("at most {MAX_DIGITS} digits are read")),
            );
            return self.error_expr(span);
        }
        let value = match text.strip_prefix("0x") {
            Some(digits) => BigInt::parse_bytes(digits.as_bytes(), 16),
            None => BigInt::parse_bytes(text.as_bytes(), 10),
        };
        self.add_expr(Expr::Integer(value.unwrap_or_default()), Unifier::INTEGER, span)
    }

    fn atom(&mut self, atom: Atom, span: Span) -> ExprId {
        let base = |this: &mut Self, set, elem| {
            let ty = this.types.pow(elem);
            this.add_expr(Expr::BaseSet(set), ty, span)
        };
        match atom {
            Atom::True | Atom::False => self.add_expr(Expr::Bool(atom == Atom::True), Unifier::BOOL, span),
            Atom::Bool => base(self, BaseSet::Bool, Unifier::BOOL),
            Atom::Integer => base(self, BaseSet::Integer, Unifier::INTEGER),
            Atom::Natural => base(self, BaseSet::Natural, Unifier::INTEGER),
            Atom::Natural1 => base(self, BaseSet::Natural1, Unifier::INTEGER),
            Atom::String => base(self, BaseSet::String, Unifier::STRING),
            Atom::Real | Atom::Float => base(self, BaseSet::Real, Unifier::REAL),
            Atom::Int => self.interval(self.model.steering.preferences.min_int.clone(), span),
            Atom::Nat => self.interval(BigInt::from(0), span),
            Atom::Nat1 => self.interval(BigInt::from(1), span),
            Atom::MaxInt => self.number(self.model.steering.preferences.max_int.clone(), span),
            Atom::MinInt => self.number(self.model.steering.preferences.min_int.clone(), span),
            Atom::EmptySet => {
                let elem = self.types.fresh();
                let ty = self.types.pow(elem);
                self.add_expr(Expr::EmptySet, ty, span)
            }
            Atom::EmptySequence => {
                let elem = self.types.fresh();
                let ty = self.types.sequence(elem);
                self.add_expr(Expr::EmptySet, ty, span)
            }
            Atom::Succ | Atom::Pred => {
                let ty = self.types.relation(Unifier::INTEGER, Unifier::INTEGER);
                self.add_expr(if atom == Atom::Succ { Expr::Successor } else { Expr::Predecessor }, ty, span)
            }
            Atom::Prj1 | Atom::Prj2 => {
                let (first, second) = (self.types.fresh(), self.types.fresh());
                let pair = self.types.pair(first, second);
                let ty = self.types.relation(pair, if atom == Atom::Prj1 { first } else { second });
                self.add_expr(if atom == Atom::Prj1 { Expr::FirstProjection } else { Expr::SecondProjection }, ty, span)
            }
            Atom::BTrue | Atom::BFalse => {
                let diagnostic =
                    Diagnostic::error("expression-expected", "a predicate stands where an expression is needed");
                self.report(diagnostic.at(span).help("the values of BOOL are `TRUE` and `FALSE`"));
                self.error_expr(span)
            }
        }
    }

    fn number(&mut self, value: BigInt, span: Span) -> ExprId {
        self.add_expr(Expr::Integer(value), Unifier::INTEGER, span)
    }

    /// `low .. MAXINT`
    fn interval(&mut self, low: BigInt, span: Span) -> ExprId {
        let low = self.number(low, span);
        let high = self.number(self.model.steering.preferences.max_int.clone(), span);
        let ty = self.types.pow(Unifier::INTEGER);
        self.add_expr(Expr::Binary(BinaryOp::Interval, low, high), ty, span)
    }

    /// `((a, b), c)` from `a, b, c`.
    pub(crate) fn tuple(&mut self, items: &[ExprId], span: Span) -> ExprId {
        if self.deeper(items.len(), span, |_| ()).is_none() {
            return self.error_expr(span);
        }
        let mut result = items[0];
        for item in &items[1..] {
            let ty = self.types.pair(self.ty(result), self.ty(*item));
            result = self.add_expr(Expr::Binary(BinaryOp::Pair, result, *item), ty, span);
        }
        result
    }

    /// Type of the tuple of the locals of a binder.
    pub(crate) fn binder_type(&mut self, binder: &[LocalId]) -> Ty {
        let Some(last) = binder.last().map(|local| self.model.locals[*local].span) else { return Unifier::ERROR };
        if self.deeper(binder.len(), last, |_| ()).is_none() {
            return Unifier::ERROR;
        }
        let mut types = binder.iter().map(|local| self.model.locals[*local].ty);
        let first = types.next().unwrap_or(Unifier::ERROR);
        let rest: Vec<Ty> = types.collect();
        rest.into_iter().fold(first, |left, right| self.types.pair(left, right))
    }

    fn same_type_items(&mut self, ctx: Ctx, items: &[ast::ExprId]) -> Vec<ExprId> {
        let items: Vec<ExprId> = items.iter().map(|item| self.expr(ctx, *item)).collect();
        for item in &items[1..] {
            let span = self.span(*item);
            if !self.expect_like(items[0], *item, span) {
                break;
            }
        }
        items
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one syntax node")]
    fn quantified(
        &mut self,
        ctx: Ctx,
        kind: Quantifier,
        ids: &[Ident],
        pred: ast::ExprId,
        expr: ast::ExprId,
        symbolic: bool,
        span: Span,
    ) -> ExprId {
        let (inner, binder) = self.bind(ctx, ids, LocalKind::Bound);
        let (pred, expr) = (self.pred(inner, pred), self.expr(inner, expr));
        let (op, ty) = match kind {
            Quantifier::Lambda => {
                let domain = self.binder_type(&binder);
                (QuantifiedOp::Lambda, self.types.relation(domain, self.ty(expr)))
            }
            Quantifier::Sigma => (QuantifiedOp::Sigma, self.ty(expr)),
            Quantifier::Pi => (QuantifiedOp::Pi, self.ty(expr)),
            Quantifier::Union | Quantifier::Inter => {
                let (op, name) = match kind {
                    Quantifier::Union => (QuantifiedOp::Union, "UNION"),
                    _ => (QuantifiedOp::Inter, "INTER"),
                };
                let elem = self.expect_set(expr, &format!("`{name}` joins sets"), span);
                (op, self.types.pow(elem))
            }
        };
        let node = self.add_expr(Expr::Quantified { op, binder, pred, expr, symbolic }, ty, span);
        if matches!(kind, Quantifier::Sigma | Quantifier::Pi) {
            self.overloaded(PendingKind::Number { node: NumberNode::Expr(node), ty }, span);
        }
        node
    }

    fn record(&mut self, ctx: Ctx, fields: &[(Ident, ast::ExprId)], span: Span) -> ExprId {
        let (values, types) = self.fields(ctx, fields);
        if values.len() < fields.len() {
            return self.error_expr(span);
        }
        let ty = self.types.add(TypeTerm::Record(types));
        self.add_expr(Expr::Record(values), ty, span)
    }

    fn struct_set(&mut self, ctx: Ctx, fields: &[(Ident, ast::ExprId)], span: Span) -> ExprId {
        let (sets, mut types) = self.fields(ctx, fields);
        for (set, (_, ty)) in sets.iter().zip(&mut types) {
            *ty = self.expect_set(*set, "a field of `struct` ranges over a set", self.span(*set));
        }
        if sets.len() < fields.len() {
            return self.error_expr(span);
        }
        let record = self.types.add(TypeTerm::Record(types));
        let ty = self.types.pow(record);
        self.add_expr(Expr::StructSet(sets), ty, span)
    }

    /// Values and types of fields, sorted by name.
    fn fields(&mut self, ctx: Ctx, fields: &[(Ident, ast::ExprId)]) -> (Vec<ExprId>, Vec<(SmolStr, Ty)>) {
        let mut sorted: Vec<(Ident, ExprId)> =
            fields.iter().map(|(name, value)| (name.clone(), self.expr(ctx, *value))).collect();
        sorted.sort_by(|(left, _), (right, _)| left.name.cmp(&right.name));
        for pair in sorted.windows(2) {
            if pair[0].0.name == pair[1].0.name {
                let message = format!("field `{}` is given twice", pair[1].0.name);
                self.report(
                    Diagnostic::error("duplicate-field", message)
                        .at(pair[1].0.span)
                        .also(pair[0].0.span, "first given here"),
                );
            }
        }
        sorted.dedup_by(|later, earlier| later.0.name == earlier.0.name);
        let types = sorted.iter().map(|(name, value)| (name.name.clone(), self.ty(*value))).collect();
        (sorted.into_iter().map(|(_, value)| value).collect(), types)
    }

    /// Lowers a name used as an expression.
    pub(crate) fn identifier(&mut self, ctx: Ctx, name: &SmolStr, span: Span) -> ExprId {
        match self.frames.find(ctx.frame, name) {
            Some(LocalMeaning::Local(local, _)) => return self.local_expr(local, span),
            Some(LocalMeaning::Formal(arg, at)) => {
                let at = self.argument_ctx(ctx, arg, at);
                return self.expr(at, arg);
            }
            None => {}
        }
        if let Some(entry) = self.defs.get(name).cloned() {
            return self.expand_expr(ctx, &entry, &[], span);
        }
        match self.names.symbols.get(name).copied() {
            Some(entry) => {
                self.check_visible(name, &entry, span);
                self.symbol(entry.symbol, span)
            }
            None => self.called_operation(ctx, name, &[], span).unwrap_or_else(|| self.unknown(ctx, name, span)),
        }
    }

    pub(crate) fn symbol(&mut self, symbol: Symbol, span: Span) -> ExprId {
        match symbol {
            Symbol::Set(set) => {
                let elem = self.types.add(TypeTerm::Given(set));
                let ty = self.types.pow(elem);
                self.add_expr(Expr::Carrier(set), ty, span)
            }
            Symbol::Element(set, index) => {
                let ty = self.types.add(TypeTerm::Given(set));
                self.add_expr(Expr::Element(set, index), ty, span)
            }
            Symbol::Constant(id) => {
                let ty = self.model.constants[id].ty;
                self.add_expr(Expr::Constant(id), ty, span)
            }
            Symbol::Variable(id, _) => {
                let ty = self.model.variables[id].ty;
                self.add_expr(Expr::Variable(id), ty, span)
            }
            Symbol::FreeType(id) => {
                let elem = self.types.add(TypeTerm::Free(id));
                let ty = self.types.pow(elem);
                self.add_expr(Expr::FreeType(id), ty, span)
            }
            Symbol::Constructor(id, index) => {
                let free = self.types.add(TypeTerm::Free(id));
                let ty = match self.model.free_types[id].constructors[index as usize].arg {
                    Some((_, arg)) => self.types.relation(arg, free),
                    None => free,
                };
                self.add_expr(Expr::Constructor(id, index), ty, span)
            }
        }
    }

    fn before(&mut self, ctx: Ctx, name: &SmolStr, span: Span) -> ExprId {
        match self.frames.find_before(ctx.frame, name) {
            Some(BeforeValue::Target(abridge_model::Target::Variable(id))) => {
                self.symbol(Symbol::Variable(id, Access::Own), span)
            }
            Some(BeforeValue::Target(abridge_model::Target::Local(local)) | BeforeValue::Local(local)) => {
                self.local_expr(local, span)
            }
            None if self.frames.inside_before(ctx.frame) => {
                // A variable that is not assigned keeps its value.
                self.identifier(ctx, name, span)
            }
            None => {
                let message = format!("`{name}$0` has no meaning here");
                let diagnostic = Diagnostic::error("misplaced-before-value", message).at(span);
                let diagnostic = diagnostic
                    .note("`x$0`, the value before, is allowed in `x : (P)` and in the invariant of a WHILE loop");
                self.report(match self.place {
                    ClausePlace::Operation | ClausePlace::Initialisation => {
                        diagnostic.help(format!("elsewhere `{name}` is the value before; leave out `$0`"))
                    }
                    _ => diagnostic,
                });
                self.error_expr(span)
            }
        }
    }

    pub(crate) fn unknown(&mut self, ctx: Ctx, name: &str, span: Span) -> ExprId {
        if let Some(known) = self.known_beside(name, span) {
            return known;
        }
        if !self.unknown_names.insert(SmolStr::from(name)) {
            return self.error_expr(span);
        }
        let diagnostic = Diagnostic::error("unknown-identifier", format!("`{name}` is not declared")).at(span);
        let diagnostic = if self.unknown_names.len() <= MAX_GUESSED_NAMES {
            self.with_guess(ctx, name, diagnostic)
        } else {
            diagnostic
        };
        self.report(diagnostic);
        self.error_expr(span)
    }

    /// Adds a suggestion for an unknown name.
    fn with_guess(&self, ctx: Ctx, name: &str, diagnostic: Diagnostic) -> Diagnostic {
        if self.names.operations.contains_key(name) {
            let diagnostic =
                diagnostic.note(format!("`{name}` is an operation; operations are called as substitutions"));
            return diagnostic.help(format!("call it with `v <-- {name}` and use the value of `v`"));
        }
        if let Some((machine, place)) = self.definition_elsewhere(name) {
            let diagnostic = diagnostic.also(place, format!("a definition of machine `{machine}`, visible only there"));
            return diagnostic.help("put shared definitions into a file and import it: `DEFINITIONS \"file.def\"`");
        }
        if let Some((record, field)) = name.split_once('.').filter(|(record, _)| self.is_visible(ctx, record)) {
            return diagnostic.help(format!("a field of a record is written `{record}'{field}`"));
        }
        if let Some(file) = crate::library::defining(name) {
            return diagnostic.help(format!("it is defined in a library: add `\"{file}\"` to the DEFINITIONS"));
        }
        let locals = self.frames.names(ctx.frame);
        let globals = self.names.symbols.keys();
        let candidates = locals.iter().chain(globals).map(SmolStr::as_str).chain(self.defs.names());
        if let Some(near) = crate::suggest::nearest(name, candidates) {
            return diagnostic.help(format!("a similar name is visible: `{near}`"));
        }
        match self.local_elsewhere(ctx.unit, name) {
            Some((place, what)) => diagnostic.also(place, what),
            None => diagnostic,
        }
    }

    fn is_visible(&self, ctx: Ctx, name: &str) -> bool {
        self.names.symbols.contains_key(name) || self.frames.find(ctx.frame, name).is_some()
    }

    /// Parameter or bound variable of this name elsewhere in the file.
    fn local_elsewhere(&self, unit: crate::project::UnitId, name: &str) -> Option<(Span, String)> {
        let tree = self.tree(unit);
        let clauses = tree.machine().map(|machine| machine.clauses.iter()).into_iter().flatten();
        for clause in clauses {
            let ast::ClauseKind::Operations(operations) = &clause.kind else { continue };
            for operation in operations {
                if let Some(param) = operation.params.iter().chain(&operation.outputs).find(|param| param.name == name)
                {
                    return Some((
                        param.span,
                        format!("this `{name}` exists only in the operation `{}`", operation.name.name),
                    ));
                }
            }
        }
        let bound = tree.bound_name(name)?;
        Some((bound, format!("this `{name}` exists only inside its quantifier or substitution")))
    }

    fn definition_elsewhere(&self, name: &str) -> Option<(SmolStr, Span)> {
        self.project.units.iter().find_map(|unit| {
            let machine = unit.ast.machine()?;
            crate::definitions::definitions_of(&unit.ast).into_iter().find_map(|definition| match definition {
                ast::Definition::Named { name: known, .. } if known.name == name => {
                    Some((machine.name.name.clone(), known.span))
                }
                _ => None,
            })
        })
    }
}
