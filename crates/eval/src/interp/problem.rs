//! Problems: unknowns with constraints, which every construct that binds names poses.
//!
//! Quantifiers, comprehensions, `ANY`, `:(P)`, parameters of operations and constants all pose a [`Problem`]; a [`Finder`](super::Finder) lists its
//! solutions. The constraints alone define the solutions. A predicate is split into conjuncts that a finder can use one by one. The split must
//! preserve exactly the valuations for which the predicate holds.

use std::sync::Arc;

use abridge_diag::Span;
use abridge_model::{
    Binding, Comparison, ConstId, Expr, ExprId, LocalId, Model, ModelNode, Pred, PredId, TypeId, UnaryOp, may_fail,
};

use super::{OpenUnknowns, Session};
use crate::config::Unbounded;
use crate::domain::{Env, Result, Val};
use crate::free::FreeNames;

/// Name whose value is to be found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unknown {
    Local(LocalId),
    Constant(ConstId),
}

impl Unknown {
    pub fn bind(self, env: &Env, val: Val) -> Env {
        match self {
            Unknown::Local(id) => env.bind(id, val),
            Unknown::Constant(id) => env.with_constant(id, val),
        }
    }

    /// [`Unknown::bind`] that consumes the environment, and changes unshared parts in place.
    pub fn bound(self, mut env: Env, val: Val) -> Env {
        match self {
            Unknown::Local(id) => env.bind(id, val),
            Unknown::Constant(id) => {
                env.set_constant(id, val);
                env
            }
        }
    }

    pub fn is_in(self, names: &FreeNames) -> bool {
        match self {
            Unknown::Local(id) => names.locals.binary_search(&id).is_ok(),
            Unknown::Constant(id) => names.constants.binary_search(&id).is_ok(),
        }
    }

    pub fn get(self, env: &Env) -> Option<&Val> {
        match self {
            Unknown::Local(id) => env.local(id),
            Unknown::Constant(id) => env.constant(id),
        }
    }

    pub fn ty(self, model: &Model) -> TypeId {
        match self {
            Unknown::Local(id) => model.locals[id].ty,
            Unknown::Constant(id) => model.constants[id].ty,
        }
    }

    pub fn name(self, model: &Model) -> &str {
        match self {
            Unknown::Local(id) => &model.locals[id].name,
            Unknown::Constant(id) => &model.constants[id].name,
        }
    }

    pub fn span(self, model: &Model) -> Span {
        match self {
            Unknown::Local(id) => model.locals[id].span,
            Unknown::Constant(id) => model.constants[id].origin.span,
        }
    }
}

/// Unknowns, constraints on them, and the treatment of unbounded unknowns.
pub struct Problem {
    pub unknowns: Vec<Unknown>,
    pub constraints: Vec<Constraint>,
    pub unbounded: Unbounded,
    /// A constraint without unknowns is evaluated rather than searched, so it must be well-defined.
    pub closed_is_strict: bool,
    /// Two strings may be tried instead of all. Not in a quantifier, since nothing follows from two of infinitely many.
    pub samples_strings: bool,
}

#[derive(Clone, Debug)]
/// Condition on unknowns.
pub struct Constraint {
    pub kind: ConstraintKind,
    /// Free names.
    pub names: Arc<FreeNames>,
    /// Ill-definedness is always an error.
    pub strict: bool,
    /// Ill-definedness counts as false, if so configured.
    pub is_searched: bool,
    /// The cases of the constraint are being tried, and the constraint itself is still to be checked.
    pub is_opened: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstraintKind {
    Holds(PredId),
    Fails(PredId),
    Relation(Relation, Operand, Operand),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    Equal,
    NotEqual,
    Member,
    NotMember,
    Subset,
    /// Integers only.
    Less,
    LessEqual,
}

/// Side of a relation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Expr(ExprId),
    Local(LocalId),
    Known(Val),
}

impl Problem {
    /// Problem of the values of `binder` for which `pred` holds.
    pub fn of_pred(session: &Session<'_>, binder: &[LocalId], pred: PredId) -> Problem {
        let unknowns = binder.iter().map(|local| Unknown::Local(*local)).collect();
        let mut problem = Problem::of_unknowns(session, unknowns);
        problem.require(session, pred);
        problem
    }

    pub fn of_unknowns(session: &Session<'_>, unknowns: Vec<Unknown>) -> Problem {
        let unbounded = session.config().unbounded;
        let constraints = Vec::new();
        let mut problem = Problem { unknowns, constraints, unbounded, closed_is_strict: false, samples_strings: false };
        for (local, val) in &session.prescribed().locals {
            if problem.unknowns.contains(&Unknown::Local(*local)) {
                problem.fix(session, *local, val.clone());
            }
        }
        problem
    }

    /// Asks for the one value of a local.
    pub fn fix(&mut self, session: &Session<'_>, local: LocalId, val: Val) {
        let equal = Constraint::relation(session, Relation::Equal, Operand::Local(local), Operand::Known(val));
        self.constraints.push(equal);
    }

    #[must_use]
    pub fn unbounded(self, unbounded: Unbounded) -> Problem {
        Problem { unbounded, ..self }
    }

    pub fn add(&mut self, constraint: Constraint) {
        self.constraints.push(constraint);
    }

    /// Adds a predicate that must hold.
    pub fn require(&mut self, session: &Session<'_>, pred: PredId) {
        self.include(normalise(session, pred, true, false));
    }

    /// Adds a predicate to be refuted. Conclusions of implications are evaluated rather than searched, so they are strict.
    pub fn refute(&mut self, session: &Session<'_>, pred: PredId) {
        self.include(normalise(session, pred, false, true));
    }

    /// Adds a local with its value, which is evaluated rather than searched. It must be well-defined if closed constraints must; a value that cannot
    /// fail is left to circuits.
    pub fn define(&mut self, session: &Session<'_>, binding: Binding) {
        self.unknowns.push(Unknown::Local(binding.local));
        let (left, right) = (Operand::Local(binding.local), Operand::Expr(binding.value));
        let strict = self.closed_is_strict && may_fail(session.model(), ModelNode::Expr(binding.value));
        self.constraints.push(Constraint { strict, ..Constraint::relation(session, Relation::Equal, left, right) });
    }

    /// Adds a predicate that must not hold.
    pub fn exclude(&mut self, session: &Session<'_>, pred: PredId) {
        self.include(normalise(session, pred, false, false));
    }

    fn include(&mut self, (unknowns, constraints): (Vec<Unknown>, Vec<Constraint>)) {
        self.unknowns.extend(unknowns);
        self.constraints.extend(constraints);
    }
}

impl Constraint {
    fn new(kind: ConstraintKind, names: Arc<FreeNames>) -> Constraint {
        Constraint { kind, names, strict: false, is_searched: true, is_opened: false }
    }

    /// A predicate that must hold, as one constraint of the same kind as its source.
    pub fn whole(session: &Session<'_>, pred: PredId, source: &Constraint) -> Constraint {
        let names = session.interp.names_of_pred(pred);
        Constraint { strict: source.strict, ..Constraint::new(ConstraintKind::Holds(pred), names) }
    }

    pub fn relation(session: &Session<'_>, relation: Relation, left: Operand, right: Operand) -> Constraint {
        let names = join(left.names(session), right.names(session));
        Constraint::new(ConstraintKind::Relation(relation, left, right), names)
    }

    /// `expr = val`
    pub fn equals(session: &Session<'_>, expr: ExprId, val: Val) -> Constraint {
        Constraint::relation(session, Relation::Equal, Operand::Expr(expr), Operand::Known(val))
    }

    /// `val : expr`
    pub fn contains(session: &Session<'_>, expr: ExprId, val: Val) -> Constraint {
        Constraint::relation(session, Relation::Member, Operand::Known(val), Operand::Expr(expr))
    }

    /// `expr /: val`
    pub fn not_member(session: &Session<'_>, expr: ExprId, val: Val) -> Constraint {
        Constraint::relation(session, Relation::NotMember, Operand::Expr(expr), Operand::Known(val))
    }

    pub fn local_not_member(session: &Session<'_>, local: LocalId, val: Val) -> Constraint {
        Constraint::relation(session, Relation::NotMember, Operand::Local(local), Operand::Known(val))
    }

    /// `val <= local`
    pub fn local_at_least(session: &Session<'_>, local: LocalId, val: Val) -> Constraint {
        Constraint::relation(session, Relation::LessEqual, Operand::Known(val), Operand::Local(local))
    }

    pub fn mentions(&self, unknown: Unknown) -> bool {
        unknown.is_in(&self.names)
    }

    pub fn is_ready(&self, open: &OpenUnknowns) -> bool {
        !open.occur_in(&self.names)
    }

    /// Formulas of the constraint, if it consists of formulas and values.
    pub fn formulas(&self) -> Option<Vec<ModelNode>> {
        let (left, right) = match &self.kind {
            ConstraintKind::Holds(pred) | ConstraintKind::Fails(pred) => return Some(vec![ModelNode::Pred(*pred)]),
            ConstraintKind::Relation(_, left, right) => (left, right),
        };
        let mut formulas = Vec::new();
        for term in [left, right] {
            match term {
                Operand::Expr(id) => formulas.push(ModelNode::Expr(*id)),
                Operand::Known(_) => {}
                Operand::Local(_) => return None,
            }
        }
        Some(formulas)
    }

    /// The constraint with its right side replaced by a value.
    pub fn with_known(&self, session: &Session<'_>, val: Val) -> Constraint {
        let ConstraintKind::Relation(relation, left, _) = &self.kind else { return self.clone() };
        let names = left.names(session);
        Constraint { kind: ConstraintKind::Relation(*relation, left.clone(), Operand::Known(val)), names, ..*self }
    }
}

impl Operand {
    pub fn names(&self, session: &Session<'_>) -> Arc<FreeNames> {
        match self {
            Operand::Expr(id) => session.interp.names_of_expr(*id),
            Operand::Local(id) => Arc::new(FreeNames { locals: vec![*id], ..FreeNames::default() }),
            Operand::Known(_) => Arc::default(),
        }
    }

    pub fn is_ready(&self, session: &Session<'_>, open: &OpenUnknowns) -> bool {
        match self {
            Operand::Expr(id) => !open.occur_in(&session.interp.names_of_expr(*id)),
            Operand::Local(id) => !open.has(Unknown::Local(*id)),
            Operand::Known(_) => true,
        }
    }

    pub fn eval(&self, session: &Session<'_>, env: &Env) -> Result<Val> {
        match self {
            Operand::Expr(id) => session.expr(*id, env),
            Operand::Local(id) => session.local(*id, env),
            Operand::Known(val) => Ok(val.clone()),
        }
    }
}

fn join(left: Arc<FreeNames>, right: Arc<FreeNames>) -> Arc<FreeNames> {
    if *right == FreeNames::default() {
        return left;
    }
    let mut names = (*left).clone();
    names.locals.extend(&right.locals);
    names.constants.extend(&right.constants);
    names.locals.sort_unstable();
    names.constants.sort_unstable();
    Arc::new(names)
}

/// Splits a predicate, or its negation, into constraints. A LET adds its locals to the unknowns.
pub fn normalise(session: &Session<'_>, pred: PredId, positive: bool, strict: bool) -> (Vec<Unknown>, Vec<Constraint>) {
    let mut flat = Flat { session, unknowns: Vec::new(), constraints: Vec::new() };
    let mut open = vec![(pred, positive, strict)];
    while let Some((pred, positive, strict)) = open.pop() {
        flat.add(pred, positive, strict, &mut open);
    }
    (flat.unknowns, flat.constraints)
}

struct Flat<'a> {
    session: &'a Session<'a>,
    unknowns: Vec<Unknown>,
    constraints: Vec<Constraint>,
}

impl Flat<'_> {
    fn add(&mut self, pred: PredId, positive: bool, strict: bool, open: &mut Vec<(PredId, bool, bool)>) {
        match (self.session.model().pred(pred), positive) {
            (Pred::True, true) | (Pred::False, false) => {}
            // A strict disjunction stays whole: its first operand must be well-defined, whatever the others are.
            (Pred::Or(_), false) if strict => self.plain(pred, positive, strict),
            (Pred::And(parts), true) | (Pred::Or(parts), false) => {
                open.extend(parts.iter().rev().map(|part| (*part, positive, strict)));
            }
            (Pred::Not(inner), _) => open.push((*inner, !positive, strict)),
            // Counterexample to an implication: the left side is searched, the right side evaluated.
            (Pred::Implies(left, right), false) => open.extend([(*right, false, strict), (*left, true, false)]),
            (Pred::Let { bindings, body }, _) => {
                for binding in bindings {
                    self.unknowns.push(Unknown::Local(binding.local));
                    self.relation(Relation::Equal, Operand::Local(binding.local), Operand::Expr(binding.value), strict);
                }
                open.push((*body, positive, strict));
            }
            (Pred::Compare(op, left, right), _) => self.compare(pred, positive, *op, (*left, *right), strict),
            _ => self.plain(pred, positive, strict),
        }
    }

    fn compare(
        &mut self,
        pred: PredId,
        positive: bool,
        op: Comparison,
        (left_id, right_id): (ExprId, ExprId),
        strict: bool,
    ) {
        let (left, right) = (Operand::Expr(left_id), Operand::Expr(right_id));
        match (op, positive) {
            (Comparison::Equal, true) if self.is_all_different(left_id, right_id) => {
                self.all_different(left_id, strict)
            }
            (Comparison::Equal, true) => self.relation(Relation::Equal, left, right, strict),
            (Comparison::Equal, false) => self.relation(Relation::NotEqual, left, right, strict),
            (Comparison::Member, true) => {
                self.items(left_id, right_id, strict);
                self.relation(Relation::Member, left, right, strict);
            }
            (Comparison::Member, false) => self.relation(Relation::NotMember, left, right, strict),
            (Comparison::Subset, true) => self.subset(left_id, right, strict),
            // The inclusion, though implied, offers candidates.
            (Comparison::StrictSubset, true) => {
                self.subset(left_id, right, strict);
                self.plain(pred, positive, strict);
            }
            (Comparison::Less, true) => self.relation(Relation::Less, left, right, strict),
            (Comparison::Less, false) => self.relation(Relation::LessEqual, right, left, strict),
            (Comparison::LessEqual, true) => self.relation(Relation::LessEqual, left, right, strict),
            (Comparison::LessEqual, false) => self.relation(Relation::Less, right, left, strict),
            _ => self.plain(pred, positive, strict),
        }
    }

    /// Splits `{a, b} <: S` into `a : S` and `b : S`.
    fn subset(&mut self, left: ExprId, right: Operand, strict: bool) {
        match self.session.model().expr(left) {
            Expr::SetExtension(items) => {
                for item in items {
                    self.relation(Relation::Member, Operand::Expr(*item), right.clone(), strict);
                }
            }
            _ => self.relation(Relation::Subset, Operand::Expr(left), right, strict),
        }
    }

    /// Adds `a : S` and `b : S` for `[a, b] : seq(S)`, and `a /= b` if the sequence is injective. They are implied, and offer few candidates.
    fn items(&mut self, left: ExprId, right: ExprId, strict: bool) {
        let model = self.session.model();
        let (Expr::SequenceExtension(items), Expr::Unary(op, base)) = (model.expr(left), model.expr(right)) else {
            return;
        };
        let is_injective = matches!(op, UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm);
        if !is_injective && !matches!(op, UnaryOp::Seq | UnaryOp::Seq1) {
            return;
        }
        for item in items {
            self.relation(Relation::Member, Operand::Expr(*item), Operand::Expr(*base), strict);
        }
        if is_injective {
            self.pairwise_different(items, strict);
        }
    }

    /// `card({a, b, c}) = 3`
    fn is_all_different(&self, left: ExprId, right: ExprId) -> bool {
        let (Some(items), Expr::Integer(card)) = (self.counted_items(left), self.session.model().expr(right)) else {
            return false;
        };
        *card == items.len().into()
    }

    fn counted_items(&self, id: ExprId) -> Option<&[ExprId]> {
        let model = self.session.model();
        let Expr::Unary(UnaryOp::Card, set) = model.expr(id) else { return None };
        match model.expr(*set) {
            Expr::SetExtension(items) => Some(items),
            _ => None,
        }
    }

    fn all_different(&mut self, card: ExprId, strict: bool) {
        let items = self.counted_items(card).unwrap_or_default().to_vec();
        self.pairwise_different(&items, strict);
    }

    fn pairwise_different(&mut self, items: &[ExprId], strict: bool) {
        for (idx, first) in items.iter().enumerate() {
            for second in &items[idx + 1..] {
                self.relation(Relation::NotEqual, Operand::Expr(*first), Operand::Expr(*second), strict);
            }
        }
    }

    fn relation(&mut self, relation: Relation, left: Operand, right: Operand, strict: bool) {
        let constraint = Constraint::relation(self.session, relation, left, right);
        self.constraints.push(Constraint { strict, ..constraint });
    }

    fn plain(&mut self, pred: PredId, positive: bool, strict: bool) {
        let names = self.session.interp.names_of_pred(pred);
        let kind = if positive { ConstraintKind::Holds(pred) } else { ConstraintKind::Fails(pred) };
        self.constraints.push(Constraint { strict, ..Constraint::new(kind, names) });
    }
}
