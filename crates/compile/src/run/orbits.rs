//! Quantifiers and comprehensions over interchangeable elements, one element per orbit.
//!
//! Suppose that exchanging two elements of a given set changes neither the text of the model nor the value of any name that a formula reads. Then
//! the formula is true of one if and only if it is true of the other, likewise for ill-definedness, and an integer expression has the same value
//! for both (the orbits of the stabiliser that section 7 of Leuschel, Butler, Spermann, Turner, "Symmetry Reduction for B by Permutation
//! Flooding" leaves for later). So a quantifier tries one element per orbit, a sum counts it with the size of the orbit, and a comprehension tests
//! it for the whole orbit. With several bound names, those bound already are among the values read, so their elements are orbits of their own.
//!
//! Orbits depend on the values of variables and constants (`symmetry/signature.rs`), and are computed once per evaluation. Costs and savings are
//! counted; orbits that do not pay are given up.

use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_eval::Val;
use abridge_value::{Set, Value};

use super::search::Solution;
use super::split::Rest;
use super::{Fast, Runtime, Stop, is_unset};
use crate::code::{OrbitStep, Plan, PlanStep, Purpose};
use crate::symmetry::{Interchangeable, Occurrences, elements};

/// Per-thread cache of orbits of interchangeable elements.
pub(crate) struct OrbitMemory {
    interchangeable: Arc<Interchangeable>,
    /// Orbits are in use: not all solutions are wanted, and variables do not change meanwhile.
    is_on: bool,
    /// Number of the current valuation of the variables.
    evaluation: u64,
    /// Number of valuations so far.
    n_evaluations: u64,
    known: Vec<Known>,
    /// Number of solutions that the current one represents.
    weight: u64,
}

/// Cached classes of one [`OrbitStep::number`].
#[derive(Clone, Default)]
struct Known {
    /// Valuation for which the classes were computed.
    evaluation: u64,
    /// `None` if some value cannot be examined.
    classes: Option<Arc<[u32]>>,
    /// Occurrences examined.
    spent: u64,
    /// Steps of evaluation saved.
    saved: u64,
    is_given_up: bool,
}

/// Occurrences examined in the trial period, after which orbits must have saved more steps.
const TRIAL_OCCURRENCES: u64 = 1 << 10;

impl OrbitMemory {
    pub(crate) fn new(interchangeable: Arc<Interchangeable>) -> Self {
        OrbitMemory { interchangeable, is_on: true, evaluation: 0, n_evaluations: 0, known: Vec::new(), weight: 1 }
    }

    fn known(&mut self, number: usize) -> &mut Known {
        if self.known.len() <= number {
            self.known.resize(number + 1, Known::default());
        }
        &mut self.known[number]
    }
}

/// Classes of the elements that are tried.
struct ElementOrbits {
    classes: Arc<[u32]>,
    /// Elements that are values of names bound before.
    told: Vec<u32>,
}

/// Elements to be tried in a slot, and the remaining steps.
#[derive(Clone, Copy)]
struct OrbitTrial<'t> {
    tried: &'t ElementOrbits,
    number: usize,
    slot: usize,
    members: &'t Set,
    rest: &'t Rest<'t>,
}

impl ElementOrbits {
    /// Class of an element; `None` if it is alone.
    pub(crate) fn class(&self, element: &Value) -> Option<usize> {
        let Value::Element { index, .. } = element else { return None };
        let class = *self.classes.get(*index as usize)?;
        (!self.told.contains(index)).then_some(class as usize)
    }
}

impl<'r> Runtime<'r> {
    /// Begins a new evaluation: variables may have changed.
    #[inline]
    pub(crate) fn begin_orbits(&mut self) {
        if let Some(memory) = &mut self.orbits {
            memory.is_on = true;
            memory.weight = 1;
        }
        self.renew_orbits();
    }

    /// Begins a new valuation of the variables. Returns the number of the previous one.
    #[inline]
    pub(crate) fn renew_orbits(&mut self) -> u64 {
        let Some(memory) = &mut self.orbits else { return 0 };
        memory.n_evaluations += 1;
        std::mem::replace(&mut memory.evaluation, memory.n_evaluations)
    }

    /// Returns to an earlier valuation of the variables.
    #[inline]
    pub(crate) fn return_to_orbits(&mut self, evaluation: u64) {
        if let Some(memory) = &mut self.orbits {
            memory.evaluation = evaluation;
        }
    }

    /// Switches the use of orbits on or off. Returns the previous setting.
    pub(crate) fn switch_orbits(&mut self, is_on: bool) -> bool {
        self.orbits.as_mut().is_some_and(|memory| std::mem::replace(&mut memory.is_on, is_on))
    }

    /// Whether a search by orbits is better than reading the solutions from a table.
    pub(crate) fn prefers_search(&self, plan: &Plan) -> bool {
        let Some(memory) = self.orbits.as_ref().filter(|memory| memory.is_on) else { return false };
        let is_given_up = |step: &OrbitStep| memory.known.get(step.number).is_some_and(|known| known.is_given_up);
        let pays = |step: &PlanStep| match step {
            PlanStep::Each { orbits: Some(step), .. } => {
                memory.interchangeable.blocks(step.set).is_some() && !is_given_up(step)
            }
            _ => false,
        };
        plan.may_skip() && plan.steps.iter().any(pays)
    }

    /// Number of solutions that the current one represents.
    #[inline]
    pub(crate) fn weight(&self) -> u64 {
        self.orbits.as_ref().map_or(1, |memory| memory.weight)
    }

    /// Sets the number of solutions that the current one represents. Returns the previous one.
    #[inline]
    pub(crate) fn set_weight(&mut self, weight: u64) -> u64 {
        self.orbits.as_mut().map_or(1, |memory| std::mem::replace(&mut memory.weight, weight))
    }

    /// Classes of the elements that a step tries, if they pay.
    fn tried(&mut self, step: &OrbitStep) -> Option<ElementOrbits> {
        let memory = self.orbits.as_mut().filter(|memory| memory.is_on)?;
        let evaluation = memory.evaluation;
        let blocks = memory.interchangeable.clone();
        let blocks = blocks.blocks(step.set)?;
        let known = memory.known(step.number);
        if known.is_given_up {
            return None;
        }
        if known.evaluation != evaluation {
            let found = classes(step, blocks, &self.slots);
            known.evaluation = evaluation;
            known.spent +=
                found.as_ref().map_or(blocks.len(), |(_, n_occurrences)| blocks.len() + n_occurrences) as u64;
            known.classes = found.map(|(classes, _)| classes);
            known.is_given_up = known.spent >= TRIAL_OCCURRENCES && known.saved < known.spent;
            if known.spent >= TRIAL_OCCURRENCES {
                (known.spent, known.saved) = (0, 0);
            }
        }
        let classes = known.classes.clone()?;
        let mut told = Vec::new();
        for slot in &step.bound {
            match &self.slots[*slot] {
                Val::Value(value) => elements(value, &mut |set, index| told.extend((set == step.set).then_some(index))),
                val if is_unset(val) => {}
                _ => return None,
            }
        }
        Some(ElementOrbits { classes, told })
    }

    /// Runs the rest for one element per orbit; `None` if orbits are not in use.
    pub(crate) fn each_orbit(
        &mut self,
        (step, slot): (&OrbitStep, usize),
        members: &Set,
        rest: &Rest<'_>,
        found: &mut Solution<'_, 'r>,
    ) -> Option<Fast<ControlFlow<()>>> {
        let tried = self.tried(step)?;
        let trial = OrbitTrial { tried: &tried, number: step.number, slot, members, rest };
        Some(match step.purpose {
            Purpose::Truth => self.once_each(&trial, found),
            Purpose::Sum => self.weighted(&trial, found),
            Purpose::List => self.tested_once(&trial, found),
        })
    }

    /// Runs the rest for an element. Returns the number of evaluation steps that it took.
    fn with_element(
        &mut self,
        slot: usize,
        element: Value,
        rest: &Rest<'_>,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<(ControlFlow<()>, u64)> {
        let fuel = self.fuel;
        let saved = std::mem::replace(&mut self.slots[slot], element.into());
        let flow = self.run(rest.steps, rest.is_doubtful, found);
        self.slots[slot] = saved;
        Ok((flow?, fuel - self.fuel))
    }

    fn count_saved(&mut self, number: usize, saved: u64) {
        if let Some(memory) = &mut self.orbits {
            memory.known(number).saved += saved;
        }
    }

    fn once_each(&mut self, trial: &OrbitTrial<'_>, found: &mut Solution<'_, 'r>) -> Fast<ControlFlow<()>> {
        let OrbitTrial { tried, number, slot, members, rest } = *trial;
        let mut taken = vec![None; tried.classes.len()];
        let mut saved = 0;
        let mut flow = ControlFlow::Continue(());
        for element in members.iter() {
            let class = tried.class(&element);
            if let Some(took) = class.and_then(|class| taken[class]) {
                saved += took;
                continue;
            }
            let (new, took) = self.with_element(slot, element, rest, found)?;
            flow = new;
            if flow.is_break() {
                break;
            }
            if let Some(class) = class {
                taken[class] = Some(took);
            }
        }
        self.count_saved(number, saved);
        Ok(flow)
    }

    fn weighted(&mut self, trial: &OrbitTrial<'_>, found: &mut Solution<'_, 'r>) -> Fast<ControlFlow<()>> {
        let OrbitTrial { tried, number, slot, members, rest } = *trial;
        let mut sizes = vec![0_u64; tried.classes.len()];
        members.iter().filter_map(|element| tried.class(&element)).for_each(|class| sizes[class] += 1);
        for element in members.iter() {
            let size = tried.class(&element).map_or(1, |class| std::mem::take(&mut sizes[class]));
            if size == 0 {
                continue;
            }
            let outer = self.weight();
            self.set_weight(outer.checked_mul(size).ok_or(Stop::Escape)?);
            let answer = self.with_element(slot, element, rest, found);
            self.set_weight(outer);
            let (flow, took) = answer?;
            self.count_saved(number, took * (size - 1));
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn tested_once(&mut self, trial: &OrbitTrial<'_>, found: &mut Solution<'_, 'r>) -> Fast<ControlFlow<()>> {
        let OrbitTrial { tried, number, slot, members, rest } = *trial;
        // Whether each class has solutions, and the steps that it took.
        let mut answers: Vec<Option<(bool, u64)>> = vec![None; tried.classes.len()];
        let only_tests = rest.steps.iter().all(|step| matches!(step, PlanStep::Test { .. }));
        let passed = Rest { steps: &[], is_doubtful: false };
        for element in members.iter() {
            let class = tried.class(&element);
            let rest = match class.and_then(|class| answers[class]) {
                Some((false, took)) => {
                    self.count_saved(number, took);
                    continue;
                }
                Some((true, _)) if only_tests => {
                    self.count_saved(number, rest.steps.len() as u64);
                    &passed
                }
                _ => rest,
            };
            let mut is_any = false;
            let (flow, took) = self.with_element(slot, element, rest, &mut |runtime| {
                is_any = true;
                found(runtime)
            })?;
            if flow.is_break() {
                return Ok(flow);
            }
            if let Some(class) = class {
                answers[class] = Some((is_any, took));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Classes of elements under the values of variables and constants, and the number of occurrences examined.
pub(crate) fn classes(step: &OrbitStep, blocks: &[u32], slots: &[Val]) -> Option<(Arc<[u32]>, usize)> {
    let mut occurrences = Occurrences::new(step.set);
    for slot in step.fixed.iter() {
        match &slots[*slot] {
            Val::Value(value) if occurrences.add(value) => {}
            val if is_unset(val) => {}
            _ => return None,
        }
    }
    let n_occurrences = occurrences.len();
    Some((occurrences.classes(blocks).into(), n_occurrences))
}
