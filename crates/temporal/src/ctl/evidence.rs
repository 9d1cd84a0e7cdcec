//! Witnesses and counterexamples of branching time: [`evidence`].
//!
//! The truth of an existential formula, and the falsity of a universal one, is shown by a path: to a goal, into a loop, or to the end of a path. Where the path
//! meets a temporal subformula, evidence for that hangs off the path, so the whole is a tree with lassos at its leaves. What holds on
//! all paths has no finite picture and is only stated. With fairness constraints, loops are fair, and a path to a goal goes on fairly.

use std::collections::VecDeque;

use abridge_value::BitSet;
use rustc_hash::FxHashMap;

use crate::formula::{AtomId, Ctl, CtlNode, NodeId, Path};

use super::fair::{FairComponent, fair_components};
use super::{Checker, FairEdges, Graph, Satisfied, Stopped};

/// Why a formula has its truth value in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    pub node: NodeId,
    pub state: u32,
    pub holds: bool,
    pub shown: Shown,
}

/// What there is to see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Atoms and constants.
    Fact,
    /// The operands that decide a boolean operator.
    Parts(Vec<Evidence>),
    /// A path from the state.
    Path {
        /// Edges and the states that they lead to.
        steps: Vec<(u32, u32)>,
        /// The number of steps before the loop that the last step closes; `None` if the path does not loop.
        loop_start: Option<usize>,
        /// Evidence after so many steps.
        parts: Vec<(usize, Evidence)>,
    },
    /// Something about all paths.
    AllPaths,
    /// Left out, because the tree is large enough.
    Omitted,
}

/// Trees are cut beyond this many nodes.
const MAX_NODES: usize = 400;

/// Evidence for the value of a formula in a state. `satisfied` and `constraints` are those of [`super::check`].
pub fn evidence<G: Graph>(
    graph: &G,
    ctl: &Ctl,
    satisfied: &Satisfied,
    constraints: &[FairEdges],
    state: u32,
) -> Result<Evidence, Stopped> {
    let mut has_path = Vec::with_capacity(ctl.len());
    for (_, node) in ctl.nodes() {
        let of = |id: &NodeId| has_path[id.idx()];
        let value = match node {
            CtlNode::Const(_) | CtlNode::Atom(_) => false,
            CtlNode::Not(operand) => of(operand),
            CtlNode::And(left, right)
            | CtlNode::Or(left, right)
            | CtlNode::Implies(left, right)
            | CtlNode::Iff(left, right) => of(left) || of(right),
            _ => true,
        };
        has_path.push(value);
    }
    let checker = Checker::new(graph, constraints)?;
    let mut teller = Teller { ctl, satisfied, checker, has_path, n_nodes: 0 };
    teller.tell(ctl.root(), state)
}

struct Teller<'a, G> {
    ctl: &'a Ctl,
    satisfied: &'a Satisfied,
    checker: Checker<'a, G>,
    /// Whether a subformula contains a path quantifier.
    has_path: Vec<bool>,
    n_nodes: usize,
}

/// Steps of a path and where its loop starts.
type Walk = (Vec<(u32, u32)>, Option<usize>);

impl<G: Graph> Teller<'_, G> {
    fn tell(&mut self, node: NodeId, state: u32) -> Result<Evidence, Stopped> {
        let holds = self.satisfied.holds(node, state);
        self.n_nodes += 1;
        let shown = if self.n_nodes > MAX_NODES {
            Shown::Omitted
        } else {
            abridge_diag::with_stack(|| self.show(node, state, holds))?
        };
        Ok(Evidence { node, state, holds, shown })
    }

    fn show(&mut self, node: NodeId, state: u32, holds: bool) -> Result<Shown, Stopped> {
        let is_path = |path: &Path| (*path == Path::E) == holds;
        match self.ctl.node(node).clone() {
            CtlNode::Const(_) | CtlNode::Atom(_) => Ok(Shown::Fact),
            CtlNode::Not(operand) => Ok(Shown::Parts(vec![self.tell(operand, state)?])),
            CtlNode::And(left, right) if holds => self.parts(&[left, right], state),
            CtlNode::Or(left, right) if !holds => self.parts(&[left, right], state),
            // A false conjunction has a false operand, a true disjunction a true one.
            CtlNode::And(left, right) | CtlNode::Or(left, right) => {
                let left_decides = self.satisfied.holds(left, state) == holds;
                self.parts(&[if left_decides { left } else { right }], state)
            }
            CtlNode::Implies(left, right) => {
                let left_decides = holds && !self.satisfied.holds(left, state);
                let decide: Vec<NodeId> = match holds {
                    true if left_decides => vec![left],
                    true => vec![right],
                    false => vec![left, right],
                };
                self.parts(&decide, state)
            }
            CtlNode::Iff(left, right) => self.parts(&[left, right], state),
            CtlNode::Next(path, step, operand) if is_path(&path) => self.next(step, operand, holds, state),
            CtlNode::Finally(path, operand) | CtlNode::Globally(path, operand) if is_path(&path) => {
                let is_finally = matches!(self.ctl.node(node), CtlNode::Finally(..));
                if is_finally == holds {
                    let all = self.checker.all.clone();
                    let goal = self.where_is(operand, holds);
                    self.until(&all, &goal, &[], &[operand], state)
                } else {
                    let stay = self.where_is(operand, holds);
                    self.globally(&stay, &[operand], state)
                }
            }
            CtlNode::Until(path, left, right) if is_path(&path) && holds => {
                let (stay, goal) = (self.where_is(left, true), self.where_is(right, true));
                self.until(&stay, &goal, &[left], &[right], state)
            }
            CtlNode::Until(path, left, right) | CtlNode::WeakUntil(path, left, right) if is_path(&path) && !holds => {
                let not_right = self.where_is(right, false);
                let goal = super::both(&self.where_is(left, false), &not_right);
                let is_strong = matches!(self.ctl.node(node), CtlNode::Until(..));
                self.until_or_globally(&not_right, &goal, (&[right], &[left, right]), is_strong, state)
            }
            CtlNode::WeakUntil(path, left, right) if is_path(&path) => {
                let (stay, goal) = (self.where_is(left, true), self.where_is(right, true));
                self.until_or_globally(&stay, &goal, (&[left], &[right]), true, state)
            }
            CtlNode::Release(path, left, right) if is_path(&path) && holds => {
                let stay = self.where_is(right, true);
                let goal = super::both(&self.where_is(left, true), &stay);
                self.until_or_globally(&stay, &goal, (&[right], &[left, right]), true, state)
            }
            CtlNode::Release(path, left, right) if is_path(&path) => {
                let (stay, goal) = (self.where_is(left, false), self.where_is(right, false));
                self.until(&stay, &goal, &[left], &[right], state)
            }
            _ => Ok(Shown::AllPaths),
        }
    }

    /// The states where a subformula has a value.
    fn where_is(&self, node: NodeId, value: bool) -> BitSet {
        let row = self.satisfied.row(node);
        if value { row.clone() } else { self.checker.not(row) }
    }

    fn parts(&mut self, nodes: &[NodeId], state: u32) -> Result<Shown, Stopped> {
        Ok(Shown::Parts(nodes.iter().map(|node| self.tell(*node, state)).collect::<Result<_, _>>()?))
    }

    fn next(&mut self, step: Option<AtomId>, operand: NodeId, holds: bool, state: u32) -> Result<Shown, Stopped> {
        let goal = super::both(&self.where_is(operand, holds), &self.satisfied.fair);
        let mut found: Option<(u32, u32)> = None;
        self.checker.graph.successors(state, &mut |edge, target| {
            let fits = step.is_none_or(|step| self.checker.graph.is_on_edge(step, edge));
            if found.is_none() && fits && goal.contains(target as usize) {
                found = Some((edge, target));
            }
        });
        let steps: Vec<(u32, u32)> = found.into_iter().collect();
        self.path((steps, None), 1, &[], &[operand], state)
    }

    /// A path that stays in one set until it is in the other.
    fn until(
        &mut self,
        stay: &BitSet,
        goal: &BitSet,
        staying: &[NodeId],
        reaching: &[NodeId],
        state: u32,
    ) -> Result<Shown, Stopped> {
        let goal = super::both(goal, &self.satisfied.fair);
        let steps = self.shortest(state, stay, &|state| goal.contains(state as usize));
        let n_steps = steps.len();
        let end = steps.last().map_or(state, |(_, target)| *target);
        let mut walk: Walk = (steps, None);
        if !self.checker.constraints.is_empty() {
            let all = self.checker.all.clone();
            let (more, loop_start) = self.lasso(&all, end)?;
            walk.0.extend(more);
            walk.1 = loop_start.map(|start| start + n_steps);
        }
        self.path(walk, n_steps, staying, reaching, state)
    }

    fn globally(&mut self, stay: &BitSet, staying: &[NodeId], state: u32) -> Result<Shown, Stopped> {
        let walk = self.lasso(stay, state)?;
        let n_steps = walk.0.len() + 1;
        self.path(walk, n_steps, staying, &[], state)
    }

    /// A path to the goal, else, if `may_stay`, one that never leaves the first set.
    fn until_or_globally(
        &mut self,
        stay: &BitSet,
        goal: &BitSet,
        (staying, reaching): (&[NodeId], &[NodeId]),
        may_stay: bool,
        state: u32,
    ) -> Result<Shown, Stopped> {
        let has_goal = self.checker.some_until(stay, goal)?.contains(state as usize);
        if has_goal || !may_stay {
            self.until(stay, goal, staying, reaching, state)
        } else {
            self.globally(stay, staying, state)
        }
    }

    /// A path with evidence along it: for `staying` before the goal and for `reaching` at the goal, which is `n_steps` away.
    fn path(
        &mut self,
        (steps, loop_start): Walk,
        n_steps: usize,
        staying: &[NodeId],
        reaching: &[NodeId],
        state: u32,
    ) -> Result<Shown, Stopped> {
        let mut states: Vec<u32> = [state].into_iter().chain(steps.iter().map(|(_, target)| *target)).collect();
        if loop_start.is_some() {
            states.pop();
        }
        let mut parts = Vec::new();
        for (position, state) in states.iter().enumerate() {
            let nodes = match position.cmp(&n_steps) {
                std::cmp::Ordering::Less => staying,
                std::cmp::Ordering::Equal => reaching,
                std::cmp::Ordering::Greater => &[],
            };
            for node in nodes {
                if self.has_path[node.idx()] {
                    parts.push((position, self.tell(*node, *state)?));
                }
            }
        }
        Ok(Shown::Path { steps, loop_start, parts })
    }

    /// A shortest path through a set to a goal, which need not be in the set. Empty if the start is a goal.
    fn shortest(&self, start: u32, stay: &BitSet, is_goal: &dyn Fn(u32) -> bool) -> Vec<(u32, u32)> {
        let mut before: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
        let mut todo = VecDeque::from([start]);
        while let Some(state) = todo.pop_front() {
            if is_goal(state) {
                return steps_to(state, start, &before);
            }
            if !stay.contains(state as usize) {
                continue;
            }
            self.checker.graph.successors(state, &mut |edge, target| {
                if target != start && !before.contains_key(&target) {
                    before.insert(target, (edge, state));
                    todo.push_back(target);
                }
            });
        }
        Vec::new()
    }

    /// A fair path that stays in a set: into a loop or to where the path ends.
    fn lasso(&self, stay: &BitSet, start: u32) -> Result<Walk, Stopped> {
        let components = fair_components(self.checker.graph, stay, self.checker.constraints)?;
        let mut component_of: FxHashMap<u32, usize> = FxHashMap::default();
        for (number, component) in components.iter().enumerate() {
            component_of.extend(component.members.iter().map(|member| (*member, number)));
        }
        let is_end = |state: u32| {
            let ends = self.checker.deadlocks.contains(state as usize);
            stay.contains(state as usize) && (ends || component_of.contains_key(&state))
        };
        let mut steps = self.shortest(start, stay, &is_end);
        let end = steps.last().map_or(start, |(_, target)| *target);
        let Some(component) = component_of.get(&end) else { return Ok((steps, None)) };
        let loop_start = steps.len();
        steps.extend(fair_loop(&components[*component], end, self.checker.constraints));
        Ok((steps, Some(loop_start)))
    }
}

/// The steps that a search took from its start.
fn steps_to(goal: u32, start: u32, before: &FxHashMap<u32, (u32, u32)>) -> Vec<(u32, u32)> {
    let mut steps = Vec::new();
    let mut at = goal;
    while at != start {
        let (edge, source) = before[&at];
        steps.push((edge, at));
        at = source;
    }
    steps.reverse();
    steps
}

/// A loop from a state of a fair component that takes the edges that all constraints ask for.
fn fair_loop(component: &FairComponent, start: u32, constraints: &[FairEdges]) -> Vec<(u32, u32)> {
    let mut leaving: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
    for (source, edge, target) in &component.edges {
        leaving.entry(*source).or_default().push((*edge, *target));
    }
    let mut steps: Vec<(u32, u32)> = Vec::new();
    let mut at = start;
    for constraint in constraints {
        let wanted = match constraint {
            FairEdges::Infinitely(edges) => edges,
            FairEdges::Pair { requests, responses } => {
                let has_request = component.edges.iter().any(|(_, edge, _)| requests.contains(*edge as usize));
                if !has_request {
                    continue;
                }
                responses
            }
        };
        let is_taken = steps.iter().any(|(edge, _)| wanted.contains(*edge as usize));
        let some = component.edges.iter().find(|(_, edge, _)| wanted.contains(*edge as usize));
        if let (false, Some((source, edge, target))) = (is_taken, some) {
            steps.extend(within(&leaving, at, *source));
            steps.push((*edge, *target));
            at = *target;
        }
    }
    if steps.is_empty() {
        let first = leaving.get(&start).and_then(|edges| edges.first());
        if let Some((edge, target)) = first {
            steps.push((*edge, *target));
            at = *target;
        }
    }
    steps.extend(within(&leaving, at, start));
    steps
}

/// A shortest path inside a component.
fn within(leaving: &FxHashMap<u32, Vec<(u32, u32)>>, start: u32, goal: u32) -> Vec<(u32, u32)> {
    let mut before: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
    let mut todo = VecDeque::from([start]);
    while let Some(state) = todo.pop_front() {
        if state == goal {
            break;
        }
        for (edge, target) in leaving.get(&state).into_iter().flatten() {
            if *target != start && !before.contains_key(target) {
                before.insert(*target, (*edge, state));
                todo.push_back(*target);
            }
        }
    }
    steps_to(goal, start, &before)
}
