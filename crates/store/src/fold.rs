//! Tree compression of states: the words of a state, folded into quads.
//!
//! Nodes have four children, as far as there are words, so that they are as few as possible, and a step that changes one word changes few of them: one in a state of up
//! to eight words. In a larger state, the words at the front of each half lie deeper: the first one stands for the constants, which no step changes. Children precede their parents in the
//! list of nodes. The root is the pair of the ids of the two halves. Folding is deterministic: equal words have equal roots.

use std::ops::Range;

use crate::quads::{Lookup, Quad, QuadCache, Quads};

/// States with at least this many words are folded range by range.
const MIN_WIDE_WORDS: usize = 64;
/// Children of a node.
const ARITY: usize = 4;

pub(crate) struct FoldTree {
    width: usize,
    nodes: Vec<Node>,
    /// Halves of a state, if it has more than one word.
    top: Option<[Child; 2]>,
}

struct Node {
    children: [Child; ARITY],
    words: Range<usize>,
    /// First node of the subtree. The subtree is the range from there to the node itself.
    first: usize,
    /// One bit per word below the node; unused in wide trees.
    below: u64,
}

#[derive(Clone, Copy)]
enum Child {
    Word(usize),
    Node(usize),
    None,
}

impl FoldTree {
    pub(crate) fn new(width: usize) -> Self {
        let mut tree = FoldTree { width, nodes: Vec::new(), top: None };
        if width > 1 {
            let middle = width.div_ceil(2);
            tree.top = Some([tree.cover(0..middle), tree.cover(middle..width)]);
        }
        tree
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Number of nodes below the root.
    pub(crate) fn n_inner(&self) -> usize {
        self.nodes.len()
    }

    fn cover(&mut self, words: Range<usize>) -> Child {
        if words.len() == 1 {
            return Child::Word(words.start);
        }
        let first = self.nodes.len();
        let mut children = [Child::None; ARITY];
        let mut start = words.start;
        for (child, len) in children.iter_mut().zip(part_lens(words.len())) {
            *child = self.cover(start..start + len);
            start += len;
        }
        let below = words.clone().filter(|word| *word < MIN_WIDE_WORDS).fold(0, |below, word| below | 1 << word);
        self.nodes.push(Node { children, words, first, below });
        Child::Node(self.nodes.len() - 1)
    }

    /// Unfolds a root into its words and the ids of its inner nodes.
    pub(crate) fn unfold(&self, quads: &Quads, root: u64, words: &mut [u32], ids: &mut [u32]) {
        let Some(top) = &self.top else {
            words.iter_mut().for_each(|only| *only = root as u32);
            return;
        };
        top[0].put((root >> 32) as u32, words, ids);
        top[1].put(root as u32, words, ids);
        for (idx, Node { children: [a, b, c, d], .. }) in self.nodes.iter().enumerate().rev() {
            let [first, second] = quads.get(ids[idx]);
            a.put((first >> 32) as u32, words, ids);
            b.put(first as u32, words, ids);
            c.put((second >> 32) as u32, words, ids);
            d.put(second as u32, words, ids);
        }
    }

    /// [`FoldTree::unfold`] for an untrusted root; `false` if it is not a valid one.
    pub(crate) fn try_unfold(&self, quads: &Quads, root: u64, words: &mut [u32], ids: &mut [u32]) -> bool {
        (self.top.is_some() || root <= u64::from(u32::MAX)) && self.unfold_checked(quads, root, words, ids).is_some()
    }

    fn unfold_checked(&self, quads: &Quads, root: u64, words: &mut [u32], ids: &mut [u32]) -> Option<()> {
        let n_quads = quads.len();
        let Some(top) = &self.top else {
            words.iter_mut().for_each(|only| *only = root as u32);
            return Some(());
        };
        top[0].set((root >> 32) as u32, words, ids)?;
        top[1].set(root as u32, words, ids)?;
        for (idx, Node { children, .. }) in self.nodes.iter().enumerate().rev() {
            let [first, second] = (u64::from(ids[idx]) < n_quads).then(|| quads.get(ids[idx]))?;
            let parts = [(first >> 32) as u32, first as u32, (second >> 32) as u32, second as u32];
            children.iter().zip(parts).try_for_each(|(child, part)| child.set(part, words, ids))?;
        }
        Some(())
    }

    /// Folds words into a root, and stores the ids of the inner nodes in `ids`. Equal subtrees of `near` are reused.
    pub(crate) fn fold(
        &self,
        quads: &Quads,
        cache: &mut QuadCache,
        words: &[u32],
        near: Option<(&[u32], &[u32])>,
        ids: &mut [u32],
    ) -> u64 {
        let Some([left, right]) = self.top else {
            return words.first().copied().map_or(0, u64::from);
        };
        match near {
            _ if self.nodes.is_empty() => {}
            Some(near) if self.width >= MIN_WIDE_WORDS => {
                let mut refold = Refold { tree: self, quads, cache, words, near, ids };
                return join(refold.child(left), refold.child(right));
            }
            Some((near_words, near_ids)) => {
                let changed = differing(words, near_words);
                ids.copy_from_slice(near_ids);
                for (idx, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.below & changed != 0) {
                    ids[idx] = cache.id(quads, node.quad(|child| child.value(words, ids)));
                }
            }
            None => {
                for (idx, node) in self.nodes.iter().enumerate() {
                    ids[idx] = cache.id(quads, node.quad(|child| child.value(words, ids)));
                }
            }
        }
        join(left.value(words, ids), right.value(words, ids))
    }
}

/// Lengths of the parts of so many words: powers of four, but for one part, the long ones first. So all nodes but one below each level are full.
fn part_lens(n_words: usize) -> impl Iterator<Item = usize> {
    let mut longest = 1;
    while longest * ARITY < n_words {
        longest *= ARITY;
    }
    let (n_parts, shortest) = (n_words.min(ARITY), (longest / ARITY).max(1));
    let mut more = n_words - n_parts * shortest;
    (0..n_parts).map(move |_| {
        let own = more.min(longest - shortest);
        more -= own;
        shortest + own
    })
}

/// One bit for each word that differs; the states are not wide.
#[inline]
fn differing(words: &[u32], near: &[u32]) -> u64 {
    let differs = |(idx, (left, right)): (usize, (&u32, &u32))| u64::from(left != right) << idx;
    words.iter().zip(near).enumerate().map(differs).fold(0, |all, bit| all | bit)
}

/// States that are folded together, node by node, so that waits for memory overlap.
#[derive(Default)]
pub struct FoldQueue {
    len: usize,
    words: Vec<u32>,
    /// Ids of inner nodes; those of a similar state at first.
    ids: Vec<u32>,
    /// One bit for each word in which a state differs from the similar one.
    changed: Vec<u64>,
    /// Numbers of the states that need a lookup, and the lookups.
    lookups: Vec<(u32, Lookup)>,
}

impl FoldQueue {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a state, next to words and ids of a similar one.
    #[inline]
    pub fn push(&mut self, words: &[u32], (near_words, near_ids): (&[u32], &[u32])) {
        self.words.extend_from_slice(words);
        self.ids.extend_from_slice(near_ids);
        self.changed.push(differing(words, near_words));
        self.len += 1;
    }

    fn clear(&mut self) {
        self.len = 0;
        self.words.clear();
        self.ids.clear();
        self.changed.clear();
    }
}

impl FoldTree {
    /// States can be folded together: they are neither wide nor single words.
    pub(crate) fn can_queue(&self) -> bool {
        self.top.is_some() && self.width < MIN_WIDE_WORDS
    }

    /// Folds all states of a queue, and calls `each` with their roots in order. The queue is empty then.
    pub(crate) fn fold_queue(
        &self,
        quads: &Quads,
        cache: &mut QuadCache,
        queue: &mut FoldQueue,
        mut each: impl FnMut(u64),
    ) {
        let Some([left, right]) = self.top else { return queue.clear() };
        let (width, n_inner) = (self.width, self.nodes.len());
        let FoldQueue { words, ids, changed, lookups, .. } = queue;
        for (idx, node) in self.nodes.iter().enumerate() {
            lookups.clear();
            for (state, _) in changed.iter().enumerate().filter(|(_, changed)| **changed & node.below != 0) {
                let (words, ids) = (&words[state * width..][..width], &ids[state * n_inner..][..n_inner]);
                lookups.push((state as u32, cache.begin(node.quad(|child| child.value(words, ids)))));
            }
            lookups.iter_mut().for_each(|(_, lookup)| lookup.verify(quads));
            for (state, lookup) in lookups.iter() {
                ids[*state as usize * n_inner + idx] = cache.finish(quads, lookup);
            }
        }
        for state in 0..changed.len() {
            let (words, ids) = (&words[state * width..][..width], &ids[state * n_inner..][..n_inner]);
            each(join(left.value(words, ids), right.value(words, ids)));
        }
        queue.clear();
    }
}

impl Node {
    #[inline]
    fn quad(&self, value: impl FnMut(Child) -> u32) -> Quad {
        let [a, b, c, d] = self.children.map(value);
        [join(a, b), join(c, d)]
    }
}

impl Child {
    #[inline]
    fn value(self, words: &[u32], ids: &[u32]) -> u32 {
        match self {
            Child::Word(word) => words[word],
            Child::Node(node) => ids[node],
            Child::None => 0,
        }
    }

    /// Stores a value, if it has a place.
    #[inline]
    fn put(self, value: u32, words: &mut [u32], ids: &mut [u32]) {
        match self {
            Child::Word(word) => words[word] = value,
            Child::Node(node) => ids[node] = value,
            Child::None => {}
        }
    }

    /// Stores a value; `None` if it has no place, since then two quads would mean the same words.
    #[inline]
    fn set(self, value: u32, words: &mut [u32], ids: &mut [u32]) -> Option<()> {
        match self {
            Child::Word(word) => words[word] = value,
            Child::Node(node) => ids[node] = value,
            Child::None => return (value == 0).then_some(()),
        }
        Some(())
    }
}

/// Folds a wide state next to a similar one: a range of equal words reuses its subtree as a whole.
struct Refold<'a> {
    tree: &'a FoldTree,
    quads: &'a Quads,
    cache: &'a mut QuadCache,
    words: &'a [u32],
    near: (&'a [u32], &'a [u32]),
    ids: &'a mut [u32],
}

impl Refold<'_> {
    /// Value of a subtree.
    fn child(&mut self, child: Child) -> u32 {
        let Child::Node(idx) = child else { return child.value(self.words, self.ids) };
        let tree = self.tree;
        let Node { words, first, .. } = &tree.nodes[idx];
        let (near_words, near_ids) = self.near;
        if self.words[words.clone()] == near_words[words.clone()] {
            self.ids[*first..=idx].copy_from_slice(&near_ids[*first..=idx]);
        } else {
            let quad = tree.nodes[idx].quad(|child| self.child(child));
            self.ids[idx] = self.cache.id(self.quads, quad);
        }
        self.ids[idx]
    }
}

fn join(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_few() {
        for n_words in 2..300 {
            let mut tree = FoldTree::new(0);
            tree.cover(0..n_words);
            assert_eq!(tree.nodes.len(), (n_words - 1).div_ceil(ARITY - 1), "{n_words} words");
        }
        assert_eq!(FoldTree::new(9).n_inner(), 3);
    }

    #[test]
    fn unfolding_undoes_folding() {
        for width in (0..12).chain([MIN_WIDE_WORDS - 1, MIN_WIDE_WORDS, MIN_WIDE_WORDS + 1, 3 * MIN_WIDE_WORDS + 5]) {
            let (tree, quads, mut cache) = (FoldTree::new(width), Quads::new(), QuadCache::new());
            let words: Vec<u32> = (0..width as u32).map(|word| word * word + 1).collect();
            let mut ids = vec![0; tree.n_inner()];
            let root = tree.fold(&quads, &mut cache, &words, None, &mut ids);
            let (mut found, mut found_ids) = (vec![0; width], vec![0; tree.n_inner()]);
            tree.unfold(&quads, root, &mut found, &mut found_ids);
            assert_eq!((&found, &found_ids), (&words, &ids));
            let (mut queue, mut roots) = (FoldQueue::default(), Vec::new());
            for changed in 0..width {
                let mut next = words.clone();
                next[changed] = 99_999;
                let (mut near_ids, mut own_ids) = (ids.clone(), ids.clone());
                let near = tree.fold(&quads, &mut cache, &next, Some((&words, &ids)), &mut near_ids);
                assert_eq!(near, tree.fold(&quads, &mut cache, &next, None, &mut own_ids));
                assert_eq!(near_ids, own_ids);
                assert_ne!(near, root);
                if tree.can_queue() {
                    queue.push(&next, (&words, &ids));
                    roots.push(near);
                }
                tree.unfold(&quads, near, &mut found, &mut found_ids);
                assert_eq!(found, next);
            }
            if tree.can_queue() {
                assert_eq!(queue.len(), width);
                let mut queued = Vec::new();
                tree.fold_queue(&quads, &mut QuadCache::new(), &mut queue, |root| queued.push(root));
                assert_eq!(queued, roots, "known quads");
                let (quads, mut cache) = (Quads::new(), QuadCache::new());
                tree.fold(&quads, &mut cache, &words, None, &mut ids);
                for changed in 0..width {
                    let mut next = words.clone();
                    next[changed] = 99_999;
                    queue.push(&next, (&words, &ids));
                }
                queued.clear();
                tree.fold_queue(&quads, &mut cache, &mut queue, |root| queued.push(root));
                for (changed, root) in queued.into_iter().enumerate() {
                    tree.unfold(&quads, root, &mut found, &mut found_ids);
                    let is_right = |(word, found)| found == if word == changed { 99_999 } else { words[word] };
                    assert!(found.iter().copied().enumerate().all(is_right), "new quads");
                }
                assert!(queue.is_empty());
            }
        }
    }
}
