//! Messages for common mistakes.
//!
//! Each function recognises a mistake from the tokens around an error and reports its probable cause, so that one mistake gives one message.

use abridge_diag::{Diagnostic, Span};

use super::recovery::{closes_bracket, ends_bracket, ends_clause, ends_formula};
use super::{Abandoned, Context, Parsed, Parser};
use crate::ast::{Atom, BinaryOp, Expr, ExprId, Ident, Sort};
use crate::lexer::{Keyword, Token, TokenKind};

impl Parser<'_> {
    /// Reports that something else was expected at the next token.
    pub(super) fn unexpected(&mut self, expected: &str) -> Abandoned {
        if ends_bracket(self.kind()) && !self.open_brackets.is_empty() {
            self.report_unclosed_bracket();
            return Abandoned;
        }
        if self.digits_before_name() {
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

    /// Reports that a formula was expected.
    pub(super) fn no_formula(&mut self) -> Abandoned {
        if self.missing_operand() {
            return Abandoned;
        }
        self.unexpected("a predicate or an expression")
    }

    /// Reports an operator without its right or left operand: `x +` or `= y`.
    fn missing_operand(&mut self) -> bool {
        let is_operator =
            |kind| matches!(kind, TokenKind::And | TokenKind::Or | TokenKind::Op(_) | TokenKind::Reversed(_));
        let unclosed = ends_bracket(self.kind()) && !self.open_brackets.is_empty();
        let bar = self.at(TokenKind::Bar) && self.open_brackets.is_empty();
        let ends = is_operator(self.kind()) || (ends_formula(self.kind()) && !bar) || closes_bracket(self.kind());
        let before = self.previous();
        if self.pos > 0 && is_operator(before.kind) && ends && !unclosed {
            let sign = self.text_of(before).to_owned();
            let joined = format!("{sign}{}", self.text_of(self.token()));
            let diagnostic = Diagnostic::error("missing-operand", format!("the right side of `{sign}` is missing"));
            let diagnostic = diagnostic.at(self.span_of(before));
            let help = match SPLIT_SIGNS.contains(&joined.as_str()) {
                true => format!("`{joined}` is written without a blank"),
                false => "write what is missing, or remove the operator".to_owned(),
            };
            self.report(diagnostic.help(help));
            return true;
        }
        if is_operator(self.kind()) && !self.at(TokenKind::Op(BinaryOp::ParallelProduct)) {
            let message = format!("the left side of {} is missing", self.found());
            let diagnostic = Diagnostic::error("missing-operand", message).at(self.here());
            let help = match self.text_of(self.token()) {
                "<" => "write what is missing; a sequence is written `[a, b]`",
                _ => "write what is missing, or remove the operator",
            };
            self.report(diagnostic.help(help));
            return true;
        }
        false
    }

    /// Reports a number directly before a name, such as `2x`.
    pub(super) fn digits_before_name(&mut self) -> bool {
        let before = self.previous();
        let joined = self.pos > 0 && before.end == self.token().start;
        if !joined || before.kind != TokenKind::Integer || !self.at(TokenKind::Ident) {
            return false;
        }
        let (digits, name) = (self.text_of(before).to_owned(), self.text_of(self.token()).to_owned());
        let message = format!("`{digits}{name}` is neither a number nor a name");
        let span = self.span_of(before).to(self.here());
        let help = format!("a name cannot start with a digit; multiplication is written `{digits} * {name}`");
        self.report(Diagnostic::error("bad-name", message).at(span).help(help));
        true
    }

    /// True if a comment that contains `/*` ends directly before the next token.
    fn after_nested_comment(&self) -> bool {
        const MAX_COMMENT_BYTES: usize = 10_000;
        let here = self.token().start;
        let idx = self.ast.comments.partition_point(|comment| comment.span.end <= here);
        let Some(comment) = idx.checked_sub(1).and_then(|idx| self.ast.comments.get(idx)) else { return false };
        let adjacent = self.pos == 0 || comment.span.start >= self.previous().end;
        adjacent && !comment.is_line && comment.text.len() < MAX_COMMENT_BYTES && comment.text[2..].contains("/*")
    }

    /// Hint at the usual intention behind a misplaced token.
    fn hint(&self) -> Option<String> {
        let text = self.text_of(self.token());
        let joined = self.pos > 0 && self.previous().end == self.token().start;
        let starts_line = self.indentation(self.token().start).is_some();
        let hint = match self.kind() {
            _ if self.after_nested_comment() => "comments do not nest: the one before this ends at the first `*/`",
            TokenKind::Exists | TokenKind::Quantifier(_) | TokenKind::Op(BinaryOp::Minus)
                if starts_line && self.open_brackets.is_empty() =>
            {
                "a comment is written `// text` or `/* text */`"
            }
            _ if self.previous().kind == TokenKind::Comma && self.pos > 0 => {
                "write what comes after the `,`, or remove it"
            }
            TokenKind::Op(BinaryOp::Divide) if joined && self.previous().kind == TokenKind::Op(BinaryOp::Times) => {
                "this `*/` closes no comment; comments do not nest"
            }
            TokenKind::Dot => "a field of a record is written `r'f`",
            TokenKind::Assign if self.previous().kind == TokenKind::Quote => {
                "`'` is not part of a name; it takes a field of a record: `r'f`"
            }
            TokenKind::Bar if self.open_brackets.is_empty() => "the number of elements of a set is written `card(S)`",
            TokenKind::Assign => "`:=` belongs to substitutions; in a predicate write `=`",
            TokenKind::BecomesElement => "`::` belongs to substitutions; in a predicate write `:`",
            TokenKind::DefinedAs => "`==` belongs to DEFINITIONS; equality is written `=`",
            TokenKind::Op(BinaryOp::ParallelProduct) => {
                "`||` joins substitutions, or relations in parentheses; a disjunction is written `or`"
            }
            TokenKind::Semicolon if !self.open_brackets.is_empty() => "put a composition in parentheses: `(f ; g)`",
            TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                return Some(format!("no open bracket matches `{text}`"));
            }
            TokenKind::Keyword(Keyword::Then) => {
                "`THEN` needs an `IF`, `PRE`, `SELECT`, `ANY`, `ASSERT` or `CASE` before it"
            }
            TokenKind::Quote => "text is written between double quotes: `\"text\"`",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// Reports that a name was expected.
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

    /// Reports text between the content of a bracket and its closing bracket.
    pub(super) fn unclosed_or_unexpected(&mut self, close: TokenKind) {
        if ends_bracket(self.kind()) || self.entry_ahead() || self.outer_closers().contains(&self.kind()) {
            return self.report_unclosed_bracket();
        }
        if self.bar_in_quantifier() {
            return;
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

    /// Reports `!x.(P | Q)`.
    fn bar_in_quantifier(&mut self) -> bool {
        use TokenKind::{Comma, Ident, LParen, QuotedIdent, RParen};
        const MAX_LOOKBEHIND_TOKENS: usize = 50;
        let Some(open) = self.open_brackets.last().copied().filter(|_| self.at(TokenKind::Bar)) else { return false };
        let is_name = |token: &&Token| matches!(token.kind, Ident | QuotedIdent | Comma | LParen | RParen);
        // The bracket is preceded by a dot, the dot by the variables.
        let mut before = self.tokens[..open].iter().rev().skip(1).take(MAX_LOOKBEHIND_TOKENS);
        let before = before.find(|token| !is_name(token)).map(|token| token.kind);
        let (sign, form) = match before {
            Some(TokenKind::Forall) => ("!", "!x.(P => Q)"),
            Some(TokenKind::Exists) => ("#", "#x.(P & Q)"),
            _ => return false,
        };
        let message = format!("the body of `{sign}` is one predicate, without `|`");
        let diagnostic = Diagnostic::error("unexpected-token", message).at(self.here());
        self.report(diagnostic.help(format!("write `{form}`")));
        true
    }

    /// Reports a bracket that is closed by one of another kind, as in `{1, 2]`, if that one closes no other bracket.
    pub(super) fn mismatched_bracket(&mut self, close: TokenKind) -> bool {
        let Some((token, open)) = self.innermost_bracket() else { return false };
        let is_template = matches!(close, TokenKind::TemplateExprClose) || self.at(TokenKind::TemplateExprClose);
        if is_template || !closes_bracket(self.kind()) || self.outer_closers().contains(&self.kind()) {
            return false;
        }
        let sign = self.text_of(token).to_owned();
        let partner = partner_of(token.kind);
        let message = format!("this `{sign}` is closed by {}", self.found());
        let diagnostic = Diagnostic::error("mismatched-bracket", message).at(self.here()).also(open, "opened here");
        self.report(diagnostic.help(format!("write `{partner}`")));
        true
    }

    pub(super) fn report_unclosed_bracket(&mut self) {
        let Some((token, open)) = self.innermost_bracket() else { return };
        self.forget_sorts_since(open);
        let (bracket, partner) = (self.text_of(token).to_owned(), partner_of(token.kind));
        let message = format!("this `{bracket}` is never closed");
        let noticed = format!("noticed here, at {}", self.found());
        let help = format!("write the missing `{partner}`");
        let here = self.here();
        self.report(Diagnostic::error("unclosed-bracket", message).at(open).also(here, noticed).help(help));
    }

    /// Removes errors about sorts inside an unclosed bracket.
    fn forget_sorts_since(&mut self, open: Span) {
        while let Some(last) = self.diagnostics.last() {
            let inside = last.span().is_some_and(|span| span.start >= open.start);
            if !inside || !matches!(last.id, "predicate-expected" | "expression-expected") {
                return;
            }
            self.diagnostics.pop();
        }
    }

    /// Reports a formula that is known not to be a predicate.
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

    /// Reports an operand of the wrong sort, once per bracket.
    fn report_sort(&mut self, diagnostic: Diagnostic) {
        let bracket = self.open_brackets.last().copied();
        if (bracket.is_none() || bracket != self.last_sort_error) && !self.reported_within(diagnostic.span()) {
            self.report_elsewhere(diagnostic);
        }
        self.last_sort_error = bracket;
    }

    /// True if an error was reported inside a span. The sort of such a formula is unknown.
    fn reported_within(&self, span: Option<Span>) -> bool {
        let inside = |place: Span| span.is_some_and(|span| span.start <= place.start && place.end <= span.end);
        self.diagnostics.iter().filter_map(Diagnostic::span).any(inside)
    }

    /// Reports a formula that is known not to be an expression.
    pub(super) fn want_expression(&mut self, id: ExprId) {
        let node = self.ast.expr(id);
        if node.sort != Sort::Predicate {
            return;
        }
        let text = &self.text[node.span.start as usize..node.span.end as usize];
        let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).filter(|_| node.parens);
        let text = inside.unwrap_or(text);
        let shown = if text.len() <= 40 && !text.contains(['\n', '`']) { text } else { "P" };
        let help = match &node.expr {
            Expr::Atom(_) => "the values of BOOL are `TRUE` and `FALSE`".to_owned(),
            _ => format!("a predicate has no value; write `bool({shown})` for TRUE or FALSE"),
        };
        let message = "an expression is needed here, but this is a predicate";
        let diagnostic = Diagnostic::error("expression-expected", message).at(node.span).help(help);
        self.report_sort(diagnostic);
    }

    /// Recognises an operator of another language in place of an infix operator. Returns its meaning and its length in tokens.
    pub(super) fn mistaken_infix(&self, lhs: ExprId) -> Option<(Mistaken, usize)> {
        let predicate = self.ast.sort(lhs) == Sort::Predicate;
        let mistaken = match self.kind() {
            TokenKind::Ident => match self.text_of(self.token()) {
                "and" | "AND" | "And" => (Mistaken::And, 1),
                "Or" if predicate => (Mistaken::Or, 1),
                "implies" | "IMPLIES" => (Mistaken::Op(BinaryOp::Implies), 1),
                "MOD" => (Mistaken::Op(BinaryOp::Modulo), 1),
                "in" | "isin" if !predicate && self.names_a_value_ahead() => (Mistaken::Op(BinaryOp::Member), 1),
                _ => return None,
            },
            TokenKind::Quantifier(_) if self.text_of(self.token()) == "%" && !predicate => {
                (Mistaken::Op(BinaryOp::Modulo), 1)
            }
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

    /// True if a set can follow the next token.
    fn names_a_value_ahead(&self) -> bool {
        use TokenKind::{Atom, Builtin, Ident, Integer, LBrace, LParen, QuotedIdent};
        matches!(self.kind_ahead(1), Atom(_) | Builtin(_) | Ident | Integer | LBrace | LParen | QuotedIdent)
    }

    /// True if the formula is a name or call in a bracket, at the start of a line and before `==`. The bracket was not closed, and this is the next
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
            Mistaken::Op(BinaryOp::Member) => ("membership", ":"),
            Mistaken::Op(BinaryOp::Modulo) => ("the remainder of a division", "mod"),
            Mistaken::Op(op) => ("this operator", op.info().ascii),
        };
        let diagnostic = match self.kind() {
            TokenKind::Assign => {
                let message = format!("`:=` assigns; {meaning} is written `{right}`");
                Diagnostic::error("assignment-in-formula", message)
            }
            _ => {
                let message = format!("{meaning} is written `{right}` in B, not `{text}`");
                Diagnostic::error("foreign-operator", message)
            }
        };
        let diagnostic = diagnostic.at(span).help(format!("write `{right}`"));
        let is_in_assignment = self.kind() == TokenKind::Assign && self.context == Context::Value;
        self.report(match is_in_assignment {
            true => diagnostic.help("one assignment is separated from the next by `||` or `;`"),
            false => diagnostic,
        });
    }
}

/// Closing bracket of an opening one.
fn partner_of(bracket: TokenKind) -> &'static str {
    match bracket {
        TokenKind::LBracket => "]",
        TokenKind::LBrace | TokenKind::TemplateExprOpen => "}",
        _ => ")",
    }
}

/// Symbols that are often written with a blank inside.
const SPLIT_SIGNS: [&str; 16] =
    ["<=", ">=", "=>", "/=", ":=", "==", "<=>", "->", "..", "<:", "/:", "<+", "<-", "|>", "-->", "<->"];

/// Operator that was probably meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mistaken {
    And,
    Or,
    Op(BinaryOp),
}
