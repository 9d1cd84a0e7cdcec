//! Independence of outcomes: pairs that lead to the same state in both orders.
//!
//! Two outcomes are independent if neither writes a cell that the other reads or writes. Then each stays enabled after the other, and both orders end in
//! the same state. That is what sleep sets rest on: a wrong pair would lose states. Many cells are never true in practice, such as pairs that a relation never has, and circuits that read
//! them say more than is needed. So independence is decided for states in which such cells are false: the *quiet* cells. Outcomes that may make one of them true are
//! independent of none, so the states after independent outcomes are of the same kind. Nothing is said about other states.

use abridge_blast::{Algebra, Circuit, Lit};
use abridge_encoding::{CellId, Cells};
use abridge_value::BitSet;

/// Outcomes of a machine beyond which nothing is said: sets of them would take more memory than they save time.
const MAX_OUTCOMES: usize = 256;
/// Inputs below all gates together, as a measure for the time that is spent.
const MAX_WORK: usize = 1 << 22;

/// An outcome, as independence sees it.
pub(crate) struct IndependentOutcome {
    pub(crate) relation: Lit,
    pub(crate) writes: Vec<(CellId, Lit)>,
}

/// Cells that an outcome reads and writes, if no quiet cell is true.
#[derive(Default)]
struct Footprint {
    reads: BitSet,
    writes: BitSet,
    /// It may make a quiet cell true.
    is_special: bool,
}

impl Footprint {
    fn is_independent(&self, other: &Footprint) -> bool {
        !self.is_special
            && !other.is_special
            && !self.writes.intersects(&other.reads)
            && !self.writes.intersects(&other.writes)
            && !self.reads.intersects(&other.writes)
    }
}

/// What is known of a gate if no quiet cell is true.
#[derive(Clone)]
enum Support {
    Constant(bool),
    /// The truth of a cell, perhaps negated.
    Cell(usize, bool),
    /// The truth depends on some of these cells at most.
    Cells(BitSet),
}

/// Supports of gates.
struct Supports<'s> {
    cells: &'s Cells,
    quiet: &'s BitSet,
    /// An input that is no cell was met.
    is_foreign: bool,
    n_work: usize,
}

impl Algebra for Supports<'_> {
    type Value = Support;

    fn truth(&mut self) -> Support {
        Support::Constant(true)
    }

    fn input(&mut self, input: Lit) -> Support {
        let cell = self.cells.of_input(input);
        self.is_foreign |= cell.is_none();
        match cell.map(|cell| cell.0 as usize) {
            Some(cell) if self.quiet.contains(cell) => Support::Constant(false),
            Some(cell) => Support::Cell(cell, false),
            None => Support::Cells(BitSet::default()),
        }
    }

    fn not(&mut self, value: &Support) -> Support {
        match value {
            Support::Constant(is_true) => Support::Constant(!is_true),
            Support::Cell(cell, is_negated) => Support::Cell(*cell, !is_negated),
            Support::Cells(cells) => Support::Cells(cells.clone()),
        }
    }

    fn and(&mut self, values: &[Support]) -> Support {
        if values.iter().any(|value| matches!(value, Support::Constant(false))) {
            return Support::Constant(false);
        }
        let mut open = values.iter().filter(|value| !matches!(value, Support::Constant(true)));
        let (first, second) = (open.next(), open.next());
        match (first, second) {
            (None, _) => Support::Constant(true),
            (Some(only), None) => only.clone(),
            (Some(first), Some(second)) => {
                let mut all = BitSet::default();
                for value in [first, second].into_iter().chain(open) {
                    // Beyond the budget the result is not used.
                    if self.n_work <= MAX_WORK {
                        value.add_to(&mut all);
                        self.n_work += 1 + all.words().len();
                    }
                }
                Support::Cells(all)
            }
        }
    }
}

impl Support {
    fn add_to(&self, all: &mut BitSet) {
        match self {
            Support::Constant(_) => {}
            Support::Cell(cell, _) => _ = all.insert(*cell),
            Support::Cells(cells) => all.union_with(cells),
        }
    }
}

/// For each outcome one bit for each outcome that is independent of it, in states without quiet cells that are true.
#[derive(Default)]
pub(crate) struct Independence {
    words: usize,
    rows: Vec<u64>,
    /// Quiet cells.
    pub(crate) quiet: Vec<CellId>,
}

impl Independence {
    pub(crate) fn new(
        circuit: &Circuit,
        cells: &Cells,
        subjects: &[IndependentOutcome],
        quiet: &BitSet,
    ) -> Independence {
        if subjects.len() > MAX_OUTCOMES {
            return Independence::default();
        }
        let Some(footprints) = footprints(circuit, cells, subjects, quiet) else { return Independence::default() };
        let words = subjects.len().div_ceil(64);
        let mut rows = vec![0; subjects.len() * words];
        for (idx, own) in footprints.iter().enumerate() {
            for (other_idx, other) in footprints.iter().enumerate() {
                if own.is_independent(other) {
                    rows[idx * words + other_idx / 64] |= 1 << (other_idx % 64);
                }
            }
        }
        Independence { words, rows, quiet: quiet.iter().map(|cell| CellId(cell as u32)).collect() }
    }

    /// Words of a set of outcomes; 0 if nothing is said about them.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The outcomes that are independent of one.
    #[inline]
    pub(crate) fn of(&self, outcome: usize) -> &[u64] {
        &self.rows[outcome * self.words..][..self.words]
    }
}

fn footprints(
    circuit: &Circuit,
    cells: &Cells,
    subjects: &[IndependentOutcome],
    quiet: &BitSet,
) -> Option<Vec<Footprint>> {
    let mut roots = Vec::new();
    for subject in subjects {
        roots.push(subject.relation);
        roots.extend(subject.writes.iter().map(|(_, lit)| *lit));
    }
    let mut supports = Supports { cells, quiet, is_foreign: false, n_work: 0 };
    let mut found = circuit.fold(&roots, &mut supports).into_iter();
    if supports.is_foreign || supports.n_work > MAX_WORK {
        return None;
    }
    let mut footprints = Vec::with_capacity(subjects.len());
    for subject in subjects {
        let mut footprint = Footprint::default();
        if let Some(support) = found.next() {
            support.add_to(&mut footprint.reads);
        }
        for (cell, _) in &subject.writes {
            let (number, Some(support)) = (cell.0 as usize, found.next()) else { return None };
            let is_quiet = quiet.contains(number);
            match support {
                // Nothing changes.
                Support::Cell(same, false) if same == number => {}
                Support::Constant(false) if is_quiet => {}
                support => {
                    footprint.is_special |= is_quiet;
                    footprint.writes.insert(number);
                    support.add_to(&mut footprint.reads);
                }
            }
        }
        footprints.push(footprint);
    }
    Some(footprints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footprints_decide() {
        let set = |numbers: &[usize]| {
            let mut set = BitSet::default();
            numbers.iter().for_each(|number| _ = set.insert(*number));
            set
        };
        let footprint =
            |reads: &[usize], writes: &[usize]| Footprint { reads: set(reads), writes: set(writes), is_special: false };
        let first = footprint(&[0, 1, 70], &[1]);
        assert!(first.is_independent(&footprint(&[0, 70], &[2])), "reading together");
        assert!(!first.is_independent(&footprint(&[1], &[3])), "reading what the other writes");
        assert!(!first.is_independent(&footprint(&[5], &[70])), "writing what the other reads");
        assert!(!footprint(&[], &[4]).is_independent(&footprint(&[], &[4])), "writing the same");
        assert!(!first.is_independent(&Footprint { is_special: true, ..footprint(&[], &[]) }));
    }
}
