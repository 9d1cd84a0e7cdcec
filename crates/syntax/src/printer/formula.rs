//! Printing of predicates and expressions.
//!
//! [`Printer::expr`] takes the lowest priority that needs no parentheses in its context. It adds parentheses where the tree needs them or the user
//! wrote them.

use abridge_diag::with_stack;

use super::layout::Item;
use super::{Breaking, Printer, lexeme};
use crate::ast::{BinaryOp, Expr, ExprId, Ident, SmolStr, TemplatePart};
use crate::operators::{Assoc, COMPOSITION, DESCRIPTION, EQUIVALENT, JUNCTION, NEGATION, OF_TYPE, POSTFIX, RELATION};

/// Lowest priority except `;` and `||`, which need brackets.
pub(super) const FORMULA: u16 = COMPOSITION + 1;
const INTERVAL: u16 = BinaryOp::Interval.info().priority;
/// Priority of a labelled formula: a description follows the label and the formula.
const LABELLED: u16 = DESCRIPTION + 1;
const PRIMARY: u16 = POSTFIX + 1;
/// A binder with a longer head starts a new line.
const MAX_HEAD_CHARS: usize = 24;
/// Deeper elements of a list get one line each.
const MAX_FILL_DEPTH: u32 = 3;

impl Printer<'_> {
    /// Writes a formula between keywords or commas.
    pub(super) fn formula(&mut self, id: ExprId) {
        self.expr(id, FORMULA);
    }

    /// Writes a formula directly inside parentheses.
    fn inside_parens(&mut self, id: ExprId) {
        self.expr(id, 0);
    }

    /// Writes a formula, in parentheses if its priority is below `min_priority`.
    pub(super) fn expr(&mut self, id: ExprId, min_priority: u16) {
        with_stack(|| {
            self.leading(self.expr_start(id));
            if !self.needs_parens(id, min_priority) {
                self.bare(id);
            } else if self.is_bracket(id) {
                self.word("(");
                self.bare(id);
                self.closing(self.expr_end(id));
                self.word(")");
            } else {
                self.bracketed("(", ")", self.expr_end(id), |this| this.bare(id));
            }
            self.cursor.pass(self.expr_end(id));
        });
    }

    /// Writes `E, F, G`. The caller opens the group.
    pub(super) fn exprs(&mut self, ids: &[ExprId]) {
        let is_flat = ids.iter().all(|id| self.ast.expr(*id).depth <= MAX_FILL_DEPTH);
        let breaking = if is_flat { Breaking::Fill } else { Breaking::Each };
        self.list(ids, ",", breaking, |this, id| this.expr_start(*id), |this, id| this.formula(*id));
    }

    fn needs_parens(&self, id: ExprId, min_priority: u16) -> bool {
        self.ast.expr(id).parens || self.priority(id) < min_priority
    }

    fn priority(&self, id: ExprId) -> u16 {
        match self.kind(id) {
            Expr::And(_) | Expr::Or(_) => JUNCTION,
            Expr::Described { .. } => DESCRIPTION,
            Expr::Labelled { .. } => LABELLED,
            Expr::Binary(op, ..) => op.info().priority,
            Expr::OfType(..) => OF_TYPE,
            Expr::Neg(_) => NEGATION,
            Expr::Apply(..) | Expr::Image(..) | Expr::Field(..) | Expr::Inverse(_) => POSTFIX,
            _ => PRIMARY,
        }
    }

    /// True if a formula starts and ends with brackets, so that it needs no line of its own inside other brackets.
    fn is_bracket(&self, id: ExprId) -> bool {
        let node = self.ast.expr(id);
        let kind = matches!(
            node.expr,
            Expr::Tuple(_)
                | Expr::SetExtension(_)
                | Expr::SequenceExtension(_)
                | Expr::Comprehension { .. }
                | Expr::SetImage { .. }
                | Expr::Quantified { .. }
                | Expr::Forall { .. }
                | Expr::Exists { .. }
                | Expr::Not(_)
        );
        let head: usize = node.expr.binder().iter().map(|ident| ident.name.len() + 2).sum();
        kind && !node.symbolic && head <= MAX_HEAD_CHARS
    }

    /// True if a bracket encloses the whole formula.
    pub(super) fn opens_with_bracket(&self, id: ExprId, min_priority: u16) -> bool {
        self.needs_parens(id, min_priority) || self.is_bracket(id)
    }

    /// Writes a formula without parentheses around it.
    fn bare(&mut self, id: ExprId) {
        let ast = self.ast;
        let node = ast.expr(id);
        let end = node.span.end;
        if node.symbolic && !matches!(node.expr, Expr::Binary(..)) {
            self.pragma("symbolic", "");
            self.space();
        }
        match &node.expr {
            Expr::Error => self.word("?"),
            Expr::Ident(name) => self.name(name),
            Expr::Before(name) => self.text(format!("{}$0", lexeme::name(name))),
            Expr::Integer(digits) | Expr::Real(digits) => self.text(digits.clone()),
            Expr::String(value) => self.text(lexeme::string(value)),
            Expr::Template(parts) => self.template(parts),
            Expr::Atom(atom) => self.doc.word(atom.spelling(self.unicode)),
            Expr::Neg(operand) => {
                self.symbol("-", "−");
                self.expr(*operand, POSTFIX);
            }
            Expr::And(operands) => self.junction("&", "∧", operands),
            Expr::Or(operands) => self.junction("or", "∨", operands),
            Expr::Binary(op, left, right) if op.is_relation() => self.relation(*op, *left, *right),
            Expr::Binary(BinaryOp::Interval, left, right) if self.is_tight(*left, *right) => {
                self.expr(*left, INTERVAL);
                self.symbol("..", "‥");
                self.expr(*right, INTERVAL + 1);
            }
            Expr::Binary(op, ..) if op.info().assoc == Assoc::Right => self.right_chain(id, *op),
            Expr::Binary(op, ..) => self.left_chain(id, *op),
            Expr::Described { expr, text } => {
                self.expr(*expr, DESCRIPTION + 1);
                self.description(Some(text));
            }
            Expr::Labelled { labels, pred } => {
                for label in labels {
                    self.pragma("label", &lexeme::label(label));
                    self.space();
                }
                self.expr(*pred, EQUIVALENT);
            }
            Expr::OfType(expr, ty) => {
                self.expr(*expr, POSTFIX);
                self.space();
                self.word("⦂");
                self.space();
                self.expr(*ty, OF_TYPE + 1);
            }
            Expr::Inverse(_) | Expr::Apply(..) | Expr::Image(..) | Expr::Field(..) => {
                self.postfix(id, lexeme::called_name);
            }
            Expr::If { .. } | Expr::Let { .. } => self.keyword_block(id),
            Expr::Not(_) | Expr::Builtin(..) | Expr::Tuple(_) | Expr::Record(_) | Expr::Struct(_) => self.call_like(id),
            Expr::SetExtension(items) => self.bracketed("{", "}", end, |this| this.exprs(items)),
            Expr::SequenceExtension(items) => self.bracketed("[", "]", end, |this| this.exprs(items)),
            Expr::Comprehension { .. } | Expr::SetImage { .. } | Expr::Quantified { .. } => self.binder(id),
            Expr::Forall { .. } | Expr::Exists { .. } | Expr::Substituted(_) => self.binder(id),
        }
    }

    fn template(&mut self, parts: &[TemplatePart]) {
        self.word("```");
        for part in parts {
            match part {
                TemplatePart::Text(text) => self.text(lexeme::template_text(text)),
                TemplatePart::Expr(id) => {
                    self.word("${");
                    self.formula(*id);
                    self.word("}");
                }
            }
        }
        self.word("```");
    }

    /// True if `..` is written without blanks: the operands have no operators outside brackets.
    fn is_tight(&self, left: ExprId, right: ExprId) -> bool {
        let is_closed = |id, min| self.needs_parens(id, min) || self.priority(id) >= NEGATION;
        is_closed(left, INTERVAL) && is_closed(right, INTERVAL + 1)
    }

    /// Writes `P & Q & R`, one operand per line if they do not fit on one. A conjunction inside a disjunction gets parentheses although the grammar
    /// needs none, since few readers know that both have the same priority.
    fn junction(&mut self, ascii: &'static str, unicode: &'static str, operands: &[ExprId]) {
        self.group(|this| {
            for (idx, operand) in operands.iter().enumerate() {
                if idx == 0 {
                    this.first_operand(*operand, JUNCTION + 1);
                    continue;
                }
                this.before_operator(this.expr_start(*operand));
                this.line_ahead(this.expr_start(*operand), Item::Line);
                this.later_operand(ascii, unicode, None, *operand, JUNCTION + 1);
            }
        });
    }

    /// Writes `a + b - c`, operators of one level. It is a loop, since the tree is as deep as the chain is long.
    fn left_chain(&mut self, id: ExprId, op: BinaryOp) {
        let priority = op.info().priority;
        let mut links = Vec::new();
        let mut first = id;
        while let Expr::Binary(op, left, right) = self.kind(first) {
            let is_link = op.info().priority == priority && (first == id || !self.ast.expr(first).parens);
            let is_tight = *op == BinaryOp::Interval && self.is_tight(*left, *right);
            if !is_link || is_tight {
                break;
            }
            links.push((*op, first, *right));
            first = *left;
        }
        self.group(|this| {
            this.first_operand(first, priority);
            for (op, link, operand) in links.into_iter().rev() {
                this.link(op, link, operand, priority + 1);
            }
        });
    }

    /// Writes `a ** b ** c`.
    fn right_chain(&mut self, id: ExprId, op: BinaryOp) {
        let priority = op.info().priority;
        self.group(|this| {
            let mut link = id;
            if let Expr::Binary(_, left, _) = this.kind(link) {
                this.first_operand(*left, priority + 1);
            }
            while let Expr::Binary(_, _, right) = this.kind(link) {
                match this.kind(*right) {
                    Expr::Binary(next, operand, _) if *next == op && !this.ast.expr(*right).parens => {
                        this.link(op, link, *operand, priority + 1);
                        link = *right;
                    }
                    _ => {
                        this.link(op, link, *right, priority);
                        break;
                    }
                }
            }
        });
    }

    /// Writes an operator and its right operand.
    fn link(&mut self, op: BinaryOp, link: ExprId, operand: ExprId, min_priority: u16) {
        self.before_operator(self.expr_start(operand));
        self.line();
        let info = op.info();
        let pragma = self.ast.expr(link).symbolic.then_some("symbolic");
        self.later_operand(info.ascii, info.unicode, pragma, operand, min_priority);
    }

    /// Writes the first operand of a formula. Operators of the operand that start lines are indented, to distinguish them from those of the formula.
    fn first_operand(&mut self, id: ExprId, min_priority: u16) {
        let has_operators = match self.kind(id) {
            Expr::And(_) | Expr::Or(_) => true,
            Expr::Binary(op, ..) => !op.is_relation(),
            _ => false,
        };
        if !has_operators || self.needs_parens(id, min_priority) {
            return self.expr(id, min_priority);
        }
        self.leading(self.expr_start(id));
        self.indented(|this| this.expr(id, min_priority));
    }

    fn later_operand(
        &mut self,
        ascii: &'static str,
        unicode: &'static str,
        pragma: Option<&'static str>,
        operand: ExprId,
        min_priority: u16,
    ) {
        if let Some(pragma) = pragma {
            self.pragma(pragma, "");
            self.space();
        }
        let spelling = if self.unicode { unicode } else { ascii };
        self.word(spelling);
        self.space();
        self.indented_by(spelling.chars().count() as u16 + 1, |this| this.expr(operand, min_priority));
    }

    fn relation(&mut self, op: BinaryOp, left: ExprId, right: ExprId) {
        self.first_operand(left, RELATION + 1);
        self.before_mark(self.expr_start(right));
        self.space();
        self.symbol(op.info().ascii, op.info().unicode);
        self.right_side(right, RELATION + 1);
    }

    /// Writes a target of an assignment, where a following parenthesis makes no name a keyword.
    pub(super) fn target(&mut self, id: ExprId) {
        self.leading(self.expr_start(id));
        self.postfix(id, lexeme::name);
        self.cursor.pass(self.expr_end(id));
    }

    /// Writes `f(x)[S]'field~`, in a loop from the head.
    fn postfix(&mut self, id: ExprId, head_name: fn(&SmolStr) -> SmolStr) {
        let mut chain = Vec::new();
        let mut head = id;
        loop {
            let is_inner = head != id;
            if is_inner && self.ast.expr(head).parens {
                break;
            }
            // Only `(` and `[` may follow `~`.
            let follower_is_call =
                chain.last().is_none_or(|id| matches!(self.kind(*id), Expr::Apply(..) | Expr::Image(..)));
            let inner = match self.kind(head) {
                Expr::Apply(inner, _) | Expr::Image(inner, _) | Expr::Field(inner, _) => *inner,
                Expr::Inverse(inner) if follower_is_call => *inner,
                _ => break,
            };
            chain.push(head);
            head = inner;
        }
        let called = chain.last().is_some_and(|id| matches!(self.kind(*id), Expr::Apply(..)));
        match self.kind(head) {
            Expr::Ident(name) if called && !self.ast.expr(head).parens => {
                self.leading(self.expr_start(head));
                self.text(head_name(name));
            }
            Expr::If { .. } | Expr::Let { .. } => self.expr(head, u16::MAX),
            Expr::Inverse(_) => self.expr(head, PRIMARY),
            _ => self.expr(head, POSTFIX),
        }
        for link in chain.into_iter().rev() {
            let end = self.expr_end(link);
            match self.kind(link) {
                Expr::Apply(_, args) => self.actual_params(args, end),
                Expr::Image(_, set) => self.bracketed("[", "]", end, |this| this.formula(*set)),
                Expr::Field(_, field) => {
                    self.word("'");
                    self.ident(field);
                }
                _ => self.symbol("~", "⁻¹"),
            }
        }
    }

    /// Writes `IF P THEN E ELSE F END` or `LET x BE P IN E END`.
    fn keyword_block(&mut self, id: ExprId) {
        let ast = self.ast;
        let end = self.expr_end(id);
        self.group(|this| match &ast.expr(id).expr {
            Expr::If { branches, otherwise } => {
                for (idx, (condition, value)) in branches.iter().enumerate() {
                    let keyword = if idx == 0 { "IF" } else { "ELSIF" };
                    this.guard(idx > 0, keyword, *condition, "THEN", this.expr_start(*value));
                    this.indented_line(|this| this.formula(*value));
                }
                this.keyword_line("ELSE", this.expr_start(*otherwise));
                this.indented_line(|this| this.formula(*otherwise));
                this.end_keyword(end);
            }
            Expr::Let { ids, pred, body } => {
                this.bound_guard(("LET", "BE", "IN"), ids, *pred, this.expr_start(*body));
                this.indented_line(|this| this.formula(*body));
                this.end_keyword(end);
            }
            _ => {}
        });
    }

    /// Writes a keyword with arguments in parentheses.
    fn call_like(&mut self, id: ExprId) {
        let ast = self.ast;
        let end = self.expr_end(id);
        match &ast.expr(id).expr {
            Expr::Not(pred) => {
                self.symbol("not", "¬");
                self.bracketed("(", ")", end, |this| this.inside_parens(*pred));
            }
            Expr::Builtin(builtin, args) => {
                self.symbol(builtin.info().name, builtin.info().unicode);
                match args.as_slice() {
                    [arg] => self.bracketed("(", ")", end, |this| this.inside_parens(*arg)),
                    args => self.bracketed("(", ")", end, |this| this.exprs(args)),
                }
            }
            Expr::Tuple(items) => self.bracketed("(", ")", end, |this| this.exprs(items)),
            Expr::Record(fields) => self.fields("rec", fields, end),
            Expr::Struct(fields) => self.fields("struct", fields, end),
            _ => {}
        }
    }

    fn fields(&mut self, keyword: &'static str, fields: &[(Ident, ExprId)], end: u32) {
        self.word(keyword);
        self.bracketed("(", ")", end, |this| {
            let start = |_: &Self, field: &(Ident, ExprId)| field.0.span.start;
            this.list(fields, ",", Breaking::Each, start, |this, (name, value)| {
                this.ident(name);
                this.word(":");
                this.right_side(*value, FORMULA);
            });
        });
    }

    /// Writes a formula that binds names.
    fn binder(&mut self, id: ExprId) {
        let ast = self.ast;
        let end = self.expr_end(id);
        match &ast.expr(id).expr {
            Expr::Comprehension { ids, pred, maplets } => self.group(|this| {
                this.word("{");
                match &ids[..] {
                    [first, second] if *maplets => {
                        this.ident(first);
                        this.space();
                        this.symbol(BinaryOp::Maplet.info().ascii, BinaryOp::Maplet.info().unicode);
                        this.space();
                        this.ident(second);
                    }
                    ids => this.idents(ids),
                }
                this.before_mark(this.expr_start(*pred));
                this.space();
                this.word("|");
                this.trailing(this.expr_start(*pred));
                this.indented_line(|this| {
                    this.formula(*pred);
                    this.closing(end);
                });
                this.soft_line();
                this.word("}");
            }),
            Expr::SetImage { ids, pred, expr } => self.group(|this| {
                this.word("{");
                if this.unicode {
                    this.idents(ids);
                } else {
                    this.formal_params(ids);
                }
                this.before_mark(this.expr_start(*pred));
                this.space();
                this.symbol(".", "·");
                this.trailing(this.expr_start(*pred));
                this.indented_line(|this| {
                    this.formula(*pred);
                    this.bar_and(*expr);
                    this.closing(end);
                });
                this.soft_line();
                this.word("}");
            }),
            Expr::Quantified { kind, ids, pred, expr } => {
                let spelling = kind.spelling(self.unicode);
                self.word(spelling);
                self.bound(ids, spelling.starts_with(|ch: char| ch.is_ascii_alphabetic()));
                self.bracketed("(", ")", end, |this| {
                    this.formula(*pred);
                    this.bar_and(*expr);
                });
            }
            Expr::Forall { ids, pred } | Expr::Exists { ids, pred } => {
                let is_forall = matches!(ast.expr(id).expr, Expr::Forall { .. });
                if is_forall {
                    self.symbol("!", "∀")
                } else {
                    self.symbol("#", "∃")
                }
                self.bound(ids, false);
                self.bracketed("(", ")", end, |this| this.inside_parens(*pred));
            }
            Expr::Substituted(it) => {
                self.group(|this| {
                    this.word("[");
                    this.idents(&it.ids);
                    this.space();
                    this.symbol(":=", "≔");
                    this.space();
                    this.indented(|this| this.exprs(&it.values));
                    this.word("]");
                });
                self.expr(it.pred, POSTFIX);
            }
            _ => {}
        }
    }

    /// Writes ` | E`.
    fn bar_and(&mut self, id: ExprId) {
        self.before_operator(self.expr_start(id));
        self.line();
        self.word("|");
        self.space();
        self.indented(|this| this.formula(id));
    }

    /// Writes the names of a quantifier and the dot after them.
    fn bound(&mut self, ids: &[Ident], in_parens: bool) {
        if in_parens || ids.len() > 1 {
            self.formal_params(ids);
        } else {
            self.idents(ids);
        }
        self.symbol(".", "·");
    }
}
