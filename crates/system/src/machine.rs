//! Machines: systems with readable steps, states and findings.
//!
//! A [`Machine`] is a [`System`] that can also list its steps with names, show its states and explain findings. Verdicts, traces, animation
//! and graphs need no more, so every implementation gets all of them: a B machine, a product with an automaton, a pair of machines, a
//! term-rewriting system. Its lists come from the judge, the evaluator that has the last word.

use std::ops::ControlFlow;

use abridge_diag::{Diagnostic, Span};

use crate::finding::FindingKind;
use crate::steps::Completeness;
use crate::system::{Origin, System};

/// System with readable steps, states and findings.
pub trait Machine: System {
    /// Name of an operation by its number in [`crate::Step`].
    fn operation_name(&self, operation: u32) -> String;

    /// Numbers of the operations, without set-up and initialisation.
    fn operations(&self) -> Vec<u32>;

    /// Whether operations can follow, rather than set-up or initialisation only.
    fn is_running(&self, origin: Origin<'_>) -> bool;

    /// Whether a step out of the root is known to lead to exactly this state, so that a trace need not search for it.
    fn is_start(&self, state: &[u32]) -> bool {
        let _ = state;
        false
    }

    /// Name of the set-up or initialisation step that leads to this state.
    fn start_name(&self, state: &[u32]) -> String;

    /// Names and values of the parts of a state.
    fn values(&self, state: &[u32]) -> Vec<Named>;

    /// Lists the steps out of a state or the root, of one operation or of all, as the judge finds them. A step that cannot be evaluated is passed
    /// on as its name and a diagnostic.
    fn moves(&self, origin: Origin<'_>, operation: Option<u32>, found: &mut Listing<'_>) -> Completeness;

    /// First step from `origin` to `target` that the judge finds.
    fn move_to(&self, origin: Origin<'_>, target: &[u32]) -> Option<Move> {
        let mut step = None;
        let completeness = self.moves(origin, None, &mut |found| match found {
            Ok(found) if found.to == target => {
                step = Some(found);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        // A step that was found is real, even if others are missing.
        let _ = completeness;
        step
    }

    /// Explanation of a finding, evaluated again by the judge; `None` if the judge does not find it in the state.
    fn explain(&self, kind: FindingKind, state: &[u32]) -> Option<Explanation>;

    /// Evaluation failures and caveats of the run so far.
    fn remarks(&self) -> Remarks;

    /// Ignores the stop flag from now on, so that a search that was stopped can still explain its findings.
    fn wind_up(&self) {}
}

/// Callback for each listed step; breaks to end the list.
pub type Listing<'l> = dyn FnMut(Result<Move, (String, Diagnostic)>) -> ControlFlow<()> + 'l;

/// Step with readable label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    pub operation: u32,
    pub name: String,
    /// Names and values of the parameters.
    pub params: Vec<(String, String)>,
    /// Names and values of the outputs.
    pub outputs: Vec<(String, String)>,
    pub to: Vec<u32>,
}

/// Named value of a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Named {
    pub name: String,
    pub text: String,
    /// The text cannot be parsed back to the value: an infinite or very large set.
    pub is_opaque: bool,
}

/// Details of a finding.
#[derive(Clone, Default, Debug)]
pub struct Explanation {
    /// Text of the property, and its place in the source.
    pub property: Option<(String, Option<Span>)>,
    /// Subformulas of the property and their values in the state.
    pub parts: Vec<Part>,
    /// What makes the property false, where that can be said in a sentence.
    pub reasons: Vec<Reason>,
    /// Operation, if in one, and error of an evaluation that failed.
    pub error: Option<(Option<String>, Diagnostic)>,
}

/// Subformula and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub text: String,
    /// Place in the source, if it has one: what the user wrote there says the same as the text.
    pub span: Option<Span>,
    pub value: String,
}

/// Sentence about a false property, with the formula that it ends in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    pub text: String,
    /// Text of the formula, and its place in the source.
    pub formula: Option<(String, Option<Span>)>,
}

/// Evaluation failures and caveats of a run.
#[derive(Clone, Default, Debug)]
pub struct Remarks {
    /// Evaluations that failed.
    pub failures: Vec<Failure>,
    /// Reasons why the result does not cover everything, as text.
    pub caveats: Vec<String>,
    /// Number of states outside the scope of the user (SCOPE). Steps to them are counted; they are not expanded.
    pub n_outside: u64,
}

/// Evaluation that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Formula or operation that was being evaluated.
    pub what: String,
    /// The machine is ill-defined there; otherwise the evaluator could not do it.
    pub is_violation: bool,
    pub diagnostic: Diagnostic,
}
