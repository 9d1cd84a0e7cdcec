//! Interpreter of one model, and sessions, in which it evaluates.
//!
//! An [`Interp`] belongs to a model and is shared by all threads. It holds the configuration, the hooks (`interp/hooks.rs`) and caches about
//! formulas. A [`Session`] belongs to one thread: a budget of steps, a list of warnings. All evaluation functions are methods of `Session`, defined
//! in the module of their construct. The budget keeps evaluation finite: every loop over candidates must take steps from it.

mod hooks;
mod open;
mod problem;

use std::any::Any;
use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use abridge_diag::{Span, StopFlag};
use abridge_model::{ExprId, LocalId, Model, PredId, SubstId, Type, TypeId};
use abridge_value::{Int, Set};

pub(crate) use hooks::Hooks;
pub use hooks::{Classes, Externals, Finder, Fragments, SolutionFn};
pub use open::OpenUnknowns;
pub use problem::{Constraint, ConstraintKind, Operand, Problem, Relation, Unknown, normalise};

use crate::config::EvalConfig;
use crate::domain::{Env, ErrorKind, Result, Slots, SymbolicSet, Val};
use crate::free::{FreeNames, NameCache};

/// Steps between two looks at the stop flag, about; a power of two.
pub const STEPS_PER_STOP_CHECK: u64 = 1 << 10;

/// Approximate number of bytes written in the time of a step.
const BYTES_PER_STEP: u64 = 1 << 10;

/// Approximate memory of an outcome: its values, the step, the new state.
const OUTCOME_BYTES: usize = 256;
const OUTCOMES_PER_CHARGE: usize = 256;

/// Smallest charge. Less is not worth the access to the account.
const MIN_CHARGED_BYTES: usize = 1 << 14;

/// Interpreter of a model, shared by all workers.
#[derive(Clone)]
pub struct Interp<'m> {
    pub model: &'m Model,
    pub config: EvalConfig,
    /// Time that one evaluation may take.
    time_out: Option<Duration>,
    names: Arc<NameCache>,
    hooks: Hooks,
    /// Set to end all evaluation.
    stop: StopFlag,
    /// The stop flag is heeded at its top only.
    is_winding_up: Arc<AtomicBool>,
}

/// Series of evaluations with one budget and one list of warnings.
pub struct Session<'i> {
    pub interp: &'i Interp<'i>,
    fuel: Cell<u64>,
    calls: Cell<u32>,
    warnings: RefCell<BTreeSet<Warning>>,
    probing: Cell<bool>,
    /// Part of the budget that a probe must not use.
    reserve: Cell<u64>,
    /// Number of problems settled by the SAT solver.
    circuits: Cell<u64>,
    /// Buffers of compiled fragments, kept from one use to the next.
    scratch: RefCell<Vec<Scratch>>,
    /// Nesting depth of compiled fragments around this session.
    nesting: Cell<u32>,
    /// Outcomes not yet charged.
    outcomes: Cell<usize>,
    /// End of the time for this evaluation.
    deadline: Cell<Option<Instant>>,
    /// Choices that substitutions are to make.
    prescribed: RefCell<PrescribedChoices>,
}

/// Buffer of a type known to its owner only.
pub type Scratch = Box<dyn Any + Send>;

/// Prescribed choices: a substitution makes these and no others.
#[derive(Default)]
pub struct PrescribedChoices {
    pub locals: Vec<(LocalId, Val)>,
    /// Values that `::` and `:(P)` choose for variables, if they may; nothing if that does not matter.
    pub variables: Option<Arc<Slots>>,
}

/// Steps of shared work that count as one step of a probe.
const SHARED_STEPS_PER_PROBE_STEP: u64 = 32;

/// Reason why an answer is less than certain.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Warning {
    /// Only values in MININT..MAXINT were tried for an unknown without bounds.
    Enumeration { name: String, span: Option<Span> },
    /// Only two strings were tried for an unknown without bounds.
    Strings { name: String, span: Option<Span> },
    /// An infinite function was assumed to belong to a set of functions.
    Unchecked { span: Option<Span> },
    /// A value came from outside the model: a file, the clock, a random generator.
    Impure { name: String },
    /// Message of the model itself (`ADD_ERROR`, `ADD_WARNING`).
    Reported { message: String },
}

impl Warning {
    /// Whether an answer with this warning may be another one: something was left out or assumed. An assumed membership counts only in exact mode.
    pub fn is_bounding(&self, is_exact: bool) -> bool {
        match self {
            Warning::Enumeration { .. } | Warning::Strings { .. } => true,
            Warning::Unchecked { .. } => is_exact,
            Warning::Impure { .. } | Warning::Reported { .. } => false,
        }
    }

    /// Whether the warning casts no doubt on an answer, in any mode.
    pub fn is_beside_the_answer(&self) -> bool {
        !self.is_bounding(true)
    }

    /// Why an answer with this warning may be wrong, in words. An assumed membership is a caveat only in exact mode, not with the conventions of ProB.
    pub fn caveat(&self, is_exact: bool) -> Option<String> {
        match self {
            Warning::Enumeration { name, .. } => Some(format!("`{name}` was enumerated from MININT to MAXINT only")),
            Warning::Strings { name, .. } => Some(format!("`{name}` was enumerated over two strings only")),
            Warning::Impure { name } => Some(format!("`{name}` depends on files, the clock or chance")),
            Warning::Unchecked { .. } if is_exact => {
                Some("membership of an infinite function in a set of functions was assumed".to_owned())
            }
            Warning::Unchecked { .. } | Warning::Reported { .. } => None,
        }
    }
}

impl<'m> Interp<'m> {
    /// Makes the judge: an interpreter without compiled fragments.
    pub fn new(
        model: &'m Model,
        config: EvalConfig,
        finder: &'static dyn Finder,
        externals: Arc<dyn Externals>,
    ) -> Interp<'m> {
        let hooks = Hooks { finder, externals, fragments: None };
        let names = Arc::new(NameCache::new(model));
        let time_out = model.steering.preferences.time_out().filter(|_| config.heeds_time_out);
        Interp { model, config, time_out, names, hooks, stop: StopFlag::default(), is_winding_up: Arc::default() }
    }

    /// Copy of the interpreter with compiled fragments. Both share the stop flag.
    #[must_use]
    pub fn with_fragments(&self, fragments: Arc<dyn Fragments>) -> Interp<'m> {
        Interp {
            model: self.model,
            config: self.config.clone(),
            time_out: self.time_out,
            names: self.names.clone(),
            hooks: Hooks { fragments: Some(fragments), ..self.hooks.clone() },
            stop: self.stop.clone(),
            is_winding_up: self.is_winding_up.clone(),
        }
    }

    pub(crate) fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    /// Cache of the free names of formulas.
    pub fn names(&self) -> &NameCache {
        &self.names
    }

    pub fn names_of_expr(&self, id: ExprId) -> Arc<FreeNames> {
        self.names.of_expr(self.model, id)
    }

    pub fn names_of_pred(&self, id: PredId) -> Arc<FreeNames> {
        self.names.of_pred(self.model, id)
    }

    /// Names that a substitution reads or may write.
    pub fn names_of_subst(&self, id: SubstId) -> FreeNames {
        self.names.of_subst(self.model, id)
    }

    /// Operands of nested conjunctions, in order.
    pub fn conjuncts(&self, id: PredId) -> Arc<[PredId]> {
        self.names.conjuncts(self.model, id)
    }

    /// Sets the stop flag, which ends every evaluation soon after it is raised.
    #[must_use]
    pub fn stopped_by(self, stop: StopFlag) -> Interp<'m> {
        Interp { stop, ..self }
    }

    /// From now on evaluations are ended by the flag at its top only: a search that was stopped still has to tell what it found.
    pub fn wind_up(&self) {
        self.is_winding_up.store(true, Ordering::Relaxed);
    }

    /// The flag that ends evaluations.
    pub fn stop(&self) -> StopFlag {
        if self.is_winding_up.load(Ordering::Relaxed) { self.stop.at_top() } else { self.stop.clone() }
    }

    pub fn is_stopped(&self) -> bool {
        if self.is_winding_up.load(Ordering::Relaxed) { self.stop.is_at_top() } else { self.stop.is_raised() }
    }

    pub fn model(&self) -> &'m Model {
        self.model
    }

    pub fn config(&self) -> &EvalConfig {
        &self.config
    }

    /// End of the time for an evaluation that begins now.
    #[inline]
    fn deadline(&self) -> Option<Instant> {
        self.time_out.and_then(|limit| Instant::now().checked_add(limit))
    }

    pub fn session(&self) -> Session<'_> {
        Session {
            interp: self,
            fuel: Cell::new(self.config.fuel),
            calls: Cell::new(0),
            warnings: RefCell::default(),
            probing: Cell::new(false),
            reserve: Cell::new(0),
            circuits: Cell::new(0),
            scratch: RefCell::default(),
            nesting: Cell::new(0),
            prescribed: RefCell::default(),
            outcomes: Cell::new(0),
            deadline: Cell::new(self.deadline()),
        }
    }
}

impl<'i> Session<'i> {
    pub fn interp(&self) -> &'i Interp<'i> {
        self.interp
    }

    pub fn model(&self) -> &'i Model {
        self.interp.model
    }

    pub fn config(&self) -> &'i EvalConfig {
        &self.interp.config
    }

    /// Replaces the budget of the configuration.
    pub fn limit(&self, fuel: u64) {
        self.fuel.set(fuel);
    }

    /// Rest of the budget.
    pub fn left(&self) -> u64 {
        self.fuel.get()
    }

    /// Resets budget, time and warnings.
    #[inline]
    pub fn renew(&self) {
        self.fuel.set(self.config().fuel);
        self.deadline.set(self.interp.deadline());
        self.calls.set(0);
        if self.has_warnings() {
            self.warnings.borrow_mut().clear();
        }
    }

    /// Session for a compiled fragment, with the budget of this one.
    pub fn inner(&self) -> Session<'i> {
        let inner = self.interp.session();
        inner.fuel.set(self.fuel.get());
        inner.calls.set(self.calls.get());
        inner.deadline.set(self.deadline.get());
        inner.nesting.set(self.nesting.get() + 1);
        inner.scratch.swap(&self.scratch);
        inner
    }

    /// Takes over the remaining budget and the buffers of an inner session.
    pub fn leave(&self, inner: &Session<'_>) {
        self.fuel.set(inner.fuel.get());
        self.scratch.swap(&inner.scratch);
    }

    /// Takes a kept buffer, if there is one.
    pub fn take_scratch(&self) -> Option<Scratch> {
        self.scratch.borrow_mut().pop()
    }

    /// Keeps a buffer for the next use. All buffers of a session belong to one owner.
    pub fn keep_scratch(&self, scratch: Scratch) {
        self.scratch.borrow_mut().push(scratch);
    }

    /// Prescribes the choices of substitutions from now on.
    pub fn prescribe(&self, prescribed: PrescribedChoices) {
        *self.prescribed.borrow_mut() = prescribed;
    }

    pub fn prescribed(&self) -> Ref<'_, PrescribedChoices> {
        self.prescribed.borrow()
    }

    /// Counts a problem settled by the SAT solver.
    pub fn count_circuit(&self) {
        self.circuits.set(self.circuits.get() + 1);
    }

    /// Takes one step from the budget. Every node and every iteration of a loop over candidates takes at least one.
    pub fn tick(&self) -> Result<()> {
        self.ticks(1)
    }

    /// Takes several steps from the budget.
    pub fn ticks(&self, n_steps: u64) -> Result<()> {
        let before = self.fuel.get();
        let left = before.checked_sub(n_steps).ok_or_else(|| ErrorKind::OutOfFuel)?;
        self.fuel.set(left);
        if (before ^ left) >= STEPS_PER_STOP_CHECK { self.poll() } else { Ok(()) }
    }

    /// Rest of the budget, also during a probe.
    pub fn steps_left(&self) -> u64 {
        self.fuel.get().saturating_add(self.reserve.get())
    }

    /// Looks at the stop flag and at the clock, if there is a time limit.
    pub fn poll(&self) -> Result<()> {
        if self.interp.is_stopped() {
            return Err(ErrorKind::Stopped.into());
        }
        match (self.deadline.get(), self.interp.time_out) {
            (Some(deadline), Some(limit)) if Instant::now() >= deadline => Err(ErrorKind::TimedOut { limit }.into()),
            _ => Ok(()),
        }
    }

    /// Flag for a computation that does not take steps from the budget: it is raised when the evaluation has to end.
    pub fn stop(&self) -> StopFlag {
        let stop = self.interp.stop();
        match self.deadline.get() {
            Some(deadline) => StopFlag::probed(move || stop.is_raised() || Instant::now() >= deadline),
            None => stop,
        }
    }

    /// Charges memory, before a large value is made, and the steps to write it.
    pub fn charge(&self, n_bytes: usize) -> Result<()> {
        let n_bytes = n_bytes as u64;
        self.ticks(n_bytes / BYTES_PER_STEP)?;
        if self.config().memory.take(n_bytes) { Ok(()) } else { Err(ErrorKind::OutOfMemory.into()) }
    }

    /// Charges the memory of a result about as large as its operands together, if that is much. One charge: after a refusal the process is measured
    /// anew, and the measurement knows nothing of what was charged and is not allocated yet.
    pub fn charge_copies<'v>(&self, operands: impl IntoIterator<Item = &'v Val>) -> Result<()> {
        let bytes = |operand: &Val| match operand {
            Val::Value(value) => value.copy_bytes(),
            _ => 0,
        };
        self.charge_bulk(operands.into_iter().map(bytes).fold(0, usize::saturating_add))
    }

    /// Charges memory if it is much. Small values are covered by the measurement of the process.
    #[inline]
    pub fn charge_bulk(&self, n_bytes: usize) -> Result<()> {
        if n_bytes < MIN_CHARGED_BYTES { Ok(()) } else { self.charge(n_bytes) }
    }

    /// Charges the memory of one more outcome of a substitution, which the caller keeps.
    #[inline]
    pub fn count_outcome(&self) -> Result<()> {
        let n_open = self.outcomes.get() + 1;
        if n_open < OUTCOMES_PER_CHARGE {
            self.outcomes.set(n_open);
            return Ok(());
        }
        self.outcomes.set(0);
        self.charge(n_open * OUTCOME_BYTES)
    }

    /// Meter for operations of the crate `value`.
    pub fn meter(&self) -> impl FnMut(usize) -> Result<()> + '_ {
        |n_bytes| self.charge(n_bytes)
    }

    /// Runs the body of a function or operation, one call deeper.
    pub fn call<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        let limit = self.config().max_calls;
        if self.calls.get() >= limit {
            return Err(ErrorKind::TooDeep { limit }.into());
        }
        self.calls.set(self.calls.get() + 1);
        let result = body();
        self.calls.set(self.calls.get() - 1);
        result
    }

    /// Runs a probe: `body` with a smaller budget. `None` if the budget was used up. Probes can be nested.
    pub fn probe<T>(&self, budget: u64, body: impl FnOnce() -> Result<T>) -> Option<Result<T>> {
        let (before, outer) = (self.fuel.get(), self.reserve.get());
        let given = before.min(budget);
        self.fuel.set(given);
        self.reserve.set(outer + before - given);
        let was_probing = self.probing.replace(true);
        let result = body();
        self.probing.set(was_probing);
        // What ran outside of the probes has used up the reserve of this one first.
        let reserve = self.reserve.get().saturating_sub(outer);
        self.reserve.set(self.reserve.get().min(outer));
        self.fuel.set(self.fuel.get() + reserve);
        match result {
            Err(error) if matches!(error.kind(), ErrorKind::OutOfFuel) && reserve > 0 => None,
            result => Some(result),
        }
    }

    /// Runs `body` from inside a probe with the budget outside of it.
    pub fn outside_probe<T>(&self, body: impl FnOnce() -> T) -> T {
        let probed = self.fuel.replace(self.reserve.get());
        let probing = self.probing.replace(false);
        let result = body();
        self.probing.set(probing);
        self.reserve.set(self.fuel.replace(probed));
        result
    }

    /// Runs work whose result serves many times: a surrounding probe pays only a fraction of its steps.
    pub fn at_discount<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        if !self.is_probing() {
            return body();
        }
        let before = self.reserve.get();
        let result = self.outside_probe(body);
        self.ticks((before - self.reserve.get()) / SHARED_STEPS_PER_PROBE_STEP)?;
        result
    }

    /// Number of problems settled by the SAT solver.
    pub fn circuits(&self) -> u64 {
        self.circuits.get()
    }

    pub fn is_probing(&self) -> bool {
        self.probing.get()
    }

    pub fn warn(&self, warning: Warning) {
        self.warnings.borrow_mut().insert(warning);
    }

    pub(crate) fn warn_all(&self, warnings: BTreeSet<Warning>) {
        self.warnings.borrow_mut().extend(warnings);
    }

    /// Evaluates something, and returns its warnings beside the answer instead of recording them.
    pub fn apart<T>(&self, evaluate: impl FnOnce() -> T) -> (T, BTreeSet<Warning>) {
        let before = std::mem::take(&mut *self.warnings.borrow_mut());
        let answer = evaluate();
        (answer, std::mem::replace(&mut *self.warnings.borrow_mut(), before))
    }

    pub fn has_warnings(&self) -> bool {
        !self.warnings.borrow().is_empty()
    }

    /// Warning for an unknown of whose type not all values are tried.
    pub fn cut_warning(&self, ty: TypeId, name: String, span: Span) -> Warning {
        let span = Some(span);
        if has_strings(self.model(), ty) {
            Warning::Strings { name, span }
        } else {
            Warning::Enumeration { name, span }
        }
    }

    /// Takes the warnings so far.
    pub fn take_warnings(&self) -> Vec<Warning> {
        std::mem::take(&mut *self.warnings.borrow_mut()).into_iter().collect()
    }

    /// Set of all values of a type.
    pub fn type_set(&self, ty: TypeId) -> Val {
        use abridge_model::{BaseSet, BinaryOp, UnaryOp};
        match self.model().types.get(ty) {
            Type::Integer => SymbolicSet::Base(BaseSet::Integer).into(),
            Type::String => SymbolicSet::Base(BaseSet::String).into(),
            Type::Real => SymbolicSet::Base(BaseSet::Real).into(),
            Type::Bool => Set::booleans().into(),
            Type::Given(set) => Set::carrier(set.0, self.model().sets[*set].size()).into(),
            Type::Free(free) => SymbolicSet::FreeType(*free).into(),
            Type::Pow(elem) => SymbolicSet::unary(UnaryOp::Pow, self.type_set(*elem)),
            Type::Pair(first, second) => {
                SymbolicSet::binary(BinaryOp::Cartesian, self.type_set(*first), self.type_set(*second))
            }
            Type::Record(fields) => {
                let fields = fields.iter().map(|(_, field)| self.type_set(*field)).collect();
                SymbolicSet::Struct(ty.0, fields).into()
            }
        }
    }

    /// MININT and MAXINT.
    pub fn int_range(&self) -> (Int, Int) {
        let preferences = &self.model().steering.preferences;
        (Int::from(preferences.min_int.clone()), Int::from(preferences.max_int.clone()))
    }

    /// Binds locals to the parts of a left-nested pair.
    pub fn bind_tuple(&self, env: &Env, binder: &[LocalId], val: &Val) -> Result<Env> {
        let mut bindings = Vec::with_capacity(binder.len());
        let mut rest = val.clone();
        if let [first, others @ ..] = binder {
            for local in others.iter().rev() {
                let (left, right) = rest.split()?;
                bindings.push((*local, right));
                rest = left;
            }
            bindings.push((*first, rest));
        }
        Ok(env.bind_all(bindings.into_iter().rev()))
    }

    /// The values of locals as a left-nested pair.
    pub fn tuple(&self, env: &Env, binder: &[LocalId]) -> Result<Val> {
        let mut parts = binder.iter().map(|local| self.local(*local, env));
        let first = parts.next().ok_or(ErrorKind::Internal("a binder is empty"))??;
        parts.try_fold(first, |tuple, part| Ok(Val::pair(tuple, part?)))
    }
}

/// Whether values of the type contain strings.
pub fn has_strings(model: &Model, ty: TypeId) -> bool {
    match model.types.get(ty) {
        Type::String => true,
        Type::Pow(elem) => has_strings(model, *elem),
        Type::Pair(first, second) => has_strings(model, *first) || has_strings(model, *second),
        Type::Record(fields) => fields.iter().any(|(_, field)| has_strings(model, *field)),
        _ => false,
    }
}
