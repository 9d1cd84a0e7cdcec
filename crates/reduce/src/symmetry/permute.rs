//! Values with their elements permuted (Definition 2 of Leuschel, Butler, Spermann, Turner, "Symmetry Reduction for B by Permutation
//! Flooding").

use abridge_value::{Set, SetBuilder, Value, relation};

use super::group::Group;
use super::states::ValueStates;

/// The image of a value; nothing if it is the value itself.
pub fn permute_value(group: &Group, images: &[u32], value: &Value) -> Option<Value> {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Real(_) | Value::String(_) => None,
        Value::Element { set, index } => {
            let point = group.point(*set, *index)?;
            let image = images[point as usize];
            (image != point).then(|| element(group, image))
        }
        Value::Pair(pair) => {
            let (first, second) = (permute_value(group, images, &pair.0), permute_value(group, images, &pair.1));
            if first.is_none() && second.is_none() {
                return None;
            }
            Some(Value::pair(first.unwrap_or_else(|| pair.0.clone()), second.unwrap_or_else(|| pair.1.clone())))
        }
        Value::Record(record) => {
            let fields = permute_all(group, images, record.fields())?;
            Some(Value::record(record.shape(), fields))
        }
        Value::Free(free) => {
            let arg = abridge_diag::with_stack(|| permute_value(group, images, free.arg()?))?;
            Some(Value::free(free.free_type(), free.constructor(), Some(arg)))
        }
        Value::Set(set) => permute_set(group, images, set).map(Value::Set),
    }
}

/// What a word of a state becomes.
pub(super) fn permute_word(
    system: &impl ValueStates,
    group: &Group,
    images: &[u32],
    state: &[u32],
    word: usize,
) -> u32 {
    system.map_word(state, word, &mut |value| permute_value(group, images, value))
}

/// A state with its elements permuted.
pub fn permute_state(system: &impl ValueStates, group: &Group, images: &[u32], state: &[u32]) -> Vec<u32> {
    (0..state.len()).map(|word| permute_word(system, group, images, state, word)).collect()
}

fn element(group: &Group, point: u32) -> Value {
    let (set, index) = group.element(point);
    Value::element(set, index)
}

fn permute_all(group: &Group, images: &[u32], values: &[Value]) -> Option<Vec<Value>> {
    let images: Vec<Option<Value>> = values.iter().map(|value| permute_value(group, images, value)).collect();
    if images.iter().all(Option::is_none) {
        return None;
    }
    Some(images.into_iter().zip(values).map(|(image, value)| image.unwrap_or_else(|| value.clone())).collect())
}

fn permute_set(group: &Group, images: &[u32], set: &Set) -> Option<Set> {
    if let Some((carrier, bits)) = set.as_bits() {
        if !group.moves(carrier) {
            return None;
        }
        let image = permute_bits(group, images, carrier, bits);
        return (image != *set).then_some(image);
    }
    if let Some(items) = set.as_slice() {
        let images = permute_all(group, images, items)?;
        let image: Set = images.into_iter().collect();
        return (image != *set).then_some(image);
    }
    if let Value::Pair(_) = set.first()? {
        let image = relation::renamed(set, |value| permute_value(group, images, &value).unwrap_or(value));
        return (image != *set).then_some(image);
    }
    // What is left are numbers, booleans and large bit sets.
    if !matches!(set.first()?, Value::Element { set: carrier, .. } if group.moves(carrier)) {
        return None;
    }
    let mut image = SetBuilder::new();
    image.extend(set.iter().map(|item| permute_value(group, images, &item).unwrap_or(item)));
    let image = image.finish();
    (image != *set).then_some(image)
}

fn permute_bits(group: &Group, images: &[u32], carrier: u32, mut bits: u64) -> Set {
    let mut small = 0_u64;
    let mut large = SetBuilder::new();
    while bits != 0 {
        let index = bits.trailing_zeros();
        bits &= bits - 1;
        let image = group.point(carrier, index).map_or(index, |point| group.element(images[point as usize]).1);
        if image < 64 {
            small |= 1 << image;
        } else {
            large.push(Value::element(carrier, image));
        }
    }
    if large.is_empty() {
        return Set::from_bits(carrier, small);
    }
    large.extend(Set::from_bits(carrier, small).iter());
    large.finish()
}

#[cfg(test)]
mod tests {
    use super::super::group::CarrierBlock;
    use super::*;

    #[test]
    fn sets_of_more_than_64_elements() {
        let group = Group::new(vec![CarrierBlock { set: 0, indices: (0..100).collect() }]);
        let images: Vec<u32> = (0..100).map(|point| (point + 70) % 100).collect();
        let low: Set = (0..5).map(|index| Value::element(0, index)).collect();
        let high: Set = (70..75).map(|index| Value::element(0, index)).collect();
        assert_eq!(permute_value(&group, &images, &low.clone().into()), Some(high.clone().into()));
        let back: Vec<u32> = (0..100).map(|point| (point + 30) % 100).collect();
        assert_eq!(permute_value(&group, &back, &high.into()), Some(low.into()));
    }

    #[test]
    fn what_does_not_change_is_not_built_again() {
        let group = Group::new(vec![CarrierBlock { set: 0, indices: vec![0, 1] }]);
        let both: Set = [0, 1].map(|index| Value::element(0, index)).into_iter().collect();
        for value in [Value::Int(3), Value::Set(Set::booleans()), Value::element(1, 0), both.into()] {
            assert_eq!(permute_value(&group, &[1, 0], &value), None);
        }
    }
}
