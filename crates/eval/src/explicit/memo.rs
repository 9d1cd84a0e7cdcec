//! A table from a few words to a number, shared by all workers, exact and never complete: what is not in it is computed again.
//!
//! The words of a key are packed into 63 bits. How many bits each word gets follows from the words seen; a key that does not fit is
//! not kept. A [`Table`] has a fixed size; tables are made larger and bits are given out anew in [`Memo::tidy`], while no worker
//! evaluates. Workers hold the table of the moment in a [`Seat`].
//!
//! Protocol: a key is put into an empty slot by compare-and-exchange and never changes; then its number is stored with `Release`. Who
//! finds the key but no number yet (0) takes it as not known. Two workers may compute the same answer; the first one's stays, and
//! both are right.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::UNSET;

/// Slots looked at before a table counts as full.
const REACH: usize = 24;
const SMALLEST: usize = 1 << 10;
/// Lookups after which a memo has to have paid.
const TRIAL: u64 = 1 << 14;

pub(super) struct Memo {
    table: RwLock<Arc<Table>>,
    lookups: AtomicU64,
    hits: AtomicU64,
    /// The least hits in a hundred lookups for which it is kept.
    must_hit: u64,
}

struct Table {
    /// Bits of each word in a key; empty if nothing is kept any more.
    bits: Box<[u32]>,
    /// The largest words that did not fit.
    too_large: Box<[AtomicU32]>,
    /// A packed key plus one, or 0.
    keys: Box<[AtomicU64]>,
    numbers: Box<[AtomicU32]>,
    n_used: AtomicU32,
    is_full: AtomicBool,
    is_off: bool,
}

impl Memo {
    /// A memo for keys of so many words.
    pub(super) fn new(n_words: usize, must_hit: u64) -> Self {
        let bits = vec![1; n_words].into_boxed_slice();
        let table = Table::new(bits, SMALLEST);
        Memo {
            table: RwLock::new(Arc::new(table)),
            lookups: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            must_hit,
        }
    }

    fn table(&self) -> Arc<Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.table().keys.len() as u64 * 12
    }

    /// Makes room, or gives up if it does not pay; true if workers have to look again.
    pub(super) fn tidy(&self) -> bool {
        let table = self.table();
        if table.is_off {
            return false;
        }
        let (lookups, hits) = (self.lookups.load(Ordering::Relaxed), self.hits.load(Ordering::Relaxed));
        let has_failed = lookups >= TRIAL && hits * 100 < lookups * self.must_hit;
        let next = if has_failed { Some(Table::off()) } else { table.larger() };
        if lookups >= TRIAL {
            // Old experience counts less and less.
            self.lookups.fetch_sub(lookups / 2, Ordering::Relaxed);
            self.hits.fetch_sub(hits / 2, Ordering::Relaxed);
        }
        let Some(next) = next else { return false };
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        true
    }
}

impl Table {
    fn new(bits: Box<[u32]>, len: usize) -> Self {
        Table {
            too_large: bits.iter().map(|_| AtomicU32::new(0)).collect(),
            bits,
            keys: std::iter::repeat_with(AtomicU64::default).take(len).collect(),
            numbers: std::iter::repeat_with(AtomicU32::default).take(len).collect(),
            n_used: AtomicU32::new(0),
            is_full: AtomicBool::new(false),
            is_off: false,
        }
    }

    fn off() -> Self {
        Table { is_off: true, ..Table::new(Box::default(), 0) }
    }

    /// The same with more room, if it is needed.
    fn larger(&self) -> Option<Table> {
        let wanted = |(bits, word): (&u32, &AtomicU32)| match word.load(Ordering::Relaxed) {
            0 => *bits,
            // One bit more than needed now, so that this does not happen often.
            word => (33 - word.leading_zeros()).min(32).max(*bits),
        };
        let bits: Box<[u32]> = self.bits.iter().zip(&self.too_large).map(wanted).collect();
        if bits.iter().sum::<u32>() > 63 {
            return Some(Table::off());
        }
        let n_used = self.n_used.load(Ordering::Relaxed) as usize;
        let is_full = self.is_full.load(Ordering::Relaxed) || n_used * 4 > self.keys.len() * 3;
        if bits == self.bits && !is_full {
            return None;
        }
        // A table that a single round has filled had no chance to show how much it needs.
        let factor = if n_used < SMALLEST * 64 { 4 } else { 2 };
        let next = Table::new(bits, if is_full { self.keys.len() * factor } else { self.keys.len() });
        for (key, number) in self.keys.iter().zip(&self.numbers) {
            let (key, number) = (key.load(Ordering::Relaxed), number.load(Ordering::Relaxed));
            if key != 0 && number != 0 {
                next.insert(self.repack(key - 1, &next.bits), number);
            }
        }
        Some(next)
    }

    /// A key in other widths, which are not smaller.
    fn repack(&self, key: u64, bits: &[u32]) -> u64 {
        let (mut rest, mut shift, mut packed) = (key, 0, 0);
        for (old, new) in self.bits.iter().zip(bits) {
            packed |= (rest & ((1 << old) - 1)) << shift;
            rest >>= old;
            shift += new;
        }
        packed
    }

    fn pack(&self, words: &[u32]) -> Option<u64> {
        let (mut key, mut shift) = (0, 0);
        for (idx, (word, bits)) in words.iter().zip(&self.bits).enumerate() {
            if *word == UNSET {
                return None;
            }
            if u64::from(*word) >> bits != 0 {
                self.too_large[idx].fetch_max(*word, Ordering::Relaxed);
                return None;
            }
            key |= u64::from(*word) << shift;
            shift += bits;
        }
        Some(key)
    }

    fn start(&self, key: u64) -> usize {
        let hash = (key ^ (key >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (((hash ^ (hash >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9)) >> 20) as usize & (self.keys.len() - 1)
    }

    fn slots(&self, key: u64) -> impl Iterator<Item = usize> {
        let (start, mask) = (self.start(key), self.keys.len() - 1);
        (0..REACH).map(move |offset| (start + offset) & mask)
    }

    fn get(&self, key: u64) -> Option<u32> {
        for slot in self.slots(key) {
            let found = self.keys[slot].load(Ordering::Acquire);
            if found == key + 1 {
                return Some(self.numbers[slot].load(Ordering::Acquire)).filter(|number| *number != 0);
            }
            if found == 0 {
                return None;
            }
        }
        None
    }

    fn insert(&self, key: u64, number: u32) {
        for slot in self.slots(key) {
            let place = &self.keys[slot];
            let found = place.load(Ordering::Relaxed);
            if found == 0 && place.compare_exchange(0, key + 1, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                self.n_used.fetch_add(1, Ordering::Relaxed);
                self.numbers[slot].store(number, Ordering::Release);
                return;
            }
            if place.load(Ordering::Relaxed) == key + 1 {
                return;
            }
        }
        self.is_full.store(true, Ordering::Relaxed);
    }
}

/// One worker's access to a memo.
pub(super) struct Seat<'a> {
    memo: &'a Memo,
    table: Arc<Table>,
    lookups: u64,
    hits: u64,
}

/// A key that a lookup made, for a later insertion.
#[derive(Clone, Copy)]
pub(super) struct Key(Option<u64>);

impl<'a> Seat<'a> {
    pub(super) fn new(memo: &'a Memo) -> Self {
        Seat { memo, table: memo.table(), lookups: 0, hits: 0 }
    }

    pub(super) fn is_off(&self) -> bool {
        self.table.is_off
    }

    /// Takes up what [`Memo::tidy`] did.
    pub(super) fn refresh(&mut self) {
        self.table = self.memo.table();
    }

    /// The number under some words.
    pub(super) fn get(&mut self, words: &[u32]) -> Result<u32, Key> {
        if self.table.is_off {
            return Err(Key(None));
        }
        self.lookups += 1;
        if self.lookups == 4096 {
            self.memo.lookups.fetch_add(std::mem::take(&mut self.lookups), Ordering::Relaxed);
            self.memo.hits.fetch_add(std::mem::take(&mut self.hits), Ordering::Relaxed);
        }
        let Some(key) = self.table.pack(words) else { return Err(Key(None)) };
        match self.table.get(key) {
            Some(number) => {
                self.hits += 1;
                Ok(number)
            }
            None => Err(Key(Some(key))),
        }
    }

    /// Keeps a number, which is not 0.
    pub(super) fn insert(&self, key: Key, number: u32) {
        if let Some(key) = key.0 {
            self.table.insert(key, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_right() {
        let memo = Memo::new(3, 0);
        let words = |n: u32| [n % 7, n * 31, n / 5];
        for _ in 0..12 {
            std::thread::scope(|scope| {
                for start in [0, 3000, 6000] {
                    let mut seat = Seat::new(&memo);
                    scope.spawn(move || {
                        for n in start..start + 9000 {
                            match seat.get(&words(n)) {
                                Ok(number) => assert_eq!(number, n + 1),
                                Err(key) => seat.insert(key, n + 1),
                            }
                        }
                    });
                }
            });
            memo.tidy();
        }
        let mut seat = Seat::new(&memo);
        let found = (0..15_000).filter(|n| seat.get(&words(*n)).is_ok_and(|number| number == n + 1)).count();
        assert_eq!(found, 15_000);
    }

    #[test]
    fn a_memo_that_does_not_pay_is_given_up() {
        let memo = Memo::new(1, 50);
        for round in 0..20 {
            let mut seat = Seat::new(&memo);
            for n in 0..4096 {
                if let Err(key) = seat.get(&[round * 4096 + n]) {
                    seat.insert(key, 1);
                }
            }
            memo.tidy();
        }
        assert!(Seat::new(&memo).is_off());
    }

    #[test]
    fn keys_that_do_not_fit_are_not_kept() {
        let memo = Memo::new(4, 0);
        for _ in 0..4 {
            let mut seat = Seat::new(&memo);
            let Err(key) = seat.get(&[1 << 20; 4]) else { panic!("nothing was kept") };
            seat.insert(key, 1);
            memo.tidy();
        }
        assert!(Seat::new(&memo).is_off());
    }
}
