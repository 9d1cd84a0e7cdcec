//! Search for the solutions of compiled plans: each step binds slots or drops the current candidate.

use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_eval::{SymbolicSet, Val};
use abridge_model::UnaryOp;
use abridge_value::{Set, Value, relation};

use super::split::Rest;
use super::{Fast, Runtime, Stop, unset};
use crate::code::{CandidateSource, Code, Head, Plan, PlanStep, ValuePattern};

/// Largest number of functions or subsets tried one by one. Beyond it the plain interpreter, which has the solver, is better.
pub(crate) const MAX_TRIED_VALUES: u64 = 1 << 15;

/// Largest number of integers tried one by one if conditions bound them further. Beyond it the solver is better.
const MAX_TRIED_INTEGERS: u64 = 1 << 16;

pub(crate) type Solution<'s, 'r> = dyn FnMut(&mut Runtime<'r>) -> Fast<ControlFlow<()>> + 's;

/// Nested parts of a list per check of the stack.
const UNWATCHED_PARTS: usize = 16;

/// Whether the stack is to be checked here: at one part in [`UNWATCHED_PARTS`], and at none of a short list.
#[inline]
pub(crate) fn is_last_unwatched<T>(parts: &[T]) -> bool {
    parts.len() % UNWATCHED_PARTS == UNWATCHED_PARTS - 1
}

pub(crate) const GO_ON: Fast<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

impl<'r> Runtime<'r> {
    /// Calls `found` in every solution of a plan, until it breaks.
    pub(crate) fn solutions(&mut self, plan: &Plan, found: &mut Solution<'_, 'r>) -> Fast<ControlFlow<()>> {
        match &plan.table {
            Some(table) if !self.prefers_search(plan) => self.tabulated(plan, table, found),
            _ => with_stack(|| self.run(&plan.steps, false, found)),
        }
    }

    /// Calls `found` in every solution of a plan.
    pub(crate) fn every(&mut self, plan: &Plan, found: &mut dyn FnMut(&mut Runtime<'r>) -> Fast<()>) -> Fast<()> {
        self.solutions(plan, &mut |runtime| found(runtime).map(ControlFlow::Continue)).map(|_| ())
    }

    /// Whether a candidate with an ill-defined condition is no solution.
    #[inline]
    pub(crate) fn is_lenient(&self) -> bool {
        self.session.config().ill_defined_search_is_false && !self.is_strict
    }

    /// Calls `found` in every solution of the steps, until it breaks. `is_doubtful` records that a condition that is not searched was ill-defined.
    pub(crate) fn run(
        &mut self,
        steps: &[PlanStep],
        mut is_doubtful: bool,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        match self.leading_tests(steps, &mut is_doubtful)? {
            None => GO_ON,
            // A condition that is not searched was ill-defined; the plain interpreter decides.
            Some([]) if is_doubtful => Err(Stop::IllDefined),
            Some([]) => found(self),
            // Every step calls the ones after it, so the depth of the stack grows.
            Some(steps) if is_last_unwatched(steps) => with_stack(|| self.step(steps, is_doubtful, found)),
            Some(steps) => self.step(steps, is_doubtful, found),
        }
    }

    /// Evaluates the tests at the front of a plan. Returns the steps after them, or `None` if a test fails.
    pub(crate) fn leading_tests<'s>(
        &mut self,
        mut steps: &'s [PlanStep],
        is_doubtful: &mut bool,
    ) -> Fast<Option<&'s [PlanStep]>> {
        self.tick()?;
        while let [PlanStep::Test { test, is_searched }, rest @ ..] = steps {
            match self.test(test) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(Stop::IllDefined) if *is_searched && self.is_lenient() => return Ok(None),
                Err(Stop::IllDefined) if !is_searched => *is_doubtful = true,
                Err(stop) => return Err(stop),
            }
            steps = rest;
        }
        Ok(Some(steps))
    }

    /// [`Runtime::run`] if the first step is no test.
    #[inline]
    fn step(&mut self, steps: &[PlanStep], is_doubtful: bool, found: &mut Solution<'_, 'r>) -> Fast<ControlFlow<()>> {
        let Some((step, rest)) = steps.split_first() else { return self.run(steps, is_doubtful, found) };
        let lenient = self.is_lenient();
        match step {
            PlanStep::Test { .. } => self.run(steps, is_doubtful, found),
            PlanStep::Match { pattern, code } => match self.code(code) {
                Ok(value) => self.matched(pattern, &value, rest, is_doubtful, found),
                Err(Stop::IllDefined) if lenient => GO_ON,
                Err(stop) => Err(stop),
            },
            PlanStep::Images { relation, key, pattern } => {
                self.each_image(relation, key, pattern, &Rest { steps: rest, is_doubtful }, found)
            }
            PlanStep::Rows(plan) => self.solutions(plan, &mut |runtime| runtime.run(rest, is_doubtful, found)),
            PlanStep::Join { plan, key, value } => {
                self.joined(plan, (key, value), &mut |runtime| runtime.run(rest, is_doubtful, found))
            }
            PlanStep::Prefixes { plan, tests } => {
                self.by_prefix(plan, tests, &mut |runtime| runtime.run(rest, is_doubtful, found))
            }
            PlanStep::Lookup(keys) => {
                self.by_inverse(keys, is_doubtful, &mut |runtime| runtime.run(rest, false, found))
            }
            PlanStep::Either(branches) => {
                for branch in branches {
                    let flow = self.run(branch, false, &mut |runtime| runtime.run(rest, is_doubtful, found))?;
                    if flow.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                GO_ON
            }
            PlanStep::Sorted { branches, slots } => {
                self.sorted(branches.iter().map(Vec::as_slice), slots, &Rest { steps: rest, is_doubtful }, found)
            }
            PlanStep::Split { code, parts } => match self.lenient_items(code)? {
                Some(items) => self.split(parts, &items, &Rest { steps: rest, is_doubtful }, found),
                None => GO_ON,
            },
            PlanStep::Range { slot, low, high, is_bounded } => match self.range(low, high) {
                Ok(None) => GO_ON,
                Ok(Some((low, high))) if *is_bounded && high.abs_diff(low) >= MAX_TRIED_INTEGERS => Err(Stop::Escape),
                Ok(Some(ends)) => self.each_integer(*slot, ends, &Rest { steps: rest, is_doubtful }, found),
                Err(Stop::IllDefined) if lenient => GO_ON,
                Err(stop) => Err(stop),
            },
            PlanStep::Each { pattern, source, orbits } => match self.elements(source) {
                Ok(elements) => {
                    let rest = Rest { steps: rest, is_doubtful };
                    if let (ValuePattern::Bind(slot), Some(orbits)) = (pattern, orbits)
                        && let Some(answer) = self.each_orbit((orbits, *slot), &elements, &rest, found)
                    {
                        return answer;
                    }
                    self.each_element(pattern, &elements, &rest, found)
                }
                Err(Stop::IllDefined) if lenient => GO_ON,
                Err(stop) => Err(stop),
            },
        }
    }

    /// Runs the rest for every solution of some branches, each once, in the order of the values of the slots that they bind.
    pub(crate) fn sorted<'b>(
        &mut self,
        branches: impl IntoIterator<Item = &'b [PlanStep]>,
        slots: &[usize],
        rest: &Rest<'_>,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for branch in branches {
            let _ = self.run(branch, false, &mut |runtime| {
                rows.push(runtime.concrete_values(slots)?);
                GO_ON
            })?;
        }
        rows.sort_unstable();
        rows.dedup();
        self.each_row(rows.iter().map(Vec::as_slice), slots, &mut |runtime| {
            runtime.run(rest.steps, rest.is_doubtful, found)
        })
    }

    /// Runs the rest for every element of a set that matches a pattern.
    fn each_element(
        &mut self,
        pattern: &ValuePattern,
        elements: &Set,
        rest: &Rest<'_>,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        if let ValuePattern::Pair(left, right) = pattern {
            for (first, second) in relation::pairs(elements) {
                let parts = [(&**left, &first), (&**right, &second)];
                if self.matched_all(&parts, rest.steps, rest.is_doubtful, found)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            return GO_ON;
        }
        for element in elements.iter() {
            if self.matched(pattern, &element, rest.steps, rest.is_doubtful, found)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        GO_ON
    }

    /// Runs the rest for every image of a key that matches a pattern.
    fn each_image(
        &mut self,
        relation: &Head,
        key: &Code,
        pattern: &ValuePattern,
        rest: &Rest<'_>,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        let images = match self.code(key).and_then(|key| self.images(relation, &key)) {
            Ok(images) => images,
            Err(Stop::IllDefined) if self.is_lenient() => return GO_ON,
            Err(stop) => return Err(stop),
        };
        for image in images {
            if self.matched(pattern, &image, rest.steps, rest.is_doubtful, found)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        GO_ON
    }

    /// Runs the rest for every integer of an interval, in a slot.
    fn each_integer(
        &mut self,
        slot: usize,
        (low, high): (i64, i64),
        rest: &Rest<'_>,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        for n in low..=high {
            let saved = std::mem::replace(&mut self.slots[slot], Value::Int(n).into());
            let flow = self.run(rest.steps, rest.is_doubtful, found);
            self.slots[slot] = saved;
            if flow?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        GO_ON
    }

    pub(crate) fn images(&mut self, relation: &Head, key: &Value) -> Fast<Vec<Value>> {
        match self.head(relation)? {
            Val::Value(Value::Set(relation)) => Ok(relation::images(&relation, key).collect()),
            _ => Err(Stop::Escape),
        }
    }

    /// Interval between the bounds; `None` if it is empty.
    pub(crate) fn range(&mut self, low: &[Code], high: &[Code]) -> Fast<Option<(i64, i64)>> {
        let (mut least, mut greatest) = (i64::MIN, i64::MAX);
        for code in low {
            let Value::Int(bound) = self.code(code)? else { return Err(Stop::Escape) };
            least = least.max(bound);
        }
        for code in high {
            let Value::Int(bound) = self.code(code)? else { return Err(Stop::Escape) };
            greatest = greatest.min(bound);
        }
        if low.is_empty() || high.is_empty() {
            return Err(Stop::Escape);
        }
        Ok((least <= greatest).then_some((least, greatest)))
    }

    /// Elements of a source.
    pub(crate) fn elements(&mut self, source: &CandidateSource) -> Fast<Set> {
        match source {
            CandidateSource::Code(code) => match self.code(code)? {
                Value::Set(set) => Ok(set),
                _ => Err(Stop::Escape),
            },
            CandidateSource::Bounded(code) => match self.code(code)? {
                Value::Set(set) if set.len() <= MAX_TRIED_INTEGERS => Ok(set),
                _ => Err(Stop::Escape),
            },
            CandidateSource::Subsets(code) => {
                let whole = self.code(code)?;
                let subsets = SymbolicSet::unary(UnaryOp::Pow, whole.into());
                let env = self.env(&Default::default());
                self.listed(&subsets, &env)
            }
            CandidateSource::Type(ty) => {
                let all = self.session.type_set(*ty);
                let env = self.env(&Default::default());
                self.listed(&all, &env)
            }
            CandidateSource::Interpret(expr, names) => {
                self.interpretable()?;
                let env = self.env(names);
                let set = self.session.expr(*expr, &env)?;
                self.listed(&set, &env)
            }
        }
    }

    pub(crate) fn listed(&self, set: &Val, env: &abridge_eval::Env) -> Fast<Set> {
        match self.session.size(set) {
            abridge_eval::Size::AtMost(n) if n <= MAX_TRIED_VALUES => Ok(self.session.enumerate(set, env)?),
            _ => Err(Stop::Escape),
        }
    }

    #[inline]
    pub(crate) fn matched(
        &mut self,
        pattern: &ValuePattern,
        value: &Value,
        rest: &[PlanStep],
        is_doubtful: bool,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        if let ValuePattern::Bind(slot) = pattern {
            let saved = std::mem::replace(&mut self.slots[*slot], value.clone().into());
            let flow = self.run(rest, is_doubtful, found);
            self.slots[*slot] = saved;
            return flow;
        }
        self.matched_all(&[(pattern, value)], rest, is_doubtful, found)
    }

    /// Runs the rest if all values match their patterns.
    pub(crate) fn matched_all(
        &mut self,
        parts: &[(&ValuePattern, &Value)],
        rest: &[PlanStep],
        is_doubtful: bool,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        let mut saved = Vec::new();
        let mut fits = Ok(true);
        for (pattern, value) in parts {
            fits = self.take_apart(pattern, value, &mut saved);
            if !matches!(fits, Ok(true)) {
                break;
            }
        }
        let flow = match fits {
            Ok(true) => self.run(rest, is_doubtful, found),
            Ok(false) => GO_ON,
            Err(Stop::IllDefined) if self.is_lenient() => GO_ON,
            Err(stop) => Err(stop),
        };
        self.restore(saved);
        flow
    }

    pub(crate) fn take_apart(
        &mut self,
        pattern: &ValuePattern,
        value: &Value,
        saved: &mut Vec<(usize, Val)>,
    ) -> Fast<bool> {
        match pattern {
            ValuePattern::Bind(slot) => {
                saved.push((*slot, std::mem::replace(&mut self.slots[*slot], value.clone().into())));
                Ok(true)
            }
            ValuePattern::Equal(code) => Ok(self.code(code)? == *value),
            ValuePattern::Pair(left, right) => {
                let (first, second) = value.as_pair().ok_or(Stop::Escape)?;
                Ok(self.take_apart(left, first, saved)? && self.take_apart(right, second, saved)?)
            }
        }
    }

    /// Empties slots of locals without a value yet. Returns the previous values, for [`Runtime::restore`].
    pub(crate) fn declare(&mut self, slots: &[usize]) -> Vec<(usize, Val)> {
        slots.iter().map(|slot| (*slot, std::mem::replace(&mut self.slots[*slot], unset()))).collect()
    }
}
