//! Structural map over the concrete values inside a [`Val`].
//!
//! A permutation of elements sees a symbolic set as a tree whose leaves are values: its operands, and the values of the names in its closure. A
//! leaf that is missed here is not renamed by symmetry reduction.

use std::sync::Arc;

use abridge_diag::with_stack;
use abridge_value::{Set, Value};

use super::env::Slots;
use super::val::{Closure, Partial, SymbolicSet, Val};

/// Image of a leaf; `None` if it is unchanged.
type Change<'f> = dyn FnMut(&Value) -> Option<Value> + 'f;

impl Val {
    /// Formula with its leaves changed, in a fixed order; `None` if none changes.
    pub fn map_leaves(&self, change: &mut Change<'_>) -> Option<Val> {
        match self {
            Val::Value(value) => change(value).map(Val::Value),
            Val::Pair(pair) => {
                let (first, second) = (pair.0.map_leaves(change), pair.1.map_leaves(change));
                if first.is_none() && second.is_none() {
                    return None;
                }
                Some(Val::pair(first.unwrap_or_else(|| pair.0.clone()), second.unwrap_or_else(|| pair.1.clone())))
            }
            Val::Record(shape, fields) => Some(Val::record(*shape, map_all(fields, change)?)),
            Val::Symbolic(sym) => with_stack(|| sym.map_leaves(change)).map(Val::from),
        }
    }

    /// Calls `visit` for each leaf, in the order of [`Val::map_leaves`].
    pub fn for_each_leaf(&self, visit: &mut dyn FnMut(&Value)) {
        self.map_leaves(&mut |leaf| {
            visit(leaf);
            None
        });
    }
}

fn map_all(vals: &[Val], change: &mut Change<'_>) -> Option<Vec<Val>> {
    let changed: Vec<Option<Val>> = vals.iter().map(|val| val.map_leaves(change)).collect();
    if changed.iter().all(Option::is_none) {
        return None;
    }
    Some(changed.into_iter().zip(vals).map(|(changed, val)| changed.unwrap_or_else(|| val.clone())).collect())
}

fn map_set(set: &Set, change: &mut Change<'_>) -> Option<Set> {
    match change(&Value::Set(set.clone()))? {
        Value::Set(set) => Some(set),
        _ => None,
    }
}

/// [`Val::map_leaves`] for slots.
pub fn map_slots(slots: &Slots, change: &mut Change<'_>) -> Option<Slots> {
    let mut changed = None;
    for (idx, slot) in slots.iter().enumerate() {
        if let Some(val) = slot.as_ref().and_then(|val| val.map_leaves(change)) {
            changed.get_or_insert_with(|| slots.clone())[idx] = Some(val);
        }
    }
    changed
}

impl SymbolicSet {
    fn map_leaves(&self, change: &mut Change<'_>) -> Option<SymbolicSet> {
        match self {
            SymbolicSet::Base(_)
            | SymbolicSet::FreeType(_)
            | SymbolicSet::Successor
            | SymbolicSet::Predecessor
            | SymbolicSet::Constructor(..) => None,
            SymbolicSet::Unary(op, operand) => Some(SymbolicSet::Unary(*op, operand.map_leaves(change)?)),
            SymbolicSet::Tree(op, operand) => Some(SymbolicSet::Tree(*op, operand.map_leaves(change)?)),
            SymbolicSet::Binary(op, left, right) => {
                let (new_left, new_right) = (left.map_leaves(change), right.map_leaves(change));
                if new_left.is_none() && new_right.is_none() {
                    return None;
                }
                let right = new_right.unwrap_or_else(|| right.clone());
                Some(SymbolicSet::Binary(*op, new_left.unwrap_or_else(|| left.clone()), right))
            }
            SymbolicSet::Struct(shape, fields) => Some(SymbolicSet::Struct(*shape, map_all(fields, change)?)),
            SymbolicSet::Closure(closure) => {
                let variables = map_slots(&closure.scope.variables, change);
                let locals = closure.scope.locals.map_leaves(change);
                if variables.is_none() && locals.is_none() {
                    return None;
                }
                let mut scope = closure.scope.clone();
                scope.variables = variables.map_or(scope.variables, Arc::new);
                scope.locals = locals.unwrap_or(scope.locals);
                Some(SymbolicSet::Closure(Closure { expr: closure.expr, scope }))
            }
            SymbolicSet::Partial(partial) => {
                let sets = [&partial.decided, &partial.absent, &partial.open];
                let [decided, absent, open] = sets.map(|set| map_set(set, change));
                if decided.is_none() && absent.is_none() && open.is_none() {
                    return None;
                }
                let mut partial: Partial = partial.clone();
                partial.decided = decided.unwrap_or(partial.decided);
                partial.absent = absent.unwrap_or(partial.absent);
                partial.open = open.unwrap_or(partial.open);
                Some(SymbolicSet::Partial(partial))
            }
        }
    }
}
