//! Contents of all clauses except DEFINITIONS.
//!
//! An entry with an error is skipped up to the next separator, so that later entries are still parsed.

use abridge_diag::Diagnostic;

use super::recovery::ends_clause;
use super::{Parsed, Parser};
use crate::ast::{
    BinaryOp, ClauseKind, DeclaredIdent, Expr, ExprId, FreeConstructor, FreeType, Ident, MachineRef, Operation,
    SetDecl, SetDeclKind, Sort, Valuation,
};
use crate::lexer::{Keyword, PragmaKind, Token, TokenKind};

const EQUAL: TokenKind = TokenKind::Op(BinaryOp::Equal);

impl Parser<'_> {
    pub(super) fn clause_content(&mut self, keyword: Keyword, token: Token) -> Parsed<ClauseKind> {
        let kind = match keyword {
            Keyword::Constraints => ClauseKind::Constraints(self.predicate_clause(token)),
            Keyword::Properties => ClauseKind::Properties(self.predicate_clause(token)),
            Keyword::Invariant => ClauseKind::Invariant(self.predicate_clause(token)),
            Keyword::Sees => ClauseKind::Sees(self.machine_names(token)?),
            Keyword::Uses => ClauseKind::Uses(self.machine_names(token)?),
            Keyword::Includes => ClauseKind::Includes(self.machine_refs()?),
            Keyword::Extends => ClauseKind::Extends(self.machine_refs()?),
            Keyword::Imports => ClauseKind::Imports(self.machine_refs()?),
            Keyword::Promotes => ClauseKind::Promotes(self.name_list("the name of an operation")?),
            Keyword::Sets => ClauseKind::Sets(self.entries("a set", Self::set)),
            Keyword::FreeTypes => ClauseKind::FreeTypes(self.entries("a free type", Self::free_type)),
            Keyword::Constants | Keyword::ConcreteConstants => ClauseKind::Constants(self.declared("a constant")?),
            Keyword::AbstractConstants => ClauseKind::AbstractConstants(self.declared("a constant")?),
            Keyword::Values => ClauseKind::Values(self.entries("a value", Self::valuation)),
            Keyword::Variables | Keyword::AbstractVariables => ClauseKind::Variables(self.declared("a variable")?),
            Keyword::ConcreteVariables => ClauseKind::ConcreteVariables(self.declared("a variable")?),
            Keyword::Assertions => ClauseKind::Assertions(self.entries("a predicate", |parser| Ok(parser.predicate()))),
            Keyword::Initialisation => ClauseKind::Initialisation(self.sequence()),
            Keyword::Operations | Keyword::Events => ClauseKind::Operations(self.operations()),
            Keyword::LocalOperations => ClauseKind::LocalOperations(self.operations()),
            Keyword::Expressions => ClauseKind::Expressions(self.definitions()),
            Keyword::Predicates => ClauseKind::Predicates(self.definitions()),
            _ => ClauseKind::Definitions(self.definitions()),
        };
        Ok(kind)
    }

    /// Predicate of a clause. A missing `&`, or `;` or `,` in its place, is reported and read as `&`.
    fn predicate_clause(&mut self, keyword: Token) -> ExprId {
        let first = self.predicate();
        let mut operands = vec![first];
        while self.another_conjunct(keyword, operands[operands.len() - 1]) {
            operands.push(self.predicate());
        }
        if operands.len() == 1 {
            return first;
        }
        let span = self.since(self.span(first));
        self.expr(Expr::And(operands), span)
    }

    /// True if another predicate follows without `&`, which is reported.
    fn another_conjunct(&mut self, keyword: Token, last: ExprId) -> bool {
        let is_predicate = self.ast.sort(last) == Sort::Predicate;
        let conjunct = match &self.ast.expr(last).expr {
            Expr::And(operands) => operands[operands.len() - 1],
            _ => last,
        };
        match self.kind() {
            TokenKind::Semicolon if self.at_clause_end(1) => {
                self.trailing_semicolon("a clause does not end with `;`");
                false
            }
            TokenKind::Semicolon | TokenKind::Comma => {
                self.separator_in_predicate(keyword, self.ast.sort(conjunct) == Sort::Predicate);
                true
            }
            _ if is_predicate && self.quiet_at != Some(self.pos) => self.missing_conjunction(),
            _ => false,
        }
    }

    fn separator_in_predicate(&mut self, keyword: Token, is_predicate: bool) {
        let (text, sign) = (self.text_of(keyword).to_owned(), self.found());
        let message = format!("the `{text}` clause is one predicate, without {sign}");
        let help = match (self.kind(), is_predicate) {
            (TokenKind::Semicolon, false) => "put a composition in parentheses: `(f ; g)`",
            _ => "join predicates with `&`",
        };
        self.report(Diagnostic::error("wrong-separator", message).at(self.here()).help(help));
        self.bump();
        self.quiet_at = Some(self.pos);
    }

    /// Reports a missing `&` in `P Q`.
    fn missing_conjunction(&mut self) -> bool {
        let starts = self.starts_formula() && !self.at_misspelt_clause() && !self.operation_ahead(0);
        if !starts || self.digits_before_name() {
            return false;
        }
        let message = format!("expected `&` between two predicates, found {}", self.found());
        self.report(Diagnostic::error("missing-separator", message).at(self.here()).help("write `&` before it"));
        true
    }

    /// Entries separated by `;`. Entries with errors are skipped.
    fn entries<T>(&mut self, what: &str, entry: impl Fn(&mut Self) -> Parsed<T>) -> Vec<T> {
        let mut entries = Vec::new();
        if self.at_clause_end(0) {
            self.unexpected(what);
            return entries;
        }
        loop {
            match entry(self) {
                Ok(entry) => entries.push(entry),
                Err(_) => self.skip_to_entry_end(),
            }
            if self.at(TokenKind::Comma) {
                let message = "the entries of this clause are separated by `;`, not `,`";
                self.report(Diagnostic::error("wrong-separator", message).at(self.here()).help("write `;`"));
            } else if !self.at(TokenKind::Semicolon) {
                return entries;
            } else if self.at_clause_end(1) {
                self.trailing_semicolon("a clause does not end with `;`");
                return entries;
            }
            self.bump();
        }
    }

    /// True if a clause keyword, END or the end of the file is `ahead` tokens ahead.
    pub(super) fn at_clause_end(&self, ahead: usize) -> bool {
        let kind = self.kind_ahead(ahead);
        ends_clause(kind) || kind == TokenKind::Keyword(Keyword::End)
    }

    /// `x /*@ desc text */, y`
    fn declared(&mut self, what: &str) -> Parsed<Vec<DeclaredIdent>> {
        let mut names = vec![self.declared_ident(what)?];
        let mut typed = false;
        loop {
            typed |= self.typed_declaration(what, typed);
            if !self.another_name() {
                return Ok(names);
            }
            names.push(self.declared_ident(what)?);
        }
    }

    /// Takes the `,` before another name, or a wrong token in its place.
    fn another_name(&mut self) -> bool {
        match self.kind() {
            TokenKind::Comma if self.at_clause_end(1) => {
                let message = "a `,` stands between names, but none follows";
                self.report(Diagnostic::error("trailing-comma", message).at(self.here()).help("remove the `,`"));
                self.bump();
                false
            }
            TokenKind::Semicolon if self.at_clause_end(1) => {
                self.trailing_semicolon("a clause does not end with `;`");
                false
            }
            TokenKind::Comma => {
                self.bump();
                true
            }
            TokenKind::Semicolon => {
                let message = "names in this clause are separated by `,`, not `;`";
                self.report(Diagnostic::error("wrong-separator", message).at(self.here()).help("write `,`"));
                self.bump();
                true
            }
            _ => self.missing_comma(),
        }
    }

    /// Reports a missing comma in `VARIABLES x y`.
    fn missing_comma(&mut self) -> bool {
        let starts = self.at_ident() && !self.at_misspelt_clause() && !self.operation_ahead(0);
        if !starts || self.quiet_at == Some(self.pos) {
            return false;
        }
        let message = format!("expected `,` between two names, found {}", self.found());
        self.report(Diagnostic::error("missing-separator", message).at(self.here()).help("write `,` before it"));
        true
    }

    /// Reports `VARIABLES x : NAT`, once per clause.
    fn typed_declaration(&mut self, what: &str, again: bool) -> bool {
        if !matches!(self.kind(), TokenKind::Op(op) if op.is_relation()) {
            return false;
        }
        let clause = if what == "a constant" { "PROPERTIES" } else { "the INVARIANT" };
        let message = "names are only listed here";
        let diagnostic = Diagnostic::error("typed-declaration", message).at(self.here());
        if !again {
            self.report(diagnostic.help(format!("say in {clause} what values a name can have: `x : NAT`")));
        }
        let end = TokenKind::Keyword(Keyword::End);
        self.skip_until(|kind| kind == TokenKind::Comma || kind == end || ends_clause(kind));
        self.ast.lost_names = true;
        true
    }

    fn declared_ident(&mut self, what: &str) -> Parsed<DeclaredIdent> {
        let ident = self.dotted_name(what)?;
        Ok(DeclaredIdent { ident, desc: self.desc_pragma() })
    }

    /// `S`, `S = {a, b}` or `S = Definition`
    fn set(&mut self) -> Parsed<SetDecl> {
        let mut name = self.declared_ident("the name of a set")?;
        let kind = if self.eat(EQUAL) { self.set_elements()? } else { SetDeclKind::Deferred };
        name.desc = name.desc.or_else(|| self.desc_pragma());
        Ok(SetDecl { name, kind })
    }

    fn set_elements(&mut self) -> Parsed<SetDeclKind> {
        if self.at_ident() {
            return Ok(SetDeclKind::EnumeratedBy(self.dotted_name("a definition")?));
        }
        if self.is_value_ahead(usize::from(self.at(TokenKind::LBrace))) {
            let message = "SETS declares new sets; their elements are new names: `{a, b}`";
            let help = "a set of known values is a constant with an equation in PROPERTIES, or a definition";
            return self.fail(Diagnostic::error("not-a-new-set", message).at(self.here()).help(help));
        }
        if !self.at(TokenKind::LBrace) {
            return Err(self.unexpected("the elements of the set: `{a, b}`"));
        }
        if self.kind_ahead(1) == TokenKind::RBrace {
            let message = "an enumerated set must have an element";
            let help = "leave out `= {}` for a set whose elements are not named";
            let span = self.here().to(self.span_of(self.tokens[self.pos + 1]));
            return self.fail(Diagnostic::error("empty-set", message).at(span).help(help));
        }
        let elements = self.bracketed(TokenKind::RBrace, |parser| {
            let mut elements = vec![parser.declared_ident("the name of an element")?];
            while parser.eat(TokenKind::Comma) {
                elements.push(parser.declared_ident("the name of an element")?);
            }
            Ok(elements)
        })?;
        Ok(SetDeclKind::Enumerated(elements))
    }

    /// `T(X) = c0, c1(E)`
    fn free_type(&mut self) -> Parsed<FreeType> {
        let name = self.ident("the name of a free type")?;
        let params = match self.kind() {
            TokenKind::LParen => self.bracketed(TokenKind::RParen, |parser| parser.names("a type parameter"))?,
            _ => Vec::new(),
        };
        self.expect(EQUAL, "`=` and the constructors")?;
        let mut constructors = vec![self.constructor()?];
        while self.eat(TokenKind::Comma) {
            constructors.push(self.constructor()?);
        }
        Ok(FreeType { name, params, constructors })
    }

    fn constructor(&mut self) -> Parsed<FreeConstructor> {
        let name = self.ident("the name of a constructor")?;
        let arg = match self.kind() {
            TokenKind::LParen => Some(self.bracketed(TokenKind::RParen, |parser| Ok(parser.composed_expression()))?),
            _ => None,
        };
        Ok(FreeConstructor { name, arg })
    }

    /// `id = E`
    fn valuation(&mut self) -> Parsed<Valuation> {
        let name = self.dotted_name("the name of a constant or set")?;
        self.expect(EQUAL, "`=` and a value")?;
        Ok(Valuation { name, value: self.expression() })
    }

    fn machine_refs(&mut self) -> Parsed<Vec<MachineRef>> {
        let mut refs = vec![self.machine_ref()?];
        while self.eat(TokenKind::Comma) {
            refs.push(self.machine_ref()?);
        }
        Ok(refs)
    }

    /// References to machines without arguments.
    fn machine_names(&mut self, keyword: Token) -> Parsed<Vec<MachineRef>> {
        let refs = self.machine_refs()?;
        if let Some(machine) = refs.iter().find(|machine| !machine.args.is_empty()) {
            let text = self.text_of(keyword).to_owned();
            let message = format!("machines in `{text}` are named without arguments");
            let help = "the machine gets its arguments where it is included or imported";
            self.report_elsewhere(Diagnostic::error("unexpected-arguments", message).at(machine.span).help(help));
        }
        Ok(refs)
    }

    /// `[prefix.]Name[(args)] [/*@ file "path" */]`
    fn machine_ref(&mut self) -> Parsed<MachineRef> {
        let mut name = self.ident("the name of a machine")?;
        let start = name.span;
        let mut prefix: Option<String> = None;
        while self.eat(TokenKind::Dot) {
            let longer = prefix.map_or_else(|| name.name.to_string(), |prefix| format!("{prefix}.{}", name.name));
            prefix = Some(longer);
            name = self.ident("the name of a machine")?;
        }
        let mut file = self.file_pragma();
        let args = match self.kind() {
            TokenKind::LParen => self.arguments()?,
            _ => Vec::new(),
        };
        file = file.or_else(|| self.file_pragma());
        Ok(MachineRef { prefix: prefix.map(Into::into), name, args, file, span: self.since(start) })
    }

    fn file_pragma(&mut self) -> Option<smol_str::SmolStr> {
        self.pragma(|kind| match kind {
            PragmaKind::File(path) => Some(path.clone()),
            _ => None,
        })
    }
}

// Operations.
impl Parser<'_> {
    pub(super) fn operations(&mut self) -> Vec<Operation> {
        let mut operations = Vec::new();
        if self.at_clause_end(0) {
            let message = format!("expected an operation, found {}", self.found());
            let help = "leave out the clause, or write an operation: `name = skip`";
            self.report(Diagnostic::error("unexpected-token", message).at(self.here()).help(help));
            return operations;
        }
        loop {
            let result = self.operation();
            self.after_failure = result.is_err();
            match result {
                Ok(operation) => operations.push(operation),
                Err(_) => self.skip_to_entry_end(),
            }
            if !self.next_operation() {
                return operations;
            }
        }
    }

    /// Advances to the next operation, if there is one.
    fn next_operation(&mut self) -> bool {
        let last_but_one =
            self.kind_ahead(1) == TokenKind::Keyword(Keyword::End) && self.kind_ahead(2) == TokenKind::EndOfFile;
        if self.at_keyword(Keyword::End) && (self.kind_ahead(1) == TokenKind::Semicolon || last_but_one) {
            let message = "this `END` has no partner";
            let help = "remove it, or write the `BEGIN` that it should close";
            // An earlier error may be the cause of the additional END.
            if !last_but_one || self.diagnostics.is_empty() {
                self.report(Diagnostic::error("extra-end", message).at(self.here()).help(help));
            }
            self.bump();
        }
        if self.at(TokenKind::Semicolon) && self.at_clause_end(1) {
            self.trailing_semicolon("a `;` stands between operations, but none follows");
            return false;
        }
        if self.eat(TokenKind::Semicolon) {
            return true;
        }
        if self.at_clause_end(0) || self.at_misspelt_clause() {
            return false;
        }
        self.lost_separator()
    }

    /// Reports text between an operation and the next `;`.
    fn lost_separator(&mut self) -> bool {
        if self.operation_ahead(0) {
            let message = "expected `;` between two operations";
            self.report(Diagnostic::error("missing-separator", message).at(self.here()).help("write `;` before it"));
            return true;
        }
        self.unexpected("`;` and another operation, or `END`");
        self.skip_to_entry_end();
        if self.at(TokenKind::Semicolon) && !self.at_clause_end(1) {
            self.bump();
            return true;
        }
        self.eat(TokenKind::Semicolon);
        false
    }

    /// `o <-- name(p) = S`
    fn operation(&mut self) -> Parsed<Operation> {
        let start = self.here();
        let mut outputs = self.name_list("the name of an operation")?;
        let name = if self.eat_outputs() {
            self.dotted_name("the name of an operation")?
        } else if outputs.len() == 1 {
            outputs.remove(0)
        } else {
            return Err(self.operation_sign());
        };
        let params = self.opt_params()?;
        let refines = self.refined_event()?;
        if !self.eat(EQUAL) && !self.defined_as_operation() {
            return Err(self.operation_sign());
        }
        let body = self.parallel();
        let desc = self.desc_pragma();
        Ok(Operation { outputs, name, params, refines, body, desc, span: self.since(start) })
    }

    /// Takes `<--`, or `<-`, which is reported.
    fn eat_outputs(&mut self) -> bool {
        if !self.at(TokenKind::Op(BinaryOp::InsertTail)) {
            return self.eat(TokenKind::Outputs);
        }
        let message = "the outputs of an operation are followed by `<--`, not `<-`";
        self.report(Diagnostic::error("wrong-sign", message).at(self.here()).help("write `<--`"));
        self.bump();
        true
    }

    /// `ref abstract_event`
    fn refined_event(&mut self) -> Parsed<Option<Ident>> {
        if !self.at(TokenKind::Ident) || self.text_of(self.token()) != "ref" {
            return Ok(None);
        }
        self.bump();
        self.dotted_name("the name of the refined event").map(Some)
    }

    /// Reports `op == S` and reads it as `op = S`.
    fn defined_as_operation(&mut self) -> bool {
        if !self.at(TokenKind::DefinedAs) {
            return false;
        }
        let message = "an operation is written with `=`; `==` is for DEFINITIONS";
        self.report(Diagnostic::error("wrong-sign", message).at(self.here()).help("write `=`"));
        self.bump();
        true
    }

    /// Reports that `=` is missing after the header of an operation.
    fn operation_sign(&mut self) -> super::Abandoned {
        let assigns = matches!(self.kind(), TokenKind::Assign | TokenKind::BecomesElement)
            || self.at(TokenKind::Op(BinaryOp::Member));
        if assigns && self.after_failure {
            // This is probably a part of an operation with a syntax error.
            return super::Abandoned;
        }
        if !assigns {
            return self.unexpected("`=` and the body of the operation");
        }
        let message = "a `;` ends the operation, so this assignment belongs to none";
        let help = "put a body with `;` between `BEGIN` and `END`";
        self.report(Diagnostic::error("body-needs-begin", message).at(self.here()).help(help));
        super::Abandoned
    }
}
