//! Findings of a search, and the limits that keep it from visiting everything.

use crate::steps::Gap;

/// Something about a state that is worth reporting.
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
    /// The operation with this number is not well-defined here.
    IllDefined(u32),
    /// The atomic proposition with this number is false. Not a mistake by itself.
    Proposition(u32),
    /// The atomic proposition with this number cannot be evaluated.
    IllDefinedProposition(u32),
}

/// A finding and the state it is about, by the number the search gave it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding {
    pub kind: FindingKind,
    pub state: u32,
}

/// A reason why a search did not visit everything, or why what it visited is not everything.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Limit {
    /// This many states were reached.
    States(u64),
    /// States further away than this were not visited.
    Depth(u32),
    Time,
    Memory,
    /// What does not fit into memory could not be written to, or read from, files.
    Disk,
    /// There are more states than can be numbered.
    Numbers,
    /// The user stopped the run.
    Interrupted,
    /// A violation had been found and the time for counting on was up.
    Settled,
    /// Steps or truth values are missing from what was visited.
    Missing(Gap),
}
