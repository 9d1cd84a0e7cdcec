//! Substitution, simplification where some values do not matter, and what a function depends on.
//!
//! The image of a set of states backwards is a substitution: each bit by the function that gives its new value. A bit that the set does not read costs nothing, whoever
//! writes it. A substitution happens at once: functions that are put in may mention bits that are replaced.

use rustc_hash::{FxHashMap, FxHashSet};

use super::apply::BddOp;
use super::{Bdd, BddEdge, FALSE, Made, Manager, TRUE, Var};

/// Functions in place of variables.
struct Substitution {
    with: FxHashMap<u32, BddEdge>,
    /// The last level with a variable that is replaced.
    last: u32,
    done: FxHashMap<(BddEdge, BddEdge), BddEdge>,
}

impl Manager {
    /// The function with functions in place of some variables, all at once, where `known` holds. What is put in should decide what is known: a relation with one
    /// value for an argument, say, whose pairs take the place of the elements of a set.
    pub fn compose(&mut self, bdd: &Bdd, with: &[(Var, Bdd)], known: &Bdd) -> Made<Bdd> {
        self.run(|manager| {
            let last = with.iter().map(|(var, _)| manager.level_of[var.0 as usize]).max();
            let Some(last) = last else { return manager.and_edges(bdd.edge, known.edge) };
            let with = with.iter().map(|(var, to)| (var.0, to.edge)).collect();
            let mut substitution = Substitution { with, last, done: FxHashMap::default() };
            manager.compose_edge(bdd.edge, known.edge, &mut substitution)
        })
    }

    /// A function with the same values where `care` is true, and mostly a smaller diagram (Coudert, Madre 1990).
    pub fn simplify(&mut self, bdd: &Bdd, care: &Bdd) -> Made<Bdd> {
        self.run(|manager| manager.simplify_edge(bdd.edge, care.edge))
    }

    /// The variable that a function is, if it is one.
    pub fn as_variable(&self, bdd: &Bdd) -> Option<Var> {
        let is_variable = !bdd.edge.is_constant() && !bdd.edge.is_negated() && self.is_literal(bdd.edge);
        is_variable.then(|| Var(self.nodes[bdd.edge.node()].var))
    }

    /// The variables that a function depends on, ascending.
    pub fn support(&self, bdd: &Bdd) -> Vec<Var> {
        let mut seen = FxHashSet::default();
        let mut vars = FxHashSet::default();
        let mut open = vec![bdd.edge.node()];
        while let Some(node) = open.pop() {
            if node != 0 && seen.insert(node) {
                vars.insert(Var(self.nodes[node].var));
                open.extend([self.nodes[node].hi.node(), self.nodes[node].lo.node()]);
            }
        }
        let mut vars: Vec<Var> = vars.into_iter().collect();
        vars.sort_unstable();
        vars
    }

    /// The composition of an edge, conjoined with what is known.
    fn compose_edge(&mut self, edge: BddEdge, known: BddEdge, substitution: &mut Substitution) -> Made<BddEdge> {
        if edge == FALSE || known == FALSE {
            return Ok(FALSE);
        }
        if edge == TRUE || self.level(edge) > substitution.last {
            return self.and_edges(edge, known);
        }
        if let Some(result) = substitution.done.get(&(edge, known)) {
            return Ok(*result);
        }
        let level = self.level(edge);
        let (hi, lo) = self.cofactors(edge, level);
        let var = self.var_at[level as usize];
        let result = match substitution.with.get(&var).copied() {
            Some(TRUE) => self.compose_edge(hi, known, substitution)?,
            Some(FALSE) => self.compose_edge(lo, known, substitution)?,
            // A copy decides more of what is known. Other functions would decide about too much.
            Some(condition) if known != TRUE && self.is_literal(condition) => {
                let (is_true, is_false) = (self.and_edges(known, condition)?, self.and_edges(known, condition.not())?);
                let hi = self.compose_edge(hi, is_true, substitution)?;
                let lo = self.compose_edge(lo, is_false, substitution)?;
                self.or_edges(hi, lo)?
            }
            with => {
                let hi = self.compose_edge(hi, known, substitution)?;
                let lo = self.compose_edge(lo, known, substitution)?;
                match with {
                    None => self.decide(var, hi, lo)?,
                    Some(condition) => self.choose(condition, hi, lo)?,
                }
            }
        };
        substitution.done.insert((edge, known), result);
        Ok(result)
    }

    /// Whether a function is a variable or its negation.
    fn is_literal(&self, edge: BddEdge) -> bool {
        let node = self.nodes[edge.node()];
        node.hi.is_constant() && node.lo.is_constant()
    }

    /// One function where a condition is true, another where it is false.
    fn choose(&mut self, condition: BddEdge, hi: BddEdge, lo: BddEdge) -> Made<BddEdge> {
        if hi == lo {
            return Ok(hi);
        }
        let (hi, lo) = (self.and_edges(condition, hi)?, self.and_edges(condition.not(), lo)?);
        self.or_edges(hi, lo)
    }

    fn simplify_edge(&mut self, edge: BddEdge, care: BddEdge) -> Made<BddEdge> {
        if care == TRUE || care == FALSE || edge.is_constant() {
            return Ok(edge);
        }
        if edge == care {
            return Ok(TRUE);
        }
        if edge == care.not() {
            return Ok(FALSE);
        }
        let key = [edge.0, care.0, 0];
        if let Some(known) = self.cache.get(BddOp::Simplify, key) {
            return Ok(known);
        }
        let (level, care_level) = (self.level(edge), self.level(care));
        let (care_hi, care_lo) = self.cofactors(care, level.min(care_level));
        let result = if care_level < level {
            let care = self.or_edges(care_hi, care_lo)?;
            self.simplify_edge(edge, care)?
        } else {
            let (hi, lo) = self.cofactors(edge, level);
            if care_hi == FALSE {
                self.simplify_edge(lo, care_lo)?
            } else if care_lo == FALSE {
                self.simplify_edge(hi, care_hi)?
            } else {
                let hi = self.simplify_edge(hi, care_hi)?;
                let lo = self.simplify_edge(lo, care_lo)?;
                self.make(self.var_at[level as usize], hi, lo)?
            }
        };
        self.cache.put(BddOp::Simplify, key, result);
        Ok(result)
    }
}
