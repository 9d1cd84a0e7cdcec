//! Case splits of disjunctions and existential quantifiers.

use abridge_eval::{Constraint, ConstraintKind, Session, Unknown, normalise};
use abridge_model::{Pred, PredId};

/// Cases of a constraint that is an existential quantifier or a disjunction: new unknowns and constraints of each case. The flag says that the
/// constraint itself must still be checked.
#[expect(clippy::type_complexity, reason = "used in one place")]
pub(super) fn case_split(
    session: &Session<'_>,
    constraint: &Constraint,
) -> Option<(Vec<(Vec<Unknown>, Vec<Constraint>)>, bool)> {
    let ways = |parts: Vec<(PredId, bool)>| {
        let ways = parts.into_iter().map(|(part, positive)| normalise(session, part, positive, constraint.strict));
        Some((ways.collect(), true))
    };
    match constraint.kind {
        ConstraintKind::Holds(pred) => match session.model().pred(pred) {
            Pred::Exists { binder, body } => {
                let (mut unknowns, constraints) = normalise(session, *body, true, constraint.strict);
                unknowns.splice(0..0, binder.iter().map(|local| Unknown::Local(*local)));
                Some((vec![(unknowns, constraints)], false))
            }
            Pred::Or(parts) => ways(parts.iter().map(|part| (*part, true)).collect()),
            Pred::Implies(left, right) => ways(vec![(*left, false), (*right, true)]),
            _ => None,
        },
        ConstraintKind::Fails(pred) => match session.model().pred(pred) {
            Pred::And(parts) => ways(parts.iter().map(|part| (*part, false)).collect()),
            Pred::Forall { binder, body } => {
                let (mut unknowns, constraints) = normalise(session, *body, false, constraint.strict);
                unknowns.splice(0..0, binder.iter().map(|local| Unknown::Local(*local)));
                Some((vec![(unknowns, constraints)], false))
            }
            _ => None,
        },
        ConstraintKind::Relation(..) => None,
    }
}
