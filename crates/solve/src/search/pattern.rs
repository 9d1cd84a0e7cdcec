//! Patterns: expressions whose value determines unknowns in them (`x`, `x |-> y`, `rec(a: x)`, `{x}`, `[x, y]`, `c(x)`).

use abridge_eval::{Env, OpenUnknowns, Operand, Result, Session, Unknown, Val};
use abridge_model::{BinaryOp, Expr, ExprId};
use abridge_value::{Value, sequence};

/// Effect of matching an expression with a value.
#[derive(Clone, Copy)]
pub(super) struct MatchEffect {
    /// Some unknown gets a value.
    pub(super) binds: bool,
    /// A match implies that the expression has the value.
    pub(super) exact: bool,
}

impl MatchEffect {
    const OPAQUE: MatchEffect = MatchEffect { binds: false, exact: false };

    fn and(self, other: MatchEffect) -> MatchEffect {
        MatchEffect { binds: self.binds || other.binds, exact: self.exact && other.exact }
    }
}

type Match = Option<(Env, OpenUnknowns)>;

pub(super) fn classify(session: &Session<'_>, term: &Operand, open: &OpenUnknowns) -> MatchEffect {
    match term {
        Operand::Local(local) => MatchEffect { binds: open.has(Unknown::Local(*local)), exact: true },
        Operand::Known(_) => MatchEffect { binds: false, exact: true },
        Operand::Expr(id) => expr_pattern(session, *id, open),
    }
}

fn expr_pattern(session: &Session<'_>, id: ExprId, open: &OpenUnknowns) -> MatchEffect {
    if Operand::Expr(id).is_ready(session, open) {
        return MatchEffect { binds: false, exact: true };
    }
    let all = |parts: &[ExprId]| {
        let start = MatchEffect { binds: false, exact: true };
        parts.iter().map(|part| expr_pattern(session, *part, open)).fold(start, MatchEffect::and)
    };
    match session.model().expr(id) {
        Expr::Local(_) | Expr::Constant(_) => MatchEffect { binds: true, exact: true },
        Expr::Binary(BinaryOp::Pair, first, second) => all(&[*first, *second]),
        Expr::Record(fields) => all(fields),
        Expr::SequenceExtension(items) => all(items),
        Expr::SetExtension(items) if items.len() == 1 => all(items),
        Expr::Binary(BinaryOp::Apply, function, arg) => match session.model().expr(*function) {
            Expr::Constructor(..) => MatchEffect { exact: false, ..all(&[*arg]) },
            _ => MatchEffect::OPAQUE,
        },
        _ => MatchEffect::OPAQUE,
    }
}

/// Binds the unknowns of a pattern to the parts of a value; `None` if the value does not match.
pub(super) fn match_pattern(
    session: &Session<'_>,
    term: &Operand,
    val: &Val,
    env: Env,
    open: OpenUnknowns,
) -> Result<Match> {
    match term {
        Operand::Local(local) => match_unknown(session, Unknown::Local(*local), val, env, open),
        Operand::Expr(id) => match_expr(session, *id, val, env, open),
        Operand::Known(known) => Ok(session.equal(known, val, &env)?.then_some((env, open))),
    }
}

fn match_unknown(
    session: &Session<'_>,
    unknown: Unknown,
    val: &Val,
    env: Env,
    mut open: OpenUnknowns,
) -> Result<Match> {
    match open.has(unknown) {
        true => {
            open.remove(unknown);
            let val = match session.force(val, &env) {
                // A constant may have a definition that is ill-defined at some points; the error arises when it is used there.
                Err(error) if error.is_ill_defined() && matches!(unknown, Unknown::Constant(_)) => val.clone(),
                forced => forced?,
            };
            Ok(Some((unknown.bound(env, val), open)))
        }
        false => {
            let same = match unknown.get(&env) {
                Some(bound) => session.equal(bound, val, &env)?,
                None => true,
            };
            Ok(same.then_some((env, open)))
        }
    }
}

fn match_expr(session: &Session<'_>, id: ExprId, val: &Val, env: Env, open: OpenUnknowns) -> Result<Match> {
    match session.model().expr(id) {
        Expr::Local(local) => return match_unknown(session, Unknown::Local(*local), val, env, open),
        Expr::Constant(constant) => return match_unknown(session, Unknown::Constant(*constant), val, env, open),
        _ => {}
    }
    if Operand::Expr(id).is_ready(session, &open) {
        let same = session.equal(&session.expr(id, &env)?, val, &env)?;
        return Ok(same.then_some((env, open)));
    }
    match session.model().expr(id) {
        Expr::Binary(BinaryOp::Pair, first, second) => {
            let (left, right) = val.split()?;
            match_all(session, &[(*first, left), (*second, right)], env, open)
        }
        Expr::Record(fields) => {
            let parts: Result<Vec<(ExprId, Val)>> =
                (0..).zip(fields).map(|(idx, field)| Ok((*field, val.field(idx)?))).collect();
            match_all(session, &parts?, env, open)
        }
        Expr::SequenceExtension(exprs) => {
            let Some(Value::Set(set)) = session.force(val, &env)?.as_value().cloned() else { return Ok(None) };
            match sequence::items(&set) {
                Some(items) if items.len() == exprs.len() => {
                    let items = items.into_iter().map(|item| Val::Value(item.clone()));
                    let parts: Vec<(ExprId, Val)> = exprs.iter().copied().zip(items).collect();
                    match_all(session, &parts, env, open)
                }
                _ => Ok(None),
            }
        }
        Expr::SetExtension(items) if items.len() == 1 => {
            match session.force(val, &env)?.as_set().and_then(|set| set.only()) {
                Some(only) => match_expr(session, items[0], &only.into(), env, open),
                None => Ok(None),
            }
        }
        Expr::Binary(BinaryOp::Apply, function, arg) => match (session.model().expr(*function), val.as_value()) {
            (Expr::Constructor(_, constructor), Some(Value::Free(free))) => match free.arg() {
                Some(inner) if free.constructor() == *constructor => {
                    match_expr(session, *arg, &inner.clone().into(), env, open)
                }
                _ => Ok(None),
            },
            _ => Ok(Some((env, open))),
        },
        // Other expressions bind nothing; the constraint is checked later.
        _ => Ok(Some((env, open))),
    }
}

fn match_all(session: &Session<'_>, parts: &[(ExprId, Val)], mut env: Env, mut open: OpenUnknowns) -> Result<Match> {
    for (expr, val) in parts {
        match match_expr(session, *expr, val, env, open)? {
            Some(matched) => (env, open) = matched,
            None => return Ok(None),
        }
    }
    Ok(Some((env, open)))
}
