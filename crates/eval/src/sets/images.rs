//! Images of a value under a relation: application, image and domain tests without listing the relation.

use std::collections::HashSet;
use std::ops::ControlFlow;

use abridge_model::{BinaryOp, Expr, QuantifiedOp, UnaryOp};
use abridge_value::{Int, Set, SetBuilder, Value, relation};

use crate::domain::{Closure, Env, ErrorKind, IllDefined, Partial, Result, SymbolicSet, Val};
use crate::interp::{Constraint, Problem, Session};

/// Set of all `y` with `x |-> y` in a relation. A single image may be an infinite set, which no concrete set can contain.
#[derive(Clone, Debug)]
pub enum Images {
    None,
    One(Val),
    Set(Val),
}

impl Images {
    fn from_set(set: Set) -> Images {
        Images::Set(set.into())
    }

    fn one_if(condition: bool, val: Val) -> Images {
        if condition { Images::One(val) } else { Images::None }
    }
}

impl Session<'_> {
    /// `function(x)`
    pub fn apply(&self, function: &Val, x: &Val, env: &Env) -> Result<Val> {
        let outside = || IllDefined::OutsideDomain { function: function.clone(), argument: x.clone() };
        let ambiguous = || IllDefined::NotFunctional { function: function.clone(), argument: x.clone() };
        match self.images(function, x, env)? {
            Images::None => Err(outside().into()),
            Images::One(val) => Ok(val),
            Images::Set(set) => {
                let mut only = None;
                let several = self.each(&set, env, &mut |val| match only.replace(val) {
                    Some(_) => Ok(ControlFlow::Break(())),
                    None => Ok(ControlFlow::Continue(())),
                })?;
                if several.is_break() { Err(ambiguous().into()) } else { only.ok_or_else(|| outside().into()) }
            }
        }
    }

    pub fn in_domain(&self, relation: &Val, x: &Val, env: &Env) -> Result<bool> {
        if let (Some(set), Some(key)) = (relation.as_set(), x.as_value()) {
            return Ok(relation::in_domain(set, key));
        }
        if let Some(closure) = relation.as_closure()
            && let Expr::Quantified { op: QuantifiedOp::Lambda, binder, pred, .. } = self.model().expr(closure.expr)
        {
            let env = self.bind_tuple(&env.enter(&closure.scope), binder, x)?;
            return self.holds_in_search(*pred, &env);
        }
        match self.images(relation, x, env)? {
            Images::None => Ok(false),
            Images::One(_) => Ok(true),
            Images::Set(set) => Ok(!self.is_empty(&set, env)?),
        }
    }

    pub(super) fn in_images(&self, y: &Val, images: &Images, env: &Env) -> Result<bool> {
        match images {
            Images::None => Ok(false),
            Images::One(val) => self.equal(val, y, env),
            Images::Set(set) => self.member(y, set, env),
        }
    }

    pub(super) fn each_image(
        &self,
        images: &Images,
        env: &Env,
        found: &mut dyn FnMut(Val) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        match images {
            Images::None => Ok(ControlFlow::Continue(())),
            Images::One(val) => found(val.clone()),
            Images::Set(set) => self.each(set, env, found),
        }
    }

    pub(super) fn images_as_set(&self, images: &Images, env: &Env) -> Result<Val> {
        match images {
            Images::None => Ok(Set::EMPTY.into()),
            Images::One(val) => Ok(Set::singleton(self.finite(val, env)?).into()),
            Images::Set(set) => Ok(set.clone()),
        }
    }

    pub fn images(&self, relation: &Val, x: &Val, env: &Env) -> Result<Images> {
        self.tick()?;
        match relation {
            Val::Value(Value::Set(set)) => match self.force(x, env)? {
                Val::Value(key) => Ok(finite_images(set, &key)),
                key => self.images_of_symbolic(set, &key, env),
            },
            Val::Symbolic(sym) => abridge_diag::with_stack(|| self.images_of_sym(sym, x, env)),
            _ => Err(ErrorKind::Internal("a relation is expected").into()),
        }
    }

    /// Images of a key that is or contains a symbolic set. An infinite set is no first component in a finite relation; a long one may be.
    fn images_of_symbolic(&self, relation: &Set, key: &Val, env: &Env) -> Result<Images> {
        for (first, _) in relation::pairs(relation) {
            if self.equal(key, &Val::Value(first.clone()), env)? {
                return Ok(finite_images(relation, &first));
            }
        }
        Ok(Images::None)
    }

    fn images_of_sym(&self, sym: &SymbolicSet, x: &Val, env: &Env) -> Result<Images> {
        match sym {
            SymbolicSet::Unary(op, operand) => self.images_of_unary(*op, operand, x, env),
            SymbolicSet::Binary(op, left, right) => self.images_of_binary(*op, left, right, x, env),
            SymbolicSet::Closure(closure) => self.images_of_closure(closure, x, env),
            SymbolicSet::Successor => Ok(Images::One((&x.int()? + &Int::ONE).into())),
            SymbolicSet::Predecessor => Ok(Images::One((&x.int()? - &Int::ONE).into())),
            SymbolicSet::Partial(partial) => images_of_partial(partial, &self.finite(x, env)?),
            SymbolicSet::Constructor(id, constructor) => {
                Ok(self.construct(*id, *constructor, x, env)?.map_or(Images::None, Images::One))
            }
            SymbolicSet::Base(_) | SymbolicSet::FreeType(_) | SymbolicSet::Struct(..) | SymbolicSet::Tree(..) => {
                Err(ErrorKind::Internal("a relation is expected").into())
            }
        }
    }

    fn images_of_unary(&self, op: UnaryOp, operand: &Val, x: &Val, env: &Env) -> Result<Images> {
        match op {
            UnaryOp::Id => Ok(Images::one_if(self.member(x, operand, env)?, x.clone())),
            UnaryOp::Inverse => self.preimages(operand, x, env),
            UnaryOp::Closure1 => Ok(Images::from_set(self.reachable(operand, x, env)?)),
            UnaryOp::Fnc => {
                let set = self.images_as_set(&self.images(operand, x, env)?, env)?;
                let set = self.force(&set, env)?;
                Ok(Images::one_if(!self.is_empty(&set, env)?, set.clone()))
            }
            UnaryOp::Rel => {
                if !self.in_domain(operand, x, env)? {
                    return Ok(Images::None);
                }
                Ok(Images::Set(self.apply(operand, x, env)?))
            }
            _ => {
                let listed = self.enumerate(&SymbolicSet::unary(op, operand.clone()), env)?;
                self.images(&listed.into(), x, env)
            }
        }
    }

    fn images_of_binary(&self, op: BinaryOp, left: &Val, right: &Val, x: &Val, env: &Env) -> Result<Images> {
        match op {
            BinaryOp::Cartesian => {
                if self.member(x, left, env)? {
                    Ok(Images::Set(right.clone()))
                } else {
                    Ok(Images::None)
                }
            }
            BinaryOp::Union => self.join(self.images(left, x, env)?, self.images(right, x, env)?, env),
            BinaryOp::Intersection => {
                let images = self.images(left, x, env)?;
                self.filter(images, env, &|y| self.member(&Val::pair(x.clone(), y.clone()), right, env))
            }
            BinaryOp::Difference => {
                let images = self.images(left, x, env)?;
                self.filter(images, env, &|y| Ok(!self.member(&Val::pair(x.clone(), y.clone()), right, env)?))
            }
            BinaryOp::Override => self.images(if self.in_domain(right, x, env)? { right } else { left }, x, env),
            BinaryOp::DomainRestrict if self.member(x, left, env)? => self.images(right, x, env),
            BinaryOp::DomainSubtract if !self.member(x, left, env)? => self.images(right, x, env),
            BinaryOp::DomainRestrict | BinaryOp::DomainSubtract => Ok(Images::None),
            BinaryOp::RangeRestrict => {
                let images = self.images(left, x, env)?;
                self.filter(images, env, &|y| self.member(y, right, env))
            }
            BinaryOp::RangeSubtract => {
                let images = self.images(left, x, env)?;
                self.filter(images, env, &|y| Ok(!self.member(y, right, env)?))
            }
            BinaryOp::Compose => self.images_of_all(right, self.images(left, x, env)?, env),
            BinaryOp::DirectProduct => self.pairs(self.images(left, x, env)?, self.images(right, x, env)?, env),
            BinaryOp::ParallelProduct => {
                let (first, second) = x.split()?;
                self.pairs(self.images(left, &first, env)?, self.images(right, &second, env)?, env)
            }
            BinaryOp::Iterate => {
                let mut images = Images::One(x.clone());
                let mut n = right.int()?;
                while n > Int::ZERO {
                    images = self.images_of_all(left, images, env)?;
                    n = &n - &Int::ONE;
                }
                Ok(images)
            }
            BinaryOp::Prj1 | BinaryOp::Prj2 => {
                let (first, second) = x.split()?;
                let inside = self.member(&first, left, env)? && self.member(&second, right, env)?;
                Ok(Images::one_if(inside, if op == BinaryOp::Prj1 { first } else { second }))
            }
            _ => Err(ErrorKind::Internal("a relation is expected").into()),
        }
    }

    /// Images of any of the sources.
    fn images_of_all(&self, relation: &Val, sources: Images, env: &Env) -> Result<Images> {
        match sources {
            Images::None => Ok(Images::None),
            Images::One(source) => self.images(relation, &source, env),
            Images::Set(set) => Ok(Images::Set(self.image(relation, &set, env)?)),
        }
    }

    /// `relation[set]`
    pub fn image(&self, relation: &Val, set: &Val, env: &Env) -> Result<Val> {
        if let (Some(relation), Some(set)) = (relation.as_set(), set.as_set()) {
            return Ok(relation::image(relation, set).into());
        }
        if let Some(pairs) = relation.as_set() {
            let mut out = SetBuilder::new();
            for (first, second) in relation::pairs(pairs) {
                if self.member(&Val::Value(first), set, env)? {
                    out.push(second);
                }
            }
            return Ok(out.finish().into());
        }
        let set = self.force(set, env)?;
        if set.as_set().is_none() {
            return Ok(SymbolicSet::binary(BinaryOp::Image, relation.clone(), set));
        }
        let mut all: Val = Set::EMPTY.into();
        let mut single = SetBuilder::new();
        let _ = self.each(&set, env, &mut |x| {
            match self.images(relation, &x, env)? {
                Images::None => {}
                Images::One(y) => single.push(self.finite(&y, env)?),
                Images::Set(images) => all = self.union(&all, &images),
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(self.union(&all, &single.finish().into()))
    }

    /// Values reachable by one or more steps of the relation.
    fn reachable(&self, relation: &Val, from: &Val, env: &Env) -> Result<Set> {
        let mut reached: HashSet<Value> = HashSet::new();
        let mut open = vec![from.clone()];
        while let Some(val) = open.pop() {
            let images = self.images(relation, &val, env)?;
            let _ = self.each_image(&images, env, &mut |next| {
                let value = self.finite(&next, env)?;
                if reached.insert(value.clone()) {
                    self.check_size(reached.len() as u64)?;
                    open.push(Val::Value(value));
                }
                Ok(ControlFlow::Continue(()))
            })?;
        }
        Ok(reached.into_iter().collect())
    }

    fn images_of_closure(&self, closure: &Closure, x: &Val, env: &Env) -> Result<Images> {
        let env = &env.enter(&closure.scope);
        match self.model().expr(closure.expr) {
            Expr::Quantified { op: QuantifiedOp::Lambda, binder, pred, expr, .. } => {
                let env = self.bind_tuple(env, binder, x)?;
                if !self.holds_in_search(*pred, &env)? {
                    return Ok(Images::None);
                }
                Ok(Images::One(self.call(|| self.value(*expr, &env))?))
            }
            Expr::Comprehension { binder, pred, .. } if binder.len() >= 2 => {
                let (last, keys) = binder.split_last().ok_or(ErrorKind::Internal("a binder is empty"))?;
                let env = self.bind_tuple(env, keys, x)?;
                if let Some(images) = self.fragments().and_then(|fragments| fragments.images(self, closure.expr, &env))
                {
                    return Ok(Images::from_set(images));
                }
                let problem = Problem::of_pred(self, &[*last], *pred);
                self.collect_images(problem, &env, &|env| self.local(*last, env))
            }
            Expr::SetImage { binder, pred, expr } => {
                let Expr::Binary(BinaryOp::Pair, first, second) = self.model().expr(*expr) else {
                    return self.images_by_listing(closure, x, env);
                };
                let mut problem = Problem::of_pred(self, binder, *pred);
                problem.add(Constraint::equals(self, *first, x.clone()));
                self.collect_images(problem, env, &|env| self.value(*second, env))
            }
            _ => self.images_by_listing(closure, x, env),
        }
    }

    fn images_by_listing(&self, closure: &Closure, x: &Val, env: &Env) -> Result<Images> {
        let listed = self.enumerate(&SymbolicSet::Closure(closure.clone()).into(), env)?;
        self.images(&listed.into(), x, env)
    }

    /// Preimages: all `x` with `x |-> y` in the relation.
    fn preimages(&self, relation: &Val, y: &Val, env: &Env) -> Result<Images> {
        match relation.as_sym() {
            Some(SymbolicSet::Closure(closure)) => self.preimages_of_closure(closure, y, env),
            Some(SymbolicSet::Partial(partial)) => preimages_of_partial(partial, &self.finite(y, env)?),
            Some(SymbolicSet::Constructor(id, constructor)) => match y.as_value() {
                Some(Value::Free(free)) if free.free_type() == id.0 && free.constructor() == *constructor => {
                    Ok(free.arg().map_or(Images::None, |arg| Images::One(arg.clone().into())))
                }
                _ => Ok(Images::None),
            },
            Some(SymbolicSet::Binary(BinaryOp::DirectProduct, left, right)) => {
                let (first, second) = y.split()?;
                let images = self.images(&self.inverse(left, env)?, &first, env)?;
                self.filter(images, env, &|x| self.member(&Val::pair(x.clone(), second.clone()), right, env))
            }
            Some(SymbolicSet::Unary(UnaryOp::Rel, function)) => {
                let listed = relation::rel(&self.enumerate(function, env)?, &mut self.meter())?;
                self.images(&relation::inverse(&listed).into(), y, env)
            }
            _ => {
                let listed = relation::inverse(&self.enumerate(relation, env)?);
                self.images(&listed.into(), y, env)
            }
        }
    }

    fn preimages_of_closure(&self, closure: &Closure, y: &Val, env: &Env) -> Result<Images> {
        let env = &env.enter(&closure.scope);
        match self.model().expr(closure.expr) {
            Expr::Quantified { op: QuantifiedOp::Lambda, binder, pred, expr, .. } => {
                let mut problem = Problem::of_pred(self, binder, *pred);
                problem.add(Constraint::equals(self, *expr, y.clone()));
                self.collect_images(problem, env, &|env| self.tuple(env, binder))
            }
            Expr::Comprehension { binder, pred, .. } if binder.len() >= 2 => {
                let (last, keys) = binder.split_last().ok_or(ErrorKind::Internal("a binder is empty"))?;
                let problem = Problem::of_pred(self, keys, *pred);
                self.collect_images(problem, &env.bind(*last, y.clone()), &|env| self.tuple(env, keys))
            }
            Expr::SetImage { binder, pred, expr } => {
                let Expr::Binary(BinaryOp::Pair, first, second) = self.model().expr(*expr) else {
                    let listed = self.enumerate(&SymbolicSet::Closure(closure.clone()).into(), env)?;
                    return self.images(&relation::inverse(&listed).into(), y, env);
                };
                let mut problem = Problem::of_pred(self, binder, *pred);
                problem.add(Constraint::equals(self, *second, y.clone()));
                self.collect_images(problem, env, &|env| self.value(*first, env))
            }
            _ => {
                let listed = self.enumerate(&SymbolicSet::Closure(closure.clone()).into(), env)?;
                self.images(&relation::inverse(&listed).into(), y, env)
            }
        }
    }

    fn collect_images(&self, problem: Problem, env: &Env, result: &dyn Fn(&Env) -> Result<Val>) -> Result<Images> {
        let mut found: Vec<Val> = Vec::new();
        let _ = self.solve(problem, env, &mut |env| {
            found.push(result(env)?);
            self.check_size(found.len() as u64)?;
            Ok(ControlFlow::Continue(()))
        })?;
        if let [one] = &found[..] {
            return Ok(Images::One(one.clone()));
        }
        let values: Result<Vec<Value>> = found.iter().map(|val| self.finite(val, env)).collect();
        Ok(Images::from_set(values?.into_iter().collect()))
    }

    fn join(&self, left: Images, right: Images, env: &Env) -> Result<Images> {
        match (left, right) {
            (Images::None, other) | (other, Images::None) => Ok(other),
            (Images::One(left), Images::One(right)) if left == right => Ok(Images::One(left)),
            (left, right) => {
                Ok(Images::Set(self.union(&self.images_as_set(&left, env)?, &self.images_as_set(&right, env)?)))
            }
        }
    }

    fn filter(&self, images: Images, env: &Env, keep: &dyn Fn(&Val) -> Result<bool>) -> Result<Images> {
        match images {
            Images::None => Ok(Images::None),
            Images::One(val) => Ok(Images::one_if(keep(&val)?, val)),
            Images::Set(set) => {
                let mut out = SetBuilder::new();
                let _ = self.each(&set, env, &mut |val| {
                    if keep(&val)? {
                        out.push(self.finite(&val, env)?);
                    }
                    Ok(ControlFlow::Continue(()))
                })?;
                Ok(Images::from_set(out.finish()))
            }
        }
    }

    fn pairs(&self, left: Images, right: Images, env: &Env) -> Result<Images> {
        match (left, right) {
            (Images::None, _) | (_, Images::None) => Ok(Images::None),
            (Images::One(left), Images::One(right)) => Ok(Images::One(Val::pair(left, right))),
            (left, right) => {
                Ok(Images::Set(self.cartesian(&self.images_as_set(&left, env)?, &self.images_as_set(&right, env)?)))
            }
        }
    }
}

fn finite_images(set: &Set, key: &Value) -> Images {
    let mut images = relation::images(set, key);
    match (images.next(), images.next()) {
        (None, _) => Images::None,
        (Some(one), None) => Images::One(one.into()),
        _ => Images::from_set(Set::from_sorted(relation::images(set, key).collect())),
    }
}

fn images_of_partial(partial: &Partial, key: &Value) -> Result<Images> {
    let is_open =
        if partial.is_function { partial.open.contains(key) } else { relation::in_domain(&partial.open, key) };
    if is_open { Err(ErrorKind::Undetermined.into()) } else { Ok(finite_images(&partial.decided, key)) }
}

fn preimages_of_partial(partial: &Partial, value: &Value) -> Result<Images> {
    let found = relation::pairs(&partial.decided).find(|(_, second)| second == value);
    match found {
        Some((first, _)) if partial.is_injective => Ok(Images::One(first.into())),
        _ => Err(ErrorKind::Undetermined.into()),
    }
}
