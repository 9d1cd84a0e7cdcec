//! The traits that engines see.

use std::io;
use std::ops::ControlFlow;

use crate::finding::FindingKind;

/// A transition system with states of one width.
pub trait System: Sync {
    type Worker<'a>: Worker
    where
        Self: 'a;

    /// The number of words of a state.
    fn width(&self) -> usize;

    /// Evaluation for one thread.
    fn worker(&self) -> Self::Worker<'_>;

    /// Called now and then while no worker evaluates, with the number of states so far: the time to rearrange what workers share. Says
    /// how many parts of that remain to be done by [`System::tidy_part`], before workers evaluate again.
    fn tidy(&self, n_states: u64) -> usize {
        let _ = n_states;
        0
    }

    /// Whether states may be evaluated that the search has not come to, and may be again when it does: nothing that is told besides
    /// results depends on it.
    fn may_look_ahead(&self) -> bool {
        false
    }

    /// Does one of the parts that remain, whichever it is; threads may do parts at the same time.
    fn tidy_part(&self) {}

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

    /// Takes up what was saved, before anything is evaluated.
    fn restore(&self, marks: &[u64], source: &mut dyn io::Read, notes: &[u8]) -> io::Result<()> {
        let _ = (marks, source, notes);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Looks at the steps found so far; whether to go on.
pub type Pause<'p> = dyn FnMut(&mut Steps) -> ControlFlow<()> + 'p;

/// Evaluates on behalf of one thread.
pub trait Worker {
    /// The steps out of the artificial root, which is no state.
    fn initial(&mut self, out: &mut Steps);

    /// The same while they are being found, for there may be very many: `pause` is called now and then, may empty the buffer, and says
    /// whether to go on. What was found since the last pause is left in the buffer.
    fn initial_by_parts(&mut self, out: &mut Steps, pause: &mut Pause<'_>) {
        let _ = pause;
        self.initial(out);
    }

    /// The same with elements that can be exchanged as long as nothing has a value: see [`Worker::successors_alike`]. False, and nothing is
    /// added, if the worker cannot make use of it.
    fn initial_alike(&mut self, alike: &dyn Alike, out: &mut Steps) -> bool {
        let _ = (alike, out);
        false
    }

    /// Says what states will be asked soon. A worker that looks things up may fetch them now: waiting for memory once for all states is
    /// faster than once for each.
    fn announce(&mut self, states: &[Ahead], question: Question) {
        let _ = (states, question);
    }

    /// Whether evaluations are being ended early. Steps may then be missing, which [`Steps::is_incomplete`] tells.
    fn is_stopped(&self) -> bool {
        false
    }

    /// All steps out of a state, each distinct transition once.
    fn successors(&mut self, state: &[u32], out: &mut Steps);

    /// The same for a state that stays as it is when elements are exchanged. Of several steps that only such exchanges tell apart one is
    /// enough, if it counts for all. Whoever does not know how to make use of it gives all.
    fn successors_alike(&mut self, state: &[u32], alike: &dyn Alike, out: &mut Steps) {
        let _ = alike;
        self.successors(state, out);
    }

    /// The same, with or without such elements, while steps are being found: see [`Worker::initial_by_parts`].
    fn successors_by_parts(
        &mut self,
        state: &[u32],
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) {
        let _ = pause;
        match alike {
            Some(alike) => self.successors_alike(state, alike, out),
            None => self.successors(state, out),
        }
    }

    /// Whether steps out of a state can make use of elements that play the same part.
    fn wants_alike(&self, state: &[u32]) -> bool {
        let _ = state;
        false
    }

    /// Calls `found` for each of the asked properties that fails in a state, or is reached in the case of a goal. `before` is a state
    /// that was inspected already: what depends only on words in which the two agree need not be reported again.
    fn inspect(&mut self, state: &[u32], before: Option<&[u32]>, asked: Properties, found: &mut dyn FnMut(FindingKind));
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

/// Elements of given sets that play the same part in a state: those of one class can be exchanged, and the state stays as it is.
pub trait Alike {
    /// The class of an element, by given set and position; nothing if no other element plays its part.
    fn class(&self, set: u32, index: u32) -> Option<u32>;
}

/// Which properties of states are of interest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties {
    pub invariant: bool,
    pub assertions: bool,
    pub goal: bool,
}

/// Steps out of one state, in a buffer that is used again and again.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    width: usize,
    words: Vec<u32>,
    /// Operation and number of transitions with that operation, target and different labels.
    heads: Vec<(u32, u64)>,
    /// Some operation is not well-defined.
    pub is_ill_defined: bool,
    /// Steps may be missing, because some operation was beyond our means of evaluation.
    pub is_incomplete: bool,
    /// Steps have been left out on purpose; there are some, even if none is here.
    pub is_reduced: bool,
}

impl Steps {
    pub fn new(width: usize) -> Self {
        Steps { width, ..Steps::default() }
    }

    pub fn clear(&mut self) {
        self.words.clear();
        self.heads.clear();
        self.is_ill_defined = false;
        self.is_incomplete = false;
        self.is_reduced = false;
    }

    /// Nothing leaves the state, as far as can be known.
    pub fn is_deadlock(&self) -> bool {
        self.is_empty() && !self.is_incomplete && !self.is_reduced
    }

    /// Adds `count` transitions of one operation to one target that differ in their labels only.
    pub fn push(&mut self, operation: u32, count: u64, target: &[u32]) {
        debug_assert_eq!(target.len(), self.width);
        self.words.extend_from_slice(target);
        self.heads.push((operation, count));
    }

    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Counts further transitions for an entry, up to the largest number there is room for.
    pub fn add_count(&mut self, entry: usize, more: u64) {
        let (_, count) = &mut self.heads[entry];
        *count = count.saturating_add(more);
    }

    /// Operation and target of the last entry.
    pub fn last(&self) -> Option<(u32, &[u32])> {
        let (operation, _) = self.heads.last()?;
        Some((*operation, &self.words[self.words.len() - self.width..]))
    }

    /// Forgets all entries but the first ones.
    pub fn truncate(&mut self, len: usize) {
        self.heads.truncate(len);
        self.words.truncate(len * self.width);
    }

    /// Operation, number of transitions and target of each entry.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u64, &[u32])> {
        let target = |idx: usize| &self.words[idx * self.width..(idx + 1) * self.width];
        self.heads.iter().enumerate().map(move |(idx, (operation, count))| (*operation, *count, target(idx)))
    }
}
