//! Outcomes of operations, remembered as a whole and in stages.
//!
//! As a whole: under all words that determine the outcomes. In stages (`compiled/staged.rs`): conditions, the search for parameters and
//! each new value under the few words that they read. Where the whole is rarely met again, its memo gives itself up and the stages
//! remain; they yield the same outcomes in the same order.

use std::ops::ControlFlow;

use abridge_eval::{State, Val};
use abridge_model::effects::must_write;
use abridge_model::ids::Id as _;
use abridge_model::{LocalId, Model, OpId, VarId};
use abridge_system::{Ahead, Alike, Completeness, Gap, Steps};
use rustc_hash::{FxHashMap, FxHashSet};

use super::alike::{Groups, pattern};
use super::condition::{Conditions, Settled};
use super::fast::{FastPath, Trust};
use super::labelled::label_locals;
use super::memo::{Desk, Key, Memo, Seat};
use super::profile::{Clock, Cost, Measured};
use super::{Explicit, FIRST_OPERATION, UNSET, Words, fill, is_violation};
use abridge_compile::{Fast, OrbitChoice, Program, Stabiliser, Staged, Stop, Verdict};

/// What is known of one operation.
pub(super) struct Operation {
    pub(super) op: OpId,
    pub(super) step: u32,
    /// Words that determine the outcomes.
    pub(super) key: Vec<usize>,
    /// Words that an outcome may change, in the order of their variables.
    pub(super) writes: Vec<usize>,
    /// How many parameters it has.
    n_params: usize,
    /// The locals that label a step.
    pub(super) label: Vec<LocalId>,
    whole: Option<Memo>,
    /// The same with labels.
    labelled: Option<Memo>,
    stages: Option<Stages>,
    /// It has many choices, of which one of each kind may be enough.
    pub(super) choosing: Option<OrbitChoice>,
}

/// What is remembered of each stage.
struct Stages {
    /// Their numbers among all conditions.
    conditions: Vec<usize>,
    search: Stage,
    values: Vec<(Stage, Option<usize>)>,
}

struct Stage {
    words: Vec<usize>,
    memo: Option<Memo>,
}

impl Operation {
    pub(super) fn new(
        model: &Model,
        words: &Words<'_>,
        program: Option<&Program>,
        conditions: &mut Conditions,
        (idx, op): (usize, OpId),
    ) -> Self {
        let effects = &model.operations[op].effects;
        let mut determines = effects.reads.clone();
        let must = must_write(model, op);
        for id in effects.writes.iter().filter(|id| !must.contains(*id)) {
            determines.insert(id);
        }
        let key = words.of(&determines);
        let staged = program.and_then(|program| program.staged(op));
        let stages = staged.map(|staged| Stages::new(model, words, conditions, staged));
        let stages = stages.filter(|stages| stages.read_less_than(conditions, &key));
        // Stages need less room for the same.
        let (must_hit, most) = if stages.is_some() { (60, 1 << 16) } else { (5, usize::MAX) };
        let memo = || Memo::new(1 + key.len(), must_hit, most);
        let whole = words.can_repeat(&key).then(memo);
        let labelled = (words.labels && words.can_repeat(&key)).then(memo);
        let writes = effects.writes.iter().filter_map(|id| words.position(id)).collect();
        let label = match staged.filter(|_| stages.is_some()) {
            Some(staged) => staged.search.locals.clone(),
            None => label_locals(model, program, op),
        };
        let n_params = model.operations[op].params.len();
        let has_form = program.is_some_and(|program| program.has(op));
        let choosing = if has_form { OrbitChoice::of_operation(model, op, words.many_choices) } else { None };
        let step = idx as u32 + FIRST_OPERATION;
        Operation { op, step, writes, n_params, label, key, whole, labelled, stages, choosing }
    }

    pub(super) fn memos(&self) -> impl Iterator<Item = &Memo> {
        self.whole
            .iter()
            .chain(&self.labelled)
            .chain(self.stages.iter().flat_map(|stages| stages.all().filter_map(|s| s.memo.as_ref())))
    }
}

impl Stages {
    fn new(model: &Model, words: &Words<'_>, conditions: &mut Conditions, staged: &Staged) -> Self {
        let stage = |reads: &[VarId], n_locals: usize| {
            let read = words.of_those(|id| reads.contains(&id));
            let memo = words.can_repeat(&read).then(|| Memo::new(1 + read.len() + n_locals, 5, usize::MAX));
            Stage { words: read, memo }
        };
        Stages {
            conditions: staged.conditions.iter().map(|item| conditions.number(model, words, item)).collect(),
            search: stage(&staged.search.reads, 0),
            values: staged
                .values
                .iter()
                .map(|value| (stage(&value.reads, value.locals.len()), value.target.and_then(|id| words.position(id))))
                .collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Stage> {
        [&self.search].into_iter().chain(self.values.iter().map(|(stage, _)| stage))
    }

    /// Otherwise stages have no advantage.
    fn read_less_than(&self, conditions: &Conditions, key: &[usize]) -> bool {
        let conditions = self.conditions.iter().map(|number| conditions.words(*number).len());
        let mut n_words = self.all().map(|stage| stage.words.len()).chain(conditions);
        n_words.any(|n_words| n_words > 0 && n_words < key.len())
    }
}

/// One worker's part.
pub(super) struct Performer<'a> {
    pub(super) operation: &'a Operation,
    whole: Option<Seat<'a>>,
    pub(super) with_labels: Option<Seat<'a>>,
    pub(super) staged: Option<(&'a Staged, StageSeats<'a>)>,
    pub(super) trust: Trust,
    pub(super) cost: Cost,
}

pub(super) struct StageSeats<'a> {
    search: Option<Seat<'a>>,
    values: Vec<Option<Seat<'a>>>,
}

/// What all operations of a worker use in turn.
pub(super) struct Means<'a> {
    pub(super) fast: Option<FastPath<'a>>,
    pub(super) settled: Settled<'a>,
    pub(super) scratch: Scratch,
}

impl<'a> Means<'a> {
    pub(super) fn new(system: &'a Explicit<'a>) -> Self {
        Means { fast: FastPath::new(system), settled: Settled::new(&system.conditions), scratch: Scratch::default() }
    }
}

/// A state out of which steps are sought.
pub(super) struct At<'x, 'a> {
    pub(super) system: &'a Explicit<'a>,
    pub(super) words: &'x [u32],
    /// Elements that play the same part in the state, if use is to be made of them.
    pub(super) alike: Option<&'x dyn Alike>,
    /// The same by kind, once it is needed.
    pub(super) kinds: Option<Stabiliser>,
    /// The state itself, once it is needed.
    pub(super) state: Option<State>,
    pub(super) means: &'x mut Means<'a>,
}

impl<'x, 'a> At<'x, 'a> {
    pub(super) fn new(system: &'a Explicit<'a>, words: &'x [u32], means: &'x mut Means<'a>) -> Self {
        means.settled.begin();
        At { system, words, alike: None, kinds: None, state: None, means }
    }
}

#[derive(Default)]
pub(super) struct Scratch {
    /// The label of every step is wanted, so equal steps with different labels stay apart.
    pub(super) wants_labels: bool,
    pub(super) key: Vec<u32>,
    found: Vec<u32>,
    pub(super) target: Vec<u32>,
    pub(super) entry: Vec<u32>,
    distinct: Distinct,
}

impl<'a> Performer<'a> {
    pub(super) fn new(system: &'a Explicit<'a>, operation: &'a Operation) -> Self {
        let seat = |stage: &'a Stage| stage.memo.as_ref().map(Seat::new);
        let staged = system.program.as_ref().and_then(|program| program.staged(operation.op));
        let staged = staged.zip(operation.stages.as_ref()).map(|(staged, stages)| {
            let seats = StageSeats {
                search: seat(&stages.search),
                values: stages.values.iter().map(|(stage, _)| seat(stage)).collect(),
            };
            (staged, seats)
        });
        Performer {
            operation,
            whole: operation.whole.as_ref().map(Seat::new),
            with_labels: operation.labelled.as_ref().map(Seat::new),
            staged,
            trust: Trust::default(),
            cost: Cost::default(),
        }
    }

    pub(super) fn refresh(&mut self) {
        self.whole.iter_mut().chain(&mut self.with_labels).for_each(Seat::refresh);
        if let Some((_, seats)) = &mut self.staged {
            let StageSeats { search, values } = seats;
            [search].into_iter().chain(values).flatten().for_each(Seat::refresh);
        }
    }

    /// What the operation took so far.
    pub(super) fn cost(&self) -> (Measured, Cost) {
        let stages = self
            .staged
            .iter()
            .flat_map(|(_, StageSeats { search, values })| [search].into_iter().chain(values).flatten());
        let remembered = self.whole.iter().chain(&self.with_labels).chain(stages).map(Seat::n_found).sum();
        (Measured::Operation(self.operation.op), Cost { remembered, ..self.cost })
    }

    /// Fetches what is remembered of states, as far as it is known what will be asked.
    pub(super) fn fetch(&self, states: &[Ahead], desk: &mut Desk) {
        let Operation { key, stages, .. } = self.operation;
        let whole = self.whole.as_ref().filter(|seat| !seat.is_off()).map(|seat| (seat, key));
        let search = || Some((self.staged.as_ref()?.1.search.as_ref()?, &stages.as_ref()?.search.words));
        if let Some((seat, read)) = whole.or_else(search) {
            seat.fetch(states.iter().map(|state| state.words.as_slice()), read, desk);
        }
    }

    /// Adds the steps of the operation out of a state.
    pub(super) fn perform(&mut self, at: &mut At<'_, '_>, out: &mut Steps) -> Completeness {
        let clock = Clock::start(at.system.config.profile);
        let doubt = if out.wants_labels() { self.labelled(at, out) } else { self.answer(at, out) };
        clock.stop(&mut self.cost);
        doubt.add_to(out)
    }

    fn answer(&mut self, at: &mut At<'_, '_>, out: &mut Steps) -> Doubt {
        if at.perform_by_orbit(self.operation, out) {
            self.cost.computed += 1;
            return Doubt::default();
        }
        // What is alike depends on more than the key of a memo.
        let all_alike = at.alike;
        at.alike = all_alike.filter(|_| self.makes_use_of_alike());
        let doubt = self.answer_alike(at, out);
        at.alike = all_alike;
        doubt
    }

    /// Whether it matters which elements play the same part in a state.
    pub(super) fn wants_alike(&self) -> bool {
        self.operation.choosing.is_some() || self.makes_use_of_alike()
    }

    /// Whether something is chosen, and the choice is not better remembered as a whole.
    fn makes_use_of_alike(&self) -> bool {
        match &self.staged {
            Some((staged, _)) => staged.search.n_found() > 0,
            None => self.operation.n_params > 0 && self.whole.as_ref().is_none_or(Seat::is_off),
        }
    }

    fn answer_alike(&mut self, at: &mut At<'_, '_>, out: &mut Steps) -> Doubt {
        let operation = self.operation;
        let mut key = None;
        if let Some(whole) = self.whole.as_mut().filter(|whole| !whole.is_off() && at.alike.is_none()) {
            let scratch = &mut at.means.scratch;
            fill(&mut scratch.key, at.words, &operation.key);
            match whole.get(&at.system.lists, &scratch.key) {
                Ok(number) => return operation.emit(at.system, number, at.words, scratch, out),
                Err(missing) => key = Some(missing),
            }
        }
        let start = out.len();
        let doubt = self.compute(at, out);
        if let (Some(key), Some(whole)) = (key.filter(|_| doubt.is_lasting()), &self.whole) {
            operation.keep(at.system, whole, (key, at.words), doubt, start, &mut at.means.scratch, out);
        }
        doubt
    }

    /// Computes the steps.
    fn compute(&mut self, at: &mut At<'_, '_>, out: &mut Steps) -> Doubt {
        let At { system, words, alike, state, means: Means { fast, settled, scratch }, .. } = at;
        let start = out.len();
        if let Some(fast) = fast.as_mut().filter(|_| self.trust.is_given() && system.config.max_operations.is_none()) {
            let done = match &mut self.staged {
                Some((staged, seats)) => {
                    let mut run = Run { system, fast, words, alike: *alike, scratch, settled, n_computed: 0 };
                    let done = self.operation.in_stages(&mut run, staged, seats, out);
                    self.cost.computed += run.n_computed;
                    done
                }
                None => {
                    self.cost.computed += 1;
                    match alike {
                        Some(alike) => self.operation.at_once_alike(system, fast, words, *alike, scratch, out),
                        None => self.operation.at_once(system, fast, words, scratch, out),
                    }
                }
            };
            self.trust.count(done.is_ok());
            if done.is_ok() {
                return Doubt::default();
            }
            fast.forget();
            out.truncate(start);
        }
        self.cost.plain += 1;
        self.operation.plainly(system, words, state.get_or_insert_with(|| system.decode(words).0), scratch, out)
    }
}

/// What is wrong with the steps of an operation.
#[derive(Clone, Copy, Default)]
pub(super) struct Doubt {
    pub(super) is_ill_defined: bool,
    /// Why some may be missing.
    pub(super) gap: Option<Gap>,
}

/// Gaps as they are remembered, from 1 on. What was stopped is not remembered: it may be asked again.
const GAPS: [Gap; 3] = [Gap::Bounded, Gap::Capped, Gap::Failed];

impl Doubt {
    pub(super) fn to_word(self) -> u32 {
        let gap = GAPS.iter().position(|gap| Some(*gap) == self.gap).map_or(0, |idx| idx as u32 + 1);
        u32::from(self.is_ill_defined) | gap << 1
    }

    pub(super) fn from_word(word: u32) -> Doubt {
        let gap = (word >> 1).checked_sub(1).map(|idx| GAPS[idx as usize]);
        Doubt { is_ill_defined: word & 1 != 0, gap }
    }

    /// The same question gets the same answer again.
    pub(super) fn is_lasting(self) -> bool {
        self.gap != Some(Gap::Stopped)
    }

    fn add_to(self, out: &mut Steps) -> Completeness {
        out.is_ill_defined |= self.is_ill_defined;
        self.gap.into()
    }
}

/// A state in which stages are evaluated.
pub(super) struct Run<'r, 'f, 's> {
    pub(super) system: &'r Explicit<'r>,
    pub(super) fast: &'r mut FastPath<'f>,
    pub(super) words: &'r [u32],
    /// Elements whose exchange changes no more than the label of a step.
    pub(super) alike: Option<&'r dyn Alike>,
    pub(super) scratch: &'r mut Scratch,
    pub(super) settled: &'r mut Settled<'s>,
    /// How often something was not remembered.
    pub(super) n_computed: u64,
}

impl Operation {
    /// Adds the steps of an entry.
    fn emit(&self, system: &Explicit<'_>, number: u32, words: &[u32], scratch: &mut Scratch, out: &mut Steps) -> Doubt {
        let Some((head, outcomes)) = system.lists.get(number).split_last() else { return Doubt::default() };
        let target = &mut scratch.target;
        for outcome in outcomes.chunks_exact(1 + self.writes.len()) {
            target.clear();
            target.extend_from_slice(words);
            for (word, value) in self.writes.iter().zip(&outcome[1..]) {
                target[*word] = *value;
            }
            out.push(self.step, u64::from(outcome[0]), target);
        }
        Doubt::from_word(*head)
    }

    /// Remembers the steps that were added last.
    #[expect(clippy::too_many_arguments, reason = "the ends of one short thread")]
    fn keep(
        &self,
        system: &Explicit<'_>,
        whole: &Seat<'_>,
        (key, words): (Key, &[u32]),
        doubt: Doubt,
        start: usize,
        scratch: &mut Scratch,
        out: &Steps,
    ) {
        let entry = &mut scratch.entry;
        entry.clear();
        for step in out.iter().skip(start) {
            let Ok(count) = u32::try_from(step.count) else { return };
            entry.push(count);
            entry.extend(self.writes.iter().map(|word| step.target[*word]));
        }
        entry.push(doubt.to_word());
        fill(&mut scratch.key, words, &self.key);
        if let Some(number) = system.lists.number(entry) {
            whole.insert(&system.lists, &scratch.key, key, number);
        }
    }

    /// Evaluates stage by stage, each only if it is not remembered.
    pub(super) fn in_stages(
        &self,
        run: &mut Run<'_, '_, '_>,
        staged: &Staged,
        seats: &mut StageSeats<'_>,
        out: &mut Steps,
    ) -> Fast<()> {
        let Some(stages) = &self.stages else { return Err(Stop::Escape) };
        let mut is_doubtful = false;
        for (condition, number) in staged.conditions.iter().zip(&stages.conditions) {
            match run.settled.verdict(*number, condition, run.system, run.fast, run.words)? {
                Verdict::False => return Ok(()),
                Verdict::Doubtful => is_doubtful = true,
                Verdict::True => {}
            }
        }
        let n_found = staged.search.n_found();
        let mut found = std::mem::take(&mut run.scratch.found);
        let n_solutions = if staged.search.is_trivial() {
            found.clear();
            Ok(1)
        } else {
            run.solutions(staged, &stages.search, &mut seats.search, &mut found)
        };
        let result = n_solutions.and_then(|n_solutions| {
            if is_doubtful && n_solutions > 0 {
                return Err(Stop::IllDefined);
            }
            run.scratch.distinct.clear();
            let row = |idx: usize| &found[idx * n_found..(idx + 1) * n_found];
            let mut outcome =
                |run: &mut Run<'_, '_, '_>, idx: usize| self.outcome(run, staged, stages, seats, row(idx));
            match run.alike {
                Some(alike) => {
                    let groups = Groups::of(run.system, alike, (0..n_solutions).map(row));
                    self.by_group(run, &groups, staged.n_params > 0, &mut outcome, out)
                }
                None => (0..n_solutions).try_for_each(|idx| {
                    let is_new = outcome(run, idx)?;
                    if is_new || run.scratch.wants_labels {
                        let label = run.scratch.wants_labels.then(|| run.system.label_of(row(idx)));
                        out.push_labelled(self.step, label, u64::from(is_new), &run.scratch.target);
                    }
                    Ok(())
                }),
            }
        });
        run.scratch.found = found;
        result
    }

    /// Adds one step for each group of solutions, which counts for all of them.
    fn by_group(
        &self,
        run: &mut Run<'_, '_, '_>,
        groups: &Groups,
        are_params: bool,
        outcome: &mut dyn FnMut(&mut Run<'_, '_, '_>, usize) -> Fast<bool>,
        out: &mut Steps,
    ) -> Fast<()> {
        for members in groups.iter() {
            let [first, others @ ..] = members else { continue };
            if !outcome(run, *first)? {
                // What the others lead to has been met as well.
                continue;
            }
            let entry = out.len();
            if are_params {
                out.push(self.step, members.len() as u64, &run.scratch.target);
                continue;
            }
            out.push(self.step, 1, &run.scratch.target);
            // Choices that are not told may come to the same.
            for other in others {
                if outcome(run, *other)? {
                    out.add_count(entry, 1);
                }
            }
        }
        Ok(())
    }

    /// Finds the target of a solution; false if the step is one that was met before.
    fn outcome(
        &self,
        run: &mut Run<'_, '_, '_>,
        staged: &Staged,
        stages: &Stages,
        seats: &mut StageSeats<'_>,
        found: &[u32],
    ) -> Fast<bool> {
        let mut target = std::mem::take(&mut run.scratch.target);
        let mut row = std::mem::take(&mut run.scratch.entry);
        target.clear();
        target.extend_from_slice(run.words);
        row.clear();
        let values = staged.values.iter().zip(&stages.values).zip(&mut seats.values);
        let mut result = Ok(());
        for ((value, (stage, place)), seat) in values {
            let locals = value.locals.iter().map(|idx| found[*idx]);
            let number = run.remembered(stage, seat, locals, |run| {
                run.fast.load(run.system, run.words, &stage.words);
                let locals: Vec<_> = value.locals.iter().map(|idx| run.system.local(found[*idx]).clone()).collect();
                let val = run.fast.runtime.assigned(&staged.search, value, &locals)?;
                let word = match place {
                    Some(place) => run.system.encode_val(*place, &val),
                    None => run.system.locals.intern(&val).0,
                };
                Ok(word + 1)
            });
            match number {
                Ok(number) => {
                    row.push(number - 1);
                    if let Some(place) = place {
                        target[*place] = number - 1;
                    }
                }
                Err(stop) => {
                    result = Err(stop);
                    break;
                }
            }
        }
        // Solutions that differ in parameters are different steps; others may come to the same.
        let may_repeat = staged.n_params == 0 && !found.is_empty();
        let is_new = result.is_ok() && (!may_repeat || run.scratch.distinct.insert(&row));
        run.scratch.target = target;
        run.scratch.entry = row;
        result.map(|()| is_new)
    }

    /// Runs the compiled operation as a whole.
    fn at_once(
        &self,
        system: &Explicit<'_>,
        fast: &mut FastPath<'_>,
        words: &[u32],
        scratch: &mut Scratch,
        out: &mut Steps,
    ) -> Fast<()> {
        fast.load(system, words, self.key.iter().chain(&self.writes));
        let mut outcomes = Outcomes::new(self, words, out);
        fast.runtime.operation(self.op, &mut |outcome| {
            let written = self.writes.iter().zip(outcome.written);
            outcomes.add(&mut scratch.target, 1, written.map(|(word, val)| system.encode_val(*word, val)));
        })
    }

    /// The same for one of several parameters that are alike, which counts for all.
    fn at_once_alike(
        &self,
        system: &Explicit<'_>,
        fast: &mut FastPath<'_>,
        words: &[u32],
        alike: &dyn Alike,
        scratch: &mut Scratch,
        out: &mut Steps,
    ) -> Fast<()> {
        fast.load(system, words, self.key.iter().chain(&self.writes));
        let mut outcomes = Outcomes::new(self, words, out);
        let group = |params: &[Val]| {
            let ids: Vec<u32> = params.iter().map(|val| system.locals.intern(val).0).collect();
            pattern(system, alike, &ids)
        };
        fast.runtime.operation_by_group(self.op, &group, &mut |count, outcome| {
            let written = self.writes.iter().zip(outcome.written);
            outcomes.add(
                &mut scratch.target,
                u64::from(count),
                written.map(|(word, val)| system.encode_val(*word, val)),
            );
        })
    }

    /// Runs the plain interpreter.
    fn plainly(
        &self,
        system: &Explicit<'_>,
        words: &[u32],
        state: &State,
        scratch: &mut Scratch,
        out: &mut Steps,
    ) -> Doubt {
        let session = system.interp.session();
        let mut outcomes = Outcomes::new(self, words, out);
        let (mut is_ill_defined, mut failure, mut count, mut capped) = (false, None, 0, None);
        session.operation(self.op, state, &mut |transition| match transition {
            Ok(transition) => {
                if system.config.max_operations.is_some_and(|max| count >= max) {
                    capped = Some(Gap::Capped);
                    return ControlFlow::Break(());
                }
                count += 1;
                let val = |word: &usize| transition.state.variables[system.variables[*word - 1].index()].as_ref();
                let written =
                    self.writes.iter().map(|word| val(word).map_or(UNSET, |val| system.encode_val(*word, val)));
                outcomes.add(&mut scratch.target, 1, written);
                ControlFlow::Continue(())
            }
            Err(error) => {
                is_ill_defined |= is_violation(&error);
                if !is_violation(&error) {
                    failure = Some(error);
                }
                ControlFlow::Continue(())
            }
        });
        let gap = system.note(&session, &system.model().operations[self.op].name, failure);
        Doubt { is_ill_defined, gap: gap.max(capped) }
    }
}

impl Run<'_, '_, '_> {
    /// The number of a stage under its words and some ids of locals.
    fn remembered(
        &mut self,
        stage: &Stage,
        seat: &mut Option<Seat<'_>>,
        locals: impl Iterator<Item = u32>,
        compute: impl FnOnce(&mut Self) -> Fast<u32>,
    ) -> Fast<u32> {
        let Some(seat) = seat.as_mut().filter(|seat| !seat.is_off()) else {
            self.n_computed += 1;
            return compute(self);
        };
        fill(&mut self.scratch.key, self.words, &stage.words);
        self.scratch.key.extend(locals);
        match seat.get(&self.system.lists, &self.scratch.key) {
            Ok(number) => Ok(number),
            Err(key) => {
                self.n_computed += 1;
                let number = compute(self)?;
                seat.insert(&self.system.lists, &self.scratch.key, key, number);
                Ok(number)
            }
        }
    }

    /// Puts the ids of the found locals of every solution into the list; how many solutions there are.
    fn solutions(
        &mut self,
        staged: &Staged,
        stage: &Stage,
        seat: &mut Option<Seat<'_>>,
        found: &mut Vec<u32>,
    ) -> Fast<usize> {
        found.clear();
        let mut key = None;
        if let Some(seat) = seat.as_mut().filter(|seat| !seat.is_off()) {
            fill(&mut self.scratch.key, self.words, &stage.words);
            match seat.get(&self.system.lists, &self.scratch.key) {
                Ok(number) => {
                    let Some((n_solutions, ids)) = self.system.lists.get(number).split_last() else { return Ok(0) };
                    found.extend_from_slice(ids);
                    return Ok(*n_solutions as usize);
                }
                Err(missing) => key = Some(missing),
            }
        }
        self.n_computed += 1;
        let Run { system, fast, words, scratch, .. } = self;
        fast.load(system, words, &stage.words);
        scratch.distinct.clear();
        let Scratch { entry, distinct, key: words_of_key, .. } = &mut **scratch;
        let mut n_solutions = 0_u32;
        fast.runtime.search(&staged.search, &mut |vals| {
            entry.clear();
            entry.extend(vals.iter().map(|val| system.locals.intern(val).0));
            if distinct.insert(entry) {
                n_solutions += 1;
                found.extend_from_slice(entry);
            }
        })?;
        if let (Some(key), Some(seat)) = (key, seat) {
            found.push(n_solutions);
            if let Some(number) = system.lists.number(found) {
                seat.insert(&system.lists, words_of_key, key, number);
            }
            found.pop();
        }
        Ok(n_solutions as usize)
    }
}

/// Steps of one operation out of one state, with the number of transitions to each target.
pub(super) struct Outcomes<'o> {
    operation: &'o Operation,
    words: &'o [u32],
    start: usize,
    /// Where each target stands, once there are many.
    groups: FxHashMap<Box<[u32]>, usize>,
    out: &'o mut Steps,
}

/// So many targets are compared one by one.
const FEW: usize = 8;

impl<'o> Outcomes<'o> {
    pub(super) fn new(operation: &'o Operation, words: &'o [u32], out: &'o mut Steps) -> Self {
        Outcomes { operation, words, start: out.len(), groups: FxHashMap::default(), out }
    }

    pub(super) fn add(&mut self, target: &mut Vec<u32>, count: u64, written: impl Iterator<Item = u32>) {
        target.clear();
        target.extend_from_slice(self.words);
        for (word, value) in self.operation.writes.iter().zip(written) {
            target[*word] = value;
        }
        let n_targets = self.out.len() - self.start;
        let known = if n_targets <= FEW {
            self.out.iter().skip(self.start).position(|other| other.target == target.as_slice())
        } else {
            self.group();
            self.groups.get(target.as_slice()).copied()
        };
        match known {
            Some(idx) => self.out.add_count(self.start + idx, count),
            None => {
                self.out.push(self.operation.step, count, target);
                if n_targets > FEW {
                    self.groups.insert(target.as_slice().into(), n_targets);
                }
            }
        }
    }

    fn group(&mut self) {
        if self.groups.is_empty() {
            let targets = self.out.iter().skip(self.start).enumerate();
            self.groups = targets.map(|(idx, step)| (step.target.into(), idx)).collect();
        }
    }
}

/// Rows of words, each once.
#[derive(Default)]
struct Distinct {
    rows: Vec<u32>,
    n_rows: usize,
    many: FxHashSet<Box<[u32]>>,
}

impl Distinct {
    fn clear(&mut self) {
        self.rows.clear();
        self.n_rows = 0;
        self.many.clear();
    }

    /// Whether the row, as long as all others, is new.
    fn insert(&mut self, row: &[u32]) -> bool {
        if row.is_empty() {
            self.n_rows += 1;
            return self.n_rows == 1;
        }
        if self.n_rows > FEW {
            return self.many.insert(row.into());
        }
        if self.rows.chunks_exact(row.len()).any(|other| other == row) {
            return false;
        }
        self.rows.extend_from_slice(row);
        self.n_rows += 1;
        if self.n_rows > FEW {
            self.many = self.rows.chunks_exact(row.len()).map(Into::into).collect();
        }
        true
    }
}
