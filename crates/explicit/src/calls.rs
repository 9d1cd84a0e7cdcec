//! Calls of operations: the steps of one operation out of a state, for all arguments or for given ones.
//!
//! Refinement checking calls operations of two machines with the same arguments. Given arguments are not enumerated, so a call can be
//! evaluated even if the operation has infinitely many arguments. [`InterpreterChoice`] selects the judge or the usual interpreter. A call with missing
//! steps has a gap in [`Called`]; to take it for a refusal would be wrong.

use std::ops::ControlFlow;

use abridge_eval::{Env, Error, Interp, PrescribedChoices, State, Transition, Val};
use abridge_model::{LocalId, OpId, PredId, Subst};
use abridge_model_system::ModelSystem as _;
use abridge_system::{Gap, Part};

use crate::explain;
use crate::system::{Explicit, gap_of};

/// Choice of interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InterpreterChoice {
    /// The plain interpreter.
    Judge,
    /// The interpreter with compiled fragments.
    Usual,
}

/// Completeness and definedness of the steps of a call.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Called {
    /// Steps may be missing.
    pub gap: Option<Gap>,
    /// A step is ill-defined or breaks an obligation.
    pub is_ill_defined: bool,
}

/// Truth of a condition in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConditionTruth {
    True,
    False,
    IllDefined,
    Unknown(Gap),
}

impl<'m> Explicit<'m> {
    fn by(&self, evaluator: InterpreterChoice) -> &Interp<'m> {
        match evaluator {
            InterpreterChoice::Judge => &self.judge,
            InterpreterChoice::Usual => &self.interp,
        }
    }

    /// Calls an operation out of an initialised state, with choices that are given, parameters among them, and tells every distinct step
    /// with the vector of its target, until it is told to stop.
    pub fn call(
        &self,
        evaluator: InterpreterChoice,
        op: OpId,
        words: &[u32],
        given: PrescribedChoices,
        found: &mut dyn FnMut(Transition, &[u32]) -> ControlFlow<()>,
    ) -> Called {
        let (state, _) = self.decode(words);
        let session = self.by(evaluator).session();
        let is_given = !given.locals.is_empty();
        session.prescribe(given);
        let (mut called, mut failure, mut violation, mut target) = (Called::default(), None, None, Vec::new());
        session.operation(op, &state, &mut |transition| {
            match transition {
                Ok(transition) => {
                    self.encode(&transition.state, true, &mut target);
                    return found(transition, &target);
                }
                Err(error) if error.is_violation() => {
                    called.is_ill_defined = true;
                    violation = Some(error);
                }
                Err(error) => failure = Some(error),
            }
            ControlFlow::Continue(())
        });
        let name = &self.model().operations[op].name;
        // A violation for given arguments is noted here, since an enumeration of arguments might not meet it.
        let noted = if is_given { self.note(&session, name, violation) } else { None };
        called.gap = noted.max(self.note(&session, name, failure));
        called
    }

    /// Initialises the machine for the constants of a vector, with choices that are given, and tells every distinct state, until it is
    /// told to stop.
    pub fn initial_states(
        &self,
        evaluator: InterpreterChoice,
        words: &[u32],
        given: PrescribedChoices,
        found: &mut dyn FnMut(&[u32]) -> ControlFlow<()>,
    ) -> Called {
        let (constants, _) = self.decode(words);
        let session = self.by(evaluator).session();
        session.prescribe(given);
        let (mut called, mut failure, mut violation, mut target) = (Called::default(), None, None, Vec::new());
        session.initialise(&constants, &mut |state| {
            match state {
                Ok(state) => {
                    self.encode(&state, true, &mut target);
                    return found(&target);
                }
                Err(error) if error.is_violation() => {
                    called.is_ill_defined = true;
                    violation = Some(error);
                }
                Err(error) => failure = Some(error),
            }
            ControlFlow::Continue(())
        });
        // A violation is noted here: at the root there is no state out of which it could be found again.
        let noted = self.note(&session, "the initialisation", violation);
        called.gap = noted.max(self.note(&session, "the initialisation", failure));
        called
    }

    /// Precondition of an operation whose body is a PRE.
    pub fn precondition(&self, op: OpId) -> Option<PredId> {
        match self.model().subst(self.model().operations[op].body) {
            Subst::Pre { pred, .. } => Some(*pred),
            _ => None,
        }
    }

    /// Truth of the precondition of an operation for given arguments. Conjuncts about outputs are typing and are skipped. As in a list of all calls, a conjunct about
    /// parameters that is ill-defined counts as false: else calls that are not listed would be errors.
    pub fn may_call(
        &self,
        evaluator: InterpreterChoice,
        op: OpId,
        words: &[u32],
        given: &[(LocalId, Val)],
    ) -> ConditionTruth {
        let Some(pred) = self.precondition(op) else { return ConditionTruth::True };
        let interp = self.by(evaluator);
        let operation = &self.model().operations[op];
        let (state, _) = self.decode(words);
        let env = Env::new(&state).bind_all(given.iter().cloned());
        let mut all = ConditionTruth::True;
        for pred in interp.conjuncts(pred).iter().copied() {
            let names = interp.names_of_pred(pred);
            if operation.outputs.iter().any(|output| names.locals.contains(output)) {
                continue;
            }
            let is_search = operation.params.iter().any(|param| names.locals.contains(param));
            let config = interp.config();
            let is_lenient = config.ill_defined_guard_is_false || is_search && config.ill_defined_search_is_false;
            match self.truth(evaluator, std::iter::once(pred), &env) {
                ConditionTruth::True => {}
                ConditionTruth::False => return ConditionTruth::False,
                ConditionTruth::IllDefined if is_lenient => return ConditionTruth::False,
                ConditionTruth::Unknown(_) if all == ConditionTruth::IllDefined => {}
                open => all = open,
            }
        }
        all
    }

    /// Subformulas of a predicate that is false in a state, with the values that the judge gives them.
    pub fn parts_of(&self, pred: PredId, state: &State) -> Vec<Part> {
        explain::explain(&self.judge.session(), self.notations(), pred, state).0
    }

    /// Truth of a conjunction. A false conjunct decides, even if others are ill-defined or unknown.
    pub fn truth(
        &self,
        evaluator: InterpreterChoice,
        conjuncts: impl Iterator<Item = PredId>,
        env: &Env,
    ) -> ConditionTruth {
        let session = self.by(evaluator).session();
        let mut failure: Option<Error> = None;
        let mut is_false = false;
        for pred in conjuncts {
            match session.pred(pred, env) {
                Ok(true) => {}
                Ok(false) => is_false = true,
                Err(error) => failure = Some(error),
            }
            if is_false {
                break;
            }
        }
        if is_false {
            // What is false by an assumption is a caveat of the run.
            self.note(&session, "a condition", None);
            return ConditionTruth::False;
        }
        if failure.as_ref().is_some_and(|error| gap_of(error).is_none()) {
            return ConditionTruth::IllDefined;
        }
        match self.note(&session, "a condition", failure) {
            Some(gap) => ConditionTruth::Unknown(gap),
            None => ConditionTruth::True,
        }
    }
}
