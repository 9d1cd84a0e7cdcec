//! A search that saves itself, and one that goes on from there.
//!
//! A checkpoint is a folder of files that only grow (roots, pairs, parents, values) and a small *manifest* that is replaced as a whole. The
//! manifest says how many bytes of the others belong to it and what they sum up to, so whatever happens while a checkpoint
//! is written, the one before it stays valid: its bytes are not touched. Each checkpoint writes only what is new.

use std::io::{self, Read, Write};

use abridge_store::{Marks, Medium, Parts, StateTable, Volume};
use abridge_system::{Finding, FindingKind, Gap, Limit, System};
use abridge_value::bytes::{Checksum, Reader, put_bytes, put_number};

use crate::record::{Record, Tally};

/// What a search may use of a disk.
#[derive(Clone, Copy, Default)]
pub struct Disk<'v> {
    /// Where to save the search now and then.
    pub checkpoint: Option<Checkpoint<'v>>,
    /// Where states go that do not fit into memory.
    pub spill: Option<&'v dyn Volume>,
}

#[derive(Clone, Copy)]
pub struct Checkpoint<'v> {
    pub volume: &'v dyn Volume,
    /// Stands for the model and the options: only a search with the same can go on.
    pub fingerprint: u64,
    /// Go on from what is saved there.
    pub resume: bool,
}

/// Why a search cannot go on from a checkpoint.
#[derive(Debug)]
pub enum Refusal {
    /// There is none, or it cannot be read.
    Unreadable(io::Error),
    /// It was written in another format.
    OtherVersion,
    /// It is about another model, or other options.
    OtherModel,
    Damaged,
    /// States that do not fit into memory could not be written to files.
    Spill(io::Error),
}

/// The name of the file that makes a folder a checkpoint.
pub const MANIFEST: &str = "manifest";
const FILES: [&str; 4] = ["roots", "pairs", "parents", "values"];
const MAGIC: &[u8; 8] = b"ABRIDGE\0";
const VERSION: u64 = 2;

/// How far a search is, beside its table.
#[derive(Clone, Default)]
pub(crate) struct Position {
    /// The first state that is not expanded.
    pub(crate) next: u32,
    /// Where the level ends that is being expanded.
    pub(crate) level_end: u32,
    /// The end of a block that was begun but not finished.
    pub(crate) block: Option<OpenBlock>,
    pub(crate) depth: u32,
    pub(crate) is_stuck: bool,
    pub(crate) is_ill_defined: bool,
}

/// A block that was stopped in the middle. It is finished as what it was begun as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OpenBlock {
    pub(crate) end: u32,
    pub(crate) is_large: bool,
}

/// Writes checkpoints.
pub(crate) struct Saver<'v> {
    checkpoint: Checkpoint<'v>,
    saved: Saved,
}

/// What the last checkpoint covers.
#[derive(Clone, Default)]
struct Saved {
    files: [Extent; FILES.len()],
    marks: Marks,
    system_marks: Vec<u64>,
}

/// Bytes of a file and what they sum up to.
#[derive(Clone, Copy, Default)]
struct Extent {
    len: u64,
    sum: Checksum,
}

impl<'v> Saver<'v> {
    pub(crate) fn new(checkpoint: Checkpoint<'v>) -> Self {
        Saver { checkpoint, saved: Saved::default() }
    }

    /// Writes a checkpoint. If that fails, the one before it is still there.
    pub(crate) fn save<S: System>(
        &mut self,
        system: &S,
        table: &StateTable,
        position: &Position,
        record: &Record,
    ) -> io::Result<()> {
        let before = self.saved.clone();
        let written = self.append(system, table).and_then(|()| {
            let manifest = self.manifest(system, table, position, record);
            self.checkpoint.volume.replace(MANIFEST, &manifest)
        });
        if written.is_err() {
            self.saved = before;
            for (name, extent) in FILES.iter().zip(&self.saved.files) {
                // What was written in vain should not fill the disk.
                let volume = self.checkpoint.volume;
                let _ = if extent.len == 0 { volume.remove(name) } else { volume.open(name, extent.len).map(drop) };
            }
        }
        written
    }

    /// Appends what is new to the files that only grow.
    fn append<S: System>(&mut self, system: &S, table: &StateTable) -> io::Result<()> {
        let Saved { files, marks, system_marks } = &mut self.saved;
        let mut growing = Vec::with_capacity(FILES.len());
        for (name, extent) in FILES.iter().zip(files.iter()) {
            growing.push(Growing::new(self.checkpoint.volume.open(name, extent.len)?, *extent));
        }
        if let [roots, pairs, parents, values] = &mut growing[..] {
            table.save(marks, Parts { roots, pairs, parents })?;
            system.save(system_marks, values)?;
        }
        for (file, extent) in growing.into_iter().zip(files) {
            *extent = file.finish()?;
        }
        Ok(())
    }

    fn manifest<S: System>(&self, system: &S, table: &StateTable, position: &Position, record: &Record) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let Saved { files, marks, system_marks } = &self.saved;
        put_number(&mut out, VERSION);
        out.extend_from_slice(&self.checkpoint.fingerprint.to_le_bytes());
        for extent in files {
            put_number(&mut out, extent.len);
            put_number(&mut out, extent.sum.get());
        }
        [marks.chunks, marks.pairs, marks.parent_words].into_iter().for_each(|mark| put_number(&mut out, mark));
        put_numbers(&mut out, system_marks);
        put_position(&mut out, position);
        put_record(&mut out, record);
        put_bytes(&mut out, &table.save_rest());
        put_bytes(&mut out, &system.save_notes());
        let mut sum = Checksum::new();
        sum.add(&out);
        out.extend_from_slice(&sum.get().to_le_bytes());
        out
    }

    /// Takes the checkpoint away, because there is nothing to go on with.
    pub(crate) fn remove(&self) {
        let volume = self.checkpoint.volume;
        if volume.remove(MANIFEST).is_ok() {
            FILES.iter().for_each(|name| drop(volume.remove(name)));
        }
    }
}

fn put_numbers(out: &mut Vec<u8>, numbers: &[u64]) {
    put_number(out, numbers.len() as u64);
    numbers.iter().for_each(|number| put_number(out, *number));
}

fn put_position(out: &mut Vec<u8>, position: &Position) {
    let Position { next, level_end, block, depth, is_stuck, is_ill_defined } = position;
    [*next, *level_end, *depth].into_iter().for_each(|number| put_number(out, u64::from(number)));
    put_number(out, u64::from(block.is_some()));
    if let Some(block) = block {
        put_number(out, u64::from(block.end));
        put_number(out, u64::from(block.is_large));
    }
    put_number(out, u64::from(*is_stuck));
    put_number(out, u64::from(*is_ill_defined));
}

fn read_position(reader: &mut Reader<'_>) -> Option<Position> {
    let (next, level_end, depth) = (reader.small()?, reader.small()?, reader.small()?);
    let block = match reader.number()? {
        0 => None,
        _ => Some(OpenBlock { end: reader.small()?, is_large: reader.number()? != 0 }),
    };
    let (is_stuck, is_ill_defined) = (reader.number()? != 0, reader.number()? != 0);
    Some(Position { next, level_end, block, depth, is_stuck, is_ill_defined })
}

/// Limits that lie behind the search are part of it; those that ended it are not, since going on removes them.
fn put_record(out: &mut Vec<u8>, record: &Record) {
    put_number(out, record.tally.transitions);
    put_numbers(out, &record.tally.per_operation);
    put_number(out, record.findings.len() as u64);
    for finding in &record.findings {
        let (tag, conjunct) = finding_code(finding.kind);
        [tag, conjunct, finding.state].into_iter().for_each(|number| put_number(out, u64::from(number)));
    }
    let lasting: Vec<(u32, u32)> = record.limits.iter().filter_map(|limit| lasting_code(*limit)).collect();
    put_number(out, lasting.len() as u64);
    lasting.into_iter().flat_map(|(tag, detail)| [tag, detail]).for_each(|number| put_number(out, u64::from(number)));
}

fn read_record(reader: &mut Reader<'_>) -> Option<Record> {
    let tally = Tally { transitions: reader.number()?, per_operation: reader.list(Reader::number)? };
    let findings = reader.list(|reader| {
        let kind = finding_of(reader.small()?, reader.small()?)?;
        Some(Finding { kind, state: reader.small()? })
    })?;
    let limits = reader.list(|reader| lasting_limit(reader.small()?, reader.small()?))?;
    Some(Record::resumed(tally, findings, limits))
}

const GAPS: [Gap; 4] = [Gap::Bounded, Gap::Capped, Gap::Failed, Gap::Stopped];

fn lasting_code(limit: Limit) -> Option<(u32, u32)> {
    match limit {
        Limit::Depth(depth) => Some((0, depth)),
        Limit::Missing(gap) => Some((1, GAPS.iter().position(|other| *other == gap)? as u32)),
        _ => None,
    }
}

fn lasting_limit(tag: u32, detail: u32) -> Option<Limit> {
    match tag {
        0 => Some(Limit::Depth(detail)),
        1 => GAPS.get(detail as usize).map(|gap| Limit::Missing(*gap)),
        _ => None,
    }
}

fn finding_code(kind: FindingKind) -> (u32, u32) {
    match kind {
        FindingKind::Invariant(conjunct) => (0, conjunct),
        FindingKind::IllDefinedInvariant(conjunct) => (1, conjunct),
        FindingKind::Assertion(conjunct) => (2, conjunct),
        FindingKind::IllDefinedAssertion(conjunct) => (3, conjunct),
        FindingKind::Deadlock => (4, 0),
        FindingKind::Goal => (5, 0),
        FindingKind::IllDefined(operation) => (6, operation),
        FindingKind::Proposition(number) => (7, number),
        FindingKind::IllDefinedProposition(number) => (8, number),
    }
}

fn finding_of(tag: u32, conjunct: u32) -> Option<FindingKind> {
    Some(match tag {
        0 => FindingKind::Invariant(conjunct),
        1 => FindingKind::IllDefinedInvariant(conjunct),
        2 => FindingKind::Assertion(conjunct),
        3 => FindingKind::IllDefinedAssertion(conjunct),
        4 => FindingKind::Deadlock,
        5 => FindingKind::Goal,
        6 => FindingKind::IllDefined(conjunct),
        7 => FindingKind::Proposition(conjunct),
        8 => FindingKind::IllDefinedProposition(conjunct),
        _ => return None,
    })
}

/// A search as it was saved.
pub(crate) struct Resumed<'v> {
    pub(crate) saver: Saver<'v>,
    pub(crate) table: StateTable,
    pub(crate) position: Position,
    pub(crate) record: Record,
}

struct Manifest<'b> {
    saved: Saved,
    position: Position,
    record: Record,
    rest: &'b [u8],
    notes: &'b [u8],
}

/// Reads a checkpoint; `pause` is called now and then while the table grows.
pub(crate) fn resume<'v, S: System>(
    system: &S,
    checkpoint: Checkpoint<'v>,
    pause: &mut dyn FnMut(&mut StateTable) -> io::Result<()>,
) -> Result<Resumed<'v>, Refusal> {
    let bytes = checkpoint.volume.read(MANIFEST).map_err(Refusal::Unreadable)?;
    let Manifest { saved, position, record, rest, notes } = read_manifest(&bytes, checkpoint.fingerprint)?;
    let mut files = Vec::with_capacity(FILES.len());
    for (name, extent) in FILES.iter().zip(&saved.files) {
        let medium = checkpoint.volume.open(name, extent.len).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => Refusal::Damaged,
            _ => Refusal::Unreadable(error),
        })?;
        files.push(Played::new(medium, *extent));
    }
    let mut spill_error = None;
    let mut pause = |table: &mut StateTable| {
        pause(table).map_err(|error| {
            let kind = error.kind();
            spill_error = Some(error);
            kind.into()
        })
    };
    let [roots, pairs, parents, values] = &mut files[..] else { return Err(Refusal::Damaged) };
    let restored = system.restore(&saved.system_marks, values, notes).and_then(|()| {
        StateTable::restore(system.width(), saved.marks, Parts { roots, pairs, parents }, rest, &mut pause)
    });
    let table = match (restored, spill_error) {
        (_, Some(error)) => return Err(Refusal::Spill(error)),
        (Ok(table), None) => table,
        (Err(_), None) => return Err(Refusal::Damaged),
    };
    let n_states = table.len() as u32;
    let is_whole = files.iter().all(Played::is_whole)
        && position.next <= position.level_end
        && position.level_end <= n_states
        && position.block.is_none_or(|block| block.end <= position.level_end)
        && record.findings.iter().all(|finding| finding.state < n_states);
    if !is_whole {
        return Err(Refusal::Damaged);
    }
    Ok(Resumed { saver: Saver { checkpoint, saved }, table, position, record })
}

fn read_manifest(bytes: &[u8], fingerprint: u64) -> Result<Manifest<'_>, Refusal> {
    let body = bytes.strip_prefix(MAGIC).ok_or(Refusal::Damaged)?;
    let (body, sum) = body.split_last_chunk::<8>().ok_or(Refusal::Damaged)?;
    let mut reader = Reader::new(body);
    if reader.number() != Some(VERSION) {
        return Err(Refusal::OtherVersion);
    }
    let mut expected = Checksum::new();
    expected.add(&bytes[..bytes.len() - 8]);
    if expected.get().to_le_bytes() != *sum {
        return Err(Refusal::Damaged);
    }
    let mut found = [0; 8];
    for byte in &mut found {
        *byte = reader.byte().ok_or(Refusal::Damaged)?;
    }
    if u64::from_le_bytes(found) != fingerprint {
        return Err(Refusal::OtherModel);
    }
    read_body(&mut reader).ok_or(Refusal::Damaged)
}

fn read_body<'b>(reader: &mut Reader<'b>) -> Option<Manifest<'b>> {
    let mut saved = Saved::default();
    for extent in &mut saved.files {
        *extent = Extent { len: reader.number()?, sum: Checksum::from(reader.number()?) };
    }
    saved.marks = Marks { chunks: reader.number()?, pairs: reader.number()?, parent_words: reader.number()? };
    saved.system_marks = reader.list(Reader::number)?;
    let (position, record) = (read_position(reader)?, read_record(reader)?);
    Some(Manifest { saved, position, record, rest: reader.bytes()?, notes: reader.bytes()? })
}

/// Bytes that are gathered before they are written, or read at once.
const BUFFER: usize = 1 << 18;

/// A file while something is appended to it.
struct Growing {
    medium: Box<dyn Medium>,
    extent: Extent,
    buffer: Vec<u8>,
}

impl Growing {
    fn new(medium: Box<dyn Medium>, extent: Extent) -> Self {
        Growing { medium, extent, buffer: Vec::new() }
    }

    fn finish(mut self) -> io::Result<Extent> {
        self.flush()?;
        self.medium.sync()?;
        Ok(self.extent)
    }
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.medium.append(&self.buffer)?;
        self.extent.len += self.buffer.len() as u64;
        self.extent.sum.add(&self.buffer);
        self.buffer.clear();
        Ok(())
    }
}

/// A file that is read from its beginning to the end that the manifest knows.
struct Played {
    medium: Box<dyn Medium>,
    extent: Extent,
    at: u64,
    sum: Checksum,
    buffer: Vec<u8>,
    used: usize,
}

impl Played {
    fn new(medium: Box<dyn Medium>, extent: Extent) -> Self {
        Played { medium, extent, at: 0, sum: Checksum::new(), buffer: Vec::new(), used: 0 }
    }

    /// Everything was read, and it is what was written.
    fn is_whole(&self) -> bool {
        self.at == self.extent.len && self.used == self.buffer.len() && self.sum == self.extent.sum
    }
}

impl Read for Played {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.used == self.buffer.len() {
            let len = (self.extent.len - self.at).min(BUFFER as u64) as usize;
            self.buffer.resize(len, 0);
            self.medium.read_at(self.at, &mut self.buffer)?;
            self.sum.add(&self.buffer);
            self.at += len as u64;
            self.used = 0;
        }
        let len = out.len().min(self.buffer.len() - self.used);
        out[..len].copy_from_slice(&self.buffer[self.used..self.used + len]);
        self.used += len;
        Ok(len)
    }
}
