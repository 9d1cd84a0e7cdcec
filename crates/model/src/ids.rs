//! Newtype ids, and vectors and sets of them.
//!
//! Each table has an id type of its own, so that the index of a variable cannot be used as that of an operation.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Dense index into a table.
pub trait Id: Copy + Eq {
    fn from_index(index: usize) -> Self;
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl Id for $name {
            fn from_index(index: usize) -> Self {
                $name(index as u32)
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// Deferred or enumerated set.
    SetId, "set";
    FreeTypeId, "free";
    ConstId, "const";
    VarId, "var";
    /// Parameter, output, quantified or otherwise local variable; unique in the whole model.
    LocalId, "local";
    OpId, "op";
    /// Function, predicate or substitution with a native implementation.
    ExternalId, "external";
    TypeId, "type";
    ExprId, "e";
    PredId, "p";
    SubstId, "s";
}

/// Vector indexed by ids of one type.
#[derive(Clone, PartialEq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<I>,
}

impl<I: Id, T> IdVec<I, T> {
    pub fn new() -> Self {
        IdVec { items: Vec::new(), id: PhantomData }
    }

    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::from_index(self.items.len() - 1)
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Truncates to the first `len` items.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(idx, item)| (I::from_index(idx), item))
    }

    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        IdVec::new()
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(iter: A) -> Self {
        IdVec { items: iter.into_iter().collect(), id: PhantomData }
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id + fmt::Debug, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Set of ids of one type, as a bit set from its least to its greatest member.
///
/// The first and the last word are not zero. So equal sets have equal representations, and small sets stay small in a large model.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdSet<I> {
    /// Number of the first word; 0 if there are no words.
    first: usize,
    words: Vec<u64>,
    id: PhantomData<I>,
}

impl<I: Id> IdSet<I> {
    pub fn new() -> Self {
        IdSet { first: 0, words: Vec::new(), id: PhantomData }
    }

    /// Adds an id; returns true if it is new.
    pub fn insert(&mut self, id: I) -> bool {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        self.cover(word, word);
        let word = &mut self.words[word - self.first];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Extends the words to the range from `low` to `high`.
    fn cover(&mut self, low: usize, high: usize) {
        if self.words.is_empty() {
            self.first = low;
        }
        if low < self.first {
            self.words.splice(0..0, std::iter::repeat_n(0, self.first - low));
            self.first = low;
        }
        if self.words.len() <= high - self.first {
            self.words.resize(high - self.first + 1, 0);
        }
    }

    pub fn remove(&mut self, id: I) {
        let position = (id.index() / 64).checked_sub(self.first);
        if let Some(word) = position.and_then(|position| self.words.get_mut(position)) {
            *word &= !(1 << (id.index() % 64));
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
        let n_empty = self.words.iter().take_while(|word| **word == 0).count();
        self.words.drain(..n_empty);
        self.first = if self.words.is_empty() { 0 } else { self.first + n_empty };
    }

    pub fn contains(&self, id: I) -> bool {
        let word = (id.index() / 64).checked_sub(self.first).and_then(|position| self.words.get(position));
        word.is_some_and(|word| word & (1 << (id.index() % 64)) != 0)
    }

    pub fn union_with(&mut self, other: &Self) {
        if other.words.is_empty() {
            return;
        }
        self.cover(other.first, other.first + other.words.len() - 1);
        for (word, theirs) in self.words[other.first - self.first..].iter_mut().zip(&other.words) {
            *word |= theirs;
        }
    }

    pub fn intersects(&self, other: &Self) -> bool {
        let start = self.first.max(other.first);
        let from_start = |set: &'_ Self| start.checked_sub(set.first).filter(|skip| *skip < set.words.len());
        let (Some(mine), Some(theirs)) = (from_start(self), from_start(other)) else { return false };
        self.words[mine..].iter().zip(&other.words[theirs..]).any(|(word, theirs)| word & theirs != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = I> {
        (self.first..).zip(&self.words).flat_map(|(idx, word)| {
            let mut rest = *word;
            let bits = std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(bit)
            });
            bits.map(move |bit| I::from_index(idx * 64 + bit))
        })
    }
}

impl<I: Id> Default for IdSet<I> {
    fn default() -> Self {
        IdSet::new()
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<A: IntoIterator<Item = I>>(iter: A) -> Self {
        let mut set = IdSet::new();
        for id in iter {
            set.insert(id);
        }
        set
    }
}

impl<I: Id + fmt::Debug> fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn set(ids: &[u32]) -> IdSet<VarId> {
        ids.iter().map(|id| VarId(*id)).collect()
    }

    #[test]
    fn sets_are_equal_however_they_came_about() {
        let mut grown = set(&[5, 700, 70]);
        grown.remove(VarId(5));
        grown.remove(VarId(700));
        assert_eq!(grown, set(&[70]));
        grown.remove(VarId(70));
        assert_eq!(grown, set(&[]));
        assert!(grown.is_empty());
    }

    #[test]
    fn sets_agree_with_sorted_ones() {
        let samples: [&[u32]; 7] = [&[], &[0], &[63, 64], &[1, 500], &[200], &[130, 190, 260], &[1000, 64, 0]];
        for left in samples {
            for right in samples {
                let mut union = set(left);
                union.union_with(&set(right));
                let sorted: BTreeSet<u32> = left.iter().chain(right).copied().collect();
                assert!(union.iter().map(|id| id.0).eq(sorted.iter().copied()));
                assert_eq!(union.len(), sorted.len());
                assert_eq!(union, set(&sorted.into_iter().rev().collect::<Vec<_>>()));
                assert_eq!(set(left).intersects(&set(right)), left.iter().any(|id| right.contains(id)));
                assert!((0..1100).all(|id| set(left).contains(VarId(id)) == left.contains(&id)));
            }
        }
    }
}
