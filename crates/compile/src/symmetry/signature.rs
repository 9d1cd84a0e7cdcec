//! Signatures: occurrences of the elements of one given set in values.
//!
//! An element has an occurrence for each place where it is a value, a member of a set, or one side of a pair in a set. Exchanging elements with equal
//! signatures leaves the values unchanged. An element that occurs in any other way is distinguished from all others, which errs on the safe
//! side.

use abridge_diag::with_stack;
use abridge_value::{Set, Value, relation};
use rustc_hash::FxHashMap;

/// Blocks of elements that the text of a model cannot distinguish.
pub struct Interchangeable {
    /// Block of each element, by given set and index; [`FIXED`] for an element without a block.
    blocks: Vec<Vec<u32>>,
}

/// Block or cell of an element that cannot be exchanged.
pub(crate) const FIXED: u32 = u32::MAX;

/// Smallest block that pays.
const MIN_BLOCK_SIZE: usize = 4;

/// Largest value that is examined, in members.
const MAX_MEMBERS: u64 = 1 << 12;

impl Interchangeable {
    /// Makes the table from blocks, each given as a set and the indices of its elements.
    pub fn new<'b>(blocks: impl Iterator<Item = (u32, &'b [u32])>) -> Self {
        let mut by_set: Vec<Vec<u32>> = Vec::new();
        for (number, (set, indices)) in (0..).zip(blocks.filter(|(_, indices)| indices.len() >= MIN_BLOCK_SIZE)) {
            let set = set as usize;
            by_set.resize(by_set.len().max(set + 1), Vec::new());
            for index in indices {
                let positions = &mut by_set[set];
                positions.resize(positions.len().max(*index as usize + 1), FIXED);
                positions[*index as usize] = number;
            }
        }
        Interchangeable { blocks: by_set }
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Block of each element of a given set, if the set has blocks.
    pub fn blocks(&self, set: u32) -> Option<&[u32]> {
        self.blocks.get(set as usize).map(Vec::as_slice).filter(|blocks| !blocks.is_empty())
    }
}

/// Occurrence of an element in a value, which is identified by a number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Occurrence {
    Is(u32),
    Member(u32),
    /// On the left of this value in a pair.
    Left(u32, Value),
    Right(u32, Value),
    /// In any other way; carries the element itself, so that no other has an equal occurrence.
    Alone(u32),
}

/// Occurrences of the elements of one given set in some values.
pub(crate) struct Occurrences {
    set: u32,
    occurrences: Vec<(u32, Occurrence)>,
    n_places: u32,
}

impl Occurrences {
    pub(crate) fn new(set: u32) -> Self {
        Occurrences { set, occurrences: Vec::new(), n_places: 0 }
    }

    /// Adds the occurrences in a further value; `false` if it is too large.
    pub(crate) fn add(&mut self, value: &Value) -> bool {
        with_stack(|| self.add_inner(value))
    }

    fn add_inner(&mut self, value: &Value) -> bool {
        self.n_places += 1;
        let place = self.n_places;
        match value {
            Value::Element { set, index } if *set == self.set => self.occurrences.push((*index, Occurrence::Is(place))),
            Value::Pair(pair) => return self.add(&pair.0) && self.add(&pair.1),
            Value::Record(record) => return record.fields().iter().all(|field| self.add(field)),
            Value::Set(members) => {
                if members.len() > MAX_MEMBERS {
                    return false;
                }
                self.add_members(place, members);
            }
            other => self.distinguish(other),
        }
        true
    }

    fn add_members(&mut self, place: u32, members: &Set) {
        match members.first() {
            Some(Value::Pair(_)) => {
                for (left, right) in relation::pairs(members) {
                    self.add_pair(place, left, right);
                }
            }
            Some(Value::Element { set, .. }) if set == self.set => {
                for member in members.iter() {
                    if let Some(index) = self.index(&member) {
                        self.occurrences.push((index, Occurrence::Member(place)));
                    }
                }
            }
            Some(Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Real(_) | Value::String(_)) | None => {}
            Some(_) => members.iter().for_each(|member| self.distinguish(&member)),
        }
    }

    fn add_pair(&mut self, place: u32, left: Value, right: Value) {
        match (self.index(&left), self.index(&right)) {
            (Some(index), None) if !self.occurs(&right) => {
                self.occurrences.push((index, Occurrence::Left(place, right)))
            }
            (None, Some(index)) if !self.occurs(&left) => {
                self.occurrences.push((index, Occurrence::Right(place, left)))
            }
            _ => {
                self.distinguish(&left);
                self.distinguish(&right);
            }
        }
    }

    fn index(&self, value: &Value) -> Option<u32> {
        match value {
            Value::Element { set, index } if *set == self.set => Some(*index),
            _ => None,
        }
    }

    fn occurs(&self, value: &Value) -> bool {
        let mut occurs = false;
        elements(value, &mut |set, _| occurs |= set == self.set);
        occurs
    }

    fn distinguish(&mut self, value: &Value) {
        let Occurrences { set, occurrences, .. } = self;
        elements(value, &mut |of, index| {
            if of == *set {
                occurrences.push((index, Occurrence::Alone(index)));
            }
        });
    }

    /// Number of occurrences.
    pub(crate) fn len(&self) -> usize {
        self.occurrences.len()
    }

    /// Signatures of the first `n_elements` elements.
    pub(crate) fn signatures(self, n_elements: usize) -> Vec<Vec<Occurrence>> {
        let mut parts = vec![Vec::new(); n_elements];
        for (index, occurrence) in self.occurrences {
            if let Some(parts) = parts.get_mut(index as usize) {
                parts.push(occurrence);
            }
        }
        parts
    }

    /// For each element, the first element of its block with the same signature.
    pub(crate) fn classes(mut self, blocks: &[u32]) -> Vec<u32> {
        self.occurrences.sort_by_key(|(index, _)| *index);
        let mut first_with: FxHashMap<(u32, Vec<&Occurrence>), u32> = FxHashMap::default();
        let mut occurrences = self.occurrences.iter().peekable();
        let class = |(index, block): (u32, &u32)| {
            let mut own = Vec::new();
            while let Some((_, occurrence)) = occurrences.next_if(|(marked, _)| *marked <= index) {
                own.push(occurrence);
            }
            if *block == FIXED { index } else { *first_with.entry((*block, own)).or_insert(index) }
        };
        (0..).zip(blocks).map(class).collect()
    }
}

/// Calls `found` with the given set and index of each element in a value.
pub fn elements(value: &Value, found: &mut dyn FnMut(u32, u32)) {
    match value {
        Value::Element { set, index } => found(*set, *index),
        Value::Pair(pair) => with_stack(|| {
            elements(&pair.0, found);
            elements(&pair.1, found);
        }),
        Value::Record(record) => with_stack(|| record.fields().iter().for_each(|field| elements(field, found))),
        Value::Free(free) => with_stack(|| free.arg().into_iter().for_each(|arg| elements(arg, found))),
        Value::Set(members) => with_stack(|| members.iter().for_each(|member| elements(&member, found))),
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Real(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(index: u32) -> Value {
        Value::element(0, index)
    }

    fn classes(values: &[Value]) -> Vec<u32> {
        let mut occurrences = Occurrences::new(0);
        assert!(values.iter().all(|value| occurrences.add(value)));
        occurrences.classes(&[0; 5])
    }

    fn set(members: Vec<Value>) -> Value {
        Value::Set(members.into_iter().collect())
    }

    #[test]
    fn members_are_told_from_others() {
        assert_eq!(classes(&[]), [0, 0, 0, 0, 0]);
        assert_eq!(classes(&[set(vec![element(1), element(3)])]), [0, 1, 0, 1, 0]);
        assert_eq!(classes(&[element(2), set(vec![element(1), element(2)])]), [0, 1, 2, 0, 0]);
    }

    #[test]
    fn functions_sort_by_their_values() {
        let pair = |(index, value)| Value::pair(element(index), Value::Int(value));
        let function = [(0, 5), (1, 7), (2, 5), (4, 7)].map(pair).to_vec();
        assert_eq!(classes(&[set(function)]), [0, 1, 0, 3, 1]);
        let turned = |(value, index)| Value::pair(Value::Int(value), element(index));
        assert_eq!(classes(&[set([(1, 0), (1, 2), (2, 2), (2, 4), (1, 4)].map(turned).to_vec())]), [0, 1, 2, 1, 2]);
    }

    #[test]
    fn what_is_tangled_stands_alone() {
        let link = Value::pair(element(1), element(3));
        assert_eq!(classes(&[set(vec![link])]), [0, 1, 0, 3, 0]);
        let nested = set(vec![set(vec![element(0), element(1)]), set(vec![])]);
        assert_eq!(classes(&[nested]), [0, 1, 2, 2, 2]);
    }

    #[test]
    fn fixed_elements_have_no_twins() {
        let blocks = Interchangeable::new([(0, [1, 2, 3, 5].as_slice()), (1, &[0, 1])].into_iter());
        assert_eq!(blocks.blocks(1), None);
        let occurrences = Occurrences::new(0);
        assert_eq!(occurrences.classes(blocks.blocks(0).expect("a block")), [0, 1, 1, 1, 4, 1]);
    }
}
