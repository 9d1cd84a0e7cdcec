//! Traits [`System`] and [`Worker`]: the view that engines have of a transition system.

use std::io;
use std::ops::ControlFlow;

use crate::finding::FindingKind;
use crate::steps::{Completeness, Marks, Steps};

/// Transition system whose states are vectors of [`System::width`] words.
///
/// The default methods suit a system that keeps nothing beside its states. A wrapper around a system implements [`Layer`](crate::Layer)
/// instead, whose defaults delegate to the wrapped system.
pub trait System: Sync {
    type Worker<'a>: Worker
    where
        Self: 'a;

    /// Number of words of a state.
    fn width(&self) -> usize;

    /// Makes a worker, which evaluates for one thread.
    fn worker(&self) -> Self::Worker<'_>;

    /// Rearranges data shared by workers. Called at intervals, with the number of states so far, while no worker evaluates. Returns the number of
    /// calls of [`System::tidy_part`] to make before workers evaluate again.
    fn tidy(&self, n_states: u64) -> usize {
        let _ = n_states;
        0
    }

    /// Does one remaining part of [`System::tidy`]. Threads may do parts concurrently.
    fn tidy_part(&self) {}

    /// Number of states that are best announced together ([`Worker::announce`]); it may change whenever [`System::tidy`] is called.
    fn states_ahead(&self) -> usize {
        16
    }

    /// Words of a sleep set, which the search keeps for each state from the step that leads to it ([`Steps::set_sleep_set`]) until it is expanded
    /// ([`Ahead::asleep`]); 0 without sleep sets. It may change whenever [`System::tidy`] is called.
    /// Where steps are stored, only steps that need not be ([`NOT_STORED`](crate::NOT_STORED)) may be asleep.
    fn sleep_words(&self) -> usize {
        0
    }

    /// Those of the properties that have to be inspected: the others hold in all states that can be met. It may change whenever [`System::tidy`] is called.
    fn open_properties(&self, asked: Properties) -> Properties {
        asked
    }

    /// Evaluation of states ahead of the search is allowed: nothing that is told besides results depends on it.
    fn may_look_ahead(&self) -> bool {
        false
    }

    /// Memory that the system uses beside the states: values, memo tables.
    fn bytes(&self) -> u64 {
        0
    }

    /// Appends the meanings of the words of states that were not saved before. `marks` records how far that was, and is empty at first. Called
    /// while no worker evaluates.
    fn save(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()> {
        let _ = (marks, sink);
        Err(io::Error::new(io::ErrorKind::Unsupported, "this kind of search cannot be saved"))
    }

    /// Failures, caveats and other notes, saved as a whole with each checkpoint.
    fn save_notes(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Whether the words can be a state: each has a meaning. Called for words from files.
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

/// Callback while steps are being found. It may empty the buffer, and breaks to end the list.
pub type Pause<'p> = dyn FnMut(&mut Steps) -> ControlFlow<()> + 'p;

/// [`Pause`] that never ends the list.
pub fn go_on(_: &mut Steps) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Source of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin<'s> {
    /// Artificial root, which is not a state. Its steps lead to the first states.
    Root,
    State(&'s [u32]),
}

impl<'s> Origin<'s> {
    /// The state; `None` for the root.
    pub fn state(self) -> Option<&'s [u32]> {
        match self {
            Origin::Root => None,
            Origin::State(state) => Some(state),
        }
    }
}

/// Evaluator of one thread. A wrapper implements [`WorkerLayer`](crate::WorkerLayer) instead.
pub trait Worker {
    /// Appends all steps out of a state or the root, each distinct transition once.
    ///
    /// `alike` gives atoms that can be exchanged without changing the state. Of several steps that differ only by such an exchange, one is
    /// enough if its count covers all. A worker may ignore `alike` and give all steps. `pause` is called at intervals while steps are being found,
    /// with the steps since the last call in the buffer. The returned completeness does not include the steps lost because `pause` ended the list,
    /// which the caller knows.
    fn expand(
        &mut self,
        origin: Origin<'_>,
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness;

    /// Whether [`Worker::expand`] would make use of `alike` here.
    fn wants_alike(&self, origin: Origin<'_>) -> bool {
        let _ = origin;
        false
    }

    /// Announces states that will be asked about next. A worker may prefetch table entries for them, so that waits for memory overlap.
    fn announce(&mut self, states: &[Ahead], question: Question) {
        let _ = (states, question);
    }

    /// Whether the stop flag is ending evaluations. Steps may then be missing, which [`Completeness`] tells.
    fn is_stopped(&self) -> bool {
        false
    }

    /// States that were inspected before others help to inspect those.
    fn wants_before(&self, asked: Properties) -> bool {
        let _ = asked;
        true
    }

    /// States that were announced last, with a question about properties: one bit for each of which it is known that there is nothing to report, so that it need not be
    /// inspected. Empty if nothing is known.
    fn settled(&self) -> &[u64] {
        &[]
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

/// Question about a state.
#[derive(Clone, Copy)]
pub enum Question {
    /// See [`Worker::successors`].
    Successors,
    /// See [`Worker::inspect`].
    Properties(Properties),
}

/// State that a worker will be asked about.
#[derive(Default)]
pub struct Ahead {
    pub words: Vec<u32>,
    /// Argument `before` of [`Worker::inspect`]; empty if there is none.
    pub before: Vec<u32>,
    /// Sleep set of the state: steps whose targets are known, as the step that led to the state told; empty if every step is wanted. The worker counts such steps and
    /// need not give their targets ([`Steps::push_known`]).
    pub asleep: Vec<u64>,
}

impl Ahead {
    /// Argument `before` of [`Worker::inspect`].
    pub fn known_before(&self) -> Option<&[u32]> {
        Some(self.before.as_slice()).filter(|before| !before.is_empty())
    }
}

/// Orbits of the stabiliser of a state. Exchanging atoms of one class leaves the state unchanged.
pub trait Alike {
    /// Class of an atom, given by its sort and its index within the sort; `None` if it cannot be exchanged with any other.
    fn class(&self, sort: u32, index: u32) -> Option<u32>;
}

/// Kinds of properties to inspect.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Properties {
    pub invariant: bool,
    pub assertions: bool,
    pub goal: bool,
    /// Atomic propositions of temporal formulas, numbered by the system. The false ones are reported.
    pub propositions: bool,
}
