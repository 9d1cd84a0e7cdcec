//! Printing of machines and definition files: header, clauses, declarations.

use abridge_diag::Span;

use super::layout::Item;
use super::{Breaking, Printer, lexeme};
use crate::ast::{
    Clause, ClauseKind, DeclaredIdent, Definition, DefinitionBody, ExprId, FreeType, Ident, Machine, MachineKind,
    MachinePragma, MachineRef, Operation, SetDecl, SetDeclKind, Unit, Valuation,
};

const DEFINITIONS: &str = "DEFINITIONS";

impl Printer<'_> {
    /// Writes the whole file.
    pub(super) fn unit(&mut self) {
        let ast = self.ast;
        match &ast.unit {
            Unit::Machine(machine) => self.machine(machine),
            Unit::Definitions(definitions) => {
                self.before_first_token();
                self.hard_line();
                self.word(DEFINITIONS);
                self.doc.push(Item::BlockStart);
                self.indented(|this| {
                    this.hard_line();
                    this.definitions(definitions);
                });
            }
            Unit::Formula(id) => self.formula(*id),
            Unit::Substitution(id) => self.subst(*id),
        }
        self.closing(u32::MAX);
    }

    fn machine(&mut self, machine: &Machine) {
        self.before_keyword(machine.span.start + 1);
        self.blank_line_ahead(machine.span.start);
        for pragma in &machine.pragmas {
            self.hard_line();
            match pragma {
                MachinePragma::Package(path) => self.pragma("package", &lexeme::path(path)),
                MachinePragma::ImportPackage(path) => self.pragma("import-package", &lexeme::path(path)),
                MachinePragma::Generated => self.pragma("generated", ""),
            }
        }
        self.hard_line();
        self.word(match machine.kind {
            MachineKind::Machine => "MACHINE",
            MachineKind::Model => "MODEL",
            MachineKind::System => "SYSTEM",
            MachineKind::Refinement => "REFINEMENT",
            MachineKind::Implementation => "IMPLEMENTATION",
        });
        self.space();
        self.indented(|this| {
            this.ident(&machine.name);
            this.formal_params(&machine.params);
        });
        if let Some(refined) = &machine.refines {
            self.before_keyword(refined.span.start);
            self.line_ahead(refined.span.start, Item::HardLine);
            self.word("REFINES");
            self.space();
            self.indented(|this| this.ident(refined));
        }
        for clause in &machine.clauses {
            self.clause_keyword(clause);
            self.doc.push(Item::BlockStart);
            self.indented(|this| {
                this.hard_line();
                this.clause(clause);
            });
        }
        self.before_keyword(machine.span.end);
        self.line_ahead(machine.span.end.saturating_sub("END".len() as u32), Item::HardLine);
        self.word("END");
    }

    fn clause_keyword(&mut self, clause: &Clause) {
        self.before_keyword(clause.keyword.start + 1);
        self.line_ahead(clause.keyword.start, Item::HardLine);
        // The length of the source keyword tells which of two synonyms was written.
        let len = clause.keyword.end.saturating_sub(clause.keyword.start) as usize;
        let written = |plain: &'static str, synonym: &'static str| if len == synonym.len() { synonym } else { plain };
        self.word(match &clause.kind {
            ClauseKind::Constraints(_) => "CONSTRAINTS",
            ClauseKind::Sees(_) => "SEES",
            ClauseKind::Uses(_) => "USES",
            ClauseKind::Includes(_) => "INCLUDES",
            ClauseKind::Extends(_) => "EXTENDS",
            ClauseKind::Imports(_) => "IMPORTS",
            ClauseKind::Promotes(_) => "PROMOTES",
            ClauseKind::Sets(_) => "SETS",
            ClauseKind::FreeTypes(_) => "FREETYPES",
            ClauseKind::Constants(_) => written("CONSTANTS", "CONCRETE_CONSTANTS"),
            ClauseKind::AbstractConstants(_) => "ABSTRACT_CONSTANTS",
            ClauseKind::Properties(_) => "PROPERTIES",
            ClauseKind::Values(_) => "VALUES",
            ClauseKind::Variables(_) => written("VARIABLES", "ABSTRACT_VARIABLES"),
            ClauseKind::ConcreteVariables(_) => "CONCRETE_VARIABLES",
            ClauseKind::Invariant(_) => "INVARIANT",
            ClauseKind::Assertions(_) => "ASSERTIONS",
            ClauseKind::Initialisation(_) => "INITIALISATION",
            ClauseKind::Operations(_) => written("OPERATIONS", "EVENTS"),
            ClauseKind::LocalOperations(_) => "LOCAL_OPERATIONS",
            ClauseKind::Definitions(_) => DEFINITIONS,
            ClauseKind::Expressions(_) => "EXPRESSIONS",
            ClauseKind::Predicates(_) => "PREDICATES",
        });
    }

    fn clause(&mut self, clause: &Clause) {
        match &clause.kind {
            ClauseKind::Constraints(id) | ClauseKind::Properties(id) | ClauseKind::Invariant(id) => self.formula(*id),
            ClauseKind::Sees(refs) | ClauseKind::Uses(refs) | ClauseKind::Includes(refs) => self.machine_refs(refs),
            ClauseKind::Extends(refs) | ClauseKind::Imports(refs) => self.machine_refs(refs),
            ClauseKind::Promotes(names) => {
                let start = |_: &Self, name: &Ident| name.span.start;
                self.list_group(names, ",", Breaking::Fill, start, |this, name| this.ident(name));
            }
            ClauseKind::Sets(sets) => self.sets(sets),
            ClauseKind::FreeTypes(types) => {
                let start = |_: &Self, each: &FreeType| each.name.span.start;
                self.list(types, ";", Breaking::Always, start, |this, each| this.free_type(each));
            }
            ClauseKind::Constants(idents) | ClauseKind::AbstractConstants(idents) => self.declared_idents(idents),
            ClauseKind::Variables(idents) | ClauseKind::ConcreteVariables(idents) => self.declared_idents(idents),
            ClauseKind::Values(values) => {
                let start = |_: &Self, each: &Valuation| each.name.span.start;
                self.list(values, ";", Breaking::Always, start, |this, each| {
                    this.ident(&each.name);
                    this.before_mark(this.expr_start(each.value));
                    this.space();
                    this.word("=");
                    this.right_side_formula(each.value);
                });
            }
            ClauseKind::Assertions(preds) => {
                let start = |this: &Self, id: &ExprId| this.expr_start(*id);
                self.list(preds, ";", Breaking::Always, start, |this, id| this.formula(*id));
            }
            ClauseKind::Initialisation(body) => self.subst(*body),
            ClauseKind::Operations(operations) | ClauseKind::LocalOperations(operations) => self.operations(operations),
            ClauseKind::Definitions(definitions)
            | ClauseKind::Expressions(definitions)
            | ClauseKind::Predicates(definitions) => self.definitions(definitions),
        }
    }

    fn machine_refs(&mut self, refs: &[MachineRef]) {
        let start = |_: &Self, each: &MachineRef| each.span.start;
        self.list_group(refs, ",", Breaking::Each, start, |this, each| {
            if let Some(prefix) = &each.prefix {
                this.name(prefix);
                this.word(".");
            }
            this.ident(&each.name);
            this.actual_params(&each.args, each.span.end);
            if let Some(file) = &each.file {
                this.space();
                this.pragma("file", &format!("\"{file}\""));
            }
            this.cursor.pass(each.span.end);
        });
    }

    fn declared_ident(&mut self, declared: &DeclaredIdent) {
        self.ident(&declared.ident);
        self.description(declared.desc.as_ref());
    }

    fn declared_idents(&mut self, idents: &[DeclaredIdent]) {
        let has_descriptions = idents.iter().any(|each| each.desc.is_some());
        let breaking = if has_descriptions { Breaking::Always } else { Breaking::Fill };
        let start = |_: &Self, each: &DeclaredIdent| each.ident.span.start;
        self.list_group(idents, ",", breaking, start, |this, each| this.declared_ident(each));
    }

    fn sets(&mut self, sets: &[SetDecl]) {
        let is_plain = |set: &SetDecl| matches!(set.kind, SetDeclKind::Deferred) && set.name.desc.is_none();
        let breaking = if sets.iter().all(is_plain) { Breaking::Fill } else { Breaking::Always };
        let start = |_: &Self, set: &SetDecl| set.name.ident.span.start;
        self.list_group(sets, ";", breaking, start, |this, set| this.set(set));
    }

    fn set(&mut self, set: &SetDecl) {
        self.ident(&set.name.ident);
        match &set.kind {
            SetDeclKind::Deferred => {}
            SetDeclKind::Enumerated(elements) => {
                self.space();
                self.word("=");
                self.space();
                self.bracketed("{", "}", 0, |this| {
                    this.declared_idents(elements);
                    this.behind_last();
                });
            }
            SetDeclKind::EnumeratedBy(definition) => {
                self.space();
                self.word("=");
                self.space();
                self.ident(definition);
            }
        }
        self.description(set.name.desc.as_ref());
    }

    fn free_type(&mut self, each: &FreeType) {
        self.ident(&each.name);
        self.formal_params(&each.params);
        self.space();
        self.word("=");
        self.group(|this| {
            this.indented_line(|this| {
                let start = |_: &Self, each: &crate::ast::FreeConstructor| each.name.span.start;
                this.list(&each.constructors, ",", Breaking::Fill, start, |this, constructor| {
                    this.ident(&constructor.name);
                    this.actual_params(constructor.arg.as_slice(), 0);
                });
            });
        });
    }

    fn operations(&mut self, operations: &[Operation]) {
        let start = |_: &Self, operation: &Operation| operation.span.start;
        self.list(operations, ";", Breaking::Apart, start, |this, operation| {
            this.operation(operation);
            this.cursor.pass(operation.span.end);
        });
    }

    fn operation(&mut self, operation: &Operation) {
        self.group(|this| {
            if !operation.outputs.is_empty() {
                this.idents(&operation.outputs);
                this.space();
                this.symbol("<--", "←");
                this.space();
            }
            this.ident(&operation.name);
            this.formal_params(&operation.params);
            if let Some(refined) = &operation.refines {
                this.space();
                this.word("ref");
                this.space();
                this.ident(refined);
            }
            let body_start = this.ast.subst(operation.body).span.start;
            this.before_mark(body_start);
            this.space();
            this.word("=");
            this.trailing(body_start);
            this.indented_line(|this| this.subst(operation.body));
            this.description(operation.desc.as_ref());
        });
    }

    fn definitions(&mut self, definitions: &[Definition]) {
        let start = |_: &Self, definition: &Definition| definition_span(definition).start;
        self.list(definitions, ";", Breaking::Always, start, |this, definition| {
            this.definition(definition);
            this.cursor.pass(definition_span(definition).end);
        });
    }

    fn definition(&mut self, definition: &Definition) {
        match definition {
            Definition::Import { path, .. } => self.text(lexeme::string(path)),
            Definition::Named { name, params, body, .. } => {
                self.ident(name);
                self.formal_params(params);
                self.before_mark(match body {
                    DefinitionBody::Formula(id) => self.expr_start(*id),
                    DefinitionBody::Substitution(id) => self.ast.subst(*id).span.start,
                });
                self.space();
                self.symbol("==", "≜");
                match body {
                    DefinitionBody::Formula(id) => self.right_side_formula(*id),
                    DefinitionBody::Substitution(id) => self.group(|this| this.indented_line(|this| this.subst(*id))),
                }
            }
        }
    }
}

fn definition_span(definition: &Definition) -> Span {
    match definition {
        Definition::Import { span, .. } | Definition::Named { span, .. } => *span,
    }
}
