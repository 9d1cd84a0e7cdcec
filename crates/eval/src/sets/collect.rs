//! Collector: builds a set from successive elements, within the limits on size and memory.
//!
//! Elements are charged in portions as they are added. A set of a million elements is within the limit on size, but a million sequences may exceed
//! the memory.

use abridge_value::{Set, SetBuilder, Value};

use crate::domain::Result;
use crate::interp::Session;

/// Builder of a set that charges its session for memory.
pub struct Collector<'s> {
    session: &'s Session<'s>,
    out: SetBuilder,
    /// Bytes not yet charged.
    open_bytes: usize,
}

/// Bytes per charge.
const PORTION_BYTES: usize = 1 << 14;

impl<'s> Collector<'s> {
    pub fn new(session: &'s Session<'s>) -> Self {
        Collector { session, out: SetBuilder::new(), open_bytes: 0 }
    }

    pub fn push(&mut self, value: Value) -> Result<()> {
        // The element takes room in the growing list and in the set.
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
