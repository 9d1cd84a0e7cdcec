//! Values collected into a set, within the limits on its size and on memory.
//!
//! Elements are charged as they come, in portions: a set of a million elements is well within the limit on its size, but a million sequences can
//! be more than there is memory for.

use abridge_value::{Builder, Set, Value};

use crate::domain::Result;
use crate::interp::Session;

/// Builder of a set that asks its session for memory.
pub struct Collector<'s> {
    session: &'s Session<'s>,
    out: Builder,
    /// Bytes that were not asked for yet.
    open_bytes: usize,
}

/// Bytes that are asked for at once.
const PORTION_BYTES: usize = 1 << 14;

impl<'s> Collector<'s> {
    pub fn new(session: &'s Session<'s>) -> Self {
        Collector { session, out: Builder::new(), open_bytes: 0 }
    }

    pub fn push(&mut self, value: Value) -> Result<()> {
        // Once in the list that grows, once in the set.
        self.open_bytes += 3 * size_of::<Value>() + value.owned_bytes();
        self.out.push(value);
        self.session.check_size(self.out.len() as u64)?;
        if self.open_bytes < PORTION_BYTES {
            return Ok(());
        }
        self.session.charge(std::mem::take(&mut self.open_bytes))
    }

    pub fn extend(&mut self, values: impl IntoIterator<Item = Value>) -> Result<()> {
        values.into_iter().try_for_each(|value| self.push(value))
    }

    pub fn finish(self) -> Set {
        self.out.finish()
    }
}
