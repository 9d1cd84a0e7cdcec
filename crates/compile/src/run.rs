//! Evaluation of compiled forms.
//!
//! A [`Runtime`] has a slot for every name of the model, and the caches of one thread. `formula.rs` and `test.rs` evaluate, `search.rs` finds the
//! solutions of plans, `exec.rs` runs substitutions. An evaluation that is not covered ends in a [`Stop`], and the caller asks the plain interpreter.

mod elements;
mod exec;
mod formula;
mod in_place;
mod inverse;
mod memory;
mod operators;
mod orbits;
mod prefixes;
mod representatives;
mod rows;
mod search;
mod split;
mod staged;
mod test;

use std::sync::Arc;

use abridge_diag::AsideSet;
use abridge_eval::{Env, Error, FreeNames, Interp, STEPS_PER_STOP_CHECK, Session, Slots, State, Val};
use abridge_model::ids::Id as _;
use abridge_model::{LocalId, OpId, VarId};
use abridge_value::Value;
use rustc_hash::{FxBuildHasher, FxHashMap};

pub(crate) use memory::RuntimeMemory;
use orbits::OrbitMemory;
use rows::Rows;

use crate::code::CompiledCase;
use crate::program::{CompiledOperation, Program, SlotLayout};
use crate::symmetry::{Interchangeable, Stabiliser};

/// Reason why the compiled form gives no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// An operand is outside the domain of its operator.
    IllDefined,
    /// The evaluation is not covered.
    Escape,
}

pub type Fast<T> = std::result::Result<T, Stop>;

/// Steps of evaluation after which the plain interpreter, which has a budget of its own, takes over.
pub(crate) const FUEL: u64 = 1 << 34;

/// Step of an operation.
pub struct StepWrites<'w> {
    /// New values of the variables that the operation may write.
    pub written: &'w [Val],
}

/// Values of locals in a step.
pub struct StepLocals<'r> {
    pub(crate) slots: &'r [Val],
    layout: SlotLayout,
}

impl StepLocals<'_> {
    /// Value of a parameter, or of a local of an ANY around the step.
    pub fn local(&self, id: LocalId) -> &Val {
        &self.slots[self.layout.local(id)]
    }

    /// Value of an output; `None` if the step does not assign it.
    pub fn output(&self, id: LocalId) -> Option<&Val> {
        Some(self.local(id)).filter(|val| !is_unset(val))
    }
}

/// Slots and caches of one thread.
pub struct Runtime<'p> {
    pub(crate) program: &'p Program,
    pub(crate) session: Session<'p>,
    pub(crate) slots: Vec<Val>,
    /// Buffer for the values that a step writes.
    written: Vec<Val>,
    pub(crate) constants: Arc<Slots>,
    /// Values of expressions over constants only.
    pub(crate) cells: Vec<Option<Val>>,
    /// Values of expressions over constants and one element only.
    pub(crate) per_element: Vec<elements::Values>,
    /// Solutions that depend on constants only.
    pub(crate) tables: Vec<Rows>,
    /// Cached applications of symbolic functions.
    pub(crate) applied: Applied,
    pub(crate) fuel: u64,
    /// Ill-defined conditions do not count as false, since it is not known where the answer will be used.
    pub(crate) is_strict: bool,
    /// Some slot holds only a prefix of a function.
    pub(crate) is_partial: bool,
    /// Orbits of interchangeable elements, if there are any.
    pub(crate) orbits: Option<OrbitMemory>,
    /// Stabiliser for choices of substitutions, if one per orbit is enough.
    pub(crate) choices: Option<Arc<Stabiliser>>,
}

/// Values of functions at arguments, for the current constants.
pub(crate) type Applied = FxHashMap<(Val, Value), Value>;

/// Marker of a slot without a value.
pub fn unset() -> Val {
    Val::Record(u32::MAX, Arc::default())
}

#[inline]
pub(crate) fn is_unset(val: &Val) -> bool {
    matches!(val, Val::Record(u32::MAX, _))
}

impl<'p> Runtime<'p> {
    pub fn new(program: &'p Program, interp: &'p Interp<'p>) -> Runtime<'p> {
        Runtime {
            program,
            session: interp.session(),
            slots: vec![unset(); program.layout.n_slots],
            written: Vec::new(),
            constants: Arc::default(),
            cells: vec![None; program.n_cells],
            per_element: Vec::new(),
            tables: Vec::new(),
            applied: Applied::default(),
            fuel: FUEL,
            is_strict: false,
            is_partial: false,
            orbits: None,
            choices: None,
        }
    }

    /// Adds interchangeable elements, so that quantifiers try one element per orbit.
    pub fn with_interchangeable(self, interchangeable: Option<&Arc<Interchangeable>>) -> Self {
        let known = interchangeable.filter(|interchangeable| !interchangeable.is_empty());
        Runtime { orbits: known.cloned().map(OrbitMemory::new), ..self }
    }

    /// Loads constants into their slots, and drops caches that depend on the previous ones.
    pub fn load_constants(&mut self, constants: &Arc<Slots>) {
        for (idx, val) in constants.iter().enumerate() {
            self.slots[idx] = val.clone().unwrap_or_else(unset);
        }
        self.constants = constants.clone();
        self.forget_constants();
    }

    /// Drops all caches that depend on constants.
    pub(crate) fn forget_constants(&mut self) {
        self.cells.fill(None);
        self.per_element.iter_mut().for_each(Vec::clear);
        self.tables.iter_mut().for_each(Rows::forget);
        self.applied.clear();
    }

    pub fn set_variable(&mut self, id: VarId, val: Val) {
        self.slots[self.program.layout.variable(id)] = val;
    }

    /// Calls `found` with all distinct steps of an operation from the state in the slots.
    pub fn operation(&mut self, op: OpId, found: &mut dyn FnMut(StepWrites<'_>)) -> Fast<()> {
        self.labelled(op, &mut |_, outcome, is_new| {
            if is_new {
                found(outcome);
            }
        })
    }

    /// Calls `found` for every choice of locals, with their values and the step. The flag is set if the step is new.
    pub fn labelled(&mut self, op: OpId, found: &mut dyn FnMut(StepLocals<'_>, StepWrites<'_>, bool)) -> Fast<()> {
        let program = self.program;
        let Some(operation) = &program.operations[op.index()] else { return Err(Stop::Escape) };
        self.begin();
        let mut seen: AsideSet<(Vec<Val>, Vec<Val>), FxBuildHasher> = AsideSet::default();
        for output in &operation.outputs {
            self.slots[*output] = unset();
        }
        let mut written = std::mem::take(&mut self.written);
        let result = operation.cases.iter().try_for_each(|case| {
            self.case(case, &mut |runtime| {
                written.clear();
                written.extend(operation.writes.iter().map(|slot| runtime.slots[*slot].clone()));
                let is_new = !operation.may_repeat || seen.insert((runtime.values(&operation.label), written.clone()));
                found(
                    StepLocals { slots: &runtime.slots, layout: program.layout },
                    StepWrites { written: &written },
                    is_new,
                );
                Ok(runtime.session.count_outcome()?)
            })
        });
        self.written = written;
        self.end(result)
    }

    /// Calls `found` with all distinct steps of an operation for one representative of each group of parameters, with the size of the group.
    /// Parameters without a group are a group of their own.
    pub fn operation_by_group<G: std::hash::Hash + Eq>(
        &mut self,
        op: OpId,
        group: &dyn Fn(&[Val]) -> Option<G>,
        found: &mut dyn FnMut(u32, StepWrites<'_>),
    ) -> Fast<()> {
        let program = self.program;
        let Some(operation) = &program.operations[op.index()] else { return Err(Stop::Escape) };
        self.begin();
        let mut seen: AsideSet<(Vec<Val>, Vec<Val>), FxBuildHasher> = AsideSet::default();
        // All cases of the operation use the same representative of a group.
        let mut firsts: FxHashMap<G, Vec<Val>> = FxHashMap::default();
        for output in &operation.outputs {
            self.slots[*output] = unset();
        }
        for case in &operation.cases {
            for (params, count) in self.grouped_params(operation, case, group, &mut firsts)? {
                let slots = operation.params().iter().copied();
                let saved = slots.zip(params).map(|(slot, val)| (slot, std::mem::replace(&mut self.slots[slot], val)));
                let saved = saved.collect();
                let answer = self.exec(&case.body, &mut |runtime| {
                    let step = (runtime.values(&operation.label), runtime.values(&operation.writes));
                    if !operation.may_repeat || seen.insert(step.clone()) {
                        found(count, StepWrites { written: &step.1 });
                    }
                    Ok(())
                });
                self.restore(saved);
                answer?;
            }
        }
        self.end(Ok(()))
    }

    /// One representative of each group of parameters that a case of the operation allows, with the size of the group.
    pub(crate) fn grouped_params<G: std::hash::Hash + Eq>(
        &mut self,
        operation: &CompiledOperation,
        case: &CompiledCase,
        group: &dyn Fn(&[Val]) -> Option<G>,
        firsts: &mut FxHashMap<G, Vec<Val>>,
    ) -> Fast<Vec<(Vec<Val>, u32)>> {
        let mut seen: AsideSet<Vec<Val>, FxBuildHasher> = AsideSet::default();
        let mut rows: Vec<(Vec<Val>, u32)> = Vec::new();
        let mut row_of: FxHashMap<Vec<Val>, usize> = FxHashMap::default();
        self.every(&case.plan, &mut |runtime| {
            let params = runtime.values(operation.params());
            if seen.insert(params.clone()) {
                runtime.session.count_outcome()?;
                let first = match group(&params) {
                    Some(group) => firsts.entry(group).or_insert(params).clone(),
                    None => params,
                };
                let row = *row_of.entry(first.clone()).or_insert(rows.len());
                match rows.get_mut(row) {
                    Some((_, count)) => *count += 1,
                    None => rows.push((first, 1)),
                }
            }
            Ok(())
        })?;
        Ok(rows)
    }

    pub(crate) fn values(&self, slots: &[usize]) -> Vec<Val> {
        slots.iter().map(|slot| self.slots[*slot].clone()).collect()
    }

    /// Whether a compiled predicate holds in the state in the slots.
    pub fn holds(&mut self, test: usize) -> Fast<bool> {
        let program = self.program;
        self.begin();
        let answer = self.test(&program.tests[test]);
        self.end(answer)
    }

    /// Resets budget and modes for a new evaluation.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.session.renew();
        self.fuel = FUEL;
        self.is_strict = false;
        self.choices = None;
        self.begin_orbits();
    }

    /// Returns the answer. If the interpreter warned meanwhile, it must answer itself, so that the warning is recorded.
    pub(crate) fn end<T>(&self, answer: Fast<T>) -> Fast<T> {
        if !self.session.has_warnings() {
            return answer;
        }
        self.session.take_warnings();
        Err(Stop::Escape)
    }

    /// Environment of the interpreter for a formula with these names.
    pub(crate) fn env(&self, names: &FreeNames) -> Env {
        let layout = self.program.layout;
        let mut variables: Slots = vec![None; layout.n_variables];
        for id in &names.variables {
            variables[id.index()] = Some(self.slots[layout.variable(*id)].clone()).filter(|val| !is_unset(val));
        }
        let state = State { constants: self.constants.clone(), variables: Arc::new(variables) };
        let bound = names.locals.iter().map(|id| (*id, self.slots[layout.local(*id)].clone()));
        Env::new(&state).bind_all(bound.filter(|(_, val)| !is_unset(val)))
    }

    #[inline]
    pub(crate) fn tick(&mut self) -> Fast<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Escape)?;
        // The plain interpreter sees the stop flag and the clock too, and reports them.
        if self.fuel.is_multiple_of(STEPS_PER_STOP_CHECK) && self.session.poll().is_err() {
            Err(Stop::Escape)
        } else {
            Ok(())
        }
    }
}

/// Concrete value of a `Val`; stops if it is symbolic.
#[inline]
pub(crate) fn concrete(val: Val) -> Fast<Value> {
    match val {
        Val::Value(value) => Ok(value),
        _ => Err(Stop::Escape),
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        if error.is_ill_defined() { Stop::IllDefined } else { Stop::Escape }
    }
}
