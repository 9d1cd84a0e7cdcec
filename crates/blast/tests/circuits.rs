//! Circuits of operators are compared with the operators themselves: for all assignments of small inputs, or by counting solutions.

use std::collections::HashSet;

use abridge_blast::{Blast, CircuitValue, Lit, Next, SatAnswer, SatSolver};
use abridge_value::{Int, Value};

/// Number of assignments of the inputs that satisfy a literal.
fn count(blast: &Blast, inputs: &[Lit], lit: Lit) -> usize {
    let mut solver = SatSolver::new(1_000_000);
    // Inputs that the literal does not depend on count as well.
    for input in inputs {
        solver.clause(&blast.circuit, &[*input, !*input]);
        solver.clause(&blast.circuit, &[*input, Lit::TRUE]);
    }
    solver.require(&blast.circuit, lit);
    let mut found = HashSet::new();
    let answer = solver.each_solution(&mut |value| {
        let values: Vec<bool> = inputs.iter().map(|input| value(*input)).collect();
        if found.insert(values) {
            return Next::Another;
        }
        Next::Differing(inputs.iter().map(|input| if value(*input) { !*input } else { *input }).collect())
    });
    assert_eq!(answer, SatAnswer::Unsatisfiable);
    found.len()
}

/// Untracked inputs do not multiply the solutions, and an enumeration can be ended.
#[test]
fn solutions_are_listed_as_far_as_wanted() {
    let mut blast = Blast::new(1_000_000);
    let inputs: Vec<Lit> = (0..12).map(|_| blast.circuit.input()).collect();
    let (wanted, others) = inputs.split_at(4);
    let some_wanted = blast.circuit.or_all(wanted.iter().copied());
    let some_other = blast.circuit.or_all(others.iter().copied());
    let both = blast.circuit.and(some_wanted, some_other);
    assert_eq!(count(&blast, wanted, both), 15);
    assert_eq!(count(&blast, &inputs, both), 15 * 255);
    assert_eq!(count(&blast, &[], both), 1);
    assert_eq!(count(&blast, &[], Lit::FALSE), 0);

    let mut solver = SatSolver::new(1_000_000);
    solver.require(&blast.circuit, both);
    let mut n_found = 0;
    let answer = solver.each_solution(&mut |_| {
        n_found += 1;
        if n_found == 3 { Next::Stop } else { Next::Another }
    });
    assert_eq!((answer, n_found), (SatAnswer::Satisfiable, 3));
}

#[test]
fn at_most_one_of_many() {
    for n in 1..10 {
        let mut blast = Blast::new(1_000_000);
        let inputs: Vec<Lit> = (0..n).map(|_| blast.circuit.input()).collect();
        let lit = blast.circuit.at_most_one(&inputs);
        assert_eq!(count(&blast, &inputs, lit), n + 1);
        let lit = blast.circuit.exactly_one(&inputs);
        assert_eq!(count(&blast, &inputs, lit), n);
    }
}

#[test]
fn how_many_are_true() {
    let binomial = |n: usize, k: usize| (0..k).fold(1, |product, i| product * (n - i) / (i + 1));
    for n in 0..8 {
        for k in 0..=n {
            let mut blast = Blast::new(1_000_000);
            let inputs: Vec<Lit> = (0..n).map(|_| blast.circuit.input()).collect();
            let sum = blast.count(&inputs).expect("a small sum");
            let lit = blast.equal(&sum, &int(k as i64)).expect("integers");
            assert_eq!(count(&blast, &inputs, lit), binomial(n, k), "{n} over {k}");
        }
    }
}

fn int(int: i64) -> CircuitValue {
    CircuitValue::known(&Value::int(Int::from(int)))
}

/// Known integer with wide bounds, so that it is binary.
fn wide(blast: &mut Blast, value: i64) -> (CircuitValue, Lit) {
    let (unknown, inside) = blast.fresh_int(-1000, 1000).expect("a range");
    let same = blast.equal(&unknown, &int(value)).expect("integers");
    (unknown, blast.circuit.and(inside, same))
}

#[test]
fn arithmetic_in_binary() {
    for a in [-9, -8, -1, 0, 1, 5, 8] {
        for b in [-7, -2, 0, 1, 3, 7] {
            let mut blast = Blast::new(1_000_000);
            let ((x, x_is), (y, y_is)) = (wide(&mut blast, a), wide(&mut blast, b));
            let sum = blast.add(&x, &y).expect("a sum");
            let difference = blast.subtract(&x, &y).expect("a difference");
            let product = blast.multiply(&x, &y).expect("a product");
            let mut conditions = vec![x_is, y_is];
            for (found, expected) in [(sum, a + b), (difference, a - b), (product, a * b)] {
                conditions.push(blast.equal(&found, &int(expected)).expect("integers"));
            }
            let less = blast.less(&x, &y).expect("integers");
            conditions.push(if a < b { less } else { !less });
            let all = blast.circuit.and_all(conditions.clone());
            let mut solver = SatSolver::new(1_000_000);
            solver.require(&blast.circuit, all);
            assert_eq!(solver.solve(), SatAnswer::Satisfiable, "{a} and {b}");
            // No other result is possible.
            let results = blast.circuit.and_all(conditions[2..].iter().copied());
            let mut solver = SatSolver::new(1_000_000);
            for lit in [x_is, y_is, !results] {
                solver.require(&blast.circuit, lit);
            }
            assert_eq!(solver.solve(), SatAnswer::Unsatisfiable, "{a} and {b}");
        }
    }
}

#[test]
fn gates_are_shared_and_folded() {
    let mut blast = Blast::new(1_000_000);
    let (a, b) = (blast.circuit.input(), blast.circuit.input());
    let both = blast.circuit.and(a, b);
    assert_eq!(both, blast.circuit.and(b, a));
    assert_eq!(blast.circuit.and(both, Lit::TRUE), both);
    assert_eq!(blast.circuit.and(a, !a), Lit::FALSE);
    assert_eq!(blast.circuit.iff(a, a), Lit::TRUE);
    assert_eq!(blast.circuit.ite(a, b, b), b);
}

#[test]
fn a_circuit_that_grows_is_refused() {
    let mut blast = Blast::new(1000);
    let members = blast.fresh_subset((0..40).map(|idx| Value::int(Int::from(idx))));
    let set = CircuitValue::Set(members);
    let result = blast.cartesian(&set, &set).and_then(|pairs| blast.closure1(&pairs));
    assert!(result.is_err());
}
