//! Dynamic symmetry reduction: representatives are found inside the fixpoint, by sorting.
//!
//! Emerson and Wahl, "Dynamic symmetry reduction" (TACAS 2005), sections 3 to 6.2. Images are those of the whole machine; what they lead to is mapped to
//! representatives by [`Space::representatives`], the α of the paper: the states of a set where two adjacent elements are out of order (`Swap::bad`) have the two exchanged, all at once, until no
//! state is left that is out of order. Neither the orbit relation nor a table of representatives is built.
//!
//! Elements of given sets are one-hot, so that exchanging two of them is a permutation of bits. That covers local states, global variables that hold an element, and
//! local variables that do: whole records are compared, in the order of cells. We depart from section 6.2 there: its condition does not terminate with two variables that
//! hold elements. Exchanges make states smaller in one fixed lexicographic order, so sorting ends. Where every cell is about at most one element, representatives
//! are unique; where cells relate two elements, an orbit may keep several. Each state has a representative in its own orbit either way: that is what
//! verdicts rest on.

use abridge_blast::{CircuitValue, Lit};
use abridge_encoding::{CellId, Encoding};
use abridge_value::Value;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::bdd::{Bdd, Made, MapId, Var};
use crate::reach::Reached;
use crate::space::Space;

/// The exchange of two interchangeable elements in a value; nothing if that changes nothing.
pub type Exchange<'e> = Box<dyn Fn(&Value) -> Option<Value> + 'e>;

/// Exchanges of neighbours in one list of interchangeable elements.
pub type Class<'e> = Vec<Exchange<'e>>;

/// The exchange of two elements on sets of states.
pub(crate) struct Swap {
    /// The bits that it exchanges, in the order in which records are compared.
    bits: Vec<(Var, Var)>,
    map: MapId,
    /// States that the exchange makes smaller.
    bad: Bdd,
}

/// Cells that an exchange swaps, each pair once, in the order of cells.
type Swapped = Vec<(CellId, CellId)>;

/// Classes whose exchanges permute cells.
pub(crate) fn swapped(
    encoding: &Encoding,
    layout_variables: &[abridge_model::VarId],
    classes: &[Class<'_>],
) -> Vec<Vec<Swapped>> {
    let of_class = |class: &Class<'_>| -> Option<Vec<Swapped>> {
        class.iter().map(|exchange| swapped_by(encoding, layout_variables, exchange)).collect()
    };
    classes.iter().filter_map(of_class).filter(|class| class.iter().any(|swapped| !swapped.is_empty())).collect()
}

/// The cells that an exchange swaps; nothing if it is no permutation of cells.
fn swapped_by(encoding: &Encoding, variables: &[abridge_model::VarId], exchange: &Exchange<'_>) -> Option<Swapped> {
    let mut swapped = Vec::new();
    for variable in variables {
        let (shape, _) = encoding.cells.shape(*variable)?;
        let mut lits = Vec::new();
        pair_up(shape, shape, exchange, &mut lits)?;
        for (from, to) in lits {
            if from == to {
                continue;
            }
            let (from, to) = (encoding.cells.of_input(from)?, encoding.cells.of_input(to)?);
            if from < to {
                swapped.push((from, to));
            }
        }
    }
    swapped.sort_unstable();
    swapped.dedup();
    Some(swapped)
}

/// Pairs the literals of a symbolic value with those of its image; nothing if the image has another form.
fn pair_up(from: &CircuitValue, to: &CircuitValue, exchange: &Exchange<'_>, out: &mut Vec<(Lit, Lit)>) -> Option<()> {
    let image = |value: &Value| exchange(value).unwrap_or_else(|| value.clone());
    let mut items = |from: &[(Value, Lit)], to: &[(Value, Lit)]| -> Option<()> {
        for (value, lit) in from {
            let image = image(value);
            out.push((*lit, to.iter().find(|(other, _)| *other == image)?.1));
        }
        (from.len() == to.len()).then_some(())
    };
    match (from, to) {
        (CircuitValue::Bool(from), CircuitValue::Bool(to)) => out.push((*from, *to)),
        (CircuitValue::Bits(from), CircuitValue::Bits(to)) if from.lits().len() == to.lits().len() => {
            out.extend(from.lits().iter().copied().zip(to.lits().iter().copied()));
        }
        (CircuitValue::Choice(from), CircuitValue::Choice(to)) => items(from, to)?,
        (CircuitValue::Set(from), CircuitValue::Set(to)) => items(&from.items, &to.items)?,
        (CircuitValue::Pair(from), CircuitValue::Pair(to)) => {
            pair_up(&from.0, &to.0, exchange, out)?;
            pair_up(&from.1, &to.1, exchange, out)?;
        }
        (CircuitValue::Record(_, from), CircuitValue::Record(_, to)) => {
            from.iter().zip(to).try_for_each(|(from, to)| pair_up(from, to, exchange, out))?;
        }
        (CircuitValue::Map(from), CircuitValue::Map(to)) if from.len() == to.len() => {
            for entry in from {
                let key = image(&entry.key);
                let other = to.iter().find(|other| other.key == key)?;
                out.push((entry.present, other.present));
                pair_up(&entry.val, &other.val, exchange, out)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// Whether some cell is about several elements, so that an orbit may have several representatives: its cells are more than the elements, or it moves with two
/// classes.
pub(crate) fn is_relational(classes: &[Vec<Swapped>]) -> bool {
    let mut class_of: FxHashMap<CellId, usize> = FxHashMap::default();
    for (number, class) in classes.iter().enumerate() {
        let mut root: FxHashMap<CellId, CellId> = FxHashMap::default();
        let find = |root: &FxHashMap<CellId, CellId>, mut cell: CellId| {
            while root.get(&cell).is_some_and(|up| *up != cell) {
                cell = root[&cell];
            }
            cell
        };
        for (from, to) in class.iter().flatten() {
            let (from_root, to_root) = (find(&root, *from), find(&root, *to));
            root.entry(*from).or_insert(*from);
            root.entry(*to).or_insert(*to);
            root.insert(from_root, to_root);
        }
        let mut sizes: FxHashMap<CellId, usize> = FxHashMap::default();
        for cell in root.keys() {
            *sizes.entry(find(&root, *cell)).or_insert(0) += 1;
            if class_of.insert(*cell, number).is_some_and(|other| other != number) {
                return true;
            }
        }
        if sizes.values().any(|size| *size > class.len() + 1) {
            return true;
        }
    }
    false
}

/// An order with the cells of one element after those of another (concatenated, section 5), and what moves with none of them first.
pub(crate) fn order(encoding: &Encoding, classes: &[Vec<Swapped>], start: &[CellId]) -> Vec<CellId> {
    let mut ranks: Vec<Vec<usize>> = vec![vec![0; classes.len()]; encoding.cells.len()];
    for (number, class) in classes.iter().enumerate() {
        let mut moved: FxHashMap<CellId, Vec<usize>> = FxHashMap::default();
        for (idx, swapped) in class.iter().enumerate() {
            for (from, to) in swapped {
                moved.entry(*from).or_default().push(idx);
                moved.entry(*to).or_default().push(idx);
            }
        }
        for (cell, by) in moved {
            let last = by.iter().copied().max().unwrap_or(0);
            // The cells of the last two elements are moved by the last exchange; those of the last by no other.
            let is_of_last = last + 1 == class.len() && (last == 0 || !by.contains(&(last - 1)));
            ranks[cell.0 as usize][number] = 1 + last + usize::from(is_of_last && class.len() > 1);
        }
    }
    let place: FxHashMap<CellId, usize> = start.iter().enumerate().map(|(place, cell)| (*cell, place)).collect();
    let mut cells = start.to_vec();
    cells.sort_by_key(|cell| (ranks[cell.0 as usize].clone(), place.get(cell).copied()));
    cells
}

impl Space<'_> {
    /// Makes fixpoints run over representatives.
    pub(crate) fn add_swaps(&mut self, classes: &[Vec<Swapped>]) -> Made<()> {
        let choices = choices(&self.encoding, &self.source.variables);
        for swapped in classes.iter().flatten().filter(|swapped| !swapped.is_empty()) {
            let layout = &self.layout;
            let placed = |(from, to): &(CellId, CellId)| {
                Some(((layout.cell(*from)?, layout.cell(*to)?), choices.get(from).copied()))
            };
            let (bits, choice_of): (Vec<(Var, Var)>, Vec<Option<u32>>) = swapped.iter().filter_map(placed).unzip();
            let map = self.manager.exchange(&bits);
            let bad = self.out_of_order(&bits, &choice_of)?;
            self.swaps.push(Swap { bits, map, bad });
        }
        Ok(())
    }

    /// Where the first record is greater than the second. Of the bits of one choice at most one is true in every state. Without that constraint, which is added bit
    /// by bit, the comparison of records of n bits would have 2^n nodes.
    fn out_of_order(&mut self, bits: &[(Var, Var)], choice_of: &[Option<u32>]) -> Made<Bdd> {
        let mut bad = self.manager.constant(false);
        for (place, (from, to)) in bits.iter().enumerate().rev() {
            let (from, to) = (self.manager.var(*from)?, self.manager.var(*to)?);
            let same = self.manager.xor(&from, &to)?.not();
            let rest = self.manager.and(&same, &bad)?;
            let greater = self.manager.minus(&from, &to)?;
            bad = self.manager.or(&greater, &rest)?;
            let is_same_choice = |other: &usize| choice_of[place].is_some() && choice_of[*other] == choice_of[place];
            for other in (place + 1..bits.len()).filter(is_same_choice) {
                for (left, right) in [(&from, bits[other].0), (&to, bits[other].1)] {
                    let right = self.manager.var(right)?;
                    let both = self.manager.and(left, &right)?;
                    bad = self.manager.minus(&bad, &both)?;
                }
            }
        }
        Ok(bad)
    }

    /// Fixpoints run over representatives.
    pub fn is_reduced(&self) -> bool {
        !self.swaps.is_empty()
    }

    /// The representatives of the states of a set: α, figure 2.
    pub(crate) fn representatives(&mut self, set: &Bdd) -> Made<Bdd> {
        let mut sorted = set.clone();
        loop {
            let before = sorted.clone();
            for idx in 0..self.swaps.len() {
                let bad = self.manager.and(&sorted, &self.swaps[idx].bad)?;
                if !bad.is_false() {
                    let good = self.manager.minus(&sorted, &bad)?;
                    let exchanged = self.manager.map(&bad, self.swaps[idx].map)?;
                    sorted = self.manager.or(&good, &exchanged)?;
                }
            }
            if sorted == before {
                return Ok(sorted);
            }
        }
    }

    /// All states of the orbits of a set.
    pub(crate) fn orbits(&mut self, set: &Bdd) -> Made<Bdd> {
        let mut all = set.clone();
        loop {
            let before = all.clone();
            for idx in 0..self.swaps.len() {
                let exchanged = self.manager.map(&all, self.swaps[idx].map)?;
                all = self.manager.or(&all, &exchanged)?;
            }
            if all == before {
                return Ok(all);
            }
        }
    }

    /// Number of all states behind the representatives that were reached.
    pub fn states_behind(&mut self, reached: &Reached) -> Made<BigUint> {
        if let Some(blocks) = self.blocks() {
            let is_first = |bit: &&Var| !blocks.iter().any(|block| block.contains(bit));
            let first: Vec<Var> = self.layout.bits().iter().filter(is_first).copied().collect();
            if let Some(count) = self.manager.count_arranged(&reached.set, &first, &blocks) {
                return Ok(count);
            }
        }
        let all = self.orbits(&reached.set)?;
        Ok(self.manager.count(&all, self.layout.bits()))
    }

    /// The bits of each interchangeable element, aligned, if representatives are unique and all elements are of one class.
    fn blocks(&self) -> Option<Vec<Vec<Var>>> {
        if self.has_several_representatives {
            return None;
        }
        let mut blocks: Vec<Vec<Var>> = vec![self.swaps.first()?.bits.iter().map(|(from, _)| *from).collect()];
        for swap in &self.swaps {
            let last = &blocks[blocks.len() - 1];
            // An exchange of another class begins with bits of its own.
            let image = |bit: &Var| swap.bits.iter().find(|(from, _)| from == bit).map(|(_, to)| *to);
            let next: Option<Vec<Var>> = last.iter().map(image).collect();
            blocks.push(next.filter(|next| next.len() == swap.bits.len())?);
        }
        Some(blocks)
    }
}

/// Numbers of choices by cell: values of one unknown, or of a function at one argument. At most one cell of a choice is true in a state.
fn choices(encoding: &Encoding, variables: &[abridge_model::VarId]) -> FxHashMap<CellId, u32> {
    let mut choices = Choices { encoding, numbers: FxHashMap::default(), next: 0 };
    for variable in variables {
        if let Some((shape, _)) = encoding.cells.shape(*variable) {
            choices.add(shape);
        }
    }
    choices.numbers
}

struct Choices<'e> {
    encoding: &'e Encoding,
    numbers: FxHashMap<CellId, u32>,
    next: u32,
}

impl Choices<'_> {
    fn add(&mut self, value: &CircuitValue) {
        match value {
            CircuitValue::Choice(items) => self.add_group(items.iter().map(|(_, lit)| *lit)),
            CircuitValue::Set(members) if members.is_function => {
                let key = |value: &Value| if let Value::Pair(pair) = value { Some(pair.0.clone()) } else { None };
                // Elements are in ascending order, so those of one argument are neighbours.
                for group in members.items.chunk_by(|(left, _), (right, _)| key(left) == key(right)) {
                    self.add_group(group.iter().map(|(_, lit)| *lit));
                }
            }
            CircuitValue::Pair(pair) => {
                self.add(&pair.0);
                self.add(&pair.1);
            }
            CircuitValue::Record(_, fields) => fields.iter().for_each(|field| self.add(field)),
            CircuitValue::Map(entries) => entries.iter().for_each(|entry| self.add(&entry.val)),
            CircuitValue::Bool(_) | CircuitValue::Bits(_) | CircuitValue::Set(_) => {}
        }
    }

    fn add_group(&mut self, lits: impl Iterator<Item = Lit>) {
        let cells = lits.filter_map(|lit| self.encoding.cells.of_input(lit));
        self.numbers.extend(cells.map(|cell| (cell, self.next)));
        self.next += 1;
    }
}
