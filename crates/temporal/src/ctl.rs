//! Branching time on explicit graphs: [`check`].
//!
//! Sets of states by fixpoints backwards along the edges (Clarke, Emerson, Sistla, "Automatic verification of finite-state concurrent systems using
//! temporal logic specifications", 1986), each in time linear in the graph. Paths are maximal: a state without steps ends them. There `EX φ`
//! is false, `AX φ` true, and `AF φ` and `EG φ` are φ; so a state without steps stays in the greatest fixpoint of `EG`, which
//! would lose it if it only counted successors. With fairness constraints, path quantifiers range over fair paths; finite paths
//! are fair. Universal operators are negations of existential ones.

use abridge_value::BitSet;

use crate::formula::{AtomId, Ctl, CtlNode, NodeId, Path};

mod evidence;
mod fair;

pub use evidence::{Evidence, Shown, evidence};

/// A finite graph whose states and edges are numbered.
pub trait Graph {
    fn n_states(&self) -> usize;

    /// Calls `visit` with each edge that leaves a state and its target.
    fn successors(&self, state: u32, visit: &mut dyn FnMut(u32, u32));

    /// Calls `visit` with each edge that enters a state and its source.
    fn predecessors(&self, state: u32, visit: &mut dyn FnMut(u32, u32));

    /// The states in which an atom holds that is not about steps.
    fn states_with(&self, atom: AtomId) -> BitSet;

    /// Whether an atom about steps holds on an edge.
    fn is_on_edge(&self, atom: AtomId, edge: u32) -> bool;

    /// Whether the check should end.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A condition on infinite paths, by sets of edges.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FairEdges {
    /// One of these is taken infinitely often.
    Infinitely(BitSet),
    /// If one of `requests` is taken infinitely often, so is one of `responses`.
    Pair { requests: BitSet, responses: BitSet },
}

/// The states that satisfy each subformula.
#[derive(Clone, Debug)]
pub struct Satisfied {
    rows: Vec<BitSet>,
    /// The states from which a fair path leads on; all of them without constraints.
    fair: BitSet,
}

impl Satisfied {
    pub fn row(&self, node: NodeId) -> &BitSet {
        &self.rows[node.idx()]
    }

    pub fn holds(&self, node: NodeId, state: u32) -> bool {
        self.rows[node.idx()].contains(state as usize)
    }
}

/// The check was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// The states that satisfy a formula and its parts, where path quantifiers range over paths that meet all constraints.
pub fn check<G: Graph>(graph: &G, ctl: &Ctl, constraints: &[FairEdges]) -> Result<Satisfied, Stopped> {
    let checker = Checker::new(graph, constraints)?;
    let mut rows: Vec<BitSet> = Vec::with_capacity(ctl.len());
    for (_, node) in ctl.nodes() {
        let row = checker.node(ctl, node, &rows)?;
        rows.push(row);
    }
    Ok(Satisfied { rows, fair: checker.fair })
}

struct Checker<'a, G> {
    graph: &'a G,
    constraints: &'a [FairEdges],
    all: BitSet,
    deadlocks: BitSet,
    fair: BitSet,
}

type Row = Result<BitSet, Stopped>;

impl<'a, G: Graph> Checker<'a, G> {
    fn new(graph: &'a G, constraints: &'a [FairEdges]) -> Result<Self, Stopped> {
        let all: BitSet = (0..graph.n_states()).collect();
        let is_deadlock = |state: &usize| {
            let mut is_deadlock = true;
            graph.successors(*state as u32, &mut |_, _| is_deadlock = false);
            is_deadlock
        };
        let deadlocks = (0..graph.n_states()).filter(is_deadlock).collect();
        let mut checker = Checker { graph, constraints, fair: all.clone(), all, deadlocks };
        if !constraints.is_empty() {
            checker.fair = checker.some_globally(&checker.all)?;
        }
        Ok(checker)
    }

    fn not(&self, set: &BitSet) -> BitSet {
        let mut rest = self.all.clone();
        set.iter().for_each(|state| rest.remove(state));
        rest
    }

    fn node(&self, ctl: &Ctl, node: &CtlNode, rows: &[BitSet]) -> Row {
        let of = |id: &NodeId| &rows[id.idx()];
        Ok(match node {
            CtlNode::Const(true) => self.all.clone(),
            CtlNode::Const(false) => BitSet::with_room(self.graph.n_states()),
            CtlNode::Atom(atom) if ctl.atoms.get(*atom).kind.is_about_step() => self.some_next(&self.all, Some(*atom)),
            CtlNode::Atom(atom) => self.graph.states_with(*atom),
            CtlNode::Not(operand) => self.not(of(operand)),
            CtlNode::And(left, right) => both(of(left), of(right)),
            CtlNode::Or(left, right) => either(of(left), of(right)),
            CtlNode::Implies(left, right) => either(&self.not(of(left)), of(right)),
            CtlNode::Iff(left, right) => {
                let neither = both(&self.not(of(left)), &self.not(of(right)));
                either(&both(of(left), of(right)), &neither)
            }
            CtlNode::Next(Path::E, step, operand) => self.some_next(&both(of(operand), &self.fair), *step),
            CtlNode::Next(Path::A, step, operand) => {
                let bad = both(&self.not(of(operand)), &self.fair);
                self.not(&self.some_next(&bad, *step))
            }
            CtlNode::Finally(Path::E, operand) => self.some_until(&self.all, of(operand))?,
            CtlNode::Finally(Path::A, operand) => self.not(&self.some_globally(&self.not(of(operand)))?),
            CtlNode::Globally(Path::E, operand) => self.some_globally(of(operand))?,
            CtlNode::Globally(Path::A, operand) => self.not(&self.some_until(&self.all, &self.not(of(operand)))?),
            CtlNode::Until(Path::E, left, right) => self.some_until(of(left), of(right))?,
            CtlNode::Until(Path::A, left, right) => {
                let (not_left, not_right) = (self.not(of(left)), self.not(of(right)));
                let never = self.some_globally(&not_right)?;
                let too_early = self.some_until(&not_right, &both(&not_left, &not_right))?;
                self.not(&either(&never, &too_early))
            }
            CtlNode::WeakUntil(Path::E, left, right) => {
                either(&self.some_until(of(left), of(right))?, &self.some_globally(of(left))?)
            }
            CtlNode::WeakUntil(Path::A, left, right) => {
                let (not_left, not_right) = (self.not(of(left)), self.not(of(right)));
                self.not(&self.some_until(&not_right, &both(&not_left, &not_right))?)
            }
            CtlNode::Release(Path::E, left, right) => {
                either(&self.some_until(of(right), &both(of(left), of(right)))?, &self.some_globally(of(right))?)
            }
            CtlNode::Release(Path::A, left, right) => {
                self.not(&self.some_until(&self.not(of(left)), &self.not(of(right)))?)
            }
        })
    }

    /// Sources of edges into a set; of edges with an atom, if one is given.
    fn some_next(&self, targets: &BitSet, step: Option<AtomId>) -> BitSet {
        let mut sources = BitSet::with_room(self.graph.n_states());
        for target in targets.iter() {
            self.graph.predecessors(target as u32, &mut |edge, source| {
                if step.is_none_or(|step| self.graph.is_on_edge(step, edge)) {
                    sources.insert(source as usize);
                }
            });
        }
        sources
    }

    /// States from which a path stays in one set until it is in the other and goes on fairly.
    fn some_until(&self, stay: &BitSet, goal: &BitSet) -> Row {
        let mut found = both(goal, &self.fair);
        let mut todo: Vec<u32> = found.iter().map(|state| state as u32).collect();
        let mut n_done = 0_u32;
        while let Some(state) = todo.pop() {
            self.graph.predecessors(state, &mut |_, source| {
                if stay.contains(source as usize) && found.insert(source as usize) {
                    todo.push(source);
                }
            });
            n_done = n_done.wrapping_add(1);
            if n_done.is_multiple_of(STOP_INTERVAL) && self.graph.is_stopped() {
                return Err(Stopped);
            }
        }
        Ok(found)
    }

    /// States from which a fair path stays in a set.
    fn some_globally(&self, stay: &BitSet) -> Row {
        if self.constraints.is_empty() {
            return self.some_globally_unfair(stay);
        }
        let mut seeds = fair::fair_states(self.graph, stay, self.constraints)?;
        seeds.union_with(&both(stay, &self.deadlocks));
        // Fair states of the set are fair in the whole, so the search backwards needs no other condition.
        let mut todo: Vec<u32> = seeds.iter().map(|state| state as u32).collect();
        while let Some(state) = todo.pop() {
            self.graph.predecessors(state, &mut |_, source| {
                if stay.contains(source as usize) && seeds.insert(source as usize) {
                    todo.push(source);
                }
            });
        }
        Ok(seeds)
    }

    /// Removes states whose successors are all outside, but for states that have none.
    fn some_globally_unfair(&self, stay: &BitSet) -> Row {
        let mut left = stay.clone();
        let mut n_inside = vec![0_u32; self.graph.n_states()];
        let mut todo = Vec::new();
        for state in stay.iter() {
            self.graph.successors(state as u32, &mut |_, target| {
                n_inside[state] += u32::from(stay.contains(target as usize))
            });
            if n_inside[state] == 0 && !self.deadlocks.contains(state) {
                todo.push(state as u32);
            }
        }
        todo.iter().for_each(|state| left.remove(*state as usize));
        let mut n_done = 0_u32;
        while let Some(state) = todo.pop() {
            self.graph.predecessors(state, &mut |_, source| {
                let source_idx = source as usize;
                if left.contains(source_idx) {
                    n_inside[source_idx] -= 1;
                    if n_inside[source_idx] == 0 {
                        left.remove(source_idx);
                        todo.push(source);
                    }
                }
            });
            n_done = n_done.wrapping_add(1);
            if n_done.is_multiple_of(STOP_INTERVAL) && self.graph.is_stopped() {
                return Err(Stopped);
            }
        }
        Ok(left)
    }
}

/// States between two looks at the clock.
const STOP_INTERVAL: u32 = 1 << 12;

fn both(left: &BitSet, right: &BitSet) -> BitSet {
    let mut set = left.clone();
    set.intersect_with(right);
    set
}

fn either(left: &BitSet, right: &BitSet) -> BitSet {
    let mut set = left.clone();
    set.union_with(right);
    set
}
