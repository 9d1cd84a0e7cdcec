//! Completion of the model: ground types, and checks that need the whole model.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use abridge_diag::{Diagnostic, Span, with_stack};
use abridge_model::ModelNode;
use abridge_model::{
    Expr, IdSet, IdVec, LocalId, Model, OpId, SmolStr, Subst, SubstId, Target, TypeId, VarId, effects,
};

use crate::lower::Lower;
use crate::types::{Ty, TypeTerm};

impl Lower<'_> {
    /// Grounds all types; `None` if there are errors.
    pub(crate) fn finish(mut self) -> (Option<Model>, Vec<Diagnostic>) {
        self.given_sizes();
        self.settle_overloads();
        self.show_any_values();
        self.report_untyped();
        self.default_anonymous();
        self.report_double_assignments();
        self.report_writing_calls();
        self.report_seen_calls();
        self.report_uninitialised();
        dedup(&mut self.diagnostics);
        if self.project.has_errors || self.diagnostics.iter().any(Diagnostic::is_error) || self.is_exhausted {
            return (None, self.diagnostics);
        }
        self.ground();
        self.diagnostics.extend(abridge_model::carriers::size(&mut self.model));
        self.report_missing_elements();
        abridge_model::effects::compute(&mut self.model);
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return (None, self.diagnostics);
        }
        #[cfg(debug_assertions)]
        {
            let faults = abridge_model::verify(&self.model);
            assert!(faults.is_empty(), "the front end built a model that breaks its promises: {faults:#?}");
        }
        (Some(self.model), self.diagnostics)
    }

    /// With SHOW_EVENTB_ANY_VALUES the values chosen by an outermost ANY belong to the label of a step, as parameters do.
    fn show_any_values(&mut self) {
        if !self.model.steering.preferences.flag("SHOW_EVENTB_ANY_VALUES") {
            return;
        }
        let mut called: HashSet<OpId> = HashSet::new();
        for (_, node) in self.model.substs.iter() {
            if let Subst::Call { op, .. } = &node.subst {
                called.insert(*op);
            }
        }
        for op in self.model.operations.ids().filter(|op| !called.contains(op)) {
            let body = self.model.operations[op].body;
            if let Subst::Any { binder, pred, body: inner } = self.model.subst(body).clone() {
                let select = Subst::Select { branches: vec![(pred, inner)], otherwise: None };
                let select = self.add_subst(select, self.model.substs[body].span);
                // The ANY is unreachable from now on, and must not bind its locals a second time.
                self.model.substs[body].subst = Subst::Skip;
                self.model.operations[op].body = select;
                self.model.operations[op].params.extend(binder);
            }
        }
    }

    /// Reports declared names without a ground type.
    fn report_untyped(&mut self) {
        if self.model.steering.preferences.flag("ALLOW_UNTYPED_IDENTIFIERS") {
            return;
        }
        let of_machines: HashSet<Span> = self.machine_params();
        let constants = self.model.constants.values().map(|c| {
            let declared =
                if of_machines.contains(&c.origin.span) { Declared::MachineParameter } else { Declared::Constant };
            (declared, c.name.clone(), c.ty, c.origin.span)
        });
        let variables =
            self.model.variables.values().map(|v| (Declared::Variable, v.name.clone(), v.ty, v.origin.span));
        let bound = self.bound_locals();
        let operations = || self.model.operations.values();
        let params: HashSet<LocalId> = operations().flat_map(|op| &op.params).copied().collect();
        let outputs: HashSet<LocalId> = operations().flat_map(|op| &op.outputs).copied().collect();
        let locals = self.model.locals.iter().filter(|(id, _)| bound.contains(id));
        let locals = locals.map(|(id, local)| {
            let declared = match id {
                id if params.contains(&id) => Declared::Parameter,
                id if outputs.contains(&id) => Declared::Output,
                _ => Declared::Local,
            };
            (declared, local.name.clone(), local.ty, local.span)
        });
        let all: Vec<(Declared, SmolStr, Ty, Span)> = constants.chain(variables).chain(locals).collect();
        for (declared, name, ty, span) in all {
            if self.types.has_unknown(ty) {
                self.report_unknown_type(declared, &name, ty, span);
            }
        }
    }

    /// Spans of the parameters of machines.
    fn machine_params(&self) -> HashSet<Span> {
        let machines = self.project.units.iter().filter_map(|unit| unit.ast.machine());
        machines.flat_map(|machine| &machine.params).map(|param| param.span).collect()
    }

    fn report_unknown_type(&mut self, declared: Declared, name: &str, ty: Ty, span: Span) {
        let text = self.types.text(&self.model, ty);
        let known = if text == "?" { String::new() } else { format!(": all that is known is {text}") };
        let (what, place) = match declared {
            Declared::Constant => ("constant", "to PROPERTIES"),
            Declared::MachineParameter => ("parameter", "to CONSTRAINTS"),
            Declared::Variable => ("variable", "to the INVARIANT"),
            Declared::Parameter => ("parameter", "to the operation's precondition"),
            Declared::Output => ("output", ""),
            Declared::Local => ("identifier", "to the predicate that belongs to it"),
        };
        let message = format!("the type of {what} `{name}` cannot be inferred{known}");
        let sign = if matches!(self.types.shape(ty), TypeTerm::Pow(_)) { "<:" } else { ":" };
        let help = match declared {
            Declared::Output => "assign a value of a known type to it".to_owned(),
            _ => format!("add a typing predicate such as `{name} {sign} S` {place}"),
        };
        let mut diagnostic = Diagnostic::error("unknown-type", message).at(span).help(help);
        let is_global = matches!(declared, Declared::Constant | Declared::Variable);
        if let Some(entry) = self.defs.get(name).filter(|entry| is_global && entry.name.span.file == span.file) {
            if self.unknown_names.contains(name) {
                return;
            }
            diagnostic = diagnostic.also(entry.name.span, "this definition hides it");
        }
        self.report(diagnostic);
    }

    /// Locals that some node or operation binds, without unused auxiliary ones.
    fn bound_locals(&self) -> HashSet<LocalId> {
        let model = &self.model;
        let mut bound: HashSet<LocalId> = HashSet::new();
        for op in model.operations.values() {
            bound.extend(op.params.iter().chain(&op.outputs));
        }
        let nodes = model
            .exprs
            .ids()
            .map(ModelNode::Expr)
            .chain(model.preds.ids().map(ModelNode::Pred))
            .chain(model.substs.ids().map(ModelNode::Subst));
        for node in nodes {
            bound.extend(model.bound_locals(node));
        }
        bound
    }

    /// Binds unknowns that no identifier depends on, such as the element type in `card({}) = 0`, to INTEGER.
    fn default_anonymous(&mut self) {
        for id in self.model.exprs.ids() {
            let (ty, span) = (self.ty(id), self.span(id));
            if self.types.has_unknown(ty) {
                self.types.default_unknowns(ty, span);
            }
        }
    }

    /// Grounds the types of all nodes. Formulas beside the machine come last, so that they do not change the ids of its types.
    fn ground(&mut self) {
        let mut cache: IdVec<Ty, Option<TypeId>> = (0..self.types.n_types()).map(|_| None).collect();
        let (n_exprs, n_locals) = self.beside.start.unwrap_or((self.model.exprs.len(), self.model.locals.len()));
        let Lower { types, model, .. } = self;
        macro_rules! ground_all {
            ($table:ident, $ids:expr) => {
                for id in $ids {
                    model.$table[id].ty = types.ground(model.$table[id].ty, model, &mut cache);
                }
            };
        }
        ground_all!(exprs, model.exprs.ids().take(n_exprs));
        ground_all!(constants, model.constants.ids());
        ground_all!(variables, model.variables.ids());
        ground_all!(locals, model.locals.ids().take(n_locals));
        for id in model.free_types.ids() {
            for index in 0..model.free_types[id].constructors.len() {
                if let Some((set, ty)) = model.free_types[id].constructors[index].arg {
                    let ty = types.ground(ty, model, &mut cache);
                    model.free_types[id].constructors[index].arg = Some((set, ty));
                }
            }
        }
        ground_all!(exprs, model.exprs.ids().skip(n_exprs));
        ground_all!(locals, model.locals.ids().skip(n_locals));
    }

    /// Reports branches of `||` that write the same variable.
    fn report_double_assignments(&mut self) {
        if self.model.steering.preferences.flag("ALLOW_SIMULTANEOUS_ASSIGNMENTS") {
            return;
        }
        let bodies: Vec<SubstId> = self.model.operations.values().map(|op| op.body).collect();
        let abstraction = self.model.abstraction.as_ref().map(|abstraction| abstraction.initialisation);
        let mut writes = Writes::new(&self.model);
        for root in [self.model.initialisation].into_iter().chain(abstraction).chain(bodies) {
            writes.of(root);
        }
        let mut twice = writes.twice;
        twice.sort_by_key(|(_, first, again)| (*again, *first));
        for (target, first, span) in twice {
            let name = self.target_name(target);
            let message = format!("`{name}` is assigned in two branches of `||`");
            let diagnostic = Diagnostic::error("assigned-twice", message).at(span).also(first, "also assigned here");
            let is_changed_at_argument = [first, span].iter().all(|span| {
                self.sources
                    .snippet(*span)
                    .strip_prefix(name.as_str())
                    .is_some_and(|rest| rest.trim_start().starts_with('('))
            });
            self.diagnostics.push(match is_changed_at_argument {
                true => diagnostic
                    .help(format!("change it at both arguments at once: `{name} := {name} <+ {{x |-> E, y |-> F}}`")),
                false => diagnostic.help("use `;` for one after the other, or assign it once"),
            });
        }
    }

    /// Reports operations in expressions that write variables.
    fn report_writing_calls(&mut self) {
        let writes = effects::writes(&self.model);
        let mut found = Vec::new();
        for (_, node) in self.model.exprs.iter() {
            if let Expr::CallOperation(op, _) = &node.expr
                && let Some(variable) = writes[*op].iter().next()
            {
                found.push((*op, variable, node.span));
            }
        }
        for (op, variable, span) in found {
            let (operation, variable) = (&self.model.operations[op].name, &self.model.variables[variable].name);
            let message = format!("operation `{operation}` changes `{variable}` and cannot be used in an expression");
            self.diagnostics.push(
                Diagnostic::error("writing-call-in-expression", message)
                    .at(span)
                    .help("call it as a substitution: `x <-- op(...)`"),
            );
        }
    }

    /// Reports calls that change a seen machine.
    fn report_seen_calls(&mut self) {
        let calls = std::mem::take(&mut self.seen_calls);
        if calls.is_empty() {
            return;
        }
        let writes = effects::writes(&self.model);
        for (op, span) in calls {
            let Some(variable) = writes[op].iter().next() else { continue };
            let (operation, variable) = (&self.model.operations[op], &self.model.variables[variable].name);
            let message = format!("operation `{}` changes `{variable}`, and its machine is only seen", operation.name);
            let diagnostic = Diagnostic::error("seen-call", message).at(span);
            let diagnostic = diagnostic.also(operation.origin.span, "declared here");
            self.diagnostics
                .push(diagnostic.help(
                    "include or import the machine; of a seen one, operations that change nothing can be called",
                ));
        }
    }

    /// Warns about variables that INITIALISATION leaves without a value.
    fn report_uninitialised(&mut self) {
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return;
        }
        let written = Writes::new(&self.model).of(self.model.initialisation);
        let mut missing = Vec::new();
        for (id, variable) in self.model.state_variables() {
            if !written.contains_key(&Target::Variable(id)) {
                let message = format!("INITIALISATION gives no value to variable `{}`", variable.name);
                missing.push(
                    Diagnostic::warning("uninitialised", message)
                        .at(variable.origin.span)
                        .help(format!("add `{} := ...` to INITIALISATION", variable.name)),
                );
            }
        }
        self.diagnostics.extend(missing);
    }
}

/// Kind of a name without a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declared {
    Constant,
    MachineParameter,
    Variable,
    Parameter,
    Output,
    Local,
}

/// Targets that substitutions assign, calls included, with one span each.
struct Writes<'a> {
    model: &'a Model,
    of_operations: IdVec<OpId, IdSet<VarId>>,
    /// Targets assigned by two branches of `||`, with both spans.
    twice: Vec<(Target, Span, Span)>,
}

impl<'a> Writes<'a> {
    fn new(model: &'a Model) -> Self {
        Writes { model, of_operations: effects::writes(model), twice: Vec::new() }
    }

    fn of(&mut self, id: SubstId) -> HashMap<Target, Span> {
        let (subst, span) = (self.model.subst(id), self.model.substs[id].span);
        let mut written: HashMap<Target, Span> = subst.targets().iter().map(|target| (*target, span)).collect();
        if let Subst::Call { op, .. } = subst {
            let called = self.of_operations[*op].iter().map(Target::Variable);
            called.for_each(|target| _ = written.entry(target).or_insert(span));
        }
        let is_parallel = matches!(subst, Subst::Parallel(_));
        self.model.for_each_child(ModelNode::Subst(id), &mut |child| {
            if let ModelNode::Subst(part) = child {
                let more = with_stack(|| self.of(part));
                self.join(&mut written, more, is_parallel);
            }
        });
        if let Subst::Var { locals, .. } = subst {
            locals.iter().for_each(|local| _ = written.remove(&Target::Local(*local)));
        }
        written
    }

    /// Merges the targets of a later part. The smaller map is moved, so that nesting costs little.
    fn join(&mut self, written: &mut HashMap<Target, Span>, mut later: HashMap<Target, Span>, is_parallel: bool) {
        let is_swapped = written.len() < later.len();
        if is_swapped {
            std::mem::swap(written, &mut later);
        }
        for (target, span) in later {
            match written.entry(target) {
                Entry::Vacant(entry) => _ = entry.insert(span),
                Entry::Occupied(mut entry) => {
                    let (first, again) = if is_swapped { (span, *entry.get()) } else { (*entry.get(), span) };
                    entry.insert(first);
                    if is_parallel {
                        self.twice.push((target, first, again));
                    }
                }
            }
        }
    }
}

/// Removes duplicate diagnostics, which several instances of a machine cause.
fn dedup(diagnostics: &mut Vec<Diagnostic>) {
    let mut seen = HashSet::new();
    diagnostics.retain(|diagnostic| {
        let place = diagnostic.span().map(|span| (span.file, span.start, span.end));
        seen.insert((diagnostic.id, place, diagnostic.message.clone()))
    });
}
