//! Sequences as sets of pairs: functions with domain `1..n`.

use crate::set::Set;
use crate::value::Value;

/// Items of a sequence in order; `None` if the set is not a sequence.
pub fn items(set: &Set) -> Option<Vec<&Value>> {
    let pairs = set.as_slice()?;
    let at = |(idx, item): (usize, &'_ Value)| -> bool {
        item.as_pair().is_some_and(|(position, _)| *position == Value::Int(idx as i64 + 1))
    };
    if !pairs.iter().enumerate().all(at) {
        return None;
    }
    Some(pairs.iter().filter_map(Value::as_pair).map(|(_, item)| item).collect())
}

pub fn is_sequence(set: &Set) -> bool {
    items(set).is_some()
}

pub fn from_items(items: impl IntoIterator<Item = Value>) -> Set {
    let pairs = items.into_iter().zip(1..).map(|(item, position)| Value::pair(Value::Int(position), item));
    Set::from_sorted(pairs.collect())
}
