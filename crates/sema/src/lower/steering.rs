//! Steering definitions: GOAL, SCOPE, HEURISTIC_FUNCTION, ASSERT_LTL, ASSERT_CTL, FORCE_SYMMETRY, MAX_OPERATIONS, scope_S.
//!
//! They are ordinary definitions with special names. A definition without effect is reported, as is one about a set or an operation that does not
//! exist. Otherwise a check would cover less than its author asked for.

use std::collections::HashSet;
use std::rc::Rc;

use abridge_diag::{Diagnostic, Severity};
use abridge_model::{Logic, SmolStr, TemporalProperty};
use abridge_syntax::ast::{self, DefinitionBody};

use crate::definitions::{DefEntry, TEMPORAL_PREFIXES};
use crate::lower::{ClausePlace, Lower};
use crate::preferences;
use crate::project::UnitId;
use crate::scope::Symbol;
use crate::suggest;

/// State to which lowering can return.
pub(super) struct LoweringSnapshot {
    diagnostics: usize,
    nodes: (usize, usize, usize, usize),
    pub(super) pending: usize,
    budget: (usize, bool),
    unknown_names: HashSet<SmolStr>,
}

impl Lower<'_> {
    /// Reads the steering definitions of the main machine.
    pub(crate) fn steering(&mut self, unit: UnitId) {
        self.place = ClausePlace::Steering;
        let defs = self.defs.clone();
        let entries = defs.iter().chain(defs.namesakes());
        self.steered();
        for entry in entries.filter(|entry| entry.params.is_empty() && !entry.is_cyclic) {
            let DefinitionBody::Formula(body) = entry.body else { continue };
            let name = entry.name.name.clone();
            match name.as_str() {
                name if self.project.steered.iter().any(|(known, _)| *known == name) => {}
                "GOAL" => self.model.steering.goal = self.optional(unit, entry, |this, ctx| this.pred(ctx, body)),
                "SCOPE" => self.model.steering.scope = self.optional(unit, entry, |this, ctx| this.pred(ctx, body)),
                "HEURISTIC_FUNCTION" => {
                    self.model.steering.heuristic = self.optional(unit, entry, |this, ctx| this.expr(ctx, body));
                    self.warn_ignored(entry, "no order of the search is guided by a function");
                }
                _ => self.prefixed(entry, body),
            }
        }
        self.reductions(unit);
    }

    /// Lowers formulas from outside, which take the place of definitions. Nobody gave them for nothing: their errors are errors.
    fn steered(&mut self) {
        for (name, unit) in self.project.steered.clone() {
            let ast::Unit::Formula(root) = self.tree(unit).unit else { continue };
            let ctx = self.global(unit);
            // Elements of deferred sets may be named as they are printed.
            self.beside.start = Some((self.model.exprs.len(), self.model.locals.len()));
            let pred = Some(self.pred(ctx, root));
            self.beside.start = None;
            match name {
                "GOAL" => self.model.steering.goal = pred,
                _ => self.model.steering.scope = pred,
            }
        }
    }

    /// Lowers a definition that the machine does not need. Its errors become warnings.
    pub(super) fn optional<T>(
        &mut self,
        unit: UnitId,
        entry: &Rc<DefEntry>,
        lower: impl FnOnce(&mut Self, crate::scope::Ctx) -> T,
    ) -> Option<T> {
        let snapshot = self.snapshot();
        let ctx = crate::scope::Ctx { unit: entry.unit, ..self.global(unit) };
        let lowered = lower(self, ctx);
        self.resolve_overloads_from(snapshot.pending);
        self.keep(snapshot, &entry.name.name).then_some(lowered)
    }

    pub(super) fn snapshot(&self) -> LoweringSnapshot {
        let model = &self.model;
        LoweringSnapshot {
            diagnostics: self.diagnostics.len(),
            nodes: (model.exprs.len(), model.preds.len(), model.substs.len(), model.locals.len()),
            pending: self.pending.n_cases(),
            budget: (self.n_expanded, self.is_exhausted),
            unknown_names: self.unknown_names.clone(),
        }
    }

    /// Returns true if there were no errors since a snapshot. Otherwise removes all nodes added since then from the model, and turns the errors into
    /// warnings.
    pub(super) fn keep(&mut self, snapshot: LoweringSnapshot, name: &str) -> bool {
        if self.diagnostics[snapshot.diagnostics..].iter().all(|diagnostic| !diagnostic.is_error()) {
            return true;
        }
        self.pending.truncate(snapshot.pending);
        (self.n_expanded, self.is_exhausted) = snapshot.budget;
        self.unknown_names = snapshot.unknown_names;
        let (n_exprs, n_preds, n_substs, n_locals) = snapshot.nodes;
        self.model.exprs.truncate(n_exprs);
        self.model.preds.truncate(n_preds);
        self.model.substs.truncate(n_substs);
        self.model.locals.truncate(n_locals);
        for diagnostic in &mut self.diagnostics[snapshot.diagnostics..] {
            diagnostic.severity = Severity::Warning;
            diagnostic.notes.push(format!("`{name}` is ignored"));
        }
        false
    }

    fn prefixed(&mut self, entry: &DefEntry, body: ast::ExprId) {
        let name = &entry.name.name;
        match TEMPORAL_PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix)) {
            Some((_, logic)) => self.temporal(entry, body, *logic),
            None => self.warn_misspelt(entry, body),
        }
        if let Some(set) = name.strip_prefix("FORCE_SYMMETRY_") {
            match self.names.symbols.get(set).map(|entry| entry.symbol) {
                Some(Symbol::Set(id)) => {
                    let is_true = matches!(self.tree(entry.unit).expr(body).expr, ast::Expr::Atom(ast::Atom::True));
                    if is_true {
                        self.model.steering.force_symmetry.push(id);
                    }
                }
                _ => self.warn_unknown(entry, "set", set),
            }
        }
        if let Some(set) = name.strip_prefix("scope_") {
            self.scope_of_set(entry, body, set);
        }
        if let Some(op) = name.strip_prefix("MAX_OPERATIONS_") {
            let limit = preferences::integer(self.project, &self.defs.clone(), entry.unit, body);
            match (self.names.operations.get(op).map(|entry| entry.op), limit.and_then(|n| u32::try_from(n).ok())) {
                (Some(op), Some(limit)) => {
                    self.model.steering.max_operations.push((op, limit));
                    self.warn_ignored(entry, "all steps of an operation are explored");
                }
                _ => self.warn_unknown(entry, "operation", op),
            }
        }
    }

    /// `scope_S == n` or `scope_S == a..b`.
    fn scope_of_set(&mut self, entry: &DefEntry, body: ast::ExprId, name: &str) {
        let Some((set, carrier)) = self.model.sets.iter().find(|(_, set)| set.name == name) else {
            return self.warn_unknown(entry, "set", name);
        };
        if !carrier.is_deferred() {
            let message = format!("`{}` gives a size to `{name}`, whose elements are enumerated", entry.name.name);
            return self.report(Diagnostic::warning("wrong-steering", message).at(entry.name.span));
        }
        let integer = |id| preferences::integer(self.project, &self.defs, entry.unit, id);
        let (body_id, body) = (body, self.tree(entry.unit).expr(body));
        let size = match &body.expr {
            ast::Expr::Binary(ast::BinaryOp::Interval, low, high) => {
                integer(*low).zip(integer(*high)).map(|(low, high)| high - low + 1)
            }
            _ => integer(body_id),
        };
        match size.and_then(|size| u32::try_from(size).ok()) {
            Some(size) => self.model.steering.set_sizes.push((set, size)),
            None => {
                let message = format!("`{}` is not a number of elements", entry.name.name);
                let diagnostic = Diagnostic::warning("wrong-steering", message).at(body.span);
                self.report(diagnostic.help(format!("write `scope_{name} == 3` or `scope_{name} == 1..3`")));
            }
        }
    }

    /// Applies the sizes of sets given on the command line.
    pub(crate) fn given_sizes(&mut self) {
        for (name, size) in &self.options.set_sizes {
            let known = self.model.sets.iter().find(|(_, set)| set.name == *name);
            let message = match known {
                None => format!("`--set-size` names `{name}`, but the machine has no such set"),
                Some((_, set)) if !set.is_deferred() => {
                    format!("`--set-size` names `{name}`, but its elements are enumerated")
                }
                Some((id, _)) => {
                    self.model.steering.set_sizes.push((id, *size));
                    continue;
                }
            };
            let names = self.model.sets.values().filter(|set| set.is_deferred()).map(|set| set.name.as_str());
            let near = suggest::nearest(name, names).map(|near| format!("a similar deferred set exists: `{near}`"));
            let diagnostic = Diagnostic::error("wrong-set-size", message);
            self.diagnostics.push(near.into_iter().fold(diagnostic, Diagnostic::help));
        }
    }

    fn temporal(&mut self, entry: &DefEntry, body: ast::ExprId, logic: Logic) {
        let node = self.project.ast(entry.unit).expr(body);
        match &node.expr {
            ast::Expr::String(text) => {
                let property =
                    TemporalProperty { name: entry.name.name.clone(), logic, text: text.clone(), span: node.span };
                self.model.steering.temporal.push(property);
            }
            _ => {
                let message = format!("`{}` is not a string with a temporal formula", entry.name.name);
                self.report(Diagnostic::warning("wrong-steering", message).at(node.span));
            }
        }
    }

    /// Warns about a misspelt temporal property such as `ASSERT_CLT == "G {x = 0}"`.
    fn warn_misspelt(&mut self, entry: &DefEntry, body: ast::ExprId) {
        let name = &entry.name.name;
        let is_string = matches!(self.tree(entry.unit).expr(body).expr, ast::Expr::String(_));
        let Some(prefix) = name.get(..TEMPORAL_PREFIXES[0].0.len()).filter(|prefix| prefix.starts_with("ASSERT_"))
        else {
            return;
        };
        let known = TEMPORAL_PREFIXES.map(|(prefix, _)| prefix);
        if let Some(near) = suggest::nearest(prefix, known).filter(|_| is_string) {
            let message = format!("`{name}` is no temporal property");
            let diagnostic = Diagnostic::warning("wrong-steering", message).at(entry.name.span);
            self.report(diagnostic.help(format!("temporal properties have names that begin with `{near}`")));
        }
    }

    /// Warns about a definition that has an effect in ProB, but not here.
    fn warn_ignored(&mut self, entry: &DefEntry, reason: &str) {
        let message = format!("`{}` has no effect", entry.name.name);
        self.report(Diagnostic::warning("ignored-steering", message).at(entry.name.span).note(reason));
    }

    fn warn_unknown(&mut self, entry: &DefEntry, what: &str, name: &str) {
        let message = format!("`{}` speaks of the {what} `{name}`, which does not exist", entry.name.name);
        self.report(Diagnostic::warning("wrong-steering", message).at(entry.name.span));
    }
}
