//! Solutions up to symmetry.
//!
//! If elements of given sets are interchangeable, so are partial solutions that differ in their names only: whatever completes the one, renamed,
//! completes the other. So below several symmetric nodes of the search, one is enough. Nodes are compared by their canonical forms, which
//! whoever knows the symmetries provides; solutions then come one per class, and so do the ways to them.

use std::collections::hash_map::Entry;

use abridge_eval::{Classes, Partial, Result, Unknown, Val};
use abridge_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{SearchNode, SolutionSearch};

/// Steps of a search that comparing a node takes as long as.
const STEPS_PER_COMPARISON: u64 = 48;

/// Partial solutions that were met, by which unknowns have values.
#[derive(Clone, Default)]
pub(super) struct Met(FxHashMap<Vec<bool>, Same>);

/// Those in which the same unknowns have values.
#[derive(Clone)]
enum Same {
    /// With one alone there is nothing to compare; often none follows.
    One(Vec<Val>),
    /// By their forms.
    Several(FxHashSet<Vec<Val>>),
}

impl Met {
    /// True if the values of a partial solution are new up to symmetry.
    fn insert(&mut self, classes: &dyn Classes, (bound, vals): (Vec<bool>, Vec<Val>)) -> bool {
        match self.0.entry(bound) {
            Entry::Vacant(place) => {
                place.insert(Same::One(vals));
                true
            }
            Entry::Occupied(mut place) => place.get_mut().insert(classes, &vals),
        }
    }
}

impl Same {
    fn insert(&mut self, classes: &dyn Classes, vals: &[Val]) -> bool {
        if let Same::One(first) = self {
            *self = Same::Several(FxHashSet::from_iter([classes.form(first)]));
        }
        match self {
            Same::Several(forms) => forms.insert(classes.form(vals)),
            Same::One(_) => true,
        }
    }
}

impl SolutionSearch<'_> {
    /// True if solutions are wanted one per class, and nodes can be compared: no quantifier or disjunction has been opened on the way.
    pub(super) fn is_sieved(&self, node: &SearchNode) -> bool {
        self.classes.is_some() && node.is_plain
    }

    /// True if a symmetric node has been met; if not, this one has been now. `building` is an unknown under construction.
    pub(super) fn is_met(&self, node: &SearchNode, building: Option<(Unknown, &Partial)>) -> Result<bool> {
        let Some((classes, bound)) = self.classes.zip(self.bound(node, building)) else { return Ok(false) };
        let is_new = self.forms.borrow_mut().insert(classes, bound);
        // A first attempt is meant to be short, and comparing in vain takes longer than going on.
        if is_new && self.session.is_probing() {
            self.session.ticks(STEPS_PER_COMPARISON)?;
        }
        Ok(!is_new)
    }

    /// The same for a solution.
    pub(super) fn is_met_as_solution(&self, node: &SearchNode) -> bool {
        let bound = self.classes.zip(self.bound(node, None));
        bound.is_some_and(|(classes, bound)| !self.solution_forms.borrow_mut().insert(classes, bound))
    }

    /// Which unknowns have values in a node, and these; nothing if there are no classes, or no values yet.
    fn bound(&self, node: &SearchNode, building: Option<(Unknown, &Partial)>) -> Option<(Vec<bool>, Vec<Val>)> {
        self.classes?;
        let mut bound = Vec::with_capacity(self.unknowns.len());
        let mut vals = Vec::new();
        for unknown in &self.unknowns {
            let val = match building {
                Some((other, partial)) if other == *unknown => Some(parts(partial)),
                _ => unknown.get(&node.env).filter(|_| !node.open.contains(unknown)).cloned(),
            };
            bound.push(val.is_some());
            vals.extend(val);
        }
        (!vals.is_empty()).then_some((bound, vals))
    }
}

/// The decided part of a function or set.
fn parts(partial: &Partial) -> Val {
    let decided = Value::pair(partial.decided.clone().into(), partial.absent.clone().into());
    Val::Value(Value::pair(decided, partial.open.clone().into()))
}
