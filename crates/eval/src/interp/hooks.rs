//! Hooks: what the interpreter asks others to do, behind traits chosen when it is made.
//!
//! B needs three things that this crate leaves open. A [`Finder`] lists the solutions of problems, [`Externals`] are functions defined outside of B,
//! and [`Fragments`] may answer for parts of formulas faster than the interpreter does. Only the first two have a part in the meaning of B, and their
//! contracts say which; an interpreter without fragments gives the same answers and is the judge of those that have them.

use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_model::{ExprId, ExternalId, PredId, SubstId};
use abridge_value::{Set, Value};

use super::{Problem, Session};
use crate::domain::{Env, Result, State, Update, Val};

/// Receives solutions; it breaks when it has seen enough.
pub type Found<'f> = dyn FnMut(&Env) -> Result<ControlFlow<()>> + 'f;

/// Lists the solutions of problems.
pub trait Finder: Send + Sync {
    /// Calls `found` with every valuation of the unknowns for which all constraints hold, each once, until it breaks; with `classes`, with one
    /// valuation of each class.
    ///
    /// # Errors
    /// If no finite set of candidates is found for an unknown, and the problem does not allow a cut. A condition that is ill-defined for some values
    /// makes them no solution, if so configured; otherwise, and for strict constraints, it is an error that is reported after the other solutions.
    fn solve(
        &self,
        session: &Session<'_>,
        problem: Problem,
        classes: Option<&dyn Classes>,
        env: &Env,
        found: &mut Found<'_>,
    ) -> Result<ControlFlow<()>>;
}

/// Classes of tuples of values that differ only in the names of interchangeable elements.
pub trait Classes: Send + Sync {
    /// The canonical form: the same for all tuples of a class, and different for tuples of different classes.
    fn form(&self, vals: &[Val]) -> Vec<Val>;

    /// The number of tuples in the class of this one.
    fn size(&self, vals: &[Val]) -> u64;
}

/// Functions, predicates and substitutions that are defined outside of B.
pub trait Externals: Send + Sync {
    /// The value of a call.
    ///
    /// # Errors
    /// If an argument cannot be evaluated or is not accepted, or if the external is not covered.
    fn expr(&self, session: &Session<'_>, id: ExternalId, args: &[ExprId], node: ExprId, env: &Env) -> Result<Val>;

    /// The truth of a call.
    ///
    /// # Errors
    /// As for [`Externals::expr`].
    fn pred(&self, session: &Session<'_>, id: ExternalId, args: &[ExprId], env: &Env) -> Result<bool>;

    /// Performs a call, which changes no variable.
    ///
    /// # Errors
    /// As for [`Externals::expr`].
    fn subst(&self, session: &Session<'_>, id: ExternalId, args: &[ExprId], env: &Env) -> Result<()>;
}

/// Compiled parts of formulas. An answer must be the one that the interpreter would give, warnings and errors included; where that is not certain, there is
/// none.
pub trait Fragments: Send + Sync {
    /// The truth of a quantified predicate.
    fn pred(&self, session: &Session<'_>, id: PredId, env: &Env) -> Option<bool>;

    /// The value of an expression that binds names.
    fn expr(&self, session: &Session<'_>, id: ExprId, env: &Env) -> Option<Value>;

    /// The images of a key under a comprehension; the key is bound in the environment.
    fn images(&self, session: &Session<'_>, comprehension: ExprId, env: &Env) -> Option<Set>;

    /// The assignments of a loop that has exactly one outcome.
    fn while_loop(&self, session: &Session<'_>, id: SubstId, env: &Env) -> Option<Update>;

    /// Calls `found` with initial states until it breaks. True if these were all, or if it broke.
    fn initialise(&self, session: &Session<'_>, constants: &State, found: &mut dyn FnMut(State) -> bool) -> bool;
}

/// The hooks of one interpreter.
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
    pub fn solve(&self, problem: Problem, env: &Env, found: &mut Found<'_>) -> Result<ControlFlow<()>> {
        self.solve_up_to(problem, None, env, found)
    }

    /// The same with one solution of each class.
    ///
    /// # Errors
    /// As for [`Finder::solve`].
    pub fn solve_up_to(
        &self,
        problem: Problem,
        classes: Option<&dyn Classes>,
        env: &Env,
        found: &mut Found<'_>,
    ) -> Result<ControlFlow<()>> {
        self.interp.hooks.finder.solve(self, problem, classes, env, found)
    }

    /// The compiled parts, unless too many calls of them are under way inside each other.
    pub fn fragments(&self) -> Option<&dyn Fragments> {
        self.interp.hooks.fragments.as_deref().filter(|_| self.nesting.get() < MAX_NESTING)
    }
}

/// Compiled parts call the interpreter for what they do not cover, and that may try compiled parts again, so often.
const MAX_NESTING: u32 = 24;
