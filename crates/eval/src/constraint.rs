//! Truth of a constraint whose names all have values.
//!
//! A set under construction ([`SymbolicSet::Partial`](crate::domain::SymbolicSet)) counts as a value: the answer is then final or
//! [`ErrorKind::Undetermined`], never a guess.

use abridge_model::{Expr, UnaryOp};
use abridge_value::Int;

use crate::domain::{Env, ErrorKind, Result, SymbolicSet};
use crate::interp::{Constraint, ConstraintKind, Operand, Relation, Session};

impl Session<'_> {
    /// Whether a constraint without open unknowns holds.
    pub fn check(&self, constraint: &Constraint, env: &Env) -> Result<bool> {
        match &constraint.kind {
            ConstraintKind::Holds(pred) => self.pred(*pred, env),
            ConstraintKind::Fails(pred) => Ok(!self.pred(*pred, env)?),
            ConstraintKind::Relation(relation, left, right) => {
                if let Some(answer) = self.compare_partial_sizes(*relation, left, right, env)? {
                    return Ok(answer);
                }
                let (left, right) = (left.eval(self, env)?, right.eval(self, env)?);
                match relation {
                    Relation::Equal => self.equal(&left, &right, env),
                    Relation::NotEqual => Ok(!self.equal(&left, &right, env)?),
                    Relation::Member => self.member(&left, &right, env),
                    Relation::NotMember => Ok(!self.member(&left, &right, env)?),
                    Relation::Subset => self.subset(&left, &right, env),
                    Relation::Less => Ok(left.int()? < right.int()?),
                    Relation::LessEqual => Ok(left.int()? <= right.int()?),
                }
            }
        }
    }

    /// Truth of `card(s) = n` and similar relations for a set under construction, if no completion of it can change the answer.
    fn compare_partial_sizes(
        &self,
        relation: Relation,
        left: &Operand,
        right: &Operand,
        env: &Env,
    ) -> Result<Option<bool>> {
        if !matches!(relation, Relation::Equal | Relation::Less | Relation::LessEqual) {
            return Ok(None);
        }
        let (known_left, known_right) = (self.partial_size(left, env)?, self.partial_size(right, env)?);
        if known_left.is_none() && known_right.is_none() {
            return Ok(None);
        }
        let exact = |term: &Operand| -> Result<(Int, Int)> {
            let int = term.eval(self, env)?.int()?;
            Ok((int.clone(), int))
        };
        let (lo, hi) = known_left.map_or_else(|| exact(left), Ok)?;
        let (lo2, hi2) = known_right.map_or_else(|| exact(right), Ok)?;
        let (surely, surely_not) = match relation {
            Relation::Equal => (lo == hi && lo2 == hi2 && lo == lo2, hi < lo2 || hi2 < lo),
            Relation::Less => (hi < lo2, hi2 <= lo),
            _ => (hi <= lo2, hi2 < lo),
        };
        if surely || surely_not { Ok(Some(surely)) } else { Err(ErrorKind::Undetermined.into()) }
    }

    /// Least and greatest size of a set under construction.
    fn partial_size(&self, term: &Operand, env: &Env) -> Result<Option<(Int, Int)>> {
        let Operand::Expr(id) = term else { return Ok(None) };
        let Expr::Unary(UnaryOp::Card, set) = self.model().expr(*id) else { return Ok(None) };
        let (Expr::Local(_) | Expr::Constant(_)) = self.model().expr(*set) else { return Ok(None) };
        let val = self.expr(*set, env)?;
        let Some(SymbolicSet::Partial(partial)) = val.as_sym() else { return Ok(None) };
        let all = partial.decided.len() + partial.open.len();
        let least = if partial.is_total { all } else { partial.decided.len() };
        Ok(Some((Int::from(least), Int::from(all))))
    }
}
