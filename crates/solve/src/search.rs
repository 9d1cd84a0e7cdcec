//! Backtracking search for all solutions of a conjunction with unknowns.
//!
//! At each node, constraints whose unknowns are all bound are evaluated. Then the search branches: on an equation, on the smallest set that a
//! membership offers (`x : S`, `x |-> y : r`, `s <: S`), on integer bounds, or on a finite type. Disjunctions and existential quantifiers are
//! opened only if nothing else bounds an unknown. The last resort is an error or, as configured, a search in MININT..MAXINT, or among two
//! strings, with a warning.
//!
//! `choose.rs` picks the branching, `alternatives.rs` splits cases, `pattern.rs` matches values, `bounds.rs` infers integer bounds (`linear.rs`),
//! `pointwise.rs` finds functions and sets point by point, `network.rs` functions with binary constraints between points, `lazy.rs` functions
//! whose values cannot be listed. `sequences.rs` decomposes sequences, `subsets.rs` bounds sets from both sides, `supports.rs` finds what equations of images say about points, `simplify.rs` drops decided
//! parts of constraints. `sat.rs` hands hard nodes to a SAT solver, `refute.rs` looks for a contradiction in large problems, `form.rs` for one
//! that needs no values, `classes.rs` keeps one solution per symmetry class.

mod alternatives;
mod bounds;
mod choose;
mod classes;
mod form;
mod lazy;
mod linear;
mod network;
mod pattern;
mod pointwise;
mod refute;
mod sat;
mod sequences;
mod simplify;
mod subsets;
mod supports;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::{ControlFlow, RangeInclusive};

use abridge_diag::{drop_aside, with_stack};
use abridge_eval::{
    Classes, Constraint, Cost, Env, Error, ErrorKind, Finder, OpenUnknowns, Operand, Problem, Result, Session,
    SolutionFn, SymbolicSet, Unbounded, Unknown, Val, Warning,
};
use abridge_model::{Arrow, BinaryOp};
use abridge_value::{Int, Set};
use rustc_hash::FxHashSet;

use choose::SolverBranch;
use classes::Visited;
use simplify::Left;

/// Finder that branches on the cheapest unknown first, and hands hard nodes to a SAT solver.
pub struct Solver;

impl Finder for Solver {
    fn solve(
        &self,
        session: &Session<'_>,
        problem: Problem,
        classes: Option<&dyn Classes>,
        env: &Env,
        found: &mut SolutionFn<'_>,
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
            open: problem.unknowns.into(),
            constraints,
            error: None,
            warnings: BTreeSet::new(),
            repetition: Repetition::Never,
            is_plain: true,
            is_forced: true,
            waits: false,
        };
        let flow = search.run(node, found);
        drop_aside(search.seen.take());
        [&search.forms, &search.solution_forms].into_iter().for_each(|forms| forms.take().drop_aside());
        let flow = flow?;
        // A caller that broke off has enough solutions, so cuts do not matter to it.
        if flow.is_continue() {
            search.cuts.take().into_iter().for_each(|cut| session.warn(cut));
        }
        match search.failure.into_inner() {
            Some(error) if flow.is_continue() => Err(error),
            _ => Ok(flow),
        }
    }
}

/// Search for the solutions of one problem.
struct SolutionSearch<'s> {
    session: &'s Session<'s>,
    /// Symmetry classes, if only one solution per class is wanted.
    classes: Option<&'s dyn Classes>,
    /// Canonical forms of the nodes visited so far.
    forms: RefCell<Visited>,
    /// Canonical forms of the solutions found so far. Unlike `forms`, they survive a restart of the search.
    solution_forms: RefCell<Visited>,
    unknowns: Vec<Unknown>,
    unbounded: Unbounded,
    samples_strings: bool,
    /// First error of a node that would otherwise be a solution.
    failure: RefCell<Option<Error>>,
    /// Solutions that may be found again: those below an opened quantifier or disjunction, and those of an abandoned first search.
    seen: RefCell<FxHashSet<Vec<Option<Val>>>>,
    /// Remaining attempts at a circuit.
    circuits_left: Cell<u32>,
    /// `refute.rs` has looked for a contradiction.
    is_examined: Cell<bool>,
    /// `form.rs` has looked for a contradiction.
    is_read: Cell<bool>,
    /// Warnings about unknowns whose values were cut to MININT..MAXINT.
    cuts: RefCell<BTreeSet<Warning>>,
}

#[derive(Clone)]
/// Node of the search tree: bindings so far, open unknowns and remaining constraints.
struct SearchNode {
    env: Env,
    open: OpenUnknowns,
    constraints: Vec<Constraint>,
    /// Error of a constraint that could not be evaluated. It matters only if all other constraints hold.
    error: Option<Error>,
    /// Warnings of the constraints so far. One that casts doubt matters only if no other constraint is false beyond doubt.
    warnings: BTreeSet<Warning>,
    repetition: Repetition,
    /// The values of the unknowns determine the node: no quantifier or disjunction has been opened.
    is_plain: bool,
    /// Only forced steps lead here from a node that was compared with its symmetric ones.
    is_forced: bool,
    /// A set that would offer values depends on a value under construction.
    waits: bool,
}

/// Whether a solution below a node may be found several times.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Repetition {
    Never,
    /// Once by a search that was abandoned, which noted it, and once more. There may be too many solutions to note them all.
    AfterAbandoned,
    /// As often as it likes: below an opened quantifier or disjunction, or by a circuit that may give up.
    Always,
}

const GO_ON: Result<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

/// Pairs of constraint and unknown that are examined in the time of one step.
const PAIRS_PER_STEP: usize = 1024;

impl SolutionSearch<'_> {
    fn run(&self, mut node: SearchNode, found: &mut SolutionFn<'_>) -> Result<ControlFlow<()>> {
        // Choosing a branching examines every constraint for every unknown.
        self.session.ticks(1 + (node.constraints.len() * node.open.len() / PAIRS_PER_STEP) as u64)?;
        if !self.check_ready(&mut node)? || self.is_pointless(&node) {
            return GO_ON;
        }
        // A complete node is compared with symmetric ones as a solution.
        let is_complete = node.open.is_empty();
        if !is_complete && !node.is_forced && self.is_sieved(&node) && self.is_visited(&node, None)? {
            return GO_ON;
        }
        if is_complete {
            return self.solution(node, found);
        }
        let Some((cost, step)) = self.choose(&mut node)? else { return GO_ON };
        if cost >= Cost::from(self.session.config().hard)
            && !matches!(step, SolverBranch::LastResort)
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
                self.branch(step, node, found)
            }
        })
    }

    /// Evaluates and drops the constraints without open unknowns, and simplifies the others; `false` if one of them fails.
    fn check_ready(&self, node: &mut SearchNode) -> Result<bool> {
        let mut waiting = Vec::with_capacity(node.constraints.len());
        let mut is_false = false;
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
            let (answer, own) = self.session.apart(|| self.session.check(&constraint, &node.env));
            let is_certain = own.iter().all(Warning::is_beside_the_answer);
            node.warnings.extend(own);
            let truth = match answer {
                Ok(truth) => truth,
                Err(error) => match self.excused(error, &constraint)? {
                    Some(error) => {
                        Error::merge(&mut node.error, error);
                        true
                    }
                    None => false,
                },
            };
            if !truth && is_certain {
                node.warnings.retain(Warning::is_beside_the_answer);
                self.warn_of(node);
                return Ok(false);
            }
            is_false |= !truth;
        }
        node.constraints = waiting;
        if is_false {
            self.warn_of(node);
        }
        Ok(!is_false)
    }

    /// Records the warnings of constraints that have been checked.
    fn warn_of(&self, node: &mut SearchNode) {
        std::mem::take(&mut node.warnings).into_iter().for_each(|warning| self.session.warn(warning));
    }

    /// `None` if the error makes the constraint false; otherwise the error, which waits for the other constraints.
    fn excused(&self, error: Error, constraint: &Constraint) -> Result<Option<Error>> {
        if error.is_fatal() {
            return Err(error);
        }
        let lenient = self.session.config().ill_defined_search_is_false && constraint.is_searched && !constraint.strict;
        Ok(if error.is_ill_defined() && lenient { None } else { Some(error) })
    }

    /// Whether the node cannot be a solution because of an error, and an error at least as grave is already recorded.
    fn is_pointless(&self, node: &SearchNode) -> bool {
        let is_undetermined = |error: &Error| matches!(error.kind(), ErrorKind::Undetermined);
        match (&node.error, &*self.failure.borrow()) {
            (Some(error), Some(failure)) => is_undetermined(failure) || !is_undetermined(error),
            _ => false,
        }
    }

    fn solution(&self, mut node: SearchNode, found: &mut SolutionFn<'_>) -> Result<ControlFlow<()>> {
        self.warn_of(&mut node);
        if let Some(error) = node.error {
            Error::merge(&mut self.failure.borrow_mut(), error);
            return GO_ON;
        }
        if self.is_repeated(&node) || self.is_found_solution(&node) {
            return GO_ON;
        }
        found(&node.env)
    }

    /// Whether a solution was found before. Notes it where it may be found again.
    fn is_repeated(&self, node: &SearchNode) -> bool {
        match node.repetition {
            Repetition::Never => false,
            Repetition::AfterAbandoned => {
                let seen = self.seen.borrow();
                !seen.is_empty() && seen.contains(&self.values_of_unknowns(&node.env))
            }
            Repetition::Always => !self.seen.borrow_mut().insert(self.values_of_unknowns(&node.env)),
        }
    }

    fn values_of_unknowns(&self, env: &Env) -> Vec<Option<Val>> {
        self.unknowns.iter().map(|unknown| unknown.get(env).cloned()).collect()
    }

    /// Branches: explores the children of a node.
    fn branch(&self, step: SolverBranch, mut node: SearchNode, found: &mut SolutionFn<'_>) -> Result<ControlFlow<()>> {
        node.is_forced = false;
        match step {
            SolverBranch::Match { constraint, pattern, val, exact } => {
                let source = used_constraint(&mut node, constraint, exact);
                node.is_forced = true;
                // The node is changed in place: chains of such steps are as long as there are unknowns.
                let (env, open) = (std::mem::take(&mut node.env), std::mem::take(&mut node.open));
                let Some((env, open)) = self.matched(&source, &pattern, &val, env, open)? else { return GO_ON };
                (node.env, node.open) = (env, open);
                self.run(node, found)
            }
            SolverBranch::Define { constraint, unknown, val } => {
                node.constraints.remove(constraint);
                node.is_forced = true;
                node.open.remove(unknown);
                node.env = unknown.bound(std::mem::take(&mut node.env), val);
                self.run(node, found)
            }
            SolverBranch::Elements { constraint, pattern, set, exact } => {
                let source = used_constraint(&mut node, constraint, exact);
                if let Some(unknown) = self.as_unknown(&pattern, &node) {
                    return self.values(unknown, &set, node, found);
                }
                let env = node.env.clone();
                self.session.each(&set, &env, &mut |val| {
                    let matched = self.matched(&source, &pattern, &val, node.env.clone(), node.open.clone())?;
                    matched.map_or(GO_ON, |(env, open)| self.run(SearchNode { env, open, ..node.clone() }, found))
                })
            }
            SolverBranch::Values { constraint, unknown, set } => {
                if let Some(constraint) = constraint {
                    node.constraints.remove(constraint);
                }
                self.values(unknown, &set, node, found)
            }
            SolverBranch::Points { constraint, unknown, set, shape } => {
                node.constraints.remove(constraint);
                node.open.remove(unknown);
                self.pointwise(unknown, &set, &shape, &node, found)
            }
            SolverBranch::Lazily { unknown, view } => self.lazily(unknown, &view, node, found),
            SolverBranch::Sequences { unknown, base, lo, hi } => self.sequences(unknown, &base, lo..=hi, node, found),
            SolverBranch::LastResort => {
                let Some(step) = self.last_resort(&node)? else { return GO_ON };
                self.branch(step, node, found)
            }
            SolverBranch::Open { constraint, alternatives, keep } => {
                if keep {
                    node.constraints[constraint].is_opened = true;
                } else {
                    node.constraints.remove(constraint);
                }
                node.repetition = Repetition::Always;
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

    /// Branches on the values of an unknown. A set that cannot be listed is an error at the unknown.
    fn values(
        &self,
        unknown: Unknown,
        set: &Val,
        mut node: SearchNode,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        node.open.remove(unknown);
        self.each_value(unknown, set, node, found).map_err(|error| error.at(unknown.span(self.session.model())))
    }

    fn each_value(
        &self,
        unknown: Unknown,
        set: &Val,
        node: SearchNode,
        found: &mut SolutionFn<'_>,
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

    /// Tries all sequences over a base of these lengths.
    fn sequences(
        &self,
        unknown: Unknown,
        base: &Val,
        lengths: RangeInclusive<u64>,
        mut node: SearchNode,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        let base = self.session.enumerate(base, &node.env)?;
        node.open.remove(unknown);
        for len in lengths {
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

    /// Bindings and open unknowns once a pattern has a value; `None` if it cannot have it.
    fn matched(
        &self,
        source: &Constraint,
        pattern: &Operand,
        val: &Val,
        env: Env,
        open: OpenUnknowns,
    ) -> Result<Option<(Env, OpenUnknowns)>> {
        match pattern::match_pattern(self.session, pattern, val, env, open) {
            Ok(matched) => Ok(matched),
            Err(error) => match self.excused(error, source)? {
                Some(error) => Err(error),
                None => Ok(None),
            },
        }
    }

    /// Records that only values in MININT..MAXINT, or two strings, are tried for an unknown.
    fn cut(&self, unknown: Unknown) {
        if self.unbounded == Unbounded::Nearby {
            return;
        }
        let model = self.session.model();
        let warning = self.session.cut_warning(unknown.ty(model), unknown.name(model).to_string(), unknown.span(model));
        self.cuts.borrow_mut().insert(warning);
    }

    /// Error for an unknown that nothing bounds.
    fn unbounded(&self, unknown: Unknown) -> Error {
        let model = self.session.model();
        let error = Error::new(ErrorKind::Unbounded(unknown.name(model).to_string(), unknown.ty(model)));
        error.at(unknown.span(model))
    }
}

/// Constraint that a branching uses. It is removed from the node if the branching implies it (`exact`).
fn used_constraint(node: &mut SearchNode, constraint: usize, exact: bool) -> Constraint {
    if exact { node.constraints.remove(constraint) } else { node.constraints[constraint].clone() }
}

/// Set of all sequences over the base of length `len`.
fn fixed_sequences(base: &Set, len: u64) -> Val {
    let positions = Set::interval(Int::ONE, Int::from(len));
    SymbolicSet::binary(BinaryOp::Arrow(Arrow::TOTAL), positions.into(), base.clone().into())
}
