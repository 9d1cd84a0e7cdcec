//! Operators of predicates and expressions.
//!
//! One loop over priorities parses both, since every operator between predicates binds looser than every operator between expressions. The sorts of
//! operands are checked when a node is built, as far as they are known.

use abridge_diag::{Diagnostic, Span};

use super::mistakes::Mistaken;
use super::{Context, Parsed, Parser};
use crate::ast::{BinaryOp, Expr, ExprId, Sort};
use crate::lexer::{PragmaKind, Token, TokenKind};
use crate::operators::{Assoc, COMPOSITION, DESCRIPTION, EQUIVALENT, IMPLIES, JUNCTION, OF_TYPE, RELATION};

/// Infix operator in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Infix {
    And,
    Or,
    Op(BinaryOp),
    Reversed(BinaryOp),
    OfType,
    /// Operator of another language, with its length in tokens.
    Mistaken(Mistaken, usize),
}

impl Infix {
    fn priority(self) -> u16 {
        match self {
            Infix::And | Infix::Or | Infix::Mistaken(Mistaken::And | Mistaken::Or, _) => JUNCTION,
            Infix::Op(op) | Infix::Reversed(op) | Infix::Mistaken(Mistaken::Op(op), _) => op.info().priority,
            Infix::OfType => OF_TYPE,
        }
    }

    fn is_relation(self) -> bool {
        match self {
            Infix::Op(op) | Infix::Reversed(op) | Infix::Mistaken(Mistaken::Op(op), _) => op.is_relation(),
            _ => false,
        }
    }
}

impl Parser<'_> {
    /// Predicate or expression. Never fails; text with errors is skipped.
    pub(super) fn formula(&mut self) -> ExprId {
        self.recovered(IMPLIES)
    }

    /// Formula inside brackets, where `;` and `||` are allowed.
    pub(super) fn composition(&mut self) -> ExprId {
        self.recovered(COMPOSITION)
    }

    pub(super) fn predicate(&mut self) -> ExprId {
        let id = self.formula();
        self.want_predicate(id);
        id
    }

    pub(super) fn expression(&mut self) -> ExprId {
        let id = self.formula();
        self.want_expression(id);
        id
    }

    pub(super) fn composed_expression(&mut self) -> ExprId {
        let id = self.composition();
        self.want_expression(id);
        id
    }

    /// `E, F, G`
    pub(super) fn expressions(&mut self) -> Vec<ExprId> {
        let mut list = vec![self.expression()];
        while self.eat(TokenKind::Comma) {
            list.push(self.expression());
        }
        list
    }

    /// `E ; F, G || H`
    pub(super) fn composed_expressions(&mut self) -> Vec<ExprId> {
        let mut list = vec![self.composed_expression()];
        while self.eat(TokenKind::Comma) {
            list.push(self.composed_expression());
        }
        list
    }

    /// Formula, or several separated by commas, which are a tuple here.
    pub(super) fn formula_or_list(&mut self) -> ExprId {
        let first = self.formula();
        if !self.at(TokenKind::Comma) {
            return first;
        }
        let mut names = vec![first];
        while self.at_name(names[names.len() - 1]) && self.eat(TokenKind::Comma) {
            names.push(self.formula());
        }
        let last = names[names.len() - 1];
        if !self.at_name(last) {
            let message = "only names can be listed without parentheses";
            let span = self.span(last);
            self.report(Diagnostic::error("unexpected-list", message).at(span).help("write a tuple as `(E, F)`"));
        }
        let span = self.span(names[0]).to(self.span(last));
        self.expr(Expr::Tuple(names), span)
    }

    fn at_name(&self, id: ExprId) -> bool {
        let node = self.ast.expr(id);
        matches!(node.expr, Expr::Ident(_) | Expr::Error) && !node.parens
    }

    fn recovered(&mut self, min: u16) -> ExprId {
        match self.binary(min) {
            Ok(id) => id,
            Err(_) => self.error_expr(),
        }
    }

    /// Formula of operators with at least the priority `min`.
    pub(super) fn binary(&mut self, min: u16) -> Parsed<ExprId> {
        self.nested(|parser| {
            let first = parser.operand(min);
            let mut lhs = parser.or_skip(min, first)?;
            loop {
                if min <= DESCRIPTION {
                    lhs = parser.described(lhs);
                }
                let Some(infix) = parser.infix(lhs, min).filter(|infix| infix.priority() >= min) else {
                    if min <= IMPLIES && parser.stray_closer() {
                        continue;
                    }
                    return Ok(lhs);
                };
                let whole = parser.infix_tail(lhs, infix);
                lhs = parser.or_skip(min, whole)?;
            }
        })
    }

    /// Turns a failed operand into an error node where connectives are allowed. Parsing resumes at the next connective.
    fn or_skip(&mut self, min: u16, result: Parsed<ExprId>) -> Parsed<ExprId> {
        if result.is_ok() || min > JUNCTION {
            return result;
        }
        let error = self.error_expr();
        self.skip_to_connective();
        Ok(error)
    }

    fn described(&mut self, lhs: ExprId) -> ExprId {
        match self.desc_pragma() {
            Some(text) => {
                let span = self.span(lhs);
                self.expr(Expr::Described { expr: lhs, text }, span)
            }
            None => lhs,
        }
    }

    fn infix(&self, lhs: ExprId, min: u16) -> Option<Infix> {
        if self.context == Context::Value && self.assignment_after_separator() {
            return None;
        }
        // `(f ; x := 1`: the parenthesis should have been closed before `;`.
        if self.at(TokenKind::Assign) && (min == COMPOSITION + 1 || self.is_composition(lhs)) {
            return None;
        }
        let may_be_mistaken = self.ast.sort(lhs) == Sort::Predicate || !matches!(self.kind(), TokenKind::Op(_));
        if may_be_mistaken
            && self.quiet_at != Some(self.pos)
            && let Some((meant, n_tokens)) = self.mistaken_infix(lhs)
        {
            return Some(Infix::Mistaken(meant, n_tokens));
        }
        match self.kind() {
            TokenKind::And => Some(Infix::And),
            TokenKind::Or => Some(Infix::Or),
            TokenKind::Op(op) => Some(Infix::Op(op)),
            TokenKind::Reversed(op) => Some(Infix::Reversed(op)),
            TokenKind::Semicolon if !self.entry_ahead() => Some(Infix::Op(BinaryOp::Compose)),
            TokenKind::OfType => Some(Infix::OfType),
            _ => None,
        }
    }

    fn infix_tail(&mut self, lhs: ExprId, infix: Infix) -> Parsed<ExprId> {
        if infix.is_relation() && self.is_relation(lhs) {
            return self.chained_relation(lhs);
        }
        let infix = match infix {
            Infix::Mistaken(meant, n_tokens) => {
                self.report_mistaken(meant, n_tokens);
                self.pos += n_tokens - 1;
                match meant {
                    Mistaken::And => Infix::And,
                    Mistaken::Or => Infix::Or,
                    Mistaken::Op(op) => Infix::Op(op),
                }
            }
            infix => infix,
        };
        match infix {
            Infix::And => self.junction(lhs, TokenKind::And),
            Infix::Or => self.junction(lhs, TokenKind::Or),
            Infix::Op(op) => self.binary_tail(lhs, op, false),
            Infix::Reversed(op) => self.binary_tail(lhs, op, true),
            Infix::OfType | Infix::Mistaken(..) => self.of_type(lhs),
        }
    }

    /// `P & Q & R`: one node for all operands of a connective.
    fn junction(&mut self, first: ExprId, connective: TokenKind) -> Parsed<ExprId> {
        self.want_predicate(first);
        let mut operands = vec![first];
        let mut again = true;
        while again {
            self.connective(connective);
            let operand = self.binary(JUNCTION + 1);
            let operand = self.or_skip(JUNCTION, operand)?;
            self.want_predicate(operand);
            operands.push(operand);
            again = self.at(connective);
        }
        let span = self.span(first).to(self.span(operands[operands.len() - 1]));
        let expr = if connective == TokenKind::And { Expr::And(operands) } else { Expr::Or(operands) };
        Ok(self.expr(expr, span))
    }

    /// Takes `&`, or `&&`, which is reported.
    fn connective(&mut self, connective: TokenKind) {
        let doubled = self.at(TokenKind::And) && self.joined() && self.kind_ahead(1) == connective;
        self.bump();
        if doubled {
            let message = "a conjunction is written `&` in B, not `&&`";
            let span = self.span_of(self.previous()).to(self.here());
            self.report(Diagnostic::error("foreign-operator", message).at(span).help("write `&`"));
            self.bump();
        }
    }

    fn binary_tail(&mut self, lhs: ExprId, op: BinaryOp, reversed: bool) -> Parsed<ExprId> {
        let info = op.info();
        let symbolic = op == BinaryOp::Compose && self.symbolic_pragma();
        self.bump();
        self.foreign_comparison(op);
        let min = if info.assoc == Assoc::Right { info.priority } else { info.priority + 1 };
        let rhs = self.binary(min)?;
        self.check_operands(op, lhs, rhs);
        let span = self.span(lhs).to(self.span(rhs));
        let (first, second) = if reversed { (rhs, lhs) } else { (lhs, rhs) };
        let id = self.expr(Expr::Binary(op, first, second), span);
        self.ast.expr_mut(id).symbolic |= symbolic;
        Ok(id)
    }

    fn check_operands(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) {
        // In `p & x => 3` the arrow belongs to `x`, if it is a misspelt `>=`.
        let nearest = match &self.ast.expr(lhs).expr {
            Expr::And(operands) | Expr::Or(operands) if !self.ast.expr(lhs).parens => operands[operands.len() - 1],
            _ => lhs,
        };
        let compares = self.ast.sort(nearest) != Sort::Predicate && self.ast.sort(rhs) == Sort::Expression;
        if op == BinaryOp::Implies && compares {
            return self.implication_of_expressions(nearest, rhs);
        }
        for operand in [lhs, rhs] {
            match op.takes_predicates() {
                true => self.want_predicate(operand),
                false => self.want_expression(operand),
            }
        }
    }

    /// Reports `x => 3`.
    fn implication_of_expressions(&mut self, lhs: ExprId, rhs: ExprId) {
        let message = "`=>` joins predicates, but these are expressions";
        let span = self.span(lhs).to(self.span(rhs));
        let help = "write `>=` for greater or equal";
        self.report_elsewhere(Diagnostic::error("predicate-expected", message).at(span).help(help));
    }

    /// Reports `=<` and similar spellings, after their first token was taken.
    fn foreign_comparison(&mut self, op: BinaryOp) {
        let joined = self.previous().end == self.token().start;
        let right = match (op, self.kind()) {
            (BinaryOp::Equal, TokenKind::Op(BinaryOp::Less)) if joined => "<=",
            _ => return,
        };
        let span = self.span_of(self.previous()).to(self.here());
        let message = format!("this comparison is written `{right}` in B");
        self.report(Diagnostic::error("foreign-operator", message).at(span).help(format!("write `{right}`")));
        self.bump();
    }

    fn is_composition(&self, id: ExprId) -> bool {
        matches!(self.ast.expr(id).expr, Expr::Binary(BinaryOp::Compose | BinaryOp::ParallelProduct, ..))
    }

    fn is_relation(&self, id: ExprId) -> bool {
        let node = self.ast.expr(id);
        !node.parens && matches!(node.expr, Expr::Binary(op, ..) if op.is_relation())
    }

    /// Reports `a < b < c`.
    fn chained_relation(&mut self, lhs: ExprId) -> Parsed<ExprId> {
        let (here, first) = (self.here(), self.span(lhs));
        let sign = self.bump();
        let rhs = self.binary(RELATION + 1)?;
        let help = self.unchained(lhs, sign, rhs);
        let message = "relations cannot be chained";
        let diagnostic = Diagnostic::error("chained-relation", message).at(here);
        self.report_elsewhere(diagnostic.also(first, "this is a predicate already").help(help));
        let span = self.span(lhs).to(self.span(rhs));
        self.set_span(lhs, span);
        Ok(lhs)
    }

    /// Suggested correction of `a < b < c`.
    fn unchained(&self, lhs: ExprId, sign: Token, rhs: ExprId) -> String {
        let text = |id| self.short_text(self.span(id));
        let fallback = "write `a < b & b < c` instead of `a < b < c`";
        let Expr::Binary(first, left, middle) = self.ast.expr(lhs).expr else { return fallback.to_owned() };
        if let Expr::Binary(BinaryOp::InsertFront, ..) = self.ast.expr(middle).expr {
            return "an implication is written `=>`".to_owned();
        }
        let (Some(left), Some(middle), Some(right)) = (text(left), text(middle), text(rhs)) else {
            return fallback.to_owned();
        };
        let (first, second) = (first.info().ascii, self.text_of(sign));
        match (first, second) {
            ("=", "=") => {
                format!("write `{left} = {middle} & {middle} = {right}`, or compare with `bool({middle} = {right})`")
            }
            ("=" | "/=", _) => format!("write `{left} {first} bool({middle} {second} {right})`"),
            _ => format!("write `{left} {first} {middle} & {middle} {second} {right}`"),
        }
    }

    /// Text of a formula, if it is short enough for a message.
    pub(super) fn short_text(&self, span: Span) -> Option<&str> {
        let text = &self.text[span.start as usize..span.end as usize];
        (text.len() <= 40 && !text.contains(['\n', '\r', '`'])).then_some(text)
    }

    /// `E ⦂ T`
    fn of_type(&mut self, lhs: ExprId) -> Parsed<ExprId> {
        self.bump();
        let ty = self.binary(OF_TYPE + 1)?;
        self.want_expression(lhs);
        self.want_expression(ty);
        let span = self.span(lhs).to(self.span(ty));
        Ok(self.expr(Expr::OfType(lhs, ty), span))
    }

    /// Operand of infix operators, with its prefix and postfix operators.
    fn operand(&mut self, min: u16) -> Parsed<ExprId> {
        let label = |kind: &PragmaKind| match kind {
            PragmaKind::Label(label) => Some(label.clone()),
            _ => None,
        };
        let Some(first) = self.pragma(label) else { return self.unary() };
        let start = self.here();
        let mut labels = vec![first];
        while let Some(next) = self.pragma(label) {
            labels.push(next);
        }
        let pred = self.binary(min.max(EQUIVALENT))?;
        self.want_predicate(pred);
        let span = self.since(start);
        Ok(self.expr(Expr::Labelled { labels, pred }, span))
    }

    /// `-E`, or a formula without a sign.
    fn unary(&mut self) -> Parsed<ExprId> {
        if !self.at(TokenKind::Op(BinaryOp::Minus)) {
            return self.postfix();
        }
        let start = self.here();
        self.bump();
        if self.at(TokenKind::Op(BinaryOp::Minus)) {
            let message = "a minus sign cannot follow a minus sign";
            self.report(Diagnostic::error("double-minus", message).at(self.here()).help("write `-(-x)`"));
            while self.eat(TokenKind::Op(BinaryOp::Minus)) {}
        }
        let operand = self.postfix()?;
        self.want_expression(operand);
        let span = self.since(start);
        Ok(self.expr(Expr::Neg(operand), span))
    }
}
