//! Patterns: conjunctions of atoms over few variables, which stand for distinct elements, any of them.

use abridge_value::BitSet;

use super::vocabulary::{Element, PatternAtom, Vocabulary};

/// An atom and whether it is true.
pub(super) type Literal = (PatternAtom, bool);

/// A conjunction of literals; variables are numbered from 0 without gaps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Pattern {
    pub(super) literals: Vec<Literal>,
    pub(super) n_variables: u8,
}

impl Pattern {
    /// The pattern of some literals, with variables numbered anew, and the old number of each.
    pub(super) fn new(literals: &[Literal]) -> (Pattern, Vec<u8>) {
        let mut old: Vec<u8> = literals.iter().flat_map(|(atom, _)| atom.variables()).collect();
        old.sort_unstable();
        old.dedup();
        let number = |arg: &u8| old.iter().position(|other| other == arg).map_or(*arg, |place| place as u8);
        let renamed = |(atom, is_true): &Literal| {
            let args = atom.args.iter().map(number).collect();
            (PatternAtom { args, ..atom.clone() }, *is_true)
        };
        let mut literals: Vec<Literal> = literals.iter().map(renamed).collect();
        literals.sort();
        literals.dedup();
        (Pattern { literals, n_variables: old.len() as u8 }, old)
    }

    /// Calls `found` with some of the candidates for the variables for which a state has the pattern, until it says that this is enough.
    pub(super) fn matches(
        &self,
        vocabulary: &Vocabulary,
        (state, candidates): (&BitSet, &[Element]),
        found: &mut dyn FnMut(&[Element]) -> bool,
    ) -> bool {
        // Literals by their last variable: each is tested as soon as its variables have elements.
        let mut stages: Vec<Vec<&Literal>> = vec![Vec::new(); usize::from(self.n_variables) + 1];
        for literal in &self.literals {
            let last = literal.0.variables().max().map_or(0, |variable| usize::from(variable) + 1);
            stages[last].push(literal);
        }
        // Those about one variable are cheap and exclude most elements.
        stages.iter_mut().for_each(|stage| stage.sort_by_key(|(atom, _)| (atom.args.len(), atom.guard)));
        let mut elements = Vec::new();
        extend(vocabulary, (state, candidates), &stages, &mut elements, found)
    }

    /// Whether a state has the pattern.
    pub(super) fn is_in(&self, vocabulary: &Vocabulary, state: &BitSet, first: &BitSet) -> bool {
        self.matches(vocabulary, (state, &vocabulary.candidates(state, first)), &mut |_| true)
    }
}

fn extend(
    vocabulary: &Vocabulary,
    (state, candidates): (&BitSet, &[Element]),
    stages: &[Vec<&Literal>],
    elements: &mut Vec<Element>,
    found: &mut dyn FnMut(&[Element]) -> bool,
) -> bool {
    let stage = &stages[elements.len()];
    if !stage.iter().all(|(atom, is_true)| vocabulary.value(atom, elements, state) == *is_true) {
        return false;
    }
    if elements.len() + 1 == stages.len() {
        return found(elements);
    }
    for element in candidates {
        if elements.contains(element) {
            continue;
        }
        elements.push(*element);
        let is_enough = extend(vocabulary, (state, candidates), stages, elements, found);
        elements.pop();
        if is_enough {
            return true;
        }
    }
    false
}
