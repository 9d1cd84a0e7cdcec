//! Workers of the sliced system: blocks of states are evaluated when they are announced, and told state by state when they are asked for.
//!
//! A state that was not announced, that is outside the cells, or in which something is ill-defined, is handed to the worker of the explicit system; so
//! are operations and properties without circuits. So every answer is either that of an exact circuit or that of the explicit system.

use std::ops::Range;
use std::sync::Arc;

use abridge_explicit::ExplicitWorker;
use abridge_system::{
    Ahead, Alike, Completeness, FindingKind, Origin, Pause, Properties, Question, Steps, Worker, WorkerLayer,
};
use rustc_hash::FxHashSet;

use crate::block::Block;
use crate::compiled::{GatePrograms, N_ROLES, Outcome};
use crate::independence::Independence;
use crate::lanes::{MAX_SLICE_WORDS, WORD_LANES};
use crate::system::{NO_CONSTANTS, Sliced};
use crate::values::{BitCache, ValueFinder};

/// Evaluates blocks of states on behalf of one thread.
pub struct SlicedWorker<'a> {
    system: &'a Sliced<'a>,
    inner: ExplicitWorker<'a>,
    /// The first word of the state that the system was told of last.
    noted: u32,
    /// The constants that the compiled machine is for, as the first word of states, and the machine.
    compiled: Option<(u32, Option<Arc<GatePrograms>>)>,
    version: u32,
    /// The machine that evaluated the block.
    evaluated: Option<Arc<GatePrograms>>,
    block: Block,
    is_about: About,
    /// Vectors of the states of the block, and the next one to be asked about.
    words: Vec<u32>,
    width: usize,
    next: usize,
    /// For each state of the block one bit for each outcome.
    enabled: Vec<u64>,
    enabled_words: usize,
    /// For each state of the block the enabled outcomes that are asleep, in as many words; nothing if the search keeps no sleep sets.
    asleep: Vec<u64>,
    independence: Arc<Independence>,
    /// One bit for each state of the block in which a quiet cell is true, of which independence says nothing.
    loud: [u64; MAX_SLICE_WORDS],
    /// One bit for each state of the block in which the asked properties are as they should be, in so many words.
    settled: [u64; MAX_SLICE_WORDS],
    n_settled: usize,
    buffers: Buffers,
    single: [Ahead; 1],
}

/// What is known of the block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Steps,
    Properties,
}

#[derive(Default)]
struct Buffers {
    caches: Vec<BitCache>,
    /// Targets of a group, once there are many.
    targets: FxHashSet<Box<[u32]>>,
}

/// Targets of a group up to which they are compared one by one.
const MAX_COMPARED_TARGETS: usize = 8;

impl<'a> SlicedWorker<'a> {
    pub(crate) fn new(system: &'a Sliced<'a>, inner: ExplicitWorker<'a>, width: usize) -> Self {
        SlicedWorker {
            system,
            inner,
            noted: NO_CONSTANTS,
            compiled: None,
            version: 0,
            evaluated: None,
            block: Block::default(),
            is_about: About::Steps,
            words: Vec::new(),
            width,
            next: 0,
            enabled: Vec::new(),
            enabled_words: 0,
            asleep: Vec::new(),
            independence: Arc::default(),
            loud: [0; MAX_SLICE_WORDS],
            settled: [0; MAX_SLICE_WORDS],
            n_settled: 0,
            buffers: Buffers::default(),
            single: Default::default(),
        }
    }

    /// The compiled machine for the constants of a state, if there is one now.
    fn compiled(&mut self, words: &[u32]) -> Option<Arc<GatePrograms>> {
        let version = self.system.version();
        if version != self.version || self.compiled.as_ref().is_none_or(|(constants, _)| *constants != words[0]) {
            let compiled = self.system.compiled(words);
            let variables = compiled.iter().flat_map(|compiled| &compiled.variables);
            self.buffers.caches = variables.map(|variable| BitCache::new(variable.n_words())).collect();
            self.compiled = Some((words[0], compiled));
            self.version = version;
        }
        self.compiled.as_ref().and_then(|(_, compiled)| compiled.clone())
    }

    /// Evaluates a block; false if that cannot be done.
    fn evaluate(&mut self, states: &[Ahead], is_about: About) -> bool {
        self.block.clear();
        self.n_settled = 0;
        self.next = 0;
        let Some(first) = states.first().filter(|state| state.words[0] & 1 == 1) else { return false };
        let Some(compiled) = self.compiled(&first.words) else { return false };
        self.is_about = is_about;
        self.words.clear();
        states.iter().for_each(|state| self.words.extend_from_slice(&state.words));
        match is_about {
            About::Steps => {
                self.block.load(self.system.explicit(), &compiled, &compiled.steps, (&self.words, self.width));
                let signals = compiled.outcomes.iter().map(|outcome| outcome.enabled);
                self.enabled_words = self.block.by_state(signals, &mut self.enabled);
                self.note_asleep(&compiled, states);
            }
            About::Properties => {
                self.block.load(self.system.explicit(), &compiled, &compiled.properties, (&self.words, self.width));
            }
        }
        self.evaluated = Some(compiled);
        true
    }

    /// Takes note of the sleep sets of the states of the block.
    fn note_asleep(&mut self, compiled: &GatePrograms, states: &[Ahead]) {
        compiled.note_loud(self.block.loud_cells(compiled.n_cells()));
        self.asleep.clear();
        self.independence = compiled.independence();
        let words = self.independence.words();
        if words == 0 || states.iter().any(|state| state.asleep.len() < words) {
            return;
        }
        self.loud = self.block.with_any(&self.independence.quiet);
        let (mut n_awake, mut n_asleep) = (0, 0);
        for (state, enabled) in states.iter().zip(self.enabled.chunks_exact(words)) {
            let start = self.asleep.len();
            self.asleep.extend(state.asleep.iter().zip(enabled).map(|(asleep, enabled)| asleep & enabled));
            let asleep = &mut self.asleep[start..];
            compiled.repeating.iter().for_each(|group| wake_companions(group, enabled, asleep));
            for (asleep, enabled) in asleep.iter().zip(enabled) {
                n_awake += u64::from((enabled & !asleep).count_ones());
                n_asleep += u64::from(asleep.count_ones());
            }
        }
        self.system.note_sleep(n_awake, n_asleep);
    }

    /// Takes note of the states of the block in which there is nothing to report.
    fn note_settled(&mut self, asked: Properties) {
        let Some(compiled) = &self.evaluated else { return };
        let roles = asked_roles(asked).zip(&compiled.roles).filter(|(is_asked, _)| *is_asked).map(|(_, role)| *role);
        if roles.clone().all(|role| role.is_some()) {
            self.settled = self.block.outside_or_any(roles.flatten()).map(|left| !left);
            self.n_settled = self.block.len().div_ceil(WORD_LANES);
        }
    }

    /// The lane of a state, which is usually the next one. A state that was not announced is evaluated alone if nothing else will do.
    fn lane(&mut self, words: &[u32], is_about: About) -> Option<usize> {
        if self.is_about == is_about {
            let states = self.words.chunks_exact(self.width).take(self.block.len()).enumerate();
            if let Some((lane, _)) = states.skip(self.next).find(|(_, state)| *state == words) {
                self.next = lane + 1;
                return Some(lane).filter(|lane| !self.block.is_outside(*lane));
            }
        }
        if !self.system.is_forced() {
            return None;
        }
        let mut single = std::mem::take(&mut self.single);
        single[0].words.clear();
        single[0].words.extend_from_slice(words);
        let is_evaluated = self.evaluate(&single, is_about);
        self.single = single;
        self.next = 1;
        (is_evaluated && !self.block.is_outside(0)).then_some(0)
    }

    /// Adds the steps out of a state of the block; nothing, and no step, if some target has no value.
    fn add_steps(
        &mut self,
        compiled: &GatePrograms,
        lane: usize,
        words: &[u32],
        out: &mut Steps,
    ) -> Option<Completeness> {
        let start = out.len();
        let mut completeness = Completeness::Whole;
        let mut first = 0;
        let row = lane * self.enabled_words..(lane + 1) * self.enabled_words;
        let mut group = Group { number: u32::MAX, start };
        let is_loud = self.loud[lane / WORD_LANES] >> (lane % WORD_LANES) & 1 == 1;
        let mut operations = compiled.operations.iter().enumerate().peekable();
        while let Some((position, end)) = operations.next() {
            let Some(mut end) = *end else {
                completeness = completeness.and(self.inner.perform(position, words, out));
                continue;
            };
            // Operations with circuits that follow each other are gone through together.
            while let Some((_, Some(next))) = operations.next_if(|(_, end)| end.is_some()) {
                end = *next;
            }
            let enabled = &self.enabled[row.clone()];
            let asleep = self.asleep.get(row.clone());
            let finder = ValueFinder { system: self.system.explicit(), cells: &compiled.cells };
            for word in first / 64..end.div_ceil(64) {
                let mut open = enabled[word] & within(word, first, end);
                let mut known = asleep.map_or(0, |asleep| asleep[word] & open);
                open &= !known;
                while known != 0 {
                    out.push_known(compiled.outcomes[word * 64 + known.trailing_zeros() as usize].operation);
                    known &= known - 1;
                }
                while open != 0 {
                    let idx = word * 64 + open.trailing_zeros() as usize;
                    open &= open - 1;
                    let outcome = &compiled.outcomes[idx];
                    group.enter(outcome, out);
                    let target = out.push_copy(outcome.operation, words);
                    if !self.buffers.perform(&finder, compiled, &self.block, (outcome, lane), target) {
                        out.truncate(start);
                        out.forget_known();
                        return None;
                    }
                    if outcome.may_repeat && !self.buffers.is_new(&group, out) {
                        out.truncate(out.len() - 1);
                    } else if let Some(asleep) = asleep
                        && !is_loud
                    {
                        out.set_sleep_set(sleep_set(self.independence.of(idx), enabled, asleep, idx));
                    }
                }
            }
            first = end;
        }
        Some(completeness)
    }
}

impl SlicedWorker<'_> {
    /// [`SlicedWorker::add_steps`] with labels. Outcomes that are one transition are several steps then.
    fn add_labelled_steps(
        &mut self,
        compiled: &GatePrograms,
        lane: usize,
        words: &[u32],
        out: &mut Steps,
    ) -> Option<Completeness> {
        let start = out.len();
        let mut completeness = Completeness::Whole;
        let mut first = 0;
        let row = lane * self.enabled_words..(lane + 1) * self.enabled_words;
        let mut group = Group { number: u32::MAX, start };
        for (position, end) in compiled.operations.iter().enumerate() {
            let before = first;
            first = end.unwrap_or(first);
            if end.is_none() || !compiled.has_labels[position] {
                completeness = completeness.and(self.inner.perform(position, words, out));
                continue;
            }
            let enabled = &self.enabled[row.clone()];
            let finder = ValueFinder { system: self.system.explicit(), cells: &compiled.cells };
            for idx in ones(enabled, before, first) {
                let outcome = &compiled.outcomes[idx];
                let Some(label) = outcome.label else { continue };
                group.enter(outcome, out);
                let target = out.push_labelled_copy(outcome.operation, label, words);
                if !self.buffers.perform(&finder, compiled, &self.block, (outcome, lane), target) {
                    out.truncate(start);
                    return None;
                }
                if outcome.may_repeat && !self.buffers.is_new(&group, out) {
                    out.mark_repeated();
                }
            }
        }
        Some(completeness)
    }
}

/// Wakes the outcomes of a group if several are enabled: they may be one transition, so their targets are compared.
#[inline]
fn wake_companions(group: &Range<usize>, enabled: &[u64], asleep: &mut [u64]) {
    let words = group.start / 64..group.end.div_ceil(64);
    let own = |word: usize| within(word, group.start, group.end);
    let n_enabled: u32 = words.clone().map(|word| (enabled[word] & own(word)).count_ones()).sum();
    if n_enabled > 1 {
        words.for_each(|word| asleep[word] &= !own(word));
    }
}

/// Whether each of the roles is asked for.
fn asked_roles(asked: Properties) -> impl Iterator<Item = bool> + Clone {
    [asked.invariant, asked.assertions, asked.goal, asked.propositions].into_iter()
}

/// The sleep set of the target of an outcome: what is independent of it, and was asleep or comes before it. Where these outcomes lead from here was met before the target
/// was, and the same outcome leads on from there.
#[inline]
fn sleep_set<'s>(
    independent: &'s [u64],
    enabled: &'s [u64],
    asleep: &'s [u64],
    outcome: usize,
) -> impl ExactSizeIterator<Item = u64> + 's {
    (0..independent.len()).map(move |word| {
        let before = match word.cmp(&(outcome / 64)) {
            std::cmp::Ordering::Less => u64::MAX,
            std::cmp::Ordering::Equal => (1 << (outcome % 64)) - 1,
            std::cmp::Ordering::Greater => 0,
        };
        independent[word] & enabled[word] & (asleep[word] | before)
    })
}

/// Bits of a word whose positions, counted over all words, are within a range.
#[inline]
fn within(word: usize, first: usize, end: usize) -> u64 {
    let start = word * 64;
    let low = if first > start { u64::MAX << (first - start) } else { u64::MAX };
    let high = if end < start + 64 { (1 << (end - start)) - 1 } else { u64::MAX };
    low & high
}

/// Positions of the bits that are set, within a range.
fn ones(words: &[u64], first: usize, end: usize) -> impl Iterator<Item = usize> {
    (first / 64..end.div_ceil(64)).flat_map(move |word| {
        let mut bits = words[word] & within(word, first, end);
        std::iter::from_fn(move || {
            let bit = bits.trailing_zeros() as usize;
            (bit < 64).then(|| {
                bits &= bits - 1;
                word * 64 + bit
            })
        })
    })
}

/// The group of outcomes that is being told.
struct Group {
    number: u32,
    /// Its first entry among the steps.
    start: usize,
}

impl Group {
    fn enter(&mut self, outcome: &Outcome, out: &Steps) {
        if self.number != outcome.group {
            *self = Group { number: outcome.group, start: out.len() };
        }
    }
}

impl Buffers {
    /// Changes a state by an outcome; false if there is no such state.
    #[inline]
    fn perform(
        &mut self,
        finder: &ValueFinder<'_>,
        compiled: &GatePrograms,
        block: &Block,
        (outcome, lane): (&Outcome, usize),
        words: &mut [u32],
    ) -> bool {
        for update in &outcome.updates {
            let variable = &compiled.variables[update.variable as usize];
            let (cache, deltas) =
                (&mut self.caches[update.variable as usize], &compiled.deltas[update.deltas as usize]);
            let word = &mut words[variable.word()];
            // The words are those of the state, since an outcome changes each variable once.
            let old = (*word, block.first_bits(update.variable as usize, lane));
            let new = if update.bits.is_empty() {
                finder.changed(variable, deltas, old, cache)
            } else {
                let bits = update.bits.iter().map(|(bit, signal)| (*bit, block.is_true(*signal, lane)));
                finder.with_bits(variable, deltas, old, bits, cache)
            };
            let Some(new) = new else { return false };
            *word = new;
        }
        true
    }

    /// No earlier step of the group has the target of the last one.
    fn is_new(&mut self, group: &Group, out: &Steps) -> bool {
        let n_before = out.len() - 1 - group.start;
        let Some(last) = out.last() else { return true };
        let mut before = out.iter_from(group.start).take(n_before);
        if n_before <= MAX_COMPARED_TARGETS {
            return before.all(|step| step.target != last.target);
        }
        if n_before == MAX_COMPARED_TARGETS + 1 {
            self.targets = before.map(|step| step.target.into()).collect();
        }
        self.targets.insert(last.target.into())
    }
}

impl<'a> WorkerLayer for SlicedWorker<'a> {
    type Inner = ExplicitWorker<'a>;

    fn inner(&self) -> &ExplicitWorker<'a> {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut ExplicitWorker<'a> {
        &mut self.inner
    }

    fn layer_expand(
        &mut self,
        origin: Origin<'_>,
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness {
        let words = origin.state().filter(|words| words[0] & 1 == 1 && alike.is_none());
        if let Some(words) = words.filter(|words| words[0] != self.noted) {
            self.noted = words[0];
            self.system.note(words[0], 0);
        }
        if let Some(words) = words
            && self.system.is_on()
            && let Some(lane) = self.lane(words, About::Steps)
            && let Some(compiled) = self.evaluated.take()
        {
            let is_doubtful = self.block.is_true(compiled.doubt, lane);
            let added = match out.wants_labels() {
                _ if is_doubtful => None,
                true => self.add_labelled_steps(&compiled, lane, words, out),
                false => self.add_steps(&compiled, lane, words, out),
            };
            self.evaluated = Some(compiled);
            if let Some(completeness) = added {
                return completeness;
            }
        }
        self.inner.expand(origin, alike, out, pause)
    }

    fn layer_announce(&mut self, states: &[Ahead], question: Question) {
        let is_about = match question {
            Question::Successors => {
                if let Some(first) = states.first().filter(|state| state.words[0] & 1 == 1) {
                    self.system.note(first.words[0], states.len());
                }
                About::Steps
            }
            Question::Properties(_) => About::Properties,
        };
        if !self.system.is_on() || !self.evaluate(states, is_about) {
            self.block.clear();
            self.n_settled = 0;
            self.inner.announce(states, question);
        } else if let Question::Properties(asked) = question {
            self.note_settled(asked);
        }
    }

    fn layer_settled(&self) -> &[u64] {
        &self.settled[..self.n_settled]
    }

    fn layer_wants_before(&self, asked: Properties) -> bool {
        // Circuits look at a state as a whole; what they leave to others does not.
        let has_circuits = |roles: &[Option<_>; N_ROLES]| {
            !(asked.invariant && roles[0].is_none()
                || asked.assertions && roles[1].is_none()
                || asked.goal && roles[2].is_none()
                || asked.propositions && roles[3].is_none())
        };
        !self.system.is_on() || self.evaluated.as_ref().is_none_or(|compiled| !has_circuits(&compiled.roles))
    }

    fn layer_inspect(
        &mut self,
        state: &[u32],
        before: Option<&[u32]>,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        if state[0] & 1 == 1
            && self.system.is_on()
            && let Some(lane) = self.lane(state, About::Properties)
            && let Some(compiled) = &self.evaluated
        {
            let left: [bool; N_ROLES] =
                std::array::from_fn(|role| compiled.roles[role].is_none_or(|signal| self.block.is_true(signal, lane)));
            let left = Properties {
                invariant: asked.invariant && left[0],
                assertions: asked.assertions && left[1],
                goal: asked.goal && left[2],
                propositions: asked.propositions && left[3],
            };
            if left == Properties::default() {
                return Completeness::Whole;
            }
            return self.inner.inspect(state, before, left, found);
        }
        self.inner.inspect(state, before, asked, found)
    }
}
