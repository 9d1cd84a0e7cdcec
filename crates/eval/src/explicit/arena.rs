//! Lists of words that stay where they are, shared by all workers.
//!
//! A worker reserves a stretch of a segment, writes a list into it and then publishes its place through a [`Memo`](super::memo::Memo), whose
//! numbers are stored with `Release` and read with `Acquire`; so the words themselves need no order of their own.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const SEGMENT: u64 = 1 << 18;
/// Places fit into 32 bits.
const N_SEGMENTS: u64 = (1 << 32) / SEGMENT;
/// What a worker reserves at once.
const STRETCH: u64 = 1 << 10;

pub(super) struct Arena {
    segments: Box<[OnceLock<Box<[AtomicU32]>>]>,
    next: AtomicU64,
}

/// One worker's stretch.
#[derive(Default)]
pub(super) struct Stretch {
    next: u64,
    end: u64,
}

impl Arena {
    pub(super) fn new() -> Self {
        Arena {
            segments: std::iter::repeat_with(OnceLock::new).take(N_SEGMENTS as usize).collect(),
            // Place 0 says that there is no list.
            next: AtomicU64::new(STRETCH),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.next.load(Ordering::Relaxed) * size_of::<u32>() as u64
    }

    /// Keeps a list; nothing if it is too long or there is no room.
    pub(super) fn push(&self, stretch: &mut Stretch, words: &[u32]) -> Option<u32> {
        let len = words.len() as u64 + 1;
        if len > STRETCH {
            return None;
        }
        if stretch.end - stretch.next < len {
            // Segments are multiples of stretches, so no stretch crosses a border.
            stretch.next = self.next.fetch_add(STRETCH, Ordering::Relaxed);
            stretch.end = stretch.next + STRETCH;
        }
        let segment = self.segments.get((stretch.next / SEGMENT) as usize)?;
        let segment =
            segment.get_or_init(|| std::iter::repeat_with(AtomicU32::default).take(SEGMENT as usize).collect());
        let place = stretch.next;
        let start = (place % SEGMENT) as usize;
        segment[start].store(words.len() as u32, Ordering::Relaxed);
        for (slot, word) in segment[start + 1..].iter().zip(words) {
            slot.store(*word, Ordering::Relaxed);
        }
        stretch.next += len;
        Some(place as u32)
    }

    /// The list at a place that [`Arena::push`] gave.
    pub(super) fn get(&self, place: u32) -> &[AtomicU32] {
        let place = u64::from(place);
        let segment = self.segments[(place / SEGMENT) as usize].get().map(Box::as_ref).unwrap_or_default();
        let start = (place % SEGMENT) as usize;
        let len = segment[start].load(Ordering::Relaxed) as usize;
        &segment[start + 1..start + 1 + len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_again() {
        let arena = Arena::new();
        let mut stretches = [Stretch::default(), Stretch::default()];
        let list = |n: u32| -> Vec<u32> { (0..n % 300).map(|item| item * n).collect() };
        let places: Vec<u32> =
            (0..2000).map(|n| arena.push(&mut stretches[n as usize % 2], &list(n)).unwrap_or(0)).collect();
        for (n, place) in (0..).zip(places) {
            let found: Vec<u32> = arena.get(place).iter().map(|word| word.load(Ordering::Relaxed)).collect();
            assert_eq!(found, list(n));
        }
        assert_eq!(arena.push(&mut stretches[0], &[0; 5000]), None);
    }
}
