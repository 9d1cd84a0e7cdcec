//! Cost estimates of the planner: numbers of candidates.

use abridge_eval::Cost;
use abridge_model::{BaseSet, BinaryOp, Expr, ExprId, UnaryOp};

use super::CodeBuilder;

/// Assumed size of an interval with unknown ends.
const INTERVAL_CANDIDATES: f64 = 15.0;

impl CodeBuilder<'_, '_> {
    /// Estimated number of elements of a set; unbounded if it cannot be listed.
    pub(crate) fn set_cost(&self, set: ExprId) -> Cost {
        let n = Cost::candidates;
        match self.model.expr(set) {
            Expr::SetExtension(items) => n(items.len() as f64),
            Expr::SequenceExtension(items) => n(items.len() as f64),
            Expr::EmptySet => n(0.0),
            Expr::Carrier(id) => n(f64::from(self.model.sets[*id].size())),
            Expr::BaseSet(BaseSet::Bool) => n(2.0),
            Expr::BaseSet(_) | Expr::FreeType(_) => Cost::UNBOUNDED,
            Expr::Binary(BinaryOp::Interval, low, high) => match (self.model.expr(*low), self.model.expr(*high)) {
                (Expr::Integer(low), Expr::Integer(high)) => {
                    n(i64::try_from(high - low).map_or(1e6, |n| n as f64 + 1.0))
                }
                _ => n(INTERVAL_CANDIDATES),
            },
            Expr::Binary(BinaryOp::Union, left, right) => self.set_cost(*left).plus(self.set_cost(*right)),
            Expr::Binary(BinaryOp::Intersection, left, right) => self.set_cost(*left).min(self.set_cost(*right)),
            Expr::Binary(BinaryOp::Difference, left, _) => self.set_cost(*left),
            Expr::Binary(BinaryOp::Cartesian, left, right) => self.set_cost(*left).times(self.set_cost(*right)),
            Expr::Binary(BinaryOp::Image, ..) | Expr::Binary(BinaryOp::Apply, ..) => n(5.0),
            Expr::Binary(BinaryOp::Arrow(_), from, to) => {
                let (from, to) = (self.set_cost(*from), self.set_cost(*to));
                from.functions_to(to).max(n(1e4))
            }
            Expr::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, of) => {
                self.set_cost(*of).subsets()
            }
            Expr::Unary(UnaryOp::Dom | UnaryOp::Ran, of) => self.set_cost(*of).min(n(6.0)),
            Expr::Unary(UnaryOp::Seq | UnaryOp::Seq1, _) => Cost::UNBOUNDED,
            Expr::Unary(UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm, of) => {
                self.set_cost(*of).functions_to(self.set_cost(*of)).max(n(100.0))
            }
            Expr::Comprehension { binder, pred, .. } => {
                self.n_alternatives(binder, *pred).map_or(n(30.0), |found| n(found as f64))
            }
            Expr::SetImage { .. } | Expr::Quantified { .. } => n(30.0),
            Expr::Successor | Expr::Predecessor | Expr::FirstProjection | Expr::SecondProjection => Cost::UNBOUNDED,
            _ => n(8.0),
        }
    }

    /// Whether a set is better listed as a value than tested for membership.
    pub(crate) fn is_listable(&self, set: ExprId) -> bool {
        self.set_cost(set).is_bounded()
            && !matches!(
                self.model.expr(set),
                Expr::Binary(BinaryOp::Arrow(_) | BinaryOp::Cartesian, ..) | Expr::Quantified { .. }
            )
    }
}
