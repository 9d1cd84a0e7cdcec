//! Positions of the elements of a set among its elements: [`Ranks`].
//!
//! Arrays over some states of a large graph have a place for those states only. A wrong position would mix up two states.

use abridge_value::BitSet;

pub(crate) struct Ranks<'s> {
    set: &'s BitSet,
    /// For each word of the set the number of elements before it.
    before: Vec<u32>,
    len: usize,
}

impl<'s> Ranks<'s> {
    pub(crate) fn new(set: &'s BitSet) -> Self {
        let mut len = 0_u32;
        let before = set.words().iter().map(|word| {
            len += word.count_ones();
            len - word.count_ones()
        });
        let before = before.collect();
        Ranks { set, before, len: len as usize }
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The position of an element.
    pub(crate) fn get(&self, number: u64) -> Option<usize> {
        let word = self.set.words().get((number / 64) as usize)?;
        let bit = 1_u64 << (number % 64);
        let is_there = word & bit != 0;
        is_there.then(|| self.before[(number / 64) as usize] as usize + (word & (bit - 1)).count_ones() as usize)
    }
}
