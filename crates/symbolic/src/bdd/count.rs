//! Exact numbers of solutions, and single solutions.

use std::ops::{AddAssign, Shl};

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::{Bdd, BddEdge, FALSE, Manager, TRUE, Var};

/// A number of solutions.
trait Count: Clone + From<u32> + AddAssign + Shl<u32, Output = Self> {}

impl Count for u128 {}
impl Count for BigUint {}

/// Variables whose assignments are counted with machine words.
const MAX_WORD_VARS: u32 = 127;

impl Manager {
    /// Number of assignments of the given variables that satisfy a function. The function depends on no others.
    pub fn count(&self, bdd: &Bdd, vars: &[Var]) -> BigUint {
        let mut is_counted = vec![false; self.var_at.len()];
        vars.iter().for_each(|var| is_counted[self.level_of[var.0 as usize] as usize] = true);
        let mut n_vars = 0;
        let mut rank = Vec::with_capacity(is_counted.len());
        for is_counted in is_counted {
            rank.push(n_vars);
            n_vars += u32::from(is_counted);
        }
        rank.push(n_vars);
        if n_vars <= MAX_WORD_VARS {
            return BigUint::from(self.solutions::<u128>(bdd.edge, &rank));
        }
        self.solutions(bdd.edge, &rank)
    }

    /// Solutions, given for each level, the terminal's included, the number of counted variables above it. Goes from the first level to the last with the number of ways to come to each edge, so
    /// that only edges that cross one level are remembered.
    fn solutions<N: Count>(&self, edge: BddEdge, rank: &[u32]) -> N {
        let last = rank.len() - 1;
        let level = |edge: BddEdge| (self.level(edge) as usize).min(last);
        let mut ways: Vec<FxHashMap<BddEdge, N>> = vec![FxHashMap::default(); rank.len()];
        ways[level(edge)].insert(edge, N::from(1) << rank[level(edge)]);
        for at in 0..last {
            for (edge, n_ways) in std::mem::take(&mut ways[at]) {
                let (hi, lo) = self.cofactors(edge, at as u32);
                for child in [hi, lo].into_iter().filter(|child| *child != FALSE) {
                    let below = level(child);
                    let more = n_ways.clone() << (rank[below] - rank[at] - 1);
                    *ways[below].entry(child).or_insert_with(|| N::from(0)) += more;
                }
            }
        }
        ways[last].remove(&TRUE).unwrap_or_else(|| N::from(0))
    }

    /// The variables that are true in one solution, where those that do not matter are false; nothing for the constant false.
    pub fn pick(&self, bdd: &Bdd) -> Option<Vec<Var>> {
        if bdd.is_false() {
            return None;
        }
        let (mut edge, mut vars) = (bdd.edge, Vec::new());
        while !edge.is_constant() {
            let super::BddNode { var, .. } = self.nodes[edge.node()];
            let (hi, lo) = self.cofactors(edge, self.level_of[var as usize]);
            edge = if lo == FALSE {
                vars.push(Var(var));
                hi
            } else {
                lo
            };
        }
        Some(vars)
    }

    /// The value of a function under an assignment.
    pub fn value(&self, bdd: &Bdd, is_true: impl Fn(Var) -> bool) -> bool {
        let mut edge = bdd.edge;
        while !edge.is_constant() {
            let var = self.nodes[edge.node()].var;
            let (hi, lo) = self.cofactors(edge, self.level_of[var as usize]);
            edge = if is_true(Var(var)) { hi } else { lo };
        }
        edge == TRUE
    }
}
