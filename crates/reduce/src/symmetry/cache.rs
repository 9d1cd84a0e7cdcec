//! Cache of results by number: each is computed once and read by all threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const FIRST_SEGMENT: u32 = 64;
const N_SEGMENTS: usize = 27;

/// One place per number, filled when first asked for.
pub(super) struct PerId<T> {
    segments: [OnceLock<Box<[OnceLock<T>]>>; N_SEGMENTS],
}

impl<T> PerId<T> {
    pub(super) fn new() -> Self {
        PerId { segments: [const { OnceLock::new() }; N_SEGMENTS] }
    }

    /// The place of a number; new places are made only if allowed.
    pub(super) fn place(&self, id: u32, may_grow: bool) -> Option<&OnceLock<T>> {
        let shifted = u64::from(id) + u64::from(FIRST_SEGMENT);
        let segment = (shifted.ilog2() - FIRST_SEGMENT.ilog2()) as usize;
        let offset = (shifted - (u64::from(FIRST_SEGMENT) << segment)) as usize;
        let slot = &self.segments[segment];
        let items = if may_grow {
            slot.get_or_init(|| {
                std::iter::repeat_with(OnceLock::new).take((FIRST_SEGMENT as usize) << segment).collect()
            })
        } else {
            slot.get()?
        };
        Some(&items[offset])
    }
}

/// Bytes that may be spent on what could be computed again.
pub(super) struct Allowance {
    spent: AtomicUsize,
    limit: usize,
}

impl Allowance {
    pub(super) fn new(limit: usize) -> Self {
        Allowance { spent: AtomicUsize::new(0), limit }
    }

    pub(super) fn is_left(&self) -> bool {
        self.spent() < self.limit
    }

    pub(super) fn spend(&self, bytes: usize) {
        self.spent.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn spent(&self) -> usize {
        self.spent.load(Ordering::Relaxed)
    }
}
