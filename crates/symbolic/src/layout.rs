//! The bits of a state: cells of the encoding, and numbers for values that have no cells.
//!
//! A variable with an exact form has a bit for each of its cells that is not constant (`constant.rs`). Any other variable has the binary number of its value, and values are numbered as they are
//! met. Choices of steps are bits too; they lie beside the cells that they decide about. [`BitLayout::encode`] and [`BitLayout::decode`] are inverse to each other.

use std::sync::Arc;

use abridge_blast::Lit;
use abridge_encoding::{CellId, Encoding};
use abridge_eval::{State, Val};
use abridge_model::VarId;
use abridge_model::ids::Id as _;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bdd::Var;

/// Bits of the number of a value: more values than these can tell apart are a limit.
const NUMBER_BITS: usize = 20;

/// The bits of states and choices.
pub(crate) struct BitLayout {
    variables: Vec<VarId>,
    slots: Vec<VariableBits>,
    /// The bit of each cell that has an input and is not constant.
    cells: Vec<Option<Var>>,
    /// The values of constant cells.
    constants: Vec<Option<bool>>,
    /// Bits for choices beside each cell.
    choices: Vec<Vec<Var>>,
    /// All bits of states.
    bits: Vec<Var>,
    n_pairs: usize,
}

/// The bits of one variable.
enum VariableBits {
    Cells(Vec<Var>),
    Numbered { bits: Vec<Var>, numbers: FxHashMap<Val, u32>, vals: Vec<Val> },
}

/// Choices of one instance, each with the cell that it decides about.
pub(crate) type Placed = Vec<(Lit, usize)>;

impl BitLayout {
    /// Bits for cells in the given order. `constants` has the values of constant cells, `choices` are those of instances and of the initialisation.
    pub(crate) fn new(
        encoding: &Encoding,
        variables: &[VarId],
        order: &[CellId],
        constants: Vec<Option<bool>>,
        choices: &[Placed],
    ) -> BitLayout {
        let n_cells = encoding.cells.len();
        let mut n_choices = vec![0; n_cells.max(1)];
        for placed in choices {
            let mut own: FxHashMap<usize, usize> = FxHashMap::default();
            placed.iter().for_each(|(_, cell)| *own.entry(*cell).or_insert(0) += 1);
            own.into_iter().for_each(|(cell, count)| n_choices[cell] = n_choices[cell].max(count));
        }
        let mut n_pairs = 0;
        let mut fresh = || {
            n_pairs += 1;
            Var(2 * (n_pairs as u32 - 1))
        };
        let mut layout = BitLayout {
            variables: variables.to_vec(),
            slots: Vec::new(),
            cells: vec![None; n_cells],
            constants,
            choices: vec![Vec::new(); n_cells.max(1)],
            bits: Vec::new(),
            n_pairs: 0,
        };
        let mut numbered: FxHashMap<VarId, Vec<Var>> = FxHashMap::default();
        for cell in order {
            let at = cell.0 as usize;
            if encoding.cells.input(*cell).is_some() {
                layout.cells[at] = layout.constants[at].is_none().then(&mut fresh);
            } else if let Some(variable) = encoding.cells.variable(*cell) {
                numbered.insert(variable, (0..NUMBER_BITS).map(|_| fresh()).collect());
            }
            layout.choices[at] = (0..n_choices[at]).map(|_| fresh()).collect();
        }
        if n_cells == 0 {
            layout.choices[0] = (0..n_choices[0]).map(|_| fresh()).collect();
        }
        layout.n_pairs = n_pairs;
        for variable in variables {
            let slot = match numbered.remove(variable) {
                Some(bits) => VariableBits::Numbered { bits, numbers: FxHashMap::default(), vals: Vec::new() },
                None => {
                    let cells = encoding.cells.of(*variable);
                    VariableBits::Cells(cells.filter_map(|cell| layout.cells[cell.0 as usize]).collect())
                }
            };
            layout.bits.extend(slot.bits());
            layout.slots.push(slot);
        }
        layout
    }

    pub(crate) fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    /// All bits of states.
    pub(crate) fn bits(&self) -> &[Var] {
        &self.bits
    }

    /// The bits of the variable at a position.
    pub(crate) fn bits_of(&self, position: usize) -> &[Var] {
        self.slots[position].bits()
    }

    pub(crate) fn position(&self, variable: VarId) -> Option<usize> {
        self.variables.iter().position(|other| *other == variable)
    }

    pub(crate) fn is_numbered(&self, position: usize) -> bool {
        matches!(self.slots[position], VariableBits::Numbered { .. })
    }

    pub(crate) fn cell(&self, cell: CellId) -> Option<Var> {
        self.cells[cell.0 as usize]
    }

    /// The value of a constant cell.
    pub(crate) fn constant(&self, cell: CellId) -> Option<bool> {
        self.constants[cell.0 as usize]
    }

    /// The bits of choices that were placed.
    pub(crate) fn choice_bits(&self, placed: &Placed) -> FxHashMap<Lit, Var> {
        let mut used: FxHashMap<usize, usize> = FxHashMap::default();
        let bit = |(lit, cell): &(Lit, usize)| {
            let next = used.entry(*cell).or_insert(0);
            *next += 1;
            (*lit, self.choices[*cell][*next - 1])
        };
        placed.iter().map(bit).collect()
    }

    /// The true bits of the variable at a position; nothing if there is no room for the value.
    pub(crate) fn encode_val(&mut self, encoding: &Encoding, position: usize, val: &Val) -> Option<Vec<Var>> {
        match &mut self.slots[position] {
            VariableBits::Cells(_) => {
                let cells = encoding.cells.true_cells(position, Some(val))?;
                Some(cells.into_iter().filter_map(|cell| self.cells[cell.0 as usize]).collect())
            }
            VariableBits::Numbered { bits, numbers, vals } => {
                let next = vals.len() as u32;
                let number = *numbers.entry(val.clone()).or_insert(next);
                if number == next {
                    vals.push(val.clone());
                }
                let has_room = number >> bits.len() == 0;
                let bit = |(idx, bit): (usize, &Var)| (number >> idx & 1 == 1).then_some(*bit);
                has_room.then(|| bits.iter().enumerate().filter_map(bit).collect())
            }
        }
    }

    /// The true bits of a state; nothing if there is no room for some value.
    pub(crate) fn encode(&mut self, encoding: &Encoding, state: &State) -> Option<Vec<Var>> {
        let mut bits = Vec::new();
        for position in 0..self.variables.len() {
            let val = state.variables[self.variables[position].index()].clone()?;
            bits.extend(self.encode_val(encoding, position, &val)?);
        }
        Some(bits)
    }

    /// The state with these true bits; nothing if no state has them. The constants are those of `blank`.
    pub(crate) fn decode(&self, encoding: &Encoding, bits: &[Var], blank: &State) -> Option<State> {
        let bits: FxHashSet<Var> = bits.iter().copied().collect();
        let is_true = |cell: CellId| match self.cells[cell.0 as usize] {
            Some(bit) => bits.contains(&bit),
            None => self.constant(cell) == Some(true),
        };
        let mut variables = vec![None; blank.variables.len()];
        for (position, variable) in self.variables.iter().enumerate() {
            variables[variable.index()] = Some(match &self.slots[position] {
                VariableBits::Cells(_) => encoding.cells.value_at(position, &is_true)?,
                VariableBits::Numbered { bits: own, vals, .. } => {
                    let number: usize =
                        own.iter().enumerate().map(|(idx, bit)| usize::from(bits.contains(bit)) << idx).sum();
                    vals.get(number)?.clone()
                }
            });
        }
        Some(State { constants: blank.constants.clone(), variables: Arc::new(variables) })
    }
}

impl VariableBits {
    fn bits(&self) -> &[Var] {
        match self {
            VariableBits::Cells(bits) | VariableBits::Numbered { bits, .. } => bits,
        }
    }
}
