//! Choices of substitutions, one representative per orbit.
//!
//! Parameters of operations, ANY and other choices try one candidate per orbit of the stabiliser of the state. The steps of the other candidates are
//! symmetric to its steps. Parameters are counted by the size of their orbit under the stabiliser of the state, outcomes by the size of theirs
//! under the stabiliser of state and parameters. Different choices may lead to the same outcome, so outcomes are compared by canonical form.

use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_diag::AsideSet;
use abridge_eval::{State, SymbolicSet, Val};
use abridge_model::ids::Id as _;
use abridge_model::{BinaryOp, LocalId, OpId, UnaryOp};
use abridge_value::{Set, Value};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::search::MAX_TRIED_VALUES;
use super::{Fast, Runtime, Stop, is_unset, unset};
use crate::code::{CandidateSource, Code, CompiledCase, Exec, Plan, PlanStep, ValuePattern};
use crate::program::CompiledOperation;
use crate::symmetry::{OrbitChoice, Stabiliser};

/// Callback for a solution, with the stabiliser that remains.
type OrbitSolutionFn<'s, 'r> = dyn FnMut(&mut Runtime<'r>, &Stabiliser) -> Fast<()> + 's;

/// Callback for an outcome, with the size of its orbit and its canonical form.
type OrbitOutcomeFn<'s, 'r> = dyn FnMut(&mut Runtime<'r>, u64, Vec<Val>) -> Fast<()> + 's;

/// Representative parameters, and the size of their orbit.
type Params = (Vec<Value>, u64);

/// Largest number of initial states collected before the search sees them. Beyond it, states are passed on one by one without regard to orbits, since
/// a search that sees them can end early.
const MAX_COLLECTED_STATES: usize = 1 << 16;

impl<'r> Runtime<'r> {
    /// Calls `found` with steps of an operation from the state in the slots, one per orbit: the number of distinct steps in the orbit, and the new
    /// values of the variables that it may write.
    pub fn operation_by_orbit(
        &mut self,
        op: OpId,
        group: &Stabiliser,
        choosing: &OrbitChoice,
        found: &mut dyn FnMut(u64, &[Val]),
    ) -> Fast<()> {
        let program = self.program;
        let Some(operation) = &program.operations[op.index()] else { return Err(Stop::Escape) };
        self.begin();
        for output in &operation.outputs {
            self.slots[*output] = unset();
        }
        let (among_params, among_outcomes) = (choosing.params.movable(group), choosing.outcome.movable(group));
        let has_choice = operation.cases.iter().any(|case| !case.is_deterministic);
        let pays = |is_meant: bool, group: &Stabiliser| is_meant && group.largest() >= choosing.min_cell_size;
        if !pays(!operation.params().is_empty(), &among_params) && !pays(has_choice, &among_outcomes) {
            return Err(Stop::Escape);
        }
        let results = [&operation.outputs[..], &operation.writes].concat();
        let mut seen: AsideSet<(Vec<Value>, Vec<Val>), FxBuildHasher> = AsideSet::default();
        for case in &operation.cases {
            for (params, n_params) in self.params_by_orbit(operation, case, &among_params)? {
                let left = if case.is_deterministic { Stabiliser::default() } else { among_outcomes.refined(&params) };
                let slots = operation.params().iter().copied();
                let vals = params.iter().cloned().map(Val::Value);
                let saved = slots.zip(vals).map(|(slot, val)| (slot, std::mem::replace(&mut self.slots[slot], val)));
                let saved = saved.collect();
                let answer = self.exec_by_orbit(&case.body, &left, &results, &mut |runtime, n_outcomes, canonical| {
                    if seen.insert((params.clone(), canonical)) {
                        found(n_params.saturating_mul(n_outcomes), &runtime.values(&operation.writes));
                    }
                    Ok(())
                });
                self.restore(saved);
                answer?;
            }
        }
        self.end(Ok(()))
    }

    /// Values of the locals in a step of an operation from the state in the slots that writes the given values; `None` if there is no such step.
    /// One choice per orbit is tried.
    pub fn choices_for(&mut self, op: OpId, group: &Stabiliser, written: &[Val]) -> Fast<Option<Vec<(LocalId, Val)>>> {
        let program = self.program;
        let Some(operation) = &program.operations[op.index()] else { return Err(Stop::Escape) };
        self.begin();
        let mut chosen = None;
        for case in &operation.cases {
            let answer = self.choose(&case.plan.steps, group, false, &mut |runtime, left| {
                runtime.with_choices(left, &mut |runtime| {
                    runtime.exec(&case.body, &mut |runtime| {
                        if runtime.values(&operation.writes) != written {
                            return Ok(());
                        }
                        chosen = Some(runtime.locals());
                        Err(Stop::Escape)
                    })
                })
            });
            if chosen.is_some() {
                return Ok(chosen);
            }
            answer?;
        }
        Ok(None)
    }

    /// All locals with a value.
    fn locals(&self) -> Vec<(LocalId, Val)> {
        let ids = self.session.model().locals.ids();
        let local = |id| (id, self.slots[self.program.layout.local(id)].clone());
        ids.map(local).filter(|(_, val)| !is_unset(val)).collect()
    }

    /// Parameters that a case of the operation allows, one per orbit.
    fn params_by_orbit(
        &mut self,
        operation: &CompiledOperation,
        case: &CompiledCase,
        group: &Stabiliser,
    ) -> Fast<Vec<Params>> {
        let mut numbers: FxHashMap<Vec<Value>, u64> = FxHashMap::default();
        let mut rows: Vec<Params> = Vec::new();
        self.choose(&case.plan.steps, group, false, &mut |runtime, _| {
            let mut params: Vec<Value> = runtime.concrete_values(operation.params())?;
            let number = group.canonise(&mut params).ok_or(Stop::Escape)?;
            if numbers.insert(params.clone(), number).is_none() {
                rows.push((params, number));
            }
            Ok(())
        })?;
        Ok(rows)
    }

    /// Calls `found` in outcomes of a substitution, at least one per orbit, with the size of the orbit and the canonical form of the values in
    /// `slots`. Canonical forms may repeat.
    fn exec_by_orbit(
        &mut self,
        exec: &Exec,
        group: &Stabiliser,
        slots: &[usize],
        found: &mut OrbitOutcomeFn<'_, 'r>,
    ) -> Fast<()> {
        let before = self.choices.replace(Arc::new(group.clone()));
        let answer = self.exec(exec, &mut |runtime| {
            let (number, canonical) = canonical(group, runtime.values(slots))?;
            found(runtime, number, canonical)
        });
        self.choices = before;
        answer
    }

    /// Initial states, one per orbit, with the size of the orbit.
    pub(crate) fn initial_states_by_orbit(
        &mut self,
        exec: &Exec,
        constants: &State,
        group: &Stabiliser,
    ) -> Fast<Vec<(State, u64)>> {
        let layout = self.program.layout;
        let variables: Vec<usize> = self.session.model().state_variables().map(|(id, _)| layout.variable(id)).collect();
        let mut seen: AsideSet<Vec<Val>, FxBuildHasher> = AsideSet::default();
        let mut states = Vec::new();
        self.exec_by_orbit(exec, group, &variables, &mut |runtime, number, canonical| {
            let state = runtime.initial_state(constants)?;
            runtime.tick()?;
            if seen.insert(canonical) {
                states.push((state, number));
            }
            if states.len() > MAX_COLLECTED_STATES { Err(Stop::Escape) } else { Ok(()) }
        })?;
        Ok(states)
    }

    /// Calls `found` in every solution of a plan, or in one per orbit if choices are made by orbit.
    pub(crate) fn every_choice(
        &mut self,
        plan: &Plan,
        found: &mut dyn FnMut(&mut Runtime<'r>) -> Fast<()>,
    ) -> Fast<()> {
        match self.choices.clone().filter(|group| !group.is_empty()) {
            Some(group) => {
                self.choose(&plan.steps, &group, false, &mut |runtime, left| runtime.with_choices(left, found))
            }
            None => self.every(plan, found),
        }
    }

    /// Calls `found` for every element of a set, or for one per orbit if choices are made by orbit.
    pub(crate) fn every_element(
        &mut self,
        source: &CandidateSource,
        found: &mut dyn FnMut(&mut Runtime<'r>, Value) -> Fast<()>,
    ) -> Fast<()> {
        let Some(group) = self.choices.clone().filter(|group| !group.is_empty()) else {
            return self.elements(source)?.iter().try_for_each(|element| found(self, element));
        };
        for element in self.candidates(source, &group)? {
            let left = group.refined([&element]);
            self.with_choices(&left, &mut |runtime| found(runtime, element.clone()))?;
        }
        Ok(())
    }

    fn with_choices(&mut self, group: &Stabiliser, then: &mut dyn FnMut(&mut Runtime<'r>) -> Fast<()>) -> Fast<()> {
        let outer = self.choices.replace(Arc::new(group.clone()));
        let answer = then(self);
        self.choices = outer;
        answer
    }

    /// [`Runtime::run`] for one solution per orbit.
    fn choose(
        &mut self,
        steps: &[PlanStep],
        group: &Stabiliser,
        is_doubtful: bool,
        found: &mut OrbitSolutionFn<'_, 'r>,
    ) -> Fast<()> {
        if group.is_empty() || steps.is_empty() {
            let mut found = |runtime: &mut Runtime<'r>| found(runtime, group).map(ControlFlow::Continue);
            return self.run(steps, is_doubtful, &mut found).map(drop);
        }
        let (step, rest) = (&steps[0], &steps[1..]);
        self.tick()?;
        match step {
            PlanStep::Test { test, is_searched } => match self.test(test) {
                Ok(true) => self.choose(rest, group, is_doubtful, found),
                Ok(false) => Ok(()),
                Err(Stop::IllDefined) if *is_searched && self.is_lenient() => Ok(()),
                Err(Stop::IllDefined) if !is_searched => self.choose(rest, group, true, found),
                Err(stop) => Err(stop),
            },
            PlanStep::Each { pattern: ValuePattern::Bind(slot), source, .. } => {
                let candidates = match self.candidates(source, group) {
                    Err(Stop::IllDefined) if self.is_lenient() => return Ok(()),
                    candidates => candidates?,
                };
                for candidate in candidates {
                    let left = group.refined([&candidate]);
                    let saved = std::mem::replace(&mut self.slots[*slot], candidate.into());
                    let answer = self.choose(rest, &left, is_doubtful, found);
                    self.slots[*slot] = saved;
                    answer?;
                }
                Ok(())
            }
            PlanStep::Rows(plan) | PlanStep::Prefixes { plan, .. } => {
                self.choose(&plan.steps, group, false, &mut |runtime, left| {
                    runtime.choose(rest, left, is_doubtful, found)
                })
            }
            PlanStep::Join { plan, key, value } => self.choose(&plan.steps, group, false, &mut |runtime, left| {
                if runtime.joins(key, value)? { runtime.choose(rest, left, is_doubtful, found) } else { Ok(()) }
            }),
            // The plan without the lookup tries one candidate per orbit, which is fewer than all arguments that the lookup finds.
            PlanStep::Lookup(keys) => self.choose(&keys.otherwise, group, is_doubtful, &mut |runtime, left| {
                runtime.choose(rest, left, is_doubtful, found)
            }),
            _ => self.choose_after(step, rest, group, is_doubtful, found),
        }
    }

    /// Runs a step that tries all solutions. The values that it binds refine the stabiliser.
    fn choose_after(
        &mut self,
        step: &PlanStep,
        rest: &[PlanStep],
        group: &Stabiliser,
        is_doubtful: bool,
        found: &mut OrbitSolutionFn<'_, 'r>,
    ) -> Fast<()> {
        let mut slots = Vec::new();
        step.binds(&mut slots);
        let flow = self.run(std::slice::from_ref(step), false, &mut |runtime| {
            let bound = runtime.concrete_values(&slots)?;
            let left = group.refined(&bound);
            runtime.choose(rest, &left, is_doubtful, found).map(ControlFlow::Continue)
        });
        flow.map(drop)
    }

    /// Candidates for a choice, at least one per orbit.
    fn candidates(&mut self, source: &CandidateSource, group: &Stabiliser) -> Fast<Vec<Value>> {
        let set = match source {
            // The cached value may be a long list; the symbolic form gives representatives directly.
            CandidateSource::Code(Code::Cell(_, expr)) => self.session.expr(*expr, &self.env(&Default::default()))?,
            CandidateSource::Code(code) | CandidateSource::Bounded(code) => self.code(code)?.into(),
            CandidateSource::Subsets(code) => SymbolicSet::unary(UnaryOp::Pow, self.code(code)?.into()),
            CandidateSource::Type(ty) => self.session.type_set(*ty),
            CandidateSource::Interpret(expr, names) => self.session.expr(*expr, &self.env(names))?,
        };
        if let Some(candidates) = candidates_of(&set, group) {
            return Ok(candidates);
        }
        let env = self.env(&Default::default());
        Ok(group.members(&self.listed(&set, &env)?))
    }

    /// Whether the key of a solution equals a value.
    fn joins(&mut self, key: &Code, value: &Code) -> Fast<bool> {
        match (self.code(key), self.code(value)) {
            (Ok(key), Ok(value)) => Ok(key == value),
            (Err(Stop::IllDefined), _) | (_, Err(Stop::IllDefined)) if self.is_lenient() => Ok(false),
            (Err(stop), _) | (_, Err(stop)) => Err(stop),
        }
    }

    /// Values of slots; empty slots are skipped.
    pub(crate) fn concrete_values(&self, slots: &[usize]) -> Fast<Vec<Value>> {
        let vals = slots.iter().map(|slot| &self.slots[*slot]).filter(|val| !is_unset(val));
        vals.map(|val| val.as_value().cloned().ok_or(Stop::Escape)).collect()
    }
}

/// Candidates from a set, one per orbit, by its value or its symbolic form.
fn candidates_of(set: &Val, group: &Stabiliser) -> Option<Vec<Value>> {
    let whole = |val: &Val| -> Option<Set> { val.as_set().cloned() };
    if let Val::Value(Value::Set(set)) = set {
        return Some(group.members(set));
    }
    match set.as_sym()? {
        SymbolicSet::Unary(UnaryOp::Pow | UnaryOp::Fin, of) => group.subsets(&whole(of)?, MAX_TRIED_VALUES),
        SymbolicSet::Unary(UnaryOp::Pow1 | UnaryOp::Fin1, of) => {
            let mut subsets = group.subsets(&whole(of)?, MAX_TRIED_VALUES)?;
            subsets.retain(|subset| subset.as_set().is_some_and(|subset| !subset.is_empty()));
            Some(subsets)
        }
        SymbolicSet::Unary(UnaryOp::Iseq, of) => group.sequences(&whole(of)?, 0, MAX_TRIED_VALUES),
        SymbolicSet::Unary(UnaryOp::Iseq1, of) => group.sequences(&whole(of)?, 1, MAX_TRIED_VALUES),
        SymbolicSet::Unary(UnaryOp::Perm, of) => group.sequences(&whole(of)?, whole(of)?.len(), MAX_TRIED_VALUES),
        SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, to) => {
            group.arrows(*arrow, &whole(from)?, &whole(to)?, MAX_TRIED_VALUES)
        }
        _ => None,
    }
}

/// Size of the orbit of a tuple of values, and its canonical form.
fn canonical(group: &Stabiliser, vals: Vec<Val>) -> Fast<(u64, Vec<Val>)> {
    if group.is_empty() {
        return Ok((1, vals));
    }
    let values = vals.iter().map(|val| val.as_value().cloned().ok_or(Stop::Escape));
    let mut values: Vec<Value> = values.collect::<Fast<_>>()?;
    let number = group.canonise(&mut values).ok_or(Stop::Escape)?;
    Ok((number, values.into_iter().map(Val::Value).collect()))
}
