//! Unary counting of true literals, for cardinalities of small sets and "at least k" conditions.

use crate::circuit::{Circuit, Lit};

impl Circuit {
    /// Literals that are true if at least `k` of `lits` are true, for each `k` from zero to the number of literals.
    pub(crate) fn at_least(&mut self, lits: &[Lit]) -> Vec<Lit> {
        match lits {
            [] => vec![Lit::TRUE],
            [only] => vec![Lit::TRUE, *only],
            _ => {
                let (left, right) = lits.split_at(lits.len() / 2);
                let (left, right) = (self.at_least(left), self.at_least(right));
                self.merge(&left, &right)
            }
        }
    }

    fn merge(&mut self, left: &[Lit], right: &[Lit]) -> Vec<Lit> {
        (0..left.len() + right.len() - 1)
            .map(|sum| {
                let ways = (0..=sum).filter(|k| *k < left.len() && sum - k < right.len());
                let ways: Vec<Lit> = ways.map(|k| self.and(left[k], right[sum - k])).collect();
                self.or_all(ways)
            })
            .collect()
    }
}
