//! Exact numbers of solutions, and single solutions.

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::{Bdd, BddEdge, Manager, NO_VAR, TRUE, Var};

/// Counts over some variables.
struct StateCounter<'m> {
    manager: &'m Manager,
    /// For each level the number of counted variables above it.
    rank: Vec<u32>,
    n_vars: u32,
    /// Solutions of a node over the counted variables at and below its level.
    known: FxHashMap<u32, BigUint>,
}

impl StateCounter<'_> {
    fn rank(&self, edge: BddEdge) -> u32 {
        match self.manager.nodes[edge.node()].var {
            NO_VAR => self.n_vars,
            var => self.rank[self.manager.level_of[var as usize] as usize],
        }
    }

    /// Solutions over the counted variables from the given rank on.
    fn solutions(&mut self, edge: BddEdge, rank: u32) -> BigUint {
        let own = self.rank(edge);
        let regular = self.of_node(edge.0 >> 1);
        let count = if edge.is_negated() { (BigUint::from(1_u32) << (self.n_vars - own)) - regular } else { regular };
        count << (own - rank)
    }

    fn of_node(&mut self, node: u32) -> BigUint {
        if node == TRUE.0 >> 1 {
            return BigUint::from(1_u32);
        }
        if let Some(known) = self.known.get(&node) {
            return known.clone();
        }
        let super::BddNode { hi, lo, .. } = self.manager.nodes[node as usize];
        let below = self.rank(BddEdge(node << 1)) + 1;
        let count = self.solutions(hi, below) + self.solutions(lo, below);
        self.known.insert(node, count.clone());
        count
    }
}

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
        StateCounter { manager: self, rank, n_vars, known: FxHashMap::default() }.solutions(bdd.edge, 0)
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
            edge = if lo == super::FALSE {
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
