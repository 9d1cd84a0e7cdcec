//! Patterns: expressions whose value determines unknowns in them (`x`, `x |-> y`, `rec(a: x)`, `{x}`, `[x, y]`, `c(x)`).

use abridge_model::{BinaryOp, Expr, ExprId};
use abridge_value::{Value, sequence};

use super::Unknown;
use super::constraint::Term;
use crate::env::Env;
use crate::error::Result;
use crate::interp::Session;
use crate::val::Val;

/// What matching an expression achieves.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    /// Some unknown gets a value.
    pub(super) binds: bool,
    /// A match means that the expression has the value.
    pub(super) exact: bool,
}

impl Pattern {
    const OPAQUE: Pattern = Pattern { binds: false, exact: false };

    fn and(self, other: Pattern) -> Pattern {
        Pattern { binds: self.binds || other.binds, exact: self.exact && other.exact }
    }
}

type Match = Option<(Env, Vec<Unknown>)>;

impl Session<'_> {
    pub(super) fn pattern(&self, term: &Term, open: &[Unknown]) -> Pattern {
        match term {
            Term::Local(local) => Pattern { binds: open.contains(&Unknown::Local(*local)), exact: true },
            Term::Known(_) => Pattern { binds: false, exact: true },
            Term::Expr(id) => self.expr_pattern(*id, open),
        }
    }

    fn expr_pattern(&self, id: ExprId, open: &[Unknown]) -> Pattern {
        if Term::Expr(id).is_ready(self, open) {
            return Pattern { binds: false, exact: true };
        }
        let all = |parts: &[ExprId]| {
            let start = Pattern { binds: false, exact: true };
            parts.iter().map(|part| self.expr_pattern(*part, open)).fold(start, Pattern::and)
        };
        match self.model().expr(id) {
            Expr::Local(_) | Expr::Constant(_) => Pattern { binds: true, exact: true },
            Expr::Binary(BinaryOp::Pair, first, second) => all(&[*first, *second]),
            Expr::Record(fields) => all(fields),
            Expr::SequenceExtension(items) => all(items),
            Expr::SetExtension(items) if items.len() == 1 => all(items),
            Expr::Binary(BinaryOp::Apply, function, arg) => match self.model().expr(*function) {
                Expr::Constructor(..) => Pattern { exact: false, ..all(&[*arg]) },
                _ => Pattern::OPAQUE,
            },
            _ => Pattern::OPAQUE,
        }
    }

    /// Binds the unknowns of a pattern to the parts of a value; nothing if the value does not have the form.
    pub(super) fn match_pattern(&self, term: &Term, val: &Val, env: &Env, open: &[Unknown]) -> Result<Match> {
        match term {
            Term::Local(local) => self.match_unknown(Unknown::Local(*local), val, env.clone(), open.to_vec()),
            Term::Expr(id) => self.match_expr(*id, val, env.clone(), open.to_vec()),
            Term::Known(known) => Ok(self.equal(known, val, env)?.then(|| (env.clone(), open.to_vec()))),
        }
    }

    fn match_unknown(&self, unknown: Unknown, val: &Val, env: Env, mut open: Vec<Unknown>) -> Result<Match> {
        match open.iter().position(|other| *other == unknown) {
            Some(idx) => {
                open.remove(idx);
                let val = match self.force(val, &env) {
                    // A constant keeps a definition that is not well-defined everywhere; using it there is the error.
                    Err(error) if error.is_ill_defined() && matches!(unknown, Unknown::Constant(_)) => val.clone(),
                    forced => forced?,
                };
                Ok(Some((unknown.bind(&env, val), open)))
            }
            None => {
                let same = match unknown.get(&env) {
                    Some(bound) => self.equal(bound, val, &env)?,
                    None => true,
                };
                Ok(same.then_some((env, open)))
            }
        }
    }

    fn match_expr(&self, id: ExprId, val: &Val, env: Env, open: Vec<Unknown>) -> Result<Match> {
        match self.model().expr(id) {
            Expr::Local(local) => return self.match_unknown(Unknown::Local(*local), val, env, open),
            Expr::Constant(constant) => return self.match_unknown(Unknown::Constant(*constant), val, env, open),
            _ => {}
        }
        if Term::Expr(id).is_ready(self, &open) {
            let same = self.equal(&self.expr(id, &env)?, val, &env)?;
            return Ok(same.then_some((env, open)));
        }
        match self.model().expr(id) {
            Expr::Binary(BinaryOp::Pair, first, second) => {
                let (left, right) = val.split()?;
                self.match_all(&[(*first, left), (*second, right)], env, open)
            }
            Expr::Record(fields) => {
                let parts: Result<Vec<(ExprId, Val)>> =
                    (0..).zip(fields).map(|(idx, field)| Ok((*field, val.field(idx)?))).collect();
                self.match_all(&parts?, env, open)
            }
            Expr::SequenceExtension(exprs) => {
                let Some(Value::Set(set)) = self.force(val, &env)?.as_value().cloned() else { return Ok(None) };
                match sequence::items(&set) {
                    Some(items) if items.len() == exprs.len() => {
                        let items = items.into_iter().map(|item| Val::Value(item.clone()));
                        let parts: Vec<(ExprId, Val)> = exprs.iter().copied().zip(items).collect();
                        self.match_all(&parts, env, open)
                    }
                    _ => Ok(None),
                }
            }
            Expr::SetExtension(items) if items.len() == 1 => {
                match self.force(val, &env)?.as_set().and_then(|set| set.only()) {
                    Some(only) => self.match_expr(items[0], &only.into(), env, open),
                    None => Ok(None),
                }
            }
            Expr::Binary(BinaryOp::Apply, function, arg) => match (self.model().expr(*function), val.as_value()) {
                (Expr::Constructor(_, constructor), Some(Value::Free(free))) => match free.arg() {
                    Some(inner) if free.constructor() == *constructor => {
                        self.match_expr(*arg, &inner.clone().into(), env, open)
                    }
                    _ => Ok(None),
                },
                _ => Ok(Some((env, open))),
            },
            // Nothing to learn here; the constraint is checked later.
            _ => Ok(Some((env, open))),
        }
    }

    fn match_all(&self, parts: &[(ExprId, Val)], mut env: Env, mut open: Vec<Unknown>) -> Result<Match> {
        for (expr, val) in parts {
            match self.match_expr(*expr, val, env, open)? {
                Some(matched) => (env, open) = matched,
                None => return Ok(None),
            }
        }
        Ok(Some((env, open)))
    }
}
