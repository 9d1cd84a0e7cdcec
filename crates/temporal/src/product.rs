//! Words of automata: common words of two ([`intersect`]) and membership of a lasso ([`accepts`]).
//!
//! Both build a product and look for an accepting component. They decide equivalence and classes of formulas, and judge automata in tests.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, MAX_MARKS, MarkSet};
use crate::bdd::{self, LetterBdds};
use crate::components::components;
use crate::translate::{Budget, GaveUp};

/// A graph with marked edges, numbered as it is found.
#[derive(Default)]
pub(crate) struct MarkedGraph {
    pub(crate) edges: Vec<Vec<(u32, MarkSet)>>,
}

impl MarkedGraph {
    /// Whether something reachable from the roots has all of `all` on the edges of one component.
    pub(crate) fn has_accepting_component(&self, roots: &[u32], all: MarkSet) -> bool {
        let successors =
            |node: u32, out: &mut Vec<u32>| out.extend(self.edges[node as usize].iter().map(|edge| edge.0));
        let found = components(self.edges.len(), roots.iter().copied(), successors);
        let mut marks: Vec<Option<MarkSet>> = vec![None; found.count];
        for (source, edges) in self.edges.iter().enumerate() {
            let component = found.of[source];
            if component == crate::components::UNKNOWN {
                continue;
            }
            for (target, seen) in edges {
                if found.of[*target as usize] == component {
                    let sum = &mut marks[component as usize];
                    *sum = Some(sum.unwrap_or_default().with(*seen));
                }
            }
        }
        marks.iter().flatten().any(|marks| all.is_within(*marks))
    }
}

/// Whether two automata accept a common word, infinite or, if asked, finite.
pub fn intersect(
    left: &Automaton,
    right: &Automaton,
    with_finite: bool,
    bdds: &mut LetterBdds,
    budget: &Budget<'_>,
) -> Result<bool, GaveUp> {
    let n_marks = left.n_marks + right.n_marks;
    if n_marks > MAX_MARKS {
        return Err(GaveUp::TooLarge);
    }
    let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut todo = vec![(left.initial, right.initial)];
    numbers.insert((left.initial, right.initial), 0);
    let mut graph = MarkedGraph::default();
    while let Some((l, r)) = todo.get(graph.edges.len()).copied() {
        budget.check(bdds, todo.len())?;
        let (l, r) = (&left.states[l as usize], &right.states[r as usize]);
        if with_finite && bdds.and(l.last, r.last) != bdd::FALSE {
            return Ok(true);
        }
        let mut edges = Vec::new();
        for l in &l.edges {
            for r in &r.edges {
                if bdds.and(l.guard, r.guard) == bdd::FALSE {
                    continue;
                }
                let pair = (l.target, r.target);
                let new = numbers.len() as u32;
                let target = *numbers.entry(pair).or_insert(new);
                if target == new {
                    todo.push(pair);
                }
                edges.push((target, l.marks.with(MarkSet(r.marks.0 << (left.n_marks % MAX_MARKS)))));
            }
        }
        graph.edges.push(edges);
    }
    Ok(graph.has_accepting_component(&[0], MarkSet::all(n_marks)))
}

/// A word: letters of a stem and a loop, or of a path that ends. A letter says which propositions hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word<L> {
    pub letters: Vec<L>,
    /// The position that follows the last one; `None` if the path ends there.
    pub loop_start: Option<usize>,
}

impl<L> Word<L> {
    /// The position after another one.
    pub fn next(&self, position: usize) -> Option<usize> {
        if position + 1 < self.letters.len() { Some(position + 1) } else { self.loop_start }
    }
}

/// Whether an automaton accepts a word from one of some states. `holds` tells the value of a proposition in a letter.
pub fn accepts<L>(
    automaton: &Automaton,
    bdds: &LetterBdds,
    from: &[u32],
    word: &Word<L>,
    holds: impl Fn(&L, u32) -> bool,
) -> bool {
    let n_states = automaton.states.len();
    let node = |state: u32, position: usize| (position * n_states) as u32 + state;
    let mut graph = MarkedGraph { edges: vec![Vec::new(); n_states * word.letters.len()] };
    let mut is_reached = vec![false; graph.edges.len()];
    let mut todo: Vec<(u32, usize)> = from.iter().map(|state| (*state, 0)).collect();
    while let Some((state, position)) = todo.pop() {
        let here = node(state, position) as usize;
        if std::mem::replace(&mut is_reached[here], true) {
            continue;
        }
        let letter = &word.letters[position];
        let Some(next) = word.next(position) else {
            if bdds.value(automaton.states[state as usize].last, |var| holds(letter, var)) {
                return true;
            }
            continue;
        };
        for edge in &automaton.states[state as usize].edges {
            if bdds.value(edge.guard, |var| holds(letter, var)) {
                graph.edges[here].push((node(edge.target, next), edge.marks));
                todo.push((edge.target, next));
            }
        }
    }
    let roots: Vec<u32> = from.iter().map(|state| node(*state, 0)).collect();
    graph.has_accepting_component(&roots, MarkSet::all(automaton.n_marks))
}
