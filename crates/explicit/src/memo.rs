//! Memo: a lossy concurrent hash table from short keys of words to numbers, shared by all workers. Entries are exact; a missing entry is
//! computed again.
//!
//! A slot is one 64-bit word. If key and number fit into it, they are packed. The number of bits of each field follows from the words seen so
//! far. Otherwise the slot has some bits of the hash of the key, and the id of an interned list: the key, then the number. A [`Table`] has a
//! fixed size. [`Memo::tidy`] replaces it by a larger one, or by one with wider fields, while no worker evaluates. Workers hold the current
//! table in a [`MemoHandle`].
//!
//! Protocol: a slot is written as a whole and always holds a true entry, so it may be overwritten at any time. A table that may not grow evicts an
//! entry for each new one. Lists are interned before their id is stored with `Release`, and read after an `Acquire`. Two workers may compute the
//! same entry; both are right.

use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use abridge_model_system::UNSET;
use abridge_system::Gap;

use crate::layout::fill;
use crate::lists::Lists;

/// Gaps that memos store. A gap of the stop flag or of memory is not stored, since the question may be asked again.
const LASTING_GAPS: [Gap; 3] = [Gap::Bounded, Gap::Capped, Gap::Failed];

/// Number of a gap in memo entries: 0 for none; `None` for a gap that is not stored.
pub(crate) fn gap_number(gap: Option<Gap>) -> Option<u32> {
    match gap {
        None => Some(0),
        Some(gap) => LASTING_GAPS.iter().position(|lasting| *lasting == gap).map(|idx| idx as u32 + 1),
    }
}

/// Gap with a number of [`gap_number`].
pub(crate) fn gap_of_number(number: u32) -> Option<Gap> {
    number.checked_sub(1).and_then(|idx| LASTING_GAPS.get(idx as usize)).copied()
}

/// Slots probed before a table counts as full.
const MAX_PROBES: usize = 32;
const MIN_SLOTS: usize = 1 << 9;
/// Initial slots of a frugal table, one of very many.
const MIN_FRUGAL_SLOTS: usize = 1 << 4;
/// Tables below this size grow fourfold: one block of states may fill them before they can show how much they need.
const MAX_FAST_GROWTH_SLOTS: usize = 1 << 14;
/// Smallest table worth prefetching: a quarter of a megabyte, which competes for the cache of a core.
const MIN_PREFETCHED_SLOTS: usize = 1 << 15;
/// Lookups after which the hit rate of a memo is judged.
const TRIAL_LOOKUPS: u64 = 1 << 14;

/// Shared table with its hit statistics.
pub(crate) struct Memo {
    table: RwLock<Arc<Table>>,
    lookups: AtomicU64,
    hits: AtomicU64,
    /// Least hit rate, in percent, with which the memo is kept.
    must_hit: u64,
    /// Largest number of entries with which the memo is kept.
    most: usize,
}

struct Table {
    layout: Layout,
    slots: Box<[AtomicU64]>,
    n_used: AtomicU32,
    is_full: AtomicBool,
}

enum Layout {
    /// The memo has been given up.
    Off,
    Packed(Fields),
    Listed,
}

/// Fields of a packed slot: the words of the key from the lowest bits upwards, then the number.
struct Fields {
    bits: Box<[u32]>,
    /// Largest words, and largest number, that did not fit.
    too_large: Box<[AtomicU32]>,
    key_mask: u64,
    number_shift: u32,
}

impl Memo {
    /// Makes a memo for keys of `n_words` words. A frugal one starts very small.
    pub(crate) fn new(is_frugal: bool, n_words: usize, must_hit: u64, most: usize) -> Self {
        let layout = Fields::new(vec![1; n_words + 1].into()).map_or(Layout::Listed, Layout::Packed);
        Memo {
            table: RwLock::new(Arc::new(Table::new(layout, if is_frugal { MIN_FRUGAL_SLOTS } else { MIN_SLOTS }))),
            lookups: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            must_hit,
            most,
        }
    }

    fn table(&self) -> Arc<Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.table().bytes()
    }

    /// Grows the table, or gives the memo up if it does not pay. Returns whether the table was replaced, so that workers must refresh their handles.
    /// All memos together may grow by `room` bytes. Copies still to be made to the new table are added to `moves`.
    pub(crate) fn tidy(&self, room: &mut u64, moves: &mut Vec<SlotRange>) -> bool {
        let table = self.table();
        if table.is_off() {
            return false;
        }
        let may_grow = table.growth() <= *room;
        let (lookups, hits) = (self.lookups.load(Ordering::Relaxed), self.hits.load(Ordering::Relaxed));
        let is_too_large = table.n_used.load(Ordering::Relaxed) as usize > self.most;
        // Misses of a table that was too small say nothing about whether it pays: a resumed search begins with small tables and large blocks.
        let is_tried = lookups >= TRIAL_LOOKUPS && !(may_grow && table.was_cramped());
        let has_failed = is_too_large || is_tried && hits * 100 < lookups * self.must_hit;
        let next = if has_failed { Some(Table::new(Layout::Off, 0)) } else { table.larger(may_grow) };
        if lookups >= TRIAL_LOOKUPS && !is_tried {
            self.lookups.fetch_sub(lookups, Ordering::Relaxed);
            self.hits.fetch_sub(hits, Ordering::Relaxed);
        } else if lookups >= TRIAL_LOOKUPS {
            // Older lookups weigh less and less.
            self.lookups.fetch_sub(lookups / 2, Ordering::Relaxed);
            self.hits.fetch_sub(hits / 2, Ordering::Relaxed);
        }
        let Some(next) = next else { return false };
        *room = (*room + table.bytes()).saturating_sub(next.bytes());
        let next = Arc::new(next);
        if !has_failed {
            moves.extend(SlotRange::all(&table, &next));
        }
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = next;
        true
    }
}

impl Fields {
    /// Fields of these widths, the last for the number; `None` if they do not fit into a slot.
    fn new(bits: Box<[u32]>) -> Option<Self> {
        let (number_bits, key_bits) = bits.split_last()?;
        let number_shift: u32 = key_bits.iter().sum();
        (number_shift + number_bits <= 64 && number_shift < 64).then(|| Fields {
            too_large: bits.iter().map(|_| AtomicU32::new(0)).collect(),
            key_mask: (1 << number_shift) - 1,
            number_shift,
            bits,
        })
    }

    /// Widths for all words seen; `None` if the current ones suffice.
    fn wider(&self) -> Option<Box<[u32]>> {
        let wanted = |(bits, word): (&u32, &AtomicU32)| match word.load(Ordering::Relaxed) {
            0 => *bits,
            // One spare bit, so that fields are rarely widened.
            word => (33 - word.leading_zeros()).min(32).max(*bits),
        };
        let bits: Box<[u32]> = self.bits.iter().zip(&self.too_large).map(wanted).collect();
        (bits != self.bits).then_some(bits)
    }

    fn fits(&self, idx: usize, word: u32) -> bool {
        let fits = u64::from(word) >> self.bits[idx] == 0;
        if !fits && word != UNSET {
            self.too_large[idx].fetch_max(word, Ordering::Relaxed);
        }
        fits
    }

    fn pack(&self, words: &[u32]) -> Option<u64> {
        let (mut key, mut shift) = (0, 0);
        for (idx, word) in words.iter().enumerate() {
            if !self.fits(idx, *word) {
                return None;
            }
            key |= u64::from(*word) << shift;
            shift += self.bits[idx];
        }
        Some(key)
    }

    fn unpack(&self, slot: u64, words: &mut Vec<u32>) -> u32 {
        words.clear();
        let mut rest = slot & self.key_mask;
        for bits in &self.bits[..self.bits.len() - 1] {
            words.push((rest & ((1 << bits) - 1)) as u32);
            rest >>= bits;
        }
        (slot >> self.number_shift) as u32
    }
}

impl Table {
    fn new(layout: Layout, len: usize) -> Self {
        Table {
            layout,
            slots: std::iter::repeat_with(AtomicU64::default).take(len).collect(),
            n_used: AtomicU32::new(0),
            is_full: AtomicBool::new(false),
        }
    }

    #[inline]
    fn is_off(&self) -> bool {
        matches!(self.layout, Layout::Off)
    }

    fn bytes(&self) -> u64 {
        self.slots.len() as u64 * size_of::<u64>() as u64
    }

    /// Growth factor of the number of slots.
    fn factor(&self) -> usize {
        if self.slots.len() < MAX_FAST_GROWTH_SLOTS { 4 } else { 2 }
    }

    /// Additional bytes of a larger table.
    fn growth(&self) -> u64 {
        self.bytes() * (self.factor() as u64 - 1)
    }

    /// Whether fields were too narrow or a small table was full. Both happen rarely.
    fn was_cramped(&self) -> bool {
        let is_small = self.slots.len() < MAX_FAST_GROWTH_SLOTS && self.is_full.load(Ordering::Relaxed);
        is_small || matches!(&self.layout, Layout::Packed(fields) if fields.wider().is_some())
    }

    /// Empty table with more slots or wider fields, if they are needed.
    fn larger(&self, may_grow: bool) -> Option<Table> {
        let n_used = self.n_used.load(Ordering::Relaxed) as usize;
        let is_full = may_grow && (self.is_full.load(Ordering::Relaxed) || n_used * 4 > self.slots.len() * 3);
        let factor = if is_full { self.factor() } else { 1 };
        let bits = match &self.layout {
            Layout::Packed(fields) => fields.wider(),
            _ => None,
        };
        if bits.is_none() && !is_full {
            return None;
        }
        let layout = match (&self.layout, bits) {
            (Layout::Packed(_), Some(bits)) => Fields::new(bits).map_or(Layout::Listed, Layout::Packed),
            (Layout::Packed(fields), None) => Layout::Packed(Fields::new(fields.bits.clone())?),
            _ => Layout::Listed,
        };
        Some(Table::new(layout, self.slots.len() * factor))
    }

    /// Reads a slot that is not empty: the key into `words`, the number as result.
    fn read(&self, slot: u64, lists: &Lists, words: &mut Vec<u32>) -> u32 {
        if let Layout::Packed(fields) = &self.layout {
            return fields.unpack(slot, words);
        }
        words.clear();
        words.extend_from_slice(lists.get(slot as u32));
        words.pop().unwrap_or_default()
    }

    fn slots(&self, hash: u64) -> impl Iterator<Item = usize> {
        let (start, mask) = ((hash >> 20) as usize, self.slots.len() - 1);
        (0..MAX_PROBES).map(move |offset| (start + offset) & mask)
    }

    fn is_packed(&self) -> bool {
        matches!(self.layout, Layout::Packed(_))
    }

    /// Packed key, or hash of a key that is not packed; `None` if the key cannot be stored.
    fn key(&self, words: &[u32]) -> Option<u64> {
        match &self.layout {
            Layout::Off => None,
            Layout::Packed(fields) => fields.pack(words),
            Layout::Listed => Some(words.iter().fold(0, |hash, word| mix(hash ^ u64::from(*word)))),
        }
    }

    /// Number stored for a key, given as words and as [`Table::key`].
    fn find(&self, lists: &Lists, words: &[u32], key: u64) -> Option<u32> {
        match &self.layout {
            Layout::Off => None,
            Layout::Packed(fields) => {
                for slot in self.slots(mix(key)) {
                    let found = self.slots[slot].load(Ordering::Acquire);
                    if found == 0 {
                        break;
                    }
                    if found & fields.key_mask == key {
                        return Some((found >> fields.number_shift) as u32);
                    }
                }
                None
            }
            Layout::Listed => {
                for slot in self.slots(key) {
                    let found = self.slots[slot].load(Ordering::Acquire);
                    if found == 0 {
                        break;
                    }
                    if (found ^ key) >> 32 == 0
                        && let Some((number, stored)) = lists.get(found as u32).split_last()
                        && stored == words
                    {
                        return Some(*number);
                    }
                }
                None
            }
        }
    }

    /// Stores a number for a key that [`Table::find`] did not find.
    fn insert(&self, lists: &Lists, words: &[u32], key: u64, number: u32) {
        let (hash, content) = match &self.layout {
            Layout::Off => return,
            Layout::Packed(fields) => {
                if !fields.fits(words.len(), number) {
                    return;
                }
                (mix(key), key | u64::from(number) << fields.number_shift)
            }
            Layout::Listed => {
                let list: Vec<u32> = words.iter().copied().chain([number]).collect();
                let Some(list) = lists.number(&list) else { return };
                (key, (key >> 32) << 32 | u64::from(list))
            }
        };
        for slot in self.slots(hash) {
            if self.slots[slot].load(Ordering::Relaxed) == 0
                && self.slots[slot].compare_exchange(0, content, Ordering::Release, Ordering::Relaxed).is_ok()
            {
                self.n_used.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
        self.is_full.store(true, Ordering::Relaxed);
        if let Some(slot) = self.slots(hash).next() {
            self.slots[slot].store(content, Ordering::Release);
        }
    }
}

/// Range of slots to be copied from a table to its successor.
pub(crate) struct SlotRange {
    from: Arc<Table>,
    to: Arc<Table>,
    slots: Range<usize>,
}

/// Slots per [`SlotRange`], so that threads can share the work.
const SLOTS_PER_MOVE: usize = 1 << 14;

impl SlotRange {
    fn all(from: &Arc<Table>, to: &Arc<Table>) -> impl Iterator<Item = SlotRange> {
        let len = from.slots.len();
        (0..len).step_by(SLOTS_PER_MOVE).map(move |start| SlotRange {
            from: from.clone(),
            to: to.clone(),
            slots: start..len.min(start + SLOTS_PER_MOVE),
        })
    }

    pub(crate) fn run(&self, lists: &Lists) {
        let SlotRange { from, to, slots } = self;
        let mut words = Vec::new();
        let contents = from.slots[slots.clone()].iter().map(|slot| slot.load(Ordering::Relaxed));
        for slot in contents.filter(|slot| *slot != 0) {
            let number = from.read(slot, lists, &mut words);
            if let Some(key) = to.key(&words) {
                to.insert(lists, &words, key, number);
            }
        }
    }
}

fn mix(key: u64) -> u64 {
    let hash = (key ^ (key >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ (hash >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Handle of one worker for a memo, with its own counts of lookups and hits.
pub(crate) struct MemoHandle<'a> {
    memo: &'a Memo,
    table: Arc<Table>,
    lookups: u64,
    hits: u64,
    /// Hits already added to the counts of the memo.
    told: u64,
    /// Packed key and number of the last hit: neighbouring states have much in common.
    last: Option<(u64, u32)>,
}

/// Scratch space of a prefetch.
#[derive(Default)]
pub(crate) struct PrefetchBuffer {
    key: Vec<u32>,
    places: Vec<usize>,
}

/// Packed key of a lookup, for a later insertion.
#[derive(Clone, Copy)]
pub(crate) struct PackedKey(Option<u64>);

impl<'a> MemoHandle<'a> {
    pub(crate) fn new(memo: &'a Memo) -> Self {
        MemoHandle { memo, table: memo.table(), lookups: 0, hits: 0, told: 0, last: None }
    }

    pub(crate) fn is_off(&self) -> bool {
        self.table.is_off()
    }

    /// Number of hits of this worker.
    pub(crate) fn n_found(&self) -> u64 {
        self.told + self.hits
    }

    /// Takes the current table, after [`Memo::tidy`].
    pub(crate) fn refresh(&mut self) {
        self.table = self.memo.table();
        self.last = None;
    }

    /// Number stored under a key; otherwise the packed key for a later insertion.
    #[inline]
    pub(crate) fn get(&mut self, lists: &Lists, words: &[u32]) -> Result<u32, PackedKey> {
        self.lookups += 1;
        if self.lookups == 4096 {
            self.memo.lookups.fetch_add(std::mem::take(&mut self.lookups), Ordering::Relaxed);
            self.told += self.hits;
            self.memo.hits.fetch_add(std::mem::take(&mut self.hits), Ordering::Relaxed);
        }
        let key = self.table.key(words).ok_or(PackedKey(None))?;
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == key && self.table.is_packed()) {
            self.hits += 1;
            return Ok(number);
        }
        let number = self.table.find(lists, words, key).ok_or(PackedKey(Some(key)))?;
        self.last = Some((key, number));
        self.hits += 1;
        Ok(number)
    }

    /// Prefetches the first slots that [`MemoHandle::get`] will probe for some states, if the table is too large for the cache. The reads do not
    /// depend on each other, so that waits for memory overlap.
    pub(crate) fn fetch<'s>(
        &self,
        states: impl Iterator<Item = &'s [u32]>,
        read: &[usize],
        buffer: &mut PrefetchBuffer,
    ) {
        if self.table.slots.len() < MIN_PREFETCHED_SLOTS {
            return;
        }
        buffer.places.clear();
        for words in states {
            fill(&mut buffer.key, words, read);
            if let Some(key) = self.table.key(&buffer.key) {
                let hash = if self.table.is_packed() { mix(key) } else { key };
                buffer.places.extend(self.table.slots(hash).next());
            }
        }
        let slots = buffer.places.iter().map(|place| self.table.slots[*place].load(Ordering::Relaxed));
        black_box(slots.fold(0, |all, slot| all ^ slot));
    }

    /// Stores a number other than 0 under the words of the lookup that returned the key.
    pub(crate) fn insert(&self, lists: &Lists, words: &[u32], key: PackedKey, number: u32) {
        if let Some(key) = key.0 {
            self.table.insert(lists, words, key, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tidy(memo: &Memo, lists: &Lists, mut room: u64) {
        let mut moves = Vec::new();
        memo.tidy(&mut room, &mut moves);
        moves.iter().for_each(|part| part.run(lists));
    }

    fn fill(memo: &Memo, lists: &Lists, words: impl Fn(u32) -> Vec<u32> + Copy + Send) -> usize {
        for _ in 0..12 {
            std::thread::scope(|scope| {
                for start in [0, 3000, 6000] {
                    let mut handle = MemoHandle::new(memo);
                    scope.spawn(move || {
                        for n in start..start + 9000 {
                            match handle.get(lists, &words(n)) {
                                Ok(number) => assert_eq!(number, n + 1),
                                Err(key) => handle.insert(lists, &words(n), key, n + 1),
                            }
                        }
                    });
                }
            });
            tidy(memo, lists, 1 << 40);
        }
        let mut handle = MemoHandle::new(memo);
        (0..15_000).filter(|n| handle.get(lists, &words(*n)).is_ok_and(|number| number == n + 1)).count()
    }

    #[test]
    fn what_is_found_is_right() {
        assert_eq!(fill(&Memo::new(false, 3, 0, usize::MAX), &Lists::new(), |n| vec![n % 7, n * 31, n / 5]), 15_000);
    }

    #[test]
    fn long_keys_are_kept_in_lists() {
        let memo = Memo::new(false, 5, 0, usize::MAX);
        assert_eq!(fill(&memo, &Lists::new(), |n| vec![n, n << 10, n ^ 0xff_ffff, 3, n << 16]), 15_000);
        assert!(matches!(memo.table().layout, Layout::Listed));
    }

    #[test]
    fn a_table_that_may_not_grow_forgets() {
        let (memo, lists) = (Memo::new(false, 1, 0, usize::MAX), Lists::new());
        for n in (0..100_000).rev() {
            let mut handle = MemoHandle::new(&memo);
            match handle.get(&lists, &[n]) {
                Ok(number) => assert_eq!(number, n % 7 + 1),
                Err(key) => handle.insert(&lists, &[n], key, n % 7 + 1),
            }
            if n % 1000 == 0 {
                tidy(&memo, &lists, 0);
            }
        }
        assert_eq!(memo.bytes(), MIN_SLOTS as u64 * 8);
        let mut handle = MemoHandle::new(&memo);
        let found = (0..100_000).filter(|n| handle.get(&lists, &[*n]).is_ok()).count();
        assert!((100..=MIN_SLOTS).contains(&found));
    }

    #[test]
    fn a_memo_that_does_not_pay_is_given_up() {
        let (memo, lists) = (Memo::new(false, 1, 50, usize::MAX), Lists::new());
        for round in 0..20 {
            let mut handle = MemoHandle::new(&memo);
            for n in 0..4096 {
                if let Err(key) = handle.get(&lists, &[round * 4096 + n]) {
                    handle.insert(&lists, &[round * 4096 + n], key, 1);
                }
            }
            tidy(&memo, &lists, 1 << 40);
        }
        assert!(MemoHandle::new(&memo).is_off());
    }
}
