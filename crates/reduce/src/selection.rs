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
//! explored later, cannot be made. This preserves what is said about single states; it does not preserve formulas about paths.
//!
//! # With symmetry
//!
//! A quotient may be laid around a selection, not the other way round: `T(s)` is computed for the state that is expanded, then targets are
//! replaced by representatives. If a permutation maps steps to steps and what is asked for onto itself, the rest of the path above is
//! mapped with the target, its length included, and the argument goes on from there.

mod chooser;
mod twin;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use abridge_deps::{Asked, Depth, Facts, Means, NodeId, Outline};
use abridge_eval::Val;
use abridge_explicit::{Explicit, ExplicitWorker, FIRST_OPERATION};
use abridge_system::{
    Alike, Completeness, LabelId, Layer, Origin, Pause, Steps, System as _, Worker as _, WorkerLayer,
};
use abridge_value::{BitSet, Random};
use rustc_hash::FxHashMap;

use chooser::Chooser;

/// Which sets are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    Stubborn,
    /// A special case of them that is simpler and finds less.
    Ample,
}

/// How to look for independent steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Por {
    pub rule: Rule,
    pub depth: Depth,
    pub asked: Asked,
    /// Valuations of the constants that are analysed; the states of others are expanded fully.
    pub max_setups: u32,
    /// Take all steps, and check every selected set along paths up to this length.
    pub twin: Option<usize>,
}

/// The longest path of a sample.
const SAMPLE_DEPTH: usize = 100;
/// So many steps, out of some states at least, tell enough.
const SAMPLE_STEPS: usize = 4000;
const FEWEST_STATES: usize = 40;
/// Steps out of the root among which the paths of a sample begin.
const MOST_STARTS: usize = 10_000;

/// So many are enough to look at.
const MOST_MISTAKES: usize = 20;

/// What came of it.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// States of which not all steps were taken.
    pub reduced: u64,
    /// All steps were taken nevertheless, to check what would have been left out.
    pub is_twin: bool,
    /// What the checking twin found wrong: mistakes of ours.
    pub mistakes: Vec<String>,
    /// About the first valuation of the constants.
    pub outline: Outline,
}

/// What a look at some states showed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Steps out of the states, and how many of them would be taken.
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
pub struct Selected<'s> {
    system: &'s Explicit<'s>,
    por: Por,
    means: Means,
    /// By the number of the valuation of the constants; nothing for those that are beyond analysis.
    facts: Mutex<FxHashMap<u32, Option<Arc<Facts>>>>,
    n_reduced: AtomicU64,
    mistakes: Mutex<Vec<String>>,
}

impl<'s> Selected<'s> {
    pub fn new(system: &'s Explicit<'s>, por: Por, means: Means) -> Self {
        Selected {
            system,
            por,
            means,
            facts: Mutex::default(),
            n_reduced: AtomicU64::new(0),
            mistakes: Mutex::default(),
        }
    }

    pub fn tally(&self) -> Tally {
        let facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let outline = facts.get(&0).and_then(Option::as_ref).map(|facts| facts.outline());
        Tally {
            reduced: self.n_reduced.load(Ordering::Relaxed),
            is_twin: self.por.twin.is_some(),
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
            if starts.len() < MOST_STARTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let mut steps = Steps::new(self.width());
        let mut random = Random::new(1);
        let mut state = some_target(&mut random, &starts);
        for number in 1..n_states {
            let Some(words) = state.take().filter(|_| !number.is_multiple_of(SAMPLE_DEPTH)) else {
                state = some_target(&mut random, &starts);
                continue;
            };
            if words[0] & 1 == 1 && !self.look_at(&words, &mut worker, &mut sample) {
                return sample;
            }
            steps.clear();
            let _ = worker.inner.successors(&words, &mut steps);
            state = some_target(&mut random, &steps);
            let tells_nothing = number >= SAMPLE_DEPTH && sample.taken == sample.steps;
            if tells_nothing || number >= FEWEST_STATES && sample.steps >= SAMPLE_STEPS {
                break;
            }
        }
        sample
    }

    /// Adds the steps out of a state to a sample; false if that is the end of it.
    fn look_at(&self, words: &[u32], worker: &mut SelectedWorker<'_>, sample: &mut Sample) -> bool {
        let counts = worker.count(words);
        let facts = self.facts(words);
        sample.may_improve |= facts.as_ref().is_some_and(|facts| facts.may_improve());
        let Some((n_taken, n_steps)) = counts else {
            *sample = Sample { may_improve: sample.may_improve || self.means.is_over(), ..Sample::default() };
            return false;
        };
        sample.taken += n_taken;
        sample.steps += n_steps;
        sample.is_exhausted = facts.is_some_and(|facts| facts.is_exhausted());
        !sample.is_exhausted
    }

    /// The facts for the constants of a state.
    pub fn facts(&self, words: &[u32]) -> Option<Arc<Facts>> {
        let constants = words[0] >> 1;
        if constants >= self.por.max_setups {
            return None;
        }
        let mut facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let build = || Facts::new(self.system, words, self.por.asked, self.por.depth, &self.means).map(Arc::new);
        facts.entry(constants).or_insert_with(build).clone()
    }
}

impl<'s> Layer for Selected<'s> {
    type Inner = Explicit<'s>;
    type Worker<'a>
        = SelectedWorker<'a>
    where
        Self: 'a;

    fn inner(&self) -> &Explicit<'s> {
        self.system
    }

    fn layer_worker(&self) -> SelectedWorker<'_> {
        SelectedWorker {
            selected: self,
            inner: self.system.worker(),
            all: Steps::with_labels(self.system.width()),
            view: None,
        }
    }

    /// States that are expanded ahead of the search would be counted as reduced.
    fn layer_may_look_ahead(&self) -> bool {
        false
    }
}

pub struct SelectedWorker<'a> {
    selected: &'a Selected<'a>,
    inner: ExplicitWorker<'a>,
    all: Steps,
    /// For the constants of the state before.
    view: Option<(u32, Option<View>)>,
}

/// One worker's view of the facts for some constants.
struct View {
    facts: Arc<Facts>,
    chooser: Chooser,
    /// Instances by operation and label.
    instances: FxHashMap<(u32, Option<LabelId>), Option<NodeId>>,
    /// True places by word and value; nothing for a value that contradicts the facts.
    places: FxHashMap<(u32, u32), Option<BitSet>>,
    bits: BitSet,
    enabled: BitSet,
    /// The instance of each step.
    nodes: Vec<NodeId>,
}

impl View {
    fn new(facts: Arc<Facts>) -> View {
        let (chooser, bits) = (Chooser::new(&facts), BitSet::default());
        View {
            chooser,
            bits,
            enabled: BitSet::with_room(facts.n_nodes()),
            facts,
            instances: FxHashMap::default(),
            places: FxHashMap::default(),
            nodes: Vec::new(),
        }
    }

    /// The instance of a step.
    fn node_of(&mut self, system: &Explicit<'_>, operation: u32, label: Option<LabelId>) -> Option<NodeId> {
        let facts = &self.facts;
        let find = || {
            let operation = (operation - FIRST_OPERATION) as usize;
            let Some(label) = label else { return facts.is_whole(operation) };
            let vals: Vec<Val> = system.label_vals(label).cloned().collect();
            facts.instance_of(operation, &vals)
        };
        *self.instances.entry((operation, label)).or_insert_with(find)
    }

    /// Takes up a state and the steps out of it; false if they contradict the facts or are not known well enough.
    fn load(&mut self, system: &Explicit<'_>, words: &[u32], steps: &Steps) -> bool {
        self.enabled.clear();
        self.nodes.clear();
        for step in steps.iter() {
            let Some(node) = self.node_of(system, step.operation, step.label) else { return false };
            self.enabled.insert(node);
            self.nodes.push(node);
        }
        self.bits.clear();
        for (word, id) in words.iter().enumerate().skip(1) {
            let facts = &self.facts;
            let find = || {
                let places = facts.true_cells(word, system.value_of(word, *id))?;
                Some(places.into_iter().map(|place| place.0 as usize).collect())
            };
            match self.places.entry((word as u32, *id)).or_insert_with(find) {
                Some(places) => self.bits.union_with(places),
                None => return false,
            }
        }
        true
    }
}

impl<'a> WorkerLayer for SelectedWorker<'a> {
    type Inner = ExplicitWorker<'a>;

    fn inner(&self) -> &ExplicitWorker<'a> {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut ExplicitWorker<'a> {
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
            Origin::State(words) if words[0] & 1 == 1 && self.select(words, out) => Completeness::Whole,
            _ => self.inner.expand(origin, None, out, pause),
        }
    }
}

impl SelectedWorker<'_> {
    /// How many steps out of a state would be taken, and how many there are, those back to the state aside; nothing if nothing can be
    /// said about it.
    fn count(&mut self, words: &[u32]) -> Option<(usize, usize)> {
        let mut taken = Steps::new(self.selected.width());
        let moves = |steps: &Steps| steps.iter().filter(|step| step.target != words).count();
        self.select(words, &mut taken).then(|| (moves(&taken), moves(&self.all)))
    }

    /// Adds the selected steps; false if nothing can be said about the state, for example because steps are missing.
    fn select(&mut self, words: &[u32], out: &mut Steps) -> bool {
        let constants = words[0] >> 1;
        if self.view.as_ref().is_none_or(|(known, _)| *known != constants) {
            self.view = Some((constants, self.selected.facts(words).map(View::new)));
        }
        let Some((_, Some(view))) = &mut self.view else { return false };
        self.all.clear();
        let completeness = self.inner.successors(words, &mut self.all);
        if !completeness.is_whole() || !view.load(self.selected.system, words, &self.all) {
            return false;
        }
        let chosen = match self.selected.por.rule {
            Rule::Stubborn => view.chooser.choose(&view.facts, &view.bits, &view.enabled),
            Rule::Ample => view.chooser.choose_ample(&view.facts, &view.bits, &view.enabled),
        };
        if let Some(length) = self.selected.por.twin {
            if !view.enabled.is_within(chosen) {
                self.selected.n_reduced.fetch_add(1, Ordering::Relaxed);
                let chosen = chosen.clone();
                let mistake = self.verify(words, &chosen, length);
                let mut mistakes = self.selected.mistakes.lock().unwrap_or_else(PoisonError::into_inner);
                if mistakes.len() < MOST_MISTAKES {
                    mistakes.extend(mistake);
                }
            }
            return false;
        }
        let n_before = out.len();
        for (step, node) in self.all.iter().zip(&view.nodes) {
            if chosen.contains(*node) {
                out.push_like(&step, 0, step.target);
            }
        }
        out.is_ill_defined |= self.all.is_ill_defined;
        if out.len() - n_before < self.all.len() {
            out.is_reduced = true;
            self.selected.n_reduced.fetch_add(1, Ordering::Relaxed);
        }
        true
    }
}
