//! Plainest finder: lists candidates for one unknown after the other, and keeps the valuations that satisfy all constraints.
//!
//! It defines what a [`Finder`] finds. Candidates come from an equation, a membership, an inclusion, bounds of an integer, or a finite type,
//! whichever is found first. Nothing else is inferred, and constraints are evaluated only when every unknown has a value. So it is slow and refuses
//! problems that the solver settles. It is the oracle in tests: if both answer, they must agree.

use std::cell::RefCell;
use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_model::{Model, TypeTable, UnaryOp};
use abridge_value::{Int, Set};
use rustc_hash::FxHashSet;

use crate::config::Unbounded;
use crate::domain::{Env, Error, ErrorKind, Result, SymbolicSet, Val};
use crate::interp::{
    Classes, Constraint, ConstraintKind, Finder, OpenUnknowns, Operand, Problem, Relation, Session, SolutionFn,
    Unknown, has_strings,
};
use crate::sets::Size;

/// Finder that tries all candidates.
pub struct Enumeration;

impl Finder for Enumeration {
    fn solve(
        &self,
        session: &Session<'_>,
        problem: Problem,
        classes: Option<&dyn Classes>,
        env: &Env,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        let search = Backtracking {
            session,
            problem: &problem,
            classes,
            forms: RefCell::default(),
            failure: RefCell::default(),
        };
        let flow = search.bind(&problem.unknowns.clone().into(), env, found)?;
        match search.failure.into_inner() {
            Some(error) if flow.is_continue() => Err(error),
            _ => Ok(flow),
        }
    }
}

struct Backtracking<'s> {
    session: &'s Session<'s>,
    problem: &'s Problem,
    classes: Option<&'s dyn Classes>,
    /// Canonical forms of the solutions so far.
    forms: RefCell<FxHashSet<Vec<Val>>>,
    /// First error of a valuation that would otherwise be a solution.
    failure: RefCell<Option<Error>>,
}

impl Backtracking<'_> {
    /// Tries all candidates of the first unknown that has any, then recurs for the others.
    fn bind(&self, open: &OpenUnknowns, env: &Env, found: &mut SolutionFn<'_>) -> Result<ControlFlow<()>> {
        self.session.tick()?;
        let Some(first) = open.first() else { return self.solution(env, found) };
        let candidates = open.iter().find_map(|unknown| Some((*unknown, self.candidates(*unknown, open, env)?)));
        let (unknown, set) = candidates.map_or_else(|| self.cut(*first), Ok)?;
        let rest = open.clone().without(unknown);
        with_stack(|| {
            self.session
                .each(&set, env, &mut |val| self.bind(&rest, &unknown.bind(env, self.session.force(&val, env)?), found))
        })
    }

    /// Set that contains every value of the unknown in a solution.
    fn candidates(&self, unknown: Unknown, open: &OpenUnknowns, env: &Env) -> Option<Val> {
        let session = self.session;
        let is_listed = |set: &Val| match session.size(set) {
            Size::AtMost(n) => n <= session.config().max_set_size,
            Size::Infinite => false,
            Size::Unknown => session.enumerate(set, env).is_ok(),
        };
        let offered = self.problem.constraints.iter().filter_map(|constraint| {
            let ConstraintKind::Relation(relation, left, right) = &constraint.kind else { return None };
            let known = |term: &Operand| term.is_ready(session, open).then(|| term.eval(session, env).ok()).flatten();
            let is_unknown = |term: &Operand| as_unknown(session.model(), term) == Some(unknown);
            match relation {
                Relation::Equal if is_unknown(left) => singleton(session, &known(right)?, env),
                Relation::Equal if is_unknown(right) => singleton(session, &known(left)?, env),
                Relation::Member if is_unknown(left) => known(right),
                Relation::Subset if is_unknown(left) => Some(SymbolicSet::unary(UnaryOp::Pow, known(right)?)),
                _ => None,
            }
        });
        let by_type = || Some(session.type_set(unknown.ty(session.model())));
        let by_bounds = || self.bounded(unknown, open, env);
        offered.into_iter().find(is_listed).or_else(by_bounds).or_else(|| by_type().filter(is_listed))
    }

    /// Integers between the bounds that constraints give.
    fn bounded(&self, unknown: Unknown, open: &OpenUnknowns, env: &Env) -> Option<Val> {
        let session = self.session;
        if unknown.ty(session.model()) != TypeTable::INTEGER {
            return None;
        }
        let (mut low, mut high): (Option<Int>, Option<Int>) = (None, None);
        for constraint in &self.problem.constraints {
            let ConstraintKind::Relation(Relation::Less | Relation::LessEqual, left, right) = &constraint.kind else {
                continue;
            };
            let known = |term: &Operand| match term.is_ready(session, open) {
                true => term.eval(session, env).and_then(|val| val.int()).ok(),
                false => None,
            };
            let is_unknown = |term: &Operand| as_unknown(session.model(), term) == Some(unknown);
            if is_unknown(left) {
                high = high.or_else(|| known(right));
            } else if is_unknown(right) {
                low = low.or_else(|| known(left));
            }
        }
        Some(Set::interval(low?, high?).into())
    }

    /// Incomplete set of candidates, with a warning, or an error.
    fn cut(&self, unknown: Unknown) -> Result<(Unknown, Val)> {
        let (session, model) = (self.session, self.session.model());
        let (ty, name, span) = (unknown.ty(model), unknown.name(model).to_string(), unknown.span(model));
        let may_cut = match self.problem.unbounded {
            Unbounded::Error => false,
            Unbounded::PreferenceRange => self.problem.samples_strings || !has_strings(model, ty),
            Unbounded::Nearby => true,
        };
        let set = may_cut.then(|| session.preferred(&session.type_set(ty))).flatten();
        let Some(set) = set else { return Err(Error::new(ErrorKind::Unbounded(name, ty)).at(span)) };
        if self.problem.unbounded == Unbounded::PreferenceRange {
            session.warn(session.cut_warning(ty, name, span));
        }
        Ok((unknown, set))
    }

    fn solution(&self, env: &Env, found: &mut SolutionFn<'_>) -> Result<ControlFlow<()>> {
        if !self.all_hold(env)? {
            return Ok(ControlFlow::Continue(()));
        }
        if let Some(classes) = self.classes {
            let vals: Vec<Val> = self.problem.unknowns.iter().filter_map(|unknown| unknown.get(env)).cloned().collect();
            if !self.forms.borrow_mut().insert(classes.form(&vals)) {
                return Ok(ControlFlow::Continue(()));
            }
        }
        found(env)
    }

    /// Conjunction of constraints: a false one wins over an ill-defined one.
    fn all_hold(&self, env: &Env) -> Result<bool> {
        let mut failure = None;
        for constraint in &self.problem.constraints {
            match self.session.check(constraint, env) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) if error.is_fatal() => return Err(error),
                Err(error) if error.is_ill_defined() && self.is_lenient(constraint) => return Ok(false),
                Err(error) => Error::merge(&mut failure, error),
            }
        }
        match failure {
            None => Ok(true),
            Some(error) => {
                Error::merge(&mut self.failure.borrow_mut(), error);
                Ok(false)
            }
        }
    }

    /// Whether an ill-defined constraint counts as false.
    fn is_lenient(&self, constraint: &Constraint) -> bool {
        let is_searched =
            !self.problem.closed_is_strict || self.problem.unknowns.iter().any(|unknown| constraint.mentions(*unknown));
        self.session.config().ill_defined_search_is_false && is_searched && !constraint.strict
    }
}

/// Unknown of a term that is a name.
fn as_unknown(model: &Model, term: &Operand) -> Option<Unknown> {
    use abridge_model::Expr;
    match term {
        Operand::Local(local) => Some(Unknown::Local(*local)),
        Operand::Known(_) => None,
        Operand::Expr(id) => match model.expr(*id) {
            Expr::Local(local) => Some(Unknown::Local(*local)),
            Expr::Constant(constant) => Some(Unknown::Constant(*constant)),
            _ => None,
        },
    }
}

/// Singleton of a value, if the value is finite.
fn singleton(session: &Session<'_>, val: &Val, env: &Env) -> Option<Val> {
    session.finite(val, env).ok().map(|value| Set::singleton(value).into())
}
