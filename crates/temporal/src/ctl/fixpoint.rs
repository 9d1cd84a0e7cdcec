//! Least fixpoints over the states of a graph, by all threads: [`least`].
//!
//! A set grows by states whose steps lead into it. Steps are stored forwards, and possibly in files, so the states that may still join are swept in order, from the last one to the first and
//! back in turn: states that a search numbered breadth-first lead mostly forwards, and a sweep from the end settles most of them. A sweep needs two bits for each state. Where sweeps go slowly,
//! the steps between the states that are left are listed by their targets, and the rest takes time linear in those steps.
//!
//! Threads take pieces of the states in turn, and see at some time what others have added. The least fixpoint is one set, in whatever order it grows,
//! so the answer does not depend on threads.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use abridge_value::BitSet;

use crate::emptiness::LetterGraph;
use crate::ranks::Ranks;

use super::{Stopped, Views};

/// When a state joins a set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum JoinRule {
    /// A step leads into the set.
    SomeStep,
    /// All steps lead into the set.
    AllSteps,
}

/// Words that a thread takes at a time: 4,096 states, as many as lie together in a file.
const PIECE_WORDS: usize = 64;
/// Pieces from which on it pays to start threads.
const MIN_PARALLEL_PIECES: usize = 8;
/// A sweep that settles fewer than one of so many states is slow.
const MIN_SHARE: usize = 32;
/// Sweeps that are made in any case, as long as something changes.
const MIN_SWEEPS: usize = 4;
/// States between two looks at the stop flag.
const STOP_INTERVAL: usize = 1 << 12;

/// A set that threads share. Each word is written by one thread at a time.
struct SharedSet(Vec<AtomicU64>);

impl SharedSet {
    fn new(set: &BitSet, n_words: usize) -> SharedSet {
        let words = set.words().iter().copied().chain(std::iter::repeat(0));
        SharedSet(words.take(n_words).map(AtomicU64::new).collect())
    }

    fn word(&self, idx: usize) -> u64 {
        self.0[idx].load(Ordering::Relaxed)
    }

    fn contains(&self, number: u32) -> bool {
        self.word(number as usize / 64) >> (number % 64) & 1 == 1
    }

    fn set_word(&self, idx: usize, word: u64) {
        self.0[idx].store(word, Ordering::Relaxed);
    }

    fn into_set(self) -> BitSet {
        let words: Vec<u64> = self.0.into_iter().map(AtomicU64::into_inner).collect();
        words.into()
    }
}

/// Calls `work` with every piece of so many words, on all threads; each thread has a view of its own.
fn in_pieces<G: LetterGraph>(
    views: &Views<'_, G>,
    n_words: usize,
    is_descending: bool,
    work: &(dyn Fn(&G, std::ops::Range<usize>) + Sync),
) -> Result<(), Stopped> {
    let n_pieces = n_words.div_ceil(PIECE_WORDS);
    let (next, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let run = || {
        let graph = (views.view)();
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= n_pieces || is_stopped.load(Ordering::Relaxed) {
                return;
            }
            if graph.is_stopped() {
                is_stopped.store(true, Ordering::Relaxed);
                return;
            }
            let piece = if is_descending { n_pieces - 1 - piece } else { piece };
            work(&graph, piece * PIECE_WORDS..n_words.min((piece + 1) * PIECE_WORDS));
        }
    };
    let n_helpers = if n_pieces < MIN_PARALLEL_PIECES { 0 } else { views.n_workers.min(n_pieces).saturating_sub(1) };
    std::thread::scope(|scope| {
        for _ in 0..n_helpers {
            scope.spawn(|| abridge_diag::with_stack(run));
        }
        run();
    });
    if is_stopped.into_inner() { Err(Stopped) } else { Ok(()) }
}

/// Notes that a state belongs to a set, by the number of the set.
type Add<'a> = dyn FnMut(usize) + 'a;

/// Sets of states by what is seen of each state alone.
pub(super) fn gather<G: LetterGraph>(
    views: &Views<'_, G>,
    n_sets: usize,
    look: &(dyn Fn(&G, u32, &mut Add<'_>) + Sync),
) -> Result<Vec<BitSet>, Stopped> {
    let n_states = (views.view)().n_states();
    let n_words = n_states.div_ceil(64);
    let sets: Vec<SharedSet> = (0..n_sets).map(|_| SharedSet::new(&BitSet::default(), n_words)).collect();
    in_pieces(views, n_words, false, &|graph, words| {
        let mut found = vec![0_u64; n_sets];
        for idx in words {
            found.fill(0);
            for bit in 0..64.min(n_states - idx * 64) {
                look(graph, (idx * 64 + bit) as u32, &mut |set| found[set] |= 1 << bit);
            }
            sets.iter().zip(&found).for_each(|(set, word)| set.set_word(idx, *word));
        }
    })?;
    Ok(sets.into_iter().map(SharedSet::into_set).collect())
}

/// The least set that contains `seeds` and every state of `todo` that the rule adds.
pub(super) fn least<G: LetterGraph>(
    views: &Views<'_, G>,
    seeds: BitSet,
    todo: BitSet,
    rule: JoinRule,
) -> Result<BitSet, Stopped> {
    let mut n_left = todo.len();
    let n_words = (views.view)().n_states().div_ceil(64);
    let (found, left) = (SharedSet::new(&seeds, n_words), SharedSet::new(&todo, n_words));
    drop((seeds, todo));
    for sweep in 0.. {
        if n_left == 0 {
            break;
        }
        let n_joined = AtomicUsize::new(0);
        let is_descending = sweep % 2 == 0;
        in_pieces(views, n_words, is_descending, &|graph, words| {
            n_joined.fetch_add(sweep_words(graph, words, is_descending, (&found, &left), rule), Ordering::Relaxed);
        })?;
        let n_joined = n_joined.into_inner();
        if n_joined == 0 {
            break;
        }
        let is_slow = sweep + 1 >= MIN_SWEEPS && n_joined * MIN_SHARE < n_left;
        n_left -= n_joined;
        if is_slow && views.may_index {
            return by_targets(&(views.view)(), found.into_set(), left.into_set(), rule);
        }
    }
    Ok(found.into_set())
}

/// Looks once at each state of some words that is left; the number of those that joined.
fn sweep_words<G: LetterGraph>(
    graph: &G,
    words: std::ops::Range<usize>,
    is_descending: bool,
    (found, left): (&SharedSet, &SharedSet),
    rule: JoinRule,
) -> usize {
    let mut n_joined = 0;
    let (first, n_words) = (words.start, words.len());
    for idx in 0..n_words {
        let idx = first + if is_descending { n_words - 1 - idx } else { idx };
        let mut todo = left.word(idx);
        while todo != 0 {
            let bit = if is_descending { 63 - todo.leading_zeros() } else { todo.trailing_zeros() };
            todo &= !(1 << bit);
            let (mut has_inside, mut has_outside) = (false, false);
            graph.steps((idx * 64) as u32 + bit, &mut |_, target| {
                let is_inside = found.contains(target);
                has_inside |= is_inside;
                has_outside |= !is_inside;
            });
            let joins = match rule {
                JoinRule::SomeStep => has_inside,
                JoinRule::AllSteps => !has_outside,
            };
            if joins {
                found.set_word(idx, found.word(idx) | 1 << bit);
                left.set_word(idx, left.word(idx) & !(1 << bit));
                n_joined += 1;
            }
        }
    }
    n_joined
}

/// The same by a list of the steps between states that are left, by their targets.
fn by_targets<G: LetterGraph>(graph: &G, mut found: BitSet, left: BitSet, rule: JoinRule) -> Result<BitSet, Stopped> {
    let ranks = Ranks::new(&left);
    // Where the sources of each state begin, and for each state the number of steps that lead out of the set.
    let mut starts = vec![0_u64; ranks.len() + 1];
    let mut n_outside = vec![0_u32; if rule == JoinRule::AllSteps { ranks.len() } else { 0 }];
    let mut joining: Vec<u32> = Vec::new();
    for (number, state) in left.iter().enumerate() {
        if number.is_multiple_of(STOP_INTERVAL) && graph.is_stopped() {
            return Err(Stopped);
        }
        let (mut has_inside, mut n_out) = (false, 0);
        graph.steps(state as u32, &mut |_, target| {
            has_inside |= found.contains(target as usize);
            n_out += u32::from(!found.contains(target as usize));
            if let Some(slot) = ranks.get(u64::from(target)) {
                starts[slot + 1] += 1;
            }
        });
        n_outside.get_mut(number).into_iter().for_each(|slot| *slot = n_out);
        let joins = if rule == JoinRule::SomeStep { has_inside } else { n_out == 0 };
        joining.extend(joins.then_some(state as u32));
    }
    for slot in 0..ranks.len() {
        starts[slot + 1] += starts[slot];
    }
    let mut sources = vec![0_u32; starts[ranks.len()] as usize];
    let mut next = starts.clone();
    for (number, state) in left.iter().enumerate() {
        if number.is_multiple_of(STOP_INTERVAL) && graph.is_stopped() {
            return Err(Stopped);
        }
        graph.steps(state as u32, &mut |_, target| {
            if let Some(slot) = ranks.get(u64::from(target)) {
                sources[next[slot] as usize] = state as u32;
                next[slot] += 1;
            }
        });
    }
    joining.iter().for_each(|state| _ = found.insert(*state as usize));
    while let Some(state) = joining.pop() {
        let Some(slot) = ranks.get(u64::from(state)) else { continue };
        for source in &sources[starts[slot] as usize..starts[slot + 1] as usize] {
            let is_next = match ranks.get(u64::from(*source)).filter(|_| rule == JoinRule::AllSteps) {
                Some(slot) => {
                    n_outside[slot] = n_outside[slot].saturating_sub(1);
                    n_outside[slot] == 0
                }
                None => true,
            };
            if is_next && found.insert(*source as usize) {
                joining.push(*source);
            }
        }
    }
    Ok(found)
}
