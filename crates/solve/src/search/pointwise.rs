//! Functions and sets, found point by point.
//!
//! A function `f : A --> B` or a set `s <: A` is not tried as a whole. One point after the other gets a value, and constraints are evaluated on the
//! partial value (see [`Partial`]). A false constraint prunes; a constraint that needs an undecided point waits. Impossible values are removed at
//! the undecided points (look-ahead), and the point with the fewest values left is next.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use abridge_eval::{
    Constraint, ConstraintKind, Env, ErrorKind, OpenUnknowns, Operand, Partial, Relation, Result, Size, SolutionFn,
    SymbolicSet, Unknown, Val,
};
use abridge_model::{Arrow, BinaryOp, Expr, ExprId, UnaryOp};
use abridge_value::{Set, Value};

use super::{GO_ON, SearchNode, SolutionSearch};

/// Number of candidates below which they are enumerated as a whole.
const MIN_CANDIDATES: u64 = 64;
/// [`MIN_CANDIDATES`] if symmetric candidates are tried once only.
const MIN_CANDIDATES_UP_TO_SYMMETRY: u64 = 20;
/// Number of candidates from which on the point with the fewest values is next.
const MIN_CANDIDATES_FOR_ORDERING: u64 = 2000;
/// Number of points without effect after which look-ahead pauses.
const MAX_FRUITLESS_POINTS: u32 = 2;
/// Interval, in points, at which a pausing look-ahead is tried again.
const POINTS_PER_RETRY: usize = 4;
/// Steps without an answer after which a constraint waits until half of the points are decided.
const MAX_FRUITLESS_STEPS: u64 = 20_000;

/// Candidates for an unknown function or set: its points, and their possible values.
pub(super) struct FunctionShape {
    pub(super) points: Vec<OpenPoint>,
    is_function: bool,
    is_total: bool,
    pub(super) is_injective: bool,
    /// Number of values that a surjection has to reach.
    pub(super) n_targets: usize,
}

/// Undecided point with its possible values; `None` is absence.
#[derive(Clone)]
pub(super) struct OpenPoint {
    pub(super) key: Value,
    pub(super) options: Arc<[Option<Value>]>,
}

#[derive(Clone)]
/// Partial value, its undecided points, and the constraints on it.
struct PointwiseProgress {
    partial: Partial,
    points: Vec<OpenPoint>,
    /// Constraints that are not known to hold.
    waiting: Vec<WaitingConstraint>,
    /// Number of points since look-ahead last removed a value.
    fruitless: u32,
}

#[derive(Clone)]
/// Constraint with the cost of its evaluation in the whole search so far.
struct WaitingConstraint {
    constraint: Constraint,
    attempts: Rc<Cell<Attempts>>,
}

/// Evaluations of a constraint on partial values.
#[derive(Clone, Copy)]
struct Attempts {
    /// Steps since the last answer.
    fruitless: u64,
    /// Number of undecided points beyond which it is not evaluated.
    max_open: usize,
}

impl WaitingConstraint {
    fn new(constraint: Constraint) -> WaitingConstraint {
        WaitingConstraint { constraint, attempts: Rc::new(Cell::new(Attempts { fruitless: 0, max_open: usize::MAX })) }
    }

    fn is_paused(&self, n_open: usize) -> bool {
        n_open > self.attempts.get().max_open
    }

    /// Notes an evaluation that took so many steps.
    fn note(&self, is_decided: bool, n_steps: u64, n_open: usize) {
        let Attempts { fruitless, max_open } = self.attempts.get();
        let fruitless = if is_decided { 0 } else { fruitless + n_steps };
        self.attempts.set(match fruitless > MAX_FRUITLESS_STEPS {
            true => Attempts { fruitless: 0, max_open: n_open / 2 },
            false => Attempts { fruitless, max_open },
        });
    }
}

impl FunctionShape {
    /// Number of candidates, saturating.
    pub(super) fn cost(&self) -> u64 {
        self.points.iter().fold(1, |cost: u64, point| cost.saturating_mul(point.options.len() as u64))
    }

    /// Partial value in which the points with a single value are decided, unless they remove values at others.
    fn start(&self, waiting: Vec<Constraint>) -> PointwiseProgress {
        let is_decided = |point: &&OpenPoint| !self.is_injective && point.options.len() == 1;
        let (decided, points): (Vec<&OpenPoint>, Vec<&OpenPoint>) = self.points.iter().partition(is_decided);
        let element = |point: &&OpenPoint| {
            let value = point.options[0].clone()?;
            Some(if self.is_function { Value::pair(point.key.clone(), value) } else { point.key.clone() })
        };
        let absent = decided.iter().filter(|point| point.options[0].is_none());
        let partial = Partial {
            is_function: self.is_function,
            is_total: self.is_total,
            is_injective: self.is_injective,
            decided: decided.iter().filter_map(element).collect(),
            absent: absent.map(|point| point.key.clone()).collect(),
            open: points.iter().map(|point| point.key.clone()).collect(),
        };
        let waiting = waiting.into_iter().map(WaitingConstraint::new).collect();
        PointwiseProgress { partial, points: points.into_iter().cloned().collect(), waiting, fruitless: 0 }
    }

    pub(super) fn is_total_function(&self) -> bool {
        self.is_function && self.is_total
    }
}

impl SolutionSearch<'_> {
    /// Shape of the candidates for an unknown, if a search point by point is better than enumeration.
    pub(super) fn shape(&self, unknown: Unknown, set: &Val, node: &SearchNode) -> Result<Option<FunctionShape>> {
        let session = self.session;
        let is_constrained = node.constraints.iter().any(|constraint| constraint.mentions(unknown));
        let Size::AtMost(count) = session.size(set) else { return Ok(None) };
        let is_sieved = self.is_sieved(node) && count >= MIN_CANDIDATES_UP_TO_SYMMETRY;
        if (count < MIN_CANDIDATES || !is_constrained) && !is_sieved {
            return Ok(None);
        }
        let base = match set.as_sym() {
            Some(SymbolicSet::Unary(UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Pow1 | UnaryOp::Fin1, base)) => base.clone(),
            Some(SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, to)) if arrow.functional => {
                return self.function_shape(unknown, *arrow, from, to, node);
            }
            Some(SymbolicSet::Binary(BinaryOp::Arrow(_), from, to)) => session.cartesian(from, to),
            _ => return Ok(None),
        };
        let options: Arc<[Option<Value>]> = [None, Some(Value::Bool(true))].into();
        let keys = session.elements(&base, &node.env)?;
        let mut points: Vec<OpenPoint> =
            keys.into_iter().map(|key| OpenPoint { key, options: options.clone() }).collect();
        self.narrow_points(unknown, false, node, &mut points)?;
        Ok(Some(FunctionShape { points, is_function: false, is_total: false, is_injective: false, n_targets: 0 }))
    }

    /// Shape of the functions from a finite set. If the range is infinite, equations and memberships must give the values of each point.
    pub(super) fn function_shape(
        &self,
        unknown: Unknown,
        arrow: Arrow,
        from: &Val,
        to: &Val,
        node: &SearchNode,
    ) -> Result<Option<FunctionShape>> {
        let session = self.session;
        let limit = session.config().max_set_size;
        let Size::AtMost(n_keys) = session.size(from) else { return Ok(None) };
        session.check_size(n_keys)?;
        let targets = match session.size(to) {
            Size::AtMost(n_values) if n_values <= limit => Some(session.enumerate(to, &node.env)?),
            _ if arrow.total => None,
            _ => return Ok(None),
        };
        let stated = self.stated_values(unknown, node);
        let mut points = Vec::new();
        for key in &session.enumerate(from, &node.env)? {
            let values = match (stated.iter().find(|(other, _)| *other == key), &targets) {
                (Some((_, values)), Some(targets)) => values.intersection(targets),
                (Some((_, values)), None) => values.clone(),
                (None, Some(targets)) => targets.clone(),
                (None, None) => return Ok(None),
            };
            let absent = if arrow.total { None } else { Some(None) };
            let options = absent.into_iter().chain(values.iter().map(Some)).collect();
            points.push(OpenPoint { key, options });
        }
        self.narrow_points(unknown, true, node, &mut points)?;
        // Too few values for an injection, or too few points for a surjection.
        let n_values = targets.as_ref().map(Set::len);
        let (n_points, Arrow { total, injective, surjective, .. }) = (points.len() as u64, arrow);
        if n_values.is_some_and(|n| total && injective && n < n_points || surjective && n > n_points) {
            points.iter_mut().for_each(|point| point.options = Arc::default());
        }
        let n_targets = if arrow.surjective { targets.map_or(0, |targets| targets.len() as usize) } else { 0 };
        Ok(Some(FunctionShape {
            points,
            is_function: true,
            is_total: arrow.total,
            is_injective: arrow.injective,
            n_targets,
        }))
    }

    /// Values that `f(k) = e` and `f(k) : S` allow at points.
    fn stated_values(&self, unknown: Unknown, node: &SearchNode) -> Vec<(Value, Set)> {
        let mut stated: Vec<(Value, Set)> = Vec::new();
        for constraint in &node.constraints {
            let ConstraintKind::Relation(relation, left, right) = &constraint.kind else { continue };
            let found = match relation {
                Relation::Equal => self
                    .stated_point(unknown, left, right, node)
                    .or_else(|| self.stated_point(unknown, right, left, node))
                    .and_then(|(key, val)| Some((key, Set::singleton(self.session.finite(&val, &node.env).ok()?)))),
                Relation::Member => self.stated_point(unknown, left, right, node).and_then(|(key, set)| {
                    let Size::AtMost(_) = self.session.size(&set) else { return None };
                    Some((key, self.session.enumerate(&set, &node.env).ok()?))
                }),
                _ => None,
            };
            let Some((key, values)) = found else { continue };
            match stated.iter_mut().find(|(other, _)| *other == key) {
                Some((_, known)) => *known = known.intersection(&values),
                None => stated.push((key, values)),
            }
        }
        stated
    }

    /// Argument and other side of a relation with the unknown applied to a known argument on one side.
    fn stated_point(
        &self,
        unknown: Unknown,
        applied: &Operand,
        other: &Operand,
        node: &SearchNode,
    ) -> Option<(Value, Val)> {
        let Operand::Expr(id) = applied else { return None };
        let mut open = node.open.clone();
        open.push(unknown);
        if !other.is_ready(self.session, &open) {
            return None;
        }
        let key = self.point_key(unknown, *id, &open, &node.env)?;
        Some((key, other.eval(self.session, &node.env).ok()?))
    }

    /// Known argument of the unknown in `f(k)`.
    pub(super) fn point_key(&self, unknown: Unknown, id: ExprId, open: &OpenUnknowns, env: &Env) -> Option<Value> {
        let session = self.session;
        let Expr::Binary(BinaryOp::Apply, function, arg) = session.model().expr(id) else { return None };
        let is_unknown = match session.model().expr(*function) {
            Expr::Local(local) => Unknown::Local(*local) == unknown,
            Expr::Constant(constant) => Unknown::Constant(*constant) == unknown,
            _ => false,
        };
        if !is_unknown || !Operand::Expr(*arg).is_ready(session, open) {
            return None;
        }
        session.expr(*arg, env).and_then(|key| session.finite(&key, env)).ok()
    }

    /// Enumerates the functions or sets of a shape that are in `set`.
    pub(super) fn pointwise(
        &self,
        unknown: Unknown,
        set: &Val,
        shape: &FunctionShape,
        node: &SearchNode,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        if shape.cost() >= MIN_CANDIDATES_FOR_ORDERING
            && !self.is_sieved(node)
            && let Some(network) = self.session.at_discount(|| self.network(unknown, shape, node))?
        {
            return self.by_network(unknown, set, &network, node, found);
        }
        let ready = node.constraints.iter().filter(|constraint| constraint.is_ready(&node.open)).cloned();
        let progress = shape.start(ready.collect());
        self.decide(unknown, set, shape, node, progress, found)
    }

    fn decide(
        &self,
        unknown: Unknown,
        set: &Val,
        shape: &FunctionShape,
        node: &SearchNode,
        mut progress: PointwiseProgress,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        self.session.tick()?;
        progress.assign_forced();
        if !self.prune(unknown, shape, node, &mut progress)? {
            return GO_ON;
        }
        // A complete value is compared with symmetric ones when it is bound.
        let is_complete = progress.points.is_empty();
        if !is_complete && self.is_sieved(node) && self.is_visited(node, Some((unknown, &progress.partial)))? {
            return GO_ON;
        }
        let mut order = 0..progress.points.len();
        let next = if shape.cost() < MIN_CANDIDATES_FOR_ORDERING {
            order.next()
        } else {
            order.min_by_key(|idx| progress.points[*idx].options.len())
        };
        let Some(next) = next else {
            return self.completed(unknown, set, progress.partial.decided, node, found);
        };
        for option in progress.points[next].options.clone().iter().cloned() {
            let mut chosen = progress.clone();
            chosen.assign(next, option);
            let flow = abridge_diag::with_stack(|| self.decide(unknown, set, shape, node, chosen, found))?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        GO_ON
    }

    /// Binds the unknown to a complete value, if it is in `set`.
    pub(super) fn completed(
        &self,
        unknown: Unknown,
        set: &Val,
        decided: Set,
        node: &SearchNode,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        let val: Val = decided.into();
        // Points do not show surjectivity, totality of a relation, or that a set is not empty.
        if !self.session.member(&val, set, &node.env)? {
            return GO_ON;
        }
        let mut complete = node.clone();
        complete.env = unknown.bind(&node.env, val);
        self.run(complete, found)
    }

    /// Look-ahead: removes impossible values at the undecided points; `false` if there is no solution.
    fn prune(
        &self,
        unknown: Unknown,
        shape: &FunctionShape,
        node: &SearchNode,
        progress: &mut PointwiseProgress,
    ) -> Result<bool> {
        if !self.check_waiting(unknown, node, progress)? {
            return Ok(false);
        }
        if progress.uncovered(shape) > progress.points.len() {
            return Ok(false);
        }
        if progress.waiting.is_empty()
            || progress.fruitless >= MAX_FRUITLESS_POINTS && !progress.points.len().is_multiple_of(POINTS_PER_RETRY)
        {
            return Ok(true);
        }
        progress.fruitless += 1;
        let mut idx = 0;
        while idx < progress.points.len() {
            let mut possible = Vec::new();
            let OpenPoint { key, options } = progress.points[idx].clone();
            for option in options.iter() {
                let mut trial = PointwiseProgress {
                    partial: progress.partial.clone(),
                    points: Vec::new(),
                    waiting: progress.waiting.clone(),
                    fruitless: 0,
                };
                trial.partial.assign(key.clone(), option.clone());
                if self.check_waiting(unknown, node, &mut trial)? {
                    possible.push(option.clone());
                }
            }
            if possible.len() < options.len() {
                progress.fruitless = 0;
            }
            match &possible[..] {
                [] => return Ok(false),
                [only] => {
                    progress.assign(idx, only.clone());
                    if !self.check_waiting(unknown, node, progress)? {
                        return Ok(false);
                    }
                    // Values at other points may have become impossible.
                    idx = 0;
                }
                _ => {
                    progress.points[idx].options = possible.into();
                    idx += 1;
                }
            }
        }
        Ok(true)
    }

    /// Evaluates the constraints on the partial value, and drops those that hold; `false` if one is false.
    fn check_waiting(&self, unknown: Unknown, node: &SearchNode, progress: &mut PointwiseProgress) -> Result<bool> {
        self.session.tick()?;
        let n_open = progress.partial.open.len() as usize;
        let env = unknown.bind(&node.env, progress.partial.clone().into_val());
        let mut waiting = Vec::with_capacity(progress.waiting.len());
        for constraint in std::mem::take(&mut progress.waiting) {
            if constraint.is_paused(n_open) {
                waiting.push(constraint);
                continue;
            }
            let before = self.session.steps_left();
            let answer = self.session.check(&constraint.constraint, &env);
            let is_undetermined = matches!(&answer, Err(error) if matches!(error.kind(), ErrorKind::Undetermined));
            constraint.note(!is_undetermined, before.saturating_sub(self.session.steps_left()), n_open);
            match answer {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(_) if is_undetermined => waiting.push(constraint),
                Err(error) => match self.excused(error, &constraint.constraint)? {
                    // The error is reported when the value is complete.
                    Some(_) => {}
                    None => return Ok(false),
                },
            }
        }
        progress.waiting = waiting;
        Ok(true)
    }
}

impl PointwiseProgress {
    fn assign(&mut self, idx: usize, option: Option<Value>) {
        let OpenPoint { key, .. } = self.points.remove(idx);
        if let (true, Some(value)) = (self.partial.is_injective, &option) {
            for point in &mut self.points {
                if point.options.iter().any(|other| other.as_ref() == Some(value)) {
                    point.options =
                        point.options.iter().filter(|other| other.as_ref() != Some(value)).cloned().collect();
                }
            }
        }
        self.partial.assign(key, option);
    }

    /// Decides the points with one option. All at once: after each, every constraint would be looked at.
    fn assign_forced(&mut self) {
        let is_forced = |point: &OpenPoint| point.options.len() == 1;
        if self.partial.is_injective {
            while let Some(idx) = self.points.iter().position(is_forced) {
                let option = self.points[idx].options[0].clone();
                self.assign(idx, option);
            }
        } else if self.points.iter().filter(|point| is_forced(point)).count() > 1 {
            let (forced, open) = std::mem::take(&mut self.points).into_iter().partition(is_forced);
            self.points = open;
            let forced: Vec<OpenPoint> = forced;
            self.partial.assign_all(forced.into_iter().map(|point| (point.key, point.options[0].clone())));
        }
    }

    /// Number of values of a surjection that are not reached yet.
    fn uncovered(&self, shape: &FunctionShape) -> usize {
        let reached = abridge_value::relation::ran(&self.partial.decided).len() as usize;
        shape.n_targets.saturating_sub(reached)
    }
}
