//! Dependencies among the instances of the operations of a machine, for one valuation of the constants.
//!
//! Events are instances, which may happen, and errors, which would be reported. Each has guards over the cells of a state. The enabling, disabling
//! and discord relations are computed on demand. Every answer may contain too many instances, never too few: a missing one would let a reduction
//! omit a step that leads to a violation.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use abridge_blast::{Evaluation, Formulas, Lit};
use abridge_encoding::{CellId, Cells, EncodingSource, PropertyKind};
use abridge_eval::{State, Val};
use abridge_model::Model;
use abridge_value::BitSet;
use rustc_hash::FxHashMap;

use crate::answers::Answers;
use crate::build;
use crate::observe::{Observed, ObservedCondition};
use crate::theory::Theory;

/// Instance, or error: a fictitious step that is enabled in the states with a finding.
pub type EventId = usize;

/// Condition of events. All guards of an instance hold in the states where it is enabled.
pub type GuardId = usize;

/// Depth of an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnalysisDepth {
    /// By the form of circuits only.
    Syntactic,
    /// With a SAT solver that gives up on a question after this many conflicts.
    Semantic { conflicts: u64 },
}

/// Resources of the analyses of a run: one budget for all valuations of the constants together.
#[derive(Clone)]
pub struct Resources {
    /// Answers of earlier analyses; new ones are added.
    pub answers: Arc<Answers>,
    /// Remaining effort, about one unit per question.
    effort: Arc<AtomicU64>,
    /// Whether the time is over, checked between questions. Unasked questions then stay unknown.
    is_over: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Resources {
    /// Makes a budget of effort without a time limit.
    pub fn new(answers: Arc<Answers>, effort: u64) -> Resources {
        Resources { answers, effort: Arc::new(AtomicU64::new(effort)), is_over: Arc::new(|| false) }
    }

    /// Adds a condition that ends every analysis soon after it becomes true.
    #[must_use]
    pub fn ended_by(self, is_over: impl Fn() -> bool + Send + Sync + 'static) -> Resources {
        Resources { is_over: Arc::new(is_over), ..self }
    }

    pub fn is_over(&self) -> bool {
        (self.is_over)()
    }

    pub(crate) fn effort_left(&self) -> u64 {
        self.effort.load(Ordering::Relaxed)
    }

    /// Takes effort from the budget; `false` if there is not enough, after taking all of it.
    pub(crate) fn spend(&self, effort: u64) -> bool {
        let take = |left: u64| Some(left.saturating_sub(effort));
        self.effort.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok_and(|left| left >= effort)
    }
}

/// Findings that a search reports beside ill-defined operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AskedErrors {
    pub deadlock: bool,
    pub invariant: bool,
    pub assertions: bool,
    pub goal: bool,
}

pub struct Dependencies {
    /// Instances, then errors.
    pub(crate) events: Vec<AnalysedEvent>,
    pub(crate) n_instances: usize,
    pub(crate) guards: Vec<EventGuard>,
    /// Literals of the guards with a circuit.
    pub(crate) formulas: Formulas,
    pub(crate) cells: Cells,
    /// Instances of each operation by label, or the one instance for all labels.
    pub(crate) operations: Vec<ListedInstances>,
    pub(crate) theory: Mutex<Theory>,
    /// Instances that can make each guard true.
    pub(crate) enablers: Vec<OnceLock<BitSet>>,
    /// Instances that write cells read by the guards of each event.
    pub(crate) writers: Vec<OnceLock<BitSet>>,
    /// Instances that each instance does not accord with.
    pub(crate) discords: Vec<OnceLock<BitSet>>,
    /// Instances that can disable each instance.
    pub(crate) disablers: Vec<OnceLock<BitSet>>,
    /// Conditions that formulas about paths observe, and those of errors.
    pub(crate) watches: Vec<ObservedCondition>,
    /// Instances whose steps formulas observe.
    pub(crate) taken: BitSet,
    /// The instances that are noticed.
    pub(crate) noticed: OnceLock<BitSet>,
    /// The translation ran out of steps, and might be more exact with more.
    pub(crate) is_cut: bool,
    /// Deadlocks are asked for and not excluded.
    pub(crate) may_deadlock: bool,
    /// Conjuncts of the invariant and assertions that are proved to hold in all reachable states.
    pub(crate) proven: Vec<usize>,
}

pub(crate) enum ListedInstances {
    Whole(EventId),
    ByLabel(FxHashMap<Vec<Val>, EventId>),
}

pub(crate) struct AnalysedEvent {
    pub(crate) kind: EventKind,
    pub(crate) guards: Vec<GuardId>,
}

pub(crate) enum EventKind {
    Instance(AnalysedInstance),
    /// Finding that would be reported.
    Error(ErrorFinding),
}

/// Finding of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ErrorFinding {
    Invariant(usize),
    Assertion(usize),
    Goal,
    IllDefined(EventId),
}

pub(crate) struct AnalysedInstance {
    /// Index of the operation.
    pub(crate) operation: usize,
    /// `None` for all labels together.
    pub(crate) label: Option<Vec<Val>>,
    /// Literal that holds in all states where the instance is enabled, for some choice if there are choices.
    pub(crate) relation: Lit,
    /// New literals of the cells that it may change; `None` if the new value has no circuit. Other cells keep their values.
    pub(crate) writes: Vec<(CellId, Option<Lit>)>,
    pub(crate) written: BitSet,
    pub(crate) reads: BitSet,
    /// Cells read by formulas without a circuit.
    pub(crate) opaque_reads: BitSet,
    /// Cells whose new value has no circuit.
    pub(crate) opaque_writes: BitSet,
    /// There may be several outcomes.
    pub(crate) has_choice: bool,
}

pub(crate) struct EventGuard {
    /// `None` if it has no circuit.
    pub(crate) lit: Option<Lit>,
    /// Index among the formulas.
    pub(crate) formula: Option<usize>,
    pub(crate) reads: BitSet,
}

/// Sizes of an analysis, for reports.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Outline {
    pub instances: usize,
    pub errors: usize,
    pub cells: usize,
    pub proven: usize,
    pub questions: u64,
}

impl Dependencies {
    /// Dependencies of a machine for the constants of a state, and the observations of formulas about paths; `None` if the machine cannot be
    /// analysed.
    pub fn new(
        source: &EncodingSource<'_>,
        constants: &State,
        (asked, observed): (AskedErrors, &[Observed]),
        depth: AnalysisDepth,
        resources: &Resources,
    ) -> Option<Dependencies> {
        build::dependencies(source, constants, (asked, observed), depth, resources)
    }

    /// The invariants and assertions that are proved by induction to hold in all reachable states. Nothing if the resources did not last, or the machine cannot be analysed.
    pub fn proved_properties(
        source: &EncodingSource<'_>,
        constants: &State,
        depth: AnalysisDepth,
        resources: &Resources,
    ) -> Option<Vec<PropertyKind>> {
        build::proved_properties(source, constants, depth, resources)
    }

    pub fn n_instances(&self) -> usize {
        self.n_instances
    }

    pub fn n_events(&self) -> usize {
        self.events.len()
    }

    /// Possible errors.
    pub fn errors(&self) -> Range<EventId> {
        self.n_instances..self.events.len()
    }

    /// Whether deadlocks are asked for and not excluded.
    pub fn may_deadlock(&self) -> bool {
        self.may_deadlock
    }

    /// Whether more effort might give more exact answers.
    pub fn may_improve(&self) -> bool {
        self.is_cut || self.is_exhausted()
    }

    /// Whether the effort ran out.
    pub fn is_exhausted(&self) -> bool {
        self.theory.lock().is_ok_and(|theory| theory.is_exhausted)
    }

    pub fn outline(&self) -> Outline {
        Outline {
            instances: self.n_instances,
            errors: self.errors().len() + usize::from(self.may_deadlock),
            cells: self.cells.len(),
            proven: self.proven.len(),
            questions: self.theory.lock().map_or(0, |theory| theory.n_asked),
        }
    }

    /// Instance of a step, by the index of its operation and its label. A missing one is an error in the dependencies.
    pub fn instance_of(&self, operation: usize, label: &[Val]) -> Option<EventId> {
        match &self.operations[operation] {
            ListedInstances::Whole(event) => Some(*event),
            ListedInstances::ByLabel(instances) => instances.get(label).copied(),
        }
    }

    /// The instance of all steps of an operation, if there is only one.
    pub fn is_whole(&self, operation: usize) -> Option<EventId> {
        match self.operations[operation] {
            ListedInstances::Whole(event) => Some(event),
            ListedInstances::ByLabel(_) => None,
        }
    }

    pub fn guards_of(&self, event: EventId) -> &[GuardId] {
        &self.events[event].guards
    }

    /// Cells that are true if a word of a state has this value; `None` if the value contradicts the dependencies.
    pub fn true_cells(&self, word: usize, val: Option<&Val>) -> Option<Vec<CellId>> {
        self.cells.true_cells(word - 1, val)
    }

    /// Value of a guard in a state given by its true cells; `None` if it has no circuit.
    pub fn guard_value(&self, guard: GuardId, evaluation: &mut Evaluation, bits: &BitSet) -> Option<bool> {
        let formula = self.guards[guard].formula?;
        Some(self.formulas.value(formula, evaluation, |cell| bits.contains(cell as usize)))
    }

    pub(crate) fn instance(&self, event: EventId) -> Option<&AnalysedInstance> {
        match &self.events[event].kind {
            EventKind::Instance(instance) => Some(instance),
            EventKind::Error(_) => None,
        }
    }

    /// Name of an event.
    pub fn name(&self, model: &Model, operations: &[abridge_model::OpId], event: EventId) -> String {
        match &self.events[event].kind {
            EventKind::Instance(instance) => {
                let name = &model.operations[operations[instance.operation]].name;
                let vals = instance.label.iter().flatten().map(|val| abridge_eval::val_text(model, val));
                let vals: Vec<String> = vals.collect();
                if vals.is_empty() { name.to_string() } else { format!("{name}({})", vals.join(",")) }
            }
            EventKind::Error(ErrorFinding::Invariant(idx)) => format!("violation of invariant {}", idx + 1),
            EventKind::Error(ErrorFinding::Assertion(idx)) => format!("violation of assertion {}", idx + 1),
            EventKind::Error(ErrorFinding::Goal) => "goal".to_owned(),
            EventKind::Error(ErrorFinding::IllDefined(event)) => {
                format!("ill-defined {}", self.name(model, operations, *event))
            }
        }
    }
}
