//! Checkpoints: saving a search and resuming it.
//!
//! A checkpoint is a folder of files that only grow (roots, quads, parents, values, steps) and a small *manifest* that is replaced as a whole. The
//! manifest says how many bytes of the others belong to it and has their digests, so whatever happens while a checkpoint
//! is written, the one before it stays valid: its bytes are not touched. Each checkpoint writes only what is new.
//!
//! Digests are keyed with a key of the user, so a checkpoint that somebody else wrote or changed is refused. Data with the right digest is
//! still validated: an index outside of its table is damage, and each finding is evaluated again. Nothing on disk changes before all checks
//! have passed.

use std::io::{self, Read, Write};

use abridge_store::{Medium, Restoring, SavedLengths, StateTable, TableParts, Volume};
use abridge_system::{Finding, FindingKind, Gap, Limit, Properties, Steps, System, Worker};
use abridge_value::bytes::{DIGEST_BYTES, Digest, Key, Reader, put_bytes, put_number, seal, unsealed};

use crate::graph::StateGraph;
use crate::record::{SearchRecord, Tally};

/// Volumes that a search may write to.
#[derive(Clone, Copy, Default)]
pub struct Disk<'v> {
    /// Checkpoint to write, and perhaps to resume from.
    pub checkpoint: Option<Checkpoint<'v>>,
    /// Volume for states that do not fit into memory.
    pub spill: Option<&'v dyn Volume>,
}

/// Folder, key and identity of a checkpoint.
#[derive(Clone, Copy)]
pub struct Checkpoint<'v> {
    pub volume: &'v dyn Volume,
    /// Key of the seal and of the digests.
    pub key: &'v Key,
    /// Digest of model and options. Only a search with the same fingerprint can resume.
    pub fingerprint: [u8; DIGEST_BYTES],
    /// Resume from the checkpoint in the folder.
    pub resume: bool,
}

/// Reason why a search cannot resume from a checkpoint.
#[derive(Debug)]
pub enum Refusal {
    /// There is no checkpoint, or it cannot be read.
    Unreadable(io::Error),
    /// The checkpoint has another format.
    OtherVersion,
    /// The checkpoint was sealed with another key.
    OtherKey,
    /// The checkpoint belongs to another model or to other options.
    OtherModel,
    Damaged,
    /// States that do not fit into memory could not be spilled.
    Spill(io::Error),
}

/// Name of the file that makes a folder a checkpoint.
pub const MANIFEST: &str = "manifest";
const FILES: [&str; 5] = ["roots", "quads", "parents", "values", "steps"];
const MAGIC: &[u8; 8] = b"ABRIDGE\0";
const VERSION: u64 = 8;

/// Position of a search in its table.
#[derive(Clone, Default)]
pub(crate) struct Position {
    /// First state that is not yet expanded.
    pub(crate) next: u32,
    /// End of the level that is being expanded.
    pub(crate) level_end: u32,
    /// Block that was begun and not finished.
    pub(crate) block: Option<OpenBlock>,
    pub(crate) depth: u32,
    /// The number of expanded states when the system was last told to tidy up.
    pub(crate) tidied: u32,
    pub(crate) is_stuck: bool,
    pub(crate) is_ill_defined: bool,
}

/// Block that was interrupted. It keeps its end and its kind, so that a resumed search is cut into the same blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OpenBlock {
    pub(crate) end: u32,
    pub(crate) is_large: bool,
}

/// Writer of checkpoints.
pub(crate) struct Saver<'v> {
    checkpoint: Checkpoint<'v>,
    saved: Saved,
}

/// Extent of the last checkpoint.
#[derive(Clone)]
struct Saved {
    files: [Extent; FILES.len()],
    lengths: SavedLengths,
    system_marks: Vec<u64>,
    /// Chunks of the stored steps.
    n_chunks: u64,
}

/// Length of the valid prefix of a file, and its digest.
#[derive(Clone)]
struct Extent {
    len: u64,
    digest: Digest,
}

impl Extent {
    fn new(key: &Key) -> Extent {
        Extent { len: 0, digest: Digest::keyed(key) }
    }
}

impl<'v> Saver<'v> {
    pub(crate) fn new(checkpoint: Checkpoint<'v>) -> Self {
        let files = std::array::from_fn(|_| Extent::new(checkpoint.key));
        let lengths = SavedLengths::default();
        Saver { checkpoint, saved: Saved { files, lengths, system_marks: Vec::new(), n_chunks: 0 } }
    }

    /// Writes a checkpoint. After a failure the previous one is still valid.
    pub(crate) fn save<S: System>(
        &mut self,
        system: &S,
        (table, steps): (&StateTable, &StateGraph),
        position: &Position,
        record: &SearchRecord,
    ) -> io::Result<()> {
        let before = self.saved.clone();
        let written = self.append(system, table, steps).and_then(|()| {
            let manifest = self.manifest(system, (table, steps), position, record);
            self.checkpoint.volume.replace(MANIFEST, &manifest)
        });
        if written.is_err() {
            self.saved = before;
            for (name, extent) in FILES.iter().zip(&self.saved.files) {
                // Bytes of the failed attempt are truncated, so that they do not fill the disk.
                let volume = self.checkpoint.volume;
                let _ = if extent.len == 0 { volume.remove(name) } else { volume.open(name, extent.len).map(drop) };
            }
        }
        written
    }

    /// Appends what is new to the files that only grow.
    fn append<S: System>(&mut self, system: &S, table: &StateTable, graph: &StateGraph) -> io::Result<()> {
        let Saved { files, lengths, system_marks, n_chunks } = &mut self.saved;
        let mut growing = Vec::with_capacity(FILES.len());
        for (name, extent) in FILES.iter().zip(files.iter()) {
            growing.push(AppendedFile::new(self.checkpoint.volume.open(name, extent.len)?, extent.clone()));
        }
        if let [roots, quads, parents, values, steps] = &mut growing[..] {
            table.save(lengths, TableParts { roots, quads, parents })?;
            system.save(system_marks, values)?;
            graph.save(n_chunks, steps)?;
        }
        for (file, extent) in growing.into_iter().zip(files) {
            *extent = file.finish()?;
        }
        Ok(())
    }

    fn manifest<S: System>(
        &self,
        system: &S,
        (table, steps): (&StateTable, &StateGraph),
        position: &Position,
        record: &SearchRecord,
    ) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let Saved { files, lengths, system_marks, n_chunks } = &self.saved;
        put_number(&mut out, VERSION);
        out.extend_from_slice(&self.checkpoint.key.name());
        out.extend_from_slice(&self.checkpoint.fingerprint);
        for extent in files {
            put_number(&mut out, extent.len);
            out.extend_from_slice(&extent.digest.get());
        }
        [lengths.chunks, lengths.quads, lengths.parent_words, *n_chunks]
            .into_iter()
            .for_each(|length| put_number(&mut out, length));
        put_numbers(&mut out, system_marks);
        put_position(&mut out, position);
        put_record(&mut out, record);
        put_bytes(&mut out, &table.save_rest());
        put_bytes(&mut out, &steps.save_rest());
        put_bytes(&mut out, &system.save_notes());
        seal(self.checkpoint.key, &mut out);
        out
    }

    /// Removes the checkpoint of a finished search.
    pub(crate) fn remove(&self) {
        self.checkpoint.remove();
    }
}

impl Checkpoint<'_> {
    /// Takes away what was saved.
    pub fn remove(&self) {
        if self.volume.remove(MANIFEST).is_ok() {
            FILES.iter().for_each(|name| drop(self.volume.remove(name)));
        }
    }
}

fn put_numbers(out: &mut Vec<u8>, numbers: &[u64]) {
    put_number(out, numbers.len() as u64);
    numbers.iter().for_each(|number| put_number(out, *number));
}

fn put_position(out: &mut Vec<u8>, position: &Position) {
    let Position { next, level_end, block, depth, tidied, is_stuck, is_ill_defined } = position;
    [*next, *level_end, *depth, *tidied].into_iter().for_each(|number| put_number(out, u64::from(number)));
    put_number(out, u64::from(block.is_some()));
    if let Some(block) = block {
        put_number(out, u64::from(block.end));
        put_number(out, u64::from(block.is_large));
    }
    put_number(out, u64::from(*is_stuck));
    put_number(out, u64::from(*is_ill_defined));
}

fn read_position(reader: &mut Reader<'_>) -> Option<Position> {
    let (next, level_end, depth, tidied) = (reader.small()?, reader.small()?, reader.small()?, reader.small()?);
    let block = match reader.number()? {
        0 => None,
        _ => Some(OpenBlock { end: reader.small()?, is_large: reader.number()? != 0 }),
    };
    let (is_stuck, is_ill_defined) = (reader.number()? != 0, reader.number()? != 0);
    Some(Position { next, level_end, block, depth, tidied, is_stuck, is_ill_defined })
}

/// Lasting limits (a depth limit that was met, missing steps) are saved. The limit that ended the search is not: resuming removes it.
fn put_record(out: &mut Vec<u8>, record: &SearchRecord) {
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

fn read_record(reader: &mut Reader<'_>) -> Option<SearchRecord> {
    let tally = Tally { transitions: reader.number()?, per_operation: reader.list(Reader::number)? };
    let findings = reader.list(|reader| {
        let kind = finding_of(reader.small()?, reader.small()?)?;
        Some(Finding { kind, state: reader.small()? })
    })?;
    let limits = reader.list(|reader| lasting_limit(reader.small()?, reader.small()?))?;
    let of_operations = tally.per_operation.iter().fold(0_u64, |sum, count| sum.saturating_add(*count));
    (tally.transitions == of_operations).then_some(())?;
    Some(SearchRecord::resumed(tally, findings, limits))
}

pub(crate) const GAPS: [Gap; 5] = [Gap::Bounded, Gap::Capped, Gap::Failed, Gap::Stopped, Gap::Memory];

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

/// Restored search.
pub(crate) struct Resumed<'v> {
    pub(crate) saver: Saver<'v>,
    pub(crate) table: StateTable,
    pub(crate) steps: StateGraph,
    pub(crate) position: Position,
    pub(crate) record: SearchRecord,
}

/// What grows while a saved search is read.
pub(crate) struct Grown<'g> {
    pub(crate) table: &'g mut StateTable,
    pub(crate) steps: &'g mut StateGraph,
}

struct Manifest<'b> {
    /// Length and digest of each file.
    files: [(u64, [u8; DIGEST_BYTES]); FILES.len()],
    lengths: SavedLengths,
    system_marks: Vec<u64>,
    n_chunks: u64,
    position: Position,
    record: SearchRecord,
    rest: &'b [u8],
    steps_rest: &'b [u8],
    notes: &'b [u8],
}

/// Reads a checkpoint into an empty table; `pause` is called now and then while the search grows.
pub(crate) fn resume<'v, S: System>(
    system: &S,
    checkpoint: Checkpoint<'v>,
    table: StateTable,
    pause: &mut dyn FnMut(Grown<'_>) -> io::Result<()>,
) -> Result<Resumed<'v>, Refusal> {
    let bytes = checkpoint.volume.read(MANIFEST).map_err(Refusal::Unreadable)?;
    let manifest = read_manifest(&bytes, &checkpoint)?;
    let mut files = Vec::with_capacity(FILES.len());
    for (name, (len, digest)) in FILES.iter().zip(manifest.files) {
        let medium = checkpoint.volume.view(name, len).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => Refusal::Damaged,
            _ => Refusal::Unreadable(error),
        })?;
        let file = SavedFile::new(medium, len, checkpoint.key);
        files.push(file.verified(&digest).ok_or(Refusal::Damaged)?);
    }
    let mut spill_error = None;
    let mut pause = |grown: Grown<'_>| {
        pause(grown).map_err(|error| {
            let kind = error.kind();
            spill_error = Some(error);
            kind.into()
        })
    };
    let restored = restore(system, &manifest, &mut files, table, &mut pause);
    let (table, steps) = match (restored, spill_error) {
        (_, Some(error)) => return Err(Refusal::Spill(error)),
        (Ok(restored), None) => restored,
        (Err(_), None) => return Err(Refusal::Damaged),
    };
    let Manifest { lengths, system_marks, n_chunks, position, record, .. } = manifest;
    let are_read = files.iter().all(SavedFile::is_at_end);
    let are_steps = steps.n_states() == 0 || steps.n_states() == position.next;
    if !are_read || !are_steps || !is_possible(&position, &table) || !are_found_again(system, &table, &record) {
        return Err(Refusal::Damaged);
    }
    let extents: Vec<Extent> = files.into_iter().map(|file| file.extent).collect();
    let files = extents.try_into().map_err(|_| Refusal::Damaged)?;
    let saver = Saver { checkpoint, saved: Saved { files, lengths, system_marks, n_chunks } };
    Ok(Resumed { saver, table, steps, position, record })
}

/// The table and the stored steps.
fn restore<S: System>(
    system: &S,
    manifest: &Manifest<'_>,
    files: &mut [SavedFile],
    table: StateTable,
    pause: &mut dyn FnMut(Grown<'_>) -> io::Result<()>,
) -> io::Result<(StateTable, StateGraph)> {
    let [roots, quads, parents, values, saved_steps] = files else { return Err(io::ErrorKind::InvalidData.into()) };
    let mut steps = StateGraph::default();
    system.restore(&manifest.system_marks, values, manifest.notes)?;
    let mut pause_table = |table: &mut StateTable| pause(Grown { table, steps: &mut steps });
    let watch = Restoring { is_state: &|words| system.is_state(words), pause: &mut pause_table };
    let from = TableParts { roots: roots as &mut dyn Read, quads, parents };
    let mut table = StateTable::restore(table, manifest.lengths, from, manifest.rest, watch)?;
    let (n_states, is_mark) = (table.len() as u64, |marks| system.is_mark(marks));
    for _ in 0..manifest.n_chunks {
        steps.load(saved_steps, n_states, &is_mark)?;
        pause(Grown { table: &mut table, steps: &mut steps })?;
    }
    steps.load_rest(manifest.steps_rest, n_states, &is_mark).ok_or(io::ErrorKind::InvalidData)?;
    Ok((table, steps))
}

/// Whether the position is consistent with the table.
fn is_possible(position: &Position, table: &StateTable) -> bool {
    let n_states = table.len() as u64;
    position.tidied <= position.next
        && position.next <= position.level_end
        && u64::from(position.level_end) <= n_states
        && u64::from(position.depth) <= n_states
        && position.block.is_none_or(|block| position.next < block.end && block.end <= position.level_end)
        && table.n_closed() == Some(u64::from(position.next))
}

/// Whether every saved finding is found again in its state. Findings are few, so this costs little.
fn are_found_again<S: System>(system: &S, table: &StateTable, record: &SearchRecord) -> bool {
    let mut worker = system.worker();
    let mut steps = Steps::new(system.width());
    record.findings.iter().all(|finding| {
        if finding.state as usize >= table.len() {
            return false;
        }
        let Ok(words) = table.get(finding.state) else { return false };
        match finding.kind {
            FindingKind::Deadlock | FindingKind::IllDefined(_) => {
                steps.clear();
                let completeness = worker.successors(&words, &mut steps);
                match finding.kind {
                    FindingKind::IllDefined(operation) => steps.ill_defined().contains(&operation),
                    _ => steps.is_deadlock(completeness),
                }
            }
            kind => {
                let mut is_found = false;
                // A gap counts as "not found", so completeness does not matter here.
                let _ = worker.inspect(&words, None, asked_for(kind), &mut |found| is_found |= found == kind);
                is_found
            }
        }
    })
}

/// Properties to inspect for a finding of this kind.
fn asked_for(kind: FindingKind) -> Properties {
    Properties {
        invariant: matches!(kind, FindingKind::Invariant(_) | FindingKind::IllDefinedInvariant(_)),
        assertions: matches!(kind, FindingKind::Assertion(_) | FindingKind::IllDefinedAssertion(_)),
        goal: kind == FindingKind::Goal,
        propositions: matches!(kind, FindingKind::Proposition(_) | FindingKind::IllDefinedProposition(_)),
    }
}

fn read_manifest<'b>(bytes: &'b [u8], checkpoint: &Checkpoint<'_>) -> Result<Manifest<'b>, Refusal> {
    let mut reader = Reader::new(bytes.strip_prefix(MAGIC).ok_or(Refusal::Damaged)?);
    if reader.number() != Some(VERSION) {
        return Err(Refusal::OtherVersion);
    }
    if reader.array() != Some(checkpoint.key.name()) {
        return Err(Refusal::OtherKey);
    }
    let sealed = unsealed(checkpoint.key, bytes).ok_or(Refusal::Damaged)?;
    let n_read = bytes.len() - reader.len();
    let mut reader = Reader::new(sealed.get(n_read..).ok_or(Refusal::Damaged)?);
    if reader.array() != Some(checkpoint.fingerprint) {
        return Err(Refusal::OtherModel);
    }
    read_body(&mut reader).filter(|_| reader.is_empty()).ok_or(Refusal::Damaged)
}

fn read_body<'b>(reader: &mut Reader<'b>) -> Option<Manifest<'b>> {
    let mut files = [(0, [0; DIGEST_BYTES]); FILES.len()];
    for file in &mut files {
        *file = (reader.number()?, reader.array()?);
    }
    let lengths = SavedLengths { chunks: reader.number()?, quads: reader.number()?, parent_words: reader.number()? };
    let n_chunks = reader.number()?;
    let system_marks = reader.list(Reader::number)?;
    let (position, record) = (read_position(reader)?, read_record(reader)?);
    let (rest, steps_rest, notes) = (reader.bytes()?, reader.bytes()?, reader.bytes()?);
    Some(Manifest { files, lengths, system_marks, n_chunks, position, record, rest, steps_rest, notes })
}

/// Bytes per write and per read.
const BUFFER_BYTES: usize = 1 << 18;

/// Buffered writer that appends to a file and extends its digest.
struct AppendedFile {
    medium: Box<dyn Medium>,
    extent: Extent,
    buffer: Vec<u8>,
}

impl AppendedFile {
    fn new(medium: Box<dyn Medium>, extent: Extent) -> Self {
        AppendedFile { medium, extent, buffer: Vec::new() }
    }

    fn finish(mut self) -> io::Result<Extent> {
        self.flush()?;
        self.medium.sync()?;
        Ok(self.extent)
    }
}

impl Write for AppendedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.medium.append(&self.buffer)?;
        self.extent.len += self.buffer.len() as u64;
        self.extent.digest.add(&self.buffer);
        self.buffer.clear();
        Ok(())
    }
}

/// Buffered reader of a file, up to the length in the manifest.
struct SavedFile {
    medium: Box<dyn Medium>,
    extent: Extent,
    /// Offset of the end of the buffer in the file.
    at: u64,
    buffer: Vec<u8>,
    used: usize,
}

impl SavedFile {
    fn new(medium: Box<dyn Medium>, len: u64, key: &Key) -> Self {
        let extent = Extent { len, ..Extent::new(key) };
        SavedFile { medium, extent, at: 0, buffer: Vec::new(), used: 0 }
    }

    /// Digests the whole file, and rewinds if the digest is the given one. No byte is parsed before.
    fn verified(mut self, digest: &[u8; DIGEST_BYTES]) -> Option<SavedFile> {
        while !self.is_at_end() {
            self.fill().ok()?;
            self.extent.digest.add(&self.buffer);
            self.used = self.buffer.len();
        }
        (self.at, self.used) = (0, 0);
        self.buffer.clear();
        (self.extent.digest.get() == *digest).then_some(self)
    }

    fn is_at_end(&self) -> bool {
        self.at == self.extent.len && self.used == self.buffer.len()
    }

    /// Replaces the buffer by the next bytes of the file.
    fn fill(&mut self) -> io::Result<()> {
        let len = (self.extent.len - self.at).min(BUFFER_BYTES as u64) as usize;
        self.buffer.resize(len, 0);
        self.medium.read_at(self.at, &mut self.buffer)?;
        self.at += len as u64;
        self.used = 0;
        Ok(())
    }
}

impl Read for SavedFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.used == self.buffer.len() {
            self.fill()?;
        }
        let len = out.len().min(self.buffer.len() - self.used);
        out[..len].copy_from_slice(&self.buffer[self.used..self.used + len]);
        self.used += len;
        Ok(len)
    }
}
