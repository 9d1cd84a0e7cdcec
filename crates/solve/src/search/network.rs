//! Functions with binary constraints between points: `!(x, y).(x : A & y : A => f(x) |-> f(y) : r)`.
//!
//! The points of the function are the variables of a constraint network. Quantifiers are expanded into instances, each about the values at one or
//! two points. A table of allowed pairs of values is filled on demand, and shared by all instances that differ only in their points. Choosing a
//! value at a point removes values at others (forward checking); the point with the fewest values left is next. Solutions are checked like any
//! other.

use std::cell::RefCell;
use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_eval::{Constraint, ConstraintKind, Env, OpenUnknowns, Result, SolutionFn, Unknown, Val};
use abridge_model::ModelNode;
use abridge_model::{BinaryOp, Expr, ExprId, LocalId, Pred};
use abridge_value::{BitSet, Set, Value};
use rustc_hash::FxHashMap;

use super::lazy::ConstraintInstance;
use super::pointwise::FunctionShape;
use super::simplify::Left;
use super::{GO_ON, SearchNode, SolutionSearch};

/// Limits beyond which setting up the network takes too long.
const MAX_INSTANCES: usize = 1 << 16;
const MAX_POINTS: usize = 1 << 10;
const MAX_VALUES: usize = 1 << 10;
/// Points examined in the time of one step of evaluation.
const POINTS_PER_STEP: usize = 4;
/// Links followed in the time of one step of evaluation.
const LINKS_PER_STEP: usize = 32;

/// Constraint network over the points of a function.
pub(super) struct Network {
    keys: Vec<Value>,
    values: Vec<Value>,
    is_injective: bool,
    /// Number of values that a surjection has to reach.
    n_targets: usize,
    tables: Vec<Table>,
    /// Links of each point to the points that a table relates it to.
    links: Vec<Vec<Link>>,
    /// Values of each point that the unary constraints allow.
    start: Domains,
}

/// Side of a table with a single point.
const LONE_POINT: usize = 2;

/// Link of a point: a table, the side of the point in it, and the point on the other side.
struct Link {
    table: usize,
    side: usize,
    other: usize,
}

/// Constraint on the values at one or two points.
struct Table {
    constraint: Constraint,
    /// Locals of one instance.
    env: Env,
    /// Points of that instance: one or two.
    keys: Vec<Value>,
    /// Allowed values on the other side, by side and value.
    rows: RefCell<FxHashMap<(usize, usize), Row>>,
}

/// Values on the other side that were tested, and those of them that are allowed.
struct Row {
    asked: BitSet,
    possible: BitSet,
}

/// Key of a table: the constraint, the point of each application, and the values of locals read outside of arguments.
type TableKey = (ConstraintKind, Vec<usize>, Vec<(LocalId, Val)>);

/// Occurrences of the function in a constraint.
struct Reads {
    applications: Vec<ExprId>,
    /// Locals that are read outside of the arguments.
    locals: Vec<LocalId>,
}

/// Values left at each point.
#[derive(Clone)]
struct Domains {
    left: Vec<BitSet>,
    is_decided: Vec<bool>,
    n_open: usize,
}

impl SolutionSearch<'_> {
    /// Network for total functions of a shape, if each instance is about at most two points.
    pub(super) fn network(
        &self,
        unknown: Unknown,
        shape: &FunctionShape,
        node: &SearchNode,
    ) -> Result<Option<Network>> {
        if !shape.is_total_function() || shape.points.len() > MAX_POINTS || !self.is_encodable(node) {
            return Ok(None);
        }
        let values: Set = shape.points.iter().flat_map(|point| point.options.iter().flatten().cloned()).collect();
        if values.len() > MAX_VALUES as u64 {
            return Ok(None);
        }
        let Some(instances) = self.all_instances(unknown, node)? else { return Ok(None) };
        let values: Vec<Value> = values.iter().collect();
        let numbers: FxHashMap<&Value, usize> =
            values.iter().enumerate().map(|(number, value)| (value, number)).collect();
        let left =
            shape.points.iter().map(|point| point.options.iter().flatten().map(|option| numbers[option]).collect());
        let n_points = shape.points.len();
        let network = Network {
            keys: shape.points.iter().map(|point| point.key.clone()).collect(),
            is_injective: shape.is_injective,
            n_targets: shape.n_targets,
            tables: Vec::new(),
            links: std::iter::repeat_with(Vec::new).take(n_points).collect(),
            start: Domains { left: left.collect(), is_decided: vec![false; n_points], n_open: n_points },
            values,
        };
        self.linked(unknown, network, instances, node)
    }

    /// Constraints on a function as instances, with quantifiers expanded; `None` if there are too many.
    fn all_instances(&self, unknown: Unknown, node: &SearchNode) -> Result<Option<Vec<ConstraintInstance>>> {
        let (session, model) = (self.session, self.session.model());
        let mut here = SearchNode { constraints: Vec::new(), ..node.clone() };
        here.open.push(unknown);
        let mut instances = Vec::new();
        let ready = node.constraints.iter().rev().filter(|constraint| constraint.is_ready(&node.open));
        let mut todo: Vec<ConstraintInstance> = ready.cloned().map(ConstraintInstance::from).collect();
        while let Some(instance) = todo.pop() {
            if todo.len() + instances.len() > MAX_INSTANCES {
                return Ok(None);
            }
            if let ConstraintKind::Holds(pred) = instance.constraint.kind
                && let Pred::Forall { body, .. } = model.pred(pred)
            {
                let Pred::Implies(left, _) = model.pred(*body) else { return Ok(None) };
                if unknown.is_in(&session.interp().names_of_pred(*left)) {
                    return Ok(None);
                }
                match self.instances(&instance, &node.env, MAX_INSTANCES)? {
                    Some(parts) => todo.extend(parts),
                    None => return Ok(None),
                }
                continue;
            }
            here.env = instance.env(&node.env);
            match self.simplified(&instance.constraint, &here)? {
                Left::Nothing => {}
                Left::Parts(unknowns, parts) if unknowns.is_empty() => {
                    todo.extend(
                        parts
                            .into_iter()
                            .map(|part| ConstraintInstance { constraint: part, locals: instance.locals.clone() }),
                    );
                }
                _ => instances.push(instance),
            }
        }
        Ok(Some(instances))
    }

    /// Adds instances to a network. `None` if an instance is about more than two points or the function as a whole, or if no two points are related.
    fn linked(
        &self,
        unknown: Unknown,
        mut network: Network,
        instances: Vec<ConstraintInstance>,
        node: &SearchNode,
    ) -> Result<Option<Network>> {
        let session = self.session;
        let numbers: FxHashMap<Value, usize> = network.keys.iter().cloned().zip(0..).collect();
        let mut reads: FxHashMap<ConstraintKind, Option<Reads>> = FxHashMap::default();
        let mut tables: FxHashMap<TableKey, usize> = FxHashMap::default();
        for instance in instances {
            session.tick()?;
            let kind = instance.constraint.kind.clone();
            let found = reads.entry(kind.clone()).or_insert_with(|| self.reads(unknown, &instance.constraint));
            let Some(Reads { applications, locals }) = found else { return Ok(None) };
            let env = instance.env(&node.env);
            let mut points: Vec<usize> = Vec::new();
            let mut pattern = Vec::new();
            for application in applications {
                let key = self.point_key(unknown, *application, &OpenUnknowns::default(), &env);
                let Some(point) = key.and_then(|key| numbers.get(&key)) else { return Ok(None) };
                let place = points.iter().position(|other| other == point).unwrap_or_else(|| {
                    points.push(*point);
                    points.len() - 1
                });
                pattern.push(place);
            }
            if points.is_empty() || points.len() > 2 {
                return Ok(None);
            }
            let read = instance.locals.iter().filter(|(local, _)| locals.contains(local)).cloned().collect();
            let table = *tables.entry((kind, pattern, read)).or_insert_with(|| {
                let keys = points.iter().map(|point| network.keys[*point].clone()).collect();
                let rows = RefCell::default();
                network.tables.push(Table { constraint: instance.constraint.clone(), env, keys, rows });
                network.tables.len() - 1
            });
            match points[..] {
                [first, second] => {
                    network.links[first].push(Link { table, side: 0, other: second });
                    network.links[second].push(Link { table, side: 1, other: first });
                }
                _ => {
                    let mut options = network.start.left[points[0]].clone();
                    self.narrow(unknown, &network, (table, LONE_POINT, 0), &mut options)?;
                    network.start.left[points[0]] = options;
                }
            }
        }
        let is_related = network.links.iter().any(|links| !links.is_empty());
        Ok(is_related.then_some(network))
    }

    /// Occurrences of the function in a constraint, if each is an application to a known argument.
    fn reads(&self, unknown: Unknown, constraint: &Constraint) -> Option<Reads> {
        let (model, names) = (self.session.model(), self.session.interp().names());
        let mut reads = Reads { applications: Vec::new(), locals: Vec::new() };
        let mut bound: Vec<LocalId> = Vec::new();
        let mut open = constraint.formulas()?;
        while let Some(part) = open.pop() {
            let free = match part {
                ModelNode::Expr(id) => names.of_expr(model, id),
                ModelNode::Pred(id) => names.of_pred(model, id),
                ModelNode::Subst(_) => return None,
            };
            if !unknown.is_in(&free) {
                reads.locals.extend(&free.locals);
                continue;
            }
            if let ModelNode::Expr(id) = part
                && let Expr::Binary(BinaryOp::Apply, function, arg) = model.expr(id)
                && is_name(model.expr(*function), unknown)
                && !unknown.is_in(&names.of_expr(model, *arg))
            {
                reads.applications.push(id);
                continue;
            }
            bound.extend(model.bound_locals(part));
            let n_open = open.len();
            model.for_each_child(part, &mut |child| open.push(child));
            // Otherwise the node is the function itself, or an operation that reads it.
            if !open[n_open..].iter().any(|child| self.is_read_in(unknown, *child)) {
                return None;
            }
        }
        let is_known = |id: &ExprId| names.of_expr(model, *id).locals.iter().all(|local| !bound.contains(local));
        reads.applications.iter().all(is_known).then_some(reads)
    }

    fn is_read_in(&self, unknown: Unknown, part: ModelNode) -> bool {
        let (model, names) = (self.session.model(), self.session.interp().names());
        match part {
            ModelNode::Expr(id) => unknown.is_in(&names.of_expr(model, id)),
            ModelNode::Pred(id) => unknown.is_in(&names.of_pred(model, id)),
            ModelNode::Subst(_) => true,
        }
    }

    /// Keeps the options that a table allows beside a value on the given side.
    fn narrow(
        &self,
        unknown: Unknown,
        network: &Network,
        (table, side, value): (usize, usize, usize),
        options: &mut BitSet,
    ) -> Result<()> {
        let Table { constraint, env, keys, rows } = &network.tables[table];
        let mut rows = rows.borrow_mut();
        let none = || BitSet::with_room(network.values.len());
        let row = rows.entry((side, value)).or_insert_with(|| Row { asked: none(), possible: none() });
        for option in options.iter() {
            if row.asked.contains(option) {
                continue;
            }
            let pair = |side: usize, value: usize| Value::pair(keys[side].clone(), network.values[value].clone());
            let function: Set = match side {
                LONE_POINT => Set::singleton(pair(0, option)),
                _ => [pair(side, value), pair(1 - side, option)].into_iter().collect(),
            };
            // Each answer serves many lookups, so it is charged at a discount.
            let env = unknown.bind(env, function.into());
            let is_possible = match self.session.at_discount(|| self.session.check(constraint, &env)) {
                Ok(answer) => answer,
                Err(error) if error.is_fatal() => return Err(error),
                // An ill-defined instance is left to the check of the whole, where it may be excused by the left side of an implication.
                Err(_) => true,
            };
            row.asked.insert(option);
            if is_possible {
                row.possible.insert(option);
            }
        }
        options.intersect_with(&row.possible);
        Ok(())
    }

    /// Enumerates the functions of a network that are in `set`.
    pub(super) fn by_network(
        &self,
        unknown: Unknown,
        set: &Val,
        network: &Network,
        node: &SearchNode,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        let mut domains = network.start.clone();
        if !self.settle(unknown, network, &mut domains)? {
            return GO_ON;
        }
        self.decide_next(unknown, set, network, &domains, node, found)
    }

    fn decide_next(
        &self,
        unknown: Unknown,
        set: &Val,
        network: &Network,
        domains: &Domains,
        node: &SearchNode,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        let open = (0..network.keys.len()).filter(|point| !domains.is_decided[*point]);
        let Some(point) = open.min_by_key(|point| domains.left[*point].len()) else {
            let value = |point: usize| domains.left[point].iter().next().map(|value| network.values[value].clone());
            let pairs = network
                .keys
                .iter()
                .enumerate()
                .filter_map(|(point, key)| Some(Value::pair(key.clone(), value(point)?)));
            return self.completed(unknown, set, pairs.collect(), node, found);
        };
        for value in domains.left[point].iter() {
            let mut chosen = domains.clone();
            chosen.left[point] = BitSet::with_room(network.values.len());
            chosen.left[point].insert(value);
            if !self.settle(unknown, network, &mut chosen)? {
                continue;
            }
            let flow = with_stack(|| self.decide_next(unknown, set, network, &chosen, node, found))?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        GO_ON
    }

    /// Forward checking from all points with one value left, up to a fixpoint; `false` if there is no solution.
    fn settle(&self, unknown: Unknown, network: &Network, domains: &mut Domains) -> Result<bool> {
        let n_points = network.keys.len();
        self.session.ticks((n_points / POINTS_PER_STEP) as u64)?;
        let mut todo: Vec<usize> = (0..n_points).filter(|point| !domains.is_decided[*point]).collect();
        todo.retain(|point| domains.left[*point].len() < 2);
        while let Some(point) = todo.pop() {
            self.session.ticks(1 + (network.links[point].len() / LINKS_PER_STEP) as u64)?;
            let Some(value) = domains.left[point].iter().next() else { return Ok(false) };
            domains.is_decided[point] = true;
            domains.n_open -= 1;
            let mut changed = |other: usize, before: usize, domains: &Domains| {
                let after = domains.left[other].len();
                if after < 2 && before >= 2 {
                    todo.push(other);
                }
                after > 0
            };
            if network.is_injective {
                for other in (0..n_points).filter(|other| *other != point) {
                    let before = domains.left[other].len();
                    domains.left[other].remove(value);
                    if !changed(other, before, domains) {
                        return Ok(false);
                    }
                }
            }
            for Link { table, side, other } in &network.links[point] {
                let before = domains.left[*other].len();
                self.narrow(unknown, network, (*table, *side, value), &mut domains.left[*other])?;
                if !changed(*other, before, domains) {
                    return Ok(false);
                }
            }
        }
        Ok(network.n_targets <= domains.n_reached() + domains.n_open)
    }
}

fn is_name(expr: &Expr, unknown: Unknown) -> bool {
    match expr {
        Expr::Local(local) => Unknown::Local(*local) == unknown,
        Expr::Constant(constant) => Unknown::Constant(*constant) == unknown,
        _ => false,
    }
}

impl Domains {
    /// Number of distinct values of the decided points.
    fn n_reached(&self) -> usize {
        let decided = self.left.iter().zip(&self.is_decided).filter(|(_, is_decided)| **is_decided);
        let mut reached: Vec<usize> = decided.filter_map(|(options, _)| options.iter().next()).collect();
        reached.sort_unstable();
        reached.dedup();
        reached.len()
    }
}
