//! Ways to bind an unknown, each with its cost: by remaining conjuncts, by integer bounds, and by type.

use abridge_diag::with_stack;
use abridge_eval::Cost;
use abridge_model::{BaseSet, BinaryOp, Comparison, Expr, ExprId, LocalId, Pred, PredId, Type, TypeTable, UnaryOp};

use super::CodeBuilder;
use super::inverse::Application;
use super::plan::{MAX_BRANCHES, MIN_TABULATED, OpenConjunct, PlanLimits};

/// Largest type that is enumerated.
const MAX_TYPE_VALUES: Cost = Cost::candidates(70_000.0);
/// Largest number of subsets that are tried, unless one per orbit is enough.
const MAX_SUBSETS: Cost = Cost::candidates(1e9);
/// Factor that puts a type after a set of the same size.
const TYPE_PENALTY: Cost = Cost::candidates(1.5);
/// Assumed size of a range between unknown bounds.
const RANGE_CANDIDATES: Cost = Cost::candidates(25.0);
/// Share of an interval that further bounds leave, so that it comes before the interval as it is.
const SHARE_WITHIN_BOUNDS: Cost = Cost::candidates(0.9);
/// Size of an interval from which on further bounds are better than tabulated conditions.
const MAX_TABULATED_INTERVAL: Cost = Cost::candidates(1e4);
/// Assumed number of places at which a sequence of unknown length can be split.
const SPLIT_PLACES: f64 = 15.0;

/// Way to bind unknowns.
pub(crate) struct Offer {
    pub(crate) cost: Cost,
    pub(crate) step: OfferStep,
    /// Conjunct that the choice implies.
    pub(crate) consumes: Option<usize>,
}

pub(crate) enum OfferStep {
    Match {
        pattern: ExprId,
        value: ExprId,
    },
    /// `x + e = value` or the like, solved for `x`.
    Solve {
        local: LocalId,
        value: ExprId,
        other: ExprId,
        how: Inverse,
    },
    Split {
        operands: Vec<ExprId>,
        value: ExprId,
    },
    Elements {
        pattern: ExprId,
        set: ExprId,
    },
    Images {
        key: ExprId,
        pattern: ExprId,
        relation: ExprId,
    },
    Subsets {
        local: LocalId,
        set: ExprId,
    },
    Range {
        local: LocalId,
    },
    Type {
        local: LocalId,
    },
    /// Disjunction whose alternatives determine the unknowns.
    Either {
        pred: PredId,
        in_order: bool,
    },
    Lookup(Application),
}

#[derive(Clone, Copy)]
pub(crate) enum Inverse {
    /// `x + other = value`
    Sum,
    /// `x - other = value`
    Minuend,
    /// `other - x = value`
    Subtrahend,
}

#[derive(Clone, Copy)]
pub(crate) enum RangeBound {
    AtLeast(i64),
    Low(ExprId, bool),
    High(ExprId, bool),
}

impl CodeBuilder<'_, '_> {
    /// Cheapest choice; among equally cheap ones, the one after which the fewest unknowns are left.
    pub(crate) fn cheapest(&self, waiting: &[OpenConjunct], open: &[LocalId], limits: &PlanLimits) -> Option<Offer> {
        let mut best: Option<Offer> = None;
        let mut offer = |choice: Offer| {
            let is_better = best.as_ref().is_none_or(|best| {
                choice.cost < best.cost
                    || choice.cost == best.cost
                        && choice.cost > Cost::ONE
                        && self.left_after(&choice, waiting, open) < self.left_after(best, waiting, open)
            });
            if is_better {
                best = Some(choice);
            }
        };
        for (idx, conjunct) in waiting.iter().enumerate().filter(|(_, conjunct)| !conjunct.negated) {
            self.offers((idx, conjunct.pred), open, limits, &mut offer);
            if limits.uses_inverse && limits.n_branches < MAX_BRANCHES {
                self.offer_inverse(conjunct.pred, open, &mut offer);
            }
            self.offer_split(idx, waiting, open, &mut offer);
        }
        for local in open {
            if let Some(cost) = self.range_cost(*local, waiting, open) {
                offer(Offer { cost, step: OfferStep::Range { local: *local }, consumes: None });
            }
            let size = Cost::of_type(self.model, self.model.locals[*local].ty);
            if size <= MAX_TYPE_VALUES {
                offer(Offer {
                    cost: size.times(TYPE_PENALTY),
                    step: OfferStep::Type { local: *local },
                    consumes: None,
                });
            }
        }
        best
    }

    /// Number of unknowns left after a choice and the equations that it decides.
    pub(crate) fn left_after(&self, choice: &Offer, waiting: &[OpenConjunct], open: &[LocalId]) -> usize {
        let mut left = open.to_vec();
        match &choice.step {
            OfferStep::Solve { local, .. }
            | OfferStep::Subsets { local, .. }
            | OfferStep::Range { local }
            | OfferStep::Type { local } => left.retain(|open| open != local),
            OfferStep::Match { pattern, .. }
            | OfferStep::Elements { pattern, .. }
            | OfferStep::Images { pattern, .. }
            | OfferStep::Lookup(Application { pattern, .. }) => self.drop_names(*pattern, &mut left),
            OfferStep::Either { pred, .. } => {
                let names = self.names.of_pred(self.model, *pred);
                left.retain(|local| !names.locals.contains(local));
            }
            OfferStep::Split { operands, .. } => {
                operands.iter().for_each(|operand| self.drop_names(*operand, &mut left));
            }
        }
        while let Some(determined) = self.determined(waiting, &left) {
            self.drop_names(determined, &mut left);
        }
        left.len()
    }

    pub(crate) fn offers(
        &self,
        (idx, pred): (usize, PredId),
        open: &[LocalId],
        limits: &PlanLimits,
        offer: &mut dyn FnMut(Offer),
    ) {
        let consumes = Some(idx);
        match self.model.pred(pred) {
            Pred::Compare(Comparison::Equal, left, right) => {
                for (pattern, value) in [(*left, *right), (*right, *left)] {
                    if self.is_bound(value, open) {
                        if self.is_pattern(pattern, open) {
                            offer(Offer { cost: Cost::EQUATION, step: OfferStep::Match { pattern, value }, consumes });
                        } else if let Some(step) = self.solvable(pattern, value, open) {
                            offer(Offer { cost: Cost::INVERSE, step, consumes });
                        }
                    }
                }
            }
            Pred::Compare(Comparison::Member, elem, set)
                if self.is_bound(*set, open) && self.is_pattern(*elem, open) =>
            {
                if let Expr::Binary(BinaryOp::Pair, key, rest) = self.model.expr(*elem)
                    && self.is_bound(*key, open)
                    && self.is_listable(*set)
                {
                    let step = OfferStep::Images { key: *key, pattern: *rest, relation: *set };
                    offer(Offer { cost: Cost::IMAGES, step, consumes });
                    return;
                }
                let cost = self.set_cost(*set);
                if cost.is_bounded() {
                    offer(Offer { cost, step: OfferStep::Elements { pattern: *elem, set: *set }, consumes });
                }
            }
            Pred::Compare(Comparison::Subset, part, whole) if self.is_bound(*whole, open) => {
                if let Some(local) = self.open_local(*part, open) {
                    let cost = self.set_cost(*whole).min(Cost::candidates(64.0)).subsets();
                    if (cost <= MAX_SUBSETS || limits.by_orbit) && self.is_listable(*whole) {
                        offer(Offer { cost, step: OfferStep::Subsets { local, set: *whole }, consumes });
                    }
                }
            }
            Pred::Or(_) => {
                if let Some(alternatives) = self.alternatives(pred, open) {
                    offer(Offer {
                        cost: Cost::candidates(alternatives.len() as f64),
                        step: OfferStep::Either { pred, in_order: limits.in_order },
                        consumes,
                    });
                }
            }
            _ => {}
        }
    }

    /// `f(x) = value` with a function of the state.
    pub(crate) fn offer_inverse(&self, pred: PredId, open: &[LocalId], offer: &mut dyn FnMut(Offer)) {
        let Pred::Compare(Comparison::Equal, left, right) = self.model.pred(pred) else { return };
        for (side, value) in [(*left, *right), (*right, *left)] {
            if let Some(equation) = self.applied_to_unknowns(side, value, open).filter(|_| self.is_bound(value, open)) {
                offer(Offer { cost: Cost::LOOKUP, step: OfferStep::Lookup(equation), consumes: None });
            }
        }
    }

    /// `value = x ^ y ^ ...`
    pub(crate) fn offer_split(
        &self,
        idx: usize,
        waiting: &[OpenConjunct],
        open: &[LocalId],
        offer: &mut dyn FnMut(Offer),
    ) {
        let Pred::Compare(Comparison::Equal, left, right) = self.model.pred(waiting[idx].pred) else { return };
        for (expr, value) in [(*left, *right), (*right, *left)] {
            if !self.is_bound(value, open) || self.is_bound(expr, open) {
                continue;
            }
            let operands = self.concatenated(expr);
            let mut unknowns: Vec<LocalId> =
                operands.iter().filter_map(|operand| self.open_local(*operand, open)).collect();
            let is_known =
                |operand: &ExprId| self.is_bound(*operand, open) || self.open_local(*operand, open).is_some();
            let n_free = unknowns.iter().filter(|local| self.length_of(**local, waiting, open).is_none()).count();
            let n_unknowns = unknowns.len();
            unknowns.sort_unstable();
            unknowns.dedup();
            if operands.len() > 1 && operands.iter().all(is_known) && unknowns.len() == n_unknowns {
                let n_splits = SPLIT_PLACES.powi(i32::try_from(n_free.saturating_sub(1)).unwrap_or(i32::MAX));
                let cost = Cost::SPLIT.times(Cost::candidates(n_splits));
                offer(Offer { cost, step: OfferStep::Split { operands, value }, consumes: Some(idx) });
            }
        }
    }

    /// Operands of nested concatenations.
    pub(crate) fn concatenated(&self, expr: ExprId) -> Vec<ExprId> {
        let (mut open, mut operands) = (vec![expr], Vec::new());
        while let Some(expr) = open.pop() {
            match self.model.expr(expr) {
                Expr::Binary(BinaryOp::Concat, left, right) => open.extend([*right, *left]),
                _ => operands.push(expr),
            }
        }
        operands
    }

    /// `size(local) = e`
    pub(crate) fn length_of(&self, local: LocalId, waiting: &[OpenConjunct], open: &[LocalId]) -> Option<ExprId> {
        let positive = waiting.iter().filter(|conjunct| !conjunct.negated);
        let sides = positive.filter_map(|conjunct| match self.model.pred(conjunct.pred) {
            Pred::Compare(Comparison::Equal, left, right) => Some([(*left, *right), (*right, *left)]),
            _ => None,
        });
        let says = |(size, len): &(ExprId, ExprId)| {
            matches!(self.model.expr(*size), Expr::Unary(UnaryOp::Size | UnaryOp::Card, of)
                if self.open_local(*of, open) == Some(local))
                && self.is_bound(*len, open)
        };
        sides.flatten().find(says).map(|(_, len)| len)
    }

    pub(crate) fn solvable(&self, expr: ExprId, value: ExprId, open: &[LocalId]) -> Option<OfferStep> {
        let Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) = self.model.expr(expr) else {
            return None;
        };
        if let Some(local) = self.open_local(*left, open).filter(|_| self.is_bound(*right, open)) {
            let how = if *op == BinaryOp::Add { Inverse::Sum } else { Inverse::Minuend };
            return Some(OfferStep::Solve { local, value, other: *right, how });
        }
        let local = self.open_local(*right, open).filter(|_| self.is_bound(*left, open))?;
        let how = if *op == BinaryOp::Add { Inverse::Sum } else { Inverse::Subtrahend };
        Some(OfferStep::Solve { local, value, other: *left, how })
    }

    /// Bounds of an integer from waiting conjuncts, with the index of the conjunct.
    pub(crate) fn bounds(
        &self,
        local: LocalId,
        waiting: &[OpenConjunct],
        open: &[LocalId],
    ) -> Vec<(usize, RangeBound)> {
        let mut found = Vec::new();
        for (idx, conjunct) in waiting.iter().enumerate().filter(|(_, conjunct)| !conjunct.negated) {
            match self.model.pred(conjunct.pred) {
                Pred::Compare(op @ (Comparison::Less | Comparison::LessEqual), low, high) => {
                    let strict = *op == Comparison::Less;
                    if self.is_local(*high, local) && self.is_bound(*low, open) {
                        found.push((idx, RangeBound::Low(*low, strict)));
                    } else if self.is_local(*low, local) && self.is_bound(*high, open) {
                        found.push((idx, RangeBound::High(*high, strict)));
                    }
                }
                Pred::Compare(Comparison::Member, elem, set) if self.is_local(*elem, local) => {
                    match self.model.expr(*set) {
                        Expr::BaseSet(BaseSet::Natural) => found.push((idx, RangeBound::AtLeast(0))),
                        Expr::BaseSet(BaseSet::Natural1) => found.push((idx, RangeBound::AtLeast(1))),
                        Expr::Binary(BinaryOp::Interval, low, high) if self.is_bound(*set, open) => {
                            found.push((idx, RangeBound::Low(*low, false)));
                            found.push((idx, RangeBound::High(*high, false)));
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Cost of the integers between the bounds; `None` if there is no range, or if it is an interval as it is.
    pub(crate) fn range_cost(&self, local: LocalId, waiting: &[OpenConjunct], open: &[LocalId]) -> Option<Cost> {
        if !matches!(self.model.types.get(self.model.locals[local].ty), Type::Integer) {
            return None;
        }
        let bounds = self.bounds(local, waiting, open);
        let is_low = |bound: &RangeBound| matches!(bound, RangeBound::Low(..) | RangeBound::AtLeast(_));
        let both = bounds.iter().any(|(_, bound)| is_low(bound)) && bounds.iter().any(|(_, bound)| !is_low(bound));
        let intervals = bounds.iter().filter_map(|(idx, _)| match self.model.pred(waiting[*idx].pred) {
            Pred::Compare(Comparison::Member, _, set) => Some(self.set_cost(*set)).filter(|cost| cost.is_bounded()),
            _ => None,
        });
        match intervals.reduce(Cost::min) {
            None => both.then_some(RANGE_CANDIDATES),
            Some(interval) => {
                let is_cut = bounds.iter().any(|(idx, _)| *idx != bounds[0].0);
                let is_tabulated = interval >= MIN_TABULATED && interval <= MAX_TABULATED_INTERVAL
                    || self.joining(waiting, &[local], &[]).is_some();
                (is_cut && !is_tabulated).then_some(interval.times(SHARE_WITHIN_BOUNDS))
            }
        }
    }

    /// Whether a conjunct that is left bounds an integer, directly or through a sum or product.
    pub(crate) fn is_bounded_by(&self, waiting: &[OpenConjunct], local: LocalId) -> bool {
        waiting.iter().filter(|conjunct| conjunct.unknowns.contains(&local) && !conjunct.negated).any(|conjunct| {
            match self.model.pred(conjunct.pred) {
                Pred::Compare(Comparison::Less | Comparison::LessEqual | Comparison::Equal, left, right) => {
                    self.is_term_of(*left, local) || self.is_term_of(*right, local)
                }
                _ => false,
            }
        })
    }

    /// Whether an expression is an integer, or a sum, difference or product with it.
    fn is_term_of(&self, expr: ExprId, local: LocalId) -> bool {
        with_stack(|| match self.model.expr(expr) {
            Expr::Unary(UnaryOp::Negate, operand) => self.is_term_of(*operand, local),
            Expr::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, left, right) => {
                self.is_term_of(*left, local) || self.is_term_of(*right, local)
            }
            _ => self.model.ty(expr) == TypeTable::INTEGER && self.is_local(expr, local),
        })
    }
}
