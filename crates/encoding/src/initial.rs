//! Initial states: a relation over cells, or a list where the initialisation has no circuit.
//!
//! The circuit covers every initial state for the known constants, however many there are. A list is complete or it is not used: what was proved from
//! some of the initial states would not hold in the others.

use std::ops::ControlFlow;

use abridge_blast::{Blast, Lit, Replaced};
use abridge_eval::{Session, State};
use abridge_value::BitSet;

use crate::actions::Translator;
use crate::bounds::KnownStarts;
use crate::cells::{CellId, Cells};
use crate::gap::Cause;

/// More initial states than this are not listed.
const MAX_LISTED_STATES: usize = 4096;

/// All initial states for one valuation of the constants.
pub enum Initial {
    Circuit {
        /// Holds for those choices of the initialisation that lead to a state.
        holds: Lit,
        /// Holds for those choices for which the initialisation is ill-defined.
        error: Lit,
        /// The value of each cell under the choices; nothing for an opaque cell.
        cells: Vec<Option<Lit>>,
        /// The inputs that stand for choices.
        choices: Vec<Lit>,
    },
    /// The initialisation has no circuit, but few outcomes: the true cells of each.
    List(Vec<BitSet>, Cause),
    Unknown(Cause),
}

/// The initialisation as a circuit, else as a list.
pub(crate) fn starts(
    translator: &mut Translator<'_>,
    session: &Session<'_>,
    constants: &State,
) -> (KnownStarts, Option<Cause>) {
    let cause = match translator.initialisation() {
        Ok(start) => return (KnownStarts::Circuit(start), None),
        Err(cause) => cause,
    };
    let blank = vec![None; session.model().variables.len()];
    let blank = State { constants: constants.constants.clone(), variables: std::sync::Arc::new(blank) };
    let (mut states, mut is_complete) = (Vec::new(), true);
    session.initialise(&blank, &mut |state| {
        match state {
            Ok(state) => states.push(state),
            Err(error) => is_complete &= error.is_ill_defined() || error.is_obligation(),
        }
        is_complete &= states.len() <= MAX_LISTED_STATES;
        if is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    is_complete &= session.take_warnings().is_empty();
    let many = states.len() > MAX_LISTED_STATES;
    let cause = if many { Cause::ManyInitialStates } else { cause };
    (if is_complete { KnownStarts::List(states) } else { KnownStarts::Unknown }, Some(cause))
}

impl Initial {
    pub(crate) fn new(starts: KnownStarts, cause: Option<Cause>, cells: &Cells, blast: &mut Blast) -> Initial {
        let cause = cause.unwrap_or(Cause::Construct("an initial value beyond the cells"));
        match starts {
            KnownStarts::Circuit(start) => {
                let mut lits = vec![None; cells.len()];
                for (variable, sym) in &start.values {
                    let Some((shape, ids)) = cells.shape(*variable) else { continue };
                    let mut news = Vec::new();
                    if blast.align(shape, sym, &mut news).is_err() {
                        return Initial::Unknown(cause);
                    }
                    for (cell, lit) in ids.iter().zip(news) {
                        cell.iter().for_each(|cell| lits[cell.0 as usize] = Some(lit));
                    }
                }
                let holds = blast.circuit.and(start.possible, start.defined);
                let mut choices = blast.circuit.inputs_of(lits.iter().flatten().copied().chain([holds, start.defined]));
                choices.retain(|input| cells.of_input(*input).is_none());
                Initial::Circuit { holds, error: !start.defined, cells: lits, choices }
            }
            KnownStarts::List(states) => match states.iter().map(|state| cells.encode(state)).collect() {
                Some(states) => Initial::List(states, cause),
                None => Initial::Unknown(cause),
            },
            KnownStarts::Unknown => Initial::Unknown(cause),
        }
    }

    /// The reason why there is no circuit.
    pub fn gap(&self) -> Option<Cause> {
        match self {
            Initial::Circuit { .. } => None,
            Initial::List(_, cause) | Initial::Unknown(cause) => Some(*cause),
        }
    }

    /// Whether all initial states are known.
    pub fn is_known(&self) -> bool {
        !matches!(self, Initial::Unknown(_))
    }

    /// A literal that holds where the cells are those of an initial state, under some choices; nothing if they are not known. Opaque cells
    /// are not restricted.
    pub fn relation(&self, cells: &Cells, blast: &mut Blast) -> Option<Lit> {
        let input = |cell: usize| cells.input(CellId(cell as u32));
        match self {
            Initial::Circuit { holds, cells: lits, .. } => {
                let mut parts = vec![*holds];
                for (cell, lit) in lits.iter().enumerate() {
                    if let (Some(input), Some(lit)) = (input(cell), lit) {
                        parts.push(blast.circuit.iff(input, *lit));
                    }
                }
                Some(blast.circuit.and_all(parts))
            }
            Initial::List(states, _) => {
                let cube = |state: &BitSet| -> Vec<Lit> {
                    let literal = |cell: usize| input(cell).map(|lit| if state.contains(cell) { lit } else { !lit });
                    (0..cells.len()).filter_map(literal).collect()
                };
                let cubes: Vec<Lit> = states.iter().map(|state| blast.circuit.and_all(cube(state))).collect();
                Some(blast.circuit.or_all(cubes))
            }
            Initial::Unknown(_) => None,
        }
    }

    /// A literal over cells as one over the choices of the initialisation.
    pub fn substituted(&self, lit: Lit, cells: &Cells, blast: &mut Blast, done: &mut Replaced) -> Option<Lit> {
        let Initial::Circuit { cells: lits, .. } = self else { return None };
        let with = |input: Lit| lits[cells.of_input(input)?.0 as usize];
        Some(blast.circuit.replace(lit, &with, done))
    }
}
