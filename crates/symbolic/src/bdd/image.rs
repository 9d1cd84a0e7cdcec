//! Images of sets of states under relations with implicit frames.
//!
//! A set is a function of bits. A relation is a function of bits and of the next values of those bits that it writes; all others stay as they are and are
//! not mentioned. Conjunction, quantification and the renaming of next values happen in one pass, which needs a bit and its next value on
//! adjacent levels.

use super::apply::BddOp;
use super::{Bdd, BddEdge, FALSE, Made, Manager, TRUE};

impl Manager {
    /// States that a relation leads to from a set. `writes` is the cube of the bits that it writes.
    pub fn image(&mut self, set: &Bdd, relation: &Bdd, writes: &Bdd) -> Made<Bdd> {
        self.run(|manager| manager.step(set.edge, relation.edge, writes.edge, BddOp::Image))
    }

    /// States from which a relation leads to a set.
    pub fn preimage(&mut self, set: &Bdd, relation: &Bdd, writes: &Bdd) -> Made<Bdd> {
        self.run(|manager| manager.step(set.edge, relation.edge, writes.edge, BddOp::Preimage))
    }

    fn step(&mut self, set: BddEdge, relation: BddEdge, writes: BddEdge, op: BddOp) -> Made<BddEdge> {
        if set == FALSE || relation == FALSE {
            return Ok(FALSE);
        }
        if writes == TRUE {
            return self.and_edges(set, relation);
        }
        let key = [set.0, relation.0, writes.0];
        if let Some(known) = self.cache.get(op, key) {
            return Ok(known);
        }
        // Levels come in pairs; the upper one of the pair.
        let level = self.level(set).min(self.level(relation) & !1).min(self.level(writes));
        let (set_hi, set_lo) = self.cofactors(set, level);
        let (from_hi, from_lo) = self.cofactors(relation, level);
        let var = self.var_at[level as usize];
        let result = if self.level(writes) == level {
            let rest = self.nodes[writes.node()].hi;
            let (hi_hi, hi_lo) = self.cofactors(from_hi, level + 1);
            let (lo_hi, lo_lo) = self.cofactors(from_lo, level + 1);
            let parts = match op {
                BddOp::Image => [[(set_hi, hi_hi), (set_lo, lo_hi)], [(set_hi, hi_lo), (set_lo, lo_lo)]],
                _ => [[(set_hi, hi_hi), (set_lo, hi_lo)], [(set_hi, lo_hi), (set_lo, lo_lo)]],
            };
            let mut either = |[first, second]: [(BddEdge, BddEdge); 2]| -> Made<BddEdge> {
                let left = self.step(first.0, first.1, rest, op)?;
                let right = self.step(second.0, second.1, rest, op)?;
                self.or_edges(left, right)
            };
            let (hi, lo) = (either(parts[0])?, either(parts[1])?);
            self.make(var, hi, lo)?
        } else {
            let hi = self.step(set_hi, from_hi, writes, op)?;
            let lo = self.step(set_lo, from_lo, writes, op)?;
            self.make(var, hi, lo)?
        };
        self.cache.put(op, key, result);
        Ok(result)
    }
}
