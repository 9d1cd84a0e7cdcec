//! Samples: states that a few elements reach while all others stay as they were at first.
//!
//! These are states of the machine itself, so a pattern that one of them has cannot be excluded. Whoever generalises a pattern looks at samples first; that they are not
//! all states is no matter of correctness.

use abridge_blast::{Evaluation, Formulas, Lit, Replaced};
use abridge_encoding::{CellId, Encoding};
use abridge_value::{BitSet, Random};
use rustc_hash::{FxHashMap, FxHashSet};

use super::pattern::Pattern;
use super::vocabulary::{Element, PatternAtom, Vocabulary};

/// Samples at most, and elements that may move in them.
const MAX_SAMPLES: usize = 12_000;
const MAX_MOVING: usize = 4;
/// Assignments of choices that are tried in a state.
const MAX_TRIED_CHOICES: usize = 4;

/// True cells among those about the moving elements.
type SampleBits = Box<[u64]>;

/// An instance over the cells of the moving elements.
struct SmallInstance {
    /// The condition of a step, the condition that something else would change, then new values.
    formulas: Formulas,
    /// Position of the small cell of each new value.
    written: Vec<usize>,
    choices: Vec<Lit>,
}

/// Where a pattern was looked for.
pub(super) enum SampleMatch {
    /// In a sample, with these elements for its variables.
    In(usize, Vec<Element>),
    Nowhere,
    Unknown,
}

pub(super) struct Samples {
    /// Variables of patterns that samples can tell about: one element more has to move, unless all do.
    max_variables: usize,
    atoms: FxHashMap<PatternAtom, usize>,
    /// Of each sample, the atoms that are true, and the small cells.
    list: Vec<SampleBits>,
    states: Vec<SampleBits>,
    small: Vec<CellId>,
    /// Orders of the moving elements.
    orders: Vec<Vec<Element>>,
}

fn contains(bits: &[u64], idx: usize) -> bool {
    bits[idx / 64] >> (idx % 64) & 1 == 1
}

fn set(bits: &mut [u64], idx: usize, value: bool) {
    let mask = 1 << (idx % 64);
    if value { bits[idx / 64] |= mask } else { bits[idx / 64] &= !mask }
}

struct Sampler<'s> {
    vocabulary: &'s Vocabulary,
    /// Cells about moving elements only.
    small: Vec<CellId>,
    instances: Vec<SmallInstance>,
    /// Of each order of the moving elements, where each small cell goes; and those orders that make all choices of elements the first ones, which label steps.
    permutations: Vec<Vec<usize>>,
    labelling: Vec<usize>,
    random: Random,
}

impl Sampler<'_> {
    fn permuted(&self, bits: &[u64], permutation: &[usize]) -> SampleBits {
        let mut image = vec![0; bits.len()].into_boxed_slice();
        (0..self.small.len())
            .filter(|idx| contains(bits, *idx))
            .for_each(|idx| set(&mut image, permutation[idx], true));
        image
    }

    fn canonical(&self, bits: &[u64]) -> SampleBits {
        let images = self.permutations.iter().map(|permutation| self.permuted(bits, permutation));
        images.min().unwrap_or_else(|| bits.into())
    }

    /// The states after one step of an instance, for some choices.
    fn after(&mut self, instance: usize, bits: &[u64], evaluation: &mut Evaluation) -> Vec<SampleBits> {
        let SmallInstance { formulas, written, choices } = &self.instances[instance];
        let n_tried = if choices.is_empty() { 1 } else { MAX_TRIED_CHOICES };
        let mut after = Vec::new();
        for _ in 0..n_tried {
            let chosen: Vec<bool> = choices.iter().map(|_| self.random.once_in(2)).collect();
            let n_small = self.small.len();
            let input = |number: u32| match (number as usize).checked_sub(n_small) {
                Some(choice) => chosen[choice],
                None => contains(bits, number as usize),
            };
            evaluation.begin();
            if !formulas.value(0, evaluation, input) || formulas.value(1, evaluation, input) {
                continue;
            }
            let mut next: SampleBits = bits.into();
            for (idx, place) in written.iter().enumerate() {
                set(&mut next, *place, formulas.value(idx + 2, evaluation, input));
            }
            after.push(next);
        }
        after
    }

    fn collect(&mut self, start: SampleBits, is_stopped: &dyn Fn() -> bool) -> Vec<SampleBits> {
        let mut seen: FxHashSet<SampleBits> = FxHashSet::default();
        let start = self.canonical(&start);
        seen.insert(start.clone());
        let (mut list, mut open) = (vec![start.clone()], vec![start]);
        let mut evaluations: Vec<Evaluation> = self.instances.iter().map(|_| Evaluation::default()).collect();
        while !open.is_empty() && list.len() < MAX_SAMPLES && !is_stopped() {
            let next = self.random.below(open.len());
            let state = open.swap_remove(next);
            for permutation in self.labelling.clone() {
                let image = self.permuted(&state, &self.permutations[permutation]);
                for (instance, evaluation) in evaluations.iter_mut().enumerate() {
                    for after in self.after(instance, &image, evaluation) {
                        let after = self.canonical(&after);
                        if seen.insert(after.clone()) {
                            list.push(after.clone());
                            open.push(after);
                        }
                    }
                }
            }
        }
        list
    }
}

/// All orders of the first elements.
fn orders(n: usize) -> Vec<Vec<Element>> {
    let mut orders = vec![Vec::new()];
    for _ in 0..n {
        let longer = |order: &Vec<Element>| -> Vec<Vec<Element>> {
            let free = (0..n as u32).filter(|next| !order.contains(next));
            free.map(|next| order.iter().copied().chain([next]).collect()).collect()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

impl Samples {
    /// States reached from an initial state by steps of a few elements.
    pub(super) fn new(
        encoding: &mut Encoding,
        vocabulary: &Vocabulary,
        first: &BitSet,
        (has_guards, n_labels): (bool, usize),
        is_stopped: &dyn Fn() -> bool,
    ) -> Samples {
        let n_moving = vocabulary.elements.len().min(MAX_MOVING);
        let is_small = |cell: &CellId| vocabulary.cells[cell.0 as usize].1.iter().all(|it| (*it as usize) < n_moving);
        let small: Vec<CellId> = (0..encoding.cells.len() as u32).map(CellId).filter(is_small).collect();
        let place_of: FxHashMap<CellId, usize> = small.iter().enumerate().map(|(idx, cell)| (*cell, idx)).collect();
        let instances = small_instances(encoding, &place_of, first);
        let orders = orders(n_moving);
        let image = |cell: &CellId, order: &[Element]| {
            let (scheme, tuple) = &vocabulary.cells[cell.0 as usize];
            let tuple: Vec<Element> = tuple.iter().map(|element| order[*element as usize]).collect();
            vocabulary.cell(*scheme, &tuple).and_then(|cell| place_of.get(&cell).copied()).unwrap_or(place_of[cell])
        };
        let permutation = |order: &Vec<Element>| small.iter().map(|cell| image(cell, order)).collect();
        let permutations = orders.iter().map(permutation).collect();
        let mut start: SampleBits = vec![0; small.len().div_ceil(64).max(1)].into();
        small.iter().enumerate().for_each(|(idx, cell)| set(&mut start, idx, first.contains(cell.0 as usize)));
        // The elements that an order makes the first ones.
        let labels = |order: &Vec<Element>| -> Vec<usize> {
            (0..n_labels as u32).filter_map(|label| order.iter().position(|image| *image == label)).collect()
        };
        let mut seen = FxHashSet::default();
        let labelling = (0..orders.len()).filter(|idx| seen.insert(labels(&orders[*idx]))).collect();
        let mut sampler = Sampler { vocabulary, small, instances, permutations, labelling, random: Random::new(1) };
        let states = sampler.collect(start, is_stopped);
        let atoms = vocabulary.atoms(n_moving as u8, has_guards);
        let named: Vec<Element> = (0..n_moving as u32).collect();
        let mut list = Vec::new();
        for state in &states {
            let whole = whole(&sampler.small, state, first);
            let mut bits: SampleBits = vec![0; atoms.len().div_ceil(64).max(1)].into();
            for (idx, atom) in atoms.iter().enumerate() {
                set(&mut bits, idx, sampler.vocabulary.value(atom, &named, &whole));
            }
            list.push(bits);
        }
        let atoms = atoms.into_iter().enumerate().map(|(idx, atom)| (atom, idx)).collect();
        let max_variables = if n_moving == vocabulary.elements.len() { n_moving } else { n_moving - 1 };
        Samples { max_variables, atoms, list, states, small: sampler.small, orders }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// A sample as a whole state.
    pub(super) fn state(&self, idx: usize, first: &BitSet) -> BitSet {
        whole(&self.small, &self.states[idx], first)
    }

    /// A sample that has a pattern. Of patterns with almost as many variables as elements move, samples say nothing.
    pub(super) fn find(&self, pattern: &Pattern) -> SampleMatch {
        let n_variables = usize::from(pattern.n_variables);
        if n_variables > self.max_variables {
            return SampleMatch::Unknown;
        }
        let mut tried: FxHashSet<&[Element]> = FxHashSet::default();
        for order in &self.orders {
            if !tried.insert(&order[..n_variables]) {
                continue;
            }
            let place = |atom: &PatternAtom| {
                let rename = |arg: &u8| order.get(usize::from(*arg)).map_or(*arg, |element| *element as u8);
                let args = atom.args.iter().map(rename).collect();
                self.atoms.get(&PatternAtom { args, ..atom.clone() }).copied()
            };
            let literals: Option<Vec<(usize, bool)>> =
                pattern.literals.iter().map(|(atom, is_true)| Some((place(atom)?, *is_true))).collect();
            let Some(literals) = literals else { return SampleMatch::Unknown };
            let has = |bits: &SampleBits| literals.iter().all(|(idx, is_true)| contains(bits, *idx) == *is_true);
            if let Some(idx) = self.list.iter().position(has) {
                return SampleMatch::In(idx, order[..n_variables].to_vec());
            }
        }
        SampleMatch::Nowhere
    }
}

/// A state with small cells of its own and all others as in another state.
fn whole(small: &[CellId], bits: &[u64], first: &BitSet) -> BitSet {
    let mut whole = first.clone();
    for (idx, cell) in small.iter().enumerate() {
        if contains(bits, idx) {
            whole.insert(cell.0 as usize);
        } else {
            whole.remove(cell.0 as usize);
        }
    }
    whole
}

/// The instances with all cells but the small ones as in a state.
fn small_instances(encoding: &mut Encoding, place_of: &FxHashMap<CellId, usize>, first: &BitSet) -> Vec<SmallInstance> {
    let cells = &encoding.cells;
    let circuit = &mut encoding.blast.circuit;
    let fixed = |input: Lit| {
        let cell = cells.of_input(input)?;
        (!place_of.contains_key(&cell)).then(|| Lit::from(first.contains(cell.0 as usize)))
    };
    let mut small = Vec::new();
    for instance in &encoding.instances {
        let mut done = Replaced::default();
        let relation = circuit.replace(instance.relation, &fixed, &mut done);
        let (mut written, mut news, mut escapes) = (Vec::new(), Vec::new(), Vec::new());
        for (cell, lit) in &instance.writes {
            let new = circuit.replace(lit.unwrap_or(Lit::FALSE), &fixed, &mut done);
            match place_of.get(cell) {
                Some(place) => {
                    written.push(*place);
                    news.push(new);
                }
                None => escapes.push(if first.contains(cell.0 as usize) { !new } else { new }),
            }
        }
        let escape = circuit.or_all(escapes);
        let lits: Vec<Lit> = [relation, escape].into_iter().chain(news).collect();
        let choices = instance.choices.clone();
        let number = |input: Lit| match cells.of_input(input) {
            Some(cell) => place_of[&cell] as u32,
            None => (place_of.len() + choices.iter().position(|choice| *choice == input).unwrap_or(0)) as u32,
        };
        small.push(SmallInstance { formulas: Formulas::new(circuit, &lits, number), written, choices });
    }
    small
}
