//! Representatives by a relation that is computed before the fixpoint: ξ, section 2.2.
//!
//! Multiple representatives (Clarke, Enders, Filkorn, Jha 1996): few permutations C instead of the whole group, and as representatives the states that none of C makes smaller. C has the exchanges with
//! the first element of each list. A state is related to an image that is a representative; where it has none, because cells relate elements, to one that
//! is smaller, and the image is taken again. Orbit relation: all pairs of equivalent states, from the graphs of all permutations, and of each orbit the least
//! state. Its diagram grows exponentially with the elements, so that it is an oracle for small sizes. In either case each state must be related to some state of its orbit,
//! and to no state outside of it.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Space, Swap, swap_by};
use crate::bdd::{Bdd, Made, Manager, MapId, Var};
use crate::space::Halt;

/// Bits of a record that are compared where several representatives are wanted anyway: the relation grows with the number of local states that comparisons tell apart.
const MAX_COMPARED_BITS: usize = 6;
/// Permutations for which the orbit relation is built, at most.
const MAX_GROUP: usize = 5_040;

/// A relation of states to representatives.
pub(crate) enum Mapping {
    /// One diagram, and the cube of the bits that permutations move.
    Whole { relation: Bdd, writes: Bdd },
    /// A part for each permutation. Its graph is a renaming of bits, so that only the states which it is applied to have a diagram. The first part that a state is in counts; those
    /// in none are representatives.
    Parts(Vec<(Bdd, MapId)>),
}

impl Mapping {
    /// Representatives of the states of a set.
    pub(crate) fn image(&self, manager: &mut Manager, set: &Bdd) -> Made<Bdd> {
        let mut image = self.step(manager, set)?;
        loop {
            let next = self.step(manager, &image)?;
            if next == image {
                return Ok(image);
            }
            image = next;
        }
    }

    fn step(&self, manager: &mut Manager, set: &Bdd) -> Made<Bdd> {
        let parts = match self {
            Mapping::Whole { relation, writes } => return manager.image(set, relation, writes),
            Mapping::Parts(parts) => parts,
        };
        let mut rest = set.clone();
        let mut images = Vec::new();
        for (domain, map) in parts {
            let sources = manager.and(&rest, domain)?;
            if !sources.is_false() {
                rest = manager.minus(&rest, &sources)?;
                images.push(manager.map(&sources, *map)?);
            }
        }
        images.push(rest);
        manager.any(images)
    }
}

impl Space<'_> {
    /// A relation to several representatives, if permutations move anything. `lists` are the numbers of permutations of each class, and whether they are whole groups.
    pub(crate) fn multiple(&mut self, lists: &[(usize, bool)]) -> Made<Option<Mapping>> {
        if self.swaps.is_empty() {
            return Ok(None);
        }
        let valid = self.valid(&compared_bits(&self.swaps))?;
        let manager = &mut self.manager;
        let mut chosen = Vec::new();
        let mut rest = &self.swaps[..];
        for (len, is_group) in lists {
            let (own, others) = rest.split_at(*len);
            rest = others;
            let is_compared: FxHashSet<Var> = compared_bits(own).into_iter().collect();
            let permutations: Vec<Vec<(Var, Var)>> =
                if *is_group { own.iter().map(|swap| swap.moved.clone()).collect() } else { with_first(own) };
            for moved in permutations {
                let compared: Vec<(Var, Var)> =
                    moved.iter().filter(|(from, _)| is_compared.contains(from)).copied().collect();
                // All of a group makes a representative unique.
                let compared = if *is_group { compared } else { first_of(&compared) };
                chosen.push(swap_by(manager, moved, compared, &self.choices)?);
            }
        }
        let mut representatives = valid.clone();
        for swap in &chosen {
            representatives = manager.minus(&representatives, &swap.bad)?;
        }
        let mut left = manager.minus(&valid, &representatives)?;
        let mut parts = Vec::new();
        for swap in &chosen {
            let back = manager.permutation(&swap.moved.iter().map(|(from, to)| (*to, *from)).collect::<Vec<_>>());
            let domain = manager.map(&representatives, back)?;
            let domain = manager.and(&domain, &left)?;
            left = manager.minus(&left, &domain)?;
            parts.push((domain, swap.map));
        }
        for swap in chosen.iter().filter(|_| !left.is_false()) {
            parts.push((manager.and(&left, &swap.bad)?, swap.map));
        }
        parts.retain(|(domain, _)| !domain.is_false());
        Ok(Some(Mapping::Parts(parts)))
    }

    /// The orbit relation with the least state of each orbit, if permutations move anything.
    pub(crate) fn least(&mut self) -> Result<Option<Mapping>, Halt> {
        if self.swaps.is_empty() {
            return Ok(None);
        }
        let valid = self.valid(&moved_bits(&self.swaps))?;
        let orbit_relation = self.orbit_relation(&valid)?;
        let (manager, mut bits) = (&mut self.manager, moved_bits(&self.swaps));
        bits.sort_unstable_by_key(|bit| manager.level_of(*bit));
        let mut smaller = manager.constant(false);
        for bit in bits.iter().rev() {
            let (old, new) = (manager.var(*bit)?, manager.var(bit.next())?);
            let same = manager.xor(&old, &new)?.not();
            let (below, here) = (manager.and(&same, &smaller)?, manager.minus(&old, &new)?);
            smaller = manager.or(&below, &here)?;
        }
        let nexts = manager.cube(bits.iter().map(|bit| bit.next()))?;
        let others = manager.and_exists(&orbit_relation, &smaller, &nexts)?;
        let representatives = manager.minus(&valid, &others)?;
        let primed = primed(manager, &representatives)?;
        let relation = manager.and(&orbit_relation, &primed)?;
        Ok(Some(Mapping::Whole { relation, writes: manager.cube(bits)? }))
    }

    /// Pairs of states of one orbit: θ, as the graphs of all permutations of the group.
    fn orbit_relation(&mut self, valid: &Bdd) -> Result<Bdd, Halt> {
        let bits = moved_bits(&self.swaps);
        let place: FxHashMap<Var, usize> = bits.iter().copied().zip(0..).collect();
        let generators: Vec<Vec<usize>> = self
            .swaps
            .iter()
            .map(|swap| {
                let mut images: Vec<usize> = (0..bits.len()).collect();
                swap.moved.iter().for_each(|(from, to)| images[place[from]] = place[to]);
                images
            })
            .collect();
        let mut group: BTreeSet<Vec<usize>> = BTreeSet::from([(0..bits.len()).collect()]);
        let mut open: Vec<Vec<usize>> = group.iter().cloned().collect();
        while let Some(permutation) = open.pop() {
            for generator in &generators {
                let product: Vec<usize> = permutation.iter().map(|to| generator[*to]).collect();
                if group.insert(product.clone()) {
                    open.push(product);
                }
            }
            if group.len() > MAX_GROUP {
                return Err(Halt::Inapplicable("orbit relation: there are too many permutations"));
            }
        }
        let mut graphs = Vec::new();
        for permutation in group {
            let moved: Vec<(Var, Var)> = bits.iter().zip(permutation).map(|(bit, to)| (*bit, bits[to])).collect();
            graphs.push(graph(&mut self.manager, &bits, &moved, valid)?);
        }
        Ok(self.manager.any(graphs)?)
    }

    /// States in which no choice among some bits is made twice. All states of the machine are among them.
    pub(super) fn valid(&mut self, bits: &[Var]) -> Made<Bdd> {
        let (manager, mut bits) = (&mut self.manager, bits.to_vec());
        // From the last level to the first: a conjunction changes the upper part of a diagram only.
        bits.sort_unstable_by_key(|bit| std::cmp::Reverse(manager.level_of(*bit)));
        let mut seen: FxHashMap<u32, Bdd> = FxHashMap::default();
        let mut valid = manager.constant(true);
        for bit in bits {
            let Some(choice) = self.choices.get(&bit) else { continue };
            let value = manager.var(bit)?;
            let none = manager.constant(false);
            let below = seen.remove(choice).unwrap_or(none);
            let twice = manager.and(&value, &below)?;
            valid = manager.minus(&valid, &twice)?;
            seen.insert(*choice, manager.or(&value, &below)?);
        }
        Ok(valid)
    }
}

/// All bits that permutations move.
pub(super) fn moved_bits(swaps: &[Swap]) -> Vec<Var> {
    first_bits(swaps.iter().flat_map(|swap| &swap.moved))
}

/// All bits by which records are compared.
fn compared_bits(swaps: &[Swap]) -> Vec<Var> {
    first_bits(swaps.iter().flat_map(|swap| &swap.compared))
}

fn first_bits<'p>(pairs: impl Iterator<Item = &'p (Var, Var)>) -> Vec<Var> {
    let mut bits: Vec<Var> = pairs.map(|(from, _)| *from).collect();
    bits.sort_unstable();
    bits.dedup();
    bits
}

/// A function of next values instead of bits.
pub(super) fn primed(manager: &mut Manager, set: &Bdd) -> Made<Bdd> {
    let map = manager.priming();
    manager.map(set, map)
}

/// Pairs of a state of a set and its image.
fn graph(manager: &mut Manager, bits: &[Var], moved: &[(Var, Var)], set: &Bdd) -> Made<Bdd> {
    let image: FxHashMap<Var, Var> = moved.iter().copied().collect();
    let mut bits = bits.to_vec();
    bits.sort_unstable_by_key(|bit| std::cmp::Reverse(manager.level_of(*bit)));
    let mut graph = set.clone();
    for bit in bits {
        let (old, new) = (manager.var(bit)?, manager.var(image.get(&bit).unwrap_or(&bit).next())?);
        let same = manager.xor(&old, &new)?.not();
        graph = manager.and(&graph, &same)?;
    }
    Ok(graph)
}

/// The moves of the bits that records are compared by: the first ones, with all that they are exchanged with.
fn first_of(moved: &[(Var, Var)]) -> Vec<(Var, Var)> {
    let mut compared: FxHashSet<Var> = FxHashSet::default();
    let mut n_compared = 0;
    for (from, to) in moved {
        if n_compared < MAX_COMPARED_BITS && !compared.contains(from) {
            compared.extend([*from, *to]);
            n_compared += 1;
        }
    }
    moved.iter().filter(|(from, _)| compared.contains(from)).copied().collect()
}

/// The exchanges of the first element of a list with each of the others, from those of neighbours.
fn with_first(neighbours: &[Swap]) -> Vec<Vec<(Var, Var)>> {
    let mut exchanges: Vec<FxHashMap<Var, Var>> = Vec::new();
    for swap in neighbours {
        let next: FxHashMap<Var, Var> = swap.moved.iter().copied().collect();
        let apply = |map: &FxHashMap<Var, Var>, bit: Var| map.get(&bit).copied().unwrap_or(bit);
        exchanges.push(match exchanges.last() {
            None => next,
            // (1 i+1) = (i i+1) (1 i) (i i+1)
            Some(last) => {
                let bits: FxHashSet<Var> = last.keys().chain(next.keys()).copied().collect();
                let image = |bit: Var| apply(&next, apply(last, apply(&next, bit)));
                bits.into_iter().map(|bit| (bit, image(bit))).filter(|(from, to)| from != to).collect()
            }
        });
    }
    let sorted = |exchange: FxHashMap<Var, Var>| {
        let mut moved: Vec<(Var, Var)> = exchange.into_iter().collect();
        moved.sort_unstable();
        moved
    };
    exchanges.into_iter().map(sorted).collect()
}
