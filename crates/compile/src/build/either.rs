//! Disjunctions that determine unknowns: `x = a & y = b or x = c & y = d or ...`.
//!
//! Each alternative is searched on its own, so that no values need to be tried. A solution of several alternatives is found several times, in the order of the
//! alternatives. Where solutions become steps they are sorted instead, so that their order does not follow from the state.

use abridge_model::ModelNode;
use abridge_model::{LocalId, Pred, PredId, may_fail};

use super::CodeBuilder;
use crate::code::PlanStep;

impl CodeBuilder<'_, '_> {
    /// Alternatives of a disjunction, if equations in each of them determine all its open unknowns.
    ///
    /// All alternatives must be total: if one is ill-defined, the others must not hide it.
    pub(crate) fn alternatives(&self, pred: PredId, open: &[LocalId]) -> Option<&[PredId]> {
        let Pred::Or(alternatives) = self.model.pred(pred) else { return None };
        let unknowns = self.open_names(pred, open);
        let is_defined = |alternative: &PredId| self.determines(*alternative, &unknowns);
        (!unknowns.is_empty() && !may_fail(self.model, ModelNode::Pred(pred)) && alternatives.iter().all(is_defined))
            .then_some(alternatives)
    }

    /// Number of candidates of a comprehension whose unknowns are determined by a disjunction in it.
    pub(crate) fn n_alternatives(&self, binder: &[LocalId], pred: PredId) -> Option<usize> {
        let defines = |conjunct: &PredId| {
            let alternatives = self.alternatives(*conjunct, binder)?;
            (self.open_names(*conjunct, binder).len() == binder.len()).then_some(alternatives.len())
        };
        self.names.conjuncts(self.model, pred).iter().find_map(defines)
    }

    fn open_names(&self, pred: PredId, open: &[LocalId]) -> Vec<LocalId> {
        let names = self.names.of_pred(self.model, pred);
        open.iter().copied().filter(|local| names.locals.contains(local)).collect()
    }

    /// Whether equations among the conjuncts of a predicate determine the unknowns one after the other.
    fn determines(&self, pred: PredId, unknowns: &[LocalId]) -> bool {
        let conjuncts = self.names.conjuncts(self.model, pred);
        let waiting: Vec<_> = conjuncts.iter().map(|pred| self.conjunct(*pred, unknowns, false)).collect();
        let mut left = unknowns.to_vec();
        while let Some(determined) = self.determined(&waiting, &left) {
            self.drop_names(determined, &mut left);
        }
        left.is_empty()
    }

    /// Plan step that tries the alternatives. The unknowns of the disjunction are bound from here on.
    pub(crate) fn either(&mut self, pred: PredId, in_order: bool, open: &mut Vec<LocalId>) -> Option<PlanStep> {
        let alternatives = self.alternatives(pred, open)?.to_vec();
        let unknowns = self.open_names(pred, open);
        open.retain(|local| !unknowns.contains(local));
        let plans = alternatives.iter().map(|alternative| self.plan(&unknowns, &[*alternative], &[]));
        let branches: Option<Vec<Vec<PlanStep>>> = plans.map(|plan| plan.map(|plan| plan.steps)).collect();
        let slots = || unknowns.iter().map(|local| self.layout.local(*local)).collect();
        branches.map(|branches| match in_order {
            true => PlanStep::Sorted { branches, slots: slots() },
            false => PlanStep::Either(branches),
        })
    }
}
