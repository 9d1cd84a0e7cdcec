//! Systems that people look at.
//!
//! A [`Machine`] is a [`System`] that can also list its steps with names, show its states and explain findings. Verdicts, traces,
//! animation and graphs need no more than that, so whatever implements it gets all of them: a B machine, a product with an automaton, a
//! pair of machines, a term-rewriting system. What it lists comes from the evaluator that is the judge of the others.

use std::ops::ControlFlow;

use abridge_diag::{Diagnostic, Span};

use crate::finding::FindingKind;
use crate::steps::Completeness;
use crate::system::{Origin, System};

/// A system with readable steps and states.
pub trait Machine: System {
    /// Name of an operation by its number in [`crate::Step`].
    fn operation_name(&self, operation: u32) -> String;

    /// Numbers of the operations proper; steps that set a machine up or initialise it are not among them.
    fn operations(&self) -> Vec<u32>;

    /// Operations are possible there, and not only set-up or initialisation.
    fn is_running(&self, origin: Origin<'_>) -> bool;

    /// A step of the root is known to lead to this very state, so that it need not be looked for.
    fn is_start(&self, state: &[u32]) -> bool {
        let _ = state;
        false
    }

    /// Name of the steps that lead to this state from where nothing is running.
    fn start_name(&self, state: &[u32]) -> String;

    /// Names and values of what a state consists of.
    fn values(&self, state: &[u32]) -> Vec<Named>;

    /// Lists the steps out of a state or the root, of one operation or of all, found by the judge. What cannot be evaluated is told as a
    /// diagnostic with the name of the step.
    fn moves(&self, origin: Origin<'_>, operation: Option<u32>, found: &mut Listing<'_>) -> Completeness;

    /// A step between two states that follow each other, found by the judge; nothing if it finds none.
    fn move_to(&self, origin: Origin<'_>, target: &[u32]) -> Option<Move> {
        let mut step = None;
        let completeness = self.moves(origin, None, &mut |found| match found {
            Ok(found) if found.to == target => {
                step = Some(found);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        // A step that was found is real, whatever is missing beside it.
        let _ = completeness;
        step
    }

    /// What was found in a state, judged again; nothing if the judge does not find it there.
    fn explain(&self, kind: FindingKind, state: &[u32]) -> Option<Explanation>;

    /// What evaluation had to say besides results.
    fn remarks(&self) -> Remarks;

    /// From now on evaluations are not ended from outside: a search that was stopped still has to tell what it found.
    fn wind_up(&self) {}
}

/// Takes the steps of a machine one by one; says whether to go on.
pub type Listing<'l> = dyn FnMut(Result<Move, (String, Diagnostic)>) -> ControlFlow<()> + 'l;

/// A labelled step, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    pub operation: u32,
    pub name: String,
    /// Names and values.
    pub params: Vec<(String, String)>,
    pub outputs: Vec<(String, String)>,
    pub to: Vec<u32>,
}

/// A part of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    pub name: String,
    pub text: String,
    /// The text is not a value that could be read back: an infinite or very large set.
    pub is_opaque: bool,
}

/// A finding in detail.
#[derive(Clone, Default, Debug)]
pub struct Explanation {
    /// The property, as text with its place.
    pub property: Option<(String, Option<Span>)>,
    /// Values of its parts in the state.
    pub parts: Vec<Part>,
    /// What could not be evaluated, and in which operation.
    pub error: Option<(Option<String>, Diagnostic)>,
}

/// A part of a formula and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub text: String,
    pub value: String,
}

/// What a run could not evaluate or took on trust.
#[derive(Clone, Default, Debug)]
pub struct Remarks {
    /// What could not be evaluated, and where it was met.
    pub failures: Vec<Failure>,
    /// Reasons why the result is not about everything, in words.
    pub caveats: Vec<String>,
    /// States outside the scope that the user gave: steps that lead there count, but not what follows.
    pub n_outside: u64,
}

/// Something that could not be evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Where it was met.
    pub what: String,
    /// The machine is to blame, not our means of evaluation.
    pub is_violation: bool,
    pub diagnostic: Diagnostic,
}
