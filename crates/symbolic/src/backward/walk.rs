//! Walks forwards through the rings of a backward search: a real path, or the reason why there is none along these rings.

use abridge_blast::Lit;
use abridge_encoding::StateProperty;
use abridge_eval::State;
use rustc_hash::{FxHashMap, FxHashSet};

use super::BackwardSearch;
use super::facts::{DiagramFacts, is_assumed};
use crate::bdd::{Bdd, Made, Var};
use crate::reach::{AskedFindings, SymbolicFinding};
use crate::space::{Halt, Space};
use crate::symmetry::Mapping;

/// States that a walk goes on from, beside one for each ring, and those that it keeps of the states after one of them: the ones in the foremost rings.
const MAX_EXPANDED: usize = 512;
const MAX_KEPT: usize = 8;

/// The end of a walk.
pub(super) enum Walked {
    /// From an initial state to one that was searched for.
    Path(Vec<State>),
    /// A path to a state, with its true bits, from which no step leads to any of the rings before its own, of which there are so many.
    Stuck { path: Vec<State>, bits: FxHashSet<Var>, n_rings: usize },
}

/// A state on the way.
struct PathState {
    state: State,
    bits: FxHashSet<Var>,
    /// The position of its ring.
    ring: usize,
    /// The place before.
    from: Option<usize>,
}

impl Space<'_> {
    /// Walks from an initial state of the last ring to the first ring, by steps of the evaluator. The place in the foremost ring goes on first.
    pub(super) fn walk(&mut self, rings: &[Bdd]) -> Result<Walked, Halt> {
        let start = self.manager.and(&self.initial.clone(), &rings[rings.len() - 1])?;
        let bits = self.manager.pick(&start).unwrap_or_default();
        let state = self.state(&bits)?;
        let mut places = vec![PathState { state, bits: bits.into_iter().collect(), ring: rings.len() - 1, from: None }];
        let mut open = vec![0];
        let mut stuck = None;
        for _ in 0..MAX_EXPANDED + rings.len() {
            let Some(next) = (0..open.len()).min_by_key(|idx| places[open[*idx]].ring) else { break };
            let from: usize = open.swap_remove(next);
            if places[from].ring == 0 {
                return Ok(Walked::Path(path_to(&places, from)));
            }
            let mut after = Vec::new();
            for (state, bits) in self.successors(&places[from].state.clone())? {
                let ring = self.ring_of(&rings[..places[from].ring], &bits)?;
                after.extend(ring.map(|ring| PathState { state, bits, ring, from: Some(from) }));
            }
            if after.is_empty() && stuck.is_none_or(|other: usize| places[from].ring < places[other].ring) {
                stuck = Some(from);
            }
            after.sort_by_key(|place| place.ring);
            after.retain(|place| !places.iter().any(|other| other.bits == place.bits));
            for place in after.into_iter().take(MAX_KEPT) {
                open.push(places.len());
                places.push(place);
            }
        }
        let path = path_to(&places, stuck.unwrap_or(0));
        let PathState { bits, ring, .. } = places.swap_remove(stuck.unwrap_or(0));
        Ok(Walked::Stuck { path, bits, n_rings: ring })
    }

    /// The position of the first ring with a state, or with its representatives.
    fn ring_of(&mut self, rings: &[Bdd], bits: &FxHashSet<Var>) -> Made<Option<usize>> {
        let Some(mapping) = self.mapping.take() else {
            let bits = self.sorted_bits(bits);
            return Ok(rings.iter().position(|ring| self.manager.value(ring, |bit| bits.contains(&bit))));
        };
        let result = self.ring_by(&mapping, rings, bits);
        self.mapping = Some(mapping);
        result
    }

    fn ring_by(&mut self, mapping: &Mapping, rings: &[Bdd], bits: &FxHashSet<Var>) -> Made<Option<usize>> {
        let values: Vec<(Var, bool)> = self.layout.bits().iter().map(|bit| (*bit, bits.contains(bit))).collect();
        let state = self.manager.assignment(values)?;
        let representatives = mapping.image(&mut self.manager, &state)?;
        for (idx, ring) in rings.iter().enumerate() {
            if !self.manager.and(ring, &representatives)?.is_false() {
                return Ok(Some(idx));
            }
        }
        Ok(None)
    }

    fn successors(&mut self, state: &State) -> Result<Vec<(State, FxHashSet<Var>)>, Halt> {
        let mut successors = Vec::new();
        for operation in 0..self.source.operations.len() {
            for target in self.targets_of(operation, state)? {
                let bits = self.layout.encode(&self.encoding, &target).ok_or(Halt::ManyValues)?;
                successors.push((target, bits.into_iter().collect()));
            }
        }
        Ok(successors)
    }

    /// A property that fails in a state and that states before the first finding were assumed to have: the state is a finding then.
    pub(super) fn failing(&self, asked: AskedFindings, bits: &FxHashSet<Var>) -> Option<SymbolicFinding> {
        let assumed = |property: &&StateProperty| is_assumed(asked, property.kind);
        let is_true = |input: Lit| {
            let bit = self.encoding.cells.of_input(input).and_then(|cell| self.layout.cell(cell));
            bit.is_some_and(|bit| bits.contains(&bit))
        };
        let fails = |property: &&StateProperty| {
            let fails = property.truth.map_or(Lit::FALSE, |truth| truth.fails);
            self.encoding.blast.circuit.evaluate(&[fails], is_true)[0]
        };
        let failing = self.encoding.properties.iter().filter(assumed).find(fails);
        failing.map(|property| SymbolicFinding::Property(property.kind))
    }

    /// The position of a variable whose value rules out a step to a set that the visible variables of a state allow; nothing if there is none. Facts may rule out by themselves what a ring allowed,
    /// which was made with fewer of them.
    pub(super) fn refined(
        &mut self,
        search: &mut BackwardSearch,
        bits: &FxHashSet<Var>,
        ring: &Bdd,
        has_facts: bool,
    ) -> Made<Option<usize>> {
        let n_variables = self.source.variables.len();
        let positions = |space: &Self| -> FxHashMap<Var, usize> {
            let of = |position: usize| space.layout.bits_of(position).iter().map(move |bit| (*bit, position));
            (0..n_variables).flat_map(of).collect()
        };
        let position_of = positions(self);
        let support = self.manager.support(ring);
        // For each variable, the steps that its value rules out, and those that it may have to do with.
        let (mut rules_out, mut concerns) = (vec![0_usize; n_variables], vec![0_usize; n_variables]);
        let mut none = DiagramFacts::default();
        for idx in 0..search.actions.len() {
            let BackwardSearch { actions, facts, hidden, .. } = search;
            let facts = if has_facts { facts } else { &mut none };
            let Some(steps) = self.substituted(&mut actions[idx], facts, ring, &support)? else { continue };
            let steps = facts.within(&mut self.manager, &steps, &|bit| hidden.contains(&bit))?;
            let is_visible = |bit: Var| position_of.contains_key(&bit) && !hidden.contains(&bit);
            let steps = self.at(&steps, bits, &is_visible)?;
            let concerned: FxHashSet<usize> =
                self.manager.support(&steps).iter().filter_map(|bit| position_of.get(bit)).copied().collect();
            for position in concerned {
                concerns[position] += 1;
                let left = self.at(&steps, bits, &|bit| position_of.get(&bit) == Some(&position))?;
                rules_out[position] += usize::from(left.is_false());
            }
        }
        let n_bits = |position: usize| self.layout.bits_of(position).len();
        let best = (0..n_variables).filter(|position| concerns[*position] > 0);
        Ok(best.max_by_key(|position| {
            (rules_out[*position], std::cmp::Reverse(n_bits(*position)), std::cmp::Reverse(*position))
        }))
    }

    /// A set where some of the bits have the values of a state.
    fn at(&mut self, set: &Bdd, bits: &FxHashSet<Var>, is_meant: &dyn Fn(Var) -> bool) -> Made<Bdd> {
        let fixed: Vec<(Var, bool)> = self
            .manager
            .support(set)
            .into_iter()
            .filter(|bit| is_meant(*bit))
            .map(|bit| (bit, bits.contains(&bit)))
            .collect();
        let cube = self.manager.assignment(fixed.iter().copied())?;
        let over = self.manager.cube(fixed.into_iter().map(|(bit, _)| bit))?;
        self.manager.and_exists(set, &cube, &over)
    }
}

/// The states on the way to a place.
fn path_to(places: &[PathState], place: usize) -> Vec<State> {
    let mut path: Vec<State> =
        std::iter::successors(Some(place), |at| places[*at].from).map(|at| places[at].state.clone()).collect();
    path.reverse();
    path
}
