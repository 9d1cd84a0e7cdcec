//! Canonizers at work: the quotient of a system by the reductions of a plan.
//!
//! A state for which a function has no result, or an orbit that is too large, stays as it is: the identity is a canonizer, too, so this costs
//! states and never a verdict. It is told all the same ([`Trouble`]), for a function that is not total is not what its author meant.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use abridge_model_system::{ModelSystem, Transformer as _, is_initialised};
use abridge_system::{Gap, Steps};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cycles::{CircleGuard, MAX_ORBIT_STATES, ValueCycles, can_rank, moved_words};
use super::order::{Criterion, StateOrder, words_of};
use super::plan::{CanonizerStrategy, PartKind, PlannedReduction, ReductionPlan};
use crate::symmetry::{Auto, AutoCanonizer, Canonizer, Quotient};

/// Applications of generators by a local strategy, for one state.
const MAX_LOCAL_MOVES: usize = 10_000;
/// Representatives that a thread remembers, and words of all of them.
const MAX_CACHED_STATES: usize = 1 << 16;
const MAX_CACHED_WORDS: usize = 1 << 22;
/// Approximate bytes of a remembered representative beside the words.
const CACHED_BYTES: usize = 64;
/// Bytes by which the memory of a thread changes before that is told.
const TOLD_BYTES: u64 = 1 << 16;

/// States by representatives under the reductions of a plan.
pub struct Canonized<'s, S> {
    system: &'s S,
    plan: &'s ReductionPlan,
    stages: Vec<CanonizerStage<'s, S>>,
    /// A step from a representative that leaves these words as they are leads to a representative (Theorem 2). Nothing if no such words are known.
    coherent: Option<Vec<usize>>,
    troubles: Mutex<Vec<Trouble>>,
    /// What all threads remember.
    remembered_bytes: AtomicU64,
}

enum CanonizerStage<'s, S> {
    Function(usize),
    Orbit {
        generators: &'s [usize],
        strategy: CanonizerStrategy,
        order: StateOrder<'s, S>,
        /// There is one generator without parameters.
        is_cyclic: bool,
        /// The words that this generator moves, each by itself.
        moved: Option<Vec<usize>>,
    },
    Symmetry(Auto<'s, S>),
}

/// Something that went wrong in a canonizer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// The reduction, by position in the plan.
    pub part: usize,
    pub kind: TroubleKind,
    /// The first state in which it happened, and in how many it did.
    pub state: Vec<u32>,
    pub n_states: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TroubleKind {
    /// A function has no result.
    Undefined,
    /// A canonizer has several results.
    Several,
    /// An orbit has more states than are enumerated.
    LargeOrbit,
    /// Applied again and again, a generator runs in a circle that the state is not on.
    NoReturn,
    /// A local strategy goes on and on.
    Endless,
}

/// What tests say about one reduction by itself.
#[derive(Clone, Default, Debug)]
pub struct PartSample {
    /// Images from which the way back to the state was found (4.1), and the first state and image without one.
    pub n_closed: u64,
    pub unclosed: Option<(Vec<u32>, Vec<u32>)>,
    /// Images with the representative of the state (Proposition 2), and the first state and image with two.
    pub n_joined: u64,
    pub split: Option<(Vec<u32>, Vec<u32>)>,
}

impl<'s, S: ModelSystem> Canonized<'s, S> {
    pub fn new(system: &'s S, plan: &'s ReductionPlan) -> Self {
        let stages: Vec<CanonizerStage<'s, S>> =
            plan.parts.iter().map(|part| CanonizerStage::new(system, plan, part)).collect();
        let coherent = coherent_words(system, plan, &stages);
        Canonized { system, plan, stages, coherent, troubles: Mutex::default(), remembered_bytes: AtomicU64::new(0) }
    }

    /// What went wrong so far, one entry for each reduction and kind.
    pub fn troubles(&self) -> Vec<Trouble> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, part: usize, kind: TroubleKind, state: &[u32]) {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        match troubles.iter_mut().find(|trouble| (trouble.part, trouble.kind) == (part, kind)) {
            Some(known) => known.n_states += 1,
            None => troubles.push(Trouble { part, kind, state: state.to_vec(), n_states: 1 }),
        }
    }

    fn worker(&self, is_judge: bool) -> CanonizedWorker<'_, S> {
        let autos = self.stages.iter().map(|stage| match stage {
            CanonizerStage::Symmetry(auto) => Some(if is_judge { auto.judge() } else { auto.canonizer() }),
            _ => None,
        });
        let cycles = self.stages.iter().map(|stage| match stage {
            CanonizerStage::Orbit { order, moved: Some(moved), .. } => Some(ValueCycles::new(order, moved)),
            _ => None,
        });
        CanonizedWorker {
            canonized: self,
            cycles: cycles.collect(),
            transformer: self.system.transformer(),
            autos: autos.collect(),
            images: Steps::new(self.system.width()),
            cache: FxHashMap::default(),
            told_bytes: 0,
            is_judge,
        }
    }
}

impl<'s, S: ModelSystem> CanonizerStage<'s, S> {
    fn new(system: &'s S, plan: &ReductionPlan, part: &'s PlannedReduction) -> Self {
        match &part.kind {
            PartKind::Canonizer(function) => CanonizerStage::Function(*function),
            PartKind::Orbit { generators, strategy, order } => {
                let op = |function: usize| &system.model().operations[plan.functions[function]];
                let is_cyclic = matches!(generators[..], [only] if op(only).params.is_empty());
                let order = StateOrder::new(system, *order);
                let moved = match generators[..] {
                    [only] => moved_words(system, plan.functions[only]).filter(|moved| can_rank(&order, moved)),
                    _ => None,
                };
                CanonizerStage::Orbit { generators, strategy: *strategy, order, is_cyclic, moved }
            }
            PartKind::Symmetry { group, .. } => CanonizerStage::Symmetry(Auto::new(system, group.clone())),
        }
    }
}

/// Words such that what leaves them as they are, leads from a representative to one: all that the functions and orders of a plan look at. That is known
/// where each part takes the least state of an orbit, and no part moves what another one looks at.
fn coherent_words<S: ModelSystem>(
    system: &S,
    plan: &ReductionPlan,
    stages: &[CanonizerStage<'_, S>],
) -> Option<Vec<usize>> {
    let mut seen: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    for (part, stage) in plan.parts.iter().zip(stages) {
        let CanonizerStage::Orbit { strategy: CanonizerStrategy::Enumerate, order, .. } = stage else { return None };
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for function in part.functions() {
            let effects = &system.model().operations[plan.functions[*function]].effects;
            reads.extend([&effects.reads, &effects.guard_reads].map(|ids| words_of(system, ids)).concat());
            writes.extend(words_of(system, &effects.writes));
        }
        let keys = order.criteria().iter().filter(|criterion| matches!(criterion, Criterion::Key { .. }));
        reads.extend(keys.flat_map(|criterion| criterion.reads()));
        reads.extend(&writes);
        seen.push((reads, writes));
    }
    let is_apart = |(number, (reads, _)): (usize, &(Vec<usize>, Vec<usize>))| {
        let others = seen.iter().enumerate().filter(|(other, _)| *other != number);
        others.flat_map(|(_, (_, writes))| writes).all(|word| !reads.contains(word))
    };
    let is_known = plan.canonises_start && seen.iter().enumerate().all(is_apart);
    let mut words = seen.iter().flat_map(|(reads, _)| reads.iter().copied()).collect::<Vec<usize>>();
    words.sort_unstable();
    words.dedup();
    is_known.then_some(words)
}

impl<S: ModelSystem> Quotient for Canonized<'_, S> {
    type Canonizer<'a>
        = CanonizedWorker<'a, S>
    where
        Self: 'a;

    fn canonizer(&self) -> CanonizedWorker<'_, S> {
        self.worker(false)
    }

    fn judge(&self) -> CanonizedWorker<'_, S> {
        self.worker(true)
    }

    fn tidy(&self, n_states: u64) {
        for stage in &self.stages {
            if let CanonizerStage::Symmetry(auto) = stage {
                auto.tidy(n_states);
            }
        }
    }

    fn bytes(&self) -> u64 {
        let of_stage = |stage: &CanonizerStage<'_, S>| match stage {
            CanonizerStage::Symmetry(auto) => auto.bytes(),
            _ => 0,
        };
        self.stages.iter().map(of_stage).sum::<u64>() + self.remembered_bytes.load(Ordering::Relaxed)
    }

    fn is_lasting(&self) -> bool {
        true
    }
}

/// Finds representatives on behalf of one thread.
pub struct CanonizedWorker<'a, S: ModelSystem + 'a> {
    canonized: &'a Canonized<'a, S>,
    transformer: S::Transformer<'a>,
    autos: Vec<Option<AutoCanonizer<'a, S>>>,
    cycles: Vec<Option<ValueCycles>>,
    images: Steps,
    cache: FxHashMap<Box<[u32]>, Box<[u32]>>,
    /// The part of [`Canonized::remembered_bytes`] that this thread has.
    told_bytes: u64,
    /// Orbits are enumerated, whatever the strategy: two states are equivalent if they get the same representative.
    is_judge: bool,
}

impl<S: ModelSystem> Drop for CanonizedWorker<'_, S> {
    fn drop(&mut self) {
        self.canonized.remembered_bytes.fetch_sub(self.told_bytes, Ordering::Relaxed);
    }
}

impl<S: ModelSystem> CanonizedWorker<'_, S> {
    /// Remembers the representative of a state, and forgets those of others if there are too many.
    fn remember(&mut self, state: Box<[u32]>, representative: &[u32]) {
        let entry_words = 2 * state.len();
        if self.cache.len() >= MAX_CACHED_STATES.min(MAX_CACHED_WORDS / entry_words.max(1)).max(1) {
            self.cache.clear();
        }
        self.cache.insert(state, representative.into());
        let cached = self.cache.len() * (entry_words * size_of::<u32>() + CACHED_BYTES);
        let bytes = cached as u64 + self.cycles.iter().flatten().map(ValueCycles::bytes).sum::<u64>();
        if bytes.abs_diff(self.told_bytes) >= TOLD_BYTES {
            let total = &self.canonized.remembered_bytes;
            total.fetch_add(bytes, Ordering::Relaxed);
            total.fetch_sub(self.told_bytes, Ordering::Relaxed);
            self.told_bytes = bytes;
        }
    }

    /// Images of a state under all functions of the plan, except where symmetry reduction takes over: that one moves constants, too.
    pub fn images_of(&mut self, state: &[u32], mut found: impl FnMut(usize, &[u32])) -> bool {
        let mut is_whole = true;
        for (part, item) in self.canonized.plan.parts.iter().enumerate() {
            if matches!(item.kind, PartKind::Symmetry { .. }) {
                continue;
            }
            for function in item.functions() {
                let completeness = self.transformer.images(*function, state, &mut self.images);
                is_whole &= completeness.is_whole();
                self.images.iter().for_each(|image| found(part, image.target));
            }
        }
        is_whole
    }

    /// Looks for the way back from the images of a state, and compares representatives, reduction by reduction. `n_looks` are images that may
    /// still be looked at.
    pub(super) fn examine_images(&mut self, state: &[u32], n_looks: &mut usize, parts: &mut [PartSample]) {
        let mut images: Vec<(usize, Vec<u32>)> = Vec::new();
        self.images_of(state, |part, image| images.push((part, image.to_vec())));
        for (part, image) in images {
            let found = &mut parts[part];
            match self.leads_back(part, &image, state, n_looks) {
                Some(true) => found.n_closed += 1,
                Some(false) if found.unclosed.is_none() => found.unclosed = Some((state.to_vec(), image.clone())),
                _ => {}
            }
            // The least state of an orbit is the same for all its states.
            if matches!(
                self.canonized.stages[part],
                CanonizerStage::Orbit { strategy: CanonizerStrategy::Enumerate, .. }
            ) {
                continue;
            }
            let (mut first, mut second) = (state.to_vec(), image.clone());
            self.apply(part, &mut first);
            self.apply(part, &mut second);
            if first == second {
                found.n_joined += 1;
            } else if found.split.is_none() {
                found.split = Some((state.to_vec(), image));
            }
        }
    }

    /// Generators lead from an image back to the state, and a canonizer leaves it as it is. Nothing if that is not known.
    fn leads_back(&mut self, part: usize, image: &[u32], state: &[u32], n_looks: &mut usize) -> Option<bool> {
        let canonized = self.canonized;
        let generators = match &canonized.stages[part] {
            CanonizerStage::Function(function) => {
                let mut again = image.to_vec();
                return self.function(*function, &mut again).ok().map(|()| again == image);
            }
            CanonizerStage::Orbit { generators, .. } => *generators,
            CanonizerStage::Symmetry(_) => return None,
        };
        let mut seen: FxHashSet<Box<[u32]>> = FxHashSet::from_iter([image.into()]);
        let mut open: Vec<Box<[u32]>> = vec![image.into()];
        while let Some(from) = open.pop() {
            if *from == *state {
                return Some(true);
            }
            for generator in generators {
                self.images(*generator, &from).ok()?;
                *n_looks = n_looks.checked_sub(self.images.len())?;
                for next in self.images.iter() {
                    if seen.insert(next.target.into()) {
                        open.push(next.target.into());
                    }
                }
            }
        }
        Some(false)
    }

    fn apply(&mut self, part: usize, state: &mut [u32]) {
        let canonized = self.canonized;
        let result = match &canonized.stages[part] {
            CanonizerStage::Function(function) => self.function(*function, state),
            CanonizerStage::Orbit { generators, strategy: CanonizerStrategy::Local, order, .. } if !self.is_judge => {
                self.descend(generators, order, state)
            }
            CanonizerStage::Orbit { generators: [only], order, moved: Some(_), .. } => {
                self.turn(part, *only, order, state)
            }
            CanonizerStage::Orbit { generators: [only], order, is_cyclic: true, .. } => {
                self.around(*only, order, state)
            }
            CanonizerStage::Orbit { generators, order, .. } => self.least(generators, order, state),
            CanonizerStage::Symmetry(_) => {
                self.autos[part].iter_mut().for_each(|auto| auto.represent(state));
                Ok(())
            }
        };
        if let Err(Some(kind)) = result {
            canonized.note(part, kind, state);
        }
    }

    /// The error has no kind if evaluation was stopped from outside.
    fn function(&mut self, function: usize, state: &mut [u32]) -> Result<(), Option<TroubleKind>> {
        let completeness = self.transformer.images(function, state, &mut self.images);
        match (completeness.gap(), self.images.len()) {
            (Some(Gap::Stopped | Gap::Memory), _) => Err(None),
            (None, 1) => {
                state.copy_from_slice(self.images.get(0).target);
                Ok(())
            }
            (None, 2..) => Err(Some(TroubleKind::Several)),
            _ => Err(Some(TroubleKind::Undefined)),
        }
    }

    /// Whether the images that were asked for last are all there.
    fn images(&mut self, generator: usize, state: &[u32]) -> Result<(), Option<TroubleKind>> {
        match self.transformer.images(generator, state, &mut self.images).gap() {
            None => Ok(()),
            Some(Gap::Stopped | Gap::Memory) => Err(None),
            Some(_) => Err(Some(TroubleKind::Undefined)),
        }
    }

    /// Goes to the smallest image as long as it is smaller than the state.
    fn descend(
        &mut self,
        generators: &[usize],
        order: &StateOrder<'_, S>,
        state: &mut [u32],
    ) -> Result<(), Option<TroubleKind>> {
        let mut best = state.to_vec();
        for _ in 0..MAX_LOCAL_MOVES {
            let from = best.clone();
            for generator in generators {
                self.images(*generator, &from)?;
                for image in self.images.iter() {
                    if order.compare(image.target, &best).is_lt() {
                        best.copy_from_slice(image.target);
                    }
                }
            }
            if best == from {
                state.copy_from_slice(&best);
                return Ok(());
            }
        }
        Err(Some(TroubleKind::Endless))
    }

    /// Applies a generator without parameters once.
    fn turned(&mut self, generator: usize, state: &mut [u32]) -> Result<(), Option<TroubleKind>> {
        self.images(generator, state)?;
        if self.images.len() != 1 {
            return Err(Some(TroubleKind::Several));
        }
        state.copy_from_slice(self.images.get(0).target);
        Ok(())
    }

    /// The smallest state of the orbit of one generator that moves each variable by itself.
    fn turn(
        &mut self,
        part: usize,
        generator: usize,
        order: &StateOrder<'_, S>,
        state: &mut [u32],
    ) -> Result<(), Option<TroubleKind>> {
        let Some(mut cycles) = self.cycles[part].take() else { return self.around(generator, order, state) };
        let result = cycles.represent(order, state, |current| self.turned(generator, current));
        self.cycles[part] = Some(cycles);
        result
    }

    /// The smallest state of the orbit of one generator: the cycle through the state.
    fn around(
        &mut self,
        generator: usize,
        order: &StateOrder<'_, S>,
        state: &mut [u32],
    ) -> Result<(), Option<TroubleKind>> {
        let (mut best, mut current) = (state.to_vec(), state.to_vec());
        let mut circle = CircleGuard::new(state.to_vec());
        for _ in 0..MAX_ORBIT_STATES {
            self.turned(generator, &mut current)?;
            if current == state {
                state.copy_from_slice(&best);
                return Ok(());
            }
            if circle.closes(&current) {
                return Err(Some(TroubleKind::NoReturn));
            }
            if order.compare(&current, &best).is_lt() {
                best.copy_from_slice(&current);
            }
        }
        Err(Some(TroubleKind::LargeOrbit))
    }

    /// The smallest state of the orbit.
    fn least(
        &mut self,
        generators: &[usize],
        order: &StateOrder<'_, S>,
        state: &mut [u32],
    ) -> Result<(), Option<TroubleKind>> {
        let mut best = state.to_vec();
        let mut seen: FxHashSet<Box<[u32]>> = FxHashSet::default();
        seen.insert(state.into());
        let mut open: Vec<Box<[u32]>> = vec![(&*state).into()];
        while let Some(from) = open.pop() {
            for generator in generators {
                self.images(*generator, &from)?;
                for image in self.images.iter() {
                    if seen.contains(image.target) {
                        continue;
                    }
                    if seen.len() >= MAX_ORBIT_STATES {
                        return Err(Some(TroubleKind::LargeOrbit));
                    }
                    if order.compare(image.target, &best).is_lt() {
                        best.copy_from_slice(image.target);
                    }
                    seen.insert(image.target.into());
                    open.push(image.target.into());
                }
            }
        }
        state.copy_from_slice(&best);
        Ok(())
    }
}

impl<S: ModelSystem> Canonizer for CanonizedWorker<'_, S> {
    fn represent(&mut self, state: &mut [u32]) {
        // Before the initialisation there is nothing to reduce.
        if !is_initialised(state) {
            return;
        }
        if let Some(known) = self.cache.get(&*state) {
            state.copy_from_slice(known);
            return;
        }
        let before: Box<[u32]> = (&*state).into();
        for part in 0..self.canonized.stages.len() {
            self.apply(part, state);
        }
        self.remember(before, state);
    }

    fn is_shown(&self) -> bool {
        true
    }

    fn represent_target(&mut self, source: Option<&[u32]>, target: &mut [u32]) {
        let Canonized { plan, coherent, .. } = self.canonized;
        match source.filter(|source| is_initialised(source)) {
            None if !plan.canonises_start => {}
            Some(source)
                if coherent.as_ref().is_some_and(|words| words.iter().all(|word| source[*word] == target[*word])) => {}
            _ => self.represent(target),
        }
    }
}
