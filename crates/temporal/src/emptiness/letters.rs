//! Moves of the automaton on letters, computed once for each automaton state and letter.

use crate::automaton::MarkSet;
use crate::bdd::{LetterBdd, LetterBdds};
use crate::formula::AtomId;
use crate::property::LinearProperty;

use super::{LetterGraph, ProductNode, Truth};

/// Why a guard has no value on a letter.
pub(crate) enum Undecided {
    IllDefined(AtomId),
    Unknown,
}

/// What an automaton state does on a letter.
pub(super) struct Reaction {
    /// Next automaton states with marks; those of a letter without a step are those that accept it.
    pub(super) edges: Box<[(u32, MarkSet)]>,
    /// An atom without a value that decides.
    pub(super) ill_defined: Option<AtomId>,
}

pub(super) struct Moves<'g, G> {
    graph: &'g G,
    pub(super) property: &'g LinearProperty,
    /// By letter, then by automaton state.
    reactions: Vec<Option<Reaction>>,
    endings: Vec<Option<Result<bool, AtomId>>>,
    pub(super) n_automaton: u64,
    /// Unknown values would have mattered.
    pub(super) is_partial: bool,
}

impl<'g, G: LetterGraph> Moves<'g, G> {
    pub(super) fn new(graph: &'g G, property: &'g LinearProperty) -> Self {
        let n_automaton = property.violation.states.len() as u64;
        let mut moves =
            Moves { graph, property, reactions: Vec::new(), endings: Vec::new(), n_automaton, is_partial: false };
        moves.make_room(graph.n_letters());
        moves
    }

    pub(super) fn node(&self, state: u32, automaton: u32) -> ProductNode {
        u64::from(state) * self.n_automaton + u64::from(automaton)
    }

    pub(super) fn parts(&self, node: ProductNode) -> (u32, u32) {
        ((node / self.n_automaton) as u32, (node % self.n_automaton) as u32)
    }

    /// Makes room for letters, which a graph that is made while it is searched has more and more of.
    fn make_room(&mut self, n_letters: usize) {
        let n_pairs = self.n_automaton as usize * n_letters;
        self.reactions.resize_with(n_pairs.max(self.reactions.len()), || None);
        self.endings.resize(n_pairs.max(self.endings.len()), None);
    }

    pub(super) fn reaction(&mut self, automaton: u32, letter: u32) -> &Reaction {
        let idx = letter as usize * self.n_automaton as usize + automaton as usize;
        if self.reactions.len() <= idx {
            self.make_room(self.graph.n_letters().max(letter as usize + 1));
        }
        if self.reactions[idx].is_none() {
            self.reactions[idx] = Some(self.react(automaton, letter));
        }
        self.reactions[idx].get_or_insert_with(|| unreachable!("filled above"))
    }

    fn react(&mut self, automaton: u32, letter: u32) -> Reaction {
        let mut edges = Vec::new();
        let mut ill_defined = None;
        for edge in &self.property.violation.states[automaton as usize].edges {
            match decide(&|atom| self.graph.truth(letter, atom), &self.property.bdds, edge.guard) {
                Ok(true) => edges.push((edge.target, edge.marks)),
                Ok(false) => {}
                Err(Undecided::IllDefined(atom)) => ill_defined = Some(atom),
                Err(Undecided::Unknown) => self.is_partial = true,
            }
        }
        Reaction { edges: edges.into(), ill_defined }
    }

    /// Whether a path that ends with the letter is accepted from an automaton state, or the atom without a value that decides it.
    pub(super) fn accepts_end(&mut self, automaton: u32, letter: u32) -> Result<bool, AtomId> {
        let idx = letter as usize * self.n_automaton as usize + automaton as usize;
        if self.endings.len() <= idx {
            self.make_room(self.graph.n_letters().max(letter as usize + 1));
        }
        if let Some(known) = self.endings[idx] {
            return known;
        }
        let guard = self.property.violation.states[automaton as usize].last;
        let answer = match decide(&|atom| self.graph.truth(letter, atom), &self.property.bdds, guard) {
            Ok(accepts) => Ok(accepts),
            Err(Undecided::IllDefined(atom)) => Err(atom),
            Err(Undecided::Unknown) => {
                self.is_partial = true;
                Ok(false)
            }
        };
        self.endings[idx] = Some(answer);
        answer
    }

    /// Calls `visit` with letter, target and marks of each step of the product.
    pub(super) fn for_each(&mut self, node: ProductNode, mut visit: impl FnMut(u32, ProductNode, MarkSet)) {
        let (state, automaton) = self.parts(node);
        let graph = self.graph;
        graph.steps(state, &mut |letter, target| {
            let base = u64::from(target) * self.n_automaton;
            for (next, marks) in &self.reaction(automaton, letter).edges {
                visit(letter, base + u64::from(*next), *marks);
            }
        });
    }
}

/// The value of a guard on a letter. An atom without a value matters only where the guard depends on it.
pub(crate) fn decide(truth: &dyn Fn(AtomId) -> Truth, bdds: &LetterBdds, guard: LetterBdd) -> Result<bool, Undecided> {
    let mut guard = guard;
    while let Some(var) = bdds.top(guard) {
        let (low, high) = bdds.branches(guard);
        let undecided = match truth(AtomId(var)) {
            Truth::False => {
                guard = low;
                continue;
            }
            Truth::True => {
                guard = high;
                continue;
            }
            Truth::IllDefined => Undecided::IllDefined(AtomId(var)),
            Truth::Unknown => Undecided::Unknown,
        };
        // Atoms are few and guards small, so both branches can be looked at.
        return abridge_diag::with_stack(|| {
            let (low, high) = (decide(truth, bdds, low)?, decide(truth, bdds, high)?);
            if low == high { Ok(low) } else { Err(undecided) }
        });
    }
    Ok(guard == crate::bdd::TRUE)
}
