//! Random graphs: automata and fixpoints against the naive checkers of `testkit`, and evidence that shows what it claims.

use abridge_temporal::automaton::{Automaton, Edge, Marks, State};
use abridge_temporal::bdd::{self, Bdd, Bdds};
use abridge_temporal::ctl::{self, Evidence, FairEdges, Satisfied, Shown, check, evidence};
use abridge_temporal::formula::{
    Atom, AtomId, AtomKind, Binary, Ctl, CtlNode, Ltl, LtlNode, NodeId, Path, Place, Unary,
};
use abridge_temporal::{Budget, NoDomain, expand, intersect, satisfaction};
use abridge_testkit::Random;
use abridge_testkit::temporal::graph::{Graph, has_path, satisfying};
use abridge_testkit::temporal::{Shape, bits, holds_in, predicate, random_ctl, random_ltl, step};
use abridge_value::BitSet;

/// The words of a graph from one state, as an automaton over the atoms of a formula.
fn words(graph: &Graph, initial: usize, bits: &[u32], bdds: &mut Bdds) -> Automaton {
    let mut letter = |letter: u32| -> Bdd {
        bits.iter().enumerate().fold(bdd::TRUE, |all, (var, bit)| {
            let literal = bdds.var(var as u32);
            let literal = if letter >> bit & 1 == 1 { literal } else { bdds.not(literal) };
            bdds.and(all, literal)
        })
    };
    let state = |state: &abridge_testkit::temporal::graph::GraphState| State {
        edges: state
            .steps
            .iter()
            .map(|(bits, target)| Edge { guard: letter(*bits), marks: Marks::default(), target: *target as u32 })
            .collect(),
        last: if state.steps.is_empty() { letter(state.predicates) } else { bdd::FALSE },
    };
    Automaton { states: graph.states.iter().map(state).collect(), initial: initial as u32, n_marks: 0 }
}

#[test]
fn forall_graphs_and_formulas_automata_find_the_paths_of_the_tableau() {
    const SEED: u64 = 85;
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    let mut n_found = 0;
    let (n_formulas, n_graphs) = (2_000, 10);
    for round in 0..n_formulas {
        let shape = Shape {
            size: 1 + random.below(6),
            n_predicates: 2,
            n_steps: 2,
            has_next: true,
            has_past: random.once_in(3),
        };
        let ltl = random_ltl(&mut random, shape);
        let expanded = expand(&ltl, &mut NoDomain).expect("no quantifiers");
        let bits = bits(&expanded.formula.atoms, shape.n_predicates);
        let (mut bdds, automaton) = satisfaction(&expanded, &Budget::default()).expect("small");
        for _ in 0..n_graphs {
            let graph = Graph::random(&mut random, shape, 4);
            let expected = has_path(&graph, &expanded.formula, &|letter, atom| holds_in(letter, &bits, atom));
            let found = graph.initial.iter().any(|initial| {
                let words = words(&graph, *initial, &bits, &mut bdds);
                intersect(&words, &automaton, true, &mut bdds, &Budget::default()).expect("small")
            });
            assert_eq!(found, expected, "seed {SEED}, round {round}: {ltl} on {graph:?}");
            n_found += usize::from(found);
        }
    }
    let n_pairs = n_formulas * n_graphs;
    assert!(n_found > n_pairs / 4 && n_found < n_pairs, "{n_found} of {n_pairs}");
}

/// A graph with numbered edges.
struct Numbered<'a> {
    graph: &'a Graph,
    /// Source, bits and target.
    edges: Vec<(u32, u32, u32)>,
    bits: Vec<u32>,
}

impl<'a> Numbered<'a> {
    fn new(graph: &'a Graph, bits: Vec<u32>) -> Self {
        let of_state = |(source, state): (usize, &'a abridge_testkit::temporal::graph::GraphState)| {
            state.steps.iter().map(move |(bits, target)| (source as u32, *bits, *target as u32))
        };
        Numbered { graph, edges: graph.states.iter().enumerate().flat_map(of_state).collect(), bits }
    }

    fn edges_with(&self, bit: u32) -> BitSet {
        (0..self.edges.len()).filter(|edge| self.edges[*edge].1 >> bit & 1 == 1).collect()
    }
}

impl ctl::Graph for Numbered<'_> {
    fn n_states(&self) -> usize {
        self.graph.states.len()
    }

    fn successors(&self, state: u32, visit: &mut dyn FnMut(u32, u32)) {
        let leaving = self.edges.iter().enumerate().filter(|(_, edge)| edge.0 == state);
        leaving.for_each(|(number, edge)| visit(number as u32, edge.2));
    }

    fn predecessors(&self, state: u32, visit: &mut dyn FnMut(u32, u32)) {
        let entering = self.edges.iter().enumerate().filter(|(_, edge)| edge.2 == state);
        entering.for_each(|(number, edge)| visit(number as u32, edge.0));
    }

    fn states_with(&self, atom: AtomId) -> BitSet {
        let holds = |state: &usize| holds_in(self.graph.states[*state].predicates, &self.bits, atom);
        (0..self.graph.states.len()).filter(holds).collect()
    }

    fn is_on_edge(&self, atom: AtomId, edge: u32) -> bool {
        holds_in(self.edges[edge as usize].1, &self.bits, atom)
    }
}

#[test]
fn forall_graphs_and_formulas_of_ctl_fixpoints_agree_and_evidence_shows_it() {
    const SEED: u64 = 83;
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    let mut n_paths = 0;
    for round in 0..30_000 {
        let shape = Shape { size: random.below(7), n_predicates: 2, n_steps: 2, has_next: true, has_past: false };
        let formula = random_ctl(&mut random, shape);
        let bits = bits(&formula.atoms, shape.n_predicates);
        let graph = Graph::random(&mut random, shape, 6);
        let expected = satisfying(&graph, &formula, &|letter, atom| holds_in(letter, &bits, atom));
        let numbered = Numbered::new(&graph, bits);
        let satisfied = check(&numbered, &formula, &[]).expect("not stopped");
        for (state, expected) in expected.iter().enumerate() {
            let state = state as u32;
            let context = || format!("seed {SEED}, round {round}: {formula} in state {state} of {graph:?}");
            assert_eq!(satisfied.holds(formula.root(), state), *expected, "{}", context());
            if round % 5 == 0 {
                let shown = evidence(&numbered, &formula, &satisfied, &[], state).expect("not stopped");
                let judge = Judge { formula: &formula, satisfied: &satisfied, numbered: &numbered };
                n_paths += judge.check(&shown).unwrap_or_else(|wrong| panic!("{wrong}\n{}\n{shown:?}", context()));
            }
        }
    }
    assert!(n_paths > 10_000, "{n_paths} paths were shown");
}

/// A reader of evidence who believes nothing but the values of subformulas.
struct Judge<'a> {
    formula: &'a Ctl,
    satisfied: &'a Satisfied,
    numbered: &'a Numbered<'a>,
}

impl Judge<'_> {
    /// The number of paths in evidence that shows what it should.
    fn check(&self, shown: &Evidence) -> Result<usize, String> {
        if self.satisfied.holds(shown.node, shown.state) != shown.holds {
            return Err(format!("wrong value of {}", self.formula.text(shown.node)));
        }
        match &shown.shown {
            Shown::Fact | Shown::Omitted => Ok(0),
            Shown::AllPaths => {
                let is_universal = match self.formula.node(shown.node) {
                    CtlNode::Next(path, ..)
                    | CtlNode::Finally(path, _)
                    | CtlNode::Globally(path, _)
                    | CtlNode::Until(path, ..)
                    | CtlNode::WeakUntil(path, ..)
                    | CtlNode::Release(path, ..) => (*path == Path::A) == shown.holds,
                    _ => false,
                };
                if is_universal { Ok(0) } else { Err(format!("no path for {}", self.formula.text(shown.node))) }
            }
            Shown::Parts(parts) => parts.iter().map(|part| self.check(part)).sum(),
            Shown::Path { steps, loop_start, parts } => {
                let states = self.walk(shown.state, steps, *loop_start)?;
                self.is_convincing(shown, &states, steps, *loop_start)?;
                let below: usize = parts.iter().map(|(_, part)| self.check(part)).sum::<Result<usize, String>>()?;
                match parts.iter().find(|(position, part)| states[*position] != part.state) {
                    Some((position, _)) => Err(format!("evidence after {position} steps is about another state")),
                    None => Ok(below + 1),
                }
            }
        }
    }

    /// The states along a path; its steps must exist, and a loop must close.
    fn walk(&self, start: u32, steps: &[(u32, u32)], loop_start: Option<usize>) -> Result<Vec<u32>, String> {
        let mut states = vec![start];
        for (edge, target) in steps {
            let (source, _, to) = self.numbered.edges[*edge as usize];
            if (source, to) != (states[states.len() - 1], *target) {
                return Err(format!("edge {edge} does not lead from {source} to {target}"));
            }
            states.push(*target);
        }
        match loop_start {
            Some(start) if states[start] != states[states.len() - 1] || start + 1 == states.len() => {
                Err("the loop is open".into())
            }
            _ => Ok(states),
        }
    }

    /// Whether the path decides the operator.
    fn is_convincing(
        &self,
        shown: &Evidence,
        states: &[u32],
        steps: &[(u32, u32)],
        loop_start: Option<usize>,
    ) -> Result<(), String> {
        let value = |node: &NodeId, state: &u32| self.satisfied.holds(*node, *state);
        let last = &states[states.len() - 1];
        let ends = loop_start.is_some() || self.numbered.graph.states[*last as usize].steps.is_empty();
        let before = &states[..states.len() - 1];
        let all = |node: &NodeId, wanted: bool| ends && states.iter().all(|state| value(node, state) == wanted);
        let until = |stay: &dyn Fn(&u32) -> bool, goal: &dyn Fn(&u32) -> bool| before.iter().all(stay) && goal(last);
        let holds = shown.holds;
        let is_right = match self.formula.node(shown.node) {
            CtlNode::Next(_, step, operand) => {
                let fits = |edge: u32| step.is_none_or(|step| ctl::Graph::is_on_edge(self.numbered, step, edge));
                steps.len() == 1 && fits(steps[0].0) && value(operand, last) == holds
            }
            CtlNode::Finally(_, operand) if holds => value(operand, last),
            CtlNode::Globally(_, operand) if !holds => !value(operand, last),
            CtlNode::Finally(_, operand) | CtlNode::Globally(_, operand) => all(operand, holds),
            CtlNode::Until(_, left, right) if holds => until(&|s| value(left, s), &|s| value(right, s)),
            CtlNode::Until(_, left, right) => {
                all(right, false) || until(&|s| !value(right, s), &|s| !value(left, s) && !value(right, s))
            }
            CtlNode::WeakUntil(_, left, right) if holds => {
                all(left, true) || until(&|s| value(left, s), &|s| value(right, s))
            }
            CtlNode::WeakUntil(_, left, right) => {
                until(&|s| !value(right, s), &|s| !value(left, s) && !value(right, s))
            }
            CtlNode::Release(_, left, right) if holds => {
                all(right, true) || until(&|s| value(right, s), &|s| value(left, s) && value(right, s))
            }
            CtlNode::Release(_, left, right) => until(&|s| !value(left, s), &|s| !value(right, s)),
            _ => false,
        };
        if is_right { Ok(()) } else { Err(format!("the path does not show {}", self.formula.text(shown.node))) }
    }
}

/// A formula of LTL under construction.
struct Build(Ltl);

impl Build {
    fn atom(&mut self, kind: AtomKind) -> NodeId {
        let atom = self.0.atoms.intern(Atom { kind, bindings: Vec::new(), place: Place::default() });
        self.0.push(LtlNode::Atom(atom), Place::default())
    }

    fn unary(&mut self, op: Unary, operand: NodeId) -> NodeId {
        self.0.push(LtlNode::Unary(op, operand), Place::default())
    }

    fn binary(&mut self, op: Binary, left: NodeId, right: NodeId) -> NodeId {
        self.0.push(LtlNode::Binary(op, left, right), Place::default())
    }

    /// `G F [step]`.
    fn recurs(&mut self, number: u32) -> NodeId {
        let atom = self.atom(step(number));
        let finally = self.unary(Unary::Finally, atom);
        self.unary(Unary::Globally, finally)
    }

    /// The path ends.
    fn ends(&mut self) -> NodeId {
        let yes = self.0.push(LtlNode::Const(true), Place::default());
        let next = self.unary(Unary::Next, yes);
        let last = self.unary(Unary::Not, next);
        self.unary(Unary::Finally, last)
    }
}

/// `E (path & fairness)` by the tableau of LTL, against CTL with constraints on edges.
#[test]
fn forall_graphs_fair_paths_of_ctl_are_those_of_ltl() {
    const SEED: u64 = 61;
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    let shape = Shape { size: 0, n_predicates: 2, n_steps: 2, has_next: true, has_past: false };
    let mut n_held = 0;
    for round in 0..250 {
        let graph = Graph::random(&mut random, shape, 5);
        let is_pair = random.once_in(2);
        let mut formula = Ctl::default();
        let mut build = Build(Ltl::default());
        let atom = |formula: &mut Ctl, number| {
            let id =
                formula.atoms.intern(Atom { kind: predicate(number), bindings: Vec::new(), place: Place::default() });
            formula.push(CtlNode::Atom(id), Place::default())
        };
        let (left, right) = (atom(&mut formula, 0), atom(&mut formula, 1));
        let (ltl_left, ltl_right) = (build.atom(predicate(0)), build.atom(predicate(1)));
        let path = match random.below(4) {
            0 => {
                formula.push(CtlNode::Globally(Path::E, left), Place::default());
                build.unary(Unary::Globally, ltl_left)
            }
            1 => {
                formula.push(CtlNode::Until(Path::E, left, right), Place::default());
                build.binary(Binary::Until, ltl_left, ltl_right)
            }
            2 => {
                formula.push(CtlNode::Next(Path::E, None, left), Place::default());
                build.unary(Unary::Next, ltl_left)
            }
            _ => {
                formula.push(CtlNode::WeakUntil(Path::E, left, right), Place::default());
                build.binary(Binary::WeakUntil, ltl_left, ltl_right)
            }
        };
        let (first, second) = (build.recurs(0), build.recurs(1));
        let fair = build.binary(if is_pair { Binary::Implies } else { Binary::And }, first, second);
        let ends = build.ends();
        let fair = build.binary(Binary::Or, ends, fair);
        build.binary(Binary::And, path, fair);
        let numbered = Numbered::new(&graph, bits(&formula.atoms, 2));
        let (first, second) = (numbered.edges_with(2), numbered.edges_with(3));
        let constraints = match is_pair {
            true => vec![FairEdges::Pair { requests: first, responses: second }],
            false => vec![FairEdges::Infinitely(first), FairEdges::Infinitely(second)],
        };
        let satisfied = check(&numbered, &formula, &constraints).expect("not stopped");
        let ltl_bits = bits(&build.0.atoms, 2);
        for state in 0..graph.states.len() {
            let from_here = Graph { initial: vec![state], ..graph.clone() };
            let expected = has_path(&from_here, &build.0, &|letter, atom| holds_in(letter, &ltl_bits, atom));
            let found = satisfied.holds(formula.root(), state as u32);
            assert_eq!(
                found, expected,
                "seed {SEED}, round {round}: {formula} in {state} of {graph:?} with {constraints:?}"
            );
            n_held += usize::from(found);
            if found {
                check_fair_path(&numbered, &formula, &satisfied, &constraints, state as u32);
            }
        }
    }
    assert!(n_held > 100, "{n_held}");
}

/// Checks that the path of some evidence is maximal and meets the constraints.
fn check_fair_path(
    numbered: &Numbered<'_>,
    formula: &Ctl,
    satisfied: &Satisfied,
    constraints: &[FairEdges],
    state: u32,
) {
    let shown = evidence(numbered, formula, satisfied, constraints, state).expect("not stopped");
    let Shown::Path { steps, loop_start, .. } = shown.shown else { panic!("{shown:?} is no path") };
    let is_next = matches!(formula.node(formula.root()), CtlNode::Next(..));
    let Some(start) = loop_start else {
        let last = steps.last().map_or(state, |(_, target)| *target);
        assert!(is_next || numbered.graph.states[last as usize].steps.is_empty(), "the path goes on after {steps:?}");
        return;
    };
    let meets = |edges: &BitSet| steps[start..].iter().any(|(edge, _)| edges.contains(*edge as usize));
    let is_fair = constraints.iter().all(|constraint| match constraint {
        FairEdges::Infinitely(edges) => meets(edges),
        FairEdges::Pair { requests, responses } => !meets(requests) || meets(responses),
    });
    assert!(is_fair, "the loop of {steps:?} from {start} is not fair");
}
