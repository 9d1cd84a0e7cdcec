//! A machine under one valuation of the constants, as gate programs over blocks of states.
//!
//! Two programs come from the encoding: one for the steps (guards, errors and new bits of every instance), one for the properties of states. What is chosen inside
//! an instance is enumerated, so that every instance has at most one outcome. An operation without an exact circuit, or whose transitions circuits cannot count, is
//! left to the explicit system, with the reason; so is a role (invariant, assertions, goal, propositions) with such a property. A step that no
//! instance covered would be lost, which is why everything doubtful is left.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use abridge_blast::{Circuit, Lit};
use abridge_diag::StopFlag;
use abridge_encoding::{
    CellId, Cells, CircuitGap, Encoding, EncodingConfig, EncodingSource, Instance, PropertyKind, SatProver,
};
use abridge_eval::{Interp, State, Val};
use abridge_explicit::{Explicit, StepOrder};
use abridge_model::LocalId;
use abridge_model_system::ModelSystem as _;
use abridge_system::LabelId;
use abridge_value::BitSet;
use rustc_hash::FxHashMap;

use crate::independence::{Independence, IndependentOutcome};
use crate::outcomes::{self, Drawn};
use crate::program::{GateProgram, Signal};
use crate::values::{Deltas, SlicedVariable};

/// Gates of both programs, beyond which blocks would not stay in the cache.
const MAX_GATES: usize = 1 << 17;
const MAX_INSTANCES: usize = 1 << 13;

/// Conflicts of a proof, and steps of a translation: the search waits for them.
const MAX_CONFLICTS: u64 = 2_000;
const MAX_FUEL: u64 = 5_000_000;

/// Both programs of a machine, and what their outputs mean.
pub(crate) struct GatePrograms {
    pub(crate) cells: Cells,
    pub(crate) variables: Vec<SlicedVariable>,
    pub(crate) deltas: Vec<Deltas>,
    pub(crate) steps: GateProgram,
    /// Something is ill-defined.
    pub(crate) doubt: Signal,
    /// By operation, in the order of the explicit system.
    pub(crate) outcomes: Vec<Outcome>,
    /// Groups with several outcomes, which follow each other.
    pub(crate) repeating: Vec<Range<usize>>,
    subjects: Vec<IndependentOutcome>,
    circuit: Circuit,
    /// Cells that were true in a state.
    loud: Vec<AtomicU64>,
    /// Quiet cells when independence was decided; at first, more than there are.
    n_quiet: AtomicUsize,
    independence: RwLock<Arc<Independence>>,
    /// For each operation the end of its outcomes; nothing if it is left to the explicit system.
    pub(crate) operations: Vec<Option<usize>>,
    /// For each operation whether all its outcomes have labels.
    pub(crate) has_labels: Vec<bool>,
    pub(crate) properties: GateProgram,
    /// Something is to be looked at, for each role; nothing for a role that is left to the explicit system.
    pub(crate) roles: [Option<Signal>; N_ROLES],
    /// Properties that hold in all reachable states with these constants.
    pub(crate) proved: Vec<PropertyKind>,
    /// Reasons for what is left to the explicit system.
    pub(crate) reasons: Vec<String>,
}

/// Invariant, assertions, goal and propositions.
pub(crate) const N_ROLES: usize = 4;
const GOAL: usize = 2;

/// One way in which a step can happen.
pub(crate) struct Outcome {
    /// The number of its operation in steps.
    pub(crate) operation: u32,
    pub(crate) enabled: Signal,
    pub(crate) updates: Vec<GateUpdate>,
    /// Outcomes of one group with equal targets are one transition.
    pub(crate) group: u32,
    /// The group has others.
    pub(crate) may_repeat: bool,
    /// Nothing if it depends on the state.
    pub(crate) label: Option<LabelId>,
}

/// The change of one variable.
pub(crate) struct GateUpdate {
    /// Positions among the variables and the deltas.
    pub(crate) variable: u32,
    pub(crate) deltas: u32,
    /// Further cells, by their numbers within the variable, and their literals.
    pub(crate) bits: Vec<(u32, Signal)>,
}

impl GatePrograms {
    /// Compiles a machine for the constants of a state, or says why not. It ends soon after `stop` is raised.
    pub(crate) fn new(system: &Explicit<'_>, constants: &State, stop: StopFlag) -> Result<GatePrograms, String> {
        let judge = system.judge().clone().stopped_by(stop.clone());
        let source = source(system, &judge);
        let mut prover = SatProver { conflicts: MAX_CONFLICTS, stop };
        let config = EncodingConfig {
            fuel: MAX_FUEL,
            keeps_unproved: true,
            needs_cells: !source.variables.is_empty(),
            ..EncodingConfig::default()
        };
        let encoding = Encoding::new(&source, constants, &config, &mut prover);
        let encoding = encoding.map_err(|gap| gap.text(system.model()))?;
        Builder::new(system, &source, encoding).build()
    }

    /// Cells of a state.
    pub(crate) fn n_cells(&self) -> usize {
        self.cells.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        let variables: u64 = self.variables.iter().map(SlicedVariable::bytes).sum();
        variables + self.deltas.iter().map(Deltas::bytes).sum::<u64>()
    }

    pub(crate) fn n_gates(&self) -> usize {
        self.steps.n_gates() + self.properties.n_gates()
    }

    /// What is known of the independence of outcomes.
    pub(crate) fn independence(&self) -> Arc<Independence> {
        self.independence.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes note of the cells that are true in some state.
    pub(crate) fn note_loud(&self, cells: impl Iterator<Item = usize>) {
        for cell in cells {
            let (word, bit) = (&self.loud[cell / 64], 1 << (cell % 64));
            if word.load(Ordering::Relaxed) & bit == 0 {
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
    }

    /// Decides anew which outcomes are independent: cells that were not true so far are quiet. False if no state was seen so far.
    pub(crate) fn learn_independence(&self) -> bool {
        let mut quiet = BitSet::with_room(self.n_cells());
        for cell in 0..self.n_cells() {
            if self.loud[cell / 64].load(Ordering::Relaxed) >> (cell % 64) & 1 == 0 {
                quiet.insert(cell);
            }
        }
        let n_quiet = quiet.len();
        // Quiet cells only become fewer.
        if n_quiet < self.n_cells() && self.n_quiet.swap(n_quiet, Ordering::Relaxed) != n_quiet {
            let found = Independence::new(&self.circuit, &self.cells, &self.subjects, &quiet);
            *self.independence.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(found);
        }
        n_quiet < self.n_cells()
    }

    /// Operations with circuits.
    pub(crate) fn n_sliced(&self) -> usize {
        self.operations.iter().flatten().count()
    }
}

/// What is encoded of a system, with an interpreter that the encoding may stop.
pub(crate) fn source<'s>(system: &Explicit<'_>, interp: &'s Interp<'s>) -> EncodingSource<'s> {
    EncodingSource {
        interp,
        variables: system.variables().to_vec(),
        operations: system.operation_ids().to_vec(),
        labels: (0..system.operation_ids().len()).map(|idx| label_locals(system, idx)).collect(),
        functions: Vec::new(),
        propositions: system.propositions().to_vec(),
    }
}

struct Builder<'b> {
    system: &'b Explicit<'b>,
    source: &'b EncodingSource<'b>,
    encoding: Encoding,
    reasons: Vec<String>,
    /// Literals of the steps that are needed, and where each is among them.
    roots: Vec<Lit>,
    places: FxHashMap<Lit, usize>,
    n_groups: u32,
}

impl<'b> Builder<'b> {
    fn new(system: &'b Explicit<'b>, source: &'b EncodingSource<'b>, encoding: Encoding) -> Self {
        let (roots, places) = (Vec::new(), FxHashMap::default());
        let Encoding { gaps, cells, .. } = &encoding;
        let is_opaque = |gap: &&CircuitGap| matches!(gap.subject, abridge_encoding::GapSubject::Variable(id) if cells.is_opaque(id));
        let reasons = gaps.iter().filter(is_opaque).map(|gap| gap.text(system.model())).collect();
        Builder { system, source, encoding, reasons, roots, places, n_groups: 0 }
    }

    fn build(mut self) -> Result<GatePrograms, String> {
        let (mut drawn, mut errors) = (Vec::new(), Vec::new());
        for operation in 0..self.source.operations.len() {
            let outcomes = match self.operation(operation, &mut errors) {
                Ok(outcomes) => Some(outcomes),
                Err(reason) => {
                    self.reasons.push(reason);
                    None
                }
            };
            drawn.push(outcomes);
        }
        if drawn.iter().flatten().map(Vec::len).sum::<usize>() > MAX_INSTANCES {
            return Err("the operations have too many outcomes".to_owned());
        }
        let (goals, roles) = self.roles();
        if drawn.iter().all(Option::is_none) && roles.iter().all(Option::is_none) {
            return Err(self.reasons.into_iter().next().unwrap_or_else(|| "nothing has a circuit".to_owned()));
        }
        let variables = self.variables();
        let doubt = self.encoding.blast.circuit.or_all(errors);
        let doubt = self.root(doubt);
        let (mut deltas, mut known) = (Vec::new(), FxHashMap::default());
        let mut sketches = Vec::new();
        let mut operations = Vec::new();
        for (operation, drawn) in drawn.into_iter().enumerate() {
            operations.push(drawn.map(|drawn| {
                for outcome in drawn {
                    let updates = self.updates(&variables, &outcome.writes, &mut deltas, &mut known);
                    sketches.push((operation, self.root(outcome.relation), updates, outcome));
                }
                sketches.len()
            }));
        }
        let proved = self.encoding.proved();
        let Encoding { blast, cells, .. } = self.encoding;
        let input = |lit: Lit| cells.of_input(lit).map(|cell| cell.0);
        let steps = GateProgram::new(&blast.circuit, &self.roots, cells.len(), input);
        let properties = GateProgram::new(&blast.circuit, &goals, cells.len(), input);
        if steps.n_gates() + properties.n_gates() > MAX_GATES {
            return Err("the circuits are too large".to_owned());
        }
        let signal = |place: usize| steps.roots[place];
        let (mut outcomes, mut subjects) = (Vec::new(), Vec::new());
        let mut has_labels = vec![true; operations.len()];
        for (operation, relation, updates, drawn) in sketches {
            let label = Self::label(self.system, &self.source.labels[operation], &drawn, operation);
            has_labels[operation] &= label.is_some();
            let Drawn { relation: lit, writes, group, may_repeat, .. } = drawn;
            outcomes.push(Outcome {
                operation: operation as u32 + abridge_model_system::FIRST_OPERATION,
                enabled: signal(relation),
                updates: updates.into_iter().map(|update| update.placed(signal)).collect(),
                group,
                may_repeat,
                label,
            });
            subjects.push(IndependentOutcome { relation: lit, writes });
        }
        Ok(GatePrograms {
            repeating: repeating(&outcomes),
            outcomes,
            subjects,
            loud: std::iter::repeat_with(AtomicU64::default).take(cells.len().div_ceil(64)).collect(),
            n_quiet: AtomicUsize::new(usize::MAX),
            independence: RwLock::default(),
            doubt: signal(doubt),
            roles: roles.map(|role| role.map(|place| properties.roots[place])),
            circuit: blast.circuit,
            cells,
            variables,
            deltas,
            steps,
            operations,
            has_labels,
            properties,
            proved,
            reasons: self.reasons,
        })
    }

    /// The label of the steps of an outcome, if it is always the same.
    fn label(system: &Explicit<'_>, locals: &[LocalId], drawn: &Drawn, operation: usize) -> Option<LabelId> {
        let value = |local: &LocalId| drawn.label.get(locals.iter().position(|other| other == local)?).cloned();
        let instance: Option<Vec<Val>> = system.instance_locals(operation).iter().map(value).collect();
        let outputs: Vec<Val> = drawn.outputs.as_ref()?.iter().cloned().map(Val::from).collect();
        Some(system.label(&instance?, &outputs))
    }

    /// The place of a literal among the roots.
    fn root(&mut self, lit: Lit) -> usize {
        *self.places.entry(lit).or_insert_with(|| {
            self.roots.push(lit);
            self.roots.len() - 1
        })
    }

    /// Variables with cells. The cells of a variable follow each other.
    fn variables(&self) -> Vec<SlicedVariable> {
        let cells = &self.encoding.cells;
        let numbered = self.source.variables.iter().enumerate().filter(|(_, id)| !cells.is_opaque(**id));
        let variable = |(position, id): (usize, &_)| {
            let own: Vec<usize> = cells.of(*id).map(|cell| cell.0 as usize).collect();
            let base = own.first().copied().unwrap_or(0);
            SlicedVariable::new(position, base, own.len(), self.system.n_values(position + 1))
        };
        numbered.map(variable).collect()
    }

    /// For each role that has circuits a literal that holds where something is to be looked at, and its place.
    fn roles(&mut self) -> (Vec<Lit>, [Option<usize>; N_ROLES]) {
        let (mut lits, mut gaps) = ([const { Vec::new() }; N_ROLES], [const { None }; N_ROLES]);
        for property in &self.encoding.properties {
            let role = role_of(property.kind);
            match property.truth {
                Ok(truth) if role == GOAL => lits[role].push(!truth.fails),
                Ok(truth) => lits[role].push(!truth.holds),
                Err(cause) => {
                    let subject = property.kind.subject();
                    gaps[role].get_or_insert(CircuitGap { subject, cause });
                }
            }
        }
        let (mut roots, mut places) = (Vec::new(), [None; N_ROLES]);
        for (role, (lits, gap)) in lits.into_iter().zip(gaps).enumerate() {
            match gap {
                Some(gap) => self.reasons.push(gap.text(self.system.model())),
                None => {
                    places[role] = Some(roots.len());
                    roots.push(self.encoding.blast.circuit.or_all(lits));
                }
            }
        }
        (roots, places)
    }

    /// The outcomes of an operation, or why it is left to the explicit system; the conditions of errors are added to `errors`.
    fn operation(&mut self, operation: usize, errors: &mut Vec<Lit>) -> Result<Vec<Drawn>, String> {
        let model = self.system.model();
        let op = &model.operations[self.source.operations[operation]];
        let left = |what: &str| format!("operation `{}` has no exact circuit: {what}", op.name);
        let own: Vec<usize> = (0..self.encoding.instances.len())
            .filter(|idx| self.encoding.instances[*idx].operation == operation)
            .collect();
        for idx in &own {
            let instance = &self.encoding.instances[*idx];
            if let Some(cause) = instance.gaps.first() {
                let subject = abridge_encoding::GapSubject::Operation(self.source.operations[operation]);
                return Err(CircuitGap { subject, cause: *cause }.text(model));
            }
            if !is_exact(instance) {
                return Err(left("a part that circuits do not say"));
            }
            if instance.label.is_none() {
                return Err(left("parameters that are chosen"));
            }
        }
        let is_compiled = self.system.is_compiled(operation);
        let order = self.system.step_order(operation);
        let Encoding { instances, blast, .. } = &mut self.encoding;
        let instances: Vec<&Instance> = own.into_iter().map(|idx| &instances[idx]).collect();
        let has_choice = instances.iter().any(|instance| instance.has_choice || !instance.choices.is_empty());
        if instances.len() > 1 || has_choice {
            if is_compiled && order.is_none() {
                return Err(left("steps whose order follows from the state"));
            }
            if !is_compiled && instances.len() > 1 && has_choice {
                return Err(left("choices beside parameters that only the interpreter makes"));
            }
        }
        let (labels, has_params) = (&self.source.labels[operation], !op.params.is_empty());
        let subject = outcomes::OutcomeSource { instances, labels, order: order.filter(|_| is_compiled), has_params };
        let mut own_errors = Vec::new();
        let drawn = subject.draw(&mut blast.circuit, &mut own_errors, &mut self.n_groups).map_err(left)?;
        errors.extend(own_errors);
        Ok(drawn)
    }

    /// The changes of variables by an outcome.
    fn updates(
        &mut self,
        variables: &[SlicedVariable],
        writes: &[(CellId, Lit)],
        deltas: &mut Vec<Deltas>,
        known: &mut FxHashMap<Masks, u32>,
    ) -> Vec<Sketch> {
        let mut updates = Vec::new();
        for (position, variable) in variables.iter().enumerate() {
            let zeros = || vec![0_u64; variable.n_words()].into_boxed_slice();
            let (mut clear, mut set, mut bits) = (zeros(), zeros(), Vec::new());
            let mut is_changed = false;
            for (cell, lit) in writes.iter().filter(|(cell, _)| variable.has(*cell)) {
                let bit = cell.0 as usize - variable.base;
                is_changed = true;
                match *lit {
                    Lit::TRUE => set[bit / 64] |= 1 << (bit % 64),
                    Lit::FALSE => clear[bit / 64] |= 1 << (bit % 64),
                    lit => bits.push((bit as u32, self.root(lit))),
                }
            }
            if is_changed {
                let key = (position, clear, set);
                let deltas = *known.entry(key).or_insert_with_key(|(_, clear, set)| {
                    deltas.push(Deltas::new(clear.clone(), set.clone()));
                    deltas.len() as u32 - 1
                });
                updates.push(Sketch { variable: position as u32, deltas, bits });
            }
        }
        updates
    }
}

fn repeating(outcomes: &[Outcome]) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut found = Vec::new();
    for group in outcomes.chunk_by(|one, other| one.group == other.group) {
        if group.len() > 1 {
            found.push(start..start + group.len());
        }
        start += group.len();
    }
    found
}

/// Position of a variable, and the bits that are cleared and set.
type Masks = (usize, Box<[u64]>, Box<[u64]>);

/// An update whose literals are given by their places among the roots.
struct Sketch {
    variable: u32,
    deltas: u32,
    bits: Vec<(u32, usize)>,
}

impl Sketch {
    fn placed(self, signal: impl Fn(usize) -> Signal) -> GateUpdate {
        let bits = self.bits.into_iter().map(|(bit, place)| (bit, signal(place))).collect();
        GateUpdate { variable: self.variable, deltas: self.deltas, bits }
    }
}

fn role_of(kind: PropertyKind) -> usize {
    match kind {
        PropertyKind::Invariant(_) => 0,
        PropertyKind::Assertion(_) => 1,
        PropertyKind::Goal => GOAL,
        PropertyKind::Proposition(_) => 3,
    }
}

/// Whether all parts of an instance have circuits.
fn is_exact(instance: &Instance) -> bool {
    instance.opaque_guards.is_empty()
        && !instance.error.is_doubtful
        && instance.writes.iter().all(|(_, new)| new.is_some())
}

/// Locals that tell the instances of an operation apart, and decide the order of their steps.
fn label_locals(system: &Explicit<'_>, operation: usize) -> Vec<LocalId> {
    let mut locals = system.instance_locals(operation).to_vec();
    let op = &system.model().operations[system.operation_ids()[operation]];
    if op.params.is_empty()
        && let Some(StepOrder { bound, .. }) = system.step_order(operation)
        && let Some(last) = bound.iter().rposition(|local| locals.contains(local))
    {
        // What is chosen before decides which step comes first, whether it is read or not.
        let before: Vec<LocalId> = bound[..last].iter().copied().filter(|local| !locals.contains(local)).collect();
        locals.extend(before);
    }
    locals
}
