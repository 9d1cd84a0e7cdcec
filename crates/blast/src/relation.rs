//! Circuits for operators on relations and functions.
//!
//! A relation is a set of possible pairs; a function whose values cannot be listed is a map from keys to values ([`CircuitValue::Map`]). Partial
//! operators return the condition under which they are defined, which callers must heed.

use abridge_value::{Int, Value};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::circuit::Lit;
use crate::set::kept;
use crate::value::{Blast, CircuitValue, Entry, Members, Unsupported, key_of, merge_entries};

type Result<T> = std::result::Result<T, Unsupported>;

const PAIR: Unsupported = Unsupported("a pair is expected");

/// Component that a restriction looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    First,
    Second,
}

fn parts(pair: &Value) -> Result<(&Value, &Value)> {
    pair.as_pair().ok_or(PAIR)
}

impl Blast {
    /// `f(x)`, with the condition that it is defined.
    pub fn apply(&mut self, function: &CircuitValue, x: &CircuitValue) -> Result<(CircuitValue, Lit)> {
        self.check_size()?;
        if let CircuitValue::Map(entries) = function {
            let mut cases = Vec::with_capacity(entries.len());
            for entry in entries.iter() {
                let here = self.equal(x, &CircuitValue::known(&entry.key))?;
                cases.push((self.circuit.and(here, entry.present), entry.val.clone()));
            }
            let defined = self.circuit.or_all(cases.iter().map(|(lit, _)| *lit));
            return Ok((self.select(&cases)?, defined));
        }
        let members = self.members(function)?;
        let mut values = Vec::new();
        let is_same_key = |left: &(Value, Lit), right: &(Value, Lit)| key_of(&left.0) == key_of(&right.0);
        let mut clashes = Vec::new();
        for group in members.items.chunk_by(is_same_key) {
            let (key, _) = parts(&group[0].0)?;
            let here = self.equal(x, &CircuitValue::known(key))?;
            if here == Lit::FALSE {
                continue;
            }
            for (pair, lit) in group {
                values.push((parts(pair)?.1.clone(), self.circuit.and(here, *lit)));
            }
            if !members.is_function {
                let lits: Vec<Lit> = group.iter().map(|(_, lit)| *lit).collect();
                let unique = self.circuit.at_most_one(&lits);
                clashes.push(self.circuit.and(here, !unique));
            }
        }
        let some = self.circuit.or_all(values.iter().map(|(_, lit)| *lit));
        let clash = self.circuit.or_all(clashes);
        let defined = self.circuit.and(some, !clash);
        Ok((self.chosen(values), defined))
    }

    pub fn dom(&mut self, relation: &CircuitValue) -> Result<CircuitValue> {
        if let CircuitValue::Map(entries) = relation {
            return Ok(CircuitValue::set(entries.iter().map(|entry| (entry.key.clone(), entry.present)).collect()));
        }
        self.projected(relation, Side::First)
    }

    pub fn ran(&mut self, relation: &CircuitValue) -> Result<CircuitValue> {
        self.projected(relation, Side::Second)
    }

    fn projected(&mut self, relation: &CircuitValue, side: Side) -> Result<CircuitValue> {
        let members = self.members(relation)?;
        let mut items = Vec::with_capacity(members.items.len());
        for (pair, lit) in &members.items {
            let (first, second) = parts(pair)?;
            items.push((if side == Side::First { first } else { second }.clone(), *lit));
        }
        Ok(CircuitValue::set(self.gather(items)))
    }

    pub fn inverse(&mut self, relation: &CircuitValue) -> Result<CircuitValue> {
        let members = self.members(relation)?;
        let mut items = Vec::with_capacity(members.items.len());
        for (pair, lit) in &members.items {
            let (first, second) = parts(pair)?;
            items.push((Value::pair(second.clone(), first.clone()), *lit));
        }
        Ok(CircuitValue::set(self.gather(items)))
    }

    pub fn identity(&mut self, set: &CircuitValue) -> Result<CircuitValue> {
        let members = self.members(set)?;
        let items = members.items.into_iter().map(|(item, lit)| (Value::pair(item.clone(), item), lit)).collect();
        Ok(CircuitValue::Set(Members { items, is_function: true }))
    }

    /// `relation[set]`
    pub fn image(&mut self, relation: &CircuitValue, set: &CircuitValue) -> Result<CircuitValue> {
        let (relation, set) = (self.members(relation)?, self.members(set)?);
        let mut items = Vec::new();
        for (pair, lit) in &relation.items {
            let (first, second) = parts(pair)?;
            items.push((second.clone(), self.circuit.and(*lit, set.get(first))));
        }
        self.check_size()?;
        Ok(CircuitValue::set(self.gather(items)))
    }

    /// Pairs whose first or second component is in the set, or is not.
    pub fn restrict(
        &mut self,
        relation: &CircuitValue,
        set: &CircuitValue,
        side: Side,
        inside: bool,
    ) -> Result<CircuitValue> {
        let set = self.members(set)?;
        let condition = |key: &Value| if inside { set.get(key) } else { !set.get(key) };
        if let (CircuitValue::Map(entries), Side::First) = (relation, side) {
            let kept = entries.iter().map(|entry| Entry {
                present: self.circuit.and(entry.present, condition(&entry.key)),
                ..entry.clone()
            });
            return Ok(CircuitValue::Map(kept.collect()));
        }
        let relation = self.members(relation)?;
        let mut items = Vec::with_capacity(relation.items.len());
        for (pair, lit) in &relation.items {
            let (first, second) = parts(pair)?;
            let key = if side == Side::First { first } else { second };
            items.push((pair.clone(), self.circuit.and(*lit, condition(key))));
        }
        Ok(kept(items, relation.is_function))
    }

    /// `left <+ right`
    pub fn override_with(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<CircuitValue> {
        if let (CircuitValue::Map(_), _) | (_, CircuitValue::Map(_)) = (left, right) {
            let (left, right) = (self.entries(left)?, self.entries(right)?);
            let mut entries = Vec::new();
            for pair in merge_entries(&left, &right) {
                entries.push(match pair {
                    (Some(old), Some(new)) => Entry {
                        key: old.key.clone(),
                        present: self.circuit.or(old.present, new.present),
                        val: self.ite(new.present, &new.val, &old.val)?,
                    },
                    (Some(only), _) | (_, Some(only)) => only.clone(),
                    (None, None) => continue,
                });
            }
            return Ok(CircuitValue::Map(entries.into()));
        }
        let keys = self.dom(right)?;
        let kept = self.restrict(left, &keys, Side::First, false)?;
        let (kept, right) = (self.members(&kept)?, self.members(right)?);
        let is_function = kept.is_function && right.is_function;
        let items = kept.items.into_iter().chain(right.items).collect();
        Ok(CircuitValue::Set(Members { items: self.gather(items), is_function }))
    }

    /// `(left ; right)`
    pub fn compose(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<CircuitValue> {
        let (left, right) = (self.members(left)?, self.members(right)?);
        let mut by_key: HashMap<&Value, Vec<(&Value, Lit)>, FxBuildHasher> = HashMap::default();
        for (pair, lit) in &right.items {
            let (first, second) = parts(pair)?;
            by_key.entry(first).or_default().push((second, *lit));
        }
        let mut items = Vec::new();
        for (pair, lit) in &left.items {
            self.check_size()?;
            let (first, middle) = parts(pair)?;
            for (last, other) in by_key.get(middle).into_iter().flatten() {
                items.push((Value::pair(first.clone(), (*last).clone()), self.circuit.and(*lit, *other)));
            }
        }
        let is_function = left.is_function && right.is_function;
        Ok(CircuitValue::Set(Members { items: self.gather(items), is_function }))
    }

    /// Transitive closure, by repeated squaring.
    pub fn closure1(&mut self, relation: &CircuitValue) -> Result<CircuitValue> {
        let mut closure = CircuitValue::Set(self.members(relation)?);
        // Each round doubles the length of the paths covered. No shortest path is longer than the number of pairs.
        let n_pairs = self.members(relation)?.items.len();
        for _ in 0..usize::BITS - n_pairs.leading_zeros() {
            let longer = self.compose(&closure, &closure)?;
            closure = self.union(&closure, &longer)?;
        }
        Ok(closure)
    }

    /// Condition that no key has two values.
    pub fn is_functional(&mut self, relation: &CircuitValue) -> Result<Lit> {
        if let CircuitValue::Map(_) = relation {
            return Ok(Lit::TRUE);
        }
        let members = self.members(relation)?;
        if members.is_function {
            return Ok(Lit::TRUE);
        }
        let mut unique = Vec::new();
        for group in members.items.chunk_by(|left, right| key_of(&left.0) == key_of(&right.0)) {
            let lits: Vec<Lit> = group.iter().map(|(_, lit)| *lit).collect();
            unique.push(self.circuit.at_most_one(&lits));
        }
        Ok(self.circuit.and_all(unique))
    }

    /// Condition that no two keys share a value.
    pub fn is_injective(&mut self, relation: &CircuitValue) -> Result<Lit> {
        if let CircuitValue::Map(entries) = relation {
            let mut different = Vec::new();
            for (idx, left) in entries.iter().enumerate() {
                for right in &entries[idx + 1..] {
                    let same = self.equal(&left.val, &right.val)?;
                    different.push(!self.circuit.and_all([left.present, right.present, same]));
                }
            }
            return Ok(self.circuit.and_all(different));
        }
        let inverse = self.inverse(relation)?;
        self.is_functional(&inverse)
    }

    pub fn sequence(&mut self, items: &[CircuitValue]) -> Result<CircuitValue> {
        let position = |idx: usize| Value::int(Int::from(idx as u64 + 1));
        let entries = items.iter().enumerate();
        let entries = entries.map(|(idx, val)| Entry { key: position(idx), present: Lit::TRUE, val: val.clone() });
        Ok(self.flattened(entries.collect()))
    }

    /// Function as a set of pairs, if its values can be listed; as a map otherwise.
    pub fn flattened(&mut self, entries: Vec<Entry>) -> CircuitValue {
        let map = CircuitValue::Map(entries.into());
        match self.members(&map) {
            Ok(members) => CircuitValue::Set(members),
            Err(_) => map,
        }
    }
}
