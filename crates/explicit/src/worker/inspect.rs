//! Inspection of states: false and ill-defined conjuncts, goals that are reached.

use abridge_compile::SuccessRate;
use abridge_eval::{Env, State};
use abridge_model_system::ModelSystem as _;
use abridge_system::{Ahead, Completeness, FindingKind, Gap};

use super::fast::FastPath;
use crate::conjunct::{ConjunctMemo, ConjunctRole, Conjuncts, ProvedConjuncts};
use crate::layout::fill;
use crate::memo::{MemoHandle, PrefetchBuffer, gap_number, gap_of_number};
use crate::profile::{Clock, Measured, Usage};
use crate::system::Explicit;

#[derive(Clone, Copy, PartialEq, Eq)]
enum ConjunctValue {
    True,
    False,
    IllDefined,
    /// The evaluation failed, which is noted.
    Unknown,
}

/// Subject of a failure, for messages.
const PROPERTY_SUBJECT: &str = "a property of states";

/// Memo entry of a group with a finding, which is evaluated again to report it.
const FAILS: u32 = 1;

/// Memo entry of a group with nothing to report: the number of the gap is added.
const PASSES: u32 = 2;

/// Conjuncts of one role, for one worker: handles of their memos, success rates and usage.
pub(crate) struct Inspector<'a> {
    conjuncts: &'a Conjuncts,
    handles: Vec<Option<MemoHandle<'a>>>,
    success: Vec<SuccessRate>,
    costs: Vec<Usage>,
    proved: ProvedHere,
    key: Vec<u32>,
    failed: Vec<(u32, FindingKind)>,
    /// Reason why the truth of a conjunct is not known.
    gap: Option<Gap>,
}

/// Conjuncts that need not be evaluated in states with some constants.
#[derive(Default)]
struct ProvedHere {
    constants: Option<u32>,
    conjuncts: Vec<bool>,
    /// Groups without other conjuncts, also below them.
    groups: Vec<bool>,
    is_all: bool,
}

impl ProvedHere {
    fn new(conjuncts: &Conjuncts, proved: &ProvedConjuncts) -> Self {
        let Some(numbers) = proved.of(conjuncts.role).filter(|numbers| !numbers.is_empty()) else {
            return ProvedHere::default();
        };
        let of_conjuncts: Vec<bool> =
            conjuncts.list.iter().map(|conjunct| numbers.contains(conjunct.number as usize)).collect();
        let mut groups = vec![false; conjuncts.groups.len()];
        // A group below another reads fewer words.
        let mut by_size: Vec<usize> = (0..groups.len()).collect();
        by_size.sort_by_key(|group| conjuncts.groups[*group].words.len());
        for idx in by_size {
            let group = &conjuncts.groups[idx];
            groups[idx] = group.members.iter().all(|member| of_conjuncts[*member])
                && group.below.iter().all(|below| groups[*below]);
        }
        let is_all = groups.iter().all(|is_proved| *is_proved);
        ProvedHere { constants: Some(proved.constants), conjuncts: of_conjuncts, groups, is_all }
    }
}

/// State under inspection.
pub(crate) struct InspectedState<'s, 'f> {
    pub(crate) system: &'s Explicit<'s>,
    pub(crate) fast: Option<&'s mut FastPath<'f>>,
    pub(crate) words: &'s [u32],
    pub(crate) state: &'s mut Option<State>,
}

impl<'a> Inspector<'a> {
    pub(crate) fn new(conjuncts: &'a Conjuncts) -> Self {
        Inspector {
            handles: conjuncts.groups.iter().map(|group| group.memo.as_ref().map(MemoHandle::new)).collect(),
            success: conjuncts.list.iter().map(|_| SuccessRate::default()).collect(),
            costs: vec![Usage::default(); conjuncts.list.len()],
            conjuncts,
            proved: ProvedHere::default(),
            key: Vec::new(),
            failed: Vec::new(),
            gap: None,
        }
    }

    pub(crate) fn refresh(&mut self, proved: Option<&ProvedConjuncts>) {
        self.proved = proved.map_or_else(ProvedHere::default, |proved| ProvedHere::new(self.conjuncts, proved));
        self.handles.iter_mut().flatten().for_each(MemoHandle::refresh);
    }

    /// Usage of each conjunct so far.
    pub(crate) fn costs(&self) -> impl Iterator<Item = (Measured, Usage)> {
        let Conjuncts { role, list, groups } = self.conjuncts;
        groups.iter().zip(&self.handles).flat_map(move |(group, handle)| {
            let remembered = handle.as_ref().map_or(0, MemoHandle::n_found);
            group.members.iter().map(move |member| {
                (Measured::conjunct(*role, list[*member].pred), Usage { remembered, ..self.costs[*member] })
            })
        })
    }

    /// Prefetches the memo entries of states.
    pub(crate) fn fetch(&self, states: &[Ahead], buffer: &mut PrefetchBuffer) {
        for (group, handle) in self.conjuncts.groups.iter().zip(&self.handles).filter(|(group, _)| group.is_top) {
            if let Some(handle) = handle {
                let asked = states.iter().filter(|state| !group.is_same(&state.words, state.known_before()));
                handle.fetch(asked.map(|state| state.words.as_slice()), &group.words, buffer);
            }
        }
    }

    /// Whether anything is to be evaluated in states with these constants.
    #[inline]
    pub(crate) fn has_questions(&self, constants: u32) -> bool {
        !(self.conjuncts.groups.is_empty() || self.proved.is_all && self.proved.constants == Some(constants))
    }

    /// Reports findings in the order of conjuncts. Conjuncts that read only words in which the state agrees with `before` have been reported.
    pub(crate) fn inspect(
        &mut self,
        subject: &mut InspectedState<'_, '_>,
        before: Option<&[u32]>,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        let conjuncts = self.conjuncts;
        self.failed.clear();
        self.gap = None;
        let is_known = self.proved.constants == Some(subject.words[0]);
        for (idx, group) in conjuncts.groups.iter().enumerate().filter(|(_, group)| group.is_top) {
            if !(group.is_same(subject.words, before) || is_known && self.proved.groups[idx]) {
                self.group_passes(idx, subject);
            }
        }
        if !self.failed.is_empty() {
            self.failed.sort_unstable();
            self.failed.iter().for_each(|(_, kind)| found(*kind));
        }
        self.gap.into()
    }

    /// Whether there is nothing to report in a group and the groups below it. Findings are collected in `failed`.
    fn group_passes(&mut self, idx: usize, subject: &mut InspectedState<'_, '_>) -> bool {
        let group = &self.conjuncts.groups[idx];
        let mut missing = None;
        if let Some(handle) = self.handles[idx].as_mut().filter(|handle| !handle.is_off()) {
            fill(&mut self.key, subject.words, &group.words);
            match handle.get(&subject.system.lists, &self.key) {
                Ok(number @ PASSES..) => {
                    self.gap = self.gap.max(gap_of_number(number - PASSES));
                    return true;
                }
                Ok(_) => {}
                Err(key) => missing = Some(key),
            }
        }
        let gap_outside = self.gap.take();
        let mut passes = true;
        let is_known = self.proved.constants == Some(subject.words[0]);
        for member in &group.members {
            if !(is_known && self.proved.conjuncts[*member]) {
                passes &= self.passes(*member, &group.words, subject);
            }
        }
        for below in &group.below {
            passes &= self.group_passes(*below, subject);
        }
        if let (Some(key), Some(gap), Some(handle)) = (missing, gap_number(self.gap), &self.handles[idx]) {
            // The groups below have overwritten the key.
            fill(&mut self.key, subject.words, &group.words);
            let number = if passes { PASSES + gap } else { FAILS };
            handle.insert(&subject.system.lists, &self.key, key, number);
        }
        self.gap = self.gap.max(gap_outside);
        passes
    }

    fn passes(&mut self, idx: usize, words: &[usize], subject: &mut InspectedState<'_, '_>) -> bool {
        let conjunct = &self.conjuncts.list[idx];
        let number = conjunct.number;
        let clock = Clock::start(subject.system.config.profile);
        let role = self.conjuncts.role;
        let (truth, gap) = conjunct.truth(role, &self.success[idx], &mut self.costs[idx], words, subject);
        self.gap = self.gap.max(gap);
        clock.stop(&mut self.costs[idx]);
        // What is so only by an assumption, or since not all values were tried, is no finding.
        let truth = if gap.is_some() && truth != ConjunctValue::IllDefined { ConjunctValue::Unknown } else { truth };
        let kind = match (role, truth) {
            (ConjunctRole::Invariant | ConjunctRole::Scope, ConjunctValue::False) => FindingKind::Invariant(number),
            (ConjunctRole::Invariant | ConjunctRole::Scope, ConjunctValue::IllDefined) => {
                FindingKind::IllDefinedInvariant(number)
            }
            (ConjunctRole::Assertion, ConjunctValue::False) => FindingKind::Assertion(number),
            (ConjunctRole::Assertion, ConjunctValue::IllDefined) => FindingKind::IllDefinedAssertion(number),
            (ConjunctRole::Goal, ConjunctValue::True) => FindingKind::Goal,
            (ConjunctRole::Proposition, ConjunctValue::False) => FindingKind::Proposition(number),
            (ConjunctRole::Proposition, ConjunctValue::IllDefined) => FindingKind::IllDefinedProposition(number),
            _ => return true,
        };
        self.failed.push((number, kind));
        false
    }
}

impl ConjunctMemo {
    fn truth(
        &self,
        role: ConjunctRole,
        success: &SuccessRate,
        cost: &mut Usage,
        words: &[usize],
        subject: &mut InspectedState<'_, '_>,
    ) -> (ConjunctValue, Option<Gap>) {
        let InspectedState { system, fast, words: state_words, state } = subject;
        if let (Some(test), Some(fast)) = (self.compiled, fast.as_mut().filter(|_| success.is_worthwhile())) {
            fast.load(system, state_words, words);
            cost.computed += 1;
            let answer = fast.runtime.holds(test);
            success.count(answer.is_ok());
            match answer {
                Ok(holds) => return (if holds { ConjunctValue::True } else { ConjunctValue::False }, None),
                Err(_) => fast.forget(),
            }
        }
        cost.plain += 1;
        self.plain_truth(role, system, state.get_or_insert_with(|| system.decode(state_words).0))
    }

    /// Truth by the interpreter, and the reason why it may not be certain.
    fn plain_truth(&self, role: ConjunctRole, system: &Explicit<'_>, state: &State) -> (ConjunctValue, Option<Gap>) {
        let session = system.interp.session();
        let is_strict = !session.config().ill_defined_guard_is_false;
        let truth = match session.pred(self.pred, &Env::new(state)) {
            Ok(true) => ConjunctValue::True,
            Ok(false) => ConjunctValue::False,
            Err(error) if error.is_failed_assertion() => ConjunctValue::False,
            // A state is not left out because nobody can tell whether it belongs to the scope.
            Err(error) if error.is_violation() && role == ConjunctRole::Scope && is_strict => {
                return (ConjunctValue::Unknown, Some(system.note_open("SCOPE", &error)));
            }
            Err(error) if error.is_violation() => ConjunctValue::IllDefined,
            Err(error) => {
                let gap = system.note(&session, PROPERTY_SUBJECT, Some(error));
                return (ConjunctValue::Unknown, gap);
            }
        };
        (truth, system.note(&session, PROPERTY_SUBJECT, None))
    }
}
