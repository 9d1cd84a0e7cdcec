//! Tables of the values of one variable, by id.
//!
//! A table holds values as a whole or, where memory is limited, in parts: a set of pairs, records or sets becomes the list of the numbers of its
//! elements, each of which is kept once. Functions that differ in a few points have most elements in common, so such a list takes a
//! quarter of the memory; the value is put together again when it is asked for.
//!
//! Elsewhere values are kept as a whole. From some number of values on, pairs and other elements on the heap that occur in several values are kept
//! once: the value stays what it is and is as fast to read.
//!
//! A value must have one entry, since a state with two would be two states. So the decision to keep a value in parts never changes: parts
//! are never dropped, and after the first value whose parts do not fit no part is added.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use abridge_eval::Val;
use abridge_value::{Internable, Interner, Set, Value, ValueId};

/// Parts that a table has at most; where there are more, few of them are equal.
const MAX_PARTS: usize = 1 << 16;

/// Values from which on elements are shared: looking for them takes time, and few values take little memory.
const MIN_SHARING_VALUES: usize = 1 << 12;

#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each variable, and a box would be followed for each value"
)]
pub(crate) enum ValueTable {
    Whole(Interner<Val>, Box<SharedElements>),
    InParts(Box<PartedTable>),
}

/// Elements of sets, each of which is kept once for all sets that have it.
pub(crate) struct SharedElements(Interner<Value>);

pub(crate) struct PartedTable {
    entries: Interner<Entry>,
    parts: Interner<Value>,
    /// Whether the table of parts is full. Held while parts are added, so that all of a value are added or none.
    is_full: Mutex<bool>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Entry {
    Whole(Val),
    /// Elements of a set in ascending order, by their ids in the table of parts.
    Parts(Box<[u32]>),
}

impl Internable for Entry {
    fn as_small(&self) -> Option<u32> {
        match self {
            Entry::Whole(val) => val.as_small(),
            Entry::Parts(_) => None,
        }
    }

    fn owned_bytes(&self) -> usize {
        match self {
            Entry::Whole(val) => val.owned_bytes(),
            Entry::Parts(parts) => parts.owned_bytes(),
        }
    }
}

impl ValueTable {
    /// A frugal table is one of very many that have few values each.
    pub(crate) fn new(is_frugal: bool, in_parts: bool) -> ValueTable {
        fn interner<T: Internable>(is_frugal: bool) -> Interner<T> {
            if is_frugal { Interner::frugal() } else { Interner::new() }
        }
        if in_parts {
            let (entries, parts) = (interner(is_frugal), Interner::frugal());
            return ValueTable::InParts(Box::new(PartedTable { entries, parts, is_full: Mutex::default() }));
        }
        ValueTable::Whole(interner(is_frugal), Box::new(SharedElements(Interner::frugal())))
    }

    #[inline]
    pub(crate) fn intern(&self, val: &Val) -> ValueId {
        match self {
            ValueTable::Whole(values, shared) => match elements(val) {
                Some(items) if values.len() >= MIN_SHARING_VALUES => {
                    values.find(val).unwrap_or_else(|| values.intern(&shared.sharing(items)))
                }
                _ => values.intern(val),
            },
            ValueTable::InParts(table) => table.entries.intern(&table.entry(val)),
        }
    }

    #[inline]
    pub(crate) fn get(&self, id: ValueId) -> Cow<'_, Val> {
        match self {
            ValueTable::Whole(values, _) => Cow::Borrowed(values.get(id)),
            ValueTable::InParts(table) => table.get(id),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            ValueTable::Whole(values, _) => values.len(),
            ValueTable::InParts(table) => table.entries.len(),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        match self {
            ValueTable::Whole(values, elements) => values.bytes() + elements.0.bytes(),
            ValueTable::InParts(table) => table.entries.bytes() + table.parts.bytes(),
        }
    }
}

impl SharedElements {
    /// The set of some values, with those that other sets have, as far as there is room for elements.
    fn sharing(&self, items: &[Value]) -> Val {
        let shared = items.iter().map(|item| {
            let is_full = self.0.len() >= MAX_PARTS;
            let id = if is_full { self.0.find(item) } else { Some(self.0.intern(item)) };
            id.map_or_else(|| item.clone(), |id| self.0.get(id).clone())
        });
        Val::Value(Value::Set(Set::from_sorted(shared.collect())))
    }
}

impl PartedTable {
    fn entry(&self, val: &Val) -> Entry {
        let parts = elements(val).and_then(|items| self.known(items).or_else(|| self.add(items)));
        parts.map_or_else(|| Entry::Whole(val.clone()), Entry::Parts)
    }

    fn known(&self, items: &[Value]) -> Option<Box<[u32]>> {
        items.iter().map(|item| self.parts.find(item).map(|id| id.0)).collect()
    }

    /// Adds all elements as parts; none if the table may not have so many.
    fn add(&self, items: &[Value]) -> Option<Box<[u32]>> {
        let mut is_full = self.is_full.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.known(items) {
            return Some(known);
        }
        *is_full |= self.parts.len() + items.len() > MAX_PARTS;
        if *is_full {
            return None;
        }
        Some(items.iter().map(|item| self.parts.intern(item).0).collect())
    }

    fn get(&self, id: ValueId) -> Cow<'_, Val> {
        match self.entries.get(id) {
            Entry::Whole(val) => Cow::Borrowed(val),
            Entry::Parts(parts) => {
                let items = parts.iter().map(|part| self.parts.get(ValueId(*part)).clone());
                Cow::Owned(Val::Value(Value::Set(Set::from_sorted(items.collect()))))
            }
        }
    }
}

/// Elements of a set, if each of them lies on the heap.
#[inline]
fn elements(val: &Val) -> Option<&[Value]> {
    let Some(Value::Set(set)) = val.as_value() else { return None };
    let is_large = |item: &Value| {
        matches!(item, Value::Pair(_) | Value::Record(_) | Value::Free(_) | Value::Set(_) | Value::String(_))
    };
    set.as_slice().filter(|items| !items.is_empty() && items.iter().all(is_large))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(points: impl Iterator<Item = (i64, i64)>) -> Val {
        let pair = |(n, to): (i64, i64)| Value::pair(Value::pair(Value::Int(n), Value::Int(n)), Value::Int(to));
        Val::Value(Value::Set(points.map(pair).collect()))
    }

    #[test]
    fn values_come_back_and_take_less() {
        let (whole, parts) = (ValueTable::new(false, false), ValueTable::new(false, true));
        let mut vals: Vec<Val> = (0..500).map(|last| function((0..20).map(|n| (n, (n * last) % 7)))).collect();
        vals.extend(
            [Value::Int(3), Value::Set(Set::EMPTY), Value::Set((0..9).map(Value::Int).collect())].map(Val::Value),
        );
        for val in &vals {
            let (id, other) = (parts.intern(val), whole.intern(val));
            assert_eq!((id, parts.get(id).as_ref()), (other, val));
            assert_eq!(parts.intern(val), id);
        }
        assert_eq!(parts.len(), whole.len());
        let many = |table: &ValueTable| {
            (0..5000).for_each(|k| _ = table.intern(&function((0..20).map(|n| (n, (k >> (n % 13)) & 1)))));
            table.bytes()
        };
        assert!(many(&parts) * 3 < many(&whole), "{} of {}", parts.bytes(), whole.bytes());
    }

    /// Equal values have one id whether their elements are shared or not, and what is shared is counted once.
    #[test]
    fn elements_are_kept_once_where_there_are_many_values() {
        let table = ValueTable::new(false, false);
        let val = |k: i64| function((0..20).map(|n| (n, (k >> (n % 13)) & 1)));
        let many = 2 * MIN_SHARING_VALUES as i64;
        let mut bytes = Vec::new();
        for k in 0..many {
            let id = table.intern(&val(k));
            assert_eq!(i64::from(id.0), k);
            if k % (many / 2) == many / 2 - 1 {
                bytes.push(table.bytes());
            }
        }
        (0..many).for_each(|k| {
            assert_eq!((table.intern(&val(k)).0, table.get(ValueId(k as u32)).as_ref()), (k as u32, &val(k)))
        });
        assert_eq!(table.len() as i64, many);
        assert!((bytes[1] - bytes[0]) * 3 < bytes[0], "{bytes:?}");
        let ValueTable::Whole(_, elements) = &table else { panic!("a table of whole values") };
        // The points of the second half of the values: two for each argument but one, which is always mapped to 1 there.
        assert_eq!(elements.0.len(), 39);
    }

    /// Beyond the last part, values are kept as a whole, each still with one id, also where workers race for the last parts.
    #[test]
    fn a_full_table_of_parts_keeps_ids_unique() {
        let table = ValueTable::new(false, true);
        let n_values = MAX_PARTS as i64 / 3 + 50;
        let ids: Vec<Vec<ValueId>> = std::thread::scope(|scope| {
            let intern =
                || (0..n_values).map(|k| table.intern(&function((3 * k..3 * k + 4).map(|n| (n, k))))).collect();
            let workers: Vec<_> = (0..3).map(|_| scope.spawn(intern)).collect();
            workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
        });
        assert!(ids.iter().all(|other| *other == ids[0]));
        assert_eq!(table.len() as i64, n_values);
        for (k, id) in (0..n_values).zip(&ids[0]) {
            assert_eq!(table.get(*id).as_ref(), &function((3 * k..3 * k + 4).map(|n| (n, k))));
        }
        let ValueTable::InParts(parted) = &table else { panic!("a table of parts") };
        assert!(parted.parts.len() <= MAX_PARTS && parted.parts.len() + 4 > MAX_PARTS);
    }
    /// A value that did not fit keeps its id, although smaller values later would have had room for its parts.
    #[test]
    fn nothing_is_added_after_the_first_part_that_does_not_fit() {
        let table = ValueTable::new(false, true);
        let point = |n: i64| function([(n, 0)].into_iter());
        (0..MAX_PARTS as i64 - 3).for_each(|n| _ = table.intern(&point(n)));
        let refused = function((MAX_PARTS as i64..MAX_PARTS as i64 + 4).map(|n| (n, 0)));
        let id = table.intern(&refused);
        (MAX_PARTS as i64..MAX_PARTS as i64 + 4).for_each(|n| _ = table.intern(&point(n)));
        assert_eq!(table.intern(&refused), id);
        assert_eq!(table.get(id).as_ref(), &refused);
    }
}
