//! Tests of reductions on the first states of a machine.
//!
//! States are visited breadth-first, without any reduction and by one thread, so that the same states are tested whatever the search does. Each is
//! compared with its images: what is found in them, and where their steps lead, up to equivalence. A difference in what is found refutes the
//! reduction. So does, for a group, a step without a counterpart; a canonizer that is not strong may identify targets that its images do not show, so there
//! the same difference only keeps the test from passing.
//!
//! [`accompany`] makes the same comparison along the reduced system, between the target of each step and its representative. That is what can be
//! compared where the machine itself has infinitely many states.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use abridge_model_system::{ModelSystem, is_initialised};
use abridge_system::{Completeness, FindingKind, Origin, Properties, Steps, Worker};
use rustc_hash::FxHashSet;

use super::plan::{PartKind, ReductionPlan};
use super::represent::{Canonized, CanonizedWorker, PartSample};
use crate::symmetry::{Canonizer as _, Quotient as _};

/// A state and an image of it that a property or a step tells apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The reduction, by position in the plan; behind the last one, all together.
    pub part: usize,
    pub state: Vec<u32>,
    pub image: Vec<u32>,
    pub difference: ToldApart,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToldApart {
    /// It is found in one of the two only.
    Finding(FindingKind),
    /// The step from the state to this target has no counterpart.
    Step { operation: u32, target: Vec<u32> },
    /// The step from the image to this target has none in the state.
    StepOfImage { operation: u32, target: Vec<u32> },
}

impl Refutation {
    /// A step tells the two apart, and not a property.
    pub fn is_about_steps(&self) -> bool {
        !matches!(self.difference, ToldApart::Finding(_))
    }
}

/// The outcome of tests.
#[derive(Clone, Default, Debug)]
pub struct Sampled {
    /// States that agree with all their images.
    pub n_states: u64,
    /// A state that does not.
    pub refutation: Option<Refutation>,
    /// The difference is between images of a canonizer that may be equivalent all the same.
    pub is_doubtful: bool,
    /// Another one that differs in the other way, and whether it is in doubt: by a step if the first is about a property, by a property if it is about a step.
    pub further: Option<(Refutation, bool)>,
    /// One entry for each reduction of the plan.
    pub parts: Vec<PartSample>,
    /// States that could not be compared: how many, and the first.
    pub untested: Option<(u64, Vec<u32>)>,
}

/// What a worker tells about a state.
pub(super) struct Portrait {
    findings: Vec<FindingKind>,
    /// The same, as far as a state and its image must agree.
    pub(super) classes: Vec<FindingKind>,
    /// Operations and targets.
    pub(super) steps: Vec<(u32, Vec<u32>)>,
    pub(super) is_whole: bool,
}

impl Portrait {
    pub(super) fn of(
        worker: &mut impl Worker,
        width: usize,
        state: &[u32],
        asked: Properties,
        deadlock: bool,
    ) -> Portrait {
        let mut steps = Steps::new(width);
        let (mut completeness, is_cut) = first_steps(worker, Origin::State(state), MAX_LISTED_STEPS, &mut steps);
        let mut findings: Vec<FindingKind> =
            steps.ill_defined().iter().map(|op| FindingKind::IllDefined(*op)).collect();
        if deadlock && steps.is_deadlock(completeness) {
            findings.push(FindingKind::Deadlock);
        }
        completeness = completeness.and(worker.inspect(state, None, asked, &mut |kind| findings.push(kind)));
        findings.sort_unstable();
        findings.dedup();
        let mut classes: Vec<FindingKind> = findings.iter().map(|kind| class_of(*kind, asked)).collect();
        classes.dedup();
        let steps = steps.iter().map(|step| (step.operation, step.target.to_vec())).collect();
        Portrait { findings, classes, steps, is_whole: completeness.is_whole() && !is_cut }
    }
}

/// A representative of the findings that are equal for a verdict. A reduction may exchange conjuncts, as long as the invariant as a whole stays true or
/// false; it may exchange operations unless formulas speak of them.
fn class_of(kind: FindingKind, asked: Properties) -> FindingKind {
    match kind {
        FindingKind::Invariant(_) => FindingKind::Invariant(0),
        FindingKind::IllDefinedInvariant(_) => FindingKind::IllDefinedInvariant(0),
        FindingKind::Assertion(_) => FindingKind::Assertion(0),
        FindingKind::IllDefinedAssertion(_) => FindingKind::IllDefinedAssertion(0),
        FindingKind::IllDefined(_) if !asked.propositions => FindingKind::IllDefined(0),
        _ => kind,
    }
}

/// Steps out of a set-up that are listed: there may be more initial states than anybody can look at.
const MAX_LISTED_STEPS: usize = 1 << 16;

/// Images that are looked at on ways back to their states, altogether.
const MAX_LOOKS_BACK: usize = 20_000;

/// Lists up to about so many steps; true if there may be more.
pub(super) fn first_steps(
    worker: &mut impl Worker,
    origin: Origin<'_>,
    max_steps: usize,
    out: &mut Steps,
) -> (Completeness, bool) {
    let mut is_cut = false;
    let completeness = worker.expand(origin, None, out, &mut |steps| {
        is_cut = steps.len() >= max_steps;
        if is_cut { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (completeness, is_cut)
}

/// Tests a plan on up to so many states.
pub fn sample(
    system: &impl ModelSystem,
    plan: &ReductionPlan,
    asked: Properties,
    deadlock: bool,
    max_states: usize,
) -> Sampled {
    let canonized = Canonized::new(system, plan);
    let mut tester = Tester::new(system, plan, &canonized, asked, deadlock);
    let apart = Canonized::new(system, plan);
    let mut canonizer = apart.canonizer();
    let mut sampled = Sampled { parts: vec![PartSample::default(); plan.parts.len()], ..Sampled::default() };
    let mut n_looks = MAX_LOOKS_BACK;
    let mut found: Vec<(Refutation, bool)> = Vec::new();
    let (mut seen, mut open) = (FxHashSet::default(), VecDeque::new());
    let mut steps = Steps::new(tester.width);
    let _ = first_steps(&mut tester.worker, Origin::Root, max_states, &mut steps);
    let start: Vec<Vec<u32>> = steps.iter().map(|step| step.target.to_vec()).collect();
    for state in start.into_iter().take(max_states) {
        if seen.insert(state.clone()) {
            open.push_back(state);
        }
    }
    while let Some(state) = open.pop_front() {
        let portrait = tester.portrait(&state);
        if is_initialised(&state) {
            canonizer.examine_images(&state, &mut n_looks, &mut sampled.parts);
            let is_first = found.is_empty();
            match tester.compare(&state, &portrait) {
                Ok(true) => sampled.n_states += u64::from(is_first),
                Ok(false) if tester.worker.is_stopped() => {}
                Ok(false) => sampled.untested.get_or_insert_with(|| (0, state.clone())).0 += 1,
                Err((refutation, is_doubtful)) => {
                    // Classes are not known where orbits could not be enumerated.
                    let is_step = refutation.is_about_steps();
                    found.push((refutation, is_doubtful || is_step && !canonized.troubles().is_empty()));
                    // Each check has an answer of its own.
                    tester.seeks_steps &= !is_step;
                    tester.seeks_findings &= is_step;
                }
            }
        }
        if found.len() == 2 {
            break;
        }
        if tester.worker.is_stopped() {
            break;
        }
        for (_, target) in portrait.steps {
            if seen.len() < max_states && seen.insert(target.clone()) {
                open.push_back(target);
            }
        }
    }
    // What is certain comes first.
    found.sort_by_key(|(_, is_doubtful)| *is_doubtful);
    let mut found = found.into_iter();
    let (refutation, is_doubtful) = found.next().unzip();
    Sampled { refutation, is_doubtful: is_doubtful.unwrap_or(false), further: found.next(), ..sampled }
}

/// Compares the targets of all steps of the reduced system with their representatives, as long as `is_over` does not end it. States are
/// those of the reduced system whose steps were compared.
pub fn accompany(
    system: &impl ModelSystem,
    plan: &ReductionPlan,
    asked: Properties,
    deadlock: bool,
    max_states: usize,
    is_over: &mut dyn FnMut() -> bool,
) -> Sampled {
    let canonized = Canonized::new(system, plan);
    let mut tester = Tester::new(system, plan, &canonized, asked, deadlock);
    let mut canonizer = canonized.canonizer();
    let mut sampled = Sampled::default();
    let mut seen: FxHashSet<Vec<u32>> = FxHashSet::default();
    // The root comes first, and has no state.
    let mut open: VecDeque<Option<Vec<u32>>> = VecDeque::from([None]);
    while let Some(source) = open.pop_front() {
        let origin = source.as_deref().map_or(Origin::Root, Origin::State);
        let mut steps = Steps::new(tester.width);
        let _ = first_steps(&mut tester.worker, origin, MAX_LISTED_STEPS, &mut steps);
        for step in steps.iter() {
            let mut target = step.target.to_vec();
            canonizer.represent_target(source.as_deref(), &mut target);
            if seen.contains(&target) && target == step.target {
                continue;
            }
            if seen.len() >= max_states || is_over() || tester.worker.is_stopped() {
                return sampled;
            }
            if target != step.target {
                let portrait = tester.portrait(step.target);
                if let Err(refutation) = tester.compare_with(step.target, &portrait, plan.parts.len(), &target) {
                    // Classes of equivalent states are not known as a whole.
                    let is_doubtful = refutation.is_about_steps();
                    return Sampled { refutation: Some(refutation), is_doubtful, ..sampled };
                }
            }
            if seen.insert(target.clone()) {
                open.push_back(Some(target));
            }
        }
        sampled.n_states += u64::from(source.is_some());
    }
    sampled
}

struct Tester<'t, S: ModelSystem + 't> {
    plan: &'t ReductionPlan,
    worker: S::Worker<'t>,
    width: usize,
    judge: CanonizedWorker<'t, S>,
    asked: Properties,
    deadlock: bool,
    /// Differences that are looked for.
    seeks_findings: bool,
    seeks_steps: bool,
}

impl<'t, S: ModelSystem> Tester<'t, S> {
    fn new(
        system: &'t S,
        plan: &'t ReductionPlan,
        canonized: &'t Canonized<'t, S>,
        asked: Properties,
        deadlock: bool,
    ) -> Self {
        let (worker, judge) = (system.worker(), canonized.judge());
        Tester { plan, worker, width: system.width(), judge, asked, deadlock, seeks_findings: true, seeks_steps: true }
    }
}

impl<S: ModelSystem> Tester<'_, S> {
    fn portrait(&mut self, state: &[u32]) -> Portrait {
        Portrait::of(&mut self.worker, self.width, state, self.asked, self.deadlock)
    }

    /// Compares a state with its images; false if that could not be done as a whole.
    fn compare(&mut self, state: &[u32], portrait: &Portrait) -> Result<bool, (Refutation, bool)> {
        let mut images: Vec<(usize, Vec<u32>)> = Vec::new();
        let mut is_whole = self.judge.images_of(state, |part, image| images.push((part, image.to_vec())));
        for (part, image) in images {
            if image == state {
                continue;
            }
            is_whole &= self.compare_with(state, portrait, part, &image).map_err(|refutation| {
                let is_step = refutation.is_about_steps();
                let is_canonizer = matches!(self.plan.parts[part].kind, PartKind::Canonizer(_));
                (refutation, is_step && (is_canonizer || self.plan.parts.len() > 1))
            })?;
        }
        Ok(is_whole)
    }

    /// Compares a state with one image; false if that could not be done as a whole.
    fn compare_with(
        &mut self,
        state: &[u32],
        portrait: &Portrait,
        part: usize,
        image: &[u32],
    ) -> Result<bool, Refutation> {
        let other = self.portrait(image);
        if !portrait.is_whole || !other.is_whole {
            return Ok(false);
        }
        let refute = |difference| Refutation { part, state: state.to_vec(), image: image.to_vec(), difference };
        let is_in = |kind: FindingKind, portrait: &Portrait| portrait.classes.contains(&class_of(kind, self.asked));
        let findings = portrait.findings.iter().filter(|kind| !is_in(**kind, &other));
        let others = other.findings.iter().filter(|kind| !is_in(**kind, portrait));
        if let Some(kind) = findings.chain(others).next().filter(|_| self.seeks_findings) {
            return Err(refute(ToldApart::Finding(*kind)));
        }
        if !self.seeks_steps {
            return Ok(true);
        }
        if let Some((operation, target)) = self.unanswered(portrait, &other) {
            return Err(refute(ToldApart::Step { operation, target }));
        }
        if let Some((operation, target)) = self.unanswered(&other, portrait) {
            return Err(refute(ToldApart::StepOfImage { operation, target }));
        }
        Ok(true)
    }

    /// A step of the first that the second has not, up to equivalence.
    fn unanswered(&mut self, portrait: &Portrait, other: &Portrait) -> Option<(u32, Vec<u32>)> {
        let mut class = |target: &[u32]| {
            let mut class = target.to_vec();
            self.judge.represent(&mut class);
            class
        };
        let known: FxHashSet<Vec<u32>> = other.steps.iter().map(|(_, target)| class(target)).collect();
        portrait.steps.iter().find(|(_, target)| !known.contains(&class(target))).cloned()
    }
}
