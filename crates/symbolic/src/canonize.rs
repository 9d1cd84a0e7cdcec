//! Canonizers inside the fixpoint: reductions that users define, as relations of states to representatives.
//!
//! Functions on states are encoded beside the operations. A canonizer maps all states of a set at once: the image of the set under the graph of the function. A generator is applied
//! to the states that it makes smaller, until there are none; the order is that of the bits of a state. All powers of a single generator are applied, so that the least state
//! of an orbit is left. With several generators an orbit may keep several states. A function without a result in some state leaves it as it is. Whatever is
//! related to a state must be an image of it under the functions: their equivalence is what was proved.

use abridge_blast::{Lit, Replaced};
use abridge_encoding::{Cause, CellId, CircuitGap, Encoding, GapSubject};
use rustc_hash::FxHashMap;

use crate::bdd::{Bdd, Made, Manager, Var};
use crate::space::{Halt, Space, fold, is_exact};

/// A reduction, by the numbers of functions of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// A canonizer.
    Function(usize),
    /// Generators of a group.
    Generators(Vec<usize>),
}

/// Powers of a generator that are applied at most.
const MAX_POWERS: usize = 64;

/// A reduction as relations.
pub(crate) struct ReductionRelations {
    moves: Vec<FunctionRelation>,
    /// The moves are applied until nothing changes.
    is_repeated: bool,
}

/// A function on states, with the states that it is applied to.
struct FunctionRelation {
    relation: Bdd,
    writes: Bdd,
    domain: Bdd,
}

impl FunctionRelation {
    /// The states of a set, those of the domain moved.
    fn apply(&self, manager: &mut Manager, set: &Bdd) -> Made<Bdd> {
        let moving = manager.and(set, &self.domain)?;
        if moving.is_false() {
            return Ok(set.clone());
        }
        let (image, rest) = (manager.image(&moving, &self.relation, &self.writes)?, manager.minus(set, &self.domain)?);
        manager.or(&image, &rest)
    }

    /// States of the domain that are moved into a set.
    fn sources(&self, manager: &mut Manager, set: &Bdd) -> Made<Bdd> {
        let sources = manager.preimage(set, &self.relation, &self.writes)?;
        manager.and(&sources, &self.domain)
    }
}

impl ReductionRelations {
    fn apply(&self, manager: &mut Manager, set: &Bdd) -> Made<Bdd> {
        let mut current = set.clone();
        loop {
            let before = current.clone();
            for step in &self.moves {
                current = step.apply(manager, &current)?;
            }
            if !self.is_repeated || current == before {
                return Ok(current);
            }
        }
    }

    /// States that may lead into a set: more than do, if several moves make them smaller, and all of them equivalent to a state of the set.
    fn sources(&self, manager: &mut Manager, set: &Bdd) -> Made<Bdd> {
        if !self.is_repeated {
            let [only] = &self.moves[..] else { return Ok(set.clone()) };
            let (moved, kept) = (only.sources(manager, set)?, manager.minus(set, &only.domain)?);
            return manager.or(&moved, &kept);
        }
        let mut all = set.clone();
        loop {
            let before = all.clone();
            for step in &self.moves {
                let sources = step.sources(manager, &all)?;
                all = manager.or(&all, &sources)?;
            }
            if all == before {
                return Ok(all);
            }
        }
    }
}

/// A function for one value of its parameters: where it has a result, and the new literals of the cells.
struct FunctionCircuit {
    defined: Lit,
    cells: Vec<Lit>,
}

impl Space<'_> {
    /// Makes fixpoints run over what reductions leave of states, one after the other.
    pub fn reduce_by(&mut self, reductions: &[Reduction]) -> Result<(), Halt> {
        if self.counters.is_some() && !reductions.is_empty() {
            return Err(Halt::Inapplicable("symbolic engine: counters and reductions cannot be combined"));
        }
        let mut is_unique = reductions.len() == 1;
        for reduction in reductions {
            let stage = match reduction {
                Reduction::Function(function) => {
                    is_unique = false;
                    let mut moves = Vec::new();
                    for (written, map) in self.maps(&[*function])? {
                        moves.extend(self.step_by(&written, &map, false)?);
                    }
                    ReductionRelations { moves, is_repeated: false }
                }
                Reduction::Generators(functions) => {
                    let maps = self.maps(functions)?;
                    let mut moves = Vec::new();
                    if let [(written, map)] = &maps[..] {
                        is_unique &= self.add_powers(written, map, &mut moves)?;
                    } else {
                        is_unique = false;
                        for (written, map) in &maps {
                            moves.extend(self.step_by(written, map, true)?);
                        }
                    }
                    ReductionRelations { moves, is_repeated: true }
                }
            };
            self.stages.push(stage);
        }
        self.has_several_representatives |= !is_unique;
        Ok(())
    }

    /// What reductions leave of a set.
    pub(crate) fn canonised(&mut self, set: &Bdd) -> Made<Bdd> {
        let mut current = set.clone();
        for stage in &self.stages {
            current = stage.apply(&mut self.manager, &current)?;
        }
        Ok(current)
    }

    /// States that reductions may lead into a set.
    pub(crate) fn uncanonised(&mut self, set: &Bdd) -> Made<Bdd> {
        let mut current = set.clone();
        for stage in self.stages.iter().rev() {
            current = stage.sources(&mut self.manager, &current)?;
        }
        Ok(current)
    }

    /// The maps of functions, one for each value of the parameters, with the cells that they write.
    fn maps(&mut self, functions: &[usize]) -> Result<Vec<(Vec<CellId>, FunctionCircuit)>, Halt> {
        let mut maps = Vec::new();
        let source = self.source;
        let n_operations = source.operations.len();
        let subject_of = |function: usize| GapSubject::Operation(source.operation(n_operations + function));
        let identity = identity(&self.encoding);
        let Encoding { instances, blast, gaps, .. } = &mut self.encoding;
        // A function may have no instances for want of a circuit.
        if let Some(gap) = gaps.iter().find(|gap| functions.iter().any(|it| gap.subject == subject_of(*it))) {
            return Err(Halt::Gap(gap.clone()));
        }
        for instance in instances {
            let number = instance.operation.checked_sub(n_operations);
            let Some(number) = number.filter(|number| functions.contains(number)) else { continue };
            if !is_exact(instance) || instance.has_choice || !instance.choices.is_empty() {
                let cause = instance.gaps.first().copied().unwrap_or(Cause::Construct("a value without a circuit"));
                return Err(Halt::Gap(CircuitGap { subject: subject_of(number), cause }));
            }
            let mut cells = identity.clone();
            instance.writes.iter().for_each(|(cell, lit)| cells[cell.0 as usize] = lit.unwrap_or(Lit::FALSE));
            let error = blast.circuit.and(instance.error.context, instance.error.ill_defined);
            let defined = blast.circuit.and(instance.relation, !error);
            maps.push((instance.writes.iter().map(|(cell, _)| *cell).collect(), FunctionCircuit { defined, cells }));
        }
        Ok(maps)
    }

    /// The powers of a generator, each as a move; true if these are all.
    fn add_powers(
        &mut self,
        written: &[CellId],
        generator: &FunctionCircuit,
        moves: &mut Vec<FunctionRelation>,
    ) -> Made<bool> {
        let identity = identity(&self.encoding);
        let mut power = FunctionCircuit { defined: generator.defined, cells: generator.cells.clone() };
        for _ in 0..MAX_POWERS {
            if power.cells == identity {
                return Ok(true);
            }
            let Some(step) = self.step_by(written, &power, true)? else { return Ok(true) };
            if moves.iter().any(|known| known.relation == step.relation) {
                return Ok(true);
            }
            moves.push(step);
            power = self.then(&power, generator);
        }
        Ok(false)
    }

    /// First one function, then another.
    fn then(&mut self, first: &FunctionCircuit, second: &FunctionCircuit) -> FunctionCircuit {
        let Encoding { blast, cells, .. } = &mut self.encoding;
        let with = |input: Lit| cells.of_input(input).map(|cell| first.cells[cell.0 as usize]);
        let mut done = Replaced::default();
        let mut after = |lit: Lit| blast.circuit.replace(lit, &with, &mut done);
        let (defined, cells) = (after(second.defined), second.cells.iter().map(|lit| after(*lit)).collect());
        FunctionCircuit { defined: self.encoding.blast.circuit.and(first.defined, defined), cells }
    }

    /// A function as a move, to all states or to those that it makes smaller; nothing if there are none.
    fn step_by(
        &mut self,
        written: &[CellId],
        map: &FunctionCircuit,
        makes_smaller: bool,
    ) -> Made<Option<FunctionRelation>> {
        let Space { encoding, layout, manager, .. } = self;
        let mut bits: Vec<(Var, Lit)> =
            written.iter().filter_map(|cell| Some((layout.cell(*cell)?, map.cells[cell.0 as usize]))).collect();
        // From the last level to the first: a conjunction changes the upper part of a diagram only.
        bits.sort_by_key(|(bit, _)| std::cmp::Reverse(manager.level_of(*bit)));
        let lits: Vec<Lit> = [map.defined].into_iter().chain(bits.iter().map(|(_, lit)| *lit)).collect();
        let values = fold(encoding, layout, manager, &FxHashMap::default(), &lits)?;
        let (mut relation, mut smaller) = (values[0].clone(), manager.constant(false));
        for ((bit, _), value) in bits.iter().zip(&values[1..]) {
            let (old, new) = (manager.var(*bit)?, manager.var(bit.next())?);
            let assigned = manager.xor(&new, value)?.not();
            relation = manager.and(&relation, &assigned)?;
            if makes_smaller {
                let same = manager.xor(&old, &new)?.not();
                let (below, here) = (manager.and(&same, &smaller)?, manager.minus(&old, &new)?);
                smaller = manager.or(&below, &here)?;
            }
        }
        let nexts = manager.cube(bits.iter().map(|(bit, _)| bit.next()))?;
        let domain = match makes_smaller {
            true => manager.and_exists(&relation, &smaller, &nexts)?,
            false => values[0].clone(),
        };
        let writes = manager.cube(bits.iter().map(|(bit, _)| *bit))?;
        Ok((!domain.is_false()).then_some(FunctionRelation { relation, writes, domain }))
    }
}

/// The inputs of all cells.
fn identity(encoding: &Encoding) -> Vec<Lit> {
    let n_cells = encoding.cells.len() as u32;
    (0..n_cells).map(|cell| encoding.cells.input(CellId(cell)).unwrap_or(Lit::FALSE)).collect()
}
