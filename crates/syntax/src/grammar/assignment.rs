//! Assignments and calls: substitutions that start with a name.
//!
//! The targets are parsed first; the token after them decides between assignment and call.

use abridge_diag::{Diagnostic, Span};

use super::{Abandoned, Context, Parsed, Parser};
use crate::ast::{BinaryOp, Expr, ExprId, Ident, Subst, SubstId};
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `x := E`, `x :: S`, `x : (P)`, `x <-- op(E)`, `op(E)`
    pub(super) fn assignment_or_call(&mut self) -> Parsed<SubstId> {
        let start = self.here();
        let mut targets = vec![self.target()?];
        while self.eat(TokenKind::Comma) {
            targets.push(self.target()?);
        }
        match self.kind() {
            TokenKind::Assign => self.assignment(start, targets),
            TokenKind::BecomesElement => self.becomes_element(start, &targets),
            TokenKind::Op(BinaryOp::Member) => self.becomes_such(start, &targets),
            TokenKind::Outputs => self.call_with_outputs(start, targets),
            TokenKind::Op(BinaryOp::Equal) | TokenKind::DefinedAs => Err(self.comparison_as_substitution(start)),
            TokenKind::Op(op) if op != BinaryOp::ParallelProduct => Err(self.operator_in_statement(start)),
            _ if targets.len() == 1 => self.call(start, targets[0]),
            _ => Err(self.unexpected("`:=`, `::`, `:(P)` or `<--`")),
        }
    }

    /// Reports `x = E` in place of a substitution.
    fn comparison_as_substitution(&mut self, start: Span) -> Abandoned {
        let is_body = self.tokens.iter().take(self.pos).rev().find(|token| token.start < start.start);
        let after_name = is_body.is_some_and(|token| token.kind == TokenKind::Op(BinaryOp::Equal));
        let message = "this is a comparison, but a substitution is needed here";
        let help = match after_name {
            true => "an assignment is written `:=`, an operation with an output `r <-- op = S`",
            false => "an assignment is written `:=`",
        };
        self.report(Diagnostic::error("comparison-as-substitution", message).at(self.here()).help(help));
        Abandoned
    }

    /// Reports `x + 1`, `x += 1` or `x++` in place of a substitution.
    fn operator_in_statement(&mut self, start: Span) -> Abandoned {
        let next = self.kind_ahead(1);
        let compound = self.joined() && next == TokenKind::Op(BinaryOp::Equal);
        let increment = self.joined() && next == self.kind();
        let sign = self.text_of(self.token()).to_owned();
        let target = self.text[start.start as usize..self.previous().end as usize].to_owned();
        let message = format!("expected `:=`, found `{sign}`");
        let help = match (compound, increment) {
            (true, _) => format!("write `{target} := {target} {sign} ...`"),
            (_, true) => format!("write `{target} := {target} {sign} 1`"),
            _ => "an expression does nothing; write `x := E` to change a variable".to_owned(),
        };
        self.report(Diagnostic::error("unexpected-token", message).at(self.here()).help(help));
        Abandoned
    }

    /// Target of an assignment: `x`, `f(a)(b)`, `r'a'b`, `f(a)'b`.
    fn target(&mut self) -> Parsed<ExprId> {
        let name = self.dotted_name("the name of a variable")?;
        let start = name.span;
        let mut target = self.expr(Expr::Ident(name.name), start);
        loop {
            match self.kind() {
                TokenKind::LParen => target = self.target_argument(target)?,
                TokenKind::Quote => {
                    self.bump();
                    let field = self.ident("the name of a field")?;
                    target = self.expr(Expr::Field(target, Box::new(field)), start);
                }
                _ => return Ok(target),
            }
            let span = self.since(start);
            self.set_span(target, span);
        }
    }

    fn target_argument(&mut self, target: ExprId) -> Parsed<ExprId> {
        if matches!(self.ast.expr(target).expr, Expr::Field(..)) {
            let message = "a field of a record cannot be changed at an argument";
            let help = "assign the whole field: `r'f := r'f <+ {x |-> E}`";
            self.report(Diagnostic::error("bad-assignment-target", message).at(self.here()).help(help));
        }
        let args = self.arguments()?;
        if args.is_empty() {
            return Ok(target);
        }
        let span = self.span(target);
        Ok(self.expr(Expr::Apply(target, args), span))
    }

    fn assignment(&mut self, start: Span, targets: Vec<ExprId>) -> Parsed<SubstId> {
        self.bump();
        let values = self.within(Context::Value, Self::values);
        let span = self.since(start);
        Ok(self.subst(Subst::Assign { targets, values }, span))
    }

    /// `E, F`, up to a `,` that should be `||`.
    fn values(&mut self) -> Vec<ExprId> {
        let mut values = vec![self.expression()];
        while self.at(TokenKind::Comma) && !self.assignment_after_separator() {
            self.bump();
            values.push(self.expression());
        }
        values
    }

    fn becomes_element(&mut self, start: Span, targets: &[ExprId]) -> Parsed<SubstId> {
        let targets = self.target_names(targets, "::")?;
        self.bump();
        let set = self.within(Context::Value, Self::expression);
        let span = self.since(start);
        Ok(self.subst(Subst::BecomesElement { targets, set }, span))
    }

    fn becomes_such(&mut self, start: Span, targets: &[ExprId]) -> Parsed<SubstId> {
        if self.kind_ahead(1) != TokenKind::LParen {
            let message = "`:` is a test, but a substitution is needed here";
            let help = "write `x :: S` for any element of `S`, or `x : (P)` for a value with `P`";
            return self.fail(Diagnostic::error("comparison-as-substitution", message).at(self.here()).help(help));
        }
        let targets = self.target_names(targets, ":")?;
        self.bump();
        let pred = self.bracketed(TokenKind::RParen, |parser| Ok(parser.predicate()))?;
        let span = self.since(start);
        Ok(self.subst(Subst::BecomesSuch { targets, pred }, span))
    }

    fn target_names(&mut self, targets: &[ExprId], sign: &str) -> Parsed<Vec<Ident>> {
        let mut names = Vec::with_capacity(targets.len());
        for target in targets {
            let node = self.ast.expr(*target);
            let Expr::Ident(name) = &node.expr else {
                let span = node.span;
                let message = format!("only names can stand before `{sign}`");
                let help = "choose the value with `ANY v WHERE ... THEN f(x) := v END`";
                return self.fail(Diagnostic::error("bad-assignment-target", message).at(span).help(help));
            };
            names.push(Ident { name: name.clone(), span: node.span });
        }
        Ok(names)
    }

    /// `x, f(a) <-- op(E)`
    fn call_with_outputs(&mut self, start: Span, outputs: Vec<ExprId>) -> Parsed<SubstId> {
        self.bump();
        let name = self.dotted_name("the name of an operation")?;
        let args = if self.at(TokenKind::LParen) { self.arguments()? } else { Vec::new() };
        let span = self.since(start);
        Ok(self.subst(Subst::Call { outputs, name: Box::new(name), args }, span))
    }

    /// `op(E)`, which was parsed as a target.
    fn call(&mut self, start: Span, target: ExprId) -> Parsed<SubstId> {
        let (head, args) = match &self.ast.expr(target).expr {
            Expr::Apply(head, args) => (*head, args.clone()),
            _ => (target, Vec::new()),
        };
        let head = self.ast.expr(head);
        let Expr::Ident(name) = &head.expr else {
            return Err(self.unexpected("`:=`"));
        };
        let name = Ident { name: name.clone(), span: head.span };
        let span = self.since(start);
        Ok(self.subst(Subst::Call { outputs: Vec::new(), name: Box::new(name), args }, span))
    }
}
