//! The machine as a whole: constants, initialisation, operations.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_model::{ConstId, Operation, OpId, PredId, Subst, SubstId, Target};

use crate::env::{Env, State};
use crate::error::{Error, ErrorKind, Result};
use crate::interp::Session;
use crate::solve::{Problem, Unknown};
use crate::subst::Update;
use crate::val::Val;

/// One step of an operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Transition {
    pub params: Vec<Val>,
    /// Empty where the operation did not assign an output.
    pub outputs: Vec<Option<Val>>,
    pub state: State,
}

type Visit<'v, T> = dyn FnMut(Result<T>) -> ControlFlow<()> + 'v;

impl Session<'_> {
    /// Calls `found` with every valuation of the constants that satisfies the properties: states without variables.
    pub fn setup_constants(&self, found: &mut Visit<'_, State>) {
        self.setup_with(&[], found);
    }

    /// The same with some constants given beforehand.
    pub fn setup_with(&self, given: &[(ConstId, Val)], found: &mut Visit<'_, State>) {
        let model = self.model();
        let is_given = |id: ConstId| given.iter().any(|(other, _)| *other == id);
        let unknowns = model.constants.ids().filter(|id| !is_given(*id)).map(Unknown::Constant).collect();
        let mut problem = Problem::of_unknowns(self, unknowns);
        for conjunct in &model.properties {
            problem.require(self, conjunct.pred);
        }
        let mut env = Env::empty();
        env.constants = Arc::new(vec![None; model.constants.len()]);
        env.scope.variables = Arc::new(vec![None; model.variables.len()]);
        for (id, val) in given {
            env = env.with_constant(*id, val.clone());
        }
        let result = self.solve(problem, &env, &mut |env| Ok(found(Ok(env.state()))));
        if let Err(error) = result {
            let _ = found(Err(error));
        }
    }

    /// Calls `found` with every distinct initial state for these constants.
    pub fn initialise(&self, constants: &State, found: &mut Visit<'_, State>) {
        let mut seen: HashSet<State> = HashSet::new();
        let env = Env::new(constants);
        let _ = self.execute(self.model().initialisation, &env, &mut |outcome| {
            let state = outcome.and_then(|update| self.initialised(&env, &update));
            match state {
                Ok(state) if !seen.insert(state.clone()) => ControlFlow::Continue(()),
                state => found(state),
            }
        });
    }

    /// All variables of the state must have a value.
    fn initialised(&self, env: &Env, update: &Update) -> Result<State> {
        let env = env.assign(update);
        for (id, variable) in self.model().state_variables() {
            if env.variable(id).is_none() {
                return Err(Error::from(ErrorKind::Unassigned(variable.name.to_string())).at(variable.origin.span));
            }
        }
        Ok(env.state())
    }

    /// Calls `found` with every distinct step of an operation from a state. An erroneous branch is an error beside the others.
    pub fn operation(&self, op: OpId, state: &State, found: &mut Visit<'_, Transition>) {
        let operation = &self.model().operations[op];
        let mut seen: HashSet<Transition> = HashSet::new();
        let mut visit = |transition: Result<Transition>| match transition {
            Ok(transition) if !seen.insert(transition.clone()) => ControlFlow::Continue(()),
            transition => found(transition),
        };
        let env = Env::new(state);
        for Case { guards, excluded, body } in self.cases(operation.body) {
            let outcome = self.run_case(operation, &guards, &excluded, body, &env, &mut visit);
            match outcome {
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
        guards: &[PredId],
        excluded: &[PredId],
        body: SubstId,
        env: &Env,
        visit: &mut Visit<'_, Transition>,
    ) -> Result<ControlFlow<()>> {
        if operation.params.is_empty() {
            for (guards, expected) in [(guards, true), (excluded, false)] {
                for guard in guards {
                    if self.guard(*guard, env)? != expected {
                        return Ok(ControlFlow::Continue(()));
                    }
                }
            }
            return Ok(self.run_body(operation, body, env, visit));
        }
        let unknowns = operation.params.iter().map(|param| Unknown::Local(*param)).collect();
        let mut problem = Problem::of_unknowns(self, unknowns);
        for guard in guards {
            problem.require(self, *guard);
        }
        for guard in excluded {
            problem.exclude(self, *guard);
        }
        self.solve(problem, env, &mut |env| Ok(self.run_body(operation, body, env, visit)))
    }

    fn run_body(&self, operation: &Operation, body: SubstId, env: &Env, visit: &mut Visit<'_, Transition>) -> ControlFlow<()> {
        let env = env.declare(&operation.outputs);
        self.execute(body, &env, &mut |outcome| {
            visit(outcome.and_then(|update| {
                let params: Result<Vec<Val>> = operation.params.iter().map(|param| self.local(*param, &env)).collect();
                let outputs = operation.outputs.iter().map(|output| update.get(&Target::Local(*output)).cloned().flatten());
                let outputs = outputs.collect();
                let variables = update.iter().filter(|(target, _)| matches!(target, Target::Variable(_)));
                Ok(Transition { params: params?, outputs, state: env.assign(variables).state() })
            }))
        })
    }

    /// The guards of an operation: its outermost PRE, and SELECTs directly inside it. A SELECT with several branches gives several cases.
    fn cases(&self, body: SubstId) -> Vec<Case> {
        let mut case = Case { guards: Vec::new(), excluded: Vec::new(), body };
        if let Subst::Pre { pred, body } = self.model().subst(body) {
            case.guards.push(*pred);
            case.body = *body;
        }
        let mut open = vec![case];
        let mut done = Vec::new();
        while let Some(case) = open.pop() {
            let Subst::Select { branches, otherwise } = self.model().subst(case.body) else {
                done.push(case);
                continue;
            };
            let all: Vec<PredId> = branches.iter().map(|(guard, _)| *guard).collect();
            if let Some(body) = otherwise {
                open.push(Case { excluded: [&case.excluded[..], &all].concat(), body: *body, ..case.clone() });
            }
            for (guard, body) in branches.iter().rev() {
                open.push(Case { guards: [&case.guards[..], &[*guard]].concat(), body: *body, ..case.clone() });
            }
        }
        done
    }

    /// Whether the invariant holds, conjunct by conjunct; those that only glue to an abstraction are left out.
    pub fn invariant(&self, state: &State) -> Vec<(usize, Result<bool>)> {
        let env = Env::new(state);
        let conjuncts = self.model().invariant.iter().enumerate().filter(|(_, conjunct)| !conjunct.is_gluing);
        conjuncts.map(|(idx, conjunct)| (idx, self.pred(conjunct.pred, &env))).collect()
    }
}

/// A part of an operation with what must and must not hold for it.
#[derive(Clone)]
struct Case {
    guards: Vec<PredId>,
    excluded: Vec<PredId>,
    body: SubstId,
}
