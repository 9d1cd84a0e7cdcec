//! [`BitSet`]: a growable set of small numbers, such as ids and positions.
//!
//! Sets of different capacity are compatible: numbers beyond the capacity are absent.

#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// Empty set with capacity for numbers below `len`. It grows on demand.
    pub fn with_room(len: usize) -> BitSet {
        BitSet { words: vec![0; len.div_ceil(64)] }
    }

    /// Adds a number; returns true if it is new.
    pub fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (number / 64, 1 << (number % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Bits of the set; number `n` is bit `n % 64` of word `n / 64`.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn union_with(&mut self, other: &BitSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// Takes away the elements of another set.
    pub fn subtract(&mut self, other: &BitSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    pub fn intersect_with(&mut self, other: &BitSet) {
        let others = other.words.iter().chain(std::iter::repeat(&0));
        self.words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
    }

    pub fn intersects(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).any(|(word, other)| word & other != 0)
    }

    pub fn is_within(&self, other: &BitSet) -> bool {
        let word = |idx: usize| other.words.get(idx).copied().unwrap_or(0);
        self.words.iter().enumerate().all(|(idx, bits)| bits & !word(idx) == 0)
    }

    /// Numbers in both sets, ascending.
    pub fn common<'a>(&'a self, other: &'a BitSet) -> impl Iterator<Item = usize> + 'a {
        self.words.iter().zip(&other.words).enumerate().flat_map(|(idx, (word, other))| bits(idx, word & other))
    }

    /// Number of elements in this set and in `within`, but not in `without`.
    pub fn count_new(&self, within: &BitSet, without: &BitSet) -> usize {
        let word = |set: &BitSet, idx: usize| set.words.get(idx).copied().unwrap_or(0);
        let counts = self.words.iter().enumerate().map(|(idx, bits)| bits & word(within, idx) & !word(without, idx));
        counts.map(|bits| bits.count_ones() as usize).sum()
    }

    /// Iterates in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(idx, word)| bits(idx, *word))
    }
}

fn bits(idx: usize, mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(idx * 64 + bit)
    })
}

/// A set out of the words that [`BitSet::words`] tells.
impl From<Vec<u64>> for BitSet {
    fn from(words: Vec<u64>) -> BitSet {
        BitSet { words }
    }
}

impl FromIterator<usize> for BitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> BitSet {
        let mut set = BitSet::default();
        numbers.into_iter().for_each(|number| _ = set.insert(number));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_different_room_mix() {
        let (mut small, large): (BitSet, BitSet) =
            ([1, 5, 63].into_iter().collect(), [5, 64, 700].into_iter().collect());
        assert_eq!(small.common(&large).collect::<Vec<_>>(), [5]);
        assert_eq!(large.count_new(&large, &small), 2);
        assert_eq!(small.count_new(&large, &BitSet::default()), 1);
        small.union_with(&large);
        assert_eq!(small.iter().collect::<Vec<_>>(), [1, 5, 63, 64, 700]);
        assert!(small.contains(700) && !small.contains(699) && !small.contains(100_000));
        assert_eq!(small.len(), 5);
        assert!(large.is_within(&small) && !small.is_within(&large));
        small.remove(64);
        small.remove(100_000);
        small.intersect_with(&[1, 64, 63].into_iter().collect());
        assert_eq!(small.iter().collect::<Vec<_>>(), [1, 63]);
    }
}
