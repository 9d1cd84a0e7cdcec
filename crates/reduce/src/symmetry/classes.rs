//! Classes of tuples of values, for whoever enumerates them.

use std::collections::BTreeMap;

use abridge_eval::{Classes, Val};
use abridge_value::Value;

use super::auto::{canonical_permutation, stabiliser_by_twins};
use super::group::Group;
use super::permute::permute_value;

/// Tuples that differ only in the names of the elements of a group.
pub struct TupleClasses {
    group: Group,
}

impl TupleClasses {
    pub fn new(group: Group) -> Self {
        TupleClasses { group }
    }
}

impl Classes for TupleClasses {
    fn form(&self, vals: &[Val]) -> Vec<Val> {
        let images = canonical_permutation(&self.group, vals);
        let image = |val: &Val| val.map_leaves(&mut |value| permute_value(&self.group, &images, value));
        vals.iter().map(|val| image(val).unwrap_or_else(|| val.clone())).collect()
    }

    fn size(&self, vals: &[Val]) -> u64 {
        let stabiliser = stabiliser_by_twins(&self.group, vals).unwrap_or_else(|| self.stabiliser(vals));
        quotient(self.group.ranges().flat_map(|range| 1..=u64::from(range.end - range.start)), &stabiliser)
    }
}

impl TupleClasses {
    /// The number of permutations that leave a tuple as it is: the product of the orbits of points when one point after the other is fixed. Two
    /// points are in one orbit if the tuple looks the same with either of them marked.
    fn stabiliser(&self, vals: &[Val]) -> Vec<u64> {
        let mut marked = vals.to_vec();
        let mut stabiliser = Vec::new();
        for range in self.group.ranges() {
            for point in range.clone() {
                let mut form = |other: u32| {
                    let (set, index) = self.group.element(other);
                    marked.push(Val::Value(Value::element(set, index)));
                    let form = self.form(&marked);
                    marked.pop();
                    form
                };
                let own = form(point);
                let orbit = 1 + (point + 1..range.end).filter(|other| form(*other) == own).count() as u64;
                stabiliser.push(orbit);
                let (set, index) = self.group.element(point);
                marked.push(Val::Value(Value::element(set, index)));
            }
        }
        stabiliser
    }
}

/// The product of some numbers divided by the product of others, if it is an integer; at most the largest there is. The products
/// themselves may be much larger.
fn quotient(over: impl Iterator<Item = u64>, under: &[u64]) -> u64 {
    let mut exponents: BTreeMap<u64, i64> = BTreeMap::new();
    let mut count = |number: u64, times: i64| {
        let (mut left, mut factor) = (number, 2);
        while left > 1 {
            if left % factor == 0 {
                left /= factor;
                *exponents.entry(factor).or_default() += times;
            } else {
                factor += 1;
            }
        }
    };
    over.for_each(|number| count(number, 1));
    under.iter().for_each(|number| count(*number, -1));
    exponents.into_iter().fold(1, |product: u64, (prime, exponent)| {
        let power = u32::try_from(exponent).map_or(1, |exponent| prime.saturating_pow(exponent));
        product.saturating_mul(power)
    })
}

#[cfg(test)]
mod tests {
    use super::super::group::CarrierBlock;
    use super::*;

    fn classes(size: u32) -> TupleClasses {
        TupleClasses::new(Group::new(vec![CarrierBlock { set: 0, indices: (0..size).collect() }]))
    }

    fn relation(pairs: &[(u32, u32)]) -> Val {
        let pair = |(left, right): &(u32, u32)| Value::pair(Value::element(0, *left), Value::element(0, *right));
        Val::Value(Value::Set(pairs.iter().map(pair).collect()))
    }

    #[test]
    fn sizes_of_classes() {
        let size = |n: u32, pairs: &[(u32, u32)]| classes(n).size(&[relation(pairs)]);
        assert_eq!(size(3, &[]), 1);
        assert_eq!(size(3, &[(0, 1)]), 6);
        assert_eq!(size(3, &[(0, 1), (1, 0)]), 3);
        assert_eq!(size(3, &[(0, 1), (1, 2), (2, 0)]), 2);
        assert_eq!(size(10, &[(0, 1), (1, 0), (2, 3), (3, 2)]), 45 * 28 / 2);
        // There are more permutations than can be counted.
        assert_eq!(size(100, &[]), 1);
        assert_eq!(size(100, &[(0, 1)]), 9900);
        assert_eq!(size(100, &(0..50).map(|n| (n, n + 50)).collect::<Vec<_>>()), u64::MAX);
    }
}
