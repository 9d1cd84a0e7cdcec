//! The sliced system: a layer around the explicit system that evaluates blocks of states by gate programs.
//!
//! States, ids, labels and everything that is saved are those of the explicit system, so evaluators can be exchanged between any two blocks. With
//! [`Evaluator::Auto`] a search begins without circuits. When it is long, the machine is compiled, blocks are evaluated in both ways by turns, and the faster
//! way is kept. Steps come in the same order either way, so the choice changes no result.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use abridge_deps::Answers;
use abridge_diag::{StopFlag, with_stack};
use abridge_encoding::PropertyKind;
use abridge_explicit::{Explicit, ProvedConjuncts};
use abridge_model_system::{ModelSystem as _, UNSET};
use abridge_system::{Layer, MachineLayer, System as _};
use abridge_value::BitSet;
use rustc_hash::FxHashMap;

use crate::compiled::GatePrograms;
use crate::lanes::MAX_BLOCK_STATES;
use crate::proofs::{self, ProofSchedule};
use crate::trial::{CompileOutcome, Trial};
use crate::worker::SlicedWorker;

/// The way in which steps and properties are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Evaluator {
    /// By memos at first, by circuits where that turns out to be faster.
    #[default]
    Auto,
    /// By circuits, as far as there are any.
    Sliced,
    /// By the explicit system alone.
    Memo,
}

/// The use that was made of circuits.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct CircuitUsage {
    /// Circuits evaluated states.
    pub is_sliced: bool,
    /// Operations with circuits.
    pub n_sliced: usize,
    pub n_operations: usize,
    /// Conjuncts of the invariant and assertions that were proved, and not evaluated in every state.
    pub n_proved: usize,
    /// Gates of the programs.
    pub n_gates: usize,
    /// Reasons why not everything was evaluated by circuits.
    pub reasons: Vec<String>,
}

/// Valuations of the constants that are compiled at most, and those of a search that gets a trial.
const MAX_VALUATIONS: usize = 16;
const MAX_TRIAL_VALUATIONS: usize = 8;
/// States after which the independence of outcomes is decided first, and the factor to the next time.
const MIN_LEARNING_STATES: u64 = 512;
const LEARNING_GROWTH: u64 = 2;
/// Steps after which sleep sets are judged, which must be many, since the first states with sets have empty ones; and the least part that must be asleep.
const MIN_JUDGED_STEPS: u64 = 1 << 18;
const MIN_ASLEEP_PART: u64 = 16;
/// No state was met.
pub(crate) const NO_CONSTANTS: u32 = u32::MAX;

/// Evaluation by circuits around an explicit system.
pub struct Sliced<'a> {
    system: &'a Explicit<'a>,
    evaluator: Evaluator,
    /// Circuits are used now.
    is_on: AtomicBool,
    plans: Mutex<FxHashMap<u32, Result<Arc<GatePrograms>, String>>>,
    /// Changes with the plans.
    version: AtomicU32,
    /// Words of the largest sleep set of a plan.
    sleep_words: AtomicUsize,
    /// Steps of blocks with sleep sets, and those of them that were asleep.
    n_awake: AtomicU64,
    n_asleep: AtomicU64,
    /// Number of states at which the independence of outcomes is decided next.
    next_learning: AtomicU64,
    /// The first word of the states that were announced last.
    constants: AtomicU32,
    /// The first words of all states that were announced, up to one more than a trial allows.
    valuations: Mutex<Vec<u32>>,
    /// Machines are compiled when states with their constants are met.
    is_on_demand: AtomicBool,
    /// States that were announced.
    n_announced: AtomicU64,
    trial: Mutex<Trial>,
    proofs: Mutex<ProofSchedule>,
}

impl<'a> Sliced<'a> {
    pub fn new(system: &'a Explicit<'a>, evaluator: Evaluator) -> Sliced<'a> {
        let evaluator = if system.is_capped() || system.has_scope() { Evaluator::Memo } else { evaluator };
        let is_forced = evaluator == Evaluator::Sliced;
        Sliced {
            system,
            evaluator,
            is_on: AtomicBool::new(is_forced),
            plans: Mutex::default(),
            version: AtomicU32::new(0),
            sleep_words: AtomicUsize::new(0),
            n_awake: AtomicU64::new(0),
            n_asleep: AtomicU64::new(0),
            next_learning: AtomicU64::new(MIN_LEARNING_STATES),
            constants: AtomicU32::new(NO_CONSTANTS),
            valuations: Mutex::default(),
            is_on_demand: AtomicBool::new(is_forced),
            n_announced: AtomicU64::new(0),
            trial: Mutex::default(),
            proofs: Mutex::default(),
        }
    }

    /// The system whose states and steps these are.
    pub fn explicit(&self) -> &'a Explicit<'a> {
        self.system
    }

    pub(crate) fn is_forced(&self) -> bool {
        self.evaluator == Evaluator::Sliced
    }

    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    pub(crate) fn version(&self) -> u32 {
        self.version.load(Ordering::Acquire)
    }

    fn plans(&self) -> MutexGuard<'_, FxHashMap<u32, Result<Arc<GatePrograms>, String>>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of states that a worker is asked about; those of blocks only are counted.
    pub(crate) fn note(&self, constants: u32, n_states: usize) {
        if self.evaluator == Evaluator::Auto {
            self.n_announced.fetch_add(n_states as u64, Ordering::Relaxed);
            if self.constants.load(Ordering::Relaxed) != constants {
                self.constants.store(constants, Ordering::Relaxed);
                let mut valuations = self.valuations.lock().unwrap_or_else(PoisonError::into_inner);
                if valuations.len() <= MAX_TRIAL_VALUATIONS && !valuations.contains(&constants) {
                    valuations.push(constants);
                }
            }
        }
    }

    /// The machine for the constants of a state. It is compiled on demand if circuits are wanted in any case, or their trial has begun.
    pub(crate) fn compiled(&self, words: &[u32]) -> Option<Arc<GatePrograms>> {
        let mut plans = self.plans();
        if let Some(plan) = plans.get(&words[0]) {
            return plan.clone().ok();
        }
        if !self.is_on_demand.load(Ordering::Relaxed) || plans.len() >= MAX_VALUATIONS {
            return None;
        }
        let plan = self.compile(words, self.system.judge().stop());
        plans.insert(words[0], plan.clone());
        plan.ok()
    }

    fn compile(&self, words: &[u32], stop: StopFlag) -> Result<Arc<GatePrograms>, String> {
        with_stack(|| GatePrograms::new(self.system, &self.system.decode(words).0, stop).map(Arc::new))
    }

    fn blank(&self, constants: u32) -> Vec<u32> {
        let mut words = vec![UNSET; self.system.width()];
        words[0] = constants;
        words
    }

    /// Proves properties by induction, for the constants that the first word of states gives. What is proved is no longer evaluated.
    pub fn prove(&self, constants: u32) {
        self.prove_with(constants, None, &Arc::default());
    }

    /// The same within some time. Returns whether more time would be of no use.
    fn prove_with(&self, constants: u32, time: Option<Duration>, answers: &Arc<Answers>) -> bool {
        let n_valuations = self.valuations.lock().unwrap_or_else(PoisonError::into_inner).len();
        if constants == NO_CONSTANTS || n_valuations > 1 {
            return true;
        }
        let proved = with_stack(|| proofs::proved(self.system, &self.blank(constants), time, answers));
        if let Some(proved) = &proved {
            self.note_proved(constants, proved);
        }
        proved.is_some()
    }

    /// Compiles the machine for the constants that the first word of states gives. What its circuits show to hold in all states with them is no longer evaluated, by circuits or
    /// without.
    pub fn prepare(&self, constants: u32) {
        self.keep(constants, self.compile(&self.blank(constants), self.system.judge().stop()));
        self.note_proved_by_plans();
    }

    fn note_proved_by_plans(&self) {
        for (constants, plan) in self.plans().iter() {
            plan.iter().for_each(|plan| self.note_proved(*constants, &plan.proved));
        }
    }

    /// Keeps a plan. Returns whether the steps of some operation have circuits.
    fn keep(&self, constants: u32, plan: Result<Arc<GatePrograms>, String>) -> bool {
        let is_promising = plan.as_ref().is_ok_and(|plan| plan.n_sliced() > 0);
        self.plans().insert(constants, plan);
        is_promising
    }

    /// Compiles the machine for a trial, if there are few valuations of the constants: that of the latest states first.
    fn begin_trial(&self, allowance: Duration) -> CompileOutcome {
        let constants = self.constants.load(Ordering::Relaxed);
        let n_valuations = self.valuations.lock().unwrap_or_else(PoisonError::into_inner).len();
        if !(1..=MAX_TRIAL_VALUATIONS).contains(&n_valuations) {
            return CompileOutcome::Useless;
        }
        let (end, whole) = (Instant::now() + allowance, self.system.judge().stop());
        let stop = StopFlag::probed(move || whole.is_raised() || Instant::now() >= end);
        let plan = self.compile(&self.blank(constants), stop);
        // What was stopped may lack circuits.
        if Instant::now() >= end {
            return CompileOutcome::Late;
        }
        let is_promising = self.keep(constants, plan);
        self.is_on_demand.store(is_promising, Ordering::Relaxed);
        self.version.fetch_add(1, Ordering::Release);
        if is_promising { CompileOutcome::Promising } else { CompileOutcome::Useless }
    }

    fn note_proved(&self, constants: u32, proved: &[PropertyKind]) {
        let (mut invariant, mut assertions) = (BitSet::default(), BitSet::default());
        for kind in proved {
            match kind {
                PropertyKind::Invariant(idx) => invariant.insert(*idx),
                PropertyKind::Assertion(idx) => assertions.insert(*idx),
                PropertyKind::Goal | PropertyKind::Proposition(_) => false,
            };
        }
        self.system.note_proved(ProvedConjuncts { constants, invariant, assertions });
    }

    /// Decides which outcomes are independent, now and then.
    fn learn_independence(&self, n_states: u64) {
        if !self.is_on() || n_states < self.next_learning.load(Ordering::Relaxed) {
            return;
        }
        let mut has_learnt = false;
        for plan in self.plans().values().filter_map(|plan| plan.as_ref().ok()) {
            has_learnt |= plan.learn_independence();
            self.sleep_words.fetch_max(plan.independence().words(), Ordering::Relaxed);
        }
        if has_learnt {
            self.next_learning.store(n_states.saturating_mul(LEARNING_GROWTH), Ordering::Relaxed);
        }
    }

    /// Takes note of steps of states with sleep sets.
    pub(crate) fn note_sleep(&self, n_awake: u64, n_asleep: u64) {
        self.n_awake.fetch_add(n_awake, Ordering::Relaxed);
        self.n_asleep.fetch_add(n_asleep, Ordering::Relaxed);
    }

    /// Sleep sets save more than keeping them costs, as far as is known. They change no result, so they may be given up at any time.
    fn is_sleep_worthwhile(&self) -> bool {
        let (n_awake, n_asleep) = (self.n_awake.load(Ordering::Relaxed), self.n_asleep.load(Ordering::Relaxed));
        n_awake < MIN_JUDGED_STEPS || n_asleep >= n_awake / MIN_ASLEEP_PART
    }

    /// The use that was made of circuits so far.
    pub fn usage(&self) -> CircuitUsage {
        let plans = self.plans();
        let mut usage = CircuitUsage {
            n_operations: self.system.operation_ids().len(),
            n_proved: self.system.n_proved(),
            ..CircuitUsage::default()
        };
        for plan in plans.values() {
            match plan {
                Ok(plan) => {
                    usage.is_sliced |= self.is_on();
                    usage.n_sliced = usage.n_sliced.max(plan.n_sliced());
                    usage.n_gates = usage.n_gates.max(plan.n_gates());
                    usage.reasons.extend(plan.reasons.iter().cloned());
                }
                Err(reason) => usage.reasons.push(reason.clone()),
            }
        }
        usage.reasons.sort();
        usage.reasons.dedup();
        if self.evaluator == Evaluator::Auto {
            usage.reasons.extend(self.trial.lock().unwrap_or_else(PoisonError::into_inner).verdict());
        }
        usage
    }
}

impl<'a> Layer for Sliced<'a> {
    type Inner = Explicit<'a>;
    type Worker<'w>
        = SlicedWorker<'w>
    where
        Self: 'w;

    fn inner(&self) -> &Explicit<'a> {
        self.system
    }

    fn layer_worker(&self) -> SlicedWorker<'_> {
        SlicedWorker::new(self, self.system.worker(), self.system.width())
    }

    fn layer_tidy(&self, n_states: u64) -> usize {
        if self.evaluator == Evaluator::Auto {
            let mut trial = self.trial.lock().unwrap_or_else(PoisonError::into_inner);
            let n_announced = self.n_announced.swap(0, Ordering::Relaxed);
            let is_on = trial.next(n_states, n_announced, Instant::now(), |time| self.begin_trial(time));
            self.is_on.store(is_on, Ordering::Relaxed);
            // Both ways are measured with the same properties.
            if trial.has_just_ended() {
                self.note_proved_by_plans();
            }
            let mut proofs = self.proofs.lock().unwrap_or_else(PoisonError::into_inner);
            proofs.next(Instant::now(), |time, answers| {
                self.prove_with(self.constants.load(Ordering::Relaxed), Some(time), answers)
            });
        }
        self.learn_independence(n_states);
        self.system.tidy(n_states)
    }

    fn layer_states_ahead(&self) -> usize {
        if self.is_on() { MAX_BLOCK_STATES } else { self.system.states_ahead() }
    }

    fn layer_sleep_words(&self) -> usize {
        if self.is_on() && self.is_sleep_worthwhile() { self.sleep_words.load(Ordering::Relaxed) } else { 0 }
    }

    fn layer_bytes(&self) -> u64 {
        self.plans().values().filter_map(|plan| plan.as_ref().ok()).map(|plan| plan.bytes()).sum()
    }
}

impl MachineLayer for Sliced<'_> {}
