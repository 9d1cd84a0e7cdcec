//! Elements that can be exchanged while something is being chosen.
//!
//! Elements of one kind are those that can be exchanged without changing the state and all that was chosen so far; all exchanges within
//! kinds together are a group. What follows from the state and the choices does not change under them either, so candidates for the next
//! choice fall into orbits of the group, and one of each orbit is enough (`candidates.rs` finds them). Choosing one splits kinds.
//!
//! What was chosen, or what came of it, is told from what is symmetric to it by a settled form, and counted by the size of its orbit.
//! That is exact where elements occur only as values, as members of sets, or in pairs with something that does not move; of other
//! values nothing is said ([`Kinds::settle`]), and [`Shape`] tells beforehand which sets must not move for that.

mod candidates;
mod shape;

use abridge_diag::with_stack;
use abridge_system::Alike;
use abridge_value::{Set, Value};

use super::marks::{FIXED, Mark, Marks, elements};
pub use shape::Shape;

/// The kinds of elements, for each given set that has a kind of several elements.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Kinds(Vec<OfSet>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct OfSet {
    set: u32,
    /// For each element the first one of its kind; [`FIXED`] if it is the only one.
    kinds: Vec<u32>,
}

impl OfSet {
    /// Elements without a companion are no kind; nothing if there are only such.
    fn of(set: u32, mut kinds: Vec<u32>) -> Option<OfSet> {
        let mut sizes = vec![0_u32; kinds.len()];
        kinds.iter().filter(|kind| **kind != FIXED).for_each(|kind| sizes[*kind as usize] += 1);
        for kind in &mut kinds {
            if *kind != FIXED && sizes[*kind as usize] < 2 {
                *kind = FIXED;
            }
        }
        kinds.iter().any(|kind| *kind != FIXED).then_some(OfSet { set, kinds })
    }

    /// The elements of each kind.
    fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.kinds.len()];
        for (index, kind) in (0..).zip(&self.kinds).filter(|(_, kind)| **kind != FIXED) {
            members[*kind as usize].push(index);
        }
        members.retain(|members| !members.is_empty());
        members
    }

    /// What is left of the kinds when those that have a property are told from those that have not.
    fn split(&self, has: impl Fn(u32) -> bool) -> Option<OfSet> {
        let mut firsts = vec![[FIXED; 2]; self.kinds.len()];
        let split = |(index, kind): (u32, &u32)| match kind {
            &FIXED => FIXED,
            kind => {
                let first = &mut firsts[*kind as usize][usize::from(has(index))];
                *first = (*first).min(index);
                *first
            }
        };
        OfSet::of(self.set, (0..).zip(&self.kinds).map(split).collect())
    }

    /// What is left of the kinds once a value is chosen.
    fn refined(&self, chosen: &Value) -> Option<OfSet> {
        match chosen {
            Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Real(_) | Value::String(_) => Some(self.clone()),
            Value::Element { set, .. } if *set != self.set => Some(self.clone()),
            Value::Element { index, .. } => self.split(|other| other == *index),
            Value::Set(members) => match members.first() {
                None => Some(self.clone()),
                Some(Value::Element { set, .. }) if set != self.set => Some(self.clone()),
                Some(Value::Element { set, .. }) => self.split(|index| members.contains(&Value::element(set, index))),
                Some(_) => self.refined_by_marks(chosen),
            },
            _ => self.refined_by_marks(chosen),
        }
    }

    fn refined_by_marks(&self, chosen: &Value) -> Option<OfSet> {
        let mut marks = Marks::new(self.set);
        let is_small = marks.add(chosen);
        is_small.then(|| OfSet::of(self.set, marks.classes(&self.kinds))).flatten()
    }

    /// How many elements can be exchanged with another.
    fn n_moving(&self) -> usize {
        self.kinds.iter().filter(|kind| **kind != FIXED).count()
    }
}

impl Kinds {
    /// Those of a state, for given sets of these sizes.
    pub fn of_state(alike: &dyn Alike, sizes: impl Iterator<Item = u32>) -> Kinds {
        let of_set = |(set, size): (u32, u32)| {
            let classes: Vec<Option<u32>> = (0..size).map(|index| alike.class(set, index)).collect();
            let first = |class: &Option<u32>| match class {
                Some(_) => classes.iter().position(|other| other == class).map_or(FIXED, |first| first as u32),
                None => FIXED,
            };
            OfSet::of(set, classes.iter().map(first).collect())
        };
        Kinds((0..).zip(sizes).filter_map(of_set).collect())
    }

    /// All elements of given sets of these sizes, as if none had been told apart.
    pub fn all(sizes: impl Iterator<Item = u32>) -> Kinds {
        Kinds((0..).zip(sizes).filter_map(|(set, size)| OfSet::of(set, vec![0; size as usize])).collect())
    }

    /// Nothing can be exchanged.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The kind of an element; nothing for other values, and for an element that is the only one of its kind.
    fn of(&self, value: &Value) -> Option<(u32, u32)> {
        let Value::Element { set, index } = value else { return None };
        self.of_element(*set, *index)
    }

    fn of_element(&self, set: u32, index: u32) -> Option<(u32, u32)> {
        let of = self.0.iter().find(|of| of.set == set)?;
        let kind = *of.kinds.get(index as usize)?;
        (kind != FIXED).then_some((set, kind))
    }

    /// Whether something in a value can be exchanged.
    pub fn moves(&self, value: &Value) -> bool {
        let mut moves = false;
        elements(value, &mut |set, index| moves |= self.of_element(set, index).is_some());
        moves
    }

    /// What can still be exchanged once these values are chosen.
    pub fn refined<'v>(&self, chosen: impl IntoIterator<Item = &'v Value>) -> Kinds {
        let mut left = self.clone();
        for value in chosen {
            left = Kinds(left.0.iter().filter_map(|of| of.refined(value)).collect());
        }
        left
    }

    /// How many elements the largest kind has.
    pub fn largest(&self) -> usize {
        self.0.iter().flat_map(OfSet::members).map(|members| members.len()).max().unwrap_or(0)
    }

    /// Replaces values that belong together by the ones that stand for all that are symmetric to them; how many those are, at most
    /// [`u64::MAX`]. Nothing if it cannot be told.
    pub fn settle(&self, values: &mut [Value]) -> Option<u64> {
        let mut size = 1_u64;
        let mut images: Vec<(u32, Vec<u32>)> = Vec::with_capacity(self.0.len());
        for of in &self.0 {
            let mut marks = Marks::new(of.set);
            if !values.iter().all(|value| marks.add(value)) {
                return None;
            }
            let parts = marks.by_element(of.kinds.len());
            let mut image: Vec<u32> = (0..of.kinds.len() as u32).collect();
            for members in of.members() {
                let part = |index: &u32| &parts[*index as usize];
                if members.iter().flat_map(part).any(|mark| self.is_tangled(mark)) {
                    return None;
                }
                let mut sorted = members.clone();
                sorted.sort_by(|left, right| part(right).cmp(part(left)));
                for (from, to) in sorted.iter().zip(&members) {
                    image[*from as usize] = *to;
                }
                let equal = sorted.chunk_by(|left, right| part(left) == part(right));
                size = size.saturating_mul(arrangements(equal.map(|group| group.len() as u64)));
            }
            images.push((of.set, image));
        }
        if size > 1 {
            values.iter_mut().for_each(|value| *value = renamed(value, &images));
        }
        Some(size)
    }

    /// What an exchange does to the value of a mark, or to other marks, is not known from the mark.
    fn is_tangled(&self, mark: &Mark) -> bool {
        match mark {
            Mark::Is(_) | Mark::Member(_) => false,
            Mark::Left(_, other) | Mark::Right(_, other) => self.moves(other),
            Mark::Alone(_) => true,
        }
    }
}

/// A value with its elements replaced.
fn renamed(value: &Value, images: &[(u32, Vec<u32>)]) -> Value {
    match value {
        Value::Element { set, index } => {
            let image = images.iter().find(|(of, _)| of == set).and_then(|(_, images)| images.get(*index as usize));
            Value::element(*set, image.copied().unwrap_or(*index))
        }
        Value::Pair(pair) => with_stack(|| Value::pair(renamed(&pair.0, images), renamed(&pair.1, images))),
        Value::Record(record) => {
            let fields = record.fields().iter().map(|field| with_stack(|| renamed(field, images)));
            Value::record(record.shape(), fields.collect())
        }
        Value::Set(set) => Value::Set(renamed_set(set, images)),
        // Nothing moves in there, or there would be no settled form.
        other => other.clone(),
    }
}

fn renamed_set(set: &Set, images: &[(u32, Vec<u32>)]) -> Set {
    match set.first() {
        Some(Value::Pair(_)) => abridge_value::relation::renamed(set, |value| renamed(&value, images)),
        Some(Value::Element { set: of, .. }) if images.iter().any(|(moving, _)| *moving == of) => {
            set.iter().map(|member| renamed(&member, images)).collect()
        }
        _ => set.clone(),
    }
}

/// In how many ways the elements of groups of these sizes can be distributed to as many places.
fn arrangements(sizes: impl Iterator<Item = u64>) -> u64 {
    let mut n_places = 0;
    let mut ways = 1_u64;
    for size in sizes {
        n_places += size;
        ways = ways.saturating_mul(choose(n_places, size));
    }
    ways
}

/// How many subsets of `k` elements a set of `n` has.
fn choose(n: u64, k: u64) -> u64 {
    let mut ways = 1_u128;
    for taken in 0..k.min(n - k) {
        ways = ways * u128::from(n - taken) / u128::from(taken + 1);
        if ways > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    ways as u64
}

#[cfg(test)]
mod tests;
