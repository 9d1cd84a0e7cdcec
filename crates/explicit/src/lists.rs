//! Interner of lists of words, shared by all workers: the contents of memo entries that do not fit into a slot.

use std::sync::atomic::{AtomicBool, Ordering};

use abridge_value::{Interner, ValueId};

/// Interned lists.
pub(crate) struct Lists {
    lists: Interner<Box<[u32]>>,
    /// No further list is added.
    is_closed: AtomicBool,
}

/// Estimated memory of a list with its entry in the interner.
const BYTES_PER_LIST: u64 = 96;

impl Lists {
    pub(crate) fn new() -> Self {
        Lists { lists: Interner::new(), is_closed: AtomicBool::new(false) }
    }

    /// Number of a list, never 0; `None` if the list is new and there is no room for it.
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

    /// Sets whether new lists may be added.
    pub(crate) fn allow(&self, may_grow: bool) {
        self.is_closed.store(!may_grow, Ordering::Relaxed);
    }
}
