//! Traversal of gates in topological order, and folds of gates into any boolean algebra.
//!
//! A consumer (a BDD package, a gate program for blocks of states, plain evaluation) defines constants, inputs, negation and conjunction as an
//! [`Algebra`], and gets a value for each root. Arguments come before the gates that use them. A value is dropped after its last use, so that a fold
//! into large values keeps only those still needed.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::circuit::{Circuit, Gate, Lit};

/// Public view of a gate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GateView<'c> {
    /// The constant true.
    True,
    Input,
    /// Conjunction of at least two literals.
    And(&'c [Lit]),
}

/// Boolean algebra that circuits are folded into.
pub trait Algebra {
    type Value: Clone;

    fn truth(&mut self) -> Self::Value;

    /// Value of an input, which is given by its positive literal.
    fn input(&mut self, input: Lit) -> Self::Value;

    fn not(&mut self, value: &Self::Value) -> Self::Value;

    fn and(&mut self, values: &[Self::Value]) -> Self::Value;
}

impl Circuit {
    pub(crate) fn view(&self, gate: usize) -> GateView<'_> {
        match self.gate(gate) {
            Gate::Constant => GateView::True,
            Gate::Input => GateView::Input,
            Gate::And { start, end } => GateView::And(self.args(start, end)),
        }
    }

    /// Calls `visit` with every gate below the roots, given by its positive literal, in topological order.
    pub fn visit(&self, roots: &[Lit], mut visit: impl FnMut(Lit, GateView<'_>)) {
        for gate in self.cone(roots.iter().copied()) {
            visit(Lit::of_gate(gate), self.view(gate));
        }
    }

    /// Values of the roots in an algebra.
    pub fn fold<A: Algebra>(&self, roots: &[Lit], algebra: &mut A) -> Vec<A::Value> {
        let mut uses: HashMap<Lit, usize, FxBuildHasher> = HashMap::default();
        let mut use_once = |lit: &Lit| *uses.entry(lit.positive()).or_insert(0) += 1;
        roots.iter().for_each(&mut use_once);
        self.visit(roots, |_, gate| {
            if let GateView::And(args) = gate {
                args.iter().for_each(&mut use_once);
            }
        });
        let mut fold = Fold { algebra, values: HashMap::default(), uses };
        self.visit(roots, |lit, gate| {
            let value = match gate {
                GateView::True => fold.algebra.truth(),
                GateView::Input => fold.algebra.input(lit),
                GateView::And(args) => {
                    let args: Vec<A::Value> = args.iter().map(|arg| fold.take(*arg)).collect();
                    fold.algebra.and(&args)
                }
            };
            fold.values.insert(lit, value);
        });
        roots.iter().map(|root| fold.take(*root)).collect()
    }

    /// Truth values of the roots under an assignment of the inputs.
    pub fn evaluate(&self, roots: &[Lit], input: impl Fn(Lit) -> bool) -> Vec<bool> {
        self.fold(roots, &mut Evaluated(input))
    }
}

struct Fold<'a, A: Algebra> {
    algebra: &'a mut A,
    /// Values of gates that have uses left, keyed by positive literals.
    values: HashMap<Lit, A::Value, FxBuildHasher>,
    /// Number of uses that remain, per gate.
    uses: HashMap<Lit, usize, FxBuildHasher>,
}

impl<A: Algebra> Fold<'_, A> {
    /// Value of a literal, for one of its uses. The last use removes it.
    fn take(&mut self, lit: Lit) -> A::Value {
        let gate = lit.positive();
        let left = self.uses.get_mut(&gate).map_or(0, |uses| {
            *uses -= 1;
            *uses
        });
        let value = if left == 0 { self.values.remove(&gate) } else { self.values.get(&gate).cloned() };
        let value = value.expect("arguments come before what uses them");
        if lit == gate { value } else { self.algebra.not(&value) }
    }
}

/// Algebra of truth values, under an assignment of the inputs.
struct Evaluated<F>(F);

impl<F: Fn(Lit) -> bool> Algebra for Evaluated<F> {
    type Value = bool;

    fn truth(&mut self) -> bool {
        true
    }

    fn input(&mut self, input: Lit) -> bool {
        (self.0)(input)
    }

    fn not(&mut self, value: &bool) -> bool {
        !value
    }

    fn and(&mut self, values: &[bool]) -> bool {
        values.iter().all(|value| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Algebra of truth tables over three inputs. It counts the values that are alive.
    struct Tables {
        inputs: [Lit; 3],
        n_conjunctions: usize,
    }

    impl Algebra for Tables {
        type Value = u8;

        fn truth(&mut self) -> u8 {
            u8::MAX
        }

        fn input(&mut self, input: Lit) -> u8 {
            [0b1010_1010, 0b1100_1100, 0b1111_0000][self.inputs.iter().position(|lit| *lit == input).unwrap()]
        }

        fn not(&mut self, value: &u8) -> u8 {
            !value
        }

        fn and(&mut self, values: &[u8]) -> u8 {
            self.n_conjunctions += 1;
            values.iter().fold(u8::MAX, |all, value| all & value)
        }
    }

    #[test]
    fn a_fold_into_truth_tables_agrees_with_evaluation() {
        let mut circuit = Circuit::default();
        let inputs = [circuit.input(), circuit.input(), circuit.input()];
        let [a, b, c] = inputs;
        let sum = circuit.xor(a, b);
        let roots = [circuit.ite(c, sum, !a), !sum, a, !b, Lit::TRUE, Lit::FALSE, circuit.at_most_one(&inputs), sum];
        let mut tables = Tables { inputs, n_conjunctions: 0 };
        let columns = circuit.fold(&roots, &mut tables);
        for row in 0..8_u8 {
            let value = |input: Lit| row >> inputs.iter().position(|lit| *lit == input).unwrap() & 1 == 1;
            let expected: Vec<bool> = columns.iter().map(|column| column >> row & 1 == 1).collect();
            assert_eq!(circuit.evaluate(&roots, value), expected, "row {row}");
        }
        let mut n_conjunctions = 0;
        circuit.visit(&roots, |_, gate| n_conjunctions += usize::from(matches!(gate, GateView::And(_))));
        assert_eq!(tables.n_conjunctions, n_conjunctions, "each gate is folded once");
    }

    #[test]
    fn arguments_are_visited_before_their_gate() {
        let mut circuit = Circuit::default();
        let inputs: Vec<Lit> = (0..9).map(|_| circuit.input()).collect();
        let root = circuit.exactly_one(&inputs);
        let mut seen = Vec::new();
        circuit.visit(&[root], |lit, gate| {
            if let GateView::And(args) = gate {
                assert!(args.iter().all(|arg| seen.contains(&arg.positive())));
            }
            seen.push(lit);
        });
        assert!(inputs.iter().all(|input| seen.contains(input)));
    }
}
