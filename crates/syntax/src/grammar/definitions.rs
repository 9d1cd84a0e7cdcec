//! DEFINITIONS clause.
//!
//! A body is parsed as a formula if possible, otherwise as a single substitution. Only the use of a definition determines the sort of a body that is
//! a name or a call, so such a body stays a formula here.

use abridge_diag::Diagnostic;

use super::primary::string_value;
use super::{Context, Parsed, Parser};
use crate::ast::{BinaryOp, Definition, DefinitionBody, ExprId};
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// Definitions separated by `;`, with an optional final `;`.
    pub(super) fn definitions(&mut self) -> Vec<Definition> {
        let mut definitions = Vec::new();
        while !self.at_clause_end(0) {
            match self.definition() {
                Ok(definition) => definitions.push(definition),
                Err(_) => self.skip_to_entry_end(),
            }
            if !self.eat(TokenKind::Semicolon) && !self.next_definition() {
                break;
            }
        }
        definitions
    }

    /// True if another definition follows one without `;`, which is reported.
    fn next_definition(&mut self) -> bool {
        if self.at_clause_end(0) || self.at_misspelt_clause() {
            return false;
        }
        if self.definition_ahead(0) {
            let message = "expected `;` between two definitions";
            self.report(Diagnostic::error("missing-separator", message).at(self.here()).help("write `;` before it"));
            return true;
        }
        self.unexpected("`;` and another definition, or a clause");
        self.skip_to_entry_end();
        self.eat(TokenKind::Semicolon)
    }

    /// True if `name ==` or `name(x, y) ==` is `ahead` tokens ahead.
    pub(super) fn definition_ahead(&self, ahead: usize) -> bool {
        if !matches!(self.kind_ahead(ahead), TokenKind::Ident | TokenKind::QuotedIdent) {
            return false;
        }
        let mut at = ahead + 1;
        if self.kind_ahead(at) == TokenKind::LParen {
            while matches!(self.kind_ahead(at + 1), TokenKind::Ident | TokenKind::QuotedIdent | TokenKind::Comma) {
                at += 1;
            }
            at += 2;
        }
        self.kind_ahead(at) == TokenKind::DefinedAs
    }

    /// `"file.def"` or `name(x, y) == body`
    fn definition(&mut self) -> Parsed<Definition> {
        let start = self.here();
        if self.at(TokenKind::String) {
            let token = self.bump();
            return Ok(Definition::Import { path: string_value(self.text_of(token)), span: start });
        }
        let name = self.dotted_name("the name of a definition")?;
        let params = self.opt_params()?;
        self.definition_sign()?;
        let body = self.definition_body()?;
        Ok(Definition::Named { name, params, body, span: self.since(start) })
    }

    fn definition_sign(&mut self) -> Parsed<()> {
        if self.eat(TokenKind::DefinedAs) {
            return Ok(());
        }
        if !matches!(self.kind(), TokenKind::Op(BinaryOp::Equal) | TokenKind::Assign) {
            return Err(self.unexpected("`==` and what the name stands for"));
        }
        let message = format!("a definition is written with `==`, not {}", self.found());
        self.report(Diagnostic::error("wrong-sign", message).at(self.here()).help("write `==`"));
        self.bump();
        Ok(())
    }

    /// Body of a definition: the parse without errors, otherwise the longer one, otherwise the formula.
    fn definition_body(&mut self) -> Parsed<DefinitionBody> {
        if matches!(self.kind(), TokenKind::Keyword(keyword) if keyword.starts_only_substitution()) {
            return self.substitution_body();
        }
        let may_be_substitution = self.at_ident() || matches!(self.kind(), TokenKind::Keyword(_));
        let snapshot = self.snapshot();
        let formula = self.definition_formula();
        let formula_mistake = self.first_mistake(&snapshot);
        if formula_mistake.is_none() || !may_be_substitution || self.gave_up {
            return Ok(DefinitionBody::Formula(formula));
        }
        self.rewind(snapshot.clone());
        let substitution = self.substitution_body();
        let substitution_mistake = self.first_mistake(&snapshot);
        if substitution_mistake.is_none() || substitution_mistake > formula_mistake || self.gave_up {
            return substitution;
        }
        self.rewind(snapshot);
        Ok(DefinitionBody::Formula(self.definition_formula()))
    }

    fn definition_formula(&mut self) -> ExprId {
        self.within(Context::Definition, Self::formula_or_list)
    }

    /// Substitution without `||` and `;`.
    fn substitution_body(&mut self) -> Parsed<DefinitionBody> {
        let body = self.nested(Self::bare_statement)?;
        if self.at(TokenKind::Op(BinaryOp::ParallelProduct)) {
            let message = "the body of a definition is a single substitution";
            let help = "put it between `BEGIN` and `END`";
            return self.fail(Diagnostic::error("body-needs-begin", message).at(self.here()).help(help));
        }
        Ok(DefinitionBody::Substitution(body))
    }
}

/// State to which the parser can return.
#[derive(Clone)]
struct ParserSnapshot {
    pos: usize,
    next_pragma: usize,
    n_unused_pragmas: usize,
    nodes: (usize, usize),
    n_diagnostics: usize,
    quiet_at: Option<usize>,
    n_misused: usize,
    skipped: (bool, bool),
}

impl Parser<'_> {
    fn snapshot(&self) -> ParserSnapshot {
        ParserSnapshot {
            pos: self.pos,
            next_pragma: self.next_pragma,
            n_unused_pragmas: self.unused_pragmas.len(),
            nodes: self.ast.len(),
            n_diagnostics: self.diagnostics.len(),
            quiet_at: self.quiet_at,
            n_misused: self.misused_keywords.len(),
            skipped: (self.ast.skipped, self.ast.lost_names),
        }
    }

    fn rewind(&mut self, snapshot: ParserSnapshot) {
        self.pos = snapshot.pos;
        self.next_pragma = snapshot.next_pragma;
        self.unused_pragmas.truncate(snapshot.n_unused_pragmas);
        self.ast.truncate(snapshot.nodes);
        self.diagnostics.truncate(snapshot.n_diagnostics);
        self.quiet_at = snapshot.quiet_at;
        self.misused_keywords.truncate(snapshot.n_misused);
        (self.ast.skipped, self.ast.lost_names) = snapshot.skipped;
    }

    /// Position of the first error since a snapshot. The next token counts as an error if no definition can end there.
    fn first_mistake(&self, snapshot: &ParserSnapshot) -> Option<u32> {
        let reported = self.diagnostics.get(snapshot.n_diagnostics..).unwrap_or(&[]).iter();
        let reported = reported.filter_map(|diagnostic| diagnostic.span()).map(|span| span.start);
        let ends = self.at(TokenKind::Semicolon) || self.at_clause_end(0);
        reported.chain((!ends).then_some(self.token().start)).min()
    }
}
