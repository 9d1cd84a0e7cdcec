//! Membership of a value in a set, by the form of the set, without listing it.

use std::ops::ControlFlow;

use abridge_model::{BaseSet, BinaryOp, Expr, FreeTypeId, QuantifiedOp, TreeOp, UnaryOp};
use abridge_value::{Int, Value, relation};

use crate::domain::{Closure, Env, ErrorKind, Partial, Result, SymbolicSet, Val};
use crate::expr::tree;
use crate::interp::{Constraint, Problem, Session};

impl Session<'_> {
    /// `x : set`
    pub fn member(&self, x: &Val, set: &Val, env: &Env) -> Result<bool> {
        match set {
            Val::Value(Value::Set(set)) => {
                if let Val::Value(value) = x {
                    return Ok(set.contains(value));
                }
                if set.is_empty() {
                    return Ok(false);
                }
                match self.force(x, env)? {
                    Val::Value(value) => Ok(set.contains(&value)),
                    // An infinite set differs from all elements, which are finite.
                    x => self.differs_from_all(&x, set, env),
                }
            }
            Val::Symbolic(sym) => abridge_diag::with_stack(|| self.member_of_sym(x, sym, env)),
            _ => Err(ErrorKind::Internal("a set is expected").into()),
        }
    }

    fn differs_from_all(&self, x: &Val, set: &abridge_value::Set, env: &Env) -> Result<bool> {
        for element in set {
            if self.equal(x, &Val::Value(element), env)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn member_of_sym(&self, x: &Val, sym: &SymbolicSet, env: &Env) -> Result<bool> {
        match sym {
            SymbolicSet::Base(base) => in_base(x, *base),
            SymbolicSet::FreeType(id) => self.in_free_type(x, *id, env),
            SymbolicSet::Unary(op, operand) => self.member_of_unary(x, *op, operand, env),
            SymbolicSet::Binary(op, left, right) => self.member_of_binary(x, *op, left, right, env),
            SymbolicSet::Struct(_, fields) => {
                for (field, set) in (0..).zip(fields) {
                    if !self.member(&x.field(field)?, set, env)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            SymbolicSet::Tree(op, labels) => self.in_trees(x, *op, labels, env),
            SymbolicSet::Closure(closure) => self.member_of_closure(x, closure, env),
            SymbolicSet::Successor => {
                let (first, second) = x.split()?;
                Ok(second.int()? == &first.int()? + &Int::ONE)
            }
            SymbolicSet::Predecessor => {
                let (first, second) = x.split()?;
                Ok(first.int()? == &second.int()? + &Int::ONE)
            }
            SymbolicSet::Partial(partial) => self.in_partial(x, partial, env),
            SymbolicSet::Constructor(id, constructor) => {
                let (first, second) = x.split()?;
                match self.construct(*id, *constructor, &first, env)? {
                    Some(built) => self.equal(&built, &second, env),
                    None => Ok(false),
                }
            }
        }
    }

    fn member_of_unary(&self, x: &Val, op: UnaryOp, operand: &Val, env: &Env) -> Result<bool> {
        match op {
            UnaryOp::Pow => self.subset(x, operand, env),
            UnaryOp::Pow1 => Ok(!self.is_empty(x, env)? && self.subset(x, operand, env)?),
            UnaryOp::Fin => Ok(self.is_finite(x, env)? && self.subset(x, operand, env)?),
            UnaryOp::Fin1 => Ok(!self.is_empty(x, env)? && self.is_finite(x, env)? && self.subset(x, operand, env)?),
            UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm => {
                self.in_sequences(x, op, operand, env)
            }
            UnaryOp::Id => {
                let (first, second) = x.split()?;
                Ok(self.equal(&first, &second, env)? && self.member(&first, operand, env)?)
            }
            UnaryOp::Dom => self.in_domain(operand, x, env),
            UnaryOp::Ran => {
                let inverse = self.inverse(operand, env)?;
                self.in_domain(&inverse, x, env)
            }
            UnaryOp::Inverse => {
                let (first, second) = x.split()?;
                self.member(&Val::pair(second, first), operand, env)
            }
            UnaryOp::GeneralUnion => {
                let found = self.each(operand, env, &mut |set| stop_if(self.member(x, &set, env)?))?;
                Ok(found.is_break())
            }
            UnaryOp::GeneralInter => {
                let missing = self.each(operand, env, &mut |set| stop_if(!self.member(x, &set, env)?))?;
                Ok(missing.is_continue())
            }
            // The other operators make relations.
            _ => self.member_of_images(x, &SymbolicSet::unary(op, operand.clone()), env),
        }
    }

    fn member_of_binary(&self, x: &Val, op: BinaryOp, left: &Val, right: &Val, env: &Env) -> Result<bool> {
        match op {
            BinaryOp::Union => Ok(self.member(x, left, env)? || self.member(x, right, env)?),
            BinaryOp::Intersection => Ok(self.member(x, left, env)? && self.member(x, right, env)?),
            BinaryOp::Difference => Ok(self.member(x, left, env)? && !self.member(x, right, env)?),
            BinaryOp::Cartesian => {
                let (first, second) = x.split()?;
                Ok(self.member(&first, left, env)? && self.member(&second, right, env)?)
            }
            BinaryOp::Arrow(arrow) => self.in_arrow(x, arrow, left, right, env),
            BinaryOp::DomainRestrict => Ok(self.member(&x.split()?.0, left, env)? && self.member(x, right, env)?),
            BinaryOp::DomainSubtract => Ok(!self.member(&x.split()?.0, left, env)? && self.member(x, right, env)?),
            BinaryOp::RangeRestrict => Ok(self.member(&x.split()?.1, right, env)? && self.member(x, left, env)?),
            BinaryOp::RangeSubtract => Ok(!self.member(&x.split()?.1, right, env)? && self.member(x, left, env)?),
            BinaryOp::Override => {
                let overridden = self.in_domain(right, &x.split()?.0, env)?;
                self.member(x, if overridden { right } else { left }, env)
            }
            BinaryOp::Prj1 | BinaryOp::Prj2 => {
                let (pair, picked) = x.split()?;
                let (first, second) = pair.split()?;
                let expected = if op == BinaryOp::Prj1 { &first } else { &second };
                Ok(self.equal(expected, &picked, env)?
                    && self.member(&first, left, env)?
                    && self.member(&second, right, env)?)
            }
            BinaryOp::Image => {
                let sources = self.images(&self.inverse(left, env)?, x, env)?;
                let found = self.each_image(&sources, env, &mut |source| stop_if(self.member(&source, right, env)?))?;
                Ok(found.is_break())
            }
            // The other operators make relations.
            _ => self.member_of_images(x, &SymbolicSet::binary(op, left.clone(), right.clone()), env),
        }
    }

    /// Membership of a pair, by the images of its first component.
    fn member_of_images(&self, x: &Val, relation: &Val, env: &Env) -> Result<bool> {
        let (first, second) = x.split()?;
        let images = self.images(relation, &first, env)?;
        self.in_images(&second, &images, env)
    }

    fn member_of_closure(&self, x: &Val, closure: &Closure, env: &Env) -> Result<bool> {
        let env = &env.enter(&closure.scope);
        match self.model().expr(closure.expr) {
            Expr::Comprehension { binder, pred, .. } => self.holds_in_search(*pred, &self.bind_tuple(env, binder, x)?),
            Expr::SetImage { binder, pred, expr } => {
                let mut problem = Problem::of_pred(self, binder, *pred);
                problem.add(Constraint::equals(self, *expr, x.clone()));
                Ok(self.solve(problem, env, &mut |_| Ok(ControlFlow::Break(())))?.is_break())
            }
            Expr::Quantified { op: QuantifiedOp::Lambda, binder, pred, expr, .. } => {
                let (arg, result) = x.split()?;
                let env = self.bind_tuple(env, binder, &arg)?;
                Ok(self.holds_in_search(*pred, &env)?
                    && self.call(|| self.equal(&self.expr(*expr, &env)?, &result, &env))?)
            }
            Expr::Quantified { op: QuantifiedOp::Union, binder, pred, expr, .. } => {
                let mut problem = Problem::of_pred(self, binder, *pred);
                problem.add(Constraint::contains(self, *expr, x.clone()));
                Ok(self.solve(problem, env, &mut |_| Ok(ControlFlow::Break(())))?.is_break())
            }
            _ => Err(ErrorKind::Internal("a closure is no set").into()),
        }
    }

    fn in_free_type(&self, x: &Val, id: FreeTypeId, env: &Env) -> Result<bool> {
        let Some(Value::Free(free)) = x.as_value() else {
            return Err(ErrorKind::Internal("a freetype value is expected").into());
        };
        match free.arg() {
            Some(arg) => {
                let set = self.constructor_domain(id, free.constructor(), env)?;
                abridge_diag::with_stack(|| self.member(&Val::Value(arg.clone()), &set, env))
            }
            None => Ok(true),
        }
    }

    /// Applies a constructor; `None` if the argument is not in its set.
    pub fn construct(&self, id: FreeTypeId, constructor: u32, arg: &Val, env: &Env) -> Result<Option<Val>> {
        let domain = self.constructor_domain(id, constructor, env)?;
        if !self.member(arg, &domain, env)? {
            return Ok(None);
        }
        let arg = self.finite(arg, env)?;
        Ok(Some(Val::Value(Value::free(id.0, constructor, Some(arg)))))
    }

    fn in_partial(&self, x: &Val, partial: &Partial, env: &Env) -> Result<bool> {
        let x = self.finite(x, env)?;
        if partial.decided.contains(&x) {
            return Ok(true);
        }
        let point = if partial.is_function { x.as_pair().map(|(first, _)| first.clone()) } else { Some(x) };
        match point {
            Some(point) if partial.open.contains(&point) => Err(ErrorKind::Undetermined.into()),
            _ => Ok(false),
        }
    }

    fn in_trees(&self, x: &Val, op: TreeOp, labels: &Val, env: &Env) -> Result<bool> {
        let tree = self.enumerate(x, env)?;
        if !tree::is_tree(&tree) || (op == TreeOp::Btree && !tree::is_binary(&tree)) {
            return Ok(false);
        }
        self.subset(&relation::ran(&tree).into(), labels, env)
    }
}

fn in_base(x: &Val, base: BaseSet) -> Result<bool> {
    match base {
        BaseSet::Integer | BaseSet::Bool | BaseSet::String | BaseSet::Real => Ok(true),
        BaseSet::Natural => Ok(!x.int()?.is_negative()),
        BaseSet::Natural1 => Ok(x.int()? > Int::ZERO),
    }
}

/// Breaks an enumeration when the answer is known.
pub(super) fn stop_if(stop: bool) -> Result<ControlFlow<()>> {
    Ok(if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
}
