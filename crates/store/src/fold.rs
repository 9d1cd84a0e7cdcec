//! Tree compression of states: the words of a state, folded into pairs.
//!
//! The tree is balanced, so a step that changes one word changes a logarithmic number of inner nodes. Children precede their parents in
//! the list of nodes; the last node is the root. Folding is deterministic: equal words have equal roots.

use std::ops::Range;

use crate::pairs::{PairCache, Pairs};

/// States with at least this many words are folded range by range.
const MIN_WIDE_WORDS: usize = 64;

pub(crate) struct FoldTree {
    width: usize,
    nodes: Vec<Node>,
}

struct Node {
    children: [Child; 2],
    /// One bit per word below the node; unused in wide trees.
    below: u64,
}

#[derive(Clone, Copy)]
enum Child {
    Word(usize),
    Node(usize),
}

impl FoldTree {
    pub(crate) fn new(width: usize) -> Self {
        let mut tree = FoldTree { width, nodes: Vec::new() };
        if width > 0 {
            tree.cover(0, width);
        }
        tree
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Number of inner nodes below the root.
    pub(crate) fn n_inner(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    fn cover(&mut self, from: usize, to: usize) -> Child {
        if to - from == 1 {
            return Child::Word(from);
        }
        let middle = from + (to - from) / 2;
        let children = [self.cover(from, middle), self.cover(middle, to)];
        let below = (from..to).filter(|word| *word < MIN_WIDE_WORDS).fold(0, |below, word| below | 1 << word);
        self.nodes.push(Node { children, below });
        Child::Node(self.nodes.len() - 1)
    }

    /// Unfolds a root into its words and the ids of its inner nodes.
    pub(crate) fn unfold(&self, pairs: &Pairs, root: u64, words: &mut [u32], ids: &mut [u32]) {
        self.unfold_by(root, words, ids, |id| Some(pairs.get(id)));
    }

    /// [`FoldTree::unfold`] for an untrusted root; `false` if it is not a valid one.
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
        for (idx, Node { children, .. }) in self.nodes.iter().enumerate().rev() {
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

    /// Folds words into a root, and stores the ids of the inner nodes in `ids`. Equal subtrees of `near` are reused.
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
        let is_wide = self.width >= MIN_WIDE_WORDS;
        match near {
            Some(near) if is_wide => {
                let (middle, n_left) = (self.width / 2, self.width / 2 - 1);
                let mut refold = Refold { pairs, cache, words, near, ids };
                return join((refold.subtree(0..middle, 0), refold.subtree(middle..self.width, n_left)));
            }
            Some((near_words, near_ids)) => {
                let differs = |(idx, (left, right)): (usize, (&u32, &u32))| u64::from(left != right) << idx;
                let changed = words.iter().zip(near_words).enumerate().map(differs).fold(0, |all, bit| all | bit);
                ids.copy_from_slice(near_ids);
                for (idx, node) in inner.iter().enumerate().filter(|(_, node)| node.below & changed != 0) {
                    ids[idx] = cache.id(pairs, node.pair(words, ids));
                }
            }
            None => {
                for (idx, node) in inner.iter().enumerate() {
                    ids[idx] = cache.id(pairs, node.pair(words, ids));
                }
            }
        }
        top.pair(words, ids)
    }
}

impl Node {
    #[inline]
    fn pair(&self, words: &[u32], ids: &[u32]) -> u64 {
        let [left, right] = self.children;
        join((left.value(words, ids), right.value(words, ids)))
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

/// Folds a wide state next to a similar one: a range of equal words reuses its subtree as a whole.
struct Refold<'a> {
    pairs: &'a Pairs,
    cache: &'a mut PairCache,
    words: &'a [u32],
    near: (&'a [u32], &'a [u32]),
    ids: &'a mut [u32],
}

impl Refold<'_> {
    /// Value of the subtree over a range of words. Its nodes begin at `first` and are one fewer than the words.
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
        for width in (0..12).chain([MIN_WIDE_WORDS - 1, MIN_WIDE_WORDS, MIN_WIDE_WORDS + 1, 3 * MIN_WIDE_WORDS + 5]) {
            let (tree, pairs, mut cache) = (FoldTree::new(width), Pairs::new(), PairCache::new());
            let words: Vec<u32> = (0..width as u32).map(|word| word * word + 1).collect();
            let mut ids = vec![0; tree.n_inner()];
            let root = tree.fold(&pairs, &mut cache, &words, None, &mut ids);
            let (mut found, mut found_ids) = (vec![0; width], vec![0; tree.n_inner()]);
            tree.unfold(&pairs, root, &mut found, &mut found_ids);
            assert_eq!((&found, &found_ids), (&words, &ids));
            for changed in 0..width {
                let mut next = words.clone();
                next[changed] = 99_999;
                let (mut near_ids, mut own_ids) = (ids.clone(), ids.clone());
                let near = tree.fold(&pairs, &mut cache, &next, Some((&words, &ids)), &mut near_ids);
                assert_eq!(near, tree.fold(&pairs, &mut cache, &next, None, &mut own_ids));
                assert_eq!(near_ids, own_ids);
                assert_ne!(near, root);
                tree.unfold(&pairs, near, &mut found, &mut found_ids);
                assert_eq!(found, next);
            }
        }
    }
}
