//! Outcomes of operations, remembered as a whole and in stages.
//!
//! As a whole: under all words that determine the outcomes. In stages (`compiled/staged.rs`): conditions, the search for parameters and
//! each new value under the few words that they read. Where the whole is rarely met again, its memo gives itself up and the stages
//! remain; they yield the same outcomes in the same order.

use std::ops::ControlFlow;

use abridge_model::effects::must_write;
use abridge_model::ids::Id as _;
use abridge_model::{Model, OpId, VarId};
use abridge_system::{Alike, Steps};
use abridge_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use super::fast::{FastPath, Trust};
use super::memo::{Key, Memo, Seat};
use super::{Explicit, FIRST_OPERATION, UNSET, Words, fill, is_violation, lock};
use crate::compiled::{Fast, Program, Staged, Stop, Verdict};
use crate::env::State;

/// What is known of one operation.
pub(super) struct Operation {
    op: OpId,
    step: u32,
    /// Words that determine the outcomes.
    key: Vec<usize>,
    /// Words that an outcome may change, in the order of their variables.
    writes: Vec<usize>,
    whole: Option<Memo>,
    stages: Option<Stages>,
}

/// What is remembered of each stage.
struct Stages {
    conditions: Vec<Stage>,
    search: Stage,
    values: Vec<(Stage, Option<usize>)>,
}

struct Stage {
    words: Vec<usize>,
    memo: Option<Memo>,
}

impl Operation {
    pub(super) fn new(model: &Model, words: &Words<'_>, program: Option<&Program>, idx: usize, op: OpId) -> Self {
        let effects = &model.operations[op].effects;
        let mut determines = effects.reads.clone();
        let must = must_write(model, op);
        for id in effects.writes.iter().filter(|id| !must.contains(*id)) {
            determines.insert(id);
        }
        let key = words.of(&determines);
        let staged = program.and_then(|program| program.staged(op));
        let stages = staged.map(|staged| Stages::new(words, staged)).filter(|stages| stages.read_less_than(&key));
        // Stages need less room for the same.
        let (must_hit, most) = if stages.is_some() { (60, 1 << 16) } else { (5, usize::MAX) };
        let whole = words.can_repeat(&key).then(|| Memo::new(1 + key.len(), must_hit, most));
        let writes = effects.writes.iter().filter_map(|id| words.position(id)).collect();
        Operation { op, step: idx as u32 + FIRST_OPERATION, writes, key, whole, stages }
    }

    pub(super) fn memos(&self) -> impl Iterator<Item = &Memo> {
        self.whole.iter().chain(self.stages.iter().flat_map(|stages| stages.all().filter_map(|s| s.memo.as_ref())))
    }
}

impl Stages {
    fn new(words: &Words<'_>, staged: &Staged) -> Self {
        let stage = |reads: &[VarId], n_locals: usize| {
            let read = words.of_those(|id| reads.contains(&id));
            let memo = words.can_repeat(&read).then(|| Memo::new(1 + read.len() + n_locals, 5, usize::MAX));
            Stage { words: read, memo }
        };
        Stages {
            conditions: staged.conditions.iter().map(|condition| stage(&condition.reads, 0)).collect(),
            search: stage(&staged.search.reads, 0),
            values: staged
                .values
                .iter()
                .map(|value| (stage(&value.reads, value.locals.len()), value.target.and_then(|id| words.position(id))))
                .collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Stage> {
        self.conditions.iter().chain([&self.search]).chain(self.values.iter().map(|(stage, _)| stage))
    }

    /// Otherwise stages have no advantage.
    fn read_less_than(&self, key: &[usize]) -> bool {
        self.all().any(|stage| !stage.words.is_empty() && stage.words.len() < key.len())
    }
}

/// One worker's part.
pub(super) struct Performer<'a> {
    operation: &'a Operation,
    whole: Option<Seat<'a>>,
    staged: Option<(&'a Staged, StageSeats<'a>)>,
    trust: Trust,
}

struct StageSeats<'a> {
    conditions: Vec<Option<Seat<'a>>>,
    search: Option<Seat<'a>>,
    values: Vec<Option<Seat<'a>>>,
}

/// Buffers that all operations of a worker use in turn.
#[derive(Default)]
pub(super) struct Scratch {
    key: Vec<u32>,
    found: Vec<u32>,
    target: Vec<u32>,
    entry: Vec<u32>,
    distinct: Distinct,
}

impl<'a> Performer<'a> {
    pub(super) fn new(system: &'a Explicit<'a>, operation: &'a Operation) -> Self {
        let seat = |stage: &'a Stage| stage.memo.as_ref().map(Seat::new);
        let staged = system.program.as_ref().and_then(|program| program.staged(operation.op));
        let staged = staged.zip(operation.stages.as_ref()).map(|(staged, stages)| {
            let seats = StageSeats {
                conditions: stages.conditions.iter().map(seat).collect(),
                search: seat(&stages.search),
                values: stages.values.iter().map(|(stage, _)| seat(stage)).collect(),
            };
            (staged, seats)
        });
        Performer { operation, whole: operation.whole.as_ref().map(Seat::new), staged, trust: Trust::default() }
    }

    pub(super) fn refresh(&mut self) {
        self.whole.iter_mut().for_each(Seat::refresh);
        if let Some((_, seats)) = &mut self.staged {
            let StageSeats { conditions, search, values } = seats;
            conditions.iter_mut().chain([search]).chain(values).flatten().for_each(Seat::refresh);
        }
    }

    /// Adds the steps of the operation out of a state.
    pub(super) fn perform(
        &mut self,
        system: &Explicit<'_>,
        fast: Option<&mut FastPath<'_>>,
        (words, alike): (&[u32], Option<&dyn Alike>),
        state: &mut Option<State>,
        scratch: &mut Scratch,
        out: &mut Steps,
    ) {
        let operation = self.operation;
        // What is alike depends on more than the key of a memo.
        let alike = alike.filter(|_| self.staged.as_ref().is_some_and(|(staged, _)| staged.finds_params()));
        let mut key = None;
        if let Some(whole) = self.whole.as_mut().filter(|whole| !whole.is_off() && alike.is_none()) {
            fill(&mut scratch.key, words, &operation.key);
            match whole.get(&system.lists, &scratch.key) {
                Ok(number) => return operation.emit(system, number, words, scratch, out),
                Err(missing) => key = Some(missing),
            }
        }
        let start = out.len();
        let doubt = self.compute(system, fast, (words, alike), state, scratch, out);
        doubt.add_to(out);
        if let (Some(key), Some(whole)) = (key, &self.whole) {
            operation.keep(system, whole, (key, words), doubt, start, scratch, out);
        }
    }

    /// Computes the steps.
    fn compute(
        &mut self,
        system: &Explicit<'_>,
        fast: Option<&mut FastPath<'_>>,
        (words, alike): (&[u32], Option<&dyn Alike>),
        state: &mut Option<State>,
        scratch: &mut Scratch,
        out: &mut Steps,
    ) -> Doubt {
        let start = out.len();
        if let Some(fast) = fast.filter(|_| self.trust.is_given() && system.config.max_operations.is_none()) {
            let done = match &mut self.staged {
                Some((staged, seats)) => {
                    let mut run = Run { system, fast, words, alike, scratch };
                    self.operation.in_stages(&mut run, staged, seats, out)
                }
                None => self.operation.at_once(system, fast, words, scratch, out),
            };
            self.trust.count(done.is_ok());
            if done.is_ok() {
                return Doubt::default();
            }
            fast.forget();
            out.truncate(start);
        }
        self.operation.plainly(system, words, state.get_or_insert_with(|| system.decode(words).0), scratch, out)
    }
}

/// What is wrong with the steps of an operation.
#[derive(Clone, Copy, Default)]
struct Doubt {
    is_ill_defined: bool,
    /// Some may be missing.
    is_incomplete: bool,
}

impl Doubt {
    fn to_word(self) -> u32 {
        u32::from(self.is_ill_defined) | u32::from(self.is_incomplete) << 1
    }

    fn from_word(word: u32) -> Doubt {
        Doubt { is_ill_defined: word & 1 != 0, is_incomplete: word & 2 != 0 }
    }

    fn add_to(self, out: &mut Steps) {
        out.is_ill_defined |= self.is_ill_defined;
        out.is_incomplete |= self.is_incomplete;
    }
}

/// A state in which stages are evaluated.
struct Run<'r, 'f> {
    system: &'r Explicit<'r>,
    fast: &'r mut FastPath<'f>,
    words: &'r [u32],
    /// Elements whose exchange changes no more than the label of a step.
    alike: Option<&'r dyn Alike>,
    scratch: &'r mut Scratch,
}

impl Operation {
    /// Adds the steps of an entry.
    fn emit(&self, system: &Explicit<'_>, number: u32, words: &[u32], scratch: &mut Scratch, out: &mut Steps) {
        let Some((head, outcomes)) = system.lists.get(number).split_last() else { return };
        Doubt::from_word(*head).add_to(out);
        let target = &mut scratch.target;
        for outcome in outcomes.chunks_exact(1 + self.writes.len()) {
            target.clear();
            target.extend_from_slice(words);
            for (word, value) in self.writes.iter().zip(&outcome[1..]) {
                target[*word] = *value;
            }
            out.push(self.step, outcome[0], target);
        }
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
        for (_, count, target) in out.iter().skip(start) {
            entry.push(count);
            entry.extend(self.writes.iter().map(|word| target[*word]));
        }
        entry.push(doubt.to_word());
        fill(&mut scratch.key, words, &self.key);
        if let Some(number) = system.lists.number(entry) {
            whole.insert(&system.lists, &scratch.key, key, number);
        }
    }

    /// Evaluates stage by stage, each only if it is not remembered.
    fn in_stages(
        &self,
        run: &mut Run<'_, '_>,
        staged: &Staged,
        seats: &mut StageSeats<'_>,
        out: &mut Steps,
    ) -> Fast<()> {
        let Some(stages) = &self.stages else { return Err(Stop::Escape) };
        let mut is_doubtful = false;
        for ((condition, stage), seat) in staged.conditions.iter().zip(&stages.conditions).zip(&mut seats.conditions) {
            let number = run.remembered(stage, seat, &[], |run| {
                run.fast.load(run.system, run.words, &stage.words);
                run.fast.runtime.condition(condition).map(number_of)
            })?;
            match number {
                FALSE => return Ok(()),
                DOUBTFUL => is_doubtful = true,
                _ => {}
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
            match run.alike {
                Some(alike) => grouped(run.system, alike, (0..n_solutions).map(row))
                    .into_iter()
                    .try_for_each(|(idx, count)| self.outcome(run, staged, stages, seats, (row(idx), count), out)),
                None => {
                    (0..n_solutions).try_for_each(|idx| self.outcome(run, staged, stages, seats, (row(idx), 1), out))
                }
            }
        });
        run.scratch.found = found;
        result
    }

    /// Adds the step of a solution that counts for so many.
    fn outcome(
        &self,
        run: &mut Run<'_, '_>,
        staged: &Staged,
        stages: &Stages,
        seats: &mut StageSeats<'_>,
        (found, count): (&[u32], u32),
        out: &mut Steps,
    ) -> Fast<()> {
        let mut target = std::mem::take(&mut run.scratch.target);
        let mut row = std::mem::take(&mut run.scratch.entry);
        target.clear();
        target.extend_from_slice(run.words);
        row.clear();
        let values = staged.values.iter().zip(&stages.values).zip(&mut seats.values);
        let mut result = Ok(());
        for ((value, (stage, place)), seat) in values {
            let locals = value.locals.iter().map(|idx| found[*idx]);
            let number = run.remembered_with(stage, seat, locals, |run| {
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
        if result.is_ok() && (!may_repeat || run.scratch.distinct.insert(&row)) {
            out.push(self.step, count, &target);
        }
        run.scratch.target = target;
        run.scratch.entry = row;
        result
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
        let mut outcomes = Outcomes { operation: self, words, start: out.len(), groups: FxHashMap::default(), out };
        fast.runtime.operation(self.op, &mut |outcome| {
            let written = self.writes.iter().zip(&outcome.written);
            outcomes.add(&mut scratch.target, written.map(|(word, val)| system.encode_val(*word, val)));
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
        let mut outcomes = Outcomes { operation: self, words, start: out.len(), groups: FxHashMap::default(), out };
        let (mut is_ill_defined, mut failure, mut count) = (false, None, 0);
        session.operation(self.op, state, &mut |transition| match transition {
            Ok(transition) => {
                if system.config.max_operations.is_some_and(|max| count >= max) {
                    lock(&system.notes).is_capped = true;
                    return ControlFlow::Break(());
                }
                count += 1;
                let val = |word: &usize| transition.state.variables[system.variables[*word - 1].index()].as_ref();
                let written =
                    self.writes.iter().map(|word| val(word).map_or(UNSET, |val| system.encode_val(*word, val)));
                outcomes.add(&mut scratch.target, written);
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
        let is_incomplete = failure.is_some();
        system.note(&session, &system.model().operations[self.op].name, failure);
        Doubt { is_ill_defined, is_incomplete }
    }
}

/// The first of several solutions that only an exchange of elements tells apart, and how many they are. A solution with elements inside of
/// other values stands alone.
fn grouped<'r>(
    system: &Explicit<'_>,
    alike: &dyn Alike,
    solutions: impl Iterator<Item = &'r [u32]>,
) -> Vec<(usize, u32)> {
    let mut groups: Vec<(usize, u32)> = Vec::new();
    let mut known: FxHashMap<Vec<(u32, u32)>, usize> = FxHashMap::default();
    for (idx, solution) in solutions.enumerate() {
        match pattern(system, alike, solution).map(|pattern| *known.entry(pattern).or_insert(groups.len())) {
            Some(group) if group < groups.len() => groups[group].1 += 1,
            _ => groups.push((idx, 1)),
        }
    }
    groups
}

/// What remains of a solution when elements that are alike are not told apart: their classes, and which are the same.
fn pattern(system: &Explicit<'_>, alike: &dyn Alike, solution: &[u32]) -> Option<Vec<(u32, u32)>> {
    let part = |(idx, id): (usize, &u32)| match system.local(*id).as_value()? {
        Value::Element { set, index } => Some(match alike.class(*set, *index) {
            Some(class) => match solution[..idx].iter().position(|other| other == id) {
                Some(same) => (2, same as u32),
                None => (1, class),
            },
            None => (0, *id),
        }),
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) | Value::String(_) | Value::Real(_) => Some((0, *id)),
        _ => None,
    };
    solution.iter().enumerate().map(part).collect()
}

const FALSE: u32 = 1;
const TRUE: u32 = 2;
const DOUBTFUL: u32 = 3;

fn number_of(verdict: Verdict) -> u32 {
    match verdict {
        Verdict::False => FALSE,
        Verdict::True => TRUE,
        Verdict::Doubtful => DOUBTFUL,
    }
}

impl Run<'_, '_> {
    fn remembered(
        &mut self,
        stage: &Stage,
        seat: &mut Option<Seat<'_>>,
        locals: &[u32],
        compute: impl FnOnce(&mut Self) -> Fast<u32>,
    ) -> Fast<u32> {
        self.remembered_with(stage, seat, locals.iter().copied(), compute)
    }

    /// The number of a stage under its words and some ids of locals.
    fn remembered_with(
        &mut self,
        stage: &Stage,
        seat: &mut Option<Seat<'_>>,
        locals: impl Iterator<Item = u32>,
        compute: impl FnOnce(&mut Self) -> Fast<u32>,
    ) -> Fast<u32> {
        let Some(seat) = seat.as_mut().filter(|seat| !seat.is_off()) else { return compute(self) };
        fill(&mut self.scratch.key, self.words, &stage.words);
        self.scratch.key.extend(locals);
        match seat.get(&self.system.lists, &self.scratch.key) {
            Ok(number) => Ok(number),
            Err(key) => {
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
struct Outcomes<'o> {
    operation: &'o Operation,
    words: &'o [u32],
    start: usize,
    /// Where each target stands, once there are many.
    groups: FxHashMap<Box<[u32]>, usize>,
    out: &'o mut Steps,
}

/// So many targets are compared one by one.
const FEW: usize = 8;

impl Outcomes<'_> {
    fn add(&mut self, target: &mut Vec<u32>, written: impl Iterator<Item = u32>) {
        target.clear();
        target.extend_from_slice(self.words);
        for (word, value) in self.operation.writes.iter().zip(written) {
            target[*word] = value;
        }
        let n_targets = self.out.len() - self.start;
        let known = if n_targets <= FEW {
            self.out.iter().skip(self.start).position(|(_, _, other)| other == target.as_slice())
        } else {
            self.group();
            self.groups.get(target.as_slice()).copied()
        };
        match known {
            Some(idx) => self.out.add_count(self.start + idx, 1),
            None => {
                self.out.push(self.operation.step, 1, target);
                if n_targets > FEW {
                    self.groups.insert(target.as_slice().into(), n_targets);
                }
            }
        }
    }

    fn group(&mut self) {
        if self.groups.is_empty() {
            let targets = self.out.iter().skip(self.start).enumerate();
            self.groups = targets.map(|(idx, (_, _, target))| (target.into(), idx)).collect();
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
