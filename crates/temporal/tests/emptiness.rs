//! Random graphs and formulas with fairness premises: the search for violating paths against the tableau of `testkit`, and every path that it finds
//! against the evaluator of words.

use abridge_diag::FileId;
use abridge_temporal::emptiness::{
    LetterGraph, LetterPath, PathAnswer, PathEnd, Suspicion, Truth, find_violation, has_violation, holds_violation,
};
use abridge_temporal::formula::{AtomId, AtomKind, Atoms, Ltl};
use abridge_temporal::{
    Budget, ExpandedFormula, FairnessSubject, Idle, LinearProperty, NoDomain, TemporalText, Word, evaluate, expand,
    is_fair, parse_ltl,
};
use abridge_testkit::Random;
use abridge_testkit::temporal::graph::{Graph, GraphState, has_path};
use abridge_testkit::temporal::{FormulaShape, random_ltl};

const N_PREDICATES: u32 = 2;
const N_STEPS: u32 = 2;
/// Bits of "the step is enabled", after those of predicates and steps.
const FIRST_ENABLED: u32 = N_PREDICATES + N_STEPS;

/// A graph whose letters also say which steps are enabled.
fn with_enabled(mut graph: Graph) -> Graph {
    for GraphState { predicates, steps } in &mut graph.states {
        for number in 0..N_STEPS {
            if steps.iter().any(|(bits, _)| bits >> (N_PREDICATES + number) & 1 == 1) {
                let bit = 1 << (FIRST_ENABLED + number);
                *predicates |= bit;
                steps.iter_mut().for_each(|(bits, _)| *bits |= bit);
            }
        }
    }
    graph
}

fn bits(atoms: &Atoms) -> Vec<u32> {
    let number = |text: &str| text[1..].parse::<u32>().expect("a number");
    let bit = |kind: &AtomKind| match kind {
        AtomKind::Predicate(text) => number(&text.text),
        AtomKind::Taken(pattern) => N_PREDICATES + number(&pattern.operation.text),
        AtomKind::Enabled(pattern) => FIRST_ENABLED + number(&pattern.operation.text),
        other => panic!("{other:?}"),
    };
    atoms.iter().map(|(_, atom)| bit(&atom.kind)).collect()
}

/// The graph with its letters as numbers: the bits themselves.
struct Lettered<'a> {
    graph: &'a Graph,
    initial: Vec<u32>,
    bits: Vec<u32>,
}

impl<'a> Lettered<'a> {
    fn new(graph: &'a Graph, atoms: &Atoms) -> Self {
        let mut initial: Vec<u32> = graph.initial.iter().map(|state| *state as u32).collect();
        initial.sort_unstable();
        initial.dedup();
        Lettered { graph, initial, bits: bits(atoms) }
    }

    fn holds(&self, letter: u32, atom: AtomId) -> bool {
        letter >> self.bits[atom.0 as usize] & 1 == 1
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
        let state = &self.graph.states[state as usize];
        state.steps.is_empty().then_some(state.predicates)
    }

    fn n_letters(&self) -> usize {
        1 << (FIRST_ENABLED + N_STEPS)
    }

    fn truth(&self, letter: u32, atom: AtomId) -> Truth {
        self.holds(letter, atom).into()
    }

    fn instance(&self, letter: u32) -> Option<u32> {
        (0..N_STEPS).find(|number| letter >> (N_PREDICATES + number) & 1 == 1)
    }
}

fn parse(text: &str) -> Ltl {
    let (ltl, diagnostics) = parse_ltl(TemporalText { file: FileId(0), base: 0, text });
    ltl.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"))
}

fn expanded(text: &str) -> ExpandedFormula {
    expand(&parse(text), &mut NoDomain).expect("no quantifiers")
}

/// A premise, and the same without `WEF` and `SEF`; empty if there is none.
fn random_premise(random: &mut Random) -> (String, String) {
    let every = |fair: &str| format!("{fair}(s0) & {fair}(s1)");
    let mut block = |fair: &str| {
        let (first, second) = (random.below(2), random.below(2));
        match random.below(3) {
            0 => format!("{fair}(s{first})"),
            1 => format!("({fair}(s{first}) & {fair}(s{second}))"),
            _ => format!("({fair}(s{first}) or {fair}(s{second}))"),
        }
    };
    let (weak, strong) = (block("WF"), block("SF"));
    match random.below(7) {
        0 => (String::new(), String::new()),
        1 => (weak.clone(), weak),
        2 => (strong.clone(), strong),
        3 => ("WEF".into(), every("WF")),
        4 => ("SEF".into(), every("SF")),
        5 => (format!("{strong} & {weak}"), format!("{strong} & {weak}")),
        _ => (format!("{strong} & WEF"), format!("{strong} & ({})", every("WF"))),
    }
}

/// The word along a path. A prefix that nothing saves is continued in some way to its end or into a loop.
fn word(graph: &Graph, path: &LetterPath) -> Word<u32> {
    let mut letters: Vec<u32> = path.positions.iter().map(|(_, letter)| *letter).collect();
    let mut states: Vec<usize> = path.positions.iter().map(|(state, _)| *state as usize).collect();
    let loop_start = match path.end {
        PathEnd::Deadlock => None,
        PathEnd::Loop(start) => Some(start),
        PathEnd::Anything(state) => {
            let first = states.len();
            let mut at = state as usize;
            loop {
                if let Some(known) = states[first..].iter().position(|state| *state == at) {
                    break Some(first + known);
                }
                states.push(at);
                match graph.states[at].steps.first() {
                    Some((bits, target)) => {
                        letters.push(*bits);
                        at = *target;
                    }
                    None => {
                        letters.push(graph.states[at].predicates);
                        break None;
                    }
                }
            }
        }
    };
    Word { letters, loop_start }
}

/// Panics unless the path exists in the graph.
fn check_path(graph: &Graph, path: &LetterPath) {
    assert!(path.positions.first().is_none_or(|(state, _)| graph.initial.contains(&(*state as usize))));
    for (idx, (state, letter)) in path.positions.iter().enumerate() {
        let next = match (path.positions.get(idx + 1), path.end) {
            (Some((next, _)), _) => *next,
            (None, PathEnd::Anything(state)) => state,
            (None, PathEnd::Loop(start)) => path.positions[start].0,
            (None, PathEnd::Deadlock) => {
                assert!(graph.states[*state as usize].steps.is_empty());
                continue;
            }
        };
        let steps = &graph.states[*state as usize].steps;
        assert!(steps.contains(&(*letter, next as usize)), "no step from {state} to {next}: {path:?} in {graph:?}");
    }
}

/// The states that can be reached.
fn reachable(graph: &Graph) -> Graph {
    let mut reached: Vec<usize> = graph.initial.clone();
    reached.sort_unstable();
    reached.dedup();
    let mut next = 0;
    while let Some(state) = reached.get(next).copied() {
        for (_, target) in &graph.states[state].steps {
            if !reached.contains(target) {
                reached.push(*target);
            }
        }
        next += 1;
    }
    let number = |state: usize| reached.iter().position(|other| *other == state).expect("reached");
    let states = reached.iter().map(|state| {
        let GraphState { predicates, steps } = &graph.states[*state];
        let steps = steps.iter().map(|(letter, target)| (*letter, number(*target))).collect();
        GraphState { predicates: *predicates, steps }
    });
    Graph { states: states.collect(), initial: Vec::new() }
}

/// A graph without idle steps.
struct WithoutIdle<'a> {
    inner: Lettered<'a>,
    idle: &'a Idle,
}

impl WithoutIdle<'_> {
    fn is_idle(&self, letter: u32) -> bool {
        self.idle.contains(&|atom| self.inner.truth(letter, atom))
    }
}

impl LetterGraph for WithoutIdle<'_> {
    fn n_states(&self) -> usize {
        self.inner.n_states()
    }

    fn initial(&self) -> &[u32] {
        panic!("all states begin")
    }

    fn steps(&self, state: u32, visit: &mut dyn FnMut(u32, u32)) {
        self.inner.steps(state, &mut |letter, target| {
            if !self.is_idle(letter) {
                visit(letter, target);
            }
        });
    }

    fn ending(&self, state: u32) -> Option<u32> {
        self.inner.ending(state)
    }

    fn n_letters(&self) -> usize {
        self.inner.n_letters()
    }

    fn truth(&self, letter: u32, atom: AtomId) -> Truth {
        self.inner.truth(letter, atom)
    }

    fn instance(&self, _: u32) -> Option<u32> {
        None
    }
}

#[test]
fn forall_graphs_and_formulas_with_premises_the_tableau_finds_the_same() {
    const SEED: u64 = 20;
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    let (n_formulas, n_graphs) = (2_000, 50);
    let (mut n_found, mut n_fair, mut n_idle) = (0, 0, 0);
    for round in 0..n_formulas {
        let size = random.below(5);
        let shape = FormulaShape {
            size,
            n_predicates: N_PREDICATES,
            n_steps: N_STEPS,
            has_next: true,
            has_past: round % 3 == 0,
        };
        let body = random_ltl(&mut random, shape).to_string();
        // Most properties that people write are about all states.
        let body = if round % 4 == 1 { format!("G ({body})") } else { body };
        let (premise, plain_premise) = random_premise(&mut random);
        let (text, judged) = match premise.as_str() {
            "" => (body.clone(), format!("not ({body})")),
            _ => (format!("{premise} => ({body})"), format!("true & ({plain_premise} => ({body}))")),
        };
        let ours = expanded(&text);
        let property = LinearProperty::new(&ours, &Budget::default()).expect("small");
        let judged = expanded(&judged);
        let judged_bits = bits(&judged.formula.atoms);
        // The tableau is too slow where a premise is part of the formula. There the automaton of the whole is the judge.
        let whole = (!premise.is_empty()).then(|| LinearProperty::new(&judged, &Budget::default()).expect("small"));
        let idle = Idle::new(&property)
            .filter(|_| ours.premises.iter().flatten().all(|one| one.subject != FairnessSubject::Every));
        for _ in 0..n_graphs {
            let graph = with_enabled(Graph::random(&mut random, shape, 5));
            let context = || format!("seed {SEED}, round {round}: {text} on {graph:?}");
            let expected = match &whole {
                Some(whole) => find_violation(&Lettered::new(&graph, &whole.atoms), whole) != PathAnswer::None,
                None => {
                    has_path(&graph, &judged.formula, &|letter, atom| letter >> judged_bits[atom.0 as usize] & 1 == 1)
                }
            };
            let lettered = Lettered::new(&graph, &property.atoms);
            let found = match find_violation(&lettered, &property) {
                PathAnswer::None => None,
                PathAnswer::Path(path) => Some(path),
                other => panic!("{other:?}: {}", context()),
            };
            assert_eq!(found.is_some(), expected, "{}", context());
            let on_the_fly = holds_violation(&lettered, &property, &mut || expected);
            assert_eq!(on_the_fly == Suspicion::Violation, expected, "on the fly: {}", context());
            if let Some(idle) = &idle {
                let reached = reachable(&graph);
                let less = WithoutIdle { inner: Lettered::new(&reached, &property.atoms), idle };
                let mut letters = reached.states.iter().flat_map(|state| &state.steps).map(|(letter, _)| *letter);
                n_idle += usize::from(letters.any(|letter| less.is_idle(letter)));
                let suspicion = has_violation(&less, &property, 0..reached.states.len() as u32);
                assert_eq!(suspicion == Suspicion::Violation, expected, "without idle steps: {}", context());
            }
            let Some(path) = found else { continue };
            n_found += 1;
            check_path(&graph, &path);
            let word = word(&graph, &path);
            let holds = |letter: &u32, atom: AtomId| lettered.holds(*letter, atom);
            assert!(!evaluate(&ours.formula, &word, holds).holds(), "{path:?}: {}", context());
            if !premise.is_empty() && matches!(path.end, PathEnd::Loop(_)) {
                n_fair += 1;
                let fair =
                    |alternative: &Vec<_>| alternative.iter().all(|one| is_fair(*one, &word, holds).unwrap_or(true));
                assert!(ours.premises.iter().any(fair), "{path:?} is not fair: {}", context());
            }
        }
    }
    assert!(n_found > 5_000 && n_fair > 500, "{n_found} violations, {n_fair} with premises");
    assert!(n_idle > 5_000, "{n_idle} graphs with idle steps");
}
