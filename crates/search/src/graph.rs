//! Steps between visited states, stored: [`StateGraph`].
//!
//! Temporal properties are about paths, so their engines need the steps that a search forgets. Breadth-first search expands states in the order of their
//! numbers and appends a record for each: the marks of its steps, and with each mark the targets as differences. What a mark means is known to the
//! layer that set it. Records are cut into chunks that never change, so a graph can move to a file and be saved piece by piece, as the table of states can.
//! Readers (`graph/record.rs`) go through the records in order or jump to one; a graph that loses a step makes a verdict about paths wrong.
//!
//! The order of the steps of a record follows from the order in which the system lists them, never from the numbers of marks, which threads race for.

mod record;
mod saved;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use abridge_store::{Medium, StateTable, Volume};
use abridge_system::{Completeness, Gap, Limit, Steps, System};

use crate::explore::{Control, Progress};
use crate::scratch::BatchScratch;

pub use record::GraphReader;
pub(crate) use record::{Encoded, Encoder};

/// States of a chunk.
const CHUNK_STATES: u32 = 1 << 12;
/// States between two positions that a chunk knows.
const SAMPLE_STATES: u32 = 16;
/// States between two questions to the [`Control`].
const POLL_STATES: u32 = 1 << 12;

/// Steps of the first states of a table.
#[derive(Default)]
pub struct StateGraph {
    chunks: Vec<Chunk>,
    /// The newest records, which do not fill a chunk.
    tail: Tail,
    /// Why steps may be missing.
    gap: Option<Gap>,
    n_steps: u64,
    /// File with the first chunks.
    file: Option<Box<dyn Medium>>,
    file_len: u64,
    n_spilled: usize,
    /// A file could not be read.
    has_failed: AtomicBool,
}

#[derive(Default)]
struct Tail {
    bytes: Vec<u8>,
    samples: Vec<u32>,
    n_states: u32,
}

struct Chunk {
    /// Where the records of every [`SAMPLE_STATES`]th state begin.
    samples: Box<[u32]>,
    data: Data,
}

enum Data {
    Here(Box<[u8]>),
    /// Offset in the file, and length.
    There(u64, u32),
}

impl StateGraph {
    /// The number of states whose steps are known.
    pub fn n_states(&self) -> u32 {
        self.chunks.len() as u32 * CHUNK_STATES + self.tail.n_states
    }

    /// The number of stored steps: those with equal marks and targets are one.
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// Why steps may be missing.
    pub fn gap(&self) -> Option<Gap> {
        self.gap
    }

    /// Records were lost because a file could not be read; what readers said since is void.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> u64 {
        let samples = self.chunks.len() * (CHUNK_STATES / SAMPLE_STATES) as usize * size_of::<u32>();
        let tail = self.tail.bytes.capacity() + self.tail.samples.capacity() * size_of::<u32>();
        self.spillable_bytes() + (samples + tail + self.chunks.capacity() * size_of::<Chunk>()) as u64
    }

    /// Bytes that [`StateGraph::spill`] would free.
    pub(crate) fn spillable_bytes(&self) -> u64 {
        self.chunks[self.n_spilled..].iter().map(|chunk| chunk.data.len() as u64).sum()
    }

    pub fn is_spilled(&self) -> bool {
        self.n_spilled > 0
    }

    /// A reader for one thread.
    pub fn reader(&self) -> GraphReader<'_> {
        GraphReader::new(self)
    }

    /// Adds the records of the next states, which follow each other in `bytes`.
    pub(crate) fn append(&mut self, mut bytes: &[u8], tally: &Encoded) {
        self.gap = self.gap.max(tally.gap);
        self.n_steps += tally.n_steps;
        while !bytes.is_empty() {
            let (record, rest) = bytes.split_at(record::len_of(bytes));
            bytes = rest;
            self.tail.push(record);
            if self.tail.n_states == CHUNK_STATES {
                self.close_tail();
            }
        }
    }

    fn close_tail(&mut self) {
        let Tail { bytes, samples, .. } = std::mem::take(&mut self.tail);
        let chunk = Chunk { samples: samples.into(), data: Data::Here(bytes.into()) };
        self.chunks.push(chunk);
    }

    /// Moves full chunks to a file. A failure leaves the graph as it is.
    pub(crate) fn spill(&mut self, volume: &dyn Volume) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(volume.open("steps", 0)?),
        };
        for chunk in &mut self.chunks[self.n_spilled..] {
            if let Data::Here(bytes) = &chunk.data {
                file.append(bytes)?;
                let len = bytes.len() as u32;
                chunk.data = Data::There(self.file_len, len);
                self.file_len += u64::from(len);
            }
            self.n_spilled += 1;
        }
        Ok(())
    }

    /// Reads a chunk from the file; false if that failed.
    fn read_chunk(&self, offset: u64, len: u32, buffer: &mut Vec<u8>) -> bool {
        buffer.resize(len as usize, 0);
        let is_read = self.file.as_ref().is_some_and(|file| file.read_at(offset, buffer).is_ok());
        if !is_read {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        is_read
    }

    /// The steps of the first states of a table in memory, for searches that expand states in another order than that of their numbers, or have not stored all steps. The error
    /// says why not all are stored.
    pub fn of_table<S: System>(
        system: &S,
        (table, n_states): (&StateTable, u32),
        control: &mut dyn Control,
    ) -> Result<StateGraph, Limit> {
        let mut graph = StateGraph::default();
        let mut scratch = BatchScratch::new(system, false);
        let mut encoder = Encoder::default();
        let mut bytes = Vec::new();
        for state in 0..n_states {
            if state.is_multiple_of(POLL_STATES) {
                let progress = Progress {
                    states: table.len() as u64,
                    waiting: u64::from(n_states - state),
                    bytes: table.bytes() as u64 + system.bytes() + graph.bytes(),
                    ..Progress::default()
                };
                if let Some(limit) = control.poll(&progress) {
                    return Err(limit);
                }
            }
            scratch.read(table, table.root(state));
            let mut completeness = scratch.expand();
            encoder.begin();
            if scratch.known_targets(table, |marks, target| encoder.push(marks, target)) {
                completeness = completeness.and(Completeness::Missing(Gap::Capped));
            }
            bytes.clear();
            let mut tally = Encoded::default();
            encoder.end(state, StateNotes::new(&scratch.steps, completeness), &mut bytes, &mut tally);
            graph.append(&bytes, &tally);
        }
        match graph.gap {
            Some(Gap::Stopped) => Err(Limit::Missing(Gap::Stopped)),
            _ => Ok(graph),
        }
    }

    /// Steps, by source and target, such that without the targets no cycle consists only of states that put off steps. Always the same ones
    /// for the same graph.
    pub fn cycles_of_putting_off(&self) -> Vec<(u32, u32)> {
        let n_states = self.n_states();
        let mut reader = self.reader();
        let mut is_left: Vec<bool> = (0..n_states).map(|state| reader.puts_off(state)).collect();
        let mut chosen = Vec::new();
        // A search depth-first: whatever leads back to where the search still is closes a cycle.
        let mut is_done = vec![false; n_states as usize];
        let mut is_open = vec![false; n_states as usize];
        for start in 0..n_states {
            let mut calls: Vec<(u32, Vec<u32>)> = Vec::new();
            let mut enter = |state: u32, calls: &mut Vec<(u32, Vec<u32>)>, is_open: &mut Vec<bool>| {
                let mut targets = Vec::new();
                reader.steps(state, &mut |_, target| targets.push(target));
                is_open[state as usize] = true;
                calls.push((state, targets));
            };
            if is_left[start as usize] && !is_done[start as usize] {
                enter(start, &mut calls, &mut is_open);
            }
            while let Some((state, targets)) = calls.last_mut() {
                let (state, next) = (*state, targets.pop());
                match next {
                    Some(target) if target >= n_states || !is_left[target as usize] || is_done[target as usize] => {}
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
}

impl Tail {
    fn push(&mut self, record: &[u8]) {
        if self.n_states.is_multiple_of(SAMPLE_STATES) {
            self.samples.push(self.bytes.len() as u32);
        }
        self.bytes.extend_from_slice(record);
        self.n_states += 1;
    }
}

impl Data {
    fn len(&self) -> u32 {
        match self {
            Data::Here(bytes) => bytes.len() as u32,
            Data::There(_, len) => *len,
        }
    }
}

/// What is known of a state beside its steps.
#[derive(Clone, Copy)]
pub(crate) struct StateNotes {
    /// Marks of the end of a path.
    pub(crate) ending: Option<u64>,
    pub(crate) gap: Option<Gap>,
    pub(crate) puts_off: bool,
}

impl StateNotes {
    pub(crate) fn new(steps: &Steps, completeness: Completeness) -> Self {
        StateNotes {
            ending: steps.ending().filter(|_| steps.is_deadlock(completeness)),
            gap: completeness.gap(),
            puts_off: steps.puts_off,
        }
    }

    /// Some steps may lead too far, and those are not taken.
    pub(crate) fn leave_out(&mut self, leads_too_far: bool) {
        if leads_too_far {
            self.gap = self.gap.max(Some(Gap::Capped));
        }
    }
}
