//! Properties of states: conjuncts of the invariant, assertions, the goal and atomic propositions, in memoised groups.
//!
//! Conjuncts that read the same words form a group, memoised under those words. A group that reads a subset of the words of another is placed
//! below it, and evaluated only if the upper group is not known to pass. So most states need one lookup in each of a few groups, and none in a
//! group whose words are unchanged since the predecessor. A conjunct below a group that does not cover its words would go unchecked.

use abridge_compile::Program;
use abridge_model::dump::pred_text;
use abridge_model::{Model, PredId};
use abridge_value::BitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::layout::WordLayout;
use crate::memo::Memo;
use crate::profile::Measured;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConjunctRole {
    Invariant,
    Assertion,
    Goal,
    Proposition,
    Scope,
}

impl Measured {
    pub(crate) fn conjunct(role: ConjunctRole, pred: PredId) -> Self {
        match role {
            ConjunctRole::Invariant | ConjunctRole::Scope => Measured::Invariant(pred),
            ConjunctRole::Assertion => Measured::Assertion(pred),
            ConjunctRole::Goal => Measured::Goal(pred),
            ConjunctRole::Proposition => Measured::Proposition(pred),
        }
    }
}

pub(crate) struct Conjuncts {
    pub(crate) role: ConjunctRole,
    pub(crate) list: Vec<ConjunctMemo>,
    pub(crate) groups: Vec<ConjunctGroup>,
}

/// Conjuncts that hold in all reachable states with some constants, by their numbers.
pub struct ProvedConjuncts {
    /// The first word of these states.
    pub constants: u32,
    pub invariant: BitSet,
    pub assertions: BitSet,
}

impl ProvedConjuncts {
    pub(crate) fn of(&self, role: ConjunctRole) -> Option<&BitSet> {
        match role {
            ConjunctRole::Invariant => Some(&self.invariant),
            ConjunctRole::Assertion => Some(&self.assertions),
            ConjunctRole::Goal | ConjunctRole::Proposition | ConjunctRole::Scope => None,
        }
    }
}

pub(crate) struct ConjunctMemo {
    pub(crate) pred: PredId,
    pub(crate) number: u32,
    pub(crate) compiled: Option<usize>,
}

pub(crate) struct ConjunctGroup {
    pub(crate) words: Vec<usize>,
    /// Conjuncts that read exactly these words.
    pub(crate) members: Vec<usize>,
    /// Groups that read fewer words and are evaluated together with this one.
    pub(crate) below: Vec<usize>,
    /// The group is below no other.
    pub(crate) is_top: bool,
    pub(crate) memo: Option<Memo>,
}

impl ConjunctGroup {
    /// Whether a state agrees with its predecessor in all words that the group reads.
    pub(crate) fn is_same(&self, words: &[u32], before: Option<&[u32]>) -> bool {
        before
            .is_some_and(|before| before[0] == words[0] && self.words.iter().all(|word| before[*word] == words[*word]))
    }
}

impl Conjuncts {
    /// Groups conjuncts, given as number, predicate and positions read.
    pub(crate) fn new(
        model: &Model,
        words: &WordLayout,
        program: Option<&Program>,
        role: ConjunctRole,
        items: impl Iterator<Item = (u32, PredId, Vec<usize>)>,
    ) -> Self {
        let mut conjuncts = Conjuncts { role, list: Vec::new(), groups: Vec::new() };
        let mut texts: FxHashSet<(Vec<usize>, String)> = FxHashSet::default();
        let mut groups: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        for (number, pred, read) in items {
            // Machines repeat conjuncts of included machines; each is checked once.
            if role != ConjunctRole::Proposition && !texts.insert((read.clone(), pred_text(model, pred))) {
                continue;
            }
            let idx = conjuncts.list.len();
            let compiled = program.and_then(|program| program.test(pred));
            conjuncts.list.push(ConjunctMemo { pred, number, compiled });
            let group = *groups.entry(read).or_insert_with_key(|read| {
                let memo = words.can_repeat(read).then(|| Memo::new(words.is_frugal, 1 + read.len(), 5, usize::MAX));
                let group =
                    ConjunctGroup { words: read.clone(), members: Vec::new(), below: Vec::new(), is_top: true, memo };
                conjuncts.groups.push(group);
                conjuncts.groups.len() - 1
            });
            conjuncts.groups[group].members.push(idx);
        }
        conjuncts.order();
        conjuncts
    }

    /// Places each group below the smallest group that reads a superset of its words.
    pub(crate) fn order(&mut self) {
        let all: Vec<usize> = (0..self.groups.len()).collect();
        let mut readers: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (idx, group) in self.groups.iter().enumerate() {
            group.words.iter().for_each(|word| readers.entry(*word).or_default().push(idx));
        }
        for idx in 0..self.groups.len() {
            let words = &self.groups[idx].words;
            // A group with a superset of the words reads each of them, so the readers of the rarest word are enough.
            let candidates =
                words.iter().map(|word| &readers[word]).min_by_key(|readers| readers.len()).unwrap_or(&all);
            let reads_more = |other: &ConjunctGroup| {
                other.words.len() > words.len() && words.iter().all(|word| other.words.binary_search(word).is_ok())
            };
            let above = candidates.iter().copied().filter(|other| reads_more(&self.groups[*other]));
            if let Some(above) = above.min_by_key(|other| self.groups[*other].words.len()) {
                self.groups[above].below.push(idx);
                self.groups[idx].is_top = false;
            }
        }
    }

    /// Whether all conjuncts are proved.
    pub(crate) fn are_proved(&self, proved: &ProvedConjuncts) -> bool {
        let is_proved = |conjunct: &ConjunctMemo| {
            proved.of(self.role).is_some_and(|numbers| numbers.contains(conjunct.number as usize))
        };
        self.list.iter().all(is_proved)
    }

    pub(crate) fn memos(&self) -> impl Iterator<Item = &Memo> {
        self.groups.iter().filter_map(|group| group.memo.as_ref())
    }
}
