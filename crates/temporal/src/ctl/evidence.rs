//! Witnesses and counterexamples of branching time: [`evidence`].
//!
//! The truth of an existential formula, and the falsity of a universal one, is shown by a path: to a goal, into a loop, or to the end of a path. Where the path
//! meets a temporal subformula, evidence for that hangs off the path, so the whole is a tree with lassos at its leaves. What holds on
//! all paths has no finite picture and is only stated. With a fairness premise, loops are fair, and a path to a goal goes on fairly.

use abridge_value::BitSet;
use rustc_hash::FxHashMap;

use crate::emptiness::{FairCycles, LetterGraph, Truth};
use crate::expand::BranchingFormula;
use crate::formula::{AtomId, Ctl, CtlNode, NodeId, PathQuantifier};

use super::{Satisfied, Stopped, common};

/// Why a formula has its truth value in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    pub node: NodeId,
    pub state: u32,
    pub holds: bool,
    pub shown: EvidencePart,
}

/// What there is to see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvidencePart {
    /// Atoms and constants.
    Fact,
    /// The operands that decide a boolean operator.
    Parts(Vec<Evidence>),
    /// A path from the state.
    Path {
        /// Letters of steps and the states that they lead to.
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
/// States between two looks at the stop flag.
const STOP_INTERVAL: usize = 1 << 12;

/// Evidence for the value of a formula in a state, where it has one. `satisfied` is that of [`super::check`].
pub fn evidence<G: LetterGraph>(
    graph: &G,
    formula: &BranchingFormula,
    satisfied: &Satisfied,
    state: u32,
) -> Result<Evidence, Stopped> {
    let ctl = &formula.formula;
    let mut has_path: Vec<bool> = Vec::with_capacity(ctl.len());
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
    let cycles = FairCycles::new(formula).map_err(|_| Stopped)?;
    let has_premise = formula.has_premise();
    let mut teller = EvidenceSearch { graph, ctl, satisfied, cycles, has_premise, has_path, n_nodes: 0 };
    teller.tell(ctl.root(), state)
}

struct EvidenceSearch<'a, G> {
    graph: &'a G,
    ctl: &'a Ctl,
    satisfied: &'a Satisfied,
    cycles: FairCycles,
    has_premise: bool,
    /// Whether a subformula contains a path quantifier.
    has_path: Vec<bool>,
    n_nodes: usize,
}

/// Steps of a path and where its loop starts.
type LassoSteps = (Vec<(u32, u32)>, Option<usize>);

impl<G: LetterGraph> EvidenceSearch<'_, G> {
    fn tell(&mut self, node: NodeId, state: u32) -> Result<Evidence, Stopped> {
        let holds = self.satisfied.value(node, state) == Some(true);
        self.n_nodes += 1;
        let shown = if self.n_nodes > MAX_NODES {
            EvidencePart::Omitted
        } else {
            abridge_diag::with_stack(|| self.show(node, state, holds))?
        };
        Ok(Evidence { node, state, holds, shown })
    }

    fn show(&mut self, node: NodeId, state: u32, holds: bool) -> Result<EvidencePart, Stopped> {
        let is_path = |path: &PathQuantifier| (*path == PathQuantifier::E) == holds;
        match self.ctl.node(node).clone() {
            CtlNode::Const(_) | CtlNode::Atom(_) => Ok(EvidencePart::Fact),
            CtlNode::Not(operand) => Ok(EvidencePart::Parts(vec![self.tell(operand, state)?])),
            CtlNode::And(left, right) if holds => self.parts(&[left, right], state),
            CtlNode::Or(left, right) if !holds => self.parts(&[left, right], state),
            // A false conjunction has a false operand, a true disjunction a true one.
            CtlNode::And(left, right) | CtlNode::Or(left, right) => {
                let left_decides = self.satisfied.value(left, state) == Some(holds);
                self.parts(&[if left_decides { left } else { right }], state)
            }
            CtlNode::Implies(left, right) => {
                let left_decides = holds && self.satisfied.value(left, state) == Some(false);
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
                    let all = self.satisfied.known.all.clone();
                    let goal = self.satisfied.where_is(operand, holds);
                    self.until(&all, &goal, &[], &[operand], state)
                } else {
                    let stay = self.satisfied.where_is(operand, holds);
                    self.globally(&stay, &[operand], state)
                }
            }
            CtlNode::Until(path, left, right) if is_path(&path) && holds => {
                let (stay, goal) = (self.satisfied.where_is(left, true), self.satisfied.where_is(right, true));
                self.until(&stay, &goal, &[left], &[right], state)
            }
            CtlNode::Until(path, left, right) | CtlNode::WeakUntil(path, left, right) if is_path(&path) && !holds => {
                let not_right = self.satisfied.where_is(right, false);
                let goal = common(&self.satisfied.where_is(left, false), &not_right);
                let is_strong = matches!(self.ctl.node(node), CtlNode::Until(..));
                self.until_or_globally(&not_right, &goal, (&[right], &[left, right]), is_strong, state)
            }
            CtlNode::WeakUntil(path, left, right) if is_path(&path) => {
                let (stay, goal) = (self.satisfied.where_is(left, true), self.satisfied.where_is(right, true));
                self.until_or_globally(&stay, &goal, (&[left], &[right]), true, state)
            }
            CtlNode::Release(path, left, right) if is_path(&path) && holds => {
                let stay = self.satisfied.where_is(right, true);
                let goal = common(&self.satisfied.where_is(left, true), &stay);
                self.until_or_globally(&stay, &goal, (&[right], &[left, right]), true, state)
            }
            CtlNode::Release(path, left, right) if is_path(&path) => {
                let (stay, goal) = (self.satisfied.where_is(left, false), self.satisfied.where_is(right, false));
                self.until(&stay, &goal, &[left], &[right], state)
            }
            _ => Ok(EvidencePart::AllPaths),
        }
    }

    fn parts(&mut self, nodes: &[NodeId], state: u32) -> Result<EvidencePart, Stopped> {
        Ok(EvidencePart::Parts(nodes.iter().map(|node| self.tell(*node, state)).collect::<Result<_, _>>()?))
    }

    fn next(
        &mut self,
        step: Option<AtomId>,
        operand: NodeId,
        holds: bool,
        state: u32,
    ) -> Result<EvidencePart, Stopped> {
        let goal = common(&self.satisfied.where_is(operand, holds), self.satisfied.known.fair.surely());
        let mut found: Option<(u32, u32)> = None;
        self.graph.steps(state, &mut |letter, target| {
            let fits = step.is_none_or(|step| self.graph.truth(letter, step) == Truth::True);
            if found.is_none() && fits && goal.contains(target as usize) {
                found = Some((letter, target));
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
    ) -> Result<EvidencePart, Stopped> {
        let goal = common(goal, self.satisfied.known.fair.surely());
        let steps = self.shortest(state, stay, &|state| goal.contains(state as usize))?.ok_or(Stopped)?;
        self.reached(steps, staying, reaching, state)
    }

    /// A path to a goal, with a fair continuation if paths are to be fair.
    fn reached(
        &mut self,
        steps: Vec<(u32, u32)>,
        staying: &[NodeId],
        reaching: &[NodeId],
        state: u32,
    ) -> Result<EvidencePart, Stopped> {
        let n_steps = steps.len();
        let end = steps.last().map_or(state, |(_, target)| *target);
        let mut lasso: LassoSteps = (steps, None);
        if self.has_premise {
            let all = self.satisfied.known.all.clone();
            let (more, loop_start) = self.lasso(&all, end)?;
            lasso.0.extend(more);
            lasso.1 = loop_start.map(|start| start + n_steps);
        }
        self.path(lasso, n_steps, staying, reaching, state)
    }

    fn globally(&mut self, stay: &BitSet, staying: &[NodeId], state: u32) -> Result<EvidencePart, Stopped> {
        let lasso = self.lasso(stay, state)?;
        let n_steps = lasso.0.len() + 1;
        self.path(lasso, n_steps, staying, &[], state)
    }

    /// A path to the goal, else, if `may_stay`, one that never leaves the first set.
    fn until_or_globally(
        &mut self,
        stay: &BitSet,
        goal: &BitSet,
        (staying, reaching): (&[NodeId], &[NodeId]),
        may_stay: bool,
        state: u32,
    ) -> Result<EvidencePart, Stopped> {
        let goal = common(goal, self.satisfied.known.fair.surely());
        match self.shortest(state, stay, &|state| goal.contains(state as usize))? {
            Some(steps) => self.reached(steps, staying, reaching, state),
            None if may_stay => self.globally(stay, staying, state),
            None => Err(Stopped),
        }
    }

    /// A path with evidence along it: for `staying` before the goal and for `reaching` at the goal, which is `n_steps` away.
    fn path(
        &mut self,
        (steps, loop_start): LassoSteps,
        n_steps: usize,
        staying: &[NodeId],
        reaching: &[NodeId],
        state: u32,
    ) -> Result<EvidencePart, Stopped> {
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
        Ok(EvidencePart::Path { steps, loop_start, parts })
    }

    /// A shortest path through a set to a goal, which need not be in the set. Empty if the start is a goal, and nothing if there is none.
    fn shortest(
        &self,
        start: u32,
        stay: &BitSet,
        is_goal: &dyn Fn(u32) -> bool,
    ) -> Result<Option<Vec<(u32, u32)>>, Stopped> {
        // States in the order of their visit, each with the position of its parent and the letter between them.
        let mut visited: Vec<(u32, u32, u32)> = vec![(start, 0, 0)];
        let mut seen = BitSet::with_room(self.graph.n_states());
        seen.insert(start as usize);
        let mut next = 0;
        while let Some((state, ..)) = visited.get(next).copied() {
            if is_goal(state) {
                return Ok(Some(steps_to(next, &visited)));
            }
            if next.is_multiple_of(STOP_INTERVAL) && self.graph.is_stopped() {
                return Err(Stopped);
            }
            if stay.contains(state as usize) {
                self.graph.steps(state, &mut |letter, target| {
                    if seen.insert(target as usize) {
                        visited.push((target, next as u32, letter));
                    }
                });
            }
            next += 1;
        }
        Ok(None)
    }

    /// A fair path that stays in a set: into a loop or to where the path ends.
    fn lasso(&self, stay: &BitSet, start: u32) -> Result<LassoSteps, Stopped> {
        let within = self.reachable(stay, start)?;
        let parts = self.cycles.parts(self.graph, &within).ok_or(Stopped)?;
        let mut part_of: FxHashMap<u32, usize> = FxHashMap::default();
        for (number, part) in parts.iter().enumerate() {
            part_of.extend(part.states().map(|state| (state, number)));
        }
        let endings = &self.satisfied.known.endings;
        let is_end = |state: u32| {
            let ends = endings.contains(state as usize) || part_of.contains_key(&state);
            ends && stay.contains(state as usize)
        };
        let mut steps = self.shortest(start, stay, &is_end)?.ok_or(Stopped)?;
        let end = steps.last().map_or(start, |(_, target)| *target);
        let Some(part) = part_of.get(&end) else { return Ok((steps, None)) };
        let loop_start = steps.len();
        steps.extend(self.cycles.loop_from(self.graph, &parts[*part], end).ok_or(Stopped)?);
        Ok((steps, Some(loop_start)))
    }

    /// The states of a set that a path within it leads to.
    fn reachable(&self, stay: &BitSet, start: u32) -> Result<BitSet, Stopped> {
        let mut reached = BitSet::with_room(self.graph.n_states());
        let mut todo = vec![start];
        reached.insert(start as usize);
        let mut n_done = 0_usize;
        while let Some(state) = todo.pop() {
            self.graph.steps(state, &mut |_, target| {
                if stay.contains(target as usize) && reached.insert(target as usize) {
                    todo.push(target);
                }
            });
            n_done += 1;
            if n_done.is_multiple_of(STOP_INTERVAL) && self.graph.is_stopped() {
                return Err(Stopped);
            }
        }
        Ok(reached)
    }
}

/// The steps that a search took from its start to what it visited at some position.
fn steps_to(mut at: usize, visited: &[(u32, u32, u32)]) -> Vec<(u32, u32)> {
    let mut steps = Vec::new();
    while at > 0 {
        let (state, parent, letter) = visited[at];
        steps.push((letter, state));
        at = parent as usize;
    }
    steps.reverse();
    steps
}
