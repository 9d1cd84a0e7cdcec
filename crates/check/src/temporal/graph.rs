//! Stored steps as the graph that the engines of temporal logic look at: [`Lettering`].
//!
//! One view belongs to one thread, since it keeps a reader; views are cheap. A state that was not expanded, or not as a whole, is neither the end of a path nor without
//! further steps.

use std::cell::Cell;

use abridge_search::GraphReader;
use abridge_temporal::emptiness::{LetterGraph, Truth};
use abridge_temporal::formula::AtomId;

use super::MarkedSteps;

/// Steps with letters.
pub(super) struct Lettering<'g> {
    seen: MarkedSteps<'g>,
    n_states: usize,
    /// Atoms of the formula among those of all formulas.
    atoms: &'g [usize],
    is_stopped: &'g (dyn Fn() -> bool + Sync),
    reader: Cell<Option<GraphReader<'g>>>,
}

impl<'g> Lettering<'g> {
    pub(super) fn new(
        seen: MarkedSteps<'g>,
        n_states: usize,
        atoms: &'g [usize],
        is_stopped: &'g (dyn Fn() -> bool + Sync),
    ) -> Self {
        Lettering { seen, n_states, atoms, is_stopped, reader: Cell::new(None) }
    }

    /// The first state in which an atom has no value.
    pub(super) fn ill_defined(&self) -> Option<(u32, AtomId)> {
        let atoms = || (0..self.atoms.len() as u32).map(AtomId);
        let bad = |letter: u32| atoms().find(|atom| self.truth(letter, *atom) == Truth::IllDefined);
        let bad: Vec<Option<AtomId>> = (0..self.n_letters() as u32).map(bad).collect();
        if bad.iter().all(Option::is_none) {
            return None;
        }
        (self.seen.starts.n_setups..self.seen.stored.n_states()).find_map(|state| {
            let mut found = None;
            let mut look = |letter: u32| found = found.or(bad[letter as usize]);
            self.steps(state, &mut |letter, _| look(letter));
            self.ending(state).into_iter().for_each(look);
            found.map(|atom| (state, atom))
        })
    }

    /// Asks the reader; if a question is asked while another one is answered, a second reader answers it.
    fn read<T>(&self, ask: impl FnOnce(&mut GraphReader<'g>) -> T) -> T {
        let mut reader = self.reader.take().unwrap_or_else(|| self.seen.stored.reader());
        let answer = ask(&mut reader);
        self.reader.set(Some(reader));
        answer
    }
}

impl MarkedSteps<'_> {
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

impl LetterGraph for Lettering<'_> {
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

    fn is_open(&self, state: u32) -> bool {
        let is_known = state < self.seen.stored.n_states();
        !is_known || state >= self.seen.starts.n_setups && self.read(|reader| reader.is_open(state))
    }

    fn is_stopped(&self) -> bool {
        (self.is_stopped)() || self.seen.stored.has_failed()
    }
}
