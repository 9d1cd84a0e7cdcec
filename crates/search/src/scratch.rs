//! Per-worker scratch: the worker of one thread and its buffers for states, steps and prefetching.

use std::ops::ControlFlow;

use abridge_store::{FoldQueue, QuadCache, StateTable};
use abridge_system::{
    Ahead, Completeness, FindingKind, Gap, NOT_STORED, Origin, Pause, Properties, Question, Steps, System, Worker,
};

use crate::recent::Recent;

/// Targets that are folded together, at least, unless there are no more.
const MIN_QUEUED_TARGETS: usize = 32;
/// States of a list that are inspected between two looks at the stop flag; a power of two.
const STATES_PER_STOP_CHECK: usize = 64;
/// Targets of one state that are folded between two looks at the stop flag; a power of two.
const TARGETS_PER_STOP_CHECK: usize = 1 << 14;

pub(crate) struct BatchScratch<W> {
    pub(crate) worker: W,
    pub(crate) steps: Steps,
    cache: QuadCache,
    recent: Recent,
    /// Targets that are still to be folded, and where their roots go.
    queue: FoldQueue,
    places: Vec<usize>,
    /// The state that was read last, and the ids of its nodes.
    pub(crate) words: Vec<u32>,
    ids: Vec<u32>,
    target_ids: Vec<u32>,
    /// States to prefetch, and the ids of their nodes.
    ahead: Vec<Ahead>,
    ahead_ids: Vec<Vec<u32>>,
    /// One bit for each of these states that need not be inspected.
    settled: Vec<u64>,
    /// Steps of a state may be left out when the stop flag is raised. A checkpoint would keep the gap for ever.
    can_stop: bool,
}

/// Looks at the stop flag after every so many entries of a list.
fn is_stopped_after<W: Worker>(idx: usize, interval: usize, worker: &W) -> bool {
    idx % interval == interval - 1 && worker.is_stopped()
}

impl<W: Worker> BatchScratch<W> {
    /// Scratch for a search that may leave steps out at its end, or one that saves itself.
    pub(crate) fn new<'s, S: System<Worker<'s> = W> + 's>(system: &'s S, can_stop: bool) -> Self {
        BatchScratch {
            worker: system.worker(),
            steps: Steps::new(system.width()),
            cache: QuadCache::new(),
            recent: Recent::new(system.width()),
            queue: FoldQueue::default(),
            places: Vec::new(),
            words: Vec::new(),
            ids: Vec::new(),
            target_ids: Vec::new(),
            ahead: Vec::new(),
            ahead_ids: Vec::new(),
            settled: Vec::new(),
            can_stop,
        }
    }

    pub(crate) fn read(&mut self, table: &StateTable, root: u64) {
        table.unfold(root, &mut self.words, &mut self.ids);
    }

    fn make_room(&mut self, n_states: usize) {
        if self.ahead.len() < n_states {
            self.ahead.resize_with(n_states, Ahead::default);
            self.ahead_ids.resize_with(n_states, Vec::new);
        }
    }

    /// Reads states that are to be expanded one after the other, with their sleep sets of so many words.
    pub(crate) fn read_ahead(&mut self, table: &StateTable, roots: &[u64], (asleep, sleep_words): (&[u64], usize)) {
        self.make_room(roots.len());
        for (idx, ((ahead, ids), root)) in self.ahead.iter_mut().zip(&mut self.ahead_ids).zip(roots).enumerate() {
            table.unfold(*root, &mut ahead.words, ids);
            ahead.asleep.clear();
            ahead.asleep.extend_from_slice(&asleep[idx * sleep_words..(idx + 1) * sleep_words]);
        }
        self.worker.announce(&self.ahead[..roots.len()], Question::Successors);
    }

    /// Makes a state that was read ahead the current one.
    pub(crate) fn turn_to(&mut self, idx: usize) {
        std::mem::swap(&mut self.words, &mut self.ahead[idx].words);
        std::mem::swap(&mut self.ids, &mut self.ahead_ids[idx]);
    }

    /// Computes the steps out of the current state.
    pub(crate) fn expand(&mut self) -> Completeness {
        self.expand_with(&mut |_| ControlFlow::Continue(()))
    }

    /// The same, with a look at the steps at intervals while they are being found.
    pub(crate) fn expand_with(&mut self, pause: &mut Pause<'_>) -> Completeness {
        self.steps.clear();
        self.worker.expand(Origin::State(&self.words), None, &mut self.steps, pause)
    }

    /// Adds the roots of the targets of all steps, except for targets that this worker met before in this generation of blocks. Where steps are stored, their marks are added beside, and
    /// every step that is stored needs its target. Sleep sets of so many words are added beside, too. [`BatchScratch::fold_queued`] must be called before roots are read. False if the stop
    /// flag was met, and targets are missing.
    pub(crate) fn add_targets(
        &mut self,
        table: &StateTable,
        generation: u32,
        (roots, mut marks): (&mut Vec<u64>, Option<&mut Vec<u64>>),
        (sleep_sets, sleep_words): (&mut Vec<u64>, usize),
    ) -> bool {
        self.recent.forget_before(generation);
        let near = (self.words.as_slice(), self.ids.as_slice());
        let can_queue = table.can_queue();
        let mut is_whole = true;
        for (idx, step) in self.steps.iter().enumerate() {
            if self.can_stop && is_stopped_after(idx, TARGETS_PER_STOP_CHECK, &self.worker) {
                is_whole = false;
                break;
            }
            let is_stored = marks.is_some() && step.marks != NOT_STORED;
            if !is_stored && self.recent.meet(step.target) {
                continue;
            }
            if let Some(marks) = &mut marks {
                marks.push(step.marks);
            }
            if sleep_words > 0 {
                let set = self.steps.sleep_set(idx);
                sleep_sets.extend_from_slice(&set[..set.len().min(sleep_words)]);
                sleep_sets.resize((roots.len() + 1) * sleep_words, 0);
            }
            if can_queue {
                self.places.push(roots.len());
                roots.push(0);
                self.queue.push(step.target, near);
            } else {
                roots.push(table.fold(&mut self.cache, step.target, Some(near), &mut self.target_ids));
            }
        }
        if self.queue.len() >= MIN_QUEUED_TARGETS {
            self.fold_queued(table, roots);
        }
        is_whole
    }

    /// Folds the targets that are left.
    pub(crate) fn fold_queued(&mut self, table: &StateTable, roots: &mut [u64]) {
        let mut places = self.places.drain(..);
        table.fold_queue(&mut self.cache, &mut self.queue, |root| {
            if let Some(place) = places.next() {
                roots[place] = root;
            }
        });
    }

    /// Operation, number of transitions and root of each step. False if the stop flag was met, and the last steps are missing.
    pub(crate) fn targets(&mut self, table: &StateTable, mut each: impl FnMut(u32, u64, u64)) -> bool {
        let near = (!self.words.is_empty()).then_some((self.words.as_slice(), self.ids.as_slice()));
        for (idx, step) in self.steps.iter().enumerate() {
            if self.can_stop && is_stopped_after(idx, TARGETS_PER_STOP_CHECK, &self.worker) {
                return false;
            }
            let root = table.fold(&mut self.cache, step.target, near, &mut self.target_ids);
            each(step.operation, step.count, root);
        }
        true
    }

    /// Calls `each` with the marks and the state root of the target of each step.
    pub(crate) fn marked_targets(&mut self, table: &StateTable, mut each: impl FnMut(u64, u64)) {
        let near = Some((self.words.as_slice(), self.ids.as_slice()));
        for step in self.steps.iter() {
            each(step.marks, table.fold(&mut self.cache, step.target, near, &mut self.target_ids));
        }
    }

    /// Calls `each` with the marks and the target of each step to a state that is in the table; true if there are other steps.
    pub(crate) fn known_targets(&mut self, table: &StateTable, mut each: impl FnMut(u64, u32)) -> bool {
        let mut has_others = false;
        self.marked_targets(table, |marks, root| match table.find(root) {
            Some(target) => each(marks, target),
            None => has_others = true,
        });
        has_others
    }

    /// Inspects states, of which the roots are given after those of their parents.
    pub(crate) fn inspect_all(
        &mut self,
        table: &StateTable,
        roots: impl ExactSizeIterator<Item = (u64, u64)>,
        asked: Properties,
        found: &mut dyn FnMut(usize, FindingKind),
    ) -> Option<Gap> {
        let n_states = roots.len();
        self.make_room(n_states);
        let wants_before = self.worker.wants_before(asked);
        for (ahead, (parent, root)) in self.ahead.iter_mut().zip(roots) {
            match wants_before {
                true => table.unfold(parent, &mut ahead.before, &mut self.target_ids),
                false => ahead.before.clear(),
            }
            table.unfold(root, &mut ahead.words, &mut self.target_ids);
        }
        let states = &self.ahead[..n_states];
        self.worker.announce(states, Question::Properties(asked));
        self.settled.clear();
        self.settled.extend_from_slice(self.worker.settled());
        let mut completeness = Completeness::Whole;
        for (idx, ahead) in states.iter().enumerate() {
            if self.settled.get(idx / 64).is_some_and(|settled| settled >> (idx % 64) & 1 == 1) {
                continue;
            }
            let inspected =
                self.worker.inspect(&ahead.words, ahead.known_before(), asked, &mut |kind| found(idx, kind));
            completeness = completeness.and(inspected);
        }
        completeness.gap()
    }

    /// Looks at the stop flag now and then while children of a state are inspected. There may be very many, and what is short for each takes long for all.
    pub(crate) fn is_stopped_at(&self, idx: usize) -> bool {
        self.can_stop && is_stopped_after(idx, STATES_PER_STOP_CHECK, &self.worker)
    }

    /// Inspects the target of a step out of the current state.
    pub(crate) fn inspect(
        &mut self,
        step: usize,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        let before = (!self.words.is_empty()).then_some(self.words.as_slice());
        self.worker.inspect(self.steps.get(step).target, before, asked, found)
    }
}
