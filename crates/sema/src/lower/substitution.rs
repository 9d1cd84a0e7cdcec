//! Lowering of substitutions.

use std::collections::HashMap;

use abridge_diag::{Diagnostic, Span};
use abridge_model::{BinaryOp, Expr, ExprId, LocalId, OpId, PredId, SmolStr, Subst, SubstId, Target};
use abridge_syntax::AstNode;
use abridge_syntax::ast::{self, DefinitionBody, Ident};

use crate::definitions::DefEntry;
use crate::lower::definitions::{given, plural};
use crate::lower::{ClausePlace, Lower};
use crate::scope::{Access, BeforeValue, Ctx, FrameKind, LocalKind, LocalMeaning, OpAccess, OpEntry, Symbol};
use crate::types::overload::PendingKind;

/// Deepest left-hand side. Lowering `f(1)(2)'a := E` copies `f(1)(2)`, `f(1)` and `f`, so its size is quadratic in the depth.
const MAX_PLACE_DEPTH: u32 = 64;

impl Lower<'_> {
    pub(crate) fn subst(&mut self, ctx: Ctx, id: ast::SubstId) -> SubstId {
        let span = self.tree(ctx.unit).subst(id).span;
        let lowered = self.deeper(1, span, |this| this.subst_inner(ctx, id));
        lowered.unwrap_or_else(|| self.add_subst(Subst::Skip, span))
    }

    fn subst_inner(&mut self, ctx: Ctx, id: ast::SubstId) -> SubstId {
        let project = self.project;
        let node = project.ast(ctx.unit).subst(id);
        let span = node.span;
        if self.is_exhausted {
            return self.add_subst(Subst::Skip, span);
        }
        match &node.subst {
            ast::Subst::Error | ast::Subst::Skip => self.add_subst(Subst::Skip, span),
            ast::Subst::Block(body) => self.subst(ctx, *body),
            ast::Subst::Assign { targets, values } => self.assignment(ctx, targets, values, span),
            ast::Subst::BecomesElement { targets, set } => self.becomes_element(ctx, targets, *set, span),
            ast::Subst::BecomesSuch { targets, pred } => self.becomes_such(ctx, targets, *pred, span),
            ast::Subst::Pre { pred, body } => {
                let (pred, body) = (self.pred(ctx, *pred), self.subst(ctx, *body));
                self.add_subst(Subst::Pre { pred, body }, span)
            }
            ast::Subst::Assert { pred, body } => {
                let (pred, body) = (self.determined(ctx, *pred, "assertion"), self.subst(ctx, *body));
                self.add_subst(Subst::Assert { pred, body }, span)
            }
            ast::Subst::Witness { pred, body } => {
                let branch = (self.pred(ctx, *pred), self.subst(ctx, *body));
                self.add_subst(Subst::Select { branches: vec![branch], otherwise: None }, span)
            }
            ast::Subst::Select { branches, otherwise } => {
                let (branches, otherwise) = self.branches(ctx, branches, *otherwise);
                self.add_subst(Subst::Select { branches, otherwise }, span)
            }
            ast::Subst::If { branches, otherwise } => {
                let (branches, otherwise) = self.branches(ctx, branches, *otherwise);
                self.add_subst(Subst::If { branches, otherwise }, span)
            }
            ast::Subst::Choice(parts) => {
                let parts = parts.iter().map(|part| self.subst(ctx, *part)).collect();
                self.add_subst(Subst::Choice(parts), span)
            }
            ast::Subst::Case { selector, branches, otherwise } => self.case(ctx, *selector, branches, *otherwise, span),
            ast::Subst::Any { ids, pred, body } => {
                let (inner, binder) = self.bind(ctx, ids, LocalKind::Bound);
                let (pred, body) = (self.pred(inner, *pred), self.subst(inner, *body));
                self.add_subst(Subst::Any { binder, pred, body }, span)
            }
            ast::Subst::Let { ids, pred, body } => {
                let (inner, bindings) = self.let_bindings(ctx, ids, *pred);
                let body = self.subst(inner, *body);
                self.add_subst(Subst::Let { bindings, body }, span)
            }
            ast::Subst::Var { ids, body } => {
                let (inner, locals) = self.bind(ctx, ids, LocalKind::Var);
                let body = self.subst(inner, *body);
                self.drop_dead_choices(&locals, body);
                self.add_subst(Subst::Var { locals, body }, span)
            }
            ast::Subst::While { condition, body, invariant, variant } => {
                self.while_loop(ctx, *condition, *body, *invariant, *variant, span)
            }
            ast::Subst::Call { outputs, name, args } => self.call(ctx, outputs, name, args, span),
            ast::Subst::Sequence(parts) => {
                let parts = parts.iter().map(|part| self.subst(ctx, *part)).collect();
                self.add_subst(Subst::Sequence(parts), span)
            }
            ast::Subst::Parallel(parts) => {
                let parts = parts.iter().map(|part| self.subst(ctx, *part)).collect();
                self.add_subst(Subst::Parallel(parts), span)
            }
        }
    }

    fn branches(
        &mut self,
        ctx: Ctx,
        branches: &[(ast::ExprId, ast::SubstId)],
        otherwise: Option<ast::SubstId>,
    ) -> (Vec<(PredId, SubstId)>, Option<SubstId>) {
        let branches = branches.iter().map(|(pred, body)| (self.pred(ctx, *pred), self.subst(ctx, *body))).collect();
        (branches, otherwise.map(|body| self.subst(ctx, body)))
    }

    fn case(
        &mut self,
        ctx: Ctx,
        selector: ast::ExprId,
        branches: &[(Vec<ast::ExprId>, ast::SubstId)],
        otherwise: Option<ast::SubstId>,
        span: Span,
    ) -> SubstId {
        let selector = self.expr(ctx, selector);
        let mut lowered = Vec::new();
        for (values, body) in branches {
            let values: Vec<ExprId> = values.iter().map(|value| self.expr(ctx, *value)).collect();
            for value in &values {
                self.expect_like(selector, *value, self.span(*value));
            }
            lowered.push((values, self.subst(ctx, *body)));
        }
        let otherwise = otherwise.map(|body| self.subst(ctx, body));
        self.add_subst(Subst::Case { selector, branches: lowered, otherwise }, span)
    }

    fn assignment(&mut self, ctx: Ctx, targets: &[ast::ExprId], values: &[ast::ExprId], span: Span) -> SubstId {
        if targets.len() != values.len() {
            let message = format!(
                "`:=` has {} on its left, but {} on its right",
                plural(targets.len(), "variable"),
                plural(values.len(), "value")
            );
            self.report(
                Diagnostic::error("assignment-count", message)
                    .at(span)
                    .help("write one value for each variable, with commas between"),
            );
            return self.add_subst(Subst::Skip, span);
        }
        let values: Vec<ExprId> = values.iter().map(|value| self.expr(ctx, *value)).collect();
        let mut assigned: Vec<(Target, ExprId)> = Vec::new();
        let mut places: HashMap<Target, Span> = HashMap::new();
        for (target, value) in targets.iter().zip(values) {
            let place = self.tree(ctx.unit).expr(*target).span;
            if let Some((target, value)) = self.assign_place(ctx, *target, value, span) {
                if let Some(first) = places.get(&target) {
                    let message = format!("`{}` is assigned twice at once", self.target_name(target));
                    let diagnostic =
                        Diagnostic::error("assigned-twice", message).at(place).also(*first, "first assigned here");
                    self.report(diagnostic.help("a variable gets one value; assign it once"));
                    continue;
                }
                places.insert(target, place);
                assigned.push((target, value));
            }
        }
        if assigned.is_empty() {
            return self.add_subst(Subst::Skip, span);
        }
        let (targets, values) = assigned.into_iter().unzip();
        self.add_subst(Subst::Assign { targets, values }, span)
    }

    /// Variable of a left-hand side and its new value as a whole: `f(x) := E` is `f := f <+ {x|->E}`.
    fn assign_place(&mut self, ctx: Ctx, place: ast::ExprId, value: ExprId, span: Span) -> Option<(Target, ExprId)> {
        let tree = self.tree(ctx.unit);
        let mut inner = place;
        for _ in 0..MAX_PLACE_DEPTH {
            match &tree.expr(inner).expr {
                ast::Expr::Apply(whole, _) | ast::Expr::Field(whole, _) => inner = *whole,
                _ => return self.assign_place_within(MAX_PLACE_DEPTH, ctx, place, value, span),
            }
        }
        self.report_deep_place(span);
        None
    }

    fn report_deep_place(&mut self, span: Span) {
        let message = format!("an assigned place has {MAX_PLACE_DEPTH} or more arguments and fields in a row");
        self.report(Diagnostic::error("nested-too-deep", message).at(span));
    }

    fn assign_place_within(
        &mut self,
        n_levels: u32,
        ctx: Ctx,
        place: ast::ExprId,
        value: ExprId,
        span: Span,
    ) -> Option<(Target, ExprId)> {
        let project = self.project;
        let node = project.ast(ctx.unit).expr(place);
        match &node.expr {
            ast::Expr::Ident(name) => {
                if let Some(LocalMeaning::Formal(arg, at)) = self.frames.find(ctx.frame, name) {
                    let at = self.argument_ctx(ctx, arg, at);
                    return self.deeper(1, span, |this| this.assign_place_within(n_levels, at, arg, value, span))?;
                }
                if let Some(entry) =
                    self.defs.get(name).cloned().filter(|entry| entry.params.is_empty() && !entry.is_cyclic)
                    && self.frames.find(ctx.frame, name).is_none()
                    && let DefinitionBody::Formula(body) = entry.body
                {
                    let tree = self.tree(entry.unit);
                    if !matches!(
                        tree.expr(body).expr,
                        ast::Expr::Ident(_) | ast::Expr::Apply(..) | ast::Expr::Field(..)
                    ) {
                        self.report_definition_target(&entry, node.span);
                        return None;
                    }
                    let inner = self.enter_definition(ctx, &entry, &[], node.span)?;
                    let result =
                        self.deeper(1, span, |this| this.assign_place_within(n_levels, inner, body, value, span));
                    self.expansions.pop();
                    return result?;
                }
                let target = self.target(ctx, name, node.span)?;
                let reading = self.target_expr(target, node.span);
                self.expect_like(reading, value, span);
                Some((target, value))
            }
            ast::Expr::Apply(..) | ast::Expr::Field(..) if n_levels == 0 => {
                self.report_deep_place(span);
                None
            }
            ast::Expr::Apply(function, args) => {
                let current = self.expr(ctx, *function);
                let args: Vec<ExprId> = args.iter().map(|arg| self.expr(ctx, *arg)).collect();
                let arg = self.tuple(&args, node.span);
                // Typed as an application first, for a better message; the node itself is not used.
                let applied = self.apply(current, &args, node.span);
                self.expect_like(applied, value, span);
                let pair = self.tuple(&[arg, value], span);
                let ty = self.types.pow(self.ty(pair));
                let change = self.add_expr(Expr::SetExtension(vec![pair]), ty, span);
                let whole = self.add_expr(Expr::Binary(BinaryOp::Override, current, change), self.ty(current), span);
                self.assign_place_within(n_levels - 1, ctx, *function, whole, span)
            }
            ast::Expr::Field(record, name) => {
                let current = self.expr(ctx, *record);
                let whole = self.add_expr(Expr::WithField(current, 0, value), self.ty(current), span);
                let kind = PendingKind::WithField {
                    node: whole,
                    record: current,
                    name: name.name.clone(),
                    name_span: name.span,
                    value,
                };
                self.overloaded(kind, span);
                self.assign_place_within(n_levels - 1, ctx, *record, whole, span)
            }
            ast::Expr::Error => None,
            _ => {
                let snippet = self.snippet(node.span);
                let diagnostic =
                    Diagnostic::error("not-assignable", format!("`{snippet}` cannot be assigned")).at(node.span);
                self.report(diagnostic.note("the left of `:=` is a variable, `f(x)` or `r'field`"));
                None
            }
        }
    }

    /// Target of a name on the left of an assignment.
    fn target(&mut self, ctx: Ctx, name: &SmolStr, span: Span) -> Option<Target> {
        match self.frames.find(ctx.frame, name) {
            Some(LocalMeaning::Local(local, LocalKind::Output | LocalKind::Var)) => return Some(Target::Local(local)),
            Some(LocalMeaning::Local(local, kind)) => {
                self.report_local_target(local, kind, span);
                return None;
            }
            Some(LocalMeaning::Formal(arg, at)) => {
                let project = self.project;
                if let ast::Expr::Ident(name) = &project.ast(at.unit).expr(arg).expr {
                    return self.deeper(1, span, |this| this.target(at, name, span))?;
                }
                let diagnostic =
                    Diagnostic::error("not-assignable", format!("the argument for `{name}` cannot be assigned"));
                self.report(diagnostic.at(span));
                return None;
            }
            None => {}
        }
        match self.names.symbols.get(name).copied() {
            Some(entry) => match entry.symbol {
                Symbol::Variable(id, Access::Own) => Some(Target::Variable(id)),
                symbol => {
                    self.report_global_target(name, symbol, entry.span, span);
                    None
                }
            },
            None => {
                let n_diagnostics = self.diagnostics.len();
                self.unknown(ctx, name, span);
                let new = self
                    .diagnostics
                    .get_mut(n_diagnostics)
                    .filter(|new| new.help.is_empty() && new.secondary.is_empty());
                if let Some(new) = new {
                    new.help.push(format!("declare `{name}` among the VARIABLES"));
                }
                None
            }
        }
    }

    /// Reports `d := E` for a definition such as `d == 3`.
    fn report_definition_target(&mut self, entry: &DefEntry, span: Span) {
        let name = &entry.name.name;
        let diagnostic =
            Diagnostic::error("not-assignable", format!("`{name}` cannot be assigned: it is a definition"));
        let diagnostic = diagnostic.at(span).also(entry.name.span, "defined here");
        self.unknown_names.insert(name.clone());
        let variable = self.names.symbols.get(name).filter(|known| matches!(known.symbol, Symbol::Variable(..)));
        let diagnostic = match variable {
            Some(known) => {
                let help = "give the definition or the variable another name";
                diagnostic.also(known.span, "the definition hides this variable").help(help)
            }
            None => diagnostic,
        };
        self.report(diagnostic);
    }

    fn report_local_target(&mut self, local: LocalId, kind: LocalKind, span: Span) {
        let Local { name, span: declared } = self.local_info(local);
        let (what, help) = match kind {
            LocalKind::Parameter => {
                ("a parameter of the operation", "parameters are read only; assign a variable or an output")
            }
            _ => ("bound by a quantifier, ANY or LET", "use VAR for local variables that change"),
        };
        let diagnostic =
            Diagnostic::error("not-assignable", format!("`{name}` cannot be assigned: it is {what}")).at(span);
        self.report(diagnostic.also(declared, "declared here").help(help));
    }

    fn report_global_target(&mut self, name: &str, symbol: Symbol, declared: Span, span: Span) {
        if self.unknown_names.contains(name) {
            return;
        }
        let message = |what: &str| format!("`{name}` cannot be assigned: it is {what}");
        let diagnostic = match symbol {
            Symbol::Variable(_, Access::Included) => {
                let diagnostic =
                    Diagnostic::error("writes-included-variable", message("a variable of an included machine"));
                diagnostic.help("call one of that machine's operations instead")
            }
            Symbol::Variable(_, Access::Seen | Access::Used) => {
                let message = message("a variable of a machine that is only seen or used");
                let diagnostic = Diagnostic::error("writes-seen-variable", message);
                diagnostic.help("include the machine and call one of its operations")
            }
            Symbol::Variable(_, _) => return self.report_abstract(name, declared, span),
            Symbol::Constant(_) => {
                let diagnostic = Diagnostic::error("not-assignable", message("a constant"));
                diagnostic.help("declare it among the VARIABLES if it changes")
            }
            Symbol::Element(..) | Symbol::Constructor(..) => {
                Diagnostic::error("not-assignable", message("an element of a set")).help("assign a variable")
            }
            Symbol::Set(_) | Symbol::FreeType(_) => {
                let diagnostic = Diagnostic::error("not-assignable", message("a set of the SETS clause"));
                diagnostic.help("use a variable for a set that changes")
            }
        };
        self.report(diagnostic.at(span).also(declared, "declared here"));
    }

    fn target_expr(&mut self, target: Target, span: Span) -> ExprId {
        match target {
            Target::Variable(id) => self.symbol(Symbol::Variable(id, Access::Own), span),
            Target::Local(local) => self.local_expr(local, span),
        }
    }

    pub(crate) fn target_name(&self, target: Target) -> SmolStr {
        match target {
            Target::Variable(id) => self.model.variables[id].name.clone(),
            Target::Local(id) => self.model.locals[id].name.clone(),
        }
    }

    /// Targets of `::` and `:( )`, with identifier lists expanded.
    fn named_targets(&mut self, ctx: Ctx, ids: &[Ident]) -> Vec<(Ident, Target)> {
        let mut flat = Vec::new();
        for id in ids {
            match self.defs.get(&id.name).cloned().and_then(|entry| self.identifier_list(&entry)) {
                Some(names) if self.frames.find(ctx.frame, &id.name).is_none() => {
                    flat.extend(names.into_iter().map(|name| Ident { name, span: id.span }));
                }
                _ => flat.push(id.clone()),
            }
        }
        let mut targets: Vec<(Ident, Target)> = Vec::new();
        for id in flat {
            if let Some(target) = self.target(ctx, &id.name, id.span) {
                if let Some((first, _)) = targets.iter().find(|(_, known)| *known == target) {
                    let diagnostic =
                        Diagnostic::error("assigned-twice", format!("`{}` is assigned twice at once", id.name));
                    let diagnostic = diagnostic.at(id.span).also(first.span, "first assigned here");
                    self.report(diagnostic.help("a variable gets one value; name it once"));
                    continue;
                }
                targets.push((id, target));
            }
        }
        targets
    }

    fn becomes_element(&mut self, ctx: Ctx, ids: &[Ident], set: ast::ExprId, span: Span) -> SubstId {
        let set = self.expr(ctx, set);
        let targets = self.named_targets(ctx, ids);
        if targets.is_empty() {
            return self.add_subst(Subst::Skip, span);
        }
        let reads: Vec<ExprId> = targets.iter().map(|(id, target)| self.target_expr(*target, id.span)).collect();
        let tuple = self.tuple(&reads, span);
        let expected = self.types.pow(self.ty(tuple));
        let ok = self.expect(set, expected, "`::` needs a set of values to choose from: {}", span);
        if !ok && self.alike(self.ty(set), self.ty(tuple)) {
            let text = self.snippet(self.span(set));
            if let Some(last) = self.diagnostics.last_mut() {
                last.help = vec![format!(
                    "any subset of `{text}` is chosen with `:: POW({text})`; `:=` assigns `{text}` itself"
                )];
            }
        }
        let targets = targets.into_iter().map(|(_, target)| target).collect();
        self.add_subst(Subst::BecomesElement { targets, set }, span)
    }

    fn becomes_such(&mut self, ctx: Ctx, ids: &[Ident], pred: ast::ExprId, span: Span) -> SubstId {
        let named = self.named_targets(ctx, ids);
        if named.is_empty() {
            return self.add_subst(Subst::Skip, span);
        }
        let before = named.iter().map(|(id, target)| (id.name.clone(), BeforeValue::Target(*target))).collect();
        let outer = self.push_frame(ctx, FrameKind::Before(before));
        let mut entries = Vec::new();
        let mut new = Vec::new();
        for (id, target) in &named {
            let local = self.add_local(id.name.clone(), id.span);
            let ty = match target {
                Target::Variable(id) => self.model.variables[*id].ty,
                Target::Local(id) => self.model.locals[*id].ty,
            };
            self.model.locals[local].ty = ty;
            entries.push((id.name.clone(), local, LocalKind::Bound));
            new.push(local);
        }
        let inner = self.push_frame(outer, FrameKind::Locals(entries));
        let pred = self.pred(inner, pred);
        let targets = named.into_iter().map(|(_, target)| target).collect();
        self.add_subst(Subst::BecomesSuch { targets, new, pred }, span)
    }

    fn while_loop(
        &mut self,
        ctx: Ctx,
        condition: ast::ExprId,
        body: ast::SubstId,
        invariant: ast::ExprId,
        variant: ast::ExprId,
        span: Span,
    ) -> SubstId {
        let (condition, body) = (self.pred(ctx, condition), self.subst(ctx, body));
        let (inner, before) = self.values_before(ctx, &[invariant, variant]);
        let invariant = self.determined(inner, invariant, "loop invariant");
        let variant = self.expr(inner, variant);
        self.expect(variant, crate::types::Unifier::INTEGER, "the VARIANT of a loop is an integer", span);
        self.add_subst(Subst::While { condition, body, invariant, variant, before }, span)
    }

    /// Makes locals for the values of `x$0` in formulas: the invariant and variant of a loop, or a predicate about a step.
    pub(crate) fn values_before(&mut self, ctx: Ctx, roots: &[ast::ExprId]) -> (Ctx, Vec<(Target, LocalId)>) {
        let tree = self.project.ast(ctx.unit);
        let mut names: Vec<(SmolStr, Span)> = Vec::new();
        for root in roots {
            tree.for_each_node(AstNode::Expr(*root), &mut |node| {
                if let AstNode::Expr(id) = node
                    && let ast::Expr::Before(name) = &tree.expr(id).expr
                    && !names.iter().any(|(known, _)| known == name)
                {
                    names.push((name.clone(), tree.expr(id).span));
                }
            });
        }
        let mut entries = Vec::new();
        let mut before = Vec::new();
        for (name, span) in names {
            let target = match (self.frames.find(ctx.frame, &name), self.names.symbols.get(&name)) {
                (Some(LocalMeaning::Local(local, LocalKind::Output | LocalKind::Var)), _) => Target::Local(local),
                (None, Some(entry)) => match entry.symbol {
                    Symbol::Variable(id, Access::Own | Access::Included) => Target::Variable(id),
                    _ => continue,
                },
                _ => continue,
            };
            let local = self.add_local(name.clone(), span);
            let reading = self.target_expr(target, span);
            self.model.locals[local].ty = self.ty(reading);
            entries.push((name, BeforeValue::Local(local)));
            before.push((target, local));
        }
        (self.push_frame(ctx, FrameKind::Before(entries)), before)
    }

    /// Lowers a call of an operation, or a definition used as a substitution.
    fn call(&mut self, ctx: Ctx, outputs: &[ast::ExprId], name: &Ident, args: &[ast::ExprId], span: Span) -> SubstId {
        let lowered = self.deeper(1, span, |this| this.call_inner(ctx, outputs, name, args, span));
        lowered.unwrap_or_else(|| self.add_subst(Subst::Skip, span))
    }

    fn call_inner(
        &mut self,
        ctx: Ctx,
        outputs: &[ast::ExprId],
        name: &Ident,
        args: &[ast::ExprId],
        span: Span,
    ) -> SubstId {
        if let Some(entry) = self.defs.get(&name.name).cloned()
            && self.frames.find(ctx.frame, &name.name).is_none()
        {
            return self.expand_subst(ctx, &entry, outputs, name, args, span);
        }
        let Some(entry) = self.names.operations.get(&name.name).copied() else {
            self.report_unknown_operation(ctx, name);
            return self.add_subst(Subst::Skip, span);
        };
        self.check_callable(name, entry.access, entry.op);
        let args: Vec<ExprId> = args.iter().map(|arg| self.expr(ctx, *arg)).collect();
        self.check_arguments(entry.op, &args, span);
        self.call_with_outputs(ctx, entry.op, args, outputs, name, span)
    }

    fn expand_subst(
        &mut self,
        ctx: Ctx,
        entry: &std::rc::Rc<crate::definitions::DefEntry>,
        outputs: &[ast::ExprId],
        name: &Ident,
        args: &[ast::ExprId],
        span: Span,
    ) -> SubstId {
        if entry.is_cyclic {
            return self.add_subst(Subst::Skip, span);
        }
        if let Some((abridge_model::ExternalKind::Substitution, declaration)) = entry.external.clone() {
            return self.external_substitution(ctx, entry, &declaration, args, span);
        }
        let Some(inner) = self.enter_definition(ctx, entry, args, span) else {
            return self.add_subst(Subst::Skip, span);
        };
        let result = match entry.body {
            DefinitionBody::Substitution(body) => self.subst(inner, body),
            DefinitionBody::Formula(body) => self.formula_as_call(ctx, inner, body, outputs, name, span),
        };
        self.expansions.pop();
        result
    }

    /// Lowers a definition such as `F == op` or `G(y) == op(y)` used as a substitution.
    fn formula_as_call(
        &mut self,
        outer: Ctx,
        ctx: Ctx,
        body: ast::ExprId,
        outputs: &[ast::ExprId],
        name: &Ident,
        span: Span,
    ) -> SubstId {
        let project = self.project;
        let tree = project.ast(ctx.unit);
        let (head, args): (&ast::ExprNode, &[ast::ExprId]) = match &tree.expr(body).expr {
            ast::Expr::Apply(head, args) => (tree.expr(*head), args),
            _ => (tree.expr(body), &[]),
        };
        match &head.expr {
            ast::Expr::Ident(op) if outputs.is_empty() => {
                let ident = Ident { name: op.clone(), span: head.span };
                self.call(ctx, &[], &ident, args, span)
            }
            ast::Expr::Ident(op) => {
                let Some(entry) = self.names.operations.get(op).copied() else {
                    self.report_unknown_operation(ctx, &Ident { name: op.clone(), span: head.span });
                    return self.add_subst(Subst::Skip, span);
                };
                self.check_callable(&Ident { name: op.clone(), span: head.span }, entry.access, entry.op);
                let args: Vec<ExprId> = args.iter().map(|arg| self.expr(ctx, *arg)).collect();
                self.check_arguments(entry.op, &args, span);
                self.call_with_outputs(outer, entry.op, args, outputs, name, span)
            }
            _ => {
                let message = format!("definition `{}` is a formula, but a substitution is needed here", name.name);
                self.report(
                    Diagnostic::error("formula-as-substitution", message)
                        .at(name.span)
                        .also(tree.expr(body).span, "its body"),
                );
                self.add_subst(Subst::Skip, span)
            }
        }
    }

    fn call_with_outputs(
        &mut self,
        ctx: Ctx,
        op: OpId,
        args: Vec<ExprId>,
        outputs: &[ast::ExprId],
        name: &Ident,
        span: Span,
    ) -> SubstId {
        let formals = self.model.operations[op].outputs.clone();
        if formals.len() != outputs.len() {
            self.report_outputs(op, outputs.len(), name, span);
            // The variables get no types from the call; one diagnostic is enough.
            for output in outputs {
                let nothing = self.error_expr(span);
                let _ = self.assign_place(ctx, *output, nothing, span);
            }
            return self.add_subst(Subst::Skip, span);
        }
        let mut targets = Vec::new();
        let mut temporaries = Vec::new();
        let mut copies = Vec::new();
        for (formal, output) in formals.iter().zip(outputs) {
            let node = self.project.ast(ctx.unit).expr(*output);
            let formal_ty = self.model.locals[*formal].ty;
            if let ast::Expr::Ident(name) = &node.expr
                && !self.defs.contains(name)
                && !matches!(self.frames.find(ctx.frame, name), Some(LocalMeaning::Formal(..)))
            {
                let value = self.add_expr(Expr::Local(*formal), formal_ty, node.span);
                targets.extend(self.assign_place(ctx, *output, value, node.span).map(|(target, _)| target));
                continue;
            }
            // In `f(1) <-- op` the output goes through a local.
            let temporary = self.add_local(self.model.locals[*formal].name.clone(), node.span);
            self.model.locals[temporary].ty = formal_ty;
            let value = self.local_expr(temporary, node.span);
            let Some((target, whole)) = self.assign_place(ctx, *output, value, node.span) else { continue };
            targets.push(Target::Local(temporary));
            temporaries.push(temporary);
            copies.push(self.add_subst(Subst::Assign { targets: vec![target], values: vec![whole] }, node.span));
        }
        if targets.len() != formals.len() {
            return self.add_subst(Subst::Skip, span);
        }
        let call = self.add_subst(Subst::Call { op, args, outputs: targets }, span);
        if temporaries.is_empty() {
            return call;
        }
        copies.insert(0, call);
        let body = self.add_subst(Subst::Sequence(copies), span);
        self.add_subst(Subst::Var { locals: temporaries, body }, span)
    }

    fn report_outputs(&mut self, op: OpId, n_taken: usize, name: &Ident, span: Span) {
        let operation = &self.model.operations[op];
        let wanted = plural(operation.outputs.len(), "output");
        let message = format!(
            "operation `{}` has {wanted}, but {} taken",
            name.name,
            if n_taken == 1 { "one is".to_owned() } else { format!("{} are", given(n_taken)) }
        );
        let names: Vec<&str> = operation.outputs.iter().map(|local| self.model.locals[*local].name.as_str()).collect();
        let help = match names.as_slice() {
            [] => "leave out what stands before the call and `<--`".to_owned(),
            names => format!("write `{} <-- {}` with variables of your own", names.join(", "), name.name),
        };
        let diagnostic =
            Diagnostic::error("wrong-arity", message).at(span).also(operation.origin.span, "declared here");
        self.report(diagnostic.help(help));
    }

    pub(crate) fn check_arguments(&mut self, op: OpId, args: &[ExprId], span: Span) {
        let params = self.model.operations[op].params.clone();
        let name = self.model.operations[op].name.clone();
        if params.len() != args.len() {
            let message = format!(
                "operation `{name}` takes {}, but is given {}",
                plural(params.len(), "argument"),
                given(args.len())
            );
            let declared = self.model.operations[op].origin.span;
            let names: Vec<&str> = params.iter().map(|local| self.model.locals[*local].name.as_str()).collect();
            let call = if names.is_empty() { name.to_string() } else { format!("{name}({})", names.join(", ")) };
            let diagnostic = Diagnostic::error("wrong-arity", message).at(span).also(declared, "declared here");
            self.report(diagnostic.help(format!("write `{call}`")));
            return;
        }
        for (param, arg) in params.iter().zip(args) {
            let Local { name: param_name, span: declared } = self.local_info(*param);
            let ty = self.model.locals[*param].ty;
            let origin = self.types.reason(ty).unwrap_or(declared);
            let origin =
                Some((origin, format!("`{param_name}` is {} because of this", self.types.text(&self.model, ty))));
            self.expect_from(*arg, ty, &format!("parameter `{param_name}` of `{name}` is {{}}"), span, origin);
        }
    }

    fn check_callable(&mut self, name: &Ident, access: OpAccess, op: OpId) {
        let allowed = |this: &Self, preference: &str| this.model.steering.preferences.flag(preference);
        let declared = self.model.operations[op].origin.span;
        match access {
            OpAccess::Own if !allowed(self, "ALLOW_LOCAL_OPERATION_CALLS") => {
                let message = format!("operation `{}` of the same machine cannot be called", name.name);
                let diagnostic = Diagnostic::error("local-call", message).at(name.span).also(declared, "declared here");
                self.report(
                    diagnostic
                        .help("share the body through a definition, or set the preference ALLOW_LOCAL_OPERATION_CALLS"),
                );
            }
            OpAccess::Used if !allowed(self, "ALLOW_OPERATION_CALLS_FOR_USES") => {
                let message = format!("operation `{}` belongs to a machine that is only used", name.name);
                let diagnostic =
                    Diagnostic::warning("used-call", message).at(name.span).also(declared, "declared here");
                self.report(
                    diagnostic.help("include the machine, or set the preference ALLOW_OPERATION_CALLS_FOR_USES"),
                );
            }
            OpAccess::Seen => self.seen_calls.push((op, name.span)),
            _ => {}
        }
    }

    fn report_unknown_operation(&mut self, ctx: Ctx, name: &Ident) {
        let calls_own = self.model.steering.preferences.flag("ALLOW_LOCAL_OPERATION_CALLS");
        let is_callable = |entry: &OpEntry| calls_own || entry.access != OpAccess::Own;
        let operations =
            self.names.operations.iter().filter(|(_, entry)| is_callable(entry)).map(|(name, _)| name.as_str());
        let near = crate::suggest::nearest(&name.name, operations.chain(self.defs.names())).map(str::to_owned);
        let mut diagnostic = Diagnostic::error(
            "unknown-operation",
            format!("there is no operation or definition `{}` to call", name.name),
        )
        .at(name.span);
        let is_value = self.names.symbols.contains_key(&name.name) || self.frames.find(ctx.frame, &name.name).is_some();
        if is_value {
            diagnostic =
                diagnostic.note(format!("`{}` is a value; an assignment is written `{} := ...`", name.name, name.name));
        } else if let Some(near) = near {
            diagnostic = diagnostic.help(format!("a similar name exists: `{near}`"));
        } else if self.place == ClausePlace::Operation {
            diagnostic = diagnostic.help("operations of other machines are callable after INCLUDES or EXTENDS");
        }
        self.report(diagnostic);
    }

    fn local_info(&self, local: LocalId) -> Local {
        let local = &self.model.locals[local];
        Local { name: local.name.clone(), span: local.span }
    }
}

/// Name and span of a local, copied for messages.
struct Local {
    name: SmolStr,
    span: Span,
}
