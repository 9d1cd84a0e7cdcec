//! Pseudorandom numbers, identical in every run and on every machine.
//!
//! The generator is SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). Random searches, samples and tests share
//! it. The sequence depends on the seed alone, so runs are repeatable. Another generator would change the order of `--strategy mixed` and the
//! machines that tests generate.

/// Random number generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Number less than `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound.max(1) as u64) as usize
    }

    /// True with probability `1 / times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Element of a non-empty list.
    pub fn pick<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len())]
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.number() as u8).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the first numbers of the reference implementation for this seed.
    #[test]
    fn the_sequence_is_that_of_the_reference() {
        let mut random = Random::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(expected.map(|_| random.number()), expected);
    }
}
