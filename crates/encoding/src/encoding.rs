//! The encoding of a machine: cells, initial states, instances and properties.
//!
//! Everything is translated for symbolic values of the variables that rest on bounds (`bounds.rs`). If an action may leave a bound, the
//! translation starts again without it; each round knows less of at least one variable, so there are few. What comes out holds
//! in all reachable states: engines may take [`Encoding::assumptions`] for granted.

use abridge_blast::{Blast, CircuitValue, Lit};
use abridge_eval::{State, Val};
use abridge_model::{Conjunct, VarId};
use abridge_solve::encode::{ChoicePoint, TruthPair};
use abridge_value::BitSet;
use rustc_hash::FxHashSet;

use crate::actions::{Action, GuardRole, Meant, Translator};
use crate::bounds::{Declarer, Refuted};
use crate::cells::{CellId, Cells};
use crate::gap::{Cause, CircuitGap, GapSubject};
use crate::initial::{self, Initial};
use crate::prover::Prover;
use crate::source::{EncodingConfig, EncodingSource};

/// A machine under one valuation of the constants, as circuits.
pub struct Encoding {
    pub blast: Blast,
    pub cells: Cells,
    /// Literals that are true in all reachable states.
    pub assumptions: Vec<Lit>,
    /// No bound is kept without proof.
    has_proved_bounds: bool,
    pub initial: Initial,
    pub instances: Vec<Instance>,
    pub properties: Vec<StateProperty>,
    /// All that has no exact circuit.
    pub gaps: Vec<CircuitGap>,
    /// Steps of evaluation that the translation took, all rounds together.
    pub used_fuel: u64,
    /// The translation ended for want of steps in some part.
    pub is_cut: bool,
}

/// The steps of an operation with one label, or all its steps.
pub struct Instance {
    /// The position of the operation.
    pub operation: usize,
    /// Nothing for all labels together.
    pub label: Option<Vec<Val>>,
    /// Holds where there is a step, for some choices. With gaps: holds wherever there is one.
    pub relation: Lit,
    /// Cells that get a new literal, ascending; nothing where the new value has no circuit. Other cells keep their values.
    pub writes: Vec<(CellId, Option<Lit>)>,
    /// The inputs that stand for choices.
    pub choices: Vec<Lit>,
    /// There may be several outcomes.
    pub has_choice: bool,
    /// Choices of the body, in the order of execution.
    pub points: Vec<ChoicePoint>,
    /// Values of the outputs; nothing for one without a circuit.
    pub outputs: Vec<Option<CircuitValue>>,
    pub error: ErrorCondition,
    /// Holds where a step leaves bounds that are not proved: new literals mean nothing then.
    pub leaves: Lit,
    /// For each guard without a circuit the cells that it reads.
    pub opaque_guards: Vec<BitSet>,
    /// Cells that are read by something without a circuit.
    pub opaque_reads: BitSet,
    /// Why the instance is not exact.
    pub gaps: Vec<Cause>,
}

/// The condition under which evaluating an instance is an error.
pub struct ErrorCondition {
    /// The instance is evaluated: no guard is false, apart from those of a search further inside.
    pub context: Lit,
    /// Something is ill-defined then.
    pub ill_defined: Lit,
    /// Something without a circuit may be ill-defined too.
    pub is_doubtful: bool,
    /// Cells that parts of the body without a circuit, and guards without one, read.
    pub opaque_reads: BitSet,
}

impl Instance {
    /// The new literal of a cell that is written with a circuit.
    pub fn new_literal(&self, cell: CellId) -> Option<Lit> {
        let idx = self.writes.binary_search_by_key(&cell, |(cell, _)| *cell).ok()?;
        self.writes[idx].1
    }
}

/// Something that can be asked about every state.
pub struct StateProperty {
    pub kind: PropertyKind,
    /// When it is true and when it is false, or the reason why it has no circuit.
    pub truth: Result<TruthPair, Cause>,
    pub reads: Vec<VarId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// A conjunct, by position.
    Invariant(usize),
    Assertion(usize),
    Goal,
    /// A predicate of [`EncodingSource::propositions`], by position.
    Proposition(usize),
}

impl PropertyKind {
    /// The part of the machine that it is.
    pub fn subject(self) -> GapSubject {
        match self {
            PropertyKind::Invariant(idx) => GapSubject::Invariant(idx),
            PropertyKind::Assertion(idx) => GapSubject::Assertion(idx),
            PropertyKind::Goal => GapSubject::Goal,
            PropertyKind::Proposition(idx) => GapSubject::Proposition(idx),
        }
    }
}

impl Encoding {
    /// Encodes a machine for the constants of a state. The gap says why there is no encoding at all.
    pub fn new(
        source: &EncodingSource<'_>,
        constants: &State,
        config: &EncodingConfig,
        prover: &mut dyn Prover,
    ) -> Result<Encoding, CircuitGap> {
        Encoding::of_labels(source, constants, config, prover, &|_| true)
    }

    /// Encodes a machine with instances for some labels only. The steps of every other label must be those of one of them up to a permutation of interchangeable elements, which
    /// leaves the constants and everything that is said about states as it is: then bounds that these instances keep are kept by all.
    pub fn of_labels(
        source: &EncodingSource<'_>,
        constants: &State,
        config: &EncodingConfig,
        prover: &mut dyn Prover,
        is_meant: &dyn Fn(&[Val]) -> bool,
    ) -> Result<Encoding, CircuitGap> {
        let mut refuted = Refuted::default();
        let mut used_fuel = 0;
        loop {
            let session = source.interp.session();
            session.limit(config.fuel);
            let mut translator = Translator::new(&session, constants, config.max_one_hot);
            let (starts, cause) = initial::starts(&mut translator, &session, constants);
            let declared = Declarer::new(source, config, &mut translator, &starts, prover).declare_all(&refuted);
            if config.needs_cells && !source.variables.iter().any(|id| translator.shape(*id).is_some()) {
                let nothing =
                    CircuitGap { subject: GapSubject::Machine, cause: Cause::Construct("no variable with cells") };
                return Err(declared.gaps.into_iter().next().unwrap_or(nothing));
            }
            let actions = actions(source, config, &mut translator, prover, is_meant)?;
            let mut obligations = Vec::new();
            for (_, action) in &actions {
                let relation = relation(action, translator.blast());
                let stays = declared.obligations(&mut translator, action);
                obligations.extend(stays.into_iter().map(|(variable, stays)| (relation, variable, stays)));
            }
            let left = declared.refuted(&mut translator, &obligations, prover);
            if left.is_empty() {
                let properties = properties(source, &mut translator);
                let leaving: Vec<Option<Lit>> =
                    actions.iter().map(|(_, action)| declared.leaving(&mut translator, action)).collect();
                let shape = |id| translator.shape(id).cloned();
                let cells = Cells::new(&source.variables, shape);
                let mut blast = translator.into_blast();
                used_fuel += config.fuel - session.left();
                let initial = Initial::new(starts, cause, &cells, &mut blast);
                let mut builder = Builder { source, blast, cells };
                let actions = actions.into_iter().zip(leaving);
                let instances: Vec<Instance> =
                    actions.map(|((operation, action), leaves)| builder.instance(operation, action, leaves)).collect();
                let Builder { blast, cells, .. } = builder;
                let has_proved_bounds = declared.are_proved();
                let assumptions = declared.assumptions;
                let mut gaps = declared.gaps;
                note_gaps(&mut gaps, source, &initial, &instances, &properties);
                let is_cut = session.left() < config.fuel / 2;
                return Ok(Encoding {
                    blast,
                    cells,
                    assumptions,
                    has_proved_bounds,
                    initial,
                    instances,
                    properties,
                    gaps,
                    used_fuel,
                    is_cut,
                });
            }
            used_fuel += config.fuel - session.left();
            refuted.add(left, &declared);
        }
    }

    /// Properties that are nothing but bounds, all of which are proved: they hold in all reachable states.
    pub fn proved(&self) -> Vec<PropertyKind> {
        if !self.has_proved_bounds {
            return Vec::new();
        }
        let circuit = &self.blast.circuit;
        let known: FxHashSet<Lit> = self.assumptions.iter().flat_map(|lit| circuit.conjuncts(*lit)).collect();
        let is_known = |lit: &Lit| *lit == Lit::TRUE || known.contains(lit);
        let is_proved = |truth: TruthPair| circuit.conjuncts(truth.holds).iter().all(is_known);
        let proved = self.properties.iter().filter(|property| property.truth.is_ok_and(is_proved));
        proved.map(|property| property.kind).collect()
    }

    /// Whether every part of the machine has an exact circuit.
    pub fn is_exact(&self) -> bool {
        self.gaps.is_empty()
    }

    /// The literal that holds where a step of an instance leads from the cells of a state to others, given by literals of their own.
    pub fn transition(&mut self, instance: usize, next: impl Fn(CellId) -> Lit) -> Lit {
        let (instance, circuit) = (&self.instances[instance], &mut self.blast.circuit);
        let mut parts = vec![instance.relation];
        for cell in (0..self.cells.len() as u32).map(CellId) {
            let Some(old) = self.cells.input(cell) else { continue };
            let new = instance.new_literal(cell).unwrap_or(old);
            parts.push(circuit.iff(next(cell), new));
        }
        circuit.and_all(parts)
    }
}

/// Translates the operations.
fn actions(
    source: &EncodingSource<'_>,
    config: &EncodingConfig,
    translator: &mut Translator<'_>,
    prover: &dyn Prover,
    is_meant: &Meant<'_>,
) -> Result<Vec<(usize, Action)>, CircuitGap> {
    let mut actions = Vec::new();
    for (idx, (op, labels)) in source.labelled().enumerate() {
        let of_operation = translator.actions(op, labels, config.max_labels, is_meant);
        actions.extend(of_operation.into_iter().map(|action| (idx, action)));
        if actions.len() > config.max_instances {
            return Err(CircuitGap { subject: GapSubject::Operation(op), cause: Cause::ManyInstances });
        }
        if prover.is_over() {
            return Err(CircuitGap { subject: GapSubject::Machine, cause: Cause::Budget });
        }
    }
    Ok(actions)
}

/// The condition under which an action happens, as far as it has circuits.
fn relation(action: &Action, blast: &mut Blast) -> Lit {
    let guards = action.guards.iter().filter_map(|guard| guard.truth.ok()).map(|truth| truth.holds);
    blast.circuit.and_all(guards.chain([action.possible, action.defined]))
}

fn properties(source: &EncodingSource<'_>, translator: &mut Translator<'_>) -> Vec<StateProperty> {
    let model = source.interp.model();
    let mut properties = Vec::new();
    let mut add = |kind: PropertyKind, conjunct: &Conjunct| {
        if !conjunct.is_gluing {
            let (truth, reads) = (translator.truth(conjunct.pred), conjunct.reads.iter().collect());
            properties.push(StateProperty { kind, truth, reads });
        }
    };
    for (idx, conjunct) in model.invariant.iter().enumerate() {
        add(PropertyKind::Invariant(idx), conjunct);
    }
    for (idx, conjunct) in model.assertions.iter().enumerate() {
        add(PropertyKind::Assertion(idx), conjunct);
    }
    let goal = model.steering.goal.map(|goal| (PropertyKind::Goal, goal));
    let propositions = source.propositions.iter().enumerate();
    let propositions = propositions.map(|(idx, pred)| (PropertyKind::Proposition(idx), *pred));
    for (kind, pred) in goal.into_iter().chain(propositions) {
        let truth = translator.truth(pred);
        properties.push(StateProperty { kind, truth, reads: translator.reads(pred) });
    }
    properties
}

fn note_gaps(
    gaps: &mut Vec<CircuitGap>,
    source: &EncodingSource<'_>,
    initial: &Initial,
    instances: &[Instance],
    properties: &[StateProperty],
) {
    gaps.extend(initial.gap().map(|cause| CircuitGap { subject: GapSubject::Initialisation, cause }));
    for instance in instances {
        let subject = GapSubject::Operation(source.operation(instance.operation));
        gaps.extend(instance.gaps.iter().map(|cause| CircuitGap { subject, cause: *cause }));
    }
    for property in properties {
        let subject = property.kind.subject();
        gaps.extend(property.truth.err().map(|cause| CircuitGap { subject, cause }));
    }
    gaps.dedup();
}

/// Makes instances of actions.
struct Builder<'b> {
    source: &'b EncodingSource<'b>,
    blast: Blast,
    cells: Cells,
}

impl Builder<'_> {
    fn cells_of(&self, variables: &[VarId]) -> BitSet {
        variables.iter().flat_map(|id| self.cells.of(*id)).map(|cell| cell.0 as usize).collect()
    }

    /// The cells that literals depend on.
    fn reads_of(&self, lits: impl IntoIterator<Item = Lit>) -> BitSet {
        let inputs = self.blast.circuit.inputs_of(lits);
        inputs.into_iter().filter_map(|input| self.cells.of_input(input)).map(|cell| cell.0 as usize).collect()
    }

    fn instance(&mut self, operation: usize, action: Action, leaves: Option<Lit>) -> Instance {
        let mut opaque_reads = self.cells_of(&action.loose);
        let mut opaque_guards = Vec::new();
        let mut gaps = action.gaps.clone();
        gaps.extend(leaves.is_none().then_some(Cause::Construct("a new value that may leave its bounds")));
        for guard in &action.guards {
            if let Err(cause) = guard.truth {
                let reads = self.cells_of(&guard.reads);
                opaque_reads.union_with(&reads);
                opaque_guards.push(reads);
                gaps.push(cause);
            }
        }
        let error = self.error(&action);
        let relation = relation(&action, &mut self.blast);
        let leaves = self.blast.circuit.and(relation, leaves.unwrap_or(Lit::FALSE));
        let mut writes = Vec::new();
        for (variable, sym) in &action.updates {
            self.update(*variable, sym.as_ref(), &mut writes, &mut opaque_reads, &mut gaps);
        }
        writes.sort_unstable_by_key(|(cell, _)| *cell);
        let lits = writes.iter().filter_map(|(_, lit)| *lit);
        let mut choices =
            self.blast.circuit.inputs_of(lits.chain([relation, leaves, error.context, error.ill_defined]));
        choices.retain(|input| self.cells.of_input(*input).is_none());
        gaps.dedup();
        Instance {
            operation,
            label: action.label,
            relation,
            writes,
            choices,
            has_choice: action.has_choice,
            points: action.points,
            outputs: action.outputs,
            error,
            leaves,
            opaque_guards,
            opaque_reads,
            gaps,
        }
    }

    /// The cells that a new value of a variable changes.
    fn update(
        &mut self,
        variable: VarId,
        sym: Option<&CircuitValue>,
        writes: &mut Vec<(CellId, Option<Lit>)>,
        opaque_reads: &mut BitSet,
        gaps: &mut Vec<Cause>,
    ) {
        let mut lits = Vec::new();
        if let (Some(sym), Some((shape, cells))) = (sym, self.cells.shape(variable)) {
            let mut olds = Vec::new();
            shape.for_each_lit(&mut |lit| olds.push(lit));
            if self.blast.align(shape, sym, &mut lits).is_ok() {
                let changed = cells.iter().zip(olds).zip(&lits).filter(|((_, old), new)| old != *new);
                writes.extend(changed.filter_map(|((cell, _), new)| Some(((*cell)?, Some(*new)))));
                return;
            }
        }
        if let Some(sym) = sym {
            sym.for_each_lit(&mut |lit| lits.push(lit));
            opaque_reads.union_with(&self.reads_of(lits));
        }
        if sym.is_some() && !self.cells.is_opaque(variable) {
            gaps.push(Cause::Construct("a new value in another form"));
        }
        writes.extend(self.cells.of(variable).map(|cell| (cell, None)));
    }

    fn error(&mut self, action: &Action) -> ErrorCondition {
        let is_strict = !self.source.interp.config().ill_defined_guard_is_false;
        let (mut context, mut ill_defined, mut inner) = (Vec::new(), Vec::new(), vec![!action.defined]);
        let mut is_doubtful = action.is_doubtful;
        let mut opaque_reads = self.cells_of(&action.loose);
        for guard in &action.guards {
            match (guard.truth, guard.role) {
                (Ok(truth), GuardRole::Strict) if is_strict => {
                    context.push(!truth.fails);
                    ill_defined.push(self.blast.circuit.and(!truth.holds, !truth.fails));
                }
                (Ok(truth), GuardRole::Strict | GuardRole::Searched) => context.push(truth.holds),
                (Ok(truth), GuardRole::Inner) => inner.push(truth.holds),
                (Err(_), _) => {
                    is_doubtful |= guard.may_fail && is_strict;
                    opaque_reads.union_with(&self.cells_of(&guard.reads));
                }
            }
        }
        ill_defined.push(self.blast.circuit.and_all(inner));
        let circuit = &mut self.blast.circuit;
        ErrorCondition {
            context: circuit.and_all(context),
            ill_defined: circuit.or_all(ill_defined),
            is_doubtful,
            opaque_reads,
        }
    }
}
