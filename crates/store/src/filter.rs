//! Which roots are certainly not in a run.
//!
//! A Bloom filter in which all bits of a root lie in one word, so that asking touches memory once (Putze, Sanders, Singler, "Cache-, hash-
//! and space-efficient Bloom filters"). About one root in fifty that is not there seems to be.

use crate::pairs::mix;

/// Bits of the filter for each root.
const BITS: usize = 12;
/// Bits that a root sets in its word.
const N_SET: u32 = 5;

pub(crate) struct Filter(Box<[u64]>);

impl Filter {
    /// A filter for so many roots.
    pub(crate) fn new(n_roots: usize) -> Self {
        Filter(vec![0; (n_roots * BITS).div_ceil(64).max(1)].into_boxed_slice())
    }

    /// The word of a root and its bits there. The shard was chosen by the top bits of the first hash, so they are mixed again.
    fn place(&self, root: u64) -> (usize, u64) {
        let hash = mix(mix(root));
        let word = ((hash >> 32) * self.0.len() as u64) >> 32;
        let bits = (0..N_SET).fold(0, |bits, nth| bits | 1 << (hash >> (6 * nth) & 63));
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
