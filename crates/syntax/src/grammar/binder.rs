//! Formulas in braces and square brackets, and formulas that bind variables.
//!
//! `{` opens an extension or a comprehension, which a lookahead decides.

use abridge_diag::{Diagnostic, Span};

use super::{Abandoned, Parsed, Parser};
use crate::ast::{Atom, BinaryOp, Expr, ExprId, Ident, Quantifier, Substituted};
use crate::lexer::{Token, TokenKind};
use crate::operators::{IMPLIES, RELATION};

impl Parser<'_> {
    /// `{}`, `{a, b}`, `{x | P}`, `{x · P | E}`
    pub(super) fn braces(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        let symbolic = self.symbolic_pragma();
        if self.kind_ahead(1) == TokenKind::RBrace {
            self.bump();
            self.bump();
            let span = self.since(start);
            return Ok(self.expr(Expr::Atom(Atom::EmptySet), span));
        }
        let head = self.comprehension_head();
        let id = self.bracketed(TokenKind::RBrace, |parser| match head {
            Some(Head::Comprehension) => parser.comprehension(),
            Some(Head::Image) => parser.set_image(),
            None => parser.set_extension(),
        })?;
        let span = self.since(start);
        self.set_span(id, span);
        self.ast.expr_mut(id).symbolic |= symbolic;
        Ok(id)
    }

    /// Token class after the variables that follow `{`, without taking tokens; `None` if no variables follow.
    fn comprehension_head(&self) -> Option<Head> {
        let name = |at| matches!(self.kind_ahead(at), TokenKind::Ident | TokenKind::QuotedIdent);
        let parens = self.kind_ahead(1) == TokenKind::LParen;
        let mut at = if parens { 2 } else { 1 };
        loop {
            // A keyword among the variables is reported later.
            if !name(at) && !self.is_word_ahead(at) {
                return None;
            }
            at += 1;
            match self.kind_ahead(at) {
                TokenKind::Comma | TokenKind::Op(BinaryOp::Maplet) => at += 1,
                _ => break,
            }
        }
        if parens && self.kind_ahead(at) != TokenKind::RParen {
            return None;
        }
        match self.kind_ahead(at + usize::from(parens)) {
            TokenKind::Bar => Some(Head::Comprehension),
            TokenKind::MiddleDot => Some(Head::Image),
            TokenKind::Dot if parens => Some(Head::Image),
            _ => None,
        }
    }

    fn is_word_ahead(&self, ahead: usize) -> bool {
        let kind = self.kind_ahead(ahead);
        matches!(kind, TokenKind::Builtin(_)) || self.misused_keywords.contains(&kind)
    }

    /// `x, y | P` or `x |-> y | P`
    fn comprehension(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        let maplets = self.kind_ahead(1) == TokenKind::Op(BinaryOp::Maplet);
        let ids = if maplets { self.maplet_of_names()? } else { self.bound_names()? };
        self.expect(TokenKind::Bar, "`|`")?;
        let pred = self.predicate();
        if self.at(TokenKind::Bar) {
            let message = "a set comprehension has one `|`";
            let help = "write `{x · P | E}` for the set of all `E`";
            return self.fail(Diagnostic::error("second-bar", message).at(self.here()).help(help));
        }
        Ok(self.expr(Expr::Comprehension { ids: ids.into(), pred, maplets }, start))
    }

    fn maplet_of_names(&mut self) -> Parsed<Vec<Ident>> {
        let first = self.ident("a variable")?;
        self.bump();
        let second = self.ident("a variable")?;
        if !self.at(TokenKind::Bar) {
            let message = "only a pair of variables can be written with `|->` before `|`";
            let help = "list the variables with commas: `{x, y, z | P}`";
            return self.fail(Diagnostic::error("nested-maplet", message).at(self.here()).help(help));
        }
        Ok(vec![first, second])
    }

    /// `x · P | E`
    fn set_image(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        let ids = self.bound_names()?;
        self.bump();
        let pred = self.predicate();
        self.expect(TokenKind::Bar, "`|` and an expression")?;
        let expr = self.composed_expression();
        Ok(self.expr(Expr::SetImage { ids: ids.into(), pred, expr }, start))
    }

    fn set_extension(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        let mut elements = vec![self.composition()];
        while self.eat(TokenKind::Comma) {
            elements.push(self.composition());
        }
        if self.at(TokenKind::Bar) {
            return self.bad_bound_variables(start, &elements);
        }
        for element in &elements {
            self.want_expression(*element);
        }
        Ok(self.expr(Expr::SetExtension(elements), start))
    }

    /// Reports wrong bound variables: `{f(x) | P}`, `{x : S | P}`, `{x.P | E}`.
    fn bad_bound_variables(&mut self, start: Span, elements: &[ExprId]) -> Parsed<ExprId> {
        let dotted = match self.ast.expr(elements[0]).expr {
            Expr::Binary(_, lhs, _) => matches!(&self.ast.expr(lhs).expr, Expr::Ident(name) if name.contains('.')),
            _ => false,
        };
        let message = "before `|` there must be variables with commas between";
        let first = self.short_text(self.span(elements[0])).filter(|_| elements.len() == 1);
        let help = match (first, &self.ast.expr(elements[0]).expr) {
            _ if dotted => {
                "put the variables in parentheses before a dot, `{(x).P | E}`, or write `{x · P | E}`".to_owned()
            }
            (Some(range), Expr::Binary(BinaryOp::Member, variable, _)) => {
                let variable = self.short_text(self.span(*variable)).unwrap_or("x");
                format!("write `{{{variable} | {range} & ...}}`")
            }
            (Some(value), _) => format!("write `{{x · P | {value}}}` for all values of `{value}`"),
            _ => "write `{x | P}` for the `x` with `P`, or `{x · P | E}` for all values of `E`".to_owned(),
        };
        let end = self.span_of(self.previous());
        self.fail(Diagnostic::error("bad-bound-variable", message).at(start.to(end)).help(help))
    }

    /// `[]`, `[a, b]`, `[x := E] P`
    pub(super) fn brackets(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        if self.kind_ahead(1) == TokenKind::RBracket {
            self.bump();
            self.bump();
            let span = self.since(start);
            return Ok(self.expr(Expr::Atom(Atom::EmptySequence), span));
        }
        if self.substituted_ahead() {
            return self.substituted();
        }
        let elements = self.bracketed(TokenKind::RBracket, |parser| Ok(parser.expressions()))?;
        let span = self.since(start);
        Ok(self.expr(Expr::SequenceExtension(elements), span))
    }

    fn substituted_ahead(&self) -> bool {
        let mut at = 1;
        while matches!(self.kind_ahead(at), TokenKind::Ident | TokenKind::QuotedIdent | TokenKind::Comma) {
            at += 1;
        }
        self.kind_ahead(at) == TokenKind::Assign
    }

    /// `[x, y := E, F] P`
    fn substituted(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        let (ids, values) = self.bracketed(TokenKind::RBracket, |parser| {
            let ids = parser.names("a variable")?;
            parser.expect(TokenKind::Assign, "`:=`")?;
            Ok((ids, parser.expressions()))
        })?;
        let pred = self.binary(RELATION)?;
        self.want_predicate(pred);
        let span = self.since(start);
        Ok(self.expr(Expr::Substituted(Box::new(Substituted { ids, values, pred })), span))
    }

    /// `%x.(P | E)`, `SIGMA(x, y).(P | E)`
    pub(super) fn quantified(&mut self, kind: Quantifier) -> Parsed<ExprId> {
        let start = self.here();
        let symbolic = self.symbolic_pragma();
        let keyword = self.bump();
        if self.misused_keywords.contains(&keyword.kind) && !self.at(TokenKind::LParen) {
            return self.builtin_alone(keyword);
        }
        let ids = self.binder(keyword)?;
        if !self.at(TokenKind::LParen) {
            return self.unparenthesised_quantified(keyword);
        }
        let (pred, expr) = self.bracketed(TokenKind::RParen, |parser| {
            let pred = parser.predicate();
            if !parser.at(TokenKind::Bar) {
                return Err(parser.missing_bar(keyword));
            }
            parser.bump();
            Ok((pred, parser.composed_expression()))
        })?;
        let span = self.since(start);
        let id = self.expr(Expr::Quantified { kind, ids: ids.into(), pred, expr }, span);
        self.ast.expr_mut(id).symbolic |= symbolic;
        Ok(id)
    }

    fn missing_bar(&mut self, keyword: Token) -> Abandoned {
        let text = self.text_of(keyword).to_owned();
        let message = format!("expected `|` and an expression, found {}", self.found());
        let help = format!("write `{text}(x).(P | E)`: a predicate, a bar, an expression");
        self.report(Diagnostic::error("missing-bar", message).at(self.here()).help(help));
        Abandoned
    }

    fn unparenthesised_quantified(&mut self, keyword: Token) -> Parsed<ExprId> {
        let text = self.text_of(keyword).to_owned();
        let message = format!("expected `(` after the variables of `{text}`, found {}", self.found());
        let help = format!("write `{text}(x).(P | E)`");
        self.fail(Diagnostic::error("missing-parentheses", message).at(self.here()).help(help))
    }

    /// `!x.(P)`, `#(x, y).(P)`
    pub(super) fn quantified_predicate(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        if self.negation_ahead() {
            return self.foreign_negation();
        }
        let keyword = self.bump();
        let ids = self.binder(keyword)?;
        let pred = if self.at(TokenKind::LParen) {
            self.bracketed(TokenKind::RParen, |parser| Ok(parser.predicate()))?
        } else {
            // Without parentheses, the quantifier probably extends to the end.
            self.without_parentheses(keyword, start, IMPLIES)?
        };
        let span = self.since(start);
        let is_forall = keyword.kind == TokenKind::Forall;
        let ids = ids.into();
        let expr = if is_forall { Expr::Forall { ids, pred } } else { Expr::Exists { ids, pred } };
        Ok(self.expr(expr, span))
    }

    /// `not(P)`
    pub(super) fn negation(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        let keyword = self.bump();
        let pred = if self.at(TokenKind::LParen) {
            self.bracketed(TokenKind::RParen, |parser| Ok(parser.predicate()))?
        } else {
            self.without_parentheses(keyword, start, RELATION)?
        };
        let span = self.since(start);
        Ok(self.expr(Expr::Not(pred), span))
    }

    /// Predicate after `not` or `!x.` without parentheses, which is reported.
    fn without_parentheses(&mut self, keyword: Token, start: Span, min: u16) -> Parsed<ExprId> {
        let here = self.here();
        let head = self.short_text(Span { end: self.previous().end, ..start }).unwrap_or("!x.").to_owned();
        let text = self.text_of(keyword).to_owned();
        let pred = self.binary(min)?;
        self.want_predicate(pred);
        let what = if keyword.kind == TokenKind::Not { "a predicate" } else { "its predicate" };
        let message = format!("`{text}` needs parentheses around {what}");
        let body = self.short_text(self.span(pred)).unwrap_or("P");
        let help = format!("write `{head}({body})`");
        let diagnostic = Diagnostic::error("missing-parentheses", message).at(here).help(help);
        let keyword = self.span_of(keyword);
        self.report_elsewhere(diagnostic.also(keyword, "needed by this"));
        Ok(pred)
    }

    /// True if `!(x = y)` is next, which is a negation in other languages.
    fn negation_ahead(&self) -> bool {
        if !self.at(TokenKind::Forall) || self.kind_ahead(1) != TokenKind::LParen {
            return false;
        }
        let mut at = 2;
        while matches!(self.kind_ahead(at), TokenKind::Ident | TokenKind::QuotedIdent | TokenKind::Comma) {
            at += 1;
        }
        match self.kind_ahead(at) {
            TokenKind::RParen => !matches!(self.kind_ahead(at + 1), TokenKind::Dot | TokenKind::MiddleDot),
            TokenKind::Op(op) => op != BinaryOp::Maplet,
            _ => false,
        }
    }

    fn foreign_negation(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        let message = "a negation is written `not` in B, not `!`";
        let diagnostic = Diagnostic::error("foreign-operator", message).at(start);
        self.report(diagnostic.help("write `not(P)`; `!x.(P)` is for all `x`"));
        self.bump();
        let pred = self.bracketed(TokenKind::RParen, |parser| Ok(parser.predicate()))?;
        let span = self.since(start);
        Ok(self.expr(Expr::Not(pred), span))
    }

    /// Variables of a quantifier, and the dot.
    fn binder(&mut self, keyword: Token) -> Parsed<Vec<Ident>> {
        let ids = self.bound_names()?;
        if matches!(self.kind(), TokenKind::Dot | TokenKind::MiddleDot) {
            self.bump();
            return Ok(ids);
        }
        let text = self.text_of(keyword).to_owned();
        let message = format!("expected `.` after the variables of `{text}`, found {}", self.found());
        let help = match (self.kind(), keyword.kind) {
            (TokenKind::Op(_), TokenKind::Forall) => {
                "the variables get their types inside: `!x.(x : S => P)`".to_owned()
            }
            (TokenKind::Op(_), TokenKind::Exists) => {
                "the variables get their types inside: `#x.(x : S & P)`".to_owned()
            }
            (TokenKind::And | TokenKind::Or, TokenKind::Forall) => {
                "write `!x.(P)`; a negation is written `not(P)`".to_owned()
            }
            (_, TokenKind::Forall | TokenKind::Exists) => format!("write `{text}x.(P)` or `{text}(x, y).(P)`"),
            _ => format!("write `{text}(x).(P | E)` or `{text}(x, y).(P | E)`"),
        };
        self.fail(Diagnostic::error("missing-dot", message).at(self.here()).help(help))
    }

    /// `x, y` or `(x, y)`
    pub(super) fn bound_names(&mut self) -> Parsed<Vec<Ident>> {
        if !self.at(TokenKind::LParen) {
            return self.names("a variable");
        }
        self.bracketed(TokenKind::RParen, |parser| parser.names("a variable"))
    }

    /// `a, b, c`
    pub(super) fn names(&mut self, what: &str) -> Parsed<Vec<Ident>> {
        let mut names = vec![self.ident(what)?];
        while self.eat(TokenKind::Comma) {
            names.push(self.ident(what)?);
        }
        Ok(names)
    }
}

/// Token class after the variables in `{`.
enum Head {
    Comprehension,
    Image,
}
