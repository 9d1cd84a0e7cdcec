use std::collections::BTreeSet;

use abridge_model::Arrow;
use abridge_value::relation;

use super::*;

/// Sizes of two given sets. In the first, elements 1 to 4 are interchangeable; in the second, all.
const SIZES: [u32; 2] = [5, 3];

struct Told;

impl Alike for Told {
    fn class(&self, set: u32, index: u32) -> Option<u32> {
        (set == 1 || index > 0).then_some(set)
    }
}

fn cells() -> Stabiliser {
    Stabiliser::of_state(&Told, SIZES.into_iter())
}

fn element(index: u32) -> Value {
    Value::element(0, index)
}

fn set(members: impl IntoIterator<Item = Value>) -> Value {
    Value::Set(members.into_iter().collect())
}

/// All permutations within the cells.
fn group(cells: &Stabiliser) -> Vec<Vec<(u32, Vec<u32>)>> {
    let mut group = vec![Vec::new()];
    for (set, size) in (0..).zip(SIZES) {
        let of = cells.0.iter().find(|of| of.set == set);
        let cell = |index: &u32| of.map_or(FIXED, |of| of.cells[*index as usize]);
        let stays = |(from, to): (u32, &u32)| from == *to || cell(&from) != FIXED && cell(&from) == cell(to);
        let fits = |images: &Vec<u32>| (0..).zip(images).all(stays);
        let all: Vec<Vec<u32>> = permutations(size).into_iter().filter(fits).collect();
        let with = |begun: &Vec<_>, images: &Vec<u32>| [&begun[..], &[(set, images.clone())]].concat();
        group = group.iter().flat_map(|begun| all.iter().map(move |images| with(begun, images))).collect();
    }
    group
}

fn permutations(size: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        let longer = |begun: &Vec<u32>| -> Vec<Vec<u32>> {
            (0..size).filter(|next| !begun.contains(next)).map(|next| [&begun[..], &[next]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn orbit(cells: &Stabiliser, value: &Value) -> BTreeSet<Value> {
    group(cells).iter().map(|images| renamed(value, images)).collect()
}

/// All relations between two sets that satisfy an arrow, by brute force.
fn relations(from: &Set, to: &Set, arrow: Arrow) -> Vec<Value> {
    let pairs: Vec<Value> = relation::cartesian(from, to).iter().collect();
    let some = |bits: u32| pairs.iter().enumerate().filter(move |(idx, _)| bits >> idx & 1 == 1);
    let all = (0..1_u32 << pairs.len()).map(|bits| some(bits).map(|(_, pair)| pair.clone()).collect::<Set>());
    let is_wanted = |relation: &Set| {
        (!arrow.functional || relation::is_functional(relation))
            && (!arrow.injective || relation::is_injective(relation))
            && (!arrow.total || relation::dom(relation) == *from)
            && (!arrow.surjective || relation::ran(relation) == *to)
    };
    all.filter(is_wanted).map(Value::Set).collect()
}

#[test]
fn candidates_meet_every_orbit() {
    let first = Set::carrier(0, SIZES[0]);
    let second = Set::carrier(1, SIZES[1]);
    let moving: Set = (1..5).map(element).collect();
    let numbers: Set = (0..2).map(Value::Int).collect();
    let ends = [
        (&moving, &numbers),
        (&numbers, &first),
        (&moving, &second),
        (&second, &moving),
        (&second, &second),
        (&numbers, &numbers),
    ];
    let cells = cells();
    let mut n_compared = 0;
    for bits in 0..16 {
        let flag = |idx: u32| bits >> idx & 1 == 1;
        let arrow = Arrow { functional: flag(0), total: flag(1), injective: flag(2), surjective: flag(3) };
        for (from, to) in ends {
            let Some(candidates) = cells.arrows(arrow, from, to, 1 << 15) else { continue };
            let met: BTreeSet<Value> = candidates.iter().flat_map(|candidate| orbit(&cells, candidate)).collect();
            let all: BTreeSet<Value> = relations(from, to, arrow).into_iter().collect();
            assert_eq!(met, all, "{arrow:?} {from:?} {to:?}");
            n_compared += 1;
        }
    }
    assert_eq!(n_compared, 16 * 4 + 8);
}

#[test]
fn few_candidates_for_many_functions() {
    let cells = Stabiliser::of_state(&Told, [31].into_iter());
    let total = Arrow { functional: true, total: true, injective: false, surjective: false };
    let moving: Set = (1..31).map(element).collect();
    let three: Set = (0..3).map(Value::Int).collect();
    let count = |arrow, from: &Set, to: &Set| cells.arrows(arrow, from, to, 1 << 15).map(|found| found.len());
    assert_eq!(count(total, &moving, &three), Some(31 * 32 / 2));
    assert_eq!(count(total, &three, &moving), Some(5));
    let thirty: Set = (0..30).map(Value::Int).collect();
    assert_eq!(count(Arrow { injective: true, surjective: true, ..total }, &moving, &thirty), Some(1));
    assert_eq!(cells.sequences(&moving, 30, 1 << 15).map(|found| found.len()), Some(1));
    assert_eq!(cells.sequences(&moving, 0, 1 << 15).map(|found| found.len()), Some(31));
    assert_eq!(cells.subsets(&moving, 1 << 15).map(|found| found.len()), Some(31));
    assert_eq!(cells.subsets(&Set::carrier(0, 31), 1 << 15).map(|found| found.len()), Some(62));
}

#[test]
fn what_is_settled_stands_for_its_orbit() {
    let cells = cells();
    let with = |index: u32, n: i64| Value::pair(element(index), Value::Int(n));
    let turned = |n: i64, index: u32| Value::pair(Value::Int(n), Value::element(1, index));
    let values = [
        Value::Int(4),
        element(0),
        element(3),
        set([element(0), element(2), element(4)]),
        set([with(0, 1), with(1, 1), with(2, 5), with(4, 5)]),
        set([turned(1, 2), turned(1, 0), turned(7, 2)]),
        Value::pair(set([element(1), element(2)]), set([element(2), element(4)])),
        Value::pair(element(4), Value::element(1, 1)),
    ];
    for value in values {
        let orbit = orbit(&cells, &value);
        for other in &orbit {
            let mut canonical = [other.clone()];
            assert_eq!(cells.canonise(&mut canonical), Some(orbit.len() as u64), "{other:?}");
            let mut first = [value.clone()];
            cells.canonise(&mut first);
            assert_eq!(canonical, first, "{other:?}");
            assert!(orbit.contains(&canonical[0]), "{other:?}");
        }
    }
}

#[test]
fn what_is_tangled_has_no_settled_form() {
    let cells = cells();
    let tangled = [
        set([Value::pair(element(1), element(2))]),
        set([Value::pair(element(1), Value::element(1, 0))]),
        set([set([element(1)]), set([])]),
    ];
    for value in tangled {
        assert_eq!(cells.canonise(&mut [value.clone()]), None, "{value:?}");
    }
    assert_eq!(cells.canonise(&mut [set([Value::pair(element(0), element(0))])]), Some(1));
}

#[test]
fn choices_split_kinds() {
    let cells = cells();
    let chosen = set([element(0), element(1), element(2)]);
    let left = cells.refined([&chosen]);
    assert_eq!(left.0[0].cells, [FIXED, 1, 1, 3, 3]);
    let left = left.refined([&element(4)]);
    assert_eq!(left.0[0].cells, [FIXED, 1, 1, FIXED, FIXED]);
    assert_eq!(left.0[1].cells, [0, 0, 0]);
    // A permutation fixes the chosen values if and only if it is in the refined group.
    for images in group(&cells) {
        let is_kept = renamed(&chosen, &images) == chosen && renamed(&element(4), &images) == element(4);
        assert_eq!(is_kept, group(&left).contains(&images));
    }
}

#[test]
fn ways_are_counted() {
    assert_eq!(arrangements([2, 3, 1].into_iter()), 60);
    assert_eq!(choose(40, 20), 137_846_528_820);
    assert_eq!(choose(200, 100), u64::MAX);
    assert_eq!(arrangements([100, 100, 100].into_iter()), u64::MAX);
}
