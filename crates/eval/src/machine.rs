//! Machines: valuations of constants, initial states, steps of operations, the invariant.
//!
//! The guards of an operation are taken from its body: its outermost PRE, then every SELECT. They restrict when it can happen. A PRE further inside
//! is an obligation (`subst.rs`).

use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_diag::drop_aside;
use abridge_model::{Binding, ConstId, LocalId, OpId, Operation, PredId, Subst, SubstId, Target};
use rustc_hash::FxHashSet;

use crate::domain::{Env, Error, ErrorKind, Result, State, Update, Val};
use crate::interp::{Classes, Problem, Session, Unknown};

/// Step of an operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Transition {
    pub params: Vec<Val>,
    /// `None` for an output that the operation did not assign.
    pub outputs: Vec<Option<Val>>,
    pub state: State,
}

type TransitionFn<'v, T> = dyn FnMut(Result<T>) -> ControlFlow<()> + 'v;

impl Session<'_> {
    /// Calls `found` with every valuation of the constants that satisfies the properties: states without variables.
    pub fn setup_constants(&self, found: &mut TransitionFn<'_, State>) {
        self.setup_with(&[], None, found);
    }

    /// [`Session::setup_constants`] with some constants given, and one valuation per class.
    pub fn setup_with(
        &self,
        given: &[(ConstId, Val)],
        classes: Option<&dyn Classes>,
        found: &mut TransitionFn<'_, State>,
    ) {
        let model = self.model();
        let is_given = |id: ConstId| given.iter().any(|(other, _)| *other == id);
        let unknowns = model.constants.ids().filter(|id| !is_given(*id)).map(Unknown::Constant).collect();
        let mut problem = Problem::of_unknowns(self, unknowns);
        problem.closed_is_strict = true;
        problem.samples_strings = true;
        for conjunct in &model.properties {
            problem.require(self, conjunct.pred);
        }
        let mut env = Env::empty();
        env.constants = Arc::new(vec![None; model.constants.len()]);
        env.scope.variables = Arc::new(vec![None; model.variables.len()]);
        for (id, val) in given {
            env = env.with_constant(*id, val.clone());
        }
        let result = self.solve_up_to(problem, classes, &env, &mut |env| Ok(found(Ok(env.state()))));
        if let Err(error) = result {
            let _ = found(Err(error));
        }
    }

    /// Calls `found` with every distinct initial state for these constants.
    pub fn initialise(&self, constants: &State, found: &mut TransitionFn<'_, State>) {
        let mut seen: FxHashSet<State> = FxHashSet::default();
        self.initialise_repeatedly(constants, &mut |state| match state {
            Ok(state) if !seen.insert(state.clone()) => ControlFlow::Continue(()),
            state => found(state),
        });
        drop_aside(seen);
    }

    /// The same for callers that recognise states themselves: an initial state may be told several times. A set of very many states takes room.
    pub fn initialise_repeatedly(&self, constants: &State, found: &mut TransitionFn<'_, State>) {
        let is_done = self
            .fragments()
            .is_some_and(|fragments| fragments.initialise(self, constants, &mut |state| found(Ok(state)).is_break()));
        if is_done {
            return;
        }
        let env = Env::new(constants);
        let _ = self.execute(self.model().initialisation, &env, &mut |outcome| {
            found(outcome.and_then(|update| self.initialised(&env, &update)))
        });
    }

    /// State after an initialisation, which must give every variable a value.
    fn initialised(&self, env: &Env, update: &Update) -> Result<State> {
        let env = env.assign(update.iter());
        for (id, variable) in self.model().state_variables() {
            if env.variable(id).is_none() {
                return Err(Error::from(ErrorKind::Unassigned(variable.name.to_string())).at(variable.origin.span));
            }
        }
        Ok(env.state())
    }

    /// Calls `found` with every distinct step of an operation from a state, and with the error of each branch that fails.
    pub fn operation(&self, op: OpId, state: &State, found: &mut TransitionFn<'_, Transition>) {
        let mut seen: FxHashSet<Transition> = FxHashSet::default();
        self.distinct_outcomes(op, state, &mut seen, found);
        drop_aside(seen);
    }

    fn distinct_outcomes(
        &self,
        op: OpId,
        state: &State,
        seen: &mut FxHashSet<Transition>,
        found: &mut TransitionFn<'_, Transition>,
    ) {
        let operation = &self.model().operations[op];
        let mut visit = |transition: Result<Transition>| match transition {
            Ok(transition) if !seen.insert(transition.clone()) => ControlFlow::Continue(()),
            Ok(transition) => match self.count_outcome() {
                Ok(()) => found(Ok(transition)),
                Err(error) => {
                    let _ = found(Err(error));
                    ControlFlow::Break(())
                }
            },
            failed => found(failed),
        };
        let env = Env::new(state);
        for case in self.cases(operation) {
            match self.run_case(operation, &case, &env, &mut visit) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return,
                Err(error) => {
                    if visit(Err(error)).is_break() {
                        return;
                    }
                }
            }
        }
    }

    fn run_case(
        &self,
        operation: &Operation,
        case: &Case,
        env: &Env,
        visit: &mut TransitionFn<'_, Transition>,
    ) -> Result<ControlFlow<()>> {
        if operation.params.is_empty() && case.binder.is_empty() {
            let holds = self.guards_hold(&case.guards, env)?;
            return Ok(if holds { self.run_body(operation, case, env, visit) } else { ControlFlow::Continue(()) });
        }
        let unknowns = operation.params.iter().chain(&case.binder).map(|local| Unknown::Local(*local)).collect();
        let mut problem = Problem::of_unknowns(self, unknowns);
        problem.closed_is_strict = !self.config().ill_defined_guard_is_false;
        problem.samples_strings = true;
        for (guard, expected) in &case.guards {
            if *expected {
                problem.require(self, *guard);
            } else {
                problem.exclude(self, *guard);
            }
        }
        for binding in &case.bindings {
            problem.define(self, *binding);
        }
        for hint in &case.hints {
            problem.require(self, *hint);
        }
        self.solve(problem, env, &mut |env| Ok(self.run_body(operation, case, env, visit)))
    }

    fn guards_hold(&self, guards: &[(PredId, bool)], env: &Env) -> Result<bool> {
        self.all_hold(guards, |(guard, expected)| Ok(self.guard(*guard, env)? == *expected))
    }

    fn run_body(
        &self,
        operation: &Operation,
        case: &Case,
        env: &Env,
        visit: &mut TransitionFn<'_, Transition>,
    ) -> ControlFlow<()> {
        let params: Result<Vec<Val>> = operation.params.iter().map(|local| self.local(*local, env)).collect();
        let params = match params {
            Ok(params) => params,
            Err(error) => return visit(Err(error)),
        };
        let env = env.declare(&operation.outputs);
        self.execute(case.body, &env, &mut |outcome| {
            visit(outcome.map(|update| {
                let outputs =
                    operation.outputs.iter().map(|output| update.get(Target::Local(*output)).cloned().flatten());
                let outputs = outputs.collect();
                let variables = update.iter().filter(|(target, _)| matches!(target, Target::Variable(_)));
                Transition { params: params.clone(), outputs, state: env.assign(variables).state() }
            }))
        })
    }

    /// Splits an operation into cases with guards: its outermost PRE, then every SELECT, and with parameters also LET and ANY, which may contain
    /// the only conditions on them. A SELECT with several branches gives several cases.
    fn cases(&self, operation: &Operation) -> Vec<Case> {
        let model = self.model();
        let mut case = Case::new(operation.body);
        if let Subst::Pre { pred, body } = model.subst(operation.body) {
            // Conjuncts about outputs are typing only.
            let conjuncts = self.interp.conjuncts(*pred);
            let is_typing = |pred: PredId| {
                let names = self.interp.names_of_pred(pred);
                operation.outputs.iter().any(|output| names.locals.contains(output))
            };
            case.guards.extend(conjuncts.iter().filter(|pred| !is_typing(**pred)).map(|pred| (*pred, true)));
            case.body = *body;
        }
        let is_searched = !operation.params.is_empty();
        let mut open = vec![case];
        let mut done = Vec::new();
        while let Some(mut case) = open.pop() {
            match model.subst(case.body) {
                Subst::Select { branches, otherwise } => {
                    if let Some(body) = otherwise {
                        let excluded = branches.iter().map(|(guard, _)| (*guard, false)).collect();
                        open.push(case.inner(excluded, *body));
                    }
                    for (guard, body) in branches.iter().rev() {
                        open.push(case.inner(vec![(*guard, true)], *body));
                    }
                }
                Subst::Any { binder, pred, body } if is_searched => {
                    let mut inner = case.inner(vec![(*pred, true)], *body);
                    inner.binder.extend(binder);
                    open.push(inner);
                }
                Subst::Let { bindings, body } if is_searched => {
                    let mut inner = case.inner(Vec::new(), *body);
                    inner.bindings.extend(bindings);
                    open.push(inner);
                }
                _ => {
                    self.add_hints(case.body, &mut case.hints);
                    done.push(case);
                }
            }
        }
        done
    }

    /// Collects necessary conditions for an outcome of a substitution, which help to find parameters.
    fn add_hints(&self, id: SubstId, hints: &mut Vec<PredId>) {
        match self.model().subst(id) {
            Subst::Select { branches, otherwise: None } => {
                if let [(guard, body)] = &branches[..] {
                    hints.push(*guard);
                    self.add_hints(*body, hints);
                }
            }
            Subst::Parallel(parts) => parts.iter().for_each(|part| self.add_hints(*part, hints)),
            Subst::Sequence(parts) => parts.first().into_iter().for_each(|part| self.add_hints(*part, hints)),
            _ => {}
        }
    }

    /// Truth of the conjuncts of the invariant, without gluing conjuncts.
    pub fn invariant(&self, state: &State) -> Vec<(usize, Result<bool>)> {
        let env = Env::new(state);
        let conjuncts = self.model().invariant.iter().enumerate().filter(|(_, conjunct)| !conjunct.is_gluing);
        conjuncts.map(|(idx, conjunct)| (idx, self.pred(conjunct.pred, &env))).collect()
    }
}

/// Case of an operation: unknowns and guards, then a body.
#[derive(Clone)]
struct Case {
    /// Predicates, and whether they must hold or must not.
    guards: Vec<(PredId, bool)>,
    /// Locals of removed ANYs.
    binder: Vec<LocalId>,
    /// Bindings of removed LETs.
    bindings: Vec<Binding>,
    hints: Vec<PredId>,
    body: SubstId,
}

impl Case {
    fn new(body: SubstId) -> Case {
        Case { guards: Vec::new(), binder: Vec::new(), bindings: Vec::new(), hints: Vec::new(), body }
    }

    fn inner(&self, guards: Vec<(PredId, bool)>, body: SubstId) -> Case {
        Case { guards: [&self.guards[..], &guards].concat(), body, ..self.clone() }
    }
}
