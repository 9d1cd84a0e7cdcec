//! Circuit values of unknowns: fresh inputs, and the condition that they are an element of a set.

use abridge_blast::{CircuitValue, Entry, Lit, Members};
use abridge_eval::{Env, Size, SymbolicSet, Unknown, Val};
use abridge_model::{Arrow, BinaryOp, UnaryOp};
use abridge_value::{Int, Set, Value};

use super::{CircuitEncoder, CircuitResult, CircuitTerm, MAX_ELEMENTS, NoCircuit, SetArg};

/// Largest number of arguments of a function.
const MAX_KEYS: u64 = 5_000;

impl CircuitEncoder<'_> {
    pub(crate) fn declare(&mut self, unknown: Unknown, sym: CircuitValue) {
        self.symbols.insert(unknown, sym);
    }

    /// Fresh inputs for an element of a set, and the condition that they are one.
    pub fn fresh(&mut self, set: &Val, env: &Env) -> CircuitResult<(CircuitValue, Lit)> {
        self.tick()?;
        if let Some(set) = set.as_set() {
            return self.fresh_element(set);
        }
        match set.as_sym() {
            Some(SymbolicSet::Unary(op @ (UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Pow1 | UnaryOp::Fin1), base)) => {
                let base = self.list(base, MAX_ELEMENTS, env)?;
                let members = self.blast.fresh_subset(&base);
                let some = match op {
                    UnaryOp::Pow | UnaryOp::Fin => Lit::TRUE,
                    _ => self.any(members.items.iter().map(|(_, lit)| *lit)),
                };
                Ok((CircuitValue::Set(members), some))
            }
            Some(SymbolicSet::Unary(UnaryOp::Perm, base)) => {
                let base = self.list(base, MAX_KEYS, env)?;
                let positions = Set::interval(Int::ONE, base.card());
                let bijection = Arrow { functional: true, total: true, injective: true, surjective: true };
                self.fresh_function(bijection, &positions.into(), &base.into(), env)
            }
            Some(SymbolicSet::Unary(op @ (UnaryOp::Iseq | UnaryOp::Iseq1), base)) => {
                let listed = self.list(base, MAX_KEYS, env)?;
                let (sym, condition) = self.fresh_sequence(&listed.clone().into(), listed.len(), env)?;
                let mut conditions = vec![condition, self.blast.is_injective(&sym)?];
                if *op == UnaryOp::Iseq1 {
                    conditions.push(!self.blast.is_empty(&sym)?);
                }
                Ok((sym, self.all(conditions)))
            }
            Some(SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, to)) => self.fresh_function(*arrow, from, to, env),
            Some(SymbolicSet::Binary(BinaryOp::Cartesian, left, right)) => {
                let ((first, a), (second, b)) = (self.fresh(left, env)?, self.fresh(right, env)?);
                Ok((CircuitValue::pair(first, second), self.and(a, b)))
            }
            Some(SymbolicSet::Struct(shape, fields)) => {
                let (mut syms, mut conditions) = (Vec::new(), Vec::new());
                for field in fields {
                    let (sym, condition) = self.fresh(field, env)?;
                    syms.push(sym);
                    conditions.push(condition);
                }
                Ok((CircuitValue::Record(*shape, syms.into()), self.all(conditions)))
            }
            _ => {
                let set = self.list(set, MAX_ELEMENTS, env)?;
                self.fresh_element(&set)
            }
        }
    }

    fn fresh_element(&mut self, set: &Set) -> CircuitResult<(CircuitValue, Lit)> {
        if let Some((lo, hi)) = set.ends() {
            let (Some(lo), Some(hi)) = (lo.to_i64(), hi.to_i64()) else {
                return Err(NoCircuit::Unsupported("a large integer"));
            };
            return Ok(self.blast.fresh_int(lo, hi)?);
        }
        if set.len() > MAX_ELEMENTS {
            return Err(NoCircuit::Unsupported("a large set"));
        }
        let (sym, condition) = self.blast.fresh_choice(set);
        Ok(match sym {
            CircuitValue::Choice(choice) => (self.blast.chosen(choice), condition),
            sym => (sym, condition),
        })
    }

    /// Elements of a set that is not too large.
    pub(crate) fn list(&self, set: &Val, max: u64, env: &Env) -> CircuitResult<Set> {
        match self.session.size(set) {
            Size::AtMost(bound) if bound > max => return Err(NoCircuit::Unsupported("a large set")),
            Size::Infinite => return Err(NoCircuit::Unsupported("an infinite set")),
            _ => {}
        }
        let listed = self.evaluated(self.session.enumerate(set, env))?;
        let listed = listed.ok_or(NoCircuit::Unsupported("a set that is not well-defined"))?;
        if listed.len() > max { Err(NoCircuit::Unsupported("a large set")) } else { Ok(listed) }
    }

    fn fresh_function(&mut self, arrow: Arrow, from: &Val, to: &Val, env: &Env) -> CircuitResult<(CircuitValue, Lit)> {
        let keys = self.list(from, MAX_KEYS, env)?;
        let values = match self.session.size(to) {
            _ if arrow.functional && !arrow.injective && !arrow.surjective && self.is_binary(to) => None,
            Size::AtMost(bound) if bound.saturating_mul(keys.len()) <= MAX_ELEMENTS => {
                Some(self.list(to, MAX_ELEMENTS, env)?)
            }
            _ => None,
        };
        match values {
            Some(values) => self.fresh_pairs(arrow, &keys, &values),
            None if arrow.functional => self.fresh_map(arrow, &keys, to, env),
            None => Err(NoCircuit::Unsupported("a large relation")),
        }
    }

    /// Relation or function as a set of pairs.
    fn fresh_pairs(&mut self, arrow: Arrow, keys: &Set, values: &Set) -> CircuitResult<(CircuitValue, Lit)> {
        let mut items: Vec<(Value, Lit)> = Vec::new();
        let mut conditions = Vec::new();
        let mut columns: Vec<Vec<Lit>> = vec![Vec::new(); values.len() as usize];
        for key in keys {
            let row: Vec<Lit> = values.iter().map(|_| self.blast.circuit.input()).collect();
            if arrow.total {
                conditions.push(self.any(row.iter().copied()));
            }
            if arrow.functional {
                conditions.push(self.blast.circuit.at_most_one(&row));
            }
            for ((value, lit), column) in values.iter().zip(row).zip(&mut columns) {
                items.push((Value::pair(key.clone(), value), lit));
                column.push(lit);
            }
        }
        for column in columns {
            if arrow.injective {
                conditions.push(self.blast.circuit.at_most_one(&column));
            }
            if arrow.surjective {
                conditions.push(self.any(column));
            }
        }
        Ok((CircuitValue::Set(Members { items, is_function: arrow.functional }), self.all(conditions)))
    }

    /// Function as a map from arguments to values, even if it could be a set of pairs.
    pub fn fresh_by_argument(
        &mut self,
        arrow: Arrow,
        from: &Val,
        to: &Val,
        env: &Env,
    ) -> CircuitResult<(CircuitValue, Lit)> {
        let keys = self.list(from, MAX_KEYS, env)?;
        self.fresh_map(arrow, &keys, to, env)
    }

    /// Function as a map from arguments to values: sets, functions, or integers in binary.
    fn fresh_map(&mut self, arrow: Arrow, keys: &Set, to: &Val, env: &Env) -> CircuitResult<(CircuitValue, Lit)> {
        let (mut entries, mut conditions) = (Vec::new(), Vec::new());
        for key in keys {
            let (entry, condition) = self.fresh_entry(arrow.total, key, to, env)?;
            conditions.push(condition);
            entries.push(entry);
        }
        let map = CircuitValue::Map(entries.into());
        if arrow.injective {
            conditions.push(self.blast.is_injective(&map)?);
        }
        if arrow.surjective {
            return Err(NoCircuit::Unsupported("a surjection onto sets"));
        }
        Ok((map, self.all(conditions)))
    }

    /// Function to integers with a known range at some of its arguments.
    pub(crate) fn fresh_bounded(
        &mut self,
        arrow: Arrow,
        from: &Val,
        to: &Val,
        ranges: &[(&Value, (Int, Int))],
        env: &Env,
    ) -> CircuitResult<(CircuitValue, Lit)> {
        let (mut entries, mut conditions) = (Vec::new(), Vec::new());
        for key in &self.list(from, MAX_KEYS, env)? {
            let range = ranges.iter().find(|(point, _)| **point == key);
            let range = range.map(|(_, (lo, hi))| Val::from(Set::interval(lo.clone(), hi.clone())));
            let (entry, condition) = self.fresh_entry(arrow.total, key, range.as_ref().unwrap_or(to), env)?;
            conditions.push(condition);
            entries.push(entry);
        }
        let sym = self.blast.flattened(entries);
        let set = SymbolicSet::binary(BinaryOp::Arrow(arrow), from.clone(), to.clone());
        conditions.push(self.in_set(&CircuitTerm::sym(sym.clone()), &SetArg::Val(set), env)?.holds);
        Ok((sym, self.all(conditions)))
    }

    /// Sequence over a set with at most `max_len` items.
    pub(crate) fn fresh_sequence(&mut self, base: &Val, max_len: u64, env: &Env) -> CircuitResult<(CircuitValue, Lit)> {
        if max_len > MAX_KEYS {
            return Err(NoCircuit::Unsupported("a long sequence"));
        }
        let positions = Set::interval(Int::ONE, Int::from(max_len));
        let (sym, condition) = self.fresh_function(Arrow::PARTIAL, &positions.into(), base, env)?;
        let dense = self.is_sequence(&sym)?;
        Ok((sym, self.and(condition, dense)))
    }

    /// Whether elements of a set are integers in binary.
    fn is_binary(&self, set: &Val) -> bool {
        set.as_set().and_then(Set::ends).is_some_and(|(lo, hi)| self.blast.is_binary(&lo, &hi))
    }

    /// Entry for a possible argument of a function, with a fresh value, and its condition. All literals of the value of an absent argument are false,
    /// so that each function has one representation.
    fn fresh_entry(&mut self, is_total: bool, key: Value, to: &Val, env: &Env) -> CircuitResult<(Entry, Lit)> {
        let (val, inside) = self.fresh(to, env)?;
        if is_total {
            return Ok((Entry { key, present: Lit::TRUE, val }, inside));
        }
        let present = self.blast.circuit.input();
        let mut conditions = vec![self.blast.circuit.implies(present, inside)];
        val.for_each_lit(&mut |lit| {
            if !lit.is_constant() {
                conditions.push(self.blast.circuit.implies(lit, present));
            }
        });
        Ok((Entry { key, present, val }, self.all(conditions)))
    }
}
