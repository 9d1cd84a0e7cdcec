//! Properties of states: conjuncts of the invariant, assertions and the goal.
//!
//! Conjuncts that read the same words form a group, and a group is remembered under those words. A group whose words are among those of
//! another one is looked at only when that one is not known to be fine. So most states need one lookup for each of few groups, and none for
//! a group whose words are those of the state before.

use abridge_eval::{Env, State};
use abridge_model::dump::pred_text;
use abridge_model::{Model, PredId};
use abridge_system::{Ahead, Completeness, FindingKind, Gap};

use super::fast::{FastPath, Trust};
use super::memo::{Desk, Memo, Seat};
use super::profile::{Clock, Cost, Measured};
use super::{Explicit, Words, fill, is_violation};
use abridge_compile::Program;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Invariant,
    Assertion,
    Goal,
    Proposition,
}

pub(super) struct Conjuncts {
    role: Role,
    list: Vec<Conjunct>,
    groups: Vec<Group>,
}

struct Conjunct {
    pred: PredId,
    number: u32,
    compiled: Option<usize>,
}

struct Group {
    words: Vec<usize>,
    /// Conjuncts that read exactly these words.
    members: Vec<usize>,
    /// Groups that read less and are looked at together with this one.
    below: Vec<usize>,
    is_top: bool,
    memo: Option<Memo>,
}

impl Group {
    /// Whether a state agrees with the one before in all that is read.
    fn is_same(&self, words: &[u32], before: Option<&[u32]>) -> bool {
        before
            .is_some_and(|before| before[0] == words[0] && self.words.iter().all(|word| before[*word] == words[*word]))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    True,
    False,
    IllDefined,
    /// Could not be evaluated; a failure is noted.
    Unknown,
}

/// Where a failure was met, for messages.
const PROPERTY: &str = "a property of states";

/// Nothing is to be reported.
const FINE: u32 = 1;
const NOT_FINE: u32 = 2;
/// Nothing is to be reported, as far as is known: the number of a gap is added.
const FINE_BUT: u32 = 3;
/// Gaps as they are remembered. What was stopped is not remembered: it may be asked again.
const GAPS: [Gap; 3] = [Gap::Bounded, Gap::Capped, Gap::Failed];

impl Conjuncts {
    /// Numbers, predicates and the words they read.
    pub(super) fn new(
        model: &Model,
        words: &Words<'_>,
        program: Option<&Program>,
        role: Role,
        items: impl Iterator<Item = (u32, PredId, Vec<usize>)>,
    ) -> Self {
        let mut conjuncts = Conjuncts { role, list: Vec::new(), groups: Vec::new() };
        let mut texts: Vec<(Vec<usize>, String)> = Vec::new();
        for (number, pred, read) in items {
            // Machines repeat conjuncts of machines that they include.
            let text = (read, pred_text(model, pred));
            if role != Role::Proposition && texts.contains(&text) {
                continue;
            }
            let idx = conjuncts.list.len();
            let compiled = program.and_then(|program| program.test(pred));
            conjuncts.list.push(Conjunct { pred, number, compiled });
            match conjuncts.groups.iter_mut().find(|group| group.words == text.0) {
                Some(group) => group.members.push(idx),
                None => {
                    let memo = words.can_repeat(&text.0).then(|| Memo::new(1 + text.0.len(), 5, usize::MAX));
                    let group =
                        Group { words: text.0.clone(), members: vec![idx], below: Vec::new(), is_top: true, memo };
                    conjuncts.groups.push(group);
                }
            }
            texts.push(text);
        }
        conjuncts.order();
        conjuncts
    }

    /// Puts each group below the smallest one that reads more.
    fn order(&mut self) {
        for idx in 0..self.groups.len() {
            let words = &self.groups[idx].words;
            let reads_more =
                |other: &Group| other.words.len() > words.len() && words.iter().all(|word| other.words.contains(word));
            let above = (0..self.groups.len()).filter(|other| reads_more(&self.groups[*other]));
            if let Some(above) = above.min_by_key(|other| self.groups[*other].words.len()) {
                self.groups[above].below.push(idx);
                self.groups[idx].is_top = false;
            }
        }
    }

    pub(super) fn memos(&self) -> impl Iterator<Item = &Memo> {
        self.groups.iter().filter_map(|group| group.memo.as_ref())
    }
}

/// One worker's part.
pub(super) struct Inspector<'a> {
    conjuncts: &'a Conjuncts,
    seats: Vec<Option<Seat<'a>>>,
    trust: Vec<Trust>,
    costs: Vec<Cost>,
    key: Vec<u32>,
    failed: Vec<(u32, FindingKind)>,
    /// Why the truth of something is not known.
    gap: Option<Gap>,
}

/// A state under inspection.
pub(super) struct Subject<'s, 'f> {
    pub(super) system: &'s Explicit<'s>,
    pub(super) fast: Option<&'s mut FastPath<'f>>,
    pub(super) words: &'s [u32],
    pub(super) state: &'s mut Option<State>,
}

impl<'a> Inspector<'a> {
    pub(super) fn new(conjuncts: &'a Conjuncts) -> Self {
        Inspector {
            seats: conjuncts.groups.iter().map(|group| group.memo.as_ref().map(Seat::new)).collect(),
            trust: conjuncts.list.iter().map(|_| Trust::default()).collect(),
            costs: vec![Cost::default(); conjuncts.list.len()],
            conjuncts,
            key: Vec::new(),
            failed: Vec::new(),
            gap: None,
        }
    }

    pub(super) fn refresh(&mut self) {
        self.seats.iter_mut().flatten().for_each(Seat::refresh);
    }

    /// What each conjunct took so far.
    pub(super) fn costs(&self) -> impl Iterator<Item = (Measured, Cost)> {
        let Conjuncts { role, list, groups } = self.conjuncts;
        groups.iter().zip(&self.seats).flat_map(move |(group, seat)| {
            let remembered = seat.as_ref().map_or(0, Seat::n_found);
            group.members.iter().map(move |member| {
                (Measured::conjunct(*role, list[*member].pred), Cost { remembered, ..self.costs[*member] })
            })
        })
    }

    /// Fetches what is remembered of states.
    pub(super) fn fetch(&self, states: &[Ahead], desk: &mut Desk) {
        for (group, seat) in self.conjuncts.groups.iter().zip(&self.seats).filter(|(group, _)| group.is_top) {
            if let Some(seat) = seat {
                let asked = states.iter().filter(|state| !group.is_same(&state.words, Some(&state.before)));
                seat.fetch(asked.map(|state| state.words.as_slice()), &group.words, desk);
            }
        }
    }

    /// Reports what fails, by number. What depends on words in which the state agrees with the one before has been reported.
    pub(super) fn inspect(
        &mut self,
        subject: &mut Subject<'_, '_>,
        before: Option<&[u32]>,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        let conjuncts = self.conjuncts;
        self.failed.clear();
        self.gap = None;
        for (idx, group) in conjuncts.groups.iter().enumerate().filter(|(_, group)| group.is_top) {
            if !group.is_same(subject.words, before) {
                self.is_fine(idx, subject);
            }
        }
        if !self.failed.is_empty() {
            self.failed.sort_unstable();
            self.failed.iter().for_each(|(_, kind)| found(*kind));
        }
        self.gap.into()
    }

    /// Whether nothing in a group and those below it is to be reported; otherwise it is noted.
    fn is_fine(&mut self, idx: usize, subject: &mut Subject<'_, '_>) -> bool {
        let group = &self.conjuncts.groups[idx];
        let mut missing = None;
        if let Some(seat) = self.seats[idx].as_mut().filter(|seat| !seat.is_off()) {
            fill(&mut self.key, subject.words, &group.words);
            match seat.get(&subject.system.lists, &self.key) {
                Ok(FINE) => return true,
                Ok(number @ FINE_BUT..) => {
                    self.gap = self.gap.max(GAPS.get((number - FINE_BUT) as usize).copied());
                    return true;
                }
                Ok(_) => {}
                Err(key) => missing = Some(key),
            }
        }
        let gap_outside = self.gap.take();
        let mut is_fine = true;
        for member in &group.members {
            is_fine &= self.passes(*member, &group.words, subject);
        }
        for below in &group.below {
            is_fine &= self.is_fine(*below, subject);
        }
        if let (Some(key), Some(seat)) = (missing.filter(|_| self.gap != Some(Gap::Stopped)), &self.seats[idx]) {
            // Groups below have used the buffer.
            fill(&mut self.key, subject.words, &group.words);
            let gap = GAPS.iter().position(|gap| Some(*gap) == self.gap);
            let number = match (is_fine, gap) {
                (true, Some(gap)) => FINE_BUT + gap as u32,
                (true, None) => FINE,
                (false, _) => NOT_FINE,
            };
            seat.insert(&subject.system.lists, &self.key, key, number);
        }
        self.gap = self.gap.max(gap_outside);
        is_fine
    }

    fn passes(&mut self, idx: usize, words: &[usize], subject: &mut Subject<'_, '_>) -> bool {
        let conjunct = &self.conjuncts.list[idx];
        let number = conjunct.number;
        let clock = Clock::start(subject.system.config.profile);
        let (truth, gap) = conjunct.truth(&mut self.trust[idx], &mut self.costs[idx], words, subject);
        self.gap = self.gap.max(gap);
        clock.stop(&mut self.costs[idx]);
        let kind = match (self.conjuncts.role, truth) {
            (Role::Invariant, Truth::False) => FindingKind::Invariant(number),
            (Role::Invariant, Truth::IllDefined) => FindingKind::IllDefinedInvariant(number),
            (Role::Assertion, Truth::False) => FindingKind::Assertion(number),
            (Role::Assertion, Truth::IllDefined) => FindingKind::IllDefinedAssertion(number),
            (Role::Goal, Truth::True) => FindingKind::Goal,
            (Role::Proposition, Truth::False) => FindingKind::Proposition(number),
            (Role::Proposition, Truth::IllDefined) => FindingKind::IllDefinedProposition(number),
            _ => return true,
        };
        self.failed.push((number, kind));
        false
    }
}

impl Conjunct {
    fn truth(
        &self,
        trust: &mut Trust,
        cost: &mut Cost,
        words: &[usize],
        subject: &mut Subject<'_, '_>,
    ) -> (Truth, Option<Gap>) {
        let Subject { system, fast, words: state_words, state } = subject;
        if let (Some(test), Some(fast)) = (self.compiled, fast.as_mut().filter(|_| trust.is_given())) {
            fast.load(system, state_words, words);
            cost.computed += 1;
            let answer = fast.runtime.holds(test);
            trust.count(answer.is_ok());
            match answer {
                Ok(holds) => return (if holds { Truth::True } else { Truth::False }, None),
                Err(_) => fast.forget(),
            }
        }
        cost.plain += 1;
        self.plain_truth(system, state.get_or_insert_with(|| system.decode(state_words).0))
    }

    /// The truth, and why it may not be certain.
    fn plain_truth(&self, system: &Explicit<'_>, state: &State) -> (Truth, Option<Gap>) {
        let session = system.interp.session();
        let truth = match session.pred(self.pred, &Env::new(state)) {
            Ok(true) => Truth::True,
            Ok(false) => Truth::False,
            Err(error) if error.is_failed_assertion() => Truth::False,
            Err(error) if is_violation(&error) => Truth::IllDefined,
            Err(error) => {
                let gap = system.note(&session, PROPERTY, Some(error));
                return (Truth::Unknown, gap);
            }
        };
        (truth, system.note(&session, PROPERTY, None))
    }
}
