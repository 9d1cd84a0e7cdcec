//! Dependencies among the instances of a machine's operations, under one valuation of the constants.
//!
//! Events are instances, which may happen, and errors, which would be reported. Each has guards over the cells of a state. Which instances enable, disable or
//! discord with which others is found out when somebody asks. Every answer may name too many instances, never too few: a missing one would let a
//! reduction leave out a step that leads to a violation.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use abridge_blast::{Evaluation, Formulas, Lit};
use abridge_encoding::{CellId, Cells, Source};
use abridge_eval::{State, Val};
use abridge_model::Model;
use abridge_value::BitSet;
use rustc_hash::FxHashMap;

use crate::answers::Answers;
use crate::build;
use crate::observe::{Observed, Watch};
use crate::theory::Theory;

/// An instance, or an error: a step that would be taken if something to be reported were the case.
pub type EventId = usize;

/// A condition of instances and errors. All guards of an instance hold where it is enabled.
pub type GuardId = usize;

/// The depth of an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Only what circuits say by their form.
    Syntactic,
    /// With a SAT solver that gives up on a question after so many conflicts.
    Semantic { conflicts: u64 },
}

/// Resources of the analyses of a run: one budget for all valuations of the constants together.
#[derive(Clone)]
pub struct Resources {
    /// Answers of earlier analyses; new ones are added.
    pub answers: Arc<Answers>,
    /// Effort that is left, about one unit a question.
    effort: Arc<AtomicU64>,
    /// Tells, between questions, that the time is over. What was not asked until then is not known.
    is_over: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Resources {
    /// So much effort, and no other limit of time.
    pub fn new(answers: Arc<Answers>, effort: u64) -> Resources {
        Resources { answers, effort: Arc::new(AtomicU64::new(effort)), is_over: Arc::new(|| false) }
    }

    /// Ends every analysis soon after the condition has become true.
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

    /// Takes effort away; false, and all of it, if that is more than is left.
    pub(crate) fn spend(&self, effort: u64) -> bool {
        let take = |left: u64| Some(left.saturating_sub(effort));
        self.effort.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok_and(|left| left >= effort)
    }
}

/// The findings that a search reports beside ill-defined operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    pub deadlock: bool,
    pub invariant: bool,
    pub assertions: bool,
    pub goal: bool,
}

pub struct Dependencies {
    /// The instances, then the errors.
    pub(crate) events: Vec<Event>,
    pub(crate) n_instances: usize,
    pub(crate) guards: Vec<Guard>,
    /// The literals of guards that have one.
    pub(crate) formulas: Formulas,
    pub(crate) cells: Cells,
    /// For each operation the instances by label, or the one that stands for all.
    pub(crate) operations: Vec<Instances>,
    pub(crate) theory: Mutex<Theory>,
    /// For each guard the instances that can make it true.
    pub(crate) enablers: Vec<OnceLock<BitSet>>,
    /// For each event the instances that write what its guards read.
    pub(crate) writers: Vec<OnceLock<BitSet>>,
    /// For each instance those that it does not accord with.
    pub(crate) discords: Vec<OnceLock<BitSet>>,
    /// For each instance those that can disable it.
    pub(crate) disablers: Vec<OnceLock<BitSet>>,
    /// Conditions that formulas about paths observe, and those of errors.
    pub(crate) watches: Vec<Watch>,
    /// Instances whose steps formulas observe.
    pub(crate) taken: BitSet,
    /// The instances that are noticed.
    pub(crate) noticed: OnceLock<BitSet>,
    /// The translation ran short of steps, and might be more exact with more.
    pub(crate) is_cut: bool,
    /// Deadlocks are asked for, and cannot be excluded.
    pub(crate) may_deadlock: bool,
    /// Conjuncts of the invariant and assertions that surely hold in all reachable states.
    pub(crate) proven: Vec<usize>,
}

pub(crate) enum Instances {
    Whole(EventId),
    ByLabel(FxHashMap<Vec<Val>, EventId>),
}

pub(crate) struct Event {
    pub(crate) kind: EventKind,
    pub(crate) guards: Vec<GuardId>,
}

pub(crate) enum EventKind {
    Instance(Instance),
    /// A finding that would be reported.
    Error(Violation),
}

/// The finding that an error stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Violation {
    Invariant(usize),
    Assertion(usize),
    Goal,
    IllDefined(EventId),
}

pub(crate) struct Instance {
    /// The position of the operation.
    pub(crate) operation: usize,
    /// Nothing for all labels together.
    pub(crate) label: Option<Vec<Val>>,
    /// Where it is enabled this holds, for some choice if there are choices.
    pub(crate) relation: Lit,
    /// Cells that get another literal; nothing where the new value has no circuit. Others keep their values.
    pub(crate) writes: Vec<(CellId, Option<Lit>)>,
    pub(crate) written: BitSet,
    pub(crate) reads: BitSet,
    /// Cells that are read by something without a circuit.
    pub(crate) opaque_reads: BitSet,
    /// Cells whose new value has no circuit.
    pub(crate) opaque_writes: BitSet,
    /// There may be several outcomes.
    pub(crate) has_choice: bool,
}

pub(crate) struct Guard {
    /// Nothing if it has no circuit.
    pub(crate) lit: Option<Lit>,
    /// Its position among the formulas.
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
    /// Dependencies of a machine for the constants of a state, and what formulas about paths observe. Nothing if the machine is beyond analysis.
    pub fn new(
        source: &Source<'_>,
        constants: &State,
        (asked, observed): (Asked, &[Observed]),
        depth: Depth,
        resources: &Resources,
    ) -> Option<Dependencies> {
        build::dependencies(source, constants, (asked, observed), depth, resources)
    }

    pub fn n_instances(&self) -> usize {
        self.n_instances
    }

    pub fn n_events(&self) -> usize {
        self.events.len()
    }

    /// What may have to be reported. An error is never an instance.
    pub fn errors(&self) -> Range<EventId> {
        self.n_instances..self.events.len()
    }

    /// Whether a deadlock may have to be reported.
    pub fn may_deadlock(&self) -> bool {
        self.may_deadlock
    }

    /// Whether more might be found out with more effort.
    pub fn may_improve(&self) -> bool {
        self.is_cut || self.is_exhausted()
    }

    /// Whether there were more questions than could be asked.
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

    /// The instance that a step belongs to, by the position of its operation and its label. There is one, unless something is wrong
    /// with the dependencies.
    pub fn instance_of(&self, operation: usize, label: &[Val]) -> Option<EventId> {
        match &self.operations[operation] {
            Instances::Whole(event) => Some(*event),
            Instances::ByLabel(instances) => instances.get(label).copied(),
        }
    }

    /// Whether all steps of an operation are one instance.
    pub fn is_whole(&self, operation: usize) -> Option<EventId> {
        match self.operations[operation] {
            Instances::Whole(event) => Some(event),
            Instances::ByLabel(_) => None,
        }
    }

    pub fn guards_of(&self, event: EventId) -> &[GuardId] {
        &self.events[event].guards
    }

    /// The cells that are true where a word of a state has this value; nothing if it contradicts the dependencies.
    pub fn true_cells(&self, word: usize, val: Option<&Val>) -> Option<Vec<CellId>> {
        self.cells.true_cells(word - 1, val)
    }

    /// The value of a guard in a state that is given by its true cells; nothing if it has no circuit.
    pub fn guard_value(&self, guard: GuardId, evaluation: &mut Evaluation, bits: &BitSet) -> Option<bool> {
        let formula = self.guards[guard].formula?;
        Some(self.formulas.value(formula, evaluation, |cell| bits.contains(cell as usize)))
    }

    pub(crate) fn instance(&self, event: EventId) -> Option<&Instance> {
        match &self.events[event].kind {
            EventKind::Instance(instance) => Some(instance),
            EventKind::Error(_) => None,
        }
    }

    /// The name of an event.
    pub fn name(&self, model: &Model, operations: &[abridge_model::OpId], event: EventId) -> String {
        match &self.events[event].kind {
            EventKind::Instance(instance) => {
                let name = &model.operations[operations[instance.operation]].name;
                let vals = instance.label.iter().flatten().map(|val| abridge_eval::val_text(model, val));
                let vals: Vec<String> = vals.collect();
                if vals.is_empty() { name.to_string() } else { format!("{name}({})", vals.join(",")) }
            }
            EventKind::Error(Violation::Invariant(idx)) => format!("violation of invariant {}", idx + 1),
            EventKind::Error(Violation::Assertion(idx)) => format!("violation of assertion {}", idx + 1),
            EventKind::Error(Violation::Goal) => "goal".to_owned(),
            EventKind::Error(Violation::IllDefined(event)) => {
                format!("ill-defined {}", self.name(model, operations, *event))
            }
        }
    }
}
