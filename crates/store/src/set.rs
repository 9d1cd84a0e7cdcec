//! Exact set of state roots in four bytes a slot: what a search needs that never asks for the number of a state it knows.
//!
//! A root has few significant bits, since its halves are small ids. They are mixed by a bijection; the quotient of the result by a divisor is the bucket of the root, and the
//! remainder, which fits into a slot, is what the bucket holds of it (Cleary, "Compact hash tables using bidirectional linear probing"). So a lookup reads one
//! cache line, compares exactly, and no root has to be fetched from elsewhere. A bucket that is full passes roots on to the next ones; a slot says how far. Mixing or
//! dividing in a way that cannot be undone would identify two states.

use std::collections::HashSet;

use crate::shard::NEAR_BITS;

/// Slots of a bucket, which is a cache line.
const BUCKET_SLOTS: usize = 16;
/// Buckets that a root may be away from its own, plus one.
const MAX_DISTANCE: usize = 4;
/// A remainder is less, so that distance and remainder plus one fit into a slot.
const MAX_DIVISOR: u64 = (1 << 30) - 1;
/// Sets with fewer slots trade memory for speed.
const MIN_DENSE_SLOTS: usize = 1 << 16;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Bucket([u32; BUCKET_SLOTS]);

#[derive(Default)]
pub(crate) struct RootSet {
    /// As many as the code needs, and some more for roots that are passed on.
    buckets: Vec<Bucket>,
    len: usize,
    /// Number of roots from which on the set is too full.
    room: usize,
    code: Code,
    /// Roots for which no bucket near by had a slot. With few exceptions there are none.
    others: HashSet<u64>,
}

/// Place of a root: its bucket, and the slot that means it there.
#[derive(Clone, Copy, Default)]
pub(crate) struct Home {
    bucket: usize,
    slot: u32,
}

/// Bijection between roots and pairs of bucket and remainder.
#[derive(Clone, Copy, Default)]
struct Code {
    /// Significant bits of the left and the right half.
    n_bits: [u32; 2],
    /// The bits that a root may have.
    covered: u64,
    mask: u64,
    shift: u32,
    /// Low bits that are not mixed: [`NEAR_BITS`] in a small set. In a full one, buckets would be filled too unevenly.
    n_near: u32,
    divisor: u64,
    /// 2^64 by the divisor.
    reciprocal: u64,
}

const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
const INVERSES: [u64; 2] = [inverse(FACTORS[0]), inverse(FACTORS[1])];

/// Inverse of an odd number modulo 2^64, by Newton's iteration.
const fn inverse(odd: u64) -> u64 {
    let mut result = odd;
    let mut round = 0;
    while round < 5 {
        result = result.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(result)));
        round += 1;
    }
    result
}

impl Code {
    /// A code for roots with so many significant bits, and that number of buckets; nothing if remainders would be too large.
    fn new(n_bits: [u32; 2], n_buckets: usize) -> Option<Code> {
        let n_all = n_bits[0] + n_bits[1];
        if n_all >= u64::BITS {
            return None;
        }
        let divisor = (1_u64 << n_all).div_ceil(n_buckets as u64).max(2);
        let reciprocal = ((1_u128 << 64) / u128::from(divisor)) as u64;
        let n_near = if n_buckets * BUCKET_SLOTS < MIN_DENSE_SLOTS { NEAR_BITS.min(n_all) } else { 0 };
        let n_mixed = n_all - n_near;
        let (mask, shift) = ((1 << n_mixed) - 1, n_mixed.div_ceil(2).max(1));
        let covered = ((1_u64 << n_bits[0]) - 1) << 32 | ((1_u64 << n_bits[1]) - 1);
        (divisor <= MAX_DIVISOR).then_some(Code { n_bits, covered, mask, shift, n_near, divisor, reciprocal })
    }

    /// The code with as many bits as possible, so that it has to be changed rarely; at least those of `all`, in which every root has its bits.
    fn roomy(all: u64, n_buckets: usize) -> Option<Code> {
        let mut n_bits = significant(all);
        let mut code = Code::new(n_bits, n_buckets)?;
        loop {
            let narrow = usize::from(n_bits[1] < n_bits[0]);
            n_bits[narrow] += 1;
            match Code::new(n_bits, n_buckets).filter(|_| n_bits[narrow] <= u32::BITS) {
                Some(wider) => code = wider,
                None => return Some(code),
            }
        }
    }

    #[inline]
    fn covers(&self, all: u64) -> bool {
        all & !self.covered == 0
    }

    #[inline]
    fn mixed(&self, root: u64) -> u64 {
        let number = (root >> 32) << self.n_bits[1] | root & 0xffff_ffff;
        let (number, near) = (number >> self.n_near, number & ((1 << self.n_near) - 1));
        let number = number.wrapping_mul(FACTORS[0]) & self.mask;
        let number = number ^ number >> self.shift;
        let number = number.wrapping_mul(FACTORS[1]) & self.mask;
        (number ^ number >> self.shift) << self.n_near | near
    }

    fn root(&self, mixed: u64) -> u64 {
        let (mixed, near) = (mixed >> self.n_near, mixed & ((1 << self.n_near) - 1));
        let number = mixed ^ mixed >> self.shift;
        let number = number.wrapping_mul(INVERSES[1]) & self.mask;
        let number = number ^ number >> self.shift;
        let number = (number.wrapping_mul(INVERSES[0]) & self.mask) << self.n_near | near;
        (number >> self.n_bits[1]) << 32 | number & ((1 << self.n_bits[1]) - 1)
    }

    #[inline]
    fn home(&self, root: u64) -> Home {
        self.place(self.mixed(root))
    }

    #[inline]
    fn place(&self, mixed: u64) -> Home {
        // The estimate is right or too small by one.
        let estimate = ((u128::from(mixed) * u128::from(self.reciprocal)) >> 64) as u64;
        let left = mixed - estimate * self.divisor;
        let is_short = u64::from(left >= self.divisor);
        Home { bucket: (estimate + is_short) as usize, slot: (left - is_short * self.divisor) as u32 + 1 }
    }

    fn mixed_of(&self, bucket: usize, slot: u32) -> u64 {
        let (distance, remainder) = ((slot - 1) >> 30, (slot - 1) & ((1 << 30) - 1));
        (bucket as u64 - u64::from(distance)) * self.divisor + u64::from(remainder)
    }
}

/// Bits that the halves of roots need.
fn significant(all: u64) -> [u32; 2] {
    [u32::BITS - ((all >> 32) as u32).leading_zeros(), u32::BITS - (all as u32).leading_zeros()]
}

impl RootSet {
    /// Makes room for `more` roots without bits outside of `all`; false, with nothing changed, if slots are too small for them.
    #[inline]
    pub(crate) fn reserve(&mut self, more: usize, all: u64) -> bool {
        self.len + more <= self.room && self.code.covers(all) || self.make_room(more, all)
    }

    #[cold]
    fn make_room(&mut self, more: usize, all: u64) -> bool {
        let needed = self.len + more;
        let is_large_enough = needed <= self.room;
        let next = if self.is_dense() { needed * 5 / 3 } else { needed * 3 };
        let n_buckets = if is_large_enough { self.n_own() } else { next.div_ceil(BUCKET_SLOTS) + 1 };
        let known = if self.len == 0 { 0 } else { self.code.covered };
        // With the bits of before, roots keep their order, which makes a larger table cheap.
        let same = Code::new(self.code.n_bits, n_buckets).filter(|code| self.len > 0 && code.covers(all));
        let roomy = || Code::roomy(all | known, n_buckets).or_else(|| Code::roomy(all | self.all_bits(), n_buckets));
        match same.or_else(roomy) {
            Some(code) => {
                self.rebuild(code, n_buckets);
                true
            }
            None => false,
        }
    }

    fn is_dense(&self) -> bool {
        self.buckets.len() * BUCKET_SLOTS >= MIN_DENSE_SLOTS
    }

    /// Buckets that roots may have as their own.
    fn n_own(&self) -> usize {
        self.buckets.len().saturating_sub(MAX_DISTANCE - 1).max(1)
    }

    /// The bits of all roots together.
    fn all_bits(&self) -> u64 {
        self.roots().fold(0, |all, root| all | root)
    }

    fn rebuild(&mut self, code: Code, n_buckets: usize) {
        let old = std::mem::replace(self, RootSet { buckets: empty(n_buckets), code, ..RootSet::default() });
        let fullest = if self.is_dense() { 85 } else { 60 };
        self.room = self.buckets.len() * BUCKET_SLOTS * fullest / 100;
        let is_same_mix = old.code.n_bits == code.n_bits && old.code.n_near == code.n_near;
        let mut n_used = vec![0_u8; self.buckets.len()];
        for mixed in old.mixed() {
            // With the same bits roots keep their order, so both tables are gone through from one end to the other.
            let home = if is_same_mix { code.place(mixed) } else { code.home(old.code.root(mixed)) };
            self.add_new(|| old.code.root(mixed), home, &mut n_used);
        }
        old.others.into_iter().for_each(|root| self.add_new(|| root, code.home(root), &mut n_used));
    }

    /// Adds a root that the set does not have, without looking for it, given the number of slots that are used in each bucket.
    #[inline]
    fn add_new(&mut self, root: impl FnOnce() -> u64, home: Home, n_used: &mut [u8]) {
        self.len += 1;
        for distance in 0..MAX_DISTANCE {
            let bucket = home.bucket + distance;
            let place = n_used[bucket];
            if usize::from(place) < BUCKET_SLOTS {
                self.buckets[bucket].0[usize::from(place)] = home.slot.wrapping_add((distance as u32) << 30);
                n_used[bucket] = place + 1;
                return;
            }
        }
        self.others.insert(root());
    }

    /// All mixed roots, in the order of the buckets.
    fn mixed(&self) -> impl Iterator<Item = u64> {
        self.buckets.iter().enumerate().flat_map(move |(at, bucket)| {
            bucket.0.iter().take_while(|slot| **slot != 0).map(move |slot| self.code.mixed_of(at, *slot))
        })
    }

    /// All roots, unordered.
    pub(crate) fn roots(&self) -> impl Iterator<Item = u64> {
        self.mixed().map(|mixed| self.code.root(mixed)).chain(self.others.iter().copied())
    }

    #[inline]
    pub(crate) fn home(&self, root: u64) -> Home {
        self.code.home(root)
    }

    /// Prefetches what a lookup will read.
    #[inline]
    pub(crate) fn touch(&self, home: Home) -> u32 {
        self.buckets[home.bucket].0[0]
    }

    pub(crate) fn contains(&self, root: u64) -> bool {
        !self.buckets.is_empty()
            && self.code.covers(root)
            && match self.probe(self.home(root)) {
                SetProbe::Known => true,
                SetProbe::Free(..) => false,
                SetProbe::Full => self.others.contains(&root),
            }
    }

    /// Adds a root, for which there is room; false if it was there.
    #[inline]
    pub(crate) fn insert(&mut self, root: impl FnOnce() -> u64, home: Home) -> bool {
        match self.probe(home) {
            SetProbe::Known => false,
            SetProbe::Free(bucket, slot) => {
                self.fill(bucket, slot);
                true
            }
            SetProbe::Full => {
                let is_new = self.others.insert(root());
                self.len += usize::from(is_new);
                is_new
            }
        }
    }

    /// Fills the first free slot of a bucket that has one.
    #[inline]
    fn fill(&mut self, bucket: usize, slot: u32) {
        let slots = &mut self.buckets[bucket].0;
        // Slots are filled from the first on. Counting needs no branch.
        let n_used: usize = slots.iter().map(|slot| usize::from(*slot != 0)).sum();
        slots[n_used % BUCKET_SLOTS] = slot;
        self.len += 1;
    }

    #[inline]
    fn probe(&self, home: Home) -> SetProbe {
        let mut slot = home.slot;
        for bucket in home.bucket..home.bucket + MAX_DISTANCE {
            let slots = &self.buckets[bucket].0;
            // Without a branch, so that all slots are compared at once.
            if slots.iter().fold(false, |is_any, other| is_any | (*other == slot)) {
                return SetProbe::Known;
            }
            if slots[BUCKET_SLOTS - 1] == 0 {
                return SetProbe::Free(bucket, slot);
            }
            slot = slot.wrapping_add(1 << 30);
        }
        SetProbe::Full
    }

    pub(crate) fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>() + self.others.capacity() * 2 * size_of::<u64>()
    }
}

fn empty(n_buckets: usize) -> Vec<Bucket> {
    vec![Bucket([0; BUCKET_SLOTS]); n_buckets + MAX_DISTANCE - 1]
}

enum SetProbe {
    Known,
    /// The bucket with a free slot, and what it is to hold.
    Free(usize, u32),
    /// No bucket near by has a free slot.
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn add(set: &mut RootSet, root: u64) -> bool {
        assert!(set.reserve(1, root));
        let home = set.home(root);
        set.insert(|| root, home)
    }

    #[test]
    fn codes_can_be_undone() {
        for n_bits in [[0_u32, 0], [0, 1], [1, 1], [3, 7], [17, 18], [20, 20], [1, 32], [24, 23]] {
            let n_buckets = 1 << (n_bits[0] + n_bits[1]).saturating_sub(29).max(3);
            let code = Code::new(n_bits, n_buckets).expect("enough buckets");
            let [left, right] = n_bits.map(|bits| (1_u64 << bits) - 1);
            for n in 0..2000_u64 {
                let root =
                    (n.wrapping_mul(0x1234_5678_9abc_def1) & left) << 32 | n.wrapping_mul(0xfeed_beef_1357) & right;
                let mixed = code.mixed(root);
                assert_eq!(code.root(mixed), root);
                let home = code.home(root);
                assert!(home.bucket < n_buckets, "{n_bits:?}");
                assert_eq!(code.mixed_of(home.bucket, home.slot), mixed);
                assert_eq!(code.mixed_of(home.bucket + 3, home.slot + (3 << 30)), mixed);
            }
        }
        assert!(Code::new([32, 32], 1 << 20).is_none());
    }

    #[test]
    fn roots_are_kept_once() {
        let (mut set, mut expected) = (RootSet::default(), HashSet::new());
        let mut random = 1_u64;
        for n in 0..300_000_u64 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            // Ids grow with the number of states.
            let ids = n / 3 + 2;
            let root = (((random >> 33) % ids) << 32) | ((random >> 11) % 700);
            assert_eq!(set.contains(root), expected.contains(&root));
            assert_eq!(add(&mut set, root), expected.insert(root));
        }
        assert_eq!(set.len, expected.len());
        assert_eq!(set.roots().collect::<HashSet<_>>(), expected);
        assert!(set.bytes() < 8 * set.len + 1_000_000, "{} bytes", set.bytes());
    }

    #[test]
    fn roots_without_a_slot_are_kept_aside() {
        let mut set = RootSet::default();
        assert!(set.reserve(1000, 0xff_ffff));
        let code = set.code;
        let roots: Vec<u64> = (0..200).map(|n| code.root(5 * code.divisor + n)).collect();
        assert!(roots.iter().all(|root| set.home(*root).bucket == 5));
        for root in &roots {
            assert!(add(&mut set, *root) && !add(&mut set, *root));
        }
        assert_eq!(set.others.len(), roots.len() - MAX_DISTANCE * BUCKET_SLOTS);
        assert!(set.reserve(100_000, 0), "a larger table");
        assert!(roots.iter().all(|root| set.contains(*root)));
        assert_eq!((set.roots().count(), set.len), (roots.len(), roots.len()));
    }

    #[test]
    fn what_slots_cannot_hold_is_refused() {
        let mut set = RootSet::default();
        assert!(add(&mut set, 5 << 32 | 7));
        assert!(!set.reserve(1, u64::MAX));
        assert!(set.contains(5 << 32 | 7) && !set.contains(u64::MAX));
    }
}
