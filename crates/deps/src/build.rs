//! Construction of dependencies from the encoding of a machine.
//!
//! The encoding gives the reads, writes and conditions of each instance. Guards are split into conjuncts, which instances share. Conjuncts that hold
//! in all reachable states are proved by induction, and impossible errors are dropped. A property that counts as proved without being so would
//! hide states that violate it.

use std::sync::{Mutex, OnceLock};

use abridge_blast::{Blast, Evaluation, Formulas, Lit, MAX_ONE_HOT, Replaced};
use abridge_encoding::{
    CellId, Cells, Encoding, EncodingConfig, EncodingSource, Initial, PropertyKind, Prover, StateProperty,
};
use abridge_eval::State;
use abridge_model::VarId;
use abridge_value::BitSet;
use rustc_hash::FxHashMap;

use crate::dependencies::{
    AnalysedEvent, AnalysedInstance, AnalysisDepth, AskedErrors, Dependencies, ErrorFinding, EventGuard, EventKind,
    GuardId, ListedInstances, Resources,
};
use crate::induction::inductive;
use crate::observe::{Observed, ObservedCondition, ObservedOperation};
use crate::theory::{QuestionKind, Theory};

/// Steps of evaluation for the translation of one valuation of the constants.
const MAX_FUEL: u64 = 30_000_000;
/// Steps of evaluation that count as one unit of effort.
const FUEL_PER_EFFORT: u64 = 1000;
/// Conflicts after which a bound of a variable is given up.
const BOUND_CONFLICTS: u64 = 2_000;

pub(crate) fn dependencies(
    source: &EncodingSource<'_>,
    constants: &State,
    (asked, observed): (AskedErrors, &[Observed]),
    depth: AnalysisDepth,
    resources: &Resources,
) -> Option<Dependencies> {
    let fuel = fuel(resources);
    let encoding = encode(source, constants, resources)?;
    let is_cut = fuel < MAX_FUEL && encoding.is_cut;
    let mut builder = DependencyBuilder::new(encoding, depth, resources);
    let operations = builder.add_instances(source.operations.len(), resources)?;
    builder.observe(source, constants, observed);
    let built = builder.build(operations, asked, resources)?;
    Some(Dependencies { is_cut, ..built })
}

/// Steps of evaluation that a translation may take.
fn fuel(resources: &Resources) -> u64 {
    MAX_FUEL.min(resources.effort_left().saturating_mul(FUEL_PER_EFFORT))
}

fn encode(source: &EncodingSource<'_>, constants: &State, resources: &Resources) -> Option<Encoding> {
    if resources.effort_left() == 0 {
        return None;
    }
    let config = EncodingConfig {
        max_one_hot: MAX_ONE_HOT,
        allows_drift: true,
        fuel: fuel(resources),
        ..EncodingConfig::default()
    };
    let encoding = Encoding::new(source, constants, &config, &mut BoundProver { resources }).ok()?;
    resources.spend(encoding.used_fuel / FUEL_PER_EFFORT);
    Some(encoding)
}

/// The properties that are proved by induction to hold in all reachable states; nothing if the analysis did not end, or the machine has no circuits.
pub(crate) fn proved_properties(
    source: &EncodingSource<'_>,
    constants: &State,
    depth: AnalysisDepth,
    resources: &Resources,
) -> Option<Vec<PropertyKind>> {
    let encoding = encode(source, constants, resources)?;
    let mut builder = DependencyBuilder::new(encoding, depth, resources);
    builder.add_instances(source.operations.len(), resources)?;
    builder.begin();
    let proven = builder.prove();
    (!builder.theory.is_exhausted).then(|| proven.into_iter().map(|idx| builder.properties[idx].kind).collect())
}

/// Prover of bounds. It uses cached answers and spends effort.
struct BoundProver<'m> {
    resources: &'m Resources,
}

impl Prover for BoundProver<'_> {
    fn satisfiable(&mut self, blast: &mut Blast, assumptions: &[Lit], queries: &[Vec<Lit>]) -> BitSet {
        let circuit = std::mem::replace(blast, Blast::new(0));
        let mut theory = Theory::new(circuit, Some(BOUND_CONFLICTS), self.resources.clone());
        theory.know(assumptions.iter().copied());
        let question = queries.iter().flat_map(|query| query.iter().map(|lit| lit.number()).chain([u32::MAX]));
        let open = theory.remembered(QuestionKind::Unbounded, question, queries.len(), |theory| {
            let may_hold = |(_, query): &(usize, &Vec<Lit>)| {
                let is_refuted = theory.refutes(query);
                theory.forget();
                !is_refuted
            };
            queries.iter().enumerate().filter(may_hold).map(|(idx, _)| idx).collect()
        });
        *blast = theory.blast;
        open
    }

    fn is_over(&self) -> bool {
        self.resources.is_over()
    }
}

/// Dependencies under construction.
struct DependencyBuilder {
    theory: Theory,
    cells: Cells,
    initial: Initial,
    assumptions: Vec<Lit>,
    encoded: Vec<abridge_encoding::Instance>,
    /// Functions on states that are no steps. What is proved about all states survives them, too.
    functions: Vec<AnalysedInstance>,
    properties: Vec<StateProperty>,
    /// Conditions under which evaluating an instance is an error.
    errors: Vec<(ErrorFinding, Vec<GuardId>)>,
    watches: Vec<ObservedCondition>,
    taken: BitSet,
    guards: Vec<EventGuard>,
    by_lit: FxHashMap<Lit, GuardId>,
    events: Vec<AnalysedEvent>,
}

impl DependencyBuilder {
    fn new(encoding: Encoding, depth: AnalysisDepth, resources: &Resources) -> DependencyBuilder {
        let conflicts = match depth {
            AnalysisDepth::Syntactic => None,
            AnalysisDepth::Semantic { conflicts } => Some(conflicts),
        };
        let Encoding { blast, cells, assumptions, initial, instances, properties, .. } = encoding;
        DependencyBuilder {
            theory: Theory::new(blast, conflicts, resources.clone()),
            cells,
            initial,
            assumptions,
            encoded: instances,
            functions: Vec::new(),
            properties,
            errors: Vec::new(),
            watches: Vec::new(),
            taken: BitSet::default(),
            guards: Vec::new(),
            by_lit: FxHashMap::default(),
            events: Vec::new(),
        }
    }

    /// Makes events of the instances; for each operation they are listed by label. Nothing if the run ends meanwhile.
    fn add_instances(&mut self, n_operations: usize, resources: &Resources) -> Option<Vec<ListedInstances>> {
        let mut operations: Vec<ListedInstances> =
            (0..n_operations).map(|_| ListedInstances::ByLabel(FxHashMap::default())).collect();
        for encoded in std::mem::take(&mut self.encoded) {
            if resources.is_over() {
                return None;
            }
            if encoded.operation >= n_operations {
                let function = self.instance(encoded);
                self.functions.push(function);
                continue;
            }
            let event = self.events.len();
            match (&encoded.label, &mut operations[encoded.operation]) {
                (Some(label), ListedInstances::ByLabel(instances)) => _ = instances.insert(label.clone(), event),
                (_, slot) => *slot = ListedInstances::Whole(event),
            }
            let guards = self.error_guards(&encoded);
            self.errors.extend(guards.map(|guards| (ErrorFinding::IllDefined(event), guards)));
            let guards = self.step_guards(&encoded);
            let instance = self.instance(encoded);
            self.events.push(AnalysedEvent { kind: EventKind::Instance(instance), guards });
        }
        Some(operations)
    }

    /// Notes what formulas about paths observe.
    fn observe(&mut self, source: &EncodingSource<'_>, constants: &State, observed: &[Observed]) {
        for one in observed {
            match one {
                Observed::Truth(pred) => {
                    let position = source.propositions.iter().position(|known| known == pred);
                    let is_meant = |known: &&StateProperty| matches!(known.kind, PropertyKind::Proposition(idx) if Some(idx) == position);
                    let truth = self.properties.iter().find(is_meant).and_then(|property| property.truth.ok());
                    let watch = match truth {
                        Some(truth) => self.watch(vec![truth.holds, truth.fails]),
                        None => {
                            let reads = self.cells_of(&source.interp.names_of_pred(*pred).variables);
                            ObservedCondition { lits: None, reads }
                        }
                    };
                    self.watches.push(watch);
                }
                Observed::Value(expr) => {
                    let reads = self.cells_of(&source.interp.names_of_expr(*expr).variables);
                    self.watches.push(ObservedCondition { lits: None, reads });
                }
                Observed::Enabled(pattern) => {
                    let (events, is_fixed) = self.meant(source, constants, pattern);
                    // If the state decides which of them are meant, none may change.
                    let groups = match is_fixed {
                        true => vec![events],
                        false => events.iter().map(|event| BitSet::from_iter([event])).collect(),
                    };
                    for group in groups {
                        let watch = self.watch_enabled(&group);
                        self.watches.push(watch);
                    }
                }
                Observed::Taken(pattern) => {
                    let (events, _) = self.meant(source, constants, pattern);
                    self.taken.union_with(&events);
                }
            }
        }
    }

    /// A condition that is known by literals.
    fn watch(&mut self, lits: Vec<Lit>) -> ObservedCondition {
        let (reads, is_all) = self.reads_of(lits.iter().copied());
        ObservedCondition { lits: is_all.then_some(lits), reads }
    }

    /// The instances that a pattern may mean, and whether these are the same in all states. What its arguments read is observed.
    fn meant(&mut self, source: &EncodingSource<'_>, constants: &State, pattern: &ObservedOperation) -> (BitSet, bool) {
        let (fixed, is_all) = pattern.fixed(source, constants);
        if !is_all {
            let arguments = pattern.arguments.iter().flatten();
            let names = arguments.flat_map(|argument| source.interp.names_of_expr(*argument).variables.clone());
            let reads = self.cells_of(&names.collect::<Vec<VarId>>());
            self.watches.push(ObservedCondition { lits: None, reads });
        }
        let is_meant = |event: &usize| {
            as_instance(&self.events[*event]).is_some_and(|instance| {
                instance.operation == pattern.operation && pattern.may_mean(source, instance.label.as_deref(), &fixed)
            })
        };
        ((0..self.events.len()).filter(is_meant).collect(), is_all)
    }

    /// The condition that some of these instances is enabled.
    fn watch_enabled(&mut self, events: &BitSet) -> ObservedCondition {
        let mut reads = BitSet::default();
        let mut relations = Some(Vec::new());
        for event in events.iter() {
            self.events[event].guards.iter().for_each(|guard| reads.union_with(&self.guards[*guard].reads));
            match self.exact_relation(event) {
                Some(relation) => relations.iter_mut().for_each(|relations| relations.push(relation)),
                None => relations = None,
            }
        }
        let lits = relations.map(|relations| vec![self.theory.circuit().or_all(relations)]);
        ObservedCondition { lits, reads }
    }

    /// The condition under which an instance is enabled, if that is known exactly: where there is a choice or no circuit, nobody knows when it is
    /// disabled.
    fn exact_relation(&self, event: usize) -> Option<Lit> {
        let is_exact = |guard: &GuardId| self.guards[*guard].lit.is_some();
        let instance = as_instance(&self.events[event])?;
        let all_are = !instance.has_choice && self.events[event].guards.iter().all(is_exact);
        all_are.then_some(instance.relation)
    }

    /// Before questions are asked: all instances are there.
    fn begin(&mut self) {
        self.theory.keep();
        self.note_instances();
        self.theory.know(self.assumptions.iter().copied());
    }

    /// Circuits may be large, so each stage takes a while. Nothing if the run ends between two of them.
    fn build(
        mut self,
        operations: Vec<ListedInstances>,
        asked: AskedErrors,
        resources: &Resources,
    ) -> Option<Dependencies> {
        let goes_on = || (!resources.is_over()).then_some(());
        self.begin();
        goes_on()?;
        let proven = self.prove();
        goes_on()?;
        let n_instances = self.events.len();
        self.add_errors(&proven, asked);
        goes_on()?;
        let may_deadlock = asked.deadlock && self.may_deadlock();
        goes_on()?;
        Some(Dependencies { may_deadlock, ..self.dependencies(n_instances, operations, proven) })
    }

    /// Cells that literals depend on, and whether they depend on cells only.
    fn reads_of(&mut self, lits: impl IntoIterator<Item = Lit>) -> (BitSet, bool) {
        let inputs = self.theory.circuit().inputs_of(lits);
        let cells: Vec<Option<CellId>> = inputs.into_iter().map(|input| self.cells.of_input(input)).collect();
        let is_all = cells.iter().all(Option::is_some);
        (cells.into_iter().flatten().map(|cell| cell.0 as usize).collect(), is_all)
    }

    fn cells_of(&self, variables: &[VarId]) -> BitSet {
        variables.iter().flat_map(|id| self.cells.of(*id)).map(|cell| cell.0 as usize).collect()
    }

    fn opaque_guard(&mut self, reads: BitSet) -> GuardId {
        self.guards.push(EventGuard { lit: None, formula: None, reads });
        self.guards.len() - 1
    }

    /// Appends the guards whose conjunction is a literal. A guard over choice inputs has no known literal over the state.
    fn guards_of(&mut self, lit: Lit, out: &mut Vec<GuardId>) {
        for part in self.theory.circuit().conjuncts(lit) {
            if let Some(known) = self.by_lit.get(&part) {
                out.push(*known);
                continue;
            }
            let (reads, is_all) = self.reads_of([part]);
            let guard = self.guards.len();
            self.guards.push(EventGuard { lit: is_all.then_some(part), formula: None, reads });
            self.by_lit.insert(part, guard);
            out.push(guard);
        }
    }

    /// Guards whose conjunction is the condition of an instance.
    fn step_guards(&mut self, encoded: &abridge_encoding::Instance) -> Vec<GuardId> {
        let mut guards = Vec::new();
        self.guards_of(encoded.relation, &mut guards);
        for reads in &encoded.opaque_guards {
            guards.push(self.opaque_guard(reads.clone()));
        }
        if encoded.error.is_doubtful {
            // An evaluation that may fail may also omit the step.
            guards.push(self.opaque_guard(encoded.opaque_reads.clone()));
        }
        guards.sort_unstable();
        guards.dedup();
        guards
    }

    fn instance(&mut self, encoded: abridge_encoding::Instance) -> AnalysedInstance {
        let lits = encoded.writes.iter().filter_map(|(_, lit)| *lit).chain([encoded.relation]);
        let (mut reads, _) = self.reads_of(lits);
        reads.union_with(&encoded.opaque_reads);
        let opaque_writes = encoded.writes.iter().filter(|(_, lit)| lit.is_none());
        AnalysedInstance {
            operation: encoded.operation,
            label: encoded.label,
            relation: encoded.relation,
            written: encoded.writes.iter().map(|(cell, _)| cell.0 as usize).collect(),
            opaque_writes: opaque_writes.map(|(cell, _)| cell.0 as usize).collect(),
            writes: encoded.writes,
            reads,
            opaque_reads: encoded.opaque_reads,
            has_choice: encoded.has_choice,
        }
    }

    /// Guards under which evaluating an instance is an error; `None` if it never is.
    fn error_guards(&mut self, encoded: &abridge_encoding::Instance) -> Option<Vec<GuardId>> {
        let error = &encoded.error;
        let mut guards = Vec::new();
        self.guards_of(error.context, &mut guards);
        for reads in &encoded.opaque_guards {
            guards.push(self.opaque_guard(reads.clone()));
        }
        if error.is_doubtful {
            // Any cell that is read may decide.
            let mut reads = error.opaque_reads.clone();
            reads.union_with(&self.reads_of([error.ill_defined]).0);
            guards.push(self.opaque_guard(reads));
        } else if error.ill_defined == Lit::FALSE {
            return None;
        } else {
            self.guards_of(error.ill_defined, &mut guards);
        }
        guards.sort_unstable();
        guards.dedup();
        Some(guards)
    }

    /// Adds the instances, on which all answers depend, to the digest.
    fn note_instances(&mut self) {
        self.theory.note(self.cells.describe());
        for instance in self.events.iter().filter_map(as_instance).chain(&self.functions) {
            let writes = instance.writes.iter().flat_map(|(cell, lit)| [cell.0, lit.map_or(u32::MAX, Lit::number)]);
            self.theory.note(writes.chain([instance.relation.number(), u32::from(instance.has_choice)]));
            for cells in [&instance.reads, &instance.opaque_reads, &instance.opaque_writes] {
                self.theory.note(cells.iter().map(|cell| cell as u32));
            }
        }
    }

    /// Adds the guards, once all are known, to the digest.
    fn note_guards(&mut self) {
        for event in &self.events {
            self.theory.note(event.guards.iter().map(|guard| *guard as u32));
        }
        for guard in &self.guards {
            let reads = guard.reads.iter().map(|cell| cell as u32);
            self.theory.note(reads.chain([guard.lit.map_or(u32::MAX, Lit::number)]));
        }
    }

    /// Indices of the properties that hold in all reachable states.
    fn prove(&mut self) -> Vec<usize> {
        if !self.initial.is_known() || !self.theory.is_semantic() {
            return Vec::new();
        }
        let is_goal =
            |property: &StateProperty| matches!(property.kind, PropertyKind::Goal | PropertyKind::Proposition(_));
        let parts: Vec<Vec<Lit>> = self
            .properties
            .iter()
            .map(|property| match property.truth.ok().filter(|_| !is_goal(property)) {
                Some(truth) => self.theory.circuit().conjuncts(truth.holds),
                None => Vec::new(),
            })
            .collect();
        let mut candidates: Vec<Lit> = parts.iter().flatten().copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        self.keep_initial(&mut candidates);
        let (theory, cells, assumptions) = (&mut self.theory, &self.cells, &self.assumptions);
        let instances: Vec<&AnalysedInstance> =
            self.events.iter().filter_map(as_instance).chain(&self.functions).collect();
        let proven = inductive(theory, cells, &instances, assumptions, candidates);
        theory.know(assumptions.iter().chain(&proven).copied());
        let holds = |(idx, parts): (usize, &Vec<Lit>)| {
            let has_circuit = self.properties[idx].truth.is_ok() && !is_goal(&self.properties[idx]);
            (has_circuit && parts.iter().all(|part| proven.contains(part))).then_some(idx)
        };
        parts.iter().enumerate().filter_map(holds).collect()
    }

    /// Drops the candidates that may be false in some initial state.
    fn keep_initial(&mut self, candidates: &mut Vec<Lit>) {
        match &self.initial {
            Initial::Unknown(_) => candidates.clear(),
            Initial::List(states, _) => {
                let number = |lit: Lit| self.cells.of_input(lit).map_or(u32::MAX, |cell| cell.0);
                let formulas = Formulas::new(&self.theory.blast.circuit, candidates, number);
                let mut evaluation = Evaluation::default();
                let mut keeps = vec![true; candidates.len()];
                for bits in states {
                    evaluation.begin();
                    for (idx, keeps) in keeps.iter_mut().enumerate() {
                        *keeps &= formulas.value(idx, &mut evaluation, |cell| bits.contains(cell as usize));
                    }
                }
                let mut keeps = keeps.into_iter();
                candidates.retain(|_| keeps.next() == Some(true));
            }
            Initial::Circuit { holds, .. } => {
                let (theory, cells, initial) = (&mut self.theory, &self.cells, &self.initial);
                let question: Vec<u32> = candidates.iter().map(|lit| lit.number()).collect();
                let kept = theory.remembered(QuestionKind::Initial, question, candidates.len(), |theory| {
                    let holds_initially = |(_, candidate): &(usize, &Lit)| {
                        let done = &mut Replaced::default();
                        let at_start = initial.substituted(**candidate, cells, &mut theory.blast, done);
                        let is_kept = at_start.is_some_and(|at_start| theory.refutes(&[*holds, !at_start]));
                        theory.forget();
                        is_kept
                    };
                    candidates.iter().enumerate().filter(holds_initially).map(|(idx, _)| idx).collect()
                });
                let mut idx = 0..;
                candidates.retain(|_| idx.next().is_some_and(|idx| kept.contains(idx)));
            }
        }
    }

    fn add_errors(&mut self, proven: &[usize], asked: AskedErrors) {
        let mut errors = std::mem::take(&mut self.errors);
        for (idx, property) in std::mem::take(&mut self.properties).into_iter().enumerate() {
            let (is_asked, what) = match property.kind {
                PropertyKind::Invariant(idx) => (asked.invariant, ErrorFinding::Invariant(idx)),
                PropertyKind::Assertion(idx) => (asked.assertions, ErrorFinding::Assertion(idx)),
                PropertyKind::Goal => (asked.goal, ErrorFinding::Goal),
                PropertyKind::Proposition(_) => continue,
            };
            if !is_asked || proven.contains(&idx) {
                continue;
            }
            let Ok(truth) = property.truth else {
                let guard = self.opaque_guard(self.cells_of(&property.reads));
                errors.push((what, vec![guard]));
                continue;
            };
            let ill_defined = self.theory.circuit().and(!truth.holds, !truth.fails);
            let wanted = if what == ErrorFinding::Goal { truth.holds } else { truth.fails };
            for lit in [wanted, ill_defined] {
                let mut guards = Vec::new();
                self.guards_of(lit, &mut guards);
                errors.push((what, guards));
            }
        }
        self.theory.keep();
        // Guards with a literal can prove that an error cannot happen.
        let known = |guards: &Vec<GuardId>| guards.iter().filter_map(|guard| self.guards[*guard].lit).collect();
        let lits: Vec<Vec<Lit>> = errors.iter().map(|(_, guards)| known(guards)).collect();
        let question = lits.iter().flat_map(|lits| lits.iter().map(|lit| lit.number()).chain([u32::MAX]));
        let impossible = self.theory.remembered(QuestionKind::Impossible, question, errors.len(), |theory| {
            let cannot_happen = |idx: &usize| {
                let cannot_happen = theory.refutes(&lits[*idx]);
                theory.forget();
                cannot_happen
            };
            (0..lits.len()).filter(cannot_happen).collect()
        });
        for (idx, (what, guards)) in errors.into_iter().enumerate() {
            if !impossible.contains(idx) {
                let watch = self.watch_error(&guards);
                self.watches.push(watch);
                self.events.push(AnalysedEvent { kind: EventKind::Error(what), guards });
            }
        }
        self.theory.keep();
    }

    /// The condition of an error.
    fn watch_error(&mut self, guards: &[GuardId]) -> ObservedCondition {
        let mut reads = BitSet::default();
        guards.iter().for_each(|guard| reads.union_with(&self.guards[*guard].reads));
        let lits: Option<Vec<Lit>> = guards.iter().map(|guard| self.guards[*guard].lit).collect();
        let lits = lits.map(|lits| vec![self.theory.circuit().and_all(lits)]);
        ObservedCondition { lits, reads }
    }

    /// Whether all instances may be disabled together.
    fn may_deadlock(&mut self) -> bool {
        let relations = (0..self.events.len()).filter_map(|event| self.exact_relation(event));
        let disabled: Vec<Lit> = relations.map(|relation| !relation).collect();
        let question = disabled.iter().map(|lit| lit.number());
        let may = self.theory.remembered(QuestionKind::Deadlock, question, 1, |theory| {
            let may = !theory.refutes(&disabled);
            theory.forget();
            may.then_some(0).into_iter().collect()
        });
        !may.is_empty()
    }

    fn dependencies(
        mut self,
        n_instances: usize,
        operations: Vec<ListedInstances>,
        proven: Vec<usize>,
    ) -> Dependencies {
        self.note_guards();
        let mut lits = Vec::new();
        for guard in &mut self.guards {
            if let Some(lit) = guard.lit {
                guard.formula = Some(lits.len());
                lits.push(lit);
            }
        }
        let cells = &self.cells;
        let number = |lit: Lit| cells.of_input(lit).map_or(u32::MAX, |cell| cell.0);
        let formulas = Formulas::new(&self.theory.blast.circuit, &lits, number);
        Dependencies {
            enablers: self.guards.iter().map(|_| OnceLock::new()).collect(),
            writers: self.events.iter().map(|_| OnceLock::new()).collect(),
            discords: (0..n_instances).map(|_| OnceLock::new()).collect(),
            disablers: (0..n_instances).map(|_| OnceLock::new()).collect(),
            watches: self.watches,
            taken: self.taken,
            noticed: OnceLock::new(),
            is_cut: false,
            may_deadlock: true,
            events: self.events,
            n_instances,
            guards: self.guards,
            formulas,
            cells: self.cells,
            operations,
            theory: Mutex::new(self.theory),
            proven,
        }
    }
}

fn as_instance(event: &AnalysedEvent) -> Option<&AnalysedInstance> {
    match &event.kind {
        EventKind::Instance(instance) => Some(instance),
        EventKind::Error(_) => None,
    }
}
