//! [`AnySystem`]: a system behind dynamic calls.
//!
//! Engines are generic, and the stacks of layers that they are given are many. Through an `AnySystem`, one copy of an engine serves all of them. A call a state is the whole cost,
//! since workers stay what they are inside: what a call of [`Worker::expand`] does is compiled for the stack.

use std::io;

use crate::finding::FindingKind;
use crate::steps::{Completeness, Marks, Steps};
use crate::system::{Ahead, Alike, Origin, Pause, Properties, Question, System, Worker};

/// Reference to a system of any type.
#[derive(Clone, Copy)]
pub struct AnySystem<'s>(&'s dyn DynSystem);

impl<'s> AnySystem<'s> {
    pub fn of<S: System>(system: &'s S) -> AnySystem<'s> {
        AnySystem(system)
    }
}

impl<'s, S: System> From<&'s S> for AnySystem<'s> {
    fn from(system: &'s S) -> AnySystem<'s> {
        AnySystem::of(system)
    }
}

/// [`System`] with boxed workers.
trait DynSystem: Sync {
    fn width(&self) -> usize;
    fn worker(&self) -> AnyWorker<'_>;
    fn tidy(&self, n_states: u64) -> usize;
    fn tidy_part(&self);
    fn states_ahead(&self) -> usize;
    fn sleep_words(&self) -> usize;
    fn open_properties(&self, asked: Properties) -> Properties;
    fn may_look_ahead(&self) -> bool;
    fn bytes(&self) -> u64;
    fn save(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()>;
    fn save_notes(&self) -> Vec<u8>;
    fn is_state(&self, words: &[u32]) -> bool;
    fn is_mark(&self, marks: Marks) -> bool;
    fn restore(&self, marks: &[u64], source: &mut dyn io::Read, notes: &[u8]) -> io::Result<()>;
}

impl<S: System> DynSystem for S {
    fn width(&self) -> usize {
        System::width(self)
    }

    fn worker(&self) -> AnyWorker<'_> {
        AnyWorker(Box::new(System::worker(self)))
    }

    fn tidy(&self, n_states: u64) -> usize {
        System::tidy(self, n_states)
    }

    fn tidy_part(&self) {
        System::tidy_part(self);
    }

    fn states_ahead(&self) -> usize {
        System::states_ahead(self)
    }

    fn sleep_words(&self) -> usize {
        System::sleep_words(self)
    }

    fn open_properties(&self, asked: Properties) -> Properties {
        System::open_properties(self, asked)
    }

    fn may_look_ahead(&self) -> bool {
        System::may_look_ahead(self)
    }

    fn bytes(&self) -> u64 {
        System::bytes(self)
    }

    fn save(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()> {
        System::save(self, marks, sink)
    }

    fn save_notes(&self) -> Vec<u8> {
        System::save_notes(self)
    }

    fn is_state(&self, words: &[u32]) -> bool {
        System::is_state(self, words)
    }

    fn is_mark(&self, marks: Marks) -> bool {
        System::is_mark(self, marks)
    }

    fn restore(&self, marks: &[u64], source: &mut dyn io::Read, notes: &[u8]) -> io::Result<()> {
        System::restore(self, marks, source, notes)
    }
}

impl System for AnySystem<'_> {
    type Worker<'a>
        = AnyWorker<'a>
    where
        Self: 'a;

    fn width(&self) -> usize {
        self.0.width()
    }

    fn worker(&self) -> AnyWorker<'_> {
        self.0.worker()
    }

    fn tidy(&self, n_states: u64) -> usize {
        self.0.tidy(n_states)
    }

    fn tidy_part(&self) {
        self.0.tidy_part();
    }

    fn states_ahead(&self) -> usize {
        self.0.states_ahead()
    }

    fn sleep_words(&self) -> usize {
        self.0.sleep_words()
    }

    fn open_properties(&self, asked: Properties) -> Properties {
        self.0.open_properties(asked)
    }

    fn may_look_ahead(&self) -> bool {
        self.0.may_look_ahead()
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn save(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()> {
        self.0.save(marks, sink)
    }

    fn save_notes(&self) -> Vec<u8> {
        self.0.save_notes()
    }

    fn is_state(&self, words: &[u32]) -> bool {
        self.0.is_state(words)
    }

    fn is_mark(&self, marks: Marks) -> bool {
        self.0.is_mark(marks)
    }

    fn restore(&self, marks: &[u64], source: &mut dyn io::Read, notes: &[u8]) -> io::Result<()> {
        self.0.restore(marks, source, notes)
    }
}

/// Worker of any type.
pub struct AnyWorker<'w>(Box<dyn Worker + 'w>);

impl Worker for AnyWorker<'_> {
    fn expand(
        &mut self,
        origin: Origin<'_>,
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness {
        self.0.expand(origin, alike, out, pause)
    }

    fn wants_alike(&self, origin: Origin<'_>) -> bool {
        self.0.wants_alike(origin)
    }

    fn announce(&mut self, states: &[Ahead], question: Question) {
        self.0.announce(states, question);
    }

    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }

    fn wants_before(&self, asked: Properties) -> bool {
        self.0.wants_before(asked)
    }

    fn settled(&self) -> &[u64] {
        self.0.settled()
    }

    fn inspect(
        &mut self,
        state: &[u32],
        before: Option<&[u32]>,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        self.0.inspect(state, before, asked, found)
    }

    fn successors(&mut self, state: &[u32], out: &mut Steps) -> Completeness {
        self.0.successors(state, out)
    }

    fn initial(&mut self, out: &mut Steps) -> Completeness {
        self.0.initial(out)
    }
}
