//! A model as a transition system for engines.
//!
//! A state is a vector of value ids: one word for the constants (and whether the machine is initialised), one per variable. What an
//! operation does depends only on the variables it reads, so its outcomes are remembered under the ids of those; the same for each
//! conjunct of the invariant. The answers come from the compiled form where it has one, else from the plain interpreter.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abridge_model::effects::must_write;
use abridge_model::ids::Id as _;
use abridge_model::{ConstId, IdSet, Model, OpId, PredId, VarId};
use abridge_system::{FindingKind, Properties, Steps, System, Worker};
use abridge_value::{Interner, Value, ValueId};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::compiled::{Program, Runtime, unset};
use crate::env::{Env, Slots, State};
use crate::error::{Error, Result};
use crate::interp::{Interp, Session, Warning};
use crate::val::Val;

/// Choices about the state space, beside those about evaluation.
#[derive(Clone, Debug)]
pub struct SystemConfig {
    /// Identify constants of deferred sets that are known to be different with the first elements, as ProB does.
    pub pin_constants: bool,
    /// Remember the outcomes of operations and conjuncts.
    pub memo: bool,
    /// Try the compiled form first.
    pub compiled: bool,
    /// The most set-ups and initialisations, and steps of one operation, in one state; nothing for all.
    pub max_initialisations: Option<usize>,
    pub max_operations: Option<usize>,
}

impl Default for SystemConfig {
    fn default() -> Self {
        SystemConfig {
            pin_constants: false,
            memo: true,
            compiled: true,
            max_initialisations: None,
            max_operations: None,
        }
    }
}

/// Numbers of the steps that are not operations; operation `n` is step `n + FIRST_OPERATION`.
pub const SETUP: u32 = 0;
pub const INITIALISATION: u32 = 1;
pub const FIRST_OPERATION: u32 = 2;

const UNSET: u32 = u32::MAX;

/// A model with the tables that turn states into vectors.
pub struct Explicit<'m> {
    interp: Interp<'m>,
    config: SystemConfig,
    /// The variables of a state, in the order of the words.
    variables: Vec<VarId>,
    operations: Vec<OpId>,
    pinned: Vec<(ConstId, Val)>,
    /// Whether setting up constants is a step of its own.
    has_setup: bool,
    values: Interner,
    symbolic: Mutex<Numbered<Val>>,
    constants: Mutex<Numbered<Arc<Slots>>>,
    notes: Mutex<Notes>,
    program: Option<Program>,
}

/// What evaluation had to say besides results.
#[derive(Clone, Default)]
pub struct Notes {
    pub warnings: BTreeSet<Warning>,
    /// Errors other than violated properties: what could not be evaluated at all.
    pub failures: Vec<(String, Error)>,
    /// A cap on initialisations or operations was reached.
    pub is_capped: bool,
}

/// Things by number and back.
struct Numbered<T> {
    items: Vec<T>,
    numbers: HashMap<T, u32, FxBuildHasher>,
}

impl<T: Clone + Eq + std::hash::Hash> Numbered<T> {
    fn number(&mut self, item: &T) -> u32 {
        if let Some(number) = self.numbers.get(item) {
            return *number;
        }
        let number = self.items.len() as u32;
        self.items.push(item.clone());
        self.numbers.insert(item.clone(), number);
        number
    }
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { items: Vec::new(), numbers: HashMap::default() }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'m> Explicit<'m> {
    pub fn new(interp: Interp<'m>, config: SystemConfig) -> Self {
        let model = interp.model();
        let variables = model.state_variables().map(|(id, _)| id).collect();
        let operations = model.transitions().map(|(id, _)| id).collect();
        let pinned = if config.pin_constants { pinned(model) } else { Vec::new() };
        let has_setup = has_setup(model, &pinned);
        let program = config.compiled.then(|| Program::new(&interp));
        Explicit {
            interp,
            config,
            variables,
            operations,
            pinned,
            has_setup,
            values: Interner::new(),
            symbolic: Mutex::default(),
            constants: Mutex::default(),
            notes: Mutex::default(),
            program,
        }
    }

    pub fn interp(&self) -> &Interp<'m> {
        &self.interp
    }

    pub fn model(&self) -> &'m Model {
        self.interp.model()
    }

    /// The operations in the order of their step numbers.
    pub fn operations(&self) -> &[OpId] {
        &self.operations
    }

    pub fn notes(&self) -> Notes {
        lock(&self.notes).clone()
    }

    /// Constants that were fixed beforehand.
    pub fn pinned(&self) -> &[(ConstId, Val)] {
        &self.pinned
    }

    fn encode_val(&self, val: &Val) -> u32 {
        match val {
            Val::Value(value) => self.values.intern(value).0 << 1,
            symbolic => (lock(&self.symbolic).number(symbolic) << 1) | 1,
        }
    }

    fn decode_val(&self, word: u32) -> Val {
        if word & 1 == 0 {
            let value: &Value = self.values.get(ValueId(word >> 1));
            Val::Value(value.clone())
        } else {
            lock(&self.symbolic).items[(word >> 1) as usize].clone()
        }
    }

    /// The vector of a state.
    fn encode(&self, state: &State, is_initialised: bool, out: &mut Vec<u32>) {
        out.clear();
        let constants = lock(&self.constants).number(&state.constants);
        out.push(constants << 1 | u32::from(is_initialised));
        for variable in &self.variables {
            let val = state.variables.get(variable.index()).and_then(Option::as_ref);
            out.push(val.map_or(UNSET, |val| self.encode_val(val)));
        }
    }

    /// The state of a vector, and whether it is initialised.
    pub fn decode(&self, words: &[u32]) -> (State, bool) {
        let constants = lock(&self.constants).items[(words[0] >> 1) as usize].clone();
        let mut variables: Slots = vec![None; self.model().variables.len()];
        for (variable, word) in self.variables.iter().zip(&words[1..]) {
            variables[variable.index()] = (*word != UNSET).then(|| self.decode_val(*word));
        }
        (State { constants, variables: Arc::new(variables) }, words[0] & 1 == 1)
    }

    fn note(&self, session: &Session<'_>, what: &str, error: Option<Error>) {
        let warnings = session.take_warnings();
        if warnings.is_empty() && error.is_none() {
            return;
        }
        let mut notes = lock(&self.notes);
        notes.warnings.extend(warnings);
        if let Some(error) = error.filter(|_| notes.failures.len() < 100) {
            notes.failures.push((what.to_owned(), error));
        }
    }
}

/// The constants that ProB identifies with the first elements of their deferred set.
fn pinned(model: &Model) -> Vec<(ConstId, Val)> {
    let mut pinned = Vec::new();
    for group in &model.distinct_constants {
        for (index, id) in group.iter().enumerate() {
            if let abridge_model::Type::Given(set) = model.types.get(model.constants[*id].ty) {
                pinned.push((*id, Val::Value(Value::element(set.0, index as u32))));
            }
        }
    }
    pinned
}

/// Whether constants remain or the properties say more than where pinned constants belong.
fn has_setup(model: &Model, pinned: &[(ConstId, Val)]) -> bool {
    let is_pinned = |id: ConstId| pinned.iter().any(|(other, _)| *other == id);
    if model.constants.ids().any(|id| !is_pinned(id)) {
        return true;
    }
    model.properties.iter().any(|conjunct| !is_trivial(model, conjunct.pred))
}

/// `c : S` for a constant of the type of `S`.
fn is_trivial(model: &Model, pred: PredId) -> bool {
    use abridge_model::{Comparison, Expr, Pred};
    match model.pred(pred) {
        Pred::True => true,
        Pred::Compare(Comparison::Member, elem, set) => {
            matches!((model.expr(*elem), model.expr(*set)), (Expr::Constant(_), Expr::Carrier(_)))
        }
        _ => false,
    }
}

impl System for Explicit<'_> {
    type Worker<'a>
        = ExplicitWorker<'a>
    where
        Self: 'a;

    fn width(&self) -> usize {
        1 + self.variables.len()
    }

    fn worker(&self) -> ExplicitWorker<'_> {
        ExplicitWorker::new(self)
    }
}

/// One thread's evaluation and memory.
pub struct ExplicitWorker<'a> {
    system: &'a Explicit<'a>,
    operations: Vec<OperationMemo>,
    invariant: Vec<ConjunctMemo>,
    assertions: Vec<ConjunctMemo>,
    goal: Option<ConjunctMemo>,
    key: Vec<u32>,
    target: Vec<u32>,
    fast: Option<FastPath<'a>>,
}

/// The compiled form with the state it has been given.
struct FastPath<'a> {
    runtime: Runtime<'a>,
    constants: Option<u32>,
}

impl<'a> FastPath<'a> {
    fn new(system: &'a Explicit<'a>) -> Option<Self> {
        let program = system.program.as_ref()?;
        Some(FastPath { runtime: Runtime::new(program, &system.interp), constants: None })
    }

    /// Makes the constants and the variables of some words known.
    fn load(&mut self, system: &Explicit<'_>, words: &[u32], needed: impl Iterator<Item = usize>) {
        let constants = words[0] >> 1;
        if self.constants != Some(constants) {
            let slots = lock(&system.constants).items[constants as usize].clone();
            self.runtime.load_constants(&slots);
            self.constants = Some(constants);
        }
        for word in needed {
            let val = if words[word] == UNSET { unset() } else { system.decode_val(words[word]) };
            self.runtime.set_variable(system.variables[word - 1], val);
        }
    }
}

/// How often the compiled form gave an answer.
#[derive(Default)]
struct Trust {
    asked: u32,
    failed: u32,
}

impl Trust {
    /// Whether asking is worth it.
    fn is_given(&self) -> bool {
        self.failed < 8 || self.failed < self.asked / 2
    }

    fn count(&mut self, answered: bool) {
        self.asked = self.asked.saturating_add(1);
        self.failed = self.failed.saturating_add(u32::from(!answered));
    }
}

/// What is known of one operation.
struct OperationMemo {
    op: OpId,
    step: u32,
    /// Words that determine the outcomes.
    key: Vec<usize>,
    /// Words that an outcome may change.
    writes: Vec<usize>,
    /// From key to entry; `None` if every state has a key of its own or remembering does not pay.
    entries: Option<FxHashMap<Box<[u32]>, Entry>>,
    lookups: u64,
    hits: u64,
    trust: Trust,
}

/// The outcomes of an operation: for each distinct target the number of transitions and the written words.
#[derive(Clone, Default)]
struct Entry {
    outcomes: Box<[u32]>,
    is_ill_defined: bool,
}

struct ConjunctMemo {
    pred: PredId,
    number: u32,
    key: Vec<usize>,
    entries: Option<FxHashMap<Box<[u32]>, Truth>>,
    compiled: Option<usize>,
    trust: Trust,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    True,
    False,
    IllDefined,
    /// Could not be evaluated; a failure is noted.
    Unknown,
}

/// Entries of a memo after which it has to have paid.
const TRIAL: usize = 1 << 16;

impl<'a> ExplicitWorker<'a> {
    fn new(system: &'a Explicit<'a>) -> Self {
        let model = system.model();
        let words = |set: &IdSet<VarId>| -> Vec<usize> {
            (0..system.variables.len()).filter(|idx| set.contains(system.variables[*idx])).map(|idx| idx + 1).collect()
        };
        let pays = |key: &[usize]| system.config.memo && key.len() < system.variables.len();
        let operation = |(idx, op): (usize, &OpId)| {
            let effects = &model.operations[*op].effects;
            let mut determines = effects.reads.clone();
            let must = must_write(model, *op);
            for id in effects.writes.iter().filter(|id| !must.contains(*id)) {
                determines.insert(id);
            }
            let key = words(&determines);
            let entries = pays(&key).then(FxHashMap::default);
            let writes = words(&effects.writes);
            OperationMemo {
                op: *op,
                step: idx as u32 + FIRST_OPERATION,
                key,
                writes,
                entries,
                lookups: 0,
                hits: 0,
                trust: Trust::default(),
            }
        };
        let conjunct = |number: usize, pred: PredId, reads: &IdSet<VarId>| {
            let key = words(reads);
            let entries = pays(&key).then(FxHashMap::default);
            let compiled = system.program.as_ref().and_then(|program| program.test(pred));
            ConjunctMemo { pred, number: number as u32, key, entries, compiled, trust: Trust::default() }
        };
        let all = |list: &[abridge_model::Conjunct]| -> Vec<ConjunctMemo> {
            let checked = list.iter().enumerate().filter(|(_, item)| !item.is_gluing);
            checked.map(|(idx, item)| conjunct(idx, item.pred, &item.reads)).collect()
        };
        ExplicitWorker {
            system,
            operations: system.operations.iter().enumerate().map(operation).collect(),
            invariant: all(&model.invariant),
            assertions: all(&model.assertions),
            goal: model
                .steering
                .goal
                .map(|pred| conjunct(0, pred, &abridge_model::effects::reads_of(model, pred).variables)),
            key: Vec::new(),
            target: Vec::new(),
            fast: FastPath::new(system),
        }
    }

    fn setup(&mut self, out: &mut Steps) {
        let system = self.system;
        let session = system.interp.session();
        let mut seen = std::collections::HashSet::new();
        let mut failure = None;
        session.setup_with(&system.pinned, &mut |state| match state {
            Ok(state) => {
                if system.config.max_initialisations.is_some_and(|max| seen.len() >= max) {
                    lock(&system.notes).is_capped = true;
                    return ControlFlow::Break(());
                }
                system.encode(&state, false, &mut self.target);
                if seen.insert(self.target[0]) {
                    out.push(SETUP, 1, &self.target);
                }
                ControlFlow::Continue(())
            }
            Err(error) => {
                out.is_ill_defined |= is_violation(&error);
                failure = Some(error);
                ControlFlow::Continue(())
            }
        });
        system.note(&session, "the constants", failure);
    }

    fn initialise(&mut self, constants: &State, out: &mut Steps) {
        let system = self.system;
        let session = system.interp.session();
        let mut failure = None;
        let mut count = 0;
        session.initialise(constants, &mut |state| match state {
            Ok(state) => {
                if system.config.max_initialisations.is_some_and(|max| count >= max) {
                    lock(&system.notes).is_capped = true;
                    return ControlFlow::Break(());
                }
                count += 1;
                system.encode(&state, true, &mut self.target);
                out.push(INITIALISATION, 1, &self.target);
                ControlFlow::Continue(())
            }
            Err(error) => {
                out.is_ill_defined |= is_violation(&error);
                failure = Some(error);
                ControlFlow::Continue(())
            }
        });
        system.note(&session, "the initialisation", failure);
    }

    fn operation(&mut self, idx: usize, words: &[u32], state: &mut Option<State>, out: &mut Steps) {
        let memo = &mut self.operations[idx];
        self.key.clear();
        self.key.push(words[0]);
        self.key.extend(memo.key.iter().map(|word| words[*word]));
        memo.lookups += 1;
        let known = memo.entries.as_ref().and_then(|entries| entries.get(self.key.as_slice()));
        if let Some(entry) = known {
            memo.hits += 1;
            emit(entry, memo, words, &mut self.target, out);
            return;
        }
        let fast = self.fast.as_mut().filter(|_| memo.trust.is_given() && self.system.config.max_operations.is_none());
        let entry = fast.and_then(|fast| {
            let entry = evaluate_fast(self.system, memo, fast, words);
            memo.trust.count(entry.is_some());
            entry
        });
        let entry = entry.unwrap_or_else(|| {
            let state = state.get_or_insert_with(|| self.system.decode(words).0);
            evaluate(self.system, memo, state)
        });
        emit(&entry, memo, words, &mut self.target, out);
        if let Some(entries) = &mut memo.entries {
            if entries.len() >= TRIAL && memo.hits < memo.lookups / 8 {
                memo.entries = None;
            } else {
                entries.insert(self.key.as_slice().into(), entry);
            }
        }
    }
}

/// Adds the steps of an entry to the buffer.
fn emit(entry: &Entry, memo: &OperationMemo, words: &[u32], target: &mut Vec<u32>, out: &mut Steps) {
    out.is_ill_defined |= entry.is_ill_defined;
    for outcome in entry.outcomes.chunks_exact(1 + memo.writes.len()) {
        target.clear();
        target.extend_from_slice(words);
        for (word, value) in memo.writes.iter().zip(&outcome[1..]) {
            target[*word] = *value;
        }
        out.push(memo.step, outcome[0], target);
    }
}

/// Transitions of an operation by target.
#[derive(Default)]
struct Groups {
    counts: FxHashMap<Vec<u32>, u32>,
    order: Vec<Vec<u32>>,
}

impl Groups {
    fn add(&mut self, written: Vec<u32>) {
        if let Some(count) = self.counts.get_mut(&written) {
            *count += 1;
            return;
        }
        self.order.push(written.clone());
        self.counts.insert(written, 1);
    }

    fn entry(self, is_ill_defined: bool) -> Entry {
        let Groups { counts, order } = self;
        let flat = order.into_iter().flat_map(|written| std::iter::once(counts[&written]).chain(written));
        Entry { outcomes: flat.collect(), is_ill_defined }
    }
}

/// Runs the compiled operation; nothing if it gives no answer here.
fn evaluate_fast(system: &Explicit<'_>, memo: &OperationMemo, fast: &mut FastPath<'_>, words: &[u32]) -> Option<Entry> {
    fast.load(system, words, memo.key.iter().chain(&memo.writes).copied());
    let mut groups = Groups::default();
    let done = fast.runtime.operation(memo.op, &mut |outcome| {
        groups.add(outcome.written.iter().map(|val| system.encode_val(val)).collect());
    });
    done.ok().map(|()| groups.entry(false))
}

/// Runs an operation with the plain interpreter.
fn evaluate(system: &Explicit<'_>, memo: &OperationMemo, state: &State) -> Entry {
    let session = system.interp.session();
    let mut groups = Groups::default();
    let mut is_ill_defined = false;
    let mut failure = None;
    let mut count = 0;
    session.operation(memo.op, state, &mut |transition| match transition {
        Ok(transition) => {
            if system.config.max_operations.is_some_and(|max| count >= max) {
                lock(&system.notes).is_capped = true;
                return ControlFlow::Break(());
            }
            count += 1;
            let written =
                memo.writes.iter().map(|word| transition.state.variables[system.variables[word - 1].index()].as_ref());
            groups.add(written.map(|val| val.map_or(UNSET, |val| system.encode_val(val))).collect());
            ControlFlow::Continue(())
        }
        Err(error) => {
            is_ill_defined |= is_violation(&error);
            if !is_violation(&error) {
                failure = Some(error);
            }
            ControlFlow::Continue(())
        }
    });
    system.note(&session, &system.model().operations[memo.op].name, failure);
    groups.entry(is_ill_defined)
}

/// The machine is to blame, not our means of evaluation.
fn is_violation(error: &Error) -> bool {
    error.is_ill_defined() || error.is_obligation()
}

impl Worker for ExplicitWorker<'_> {
    fn initial(&mut self, out: &mut Steps) {
        if self.system.has_setup {
            return self.setup(out);
        }
        self.initialise(&self.system.blank(), out);
    }

    fn successors(&mut self, words: &[u32], out: &mut Steps) {
        if words[0] & 1 == 0 {
            let (constants, _) = self.system.decode(words);
            return self.initialise(&constants, out);
        }
        let mut state = None;
        for idx in 0..self.operations.len() {
            self.operation(idx, words, &mut state, out);
        }
    }

    fn inspect(&mut self, words: &[u32], _: Option<&[u32]>, asked: Properties, found: &mut dyn FnMut(FindingKind)) {
        if words[0] & 1 == 0 {
            return;
        }
        let mut state = None;
        let ExplicitWorker { system, invariant, assertions, goal, key, fast, .. } = self;
        let mut truth = |memo: &mut ConjunctMemo| memo.truth(system, words, &mut state, key, fast.as_mut());
        if asked.invariant {
            for memo in invariant {
                match truth(memo) {
                    Truth::False => found(FindingKind::Invariant(memo.number)),
                    Truth::IllDefined => found(FindingKind::IllDefinedInvariant(memo.number)),
                    Truth::True | Truth::Unknown => {}
                }
            }
        }
        if asked.assertions {
            for memo in assertions {
                match truth(memo) {
                    Truth::False => found(FindingKind::Assertion(memo.number)),
                    Truth::IllDefined => found(FindingKind::IllDefinedAssertion(memo.number)),
                    Truth::True | Truth::Unknown => {}
                }
            }
        }
        if let Some(memo) = goal.as_mut().filter(|_| asked.goal)
            && truth(memo) == Truth::True
        {
            found(FindingKind::Goal);
        }
    }
}

impl ConjunctMemo {
    fn truth(
        &mut self,
        system: &Explicit<'_>,
        words: &[u32],
        state: &mut Option<State>,
        key: &mut Vec<u32>,
        fast: Option<&mut FastPath<'_>>,
    ) -> Truth {
        key.clear();
        key.push(words[0]);
        key.extend(self.key.iter().map(|word| words[*word]));
        if let Some(truth) = self.entries.as_ref().and_then(|entries| entries.get(key.as_slice())) {
            return *truth;
        }
        let answer = fast.filter(|_| self.trust.is_given()).and_then(|fast| self.fast_truth(system, words, fast));
        let truth =
            answer.unwrap_or_else(|| self.plain_truth(system, state.get_or_insert_with(|| system.decode(words).0)));
        if let Some(entries) = &mut self.entries {
            entries.insert(key.as_slice().into(), truth);
        }
        truth
    }

    fn fast_truth(&mut self, system: &Explicit<'_>, words: &[u32], fast: &mut FastPath<'_>) -> Option<Truth> {
        let test = self.compiled?;
        fast.load(system, words, self.key.iter().copied());
        let answer = fast.runtime.holds(test).ok();
        self.trust.count(answer.is_some());
        answer.map(|holds| if holds { Truth::True } else { Truth::False })
    }

    fn plain_truth(&self, system: &Explicit<'_>, state: &State) -> Truth {
        let session = system.interp.session();
        let truth = match session.pred(self.pred, &Env::new(state)) {
            Ok(true) => Truth::True,
            Ok(false) => Truth::False,
            Err(error) if is_violation(&error) => Truth::IllDefined,
            Err(error) => {
                system.note(&session, "a property of states", Some(error));
                Truth::Unknown
            }
        };
        system.note(&session, "a property of states", None);
        truth
    }
}

/// One step with its label, for traces.
#[derive(Clone, Debug)]
pub struct LabelledStep {
    /// Nothing for set-up and initialisation.
    pub op: Option<OpId>,
    pub params: Vec<Val>,
    pub outputs: Vec<Option<Val>>,
}

impl Explicit<'_> {
    /// A label of a step between two states, found by running the interpreter again; nothing if there is no such step.
    pub fn label(&self, from: Option<&[u32]>, to: &[u32]) -> Option<LabelledStep> {
        let plain = LabelledStep { op: None, params: Vec::new(), outputs: Vec::new() };
        let Some(from) = from.filter(|from| from[0] & 1 == 1) else {
            let mut steps = Steps::new(self.width());
            let mut worker = self.worker();
            match from {
                Some(from) => worker.successors(from, &mut steps),
                None => worker.initial(&mut steps),
            }
            return steps.iter().any(|(_, _, target)| target == to).then_some(plain);
        };
        let (state, _) = self.decode(from);
        let (target, _) = self.decode(to);
        for op in &self.operations {
            let mut found = None;
            let session = self.interp.session();
            session.operation(*op, &state, &mut |transition| match transition {
                Ok(transition) if transition.state.variables == target.variables => {
                    found =
                        Some(LabelledStep { op: Some(*op), params: transition.params, outputs: transition.outputs });
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// What is wrong in a state, operation by operation.
    pub fn errors_in(&self, words: &[u32]) -> Vec<(OpId, Error)> {
        let (state, _) = self.decode(words);
        let mut errors = Vec::new();
        for op in &self.operations {
            let session = self.interp.session();
            session.operation(*op, &state, &mut |transition| {
                if let Err(error) = transition {
                    errors.push((*op, error));
                }
                ControlFlow::Continue(())
            });
        }
        errors
    }

    /// Whether setting up constants is a step of its own.
    pub fn has_setup(&self) -> bool {
        self.has_setup
    }

    /// The state in which the machine waits for its first step: nothing but pinned constants has a value.
    pub fn blank(&self) -> State {
        let model = self.model();
        let mut constants: Slots = vec![None; model.constants.len()];
        for (id, val) in &self.pinned {
            constants[id.index()] = Some(val.clone());
        }
        State { constants: Arc::new(constants), variables: Arc::new(vec![None; model.variables.len()]) }
    }

    /// The vector of a state; it need not be reachable.
    pub fn words_of(&self, state: &State, is_initialised: bool) -> Vec<u32> {
        let mut words = Vec::with_capacity(self.width());
        self.encode(state, is_initialised, &mut words);
        words
    }

    /// The value of a predicate in a state.
    pub fn holds(&self, pred: PredId, words: &[u32]) -> Result<bool> {
        let (state, _) = self.decode(words);
        self.interp.session().pred(pred, &Env::new(&state))
    }
}
