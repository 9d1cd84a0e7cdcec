//! What to say about common mistakes.

use abridge_diag::{Diagnostic, Span};

use super::recovery::{ends_bracket, ends_clause};
use super::{Abandoned, Context, Parsed, Parser};
use crate::ast::{Atom, BinaryOp, Expr, ExprId, Ident, Sort};
use crate::lexer::{Keyword, TokenKind};

impl Parser<'_> {
    /// Reports that something else was expected.
    pub(super) fn unexpected(&mut self, expected: &str) -> Abandoned {
        if ends_bracket(self.kind()) && !self.open_brackets.is_empty() {
            self.report_unclosed_bracket();
            return Abandoned;
        }
        let found = self.found();
        let message = format!("expected {expected}, found {found}");
        let mut diagnostic = Diagnostic::error("unexpected-token", message).at(self.here());
        if let Some(hint) = self.hint() {
            diagnostic = diagnostic.help(hint);
        }
        self.report(diagnostic);
        Abandoned
    }

    /// A formula was expected.
    pub(super) fn no_formula(&mut self) -> Abandoned {
        self.unexpected("a predicate or an expression")
    }

    /// What a token at the wrong place usually wants to be.
    fn hint(&self) -> Option<String> {
        let text = self.text_of(self.token());
        let joined = self.pos > 0 && self.previous().end == self.token().start;
        let hint = match self.kind() {
            TokenKind::Ident if joined && self.previous().kind == TokenKind::Integer => {
                "a name cannot start with a digit; multiplication is written `2 * x`"
            }
            _ if self.previous().kind == TokenKind::Comma && self.pos > 0 => {
                "write what comes after the `,`, or remove it"
            }
            TokenKind::Op(BinaryOp::Divide) if joined && self.previous().kind == TokenKind::Op(BinaryOp::Times) => {
                "this `*/` closes no comment; comments do not nest"
            }
            TokenKind::Dot => "a field of a record is written `r'f`",
            TokenKind::Assign => "`:=` belongs to substitutions; in a predicate write `=`",
            TokenKind::DefinedAs => "`==` belongs to DEFINITIONS; equality is written `=`",
            TokenKind::Op(BinaryOp::ParallelProduct) => {
                "`||` joins substitutions, or relations in parentheses; a disjunction is written `or`"
            }
            TokenKind::Semicolon if !self.open_brackets.is_empty() => "put a composition in parentheses: `(f ; g)`",
            TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                return Some(format!("nothing was opened that `{text}` could close"));
            }
            TokenKind::Keyword(Keyword::Then) => {
                "`THEN` needs an `IF`, `PRE`, `SELECT`, `ANY`, `ASSERT` or `CASE` before it"
            }
            TokenKind::Quote => "text is written between double quotes: `\"text\"`",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// A name was expected.
    pub(super) fn not_a_name(&mut self, what: &str) -> Parsed<Ident> {
        let token = self.token();
        let text = self.text_of(token).to_owned();
        let is_word = text.starts_with(|ch: char| ch.is_ascii_alphabetic());
        let (TokenKind::Atom(_) | TokenKind::Builtin(_) | TokenKind::Quantifier(_) | TokenKind::Op(_)) = token.kind
        else {
            return self.no_name_here(what, is_word);
        };
        if !is_word {
            return Err(self.unexpected(what));
        }
        if !self.misused_keywords.contains(&token.kind) {
            let message = format!("`{text}` is a keyword of B and cannot be {what}");
            let help = format!("choose another name, or write it in back quotes: `` `{text}` ``");
            self.report_elsewhere(Diagnostic::error("keyword-as-name", message).at(self.here()).help(help));
            self.misused_keywords.push(token.kind);
        }
        self.bump();
        Ok(Ident { name: text.into(), span: self.span_of(token) })
    }

    fn no_name_here(&mut self, what: &str, is_word: bool) -> Parsed<Ident> {
        let like_name = matches!(
            self.kind_ahead(1),
            TokenKind::Comma
                | TokenKind::LParen
                | TokenKind::Assign
                | TokenKind::DefinedAs
                | TokenKind::Op(BinaryOp::Equal)
        );
        if !is_word || !like_name || ends_clause(self.kind()) {
            return Err(self.unexpected(what));
        }
        let token = self.token();
        let text = self.text_of(token).to_owned();
        let message = format!("`{text}` is a keyword of B and cannot be {what}");
        self.report(Diagnostic::error("keyword-as-name", message).at(self.here()).help("choose another name"));
        self.bump();
        Ok(Ident { name: text.into(), span: self.span_of(token) })
    }

    /// Something stands between a bracket's content and its closing partner.
    pub(super) fn unclosed_or_unexpected(&mut self, close: TokenKind) {
        if ends_bracket(self.kind()) || self.entry_ahead() || self.outer_closers().contains(&self.kind()) {
            return self.report_unclosed_bracket();
        }
        let (partner, expected) = match close {
            TokenKind::RParen => ("(", "`)`"),
            TokenKind::RBracket => ("[", "`]`"),
            TokenKind::RBrace => ("{", "`}`"),
            _ => ("${", "`}`"),
        };
        let message = format!("expected {expected} or an operator, found {}", self.found());
        let mut diagnostic = Diagnostic::error("unexpected-token", message).at(self.here());
        if let Some((_, open)) = self.innermost_bracket() {
            diagnostic = diagnostic.also(open, format!("inside this `{partner}`"));
        }
        if let Some(hint) = self.hint() {
            diagnostic = diagnostic.help(hint);
        }
        self.report(diagnostic);
    }

    pub(super) fn report_unclosed_bracket(&mut self) {
        let Some((token, open)) = self.innermost_bracket() else { return };
        self.forget_sorts_since(open);
        let (bracket, partner) = match token.kind {
            TokenKind::LBracket => ("[", "]"),
            TokenKind::LBrace => ("{", "}"),
            TokenKind::TemplateExprOpen => ("${", "}"),
            _ => ("(", ")"),
        };
        let message = format!("this `{bracket}` is never closed");
        let noticed = format!("noticed here, at {}", self.found());
        let help = format!("write the missing `{partner}`");
        let here = self.here();
        self.report(Diagnostic::error("unclosed-bracket", message).at(open).also(here, noticed).help(help));
    }

    /// What a bracket that is never closed contains need not make sense.
    fn forget_sorts_since(&mut self, open: Span) {
        while let Some(last) = self.diagnostics.last() {
            let inside = last.span().is_some_and(|span| span.start >= open.start);
            if !inside || !matches!(last.id, "predicate-expected" | "expression-expected") {
                return;
            }
            self.diagnostics.pop();
        }
    }

    /// The formula must be a predicate, if that can be known.
    pub(super) fn want_predicate(&mut self, id: ExprId) {
        let node = self.ast.expr(id);
        if node.sort != Sort::Expression {
            return;
        }
        let text = &self.text[node.span.start as usize..node.span.end as usize];
        let shown = if text.len() <= 40 && !text.contains(['\n', '`']) { text } else { "e" };
        let help = match &node.expr {
            Expr::Atom(Atom::True) => "write `btrue` for the predicate that always holds".to_owned(),
            Expr::Atom(Atom::False) => "write `bfalse` for the predicate that never holds".to_owned(),
            Expr::Builtin(crate::ast::Builtin::Bool, _) => format!("drop `bool`, or write `{shown} = TRUE`"),
            Expr::Binary(BinaryOp::InsertTail, ..) => "`<-` appends to a sequence; write `< -` to compare".to_owned(),
            _ => format!("compare it with something; if it is a BOOL, write `{shown} = TRUE`"),
        };
        let message = "a predicate is needed here, but this is an expression";
        let diagnostic = Diagnostic::error("predicate-expected", message).at(node.span).help(help);
        self.report_sort(diagnostic);
    }

    /// Reports an operand of the wrong sort, once for each bracket.
    fn report_sort(&mut self, diagnostic: Diagnostic) {
        let bracket = self.open_brackets.last().copied();
        if bracket.is_none() || bracket != self.last_sort_error {
            self.report_elsewhere(diagnostic);
        }
        self.last_sort_error = bracket;
    }

    /// The formula must be an expression, if that can be known.
    pub(super) fn want_expression(&mut self, id: ExprId) {
        let node = self.ast.expr(id);
        if node.sort != Sort::Predicate {
            return;
        }
        let help = "a predicate has no value; `bool(P)` turns it into TRUE or FALSE";
        let message = "an expression is needed here, but this is a predicate";
        let diagnostic = Diagnostic::error("expression-expected", message).at(node.span).help(help);
        self.report_sort(diagnostic);
    }

    /// An operator of another language in the place of an infix operator: what was meant.
    pub(super) fn mistaken_infix(&self, lhs: ExprId) -> Option<(Mistaken, usize)> {
        let predicate = self.ast.sort(lhs) == Sort::Predicate;
        let mistaken = match self.kind() {
            TokenKind::Ident => match self.text_of(self.token()) {
                "and" | "AND" | "And" => (Mistaken::And, 1),
                "Or" if predicate => (Mistaken::Or, 1),
                "implies" | "IMPLIES" => (Mistaken::Op(BinaryOp::Implies), 1),
                "MOD" => (Mistaken::Op(BinaryOp::Modulo), 1),
                _ => return None,
            },
            TokenKind::Keyword(Keyword::Or) if predicate => (Mistaken::Or, 1),
            TokenKind::Op(BinaryOp::ParallelProduct) if predicate && self.context != Context::Value => {
                (Mistaken::Or, 1)
            }
            TokenKind::DefinedAs if self.starts_definition(lhs) => return None,
            TokenKind::DefinedAs | TokenKind::Assign if self.context != Context::Definition => {
                (Mistaken::Op(BinaryOp::Equal), 1)
            }
            TokenKind::Forall if self.joined() && self.kind_ahead(1) == TokenKind::Op(BinaryOp::Equal) => {
                (Mistaken::Op(BinaryOp::NotEqual), 2)
            }
            TokenKind::Atom(Atom::EmptySequence) => (Mistaken::Op(BinaryOp::NotEqual), 1),
            _ => return None,
        };
        Some(mistaken)
    }

    /// A name or call in a bracket, at the start of a line and before `==`: the bracket was not closed, and this is the next
    /// definition.
    fn starts_definition(&self, lhs: ExprId) -> bool {
        let node = self.ast.expr(lhs);
        let header = matches!(node.expr, Expr::Ident(_) | Expr::Apply(..));
        header && !self.open_brackets.is_empty() && self.indentation(node.span.start).is_some()
    }

    /// Reports an operator of another language that is `n_tokens` long.
    pub(super) fn report_mistaken(&mut self, meant: Mistaken, n_tokens: usize) {
        let last = self.tokens[self.pos + n_tokens - 1];
        let span = self.here().to(self.span_of(last));
        let text = &self.text[span.start as usize..span.end as usize];
        let (meaning, right) = match meant {
            Mistaken::And => ("a conjunction", "&"),
            Mistaken::Or => ("a disjunction", "or"),
            Mistaken::Op(BinaryOp::Equal) => ("equality", "="),
            Mistaken::Op(BinaryOp::NotEqual) => ("inequality", "/="),
            Mistaken::Op(op) => ("this operator", op.info().ascii),
        };
        let (id, message) = match self.kind() {
            TokenKind::Assign => ("assignment-in-formula", format!("`:=` assigns; {meaning} is written `{right}`")),
            _ => ("foreign-operator", format!("{meaning} is written `{right}` in B, not `{text}`")),
        };
        self.report(Diagnostic::error(id, message).at(span).help(format!("write `{right}`")));
    }
}

/// The operator that was meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mistaken {
    And,
    Or,
    Op(BinaryOp),
}
