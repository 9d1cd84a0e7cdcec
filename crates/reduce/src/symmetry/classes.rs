//! Classes of tuples of values, for whoever enumerates them.

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
        let size = self.group.order().map(|order| order / stabiliser);
        size.and_then(|size| u64::try_from(size).ok()).unwrap_or(u64::MAX)
    }
}

impl TupleClasses {
    /// The number of permutations that leave a tuple as it is: the product of the orbits of points when one point after the other is fixed. Two
    /// points are in one orbit if the tuple looks the same with either of them marked.
    fn stabiliser(&self, vals: &[Val]) -> u128 {
        let mut marked = vals.to_vec();
        let mut stabiliser = 1_u128;
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
                let orbit = 1 + (point + 1..range.end).filter(|other| form(*other) == own).count() as u128;
                stabiliser = stabiliser.saturating_mul(orbit);
                let (set, index) = self.group.element(point);
                marked.push(Val::Value(Value::element(set, index)));
            }
        }
        stabiliser
    }
}

#[cfg(test)]
mod tests {
    use super::super::group::Block;
    use super::*;

    fn classes(size: u32) -> TupleClasses {
        TupleClasses::new(Group::new(vec![Block { set: 0, indices: (0..size).collect() }]))
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
    }
}
