//! Bounds of integer unknowns from equations and inequalities.
//!
//! Every comparison of integers becomes a linear form that is at most zero (`linear.rs`). An equation between functions becomes one comparison for
//! each argument. Names of lambdas are replaced by their bodies. Bounds then propagate through the inequalities up to a fixpoint.

use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_eval::{ConstraintKind, Env, Operand, Problem, Relation, Result, SymbolicSet, Unbounded, Unknown, Val};
use abridge_model::{BaseSet, BinaryOp, Expr, ExprId, LocalId, PredId, QuantifiedOp, TypeTable, UnaryOp};
use abridge_value::{Int, Set, Value, relation};

use super::linear::{BoundKey, Bounds, Linear, MAX_EXPONENT, Range, compare, evaluate, factor, settle};
use super::{SearchNode, SolutionSearch};

/// Context in which a term is evaluated.
#[derive(Clone, Copy)]
struct At<'a> {
    node: &'a SearchNode,
    env: &'a Env,
    bounds: &'a Bounds,
    /// Parameter of a lambda and its argument, which has no value yet.
    argument: Option<(LocalId, &'a Linear)>,
}

/// Largest number of values of a function that are compared.
const MAX_COMPARED_VALUES: usize = 64;
/// Products and nested sums beyond this depth count as unknown.
const MAX_DEPTH: u32 = 64;
/// Depth of an application of a lambda, which may apply others.
const LAMBDA_DEPTH: u32 = 8;

impl SolutionSearch<'_> {
    /// Bounds of the open integer unknowns and of the sizes of sets; `None` if they contradict each other.
    pub(super) fn infer_bounds(&self, node: &SearchNode) -> Result<Option<Bounds>> {
        let model = self.session.model();
        let mut bounds = Bounds::default();
        for unknown in node.open.iter().filter(|unknown| unknown.ty(model) == TypeTable::INTEGER) {
            bounds.entry(&BoundKey::Value(*unknown));
        }
        let mut at_most_zero = Vec::new();
        // Sets come first, since products need the ranges of their factors.
        for in_sets in [true, false] {
            for constraint in &node.constraints {
                let ConstraintKind::Relation(relation, left, right) = &constraint.kind else { continue };
                if in_sets {
                    self.bound_by_set(*relation, left, right, node, &mut bounds, &mut at_most_zero);
                } else {
                    let at = At { node, env: &node.env, bounds: &bounds, argument: None };
                    self.bound_by_comparison(*relation, left, right, at, &mut at_most_zero);
                }
            }
        }
        Ok(settle(&at_most_zero, &mut bounds).then_some(bounds))
    }

    /// Adds the linear inequalities of one comparison about points of a function under construction.
    pub(super) fn bound_points(
        &self,
        (relation, left, right): (Relation, &Operand, &Operand),
        node: &SearchNode,
        env: &Env,
        bounds: &Bounds,
        at_most_zero: &mut Vec<Linear>,
    ) {
        let at = At { node, env, bounds, argument: None };
        self.bound_by_comparison(relation, left, right, at, at_most_zero);
    }

    fn is_integer(&self, term: &Operand) -> bool {
        let model = self.session.model();
        match term {
            Operand::Expr(id) => model.ty(*id) == TypeTable::INTEGER,
            Operand::Local(id) => model.locals[*id].ty == TypeTable::INTEGER,
            Operand::Known(val) => val.int().is_ok(),
        }
    }

    /// `left : S`, `left /: NATURAL` with a known set of integers.
    fn bound_by_set(
        &self,
        relation: Relation,
        left: &Operand,
        right: &Operand,
        node: &SearchNode,
        bounds: &mut Bounds,
        at_most_zero: &mut Vec<Linear>,
    ) {
        if !matches!(relation, Relation::Member | Relation::NotMember) {
            return;
        }
        if !self.is_integer(left) {
            self.bound_codomain(left, right, node, bounds);
            return;
        }
        let set = match right {
            Operand::Known(set) => set.clone(),
            term if term.is_ready(self.session, &node.open) => match term.eval(self.session, &node.env) {
                Ok(set) => set,
                Err(_) => return,
            },
            _ => return,
        };
        let range = match relation {
            Relation::Member => range_of_set(&set),
            _ => range_outside(&set),
        };
        if range == Range::default() {
            return;
        }
        if let Some(unknown) = self.as_unknown(left, node) {
            bounds.narrow(&BoundKey::Value(unknown), range);
            return;
        }
        let linear = self.linear(left, At { node, env: &node.env, bounds, argument: None }, 0);
        let minus = Int::from(-1);
        if let Some(lo) = range.lo {
            at_most_zero.push(linear.clone().scale(&minus).add(Linear::constant(Range::exactly(lo))));
        }
        if let Some(hi) = range.hi {
            at_most_zero.push(linear.add(Linear::constant(Range::exactly(-hi))));
        }
    }

    /// `f : A --> B` with a known set `B` of integers.
    fn bound_codomain(&self, left: &Operand, right: &Operand, node: &SearchNode, bounds: &mut Bounds) {
        let (Some(unknown), Operand::Known(set)) = (self.as_unknown(left, node), right) else { return };
        let Some(SymbolicSet::Binary(BinaryOp::Arrow(_), _, to)) = set.as_sym() else { return };
        let range = range_of_set(to);
        if range != Range::default() {
            bounds.codomains.push((unknown, range));
        }
    }

    fn bound_by_comparison(
        &self,
        relation: Relation,
        left: &Operand,
        right: &Operand,
        at: At<'_>,
        at_most_zero: &mut Vec<Linear>,
    ) {
        if !matches!(relation, Relation::Equal | Relation::Less | Relation::LessEqual) {
            return;
        }
        if !self.is_integer(left) && !self.is_integer(right) {
            if relation == Relation::Equal {
                self.bound_by_values(left, right, at, at_most_zero);
                self.bound_by_values(right, left, at, at_most_zero);
            }
            return;
        }
        compare(relation, self.linear(left, at, 0), self.linear(right, at, 0), at_most_zero);
    }

    /// `f = %x.(P | E)` and `f = (g ; %x.(P | E))` with known functions: `E` has a known value for each argument of `f`.
    fn bound_by_values(&self, known: &Operand, built: &Operand, at: At<'_>, at_most_zero: &mut Vec<Linear>) {
        let session = self.session;
        let Operand::Expr(built) = built else { return };
        let is_built = matches!(
            session.model().expr(*built),
            Expr::Quantified { op: QuantifiedOp::Lambda, .. } | Expr::Binary(BinaryOp::Compose, ..)
        );
        if !is_built || !known.is_ready(session, &at.node.open) {
            return;
        }
        let Some(function) = self.finite_set(known, at.env) else { return };
        for (arg, value) in relation::pairs(&function).take(MAX_COMPARED_VALUES) {
            let (Some(value), Some(linear)) = (value.as_int(), self.linear_value(*built, &arg, at)) else { return };
            compare(Relation::Equal, linear, Linear::constant(Range::exactly(value)), at_most_zero);
        }
    }

    /// Value of a term without unknowns, if it is a set that can be listed.
    pub(super) fn finite_set(&self, term: &Operand, env: &Env) -> Option<Set> {
        let val = term.eval(self.session, env).and_then(|val| self.session.force(&val, env)).ok()?;
        val.as_set().cloned()
    }

    /// Linear form of the value of a lambda, or of its composition with a known function, for an argument.
    fn linear_value(&self, function: ExprId, arg: &Value, at: At<'_>) -> Option<Linear> {
        let session = self.session;
        with_stack(|| match session.model().expr(function) {
            Expr::Quantified { op: QuantifiedOp::Lambda, binder, expr, .. } => {
                let env = session.bind_tuple(at.env, binder, &arg.clone().into()).ok()?;
                Some(self.linear(&Operand::Expr(*expr), At { env: &env, ..at }, 0))
            }
            Expr::Binary(BinaryOp::Compose, first, second)
                if Operand::Expr(*first).is_ready(session, &at.node.open) =>
            {
                let first = self.finite_set(&Operand::Expr(*first), at.env)?;
                self.linear_value(*second, &relation::apply(&first, arg).ok()?, at)
            }
            _ => None,
        })
    }

    fn linear(&self, term: &Operand, at: At<'_>, depth: u32) -> Linear {
        if let Some((parameter, argument)) = at.argument {
            match term {
                Operand::Expr(id) if matches!(self.session.model().expr(*id), Expr::Local(local) if *local == parameter) =>
                {
                    return argument.clone();
                }
                Operand::Expr(id) if self.has_local(*id, parameter) => return self.linear_part(*id, at, depth),
                _ => {}
            }
        }
        if let Some(unknown) = self.as_unknown(term, at.node) {
            return Linear::of(BoundKey::Value(unknown));
        }
        if term.is_ready(self.session, &at.node.open)
            && let Ok(val) = term.eval(self.session, at.env).and_then(|val| val.int())
        {
            return Linear::constant(Range::exactly(val));
        }
        match term {
            Operand::Expr(id) => self.linear_part(*id, at, depth),
            _ => Linear::constant(Range::default()),
        }
    }

    fn linear_part(&self, id: ExprId, at: At<'_>, depth: u32) -> Linear {
        match depth < MAX_DEPTH {
            true => self.linear_expr(id, at, depth + 1),
            false => Linear::constant(Range::default()),
        }
    }

    fn has_local(&self, id: ExprId, local: LocalId) -> bool {
        Unknown::Local(local).is_in(&self.session.interp().names_of_expr(id))
    }

    /// `SIGMA(x).(P | E)` with a `P` without unknowns.
    fn linear_sum(&self, binder: &[LocalId], pred: PredId, expr: ExprId, at: At<'_>, depth: u32) -> Option<Linear> {
        let names = self.session.interp().names_of_pred(pred);
        if at.node.open.occur_in(&names) {
            return None;
        }
        let mut sum = Linear::constant(Range::exactly(Int::ZERO));
        let problem = Problem::of_pred(self.session, binder, pred).unbounded(Unbounded::Error);
        let solved = self.session.solve(problem, at.env, &mut |env| {
            let part = self.linear(&Operand::Expr(expr), At { env, ..at }, depth);
            sum = std::mem::replace(&mut sum, Linear::constant(Range::default())).add(part);
            Ok(ControlFlow::Continue(()))
        });
        solved.is_ok().then_some(sum)
    }

    /// `f(e)` with an unknown function, or with an undecided point of the function under construction.
    fn linear_point(&self, function: ExprId, arg: ExprId, at: At<'_>) -> Option<Linear> {
        let session = self.session;
        if !matches!(session.model().expr(function), Expr::Local(_) | Expr::Constant(_)) {
            return None;
        }
        let open = &at.node.open;
        if !Operand::Expr(arg).is_ready(session, open) {
            return None;
        }
        if let Some(unknown) = self.as_unknown(&Operand::Expr(function), at.node) {
            let key = session.expr(arg, at.env).and_then(|key| session.finite(&key, at.env)).ok()?;
            return Some(Linear::of(BoundKey::At(unknown, key)));
        }
        let val = session.expr(function, at.env).ok()?;
        let SymbolicSet::Partial(partial) = val.as_sym()? else { return None };
        let key = session.expr(arg, at.env).and_then(|key| session.finite(&key, at.env)).ok()?;
        partial.open.contains(&key).then(|| Linear::of(BoundKey::Point(key)))
    }

    /// `f(e)` with `f = %x.(P | E)`, where `e` or `E` reads unknowns. If `P` does not hold, the constraint counts as false.
    fn linear_lambda(&self, function: ExprId, arg: ExprId, at: At<'_>, depth: u32) -> Option<Linear> {
        let session = self.session;
        if !session.config().ill_defined_search_is_false || depth >= MAX_DEPTH {
            return None;
        }
        let (definition, env) = self.definition(function, at)?;
        let Expr::Quantified { op: QuantifiedOp::Lambda, binder, expr, .. } = session.model().expr(definition) else {
            return None;
        };
        let body = Operand::Expr(*expr);
        let is_known = at.argument.is_none_or(|(parameter, _)| !self.has_local(arg, parameter));
        if is_known && Operand::Expr(arg).is_ready(session, &at.node.open) {
            let env = session.bind_tuple(&env, binder, &session.expr(arg, at.env).ok()?).ok()?;
            return Some(self.linear(&body, At { env: &env, argument: None, ..at }, depth + LAMBDA_DEPTH));
        }
        let [parameter] = binder[..] else { return None };
        let argument = self.linear(&Operand::Expr(arg), at, depth);
        let at = At { env: &env, argument: Some((parameter, &argument)), ..at };
        Some(with_stack(|| self.linear(&body, at, depth + LAMBDA_DEPTH)))
    }

    /// The lambda that a name stands for, and the environment in which to evaluate it.
    fn definition(&self, function: ExprId, at: At<'_>) -> Option<(ExprId, Env)> {
        let session = self.session;
        let Some(unknown) = self.as_unknown(&Operand::Expr(function), at.node) else {
            let is_name = matches!(session.model().expr(function), Expr::Local(_) | Expr::Constant(_));
            let val = is_name.then(|| session.expr(function, at.env).ok()).flatten()?;
            let SymbolicSet::Closure(closure) = val.as_sym()? else { return None };
            return Some((closure.expr, at.env.enter(&closure.scope)));
        };
        let definition = at.node.constraints.iter().find_map(|constraint| match &constraint.kind {
            ConstraintKind::Relation(Relation::Equal, left, Operand::Expr(id))
                if self.as_unknown(left, at.node) == Some(unknown) =>
            {
                Some(*id)
            }
            _ => None,
        });
        Some((definition?, at.node.env.clone()))
    }

    fn linear_power(&self, base: &Linear, exponent: &Linear) -> Linear {
        let small = |linear: &Linear| factor(linear).and_then(|int| u32::try_from(int.to_u64()?).ok());
        let is_lenient = self.session.config().ill_defined_search_is_false;
        let key = match (base.as_key(), small(exponent), small(base), exponent.as_key()) {
            (Some(BoundKey::Value(base)), Some(exponent @ 2..=MAX_EXPONENT), ..) => {
                Some(BoundKey::Power(*base, exponent))
            }
            // A negative exponent is ill-defined, and counts as false.
            (.., Some(base @ 2..), Some(BoundKey::Value(exponent))) if is_lenient => {
                Some(BoundKey::Exponential(base, *exponent))
            }
            _ => None,
        };
        key.map_or_else(|| Linear::constant(Range::default()), Linear::of)
    }

    fn linear_expr(&self, id: ExprId, at: At<'_>, depth: u32) -> Linear {
        let linear = |id: ExprId| self.linear(&Operand::Expr(id), at, depth);
        let bounds = at.bounds;
        let minus = Int::from(-1);
        match self.session.model().expr(id) {
            Expr::Binary(BinaryOp::Add, left, right) => linear(*left).add(linear(*right)),
            Expr::Binary(BinaryOp::Subtract, left, right) => linear(*left).add(linear(*right).scale(&minus)),
            Expr::Unary(UnaryOp::Negate, operand) => linear(*operand).scale(&minus),
            Expr::Binary(BinaryOp::Multiply, left, right) => linear(*left).multiply(&linear(*right), bounds),
            Expr::Binary(BinaryOp::Modulo, _, right) => {
                let hi = evaluate(&linear(*right), bounds).hi.map(|hi| &hi - &Int::ONE);
                Linear::constant(Range { lo: Some(Int::ZERO), hi })
            }
            Expr::Binary(BinaryOp::Power, base, exponent) => self.linear_power(&linear(*base), &linear(*exponent)),
            Expr::Unary(UnaryOp::Card | UnaryOp::Size, set) => match self.as_unknown(&Operand::Expr(*set), at.node) {
                Some(unknown) => Linear::of(BoundKey::Size(unknown)),
                None => Linear::constant(Range { lo: Some(Int::ZERO), hi: None }),
            },
            Expr::Unary(op @ (UnaryOp::Min | UnaryOp::Max), set) => {
                match (op, self.as_unknown(&Operand::Expr(*set), at.node)) {
                    (UnaryOp::Min, Some(unknown)) => Linear::of(BoundKey::Least(unknown)),
                    (_, Some(unknown)) => Linear::of(BoundKey::Greatest(unknown)),
                    _ => Linear::constant(Range::default()),
                }
            }
            Expr::Unary(op @ (UnaryOp::SeqFirst | UnaryOp::SeqLast), sequence) => {
                match self.end_of(*op, *sequence, at.env) {
                    Some(point) => Linear::of(BoundKey::Point(point)),
                    None => Linear::constant(Range::default()),
                }
            }
            Expr::Quantified { op: QuantifiedOp::Sigma, binder, pred, expr, .. } => {
                self.linear_sum(binder, *pred, *expr, at, depth).unwrap_or_else(|| Linear::constant(Range::default()))
            }
            Expr::Binary(BinaryOp::Apply, function, arg) => self
                .linear_lambda(*function, *arg, at, depth)
                .or_else(|| self.linear_point(*function, *arg, at))
                .unwrap_or_else(|| Linear::constant(Range::default())),
            _ => Linear::constant(Range::default()),
        }
    }
}

/// Range of the integers outside of a set.
fn range_outside(set: &Val) -> Range {
    match set.as_sym() {
        Some(SymbolicSet::Base(BaseSet::Natural)) => Range { lo: None, hi: Some(Int::from(-1)) },
        Some(SymbolicSet::Base(BaseSet::Natural1)) => Range { lo: None, hi: Some(Int::ZERO) },
        _ => Range::default(),
    }
}

pub(super) fn range_of_set(set: &Val) -> Range {
    if let Some(set) = set.as_set() {
        let end = |value: Option<abridge_value::Value>| value.and_then(|value| value.as_int());
        return Range { lo: end(set.first()), hi: end(set.last()) };
    }
    match set.as_sym() {
        Some(SymbolicSet::Base(BaseSet::Natural)) => Range { lo: Some(Int::ZERO), hi: None },
        Some(SymbolicSet::Base(BaseSet::Natural1)) => Range { lo: Some(Int::ONE), hi: None },
        Some(SymbolicSet::Binary(BinaryOp::Intersection, left, right)) => {
            let (left, right) = (range_of_set(left), range_of_set(right));
            Range { lo: left.lo.into_iter().chain(right.lo).max(), hi: left.hi.into_iter().chain(right.hi).min() }
        }
        Some(SymbolicSet::Binary(BinaryOp::Difference, whole, _)) => range_of_set(whole),
        _ => Range::default(),
    }
}
