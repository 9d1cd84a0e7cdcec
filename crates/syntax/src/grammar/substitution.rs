//! Substitutions.

use abridge_diag::{Diagnostic, Span};

use super::{Abandoned, Context, Parsed, Parser};
use crate::ast::{BinaryOp, Expr, ExprId, Ident, Subst, SubstId};
use crate::lexer::{Keyword, Token, TokenKind};

impl Parser<'_> {
    /// `S ; T ; U`; never fails.
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

    /// Takes the `;` before another substitution, or complains that it is missing.
    fn next_of_sequence(&mut self) -> bool {
        if !self.at(TokenKind::Semicolon) {
            return self.missing_separator();
        }
        if self.operation_ahead(1) {
            return false;
        }
        if self.ends_statement_ahead(1) {
            self.trailing_semicolon();
            return false;
        }
        self.bump();
        true
    }

    /// `x := 1 y := 2`
    fn missing_separator(&mut self) -> bool {
        let starts = match self.kind() {
            TokenKind::Ident => !self.at_misspelt_clause() && !self.operation_ahead(0),
            TokenKind::QuotedIdent => true,
            TokenKind::Keyword(Keyword::If | Keyword::Let) => true,
            TokenKind::Keyword(keyword) => keyword.starts_only_substitution(),
            _ => false,
        };
        if !starts || self.quiet_at == Some(self.pos) {
            return false;
        }
        let message = format!("expected `;` or `||` between substitutions, found {}", self.found());
        let help = "write `;` to do one after the other, `||` to do both at once";
        self.report(Diagnostic::error("missing-separator", message).at(self.here()).help(help));
        true
    }

    /// A `;` before END or the like.
    pub(super) fn trailing_semicolon(&mut self) {
        let message = "a `;` stands between two things, but nothing follows here";
        self.report(Diagnostic::error("trailing-semicolon", message).at(self.here()).help("remove the `;`"));
        self.bump();
        self.quiet_at = Some(self.pos);
    }

    /// `S || T || U`; never fails.
    pub(super) fn parallel(&mut self) -> SubstId {
        let first = self.statement();
        let mut parts = vec![first];
        while self.eat(TokenKind::Op(BinaryOp::ParallelProduct)) {
            parts.push(self.statement());
        }
        if parts.len() == 1 {
            return first;
        }
        let span = self.since(self.ast.subst(first).span);
        self.subst(Subst::Parallel(parts), span)
    }

    /// A single substitution; never fails.
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

    /// A substitution without `;` and `||`.
    pub(super) fn bare_statement(&mut self) -> Parsed<SubstId> {
        match self.kind() {
            TokenKind::Ident | TokenKind::QuotedIdent => self.assignment_or_call(),
            TokenKind::Keyword(keyword) => self.keyword_statement(keyword),
            TokenKind::LParen => self.parenthesised_statement(),
            kind if self.misused_keywords.contains(&kind) => self.assignment_or_call(),
            _ => Err(self.no_statement()),
        }
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
            // Reports the keyword that is used as a name.
            let _ = self.not_a_name("the name of a variable");
            return Abandoned;
        }
        self.unexpected("a substitution")
    }

    /// `(S)`: reported, and read as BEGIN S END.
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

    /// `PRE P THEN S END` and its like.
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

    /// `ELSE S`, if it is there.
    fn opt_else(&mut self) -> Option<SubstId> {
        self.eat_keyword(Keyword::Else).then(|| self.sequence())
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
        while self.eat_keyword(Keyword::Elsif) {
            branches.push(self.branch(opener)?);
        }
        let else_if = self.at_keyword(Keyword::Else) && self.kind_ahead(1) == TokenKind::Keyword(Keyword::If);
        let otherwise = self.opt_else();
        let hint = "an `IF` after `ELSE` needs an `END` of its own; write `ELSIF` to go on with the same `IF`";
        self.end_with_hint(opener, else_if.then_some(hint))?;
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
        let hint = "a `CASE` has two `END`s: one for `EITHER`, one for `CASE`";
        self.end_with_hint(opener, Some(hint))?;
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

    /// `VARIANT V` before INVARIANT.
    fn swapped_variant(&mut self) {
        let message = "the `INVARIANT` of a loop comes before its `VARIANT`";
        let help = "write `WHILE P DO S INVARIANT I VARIANT V END`";
        self.report(Diagnostic::error("missing-keyword", message).at(self.here()).help(help));
        self.bump();
        self.composed_expression();
    }

    /// The node of a block that has just been closed.
    fn closed(&mut self, subst: Subst, opener: Token) -> SubstId {
        let span = self.since(self.span_of(opener));
        self.subst(subst, span)
    }

    /// A word in the middle of a block. If it is missing, what stands before it is skipped, or, if it comes nowhere, it is
    /// taken as written.
    pub(super) fn expect_word(&mut self, keyword: Keyword, opener: Token) -> Parsed<()> {
        if self.eat_keyword(keyword) {
            return Ok(());
        }
        let word = word_of(keyword);
        let opener_text = self.text_of(opener).to_owned();
        let quiet = self.quiet_at == Some(self.pos);
        if crate::grammar::recovery::ends_bracket(self.kind()) && self.open_brackets_since(opener) {
            self.report_unclosed_bracket();
        }
        let message = format!("expected `{word}`, found {}", self.found());
        let mut diagnostic = Diagnostic::error("missing-keyword", message)
            .at(self.here())
            .also(self.span_of(opener), format!("this `{opener_text}` needs its `{word}`"));
        if let Some(hint) = self.word_hint(keyword) {
            diagnostic = diagnostic.help(hint);
        }
        self.report(diagnostic);
        if self.find_word(keyword, quiet).is_ok() {
            return Ok(());
        }
        self.skip_block();
        Err(Abandoned)
    }

    /// Goes behind the END of the block we are in.
    fn skip_block(&mut self) {
        self.skip_until(|kind| kind == TokenKind::Keyword(Keyword::End));
        self.eat_keyword(Keyword::End);
        self.quiet_at = Some(self.pos);
    }

    /// The names between the first word of a block and the next; what cannot be understood is skipped.
    fn block_names(&mut self, next: Keyword) -> Vec<Ident> {
        self.bound_names().unwrap_or_else(|_| {
            let next = TokenKind::Keyword(next);
            self.skip_until(|kind| kind == next || super::recovery::ends_bracket(kind) || kind == TokenKind::Semicolon);
            Vec::new()
        })
    }

    fn word_hint(&self, keyword: Keyword) -> Option<&'static str> {
        match (keyword, self.kind()) {
            (Keyword::Then, TokenKind::Op(BinaryOp::Equal) | TokenKind::Assign) => {
                Some("did you forget `THEN` before this substitution?")
            }
            (Keyword::Then, TokenKind::Keyword(Keyword::Do)) => Some("only `WHILE` has `DO`"),
            (Keyword::Do, TokenKind::Keyword(Keyword::Then)) => Some("`WHILE` has `DO`, not `THEN`"),
            (Keyword::In, TokenKind::Assign) => Some("variables are only named here; write `VAR x IN x := E; S END`"),
            (Keyword::Invariant | Keyword::Variant, TokenKind::Keyword(Keyword::End)) => {
                Some("a loop is written `WHILE P DO S INVARIANT I VARIANT V END`")
            }
            (Keyword::Where, TokenKind::Keyword(Keyword::Then | Keyword::When | Keyword::Be | Keyword::In)) => {
                Some("`ANY` is written `ANY x WHERE P THEN S END`")
            }
            _ => None,
        }
    }

    /// Looks a little ahead for a word that should have been here.
    fn find_word(&mut self, keyword: Keyword, quiet: bool) -> Parsed<()> {
        const FAR: usize = 100;
        let mut depth = 0;
        for ahead in 0..FAR {
            match self.kind_ahead(ahead) {
                TokenKind::Keyword(found) if found == keyword && depth == 0 => {
                    self.pos += ahead + 1;
                    return Ok(());
                }
                TokenKind::EndOfFile | TokenKind::Semicolon | TokenKind::Assign => break,
                TokenKind::Keyword(Keyword::End) if depth > 0 => depth -= 1,
                TokenKind::Keyword(found) if found.opens_block() && ahead > 0 => depth += 1,
                TokenKind::Keyword(Keyword::End | Keyword::Else | Keyword::Elsif | Keyword::When) if depth == 0 => break,
                _ => {}
            }
        }
        if keyword == Keyword::Then && self.kind() == TokenKind::Keyword(Keyword::Do)
            || keyword == Keyword::Do && self.kind() == TokenKind::Keyword(Keyword::Then)
        {
            self.bump();
            return Ok(());
        }
        let starts = match self.kind() {
            TokenKind::Ident | TokenKind::QuotedIdent => true,
            TokenKind::Keyword(found) => found.starts_only_substitution() || found == Keyword::If,
            _ => false,
        };
        // Taken as written, unless the text before it was skipped and nothing can be told.
        if starts && !quiet { Ok(()) } else { Err(Abandoned) }
    }

    /// A bracket opened after `opener` is still open.
    fn open_brackets_since(&self, opener: Token) -> bool {
        self.innermost_bracket().is_some_and(|(bracket, _)| bracket.start > opener.start)
    }

    /// The END of a block.
    pub(super) fn end(&mut self, opener: Token) -> Parsed<()> {
        self.end_with_hint(opener, None)
    }

    fn end_with_hint(&mut self, opener: Token, hint: Option<&str>) -> Parsed<()> {
        if self.at_keyword(Keyword::End) {
            let end = self.bump();
            self.compare_indentation(opener, end);
            return Ok(());
        }
        let opener_text = self.text_of(opener).to_owned();
        let message = format!("expected the `END` of this `{opener_text}`, found {}", self.found());
        let here = self.here();
        let mut diagnostic = Diagnostic::error("missing-end", message).at(here);
        diagnostic = diagnostic.also(self.span_of(opener), "opened here");
        let suspect = self.suspects.last().filter(|(inner, _)| inner.start > opener.start).copied();
        diagnostic = match (hint, suspect, self.kind()) {
            (Some(hint), ..) => diagnostic.help(hint),
            (None, Some(suspect), _) => self.with_suspect(diagnostic, suspect),
            (None, None, TokenKind::Semicolon) if self.operation_ahead(1) => {
                diagnostic.help(format!("another operation follows; write the `END` of the `{opener_text}` before the `;`"))
            }
            _ => diagnostic.help(format!("every `{opener_text}` needs an `END`")),
        };
        self.report(diagnostic);
        Err(Abandoned)
    }

    /// Notes a block whose END stands further left than its first word, if both start their lines.
    fn compare_indentation(&mut self, opener: Token, end: Token) {
        const ENOUGH: usize = 100;
        let indented_less = match (self.indentation(opener.start), self.indentation(end.start)) {
            (Some(opener), Some(end)) => end < opener,
            _ => false,
        };
        if indented_less && self.suspects.len() < ENOUGH {
            self.suspects.push((opener, end));
        }
    }

    /// How many blanks stand before a place, if nothing else does on its line.
    pub(super) fn indentation(&self, start: u32) -> Option<usize> {
        const WIDEST: usize = 200;
        let before = &self.text.as_bytes()[..start as usize];
        let blanks = before.iter().rev().take(WIDEST).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        matches!(before.iter().rev().nth(blanks), None | Some(b'\n' | b'\r')).then_some(blanks)
    }

    /// Adds the block whose END is probably the missing one.
    pub(super) fn with_suspect(&self, diagnostic: Diagnostic, (opener, end): (Token, Token)) -> Diagnostic {
        let text = self.text_of(opener);
        diagnostic
            .also(self.span_of(end), format!("this `END` closes the `{text}`, but is indented less"))
            .help(format!("look at this `{text}`: perhaps its `END` is the missing one"))
    }

    /// `x := E`, `x :: S`, `x : (P)`, `x <-- op(E)`, `op(E)`
    fn assignment_or_call(&mut self) -> Parsed<SubstId> {
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
            TokenKind::Op(BinaryOp::Equal) | TokenKind::DefinedAs => {
                let message = "this is a comparison, but a substitution is needed here";
                let diagnostic = Diagnostic::error("comparison-as-substitution", message).at(self.here());
                self.fail(diagnostic.help("an assignment is written `:=`"))
            }
            TokenKind::Op(op) if op != BinaryOp::ParallelProduct => Err(self.operator_in_statement()),
            _ if targets.len() == 1 => self.call(start, targets[0]),
            _ => Err(self.unexpected("`:=`, `::`, `:(P)` or `<--`")),
        }
    }

    /// `x + 1` or `x += 1`
    fn operator_in_statement(&mut self) -> Abandoned {
        let compound = self.joined() && self.kind_ahead(1) == TokenKind::Op(BinaryOp::Equal);
        let sign = self.text_of(self.token()).to_owned();
        let message = format!("expected `:=`, found `{sign}`");
        let help = if compound {
            format!("write `x := x {sign} E`")
        } else {
            "an expression does nothing; write `x := E` to change a variable".to_owned()
        };
        self.report(Diagnostic::error("unexpected-token", message).at(self.here()).help(help));
        Abandoned
    }

    /// What can be assigned to: `x`, `f(a)(b)`, `r'a'b`, `f(a)'b`.
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
                    target = self.expr(Expr::Field(target, field), start);
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
        let values = self.within(Context::Value, Self::expressions);
        let span = self.since(start);
        Ok(self.subst(Subst::Assign { targets, values }, span))
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
        Ok(self.subst(Subst::Call { outputs, name, args }, span))
    }

    /// `op(E)`, read as if it were a target.
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
        Ok(self.subst(Subst::Call { outputs: Vec::new(), name, args }, span))
    }
}

// Looking ahead.
impl Parser<'_> {
    fn ends_statement_ahead(&self, ahead: usize) -> bool {
        super::recovery::ends_statement(self.kind_ahead(ahead))
    }

    /// The header of an operation starts so far ahead: `o <-- name(p) = S`.
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

    /// Where a list of names that starts so far ahead ends.
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

fn word_of(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Be => "BE",
        Keyword::Do => "DO",
        Keyword::Either => "EITHER",
        Keyword::Else => "ELSE",
        Keyword::End => "END",
        Keyword::In => "IN",
        Keyword::Invariant => "INVARIANT",
        Keyword::Of => "OF",
        Keyword::Variant => "VARIANT",
        Keyword::Where => "WHERE",
        _ => "THEN",
    }
}
