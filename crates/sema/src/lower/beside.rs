//! Lowering of formulas beside the machine: see [`crate::formula`].

use abridge_diag::{Diagnostic, Span};
use abridge_model::{CarrierKind, Expr, ExprId, LocalId, Pred, SetId, SmolStr};
use abridge_syntax::ast::{self, DefinitionBody, Sort};

use crate::formula::{Formula, FormulaBody, FormulaRole};
use crate::lower::{ClausePlace, Lower};
use crate::project::UnitId;
use crate::scope::Ctx;
use crate::types::{Ty, TypeTerm};

/// State while formulas are lowered.
#[derive(Default)]
pub(crate) struct Beside {
    /// Numbers of expressions and locals of the machine itself.
    pub(crate) start: Option<(usize, usize)>,
    /// Free identifiers of the formula being lowered; `None` if none are allowed.
    free: Option<Vec<LocalId>>,
    /// Uses of elements of deferred sets, checked once the sets have their sizes.
    elements: Vec<ExprId>,
}

impl Lower<'_> {
    /// Lowers formulas in the scope of the main machine; nothing but [`Lower::finish`] may follow.
    pub(crate) fn formulas(&mut self, formulas: &[(UnitId, FormulaRole)]) -> Vec<Formula> {
        if formulas.is_empty() {
            return Vec::new();
        }
        self.place = ClausePlace::Steering;
        self.beside.start = Some((self.model.exprs.len(), self.model.locals.len()));
        formulas.iter().map(|(unit, role)| self.formula(*unit, role)).collect()
    }

    fn formula(&mut self, unit: UnitId, role: &FormulaRole) -> Formula {
        let ctx = self.global(unit);
        let ast::Unit::Formula(root) = self.tree(unit).unit else {
            let span = Span::new(self.tree(unit).file, 0, 0);
            return Formula { free: Vec::new(), body: FormulaBody::Expr(self.error_expr(span)) };
        };
        let is_predicate = match role {
            FormulaRole::Any => self.is_predicate(ctx, root),
            FormulaRole::Predicate | FormulaRole::BeforeAfter => true,
            FormulaRole::Expression | FormulaRole::ValueOf(_) | FormulaRole::ValueOfLocal { .. } => false,
        };
        if !is_predicate {
            let expr = self.expr(ctx, root);
            if let Some((name, ty)) = self.declared_as(role) {
                self.expect(expr, ty, &format!("`{name}` is {{}}"), self.span(expr));
            }
            return Formula { free: Vec::new(), body: FormulaBody::Expr(expr) };
        }
        let (ctx, before) = match role {
            FormulaRole::BeforeAfter => self.values_before(ctx, &[root]),
            _ => (ctx, Vec::new()),
        };
        self.beside.free = (*role == FormulaRole::Any).then(Vec::new);
        let pred = self.pred(ctx, root);
        let mut free = self.beside.free.take().unwrap_or_default();
        free.extend(before.into_iter().map(|(_, local)| local));
        if !free.is_empty() {
            // Every local must be bound somewhere in the model.
            let span = self.model.preds[pred].span;
            self.add_pred(Pred::Exists { binder: free.clone(), body: pred }, span);
        }
        Formula { free, body: FormulaBody::Pred(pred) }
    }

    /// True if a formula is a predicate after expansion of definitions.
    fn is_predicate(&self, ctx: Ctx, id: ast::ExprId) -> bool {
        let (mut unit, mut id) = (ctx.unit, id);
        // A chain of definitions is no longer than the number of definitions.
        for _ in 0..=self.defs.iter().count() {
            let tree = self.tree(unit);
            match tree.sort(id) {
                Sort::Predicate => return true,
                Sort::Expression => return false,
                Sort::Unknown => {}
            }
            let head = match &tree.expr(id).expr {
                ast::Expr::Apply(head, _) => *head,
                _ => id,
            };
            let ast::Expr::Ident(name) = &tree.expr(head).expr else { return false };
            let Some(entry) = self.defs.get(name) else { return false };
            match (&entry.external, entry.body) {
                (Some((kind, _)), _) => return *kind == abridge_model::ExternalKind::Predicate,
                (None, DefinitionBody::Formula(body)) => (unit, id) = (entry.unit, body),
                (None, DefinitionBody::Substitution(_)) => return false,
            }
        }
        false
    }

    /// Name whose value a formula gives, with its type.
    fn declared_as(&self, role: &FormulaRole) -> Option<(SmolStr, Ty)> {
        let model = &self.model;
        let (name, ty) = match role {
            FormulaRole::ValueOf(name) => {
                let constant =
                    model.constants.values().find(|constant| constant.name == *name).map(|constant| constant.ty);
                let variable =
                    || model.variables.values().find(|variable| variable.name == *name).map(|variable| variable.ty);
                (name, constant.or_else(variable))
            }
            FormulaRole::ValueOfLocal { operation, local } => {
                let operation = model.operations.values().find(|op| op.is_top_level && op.name == *operation)?;
                let mut locals = operation.params.iter().chain(&operation.outputs).map(|id| &model.locals[*id]);
                (local, locals.find(|known| known.name == *local).map(|known| known.ty))
            }
            FormulaRole::Any | FormulaRole::Predicate | FormulaRole::Expression | FormulaRole::BeforeAfter => {
                return None;
            }
        };
        Some((name.clone(), ty?))
    }

    /// Lowers an unknown name in a formula beside the machine: an element of a deferred set as it is printed, or a free identifier.
    pub(crate) fn known_beside(&mut self, name: &str, span: Span) -> Option<ExprId> {
        self.beside.start?;
        if let Some((set, index)) = self.element_named(name) {
            let ty = self.types.add(TypeTerm::Given(set));
            let element = self.add_expr(Expr::Element(set, index), ty, span);
            self.beside.elements.push(element);
            return Some(element);
        }
        let known = self.beside.free.as_ref()?.iter().copied().find(|local| self.model.locals[*local].name == name);
        let local = known.unwrap_or_else(|| {
            let local = self.add_local(SmolStr::from(name), span);
            self.beside.free.get_or_insert_default().push(local);
            local
        });
        Some(self.local_expr(local, span))
    }

    /// Element of a deferred set by its printed name, as `S3` for the third element of `S`.
    fn element_named(&self, name: &str) -> Option<(SetId, u32)> {
        let deferred = self.model.sets.iter().filter(|(_, set)| set.is_deferred());
        let numbered = deferred.filter_map(|(id, set)| {
            let digits = name.strip_prefix(set.name.as_str())?;
            let is_number = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
            Some((set.name.len(), id, digits.parse::<u32>().ok().filter(|_| is_number)?))
        });
        let (_, id, number) = numbered.max_by_key(|(length, ..)| *length)?;
        Some((id, number.checked_sub(1)?))
    }

    /// Reports elements beyond the size of their set.
    pub(crate) fn report_missing_elements(&mut self) {
        for id in std::mem::take(&mut self.beside.elements) {
            let Expr::Element(set, index) = self.model.exprs[id].expr else { continue };
            let CarrierKind::Deferred { size } = self.model.sets[set].kind else { continue };
            if index >= size {
                let carrier = &self.model.sets[set];
                let message = format!("`{}` is not declared", carrier.element_name(index));
                let note = format!(
                    "`{}` has {size} elements, from `{}` to `{}`",
                    carrier.name,
                    carrier.element_name(0),
                    carrier.element_name(size.saturating_sub(1))
                );
                let diagnostic =
                    Diagnostic::error("unknown-identifier", message).at(self.model.exprs[id].span).note(note);
                self.diagnostics.push(diagnostic);
            }
        }
    }
}
