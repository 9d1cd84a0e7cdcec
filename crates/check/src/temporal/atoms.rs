//! Atoms of temporal formulas as formulas of the model.

use abridge_model::{ExprId, LocalId, PredId, VarId};

/// An atom, lowered. Predicates of states are atomic propositions of the system, by number.
#[derive(Clone, Debug)]
pub(crate) enum Atom {
    Proposition(u32),
    Taken(Pattern),
    Enabled(Pattern),
    Deadlock,
    /// None of these is enabled.
    NoneOf(Vec<Pattern>),
    /// At most one of these is enabled.
    AtMostOneOf(Vec<Pattern>),
    ExactlyOneOf(Vec<Pattern>),
    /// No other operation is enabled.
    NoOther(Pattern),
    /// No step leads to a different state.
    Sink,
    /// Some operation is not well-defined.
    Error,
    /// No two steps of one operation with the same arguments differ in their results.
    DeterministicOutput,
    /// The next step changes the value of an expression in a certain way.
    Change(Change, ExprId),
    /// The locals stand for values of variables before the step.
    BeforeAfter(PredId, Vec<(LocalId, VarId)>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Unchanged,
    Changed,
    Increasing,
    Decreasing,
}

/// Steps of an operation with some of its arguments given.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The operation by the number of its steps.
    pub(crate) operation: u32,
    /// Nothing where every value matches.
    pub(crate) arguments: Vec<Option<ExprId>>,
}

impl Pattern {
    pub(crate) fn has_arguments(&self) -> bool {
        self.arguments.iter().any(Option::is_some)
    }
}

impl Atom {
    pub(crate) fn is_about_step(&self) -> bool {
        matches!(self, Atom::Taken(_) | Atom::Change(..) | Atom::BeforeAfter(..))
    }

    /// Labels are needed to tell whether it holds.
    pub(crate) fn needs_labels(&self) -> bool {
        match self {
            Atom::Taken(pattern) | Atom::Enabled(pattern) | Atom::NoOther(pattern) => pattern.has_arguments(),
            Atom::NoneOf(patterns) | Atom::AtMostOneOf(patterns) | Atom::ExactlyOneOf(patterns) => {
                patterns.iter().any(Pattern::has_arguments)
            }
            Atom::DeterministicOutput => true,
            _ => false,
        }
    }

    /// Missing steps make it uncertain whether it holds.
    pub(crate) fn needs_all_steps(&self) -> bool {
        !matches!(self, Atom::Proposition(_) | Atom::Taken(_) | Atom::Change(..) | Atom::BeforeAfter(..))
    }

    /// The targets of all steps, or their outputs, are needed to tell whether it holds.
    pub(crate) fn needs_targets(&self) -> bool {
        matches!(self, Atom::Sink | Atom::DeterministicOutput)
    }

    /// The formulas of the model that it evaluates, beside propositions.
    pub(crate) fn exprs(&self) -> Vec<ExprId> {
        let of = |pattern: &Pattern| pattern.arguments.iter().flatten().copied().collect::<Vec<_>>();
        match self {
            Atom::Taken(pattern) | Atom::Enabled(pattern) | Atom::NoOther(pattern) => of(pattern),
            Atom::NoneOf(patterns) | Atom::AtMostOneOf(patterns) | Atom::ExactlyOneOf(patterns) => {
                patterns.iter().flat_map(of).collect()
            }
            Atom::Change(_, expr) => vec![*expr],
            _ => Vec::new(),
        }
    }
}
