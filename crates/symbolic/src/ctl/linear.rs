//! Linear time on sets of states: paths of the machine that an automaton accepts.
//!
//! The automaton of `abridge_temporal` for the violations of a formula has few states, so the product is a family of sets, one for each of them. Fair loops are the greatest fixpoint
//! of Emerson and Lei (1986): the states from which each mark of the automaton can be met again and again. A path that ends violates the formula if the automaton accepts its last state. With symmetry the
//! sets consist of representatives, as for branching time: atoms do not tell interchangeable elements apart, so a path of orbits is one of states.
//!
//! Weak fairness of an operation is one more mark: it is not enabled, or it is taken. For strong fairness, a state where the operation is enabled stays only if it leads to a step of
//! the operation (Kesten, Pnueli, Raviv 1998).

use abridge_encoding::PropertyKind;
use abridge_temporal::automaton::AutomatonEdge;
use abridge_temporal::bdd::{self as guards, LetterBdd};
use abridge_temporal::formula::Ctl;
use abridge_temporal::{FairnessConstraint, FairnessSubject, LinearProperty};
use rustc_hash::FxHashMap;

use super::witness::WitnessPath;
use super::{CtlJudge, CtlResult, CtlVerdict, NoVerdict, StateAtom};
use crate::bdd::Bdd;
use crate::reach::{FixpointWatch, ReachedStates};
use crate::space::Space;

/// Sets by state of the automaton.
type StateSets = Vec<Bdd>;

impl Space<'_> {
    /// Judges a formula of linear time, given its atoms by number, on the reached states, which must be all.
    pub fn judge_linear(
        &mut self,
        reached: &ReachedStates,
        property: &LinearProperty,
        atoms: &[StateAtom],
        watch: &mut FixpointWatch<'_>,
    ) -> Result<CtlVerdict, NoVerdict> {
        if self.counters.is_some() {
            return Err(NoVerdict::Unsupported("formulas over counters"));
        }
        if !property.pairs.is_empty() {
            return Err(NoVerdict::Unsupported("conclusions that are premises"));
        }
        if property.premises.is_empty() {
            return Err(NoVerdict::Unsupported("premises that no infinite path meets"));
        }
        self.learn_properties(&reached.set, &|kind| matches!(kind, PropertyKind::Proposition(_)))?;
        let none = Ctl::default();
        let mut product = LinearProduct::new(CtlJudge::new(self, reached, &none, atoms, watch)?, property)?;
        product.judge()
    }
}

/// A transition of the automaton together with steps of the machine.
struct ProductEdge {
    source: usize,
    target: usize,
    edge: AutomatonEdge,
    /// States in which the guard allows these steps, by position of their relations.
    states: Bdd,
    steps: usize,
}

/// What is to happen again and again.
enum Recurrence {
    Mark(u32),
    /// A state outside of a set, or one of the steps with a column.
    Weak(Bdd, usize),
    /// If a state of the set, then one of the steps with a column.
    Strong(Bdd, usize),
}

struct LinearProduct<'p, 'j, 's, 'w> {
    judge: CtlJudge<'j, 's, 'w>,
    property: &'p LinearProperty,
    moves: Vec<ProductEdge>,
    /// Steps that all atoms about steps judge alike, with a column for each atom.
    steps: Vec<(Vec<bool>, Vec<usize>)>,
    /// The reached states of each atom; nothing for atoms about the next step.
    sets: Vec<Option<Bdd>>,
    /// Where each operation with its arguments is enabled, if a premise is about every one. Steps have a column for each of them after those of the atoms.
    every: Vec<Bdd>,
    /// States without a step whose letter the automaton accepts.
    ends: StateSets,
}

impl<'p, 'j, 's, 'w> LinearProduct<'p, 'j, 's, 'w> {
    fn new(judge: CtlJudge<'j, 's, 'w>, property: &'p LinearProperty) -> CtlResult<Self> {
        let (moves, steps, sets, every, ends) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut product = LinearProduct { judge, property, moves, steps, sets, every, ends };
        let sets = product.atoms()?;
        let is_about_every = |constraint: &FairnessConstraint| constraint.subject == FairnessSubject::Every;
        let has_every = property.premises.iter().flatten().any(is_about_every);
        let every = if has_every { product.judge.every_operation()? } else { Vec::new() };
        let alike = product.alike(&every)?;
        product.every = every.into_iter().map(|(enabled, _)| enabled).collect();
        let mut known = FxHashMap::default();
        for (source, state) in property.violation.states.iter().enumerate() {
            for edge in &state.edges {
                for (steps, taken) in alike.iter().enumerate() {
                    let states = product.guard(edge.guard, &sets, &taken.0, &mut known)?;
                    if !states.is_false() {
                        product.moves.push(ProductEdge {
                            source,
                            target: edge.target as usize,
                            edge: *edge,
                            states,
                            steps,
                        });
                    }
                }
            }
            let none = vec![false; sets.len()];
            let last = product.guard(state.last, &sets, &none, &mut known)?;
            let deadlocks = product.judge.deadlocks.clone();
            product.ends.push(product.judge.and(&last, &deadlocks)?);
        }
        (product.steps, product.sets) = (alike, sets);
        Ok(product)
    }

    /// The reached states of each atom; nothing for atoms about the next step.
    fn atoms(&mut self) -> CtlResult<Vec<Option<Bdd>>> {
        let mut sets = Vec::new();
        for atom in self.judge.atoms {
            if let StateAtom::Proposition(number) = atom {
                let (holds, fails) = self.judge.proposition(*number);
                let rest = self.judge.not(&holds)?;
                if !self.judge.space.manager.minus(&rest, &fails)?.is_false() {
                    return Err(NoVerdict::Unsupported(
                        "formulas of linear time whose atoms are not defined everywhere",
                    ));
                }
            }
            sets.push(match atom {
                StateAtom::Taken(_) => None,
                atom => Some(self.judge.atom(atom)?),
            });
        }
        Ok(sets)
    }

    /// Steps by the atoms about steps that hold for them, and by the operations that they belong to.
    fn alike(&mut self, every: &[(Bdd, Vec<usize>)]) -> CtlResult<Vec<(Vec<bool>, Vec<usize>)>> {
        let mut alike: Vec<(Vec<bool>, Vec<usize>)> = Vec::new();
        let n_atoms = self.judge.atoms.len();
        let mut taken = vec![vec![false; n_atoms + every.len()]; self.judge.space.steps.len()];
        for (number, (_, parts)) in every.iter().enumerate() {
            parts.iter().for_each(|part| taken[*part][n_atoms + number] = true);
        }
        for (number, atom) in self.judge.atoms.iter().enumerate() {
            if let StateAtom::Taken(matching) = atom {
                self.judge.parts_of(matching)?.into_iter().for_each(|part| taken[part][number] = true);
            }
        }
        for (part, taken) in taken.into_iter().enumerate() {
            match alike.iter_mut().find(|(other, _)| *other == taken) {
                Some((_, parts)) => parts.push(part),
                None => alike.push((taken, vec![part])),
            }
        }
        Ok(alike)
    }

    /// The reached states where a guard holds for a step.
    fn guard(
        &mut self,
        guard: LetterBdd,
        sets: &[Option<Bdd>],
        taken: &[bool],
        known: &mut FxHashMap<(LetterBdd, Vec<bool>), Bdd>,
    ) -> CtlResult<Bdd> {
        let Some(atom) = self.property.bdds.top(guard) else {
            let all = self.judge.all.clone();
            return Ok(if guard == guards::TRUE { all } else { self.judge.space.manager.constant(false) });
        };
        let key = (guard, taken.to_vec());
        if let Some(known) = known.get(&key) {
            return Ok(known.clone());
        }
        let (lo, hi) = self.property.bdds.branches(guard);
        let result = match &sets[atom as usize] {
            None => self.guard(if taken[atom as usize] { hi } else { lo }, sets, taken, known)?,
            Some(set) => {
                let (hi, lo) = (self.guard(hi, sets, taken, known)?, self.guard(lo, sets, taken, known)?);
                let (hi, lo) = (self.judge.and(&hi, set)?, self.judge.space.manager.minus(&lo, set)?);
                self.judge.or(&hi, &lo)?
            }
        };
        known.insert(key, result.clone());
        Ok(result)
    }

    fn judge(&mut self) -> Result<CtlVerdict, NoVerdict> {
        let mut initial = self.nothing();
        initial[self.property.violation.initial as usize] = self.judge.initial.clone();
        let everything = self.everything();
        for alternative in &self.property.premises {
            let recurrences = self.recurrences(alternative)?;
            let live = self.live(&recurrences)?;
            let mut goal = StateSets::new();
            for (live, end) in live.iter().zip(&self.ends) {
                goal.push(self.judge.space.manager.or(live, end)?);
            }
            let layers = self.layers(&everything, goal, &initial)?;
            let starts = self.both(&layers[layers.len() - 1], &initial)?;
            let Some((start, state)) = self.pick(&starts)? else { continue };
            let mut walk = ProductWalk { walk: WitnessPath::new(start), state };
            self.descend(&mut walk, &layers)?;
            let here = walk.walk.here();
            if self.judge.and(&here, &self.ends[walk.state].clone())?.is_false() {
                self.go_round(&mut walk, &live, &recurrences)?;
            }
            return Ok(CtlVerdict::Violated(self.judge.shown(&walk.walk)?));
        }
        Ok(CtlVerdict::Holds)
    }

    /// The marks of the automaton and the constraints of one alternative of the premises.
    fn recurrences(&mut self, premises: &[FairnessConstraint]) -> CtlResult<Vec<Recurrence>> {
        let mut recurrences: Vec<Recurrence> = (0..self.property.violation.n_marks).map(Recurrence::Mark).collect();
        for constraint in premises {
            let recurrence = |(set, taken): (Bdd, usize)| match constraint.is_strong {
                true => Recurrence::Strong(set, taken),
                false => Recurrence::Weak(set, taken),
            };
            let FairnessSubject::Step { enabled, taken } = constraint.subject else {
                recurrences.extend(self.every.iter().cloned().zip(self.judge.atoms.len()..).map(recurrence));
                continue;
            };
            let set = self.sets[enabled.0 as usize].clone();
            let set = set.ok_or(NoVerdict::Unsupported("premises about steps that are no operations"))?;
            recurrences.push(recurrence((set, taken.0 as usize)));
        }
        Ok(recurrences)
    }

    /// The states in which a move counts for a recurrence.
    fn states_of(&mut self, idx: usize, recurrence: Option<&Recurrence>) -> CtlResult<Bdd> {
        let ProductEdge { edge, steps, .. } = self.moves[idx];
        let states = self.moves[idx].states.clone();
        let nothing = self.judge.space.manager.constant(false);
        Ok(match recurrence {
            None => states,
            Some(Recurrence::Mark(mark)) => {
                if edge.marks.contains(*mark) {
                    states
                } else {
                    nothing
                }
            }
            Some(Recurrence::Weak(_, taken) | Recurrence::Strong(_, taken)) if self.steps[steps].0[*taken] => states,
            Some(Recurrence::Weak(enabled, _)) => self.judge.space.manager.minus(&states, enabled)?,
            Some(Recurrence::Strong(..)) => nothing,
        })
    }

    fn nothing(&self) -> StateSets {
        vec![self.judge.space.manager.constant(false); self.property.violation.states.len()]
    }

    fn everything(&self) -> StateSets {
        vec![self.judge.all.clone(); self.property.violation.states.len()]
    }

    fn both(&mut self, left: &StateSets, right: &StateSets) -> CtlResult<StateSets> {
        let mut both = StateSets::new();
        for (left, right) in left.iter().zip(right) {
            both.push(self.judge.and(left, right)?);
        }
        Ok(both)
    }

    /// States with a step into a family, one that counts for a recurrence if that is given.
    fn before(&mut self, targets: &StateSets, recurrence: Option<&Recurrence>) -> CtlResult<StateSets> {
        let mut sources = self.nothing();
        let mut known: FxHashMap<(usize, usize), Bdd> = FxHashMap::default();
        for idx in 0..self.moves.len() {
            let ProductEdge { source, target, steps, .. } = self.moves[idx];
            let states = self.states_of(idx, recurrence)?;
            if states.is_false() || targets[target].is_false() {
                continue;
            }
            let before = match known.get(&(target, steps)) {
                Some(before) => before.clone(),
                None => {
                    let before = self.judge.some_next_by(&targets[target], &self.steps[steps].1)?;
                    known.insert((target, steps), before.clone());
                    before
                }
            };
            let before = self.judge.and(&before, &states)?;
            sources[source] = self.judge.or(&sources[source], &before)?;
        }
        Ok(sources)
    }

    /// States from which a path stays in one family until it is in the other, by distance from the latter. The last layer is empty, or the first with a state of `until`.
    fn layers(&mut self, stay: &StateSets, goal: StateSets, until: &StateSets) -> CtlResult<Vec<StateSets>> {
        let mut found = goal.clone();
        let mut layers = vec![goal];
        loop {
            let last = layers[layers.len() - 1].clone();
            let is_met = self.both(&last, until)?.iter().any(|set| !set.is_false());
            if is_met || last.iter().all(Bdd::is_false) {
                return Ok(layers);
            }
            let before = self.before(&last, None)?;
            let before = self.both(&before, stay)?;
            let mut new = StateSets::new();
            for (before, found) in before.iter().zip(&mut found) {
                let fresh = self.judge.space.manager.minus(before, found)?;
                *found = self.judge.or(found, &fresh)?;
                new.push(fresh);
            }
            layers.push(new);
        }
    }

    /// States from which everything that is to recur can do so for ever, if a path stays there.
    fn live(&mut self, recurrences: &[Recurrence]) -> CtlResult<StateSets> {
        let mut live = self.everything();
        loop {
            let old = live.clone();
            let before = self.before(&live, None)?;
            live = self.both(&live, &before)?;
            for recurrence in recurrences {
                let goal = self.met(&live, recurrence)?;
                let nothing = self.nothing();
                let layers = self.layers(&live, goal, &nothing)?;
                let mut kept = self.nothing();
                if let Recurrence::Strong(enabled, _) = recurrence {
                    for (kept, live) in kept.iter_mut().zip(&live) {
                        *kept = self.judge.space.manager.minus(live, enabled)?;
                    }
                }
                for layer in layers {
                    for (sum, part) in kept.iter_mut().zip(&layer) {
                        *sum = self.judge.or(sum, part)?;
                    }
                }
                live = kept;
            }
            if live == old {
                return Ok(live);
            }
        }
    }

    /// States of a family with a step that counts for a recurrence and stays in the family.
    fn met(&mut self, live: &StateSets, recurrence: &Recurrence) -> CtlResult<StateSets> {
        let before = self.before(live, Some(recurrence))?;
        self.both(live, &before)
    }
}

/// A path of the product.
struct ProductWalk {
    walk: WitnessPath,
    /// The state of the automaton at its end.
    state: usize,
}

impl LinearProduct<'_, '_, '_, '_> {
    /// One state of a family, with the state of the automaton.
    fn pick(&mut self, family: &StateSets) -> CtlResult<Option<(Bdd, usize)>> {
        for (number, set) in family.iter().enumerate() {
            if let Some(state) = self.judge.pick(set)? {
                return Ok(Some((state, number)));
            }
        }
        Ok(None)
    }

    fn here(&self, walk: &ProductWalk) -> StateSets {
        let mut here = self.nothing();
        here[walk.state] = walk.walk.here();
        here
    }

    /// Goes on by a step into a family, one that counts for a recurrence if that is given; false if there is none.
    fn step(
        &mut self,
        walk: &mut ProductWalk,
        targets: &StateSets,
        recurrence: Option<&Recurrence>,
    ) -> CtlResult<bool> {
        let here = walk.walk.here();
        for idx in 0..self.moves.len() {
            let ProductEdge { source, target, steps, .. } = self.moves[idx];
            if source != walk.state {
                continue;
            }
            let states = self.states_of(idx, recurrence)?;
            if self.judge.and(&here, &states)?.is_false() {
                continue;
            }
            if self.judge.step(&mut walk.walk, &targets[target], &self.steps[steps].1)? {
                walk.state = target;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes through layers from the last, where the walk is, to the first.
    fn descend(&mut self, walk: &mut ProductWalk, layers: &[StateSets]) -> CtlResult<()> {
        for layer in layers[..layers.len() - 1].iter().rev() {
            if !self.step(walk, layer, None)? {
                break;
            }
        }
        Ok(())
    }

    /// Goes on in a family to a part of it; false if that is not possible.
    fn go_until(&mut self, walk: &mut ProductWalk, stay: &StateSets, goal: StateSets) -> CtlResult<bool> {
        let here = self.here(walk);
        let layers = self.layers(stay, goal, &here)?;
        let is_found = self.both(&layers[layers.len() - 1], &here)?.iter().any(|set| !set.is_false());
        if is_found {
            self.descend(walk, &layers)?;
        }
        Ok(is_found)
    }

    /// Goes around a loop in which everything recurs.
    fn go_round(&mut self, walk: &mut ProductWalk, live: &StateSets, recurrences: &[Recurrence]) -> CtlResult<()> {
        loop {
            let (head, start) = (walk.walk.len() - 1, self.here(walk));
            if !self.step(walk, live, None)? {
                return Ok(());
            }
            for recurrence in recurrences {
                let goal = self.met(live, recurrence)?;
                let is_met = self.go_until(walk, live, goal)? && self.step(walk, live, Some(recurrence))?;
                // Where a fair operation cannot be taken any more, it is not enabled any more.
                if !is_met && !matches!(recurrence, Recurrence::Strong(..)) {
                    return Ok(());
                }
            }
            // A state that leads back to itself is on a loop; any other lies before the loops that are left.
            if self.go_until(walk, live, start)? {
                walk.walk.loop_start = Some(head);
                return Ok(());
            }
        }
    }
}
