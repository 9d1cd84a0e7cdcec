//! Fairness of components: [`FairConditions::fair_part`].
//!
//! A component holds an accepted cycle if its steps have all marks of the automaton and, for each weak premise, a step that meets it. A pair
//! with a request and no response inside takes its requests out of the component, which then falls into smaller ones (Emerson and Lei, "Modalities for model
//! checking", 1987). `WEF` and `SEF` do the same for each operation with its arguments (`threads.rs`): one that is enabled in all states and never
//! taken spoils the component for weak fairness; one that is enabled somewhere and never taken removes the states where it is for strong fairness.

use abridge_value::BitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::MarkSet;
use crate::bdd::LetterBdd;
use crate::components::components;
use crate::expand::{FairnessConstraint, FairnessSubject};
use crate::formula::AtomId;
use crate::property::LinearProperty;

use super::components::Component;
use super::letters::{Moves, decide};
use super::threads::{Threads, enabled};
use super::{LetterGraph, ProductNode, Truth};

/// If letters of one kind recur, so do letters of another.
#[derive(Clone, Copy)]
enum RecurrencePair {
    Guards(LetterBdd, LetterBdd),
    Atoms(AtomId, AtomId),
}

/// What recurs on a fair path, for one alternative of the premises.
pub(super) struct FairConditions<'g, G> {
    graph: &'g G,
    property: &'g LinearProperty,
    /// Weak premises: enabled and taken.
    weak: Vec<(AtomId, AtomId)>,
    pairs: Vec<RecurrencePair>,
    pub(super) has_weak_every: bool,
    pub(super) has_strong_every: bool,
    rows: FxHashMap<u32, Contribution>,
    /// Values that are not known, or not defined, would have mattered.
    pub(super) is_partial: bool,
}

/// What a letter contributes.
#[derive(Clone, Default)]
pub(super) struct Contribution {
    /// Weak premises that it meets.
    pub(super) meets: BitSet,
    pub(super) requests: BitSet,
    pub(super) responses: BitSet,
}

/// Part of a component in which a fair path can stay.
pub(super) struct FairPart {
    pub(super) members: Vec<ProductNode>,
    /// Pairs whose requests are not taken.
    pub(super) banned: BitSet,
}

/// What the steps inside a set of nodes have.
struct InnerSteps {
    marks: MarkSet,
    row: Contribution,
    /// Operations with arguments, where fairness is about them.
    threads: Threads,
}

impl<'g, G: LetterGraph> FairConditions<'g, G> {
    pub(super) fn new(graph: &'g G, property: &'g LinearProperty, alternative: &[FairnessConstraint]) -> Self {
        let mut conditions = FairConditions {
            graph,
            property,
            weak: Vec::new(),
            pairs: property.pairs.iter().map(|pair| RecurrencePair::Guards(pair.request, pair.response)).collect(),
            has_weak_every: false,
            has_strong_every: false,
            rows: FxHashMap::default(),
            is_partial: false,
        };
        for constraint in alternative {
            match (constraint.subject, constraint.is_strong) {
                (FairnessSubject::Step { enabled, taken }, false) => conditions.weak.push((enabled, taken)),
                (FairnessSubject::Step { enabled, taken }, true) => {
                    conditions.pairs.push(RecurrencePair::Atoms(enabled, taken))
                }
                (FairnessSubject::Every, false) => conditions.has_weak_every = true,
                (FairnessSubject::Every, true) => conditions.has_strong_every = true,
            }
        }
        conditions
    }

    fn is_about_instances(&self) -> bool {
        self.has_weak_every || self.has_strong_every
    }

    /// Marks of the automaton and weak premises are all that counts.
    pub(super) fn is_about_marks(&self) -> bool {
        self.pairs.is_empty() && !self.is_about_instances()
    }

    /// A letter may meet a weak premise: what is not known counts for it.
    pub(super) fn may_meet(&self, letter: u32, weak: usize) -> bool {
        let (enabled, taken) = self.weak[weak];
        self.graph.truth(letter, enabled) != Truth::True || self.graph.truth(letter, taken) != Truth::False
    }

    pub(super) fn n_weak(&self) -> usize {
        self.weak.len()
    }

    pub(super) fn row(&mut self, letter: u32) -> &Contribution {
        if !self.rows.contains_key(&letter) {
            let row = self.compute_row(letter);
            self.rows.insert(letter, row);
        }
        &self.rows[&letter]
    }

    fn compute_row(&mut self, letter: u32) -> Contribution {
        let mut row = Contribution::default();
        let (graph, bdds) = (self.graph, &self.property.bdds);
        let mut is_partial = false;
        // What is not known is taken in the way that makes fewer paths fair.
        let mut atom = |atom: AtomId, if_unknown: bool| match graph.truth(letter, atom) {
            Truth::True => true,
            Truth::False => false,
            Truth::IllDefined | Truth::Unknown => {
                is_partial = true;
                if_unknown
            }
        };
        for (idx, (enabled, taken)) in self.weak.iter().enumerate() {
            if !atom(*enabled, true) || atom(*taken, false) {
                row.meets.insert(idx);
            }
        }
        for (idx, pair) in self.pairs.iter().enumerate() {
            let (request, response) = match pair {
                RecurrencePair::Atoms(enabled, taken) => (atom(*enabled, true), atom(*taken, false)),
                RecurrencePair::Guards(request, response) => (
                    decide(&|atom| graph.truth(letter, atom), bdds, *request).unwrap_or(true),
                    decide(&|atom| graph.truth(letter, atom), bdds, *response).unwrap_or(false),
                ),
            };
            if request {
                row.requests.insert(idx);
            }
            if response {
                row.responses.insert(idx);
            }
        }
        self.is_partial |= is_partial;
        row
    }

    /// A part of the component in which a fair accepted path can stay.
    pub(super) fn fair_part(&mut self, component: &Component<'_>, moves: &mut Moves<'g, G>) -> Option<FairPart> {
        let inside = self.inside(component.members, &|node| component.contains(node), &BitSet::default(), moves);
        if !self.may_be_fair(&inside, moves) {
            return None;
        }
        let whole = FairPart { members: component.members.to_vec(), banned: BitSet::default() };
        if self.is_met(&whole, &inside, moves)? {
            return Some(whole);
        }
        let mut waiting = self.split(whole, &inside, moves);
        while let Some(part) = waiting.pop() {
            if self.graph.is_stopped() {
                self.is_partial = true;
                return None;
            }
            let members: FxHashSet<ProductNode> = part.members.iter().copied().collect();
            let inside = self.inside(&part.members, &|node| members.contains(&node), &part.banned, moves);
            if !self.may_be_fair(&inside, moves) {
                continue;
            }
            match self.is_met(&part, &inside, moves) {
                Some(true) => return Some(part),
                Some(false) => waiting.extend(self.split(part, &inside, moves)),
                None => {}
            }
        }
        None
    }

    /// The steps between nodes of a set, without requests of banned pairs.
    fn inside(
        &mut self,
        members: &[ProductNode],
        contains: &dyn Fn(ProductNode) -> bool,
        banned: &BitSet,
        moves: &mut Moves<'g, G>,
    ) -> InnerSteps {
        let mut inside =
            InnerSteps { marks: MarkSet::default(), row: Contribution::default(), threads: Threads::default() };
        let is_plain = self.weak.is_empty() && self.pairs.is_empty();
        for node in members {
            moves.for_each(*node, |letter, target, marks| {
                if !contains(target) {
                    return;
                }
                if !is_plain {
                    let row = self.row(letter);
                    if row.requests.iter().any(|pair| banned.contains(pair)) {
                        return;
                    }
                    inside.row.meets.union_with(&row.meets);
                    inside.row.requests.union_with(&row.requests);
                    inside.row.responses.union_with(&row.responses);
                }
                inside.marks = inside.marks.with(marks);
            });
        }
        if self.is_about_instances() && self.may_be_fair(&inside, moves) {
            inside.threads = self.threads(members, contains, banned, moves);
        }
        inside
    }

    /// Operations with arguments along the steps inside.
    pub(super) fn threads(
        &mut self,
        members: &[ProductNode],
        contains: &dyn Fn(ProductNode) -> bool,
        banned: &BitSet,
        moves: &mut Moves<'g, G>,
    ) -> Threads {
        let graph = self.graph;
        Threads::new(graph, members, moves, &mut |letter, target| {
            contains(target) && !self.row(letter).requests.iter().any(|pair| banned.contains(pair))
        })
    }

    /// Whether the steps inside have what only grows with a set.
    fn may_be_fair(&self, inside: &InnerSteps, moves: &Moves<'g, G>) -> bool {
        MarkSet::all(moves.property.violation.n_marks).is_within(inside.marks)
            && (0..self.weak.len()).all(|idx| inside.row.meets.contains(idx))
    }

    /// Whether all conditions are met; nothing if no part of the set meets them.
    fn is_met(&self, part: &FairPart, inside: &InnerSteps, moves: &Moves<'g, G>) -> Option<bool> {
        if self.has_weak_every && !inside.threads.are_weakly_fair() {
            return None;
        }
        let is_answered = |pair: usize| inside.row.responses.contains(pair) || part.banned.contains(pair);
        if !inside.row.requests.iter().all(is_answered) {
            return Some(false);
        }
        Some(!self.has_strong_every || part.members.iter().all(|node| self.is_served(*node, inside, moves)))
    }

    /// All that is enabled at a node is taken inside.
    fn is_served(&self, node: ProductNode, inside: &InnerSteps, moves: &Moves<'g, G>) -> bool {
        let here = enabled(self.graph, moves.parts(node).0);
        here.iter().all(|name| inside.threads.is_taken(node, *name))
    }

    /// The components that are left without requests that nothing answers, and without states where something is enabled that is never
    /// taken.
    fn split(&mut self, part: FairPart, inside: &InnerSteps, moves: &mut Moves<'g, G>) -> Vec<FairPart> {
        let mut banned = part.banned;
        inside.row.requests.iter().filter(|pair| !inside.row.responses.contains(*pair)).for_each(|pair| {
            banned.insert(pair);
        });
        let mut left: Vec<ProductNode> = part.members;
        if self.has_strong_every {
            left.retain(|node| self.is_served(*node, inside, moves));
        }
        let numbers: FxHashMap<ProductNode, u32> = left.iter().zip(0..).map(|(node, number)| (*node, number)).collect();
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); left.len()];
        for (source, node) in left.iter().enumerate() {
            moves.for_each(*node, |letter, target, _| {
                let is_banned = self.row(letter).requests.iter().any(|pair| banned.contains(pair));
                if let Some(target) = numbers.get(&target).filter(|_| !is_banned) {
                    edges[source].push(*target);
                }
            });
        }
        let found = components(left.len(), 0..left.len() as u32, |node, out| out.extend(&edges[node as usize]));
        let mut parts = Vec::new();
        for members in found.members().into_iter().rev() {
            let is_cyclic = members.len() > 1 || members.iter().any(|node| edges[*node as usize].contains(node));
            if is_cyclic {
                let mut members: Vec<ProductNode> = members.iter().map(|number| left[*number as usize]).collect();
                members.sort_unstable();
                parts.push(FairPart { members, banned: banned.clone() });
            }
        }
        parts
    }
}
