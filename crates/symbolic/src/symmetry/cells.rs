//! Cells that permutations of interchangeable elements move, and orders of cells.
//!
//! Elements of given sets are one-hot, so a permutation of elements is one of cells. A cell that is about one element moves with it; a cell about two, such as a pair of a
//! relation, moves with both. A cell that were paired with the wrong one would make states equivalent that are not.

use abridge_blast::{CircuitValue, Lit};
use abridge_encoding::{CellId, Encoding};
use abridge_model::VarId;
use abridge_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ElementBitOrder, ElementRenaming, PermutationClass};

/// Cells that a permutation moves, each with the one that it goes to. Cells of one orbit are neighbours: records of two elements are compared in this order, which must be the same
/// for all of them.
pub(crate) type Moved = Vec<(CellId, CellId)>;

/// A class of permutations as permutations of cells.
pub(crate) struct MovedClass {
    /// All elements of a group, the identity excepted; else exchanges of neighbours.
    pub(crate) is_group: bool,
    pub(crate) list: Vec<Moved>,
}

/// Classes whose permutations are permutations of cells, and whether there are others.
pub(crate) fn moved(
    encoding: &Encoding,
    variables: &[VarId],
    classes: &[PermutationClass<'_>],
) -> (Vec<MovedClass>, bool) {
    let mut has_others = false;
    let of_class = |class: &PermutationClass<'_>| {
        let (is_group, renamings) = match class {
            PermutationClass::Exchanges(list) => (false, list),
            PermutationClass::Group(list) => (true, list),
        };
        let list: Option<Vec<Moved>> = renamings.iter().map(|it| moved_by(encoding, variables, it)).collect();
        has_others |= list.is_none();
        let list = list.filter(|list| list.iter().any(|moved| !moved.is_empty()))?;
        let mut class = MovedClass { is_group, list };
        let roots = orbits(&class);
        class.list.iter_mut().for_each(|moved| moved.sort_by_key(|(from, _)| (roots[from], *from)));
        Some(class)
    };
    let moved = classes.iter().filter_map(of_class).collect();
    (moved, has_others)
}

/// The cells that a permutation moves; nothing if it is no permutation of cells.
fn moved_by(encoding: &Encoding, variables: &[VarId], renaming: &ElementRenaming<'_>) -> Option<Moved> {
    let mut moved = Vec::new();
    for variable in variables {
        let (shape, _) = encoding.cells.shape(*variable)?;
        let mut lits = Vec::new();
        pair_up(shape, shape, renaming, &mut lits)?;
        for (from, to) in lits {
            if from != to {
                moved.push((encoding.cells.of_input(from)?, encoding.cells.of_input(to)?));
            }
        }
    }
    moved.sort_unstable();
    moved.dedup();
    Some(moved)
}

/// Pairs the literals of a symbolic value with those of its image; nothing if the image has another form.
fn pair_up(
    from: &CircuitValue,
    to: &CircuitValue,
    renaming: &ElementRenaming<'_>,
    out: &mut Vec<(Lit, Lit)>,
) -> Option<()> {
    let image = |value: &Value| renaming(value).unwrap_or_else(|| value.clone());
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
            pair_up(&from.0, &to.0, renaming, out)?;
            pair_up(&from.1, &to.1, renaming, out)?;
        }
        (CircuitValue::Record(_, from), CircuitValue::Record(_, to)) => {
            from.iter().zip(to.iter()).try_for_each(|(from, to)| pair_up(from, to, renaming, out))?;
        }
        (CircuitValue::Map(from), CircuitValue::Map(to)) if from.len() == to.len() => {
            for entry in from.iter() {
                let key = image(&entry.key);
                let other = to.iter().find(|other| other.key == key)?;
                out.push((entry.present, other.present));
                pair_up(&entry.val, &other.val, renaming, out)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// Cells of one orbit, by the first of them.
pub(super) fn orbits(class: &MovedClass) -> FxHashMap<CellId, CellId> {
    fn find(root: &FxHashMap<CellId, CellId>, mut cell: CellId) -> CellId {
        while root.get(&cell).is_some_and(|up| *up != cell) {
            cell = root[&cell];
        }
        cell
    }
    let mut root: FxHashMap<CellId, CellId> = FxHashMap::default();
    for (from, to) in class.list.iter().flatten() {
        root.entry(*from).or_insert(*from);
        root.entry(*to).or_insert(*to);
        let (from_root, to_root) = (find(&root, *from), find(&root, *to));
        root.insert(from_root.max(to_root), from_root.min(to_root));
    }
    root.keys().map(|cell| (*cell, find(&root, *cell))).collect()
}

/// Whether some cell is about several elements, so that sorting may leave an orbit with several representatives: its orbit has more cells than there are elements, or it
/// moves with two classes, or its cells do not follow the order of elements. A group of which all elements are tried is its own class.
pub(crate) fn is_relational(classes: &[MovedClass]) -> bool {
    let mut class_of: FxHashMap<CellId, usize> = FxHashMap::default();
    for (number, class) in classes.iter().enumerate() {
        if class.is_group && classes.len() > 1 {
            return true;
        }
        let mut sizes: FxHashMap<CellId, usize> = FxHashMap::default();
        for (cell, root) in orbits(class) {
            *sizes.entry(root).or_insert(0) += 1;
            if class_of.insert(cell, number).is_some_and(|other| other != number) {
                return true;
            }
        }
        if !class.is_group && (sizes.values().any(|size| *size > class.list.len() + 1) || !is_monotonic(class)) {
            return true;
        }
    }
    false
}

/// Whether the cells of each orbit are those of one element after the other, upwards or downwards. Else sorting would compare some neighbours upwards, some
/// downwards, and end in several places.
fn is_monotonic(class: &MovedClass) -> bool {
    let roots = orbits(class);
    // Of each orbit, the last cells that were exchanged, and whether cells go upwards.
    let mut last: FxHashMap<CellId, ((CellId, CellId), Option<bool>)> = FxHashMap::default();
    for moved in &class.list {
        for (from, to) in moved.iter().filter(|(from, to)| from < to) {
            let pair = (*from, *to);
            let Some((before, direction)) = last.get(&roots[from]).copied() else {
                last.insert(roots[from], (pair, None));
                continue;
            };
            let is_upwards = before.1 == pair.0;
            if !is_upwards && before.0 != pair.1 || direction.is_some_and(|direction| direction != is_upwards) {
                return false;
            }
            last.insert(roots[from], (pair, Some(is_upwards)));
        }
    }
    true
}

/// Cells that are about several elements, or about elements of several classes.
pub(crate) fn relational(classes: &[MovedClass]) -> FxHashSet<CellId> {
    let mut class_of: FxHashMap<CellId, usize> = FxHashMap::default();
    let mut relational = FxHashSet::default();
    for (number, class) in classes.iter().enumerate() {
        let roots = orbits(class);
        let mut sizes: FxHashMap<CellId, usize> = FxHashMap::default();
        roots.values().for_each(|root| *sizes.entry(*root).or_insert(0) += 1);
        for (cell, root) in roots {
            let is_of_two = class_of.insert(cell, number).is_some_and(|other| other != number);
            if is_of_two || !class.is_group && sizes[&root] > class.list.len() + 1 {
                relational.insert(cell);
            }
        }
    }
    relational
}

/// Orders of section 5, with what moves with no element first: the cells of one element after those of another (concatenated), or each cell beside the same one of
/// the other elements (interlaced).
pub(crate) fn order(
    encoding: &Encoding,
    variables: &[VarId],
    classes: &[MovedClass],
    start: &[CellId],
    (order, is_by_line): (ElementBitOrder, bool),
) -> Vec<CellId> {
    let mut ranks: Vec<Vec<usize>> = vec![vec![0; classes.len()]; encoding.cells.len()];
    let (rows, columns) = (rows(encoding, variables), columns(encoding, variables));
    let second = beside_second(encoding, &rows, &columns);
    for (number, class) in classes.iter().enumerate().filter(|(_, class)| !class.is_group) {
        let mut moves: FxHashMap<CellId, Vec<usize>> = FxHashMap::default();
        let mut line_moves: FxHashMap<CellId, Vec<usize>> = FxHashMap::default();
        for (idx, moved) in class.list.iter().enumerate() {
            for (from, to) in moved {
                moves.entry(*from).or_default().push(idx);
                let lines =
                    if columns.get(from).is_some_and(|column| second.contains(column)) { &columns } else { &rows };
                if lines.contains_key(from) && lines.get(from) != lines.get(to) {
                    line_moves.entry(*from).or_default().push(idx);
                }
            }
        }
        // Backwards, a pair lies with one of its elements, if that moves; else with the later of both.
        moves.extend(line_moves.into_iter().filter(|_| is_by_line));
        for (cell, by) in moves {
            let last = by.iter().copied().max().unwrap_or(0);
            // The cells of the last two elements are moved by the last exchange; those of the last by no other. Of two elements, the second has the later cells.
            let is_of_last = match last {
                0 => class.list[0].iter().any(|(from, to)| *from == cell && to < from),
                _ => !by.contains(&(last - 1)),
            };
            ranks[cell.0 as usize][number] = 1 + last + usize::from(is_of_last && last + 1 == class.list.len());
        }
    }
    let place: FxHashMap<CellId, usize> = start.iter().enumerate().map(|(place, cell)| (*cell, place)).collect();
    let mut cells = start.to_vec();
    let roots: FxHashMap<CellId, CellId> = classes.iter().flat_map(orbits).collect();
    // The same cells of all elements have one place, so that their bits are in the same order.
    let group = |cell: &CellId| roots.get(cell).and_then(|root| place.get(root).copied());
    let rank = |cell: &CellId| ranks[cell.0 as usize].clone();
    match order {
        ElementBitOrder::Concatenated => cells.sort_by_key(|cell| (rank(cell), group(cell), place.get(cell).copied())),
        ElementBitOrder::Interlaced => cells.sort_by_key(|cell| (group(cell), rank(cell), place.get(cell).copied())),
    }
    cells
}

/// Numbers of rows by cell: pairs of a relation with the same first element, and what a function has at one argument.
pub(crate) fn rows(encoding: &Encoding, variables: &[VarId]) -> FxHashMap<CellId, u32> {
    lines(encoding, variables, |first, _| first)
}

/// Numbers of columns by cell: pairs of a relation with the same second element.
fn columns(encoding: &Encoding, variables: &[VarId]) -> FxHashMap<CellId, u32> {
    lines(encoding, variables, |_, second| second)
}

fn lines(
    encoding: &Encoding,
    variables: &[VarId],
    side: for<'v> fn(&'v Value, &'v Value) -> &'v Value,
) -> FxHashMap<CellId, u32> {
    let mut lines = FxHashMap::default();
    let mut numbers: FxHashMap<(usize, Value), u32> = FxHashMap::default();
    let shapes = variables.iter().map(|variable| encoding.cells.shape(*variable)).enumerate();
    for (variable, (shape, _)) in shapes.filter_map(|(variable, shape)| Some((variable, shape?))) {
        let mut add = |key: &Value, lit: Lit| {
            let next = numbers.len() as u32;
            let number = *numbers.entry((variable, key.clone())).or_insert(next);
            lines.extend(encoding.cells.of_input(lit).map(|cell| (cell, number)));
        };
        match shape {
            CircuitValue::Set(members) => {
                for (value, lit) in &members.items {
                    if let Value::Pair(pair) = value {
                        add(side(&pair.0, &pair.1), *lit);
                    }
                }
            }
            CircuitValue::Map(entries) => {
                for entry in entries.iter() {
                    add(&entry.key, entry.present);
                    entry.val.for_each_lit(&mut |lit| add(&entry.key, lit));
                }
            }
            _ => {}
        }
    }
    lines
}

/// Cells of pairs that lie with their second element: a new value of a cell of that element reads the pair, no other of its row, and the old value of the cell. So does
/// `locked := locked - next[{p}]`. Other pairs lie with their first element, whose steps ask whether it has any.
fn beside_second(
    encoding: &Encoding,
    rows: &FxHashMap<CellId, u32>,
    columns: &FxHashMap<CellId, u32>,
) -> FxHashSet<u32> {
    let mut found = FxHashSet::default();
    let circuit = &encoding.blast.circuit;
    for instance in &encoding.instances {
        for (cell, lit) in &instance.writes {
            let Some(lit) = lit.filter(|lit| !lit.is_constant() && !rows.contains_key(cell)) else { continue };
            let inputs = circuit.inputs_of([lit]);
            let reads: Vec<CellId> = inputs.into_iter().filter_map(|input| encoding.cells.of_input(input)).collect();
            if !reads.contains(cell) {
                continue;
            }
            let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
            reads.iter().filter_map(|read| rows.get(read)).for_each(|row| *counts.entry(*row).or_insert(0) += 1);
            let alone = reads.iter().filter(|read| rows.get(read).is_some_and(|row| counts[row] == 1));
            found.extend(alone.filter_map(|read| columns.get(read)).copied());
        }
    }
    found
}

/// Numbers of choices by cell: values of one unknown, or of a function at one argument. At most one cell of a choice is true in a state.
pub(crate) fn choices(encoding: &Encoding, variables: &[VarId]) -> FxHashMap<CellId, u32> {
    let mut choices = ChoiceNumbers { encoding, numbers: FxHashMap::default(), next: 0 };
    for variable in variables {
        if let Some((shape, _)) = encoding.cells.shape(*variable) {
            choices.add(shape);
        }
    }
    choices.numbers
}

struct ChoiceNumbers<'e> {
    encoding: &'e Encoding,
    numbers: FxHashMap<CellId, u32>,
    next: u32,
}

impl ChoiceNumbers<'_> {
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
