//! Finding values: all solutions of a conjunction with unknowns.
//!
//! Each round evaluates the constraints whose unknowns are all bound, then binds something: from an equation, from the smallest
//! set a membership offers (`x : S`, `x |-> y : r`, `s <: S`), from integer bounds, or from a finite type. Disjunctions and existential
//! quantifiers are opened when nothing else bounds an unknown. The last resort is an error or, as configured, a search
//! in MININT..MAXINT with a warning.
//!
//! `constraint.rs` has the form of problems, `choose.rs` picks what to bind next, `pattern.rs` matches values, `bounds.rs` infers
//! integer bounds.

mod bounds;
mod choose;
mod constraint;
mod pattern;

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::ControlFlow;

use abridge_diag::with_stack;

pub(crate) use constraint::{Constraint, Problem, Unknown};

use crate::config::Unbounded;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::interp::Session;
use crate::val::Val;
use choose::Step;
use constraint::Term;

type Found<'f> = dyn FnMut(&Env) -> Result<ControlFlow<()>> + 'f;

impl Session<'_> {
    /// Calls `found` with every solution, each once, until it breaks.
    ///
    /// A condition that is ill-defined for some values makes them no solution, if so configured; otherwise, and for strict constraints,
    /// it is an error that is reported after the other solutions.
    pub(crate) fn solve(&self, problem: Problem, env: &Env, found: &mut Found<'_>) -> Result<ControlFlow<()>> {
        let search = Search {
            session: self,
            unknowns: problem.unknowns.clone(),
            unbounded: problem.unbounded,
            failure: RefCell::default(),
            seen: RefCell::default(),
        };
        let mut constraints = problem.constraints;
        for constraint in &mut constraints {
            constraint.is_open = problem.unknowns.iter().any(|unknown| constraint.mentions(*unknown));
        }
        let node = Node { env: env.clone(), open: problem.unknowns, constraints, error: None, may_repeat: false };
        let flow = search.run(node, found)?;
        match search.failure.into_inner() {
            Some(error) if flow.is_continue() => Err(error),
            _ => Ok(flow),
        }
    }
}

struct Search<'s> {
    session: &'s Session<'s>,
    unknowns: Vec<Unknown>,
    unbounded: Unbounded,
    /// The first error on the way to what would otherwise be a solution.
    failure: RefCell<Option<Error>>,
    /// Solutions found below an opened quantifier or disjunction.
    seen: RefCell<HashSet<Vec<Option<Val>>>>,
}

#[derive(Clone)]
struct Node {
    env: Env,
    open: Vec<Unknown>,
    constraints: Vec<Constraint>,
    /// A constraint that could not be evaluated; it matters only if all others hold.
    error: Option<Error>,
    /// Below an opened quantifier or disjunction, where one solution may be met several times.
    may_repeat: bool,
}

const GO_ON: Result<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

impl Search<'_> {
    fn run(&self, mut node: Node, found: &mut Found<'_>) -> Result<ControlFlow<()>> {
        self.session.tick()?;
        if !self.check_ready(&mut node)? {
            return GO_ON;
        }
        if node.open.is_empty() {
            return self.solution(node, found);
        }
        let Some(step) = self.choose(&mut node)? else { return GO_ON };
        with_stack(|| self.take(step, node, found))
    }

    /// Evaluates and drops what no open unknown occurs in. False if the node is dead.
    fn check_ready(&self, node: &mut Node) -> Result<bool> {
        let mut waiting = Vec::with_capacity(node.constraints.len());
        for constraint in std::mem::take(&mut node.constraints) {
            if !constraint.is_ready(&node.open) {
                waiting.push(constraint);
                continue;
            }
            match self.session.check(&constraint, &node.env) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => match self.excused(error, &constraint)? {
                    Some(error) => _ = node.error.get_or_insert(error),
                    None => return Ok(false),
                },
            }
        }
        node.constraints = waiting;
        Ok(true)
    }

    /// Nothing if the error counts as false; the error if it has to wait for the other constraints.
    fn excused(&self, error: Error, constraint: &Constraint) -> Result<Option<Error>> {
        if error.is_fatal() {
            return Err(error);
        }
        let lenient = self.session.config().ill_defined_search_is_false && constraint.is_open && !constraint.strict;
        Ok(if error.is_ill_defined() && lenient { None } else { Some(error) })
    }

    fn solution(&self, node: Node, found: &mut Found<'_>) -> Result<ControlFlow<()>> {
        if let Some(error) = node.error {
            self.failure.borrow_mut().get_or_insert(error);
            return GO_ON;
        }
        if node.may_repeat {
            let solution = self.unknowns.iter().map(|unknown| unknown.get(&node.env).cloned()).collect();
            if !self.seen.borrow_mut().insert(solution) {
                return GO_ON;
            }
        }
        found(&node.env)
    }

    fn take(&self, step: Step, mut node: Node, found: &mut Found<'_>) -> Result<ControlFlow<()>> {
        match step {
            Step::Match { constraint, pattern, val, exact } => {
                let source = take_out(&mut node, constraint, exact);
                self.matched(&source, &pattern, &val, &node, found)
            }
            Step::Elements { constraint, pattern, set, exact } => {
                let source = take_out(&mut node, constraint, exact);
                let env = node.env.clone();
                self.session.each(&set, &env, &mut |val| self.matched(&source, &pattern, &val, &node, found))
            }
            Step::Values { constraint, unknown, set } => {
                if let Some(constraint) = constraint {
                    node.constraints.remove(constraint);
                }
                let env = node.env.clone();
                node.open.retain(|open| *open != unknown);
                self.session.each(&set, &env, &mut |val| {
                    let mut next = node.clone();
                    next.env = unknown.bind(&node.env, val);
                    self.run(next, found)
                })
            }
            Step::Open { constraint, alternatives, keep } => {
                if keep {
                    node.constraints[constraint].is_opened = true;
                } else {
                    node.constraints.remove(constraint);
                }
                node.may_repeat = true;
                for (unknowns, constraints) in alternatives {
                    let mut next = node.clone();
                    next.open.extend(unknowns);
                    next.constraints.extend(constraints);
                    if self.run(next, found)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                GO_ON
            }
        }
    }

    fn matched(
        &self,
        source: &Constraint,
        pattern: &Term,
        val: &Val,
        node: &Node,
        found: &mut Found<'_>,
    ) -> Result<ControlFlow<()>> {
        let mut next = node.clone();
        match self.session.match_pattern(pattern, val, &node.env, &node.open) {
            Ok(Some((env, open))) => (next.env, next.open) = (env, open),
            Ok(None) => return GO_ON,
            Err(error) => match self.excused(error, source)? {
                Some(error) => return Err(error),
                None => return GO_ON,
            },
        }
        self.run(next, found)
    }

    /// The error about an unknown that nothing bounds.
    fn unbounded(&self, unknown: Unknown) -> Error {
        let model = self.session.model();
        let error = Error::new(ErrorKind::Unbounded(unknown.name(model).to_string()));
        error.at(unknown.span(model))
    }
}

/// A constraint that is about to be used up; it stays if it says more.
fn take_out(node: &mut Node, constraint: usize, exact: bool) -> Constraint {
    if exact { node.constraints.remove(constraint) } else { node.constraints[constraint].clone() }
}
