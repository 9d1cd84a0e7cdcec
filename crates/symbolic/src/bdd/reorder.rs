//! Reordering of levels by sifting: every pair of levels, a bit and its next value, is moved through the order and left where the diagrams are smallest.
//!
//! Adjacent levels are exchanged in place: a node keeps its number and its function, so handles stay valid. References are counted while levels move, so
//! that nodes that nothing needs any more are freed at once and the size is known. A node that were freed too early would be another function later.

use super::{BddEdge, BddNode, MAX_HEADS_PER_NODE, Manager};

/// How much diagrams may grow while a pair is moved, in percent.
const MAX_GROWTH_PERCENT: usize = 120;
/// Pairs that are moved in one reordering, those with most nodes.
const MAX_SIFTED_PAIRS: usize = 400;
/// Nodes that reorderings may look at for each decision of the operations, and before there were any: the greater part of the time belongs to operations.
const MOVES_PER_DECISION: u64 = 8;
const FREE_MOVES: u64 = 1 << 27;

impl Manager {
    /// Moves pairs of levels to where the diagrams are small. No operation is under way.
    pub fn reorder(&mut self) {
        self.collect();
        self.n_reorderings += 1;
        let mut refs = self.references();
        let n_pairs = self.var_at.len() / 2;
        let mut pairs: Vec<u32> = (0..n_pairs as u32).collect();
        let n_nodes = |pair: &u32| self.tables[2 * *pair as usize].len + self.tables[2 * *pair as usize + 1].len;
        pairs.sort_by_key(|pair| std::cmp::Reverse(n_nodes(pair)));
        pairs.retain(|pair| n_nodes(pair) > 0);
        pairs.truncate(MAX_SIFTED_PAIRS);
        for pair in pairs {
            self.sift(pair, n_pairs, &mut refs);
            if self.stop.is_raised() || !self.has_time_to_reorder() {
                break;
            }
        }
    }

    /// Whether reorderings took little time so far, compared with operations.
    pub(super) fn has_time_to_reorder(&self) -> bool {
        self.n_moves <= FREE_MOVES + MOVES_PER_DECISION * self.n_decisions
    }

    /// References to each node, from other nodes and from handles. All nodes are alive.
    fn references(&self) -> Vec<u32> {
        let mut refs = vec![0; self.nodes.len()];
        for node in &self.nodes[1..] {
            refs[node.hi.node()] += 1;
            refs[node.lo.node()] += 1;
        }
        for (node, count) in self.pins.borrow().iter() {
            refs[*node as usize] += count;
        }
        refs
    }

    /// The position of a pair of variables among the pairs of levels.
    fn position(&self, pair: u32) -> usize {
        (self.level_of[2 * pair as usize] / 2) as usize
    }

    fn sift(&mut self, pair: u32, n_pairs: usize, refs: &mut Vec<u32>) {
        let start = self.position(pair);
        let (mut best, mut best_size) = (start, self.n_used);
        let goes_down_first = start * 2 > n_pairs;
        for goes_down in [goes_down_first, !goes_down_first] {
            loop {
                let at = self.position(pair);
                let is_last = if goes_down { at + 1 == n_pairs } else { at == 0 };
                if is_last || self.n_used * 100 > best_size * MAX_GROWTH_PERCENT {
                    break;
                }
                self.exchange_pairs(if goes_down { at } else { at - 1 }, refs);
                if self.n_used < best_size {
                    (best, best_size) = (self.position(pair), self.n_used);
                }
            }
        }
        while self.position(pair) < best {
            self.exchange_pairs(self.position(pair), refs);
        }
        while self.position(pair) > best {
            self.exchange_pairs(self.position(pair) - 1, refs);
        }
    }

    /// Exchanges the pair of levels at a position with the next one.
    fn exchange_pairs(&mut self, position: usize, refs: &mut Vec<u32>) {
        let first = 2 * position as u32;
        for level in [first + 1, first, first + 2, first + 1] {
            self.exchange_levels(level, refs);
        }
    }

    /// Exchanges a level with the one below it.
    fn exchange_levels(&mut self, level: u32, refs: &mut Vec<u32>) {
        let (upper, lower) = (self.var_at[level as usize], self.var_at[level as usize + 1]);
        let crossing = self.crossing(upper, lower);
        self.n_moves += 8 * crossing.len() as u64;
        for number in crossing {
            // The other nodes that cross are found by none of the new ones, whose children lie deeper.
            self.unlink(number);
            let BddNode { hi, lo, .. } = self.nodes[number as usize];
            let ((hi_hi, hi_lo), (lo_hi, lo_lo)) = (self.cofactors(hi, level + 1), self.cofactors(lo, level + 1));
            let new_hi = self.referred(upper, hi_hi, lo_hi, refs);
            let new_lo = self.referred(upper, hi_lo, lo_lo, refs);
            self.nodes[number as usize] = BddNode { var: lower, hi: new_hi, lo: new_lo, next: super::NO_NODE };
            self.link(number);
            self.forget(hi, refs);
            self.forget(lo, refs);
        }
        self.var_at.swap(level as usize, level as usize + 1);
        self.level_of[upper as usize] = level + 1;
        self.level_of[lower as usize] = level;
    }

    /// Nodes of a variable with a child of another. All others stay as they are when the two change places.
    fn crossing(&mut self, upper: u32, lower: u32) -> Vec<u32> {
        let mut crossing = Vec::new();
        if self.tables[lower as usize].len == 0 {
            return crossing;
        }
        self.compact(upper);
        self.n_moves += (self.tables[upper as usize].heads.len() + self.tables[upper as usize].len) as u64;
        for head in &self.tables[upper as usize].heads {
            let mut at = *head;
            while at != super::NO_NODE {
                let BddNode { hi, lo, next, .. } = self.nodes[at as usize];
                if self.nodes[hi.node()].var == lower || self.nodes[lo.node()].var == lower {
                    crossing.push(at);
                }
                at = next;
            }
        }
        crossing
    }

    /// Makes the table of a variable small if it has few nodes, since all of it is looked through.
    fn compact(&mut self, var: u32) {
        let table = &mut self.tables[var as usize];
        if table.heads.len() <= MAX_HEADS_PER_NODE * table.len.max(16) {
            return;
        }
        table.len = 0;
        for head in std::mem::take(&mut table.heads) {
            let mut at = head;
            while at != super::NO_NODE {
                let following = self.nodes[at as usize].next;
                self.link(at);
                at = following;
            }
        }
    }

    /// The edge of a decision with one more reference.
    fn referred(&mut self, var: u32, hi: BddEdge, lo: BddEdge, refs: &mut Vec<u32>) -> BddEdge {
        let edge = if hi == lo {
            hi
        } else {
            let is_negated = hi.is_negated();
            let (hi, lo) = (hi.not_if(is_negated), lo.not_if(is_negated));
            let number = self.find(var, hi, lo).unwrap_or_else(|| {
                let number = self.add(var, hi, lo);
                refs.resize(self.nodes.len(), 0);
                refs[number as usize] = 0;
                refs[hi.node()] += 1;
                refs[lo.node()] += 1;
                number
            });
            BddEdge(number << 1).not_if(is_negated)
        };
        refs[edge.node()] += 1;
        edge
    }

    /// Takes a reference away, and frees what nothing refers to any more.
    fn forget(&mut self, edge: BddEdge, refs: &mut [u32]) {
        if refs[edge.node()] > 1 {
            refs[edge.node()] -= 1;
            return;
        }
        let mut open = vec![edge.0 >> 1];
        while let Some(number) = open.pop() {
            refs[number as usize] -= 1;
            if number != 0 && refs[number as usize] == 0 {
                let BddNode { hi, lo, .. } = self.nodes[number as usize];
                self.unlink(number);
                self.release(number);
                open.extend([hi.0 >> 1, lo.0 >> 1]);
            }
        }
    }
}
