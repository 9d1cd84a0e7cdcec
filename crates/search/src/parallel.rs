//! Parallel expansion of a block of states, in phases.
//!
//! 1. *Expand*: the block is cut into batches. Threads claim batches and compute the state roots of all targets, the candidates.
//! 2. *Sift*: threads claim shards of the table and go through the candidates of all batches in order. The first of equal candidates that the
//!    table does not have is new.
//! 3. *Inspect*: threads list the new states of batches and inspect them.
//! 4. *Number*: one thread numbers the new states in the order of their candidates, which is the order of a single-threaded search. All other phases are shared, so it does
//!    as little as possible.
//! 5. *Settle*, where the index has numbers: threads write the numbers into the shards.
//! 6. *Encode*, where steps are stored: threads write the records of the states that were expanded.
//!
//! Threads claim parts of a task from one atomic counter, batches several at a time. Data that a part writes is locked by that part alone, and lies together; all other data is
//! only read. What one thread alone did would keep all others waiting, so parents and sleep sets are read, and children counted, batch by batch.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use abridge_store::{CandidatePlace, N_SHARDS, Order, StateTable};
use abridge_system::{Properties, System};

use crate::asleep::SleepSets;
use crate::batch::{At, Batch, batch_size};
use crate::explore::SearchConfig;
use crate::graph::Encoder;
use crate::scratch::BatchScratch;

/// Task for all threads.
#[derive(Clone, Copy)]
pub(crate) enum Task {
    Expand,
    Sift,
    Inspect,
    /// Writing the numbers of new states into the index.
    Settle,
    /// Writing the records of steps.
    Encode,
    /// Rearranging what workers share, which has so many parts.
    Tidy(usize),
}

/// Data shared by the threads.
pub(crate) struct ParallelBlock<'c> {
    config: &'c SearchConfig,
    /// Steps are stored.
    stores_steps: bool,
    /// The table, while a task runs.
    table: RwLock<StateTable>,
    batches: RwLock<Vec<RwLock<Batch>>>,
    block: RwLock<Block>,
    /// Sleep sets of the states after the block.
    asleep: RwLock<SleepSets>,
    /// Next part to claim.
    next: AtomicUsize,
    /// No further batch may be expanded.
    is_stopped: AtomicBool,
    /// Batches before the first one that was left out for that; more than there are if none was.
    n_expanded: AtomicUsize,
    /// Error while spilled states were read.
    failure: Mutex<Option<io::Error>>,
}

#[derive(Default)]
struct Block {
    states: Range<u32>,
    /// States per batch.
    batch_size: u32,
    n_batches: usize,
    at: At,
    /// Properties that new states are inspected for.
    asked: Properties,
    /// Sleep sets are not used, since steps may be missing.
    forgoes_sleep: bool,
}

impl Block {
    /// The states of a batch.
    fn parents(&self, batch: usize) -> Range<u32> {
        let start = self.states.start + batch as u32 * self.batch_size;
        start..self.states.end.min(start + self.batch_size)
    }
}

impl<'c> ParallelBlock<'c> {
    pub(crate) fn new(config: &'c SearchConfig, stores_steps: bool) -> Self {
        ParallelBlock {
            config,
            stores_steps,
            table: RwLock::new(StateTable::new(0, Order::Ascending)),
            batches: RwLock::default(),
            block: RwLock::default(),
            asleep: RwLock::default(),
            next: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
            n_expanded: AtomicUsize::new(usize::MAX),
            failure: Mutex::default(),
        }
    }

    /// Exchanges the table for the one of the leader. Between tasks the leader has it to itself, and needs no lock.
    pub(crate) fn exchange(&self, table: &mut StateTable) {
        std::mem::swap(&mut *write(&self.table), table);
    }

    /// Says which states come next.
    pub(crate) fn begin<S: System>(&self, system: &S, table: &StateTable, states: Range<u32>, is_last_level: bool) {
        let states_ahead = system.states_ahead().max(1);
        let batch_size = batch_size(states.len(), self.config.workers.get(), states_ahead);
        let n_batches = states.len().div_ceil(batch_size as usize);
        let mut batches = write(&self.batches);
        if batches.len() < n_batches {
            batches.resize_with(n_batches, RwLock::default);
        }
        let mut block = write(&self.block);
        // Steps of the last level are looked at for their targets, and files give no memory for sleep sets. A system whose steps are stored has sleep sets only for steps that need not be.
        let is_asleep_known = !is_last_level && !table.is_spilled();
        let has_sleep_sets = is_asleep_known && !block.forgoes_sleep;
        let sleep_words = if has_sleep_sets { system.sleep_words() } else { 0 };
        write(&self.asleep).forget_before(states.start, sleep_words);
        block.states = states;
        block.asked = system.open_properties(self.config.properties);
        block.at = At { is_last_level, states_ahead, sleep_words, ..block.at };
        (block.batch_size, block.n_batches) = (batch_size, n_batches);
        drop(block);
        self.rewind();
    }

    /// Resets the counter of parts, before a new task.
    pub(crate) fn rewind(&self) {
        self.next.store(0, Ordering::Relaxed);
    }

    /// Forbids to expand further batches, for good.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Claims the next part of a task.
    fn claim(&self, n_parts: usize) -> Option<usize> {
        let part = self.next.fetch_add(1, Ordering::Relaxed);
        (part < n_parts).then_some(part)
    }

    /// Claims consecutive parts of a task, fewer towards its end. What a worker remembers of a part, as the targets that it met, is of use in the next one.
    fn claim_run(&self, n_parts: usize, n_workers: usize) -> Option<Range<usize>> {
        let run = |start: usize| start + (n_parts.saturating_sub(start) / (2 * n_workers)).max(1);
        let update = |start: usize| (start < n_parts).then(|| run(start));
        let start = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update).ok()?;
        Some(start..run(start))
    }

    /// Runs one thread's share of a task. `pause` is called after each batch.
    pub(crate) fn work<'s, S: System>(
        &self,
        task: Task,
        system: &'s S,
        scratch: &mut BatchScratch<S::Worker<'s>>,
        pause: &mut dyn FnMut(),
    ) {
        let (table, batches, block) = (read(&self.table), read(&self.batches), read(&self.block));
        let (batches, n_workers) = (&batches[..block.n_batches], self.config.workers.get());
        match task {
            Task::Expand => {
                let asleep = read(&self.asleep);
                while let Some(run) = self.claim_run(batches.len(), n_workers) {
                    for idx in run {
                        if self.is_stopped.load(Ordering::Relaxed) {
                            self.n_expanded.fetch_min(idx, Ordering::Relaxed);
                            return;
                        }
                        let (mut batch, parents) = (write(&batches[idx]), block.parents(idx));
                        if let Err(error) = batch.read(&table, &asleep, parents, &block.at) {
                            *self.failure() = Some(error);
                        }
                        batch.expand(&table, (self.config, self.stores_steps), scratch, &block.at);
                        drop(batch);
                        pause();
                    }
                }
            }
            Task::Sift => {
                let batches: Vec<_> = batches.iter().map(read).collect();
                while let Some(shard) = self.claim(N_SHARDS) {
                    if let Err(error) = sift(&table, &batches, shard) {
                        *self.failure() = Some(error);
                    }
                }
            }
            Task::Inspect => {
                while let Some(run) = self.claim_run(batches.len(), n_workers) {
                    for idx in run {
                        write(&batches[idx]).inspect(&table, block.asked, scratch, block.at.states_ahead);
                        pause();
                    }
                }
            }
            Task::Settle => {
                while let Some(shard) = self.claim(N_SHARDS) {
                    let number = |(batch, place): CandidatePlace| read(&batches[batch as usize]).number(place);
                    table.sift(shard).settle(number);
                }
            }
            Task::Encode => {
                let mut encoder = Encoder::default();
                while let Some(idx) = self.claim(batches.len()) {
                    let number = |(batch, place): CandidatePlace| read(&batches[batch as usize]).number(place);
                    read(&batches[idx]).encode(&mut encoder, number);
                }
            }
            Task::Tidy(n_parts) => {
                while self.claim(n_parts).is_some() {
                    system.tidy_part();
                }
            }
        }
    }

    /// Bytes of the sleep sets.
    pub(crate) fn sleep_bytes(&self) -> u64 {
        read(&self.asleep).bytes() as u64
    }

    fn failure(&self) -> MutexGuard<'_, Option<io::Error>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Error of the last sifting, if it failed.
    pub(crate) fn take_failure(&self) -> Option<io::Error> {
        self.failure().take()
    }

    /// Drops the batches from the first on that was not expanded. Returns the first state that was not expanded.
    pub(crate) fn close_expansion(&self) -> u32 {
        let n_expanded = self.n_expanded.load(Ordering::Relaxed).min(self.next.load(Ordering::Relaxed));
        let mut block = write(&self.block);
        block.n_batches = block.n_batches.min(n_expanded);
        block.states.end.min(block.states.start.saturating_add(block.n_batches as u32 * block.batch_size))
    }

    /// Number of all steps of the block.
    pub(crate) fn n_steps(&self) -> u64 {
        let mut sum = 0;
        self.for_each_batch(|batch| sum += batch.n_steps() as u64);
        sum
    }

    /// Whether sleep sets were used although steps of the block may be missing. Then the block has to be given up.
    pub(crate) fn is_misled(&self) -> bool {
        let mut misses_steps = false;
        self.for_each_batch(|batch| misses_steps |= batch.misses_steps());
        if misses_steps {
            self.forgo_sleep();
        }
        misses_steps && read(&self.block).at.sleep_words > 0
    }

    /// Uses no sleep sets any more, since steps of some state may be missing. The state may be any one before: the target of an early step that lacks a later one.
    pub(crate) fn forgo_sleep(&self) {
        write(&self.block).forgoes_sleep = true;
    }

    /// Gives the block up: its steps were not taken.
    pub(crate) fn give_up(&self) {
        write(&self.block).at.generation += 1;
    }

    /// Numbers the new states. Returns whether the index has to know the numbers.
    pub(crate) fn number(&self, table: &mut StateTable) -> bool {
        let (mut asleep, block) = (write(&self.asleep), read(&self.block));
        let is_unsettled = table.needs_numbers();
        let needs_numbers = is_unsettled || self.stores_steps;
        asleep.limit(table.bytes());
        for batch in &read(&self.batches)[..block.n_batches] {
            write(batch).append_to(table, &mut asleep, needs_numbers);
        }
        is_unsettled
    }

    /// Calls `each` for the batches, in order.
    pub(crate) fn for_each_batch(&self, mut each: impl FnMut(&Batch)) {
        let n_batches = read(&self.block).n_batches;
        for batch in &read(&self.batches)[..n_batches] {
            each(&read(batch));
        }
    }
}

fn sift(table: &StateTable, batches: &[RwLockReadGuard<'_, Batch>], shard: usize) -> io::Result<()> {
    let mut sift = table.sift(shard);
    let n_own = batches.iter().map(|batch| batch.candidates(shard).0.len()).sum();
    let n_all = batches.iter().map(|batch| batch.n_candidates()).sum();
    sift.begin(n_own, n_all, batches.iter().fold(0, |all, batch| all | batch.all_bits()));
    let candidates = (0..).zip(batches).flat_map(|(number, batch)| {
        let (roots, first) = batch.candidates(shard);
        (first..).zip(roots).map(move |(place, root)| (*root, (number, place)))
    });
    let note = |(batch, place): CandidatePlace, sifted| batches[batch as usize].note(place, sifted);
    sift.add(candidates, note);
    sift.finish(note)
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
