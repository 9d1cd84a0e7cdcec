//! Traversal of a whole file, for dumps and comparison.
//!
//! [`walk`] calls a [`Visitor`] with a label and a span for every node. A label has all content of a node except its operands. So two files are the
//! same tree if their labels and structure are equal; [`same_tree`] compares in this way. Spans, parentheses and comments are ignored.

use std::fmt::{Debug, Write as _};

use abridge_diag::{Span, with_stack};

use crate::AstNode;
use crate::ast::*;

/// Receiver of the nodes of a tree, parents first.
pub trait Visitor {
    /// Receives a node, such as `Binary(Add)`, `Ident(x)` or `Clause(INVARIANT)`. All nodes up to the matching [`Visitor::leave`] are below it.
    fn enter(&mut self, label: &str, span: Span);
    fn leave(&mut self);
}

/// Calls `visitor` with all nodes of a file.
pub fn walk(ast: &Ast, visitor: &mut dyn Visitor) {
    let mut walker = Walker { ast, visitor, label: String::new() };
    match &ast.unit {
        Unit::Machine(machine) => walker.machine(machine),
        Unit::Definitions(definitions) => walker.definitions(definitions),
        Unit::Formula(id) => walker.expr(*id),
        Unit::Substitution(id) => walker.subst(*id),
    }
}

/// True if two files are equal up to spans, parentheses and comments.
pub fn same_tree(a: &Ast, b: &Ast) -> bool {
    let mut recorder = Recorder::default();
    walk(a, &mut recorder);
    let mut comparer = Comparer { expected: &recorder, n_events: 0, n_bytes: 0, same: true };
    walk(b, &mut comparer);
    comparer.same && comparer.n_events == recorder.events.len()
}

/// Concatenated labels of a tree and their lengths; `None` where a node is left.
#[derive(Default)]
struct Recorder {
    labels: String,
    events: Vec<Option<u32>>,
}

impl Visitor for Recorder {
    fn enter(&mut self, label: &str, _: Span) {
        self.labels.push_str(label);
        self.events.push(Some(label.len() as u32));
    }

    fn leave(&mut self) {
        self.events.push(None);
    }
}

struct Comparer<'a> {
    expected: &'a Recorder,
    n_events: usize,
    n_bytes: usize,
    same: bool,
}

impl Comparer<'_> {
    fn event(&mut self, event: Option<u32>) {
        self.same &= self.expected.events.get(self.n_events) == Some(&event);
        self.n_events += 1;
    }
}

impl Visitor for Comparer<'_> {
    fn enter(&mut self, label: &str, _: Span) {
        self.event(Some(label.len() as u32));
        let end = self.n_bytes + label.len();
        self.same = self.same && self.expected.labels.as_bytes().get(self.n_bytes..end) == Some(label.as_bytes());
        self.n_bytes = end;
    }

    fn leave(&mut self) {
        self.event(None);
    }
}

struct Walker<'a> {
    ast: &'a Ast,
    visitor: &'a mut dyn Visitor,
    /// Label under construction.
    label: String,
}

// Formulas and substitutions.
impl Walker<'_> {
    fn expr(&mut self, id: ExprId) {
        self.node(AstNode::Expr(id));
    }

    fn subst(&mut self, id: SubstId) {
        self.node(AstNode::Subst(id));
    }

    fn node(&mut self, node: AstNode) {
        with_stack(|| {
            let ast = self.ast;
            self.label.clear();
            let span = match node {
                AstNode::Expr(id) => {
                    let node = ast.expr(id);
                    self.expr_label(&node.expr);
                    self.label.push_str(if node.symbolic { " symbolic" } else { "" });
                    node.span
                }
                AstNode::Subst(id) => {
                    let node = ast.subst(id);
                    self.subst_label(&node.subst);
                    node.span
                }
            };
            self.visitor.enter(&self.label, span);
            ast.for_each_child(node, &mut |child| self.node(child));
            self.visitor.leave();
        });
    }

    /// Label of a formula, without its operands.
    fn expr_label(&mut self, expr: &Expr) {
        match expr {
            Expr::Error => self.put("Error"),
            Expr::Ident(name) => self.put_names("Ident", [name]),
            Expr::Before(name) => self.put_names("Before", [name]),
            Expr::Integer(digits) => self.put_names("Integer", [digits]),
            Expr::Real(digits) => self.put_names("Real", [digits]),
            Expr::String(value) => self.put_debug("String", value),
            Expr::Template(parts) => {
                // The label includes the positions of the operands.
                let texts: Vec<Option<&str>> = parts.iter().map(template_text).collect();
                self.put_debug("Template", &texts);
            }
            Expr::Atom(atom) => self.put_debug("Atom", atom),
            Expr::Neg(_) => self.put("Neg"),
            Expr::Inverse(_) => self.put("Inverse"),
            Expr::Not(_) => self.put("Not"),
            Expr::And(_) => self.put("And"),
            Expr::Or(_) => self.put("Or"),
            Expr::Binary(op, ..) => self.put_debug("Binary", op),
            Expr::Builtin(builtin, _) => self.put_debug("Builtin", builtin),
            Expr::Apply(..) => self.put("Apply"),
            Expr::Image(..) => self.put("Image"),
            Expr::Field(_, field) => self.put_names("Field", [&field.name]),
            Expr::Tuple(_) => self.put("Tuple"),
            Expr::SetExtension(_) => self.put("SetExtension"),
            Expr::SequenceExtension(_) => self.put("SequenceExtension"),
            Expr::Comprehension { ids, maplets: false, .. } => self.put_idents("Comprehension", ids),
            Expr::Comprehension { ids, maplets: true, .. } => self.put_idents("MapletComprehension", ids),
            Expr::SetImage { ids, .. } => self.put_idents("SetImage", ids),
            Expr::Quantified { kind, ids, .. } => {
                let _ = write!(self.label, "{kind:?}");
                self.put_idents("", ids);
            }
            Expr::Forall { ids, .. } => self.put_idents("Forall", ids),
            Expr::Exists { ids, .. } => self.put_idents("Exists", ids),
            Expr::Record(fields) => self.put_names("Record", fields.iter().map(|(field, _)| &field.name)),
            Expr::Struct(fields) => self.put_names("Struct", fields.iter().map(|(field, _)| &field.name)),
            Expr::If { .. } => self.put("If"),
            Expr::Let { ids, .. } => self.put_idents("Let", ids),
            Expr::Substituted(it) => self.put_idents("Substituted", &it.ids),
            Expr::OfType(..) => self.put("OfType"),
            Expr::Labelled { labels, .. } => self.put_names("Labelled", labels),
            Expr::Described { text, .. } => self.put_debug("Described", text),
        }
    }

    /// Label of a substitution, without its parts. If parts of two kinds follow each other, the label has their numbers.
    fn subst_label(&mut self, subst: &Subst) {
        match subst {
            Subst::Error => self.put("Error"),
            Subst::Skip => self.put("Skip"),
            Subst::Block(_) => self.put("Block"),
            Subst::Assign { targets, .. } => self.put_debug("Assign", &targets.len()),
            Subst::BecomesElement { targets, .. } => self.put_idents("BecomesElement", targets),
            Subst::BecomesSuch { targets, .. } => self.put_idents("BecomesSuch", targets),
            Subst::Pre { .. } => self.put("Pre"),
            Subst::Assert { .. } => self.put("Assert"),
            Subst::Witness { .. } => self.put("Witness"),
            Subst::Select { .. } => self.put("Select"),
            Subst::If { .. } => self.put("IfSubst"),
            Subst::Choice(_) => self.put("Choice"),
            Subst::Case { branches, .. } => {
                let counts: Vec<usize> = branches.iter().map(|(values, _)| values.len()).collect();
                self.put_debug("Case", &counts);
            }
            Subst::Any { ids, .. } => self.put_idents("Any", ids),
            Subst::Let { ids, .. } => self.put_idents("LetSubst", ids),
            Subst::Var { ids, .. } => self.put_idents("Var", ids),
            Subst::While { .. } => self.put("While"),
            Subst::Call { outputs, name, .. } => {
                self.put_names("Call", [&name.name]);
                self.put_debug(" outputs", &outputs.len());
            }
            Subst::Sequence(_) => self.put("Sequence"),
            Subst::Parallel(_) => self.put("Parallel"),
        }
    }
}

fn template_text(part: &TemplatePart) -> Option<&str> {
    match part {
        TemplatePart::Text(text) => Some(text),
        TemplatePart::Expr(_) => None,
    }
}

// Machines.
impl Walker<'_> {
    fn machine(&mut self, machine: &Machine) {
        self.label.clear();
        let _ = write!(self.label, "{:?}", machine.kind);
        self.put_names("", [&machine.name.name]);
        self.enter(machine.span);
        for pragma in &machine.pragmas {
            self.leaf(machine.span, |this| this.put_debug("Pragma", pragma));
        }
        self.leaves("Parameter", &machine.params);
        self.leaves("Refines", machine.refines.as_slice());
        for clause in &machine.clauses {
            self.clause(clause);
        }
        self.visitor.leave();
    }

    fn clause(&mut self, clause: &Clause) {
        let (keyword, content): (&str, &dyn Fn(&mut Self)) = match &clause.kind {
            ClauseKind::Constraints(id) => ("CONSTRAINTS", &|this| this.expr(*id)),
            ClauseKind::Sees(refs) => ("SEES", &|this| this.machine_refs(refs)),
            ClauseKind::Uses(refs) => ("USES", &|this| this.machine_refs(refs)),
            ClauseKind::Includes(refs) => ("INCLUDES", &|this| this.machine_refs(refs)),
            ClauseKind::Extends(refs) => ("EXTENDS", &|this| this.machine_refs(refs)),
            ClauseKind::Imports(refs) => ("IMPORTS", &|this| this.machine_refs(refs)),
            ClauseKind::Promotes(names) => ("PROMOTES", &|this| this.leaves("Name", names)),
            ClauseKind::Sets(sets) => ("SETS", &|this| sets.iter().for_each(|set| this.set(set))),
            ClauseKind::FreeTypes(types) => ("FREETYPES", &|this| types.iter().for_each(|each| this.free_type(each))),
            ClauseKind::Constants(idents) => ("CONSTANTS", &|this| this.declared_idents(idents)),
            ClauseKind::AbstractConstants(idents) => ("ABSTRACT_CONSTANTS", &|this| this.declared_idents(idents)),
            ClauseKind::Properties(id) => ("PROPERTIES", &|this| this.expr(*id)),
            ClauseKind::Values(values) => ("VALUES", &|this| this.valuations(values)),
            ClauseKind::Variables(idents) => ("VARIABLES", &|this| this.declared_idents(idents)),
            ClauseKind::ConcreteVariables(idents) => ("CONCRETE_VARIABLES", &|this| this.declared_idents(idents)),
            ClauseKind::Invariant(id) => ("INVARIANT", &|this| this.expr(*id)),
            ClauseKind::Assertions(ids) => ("ASSERTIONS", &|this| ids.iter().for_each(|id| this.expr(*id))),
            ClauseKind::Initialisation(id) => ("INITIALISATION", &|this| this.subst(*id)),
            ClauseKind::Operations(operations) => ("OPERATIONS", &|this| this.operations(operations)),
            ClauseKind::LocalOperations(operations) => ("LOCAL_OPERATIONS", &|this| this.operations(operations)),
            ClauseKind::Definitions(definitions) => ("DEFINITIONS", &|this| this.definitions(definitions)),
            ClauseKind::Expressions(definitions) => ("EXPRESSIONS", &|this| this.definitions(definitions)),
            ClauseKind::Predicates(definitions) => ("PREDICATES", &|this| this.definitions(definitions)),
        };
        self.label.clear();
        let _ = write!(self.label, "Clause({keyword})");
        self.enter(clause.span);
        content(self);
        self.visitor.leave();
    }

    fn machine_refs(&mut self, refs: &[MachineRef]) {
        for each in refs {
            self.begin("Machine", &each.name);
            if let Some(prefix) = &each.prefix {
                self.leaf(each.span, |this| this.put_names("Prefix", [prefix]));
            }
            if let Some(file) = &each.file {
                self.leaf(each.span, |this| this.put_debug("File", file));
            }
            each.args.iter().for_each(|id| self.expr(*id));
            self.visitor.leave();
        }
    }

    fn declared_ident(&mut self, declared: &DeclaredIdent) {
        self.begin("Name", &declared.ident);
        self.description(declared.desc.as_ref(), declared.ident.span);
        self.visitor.leave();
    }

    fn declared_idents(&mut self, idents: &[DeclaredIdent]) {
        idents.iter().for_each(|ident| self.declared_ident(ident));
    }

    fn set(&mut self, set: &SetDecl) {
        self.label.clear();
        self.put(match &set.kind {
            SetDeclKind::Deferred => "DeferredSet",
            SetDeclKind::Enumerated(_) => "EnumeratedSet",
            SetDeclKind::EnumeratedBy(_) => "SetByDefinition",
        });
        self.enter(set.name.ident.span);
        self.declared_ident(&set.name);
        match &set.kind {
            SetDeclKind::Deferred => {}
            SetDeclKind::Enumerated(elements) => self.declared_idents(elements),
            SetDeclKind::EnumeratedBy(definition) => self.leaves("Name", std::slice::from_ref(definition)),
        }
        self.visitor.leave();
    }

    fn free_type(&mut self, each: &FreeType) {
        self.begin("FreeType", &each.name);
        self.leaves("Parameter", &each.params);
        for constructor in &each.constructors {
            self.begin("Constructor", &constructor.name);
            constructor.arg.iter().for_each(|id| self.expr(*id));
            self.visitor.leave();
        }
        self.visitor.leave();
    }

    fn valuations(&mut self, values: &[Valuation]) {
        for each in values {
            self.begin("Valuation", &each.name);
            self.expr(each.value);
            self.visitor.leave();
        }
    }

    fn operations(&mut self, operations: &[Operation]) {
        for operation in operations {
            self.label.clear();
            self.put_names("Operation", [&operation.name.name]);
            self.enter(operation.span);
            self.leaves("Output", &operation.outputs);
            self.leaves("Parameter", &operation.params);
            self.leaves("Refines", operation.refines.as_slice());
            self.subst(operation.body);
            self.description(operation.desc.as_ref(), operation.span);
            self.visitor.leave();
        }
    }

    fn definitions(&mut self, definitions: &[Definition]) {
        for definition in definitions {
            self.label.clear();
            match definition {
                Definition::Import { path, span } => {
                    self.put_debug("Import", path);
                    self.enter(*span);
                }
                Definition::Named { name, params, body, span } => {
                    self.put_names("Definition", [&name.name]);
                    self.enter(*span);
                    self.leaves("Parameter", params);
                    match body {
                        DefinitionBody::Formula(id) => self.expr(*id),
                        DefinitionBody::Substitution(id) => self.subst(*id),
                    }
                }
            }
            self.visitor.leave();
        }
    }

    fn description(&mut self, text: Option<&SmolStr>, span: Span) {
        if let Some(text) = text {
            self.leaf(span, |this| this.put_debug("Description", text));
        }
    }
}

// Labels.
impl Walker<'_> {
    fn enter(&mut self, span: Span) {
        self.visitor.enter(&self.label, span);
    }

    /// Enters a node with the label `kind(name)`.
    fn begin(&mut self, kind: &str, ident: &Ident) {
        self.label.clear();
        self.put_names(kind, [&ident.name]);
        self.enter(ident.span);
    }

    fn leaf(&mut self, span: Span, put: impl FnOnce(&mut Self)) {
        self.label.clear();
        put(self);
        self.enter(span);
        self.visitor.leave();
    }

    fn leaves(&mut self, kind: &str, idents: &[Ident]) {
        for ident in idents {
            self.begin(kind, ident);
            self.visitor.leave();
        }
    }

    fn put(&mut self, text: &str) {
        self.label.push_str(text);
    }

    /// Appends `kind(value)` to the label.
    fn put_debug(&mut self, kind: &str, value: &(impl Debug + ?Sized)) {
        let _ = write!(self.label, "{kind}({value:?})");
    }

    fn put_idents(&mut self, kind: &str, idents: &[Ident]) {
        self.put_names(kind, idents.iter().map(|ident| &ident.name));
    }

    /// Appends `kind(a, b)` to the label. Names with special characters are quoted, so that different lists have different labels.
    fn put_names<'n>(&mut self, kind: &str, names: impl IntoIterator<Item = &'n SmolStr>) {
        self.put(kind);
        self.label.push('(');
        for (idx, name) in names.into_iter().enumerate() {
            self.put(if idx == 0 { "" } else { ", " });
            if name.chars().all(|ch| ch.is_alphanumeric() || matches!(ch, '_' | '.')) {
                self.put(name);
            } else {
                let _ = write!(self.label, "{name:?}");
            }
        }
        self.label.push(')');
    }
}
