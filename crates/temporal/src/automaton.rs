//! Automata over paths that may end: [`Automaton`].
//!
//! A letter is a state of the system with the step that leaves it, or with no step where the path ends. An edge reads a letter that has a step; its guard is a
//! function of the atoms. Infinite words are accepted as by transition-based generalised Büchi automata: some run has every mark
//! infinitely often. A finite word is accepted if some run reads all letters but the last, and the last one satisfies the `last` guard
//! of the state reached. So the end of a path needs no letter, no extra proposition and no extra state, and an automaton for infinite paths is
//! one whose `last` guards are false.

use crate::bdd::{self, LetterBdd, LetterBdds};
use crate::components::{Components, components};

/// A set of acceptance marks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct MarkSet(pub u64);

pub(crate) const MAX_MARKS: u32 = 64;

impl MarkSet {
    /// Marks 0 to `n` - 1.
    pub fn all(n: u32) -> MarkSet {
        MarkSet(if n >= 64 { u64::MAX } else { (1 << n) - 1 })
    }

    pub fn one(mark: u32) -> MarkSet {
        MarkSet(1 << mark)
    }

    #[must_use]
    pub fn with(self, other: MarkSet) -> MarkSet {
        MarkSet(self.0 | other.0)
    }

    #[must_use]
    pub fn without(self, other: MarkSet) -> MarkSet {
        MarkSet(self.0 & !other.0)
    }

    pub fn contains(self, mark: u32) -> bool {
        self.0 >> mark & 1 == 1
    }

    pub fn is_within(self, other: MarkSet) -> bool {
        self.0 & !other.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..MAX_MARKS).filter(move |mark| self.contains(*mark))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AutomatonEdge {
    pub guard: LetterBdd,
    pub marks: MarkSet,
    pub target: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonState {
    pub edges: Vec<AutomatonEdge>,
    /// Letters without a step that are accepted here.
    pub last: LetterBdd,
}

/// An automaton; its guards are functions in a table that the caller keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    pub states: Vec<AutomatonState>,
    pub initial: u32,
    pub n_marks: u32,
}

/// Components of an automaton, with those in which a run may stay and be accepted.
pub(crate) struct Structure {
    pub(crate) components: Components,
    /// For each component, whether it holds an accepting cycle.
    pub(crate) is_accepting: Vec<bool>,
    /// For each component, whether it holds a cycle.
    pub(crate) is_cyclic: Vec<bool>,
}

impl Structure {
    pub(crate) fn is_inside(&self, source: u32, target: u32) -> bool {
        self.components.of[source as usize] == self.components.of[target as usize]
    }

    pub(crate) fn is_accepting_at(&self, state: u32) -> bool {
        self.is_accepting[self.components.of[state as usize] as usize]
    }
}

impl Automaton {
    /// No word.
    pub(crate) fn empty() -> Automaton {
        Automaton { states: vec![AutomatonState { edges: Vec::new(), last: bdd::FALSE }], initial: 0, n_marks: 0 }
    }

    pub fn n_edges(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }

    /// Whether no word, finite or infinite, is accepted. Holds for automata that were simplified.
    pub fn is_trivially_empty(&self) -> bool {
        self.states.len() == 1 && self.states[0].edges.is_empty() && self.states[0].last == bdd::FALSE
    }

    /// The state of a simplified automaton from which every path is accepted, finite or infinite.
    pub fn universal_state(&self) -> Option<u32> {
        let all = MarkSet::all(self.n_marks);
        let is_universal = |number: u32, state: &AutomatonState| {
            let is_loop =
                |edge: &AutomatonEdge| edge.guard == bdd::TRUE && edge.target == number && all.is_within(edge.marks);
            state.last == bdd::TRUE && state.edges.iter().any(is_loop)
        };
        let numbered = self.states.iter().enumerate().map(|(number, state)| (number as u32, state));
        numbered.into_iter().find(|(number, state)| is_universal(*number, state)).map(|(number, _)| number)
    }

    /// Whether two edges of one state never read the same letter.
    pub fn is_deterministic(&self, bdds: &mut LetterBdds) -> bool {
        self.states.iter().all(|state| {
            let mut read = bdd::FALSE;
            state.edges.iter().all(|edge| {
                let is_new = bdds.and(read, edge.guard) == bdd::FALSE;
                read = bdds.or(read, edge.guard);
                is_new
            })
        })
    }

    pub(crate) fn structure(&self) -> Structure {
        let successors = |state: u32, out: &mut Vec<u32>| {
            out.extend(self.states[state as usize].edges.iter().map(|edge| edge.target));
        };
        let components = components(self.states.len(), [self.initial], successors);
        let mut marks = vec![MarkSet::default(); components.count];
        let mut is_cyclic = vec![false; components.count];
        for (source, edge) in self.edges() {
            let component = components.of[source as usize];
            if component != crate::components::UNKNOWN && component == components.of[edge.target as usize] {
                marks[component as usize] = marks[component as usize].with(edge.marks);
                is_cyclic[component as usize] = true;
            }
        }
        let all = MarkSet::all(self.n_marks);
        let is_accepting =
            marks.iter().zip(&is_cyclic).map(|(marks, cyclic)| *cyclic && all.is_within(*marks)).collect();
        Structure { components, is_accepting, is_cyclic }
    }

    /// All edges with their sources.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (u32, &AutomatonEdge)> {
        self.states
            .iter()
            .enumerate()
            .flat_map(|(source, state)| state.edges.iter().map(move |edge| (source as u32, edge)))
    }

    /// The automaton with states renumbered: `new_state[old]` is the new number, or `None` where a state goes. States that get one number
    /// become one with the edges of all.
    pub(crate) fn renumbered(&self, bdds: &mut LetterBdds, new_state: &[Option<u32>], n_states: usize) -> Automaton {
        let mut states = vec![AutomatonState { edges: Vec::new(), last: bdd::FALSE }; n_states];
        for (state, number) in self.states.iter().zip(new_state) {
            let Some(number) = number else { continue };
            let new = &mut states[*number as usize];
            new.last = bdds.or(new.last, state.last);
            let renumbered = state
                .edges
                .iter()
                .filter_map(|edge| new_state[edge.target as usize].map(|target| AutomatonEdge { target, ..*edge }));
            new.edges.extend(renumbered);
        }
        states.iter_mut().for_each(|state| merge_edges(bdds, &mut state.edges));
        let initial = new_state[self.initial as usize].unwrap_or(0);
        Automaton { states, initial, n_marks: self.n_marks }
    }

    /// An equivalent automaton with at most one mark (degeneralised). States are pairs of a state and the mark that is waited for; an edge goes on
    /// over all marks that it has from there.
    pub fn degeneralised(&self) -> Automaton {
        if self.n_marks <= 1 {
            return self.clone();
        }
        let structure = self.structure();
        let mut numbers = rustc_hash::FxHashMap::default();
        let mut todo = vec![(self.initial, 0_u32)];
        numbers.insert((self.initial, 0), 0_u32);
        let mut states = Vec::new();
        while let Some((source, level)) = todo.get(states.len()).copied() {
            let state = &self.states[source as usize];
            let mut edges = Vec::new();
            for edge in &state.edges {
                let mut reached = level;
                while reached < self.n_marks && edge.marks.contains(reached) {
                    reached += 1;
                }
                let is_full = reached == self.n_marks;
                let is_inside = structure.is_inside(source, edge.target) && structure.is_accepting_at(source);
                let next = if is_full || !is_inside { 0 } else { reached };
                let n_known = numbers.len() as u32;
                let target = *numbers.entry((edge.target, next)).or_insert_with(|| {
                    todo.push((edge.target, next));
                    n_known
                });
                let marks = if is_full && is_inside { MarkSet::one(0) } else { MarkSet::default() };
                edges.push(AutomatonEdge { guard: edge.guard, marks, target });
            }
            states.push(AutomatonState { edges, last: state.last });
        }
        Automaton { states, initial: 0, n_marks: 1 }
    }
}

/// One edge for each target and set of marks, and no letter on an edge if another one to the same target has more marks for it.
pub(crate) fn merge_edges(bdds: &mut LetterBdds, edges: &mut Vec<AutomatonEdge>) {
    let mut merged: Vec<AutomatonEdge> = Vec::with_capacity(edges.len());
    for edge in edges.iter() {
        match merged.iter_mut().find(|other| other.target == edge.target && other.marks == edge.marks) {
            Some(other) => other.guard = bdds.or(other.guard, edge.guard),
            None => merged.push(*edge),
        }
    }
    for idx in 0..merged.len() {
        let edge = merged[idx];
        let better = |other: &&AutomatonEdge| {
            other.target == edge.target && other.marks != edge.marks && edge.marks.is_within(other.marks)
        };
        let covered: Vec<LetterBdd> = merged.iter().filter(better).map(|other| other.guard).collect();
        for guard in covered {
            merged[idx].guard = bdds.minus(merged[idx].guard, guard);
        }
    }
    merged.retain(|edge| edge.guard != bdd::FALSE);
    merged.sort_by_key(|edge| (edge.target, edge.marks, edge.guard));
    *edges = merged;
}
