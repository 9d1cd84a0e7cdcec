//! Hooks: traits for the tasks that the interpreter delegates, chosen when it is made.
//!
//! A [`Finder`] lists the solutions of problems, [`Externals`] are functions defined outside of B, and [`Fragments`] may evaluate parts of formulas
//! faster. Only the first two contribute to the meaning of B, within their contracts. An interpreter without fragments gives the same answers as
//! one with them, and is their judge.

use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_model::{ExprId, ExternalId, PredId, SubstId};
use abridge_value::{Set, Value};

use super::{Problem, Session};
use crate::domain::{Env, Result, State, Update, Val};

/// Callback for each solution; breaks when it has seen enough.
pub type SolutionFn<'f> = dyn FnMut(&Env) -> Result<ControlFlow<()>> + 'f;

/// Enumerator of the solutions of problems.
pub trait Finder: Send + Sync {
    /// Calls `found` with every valuation of the unknowns that satisfies all constraints, each once, until it breaks. With `classes`, one valuation
    /// per class is enough.
    ///
    /// # Errors
    /// If no finite set of candidates is found for an unknown, and the problem does not allow a cut. A valuation for which a constraint is ill-defined is
    /// no solution, if so configured; otherwise, and for strict constraints, it is an error, which is reported after the other solutions.
    fn solve(
        &self,
        session: &Session<'_>,
        problem: Problem,
        classes: Option<&dyn Classes>,
        env: &Env,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>>;
}

/// Symmetry classes: orbits of tuples of values under permutations of interchangeable elements.
pub trait Classes: Send + Sync {
    /// Canonical form of a tuple: equal within a class, different between classes.
    fn form(&self, vals: &[Val]) -> Vec<Val>;

    /// Number of tuples in the class of a tuple.
    fn size(&self, vals: &[Val]) -> u64;
}

/// Functions, predicates and substitutions defined outside of B.
pub trait Externals: Send + Sync {
    /// Value of a call.
    ///
    /// # Errors
    /// If an argument cannot be evaluated or is not accepted, or if the external is not covered.
    fn expr(&self, session: &Session<'_>, id: ExternalId, args: &[ExprId], node: ExprId, env: &Env) -> Result<Val>;

    /// Truth of a call.
    ///
    /// # Errors
    /// As for [`Externals::expr`].
    fn pred(&self, session: &Session<'_>, id: ExternalId, args: &[ExprId], env: &Env) -> Result<bool>;

    /// Executes a call, which changes no variable.
    ///
    /// # Errors
    /// As for [`Externals::expr`].
    fn subst(&self, session: &Session<'_>, id: ExternalId, args: &[ExprId], env: &Env) -> Result<()>;
}

/// Compiled fragments of formulas. An answer must be the one that the interpreter would give, without warnings or errors; in doubt there is none.
pub trait Fragments: Send + Sync {
    /// Truth of a quantified predicate.
    fn pred(&self, session: &Session<'_>, id: PredId, env: &Env) -> Option<bool>;

    /// Value of an expression that binds names.
    fn expr(&self, session: &Session<'_>, id: ExprId, env: &Env) -> Option<Value>;

    /// Images of a key, which is bound in the environment, under a comprehension.
    fn images(&self, session: &Session<'_>, comprehension: ExprId, env: &Env) -> Option<Set>;

    /// Assignments of a loop with exactly one outcome.
    fn while_loop(&self, session: &Session<'_>, id: SubstId, env: &Env) -> Option<Update>;

    /// Calls `found` with initial states until it breaks; `true` if these were all, or if it broke.
    fn initialise(&self, session: &Session<'_>, constants: &State, found: &mut dyn FnMut(State) -> bool) -> bool;
}

/// Hooks of one interpreter.
#[derive(Clone)]
pub(crate) struct Hooks {
    pub(crate) finder: &'static dyn Finder,
    pub(crate) externals: Arc<dyn Externals>,
    pub(crate) fragments: Option<Arc<dyn Fragments>>,
}

impl Session<'_> {
    /// Calls `found` with every solution of a problem; see [`Finder::solve`].
    ///
    /// # Errors
    /// As for [`Finder::solve`].
    pub fn solve(&self, problem: Problem, env: &Env, found: &mut SolutionFn<'_>) -> Result<ControlFlow<()>> {
        self.solve_up_to(problem, None, env, found)
    }

    /// [`Session::solve`] with one solution per class.
    ///
    /// # Errors
    /// As for [`Finder::solve`].
    pub fn solve_up_to(
        &self,
        problem: Problem,
        classes: Option<&dyn Classes>,
        env: &Env,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        self.interp.hooks.finder.solve(self, problem, classes, env, found)
    }

    /// Compiled fragments, unless they are nested too deeply.
    pub fn fragments(&self) -> Option<&dyn Fragments> {
        self.interp.hooks.fragments.as_deref().filter(|_| self.nesting.get() < MAX_NESTING)
    }
}

/// Largest nesting depth of fragments. A fragment calls the interpreter for parts that it does not cover, and that may run fragments again.
const MAX_NESTING: u32 = 24;
