//! Laws of values: equality, hash and order are consistent; sets agree with a naive model; interning is a bijection.

use std::collections::BTreeSet;
use std::hash::BuildHasher as _;

use abridge_value::{Int, Interner, Set, Value, relation, sequence};
use num_bigint::BigInt;
use proptest::prelude::*;
use rustc_hash::FxBuildHasher;

/// Integers near zero, near the ends of `i64`, and beyond.
fn int() -> impl Strategy<Value = BigInt> {
    let offset = -3_i64..4;
    prop_oneof![
        4 => (-4_i64..70).prop_map(BigInt::from),
        1 => offset.clone().prop_map(|n| BigInt::from(i64::MAX) + n),
        1 => offset.clone().prop_map(|n| BigInt::from(i64::MIN) + n),
        1 => offset.prop_map(|n| BigInt::from(1_u128 << 90) + n),
    ]
}

/// Lists of values, each list of one type, so that sets of them are well typed.
fn values_of_one_type() -> impl Strategy<Value = Vec<Value>> {
    let ints = || prop::collection::vec(int().prop_map(|big| Value::int(Int::from(big))), 0..12);
    let elements = |max: u32| prop::collection::vec((0..max).prop_map(|index| Value::element(2, index)), 0..12);
    let bools = || prop::collection::vec(any::<bool>().prop_map(Value::Bool), 0..4);
    let strings = || prop::collection::vec("[ab1]{0,3}".prop_map(|text| Value::from(text.as_str())), 0..8);
    let reals = || prop::collection::vec(any::<f64>().prop_map(Value::real), 0..6);
    let pair_of = |items: BoxedStrategy<Vec<Value>>| {
        (items.clone(), items).prop_map(|(left, right)| {
            let pairs = left.into_iter().zip(right).map(|(first, second)| Value::pair(first, second));
            pairs.collect::<Vec<_>>()
        })
    };
    let set_of = |items: BoxedStrategy<Vec<Value>>| {
        prop::collection::vec(items.prop_map(|items| Value::Set(items.into_iter().collect())), 0..8)
    };
    prop_oneof![
        ints(),
        elements(5),
        elements(64),
        elements(200),
        bools(),
        strings(),
        reals(),
        pair_of(ints().boxed()),
        pair_of(elements(70).boxed()),
        set_of(ints().boxed()),
        set_of(elements(66).boxed()),
        set_of(pair_of(bools().boxed()).boxed()),
        ints()
            .prop_map(|items| items.into_iter().map(|item| Value::record(3, vec![item, Value::Bool(true)])).collect()),
        ints().prop_map(|items| items.into_iter().map(|item| Value::free(0, 1, Some(item))).collect()),
    ]
}

fn two_lists() -> impl Strategy<Value = (Vec<Value>, Vec<Value>)> {
    (values_of_one_type(), any::<u64>(), any::<u64>()).prop_map(|(items, left, right)| {
        let pick = |mask: u64| {
            let chosen = items.iter().enumerate().filter(move |(idx, _)| mask >> (idx % 64) & 1 == 1);
            chosen.map(|(_, item)| item.clone()).collect::<Vec<_>>()
        };
        (pick(left), pick(right))
    })
}

fn relation_pairs() -> impl Strategy<Value = Vec<(i64, i64)>> {
    prop::collection::vec((0_i64..5, 0_i64..5), 0..14)
}

/// Mapping of the numbers of [`relation_pairs`] to values. The kind of the values determines the layout of the relation.
type Kind = fn(i64) -> Value;

fn kinds() -> impl Strategy<Value = Kind> {
    let near_the_end_of_a_word = |n: i64| Value::element(2, n as u32 + 61);
    prop_oneof![
        Just(Value::Int as Kind),
        Just((|n| Value::element(2, n as u32)) as Kind),
        Just(near_the_end_of_a_word as Kind),
        Just((|n| Value::from(n.to_string().as_str())) as Kind),
    ]
}

fn to_relation(kind: Kind, pairs: &[(i64, i64)]) -> Set {
    pairs.iter().map(|(first, second)| Value::pair(kind(*first), kind(*second))).collect()
}

fn naive(items: &[Value]) -> BTreeSet<Value> {
    items.iter().cloned().collect()
}

fn set(items: &[Value]) -> Set {
    items.iter().cloned().collect()
}

/// Asserts that a set has exactly these elements and is canonical: the set built from a list is equal and has an equal hash.
fn same(actual: &Set, expected: &BTreeSet<Value>) -> Result<(), TestCaseError> {
    let listed: Vec<Value> = actual.iter().collect();
    prop_assert_eq!(&listed, &expected.iter().cloned().collect::<Vec<_>>());
    let rebuilt: Set = expected.iter().rev().cloned().collect();
    prop_assert_eq!(actual, &rebuilt);
    prop_assert_eq!(FxBuildHasher.hash_one(actual), FxBuildHasher.hash_one(&rebuilt));
    prop_assert_eq!(actual.len(), expected.len() as u64);
    prop_assert_eq!(actual.first(), expected.first().cloned());
    prop_assert_eq!(actual.last(), expected.last().cloned());
    Ok(())
}

proptest! {
    #[test]
    fn forall_values_equality_hash_and_order_agree(items in values_of_one_type()) {
        for left in &items {
            for right in &items {
                let order = left.cmp(right);
                prop_assert_eq!(order == std::cmp::Ordering::Equal, left == right);
                prop_assert_eq!(order, right.cmp(left).reverse());
                if left == right {
                    prop_assert_eq!(left.stable_hash(), right.stable_hash());
                }
                for third in &items {
                    if left <= right && right <= third {
                        prop_assert!(left <= third);
                    }
                }
            }
        }
    }

    #[test]
    fn forall_sets_order_is_that_of_their_elements((left, right) in two_lists()) {
        prop_assert_eq!(set(&left).cmp(&set(&right)), naive(&left).iter().cmp(naive(&right).iter()));
    }

    #[test]
    fn forall_sets_algebra_is_that_of_naive_sets((left, right) in two_lists()) {
        let (a, b) = (set(&left), set(&right));
        let (x, y) = (naive(&left), naive(&right));
        same(&a, &x)?;
        same(&a.union(&b), &x.union(&y).cloned().collect())?;
        same(&a.intersection(&b), &x.intersection(&y).cloned().collect())?;
        same(&a.difference(&b), &x.difference(&y).cloned().collect())?;
        prop_assert_eq!(a.is_subset(&b), x.is_subset(&y));
        prop_assert_eq!(a.is_disjoint(&b), x.is_disjoint(&y));
        for value in left.iter().chain(&right) {
            prop_assert_eq!(a.contains(value), x.contains(value));
            let (mut with, mut without) = (x.clone(), x.clone());
            with.insert(value.clone());
            without.remove(value);
            same(&a.insert(value.clone()), &with)?;
            same(&a.remove(value), &without)?;
        }
    }

    #[test]
    fn forall_interval_ends_sets_agree(lo in int(), len in 0_i64..80, items in prop::collection::vec(int(), 0..6)) {
        let hi = &lo + len;
        let interval = Set::interval(Int::from(lo.clone()), Int::from(hi.clone()));
        let other: Vec<Value> = items.into_iter().map(|big| Value::int(Int::from(big))).collect();
        let mut listed = BTreeSet::new();
        let mut next = lo;
        while next <= hi {
            listed.insert(Value::int(Int::from(next.clone())));
            next += 1;
        }
        let (b, y) = (set(&other), naive(&other));
        same(&interval, &listed)?;
        same(&interval.union(&b), &listed.union(&y).cloned().collect())?;
        same(&interval.intersection(&b), &listed.intersection(&y).cloned().collect())?;
        same(&interval.difference(&b), &listed.difference(&y).cloned().collect())?;
        same(&b.difference(&interval), &y.difference(&listed).cloned().collect())?;
        prop_assert_eq!(b.is_subset(&interval), y.is_subset(&listed));
        prop_assert_eq!(interval.is_disjoint(&b), listed.is_disjoint(&y));
    }

    #[test]
    fn forall_ints_arithmetic_is_exact(left in int(), right in int()) {
        let (a, b) = (Int::from(left.clone()), Int::from(right.clone()));
        prop_assert_eq!((&a + &b).to_big(), &left + &right);
        prop_assert_eq!((&a - &b).to_big(), &left - &right);
        prop_assert_eq!((&a * &b).to_big(), &left * &right);
        prop_assert_eq!(a.cmp(&b), left.cmp(&right));
        prop_assert_eq!(a == b, left == right);
        if right != BigInt::ZERO {
            prop_assert_eq!(a.div(&b).map(|int| int.to_big()), Some(&left / &right));
            prop_assert_eq!(a.rem(&b).map(|int| int.to_big()), Some(&left % &right));
        }
        prop_assert_eq!(Int::parse(&a.to_string()), Some(a));
    }

    #[test]
    fn forall_relations_operators_are_their_definitions(kind in kinds(), left in relation_pairs(), right in relation_pairs(), keys in prop::collection::btree_set(0_i64..5, 0..5)) {
        let free: &mut relation::Meter<'_, ()> = &mut |_| Ok(());
        let (p, q) = (to_relation(kind, &left), to_relation(kind, &right));
        let key_set: Set = keys.iter().map(|key| kind(*key)).collect();
        let list = |pairs: Vec<(i64, i64)>| to_relation(kind, &pairs);
        let compose = left.iter().flat_map(|(x, y)| right.iter().filter(move |(u, _)| u == y).map(move |(_, v)| (*x, *v)));
        prop_assert_eq!(relation::compose(&p, &q, free).unwrap(), list(compose.collect()));
        prop_assert_eq!(relation::inverse(&p), list(left.iter().map(|(x, y)| (*y, *x)).collect()));
        prop_assert_eq!(relation::dom(&p), left.iter().map(|(x, _)| kind(*x)).collect::<Set>());
        prop_assert_eq!(relation::ran(&p), left.iter().map(|(_, y)| kind(*y)).collect::<Set>());
        let restricted = |keep: bool| list(left.iter().filter(|(x, _)| keys.contains(x) == keep).copied().collect());
        prop_assert_eq!(relation::domain_restrict(&key_set, &p), restricted(true));
        prop_assert_eq!(relation::domain_subtract(&key_set, &p), restricted(false));
        prop_assert_eq!(relation::image(&p, &key_set), relation::ran(&restricted(true)));
        prop_assert_eq!(relation::preimage(&p, &key_set), relation::image(&relation::inverse(&p), &key_set));
        prop_assert_eq!(relation::range_restrict(&p, &key_set), relation::inverse(&relation::domain_restrict(&key_set, &relation::inverse(&p))));
        prop_assert_eq!(relation::range_subtract(&p, &key_set), p.difference(&relation::range_restrict(&p, &key_set)));
        let overridden = relation::domain_subtract(&relation::dom(&q), &p).union(&q);
        prop_assert_eq!(relation::override_with(&p, &q), overridden);
        for (x, y) in &right {
            let kept = left.iter().filter(|(u, _)| u != x).copied();
            prop_assert_eq!(relation::override_with(&p, &list(vec![(*x, *y)])), list(kept.clone().chain([(*x, *y)]).collect()));
            prop_assert_eq!(relation::domain_subtract(&Set::singleton(kind(*x)), &p), list(kept.collect()));
        }
        for x in 0..5 {
            let images: BTreeSet<Value> = left.iter().filter(|(u, _)| *u == x).map(|(_, y)| kind(*y)).collect();
            prop_assert_eq!(relation::images(&p, &kind(x)).collect::<Vec<_>>(), images.iter().cloned().collect::<Vec<_>>());
            prop_assert_eq!(relation::in_domain(&p, &kind(x)), !images.is_empty());
            let keys: BTreeSet<Value> = left.iter().filter(|(_, v)| *v == x).map(|(y, _)| kind(*y)).collect();
            prop_assert_eq!(relation::keys_of(&p, &kind(x)).collect::<Vec<_>>(), keys.iter().cloned().collect::<Vec<_>>());
            let has_no_such_image = relation::every_pair(&p, |_, image| Ok::<bool, ()>(*image != kind(x)));
            prop_assert_eq!(has_no_such_image, Ok(keys.is_empty()));
            prop_assert_eq!(relation::apply(&p, &kind(x)).ok(), images.first().filter(|_| images.len() == 1).cloned());
        }
        let rotated = |n: i64| (n + 2) % 5;
        let names: Vec<(Value, Value)> = (0..5).map(|n| (kind(n), kind(rotated(n)))).collect();
        let rename = |value: Value| names.iter().find(|(old, _)| *old == value).map_or(value, |(_, new)| new.clone());
        prop_assert_eq!(relation::renamed(&p, rename), list(left.iter().map(|(x, y)| (rotated(*x), rotated(*y))).collect()));
        let mut closure = p.clone();
        loop {
            let next = closure.union(&relation::compose(&closure, &p, free).unwrap());
            if next == closure { break; }
            closure = next;
        }
        prop_assert_eq!(relation::closure1(&p, free).unwrap(), closure);
        prop_assert_eq!(relation::rel(&relation::fnc(&p), free).unwrap(), p.clone());
        prop_assert_eq!(relation::is_functional(&p), relation::dom(&p).len() == p.len());
        prop_assert_eq!(relation::is_injective(&p), relation::ran(&p).len() == p.len());
        let direct = left.iter().flat_map(|(x, y)| right.iter().filter(move |(u, _)| u == x).map(move |(_, v)| (*x, *y, *v)));
        let direct = direct.map(|(x, y, v)| Value::pair(kind(x), Value::pair(kind(y), kind(v))));
        prop_assert_eq!(relation::direct_product(&p, &q, free).unwrap(), direct.collect::<Set>());
        prop_assert_eq!(relation::parallel_product(&p, &q, free).unwrap().len(), p.len() * q.len());
    }

    #[test]
    fn forall_lists_sequences_keep_their_items(items in values_of_one_type()) {
        let built = sequence::from_items(items.clone());
        let back: Option<Vec<Value>> = sequence::items(&built).map(|items| items.into_iter().cloned().collect());
        prop_assert_eq!(back, Some(items));
    }

    #[test]
    fn forall_values_interning_is_a_bijection(items in values_of_one_type()) {
        let interner = Interner::new();
        let ids: Vec<_> = items.iter().map(|item| interner.intern(item)).collect();
        for (left, item) in ids.iter().zip(&items) {
            prop_assert_eq!(interner.get(*left), item);
            for (right, other) in ids.iter().zip(&items) {
                prop_assert_eq!(left == right, item == other);
            }
        }
        prop_assert_eq!(interner.len(), naive(&items).len());
    }
}
