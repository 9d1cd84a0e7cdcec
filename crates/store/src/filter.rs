//! Bloom filter over the roots of a run.
//!
//! All bits of a root lie in one word, so a query touches memory once (Putze, Sanders, Singler, "Cache-, hash-
//! and space-efficient Bloom filters"). The rate of false positives is about one in fifty. A false negative would make a known state new.

use crate::quads::mix;

/// Filter bits per root.
const BITS_PER_ROOT: usize = 12;
/// Bits that a root sets in its word.
const BITS_SET: u32 = 5;

pub(crate) struct Filter(Box<[u64]>);

impl Filter {
    /// Makes an empty filter for `n_roots` roots.
    pub(crate) fn new(n_roots: usize) -> Self {
        Filter(vec![0; (n_roots * BITS_PER_ROOT).div_ceil(64).max(1)].into_boxed_slice())
    }

    /// Word index and bit mask of a root. The top bits of the first hash chose the shard, so the hash is mixed again.
    fn place(&self, root: u64) -> (usize, u64) {
        let hash = mix(mix(root));
        let word = ((hash >> 32) * self.0.len() as u64) >> 32;
        let bits = (0..BITS_SET).fold(0, |bits, nth| bits | 1 << (hash >> (6 * nth) & 63));
        (word as usize, bits)
    }

    pub(crate) fn add(&mut self, root: u64) {
        let (word, bits) = self.place(root);
        self.0[word] |= bits;
    }

    /// False only if the root was never added.
    pub(crate) fn may_have(&self, root: u64) -> bool {
        let (word, bits) = self.place(root);
        self.0[word] & bits == bits
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_may_be_there_and_little_else() {
        let mut filter = Filter::new(10_000);
        (0..10_000).for_each(|root| filter.add(root * 3));
        assert!((0..10_000).all(|root| filter.may_have(root * 3)));
        let n_wrong = (0..10_000).filter(|root| filter.may_have(root * 3 + 1)).count();
        assert!(n_wrong < 400, "{n_wrong}");
        assert!(!Filter::new(0).may_have(7));
    }
}
