//! Choices of local variables whose values are never read.
//!
//! Implementations give a local its type by a choice: `VAR ii IN ii : (ii : 0..4294967295); ii := 0; ... END`. The value is overwritten before it is read,
//! so all that matters is that there is one. Such a choice becomes a SELECT of its feasibility, which the solver decides without trying 2^32 values.
//! A choice that is read after all would leave its local without a value, so whatever may read a local counts as reading it.

use abridge_diag::with_stack;
use abridge_model::{Comparison, Expr, ExprId, LocalId, ModelNode, Pred, PredId, Subst, SubstId, Target};

use crate::lower::Lower;

/// What happens to the value of a local, in the order of what is worst for dropping it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// Overwritten on every path, and not read before.
    Overwritten,
    /// Not read, and not overwritten on every path.
    Kept,
    Read,
}

impl Lower<'_> {
    /// Replaces dead choices in the body of a VAR with these locals.
    pub(super) fn drop_dead_choices(&mut self, locals: &[LocalId], body: SubstId) {
        let Subst::Sequence(parts) = self.model.subst(body) else { return };
        let parts = parts.clone();
        for (idx, part) in parts.iter().enumerate() {
            let is_own = |target: &Target| matches!(target, Target::Local(local) if locals.contains(local));
            let is_dead = |target: &Target| match target {
                Target::Local(local) => self.fate_in_turn(*local, &parts[idx + 1..]) != Fate::Read,
                Target::Variable(_) => false,
            };
            let feasible = match self.model.subst(*part) {
                Subst::BecomesSuch { targets, new, pred } if targets.iter().all(|it| is_own(it) && is_dead(it)) => {
                    Feasibility::Such(new.clone(), *pred)
                }
                Subst::BecomesElement { targets, set } if targets.iter().all(|it| is_own(it) && is_dead(it)) => {
                    Feasibility::Element(*set)
                }
                _ => continue,
            };
            self.keep_feasibility(*part, feasible);
        }
    }

    fn keep_feasibility(&mut self, choice: SubstId, feasible: Feasibility) {
        let span = self.model.substs[choice].span;
        let condition = match feasible {
            Feasibility::Such(binder, body) => self.add_pred(Pred::Exists { binder, body }, span),
            Feasibility::Element(set) => {
                let empty = self.add_expr(Expr::EmptySet, self.model.exprs[set].ty, span);
                let is_empty = self.add_pred(Pred::Compare(Comparison::Equal, set, empty), span);
                self.add_pred(Pred::Not(is_empty), span)
            }
        };
        let skip = self.add_subst(Subst::Skip, span);
        self.model.substs[choice].subst = Subst::Select { branches: vec![(condition, skip)], otherwise: None };
    }

    /// The fate of a local in substitutions that follow each other.
    fn fate_in_turn(&self, local: LocalId, parts: &[SubstId]) -> Fate {
        let fates = parts.iter().map(|part| self.fate(local, *part));
        fates.into_iter().find(|fate| *fate != Fate::Kept).unwrap_or(Fate::Kept)
    }

    fn fate(&self, local: LocalId, subst: SubstId) -> Fate {
        with_stack(|| self.fate_inner(local, subst))
    }

    fn fate_inner(&self, local: LocalId, subst: SubstId) -> Fate {
        let expr = |id: &ExprId| self.reads(local, ModelNode::Expr(*id));
        let pred = |id: &PredId| self.reads(local, ModelNode::Pred(*id));
        let is_target = |targets: &[Target]| targets.contains(&Target::Local(local));
        let assigned = |is_read: bool, targets: &[Target]| match is_read {
            true => Fate::Read,
            false if is_target(targets) => Fate::Overwritten,
            false => Fate::Kept,
        };
        let under = |is_read: bool, body: &SubstId| if is_read { Fate::Read } else { self.fate(local, *body) };
        // One of the branches is executed, or none.
        let one_of = |branches: &mut dyn Iterator<Item = SubstId>, may_skip: bool| {
            let least = if may_skip { Fate::Kept } else { Fate::Overwritten };
            branches.map(|branch| self.fate(local, branch)).fold(least, Fate::max)
        };
        match self.model.subst(subst) {
            Subst::Skip => Fate::Kept,
            Subst::Assign { targets, values } => assigned(values.iter().any(expr), targets),
            Subst::BecomesElement { targets, set } => assigned(expr(set), targets),
            Subst::BecomesSuch { targets, pred: such, .. } => assigned(pred(such), targets),
            Subst::Call { args, outputs, .. } => assigned(args.iter().any(expr), outputs),
            Subst::External(_, args) => assigned(args.iter().any(expr), &[]),
            Subst::Pre { pred: condition, body } | Subst::Assert { pred: condition, body } => {
                under(pred(condition), body)
            }
            Subst::Any { pred: condition, body, .. } => under(pred(condition), body),
            Subst::Let { bindings, body } => under(bindings.iter().any(|binding| expr(&binding.value)), body),
            Subst::Var { body, .. } => self.fate(local, *body),
            Subst::Select { branches, otherwise } | Subst::If { branches, otherwise } => {
                if branches.iter().any(|(condition, _)| pred(condition)) {
                    return Fate::Read;
                }
                let bodies = branches.iter().map(|(_, body)| *body);
                one_of(&mut bodies.chain(*otherwise), otherwise.is_none())
            }
            Subst::Case { selector, branches, otherwise } => {
                if expr(selector) || branches.iter().any(|(values, _)| values.iter().any(expr)) {
                    return Fate::Read;
                }
                let bodies = branches.iter().map(|(_, body)| *body);
                one_of(&mut bodies.chain(*otherwise), otherwise.is_none())
            }
            Subst::Choice(parts) => one_of(&mut parts.iter().copied(), false),
            Subst::Sequence(parts) => self.fate_in_turn(local, parts),
            // All parts see the value of before; which of them overwrites it does not matter.
            Subst::Parallel(parts) => {
                let fates = || parts.iter().map(|part| self.fate(local, *part));
                if fates().any(|fate| fate == Fate::Read) { Fate::Read } else { fates().min().unwrap_or(Fate::Kept) }
            }
            Subst::While { condition, body, invariant, variant, before } => {
                let is_before = before.iter().any(|(target, _)| *target == Target::Local(local));
                let is_read = is_before || pred(condition) || pred(invariant) || expr(variant);
                under(is_read, body).max(Fate::Kept)
            }
        }
    }

    /// A formula mentions a local.
    fn reads(&self, local: LocalId, formula: ModelNode) -> bool {
        let mut is_found = false;
        self.model.for_each_node(formula, &mut |node| {
            let ModelNode::Expr(id) = node else { return };
            is_found |= matches!(self.model.exprs[id].expr, Expr::Local(other) if other == local);
        });
        is_found
    }
}

/// Condition under which a choice has an outcome.
enum Feasibility {
    Such(Vec<LocalId>, PredId),
    Element(ExprId),
}
