//! [`Explicit`]: the interpreters of a model, the tables that encode states as vectors, and the data that all workers share.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use abridge_compile::{CompiledFragments, FixedSets, Interchangeable, Program};
use abridge_diag::with_stack;
use abridge_eval::{Classes, Error, ErrorKind, EvalConfig, Interp, Notations, Session, Slots, Unbounded, Val, Warning};
use abridge_external::Library;
use abridge_model::{Conjunct, ConstId, Model, OpId, PredId, VarId};
use abridge_model_system::ModelSystem as _;
use abridge_solve::Solver;
use abridge_system::{Failure, Gap};
use abridge_value::{Interner, Value, ValueId};

use crate::condition::Conditions;
use crate::conjunct::{ConjunctRole, Conjuncts, ProvedConjuncts};
use crate::layout::WordLayout;
use crate::lists::Lists;
use crate::operation::OperationMemos;
use crate::profile::Profile;
use crate::table::ValueTable;
use crate::{memo, order};

/// Makes the judge of a model: the plain interpreter with the solver and all external functions.
pub fn judge(model: &Model, config: EvalConfig) -> Interp<'_> {
    Interp::new(model, config, &Solver, Arc::new(Library::new(model)))
}

/// Makes the usual interpreter: the judge with compiled fragments.
pub fn interpreter(model: &Model, config: EvalConfig) -> Interp<'_> {
    judge(model, config).with_fragments(Arc::new(CompiledFragments::new(model)))
}

/// Options of the state space, beside those of evaluation.
#[derive(Clone, Debug)]
pub struct SystemConfig {
    /// Identify constants of a deferred set that are known to be distinct with its first elements, as ProB does.
    pub pin_constants: bool,
    /// Use memos for the outcomes of operations and conjuncts.
    pub memo: bool,
    /// Cap on the memory of memos, below the default bound.
    pub memo_bytes: Option<u64>,
    /// Use memos for labelled steps too ([`abridge_system::Steps::with_labels`]).
    pub labels: bool,
    /// Try the compiled form first.
    pub compiled: bool,
    /// Cap on the number of set-ups, and of initialisations of each set-up.
    pub max_initialisations: Option<usize>,
    /// Cap on the number of steps of one operation out of one state.
    pub max_operations: Option<usize>,
    /// Operations with at least two to this power choices of elements are performed for one choice per orbit, if possible and estimated to pay.
    /// Below -6, wherever it is possible.
    pub many_choices: f64,
    /// Measure time by operation and conjunct.
    pub profile: bool,
    /// Atomic propositions, in the order of their numbers.
    pub propositions: Vec<PredId>,
    /// Functions on states, in the order of their numbers ([`Explicit::transformer`]).
    pub transformations: Vec<OpId>,
}

impl Default for SystemConfig {
    fn default() -> Self {
        SystemConfig {
            pin_constants: false,
            memo: true,
            memo_bytes: None,
            labels: false,
            compiled: true,
            max_initialisations: None,
            max_operations: None,
            many_choices: 9.0,
            profile: false,
            propositions: Vec::new(),
            transformations: Vec::new(),
        }
    }
}

/// Explicit-state system of a model.
pub struct Explicit<'m> {
    /// The plain interpreter.
    pub(crate) judge: Interp<'m>,
    /// The judge with compiled fragments, if the configuration has them.
    pub(crate) interp: Interp<'m>,
    pub(crate) fragments: Option<Arc<CompiledFragments>>,
    pub(crate) config: SystemConfig,
    /// Variables of a state, in the order of the words.
    pub(crate) variables: Vec<VarId>,
    pub(crate) operations: Vec<OpId>,
    pub(crate) pinned: Vec<(ConstId, Val)>,
    /// Whether setting up constants is a separate step.
    pub(crate) has_setup: bool,
    /// Values of each variable.
    pub(crate) values: Vec<ValueTable>,
    /// Values of parameters, chosen locals and outputs.
    pub(crate) locals: Interner<Val>,
    /// Labels of steps, as lists of ids in `locals`.
    pub(crate) labels: Interner<Box<[u32]>>,
    pub(crate) constants: Interner<Arc<Slots>>,
    /// Carriers excluded from the group while initial states are generated one per orbit; `None` if the initialisation chooses no elements.
    pub(crate) initial_fixed_sets: Option<FixedSets>,
    /// Classes of symmetric valuations of the constants, if only one of each is set up.
    pub(crate) classes: OnceLock<Arc<dyn Classes>>,
    /// Elements that quantifiers need not distinguish.
    pub(crate) interchangeable: OnceLock<Arc<Interchangeable>>,
    pub(crate) notes: Mutex<Notes>,
    pub(crate) program: Option<Program>,
    pub(crate) operation_memos: Vec<OperationMemos>,
    /// Functions on states that are no steps.
    pub(crate) transformations: Vec<OperationMemos>,
    pub(crate) conditions: Conditions,
    pub(crate) invariant: Conjuncts,
    pub(crate) assertions: Conjuncts,
    pub(crate) goal: Conjuncts,
    /// Atomic propositions of temporal formulas.
    pub(crate) propositions: Conjuncts,
    /// SCOPE of the machine. States outside of it are neither inspected nor expanded.
    pub(crate) scope: Conjuncts,
    /// Conjuncts that need not be evaluated.
    pub(crate) proved: Mutex<Option<Arc<ProvedConjuncts>>>,
    pub(crate) lists: Lists,
    /// Parts of memo tables still to be copied to larger tables.
    pub(crate) moves: Mutex<Vec<memo::SlotRange>>,
    /// Number of times that memo tables were replaced, or conjuncts were proved.
    pub(crate) epoch: AtomicU32,
    /// Measurements of workers that have ended.
    pub(crate) profile: Mutex<Profile>,
    /// Made when a value is shown.
    pub(crate) notations: OnceLock<Notations>,
}

/// Different failures that are kept.
const MAX_FAILURES: usize = 100;

/// Warnings and failures of evaluation.
#[derive(Clone, Default)]
pub struct Notes {
    pub warnings: BTreeSet<Warning>,
    /// Evaluations that failed, each once and at most [`MAX_FAILURES`].
    pub failures: Vec<Failure>,
    /// Number of states outside SCOPE that were met. Steps to them are counted; they are not expanded.
    pub n_outside: u64,
}

impl Notes {
    fn add(&mut self, failure: Failure) {
        let is_known = |known: &Failure| known.what == failure.what && known.diagnostic == failure.diagnostic;
        if self.failures.len() < MAX_FAILURES && !self.failures.iter().any(is_known) {
            self.failures.push(failure);
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'m> Explicit<'m> {
    /// Makes the system of a model from its plain interpreter ([`judge`]).
    pub fn new(judge: Interp<'m>, config: SystemConfig) -> Self {
        with_stack(|| Explicit::new_inner(judge, config))
    }

    fn new_inner(judge: Interp<'m>, config: SystemConfig) -> Self {
        let model = judge.model();
        let fragments = config.compiled.then(|| Arc::new(CompiledFragments::new(model)));
        let interp = match &fragments {
            Some(fragments) => judge.with_fragments(fragments.clone()),
            None => judge.clone(),
        };
        let operations: Vec<OpId> = model.transitions().map(|(id, _)| id).collect();
        let variables = order::order(model, model.state_variables().map(|(id, _)| id).collect(), &operations);
        let pinned = if config.pin_constants { pinned(model) } else { Vec::new() };
        let has_setup = has_setup(model, &pinned);
        let program = config.compiled.then(|| Program::new(&interp));
        let SystemConfig { memo, labels, many_choices, .. } = config;
        let n_tables = model.invariant.len() + model.assertions.len() + operations.len();
        let is_frugal = n_tables > MAX_LARGE_TABLES;
        let words =
            WordLayout { memo, labels, many_choices, is_frugal, ..WordLayout::new(&variables, model.variables.len()) };
        let mut conditions = Conditions::default();
        let numbered = operations.iter().copied().enumerate();
        let operation_memos =
            numbered.map(|op| OperationMemos::new(model, &words, program.as_ref(), &mut conditions, op)).collect();
        let numbered = config.transformations.iter().copied().enumerate();
        let transformations =
            numbered.map(|op| OperationMemos::new(model, &words, program.as_ref(), &mut conditions, op)).collect();
        let conjuncts = |role, list: &[Conjunct]| {
            let checked = list.iter().enumerate().filter(|(_, item)| !item.is_gluing);
            let checked = checked.map(|(idx, item)| (idx as u32, item.pred, words.of(&item.reads)));
            Conjuncts::new(model, &words, program.as_ref(), role, checked)
        };
        let whole = |pred: &PredId| {
            let reads = abridge_model::effects::reads_of(model, *pred);
            (0, *pred, words.of(&reads.variables))
        };
        let goal = model.steering.goal.iter().map(whole);
        let numbered = (0..).zip(&config.propositions);
        let propositions: Vec<_> = numbered.map(|(number, pred)| (number, *pred, whole(pred).2)).collect();
        let propositions = propositions.into_iter();
        let scope = model.steering.scope.iter().filter(|_| abridge_model_system::has_scope(model)).map(whole);
        let is_frugal = variables.len() > MAX_LARGE_TABLES;
        Explicit {
            operation_memos,
            transformations,
            conditions,
            invariant: conjuncts(ConjunctRole::Invariant, &model.invariant),
            assertions: conjuncts(ConjunctRole::Assertion, &model.assertions),
            goal: Conjuncts::new(model, &words, program.as_ref(), ConjunctRole::Goal, goal),
            propositions: Conjuncts::new(model, &words, program.as_ref(), ConjunctRole::Proposition, propositions),
            scope: Conjuncts::new(model, &words, program.as_ref(), ConjunctRole::Scope, scope),
            values: variables.iter().map(|_| ValueTable::new(is_frugal, config.memo_bytes.is_some())).collect(),
            judge,
            interp,
            fragments,
            config,
            variables,
            operations,
            pinned,
            has_setup,
            locals: Interner::new(),
            labels: Interner::new(),
            constants: Interner::new(),
            initial_fixed_sets: FixedSets::of_initialisation(model).filter(|_| program.is_some()),
            classes: OnceLock::new(),
            interchangeable: OnceLock::new(),
            notes: Mutex::default(),
            program,
            lists: Lists::new(),
            moves: Mutex::default(),
            proved: Mutex::default(),
            epoch: AtomicU32::new(0),
            profile: Mutex::default(),
            notations: OnceLock::new(),
        }
    }

    pub fn notes(&self) -> Notes {
        lock(&self.notes).clone()
    }

    /// Measurements of workers that have ended.
    pub fn profile(&self) -> Profile {
        lock(&self.profile).clone()
    }

    /// Takes note of conjuncts that need not be evaluated. Those for other constants than the first ones are not kept.
    pub fn note_proved(&self, mut proved: ProvedConjuncts) {
        let mut known = lock(&self.proved);
        if let Some(known) = &*known {
            if known.constants != proved.constants {
                return;
            }
            proved.invariant.union_with(&known.invariant);
            proved.assertions.union_with(&known.assertions);
        }
        *known = Some(Arc::new(proved));
        self.epoch.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn proved(&self) -> Option<Arc<ProvedConjuncts>> {
        lock(&self.proved).clone()
    }

    /// Number of conjuncts that need not be evaluated.
    pub fn n_proved(&self) -> usize {
        self.proved().map_or(0, |proved| proved.invariant.len() + proved.assertions.len())
    }

    /// Steps of one operation are limited in number.
    pub fn is_capped(&self) -> bool {
        self.config.max_operations.is_some()
    }

    /// Value of a parameter, a chosen local or an output.
    pub(crate) fn local(&self, id: u32) -> &Val {
        self.locals.get(ValueId(id))
    }

    /// Memory of the memos.
    pub(crate) fn memo_bytes(&self) -> u64 {
        self.memos().map(|memo| memo.bytes()).sum::<u64>() + self.lists.bytes()
    }

    /// The number of values that a word of states has had.
    pub fn n_values(&self, word: usize) -> usize {
        self.values[word - 1].len()
    }

    /// Memory of the values that states and labels refer to.
    pub(crate) fn value_bytes(&self) -> u64 {
        self.values.iter().map(ValueTable::bytes).sum::<u64>() + self.locals.bytes() + self.labels.bytes()
    }

    /// All memos.
    pub(crate) fn memos(&self) -> impl Iterator<Item = &memo::Memo> {
        let operations = self.operation_memos.iter().chain(&self.transformations).flat_map(OperationMemos::memos);
        let conjuncts = [&self.invariant, &self.assertions, &self.goal, &self.propositions, &self.scope]
            .into_iter()
            .flat_map(Conjuncts::memos);
        operations.chain(self.conditions.memos()).chain(conjuncts)
    }

    /// Records the warnings of a session and its error, if any. Returns their effect on the completeness of its answers.
    pub(crate) fn note(&self, session: &Session<'_>, what: &str, error: Option<Error>) -> Option<Gap> {
        let warnings = session.take_warnings();
        if warnings.is_empty() && error.is_none() {
            return None;
        }
        let is_exact = self.interp.config().unbounded == Unbounded::Error;
        // A step that is missing, or a property that is false, may be so by assumption.
        let is_bounded = |warning: &Warning| warning.is_bounding(is_exact);
        let bounded = warnings.iter().any(is_bounded).then_some(Gap::Bounded);
        let mut notes = lock(&self.notes);
        notes.warnings.extend(warnings);
        let gap = error.as_ref().and_then(gap_of);
        if gap == Some(Gap::Stopped) {
            return gap;
        }
        if let Some(error) = error {
            let (is_violation, diagnostic) = (error.is_violation(), error.diagnostic(self.model()));
            notes.add(Failure { what: what.to_owned(), is_violation, diagnostic });
        }
        gap.max(bounded)
    }

    /// Records an error of the machine that leaves something open instead of being a finding.
    pub(crate) fn note_open(&self, what: &str, error: &Error) -> Gap {
        let (what, diagnostic) = (what.to_owned(), error.diagnostic(self.model()));
        lock(&self.notes).add(Failure { what, is_violation: false, diagnostic });
        Gap::Failed
    }
}

/// Effect of an error on the completeness of a list of steps. An error of the machine is a finding, not a gap.
pub(crate) fn gap_of(error: &Error) -> Option<Gap> {
    match error.kind() {
        ErrorKind::Stopped => Some(Gap::Stopped),
        ErrorKind::OutOfMemory => Some(Gap::Memory),
        _ if error.is_violation() => None,
        _ => Some(Gap::Failed),
    }
}

/// Number of tables beyond which each starts small, since many may never be used.
const MAX_LARGE_TABLES: usize = 1000;

/// Constants that ProB identifies with the first elements of their deferred set.
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

/// Whether some constant is not pinned, or a property says more than the type of a pinned constant.
fn has_setup(model: &Model, pinned: &[(ConstId, Val)]) -> bool {
    let is_pinned = |id: ConstId| pinned.iter().any(|(other, _)| *other == id);
    if model.constants.ids().any(|id| !is_pinned(id)) {
        return true;
    }
    model.properties.iter().any(|conjunct| !is_trivial(model, conjunct.pred))
}

/// Whether a predicate is `TRUE` or `c : S` for a constant `c` and a carrier `S`.
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
