//! Permutations on the steps of a quotient, and what becomes of operations with arguments under them.
//!
//! Fairness to every operation with its arguments (`WEF`, `SEF`) needs to know who is who after a target was replaced by its representative. Steps carry the permutation between both as a part of
//! their letters; `abridge_temporal::emptiness` follows names along them, and the story of a path undoes them. A permutation that did not map the target to its representative would mix up operations.

use abridge_eval::Val;
use abridge_model_system::ModelSystem;
use abridge_reduce::symmetry::{Canonizer, Group, Permutation, permute_state, permute_value};
use abridge_value::bytes::{Reader, put_number};
use rustc_hash::FxHashMap;

/// Permutations by number.
#[derive(Default)]
pub(super) struct Permutations {
    numbers: FxHashMap<Box<[u32]>, u32>,
    list: Vec<Box<[u32]>>,
}

impl Permutations {
    pub(super) fn number(&mut self, images: &[u32]) -> u32 {
        if let Some(known) = self.numbers.get(images) {
            return *known;
        }
        self.list.push(images.into());
        let number = self.list.len() as u32 - 1;
        self.numbers.insert(images.into(), number);
        number
    }

    pub(super) fn get(&self, number: u32) -> &[u32] {
        &self.list[number as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Appends all permutations in the order of their numbers.
    pub(super) fn save(&self, out: &mut Vec<u8>) {
        put_number(out, self.list.len() as u64);
        for images in &self.list {
            put_number(out, images.len() as u64);
            images.iter().for_each(|image| put_number(out, u64::from(*image)));
        }
    }

    /// Reads what was saved; nothing if it is not a list of different permutations of so many points.
    pub(super) fn restore(reader: &mut Reader<'_>, n_points: usize) -> Option<Permutations> {
        let mut permutations = Permutations::default();
        let list: Vec<Vec<u32>> = reader.list(|reader| reader.list(|reader| reader.small()))?;
        for (number, images) in list.iter().enumerate() {
            let mut sorted = images.clone();
            sorted.sort_unstable();
            let is_permutation = sorted.iter().copied().eq(0..n_points as u32);
            (is_permutation && permutations.number(images) as usize == number).then_some(())?;
        }
        Some(permutations)
    }
}

/// Arguments under a permutation.
pub(super) fn turned_vals(group: &Group, images: &[u32], vals: &[Val]) -> Vec<Val> {
    let turned = |val: &Val| val.map_leaves(&mut |value| permute_value(group, images, value));
    vals.iter().map(|val| turned(val).unwrap_or_else(|| val.clone())).collect()
}

/// The names of elements along a real path: the permutation from a real state to the state of the table that stands for it.
#[derive(Clone)]
pub(super) struct ElementNames {
    pub(super) group: Group,
    pub(super) images: Permutation,
}

impl ElementNames {
    /// The names at the beginning of a path; nothing if the states are not of one orbit, or the method does not tell.
    pub(super) fn between(
        system: &impl ModelSystem,
        group: &Group,
        canonizer: &mut dyn Canonizer,
        real: &[u32],
        stored: &[u32],
    ) -> Option<ElementNames> {
        let mut permutation = |state: &[u32]| {
            let mut words = state.to_vec();
            canonizer.represent(&mut words);
            let images = canonizer.images()?;
            Some(if images.is_empty() { group.identity() } else { images.to_vec() })
        };
        let (from_real, from_stored) = (permutation(real)?, permutation(stored)?);
        let mut back = group.identity();
        from_stored.iter().zip(0..).for_each(|(image, point)| back[*image as usize] = point);
        let images: Permutation = from_real.iter().map(|image| back[*image as usize]).collect();
        (permute_state(system, group, &images, real) == stored).then(|| ElementNames { group: group.clone(), images })
    }

    /// The names after a step with this permutation.
    pub(super) fn after(&self, turn: Option<&[u32]>) -> Permutation {
        match turn {
            Some(turn) => self.images.iter().map(|image| turn[*image as usize]).collect(),
            None => self.images.clone(),
        }
    }
}
