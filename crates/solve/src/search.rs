//! Finding values: all solutions of a conjunction with unknowns.
//!
//! Each round evaluates the constraints whose unknowns are all bound, then binds something: from an equation, from the smallest
//! set a membership offers (`x : S`, `x |-> y : r`, `s <: S`), from integer bounds, or from a finite type. Disjunctions and existential
//! quantifiers are opened when nothing else bounds an unknown. The last resort is an error or, as configured, a search
//! in MININT..MAXINT, or among two strings, with a warning.
//!
//! `choose.rs` picks the next step, `alternatives.rs` splits cases, `pattern.rs` matches values, `bounds.rs` infers
//! integer bounds, `pointwise.rs` finds functions and sets point by point, `network.rs` functions whose points are related in pairs,
//! `lazy.rs` functions whose values nothing lists, `sequences.rs` takes sequences apart, `subsets.rs` bounds sets from both sides,
//! `simplify.rs` drops what is decided, `sat.rs` hands what is hard to a SAT solver, `refute.rs` looks for a contradiction in large
//! problems, `form.rs` for one that needs no values, `classes.rs` keeps one solution of each class.

mod alternatives;
mod bounds;
mod choose;
mod classes;
mod form;
mod lazy;
mod network;
mod pattern;
mod pointwise;
mod refute;
mod sat;
mod sequences;
mod simplify;
mod subsets;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_eval::{
    Classes, Constraint, Cost, Env, Error, ErrorKind, Finder, Found, Operand, Problem, Result, Session, SymbolicSet,
    Unbounded, Unknown, Val, Warning,
};
use abridge_model::{Arrow, BinaryOp};
use abridge_value::{Int, Set};
use rustc_hash::FxHashSet;

use choose::Branching;
use classes::Met;
use simplify::Left;

/// Finds values by binding unknowns in the order of their costs, and with a SAT solver where that takes long.
pub struct Solver;

impl Finder for Solver {
    fn solve(
        &self,
        session: &Session<'_>,
        problem: Problem,
        classes: Option<&dyn Classes>,
        env: &Env,
        found: &mut Found<'_>,
    ) -> Result<ControlFlow<()>> {
        let search = SolutionSearch {
            session,
            classes,
            forms: RefCell::default(),
            solution_forms: RefCell::default(),
            unknowns: problem.unknowns.clone(),
            unbounded: problem.unbounded,
            samples_strings: problem.samples_strings,
            failure: RefCell::default(),
            seen: RefCell::default(),
            circuits_left: Cell::new(sat::MAX_CIRCUIT_ATTEMPTS),
            is_examined: Cell::new(false),
            is_read: Cell::new(false),
            cuts: RefCell::default(),
        };
        let mut constraints = problem.constraints;
        if problem.closed_is_strict {
            for constraint in &mut constraints {
                constraint.is_searched = problem.unknowns.iter().any(|unknown| constraint.mentions(*unknown));
            }
        }
        let node = SearchNode {
            env: env.clone(),
            open: problem.unknowns,
            constraints,
            error: None,
            may_repeat: false,
            is_plain: true,
            is_forced: true,
            waits: false,
        };
        let flow = search.run(node, found)?;
        // Whoever has found enough does not miss what was left out.
        if flow.is_continue() {
            search.cuts.take().into_iter().for_each(|cut| session.warn(cut));
        }
        match search.failure.into_inner() {
            Some(error) if flow.is_continue() => Err(error),
            _ => Ok(flow),
        }
    }
}

struct SolutionSearch<'s> {
    session: &'s Session<'s>,
    /// Solutions are wanted one per class, if there are classes.
    classes: Option<&'s dyn Classes>,
    /// Forms of the nodes that were met.
    forms: RefCell<Met>,
    /// Forms of the solutions, which stay what they are when a search is begun anew.
    solution_forms: RefCell<Met>,
    unknowns: Vec<Unknown>,
    unbounded: Unbounded,
    samples_strings: bool,
    /// The first error on the way to what would otherwise be a solution.
    failure: RefCell<Option<Error>>,
    /// Solutions that may be met again: those below an opened quantifier or disjunction, and of a search that was given up.
    seen: RefCell<FxHashSet<Vec<Option<Val>>>>,
    /// Number of times that circuits are still tried.
    circuits_left: Cell<u32>,
    /// A contradiction has been looked for.
    is_examined: Cell<bool>,
    /// A contradiction of the form has been looked for.
    is_read: Cell<bool>,
    /// Where the search was cut to MININT..MAXINT.
    cuts: RefCell<BTreeSet<Warning>>,
}

#[derive(Clone)]
struct SearchNode {
    env: Env,
    open: Vec<Unknown>,
    constraints: Vec<Constraint>,
    /// A constraint that could not be evaluated; it matters only if all others hold.
    error: Option<Error>,
    /// Below an opened quantifier or disjunction, where one solution may be met several times.
    may_repeat: bool,
    /// The values of the unknowns of the problem say all about the way to here.
    is_plain: bool,
    /// There was no choice on the way from a node that was compared with others.
    is_forced: bool,
    /// A set that would offer values depends on one under construction.
    waits: bool,
}

const GO_ON: Result<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

/// Pairs of constraints and unknowns that are looked at in the time of one step.
const PAIRS_PER_STEP: usize = 1024;

impl SolutionSearch<'_> {
    fn run(&self, mut node: SearchNode, found: &mut Found<'_>) -> Result<ControlFlow<()>> {
        // Every constraint is looked at for every unknown.
        self.session.ticks(1 + (node.constraints.len() * node.open.len() / PAIRS_PER_STEP) as u64)?;
        if !self.check_ready(&mut node)? || self.is_pointless(&node) {
            return GO_ON;
        }
        // What is complete is compared once it is a solution.
        let is_complete = node.open.is_empty();
        if !is_complete && !node.is_forced && self.is_sieved(&node) && self.is_met(&node, None)? {
            return GO_ON;
        }
        if is_complete {
            return self.solution(node, found);
        }
        let Some((cost, step)) = self.choose(&mut node)? else { return GO_ON };
        if cost >= Cost::from(self.session.config().hard)
            && !matches!(step, Branching::LastResort)
            && self.is_contradictory_by_form(&node)?
        {
            return GO_ON;
        }
        let is_hard = self.is_hard(cost, &node);
        if is_hard && self.is_refuted(&node)? {
            return GO_ON;
        }
        with_stack(|| {
            if is_hard && !self.shapes_others(cost, &step, &node) {
                self.hard(step, node, found)
            } else {
                self.take(step, node, found)
            }
        })
    }

    /// Evaluates and drops what no open unknown occurs in. False if the node is dead.
    fn check_ready(&self, node: &mut SearchNode) -> Result<bool> {
        let mut waiting = Vec::with_capacity(node.constraints.len());
        let mut todo = std::mem::take(&mut node.constraints);
        todo.reverse();
        while let Some(constraint) = todo.pop() {
            if !constraint.is_ready(&node.open) {
                match self.simplified(&constraint, node)? {
                    Left::Same => waiting.push(constraint),
                    Left::Nothing => {}
                    Left::Contradiction => return Ok(false),
                    Left::Parts(unknowns, parts) => {
                        node.is_plain &= unknowns.is_empty();
                        node.open.extend(unknowns);
                        todo.extend(parts.into_iter().rev());
                    }
                }
                continue;
            }
            match self.session.check(&constraint, &node.env) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => match self.excused(error, &constraint)? {
                    Some(error) => Error::merge(&mut node.error, error),
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
        let lenient = self.session.config().ill_defined_search_is_false && constraint.is_searched && !constraint.strict;
        Ok(if error.is_ill_defined() && lenient { None } else { Some(error) })
    }

    /// Nothing here can be a solution, and that there might have been one is already known.
    fn is_pointless(&self, node: &SearchNode) -> bool {
        let is_undetermined = |error: &Error| matches!(error.kind(), ErrorKind::Undetermined);
        match (&node.error, &*self.failure.borrow()) {
            (Some(error), Some(failure)) => is_undetermined(failure) || !is_undetermined(error),
            _ => false,
        }
    }

    fn solution(&self, node: SearchNode, found: &mut Found<'_>) -> Result<ControlFlow<()>> {
        if let Some(error) = node.error {
            Error::merge(&mut self.failure.borrow_mut(), error);
            return GO_ON;
        }
        if node.may_repeat {
            let solution = self.values_of_unknowns(&node.env);
            if !self.seen.borrow_mut().insert(solution) {
                return GO_ON;
            }
        }
        if self.is_met_as_solution(&node) {
            return GO_ON;
        }
        found(&node.env)
    }

    fn values_of_unknowns(&self, env: &Env) -> Vec<Option<Val>> {
        self.unknowns.iter().map(|unknown| unknown.get(env).cloned()).collect()
    }

    fn take(&self, step: Branching, mut node: SearchNode, found: &mut Found<'_>) -> Result<ControlFlow<()>> {
        node.is_forced = false;
        match step {
            Branching::Match { constraint, pattern, val, exact } => {
                let source = take_out(&mut node, constraint, exact);
                node.is_forced = true;
                self.matched(&source, &pattern, &val, &node, found)
            }
            Branching::Define { constraint, unknown, val } => {
                node.constraints.remove(constraint);
                node.is_forced = true;
                node.open.retain(|open| *open != unknown);
                node.env = unknown.bind(&node.env, val);
                self.run(node, found)
            }
            Branching::Elements { constraint, pattern, set, exact } => {
                let source = take_out(&mut node, constraint, exact);
                if let Some(unknown) = self.as_unknown(&pattern, &node) {
                    return self.values(unknown, &set, node, found);
                }
                let env = node.env.clone();
                self.session.each(&set, &env, &mut |val| self.matched(&source, &pattern, &val, &node, found))
            }
            Branching::Values { constraint, unknown, set } => {
                if let Some(constraint) = constraint {
                    node.constraints.remove(constraint);
                }
                self.values(unknown, &set, node, found)
            }
            Branching::Points { constraint, unknown, set, shape } => {
                node.constraints.remove(constraint);
                node.open.retain(|open| *open != unknown);
                self.pointwise(unknown, &set, &shape, &node, found)
            }
            Branching::Lazily { unknown, view } => self.lazily(unknown, &view, node, found),
            Branching::Sequences { unknown, base, lo, hi } => {
                let base = self.session.enumerate(&base, &node.env)?;
                node.open.retain(|open| *open != unknown);
                for len in lo..=hi {
                    let set = fixed_sequences(&base, len);
                    let flow = self.session.each(&set, &node.env, &mut |val| {
                        let mut next = node.clone();
                        next.env = unknown.bind(&node.env, val);
                        self.run(next, found)
                    })?;
                    if flow.is_break() {
                        return Ok(flow);
                    }
                }
                GO_ON
            }
            Branching::LastResort => {
                let Some(step) = self.last_resort(&node)? else { return GO_ON };
                self.take(step, node, found)
            }
            Branching::Open { constraint, alternatives, keep } => {
                if keep {
                    node.constraints[constraint].is_opened = true;
                } else {
                    node.constraints.remove(constraint);
                }
                node.may_repeat = true;
                node.is_plain = false;
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

    /// The unknown takes each value of a set. A set that cannot be listed is an error at the unknown.
    fn values(
        &self,
        unknown: Unknown,
        set: &Val,
        mut node: SearchNode,
        found: &mut Found<'_>,
    ) -> Result<ControlFlow<()>> {
        node.open.retain(|open| *open != unknown);
        self.each_value(unknown, set, node, found).map_err(|error| error.at(unknown.span(self.session.model())))
    }

    fn each_value(
        &self,
        unknown: Unknown,
        set: &Val,
        node: SearchNode,
        found: &mut Found<'_>,
    ) -> Result<ControlFlow<()>> {
        if let Some(view) = self.arithmetic_view(unknown, set, &node)? {
            return self.lazily(unknown, &view, node, found);
        }
        if let Some(shape) = self.shape(unknown, set, &node)? {
            return self.pointwise(unknown, set, &shape, &node, found);
        }
        let env = node.env.clone();
        self.session.each(set, &env, &mut |val| {
            let mut next = node.clone();
            next.env = unknown.bind(&node.env, self.session.force(&val, &node.env)?);
            self.run(next, found)
        })
    }

    fn matched(
        &self,
        source: &Constraint,
        pattern: &Operand,
        val: &Val,
        node: &SearchNode,
        found: &mut Found<'_>,
    ) -> Result<ControlFlow<()>> {
        let mut next = node.clone();
        match pattern::match_pattern(self.session, pattern, val, &node.env, &node.open) {
            Ok(Some((env, open))) => (next.env, next.open) = (env, open),
            Ok(None) => return GO_ON,
            Err(error) => match self.excused(error, source)? {
                Some(error) => return Err(error),
                None => return GO_ON,
            },
        }
        self.run(next, found)
    }

    /// Notes that not all values of an unknown are tried.
    fn cut(&self, unknown: Unknown) {
        let model = self.session.model();
        let warning = self.session.cut_warning(unknown.ty(model), unknown.name(model).to_string(), unknown.span(model));
        self.cuts.borrow_mut().insert(warning);
    }

    /// The error about an unknown that nothing bounds.
    fn unbounded(&self, unknown: Unknown) -> Error {
        let model = self.session.model();
        let error = Error::new(ErrorKind::Unbounded(unknown.name(model).to_string()));
        error.at(unknown.span(model))
    }
}

/// A constraint that is about to be used up; it stays if it says more.
fn take_out(node: &mut SearchNode, constraint: usize, exact: bool) -> Constraint {
    if exact { node.constraints.remove(constraint) } else { node.constraints[constraint].clone() }
}

/// All sequences over the base with so many items.
fn fixed_sequences(base: &Set, len: u64) -> Val {
    let positions = Set::interval(Int::ONE, Int::from(len));
    SymbolicSet::binary(BinaryOp::Arrow(Arrow::TOTAL), positions.into(), base.clone().into())
}
