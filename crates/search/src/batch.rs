//! Batch: consecutive states of a block that one thread expands, with their candidates (targets of steps), counts and findings.
//!
//! Candidates keep the order of their steps. That order decides which of two equal candidates becomes the new state; if it depended on threads, so
//! would numbers of states and traces.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use abridge_store::{CandidatePlace, Families, N_SHARDS, Sifted, StateTable, shard_of};
use abridge_system::{Completeness, FindingKind, Gap, Properties, Worker};

use crate::asleep::SleepSets;
use crate::explore::SearchConfig;
use crate::graph::{Encoded, Encoder, StateGraph, StateNotes};
use crate::record::Tally;
use crate::scratch::BatchScratch;

/// Number of a candidate that the table already has.
const KNOWN: u32 = u32::MAX;
/// Number of a new candidate that has no number of its own yet; it gets one only where somebody asks for it ([`Batch::append_to`]).
const NEW: u32 = u32::MAX - 1;

/// States of each batch of a block: enough to make taking one cheap, few enough to share the block evenly. Where many states are best evaluated together,
/// a batch has as many.
pub(crate) fn batch_size(n_states: usize, n_workers: usize, states_ahead: usize) -> u32 {
    let n_batches = if states_ahead > 64 { 4 * n_workers } else { 64 };
    (n_states / n_batches).clamp(8, states_ahead.max(64)) as u32
}

/// The block that a batch belongs to.
#[derive(Clone, Copy, Default)]
pub(crate) struct At {
    pub(crate) is_last_level: bool,
    /// States that are announced together.
    pub(crate) states_ahead: usize,
    /// Words of a sleep set.
    pub(crate) sleep_words: usize,
    /// Number of the blocks before it that were given up.
    pub(crate) generation: u32,
}

/// Neighbouring batches are written by different threads, so none shares a cache line with another.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Batch {
    parents: Range<u32>,
    parent_roots: Vec<u64>,
    /// Steps of all parents.
    n_steps: usize,
    /// Roots of the targets of steps, the candidates, in order; without those that are known to be known.
    roots: Vec<u64>,
    /// Sleep sets of the parents.
    asleep: Vec<u64>,
    /// Sleep sets of the candidates, if there are any.
    sleep_sets: Vec<u64>,
    sleep_words: usize,
    /// End of the candidates of each parent.
    ends: Vec<u32>,
    /// Roots of the candidates sorted by shard, in the order of the steps within a shard. A place of a candidate is its place here, so that the thread that sifts
    /// a shard reads and writes what lies together.
    sorted: Vec<u64>,
    shard_ends: [u32; N_SHARDS],
    /// Place of each candidate.
    places: Vec<u32>,
    /// The bits of all candidates together.
    all_bits: u64,
    /// [`KNOWN`], [`NEW`] or the number of the candidate in each place. Only the thread that sifts its shard writes here.
    numbers: Vec<AtomicU32>,
    pub(crate) tally: Tally,
    /// New candidates, each as (position of its parent, candidate), and what the table is to know of them.
    new: Vec<(u32, u32)>,
    new_roots: Vec<u64>,
    new_sleep_sets: Vec<u64>,
    /// Numbers of new candidates of the parents.
    families: Families,
    /// Number of the first new state.
    first_number: u32,
    /// Findings as (position of the parent, kind, where).
    findings: Vec<(u32, FindingKind, Whose)>,
    /// Some parent has steps beyond the depth limit.
    pub(crate) leads_too_far: bool,
    /// Most severe reason why steps or truth values may be missing.
    pub(crate) gap: Option<Gap>,
    /// What is stored of steps, if they are.
    stored: Option<Stored>,
}

/// State of a finding.
#[derive(Clone, Copy)]
enum Whose {
    /// A parent, by its number.
    Parent(u32),
    /// A new state, by its position among those of the batch.
    New(u32),
}

/// What the records of a batch are made of, and the records.
#[derive(Default)]
struct Stored {
    /// Marks of the candidates.
    marks: Vec<u64>,
    /// For the candidate in each place, if it is not new, its number, or the place of the new candidate that it equals, after [`IS_PLACE`].
    known: Vec<AtomicU64>,
    notes: Vec<StateNotes>,
    /// On the last level, the steps to known states: position of the parent, marks, target.
    closing: Vec<(u32, u64, u32)>,
    records: Mutex<(Vec<u8>, Encoded)>,
}

/// Marks a place: the number of its batch lies behind this bit.
const IS_PLACE: u64 = 1 << 63;

impl Batch {
    /// Reads the parents, with their sleep sets.
    pub(crate) fn read(
        &mut self,
        table: &StateTable,
        asleep: &SleepSets,
        parents: Range<u32>,
        at: &At,
    ) -> io::Result<()> {
        self.sleep_words = at.sleep_words;
        asleep.read(parents.clone(), at.sleep_words, &mut self.asleep);
        self.parents = parents;
        table.read_roots(self.parents.clone(), &mut self.parent_roots)
    }

    /// Expands the parents, which were read before.
    pub(crate) fn expand<W: Worker>(
        &mut self,
        table: &StateTable,
        (config, stores_steps): (&SearchConfig, bool),
        scratch: &mut BatchScratch<W>,
        at: &At,
    ) {
        self.roots.clear();
        self.sleep_sets.clear();
        self.n_steps = 0;
        self.ends.clear();
        self.tally.clear();
        self.findings.clear();
        self.leads_too_far = false;
        self.gap = None;
        self.stored = stores_steps.then(Stored::default);
        for (idx, parent) in self.parents.clone().enumerate() {
            if idx % at.states_ahead == 0 {
                let ahead = idx..self.parent_roots.len().min(idx + at.states_ahead);
                let asleep = &self.asleep[ahead.start * at.sleep_words..ahead.end * at.sleep_words];
                scratch.read_ahead(table, &self.parent_roots[ahead], (asleep, at.sleep_words));
            }
            scratch.turn_to(idx % at.states_ahead);
            let completeness = scratch.expand();
            self.gap = self.gap.max(completeness.gap());
            let position = self.ends.len() as u32;
            let ill_defined = scratch.steps.ill_defined().iter();
            self.findings.extend(
                ill_defined.map(|operation| (position, FindingKind::IllDefined(*operation), Whose::Parent(parent))),
            );
            if config.deadlock && scratch.steps.is_deadlock(completeness) {
                self.findings.push((position, FindingKind::Deadlock, Whose::Parent(parent)));
            }
            let mut notes = StateNotes::new(&scratch.steps, completeness);
            if at.is_last_level {
                self.leads_too_far |= !scratch.steps.is_empty();
                // Nothing is added to the table any more, but steps back to what is there count.
                if let Some(stored) = &mut self.stored {
                    let leads_too_far = scratch.known_targets(table, |marks, target| {
                        stored.closing.push((position, marks, target));
                    });
                    notes.leave_out(leads_too_far);
                }
            } else {
                self.n_steps += scratch.steps.len();
                scratch.steps.iter().for_each(|step| self.tally.add(step.operation, step.count));
                for (operation, count) in scratch.steps.known() {
                    self.n_steps += *count as usize;
                    self.tally.add(*operation, *count);
                }
                let marks = self.stored.as_mut().map(|stored| &mut stored.marks);
                let sleep_sets = (&mut self.sleep_sets, at.sleep_words);
                if !scratch.add_targets(table, at.generation, (&mut self.roots, marks), sleep_sets) {
                    self.gap = self.gap.max(Some(Gap::Stopped));
                    notes = StateNotes::new(&scratch.steps, Completeness::Missing(Gap::Stopped));
                }
            }
            if let Some(stored) = &mut self.stored {
                stored.notes.push(notes);
            }
            self.ends.push(self.roots.len() as u32);
        }
        scratch.fold_queued(table, &mut self.roots);
        self.sort_by_shard();
    }

    fn sort_by_shard(&mut self) {
        let mut counts = [0_u32; N_SHARDS];
        self.roots.iter().for_each(|root| counts[shard_of(*root)] += 1);
        self.all_bits = self.roots.iter().fold(0, |all, root| all | root);
        let mut sum = 0;
        let mut next = counts.map(|count| {
            sum += count;
            sum - count
        });
        self.sorted.resize(self.roots.len(), 0);
        self.places.clear();
        for root in &self.roots {
            let place = &mut next[shard_of(*root)];
            self.sorted[*place as usize] = *root;
            self.places.push(*place);
            *place += 1;
        }
        self.shard_ends = next;
        self.numbers.resize_with(self.roots.len(), AtomicU32::default);
        self.numbers.iter_mut().for_each(|number| *number.get_mut() = KNOWN);
        if let Some(stored) = &mut self.stored {
            stored.known.resize_with(self.roots.len(), AtomicU64::default);
        }
    }

    /// Steps may be missing, whose targets sleep sets take for known.
    pub(crate) fn misses_steps(&self) -> bool {
        self.gap.is_some() || self.findings.iter().any(|(_, kind, _)| matches!(kind, FindingKind::IllDefined(_)))
    }

    pub(crate) fn n_steps(&self) -> usize {
        self.n_steps
    }

    pub(crate) fn n_candidates(&self) -> usize {
        self.roots.len()
    }

    pub(crate) fn all_bits(&self) -> u64 {
        self.all_bits
    }

    /// State roots of the candidates of a shard, and the first of their places.
    pub(crate) fn candidates(&self, shard: usize) -> (&[u64], u32) {
        let start = if shard == 0 { 0 } else { self.shard_ends[shard - 1] };
        (&self.sorted[start as usize..self.shard_ends[shard] as usize], start)
    }

    /// Notes what the table knows of the candidate in a place.
    pub(crate) fn note(&self, place: u32, sifted: Sifted) {
        let known = match sifted {
            Sifted::New => return self.numbers[place as usize].store(NEW, Ordering::Relaxed),
            Sifted::Known(number) => u64::from(number),
            Sifted::Same((batch, place)) => IS_PLACE | u64::from(batch) << 32 | u64::from(place),
        };
        if let Some(stored) = &self.stored {
            stored.known[place as usize].store(known, Ordering::Relaxed);
        }
    }

    pub(crate) fn number(&self, place: u32) -> u32 {
        self.numbers[place as usize].load(Ordering::Relaxed)
    }

    fn place(&self, candidate: u32) -> usize {
        self.places[candidate as usize] as usize
    }

    /// Lists the new states, in the order of the candidates.
    fn gather(&mut self) {
        self.new.clear();
        self.families.clear();
        let mut start = 0;
        for (position, end) in (0..).zip(&self.ends) {
            let n_before = self.new.len();
            let (numbers, places) = (&self.numbers, &self.places);
            let number = |candidate: u32| numbers[places[candidate as usize] as usize].load(Ordering::Relaxed);
            let is_new = |candidate: &u32| number(*candidate) != KNOWN;
            self.new.extend((start..*end).filter(is_new).map(|candidate| (position, candidate)));
            self.families.push((self.new.len() - n_before) as u32);
            start = *end;
        }
        self.new_roots.clear();
        self.new_roots.extend(self.new.iter().map(|(_, candidate)| self.roots[*candidate as usize]));
        // The sets are handed over as a whole.
        self.new_sleep_sets = Vec::with_capacity(self.new.len() * self.sleep_words);
        if self.sleep_words > 0 {
            for (_, candidate) in &self.new {
                let set = *candidate as usize * self.sleep_words..(*candidate as usize + 1) * self.sleep_words;
                self.new_sleep_sets.extend_from_slice(&self.sleep_sets[set]);
            }
        }
    }

    /// Lists and inspects the new states.
    pub(crate) fn inspect<W: Worker>(
        &mut self,
        table: &StateTable,
        asked: Properties,
        scratch: &mut BatchScratch<W>,
        states_ahead: usize,
    ) {
        self.gather();
        if asked == Properties::default() {
            return;
        }
        for (first, states) in (0..).step_by(states_ahead).zip(self.new.chunks(states_ahead)) {
            let roots = states
                .iter()
                .map(|(position, candidate)| (self.parent_roots[*position as usize], self.roots[*candidate as usize]));
            let gap = scratch.inspect_all(table, roots, asked, &mut |idx, kind| {
                self.findings.push((states[idx].0, kind, Whose::New(first + idx as u32)));
            });
            self.gap = self.gap.max(gap);
        }
        // The sort is stable: for each parent, findings of its expansion stay before those of its children, as in a single-threaded search.
        self.findings.sort_by_key(|(position, ..)| *position);
    }

    /// Numbers the new states, which were listed before.
    pub(crate) fn append_to(&mut self, table: &mut StateTable, asleep: &mut SleepSets, needs_numbers: bool) {
        self.first_number = table.append_all(&self.new_roots);
        table.close_all(self.parents.start, &self.families);
        asleep.add(self.first_number, self.sleep_words, std::mem::take(&mut self.new_sleep_sets));
        if needs_numbers {
            for (number, (_, candidate)) in (self.first_number..).zip(&self.new) {
                *self.numbers[self.places[*candidate as usize] as usize].get_mut() = number;
            }
        }
    }

    /// Writes the records of the parents, if steps are stored. `number` gives the number of a new candidate of any batch.
    pub(crate) fn encode(&self, encoder: &mut Encoder, number: impl Fn(CandidatePlace) -> u32) {
        let Some(stored) = &self.stored else { return };
        let (mut bytes, mut tally) = (Vec::new(), Encoded::default());
        let mut start = 0;
        let mut closing = stored.closing.iter().peekable();
        for (position, ((parent, end), notes)) in (0..).zip(self.parents.clone().zip(&self.ends).zip(&stored.notes)) {
            encoder.begin();
            while let Some((_, marks, target)) = closing.next_if(|(parent, ..)| *parent == position) {
                encoder.push(*marks, *target);
            }
            for candidate in start..*end {
                let place = self.place(candidate);
                let target = match self.numbers[place].load(Ordering::Relaxed) {
                    KNOWN => match stored.known[place].load(Ordering::Relaxed) {
                        place if place & IS_PLACE != 0 => number((((place & !IS_PLACE) >> 32) as u32, place as u32)),
                        known => known as u32,
                    },
                    new => new,
                };
                encoder.push(stored.marks[candidate as usize], target);
            }
            encoder.end(parent, *notes, &mut bytes, &mut tally);
            start = *end;
        }
        *stored.records.lock().unwrap_or_else(PoisonError::into_inner) = (bytes, tally);
    }

    /// Hands the records over.
    pub(crate) fn records_to(&self, graph: &mut StateGraph) {
        if let Some(stored) = &self.stored {
            let (bytes, tally) = &*stored.records.lock().unwrap_or_else(PoisonError::into_inner);
            graph.append(bytes, tally);
        }
    }

    /// Kind and state of each finding, in order.
    pub(crate) fn findings(&self) -> impl Iterator<Item = (FindingKind, u32)> {
        self.findings.iter().map(|(_, kind, state)| match state {
            Whose::Parent(number) => (*kind, *number),
            Whose::New(position) => (*kind, self.first_number + position),
        })
    }
}
