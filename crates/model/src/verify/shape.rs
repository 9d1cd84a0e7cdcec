//! Promise `shape`: lists of parts have the minimum length that their node requires.

use super::{Faults, Promise};
use crate::expr::{BinaryOp, Expr};
use crate::model::Model;
use crate::pred::Pred;
use crate::subst::Subst;

pub(super) fn check(model: &Model, faults: &mut Faults) {
    for (id, node) in model.exprs.iter() {
        if let Some(text) = expr(&node.expr) {
            faults.add(Promise::Shape, id, text);
        }
    }
    for (id, node) in model.preds.iter() {
        if let Some(text) = pred(&node.pred) {
            faults.add(Promise::Shape, id, text);
        }
    }
    for (id, node) in model.substs.iter() {
        if let Some(text) = subst(&node.subst) {
            faults.add(Promise::Shape, id, text);
        }
    }
}

fn at_least<T>(n_parts: usize, parts: &[T], text: &'static str) -> Option<&'static str> {
    (parts.len() < n_parts).then_some(text)
}

fn expr(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::SetExtension(items) => at_least(1, items, "an empty set extension"),
        Expr::SequenceExtension(items) => at_least(1, items, "an empty sequence extension"),
        Expr::Comprehension { binder, .. } | Expr::SetImage { binder, .. } | Expr::Quantified { binder, .. } => {
            at_least(1, binder, "an empty binder")
        }
        Expr::Let { bindings, .. } => at_least(1, bindings, "an empty LET"),
        Expr::Binary(BinaryOp::Arrow(arrow), ..) => {
            (arrow.injective && !arrow.functional).then_some("an injective arrow that is no function")
        }
        _ => None,
    }
}

fn pred(pred: &Pred) -> Option<&'static str> {
    match pred {
        Pred::And(parts) => at_least(2, parts, "an And of less than two parts"),
        Pred::Or(parts) => at_least(2, parts, "an Or of less than two parts"),
        Pred::Forall { binder, .. } | Pred::Exists { binder, .. } => at_least(1, binder, "an empty binder"),
        Pred::Let { bindings, .. } => at_least(1, bindings, "an empty LET"),
        _ => None,
    }
}

fn subst(subst: &Subst) -> Option<&'static str> {
    match subst {
        Subst::Assign { targets, .. } | Subst::BecomesElement { targets, .. } | Subst::BecomesSuch { targets, .. } => {
            at_least(1, targets, "an assignment without targets")
        }
        Subst::Select { branches, .. } => at_least(1, branches, "a SELECT without branches"),
        Subst::If { branches, .. } => at_least(1, branches, "an IF without branches"),
        Subst::Choice(parts) => at_least(1, parts, "a CHOICE without branches"),
        Subst::Case { branches, .. } => at_least(1, branches, "a CASE without branches").or_else(|| {
            branches.iter().find_map(|(values, _)| at_least(1, values, "a branch of a CASE without values"))
        }),
        Subst::Any { binder, .. } => at_least(1, binder, "an empty binder"),
        Subst::Let { bindings, .. } => at_least(1, bindings, "an empty LET"),
        Subst::Var { locals, .. } => at_least(1, locals, "a VAR without locals"),
        Subst::Sequence(parts) => at_least(2, parts, "a Sequence of less than two parts"),
        Subst::Parallel(parts) => at_least(2, parts, "a Parallel of less than two parts"),
        _ => None,
    }
}
