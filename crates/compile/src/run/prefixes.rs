//! Functions of a constant set, tried by prefix.
//!
//! Candidates with the same domain are grouped by the values at their first points. A condition reads a candidate by application only. If it is
//! false for a prefix, it read no other points, so it is false for the whole group.

use std::ops::ControlFlow;

use abridge_eval::Val;
use abridge_value::{Set, Value, relation};

use super::rows::RowIndex;
use super::search::Solution;
use super::{Fast, Runtime, Stop};
use crate::code::{Plan, Test};

/// Number of candidates below which they are tried one by one.
const MIN_CANDIDATES: usize = 16;

/// Trie of functions in preorder: a prefix is followed by its extensions.
#[derive(Default)]
pub(crate) struct Prefixes(Vec<Prefix>);

struct Prefix {
    function: Value,
    is_whole: bool,
    /// Index of the first entry after its extensions.
    end: usize,
}

type Points = Vec<(Value, Value)>;

impl Prefixes {
    /// Makes the trie; `None` if there are too few candidates, or if they are not functions with one domain.
    pub(crate) fn new(candidates: &[Value]) -> Option<Prefixes> {
        if candidates.len() < MIN_CANDIDATES {
            return None;
        }
        let points = |candidate: &Value| match candidate {
            Value::Set(set) if relation::is_functional(set) => Some(relation::pairs(set).collect()),
            _ => None,
        };
        let mut functions = candidates.iter().map(points).collect::<Option<Vec<Points>>>()?;
        let keys = |points: &Points| points.iter().map(|(key, _)| key.clone()).collect::<Vec<Value>>();
        let domain = keys(functions.first()?);
        if !functions.iter().all(|function| keys(function) == domain) {
            return None;
        }
        functions.sort();
        let mut prefixes = Prefixes::default();
        prefixes.group(&functions, 0);
        Some(prefixes)
    }

    /// Adds functions that agree at the first `n_same` points.
    fn group(&mut self, functions: &[Points], n_same: usize) {
        for group in functions.chunk_by(|one, other| one.get(n_same) == other.get(n_same)) {
            if group.len() == functions.len() && group.len() > 1 {
                self.group(group, n_same + 1);
                continue;
            }
            let is_whole = group.len() == 1;
            let known = if is_whole { &group[0][..] } else { &group[0][..=n_same] };
            let function: Set = known.iter().map(|(key, value)| Value::pair(key.clone(), value.clone())).collect();
            let place = self.0.len();
            self.0.push(Prefix { function: Value::Set(function), is_whole, end: place + 1 });
            if !is_whole {
                self.group(group, n_same + 1);
                self.0[place].end = self.0.len();
            }
        }
    }
}

impl<'r> Runtime<'r> {
    /// Calls `found` in every solution of a plan with a table for one slot, except for some that fail the tests.
    pub(crate) fn by_prefix(
        &mut self,
        plan: &Plan,
        tests: &[Test],
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        let Some(table) = &plan.table else { return Err(Stop::Escape) };
        let Some(kept) = self.kept(plan, table, RowIndex::ByPrefix) else { return self.run(&plan.steps, false, found) };
        let (Some(prefixes), [slot]) = (&kept.prefixes, &table.slots[..]) else {
            return self.tabulated(plan, table, found);
        };
        let saved = self.slots[*slot].clone();
        let mut flow = Ok(ControlFlow::Continue(()));
        let mut place = 0;
        while let Some(prefix) = prefixes.0.get(place) {
            self.tick()?;
            self.slots[*slot] = Val::Value(prefix.function.clone());
            if prefix.is_whole {
                flow = found(self);
                if !matches!(flow, Ok(ControlFlow::Continue(()))) {
                    break;
                }
                place += 1;
            } else {
                place = if self.are_possible(tests) { place + 1 } else { prefix.end };
            }
        }
        self.slots[*slot] = saved;
        flow
    }

    /// Whether no test is false for the current prefix.
    fn are_possible(&mut self, tests: &[Test]) -> bool {
        let strict = std::mem::replace(&mut self.is_strict, true);
        let partial = std::mem::replace(&mut self.is_partial, true);
        let are_possible = tests.iter().all(|test| !matches!(self.test(test), Ok(false)));
        (self.is_strict, self.is_partial) = (strict, partial);
        are_possible
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(values: [i64; 3]) -> Value {
        Value::Set((1..).zip(values).map(|(key, value)| Value::pair(Value::Int(key), Value::Int(value))).collect())
    }

    #[test]
    fn every_candidate_is_met_once_below_its_beginnings() {
        let all: Vec<Value> = (0..27).map(|n| function([n / 9, n / 3 % 3, n % 3])).collect();
        let prefixes = Prefixes::new(&all).expect("functions");
        let whole: Vec<&Value> =
            prefixes.0.iter().filter(|prefix| prefix.is_whole).map(|prefix| &prefix.function).collect();
        assert_eq!(whole, all.iter().collect::<Vec<_>>());
        for (place, prefix) in prefixes.0.iter().enumerate() {
            let Value::Set(beginning) = &prefix.function else { panic!("a function") };
            let begins = |other: &Prefix| matches!(&other.function, Value::Set(set) if beginning.is_subset(set));
            assert!(prefixes.0[place..prefix.end].iter().all(begins));
            assert!(!prefixes.0[prefix.end..].iter().any(begins));
        }
    }

    #[test]
    fn other_sets_are_not_grouped() {
        let numbers: Vec<Value> = (0..27).map(Value::Int).collect();
        assert!(Prefixes::new(&numbers).is_none());
        let mut mixed: Vec<Value> = (0..27).map(|n| function([n, 0, 0])).collect();
        mixed.push(Value::Set(Set::EMPTY));
        assert!(Prefixes::new(&mixed).is_none());
    }
}
