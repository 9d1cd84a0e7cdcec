//! Steps of operations out of a state: from memos, by the compiled form, or by the interpreter.

use std::ops::ControlFlow;

use abridge_compile::{Fast, GuardVerdict, Stabiliser, Staged, Stop, SuccessRate};
use abridge_eval::{State, Transition, Val};
use abridge_model::ids::Id as _;
use abridge_model_system::{ModelSystem as _, UNSET};
use abridge_system::{Ahead, Alike, Completeness, Gap, Steps};

use super::alike::{Groups, pattern};
use super::conditions::GuardVerdicts;
use super::fast::FastPath;
use super::outcomes::{DistinctRows, OperationOutcomes};
use crate::layout::fill;
use crate::memo::{MemoHandle, PackedKey, PrefetchBuffer, gap_number, gap_of_number};
use crate::operation::{OperationMemos, StageMemo, Stages};
use crate::profile::{Clock, Measured, Usage};
use crate::system::Explicit;

/// Operation of a worker: handles of its memos, success rate and usage.
pub(crate) struct Performer<'a> {
    pub(crate) operation: &'a OperationMemos,
    whole: Option<MemoHandle<'a>>,
    pub(crate) with_labels: Option<MemoHandle<'a>>,
    pub(crate) staged: Option<(&'a Staged, StageHandles<'a>)>,
    pub(crate) success: SuccessRate,
    pub(crate) cost: Usage,
}

pub(crate) struct StageHandles<'a> {
    search: Option<MemoHandle<'a>>,
    values: Vec<Option<MemoHandle<'a>>>,
}

/// Buffers shared by the operations of a worker.
pub(crate) struct WorkerBuffers<'a> {
    pub(crate) fast: Option<FastPath<'a>>,
    pub(crate) verdicts: GuardVerdicts<'a>,
    pub(crate) scratch: OperationScratch,
}

impl<'a> WorkerBuffers<'a> {
    pub(crate) fn new(system: &'a Explicit<'a>) -> Self {
        WorkerBuffers {
            fast: FastPath::new(system),
            verdicts: GuardVerdicts::new(&system.conditions),
            scratch: OperationScratch::default(),
        }
    }
}

/// Expansion of one state.
pub(crate) struct StateExpansion<'x, 'a> {
    pub(crate) system: &'a Explicit<'a>,
    pub(crate) words: &'x [u32],
    /// Classes of interchangeable elements of the state, if they are to be exploited.
    pub(crate) alike: Option<&'x dyn Alike>,
    /// Stabiliser of the state, computed at the first use.
    pub(crate) stabiliser: Option<Stabiliser>,
    /// Decoded state, computed at the first use.
    pub(crate) state: Option<State>,
    pub(crate) buffers: &'x mut WorkerBuffers<'a>,
}

impl<'x, 'a> StateExpansion<'x, 'a> {
    pub(crate) fn new(system: &'a Explicit<'a>, words: &'x [u32], buffers: &'x mut WorkerBuffers<'a>) -> Self {
        buffers.verdicts.begin();
        StateExpansion { system, words, alike: None, stabiliser: None, state: None, buffers }
    }
}

#[derive(Default)]
pub(crate) struct OperationScratch {
    /// Labels are wanted, so equal steps with different labels are separate.
    pub(crate) wants_labels: bool,
    pub(crate) key: Vec<u32>,
    found: Vec<u32>,
    pub(crate) target: Vec<u32>,
    pub(crate) entry: Vec<u32>,
    distinct: DistinctRows,
}

impl<'a> Performer<'a> {
    pub(crate) fn new(system: &'a Explicit<'a>, operation: &'a OperationMemos) -> Self {
        let handle = |stage: &'a StageMemo| stage.memo.as_ref().map(MemoHandle::new);
        let staged = system.program.as_ref().and_then(|program| program.staged(operation.op));
        let staged = staged.zip(operation.stages.as_ref()).map(|(staged, stages)| {
            let handles = StageHandles {
                search: handle(&stages.search),
                values: stages.values.iter().map(|(stage, _)| handle(stage)).collect(),
            };
            (staged, handles)
        });
        Performer {
            operation,
            whole: operation.whole.as_ref().map(MemoHandle::new),
            with_labels: operation.labelled.as_ref().map(MemoHandle::new),
            staged,
            success: SuccessRate::default(),
            cost: Usage::default(),
        }
    }

    pub(crate) fn refresh(&mut self) {
        self.whole.iter_mut().chain(&mut self.with_labels).for_each(MemoHandle::refresh);
        if let Some((_, handles)) = &mut self.staged {
            let StageHandles { search, values } = handles;
            [search].into_iter().chain(values).flatten().for_each(MemoHandle::refresh);
        }
    }

    /// Usage of the operation so far.
    pub(crate) fn cost(&self) -> (Measured, Usage) {
        let stages = self
            .staged
            .iter()
            .flat_map(|(_, StageHandles { search, values })| [search].into_iter().chain(values).flatten());
        let remembered = self.whole.iter().chain(&self.with_labels).chain(stages).map(MemoHandle::n_found).sum();
        (Measured::Operation(self.operation.op), Usage { remembered, ..self.cost })
    }

    /// Prefetches the memo entries that the expansion of states will ask for first.
    pub(crate) fn fetch(&self, states: &[Ahead], buffer: &mut PrefetchBuffer) {
        let OperationMemos { key, stages, .. } = self.operation;
        let whole = self.whole.as_ref().filter(|handle| !handle.is_off()).map(|handle| (handle, key));
        let search = || Some((self.staged.as_ref()?.1.search.as_ref()?, &stages.as_ref()?.search.words));
        if let Some((handle, read)) = whole.or_else(search) {
            handle.fetch(states.iter().map(|state| state.words.as_slice()), read, buffer);
        }
    }

    /// Adds the steps of the operation out of a state.
    pub(crate) fn perform(&mut self, at: &mut StateExpansion<'_, '_>, out: &mut Steps) -> Completeness {
        let clock = Clock::start(at.system.config.profile);
        let doubt = if out.wants_labels() { self.labelled(at, out) } else { self.answer(at, out) };
        clock.stop(&mut self.cost);
        doubt.add_to(self.operation.step, out)
    }

    fn answer(&mut self, at: &mut StateExpansion<'_, '_>, out: &mut Steps) -> StepDoubts {
        if at.perform_by_orbit(self.operation, out) {
            self.cost.computed += 1;
            return StepDoubts::default();
        }
        // Interchangeable elements depend on more than the key of a memo, so the two are not combined.
        let all_alike = at.alike;
        at.alike = all_alike.filter(|_| self.makes_use_of_alike());
        let doubt = self.answer_alike(at, out);
        at.alike = all_alike;
        doubt
    }

    /// Whether the operation can exploit interchangeable elements.
    pub(crate) fn wants_alike(&self) -> bool {
        self.operation.by_orbit.is_some() || self.makes_use_of_alike()
    }

    /// Whether the operation makes a choice that is not better memoised as a whole.
    fn makes_use_of_alike(&self) -> bool {
        match &self.staged {
            Some((staged, _)) => staged.search.n_found() > 0,
            None => self.operation.n_params > 0 && self.whole.as_ref().is_none_or(MemoHandle::is_off),
        }
    }

    fn answer_alike(&mut self, at: &mut StateExpansion<'_, '_>, out: &mut Steps) -> StepDoubts {
        let operation = self.operation;
        let mut key = None;
        if let Some(whole) = self.whole.as_mut().filter(|whole| !whole.is_off() && at.alike.is_none()) {
            let scratch = &mut at.buffers.scratch;
            fill(&mut scratch.key, at.words, &operation.key);
            match whole.get(&at.system.lists, &scratch.key) {
                Ok(number) => return operation.emit(at.system, number, at.words, scratch, out),
                Err(missing) => key = Some(missing),
            }
        }
        let start = out.len();
        let doubt = self.compute(at, out);
        if let (Some(key), Some(head), Some(whole)) = (key, doubt.to_word(), &self.whole) {
            operation.keep(at.system, whole, (key, at.words), head, start, &mut at.buffers.scratch, out);
        }
        doubt
    }

    /// Computes the steps.
    #[inline]
    fn compute(&mut self, at: &mut StateExpansion<'_, '_>, out: &mut Steps) -> StepDoubts {
        let StateExpansion { system, words, alike, state, buffers: WorkerBuffers { fast, verdicts, scratch }, .. } = at;
        let start = out.len();
        if let Some(fast) =
            fast.as_mut().filter(|_| self.success.is_worthwhile() && system.config.max_operations.is_none())
        {
            let done = match &mut self.staged {
                Some((staged, handles)) => {
                    let mut run = StageRun { system, fast, words, alike: *alike, scratch, verdicts, n_computed: 0 };
                    let done = self.operation.in_stages(&mut run, staged, handles, out);
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
            self.success.count(done.is_ok());
            if done.is_ok() {
                return StepDoubts::default();
            }
            fast.forget();
            out.truncate(start);
        }
        self.cost.plain += 1;
        self.operation.plainly(system, words, state.get_or_insert_with(|| system.decode(words).0), scratch, out)
    }
}

/// Definedness and completeness of the steps of an operation.
#[derive(Clone, Copy, Default)]
pub(crate) struct StepDoubts {
    pub(crate) is_ill_defined: bool,
    /// Reason why steps may be missing.
    pub(crate) gap: Option<Gap>,
}

impl StepDoubts {
    /// Word of a memo entry; `None` if the same evaluation might give another answer.
    pub(crate) fn to_word(self) -> Option<u32> {
        Some(u32::from(self.is_ill_defined) | gap_number(self.gap)? << 1)
    }

    pub(crate) fn from_word(word: u32) -> StepDoubts {
        StepDoubts { is_ill_defined: word & 1 != 0, gap: gap_of_number(word >> 1) }
    }

    fn add_to(self, operation: u32, out: &mut Steps) -> Completeness {
        if self.is_ill_defined {
            out.push_ill_defined(operation);
        }
        self.gap.into()
    }
}

/// Evaluation of the stages of an operation in a state.
pub(crate) struct StageRun<'r, 'f, 's> {
    pub(crate) system: &'r Explicit<'r>,
    pub(crate) fast: &'r mut FastPath<'f>,
    pub(crate) words: &'r [u32],
    /// Classes of interchangeable elements of the state, if they are to be exploited.
    pub(crate) alike: Option<&'r dyn Alike>,
    pub(crate) scratch: &'r mut OperationScratch,
    pub(crate) verdicts: &'r mut GuardVerdicts<'s>,
    /// Number of memo misses.
    pub(crate) n_computed: u64,
}

impl OperationMemos {
    /// Adds the steps of a memo entry.
    fn emit(
        &self,
        system: &Explicit<'_>,
        number: u32,
        words: &[u32],
        scratch: &mut OperationScratch,
        out: &mut Steps,
    ) -> StepDoubts {
        let Some((head, outcomes)) = system.lists.get(number).split_last() else { return StepDoubts::default() };
        let target = &mut scratch.target;
        for outcome in outcomes.chunks_exact(1 + self.writes.len()) {
            target.clear();
            target.extend_from_slice(words);
            for (word, value) in self.writes.iter().zip(&outcome[1..]) {
                target[*word] = *value;
            }
            out.push(self.step, u64::from(outcome[0]), target);
        }
        StepDoubts::from_word(*head)
    }

    /// Stores the steps from `start` on in the memo.
    #[expect(clippy::too_many_arguments, reason = "the ends of one short thread")]
    fn keep(
        &self,
        system: &Explicit<'_>,
        whole: &MemoHandle<'_>,
        (key, words): (PackedKey, &[u32]),
        head: u32,
        start: usize,
        scratch: &mut OperationScratch,
        out: &Steps,
    ) {
        let entry = &mut scratch.entry;
        entry.clear();
        for step in out.iter_from(start) {
            let Ok(count) = u32::try_from(step.count) else { return };
            entry.push(count);
            entry.extend(self.writes.iter().map(|word| step.target[*word]));
        }
        entry.push(head);
        fill(&mut scratch.key, words, &self.key);
        if let Some(number) = system.lists.number(entry) {
            whole.insert(&system.lists, &scratch.key, key, number);
        }
    }

    /// Evaluates stage by stage; each stage asks its memo first.
    pub(crate) fn in_stages(
        &self,
        run: &mut StageRun<'_, '_, '_>,
        staged: &Staged,
        handles: &mut StageHandles<'_>,
        out: &mut Steps,
    ) -> Fast<()> {
        let Some(stages) = &self.stages else { return Err(Stop::Escape) };
        let mut is_doubtful = false;
        for (condition, number) in staged.conditions.iter().zip(&stages.conditions) {
            match run.verdicts.verdict(*number, condition, run.system, run.fast, run.words)? {
                GuardVerdict::False => return Ok(()),
                GuardVerdict::Doubtful => is_doubtful = true,
                GuardVerdict::True => {}
            }
        }
        // Without parameters the guards are judged before the search of an ANY, and an empty search hides nothing.
        if is_doubtful && staged.n_params == 0 {
            return Err(Stop::IllDefined);
        }
        let n_found = staged.search.n_found();
        let mut found = std::mem::take(&mut run.scratch.found);
        let n_solutions = if staged.search.is_trivial() {
            found.clear();
            Ok(1)
        } else {
            run.solutions(staged, &stages.search, &mut handles.search, &mut found)
        };
        let result = n_solutions.and_then(|n_solutions| {
            if is_doubtful && n_solutions > 0 {
                return Err(Stop::IllDefined);
            }
            run.scratch.distinct.clear();
            let row = |idx: usize| &found[idx * n_found..(idx + 1) * n_found];
            let mut outcome =
                |run: &mut StageRun<'_, '_, '_>, idx: usize| self.outcome(run, staged, stages, handles, row(idx));
            match run.alike {
                Some(alike) => {
                    let groups = Groups::of(run.system, alike, (0..n_solutions).map(row));
                    self.by_group(run, &groups, staged.n_params > 0, &mut outcome, out)
                }
                None => (0..n_solutions).try_for_each(|idx| {
                    let is_new = outcome(run, idx)?;
                    if run.scratch.wants_labels {
                        let label = stages.label(run, row(idx));
                        out.push_labelled(self.step, Some(label), u64::from(is_new), &run.scratch.target);
                    } else if is_new {
                        out.push(self.step, 1, &run.scratch.target);
                    }
                    Ok(())
                }),
            }
        });
        run.scratch.found = found;
        result
    }

    /// Adds one step for each group of solutions, with the count of the group.
    fn by_group(
        &self,
        run: &mut StageRun<'_, '_, '_>,
        groups: &Groups,
        are_params: bool,
        outcome: &mut dyn FnMut(&mut StageRun<'_, '_, '_>, usize) -> Fast<bool>,
        out: &mut Steps,
    ) -> Fast<()> {
        for members in groups.iter() {
            let [first, others @ ..] = members else { continue };
            if !outcome(run, *first)? {
                // The other members then repeat transitions too.
                continue;
            }
            let entry = out.len();
            if are_params {
                out.push(self.step, members.len() as u64, &run.scratch.target);
                continue;
            }
            out.push(self.step, 1, &run.scratch.target);
            // Without parameters, different choices may be the same transition, so each is evaluated to be counted.
            for other in others {
                if outcome(run, *other)? {
                    out.add_count(entry, 1);
                }
            }
        }
        Ok(())
    }

    /// Computes the target of a solution; `false` if the transition repeats an earlier one.
    fn outcome(
        &self,
        run: &mut StageRun<'_, '_, '_>,
        staged: &Staged,
        stages: &Stages,
        handles: &mut StageHandles<'_>,
        found: &[u32],
    ) -> Fast<bool> {
        let mut target = std::mem::take(&mut run.scratch.target);
        let mut row = std::mem::take(&mut run.scratch.entry);
        target.clear();
        target.extend_from_slice(run.words);
        row.clear();
        let values = staged.values.iter().zip(&stages.values).zip(&mut handles.values);
        let mut result = Ok(());
        for ((value, (stage, place)), handle) in values {
            let locals = value.locals.iter().map(|idx| found[*idx]);
            let number = run.remembered(stage, handle, locals, |run| {
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
        // Solutions that differ in parameters are different transitions; others may coincide.
        let may_repeat = staged.n_params == 0 && !found.is_empty();
        let is_new = result.is_ok() && (!may_repeat || run.scratch.distinct.insert(&row));
        run.scratch.target = target;
        run.scratch.entry = row;
        result.map(|()| is_new)
    }

    /// Runs the compiled form of the whole operation.
    fn at_once(
        &self,
        system: &Explicit<'_>,
        fast: &mut FastPath<'_>,
        words: &[u32],
        scratch: &mut OperationScratch,
        out: &mut Steps,
    ) -> Fast<()> {
        fast.load(system, words, &self.touched);
        let mut outcomes = OperationOutcomes::new(self, words, out);
        fast.runtime.operation(self.op, &mut |outcome| {
            let written = self.writes.iter().zip(outcome.written);
            outcomes.add(&mut scratch.target, 1, written.map(|(word, val)| system.encode_val(*word, val)));
        })
    }

    /// [`OperationMemos::at_once`] for one representative of each group of parameters, with the count of the group.
    fn at_once_alike(
        &self,
        system: &Explicit<'_>,
        fast: &mut FastPath<'_>,
        words: &[u32],
        alike: &dyn Alike,
        scratch: &mut OperationScratch,
        out: &mut Steps,
    ) -> Fast<()> {
        fast.load(system, words, &self.touched);
        let mut outcomes = OperationOutcomes::new(self, words, out);
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

    /// Runs the interpreter.
    fn plainly(
        &self,
        system: &Explicit<'_>,
        words: &[u32],
        state: &State,
        scratch: &mut OperationScratch,
        out: &mut Steps,
    ) -> StepDoubts {
        let mut outcomes = OperationOutcomes::new(self, words, out);
        self.transitions(system, state, &mut |transition| {
            outcomes.add(&mut scratch.target, 1, self.written(system, transition));
        })
    }

    /// Calls `found` with the transitions that the interpreter finds, up to the cap on their number.
    pub(crate) fn transitions(
        &self,
        system: &Explicit<'_>,
        state: &State,
        found: &mut dyn FnMut(&Transition),
    ) -> StepDoubts {
        let session = system.interp.session();
        let (mut is_ill_defined, mut failure, mut count, mut capped) = (false, None, 0, None);
        session.operation(self.op, state, &mut |transition| {
            match transition {
                Ok(_) if system.config.max_operations.is_some_and(|max| count >= max) => {
                    capped = Some(Gap::Capped);
                    return ControlFlow::Break(());
                }
                Ok(transition) => {
                    count += 1;
                    found(&transition);
                }
                Err(error) if error.is_violation() => is_ill_defined = true,
                Err(error) => failure = Some(error),
            }
            ControlFlow::Continue(())
        });
        let gap = system.note(&session, &system.model().operations[self.op].name, failure);
        StepDoubts { is_ill_defined, gap: gap.max(capped) }
    }

    /// Words that a transition writes.
    pub(crate) fn written(&self, system: &Explicit<'_>, transition: &Transition) -> impl Iterator<Item = u32> {
        self.writes.iter().map(|word| {
            let val = transition.state.variables[system.variables[*word - 1].index()].as_ref();
            val.map_or(UNSET, |val| system.encode_val(*word, val))
        })
    }
}

impl StageRun<'_, '_, '_> {
    /// Number of a stage, keyed by the words that it reads and the ids of locals: from its memo, or computed and stored.
    fn remembered(
        &mut self,
        stage: &StageMemo,
        handle: &mut Option<MemoHandle<'_>>,
        locals: impl Iterator<Item = u32>,
        compute: impl FnOnce(&mut Self) -> Fast<u32>,
    ) -> Fast<u32> {
        let Some(handle) = handle.as_mut().filter(|handle| !handle.is_off()) else {
            self.n_computed += 1;
            return compute(self);
        };
        fill(&mut self.scratch.key, self.words, &stage.words);
        self.scratch.key.extend(locals);
        match handle.get(&self.system.lists, &self.scratch.key) {
            Ok(number) => Ok(number),
            Err(key) => {
                self.n_computed += 1;
                let number = compute(self)?;
                handle.insert(&self.system.lists, &self.scratch.key, key, number);
                Ok(number)
            }
        }
    }

    /// Appends the ids of the found locals of every solution to `found`. Returns the number of solutions.
    fn solutions(
        &mut self,
        staged: &Staged,
        stage: &StageMemo,
        handle: &mut Option<MemoHandle<'_>>,
        found: &mut Vec<u32>,
    ) -> Fast<usize> {
        found.clear();
        let mut key = None;
        if let Some(handle) = handle.as_mut().filter(|handle| !handle.is_off()) {
            fill(&mut self.scratch.key, self.words, &stage.words);
            match handle.get(&self.system.lists, &self.scratch.key) {
                Ok(number) => {
                    let Some((n_solutions, ids)) = self.system.lists.get(number).split_last() else { return Ok(0) };
                    found.extend_from_slice(ids);
                    return Ok(*n_solutions as usize);
                }
                Err(missing) => key = Some(missing),
            }
        }
        self.n_computed += 1;
        let StageRun { system, fast, words, scratch, .. } = self;
        fast.load(system, words, &stage.words);
        scratch.distinct.clear();
        let OperationScratch { entry, distinct, key: words_of_key, .. } = &mut **scratch;
        let mut n_solutions = 0_u32;
        fast.runtime.search(&staged.search, &mut |vals| {
            entry.clear();
            entry.extend(vals.iter().map(|val| system.locals.intern(val).0));
            if distinct.insert(entry) {
                n_solutions += 1;
                found.extend_from_slice(entry);
            }
        })?;
        if let (Some(key), Some(handle)) = (key, handle) {
            found.push(n_solutions);
            if let Some(number) = system.lists.number(found) {
                handle.insert(&system.lists, words_of_key, key, number);
            }
            found.pop();
        }
        Ok(n_solutions as usize)
    }
}
