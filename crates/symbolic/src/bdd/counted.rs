//! Symmetric functions of equal blocks of bits as functions of counters.
//!
//! A function that no permutation of blocks changes depends only on how many blocks have which record (Emerson, Trefler 1999, generic representatives). It can therefore be read
//! in any order of the records: so many times the first, so many times the second. Functions of what remains, by the number of blocks read, are the states of an
//! automaton, and the diagram over counters follows its paths. For relations, blocks that change are read first; the others stay as they are. A function
//! that is not symmetric would be read in one order only, and the result would be wrong.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::arranged::binomials;
use super::{Bdd, BddEdge, BddStop, FALSE, Made, Manager, TRUE, Var};

/// Records of a block, numbered: bit `k` is the `k`-th bit of the block.
pub type BlockRecord = u64;

/// Blocks that change, each with the numbers of its record before and after, in ascending order.
pub type BlockChange = Vec<(usize, usize)>;

/// Numbers of a record and of the one that replaces it, and the function of the other blocks then.
type NextBlock = (usize, usize, BddEdge);

/// Ways in which blocks change, at most: each is a relation of its own.
const MAX_CHANGES: usize = 1 << 15;

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
pub struct CountingReader<'r> {
    manager: &'r Manager,
    counting: &'r Counting,
    /// Levels before all blocks, with the variables that they become.
    first: Vec<(u32, u32)>,
    /// Levels of the bits of each block, with their positions.
    blocks: Vec<Vec<(u32, usize)>>,
    /// By record, the one that it becomes in blocks that are not said to change. Most relations leave these alone; some move all blocks in one way.
    pub others: Vec<usize>,
    numbers: FxHashMap<BlockRecord, usize>,
    /// Functions of the blocks from one on that are true whatever their records are, if these become the others'.
    free: RefCell<FxHashMap<(BddEdge, usize), bool>>,
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

    /// A symmetric set of another manager as a set of numbers of records, whose sum is the number of blocks.
    pub fn counted(&mut self, from: &Manager, counting: &Counting, set: &Bdd) -> Made<Bdd> {
        let reader = CountingReader::new(from, counting);
        self.written(&reader, set, (&Vec::new(), true))
    }

    /// The part of a symmetric relation of another manager where these blocks change, as a set of numbers of records before. Of numbers with another sum than the number of
    /// blocks it says nothing: with that condition, each part would have nodes for all counters.
    pub fn counted_change(&mut self, reader: &CountingReader<'_>, relation: &Bdd, change: &BlockChange) -> Made<Bdd> {
        self.written(reader, relation, (change, false))
    }

    fn written(
        &mut self,
        reader: &CountingReader<'_>,
        relation: &Bdd,
        (change, knows_sum): (&BlockChange, bool),
    ) -> Made<Bdd> {
        let mut leaving = vec![0; reader.counting.records.len()];
        change.iter().for_each(|(record, _)| leaving[*record] += 1);
        self.run(|to| {
            let known = FxHashMap::default();
            let mut writer = CountingWriter { reader, to, leaving: &leaving, knows_sum, known };
            let mut known = FxHashMap::default();
            writer.first(relation.edge, 0, change, &mut known)
        })
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
    /// Reads functions of a manager.
    pub fn new(manager: &'r Manager, counting: &'r Counting) -> Self {
        let level = |bit: &Var| manager.level_of[bit.0 as usize];
        let both = |(bit, to): &(Var, Var)| [(level(bit), to.0), (level(bit) + 1, to.next().0)];
        let mut first: Vec<(u32, u32)> = counting.first.iter().flat_map(both).collect();
        first.sort_unstable();
        let block = |bits: &Vec<Var>| {
            let mut levels: Vec<(u32, usize)> = bits.iter().map(level).zip(0..).collect();
            levels.sort_unstable();
            levels
        };
        let blocks = counting.blocks.iter().map(block).collect();
        let others = (0..counting.records.len()).collect();
        let numbers = counting.records.iter().copied().zip(0..).collect();
        CountingReader { manager, counting, first, blocks, others, numbers, free: RefCell::default() }
    }

    /// Reads a relation that may move all blocks in one way.
    pub fn of(manager: &'r Manager, counting: &'r Counting, relation: &Bdd, max_blocks: usize) -> Self {
        let mut reader = CountingReader::new(manager, counting);
        reader.others = reader.common(relation, max_blocks).unwrap_or_else(|| reader.others.clone());
        reader
    }

    /// Records of the blocks that do nothing of their own, after some that do: those that have one successor each. Nothing if a record comes about that has no number.
    fn common(&self, relation: &Bdd, max_blocks: usize) -> Option<Vec<usize>> {
        let mut edges = self.roots(relation);
        for block in 0..=max_blocks.min(self.counting.blocks.len() - 1) {
            let mut maps: Vec<Vec<(usize, usize)>> = Vec::new();
            let mut below = BTreeSet::new();
            for edge in edges {
                let next = self.successors(edge, block)?;
                below.extend(next.iter().map(|(.., below)| *below));
                let mut map: Vec<(usize, usize)> = next.iter().map(|(from, to, _)| (*from, *to)).collect();
                map.sort_unstable();
                map.dedup();
                if !map.is_empty() && map.windows(2).all(|pair| pair[0].0 != pair[1].0) {
                    maps.push(map);
                }
            }
            if !maps.is_empty() {
                return Some(self.merged(maps));
            }
            edges = below;
        }
        None
    }

    /// Maps that agree as one that does nothing if it is applied twice, those first that change little.
    fn merged(&self, mut maps: Vec<Vec<(usize, usize)>>) -> Vec<usize> {
        maps.sort_by_key(|map| map.iter().filter(|(from, to)| from != to).count());
        let mut all: FxHashMap<usize, usize> = FxHashMap::default();
        for map in maps {
            if map.iter().all(|(from, to)| all.get(from).is_none_or(|known| known == to)) {
                all.extend(map);
            }
        }
        let image = |record: usize| all.get(&record).copied().unwrap_or(record);
        let is_settled = |record: usize| image(image(record)) == image(record);
        (0..self.counting.records.len()).map(|record| if is_settled(record) { image(record) } else { record }).collect()
    }

    /// What is left of a relation below the bits before all blocks.
    fn roots(&self, relation: &Bdd) -> BTreeSet<BddEdge> {
        let mut roots = BTreeSet::from([relation.edge]);
        for (level, _) in &self.first {
            roots = roots.iter().flat_map(|edge| <[BddEdge; 2]>::from(self.manager.cofactors(*edge, *level))).collect();
        }
        roots.remove(&FALSE);
        roots
    }

    /// Whether a function of the blocks from one on is true whatever their records are, if these become the others'.
    fn is_free(&self, edge: BddEdge, n_read: usize) -> bool {
        if edge.is_constant() || n_read == self.counting.blocks.len() {
            return edge == TRUE;
        }
        let known = self.free.borrow().get(&(edge, n_read)).copied();
        known.unwrap_or_else(|| {
            let mut below = self.others.iter().enumerate().map(|pair| self.after(edge, n_read, (pair.0, *pair.1)));
            let first = below.next().unwrap_or(FALSE);
            let is_free = below.all(|other| other == first) && self.is_free(first, n_read + 1);
            self.free.borrow_mut().insert((edge, n_read), is_free);
            is_free
        })
    }

    /// Sets of blocks that a symmetric relation changes otherwise than the others, one for each way; nothing if more blocks than a limit change, if there are too many ways, or if a record
    /// comes about that has no number.
    pub fn changes(&self, relation: &Bdd, max_blocks: usize) -> Option<BTreeSet<BlockChange>> {
        let roots = self.roots(relation);
        let mut changes = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut known: FxHashMap<(BddEdge, usize), Rc<[NextBlock]>> = FxHashMap::default();
        let mut open: Vec<(BddEdge, BlockChange)> = roots.into_iter().map(|edge| (edge, Vec::new())).collect();
        while let Some((edge, change)) = open.pop() {
            if edge == FALSE || !seen.insert((edge, change.clone())) {
                continue;
            }
            if change.len() < self.counting.blocks.len() {
                let next = match known.get(&(edge, change.len())) {
                    Some(next) => next.clone(),
                    None => Rc::from(self.changes_at(edge, change.len())?),
                };
                known.insert((edge, change.len()), next.clone());
                for (from, to, below) in next.iter().copied() {
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
            if changes.len() > MAX_CHANGES || self.manager.is_stopped() {
                return None;
            }
        }
        Some(changes)
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

    /// Records that a block can have with others that replace them, where the other blocks do something else, and the function of the other blocks then.
    fn changes_at(&self, edge: BddEdge, block: usize) -> Option<Vec<NextBlock>> {
        let mut next = self.successors(edge, block)?;
        next.retain(|(from, to, _)| self.others[*from] != *to);
        Some(next)
    }

    /// Records that a block can have with those that replace them, and the function of the other blocks then; nothing if a record has no number.
    fn successors(&self, edge: BddEdge, block: usize) -> Option<Vec<NextBlock>> {
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
            for (target, below) in open {
                changes.push((number, *self.numbers.get(&target)?, below));
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
    /// Numbers with another sum than the number of blocks are excluded; else they do not matter.
    knows_sum: bool,
    /// By function, blocks read and record; nothing where numbers do not matter.
    known: FxHashMap<(BddEdge, usize, usize), Option<BddEdge>>,
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
            return Ok(self.rest(edge, n_read, 0)?.unwrap_or(FALSE));
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

    /// Numbers of the records from one on that the remaining blocks may have, which become the others'; nothing if no number is to be told.
    fn rest(&mut self, edge: BddEdge, n_read: usize, record: usize) -> Made<Option<BddEdge>> {
        let counting = self.reader.counting;
        let left = counting.blocks.len() - n_read;
        if edge == FALSE {
            return Ok(Some(FALSE));
        }
        if record == counting.records.len() {
            let is_true = edge == TRUE && left == 0;
            return Ok((left == 0 || self.knows_sum).then_some(if is_true { TRUE } else { FALSE }));
        }
        if let Some(known) = self.known.get(&(edge, n_read, record)) {
            return Ok(*known);
        }
        if self.to.is_stopped() {
            return Err(BddStop::Stopped);
        }
        let result = if !self.knows_sum && self.reader.is_free(edge, n_read) {
            Some(self.all_leaving(record)?)
        } else {
            let values = self.values(edge, n_read, record)?;
            self.decided(&counting.counters[record], values)?
        };
        self.known.insert((edge, n_read, record), result);
        Ok(result)
    }

    /// What follows from each number of blocks with a record.
    fn values(&mut self, edge: BddEdge, n_read: usize, record: usize) -> Made<Vec<Option<BddEdge>>> {
        let counting = self.reader.counting;
        let left = counting.blocks.len() - n_read;
        let mut values = vec![self.knows_sum.then_some(FALSE); 1 << counting.counters[record].len()];
        values[..self.leaving[record]].fill(Some(FALSE));
        let mut below = edge;
        for number in 0..=left {
            values[number + self.leaving[record]] = self.rest(below, n_read + number, record + 1)?;
            if number < left {
                below = self.reader.after(below, n_read + number, (record, self.reader.others[record]));
            }
        }
        Ok(values)
    }

    /// A decision by the value of a counter, where some values may not matter.
    fn decided(&mut self, counter: &[Var], mut values: Vec<Option<BddEdge>>) -> Made<Option<BddEdge>> {
        for bit in counter.iter().rev() {
            let mut halved = Vec::with_capacity(values.len() / 2);
            for pair in values.chunks(2) {
                halved.push(match (pair[1], pair[0]) {
                    (Some(hi), Some(lo)) => Some(self.to.make(bit.0, hi, lo)?),
                    (hi, lo) => hi.or(lo),
                });
            }
            values = halved;
        }
        Ok(values[0])
    }

    /// Of the records from one on, there are as many as leave.
    fn all_leaving(&mut self, record: usize) -> Made<BddEdge> {
        let mut all = TRUE;
        for (counter, leaving) in self.reader.counting.counters.iter().zip(self.leaving).skip(record).rev() {
            if *leaving > 0 {
                let value = |number: usize| Some(if number < *leaving { FALSE } else { all });
                let values = (0..1 << counter.len()).map(value).collect();
                all = self.decided(counter, values)?.unwrap_or(all);
            }
        }
        Ok(all)
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
