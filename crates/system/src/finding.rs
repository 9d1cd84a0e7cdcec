//! Findings of a search, and limits: reasons why it was not exhaustive.

use crate::steps::Gap;

/// Kind of a finding in a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FindingKind {
    /// The conjunct of the invariant with this number is false.
    Invariant(u32),
    /// The conjunct of the invariant with this number cannot be evaluated.
    IllDefinedInvariant(u32),
    /// The assertion with this number is false.
    Assertion(u32),
    /// The assertion with this number cannot be evaluated.
    IllDefinedAssertion(u32),
    /// No transition leaves the state.
    Deadlock,
    /// The goal holds.
    Goal,
    /// The operation with this number is ill-defined in the state.
    IllDefined(u32),
    /// The atomic proposition with this number is false, which is not an error by itself.
    Proposition(u32),
    /// The atomic proposition with this number cannot be evaluated.
    IllDefinedProposition(u32),
}

/// Finding with the number of its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding {
    pub kind: FindingKind,
    pub state: u32,
}

/// Reason why a search was not exhaustive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Limit {
    /// The limit on states ended the search, after this many.
    States(u64),
    /// States at a larger distance than this from the root were not visited.
    Depth(u32),
    Time,
    Memory,
    /// Spilled states could not be written or read.
    Disk,
    /// The 32-bit ids of states or pairs ran out.
    Numbers,
    /// The user stopped the run.
    Interrupted,
    /// A violation had been found, and the time for completing the counts was over.
    Settled,
    /// Steps or truth values of visited states may be missing.
    Missing(Gap),
}
