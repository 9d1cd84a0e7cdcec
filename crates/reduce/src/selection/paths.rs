//! Selections that formulas about paths do not notice.
//!
//! # Linear time
//!
//! Let every formula be stutter-invariant: steps that it does not notice may be added to a path or left out. In a state `s` that is not expanded fully, `T(s)` is
//! stubborn (conditions 1 and 2 of `selection.rs`), has an enabled instance, and:
//!
//! - V: the enabled instances of `T(s)` are all unnoticed, or `T(s)` contains all instances that are noticed.
//! - I: if an unnoticed instance is enabled, `T(s)` contains one.
//! - L: every cycle of the reduced graph has a state that is expanded fully, or whose `T(s)` contains all instances that are noticed.
//!
//! Then every path has a counterpart in the reduced graph that formulas do not tell from it (Valmari, "The state explosion problem", 1998; Peled, "Combining partial order
//! reductions with on-the-fly model-checking", 1994, has the special case in which V allows unnoticed instances only). Let `t1 t2 ...` be a path from `s`. Its first `ti` in `T(s)`
//! is moved to the front; if there is none, an unnoticed instance of `T(s)` is put there. An unnoticed one moves without a trace, since it stays enabled along `t1 ... t(i-1)` and
//! commutes with each of them. If `ti` is noticed, then by V the steps before it are not. A noticed step could be put off for ever along a cycle; but in a state with all noticed
//! instances in `T(s)`, a step up to the next noticed one moves, and by L such a state comes again and again. Paths that end keep
//! their last state, by 1 and 2. Errors count as noticed here: the state that has one is not left out either.
//!
//! Premises of fairness `WF(op)`, `SF(op)` are stutter-invariant formulas over `e(op)` and `[op]`, which are observed like other atoms. `WEF` and `SEF`
//! observe all instances, so nothing could be left out.
//!
//! # Branching time
//!
//! Formulas of CTL without X keep their truth if `T(s)` is besides a single unnoticed step or all that is enabled (Gerth, Kuiper, Peled, Penczek, "A partial order approach to branching time logic model
//! checking", 1999: CTL* without X): the states before and after that step are stuttering bisimilar. A state with a step left out never leads to a deadlock, so `deadlock` needs no observation.
//!
//! # Cycles
//!
//! L is checked on the stored graph of a finished search. States that close a cycle put off nothing in the next search; if that does not end soon,
//! operations that close cycles are kept out of selections that do. Either way the answer depends neither on the order of the search nor on threads, and
//! operations run out.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use abridge_deps::Observed;
use abridge_value::BitSet;
use rustc_hash::FxHashSet;

/// What formulas about paths ask of a selection.
#[derive(Default)]
pub struct Paths {
    pub(super) observed: Vec<Observed>,
    /// Some formula is about branching time.
    pub(super) is_branching: bool,
    state: RwLock<PathsState>,
}

#[derive(Default)]
pub(super) struct PathsState {
    /// Operations that close cycles: no state takes one of them and puts off others.
    pub(super) closing: BitSet,
    /// States that put off nothing.
    pub(super) full: FxHashSet<Box<[u32]>>,
    n_rounds: u32,
}

/// Rounds in which states are told to put off nothing before operations are kept out of selections that put off steps.
const MAX_ROUNDS_OF_STATES: u32 = 6;

impl Paths {
    pub fn new(observed: Vec<Observed>, is_branching: bool) -> Paths {
        Paths { observed, is_branching, state: RwLock::default() }
    }

    pub(super) fn state(&self) -> RwLockReadGuard<'_, PathsState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) -> RwLockWriteGuard<'_, PathsState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, this state puts off nothing.
    pub fn add(&self, state: &[u32]) {
        self.change().full.insert(state.into());
    }

    /// From now on, no state takes this operation and puts off others.
    pub fn close(&self, operation: u32) {
        self.change().closing.insert(operation as usize);
    }

    /// Cycles are to be broken by operations.
    pub fn is_impatient(&self) -> bool {
        self.state().n_rounds >= MAX_ROUNDS_OF_STATES
    }

    pub fn end_round(&self) {
        self.change().n_rounds += 1;
    }

    /// Grows whenever something must not be left out any more.
    pub fn version(&self) -> usize {
        let state = self.state();
        state.full.len() + state.closing.len()
    }
}
