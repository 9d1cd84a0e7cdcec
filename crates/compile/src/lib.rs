//! The compiled form: formulas and operations as small trees over slots, with the order of searching decided beforehand.
//!
//! It covers what most machines do most of the time: values that are not symbolic, conditions that are well-defined, searches with an
//! evident order. Everything else ends in a [`Stop`], and the caller asks the plain interpreter instead, which gives the exact answer,
//! errors included. So nothing here needs to produce a message, and nothing here may produce a wrong value.
//!
//! `code.rs` has the forms, `build.rs` makes them from the model, `elements.rs` keeps what depends on an element only, `plan.rs` orders
//! searches by `costs.rs`, `run.rs` evaluates, `rows.rs` remembers solutions and looks them up, `keys.rs` looks functions of the state through,
//! `prefixes.rs` tries functions point by point, `split.rs` takes sequences apart, `twins.rs` tries one of several interchangeable
//! elements, `choices.rs` one of several choices that only they tell apart,
//! `exec.rs` runs substitutions, `staged.rs` splits simple operations into stages that can be remembered one by one, `inside.rs` lends all this to the plain interpreter.

mod build;
mod code;
mod costs;
mod either;
mod elements;
mod exec;
mod fragments;
mod keys;
mod operators;
mod plan;
mod prefixes;
mod rows;
mod run;
mod split;
mod staged;
mod symmetry;

use std::sync::Arc;

use abridge_eval::{Env, FreeNames, Interp, STEPS_PER_STOP_CHECK, Session, Slots, State, Val};
use abridge_model::ids::Id as _;
use abridge_model::{ConstId, LocalId, Model, OpId, PredId, VarId};
use abridge_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use code::{Case, Test};
pub use fragments::CompiledFragments;
use rows::Rows;
pub use staged::{Condition, Staged, Verdict};
pub use symmetry::choices::Choosing;
pub use symmetry::kinds::{Kinds, Shape};
pub use symmetry::marks::{Interchangeable, elements};
use symmetry::twins::TwinMemory;

/// Why the fast path gives no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// An operand is outside the domain of its operator.
    IllDefined,
    /// Not covered here.
    Escape,
}

pub type Fast<T> = std::result::Result<T, Stop>;

/// Steps of evaluation after which the plain interpreter, which has a budget of its own, takes over.
const FUEL: u64 = 1 << 34;

/// Where values lie: constants first, then variables, then locals.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    n_constants: usize,
    n_variables: usize,
    n_slots: usize,
}

impl Layout {
    fn of(model: &Model) -> Layout {
        let (n_constants, n_variables) = (model.constants.len(), model.variables.len());
        Layout { n_constants, n_variables, n_slots: n_constants + n_variables + model.locals.len() }
    }

    fn constant(self, id: ConstId) -> usize {
        id.index()
    }

    pub fn variable(self, id: VarId) -> usize {
        self.n_constants + id.index()
    }

    fn local(self, id: LocalId) -> usize {
        self.n_constants + self.n_variables + id.index()
    }
}

/// The compiled operations and properties of a model; shared by all workers.
pub struct Program {
    pub layout: Layout,
    n_cells: usize,
    operations: Vec<Option<Operation>>,
    staged: Vec<Option<Staged>>,
    /// Conjuncts of the invariant, assertions and the goal, by predicate.
    tests: Vec<(PredId, Test)>,
}

/// One operation.
struct Operation {
    cases: Vec<Case>,
    outputs: Vec<usize>,
    /// Parameters and outputs.
    label: Vec<usize>,
    /// Variables it may write.
    writes: Vec<usize>,
    /// Different choices may lead to the same step.
    may_repeat: bool,
}

impl Operation {
    fn params(&self) -> &[usize] {
        &self.label[..self.label.len() - self.outputs.len()]
    }
}

/// One step of an operation.
pub struct Outcome<'w> {
    /// New values of the variables that the operation may write.
    pub written: &'w [Val],
}

/// What was chosen for a step.
pub struct Chosen<'r> {
    slots: &'r [Val],
    layout: Layout,
}

impl Chosen<'_> {
    /// The value of a parameter, or of a local of an ANY around the step.
    pub fn local(&self, id: LocalId) -> &Val {
        &self.slots[self.layout.local(id)]
    }
}

impl Program {
    pub fn new(interp: &Interp<'_>) -> Program {
        build::program(interp)
    }

    /// Whether there is a compiled form of an operation.
    pub fn has(&self, op: OpId) -> bool {
        self.operations[op.index()].is_some()
    }

    /// An operation in stages, if it has the form.
    pub fn staged(&self, op: OpId) -> Option<&Staged> {
        self.staged[op.index()].as_ref()
    }

    /// The test for a predicate, if it was compiled.
    pub fn test(&self, pred: PredId) -> Option<usize> {
        self.tests.iter().position(|(known, _)| *known == pred)
    }
}

/// Slots and caches of one thread.
pub struct Runtime<'p> {
    program: &'p Program,
    session: Session<'p>,
    slots: Vec<Val>,
    constants: Arc<Slots>,
    /// Values of expressions that depend on constants only.
    cells: Vec<Option<Val>>,
    /// Values of expressions that depend on constants and an element only.
    per_element: Vec<elements::Values>,
    /// Solutions that depend on constants only.
    tables: Vec<Rows>,
    /// Values of symbolic functions.
    applied: Applied,
    fuel: u64,
    /// Ill-defined conditions never count as false, because a universal statement is being refuted.
    is_strict: bool,
    /// Some slot holds only the beginning of a function.
    is_partial: bool,
    /// What is known about interchangeable elements, if any are.
    twins: Option<TwinMemory>,
    /// Of what a substitution chooses, one of each kind is enough.
    choices: Option<Arc<Kinds>>,
}

/// Functions and arguments with their values, under the constants at hand.
type Applied = FxHashMap<(Val, Value), Value>;

/// The place of a value that is not there.
pub fn unset() -> Val {
    Val::Record(u32::MAX, Arc::default())
}

fn is_unset(val: &Val) -> bool {
    matches!(val, Val::Record(u32::MAX, _))
}

impl<'p> Runtime<'p> {
    pub fn new(program: &'p Program, interp: &'p Interp<'p>) -> Runtime<'p> {
        Runtime {
            program,
            session: interp.session(),
            slots: vec![unset(); program.layout.n_slots],
            constants: Arc::default(),
            cells: vec![None; program.n_cells],
            per_element: Vec::new(),
            tables: Vec::new(),
            applied: Applied::default(),
            fuel: FUEL,
            is_strict: false,
            is_partial: false,
            twins: None,
            choices: None,
        }
    }

    /// From now on, one of several interchangeable elements is enough where only their exchange tells them apart.
    pub fn with_twins(self, interchangeable: Option<&Arc<Interchangeable>>) -> Self {
        let known = interchangeable.filter(|interchangeable| !interchangeable.is_empty());
        Runtime { twins: known.cloned().map(TwinMemory::new), ..self }
    }

    /// Puts constants into their slots; what was computed from others is forgotten.
    pub fn load_constants(&mut self, constants: &Arc<Slots>) {
        for (idx, val) in constants.iter().enumerate() {
            self.slots[idx] = val.clone().unwrap_or_else(unset);
        }
        self.constants = constants.clone();
        self.forget_constants();
    }

    /// What was computed from constants does not hold any more.
    fn forget_constants(&mut self) {
        self.cells.fill(None);
        self.per_element.iter_mut().for_each(Vec::clear);
        self.tables.iter_mut().for_each(Rows::forget);
        self.applied.clear();
    }

    pub fn set_variable(&mut self, id: VarId, val: Val) {
        self.slots[self.program.layout.variable(id)] = val;
    }

    /// All distinct steps of an operation from the state in the slots.
    pub fn operation(&mut self, op: OpId, found: &mut dyn FnMut(Outcome<'_>)) -> Fast<()> {
        self.outcomes(op, true, &mut |_, outcome| found(outcome))
    }

    /// The same, each step with what its locals stand for, for every choice of them.
    pub fn labelled(&mut self, op: OpId, found: &mut dyn FnMut(Chosen<'_>, Outcome<'_>)) -> Fast<()> {
        self.outcomes(op, false, found)
    }

    fn outcomes(&mut self, op: OpId, distinct: bool, found: &mut dyn FnMut(Chosen<'_>, Outcome<'_>)) -> Fast<()> {
        let program = self.program;
        let Some(operation) = &program.operations[op.index()] else { return Err(Stop::Escape) };
        self.begin();
        let mut seen = FxHashSet::default();
        let may_repeat = operation.may_repeat && distinct;
        for output in &operation.outputs {
            self.slots[*output] = unset();
        }
        let mut written = Vec::with_capacity(operation.writes.len());
        for case in &operation.cases {
            self.case(case, &mut |runtime| {
                written.clear();
                written.extend(operation.writes.iter().map(|slot| runtime.slots[*slot].clone()));
                if !may_repeat || seen.insert((runtime.values(&operation.label), written.clone())) {
                    found(Chosen { slots: &runtime.slots, layout: program.layout }, Outcome { written: &written });
                }
                Ok(())
            })?;
        }
        self.end(Ok(()))
    }

    /// All distinct steps of an operation, for one of several parameters that are in a group; each is told with the number of parameters
    /// that it stands for. Parameters without a group stand for themselves.
    pub fn operation_by_group<G: std::hash::Hash + Eq>(
        &mut self,
        op: OpId,
        group: &dyn Fn(&[Val]) -> Option<G>,
        found: &mut dyn FnMut(u32, Outcome<'_>),
    ) -> Fast<()> {
        let program = self.program;
        let Some(operation) = &program.operations[op.index()] else { return Err(Stop::Escape) };
        self.begin();
        let mut seen = FxHashSet::default();
        // Whichever way an operation goes, the same one of a group stands for it.
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
                        found(count, Outcome { written: &step.1 });
                    }
                    Ok(())
                });
                self.restore(saved);
                answer?;
            }
        }
        self.end(Ok(()))
    }

    /// One of each group of parameters for which the operation can go a way, and how many there are.
    fn grouped_params<G: std::hash::Hash + Eq>(
        &mut self,
        operation: &Operation,
        case: &Case,
        group: &dyn Fn(&[Val]) -> Option<G>,
        firsts: &mut FxHashMap<G, Vec<Val>>,
    ) -> Fast<Vec<(Vec<Val>, u32)>> {
        let mut seen = FxHashSet::default();
        let mut rows: Vec<(Vec<Val>, u32)> = Vec::new();
        let mut row_of: FxHashMap<Vec<Val>, usize> = FxHashMap::default();
        self.every(&case.plan, &mut |runtime| {
            let params = runtime.values(operation.params());
            if seen.insert(params.clone()) {
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

    fn values(&self, slots: &[usize]) -> Vec<Val> {
        slots.iter().map(|slot| self.slots[*slot].clone()).collect()
    }

    /// Whether a compiled predicate holds in the state in the slots.
    pub fn holds(&mut self, test: usize) -> Fast<bool> {
        let program = self.program;
        self.begin();
        let answer = self.test(&program.tests[test].1);
        self.end(answer)
    }

    /// A fresh budget.
    fn begin(&mut self) {
        self.session.renew();
        self.fuel = FUEL;
        self.is_strict = false;
        self.choices = None;
        self.begin_twins();
    }

    /// What made the plain interpreter hesitate along the way is its to answer for.
    fn end<T>(&self, answer: Fast<T>) -> Fast<T> {
        if !self.session.has_warnings() {
            return answer;
        }
        self.session.take_warnings();
        Err(Stop::Escape)
    }

    /// The environment of the plain interpreter for a formula that reads these names.
    fn env(&self, names: &FreeNames) -> Env {
        let layout = self.program.layout;
        let mut variables: Slots = vec![None; layout.n_variables];
        for id in &names.variables {
            variables[id.index()] = Some(self.slots[layout.variable(*id)].clone()).filter(|val| !is_unset(val));
        }
        let state = State { constants: self.constants.clone(), variables: Arc::new(variables) };
        let bound = names.locals.iter().map(|id| (*id, self.slots[layout.local(*id)].clone()));
        Env::new(&state).bind_all(bound.filter(|(_, val)| !is_unset(val)))
    }

    fn tick(&mut self) -> Fast<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Escape)?;
        // The plain interpreter will notice too, and say so.
        if self.fuel.is_multiple_of(STEPS_PER_STOP_CHECK) && self.session.interp().is_stopped() {
            Err(Stop::Escape)
        } else {
            Ok(())
        }
    }
}

/// A concrete value, or an end of the fast path.
fn concrete(val: Val) -> Fast<Value> {
    match val {
        Val::Value(value) => Ok(value),
        _ => Err(Stop::Escape),
    }
}
