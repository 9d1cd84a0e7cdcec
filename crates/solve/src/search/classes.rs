//! Symmetry breaking: one solution per class of symmetric ones.
//!
//! If elements of given sets are interchangeable, a permutation maps the completions of a partial solution to those of the permuted partial
//! solution. So of several symmetric nodes one is enough. Nodes are compared by canonical form, which the caller provides ([`Classes`]). A form
//! that is equal for nodes that are not symmetric loses solutions.

use std::collections::hash_map::Entry;

use abridge_diag::drop_aside;
use abridge_eval::{Classes, Partial, Result, Unknown, Val};
use abridge_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{SearchNode, SolutionSearch};

/// Steps of the search in the time of one comparison.
const STEPS_PER_COMPARISON: u64 = 48;

/// Partial solutions visited so far, by the set of unknowns with values.
#[derive(Clone, Default)]
pub(super) struct Visited(FxHashMap<Vec<bool>, Same>);

/// Partial solutions with the same set of unknowns with values.
#[derive(Clone)]
enum Same {
    /// A single one needs no form, and often no other follows.
    One(Vec<Val>),
    /// Canonical forms.
    Several(FxHashSet<Vec<Val>>),
}

impl Visited {
    pub(super) fn drop_aside(self) {
        for same in self.0.into_values() {
            if let Same::Several(forms) = same {
                drop_aside(forms);
            }
        }
    }

    fn len(&self) -> usize {
        let len = |same: &Same| match same {
            Same::One(_) => 1,
            Same::Several(forms) => forms.len(),
        };
        self.0.values().map(len).sum()
    }

    /// Adds the values of a partial solution; `true` if they are new up to symmetry.
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
    /// Whether symmetric nodes below this one are skipped: classes are given, and no quantifier or disjunction has been opened.
    pub(super) fn is_sieved(&self, node: &SearchNode) -> bool {
        self.classes.is_some() && node.is_plain
    }

    /// Whether a symmetric node has been visited. Marks this one as visited. `building` is an unknown under construction.
    pub(super) fn is_visited(&self, node: &SearchNode, building: Option<(Unknown, &Partial)>) -> Result<bool> {
        let Some((classes, bound)) = self.classes.zip(self.bound(node, building)) else { return Ok(false) };
        let is_new = self.forms.borrow_mut().insert(classes, bound);
        // A probe is meant to be short, and a comparison in vain takes longer than a step.
        if is_new && self.session.is_probing() {
            self.session.ticks(STEPS_PER_COMPARISON)?;
        }
        Ok(!is_new)
    }

    /// Whether a symmetric solution has been found. Marks this one as found.
    pub(super) fn is_found_solution(&self, node: &SearchNode) -> bool {
        let bound = self.classes.zip(self.bound(node, None));
        bound.is_some_and(|(classes, bound)| !self.solution_forms.borrow_mut().insert(classes, bound))
    }

    /// Number of solutions found so far, of symmetric ones one.
    pub(super) fn n_found_classes(&self) -> usize {
        self.solution_forms.borrow().len()
    }

    /// Set of unknowns with values in a node, and the values; `None` without classes or values.
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

/// Decided part of a function or set.
fn parts(partial: &Partial) -> Val {
    let decided = Value::pair(partial.decided.clone().into(), partial.absent.clone().into());
    Val::Value(Value::pair(decided, partial.open.clone().into()))
}
