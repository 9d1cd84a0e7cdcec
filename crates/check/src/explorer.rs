//! The ways to explore a system, whatever wraps it.

use std::convert::Infallible;

use abridge_search::{Config, Control, Disk, Exploration, Refusal, explore, explore_on_disk};
use abridge_system::System;

pub(crate) trait Explorer {
    /// Why it may not begin.
    type Refusal;

    /// Explores a system; to be asked once.
    fn explore<S: System>(&mut self, system: &S, search: &Config) -> Result<Exploration, Self::Refusal>;

    /// Who is asked about the search.
    fn control(&mut self) -> &mut dyn Control;

    /// A search may be begun and given up for another one.
    fn may_restart(&self) -> bool;
}

/// Everything is kept in memory.
pub(crate) struct InMemory<'c>(pub(crate) &'c mut dyn Control);

impl Explorer for InMemory<'_> {
    type Refusal = Infallible;

    fn explore<S: System>(&mut self, system: &S, search: &Config) -> Result<Exploration, Infallible> {
        Ok(explore(system, search, self.0))
    }

    fn control(&mut self) -> &mut dyn Control {
        &mut *self.0
    }

    fn may_restart(&self) -> bool {
        true
    }
}

/// The run can be saved and gone on with, and states may go to files.
pub(crate) struct OnDisk<'c>(pub(crate) Disk<'c>, pub(crate) &'c mut dyn Control);

impl Explorer for OnDisk<'_> {
    type Refusal = Refusal;

    fn explore<S: System>(&mut self, system: &S, search: &Config) -> Result<Exploration, Refusal> {
        explore_on_disk(system, search, self.0, self.1)
    }

    fn control(&mut self) -> &mut dyn Control {
        &mut *self.1
    }

    fn may_restart(&self) -> bool {
        false
    }
}
