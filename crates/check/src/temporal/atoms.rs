//! Atoms of temporal formulas as formulas of the model.

use abridge_model::{ExprId, LocalId, PredId, VarId};

/// An atom, lowered. Predicates of states are atomic propositions of the system, by number.
#[derive(Clone, Debug)]
pub(crate) enum LoweredAtom {
    Proposition(u32),
    Taken(StepPattern),
    Enabled(StepPattern),
    Deadlock,
    /// None of these is enabled.
    NoneOf(Vec<StepPattern>),
    /// At most one of these is enabled.
    AtMostOneOf(Vec<StepPattern>),
    ExactlyOneOf(Vec<StepPattern>),
    /// No other operation is enabled.
    NoOther(StepPattern),
    /// No step leads to a different state.
    Sink,
    /// Some operation is not well-defined.
    Error,
    /// No two steps of one operation with the same arguments differ in their results.
    DeterministicOutput,
    /// The next step changes the value of an expression in a certain way.
    Change(ChangeTest, ExprId),
    /// The locals stand for values of variables before the step.
    BeforeAfter(PredId, Vec<(LocalId, VarId)>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChangeTest {
    Unchanged,
    Changed,
    Increasing,
    Decreasing,
}

/// Steps of an operation with some of its arguments given.
#[derive(Clone, Debug)]
pub(crate) struct StepPattern {
    /// The operation by the number of its steps.
    pub(crate) operation: u32,
    /// Nothing where every value matches.
    pub(crate) arguments: Vec<Option<ExprId>>,
}

impl StepPattern {
    pub(crate) fn has_arguments(&self) -> bool {
        self.arguments.iter().any(Option::is_some)
    }
}

impl LoweredAtom {
    pub(crate) fn is_about_step(&self) -> bool {
        matches!(self, LoweredAtom::Taken(_) | LoweredAtom::Change(..) | LoweredAtom::BeforeAfter(..))
    }

    /// Labels are needed to tell whether it holds.
    pub(crate) fn needs_labels(&self) -> bool {
        match self {
            LoweredAtom::Taken(pattern) | LoweredAtom::Enabled(pattern) | LoweredAtom::NoOther(pattern) => {
                pattern.has_arguments()
            }
            LoweredAtom::NoneOf(patterns)
            | LoweredAtom::AtMostOneOf(patterns)
            | LoweredAtom::ExactlyOneOf(patterns) => patterns.iter().any(StepPattern::has_arguments),
            LoweredAtom::DeterministicOutput => true,
            _ => false,
        }
    }

    /// Missing steps make it uncertain whether it holds.
    pub(crate) fn needs_all_steps(&self) -> bool {
        !matches!(
            self,
            LoweredAtom::Proposition(_)
                | LoweredAtom::Taken(_)
                | LoweredAtom::Change(..)
                | LoweredAtom::BeforeAfter(..)
        )
    }

    /// The targets of all steps, or their outputs, are needed to tell whether it holds.
    pub(crate) fn needs_targets(&self) -> bool {
        matches!(self, LoweredAtom::Sink | LoweredAtom::DeterministicOutput)
    }

    /// The formulas of the model that it evaluates, beside propositions.
    pub(crate) fn exprs(&self) -> Vec<ExprId> {
        let of = |pattern: &StepPattern| pattern.arguments.iter().flatten().copied().collect::<Vec<_>>();
        match self {
            LoweredAtom::Taken(pattern) | LoweredAtom::Enabled(pattern) | LoweredAtom::NoOther(pattern) => of(pattern),
            LoweredAtom::NoneOf(patterns)
            | LoweredAtom::AtMostOneOf(patterns)
            | LoweredAtom::ExactlyOneOf(patterns) => patterns.iter().flat_map(of).collect(),
            LoweredAtom::Change(_, expr) => vec![*expr],
            _ => Vec::new(),
        }
    }
}
