//! Translation of formulas into boolean circuits.
//!
//! A formula with unknowns becomes a [`CircuitValue`] or, for predicates, a [`TruthPair`]; other formulas are evaluated by the interpreter. Bound
//! variables range over listed candidates, so each occurrence has a known value. Ill-definedness is carried along as a literal: an ill-defined
//! condition is not true, as in a search by the interpreter.
//!
//! `pred.rs` and `expr.rs` translate, `member.rs` handles membership in sets of sets and functions, `binder.rs` lists candidates of bound variables,
//! `domain.rs` makes circuit values of unknowns, `action.rs` translates substitutions.

mod action;
mod binder;
mod domain;
mod expr;
mod member;
mod pred;

use std::collections::{HashMap, HashSet};

pub use abridge_model::may_fail;
pub use action::{ChoiceKind, ChoicePoint, Executor, SubstEffect};
pub use binder::ValuationFn;
pub use member::SetArg;

use abridge_blast::{Blast, CircuitValue, Lit, Unsupported};
use abridge_eval::{Env, Error, FreeNames, Session, Unknown, Val};
use abridge_model::{Binding, ExprId, LocalId, PredId, VarId};

/// Reason why there is no circuit.
#[derive(Debug)]
pub enum NoCircuit {
    /// A construct, named by the text, has no circuit.
    Unsupported(&'static str),
    /// The evaluation as a whole must end.
    Fatal(Error),
}

pub type CircuitResult<T> = std::result::Result<T, NoCircuit>;

impl From<Unsupported> for NoCircuit {
    fn from(unsupported: Unsupported) -> NoCircuit {
        NoCircuit::Unsupported(unsupported.0)
    }
}

/// Known value or circuit value, with the condition that it is defined.
#[derive(Clone, Debug)]
pub struct CircuitTerm {
    pub kind: TermKind,
    pub defined: Lit,
}

#[derive(Clone, Debug)]
pub enum TermKind {
    Known(Val),
    Circuit(CircuitValue),
}

/// Conditions that a predicate is true and that it is false. If neither holds, it is ill-defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TruthPair {
    pub holds: Lit,
    pub fails: Lit,
}

/// Largest circuit, in gates and connections.
const MAX_CIRCUIT_SIZE: usize = 12_000_000;
/// Largest set that is listed, in elements.
const MAX_ELEMENTS: u64 = 40_000;

/// Translator, with the circuit built so far.
pub struct CircuitEncoder<'s> {
    session: &'s Session<'s>,
    pub blast: Blast,
    /// Circuit values of unknowns and of locals.
    symbols: HashMap<Unknown, CircuitValue>,
    /// Circuit values of the variables of an unknown state; `None` for a variable without one.
    variables: HashMap<VarId, Option<CircuitValue>>,
    /// Locals of LETs, whose values change while a formula is translated.
    lets: HashSet<LocalId>,
    /// Translated expressions, by the values of the locals that they read.
    cache: HashMap<(ExprId, Vec<Option<Val>>), CircuitTerm>,
    /// A part whose evaluation warns has no circuit.
    is_strict: bool,
}

impl CircuitTerm {
    pub(crate) fn known(val: Val) -> CircuitTerm {
        CircuitTerm { kind: TermKind::Known(val), defined: Lit::TRUE }
    }

    pub fn of_sym(sym: CircuitValue) -> CircuitTerm {
        CircuitTerm::sym(sym)
    }

    fn sym(sym: CircuitValue) -> CircuitTerm {
        CircuitTerm { kind: TermKind::Circuit(sym), defined: Lit::TRUE }
    }

    fn undefined() -> CircuitTerm {
        CircuitTerm { kind: TermKind::Circuit(CircuitValue::Choice(Vec::new())), defined: Lit::FALSE }
    }
}

impl TruthPair {
    const ILL_DEFINED: TruthPair = TruthPair { holds: Lit::FALSE, fails: Lit::FALSE };

    pub(crate) fn negated(self) -> TruthPair {
        TruthPair { holds: self.fails, fails: self.holds }
    }
}

impl From<bool> for TruthPair {
    fn from(flag: bool) -> TruthPair {
        TruthPair { holds: Lit::from(flag), fails: Lit::from(!flag) }
    }
}

impl<'s> CircuitEncoder<'s> {
    pub fn new(session: &'s Session<'s>) -> CircuitEncoder<'s> {
        CircuitEncoder::with_room(session, MAX_CIRCUIT_SIZE)
    }

    /// Makes an encoder with a limit on its circuit, in gates and connections.
    pub(crate) fn with_room(session: &'s Session<'s>, max_size: usize) -> CircuitEncoder<'s> {
        CircuitEncoder {
            session,
            blast: Blast::new(max_size),
            symbols: HashMap::new(),
            variables: HashMap::new(),
            lets: HashSet::new(),
            cache: HashMap::new(),
            is_strict: false,
        }
    }

    /// From now on, a part whose evaluation warns has no circuit. For circuits that outlive the session: nobody would hear the warning when they are
    /// used, and an assumption would pass for a fact.
    pub fn refuse_warnings(&mut self) {
        self.is_strict = true;
    }

    /// Sets the circuit value of a variable, for formulas translated from now on. Returns the previous one.
    pub fn set_variable(&mut self, id: VarId, sym: Option<CircuitValue>) -> Option<CircuitValue> {
        self.cache.clear();
        self.variables.insert(id, sym).flatten()
    }

    pub fn variable(&self, id: VarId) -> Option<&CircuitValue> {
        self.variables.get(&id)?.as_ref()
    }

    pub(crate) fn symbol(&self, unknown: Unknown) -> Option<&CircuitValue> {
        self.symbols.get(&unknown)
    }

    /// Whether a formula with these names has unknowns, so that it must be translated.
    fn is_open(&self, names: &FreeNames) -> bool {
        names.constants.iter().any(|id| self.symbols.contains_key(&Unknown::Constant(*id)))
            || names.locals.iter().any(|id| self.symbols.contains_key(&Unknown::Local(*id)))
            || (!self.variables.is_empty() && names.variables.iter().any(|id| self.variables.contains_key(id)))
    }

    fn is_open_expr(&self, id: ExprId) -> bool {
        self.is_open(&self.session.interp().names_of_expr(id))
    }

    fn is_open_pred(&self, id: PredId) -> bool {
        self.is_open(&self.session.interp().names_of_pred(id))
    }

    /// Answer of the interpreter; `None` if it is ill-defined.
    fn evaluated<T>(&self, result: abridge_eval::Result<T>) -> CircuitResult<Option<T>> {
        self.check_warnings()?;
        match result {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_ill_defined() => Ok(None),
            Err(error) if error.is_fatal() => Err(NoCircuit::Fatal(error)),
            Err(_) => Err(NoCircuit::Unsupported("a part that cannot be evaluated")),
        }
    }

    /// Ends the translation of a part whose evaluation warned.
    fn check_warnings(&self) -> CircuitResult<()> {
        if self.is_strict && !self.session.take_warnings().is_empty() {
            return Err(NoCircuit::Unsupported("a part whose value is not certain"));
        }
        Ok(())
    }

    fn tick(&self) -> CircuitResult<()> {
        self.blast.check_size()?;
        // One step here can copy a function of many points, so the flag is looked at in each.
        self.session.poll().map_err(NoCircuit::Fatal)?;
        self.session.tick().map_err(NoCircuit::Fatal)
    }

    /// Circuit value of a term.
    pub fn as_sym(&self, term: &CircuitTerm, env: &Env) -> CircuitResult<CircuitValue> {
        match &term.kind {
            TermKind::Circuit(sym) => Ok(sym.clone()),
            TermKind::Known(val) => self.sym_of(val, env),
        }
    }

    fn sym_of(&self, val: &Val, env: &Env) -> CircuitResult<CircuitValue> {
        if val.as_value().is_none()
            && let abridge_eval::Size::AtMost(bound) = self.session.size(val)
            && bound > MAX_ELEMENTS
        {
            return Err(NoCircuit::Unsupported("a large set"));
        }
        // A symbolic set is evaluated here at last, and whoever asks takes it for defined.
        let value = self.evaluated(self.session.finite(val, env))?;
        value.map(|value| CircuitValue::known(&value)).ok_or(NoCircuit::Unsupported("a set with ill-defined elements"))
    }

    /// Binds a local to a term for the rest of a formula.
    fn bind(&mut self, local: LocalId, term: &CircuitTerm, env: &Env) -> Env {
        match &term.kind {
            TermKind::Known(val) => {
                self.symbols.remove(&Unknown::Local(local));
                env.bind(local, val.clone())
            }
            TermKind::Circuit(sym) => {
                self.symbols.insert(Unknown::Local(local), sym.clone());
                self.lets.insert(local);
                env.clone()
            }
        }
    }

    /// Binds the locals of a LET in order. Returns the condition that all are defined.
    fn bind_let(&mut self, bindings: &[Binding], env: &Env) -> CircuitResult<(Env, Lit)> {
        let mut env = env.clone();
        let mut defined = Lit::TRUE;
        for binding in bindings {
            let term = self.expr(binding.value, &env)?;
            defined = self.and(defined, term.defined);
            env = self.bind(binding.local, &term, &env);
        }
        Ok((env, defined))
    }

    fn and(&mut self, left: Lit, right: Lit) -> Lit {
        self.blast.circuit.and(left, right)
    }

    fn all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        self.blast.circuit.and_all(lits)
    }

    fn any(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        self.blast.circuit.or_all(lits)
    }
}
