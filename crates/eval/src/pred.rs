//! Truth of predicates.
//!
//! A conjunction is false if an operand is, even if another is ill-defined or in doubt. Disjunction and implication are evaluated from left to right. A
//! quantifier poses a problem: an existential one holds if it has a solution, a universal one if its negation has none.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_model::{Comparison, ExprId, LocalId, Pred, PredId};

use crate::config::Unbounded;
use crate::domain::{Env, Error, ErrorKind, Result};
use crate::interp::{Problem, Session, Unknown, Warning};

/// Budget of the search for a solution nearby, which may be made in every state.
const MAX_NEARBY_STEPS: u64 = 20_000;

impl Session<'_> {
    /// Whether a predicate holds.
    pub fn pred(&self, id: PredId, env: &Env) -> Result<bool> {
        self.tick()?;
        let node = &self.model().preds[id];
        if let Pred::Forall { .. } | Pred::Exists { .. } = &node.pred
            && let Some(answer) = self.fragments().and_then(|fragments| fragments.pred(self, id, env))
        {
            return Ok(answer);
        }
        with_stack(|| self.pred_inner(&node.pred, env)).map_err(|error| error.at(node.span))
    }

    /// [`Session::pred`] while values are searched for: an ill-defined predicate counts as false, if so configured.
    pub fn holds_in_search(&self, id: PredId, env: &Env) -> Result<bool> {
        match self.pred(id, env) {
            Err(error) if error.is_ill_defined() && self.config().ill_defined_search_is_false => Ok(false),
            answer => answer,
        }
    }

    fn pred_inner(&self, pred: &Pred, env: &Env) -> Result<bool> {
        match pred {
            Pred::True => Ok(true),
            Pred::False => Ok(false),
            Pred::Not(operand) => Ok(!self.pred(*operand, env)?),
            Pred::And(operands) => self.conjunction(operands, env),
            Pred::Or(operands) => {
                for operand in operands {
                    if self.pred(*operand, env)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Pred::Implies(left, right) => Ok(!self.pred(*left, env)? || self.pred(*right, env)?),
            Pred::Equivalent(left, right) => Ok(self.pred(*left, env)? == self.pred(*right, env)?),
            Pred::Compare(op, left, right) => self.compare(*op, *left, *right, env),
            Pred::Forall { binder, body } => self.forall(binder, *body, env),
            Pred::Exists { binder, body } => self.exists(binder, *body, env),
            Pred::If(condition, then, otherwise) => {
                let branch = if self.pred(*condition, env)? { then } else { otherwise };
                self.pred(*branch, env)
            }
            Pred::Let { bindings, body } => self.pred(*body, &self.bind_let(bindings, env)?),
            Pred::Finite(set) => {
                let set = self.expr(*set, env)?;
                self.is_finite(&set, env)
            }
            Pred::Partition(set, parts) => self.partition(*set, parts, env),
            Pred::External(external, args) => self.interp.hooks().externals.pred(self, *external, args, env),
        }
    }

    fn conjunction(&self, operands: &[PredId], env: &Env) -> Result<bool> {
        self.all_hold(operands, |operand| self.pred(*operand, env))
    }

    /// An operand that is false beyond doubt settles a conjunction: then errors and doubts of the others do not matter.
    pub(crate) fn all_hold<T>(&self, operands: &[T], holds: impl Fn(&T) -> Result<bool>) -> Result<bool> {
        let (mut failure, mut is_false, mut warnings) = (None, false, BTreeSet::new());
        for operand in operands {
            let (answer, own) = self.apart(|| holds(operand));
            let is_certain = own.iter().all(Warning::is_beside_the_answer);
            warnings.extend(own);
            match answer {
                Ok(true) => {}
                Ok(false) if is_certain => {
                    warnings.retain(Warning::is_beside_the_answer);
                    self.warn_all(warnings);
                    return Ok(false);
                }
                Ok(false) => is_false = true,
                Err(error) if error.is_fatal() => {
                    self.warn_all(warnings);
                    return Err(error);
                }
                Err(error) => Error::merge(&mut failure, error),
            }
        }
        self.warn_all(warnings);
        if is_false {
            return Ok(false);
        }
        failure.map_or(Ok(true), Err)
    }

    fn compare(&self, op: Comparison, left: ExprId, right: ExprId, env: &Env) -> Result<bool> {
        let left = match self.expr(left, env) {
            // Every value is in its whole type, even one that is not yet assigned.
            Err(error)
                if op == Comparison::Member
                    && matches!(error.kind(), ErrorKind::Unassigned(_))
                    && self.expr(right, env)? == self.type_set(self.model().ty(left)) =>
            {
                return Ok(true);
            }
            left => left?,
        };
        let right = self.expr(right, env)?;
        match op {
            Comparison::Equal => self.equal(&left, &right, env),
            Comparison::Member => self.member(&left, &right, env),
            Comparison::Subset => self.subset(&left, &right, env),
            Comparison::StrictSubset => Ok(self.subset(&left, &right, env)? && !self.equal(&left, &right, env)?),
            Comparison::Less => Ok(left.int()? < right.int()?),
            Comparison::LessEqual => Ok(left.int()? <= right.int()?),
            Comparison::RealLess => Ok(left.real()? < right.real()?),
            Comparison::RealLessEqual => Ok(left.real()? <= right.real()?),
        }
    }

    /// Whether a universal quantifier holds: it has no counterexample.
    fn forall(&self, binder: &[LocalId], body: PredId, env: &Env) -> Result<bool> {
        let refutation = || {
            let unknowns = binder.iter().map(|local| Unknown::Local(*local)).collect();
            let mut problem = Problem::of_unknowns(self, unknowns);
            problem.refute(self, body);
            problem
        };
        Ok(!self.has_solution(refutation, env)?)
    }

    fn exists(&self, binder: &[LocalId], body: PredId, env: &Env) -> Result<bool> {
        self.has_solution(|| Problem::of_pred(self, binder, body), env)
    }

    /// Whether a problem has a solution. Where nothing bounds an unknown, one may still be found nearby.
    fn has_solution(&self, problem: impl Fn() -> Problem, env: &Env) -> Result<bool> {
        let enough = &mut |_: &Env| Ok(ControlFlow::Break(()));
        let error = match self.solve(problem(), env, enough) {
            Ok(flow) => return Ok(flow.is_break()),
            Err(error) => error,
        };
        if !matches!(error.kind(), ErrorKind::Unbounded(..)) {
            return Err(error);
        }
        let nearby = || self.solve(problem().unbounded(Unbounded::Nearby), env, enough);
        match self.probe(MAX_NEARBY_STEPS, nearby) {
            Some(Ok(ControlFlow::Break(()))) => Ok(true),
            Some(Err(fatal)) if fatal.is_fatal() => Err(fatal),
            _ => Err(error),
        }
    }

    /// Whether the parts are pairwise disjoint and their union is the set.
    fn partition(&self, set: ExprId, parts: &[ExprId], env: &Env) -> Result<bool> {
        let mut union = abridge_value::Set::EMPTY.into();
        for part in parts {
            let part = self.value(*part, env)?;
            if !self.is_empty(&self.intersection(&union, &part), env)? {
                return Ok(false);
            }
            union = self.union(&union, &part);
        }
        self.equal(&self.expr(set, env)?, &union, env)
    }
}
