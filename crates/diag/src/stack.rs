//! Stack growth for recursion over trees of users.
//!
//! The nesting of user input is bounded by [`MAX_DEPTH`]. A recursion over such trees that skips [`with_stack`] overflows the stack.

/// Maximum nesting of formulas and substitutions. The parser refuses deeper input, so every later pass may
/// recurse. The bound is well below the capacity of [`with_stack`].
pub const MAX_DEPTH: u32 = 20_000;

/// A new segment is allocated when less stack than this is left.
const RED_ZONE_BYTES: usize = 128 * 1024;
const SEGMENT_BYTES: usize = 4 * 1024 * 1024;

/// Runs `f` with enough stack for a few frames, on a new segment if the current one is nearly full. Every
/// function that recurses over a tree of a user calls this once per level.
#[inline]
pub fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE_BYTES, SEGMENT_BYTES, f)
}
