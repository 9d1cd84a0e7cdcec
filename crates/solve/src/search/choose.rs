//! Choice of the next branching: the one with the fewest candidates.

use std::cmp::Ordering;

use abridge_eval::{
    Constraint, ConstraintKind, Cost, Error, ErrorKind, Operand, Problem, Relation, Result, Size, SymbolicSet,
    Unbounded, Unknown, Val, has_strings,
};
use abridge_model::{BaseSet, BinaryOp, Comparison, Expr, ExprId, LocalId, Model, Pred, TypeTable, UnaryOp};
use abridge_value::{Int, Set, Value};

use super::lazy::LazyFunction;
use super::linear::{BoundKey, Bounds, Range};
use super::pointwise::FunctionShape;
use super::{GO_ON, SearchNode, SolutionSearch, alternatives, pattern};

/// Branching of the search; `constraint` is the index of the constraint that it comes from.
pub(super) enum SolverBranch {
    /// The pattern has this value.
    Match { constraint: usize, pattern: Operand, val: Val, exact: bool },
    /// The unknown is a symbolic set whose definition refers to the unknown itself.
    Define { constraint: usize, unknown: Unknown, val: Val },
    /// The pattern has one of these values.
    Elements { constraint: usize, pattern: Operand, set: Val, exact: bool },
    /// The unknown has one of these values, which implies the constraint, if there is one.
    Values { constraint: Option<usize>, unknown: Unknown, set: Val },
    /// The unknown is a function in this set.
    Points { constraint: usize, unknown: Unknown, set: Val, shape: FunctionShape },
    /// The unknown is a function whose values cannot be listed.
    Lazily { unknown: Unknown, view: LazyFunction },
    /// The unknown is a sequence over the base with `lo` to `hi` items.
    Sequences { unknown: Unknown, base: Val, lo: u64, hi: u64 },
    /// Nothing bounds the unknowns.
    LastResort,
    /// One of several lists of constraints holds.
    Open { constraint: usize, alternatives: Vec<(Vec<Unknown>, Vec<Constraint>)>, keep: bool },
}

/// Cheapest branching offered so far.
pub(super) struct Best {
    cost: Cost,
    step: Option<SolverBranch>,
}

impl Best {
    fn new() -> Best {
        Best { cost: Cost::UNBOUNDED, step: None }
    }

    pub(super) fn offer(&mut self, cost: impl Into<Cost>, step: SolverBranch) {
        let cost = cost.into();
        if self.step.is_none() || cost < self.cost {
            *self = Best { cost, step: Some(step) };
        }
    }
}

impl SolutionSearch<'_> {
    /// Branching with the fewest candidates, and their number; `None` if some constraint cannot be satisfied.
    pub(super) fn choose(&self, node: &mut SearchNode) -> Result<Option<(Cost, SolverBranch)>> {
        let mut best = Best::new();
        for idx in 0..node.constraints.len() {
            if !self.offer_constraint(idx, node, &mut best)? {
                return Ok(None);
            }
            if let Some(SolverBranch::Match { .. } | SolverBranch::Define { .. }) = best.step {
                return Ok(best.step.map(|step| (best.cost, step)));
            }
        }
        if best.cost > Cost::ACCEPTED_AT_ONCE && !self.offer_bounds(node, &mut best)? {
            return Ok(None);
        }
        if best.cost > Cost::ACCEPTED_AT_ONCE {
            if !self.offer_between(node, &mut best) {
                return Ok(None);
            }
            self.offer_items(node, &mut best);
        }
        if best.step.is_none() {
            self.offer_domains(node, &mut best);
        }
        let mut by_type = Best::new();
        self.offer_types(node, &mut by_type);
        let cost = best.cost.min(by_type.cost);
        if node.waits && cost >= Cost::from(self.session.config().hard) {
            // The value under construction will offer fewer candidates once it is complete.
            return Ok(self.not_yet());
        }
        if cost > Cost::from(self.session.config().max_set_size)
            && let Some(step) = self.too_many_to_list(cost, node)?
        {
            return Ok(Some((cost, step)));
        }
        let limit = Cost::MAX_BEFORE_CASE_SPLIT;
        if by_type.cost < best.cost.min(limit) || best.step.is_none() && by_type.cost <= limit {
            best = by_type;
        } else if best.step.is_none() {
            best.step = self.open(node).or(by_type.step);
        }
        match best.step {
            Some(step) => Ok(Some((best.cost, step))),
            None if node.error.is_some() => {
                // The node is no solution anyway, so an unbounded unknown need not be reported.
                if let Some(error) = node.error.clone() {
                    Error::merge(&mut self.failure.borrow_mut(), error);
                }
                Ok(None)
            }
            // The value under construction will offer more branchings once it is complete.
            None if node.waits => Ok(self.not_yet()),
            None => Ok(Some((Cost::UNBOUNDED, SolverBranch::LastResort))),
        }
    }

    /// No branching: the answer depends on a value under construction.
    fn not_yet<T>(&self) -> Option<T> {
        Error::merge(&mut self.failure.borrow_mut(), ErrorKind::Undetermined.into());
        None
    }

    /// Offers the branchings of an equation, membership or inclusion; `false` if it cannot be satisfied.
    fn offer_constraint(&self, idx: usize, node: &mut SearchNode, best: &mut Best) -> Result<bool> {
        let constraint = &node.constraints[idx];
        let ConstraintKind::Relation(relation, left, right) = &constraint.kind else { return Ok(true) };
        match relation {
            Relation::Equal => {
                let (left, right) = (left.clone(), right.clone());
                if let Some(alive) = self.offer_equation(idx, &left, &right, node, best)? {
                    return Ok(alive);
                }
                Ok(self.offer_equation(idx, &right, &left, node, best)?.unwrap_or(true))
            }
            Relation::Member | Relation::Subset => {
                let pattern = pattern::classify(self.session, left, &node.open);
                if !pattern.binds || !right.is_ready(self.session, &node.open) {
                    return Ok(true);
                }
                let (relation, left) = (*relation, left.clone());
                let Some(set) = self.evaluated(idx, node)? else { return Ok(false) };
                if let Some(SymbolicSet::Partial(partial)) = set.as_sym() {
                    if relation == Relation::Member && !partial.is_function {
                        self.offer_elements(idx, left, partial.decided.union(&partial.open).into(), false, best);
                    }
                    return Ok(true);
                }
                match relation {
                    Relation::Member if !matches!(self.session.size(&set), Size::AtMost(_)) => {
                        self.offer_points(idx, &left, set, node, best)?;
                    }
                    Relation::Member => {
                        self.offer_narrowed(idx, &left, &set, node, best)?;
                        self.offer_elements(idx, left, set, pattern.exact, best);
                    }
                    _ => self.offer_subsets(idx, &left, set, node, best)?,
                }
                Ok(true)
            }
            _ => Ok(true),
        }
    }

    /// Offers the branching of `pattern = term`. `None` if it offers none; `Some(false)` if it cannot be satisfied.
    fn offer_equation(
        &self,
        idx: usize,
        pattern: &Operand,
        term: &Operand,
        node: &mut SearchNode,
        best: &mut Best,
    ) -> Result<Option<bool>> {
        let session = self.session;
        let found = pattern::classify(session, pattern, &node.open);
        if !found.binds {
            return Ok(self.offer_sequence(idx, pattern, term, node, best));
        }
        if !term.is_ready(session, &node.open) {
            return Ok(self.offer_recursive(idx, pattern, term, node, best));
        }
        match term.eval(session, &node.env) {
            Ok(val) => {
                best.offer(
                    Cost::EQUATION,
                    SolverBranch::Match { constraint: idx, pattern: pattern.clone(), val, exact: found.exact },
                );
                Ok(Some(true))
            }
            Err(error) => self.postpone(error, idx, node).map(Some),
        }
    }

    /// `f = %x.(... f(x - 1) ...)`: the constant is bound to its own definition, which reads it only when applied.
    fn offer_recursive(
        &self,
        idx: usize,
        pattern: &Operand,
        term: &Operand,
        node: &SearchNode,
        best: &mut Best,
    ) -> Option<bool> {
        let session = self.session;
        let Operand::Expr(id) = pattern else { return None };
        let Expr::Constant(constant) = session.model().expr(*id) else { return None };
        let unknown = Unknown::Constant(*constant);
        if node.open.others_occur_in(unknown, &term.names(session)) {
            return None;
        }
        let val = term.eval(session, &node.env).ok()?;
        let kept_symbolic = val.as_sym().is_some();
        if kept_symbolic {
            best.offer(Cost::EQUATION, SolverBranch::Define { constraint: idx, unknown, val });
        }
        kept_symbolic.then_some(true)
    }

    /// Value of the right side of a constraint, which is stored in the constraint; `None` if the constraint is false.
    fn evaluated(&self, idx: usize, node: &mut SearchNode) -> Result<Option<Val>> {
        let ConstraintKind::Relation(_, _, right) = &node.constraints[idx].kind else {
            return Err(ErrorKind::Internal("a relation is expected").into());
        };
        if let Operand::Known(set) = right {
            return Ok(Some(set.clone()));
        }
        let is_open = |error: &Error| matches!(error.kind(), ErrorKind::Undetermined);
        let set = right.eval(self.session, &node.env);
        let listed = match &set {
            Ok(set) => self.listed_if_unknown(set.clone(), node),
            Err(error) => Err(error.clone()),
        };
        let nothing = || SymbolicSet::Base(BaseSet::Integer).into();
        match listed {
            Ok(set) => {
                node.constraints[idx] = node.constraints[idx].with_known(self.session, set.clone());
                Ok(Some(set))
            }
            // A set that cannot be evaluated offers nothing. The error is reported when the constraint is checked.
            Err(error) if is_open(&error) => {
                node.waits = true;
                Ok(Some(set.unwrap_or_else(|_| nothing())))
            }
            Err(error) => Ok(self.postpone(error, idx, node)?.then(nothing)),
        }
    }

    /// Lists a set of unknown size, to find out whether it is finite.
    fn listed_if_unknown(&self, set: Val, node: &SearchNode) -> Result<Val> {
        match self.session.size(&set) {
            Size::Unknown => match self.session.force(&set, &node.env) {
                // It offers no values, but membership in it may still be decided.
                Err(error) if error.is_expansion() => Ok(set),
                listed => listed,
            },
            _ => Ok(set),
        }
    }

    /// Records the error of a constraint that could not be evaluated; `false` if the error makes the constraint false.
    fn postpone(&self, error: Error, idx: usize, node: &mut SearchNode) -> Result<bool> {
        match self.excused(error, &node.constraints[idx])? {
            Some(error) => {
                Error::merge(&mut node.error, error);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    fn offer_elements(&self, constraint: usize, pattern: Operand, set: Val, exact: bool, best: &mut Best) {
        if let Size::AtMost(bound) = self.session.size(&set) {
            best.offer(bound, SolverBranch::Elements { constraint, pattern, set, exact });
        }
    }

    /// `f : A --> B` with an infinite `B`, if other constraints give the values point by point.
    fn offer_points(
        &self,
        constraint: usize,
        left: &Operand,
        set: Val,
        node: &SearchNode,
        best: &mut Best,
    ) -> Result<()> {
        let Some(SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, to)) = set.as_sym() else { return Ok(()) };
        let Some(unknown) = self.as_unknown(left, node) else { return Ok(()) };
        if !arrow.functional {
            return Ok(());
        }
        if let Some(shape) = self.function_shape(unknown, *arrow, from, to, node)? {
            best.offer(shape.cost(), SolverBranch::Points { constraint, unknown, set: set.clone(), shape });
        }
        Ok(())
    }

    /// `f(x)` with a known function: `x` is in its domain, since elsewhere the constraint counts as false.
    fn offer_domains(&self, node: &SearchNode, best: &mut Best) {
        if !self.session.config().ill_defined_search_is_false {
            return;
        }
        for (idx, constraint) in node.constraints.iter().enumerate().filter(|(_, constraint)| !constraint.strict) {
            let ConstraintKind::Relation(_, left, right) = &constraint.kind else { continue };
            for term in [left, right] {
                let Operand::Expr(id) = term else { continue };
                self.offer_applications(idx, *id, node, best, 0);
            }
        }
    }

    fn offer_applications(&self, constraint: usize, id: ExprId, node: &SearchNode, best: &mut Best, depth: u32) {
        let session = self.session;
        if depth > 8 || Operand::Expr(id).is_ready(session, &node.open) {
            return;
        }
        match session.model().expr(id) {
            Expr::Binary(BinaryOp::Apply, function, arg) => {
                let arg_term = Operand::Expr(*arg);
                if pattern::classify(session, &arg_term, &node.open).binds
                    && Operand::Expr(*function).is_ready(session, &node.open)
                {
                    let domain =
                        session.expr(*function, &node.env).and_then(|function| session.dom(&function, &node.env));
                    if let Ok(set) = domain {
                        self.offer_elements(constraint, arg_term, set, false, best);
                    }
                } else {
                    self.offer_applications(constraint, *arg, node, best, depth + 1);
                }
            }
            Expr::Binary(op, left, right) if !matches!(op, BinaryOp::Arrow(_)) => {
                self.offer_applications(constraint, *left, node, best, depth + 1);
                self.offer_applications(constraint, *right, node, best, depth + 1);
            }
            Expr::Unary(_, operand) | Expr::Field(operand, _) => {
                self.offer_applications(constraint, *operand, node, best, depth + 1);
            }
            _ => {}
        }
    }

    /// `unknown <: set`
    /// Sets and functions of which other constraints decide some points.
    fn offer_narrowed(
        &self,
        constraint: usize,
        left: &Operand,
        set: &Val,
        node: &SearchNode,
        best: &mut Best,
    ) -> Result<()> {
        let Some(unknown) = self.as_unknown(left, node) else { return Ok(()) };
        if !self.has_few_candidates(set) || !self.is_supported(unknown, node) {
            return Ok(());
        }
        if let Some(shape) = self.shape(unknown, set, node)? {
            best.offer(shape.cost(), SolverBranch::Points { constraint, unknown, set: set.clone(), shape });
        }
        Ok(())
    }

    fn offer_subsets(
        &self,
        constraint: usize,
        left: &Operand,
        set: Val,
        node: &SearchNode,
        best: &mut Best,
    ) -> Result<()> {
        let Some(unknown) = self.as_unknown(left, node) else { return Ok(()) };
        let set = SymbolicSet::unary(UnaryOp::Pow, set);
        self.offer_narrowed(constraint, left, &set, node, best)?;
        if let Size::AtMost(bound) = self.session.size(&set) {
            best.offer(bound, SolverBranch::Values { constraint: Some(constraint), unknown, set });
        }
        Ok(())
    }

    pub(super) fn as_unknown(&self, term: &Operand, node: &SearchNode) -> Option<Unknown> {
        let unknown = match term {
            Operand::Local(local) => Unknown::Local(*local),
            Operand::Known(_) => return None,
            Operand::Expr(id) => match self.session.model().expr(*id) {
                Expr::Local(local) => Unknown::Local(*local),
                Expr::Constant(constant) => Unknown::Constant(*constant),
                _ => return None,
            },
        };
        node.open.has(unknown).then_some(unknown)
    }

    /// Offers integers between inferred bounds; `false` if the bounds contradict each other.
    fn offer_bounds(&self, node: &SearchNode, best: &mut Best) -> Result<bool> {
        let model = self.session.model();
        let is_sequence = |unknown: &Unknown| {
            model.types.relation(unknown.ty(model)).is_some_and(|(first, _)| first == TypeTable::INTEGER)
        };
        if !node.open.iter().any(|unknown| unknown.ty(model) == TypeTable::INTEGER || is_sequence(unknown)) {
            return Ok(true);
        }
        let Some(bounds) = self.infer_bounds(node)? else { return Ok(false) };
        self.offer_sequences(node, &bounds, best);
        for (unknown, range) in bounds.values() {
            if let (Some(lo), Some(hi)) = (range.lo, range.hi) {
                let set = Set::interval(lo, hi);
                best.offer(set.len(), SolverBranch::Values { constraint: None, unknown, set: set.into() });
            }
        }
        Ok(true)
    }

    /// `s : seq(S) & size(s) <= n`
    fn offer_sequences(&self, node: &SearchNode, bounds: &Bounds, best: &mut Best) {
        for constraint in &node.constraints {
            let ConstraintKind::Relation(Relation::Member, left, Operand::Known(set)) = &constraint.kind else {
                continue;
            };
            let Some(SymbolicSet::Unary(UnaryOp::Seq | UnaryOp::Seq1, base)) = set.as_sym() else { continue };
            let Some(unknown) = self.as_unknown(left, node) else { continue };
            let sizes = bounds.get(&BoundKey::Size(unknown));
            let (Some(lo), Some(hi), Size::AtMost(width)) = (sizes.lo, sizes.hi, self.session.size(base)) else {
                continue;
            };
            let (Some(lo), Some(hi)) = (lo.to_u64(), hi.to_u64()) else { continue };
            let cost = width.saturating_pow(u32::try_from(hi).unwrap_or(u32::MAX)).saturating_add(hi);
            best.offer(cost, SolverBranch::Sequences { unknown, base: base.clone(), lo, hi });
        }
    }

    fn offer_types(&self, node: &SearchNode, best: &mut Best) {
        for unknown in node.open.iter() {
            let set = self.session.type_set(unknown.ty(self.session.model()));
            if let Size::AtMost(bound) = self.session.size(&set) {
                best.offer(bound, SolverBranch::Values { constraint: None, unknown: *unknown, set });
            }
        }
    }

    /// Opens the first existential quantifier or disjunction that is not yet opened.
    fn open(&self, node: &SearchNode) -> Option<SolverBranch> {
        let opened = node.constraints.iter().enumerate().filter(|(_, constraint)| !constraint.is_opened);
        let mut opened = opened.filter_map(|(constraint, found)| {
            let (alternatives, keep) = alternatives::case_split(self.session, found)?;
            Some(SolverBranch::Open { constraint, alternatives, keep })
        });
        opened.next()
    }

    /// Lazy branching on a function with too many values to list, or for which all constraints together leave fewer candidates than any one of them.
    fn too_many_to_list(&self, cost: Cost, node: &SearchNode) -> Result<Option<SolverBranch>> {
        for unknown in node.open.iter() {
            if let Some(view) = self.view(*unknown, node, &Bounds::default())?
                && (view.has_too_many_values(self.session)
                    || view.count().is_some_and(|count| Cost::from(count) < cost))
            {
                return Ok(Some(SolverBranch::Lazily { unknown: *unknown, view }));
            }
        }
        Ok(None)
    }

    /// Branching if nothing bounds the unknowns: on the unknown with the fewest values in MININT..MAXINT. `None` if there is no solution.
    pub(super) fn last_resort(&self, node: &SearchNode) -> Result<Option<SolverBranch>> {
        let first = *node.open.first().ok_or(ErrorKind::Internal("no unknown is open"))?;
        let bounds = self.infer_bounds(node)?.unwrap_or_default();
        for unknown in node.open.iter() {
            if let Some(view) = self.view(*unknown, node, &bounds)? {
                return Ok(Some(SolverBranch::Lazily { unknown: *unknown, view }));
            }
        }
        for unknown in node.open.iter() {
            let set = match self.enclosed_by_quantifier(*unknown, node)? {
                Some(set) => Some(SymbolicSet::unary(UnaryOp::Pow, set)),
                None => self.determined_by_members(*unknown, node, &bounds),
            };
            if let Some(set) = set {
                return Ok(Some(SolverBranch::Values { constraint: None, unknown: *unknown, set }));
            }
        }
        let sampled = match self.unbounded {
            Unbounded::Error => None,
            _ => self.sampled(node, &bounds),
        };
        let few = sampled.as_ref().is_some_and(|(size, ..)| *size < self.session.config().hard);
        if !few && self.is_contradictory_by_form(node)? {
            return Ok(None);
        }
        let (_, unknown, set) = sampled.ok_or_else(|| self.unbounded(first))?;
        self.cut(unknown);
        Ok(Some(SolverBranch::Values { constraint: None, unknown, set }))
    }

    /// The integers of a range that are tried where nothing else bounds an unknown.
    pub(super) fn cut_range(&self, Range { lo, hi }: Range) -> Set {
        match self.unbounded {
            Unbounded::Nearby => self.session.nearby_range(lo, hi),
            Unbounded::Error | Unbounded::PreferenceRange => self.session.preferred_range(lo, hi),
        }
    }

    /// Unknown with the fewest values in MININT..MAXINT: their number, the unknown, and the values.
    fn sampled(&self, node: &SearchNode, bounds: &Bounds) -> Option<(u64, Unknown, Val)> {
        let (session, model) = (self.session, self.session.model());
        let may_sample = self.samples_strings || self.unbounded == Unbounded::Nearby;
        let may_be = |unknown: &&Unknown| may_sample || !has_strings(model, unknown.ty(model));
        let values = node.open.iter().filter(may_be).filter_map(|unknown| {
            let set = if unknown.ty(model) == TypeTable::INTEGER {
                let range = bounds.get(&BoundKey::Value(*unknown));
                self.cut_range(range).into()
            } else {
                self.preferred_set(*unknown, node)?
            };
            match session.size(&set) {
                Size::AtMost(bound) => Some((bound, *unknown, set)),
                _ => None,
            }
        });
        values.min_by_key(|(size, ..)| *size)
    }

    /// Upper bound of `s` in `!x.(x : s => P)`: the values that satisfy `P`, if they can be listed.
    fn enclosed_by_quantifier(&self, unknown: Unknown, node: &SearchNode) -> Result<Option<Val>> {
        let (session, model) = (self.session, self.session.model());
        for constraint in &node.constraints {
            let ConstraintKind::Holds(pred) = constraint.kind else { continue };
            let Pred::Forall { binder, body } = model.pred(pred) else { continue };
            let Pred::Implies(left, right) = model.pred(*body) else { continue };
            let Pred::Compare(Comparison::Member, element, set) = model.pred(*left) else { continue };
            let names = session.interp().names_of_pred(*right);
            let is_open = node.open.occur_in(&names);
            if is_open
                || self.as_unknown(&Operand::Expr(*set), node) != Some(unknown)
                || !is_tuple(model, *element, binder)
            {
                continue;
            }
            let mut elements = Vec::new();
            let problem = Problem::of_pred(session, binder, *right).unbounded(Unbounded::Error);
            let listed = session.solve(problem, &node.env, &mut |env| {
                elements.push(session.finite(&session.tuple(env, binder)?, env)?);
                GO_ON
            });
            match listed {
                Ok(_) => return Ok(Some(elements.into_iter().collect::<Set>().into())),
                Err(error) if error.is_fatal() => return Err(error),
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Value of a set with as many known members as it may have elements: `1 : s & 2 : s & card(s) <= 2`.
    fn determined_by_members(&self, unknown: Unknown, node: &SearchNode, bounds: &Bounds) -> Option<Val> {
        let most = bounds.get(&BoundKey::Size(unknown)).hi?;
        let members = node.constraints.iter().filter_map(|constraint| match &constraint.kind {
            ConstraintKind::Relation(Relation::Member, left, right)
                if self.as_unknown(right, node) == Some(unknown) =>
            {
                let is_known = left.is_ready(self.session, &node.open);
                let val = is_known.then(|| left.eval(self.session, &node.env))?.ok()?;
                self.session.finite(&val, &node.env).ok()
            }
            _ => None,
        });
        let members: Set = members.collect();
        match Int::from(members.len()).cmp(&most) {
            Ordering::Less => None,
            Ordering::Equal => Some(Set::singleton(Value::Set(members)).into()),
            Ordering::Greater => Some(Set::EMPTY.into()),
        }
    }

    /// Smallest set that a membership gives, or else the type, with integers cut to MININT..MAXINT.
    fn preferred_set(&self, unknown: Unknown, node: &SearchNode) -> Option<Val> {
        let offered = node.constraints.iter().filter_map(|constraint| match &constraint.kind {
            ConstraintKind::Relation(Relation::Member, left, Operand::Known(set))
                if self.as_unknown(left, node) == Some(unknown) =>
            {
                self.session.preferred(set)
            }
            ConstraintKind::Relation(Relation::Subset, left, Operand::Known(set))
                if self.as_unknown(left, node) == Some(unknown) =>
            {
                self.session.preferred(&SymbolicSet::unary(UnaryOp::Pow, set.clone()))
            }
            _ => None,
        });
        let finite = |set: Val| match self.session.size(&set) {
            Size::AtMost(bound) => Some((bound, set)),
            _ => None,
        };
        let offered = offered.filter_map(finite).min_by_key(|(bound, _)| *bound);
        // Only if there is no membership: a type that is cut omits values that memberships allow.
        let by_type =
            || self.session.preferred(&self.session.type_set(unknown.ty(self.session.model()))).and_then(finite);
        offered.or_else(by_type).map(|(_, set)| set)
    }
}

/// Whether an expression is the tuple of these locals.
fn is_tuple(model: &Model, id: ExprId, locals: &[LocalId]) -> bool {
    match (model.expr(id), locals) {
        (Expr::Local(local), [only]) => local == only,
        (Expr::Binary(BinaryOp::Pair, first, second), [before @ .., last]) => {
            is_tuple(model, *first, before) && is_tuple(model, *second, &[*last])
        }
        _ => false,
    }
}
