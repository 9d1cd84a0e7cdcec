//! Operators on finite relations and functions, that is, on sets of pairs sorted by first component.
//!
//! Typing guarantees sets of pairs; other elements are skipped. Bit matrices are processed row by row, other layouts pair by pair. Both must give the
//! same set.

use std::ops::Range;

use crate::set::matrix::{MAX_POSITIONS, Matrix, MatrixPairs, ones};
use crate::set::{Set, SetBuilder, at, position};
use crate::value::Value;
use crate::weight::PAIR_BYTES;

/// Reason why a function has no value at an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// The argument is outside the domain.
    Outside,
    /// The argument has several images.
    Ambiguous,
}

/// Pairs of a relation as first and second components, ascending.
pub fn pairs(relation: &Set) -> impl Iterator<Item = (Value, Value)> {
    match relation.as_matrix() {
        Some(matrix) => Pairs::Cells(matrix.cells()),
        None => Pairs::Slice(slice(relation).iter()),
    }
}

enum Pairs<'a> {
    Cells(MatrixPairs<'a>),
    Slice(std::slice::Iter<'a, Value>),
}

impl Iterator for Pairs<'_> {
    type Item = (Value, Value);

    fn next(&mut self) -> Option<(Value, Value)> {
        match self {
            Pairs::Cells(cells) => cells.next(),
            Pairs::Slice(items) => {
                items.find_map(Value::as_pair).map(|(first, second)| (first.clone(), second.clone()))
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Pairs::Cells(cells) => cells.size_hint(),
            Pairs::Slice(items) => (0, Some(items.len())),
        }
    }
}

/// Pairs of a relation that is not a matrix.
fn slice(relation: &Set) -> &[Value] {
    relation.as_slice().unwrap_or(&[])
}

fn borrowed(relation: &Set) -> impl Iterator<Item = (&Value, &Value)> {
    slice(relation).iter().filter_map(Value::as_pair)
}

/// Range of the pairs with first component `key`.
fn positions(items: &[Value], key: &Value) -> Range<usize> {
    let start = items.partition_point(|item| first_of(item) < Some(key));
    let n_rows = items[start..].iter().take_while(|item| first_of(item) == Some(key)).count();
    start..start + n_rows
}

fn first_of(item: &Value) -> Option<&Value> {
    item.as_pair().map(|(first, _)| first)
}

/// All `y` with `key |-> y` in the relation, ascending.
pub fn images(relation: &Set, key: &Value) -> impl Iterator<Item = Value> {
    let in_matrix = relation.as_matrix().into_iter().flat_map(|matrix| {
        let to = matrix.carriers().1;
        ones(matrix.row_of(key)).map(move |column| at(to, column))
    });
    let items = slice(relation);
    let in_slice = items[positions(items, key)].iter().filter_map(Value::as_pair).map(|(_, second)| second.clone());
    in_matrix.chain(in_slice)
}

/// Image of a key, if the keys up to it are consecutive, as in sequences and total functions, and it has one image. Its position is computed, not
/// searched for.
fn image_by_offset<'a>(items: &'a [Value], key: &Value) -> Option<&'a Value> {
    let offset = match (first_of(items.first()?)?, key) {
        (Value::Int(first), Value::Int(key)) => usize::try_from(key.checked_sub(*first)?).ok()?,
        (Value::Element { index: first, .. }, Value::Element { index, .. }) => index.checked_sub(*first)? as usize,
        _ => return None,
    };
    let (found, image) = items.get(offset)?.as_pair()?;
    // Neither neighbour has the same key, so the key has one image.
    let is_only = items.get(offset + 1).is_none_or(|next| first_of(next) != Some(key))
        && offset.checked_sub(1).is_none_or(|before| first_of(&items[before]) != Some(key));
    (found == key && is_only).then_some(image)
}

/// Value of a function at an argument.
pub fn apply(function: &Set, key: &Value) -> Result<Value, NoValue> {
    if let Some(matrix) = function.as_matrix() {
        let row = matrix.row_of(key);
        return match row.count_ones() {
            0 => Err(NoValue::Outside),
            1 => Ok(at(matrix.carriers().1, row.trailing_zeros())),
            _ => Err(NoValue::Ambiguous),
        };
    }
    let items = slice(function);
    if let Some(image) = image_by_offset(items, key) {
        return Ok(image.clone());
    }
    let start = items.partition_point(|item| first_of(item) < Some(key));
    only_image(&items[start..], |first| first == key)
}

/// Value of a function at the argument `first |-> second`.
pub fn apply_to_pair(function: &Set, first: &Value, second: &Value) -> Result<Value, NoValue> {
    let items = slice(function);
    let start = items.partition_point(|item| first_of(item).and_then(Value::as_pair) < Some((first, second)));
    only_image(&items[start..], |key| key.as_pair() == Some((first, second)))
}

/// Image of the first pair, if no other pair has the same key. Pairs after the key are ignored.
fn only_image(items: &[Value], is_key: impl Fn(&Value) -> bool) -> Result<Value, NoValue> {
    let mut images = items.iter().map_while(Value::as_pair).take_while(|(first, _)| is_key(first));
    let (_, image) = images.next().ok_or(NoValue::Outside)?;
    if images.next().is_some() { Err(NoValue::Ambiguous) } else { Ok(image.clone()) }
}

/// Keys of an image, ascending.
pub fn keys_of(relation: &Set, image: &Value) -> impl Iterator<Item = Value> {
    let in_matrix = relation.as_matrix().into_iter().flat_map(|matrix| {
        let (from, to) = matrix.carriers();
        let column = position(image).filter(|(carrier, column)| *carrier == to && (*column as usize) < MAX_POSITIONS);
        let keys = column.map_or(0, |(_, column)| keys_where(matrix, |row| has(row, column as usize)));
        ones(keys).map(move |row| at(from, row))
    });
    let in_slice = borrowed(relation).filter(move |(_, second)| *second == image).map(|(first, _)| first.clone());
    in_matrix.chain(in_slice)
}

/// True if all pairs have a property. An error of `holds` ends the iteration.
pub fn every_pair<E>(relation: &Set, mut holds: impl FnMut(&Value, &Value) -> Result<bool, E>) -> Result<bool, E> {
    if relation.as_matrix().is_some() {
        for (first, second) in pairs(relation) {
            if !holds(&first, &second)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    for (first, second) in borrowed(relation) {
        if !holds(first, second)? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub fn in_domain(relation: &Set, key: &Value) -> bool {
    if let Some(matrix) = relation.as_matrix() {
        return matrix.row_of(key) != 0;
    }
    let items = slice(relation);
    let start = items.partition_point(|item| first_of(item) < Some(key));
    items.get(start).is_some_and(|item| first_of(item) == Some(key))
}

pub fn dom(relation: &Set) -> Set {
    if let Some(matrix) = relation.as_matrix() {
        return Set::from_bits(matrix.carriers().0, keys_where(matrix, |row| row != 0));
    }
    let mut keys: Vec<Value> = Vec::new();
    for (first, _) in borrowed(relation) {
        if keys.last() != Some(first) {
            keys.push(first.clone());
        }
    }
    Set::from_sorted(keys)
}

/// Positions of the rows with a property.
fn keys_where(matrix: &Matrix, holds: impl Fn(u64) -> bool) -> u64 {
    let rows = matrix.rows().iter().enumerate();
    rows.fold(0, |keys, (idx, row)| keys | u64::from(holds(*row)) << idx)
}

pub fn ran(relation: &Set) -> Set {
    if let Some(matrix) = relation.as_matrix() {
        return Set::from_bits(matrix.carriers().1, matrix.rows().iter().fold(0, |all, row| all | row));
    }
    borrowed(relation).map(|(_, second)| second.clone()).collect()
}

pub fn inverse(relation: &Set) -> Set {
    if let Some(matrix) = relation.as_matrix() {
        let mut rows = [0; MAX_POSITIONS];
        for (idx, row) in matrix.rows().iter().enumerate() {
            ones(*row).for_each(|column| rows[column as usize] |= 1 << idx);
        }
        let (from, to) = matrix.carriers();
        return Matrix::set(to, from, &rows);
    }
    borrowed(relation).map(|(first, second)| Value::pair(second.clone(), first.clone())).collect()
}

/// Filters the pairs of a relation. The result is sorted, as the relation is.
fn filtered(relation: &Set, keep: impl Fn(&Value, &Value) -> bool) -> Set {
    if relation.as_matrix().is_some() {
        let kept = pairs(relation).filter(|(first, second)| keep(first, second));
        return kept.map(|(first, second)| Value::pair(first, second)).collect();
    }
    let kept = slice(relation).iter().filter(|item| item.as_pair().is_some_and(|(first, second)| keep(first, second)));
    Set::from_sorted(kept.cloned().collect())
}

/// Matrix of a relation, with the positions of a set of first components.
fn with_keys<'a>(relation: &'a Set, keys: &Set) -> Option<(&'a Matrix, u64)> {
    let matrix = relation.as_matrix()?;
    Some((matrix, keys.bits_of(matrix.carriers().0)?))
}

/// Matrix of a relation, with the positions of a set of second components.
fn with_targets<'a>(relation: &'a Set, targets: &Set) -> Option<(&'a Matrix, u64)> {
    let matrix = relation.as_matrix()?;
    Some((matrix, targets.bits_of(matrix.carriers().1)?))
}

fn has(bits: u64, idx: usize) -> bool {
    bits >> idx & 1 != 0
}

/// `keys <| relation`
pub fn domain_restrict(keys: &Set, relation: &Set) -> Set {
    if let Some((matrix, keys)) = with_keys(relation, keys) {
        return matrix.map_rows(|idx, row| if has(keys, idx) { row } else { 0 });
    }
    filtered(relation, |first, _| keys.contains(first))
}

/// `keys <<| relation`
pub fn domain_subtract(keys: &Set, relation: &Set) -> Set {
    if let Some((matrix, keys)) = with_keys(relation, keys) {
        return matrix.map_rows(|idx, row| if has(keys, idx) { 0 } else { row });
    }
    if let (Some(key), Some(items)) = (keys.only(), relation.as_slice())
        && let Some(set) = relation.spliced(positions(items, &key), None)
    {
        return set;
    }
    filtered(relation, |first, _| !keys.contains(first))
}

/// `relation |> targets`
pub fn range_restrict(relation: &Set, targets: &Set) -> Set {
    if let Some((matrix, targets)) = with_targets(relation, targets) {
        return matrix.map_rows(|_, row| row & targets);
    }
    filtered(relation, |_, second| targets.contains(second))
}

/// `relation |>> targets`
pub fn range_subtract(relation: &Set, targets: &Set) -> Set {
    if let Some((matrix, targets)) = with_targets(relation, targets) {
        return matrix.map_rows(|_, row| row & !targets);
    }
    filtered(relation, |_, second| !targets.contains(second))
}

/// `relation <+ other`
pub fn override_with(relation: &Set, other: &Set) -> Set {
    if let (Some(left), Some(right)) = (relation.as_matrix(), other.as_matrix())
        && let Some(set) = left.rowwise(right, |old, new| if new == 0 { old } else { new })
    {
        return set;
    }
    if let (Some([new]), Some(items)) = (other.as_slice(), relation.as_slice())
        && let Some(key) = first_of(new)
        && let Some(set) = relation.spliced(positions(items, key), Some(new.clone()))
    {
        return set;
    }
    if let (Some(old), Some(new)) = (relation.as_slice(), other.as_slice()) {
        return Set::from_sorted(overridden(old, new));
    }
    filtered(relation, |first, _| !in_domain(other, first)).union(other)
}

/// Merges both relations in order; new pairs replace old ones with the same key.
fn overridden(old: &[Value], new: &[Value]) -> Vec<Value> {
    let mut out = Vec::with_capacity(old.len() + new.len());
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    while let Some(next) = new.peek() {
        let key = first_of(next);
        out.extend(std::iter::from_fn(|| old.next_if(|item| first_of(item) < key)).cloned());
        while old.next_if(|item| first_of(item) == key).is_some() {}
        out.extend(std::iter::from_fn(|| new.next_if(|item| first_of(item) == key)).cloned());
    }
    out.extend(old.cloned());
    out
}

/// `relation[keys]`
pub fn image(relation: &Set, keys: &Set) -> Set {
    if let Some((matrix, keys)) = with_keys(relation, keys) {
        return Set::from_bits(matrix.carriers().1, row_of_all(matrix, keys));
    }
    if keys.len() < relation.len() {
        return keys.iter().flat_map(|key| images(relation, &key).collect::<Vec<_>>()).collect();
    }
    pairs(relation).filter(|(first, _)| keys.contains(first)).map(|(_, second)| second).collect()
}

/// Union of the rows at some positions.
fn row_of_all(matrix: &Matrix, keys: u64) -> u64 {
    ones(keys).fold(0, |all, key| all | matrix.row(key as usize))
}

/// `relation~[targets]`
pub fn preimage(relation: &Set, targets: &Set) -> Set {
    if let Some((matrix, targets)) = with_targets(relation, targets) {
        return Set::from_bits(matrix.carriers().0, keys_where(matrix, |row| row & targets != 0));
    }
    let found = pairs(relation).filter(|(_, second)| targets.contains(second)).map(|(first, _)| first);
    let mut keys: Vec<Value> = found.collect();
    keys.dedup();
    Set::from_sorted(keys)
}

/// Relation with both components of each pair mapped by `change`.
pub fn renamed(relation: &Set, change: impl Fn(Value) -> Value) -> Set {
    if let Some(set) = relation.as_matrix().and_then(|matrix| renamed_matrix(matrix, &change)) {
        return set;
    }
    pairs(relation).map(|(first, second)| Value::pair(change(first), change(second))).collect()
}

/// Bit matrix with both components of each pair mapped; `None` if an image leaves its carrier or has a position of 64 or more.
fn renamed_matrix(matrix: &Matrix, change: impl Fn(Value) -> Value) -> Option<Set> {
    let (from, to) = matrix.carriers();
    let moved = |carrier: u32, idx: u32| {
        let (image_carrier, image) = position(&change(at(carrier, idx)))?;
        (image_carrier == carrier && (image as usize) < MAX_POSITIONS).then_some(image as usize)
    };
    let used = matrix.rows().iter().fold(0, |all, row| all | row);
    let mut columns = [0; MAX_POSITIONS];
    for column in ones(used) {
        columns[column as usize] = moved(to, column)?;
    }
    let mut rows = [0; MAX_POSITIONS];
    for (idx, row) in (0..).zip(matrix.rows()).filter(|(_, row)| **row != 0) {
        rows[moved(from, idx)?] |= ones(*row).fold(0, |all, column| all | 1 << columns[column as usize]);
    }
    Some(Matrix::set(from, to, &rows))
}

/// Callback that is charged for memory, in bytes, before it is allocated. Operators whose result may be much larger than their operands call it
/// repeatedly. Its error ends the operation.
pub type Meter<'m, E> = dyn FnMut(usize) -> Result<(), E> + 'm;

/// Number of pairs built between two calls of the meter.
const PAIRS_PER_CHARGE: usize = 1 << 10;

/// Builder of a relation, row by row; first components ascend.
struct Rows<'m, 'n, E> {
    out: SetBuilder,
    /// Second components of the current first component.
    row: Vec<Value>,
    /// Number of values not yet charged to the meter.
    n_uncharged: usize,
    meter: &'m mut Meter<'n, E>,
}

impl<'m, 'n, E> Rows<'m, 'n, E> {
    fn new(meter: &'m mut Meter<'n, E>) -> Self {
        Rows { out: SetBuilder::new(), row: Vec::new(), n_uncharged: 0, meter }
    }

    /// Counts work that builds no pair.
    fn count(&mut self) -> Result<(), E> {
        self.n_uncharged += 1;
        if self.n_uncharged < PAIRS_PER_CHARGE {
            return Ok(());
        }
        (self.meter)(std::mem::take(&mut self.n_uncharged) * PAIR_BYTES)
    }

    fn push(&mut self, second: Value) -> Result<(), E> {
        self.row.push(second);
        self.count()
    }

    /// Ends the row of a first component. Rows are sorted one by one, so that no long, uninterruptible sort remains for the end.
    fn finish_row(&mut self, first: &Value) {
        if !self.row.is_sorted_by(|left, right| left < right) {
            self.row.sort_unstable();
            self.row.dedup();
        }
        self.out.extend(self.row.drain(..).map(|second| Value::pair(first.clone(), second)));
    }

    fn finish(self) -> Set {
        self.out.finish()
    }
}

/// `(left ; right)`
pub fn compose<E>(left: &Set, right: &Set, meter: &mut Meter<'_, E>) -> Result<Set, E> {
    if let (Some(first), Some(second)) = (left.as_matrix(), right.as_matrix())
        && first.carriers().1 == second.carriers().0
    {
        let mut rows = [0; MAX_POSITIONS];
        for (idx, row) in first.rows().iter().enumerate() {
            rows[idx] = row_of_all(second, *row);
        }
        return Ok(Matrix::set(first.carriers().0, second.carriers().1, &rows[..first.rows().len()]));
    }
    let mut rows = Rows::new(meter);
    let mut pairs = pairs(left).peekable();
    while let Some((first, middle)) = pairs.next() {
        rows.count()?;
        for second in images(right, &middle) {
            rows.push(second)?;
        }
        if pairs.peek().is_none_or(|(next, _)| *next != first) {
            rows.finish_row(&first);
        }
    }
    Ok(rows.finish())
}

/// `left >< right`
pub fn direct_product<E>(left: &Set, right: &Set, meter: &mut Meter<'_, E>) -> Result<Set, E> {
    let mut rows = Rows::new(meter);
    let mut pairs = pairs(left).peekable();
    while let Some((first, second)) = pairs.next() {
        rows.count()?;
        for other in images(right, &first) {
            rows.push(Value::pair(second.clone(), other))?;
        }
        if pairs.peek().is_none_or(|(next, _)| *next != first) {
            rows.finish_row(&first);
        }
    }
    Ok(rows.finish())
}

/// `(left || right)`
pub fn parallel_product<E>(left: &Set, right: &Set, meter: &mut Meter<'_, E>) -> Result<Set, E> {
    let n_pairs = usize::try_from(left.len().saturating_mul(right.len())).unwrap_or(usize::MAX);
    meter(n_pairs.saturating_mul(3 * PAIR_BYTES))?;
    let mut out = SetBuilder::new();
    for (first, second) in pairs(left) {
        for (first2, second2) in pairs(right) {
            let key = Value::pair(first.clone(), first2);
            out.push(Value::pair(key, Value::pair(second.clone(), second2)));
        }
    }
    Ok(out.finish())
}

/// `left * right`
pub fn cartesian(left: &Set, right: &Set) -> Set {
    let rows = left.iter().flat_map(|first| right.iter().map(move |second| Value::pair(first.clone(), second)));
    Set::from_sorted(rows.collect())
}

/// `id(set)`
pub fn identity(set: &Set) -> Set {
    Set::from_sorted(set.iter().map(|value| Value::pair(value.clone(), value)).collect())
}

/// Transitive closure: all pairs connected by one or more steps.
pub fn closure1<E>(relation: &Set, meter: &mut Meter<'_, E>) -> Result<Set, E> {
    if let Some(matrix) = relation.as_matrix().filter(|matrix| matrix.carriers().0 == matrix.carriers().1) {
        return Ok(closure_of_rows(matrix));
    }
    let mut next: hashbrown::HashMap<Value, Vec<Value>, rustc_hash::FxBuildHasher> = hashbrown::HashMap::default();
    for (first, second) in pairs(relation) {
        next.entry(first).or_default().push(second);
    }
    let mut rows = Rows::new(meter);
    for key in &dom(relation) {
        let mut reached = hashbrown::HashSet::with_hasher(rustc_hash::FxBuildHasher);
        let images = |value: &Value| next.get(value).map_or(&[][..], Vec::as_slice).iter();
        let mut open: Vec<&Value> = images(&key).collect();
        while let Some(value) = open.pop() {
            if reached.insert(value) {
                open.extend(images(value));
                rows.push(value.clone())?;
            } else {
                rows.count()?;
            }
        }
        rows.finish_row(&key);
    }
    Ok(rows.finish())
}

/// Transitive closure of a bit matrix by Warshall's algorithm.
fn closure_of_rows(matrix: &Matrix) -> Set {
    let mut rows = [0; MAX_POSITIONS];
    let rows = &mut rows[..matrix.rows().len()];
    rows.copy_from_slice(matrix.rows());
    // An element without a row has no successors.
    for middle in 0..rows.len() {
        let through = rows[middle];
        rows.iter_mut().filter(|row| has(**row, middle)).for_each(|row| *row |= through);
    }
    let (from, to) = matrix.carriers();
    Matrix::set(from, to, rows)
}

/// `fnc(relation)`: each key with the set of its images.
pub fn fnc(relation: &Set) -> Set {
    let keys = dom(relation);
    let rows = keys.iter().map(|key| {
        let images = images(relation, &key).collect();
        Value::pair(key, Value::Set(Set::from_sorted(images)))
    });
    Set::from_sorted(rows.collect())
}

/// `rel(function)`: each key with each element of its image.
pub fn rel<E>(function: &Set, meter: &mut Meter<'_, E>) -> Result<Set, E> {
    let mut rows = Rows::new(meter);
    let mut pairs = pairs(function).peekable();
    while let Some((first, second)) = pairs.next() {
        rows.count()?;
        for element in second.as_set().into_iter().flat_map(Set::iter) {
            rows.push(element)?;
        }
        if pairs.peek().is_none_or(|(next, _)| *next != first) {
            rows.finish_row(&first);
        }
    }
    Ok(rows.finish())
}

/// True if no key has two images.
pub fn is_functional(relation: &Set) -> bool {
    if let Some(matrix) = relation.as_matrix() {
        return matrix.rows().iter().all(|row| row.count_ones() <= 1);
    }
    let mut previous = None;
    borrowed(relation).all(|(first, _)| previous.replace(first) != Some(first))
}

/// True if no two keys share an image.
pub fn is_injective(relation: &Set) -> bool {
    if let Some(matrix) = relation.as_matrix() {
        let mut seen = 0;
        return matrix.rows().iter().all(|row| {
            let is_new = seen & row == 0;
            seen |= row;
            is_new
        });
    }
    let mut seconds: Vec<(&Value, &Value)> = borrowed(relation).map(|(first, second)| (second, first)).collect();
    seconds.sort_unstable();
    seconds.windows(2).all(|pair| pair[0].0 != pair[1].0)
}
