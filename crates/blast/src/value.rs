//! [`CircuitValue`]: an unknown value as literals of a circuit, and [`Blast`], the operations on it.
//!
//! A value of few possibilities is one-hot, one literal each; an integer of a wide range is binary. Operators convert between the forms as needed.
//! Each form must represent all values that its unknown can take, or solutions are lost.

use std::sync::Arc;

use abridge_value::{Int, Set, Value};

use crate::bits::{Bits, MAX_MAGNITUDE};
use crate::circuit::{Circuit, Lit};

/// Possible values, ascending, each with the literal that selects it. Exactly one literal is true where the value is defined, none elsewhere.
pub type Choice = Vec<(Value, Lit)>;

/// Possible elements of a set, ascending, each with the literal that includes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Members {
    pub items: Vec<(Value, Lit)>,
    /// The set is known to be a function.
    pub is_function: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CircuitValue {
    Bool(Lit),
    Choice(Choice),
    /// Integer of a wide range, in binary.
    Bits(Bits),
    Pair(Arc<(CircuitValue, CircuitValue)>),
    /// Record with the number of its type.
    Record(u32, Arc<[CircuitValue]>),
    Set(Members),
    /// Function whose values cannot be listed; keys ascend.
    Map(Arc<[Entry]>),
}

/// Possible argument of a function, with the value there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub key: Value,
    pub present: Lit,
    pub val: CircuitValue,
}

/// Reason why no circuit exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsupported(pub &'static str);

type Result<T> = std::result::Result<T, Unsupported>;

/// Sums and products with more pairs of operand values are computed in binary.
const MAX_PAIRS: usize = 1200;
/// Binary integers with more possible values are not converted to a choice.
const MAX_LISTED_VALUES: i64 = 4096;
/// Default of [`Blast::set_max_one_hot`].
pub const MAX_ONE_HOT: i64 = 128;

/// Circuit under construction, with B operators on circuit values.
pub struct Blast {
    pub circuit: Circuit,
    max_size: usize,
    /// Unknown integers with more possible values are binary, others are one-hot.
    max_one_hot: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arith {
    Add,
    Subtract,
    Multiply,
}

impl CircuitValue {
    pub fn known(value: &Value) -> CircuitValue {
        match value {
            Value::Bool(flag) => CircuitValue::Bool(Lit::from(*flag)),
            Value::Set(set) => CircuitValue::Set(Members::known(set)),
            _ => CircuitValue::Choice(vec![(value.clone(), Lit::TRUE)]),
        }
    }

    pub fn pair(first: CircuitValue, second: CircuitValue) -> CircuitValue {
        CircuitValue::Pair(Arc::new((first, second)))
    }

    pub fn set(items: Vec<(Value, Lit)>) -> CircuitValue {
        CircuitValue::Set(Members { items, is_function: false })
    }

    /// Value under an assignment of the literals; `None` if it is undefined.
    pub fn decode(&self, value: &(impl Fn(Lit) -> bool + ?Sized)) -> Option<Value> {
        Some(match self {
            CircuitValue::Bool(lit) => Value::Bool(value(*lit)),
            CircuitValue::Choice(choice) => choice.iter().find(|(_, lit)| value(*lit))?.0.clone(),
            CircuitValue::Bits(bits) => Value::int(Int::from(bits.decode(value))),
            CircuitValue::Pair(pair) => Value::pair(pair.0.decode(value)?, pair.1.decode(value)?),
            CircuitValue::Record(shape, fields) => {
                let fields: Option<Vec<Value>> = fields.iter().map(|field| field.decode(value)).collect();
                Value::record(*shape, fields?)
            }
            CircuitValue::Set(members) => {
                Value::Set(members.items.iter().filter(|(_, lit)| value(*lit)).map(|(item, _)| item.clone()).collect())
            }
            CircuitValue::Map(entries) => {
                let present = entries.iter().filter(|entry| value(entry.present));
                let pairs: Option<Set> =
                    present.map(|entry| Some(Value::pair(entry.key.clone(), entry.val.decode(value)?))).collect();
                Value::Set(pairs?)
            }
        })
    }

    /// Calls `visit` with all literals of the value.
    pub fn for_each_lit(&self, visit: &mut impl FnMut(Lit)) {
        match self {
            CircuitValue::Bool(lit) => visit(*lit),
            CircuitValue::Choice(items) | CircuitValue::Set(Members { items, .. }) => {
                items.iter().for_each(|(_, lit)| visit(*lit))
            }
            CircuitValue::Bits(bits) => bits.lits().iter().for_each(|lit| visit(*lit)),
            CircuitValue::Pair(pair) => {
                pair.0.for_each_lit(visit);
                pair.1.for_each_lit(visit);
            }
            CircuitValue::Record(_, fields) => fields.iter().for_each(|field| field.for_each_lit(visit)),
            CircuitValue::Map(entries) => {
                for entry in entries.iter() {
                    visit(entry.present);
                    entry.val.for_each_lit(visit);
                }
            }
        }
    }

    /// Appends literals to a clause that excludes the value of a solution: each is false there, and every other value makes one of them true.
    pub fn distinguish(&self, value: &(impl Fn(Lit) -> bool + ?Sized), clause: &mut Vec<Lit>) {
        let mut differ = |lit: Lit| clause.push(if value(lit) { !lit } else { lit });
        match self {
            CircuitValue::Bool(lit) => differ(*lit),
            CircuitValue::Choice(choice) => {
                choice.iter().filter(|(_, lit)| value(*lit)).for_each(|(_, lit)| differ(*lit))
            }
            CircuitValue::Bits(bits) => bits.lits().iter().for_each(|lit| differ(*lit)),
            // A different function lacks one of the pairs, or has a pair for a key that has none here.
            CircuitValue::Set(members) if members.is_function => {
                for group in members.items.chunk_by(|left, right| key_of(&left.0) == key_of(&right.0)) {
                    match group.iter().find(|(_, lit)| value(*lit)) {
                        Some((_, lit)) => differ(*lit),
                        None => group.iter().for_each(|(_, lit)| differ(*lit)),
                    }
                }
            }
            CircuitValue::Set(members) => members.items.iter().for_each(|(_, lit)| differ(*lit)),
            CircuitValue::Pair(pair) => {
                pair.0.distinguish(value, clause);
                pair.1.distinguish(value, clause);
            }
            CircuitValue::Record(_, fields) => fields.iter().for_each(|field| field.distinguish(value, clause)),
            CircuitValue::Map(entries) => {
                for entry in entries.iter() {
                    clause.push(if value(entry.present) { !entry.present } else { entry.present });
                    if value(entry.present) {
                        entry.val.distinguish(value, clause);
                    }
                }
            }
        }
    }
}

impl Members {
    pub fn known(set: &Set) -> Members {
        let items = set.iter().map(|item| (item, Lit::TRUE)).collect();
        Members { items, is_function: is_function(set) }
    }

    pub fn get(&self, item: &Value) -> Lit {
        find(&self.items, item)
    }

    /// The set as a value, if all literals are constant.
    pub fn as_known(&self) -> Option<Set> {
        self.items
            .iter()
            .all(|(_, lit)| lit.is_constant())
            .then(|| self.items.iter().filter(|(_, lit)| *lit == Lit::TRUE).map(|(item, _)| item.clone()).collect())
    }
}

/// True if a set consists of pairs and is a function.
fn is_function(set: &Set) -> bool {
    let n_pairs = abridge_value::relation::pairs(set).count() as u64;
    n_pairs == set.len() && abridge_value::relation::is_functional(set)
}

/// Literal of a value in an ascending list; [`Lit::FALSE`] if the value is absent.
pub(crate) fn find(items: &[(Value, Lit)], item: &Value) -> Lit {
    items.binary_search_by(|(other, _)| other.cmp(item)).map_or(Lit::FALSE, |idx| items[idx].1)
}

fn as_i64(value: &Value) -> Result<i64> {
    let int = value.as_int().and_then(|int| int.to_i64()).filter(|int| (-MAX_MAGNITUDE..=MAX_MAGNITUDE).contains(int));
    int.ok_or(Unsupported("a large integer"))
}

impl Blast {
    /// Creates an empty circuit with a maximum size.
    pub fn new(max_size: usize) -> Blast {
        Blast { circuit: Circuit::default(), max_size, max_one_hot: MAX_ONE_HOT }
    }

    /// Sets the largest number of possible values of one-hot integers. Unknown integers with more are binary.
    pub fn set_max_one_hot(&mut self, n_values: i64) {
        self.max_one_hot = n_values;
    }

    /// True if an unknown integer of this range is binary.
    pub fn is_binary(&self, lo: &Int, hi: &Int) -> bool {
        hi - lo >= Int::from(self.max_one_hot)
    }

    pub fn check_size(&self) -> Result<()> {
        if self.circuit.size() > self.max_size { Err(Unsupported("a large circuit")) } else { Ok(()) }
    }

    /// Merges equal values, with the disjunction of their literals.
    pub(crate) fn gather(&mut self, mut items: Vec<(Value, Lit)>) -> Vec<(Value, Lit)> {
        items.retain(|(_, lit)| *lit != Lit::FALSE);
        items.sort_by(|left, right| left.0.cmp(&right.0));
        let groups = items.chunk_by(|left, right| left.0 == right.0);
        groups.map(|group| (group[0].0.clone(), self.circuit.or_all(group.iter().map(|(_, lit)| *lit)))).collect()
    }

    /// Unknown choice among values, with the condition that exactly one is selected.
    pub fn fresh_choice(&mut self, values: impl IntoIterator<Item = Value>) -> (CircuitValue, Lit) {
        let mut choice: Choice = values.into_iter().map(|value| (value, Lit::TRUE)).collect();
        if choice.len() > 1 {
            choice.iter_mut().for_each(|(_, lit)| *lit = self.circuit.input());
        }
        if let [(Value::Bool(false), _), (Value::Bool(true), lit)] = choice[..] {
            return (CircuitValue::Bool(lit), Lit::TRUE);
        }
        let lits: Vec<Lit> = choice.iter().map(|(_, lit)| *lit).collect();
        let condition = self.circuit.exactly_one(&lits);
        (CircuitValue::Choice(choice), condition)
    }

    /// Unknown integer, with the condition that it is within its bounds.
    pub fn fresh_int(&mut self, lo: i64, hi: i64) -> Result<(CircuitValue, Lit)> {
        if lo < -MAX_MAGNITUDE || hi > MAX_MAGNITUDE {
            return Err(Unsupported("a large integer"));
        }
        if hi - lo < self.max_one_hot {
            return Ok(self.fresh_choice((lo..=hi).map(|int| Value::int(Int::from(int)))));
        }
        let (bits, inside) = self.circuit.fresh_bits(lo, hi);
        Ok((CircuitValue::Bits(bits), inside))
    }

    /// Unknown subset of these values.
    pub fn fresh_subset(&mut self, values: impl IntoIterator<Item = Value>) -> Members {
        let items = values.into_iter().map(|value| (value, self.circuit.input())).collect();
        Members { items, is_function: false }
    }

    pub fn bool(&self, unknown: &CircuitValue) -> Result<Lit> {
        match unknown {
            CircuitValue::Bool(lit) => Ok(*lit),
            CircuitValue::Choice(choice) => Ok(find(choice, &Value::Bool(true))),
            _ => Err(Unsupported("a boolean is expected")),
        }
    }

    /// Lists the possible values, each with its literal.
    pub fn choice(&mut self, unknown: &CircuitValue) -> Result<Choice> {
        self.check_size()?;
        match unknown {
            CircuitValue::Choice(choice) => Ok(choice.clone()),
            CircuitValue::Bool(lit) => Ok(vec![(Value::Bool(false), !*lit), (Value::Bool(true), *lit)]),
            CircuitValue::Bits(bits) if bits.hi - bits.lo < MAX_LISTED_VALUES => {
                let each = (bits.lo..=bits.hi)
                    .map(|int| (Value::int(Int::from(int)), self.circuit.equal_bits(bits, &Bits::constant(int))));
                Ok(each.collect())
            }
            CircuitValue::Pair(pair) => {
                let (first, second) = (self.choice(&pair.0)?, self.choice(&pair.1)?);
                if first.len() * second.len() > 4 * MAX_LISTED_VALUES as usize {
                    return Err(Unsupported("many pairs"));
                }
                let mut pairs = Vec::with_capacity(first.len() * second.len());
                for (left, lit) in &first {
                    for (right, other) in &second {
                        pairs.push((Value::pair(left.clone(), right.clone()), self.circuit.and(*lit, *other)));
                    }
                }
                Ok(self.gather(pairs))
            }
            CircuitValue::Set(members) => {
                let set = members.as_known().ok_or(Unsupported("a set as an element"))?;
                Ok(vec![(Value::Set(set), Lit::TRUE)])
            }
            _ => Err(Unsupported("values that cannot be listed")),
        }
    }

    pub(crate) fn bits(&mut self, unknown: &CircuitValue) -> Result<Bits> {
        match unknown {
            CircuitValue::Bits(bits) => Ok(bits.clone()),
            CircuitValue::Choice(choice) => {
                let ints: Result<Vec<i64>> = choice.iter().map(|(value, _)| as_i64(value)).collect();
                let ints = ints?;
                let (Some(lo), Some(hi)) = (ints.iter().min(), ints.iter().max()) else {
                    return Ok(Bits::constant(0));
                };
                let constants: Vec<Bits> = ints.iter().map(|int| Bits::constant(*int)).collect();
                let width = constants.iter().map(|bits| bits.bits.len()).max().unwrap_or(1);
                let bits = (0..width)
                    .map(|idx| {
                        let ones = choice.iter().zip(&ints).filter(|(_, int)| *int >> idx & 1 == 1);
                        let ones: Vec<Lit> = ones.map(|((_, lit), _)| *lit).collect();
                        self.circuit.or_all(ones)
                    })
                    .collect();
                Ok(Bits { bits, lo: *lo, hi: *hi })
            }
            _ => Err(Unsupported("an integer is expected")),
        }
    }

    /// Bounds of an integer.
    pub fn int_range(&mut self, unknown: &CircuitValue) -> Result<(i64, i64)> {
        self.bits(unknown).map(|bits| (bits.lo, bits.hi))
    }

    pub fn split(&mut self, unknown: &CircuitValue) -> Result<(CircuitValue, CircuitValue)> {
        match unknown {
            CircuitValue::Pair(pair) => Ok((**pair).clone()),
            CircuitValue::Choice(choice) => {
                let parts: Option<Vec<_>> = choice.iter().map(|(value, lit)| Some((value.as_pair()?, *lit))).collect();
                let parts = parts.ok_or(Unsupported("a pair is expected"))?;
                let first = parts.iter().map(|((left, _), lit)| ((*left).clone(), *lit)).collect();
                let second = parts.iter().map(|((_, right), lit)| ((*right).clone(), *lit)).collect();
                Ok((self.chosen(first), self.chosen(second)))
            }
            _ => Err(Unsupported("a pair is expected")),
        }
    }

    /// Normal form of a choice: booleans and sets have forms of their own, other values ascend without duplicates.
    pub fn chosen(&mut self, items: Vec<(Value, Lit)>) -> CircuitValue {
        let choice = self.gather(items);
        match choice.first() {
            Some((Value::Bool(_), _)) => CircuitValue::Bool(find(&choice, &Value::Bool(true))),
            Some((Value::Set(_), _)) => self.chosen_set(&choice),
            _ => CircuitValue::Choice(choice),
        }
    }

    /// Choice among known sets, as a set of possible elements.
    fn chosen_set(&mut self, choice: &Choice) -> CircuitValue {
        let sets = choice.iter().filter_map(|(value, lit)| Some((value.as_set()?, *lit)));
        let is_function = sets.clone().all(|(set, _)| is_function(set));
        let items = sets.flat_map(|(set, lit)| set.iter().map(move |item| (item, lit))).collect();
        CircuitValue::Set(Members { items: self.gather(items), is_function })
    }

    pub fn field(&mut self, unknown: &CircuitValue, field: usize) -> Result<CircuitValue> {
        match unknown {
            CircuitValue::Record(_, fields) => fields.get(field).cloned().ok_or(Unsupported("a field")),
            CircuitValue::Choice(choice) => {
                let parts = choice.iter().map(|(value, lit)| match value {
                    Value::Record(record) => Ok((record.fields()[field].clone(), *lit)),
                    _ => Err(Unsupported("a record is expected")),
                });
                let parts: Result<Vec<_>> = parts.collect();
                Ok(self.chosen(parts?))
            }
            _ => Err(Unsupported("a record is expected")),
        }
    }

    pub fn equal(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<Lit> {
        self.check_size()?;
        match (left, right) {
            (CircuitValue::Bool(_), _) | (_, CircuitValue::Bool(_)) => {
                let (left, right) = (self.bool(left)?, self.bool(right)?);
                Ok(self.circuit.iff(left, right))
            }
            (CircuitValue::Bits(_), _) | (_, CircuitValue::Bits(_)) => {
                let (left, right) = (self.bits(left)?, self.bits(right)?);
                Ok(self.circuit.equal_bits(&left, &right))
            }
            (CircuitValue::Choice(left), CircuitValue::Choice(right)) => {
                let common = left.iter().filter_map(|(value, lit)| match find(right, value) {
                    Lit::FALSE => None,
                    other => Some((*lit, other)),
                });
                let both: Vec<Lit> = common.map(|(left, right)| self.circuit.and(left, right)).collect();
                Ok(self.circuit.or_all(both))
            }
            (CircuitValue::Pair(_), _) | (_, CircuitValue::Pair(_)) => {
                let (a, b) = self.split(left)?;
                let (c, d) = self.split(right)?;
                let (first, second) = (self.equal(&a, &c)?, self.equal(&b, &d)?);
                Ok(self.circuit.and(first, second))
            }
            (CircuitValue::Record(_, fields), other) | (other, CircuitValue::Record(_, fields)) => {
                let mut same = Vec::with_capacity(fields.len());
                for (idx, field) in fields.iter().enumerate() {
                    let other = self.field(other, idx)?;
                    same.push(self.equal(field, &other)?);
                }
                Ok(self.circuit.and_all(same))
            }
            (CircuitValue::Map(map), other) | (other, CircuitValue::Map(map)) => self.equal_map(map, other),
            _ => {
                let (left, right) = (self.members(left)?, self.members(right)?);
                let mut same = Vec::new();
                for (item, lit) in &left.items {
                    same.push(self.circuit.iff(*lit, right.get(item)));
                }
                same.extend(right.items.iter().filter(|(item, _)| left.get(item) == Lit::FALSE).map(|(_, lit)| !*lit));
                Ok(self.circuit.and_all(same))
            }
        }
    }

    fn equal_map(&mut self, map: &[Entry], other: &CircuitValue) -> Result<Lit> {
        let other = self.entries(other)?;
        let mut same = Vec::new();
        for (left, right) in merge_entries(map, &other) {
            match (left, right) {
                (Some(left), Some(right)) => {
                    same.push(self.circuit.iff(left.present, right.present));
                    let equal = self.equal(&left.val, &right.val)?;
                    same.push(self.circuit.implies(left.present, equal));
                }
                (Some(only), None) | (None, Some(only)) => same.push(!only.present),
                (None, None) => {}
            }
        }
        Ok(self.circuit.and_all(same))
    }

    /// Converts a function to entries, one per possible argument.
    pub fn entries(&mut self, unknown: &CircuitValue) -> Result<Vec<Entry>> {
        if let CircuitValue::Map(entries) = unknown {
            return Ok(entries.to_vec());
        }
        let members = self.members(unknown)?;
        if !members.is_function {
            return Err(Unsupported("a function is expected"));
        }
        let mut entries = Vec::new();
        let is_same_key = |left: &(Value, Lit), right: &(Value, Lit)| key_of(&left.0) == key_of(&right.0);
        for group in members.items.chunk_by(is_same_key) {
            let key = key_of(&group[0].0).ok_or(Unsupported("a pair is expected"))?.clone();
            let vals = group.iter().filter_map(|(pair, lit)| Some((pair.as_pair()?.1.clone(), *lit))).collect();
            let present = self.circuit.or_all(group.iter().map(|(_, lit)| *lit));
            entries.push(Entry { key, present, val: self.chosen(vals) });
        }
        Ok(entries)
    }

    /// Converts a set to its possible elements.
    pub fn members(&mut self, unknown: &CircuitValue) -> Result<Members> {
        match unknown {
            CircuitValue::Set(members) => Ok(members.clone()),
            CircuitValue::Map(entries) => {
                let mut items = Vec::new();
                for Entry { key, present, val } in entries.iter() {
                    for (val, lit) in self.choice(val)? {
                        items.push((Value::pair(key.clone(), val), self.circuit.and(*present, lit)));
                    }
                }
                Ok(Members { items: self.gather(items), is_function: true })
            }
            CircuitValue::Choice(choice) if choice.is_empty() => Ok(Members::default()),
            CircuitValue::Choice(choice) => match self.chosen_set(choice) {
                CircuitValue::Set(members) => Ok(members),
                _ => Err(Unsupported("a set is expected")),
            },
            _ => Err(Unsupported("a set is expected")),
        }
    }

    /// Value of the case whose condition holds. At most one condition may hold.
    pub fn select(&mut self, cases: &[(Lit, CircuitValue)]) -> Result<CircuitValue> {
        self.check_size()?;
        let cases: Vec<&(Lit, CircuitValue)> = cases.iter().filter(|(lit, _)| *lit != Lit::FALSE).collect();
        match cases[..] {
            [] => return Ok(CircuitValue::Choice(Vec::new())),
            [(Lit::TRUE, only)] => return Ok(only.clone()),
            _ => {}
        }
        let has = |test: fn(&CircuitValue) -> bool| cases.iter().any(|(_, unknown)| test(unknown));
        if has(|unknown| matches!(unknown, CircuitValue::Bool(_))) {
            let mut ways = Vec::new();
            for (condition, unknown) in cases {
                let lit = self.bool(unknown)?;
                ways.push(self.circuit.and(*condition, lit));
            }
            return Ok(CircuitValue::Bool(self.circuit.or_all(ways)));
        }
        if has(|unknown| matches!(unknown, CircuitValue::Bits(_))) {
            return self.select_bits(&cases);
        }
        if has(|unknown| matches!(unknown, CircuitValue::Pair(_))) {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for (condition, unknown) in cases {
                let (left, right) = self.split(unknown)?;
                first.push((*condition, left));
                second.push((*condition, right));
            }
            return Ok(CircuitValue::pair(self.select(&first)?, self.select(&second)?));
        }
        if let Some((shape, n_fields)) = cases.iter().find_map(|(_, unknown)| match unknown {
            CircuitValue::Record(shape, fields) => Some((*shape, fields.len())),
            _ => None,
        }) {
            let mut fields = Vec::with_capacity(n_fields);
            for field in 0..n_fields {
                let mut parts = Vec::with_capacity(cases.len());
                for (condition, unknown) in &cases {
                    parts.push((*condition, self.field(unknown, field)?));
                }
                fields.push(self.select(&parts)?);
            }
            return Ok(CircuitValue::Record(shape, fields.into()));
        }
        if has(|unknown| matches!(unknown, CircuitValue::Map(_))) {
            return self.select_maps(&cases);
        }
        let is_set = has(|unknown| matches!(unknown, CircuitValue::Set(_)));
        let mut items = Vec::new();
        let mut is_function = true;
        for (condition, unknown) in cases {
            let part = if is_set {
                let members = self.members(unknown)?;
                is_function &= members.is_function;
                members.items
            } else {
                self.choice(unknown)?
            };
            for (value, lit) in part {
                items.push((value, self.circuit.and(*condition, lit)));
            }
        }
        let items = self.gather(items);
        Ok(if is_set { CircuitValue::Set(Members { items, is_function }) } else { CircuitValue::Choice(items) })
    }

    fn select_bits(&mut self, cases: &[&(Lit, CircuitValue)]) -> Result<CircuitValue> {
        let mut parts = Vec::with_capacity(cases.len());
        for (condition, unknown) in cases {
            parts.push((*condition, self.bits(unknown)?));
        }
        let width = parts.iter().map(|(_, bits)| bits.bits.len()).max().unwrap_or(1);
        let lo = parts.iter().map(|(_, bits)| bits.lo).min().unwrap_or(0).min(0);
        let hi = parts.iter().map(|(_, bits)| bits.hi).max().unwrap_or(0).max(0);
        let bits = (0..width)
            .map(|idx| {
                let sign = |bits: &Bits| bits.bits.get(idx).or(bits.bits.last()).copied().unwrap_or(Lit::FALSE);
                let ways: Vec<Lit> =
                    parts.iter().map(|(condition, bits)| self.circuit.and(*condition, sign(bits))).collect();
                self.circuit.or_all(ways)
            })
            .collect();
        Ok(CircuitValue::Bits(Bits { bits, lo, hi }))
    }

    fn select_maps(&mut self, cases: &[&(Lit, CircuitValue)]) -> Result<CircuitValue> {
        let mut all: Vec<(Value, Lit, CircuitValue)> = Vec::new();
        for (condition, unknown) in cases {
            for entry in self.entries(unknown)? {
                let present = self.circuit.and(*condition, entry.present);
                all.push((entry.key, present, entry.val));
            }
        }
        all.sort_by(|left, right| left.0.cmp(&right.0));
        let mut entries = Vec::new();
        for group in all.chunk_by(|left, right| left.0 == right.0) {
            let present = self.circuit.or_all(group.iter().map(|(_, present, _)| *present));
            let vals: Vec<(Lit, CircuitValue)> =
                group.iter().map(|(_, present, val)| (*present, val.clone())).collect();
            entries.push(Entry { key: group[0].0.clone(), present, val: self.select(&vals)? });
        }
        Ok(CircuitValue::Map(entries.into()))
    }

    pub fn ite(&mut self, condition: Lit, then: &CircuitValue, otherwise: &CircuitValue) -> Result<CircuitValue> {
        self.select(&[(condition, then.clone()), (!condition, otherwise.clone())])
    }

    pub fn add(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<CircuitValue> {
        self.arith(Arith::Add, left, right)
    }

    pub fn subtract(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<CircuitValue> {
        self.arith(Arith::Subtract, left, right)
    }

    pub fn multiply(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<CircuitValue> {
        self.arith(Arith::Multiply, left, right)
    }

    fn arith(&mut self, op: Arith, left: &CircuitValue, right: &CircuitValue) -> Result<CircuitValue> {
        self.check_size()?;
        if let (CircuitValue::Choice(a), CircuitValue::Choice(b)) = (left, right)
            && a.len() * b.len() <= MAX_PAIRS
        {
            let mut sums = Vec::with_capacity(a.len() * b.len());
            for (x, lit) in a {
                for (y, other) in b {
                    let (x, y) = (as_i64(x)?, as_i64(y)?);
                    let result = match op {
                        Arith::Add => x.checked_add(y),
                        Arith::Subtract => x.checked_sub(y),
                        Arith::Multiply => x.checked_mul(y),
                    };
                    let result = result.ok_or(Unsupported("a large integer"))?;
                    sums.push((Value::int(Int::from(result)), self.circuit.and(*lit, *other)));
                }
            }
            let sums = self.gather(sums);
            if sums.len() <= 300 || sums.len() <= a.len().max(b.len()) {
                return Ok(CircuitValue::Choice(sums));
            }
        }
        let (left, right) = (self.bits(left)?, self.bits(right)?);
        let result = match op {
            Arith::Add => self.circuit.add(&left, &right),
            Arith::Subtract => self.circuit.subtract(&left, &right),
            Arith::Multiply => self.circuit.multiply(&left, &right),
        };
        result.map(CircuitValue::Bits).ok_or(Unsupported("a large integer"))
    }

    pub fn less(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<Lit> {
        self.check_size()?;
        if let (CircuitValue::Choice(a), CircuitValue::Choice(b)) = (left, right)
            && a.len() * b.len() <= MAX_PAIRS
        {
            let mut ways = Vec::new();
            for (x, lit) in a {
                let x = as_i64(x)?;
                let mut above = Vec::new();
                for (y, other) in b {
                    if x < as_i64(y)? {
                        above.push(*other);
                    }
                }
                let above = self.circuit.or_all(above);
                ways.push(self.circuit.and(*lit, above));
            }
            return Ok(self.circuit.or_all(ways));
        }
        let (left, right) = (self.bits(left)?, self.bits(right)?);
        Ok(self.circuit.less(&left, &right))
    }
}

pub(crate) fn key_of(pair: &Value) -> Option<&Value> {
    pair.as_pair().map(|(key, _)| key)
}

/// Merges the entries of two functions by key.
pub(crate) fn merge_entries<'a>(left: &'a [Entry], right: &'a [Entry]) -> Vec<(Option<&'a Entry>, Option<&'a Entry>)> {
    let mut merged = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        let order = match (left.get(i), right.get(j)) {
            (Some(a), Some(b)) => a.key.cmp(&b.key),
            (Some(_), None) => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        };
        merged.push(((order.is_le()).then(|| &left[i]), (order.is_ge()).then(|| &right[j])));
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
    merged
}
