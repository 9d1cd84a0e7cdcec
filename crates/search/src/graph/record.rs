//! Records of a [`StateGraph`]: the steps of one state as bytes, and the reader that finds them again.
//!
//! A record is its length, with a bit that says whether flags follow, the flags, and groups up to its end: marks and number of targets, in one byte where both are small, the first
//! target as a difference from the state, the others as differences from the one before. Numbers are written in groups of seven bits. A state where paths end has the marks of the end
//! instead of groups. There are as many records as states, so a byte that most of them can do without is worth leaving out.

use abridge_system::{Gap, NOT_STORED};

use super::{CHUNK_STATES, Data, SAMPLE_STATES, StateGraph, StateNotes};

/// The state is the end of a path, whose marks follow.
const IS_ENDING: u8 = 1;
/// Steps may be missing.
const IS_OPEN: u8 = 2;
/// Steps that were left out may be put off for ever.
const PUTS_OFF: u8 = 4;

/// What records add up to.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Encoded {
    pub(crate) n_steps: u64,
    /// The gravest reason why steps may be missing.
    pub(crate) gap: Option<Gap>,
}

/// Writes records.
#[derive(Default)]
pub(crate) struct Encoder {
    /// Group and target of each step.
    steps: Vec<(u32, u32)>,
    /// Marks in the order of their first use.
    marks: Vec<u64>,
    payload: Vec<u8>,
}

impl Encoder {
    pub(crate) fn begin(&mut self) {
        self.steps.clear();
        self.marks.clear();
    }

    pub(crate) fn push(&mut self, marks: u64, target: u32) {
        if marks == NOT_STORED {
            return;
        }
        // A state has few different marks, and equal ones tend to follow each other.
        let group = match self.marks.iter().rposition(|known| *known == marks) {
            Some(group) => group,
            None => {
                self.marks.push(marks);
                self.marks.len() - 1
            }
        };
        self.steps.push((group as u32, target));
    }

    /// Appends the record of a state.
    pub(crate) fn end(&mut self, state: u32, notes: StateNotes, out: &mut Vec<u8>, tally: &mut Encoded) {
        let payload = &mut self.payload;
        payload.clear();
        tally.gap = tally.gap.max(notes.gap);
        let flags = flags_of(notes);
        if flags != 0 {
            payload.push(flags);
        }
        if let Some(marks) = notes.ending {
            write(payload, marks);
        } else {
            self.steps.sort_unstable();
            self.steps.dedup();
            tally.n_steps += self.steps.len() as u64;
            for group in self.steps.chunk_by(|left, right| left.0 == right.0) {
                write_group(payload, self.marks[group[0].0 as usize], group.len() as u64);
                write(payload, folded(group[0].1.wrapping_sub(state) as i32));
                for pair in group.windows(2) {
                    write(payload, u64::from(pair[1].1 - pair[0].1));
                }
            }
        }
        write(out, (payload.len() as u64) << 1 | u64::from(flags != 0));
        out.extend_from_slice(payload);
    }
}

fn flags_of(notes: StateNotes) -> u8 {
    if notes.ending.is_some() {
        return IS_ENDING;
    }
    let open = if notes.gap.is_some() { IS_OPEN } else { 0 };
    let reduced = if notes.puts_off { PUTS_OFF } else { 0 };
    open | reduced
}

/// The length of the record at the beginning of some bytes, its own length included.
pub(super) fn len_of(bytes: &[u8]) -> usize {
    let mut fields = Fields { bytes };
    let len = (fields.number() >> 1) as usize;
    (bytes.len() - fields.bytes.len() + len).min(bytes.len())
}

/// Chunks from files that a reader keeps.
const N_KEPT_CHUNKS: usize = 64;

/// Reads records: fast one after the other, and in any order.
pub struct GraphReader<'g> {
    graph: &'g StateGraph,
    /// Chunks from files, each in the place of its number modulo [`N_KEPT_CHUNKS`].
    kept: Vec<(usize, Vec<u8>)>,
    /// A state and where its record begins.
    last: (u32, usize),
}

impl<'g> GraphReader<'g> {
    pub(super) fn new(graph: &'g StateGraph) -> Self {
        GraphReader { graph, kept: Vec::new(), last: (u32::MAX, 0) }
    }

    /// Calls `visit` with marks and target of each step of a state.
    pub fn steps(&mut self, state: u32, visit: &mut dyn FnMut(u64, u32)) {
        self.steps_or_ending(state, visit);
    }

    /// The marks of a state where paths end.
    pub fn ending(&mut self, state: u32) -> Option<u64> {
        let (flags, mut fields) = self.fields(state);
        (flags & IS_ENDING != 0).then(|| fields.number())
    }

    /// The same as [`GraphReader::steps`], but for a state where paths end, whose marks are returned.
    pub fn steps_or_ending(&mut self, state: u32, visit: &mut dyn FnMut(u64, u32)) -> Option<u64> {
        let (flags, mut fields) = self.fields(state);
        if flags & IS_ENDING != 0 {
            return Some(fields.number());
        }
        fields.visit(state, visit);
        None
    }

    /// Steps of the state may be missing.
    pub fn is_open(&mut self, state: u32) -> bool {
        self.fields(state).0 & IS_OPEN != 0
    }

    /// Steps of the state that were left out may be put off for ever.
    pub fn puts_off(&mut self, state: u32) -> bool {
        self.fields(state).0 & PUTS_OFF != 0
    }

    /// The flags of a state and the rest of its record; nothing if a file could not be read.
    fn fields(&mut self, state: u32) -> (u8, Fields<'_>) {
        let graph = self.graph;
        let (number, idx) = ((state / CHUNK_STATES) as usize, state % CHUNK_STATES);
        let (bytes, samples): (&[u8], &[u32]) = match graph.chunks.get(number) {
            None => (&graph.tail.bytes, &graph.tail.samples),
            Some(chunk) => match &chunk.data {
                Data::Here(bytes) => (bytes, &chunk.samples),
                Data::There(offset, len) => {
                    if self.kept.is_empty() {
                        self.kept.resize_with(N_KEPT_CHUNKS, || (usize::MAX, Vec::new()));
                    }
                    let kept = &mut self.kept[number % N_KEPT_CHUNKS];
                    if kept.0 != number {
                        kept.0 = usize::MAX;
                        if !graph.read_chunk(*offset, *len, &mut kept.1) {
                            return (0, Fields { bytes: &[] });
                        }
                        kept.0 = number;
                    }
                    (&kept.1, &chunk.samples)
                }
            },
        };
        let (last, offset) = self.last;
        let is_near = last <= state && state - last < SAMPLE_STATES && last / CHUNK_STATES == state / CHUNK_STATES;
        let (mut at, mut offset) = match is_near {
            true => (last, offset),
            false => match samples.get((idx / SAMPLE_STATES) as usize) {
                Some(offset) => (state - idx % SAMPLE_STATES, *offset as usize),
                None => return (0, Fields { bytes: &[] }),
            },
        };
        while at < state {
            offset += len_of(&bytes[offset..]);
            at += 1;
        }
        self.last = (state, offset);
        Fields { bytes: &bytes[offset..] }.record()
    }
}

/// Numbers that were written one after the other.
struct Fields<'b> {
    bytes: &'b [u8],
}

impl<'b> Fields<'b> {
    /// Flags and fields of the record that begins here.
    fn record(mut self) -> (u8, Fields<'b>) {
        let head = self.number();
        let len = (head >> 1) as usize;
        let bytes = &self.bytes[..len.min(self.bytes.len())];
        match bytes.split_first() {
            Some((flags, rest)) if head & 1 != 0 => (*flags, Fields { bytes: rest }),
            _ => (0, Fields { bytes }),
        }
    }

    fn visit(&mut self, state: u32, visit: &mut dyn FnMut(u64, u32)) {
        while !self.bytes.is_empty() {
            let (marks, n_targets) = self.group();
            let mut target = state.wrapping_add(unfolded(self.number()) as u32);
            visit(marks, target);
            for _ in 1..n_targets {
                target = target.wrapping_add(self.number() as u32);
                visit(marks, target);
            }
        }
    }

    /// Marks and number of targets of a group.
    #[inline]
    fn group(&mut self) -> (u64, u64) {
        let Some((head, rest)) = self.bytes.split_first() else { return (0, 0) };
        self.bytes = rest;
        let mut marks = u64::from(head >> COUNT_BITS & MARKS_HERE as u8);
        if head & 0x80 != 0 {
            marks |= self.number() << MARKS_BITS;
        }
        let count = u64::from(head & MAX_INLINE_COUNT as u8);
        (marks, if count == MAX_INLINE_COUNT { self.number().saturating_add(MAX_INLINE_COUNT + 1) } else { count + 1 })
    }

    /// A number in groups of seven bits, the lowest first.
    #[inline]
    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((byte, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 || shift == 63 {
                break;
            }
            shift += 7;
        }
        number
    }
}

/// Whether bytes are the record of a state, with targets and marks that exist, and the number of its steps.
pub(super) fn checked(bytes: &[u8], state: u32, n_states: u64, is_mark: &dyn Fn(u64) -> bool) -> Option<u64> {
    if len_of(bytes) != bytes.len() {
        return None;
    }
    let (flags, mut fields) = Fields { bytes }.record();
    let mut n_steps = 0;
    if flags & IS_ENDING != 0 {
        is_mark(fields.number()).then_some(())?;
    } else {
        while !fields.bytes.is_empty() {
            let (marks, n_targets) = fields.group();
            let mut target = i64::from(state) + i64::from(unfolded(fields.number()));
            // Each target takes a byte at least, so a wrong number of them is noticed soon.
            for idx in 0..n_targets {
                if idx > 0 {
                    (!fields.bytes.is_empty()).then_some(())?;
                    target = target.checked_add_unsigned(fields.number())?;
                }
                (0 <= target && (target as u64) < n_states).then_some(())?;
                n_steps += 1;
            }
            (is_mark(marks) && n_targets > 0).then_some(())?;
        }
    }
    fields.bytes.is_empty().then_some(n_steps)
}

/// Bits of the first byte of a group with the number of its targets, less one; all are set if there are more, and the rest follows.
const COUNT_BITS: u32 = 3;
const MAX_INLINE_COUNT: u64 = (1 << COUNT_BITS) - 1;
/// Bits of that byte with the lowest bits of the marks; the highest bit says that the others follow.
const MARKS_BITS: u32 = 4;
const MARKS_HERE: u64 = (1 << MARKS_BITS) - 1;

fn write_group(bytes: &mut Vec<u8>, marks: u64, n_targets: u64) {
    let (count, rest) = ((n_targets - 1).min(MAX_INLINE_COUNT), marks >> MARKS_BITS);
    let head = count | (marks & MARKS_HERE) << COUNT_BITS;
    bytes.push(head as u8 | if rest == 0 { 0 } else { 0x80 });
    if rest != 0 {
        write(bytes, rest);
    }
    if count == MAX_INLINE_COUNT {
        write(bytes, n_targets - 1 - MAX_INLINE_COUNT);
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
