//! Reachable states by chaining, what is found in them, and their numbers.
//!
//! Each round applies all steps one after the other to the states that the round before found, and the result of one step is the source of the next one
//! (chaining). Properties are checked on new states, or at the end where all are to be found. The set that comes out is exact, whatever the order of
//! the steps. With symmetry, each round ends with the representatives of what it found (`symmetry.rs`).

use abridge_encoding::PropertyKind;
use abridge_eval::State;
use num_bigint::BigUint;

use crate::bdd::{Bdd, BddStop, Made, Var};
use crate::space::{Halt, Space};

/// What is asked about states.
#[derive(Clone, Copy, Debug)]
pub struct AskedFindings {
    pub invariant: bool,
    pub assertions: bool,
    pub goal: bool,
    pub deadlock: bool,
    /// End at the first finding.
    pub stop_at_first: bool,
}

impl AskedFindings {
    pub(crate) fn includes(&self, kind: PropertyKind) -> bool {
        match kind {
            PropertyKind::Invariant(_) => self.invariant,
            PropertyKind::Assertion(_) => self.assertions,
            PropertyKind::Goal => self.goal,
            PropertyKind::Proposition(_) => false,
        }
    }
}

/// A kind of finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolicFinding {
    /// The property is false or, for a goal, true.
    Property(PropertyKind),
    IllDefinedProperty(PropertyKind),
    /// The operation at a position is ill-defined.
    IllDefined(usize),
    Deadlock,
}

/// How far a search is.
#[derive(Clone, Copy, Default, Debug)]
pub struct FixpointProgress {
    pub rounds: u32,
    pub nodes: usize,
    pub bytes: u64,
    /// Number of states, up to the largest number there is room for.
    pub states: u64,
}

/// Told about progress; false ends the search.
pub type FixpointWatch<'w> = dyn FnMut(&FixpointProgress) -> bool + 'w;

/// What a search found out.
pub struct ReachedStates {
    pub(crate) set: Bdd,
    pub states: BigUint,
    /// All states behind representatives, if they were counted on the way.
    pub(crate) behind: Option<BigUint>,
    pub initial: BigUint,
    /// What was found, each with a state where it is.
    pub found: Vec<(SymbolicFinding, State)>,
    pub rounds: u32,
    /// Why the set is not all of the reachable states; nothing if it is.
    pub halt: Option<Halt>,
}

impl Space<'_> {
    /// The states that can be reached, or some of them if something is found or ends the search.
    pub fn reach(&mut self, asked: AskedFindings, watch: &mut FixpointWatch<'_>) -> ReachedStates {
        let none = self.manager.constant(false);
        let mut reached = ReachedStates {
            set: none,
            states: BigUint::default(),
            behind: None,
            initial: self.manager.count(&self.initial, self.layout.bits()),
            found: Vec::new(),
            rounds: 0,
            halt: None,
        };
        if let Some(mut counters) = self.counters.take() {
            reached.halt = self.reach_counters(&mut counters, &mut reached, asked, watch).err();
            self.counters = Some(counters);
            return reached;
        }
        reached.halt = self.grow(&mut reached, asked, watch).err();
        if !asked.stop_at_first {
            let found = self.findings(&reached.set.clone(), asked).and_then(|found| self.witnesses(&found));
            match found {
                Ok(found) => reached.found = found,
                Err(halt) => reached.halt = reached.halt.or(Some(halt)),
            }
        }
        reached.states = self.manager.count(&reached.set, self.layout.bits());
        reached
    }

    fn grow(
        &mut self,
        reached: &mut ReachedStates,
        asked: AskedFindings,
        watch: &mut FixpointWatch<'_>,
    ) -> Result<(), Halt> {
        let mut open = self.representatives(&self.initial.clone())?;
        reached.set = open.clone();
        while !open.is_false() {
            if asked.stop_at_first {
                let found = self.findings(&open, asked)?;
                reached.found = self.witnesses(&found)?;
                if !reached.found.is_empty() {
                    return Ok(());
                }
            }
            reached.rounds += 1;
            if let Err(halt) = self.chain(reached, &mut open, watch) {
                // What was found until then is told, unless it would have to be sorted.
                if !self.is_reduced() {
                    self.add(reached, &open)?;
                }
                return Err(halt);
            }
            open = self.add(reached, &open)?;
        }
        Ok(())
    }

    /// Applies all steps, each to what those before led to as well.
    fn chain(&mut self, reached: &ReachedStates, all: &mut Bdd, watch: &mut FixpointWatch<'_>) -> Result<(), Halt> {
        let states = self.manager.count(&reached.set, self.layout.bits());
        let states = u64::try_from(states).unwrap_or(u64::MAX);
        let rounds = reached.rounds;
        for idx in 0..self.steps.len() {
            let (nodes, bytes) = (self.manager.n_nodes(), self.manager.bytes());
            if !watch(&FixpointProgress { rounds, nodes, bytes, states }) {
                return Err(Halt::Stop(BddStop::Stopped));
            }
            let image = self.image(idx, all)?;
            *all = self.manager.or(all, &image)?;
        }
        Ok(())
    }

    /// Adds the representatives of a set to the reached states; those that are new.
    fn add(&mut self, reached: &mut ReachedStates, set: &Bdd) -> Made<Bdd> {
        let set = self.representatives(set)?;
        let new = self.manager.minus(&set, &reached.set)?;
        reached.set = self.manager.or(&reached.set, &new)?;
        Ok(new)
    }

    /// One state of each set.
    fn witnesses(&self, found: &[(SymbolicFinding, Bdd)]) -> Result<Vec<(SymbolicFinding, State)>, Halt> {
        found.iter().map(|(kind, set)| Ok((*kind, self.state(&self.manager.pick(set).unwrap_or_default())?))).collect()
    }

    /// States after one step.
    pub(crate) fn image(&mut self, idx: usize, set: &Bdd) -> Result<Bdd, Halt> {
        self.learn_step(idx, set)?;
        let step = &self.steps[idx];
        Ok(self.manager.image(set, &step.relation, &step.writes)?)
    }

    /// What is found in a set, each kind with the states where it is.
    pub(crate) fn findings(&mut self, set: &Bdd, asked: AskedFindings) -> Result<Vec<(SymbolicFinding, Bdd)>, Halt> {
        self.learn_properties(set, &|kind| asked.includes(kind))?;
        for idx in 0..self.steps.len() {
            self.learn_step(idx, set)?;
        }
        let mut found = Vec::new();
        let manager = &mut self.manager;
        for checked in &self.properties {
            let kind = self.encoding.properties[checked.position].kind;
            if !asked.includes(kind) {
                continue;
            }
            let bad = if kind == PropertyKind::Goal { &checked.holds } else { &checked.fails };
            found.push((SymbolicFinding::Property(kind), manager.and(set, bad)?));
            if kind != PropertyKind::Goal {
                let rest = manager.minus(set, &checked.holds)?;
                found.push((SymbolicFinding::IllDefinedProperty(kind), manager.minus(&rest, &checked.fails)?));
            }
        }
        for step in &self.steps {
            found.push((SymbolicFinding::IllDefined(step.operation), manager.and(set, &step.errors)?));
        }
        if asked.deadlock {
            let mut stuck = set.clone();
            for step in &self.steps {
                stuck = manager.minus(&stuck, &step.enabled)?;
                stuck = manager.minus(&stuck, &step.partial)?;
            }
            found.push((SymbolicFinding::Deadlock, stuck));
        }
        found.retain(|(_, states)| !states.is_false());
        let mut merged: Vec<(SymbolicFinding, Bdd)> = Vec::new();
        for (kind, states) in found {
            match merged.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, others)) => *others = manager.or(others, &states)?,
                None => merged.push((kind, states)),
            }
        }
        Ok(merged)
    }

    /// Transitions of each operation out of the reached states; nothing where diagrams do not tell transitions apart, and there are too many for the evaluator.
    pub fn transitions(&mut self, reached: &ReachedStates) -> Made<Vec<Option<BigUint>>> {
        let mut counts = Vec::new();
        for operation in 0..self.source.operations.len() {
            counts.push(match self.transitions_of(operation, &reached.set)? {
                None => self.evaluated_transitions(operation, &reached.set).ok().flatten(),
                count => count,
            });
        }
        Ok(counts)
    }

    fn transitions_of(&mut self, operation: usize, set: &Bdd) -> Made<Option<BigUint>> {
        let model = self.source.interp.model();
        let op = &model.operations[self.source.operations[operation]];
        let (has_params, has_outputs) = (!op.params.is_empty(), !op.outputs.is_empty());
        let own: Vec<usize> = (0..self.steps.len()).filter(|idx| self.steps[*idx].operation == operation).collect();
        let instances = || own.iter().filter_map(|idx| Some(&self.encoding.instances[self.steps[*idx].instance?]));
        // Steps with equal parameters and targets are one transition, unless their outputs differ.
        if has_outputs && (instances().any(|it| it.has_choice) || !has_params && own.len() > 1) {
            return Ok(None);
        }
        if has_params && instances().any(|it| it.label.is_none()) {
            return Ok(None);
        }
        let mut sum = BigUint::default();
        let mut of_set = Vec::new();
        for idx in &own {
            if let Some(learnt) = self.steps[*idx].learnt.take() {
                let count = self.counted_transitions(&learnt, set);
                self.steps[*idx].learnt = Some(learnt);
                sum += count?;
            } else if has_params || own.len() == 1 {
                let step = &self.steps[*idx];
                let pairs = self.manager.and(set, &step.relation)?;
                let vars: Vec<Var> =
                    self.layout.bits().iter().copied().chain(step.written.iter().map(|bit| bit.next())).collect();
                sum += self.manager.count(&pairs, &vars);
            } else {
                of_set.push(*idx);
            }
        }
        if !of_set.is_empty() {
            sum += self.distinct(&of_set, set)?;
        }
        Ok(Some(sum))
    }

    /// Pairs of a state and a next one that are related by some of the steps.
    fn distinct(&mut self, steps: &[usize], set: &Bdd) -> Made<BigUint> {
        let mut written: Vec<Var> = steps.iter().flat_map(|idx| self.steps[*idx].written.iter().copied()).collect();
        written.sort_unstable();
        written.dedup();
        let mut relations = Vec::new();
        for idx in steps {
            let step = &self.steps[*idx];
            let mut relation = step.relation.clone();
            for bit in written.iter().filter(|bit| !step.written.contains(bit)) {
                let (old, new) = (self.manager.var(*bit)?, self.manager.var(bit.next())?);
                let same = self.manager.xor(&old, &new)?.not();
                relation = self.manager.and(&relation, &same)?;
            }
            relations.push(relation);
        }
        let all = self.manager.any(relations)?;
        let pairs = self.manager.and(&all, set)?;
        let vars: Vec<Var> = self.layout.bits().iter().copied().chain(written.iter().map(|bit| bit.next())).collect();
        Ok(self.manager.count(&pairs, &vars))
    }
}
