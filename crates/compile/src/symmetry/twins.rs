//! Quantifiers and comprehensions over interchangeable elements, one element for all that play the same part.
//!
//! If two elements of a given set can be exchanged without changing the text of the model and the value of any name that a formula
//! reads, then the formula is true of one if and only if it is true of the other, ill-defined for one if and only if for the other, and
//! an integer expression has the same value for both (the orbits of the stabiliser that section 7 of Leuschel, Butler, Spermann, Turner,
//! "Symmetry Reduction for B by Permutation Flooding" leaves for later). So a quantifier tries one element of each class, a sum counts
//! it for all, and a comprehension does not test what it knows. With several bound names, those that are bound already are among the
//! values that are read, so that elements they stand for are classes of their own.
//!
//! Classes depend on the values of variables and constants (`marks.rs`) and are found once for each evaluation. What that costs and
//! what it saves is counted; where it does not pay, it is given up.

use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_eval::{FreeNames, Val};
use abridge_model::ids::Id as _;
use abridge_model::{LocalId, Type};
use abridge_value::{Set, Value};

use super::marks::{Interchangeable, Marks, elements};
use crate::build::Builder;
use crate::code::{Part, Pattern, Plan, Step};
use crate::run::Solution;
use crate::split::Rest;
use crate::{Fast, Runtime, Stop, is_unset};

/// What to know about the elements that a step of a search tries.
pub(crate) struct Twins {
    /// Their given set.
    set: u32,
    /// The number of the classes under the names below.
    number: usize,
    /// Slots of the variables and constants that are read.
    fixed: Arc<[usize]>,
    /// Slots of what has been bound before.
    bound: Vec<usize>,
    purpose: Purpose,
}

/// What the solutions are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Whether there is one.
    Truth,
    /// An integer for each of them; equal ones are told by their number.
    Sum,
    /// The solutions themselves.
    List,
}

impl Builder<'_, '_> {
    /// Says where a plan tries elements that may be interchangeable. `names` are what the formula around it reads from outside.
    pub(crate) fn with_twins(&mut self, mut plan: Plan, names: &FreeNames, purpose: Purpose) -> Plan {
        let constants = names.constants.iter().map(|id| self.layout.constant(*id));
        let fixed: Arc<[usize]> = constants.chain(names.variables.iter().map(|id| self.layout.variable(*id))).collect();
        let mut bound: Vec<usize> = names.locals.iter().map(|id| self.layout.local(*id)).collect();
        let mut numbers: Vec<(u32, usize)> = Vec::new();
        for step in &mut plan.steps {
            if let Step::Each { pattern: Pattern::Bind(slot), twins, .. } = step
                && let Some(set) = self.given_set(*slot)
            {
                let known = numbers.iter().find(|(other, _)| *other == set).map(|(_, number)| *number);
                let number = known.unwrap_or_else(|| {
                    self.numbers.classes += 1;
                    numbers.push((set, self.numbers.classes - 1));
                    self.numbers.classes - 1
                });
                let (fixed, bound) = (fixed.clone(), bound.clone());
                *twins = Some(Box::new(Twins { set, number, fixed, bound, purpose }));
            }
            step.binds(&mut bound);
        }
        plan
    }

    /// The given set whose elements the local of a slot stands for.
    fn given_set(&self, slot: usize) -> Option<u32> {
        let local = LocalId::from_index(slot.checked_sub(self.layout.local(LocalId::from_index(0)))?);
        match self.model.types.get(self.model.locals[local].ty) {
            Type::Given(set) => Some(set.0),
            _ => None,
        }
    }
}

impl Step {
    /// Adds the slots that the step binds.
    pub(crate) fn binds(&self, slots: &mut Vec<usize>) {
        match self {
            Step::Test { .. } => {}
            Step::Match { pattern, .. } | Step::Each { pattern, .. } | Step::Images { pattern, .. } => {
                pattern.binds(slots);
            }
            Step::Split { parts, .. } => slots.extend(parts.iter().filter_map(|part| match part {
                Part::Bind { slot, .. } => Some(*slot),
                Part::Equal(_) => None,
            })),
            Step::Rows(plan) | Step::Join { plan, .. } | Step::Prefixes { plan, .. } => {
                plan.steps.iter().for_each(|step| step.binds(slots));
            }
            Step::Keys(keys) => keys.otherwise.iter().for_each(|step| step.binds(slots)),
            Step::Either(branches) => branches.iter().flatten().for_each(|step| step.binds(slots)),
            Step::Range { slot, .. } => slots.push(*slot),
        }
    }
}

impl Pattern {
    fn binds(&self, slots: &mut Vec<usize>) {
        match self {
            Pattern::Bind(slot) => slots.push(*slot),
            Pattern::Equal(_) => {}
            Pattern::Pair(left, right) => {
                left.binds(slots);
                right.binds(slots);
            }
        }
    }
}

impl Plan {
    /// Fewer solutions do for its purpose, if elements turn out to be alike.
    fn may_skip(&self) -> bool {
        let skips =
            |step: &Step| matches!(step, Step::Each { twins: Some(twins), .. } if twins.purpose != Purpose::List);
        self.steps.iter().any(skips)
    }
}

/// What a thread knows about interchangeable elements.
pub(crate) struct TwinMemory {
    interchangeable: Arc<Interchangeable>,
    /// Use is made of classes: not all solutions are wanted, and variables do not change underway.
    is_on: bool,
    /// Which values variables have, and how often they may have changed.
    evaluation: u64,
    n_evaluations: u64,
    known: Vec<Known>,
    /// How many solutions the one at hand stands for.
    weight: u64,
}

/// Classes under one number.
#[derive(Clone, Default)]
struct Known {
    /// Found in this evaluation.
    evaluation: u64,
    /// Nothing if some value cannot be looked at.
    classes: Option<Arc<[u32]>>,
    /// What was looked at, and the steps of evaluation that were saved.
    spent: u64,
    saved: u64,
    is_given_up: bool,
}

/// When so much has been looked at, it must have saved more.
const TRIAL: u64 = 1 << 10;

impl TwinMemory {
    pub(crate) fn new(interchangeable: Arc<Interchangeable>) -> Self {
        TwinMemory { interchangeable, is_on: true, evaluation: 0, n_evaluations: 0, known: Vec::new(), weight: 1 }
    }

    fn known(&mut self, number: usize) -> &mut Known {
        if self.known.len() <= number {
            self.known.resize(number + 1, Known::default());
        }
        &mut self.known[number]
    }
}

/// The classes of the elements that are tried.
struct Tried {
    classes: Arc<[u32]>,
    /// Elements that names bound before stand for.
    told: Vec<u32>,
}

/// Elements to be tried in a slot, and how the search goes on with each.
#[derive(Clone, Copy)]
struct Trial<'t> {
    tried: &'t Tried,
    number: usize,
    slot: usize,
    members: &'t Set,
    rest: &'t Rest<'t>,
}

impl Tried {
    /// The class of an element; nothing if it is on its own.
    fn class(&self, element: &Value) -> Option<usize> {
        let Value::Element { index, .. } = element else { return None };
        let class = *self.classes.get(*index as usize)?;
        (!self.told.contains(index)).then_some(class as usize)
    }
}

impl<'r> Runtime<'r> {
    /// A new evaluation begins: variables may have changed.
    pub(crate) fn begin_twins(&mut self) {
        if let Some(memory) = &mut self.twins {
            memory.is_on = true;
            memory.weight = 1;
        }
        self.renew_twins();
    }

    /// Variables may have changed; tells what was before, for when they change back.
    pub(crate) fn renew_twins(&mut self) -> u64 {
        let Some(memory) = &mut self.twins else { return 0 };
        memory.n_evaluations += 1;
        std::mem::replace(&mut memory.evaluation, memory.n_evaluations)
    }

    /// Variables have again the values that they had then.
    pub(crate) fn return_to_twins(&mut self, evaluation: u64) {
        if let Some(memory) = &mut self.twins {
            memory.evaluation = evaluation;
        }
    }

    /// Says whether use is made of classes; tells what was said before.
    pub(crate) fn switch_twins(&mut self, is_on: bool) -> bool {
        self.twins.as_mut().is_some_and(|memory| std::mem::replace(&mut memory.is_on, is_on))
    }

    /// Whether it is better to search than to read the solutions from a table.
    pub(crate) fn prefers_search(&self, plan: &Plan) -> bool {
        let Some(memory) = self.twins.as_ref().filter(|memory| memory.is_on) else { return false };
        let is_given_up = |twins: &Twins| memory.known.get(twins.number).is_some_and(|known| known.is_given_up);
        let pays = |step: &Step| match step {
            Step::Each { twins: Some(twins), .. } => {
                memory.interchangeable.blocks(twins.set).is_some() && !is_given_up(twins)
            }
            _ => false,
        };
        plan.may_skip() && plan.steps.iter().any(pays)
    }

    /// How many solutions the one at hand stands for.
    pub(crate) fn weight(&self) -> u64 {
        self.twins.as_ref().map_or(1, |memory| memory.weight)
    }

    /// From now on, solutions stand for so many; tells what was said before.
    pub(crate) fn set_weight(&mut self, weight: u64) -> u64 {
        self.twins.as_mut().map_or(1, |memory| std::mem::replace(&mut memory.weight, weight))
    }

    /// The classes of what is tried, if it pays to know them.
    fn tried(&mut self, twins: &Twins) -> Option<Tried> {
        let memory = self.twins.as_mut().filter(|memory| memory.is_on)?;
        let evaluation = memory.evaluation;
        let blocks = memory.interchangeable.clone();
        let blocks = blocks.blocks(twins.set)?;
        let known = memory.known(twins.number);
        if known.is_given_up {
            return None;
        }
        if known.evaluation != evaluation {
            let found = classes(twins, blocks, &self.slots);
            known.evaluation = evaluation;
            known.spent += found.as_ref().map_or(blocks.len(), |(_, n_marks)| blocks.len() + n_marks) as u64;
            known.classes = found.map(|(classes, _)| classes);
            known.is_given_up = known.spent >= TRIAL && known.saved < known.spent;
            if known.spent >= TRIAL {
                (known.spent, known.saved) = (0, 0);
            }
        }
        let classes = known.classes.clone()?;
        let mut told = Vec::new();
        for slot in &twins.bound {
            match &self.slots[*slot] {
                Val::Value(value) => {
                    elements(value, &mut |set, index| told.extend((set == twins.set).then_some(index)))
                }
                val if is_unset(val) => {}
                _ => return None,
            }
        }
        Some(Tried { classes, told })
    }

    /// Goes on with the elements that matter; nothing if all of them may.
    pub(crate) fn each_class(
        &mut self,
        (twins, slot): (&Twins, usize),
        members: &Set,
        rest: &Rest<'_>,
        found: &mut Solution<'_, 'r>,
    ) -> Option<Fast<ControlFlow<()>>> {
        let tried = self.tried(twins)?;
        let trial = Trial { tried: &tried, number: twins.number, slot, members, rest };
        Some(match twins.purpose {
            Purpose::Truth => self.once_each(&trial, found),
            Purpose::Sum => self.weighted(&trial, found),
            Purpose::List => self.tested_once(&trial, found),
        })
    }

    /// Goes on with an element; how many steps of evaluation that took.
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
        if let Some(memory) = &mut self.twins {
            memory.known(number).saved += saved;
        }
    }

    fn once_each(&mut self, trial: &Trial<'_>, found: &mut Solution<'_, 'r>) -> Fast<ControlFlow<()>> {
        let Trial { tried, number, slot, members, rest } = *trial;
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

    fn weighted(&mut self, trial: &Trial<'_>, found: &mut Solution<'_, 'r>) -> Fast<ControlFlow<()>> {
        let Trial { tried, number, slot, members, rest } = *trial;
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

    fn tested_once(&mut self, trial: &Trial<'_>, found: &mut Solution<'_, 'r>) -> Fast<ControlFlow<()>> {
        let Trial { tried, number, slot, members, rest } = *trial;
        // Whether a class has solutions, and what it took to know.
        let mut answers: Vec<Option<(bool, u64)>> = vec![None; tried.classes.len()];
        let only_tests = rest.steps.iter().all(|step| matches!(step, Step::Test { .. }));
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

/// The classes of elements under the values of variables and constants, and how much was looked at.
fn classes(twins: &Twins, blocks: &[u32], slots: &[Val]) -> Option<(Arc<[u32]>, usize)> {
    let mut marks = Marks::new(twins.set);
    for slot in twins.fixed.iter() {
        match &slots[*slot] {
            Val::Value(value) if marks.add(value) => {}
            val if is_unset(val) => {}
            _ => return None,
        }
    }
    let n_marks = marks.len();
    Some((marks.classes(blocks).into(), n_marks))
}
