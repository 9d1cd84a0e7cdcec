//! Definitions that steer checking: GOAL, SCOPE, HEURISTIC_FUNCTION, ASSERT_LTL, ASSERT_CTL, FORCE_SYMMETRY, MAX_OPERATIONS.

use std::rc::Rc;

use abridge_diag::{Diagnostic, Severity};
use abridge_model::{Logic, TemporalProperty};
use abridge_syntax::ast::{self, DefinitionBody};

use crate::definitions::DefEntry;
use crate::lower::{Lower, Place};
use crate::preferences;
use crate::project::UnitId;
use crate::scope::Symbol;

impl Lower<'_> {
    /// Reads the steering definitions of the main machine.
    pub(crate) fn steering(&mut self, unit: UnitId) {
        self.place = Place::Steering;
        let defs = self.defs.clone();
        for entry in defs.iter().filter(|entry| entry.params.is_empty() && !entry.is_cyclic) {
            let DefinitionBody::Formula(body) = entry.body else { continue };
            let name = entry.name.name.clone();
            match name.as_str() {
                "GOAL" => self.model.steering.goal = self.optional(unit, entry, |this, ctx| this.pred(ctx, body)),
                "SCOPE" => self.model.steering.scope = self.optional(unit, entry, |this, ctx| this.pred(ctx, body)),
                "HEURISTIC_FUNCTION" => {
                    self.model.steering.heuristic = self.optional(unit, entry, |this, ctx| this.expr(ctx, body));
                }
                _ => self.prefixed(entry, body),
            }
        }
    }

    /// A definition that is only useful: what is wrong with it is a warning.
    fn optional<T>(
        &mut self,
        unit: UnitId,
        entry: &Rc<DefEntry>,
        lower: impl FnOnce(&mut Self, crate::scope::Ctx) -> T,
    ) -> Option<T> {
        let before = self.diagnostics.len();
        let nodes = (self.model.exprs.len(), self.model.preds.len(), self.model.locals.len());
        let (mark, budget) = (self.pending.mark(), (self.n_expanded, self.is_exhausted));
        let unknown_names = self.unknown_names.clone();
        let ctx = crate::scope::Ctx { unit: entry.unit, ..self.global(unit) };
        let lowered = lower(self, ctx);
        self.resolve_overloads_from(mark);
        if self.diagnostics[before..].iter().all(|diagnostic| !diagnostic.is_error()) {
            return Some(lowered);
        }
        // Nothing of it may stay in the model.
        self.pending.truncate(mark);
        (self.n_expanded, self.is_exhausted) = budget;
        self.unknown_names = unknown_names;
        self.model.exprs.truncate(nodes.0);
        self.model.preds.truncate(nodes.1);
        self.model.locals.truncate(nodes.2);
        for diagnostic in &mut self.diagnostics[before..] {
            diagnostic.severity = Severity::Warning;
            diagnostic.notes.push(format!("`{}` is ignored", entry.name.name));
        }
        None
    }

    fn prefixed(&mut self, entry: &DefEntry, body: ast::ExprId) {
        let name = &entry.name.name;
        for (prefix, logic) in [("ASSERT_LTL", Logic::Ltl), ("ASSERT_CTL", Logic::Ctl)] {
            if name.starts_with(prefix) {
                self.temporal(entry, body, logic);
            }
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
        if let Some(op) = name.strip_prefix("MAX_OPERATIONS_") {
            let limit = preferences::integer(self.project, &self.defs.clone(), entry.unit, body);
            match (self.names.operations.get(op).map(|entry| entry.op), limit.and_then(|n| u32::try_from(n).ok())) {
                (Some(op), Some(limit)) => self.model.steering.max_operations.push((op, limit)),
                _ => self.warn_unknown(entry, "operation", op),
            }
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

    fn warn_unknown(&mut self, entry: &DefEntry, what: &str, name: &str) {
        let message = format!("`{}` speaks of the {what} `{name}`, which does not exist", entry.name.name);
        self.report(Diagnostic::warning("wrong-steering", message).at(entry.name.span));
    }
}
