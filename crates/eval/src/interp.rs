//! The interpreter of one model, and the sessions in which it evaluates.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use abridge_diag::Span;
use abridge_model::{LocalId, Model, Type, TypeId};
use abridge_value::{Int, Set};

use crate::compiled::{Fragments, Memory};
use crate::config::Config;
use crate::env::{Env, Slots};
use crate::error::{ErrorKind, Result};
use crate::free::NameCache;
use crate::val::{SymbolicSet, Val};

/// Steps of evaluation, about, until somebody looks whether it shall end; a power of two.
pub(crate) const LOOK: u64 = 1 << 14;

/// A model and what was learned about its formulas. Shared by all workers.
pub struct Interp<'m> {
    pub(crate) model: &'m Model,
    pub(crate) config: Config,
    pub(crate) names: NameCache,
    /// Empty unless the compiled form may help.
    pub(crate) fragments: Option<Fragments>,
    /// Set when somebody wants all evaluation to end.
    stop: Arc<AtomicBool>,
    /// Nobody heeds that any more.
    is_winding_up: AtomicBool,
}

/// A series of evaluations with one budget and one list of warnings.
pub struct Session<'i> {
    pub(crate) interp: &'i Interp<'i>,
    fuel: Cell<u64>,
    calls: Cell<u32>,
    warnings: RefCell<BTreeSet<Warning>>,
    probing: Cell<bool>,
    /// What a probe must not use of the budget.
    reserve: Cell<u64>,
    /// How many problems a SAT solver has settled.
    pub(crate) circuits: Cell<u64>,
    /// For compiled parts of formulas, kept from one to the next.
    memories: RefCell<Vec<Memory>>,
    /// How many compiled parts this session is inside of.
    pub(crate) nesting: Cell<u32>,
    /// What is to be chosen, if it is known what is looked for.
    pub(crate) wishes: RefCell<Wishes>,
}

/// What substitutions choose where they have a choice; other choices are left out.
#[derive(Default)]
pub(crate) struct Wishes {
    pub(crate) locals: Vec<(LocalId, Val)>,
    /// What variables become elements of sets as, if it is one of them; nothing if that does not matter.
    pub(crate) variables: Option<Arc<Slots>>,
}

/// How many steps of what serves many times count as one in a probe.
const DISCOUNT: u64 = 32;

/// Something that makes an answer less than certain.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Warning {
    /// A value without bounds was searched for in MININT..MAXINT only.
    Enumeration { name: String, span: Option<Span> },
    /// A string without bounds was searched for among two only.
    Strings { name: String, span: Option<Span> },
    /// An infinite function was taken to belong to a set of functions.
    Unchecked { span: Option<Span> },
    /// A value came from outside the model: a file, a clock, chance.
    Impure { name: String },
    /// The model itself reports something (`ADD_ERROR`, `ADD_WARNING`).
    Reported { message: String },
}

impl<'m> Interp<'m> {
    pub fn new(model: &'m Model, config: Config) -> Interp<'m> {
        let fragments = config.compiled.then(|| Fragments::new(model));
        Interp {
            model,
            config,
            names: NameCache::new(model),
            fragments,
            stop: Arc::default(),
            is_winding_up: AtomicBool::new(false),
        }
    }

    /// Ends every evaluation soon after the flag is set.
    #[must_use]
    pub fn stopped_by(self, stop: Arc<AtomicBool>) -> Interp<'m> {
        Interp { stop, ..self }
    }

    /// From now on evaluations are not ended: a search that was stopped still has to tell what it found.
    pub fn wind_up(&self) {
        self.is_winding_up.store(true, Ordering::Relaxed);
    }

    /// The flag that ends evaluations.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        if self.is_winding_up.load(Ordering::Relaxed) { Arc::default() } else { self.stop.clone() }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) && !self.is_winding_up.load(Ordering::Relaxed)
    }

    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Free names and conjuncts of formulas, computed once.
    pub fn names(&self) -> &NameCache {
        &self.names
    }

    pub fn config(&self) -> &Config {
        &self.config
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
            memories: RefCell::default(),
            nesting: Cell::new(0),
            wishes: RefCell::default(),
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

    pub fn config(&self) -> &'i Config {
        &self.interp.config
    }

    /// A budget other than that of the configuration.
    pub fn limit(&self, fuel: u64) {
        self.fuel.set(fuel);
    }

    /// What is left of the budget.
    pub fn left(&self) -> u64 {
        self.fuel.get()
    }

    /// A fresh budget, and no warnings.
    pub(crate) fn renew(&self) {
        self.fuel.set(self.config().fuel);
        self.calls.set(0);
        if self.has_warnings() {
            self.warnings.borrow_mut().clear();
        }
    }

    /// A session for a compiled part, with the budget of this one.
    pub(crate) fn inner(&self) -> Session<'i> {
        let inner = self.interp.session();
        inner.fuel.set(self.fuel.get());
        inner.calls.set(self.calls.get());
        inner.nesting.set(self.nesting.get() + 1);
        inner.memories.swap(&self.memories);
        inner
    }

    /// Takes over what an inner session has left.
    pub(crate) fn leave(&self, inner: &Session<'_>) {
        self.fuel.set(inner.fuel.get());
        self.memories.swap(&inner.memories);
    }

    pub(crate) fn take_memory(&self) -> Option<Memory> {
        self.memories.borrow_mut().pop()
    }

    pub(crate) fn keep_memory(&self, memory: Memory) {
        self.memories.borrow_mut().push(memory);
    }

    /// One step; every loop over candidates and every node takes at least one.
    pub(crate) fn tick(&self) -> Result<()> {
        self.ticks(1)
    }

    /// Something that takes as long as so many steps.
    pub(crate) fn ticks(&self, n_steps: u64) -> Result<()> {
        let before = self.fuel.get();
        let left = before.checked_sub(n_steps).ok_or(ErrorKind::OutOfFuel)?;
        self.fuel.set(left);
        if (before ^ left) >= LOOK && self.interp.is_stopped() {
            return Err(ErrorKind::Stopped.into());
        }
        Ok(())
    }

    /// Runs the body of a function or operation, one call deeper.
    pub(crate) fn call<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        let limit = self.config().max_calls;
        if self.calls.get() >= limit {
            return Err(ErrorKind::TooDeep { limit }.into());
        }
        self.calls.set(self.calls.get() + 1);
        let result = body();
        self.calls.set(self.calls.get() - 1);
        result
    }

    /// Runs something with a smaller budget; nothing if that was used up.
    pub(crate) fn probe<T>(&self, budget: u64, body: impl FnOnce() -> Result<T>) -> Option<Result<T>> {
        let before = self.fuel.get();
        let given = before.min(budget);
        self.fuel.set(given);
        self.reserve.set(before - given);
        self.probing.set(true);
        let result = body();
        self.probing.set(false);
        let reserve = self.reserve.replace(0);
        self.fuel.set(self.fuel.get() + reserve);
        match result {
            Err(error) if matches!(error.kind(), ErrorKind::OutOfFuel) && reserve > 0 => None,
            result => Some(result),
        }
    }

    /// Runs something from inside a probe with the budget outside of it.
    pub(crate) fn outside_probe<T>(&self, body: impl FnOnce() -> T) -> T {
        let probed = self.fuel.replace(self.reserve.get());
        let probing = self.probing.replace(false);
        let result = body();
        self.probing.set(probing);
        self.reserve.set(self.fuel.replace(probed));
        result
    }

    /// Runs something that serves many times: a probe, if there is one, pays a part of its steps.
    pub(crate) fn at_discount<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        if !self.is_probing() {
            return body();
        }
        let before = self.reserve.get();
        let result = self.outside_probe(body);
        self.ticks((before - self.reserve.get()) / DISCOUNT)?;
        result
    }

    /// How many problems a SAT solver has settled.
    pub fn circuits(&self) -> u64 {
        self.circuits.get()
    }

    pub(crate) fn is_probing(&self) -> bool {
        self.probing.get()
    }

    pub(crate) fn warn(&self, warning: Warning) {
        self.warnings.borrow_mut().insert(warning);
    }

    pub(crate) fn has_warnings(&self) -> bool {
        !self.warnings.borrow().is_empty()
    }

    /// What to say where not all values of a type are tried.
    pub(crate) fn cut_warning(&self, ty: TypeId, name: String, span: Span) -> Warning {
        let span = Some(span);
        if has_strings(self.model(), ty) {
            Warning::Strings { name, span }
        } else {
            Warning::Enumeration { name, span }
        }
    }

    /// What was noticed so far; the list starts anew.
    pub fn take_warnings(&self) -> Vec<Warning> {
        std::mem::take(&mut *self.warnings.borrow_mut()).into_iter().collect()
    }

    /// All values of a type.
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
    pub(crate) fn int_range(&self) -> (Int, Int) {
        let preferences = &self.model().steering.preferences;
        (Int::from(preferences.min_int.clone()), Int::from(preferences.max_int.clone()))
    }

    /// Binds locals to the parts of a left-nested pair.
    pub(crate) fn bind_tuple(&self, env: &Env, binder: &[LocalId], val: &Val) -> Result<Env> {
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
    pub(crate) fn tuple(&self, env: &Env, binder: &[LocalId]) -> Result<Val> {
        let mut parts = binder.iter().map(|local| self.local(*local, env));
        let first = parts.next().ok_or(ErrorKind::Internal("a binder is empty"))??;
        parts.try_fold(first, |tuple, part| Ok(Val::pair(tuple, part?)))
    }
}

/// Whether values of the type contain strings.
pub(crate) fn has_strings(model: &Model, ty: TypeId) -> bool {
    match model.types.get(ty) {
        Type::String => true,
        Type::Pow(elem) => has_strings(model, *elem),
        Type::Pair(first, second) => has_strings(model, *first) || has_strings(model, *second),
        Type::Record(fields) => fields.iter().any(|(_, field)| has_strings(model, *field)),
        _ => false,
    }
}
