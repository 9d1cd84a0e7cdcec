//! The report of a check: verdict, counts, violation with trace, and limits.
//!
//! Terminal, JSON and tests read this type and nothing else of a search. A search that missed anything must leave a limit here;
//! otherwise its verdict would be `Holds`.

use abridge_diag::{Diagnostic, Span};
use abridge_explicit::Profile;
use abridge_reduce::symmetry::{Carrier, Method};
use abridge_search::DiskUse;
use abridge_sliced::CircuitUsage as SlicedUsage;
use abridge_symbolic::PatternProof;
use abridge_system::{FindingKind, Gap, Limit, Part, Reason};
use num_bigint::BigUint;

use crate::canonized::ReductionReport;
use crate::coverage::StateCoverage;
use crate::temporal::{TemporalReport, TemporalVerdict};
use crate::trace::Trace;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The search was exhaustive and exact, and every property that was asked for holds.
    Holds,
    Violated,
    /// The search ended at a state that satisfies the goal.
    GoalReached,
    /// No violation was found; the search was not exhaustive, or some property was not checked.
    Incomplete,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub verdict: Verdict,
    /// Set-up states and states of the machine; the artificial root is not counted.
    pub states: u64,
    pub transitions: u64,
    /// Largest number of steps, without the set-up, along which a state was first reached.
    pub depth: u32,
    pub found: FoundViolations,
    /// The violations, in the order of discovery: one of each kind, conjunct and operation, at most [`crate::Config::max_violations`].
    pub violations: Vec<Violation>,
    pub coverage: Vec<Coverage>,
    /// Values and guards, if [`crate::Config::coverage`] asks for them and the states are there.
    pub state_coverage: Option<StateCoverage>,
    /// Reasons why the search was not exhaustive, as text.
    pub limits: Vec<String>,
    /// Every reachable state was visited; what is incomplete beyond that is in [`Report::unchecked`].
    pub visited_all: bool,
    /// The search goes on after a finding.
    pub finds_all: bool,
    /// Properties that the machine states and that were not checked.
    pub unchecked: Vec<Diagnostic>,
    /// Targets of steps outside the machine's SCOPE. They are neither counted as states nor expanded.
    pub outside_scope: u64,
    /// Operations and formulas that could not be evaluated, with the diagnostic.
    pub failures: Vec<(String, Diagnostic)>,
    /// Statistics of partial order reduction, if it was on. Skipped states and transitions are not counted.
    pub por: Option<abridge_reduce::SelectionTally>,
    /// What is known about the reductions that the machine defines, if the run applied some.
    pub reduction: Option<ReductionReport>,
    /// Exact counts and statistics, if the symbolic engine gave the answer. It does not know the depth, and not always the transitions.
    pub symbolic: Option<SymbolicReport>,
    /// The use that was made of circuits over blocks of states, where steps were taken one by one.
    pub sliced: Option<SlicedUsage>,
    /// Memory of the table of states.
    pub table_bytes: u64,
    /// Time per operation and conjunct, if it was asked for.
    pub profile: Profile,
    pub symmetry: SymmetryReport,
    pub disk: DiskUse,
    /// Temporal formulas, in the order of the request.
    pub temporal: Vec<TemporalReport>,
}

impl Report {
    /// The report of a run that did not search, for a reason.
    pub(crate) fn unsearched(limit: String) -> Report {
        Report {
            verdict: Verdict::Incomplete,
            states: 0,
            transitions: 0,
            depth: 0,
            found: FoundViolations::default(),
            violations: Vec::new(),
            coverage: Vec::new(),
            state_coverage: None,
            limits: vec![limit],
            visited_all: false,
            finds_all: false,
            unchecked: Vec::new(),
            outside_scope: 0,
            failures: Vec::new(),
            por: None,
            reduction: None,
            symbolic: None,
            sliced: None,
            table_bytes: 0,
            profile: Profile::default(),
            symmetry: SymmetryReport::default(),
            disk: DiskUse::default(),
            temporal: Vec::new(),
        }
    }

    /// Makes the verdict one about temporal formulas, too.
    pub(crate) fn settle_temporal(&mut self) {
        let mut limits = Vec::new();
        for formula in &self.temporal {
            match &formula.verdict {
                TemporalVerdict::Holds => continue,
                TemporalVerdict::Violated | TemporalVerdict::IllDefined(_) => self.verdict = Verdict::Violated,
                TemporalVerdict::Incomplete(why) if self.limits.contains(why) => {}
                TemporalVerdict::Incomplete(why) => limits.push(format!("`{}`: {why}", formula.name)),
                TemporalVerdict::Error(why) => limits.push(format!("`{}` is wrong: {why}", formula.name)),
            }
            if self.verdict == Verdict::Holds {
                self.verdict = Verdict::Incomplete;
            }
        }
        self.limits.extend(limits);
    }

    /// No formula is known to hold, for a reason.
    pub(crate) fn doubt_temporal(&mut self, why: &str) {
        for formula in &mut self.temporal {
            if formula.verdict == TemporalVerdict::Holds {
                formula.verdict = TemporalVerdict::Incomplete(why.to_owned());
            }
        }
    }

    /// The first violation.
    pub fn violation(&self) -> Option<&Violation> {
        self.violations.first()
    }
}

/// Symmetry reduction inside the fixpoint.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum SymbolicSymmetry {
    #[default]
    Off,
    /// One representative per orbit: states are orbits.
    Unique,
    /// An orbit may have several representatives.
    Several,
}

/// What the symbolic engine tells about a run.
#[derive(Clone, Default, Debug)]
pub struct SymbolicReport {
    /// Exact, however many there are; [`Report::states`] has the largest number there is room for.
    pub states: BigUint,
    /// All states behind the representatives; nothing if they could not be counted.
    pub states_behind: Option<BigUint>,
    pub symmetry: SymbolicSymmetry,
    /// Nothing where diagrams do not tell transitions apart.
    pub transitions: Option<BigUint>,
    /// Nodes at most in use at any time, garbage included, and nodes at most that were needed.
    pub peak_nodes: usize,
    pub live_nodes: usize,
    pub n_reorderings: u32,
    /// Rounds of the fixpoint, the most of all valuations of the constants.
    pub rounds: u32,
    /// Operations with exact circuits, and those that were learnt from the evaluator.
    pub exact_operations: usize,
    pub learnt_operations: usize,
    /// Variables without an exact form, whose values were numbered.
    pub numbered_variables: usize,
    /// Properties that were learnt from the evaluator.
    pub learnt_properties: usize,
    /// The initial states were listed by the evaluator.
    pub lists_initial: bool,
    /// Of a backward search; states are not counted then.
    pub backward: Option<BackwardReport>,
}

/// What a backward search tells about itself.
#[derive(Clone, Default, Debug)]
pub struct BackwardReport {
    /// Sets of states that were searched from: properties that may fail, operations that may be ill-defined, deadlocks.
    pub targets: usize,
    /// Variables that became visible because a path was none.
    pub refinements: u32,
    /// Variables that were visible at a time, at most, of how many.
    pub visible: usize,
    pub variables: usize,
    /// Nodes of the largest fixpoint.
    pub fixpoint_nodes: usize,
    /// Patterns that exclude everything, the most of all valuations of the constants, and the last list of them.
    pub patterns: usize,
    pub proof: Option<Box<PatternProof>>,
    /// The reason why patterns gave no answer, if they were asked.
    pub without_patterns: Option<&'static str>,
}

/// Symmetry reduction of a run.
#[derive(Clone, Default, Debug)]
pub struct SymmetryReport {
    pub method: Method,
    /// Interchangeable elements, by given set.
    pub carriers: Vec<Carrier>,
    /// Asymmetric states may share a representative.
    pub is_approximate: bool,
    /// What temporal formulas take from it, and why.
    pub restrictions: Vec<String>,
}

/// Kinds of violation that occur.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct FoundViolations {
    pub deadlock: bool,
    pub invariant: bool,
    pub assertion: bool,
    pub ill_defined: bool,
    pub goal: bool,
}

impl FoundViolations {
    pub(crate) fn add(&mut self, kind: FindingKind) {
        match kind {
            FindingKind::Invariant(_) => self.invariant = true,
            FindingKind::Assertion(_) => self.assertion = true,
            // A predicate without a value is a finding of its own: it is not false.
            FindingKind::IllDefinedInvariant(_) | FindingKind::IllDefinedAssertion(_) | FindingKind::IllDefined(_) => {
                self.ill_defined = true;
            }
            FindingKind::IllDefinedProposition(_) => self.ill_defined = true,
            FindingKind::Deadlock => self.deadlock = true,
            FindingKind::Goal => self.goal = true,
            FindingKind::Proposition(_) => {}
        }
    }
}

/// Number of transitions of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    pub operation: String,
    pub transitions: u64,
}

#[derive(Clone, Debug)]
pub struct Violation {
    pub kind: ViolationKind,
    /// Trace from the root to the state.
    pub trace: Trace,
    /// The property that fails, as text with its place.
    pub property: Option<(String, Option<Span>)>,
    /// Values of the operands of a false invariant or assertion in that state.
    pub parts: Vec<Part>,
    /// What makes it false, in sentences.
    pub reasons: Vec<Reason>,
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
    /// A state that satisfies GOAL; not an error.
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
        Limit::Depth(n) => format!("depth limit: states more than {n} steps from the root were not visited"),
        Limit::Time => "time limit reached".to_owned(),
        Limit::Memory => "memory limit reached".to_owned(),
        Limit::Disk => "memory limit reached, and states could not be written to files".to_owned(),
        Limit::Numbers => "state limit reached: state numbers have 32 bits".to_owned(),
        Limit::Interrupted => "interrupted by the user".to_owned(),
        Limit::Settled => "counting stopped after a violation (--settle)".to_owned(),
        Limit::Missing(Gap::Stopped) => "an evaluation was aborted by a limit or by the user".to_owned(),
        Limit::Missing(Gap::Memory) => "memory limit reached during an evaluation".to_owned(),
        Limit::Missing(Gap::Failed) => "some steps could not be evaluated".to_owned(),
        Limit::Missing(Gap::Capped) => {
            "a cap was reached: not all set-ups, initialisations or steps were tried".to_owned()
        }
        Limit::Missing(Gap::Bounded) => "values were enumerated over a part of their type only".to_owned(),
    }
}
