//! Equality and inclusion of sets, symbolic ones included.
//!
//! Equal forms are equal sets. Otherwise one side is listed and tested against the other. Two infinite sets of different form are an error, never a
//! guess.

use std::ops::ControlFlow;

use abridge_model::{Arrow, BaseSet, BinaryOp, Expr, QuantifiedOp, UnaryOp};
use abridge_value::Int;

use super::Size;
use super::member::stop_if;
use crate::domain::{Closure, Env, ErrorKind, Partial, Result, SymbolicSet, Val};
use crate::interp::{Constraint, Problem, Session};

impl Session<'_> {
    /// `left = right`
    pub fn equal(&self, left: &Val, right: &Val, env: &Env) -> Result<bool> {
        if left == right {
            return Ok(true);
        }
        match (left, right) {
            (Val::Value(left), Val::Value(right)) => Ok(left == right),
            (Val::Pair(_), _) | (_, Val::Pair(_)) => {
                let ((first, second), (first2, second2)) = (left.split()?, right.split()?);
                Ok(self.equal(&first, &first2, env)? && self.equal(&second, &second2, env)?)
            }
            (Val::Record(_, fields), other) | (other, Val::Record(_, fields)) => {
                for (field, val) in (0..).zip(fields.iter()) {
                    if !self.equal(val, &other.field(field)?, env)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => self.equal_sets(left, right, env),
        }
    }

    fn equal_sets(&self, left: &Val, right: &Val, env: &Env) -> Result<bool> {
        if let (Size::AtMost(_), Size::Infinite) | (Size::Infinite, Size::AtMost(_)) =
            (self.size(left), self.size(right))
        {
            return Ok(false);
        }
        for (side, other) in [(left, right), (right, left)] {
            if let Some(SymbolicSet::Partial(partial)) = side.as_sym() {
                return self.equal_to_partial(partial, other, env);
            }
        }
        let (left, right) = (self.force(left, env)?, self.force(right, env)?);
        if let (Val::Value(left), Val::Value(right)) = (&left, &right) {
            return Ok(left == right);
        }
        if left == right {
            return Ok(true);
        }
        let (small, large) = if left.as_set().is_some() { (&left, &right) } else { (&right, &left) };
        // A concrete set differs from an infinite one. The other set may also be finite and merely too large to list.
        if small.as_set().is_some() && self.is_infinite(large, env)? == Some(true) {
            return Ok(false);
        }
        Ok(self.subset(small, large, env)? && self.subset(large, small, env)?)
    }

    /// Equality with a set under construction: false as soon as an element is missing on either side.
    fn equal_to_partial(&self, partial: &Partial, other: &Val, env: &Env) -> Result<bool> {
        if !self.subset(&partial.decided.clone().into(), other, env)? {
            return Ok(false);
        }
        let partial_val = SymbolicSet::Partial(partial.clone()).into();
        let missing = self.each(other, env, &mut |val| match self.member(&val, &partial_val, env) {
            Err(error) if matches!(error.kind(), ErrorKind::Undetermined) => Ok(ControlFlow::Continue(())),
            answer => stop_if(!answer?),
        })?;
        if missing.is_break() { Ok(false) } else { Err(ErrorKind::Undetermined.into()) }
    }

    /// `left <: right`
    pub fn subset(&self, left: &Val, right: &Val, env: &Env) -> Result<bool> {
        abridge_diag::with_stack(|| self.subset_inner(left, right, env))
    }

    fn subset_inner(&self, left: &Val, right: &Val, env: &Env) -> Result<bool> {
        if left == right || self.is_whole_type(right) {
            return Ok(true);
        }
        if let (Some(left), Some(right)) = (left.as_set(), right.as_set()) {
            return Ok(left.is_subset(right));
        }
        if let Some(SymbolicSet::Partial(partial)) = left.as_sym() {
            let known = self.subset(&partial.decided.clone().into(), right, env)?;
            return if known { Err(ErrorKind::Undetermined.into()) } else { Ok(false) };
        }
        if let Some(answer) = self.subset_by_ends(left, right) {
            return Ok(answer);
        }
        if let Some(answer) = self.subset_by_form(left, right, env)? {
            return Ok(answer);
        }
        if let Some((part, closure)) = part_of_closure(left) {
            return self.closure_subset(closure, part, right, env);
        }
        if self.is_infinite(left, env)? == Some(true) {
            if let Size::AtMost(_) = self.size(right) {
                return Ok(false);
            }
            return Err(ErrorKind::Undecided("whether one infinite set is part of another".into()).into());
        }
        let outside = self.each(left, env, &mut |val| stop_if(!self.member(&val, right, env)?))?;
        Ok(outside.is_continue())
    }

    /// Inclusion of an interval in another interval or a base set.
    fn subset_by_ends(&self, left: &Val, right: &Val) -> Option<bool> {
        let least = |base: BaseSet| match base {
            BaseSet::Natural => Some(Int::ZERO),
            BaseSet::Natural1 => Some(Int::ONE),
            _ => None,
        };
        match (left.as_sym(), right.as_sym()) {
            (None, Some(SymbolicSet::Base(right))) => Some(least(*right)? <= left.as_set()?.first()?.as_int()?),
            (Some(SymbolicSet::Base(left)), Some(SymbolicSet::Base(right))) => Some(match least(*left) {
                Some(left) => least(*right)? <= left,
                None => false,
            }),
            _ => None,
        }
    }

    /// Inclusion by the operators on both sides; `None` if they do not decide.
    fn subset_by_form(&self, left: &Val, right: &Val, env: &Env) -> Result<Option<bool>> {
        use BinaryOp::{Cartesian, Difference, Intersection, Union};
        if let Some(SymbolicSet::Binary(Union, first, second)) = left.as_sym() {
            return Ok(Some(self.subset(first, right, env)? && self.subset(second, right, env)?));
        }
        if let Some(SymbolicSet::Binary(Intersection, first, second)) = right.as_sym() {
            return Ok(Some(self.subset(left, first, env)? && self.subset(left, second, env)?));
        }
        if let Size::AtMost(bound) = self.size(left)
            && bound <= self.config().max_set_size
        {
            return Ok(None);
        }
        let is_power = |op: &UnaryOp| matches!(op, UnaryOp::Pow | UnaryOp::Fin);
        Ok(match (left.as_sym(), right.as_sym()) {
            (Some(SymbolicSet::Binary(Cartesian, a, b)), Some(SymbolicSet::Binary(Cartesian, c, d))) => {
                Some(self.is_empty(left, env)? || self.subset(a, c, env)? && self.subset(b, d, env)?)
            }
            (Some(SymbolicSet::Unary(op, a)), Some(SymbolicSet::Unary(op2, b)))
                if op == op2 || is_power(op2) && is_power(op) =>
            {
                match (op, op2) {
                    (UnaryOp::Pow, UnaryOp::Fin) => None,
                    (UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Seq, _) => Some(self.subset(a, b, env)?),
                    _ => None,
                }
            }
            (Some(SymbolicSet::Binary(Difference | Intersection, whole, _)), _)
                if self.subset(whole, right, env).ok() == Some(true) =>
            {
                Some(true)
            }
            (
                Some(SymbolicSet::Binary(BinaryOp::Arrow(_), a, b)),
                Some(SymbolicSet::Binary(BinaryOp::Arrow(Arrow::RELATION), c, d)),
            ) if self.subset(a, c, env)? && self.subset(b, d, env)? => Some(true),
            (Some(SymbolicSet::Binary(BinaryOp::Arrow(_), a, b)), Some(SymbolicSet::Unary(UnaryOp::Pow, whole))) => {
                let pairs = self.cartesian(a, b);
                if self.subset(&pairs, whole, env)? { Some(true) } else { None }
            }
            _ => None,
        })
    }

    /// Inclusion of a closure, its domain or its range: searches for an element that is not in the other set.
    fn closure_subset(&self, closure: &Closure, part: Part, right: &Val, env: &Env) -> Result<bool> {
        let (binder, pred, expr) = match self.model().expr(closure.expr) {
            Expr::Comprehension { binder, pred, .. } if part == Part::Element => (binder, *pred, None),
            Expr::SetImage { binder, pred, expr } if part == Part::Element => (binder, *pred, Some(*expr)),
            Expr::Quantified { op: QuantifiedOp::Lambda, binder, pred, expr, .. } => match part {
                Part::Element => return self.lambda_subset(closure, right, env),
                Part::Argument => (binder, *pred, None),
                Part::Result => (binder, *pred, Some(*expr)),
            },
            _ => {
                let listed = self.enumerate(&part.of(closure), env)?;
                return self.subset(&listed.into(), right, env);
            }
        };
        let mut problem = Problem::of_pred(self, binder, pred);
        match (expr, &binder[..]) {
            (Some(expr), _) => problem.add(Constraint::not_member(self, expr, right.clone())),
            (None, [local]) => problem.add(Constraint::local_not_member(self, *local, right.clone())),
            (None, _) => {}
        }
        let outside = self.solve(problem, &env.enter(&closure.scope), &mut |env| {
            let val = match expr {
                Some(expr) => self.expr(expr, env)?,
                None => self.tuple(env, binder)?,
            };
            stop_if(!self.member(&val, right, env)?)
        })?;
        Ok(outside.is_continue())
    }

    /// Inclusion of a lambda. It is a subset of `S * T` if its arguments are in `S` and its results in `T`.
    fn lambda_subset(&self, closure: &Closure, right: &Val, env: &Env) -> Result<bool> {
        let lambda: Val = SymbolicSet::Closure(closure.clone()).into();
        if let Some(SymbolicSet::Binary(BinaryOp::Cartesian, from, to)) = right.as_sym() {
            return Ok(
                self.subset(&self.dom(&lambda, env)?, from, env)? && self.subset(&self.ran(&lambda, env)?, to, env)?
            );
        }
        let outside = self.each(&lambda, env, &mut |val| stop_if(!self.member(&val, right, env)?))?;
        Ok(outside.is_continue())
    }

    /// Whether a set contains all values of its type, by form.
    pub fn is_whole_type(&self, val: &Val) -> bool {
        let Some(sym) = val.as_sym() else { return self.is_whole_carrier(val) };
        abridge_diag::with_stack(|| match sym {
            SymbolicSet::Base(BaseSet::Integer | BaseSet::String | BaseSet::Real) | SymbolicSet::FreeType(_) => true,
            SymbolicSet::Unary(UnaryOp::Pow, base) => self.is_whole_type(base),
            SymbolicSet::Binary(BinaryOp::Cartesian, left, right) => {
                self.is_whole_type(left) && self.is_whole_type(right)
            }
            SymbolicSet::Binary(BinaryOp::Arrow(Arrow::RELATION), left, right) => {
                self.is_whole_type(left) && self.is_whole_type(right)
            }
            SymbolicSet::Struct(_, fields) => fields.iter().all(|field| self.is_whole_type(field)),
            _ => false,
        })
    }

    fn is_whole_carrier(&self, val: &Val) -> bool {
        let Some(set) = val.as_set() else { return false };
        match set.first() {
            Some(abridge_value::Value::Element { set: id, .. }) => {
                set.len() == u64::from(self.model().sets[abridge_model::SetId(id)].size())
            }
            Some(abridge_value::Value::Bool(_)) => set.len() == 2,
            _ => false,
        }
    }
}

/// Component of the elements of a closure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Element,
    Argument,
    Result,
}

impl Part {
    fn of(self, closure: &Closure) -> Val {
        let closure: Val = SymbolicSet::Closure(closure.clone()).into();
        match self {
            Part::Element => closure,
            Part::Argument => SymbolicSet::unary(UnaryOp::Dom, closure),
            Part::Result => SymbolicSet::unary(UnaryOp::Ran, closure),
        }
    }
}

/// Closure whose elements, domain or range a set is.
fn part_of_closure(val: &Val) -> Option<(Part, &Closure)> {
    match val.as_sym()? {
        SymbolicSet::Closure(closure) => Some((Part::Element, closure)),
        SymbolicSet::Unary(UnaryOp::Dom, inner) => Some((Part::Argument, inner.as_closure()?)),
        SymbolicSet::Unary(UnaryOp::Ran, inner) => Some((Part::Result, inner.as_closure()?)),
        _ => None,
    }
}
