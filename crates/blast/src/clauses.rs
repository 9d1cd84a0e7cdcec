//! Clauses: a circuit as disjunctions of literals that are as small as they get without new gates.
//!
//! A property about all elements is a large circuit, a clause of it speaks of few elements. Clauses say the same as the literal that they come from, whatever is left undistributed.

use crate::circuit::{Circuit, Lit};
use crate::fold::GateView;

/// A disjunction with more conjunctions among its literals stays as it is: `exists`, in most cases.
const MAX_CONJUNCTIONS: usize = 4;

impl Circuit {
    /// Disjunctions that together say what a disjunction says: one for each argument of its smallest conjunction. Nothing if it has no conjunction, or too many.
    pub fn split(&self, clause: &[Lit]) -> Option<Vec<Vec<Lit>>> {
        let conjunctions = clause.iter().filter_map(|lit| Some((*lit, self.conjunction(*lit)?)));
        let conjunctions: Vec<(Lit, &[Lit])> = conjunctions.take(MAX_CONJUNCTIONS + 1).collect();
        let (split, args) = conjunctions.iter().min_by_key(|(_, args)| args.len())?;
        let rest = || clause.iter().copied().filter(|lit| lit != split);
        let parts = args.iter().filter_map(|arg| self.flattened(rest().chain([*arg])));
        (conjunctions.len() <= MAX_CONJUNCTIONS).then(|| parts.collect())
    }

    fn conjunction(&self, lit: Lit) -> Option<&[Lit]> {
        match self.view(lit.gate()) {
            GateView::And(args) if !lit.is_negated() => Some(args),
            _ => None,
        }
    }

    /// A disjunction with nested disjunctions flattened, ascending; nothing if it is always true.
    pub fn flattened(&self, clause: impl IntoIterator<Item = Lit>) -> Option<Vec<Lit>> {
        let (mut flat, mut open): (Vec<Lit>, Vec<Lit>) = (Vec::new(), clause.into_iter().collect());
        while let Some(lit) = open.pop() {
            match self.view(lit.gate()) {
                GateView::And(args) if lit.is_negated() => open.extend(args.iter().map(|arg| !*arg)),
                GateView::True if lit == Lit::FALSE => {}
                GateView::True => return None,
                _ => flat.push(lit),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let is_always = flat.windows(2).any(|pair| pair[0] == !pair[1]);
        (!is_always).then_some(flat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clauses(circuit: &Circuit, lit: Lit) -> Vec<Vec<Lit>> {
        let (mut clauses, mut open) = (Vec::new(), Vec::from_iter(circuit.flattened([lit])));
        while let Some(clause) = open.pop() {
            match circuit.split(&clause) {
                Some(parts) => open.extend(parts),
                None => clauses.push(clause),
            }
        }
        clauses
    }

    #[test]
    fn clauses_say_what_their_literal_says() {
        let mut circuit = Circuit::default();
        let inputs: Vec<Lit> = (0..8).map(|_| circuit.input()).collect();
        let one = circuit.exactly_one(&inputs);
        let some = circuit.or_all(inputs[2..6].iter().copied());
        let pairs: Vec<Lit> = (0..7).map(|idx| circuit.and(inputs[idx], inputs[idx + 1])).collect();
        let adjacent = circuit.or_all(pairs);
        let same = circuit.iff(some, adjacent);
        let choice = circuit.ite(inputs[0], same, !one);
        let roots = [one, !one, some, same, !same, adjacent, !adjacent, choice, inputs[3], Lit::TRUE, Lit::FALSE];
        for root in roots {
            let clauses = clauses(&circuit, root);
            for row in 0..256_u32 {
                let value = |input: Lit| row >> inputs.iter().position(|lit| *lit == input).unwrap() & 1 == 1;
                let holds = clauses.iter().all(|clause| circuit.evaluate(clause, value).contains(&true));
                assert_eq!(holds, circuit.evaluate(&[root], value)[0], "{root:?} {row}");
            }
        }
        // Each pair of a condition of uniqueness is a clause of its own.
        assert_eq!(clauses(&circuit, one).len(), 28 + 1);
    }
}
