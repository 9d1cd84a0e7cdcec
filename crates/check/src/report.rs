//! What a check yields.

use abridge_diag::{Diagnostic, Span};
use abridge_explicit::Profile;
use abridge_reduce::symmetry::{Carrier, Method};
use abridge_search::DiskUse;
use abridge_system::{FindingKind, Gap, Limit, Part};

use crate::trace::Trace;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every reachable state was visited and everything asked for holds.
    Holds,
    Violated,
    /// The search ended at a state that satisfies the goal.
    GoalReached,
    /// No violation was found, but not everything was visited or checked.
    Incomplete,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub verdict: Verdict,
    /// Set-up states and states of the machine; the artificial root is not counted.
    pub states: u64,
    pub transitions: u64,
    pub depth: u32,
    pub found: Found,
    pub violation: Option<Violation>,
    pub coverage: Vec<Coverage>,
    /// Why the result is not about everything, in words.
    pub limits: Vec<String>,
    /// Every reachable state was visited; what is incomplete beyond that is in [`Report::unchecked`].
    pub visited_all: bool,
    /// Properties that the machine states and that were not checked.
    pub unchecked: Vec<Diagnostic>,
    /// States outside the machine's SCOPE to which steps lead. They are not counted as states, and what follows them is left out.
    pub outside_scope: u64,
    /// What could not be evaluated, and where it was met.
    pub failures: Vec<(String, Diagnostic)>,
    /// What partial order reduction did, if it was on. States and transitions that it left out are not counted.
    pub por: Option<abridge_reduce::Tally>,
    /// Memory of the table of states.
    pub table_bytes: u64,
    /// Where the time went, if that was asked for.
    pub profile: Profile,
    pub symmetry: SymmetryReport,
    pub disk: DiskUse,
}

/// Which states were identified.
#[derive(Clone, Default, Debug)]
pub struct SymmetryReport {
    pub method: Method,
    /// What may be exchanged, by given set.
    pub carriers: Vec<Carrier>,
    /// States that are not symmetric may have been identified.
    pub is_approximate: bool,
}

/// Which kinds of violation occur.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Found {
    pub deadlock: bool,
    pub invariant: bool,
    pub assertion: bool,
    pub ill_defined: bool,
    pub goal: bool,
}

impl Found {
    pub(crate) fn add(&mut self, kind: FindingKind) {
        match kind {
            FindingKind::Invariant(_) => self.invariant = true,
            FindingKind::Assertion(_) => self.assertion = true,
            // What cannot be evaluated is a finding of its own: nobody has seen it false.
            FindingKind::IllDefinedInvariant(_) | FindingKind::IllDefinedAssertion(_) | FindingKind::IllDefined => {
                self.ill_defined = true;
            }
            FindingKind::IllDefinedProposition(_) => self.ill_defined = true,
            FindingKind::Deadlock => self.deadlock = true,
            FindingKind::Goal => self.goal = true,
            FindingKind::Proposition(_) => {}
        }
    }
}

/// How often an operation was taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    pub operation: String,
    pub transitions: u64,
}

#[derive(Clone, Debug)]
pub struct Violation {
    pub kind: ViolationKind,
    /// How the state is reached.
    pub trace: Trace,
    /// The property that fails, as text with its place.
    pub property: Option<(String, Option<Span>)>,
    /// Values of the parts of a false invariant or assertion in that state.
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub enum ViolationKind {
    /// Number of the conjunct in the model.
    Invariant {
        conjunct: usize,
    },
    /// Number of the assertion in the model.
    Assertion {
        conjunct: usize,
    },
    Deadlock,
    /// Reached; not a mistake by itself.
    Goal,
    IllDefined {
        operation: Option<String>,
        error: Diagnostic,
    },
}

/// A limit in words.
pub fn limit_text(limit: Limit) -> String {
    match limit {
        Limit::States(n) => format!("stopped after {n} states"),
        Limit::Depth(n) => format!("states further than {n} steps were not visited"),
        Limit::Time => "the time was up".to_owned(),
        Limit::Memory => "the memory was used up".to_owned(),
        Limit::Disk => "states did not fit into memory, and files could not take them".to_owned(),
        Limit::Numbers => "there are more states than can be numbered, which are about 4 thousand million".to_owned(),
        Limit::Interrupted => "stopped by the user".to_owned(),
        Limit::Settled => "a violation was found; the time for counting the rest was up".to_owned(),
        Limit::Missing(Gap::Stopped) => "an evaluation was stopped before its end".to_owned(),
        Limit::Missing(Gap::Failed) => "some steps could not be evaluated".to_owned(),
        Limit::Missing(Gap::Capped) => {
            "not all set-ups, initialisations or steps of an operation were tried".to_owned()
        }
        Limit::Missing(Gap::Bounded) => "values were searched for in a part of their type only".to_owned(),
    }
}
