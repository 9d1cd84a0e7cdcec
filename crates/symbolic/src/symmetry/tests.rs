//! Symmetry reduction against enumeration: the lemmas of the paper on all sets of states of small systems.
//!
//! States are vectors of local states, one number of a few bits for each element. A set of vectors is also a diagram, and whatever is computed with diagrams is computed with vectors as
//! well, from the definitions.

use std::collections::BTreeSet;

use abridge_diag::StopFlag;
use abridge_value::Random;
use rustc_hash::FxHashMap;

use super::{Swap, sorted, swap};
use crate::bdd::{Bdd, Manager, Var};

type State = Vec<u32>;
type States = BTreeSet<State>;
type Permutation = Vec<usize>;

/// Elements with local states of so many bits.
struct Small {
    n_elements: usize,
    n_bits: usize,
    manager: Manager,
}

impl Small {
    fn new(n_elements: usize, n_bits: usize) -> Small {
        Small { n_elements, n_bits, manager: Manager::new(n_elements * n_bits, 1 << 20, StopFlag::default()) }
    }

    fn bit(&self, element: usize, bit: usize) -> Var {
        Var(2 * (element * self.n_bits + bit) as u32)
    }

    /// The highest bit of a local state is compared first.
    fn is_true(&self, state: &State, element: usize, bit: usize) -> bool {
        state[element] >> (self.n_bits - 1 - bit) & 1 == 1
    }

    fn all(&self) -> States {
        let n_local: u32 = 1 << self.n_bits;
        (0..n_local.pow(self.n_elements as u32))
            .map(|number: u32| (0..self.n_elements).map(|place| number / n_local.pow(place as u32) % n_local).collect())
            .collect()
    }

    fn bdd(&mut self, states: &States) -> Bdd {
        let mut parts = Vec::new();
        for state in states {
            let mut values = Vec::new();
            for element in 0..self.n_elements {
                for bit in 0..self.n_bits {
                    values.push((self.bit(element, bit), self.is_true(state, element, bit)));
                }
            }
            parts.push(self.manager.assignment(values).unwrap());
        }
        self.manager.any(parts).unwrap()
    }

    fn states(&self, set: &Bdd) -> States {
        let holds = |state: &State| {
            self.manager.value(set, |var| {
                let place = var.0 as usize / 2;
                self.is_true(state, place / self.n_bits, place % self.n_bits)
            })
        };
        self.all().into_iter().filter(holds).collect()
    }

    /// Permutations of elements as permutations of bits.
    fn swaps(&mut self, permutations: &[Permutation]) -> Vec<Swap> {
        let mut swaps = Vec::new();
        for permutation in permutations {
            let mut moved = Vec::new();
            for (from, to) in permutation.iter().enumerate().filter(|(from, to)| from != *to) {
                moved.extend((0..self.n_bits).map(|bit| (self.bit(from, bit), self.bit(*to, bit))));
            }
            moved.sort_unstable();
            swaps.push(swap(&mut self.manager, moved, &FxHashMap::default()).unwrap());
        }
        swaps
    }

    /// α by diagrams.
    fn alpha(&mut self, swaps: &[Swap], states: &States) -> States {
        let set = self.bdd(states);
        let result = sorted(&mut self.manager, swaps, &set).unwrap();
        self.states(&result)
    }
}

fn apply(permutation: &Permutation, state: &State) -> State {
    let mut image = state.clone();
    permutation.iter().enumerate().for_each(|(from, to)| image[*to] = state[from]);
    image
}

/// All products of permutations.
fn closure(n: usize, generators: &[Permutation]) -> Vec<Permutation> {
    let mut all: BTreeSet<Permutation> = BTreeSet::from([(0..n).collect()]);
    let mut open: Vec<Permutation> = all.iter().cloned().collect();
    while let Some(permutation) = open.pop() {
        for generator in generators {
            let product: Permutation = permutation.iter().map(|to| generator[*to]).collect();
            if all.insert(product.clone()) {
                open.push(product);
            }
        }
    }
    all.into_iter().collect()
}

fn exchanges(n: usize) -> Vec<Permutation> {
    let exchange = |first: usize| {
        (0..n)
            .map(|at| [(first, first + 1), (first + 1, first)].into_iter().find(|it| it.0 == at).map_or(at, |it| it.1))
            .collect()
    };
    (0..n - 1).map(exchange).collect()
}

fn rotation(n: usize, steps: usize) -> Permutation {
    (0..n).map(|at| (at + steps) % n).collect()
}

/// α by its definition: the least state of each orbit.
fn least(group: &[Permutation], states: &States) -> States {
    states.iter().filter_map(|state| group.iter().map(|permutation| apply(permutation, state)).min()).collect()
}

fn random_set(random: &mut Random, all: &States, one_in: usize) -> States {
    all.iter().filter(|_| random.once_in(one_in)).cloned().collect()
}

/// Lemma 3: sorting inside the fixpoint computes the least state of each orbit.
#[test]
fn sorting_gives_the_least_states() {
    let mut random = Random::new(5);
    for (n_elements, n_bits) in [(2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (5, 1)] {
        let mut small = Small::new(n_elements, n_bits);
        let generators = exchanges(n_elements);
        let (group, swaps, all) = (closure(n_elements, &generators), small.swaps(&generators), small.all());
        for round in 0..12 {
            let states = random_set(&mut random, &all, 1 + round % 4);
            assert_eq!(small.alpha(&swaps, &states), least(&group, &states));
        }
    }
}

/// Section 6.1: all rotations find the least states; the one that generates them does not, and (B C A) shows it.
#[test]
fn rotations_are_nice_and_their_generator_is_not_enough() {
    let mut random = Random::new(6);
    for (n_elements, n_bits) in [(3, 2), (4, 1), (5, 1)] {
        let mut small = Small::new(n_elements, n_bits);
        let group: Vec<Permutation> = (1..n_elements).map(|steps| rotation(n_elements, steps)).collect();
        let (swaps, all) = (small.swaps(&group), small.all());
        let whole = closure(n_elements, &group);
        for round in 0..12 {
            let states = random_set(&mut random, &all, 1 + round % 4);
            assert_eq!(small.alpha(&swaps, &states), least(&whole, &states));
        }
    }
    let mut small = Small::new(3, 2);
    let (a, b, c) = (0, 1, 2);
    let stuck = States::from([vec![b, c, a]]);
    // The left shift makes it (C A B), which is greater; twice, it makes it (A B C).
    let shift = small.swaps(&[rotation(3, 2)]);
    assert_eq!(small.alpha(&shift, &stuck), stuck);
    let both = small.swaps(&[rotation(3, 2), rotation(3, 1)]);
    assert_eq!(small.alpha(&both, &stuck), States::from([vec![a, b, c]]));
}

/// Section 6.3: α distributes over union, and not over intersection.
#[test]
fn alpha_distributes_over_union_only() {
    let mut random = Random::new(7);
    let mut small = Small::new(3, 2);
    let generators = exchanges(3);
    let (swaps, all) = (small.swaps(&generators), small.all());
    let mut n_smaller = 0;
    for _ in 0..40 {
        let (left, right) = (random_set(&mut random, &all, 3), random_set(&mut random, &all, 3));
        let (of_left, of_right) = (small.alpha(&swaps, &left), small.alpha(&swaps, &right));
        assert_eq!(small.alpha(&swaps, &(&left | &right)), &of_left | &of_right);
        let (inner, outer) = (small.alpha(&swaps, &(&left & &right)), &of_left & &of_right);
        assert!(inner.is_subset(&outer));
        n_smaller += usize::from(inner != outer);
    }
    assert!(n_smaller > 0, "intersections of orbits need not meet");
}

type Relation = BTreeSet<(State, State)>;

fn before(relation: &Relation, states: &States) -> States {
    relation.iter().filter(|(_, to)| states.contains(to)).map(|(from, _)| from.clone()).collect()
}

/// A random relation that no permutation changes, and the quotient of formula (1).
fn random_relation(random: &mut Random, all: &States, group: &[Permutation]) -> (Relation, Relation) {
    let (mut relation, mut quotient) = (Relation::new(), Relation::new());
    let list: Vec<&State> = all.iter().collect();
    for _ in 0..18 {
        let (from, to) = (*random.pick(&list), *random.pick(&list));
        relation.extend(group.iter().map(|permutation| (apply(permutation, from), apply(permutation, to))));
    }
    let representative = |state: &State| least(group, &States::from([state.clone()])).pop_first().unwrap();
    quotient.extend(relation.iter().map(|(from, to)| (representative(from), representative(to))));
    (relation, quotient)
}

/// Lemma 1 and Corollary 2: the backward image of the quotient is α of that of the system, and both algorithms of figure 1 take the same rounds to the same set.
#[test]
fn both_algorithms_of_figure_1_have_the_same_iterates() {
    let mut random = Random::new(8);
    let (mut small, generators) = (Small::new(3, 2), exchanges(3));
    let (group, swaps, all) = (closure(3, &generators), small.swaps(&generators), small.all());
    let representatives = least(&group, &all);
    let mut n_rounds = 0;
    for _ in 0..30 {
        let (relation, quotient) = random_relation(&mut random, &all, &group);
        let set = random_set(&mut random, &representatives, 2);
        let image = small.alpha(&swaps, &before(&relation, &set));
        assert_eq!(before(&quotient, &set), image, "Lemma 1");
        let mut left = random_set(&mut random, &representatives, 5);
        let mut right = left.clone();
        loop {
            let next_left = &left | &before(&quotient, &left);
            let next_right = &right | &small.alpha(&swaps, &before(&relation, &right));
            assert_eq!(next_left, next_right, "Corollary 2");
            let is_fixpoint = next_left == left;
            assert_eq!(is_fixpoint, next_right == right);
            (left, right) = (next_left, next_right);
            n_rounds += 1;
            if is_fixpoint {
                break;
            }
        }
    }
    assert!(n_rounds > 60, "{n_rounds}");
}

/// Section 6.1, data symmetry: values are permuted, not places. As one-hot columns of values it is component symmetry of the values, and the representatives of sorting are as many
/// as strings whose values are at most one more than all before; the condition of the paper, at most as many as the place, admits more.
#[test]
fn data_symmetry_is_component_symmetry_of_values() {
    for (n_places, expected) in [(2_usize, 2_usize), (3, 5), (4, 15)] {
        let n_values = n_places;
        // An element is a value, and its local state has a bit for each place: the place has this value.
        let mut small = Small::new(n_values, n_places);
        let generators = exchanges(n_values);
        let (group, swaps) = (closure(n_values, &generators), small.swaps(&generators));
        let mut strings: BTreeSet<Vec<usize>> = BTreeSet::from([Vec::new()]);
        for _ in 0..n_places {
            let longer = |string: &Vec<usize>| -> Vec<Vec<usize>> {
                (0..n_values).map(|value| string.iter().copied().chain([value]).collect()).collect()
            };
            strings = strings.iter().flat_map(longer).collect();
        }
        let columns = |string: &Vec<usize>| -> State {
            let column = |value: usize| (0..n_places).map(|place| u32::from(string[place] == value) << place).sum();
            (0..n_values).map(column).collect()
        };
        let states: States = strings.iter().map(columns).collect();
        let found = small.alpha(&swaps, &states);
        assert_eq!(found, least(&group, &states));
        let is_grown = |string: &&Vec<usize>| {
            (0..n_places).all(|place| string[place] <= string[..place].iter().max().map_or(0, |most| most + 1))
        };
        let is_as_printed = |string: &&Vec<usize>| (0..n_places).all(|place| string[place] <= place);
        assert_eq!(found.len(), expected);
        assert_eq!(strings.iter().filter(is_grown).count(), expected);
        if n_places == 3 {
            assert_eq!(strings.iter().filter(is_as_printed).count(), 6, "not unique");
        }
    }
}

/// Section 6.2: global variables that hold an element are bits of its record, so that sorting finds the least states with one of them and with two. The condition of the paper, equal
/// local states and a variable that holds the second element, remains true under an exchange of the values of two variables.
#[test]
fn variables_that_hold_elements_are_sorted_with_records() {
    for (n_elements, n_variables) in [(3, 1), (3, 2), (4, 2)] {
        let mut small = Small::new(n_elements, 1 + n_variables);
        let generators = exchanges(n_elements);
        let (group, swaps) = (closure(n_elements, &generators), small.swaps(&generators));
        let is_meant = |state: &State| {
            (0..n_variables).all(|variable| state.iter().filter(|local| *local >> variable & 1 == 1).count() == 1)
        };
        let states: States = small.all().into_iter().filter(is_meant).collect();
        assert_eq!(states.len(), (1 << n_elements) * n_elements.pow(n_variables as u32));
        assert_eq!(small.alpha(&swaps, &states), least(&group, &states));
        // Local states alone tell fewer apart than there are orbits.
        let locals: BTreeSet<State> = least(&group, &states)
            .iter()
            .map(|state| state.iter().map(|local| local >> n_variables).collect())
            .collect();
        assert!(locals.len() < least(&group, &states).len());
    }
    let holds_second = |ids: [usize; 2]| ids.contains(&1);
    let exchanged = |ids: [usize; 2]| ids.map(|id| 1 - id);
    assert!(
        holds_second([0, 1]) && holds_second(exchanged([0, 1])),
        "elements with equal local states are exchanged forever"
    );
}
