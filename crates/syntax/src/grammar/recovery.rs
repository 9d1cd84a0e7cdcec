//! Error reporting and recovery: skipping to a token at which parsing can resume.
//!
//! Every loop here advances or ends, and one mistake is reported once.

use abridge_diag::{Diagnostic, Span};

use super::{Abandoned, Context, MAX_DIAGNOSTICS, Parsed, Parser};
use crate::lexer::{Keyword, Token, TokenKind};

impl Parser<'_> {
    /// Reports an error at the next token, unless one was reported there before.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let cut_off = self.cut_off && self.at(TokenKind::EndOfFile);
        if self.quiet_at == Some(self.pos) || cut_off || self.at_bad_token() {
            return;
        }
        self.quiet_at = Some(self.pos);
        self.report_elsewhere(diagnostic);
    }

    /// True if the lexer reported an error at the next token or directly before it.
    fn at_bad_token(&self) -> bool {
        let from = if self.pos == 0 { 0 } else { self.previous().end };
        self.bad_tokens.iter().any(|start| (from..=self.token().start).contains(start))
    }

    /// Reports an error at an earlier place.
    pub(super) fn report_elsewhere(&mut self, diagnostic: Diagnostic) {
        if !self.gave_up && self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports an error and abandons the production.
    pub(super) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.report(diagnostic);
        Err(Abandoned)
    }

    /// Description of a token for messages.
    pub(super) fn describe(&self, token: Token) -> String {
        const MAX_SHOWN_CHARS: usize = 40;
        let text = self.text_of(token);
        let start: String = text.chars().take(MAX_SHOWN_CHARS).collect();
        match token.kind {
            TokenKind::EndOfFile => "the end of the text".to_owned(),
            // A back quote would end the quotation in the message.
            _ if start.contains('`') => "a quoted text".to_owned(),
            _ if start.len() < text.len() => format!("`{}...`", start.replace(['\n', '\r'], " ")),
            _ => format!("`{start}`"),
        }
    }

    pub(super) fn found(&self) -> String {
        self.describe(self.token())
    }

    /// Takes a required token.
    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> Parsed<Token> {
        if self.at(kind) {
            return Ok(self.bump());
        }
        Err(self.unexpected(what))
    }

    pub(super) fn expect_end_of_file(&mut self) {
        if self.at(TokenKind::Semicolon) {
            let message = "`;` has no meaning here";
            let help = "put a composition in parentheses, `(f ; g)`, and join predicates with `&`";
            self.report(Diagnostic::error("unexpected-token", message).at(self.here()).help(help));
        } else if !self.at(TokenKind::EndOfFile) {
            self.unexpected("an operator or the end of the text");
        }
    }

    /// Runs `inside` between an opening bracket and its closing bracket. If it fails or leaves tokens, the text up to the closing bracket is skipped.
    /// A failure is passed on after the bracket.
    pub(super) fn bracketed<T>(&mut self, close: TokenKind, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.open_brackets.push(self.pos);
        self.bump();
        let result = self.within(Context::Formula, inside);
        let complete = self.at(close) || (result.is_ok() && self.mismatched_bracket(close));
        if result.is_ok() && !complete {
            self.unclosed_or_unexpected(close);
        }
        if complete && !self.at(close) {
            self.bump();
            self.open_brackets.pop();
            return result;
        }
        self.skip_to_close(close);
        self.eat(close);
        self.open_brackets.pop();
        if complete { result } else { Err(Abandoned) }
    }

    /// Runs a production in a context.
    pub(super) fn within<T>(&mut self, context: Context, production: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.context, context);
        let result = production(self);
        self.context = outer;
        result
    }

    /// True if a `;` and then a definition or an operation are next, so no bracket can be open here.
    pub(super) fn entry_ahead(&self) -> bool {
        self.at(TokenKind::Semicolon) && (self.definition_ahead(1) || self.operation_ahead(1))
    }

    /// Skips to the closing bracket of the innermost open one.
    fn skip_to_close(&mut self, close: TokenKind) {
        if !self.at(close) {
            let outer = self.outer_closers();
            self.skip_until(|kind| kind == close || ends_bracket(kind) || outer.contains(&kind));
        }
    }

    /// Closing brackets of the outer open brackets.
    pub(super) fn outer_closers(&self) -> Vec<TokenKind> {
        const MAX_OUTER_BRACKETS: usize = 8;
        let outer = self.open_brackets.iter().rev().skip(1).take(MAX_OUTER_BRACKETS);
        outer.filter_map(|idx| closer(self.tokens[*idx].kind)).collect()
    }

    /// Skips to a connective or to the end of the predicate.
    pub(super) fn skip_to_connective(&mut self) {
        let in_bracket = !self.open_brackets.is_empty();
        self.skip_until(|kind| {
            use crate::ast::BinaryOp::{Equivalent, Implies};
            let connective = matches!(kind, TokenKind::And | TokenKind::Or | TokenKind::Op(Implies | Equivalent));
            connective || ends_formula(kind) || (in_bracket && closes_bracket(kind))
        });
    }

    /// Takes a closing bracket without an opening one.
    pub(super) fn stray_closer(&mut self) -> bool {
        let stray = self.open_brackets.is_empty() && closes_bracket(self.kind());
        if stray {
            let message = format!("no open bracket matches {}", self.found());
            self.report(
                Diagnostic::error("unmatched-bracket", message).at(self.here()).help("remove it, or write its partner"),
            );
            self.bump();
        }
        stray
    }

    /// Skips to the end of a substitution.
    pub(super) fn skip_to_statement_end(&mut self) {
        self.skip_until(|kind| {
            let parallel = kind == TokenKind::Op(crate::ast::BinaryOp::ParallelProduct);
            parallel || kind == TokenKind::Semicolon || ends_statement(kind)
        });
    }

    /// Skips to the `;` after an entry of a clause, or to the end of the clause.
    pub(super) fn skip_to_entry_end(&mut self) {
        self.ast.lost_names = true;
        self.skip_until(|kind| kind == TokenKind::Semicolon || ends_clause(kind) || is_keyword(kind, Keyword::End));
    }

    /// Skips until `stop` accepts a token. Tokens inside brackets and blocks opened on the way are not tested.
    pub(super) fn skip_until(&mut self, stop: impl Fn(TokenKind) -> bool) {
        let mut closers: Vec<TokenKind> = Vec::new();
        let start = self.pos;
        loop {
            let kind = self.kind();
            let ends = kind == TokenKind::EndOfFile || ends_clause_surely(kind) || self.entry_ahead();
            if ends || (closers.is_empty() && stop(kind)) {
                break;
            }
            match closer(kind) {
                Some(closer) => closers.push(closer),
                None => {
                    if let Some(depth) = closers.iter().rev().take(8).position(|closer| *closer == kind) {
                        closers.truncate(closers.len() - 1 - depth);
                    }
                }
            }
            self.bump();
        }
        self.ast.skipped |= self.pos > start;
        self.quiet_at = Some(self.pos);
    }

    /// Innermost open bracket, with its place.
    pub(super) fn innermost_bracket(&self) -> Option<(Token, Span)> {
        let token = *self.tokens.get(*self.open_brackets.last()?)?;
        Some((token, self.span_of(token)))
    }
}

/// Token that closes a bracket or block.
fn closer(kind: TokenKind) -> Option<TokenKind> {
    match kind {
        TokenKind::LParen => Some(TokenKind::RParen),
        TokenKind::LBracket => Some(TokenKind::RBracket),
        TokenKind::LBrace => Some(TokenKind::RBrace),
        TokenKind::TemplateExprOpen => Some(TokenKind::TemplateExprClose),
        TokenKind::Keyword(keyword) if keyword.opens_block() => Some(TokenKind::Keyword(Keyword::End)),
        _ => None,
    }
}

fn is_keyword(kind: TokenKind, keyword: Keyword) -> bool {
    kind == TokenKind::Keyword(keyword)
}

/// True for a clause or machine keyword other than INVARIANT, which may belong to a WHILE.
fn ends_clause_surely(kind: TokenKind) -> bool {
    !is_keyword(kind, Keyword::Invariant) && ends_clause(kind)
}

pub(super) fn ends_clause(kind: TokenKind) -> bool {
    match kind {
        TokenKind::EndOfFile => true,
        TokenKind::Keyword(keyword) => keyword.is_clause() || keyword.is_machine(),
        _ => false,
    }
}

/// True for a token that ends a substitution without being part of it.
pub(super) fn ends_statement(kind: TokenKind) -> bool {
    use Keyword::{Else, Elsif, End, Or, Variant, When};
    match kind {
        TokenKind::Keyword(Else | Elsif | End | Or | Variant | When) => true,
        _ => ends_clause(kind),
    }
}

/// True for a token that cannot occur inside brackets, so that an open bracket was never closed.
pub(super) fn ends_bracket(kind: TokenKind) -> bool {
    use Keyword::{Be, Do, Either, In, Of, Rec, Struct, Then, Where};
    match kind {
        TokenKind::Assign | TokenKind::BecomesElement | TokenKind::Outputs | TokenKind::DefinedAs => true,
        TokenKind::Keyword(Rec | Struct | Keyword::If | Keyword::Let) => false,
        TokenKind::Keyword(Be | Do | Either | In | Of | Then | Where) => true,
        TokenKind::Keyword(keyword) => keyword.opens_block() || ends_statement(kind),
        _ => ends_clause(kind),
    }
}

pub(super) fn ends_formula(kind: TokenKind) -> bool {
    let parallel = kind == TokenKind::Op(crate::ast::BinaryOp::ParallelProduct);
    parallel || matches!(kind, TokenKind::Comma | TokenKind::Semicolon | TokenKind::Bar) || ends_bracket(kind)
}

pub(super) fn closes_bracket(kind: TokenKind) -> bool {
    use TokenKind::{RBrace, RBracket, RParen, TemplateExprClose};
    matches!(kind, RParen | RBracket | RBrace | TemplateExprClose)
}
