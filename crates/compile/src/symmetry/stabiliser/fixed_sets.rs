//! Given sets that a group must fix so that all values of some types have a canonical form under it.

use abridge_model::{Model, Type, TypeId};

use super::Stabiliser;

/// Restrictions on the group, from the occurrences of given sets in types.
#[derive(Default, Debug)]
pub struct FixedSets {
    /// Sets whose elements occur deeper than canonisation can handle; they must be fixed.
    tangled: Vec<u32>,
    /// Sets whose elements occur in pairs with each other; one of the two must be fixed.
    tied: Vec<(u32, u32)>,
    /// Some type is opaque, so that all sets must be fixed.
    is_opaque: bool,
}

impl FixedSets {
    pub fn of(model: &Model, types: impl Iterator<Item = TypeId>) -> FixedSets {
        let mut shape = FixedSets::default();
        types.for_each(|ty| shape.add(model, ty));
        shape
    }

    fn add(&mut self, model: &Model, ty: TypeId) {
        match model.types.get(ty) {
            Type::Integer | Type::Bool | Type::String | Type::Real | Type::Given(_) => {}
            Type::Free(_) => self.is_opaque = true,
            Type::Pair(first, second) => [first, second].into_iter().for_each(|part| self.add(model, *part)),
            Type::Record(fields) => fields.iter().for_each(|(_, field)| self.add(model, *field)),
            Type::Pow(of) => match model.types.get(*of) {
                Type::Given(_) => {}
                Type::Pair(first, second) => self.add_relation(model, *first, *second),
                _ => {
                    let sets = self.sets(model, *of);
                    self.tangled.extend(sets);
                }
            },
        }
    }

    fn add_relation(&mut self, model: &Model, first: TypeId, second: TypeId) {
        let (left, right) = (self.sets(model, first), self.sets(model, second));
        for (ty, here, there) in [(first, &left, &right), (second, &right, &left)] {
            let is_element = matches!(model.types.get(ty), Type::Given(_));
            self.tangled.extend(here.iter().filter(|set| !is_element || there.contains(set)));
        }
        self.tied.extend(left.iter().flat_map(|left| right.iter().map(|right| (*left, *right))));
    }

    /// Given sets in a type.
    fn sets(&mut self, model: &Model, ty: TypeId) -> Vec<u32> {
        match model.types.get(ty) {
            Type::Integer | Type::Bool | Type::String | Type::Real => Vec::new(),
            Type::Given(set) => vec![set.0],
            Type::Free(_) => {
                self.is_opaque = true;
                Vec::new()
            }
            Type::Pow(of) => self.sets(model, *of),
            Type::Pair(first, second) => [self.sets(model, *first), self.sets(model, *second)].concat(),
            Type::Record(fields) => fields.iter().flat_map(|(_, field)| self.sets(model, *field)).collect(),
        }
    }

    /// Subgroup that respects the restrictions. Of two tied sets, the one with fewer movable elements is fixed.
    pub fn movable(&self, cells: &Stabiliser) -> Stabiliser {
        if self.is_opaque {
            return Stabiliser::default();
        }
        let mut left: Vec<_> = cells.0.iter().filter(|of| !self.tangled.contains(&of.set)).collect();
        for (first, second) in &self.tied {
            let n_moving = |set: u32| left.iter().find(|of| of.set == set).map_or(0, |of| of.n_moving());
            let (n_first, n_second) = (n_moving(*first), n_moving(*second));
            if n_first > 0 && n_second > 0 {
                let still = if n_first < n_second { first } else { second };
                left.retain(|of| of.set != *still);
            }
        }
        Stabiliser(left.into_iter().cloned().collect())
    }
}
