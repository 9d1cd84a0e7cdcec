//! Questions about single formulas: solutions, counterexamples, equality of values.

use std::collections::HashSet;
use std::ops::ControlFlow;

use abridge_model::{LocalId, PredId};

use crate::domain::{Env, Result, Val};
use crate::interp::{Problem, Session, Unknown};

impl Session<'_> {
    /// Calls `found` with the values of `free` for which a predicate holds, each once, until it breaks.
    ///
    /// # Errors
    /// If the predicate cannot be evaluated for some values, or they cannot be enumerated.
    pub fn solutions(
        &self,
        free: &[LocalId],
        pred: PredId,
        env: &Env,
        found: &mut dyn FnMut(Vec<Val>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let mut seen = HashSet::new();
        self.solve(Problem::of_pred(self, free, pred), env, &mut |env| {
            let vals =
                free.iter().map(|local| self.force(&self.local(*local, env)?, env)).collect::<Result<Vec<Val>>>()?;
            Ok(if seen.insert(vals.clone()) { found(vals) } else { ControlFlow::Continue(()) })
        })
    }

    /// Environment of the first counterexample to `!binder.body`.
    ///
    /// # Errors
    /// As for [`Session::solutions`].
    pub fn counterexample(&self, binder: &[LocalId], body: PredId, env: &Env) -> Result<Option<Env>> {
        let unknowns = binder.iter().map(|local| Unknown::Local(*local)).collect();
        let mut problem = Problem::of_unknowns(self, unknowns);
        problem.refute(self, body);
        let mut witness = None;
        let _ = self.solve(problem, env, &mut |env| {
            witness = Some(env.clone());
            Ok(ControlFlow::Break(()))
        })?;
        Ok(witness)
    }

    /// Whether two values are equal in B.
    ///
    /// # Errors
    /// If infinite sets cannot be compared.
    pub fn same(&self, left: &Val, right: &Val, env: &Env) -> Result<bool> {
        self.equal(left, right, env)
    }
}
