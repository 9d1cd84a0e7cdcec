//! Inverse lookup for an equation `f(x) = e` with a variable `f`: the arguments are looked up among the pairs of the function.
//!
//! All conditions on the unknowns, the equation included, are tested afterwards, so that a relation with several images at an argument is
//! noticed. Candidates outside the domain are skipped, which is right only if ill-defined conditions exclude candidates. Otherwise, and if the
//! function is symbolic or much larger than the number of candidates, the plan without the lookup runs. Where solutions become steps, it gives them in the order
//! in which the lookup finds them, so that the order does not follow from the state.

use abridge_eval::Cost;
use abridge_model::{BinaryOp, Comparison, Expr, ExprId, LocalId, Pred};

use super::CodeBuilder;
use super::plan::{OpenConjunct, PlanLimits};
use crate::code::{InverseLookup, PlanStep};

/// Size up to which functions are always scanned.
const MAX_CHEAP_PAIRS: Cost = Cost::candidates(64.0);

/// Pairs scanned in the time of trying one candidate.
const PAIRS_PER_CANDIDATE: Cost = Cost::candidates(8.0);

/// `function(pattern) = value`
#[derive(Clone, Copy)]
pub(crate) struct Application {
    pub(crate) function: ExprId,
    pub(crate) pattern: ExprId,
    pub(crate) value: ExprId,
}

impl CodeBuilder<'_, '_> {
    /// Application of a variable to open unknowns, if `side` is one.
    pub(crate) fn applied_to_unknowns(&self, side: ExprId, value: ExprId, open: &[LocalId]) -> Option<Application> {
        let Expr::Binary(BinaryOp::Apply, function, pattern) = self.model.expr(side) else { return None };
        let is_variable = matches!(self.model.expr(*function), Expr::Variable(_));
        let is_usable = is_variable && self.is_open_pattern(*pattern, open) && self.is_pattern(*pattern, open);
        is_usable.then_some(Application { function: *function, pattern: *pattern, value })
    }

    /// Lookup step with two versions of the rest of the plan: after the lookup, and without it.
    pub(crate) fn by_inverse(
        &mut self,
        equation: Application,
        waiting: Vec<OpenConjunct>,
        mut open: Vec<LocalId>,
        limits: &PlanLimits,
    ) -> Option<(PlanStep, bool)> {
        let n_candidates = self.n_candidates(equation.pattern, &waiting, &open);
        let otherwise = self.plan_rest(waiting.clone(), open.clone(), &limits.without_inverse())?;
        let (function, value) = (self.head(equation.function), self.code(equation.value));
        let pattern = self.pattern(equation.pattern, &mut open);
        let found = self.plan_rest(waiting, open, &limits.split())?;
        let may_repeat = found.may_repeat || otherwise.may_repeat;
        let most = n_candidates.times(PAIRS_PER_CANDIDATE).max(MAX_CHEAP_PAIRS).count();
        let (found, otherwise) = (found.steps, otherwise.steps);
        let mut lookup = InverseLookup { function, value, pattern, most, found, otherwise, sorted_by: None };
        if limits.in_order {
            lookup.sorted_by = other_order(&lookup);
        }
        Some((PlanStep::Lookup(Box::new(lookup)), may_repeat))
    }

    /// Estimated number of candidates for the unknowns of a pattern without the lookup.
    fn n_candidates(&self, pattern: ExprId, waiting: &[OpenConjunct], open: &[LocalId]) -> Cost {
        let names = self.names.of_expr(self.model, pattern);
        let n_values = |local: &LocalId| {
            let costs = waiting.iter().filter_map(|conjunct| match self.model.pred(conjunct.pred) {
                Pred::Compare(Comparison::Member, elem, set) if self.open_local(*elem, open) == Some(*local) => {
                    Some(self.set_cost(*set))
                }
                _ => None,
            });
            costs.fold(Cost::of_type(self.model, self.model.locals[*local].ty), Cost::min)
        };
        names.locals.iter().map(n_values).fold(Cost::ONE, Cost::times)
    }
}

/// The order of solutions with the lookup, if those without it bind the same slots in another one.
fn other_order(lookup: &InverseLookup) -> Option<Vec<usize>> {
    let mut order = Vec::new();
    if !lookup.finds_in_order(&mut order) || lookup.order_otherwise().is_some_and(|otherwise| otherwise == order) {
        return None;
    }
    let mut otherwise = Vec::new();
    lookup.otherwise.iter().for_each(|step| step.binds(&mut otherwise));
    let has = |slots: &[usize], others: &[usize]| slots.iter().all(|slot| others.contains(slot));
    (has(&order, &otherwise) && has(&otherwise, &order)).then_some(order)
}
