//! The abstract part of a pair: states that the abstraction may be in, or the obligation that failed there.

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use abridge_eval::Val;
use abridge_value::{Internable, Interner, SetBuilder, Value, ValueId};

/// How a pair came about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum MatchResult {
    /// The abstraction followed.
    Followed,
    /// An obligation failed; the number says which. The states are those before the step.
    Failed(u32),
    /// An obligation could not be evaluated, since it is not well-defined.
    IllDefined(u32),
}

/// A set of abstract states, in the order of their vectors.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub(crate) states: Box<[Box<[u32]>]>,
    pub(crate) outcome: MatchResult,
    /// The values of the states, for symmetry.
    pub(crate) vals: OnceLock<Box<[Val]>>,
}

impl PartialEq for Spec {
    fn eq(&self, other: &Self) -> bool {
        self.outcome == other.outcome && self.states == other.states
    }
}

impl Eq for Spec {}

impl Hash for Spec {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.outcome.hash(hasher);
        self.states.hash(hasher);
    }
}

impl Spec {
    pub(crate) fn new(mut states: Vec<Box<[u32]>>, outcome: MatchResult) -> Spec {
        states.sort_unstable();
        states.dedup();
        Spec { states: states.into(), outcome, vals: OnceLock::new() }
    }

    /// Every state of this one is a state of the other.
    pub(crate) fn is_subset(&self, other: &Spec) -> bool {
        let mut rest = other.states.iter();
        self.states.iter().all(|state| rest.any(|other| other == state))
    }
}

impl Internable for Spec {
    fn owned_bytes(&self) -> usize {
        self.states.iter().map(|state| size_of::<Box<[u32]>>() + 4 * state.len()).sum()
    }
}

/// Specs by number.
#[derive(Default)]
pub(crate) struct Specs(Interner<Spec>);

impl Specs {
    pub(crate) fn number(&self, spec: Spec) -> u32 {
        self.0.intern(&spec).0
    }

    pub(crate) fn get(&self, number: u32) -> &Spec {
        self.0.get(ValueId(number))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// The values of several states as one: a set of tuples, which does not depend on the order of vectors. Nothing where a value is missing or
/// has no canonical form.
pub(crate) fn as_set(states: &[Vec<Option<Val>>]) -> Option<Val> {
    let mut set = SetBuilder::new();
    for vals in states {
        let mut tuple: Option<Value> = None;
        for val in vals {
            let part = val.as_ref()?.as_value()?.clone();
            tuple = Some(match tuple {
                Some(tuple) => Value::pair(tuple, part),
                None => part,
            });
        }
        set.push(tuple?);
    }
    Some(Val::Value(Value::Set(set.finish())))
}
