//! Rough numbers of candidates, by which a plan chooses what to bind next.

use abridge_model::{BaseSet, BinaryOp, Expr, ExprId, Type, TypeId, UnaryOp};

use super::build::Builder;

impl Builder<'_, '_> {
    /// Roughly how many elements a set has; infinite if it cannot be listed here.
    pub(super) fn set_cost(&self, set: ExprId) -> f64 {
        match self.model.expr(set) {
            Expr::SetExtension(items) => items.len() as f64,
            Expr::SequenceExtension(items) => items.len() as f64,
            Expr::EmptySet => 0.0,
            Expr::Carrier(id) => f64::from(self.model.sets[*id].size()),
            Expr::BaseSet(BaseSet::Bool) => 2.0,
            Expr::BaseSet(_) | Expr::FreeType(_) => f64::INFINITY,
            Expr::Binary(BinaryOp::Interval, low, high) => match (self.model.expr(*low), self.model.expr(*high)) {
                (Expr::Integer(low), Expr::Integer(high)) => i64::try_from(high - low).map_or(1e6, |n| n as f64 + 1.0),
                _ => 15.0,
            },
            Expr::Binary(BinaryOp::Union, left, right) => self.set_cost(*left) + self.set_cost(*right),
            Expr::Binary(BinaryOp::Intersection, left, right) => self.set_cost(*left).min(self.set_cost(*right)),
            Expr::Binary(BinaryOp::Difference, left, _) => self.set_cost(*left),
            Expr::Binary(BinaryOp::Cartesian, left, right) => self.set_cost(*left) * self.set_cost(*right),
            Expr::Binary(BinaryOp::Image, ..) | Expr::Binary(BinaryOp::Apply, ..) => 5.0,
            Expr::Binary(BinaryOp::Arrow(_), from, to) => {
                let (from, to) = (self.set_cost(*from), self.set_cost(*to));
                (to + 1.0).powf(from).max(1e4)
            }
            Expr::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, of) => {
                self.set_cost(*of).min(1000.0).exp2()
            }
            Expr::Unary(UnaryOp::Dom | UnaryOp::Ran, of) => self.set_cost(*of).min(6.0),
            Expr::Unary(UnaryOp::Seq | UnaryOp::Seq1, _) => f64::INFINITY,
            Expr::Unary(UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm, of) => {
                (self.set_cost(*of) + 1.0).powf(self.set_cost(*of)).max(100.0)
            }
            Expr::Comprehension { binder, pred, .. } => self.n_alternatives(binder, *pred).map_or(30.0, |n| n as f64),
            Expr::SetImage { .. } | Expr::Quantified { .. } => 30.0,
            Expr::Successor | Expr::Predecessor | Expr::FirstProjection | Expr::SecondProjection => f64::INFINITY,
            _ => 8.0,
        }
    }

    /// Whether the set is a plain value rather than something to be tested against.
    pub(super) fn is_listable(&self, set: ExprId) -> bool {
        self.set_cost(set) < f64::INFINITY
            && !matches!(
                self.model.expr(set),
                Expr::Binary(BinaryOp::Arrow(_) | BinaryOp::Cartesian, ..) | Expr::Quantified { .. }
            )
    }

    /// How many values a type has.
    pub(super) fn type_size(&self, ty: TypeId) -> f64 {
        match self.model.types.get(ty) {
            Type::Bool => 2.0,
            Type::Given(set) => f64::from(self.model.sets[*set].size()),
            Type::Pair(first, second) => self.type_size(*first) * self.type_size(*second),
            Type::Pow(elem) => self.type_size(*elem).min(1000.0).exp2(),
            Type::Record(fields) => fields.iter().map(|(_, ty)| self.type_size(*ty)).product(),
            Type::Integer | Type::String | Type::Real | Type::Free(_) => f64::INFINITY,
        }
    }
}
