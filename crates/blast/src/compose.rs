//! Circuits as functions of their inputs: support, substitution of inputs, evaluation.
//!
//! A substitution must reach every gate below a literal: a missed one would compare two different states.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::circuit::{Circuit, Gate, Lit};
use crate::fold::GateView;

/// Number of gates at some time, to which a circuit can be reset.
#[derive(Clone, Copy, Debug)]
pub struct Savepoint {
    n_gates: usize,
    n_args: usize,
}

impl Savepoint {
    pub fn n_gates(self) -> usize {
        self.n_gates
    }
}

/// Memo of the literals of one substitution of inputs.
#[derive(Default)]
pub struct Replaced {
    gates: HashMap<usize, Lit, FxBuildHasher>,
}

impl Circuit {
    pub fn savepoint(&self) -> Savepoint {
        Savepoint { n_gates: self.n_gates(), n_args: self.n_args() }
    }

    /// Calls `word` with numbers that identify the gates created since a savepoint, or all gates, for use in a digest.
    pub fn describe_since(&self, savepoint: Option<Savepoint>, word: &mut impl FnMut(u32)) {
        for idx in savepoint.map_or(0, Savepoint::n_gates)..self.n_gates() {
            match self.gate(idx) {
                Gate::Constant => word(0),
                Gate::Input => word(1),
                Gate::And { start, end } => {
                    let args = self.args(start, end);
                    word(args.len() as u32 + 2);
                    args.iter().for_each(|lit| word(lit.number()));
                }
            }
        }
    }

    /// Drops all gates created after a savepoint. No caller may keep literals of them.
    pub fn reset(&mut self, savepoint: Savepoint) {
        self.truncate(savepoint.n_gates, savepoint.n_args);
    }

    /// Inputs that some literals depend on, ascending.
    pub fn inputs_of(&self, lits: impl IntoIterator<Item = Lit>) -> Vec<Lit> {
        let gates = self.cone(lits);
        gates.into_iter().filter(|gate| matches!(self.gate(*gate), Gate::Input)).map(Lit::of_gate).collect()
    }

    /// Gates that some literals depend on, ascending, so that arguments precede their users.
    pub(crate) fn cone(&self, lits: impl IntoIterator<Item = Lit>) -> Vec<usize> {
        let mut seen = hashbrown::HashSet::<usize, FxBuildHasher>::default();
        let mut open: Vec<usize> = lits.into_iter().map(Lit::gate).collect();
        while let Some(gate) = open.pop() {
            if seen.insert(gate)
                && let Gate::And { start, end } = self.gate(gate)
            {
                open.extend(self.args(start, end).iter().map(|arg| arg.gate()));
            }
        }
        let mut cone: Vec<usize> = seen.into_iter().collect();
        cone.sort_unstable();
        cone
    }

    /// Conjuncts of a literal, with nested conjunctions flattened.
    pub fn conjuncts(&self, lit: Lit) -> Vec<Lit> {
        let (mut parts, mut open) = (Vec::new(), vec![lit]);
        while let Some(lit) = open.pop() {
            match self.gate(lit.gate()) {
                Gate::And { start, end } if !lit.is_negated() => open.extend(self.args(start, end)),
                Gate::Constant if lit == Lit::TRUE => {}
                _ => parts.push(lit),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// Substitutes inputs in a literal. `with` gives the replacement of an input. It must be the same for all calls with one memo.
    pub fn replace(&mut self, lit: Lit, with: &impl Fn(Lit) -> Option<Lit>, done: &mut Replaced) -> Lit {
        for idx in self.cone([lit]) {
            if done.gates.contains_key(&idx) {
                continue;
            }
            let old = Lit::of_gate(idx);
            let new = match self.gate(idx) {
                Gate::Constant => old,
                Gate::Input => with(old).unwrap_or(old),
                Gate::And { start, end } => {
                    let args: Vec<Lit> = self.args(start, end).iter().map(|arg| done.of(*arg)).collect();
                    self.and_all(args)
                }
            };
            done.gates.insert(idx, new);
        }
        done.of(lit)
    }
}

impl Replaced {
    /// Substituted form of a literal whose gate has been visited.
    fn of(&self, lit: Lit) -> Lit {
        let new = self.gates.get(&lit.gate()).copied().unwrap_or(Lit::of_gate(lit.gate()));
        if lit.is_negated() { !new } else { new }
    }
}

/// Literals flattened for repeated evaluation on different inputs.
#[derive(Default)]
pub struct Formulas {
    /// Gates below the literals.
    gates: Vec<FlatGate>,
    /// Arguments of conjunctions: gate and sign.
    args: Vec<(u32, bool)>,
    formulas: Vec<Formula>,
}

#[derive(Clone, Copy)]
enum FlatGate {
    True,
    Input(u32),
    And(u32, u32),
}

struct Formula {
    /// Gates below the literal, in topological order.
    cone: Box<[u32]>,
    root: (u32, bool),
}

/// Values of gates under one assignment of the inputs.
#[derive(Default)]
pub struct Evaluation {
    values: Vec<bool>,
    /// Number of the assignment that a value belongs to.
    stamps: Vec<u32>,
    now: u32,
}

impl Formulas {
    /// Flattens literals. `number` gives the number of an input.
    pub fn new(circuit: &Circuit, lits: &[Lit], number: impl Fn(Lit) -> u32) -> Formulas {
        let mut formulas = Formulas::default();
        let mut places: HashMap<Lit, u32, FxBuildHasher> = HashMap::default();
        for lit in lits {
            let mut cone = Vec::new();
            circuit.visit(&[*lit], |gate, view| {
                let place = *places.entry(gate).or_insert(formulas.gates.len() as u32);
                cone.push(place);
                if place < formulas.gates.len() as u32 {
                    return;
                }
                let flat = match view {
                    GateView::True => FlatGate::True,
                    GateView::Input => FlatGate::Input(number(gate)),
                    GateView::And(args) => {
                        let first = formulas.args.len() as u32;
                        let args = args.iter().map(|arg| (places[&arg.positive()], arg.is_negated()));
                        formulas.args.extend(args);
                        FlatGate::And(first, formulas.args.len() as u32)
                    }
                };
                formulas.gates.push(flat);
            });
            let root = (places[&lit.positive()], lit.is_negated());
            formulas.formulas.push(Formula { cone: cone.into(), root });
        }
        formulas
    }

    /// Truth value of the literal at a position. `input` gives the values of inputs by number.
    pub fn value(&self, formula: usize, evaluation: &mut Evaluation, input: impl Fn(u32) -> bool) -> bool {
        let Formula { cone, root } = &self.formulas[formula];
        evaluation.values.resize(self.gates.len(), false);
        evaluation.stamps.resize(self.gates.len(), 0);
        for place in cone.iter().map(|place| *place as usize) {
            if evaluation.stamps[place] == evaluation.now {
                continue;
            }
            evaluation.stamps[place] = evaluation.now;
            evaluation.values[place] = match self.gates[place] {
                FlatGate::True => true,
                FlatGate::Input(number) => input(number),
                FlatGate::And(start, end) => {
                    let args = &self.args[start as usize..end as usize];
                    args.iter().all(|(arg, is_negated)| evaluation.values[*arg as usize] != *is_negated)
                }
            };
        }
        evaluation.values[root.0 as usize] != root.1
    }
}

impl Evaluation {
    /// Invalidates all values, for a new assignment of the inputs.
    pub fn begin(&mut self) {
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.stamps.fill(0);
            self.now = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_inputs_is_computing_with_other_inputs() {
        let mut circuit = Circuit::default();
        let inputs = [circuit.input(), circuit.input(), circuit.input()];
        let [a, b, c] = inputs;
        let either = circuit.xor(a, b);
        let lit = circuit.ite(c, either, !a);
        assert_eq!(circuit.inputs_of([lit]), inputs);
        let savepoint = circuit.savepoint();
        let both = circuit.and(b, c);
        // a becomes b & c, c becomes a.
        let with = |input: Lit| if input == a { Some(both) } else { (input == c).then_some(a) };
        let replaced = circuit.replace(lit, &with, &mut Replaced::default());
        let number = |lit: Lit| inputs.iter().position(|input| *input == lit).unwrap_or(9) as u32;
        let formulas = Formulas::new(&circuit, &[lit, !replaced], number);
        let mut evaluation = Evaluation::default();
        for bits in 0..8_u32 {
            let bit = |idx: u32| bits >> idx & 1 == 1;
            evaluation.begin();
            let value = !formulas.value(1, &mut evaluation, bit);
            let changed = [bit(1) && bit(2), bit(1), bit(0)];
            evaluation.begin();
            assert_eq!(value, formulas.value(0, &mut evaluation, |idx| changed[idx as usize]));
        }
        circuit.reset(savepoint);
        assert_eq!(circuit.savepoint().n_gates, savepoint.n_gates);
        let again = circuit.and(b, c);
        assert_eq!(again, both);
    }

    #[test]
    fn a_conjunction_falls_into_its_parts() {
        let mut circuit = Circuit::default();
        let (a, b, c) = (circuit.input(), circuit.input(), circuit.input());
        let (inner, other) = (circuit.and(a, b), circuit.or(a, c));
        let whole = circuit.and_all([inner, other, !c]);
        let mut parts = vec![a, b, !c, other];
        parts.sort();
        assert_eq!(circuit.conjuncts(whole), parts);
        assert_eq!(circuit.conjuncts(Lit::TRUE), []);
        assert_eq!(circuit.conjuncts(!inner), [!inner]);
    }
}
