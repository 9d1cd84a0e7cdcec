//! Named clauses: clauses of properties, one for all that permutations of elements make of it.
//!
//! That a step keeps an invariant is a question about all elements. Each clause of the invariant speaks of few of them, all others are as good as each other, so it is enough to ask about
//! clauses over the first elements, once for each way in which these may be elements of the label of the step. A clause that treats elements differently without naming them would
//! break this; such a property is asked about as a whole.

use std::cmp::Reverse;

use abridge_blast::{Lit, Replaced};
use abridge_encoding::{CellId, Encoding};
use rustc_hash::{FxHashMap, FxHashSet};

use super::vocabulary::{Element, Vocabulary, images};
use super::{MAX_VARIABLES, PatternSearch};

/// Clauses that are looked at for one property, those on the way included, and more of them for each pair of elements.
const MAX_CLAUSES_LOOKED_AT: usize = 2_000;
const MAX_CLAUSES_PER_PAIR: usize = 16;

/// A disjunction that names the first elements, so many, and is the same for all orders of the others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct NamedClause {
    pub(super) lits: Vec<Lit>,
    pub(super) n_named: usize,
}

impl PatternSearch<'_, '_> {
    /// Clauses that together with their images say what a property says; nothing if there are too many, or one names many elements.
    pub(super) fn named_clauses(&mut self, property: Lit) -> Option<Vec<NamedClause>> {
        let PatternSearch { encoding, vocabulary, stop, .. } = self;
        let n_elements = vocabulary.elements.len();
        let max_clauses = MAX_CLAUSES_LOOKED_AT + MAX_CLAUSES_PER_PAIR * n_elements * n_elements;
        let mut seen: FxHashSet<Vec<Lit>> = FxHashSet::default();
        let mut found = Vec::new();
        let mut occurrences = Occurrences::default();
        let mut open = Vec::from_iter(encoding.blast.circuit.flattened([property]));
        let mut n_clauses = 0;
        while let Some(clause) = open.pop() {
            // What is an image of something that was looked at has images of its parts.
            let named = occurrences.named(encoding, vocabulary, &clause);
            let n_named = named.len();
            let first: Vec<Element> = (0..n_named as u32).collect();
            let clause = moved(encoding, vocabulary, &clause, &named, &first);
            n_clauses += 1;
            if n_clauses > max_clauses || stop.is_raised() {
                return None;
            }
            if !seen.insert(clause.clone()) {
                continue;
            }
            match encoding.blast.circuit.split(&clause) {
                Some(parts) => open.extend(parts),
                None => {
                    let clause = NamedClause { lits: clause, n_named };
                    if n_named > MAX_VARIABLES || !is_symmetric(encoding, vocabulary, &clause) {
                        return None;
                    }
                    found.push(clause);
                }
            }
        }
        Some(found)
    }

    /// The literals of a clause that names other elements.
    pub(super) fn clause_about(&mut self, clause: &NamedClause, elements: &[Element]) -> Vec<Lit> {
        let named: Vec<Element> = (0..clause.n_named as u32).collect();
        moved(&mut self.encoding, &self.vocabulary, &clause.lits, &named, elements)
    }
}

/// The occurrence of an element: within a gate or not, negated or not, as which argument of which scheme.
type Occurrence = (bool, bool, u32, u8);

/// Where elements occur in literals.
#[derive(Default)]
struct Occurrences {
    of_literal: FxHashMap<Lit, Vec<(Occurrence, Element)>>,
}

impl Occurrences {
    fn of(&mut self, encoding: &Encoding, vocabulary: &Vocabulary, lit: Lit) -> &[(Occurrence, Element)] {
        self.of_literal.entry(lit).or_insert_with(|| {
            let is_gate = encoding.cells.of_input(lit.positive()).is_none();
            let cells = encoding.blast.circuit.inputs_of([lit]);
            let cells = cells.into_iter().filter_map(|input| encoding.cells.of_input(input));
            let of_cell = |cell: CellId| {
                let (scheme, tuple) = &vocabulary.cells[cell.0 as usize];
                let occurrence = |place: u8| (is_gate, lit.is_negated(), *scheme, place);
                tuple.iter().zip(0..).map(|(element, place)| (occurrence(place), *element)).collect::<Vec<_>>()
            };
            cells.flat_map(of_cell).collect()
        })
    }

    /// The elements that a clause names: those that do not occur as most do. Elements in the same role are ascending.
    fn named(&mut self, encoding: &Encoding, vocabulary: &Vocabulary, clause: &[Lit]) -> Vec<Element> {
        let mut roles: Vec<Vec<Occurrence>> = vec![Vec::new(); vocabulary.elements.len()];
        for lit in clause {
            for (occurrence, element) in self.of(encoding, vocabulary, *lit) {
                roles[*element as usize].push(*occurrence);
            }
        }
        roles.iter_mut().for_each(|role| role.sort_unstable());
        let mut counts: FxHashMap<&[Occurrence], usize> = FxHashMap::default();
        roles.iter().for_each(|role| *counts.entry(role).or_insert(0) += 1);
        let usual = counts.into_iter().max_by_key(|(role, count)| (*count, Reverse(*role))).map(|(role, _)| role);
        let mut named: Vec<Element> =
            (0..).zip(&roles).filter(|(_, role)| Some(&role[..]) != usual).map(|(element, _)| element).collect();
        named.sort_by_key(|element| &roles[*element as usize]);
        named
    }
}

/// A clause with some elements moved to others; the remaining ones follow in their order.
fn moved(
    encoding: &mut Encoding,
    vocabulary: &Vocabulary,
    clause: &[Lit],
    from: &[Element],
    to: &[Element],
) -> Vec<Lit> {
    let images = images(vocabulary.elements.len() as u32, from, to);
    permuted(encoding, vocabulary, clause, &|element| images[element as usize])
}

fn permuted(
    encoding: &mut Encoding,
    vocabulary: &Vocabulary,
    clause: &[Lit],
    image: &dyn Fn(Element) -> Element,
) -> Vec<Lit> {
    let Encoding { blast, cells, .. } = encoding;
    let with = |input: Lit| {
        let (scheme, tuple) = &vocabulary.cells[cells.of_input(input)?.0 as usize];
        let tuple: Vec<Element> = tuple.iter().map(|element| image(*element)).collect();
        cells.input(vocabulary.cell(*scheme, &tuple)?)
    };
    let mut done = Replaced::default();
    let mut permuted: Vec<Lit> = Vec::with_capacity(clause.len());
    for lit in clause {
        // An input needs no walk.
        let positive = lit.positive();
        let image = match cells.of_input(positive) {
            Some(_) => with(positive).unwrap_or(positive),
            None => blast.circuit.replace(positive, &with, &mut done),
        };
        permuted.push(if lit.is_negated() { !image } else { image });
    }
    permuted.sort_unstable();
    permuted
}

/// Whether no permutation of the elements that a clause does not name changes it: no exchange of neighbours does.
fn is_symmetric(encoding: &mut Encoding, vocabulary: &Vocabulary, clause: &NamedClause) -> bool {
    let NamedClause { lits, n_named } = clause;
    let n_elements = vocabulary.elements.len() as u32;
    (*n_named as u32 + 1..n_elements).all(|right| {
        let exchange = |element: Element| match element {
            element if element == right => right - 1,
            element if element + 1 == right => right,
            element => element,
        };
        permuted(encoding, vocabulary, lits, &exchange) == *lits
    })
}
