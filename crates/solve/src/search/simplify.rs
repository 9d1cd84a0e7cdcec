//! Unit propagation: simplifies constraints as unknowns get values, such as an implication with a known left side, or a disjunction with one operand
//! left that is not false.

use abridge_eval::{Constraint, ConstraintKind, Result, Unknown, normalise};
use abridge_model::{Pred, PredId};

use super::{SearchNode, SolutionSearch};

/// Remainder of a constraint after simplification.
pub(super) enum Left {
    /// Unchanged.
    Same,
    /// The constraint holds.
    Nothing,
    /// The constraint cannot hold.
    Contradiction,
    /// Equivalent unknowns and constraints.
    Parts(Vec<Unknown>, Vec<Constraint>),
}

impl SolutionSearch<'_> {
    pub(super) fn simplified(&self, constraint: &Constraint, node: &SearchNode) -> Result<Left> {
        let (pred, positive) = match constraint.kind {
            ConstraintKind::Holds(pred) => (pred, true),
            ConstraintKind::Fails(pred) => (pred, false),
            ConstraintKind::Relation(..) => return Ok(Left::Same),
        };
        match (self.session.model().pred(pred), positive) {
            (Pred::Implies(left, right), true) => match self.known(*left, node)? {
                Some(true) => Ok(self.parts(*right, true, constraint)),
                Some(false) => Ok(Left::Nothing),
                None => Ok(Left::Same),
            },
            (Pred::Or(operands), true) => self.one_holds(operands, constraint, node),
            (Pred::And(operands), false) => self.one_fails(operands, constraint, node),
            (Pred::Equivalent(left, right), _) => match (self.known(*left, node)?, self.known(*right, node)?) {
                (Some(known), None) => Ok(self.parts(*right, known == positive, constraint)),
                (None, Some(known)) => Ok(self.parts(*left, known == positive, constraint)),
                _ => Ok(Left::Same),
            },
            (Pred::If(condition, then, otherwise), _) => match self.known(*condition, node)? {
                Some(known) => Ok(self.parts(if known { *then } else { *otherwise }, positive, constraint)),
                None => Ok(Left::Same),
            },
            _ => Ok(Left::Same),
        }
    }

    /// Simplifies a disjunction from left to right. An operand that is not yet known may be ill-defined; then later ones do not count.
    fn one_holds(&self, operands: &[PredId], constraint: &Constraint, node: &SearchNode) -> Result<Left> {
        let mut open = None;
        for operand in operands {
            match (self.known(*operand, node)?, open) {
                (Some(true), None) => return Ok(Left::Nothing),
                (Some(false), _) => {}
                (None, None) => open = Some(*operand),
                _ => return Ok(Left::Same),
            }
        }
        Ok(open.map_or(Left::Contradiction, |operand| self.parts(operand, true, constraint)))
    }

    /// Simplifies a negated conjunction, which holds as soon as one operand is false.
    fn one_fails(&self, operands: &[PredId], constraint: &Constraint, node: &SearchNode) -> Result<Left> {
        let mut open = None;
        for operand in operands {
            match (self.known(*operand, node)?, open) {
                (Some(false), _) => return Ok(Left::Nothing),
                (Some(true), _) => {}
                (None, None) => open = Some(*operand),
                (None, Some(_)) => return Ok(Left::Same),
            }
        }
        Ok(open.map_or(Left::Contradiction, |operand| self.parts(operand, false, constraint)))
    }

    fn parts(&self, pred: PredId, positive: bool, constraint: &Constraint) -> Left {
        let (unknowns, mut parts) = normalise(self.session, pred, positive, constraint.strict);
        parts.iter_mut().for_each(|part| part.is_searched = constraint.is_searched);
        Left::Parts(unknowns, parts)
    }

    /// Truth of a predicate without open unknowns; `None` if it cannot be evaluated, which is left to the constraint as a whole.
    fn known(&self, pred: PredId, node: &SearchNode) -> Result<Option<bool>> {
        let names = self.session.interp().names_of_pred(pred);
        if node.open.occur_in(&names) {
            return Ok(None);
        }
        match self.session.pred(pred, &node.env) {
            Ok(truth) => Ok(Some(truth)),
            Err(error) if error.is_fatal() => Err(error),
            Err(_) => Ok(None),
        }
    }
}
