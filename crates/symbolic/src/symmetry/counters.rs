//! Counter abstraction by generic representatives: section 2.3.
//!
//! Where all elements are interchangeable and no cell is about two of them, an orbit is given by the values of the other cells and the number of elements in each local state.
//! The machine is translated into one over these numbers: steps move some elements from one local state to another, under a condition on the numbers, and possibly all others in one
//! way. Local states are those that are not excluded by what can be said of one element at a time. [`Space::add_counters`] is also the test of applicability: it says why there is no translation. What is
//! found is shown by a state that has the numbers; paths are those of dynamic reduction.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::Space;
use super::relation::moved_bits;
use crate::bdd::{Bdd, BddStop, BlockChange, BlockRecord, Counting, CountingReader, Made, Manager, Var};
use crate::reach::{AskedFindings, FixpointProgress, FixpointWatch, ReachedStates, SymbolicFinding};
use crate::space::Halt;

/// Local states at most: each has a counter.
const MAX_LOCAL_STATES: usize = 1 << 10;
/// Elements that one step changes, at most.
const MAX_CHANGED: usize = 3;
/// Bits of a local state, at most.
const MAX_LOCAL_BITS: usize = 64;

/// The machine over counters.
pub(crate) struct Counters {
    manager: Manager,
    counting: Counting,
    initial: Bdd,
    steps: Vec<CounterStep>,
}

/// Steps that move some elements in one of several ways, and then all others in one way.
struct CounterStep {
    moves: Vec<CounterRelation>,
    others: Vec<CounterRelation>,
}

struct CounterRelation {
    relation: Bdd,
    writes: Bdd,
}

/// The steps of one operation, for all elements at once.
struct Joined {
    relation: Bdd,
    /// Bits before all blocks that are written.
    first: Vec<Var>,
}

impl Space<'_> {
    /// Translates the machine, or says why not.
    pub(crate) fn add_counters(&mut self) -> Result<(), Halt> {
        let inapplicable = |why: &'static str| Err(Halt::Inapplicable(why));
        if self.steps.iter().any(|step| step.learnt.is_some()) || self.properties.iter().any(|it| it.learnt.is_some()) {
            return inapplicable("counter abstraction: an operation or a property has no exact circuit");
        }
        let Some(blocks) = self.blocks() else {
            return inapplicable(
                "counter abstraction: values relate interchangeable elements, or not all elements of one set are interchangeable",
            );
        };
        if blocks[0].len() > MAX_LOCAL_BITS {
            return inapplicable("counter abstraction: an element has too many local bits");
        }
        let moved: FxHashSet<Var> = blocks.iter().flatten().copied().collect();
        let first: Vec<Var> = self.layout.bits().iter().filter(|bit| !moved.contains(bit)).copied().collect();
        if !self.is_read_in_order(&first, &blocks) {
            return inapplicable("counter abstraction: the bits of elements do not follow each other");
        }
        let valid = self.valid(&moved_bits(&self.swaps))?;
        let joined = self.joined(&moved, &valid)?;
        let (local, everywhere) = self.local_invariant(&blocks, &joined)?;
        let Some(records) = self.local_states(&first, &blocks[0], &local)? else {
            return inapplicable("counter abstraction: an element has too many local states");
        };
        let mut counters = self.new_counters(first, blocks, records);
        for step in &joined {
            let possible = self.manager.and(&step.relation, &everywhere)?;
            counters.add_steps(&self.manager, step, &possible)?;
        }
        counters.initial = counters.manager.counted(&self.manager, &counters.counting, &self.initial)?;
        self.counters = Some(counters);
        Ok(())
    }

    /// Whether the bits of each element come after those of the element before, and those of no element before all others. A diagram would be misread otherwise.
    fn is_read_in_order(&self, first: &[Var], blocks: &[Vec<Var>]) -> bool {
        let groups = [first].into_iter().chain(blocks.iter().map(Vec::as_slice));
        let mut next = 0;
        groups.into_iter().all(|group| {
            let levels = || group.iter().map(|bit| self.manager.level_of(*bit));
            let is_below = levels().all(|level| level >= next);
            next = levels().max().map_or(next, |last| last + 1);
            is_below
        })
    }

    /// The relation of each operation, with the bits of all elements and everything that one of its steps writes.
    fn joined(&mut self, moved: &FxHashSet<Var>, valid: &Bdd) -> Made<Vec<Joined>> {
        let mut joined = Vec::new();
        for operation in 0..self.source.operations.len() {
            let own: Vec<usize> = (0..self.steps.len()).filter(|idx| self.steps[*idx].operation == operation).collect();
            let mut first: Vec<Var> = own.iter().flat_map(|idx| self.steps[*idx].written.clone()).collect();
            first.retain(|bit| !moved.contains(bit));
            first.sort_unstable();
            first.dedup();
            let mut relations = Vec::new();
            for idx in own {
                let step = &self.steps[idx];
                let stay = moved.iter().chain(&first).filter(|bit| !step.written.contains(bit));
                let frame = self.manager.frame(stay.copied())?;
                relations.push(self.manager.and(&step.relation, &frame)?);
            }
            let relation = self.manager.any(relations)?;
            joined.push(Joined { relation: self.manager.and(&relation, valid)?, first });
        }
        Ok(joined)
    }

    /// What is true of the first element and the bits of no element in all reachable states, found by induction, and the same of all elements.
    fn local_invariant(&mut self, blocks: &[Vec<Var>], joined: &[Joined]) -> Made<(Bdd, Bdd)> {
        let others = self.manager.cube(blocks[1..].iter().flatten().copied())?;
        let mut local = self.manager.exists(&self.initial, &others)?;
        loop {
            let (mut everywhere, mut at) = (local.clone(), local.clone());
            for swap in &self.swaps {
                at = self.manager.map(&at, swap.map)?;
                everywhere = self.manager.and(&everywhere, &at)?;
            }
            let mut more = local.clone();
            for step in joined {
                let writes = self.manager.cube(blocks.iter().flatten().chain(&step.first).copied())?;
                let image = self.manager.image(&everywhere, &step.relation, &writes)?;
                let image = self.manager.exists(&image, &others)?;
                more = self.manager.or(&more, &image)?;
            }
            if more == local {
                return Ok((local, everywhere));
            }
            local = more;
        }
    }

    /// The local states of an element; nothing if there are too many.
    fn local_states(&mut self, first: &[Var], block: &[Var], local: &Bdd) -> Made<Option<Vec<BlockRecord>>> {
        let manager = &mut self.manager;
        let first = manager.cube(first.iter().copied())?;
        let mut local = manager.exists(local, &first)?;
        let mut records = Vec::new();
        while let Some(bits) = manager.pick(&local) {
            if records.len() == MAX_LOCAL_STATES {
                return Ok(None);
            }
            let is_true = |bit: &Var| bits.contains(bit);
            records.push(block.iter().enumerate().map(|(place, bit)| u64::from(is_true(bit)) << place).sum());
            let one = manager.assignment(block.iter().map(|bit| (*bit, is_true(bit))))?;
            local = manager.minus(&local, &one)?;
        }
        Ok(Some(records))
    }

    fn new_counters(&mut self, first: Vec<Var>, blocks: Vec<Vec<Var>>, records: Vec<BlockRecord>) -> Counters {
        let n_bits = blocks.len().ilog2() as usize + 1;
        let mut ordered = first;
        ordered.sort_unstable_by_key(|bit| self.manager.level_of(*bit));
        let mut numbers = (0..).map(|number| Var(2 * number));
        let first: Vec<(Var, Var)> = ordered.into_iter().zip(numbers.by_ref()).collect();
        let counters: Vec<Vec<Var>> = records.iter().map(|_| numbers.by_ref().take(n_bits).collect()).collect();
        let n_pairs = first.len() + counters.len() * n_bits;
        let manager = self.manager.split(n_pairs);
        let initial = manager.constant(false);
        Counters { manager, counting: Counting { first, blocks, records, counters }, initial, steps: Vec::new() }
    }

    /// The reachable numbers of elements, and what is found there.
    pub(crate) fn reach_counters(
        &mut self,
        counters: &mut Counters,
        reached: &mut ReachedStates,
        asked: AskedFindings,
        watch: &mut FixpointWatch<'_>,
    ) -> Result<(), Halt> {
        let all = self.manager.constant(true);
        let mut bad: Vec<(SymbolicFinding, Bdd)> = Vec::new();
        let found = self.findings(&all, asked)?;
        let reader = CountingReader::new(&self.manager, &counters.counting);
        for (kind, states) in found {
            bad.push((kind, counters.manager.counted_change(&reader, &states, &Vec::new())?));
        }
        let nodes = self.manager.n_nodes();
        let mut set = counters.initial.clone();
        let result = counters.grow(&mut set, &bad, nodes, (reached, asked), watch);
        reached.states = counters.manager.count(&set, &counters.bits());
        reached.behind = Some(counters.manager.count_counted(&set, &counters.counting));
        result?;
        for (kind, states) in bad {
            let states = counters.manager.and(&set, &states)?;
            if let Some(bits) = counters.manager.pick(&states) {
                reached.found.push((kind, self.state(&counters.example(&bits))?));
            }
        }
        Ok(())
    }
}

impl Counters {
    /// Nodes at most in use at any time.
    pub(crate) fn peak_nodes(&self) -> usize {
        self.manager.peak_nodes()
    }

    pub(crate) fn live_nodes(&self) -> usize {
        self.manager.live_nodes()
    }

    /// Adds the steps of an operation, or says why that is not possible. Its possible steps say how elements change.
    fn add_steps(&mut self, from: &Manager, step: &Joined, possible: &Bdd) -> Result<(), Halt> {
        let Counters { manager, counting, steps, .. } = self;
        let mut reader = CountingReader::of(from, counting, possible, MAX_CHANGED);
        let mut changes = reader.changes(possible, MAX_CHANGED);
        // What elements become that change on their own must not be changed again.
        let is_settled = |(_, to): &(usize, usize)| reader.others[*to] == *to;
        if changes.as_ref().is_none_or(|changes| !changes.iter().flatten().all(is_settled)) {
            reader = CountingReader::new(from, counting);
            changes = reader.changes(possible, MAX_CHANGED);
        }
        let Some(changes) = changes else {
            return Err(match from.is_stopped() {
                true => Halt::Stop(BddStop::Stopped),
                false => Halt::Inapplicable("counter abstraction: a step changes many elements at once"),
            });
        };
        let mut moves = Vec::new();
        for change in changes {
            let relation = manager.counted_change(&reader, &step.relation, &change)?;
            if !relation.is_false() {
                moves.push(counter_move(manager, counting, step, (relation, &change))?);
            }
        }
        let moved: Vec<(usize, usize)> =
            reader.others.iter().copied().enumerate().filter(|(from, to)| from != to).collect();
        if moved.is_empty() {
            // What one way leads to is a source of the next one.
            steps.extend(moves.into_iter().map(|only| CounterStep { moves: vec![only], others: Vec::new() }));
            return Ok(());
        }
        let others: Made<Vec<CounterRelation>> =
            moved.into_iter().map(|pair| joined_counters(manager, counting, pair)).collect();
        steps.push(CounterStep { moves, others: others? });
        Ok(())
    }

    /// Applies all steps until nothing new is found, or something bad.
    fn grow(
        &mut self,
        set: &mut Bdd,
        bad: &[(SymbolicFinding, Bdd)],
        other_nodes: usize,
        (reached, asked): (&mut ReachedStates, AskedFindings),
        watch: &mut FixpointWatch<'_>,
    ) -> Result<(), Halt> {
        let bits = self.bits();
        let mut open = set.clone();
        while !open.is_false() {
            if asked.stop_at_first {
                for (_, states) in bad {
                    if !self.manager.and(&open, states)?.is_false() {
                        return Ok(());
                    }
                }
            }
            let states = u64::try_from(self.manager.count(set, &bits)).unwrap_or(u64::MAX);
            reached.rounds += 1;
            let mut all = open;
            for step in &self.steps {
                let (nodes, bytes) = (other_nodes + self.manager.n_nodes(), self.manager.bytes());
                if !watch(&FixpointProgress { rounds: reached.rounds, nodes, bytes, states }) {
                    return Err(Halt::Stop(BddStop::Stopped));
                }
                let image = step.image(&mut self.manager, &all)?;
                all = self.manager.or(&all, &image)?;
            }
            open = self.manager.minus(&all, set)?;
            *set = self.manager.or(set, &open)?;
        }
        Ok(())
    }

    fn bits(&self) -> Vec<Var> {
        let first = self.counting.first.iter().map(|(_, bit)| *bit);
        first.chain(self.counting.counters.iter().flatten().copied()).collect()
    }

    /// The true bits of a state with the numbers that some bits give.
    fn example(&self, bits: &[Var]) -> Vec<Var> {
        let counting = &self.counting;
        let mut state: Vec<Var> =
            counting.first.iter().filter(|(_, bit)| bits.contains(bit)).map(|(bit, _)| *bit).collect();
        let mut blocks = counting.blocks.iter();
        for (record, counter) in counting.records.iter().zip(&counting.counters) {
            let number = counter.iter().fold(0, |number, bit| 2 * number + usize::from(bits.contains(bit)));
            for block in blocks.by_ref().take(number) {
                let own = block.iter().enumerate().filter(|(place, _)| record >> place & 1 == 1);
                state.extend(own.map(|(_, bit)| *bit));
            }
        }
        state
    }
}

impl CounterStep {
    fn image(&self, manager: &mut Manager, set: &Bdd) -> Made<Bdd> {
        let mut image = manager.constant(false);
        for CounterRelation { relation, writes } in &self.moves {
            let moved = manager.image(set, relation, writes)?;
            image = manager.or(&image, &moved)?;
        }
        for CounterRelation { relation, writes } in &self.others {
            image = manager.image(&image, relation, writes)?;
        }
        Ok(image)
    }
}

/// The steps in which some elements change in one way, under a condition on numbers before.
fn counter_move(
    manager: &mut Manager,
    counting: &Counting,
    step: &Joined,
    (mut relation, change): (Bdd, &BlockChange),
) -> Made<CounterRelation> {
    let mut differences: BTreeMap<usize, i64> = BTreeMap::new();
    for (leaving, entering) in change {
        *differences.entry(*leaving).or_insert(0) -= 1;
        *differences.entry(*entering).or_insert(0) += 1;
    }
    differences.retain(|_, difference| *difference != 0);
    let n_elements = counting.blocks.len() as i64;
    let mut written: Vec<Var> = Vec::new();
    for (record, difference) in differences {
        let bits = &counting.counters[record];
        let mut rows = Vec::new();
        for number in (0..=n_elements).filter(|number| (0..=n_elements).contains(&(number + difference))) {
            let value = |bit: usize, number: i64| number >> (bits.len() - 1 - bit) & 1 == 1;
            let both = |(place, bit): (usize, &Var)| {
                [(*bit, value(place, number)), (bit.next(), value(place, number + difference))]
            };
            rows.push(manager.assignment(bits.iter().enumerate().flat_map(both))?);
        }
        let moves = manager.any(rows)?;
        relation = manager.and(&relation, &moves)?;
        written.extend(bits);
    }
    let is_written = |(bit, _): &&(Var, Var)| step.first.contains(bit);
    written.extend(counting.first.iter().filter(is_written).map(|(_, bit)| *bit));
    let writes = manager.cube(written)?;
    Ok(CounterRelation { relation, writes })
}

/// All elements of one local state come to another.
fn joined_counters(manager: &mut Manager, counting: &Counting, (from, to): (usize, usize)) -> Made<CounterRelation> {
    let (left, right) = (&counting.counters[from], &counting.counters[to]);
    let is_one = |bit: usize, number: usize| number >> (left.len() - 1 - bit) & 1 == 1;
    let n_elements = counting.blocks.len();
    let mut rows = Vec::new();
    for (one, other) in (0..=n_elements).flat_map(|one| (0..=n_elements - one).map(move |other| (one, other))) {
        let both = |(place, (from, to)): (usize, (&Var, &Var))| {
            let before = [(*from, is_one(place, one)), (*to, is_one(place, other))];
            before.into_iter().chain([(from.next(), false), (to.next(), is_one(place, one + other))])
        };
        rows.push(manager.assignment(left.iter().zip(right).enumerate().flat_map(both))?);
    }
    let relation = manager.any(rows)?;
    Ok(CounterRelation { relation, writes: manager.cube(left.iter().chain(right).copied())? })
}
