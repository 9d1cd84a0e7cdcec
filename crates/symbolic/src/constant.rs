//! Cells that have one value in all reachable states.
//!
//! The circuits of the initialisation and of the steps are evaluated with three truth values, each cell by itself, until nothing changes: a cell that starts with one value
//! and gets no other keeps it. Of a relation between blocks of a railway, say, only pairs remain that the tracks allow. Such a cell needs no bit. The
//! answer is safe: a cell that is called constant is; others may be as well.

use abridge_blast::{Algebra, Lit};
use abridge_encoding::{CellId, Encoding, Initial};
use rustc_hash::FxHashSet;

use crate::symmetry::MovedClass;

/// The value of each cell, if it has only one. `free` says which cells may get values that no circuit tells. Cells that permutations exchange are constant together.
pub(crate) fn constants(
    encoding: &Encoding,
    classes: &[MovedClass],
    free: impl Fn(CellId) -> bool,
) -> Vec<Option<bool>> {
    let n_cells = encoding.cells.len();
    let Initial::Circuit { cells, .. } = &encoding.initial else { return vec![None; n_cells] };
    let mut known = KnownCells { encoding, values: vec![None; n_cells] };
    let first: Vec<Option<bool>> = cells.iter().map(|lit| lit.and_then(|lit| known.values_of(&[lit])[0])).collect();
    for (idx, value) in first.into_iter().enumerate() {
        let cell = CellId(idx as u32);
        let has_bit = encoding.cells.input(cell).is_some() && !free(cell);
        known.values[idx] = value.filter(|_| has_bit);
    }
    let lits: Vec<Lit> = encoding
        .instances
        .iter()
        .flat_map(|instance| [instance.relation].into_iter().chain(instance.writes.iter().filter_map(|it| it.1)))
        .collect();
    loop {
        let before = known.values.clone();
        let mut found = known.values_of(&lits).into_iter();
        for instance in &encoding.instances {
            let is_taken = found.next().flatten() != Some(false);
            for (cell, lit) in &instance.writes {
                let value = lit.and_then(|_| found.next().flatten());
                let kept = &mut known.values[cell.0 as usize];
                if is_taken && *kept != value {
                    *kept = None;
                }
            }
        }
        for (from, to) in classes.iter().flat_map(|class| &class.list).flatten() {
            if known.values[from.0 as usize] != known.values[to.0 as usize] {
                known.values[from.0 as usize] = None;
                known.values[to.0 as usize] = None;
            }
        }
        if known.values == before {
            return known.values;
        }
    }
}

/// What is known of cells so far.
struct KnownCells<'k> {
    encoding: &'k Encoding,
    values: Vec<Option<bool>>,
}

impl KnownCells<'_> {
    fn values_of(&mut self, lits: &[Lit]) -> Vec<Option<bool>> {
        let encoding = self.encoding;
        encoding.blast.circuit.fold(lits, self)
    }
}

impl Algebra for KnownCells<'_> {
    type Value = Option<bool>;

    fn truth(&mut self) -> Option<bool> {
        Some(true)
    }

    fn input(&mut self, input: Lit) -> Option<bool> {
        self.values[self.encoding.cells.of_input(input)?.0 as usize]
    }

    fn not(&mut self, value: &Option<bool>) -> Option<bool> {
        value.map(|value| !value)
    }

    fn and(&mut self, values: &[Option<bool>]) -> Option<bool> {
        let is_false = values.contains(&Some(false));
        let is_true = values.iter().all(|value| *value == Some(true));
        (is_false || is_true).then_some(is_true)
    }
}

/// The cells of some variables.
pub(crate) fn cells_of(
    encoding: &Encoding,
    variables: impl Iterator<Item = abridge_model::VarId>,
) -> FxHashSet<CellId> {
    variables.flat_map(|variable| encoding.cells.of(variable)).collect()
}
