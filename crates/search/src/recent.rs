//! Recent targets of one worker, in a direct-mapped cache.
//!
//! Most steps lead to states that were met shortly before: two orders of two steps lead to the same state, and both are taken within a few states. A
//! target that the same worker met earlier in the search is in the table, or comes before in the order of candidates; either way it is not new, and need be
//! neither folded nor looked up. Workers take the batches of a block in ascending order, which this rests on. Targets of a block that was given up are in no table:
//! they must be forgotten ([`Recent::forget_before`]), or their states would be lost.

/// Bytes of the targets that are kept: as many as a core has near by.
const MAX_BYTES: usize = 1 << 19;
/// Wider states are hardly met again word by word for less than their folding takes.
const MAX_WIDTH_WORDS: usize = 32;

pub(crate) struct Recent {
    width: usize,
    /// Bits of an index.
    n_bits: u32,
    targets: Vec<u32>,
    /// Bits of the hash of each target; 0 for an empty entry.
    tags: Vec<u32>,
    generation: u32,
}

impl Recent {
    pub(crate) fn new(width: usize) -> Self {
        let is_used = (1..=MAX_WIDTH_WORDS).contains(&width);
        let n_bits = if is_used { (MAX_BYTES / (width * size_of::<u32>())).ilog2() } else { 0 };
        Recent { width, n_bits, targets: Vec::new(), tags: Vec::new(), generation: 0 }
    }

    /// Forgets everything unless the generation is the present one.
    pub(crate) fn forget_before(&mut self, generation: u32) {
        if self.generation != generation {
            self.generation = generation;
            self.tags.fill(0);
        }
    }

    /// Whether a target was met before; it is from now on.
    #[inline]
    pub(crate) fn meet(&mut self, target: &[u32]) -> bool {
        if self.n_bits == 0 {
            return false;
        }
        if self.tags.is_empty() {
            self.tags.resize(1 << self.n_bits, 0);
            self.targets.resize(self.width << self.n_bits, 0);
        }
        let hash = hash(target);
        let (place, tag) = ((hash >> (64 - self.n_bits)) as usize, hash as u32 | 1);
        let known = &mut self.targets[place * self.width..(place + 1) * self.width];
        if self.tags[place] == tag && known.iter().zip(target).all(|(left, right)| left == right) {
            return true;
        }
        known.copy_from_slice(target);
        self.tags[place] = tag;
        false
    }
}

/// Odd numbers, one for each word.
const FACTORS: [u64; MAX_WIDTH_WORDS] = {
    let mut factors = [0x9e37_79b9_7f4a_7c15_u64; MAX_WIDTH_WORDS];
    let mut word = 1;
    while word < MAX_WIDTH_WORDS {
        factors[word] = factors[word - 1].rotate_left(9).wrapping_add(0x2545_f491_4f6c_dd1e) | 1;
        word += 1;
    }
    factors
};

/// Sum of the words times odd numbers, mixed. The products do not wait for each other.
#[inline]
fn hash(words: &[u32]) -> u64 {
    let products = words.iter().zip(&FACTORS).map(|(word, factor)| (u64::from(*word) + 1).wrapping_mul(*factor));
    let sum = products.fold(0_u64, u64::wrapping_add);
    let mixed = (sum ^ sum >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ mixed >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_met_is_known() {
        let mut recent = Recent::new(3);
        let (mut n_known, mut n_forgotten) = (0, 0);
        for round in 0..4_u32 {
            for n in 0..20_000_u32 {
                let is_known = recent.meet(&[n, n / 7, 5]);
                assert!(round > 0 || !is_known, "{n}");
                n_known += u32::from(is_known);
            }
        }
        assert!(n_known > 25_000, "{n_known}");
        recent.forget_before(1);
        for n in 0..20_000_u32 {
            n_forgotten += u32::from(!recent.meet(&[n, n / 7, 5]));
        }
        assert_eq!(n_forgotten, 20_000);
        let mut none = Recent::new(0);
        assert!(!none.meet(&[]) && !none.meet(&[]));
    }
}
