//! The static order of cells.
//!
//! Cells that operations use together should lie together. FORCE (Aloul, Markov, Sakallah, "FORCE: a fast and easy-to-implement variable-ordering
//! heuristic", 2003) moves every cell to the centre of the groups that it belongs to, again and again, and the order with the smallest total span is kept. An
//! order decides about time and memory only, never about results.

use abridge_encoding::{CellId, Encoding};
use abridge_value::BitSet;

/// Rounds without improvement before the best order is taken.
const MAX_IDLE_ROUNDS: usize = 8;
const MAX_ROUNDS: usize = 60;
/// Larger groups say nothing about what belongs together.
const MAX_GROUP_CELLS: usize = 64;

/// All cells, opaque ones included, in an order that keeps together what operations use together.
pub(crate) fn order(encoding: &Encoding) -> Vec<CellId> {
    let groups = groups(encoding);
    let n_cells = encoding.cells.len();
    let mut current: Vec<usize> = (0..n_cells).collect();
    let (mut best, mut best_span) = (current.clone(), span(&groups, &current));
    let mut n_idle = 0;
    for _ in 0..MAX_ROUNDS {
        current = moved(&groups, &current);
        let span = span(&groups, &current);
        if span < best_span {
            (best, best_span, n_idle) = (current.clone(), span, 0);
        } else {
            n_idle += 1;
        }
        if n_idle >= MAX_IDLE_ROUNDS {
            break;
        }
    }
    let mut order: Vec<CellId> = (0..n_cells as u32).map(CellId).collect();
    order.sort_by_key(|cell| best[cell.0 as usize]);
    order
}

/// Cells that are used together: a cell with what its new value depends on, and the cells of an instance.
fn groups(encoding: &Encoding) -> Vec<Vec<usize>> {
    let circuit = &encoding.blast.circuit;
    let cells_of = |lits: &mut dyn Iterator<Item = abridge_blast::Lit>| -> BitSet {
        circuit
            .inputs_of(lits)
            .into_iter()
            .filter_map(|input| encoding.cells.of_input(input))
            .map(|cell| cell.0 as usize)
            .collect()
    };
    let mut groups = Vec::new();
    for instance in &encoding.instances {
        let mut all = cells_of(&mut [instance.relation].into_iter());
        for (cell, lit) in &instance.writes {
            let mut group = cells_of(&mut lit.iter().copied());
            group.insert(cell.0 as usize);
            all.union_with(&group);
            groups.push(group);
        }
        all.union_with(&instance.opaque_reads);
        groups.push(all);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_iter().map(|group| group.iter().collect()).collect();
    groups.retain(|group| (2..=MAX_GROUP_CELLS).contains(&group.len()));
    groups
}

fn span(groups: &[Vec<usize>], position: &[usize]) -> usize {
    let of_group = |group: &Vec<usize>| {
        let positions = || group.iter().map(|cell| position[*cell]);
        positions().max().unwrap_or(0) - positions().min().unwrap_or(0)
    };
    groups.iter().map(of_group).sum()
}

/// The positions after every cell went to the centre of its groups.
fn moved(groups: &[Vec<usize>], position: &[usize]) -> Vec<usize> {
    let mut sums: Vec<(f64, u32)> = vec![(0.0, 0); position.len()];
    for group in groups {
        let centre = group.iter().map(|cell| position[*cell] as f64).sum::<f64>() / group.len() as f64;
        for cell in group {
            sums[*cell].0 += centre;
            sums[*cell].1 += 1;
        }
    }
    let centre = |cell: usize| match sums[cell] {
        (_, 0) => position[cell] as f64,
        (sum, count) => sum / f64::from(count),
    };
    let mut cells: Vec<usize> = (0..position.len()).collect();
    cells.sort_by(|left, right| {
        let key = |cell: usize| (centre(cell), position[cell]);
        key(*left).partial_cmp(&key(*right)).unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut new = vec![0; position.len()];
    cells.into_iter().enumerate().for_each(|(place, cell)| new[cell] = place);
    new
}
