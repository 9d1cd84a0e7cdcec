//! Infinite sets and functions with finite changes.
//!
//! A machine adds elements to an infinite set and takes elements away, one step after the other. Changes that follow each other are kept as one set of additions
//! and one of removals, without those that change nothing, so that such a variable has few forms. A set is `(base - removed) \/ added`, a relation
//! `(keys <<| base) <+ changes`. A change that wrongly counted as one without effect would make the value another set: membership that is not known with little
//! effort leaves the change where it is.

use abridge_model::BinaryOp;
use abridge_value::{Set, SetBuilder, relation};

use crate::domain::{Env, ErrorKind, Result, SymbolicSet, Val};
use crate::interp::Session;

/// Evaluation steps for one element of a symbolic set, or one image under a symbolic relation.
const MAX_LOOKUP_STEPS: u64 = 1_000;

/// Maximum number of elements of one change.
const MAX_CHANGES: u64 = 1_000;

impl Session<'_> {
    /// `set \/ changes` or `set - changes` for a symbolic set.
    pub(super) fn altered(&self, op: BinaryOp, set: &Val, changes: &Set, env: &Env) -> Result<Val> {
        if changes.len() > MAX_CHANGES {
            return Ok(SymbolicSet::binary(op, set.clone(), changes.clone().into()));
        }
        let (rest, mut added) = changed_by(BinaryOp::Union, set);
        let (base, mut removed) = changed_by(BinaryOp::Difference, rest);
        let is_addition = op == BinaryOp::Union;
        let mut effective = SetBuilder::new();
        for element in changes {
            let idle = self.looked_up(|| self.member(&Val::Value(element.clone()), base, env))? == Some(is_addition);
            if !idle {
                effective.push(element);
            }
        }
        let effective = effective.finish();
        if is_addition {
            removed = removed.difference(changes);
            added = added.union(&effective);
        } else {
            added = added.difference(changes);
            removed = removed.union(&effective);
        }
        let rest = with_part(BinaryOp::Difference, base, removed);
        Ok(with_part(BinaryOp::Union, &rest, added))
    }

    /// `relation <+ changes` for a symbolic relation.
    pub(super) fn changed(&self, relation: &Val, changes: &Set, env: &Env) -> Result<Val> {
        let (rest, earlier) = changed_by(BinaryOp::Override, relation);
        let (base, keys) = without_keys(rest);
        let mut idle = SetBuilder::new();
        if relation::is_functional(changes) && changes.len() <= MAX_CHANGES {
            for pair in changes {
                let (key, val) = Val::Value(pair.clone()).split()?;
                if self.looked_up(|| self.apply(base, &key, env))?.is_some_and(|image| image == val) {
                    idle.push(pair);
                }
            }
        }
        let keys = keys.difference(&relation::dom(changes));
        let changes = relation::override_with(&earlier, changes).difference(&idle.finish());
        Ok(with_part(BinaryOp::Override, &subtracting(keys, base), changes))
    }

    /// `keys <<| relation` for a symbolic relation.
    pub(super) fn without(&self, keys: &Set, relation: &Val, env: &Env) -> Result<Val> {
        if keys.len() > MAX_CHANGES {
            return Ok(SymbolicSet::binary(BinaryOp::DomainSubtract, keys.clone().into(), relation.clone()));
        }
        let (rest, changes) = changed_by(BinaryOp::Override, relation);
        let (base, earlier) = without_keys(rest);
        let mut effective = SetBuilder::new();
        for key in keys {
            if self.looked_up(|| self.in_domain(base, &Val::Value(key.clone()), env))? != Some(false) {
                effective.push(key);
            }
        }
        let changes = relation::domain_subtract(keys, &changes);
        let keys = earlier.union(&effective.finish());
        Ok(with_part(BinaryOp::Override, &subtracting(keys, base), changes))
    }

    /// What is known with little effort; nothing if an answer needs more, or is not certain.
    fn looked_up<T>(&self, question: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
        let (answer, warnings) = self.apart(|| self.probe(MAX_LOOKUP_STEPS, question));
        match answer {
            Some(Ok(answer)) => Ok(warnings.is_empty().then_some(answer)),
            Some(Err(error)) if error.is_fatal() && !matches!(error.kind(), ErrorKind::TooDeep { .. }) => Err(error),
            _ => Ok(None),
        }
    }
}

/// The left operand of an operator, and the concrete right one; the set itself if it has another form.
fn changed_by(op: BinaryOp, set: &Val) -> (&Val, Set) {
    match set.as_sym() {
        Some(SymbolicSet::Binary(found, base, changes)) if *found == op => {
            listed(changes).map_or((set, Set::EMPTY), |changes| (base, changes))
        }
        _ => (set, Set::EMPTY),
    }
}

/// The relation in `keys <<| relation`, and the keys.
fn without_keys(relation: &Val) -> (&Val, Set) {
    match relation.as_sym() {
        Some(SymbolicSet::Binary(BinaryOp::DomainSubtract, keys, base)) => {
            listed(keys).map_or((relation, Set::EMPTY), |keys| (base, keys))
        }
        _ => (relation, Set::EMPTY),
    }
}

/// A concrete set that is no long interval, which a change would have to list.
fn listed(set: &Val) -> Option<Set> {
    set.as_set().filter(|set| set.ends().is_none() || set.len() <= MAX_CHANGES).cloned()
}

fn with_part(op: BinaryOp, base: &Val, part: Set) -> Val {
    if part.is_empty() { base.clone() } else { SymbolicSet::binary(op, base.clone(), part.into()) }
}

fn subtracting(keys: Set, base: &Val) -> Val {
    if keys.is_empty() {
        return base.clone();
    }
    SymbolicSet::binary(BinaryOp::DomainSubtract, keys.into(), base.clone())
}
