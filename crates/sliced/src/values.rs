//! Values of variables as bits and back, by their ids.
//!
//! States stay vectors of value ids, as the explicit system has them. The bits of a value, one for each cell of its variable, are computed once for
//! each id and then looked up. New values are found in four ways: where a variable has few cells, the new bits are the index of a table; a step that sets and clears
//! fixed bits maps an id to an id by a table of its own ([`Deltas`]), other new bits are looked up in a cache of each worker ([`BitCache`]), and what is met for the
//! first time becomes a value and gets its id from the explicit system. Tables only grow and have one right answer in each place, so threads need no locks.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use abridge_encoding::{CellId, Cells};
use abridge_explicit::Explicit;
use abridge_model_system::{ModelSystem as _, UNSET};

use crate::lanes::{WORD_LANES, put, put_lanes};

/// Bits of the first word of an entry that say whether it is known.
const STATUS_BITS: usize = 2;
const FIRST_WORD_BITS: usize = 64 - STATUS_BITS;
const KNOWN: u64 = 1 << 62;
/// The value has no bits: it is not one that the cells can say.
const OUTSIDE: u64 = 1 << 63;
const DATA_MASK: u64 = KNOWN - 1;

/// Words of the first segment, about, if few values are known; each further segment has twice as many entries.
const FIRST_SEGMENT_WORDS: usize = 1 << 8;
const MAX_FIRST_SEGMENT_WORDS: usize = 1 << 16;
const MIN_FIRST_BITS: u32 = 5;
const N_SEGMENTS: usize = 33 - MIN_FIRST_BITS as usize;

/// A variable with cells.
pub(crate) struct SlicedVariable {
    /// Position among the variables of the encoding; its word comes one later.
    position: usize,
    /// The first of its cells, which follow each other.
    pub(crate) base: usize,
    n_cells: usize,
    /// Words of an entry.
    stride: usize,
    /// Bits of the number of entries of the first segment.
    first_bits: u32,
    /// The first segment, which has the entries of most values that are met.
    first: Box<[AtomicU64]>,
    /// Further segments, each twice as long as the one before.
    segments: [OnceLock<Box<[AtomicU64]>>; N_SEGMENTS],
    /// Small ids plus one by the bits of values, if there are few cells; zero where it is not known.
    by_bits: OnceLock<Box<[AtomicU16]>>,
}

/// Cells of a variable up to which its bits are the index of a table.
const MAX_INDEX_CELLS: usize = 14;

impl SlicedVariable {
    /// A variable that has `n_known` values so far. The first segment has room for four times as many.
    pub(crate) fn new(position: usize, base: usize, n_cells: usize, n_known: usize) -> SlicedVariable {
        let stride = 1 + n_cells.saturating_sub(FIRST_WORD_BITS).div_ceil(64);
        let n_words = n_known.saturating_mul(4 * stride).clamp(FIRST_SEGMENT_WORDS, MAX_FIRST_SEGMENT_WORDS);
        let first_bits = (n_words / stride).max(1 << MIN_FIRST_BITS).ilog2();
        let first = entries(1 << first_bits, stride);
        let segments = [const { OnceLock::new() }; N_SEGMENTS];
        SlicedVariable { position, base, n_cells, stride, first_bits, first, segments, by_bits: OnceLock::new() }
    }

    /// The position of its word in a state.
    #[inline]
    pub(crate) fn word(&self) -> usize {
        self.position + 1
    }

    pub(crate) fn has(&self, cell: CellId) -> bool {
        (self.base..self.base + self.n_cells).contains(&(cell.0 as usize))
    }

    /// Words of bits of a value.
    pub(crate) fn n_words(&self) -> usize {
        self.n_cells.div_ceil(64).max(1)
    }

    /// Segment of an id, the number of its entries, and the first word of the entry. Segment 0 is the first one.
    fn place(&self, id: u32) -> (usize, usize, usize) {
        let shifted = u64::from(id) + (1 << self.first_bits);
        let segment = shifted.ilog2() - self.first_bits;
        let n_entries = 1 << (self.first_bits + segment);
        (segment as usize, n_entries, (shifted as usize - n_entries) * self.stride)
    }

    fn entry(&self, id: u32) -> &[AtomicU64] {
        let (segment, n_entries, start) = self.place(id);
        let segment = match segment.checked_sub(1) {
            None => &self.first,
            Some(further) => self.segments[further].get_or_init(|| entries(n_entries, self.stride)),
        };
        &segment[start..][..self.stride]
    }

    /// The first word of the entry of a value; one without status if nothing is known of it.
    #[inline]
    fn first_word(&self, id: u32) -> u64 {
        // This path is the usual one, and short.
        let first = self.first.get(id as usize * self.stride).or_else(|| self.further(id, 0));
        first.map_or(0, |first| first.load(Ordering::Acquire))
    }

    /// A word of an entry in a further segment, if there is such a segment.
    fn further(&self, id: u32, word: usize) -> Option<&AtomicU64> {
        let (segment, _, start) = self.place(id);
        self.segments.get(segment.checked_sub(1)?)?.get()?.get(start + word)
    }

    /// Adds the bits of values, by their ids, to the rows of up to 64 states, the first word of all rows first, and says what the first bits are. Returns one bit for
    /// each value that has none.
    pub(crate) fn add_to_rows(
        &self,
        system: &Explicit<'_>,
        cells: &Cells,
        ids: impl Iterator<Item = u32> + Clone,
        rows: &mut [[u64; WORD_LANES]],
        first_bits: &mut [u64; WORD_LANES],
    ) -> u64 {
        let (mut outside, mut bits) = (0, [0; WORD_LANES]);
        for (lane, (bits, id)) in bits.iter_mut().zip(ids.clone()).enumerate() {
            let known = self.first_word(id);
            let first = if known & (KNOWN | OUTSIDE) != 0 { known } else { self.learnt(system, cells, id) };
            outside |= u64::from(first & OUTSIDE != 0) << lane;
            *bits = first & DATA_MASK;
        }
        put_lanes(rows, self.base, self.n_cells.min(FIRST_WORD_BITS), &bits);
        *first_bits = bits;
        for word in 1..self.stride {
            for (bits, id) in bits.iter_mut().zip(ids.clone()) {
                let place = self.first.get(id as usize * self.stride + word).or_else(|| self.further(id, word));
                *bits = place.map_or(0, |place| place.load(Ordering::Relaxed));
            }
            let at = FIRST_WORD_BITS + 64 * (word - 1);
            put_lanes(rows, self.base + at, self.n_cells - at, &bits);
        }
        outside
    }

    /// The first word of the entry of a value, which is computed if it is not known.
    #[cold]
    fn learnt(&self, system: &Explicit<'_>, cells: &Cells, id: u32) -> u64 {
        if id == UNSET {
            return OUTSIDE;
        }
        let entry = self.entry(id);
        let first = entry[0].load(Ordering::Acquire);
        if first & (KNOWN | OUTSIDE) != 0 { first } else { self.learn(system, cells, id, entry) }
    }

    /// The bits of a value whose bits are known, from the first on.
    fn bits(&self, id: u32, bits: &mut Vec<u64>) {
        bits.clear();
        bits.resize(self.n_words(), 0);
        let entry = self.entry(id);
        put(bits, 0, self.first_word(id) & DATA_MASK);
        let mut at = FIRST_WORD_BITS;
        for word in &entry[1..] {
            put(bits, at, word.load(Ordering::Relaxed));
            at += 64;
        }
    }

    /// Computes the bits of a value; the first word of its entry.
    #[cold]
    fn learn(&self, system: &Explicit<'_>, cells: &Cells, id: u32, entry: &[AtomicU64]) -> u64 {
        let mut bits = vec![0; self.n_words()];
        match cells.true_cells(self.position, Some(&system.decode_val(self.word(), id))) {
            Some(found) => {
                found.iter().for_each(|cell| put(&mut bits, cell.0 as usize - self.base, 1));
                store(entry, &bits)
            }
            None => {
                entry[0].store(OUTSIDE, Ordering::Release);
                OUTSIDE
            }
        }
    }

    /// The id of the value with these bits; nothing if they mean nothing.
    #[cold]
    fn id_of(&self, system: &Explicit<'_>, cells: &Cells, bits: &[u64]) -> Option<u32> {
        let is_true = |cell: CellId| {
            let at = cell.0 as usize - self.base;
            bits[at / 64] >> (at % 64) & 1 == 1
        };
        let val = cells.value_at(self.position, &is_true)?;
        let id = system.encode_val(self.word(), &val);
        let entry = self.entry(id);
        if entry[0].load(Ordering::Acquire) & (KNOWN | OUTSIDE) == 0 {
            store(entry, bits);
        }
        Some(id)
    }

    /// The table from bits to ids, if there are few cells.
    #[inline]
    fn by_bits(&self) -> Option<&[AtomicU16]> {
        (self.n_cells <= MAX_INDEX_CELLS).then(|| {
            &**self.by_bits.get_or_init(|| std::iter::repeat_with(AtomicU16::default).take(1 << self.n_cells).collect())
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        let by_bits = self.by_bits.get().map_or(0, |table| size_of_val(&**table) as u64);
        let segments = self.segments.iter().filter_map(OnceLock::get).map(|segment| size_of_val(&**segment) as u64);
        by_bits + size_of_val(&*self.first) as u64 + segments.sum::<u64>()
    }
}

/// Empty entries of so many words each.
fn entries(n_entries: usize, stride: usize) -> Box<[AtomicU64]> {
    std::iter::repeat_with(AtomicU64::default).take(n_entries * stride).collect()
}

/// Stores the bits of a value, the first word last; the first word.
fn store(entry: &[AtomicU64], bits: &[u64]) -> u64 {
    let word = |at: usize| {
        let (word, shift) = (at / 64, at % 64);
        let low = bits.get(word).map_or(0, |bits| bits >> shift);
        let high = if shift > 0 { bits.get(word + 1).map_or(0, |bits| bits << (64 - shift)) } else { 0 };
        low | high
    };
    for (idx, place) in entry[1..].iter().enumerate() {
        place.store(word(FIRST_WORD_BITS + idx * 64), Ordering::Relaxed);
    }
    let first = word(0) & DATA_MASK | KNOWN;
    entry[0].store(first, Ordering::Release);
    first
}

/// Ids of new values of one variable after steps that set and clear fixed bits, by the id of the old value.
pub(crate) struct Deltas {
    pub(crate) clear: Box<[u64]>,
    pub(crate) set: Box<[u64]>,
    /// New ids plus one; zero where it is not known.
    chunks: [OnceLock<Box<[AtomicU32]>>; N_DELTA_CHUNKS],
}

const DELTA_CHUNK_IDS: usize = 1 << 12;
const N_DELTA_CHUNKS: usize = 32;

impl Deltas {
    pub(crate) fn new(clear: Box<[u64]>, set: Box<[u64]>) -> Deltas {
        Deltas { clear, set, chunks: [const { OnceLock::new() }; N_DELTA_CHUNKS] }
    }

    fn place(&self, id: u32) -> Option<&AtomicU32> {
        let chunk = self.chunks.get(id as usize / DELTA_CHUNK_IDS)?;
        let chunk = chunk.get_or_init(|| std::iter::repeat_with(AtomicU32::default).take(DELTA_CHUNK_IDS).collect());
        Some(&chunk[id as usize % DELTA_CHUNK_IDS])
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.chunks.iter().filter_map(OnceLock::get).map(|chunk| size_of_val(&**chunk) as u64).sum()
    }
}

/// A cell of a variable that a step gives the truth of a literal: its number within the variable, and the bit.
pub(crate) type Bit = (u32, bool);

/// Finds ids of new values on behalf of one worker.
pub(crate) struct ValueFinder<'f> {
    pub(crate) system: &'f Explicit<'f>,
    pub(crate) cells: &'f Cells,
}

impl ValueFinder<'_> {
    /// The id of the value that fixed changes make of an old one, of which the id and the first bits are given; nothing if there is no such value.
    #[inline]
    pub(crate) fn changed(
        &self,
        variable: &SlicedVariable,
        deltas: &Deltas,
        (id, old): (u32, u64),
        cache: &mut BitCache,
    ) -> Option<u32> {
        if variable.n_cells <= MAX_INDEX_CELLS {
            return self.with_few_bits(variable, deltas, old, std::iter::empty(), cache);
        }
        let place = deltas.place(id);
        if let Some(known) = place.map(|place| place.load(Ordering::Relaxed)).filter(|known| *known != 0) {
            return Some(known - 1);
        }
        let new = self.with_bits(variable, deltas, (id, old), std::iter::empty(), cache)?;
        if let Some(place) = place {
            place.store(new + 1, Ordering::Relaxed);
        }
        Some(new)
    }

    /// The same with further bits.
    pub(crate) fn with_bits(
        &self,
        variable: &SlicedVariable,
        deltas: &Deltas,
        (id, old): (u32, u64),
        bits: impl Iterator<Item = Bit>,
        cache: &mut BitCache,
    ) -> Option<u32> {
        if variable.stride == 1 {
            return self.with_few_bits(variable, deltas, old, bits, cache);
        }
        let mut new = std::mem::take(&mut cache.bits);
        variable.bits(id, &mut new);
        for ((new, clear), set) in new.iter_mut().zip(&deltas.clear).zip(&deltas.set) {
            *new = *new & !clear | set;
        }
        for (bit, is_true) in bits {
            let (word, mask) = (bit as usize / 64, 1 << (bit % 64));
            new[word] = if is_true { new[word] | mask } else { new[word] & !mask };
        }
        let found = cache.find(&new).or_else(|| {
            let id = variable.id_of(self.system, self.cells, &new)?;
            cache.keep(&new, id);
            Some(id)
        });
        cache.bits = new;
        found
    }
}

impl ValueFinder<'_> {
    /// The same for values whose bits are one word.
    #[inline]
    fn with_few_bits(
        &self,
        variable: &SlicedVariable,
        deltas: &Deltas,
        old: u64,
        bits: impl Iterator<Item = Bit>,
        cache: &mut BitCache,
    ) -> Option<u32> {
        let (mut clear, mut set) = (deltas.clear[0], deltas.set[0]);
        for (bit, is_true) in bits {
            clear |= 1 << bit;
            set |= u64::from(is_true) << bit;
        }
        let new = old & !clear | set;
        let small = variable.by_bits().map(|by_bits| &by_bits[new as usize]);
        if let Some(known) = small.map(|place| place.load(Ordering::Relaxed)).filter(|known| *known != 0) {
            return Some(u32::from(known - 1));
        }
        let place = BitCache::place(&[new]);
        if cache.keys[place] == new && cache.ids[place] != 0 {
            return Some(cache.ids[place] - 1);
        }
        let id = variable.id_of(self.system, self.cells, &[new])?;
        match small.zip(u16::try_from(id + 1).ok()) {
            Some((place, id)) => place.store(id, Ordering::Relaxed),
            None => cache.keep(&[new], id),
        }
        Some(id)
    }
}

/// Direct-mapped cache from the bits of values of one variable to their ids.
pub(crate) struct BitCache {
    n_words: usize,
    keys: Box<[u64]>,
    /// Ids plus one; zero for an empty entry.
    ids: Box<[u32]>,
    /// Bits of a new value.
    bits: Vec<u64>,
}

const CACHE_BITS: u32 = 14;

impl BitCache {
    pub(crate) fn new(n_words: usize) -> BitCache {
        let len = 1 << CACHE_BITS;
        BitCache {
            n_words,
            keys: vec![0; len * n_words].into_boxed_slice(),
            ids: vec![0; len].into_boxed_slice(),
            bits: Vec::new(),
        }
    }

    fn place(bits: &[u64]) -> usize {
        let mix = |sum: u64, word: &u64| (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (bits.iter().fold(0, mix) >> (64 - CACHE_BITS)) as usize
    }

    fn find(&self, bits: &[u64]) -> Option<u32> {
        let place = Self::place(bits);
        let is_same = self.keys[place * self.n_words..][..self.n_words] == *bits;
        self.ids[place].checked_sub(1).filter(|_| is_same)
    }

    fn keep(&mut self, bits: &[u64], id: u32) {
        let place = Self::place(bits);
        self.keys[place * self.n_words..][..self.n_words].copy_from_slice(bits);
        self.ids[place] = id + 1;
    }
}
