//! Small explicit graphs and naive checkers for them.
//!
//! LTL: a product of the graph with all truth assignments to the subformulas (Lichtenstein and Pnueli, "Checking that finite state concurrent
//! programs satisfy their linear specification", 1985). A node is a letter of the graph with an assignment that is consistent in
//! itself; an edge is consistent with next and yesterday; a component is fulfilling if each until that it contains is served in it.
//! CTL: sets of states, computed by iteration from the definitions on maximal paths.

use std::collections::{BTreeMap, BTreeSet};

use abridge_temporal::formula::{
    AtomId, AtomKind, BinaryTemporal, Ctl, CtlNode, Ltl, LtlNode, NodeId, PathQuantifier, UnaryTemporal,
};

use crate::Random;

use super::FormulaShape;

/// A state: values of predicates and outgoing steps with what they satisfy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphState {
    pub predicates: u32,
    /// Bits of the whole letter, and the target.
    pub steps: Vec<(u32, usize)>,
}

/// A small explicit graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    pub states: Vec<GraphState>,
    pub initial: Vec<usize>,
}

impl Graph {
    pub fn random(random: &mut Random, shape: FormulaShape, max_states: usize) -> Graph {
        let n_states = 1 + random.below(max_states);
        let state = |random: &mut Random| {
            let predicates = random.below(1 << shape.n_predicates) as u32;
            let n_steps = if random.once_in(5) { 0 } else { 1 + random.below(3) };
            let step = |random: &mut Random| {
                let taken = if shape.n_steps == 0 {
                    0
                } else {
                    1 << (shape.n_predicates + random.below(shape.n_steps as usize) as u32)
                };
                (predicates | taken, random.below(n_states))
            };
            GraphState { predicates, steps: (0..n_steps).map(|_| step(random)).collect() }
        };
        let states = (0..n_states).map(|_| state(random)).collect();
        let initial = (0..1 + random.below(2)).map(|_| random.below(n_states)).collect();
        Graph { states, initial }
    }

    /// All letters: the state and the index of the step, `None` where a path ends.
    fn letters(&self) -> Vec<(usize, Option<usize>)> {
        let of_state = |state: usize| {
            let n_steps = self.states[state].steps.len();
            let steps = (0..n_steps).map(move |step| (state, Some(step)));
            steps.chain((n_steps == 0).then_some((state, None)))
        };
        (0..self.states.len()).flat_map(of_state).collect()
    }

    fn bits(&self, letter: (usize, Option<usize>)) -> u32 {
        match letter.1 {
            Some(step) => self.states[letter.0].steps[step].0,
            None => self.states[letter.0].predicates,
        }
    }
}

/// Whether some maximal path from an initial state satisfies a formula of at most 64 nodes without quantifiers and fairness. `holds` tells the value of an
/// atom in a letter.
pub fn has_path(graph: &Graph, ltl: &Ltl, holds: &dyn Fn(u32, AtomId) -> bool) -> bool {
    let mut tableau = Tableau { graph, ltl, assignments: BTreeMap::new() };
    for letter in graph.letters() {
        let bits = graph.bits(letter);
        tableau.assignments.insert(letter, tableau.consistent(letter, &|atom| holds(bits, atom)));
    }
    tableau.search()
}

type Letter = (usize, Option<usize>);
/// Truth of subformulas, one bit each.
type Assignment = u64;
type Node = (Letter, Assignment);

struct Tableau<'a> {
    graph: &'a Graph,
    ltl: &'a Ltl,
    /// For each letter, the truth assignments to all subformulas that agree with it.
    assignments: BTreeMap<Letter, Vec<Assignment>>,
}

impl Tableau<'_> {
    /// All assignments where atoms have their values and boolean operators are respected. Temporal operators are guessed where the letter does
    /// not decide them.
    fn consistent(&self, letter: Letter, holds: &dyn Fn(AtomId) -> bool) -> Vec<Assignment> {
        let is_last = letter.1.is_none();
        let mut all: Vec<Assignment> = vec![0];
        for (id, node) in self.ltl.nodes() {
            let mut grown = Vec::new();
            for assignment in &all {
                let of = |id: &NodeId| is_set(*assignment, *id);
                let values: Vec<bool> = match node {
                    LtlNode::Const(value) => vec![*value],
                    LtlNode::Atom(atom) => vec![holds(*atom)],
                    LtlNode::Unary(UnaryTemporal::Not, operand) => vec![!of(operand)],
                    LtlNode::Binary(BinaryTemporal::And, left, right) => vec![of(left) && of(right)],
                    LtlNode::Binary(BinaryTemporal::Or, left, right) => vec![of(left) || of(right)],
                    LtlNode::Binary(BinaryTemporal::Implies, left, right) => vec![!of(left) || of(right)],
                    LtlNode::Binary(BinaryTemporal::Iff, left, right) => vec![of(left) == of(right)],
                    LtlNode::Unary(UnaryTemporal::Next, _) if is_last => vec![false],
                    LtlNode::Unary(UnaryTemporal::Finally | UnaryTemporal::Globally, operand) if is_last => {
                        vec![of(operand)]
                    }
                    LtlNode::Binary(BinaryTemporal::Until | BinaryTemporal::Release, _, right) if is_last => {
                        vec![of(right)]
                    }
                    LtlNode::Binary(BinaryTemporal::WeakUntil, left, right) if is_last => vec![of(left) || of(right)],
                    _ => vec![false, true],
                };
                grown.extend(values.into_iter().map(|value| assignment | u64::from(value) << id.idx()));
            }
            all = grown;
        }
        all
    }

    /// Whether an assignment may stand at the first position.
    fn is_first(&self, assignment: Assignment) -> bool {
        self.ltl.nodes().all(|(id, node)| {
            let of = |id: &NodeId| is_set(assignment, *id);
            let here = of(&id);
            match node {
                LtlNode::Unary(UnaryTemporal::Yesterday, _) => !here,
                LtlNode::Unary(UnaryTemporal::Once | UnaryTemporal::Historically, operand) => here == of(operand),
                LtlNode::Binary(BinaryTemporal::Since | BinaryTemporal::Trigger, _, right) => here == of(right),
                _ => true,
            }
        })
    }

    /// Whether one assignment may follow another.
    fn follows(&self, before: Assignment, after: Assignment) -> bool {
        self.ltl.nodes().all(|(id, node)| {
            let (b, a) = (|id: &NodeId| is_set(before, *id), |id: &NodeId| is_set(after, *id));
            match node {
                LtlNode::Unary(UnaryTemporal::Next, operand) => b(&id) == a(operand),
                LtlNode::Unary(UnaryTemporal::Finally, operand) => b(&id) == (b(operand) || a(&id)),
                LtlNode::Unary(UnaryTemporal::Globally, operand) => b(&id) == (b(operand) && a(&id)),
                LtlNode::Binary(BinaryTemporal::Until | BinaryTemporal::WeakUntil, left, right) => {
                    b(&id) == (b(right) || (b(left) && a(&id)))
                }
                LtlNode::Binary(BinaryTemporal::Release, left, right) => b(&id) == (b(right) && (b(left) || a(&id))),
                LtlNode::Unary(UnaryTemporal::Yesterday, operand) => a(&id) == b(operand),
                LtlNode::Unary(UnaryTemporal::Once, operand) => a(&id) == (a(operand) || b(&id)),
                LtlNode::Unary(UnaryTemporal::Historically, operand) => a(&id) == (a(operand) && b(&id)),
                LtlNode::Binary(BinaryTemporal::Since, left, right) => a(&id) == (a(right) || (a(left) && b(&id))),
                LtlNode::Binary(BinaryTemporal::Trigger, left, right) => a(&id) == (a(right) && (a(left) || b(&id))),
                _ => true,
            }
        })
    }

    fn successors(&self, node: &Node) -> Vec<Node> {
        let ((state, step), assignment) = node;
        let Some(step) = step else { return Vec::new() };
        let target = self.graph.states[*state].steps[*step].1;
        let letters = self.assignments.range((target, None)..(target + 1, None));
        let after = letters.flat_map(|(letter, list)| list.iter().map(move |after| (*letter, *after)));
        after.filter(|(_, after)| self.follows(*assignment, *after)).collect()
    }

    fn search(&self) -> bool {
        let root = self.ltl.root();
        let is_initial = |letter: &Letter| self.graph.initial.contains(&letter.0);
        let mut reached: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        let mut todo: Vec<Node> = Vec::new();
        for (letter, list) in self.assignments.iter().filter(|(letter, _)| is_initial(letter)) {
            let starts = list.iter().filter(|assignment| is_set(**assignment, root) && self.is_first(**assignment));
            todo.extend(starts.map(|assignment| (*letter, *assignment)));
        }
        while let Some(node) = todo.pop() {
            if reached.contains_key(&node) {
                continue;
            }
            if node.0.1.is_none() {
                return true;
            }
            let next = self.successors(&node);
            todo.extend(&next);
            reached.insert(node, next);
        }
        self.has_fulfilling_component(&reached)
    }

    /// Nodes are numbered, and components are what reaches each other.
    fn has_fulfilling_component(&self, graph: &BTreeMap<Node, Vec<Node>>) -> bool {
        let numbers: BTreeMap<&Node, usize> = graph.keys().enumerate().map(|(number, node)| (node, number)).collect();
        let nodes: Vec<&Node> = graph.keys().collect();
        let successors: Vec<Vec<usize>> =
            graph.values().map(|next| next.iter().map(|node| numbers[node]).collect()).collect();
        let components = components(&successors);
        components.iter().any(|members| {
            let is_cyclic = members.iter().any(|member| successors[*member].iter().any(|next| members.contains(next)));
            is_cyclic && self.is_fulfilling(members.iter().map(|member| nodes[*member].1))
        })
    }

    /// Whether each eventuality that is asked for in a component is met in it, and each invariant that is denied is broken.
    fn is_fulfilling(&self, members: impl Iterator<Item = Assignment> + Clone) -> bool {
        self.ltl.nodes().all(|(id, node)| {
            let some = |wanted: &dyn Fn(Assignment) -> bool| members.clone().any(wanted);
            match node {
                LtlNode::Unary(UnaryTemporal::Finally, right) | LtlNode::Binary(BinaryTemporal::Until, _, right) => {
                    some(&|member| !is_set(member, id) || is_set(member, *right))
                }
                LtlNode::Unary(UnaryTemporal::Globally, right) | LtlNode::Binary(BinaryTemporal::Release, _, right) => {
                    some(&|member| is_set(member, id) || !is_set(member, *right))
                }
                LtlNode::Binary(BinaryTemporal::WeakUntil, left, right) => {
                    some(&|member| is_set(member, id) || (!is_set(member, *left) && !is_set(member, *right)))
                }
                _ => true,
            }
        })
    }
}

fn is_set(assignment: Assignment, node: NodeId) -> bool {
    assignment >> node.idx() & 1 == 1
}

/// Components, by two searches (Kosaraju).
fn components(successors: &[Vec<usize>]) -> Vec<BTreeSet<usize>> {
    let n_nodes = successors.len();
    let mut order = Vec::new();
    let mut is_seen = vec![false; n_nodes];
    for root in 0..n_nodes {
        let mut todo = vec![(root, 0)];
        while let Some((node, next)) = todo.pop() {
            if next == 0 && std::mem::replace(&mut is_seen[node], true) {
                continue;
            }
            match successors[node].get(next) {
                Some(target) => {
                    todo.push((node, next + 1));
                    if !is_seen[*target] {
                        todo.push((*target, 0));
                    }
                }
                None => order.push(node),
            }
        }
    }
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); n_nodes];
    for (source, targets) in successors.iter().enumerate() {
        targets.iter().for_each(|target| predecessors[*target].push(source));
    }
    let mut is_taken = vec![false; n_nodes];
    let mut found = Vec::new();
    for root in order.into_iter().rev() {
        let mut members = BTreeSet::new();
        let mut todo = vec![root];
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut is_taken[node], true) {
                members.insert(node);
                todo.extend(&predecessors[node]);
            }
        }
        if !members.is_empty() {
            found.push(members);
        }
    }
    found
}

/// The states that satisfy a formula of branching time. `holds` tells the value of an atom in a letter.
pub fn satisfying(graph: &Graph, ctl: &Ctl, holds: &dyn Fn(u32, AtomId) -> bool) -> Vec<bool> {
    let all: Vec<usize> = (0..graph.states.len()).collect();
    let mut rows: Vec<Vec<bool>> = Vec::new();
    for (_, node) in ctl.nodes() {
        let of = |id: &NodeId| &rows[id.idx()];
        let row = match node {
            CtlNode::Const(value) => vec![*value; all.len()],
            CtlNode::Atom(atom) => all.iter().map(|state| atom_holds(graph, ctl, *atom, *state, holds)).collect(),
            CtlNode::Not(operand) => of(operand).iter().map(|value| !value).collect(),
            CtlNode::And(left, right) => zip(of(left), of(right), |l, r| l && r),
            CtlNode::Or(left, right) => zip(of(left), of(right), |l, r| l || r),
            CtlNode::Implies(left, right) => zip(of(left), of(right), |l, r| !l || r),
            CtlNode::Iff(left, right) => zip(of(left), of(right), |l, r| l == r),
            CtlNode::Next(path, step, operand) => {
                let fits = |bits: u32| step.is_none_or(|step| holds(bits, step));
                let is_in = |state: &usize| {
                    let steps: Vec<bool> = graph.states[*state]
                        .steps
                        .iter()
                        .filter(|(bits, _)| fits(*bits))
                        .map(|(_, to)| of(operand)[*to])
                        .collect();
                    if *path == PathQuantifier::E { steps.contains(&true) } else { !steps.contains(&false) }
                };
                all.iter().map(is_in).collect()
            }
            CtlNode::Finally(path, operand) => iterate(graph, *path, false, |state, next| of(operand)[state] || next),
            CtlNode::Globally(path, operand) => iterate(graph, *path, true, |state, next| of(operand)[state] && next),
            CtlNode::Until(path, left, right) => {
                iterate(graph, *path, false, |state, next| of(right)[state] || (of(left)[state] && next))
            }
            CtlNode::WeakUntil(path, left, right) => {
                iterate(graph, *path, true, |state, next| of(right)[state] || (of(left)[state] && next))
            }
            CtlNode::Release(path, left, right) => {
                iterate(graph, *path, true, |state, next| of(right)[state] && (of(left)[state] || next))
            }
        };
        rows.push(row);
    }
    rows.pop().unwrap_or_default()
}

/// A step as an atom of a state: some such step leaves it.
fn atom_holds(graph: &Graph, ctl: &Ctl, atom: AtomId, state: usize, holds: &dyn Fn(u32, AtomId) -> bool) -> bool {
    let state = &graph.states[state];
    match ctl.atoms.get(atom).kind {
        AtomKind::Taken(_) => state.steps.iter().any(|(bits, _)| holds(*bits, atom)),
        _ => holds(state.predicates, atom),
    }
}

fn zip(left: &[bool], right: &[bool], op: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    left.iter().zip(right).map(|(left, right)| op(*left, *right)).collect()
}

/// The fixpoint of an equation in which a state asks some or all of its successors. It starts from `at_end` for all states, which is also the answer of
/// successors where a path ends: what is waited for does not come, what has to go on has gone on.
fn iterate(graph: &Graph, path: PathQuantifier, at_end: bool, equation: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut row = vec![at_end; graph.states.len()];
    loop {
        let value = |state: usize| {
            let mut next = graph.states[state].steps.iter().map(|(_, target)| row[*target]);
            let answer = match (graph.states[state].steps.is_empty(), path) {
                (true, _) => at_end,
                (false, PathQuantifier::E) => next.any(|value| value),
                (false, PathQuantifier::A) => next.all(|value| value),
            };
            equation(state, answer)
        };
        let after: Vec<bool> = (0..graph.states.len()).map(value).collect();
        if after == row {
            return row;
        }
        row = after;
    }
}
