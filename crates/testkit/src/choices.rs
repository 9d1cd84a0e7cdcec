//! Sources of choices for generators: numbers from a seed, or the bytes of a fuzzer, which then steers.

use abridge_value::Random;

/// What a generator asks.
pub trait Choose {
    /// Less than `bound`; 0 if that is 0.
    fn below(&mut self, bound: usize) -> usize;

    /// True once in `times`.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// An element of a list that is not empty.
    fn pick<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len())]
    }
}

impl Choose for Random {
    fn below(&mut self, bound: usize) -> usize {
        Random::below(self, bound)
    }
}

/// Choices that bytes make. When the bytes are used up every choice is the first one, so generators put what ends soonest first.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Choices { bytes }
    }
}

impl Choose for Choices<'_> {
    fn below(&mut self, bound: usize) -> usize {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        usize::from(*first) % bound.max(1)
    }
}
