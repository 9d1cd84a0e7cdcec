//! Stutter invariance: whether steps that a formula cannot see may be left out of a path, or added.
//!
//! A step is invisible if atoms about states have the same values before and after it, and atoms about steps have their idle value on it (`[op]` is
//! false, `unchanged` true). In letters: (v, idle) stands before a letter with the same values v of state atoms. That is
//! finer than repeating whole letters: `[op]` is sensitive although it has no `X`, and `G ([op] => X {P})` is not although it has one.
//!
//! A formula is invariant if no word of it and no word of its negation become equal by inserting such letters. The check follows both automata along the common
//! longer word; each of them reads a letter or lets it pass as inserted. After Michaud and Duret-Lutz, "Practical stutter-invariance checks for
//! ω-regular languages", 2015, with this other kind of repetition. The safe side is "not invariant".

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, MAX_MARKS, MarkSet};
use crate::bdd::LetterBdds;
use crate::formula::{AtomId, Atoms, Ltl, LtlNode, UnaryTemporal};
use crate::product::MarkedGraph;
use crate::translate::{Budget, GaveUp};

/// Letters are listed one by one, so there cannot be many atoms.
const MAX_ATOMS: usize = 8;
const MAX_PRODUCT_STATES: usize = 50_000;

/// Whether a formula is invariant by its form: no next, no yesterday, no atom about steps.
pub(crate) fn is_obvious(ltl: &Ltl) -> bool {
    let is_about_state = |atom: &AtomId| !ltl.atoms.get(*atom).kind.is_about_step();
    ltl.nodes().all(|(_, node)| match node {
        LtlNode::Const(_) | LtlNode::Binary(..) => true,
        LtlNode::Atom(atom) => is_about_state(atom),
        LtlNode::Unary(op, _) => !matches!(op, UnaryTemporal::Next | UnaryTemporal::Yesterday),
        LtlNode::Quantified(..) | LtlNode::Fair(..) => false,
    })
}

/// Whether there are few enough atoms for [`is_invariant`] to answer.
pub(crate) fn may_decide(atoms: &Atoms) -> bool {
    atoms.len() <= MAX_ATOMS
}

/// Whether a formula is invariant, given automata for it and its negation; false if that is too hard to tell.
pub(crate) fn is_invariant(
    positive: &Automaton,
    negative: &Automaton,
    atoms: &Atoms,
    bdds: &mut LetterBdds,
    budget: &Budget<'_>,
) -> Result<bool, GaveUp> {
    let mut used: Vec<u32> = Vec::new();
    for automaton in [positive, negative] {
        for guard in
            automaton.edges().map(|(_, edge)| edge.guard).chain(automaton.states.iter().map(|state| state.last))
        {
            used.extend(bdds.support(guard));
        }
    }
    used.sort_unstable();
    used.dedup();
    if used.len() > MAX_ATOMS || positive.n_marks + negative.n_marks + 2 > MAX_MARKS {
        return Ok(false);
    }
    let is_about_step = |var: &u32| atoms.get(AtomId(*var)).kind.is_about_step();
    let bits = |wanted: &dyn Fn(&u32) -> bool| {
        used.iter().enumerate().filter(|(_, var)| wanted(var)).fold(0_u32, |bits, (bit, _)| bits | 1 << bit)
    };
    let search = StutterSearch {
        sides: [positive, negative],
        step_bits: bits(&is_about_step),
        idle_bits: bits(&|var| is_about_step(var) && atoms.get(AtomId(*var)).kind.is_idle()),
        used,
    };
    search.is_empty(bdds, budget)
}

/// The states of both automata and, if one of them let the last letter pass, the values of state atoms that the next letter has.
type StutterNode = ([u32; 2], Option<u32>);

struct StutterSearch<'a> {
    sides: [&'a Automaton; 2],
    /// Variables of letters: bit i of a letter is the value of variable `used[i]`.
    used: Vec<u32>,
    /// Bits of atoms about steps, and those of them that are set on an invisible step.
    step_bits: u32,
    idle_bits: u32,
}

impl StutterSearch<'_> {
    /// Whether no word of one side becomes a word of the other by inserting invisible letters.
    fn is_empty(&self, bdds: &mut LetterBdds, budget: &Budget<'_>) -> Result<bool, GaveUp> {
        let first: StutterNode = (self.sides.map(|side| side.initial), None);
        let mut numbers: FxHashMap<StutterNode, u32> = FxHashMap::from_iter([(first, 0)]);
        let mut todo = vec![first];
        let mut graph = MarkedGraph::default();
        while let Some(node) = todo.get(graph.edges.len()).copied() {
            budget.check(bdds, 0)?;
            if todo.len() > MAX_PRODUCT_STATES {
                return Ok(false);
            }
            if self.is_last(node, bdds) {
                return Ok(false);
            }
            let mut edges = Vec::new();
            for (target, marks) in self.moves(node, bdds) {
                let new = numbers.len() as u32;
                let number = *numbers.entry(target).or_insert(new);
                if number == new {
                    todo.push(target);
                }
                edges.push((number, marks));
            }
            edges.sort_unstable();
            edges.dedup();
            graph.edges.push(edges);
        }
        let n_marks = self.sides[0].n_marks + self.sides[1].n_marks + 2;
        Ok(!graph.has_accepting_component(&[0], MarkSet::all(n_marks)))
    }

    fn holds(&self, letter: u32, var: u32) -> bool {
        self.used.binary_search(&var).is_ok_and(|bit| letter >> bit & 1 == 1)
    }

    /// Letters that may follow, by the values of state atoms that are known.
    fn letters(&self, known: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        (0..1_u32 << self.used.len()).filter(move |letter| known.is_none_or(|known| letter & !self.step_bits == known))
    }

    /// Whether both sides accept a common last letter here.
    fn is_last(&self, (states, known): StutterNode, bdds: &LetterBdds) -> bool {
        self.letters(known).filter(|letter| letter & self.step_bits == 0).any(|letter| {
            let accepts = |side: usize| {
                let last = self.sides[side].states[states[side] as usize].last;
                bdds.value(last, |var| self.holds(letter, var))
            };
            accepts(0) && accepts(1)
        })
    }

    /// Moves with their marks: those of both automata, and one for each side that reads its letters.
    fn moves(&self, (states, known): StutterNode, bdds: &LetterBdds) -> Vec<(StutterNode, MarkSet)> {
        let mut moves = Vec::new();
        let own = MarkSet::all(self.sides[0].n_marks).0.count_ones();
        let reads = own + self.sides[1].n_marks;
        for letter in self.letters(known) {
            let targets = |side: usize| {
                let edges = self.sides[side].states[states[side] as usize].edges.iter();
                let shift = if side == 0 { 0 } else { own };
                edges
                    .filter(|edge| bdds.value(edge.guard, |var| self.holds(letter, var)))
                    .map(|edge| (edge.target, MarkSet(edge.marks.0 << shift | 1 << (reads + side as u32))))
                    .collect::<Vec<_>>()
            };
            let (first, second) = (targets(0), targets(1));
            for (l, l_marks) in &first {
                moves.extend(second.iter().map(|(r, r_marks)| (([*l, *r], None), l_marks.with(*r_marks))));
            }
            if letter & self.step_bits == self.idle_bits {
                let values = Some(letter & !self.step_bits);
                moves.extend(first.iter().map(|(l, marks)| (([*l, states[1]], values), *marks)));
                moves.extend(second.iter().map(|(r, marks)| (([states[0], *r], values), *marks)));
            }
        }
        moves.sort_unstable();
        moves.dedup();
        moves
    }
}
