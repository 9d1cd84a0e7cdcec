//! Substitutions that start with a keyword.
//!
//! `grammar/assignment.rs` has those that start with a name.

use abridge_diag::Diagnostic;

use super::block::{ELSE_IF, TWO_ENDS};
use super::recovery::ends_statement;
use super::{Abandoned, Parsed, Parser};
use crate::ast::{BinaryOp, ExprId, Subst, SubstId};
use crate::lexer::{Keyword, Token, TokenKind, reserved};

impl Parser<'_> {
    /// `S ; T ; U`. Never fails.
    pub(super) fn sequence(&mut self) -> SubstId {
        let first = self.parallel();
        let mut parts = vec![first];
        while self.next_of_sequence() {
            parts.push(self.parallel());
        }
        if parts.len() == 1 {
            return first;
        }
        let span = self.since(self.ast.subst(first).span);
        self.subst(Subst::Sequence(parts), span)
    }

    /// Takes the `;` before another substitution, or reports that it is missing.
    fn next_of_sequence(&mut self) -> bool {
        if !self.at(TokenKind::Semicolon) {
            return self.missing_separator();
        }
        if self.operation_ahead(1) {
            return false;
        }
        if self.ends_statement_ahead(1) {
            self.trailing_semicolon("a `;` stands between substitutions, but none follows");
            return false;
        }
        self.bump();
        true
    }

    /// Reports a missing separator in `x := 1 y := 2`.
    fn missing_separator(&mut self) -> bool {
        let starts = match self.kind() {
            TokenKind::Ident => {
                let is_word = self.at_foreign_elsif() || self.at_misspelt_word() || self.at_misspelt_clause();
                !is_word && !self.operation_ahead(0)
            }
            TokenKind::QuotedIdent => true,
            TokenKind::Keyword(Keyword::If | Keyword::Let) => true,
            TokenKind::Keyword(keyword) => keyword.starts_only_substitution(),
            _ => false,
        };
        if !starts || self.quiet_at == Some(self.pos) || self.digits_before_name() {
            return false;
        }
        let message = format!("expected `;` or `||` between substitutions, found {}", self.found());
        let help = match self.text_of(self.previous()) {
            "return" | "RETURN" => "the result of an operation is assigned to an output: `r <-- op = r := E`",
            _ => "write `;` to do one after the other, `||` to do both at once",
        };
        self.report(Diagnostic::error("missing-separator", message).at(self.here()).help(help));
        true
    }

    /// Reports a `;` that no substitution follows.
    pub(super) fn trailing_semicolon(&mut self, message: &str) {
        self.report(Diagnostic::error("trailing-semicolon", message).at(self.here()).help("remove the `;`"));
        self.bump();
        self.quiet_at = Some(self.pos);
    }

    /// `S || T || U`. Never fails.
    pub(super) fn parallel(&mut self) -> SubstId {
        let first = self.statement();
        let mut parts = vec![first];
        while self.eat_parallel() {
            parts.push(self.statement());
        }
        if parts.len() == 1 {
            return first;
        }
        let span = self.since(self.ast.subst(first).span);
        self.subst(Subst::Parallel(parts), span)
    }

    /// Takes `||`, or `,` or `&` before another assignment, which is reported.
    fn eat_parallel(&mut self) -> bool {
        if !self.assignment_after_separator() {
            return self.eat(TokenKind::Op(BinaryOp::ParallelProduct));
        }
        let message = format!("substitutions are separated by `||` or `;`, not {}", self.found());
        let help = "write `||` to do both at once, `;` to do one after the other";
        self.report(Diagnostic::error("wrong-separator", message).at(self.here()).help(help));
        self.bump();
        true
    }

    /// True if `, x :=` or `& x :=` is next.
    pub(super) fn assignment_after_separator(&self) -> bool {
        let assigns = matches!(self.kind_ahead(2), TokenKind::Assign | TokenKind::BecomesElement);
        matches!(self.kind(), TokenKind::Comma | TokenKind::And) && self.kind_ahead(1) == TokenKind::Ident && assigns
    }

    /// Single substitution. Never fails.
    fn statement(&mut self) -> SubstId {
        match self.nested(Self::bare_statement) {
            Ok(id) => id,
            Err(_) => {
                let error = self.error_subst();
                self.skip_to_statement_end();
                error
            }
        }
    }

    /// Substitution without `;` and `||`.
    pub(super) fn bare_statement(&mut self) -> Parsed<SubstId> {
        match self.kind() {
            TokenKind::Ident if self.misspelt_opener() => self.bare_statement(),
            TokenKind::Ident | TokenKind::QuotedIdent => self.assignment_or_call(),
            TokenKind::Keyword(keyword) => self.keyword_statement(keyword),
            TokenKind::LParen => self.parenthesised_statement(),
            kind if self.misused_keywords.contains(&kind) => self.assignment_or_call(),
            _ => Err(self.no_statement()),
        }
    }

    /// Reports a keyword in lower case, as in `if x = 1 then`, and reads it as upper case.
    fn misspelt_opener(&mut self) -> bool {
        use TokenKind::{Atom, Builtin, Ident, Integer, Not, QuotedIdent};
        let starts = matches!(self.kind_ahead(1), Atom(_) | Builtin(_) | Ident | Integer | Not | QuotedIdent);
        let upper = self.text_of(self.token()).to_ascii_uppercase();
        let Some(TokenKind::Keyword(keyword)) = reserved(&upper).filter(|_| starts) else { return false };
        if !keyword.opens_block() || keyword == Keyword::Either {
            return false;
        }
        let message = format!("{} is written `{upper}` in B", self.found());
        let help = "keywords of substitutions are in upper case";
        self.report(Diagnostic::error("misspelt-keyword", message).at(self.here()).help(help));
        self.tokens[self.pos].kind = TokenKind::Keyword(keyword);
        true
    }

    fn keyword_statement(&mut self, keyword: Keyword) -> Parsed<SubstId> {
        match keyword {
            Keyword::Skip => {
                let span = self.here();
                self.bump();
                Ok(self.subst(Subst::Skip, span))
            }
            Keyword::Begin => self.block(),
            Keyword::Pre => self.guarded(|pred, body| Subst::Pre { pred, body }),
            Keyword::Assert => self.guarded(|pred, body| Subst::Assert { pred, body }),
            Keyword::Witness => self.guarded(|pred, body| Subst::Witness { pred, body }),
            Keyword::Select => self.select(),
            Keyword::If => self.if_substitution(),
            Keyword::Choice => self.choice(),
            Keyword::Case => self.case(),
            Keyword::Any => self.any(),
            Keyword::Let => self.let_substitution(),
            Keyword::Var => self.var(),
            Keyword::While => self.while_substitution(),
            _ => Err(self.no_statement()),
        }
    }

    fn no_statement(&mut self) -> Abandoned {
        if matches!(self.kind(), TokenKind::Builtin(_) | TokenKind::Atom(_) | TokenKind::Quantifier(_))
            && matches!(self.kind_ahead(1), TokenKind::Assign | TokenKind::BecomesElement)
        {
            // This reports the keyword that is used as a name.
            let _ = self.not_a_name("the name of a variable");
            return Abandoned;
        }
        if ends_statement(self.kind()) || self.at(TokenKind::Semicolon) {
            let message = format!("expected a substitution, found {}", self.found());
            let diagnostic = Diagnostic::error("unexpected-token", message).at(self.here());
            self.report(diagnostic.help("write `skip` to do nothing"));
            return Abandoned;
        }
        self.unexpected("a substitution")
    }

    /// Reports `(S)` and reads it as BEGIN S END.
    fn parenthesised_statement(&mut self) -> Parsed<SubstId> {
        let start = self.here();
        if self.pos == 0 || self.previous().kind != TokenKind::LParen {
            let message = "substitutions cannot be put in parentheses";
            self.report(Diagnostic::error("parenthesised-substitution", message).at(start).help("write `BEGIN S END`"));
        }
        let body = self.bracketed(TokenKind::RParen, |parser| Ok(parser.sequence()))?;
        let span = self.since(start);
        Ok(self.subst(Subst::Block(body), span))
    }

    /// `BEGIN S END`
    fn block(&mut self) -> Parsed<SubstId> {
        let opener = self.bump();
        let body = self.sequence();
        self.end(opener)?;
        Ok(self.closed(Subst::Block(body), opener))
    }

    /// `PRE P THEN S END` and similar blocks.
    fn guarded(&mut self, build: fn(ExprId, SubstId) -> Subst) -> Parsed<SubstId> {
        let opener = self.bump();
        let pred = self.predicate();
        self.expect_word(Keyword::Then, opener)?;
        let body = self.sequence();
        self.end(opener)?;
        Ok(self.closed(build(pred, body), opener))
    }

    /// `P THEN S`
    fn branch(&mut self, opener: Token) -> Parsed<(ExprId, SubstId)> {
        let pred = self.predicate();
        self.expect_word(Keyword::Then, opener)?;
        Ok((pred, self.sequence()))
    }

    /// Optional `ELSE S`.
    fn opt_else(&mut self) -> Option<SubstId> {
        let found = self.eat_keyword(Keyword::Else) || self.eat_misspelt(Keyword::Else);
        found.then(|| self.sequence())
    }

    /// `SELECT P THEN S WHEN Q THEN T ELSE U END`
    fn select(&mut self) -> Parsed<SubstId> {
        let opener = self.bump();
        let mut branches = vec![self.branch(opener)?];
        while self.eat_keyword(Keyword::When) {
            branches.push(self.branch(opener)?);
        }
        let otherwise = self.opt_else();
        self.end(opener)?;
        Ok(self.closed(Subst::Select { branches, otherwise }, opener))
    }

    /// `IF P THEN S ELSIF Q THEN T ELSE U END`
    fn if_substitution(&mut self) -> Parsed<SubstId> {
        let opener = self.bump();
        let mut branches = vec![self.branch(opener)?];
        while self.eat_elsif() {
            branches.push(self.branch(opener)?);
        }
        let else_if = self.at_keyword(Keyword::Else) && self.kind_ahead(1) == TokenKind::Keyword(Keyword::If);
        let otherwise = self.opt_else();
        self.end_with_hint(opener, else_if.then_some(ELSE_IF))?;
        Ok(self.closed(Subst::If { branches, otherwise }, opener))
    }

    /// `CHOICE S OR T END`
    fn choice(&mut self) -> Parsed<SubstId> {
        let opener = self.bump();
        let mut branches = vec![self.sequence()];
        while self.eat_keyword(Keyword::Or) {
            branches.push(self.sequence());
        }
        self.end(opener)?;
        Ok(self.closed(Subst::Choice(branches), opener))
    }

    /// `CASE E OF EITHER a, b THEN S OR c THEN T ELSE U END END`
    fn case(&mut self) -> Parsed<SubstId> {
        let opener = self.bump();
        let selector = self.composed_expression();
        self.expect_word(Keyword::Of, opener)?;
        let either = self.token();
        self.expect_word(Keyword::Either, opener)?;
        let mut branches = vec![self.case_branch(opener)?];
        while self.eat_keyword(Keyword::Or) {
            branches.push(self.case_branch(opener)?);
        }
        let otherwise = self.opt_else();
        self.end(either)?;
        self.end_with_hint(opener, Some(TWO_ENDS))?;
        Ok(self.closed(Subst::Case { selector, branches, otherwise }, opener))
    }

    fn case_branch(&mut self, opener: Token) -> Parsed<(Vec<ExprId>, SubstId)> {
        let labels = self.expressions();
        self.expect_word(Keyword::Then, opener)?;
        Ok((labels, self.sequence()))
    }

    /// `ANY x, y WHERE P THEN S END`
    fn any(&mut self) -> Parsed<SubstId> {
        let opener = self.bump();
        let ids = self.block_names(Keyword::Where);
        self.expect_word(Keyword::Where, opener)?;
        let (pred, body) = self.branch(opener)?;
        self.end(opener)?;
        Ok(self.closed(Subst::Any { ids, pred, body }, opener))
    }

    /// `LET x, y BE P IN S END`
    fn let_substitution(&mut self) -> Parsed<SubstId> {
        let opener = self.bump();
        let ids = self.block_names(Keyword::Be);
        self.expect_word(Keyword::Be, opener)?;
        let pred = self.predicate();
        self.expect_word(Keyword::In, opener)?;
        let body = self.sequence();
        self.end(opener)?;
        Ok(self.closed(Subst::Let { ids, pred, body }, opener))
    }

    /// `VAR x, y IN S END`
    fn var(&mut self) -> Parsed<SubstId> {
        let opener = self.bump();
        let ids = self.block_names(Keyword::In);
        self.expect_word(Keyword::In, opener)?;
        let body = self.sequence();
        self.end(opener)?;
        Ok(self.closed(Subst::Var { ids, body }, opener))
    }

    /// `WHILE P DO S INVARIANT I VARIANT V END`
    fn while_substitution(&mut self) -> Parsed<SubstId> {
        let opener = self.bump();
        let condition = self.predicate();
        self.expect_word(Keyword::Do, opener)?;
        let body = self.sequence();
        let swapped = self.at_keyword(Keyword::Variant);
        if swapped {
            self.swapped_variant();
        }
        self.expect_word(Keyword::Invariant, opener)?;
        let invariant = self.predicate();
        if swapped {
            self.end(opener)?;
            return Ok(self.error_subst());
        }
        self.expect_word(Keyword::Variant, opener)?;
        let variant = self.composed_expression();
        self.end(opener)?;
        Ok(self.closed(Subst::While { condition, body, invariant, variant }, opener))
    }

    /// Reports `VARIANT V` before INVARIANT.
    fn swapped_variant(&mut self) {
        let message = "the `INVARIANT` of a loop comes before its `VARIANT`";
        let help = "write `WHILE P DO S INVARIANT I VARIANT V END`";
        self.report(Diagnostic::error("missing-keyword", message).at(self.here()).help(help));
        self.bump();
        self.composed_expression();
    }

    /// Node of a block that was closed by the last token.
    fn closed(&mut self, subst: Subst, opener: Token) -> SubstId {
        let span = self.since(self.span_of(opener));
        self.subst(subst, span)
    }
}

// Lookahead.
impl Parser<'_> {
    fn ends_statement_ahead(&self, ahead: usize) -> bool {
        ends_statement(self.kind_ahead(ahead))
    }

    /// True if the header of an operation, `o <-- name(p) = S`, is `ahead` tokens ahead.
    pub(super) fn operation_ahead(&self, ahead: usize) -> bool {
        let mut at = self.skip_names(ahead);
        if at == ahead {
            return false;
        }
        if self.kind_ahead(at) == TokenKind::Outputs {
            at = self.skip_names(at + 1);
        }
        if self.kind_ahead(at) == TokenKind::LParen {
            at = self.skip_names(at + 1);
            if self.kind_ahead(at) != TokenKind::RParen {
                return false;
            }
            at += 1;
        }
        if self.kind_ahead(at) != TokenKind::Op(BinaryOp::Equal) {
            return false;
        }
        match self.kind_ahead(at + 1) {
            TokenKind::Keyword(Keyword::If | Keyword::Let) => true,
            TokenKind::Keyword(keyword) => keyword.starts_only_substitution(),
            TokenKind::Ident => {
                matches!(self.kind_ahead(at + 2), TokenKind::Assign | TokenKind::BecomesElement | TokenKind::Outputs)
            }
            _ => false,
        }
    }

    /// End of a list of names that starts `at` tokens ahead.
    fn skip_names(&self, mut at: usize) -> usize {
        while matches!(self.kind_ahead(at), TokenKind::Ident | TokenKind::QuotedIdent) {
            at += 1;
            if !matches!(self.kind_ahead(at), TokenKind::Comma | TokenKind::Dot) {
                break;
            }
            at += 1;
        }
        at
    }
}
