//! Roots of spilled states in files, found by content.
//!
//! Each time memory runs short, all roots of the index become one *run*: sorted within each shard, cut into blocks, and
//! delta-encoded within a block. Memory keeps the first root and the position of each block. A lookup takes a sorted list of roots
//! and reads only the blocks that may contain one of them. Most roots that are looked up are new, and a Bloom filter in memory
//! recognises nearly all of these (`filter.rs`), as long as memory allows. Runs of similar size are merged, so that there are few
//! (O'Neil, Cheng, Gawlick, O'Neil, "The log-structured merge-tree"). A search looks up all candidates of a block of states at once, so they share
//! the cost of reading (delayed duplicate detection, as in Stern and Dill, "Using magnetic disk instead of main memory in the Murphi verifier"). A
//! table that stores steps also needs the numbers of known states; its runs store them beside the roots.

use std::io;

use crate::filter::Filter;
use crate::shard::N_SHARDS;
use crate::volume::{Medium, Volume};

/// Roots per block.
const BLOCK_ROOTS: usize = 512;
/// Maximum size of one read or write; neighbouring blocks share a read.
const IO_BYTES: usize = 1 << 18;
/// Runs beyond this number are merged.
const MAX_RUNS: usize = 6;

#[derive(Default)]
/// All runs of a table, oldest first.
pub(crate) struct Runs {
    runs: Vec<Run>,
    n_written: usize,
    /// True if filters were dropped for lack of memory.
    is_unfiltered: bool,
    /// True if runs have the numbers of states beside the roots.
    is_numbered: bool,
}

struct Run {
    name: String,
    medium: Box<dyn Medium>,
    shards: [RunShard; N_SHARDS],
    n_roots: u64,
    is_numbered: bool,
}

#[derive(Default)]
struct RunShard {
    fences: Vec<Fence>,
    n_roots: usize,
    filter: Option<Filter>,
}

/// First root and position of a block.
#[derive(Clone, Copy)]
struct Fence {
    first: u64,
    offset: u64,
    len: u32,
}

impl Runs {
    pub(crate) fn new(is_numbered: bool) -> Self {
        Runs { is_numbered, ..Runs::default() }
    }

    /// Writes a run; `shard_roots` returns the roots of a shard with their numbers.
    pub(crate) fn add(
        &mut self,
        volume: &dyn Volume,
        mut shard_roots: impl FnMut(usize) -> Vec<(u64, u32)>,
    ) -> io::Result<()> {
        let (name, is_filtered) = (self.next_name(), !self.is_unfiltered);
        let run = write_run(volume, name, self.is_numbered, |writer, shard| {
            let mut roots = shard_roots(shard);
            roots.sort_unstable();
            writer.begin(shard, is_filtered.then_some(roots.len()));
            roots.into_iter().try_for_each(|entry| writer.push(shard, entry))
        })?;
        self.runs.push(run);
        if self.runs.len() > MAX_RUNS {
            self.merge(volume)?;
        }
        Ok(())
    }

    fn next_name(&mut self) -> String {
        self.n_written += 1;
        format!("run{}", self.n_written)
    }

    /// Merges the newest runs, as far back as an older run is at most twice as large as the sum of the newer ones.
    fn merge(&mut self, volume: &dyn Volume) -> io::Result<()> {
        let mut start = self.runs.len() - 1;
        let mut sum = self.runs[start].n_roots;
        while start > 0 && self.runs[start - 1].n_roots <= 2 * sum {
            start -= 1;
            sum += self.runs[start].n_roots;
        }
        // At least two runs are merged.
        let start = start.min(self.runs.len() - 2);
        let (name, is_filtered) = (self.next_name(), !self.is_unfiltered);
        let runs = &self.runs[start..];
        let merged = write_run(volume, name, self.is_numbered, |writer, shard| {
            let n_roots = runs.iter().map(|run| run.shards[shard].n_roots).sum();
            writer.begin(shard, is_filtered.then_some(n_roots));
            let mut sources =
                runs.iter().map(|run| Cursor::new(run, shard)).collect::<io::Result<Vec<Cursor<'_>>>>()?;
            // No root is in two runs.
            let least = |sources: &[Cursor<'_>]| {
                let heads = sources.iter().enumerate().filter_map(|(idx, source)| Some((source.head?, idx)));
                heads.min()
            };
            while let Some((entry, idx)) = least(&sources) {
                writer.push(shard, entry)?;
                sources[idx].advance()?;
            }
            Ok(())
        })?;
        // The new run is in place before anything can fail: a run that is missing would make visited states new.
        let merged_runs: Vec<Run> = self.runs.drain(start..).collect();
        self.runs.push(merged);
        merged_runs.into_iter().try_for_each(|Run { name, medium, .. }| {
            drop(medium);
            volume.remove(&name)
        })
    }

    /// Calls `found` with the position of each root, in a sorted list, that some run contains, and with its number if runs are numbered.
    pub(crate) fn find(&self, shard: usize, roots: &[u64], mut found: impl FnMut(usize, u32)) -> io::Result<()> {
        let (mut positions, mut possible) = (Vec::new(), Vec::new());
        for run in &self.runs {
            let Some(filter) = &run.shards[shard].filter else {
                run.find(shard, roots, &mut found)?;
                continue;
            };
            positions.clear();
            positions.extend((0..roots.len()).filter(|idx| filter.may_have(roots[*idx])));
            possible.clear();
            possible.extend(positions.iter().map(|idx| roots[*idx]));
            run.find(shard, &possible, &mut |idx, number| found(positions[idx], number))?;
        }
        Ok(())
    }

    pub(crate) fn has_filters(&self) -> bool {
        !self.is_unfiltered && !self.runs.is_empty()
    }

    /// Drops all filters and builds no more.
    pub(crate) fn drop_filters(&mut self) {
        self.is_unfiltered = true;
        self.runs.iter_mut().flat_map(|run| &mut run.shards).for_each(|shard| shard.filter = None);
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        let shard =
            |shard: &RunShard| shard.fences.len() * size_of::<Fence>() + shard.filter.as_ref().map_or(0, Filter::bytes);
        self.runs.iter().flat_map(|run| &run.shards).map(shard).sum()
    }
}

impl Run {
    fn find(&self, shard: usize, roots: &[u64], found: &mut impl FnMut(usize, u32)) -> io::Result<()> {
        let fences = &self.shards[shard].fences;
        let mut buffer = Vec::new();
        let mut next = 0;
        while next < roots.len() {
            // The block that may contain the next root, and the neighbours that are needed as well.
            let block = fences.partition_point(|fence| fence.first <= roots[next]);
            let Some(block) = block.checked_sub(1) else {
                next += roots[next..].partition_point(|root| fences.first().is_none_or(|fence| *root < fence.first));
                continue;
            };
            let last = self.last_of_read(fences, block, &roots[next..]);
            let start = fences[block].offset;
            buffer.resize((fences[last].offset + u64::from(fences[last].len) - start) as usize, 0);
            self.medium.read_at(start, &mut buffer)?;
            for (idx, fence) in fences.iter().enumerate().take(last + 1).skip(block) {
                let end = match fences.get(idx + 1) {
                    Some(after) => next + roots[next..].partition_point(|root| *root < after.first),
                    None => roots.len(),
                };
                let at = (fence.offset - start) as usize;
                let bytes = &buffer[at..at + fence.len as usize];
                let block = Block::new(self.is_numbered, fence.first, bytes);
                find_in_block(block, &roots[next..end], &mut |idx, number| found(next + idx, number));
                next = end;
            }
        }
        Ok(())
    }

    /// Last block of a read that starts at `block`.
    fn last_of_read(&self, fences: &[Fence], block: usize, roots: &[u64]) -> usize {
        let mut last = block;
        let mut at = 0;
        while let Some(after) = fences.get(last + 1) {
            at += roots[at..].partition_point(|root| *root < after.first);
            let is_asked = match (roots.get(at), fences.get(last + 2)) {
                (Some(root), Some(beyond)) => *root < beyond.first,
                (Some(_), None) => true,
                (None, _) => false,
            };
            if !is_asked || (after.offset - fences[block].offset) as usize + after.len as usize > IO_BYTES {
                break;
            }
            last += 1;
        }
        last
    }
}

fn find_in_block(mut block: Block<'_>, roots: &[u64], found: &mut impl FnMut(usize, u32)) {
    let mut next = 0;
    let mut current = block.first();
    while let (Some((known, number)), Some(root)) = (current, roots.get(next)) {
        if known < *root {
            current = block.next();
        } else {
            if known == *root {
                found(next, number);
            }
            next += 1;
        }
    }
}

/// Decoder of the roots of a block, with their numbers if runs are numbered.
struct Block<'b> {
    is_numbered: bool,
    root: u64,
    bytes: &'b [u8],
}

impl<'b> Block<'b> {
    fn new(is_numbered: bool, first: u64, bytes: &'b [u8]) -> Self {
        Block { is_numbered, root: first, bytes }
    }

    /// The first root, which is not among the bytes.
    fn first(&mut self) -> Option<(u64, u32)> {
        Some((self.root, self.number()?))
    }

    fn next(&mut self) -> Option<(u64, u32)> {
        self.root = self.root.wrapping_add(self.varint()?);
        self.first()
    }

    fn number(&mut self) -> Option<u32> {
        if self.is_numbered { Some(self.varint()? as u32) } else { Some(0) }
    }

    fn varint(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }
}

/// Iterator over the roots of one shard of a run, in order.
struct Cursor<'r> {
    run: &'r Run,
    fences: std::slice::Iter<'r, Fence>,
    root: u64,
    bytes: Vec<u8>,
    at: usize,
    /// The current root and its number.
    head: Option<(u64, u32)>,
}

impl<'r> Cursor<'r> {
    fn new(run: &'r Run, shard: usize) -> io::Result<Self> {
        let fences = run.shards[shard].fences.iter();
        let mut cursor = Cursor { run, fences, root: 0, bytes: Vec::new(), at: 0, head: None };
        cursor.advance()?;
        Ok(cursor)
    }

    fn advance(&mut self) -> io::Result<()> {
        let mut block = Block::new(self.run.is_numbered, self.root, &self.bytes[self.at..]);
        self.head = block.next();
        if let Some((root, _)) = self.head {
            self.at = self.bytes.len() - block.bytes.len();
            self.root = root;
            return Ok(());
        }
        let Some(fence) = self.fences.next() else { return Ok(()) };
        self.bytes.resize(fence.len as usize, 0);
        self.run.medium.read_at(fence.offset, &mut self.bytes)?;
        let mut block = Block::new(self.run.is_numbered, fence.first, &self.bytes);
        self.head = block.first();
        (self.at, self.root) = (self.bytes.len() - block.bytes.len(), fence.first);
        Ok(())
    }
}

/// Writes a run shard by shard. On failure, the file is removed.
fn write_run(
    volume: &dyn Volume,
    name: String,
    is_numbered: bool,
    mut write_shard: impl FnMut(&mut RunWriter, usize) -> io::Result<()>,
) -> io::Result<Run> {
    let mut writer = RunWriter::new(volume, name.clone(), is_numbered)?;
    let written = (0..N_SHARDS)
        .try_for_each(|shard| write_shard(&mut writer, shard).and_then(|()| writer.end_block(shard)))
        .and_then(|()| writer.flush());
    match written {
        Ok(()) => Ok(writer.run),
        Err(error) => {
            drop(writer);
            let _ = volume.remove(&name);
            Err(error)
        }
    }
}

struct RunWriter {
    run: Run,
    /// Bytes not yet written.
    buffer: Vec<u8>,
    written: u64,
    /// Current block: first root, offset, last root, number of roots.
    block: Option<(u64, u64, u64, usize)>,
}

impl RunWriter {
    fn new(volume: &dyn Volume, name: String, is_numbered: bool) -> io::Result<Self> {
        let medium = volume.open(&name, 0)?;
        let run = Run { name, medium, shards: std::array::from_fn(|_| RunShard::default()), n_roots: 0, is_numbered };
        Ok(RunWriter { run, buffer: Vec::new(), written: 0, block: None })
    }

    /// Begins a shard, with a filter for `filtered` roots if given.
    fn begin(&mut self, shard: usize, filtered: Option<usize>) {
        self.run.shards[shard].filter = filtered.map(Filter::new);
    }

    fn push(&mut self, shard: usize, (root, number): (u64, u32)) -> io::Result<()> {
        self.run.n_roots += 1;
        self.run.shards[shard].n_roots += 1;
        if let Some(filter) = &mut self.run.shards[shard].filter {
            filter.add(root);
        }
        let Some((_, _, last, len)) = &mut self.block else {
            self.block = Some((root, self.written + self.buffer.len() as u64, root, 1));
            self.put_number(number);
            return Ok(());
        };
        let difference = root - *last;
        (*last, *len) = (root, *len + 1);
        let is_full = *len == BLOCK_ROOTS;
        put_varint(&mut self.buffer, difference);
        self.put_number(number);
        if is_full { self.end_block(shard) } else { Ok(()) }
    }

    fn put_number(&mut self, number: u32) {
        if self.run.is_numbered {
            put_varint(&mut self.buffer, u64::from(number));
        }
    }

    fn end_block(&mut self, shard: usize) -> io::Result<()> {
        if let Some((first, offset, ..)) = self.block.take() {
            let len = (self.written + self.buffer.len() as u64 - offset) as u32;
            self.run.shards[shard].fences.push(Fence { first, offset, len });
        }
        if self.buffer.len() >= IO_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.run.medium.append(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quads::mix;
    use crate::volume::Ram;

    #[test]
    fn what_was_written_is_found_and_nothing_else() -> io::Result<()> {
        [false, true].into_iter().try_for_each(found_again)
    }

    /// Volume whose files cannot be removed.
    struct Sticky(Ram);

    impl Volume for Sticky {
        fn open(&self, name: &str, len: u64) -> io::Result<Box<dyn Medium>> {
            self.0.open(name, len)
        }

        fn view(&self, name: &str, len: u64) -> io::Result<Box<dyn Medium>> {
            self.0.view(name, len)
        }

        fn read(&self, name: &str) -> io::Result<Vec<u8>> {
            self.0.read(name)
        }

        fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
            self.0.replace(name, content)
        }

        fn remove(&self, _: &str) -> io::Result<()> {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }

    #[test]
    fn a_file_that_cannot_be_removed_loses_no_root() -> io::Result<()> {
        let (mut runs, volume) = (Runs::new(false), Sticky(Ram::new()));
        let mut n_failed = 0;
        for part in 0..20_u64 {
            let roots =
                |shard| if shard == 0 { (part * 50..part * 50 + 50).map(|n| (mix(n), 0)).collect() } else { vec![] };
            n_failed += usize::from(runs.add(&volume, roots).is_err());
        }
        assert!(n_failed > 0);
        let mut sought: Vec<u64> = (0..1000).map(mix).collect();
        sought.sort_unstable();
        let mut n_found = 0;
        runs.find(0, &sought, |_, _| n_found += 1)?;
        assert_eq!(n_found, 1000);
        Ok(())
    }

    fn found_again(is_numbered: bool) -> io::Result<()> {
        let (mut runs, volume) = (Runs::new(is_numbered), Ram::new());
        let number_of = |root: u64| if is_numbered { mix(root) as u32 } else { 0 };
        // Even numbers near and far from each other are known, in the shard of their last digit.
        let known = |n: u64| if n.is_multiple_of(3) { n * 2 } else { mix(n) & !1 };
        for part in 0..20_u64 {
            runs.add(&volume, |shard| {
                let numbers = part * 700..part * 700 + (700 * (1 + part % 3)).min(700);
                let roots = numbers.map(known).filter(|root| (root / 2 % N_SHARDS as u64) as usize == shard);
                roots.map(|root| (root, number_of(root))).collect()
            })?;
        }
        assert!(runs.runs.len() <= MAX_RUNS + 1);
        assert_eq!(volume.names().len(), runs.runs.len());
        let filtered = runs.bytes();
        for round in 0..2 * N_SHARDS {
            let shard = round % N_SHARDS;
            if round == N_SHARDS {
                // The answers are the same without filters.
                assert!(runs.has_filters());
                runs.drop_filters();
                assert!(!runs.has_filters() && runs.bytes() < filtered);
            }
            let in_shard = |root: &u64| (root / 2 % N_SHARDS as u64) as usize == shard;
            let mut asked: Vec<u64> =
                (0..14_000).map(known).flat_map(|root| [root, root + 1]).filter(in_shard).collect();
            asked.sort_unstable();
            let mut found = vec![0; asked.len()];
            runs.find(shard, &asked, |idx, number| {
                found[idx] += 1;
                assert_eq!(number, number_of(asked[idx]));
            })?;
            for (root, times) in asked.iter().zip(found) {
                assert_eq!(times, 1 - root % 2, "{root}");
            }
            let lonely = [asked[asked.len() / 2 / 2 * 2]];
            let mut is_found = false;
            runs.find(shard, &lonely, |_, _| is_found = true)?;
            assert_eq!(is_found, lonely[0].is_multiple_of(2));
        }
        Ok(())
    }
}
