//! Functions from a finite set whose values cannot be listed: `f : A --> INTEGER`, or `f : A --> POW(B)` with a large `B`.
//!
//! Universal quantifiers are expanded into instances. An equation `f(k) = e` decides a point as soon as `e` can be evaluated on the decided points.
//! If no equation does, comparisons of integers bound the points, and the point with the fewest values is tried. Only a point that nothing bounds
//! is cut to MININT..MAXINT, with a warning.

use std::ops::ControlFlow;

use abridge_eval::{
    Constraint, ConstraintKind, Env, ErrorKind, Operand, Partial, Problem, Relation, Result, Session, Size, SolutionFn,
    SymbolicSet, Unbounded, Unknown, Val, normalise,
};
use abridge_model::{BinaryOp, Expr, ExprId, LocalId, Pred, PredId, TypeTable, UnaryOp};
use abridge_value::{Int, Set, Value, relation};

use super::bounds::range_of_set;
use super::linear::{BoundKey, Bounds, Linear, settle};
use super::simplify::Left;
use super::{GO_ON, SearchNode, SolutionSearch};

/// Candidates for an unknown function: total on `from`, with values in `to`.
pub(super) struct LazyFunction {
    from: Set,
    to: Val,
    /// All elements of `to`, if they can be listed.
    targets: Option<Set>,
    is_injective: bool,
    /// Pairs known to be in the function.
    known: Set,
    /// Set of the function, if no remaining constraint states the membership.
    within: Option<Val>,
}

/// Number of functions below which they are enumerated as a whole.
const MIN_FUNCTIONS: u64 = 10_000;

/// Constraint with values for the quantified locals in it.
#[derive(Clone)]
pub(super) struct ConstraintInstance {
    pub(super) constraint: Constraint,
    pub(super) locals: Vec<(LocalId, Val)>,
}

/// Undecided point.
#[derive(Clone)]
struct LazyPoint {
    key: Value,
    /// Possible values, if they can be listed.
    options: Option<Set>,
    /// Domain of the value, if the value is a function with a known domain.
    domain: Option<Set>,
    /// Known pairs of the value, if the value is a function.
    parts: Set,
}

impl LazyPoint {
    /// Learns that an aspect of the value has one of these values. Returns the possible values of the point, if they follow.
    fn learn(&mut self, aspect: Aspect, values: Set) -> Option<Set> {
        match (aspect, values.only()) {
            (Aspect::Whole, _) => return Some(values),
            (Aspect::Part(arg), Some(value)) => self.parts = self.parts.insert(Value::pair(arg, value)),
            (Aspect::Size, Some(value)) => self.domain = Some(Set::interval(Int::ONE, value.as_int()?)),
            (Aspect::Domain, Some(Value::Set(domain))) => self.domain = Some(domain),
            _ => return None,
        }
        let is_complete = self.domain.as_ref() == Some(&relation::dom(&self.parts));
        is_complete.then(|| Set::singleton(Value::Set(self.parts.clone())))
    }
}

/// Aspect of the value at a point that a constraint is about.
enum Aspect {
    Whole,
    /// `size(f(k))`
    Size,
    /// `dom(f(k))`
    Domain,
    /// `f(k)(x)`
    Part(Value),
}

#[derive(Clone)]
/// Partial function, its undecided points, and the instances not yet known to hold.
struct LazyProgress {
    partial: Partial,
    points: Vec<LazyPoint>,
    waiting: Vec<ConstraintInstance>,
}

impl LazyFunction {
    /// Whether there are finitely many values, but too many to list.
    pub(super) fn has_too_many_values(&self, session: &Session<'_>) -> bool {
        self.targets.is_none() && matches!(session.size(&self.to), Size::AtMost(_))
    }

    /// Number of functions, saturating, if the values can be listed.
    pub(super) fn count(&self) -> Option<u64> {
        let n_points = u32::try_from(self.from.len()).unwrap_or(u32::MAX);
        self.targets.as_ref().map(|targets| targets.len().saturating_pow(n_points))
    }
}

impl SolutionSearch<'_> {
    /// View of a function with a finite domain, from memberships and equations about `dom(f)`, `ran(f)`, `size(f)` and `front(f)`.
    pub(super) fn view(&self, unknown: Unknown, node: &SearchNode, bounds: &Bounds) -> Result<Option<LazyFunction>> {
        let (mut domain, mut to, mut targets): (Option<Set>, Option<Val>, Option<Set>) = (None, None, None);
        let (mut is_functional, mut is_injective) = (false, false);
        let mut outlines = Vec::new();
        for constraint in &node.constraints {
            let ConstraintKind::Relation(relation, left, right) = &constraint.kind else { continue };
            match (relation, right) {
                (Relation::Member, Operand::Known(set)) if self.as_unknown(left, node) == Some(unknown) => {
                    match set.as_sym() {
                        Some(SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, range)) if arrow.functional => {
                            is_functional = true;
                            is_injective |= arrow.injective;
                            to.get_or_insert_with(|| range.clone());
                            if arrow.total && domain.is_none() {
                                domain = self.listed(from, node)?;
                            }
                        }
                        Some(SymbolicSet::Unary(op, base)) if is_sequences(*op) => {
                            is_functional = true;
                            is_injective |= matches!(op, UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm);
                            to.get_or_insert_with(|| base.clone());
                            let sizes = bounds.get(&BoundKey::Size(unknown));
                            if let (Some(lo), Some(hi)) = (sizes.lo, sizes.hi)
                                && lo == hi
                            {
                                domain = domain.or(Some(Set::interval(Int::ONE, hi)));
                            }
                        }
                        _ => {}
                    }
                }
                (Relation::Equal, _) => {
                    if let Some((op, set)) =
                        self.side(unknown, left, right, node).or_else(|| self.side(unknown, right, left, node))
                    {
                        let side = if op == UnaryOp::Dom { &mut domain } else { &mut targets };
                        *side = side.take().or(self.listed(&set, node)?);
                    } else {
                        outlines.extend(self.outline(unknown, left, right, node));
                        outlines.extend(self.outline(unknown, right, left, node));
                    }
                }
                (Relation::Subset, _) => {
                    if let Some((UnaryOp::Ran, set)) = self.side(unknown, left, right, node) {
                        targets = targets.or(self.listed(&set, node)?);
                    }
                }
                _ => {}
            }
        }
        if let Some(items) = outlines.first() {
            let model = self.session.model();
            let values = model.types.relation(unknown.ty(model)).map(|(_, second)| self.session.type_set(second));
            domain = Some(Set::interval(Int::ONE, Int::from(items.len())));
            to = to.or(values);
            is_functional = true;
            // A sequence cannot have two lengths.
            if outlines.iter().any(|others| others.len() != items.len()) {
                targets = Some(Set::EMPTY);
            }
        }
        let pair = |(idx, item): (usize, Option<Value>)| Some(Value::pair(Value::int(Int::from(idx + 1)), item?));
        let known = outlines.into_iter().flat_map(|items| items.into_iter().enumerate().filter_map(pair)).collect();
        let (Some(from), Some(to), true) = (domain, to, is_functional) else { return Ok(None) };
        let targets = match (targets, self.listed(&to, node)?) {
            (Some(targets), Some(all)) => Some(targets.intersection(&all)),
            (targets, all) => targets.or(all),
        };
        Ok(Some(LazyFunction { from, to, targets, is_injective, known, within: None }))
    }

    /// View of one of many functions to integers, if sums or comparisons relate its points. Bounds then rule out most functions.
    pub(super) fn arithmetic_view(
        &self,
        unknown: Unknown,
        set: &Val,
        node: &SearchNode,
    ) -> Result<Option<LazyFunction>> {
        let Some(SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, to)) = set.as_sym() else { return Ok(None) };
        let is_many = matches!(self.session.size(set), Size::AtMost(count) if count >= MIN_FUNCTIONS);
        if !(arrow.functional && arrow.total && is_many && self.has_integer_values(unknown)) {
            return Ok(None);
        }
        let (Some(from), Some(targets)) = (self.listed(from, node)?, self.listed(to, node)?) else { return Ok(None) };
        let (is_injective, within) = (arrow.injective, Some(set.clone()));
        let view =
            LazyFunction { from, to: to.clone(), targets: Some(targets), is_injective, known: Set::EMPTY, within };
        let progress = self.start(unknown, &view, node)?;
        let (_, at_most_zero) = self.point_comparisons(unknown, &view, node, &progress);
        Ok(at_most_zero.iter().any(Linear::relates_points).then_some(view))
    }

    /// Value that an equation or inclusion gives for `dom(f)` or `ran(f)`.
    fn side(&self, unknown: Unknown, applied: &Operand, other: &Operand, node: &SearchNode) -> Option<(UnaryOp, Val)> {
        let Operand::Expr(id) = applied else { return None };
        let Expr::Unary(op @ (UnaryOp::Dom | UnaryOp::Ran), operand) = self.session.model().expr(*id) else {
            return None;
        };
        if self.as_unknown(&Operand::Expr(*operand), node) != Some(unknown) || !other.is_ready(self.session, &node.open)
        {
            return None;
        }
        Some((*op, other.eval(self.session, &node.env).ok()?))
    }

    /// Elements of a set, if it is known to be finite and not too large.
    fn listed(&self, set: &Val, node: &SearchNode) -> Result<Option<Set>> {
        let Size::AtMost(bound) = self.session.size(set) else { return Ok(None) };
        if bound > self.session.config().max_set_size {
            return Ok(None);
        }
        match self.session.enumerate(set, &node.env) {
            Ok(set) => Ok(Some(set)),
            Err(error) if error.is_fatal() => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Enumerates the functions of a view that satisfy the constraints.
    pub(super) fn lazily(
        &self,
        unknown: Unknown,
        view: &LazyFunction,
        mut node: SearchNode,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        node.open.remove(unknown);
        let mut progress = self.start(unknown, view, &node)?;
        for pair in &view.known {
            let Some((key, value)) = pair.as_pair() else { continue };
            let idx = progress.points.iter().position(|point| point.key == *key);
            let is_possible = view.targets.as_ref().is_none_or(|targets| targets.contains(value));
            if !is_possible || idx.is_some_and(|idx| !progress.assign(idx, value.clone())) {
                return GO_ON;
            }
        }
        self.fill(unknown, view, &node, progress, found)
    }

    /// Initial progress, without decided points.
    fn start(&self, unknown: Unknown, view: &LazyFunction, node: &SearchNode) -> Result<LazyProgress> {
        let partial = Partial {
            is_function: true,
            is_total: true,
            is_injective: view.is_injective,
            decided: Set::EMPTY,
            absent: Set::EMPTY,
            open: view.from.clone(),
        };
        let domain = match view.to.as_sym() {
            Some(SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, _)) if arrow.total => self.listed(from, node)?,
            _ => None,
        };
        let point = |key| LazyPoint { key, options: view.targets.clone(), domain: domain.clone(), parts: Set::EMPTY };
        let points = view.from.iter().map(point).collect();
        let ready = node.constraints.iter().filter(|constraint| constraint.is_ready(&node.open));
        let waiting = ready.map(|constraint| ConstraintInstance::from(constraint.clone())).collect();
        let mut progress = LazyProgress { partial, points, waiting };
        self.take_apart(unknown, node, &mut progress)?;
        Ok(progress)
    }

    fn fill(
        &self,
        unknown: Unknown,
        view: &LazyFunction,
        node: &SearchNode,
        mut progress: LazyProgress,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        self.session.tick()?;
        if !self.decide_all(unknown, view, node, &mut progress)? {
            return GO_ON;
        }
        if progress.points.is_empty() {
            let val: Val = progress.partial.decided.into();
            if let Some(set) = &view.within
                && !self.session.member(&val, set, &node.env)?
            {
                return GO_ON;
            }
            let mut complete = node.clone();
            complete.env = unknown.bind(&node.env, val);
            return self.run(complete, found);
        }
        let Some((idx, options)) = self.best_point(unknown, view, node, &progress)? else { return GO_ON };
        for value in &options {
            let mut chosen = progress.clone();
            if !chosen.assign(idx, value) {
                continue;
            }
            let flow = abridge_diag::with_stack(|| self.fill(unknown, view, node, chosen, found))?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        GO_ON
    }

    /// Expands quantifiers into instances, as far as their domains are known.
    fn take_apart(&self, unknown: Unknown, node: &SearchNode, progress: &mut LazyProgress) -> Result<()> {
        let env = unknown.bind(&node.env, progress.partial.clone().into_val());
        let mut todo = std::mem::take(&mut progress.waiting);
        todo.reverse();
        while let Some(instance) = todo.pop() {
            match self.instances(&instance, &env, usize::MAX)? {
                Some(parts) => todo.extend(parts.into_iter().rev()),
                None => progress.waiting.push(instance),
            }
        }
        Ok(())
    }

    /// Instances of `!x.(P => Q)`; `None` if there are more than `most` or `P` cannot be solved.
    pub(super) fn instances(
        &self,
        instance: &ConstraintInstance,
        env: &Env,
        most: usize,
    ) -> Result<Option<Vec<ConstraintInstance>>> {
        let session = self.session;
        let ConstraintKind::Holds(pred) = instance.constraint.kind else { return Ok(None) };
        let Pred::Forall { binder, body } = session.model().pred(pred) else { return Ok(None) };
        let Pred::Implies(left, right) = session.model().pred(*body) else { return Ok(None) };
        let mut out = Vec::new();
        let problem = Problem::of_pred(session, binder, *left).unbounded(Unbounded::Error);
        let solved = session.solve(problem, &instance.env(env), &mut |env| {
            let mut locals = instance.locals.clone();
            for local in binder {
                locals.push((*local, session.local(*local, env)?));
            }
            out.extend(self.parts_of(*right, &instance.constraint, &locals));
            Ok(if out.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        match solved {
            Ok(flow) => Ok(flow.is_continue().then_some(out)),
            Err(error) if error.is_fatal() => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn parts_of(&self, pred: PredId, source: &Constraint, locals: &[(LocalId, Val)]) -> Vec<ConstraintInstance> {
        let (unknowns, parts) = normalise(self.session, pred, true, source.strict);
        // A predicate with a LET, which would add unknowns, stays whole.
        let parts = if unknowns.is_empty() { parts } else { vec![Constraint::whole(self.session, pred, source)] };
        let with_locals = |mut constraint: Constraint| {
            constraint.is_searched = source.is_searched;
            ConstraintInstance { constraint, locals: locals.to_vec() }
        };
        parts.into_iter().map(with_locals).collect()
    }

    /// Decides points by equations, up to a fixpoint; `false` if there is no solution.
    fn decide_all(
        &self,
        unknown: Unknown,
        view: &LazyFunction,
        node: &SearchNode,
        progress: &mut LazyProgress,
    ) -> Result<bool> {
        loop {
            let n_points = progress.points.len();
            let mut env = unknown.bind(&node.env, progress.partial.clone().into_val());
            let mut todo = std::mem::take(&mut progress.waiting);
            todo.reverse();
            while let Some(instance) = todo.pop() {
                self.session.tick()?;
                let inner = instance.env(&env);
                match self.session.check(&instance.constraint, &inner) {
                    Ok(true) => continue,
                    Ok(false) => return Ok(false),
                    Err(error) if matches!(error.kind(), ErrorKind::Undetermined) => {}
                    Err(error) => match self.excused(error, &instance.constraint)? {
                        // The error is reported when the value is complete.
                        Some(_) => continue,
                        // The quantifier as a whole may hold: an ill-defined left side of an implication is no counterexample.
                        None if !instance.locals.is_empty() => continue,
                        None => return Ok(false),
                    },
                }
                let here = SearchNode { env: inner, constraints: Vec::new(), ..node.clone() };
                match self.simplified(&instance.constraint, &here)? {
                    Left::Contradiction => return Ok(false),
                    Left::Nothing => continue,
                    Left::Parts(unknowns, parts) if unknowns.is_empty() => {
                        let locals = &instance.locals;
                        let parts = parts.into_iter().rev();
                        todo.extend(parts.map(|constraint| ConstraintInstance { constraint, locals: locals.clone() }));
                        continue;
                    }
                    _ => {}
                }
                if !self.decide_one(unknown, view, &instance, &here, progress)? {
                    return Ok(false);
                }
                progress.waiting.push(instance);
                env = unknown.bind(&node.env, progress.partial.clone().into_val());
            }
            if progress.points.len() == n_points {
                return Ok(true);
            }
        }
    }

    /// Applies one instance to the point that it is about; `false` if no value remains there.
    fn decide_one(
        &self,
        unknown: Unknown,
        view: &LazyFunction,
        instance: &ConstraintInstance,
        here: &SearchNode,
        progress: &mut LazyProgress,
    ) -> Result<bool> {
        let ConstraintKind::Relation(relation, left, right) = &instance.constraint.kind else { return Ok(true) };
        let stated = match relation {
            Relation::Equal => self
                .stated(unknown, left, right, here)
                .or_else(|| self.stated(unknown, right, left, here))
                .and_then(|(key, at, val)| Some((key, at, Set::singleton(self.session.finite(&val, &here.env).ok()?)))),
            Relation::Member => self
                .stated(unknown, left, right, here)
                .and_then(|(key, at, set)| Some((key, at, self.listed(&set, here).ok()??))),
            _ => None,
        };
        let Some((key, at, values)) = stated else { return Ok(true) };
        let Some(idx) = progress.points.iter().position(|point| point.key == key) else { return Ok(true) };
        let Some(values) = progress.points[idx].learn(at, values) else { return Ok(true) };
        let options = match &progress.points[idx].options {
            Some(options) => options.intersection(&values),
            None => {
                let mut kept = Vec::new();
                for value in &values {
                    if self.session.member(&value.clone().into(), &view.to, &here.env)? {
                        kept.push(value);
                    }
                }
                kept.into_iter().collect()
            }
        };
        if options.is_empty() {
            return Ok(false);
        }
        match options.only() {
            Some(only) => Ok(progress.assign(idx, only)),
            None => {
                progress.points[idx].options = Some(options);
                Ok(true)
            }
        }
    }

    /// Subject of a relation with a known other side: point, aspect, and the other side.
    fn stated(
        &self,
        unknown: Unknown,
        applied: &Operand,
        other: &Operand,
        here: &SearchNode,
    ) -> Option<(Value, Aspect, Val)> {
        let session = self.session;
        let Operand::Expr(id) = applied else { return None };
        if let Expr::Unary(op @ (UnaryOp::SeqFirst | UnaryOp::SeqLast), sequence) = session.model().expr(*id) {
            let key = self.end_of(*op, *sequence, &here.env)?;
            return Some((key, Aspect::Whole, other.eval(session, &here.env).ok()?));
        }
        let (point, aspect) = match session.model().expr(*id) {
            Expr::Unary(UnaryOp::Size, inner) => (*inner, Aspect::Size),
            Expr::Unary(UnaryOp::Dom, inner) => (*inner, Aspect::Domain),
            Expr::Binary(BinaryOp::Apply, inner, arg)
                if matches!(session.model().expr(*inner), Expr::Binary(BinaryOp::Apply, ..)) =>
            {
                let arg = session.expr(*arg, &here.env).and_then(|arg| session.finite(&arg, &here.env)).ok()?;
                (*inner, Aspect::Part(arg))
            }
            _ => (*id, Aspect::Whole),
        };
        let key = self.point_key(unknown, point, &here.open, &here.env)?;
        Some((key, aspect, other.eval(session, &here.env).ok()?))
    }

    /// Position of the first or last item of the sequence under construction, if it is undecided.
    pub(super) fn end_of(&self, op: UnaryOp, sequence: ExprId, env: &Env) -> Option<Value> {
        let (Expr::Local(_) | Expr::Constant(_)) = self.session.model().expr(sequence) else { return None };
        let val = self.session.expr(sequence, env).ok()?;
        let SymbolicSet::Partial(partial) = val.as_sym()? else { return None };
        let positions = relation::dom(&partial.decided).union(&partial.open);
        let is_sequence = partial.is_function && partial.is_total;
        let (first, last) = positions.ends().filter(|(first, _)| is_sequence && *first == Int::ONE)?;
        let end = Value::int(if op == UnaryOp::SeqFirst { first } else { last });
        partial.open.contains(&end).then_some(end)
    }

    /// Point with the fewest values, and the values; `None` if bounds contradict each other.
    fn best_point(
        &self,
        unknown: Unknown,
        view: &LazyFunction,
        node: &SearchNode,
        progress: &LazyProgress,
    ) -> Result<Option<(usize, Set)>> {
        let Some(bounds) = self.point_bounds(unknown, view, node, progress) else { return Ok(None) };
        let mut best: Option<(usize, Set)> = None;
        for (idx, point) in progress.points.iter().enumerate() {
            let range = bounds.get(&BoundKey::Point(point.key.clone()));
            let interval = match (range.lo, range.hi) {
                (Some(lo), Some(hi)) => Some(Set::interval(lo, hi)),
                _ => None,
            };
            let options = match (&point.options, interval) {
                (Some(options), Some(interval)) => options.intersection(&interval),
                (Some(options), None) => options.clone(),
                (None, Some(interval)) => interval,
                (None, None) => continue,
            };
            if best.as_ref().is_none_or(|(_, fewest)| options.len() < fewest.len()) {
                best = Some((idx, options));
            }
        }
        if best.is_some() {
            return Ok(best);
        }
        if view.has_too_many_values(self.session) {
            return Ok(Some((0, self.session.enumerate(&view.to, &node.env)?)));
        }
        // Nothing bounds any point.
        let cut = self.session.preferred(&view.to).filter(|_| self.unbounded != Unbounded::Error);
        let Some(cut) = cut else { return Err(self.unbounded(unknown)) };
        let range = bounds.get(&BoundKey::Point(progress.points[0].key.clone()));
        self.cut(unknown);
        if self.has_integer_values(unknown) {
            return Ok(Some((0, self.cut_range(range))));
        }
        Ok(Some((0, self.session.enumerate(&cut, &node.env)?)))
    }

    fn has_integer_values(&self, unknown: Unknown) -> bool {
        let model = self.session.model();
        model.types.relation(unknown.ty(model)).is_some_and(|(_, second)| second == TypeTable::INTEGER)
    }

    /// Bounds of the undecided points of an integer function; `None` if they contradict each other.
    fn point_bounds(
        &self,
        unknown: Unknown,
        view: &LazyFunction,
        node: &SearchNode,
        progress: &LazyProgress,
    ) -> Option<Bounds> {
        if !self.has_integer_values(unknown) {
            return Some(Bounds::default());
        }
        let (mut bounds, at_most_zero) = self.point_comparisons(unknown, view, node, progress);
        settle(&at_most_zero, &mut bounds).then_some(bounds)
    }

    /// Bounds of the undecided points from sets, and linear inequalities from comparisons.
    fn point_comparisons(
        &self,
        unknown: Unknown,
        view: &LazyFunction,
        node: &SearchNode,
        progress: &LazyProgress,
    ) -> (Bounds, Vec<Linear>) {
        let mut bounds = Bounds::default();
        let within = range_of_set(&view.to);
        for point in &progress.points {
            let key = BoundKey::Point(point.key.clone());
            bounds.narrow(&key, within.clone());
            if let Some(options) = &point.options {
                bounds.narrow(&key, range_of_set(&options.clone().into()));
            }
        }
        let env = unknown.bind(&node.env, progress.partial.clone().into_val());
        let mut at_most_zero = Vec::new();
        for instance in &progress.waiting {
            let ConstraintKind::Relation(relation, left, right) = &instance.constraint.kind else { continue };
            self.bound_points((*relation, left, right), node, &instance.env(&env), &bounds, &mut at_most_zero);
        }
        (bounds, at_most_zero)
    }
}

fn is_sequences(op: UnaryOp) -> bool {
    matches!(op, UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm)
}

impl From<Constraint> for ConstraintInstance {
    fn from(constraint: Constraint) -> ConstraintInstance {
        ConstraintInstance { constraint, locals: Vec::new() }
    }
}

impl ConstraintInstance {
    pub(super) fn env(&self, env: &Env) -> Env {
        env.bind_all(self.locals.iter().cloned())
    }
}

impl LazyProgress {
    /// Decides a point; `false` if an injection has the value elsewhere.
    fn assign(&mut self, idx: usize, value: Value) -> bool {
        if self.partial.is_injective && relation::ran(&self.partial.decided).contains(&value) {
            return false;
        }
        let LazyPoint { key, .. } = self.points.remove(idx);
        self.partial.open = self.partial.open.remove(&key);
        self.partial.decided = self.partial.decided.insert(Value::pair(key, value));
        true
    }
}
