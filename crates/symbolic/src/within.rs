//! Properties whose diagrams over all bits would be large, evaluated within a set of states.
//!
//! An invariant such as `f : S >+> S` has a large diagram over arbitrary bits, and nothing is left of it in states where it holds. So a circuit is folded only as far as its gates
//! have small diagrams. Where they have not, the set of states goes through the arguments of the gate one after the other. What comes out is right for states of the set,
//! and nothing is said about others: whoever asks about other states must ask again.

use abridge_blast::{GateView, Lit};
use abridge_encoding::Encoding;
use rustc_hash::FxHashMap;

use crate::bdd::{Bdd, Made, Manager};
use crate::layout::BitLayout;

/// Gates with larger diagrams are evaluated within a set.
const MAX_GATE_NODES: usize = 1 << 12;

/// The gates of a circuit with their diagrams.
pub(crate) struct Gates {
    /// Diagrams of gates, by positive literal, if they are small.
    small: FxHashMap<Lit, Bdd>,
    /// Arguments of the other gates.
    large: FxHashMap<Lit, Vec<Lit>>,
}

impl Gates {
    /// The gates below some literals without choices.
    pub(crate) fn new(encoding: &Encoding, layout: &BitLayout, manager: &mut Manager, lits: &[Lit]) -> Made<Gates> {
        let mut gates = Gates { small: FxHashMap::default(), large: FxHashMap::default() };
        let mut result = Ok(());
        encoding.blast.circuit.visit(lits, |lit, gate| {
            if result.is_err() {
                return;
            }
            let made = match gate {
                GateView::True => Ok(Some(manager.constant(true))),
                GateView::Input => {
                    let cell = encoding.cells.of_input(lit).expect("every input is a cell");
                    match layout.constant(cell) {
                        Some(value) => Ok(Some(manager.constant(value))),
                        None => manager.var(layout.cell(cell).expect("a bit for each cell")).map(Some),
                    }
                }
                GateView::And(args) => gates.conjunction(manager, args),
            };
            result = made.map(|made| match (made, gate) {
                (Some(bdd), _) => drop(gates.small.insert(lit, bdd)),
                (None, GateView::And(args)) => drop(gates.large.insert(lit, args.to_vec())),
                (None, _) => {}
            });
        });
        result.map(|()| gates)
    }

    /// The diagram of a literal, if it is small.
    pub(crate) fn small(&self, lit: Lit) -> Option<Bdd> {
        let bdd = self.small.get(&lit.positive())?;
        Some(if lit.is_negated() { bdd.not() } else { bdd.clone() })
    }

    /// The conjunction of literals, if it and all before it are small.
    fn conjunction(&self, manager: &mut Manager, args: &[Lit]) -> Made<Option<Bdd>> {
        let mut all = manager.constant(true);
        for arg in args {
            let Some(arg) = self.small(*arg) else { return Ok(None) };
            all = manager.and(&all, &arg)?;
            if manager.size(&all) > MAX_GATE_NODES {
                return Ok(None);
            }
        }
        Ok(Some(all))
    }

    /// The states of a set where a literal is true.
    pub(crate) fn within(&self, manager: &mut Manager, set: &Bdd, lit: Lit) -> Made<Bdd> {
        if let Some(bdd) = self.small(lit) {
            return manager.and(set, &bdd);
        }
        let mut rest = set.clone();
        for arg in &self.large[&lit.positive()] {
            if rest.is_false() {
                break;
            }
            rest = self.within(manager, &rest, *arg)?;
        }
        if lit.is_negated() { manager.minus(set, &rest) } else { Ok(rest) }
    }
}
