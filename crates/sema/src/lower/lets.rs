//! LET bindings and `[x := E] P`.

use std::collections::{HashMap, HashSet};

use abridge_diag::{Diagnostic, Span};
use abridge_model::{Binding, LocalId, SmolStr};
use abridge_syntax::AstNode;
use abridge_syntax::ast::{self, Ident};

use crate::lower::Lower;
use crate::scope::{Ctx, LocalKind};

impl Lower<'_> {
    /// Context of the body and bindings of `LET ids BE pred`, ordered so that each sees those before it.
    pub(crate) fn let_bindings(&mut self, ctx: Ctx, ids: &[Ident], pred: ast::ExprId) -> (Ctx, Vec<Binding>) {
        let (inner, locals) = self.bind(ctx, ids, LocalKind::Bound);
        let names: Vec<SmolStr> = locals.iter().map(|local| self.model.locals[*local].name.clone()).collect();
        let bound: HashSet<SmolStr> = names.iter().cloned().collect();
        let mut equations: HashMap<SmolStr, ast::ExprId> = HashMap::new();
        let mut is_wrong = false;
        for conjunct in self.conjuncts(ctx, pred) {
            let span = self.tree(ctx.unit).expr(conjunct).span;
            match self.equation(ctx, conjunct, &bound, &equations) {
                Some((name, value)) => _ = equations.insert(name, value),
                None => {
                    is_wrong = true;
                    let diagnostic = Diagnostic::error(
                        "let-not-an-equation",
                        "LET needs one equation `x = E` for each of its identifiers",
                    );
                    self.report(diagnostic.at(span).help("use ANY for values that are only described by a predicate"));
                }
            }
        }
        for (local, name) in locals.iter().zip(&names).filter(|(_, name)| !equations.contains_key(*name)) {
            self.model.locals[*local].ty = crate::types::Unifier::ERROR;
            if !is_wrong {
                let span = self.model.locals[*local].span;
                let message = format!("LET gives no value to `{name}`");
                self.report(
                    Diagnostic::error("let-without-value", message)
                        .at(span)
                        .help(format!("add an equation `{name} = ...` after BE")),
                );
            }
        }
        let order = self.let_order(ctx, &names, &equations);
        let local_of: HashMap<&SmolStr, LocalId> = names.iter().zip(locals.iter().copied()).collect();
        let mut bindings = Vec::new();
        for name in &order {
            let (Some(local), Some(equation)) = (local_of.get(name), equations.get(name)) else { continue };
            let value = self.expr(inner, *equation);
            let span = self.span(value);
            let ty = self.model.locals[*local].ty;
            self.expect(value, ty, &format!("`{name}` is {{}}"), span);
            bindings.push(Binding { local: *local, value });
        }
        (inner, bindings)
    }

    /// Operands of a conjunction, without labels and descriptions.
    pub(crate) fn conjuncts(&self, ctx: Ctx, pred: ast::ExprId) -> Vec<ast::ExprId> {
        let tree = self.tree(ctx.unit);
        let mut out = Vec::new();
        let mut open = vec![pred];
        while let Some(id) = open.pop() {
            match &tree.expr(id).expr {
                ast::Expr::And(items) => open.extend(items.iter().rev()),
                ast::Expr::Labelled { pred, .. } => open.push(*pred),
                ast::Expr::Described { expr, .. } => open.push(*expr),
                _ => out.push(id),
            }
        }
        out
    }

    /// Equation `x = E` or `E = x` for an identifier without an equation so far.
    fn equation(
        &self,
        ctx: Ctx,
        conjunct: ast::ExprId,
        names: &HashSet<SmolStr>,
        known: &HashMap<SmolStr, ast::ExprId>,
    ) -> Option<(SmolStr, ast::ExprId)> {
        let tree = self.tree(ctx.unit);
        let ast::Expr::Binary(ast::BinaryOp::Equal, left, right) = &tree.expr(conjunct).expr else { return None };
        [(left, right), (right, left)].into_iter().find_map(|(id, value)| match &tree.expr(*id).expr {
            ast::Expr::Ident(name) if names.contains(name) && !known.contains_key(name) => Some((name.clone(), *value)),
            _ => None,
        })
    }

    /// Topological order of the identifiers: each value mentions only identifiers before it.
    fn let_order(&mut self, ctx: Ctx, names: &[SmolStr], equations: &HashMap<SmolStr, ast::ExprId>) -> Vec<SmolStr> {
        let allowed = self.model.steering.preferences.flag("ALLOW_COMPLEX_LETS");
        let bound: HashSet<SmolStr> = names.iter().cloned().collect();
        let mut waiting: Vec<(SmolStr, Vec<(SmolStr, Span)>)> = Vec::new();
        for name in names {
            let Some(value) = equations.get(name) else { continue };
            let uses = self.mentions(ctx, *value, &bound);
            if let Some((used, span)) = uses.first().filter(|(used, _)| !allowed || used == name) {
                let (message, help) = if used == name {
                    let help = format!("choose another name if a `{name}` from outside is meant");
                    (format!("the value of `{name}` mentions `{name}` itself"), help)
                } else {
                    let help = format!(
                        "put a LET for `{name}` inside a LET for `{used}`, or set the preference ALLOW_COMPLEX_LETS"
                    );
                    (format!("the value of `{name}` mentions `{used}`, which the same LET introduces"), help)
                };
                self.report(Diagnostic::error("let-uses-let", message).at(*span).help(help));
                return Vec::new();
            }
            waiting.push((name.clone(), uses));
        }
        let mut order: Vec<SmolStr> = Vec::new();
        let mut done: HashSet<SmolStr> = HashSet::new();
        while !waiting.is_empty() {
            let n_done = order.len();
            waiting.retain(|(name, uses)| {
                let is_ready = uses.iter().all(|(used, _)| done.contains(used));
                if is_ready {
                    done.insert(name.clone());
                    order.push(name.clone());
                }
                !is_ready
            });
            if order.len() == n_done {
                let (name, uses) = &waiting[0];
                let message = format!("the values of `{name}` and `{}` depend on each other", uses[0].0);
                self.report(Diagnostic::error("let-uses-let", message).at(uses[0].1));
                break;
            }
        }
        order
    }

    fn mentions(&self, ctx: Ctx, root: ast::ExprId, names: &HashSet<SmolStr>) -> Vec<(SmolStr, Span)> {
        let tree = self.tree(ctx.unit);
        let mut found = Vec::new();
        tree.for_each_node(AstNode::Expr(root), &mut |node| {
            if let AstNode::Expr(id) = node
                && let ast::Expr::Ident(name) = &tree.expr(id).expr
                && names.contains(name)
            {
                found.push((name.clone(), tree.expr(id).span));
            }
        });
        found
    }

    /// Context of `P` and bindings of `[ids := values] P`.
    pub(crate) fn substituted(
        &mut self,
        ctx: Ctx,
        ids: &[Ident],
        values: &[ast::ExprId],
        span: Span,
    ) -> (Ctx, Vec<Binding>) {
        if ids.len() != values.len() {
            let message = format!("{} identifiers are replaced by {} values", ids.len(), values.len());
            self.report(Diagnostic::error("assignment-count", message).at(span));
        }
        let values: Vec<_> = values.iter().map(|value| self.expr(ctx, *value)).collect();
        let (inner, locals) = self.bind(ctx, ids, LocalKind::Bound);
        let mut bindings = Vec::new();
        for (local, value) in locals.into_iter().zip(values) {
            let ty = self.model.locals[local].ty;
            self.expect(value, ty, "the name it is given is {}", span);
            bindings.push(Binding { local, value });
        }
        (inner, bindings)
    }
}
