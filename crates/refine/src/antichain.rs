//! Antichains: pairs that need not be expanded, since a pair with fewer abstract states was.
//!
//! What the abstraction refuses with more states to choose from, it refuses with fewer. So of two pairs with the same concrete state, the
//! one whose abstract states are a subset of the other's fails wherever the other does, by the same steps. The larger one is left
//! out if the smaller one was expanded *before*, which keeps shortest traces, and noted between blocks of the search only, which keeps
//! counts independent of the number of threads (De Wulf, Doyen, Henzinger, Raskin: Antichains, CAV 2006).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::spec::Specs;

/// Sets of abstract states by concrete state.
#[derive(Default)]
pub(crate) struct Antichain {
    /// What was expanded before the last pause of the search, minimal sets only.
    known: Mutex<FxHashMap<Box<[u32]>, Vec<u32>>>,
    /// What was expanded since.
    recent: Mutex<Vec<(Box<[u32]>, u32)>>,
    /// Some pair has more than one abstract state; before, there is nothing to compare.
    has_sets: AtomicBool,
    is_active: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Antichain {
    pub(crate) fn met_set(&self) {
        self.has_sets.store(true, Ordering::Relaxed);
    }

    /// A pair is about to be expanded; true if it need not be.
    pub(crate) fn covers(&self, specs: &Specs, concrete: &[u32], number: u32) -> bool {
        if !self.is_active.load(Ordering::Relaxed) {
            return false;
        }
        let spec = specs.get(number);
        if spec.states.len() > 1 {
            let known = lock(&self.known);
            let smaller = known.get(concrete).into_iter().flatten();
            let mut smaller = smaller.filter(|other| **other != number).map(|other| specs.get(*other));
            if smaller.any(|other| other.states.len() < spec.states.len() && other.is_subset(spec)) {
                return true;
            }
        }
        lock(&self.recent).push((concrete.into(), number));
        false
    }

    /// Takes up what was expanded, while nobody expands.
    pub(crate) fn tidy(&self, specs: &Specs) {
        self.is_active.store(self.has_sets.load(Ordering::Relaxed), Ordering::Relaxed);
        let recent = std::mem::take(&mut *lock(&self.recent));
        let mut known = lock(&self.known);
        for (concrete, number) in recent {
            let sets = known.entry(concrete).or_default();
            let spec = specs.get(number);
            if !sets.iter().any(|other| specs.get(*other).is_subset(spec)) {
                sets.retain(|other| !spec.is_subset(specs.get(*other)));
                sets.push(number);
            }
        }
    }

    /// From now on nothing is covered.
    pub(crate) fn end(&self) {
        self.is_active.store(false, Ordering::Relaxed);
    }

    pub(crate) fn bytes(&self) -> u64 {
        let known = lock(&self.known);
        known.iter().map(|(state, sets)| 64 + 4 * (state.len() + sets.len()) as u64).sum()
    }
}
