//! Nodes that may lie on an accepted cycle: [`trimmed`].
//!
//! A node without a successor among those that are left is on no cycle. Nor is one that cannot reach, among those that are left, a step with some mark of the automaton or one that
//! meets some weak premise. Both kinds are taken away until none is left, or until it goes slowly (the elimination of Černá and Pelánek, "Distributed explicit fair cycle
//! detection", 2003, backwards). Each pass goes through the nodes in order, once from the last and once from the first, and needs bits only: steps may lie in files.
//!
//! What is left is too much rather than too little. If too little were left, a violation would be missed.

use abridge_value::BitSet;

use crate::automaton::{MarkSet, Structure};
use crate::property::Class;

use super::fair::FairConditions;
use super::letters::Moves;
use super::{LetterGraph, ProductNode};

/// A pass that decides fewer than one of so many nodes is the last one: components are faster from there on.
const MIN_SHARE: usize = 64;
/// Passes that are made in any case, as long as something changes.
const MIN_PASSES: usize = 4;
/// Words of a set between two looks at the stop flag.
const STOP_WORDS: usize = 1 << 8;

/// The nodes that may lie on an accepted cycle; nothing if that was stopped.
pub(super) fn trimmed<'g, G: LetterGraph>(
    graph: &'g G,
    moves: &mut Moves<'g, G>,
    reached: &BitSet,
    conditions: &FairConditions<'g, G>,
) -> Option<BitSet> {
    let structure = moves.property.violation.structure();
    let n_automaton = moves.n_automaton;
    let is_accepting = |node: &usize| structure.is_accepting_at((*node as u64 % n_automaton) as u32);
    let mut left = BitSet::with_room(graph.n_states() * n_automaton as usize);
    reached.iter().filter(is_accepting).for_each(|node| _ = left.insert(node));
    // In a weak automaton, all steps of an accepting component have all marks.
    let is_general = moves.property.class == Class::General;
    let n_marks = if is_general { moves.property.violation.n_marks as usize } else { 0 };
    let n_conditions = n_marks + conditions.n_weak();
    let mut trim = Trim { graph, moves, conditions, structure, n_marks };
    loop {
        let n_before = left.len();
        trim.remove_dead_ends(&mut left)?;
        for condition in 0..n_conditions {
            left = trim.reaching(left, condition)?;
        }
        let n_left = left.len();
        if n_left == 0 || (n_before - n_left) * MIN_SHARE <= n_before {
            return Some(left);
        }
    }
}

struct Trim<'t, 'g, G> {
    graph: &'g G,
    moves: &'t mut Moves<'g, G>,
    conditions: &'t FairConditions<'g, G>,
    structure: Structure,
    n_marks: usize,
}

impl<'g, G: LetterGraph> Trim<'_, 'g, G> {
    /// Takes away nodes without successors among those that are left.
    fn remove_dead_ends(&mut self, left: &mut BitSet) -> Option<()> {
        self.passes(left, &mut |trim, node, left| {
            let mut is_alive = false;
            trim.steps(node, &mut |_, target, _| is_alive |= left.contains(target as usize));
            !is_alive
        })?;
        Some(())
    }

    /// The nodes that can reach a step of some kind among those that are left.
    fn reaching(&mut self, left: BitSet, condition: usize) -> Option<BitSet> {
        let mut found = BitSet::with_room(self.graph.n_states() * self.moves.n_automaton as usize);
        let mut rest = left.clone();
        let is_settled = self.passes(&mut rest, &mut |trim, node, _| {
            let weak = condition.checked_sub(trim.n_marks);
            let conditions = trim.conditions;
            let mut is_found = false;
            trim.steps(node, &mut |letter, target, marks| {
                is_found |= left.contains(target as usize)
                    && (found.contains(target as usize)
                        || match weak {
                            Some(weak) => conditions.may_meet(letter, weak),
                            None => marks.contains(condition as u32),
                        });
            });
            if is_found {
                found.insert(node as usize);
            }
            is_found
        })?;
        // If the passes ended early, others may be found still.
        Some(if is_settled { found } else { left })
    }

    /// Goes through a set of nodes again and again, and takes away those that are decided, until nothing changes (true) or little does (false). Nothing if that was
    /// stopped.
    fn passes(&mut self, todo: &mut BitSet, is_decided: &mut Decide<'_, Self>) -> Option<bool> {
        let mut n_left = todo.len();
        for pass in 0.. {
            let is_descending = pass % 2 == 0;
            let n_before = n_left;
            let n_words = todo.words().len();
            for idx in 0..n_words {
                let idx = if is_descending { n_words - 1 - idx } else { idx };
                let mut word = todo.words()[idx];
                while word != 0 {
                    let bit = if is_descending { 63 - word.leading_zeros() } else { word.trailing_zeros() };
                    word &= !(1 << bit);
                    let node = idx as ProductNode * 64 + ProductNode::from(bit);
                    if is_decided(self, node, todo) {
                        todo.remove(node as usize);
                        n_left -= 1;
                    }
                }
                if idx % STOP_WORDS == 0 && self.graph.is_stopped() {
                    return None;
                }
            }
            let n_decided = n_before - n_left;
            if n_decided == 0 || n_left == 0 {
                return Some(true);
            }
            if pass + 1 >= MIN_PASSES && n_decided * MIN_SHARE < n_before {
                return Some(false);
            }
        }
        None
    }

    /// Calls `visit` with letter, target and marks of each step that stays in its component of the automaton.
    fn steps(&mut self, node: ProductNode, visit: &mut dyn FnMut(u32, ProductNode, MarkSet)) {
        let n_automaton = self.moves.n_automaton;
        let (Trim { moves, structure, .. }, automaton) = (self, (node % n_automaton) as u32);
        moves.for_each(node, |letter, target, marks| {
            if structure.is_inside(automaton, (target % n_automaton) as u32) {
                visit(letter, target, marks);
            }
        });
    }
}

/// Says of a node whether it is decided, given those that are not.
type Decide<'d, T> = dyn FnMut(&mut T, ProductNode, &BitSet) -> bool + 'd;
