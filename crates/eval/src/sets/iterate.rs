//! Enumeration of sets: elements one by one without duplicates, or together as a value.

use std::ops::ControlFlow;

use abridge_model::{BinaryOp, Expr, FreeTypeId, QuantifiedOp, Type, UnaryOp};
use abridge_value::{Int, Set, Value, relation};

use super::{Collector, Size};
use crate::config::Unbounded;
use crate::domain::{Closure, Env, Error, ErrorKind, Result, SymbolicSet, Val};
use crate::interp::{Constraint, Problem, Session};

pub type ElementFn<'v> = dyn FnMut(Val) -> Result<ControlFlow<()>> + 'v;

const GO_ON: Result<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

impl Session<'_> {
    /// Expands a symbolic set if it is finite and not too large; otherwise returns it unchanged.
    pub fn force(&self, val: &Val, env: &Env) -> Result<Val> {
        match val {
            Val::Value(_) => Ok(val.clone()),
            Val::Pair(pair) => Ok(Val::pair(self.force(&pair.0, env)?, self.force(&pair.1, env)?)),
            Val::Record(shape, fields) => {
                let fields: Result<Vec<Val>> = fields.iter().map(|field| self.force(field, env)).collect();
                Ok(Val::record(*shape, fields?))
            }
            Val::Symbolic(sym) => {
                let worth_trying = match self.size(val) {
                    Size::AtMost(bound) => bound <= self.config().max_set_size,
                    Size::Infinite => false,
                    Size::Unknown => !self.is_kept_symbolic(sym),
                };
                if !worth_trying {
                    return Ok(val.clone());
                }
                match self.enumerate(val, env) {
                    Ok(set) => Ok(set.into()),
                    Err(error) if error.is_expansion() => Ok(val.clone()),
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// Concrete value; an error if it contains an infinite set.
    pub fn finite(&self, val: &Val, env: &Env) -> Result<Value> {
        match val {
            Val::Value(value) => Ok(value.clone()),
            Val::Pair(pair) => Ok(Value::pair(self.finite(&pair.0, env)?, self.finite(&pair.1, env)?)),
            Val::Record(shape, fields) => {
                let fields: Result<Vec<Value>> = fields.iter().map(|field| self.finite(field, env)).collect();
                Ok(Value::record(*shape, fields?))
            }
            Val::Symbolic(_) => Ok(Value::Set(self.enumerate(val, env)?)),
        }
    }

    /// Whether the user asked to keep a set symbolic.
    fn is_kept_symbolic(&self, sym: &SymbolicSet) -> bool {
        let SymbolicSet::Closure(closure) = sym else { return false };
        match self.model().expr(closure.expr) {
            Expr::Comprehension { symbolic: true, .. } | Expr::Quantified { symbolic: true, .. } => true,
            Expr::Quantified { op: QuantifiedOp::Lambda, .. } => self.model().steering.preferences.flag("SYMBOLIC"),
            _ => false,
        }
    }

    pub fn check_size(&self, n_elements: u64) -> Result<()> {
        let limit = self.config().max_set_size;
        if n_elements > limit { Err(ErrorKind::SetTooLarge { limit }.into()) } else { Ok(()) }
    }

    /// Elements in a list. An interval of any length is a concrete value, so the limit is checked here.
    pub fn elements(&self, set: &Val, env: &Env) -> Result<Vec<Value>> {
        let set = self.enumerate(set, env)?;
        self.check_size(set.len())?;
        Ok(set.iter().collect())
    }

    /// Calls `visit` for every element, each once.
    pub fn each(&self, set: &Val, env: &Env, visit: &mut ElementFn<'_>) -> Result<ControlFlow<()>> {
        let visit: &mut ElementFn<'_> = &mut |val| {
            self.tick()?;
            visit(val)
        };
        match set {
            Val::Value(Value::Set(set)) => visit_all(set, visit),
            Val::Symbolic(sym) => abridge_diag::with_stack(|| self.each_of_sym(sym, set, env, visit)),
            _ => Err(ErrorKind::Internal("a set is expected").into()),
        }
    }

    fn each_of_sym(
        &self,
        sym: &SymbolicSet,
        set: &Val,
        env: &Env,
        visit: &mut ElementFn<'_>,
    ) -> Result<ControlFlow<()>> {
        match sym {
            SymbolicSet::Unary(op @ (UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Pow1 | UnaryOp::Fin1), base) => {
                let base = self.elements(base, env)?;
                each_subset(&base, matches!(op, UnaryOp::Pow | UnaryOp::Fin), visit)
            }
            SymbolicSet::Unary(
                op @ (UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm),
                base,
            ) => self.each_sequence(*op, base, env, visit),
            SymbolicSet::Binary(BinaryOp::Cartesian, left, right) => {
                if self.is_empty(right, env)? {
                    return GO_ON;
                }
                self.each(left, env, &mut |first| {
                    self.each(right, env, &mut |second| visit(Val::pair(first.clone(), second)))
                })
            }
            SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, to) => self.each_arrow(*arrow, from, to, env, visit),
            SymbolicSet::Struct(shape, fields) => self.each_record(*shape, fields, &mut Vec::new(), env, visit),
            SymbolicSet::Closure(closure) => self.each_of_closure(closure, env, visit),
            _ => visit_all(&self.enumerate(set, env)?, visit),
        }
    }

    fn each_record(
        &self,
        shape: u32,
        sets: &[Val],
        fields: &mut Vec<Val>,
        env: &Env,
        visit: &mut ElementFn<'_>,
    ) -> Result<ControlFlow<()>> {
        let Some(set) = sets.get(fields.len()) else { return visit(Val::record(shape, fields.clone())) };
        self.each(set, env, &mut |field| {
            fields.push(field);
            let flow = self.each_record(shape, sets, fields, env, visit);
            fields.pop();
            flow
        })
    }

    fn each_of_closure(&self, closure: &Closure, env: &Env, visit: &mut ElementFn<'_>) -> Result<ControlFlow<()>> {
        let inner = env.enter(&closure.scope);
        match self.model().expr(closure.expr) {
            Expr::Comprehension { binder, pred, .. } => {
                let problem = Problem::of_pred(self, binder, *pred).unbounded(Unbounded::Error);
                self.solve(problem, &inner, &mut |env| visit(self.tuple(env, binder)?))
            }
            Expr::Quantified { op: QuantifiedOp::Lambda, binder, pred, expr, .. } => {
                let problem = Problem::of_pred(self, binder, *pred).unbounded(Unbounded::Error);
                self.solve(problem, &inner, &mut |env| {
                    visit(Val::pair(self.tuple(env, binder)?, self.call(|| self.value(*expr, env))?))
                })
            }
            _ => visit_all(&self.enumerate(&SymbolicSet::Closure(closure.clone()).into(), env)?, visit),
        }
    }

    /// Visits the elements of a comprehension whose first component is an integer of at least `least`; `None` for other sets.
    pub fn each_at_least(
        &self,
        set: &Val,
        least: &Int,
        env: &Env,
        visit: &mut ElementFn<'_>,
    ) -> Option<Result<ControlFlow<()>>> {
        let Some(SymbolicSet::Closure(closure)) = set.as_sym() else { return None };
        let Expr::Comprehension { binder, pred, .. } = self.model().expr(closure.expr) else { return None };
        let first = *binder.first()?;
        if self.model().types.get(self.model().locals[first].ty) != &Type::Integer {
            return None;
        }
        let mut problem = Problem::of_pred(self, binder, *pred).unbounded(Unbounded::Error);
        problem.add(Constraint::local_at_least(self, first, least.clone().into()));
        Some(self.solve(problem, &env.enter(&closure.scope), &mut |env| visit(self.tuple(env, binder)?)))
    }

    /// Set as a concrete value.
    pub fn enumerate(&self, set: &Val, env: &Env) -> Result<Set> {
        self.tick()?;
        match set {
            Val::Value(Value::Set(set)) => Ok(set.clone()),
            Val::Symbolic(sym) => abridge_diag::with_stack(|| self.enumerate_sym(sym, set, env)),
            _ => Err(ErrorKind::Internal("a set is expected").into()),
        }
    }

    fn enumerate_sym(&self, sym: &SymbolicSet, set: &Val, env: &Env) -> Result<Set> {
        let infinite = || Err(Error::new(ErrorKind::InfiniteSet(set.clone())));
        match sym {
            SymbolicSet::Base(_) | SymbolicSet::Successor | SymbolicSet::Predecessor | SymbolicSet::Tree(..) => {
                infinite()
            }
            SymbolicSet::FreeType(id) if self.is_recursive(*id) => infinite(),
            SymbolicSet::FreeType(id) => self.enumerate_free_type(*id, env),
            SymbolicSet::Constructor(id, constructor) => {
                let args = self.enumerate(&self.constructor_domain(*id, *constructor, env)?, env)?;
                let built = |arg: Value| Value::pair(arg.clone(), Value::free(id.0, *constructor, Some(arg)));
                Ok(args.iter().map(built).collect())
            }
            SymbolicSet::Unary(op, operand) => self.enumerate_unary(*op, operand, set, env),
            SymbolicSet::Binary(op, left, right) => self.enumerate_binary(*op, left, right, set, env),
            SymbolicSet::Struct(..) => self.collect(set, env),
            SymbolicSet::Closure(closure) => self.enumerate_closure(closure, set, env),
            SymbolicSet::Partial(_) => Err(ErrorKind::Undetermined.into()),
        }
    }

    /// Lists a set whose elements can be visited.
    fn collect(&self, set: &Val, env: &Env) -> Result<Set> {
        if let Size::AtMost(bound) = self.size(set)
            && bound == u64::MAX
        {
            return Err(ErrorKind::SetTooLarge { limit: self.config().max_set_size }.into());
        }
        let mut out = Collector::new(self);
        let _ = self.each(set, env, &mut |val| {
            out.push(self.finite(&val, env)?)?;
            GO_ON
        })?;
        Ok(out.finish())
    }

    fn enumerate_unary(&self, op: UnaryOp, operand: &Val, set: &Val, env: &Env) -> Result<Set> {
        match op {
            UnaryOp::Id => Ok(relation::identity(&self.enumerate(operand, env)?)),
            UnaryOp::Inverse => Ok(relation::inverse(&self.enumerate(operand, env)?)),
            UnaryOp::Closure1 => relation::closure1(&self.enumerate(operand, env)?, &mut self.meter()),
            UnaryOp::Fnc => Ok(relation::fnc(&self.enumerate(operand, env)?)),
            UnaryOp::Rel => relation::rel(&self.enumerate(operand, env)?, &mut self.meter()),
            UnaryOp::Dom => self.enumerate_dom(operand, env),
            UnaryOp::Ran => Ok(relation::ran(&self.enumerate(operand, env)?)),
            UnaryOp::GeneralUnion => {
                let mut out = Collector::new(self);
                for inner in &self.enumerate(operand, env)? {
                    out.extend(inner.as_set().into_iter().flat_map(Set::iter))?;
                }
                Ok(out.finish())
            }
            UnaryOp::GeneralInter => {
                let sets = self.enumerate(operand, env)?;
                let common = sets
                    .iter()
                    .filter_map(|inner| inner.as_set().cloned())
                    .reduce(|left, right| left.intersection(&right));
                Ok(common.unwrap_or(Set::EMPTY))
            }
            _ => self.collect(set, env),
        }
    }

    /// Domain of a relation. For a lambda its values are not evaluated.
    fn enumerate_dom(&self, r: &Val, env: &Env) -> Result<Set> {
        if let Some(closure) = r.as_closure()
            && let Expr::Quantified { op: QuantifiedOp::Lambda, binder, pred, .. } = self.model().expr(closure.expr)
        {
            let problem = Problem::of_pred(self, binder, *pred).unbounded(Unbounded::Error);
            return self.collect_solutions(problem, &env.enter(&closure.scope), &|env| self.tuple(env, binder));
        }
        Ok(relation::dom(&self.enumerate(r, env)?))
    }

    fn collect_solutions(&self, problem: Problem, env: &Env, result: &dyn Fn(&Env) -> Result<Val>) -> Result<Set> {
        let mut out = Collector::new(self);
        let _ = self.solve(problem, env, &mut |env| {
            out.push(self.finite(&result(env)?, env)?)?;
            GO_ON
        })?;
        Ok(out.finish())
    }

    fn enumerate_closure(&self, closure: &Closure, set: &Val, env: &Env) -> Result<Set> {
        let inner = env.enter(&closure.scope);
        if let Some(Value::Set(set)) = self.fragments().and_then(|fragments| fragments.expr(self, closure.expr, &inner))
        {
            return Ok(set);
        }
        match self.model().expr(closure.expr) {
            Expr::SetImage { binder, pred, expr } => {
                let problem = Problem::of_pred(self, binder, *pred).unbounded(Unbounded::Error);
                self.collect_solutions(problem, &inner, &|env| self.expr(*expr, env))
            }
            Expr::Quantified { op: QuantifiedOp::Union, binder, pred, expr, .. } => {
                let problem = Problem::of_pred(self, binder, *pred).unbounded(Unbounded::Error);
                let mut out = Collector::new(self);
                let _ = self.solve(problem, &inner, &mut |env| {
                    let part = self.enumerate(&self.expr(*expr, env)?, env)?;
                    self.check_size(part.len())?;
                    out.extend(part.iter())?;
                    GO_ON
                })?;
                Ok(out.finish())
            }
            _ => self.collect(set, env),
        }
    }

    fn enumerate_binary(&self, op: BinaryOp, left: &Val, right: &Val, set: &Val, env: &Env) -> Result<Set> {
        match op {
            BinaryOp::Union => {
                let (left, right) = (self.enumerate(left, env)?, self.enumerate(right, env)?);
                self.check_size(left.len().saturating_add(right.len()))?;
                self.charge_bulk(left.copy_bytes() + right.copy_bytes())?;
                Ok(left.union(&right))
            }
            BinaryOp::Intersection => {
                let (few, many) = self.cheaper(left, right);
                self.filtered(few, env, &|val| self.member(val, many, env))
            }
            BinaryOp::Difference => self.filtered(left, env, &|val| Ok(!self.member(val, right, env)?)),
            BinaryOp::DomainRestrict if self.is_cheaper(left, right) => {
                self.rows(&self.enumerate(left, env)?, right, env)
            }
            BinaryOp::DomainRestrict => self.filtered(right, env, &|val| self.member(&val.split()?.0, left, env)),
            BinaryOp::DomainSubtract => {
                self.filtered(right, env, &|val| Ok(!self.member(&val.split()?.0, left, env)?))
            }
            BinaryOp::RangeRestrict => self.filtered(left, env, &|val| self.member(&val.split()?.1, right, env)),
            BinaryOp::RangeSubtract => {
                self.filtered(left, env, &|val| Ok(!self.member(&val.split()?.1, right, env)?))
            }
            BinaryOp::Override => {
                let kept = self.filtered(left, env, &|val| Ok(!self.in_domain(right, &val.split()?.0, env)?))?;
                Ok(kept.union(&self.enumerate(right, env)?))
            }
            BinaryOp::Compose => self.enumerate_compose(left, right, env),
            BinaryOp::DirectProduct => {
                let dom = self.enumerate(&self.dom(left, env)?, env)?;
                self.rows(&dom, set, env)
            }
            BinaryOp::ParallelProduct => {
                let (left, right) = (self.enumerate(left, env)?, self.enumerate(right, env)?);
                self.check_size(left.len().saturating_mul(right.len()))?;
                relation::parallel_product(&left, &right, &mut self.meter())
            }
            BinaryOp::Iterate => {
                let dom = self.enumerate(&self.dom(left, env)?, env)?;
                self.rows(&dom, set, env)
            }
            BinaryOp::Prj1 | BinaryOp::Prj2 => {
                let domain = self.enumerate(&self.cartesian(left, right), env)?;
                self.rows(&domain, set, env)
            }
            BinaryOp::Image => self.enumerate_image(left, right, set, env),
            BinaryOp::Cartesian if self.is_empty(left, env)? || self.is_empty(right, env)? => Ok(Set::EMPTY),
            _ => self.collect(set, env),
        }
    }

    fn enumerate_compose(&self, left: &Val, right: &Val, env: &Env) -> Result<Set> {
        if self.size(left) == Size::Infinite && self.size(right) != Size::Infinite {
            // The right side is finite, so the composition is enumerated backwards.
            let inverse = SymbolicSet::binary(BinaryOp::Compose, self.inverse(right, env)?, self.inverse(left, env)?);
            return Ok(relation::inverse(&self.enumerate(&inverse, env)?));
        }
        let mut out = Collector::new(self);
        for pair in &self.enumerate(left, env)? {
            let (first, middle) = pair.as_pair().ok_or(ErrorKind::Internal("a pair is expected"))?;
            let images = self.images(right, &middle.clone().into(), env)?;
            let _ = self.each_image(&images, env, &mut |second| {
                out.push(Value::pair(first.clone(), self.finite(&second, env)?))?;
                GO_ON
            })?;
        }
        Ok(out.finish())
    }

    fn enumerate_image(&self, left: &Val, right: &Val, set: &Val, env: &Env) -> Result<Set> {
        let image = self.image(left, right, env)?;
        if image != *set {
            return self.enumerate(&image, env);
        }
        let mut out = Collector::new(self);
        for pair in &self.enumerate(left, env)? {
            let (first, second) = pair.as_pair().ok_or(ErrorKind::Internal("a pair is expected"))?;
            if self.member(&first.clone().into(), right, env)? {
                out.push(second.clone())?;
            }
        }
        Ok(out.finish())
    }

    /// Pairs of a relation with these first components.
    fn rows(&self, keys: &Set, relation: &Val, env: &Env) -> Result<Set> {
        let mut out = Collector::new(self);
        for key in keys {
            let images = self.images(relation, &key.clone().into(), env)?;
            let _ = self.each_image(&images, env, &mut |image| {
                out.push(Value::pair(key.clone(), self.finite(&image, env)?))?;
                GO_ON
            })?;
        }
        Ok(out.finish())
    }

    fn filtered(&self, set: &Val, env: &Env, keep: &dyn Fn(&Val) -> Result<bool>) -> Result<Set> {
        let mut out = Collector::new(self);
        let _ = self.each(set, env, &mut |val| {
            if keep(&val)? {
                out.push(self.finite(&val, env)?)?;
            }
            GO_ON
        })?;
        Ok(out.finish())
    }

    fn is_cheaper(&self, left: &Val, right: &Val) -> bool {
        match (self.size(left), self.size(right)) {
            (Size::AtMost(left), Size::AtMost(right)) => left <= right,
            // A set too large to list is no better than one of unknown size.
            (Size::AtMost(left), Size::Unknown) => left <= self.config().max_set_size,
            (Size::Unknown, Size::AtMost(right)) => right > self.config().max_set_size,
            (Size::AtMost(_) | Size::Unknown, Size::Infinite) => true,
            _ => false,
        }
    }

    fn cheaper<'a>(&self, left: &'a Val, right: &'a Val) -> (&'a Val, &'a Val) {
        if self.is_cheaper(right, left) { (right, left) } else { (left, right) }
    }

    fn enumerate_free_type(&self, id: FreeTypeId, env: &Env) -> Result<Set> {
        let mut out = Collector::new(self);
        for (constructor, declared) in (0..).zip(&self.model().free_types[id].constructors) {
            if declared.arg.is_none() {
                out.push(Value::free(id.0, constructor, None))?;
                continue;
            }
            let args = self.enumerate(&self.constructor_domain(id, constructor, env)?, env)?;
            out.extend(args.iter().map(|arg| Value::free(id.0, constructor, Some(arg))))?;
        }
        Ok(out.finish())
    }
}

pub(super) fn visit_all(set: &Set, visit: &mut ElementFn<'_>) -> Result<ControlFlow<()>> {
    for value in set {
        if visit(Val::Value(value))?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    GO_ON
}

/// Enumerates subsets by counting in binary over the base, least element first.
fn each_subset(base: &[Value], with_empty: bool, visit: &mut ElementFn<'_>) -> Result<ControlFlow<()>> {
    let mut chosen = vec![false; base.len()];
    let mut is_first = true;
    loop {
        if !is_first || with_empty {
            let subset = base.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(value, _)| value.clone());
            if visit(Set::from_sorted(subset.collect()).into())?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        is_first = false;
        let Some(next) = chosen.iter().position(|chosen| !chosen) else { return GO_ON };
        chosen[..next].fill(false);
        chosen[next] = true;
    }
}
