//! Parent links: the state from which each state was first reached.
//!
//! Breadth-first search expands states in the order of their numbers, so the children of a state are consecutive. The number of
//! children, in unary, then costs two bits per state. Traces follow these links.

use crate::table::{NO_PARENT, Order};

pub(crate) enum Parents {
    /// States are expanded in the order of their numbers: two bits per state.
    Ascending(Unary),
    Listed(Vec<u32>),
}

impl Parents {
    pub(crate) fn new(order: Order) -> Self {
        match order {
            Order::Ascending => Parents::Ascending(Unary::default()),
            Order::Any => Parents::Listed(Vec::new()),
        }
    }

    pub(crate) fn get(&self, state: u32) -> u32 {
        match self {
            // The first run of children is that of the artificial root.
            Parents::Ascending(runs) => runs.run_of(state).checked_sub(1).unwrap_or(NO_PARENT),
            Parents::Listed(parents) => parents[state as usize],
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Parents::Ascending(runs) => (runs.bits.len() + runs.samples.len()) * size_of::<u64>(),
            Parents::Listed(parents) => parents.len() * size_of::<u32>(),
        }
    }
}

/// Numbers of children of consecutive states, which threads count before one of them closes the states ([`StateTable::close_all`](crate::StateTable::close_all)).
#[derive(Default)]
pub struct Families(Unary);

impl Families {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds the number of children of the next state.
    pub fn push(&mut self, n_children: u32) {
        self.0.push_run(n_children);
    }
}

/// Run lengths in unary: each run is its length in ones, then a zero.
#[derive(Default)]
pub(crate) struct Unary {
    bits: Vec<u64>,
    len: u64,
    n_ones: u64,
    /// Position of every [`ONES_PER_SAMPLE`]th one.
    samples: Vec<u64>,
}

/// Distance of the samples that speed up [`Unary::run_of`].
const ONES_PER_SAMPLE: u64 = 512;

impl Parents {
    /// Closes a state ([`StateTable::close`](crate::StateTable::close)).
    pub(crate) fn close(&mut self, state: u32, n_children: u32) {
        match self {
            Parents::Ascending(runs) => runs.push_run(n_children),
            Parents::Listed(parents) => parents.extend(std::iter::repeat_n(state, n_children as usize)),
        }
    }

    /// Closes consecutive states.
    pub(crate) fn close_all(&mut self, first: u32, families: &Families) {
        match self {
            Parents::Ascending(runs) => runs.append(&families.0),
            Parents::Listed(parents) => {
                let mut state = first;
                for is_child in families.0.bits() {
                    if is_child {
                        parents.push(state);
                    } else {
                        state += 1;
                    }
                }
            }
        }
    }
}

impl Unary {
    fn clear(&mut self) {
        self.bits.clear();
        self.samples.clear();
        (self.len, self.n_ones) = (0, 0);
    }

    fn bits(&self) -> impl Iterator<Item = bool> {
        (0..self.len).map(|position| self.bits[(position / 64) as usize] >> (position % 64) & 1 == 1)
    }

    /// Adds the runs of another list, word by word.
    fn append(&mut self, other: &Unary) {
        let mut left = other.len;
        for word in &other.bits {
            self.append_word(*word, left.min(64));
            left = left.saturating_sub(64);
        }
    }

    /// Adds so many bits, at least one; the others of the word are zeros.
    fn append_word(&mut self, word: u64, n_bits: u64) {
        let (last, offset) = ((self.len / 64) as usize, self.len % 64);
        if last == self.bits.len() {
            self.bits.push(0);
        }
        self.bits[last] |= word << offset;
        if offset + n_bits > 64 {
            self.bits.push(word >> (64 - offset));
        }
        let n_before = (ONES_PER_SAMPLE - self.n_ones % ONES_PER_SAMPLE) % ONES_PER_SAMPLE;
        if n_before < u64::from(word.count_ones()) {
            let sample = (0..n_before).fold(word, |bits, _| bits & (bits - 1)).trailing_zeros();
            self.samples.push(self.len + u64::from(sample));
        }
        self.n_ones += u64::from(word.count_ones());
        self.len += n_bits;
    }

    pub(crate) fn push_run(&mut self, length: u32) {
        let until_sample = ONES_PER_SAMPLE - self.n_ones % ONES_PER_SAMPLE;
        // A short run without a sample is put as a whole.
        if length == 0 || length < 63 && until_sample < ONES_PER_SAMPLE && u64::from(length) <= until_sample {
            let (word, offset) = ((self.len / 64) as usize, self.len % 64);
            let (ones, len) = ((1_u64 << length) - 1, u64::from(length) + 1);
            if word == self.bits.len() {
                self.bits.push(0);
            }
            self.bits[word] |= ones << offset;
            if offset + len > 64 {
                self.bits.push(ones >> (64 - offset));
            }
            self.n_ones += u64::from(length);
            self.len += len;
            return;
        }
        (0..length).for_each(|_| self.push_one());
        self.push(0);
    }

    fn push_one(&mut self) {
        if self.n_ones.is_multiple_of(ONES_PER_SAMPLE) {
            self.samples.push(self.len);
        }
        self.n_ones += 1;
        self.push(1);
    }

    fn push(&mut self, bit: u64) {
        let (word, offset) = ((self.len / 64) as usize, self.len % 64);
        if word == self.bits.len() {
            self.bits.push(0);
        }
        self.bits[word] |= bit << offset;
        self.len += 1;
    }

    /// Number of bits.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Words whose bits are all final.
    pub(crate) fn full_words(&self) -> &[u64] {
        &self.bits[..(self.len / 64) as usize]
    }

    /// Bits after the full words.
    pub(crate) fn last_word(&self) -> u64 {
        self.bits.get((self.len / 64) as usize).copied().unwrap_or(0)
    }

    /// Appends 64 bits; all words so far must be full.
    pub(crate) fn push_word(&mut self, word: u64) {
        let mut ones = word;
        while ones != 0 {
            if self.n_ones.is_multiple_of(ONES_PER_SAMPLE) {
                self.samples.push(self.len + u64::from(ones.trailing_zeros()));
            }
            self.n_ones += 1;
            ones &= ones - 1;
        }
        self.bits.push(word);
        self.len += 64;
    }

    /// Appends the last bits, so that there are `len` in total; `None` if `len` does not fit.
    pub(crate) fn end_with(&mut self, word: u64, len: u64) -> Option<()> {
        let n_more = len.checked_sub(self.len).filter(|more| *more < 64)?;
        (0..n_more).for_each(|bit| {
            if word >> bit & 1 == 1 {
                self.push_one();
            } else {
                self.push(0);
            }
        });
        Some(())
    }

    /// Number of runs after that of the artificial root. `None` unless there are `n_states` ones and each comes after its parent. Without
    /// this order, following parents might not terminate.
    pub(crate) fn n_parents(&self, n_states: u64) -> Option<u64> {
        let (mut n_ones, mut n_zeros) = (0, 0);
        for position in 0..self.len {
            if self.bits[(position / 64) as usize] >> (position % 64) & 1 == 0 {
                n_zeros += 1;
            } else if n_zeros <= n_ones {
                n_ones += 1;
            } else {
                return None;
            }
        }
        (n_ones == n_states).then(|| n_zeros.checked_sub(1))?
    }

    /// Run that contains the `one`-th one bit: the number of zeros before it.
    fn run_of(&self, one: u32) -> u32 {
        let start = self.samples.get((u64::from(one) / ONES_PER_SAMPLE) as usize).copied().unwrap_or(0);
        let mut left = u64::from(one) % ONES_PER_SAMPLE;
        let mut word = (start / 64) as usize;
        let mut bits = self.bits[word] & (u64::MAX << (start % 64));
        while left >= u64::from(bits.count_ones()) {
            left -= u64::from(bits.count_ones());
            word += 1;
            bits = self.bits[word];
        }
        for _ in 0..left {
            bits &= bits - 1;
        }
        let position = word as u64 * 64 + u64::from(bits.trailing_zeros());
        (position - u64::from(one)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_again() {
        let mut runs = Unary::default();
        let long = |n: u32| if n % 97 == 5 { 60 + n % 10 } else { 0 };
        let lengths: Vec<u32> = (0..5000_u32).map(|n| (n * n) % 7 * u32::from(n % 3 != 0) + long(n)).collect();
        lengths.iter().for_each(|length| runs.push_run(*length));
        let (mut joined, mut families) = (Unary::default(), Families::default());
        for part in lengths.chunks(37) {
            families.clear();
            part.iter().for_each(|length| families.push(*length));
            joined.append(&families.0);
        }
        assert_eq!((&joined.bits, &joined.samples), (&runs.bits, &runs.samples));
        assert_eq!((joined.len, joined.n_ones), (runs.len, runs.n_ones));
        let mut one = 0;
        assert_eq!(runs.n_parents(u64::from(lengths.iter().sum::<u32>())), None, "state 0 is no child of itself");
        for (run, length) in lengths.iter().enumerate() {
            for _ in 0..*length {
                assert_eq!(runs.run_of(one), run as u32);
                one += 1;
            }
        }
    }

    #[test]
    fn parents_come_before_their_children() {
        let runs = |lengths: &[u32]| {
            let mut runs = Unary::default();
            lengths.iter().for_each(|length| runs.push_run(*length));
            runs
        };
        assert_eq!(runs(&[1, 2, 0, 1]).n_parents(4), Some(3));
        assert_eq!(runs(&[1, 2, 0, 1]).n_parents(3), None, "another number of states");
        assert_eq!(runs(&[1, 0, 1]).n_parents(2), None, "the second state is a child of itself");
        assert_eq!(runs(&[]).n_parents(0), None, "not even the root was expanded");
    }
}
