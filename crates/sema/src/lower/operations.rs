//! Operations of one machine instance: signatures, bodies, promotion, and links to refined operations.
//!
//! Signatures are declared before any body is lowered, since bodies may call later operations. A refined operation takes the types of
//! its parameters from the abstract one and, unless that is switched off, assumes the abstract precondition (`inherited.rs`).

use std::collections::HashMap;

use abridge_diag::{Diagnostic, Span};
use abridge_model::{
    Effects, Expr, LocalId, ModelNode, OpId, Operation, Pred, PredId, SmolStr, Subst, SubstId, TypeId,
};
use abridge_syntax::ast::{self, ClauseKind, Ident};

use crate::lower::compose::{DependencyKind, OperationSource, joined};
use crate::lower::machine::InstanceBody;
use crate::lower::{ClausePlace, Lower};
use crate::scope::{Ctx, FrameKind, LocalKind, OpAccess, OpEntry};

/// Operation with a declared signature, whose body is not yet lowered.
pub(super) struct DeclaredOperation<'m> {
    op: OpId,
    ctx: Ctx,
    syntax: &'m ast::Operation,
    role: BodyRole,
}

/// Role of the body of a declared operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BodyRole {
    /// The body defines the operation.
    Whole,
    /// The body, in OPERATIONS, realises an operation that LOCAL_OPERATIONS specifies.
    Realisation,
}

impl<'m> InstanceBody<'_, '_, 'm> {
    /// Declares all operations. LOCAL_OPERATIONS come first, since OPERATIONS may realise them.
    pub(super) fn declare_operations(&mut self) -> Vec<DeclaredOperation<'m>> {
        self.composer.lower.place = ClausePlace::Operation;
        let mut declared: Vec<DeclaredOperation<'m>> = Vec::new();
        for clause in self.clauses() {
            let ClauseKind::LocalOperations(list) = clause else { continue };
            declared.extend(list.iter().map(|syntax| self.declare_operation(syntax, OpAccess::Local)));
        }
        let specified: HashMap<&'m SmolStr, (OpId, &'m Ident)> =
            declared.iter().map(|local| (&local.syntax.name.name, (local.op, &local.syntax.name))).collect();
        let mut realised: HashMap<OpId, &Ident> = HashMap::new();
        for clause in self.clauses() {
            let ClauseKind::Operations(list) = clause else { continue };
            for syntax in list {
                let Some((op, specification)) = specified.get(&syntax.name.name) else {
                    declared.push(self.declare_operation(syntax, OpAccess::Own));
                    continue;
                };
                match realised.insert(*op, &syntax.name) {
                    Some(first) => self.report_second_operation(&syntax.name, first.span),
                    None => declared.extend(self.realise_operation(*op, specification, syntax)),
                }
            }
        }
        declared
    }

    /// Declares the realisation, in OPERATIONS, of an operation of LOCAL_OPERATIONS: it has the same parameters and outputs, and is local too.
    fn realise_operation(
        &mut self,
        op: OpId,
        specification: &Ident,
        syntax: &'m ast::Operation,
    ) -> Option<DeclaredOperation<'m>> {
        let ctx = self.ctx();
        let lower = &mut self.composer.lower;
        let operation = &lower.model.operations[op];
        let (params, outputs) = (operation.params.clone(), operation.outputs.clone());
        if params.len() != syntax.params.len() || outputs.len() != syntax.outputs.len() {
            let message = format!("operation `{}` has another heading in LOCAL_OPERATIONS", syntax.name.name);
            lower.report(
                Diagnostic::error("wrong-arity", message)
                    .at(syntax.name.span)
                    .also(specification.span, "specified here")
                    .help("repeat the parameters and outputs of the specification"),
            );
            return None;
        }
        let named = |ids: &[Ident], locals: &[LocalId], kind: LocalKind| -> Vec<_> {
            ids.iter().zip(locals).map(|(id, local)| (id.name.clone(), *local, kind)).collect()
        };
        let mut locals = named(&syntax.params, &params, LocalKind::Parameter);
        locals.extend(named(&syntax.outputs, &outputs, LocalKind::Output));
        let ctx = lower.push_frame(ctx, FrameKind::Locals(locals));
        Some(DeclaredOperation { op, ctx, syntax, role: BodyRole::Realisation })
    }

    fn declare_operation(&mut self, syntax: &'m ast::Operation, access: OpAccess) -> DeclaredOperation<'m> {
        let ctx = self.ctx();
        let name = joined(&self.prefix(), &syntax.name.name);
        let origin = self.origin(syntax.name.span, syntax.desc.clone());
        let lower = &mut self.composer.lower;
        let mut first_of: HashMap<&SmolStr, &Ident> = HashMap::new();
        for id in syntax.params.iter().chain(&syntax.outputs) {
            let first = *first_of.entry(&id.name).or_insert(id);
            if first.span != id.span {
                let message =
                    format!("`{}` is declared twice in the heading of operation `{}`", id.name, syntax.name.name);
                lower.report(
                    Diagnostic::error("duplicate-identifier", message)
                        .at(id.span)
                        .also(first.span, "first declared here"),
                );
            }
        }
        let mut declare = |ids: &[Ident], kind: LocalKind| -> Vec<_> {
            ids.iter().map(|id| (id.name.clone(), lower.add_local(id.name.clone(), id.span), kind)).collect()
        };
        let params = declare(&syntax.params, LocalKind::Parameter);
        let outputs = declare(&syntax.outputs, LocalKind::Output);
        let ids = |list: &[(SmolStr, _, LocalKind)]| list.iter().map(|(_, local, _)| *local).collect();
        lower.unify_namesakes(&params, &outputs);
        let operation = Operation {
            name,
            params: ids(&params),
            outputs: ids(&outputs),
            body: SubstId(0),
            is_top_level: false,
            refines: None,
            effects: Effects::default(),
            origin,
        };
        let op = lower.model.operations.push(operation);
        let written = |ids: &[Ident]| ids.iter().map(|id| id.name.clone()).collect();
        let source = OperationSource {
            instance: self.idx,
            params: written(&syntax.params),
            outputs: written(&syntax.outputs),
            body: syntax.body,
        };
        self.composer.operation_sources.insert(op, source);
        let lower = &mut self.composer.lower;
        let ctx = lower.push_frame(ctx, FrameKind::Locals(params.into_iter().chain(outputs).collect()));
        self.add_operation_name(&syntax.name, op, access);
        self.link_abstract_operation(syntax, op);
        if access == OpAccess::Own {
            self.composer.instances[self.idx].exported.push((syntax.name.name.clone(), op));
        }
        DeclaredOperation { op, ctx, syntax, role: BodyRole::Whole }
    }

    fn add_operation_name(&mut self, name: &Ident, op: OpId, access: OpAccess) {
        let lower = &mut self.composer.lower;
        let known = lower.names.operations.insert(name.name.clone(), OpEntry { op, access });
        if let Some(known) = known.filter(|known| matches!(known.access, OpAccess::Own | OpAccess::Local)) {
            let first = lower.model.operations[known.op].origin.span;
            self.report_second_operation(name, first);
        }
    }

    fn report_second_operation(&mut self, name: &Ident, first: Span) {
        let message = format!("operation `{}` is declared twice", name.name);
        self.composer.lower.report(
            Diagnostic::error("duplicate-name", message)
                .at_saying(name.span, "declared again")
                .also(first, "first declared here"),
        );
    }

    /// Links an operation to the one that it refines, with the same types of parameters and outputs.
    fn link_abstract_operation(&mut self, syntax: &ast::Operation, op: OpId) {
        let deps = &self.composer.instances[self.idx].deps;
        let Some(dep) = deps.iter().find(|dep| dep.kind == DependencyKind::Refines) else { return };
        let wanted = syntax.refines.as_ref().unwrap_or(&syntax.name);
        let exported = &self.composer.instances[dep.to].exported;
        let Some((_, abstract_op)) = exported.iter().find(|(name, _)| *name == wanted.name).cloned() else {
            if let Some(refined) = &syntax.refines {
                let message = format!("the abstraction has no operation `{}`", refined.name);
                self.composer.lower.report(Diagnostic::error("unknown-operation", message).at(refined.span));
            }
            return;
        };
        let lower = &mut self.composer.lower;
        lower.model.operations[op].refines = Some(abstract_op);
        // The span is that of the abstract operation, which determines the type.
        let pairs = |model: &abridge_model::Model| -> Vec<(TypeId, TypeId, Span)> {
            let (own, other) = (&model.operations[op], &model.operations[abstract_op]);
            if own.params.len() != other.params.len() || own.outputs.len() != other.outputs.len() {
                return Vec::new();
            }
            let own = own.params.iter().chain(&own.outputs).map(|local| &model.locals[*local]);
            let other = other.params.iter().chain(&other.outputs).map(|local| &model.locals[*local]);
            own.zip(other).map(|(own, other)| (own.ty, other.ty, other.span)).collect()
        };
        for (own, other, span) in pairs(&lower.model) {
            lower.agree(own, other, |own, other| format!("this is {own} here, but {other} in the abstraction"), span);
        }
    }

    pub(super) fn operation_bodies(&mut self, declared: &[DeclaredOperation<'m>]) {
        for operation in declared {
            let lower = &mut self.composer.lower;
            lower.place = ClausePlace::Operation;
            let body = lower.subst(operation.ctx, operation.syntax.body);
            let body = lower.without_types_of_outputs(operation.op, body);
            let operation_body = match operation.role {
                BodyRole::Whole => self.under_abstract_preconditions(operation.op, body),
                BodyRole::Realisation => lower.under_precondition(operation.op, body),
            };
            let lower = &mut self.composer.lower;
            lower.model.operations[operation.op].body = operation_body;
            lower.resolve_overloads();
        }
    }

    /// Promotes operations of included machines.
    pub(super) fn promotions(&mut self) {
        let mut promoted: Vec<(SmolStr, OpId)> = Vec::new();
        for dep in self.composer.instances[self.idx].deps.iter().filter(|dep| dep.kind == DependencyKind::Extends) {
            let exported = &self.composer.instances[dep.to].exported;
            promoted.extend(exported.iter().map(|(name, op)| (joined(&dep.prefix, name), *op)));
        }
        for clause in self.clauses() {
            let ClauseKind::Promotes(names) = clause else { continue };
            for name in names {
                match self.composer.lower.names.operations.get(&name.name) {
                    Some(OpEntry { op, access: OpAccess::Included }) => promoted.push((name.name.clone(), *op)),
                    _ => self.report_unknown_promotion(name),
                }
            }
        }
        let exported = &mut self.composer.instances[self.idx].exported;
        for (name, op) in promoted {
            if !exported.iter().any(|(_, known)| *known == op) {
                exported.push((name, op));
            }
        }
    }

    fn report_unknown_promotion(&mut self, name: &Ident) {
        let lower = &mut self.composer.lower;
        let included = lower.names.operations.iter().filter(|(_, entry)| entry.access == OpAccess::Included);
        let near = crate::suggest::nearest(&name.name, included.map(|(name, _)| name.as_str())).map(str::to_owned);
        let mut diagnostic = Diagnostic::error(
            "unknown-operation",
            format!("no included machine has an operation `{}` to promote", name.name),
        )
        .at(name.span);
        diagnostic = match (lower.names.operations.get(&name.name).map(|entry| entry.access), near) {
            (Some(OpAccess::Seen | OpAccess::Used), _) => {
                diagnostic.help("its machine is only seen or used; operations are promoted from machines in INCLUDES")
            }
            (Some(OpAccess::Own | OpAccess::Local), _) => {
                diagnostic.help("operations of the machine itself need no PROMOTES")
            }
            (_, Some(near)) => diagnostic.help(format!("a similar name exists: `{near}`")),
            _ => diagnostic,
        };
        lower.report(diagnostic);
    }
}

impl Lower<'_> {
    /// An operation without the conjuncts of its precondition that mention outputs. They give types; outputs have no values that a caller could be asked for.
    fn without_types_of_outputs(&mut self, op: OpId, body: SubstId) -> SubstId {
        let Subst::Pre { pred, body: inner } = *self.model.subst(body) else { return body };
        let (mut asked, mut is_whole, mut open) = (Vec::new(), true, vec![pred]);
        while let Some(pred) = open.pop() {
            match self.model.pred(pred) {
                Pred::And(parts) => open.extend(parts.iter().rev()),
                _ if self.mentions_output(op, pred) => is_whole = false,
                _ => asked.push(pred),
            }
        }
        let span = self.model.substs[body].span;
        let pred = match asked.as_slice() {
            _ if is_whole => return body,
            [] => return inner,
            [only] => *only,
            _ => self.add_pred(Pred::And(asked), span),
        };
        self.add_subst(Subst::Pre { pred, body: inner }, span)
    }

    /// A predicate mentions an output of an operation.
    pub(super) fn mentions_output(&self, op: OpId, pred: PredId) -> bool {
        let (model, outputs) = (&self.model, &self.model.operations[op].outputs);
        let mut is_found = false;
        model.for_each_node(ModelNode::Pred(pred), &mut |node| {
            let ModelNode::Expr(id) = node else { return };
            is_found |= matches!(&model.exprs[id].expr, Expr::Local(local) if outputs.contains(local));
        });
        is_found
    }

    /// Unifies the types of parameters of the same name, which were reported, so that a missing type is not reported too.
    fn unify_namesakes(&mut self, params: &[(SmolStr, LocalId, LocalKind)], outputs: &[(SmolStr, LocalId, LocalKind)]) {
        let mut first_of = std::collections::HashMap::new();
        for (name, local, _) in params.iter().chain(outputs) {
            let ty = self.model.locals[*local].ty;
            let first = *first_of.entry(name).or_insert(ty);
            let _ = self.types.unify(first, ty, self.model.locals[*local].span);
        }
    }

    /// Body of a realised operation: the precondition of the specification, which callers must ensure, around the realisation.
    fn under_precondition(&mut self, op: OpId, realisation: SubstId) -> SubstId {
        let specification = self.model.operations[op].body;
        match &mut self.model.substs[specification].subst {
            Subst::Pre { body, .. } => {
                *body = realisation;
                specification
            }
            _ => realisation,
        }
    }
}
