//! Steps that no violation needs: [`Idle`].
//!
//! A violation of `G (p => F q)` may begin in any state, so the automaton of violations waits in its initial state until one begins. A step on whose letter it can only go on waiting, and on which every run that
//! has begun ends, lies on no path of the product but those of the waiting. If every visited state can be reached waiting, nothing is lost with such a step: [`crate::emptiness::has_violation`] begins in all states instead.

use crate::automaton::Structure;
use crate::bdd::{self, LetterBdd, LetterBdds};
use crate::emptiness::{Truth, decide};
use crate::formula::AtomId;
use crate::property::{Class, LinearProperty};

/// The letters of steps that no violation needs.
#[derive(Clone, Debug)]
pub struct Idle {
    bdds: LetterBdds,
    letters: LetterBdd,
}

impl Idle {
    /// The letters for a property; nothing if there are none, or if a run does not wait in the initial state.
    pub fn new(property: &LinearProperty) -> Option<Idle> {
        let (automaton, mut bdds) = (&property.violation, property.bdds.clone());
        let initial = automaton.initial;
        let structure = automaton.structure();
        if structure.is_accepting_at(initial) || !is_alone(&structure, initial, automaton.states.len() as u32) {
            return None;
        }
        // Whoever reaches that state has found a violation.
        let universal = automaton.universal_state().filter(|_| property.class == Class::Safety);
        let (mut waits, mut leaves, mut n_loops) = (bdd::FALSE, bdd::FALSE, 0);
        for (source, edge) in automaton.edges() {
            if (source, edge.target) == (initial, initial) {
                (waits, n_loops) = (bdds.or(waits, edge.guard), n_loops + 1);
            } else if source == initial && Some(edge.target) == universal {
                // The state after it needs not be reached waiting.
                (waits, leaves) = (bdds.or(waits, edge.guard), bdds.or(leaves, edge.guard));
            } else if Some(source) != universal {
                leaves = bdds.or(leaves, edge.guard);
            }
        }
        let letters = bdds.minus(bdd::TRUE, leaves);
        // Of several loops, an atom without a value might decide which one is taken.
        let is_usable = n_loops == 1 && waits == bdd::TRUE && letters != bdd::FALSE && !bdds.is_full();
        is_usable.then_some(Idle { bdds, letters })
    }

    /// Whether a letter is one of them, whatever the values are that are not known.
    pub fn contains(&self, truth: &dyn Fn(AtomId) -> Truth) -> bool {
        matches!(decide(truth, &self.bdds, self.letters), Ok(true))
    }
}

fn is_alone(structure: &Structure, state: u32, n_states: u32) -> bool {
    (0..n_states).all(|other| other == state || !structure.is_inside(state, other))
}
