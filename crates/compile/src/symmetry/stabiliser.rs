//! Stabiliser of a state and of the choices made in it: the permutations of elements that leave all of them unchanged.
//!
//! The group is represented by a partition of each given set into cells, and consists of all permutations within cells (a Young subgroup). State and
//! choices are invariant under it. So candidates for the next choice fall into orbits, and one representative of each is enough
//! (`representatives.rs`). A choice refines the partition.
//!
//! Values have a canonical form under the group, and an orbit of known size ([`Stabiliser::canonise`]). Both are exact if elements occur only as
//! values, as members of sets, or in pairs with a value that the group fixes. For other values there is no answer; [`FixedSets`] computes from types
//! which given sets the group must fix so that there is one.

mod fixed_sets;
mod representatives;

use abridge_diag::with_stack;
use abridge_system::Alike;
use abridge_value::{Set, Value};

use super::signature::{FIXED, Occurrence, Occurrences, elements};

pub use fixed_sets::FixedSets;

/// Group as cells of elements, for each given set that has a cell of several elements.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Stabiliser(Vec<OfSet>);

#[derive(Clone, PartialEq, Eq, Debug)]
/// Cells of one given set.
struct OfSet {
    set: u32,
    /// First element of the cell of each element; [`FIXED`] if it is alone in its cell.
    cells: Vec<u32>,
}

impl OfSet {
    /// Normalises cells: an element alone in its cell is [`FIXED`]. `None` if all are.
    fn of(set: u32, mut cells: Vec<u32>) -> Option<OfSet> {
        let mut sizes = vec![0_u32; cells.len()];
        cells.iter().filter(|cell| **cell != FIXED).for_each(|cell| sizes[*cell as usize] += 1);
        for cell in &mut cells {
            if *cell != FIXED && sizes[*cell as usize] < 2 {
                *cell = FIXED;
            }
        }
        cells.iter().any(|cell| *cell != FIXED).then_some(OfSet { set, cells })
    }

    /// Elements of each cell.
    fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.cells.len()];
        for (index, cell) in (0..).zip(&self.cells).filter(|(_, cell)| **cell != FIXED) {
            members[*cell as usize].push(index);
        }
        members.retain(|members| !members.is_empty());
        members
    }

    /// Splits each cell by a property of its elements.
    fn split(&self, has: impl Fn(u32) -> bool) -> Option<OfSet> {
        let mut firsts = vec![[FIXED; 2]; self.cells.len()];
        let split = |(index, cell): (u32, &u32)| match cell {
            &FIXED => FIXED,
            cell => {
                let first = &mut firsts[*cell as usize][usize::from(has(index))];
                *first = (*first).min(index);
                *first
            }
        };
        OfSet::of(self.set, (0..).zip(&self.cells).map(split).collect())
    }

    /// Cells of the stabiliser of a chosen value.
    fn refined(&self, chosen: &Value) -> Option<OfSet> {
        match chosen {
            Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Real(_) | Value::String(_) => Some(self.clone()),
            Value::Element { set, .. } if *set != self.set => Some(self.clone()),
            Value::Element { index, .. } => self.split(|other| other == *index),
            Value::Set(members) => match members.first() {
                None => Some(self.clone()),
                Some(Value::Element { set, .. }) if set != self.set => Some(self.clone()),
                Some(Value::Element { set, .. }) => self.split(|index| members.contains(&Value::element(set, index))),
                Some(_) => self.refined_by_occurrences(chosen),
            },
            _ => self.refined_by_occurrences(chosen),
        }
    }

    fn refined_by_occurrences(&self, chosen: &Value) -> Option<OfSet> {
        let mut occurrences = Occurrences::new(self.set);
        let is_small = occurrences.add(chosen);
        is_small.then(|| OfSet::of(self.set, occurrences.classes(&self.cells))).flatten()
    }

    /// Number of elements that are not fixed.
    fn n_moving(&self) -> usize {
        self.cells.iter().filter(|cell| **cell != FIXED).count()
    }
}

impl Stabiliser {
    /// Stabiliser of a state, for given sets of these sizes.
    pub fn of_state(alike: &dyn Alike, sizes: impl Iterator<Item = u32>) -> Stabiliser {
        let of_set = |(set, size): (u32, u32)| {
            let classes: Vec<Option<u32>> = (0..size).map(|index| alike.class(set, index)).collect();
            let first = |class: &Option<u32>| match class {
                Some(_) => classes.iter().position(|other| other == class).map_or(FIXED, |first| first as u32),
                None => FIXED,
            };
            OfSet::of(set, classes.iter().map(first).collect())
        };
        Stabiliser((0..).zip(sizes).filter_map(of_set).collect())
    }

    /// Group of all permutations of given sets of these sizes.
    pub fn all(sizes: impl Iterator<Item = u32>) -> Stabiliser {
        Stabiliser((0..).zip(sizes).filter_map(|(set, size)| OfSet::of(set, vec![0; size as usize])).collect())
    }

    /// Whether the group is trivial.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Cell of an element; `None` for other values and for a fixed element.
    fn of(&self, value: &Value) -> Option<(u32, u32)> {
        let Value::Element { set, index } = value else { return None };
        self.of_element(*set, *index)
    }

    fn of_element(&self, set: u32, index: u32) -> Option<(u32, u32)> {
        let of = self.0.iter().find(|of| of.set == set)?;
        let cell = *of.cells.get(index as usize)?;
        (cell != FIXED).then_some((set, cell))
    }

    /// Whether the group moves an element inside a value.
    pub fn moves(&self, value: &Value) -> bool {
        let mut moves = false;
        elements(value, &mut |set, index| moves |= self.of_element(set, index).is_some());
        moves
    }

    /// Stabiliser of these values in the group.
    pub fn refined<'v>(&self, chosen: impl IntoIterator<Item = &'v Value>) -> Stabiliser {
        let mut left = self.clone();
        for value in chosen {
            left = Stabiliser(left.0.iter().filter_map(|of| of.refined(value)).collect());
        }
        left
    }

    /// Size of the largest cell.
    pub fn largest(&self) -> usize {
        self.0.iter().flat_map(OfSet::members).map(|members| members.len()).max().unwrap_or(0)
    }

    /// Replaces a tuple of values by the canonical form of its orbit. Returns the size of the orbit, saturating; `None` if it is not known.
    pub fn canonise(&self, values: &mut [Value]) -> Option<u64> {
        let mut size = 1_u64;
        let mut images: Vec<(u32, Vec<u32>)> = Vec::with_capacity(self.0.len());
        for of in &self.0 {
            let mut occurrences = Occurrences::new(of.set);
            if !values.iter().all(|value| occurrences.add(value)) {
                return None;
            }
            let parts = occurrences.signatures(of.cells.len());
            let mut image: Vec<u32> = (0..of.cells.len() as u32).collect();
            for members in of.members() {
                let part = |index: &u32| &parts[*index as usize];
                if members.iter().flat_map(part).any(|occurrence| self.is_tangled(occurrence)) {
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

    /// Whether the effect of a permutation does not follow from the occurrence alone.
    fn is_tangled(&self, occurrence: &Occurrence) -> bool {
        match occurrence {
            Occurrence::Is(_) | Occurrence::Member(_) => false,
            Occurrence::Left(_, other) | Occurrence::Right(_, other) => self.moves(other),
            Occurrence::Alone(_) => true,
        }
    }
}

/// Image of a value under a map of elements.
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
        // The group moves nothing inside, otherwise there would be no canonical form.
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

/// Multinomial coefficient, saturating: arrangements of groups of these sizes.
fn arrangements(sizes: impl Iterator<Item = u64>) -> u64 {
    let mut n_places = 0;
    let mut ways = 1_u64;
    for size in sizes {
        n_places += size;
        ways = ways.saturating_mul(choose(n_places, size));
    }
    ways
}

/// Binomial coefficient, saturating.
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
