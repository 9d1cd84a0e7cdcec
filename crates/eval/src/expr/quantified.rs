//! `SIGMA`, `PI` and `INTER`. Lambda, comprehensions and `UNION` are closures (see `sets.rs`).
//!
//! A result depends only on the multiset of values, not on the order of solutions: otherwise interchangeable elements could be distinguished. Reals
//! are therefore accumulated by [`RealSum`] and [`real_product`].

use std::ops::ControlFlow;

use abridge_model::{ExprId, LocalId, PredId, QuantifiedOp};
use abridge_value::{Int, RealSum, Value, real_product};

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
            QuantifiedOp::RealSigma | QuantifiedOp::RealPi => return self.quantified_real(op, binder, pred, expr, env),
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

    fn quantified_real(
        &self,
        op: QuantifiedOp,
        binder: &[LocalId],
        pred: PredId,
        expr: ExprId,
        env: &Env,
    ) -> Result<Val> {
        let mut sum = RealSum::default();
        let mut factors = Vec::new();
        let problem = Problem::of_pred(self, binder, pred).unbounded(Unbounded::Error);
        let _ = self.solve(problem, env, &mut |env| {
            let real = self.expr(expr, env)?.real()?;
            match op {
                QuantifiedOp::RealSigma => sum.add(real),
                _ => factors.push(real),
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let total = if op == QuantifiedOp::RealSigma { sum.total() } else { real_product(factors) };
        Ok(Value::real(total).into())
    }

    fn combine(&self, op: QuantifiedOp, acc: &Val, val: &Val) -> Result<Val> {
        Ok(match op {
            QuantifiedOp::Sigma => (&acc.int()? + &val.int()?).into(),
            QuantifiedOp::Pi => product(&acc.int()?, &val.int()?)?.into(),
            _ => self.intersection(acc, val),
        })
    }
}
