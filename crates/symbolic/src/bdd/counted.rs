//! Symmetric functions of equal blocks of bits as functions of counters.
//!
//! A function that no permutation of blocks changes depends only on how many blocks have which record (Emerson, Trefler 1999, generic representatives). It can therefore be read
//! in any order of the records: so many times the first, so many times the second. Functions of what remains, by the number of blocks read, are the states of an
//! automaton, and the diagram over counters follows its paths. For relations, blocks that change are read first; the others stay as they are. A function
//! that is not symmetric would be read in one order only, and the result would be wrong.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::arranged::binomials;
use super::{Bdd, BddEdge, BddStop, FALSE, Made, Manager, TRUE, Var};

/// Records of a block, numbered: bit `k` is the `k`-th bit of the block.
pub type BlockRecord = u64;

/// Blocks that change, each with the numbers of its record before and after, in ascending order.
pub type BlockChange = Vec<(usize, usize)>;

/// Bits of functions, and variables of what they become.
pub struct Counting {
    /// Bits before all blocks, with those that they become.
    pub first: Vec<(Var, Var)>,
    /// Bits of each block, aligned.
    pub blocks: Vec<Vec<Var>>,
    pub records: Vec<BlockRecord>,
    /// Bits of the counter of each record, the highest first.
    pub counters: Vec<Vec<Var>>,
}

/// A reading of functions of one manager.
struct CountingReader<'r> {
    manager: &'r Manager,
    counting: &'r Counting,
    /// Levels before all blocks, with the variables that they become.
    first: Vec<(u32, u32)>,
    /// Levels of the bits of each block, with their positions.
    blocks: Vec<Vec<(u32, usize)>>,
}

impl Manager {
    /// The relation that leaves these bits as they are.
    pub fn frame(&mut self, bits: impl IntoIterator<Item = Var>) -> Made<Bdd> {
        let mut bits: Vec<u32> = bits.into_iter().map(|bit| bit.0).collect();
        bits.sort_unstable_by_key(|bit| std::cmp::Reverse(self.level_of[*bit as usize]));
        let mut edge = TRUE;
        for bit in bits {
            let (hi, lo) = (self.make(bit | 1, edge, FALSE)?, self.make(bit | 1, FALSE, edge)?);
            edge = self.make(bit, hi, lo)?;
        }
        Ok(Bdd::new(edge, &self.pins))
    }

    /// A symmetric set of another manager as a set of numbers of records.
    pub fn counted(&mut self, from: &Manager, counting: &Counting, set: &Bdd) -> Made<Bdd> {
        self.counted_change(from, counting, set, &Vec::new())
    }

    /// The part of a symmetric relation of another manager where these blocks change, as a set of numbers of records before.
    pub fn counted_change(
        &mut self,
        from: &Manager,
        counting: &Counting,
        relation: &Bdd,
        change: &BlockChange,
    ) -> Made<Bdd> {
        let reader = CountingReader::new(from, counting);
        let mut leaving = vec![0; counting.records.len()];
        change.iter().for_each(|(record, _)| leaving[*record] += 1);
        self.run(|to| {
            let mut writer = CountingWriter { reader: &reader, to, leaving: &leaving, known: FxHashMap::default() };
            let mut known = FxHashMap::default();
            writer.first(relation.edge, 0, change, &mut known)
        })
    }

    /// Sets of blocks that a symmetric relation changes, one for each way; nothing if more blocks than a limit change, or a record comes about that has no number.
    pub fn changes(&self, counting: &Counting, relation: &Bdd, max_blocks: usize) -> Option<BTreeSet<BlockChange>> {
        let reader = CountingReader::new(self, counting);
        let numbers: FxHashMap<BlockRecord, usize> = counting.records.iter().copied().zip(0..).collect();
        let mut roots = BTreeSet::from([relation.edge]);
        for (level, _) in &reader.first {
            roots = roots.iter().flat_map(|edge| <[BddEdge; 2]>::from(self.cofactors(*edge, *level))).collect();
        }
        let mut changes = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<(BddEdge, BlockChange)> = roots.into_iter().map(|edge| (edge, Vec::new())).collect();
        while let Some((edge, change)) = open.pop() {
            if edge == FALSE || !seen.insert((edge, change.clone())) {
                continue;
            }
            if change.len() < counting.blocks.len() {
                for (from, to, below) in reader.changes_at(edge, change.len(), &numbers)? {
                    if change.last().is_none_or(|last| *last <= (from, to)) {
                        if change.len() == max_blocks {
                            return None;
                        }
                        let mut longer = change.clone();
                        longer.push((from, to));
                        open.push((below, longer));
                    }
                }
            }
            changes.insert(change);
        }
        Some(changes)
    }

    /// The sum over all numbers of records of the different arrangements of their blocks.
    pub fn count_counted(&self, set: &Bdd, counting: &Counting) -> BigUint {
        let n_blocks = counting.blocks.len();
        let mut first: Vec<u32> = counting.first.iter().map(|(_, bit)| self.level_of[bit.0 as usize]).collect();
        first.sort_unstable();
        let levels: Vec<Vec<u32>> = counting
            .counters
            .iter()
            .map(|bits| bits.iter().map(|bit| self.level_of[bit.0 as usize]).collect())
            .collect();
        let mut sums =
            Sums { manager: self, first, levels, binomials: binomials(n_blocks), known: FxHashMap::default() };
        sums.of_first(set.edge, 0, n_blocks)
    }
}

impl<'r> CountingReader<'r> {
    fn new(manager: &'r Manager, counting: &'r Counting) -> Self {
        let level = |bit: &Var| manager.level_of[bit.0 as usize];
        let both = |(bit, to): &(Var, Var)| [(level(bit), to.0), (level(bit) + 1, to.next().0)];
        let mut first: Vec<(u32, u32)> = counting.first.iter().flat_map(both).collect();
        first.sort_unstable();
        let block = |bits: &Vec<Var>| {
            let mut levels: Vec<(u32, usize)> = bits.iter().map(level).zip(0..).collect();
            levels.sort_unstable();
            levels
        };
        CountingReader { manager, counting, first, blocks: counting.blocks.iter().map(block).collect() }
    }

    fn branch(&self, edge: BddEdge, level: u32, is_true: bool) -> BddEdge {
        let (hi, lo) = self.manager.cofactors(edge, level);
        if is_true { hi } else { lo }
    }

    /// The function of the other blocks after one whose record is replaced by another.
    fn after(&self, mut edge: BddEdge, block: usize, (from, to): (usize, usize)) -> BddEdge {
        let (from, to) = (self.counting.records[from], self.counting.records[to]);
        for (level, position) in &self.blocks[block] {
            edge = self.branch(edge, *level, from >> position & 1 == 1);
            edge = self.branch(edge, level + 1, to >> position & 1 == 1);
        }
        edge
    }

    /// Records that a block can have with others that replace them, and the function of the other blocks then; nothing if a record has no number.
    fn changes_at(
        &self,
        edge: BddEdge,
        block: usize,
        numbers: &FxHashMap<BlockRecord, usize>,
    ) -> Option<Vec<(usize, usize, BddEdge)>> {
        let mut changes = Vec::new();
        for (number, record) in self.counting.records.iter().enumerate() {
            if self.manager.is_stopped() {
                return None;
            }
            let mut open = vec![(0, edge)];
            for (level, position) in &self.blocks[block] {
                let mut next = Vec::with_capacity(open.len());
                for (target, edge) in open {
                    let edge = self.branch(edge, *level, record >> position & 1 == 1);
                    let (hi, lo) = self.manager.cofactors(edge, level + 1);
                    let branches = [(target | 1 << position, hi), (target, lo)];
                    next.extend(branches.into_iter().filter(|(_, edge)| *edge != FALSE));
                }
                open = next;
            }
            for (target, below) in open.into_iter().filter(|(target, _)| target != record) {
                changes.push((number, *numbers.get(&target)?, below));
            }
        }
        Some(changes)
    }
}

/// A function of counters in the making.
struct CountingWriter<'w, 'r> {
    reader: &'w CountingReader<'r>,
    to: &'w mut Manager,
    /// Blocks with each record that were read as ones that change.
    leaving: &'w [usize],
    /// By function, blocks read and record.
    known: FxHashMap<(BddEdge, usize, usize), BddEdge>,
}

impl CountingWriter<'_, '_> {
    /// Goes through the bits before all blocks.
    fn first(
        &mut self,
        edge: BddEdge,
        place: usize,
        change: &BlockChange,
        known: &mut FxHashMap<(BddEdge, usize), BddEdge>,
    ) -> Made<BddEdge> {
        if edge == FALSE {
            return Ok(FALSE);
        }
        let Some((level, var)) = self.reader.first.get(place).copied() else {
            let after = |(edge, block): (BddEdge, usize), pair: &(usize, usize)| {
                (self.reader.after(edge, block, *pair), block + 1)
            };
            let (edge, n_read) = change.iter().fold((edge, 0), after);
            return self.rest(edge, n_read, 0);
        };
        if let Some(known) = known.get(&(edge, place)) {
            return Ok(*known);
        }
        let (hi, lo) = self.reader.manager.cofactors(edge, level);
        let (hi, lo) = (self.first(hi, place + 1, change, known)?, self.first(lo, place + 1, change, known)?);
        let result = self.to.make(var, hi, lo)?;
        known.insert((edge, place), result);
        Ok(result)
    }

    /// Numbers of the records from one on that the remaining blocks may have, which stay.
    fn rest(&mut self, edge: BddEdge, n_read: usize, record: usize) -> Made<BddEdge> {
        let counting = self.reader.counting;
        let left = counting.blocks.len() - n_read;
        if edge == FALSE || record == counting.records.len() {
            return Ok(if edge == TRUE && left == 0 { TRUE } else { FALSE });
        }
        if let Some(known) = self.known.get(&(edge, n_read, record)) {
            return Ok(*known);
        }
        if self.to.is_stopped() {
            return Err(BddStop::Stopped);
        }
        let mut values = vec![FALSE; 1 << counting.counters[record].len()];
        let mut below = edge;
        for number in 0..=left {
            values[number + self.leaving[record]] = self.rest(below, n_read + number, record + 1)?;
            if number == left {
                break;
            }
            below = self.reader.after(below, n_read + number, (record, record));
            if below == FALSE {
                break;
            }
        }
        for bit in counting.counters[record].iter().rev() {
            let pairs: Vec<(BddEdge, BddEdge)> = values.chunks(2).map(|pair| (pair[1], pair[0])).collect();
            values.clear();
            for (hi, lo) in pairs {
                values.push(self.to.make(bit.0, hi, lo)?);
            }
        }
        self.known.insert((edge, n_read, record), values[0]);
        Ok(values[0])
    }
}

/// Sums of multinomial coefficients.
struct Sums<'m> {
    manager: &'m Manager,
    first: Vec<u32>,
    /// Levels of the bits of each counter, the highest first.
    levels: Vec<Vec<u32>>,
    binomials: Vec<Vec<BigUint>>,
    known: FxHashMap<(BddEdge, usize, usize), BigUint>,
}

impl Sums<'_> {
    fn of_first(&mut self, edge: BddEdge, place: usize, n_blocks: usize) -> BigUint {
        if edge == FALSE {
            return BigUint::default();
        }
        let Some(level) = self.first.get(place).copied() else { return self.of_counter(edge, 0, n_blocks) };
        let (hi, lo) = self.manager.cofactors(edge, level);
        if hi == lo {
            return self.of_first(hi, place + 1, n_blocks) << 1_u32;
        }
        self.of_first(hi, place + 1, n_blocks) + self.of_first(lo, place + 1, n_blocks)
    }

    fn of_counter(&mut self, edge: BddEdge, number: usize, left: usize) -> BigUint {
        if edge == FALSE || number == self.levels.len() {
            return BigUint::from(u32::from(edge == TRUE && left == 0));
        }
        if let Some(known) = self.known.get(&(edge, number, left)) {
            return known.clone();
        }
        let mut sum = BigUint::default();
        for count in 0..=left {
            let mut below = edge;
            let n_bits = self.levels[number].len();
            for (place, level) in self.levels[number].iter().enumerate() {
                let (hi, lo) = self.manager.cofactors(below, *level);
                below = if count >> (n_bits - 1 - place) & 1 == 1 { hi } else { lo };
            }
            if below != FALSE {
                let others = self.of_counter(below, number + 1, left - count);
                sum += &self.binomials[left][count] * others;
            }
        }
        self.known.insert((edge, number, left), sum.clone());
        sum
    }
}
