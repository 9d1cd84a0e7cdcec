//! Circuits for operators on sets.
//!
//! A set is a list of possible elements with a literal each, so operators combine literals of equal elements. Cardinalities are counted in unary for
//! small sets, in binary for large ones.

use std::collections::BTreeMap;

use abridge_value::{Int, Value};

use crate::circuit::Lit;
use crate::value::{Blast, Choice, CircuitValue, Entry, Members, Unsupported};

type Result<T> = std::result::Result<T, Unsupported>;

/// Sets with more unknown elements are counted in binary.
const MAX_UNARY_LITERALS: usize = 128;

impl Blast {
    /// `x : set`
    pub fn member(&mut self, x: &CircuitValue, set: &CircuitValue) -> Result<Lit> {
        self.check_size()?;
        if let CircuitValue::Map(entries) = set {
            let (key, val) = self.split(x)?;
            let mut ways = Vec::new();
            for entry in entries.iter() {
                let here = self.equal(&key, &CircuitValue::known(&entry.key))?;
                let same = self.equal(&val, &entry.val)?;
                ways.push(self.circuit.and_all([entry.present, here, same]));
            }
            return Ok(self.circuit.or_all(ways));
        }
        let members = self.members(set)?;
        if let CircuitValue::Choice(choice) = x {
            let both: Vec<Lit> = choice.iter().map(|(value, lit)| self.circuit.and(*lit, members.get(value))).collect();
            return Ok(self.circuit.or_all(both));
        }
        if let CircuitValue::Pair(pair) = x
            && let (CircuitValue::Choice(first), second) = &**pair
        {
            return self.pair_member(first, second, &members);
        }
        let mut ways = Vec::new();
        for (item, lit) in &members.items {
            let same = self.equal(x, &CircuitValue::known(item))?;
            ways.push(self.circuit.and(*lit, same));
        }
        Ok(self.circuit.or_all(ways))
    }

    /// Membership of a pair in a relation: the second component is an image of the first. Pairs are grouped by first component, so that its possible
    /// values share the gates of an image set.
    fn pair_member(&mut self, first: &Choice, second: &CircuitValue, relation: &Members) -> Result<Lit> {
        let mut images: BTreeMap<&Value, Vec<(Value, Lit)>> = BTreeMap::new();
        for (item, lit) in &relation.items {
            let (key, image) = item.as_pair().ok_or(Unsupported("a relation"))?;
            images.entry(key).or_default().push((image.clone(), *lit));
        }
        let mut ways = Vec::with_capacity(first.len());
        for (key, lit) in first {
            let Some(items) = images.remove(key) else { continue };
            let inside = self.member(second, &CircuitValue::Set(Members { items, is_function: false }))?;
            ways.push(self.circuit.and(*lit, inside));
        }
        Ok(self.circuit.or_all(ways))
    }

    pub fn subset(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<Lit> {
        self.check_size()?;
        let (left, right) = (self.members(left)?, self.members(right)?);
        let each: Vec<Lit> = left.items.iter().map(|(item, lit)| self.circuit.implies(*lit, right.get(item))).collect();
        Ok(self.circuit.and_all(each))
    }

    pub fn union(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<CircuitValue> {
        let (mut left, right) = (self.members(left)?, self.members(right)?);
        left.items.extend(right.items);
        Ok(CircuitValue::set(self.gather(left.items)))
    }

    pub fn intersection(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<CircuitValue> {
        let (left, right) = (self.members(left)?, self.members(right)?);
        let is_function = left.is_function || right.is_function;
        let both = left.items.into_iter().map(|(item, lit)| {
            let both = self.circuit.and(lit, right.get(&item));
            (item, both)
        });
        Ok(kept(both.collect(), is_function))
    }

    pub fn difference(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<CircuitValue> {
        if let CircuitValue::Map(entries) = left {
            let mut rest = entries.to_vec();
            for entry in &mut rest {
                let inside =
                    self.member(&CircuitValue::pair(CircuitValue::known(&entry.key), entry.val.clone()), right)?;
                entry.present = self.circuit.and(entry.present, !inside);
            }
            return Ok(CircuitValue::Map(rest.into()));
        }
        let (left, right) = (self.members(left)?, self.members(right)?);
        let is_function = left.is_function;
        let rest = left.items.into_iter().map(|(item, lit)| {
            let rest = self.circuit.and(lit, !right.get(&item));
            (item, rest)
        });
        Ok(kept(rest.collect(), is_function))
    }

    pub fn cartesian(&mut self, left: &CircuitValue, right: &CircuitValue) -> Result<CircuitValue> {
        let (left, right) = (self.members(left)?, self.members(right)?);
        let mut pairs = Vec::with_capacity(left.items.len() * right.items.len());
        for (first, lit) in &left.items {
            self.check_size()?;
            for (second, other) in &right.items {
                pairs.push((Value::pair(first.clone(), second.clone()), self.circuit.and(*lit, *other)));
            }
        }
        Ok(CircuitValue::set(pairs))
    }

    /// `{a, b, ...}`, each item with the condition that it is present.
    pub fn extension(&mut self, items: &[(Lit, CircuitValue)]) -> Result<CircuitValue> {
        let mut all = Vec::new();
        for (present, item) in items {
            let Ok(choice) = self.choice(item) else { return self.function_of(items) };
            for (value, lit) in choice {
                all.push((value, self.circuit.and(*present, lit)));
            }
        }
        let gathered = self.gather(all);
        // A set of one pair is a function, whatever the pair.
        let is_function = items.len() <= 1 && gathered.iter().all(|(item, _)| item.as_pair().is_some());
        Ok(CircuitValue::Set(Members { items: gathered, is_function }))
    }

    /// Function of pairs with unknown second components. The possible first components must be distinct.
    fn function_of(&mut self, pairs: &[(Lit, CircuitValue)]) -> Result<CircuitValue> {
        let mut entries = Vec::new();
        for (present, pair) in pairs {
            let (key, val) = self.split(pair)?;
            for (key, lit) in self.choice(&key)? {
                entries.push(Entry { key, present: self.circuit.and(*present, lit), val: val.clone() });
            }
        }
        entries.sort_by(|left, right| left.key.cmp(&right.key));
        if entries.windows(2).any(|pair| pair[0].key == pair[1].key) {
            return Err(Unsupported("a relation to sets"));
        }
        Ok(CircuitValue::Map(entries.into()))
    }

    pub fn cardinality(&mut self, set: &CircuitValue) -> Result<CircuitValue> {
        let lits: Vec<Lit> = match set {
            CircuitValue::Map(entries) => entries.iter().map(|entry| entry.present).collect(),
            _ => self.members(set)?.items.iter().map(|(_, lit)| *lit).collect(),
        };
        self.count(&lits)
    }

    /// Number of true literals.
    pub fn count(&mut self, lits: &[Lit]) -> Result<CircuitValue> {
        let certain = lits.iter().filter(|lit| **lit == Lit::TRUE).count();
        let open: Vec<Lit> = lits.iter().copied().filter(|lit| !lit.is_constant()).collect();
        if open.len() > MAX_UNARY_LITERALS {
            let ones: Vec<CircuitValue> = open
                .iter()
                .map(|lit| CircuitValue::Choice(vec![(Value::int(Int::ZERO), !*lit), (Value::int(Int::ONE), *lit)]))
                .collect();
            let certain = CircuitValue::known(&Value::int(Int::from(certain as u64)));
            let sum = self.sum(&ones)?;
            return self.add(&certain, &sum);
        }
        let mut at_least = self.circuit.at_least(&open);
        at_least.push(Lit::FALSE);
        let choice = at_least.windows(2).enumerate();
        let choice =
            choice.map(|(k, pair)| (Value::int(Int::from((certain + k) as u64)), self.circuit.and(pair[0], !pair[1])));
        Ok(CircuitValue::Choice(choice.collect()))
    }

    /// Sum of integers, as a balanced tree.
    pub fn sum(&mut self, items: &[CircuitValue]) -> Result<CircuitValue> {
        match items {
            [] => Ok(CircuitValue::known(&Value::int(Int::ZERO))),
            [only] => Ok(only.clone()),
            _ => {
                let (left, right) = items.split_at(items.len() / 2);
                let (left, right) = (self.sum(left)?, self.sum(right)?);
                self.add(&left, &right)
            }
        }
    }

    /// Greatest or least element, with the condition that the set is not empty.
    pub fn extremum(&mut self, set: &CircuitValue, greatest: bool) -> Result<(CircuitValue, Lit)> {
        let mut items = self.members(set)?.items;
        if greatest {
            items.reverse();
        }
        let mut choice: Choice = Vec::with_capacity(items.len());
        let mut none_before = Lit::TRUE;
        for (item, lit) in items {
            choice.push((item, self.circuit.and(none_before, lit)));
            none_before = self.circuit.and(none_before, !lit);
        }
        choice.sort_by(|left, right| left.0.cmp(&right.0));
        Ok((CircuitValue::Choice(choice), !none_before))
    }

    /// `union(set)`
    pub fn general_union(&mut self, set: &CircuitValue) -> Result<CircuitValue> {
        let sets = self.members(set)?;
        let mut items = Vec::new();
        for (value, lit) in &sets.items {
            let inner = value.as_set().ok_or(Unsupported("a set of sets is expected"))?;
            items.extend(inner.iter().map(|item| (item, *lit)));
        }
        Ok(CircuitValue::set(self.gather(items)))
    }

    /// `inter(set)`, with the condition that the set is not empty.
    pub fn general_inter(&mut self, set: &CircuitValue) -> Result<(CircuitValue, Lit)> {
        let sets = self.members(set)?;
        let CircuitValue::Set(all) = self.general_union(set)? else { return Err(Unsupported("a set is expected")) };
        let mut items = Vec::with_capacity(all.items.len());
        for (item, lit) in all.items {
            let without = sets.items.iter().filter(|(value, _)| value.as_set().is_some_and(|set| !set.contains(&item)));
            let without: Vec<Lit> = without.map(|(_, lit)| !*lit).collect();
            let everywhere = self.circuit.and_all(without);
            items.push((item, self.circuit.and(lit, everywhere)));
        }
        let some = self.circuit.or_all(sets.items.iter().map(|(_, lit)| *lit));
        Ok((CircuitValue::set(items), some))
    }

    pub fn is_empty(&mut self, set: &CircuitValue) -> Result<Lit> {
        let lits: Vec<Lit> = match set {
            CircuitValue::Map(entries) => entries.iter().map(|entry| entry.present).collect(),
            _ => self.members(set)?.items.iter().map(|(_, lit)| *lit).collect(),
        };
        Ok(!self.circuit.or_all(lits))
    }
}

pub(crate) fn kept(items: Vec<(Value, Lit)>, is_function: bool) -> CircuitValue {
    let items = items.into_iter().filter(|(_, lit)| *lit != Lit::FALSE).collect();
    CircuitValue::Set(Members { items, is_function })
}
