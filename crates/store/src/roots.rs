//! Roots of all states, indexed by state number.
//!
//! Roots lie in chunks of equal length. A full chunk is packed: both halves of a root are ids, stored relative to the least id of the
//! chunk with as many bits as the largest needs. Packed chunks never change, so they can be moved to a file. The
//! newest roots, up to one chunk, are not packed.

use std::io;
use std::ops::Range;

use crate::volume::Medium;

/// States per chunk.
pub(crate) const CHUNK_STATES: usize = 1 << 14;

#[derive(Default)]
pub(crate) struct Roots {
    chunks: Vec<Chunk>,
    tail: Vec<u64>,
    /// Number of chunks in the file, which are the first ones.
    n_spilled: usize,
    file: Option<SpillFile>,
}

struct SpillFile {
    medium: Box<dyn Medium>,
    len: u64,
}

pub(crate) struct Chunk {
    /// Least left half and least right half.
    least: [u32; 2],
    /// Bits of each half.
    n_bits: [u8; 2],
    data: Data,
}

enum Data {
    /// Packed roots, the right half in the lower bits, padded so that eight bytes can be read anywhere.
    Here(Box<[u8]>),
    /// Offset of the bytes in the file.
    There(u64),
}

/// Bytes of the header of a stored chunk.
const HEADER_BYTES: usize = 16;

impl Chunk {
    fn pack(roots: &[u64]) -> Chunk {
        let (mut least, mut most) = ([u32::MAX; 2], [0; 2]);
        for root in roots {
            for (half, part) in [(root >> 32) as u32, *root as u32].into_iter().enumerate() {
                least[half] = least[half].min(part);
                most[half] = most[half].max(part);
            }
        }
        let n_bits = [0, 1].map(|half| (u32::BITS - (most[half] - least[half]).leading_zeros()) as u8);
        // A root must lie within the eight bytes from the byte in which it begins.
        let fits = n_bits[0] + n_bits[1] <= 57;
        let (least, n_bits) = if fits { (least, n_bits) } else { ([0, 0], [32, 32]) };
        let n_all = u32::from(n_bits[0] + n_bits[1]);
        let mut bytes = Vec::with_capacity(data_len(n_bits, roots.len()));
        let (mut open, mut n_open) = (0, 0);
        for root in roots {
            let left = u64::from((root >> 32) as u32 - least[0]);
            let right = u64::from(*root as u32 - least[1]);
            let value = left << n_bits[1] | right;
            open |= value << n_open;
            n_open += n_all;
            if n_open >= u64::BITS {
                bytes.extend_from_slice(&open.to_le_bytes());
                n_open -= u64::BITS;
                open = value.checked_shr(n_all - n_open).unwrap_or(0);
            }
        }
        bytes.extend_from_slice(&open.to_le_bytes());
        bytes.resize(data_len(n_bits, roots.len()), 0);
        Chunk { least, n_bits, data: Data::Here(bytes.into_boxed_slice()) }
    }

    /// Root at an index of this chunk, whose bytes are given from one on.
    #[inline]
    fn unpack(&self, bytes: &[u8], first: usize, idx: usize) -> u64 {
        let (at, shift) = place(self.n_bits, idx);
        let word = load(bytes, at - first) >> shift;
        let half = |word: u64, n_bits: u8, least: u32| ((word & ((1 << n_bits) - 1)) as u32).wrapping_add(least);
        let [left_bits, right_bits] = self.n_bits;
        let (left, right) = (half(word >> right_bits, left_bits, self.least[0]), half(word, right_bits, self.least[1]));
        u64::from(left) << 32 | u64::from(right)
    }

    fn get(&self, idx: usize) -> u64 {
        match &self.data {
            Data::Here(bytes) => self.unpack(bytes, 0, idx),
            Data::There(_) => 0,
        }
    }

    fn data_len(&self) -> usize {
        data_len(self.n_bits, CHUNK_STATES)
    }

    fn head(&self) -> [u8; HEADER_BYTES] {
        let mut head = [0; HEADER_BYTES];
        head[0..4].copy_from_slice(&self.least[0].to_le_bytes());
        head[4..8].copy_from_slice(&self.least[1].to_le_bytes());
        head[8..10].copy_from_slice(&self.n_bits);
        head
    }

    fn from_head(head: [u8; HEADER_BYTES]) -> Option<Chunk> {
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let n_bits = [head[8], head[9]];
        let is_sound = n_bits.iter().all(|bits| *bits <= 32) && (n_bits[0] + n_bits[1] <= 57 || n_bits == [32, 32]);
        is_sound.then(|| Chunk { least: [number(0), number(4)], n_bits, data: Data::There(0) })
    }
}

fn data_len(n_bits: [u8; 2], len: usize) -> usize {
    (usize::from(n_bits[0] + n_bits[1]) * len).div_ceil(8) + 8
}

/// Byte and bit at which a root begins.
fn place(n_bits: [u8; 2], idx: usize) -> (usize, u32) {
    let bit = idx * usize::from(n_bits[0] + n_bits[1]);
    (bit / 8, (bit % 8) as u32)
}

fn load(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

impl Roots {
    pub(crate) fn len(&self) -> usize {
        self.chunks.len() * CHUNK_STATES + self.tail.len()
    }

    pub(crate) fn push(&mut self, root: u64) {
        if self.tail.capacity() == 0 {
            self.tail.reserve_exact(CHUNK_STATES);
        }
        self.tail.push(root);
        self.pack_tail();
    }

    /// Adds roots in order.
    pub(crate) fn extend(&mut self, mut roots: &[u64]) {
        while !roots.is_empty() {
            let (now, later) = roots.split_at(roots.len().min(CHUNK_STATES - self.tail.len()));
            if self.tail.capacity() == 0 {
                self.tail.reserve_exact(CHUNK_STATES);
            }
            self.tail.extend_from_slice(now);
            self.pack_tail();
            roots = later;
        }
    }

    /// Packs the newest roots, if they are a chunk.
    #[inline]
    fn pack_tail(&mut self) {
        if self.tail.len() == CHUNK_STATES {
            self.pack();
        }
    }

    #[cold]
    fn pack(&mut self) {
        self.chunks.push(Chunk::pack(&self.tail));
        self.tail.clear();
    }

    /// Root of a state that is in memory.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> u64 {
        match self.chunks.get(number / CHUNK_STATES) {
            Some(chunk) => chunk.get(number % CHUNK_STATES),
            None => self.tail[number % CHUNK_STATES],
        }
    }

    /// Calls `each` for a range of roots in order, in memory or in the file.
    pub(crate) fn read(&self, numbers: Range<usize>, mut each: impl FnMut(u64)) -> io::Result<()> {
        let mut buffer = Vec::new();
        let mut next = numbers.start;
        while next < numbers.end {
            let end = numbers.end.min((next / CHUNK_STATES + 1) * CHUNK_STATES);
            match self.chunks.get(next / CHUNK_STATES) {
                Some(chunk) => {
                    let at = |number: usize| place(chunk.n_bits, number % CHUNK_STATES).0;
                    let (first, last) = (at(next), at(end - 1) + size_of::<u64>());
                    let bytes = self.bytes_of(chunk, first..last, &mut buffer)?;
                    (next..end).for_each(|number| each(chunk.unpack(bytes, first, number % CHUNK_STATES)));
                }
                None => (next..end).for_each(|number| each(self.tail[number % CHUNK_STATES])),
            }
            next = end;
        }
        Ok(())
    }

    /// A range of the bytes of a chunk.
    fn bytes_of<'b>(&self, chunk: &'b Chunk, range: Range<usize>, buffer: &'b mut Vec<u8>) -> io::Result<&'b [u8]> {
        match (&chunk.data, &self.file) {
            (Data::Here(bytes), _) => Ok(&bytes[range]),
            (Data::There(offset), Some(file)) => {
                buffer.resize(range.len(), 0);
                file.medium.read_at(*offset + range.start as u64, buffer)?;
                Ok(buffer)
            }
            (Data::There(_), None) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Moves all full chunks to the file, which the first call opens.
    pub(crate) fn spill(&mut self, open: impl FnOnce() -> io::Result<Box<dyn Medium>>) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(SpillFile { medium: open()?, len: 0 }),
        };
        for chunk in &mut self.chunks[self.n_spilled..] {
            if let Data::Here(bytes) = &chunk.data {
                file.medium.append(bytes)?;
                let len = bytes.len() as u64;
                chunk.data = Data::There(file.len);
                file.len += len;
            }
            self.n_spilled += 1;
        }
        Ok(())
    }

    pub(crate) fn n_chunks(&self) -> usize {
        self.chunks.len()
    }

    /// The newest roots, which do not fill a chunk.
    pub(crate) fn tail(&self) -> &[u64] {
        &self.tail
    }

    /// Writes the stored form of a chunk.
    pub(crate) fn save_chunk(&self, chunk: usize, sink: &mut dyn io::Write) -> io::Result<()> {
        let (mut buffer, chunk) = (Vec::new(), &self.chunks[chunk]);
        sink.write_all(&chunk.head())?;
        sink.write_all(self.bytes_of(chunk, 0..chunk.data_len(), &mut buffer)?)
    }

    /// Adds a chunk from its stored form, and returns its roots.
    pub(crate) fn load_chunk(&mut self, source: &mut dyn io::Read) -> io::Result<Vec<u64>> {
        let mut head = [0; HEADER_BYTES];
        source.read_exact(&mut head)?;
        let mut chunk = Chunk::from_head(head).ok_or(io::ErrorKind::InvalidData)?;
        let mut bytes = vec![0; chunk.data_len()];
        source.read_exact(&mut bytes)?;
        let roots = (0..CHUNK_STATES).map(|idx| chunk.unpack(&bytes, 0, idx)).collect();
        chunk.data = Data::Here(bytes.into_boxed_slice());
        self.chunks.push(chunk);
        Ok(roots)
    }

    /// Bytes of the chunks in memory.
    pub(crate) fn spillable_bytes(&self) -> usize {
        self.chunks[self.n_spilled..].iter().map(Chunk::data_len).sum()
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.spillable_bytes() + self.chunks.len() * size_of::<Chunk>() + self.tail.capacity() * size_of::<u64>()
    }
}
