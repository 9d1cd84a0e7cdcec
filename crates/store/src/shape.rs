//! How the words of a state are folded into pairs.
//!
//! The tree is balanced: a step that changes one word changes as many inner nodes as the tree is deep. Nodes stand in an order in
//! which children come before their parents; the last one is the root.

use std::ops::Range;

use crate::pairs::{PairCache, Pairs};

/// From so many words on, whole ranges are compared before their nodes.
const WIDE: usize = 64;

pub(crate) struct Shape {
    width: usize,
    nodes: Vec<[Child; 2]>,
}

#[derive(Clone, Copy)]
enum Child {
    Word(usize),
    Node(usize),
}

impl Shape {
    pub(crate) fn new(width: usize) -> Self {
        let mut shape = Shape { width, nodes: Vec::new() };
        if width > 0 {
            shape.cover(0, width);
        }
        shape
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The number of nodes below the root.
    pub(crate) fn n_inner(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    fn cover(&mut self, from: usize, to: usize) -> Child {
        if to - from == 1 {
            return Child::Word(from);
        }
        let middle = from + (to - from) / 2;
        let children = [self.cover(from, middle), self.cover(middle, to)];
        self.nodes.push(children);
        Child::Node(self.nodes.len() - 1)
    }

    /// Words and ids of inner nodes of a root.
    pub(crate) fn unfold(&self, pairs: &Pairs, root: u64, words: &mut [u32], ids: &mut [u32]) {
        self.unfold_by(root, words, ids, |id| Some(pairs.get(id)));
    }

    /// The same for what may be no root at all; false if it is not.
    pub(crate) fn try_unfold(&self, pairs: &Pairs, root: u64, words: &mut [u32], ids: &mut [u32]) -> bool {
        let n_pairs = pairs.len();
        let is_narrow = self.nodes.is_empty();
        (!is_narrow || root <= u64::from(u32::MAX))
            && self.unfold_by(root, words, ids, |id| (u64::from(id) < n_pairs).then(|| pairs.get(id))).is_some()
    }

    #[inline]
    fn unfold_by(
        &self,
        root: u64,
        words: &mut [u32],
        ids: &mut [u32],
        pair_of: impl Fn(u32) -> Option<u64>,
    ) -> Option<()> {
        if let [only] = words {
            *only = root as u32;
        }
        for (idx, children) in self.nodes.iter().enumerate().rev() {
            let pair = if idx == self.nodes.len() - 1 { root } else { pair_of(ids[idx])? };
            for (child, half) in children.iter().zip([(pair >> 32) as u32, pair as u32]) {
                match child {
                    Child::Word(word) => words[*word] = half,
                    Child::Node(node) => ids[*node] = half,
                }
            }
        }
        Some(())
    }

    /// The root of some words, next to a state of which words and ids are known. `ids` receives the ids of its own nodes.
    pub(crate) fn fold(
        &self,
        pairs: &Pairs,
        cache: &mut PairCache,
        words: &[u32],
        near: Option<(&[u32], &[u32])>,
        ids: &mut [u32],
    ) -> u64 {
        let Some((top, inner)) = self.nodes.split_last() else {
            return words.first().copied().map_or(0, u64::from);
        };
        if let Some(near) = near.filter(|_| self.width >= WIDE) {
            let (middle, n_left) = (self.width / 2, self.width / 2 - 1);
            let mut refold = Refold { pairs, cache, words, near, ids };
            return join((refold.subtree(0..middle, 0), refold.subtree(middle..self.width, n_left)));
        }
        for (idx, [left, right]) in inner.iter().enumerate() {
            let pair = (left.value(words, ids), right.value(words, ids));
            let known = near.filter(|(words, ids)| (left.value(words, ids), right.value(words, ids)) == pair);
            ids[idx] = match known {
                Some((_, ids)) => ids[idx],
                None => cache.id(pairs, join(pair)),
            };
        }
        join((top[0].value(words, ids), top[1].value(words, ids)))
    }
}

impl Child {
    fn value(self, words: &[u32], ids: &[u32]) -> u32 {
        match self {
            Child::Word(word) => words[word],
            Child::Node(node) => ids[node],
        }
    }
}

/// Folds the words of a wide state next to another one: what is equal over a whole range is taken over without looking at its nodes.
struct Refold<'a> {
    pairs: &'a Pairs,
    cache: &'a mut PairCache,
    words: &'a [u32],
    near: (&'a [u32], &'a [u32]),
    ids: &'a mut [u32],
}

impl Refold<'_> {
    /// The value of the subtree over some words. Its nodes are those from `first` on, one fewer than there are words.
    fn subtree(&mut self, range: Range<usize>, first: usize) -> u32 {
        if range.len() == 1 {
            return self.words[range.start];
        }
        let nodes = first..first + range.len() - 1;
        let root = nodes.end - 1;
        let (near_words, near_ids) = self.near;
        if self.words[range.clone()] == near_words[range.clone()] {
            self.ids[nodes.clone()].copy_from_slice(&near_ids[nodes]);
            return near_ids[root];
        }
        let middle = range.start + range.len() / 2;
        let left = self.subtree(range.start..middle, first);
        let right = self.subtree(middle..range.end, first + range.len() / 2 - 1);
        self.ids[root] = self.cache.id(self.pairs, join((left, right)));
        self.ids[root]
    }
}

fn join((left, right): (u32, u32)) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfolding_undoes_folding() {
        for width in (0..12).chain([WIDE - 1, WIDE, WIDE + 1, 3 * WIDE + 5]) {
            let (shape, pairs, mut cache) = (Shape::new(width), Pairs::new(), PairCache::new());
            let words: Vec<u32> = (0..width as u32).map(|word| word * word + 1).collect();
            let mut ids = vec![0; shape.n_inner()];
            let root = shape.fold(&pairs, &mut cache, &words, None, &mut ids);
            let (mut found, mut found_ids) = (vec![0; width], vec![0; shape.n_inner()]);
            shape.unfold(&pairs, root, &mut found, &mut found_ids);
            assert_eq!((&found, &found_ids), (&words, &ids));
            for changed in 0..width {
                let mut next = words.clone();
                next[changed] = 99_999;
                let (mut near_ids, mut own_ids) = (ids.clone(), ids.clone());
                let near = shape.fold(&pairs, &mut cache, &next, Some((&words, &ids)), &mut near_ids);
                assert_eq!(near, shape.fold(&pairs, &mut cache, &next, None, &mut own_ids));
                assert_eq!(near_ids, own_ids);
                assert_ne!(near, root);
                shape.unfold(&pairs, near, &mut found, &mut found_ids);
                assert_eq!(found, next);
            }
        }
    }
}
