//! From the model with inferred types to the model with ground ones, and the checks that need the whole.

use std::collections::{HashMap, HashSet};

use abridge_diag::{Diagnostic, Span};
use abridge_model::walk::Node;
use abridge_model::{Expr, IdVec, LocalId, Model, OpId, SmolStr, Subst, SubstId, Target, TypeId};

use crate::carriers;
use crate::lower::Lower;
use crate::types::Ty;

impl Lower<'_> {
    /// Grounds all types. `None` if there are errors.
    pub(crate) fn finish(mut self) -> (Option<Model>, Vec<Diagnostic>) {
        self.settle_overloads();
        self.report_untyped();
        self.default_anonymous();
        self.report_double_assignments();
        self.report_writing_calls();
        self.report_uninitialised();
        dedup(&mut self.diagnostics);
        if self.project.has_errors || self.diagnostics.iter().any(Diagnostic::is_error) || self.is_exhausted {
            return (None, self.diagnostics);
        }
        self.ground();
        carriers::size(&mut self.model, self.project, self.options, &self.defs, &mut self.diagnostics);
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

    /// Every declared name has a ground type.
    fn report_untyped(&mut self) {
        if self.model.steering.preferences.flag("ALLOW_UNTYPED_IDENTIFIERS") {
            return;
        }
        let constants = self.model.constants.values().map(|c| ("constant", c.name.clone(), c.ty, c.origin.span));
        let variables = self.model.variables.values().map(|v| ("variable", v.name.clone(), v.ty, v.origin.span));
        let bound = self.bound_locals();
        let params: HashSet<LocalId> = self.model.operations.values().flat_map(|op| &op.params).copied().collect();
        let locals = self.model.locals.iter().filter(|(id, _)| bound.contains(id));
        let locals = locals.map(|(id, local)| {
            let what = if params.contains(&id) { "parameter" } else { "identifier" };
            (what, local.name.clone(), local.ty, local.span)
        });
        let all: Vec<(&str, SmolStr, Ty, Span)> = constants.chain(variables).chain(locals).collect();
        for (what, name, ty, span) in all {
            if self.types.has_unknown(ty) {
                let text = self.types.text(&self.model, ty);
                let known = if text == "?" { String::new() } else { format!(": all that is known is {text}") };
                let diagnostic = Diagnostic::error("unknown-type", format!("the type of {what} `{name}` cannot be inferred{known}")).at(span);
                let clause = match what {
                    "constant" => "PROPERTIES",
                    "variable" => "the INVARIANT",
                    "parameter" => "the operation's precondition",
                    _ => "the predicate that goes with it",
                };
                self.report(diagnostic.help(format!("add a typing predicate such as `{name} : S` to {clause}")));
            }
        }
    }

    /// Locals that some node or operation binds; helpers that were never used are not among them.
    fn bound_locals(&self) -> HashSet<LocalId> {
        let model = &self.model;
        let mut bound: HashSet<LocalId> = HashSet::new();
        for op in model.operations.values() {
            bound.extend(op.params.iter().chain(&op.outputs));
        }
        let nodes = model.exprs.ids().map(Node::Expr).chain(model.preds.ids().map(Node::Pred)).chain(model.substs.ids().map(Node::Subst));
        for node in nodes {
            bound.extend(model.bound_locals(node));
        }
        bound
    }

    /// What no identifier depends on, such as the element type in `card({}) = 0`, may be anything.
    fn default_anonymous(&mut self) {
        for id in self.model.exprs.ids() {
            let (ty, span) = (self.ty(id), self.span(id));
            if self.types.has_unknown(ty) {
                self.types.default_unknowns(ty, span);
            }
        }
    }

    fn ground(&mut self) {
        let mut cache: IdVec<Ty, Option<TypeId>> = (0..self.types.n_types()).map(|_| None).collect();
        let Lower { types, model, .. } = self;
        macro_rules! ground_all {
            ($table:ident) => {
                for id in model.$table.ids() {
                    model.$table[id].ty = types.ground(model.$table[id].ty, model, &mut cache);
                }
            };
        }
        ground_all!(exprs);
        ground_all!(constants);
        ground_all!(variables);
        ground_all!(locals);
        for id in model.free_types.ids() {
            for index in 0..model.free_types[id].constructors.len() {
                if let Some((set, ty)) = model.free_types[id].constructors[index].arg {
                    let ty = types.ground(ty, model, &mut cache);
                    model.free_types[id].constructors[index].arg = Some((set, ty));
                }
            }
        }
    }

    /// Branches of `||` write different variables.
    fn report_double_assignments(&mut self) {
        if self.model.steering.preferences.flag("ALLOW_SIMULTANEOUS_ASSIGNMENTS") {
            return;
        }
        let mut writes = Writes { model: &self.model, done: HashMap::new(), open: Vec::new() };
        let mut found = Vec::new();
        for (_, node) in self.model.substs.iter() {
            let Subst::Parallel(parts) = &node.subst else { continue };
            let mut first_of: HashMap<Target, Span> = HashMap::new();
            for part in parts {
                for (target, span) in writes.of(*part) {
                    match first_of.get(&target) {
                        Some(first) => found.push((target, *first, span)),
                        None => _ = first_of.insert(target, span),
                    }
                }
            }
        }
        for (target, first, span) in found {
            let message = format!("`{}` is assigned in two branches of `||`", self.target_name(target));
            let diagnostic = Diagnostic::error("assigned-twice", message).at(span).also(first, "also assigned here");
            self.diagnostics.push(diagnostic.help("use `;` for one after the other, or assign it once"));
        }
    }

    /// An expression changes nothing, so operations used in expressions must not either.
    fn report_writing_calls(&mut self) {
        let mut writes = Writes { model: &self.model, done: HashMap::new(), open: Vec::new() };
        let mut found = Vec::new();
        for (_, node) in self.model.exprs.iter() {
            if let Expr::CallOperation(op, _) = &node.expr
                && let Some(target) = writes.operation(*op).into_keys().filter(|target| target.variable().is_some()).min()
            {
                found.push((*op, target, node.span));
            }
        }
        for (op, target, span) in found {
            let message = format!("operation `{}` changes `{}` and cannot be used in an expression", self.model.operations[op].name, self.target_name(target));
            self.diagnostics.push(Diagnostic::error("writing-call-in-expression", message).at(span).help("call it as a substitution: `x <-- op(...)`"));
        }
    }

    /// Warns about variables that INITIALISATION leaves without a value.
    fn report_uninitialised(&mut self) {
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return;
        }
        let mut writes = Writes { model: &self.model, done: HashMap::new(), open: Vec::new() };
        let written: HashSet<Target> = writes.of(self.model.initialisation).into_keys().collect();
        let mut missing = Vec::new();
        for (id, variable) in self.model.state_variables() {
            if !written.contains(&Target::Variable(id)) {
                let message = format!("INITIALISATION gives no value to variable `{}`", variable.name);
                missing.push(Diagnostic::warning("uninitialised", message).at(variable.origin.span).help(format!("add `{} := ...` to INITIALISATION", variable.name)));
            }
        }
        self.diagnostics.extend(missing);
    }
}

/// What substitutions assign, calls included, with one place each.
struct Writes<'a> {
    model: &'a Model,
    done: HashMap<OpId, HashMap<Target, Span>>,
    open: Vec<OpId>,
}

impl Writes<'_> {
    fn of(&mut self, root: SubstId) -> HashMap<Target, Span> {
        let model = self.model;
        let mut written = HashMap::new();
        let mut called = Vec::new();
        let mut hidden = HashSet::new();
        model.for_each_node(Node::Subst(root), &mut |node| {
            let Node::Subst(id) = node else { return };
            let span = model.substs[id].span;
            for target in model.subst(id).targets() {
                written.entry(*target).or_insert(span);
            }
            match model.subst(id) {
                Subst::Call { op, .. } => called.push((*op, span)),
                Subst::Var { locals, .. } => hidden.extend(locals.iter().map(|local| Target::Local(*local))),
                _ => {}
            }
        });
        for (op, span) in called {
            for target in self.operation(op).into_keys().filter(|target| target.variable().is_some()) {
                written.entry(target).or_insert(span);
            }
        }
        written.retain(|target, _| !hidden.contains(target));
        written
    }

    fn operation(&mut self, op: OpId) -> HashMap<Target, Span> {
        if let Some(done) = self.done.get(&op) {
            return done.clone();
        }
        if self.open.contains(&op) {
            return HashMap::new();
        }
        self.open.push(op);
        let written = self.of(self.model.operations[op].body);
        self.open.pop();
        self.done.insert(op, written.clone());
        written
    }
}

/// Two instances of a machine repeat each other's messages; one of each is enough.
fn dedup(diagnostics: &mut Vec<Diagnostic>) {
    let mut seen = HashSet::new();
    diagnostics.retain(|diagnostic| {
        let place = diagnostic.span().map(|span| (span.file, span.start, span.end));
        seen.insert((diagnostic.id, place, diagnostic.message.clone()))
    });
}
