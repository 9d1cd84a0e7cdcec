//! Makes facts from the circuits of a machine.

use std::sync::{Mutex, OnceLock};

use abridge_blast::{Evaluation, Formulas, Lit, Sym};
use abridge_encoding::{Action, Translator, Truth};
use abridge_eval::{Session, State, Val};
use abridge_explicit::{Explicit, INITIALISATION};
use abridge_model::ids::Id as _;
use abridge_model::{Conjunct, IdSet, Model, TypeTable, VarId};
use abridge_system::{Steps, System as _, Worker as _};
use abridge_value::{BitSet, Int, Set};
use rustc_hash::FxHashMap;

use crate::facts::{Asked, Depth, Facts, Guard, GuardId, Instance, Instances, Kind, Means, Node, Wrong};
use crate::induction::inductive;
use crate::places::{PlaceId, Places};
use crate::theory::{Theory, Topic};

/// Labels of one operation, beyond which it stays whole.
const MOST_LABELS: usize = 1024;
/// Instances altogether, beyond which a machine is not analysed.
const MOST_INSTANCES: usize = 4096;
/// Literals of one variable, beyond which it counts as a whole.
const MOST_LITERALS: usize = 4096;
/// Steps of evaluation for the translation.
const FUEL: u64 = 30_000_000;
/// The same where questions are few.
const FUEL_PER_QUESTION: u64 = 1000;
/// Initial states, beyond which nothing is proved by induction.
const MOST_INITIAL: usize = 4096;

pub(crate) fn facts(system: &Explicit<'_>, words: &[u32], asked: Asked, depth: Depth, means: &Means) -> Option<Facts> {
    let (state, _) = system.decode(words);
    let initial = Initial::of(system, &state);
    let mut known = Known::default();
    let fuel = match depth {
        Depth::Syntactic => FUEL,
        Depth::Semantic { effort, .. } => FUEL.min(effort.saturating_mul(FUEL_PER_QUESTION)),
    };
    // Each round knows less of at least one variable.
    loop {
        let session = system.judge().session();
        session.limit(fuel);
        let mut draft = Draft::new(system, &session, &state, &initial, &known);
        draft.act(means)?;
        match draft.finish(asked, depth, &initial, means) {
            Ok(facts) => return Some(Facts { is_hasty: fuel < FUEL && session.left() < fuel / 2, ..facts }),
            Err(unbounded) => unbounded.into_iter().for_each(|variable| {
                if !known.wide.insert(variable) {
                    known.hidden.insert(variable);
                }
            }),
        }
    }
}

/// What has turned out about variables.
#[derive(Default)]
struct Known {
    /// They may leave the sets that the invariant names.
    wide: IdSet<VarId>,
    /// They count as a whole.
    hidden: IdSet<VarId>,
}

/// Integers without bounds are taken to be between minus this and this. A step changes them by no more than [`MOST_GROWTH`], so the facts
/// hold in all states that are less than 2^32 steps away from those with integers below half of it: wherever a search without
/// reduction, which counts states with 32 bits, can get.
const WIDE: i64 = 1 << 39;
const MOST_GROWTH: i64 = 64;

/// The initial states for some constants.
struct Initial {
    states: Vec<Vec<u32>>,
    /// These are all.
    is_complete: bool,
}

impl Initial {
    fn of(system: &Explicit<'_>, constants: &State) -> Initial {
        let blank = State {
            constants: constants.constants.clone(),
            variables: std::sync::Arc::new(vec![None; system.model().variables.len()]),
        };
        let mut steps = Steps::new(system.width());
        let completeness = system.worker().successors(&system.words_of(&blank, false), &mut steps);
        let initial = steps.iter().filter(|step| step.operation == INITIALISATION);
        let states: Vec<Vec<u32>> = initial.map(|step| step.target.to_vec()).collect();
        let is_complete = completeness.is_whole() && states.len() <= MOST_INITIAL;
        Initial { states, is_complete }
    }
}

/// Facts in the making.
struct Draft<'d, 's> {
    system: &'d Explicit<'d>,
    symbolic: Translator<'s>,
    /// What is true of the inputs because of their types and sets.
    conditions: Vec<Lit>,
    /// Sets that variables have been taken to be in without a type that says so.
    bounds: Vec<(VarId, Val)>,
    /// Integers that have no bounds.
    wide: Vec<VarId>,
    /// With the position of the operation.
    actions: Vec<(usize, Action, Stays)>,
}

/// How a set that the invariant names is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// Functions to sets, argument by argument.
    Function,
    Any,
}

/// What must hold for new values of variables to stay within the bounds; nothing if that has no circuit.
type Stays = Vec<(VarId, Option<Lit>)>;

impl<'d, 's> Draft<'d, 's> {
    fn new(
        system: &'d Explicit<'d>,
        session: &'s Session<'s>,
        constants: &State,
        initial: &Initial,
        known: &Known,
    ) -> Self {
        let symbolic = Translator::new(session, constants);
        let mut draft = Draft {
            system,
            symbolic,
            conditions: Vec::new(),
            bounds: Vec::new(),
            wide: Vec::new(),
            actions: Vec::new(),
        };
        for (idx, variable) in system.state_variables().iter().enumerate() {
            let (word, is_wide) = (idx + 1, known.wide.contains(*variable));
            let is_declared = !known.hidden.contains(*variable) && draft.declare(*variable, word, initial, is_wide);
            if !is_declared {
                draft.symbolic.hide(*variable);
            }
        }
        draft
    }

    /// Gives a variable a symbolic value: any of its type, or of a set that the invariant names. What has left such a set is `wide`.
    fn declare(&mut self, variable: VarId, word: usize, initial: &Initial, is_wide: bool) -> bool {
        !is_wide && self.declare_bound(variable, word, initial, Bound::Function)
            || self.declare_type(variable)
            || !is_wide && self.declare_bound(variable, word, initial, Bound::Any)
            || self.declare_wide(variable, word, initial)
    }

    fn declare_type(&mut self, variable: VarId) -> bool {
        let Some(condition) = self.symbolic.declare(variable, None).filter(|_| self.is_small(variable)) else {
            return false;
        };
        self.conditions.push(condition);
        true
    }

    /// Takes a set that the invariant names, if the initial states allow that.
    fn declare_bound(&mut self, variable: VarId, word: usize, initial: &Initial, kind: Bound) -> bool {
        let model = self.system.model();
        if !initial.is_complete {
            return false;
        }
        for pred in model.invariant.iter().map(|conjunct| conjunct.pred) {
            for part in self.symbolic.conjuncts(pred) {
                let bound = match kind {
                    Bound::Function => self.symbolic.function_bound(part),
                    Bound::Any => self.symbolic.bound(part),
                };
                let Some((_, set)) = bound.filter(|(bounded, _)| *bounded == variable) else { continue };
                let condition = match kind {
                    Bound::Function => self.symbolic.declare_function(variable, &set),
                    Bound::Any => self.symbolic.declare(variable, Some(&set)),
                };
                if let Some(condition) = condition
                    && self.is_small(variable)
                    && self.starts_within(variable, word, initial)
                {
                    self.conditions.push(condition);
                    self.bounds.push((variable, set));
                    return true;
                }
            }
        }
        false
    }

    /// Lets an integer have almost any value.
    fn declare_wide(&mut self, variable: VarId, word: usize, initial: &Initial) -> bool {
        let is_integer = self.system.model().variables[variable].ty == TypeTable::INTEGER;
        if !is_integer || !initial.is_complete {
            return false;
        }
        let range = |most: i64| Val::from(Set::interval(Int::from(-most), Int::from(most)));
        if self.symbolic.declare(variable, Some(&range(WIDE / 2))).is_none()
            || !self.starts_within(variable, word, initial)
        {
            return false;
        }
        let Some(condition) = self.symbolic.declare(variable, Some(&range(WIDE))) else { return false };
        self.conditions.push(condition);
        self.wide.push(variable);
        true
    }

    /// Whether a new value of a wide integer is one that it can have, if not for long; nothing if that is not known.
    fn grows_slowly(&mut self, sym: Option<&Sym>) -> Option<Lit> {
        let (lo, hi) = self.symbolic.blast().int_range(sym?).ok()?;
        (lo >= -WIDE - MOST_GROWTH && hi <= WIDE + MOST_GROWTH).then_some(Lit::TRUE)
    }

    fn is_small(&self, variable: VarId) -> bool {
        let mut n_lits = 0;
        self.symbolic.shape(variable).into_iter().for_each(|sym| sym.for_each_lit(&mut |_| n_lits += 1));
        (1..=MOST_LITERALS).contains(&n_lits)
    }

    fn starts_within(&self, variable: VarId, word: usize, initial: &Initial) -> bool {
        let Some(shape) = self.symbolic.shape(variable) else { return false };
        initial.states.iter().all(|words| {
            let val = self.system.value_of(word, words[word]).and_then(Val::as_value);
            val.is_some_and(|val| shape.bits_of(val, &mut Vec::new()))
        })
    }

    /// Translates the operations; nothing if there are too many instances or the time is over.
    fn act(&mut self, means: &Means) -> Option<()> {
        for (idx, op) in self.system.operations().iter().enumerate() {
            let actions = self.symbolic.actions(*op, self.system.label_locals(idx), MOST_LABELS);
            for action in actions {
                let mut stays = Vec::new();
                for (variable, sym) in &action.updates {
                    if self.wide.contains(variable) {
                        stays.push((*variable, self.grows_slowly(sym.as_ref())));
                    }
                    let Some((_, set)) = self.bounds.iter().find(|(bounded, _)| bounded == variable) else { continue };
                    stays.push((*variable, sym.as_ref().and_then(|sym| self.symbolic.member(sym, set))));
                }
                self.actions.push((idx, action, stays));
            }
            if self.actions.len() > MOST_INSTANCES || (means.is_over)() {
                return None;
            }
        }
        Some(())
    }

    /// The facts, or the variables that may leave their bounds.
    fn finish(mut self, asked: Asked, depth: Depth, initial: &Initial, means: &Means) -> Result<Facts, Vec<VarId>> {
        let (system, model) = (self.system, self.system.model());
        let shapes: FxHashMap<VarId, Sym> =
            system.state_variables().iter().filter_map(|id| Some((*id, self.symbolic.shape(*id)?.clone()))).collect();
        let properties = Properties::of(model, &mut self.symbolic, asked);
        let is_strict = !system.judge().config().ill_defined_guard_is_false;
        let places = Places::new(system.state_variables(), |id| shapes.get(&id).cloned());
        let (conflicts, effort) = match depth {
            Depth::Syntactic => (None, 0),
            Depth::Semantic { conflicts, effort } => (Some(conflicts), effort),
        };
        let mut builder = Builder {
            theory: Theory::new(self.symbolic.into_blast(), conflicts, effort, means.clone()),
            places,
            guards: Vec::new(),
            by_lit: FxHashMap::default(),
            nodes: Vec::new(),
            is_strict,
        };
        let mut stays = Vec::new();
        let mut slips = Vec::new();
        let mut operations: Vec<Instances> =
            system.operations().iter().map(|_| Instances::ByLabel(FxHashMap::default())).collect();
        for (operation, action, bounds) in self.actions {
            let node = builder.nodes.len();
            match (&action.label, &mut operations[operation]) {
                (Some(label), Instances::ByLabel(instances)) => _ = instances.insert(label.clone(), node),
                (_, slot) => *slot = Instances::Whole(node),
            }
            slips.push(builder.instance(operation, &action));
            stays.push(bounds);
        }
        builder.theory.keep();
        builder.note_instances();
        builder.theory.know(self.conditions.iter().copied());
        builder.check_bounds(&stays)?;
        let proven = builder.prove(&self.conditions, &properties, initial, system);
        let n_instances = builder.nodes.len();
        builder.add_errors(slips, &properties, &proven);
        let may_deadlock = asked.deadlock && builder.may_deadlock();
        Ok(Facts { may_deadlock, ..builder.facts(n_instances, operations, proven) })
    }
}

/// What is to be reported, as circuits.
struct Properties {
    items: Vec<Property>,
}

struct Property {
    what: Wrong,
    /// Nothing if it has no circuit.
    truth: Option<Truth>,
    reads: Vec<VarId>,
    /// Whether it is asked for; others may help to prove something.
    is_asked: bool,
}

impl Properties {
    fn of(model: &Model, symbolic: &mut Translator<'_>, asked: Asked) -> Properties {
        let mut items = Vec::new();
        let mut add = |what: Wrong, conjunct: &Conjunct, is_asked: bool| {
            if !conjunct.is_gluing {
                let (truth, reads) = (symbolic.truth(conjunct.pred), conjunct.reads.iter().collect());
                items.push(Property { what, truth, reads, is_asked });
            }
        };
        for (idx, conjunct) in model.invariant.iter().enumerate() {
            add(Wrong::Invariant(idx), conjunct, asked.invariant);
        }
        for (idx, conjunct) in model.assertions.iter().enumerate() {
            add(Wrong::Assertion(idx), conjunct, asked.assertions);
        }
        if let Some(goal) = model.steering.goal.filter(|_| asked.goal) {
            let truth = symbolic.truth(goal);
            items.push(Property { what: Wrong::Goal, truth, reads: symbolic.reads(goal), is_asked: true });
        }
        Properties { items }
    }
}

/// When the evaluation of an instance may fail.
struct Slip {
    guards: Vec<GuardId>,
}

struct Builder {
    theory: Theory,
    places: Places,
    guards: Vec<Guard>,
    by_lit: FxHashMap<Lit, GuardId>,
    nodes: Vec<Node>,
    /// An ill-defined guard is an error.
    is_strict: bool,
}

impl Builder {
    /// The places that literals depend on, and whether they depend on nothing else.
    fn reads_of(&mut self, lits: impl IntoIterator<Item = Lit>) -> (BitSet, bool) {
        let inputs = self.theory.circuit().inputs_of(lits);
        let places: Vec<Option<PlaceId>> = inputs.into_iter().map(|input| self.places.of_input(input)).collect();
        let is_all = places.iter().all(Option::is_some);
        (places.into_iter().flatten().map(|place| place.0 as usize).collect(), is_all)
    }

    fn places_of(&self, variables: &[VarId]) -> BitSet {
        variables.iter().flat_map(|id| self.places.of(*id)).map(|place| place.0 as usize).collect()
    }

    fn opaque_guard(&mut self, reads: BitSet) -> GuardId {
        self.guards.push(Guard { lit: None, formula: None, reads });
        self.guards.len() - 1
    }

    /// Guards whose conjunction is a literal. A guard on choices is one on the state that is not known.
    fn guards_of(&mut self, lit: Lit, out: &mut Vec<GuardId>) {
        for part in self.theory.circuit().conjuncts(lit) {
            if let Some(known) = self.by_lit.get(&part) {
                out.push(*known);
                continue;
            }
            let (reads, is_all) = self.reads_of([part]);
            let guard = self.guards.len();
            self.guards.push(Guard { lit: is_all.then_some(part), formula: None, reads });
            self.by_lit.insert(part, guard);
            out.push(guard);
        }
    }

    /// Adds an instance; says when its evaluation may fail.
    fn instance(&mut self, operation: usize, action: &Action) -> Option<Slip> {
        let mut guards = Vec::new();
        let mut loose_reads = self.places_of(&action.loose);
        let mut relation = vec![action.possible, action.defined];
        for guard in &action.guards {
            match guard.truth {
                Some(truth) => {
                    self.guards_of(truth.holds, &mut guards);
                    relation.push(truth.holds);
                }
                None => {
                    let reads = self.places_of(&guard.reads);
                    loose_reads.union_with(&reads);
                    guards.push(self.opaque_guard(reads));
                }
            }
        }
        self.guards_of(action.possible, &mut guards);
        self.guards_of(action.defined, &mut guards);
        if action.is_doubtful {
            // What may fail may also leave out the step.
            guards.push(self.opaque_guard(loose_reads.clone()));
        }
        guards.sort_unstable();
        guards.dedup();
        let relation = self.theory.circuit().and_all(relation);
        let mut writes = Vec::new();
        let mut loose_writes = BitSet::default();
        for (variable, sym) in &action.updates {
            self.update(*variable, sym.as_ref(), &mut writes, &mut loose_writes, &mut loose_reads);
        }
        writes.sort_unstable_by_key(|(place, _)| *place);
        let (mut reads, _) = self.reads_of(writes.iter().filter_map(|(_, lit)| *lit).chain([relation]));
        reads.union_with(&loose_reads);
        let written = writes.iter().map(|(place, _)| place.0 as usize).collect();
        let slip = self.slip(action);
        let instance = Instance {
            operation,
            label: action.label.clone(),
            relation,
            writes,
            written,
            reads,
            loose_reads,
            loose_writes,
            has_choice: action.has_choice,
        };
        self.nodes.push(Node { kind: Kind::Instance(instance), guards });
        slip
    }

    /// The places that a new value of a variable changes.
    fn update(
        &mut self,
        variable: VarId,
        sym: Option<&Sym>,
        writes: &mut Vec<(PlaceId, Option<Lit>)>,
        loose_writes: &mut BitSet,
        loose_reads: &mut BitSet,
    ) {
        let mut lits = Vec::new();
        if let (Some(sym), Some((shape, places))) = (sym, self.places.shape(variable)) {
            let mut olds = Vec::new();
            shape.for_each_lit(&mut |lit| olds.push(lit));
            if self.theory.blast.shaped(shape, sym, &mut lits).is_ok() {
                let changed = places.iter().zip(olds).zip(&lits).filter(|((_, old), new)| old != *new);
                writes.extend(changed.filter_map(|((place, _), new)| Some(((*place)?, Some(*new)))));
                return;
            }
        }
        if let Some(sym) = sym {
            sym.for_each_lit(&mut |lit| lits.push(lit));
            loose_reads.union_with(&self.reads_of(lits).0);
        }
        for place in self.places.of(variable) {
            writes.push((place, None));
            loose_writes.insert(place.0 as usize);
        }
    }

    fn slip(&mut self, action: &Action) -> Option<Slip> {
        let mut guards = Vec::new();
        let mut wrong = vec![!action.defined];
        let mut is_doubtful = action.is_doubtful;
        let mut reads = self.places_of(&action.loose);
        for guard in &action.guards {
            match guard.truth {
                Some(truth) if self.is_strict && guard.is_closed => {
                    self.guards_of(!truth.fails, &mut guards);
                    wrong.push(self.theory.circuit().and(!truth.holds, !truth.fails));
                }
                Some(truth) => self.guards_of(truth.holds, &mut guards),
                None => {
                    is_doubtful |= guard.may_fail && self.is_strict;
                    let guard_reads = self.places_of(&guard.reads);
                    reads.union_with(&guard_reads);
                    guards.push(self.opaque_guard(guard_reads));
                }
            }
        }
        let wrong = self.theory.circuit().or_all(wrong);
        if is_doubtful {
            // Whatever is read may decide.
            reads.union_with(&self.reads_of([wrong]).0);
            guards.push(self.opaque_guard(reads));
        } else if wrong == Lit::FALSE {
            return None;
        } else {
            self.guards_of(wrong, &mut guards);
        }
        guards.sort_unstable();
        guards.dedup();
        Some(Slip { guards })
    }

    /// Says what all answers depend on.
    fn note_instances(&mut self) {
        self.theory.note(self.places.describe());
        for instance in self.nodes.iter().filter_map(as_instance) {
            let writes = instance.writes.iter().flat_map(|(place, lit)| [place.0, lit.map_or(u32::MAX, Lit::number)]);
            self.theory.note(writes.chain([instance.relation.number(), u32::from(instance.has_choice)]));
            for places in [&instance.reads, &instance.loose_reads, &instance.loose_writes] {
                self.theory.note(places.iter().map(|place| place as u32));
            }
        }
    }

    /// The same about guards, when there are no more to come.
    fn note_guards(&mut self) {
        for node in &self.nodes {
            self.theory.note(node.guards.iter().map(|guard| *guard as u32));
        }
        for guard in &self.guards {
            let reads = guard.reads.iter().map(|place| place as u32);
            self.theory.note(reads.chain([guard.lit.map_or(u32::MAX, Lit::number)]));
        }
    }

    /// Whether all new values stay within the bounds that were taken for granted; else which do not.
    fn check_bounds(&mut self, stays: &[Stays]) -> Result<(), Vec<VarId>> {
        let bounds: Vec<(Lit, VarId, Option<Lit>)> = self
            .nodes
            .iter()
            .filter_map(as_instance)
            .zip(stays)
            .flat_map(|(instance, bounds)| bounds.iter().map(|(id, stays)| (instance.relation, *id, *stays)))
            .collect();
        let question = bounds.iter().flat_map(|(relation, variable, stays)| {
            [relation.number(), variable.index() as u32, stays.map_or(u32::MAX, Lit::number)]
        });
        let unbounded = self.theory.remembered(Topic::Unbounded, question, bounds.len(), |theory| {
            let may_leave = |(_, (relation, _, stays)): &(usize, &(Lit, VarId, Option<Lit>))| {
                let is_safe = stays.is_some_and(|stays| theory.refutes(&[*relation, !stays]));
                theory.forget();
                !is_safe
            };
            bounds.iter().enumerate().filter(may_leave).map(|(idx, _)| idx).collect()
        });
        let mut variables: Vec<VarId> = unbounded.iter().map(|idx| bounds[idx].1).collect();
        variables.sort_unstable_by_key(|variable| variable.index());
        variables.dedup();
        if variables.is_empty() { Ok(()) } else { Err(variables) }
    }

    /// The properties that hold in all reachable states, by position.
    fn prove(
        &mut self,
        ground: &[Lit],
        properties: &Properties,
        initial: &Initial,
        system: &Explicit<'_>,
    ) -> Vec<usize> {
        if !initial.is_complete || !self.theory.is_semantic() {
            return Vec::new();
        }
        let parts: Vec<Vec<Lit>> = properties
            .items
            .iter()
            .map(|property| match property.truth.filter(|_| property.what != Wrong::Goal) {
                Some(truth) => self.theory.circuit().conjuncts(truth.holds),
                None => Vec::new(),
            })
            .collect();
        let mut candidates: Vec<Lit> = parts.iter().flatten().copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        self.keep_initial(&mut candidates, initial, system);
        let (theory, places, nodes) = (&mut self.theory, &self.places, &self.nodes);
        let instances: Vec<&Instance> = nodes.iter().filter_map(as_instance).collect();
        let question: Vec<u32> = candidates.iter().map(|candidate| candidate.number()).collect();
        let kept = theory.remembered(Topic::Inductive, question, candidates.len(), |theory| {
            let proven = inductive(theory, places, &instances, ground, candidates.clone());
            candidates.iter().enumerate().filter(|(_, lit)| proven.contains(lit)).map(|(idx, _)| idx).collect()
        });
        let proven: Vec<Lit> = kept.iter().map(|idx| candidates[idx]).collect();
        theory.know(ground.iter().chain(&proven).copied());
        let holds = |(idx, parts): (usize, &Vec<Lit>)| {
            let has_circuit = properties.items[idx].truth.is_some() && properties.items[idx].what != Wrong::Goal;
            (has_circuit && parts.iter().all(|part| proven.contains(part))).then_some(idx)
        };
        parts.iter().enumerate().filter_map(holds).collect()
    }

    /// Drops the candidates that are false in some initial state.
    fn keep_initial(&mut self, candidates: &mut Vec<Lit>, initial: &Initial, system: &Explicit<'_>) {
        let places = &self.places;
        let number = |lit: Lit| places.of_input(lit).map_or(u32::MAX, |place| place.0);
        let formulas = Formulas::new(&self.theory.blast.circuit, candidates, number);
        let mut evaluation = Evaluation::default();
        let mut keeps = vec![true; candidates.len()];
        for words in &initial.states {
            let mut bits = BitSet::with_room(places.len());
            let mut fits = true;
            for (word, id) in words.iter().enumerate().skip(1) {
                match places.true_places(word, system.value_of(word, *id)) {
                    Some(found) => found.into_iter().for_each(|place| _ = bits.insert(place.0 as usize)),
                    None => fits = false,
                }
            }
            evaluation.begin();
            for (idx, keeps) in keeps.iter_mut().enumerate() {
                *keeps &= fits && formulas.value(idx, &mut evaluation, |place| bits.contains(place as usize));
            }
        }
        let mut keeps = keeps.into_iter();
        candidates.retain(|_| keeps.next() == Some(true));
    }

    fn add_errors(&mut self, slips: Vec<Option<Slip>>, properties: &Properties, proven: &[usize]) {
        let mut errors = Vec::new();
        for (node, slip) in slips.into_iter().enumerate() {
            errors.extend(slip.map(|slip| (Wrong::IllDefined(node), slip.guards)));
        }
        for (idx, property) in properties.items.iter().enumerate() {
            if !property.is_asked || proven.contains(&idx) {
                continue;
            }
            let Some(truth) = property.truth else {
                let reads = self.places_of(&property.reads);
                let guard = self.opaque_guard(reads);
                errors.push((property.what, vec![guard]));
                continue;
            };
            let ill_defined = self.theory.circuit().and(!truth.holds, !truth.fails);
            let wanted = if property.what == Wrong::Goal { truth.holds } else { truth.fails };
            for lit in [wanted, ill_defined] {
                let mut guards = Vec::new();
                self.guards_of(lit, &mut guards);
                errors.push((property.what, guards));
            }
        }
        self.theory.keep();
        // A guard that is known says when it cannot happen.
        let known = |guards: &Vec<GuardId>| guards.iter().filter_map(|guard| self.guards[*guard].lit).collect();
        let lits: Vec<Vec<Lit>> = errors.iter().map(|(_, guards)| known(guards)).collect();
        let question = lits.iter().flat_map(|lits| lits.iter().map(|lit| lit.number()).chain([u32::MAX]));
        let impossible = self.theory.remembered(Topic::Impossible, question, errors.len(), |theory| {
            let cannot_happen = |idx: &usize| {
                let cannot_happen = theory.refutes(&lits[*idx]);
                theory.forget();
                cannot_happen
            };
            (0..lits.len()).filter(cannot_happen).collect()
        });
        for (idx, (what, guards)) in errors.into_iter().enumerate() {
            if !impossible.contains(idx) {
                self.nodes.push(Node { kind: Kind::Error(what), guards });
            }
        }
    }

    /// Whether all instances may be disabled together.
    fn may_deadlock(&mut self) -> bool {
        let mut disabled = Vec::new();
        for node in &self.nodes {
            // Where there is a choice or no circuit, nobody knows when it is disabled.
            let is_exact = |guard: &GuardId| self.guards[*guard].lit.is_some();
            match as_instance(node) {
                Some(instance) if !instance.has_choice && node.guards.iter().all(is_exact) => {
                    disabled.push(!instance.relation);
                }
                _ => {}
            }
        }
        let question = disabled.iter().map(|lit| lit.number());
        let may = self.theory.remembered(Topic::Deadlock, question, 1, |theory| {
            let may = !theory.refutes(&disabled);
            theory.forget();
            may.then_some(0).into_iter().collect()
        });
        !may.is_empty()
    }

    fn facts(mut self, n_instances: usize, operations: Vec<Instances>, proven: Vec<usize>) -> Facts {
        self.note_guards();
        let mut lits = Vec::new();
        for guard in &mut self.guards {
            if let Some(lit) = guard.lit {
                guard.formula = Some(lits.len());
                lits.push(lit);
            }
        }
        let places = &self.places;
        let number = |lit: Lit| places.of_input(lit).map_or(u32::MAX, |place| place.0);
        let formulas = Formulas::new(&self.theory.blast.circuit, &lits, number);
        Facts {
            enablers: self.guards.iter().map(|_| OnceLock::new()).collect(),
            writers: self.nodes.iter().map(|_| OnceLock::new()).collect(),
            discords: (0..n_instances).map(|_| OnceLock::new()).collect(),
            disablers: (0..n_instances).map(|_| OnceLock::new()).collect(),
            is_hasty: false,
            may_deadlock: true,
            nodes: self.nodes,
            n_instances,
            guards: self.guards,
            formulas,
            places: self.places,
            operations,
            theory: Mutex::new(self.theory),
            proven,
        }
    }
}

fn as_instance(node: &Node) -> Option<&Instance> {
    match &node.kind {
        Kind::Instance(instance) => Some(instance),
        Kind::Error(_) => None,
    }
}
