//! Random graphs: automata and fixpoints against the naive checkers of `testkit`, and evidence that shows what it claims.

use abridge_diag::FileId;
use abridge_temporal::automaton::{Automaton, AutomatonEdge, AutomatonState, MarkSet};
use abridge_temporal::bdd::{self, LetterBdd, LetterBdds};
use abridge_temporal::ctl::{Evidence, EvidencePart, Satisfied, Views, check, evidence};
use abridge_temporal::emptiness::{LetterGraph, PathAnswer, Truth, find_violation};
use abridge_temporal::formula::{AtomId, AtomKind, Atoms, CtlNode, NodeId, PathQuantifier};
use abridge_temporal::{
    BranchingFormula, Budget, LinearProperty, NoDomain, TemporalText, Word, expand, intersect, is_fair, parse_ctl,
    parse_ltl, satisfaction,
};
use abridge_testkit::Random;
use abridge_testkit::temporal::graph::{Graph, GraphState, has_path, satisfying};
use abridge_testkit::temporal::{FormulaShape, bits, holds_in, random_ctl, random_ltl};

/// The words of a graph from one state, as an automaton over the atoms of a formula.
fn words(graph: &Graph, initial: usize, bits: &[u32], bdds: &mut LetterBdds) -> Automaton {
    let mut letter = |letter: u32| -> LetterBdd {
        bits.iter().enumerate().fold(bdd::TRUE, |all, (var, bit)| {
            let literal = bdds.var(var as u32);
            let literal = if letter >> bit & 1 == 1 { literal } else { bdds.not(literal) };
            bdds.and(all, literal)
        })
    };
    let state = |state: &abridge_testkit::temporal::graph::GraphState| AutomatonState {
        edges: state
            .steps
            .iter()
            .map(|(bits, target)| AutomatonEdge {
                guard: letter(*bits),
                marks: MarkSet::default(),
                target: *target as u32,
            })
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
        let shape = FormulaShape {
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

/// A graph as the checkers see it: letters are the bits themselves.
#[derive(Clone)]
struct Lettered<'a> {
    graph: &'a Graph,
    initial: Vec<u32>,
    bits: Vec<u32>,
    /// States of which steps are missing.
    open: Vec<bool>,
}

impl<'a> Lettered<'a> {
    fn new(graph: &'a Graph, bits: Vec<u32>) -> Self {
        Lettered { graph, initial: Vec::new(), bits, open: vec![false; graph.states.len()] }
    }
}

impl LetterGraph for Lettered<'_> {
    fn n_states(&self) -> usize {
        self.graph.states.len()
    }

    fn initial(&self) -> &[u32] {
        &self.initial
    }

    fn steps(&self, state: u32, visit: &mut dyn FnMut(u32, u32)) {
        self.graph.states[state as usize].steps.iter().for_each(|(bits, target)| visit(*bits, *target as u32));
    }

    fn ending(&self, state: u32) -> Option<u32> {
        let is_open = self.open[state as usize];
        let state = &self.graph.states[state as usize];
        (state.steps.is_empty() && !is_open).then_some(state.predicates)
    }

    fn n_letters(&self) -> usize {
        1 << (N_BITS + N_STEPS)
    }

    fn truth(&self, letter: u32, atom: AtomId) -> Truth {
        holds_in(letter, &self.bits, atom).into()
    }

    fn instance(&self, letter: u32) -> Option<u32> {
        (0..N_STEPS).find(|number| letter >> (N_PREDICATES + number) & 1 == 1)
    }

    fn is_open(&self, state: u32) -> bool {
        self.open[state as usize]
    }
}

const N_PREDICATES: u32 = 2;
const N_STEPS: u32 = 2;
/// Bits of predicates and steps; those of "the step is enabled" follow.
const N_BITS: u32 = N_PREDICATES + N_STEPS;

fn shape(size: usize) -> FormulaShape {
    FormulaShape { size, n_predicates: N_PREDICATES, n_steps: N_STEPS, has_next: true, has_past: false }
}

fn branching(text: &str) -> BranchingFormula {
    let (ctl, diagnostics) = parse_ctl(TemporalText { file: FileId(0), base: 0, text });
    BranchingFormula::new(ctl.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"))).expect("small")
}

/// The same answer, whatever the number of threads.
fn checked(lettered: &Lettered<'_>, formula: &BranchingFormula, n_workers: usize) -> Satisfied {
    let view = || lettered.clone();
    check(&Views { view: &view, n_workers, may_index: n_workers.is_multiple_of(2) }, formula).expect("not stopped")
}

#[test]
fn forall_graphs_and_formulas_of_ctl_fixpoints_agree_and_evidence_shows_it() {
    const SEED: u64 = 83;
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    let mut n_paths = 0;
    for round in 0..30_000 {
        let size = random.below(7);
        let formula = random_ctl(&mut random, shape(size));
        let formula = BranchingFormula::new(formula).expect("no premise");
        let (ctl, root) = (&formula.formula, formula.formula.root());
        let bits = bits(&ctl.atoms, N_PREDICATES);
        let graph = Graph::random(&mut random, shape(0), 6);
        let expected = satisfying(&graph, ctl, &|letter, atom| holds_in(letter, &bits, atom));
        let lettered = Lettered::new(&graph, bits);
        let satisfied = checked(&lettered, &formula, 1 + round % 2);
        for (state, expected) in expected.iter().enumerate() {
            let state = state as u32;
            let context = || format!("seed {SEED}, round {round}: {ctl} in state {state} of {graph:?}");
            assert_eq!(satisfied.value(root, state), Some(*expected), "{}", context());
            if round % 5 == 0 {
                let shown = evidence(&lettered, &formula, &satisfied, state).expect("not stopped");
                let judge = Judge { formula: &formula, satisfied: &satisfied, lettered: &lettered };
                n_paths += judge.check(&shown).unwrap_or_else(|wrong| panic!("{wrong}\n{}\n{shown:?}", context()));
            }
        }
    }
    assert!(n_paths > 10_000, "{n_paths} paths were shown");
}

/// A part of a graph of which steps are missing says nothing about the whole that is wrong there, and shows what it says.
#[test]
fn forall_graphs_with_missing_steps_what_is_sure_is_true() {
    const SEED: u64 = 84;
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    let (mut n_sure, mut n_unsure, mut n_paths) = (0, 0, 0);
    for round in 0..20_000 {
        let size = random.below(7);
        let formula = random_ctl(&mut random, shape(size));
        let formula = BranchingFormula::new(formula).expect("no premise");
        let (ctl, root) = (&formula.formula, formula.formula.root());
        let bits = bits(&ctl.atoms, N_PREDICATES);
        let whole = Graph::random(&mut random, shape(0), 6);
        let expected = satisfying(&whole, ctl, &|letter, atom| holds_in(letter, &bits, atom));
        let mut graph = whole.clone();
        let mut open = vec![false; graph.states.len()];
        for (state, is_open) in graph.states.iter_mut().zip(&mut open) {
            if random.once_in(3) && !state.steps.is_empty() {
                *is_open = true;
                state.steps.retain(|_| random.once_in(2));
            }
        }
        let lettered = Lettered { open, ..Lettered::new(&graph, bits) };
        let satisfied = checked(&lettered, &formula, 1);
        for (state, expected) in expected.iter().enumerate() {
            let state = state as u32;
            let context = || format!("seed {SEED}, round {round}: {ctl} in state {state} of {graph:?}");
            let Some(value) = satisfied.value(root, state) else {
                n_unsure += 1;
                continue;
            };
            n_sure += 1;
            assert_eq!(value, *expected, "{}", context());
            let shown = evidence(&lettered, &formula, &satisfied, state).expect("not stopped");
            let judge = Judge { formula: &formula, satisfied: &satisfied, lettered: &lettered };
            n_paths += judge.check(&shown).unwrap_or_else(|wrong| panic!("{wrong}\n{}\n{shown:?}", context()));
        }
    }
    assert!(n_sure > 20_000 && n_unsure > 5_000 && n_paths > 5_000, "{n_sure} sure, {n_unsure} not, {n_paths} paths");
}

/// Large graphs, whose states are numbered against all sense: threads and lists of steps find the same sets as one thread in sweeps.
#[test]
fn forall_large_graphs_threads_and_indices_find_the_same() {
    const SEED: u64 = 86;
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    for (round, n_states) in [70_000, 50_000, 40_000].into_iter().enumerate() {
        let mut numbers: Vec<usize> = (0..n_states).collect();
        for idx in (1..n_states).rev() {
            numbers.swap(idx, random.below(idx + 1));
        }
        // Long chains in a random order, with some steps between them.
        let mut states: Vec<GraphState> =
            (0..n_states).map(|_| GraphState { predicates: 0, steps: Vec::new() }).collect();
        for pair in numbers.windows(2) {
            let predicates = u32::from(!random.once_in(997)) | u32::from(random.once_in(4_001)) << 1;
            let state = &mut states[pair[0]];
            state.predicates = predicates;
            if !random.once_in(1_009) {
                state.steps.push((predicates | 1 << N_PREDICATES, pair[1]));
            }
            if random.once_in(3) {
                state.steps.push((predicates | 2 << N_PREDICATES, random.below(n_states)));
            }
        }
        let graph = Graph { states, initial: vec![0] };
        for text in ["AG ({p0} => EF {p1})", "EG {p0}", "A {p0} U {p1}", "EX[s1] AF not {p0}"] {
            let formula = branching(text);
            let lettered = Lettered::new(&graph, bits(&formula.formula.atoms, N_PREDICATES));
            let one = checked(&lettered, &formula, 1);
            for n_workers in [2, 8] {
                let other = checked(&lettered, &formula, n_workers);
                for (node, _) in formula.formula.nodes() {
                    let is_same = (0..n_states as u32).all(|state| one.value(node, state) == other.value(node, state));
                    assert!(is_same, "seed {SEED}, round {round}: {text} with {n_workers} threads");
                }
            }
        }
    }
}

/// A reader of evidence who believes nothing but the values of subformulas.
struct Judge<'a> {
    formula: &'a BranchingFormula,
    satisfied: &'a Satisfied,
    lettered: &'a Lettered<'a>,
}

impl Judge<'_> {
    /// The number of paths in evidence that shows what it should.
    fn check(&self, shown: &Evidence) -> Result<usize, String> {
        if self.satisfied.value(shown.node, shown.state) != Some(shown.holds) {
            return Err(format!("wrong value of {}", self.formula.formula.text(shown.node)));
        }
        match &shown.shown {
            EvidencePart::Fact | EvidencePart::Omitted => Ok(0),
            EvidencePart::AllPaths => {
                let is_universal = match self.formula.formula.node(shown.node) {
                    CtlNode::Next(path, ..)
                    | CtlNode::Finally(path, _)
                    | CtlNode::Globally(path, _)
                    | CtlNode::Until(path, ..)
                    | CtlNode::WeakUntil(path, ..)
                    | CtlNode::Release(path, ..) => (*path == PathQuantifier::A) == shown.holds,
                    _ => false,
                };
                if is_universal { Ok(0) } else { Err(format!("no path for {}", self.formula.formula.text(shown.node))) }
            }
            EvidencePart::Parts(parts) => parts.iter().map(|part| self.check(part)).sum(),
            EvidencePart::Path { steps, loop_start, parts } => {
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
        for (letter, target) in steps {
            let source = states[states.len() - 1];
            if !self.lettered.graph.states[source as usize].steps.contains(&(*letter, *target as usize)) {
                return Err(format!("no step with {letter} leads from {source} to {target}"));
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
        let is = |node: &NodeId, state: &u32, value: bool| self.satisfied.value(*node, *state) == Some(value);
        let last = &states[states.len() - 1];
        let ends = loop_start.is_some() || self.lettered.ending(*last).is_some();
        let before = &states[..states.len() - 1];
        let all = |node: &NodeId, wanted: bool| ends && states.iter().all(|state| is(node, state, wanted));
        let until = |stay: &dyn Fn(&u32) -> bool, goal: &dyn Fn(&u32) -> bool| before.iter().all(stay) && goal(last);
        let holds = shown.holds;
        let is_right = match self.formula.formula.node(shown.node) {
            CtlNode::Next(_, step, operand) => {
                let fits = |letter: u32| step.is_none_or(|step| self.lettered.truth(letter, step) == Truth::True);
                steps.len() == 1 && fits(steps[0].0) && is(operand, last, holds)
            }
            CtlNode::Finally(_, operand) if holds => is(operand, last, true),
            CtlNode::Globally(_, operand) if !holds => is(operand, last, false),
            CtlNode::Finally(_, operand) | CtlNode::Globally(_, operand) => all(operand, holds),
            CtlNode::Until(_, left, right) if holds => until(&|s| is(left, s, true), &|s| is(right, s, true)),
            CtlNode::Until(_, left, right) => {
                all(right, false) || until(&|s| is(right, s, false), &|s| is(left, s, false) && is(right, s, false))
            }
            CtlNode::WeakUntil(_, left, right) if holds => {
                all(left, true) || until(&|s| is(left, s, true), &|s| is(right, s, true))
            }
            CtlNode::WeakUntil(_, left, right) => {
                until(&|s| is(right, s, false), &|s| is(left, s, false) && is(right, s, false))
            }
            CtlNode::Release(_, left, right) if holds => {
                all(right, true) || until(&|s| is(right, s, true), &|s| is(left, s, true) && is(right, s, true))
            }
            CtlNode::Release(_, left, right) => until(&|s| is(left, s, false), &|s| is(right, s, false)),
            _ => false,
        };
        if is_right { Ok(()) } else { Err(format!("the path does not show {}", self.formula.formula.text(shown.node))) }
    }
}

/// Bits of the atoms of a formula with a premise.
fn bits_with_enabled(atoms: &Atoms) -> Vec<u32> {
    let bit = |kind: &AtomKind| match kind {
        AtomKind::Enabled(pattern) => N_BITS + pattern.operation.text[1..].parse::<u32>().expect("a number"),
        kind => abridge_testkit::temporal::bit(kind, N_PREDICATES),
    };
    atoms.iter().map(|(_, atom)| bit(&atom.kind)).collect()
}

/// A graph whose letters also say which steps are enabled.
fn with_enabled(mut graph: Graph) -> Graph {
    for GraphState { predicates, steps } in &mut graph.states {
        for number in 0..N_STEPS {
            if steps.iter().any(|(bits, _)| bits >> (N_PREDICATES + number) & 1 == 1) {
                let bit = 1 << (N_BITS + number);
                *predicates |= bit;
                steps.iter_mut().for_each(|(bits, _)| *bits |= bit);
            }
        }
    }
    graph
}

/// `E path` of CTL with a premise, against a search for a violation of `premise => not path` of LTL from each state.
#[test]
fn forall_graphs_fair_paths_of_ctl_are_those_of_ltl() {
    const SEED: u64 = 61;
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    let premises =
        ["WF(s0)", "SF(s1)", "WF(s0) & WF(s1)", "SF(s0) & WF(s1)", "SF(s0) or SF(s1)", "WEF", "SEF", "SF(s0) & WEF"];
    let paths = [
        ("EG {p0}", "G {p0}"),
        ("E {p0} U {p1}", "{p0} U {p1}"),
        ("EX {p0}", "X {p0}"),
        ("E {p0} W {p1}", "{p0} W {p1}"),
        ("E {p0} R {p1}", "{p0} R {p1}"),
        ("EF {p0}", "F {p0}"),
        ("not AF not {p0}", "G {p0}"),
    ];
    let (mut n_held, mut n_loops) = (0, 0);
    for round in 0..6_000 {
        let graph = with_enabled(Graph::random(&mut random, shape(0), 5));
        let premise = premises[random.below(premises.len())];
        let (ctl, ltl) = paths[random.below(paths.len())];
        let formula = branching(&format!("{premise} => {ctl}"));
        let lettered = Lettered::new(&graph, bits_with_enabled(&formula.formula.atoms));
        let satisfied = checked(&lettered, &formula, 1);
        let (parsed, _) =
            parse_ltl(TemporalText { file: FileId(0), base: 0, text: &format!("{premise} => not ({ltl})") });
        let expanded = expand(&parsed.expect("right"), &mut NoDomain).expect("no quantifiers");
        let property = LinearProperty::new(&expanded, &Budget::default()).expect("small");
        for state in 0..graph.states.len() as u32 {
            let bits = bits_with_enabled(&property.atoms);
            let from_here = Lettered { initial: vec![state], ..Lettered::new(&graph, bits) };
            let expected = find_violation(&from_here, &property) != PathAnswer::None;
            let found = satisfied.value(formula.formula.root(), state);
            let context = || format!("seed {SEED}, round {round}: {premise} => {ctl} in {state} of {graph:?}");
            assert_eq!(found, Some(expected), "{}", context());
            if !expected {
                continue;
            }
            n_held += 1;
            let shown = evidence(&lettered, &formula, &satisfied, state).expect("not stopped");
            n_loops += usize::from(
                is_fair_path(&lettered, &formula, &shown).unwrap_or_else(|| panic!("{}: {shown:?}", context())),
            );
        }
    }
    assert!(n_held > 2_000 && n_loops > 1_000, "{n_held} held, {n_loops} loops");
}

/// Whether the path of some evidence has a loop; nothing if the path is not maximal, or the loop not fair.
fn is_fair_path(lettered: &Lettered<'_>, formula: &BranchingFormula, shown: &Evidence) -> Option<bool> {
    let mut shown = shown;
    while let EvidencePart::Parts(parts) = &shown.shown {
        shown = parts.first()?;
    }
    let EvidencePart::Path { steps, loop_start, .. } = &shown.shown else { return None };
    let Some(start) = loop_start else {
        let is_next = matches!(formula.formula.node(shown.node), CtlNode::Next(..));
        let last = steps.last().map_or(shown.state, |(_, target)| *target);
        return (is_next || lettered.ending(last).is_some()).then_some(false);
    };
    let letters: Vec<u32> = steps.iter().map(|(letter, _)| *letter).collect();
    let word = Word { letters, loop_start: Some(*start) };
    let holds = |letter: &u32, atom: AtomId| holds_in(*letter, &lettered.bits, atom);
    let is_met = |alternative: &Vec<_>| alternative.iter().all(|one| is_fair(*one, &word, holds).unwrap_or(true));
    formula.premises.iter().any(is_met).then_some(true)
}
