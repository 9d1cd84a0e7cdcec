//! Layers: systems wrapped around other systems.
//!
//! A reduction, a product or a change of the start is a [`Layer`]. Each method delegates to the wrapped system unless the layer overrides it,
//! and the blanket implementation below makes every layer a [`System`]. A method added to [`System`] is added here once, so that no layer
//! can fall back to a default of [`System`] by mistake.

use std::io;

use crate::finding::FindingKind;
use crate::steps::{Completeness, Marks, Steps};
use crate::system::{Ahead, Alike, Origin, Pause, Properties, Question, System, Worker};

/// System around another one.
pub trait Layer: Sync {
    type Inner: System;
    type Worker<'a>: Worker
    where
        Self: 'a;

    fn inner(&self) -> &Self::Inner;

    /// Worker for one thread, usually around a worker of the inner system.
    fn layer_worker(&self) -> Self::Worker<'_>;

    fn layer_width(&self) -> usize {
        self.inner().width()
    }

    fn layer_tidy(&self, n_states: u64) -> usize {
        self.inner().tidy(n_states)
    }

    fn layer_states_ahead(&self) -> usize {
        self.inner().states_ahead()
    }

    /// Words of a sleep set. They are not those of the inner system: a layer that changes steps or states would make them wrong.
    fn layer_sleep_words(&self) -> usize {
        0
    }

    fn layer_open_properties(&self, asked: Properties) -> Properties {
        self.inner().open_properties(asked)
    }

    fn layer_may_look_ahead(&self) -> bool {
        self.inner().may_look_ahead()
    }

    /// Memory of the layer alone; that of the inner system is added.
    fn layer_bytes(&self) -> u64 {
        0
    }

    fn layer_save(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()> {
        self.inner().save(marks, sink)
    }

    fn layer_save_notes(&self) -> Vec<u8> {
        self.inner().save_notes()
    }

    fn layer_is_state(&self, words: &[u32]) -> bool {
        self.inner().is_state(words)
    }

    fn layer_is_mark(&self, marks: Marks) -> bool {
        self.inner().is_mark(marks)
    }

    fn layer_restore(&self, marks: &[u64], source: &mut dyn io::Read, notes: &[u8]) -> io::Result<()> {
        self.inner().restore(marks, source, notes)
    }
}

impl<L: Layer> System for L {
    type Worker<'a>
        = L::Worker<'a>
    where
        Self: 'a;

    fn width(&self) -> usize {
        self.layer_width()
    }

    fn worker(&self) -> Self::Worker<'_> {
        self.layer_worker()
    }

    fn tidy(&self, n_states: u64) -> usize {
        self.layer_tidy(n_states)
    }

    fn tidy_part(&self) {
        self.inner().tidy_part();
    }

    fn states_ahead(&self) -> usize {
        self.layer_states_ahead()
    }

    fn sleep_words(&self) -> usize {
        self.layer_sleep_words()
    }

    fn open_properties(&self, asked: Properties) -> Properties {
        self.layer_open_properties(asked)
    }

    fn may_look_ahead(&self) -> bool {
        self.layer_may_look_ahead()
    }

    fn bytes(&self) -> u64 {
        self.inner().bytes() + self.layer_bytes()
    }

    fn save(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()> {
        self.layer_save(marks, sink)
    }

    fn save_notes(&self) -> Vec<u8> {
        self.layer_save_notes()
    }

    fn is_state(&self, words: &[u32]) -> bool {
        self.layer_is_state(words)
    }

    fn is_mark(&self, marks: Marks) -> bool {
        self.layer_is_mark(marks)
    }

    fn restore(&self, marks: &[u64], source: &mut dyn io::Read, notes: &[u8]) -> io::Result<()> {
        self.layer_restore(marks, source, notes)
    }
}

/// Worker around another one. Expansion has no default, since changing it is the purpose of a layer.
pub trait WorkerLayer {
    type Inner: Worker;

    fn inner(&self) -> &Self::Inner;

    fn inner_mut(&mut self) -> &mut Self::Inner;

    fn layer_expand(
        &mut self,
        origin: Origin<'_>,
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness;

    fn layer_wants_alike(&self, origin: Origin<'_>) -> bool {
        self.inner().wants_alike(origin)
    }

    fn layer_announce(&mut self, states: &[Ahead], question: Question) {
        self.inner_mut().announce(states, question);
    }

    fn layer_wants_before(&self, asked: Properties) -> bool {
        self.inner().wants_before(asked)
    }

    /// Unlike other methods it does not delegate: a layer may inspect more than what it is around, or other states.
    fn layer_settled(&self) -> &[u64] {
        &[]
    }

    fn layer_inspect(
        &mut self,
        state: &[u32],
        before: Option<&[u32]>,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        self.inner_mut().inspect(state, before, asked, found)
    }
}

impl<L: WorkerLayer> Worker for L {
    fn expand(
        &mut self,
        origin: Origin<'_>,
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness {
        self.layer_expand(origin, alike, out, pause)
    }

    fn wants_alike(&self, origin: Origin<'_>) -> bool {
        self.layer_wants_alike(origin)
    }

    fn announce(&mut self, states: &[Ahead], question: Question) {
        self.layer_announce(states, question);
    }

    fn wants_before(&self, asked: Properties) -> bool {
        self.layer_wants_before(asked)
    }

    fn settled(&self) -> &[u64] {
        self.layer_settled()
    }

    fn is_stopped(&self) -> bool {
        self.inner().is_stopped()
    }

    fn inspect(
        &mut self,
        state: &[u32],
        before: Option<&[u32]>,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        self.layer_inspect(state, before, asked, found)
    }
}
