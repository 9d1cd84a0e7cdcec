//! Bounds of integer unknowns from linear equations and inequalities.
//!
//! Every comparison of integers becomes `c1*x1 + ... + cn*xn + rest <= 0`, where `rest` is a range that covers the nonlinear part. An equation
//! between functions becomes one comparison for each argument. Bounds propagate through the inequalities up to a fixpoint. A bound that is too
//! tight loses solutions.

use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_eval::{ConstraintKind, Env, Operand, Problem, Relation, Result, SymbolicSet, Unbounded, Unknown, Val};
use abridge_model::{BaseSet, BinaryOp, Expr, ExprId, LocalId, PredId, QuantifiedOp, TypeTable, UnaryOp};
use abridge_value::{Int, Set, Value, relation};

use super::{SearchNode, SolutionSearch};

#[derive(Clone, Default, PartialEq, Debug)]
/// Range of integers; an absent end is infinite.
pub(super) struct Range {
    pub(super) lo: Option<Int>,
    pub(super) hi: Option<Int>,
}

/// Subject of a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Key {
    Value(Unknown),
    /// `card(s)`, `size(s)`
    Size(Unknown),
    Product(Unknown, Unknown),
    /// `f(k)` of the function under construction.
    Point(Value),
    /// `f(k)` of an unknown function.
    At(Unknown, Value),
    /// `min(s)`
    Least(Unknown),
    /// `max(s)`
    Greatest(Unknown),
}

/// Context in which a term is evaluated.
#[derive(Clone, Copy)]
struct At<'a> {
    node: &'a SearchNode,
    env: &'a Env,
    bounds: &'a Bounds,
}

/// Linear form: a sum of keys with factors, plus a range.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    terms: Vec<(Key, Int)>,
    rest: Range,
}

/// Rounds of propagation: enough for chains of inequalities. Bounds that creep further are left as they are.
const MAX_ROUNDS: usize = 12;
/// Bits of the ends of a range. An end that is further out says nothing: squares of squares double their length in each round.
const MAX_BITS: u64 = 1 << 12;
/// Largest number of values of a function that are compared.
const MAX_COMPARED_VALUES: usize = 64;
/// Products and nested sums beyond this depth count as unknown.
const MAX_DEPTH: u32 = 64;

impl Range {
    fn exactly(int: Int) -> Range {
        Range { lo: Some(int.clone()), hi: Some(int) }
    }

    fn add(&self, other: &Range) -> Range {
        let sum = |left: &Option<Int>, right: &Option<Int>| Some(left.as_ref()? + right.as_ref()?);
        Range { lo: sum(&self.lo, &other.lo), hi: sum(&self.hi, &other.hi) }
    }

    fn scale(&self, factor: &Int) -> Range {
        let scaled = |end: &Option<Int>| end.as_ref().and_then(|end| short_product(end, factor));
        if factor.is_negative() {
            Range { lo: scaled(&self.hi), hi: scaled(&self.lo) }
        } else if factor.is_zero() {
            Range::exactly(Int::ZERO)
        } else {
            Range { lo: scaled(&self.lo), hi: scaled(&self.hi) }
        }
    }

    fn multiply(&self, other: &Range) -> Range {
        let (Some(a), Some(b), Some(c), Some(d)) = (&self.lo, &self.hi, &other.lo, &other.hi) else {
            let not_negative = |range: &Range| range.lo.as_ref().is_some_and(|lo| !lo.is_negative());
            let lo = (not_negative(self) && not_negative(other)).then_some(Int::ZERO);
            return Range { lo, hi: None };
        };
        let products = [(a, c), (a, d), (b, c), (b, d)].map(|(left, right)| short_product(left, right));
        let Some(products) = products.into_iter().collect::<Option<Vec<Int>>>() else { return Range::default() };
        Range { lo: products.iter().min().cloned(), hi: products.iter().max().cloned() }
    }

    fn is_empty(&self) -> bool {
        matches!((&self.lo, &self.hi), (Some(lo), Some(hi)) if lo > hi)
    }

    fn raise(&mut self, lo: Int) -> bool {
        let better = lo.bits() <= MAX_BITS && self.lo.as_ref().is_none_or(|old| *old < lo);
        if better {
            self.lo = Some(lo);
        }
        better
    }

    fn lower(&mut self, hi: Int) -> bool {
        let better = hi.bits() <= MAX_BITS && self.hi.as_ref().is_none_or(|old| *old > hi);
        if better {
            self.hi = Some(hi);
        }
        better
    }
}

impl Linear {
    fn of(key: Key) -> Linear {
        Linear { terms: vec![(key, Int::ONE)], rest: Range::exactly(Int::ZERO) }
    }

    /// Whether the form relates several points of a function.
    pub(super) fn relates_points(&self) -> bool {
        self.terms.iter().filter(|(key, _)| matches!(key, Key::Point(_))).count() > 1
    }

    /// The unknown, if the form consists of it alone.
    fn as_value(&self) -> Option<Unknown> {
        match &self.terms[..] {
            [(Key::Value(unknown), factor)] if *factor == Int::ONE && self.rest == Range::exactly(Int::ZERO) => {
                Some(*unknown)
            }
            _ => None,
        }
    }

    fn constant(rest: Range) -> Linear {
        Linear { terms: Vec::new(), rest }
    }

    fn add(mut self, other: Linear) -> Linear {
        for (unknown, factor) in other.terms {
            match self.terms.iter_mut().find(|(mine, _)| *mine == unknown) {
                Some((_, mine)) => *mine = &*mine + &factor,
                None => self.terms.push((unknown, factor)),
            }
        }
        self.terms.retain(|(_, factor)| !factor.is_zero());
        self.rest = self.rest.add(&other.rest);
        self
    }

    fn scale(mut self, factor: &Int) -> Linear {
        for (_, mine) in &mut self.terms {
            *mine = &*mine * factor;
        }
        self.terms.retain(|(_, factor)| !factor.is_zero());
        self.rest = self.rest.scale(factor);
        self
    }
}

/// Range of each key.
#[derive(Default)]
pub(super) struct Bounds {
    ranges: Vec<(Key, Range)>,
    /// Ranges of the values of unknown functions.
    codomains: Vec<(Unknown, Range)>,
}

impl Bounds {
    pub(super) fn get(&self, key: &Key) -> Range {
        let known = self.ranges.iter().find(|(other, _)| other == key).map(|(_, range)| range.clone());
        known.unwrap_or_else(|| self.initial(key))
    }

    fn initial(&self, key: &Key) -> Range {
        match key {
            Key::Size(_) => Range { lo: Some(Int::ZERO), hi: None },
            Key::At(function, _) => {
                let codomain = self.codomains.iter().find(|(other, _)| other == function);
                codomain.map(|(_, range)| range.clone()).unwrap_or_default()
            }
            _ => Range::default(),
        }
    }

    /// Bounds of the values of an unknown function at single points.
    pub(super) fn points(&self, function: Unknown) -> impl Iterator<Item = (&Value, &Range)> {
        self.ranges.iter().filter_map(move |(key, range)| match key {
            Key::At(other, point) if *other == function => Some((point, range)),
            _ => None,
        })
    }

    pub(super) fn is_contradictory(&self) -> bool {
        self.ranges.iter().any(|(_, range)| range.is_empty())
    }

    /// Ranges of the integer unknowns.
    pub(super) fn values(self) -> impl Iterator<Item = (Unknown, Range)> {
        self.ranges.into_iter().filter_map(|(key, range)| match key {
            Key::Value(unknown) => Some((unknown, range)),
            _ => None,
        })
    }

    fn entry(&mut self, key: &Key) -> &mut Range {
        let idx = self.ranges.iter().position(|(other, _)| other == key).unwrap_or_else(|| {
            let range = self.initial(key);
            self.ranges.push((key.clone(), range));
            self.ranges.len() - 1
        });
        &mut self.ranges[idx].1
    }

    pub(super) fn narrow(&mut self, key: &Key, range: Range) -> bool {
        let known = self.entry(key);
        let raised = range.lo.is_some_and(|lo| known.raise(lo));
        let lowered = range.hi.is_some_and(|hi| known.lower(hi));
        raised || lowered
    }

    /// Narrows products by their factors, and factors by products.
    fn narrow_products(&mut self) -> bool {
        let mut changed = false;
        for idx in 0..self.ranges.len() {
            let (Key::Product(left, right), product) = self.ranges[idx].clone() else { continue };
            let (a, b) = (self.get(&Key::Value(left)), self.get(&Key::Value(right)));
            let mut range = a.multiply(&b);
            if left == right {
                range.raise(Int::ZERO);
                if let Some(hi) = product.hi.filter(|hi| !hi.is_negative()) {
                    let root = Int::from(hi.to_big().sqrt());
                    changed |= self.narrow(&Key::Value(left), Range { lo: Some(-&root), hi: Some(root) });
                }
            } else {
                changed |= self.narrow(&Key::Value(left), quotient(&product, &b));
                changed |= self.narrow(&Key::Value(right), quotient(&product, &a));
            }
            changed |= self.narrow(&Key::Product(left, right), range);
        }
        changed
    }
}

/// A product, unless it is long.
fn short_product(left: &Int, right: &Int) -> Option<Int> {
    (left.bits() + right.bits() <= MAX_BITS).then(|| left * right)
}

/// The other factor of a natural product with a positive factor.
fn quotient(product: &Range, factor: &Range) -> Range {
    match (&product.hi, &factor.lo) {
        (Some(hi), Some(lo)) if !hi.is_negative() && *lo > Int::ZERO => Range { lo: None, hi: hi.div_floor(lo) },
        _ => Range::default(),
    }
}

impl SolutionSearch<'_> {
    /// Bounds of the open integer unknowns and of the sizes of sets; `None` if they contradict each other.
    pub(super) fn infer_bounds(&self, node: &SearchNode) -> Result<Option<Bounds>> {
        let model = self.session.model();
        let mut bounds = Bounds::default();
        for unknown in node.open.iter().filter(|unknown| unknown.ty(model) == TypeTable::INTEGER) {
            bounds.entry(&Key::Value(*unknown));
        }
        let mut at_most_zero = Vec::new();
        // Sets come first, since products need the ranges of their factors.
        for in_sets in [true, false] {
            for constraint in &node.constraints {
                let ConstraintKind::Relation(relation, left, right) = &constraint.kind else { continue };
                if in_sets {
                    self.bound_by_set(*relation, left, right, node, &mut bounds, &mut at_most_zero);
                } else {
                    let at = At { node, env: &node.env, bounds: &bounds };
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
        self.bound_by_comparison(relation, left, right, At { node, env, bounds }, at_most_zero);
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
            bounds.narrow(&Key::Value(unknown), range);
            return;
        }
        let linear = self.linear(left, At { node, env: &node.env, bounds }, 0);
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
        if let Some(unknown) = self.as_unknown(term, at.node) {
            return Linear::of(Key::Value(unknown));
        }
        if term.is_ready(self.session, &at.node.open)
            && let Ok(val) = term.eval(self.session, at.env).and_then(|val| val.int())
        {
            return Linear::constant(Range::exactly(val));
        }
        match term {
            Operand::Expr(id) if depth < MAX_DEPTH => self.linear_expr(*id, at, depth + 1),
            _ => Linear::constant(Range::default()),
        }
    }

    /// `SIGMA(x).(P | E)` with a `P` without unknowns.
    fn linear_sum(&self, binder: &[LocalId], pred: PredId, expr: ExprId, at: At<'_>, depth: u32) -> Option<Linear> {
        let names = self.session.interp().names_of_pred(pred);
        if at.node.open.iter().any(|unknown| unknown.is_in(&names)) {
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
            return Some(Linear::of(Key::At(unknown, key)));
        }
        let val = session.expr(function, at.env).ok()?;
        let SymbolicSet::Partial(partial) = val.as_sym()? else { return None };
        let key = session.expr(arg, at.env).and_then(|key| session.finite(&key, at.env)).ok()?;
        partial.open.contains(&key).then(|| Linear::of(Key::Point(key)))
    }

    /// `f(e)` with `f = %x.(P | E)`, where `E` reads unknowns. If `P` does not hold, the constraint counts as false.
    fn linear_lambda(&self, function: ExprId, arg: ExprId, at: At<'_>, depth: u32) -> Option<Linear> {
        let session = self.session;
        let unknown = self.as_unknown(&Operand::Expr(function), at.node)?;
        if !session.config().ill_defined_search_is_false || !Operand::Expr(arg).is_ready(session, &at.node.open) {
            return None;
        }
        let definition = at.node.constraints.iter().find_map(|constraint| match &constraint.kind {
            ConstraintKind::Relation(Relation::Equal, left, Operand::Expr(id))
                if self.as_unknown(left, at.node) == Some(unknown) =>
            {
                Some(*id)
            }
            _ => None,
        });
        match session.model().expr(definition?) {
            Expr::Quantified { op: QuantifiedOp::Lambda, binder, expr, .. } => {
                let env = session.bind_tuple(at.env, binder, &session.expr(arg, at.env).ok()?).ok()?;
                Some(self.linear(&Operand::Expr(*expr), At { env: &env, ..at }, depth))
            }
            _ => None,
        }
    }

    fn linear_expr(&self, id: ExprId, at: At<'_>, depth: u32) -> Linear {
        let linear = |id: ExprId| self.linear(&Operand::Expr(id), at, depth);
        let bounds = at.bounds;
        let minus = Int::from(-1);
        match self.session.model().expr(id) {
            Expr::Binary(BinaryOp::Add, left, right) => linear(*left).add(linear(*right)),
            Expr::Binary(BinaryOp::Subtract, left, right) => linear(*left).add(linear(*right).scale(&minus)),
            Expr::Unary(UnaryOp::Negate, operand) => linear(*operand).scale(&minus),
            Expr::Binary(BinaryOp::Multiply, left, right) => {
                let (left, right) = (linear(*left), linear(*right));
                match (factor(&left), factor(&right), left.as_value(), right.as_value()) {
                    (Some(factor), ..) => right.scale(&factor),
                    (_, Some(factor), ..) => left.scale(&factor),
                    (.., Some(first), Some(second)) => Linear::of(Key::Product(first, second)),
                    _ => Linear::constant(evaluate(&left, bounds).multiply(&evaluate(&right, bounds))),
                }
            }
            Expr::Binary(BinaryOp::Modulo, _, right) => {
                let hi = evaluate(&linear(*right), bounds).hi.map(|hi| &hi - &Int::ONE);
                Linear::constant(Range { lo: Some(Int::ZERO), hi })
            }
            Expr::Binary(BinaryOp::Power, base, exponent) => {
                match (linear(*base).as_value(), factor(&linear(*exponent))) {
                    (Some(unknown), Some(two)) if two == Int::from(2) => Linear::of(Key::Product(unknown, unknown)),
                    _ => Linear::constant(Range::default()),
                }
            }
            Expr::Unary(UnaryOp::Card | UnaryOp::Size, set) => match self.as_unknown(&Operand::Expr(*set), at.node) {
                Some(unknown) => Linear::of(Key::Size(unknown)),
                None => Linear::constant(Range { lo: Some(Int::ZERO), hi: None }),
            },
            Expr::Unary(op @ (UnaryOp::Min | UnaryOp::Max), set) => {
                match (op, self.as_unknown(&Operand::Expr(*set), at.node)) {
                    (UnaryOp::Min, Some(unknown)) => Linear::of(Key::Least(unknown)),
                    (_, Some(unknown)) => Linear::of(Key::Greatest(unknown)),
                    _ => Linear::constant(Range::default()),
                }
            }
            Expr::Unary(op @ (UnaryOp::SeqFirst | UnaryOp::SeqLast), sequence) => {
                match self.end_of(*op, *sequence, at.env) {
                    Some(point) => Linear::of(Key::Point(point)),
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

/// Propagates bounds up to a fixpoint; `false` if they contradict each other.
pub(super) fn settle(at_most_zero: &[Linear], bounds: &mut Bounds) -> bool {
    for _ in 0..MAX_ROUNDS {
        let mut changed = bounds.narrow_products();
        for linear in at_most_zero {
            changed |= propagate(linear, bounds);
        }
        if bounds.is_contradictory() {
            return false;
        }
        if !changed {
            break;
        }
    }
    true
}

/// Adds the inequalities of `left = right`, `left < right` or `left <= right`.
fn compare(relation: Relation, left: Linear, right: Linear, at_most_zero: &mut Vec<Linear>) {
    let minus = Int::from(-1);
    let difference = left.add(right.scale(&minus));
    if relation == Relation::Equal {
        at_most_zero.push(difference.clone().scale(&minus));
    }
    let strictness = if relation == Relation::Less { Int::ONE } else { Int::ZERO };
    at_most_zero.push(difference.add(Linear::constant(Range::exactly(strictness))));
}

/// Value of a linear form without unknowns.
fn factor(linear: &Linear) -> Option<Int> {
    if linear.terms.is_empty() && linear.rest.lo == linear.rest.hi { linear.rest.lo.clone() } else { None }
}

fn evaluate(linear: &Linear, bounds: &Bounds) -> Range {
    linear.terms.iter().fold(linear.rest.clone(), |sum, (key, factor)| sum.add(&bounds.get(key).scale(factor)))
}

/// Narrows each key by the least value of the other terms.
fn propagate(linear: &Linear, bounds: &mut Bounds) -> bool {
    let mut changed = false;
    for (idx, (key, factor)) in linear.terms.iter().enumerate() {
        let mut others = linear.clone();
        others.terms.remove(idx);
        let Some(least) = evaluate(&others, bounds).lo else { continue };
        // factor * key <= -least
        let limit = -least;
        let range = bounds.entry(key);
        changed |= if factor.is_negative() {
            limit.div_ceil(factor).is_some_and(|lo| range.raise(lo))
        } else {
            limit.div_floor(factor).is_some_and(|hi| range.lower(hi))
        };
    }
    changed
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
