//! Boolean operations, quantification and renaming, with a cache of results.
//!
//! The cache is direct-mapped and lossy; a lost entry costs time only. Its keys are edges, so it is emptied when nodes are collected.

use super::{BOTTOM, Bdd, BddEdge, FALSE, Made, Manager, TRUE, Var};

/// Operations as keys of the cache.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum BddOp {
    And = 1,
    Xor,
    AndExists,
    Image,
    Preimage,
    Map,
    Simplify,
}

#[derive(Clone, Copy, Default)]
struct CacheEntry {
    op: u32,
    operands: [u32; 3],
    result: u32,
}

/// Results of operations on edges.
#[derive(Default)]
pub(super) struct OpCache {
    entries: Vec<CacheEntry>,
}

const MIN_CACHE_ENTRIES: usize = 1 << 14;
const MAX_CACHE_ENTRIES: usize = 1 << 23;

impl OpCache {
    pub(super) fn clear(&mut self) {
        self.entries.fill(CacheEntry::default());
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<CacheEntry>()) as u64
    }

    /// Makes room for about as many results as there are nodes, but for no more than there may ever be.
    pub(super) fn grow_to(&mut self, n_nodes: usize, max_nodes: usize) {
        let most = (max_nodes / 2 + 1).next_power_of_two().clamp(MIN_CACHE_ENTRIES, MAX_CACHE_ENTRIES);
        let wanted = n_nodes.next_power_of_two().clamp(MIN_CACHE_ENTRIES, most);
        if wanted > self.entries.len() {
            let old = std::mem::replace(&mut self.entries, vec![CacheEntry::default(); wanted]);
            for entry in old.into_iter().filter(|entry| entry.op != 0) {
                let slot = self.slot(entry.op, entry.operands);
                self.entries[slot] = entry;
            }
        }
    }

    fn slot(&self, op: u32, [first, second, third]: [u32; 3]) -> usize {
        let mut mixed = (u64::from(first) << 32 | u64::from(second)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^= mixed >> 29;
        mixed = (mixed ^ (u64::from(third) << 3 | u64::from(op))).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed >> 32) as usize & (self.entries.len() - 1)
    }

    pub(super) fn get(&self, op: BddOp, operands: [u32; 3]) -> Option<BddEdge> {
        let entry = &self.entries[self.slot(op as u32, operands)];
        (entry.op == op as u32 && entry.operands == operands).then_some(BddEdge(entry.result))
    }

    pub(super) fn put(&mut self, op: BddOp, operands: [u32; 3], result: BddEdge) {
        let slot = self.slot(op as u32, operands);
        self.entries[slot] = CacheEntry { op: op as u32, operands, result: result.0 };
    }
}

/// A permutation of variables that was registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MapId(u32);

impl Manager {
    pub fn and(&mut self, left: &Bdd, right: &Bdd) -> Made<Bdd> {
        self.run(|manager| manager.and_edges(left.edge, right.edge))
    }

    pub fn or(&mut self, left: &Bdd, right: &Bdd) -> Made<Bdd> {
        self.run(|manager| manager.or_edges(left.edge, right.edge))
    }

    pub fn xor(&mut self, left: &Bdd, right: &Bdd) -> Made<Bdd> {
        self.run(|manager| manager.xor_edges(left.edge, right.edge))
    }

    /// What holds on the left and not on the right.
    pub fn minus(&mut self, left: &Bdd, right: &Bdd) -> Made<Bdd> {
        self.run(|manager| manager.and_edges(left.edge, right.edge.not()))
    }

    /// Whether the left function implies the right one.
    pub fn implies(&mut self, left: &Bdd, right: &Bdd) -> Made<bool> {
        Ok(self.minus(left, right)?.is_false())
    }

    /// The function for some values of the variables of a cube.
    pub fn exists(&mut self, bdd: &Bdd, cube: &Bdd) -> Made<Bdd> {
        self.run(|manager| manager.and_exists_edges(bdd.edge, TRUE, cube.edge))
    }

    /// The conjunction for some values of the variables of a cube.
    pub fn and_exists(&mut self, left: &Bdd, right: &Bdd, cube: &Bdd) -> Made<Bdd> {
        self.run(|manager| manager.and_exists_edges(left.edge, right.edge, cube.edge))
    }

    /// Registers a permutation of bits, given by those that move, each with the one that it goes to; their next values move too.
    pub fn permutation(&mut self, moved: &[(Var, Var)]) -> MapId {
        let mut map: Vec<u32> = (0..self.level_of.len() as u32).collect();
        for (from, to) in moved {
            map[from.0 as usize] = to.0;
            map[from.next().0 as usize] = to.next().0;
        }
        self.register(map)
    }

    /// Registers the renaming of every bit to its next value, and back.
    pub fn priming(&mut self) -> MapId {
        self.register((0..self.level_of.len() as u32).map(|var| var ^ 1).collect())
    }

    fn register(&mut self, map: Vec<u32>) -> MapId {
        self.maps.push(map);
        MapId(self.maps.len() as u32 - 1)
    }

    /// The function with its variables permuted.
    pub fn map(&mut self, bdd: &Bdd, map: MapId) -> Made<Bdd> {
        self.run(|manager| {
            let moved = manager.maps[map.0 as usize].iter().enumerate().filter(|(var, to)| *var as u32 != **to);
            let last = moved.map(|(var, _)| manager.level_of[var]).max().unwrap_or(0);
            manager.map_edge(bdd.edge, map, last)
        })
    }

    pub(super) fn and_edges(&mut self, left: BddEdge, right: BddEdge) -> Made<BddEdge> {
        if left == right || right == TRUE {
            return Ok(left);
        }
        if left == TRUE {
            return Ok(right);
        }
        if left == FALSE || right == FALSE || left == right.not() {
            return Ok(FALSE);
        }
        let (left, right) = if left.0 < right.0 { (left, right) } else { (right, left) };
        let key = [left.0, right.0, 0];
        if let Some(known) = self.cache.get(BddOp::And, key) {
            return Ok(known);
        }
        let level = self.level(left).min(self.level(right));
        let ((left_hi, left_lo), (right_hi, right_lo)) = (self.cofactors(left, level), self.cofactors(right, level));
        let hi = self.and_edges(left_hi, right_hi)?;
        let lo = self.and_edges(left_lo, right_lo)?;
        let result = self.make(self.var_at[level as usize], hi, lo)?;
        self.cache.put(BddOp::And, key, result);
        Ok(result)
    }

    pub(super) fn or_edges(&mut self, left: BddEdge, right: BddEdge) -> Made<BddEdge> {
        Ok(self.and_edges(left.not(), right.not())?.not())
    }

    fn xor_edges(&mut self, left: BddEdge, right: BddEdge) -> Made<BddEdge> {
        let is_negated = left.is_negated() != right.is_negated();
        let (left, right) = (BddEdge(left.0 & !1), BddEdge(right.0 & !1));
        let (left, right) = if left.0 < right.0 { (left, right) } else { (right, left) };
        if left == right {
            return Ok(FALSE.not_if(is_negated));
        }
        if left == TRUE {
            return Ok(right.not().not_if(is_negated));
        }
        let key = [left.0, right.0, 0];
        if let Some(known) = self.cache.get(BddOp::Xor, key) {
            return Ok(known.not_if(is_negated));
        }
        let level = self.level(left).min(self.level(right));
        let ((left_hi, left_lo), (right_hi, right_lo)) = (self.cofactors(left, level), self.cofactors(right, level));
        let hi = self.xor_edges(left_hi, right_hi)?;
        let lo = self.xor_edges(left_lo, right_lo)?;
        let result = self.make(self.var_at[level as usize], hi, lo)?;
        self.cache.put(BddOp::Xor, key, result);
        Ok(result.not_if(is_negated))
    }

    /// The rest of a cube from a level on.
    pub(super) fn cube_from(&self, mut cube: BddEdge, level: u32) -> BddEdge {
        while self.level(cube) < level {
            cube = self.nodes[cube.node()].hi;
        }
        cube
    }

    fn and_exists_edges(&mut self, left: BddEdge, right: BddEdge, cube: BddEdge) -> Made<BddEdge> {
        if left == FALSE || right == FALSE || left == right.not() {
            return Ok(FALSE);
        }
        let level = self.level(left).min(self.level(right));
        if level == BOTTOM {
            return Ok(TRUE);
        }
        let cube = self.cube_from(cube, level);
        if cube == TRUE {
            return self.and_edges(left, right);
        }
        let (left, right) = if left.0 < right.0 { (left, right) } else { (right, left) };
        let key = [left.0, right.0, cube.0];
        if let Some(known) = self.cache.get(BddOp::AndExists, key) {
            return Ok(known);
        }
        let ((left_hi, left_lo), (right_hi, right_lo)) = (self.cofactors(left, level), self.cofactors(right, level));
        let hi = self.and_exists_edges(left_hi, right_hi, cube)?;
        let is_quantified = self.level(cube) == level;
        let result = if is_quantified && hi == TRUE {
            TRUE
        } else {
            let lo = self.and_exists_edges(left_lo, right_lo, cube)?;
            if is_quantified { self.or_edges(hi, lo)? } else { self.make(self.var_at[level as usize], hi, lo)? }
        };
        self.cache.put(BddOp::AndExists, key, result);
        Ok(result)
    }

    /// The function that is one where a variable is true and the other where it is false.
    pub(super) fn decide(&mut self, var: u32, hi: BddEdge, lo: BddEdge) -> Made<BddEdge> {
        let level = self.level_of[var as usize];
        if level < self.level(hi).min(self.level(lo)) {
            return self.make(var, hi, lo);
        }
        let var = self.make(var, TRUE, FALSE)?;
        let (hi, lo) = (self.and_edges(var, hi)?, self.and_edges(var.not(), lo)?);
        self.or_edges(hi, lo)
    }

    /// `last` is the last level with a variable that moves.
    fn map_edge(&mut self, edge: BddEdge, map: MapId, last: u32) -> Made<BddEdge> {
        if edge.is_constant() || self.level(edge) > last {
            return Ok(edge);
        }
        let key = [edge.0 & !1, map.0, 0];
        if let Some(known) = self.cache.get(BddOp::Map, key) {
            return Ok(known.not_if(edge.is_negated()));
        }
        let (level, regular) = (self.level(edge), BddEdge(edge.0 & !1));
        let (hi, lo) = self.cofactors(regular, level);
        let hi = self.map_edge(hi, map, last)?;
        let lo = self.map_edge(lo, map, last)?;
        let var = self.maps[map.0 as usize][self.var_at[level as usize] as usize];
        let result = self.decide(var, hi, lo)?;
        self.cache.put(BddOp::Map, key, result);
        Ok(result.not_if(edge.is_negated()))
    }
}
