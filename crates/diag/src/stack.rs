//! Recursion over user-supplied trees without a fear for the stack.

/// The deepest nesting of formulas and substitutions that is accepted; the parser reports deeper input, so every later pass may
/// recurse. Kept well below what [`with_stack`] can serve.
pub const MAX_DEPTH: u32 = 20_000;

const RED_ZONE: usize = 128 * 1024;
const SEGMENT: usize = 4 * 1024 * 1024;

/// Runs `f` with enough stack for a few frames, moving to a fresh segment when the current one is nearly used up. Every
/// function that recurses over a tree a user wrote calls this once per level.
#[inline]
pub fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, SEGMENT, f)
}
