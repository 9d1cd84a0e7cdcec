//! Binary decision diagrams for the guards of automata.
//!
//! A guard is a boolean function of the atoms of a formula. Diagrams are reduced and ordered, so equal functions have equal numbers, which
//! the translation uses to merge states and the simulation to compare them. Bryant, "Graph-based algorithms for boolean function
//! manipulation", 1986; no complement edges, no reordering, since formulas have few atoms.
//! [`LetterBdds::is_full`] turns true when the table has reached its bound; results are meaningless from then on, and every caller asks
//! before it uses them.

use abridge_diag::with_stack;
use rustc_hash::FxHashMap;

/// A boolean function; a number in a [`LetterBdds`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LetterBdd(pub(crate) u32);

pub const FALSE: LetterBdd = LetterBdd(0);
pub const TRUE: LetterBdd = LetterBdd(1);

/// A function is a choice by one variable between two functions of later variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct GuardNode {
    var: u32,
    low: LetterBdd,
    high: LetterBdd,
}

/// Beyond all variables, for the constants.
const NO_VAR: u32 = u32::MAX;

/// A table of functions.
#[derive(Clone, Debug)]
pub struct LetterBdds {
    nodes: Vec<GuardNode>,
    ids: FxHashMap<GuardNode, LetterBdd>,
    ite_cache: FxHashMap<(LetterBdd, LetterBdd, LetterBdd), LetterBdd>,
    max_nodes: usize,
}

impl LetterBdds {
    pub fn new(max_nodes: usize) -> LetterBdds {
        let constant = GuardNode { var: NO_VAR, low: FALSE, high: FALSE };
        LetterBdds { nodes: vec![constant; 2], ids: FxHashMap::default(), ite_cache: FxHashMap::default(), max_nodes }
    }

    /// Whether the bound was reached, so that results since then mean nothing.
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= self.max_nodes
    }

    /// A copy that may grow by so many nodes.
    pub(crate) fn with_room(&self, n_nodes: usize) -> LetterBdds {
        LetterBdds { max_nodes: self.nodes.len() + n_nodes, ..self.clone() }
    }

    fn node(&mut self, var: u32, low: LetterBdd, high: LetterBdd) -> LetterBdd {
        if low == high {
            return low;
        }
        let node = GuardNode { var, low, high };
        if let Some(known) = self.ids.get(&node) {
            return *known;
        }
        if self.is_full() {
            return FALSE;
        }
        let id = LetterBdd(self.nodes.len() as u32);
        self.nodes.push(node);
        self.ids.insert(node, id);
        id
    }

    /// The function that is the value of a variable.
    pub fn var(&mut self, var: u32) -> LetterBdd {
        self.node(var, FALSE, TRUE)
    }

    /// The first variable a function depends on; `None` for constants.
    pub fn top(&self, function: LetterBdd) -> Option<u32> {
        Some(self.nodes[function.0 as usize].var).filter(|var| *var != NO_VAR)
    }

    /// The values of a function where its first variable is false and where it is true.
    pub fn branches(&self, function: LetterBdd) -> (LetterBdd, LetterBdd) {
        let node = self.nodes[function.0 as usize];
        (node.low, node.high)
    }

    fn cofactors(&self, function: LetterBdd, var: u32) -> (LetterBdd, LetterBdd) {
        let node = self.nodes[function.0 as usize];
        if node.var == var { (node.low, node.high) } else { (function, function) }
    }

    pub fn ite(&mut self, cond: LetterBdd, then: LetterBdd, other: LetterBdd) -> LetterBdd {
        match (cond, then, other) {
            (TRUE, _, _) => return then,
            (FALSE, _, _) => return other,
            (_, TRUE, FALSE) => return cond,
            _ if then == other => return then,
            _ => {}
        }
        if let Some(known) = self.ite_cache.get(&(cond, then, other)) {
            return *known;
        }
        let var_of = |function: LetterBdd| self.nodes[function.0 as usize].var;
        let var = var_of(cond).min(var_of(then)).min(var_of(other));
        let (cond_low, cond_high) = self.cofactors(cond, var);
        let (then_low, then_high) = self.cofactors(then, var);
        let (other_low, other_high) = self.cofactors(other, var);
        let low = with_stack(|| self.ite(cond_low, then_low, other_low));
        let high = with_stack(|| self.ite(cond_high, then_high, other_high));
        let result = self.node(var, low, high);
        self.ite_cache.insert((cond, then, other), result);
        result
    }

    pub fn and(&mut self, left: LetterBdd, right: LetterBdd) -> LetterBdd {
        let (first, second) = (left.min(right), left.max(right));
        self.ite(first, second, FALSE)
    }

    pub fn or(&mut self, left: LetterBdd, right: LetterBdd) -> LetterBdd {
        let (first, second) = (left.min(right), left.max(right));
        self.ite(first, TRUE, second)
    }

    pub fn not(&mut self, function: LetterBdd) -> LetterBdd {
        self.ite(function, FALSE, TRUE)
    }

    /// `left` and not `right`.
    pub fn minus(&mut self, left: LetterBdd, right: LetterBdd) -> LetterBdd {
        self.ite(right, FALSE, left)
    }

    pub fn implies(&mut self, left: LetterBdd, right: LetterBdd) -> bool {
        self.minus(left, right) == FALSE
    }

    /// The function with some variables replaced by functions. Variables that `replacement` maps to `None` stay.
    pub fn replace(&mut self, function: LetterBdd, replacement: &dyn Fn(u32) -> Option<LetterBdd>) -> LetterBdd {
        self.replace_inner(function, replacement, &mut FxHashMap::default())
    }

    fn replace_inner(
        &mut self,
        function: LetterBdd,
        replacement: &dyn Fn(u32) -> Option<LetterBdd>,
        done: &mut FxHashMap<LetterBdd, LetterBdd>,
    ) -> LetterBdd {
        let Some(var) = self.top(function) else { return function };
        if let Some(known) = done.get(&function) {
            return *known;
        }
        let (low, high) = self.branches(function);
        let low = with_stack(|| self.replace_inner(low, replacement, done));
        let high = with_stack(|| self.replace_inner(high, replacement, done));
        let cond = match replacement(var) {
            Some(cond) => cond,
            None => self.var(var),
        };
        let result = self.ite(cond, high, low);
        done.insert(function, result);
        result
    }

    /// The function that is true where some value of the variables makes this one true.
    pub fn exists(&mut self, function: LetterBdd, is_hidden: &dyn Fn(u32) -> bool) -> LetterBdd {
        self.exists_inner(function, is_hidden, &mut FxHashMap::default())
    }

    fn exists_inner(
        &mut self,
        function: LetterBdd,
        is_hidden: &dyn Fn(u32) -> bool,
        done: &mut FxHashMap<LetterBdd, LetterBdd>,
    ) -> LetterBdd {
        let Some(var) = self.top(function) else { return function };
        if let Some(known) = done.get(&function) {
            return *known;
        }
        let (low, high) = self.branches(function);
        let low = with_stack(|| self.exists_inner(low, is_hidden, done));
        let high = with_stack(|| self.exists_inner(high, is_hidden, done));
        let result = if is_hidden(var) { self.or(low, high) } else { self.node(var, low, high) };
        done.insert(function, result);
        result
    }

    /// The value of a function; asks for the variables on one path only.
    pub fn value(&self, function: LetterBdd, mut is_true: impl FnMut(u32) -> bool) -> bool {
        let mut at = function;
        while let Some(var) = self.top(at) {
            let (low, high) = self.branches(at);
            at = if is_true(var) { high } else { low };
        }
        at == TRUE
    }

    /// Variables that a function depends on, ascending.
    pub fn support(&self, function: LetterBdd) -> Vec<u32> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut vars = std::collections::BTreeSet::new();
        let mut todo = vec![function];
        while let Some(next) = todo.pop() {
            let Some(var) = self.top(next) else { continue };
            if seen.insert(next) {
                vars.insert(var);
                let (low, high) = self.branches(next);
                todo.extend([low, high]);
            }
        }
        vars.into_iter().collect()
    }

    /// Disjoint conjunctions of literals that make up a function, at most `max` of them.
    pub fn cubes(&self, function: LetterBdd, max: usize) -> Vec<Vec<(u32, bool)>> {
        let mut cubes = Vec::new();
        let mut todo = vec![(function, Vec::new())];
        while let Some((at, cube)) = todo.pop() {
            if cubes.len() >= max {
                break;
            }
            let Some(var) = self.top(at) else {
                if at == TRUE {
                    cubes.push(cube);
                }
                continue;
            };
            let (low, high) = self.branches(at);
            let with = |value| cube.iter().copied().chain([(var, value)]).collect::<Vec<_>>();
            todo.push((low, with(false)));
            todo.push((high, with(true)));
        }
        cubes
    }

    /// One conjunction of literals that makes a function true; `None` for the constant false.
    pub fn some_cube(&self, function: LetterBdd) -> Option<Vec<(u32, bool)>> {
        self.cubes(function, 1).pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All functions of three variables, against their truth tables.
    #[test]
    fn operations_agree_with_truth_tables() {
        let mut bdds = LetterBdds::new(1 << 16);
        let of_table = |bdds: &mut LetterBdds, table: u8| {
            (0..8).filter(|row| table >> row & 1 == 1).fold(FALSE, |sum, row| {
                let cube = (0..3).fold(TRUE, |cube, var| {
                    let literal = bdds.var(var);
                    let literal = if row >> var & 1 == 1 { literal } else { bdds.not(literal) };
                    bdds.and(cube, literal)
                });
                bdds.or(sum, cube)
            })
        };
        let functions: Vec<LetterBdd> = (0..=255).map(|table| of_table(&mut bdds, table)).collect();
        for left in 0..=255_u8 {
            assert_eq!(bdds.not(functions[left as usize]), functions[!left as usize]);
            let exists = (left | left >> 2) & 0b0011_0011;
            let exists = exists | exists << 2;
            assert_eq!(bdds.exists(functions[left as usize], &|var| var == 1), functions[exists as usize]);
            for right in (0..=255_u8).step_by(7) {
                let (l, r) = (functions[left as usize], functions[right as usize]);
                assert_eq!(bdds.and(l, r), functions[(left & right) as usize]);
                assert_eq!(bdds.or(l, r), functions[(left | right) as usize]);
                assert_eq!(bdds.implies(l, r), left & !right == 0);
            }
        }
        assert!(!bdds.is_full());
    }

    #[test]
    fn a_full_table_says_so() {
        let mut bdds = LetterBdds::new(4);
        let (a, b) = (bdds.var(0), bdds.var(1));
        let _ = bdds.and(a, b);
        assert!(bdds.is_full());
    }

    #[test]
    fn cubes_make_up_the_function() {
        let mut bdds = LetterBdds::new(1 << 10);
        let (a, b, c) = (bdds.var(0), bdds.var(1), bdds.var(2));
        let bc = bdds.and(b, c);
        let not_b = bdds.not(b);
        let function = bdds.ite(a, bc, not_b);
        let cubes = bdds.cubes(function, 10);
        let sum = cubes.iter().fold(FALSE, |sum, cube| {
            let cube = cube.iter().fold(TRUE, |all, (var, value)| {
                let literal = bdds.var(*var);
                let literal = if *value { literal } else { bdds.not(literal) };
                bdds.and(all, literal)
            });
            bdds.or(sum, cube)
        });
        assert_eq!((sum, cubes.len()), (function, 2));
        assert_eq!(bdds.support(function), [0, 1, 2]);
    }
}
