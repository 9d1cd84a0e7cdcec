//! Symmetry reduction: representatives of orbits, found inside the fixpoint or by a relation that was computed before.
//!
//! Emerson and Wahl, "Dynamic symmetry reduction" (TACAS 2005). Images are those of the whole machine; what they lead to is mapped to
//! representatives by [`Space::representatives`], the α of the paper. Dynamic reduction (sections 3 to 6): the states of a set that a permutation makes smaller (`Swap::bad`) are permuted, all at
//! once, until no state is left that becomes smaller. Neither the orbit relation nor a table of representatives is built. The methods that the paper compares with are
//! images under a relation (`relation.rs`) and counters (`counters.rs`).
//!
//! Elements of given sets are one-hot, so that exchanging two of them is a permutation of bits. That covers local states, values of variables (data symmetry), global variables that hold an element, and
//! local variables that do: whole records are compared, in the order of cells. We depart from section 6.2 there: its condition does not terminate with two variables that
//! hold elements. Permutations make states smaller in one fixed lexicographic order, so sorting ends. Where every cell is about at most one element, or where
//! all permutations of a small group are tried (the nice groups of section 6.1), representatives
//! are unique; where cells relate two elements, exchanges of neighbours may leave several in an orbit. Each state has a representative in its own orbit either way: that is what
//! verdicts rest on.

mod cells;
mod counters;
mod relation;
#[cfg(test)]
mod tests;

use abridge_encoding::CellId;
use abridge_value::Value;
use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bdd::{Bdd, Made, Manager, MapId, Var};
use crate::reach::ReachedStates;
use crate::space::{Halt, Space};
pub(crate) use cells::{MovedClass, is_relational, moved, order, rows};
pub(crate) use counters::Counters;
pub(crate) use relation::Mapping;

/// A permutation of elements, applied to a value; nothing if that changes nothing.
pub type ElementRenaming<'e> = Box<dyn Fn(&Value) -> Option<Value> + 'e>;

/// Permutations of interchangeable elements.
pub enum PermutationClass<'e> {
    /// Exchanges of neighbours in one list of elements, which generate all permutations of the list.
    Exchanges(Vec<ElementRenaming<'e>>),
    /// All permutations of a group, without the identity.
    Group(Vec<ElementRenaming<'e>>),
}

/// The method that finds representatives.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Representatives {
    /// Sorting inside the fixpoint.
    #[default]
    Dynamic,
    /// Images under a relation to several representatives (section 2.2): those that no exchange with the first element makes smaller.
    Multiple,
    /// Images under the orbit relation, restricted to least states (section 2.2): unique, whatever cells are about.
    Orbits,
    /// Numbers of elements by local state (section 2.3).
    Counters,
    /// Backwards, partial states up to permutations (`patterns.rs`); whole states, which are searched where that gives no answer, are not reduced.
    Patterns,
}

/// Orders of the bits of interchangeable elements (section 5).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ElementBitOrder {
    /// One element after the other.
    #[default]
    Concatenated,
    /// One bit of all elements after the other.
    Interlaced,
}

/// A permutation of elements on sets of states.
pub(crate) struct Swap {
    /// The bits that it moves, each with the one that it goes to, and those of them by which records are compared, in their order.
    moved: Vec<(Var, Var)>,
    compared: Vec<(Var, Var)>,
    map: MapId,
    /// States that the permutation makes smaller.
    bad: Bdd,
}

impl Space<'_> {
    /// Makes fixpoints run over representatives.
    pub(crate) fn add_swaps(&mut self, classes: &[MovedClass]) -> Made<()> {
        for moved in classes.iter().flat_map(|class| &class.list).filter(|moved| !moved.is_empty()) {
            let layout = &self.layout;
            let placed = |(from, to): &(CellId, CellId)| Some((layout.cell(*from)?, layout.cell(*to)?));
            let moved: Vec<(Var, Var)> = moved.iter().filter_map(placed).collect();
            let swap = swap(&mut self.manager, moved, &self.choices)?;
            self.swaps.push(swap);
        }
        Ok(())
    }

    /// Numbers of choices, by bit.
    pub(crate) fn choice_numbers(&self) -> FxHashMap<Var, u32> {
        let choices = cells::choices(&self.encoding, &self.source.variables);
        choices.into_iter().filter_map(|(cell, number)| Some((self.layout.cell(cell)?, number))).collect()
    }

    /// Makes a backward search run over representatives, as far as the bits that it does not hide go. Records are compared by a short key, the bits about one element that the states
    /// which are searched for depend on; elements with the same key stay in their order. Whole records make sets larger than no sorting at all. So an orbit keeps several representatives.
    pub(crate) fn set_swaps(&mut self, hidden: &FxHashSet<Var>, key: &FxHashSet<Var>) -> Result<(), Halt> {
        (self.swaps, self.mapping) = (Vec::new(), None);
        let classes = std::mem::take(&mut self.classes);
        let relational = cells::relational(&classes);
        let mut lists = Vec::new();
        for class in &classes {
            let before = self.swaps.len();
            let kinds = cells::orbits(class);
            let is_key = |cell: &CellId| self.layout.cell(*cell).is_some_and(|bit| key.contains(&bit));
            let keys: FxHashSet<CellId> =
                kinds.iter().filter(|(cell, _)| is_key(cell)).map(|(_, kind)| *kind).collect();
            for moved in &class.list {
                let placed = |cell: CellId| self.layout.cell(cell).filter(|bit| !hidden.contains(bit));
                let bits = |(from, to): &(CellId, CellId)| Some((placed(*from)?, placed(*to)?));
                let moving: Vec<(Var, Var)> = moved.iter().filter_map(bits).collect();
                let is_compared =
                    |(from, _): &&(CellId, CellId)| !relational.contains(from) && keys.contains(&kinds[from]);
                let compared: Vec<(Var, Var)> = moved.iter().filter(is_compared).filter_map(bits).collect();
                if !compared.is_empty() {
                    let swap = swap_by(&mut self.manager, moving, compared, &self.choices)?;
                    self.swaps.push(swap);
                }
            }
            lists.push((self.swaps.len() - before, class.is_group));
        }
        self.classes = classes;
        match self.method {
            Representatives::Dynamic | Representatives::Patterns => {}
            Representatives::Multiple => self.mapping = self.multiple(&lists)?,
            Representatives::Orbits | Representatives::Counters => {
                return Err(Halt::Inapplicable("backward search: representatives are sorted, or several"));
            }
        }
        Ok(())
    }

    /// Fixpoints run over representatives.
    pub fn is_reduced(&self) -> bool {
        !self.swaps.is_empty() || !self.stages.is_empty()
    }

    /// The representatives of the states of a set: α.
    pub(crate) fn representatives(&mut self, set: &Bdd) -> Made<Bdd> {
        let sorted = match &self.mapping {
            Some(mapping) => mapping.image(&mut self.manager, set)?,
            None => sorted(&mut self.manager, &self.swaps, set)?,
        };
        self.canonised(&sorted)
    }

    /// States whose representatives may lie in a set, all of them equivalent to a state of the set.
    pub(crate) fn represented(&mut self, set: &Bdd) -> Made<Bdd> {
        let sorted = self.uncanonised(set)?;
        self.orbits(&sorted)
    }

    /// All states of the orbits of a set. Exchanges of neighbours carry an element to the end of its list in one pass, and back in another.
    pub(crate) fn orbits(&mut self, set: &Bdd) -> Made<Bdd> {
        let mut all = set.clone();
        loop {
            let before = all.clone();
            for idx in (0..self.swaps.len()).chain((0..self.swaps.len()).rev()) {
                let moved = self.manager.map(&all, self.swaps[idx].map)?;
                all = self.manager.or(&all, &moved)?;
            }
            if all == before {
                return Ok(all);
            }
        }
    }

    /// The representative of one state, given by its true bits.
    pub(crate) fn sorted_bits(&self, bits: &FxHashSet<Var>) -> FxHashSet<Var> {
        let mut bits = bits.clone();
        loop {
            let mut is_sorted = true;
            for swap in &self.swaps {
                if self.manager.value(&swap.bad, |bit| bits.contains(&bit)) {
                    is_sorted = false;
                    let moved: Vec<Var> =
                        swap.moved.iter().filter(|(from, _)| bits.contains(from)).map(|(_, to)| *to).collect();
                    bits.retain(|bit| !swap.moved.iter().any(|(from, _)| from == bit));
                    bits.extend(moved);
                }
            }
            if is_sorted {
                return bits;
            }
        }
    }

    /// Number of all states behind the representatives that were reached.
    pub fn states_behind(&mut self, reached: &ReachedStates) -> Made<BigUint> {
        if let Some(behind) = &reached.behind {
            return Ok(behind.clone());
        }
        if let Some(blocks) = self.blocks().filter(|_| !self.has_several_representatives) {
            let is_first = |bit: &&Var| !blocks.iter().any(|block| block.contains(bit));
            let first: Vec<Var> = self.layout.bits().iter().filter(is_first).copied().collect();
            if let Some(count) = self.manager.count_arranged(&reached.set, &first, &blocks) {
                return Ok(count);
            }
        }
        let all = self.orbits(&reached.set)?;
        Ok(self.manager.count(&all, self.layout.bits()))
    }

    /// The bits of each interchangeable element, aligned, if every cell is about at most one element, all of them are of one class, and all their permutations
    /// are meant.
    pub(crate) fn blocks(&self) -> Option<Vec<Vec<Var>>> {
        if !self.is_by_elements {
            return None;
        }
        // Of two elements, the one with the upper bits comes first; which bit of a pair is listed first says nothing about that.
        let downwards = |(from, to): (Var, Var)| {
            if self.manager.level_of(from) < self.manager.level_of(to) { (from, to) } else { (to, from) }
        };
        let exchanged = |swap: &Swap| -> Vec<(Var, Var)> { half(&swap.moved).into_iter().map(downwards).collect() };
        let mut blocks: Vec<Vec<Var>> = vec![exchanged(self.swaps.first()?).iter().map(|(from, _)| *from).collect()];
        for swap in &self.swaps {
            let bits = exchanged(swap);
            let last = &blocks[blocks.len() - 1];
            // An exchange of another class begins with bits of its own.
            let image = |bit: &Var| bits.iter().find(|(from, _)| from == bit).map(|(_, to)| *to);
            let next: Option<Vec<Var>> = last.iter().map(image).collect();
            blocks.push(next.filter(|next| next.len() == bits.len())?);
        }
        Some(blocks)
    }
}

/// The pairs of an exchange, each once.
fn half(moved: &[(Var, Var)]) -> Vec<(Var, Var)> {
    let mut seen = FxHashSet::default();
    let mut is_first = |(from, to): &&(Var, Var)| seen.insert(*from) & seen.insert(*to);
    moved.iter().filter(|pair| is_first(pair)).copied().collect()
}

/// A permutation of bits with the states that it makes smaller.
fn swap(manager: &mut Manager, moved: Vec<(Var, Var)>, choices: &FxHashMap<Var, u32>) -> Made<Swap> {
    let compared = moved.clone();
    swap_by(manager, moved, compared, choices)
}

/// A permutation of bits with the states that it makes smaller in some of the bits.
fn swap_by(
    manager: &mut Manager,
    moved: Vec<(Var, Var)>,
    compared: Vec<(Var, Var)>,
    choices: &FxHashMap<Var, u32>,
) -> Made<Swap> {
    let map = manager.permutation(&moved);
    let origin: FxHashMap<Var, Var> = moved.iter().map(|(from, to)| (*to, *from)).collect();
    let is_exchange = moved.iter().all(|(from, to)| origin.get(from) == Some(to));
    // Of an exchange, half of the comparisons repeat the other half.
    let pairs =
        if is_exchange { half(&compared) } else { compared.iter().map(|(bit, _)| (*bit, origin[bit])).collect() };
    let bad = out_of_order(manager, &pairs, choices)?;
    Ok(Swap { moved, compared, map, bad })
}

/// Where the first record is greater than the second. Of the bits of one choice at most one is true in every state. Without that constraint, which is added bit
/// by bit, the comparison of records of n bits would have 2^n nodes.
fn out_of_order(manager: &mut Manager, pairs: &[(Var, Var)], choices: &FxHashMap<Var, u32>) -> Made<Bdd> {
    let mut bad = manager.constant(false);
    for (place, (left, right)) in pairs.iter().enumerate().rev() {
        let (from, to) = (manager.var(*left)?, manager.var(*right)?);
        let same = manager.xor(&from, &to)?.not();
        let rest = manager.and(&same, &bad)?;
        let greater = manager.minus(&from, &to)?;
        bad = manager.or(&greater, &rest)?;
        for (is_left, bit, value) in [(true, left, &from), (false, right, &to)] {
            let is_same_choice = |other: &Var| choices.contains_key(bit) && choices.get(other) == choices.get(bit);
            let others = pairs[place + 1..].iter().map(|pair| if is_left { pair.0 } else { pair.1 });
            for other in others.filter(|other| other != bit && is_same_choice(other)) {
                let other = manager.var(other)?;
                let both = manager.and(value, &other)?;
                bad = manager.minus(&bad, &both)?;
            }
        }
    }
    Ok(bad)
}

/// The states of a set, each made smaller until no permutation does: figures 2 and 3.
fn sorted(manager: &mut Manager, swaps: &[Swap], set: &Bdd) -> Made<Bdd> {
    let mut sorted = set.clone();
    loop {
        let before = sorted.clone();
        for swap in swaps {
            let bad = manager.and(&sorted, &swap.bad)?;
            if !bad.is_false() {
                let good = manager.minus(&sorted, &bad)?;
                let moved = manager.map(&bad, swap.map)?;
                sorted = manager.or(&good, &moved)?;
            }
        }
        if sorted == before {
            return Ok(sorted);
        }
    }
}
