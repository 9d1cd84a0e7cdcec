//! Properties of states: conjuncts of the invariant, assertions and the goal.
//!
//! Conjuncts that read the same words form a group, and a group is remembered under those words. A group whose words are among those of
//! another one is looked at only when that one is not known to be fine. So most states need one lookup for each of few groups, and none for
//! a group whose words are those of the state before.

use abridge_compile::Program;
use abridge_model::dump::pred_text;
use abridge_model::{Model, PredId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::layout::Words;
use crate::memo::Memo;
use crate::profile::Measured;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Invariant,
    Assertion,
    Goal,
    Proposition,
}

impl Measured {
    pub(crate) fn conjunct(role: Role, pred: PredId) -> Self {
        match role {
            Role::Invariant => Measured::Invariant(pred),
            Role::Assertion => Measured::Assertion(pred),
            Role::Goal => Measured::Goal(pred),
            Role::Proposition => Measured::Proposition(pred),
        }
    }
}

pub(crate) struct Conjuncts {
    pub(crate) role: Role,
    pub(crate) list: Vec<Conjunct>,
    pub(crate) groups: Vec<Group>,
}

pub(crate) struct Conjunct {
    pub(crate) pred: PredId,
    pub(crate) number: u32,
    pub(crate) compiled: Option<usize>,
}

pub(crate) struct Group {
    pub(crate) words: Vec<usize>,
    /// Conjuncts that read exactly these words.
    pub(crate) members: Vec<usize>,
    /// Groups that read less and are looked at together with this one.
    pub(crate) below: Vec<usize>,
    pub(crate) is_top: bool,
    pub(crate) memo: Option<Memo>,
}

impl Group {
    /// True if a state agrees with the one before in all that is read.
    pub(crate) fn is_same(&self, words: &[u32], before: Option<&[u32]>) -> bool {
        before
            .is_some_and(|before| before[0] == words[0] && self.words.iter().all(|word| before[*word] == words[*word]))
    }
}

impl Conjuncts {
    /// Numbers, predicates and the words they read.
    pub(crate) fn new(
        model: &Model,
        words: &Words,
        program: Option<&Program>,
        role: Role,
        items: impl Iterator<Item = (u32, PredId, Vec<usize>)>,
    ) -> Self {
        let mut conjuncts = Conjuncts { role, list: Vec::new(), groups: Vec::new() };
        let mut texts: FxHashSet<(Vec<usize>, String)> = FxHashSet::default();
        let mut groups: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        for (number, pred, read) in items {
            // Machines repeat conjuncts of machines that they include.
            if role != Role::Proposition && !texts.insert((read.clone(), pred_text(model, pred))) {
                continue;
            }
            let idx = conjuncts.list.len();
            let compiled = program.and_then(|program| program.test(pred));
            conjuncts.list.push(Conjunct { pred, number, compiled });
            let group = *groups.entry(read).or_insert_with_key(|read| {
                let memo = words.can_repeat(read).then(|| Memo::new(words.is_frugal, 1 + read.len(), 5, usize::MAX));
                let group = Group { words: read.clone(), members: Vec::new(), below: Vec::new(), is_top: true, memo };
                conjuncts.groups.push(group);
                conjuncts.groups.len() - 1
            });
            conjuncts.groups[group].members.push(idx);
        }
        conjuncts.order();
        conjuncts
    }

    /// Puts each group below the smallest one that reads more.
    pub(crate) fn order(&mut self) {
        let all: Vec<usize> = (0..self.groups.len()).collect();
        let mut readers: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (idx, group) in self.groups.iter().enumerate() {
            group.words.iter().for_each(|word| readers.entry(*word).or_default().push(idx));
        }
        for idx in 0..self.groups.len() {
            let words = &self.groups[idx].words;
            // A group that reads more is among the readers of each word; those of the rarest are enough.
            let candidates =
                words.iter().map(|word| &readers[word]).min_by_key(|readers| readers.len()).unwrap_or(&all);
            let reads_more = |other: &Group| {
                other.words.len() > words.len() && words.iter().all(|word| other.words.binary_search(word).is_ok())
            };
            let above = candidates.iter().copied().filter(|other| reads_more(&self.groups[*other]));
            if let Some(above) = above.min_by_key(|other| self.groups[*other].words.len()) {
                self.groups[above].below.push(idx);
                self.groups[idx].is_top = false;
            }
        }
    }

    pub(crate) fn memos(&self) -> impl Iterator<Item = &Memo> {
        self.groups.iter().filter_map(|group| group.memo.as_ref())
    }
}
