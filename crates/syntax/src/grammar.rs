//! The grammar of B as functions, one per production.
//!
//! A production that fails reports the reason and returns [`Abandoned`]. An enclosing production with a synchronisation point catches it:
//! a bracket at its closing partner, a conjunction at the next `&`, a substitution at the next `;`, a clause at the next clause
//! keyword. No error is reported at the token where parsing resumes, since it would repeat the first one.
//!
//! Start with `grammar/machine.rs` for whole files and `grammar/formula.rs` for predicates and expressions. Recovery is in
//! `grammar/recovery.rs`; `grammar/mistakes.rs` has the messages for common mistakes.

mod assignment;
mod binder;
mod block;
mod clauses;
mod definitions;
mod formula;
mod machine;
mod mistakes;
mod primary;
mod recovery;
mod substitution;

#[cfg(test)]
mod dump;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::mem::Discriminant;

use abridge_diag::{Diagnostic, FileId, MAX_DEPTH, Span, expect_depth, with_stack};
use smol_str::SmolStr;

use crate::ast::{Ast, ClauseKind, Expr, ExprId, Ident, Subst, SubstId, Unit};
use crate::lexer::{self, Keyword, Pragma, PragmaKind, Token, TokenKind, lex};

/// Maximum number of diagnostics per file.
const MAX_DIAGNOSTICS: usize = 100;

/// Parses a machine or a file of definitions.
pub fn parse_file(file: FileId, text: &str) -> (Ast, Vec<Diagnostic>) {
    parse(file, text, |parser| parser.file())
}

/// Parses a predicate or an expression.
pub fn parse_formula(file: FileId, text: &str) -> (Ast, Vec<Diagnostic>) {
    parse(file, text, |parser| {
        let formula = parser.formula_or_list();
        parser.expect_end_of_file();
        Unit::Formula(formula)
    })
}

/// Parses a substitution.
pub fn parse_substitution(file: FileId, text: &str) -> (Ast, Vec<Diagnostic>) {
    parse(file, text, |parser| {
        let substitution = parser.sequence();
        parser.expect_end_of_file();
        Unit::Substitution(substitution)
    })
}

fn parse(file: FileId, text: &str, unit: impl FnOnce(&mut Parser) -> Unit) -> (Ast, Vec<Diagnostic>) {
    if text.len() >= u32::MAX as usize {
        let message = "this file has 4 GiB or more, which is too much to read";
        return (Ast::new(file), vec![Diagnostic::error("file-too-large", message).at(Span::new(file, 0, 0))]);
    }
    let mut parser = Parser::new(file, text);
    let unit = unit(&mut parser);
    parser.finish(unit)
}

/// Failure of a production. The reason has been reported; an enclosing production resumes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Abandoned;

type Parsed<T> = Result<T, Abandoned>;

/// Context of a formula, which determines the tokens that may follow it. Inside brackets it is always [`Context::Formula`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Context {
    Formula,
    /// Body of a definition. `:=` may follow, since the body may be an assignment; `==` means that a `;` is missing.
    Definition,
    /// Right side of an assignment. `||` may follow.
    Value,
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    /// Index of the next token; at most that of the last token, the end of the file.
    pos: usize,
    pragmas: Vec<Pragma>,
    /// First pragma that the parser has not passed.
    next_pragma: usize,
    /// Pragmas that did not become part of the tree.
    unused_pragmas: Vec<usize>,
    ast: Ast,
    diagnostics: Vec<Diagnostic>,
    /// Token with a reported error; further errors there are suppressed.
    quiet_at: Option<usize>,
    /// Positions of lexer errors. The parser reports no errors at these tokens.
    bad_tokens: Vec<u32>,
    /// Bracket in which an operand of the wrong sort was last reported.
    last_sort_error: Option<usize>,
    /// True if the previous operation had a syntax error.
    after_failure: bool,
    /// Nesting depth of productions.
    depth: u32,
    /// True if the nesting is too deep. The rest of the text is ignored.
    gave_up: bool,
    /// Tokens of the open brackets.
    open_brackets: Vec<usize>,
    context: Context,
    /// Keywords that were declared as names. Further uses are not reported.
    misused_keywords: Vec<TokenKind>,
    /// Place of the first clause of each kind.
    clause_keywords: HashMap<Discriminant<ClauseKind>, Span>,
    /// True if a part of the machine was skipped, which may contain missing clauses.
    lost_clause: bool,
    /// True if an unclosed comment or string extends to the end of the text.
    cut_off: bool,
    suspects: Vec<block::Suspect>,
}

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str) -> Self {
        let lexed = lex(file, text);
        let swallows = |diagnostic: &Diagnostic| diagnostic.id == "unclosed-comment";
        let cut_off = lexed.diagnostics.iter().any(swallows);
        let spans = lexed.diagnostics.iter().filter_map(Diagnostic::span);
        let bad_tokens = spans.map(|span| span.start).collect();
        let mut ast = Ast::new(file);
        ast.reserve(lexed.tokens.len());
        ast.comments = lexed.comments;
        ast.line_starts = lexer::line_starts(text);
        ast.blank_lines = lexed.blank_lines;
        Parser {
            file,
            text,
            tokens: lexed.tokens,
            pos: 0,
            pragmas: lexed.pragmas,
            next_pragma: 0,
            unused_pragmas: Vec::new(),
            ast,
            diagnostics: lexed.diagnostics,
            quiet_at: None,
            bad_tokens,
            last_sort_error: None,
            after_failure: false,
            depth: 0,
            gave_up: false,
            open_brackets: Vec::new(),
            context: Context::Formula,
            misused_keywords: Vec::new(),
            clause_keywords: HashMap::new(),
            lost_clause: cut_off,
            cut_off,
            suspects: Vec::new(),
        }
    }

    fn finish(mut self, unit: Unit) -> (Ast, Vec<Diagnostic>) {
        self.return_pragmas();
        self.ast.unit = unit;
        self.ast.lost_names |= self.lost_clause || self.gave_up;
        self.ast.skipped |= self.ast.lost_names;
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.span().map(|span| span.start));
        self.diagnostics.truncate(MAX_DIAGNOSTICS);
        (self.ast, self.diagnostics)
    }
}

// Inspection of tokens.
impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// Kind of the token `ahead` places after the next one.
    fn kind_ahead(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.pos + ahead).map_or(TokenKind::EndOfFile, |token| token.kind)
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    fn at_ident(&self) -> bool {
        matches!(self.kind(), TokenKind::Ident | TokenKind::QuotedIdent)
    }

    /// True if the next two tokens are adjacent.
    fn joined(&self) -> bool {
        self.tokens.get(self.pos + 1).is_some_and(|next| next.start == self.token().end)
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::EndOfFile {
            self.pos += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        self.eat(TokenKind::Keyword(keyword))
    }

    fn text_of(&self, token: Token) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn span_of(&self, token: Token) -> Span {
        Span::new(self.file, token.start, token.end)
    }

    /// Span of the next token.
    fn here(&self) -> Span {
        self.span_of(self.token())
    }

    /// Last token taken.
    fn previous(&self) -> Token {
        self.tokens[self.pos.saturating_sub(1)]
    }

    /// Span from `start` to the end of the last token taken.
    fn since(&self, start: Span) -> Span {
        Span::new(self.file, start.start, self.previous().end.max(start.end))
    }
}

// Construction of the tree.
impl Parser<'_> {
    fn expr(&mut self, expr: Expr, span: Span) -> ExprId {
        let id = self.ast.push_expr(expr, span);
        let depth = self.ast.expr(id).depth;
        expect_depth(depth as usize);
        if depth > MAX_DEPTH {
            self.give_up(span);
            return self.ast.push_expr(Expr::Error, span);
        }
        id
    }

    fn subst(&mut self, subst: Subst, span: Span) -> SubstId {
        let id = self.ast.push_subst(subst, span);
        let depth = self.ast.subst(id).depth;
        expect_depth(depth as usize);
        if depth > MAX_DEPTH {
            self.give_up(span);
            return self.ast.push_subst(Subst::Error, span);
        }
        id
    }

    fn error_expr(&mut self) -> ExprId {
        self.ast.skipped = true;
        let span = self.here();
        self.expr(Expr::Error, span)
    }

    fn error_subst(&mut self) -> SubstId {
        self.ast.skipped = true;
        let span = self.here();
        self.subst(Subst::Error, span)
    }

    fn span(&self, id: ExprId) -> Span {
        self.ast.expr(id).span
    }

    fn set_span(&mut self, id: ExprId, span: Span) {
        self.ast.expr_mut(id).span = span;
    }

    /// Runs a production one level deeper, with enough stack.
    fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            self.give_up(self.here());
            return Err(Abandoned);
        }
        self.depth += 1;
        let result = with_stack(|| production(self));
        self.depth -= 1;
        result
    }

    /// Reports that the nesting is too deep, and ignores the rest of the text.
    fn give_up(&mut self, span: Span) {
        if !self.gave_up {
            let message = format!("this is nested more than {MAX_DEPTH} levels deep");
            let start = Span::new(self.file, span.end.saturating_sub(1).max(span.start), span.end);
            self.report(
                Diagnostic::error("nested-too-deep", message)
                    .at(start)
                    .help("split it, for example with DEFINITIONS, or write long unions as `{a, b, c}`"),
            );
        }
        self.gave_up = true;
        self.pos = self.tokens.len() - 1;
    }
}

// Names and pragmas.
impl Parser<'_> {
    /// Text of a name, without back quotes.
    fn name_text(&self, token: Token) -> SmolStr {
        let text = self.text_of(token);
        match token.kind {
            TokenKind::QuotedIdent => {
                let inside = text.strip_prefix('`').unwrap_or(text);
                lexer::unescape_back_quoted(inside.strip_suffix('`').unwrap_or(inside))
            }
            _ => SmolStr::new(text),
        }
    }

    /// Name without dots.
    fn ident(&mut self, what: &str) -> Parsed<Ident> {
        if !self.at_ident() {
            return self.not_a_name(what);
        }
        let token = self.bump();
        Ok(Ident { name: self.name_text(token), span: self.span_of(token) })
    }

    /// Dotted name `a.b.c`, as one name.
    fn dotted_name(&mut self, what: &str) -> Parsed<Ident> {
        let first = self.ident(what)?;
        if !self.at(TokenKind::Dot) {
            return Ok(first);
        }
        let mut name = String::from(first.name.as_str());
        while self.at(TokenKind::Dot) && matches!(self.kind_ahead(1), TokenKind::Ident | TokenKind::QuotedIdent) {
            self.bump();
            let part = self.bump();
            name.push('.');
            name.push_str(&self.name_text(part));
        }
        Ok(Ident { name: SmolStr::new(name), span: self.since(first.span) })
    }

    /// Takes the pragma directly before the next token, if `wanted` accepts it.
    fn pragma<T>(&mut self, wanted: impl Fn(&PragmaKind) -> Option<T>) -> Option<T> {
        while self.pragmas.get(self.next_pragma).is_some_and(|pragma| (pragma.before as usize) < self.pos) {
            self.unused_pragmas.push(self.next_pragma);
            self.next_pragma += 1;
        }
        let pragma = self.pragmas.get(self.next_pragma)?;
        if pragma.before as usize != self.pos {
            return None;
        }
        let found = wanted(&pragma.kind)?;
        self.next_pragma += 1;
        Some(found)
    }

    fn desc_pragma(&mut self) -> Option<SmolStr> {
        self.pragma(|kind| match kind {
            PragmaKind::Desc(text) => Some(text.clone()),
            _ => None,
        })
    }

    fn symbolic_pragma(&mut self) -> bool {
        self.pragma(|kind| (*kind == PragmaKind::Symbolic).then_some(())).is_some()
    }

    /// Turns pragmas without effect into comments and warns of them.
    fn return_pragmas(&mut self) {
        let unseen = self.next_pragma..self.pragmas.len();
        let unused = std::mem::take(&mut self.unused_pragmas).into_iter().chain(unseen);
        let complete = !self.gave_up && self.diagnostics.is_empty();
        for comment in unused.map(|idx| self.pragmas[idx].comment.clone()) {
            if complete {
                let message = "this pragma has no effect here";
                self.diagnostics.push(Diagnostic::warning("misplaced-pragma", message).at(comment.span));
            }
            self.ast.comments.push(comment);
        }
        self.ast.comments.sort_by_key(|comment| comment.span.start);
    }
}
