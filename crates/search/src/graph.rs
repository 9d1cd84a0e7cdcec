//! Steps between visited states, stored: [`StateGraph`].
//!
//! Temporal properties are about paths, so their engines need the steps that a search forgets. After a search, or while it pauses, the states are
//! expanded once more in the order of their numbers and the numbers of their targets are written to a stream that only grows:
//! for each state the marks of its steps, and with each mark the targets as differences. What a mark means is known to the layer that set it.
//! States are cut into chunks that threads fill independently; the stream does not depend on their number.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use abridge_diag::with_stack;
use abridge_store::{NO_PARENT, StateTable};
use abridge_system::{Completeness, Gap, Limit, Steps, System, Worker};

use rustc_hash::FxHashMap;

use crate::explore::{Control, Progress};
use crate::scratch::Scratch;

/// States of a chunk.
const CHUNK_STATES: u32 = 1 << 12;

/// Steps of the first states of a table.
#[derive(Default)]
pub struct StateGraph {
    chunks: Vec<Chunk>,
    n_states: u32,
    /// States in which paths begin.
    initial: Vec<u32>,
    /// Why steps may be missing.
    gap: Option<Gap>,
    n_steps: u64,
}

#[derive(Default)]
struct Chunk {
    /// Where the steps of each state begin.
    offsets: Vec<u32>,
    bytes: Vec<u8>,
    /// Marks in the order of their first use. The stream has positions in this list, which do not depend on the numbers that threads gave to marks.
    marks: Vec<u64>,
    positions: FxHashMap<u64, u64>,
    /// Targets of states in which nothing is running yet.
    initial: Vec<u32>,
    gap: Option<Gap>,
    n_steps: u64,
}

/// The state is the end of a path, whose marks follow.
const IS_ENDING: u64 = 1;
/// Steps may be missing.
const IS_OPEN: u64 = 2;
/// Steps that were left out may be put off for ever.
const PUTS_OFF: u64 = 4;
/// The number of groups stands behind these.
const N_FLAGS: u32 = 3;

impl StateGraph {
    /// The number of states whose steps are known.
    pub fn n_states(&self) -> u32 {
        self.n_states
    }

    /// The number of stored steps: those with equal marks and targets are one.
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// States in which paths begin, in ascending order.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// Why steps may be missing.
    pub fn gap(&self) -> Option<Gap> {
        self.gap
    }

    pub fn bytes(&self) -> u64 {
        let of_chunk = |chunk: &Chunk| chunk.bytes.capacity() + chunk.offsets.capacity() * size_of::<u32>();
        self.chunks.iter().map(of_chunk).sum::<usize>() as u64
    }

    fn read(&self, state: u32) -> Reader<'_> {
        let chunk = &self.chunks[(state / CHUNK_STATES) as usize];
        let bytes = &chunk.bytes[chunk.offsets[(state % CHUNK_STATES) as usize] as usize..];
        Reader { bytes, marks: &chunk.marks }
    }

    /// Calls `visit` with marks and target of each step of a state, ordered by both.
    pub fn steps(&self, state: u32, visit: &mut dyn FnMut(u64, u32)) {
        let mut reader = self.read(state);
        let head = reader.number();
        if head & IS_ENDING != 0 {
            return;
        }
        for _ in 0..head >> N_FLAGS {
            let (marks, n_targets) = (reader.marks(), reader.number());
            let mut target = state.wrapping_add(unfolded(reader.number()) as u32);
            visit(marks, target);
            for _ in 1..n_targets {
                target = target.wrapping_add(reader.number() as u32);
                visit(marks, target);
            }
        }
    }

    /// The marks of a state where paths end.
    pub fn ending(&self, state: u32) -> Option<u64> {
        let mut reader = self.read(state);
        (reader.number() & IS_ENDING != 0).then(|| reader.marks())
    }

    /// Steps of the state may be missing.
    pub fn is_open(&self, state: u32) -> bool {
        self.read(state).number() & IS_OPEN != 0
    }

    /// Steps of the state that were left out may be put off for ever.
    fn puts_off(&self, state: u32) -> bool {
        self.read(state).number() & PUTS_OFF != 0
    }

    /// Steps, by source and target, such that without the targets no cycle consists only of states that put off steps. Always the same ones
    /// for the same graph.
    pub fn cycles_of_putting_off(&self) -> Vec<(u32, u32)> {
        let mut is_left: Vec<bool> = (0..self.n_states).map(|state| self.puts_off(state)).collect();
        let mut chosen = Vec::new();
        // A search depth-first: whatever leads back to where the search still is closes a cycle.
        let mut is_done = vec![false; self.n_states as usize];
        let mut is_open = vec![false; self.n_states as usize];
        for start in 0..self.n_states {
            let mut calls: Vec<(u32, Vec<u32>)> = Vec::new();
            let enter = |state: u32, calls: &mut Vec<(u32, Vec<u32>)>, is_open: &mut Vec<bool>| {
                let mut targets = Vec::new();
                self.steps(state, &mut |_, target| targets.push(target));
                is_open[state as usize] = true;
                calls.push((state, targets));
            };
            if is_left[start as usize] && !is_done[start as usize] {
                enter(start, &mut calls, &mut is_open);
            }
            while let Some((state, targets)) = calls.last_mut() {
                let (state, next) = (*state, targets.pop());
                match next {
                    Some(target)
                        if target >= self.n_states || !is_left[target as usize] || is_done[target as usize] => {}
                    Some(target) if is_open[target as usize] => {
                        is_left[target as usize] = false;
                        chosen.push((state, target));
                    }
                    Some(target) => enter(target, &mut calls, &mut is_open),
                    None => {
                        is_open[state as usize] = false;
                        is_done[state as usize] = true;
                        calls.pop();
                    }
                }
            }
        }
        chosen.sort_unstable();
        chosen
    }

    /// Adds the steps of the states up to `end`, which the search has expanded. `is_running` tells states in which paths may begin from those before
    /// the first step. The answer says why the rest is missing, if it is.
    pub fn extend<S: System>(
        &mut self,
        system: &S,
        table: &StateTable,
        end: u32,
        is_running: &(dyn Fn(&[u32]) -> bool + Sync),
        workers: NonZero<usize>,
        control: &mut dyn Control,
    ) -> Result<(), Limit> {
        // A chunk that is not full is done again.
        let first = self.n_states / CHUNK_STATES;
        self.chunks.truncate(first as usize);
        self.n_states = first * CHUNK_STATES;
        let n_chunks = end.div_ceil(CHUNK_STATES) - first;
        let filled: Vec<Mutex<Chunk>> = (0..n_chunks).map(|_| Mutex::default()).collect();
        let (next, is_stopped) = (AtomicU32::new(0), AtomicBool::new(false));
        let work = |pause: &mut dyn FnMut(u32)| {
            let mut filler = Filler { table, is_running, scratch: Scratch::new(system) };
            loop {
                let idx = next.fetch_add(1, Ordering::Relaxed);
                if idx >= n_chunks || is_stopped.load(Ordering::Relaxed) {
                    return;
                }
                let start = (first + idx) * CHUNK_STATES;
                let chunk = filler.fill(start..end.min(start + CHUNK_STATES));
                *filled[idx as usize].lock().unwrap_or_else(PoisonError::into_inner) = chunk;
                pause(start);
            }
        };
        let mut limit = None;
        let before = self.bytes() + table.bytes() as u64;
        thread::scope(|scope| {
            for _ in 1..workers.get().min(n_chunks as usize) {
                scope.spawn(|| with_stack(|| work(&mut |_| {})));
            }
            work(&mut |start| {
                let progress = Progress {
                    states: table.len() as u64,
                    waiting: u64::from(end.saturating_sub(start)),
                    bytes: before + system.bytes() + filled.iter().map(chunk_bytes).sum::<u64>(),
                    ..Progress::default()
                };
                if let Some(reason) = control.poll(&progress) {
                    limit = Some(reason);
                    is_stopped.store(true, Ordering::Relaxed);
                }
            });
        });
        if let Some(limit) = limit {
            return Err(limit);
        }
        self.take(filled, end, table, is_running)
    }

    fn take(
        &mut self,
        filled: Vec<Mutex<Chunk>>,
        end: u32,
        table: &StateTable,
        is_running: &(dyn Fn(&[u32]) -> bool + Sync),
    ) -> Result<(), Limit> {
        let filled = filled.into_iter().map(|chunk| chunk.into_inner().unwrap_or_else(PoisonError::into_inner));
        let filled: Vec<Chunk> = filled.collect();
        if filled.iter().any(|chunk| chunk.gap == Some(Gap::Stopped)) {
            return Err(Limit::Missing(Gap::Stopped));
        }
        self.chunks.extend(filled);
        self.n_states = end;
        self.initial = self.chunks.iter().flat_map(|chunk| chunk.initial.iter().copied()).collect();
        for state in (0..end).take_while(|state| table.parent(*state) == NO_PARENT) {
            let words = table.get(state).map_err(|_| Limit::Disk)?;
            if is_running(&words) {
                self.initial.push(state);
            }
        }
        self.initial.sort_unstable();
        self.initial.dedup();
        self.gap = self.chunks.iter().filter_map(|chunk| chunk.gap).max();
        self.n_steps = self.chunks.iter().map(|chunk| chunk.n_steps).sum();
        Ok(())
    }
}

fn chunk_bytes(chunk: &Mutex<Chunk>) -> u64 {
    // A chunk that is being filled is not waited for.
    chunk.try_lock().map_or(0, |chunk| (chunk.bytes.capacity() + chunk.offsets.capacity() * size_of::<u32>()) as u64)
}

/// One thread's means to fill chunks.
struct Filler<'f, W> {
    table: &'f StateTable,
    is_running: &'f (dyn Fn(&[u32]) -> bool + Sync),
    scratch: Scratch<W>,
}

impl<W: Worker> Filler<'_, W> {
    fn fill(&mut self, states: Range<u32>) -> Chunk {
        let mut chunk = Chunk::default();
        let mut targets: Vec<(u64, u32)> = Vec::new();
        let mut roots = Vec::new();
        if self.table.is_spilled() || self.table.read_roots(states.clone(), &mut roots).is_err() {
            chunk.gap = Some(Gap::Stopped);
            return chunk;
        }
        for (state, root) in states.zip(roots) {
            self.scratch.read(self.table, root);
            let mut completeness = self.scratch.expand();
            targets.clear();
            let mut is_lost = false;
            let table = self.table;
            self.scratch.marked_targets(table, |marks, root| match table.find(root) {
                Some(target) => targets.push((marks, target)),
                None => is_lost = true,
            });
            if is_lost {
                completeness = completeness.and(Completeness::Missing(Gap::Capped));
            }
            chunk.gap = chunk.gap.max(completeness.gap());
            chunk.offsets.push(chunk.bytes.len() as u32);
            if (self.is_running)(&self.scratch.words) {
                chunk.push(state, &mut targets, completeness, &self.scratch.steps);
            } else {
                chunk.initial.extend(targets.iter().map(|(_, target)| *target));
                write(&mut chunk.bytes, 0);
            }
        }
        chunk.bytes.shrink_to_fit();
        chunk.positions = FxHashMap::default();
        chunk
    }
}

impl Chunk {
    fn position(&mut self, marks: u64) -> u64 {
        *self.positions.entry(marks).or_insert_with(|| {
            self.marks.push(marks);
            self.marks.len() as u64 - 1
        })
    }

    fn push(&mut self, state: u32, targets: &mut Vec<(u64, u32)>, completeness: Completeness, steps: &Steps) {
        let open = if completeness.is_whole() { 0 } else { IS_OPEN };
        if let Some(marks) = steps.ending().filter(|_| steps.is_deadlock(completeness)) {
            let position = self.position(marks);
            write(&mut self.bytes, IS_ENDING);
            return write(&mut self.bytes, position);
        }
        targets.iter_mut().for_each(|(marks, _)| *marks = self.position(*marks));
        targets.sort_unstable();
        targets.dedup();
        self.n_steps += targets.len() as u64;
        let n_groups = targets.chunk_by(|left, right| left.0 == right.0).count() as u64;
        let reduced = if steps.puts_off { PUTS_OFF } else { 0 };
        write(&mut self.bytes, n_groups << N_FLAGS | open | reduced);
        for group in targets.chunk_by(|left, right| left.0 == right.0) {
            write(&mut self.bytes, group[0].0);
            write(&mut self.bytes, group.len() as u64);
            write(&mut self.bytes, folded(group[0].1.wrapping_sub(state) as i32));
            for pair in group.windows(2) {
                write(&mut self.bytes, u64::from(pair[1].1 - pair[0].1));
            }
        }
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    marks: &'b [u64],
}

impl Reader<'_> {
    fn marks(&mut self) -> u64 {
        self.marks[self.number() as usize]
    }

    /// A number in groups of seven bits, the lowest first.
    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((byte, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
            shift += 7;
        }
        number
    }
}

fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// A difference of numbers as a number: small ones stay small, whatever their sign.
fn folded(number: i32) -> u64 {
    u64::from((number << 1 ^ number >> 31) as u32)
}

fn unfolded(number: u64) -> i32 {
    let number = number as u32;
    (number >> 1) as i32 ^ -((number & 1) as i32)
}
