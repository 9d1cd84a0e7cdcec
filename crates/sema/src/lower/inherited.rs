//! Inheritance of a refinement from its abstraction: concrete variables that it keeps, preconditions that it may assume, and conditions that may
//! mention replaced variables.
//!
//! CONCRETE_VARIABLES of an abstraction stay variables of every refinement and implementation without being declared again. An operation of a
//! refinement is called only if the abstract precondition holds, so that precondition is conjoined with its own. Conjuncts that mention replaced
//! variables cannot be evaluated and are not assumed: the refinement is then explored in more states than its callers can reach, which keeps
//! `holds` sound. Conjuncts that are assumed wrongly would hide violations.

use std::collections::HashSet;

use abridge_diag::{Diagnostic, Span};
use abridge_model::ModelNode;
use abridge_model::{Expr, LocalId, OpId, Pred, PredId, SmolStr, Subst, SubstId};
use abridge_syntax as syntax;
use abridge_syntax::ast;

use crate::lower::Lower;
use crate::lower::compose::{DependencyKind, OperationSource};
use crate::lower::machine::InstanceBody;
use crate::scope::{Access, Ctx, FrameKind, LocalKind, NameEntry, Symbol};

impl InstanceBody<'_, '_, '_> {
    /// Makes concrete variables of the abstraction variables of this machine, unless it has another variable of that name.
    pub(super) fn keep_concrete_variables(&mut self) {
        let instance = &self.composer.instances[self.idx];
        let Some(refined) = instance.deps.iter().find(|dep| dep.kind == DependencyKind::Refines) else { return };
        let is_abstract = !instance.is_concrete;
        let of_abstraction = &self.composer.instances[refined.to].names.symbols;
        // Variables of a machine that the abstraction only sees are not passed on.
        let is_passed_on = |name: &SmolStr| {
            let symbol = of_abstraction.get(name).map(|entry| entry.symbol);
            matches!(symbol, Some(Symbol::Variable(_, Access::Own | Access::Included)))
        };
        let concrete = &self.composer.concrete_variables;
        let lower = &mut self.composer.lower;
        for (name, entry) in &mut lower.names.symbols {
            if let Symbol::Variable(id, Access::Abstract) = entry.symbol
                && concrete.contains(&id)
                && is_passed_on(name)
            {
                lower.model.variables[id].is_abstract &= is_abstract;
                *entry = NameEntry { symbol: Symbol::Variable(id, Access::Own), is_own: true, ..*entry };
            }
        }
    }

    /// Body of an operation of the main machine under the preconditions of the operations that it refines.
    pub(super) fn under_abstract_preconditions(&mut self, op: OpId, body: SubstId) -> SubstId {
        let is_main = self.idx == 0;
        if !is_main || self.composer.lower.options.ignore_abstract_preconditions {
            return body;
        }
        let has_own = matches!(self.composer.lower.model.subst(body), Subst::Pre { .. });
        let mut assumed = Vec::new();
        let mut next = self.composer.lower.model.operations[op].refines;
        while let Some(refined) = next {
            let mut outer = self.precondition_of(op, refined, has_own);
            outer.extend(assumed);
            assumed = outer;
            next = self.composer.lower.model.operations[refined].refines;
        }
        let lower = &mut self.composer.lower;
        let span = lower.model.substs[body].span;
        let inner = match lower.model.subst(body) {
            Subst::Pre { pred, body } if !assumed.is_empty() => {
                assumed.push(*pred);
                *body
            }
            _ => body,
        };
        let pred = match assumed.as_slice() {
            [] => return body,
            [only] => *only,
            _ => lower.add_pred(Pred::And(assumed), span),
        };
        lower.add_subst(Subst::Pre { pred, body: inner }, span)
    }

    /// Conjuncts of an abstract precondition without replaced variables, over the parameters of the refining operation.
    fn precondition_of(&mut self, op: OpId, refined: OpId, has_own: bool) -> Vec<PredId> {
        let Some(OperationSource { instance, params, outputs, body }) =
            self.composer.operation_sources.get(&refined).cloned()
        else {
            return Vec::new();
        };
        let unit = self.composer.instances[instance].unit;
        let own = &self.composer.lower.model.operations[op];
        let (own_params, own_outputs) = (own.params.clone(), own.outputs.clone());
        let Some(pre) = precondition(self.composer.lower.tree(unit), body) else { return Vec::new() };
        if own_params.len() != params.len() || own_outputs.len() != outputs.len() {
            return Vec::new();
        }
        let names = self.composer.instances[instance].names.clone();
        let defs = self.composer.definitions(unit);
        let lower = &mut self.composer.lower;
        let (own_names, own_defs) =
            (std::mem::replace(&mut lower.names, names), std::mem::replace(&mut lower.defs, defs));
        let params = params.into_iter().zip(own_params).map(|(name, local)| (name, local, LocalKind::Parameter));
        // A precondition may give the types of outputs.
        let outputs = outputs.into_iter().zip(own_outputs).map(|(name, local)| (name, local, LocalKind::Output));
        let locals: Vec<(SmolStr, LocalId, LocalKind)> = params.chain(outputs).collect();
        let global = lower.global(unit);
        let ctx: Ctx = lower.push_frame(global, FrameKind::Locals(locals));
        let mut assumed = Vec::new();
        for conjunct in lower.conjuncts(ctx, pre) {
            let pred = lower.pred(ctx, conjunct);
            match lower.replaced_variable(pred) {
                _ if lower.mentions_output(op, pred) => {}
                None => assumed.push(pred),
                Some(_) if has_own => {}
                Some((name, span)) => lower.report_precondition(op, &name, span),
            }
        }
        (lower.names, lower.defs) = (own_names, own_defs);
        assumed
    }
}

impl Lower<'_> {
    /// Conjuncts of a loop invariant or of the condition of an ASSERT without replaced variables. The rules of B allow such variables there;
    /// conjuncts with them are dropped.
    pub(super) fn determined(&mut self, ctx: Ctx, pred: ast::ExprId, what: &str) -> PredId {
        let span = self.tree(ctx.unit).expr(pred).span;
        let mut kept = Vec::new();
        for conjunct in self.conjuncts(ctx, pred) {
            if self.mentions_abstract(ctx, conjunct) {
                let span = self.tree(ctx.unit).expr(conjunct).span;
                let message =
                    format!("this part of the {what} mentions variables of the abstraction and is not checked");
                self.report(Diagnostic::warning("abstract-loop-invariant", message).at(span));
            } else {
                kept.push(self.pred(ctx, conjunct));
            }
        }
        match kept.as_slice() {
            [] => self.add_pred(Pred::True, span),
            [only] => *only,
            _ => self.add_pred(Pred::And(kept), span),
        }
    }

    /// True if a formula mentions a variable of the abstraction, directly or through definitions.
    fn mentions_abstract(&self, ctx: Ctx, root: ast::ExprId) -> bool {
        let mut found = false;
        let mut expanded: HashSet<SmolStr> = HashSet::new();
        let mut open = vec![(ctx.unit, root)];
        while let Some((unit, root)) = open.pop().filter(|_| !found) {
            let tree = self.tree(unit);
            tree.for_each_node(syntax::AstNode::Expr(root), &mut |node| {
                let syntax::AstNode::Expr(id) = node else { return };
                let (ast::Expr::Ident(name) | ast::Expr::Before(name)) = &tree.expr(id).expr else { return };
                if self.frames.find(ctx.frame, name).is_some() {
                    return;
                }
                if let Some(entry) = self.defs.get(name).filter(|_| expanded.insert(name.clone())) {
                    if let ast::DefinitionBody::Formula(body) = entry.body {
                        open.push((entry.unit, body));
                    }
                    return;
                }
                let symbol = self.names.symbols.get(name).map(|entry| entry.symbol);
                found |= matches!(symbol, Some(Symbol::Variable(_, Access::Abstract)));
            });
        }
        found
    }

    /// First replaced variable that a predicate reads, with its span.
    fn replaced_variable(&self, pred: PredId) -> Option<(SmolStr, Span)> {
        let model = &self.model;
        let mut found = None;
        model.for_each_node(ModelNode::Pred(pred), &mut |node| {
            let ModelNode::Expr(id) = node else { return };
            let node = &model.exprs[id];
            match &node.expr {
                Expr::Variable(id) if model.variables[*id].is_abstract => {
                    found = Some((model.variables[*id].name.clone(), node.span));
                }
                // The reads of an operation are not known before all bodies are lowered.
                Expr::CallOperation(op, _) => found = Some((model.operations[*op].name.clone(), node.span)),
                _ => {}
            }
        });
        found
    }

    fn report_precondition(&mut self, op: OpId, name: &str, span: Span) {
        let operation = &self.model.operations[op];
        let message = format!(
            "the refinement of `{}` cannot assume this: `{name}` is not part of the refinement's state",
            operation.name
        );
        let diagnostic = Diagnostic::warning("abstract-precondition", message).at(span);
        let diagnostic = diagnostic.also(operation.origin.span, "refined here, without a precondition");
        self.report(diagnostic.help("state the precondition in the refinement, over its own variables"));
    }
}

/// Precondition of an operation: the predicate of a PRE around the whole body.
fn precondition(tree: &ast::Ast, mut body: ast::SubstId) -> Option<ast::ExprId> {
    loop {
        match &tree.subst(body).subst {
            ast::Subst::Block(inner) => body = *inner,
            ast::Subst::Pre { pred, .. } => return Some(*pred),
            _ => return None,
        }
    }
}
