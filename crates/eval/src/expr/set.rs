//! Operators on sets. Concrete operands give a concrete set, unless it would be too large to list; a symbolic operand makes the result symbolic.

use abridge_model::{BinaryOp, ExprId, UnaryOp};
use abridge_value::{Set, SetBuilder, Value, relation};

use crate::domain::{Env, IllDefined, Result, SymbolicSet, Val};
use crate::interp::Session;

/// Largest product that is listed at once.
const MAX_LISTED_PRODUCT: u64 = 256;

impl Session<'_> {
    pub(super) fn set_extension(&self, items: &[ExprId], env: &Env) -> Result<Val> {
        let mut out = SetBuilder::new();
        for item in items {
            out.push(self.finite(&self.expr(*item, env)?, env)?);
        }
        Ok(out.finish().into())
    }

    pub fn union(&self, left: &Val, right: &Val) -> Val {
        if left.is_empty_set() || left == right {
            return right.clone();
        }
        if right.is_empty_set() {
            return left.clone();
        }
        match (left.as_set(), right.as_set()) {
            (Some(a), Some(b)) if !(self.is_long(a) || self.is_long(b)) || a.joins(b) => a.union(b).into(),
            _ => SymbolicSet::binary(BinaryOp::Union, left.clone(), right.clone()),
        }
    }

    pub fn intersection(&self, left: &Val, right: &Val) -> Val {
        match (left.as_set(), right.as_set()) {
            (Some(a), Some(b)) => a.intersection(b).into(),
            _ if left.is_empty_set() || right.is_empty_set() => Set::EMPTY.into(),
            _ if left == right => left.clone(),
            _ => SymbolicSet::binary(BinaryOp::Intersection, left.clone(), right.clone()),
        }
    }

    pub fn difference(&self, left: &Val, right: &Val) -> Val {
        if left.is_empty_set() || right.is_empty_set() {
            return left.clone();
        }
        if left == right {
            return Set::EMPTY.into();
        }
        match (left.as_set(), right.as_set()) {
            (Some(a), Some(b)) if !self.is_long(a) || a.cuts_off(b) => a.difference(b).into(),
            _ => SymbolicSet::binary(BinaryOp::Difference, left.clone(), right.clone()),
        }
    }

    pub fn cartesian(&self, left: &Val, right: &Val) -> Val {
        match (left.as_set(), right.as_set()) {
            (Some(a), Some(b)) if a.len().saturating_mul(b.len()) <= MAX_LISTED_PRODUCT => {
                relation::cartesian(a, b).into()
            }
            _ => SymbolicSet::binary(BinaryOp::Cartesian, left.clone(), right.clone()),
        }
    }

    /// Whether a set is an interval too long to list.
    fn is_long(&self, set: &Set) -> bool {
        set.len() > self.config().max_set_size
    }

    /// `union(S)`
    pub(super) fn general_union(&self, sets: Val) -> Result<Val> {
        let Some(set) = sets.as_set() else { return Ok(SymbolicSet::unary(UnaryOp::GeneralUnion, sets)) };
        let parts: Vec<Value> = set.iter().collect();
        if parts.iter().filter_map(Value::as_set).any(|part| self.is_long(part)) {
            let parts = parts.into_iter().map(Val::Value);
            return Ok(parts.reduce(|left, right| self.union(&left, &right)).unwrap_or(Set::EMPTY.into()));
        }
        let mut out = SetBuilder::new();
        for part in parts.iter().filter_map(Value::as_set) {
            self.tick()?;
            self.charge_bulk(part.copy_bytes())?;
            out.extend(part.iter());
        }
        Ok(out.finish().into())
    }

    /// `inter(S)`
    pub(super) fn general_inter(&self, sets: Val, env: &Env) -> Result<Val> {
        if self.is_empty(&sets, env)? {
            return Err(IllDefined::EmptySet("inter").into());
        }
        let Some(set) = sets.as_set() else { return Ok(SymbolicSet::unary(UnaryOp::GeneralInter, sets)) };
        let parts = set.iter().map(Val::Value);
        Ok(parts.reduce(|left, right| self.intersection(&left, &right)).unwrap_or(Set::EMPTY.into()))
    }
}
