//! Unknowns that an equation `f(x) = e` determines, with `f` a variable: instead of applying the function to all candidates, its pairs
//! are looked through for those with the value.
//!
//! What else is asked of the unknowns, the equation included, is tested afterwards, so that a relation with several images there is noticed. A
//! candidate outside the domain is not met, which is right where ill-defined conditions exclude candidates; elsewhere, and where the
//! function is symbolic or much larger than the number of candidates, the search goes on as it would without.

use std::ops::ControlFlow;

use abridge_eval::Val;
use abridge_model::{BinaryOp, Comparison, Expr, ExprId, LocalId, Pred};
use abridge_value::{Value, relation};

use super::build::Builder;
use super::code::{Code, Head, Pattern, Step};
use super::plan::{Conjunct, Limits};
use super::run::Solution;
use super::{Fast, Runtime};

/// Functions with so many pairs are always looked through.
const FEW: f64 = 64.0;
/// So many pairs are compared in the time in which a candidate is tried.
const PAIRS_PER_CANDIDATE: f64 = 8.0;

/// The arguments for which a function has a value.
pub(crate) struct Keys {
    function: Head,
    value: Code,
    pattern: Pattern,
    /// The most pairs that are looked through.
    most: u64,
    /// What follows for each argument.
    found: Vec<Step>,
    /// What is done instead: it binds the same.
    pub(super) otherwise: Vec<Step>,
}

/// `function(pattern) = value`
#[derive(Clone, Copy)]
pub(super) struct Equation {
    pub(super) function: ExprId,
    pub(super) pattern: ExprId,
    pub(super) value: ExprId,
}

impl Builder<'_, '_> {
    /// What a function of the state is applied to, if one side of an equation is such an application to nothing but open unknowns.
    pub(super) fn applied_to_unknowns(&self, side: ExprId, value: ExprId, open: &[LocalId]) -> Option<Equation> {
        let Expr::Binary(BinaryOp::Apply, function, pattern) = self.model.expr(side) else { return None };
        let is_variable = matches!(self.model.expr(*function), Expr::Variable(_));
        let is_usable = is_variable && self.is_open_pattern(*pattern, open) && self.is_pattern(*pattern, open);
        is_usable.then_some(Equation { function: *function, pattern: *pattern, value })
    }

    /// The rest of a plan twice: for the arguments that a function has a value for, and as it would be otherwise.
    pub(super) fn by_keys(
        &mut self,
        equation: Equation,
        waiting: Vec<Conjunct>,
        mut open: Vec<LocalId>,
        limits: &Limits,
    ) -> Option<(Step, bool)> {
        let n_candidates = self.n_candidates(equation.pattern, &waiting, &open);
        let otherwise = self.plan_rest(waiting.clone(), open.clone(), &limits.without_keys())?;
        let (function, value) = (self.head(equation.function), self.code(equation.value));
        let pattern = self.pattern(equation.pattern, &mut open);
        let found = self.plan_rest(waiting, open, &limits.split())?;
        let may_repeat = found.may_repeat || otherwise.may_repeat;
        let most = (n_candidates * PAIRS_PER_CANDIDATE).max(FEW) as u64;
        let (found, otherwise) = (found.steps, otherwise.steps);
        Some((Step::Keys(Box::new(Keys { function, value, pattern, most, found, otherwise })), may_repeat))
    }

    /// Roughly how many values the unknowns of a pattern would be tried with.
    fn n_candidates(&self, pattern: ExprId, waiting: &[Conjunct], open: &[LocalId]) -> f64 {
        let names = self.names.of_expr(self.model, pattern);
        let n_values = |local: &LocalId| {
            let costs = waiting.iter().filter_map(|conjunct| match self.model.pred(conjunct.pred) {
                Pred::Compare(Comparison::Member, elem, set) if self.open_local(*elem, open) == Some(*local) => {
                    Some(self.set_cost(*set))
                }
                _ => None,
            });
            costs.fold(self.type_size(self.model.locals[*local].ty), f64::min)
        };
        names.locals.iter().map(n_values).product()
    }
}

impl<'r> Runtime<'r> {
    /// Goes on with each argument for which the function has the value.
    pub(super) fn by_keys(
        &mut self,
        keys: &Keys,
        is_doubtful: bool,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        let Some(list) = self.keys(keys) else { return self.run(&keys.otherwise, is_doubtful, found) };
        for key in &list {
            if self.matched(&keys.pattern, key, &keys.found, is_doubtful, found)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Those arguments, if they are to be looked for in this way.
    fn keys(&mut self, keys: &Keys) -> Option<Vec<Value>> {
        if !self.is_lenient() {
            return None;
        }
        let value = self.code(&keys.value).ok()?;
        match self.head_at_hand(&keys.function)? {
            Val::Value(Value::Set(function)) if function.len() <= keys.most => {
                Some(relation::keys_of(function, &value).collect())
            }
            _ => None,
        }
    }
}
