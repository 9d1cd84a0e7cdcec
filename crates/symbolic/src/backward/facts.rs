//! Facts: what holds in all reachable states, in parts that are conjoined with one another only where that costs no node.
//!
//! Bounds of variables were proved by induction when the machine was encoded: functions have one value for an argument. Properties that are checked are facts too, as
//! long as the search ends at the first finding: the states before the first finding have them all, so that a search that assumes them misses no first finding. A
//! fact may be left out wherever it would make a diagram large; the search then has more states to look at.

use std::rc::Rc;

use abridge_blast::Lit;
use abridge_encoding::PropertyKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bdd::{Bdd, Made, Manager, Var};
use crate::reach::AskedFindings;
use crate::space::Space;
use crate::symmetry::rows;
use crate::within::Gates;

/// A set may become so many times as large, and have so many nodes more, when facts are added to it.
const MAX_GROWTH: usize = 8;
const MAX_MORE_NODES: usize = 20_000;

/// Selections of facts whose conjunctions are remembered.
const MAX_SELECTIONS: usize = 256;

#[derive(Default)]
pub(super) struct DiagramFacts {
    list: Vec<Bdd>,
    by_bit: FxHashMap<Var, Vec<usize>>,
    /// Of selections of facts, conjunctions that are no larger than the facts in them: rows of a relation, whose bits lie together.
    joined: FxHashMap<Vec<usize>, Rc<[JoinedFacts]>>,
}

struct JoinedFacts {
    all: Bdd,
    facts: Vec<usize>,
}

impl DiagramFacts {
    fn push(&mut self, manager: &Manager, fact: Bdd) {
        for bit in manager.support(&fact) {
            self.by_bit.entry(bit).or_default().push(self.list.len());
        }
        self.list.push(fact);
    }

    /// What is known of some bits alone.
    pub(super) fn about(&self, manager: &mut Manager, bits: &FxHashSet<Var>) -> Made<Bdd> {
        let about: FxHashSet<usize> =
            bits.iter().flat_map(|bit| self.by_bit.get(bit).into_iter().flatten()).copied().collect();
        let mut about: Vec<usize> = about.into_iter().collect();
        about.sort_unstable();
        let mut known = manager.constant(true);
        for idx in about {
            if manager.support(&self.list[idx]).iter().all(|bit| bits.contains(bit)) {
                known = manager.and(&known, &self.list[idx])?;
            }
        }
        Ok(known)
    }

    /// A set without states that contradict facts about some of the bits that it depends on.
    pub(super) fn within(&mut self, manager: &mut Manager, set: &Bdd, is_meant: &dyn Fn(Var) -> bool) -> Made<Bdd> {
        if set.is_false() {
            return Ok(set.clone());
        }
        let bits = manager.support(set).into_iter().filter(|bit| is_meant(*bit));
        let about: FxHashSet<usize> =
            bits.flat_map(|bit| self.by_bit.get(&bit).into_iter().flatten()).copied().collect();
        let mut about: Vec<usize> = about.into_iter().collect();
        about.sort_unstable();
        let max_nodes = manager.size(set) * MAX_GROWTH + MAX_MORE_NODES;
        let mut set = set.clone();
        for joined in self.joined(manager, about)?.iter() {
            let smaller = manager.and(&set, &joined.all)?;
            if smaller == set {
                continue;
            }
            if manager.size(&smaller) <= max_nodes {
                set = smaller;
                continue;
            }
            for idx in &joined.facts {
                let smaller = manager.and(&set, &self.list[*idx])?;
                if smaller != set && manager.size(&smaller) <= max_nodes {
                    set = smaller;
                }
            }
        }
        Ok(set)
    }

    /// Some facts, with conjunctions of those that are no larger together than one by one: a set is rebuilt once for each conjunction.
    fn joined(&mut self, manager: &mut Manager, selection: Vec<usize>) -> Made<Rc<[JoinedFacts]>> {
        if let Some(known) = self.joined.get(&selection) {
            return Ok(known.clone());
        }
        let mut joined: Vec<JoinedFacts> = Vec::new();
        let mut size = 0;
        for idx in &selection {
            let fact = &self.list[*idx];
            let sum = size + manager.size(fact);
            if let Some(last) = joined.last_mut() {
                let both = manager.and(&last.all, fact)?;
                let both_size = manager.size(&both);
                if both_size <= sum {
                    last.all = both;
                    last.facts.push(*idx);
                    size = both_size;
                    continue;
                }
            }
            joined.push(JoinedFacts { all: fact.clone(), facts: vec![*idx] });
            size = manager.size(fact);
        }
        let joined: Rc<[JoinedFacts]> = joined.into();
        if self.joined.len() >= MAX_SELECTIONS {
            self.joined.clear();
        }
        self.joined.insert(selection, joined.clone());
        Ok(joined)
    }
}

impl Space<'_> {
    /// What was proved when the machine was encoded.
    pub(super) fn bounds(&mut self) -> Made<DiagramFacts> {
        let lits = self.conjuncts(self.encoding.assumptions.iter().copied());
        self.facts_of(&lits)
    }

    /// What holds in all states before the first finding: bounds, and what is checked.
    pub(super) fn facts(&mut self, asked: AskedFindings) -> Made<DiagramFacts> {
        let properties = self.encoding.properties.iter().filter(|property| is_assumed(asked, property.kind));
        let holding = properties.filter_map(|property| Some(property.truth.ok()?.holds));
        let lits = self.conjuncts(self.encoding.assumptions.iter().copied().chain(holding));
        self.facts_of(&lits)
    }

    fn conjuncts(&self, lits: impl Iterator<Item = Lit>) -> Vec<Lit> {
        lits.flat_map(|lit| self.encoding.blast.circuit.conjuncts(lit)).collect()
    }

    /// Facts about single rows of relations come first, one for each row.
    fn facts_of(&mut self, lits: &[Lit]) -> Made<DiagramFacts> {
        let rows = rows(&self.encoding, &self.source.variables);
        let row_of: FxHashMap<Var, u32> =
            rows.into_iter().filter_map(|(cell, row)| Some((self.layout.cell(cell)?, row))).collect();
        let mut list: Vec<Bdd> = Vec::new();
        let mut by_row: FxHashMap<u32, Bdd> = FxHashMap::default();
        let mut groups: FxHashMap<u32, Vec<Var>> = FxHashMap::default();
        self.choices.iter().for_each(|(bit, choice)| groups.entry(*choice).or_default().push(*bit));
        let mut choices: Vec<u32> = groups.keys().copied().collect();
        choices.sort_unstable();
        let mut parts = Vec::new();
        for choice in choices {
            parts.push(at_most_one(&mut self.manager, &groups[&choice])?);
        }
        let Space { encoding, layout, manager, .. } = self;
        let gates = Gates::new(encoding, layout, manager, lits)?;
        parts.extend(lits.iter().filter_map(|lit| gates.small(*lit)).filter(|fact| !fact.is_true()));
        for fact in parts {
            let support = manager.support(&fact);
            let row = support.first().and_then(|bit| row_of.get(bit)).copied();
            match row.filter(|row| support.iter().all(|bit| row_of.get(bit) == Some(row))) {
                Some(row) => {
                    let known = by_row.remove(&row).unwrap_or_else(|| manager.constant(true));
                    by_row.insert(row, manager.and(&known, &fact)?);
                }
                None => list.push(fact),
            }
        }
        let mut rows: Vec<(u32, Bdd)> = by_row.into_iter().collect();
        rows.sort_unstable_by_key(|(row, _)| *row);
        let mut facts = DiagramFacts::default();
        for fact in rows.into_iter().map(|(_, fact)| fact).chain(list) {
            facts.push(manager, fact);
        }
        Ok(facts)
    }
}

/// Whether a property holds in all states before the first finding.
pub(super) fn is_assumed(asked: AskedFindings, kind: PropertyKind) -> bool {
    asked.stop_at_first && kind != PropertyKind::Goal && asked.includes(kind)
}

/// At most one of some bits is true.
fn at_most_one(manager: &mut Manager, bits: &[Var]) -> Made<Bdd> {
    let mut bits = bits.to_vec();
    bits.sort_unstable_by_key(|bit| std::cmp::Reverse(manager.level_of(*bit)));
    let (mut none, mut at_most_one) = (manager.constant(true), manager.constant(true));
    for bit in bits {
        let bit = manager.var(bit)?;
        let with = manager.and(&bit, &none)?;
        let without = manager.minus(&at_most_one, &bit)?;
        at_most_one = manager.or(&with, &without)?;
        none = manager.minus(&none, &bit)?;
    }
    Ok(at_most_one)
}
