//! Text form of a model.
//!
//! [`expr_text`], [`pred_text`] and [`subst_text`] write one node as B, in ASCII and on one line. [`dump`] writes the whole model in the order of the
//! clauses of a machine. Formulas and substitutions are legal B. Facts that B cannot express, such as the size of a deferred set or an effect, are
//! comments. Names are kept; a local gets a number where its name would be ambiguous (`names.rs`).
//!
//! The time is linear in the length of the text. A node with several parents is written once per parent. All functions expect a model without faults.

mod formula;
mod names;
mod spelling;
mod subst;
mod words;

#[cfg(test)]
mod tests;

use std::fmt::{Display, Write as _};

use abridge_diag::with_stack;

use crate::ModelNode;
use crate::ids::{ConstId, ExprId, IdSet, LocalId, OpId, PredId, SubstId, VarId};
use crate::model::{
    CarrierKind, Conjunct, Constructor, DeclOrigin, ExternalKind, Model, ModelKind, Operation, ReductionKind,
};
use crate::subst::Target;

use formula::FormulaPrinter;
use names::DumpNames;
use subst::Context;

pub use spelling::{BinaryForm, base_set, binary, tree, unary};
pub use words::ident;

/// Text of an expression.
pub fn expr_text(model: &Model, id: ExprId) -> String {
    with_stack(|| {
        let mut printer = FormulaPrinter::one_line(model, DumpNames::of(model, ModelNode::Expr(id), &[]));
        printer.expr(id, spelling::TOP);
        printer.out
    })
}

/// Text of an expression with values for names that it reads. The values are bound by a LET around it.
pub fn expr_text_with(model: &Model, id: ExprId, values: &[(Target, String)]) -> String {
    let text = expr_text(model, id);
    if values.is_empty() {
        return text;
    }
    let names = DumpNames::of(model, ModelNode::Expr(id), &[]);
    let names: Vec<_> = values.iter().map(|(target, _)| names.target(*target)).collect();
    let equations: Vec<String> =
        names.iter().zip(values).map(|(name, (_, value))| format!("{name} = {value}")).collect();
    format!("LET {} BE {} IN {text} END", names.join(", "), equations.join(" & "))
}

/// Text of a predicate.
pub fn pred_text(model: &Model, id: PredId) -> String {
    with_stack(|| {
        let mut printer = FormulaPrinter::one_line(model, DumpNames::of(model, ModelNode::Pred(id), &[]));
        printer.pred(id, spelling::IMPLICATION);
        printer.out
    })
}

/// Text of a substitution, on one line.
pub fn subst_text(model: &Model, id: SubstId) -> String {
    with_stack(|| {
        let mut printer = FormulaPrinter::one_line(model, DumpNames::of(model, ModelNode::Subst(id), &[]));
        printer.subst(id, Context::Block);
        printer.out
    })
}

/// Text of the whole model.
pub fn dump(model: &Model) -> String {
    with_stack(|| dump_inner(model))
}

fn dump_inner(model: &Model) -> String {
    let mut dump = Dump { model, out: String::new() };
    dump.header();
    dump.declarations();
    dump.conjuncts("PROPERTIES", &model.properties);
    dump.conjuncts("INVARIANT", &model.invariant);
    dump.conjuncts("ASSERTIONS", &model.assertions);
    dump.initialisations();
    dump.operations();
    dump.steering();
    dump.out
}

struct Dump<'a> {
    model: &'a Model,
    out: String,
}

impl Dump<'_> {
    fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.out, "{text}");
    }

    /// Writes an empty line and the keyword of a clause.
    fn clause(&mut self, keyword: &str) {
        self.line("");
        self.line(keyword);
    }

    /// Writes an entry of a clause, with remarks as a comment.
    fn entry(&mut self, text: &str, remarks: &[String]) {
        let _ = write!(self.out, "  {text}");
        if !remarks.is_empty() {
            let _ = write!(self.out, "  // {}", remarks.join("; "));
        }
        self.out.push('\n');
    }

    fn header(&mut self) {
        let kind = match self.model.kind {
            ModelKind::Machine => "MACHINE",
            ModelKind::Refinement => "REFINEMENT",
            ModelKind::Implementation => "IMPLEMENTATION",
        };
        self.line(format_args!("{kind} {}", ident(&self.model.name)));
        if let Some(abstraction) = &self.model.abstraction {
            self.line(format_args!("REFINES {}", ident(&abstraction.name)));
        }
    }

    fn declarations(&mut self) {
        let model = self.model;
        if !model.sets.is_empty() {
            self.clause("SETS");
        }
        for set in model.sets.values() {
            let name = described(&set.name, &set.origin);
            let mut remarks = self.origin(&set.origin);
            match &set.kind {
                CarrierKind::Enumerated(elements) => {
                    let elements: Vec<_> = elements.iter().map(|element| ident(element)).collect();
                    self.entry(&format!("{name} = {{{}}}", elements.join(", ")), &remarks);
                }
                CarrierKind::Deferred { size } => {
                    remarks.insert(0, format!("deferred, size {size}"));
                    self.entry(&name, &remarks);
                }
            }
        }
        if !model.free_types.is_empty() {
            self.clause("FREETYPES");
        }
        for free in model.free_types.values() {
            let constructors: Vec<String> = free.constructors.iter().map(|c| self.constructor(c)).collect();
            let text = format!("{} = {}", described(&free.name, &free.origin), constructors.join(", "));
            self.entry(&text, &self.origin(&free.origin));
        }
        if !model.externals.is_empty() {
            self.clause("EXTERNALS");
        }
        for external in model.externals.values() {
            let kind = match external.kind {
                ExternalKind::Function => "function",
                ExternalKind::Predicate => "predicate",
                ExternalKind::Substitution => "substitution",
            };
            self.entry(&ident(&external.name), &[kind.to_owned()]);
        }
        if !model.constants.is_empty() {
            self.clause("CONSTANTS");
        }
        for constant in model.constants.values() {
            let text = format!("{} : {}", described(&constant.name, &constant.origin), model.type_text(constant.ty));
            self.entry(&text, &self.origin(&constant.origin));
        }
        for group in &model.distinct_constants {
            let names: Vec<_> = group.iter().map(|id| ident(&model.constants[*id].name)).collect();
            self.line(format_args!("  // distinct {}", names.join(", ")));
        }
        if !model.variables.is_empty() {
            self.clause("VARIABLES");
        }
        for variable in model.variables.values() {
            let text = format!("{} : {}", described(&variable.name, &variable.origin), model.type_text(variable.ty));
            let mut remarks = self.origin(&variable.origin);
            remarks.extend(variable.is_abstract.then(|| "abstract, not part of the state".to_owned()));
            self.entry(&text, &remarks);
        }
    }

    fn constructor(&self, constructor: &Constructor) -> String {
        let name = ident(&constructor.name);
        match constructor.arg {
            None => name.into_owned(),
            Some((set, _)) => format!("{name}({})", expr_text(self.model, set)),
        }
    }

    /// Name of the declaring machine, if it is not the main machine.
    fn origin(&self, origin: &DeclOrigin) -> Vec<String> {
        self.machine(&origin.machine).into_iter().collect()
    }

    fn machine(&self, machine: &str) -> Option<String> {
        (*machine != *self.model.name).then(|| format!("of {machine}"))
    }

    fn conjuncts(&mut self, keyword: &str, conjuncts: &[Conjunct]) {
        if conjuncts.is_empty() {
            return;
        }
        self.clause(keyword);
        for conjunct in conjuncts {
            let mut text = String::new();
            for label in &conjunct.labels {
                let _ = write!(text, "/*@ label {} */ ", quoted_unless_plain(label));
            }
            text.push_str(&pred_text(self.model, conjunct.pred));
            let mut remarks = Vec::new();
            remarks.extend(self.variables("reads", &conjunct.reads));
            remarks.extend(self.constants(&conjunct.constants));
            remarks.extend(conjunct.is_gluing.then(|| "gluing".to_owned()));
            remarks.extend(self.machine(&conjunct.machine));
            self.entry(&text, &remarks);
        }
    }

    fn variables(&self, what: &str, ids: &IdSet<VarId>) -> Option<String> {
        listed(what, ids.iter().map(|id| ident(&self.model.variables[id].name)))
    }

    fn constants(&self, ids: &IdSet<ConstId>) -> Option<String> {
        listed("constants", ids.iter().map(|id| ident(&self.model.constants[id].name)))
    }

    fn initialisations(&mut self) {
        self.clause("INITIALISATION");
        self.initialisation(self.model.initialisation);
        if let Some(abstraction) = &self.model.abstraction {
            self.clause("INITIALISATION");
            self.line(format_args!("  // of the abstraction {}", abstraction.name));
            self.initialisation(abstraction.initialisation);
        }
    }

    fn initialisation(&mut self, id: SubstId) {
        self.body(id, DumpNames::of(self.model, ModelNode::Subst(id), &[]), Context::Block);
        self.out.push('\n');
    }

    /// Writes a substitution on separate lines, without the final line end.
    fn body(&mut self, id: SubstId, names: DumpNames, context: Context) {
        let width = if context == Context::Block { 2 } else { 4 };
        let mut printer = FormulaPrinter { indent: Some(width), ..FormulaPrinter::one_line(self.model, names) };
        printer.text(&" ".repeat(width));
        printer.subst(id, context);
        self.out.push_str(&printer.out);
    }

    fn operations(&mut self) {
        let model = self.model;
        // Functions of reductions are listed among the definitions.
        let functions: IdSet<OpId> = model.transformations().collect();
        let shown: Vec<OpId> = model.operations.ids().filter(|op| !functions.contains(*op)).collect();
        let Some(last) = shown.last().copied() else { return };
        self.clause("OPERATIONS");
        for op in shown {
            self.operation(&model.operations[op]);
            self.line(if op == last { "" } else { ";\n" });
        }
    }

    fn operation(&mut self, op: &Operation) {
        let model = self.model;
        let all: Vec<LocalId> = op.params.iter().chain(&op.outputs).copied().collect();
        let names = DumpNames::of(model, ModelNode::Subst(op.body), &all);
        let list = |locals: &[LocalId]| locals.iter().map(|local| names.local(*local)).collect::<Vec<_>>().join(", ");
        let outputs = if op.outputs.is_empty() { String::new() } else { format!("{} <-- ", list(&op.outputs)) };
        let params = if op.params.is_empty() { String::new() } else { format!("({})", list(&op.params)) };
        self.line(format_args!("  {outputs}{}{params} =", ident(&op.name)));
        let types: Vec<String> = (all.iter())
            .map(|local| format!("{} : {}", names.local(*local), model.type_text(model.locals[*local].ty)))
            .collect();
        let facts = [
            (!op.is_top_level).then(|| "no transition".to_owned()),
            op.refines.map(|refined| format!("refines {}", ident(&model.operations[refined].name))),
            self.machine(&op.origin.machine),
            op.origin.desc.as_ref().map(|desc| format!("desc {}", unbroken(desc))),
        ];
        let effects = [
            self.variables("reads", &op.effects.reads),
            self.variables("guard reads", &op.effects.guard_reads),
            self.variables("writes", &op.effects.writes),
            self.constants(&op.effects.constants),
        ];
        for remarks in [types, facts.into_iter().flatten().collect(), effects.into_iter().flatten().collect()] {
            if !remarks.is_empty() {
                self.line(format_args!("    // {}", remarks.join("; ")));
            }
        }
        self.body(op.body, names, Context::Parallel);
    }

    /// Function of a reduction, as a definition.
    fn function(&self, prefix: &str, name: &str, op: OpId) -> String {
        let Operation { params, body, .. } = &self.model.operations[op];
        let names = DumpNames::of(self.model, ModelNode::Subst(*body), params);
        let list: Vec<_> = params.iter().map(|local| names.local(*local)).collect();
        let params = if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) };
        let mut printer = FormulaPrinter::one_line(self.model, names);
        printer.subst(*body, Context::Block);
        format!("{prefix}_{name}{params} == BEGIN {} END", printer.out)
    }

    fn steering(&mut self) {
        let (model, steering) = (self.model, &self.model.steering);
        let mut definitions = Vec::new();
        let pred = |id| pred_text(model, id);
        definitions.extend(steering.goal.map(|id| format!("GOAL == {}", pred(id))));
        definitions.extend(steering.scope.map(|id| format!("SCOPE == {}", pred(id))));
        definitions.extend(steering.heuristic.map(|id| format!("HEURISTIC_FUNCTION == {}", expr_text(model, id))));
        for property in &steering.temporal {
            definitions.push(format!("{} == {}", ident(&property.name), string(&property.text)));
        }
        let symmetric = steering.force_symmetry.iter().map(|id| &model.sets[*id].name);
        definitions.extend(symmetric.map(|name| format!("FORCE_SYMMETRY_{name} == TRUE")));
        let limits = steering.max_operations.iter().map(|(op, max)| (&model.operations[*op].name, max));
        definitions.extend(limits.map(|(name, max)| format!("MAX_OPERATIONS_{name} == {max}")));
        for reduction in &steering.reductions {
            let name = &reduction.name;
            match &reduction.kind {
                ReductionKind::Canonizer(op) => definitions.push(self.function("CANONIZER", name, *op)),
                ReductionKind::Generated { generator, inverse, order, .. } => {
                    definitions.push(self.function("GENERATOR", name, *generator));
                    definitions.extend(inverse.map(|op| self.function("INVERSE", name, op)));
                    definitions.extend(order.map(|id| format!("ORDER_{name} == {}", expr_text(model, id))));
                }
            }
        }
        let preferences = &steering.preferences;
        definitions.push(format!("SET_PREF_MININT == {}", preferences.min_int));
        definitions.push(format!("SET_PREF_MAXINT == {}", preferences.max_int));
        definitions.push(format!("SET_PREF_DEFAULT_SETSIZE == {}", preferences.default_set_size));
        for (name, value) in &preferences.set {
            if !["MININT", "MAXINT", "DEFAULT_SETSIZE"].contains(&name.as_str()) {
                definitions.push(format!("SET_PREF_{name} == {}", preference(value)));
            }
        }
        self.clause("DEFINITIONS");
        let (last, others) = definitions.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
        others.iter().for_each(|definition| self.line(format_args!("  {definition};")));
        self.line(format_args!("  {last}"));
        self.line("END");
    }
}

fn described(name: &str, origin: &DeclOrigin) -> String {
    match &origin.desc {
        None => ident(name).into_owned(),
        Some(desc) => format!("{} /*@ desc {} */", ident(name), unbroken(desc)),
    }
}

fn unbroken(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn listed(what: &str, names: impl Iterator<Item = impl AsRef<str>>) -> Option<String> {
    let names: Vec<_> = names.collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
}

fn string(text: &str) -> String {
    let mut out = String::new();
    words::string(&mut out, text);
    out
}

fn quoted_unless_plain(text: &str) -> String {
    if ident(text) == text { text.to_owned() } else { string(text) }
}

/// Value of a preference: numbers and booleans as they are, other texts as strings.
fn preference(text: &str) -> String {
    let is_number = text.strip_prefix('-').unwrap_or(text).chars().all(|c| c.is_ascii_digit()) && !text.is_empty();
    if is_number || text == "TRUE" || text == "FALSE" { text.to_owned() } else { string(text) }
}
