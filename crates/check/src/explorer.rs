//! The ways to explore a system, whatever wraps it.

use std::convert::Infallible;
use std::time::Duration;

use abridge_search::{
    Control, Disk, Exploration, Progress, Refusal, SearchConfig, StateGraph, explore, explore_on_disk,
};
use abridge_store::StateTable;
use abridge_system::{AnySystem, Limit};

/// Looks at the states while a search goes on.
pub(crate) trait Watcher {
    /// See [`Control::is_enough`].
    fn is_enough(&mut self, table: &StateTable, steps: &StateGraph, control: &mut dyn Control) -> bool;

    /// See [`Control::needs_steps`].
    fn needs_steps(&self) -> bool;
}

/// Nobody looks.
pub(crate) struct Unwatched;

impl Watcher for Unwatched {
    fn is_enough(&mut self, _: &StateTable, _: &StateGraph, _: &mut dyn Control) -> bool {
        false
    }

    fn needs_steps(&self) -> bool {
        false
    }
}

/// A control with a watcher.
pub(crate) struct Watched<'w>(pub(crate) &'w mut dyn Control, pub(crate) &'w mut dyn Watcher);

impl Control for Watched<'_> {
    fn poll(&mut self, progress: &Progress) -> Option<Limit> {
        self.0.poll(progress)
    }

    fn elapsed(&self) -> Option<Duration> {
        self.0.elapsed()
    }

    fn needs_steps(&self) -> bool {
        self.1.needs_steps()
    }

    fn is_enough(&mut self, table: &StateTable, steps: &StateGraph) -> bool {
        self.1.is_enough(table, steps, &mut *self.0)
    }

    fn is_checkpoint_due(&mut self) -> bool {
        self.0.is_checkpoint_due()
    }
}

pub(crate) trait Explorer {
    /// Why it may not begin.
    type Refusal;

    /// Explores a system; to be asked once.
    fn explore(
        &mut self,
        system: AnySystem<'_>,
        search: &SearchConfig,
        watcher: &mut dyn Watcher,
    ) -> Result<Exploration, Self::Refusal>;

    /// Who is asked about the search.
    fn control(&mut self) -> &mut dyn Control;

    /// A search may be begun and given up for another one.
    fn may_restart(&self) -> bool;

    /// The last search was given up for another one; nobody is interested in it.
    fn is_abandoned(&self) -> bool {
        false
    }

    /// All that the search was made for is known: what was saved is not needed any more.
    fn forget_saved(&mut self);
}

/// Everything is kept in memory.
pub(crate) struct InMemory<'c>(pub(crate) &'c mut dyn Control);

impl Explorer for InMemory<'_> {
    type Refusal = Infallible;

    fn explore(
        &mut self,
        system: AnySystem<'_>,
        search: &SearchConfig,
        watcher: &mut dyn Watcher,
    ) -> Result<Exploration, Infallible> {
        Ok(explore(system, search, &mut Watched(&mut *self.0, watcher)))
    }

    fn control(&mut self) -> &mut dyn Control {
        &mut *self.0
    }

    fn may_restart(&self) -> bool {
        true
    }

    fn forget_saved(&mut self) {}
}

/// The run can be saved and gone on with, and states may go to files.
pub(crate) struct OnDisk<'c>(pub(crate) Disk<'c>, pub(crate) &'c mut dyn Control);

impl Explorer for OnDisk<'_> {
    type Refusal = Refusal;

    fn explore(
        &mut self,
        system: AnySystem<'_>,
        search: &SearchConfig,
        watcher: &mut dyn Watcher,
    ) -> Result<Exploration, Refusal> {
        explore_on_disk(system, search, self.0, &mut Watched(&mut *self.1, watcher))
    }

    fn control(&mut self) -> &mut dyn Control {
        &mut *self.1
    }

    fn may_restart(&self) -> bool {
        false
    }

    fn forget_saved(&mut self) {
        if let Some(checkpoint) = &self.0.checkpoint {
            checkpoint.remove();
        }
    }
}
