//! Expansion of definitions, and calls of external ones.
//!
//! A use is lowered as the body in a new frame of formals. The frame hides the formals of outer definitions, and actual arguments are lowered in the
//! frame of the use. So neither side captures names of the other.

use std::rc::Rc;

use abridge_diag::{Diagnostic, Span, with_stack};
use abridge_model::{Expr, ExprId, External, ExternalId, ExternalKind, Pred, PredId, SmolStr, Subst, SubstId};
use abridge_syntax::ast::{self, DefinitionBody, Ident, Sort};

use crate::definitions::DefEntry;
use crate::lower::Lower;
use crate::scope::{Ctx, FrameKind, LocalMeaning, Symbol};
use crate::types::{Ty, TypeTerm, Unifier};

/// Largest number of identifiers in an identifier list, nested lists included.
const MAX_LISTED_IDENTIFIERS: usize = 100_000;

impl Lower<'_> {
    /// Lowers a definition used as an expression.
    pub(crate) fn expand_expr(&mut self, ctx: Ctx, entry: &Rc<DefEntry>, args: &[ast::ExprId], span: Span) -> ExprId {
        if entry.is_cyclic {
            return self.error_expr(span);
        }
        match &entry.external {
            Some((ExternalKind::Function, _)) => return self.external_function(ctx, entry, args, span),
            Some((ExternalKind::Predicate, _)) => {
                let diagnostic = Diagnostic::error(
                    "expression-expected",
                    format!("`{}` is an external predicate, but an expression is needed here", entry.name.name),
                );
                self.report(diagnostic.at(span).help("`bool(...)` is the truth value of a predicate as a BOOL"));
                return self.error_expr(span);
            }
            _ => {}
        }
        if entry.params.is_empty() && !args.is_empty() {
            let function = self.expand_expr(ctx, entry, &[], span);
            let args: Vec<ExprId> = args.iter().map(|arg| self.expr(ctx, *arg)).collect();
            return self.apply(function, &args, span);
        }
        let DefinitionBody::Formula(body) = entry.body else {
            self.report_substitution(entry, span);
            return self.error_expr(span);
        };
        if self.tree(entry.unit).sort(body) == Sort::Predicate {
            let snippet = self.snippet(span);
            let message = format!("`{snippet}` is a predicate, but an expression is needed here");
            let diagnostic =
                Diagnostic::error("expression-expected", message).at(span).also(entry.name.span, "defined here");
            self.report(diagnostic.help(format!("`bool({snippet})` is its truth value as a BOOL")));
            return self.error_expr(span);
        }
        let Some(inner) = self.enter_definition(ctx, entry, args, span) else { return self.error_expr(span) };
        let result = self.expr(inner, body);
        self.expansions.pop();
        result
    }

    fn report_substitution(&mut self, entry: &DefEntry, span: Span) {
        let message = format!("definition `{}` is a substitution, but a formula is needed here", entry.name.name);
        let diagnostic = Diagnostic::error("substitution-as-formula", message).at(span);
        self.report(diagnostic.also(entry.name.span, "defined here"));
    }

    /// Reports a definition that is an expression and is used as a predicate.
    fn report_expression(&mut self, ctx: Ctx, entry: &Rc<DefEntry>, args: &[ast::ExprId], span: Span) -> PredId {
        let expr = self.expand_expr(ctx, entry, args, span);
        let ty = self.ty(expr);
        if !self.types.is_error(ty) {
            let (snippet, text) = (self.snippet(span), self.types.text(&self.model, ty));
            let message = format!("`{snippet}` is an expression of type {text}, but a predicate is needed here");
            let diagnostic =
                Diagnostic::error("predicate-expected", message).at(span).also(entry.name.span, "defined here");
            let value = if matches!(self.types.shape(ty), TypeTerm::Bool) { "TRUE" } else { "..." };
            self.report(diagnostic.help(format!("compare it with something: `{snippet} = {value}`")));
        }
        self.error_pred(span)
    }

    /// Lowers a name or call used as a predicate: a definition, an external predicate or a formal.
    pub(crate) fn named_pred(
        &mut self,
        ctx: Ctx,
        id: ast::ExprId,
        name: &SmolStr,
        args: &[ast::ExprId],
        span: Span,
    ) -> PredId {
        match self.frames.find(ctx.frame, name) {
            Some(LocalMeaning::Formal(arg, at)) if args.is_empty() => {
                let at = self.argument_ctx(ctx, arg, at);
                return self.pred(at, arg);
            }
            Some(_) => return self.report_not_a_predicate(ctx, id, span),
            None => {}
        }
        let Some(entry) = self.defs.get(name).cloned() else { return self.report_not_a_predicate(ctx, id, span) };
        if entry.is_cyclic {
            return self.error_pred(span);
        }
        match &entry.external {
            Some((ExternalKind::Predicate, declaration)) => {
                let declaration = declaration.clone();
                return self.external_predicate(ctx, &entry, &declaration, args, span);
            }
            Some(_) => return self.report_not_a_predicate(ctx, id, span),
            None => {}
        }
        match entry.body {
            DefinitionBody::Formula(body) if self.tree(entry.unit).sort(body) == Sort::Expression => {
                self.report_expression(ctx, &entry, args, span)
            }
            DefinitionBody::Formula(body) if entry.params.len() == args.len() || !entry.params.is_empty() => {
                let Some(inner) = self.enter_definition(ctx, &entry, args, span) else { return self.error_pred(span) };
                let result = self.pred(inner, body);
                self.expansions.pop();
                result
            }
            _ => self.report_not_a_predicate(ctx, id, span),
        }
    }

    /// Context of the body of a definition for one use. The caller pops `expansions` after the body.
    pub(crate) fn enter_definition(
        &mut self,
        ctx: Ctx,
        entry: &DefEntry,
        args: &[ast::ExprId],
        span: Span,
    ) -> Option<Ctx> {
        if entry.params.len() != args.len() {
            let name = &entry.name.name;
            let message = format!(
                "definition `{name}` takes {}, but is given {}",
                plural(entry.params.len(), "argument"),
                given(args.len())
            );
            let diagnostic = Diagnostic::error("wrong-arity", message).at(span).also(entry.name.span, "defined here");
            self.report(diagnostic.help(format!("write `{}`", with_params(name, &entry.params))));
            return None;
        }
        let formals = entry.params.iter().zip(args).map(|(param, arg)| (param.name.clone(), *arg, ctx)).collect();
        let inner = self.push_frame(ctx, FrameKind::Formals(formals));
        self.expansions.push(span);
        Some(Ctx { unit: entry.unit, frame: inner.frame })
    }

    /// Replaces names that are definitions of identifier lists by those identifiers.
    pub(crate) fn expand_identifiers(&mut self, ids: &[Ident]) -> Vec<Ident> {
        let mut out = Vec::with_capacity(ids.len());
        for id in ids {
            match self.defs.get(&id.name).cloned().filter(|entry| !entry.is_cyclic) {
                None => out.push(id.clone()),
                Some(entry) => match self.identifier_list(&entry) {
                    Some(names) => out.extend(names.into_iter().map(|name| Ident { name, span: id.span })),
                    None => {
                        let message = format!("`{}` is a definition and cannot be used as a new name", id.name);
                        let diagnostic = Diagnostic::error("definition-as-identifier", message).at(id.span);
                        self.report(
                            diagnostic
                                .also(entry.name.span, "defined here")
                                .help("choose another name for the bound variable"),
                        );
                        out.push(id.clone());
                    }
                },
            }
        }
        out
    }

    /// Names of an identifier list such as `L == a, b, c`.
    pub(crate) fn identifier_list(&self, entry: &DefEntry) -> Option<Vec<SmolStr>> {
        let DefinitionBody::Formula(body) = entry.body else { return None };
        if !entry.params.is_empty() {
            return None;
        }
        let tree = self.tree(entry.unit);
        let items = match &tree.expr(body).expr {
            ast::Expr::Ident(name) => return self.listed(name),
            ast::Expr::Tuple(items) => items,
            _ => return None,
        };
        let mut names = Vec::new();
        for item in items {
            let ast::Expr::Ident(name) = &tree.expr(*item).expr else { return None };
            names.extend(self.listed(name)?);
            if names.len() > MAX_LISTED_IDENTIFIERS {
                return None;
            }
        }
        Some(names)
    }

    fn listed(&self, name: &SmolStr) -> Option<Vec<SmolStr>> {
        match self.defs.get(name) {
            Some(entry) if !entry.is_cyclic => with_stack(|| self.identifier_list(entry)),
            _ => Some(vec![name.clone()]),
        }
    }

    fn external(&mut self, name: &SmolStr, kind: ExternalKind) -> ExternalId {
        let external = External { name: name.clone(), kind };
        let known = self.model.externals.iter().find(|(_, known)| **known == external).map(|(id, _)| id);
        known.unwrap_or_else(|| self.model.externals.push(external))
    }

    fn external_function(&mut self, ctx: Ctx, entry: &Rc<DefEntry>, args: &[ast::ExprId], span: Span) -> ExprId {
        let Some((kind, declaration)) = entry.external.clone() else { return self.error_expr(span) };
        let DefinitionBody::Formula(body) = declaration.body else { return self.error_expr(span) };
        // A definition with a function type and no parameters, applied to arguments.
        if entry.params.is_empty() && !args.is_empty() {
            let function = self.external_function(ctx, entry, &[], span);
            let args: Vec<ExprId> = args.iter().map(|arg| self.expr(ctx, *arg)).collect();
            return self.apply(function, &args, span);
        }
        let params = self.type_params(&declaration);
        let (domain, result) = match self.arrow_parts(declaration.unit, body) {
            Some((from, to)) if !entry.params.is_empty() => (Some(from), to),
            _ => (None, body),
        };
        let args = self.external_args(ctx, entry, &declaration, domain, args, &params, span);
        let ty = self.declared_type(declaration.unit, result, &params);
        match (args, ty) {
            (Some(args), Some(ty)) => {
                let id = self.external(&entry.name.name, kind);
                self.add_expr(Expr::External(id, args), ty, span)
            }
            _ => self.error_expr(span),
        }
    }

    fn external_predicate(
        &mut self,
        ctx: Ctx,
        entry: &Rc<DefEntry>,
        declaration: &Rc<DefEntry>,
        args: &[ast::ExprId],
        span: Span,
    ) -> PredId {
        match self.external_effect(ctx, entry, declaration, args, span) {
            Some((id, args)) => self.add_pred(Pred::External(id, args), span),
            None => self.error_pred(span),
        }
    }

    pub(crate) fn external_substitution(
        &mut self,
        ctx: Ctx,
        entry: &Rc<DefEntry>,
        declaration: &Rc<DefEntry>,
        args: &[ast::ExprId],
        span: Span,
    ) -> SubstId {
        match self.external_effect(ctx, entry, declaration, args, span) {
            Some((id, args)) => self.add_subst(Subst::External(id, args), span),
            None => self.add_subst(Subst::Skip, span),
        }
    }

    /// Id and typed arguments of an external without a result.
    fn external_effect(
        &mut self,
        ctx: Ctx,
        entry: &Rc<DefEntry>,
        declaration: &Rc<DefEntry>,
        args: &[ast::ExprId],
        span: Span,
    ) -> Option<(ExternalId, Vec<ExprId>)> {
        let kind = entry.external.as_ref()?.0;
        let DefinitionBody::Formula(body) = declaration.body else { return None };
        let params = self.type_params(declaration);
        let domain = (!entry.params.is_empty()).then_some(body);
        let args = self.external_args(ctx, entry, declaration, domain, args, &params, span)?;
        Some((self.external(&entry.name.name, kind), args))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one call")]
    fn external_args(
        &mut self,
        ctx: Ctx,
        entry: &DefEntry,
        declaration: &DefEntry,
        domain: Option<ast::ExprId>,
        args: &[ast::ExprId],
        params: &[(SmolStr, Ty)],
        span: Span,
    ) -> Option<Vec<ExprId>> {
        if args.len() != entry.params.len() {
            let (name, wanted) = (&entry.name.name, plural(entry.params.len(), "argument"));
            let message = format!("external `{name}` takes {wanted}, but is given {}", given(args.len()));
            let diagnostic = Diagnostic::error("wrong-arity", message).at(span).also(entry.name.span, "declared here");
            self.report(diagnostic.help(format!("write `{}`", with_params(name, &entry.params))));
            return None;
        }
        let args: Vec<ExprId> = args.iter().map(|arg| self.expr(ctx, *arg)).collect();
        let Some(domain) = domain else { return Some(args) };
        let mut rest = self.declared_type(declaration.unit, domain, params)?;
        let mut expected = Vec::new();
        for _ in 1..args.len() {
            let TypeTerm::Pair(first, last) = self.types.shape(rest).clone() else {
                let message = format!(
                    "`{}` declares fewer types than `{}` has parameters",
                    declaration.name.name, entry.name.name
                );
                self.report(
                    Diagnostic::error("wrong-external-declaration", message)
                        .at(declaration.name.span)
                        .also(span, "used here"),
                );
                return None;
            };
            expected.push(last);
            rest = first;
        }
        expected.push(rest);
        for (arg, ty) in args.iter().zip(expected.into_iter().rev()) {
            let origin = Some((declaration.name.span, "declared here".to_owned()));
            self.expect_from(*arg, ty, &format!("`{}` takes {{}} here", entry.name.name), span, origin);
        }
        Some(args)
    }

    fn type_params(&mut self, declaration: &DefEntry) -> Vec<(SmolStr, Ty)> {
        declaration.params.iter().map(|param| (param.name.clone(), self.types.fresh())).collect()
    }

    /// Operands of an arrow, as `A` and `B` of `A --> B`.
    fn arrow_parts(&self, unit: crate::project::UnitId, id: ast::ExprId) -> Option<(ast::ExprId, ast::ExprId)> {
        match &self.tree(unit).expr(id).expr {
            ast::Expr::Binary(op, from, to) if op.info().priority == ast::BinaryOp::Relation.info().priority => {
                Some((*from, *to))
            }
            _ => None,
        }
    }

    /// Element type of a set expression that declares a type.
    fn declared_type(&mut self, unit: crate::project::UnitId, id: ast::ExprId, params: &[(SmolStr, Ty)]) -> Option<Ty> {
        let span = self.tree(unit).expr(id).span;
        self.expanded(1, span);
        if self.is_exhausted {
            return None;
        }
        self.deeper(1, span, |this| this.declared_type_inner(unit, id, params))?
    }

    fn declared_type_inner(
        &mut self,
        unit: crate::project::UnitId,
        id: ast::ExprId,
        params: &[(SmolStr, Ty)],
    ) -> Option<Ty> {
        use ast::{Atom, Builtin, Expr as E};
        let project = self.project;
        let node = project.ast(unit).expr(id);
        let of = |this: &mut Self, id: &ast::ExprId| this.declared_type(unit, *id, params);
        let found = match &node.expr {
            E::Ident(name) => {
                let param = params.iter().find(|(known, _)| known == name).map(|(_, ty)| *ty);
                return match (param, self.names.symbols.get(name).map(|entry| entry.symbol)) {
                    (Some(ty), _) => Some(ty),
                    (None, Some(Symbol::Set(set))) => Some(self.types.add(TypeTerm::Given(set))),
                    (None, Some(Symbol::FreeType(free))) => Some(self.types.add(TypeTerm::Free(free))),
                    _ => match self.defs.get(name).cloned() {
                        Some(entry) if entry.params.is_empty() && !entry.is_cyclic => match entry.body {
                            DefinitionBody::Formula(body) => self.declared_type(entry.unit, body, &[]),
                            DefinitionBody::Substitution(_) => self.not_a_type(node.span),
                        },
                        // An undeclared name is an unlisted type parameter.
                        _ => Some(self.types.fresh()),
                    },
                };
            }
            E::Atom(Atom::Integer | Atom::Natural | Atom::Natural1 | Atom::Int | Atom::Nat | Atom::Nat1) => {
                Some(Unifier::INTEGER)
            }
            E::Atom(Atom::Bool) => Some(Unifier::BOOL),
            E::Atom(Atom::String) => Some(Unifier::STRING),
            E::Atom(Atom::Real | Atom::Float) => Some(Unifier::REAL),
            E::Builtin(Builtin::Pow | Builtin::Pow1 | Builtin::Fin | Builtin::Fin1, args) => {
                let elem = of(self, &args[0])?;
                Some(self.types.pow(elem))
            }
            E::Builtin(Builtin::Seq | Builtin::Seq1 | Builtin::Iseq | Builtin::Iseq1 | Builtin::Perm, args) => {
                let elem = of(self, &args[0])?;
                Some(self.types.sequence(elem))
            }
            E::Binary(ast::BinaryOp::Times | ast::BinaryOp::Cartesian, left, right) => {
                let (left, right) = (of(self, left)?, of(self, right)?);
                Some(self.types.pair(left, right))
            }
            E::Binary(op, left, right) if op.info().priority == ast::BinaryOp::Relation.info().priority => {
                let (left, right) = (of(self, left)?, of(self, right)?);
                Some(self.types.relation(left, right))
            }
            E::Struct(fields) => {
                let mut types = Vec::new();
                for (name, set) in fields {
                    types.push((name.name.clone(), of(self, set)?));
                }
                types.sort_by(|(left, _), (right, _)| left.cmp(right));
                Some(self.types.add(TypeTerm::Record(types)))
            }
            E::Binary(ast::BinaryOp::Interval, ..) => Some(Unifier::INTEGER),
            _ => None,
        };
        match found {
            Some(ty) => Some(ty),
            None => self.not_a_type(node.span),
        }
    }

    fn not_a_type(&mut self, span: Span) -> Option<Ty> {
        let snippet = self.snippet(span);
        self.report(
            Diagnostic::error("wrong-external-declaration", format!("`{snippet}` does not declare a type")).at(span),
        );
        None
    }

    /// Lowers a query operation used as an expression, if the preference allows it.
    pub(crate) fn called_operation(
        &mut self,
        ctx: Ctx,
        name: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> Option<ExprId> {
        if !self.model.steering.preferences.flag("ALLOW_OPERATION_CALLS_IN_EXPRESSIONS") {
            return None;
        }
        let op = self.names.operations.get(name)?.op;
        let args: Vec<ExprId> = args.iter().map(|arg| self.expr(ctx, *arg)).collect();
        self.check_arguments(op, &args, span);
        let outputs = self.model.operations[op].outputs.clone();
        if outputs.is_empty() {
            let message = format!("operation `{name}` has no output and cannot be used as an expression");
            self.report(Diagnostic::error("no-output", message).at(span));
            return Some(self.error_expr(span));
        }
        let ty = self.binder_type(&outputs);
        Some(self.add_expr(Expr::CallOperation(op, args), ty, span))
    }
}

/// Text of a count after "but is given".
pub(crate) fn given(count: usize) -> String {
    match count {
        0 => "none".to_owned(),
        1 => "one".to_owned(),
        n => n.to_string(),
    }
}

/// Text of a signature: `f(a, b)`.
pub(crate) fn with_params(name: &str, params: &[Ident]) -> String {
    let params: Vec<&str> = params.iter().map(|param| param.name.as_str()).collect();
    if params.is_empty() { name.to_owned() } else { format!("{name}({})", params.join(", ")) }
}

/// `one argument`, `2 arguments`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("one {noun}"),
        n => format!("{n} {noun}s"),
    }
}
