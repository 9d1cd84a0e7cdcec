//! Partial order reduction: of the steps out of a state only those are taken that are needed to find what is asked for.
//!
//! # What is selected
//!
//! In a state `s` a set `T(s)` of instances is chosen (`chooser.rs`), and the enabled ones among them are taken. `T(s)` is *stubborn* in
//! Valmari's strong sense, in the guard-based form of Laarman et al. ("Guard-based partial-order reduction", 2016):
//!
//! 1. An enabled instance in `T(s)` has all instances in `T(s)` that it does not accord with.
//! 2. A disabled instance in `T(s)` has a *necessary enabling set* in `T(s)`: for a guard that is false in `s`, all instances that can
//!    make it true.
//! 3. Every *error* counts as a disabled instance in `T(s)` and has a necessary enabling set there. An error stands for something that the
//!    search reports about single states: a conjunct of the invariant or an assertion is false or ill-defined, the goal holds, an
//!    operation cannot be evaluated. Its guards say when.
//! 4. If something is enabled in `s`, deadlocks are asked for and cannot be excluded, then for some enabled instance all instances that can
//!    disable it are in `T(s)`: a necessary enabling set of the error "deadlock".
//!
//! An error that no reachable state has, as induction shows, is none (`abridge_deps`). `T(s)` may be without enabled instances: then
//! nothing that is asked for can be reached from `s`.
//!
//! # Why that is enough
//!
//! Let `s` be a state and `t1 ... tn` a path from `s` to a state `d` that is a deadlock or has an error, `n > 0`, and `s` does not have
//! that error. Some `ti` is in `T(s)`, by 3 or 4, since one of a necessary enabling set must be on the path. Take the first such `ti`. It
//! is enabled in `s`: otherwise 2 puts an instance of its enabling set, which is one of `T(s)`, before it. By 1 it accords with
//! `t1 ... t(i-1)`, so `ti t1 ... t(i-1)` is a path from `s` that ends where `t1 ... ti` ends. Its first step is one that is taken,
//! and what is left has `n - 1` steps. By induction over `n` the search visits `d`, or a state with that error before it.
//!
//! The usual condition that `T(s)` has an enabled instance whenever there is one is a way to get 4: an enabled instance together with all
//! that it does not accord with contains whatever disables it.
//!
//! There is no cycle condition. The ignoring problem, that steps are put off for ever along a cycle, arises where `T(s)` may consist of
//! steps that have nothing to do with what is looked for. Here each selected set takes a part of every path to an error, by 3,
//! so that the distance shrinks with each step. What is selected depends on the state alone, not on the states that were
//! visited before: nothing has to be said about orders of search, stacks or threads, and the mistake that Siegel found in the on-the-fly
//! algorithm ("What's wrong with on-the-fly partial order reduction", 2019), a proviso that is judged for another set than the one that is
//! explored later, cannot be made. This preserves what is said about single states. Formulas about paths need more (`paths.rs`).
//!
//! # With symmetry
//!
//! A quotient may be laid around a selection, not the other way round: `T(s)` is computed for the state that is expanded, then targets are
//! replaced by representatives. If a permutation maps steps to steps and what is asked for onto itself, the rest of the path above is
//! mapped with the target, its length included, and the argument goes on from there.

mod analysed;
mod chooser;
mod paths;
mod verify;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use abridge_deps::{AnalysisDepth, AskedErrors, Dependencies, EventId, Observed, Outline, Resources};
use abridge_system::{
    Alike, Completeness, LabelId, Layer, Origin, Pause, Step, Steps, System as _, Worker as _, WorkerLayer,
};
use abridge_value::{BitSet, Random};
use rustc_hash::FxHashMap;

pub use analysed::{Analysed, source_of};
use chooser::Chooser;
pub use paths::Paths;

/// Which sets are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelectionRule {
    Stubborn,
    /// A special case of them that is simpler and finds less.
    Ample,
}

/// How to look for independent steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Por {
    pub rule: SelectionRule,
    pub depth: AnalysisDepth,
    pub asked: AskedErrors,
    /// Valuations of the constants that are analysed; the states of others are expanded fully.
    pub max_setups: u32,
    /// Take all steps, and check every selected set along paths up to this length.
    pub verified_length: Option<usize>,
}

/// The longest path of a sample.
const SAMPLE_DEPTH: usize = 100;
/// So many steps, out of some states at least, tell enough.
const SAMPLE_STEPS: usize = 4000;
const MIN_SAMPLE_STATES: usize = 40;
/// Steps out of the root among which the paths of a sample begin.
const MAX_SAMPLE_STARTS: usize = 10_000;

/// So many are enough to look at.
const MAX_MISTAKES: usize = 20;

/// Steps after which it is judged whether leaving steps out pays.
const MIN_JUDGED_STEPS: u64 = 20_000;
/// It pays if it leaves out one step in so many.
const MIN_LEFT_OUT: u64 = 20;
/// It is tried again when there are so many times as many states.
const RETRY_GROWTH: u64 = 4;

/// What came of it.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct SelectionTally {
    /// States of which not all steps were taken.
    pub reduced: u64,
    /// Why steps may not be left out.
    pub refused: Option<String>,
    /// All steps were taken nevertheless, to check what would have been left out.
    pub is_verification: bool,
    /// What the verification found wrong: mistakes of ours.
    pub mistakes: Vec<String>,
    /// About the first valuation of the constants.
    pub outline: Outline,
}

/// What a look at some states showed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Steps out of states that could be judged, and how many of them would be taken.
    pub steps: usize,
    pub taken: usize,
    /// There were more questions than could be asked.
    pub is_exhausted: bool,
    /// With more effort there might be a better sample.
    pub may_improve: bool,
}

/// Where some step leads.
fn some_target(random: &mut Random, steps: &Steps) -> Option<Vec<u32>> {
    let step = steps.iter().nth(random.below(steps.len()))?;
    Some(step.target.to_vec())
}

/// A system of which only selected steps are taken.
pub struct Selected<'s, S> {
    system: &'s S,
    por: Por,
    resources: Resources,
    /// By number; nothing for what is beyond analysis.
    dependencies: Mutex<FxHashMap<u32, Option<Arc<Dependencies>>>>,
    n_reduced: AtomicU64,
    mistakes: Mutex<Vec<String>>,
    benefit: Benefit,
    /// Formulas about paths are asked for.
    paths: Option<&'s Paths>,
}

/// What leaving out steps comes to. It is judged between blocks, so that the number of workers does not matter.
#[derive(Default)]
struct Benefit {
    /// Steps out of states since the last judgement, and those that were left out.
    n_steps: AtomicU64,
    n_left_out: AtomicU64,
    /// All steps are taken, until there are so many states.
    is_off: AtomicBool,
    retry_at: AtomicU64,
}

impl Benefit {
    fn count(&self, n_steps: usize, n_taken: usize) {
        self.n_steps.fetch_add(n_steps as u64, Ordering::Relaxed);
        self.n_left_out.fetch_add((n_steps - n_taken) as u64, Ordering::Relaxed);
    }

    fn judge(&self, n_states: u64) {
        if self.is_off.load(Ordering::Relaxed) {
            if n_states >= self.retry_at.load(Ordering::Relaxed) {
                self.is_off.store(false, Ordering::Relaxed);
            }
            return;
        }
        if self.n_steps.load(Ordering::Relaxed) < MIN_JUDGED_STEPS {
            return;
        }
        let (n_steps, n_left_out) =
            (self.n_steps.swap(0, Ordering::Relaxed), self.n_left_out.swap(0, Ordering::Relaxed));
        if n_left_out * MIN_LEFT_OUT < n_steps {
            self.retry_at.store(n_states.saturating_mul(RETRY_GROWTH), Ordering::Relaxed);
            self.is_off.store(true, Ordering::Relaxed);
        }
    }
}

impl<'s, S: Analysed> Selected<'s, S> {
    pub fn new(system: &'s S, por: Por, resources: Resources) -> Self {
        Selected {
            system,
            por,
            resources,
            dependencies: Mutex::default(),
            n_reduced: AtomicU64::new(0),
            mistakes: Mutex::default(),
            benefit: Benefit::default(),
            paths: None,
        }
    }

    /// The same for formulas about paths.
    #[must_use]
    pub fn along(self, paths: &'s Paths) -> Self {
        Selected { paths: Some(paths), ..self }
    }

    pub fn tally(&self) -> SelectionTally {
        let dependencies = self.dependencies.lock().unwrap_or_else(PoisonError::into_inner);
        let outline = dependencies.get(&0).and_then(Option::as_ref).map(|dependencies| dependencies.outline());
        SelectionTally {
            reduced: self.n_reduced.load(Ordering::Relaxed),
            refused: None,
            is_verification: self.por.verified_length.is_some(),
            mistakes: self.mistakes.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            outline: outline.unwrap_or_default(),
        }
    }

    /// Looks at some states along random paths, always the same ones if there is time.
    pub fn sample(&self, n_states: usize) -> Sample {
        let mut worker = self.worker();
        let mut sample = Sample::default();
        let mut starts = Steps::new(self.width());
        // A sample is not about everything anyway.
        let _ = worker.inner.expand(Origin::Root, None, &mut starts, &mut |starts| {
            if starts.len() < MAX_SAMPLE_STARTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let mut steps = Steps::new(self.width());
        let mut random = Random::new(1);
        let mut state = some_target(&mut random, &starts);
        for number in 1..n_states {
            let Some(words) = state.take().filter(|_| !number.is_multiple_of(SAMPLE_DEPTH)) else {
                state = some_target(&mut random, &starts);
                continue;
            };
            if self.system.analysis_of(&words).is_some() && !self.look_at(&words, &mut worker, &mut sample) {
                return sample;
            }
            steps.clear();
            let _ = worker.inner.successors(&words, &mut steps);
            state = some_target(&mut random, &steps);
            let tells_nothing = number >= SAMPLE_DEPTH && sample.taken == sample.steps;
            if tells_nothing || number >= MIN_SAMPLE_STATES && sample.steps >= SAMPLE_STEPS {
                break;
            }
        }
        sample
    }

    /// Adds the steps out of a state to a sample; false if that is the end of it.
    fn look_at(&self, words: &[u32], worker: &mut SelectedWorker<'_, S>, sample: &mut Sample) -> bool {
        let counts = worker.count(words);
        let dependencies = self.dependencies(words);
        sample.may_improve |= dependencies.as_ref().is_some_and(|dependencies| dependencies.may_improve());
        let Some((n_taken, n_steps)) = counts else {
            *sample = Sample { may_improve: sample.may_improve || self.resources.is_over(), ..Sample::default() };
            return false;
        };
        // What was not asked counts as dependent, so a state at which the effort ran out says nothing.
        sample.is_exhausted = dependencies.is_some_and(|dependencies| dependencies.is_exhausted());
        if !sample.is_exhausted {
            sample.taken += n_taken;
            sample.steps += n_steps;
        }
        !sample.is_exhausted
    }

    /// The dependencies for the constants of a state.
    pub fn dependencies(&self, words: &[u32]) -> Option<Arc<Dependencies>> {
        let number = self.system.analysis_of(words).filter(|number| *number < self.por.max_setups)?;
        let mut dependencies = self.dependencies.lock().unwrap_or_else(PoisonError::into_inner);
        let observed: &[Observed] = self.paths.map_or(&[], |paths| &paths.observed);
        let asked = (self.por.asked, observed);
        let build = || self.system.analyse(words, asked, self.por.depth, &self.resources).map(Arc::new);
        dependencies.entry(number).or_insert_with(build).clone()
    }
}

impl<S: Analysed> Layer for Selected<'_, S> {
    type Inner = S;
    type Worker<'a>
        = SelectedWorker<'a, S>
    where
        Self: 'a;

    fn inner(&self) -> &S {
        self.system
    }

    fn layer_worker(&self) -> SelectedWorker<'_, S> {
        SelectedWorker {
            selected: self,
            inner: self.system.worker(),
            all: Steps::with_labels(self.system.width()),
            view: None,
        }
    }

    fn layer_tidy(&self, n_states: u64) -> usize {
        // Steps are stored after the search, and must be selected as they were then.
        if self.paths.is_none() {
            self.benefit.judge(n_states);
        }
        self.system.tidy(n_states)
    }

    /// As long as no step was left out, the search is the one without a selection.
    fn layer_sleep_words(&self) -> usize {
        let is_whole = self.n_reduced.load(Ordering::Relaxed) == 0 && self.paths.is_none();
        let is_off = self.benefit.is_off.load(Ordering::Relaxed) && self.por.verified_length.is_none();
        if is_off && is_whole { self.system.sleep_words() } else { 0 }
    }

    /// States that are expanded ahead of the search would be counted as reduced.
    fn layer_may_look_ahead(&self) -> bool {
        false
    }
}

pub struct SelectedWorker<'a, S: Analysed + 'a> {
    selected: &'a Selected<'a, S>,
    inner: S::Worker<'a>,
    all: Steps,
    /// For the analysis of the state before.
    view: Option<(u32, Option<DependencyView>)>,
}

/// One worker's view of the dependencies for some constants.
struct DependencyView {
    dependencies: Arc<Dependencies>,
    chooser: Chooser,
    /// Instances by operation and label.
    instances: FxHashMap<(u32, Option<LabelId>), Option<EventId>>,
    /// True cells by word and value; nothing for a value that contradicts the dependencies.
    cells: FxHashMap<(u32, u32), Option<BitSet>>,
    bits: BitSet,
    enabled: BitSet,
    /// The instance of each step.
    events: Vec<EventId>,
}

impl DependencyView {
    fn new(dependencies: Arc<Dependencies>) -> DependencyView {
        let (chooser, bits) = (Chooser::new(&dependencies), BitSet::default());
        DependencyView {
            chooser,
            bits,
            enabled: BitSet::with_room(dependencies.n_events()),
            dependencies,
            instances: FxHashMap::default(),
            cells: FxHashMap::default(),
            events: Vec::new(),
        }
    }

    /// The event of a step.
    fn event_of(&mut self, system: &impl Analysed, operation: u32, label: Option<LabelId>) -> Option<EventId> {
        let find = || system.event_of(&self.dependencies, operation, label);
        *self.instances.entry((operation, label)).or_insert_with(find)
    }

    /// Takes up a state and the steps out of it; false if they contradict the dependencies or are not known well enough.
    fn load(&mut self, system: &impl Analysed, words: &[u32], steps: &Steps) -> bool {
        self.enabled.clear();
        self.events.clear();
        for step in steps.iter() {
            let Some(event) = self.event_of(system, step.operation, step.label) else { return false };
            self.enabled.insert(event);
            self.events.push(event);
        }
        self.bits.clear();
        for (word, id) in words.iter().enumerate() {
            let find = || system.true_cells(&self.dependencies, word, *id);
            match self.cells.entry((word as u32, *id)).or_insert_with(find) {
                Some(cells) => self.bits.union_with(cells),
                None => return false,
            }
        }
        true
    }

    /// Chooses a set of instances that formulas about paths allow; true if noticed steps may be put off for ever along cycles of such states.
    fn choose_along(&mut self, paths: &Paths, words: &[u32], steps: &Steps) -> bool {
        let DependencyView { dependencies, chooser, bits, enabled, events, .. } = self;
        let noticed: BitSet = dependencies.noticed().common(enabled).collect();
        let state = paths.state();
        let closes = |step: &Step<'_>| state.closing.contains(step.operation as usize);
        let closing = steps.iter().zip(events.iter()).filter(|(step, _)| closes(step)).map(|(_, event)| *event);
        let closing: BitSet = closing.collect();
        let may_put_off = !state.full.contains(words);
        drop(state);
        if !paths.is_branching {
            let closing = may_put_off.then_some(&closing);
            return chooser.choose_linear(dependencies, (bits, enabled), &noticed, closing);
        }
        // An instance with several outcomes is no single step.
        let is_single = |event: EventId| {
            may_put_off
                && !noticed.contains(event)
                && !closing.contains(event)
                && events.iter().filter(|other| **other == event).count() == 1
        };
        let single: BitSet = enabled.iter().filter(|event| is_single(*event)).collect();
        chooser.choose_single(dependencies, (bits, enabled), &single);
        true
    }
}

impl<'a, S: Analysed> WorkerLayer for SelectedWorker<'a, S> {
    type Inner = S::Worker<'a>;

    fn inner(&self) -> &S::Worker<'a> {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut S::Worker<'a> {
        &mut self.inner
    }

    /// A selection is made among steps with labels of their own, so no step may count for others.
    fn layer_wants_alike(&self, _: Origin<'_>) -> bool {
        false
    }

    fn layer_expand(
        &mut self,
        origin: Origin<'_>,
        _: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness {
        match origin {
            Origin::State(words) if self.select(words, out) => Completeness::Whole,
            _ => self.inner.expand(origin, None, out, pause),
        }
    }
}

impl<S: Analysed> SelectedWorker<'_, S> {
    /// How many steps out of a state would be taken, and how many there are, those back to the state aside; nothing if nothing can be
    /// said about it.
    fn count(&mut self, words: &[u32]) -> Option<(usize, usize)> {
        let mut taken = Steps::new(self.selected.width());
        let moves = |steps: &Steps| steps.iter().filter(|step| step.target != words).count();
        self.select(words, &mut taken).then(|| (moves(&taken), moves(&self.all)))
    }

    /// Adds the selected steps; false if nothing can be said about the state, for example because steps are missing.
    fn select(&mut self, words: &[u32], out: &mut Steps) -> bool {
        if self.selected.benefit.is_off.load(Ordering::Relaxed) && self.selected.por.verified_length.is_none() {
            return false;
        }
        let Some(number) = self.selected.system.analysis_of(words) else { return false };
        if self.view.as_ref().is_none_or(|(known, _)| *known != number) {
            self.view = Some((number, self.selected.dependencies(words).map(DependencyView::new)));
        }
        let Some((_, Some(view))) = &mut self.view else { return false };
        self.all.clear();
        let completeness = self.inner.successors(words, &mut self.all);
        if !completeness.is_whole() || !view.load(self.selected.system, words, &self.all) {
            return false;
        }
        let mut puts_off = false;
        let chosen = match self.selected.por.rule {
            _ if let Some(paths) = self.selected.paths => {
                puts_off = view.choose_along(paths, words, &self.all);
                view.chooser.chosen()
            }
            SelectionRule::Stubborn => view.chooser.choose(&view.dependencies, &view.bits, &view.enabled),
            SelectionRule::Ample => view.chooser.choose_ample(&view.dependencies, &view.bits, &view.enabled),
        };
        if let Some(length) = self.selected.por.verified_length {
            if !view.enabled.is_within(chosen) {
                self.selected.n_reduced.fetch_add(1, Ordering::Relaxed);
                let chosen = chosen.clone();
                let mistake = self.verify(words, &chosen, length);
                let mut mistakes = self.selected.mistakes.lock().unwrap_or_else(PoisonError::into_inner);
                if mistakes.len() < MAX_MISTAKES {
                    mistakes.extend(mistake);
                }
            }
            return false;
        }
        let n_before = out.len();
        for (step, event) in self.all.iter().zip(&view.events) {
            if chosen.contains(*event) {
                out.push_like(&step, 0, step.target);
            } else if self.selected.paths.is_some() {
                out.left_out.push((step.operation, step.label));
            }
        }
        self.all.ill_defined().iter().for_each(|operation| out.push_ill_defined(*operation));
        let n_taken = out.len() - n_before;
        self.selected.benefit.count(self.all.len(), n_taken);
        if n_taken < self.all.len() {
            count_repeated(out, n_before);
            out.is_reduced = true;
            out.puts_off = puts_off;
            self.selected.n_reduced.fetch_add(1, Ordering::Relaxed);
        }
        true
    }
}

/// Counts each transition of a selection once: where steps repeat a transition, the one that counts may have been left out.
fn count_repeated(steps: &mut Steps, first: usize) {
    for entry in first..steps.len() {
        let step = steps.get(entry);
        let is_same = |other: usize| {
            let other = steps.get(other);
            other.count > 0 && other.operation == step.operation && other.target == step.target
        };
        if step.count == 0 && !(first..steps.len()).any(is_same) {
            steps.add_count(entry, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_that_leaves_out_little_is_switched_off_and_tried_again() {
        let benefit = Benefit::default();
        let is_off = || benefit.is_off.load(Ordering::Relaxed);
        benefit.count(10_000, 10_000);
        benefit.judge(1_000);
        assert!(!is_off(), "too early to say");
        benefit.count(10_000, 9_999);
        benefit.judge(2_000);
        assert!(is_off());
        benefit.judge(7_999);
        assert!(is_off());
        benefit.judge(8_000);
        assert!(!is_off());
        benefit.count(30_000, 20_000);
        benefit.judge(9_000);
        assert!(!is_off(), "a third is left out");
    }

    #[test]
    fn a_transition_counts_once_whichever_of_its_steps_are_taken() {
        let counts = |given: [(u32, u64, u32); 4]| {
            let mut steps = Steps::with_labels(1);
            for (label, count, target) in given {
                steps.push_labelled(3, Some(LabelId(label)), count, &[target]);
            }
            count_repeated(&mut steps, 0);
            steps.iter().map(|step| step.count).collect::<Vec<u64>>()
        };
        assert_eq!(counts([(1, 1, 5), (2, 0, 5), (3, 0, 6), (4, 0, 6)]), [1, 0, 1, 0]);
        assert_eq!(counts([(1, 0, 5), (2, 0, 6), (3, 1, 6), (4, 2, 7)]), [1, 0, 1, 2]);
    }
}
