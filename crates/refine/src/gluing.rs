//! The gluing invariant: whether an abstract state and a concrete one represent the same.

use std::sync::Arc;

use abridge_diag::Diagnostic;
use abridge_eval::{Env, State};
use abridge_explicit::{ConditionTruth, Explicit, InterpreterChoice};
use abridge_model::ids::Id as _;
use abridge_model::{PredId, VarId};
use abridge_model_system::ModelSystem as _;
use abridge_system::Gap;

use crate::models::Models;
use crate::side::PairSide;

/// The invariant of the refinement over the variables of both levels.
pub(crate) struct Gluing<'m> {
    joint: Explicit<'m>,
    /// Variables that the refinement keeps: they have equal values.
    pub(crate) kept: Vec<VarId>,
    /// Positions in the invariant of the joint model.
    pub(crate) conjuncts: Vec<usize>,
    /// Those that mention variables of neither level.
    pub(crate) unchecked: Vec<usize>,
}

/// A reason why two states do not represent the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GluingFault {
    Kept(VarId),
    /// Position in the invariant of the joint model.
    Conjunct(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Glued {
    Yes,
    No(GluingFault),
    IllDefined(usize),
    Unknown(Gap),
}

impl<'m> Gluing<'m> {
    pub(crate) fn new(models: &'m Models, joint: Explicit<'m>) -> Self {
        let concrete = &models.concrete_level.variables;
        let kept = models.abstract_level.variables.iter().filter(|id| concrete.contains(*id)).collect();
        let all = 0..models.joint.invariant.len();
        let (unchecked, conjuncts) = all.partition(|idx| models.joint.invariant[*idx].is_gluing);
        Gluing { joint, kept, conjuncts, unchecked }
    }

    pub(crate) fn system(&self) -> &Explicit<'m> {
        &self.joint
    }

    pub(crate) fn pred(&self, conjunct: usize) -> PredId {
        self.joint.model().invariant[conjunct].pred
    }

    /// The values of both levels; those of kept variables are the concrete ones.
    pub(crate) fn together(&self, concrete: &State, abstracted: &State) -> State {
        let mut variables = concrete.variables.to_vec();
        for (slot, val) in variables.iter_mut().zip(abstracted.variables.iter()) {
            if slot.is_none() {
                slot.clone_from(val);
            }
        }
        State { constants: concrete.constants.clone(), variables: Arc::new(variables) }
    }

    pub(crate) fn glued(&self, evaluator: InterpreterChoice, concrete: &State, abstracted: &State) -> Glued {
        let mut gap = None;
        for id in &self.kept {
            let (new, old) = (&concrete.variables[id.index()], &abstracted.variables[id.index()]);
            match (new, old) {
                _ if new == old => {}
                // Values without a canonical form may be equal and look different.
                (Some(new), Some(old)) if new.as_value().is_none() || old.as_value().is_none() => {
                    gap = Some(Gap::Failed);
                }
                _ => return Glued::No(GluingFault::Kept(*id)),
            }
        }
        let state = self.together(concrete, abstracted);
        let env = Env::new(&state);
        let mut ill_defined = None;
        for conjunct in &self.conjuncts {
            match self.joint.truth(evaluator, std::iter::once(self.pred(*conjunct)), &env) {
                ConditionTruth::True => {}
                ConditionTruth::False => return Glued::No(GluingFault::Conjunct(*conjunct)),
                ConditionTruth::IllDefined => ill_defined = ill_defined.or(Some(*conjunct)),
                ConditionTruth::Unknown(why) => gap = gap.max(Some(why)),
            }
        }
        match (ill_defined, gap) {
            (Some(conjunct), _) => Glued::IllDefined(conjunct),
            (None, Some(gap)) => Glued::Unknown(gap),
            (None, None) => Glued::Yes,
        }
    }

    /// Why a conjunct has no value, as the judge says.
    pub(crate) fn error(&self, conjunct: usize, concrete: &State, abstracted: &State) -> Option<Diagnostic> {
        let state = self.together(concrete, abstracted);
        let error = self.joint.judge().session().pred(self.pred(conjunct), &Env::new(&state)).err()?;
        Some(error.diagnostic(self.joint.model()))
    }

    /// The same for vectors of the two levels.
    pub(crate) fn glued_words(
        &self,
        evaluator: InterpreterChoice,
        (concrete, words): (&PairSide<'_>, &[u32]),
        (abstracted, other): (&PairSide<'_>, &[u32]),
    ) -> Glued {
        let (concrete, _) = concrete.system.decode(words);
        let (abstracted, _) = abstracted.system.decode(other);
        self.glued(evaluator, &concrete, &abstracted)
    }
}
