//! Finite relations and functions: sets of pairs, sorted by their first components.
//!
//! All functions expect sets of pairs, which types guarantee; elements that are not pairs are passed over.

use std::ops::Range;

use crate::set::{Builder, Set};
use crate::value::Value;

/// Why a function has no value at an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// The argument is outside the domain.
    Outside,
    /// The argument has several images.
    Ambiguous,
}

/// First and second components, in ascending order.
pub fn pairs(relation: &Set) -> impl DoubleEndedIterator<Item = (&Value, &Value)> {
    relation.as_slice().unwrap_or(&[]).iter().filter_map(Value::as_pair)
}

/// The pairs whose first component is `key`.
fn rows<'a>(relation: &'a Set, key: &Value) -> &'a [Value] {
    let items = relation.as_slice().unwrap_or(&[]);
    &items[positions(items, key)]
}

/// Where the pairs with the first component `key` are.
fn positions(items: &[Value], key: &Value) -> Range<usize> {
    let start = items.partition_point(|item| first_of(item) < Some(key));
    let n_rows = items[start..].iter().take_while(|item| first_of(item) == Some(key)).count();
    start..start + n_rows
}

fn first_of(item: &Value) -> Option<&Value> {
    item.as_pair().map(|(first, _)| first)
}

/// All `y` with `key |-> y` in the relation, ascending.
pub fn images<'a>(relation: &'a Set, key: &Value) -> impl Iterator<Item = &'a Value> {
    rows(relation, key).iter().filter_map(Value::as_pair).map(|(_, second)| second)
}

/// Where the only pair of a key is, if the keys are consecutive up to there, as in sequences and total functions.
fn expected<'a>(items: &'a [Value], key: &Value) -> Option<&'a Value> {
    let offset = match (first_of(items.first()?)?, key) {
        (Value::Int(first), Value::Int(key)) => usize::try_from(key.checked_sub(*first)?).ok()?,
        (Value::Element { index: first, .. }, Value::Element { index, .. }) => index.checked_sub(*first)? as usize,
        _ => return None,
    };
    let (found, image) = items.get(offset)?.as_pair()?;
    // Neither neighbour has the same key, so it has one image.
    let is_only = items.get(offset + 1).is_none_or(|next| first_of(next) != Some(key))
        && offset.checked_sub(1).is_none_or(|before| first_of(&items[before]) != Some(key));
    (found == key && is_only).then_some(image)
}

/// The value of a function at an argument.
pub fn apply<'a>(function: &'a Set, key: &Value) -> Result<&'a Value, NoValue> {
    if let Some(image) = expected(function.as_slice().unwrap_or(&[]), key) {
        return Ok(image);
    }
    let mut images = images(function, key);
    let image = images.next().ok_or(NoValue::Outside)?;
    if images.next().is_some() { Err(NoValue::Ambiguous) } else { Ok(image) }
}

pub fn in_domain(relation: &Set, key: &Value) -> bool {
    let items = relation.as_slice().unwrap_or(&[]);
    let start = items.partition_point(|item| first_of(item) < Some(key));
    items.get(start).is_some_and(|item| first_of(item) == Some(key))
}

pub fn dom(relation: &Set) -> Set {
    let mut keys: Vec<Value> = Vec::new();
    for (first, _) in pairs(relation) {
        if keys.last() != Some(first) {
            keys.push(first.clone());
        }
    }
    Set::from_sorted(keys)
}

pub fn ran(relation: &Set) -> Set {
    pairs(relation).map(|(_, second)| second.clone()).collect()
}

pub fn inverse(relation: &Set) -> Set {
    pairs(relation).map(|(first, second)| Value::pair(second.clone(), first.clone())).collect()
}

/// Pairs are kept in order, so any filter of a relation is sorted.
fn filtered(relation: &Set, keep: impl Fn(&Value, &Value) -> bool) -> Set {
    let items = relation.as_slice().unwrap_or(&[]).iter();
    let kept = items.filter(|item| item.as_pair().is_some_and(|(first, second)| keep(first, second)));
    Set::from_sorted(kept.cloned().collect())
}

/// `keys <| relation`
pub fn domain_restrict(keys: &Set, relation: &Set) -> Set {
    filtered(relation, |first, _| keys.contains(first))
}

/// `keys <<| relation`
pub fn domain_subtract(keys: &Set, relation: &Set) -> Set {
    if let (Some(key), Some(items)) = (keys.only(), relation.as_slice())
        && let Some(set) = relation.spliced(positions(items, &key), None)
    {
        return set;
    }
    filtered(relation, |first, _| !keys.contains(first))
}

/// `relation |> targets`
pub fn range_restrict(relation: &Set, targets: &Set) -> Set {
    filtered(relation, |_, second| targets.contains(second))
}

/// `relation |>> targets`
pub fn range_subtract(relation: &Set, targets: &Set) -> Set {
    filtered(relation, |_, second| !targets.contains(second))
}

/// `relation <+ other`
pub fn override_with(relation: &Set, other: &Set) -> Set {
    if let (Some([new]), Some(items)) = (other.as_slice(), relation.as_slice())
        && let Some(key) = first_of(new)
        && let Some(set) = relation.spliced(positions(items, key), Some(new.clone()))
    {
        return set;
    }
    filtered(relation, |first, _| !in_domain(other, first)).union(other)
}

/// `relation[keys]`
pub fn image(relation: &Set, keys: &Set) -> Set {
    if keys.len() < relation.len() {
        return keys.iter().flat_map(|key| images(relation, &key).cloned().collect::<Vec<_>>()).collect();
    }
    pairs(relation).filter(|(first, _)| keys.contains(first)).map(|(_, second)| second.clone()).collect()
}

/// `(left ; right)`
pub fn compose(left: &Set, right: &Set) -> Set {
    let mut out = Builder::new();
    for (first, middle) in pairs(left) {
        out.extend(images(right, middle).map(|second| Value::pair(first.clone(), second.clone())));
    }
    out.finish()
}

/// `left >< right`
pub fn direct_product(left: &Set, right: &Set) -> Set {
    let mut out = Builder::new();
    for (first, second) in pairs(left) {
        let paired = images(right, first).map(|other| Value::pair(second.clone(), other.clone()));
        out.extend(paired.map(|pair| Value::pair(first.clone(), pair)));
    }
    out.finish()
}

/// `(left || right)`
pub fn parallel_product(left: &Set, right: &Set) -> Set {
    let mut out = Builder::new();
    for (first, second) in pairs(left) {
        for (first2, second2) in pairs(right) {
            let key = Value::pair(first.clone(), first2.clone());
            out.push(Value::pair(key, Value::pair(second.clone(), second2.clone())));
        }
    }
    out.finish()
}

/// `left * right`
pub fn cartesian(left: &Set, right: &Set) -> Set {
    let rows = left.iter().flat_map(|first| right.iter().map(move |second| Value::pair(first.clone(), second)));
    Set::from_sorted(rows.collect())
}

/// `id(set)`
pub fn identity(set: &Set) -> Set {
    Set::from_sorted(set.iter().map(|value| Value::pair(value.clone(), value)).collect())
}

/// The transitive closure: from each key, all that one or more steps reach.
pub fn closure1(relation: &Set) -> Set {
    let mut out = Builder::new();
    for key in &dom(relation) {
        let mut reached = hashbrown::HashSet::with_hasher(rustc_hash::FxBuildHasher);
        let mut open: Vec<&Value> = images(relation, &key).collect();
        while let Some(value) = open.pop() {
            if reached.insert(value) {
                open.extend(images(relation, value));
            }
        }
        out.extend(reached.into_iter().map(|value| Value::pair(key.clone(), value.clone())));
    }
    out.finish()
}

/// `fnc(relation)`: each key with the set of its images.
pub fn fnc(relation: &Set) -> Set {
    let keys = dom(relation);
    let rows = keys.iter().map(|key| {
        let images = images(relation, &key).cloned().collect();
        Value::pair(key, Value::Set(Set::from_sorted(images)))
    });
    Set::from_sorted(rows.collect())
}

/// `rel(function)`: each key with each element of its image.
pub fn rel(function: &Set) -> Set {
    let mut out = Builder::new();
    for (first, second) in pairs(function) {
        let elements = second.as_set().into_iter().flat_map(Set::iter);
        out.extend(elements.map(|element| Value::pair(first.clone(), element)));
    }
    out.finish()
}

/// No key has two images.
pub fn is_functional(relation: &Set) -> bool {
    let mut previous = None;
    pairs(relation).all(|(first, _)| previous.replace(first) != Some(first))
}

/// No two keys share an image.
pub fn is_injective(relation: &Set) -> bool {
    let mut seconds: Vec<(&Value, &Value)> = pairs(relation).map(|(first, second)| (second, first)).collect();
    seconds.sort_unstable();
    seconds.windows(2).all(|pair| pair[0].0 != pair[1].0)
}
