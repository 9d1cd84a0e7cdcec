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
    known: Mutex<Known>,
    /// What was expanded since.
    recent: Mutex<Vec<Expanded>>,
    /// Some pair has more than one abstract state; before, there is nothing to compare.
    has_sets: AtomicBool,
    is_active: AtomicBool,
}

/// A concrete state, and the number of an abstract part.
pub(crate) type Expanded = (Box<[u32]>, u32);

#[derive(Default)]
struct Known {
    /// Numbers of abstract parts, with the number of the entry.
    sets: FxHashMap<Box<[u32]>, Vec<(u32, u64)>>,
    /// The number of the next entry; those with smaller numbers may have been saved.
    next: u64,
    bytes: u64,
}

impl Known {
    /// Takes up a pair, unless a smaller one is there.
    fn add(&mut self, specs: &Specs, (concrete, number): Expanded) {
        let spec = specs.get(number);
        let n_words = concrete.len() as u64;
        let sets = self.sets.entry(concrete).or_default();
        if sets.iter().any(|(other, _)| specs.get(*other).is_subset(spec)) {
            return;
        }
        self.bytes += 16 + if sets.is_empty() { BYTES_PER_STATE + 4 * n_words } else { 0 };
        sets.retain(|(other, _)| !spec.is_subset(specs.get(*other)));
        sets.push((number, self.next));
        self.next += 1;
    }
}

/// Bytes of a concrete state beside its words.
const BYTES_PER_STATE: u64 = 64;

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
            let smaller = known.sets.get(concrete).into_iter().flatten();
            let mut smaller = smaller.filter(|(other, _)| *other != number).map(|(other, _)| specs.get(*other));
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
        recent.into_iter().for_each(|pair| known.add(specs, pair));
    }

    /// Entries from a number on, and the number of the next one. Those that smaller ones replaced are not needed.
    pub(crate) fn since(&self, first: u64) -> (Vec<Expanded>, u64) {
        let known = lock(&self.known);
        let entries = known.sets.iter().flat_map(|(concrete, sets)| {
            let new = sets.iter().filter(|(_, entry)| *entry >= first);
            new.map(move |(number, _)| (concrete.clone(), *number))
        });
        (entries.collect(), known.next)
    }

    /// What was expanded since the last pause, whether there are sets, and whether they are compared.
    pub(crate) fn notes(&self) -> (Vec<Expanded>, bool, bool) {
        let recent = lock(&self.recent).clone();
        (recent, self.has_sets.load(Ordering::Relaxed), self.is_active.load(Ordering::Relaxed))
    }

    /// Takes up what was saved.
    pub(crate) fn restore(
        &self,
        specs: &Specs,
        next: u64,
        expanded: Vec<Expanded>,
        recent: Vec<Expanded>,
        has_sets: bool,
        is_active: bool,
    ) {
        let mut known = lock(&self.known);
        expanded.into_iter().for_each(|pair| known.add(specs, pair));
        known.next = next;
        *lock(&self.recent) = recent;
        self.has_sets.store(has_sets, Ordering::Relaxed);
        self.is_active.store(is_active, Ordering::Relaxed);
    }

    /// From now on nothing is covered.
    pub(crate) fn end(&self) {
        self.is_active.store(false, Ordering::Relaxed);
    }

    pub(crate) fn bytes(&self) -> u64 {
        lock(&self.known).bytes
    }
}
