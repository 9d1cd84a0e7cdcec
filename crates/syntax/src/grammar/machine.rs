//! Whole files: machines and definition files.
//!
//! Clauses are parsed one by one; an error in a clause ends at the next clause keyword. Missing, repeated and misspelt clauses are reported here.

use abridge_diag::{Diagnostic, Span};
use smol_str::SmolStr;

use super::recovery::{closes_bracket, ends_clause};
use super::{Parsed, Parser};
use crate::ast::{BinaryOp, Clause, ClauseKind, ExprId, Ident, Machine, MachineKind, MachinePragma, Unit};
use crate::lexer::{Keyword, PragmaKind, TokenKind, clause_words};

impl Parser<'_> {
    /// Machine, or file that starts with DEFINITIONS.
    pub(super) fn file(&mut self) -> Unit {
        let pragmas = self.machine_pragmas();
        match self.kind() {
            TokenKind::Keyword(keyword) if keyword.is_machine() => Unit::Machine(self.machine(keyword, pragmas)),
            TokenKind::Keyword(Keyword::Definitions) => self.definition_file(),
            _ => self.no_machine(pragmas),
        }
    }

    fn machine_pragmas(&mut self) -> Vec<MachinePragma> {
        let mut pragmas = Vec::new();
        while let Some(pragma) = self.pragma(|kind| match kind {
            PragmaKind::Package(name) => Some(MachinePragma::Package(name.clone())),
            PragmaKind::ImportPackage(name) => Some(MachinePragma::ImportPackage(name.clone())),
            PragmaKind::Generated => Some(MachinePragma::Generated),
            _ => None,
        }) {
            pragmas.push(pragma);
        }
        pragmas
    }

    fn definition_file(&mut self) -> Unit {
        self.bump();
        let definitions = self.definitions();
        self.eat_keyword(Keyword::End);
        if !self.at(TokenKind::EndOfFile) {
            self.unexpected("`;` and another definition, or the end of the file");
        }
        Unit::Definitions(definitions)
    }

    /// Reports a file that does not start with a machine, and searches for one later in the text.
    fn no_machine(&mut self, pragmas: Vec<MachinePragma>) -> Unit {
        let message = match self.at(TokenKind::EndOfFile) {
            true => "this file holds no machine".to_owned(),
            false => {
                format!("expected `MACHINE`, `REFINEMENT`, `IMPLEMENTATION` or `DEFINITIONS`, found {}", self.found())
            }
        };
        let word = self.text_of(self.token()).to_ascii_uppercase();
        let misspelt = self.at(TokenKind::Ident) && word.len() < 20 && edit_distance(&word, "MACHINE") <= 2;
        let help = match misspelt {
            true => "did you mean `MACHINE`?",
            false => "a B file starts with `MACHINE` and a name, after comments",
        };
        self.report(Diagnostic::error("no-machine", message).at(self.here()).help(help));
        if misspelt {
            return Unit::Machine(self.machine(Keyword::Machine, pragmas));
        }
        loop {
            match self.kind() {
                TokenKind::Keyword(keyword) if keyword.is_machine() => {
                    return Unit::Machine(self.machine(keyword, pragmas));
                }
                TokenKind::EndOfFile => return Unit::Formula(ExprId(0)),
                _ => self.bump(),
            };
        }
    }

    /// `MACHINE Name(params) clauses END`
    fn machine(&mut self, keyword: Keyword, pragmas: Vec<MachinePragma>) -> Machine {
        let start = self.here();
        self.bump();
        let kind = match keyword {
            Keyword::Model => MachineKind::Model,
            Keyword::System => MachineKind::System,
            Keyword::Refinement => MachineKind::Refinement,
            Keyword::Implementation => MachineKind::Implementation,
            _ => MachineKind::Machine,
        };
        let (name, params) = self.machine_header(start);
        let refines = self.refines(kind);
        let mut machine = Machine { kind, name, params, refines, clauses: Vec::new(), pragmas, span: start };
        self.clauses(&mut machine);
        self.check_refines(&machine, start);
        machine.span = self.since(start);
        self.check_obligations(&machine);
        machine
    }

    /// `Name(params)`
    fn machine_header(&mut self, keyword: Span) -> (Ident, Vec<Ident>) {
        if self.at_clause_end(0) {
            let text = self.text[keyword.start as usize..keyword.end as usize].to_owned();
            let diagnostic = Diagnostic::error("missing-name", "the name of the machine is missing").at(keyword);
            self.report(diagnostic.help(format!("write `{text} M`, where `M` is the name of the file")));
        }
        let header = self.dotted_name("the name of the machine").and_then(|name| {
            let params = self.opt_params()?;
            Ok((name, params))
        });
        header.unwrap_or_else(|_| {
            self.skip_to_clause_or_end();
            (Ident { name: SmolStr::default(), span: keyword.after() }, Vec::new())
        })
    }

    /// Optional formal parameters `(p, q)`.
    pub(super) fn opt_params(&mut self) -> Parsed<Vec<Ident>> {
        if !self.at(TokenKind::LParen) {
            return Ok(Vec::new());
        }
        if self.kind_ahead(1) == TokenKind::RParen {
            return self.empty_parentheses();
        }
        self.bracketed(TokenKind::RParen, |parser| {
            let params = parser.names("a parameter")?;
            if parser.at(TokenKind::Op(BinaryOp::Member)) {
                let message = "parameters are only named here";
                let help = "say in a precondition what values a parameter can have: `op(p) = PRE p : NAT THEN S END`";
                parser.report(Diagnostic::error("typed-declaration", message).at(parser.here()).help(help));
                parser.skip_until(closes_bracket);
                parser.ast.lost_names = true;
            }
            Ok(params)
        })
    }

    /// `REFINES M`, required in refinements and implementations and forbidden in machines.
    fn refines(&mut self, kind: MachineKind) -> Option<Ident> {
        let here = self.here();
        if !self.eat_keyword(Keyword::Refines) {
            return None;
        }
        if !is_refinement(kind) {
            self.machine_refines(here);
        }
        self.dotted_name("the name of the refined machine").ok()
    }

    fn machine_refines(&mut self, span: Span) {
        let message = "a machine cannot have a `REFINES` clause";
        let diagnostic = Diagnostic::error("clause-not-allowed", message).at(span);
        self.report_elsewhere(diagnostic.help("start the file with `REFINEMENT` or `IMPLEMENTATION`"));
    }

    fn check_refines(&mut self, machine: &Machine, keyword: Span) {
        if !is_refinement(machine.kind) || machine.refines.is_some() || self.lost_clause {
            return;
        }
        // The declarations of the refined machine are unknown.
        self.ast.lost_names = true;
        let message = "a refinement or implementation must say what it refines";
        let diagnostic = Diagnostic::error("missing-clause", message).at(keyword);
        self.report_elsewhere(diagnostic.help("write `REFINES` and the name of the refined machine after its name"));
    }

    fn clauses(&mut self, machine: &mut Machine) {
        loop {
            match self.kind() {
                TokenKind::Keyword(Keyword::End) => {
                    self.bump();
                    if !self.more_after_end(machine) {
                        return;
                    }
                }
                TokenKind::Keyword(Keyword::Refines) => self.late_refines(machine),
                TokenKind::Keyword(keyword) if keyword.is_clause() => self.clause(keyword, machine),
                TokenKind::EndOfFile => return self.missing_machine_end(machine),
                TokenKind::Ident if self.at_misspelt_clause() => {
                    if let Some(keyword) = self.misspelt_clause() {
                        self.clause(keyword, machine);
                    }
                }
                _ if self.operation_ahead(0) => self.bare_operations(machine),
                _ => self.no_clause(machine.clauses.last().map(|clause| &clause.kind)),
            }
        }
    }

    fn late_refines(&mut self, machine: &mut Machine) {
        let here = self.here();
        if is_refinement(machine.kind) {
            let message = "`REFINES` comes directly after the name of the machine";
            self.report(
                Diagnostic::error("clause-not-allowed", message).at(here).help("move it up, before the other clauses"),
            );
        } else {
            self.machine_refines(here);
        }
        self.bump();
        let refined = self.dotted_name("the name of the refined machine").ok();
        machine.refines = machine.refines.take().or(refined);
    }

    fn clause(&mut self, keyword: Keyword, machine: &mut Machine) {
        let token = self.bump();
        let keyword_span = self.span_of(token);
        self.check_allowed(keyword, machine.kind, keyword_span);
        let kind = match self.clause_content(keyword, token) {
            Ok(kind) => kind,
            Err(_) => return self.skip_to_clause_or_end(),
        };
        let clause = Clause { kind, keyword: keyword_span, span: self.since(keyword_span) };
        let first = *self.clause_keywords.entry(std::mem::discriminant(&clause.kind)).or_insert(keyword_span);
        if first != keyword_span {
            let text = self.text_of(token).to_owned();
            let message = format!("there is a second `{text}` clause");
            let diagnostic = Diagnostic::error("duplicate-clause", message).at(keyword_span);
            let diagnostic = diagnostic.also(first, "the first one").help("write all of it in one clause");
            self.report_elsewhere(diagnostic);
        }
        machine.clauses.push(clause);
    }

    /// Operations without the keyword of their clause, which is reported.
    fn bare_operations(&mut self, machine: &mut Machine) {
        let start = self.here();
        let message = "operations need the keyword `OPERATIONS` before them";
        self.report(
            Diagnostic::error("missing-keyword", message).at(start).help("write `OPERATIONS` before the first one"),
        );
        let kind = ClauseKind::Operations(self.operations());
        machine.clauses.push(Clause { kind, keyword: start, span: self.since(start) });
    }

    fn check_allowed(&mut self, keyword: Keyword, kind: MachineKind, span: Span) {
        use Keyword::*;
        let (forbidden, what) = match kind {
            MachineKind::Machine | MachineKind::Model | MachineKind::System => {
                (matches!(keyword, Imports | Values), "a machine")
            }
            MachineKind::Refinement => {
                (matches!(keyword, Constraints | Uses | Imports | Values | LocalOperations), "a refinement")
            }
            MachineKind::Implementation => {
                let forbidden = matches!(
                    keyword,
                    Constraints | Uses | Includes | AbstractConstants | Variables | AbstractVariables
                );
                (forbidden, "an implementation")
            }
        };
        if !forbidden {
            return;
        }
        let text = &self.text[span.start as usize..span.end as usize];
        let message = format!("the clause `{text}` is not allowed in {what}");
        let mut diagnostic = Diagnostic::error("clause-not-allowed", message).at(span);
        if let Some(help) = match keyword {
            Variables | AbstractVariables => Some("write `CONCRETE_VARIABLES`"),
            AbstractConstants => Some("write `CONCRETE_CONSTANTS`"),
            Includes => Some("an implementation uses `IMPORTS`"),
            Imports => Some("only implementations import; write `INCLUDES`"),
            Values => Some("only implementations give values; write an equation in `PROPERTIES`"),
            Uses => Some("write `SEES`"),
            Constraints => Some("the constraints of parameters stand in the refined machine"),
            LocalOperations => Some("only implementations have local operations"),
            _ => None,
        } {
            diagnostic = diagnostic.help(help);
        }
        self.report_elsewhere(diagnostic);
    }

    /// Reports text in place of a clause.
    fn no_clause(&mut self, last: Option<&ClauseKind>) {
        use ClauseKind::*;
        let help = match last {
            Some(Invariant(_) | Properties(_) | Constraints(_) | Assertions(_)) => Some("join predicates with `&`"),
            Some(Variables(_) | ConcreteVariables(_) | Constants(_) | AbstractConstants(_)) => {
                Some("separate names with `,`")
            }
            _ => None,
        };
        if let Some(help) = help.filter(|_| self.starts_formula()) {
            let message = format!("expected an operator, a clause or `END`, found {}", self.found());
            self.report(Diagnostic::error("unexpected-token", message).at(self.here()).help(help));
        } else if self.at(TokenKind::Semicolon) {
            let message = "clauses are not separated by `;`";
            let help = "remove the `;`, or go on with another entry of this clause";
            self.report(Diagnostic::error("unexpected-token", message).at(self.here()).help(help));
        } else {
            self.unexpected(match last {
                Some(Invariant(_) | Properties(_) | Constraints(_) | Assertions(_)) => "an operator, a clause or `END`",
                _ => "a clause or the `END` of the machine",
            });
        }
        self.bump();
        self.skip_to_clause_or_end();
    }

    pub(super) fn starts_formula(&self) -> bool {
        use TokenKind::{Atom, Builtin, Exists, Forall, Ident, LParen, Not, QuotedIdent};
        matches!(self.kind(), Ident | QuotedIdent | LParen | Forall | Exists | Not | Builtin(_) | Atom(_))
    }

    /// True if a value, and not a new name, is `ahead` tokens ahead.
    pub(super) fn is_value_ahead(&self, ahead: usize) -> bool {
        use TokenKind::{Atom, Builtin, Integer, LBrace, LBracket, LParen, Real, String};
        matches!(self.kind_ahead(ahead), Atom(_) | Builtin(_) | Integer | LBrace | LBracket | LParen | Real | String)
    }

    pub(super) fn skip_to_clause_or_end(&mut self) {
        self.lost_clause = true;
        self.skip_to_entry_end();
        while self.at(TokenKind::Semicolon) {
            self.bump();
            self.skip_to_entry_end();
        }
    }

    /// Reports text after the END of the machine. Returns true if it contains further clauses.
    fn more_after_end(&mut self, machine: &mut Machine) -> bool {
        if self.at(TokenKind::EndOfFile) {
            return false;
        }
        if self.at_keyword(Keyword::End) && self.kind_ahead(1) == TokenKind::EndOfFile && !self.diagnostics.is_empty() {
            // An earlier error is the cause of the additional END.
            self.bump();
            return false;
        }
        let end = self.span_of(self.previous());
        let message = "this `END` closes the machine, but more text follows";
        let diagnostic =
            Diagnostic::error("text-after-end", message).at(end).also(self.here(), "the text that follows");
        let help = match self.kind() {
            TokenKind::Keyword(keyword) if keyword.is_machine() => {
                "a file holds one machine; move the other one to its own file"
            }
            TokenKind::Keyword(keyword) if keyword.is_clause() => "move the `END` behind the last clause",
            TokenKind::Keyword(Keyword::End) => "there is one `END` too many",
            _ => "remove the text after `END`",
        };
        self.report(diagnostic.help(help));
        let in_operations = matches!(machine.clauses.last(), Some(Clause { kind: ClauseKind::Operations(_), .. }));
        if self.at(TokenKind::Semicolon) && in_operations {
            self.bump();
            let more = self.operations();
            if let Some(Clause { kind: ClauseKind::Operations(operations), .. }) = machine.clauses.last_mut() {
                operations.extend(more);
            }
            return true;
        }
        if ends_clause(self.kind()) && !matches!(self.kind(), TokenKind::Keyword(keyword) if keyword.is_machine()) {
            return true;
        }
        self.pos = self.tokens.len() - 1;
        false
    }

    fn missing_machine_end(&mut self, machine: &Machine) {
        let message = "the machine has no `END`";
        let last = self.span_of(self.previous()).after();
        let diagnostic =
            Diagnostic::error("missing-end", message).at(last).also(machine.span, "the machine starts here");
        let diagnostic = match self.suspects.first() {
            Some(suspect) => self.with_suspect(diagnostic, *suspect),
            None => diagnostic.help("write `END` at the end of the file, or find the block above that lacks its `END`"),
        };
        self.report(diagnostic);
    }

    /// Checks required clauses: declared constants and variables need properties and an invariant.
    fn check_obligations(&mut self, machine: &Machine) {
        let is_machine = matches!(machine.kind, MachineKind::Machine | MachineKind::Model | MachineKind::System);
        if !is_machine || self.lost_clause || self.gave_up {
            return;
        }
        let first =
            |clause: &Clause| clause.kind.declared().first().map_or("x", |decl| decl.ident.name.as_str()).to_owned();
        let has = |wanted: fn(&ClauseKind) -> bool| machine.clauses.iter().any(|clause| wanted(&clause.kind));
        let find = |wanted: fn(&ClauseKind) -> bool| machine.clauses.iter().find(|clause| wanted(&clause.kind));
        let constants = find(|kind| matches!(kind, ClauseKind::Constants(_) | ClauseKind::AbstractConstants(_)));
        if let Some(constants) = constants.filter(|_| !has(|kind| matches!(kind, ClauseKind::Properties(_)))) {
            self.missing_clause(constants.keyword, "constants", "PROPERTIES", &first(constants));
        }
        let variables = find(|kind| matches!(kind, ClauseKind::Variables(_) | ClauseKind::ConcreteVariables(_)));
        if let Some(variables) = variables.filter(|_| !has(|kind| matches!(kind, ClauseKind::Invariant(_)))) {
            self.missing_clause(variables.keyword, "variables", "INVARIANT", &first(variables));
        }
        if let Some(variables) = variables.filter(|_| !has(|kind| matches!(kind, ClauseKind::Initialisation(_)))) {
            self.missing_clause(variables.keyword, "variables", "INITIALISATION", &first(variables));
        }
        let scalar = machine.params.iter().find(|param| !param.name.chars().any(char::is_uppercase));
        if let Some(scalar) = scalar.filter(|_| !has(|kind| matches!(kind, ClauseKind::Constraints(_)))) {
            self.missing_clause(scalar.span, "a parameter that is not a set", "CONSTRAINTS", &scalar.name);
        }
    }

    fn missing_clause(&mut self, span: Span, what: &str, clause: &str, name: &str) {
        // The sorts of the names are unknown.
        self.ast.skipped = true;
        let message = format!("a machine with {what} needs the clause `{clause}`");
        let help = match clause {
            "INITIALISATION" => format!("give every variable its first value: `INITIALISATION {name} := ...`"),
            _ => format!("say what values the names can have: `{clause} {name} : ...`"),
        };
        self.report_elsewhere(Diagnostic::error("missing-clause", message).at(span).help(help));
    }
}

// Misspelt clause keywords.
impl Parser<'_> {
    /// True if a word similar to a clause keyword is next, at a place where one is possible.
    pub(super) fn at_misspelt_clause(&self) -> bool {
        let follows = self.kind_ahead(1);
        let like_keyword = !matches!(
            follows,
            TokenKind::Assign
                | TokenKind::BecomesElement
                | TokenKind::Outputs
                | TokenKind::Comma
                | TokenKind::Dot
                | TokenKind::Op(_)
                | TokenKind::DefinedAs
                | TokenKind::Semicolon
        );
        self.at(TokenKind::Ident) && like_keyword && nearest_clause(self.text_of(self.token())).is_some()
    }

    fn misspelt_clause(&mut self) -> Option<Keyword> {
        let text = self.text_of(self.token()).to_owned();
        let (word, keyword) = nearest_clause(&text)?;
        let message = format!("there is no clause `{text}`");
        let help = format!("did you mean `{word}`?");
        self.report_elsewhere(Diagnostic::error("unknown-clause", message).at(self.here()).help(help));
        Some(keyword)
    }
}

fn is_refinement(kind: MachineKind) -> bool {
    matches!(kind, MachineKind::Refinement | MachineKind::Implementation)
}

/// Clause keyword that is most similar to a word.
fn nearest_clause(word: &str) -> Option<(&'static str, Keyword)> {
    const SYNONYMS: [(&str, &str); 10] = [
        ("INIT", "INITIALISATION"),
        ("OPS", "OPERATIONS"),
        ("VARS", "VARIABLES"),
        ("AXIOMS", "PROPERTIES"),
        ("THEOREMS", "ASSERTIONS"),
        ("PROPERTY", "PROPERTIES"),
        // Keywords of early versions of Atelier B.
        ("VISIBLE_CONSTANTS", "CONCRETE_CONSTANTS"),
        ("HIDDEN_CONSTANTS", "ABSTRACT_CONSTANTS"),
        ("VISIBLE_VARIABLES", "CONCRETE_VARIABLES"),
        ("HIDDEN_VARIABLES", "ABSTRACT_VARIABLES"),
    ];
    if !(4..=24).contains(&word.len()) && !SYNONYMS.iter().any(|(synonym, _)| *synonym == word) {
        return None;
    }
    let upper = word.to_ascii_uppercase();
    if let Some((_, right)) = SYNONYMS.iter().find(|(synonym, _)| *synonym == upper) {
        return clause_words().find(|(word, _)| word == right);
    }
    let near = clause_words().map(|(right, keyword)| (edit_distance(&upper, right), right, keyword));
    let (distance, right, keyword) = near.min_by_key(|(distance, ..)| *distance)?;
    let tolerance = if word.len() >= 7 { 2 } else { 1 };
    (distance <= tolerance).then_some((right, keyword))
}

/// Edit distance of two words.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, from_char) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to_char) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(from_char != *to_char);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

impl Parser<'_> {
    /// Names separated by commas.
    pub(super) fn name_list(&mut self, what: &str) -> Parsed<Vec<Ident>> {
        let mut names = vec![self.dotted_name(what)?];
        while self.eat(TokenKind::Comma) {
            names.push(self.dotted_name(what)?);
        }
        Ok(names)
    }
}
