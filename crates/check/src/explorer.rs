//! The ways to explore a system, whatever wraps it.

use std::convert::Infallible;

use abridge_search::{Config, Control, Disk, Exploration, Refusal, explore, explore_on_disk};
use abridge_system::System;

pub(crate) trait Explorer {
    /// Why it may not begin.
    type Refusal;

    fn explore<S: System>(self, system: &S, search: &Config) -> Result<Exploration, Self::Refusal>;

    /// Who is asked about the search, if it may be begun and given up for another one.
    fn control(&mut self) -> Option<&mut dyn Control>;
}

/// Everything is kept in memory.
pub(crate) struct InMemory<'c>(pub(crate) &'c mut dyn Control);

impl Explorer for InMemory<'_> {
    type Refusal = Infallible;

    fn explore<S: System>(self, system: &S, search: &Config) -> Result<Exploration, Infallible> {
        Ok(explore(system, search, self.0))
    }

    fn control(&mut self) -> Option<&mut dyn Control> {
        Some(&mut *self.0)
    }
}

/// The run can be saved and gone on with, and states may go to files.
pub(crate) struct OnDisk<'c>(pub(crate) Disk<'c>, pub(crate) &'c mut dyn Control);

impl Explorer for OnDisk<'_> {
    type Refusal = Refusal;

    fn explore<S: System>(self, system: &S, search: &Config) -> Result<Exploration, Refusal> {
        explore_on_disk(system, search, self.0, self.1)
    }

    fn control(&mut self) -> Option<&mut dyn Control> {
        None
    }
}
