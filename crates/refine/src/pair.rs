//! The system of a pair of machines.
//!
//! A vector is that of the concrete state, with one more word for the abstract part ([`crate::spec`]). Steps are those of the refinement;
//! a step that the abstraction cannot follow leads to a pair without further steps, in which an obligation fails.

use std::collections::BTreeSet;
use std::io;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use abridge_diag::StopFlag;
use abridge_explicit::{Called, Explicit, InterpreterChoice, SystemConfig, judge};
use abridge_model::{ConstId, SmolStr};
use abridge_model_system::{FIRST_OPERATION, INITIALISATION, ModelSystem as _, SETUP};
use abridge_system::{
    Alike, Completeness, FindingKind, Gap, Marks, Origin, Pause, Properties, Step, Steps, System, Worker,
};
use rustc_hash::FxHashMap;

use crate::antichain::Antichain;
use crate::directed::Directed;
use crate::events::{Alphabet, Events, Letter};
use crate::gluing::Gluing;
use crate::models::Models;
use crate::side::{Lister, PairSide};
use crate::simulation::Arguments;
use crate::spec::{MatchResult, Spec, Specs};

/// Mark of steps that callers do not see, where a divergence is looked for.
pub const HIDDEN: Marks = 1;

/// What is meant by refinement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notion {
    /// Every trace of the refinement is one of the abstraction.
    Traces,
    /// The gluing invariant is a forward simulation between reachable states.
    Simulation,
    /// Traces, and what the refinement refuses the abstraction may refuse.
    Failures,
}

/// A condition of refinement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Obligation {
    /// The abstraction can start as the refinement does.
    Initialisation,
    /// The abstraction has the event.
    Trace,
    /// Where the abstract precondition holds, the concrete one does.
    Precondition,
    /// A concrete outcome has an abstract one with equal outputs and a true gluing invariant.
    Outcome,
    /// What the refinement refuses, the abstraction may refuse.
    Refusal,
    /// The refinement has the operation.
    Operation,
}

const OBLIGATIONS: [Obligation; 6] = [
    Obligation::Initialisation,
    Obligation::Trace,
    Obligation::Precondition,
    Obligation::Outcome,
    Obligation::Refusal,
    Obligation::Operation,
];

impl Obligation {
    /// Obligations of one operation have one number each.
    pub(crate) fn number(self, operation: u32) -> u32 {
        operation * OBLIGATIONS.len() as u32 + self as u32
    }

    /// The obligation of a number, and its operation.
    pub fn of_number(number: u32) -> (Obligation, u32) {
        let n_kinds = OBLIGATIONS.len() as u32;
        (OBLIGATIONS[(number % n_kinds) as usize], number / n_kinds)
    }
}

/// Choices about a comparison.
#[derive(Clone, Debug)]
pub struct PairConfig {
    pub notion: Notion,
    /// Operations that only the refinement has are taken to do nothing in the abstraction.
    pub new_is_skip: bool,
    /// Leave out pairs that others cover.
    pub antichains: bool,
    pub eval: abridge_eval::EvalConfig,
    pub system: SystemConfig,
}

/// Two machines of which one is to refine the other.
pub struct Pair<'m> {
    pub(crate) notion: Notion,
    pub(crate) new_is_skip: bool,
    seeks_divergence: bool,
    pub(crate) alphabet: Alphabet,
    pub(crate) concrete: PairSide<'m>,
    pub(crate) abstracted: PairSide<'m>,
    pub(crate) gluing: Gluing<'m>,
    pub(crate) directed: Directed,
    /// Lists the arguments for which abstract preconditions hold.
    pub(crate) preconditions: Explicit<'m>,
    pub(crate) events: Events,
    pub(crate) specs: Specs,
    pub(crate) antichain: Option<Antichain>,
    /// Names of operations whose missing steps matter. A list that is not whole does not, where each call could be followed.
    pub(crate) gaps: Mutex<BTreeSet<SmolStr>>,
}

impl<'m> Pair<'m> {
    /// The pair of two levels; evaluations end soon after `stop` is set.
    pub fn new(models: &'m Models, config: &PairConfig, stop: &StopFlag) -> Self {
        let system = |model: &'m abridge_model::Model, memo: bool| {
            let interp = judge(model, config.eval.clone()).stopped_by(stop.clone());
            let memo = memo && config.system.memo;
            Explicit::new(interp, SystemConfig { memo, labels: memo, ..config.system.clone() })
        };
        let alphabet = Alphabet::new(&models.joint, &models.concrete_level, &models.abstract_level);
        let has_new = alphabet.concrete.iter().any(|letter| alphabet.is_added(letter));
        let seeks_divergence = config.notion == Notion::Failures && config.new_is_skip && has_new;
        // A pair that is left out would end a cycle.
        let is_covering = config.antichains && config.notion != Notion::Simulation && !seeks_divergence;
        let gluing = Gluing::new(models, system(&models.joint, false));
        Pair {
            notion: config.notion,
            new_is_skip: config.new_is_skip,
            seeks_divergence,
            concrete: PairSide { system: system(&models.concrete, true), letters: alphabet.concrete.clone() },
            abstracted: PairSide { system: system(&models.abstracted, true), letters: alphabet.abstracted.clone() },
            directed: Directed::new(&models.abstracted, &gluing.kept, &alphabet.abstracted),
            gluing,
            preconditions: system(&models.preconditions, false),
            alphabet,
            events: Events::default(),
            specs: Specs::default(),
            antichain: is_covering.then(Antichain::default),
            gaps: Mutex::default(),
        }
    }

    pub fn concrete(&self) -> &Explicit<'m> {
        &self.concrete.system
    }

    pub fn abstraction(&self) -> &Explicit<'m> {
        &self.abstracted.system
    }

    /// The model of both levels together, and the constants that are fixed beforehand: what symmetry has to look at.
    pub fn joint(&self) -> (&abridge_model::Model, &[(ConstId, abridge_eval::Val)]) {
        (self.gluing.system().model(), self.concrete.system.pinned())
    }

    /// Positions in the invariant of the joint model of conjuncts that mention variables of neither level.
    pub fn unchecked(&self) -> &[usize] {
        if self.notion == Notion::Simulation { &self.gluing.unchecked } else { &[] }
    }

    /// New operations must not go on for ever; steps of them are marked as [`HIDDEN`].
    pub fn seeks_divergence(&self) -> bool {
        self.seeks_divergence
    }

    /// Callers do not see this step.
    fn is_hidden(&self, operation: u32) -> bool {
        let position = operation.checked_sub(FIRST_OPERATION);
        let own = position.and_then(|position| self.alphabet.concrete.get(position as usize));
        self.new_is_skip && own.is_some_and(|own| self.alphabet.is_added(own))
    }

    /// The abstraction stays where it is.
    pub(crate) fn is_skip(&self, own: &Letter) -> bool {
        own.is_foreign || (self.new_is_skip && self.alphabet.is_added(own))
    }

    /// The concrete state of a pair.
    pub fn concrete_words<'s>(&self, state: &'s [u32]) -> &'s [u32] {
        &state[..state.len() - 1]
    }

    pub(crate) fn spec(&self, state: &[u32]) -> &Spec {
        self.specs.get(state[state.len() - 1])
    }

    /// The number of a step of the refinement.
    pub(crate) fn concrete_step(&self, position: usize) -> u32 {
        FIRST_OPERATION + position as u32
    }

    /// The number of a step that is about an operation of the abstraction.
    pub(crate) fn abstract_step(&self, letter: u32) -> u32 {
        match self.alphabet.concrete.iter().position(|own| own.letter == letter) {
            Some(position) => self.concrete_step(position),
            None => FIRST_OPERATION + self.alphabet.concrete.len() as u32 + letter,
        }
    }

    /// Steps of an operation are missing, and it matters.
    fn note_gap(&self, operation: u32) {
        let position = (operation.saturating_sub(FIRST_OPERATION)) as usize;
        let own = self.alphabet.concrete.get(position).filter(|_| operation >= FIRST_OPERATION);
        let letter = own.map_or(position.saturating_sub(self.alphabet.concrete.len()), |own| own.letter as usize);
        let other = self.alphabet.abstracted.get(letter).filter(|_| operation >= FIRST_OPERATION);
        let model = self.gluing.system().model();
        let names = own.into_iter().chain(other).map(|letter| model.operations[letter.op].name.clone());
        self.gaps.lock().unwrap_or_else(PoisonError::into_inner).extend(names);
    }

    pub(crate) fn worker_by(&self, evaluator: InterpreterChoice) -> PairWorker<'_, 'm> {
        PairWorker {
            pair: self,
            concrete: Lister::new(&self.concrete, &self.events, evaluator),
            abstracted: Lister::new(&self.abstracted, &self.events, evaluator),
            arguments: Default::default(),
            wanted: None,
            found: PairOutcome::default(),
        }
    }
}

/// What a step of a pair is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Deed {
    Start,
    Event(u32),
    /// A call that is not answered as it should be.
    Call(u32),
}

/// A step of a pair.
#[derive(Clone, Debug)]
pub(crate) struct PairStep {
    pub(crate) operation: u32,
    pub(crate) deed: Deed,
    pub(crate) target: Vec<u32>,
}

/// What an expansion found.
#[derive(Default)]
pub(crate) struct PairOutcome {
    pub(crate) steps: Vec<PairStep>,
    pub(crate) ill_defined: Vec<u32>,
    pub(crate) gap: Option<Gap>,
}

impl PairOutcome {
    pub(crate) fn miss(&mut self, gap: Option<Gap>) {
        self.gap = self.gap.max(gap);
    }

    pub(crate) fn heed(&mut self, called: Called, operation: u32) {
        self.miss(called.gap);
        if called.is_ill_defined && !self.ill_defined.contains(&operation) {
            self.ill_defined.push(operation);
        }
    }
}

/// Expands pairs on behalf of one thread.
pub struct PairWorker<'a, 'm> {
    pub(crate) pair: &'a Pair<'m>,
    pub(crate) concrete: Lister<'a, 'm>,
    pub(crate) abstracted: Lister<'a, 'm>,
    /// Arguments for which abstract preconditions hold, by operation and abstract state.
    pub(crate) arguments: FxHashMap<(u32, Box<[u32]>), Rc<Arguments>>,
    /// Other steps are left out.
    pub(crate) wanted: Option<Wanted>,
    pub(crate) found: PairOutcome,
}

/// A step that is looked for.
pub(crate) struct Wanted {
    /// The concrete state that it leads to.
    words: Box<[u32]>,
    /// The operation whose obligation fails there.
    operation: Option<u32>,
}

impl PairWorker<'_, '_> {
    /// Heeds what a list of steps of an operation is worth.
    pub(crate) fn heed(&mut self, called: Called, operation: u32) {
        self.found.heed(called, operation);
        // A stop says nothing about the operation in whose evaluation it came.
        if called.gap.is_some_and(|gap| gap != Gap::Stopped) {
            self.pair.note_gap(operation);
        }
    }

    /// Steps of an operation are missing.
    pub(crate) fn miss(&mut self, gap: Gap, operation: u32) {
        self.heed(Called { gap: Some(gap), is_ill_defined: false }, operation);
    }

    /// The number of an abstract part.
    pub(crate) fn spec(&self, states: Vec<Box<[u32]>>, outcome: MatchResult) -> u32 {
        if let Some(antichain) = self.pair.antichain.as_ref().filter(|_| states.len() > 1) {
            antichain.met_set();
        }
        self.pair.specs.number(Spec::new(states, outcome))
    }

    /// Adds a step to a pair.
    pub(crate) fn push(&mut self, operation: u32, deed: Deed, concrete: &[u32], spec: u32) {
        let target = concrete.iter().copied().chain([spec]).collect();
        self.found.steps.push(PairStep { operation, deed, target });
    }

    /// Adds a step in which an obligation fails; the states are those of the abstraction before it.
    pub(crate) fn fail(
        &mut self,
        operation: u32,
        deed: Deed,
        concrete: &[u32],
        before: &[Box<[u32]>],
        kind: Obligation,
    ) {
        let spec = self.spec(before.to_vec(), MatchResult::Failed(kind.number(operation)));
        self.push(operation, deed, concrete, spec);
    }

    /// The run is being ended from outside, so that further steps are missing.
    pub(crate) fn is_ended(&mut self) -> bool {
        let is_ended = self.pair.concrete.system.judge().is_stopped();
        if is_ended {
            self.found.miss(Some(Gap::Stopped));
        }
        is_ended
    }

    /// A step between two pairs that follow each other. Only what may lead to the target is evaluated: an abstraction that is in very
    /// many states is asked about one event, not about all that it can do.
    pub(crate) fn find_to(&mut self, origin: Origin<'_>, target: &[u32]) -> Option<PairStep> {
        let operation = match self.pair.spec(target).outcome {
            MatchResult::Followed => None,
            MatchResult::Failed(number) | MatchResult::IllDefined(number) => Some(Obligation::of_number(number).1),
        };
        self.wanted = Some(Wanted { words: self.pair.concrete_words(target).into(), operation });
        self.find(origin);
        self.wanted = None;
        // Of several such steps, one that callers do not see: it may be part of a divergence.
        let found = self.found.steps.iter().filter(|step| step.target == target);
        found.min_by_key(|step| !self.pair.is_hidden(step.operation)).cloned()
    }

    /// A step to this concrete state is looked for.
    pub(crate) fn wants(&self, concrete: &[u32]) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| *wanted.words == *concrete)
    }

    /// A step that is about this operation is looked for.
    pub(crate) fn wants_operation(&self, operation: u32) -> bool {
        self.wanted.as_ref().and_then(|wanted| wanted.operation).is_none_or(|wanted| wanted == operation)
    }

    /// Finds the steps out of a pair or the root.
    pub(crate) fn find(&mut self, origin: Origin<'_>) {
        self.found = PairOutcome::default();
        match origin {
            Origin::Root if self.pair.concrete.system.has_setup() => self.set_up(),
            Origin::Root => {
                let blank = |side: &PairSide<'_>| side.system.words_of(&side.system.blank(), false);
                let (concrete, abstracted) = (blank(&self.pair.concrete), blank(&self.pair.abstracted));
                self.initialise(&concrete, &abstracted);
            }
            Origin::State(state) => {
                let pair = self.pair;
                let spec = pair.spec(state);
                let words = pair.concrete_words(state);
                if spec.outcome != MatchResult::Followed {
                    return;
                }
                match (words[0] & 1 == 1, pair.notion) {
                    (false, _) => self.initialise(words, &spec.states[0]),
                    (true, Notion::Simulation) => self.simulate(words, &spec.states[0]),
                    (true, notion) => {
                        self.follow(words, &spec.states);
                        if notion == Notion::Failures {
                            self.refuse(words, &spec.states);
                        }
                    }
                }
            }
        }
    }

    /// Both levels share the constants.
    fn set_up(&mut self) {
        let pair = self.pair;
        let mut worker = pair.concrete.system.worker();
        let mut steps = Steps::new(pair.concrete.system.width());
        let completeness = worker.initial(&mut steps);
        self.found.miss(completeness.gap());
        if steps.take_ill_defined() {
            self.found.ill_defined.push(SETUP);
        }
        for step in steps.iter() {
            let (state, _) = pair.concrete.system.decode(step.target);
            let abstracted = pair.abstracted.system.words_of(&state, false);
            let spec = self.spec(vec![abstracted.into()], MatchResult::Followed);
            self.push(SETUP, Deed::Start, step.target, spec);
        }
    }

    fn initialise(&mut self, concrete: &[u32], abstracted: &[u32]) {
        let (own, called) = self.concrete.initial(concrete, None);
        self.found.heed(called, INITIALISATION);
        if self.pair.notion == Notion::Simulation {
            self.simulate_start(own, abstracted);
            return;
        }
        let (others, called) = self.abstracted.initial(abstracted, None);
        self.found.heed(called, INITIALISATION);
        let is_whole = called.gap.is_none() && !called.is_ill_defined;
        // Where abstract states are missing, nothing can be said about what follows.
        if !is_whole {
            return;
        }
        let spec = match others.is_empty() {
            true => {
                let failed = MatchResult::Failed(Obligation::Initialisation.number(INITIALISATION));
                self.spec(vec![abstracted.into()], failed)
            }
            false => self.spec(others, MatchResult::Followed),
        };
        for state in own.iter().filter(|state| self.wants(state)).collect::<Vec<_>>() {
            self.push(INITIALISATION, Deed::Start, state, spec);
        }
    }
}

impl<'m> System for Pair<'m> {
    type Worker<'a>
        = PairWorker<'a, 'm>
    where
        Self: 'a;

    fn width(&self) -> usize {
        self.concrete.system.width() + 1
    }

    fn worker(&self) -> PairWorker<'_, 'm> {
        self.worker_by(InterpreterChoice::Usual)
    }

    fn tidy(&self, n_states: u64) -> usize {
        if let Some(antichain) = &self.antichain {
            antichain.tidy(&self.specs);
        }
        for system in [&self.concrete.system, &self.abstracted.system] {
            (0..system.tidy(n_states)).for_each(|_| system.tidy_part());
        }
        0
    }

    fn bytes(&self) -> u64 {
        let systems = [&self.concrete.system, &self.abstracted.system].map(System::bytes);
        let covering = self.antichain.as_ref().map_or(0, Antichain::bytes);
        systems.into_iter().sum::<u64>() + self.specs.bytes() + self.events.bytes() + covering
    }

    fn save(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()> {
        self.save_tables(marks, sink)
    }

    fn save_notes(&self) -> Vec<u8> {
        self.notes_bytes()
    }

    fn is_state(&self, words: &[u32]) -> bool {
        self.are_known(words)
    }

    fn is_mark(&self, marks: Marks) -> bool {
        marks == 0 || marks == HIDDEN
    }

    fn restore(&self, marks: &[u64], source: &mut dyn io::Read, notes: &[u8]) -> io::Result<()> {
        self.restore_tables(marks, source, notes)
    }
}

impl Worker for PairWorker<'_, '_> {
    fn expand(
        &mut self,
        origin: Origin<'_>,
        _: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness {
        if let (Origin::State(state), Some(antichain)) = (origin, &self.pair.antichain) {
            let spec = state[state.len() - 1];
            let is_open = self.pair.specs.get(spec).outcome == MatchResult::Followed;
            if is_open && antichain.covers(&self.pair.specs, self.pair.concrete_words(state), spec) {
                out.is_reduced = true;
                return Completeness::Whole;
            }
        }
        self.find(origin);
        let found = std::mem::take(&mut self.found);
        for PairStep { operation, target, .. } in &found.steps {
            let is_marked = self.pair.seeks_divergence && self.pair.is_hidden(*operation);
            let marks = if is_marked { HIDDEN } else { 0 };
            out.push_like(&Step { operation: *operation, count: 1, label: None, marks, target }, 0, target);
        }
        for operation in found.ill_defined {
            out.push_ill_defined(operation);
        }
        let _ = pause(out);
        found.gap.into()
    }

    fn is_stopped(&self) -> bool {
        self.pair.concrete.system.judge().is_stopped()
    }

    fn inspect(
        &mut self,
        state: &[u32],
        _: Option<&[u32]>,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        if asked.invariant {
            match self.pair.spec(state).outcome {
                MatchResult::Followed => {}
                MatchResult::Failed(number) => found(FindingKind::Invariant(number)),
                MatchResult::IllDefined(number) => found(FindingKind::IllDefinedInvariant(number)),
            }
        }
        Completeness::Whole
    }
}
