//! Different lists of words by number, shared by all workers.

use std::sync::atomic::{AtomicBool, Ordering};

use abridge_value::{Interner, ValueId};

pub(crate) struct Lists {
    lists: Interner<Box<[u32]>>,
    /// No further list is taken in.
    is_closed: AtomicBool,
}

/// About the bytes of a list with everything that belongs to it.
const BYTES_PER_LIST: u64 = 96;

impl Lists {
    pub(crate) fn new() -> Self {
        Lists { lists: Interner::new(), is_closed: AtomicBool::new(false) }
    }

    /// The number of a list, never 0; nothing if there is no room for it.
    pub(crate) fn number(&self, words: &[u32]) -> Option<u32> {
        let list = words.into();
        if self.is_closed.load(Ordering::Relaxed) {
            return self.lists.find(&list).map(|id| id.0 + 1);
        }
        Some(self.lists.intern(&list).0 + 1)
    }

    pub(crate) fn get(&self, number: u32) -> &[u32] {
        self.lists.get(ValueId(number - 1))
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.lists.len() as u64 * BYTES_PER_LIST
    }

    /// Says whether there is room for more.
    pub(crate) fn allow(&self, may_grow: bool) {
        self.is_closed.store(!may_grow, Ordering::Relaxed);
    }
}
