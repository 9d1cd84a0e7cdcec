//! Symmetry markers (Leuschel, Massart, "Efficient approximate verification of B via symmetry markers"; section 3.7.5 of Spermann's thesis).
//!
//! The marker of a state is the state with each point replaced by what is seen from it: a vertex invariant made of the paths that lead to the
//! point and of what lies beside them, where the point recognises itself and data, and takes all other points of a block for the same. Sets become
//! multisets. Symmetric states have equal markers; states with equal markers need not be symmetric. The first state with a marker stands
//! for all of them, so something may be missed, and what is missed depends on the order of the search.
//!
//! Markers decide if no member of a set in the state holds two points: what is seen from a point is then all there is to say about it. In
//! such states hits are confirmed by canonical forms, which are cheap there, so that a result without other hits is exact. In the precise
//! mode all hits are confirmed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::auto::{Auto, AutoCanonizer};
use super::group::Group;
use super::quotient::{Canonizer, Quotient};
use super::states::ValueStates;

/// Classes by markers. Needs a search of one thread.
pub struct Marker<'s, S> {
    auto: Auto<'s, S>,
    is_precise: bool,
    is_approximate: AtomicBool,
    first: Mutex<FxHashMap<Box<[u64]>, Vec<MarkedState>>>,
}

/// The first state with a marker, and its canonical form once that was needed.
struct MarkedState {
    state: Box<[u32]>,
    canonical: Option<Box<[u32]>>,
}

impl<'s, S: ValueStates> Marker<'s, S> {
    pub fn new(system: &'s S, group: Group, is_precise: bool) -> Self {
        let auto = Auto::new(system, group);
        Marker { auto, is_precise, is_approximate: AtomicBool::new(false), first: Mutex::default() }
    }

    /// Whether some state was taken for known because of its marker alone.
    pub fn is_approximate(&self) -> bool {
        self.is_approximate.load(Ordering::Relaxed)
    }
}

impl<S: ValueStates> Quotient for Marker<'_, S> {
    type Canonizer<'a>
        = MarkerCanonizer<'a, S>
    where
        Self: 'a;

    fn canonizer(&self) -> MarkerCanonizer<'_, S> {
        MarkerCanonizer { marker: self, canonizer: self.auto.judge(), key: Vec::new() }
    }

    fn is_lasting(&self) -> bool {
        false
    }

    fn bytes(&self) -> u64 {
        self.auto.bytes()
    }
}

pub struct MarkerCanonizer<'a, S> {
    marker: &'a Marker<'a, S>,
    canonizer: AutoCanonizer<'a, S>,
    key: Vec<u64>,
}

impl<S: ValueStates> MarkerCanonizer<'_, S> {
    fn canonical(&mut self, state: &[u32]) -> Box<[u32]> {
        let mut canonical: Box<[u32]> = state.into();
        self.canonizer.represent(&mut canonical);
        canonical
    }
}

impl<S: ValueStates> Canonizer for MarkerCanonizer<'_, S> {
    fn represent(&mut self, state: &mut [u32]) {
        let is_decisive = self.canonizer.mark(state, &mut self.key);
        let marker = self.marker;
        let mut first = marker.first.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = first.get_mut(self.key.as_slice()) else {
            first.insert(self.key.as_slice().into(), vec![MarkedState { state: (&*state).into(), canonical: None }]);
            return;
        };
        if known.iter().any(|known| *known.state == *state) {
            return;
        }
        if !is_decisive && !marker.is_precise {
            marker.is_approximate.store(true, Ordering::Relaxed);
            return state.copy_from_slice(&known[0].state);
        }
        let canonical = self.canonical(state);
        for entry in known.iter_mut() {
            let other = entry.canonical.get_or_insert_with(|| self.canonical(&entry.state));
            if *other == canonical {
                return state.copy_from_slice(&entry.state);
            }
        }
        known.push(MarkedState { state: (&*state).into(), canonical: Some(canonical) });
    }
}
