//! Stored steps as the graphs that the engines of temporal logic look at.

use std::cell::Cell;

use abridge_search::GraphReader;
use abridge_temporal::ctl;
use abridge_temporal::emptiness::{LetterGraph, Truth};
use abridge_temporal::formula::{AtomId, Ctl};
use abridge_value::BitSet;

use super::Seen;

/// For linear time: steps with letters.
pub(super) struct Linear<'g> {
    seen: Seen<'g>,
    n_states: usize,
    /// Atoms of the formula among those of all formulas.
    atoms: &'g [usize],
    is_stopped: &'g dyn Fn() -> bool,
    reader: Cell<Option<GraphReader<'g>>>,
}

impl<'g> Linear<'g> {
    pub(super) fn new(seen: Seen<'g>, n_states: usize, atoms: &'g [usize], is_stopped: &'g dyn Fn() -> bool) -> Self {
        Linear { seen, n_states, atoms, is_stopped, reader: Cell::new(None) }
    }

    /// Asks the reader; if a question is asked while another one is answered, a second reader answers it.
    fn read<T>(&self, ask: impl FnOnce(&mut GraphReader<'g>) -> T) -> T {
        let mut reader = self.reader.take().unwrap_or_else(|| self.seen.stored.reader());
        let answer = ask(&mut reader);
        self.reader.set(Some(reader));
        answer
    }
}

impl Seen<'_> {
    /// The letter of a state where paths end, or where they stutter.
    fn last_letter(&self, reader: &mut GraphReader<'_>, state: u32) -> Option<u32> {
        let is_known = (self.starts.n_setups..self.stored.n_states()).contains(&state);
        if is_known { reader.ending(state).map(|letter| letter as u32) } else { None }
    }

    /// Letters and targets of the steps out of a state.
    fn steps(&self, reader: &mut GraphReader<'_>, state: u32, visit: &mut dyn FnMut(u32, u32)) {
        if !(self.starts.n_setups..self.stored.n_states()).contains(&state) {
            return;
        }
        let ending = reader.steps_or_ending(state, &mut |letter, target| visit(letter as u32, target));
        if let Some(letter) = ending.filter(|_| self.stutters) {
            visit(letter as u32, state);
        }
    }
}

impl LetterGraph for Linear<'_> {
    fn n_states(&self) -> usize {
        self.n_states
    }

    fn initial(&self) -> &[u32] {
        &self.seen.starts.initial
    }

    fn steps(&self, state: u32, visit: &mut dyn FnMut(u32, u32)) {
        self.read(|reader| self.seen.steps(reader, state, visit));
    }

    fn ending(&self, state: u32) -> Option<u32> {
        self.read(|reader| self.seen.last_letter(reader, state)).filter(|_| !self.seen.stutters)
    }

    fn n_letters(&self) -> usize {
        self.seen.letters.len()
    }

    fn truth(&self, letter: u32, atom: AtomId) -> Truth {
        self.seen.letters[letter as usize].truths[self.atoms[atom.0 as usize]]
    }

    fn instance(&self, letter: u32) -> Option<u32> {
        self.seen.letters[letter as usize].instance
    }

    fn has_turns(&self) -> bool {
        self.seen.turned.is_some()
    }

    fn turned(&self, letter: u32, instance: u32) -> u32 {
        let turn = self.seen.letters[letter as usize].turn;
        match self.seen.turned.zip(turn) {
            Some((turned, turn)) => turned(turn, instance),
            None => instance,
        }
    }

    fn is_stopped(&self) -> bool {
        (self.is_stopped)() || self.seen.stored.has_failed()
    }
}

/// For branching time: numbered edges in both directions.
pub(super) struct Branching<'g> {
    seen: Seen<'g>,
    atoms: &'g [usize],
    formula: &'g Ctl,
    is_stopped: &'g dyn Fn() -> bool,
    /// Where the edges of each state begin.
    starts: Vec<u32>,
    /// Letter and target of each edge.
    edges: Vec<(u32, u32)>,
    entering_starts: Vec<u32>,
    /// Edge and source.
    entering: Vec<(u32, u32)>,
}

impl<'g> Branching<'g> {
    pub(super) fn new(seen: Seen<'g>, atoms: &'g [usize], formula: &'g Ctl, is_stopped: &'g dyn Fn() -> bool) -> Self {
        let n_states = seen.stored.n_states();
        let mut starts = Vec::with_capacity(n_states as usize + 1);
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(seen.stored.n_steps() as usize);
        let mut reader = seen.stored.reader();
        for state in 0..n_states {
            starts.push(edges.len() as u32);
            seen.steps(&mut reader, state, &mut |letter, target| edges.push((letter, target)));
        }
        starts.push(edges.len() as u32);
        let mut entering_starts = vec![0_u32; n_states as usize + 1];
        edges.iter().for_each(|(_, target)| entering_starts[*target as usize + 1] += 1);
        for idx in 0..n_states as usize {
            entering_starts[idx + 1] += entering_starts[idx];
        }
        let mut next = entering_starts.clone();
        let mut entering = vec![(0, 0); edges.len()];
        for state in 0..n_states {
            for edge in starts[state as usize]..starts[state as usize + 1] {
                let slot = &mut next[edges[edge as usize].1 as usize];
                entering[*slot as usize] = (edge, state);
                *slot += 1;
            }
        }
        Branching { seen, atoms, formula, is_stopped, starts, edges, entering_starts, entering }
    }

    /// The letter of an edge.
    pub(super) fn letter(&self, edge: u32) -> u32 {
        self.edges[edge as usize].0
    }

    fn truth(&self, letter: u32, atom: AtomId) -> Truth {
        self.seen.letters[letter as usize].truths[self.atoms[atom.0 as usize]]
    }

    /// The letter of a state, of which only atoms about the state count; nothing before the machine is initialised.
    fn letter_of(&self, state: u32) -> Option<u32> {
        let first = self.starts[state as usize];
        if first < self.starts[state as usize + 1] {
            return Some(self.letter(first));
        }
        self.seen.last_letter(&mut self.seen.stored.reader(), state)
    }

    /// The first state in which an atom has no value, or one that is not known.
    pub(super) fn undefined(&self) -> Option<(u32, AtomId, Truth)> {
        let is_undefined = |letter: u32| {
            let atoms = self.formula.atoms.iter().map(|(id, _)| id);
            atoms.into_iter().find(|atom| !matches!(self.truth(letter, *atom), Truth::True | Truth::False))
        };
        let bad: Vec<Option<AtomId>> = (0..self.seen.letters.len() as u32).map(is_undefined).collect();
        if bad.iter().all(Option::is_none) {
            return None;
        }
        let found = (0..self.starts.len() as u32 - 1).find_map(|state| {
            let edges = &self.edges[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize];
            let letters = edges.iter().map(|(letter, _)| *letter).chain(self.letter_of(state));
            letters.into_iter().find_map(|letter| Some((state, bad[letter as usize]?, letter)))
        });
        found.map(|(state, atom, letter)| (state, atom, self.truth(letter, atom)))
    }
}

impl ctl::Graph for Branching<'_> {
    fn n_states(&self) -> usize {
        self.starts.len() - 1
    }

    fn successors(&self, state: u32, visit: &mut dyn FnMut(u32, u32)) {
        for edge in self.starts[state as usize]..self.starts[state as usize + 1] {
            visit(edge, self.edges[edge as usize].1);
        }
    }

    fn predecessors(&self, state: u32, visit: &mut dyn FnMut(u32, u32)) {
        let range = self.entering_starts[state as usize]..self.entering_starts[state as usize + 1];
        for (edge, source) in &self.entering[range.start as usize..range.end as usize] {
            visit(*edge, *source);
        }
    }

    fn states_with(&self, atom: AtomId) -> BitSet {
        let holds =
            |state: &usize| self.letter_of(*state as u32).is_some_and(|letter| self.truth(letter, atom) == Truth::True);
        (0..self.starts.len() - 1).filter(holds).collect()
    }

    fn is_on_edge(&self, atom: AtomId, edge: u32) -> bool {
        self.truth(self.letter(edge), atom) == Truth::True
    }

    fn is_stopped(&self) -> bool {
        (self.is_stopped)()
    }
}
