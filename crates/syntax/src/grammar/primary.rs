//! Primary formulas: operands of infix operators.
//!
//! `grammar/binder.rs` has those that bind variables.

use abridge_diag::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::ast::{BinaryOp, Builtin, Expr, ExprId, Ident, Sort, TemplatePart};
use crate::lexer::{Keyword, Token, TokenKind, unescape, unescape_back_quoted};

impl Parser<'_> {
    /// Primary with postfix operators: `f(x)[S]~'a`.
    pub(super) fn postfix(&mut self) -> Parsed<ExprId> {
        let mut base = self.primary()?;
        let mut inverted = false;
        while self.ast.sort(base) != Sort::Predicate {
            let start = self.span(base);
            base = match self.kind() {
                TokenKind::LParen => self.application(base)?,
                TokenKind::LBracket => self.image(base)?,
                TokenKind::Inverse => self.inverse(base, inverted),
                TokenKind::Quote => self.field(base, inverted)?,
                _ if self.stray_closer() => continue,
                _ => break,
            };
            inverted = matches!(self.ast.expr(base).expr, Expr::Inverse(_));
            let span = self.since(start);
            self.set_span(base, span);
        }
        Ok(base)
    }

    /// `f(a, b)`
    fn application(&mut self, head: ExprId) -> Parsed<ExprId> {
        let args = self.arguments()?;
        if args.is_empty() {
            return Ok(head);
        }
        let span = self.span(head);
        Ok(self.expr(Expr::Apply(head, args), span))
    }

    /// `(a, b)` after a name.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<ExprId>> {
        if self.kind_ahead(1) == TokenKind::RParen {
            return self.empty_parentheses();
        }
        self.bracketed(TokenKind::RParen, |parser| Ok(parser.expressions()))
    }

    /// Reports `op()` and reads it as `op`.
    pub(super) fn empty_parentheses<T>(&mut self) -> Parsed<Vec<T>> {
        let span = self.here().to(self.span_of(self.tokens[self.pos + 1]));
        let message = "parentheses cannot be empty";
        self.report(Diagnostic::error("empty-parentheses", message).at(span).help("leave out `()`"));
        self.bump();
        self.bump();
        Ok(Vec::new())
    }

    /// `r[S]`
    fn image(&mut self, relation: ExprId) -> Parsed<ExprId> {
        let set = self.bracketed(TokenKind::RBracket, |parser| Ok(parser.composed_expression()))?;
        let span = self.span(relation);
        Ok(self.expr(Expr::Image(relation, set), span))
    }

    /// `r~`
    fn inverse(&mut self, relation: ExprId, again: bool) -> ExprId {
        if again {
            let message = "`~` cannot be applied twice without parentheses";
            self.report(Diagnostic::error("double-inverse", message).at(self.here()).help("write `(r~)~`"));
        }
        self.bump();
        let span = self.span(relation);
        self.expr(Expr::Inverse(relation), span)
    }

    /// `r'f`
    fn field(&mut self, record: ExprId, inverted: bool) -> Parsed<ExprId> {
        if inverted {
            let message = "a field cannot be taken directly after `~`";
            self.report(Diagnostic::error("field-of-inverse", message).at(self.here()).help("write `(r~)'f`"));
        }
        self.bump();
        let field = self.ident("the name of a field")?;
        let span = self.span(record);
        Ok(self.expr(Expr::Field(record, Box::new(field)), span))
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        match self.kind() {
            TokenKind::Ident if self.quantifier_in_words() => self.quantified_predicate(),
            TokenKind::Ident | TokenKind::QuotedIdent => self.name_or_call(),
            TokenKind::Integer | TokenKind::Real | TokenKind::String | TokenKind::LongString => Ok(self.literal()),
            TokenKind::TemplateOpen => self.template(),
            TokenKind::Atom(atom) => {
                self.bump();
                Ok(self.expr(Expr::Atom(atom), start))
            }
            TokenKind::Builtin(builtin) => self.builtin_call(builtin),
            TokenKind::LParen => self.parenthesis(),
            TokenKind::LBrace => self.braces(),
            TokenKind::LBracket => self.brackets(),
            TokenKind::Quantifier(quantifier) => self.quantified(quantifier),
            TokenKind::Forall | TokenKind::Exists => self.quantified_predicate(),
            TokenKind::Not => self.negation(),
            TokenKind::Keyword(Keyword::If) => self.conditional(),
            TokenKind::Keyword(Keyword::Let) => self.local(),
            TokenKind::Keyword(Keyword::Rec) => self.record(true),
            TokenKind::Keyword(Keyword::Struct) => self.record(false),
            _ => Err(self.no_formula()),
        }
    }

    /// Reports `exists x.(P)` and reads it as `#x.(P)`.
    fn quantifier_in_words(&mut self) -> bool {
        let (kind, sign) = match self.text_of(self.token()) {
            "forall" | "FORALL" | "all" => (TokenKind::Forall, "!"),
            "exists" | "EXISTS" => (TokenKind::Exists, "#"),
            _ => return false,
        };
        let at = match self.kind_ahead(1) {
            TokenKind::Ident => 2,
            TokenKind::LParen if self.kind_ahead(2) == TokenKind::Ident => 3,
            _ => return false,
        };
        let binds = matches!(
            self.kind_ahead(at),
            TokenKind::Dot | TokenKind::MiddleDot | TokenKind::Comma | TokenKind::Op(BinaryOp::Member)
        );
        let closes = self.kind_ahead(at) == TokenKind::RParen && self.kind_ahead(at + 1) == TokenKind::Dot;
        // `all(x, y)` is an application.
        let quantifies = closes || (binds && at == 2);
        if !quantifies {
            return false;
        }
        let message = format!("{} is written `{sign}` in B", self.found());
        self.report(
            Diagnostic::error("foreign-operator", message).at(self.here()).help(format!("write `{sign}x.(P)`")),
        );
        self.tokens[self.pos].kind = kind;
        true
    }

    /// `x`, `m.x`, `x$0`, or a contextual keyword applied to arguments.
    fn name_or_call(&mut self) -> Parsed<ExprId> {
        if self.at(TokenKind::Ident)
            && self.kind_ahead(1) == TokenKind::LParen
            && let Some(builtin) = contextual(self.text_of(self.token()))
        {
            return self.builtin_call(builtin);
        }
        let name = self.dotted_name("a name")?;
        if self.at(TokenKind::DollarZero) && self.previous().end == self.token().start {
            self.bump();
            let span = self.since(name.span);
            return Ok(self.expr(Expr::Before(name.name), span));
        }
        Ok(self.expr(Expr::Ident(name.name), name.span))
    }

    fn literal(&mut self) -> ExprId {
        let token = self.bump();
        let text = self.text_of(token);
        let expr = match token.kind {
            TokenKind::Integer => Expr::Integer(text.into()),
            TokenKind::Real => Expr::Real(text.into()),
            _ => Expr::String(string_value(text)),
        };
        let span = self.span_of(token);
        self.expr(expr, span)
    }

    fn template(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        self.bump();
        let mut parts = Vec::new();
        loop {
            match self.kind() {
                TokenKind::TemplateText => {
                    let token = self.bump();
                    parts.push(TemplatePart::Text(unescape_back_quoted(self.text_of(token))));
                }
                TokenKind::TemplateExprOpen => {
                    let inside = |parser: &mut Self| Ok(parser.composed_expression());
                    parts.push(TemplatePart::Expr(self.bracketed(TokenKind::TemplateExprClose, inside)?));
                }
                _ => break,
            }
        }
        // The lexer has reported an unclosed template.
        self.eat(TokenKind::TemplateClose);
        let span = self.since(start);
        Ok(self.expr(Expr::Template(parts), span))
    }

    /// `dom(r)`
    fn builtin_call(&mut self, builtin: Builtin) -> Parsed<ExprId> {
        let start = self.here();
        let keyword = self.bump();
        if !self.at(TokenKind::LParen) {
            return self.builtin_alone(keyword);
        }
        let args = self.bracketed(TokenKind::RParen, |parser| Ok(parser.builtin_arguments(builtin)))?;
        let span = self.since(start);
        let info = builtin.info();
        if info.contextual && !fits(builtin, args.len()) {
            // With this number of arguments, it is a function of the same name.
            let head = self.expr(Expr::Ident(info.name.into()), start);
            return Ok(self.expr(Expr::Apply(head, args), span));
        }
        self.check_arity(builtin, start, args.len());
        Ok(self.expr(Expr::Builtin(builtin, args), span))
    }

    fn builtin_arguments(&mut self, builtin: Builtin) -> Vec<ExprId> {
        if builtin != Builtin::Bool {
            return self.composed_expressions();
        }
        vec![self.predicate()]
    }

    pub(super) fn builtin_alone(&mut self, keyword: Token) -> Parsed<ExprId> {
        let text = self.text_of(keyword).to_owned();
        let span = self.span_of(keyword);
        if self.misused_keywords.contains(&keyword.kind) {
            return Ok(self.expr(Expr::Ident(text.into()), span));
        }
        let message = format!("expected `(` after `{text}`, found {}", self.found());
        let help = match self.at_ident() {
            true => format!("write `{text}({})`", self.text_of(self.token())),
            false => format!("`{text}` is a keyword; write its argument in parentheses, or choose another name"),
        };
        self.fail(
            Diagnostic::error("missing-parentheses", message).at(self.here()).also(span, "applied here").help(help),
        )
    }

    fn check_arity(&mut self, builtin: Builtin, keyword: Span, n_args: usize) {
        if fits(builtin, n_args) {
            return;
        }
        let info = builtin.info();
        let wanted = match (info.arity.start(), info.arity.end()) {
            (1, 1) => "one argument".to_owned(),
            (from, to) if from == to => format!("{from} arguments"),
            (from, to) => format!("{from} to {to} arguments"),
        };
        let message = format!("`{}` takes {wanted}, but {n_args} are given", info.name);
        let mut diagnostic = Diagnostic::error("wrong-number-of-arguments", message).at(keyword);
        if matches!(builtin, Builtin::Max | Builtin::Min) {
            diagnostic = diagnostic.help(format!("write `{}({{a, b}})`", info.name));
        }
        self.report_elsewhere(diagnostic);
    }

    /// `(P)`, `(E)`, `(f ; g)`, `(a, b)`
    fn parenthesis(&mut self) -> Parsed<ExprId> {
        let start = self.here();
        if self.kind_ahead(1) == TokenKind::RParen {
            self.empty_parentheses::<ExprId>()?;
            return Ok(self.error_expr());
        }
        let id = self.bracketed(TokenKind::RParen, |parser| {
            let first = parser.composition();
            if !parser.at(TokenKind::Comma) {
                parser.ast.expr_mut(first).parens = true;
                return Ok(first);
            }
            parser.want_expression(first);
            let mut elements = vec![first];
            while parser.eat(TokenKind::Comma) {
                elements.push(parser.composed_expression());
            }
            Ok(parser.expr(Expr::Tuple(elements), start))
        })?;
        let span = self.since(start);
        self.set_span(id, span);
        Ok(id)
    }

    /// `IF P THEN E ELSIF Q THEN F ELSE G END`
    fn conditional(&mut self) -> Parsed<ExprId> {
        let opener = self.bump();
        let start = self.span_of(opener);
        let condition = self.predicate();
        self.expect_word(Keyword::Then, opener)?;
        let mut branches = vec![(condition, self.formula())];
        while self.eat_elsif() {
            let condition = self.predicate();
            self.expect_word(Keyword::Then, opener)?;
            branches.push((condition, self.formula()));
        }
        if !self.at_keyword(Keyword::Else) && self.at_keyword(Keyword::End) {
            let message = "an `IF` inside a formula needs an `ELSE`";
            let diagnostic = Diagnostic::error("missing-else", message).at(self.here());
            self.report(diagnostic.also(start, "the `IF`").help("say what it is when no condition holds"));
            self.bump();
            return Ok(self.error_expr());
        }
        self.expect_word(Keyword::Else, opener)?;
        let otherwise = self.formula();
        self.expect_word(Keyword::End, opener)?;
        self.check_branches(&branches, otherwise);
        let span = self.since(start);
        Ok(self.expr(Expr::If { branches, otherwise }, span))
    }

    /// Checks that all branches are predicates, or all are expressions.
    fn check_branches(&mut self, branches: &[(ExprId, ExprId)], otherwise: ExprId) {
        let results = || branches.iter().map(|(_, result)| *result).chain([otherwise]);
        let known = results().map(|result| self.ast.sort(result)).find(|sort| *sort != Sort::Unknown);
        for result in results() {
            match known {
                Some(Sort::Predicate) => self.want_predicate(result),
                Some(Sort::Expression) => self.want_expression(result),
                _ => {}
            }
        }
    }

    /// `LET x, y BE P IN E END`
    fn local(&mut self) -> Parsed<ExprId> {
        let opener = self.bump();
        let start = self.span_of(opener);
        let ids = self.bound_names()?;
        self.expect_word(Keyword::Be, opener)?;
        let pred = self.predicate();
        self.expect_word(Keyword::In, opener)?;
        let body = self.formula();
        self.expect_word(Keyword::End, opener)?;
        let span = self.since(start);
        Ok(self.expr(Expr::Let { ids: ids.into(), pred, body }, span))
    }

    /// `rec(f : E, g : F)`, `struct(f : S, g : T)`
    fn record(&mut self, is_value: bool) -> Parsed<ExprId> {
        let start = self.here();
        let keyword = self.bump();
        if !self.at(TokenKind::LParen) {
            return self.builtin_alone(keyword);
        }
        let fields = self.bracketed(TokenKind::RParen, |parser| {
            let mut fields = vec![parser.record_entry()?];
            while parser.eat(TokenKind::Comma) {
                fields.push(parser.record_entry()?);
            }
            Ok(fields)
        })?;
        let span = self.since(start);
        let expr = if is_value { Expr::Record(fields) } else { Expr::Struct(fields) };
        Ok(self.expr(expr, span))
    }

    /// `f : E`, optionally in parentheses.
    fn record_entry(&mut self) -> Parsed<(Ident, ExprId)> {
        if self.at(TokenKind::LParen) {
            return self.bracketed(TokenKind::RParen, Self::bare_record_entry);
        }
        self.bare_record_entry()
    }

    fn bare_record_entry(&mut self) -> Parsed<(Ident, ExprId)> {
        let field = self.ident("the name of a field")?;
        if self.at(TokenKind::Op(BinaryOp::Equal)) {
            let message = "a field of a record is written with `:`, not `=`";
            self.report(Diagnostic::error("wrong-sign", message).at(self.here()).help("write `:`"));
            self.bump();
        } else {
            self.expect(TokenKind::Op(BinaryOp::Member), "`:` after the name of the field")?;
        }
        Ok((field, self.composed_expression()))
    }
}

fn fits(builtin: Builtin, n_args: usize) -> bool {
    match builtin {
        Builtin::Bin => n_args == 1 || n_args == 3,
        _ => builtin.info().arity.contains(&n_args),
    }
}

fn contextual(name: &str) -> Option<Builtin> {
    use Builtin::*;
    let builtin = match name {
        "floor" => Floor,
        "ceiling" => Ceiling,
        "real" => Real,
        "tree" => Tree,
        "btree" => Btree,
        "const" => Const,
        "top" => Top,
        "sons" => Sons,
        "prefix" => Prefix,
        "postfix" => Postfix,
        "sizet" => SizeT,
        "mirror" => Mirror,
        "rank" => Rank,
        "father" => Father,
        "son" => Son,
        "subtree" => Subtree,
        "arity" => Arity,
        "bin" => Bin,
        "left" => Left,
        "right" => Right,
        "infix" => Infix,
        _ => return None,
    };
    Some(builtin)
}

/// Value of a string token.
pub(super) fn string_value(text: &str) -> smol_str::SmolStr {
    for quote in ["'''", "\""] {
        if let Some(inside) = text.strip_prefix(quote) {
            return unescape(inside.strip_suffix(quote).unwrap_or(inside));
        }
    }
    unescape(text)
}
