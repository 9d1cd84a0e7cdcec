//! Numbers of arrangements: states behind representatives, without a diagram of them.
//!
//! A representative of an orbit under all permutations of equal blocks of bits has its blocks in order, so that equal blocks are neighbours. It stands for as many states
//! as its blocks can be arranged in different ways, a multinomial coefficient: the product over runs of equal blocks of the number of ways to choose the places of the run
//! among all places so far. The sum over a set goes block by block through its diagram and remembers the last block and the length of its run.

use std::rc::Rc;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::{Bdd, BddEdge, FALSE, Manager, Var};

/// Different blocks below one node, at most; with more there is no answer.
const MAX_RECORDS: usize = 1 << 12;
/// Bits of a block, at most.
const MAX_BLOCK_BITS: usize = 64;

/// The bits of a block, and the functions of what is below, by block.
type Records = Rc<[(u64, BddEdge)]>;

struct Arrangements<'m> {
    manager: &'m Manager,
    /// Levels of the bits before all blocks, and of the bits of each block with their positions in the block.
    first: Vec<u32>,
    blocks: Vec<Vec<(u32, usize)>>,
    /// Binomial coefficients by row.
    binomials: Vec<Vec<BigUint>>,
    records: FxHashMap<(BddEdge, usize), Records>,
    known: FxHashMap<(BddEdge, usize, u64, usize), BigUint>,
    known_first: FxHashMap<(BddEdge, usize), BigUint>,
}

impl Manager {
    /// The sum over all solutions of the number of different arrangements of their blocks. In every solution, equal blocks must be neighbours. The bits of each block
    /// are aligned with those of the others. Nothing if the levels do not go through the first bits and then through one block after the other, if blocks are
    /// too large, or after a stop.
    pub fn count_arranged(&self, bdd: &Bdd, first: &[Var], blocks: &[Vec<Var>]) -> Option<BigUint> {
        let level = |var: &Var| self.level_of[var.0 as usize];
        let mut first: Vec<u32> = first.iter().map(level).collect();
        first.sort_unstable();
        let mut last = first.last().copied();
        let mut levels = Vec::with_capacity(blocks.len());
        for block in blocks {
            let mut block: Vec<(u32, usize)> = block.iter().map(level).zip(0..).collect();
            block.sort_unstable();
            let is_below = block.first().is_some_and(|(top, _)| last.is_none_or(|last| *top > last));
            if !is_below || block.len() > MAX_BLOCK_BITS {
                return None;
            }
            last = block.last().map(|(bottom, _)| *bottom);
            levels.push(block);
        }
        let mut arrangements = Arrangements {
            manager: self,
            first,
            binomials: binomials(blocks.len()),
            blocks: levels,
            records: FxHashMap::default(),
            known: FxHashMap::default(),
            known_first: FxHashMap::default(),
        };
        arrangements.of_first(bdd.edge, 0)
    }
}

impl Arrangements<'_> {
    /// Goes through the bits before all blocks.
    fn of_first(&mut self, edge: BddEdge, place: usize) -> Option<BigUint> {
        if edge == FALSE {
            return Some(BigUint::default());
        }
        let Some(level) = self.first.get(place).copied() else { return self.of_block(edge, 0, None) };
        if let Some(known) = self.known_first.get(&(edge, place)) {
            return Some(known.clone());
        }
        let (hi, lo) = self.manager.cofactors(edge, level);
        let count = match hi == lo {
            true => self.of_first(hi, place + 1)? << 1_u32,
            false => self.of_first(hi, place + 1)? + self.of_first(lo, place + 1)?,
        };
        self.known_first.insert((edge, place), count.clone());
        Some(count)
    }

    /// Goes through the blocks from one on, after a run of equal blocks.
    fn of_block(&mut self, edge: BddEdge, number: usize, run: Option<(u64, usize)>) -> Option<BigUint> {
        let ways = run.map_or_else(|| BigUint::from(1_u32), |(_, length)| self.binomials[number][length].clone());
        if number == self.blocks.len() {
            return Some(ways);
        }
        let key = run.map(|(record, length)| (edge, number, record, length));
        if let Some(known) = key.and_then(|key| self.known.get(&key)) {
            return Some(known.clone());
        }
        let mut count = BigUint::default();
        if self.manager.stop.is_raised() {
            return None;
        }
        for (record, below) in self.records(edge, number)?.iter() {
            count += match run {
                Some((last, length)) if last == *record => {
                    self.of_block(*below, number + 1, Some((last, length + 1)))?
                }
                _ => &ways * self.of_block(*below, number + 1, Some((*record, 1)))?,
            };
        }
        if let Some(key) = key {
            self.known.insert(key, count.clone());
        }
        Some(count)
    }

    fn records(&mut self, edge: BddEdge, number: usize) -> Option<Records> {
        if let Some(known) = self.records.get(&(edge, number)) {
            return Some(known.clone());
        }
        let mut open = vec![(0_u64, edge)];
        for (level, bit) in &self.blocks[number] {
            let mut next = Vec::with_capacity(open.len());
            for (record, edge) in open {
                let (hi, lo) = self.manager.cofactors(edge, *level);
                let branches = [(record | 1 << bit, hi), (record, lo)];
                next.extend(branches.into_iter().filter(|(_, edge)| *edge != FALSE));
            }
            if next.len() > MAX_RECORDS {
                return None;
            }
            open = next;
        }
        let records: Records = open.into();
        self.records.insert((edge, number), records.clone());
        Some(records)
    }
}

/// The rows of Pascal's triangle up to a size.
pub(super) fn binomials(size: usize) -> Vec<Vec<BigUint>> {
    let mut rows = vec![vec![BigUint::from(1_u32)]];
    for number in 1..=size {
        let above = &rows[number - 1];
        let inner = (1..number).map(|place| &above[place - 1] + &above[place]);
        let one = || BigUint::from(1_u32);
        rows.push(std::iter::once(one()).chain(inner).chain([one()]).collect());
    }
    rows
}
