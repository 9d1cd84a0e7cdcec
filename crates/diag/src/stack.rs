//! Stack growth for recursion over user input.
//!
//! [`MAX_DEPTH`] bounds the nesting of user input. Three functions keep recursion over it from overflowing the stack:
//!
//! - [`with_stack`], called once per level, continues on a new segment when the current one is nearly full. It is needed for recursion with
//!   large frames, and for recursion over values that can grow without bound during a run.
//! - [`expect_depth`] records how deep formulas and types are. From then on, [`with_stack`] reserves room for a recursion of that depth with
//!   small frames. Derived traits, destructors and short traversals of formulas, types and values of a bounded type rely on it. They need no
//!   calls of their own, but some outer caller must have called [`with_stack`].
//! - [`drop_in_turn`] drops chains of unbounded length in a loop.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::LocalKey;

/// Maximum nesting of formulas and substitutions. The parser rejects deeper input, so every later pass may recurse. The bound is well below the
/// capacity of [`with_stack`].
pub const MAX_DEPTH: u32 = 20_000;

/// Stack reserved for frames between two calls of [`with_stack`].
const RED_ZONE_BYTES: usize = 128 * 1024;
const SEGMENT_BYTES: usize = 4 * 1024 * 1024;

/// Maximum stack of one level of a recursion with small frames, in a build without optimisation.
const LEVEL_BYTES: usize = 4 * 1024;

/// Stack reserved for a recursion over the deepest formula or type of this process. It never shrinks: too much costs address space, too little
/// overflows.
static DEEPEST_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Records the depth of a formula or type, before anything recurses over it.
#[inline]
pub fn expect_depth(depth: usize) {
    let bytes = depth.saturating_mul(LEVEL_BYTES);
    if bytes > DEEPEST_BYTES.load(Ordering::Relaxed) {
        DEEPEST_BYTES.fetch_max(bytes, Ordering::Relaxed);
    }
}

/// Runs `f` with enough stack for a few frames and for a recursion of the recorded depth, on a new segment if the current one is nearly full. Every
/// function that recurses over user input calls this once per level, and every thread once at its start.
#[inline]
pub fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    let room = RED_ZONE_BYTES + DEEPEST_BYTES.load(Ordering::Relaxed);
    stacker::maybe_grow(room, room + room.max(SEGMENT_BYTES), f)
}

/// Drops a value that may be the first of a long chain of its kind. Its destructor puts further values of that kind into `waiting`, from where they
/// are dropped in a loop. So the stack does not grow with the chain.
pub fn drop_in_turn<T>(waiting: &'static LocalKey<RefCell<Option<Vec<T>>>>, first: T) {
    let mut first = Some(first);
    let next = || waiting.try_with(|waiting| waiting.borrow_mut().as_mut()?.pop()).ok().flatten();
    let is_inner = waiting.try_with(|waiting| match &mut *waiting.borrow_mut() {
        Some(waiting) => {
            waiting.extend(first.take());
            true
        }
        none => {
            *none = Some(Vec::new());
            false
        }
    });
    if is_inner == Ok(true) {
        return;
    }
    // A thread that is ending has no list any more. There, the values are dropped recursively.
    with_stack(|| drop(first));
    while let Some(item) = next() {
        with_stack(|| drop(item));
    }
    let _ = waiting.try_with(|waiting| waiting.borrow_mut().take());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recursion with frames of nearly [`LEVEL_BYTES`].
    fn recurse(depth: usize) -> usize {
        let frame = std::hint::black_box([depth; LEVEL_BYTES / size_of::<usize>() * 3 / 4]);
        if depth == 0 { 0 } else { 1 + recurse(depth - 1) + frame[0] - depth }
    }

    #[test]
    fn room_is_left_for_a_recursion_of_the_expected_depth() {
        let depth = 2 * MAX_DEPTH as usize;
        expect_depth(depth);
        let run = move || with_stack(|| recurse(depth));
        let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(run).expect("a thread");
        assert_eq!(thread.join().expect("no overflow"), depth);
    }
}
