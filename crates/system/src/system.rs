//! The traits that engines see.

use std::io;
use std::ops::ControlFlow;

use crate::finding::FindingKind;
use crate::steps::{Completeness, Marks, Steps};

/// A transition system with states of one width.
///
/// The default methods are those of a system that keeps nothing beside its states. A wrapper around a system implements
/// [`Layer`](crate::Layer) instead, so that whatever it does not override is the wrapped system's and no default is taken by mistake.
pub trait System: Sync {
    type Worker<'a>: Worker
    where
        Self: 'a;

    /// The number of words of a state.
    fn width(&self) -> usize;

    /// Evaluation for one thread.
    fn worker(&self) -> Self::Worker<'_>;

    /// Called now and then while no worker evaluates, with the number of states so far: the time to rearrange what workers share. Returns
    /// the number of parts that remain for [`System::tidy_part`] before workers evaluate again.
    fn tidy(&self, n_states: u64) -> usize {
        let _ = n_states;
        0
    }

    /// Does one of the parts that remain, whichever it is; threads may do parts at the same time.
    fn tidy_part(&self) {}

    /// Evaluation of states ahead of the search is allowed: nothing that is told besides results depends on it.
    fn may_look_ahead(&self) -> bool {
        false
    }

    /// Bytes of what the system keeps beside the states: values, remembered outcomes.
    fn bytes(&self) -> u64 {
        0
    }

    /// Appends what the words of states stand for and was not saved before; `marks` says how far that was, empty at first. Called while
    /// no worker evaluates.
    fn save(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()> {
        let _ = (marks, sink);
        Err(io::Error::new(io::ErrorKind::Unsupported, "this kind of search cannot be saved"))
    }

    /// What was noted besides, as a whole.
    fn save_notes(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Whether the words can be a state: each stands for something. Asked about words that come from files.
    fn is_state(&self, words: &[u32]) -> bool {
        let _ = words;
        true
    }

    /// Whether the marks of a step can be these. Asked about marks that come from files.
    fn is_mark(&self, marks: Marks) -> bool {
        let _ = marks;
        true
    }

    /// Takes up what was saved, before anything is evaluated.
    fn restore(&self, marks: &[u64], source: &mut dyn io::Read, notes: &[u8]) -> io::Result<()> {
        let _ = (marks, source, notes);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Looks at the steps found so far, may empty the buffer, and says whether to go on.
pub type Pause<'p> = dyn FnMut(&mut Steps) -> ControlFlow<()> + 'p;

/// A pause that never ends the list.
pub fn go_on(_: &mut Steps) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The source of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin<'s> {
    /// The artificial root, which is no state. Its steps lead to the first states.
    Root,
    State(&'s [u32]),
}

impl<'s> Origin<'s> {
    /// The state, unless it is the root.
    pub fn state(self) -> Option<&'s [u32]> {
        match self {
            Origin::Root => None,
            Origin::State(state) => Some(state),
        }
    }
}

/// Evaluates on behalf of one thread. A wrapper implements [`WorkerLayer`](crate::WorkerLayer) instead.
pub trait Worker {
    /// Appends all steps out of a state or the root, each distinct transition once.
    ///
    /// `alike` tells atoms that can be exchanged without changing the state: of several steps that only such exchanges tell apart one is
    /// enough, if it counts for all. A worker that cannot make use of it gives all. `pause` is called now and then while steps are being
    /// found; what was found since the last call is left in the buffer. A list that `pause` ended is not whole, which the caller knows
    /// and is not told again.
    fn expand(
        &mut self,
        origin: Origin<'_>,
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness;

    /// Steps out of this state or root can make use of interchangeable atoms.
    fn wants_alike(&self, origin: Origin<'_>) -> bool {
        let _ = origin;
        false
    }

    /// Tells which states will be asked about soon. A worker that looks things up may fetch them now: waiting for memory once for all
    /// states is faster than once for each.
    fn announce(&mut self, states: &[Ahead], question: Question) {
        let _ = (states, question);
    }

    /// Evaluations are being ended early. Steps may then be missing, which [`Completeness`] tells.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Calls `found` for each of the asked properties that fails in a state, or is reached in the case of a goal. `before` is a state
    /// that was inspected already: what depends only on words in which the two agree need not be reported again.
    fn inspect(
        &mut self,
        state: &[u32],
        before: Option<&[u32]>,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness;

    /// All steps out of a state.
    fn successors(&mut self, state: &[u32], out: &mut Steps) -> Completeness {
        self.expand(Origin::State(state), None, out, &mut go_on)
    }

    /// All steps out of the root.
    fn initial(&mut self, out: &mut Steps) -> Completeness {
        self.expand(Origin::Root, None, out, &mut go_on)
    }
}

/// What a worker is asked about a state.
#[derive(Clone, Copy)]
pub enum Question {
    /// See [`Worker::successors`].
    Successors,
    /// See [`Worker::inspect`].
    Properties(Properties),
}

/// A state that a worker will be asked about.
#[derive(Default)]
pub struct Ahead {
    pub words: Vec<u32>,
    /// The state that will be given as the one before, when properties are asked for.
    pub before: Vec<u32>,
}

/// Orbits of the stabiliser of a state: atoms of one class can be exchanged, and the state stays as it is.
pub trait Alike {
    /// The class of an atom, by its sort and its position within the sort; absent if no other atom can be exchanged with it.
    fn class(&self, sort: u32, index: u32) -> Option<u32>;
}

/// Properties of states that are of interest.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Properties {
    pub invariant: bool,
    pub assertions: bool,
    pub goal: bool,
    /// Atomic propositions of temporal formulas, numbered by the system. Those that are false are found.
    pub propositions: bool,
}
