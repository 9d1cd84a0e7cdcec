//! What is known about the instances of a machine's operations under one valuation of the constants.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use abridge_blast::{Evaluation, Formulas, Lit};
use abridge_encoding::{CellId, Cells};
use abridge_eval::Val;
use abridge_explicit::Explicit;
use abridge_model::Model;
use abridge_value::BitSet;
use rustc_hash::FxHashMap;

use crate::answers::Answers;
use crate::build;
use crate::theory::Theory;

/// An instance, or an error: a step that would be taken if something to be reported were the case.
pub type NodeId = usize;

/// A condition of instances and errors. All guards of an instance hold where it is enabled.
pub type GuardId = usize;

/// How deep to look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Only what circuits say by their form.
    Syntactic,
    /// With a SAT solver that gives up on a question after so many conflicts.
    Semantic { conflicts: u64 },
}

/// What the analyses of a run may use beside the machine: one budget for all valuations of the constants together.
#[derive(Clone)]
pub struct Means {
    /// What is known already, and what is added to it.
    pub answers: Arc<Answers>,
    /// Effort that is left, about one unit a question.
    effort: Arc<AtomicU64>,
    /// Asked between questions: whether the time is over. What was not asked until then is not known.
    is_over: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Means {
    /// So much effort, and no other limit of time.
    pub fn new(answers: Arc<Answers>, effort: u64) -> Means {
        Means { answers, effort: Arc::new(AtomicU64::new(effort)), is_over: Arc::new(|| false) }
    }

    /// Ends every analysis soon after the condition has become true.
    #[must_use]
    pub fn ended_by(self, is_over: impl Fn() -> bool + Send + Sync + 'static) -> Means {
        Means { is_over: Arc::new(is_over), ..self }
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

/// What a search is going to report beside ill-defined operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    pub deadlock: bool,
    pub invariant: bool,
    pub assertions: bool,
    pub goal: bool,
}

pub struct Facts {
    /// The instances, then the errors.
    pub(crate) nodes: Vec<Node>,
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
    /// For each node the instances that write what its guards read.
    pub(crate) writers: Vec<OnceLock<BitSet>>,
    /// For each instance those that it does not accord with.
    pub(crate) discords: Vec<OnceLock<BitSet>>,
    /// For each instance those that can disable it.
    pub(crate) disablers: Vec<OnceLock<BitSet>>,
    /// The translation had to get by with little, and might be more exact with more.
    pub(crate) is_hasty: bool,
    /// Deadlocks are asked for, and cannot be excluded.
    pub(crate) may_deadlock: bool,
    /// Conjuncts of the invariant and assertions that surely hold in all reachable states.
    pub(crate) proven: Vec<usize>,
}

pub(crate) enum Instances {
    Whole(NodeId),
    ByLabel(FxHashMap<Vec<Val>, NodeId>),
}

pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) guards: Vec<GuardId>,
}

pub(crate) enum Kind {
    Instance(Instance),
    /// What would be reported.
    Error(Wrong),
}

/// What an error reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wrong {
    Invariant(usize),
    Assertion(usize),
    Goal,
    IllDefined(NodeId),
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
    pub(crate) loose_reads: BitSet,
    /// Cells whose new value has no circuit.
    pub(crate) loose_writes: BitSet,
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

/// Sizes, for whoever wants to know.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Outline {
    pub instances: usize,
    pub errors: usize,
    pub cells: usize,
    pub proven: usize,
    pub questions: u64,
}

impl Facts {
    /// Facts for the constants of a state. Nothing if the machine is beyond analysis.
    pub fn new(system: &Explicit<'_>, words: &[u32], asked: Asked, depth: Depth, means: &Means) -> Option<Facts> {
        build::facts(system, words, asked, depth, means)
    }

    pub fn n_instances(&self) -> usize {
        self.n_instances
    }

    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// What may have to be reported. An error is never an instance.
    pub fn errors(&self) -> Range<NodeId> {
        self.n_instances..self.nodes.len()
    }

    /// Whether a deadlock may have to be reported.
    pub fn may_deadlock(&self) -> bool {
        self.may_deadlock
    }

    /// Whether more might be found out with more effort.
    pub fn may_improve(&self) -> bool {
        self.is_hasty || self.is_exhausted()
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
    /// with the facts.
    pub fn instance_of(&self, operation: usize, label: &[Val]) -> Option<NodeId> {
        match &self.operations[operation] {
            Instances::Whole(node) => Some(*node),
            Instances::ByLabel(instances) => instances.get(label).copied(),
        }
    }

    /// Whether all steps of an operation are one instance.
    pub fn is_whole(&self, operation: usize) -> Option<NodeId> {
        match self.operations[operation] {
            Instances::Whole(node) => Some(node),
            Instances::ByLabel(_) => None,
        }
    }

    pub fn guards_of(&self, node: NodeId) -> &[GuardId] {
        &self.nodes[node].guards
    }

    /// The cells that are true where a word of a state has this value; nothing if it contradicts the facts.
    pub fn true_cells(&self, word: usize, val: Option<&Val>) -> Option<Vec<CellId>> {
        self.cells.true_cells(word - 1, val)
    }

    /// The value of a guard in a state that is given by its true cells; nothing if it has no circuit.
    pub fn guard_value(&self, guard: GuardId, evaluation: &mut Evaluation, bits: &BitSet) -> Option<bool> {
        let formula = self.guards[guard].formula?;
        Some(self.formulas.value(formula, evaluation, |cell| bits.contains(cell as usize)))
    }

    pub(crate) fn instance(&self, node: NodeId) -> Option<&Instance> {
        match &self.nodes[node].kind {
            Kind::Instance(instance) => Some(instance),
            Kind::Error(_) => None,
        }
    }

    /// What a node is called.
    pub fn name(&self, model: &Model, operations: &[abridge_model::OpId], node: NodeId) -> String {
        match &self.nodes[node].kind {
            Kind::Instance(instance) => {
                let name = &model.operations[operations[instance.operation]].name;
                let vals = instance.label.iter().flatten().map(|val| abridge_eval::val_text(model, val));
                let vals: Vec<String> = vals.collect();
                if vals.is_empty() { name.to_string() } else { format!("{name}({})", vals.join(",")) }
            }
            Kind::Error(Wrong::Invariant(idx)) => format!("violation of invariant {}", idx + 1),
            Kind::Error(Wrong::Assertion(idx)) => format!("violation of assertion {}", idx + 1),
            Kind::Error(Wrong::Goal) => "goal".to_owned(),
            Kind::Error(Wrong::IllDefined(node)) => {
                format!("ill-defined {}", self.name(model, operations, *node))
            }
        }
    }
}
