//! `SIGMA`, `PI` and `INTER`. Lambda, comprehensions and `UNION` are closures (see `sets.rs`).

use std::ops::ControlFlow;

use abridge_model::{ExprId, LocalId, PredId, QuantifiedOp};
use abridge_value::{Int, Value};

use super::arith::product;
use crate::config::Unbounded;
use crate::domain::{Env, ErrorKind, IllDefined, Result, Val};
use crate::interp::{Problem, Session};

impl Session<'_> {
    pub(super) fn quantified(
        &self,
        op: QuantifiedOp,
        binder: &[LocalId],
        pred: PredId,
        expr: ExprId,
        env: &Env,
    ) -> Result<Val> {
        let start: Option<Val> = match op {
            QuantifiedOp::Sigma => Some(Int::ZERO.into()),
            QuantifiedOp::Pi => Some(Int::ONE.into()),
            QuantifiedOp::RealSigma => Some(Value::real(0.0).into()),
            QuantifiedOp::RealPi => Some(Value::real(1.0).into()),
            QuantifiedOp::Inter => None,
            QuantifiedOp::Lambda | QuantifiedOp::Union => {
                return Err(ErrorKind::Internal("lambda and UNION are closures").into());
            }
        };
        let mut acc = start;
        let problem = Problem::of_pred(self, binder, pred).unbounded(Unbounded::Error);
        let _ = self.solve(problem, env, &mut |env| {
            let val = self.expr(expr, env)?;
            acc = Some(match &acc {
                Some(so_far) => self.combine(op, so_far, &val)?,
                None => val,
            });
            Ok(ControlFlow::Continue(()))
        })?;
        acc.ok_or_else(|| IllDefined::EmptySet("INTER").into())
    }

    fn combine(&self, op: QuantifiedOp, acc: &Val, val: &Val) -> Result<Val> {
        Ok(match op {
            QuantifiedOp::Sigma => (&acc.int()? + &val.int()?).into(),
            QuantifiedOp::Pi => product(&acc.int()?, &val.int()?)?.into(),
            QuantifiedOp::RealSigma => Value::real(acc.real()? + val.real()?).into(),
            QuantifiedOp::RealPi => Value::real(acc.real()? * val.real()?).into(),
            _ => self.intersection(acc, val),
        })
    }
}
