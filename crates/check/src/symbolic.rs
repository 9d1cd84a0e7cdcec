//! Checking with the symbolic engine: valuations of the constants one after the other, each as diagrams.
//!
//! The explicit system gives the set-ups, the judge finds traces again and explains findings, and the report is the one of every engine. A machine without a set-up
//! or with an initialisation that has no outcome is left to the explicit engine, which explains why. Whatever the engine does not do, or did not finish, is
//! a limit: a missing limit would turn into `Holds`.

pub(crate) mod automatic;
mod backward;
pub(crate) mod canonized;
mod temporal;

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use abridge_encoding::{EncodingSource, PropertyKind};
use abridge_eval::{State, Val, map_slots};
use abridge_model_system::{FIRST_OPERATION, INITIALISATION, ModelSystem};
use abridge_reduce::source_of;
use abridge_reduce::symmetry::{
    Auto, Group, Method, Permutation, Quotient as _, Symmetry, TupleClasses, permute_value, symmetry_of,
};
use abridge_search::{Control, DiskUse, Progress};
use abridge_symbolic::{
    AskedFindings, BddStop, Direction, Distrust, ElementRenaming, Halt, PermutationClass, ReachedStates,
    Representatives, Space, SymbolicFinding, SymbolicOptions, with_engine_stack,
};
use abridge_system::{Explanation, FindingKind, Limit, Origin, Steps, Worker as _};
use abridge_value::Value;
use num_bigint::BigUint;

use crate::report::{
    Coverage, FoundViolations, Report, SymbolicReport, SymbolicSymmetry, SymmetryReport, Verdict, Violation,
    ViolationKind,
};
use crate::trace::{StatePath, Trace, realise};
use canonized::Canonising;
use temporal::SymbolicFormulas;

use crate::{Config, Profile, asked, limits, violation_at, violation_of};

/// The engine of a check.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engine {
    /// State by state.
    #[default]
    Explicit,
    /// Sets of states as decision diagrams.
    Symbolic,
    /// Explicit at first; symbolic where that takes long and has an answer.
    Auto,
}

/// Explores a system symbolically; nothing if the explicit engine has to explain why the machine does not start.
pub(crate) fn run(system: &impl ModelSystem, config: &Config, control: &mut dyn Control) -> Option<Report> {
    run_all(SymbolicRun::new(system, config, control))
}

fn run_all(mut run: SymbolicRun<'_, impl ModelSystem>) -> Option<Report> {
    if let Some(reason) = run.unsupported() {
        run.stops.push(format!("symbolic engine: {reason}"));
        run.formulas.doubt("the symbolic engine did not start");
        return Some(run.report());
    }
    let setups = run.set_ups()?;
    for (setup, count) in setups {
        match with_engine_stack(|| run.explore(setup.as_deref(), count))? {
            AfterSetup::Setup => {}
            AfterSetup::End => {
                run.formulas.doubt("the search ended before all states were visited");
                break;
            }
        }
    }
    Some(run.report())
}

/// What to do after a set-up.
enum AfterSetup {
    Setup,
    End,
}

struct SymbolicRun<'r, S> {
    system: &'r S,
    config: &'r Config,
    control: &'r mut dyn Control,
    states: BigUint,
    initial: BigUint,
    /// States behind representatives; nothing if they are not known.
    behind: Option<BigUint>,
    n_setups: u64,
    n_setups_behind: u64,
    /// Transitions of each operation; nothing where they are not known.
    transitions: Vec<Option<BigUint>>,
    found: FoundViolations,
    violations: Vec<Violation>,
    limits: Vec<Limit>,
    stops: Vec<String>,
    shown: SymbolicReport,
    /// In some set-up, interchangeable elements are not exchanged.
    leaves_elements: bool,
    formulas: SymbolicFormulas<'r, S>,
    /// Reductions that the machine defines.
    canonising: Option<&'r Canonising<'r, S>>,
    /// States of the longest path to a finding.
    depth: u32,
}

impl<'r, S: ModelSystem> SymbolicRun<'r, S> {
    fn new(system: &'r S, config: &'r Config, control: &'r mut dyn Control) -> Self {
        SymbolicRun {
            system,
            config,
            control,
            states: BigUint::default(),
            initial: BigUint::default(),
            behind: Some(BigUint::default()),
            n_setups: 0,
            n_setups_behind: 0,
            transitions: vec![Some(BigUint::default()); system.operation_ids().len()],
            found: FoundViolations::default(),
            violations: Vec::new(),
            limits: Vec::new(),
            stops: Vec::new(),
            shown: SymbolicReport::default(),
            leaves_elements: false,
            formulas: SymbolicFormulas::new(system, config),
            canonising: None,
            depth: 0,
        }
    }

    /// What was asked for and the engine does not do.
    fn unsupported(&self) -> Option<&'static str> {
        let system = &self.config.system;
        if self.system.has_scope() {
            return Some("SCOPE is not supported");
        }
        if system.max_initialisations.is_some() || system.max_operations.is_some() {
            return Some("caps on initialisations and operations are not supported");
        }
        if self.config.max_depth.is_some() {
            return Some("a limit of the depth is not supported");
        }
        self.canonising.and_then(|canonising| canonising.unsupported(self.config))
    }

    /// The set-ups, one of each class under symmetry, each with the number of those that it stands for; no words for a machine without. Nothing if the machine does
    /// not start.
    fn set_ups(&mut self) -> Option<Vec<(Option<Vec<u32>>, u64)>> {
        if !self.system.has_setup() {
            return Some(vec![(None, 1)]);
        }
        let group = self.group();
        if !group.is_trivial() {
            self.system.set_up_by_class(Arc::new(TupleClasses::new(group)));
        }
        let mut steps = Steps::new(self.system.width());
        let mut stop = None;
        let completeness = self.system.worker().expand(Origin::Root, None, &mut steps, &mut |steps| {
            let progress = Progress { states: steps.len() as u64, ..Progress::default() };
            stop = self.control.poll(&progress);
            if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if steps.is_empty() || !steps.ill_defined().is_empty() {
            return None;
        }
        self.limits.extend(stop);
        self.limits.extend(completeness.gap().map(Limit::Missing));
        self.n_setups = steps.len() as u64;
        self.n_setups_behind = steps.iter().map(|step| step.count).sum();
        Some(steps.iter().map(|step| (Some(step.target.to_vec()), step.count)).collect())
    }

    fn asked(&self) -> AskedFindings {
        let Config { invariant, assertions, goal, deadlock, find_all, .. } = *self.config;
        AskedFindings { invariant, assertions, goal, deadlock, stop_at_first: !find_all }
    }

    /// Explores the states of one set-up, again if the judge does not confirm what circuits say; nothing if the machine does not start.
    fn explore(&mut self, setup: Option<&[u32]>, count: u64) -> Option<AfterSetup> {
        let mut distrust = Distrust::default();
        loop {
            match self.explore_with(setup, count, &mut distrust) {
                ControlFlow::Break(next) => return next,
                ControlFlow::Continue(()) => {}
            }
        }
    }

    /// The space of a machine under one valuation of the constants, and whether that tells elements of the group apart.
    fn space<'p>(
        &self,
        source: &'p EncodingSource<'p>,
        constants: &State,
        group: &Group,
        distrust: &Distrust,
    ) -> Result<(Space<'p>, bool), Halt> {
        let Config { representatives, order, max_nodes, direction, .. } = *self.config;
        let is_reduced = !self.group().is_trivial() && representatives != Representatives::Patterns;
        let (classes, is_split) = classes(group, constants);
        let options = SymbolicOptions { representatives, order, max_nodes, direction, is_reduced };
        let mut space = Space::new(source, constants, &classes, distrust, options, self.config.stop.clone())?;
        if let Some(canonising) = self.canonising {
            space.reduce_by(&canonising.reductions())?;
        }
        Ok((space, is_split))
    }

    /// Explores the states of one set-up; goes on if something is to be learnt that was taken from circuits.
    fn explore_with(
        &mut self,
        setup: Option<&[u32]>,
        count: u64,
        distrust: &mut Distrust,
    ) -> ControlFlow<Option<AfterSetup>> {
        let mut source = source_of(self.system);
        source.propositions.clone_from(&self.config.formulas.propositions);
        let constants = setup.map_or_else(|| self.system.blank(), |words| self.system.decode(words).0);
        // Backwards, interchangeable elements say which bits belong together, even if states are not identified.
        let is_backward = self.config.direction == Direction::Backward;
        let group = if is_backward { self.symmetry().group } else { self.group() };
        if is_backward && self.is_excluded(&source, &constants, &group) {
            return ControlFlow::Break(Some(AfterSetup::Setup));
        }
        let (mut space, is_split) = match self.space(&source, &constants, &group, distrust) {
            Ok(space) => space,
            Err(halt) => {
                self.halt(&halt);
                return ControlFlow::Break(Some(AfterSetup::End));
            }
        };
        if is_backward {
            return self.trace(space, setup);
        }
        let asked = self.asked();
        let (system, config) = (self.system, self.config);
        let mut limit = None;
        let mut watch = |control: &mut dyn Control, progress: &abridge_symbolic::FixpointProgress| {
            let abridge_symbolic::FixpointProgress { rounds, bytes, states, .. } = *progress;
            let bytes = bytes + system.bytes();
            limit = control.poll(&Progress { states, bytes, depth: rounds, ..Progress::default() });
            limit = limit.or(config.max_states.filter(|max| states > *max).map(Limit::States));
            limit.is_none()
        };
        let reached = space.reach(asked, &mut |progress| watch(&mut *self.control, progress));
        if setup.is_none() && (space.is_start_ill_defined || reached.initial == BigUint::default()) {
            return ControlFlow::Break(None);
        }
        if self.is_refuted(&reached, distrust) {
            return ControlFlow::Continue(());
        }
        let mut kinds: Vec<(FindingKind, Vec<State>)> = Vec::new();
        let mut unplaced = Vec::new();
        let room = config.max_violations.saturating_sub(self.violations.len());
        if !reached.found.is_empty() {
            match space.paths(&reached, asked, room, &mut |progress| watch(&mut *self.control, progress)) {
                Ok(paths) => kinds.extend(paths.into_iter().map(|(kind, path)| (finding(kind), path))),
                Err(_) => unplaced.extend(reached.found.iter().map(|(kind, _)| finding(*kind)).take(room)),
            }
        }
        let control = &mut *self.control;
        self.formulas.judge(&mut space, &reached, (setup, &constants), &group, &mut |it| watch(&mut *control, it));
        if let Some(limit) = limit {
            self.limits.push(limit);
        }
        let is_halted = reached.halt.is_some();
        if let Some(halt) = reached.halt.as_ref().filter(|_| limit.is_none()) {
            self.halt(halt);
        }
        self.stops.extend(space.missing.iter().cloned());
        if space.is_start_ill_defined {
            kinds.push((FindingKind::IllDefined(INITIALISATION), Vec::new()));
        }
        // Without an initial state, what is missing is missing from the initialisation.
        let has_no_start = reached.initial == BigUint::default() && space.missing.is_empty();
        if has_no_start && !is_halted && config.deadlock {
            kinds.push((FindingKind::Deadlock, Vec::new()));
        }
        reached.found.iter().for_each(|(kind, _)| self.found.add(finding(*kind)));
        space.has_several_representatives |= is_split;
        self.add_counts(&mut space, &reached, count);
        let is_reduced = space.is_reduced();
        drop(space);
        self.add_violations(setup, kinds, unplaced, is_reduced.then_some(group.clone()));
        let is_done = !config.find_all && !self.violations.is_empty();
        ControlFlow::Break(Some(if is_done || is_halted { AfterSetup::End } else { AfterSetup::Setup }))
    }

    /// Whether the judge does not confirm something that circuits say; it is not to be taken from them again.
    fn is_refuted(&self, reached: &ReachedStates, distrust: &mut Distrust) -> bool {
        let mut is_refuted = false;
        for (kind, state) in &reached.found {
            if self.system.explain(finding(*kind), &self.system.words_of(state, true)).is_some() {
                continue;
            }
            is_refuted |= match kind {
                SymbolicFinding::IllDefined(operation) => distrust.operations.insert(*operation),
                SymbolicFinding::Property(property) | SymbolicFinding::IllDefinedProperty(property) => {
                    let is_new = !distrust.properties.contains(property);
                    distrust.properties.push(*property);
                    is_new
                }
                SymbolicFinding::Deadlock => false,
            };
        }
        is_refuted
    }

    /// The permutations of elements that the text of the model cannot tell apart, if states are to be identified by them.
    fn group(&self) -> Group {
        if let Some(canonising) = self.canonising {
            return canonising.group();
        }
        if self.config.symmetry == Method::Off || temporal::tell_apart(self.config) {
            return Group::new(Vec::new());
        }
        self.symmetry().group
    }

    fn symmetry(&self) -> Symmetry {
        symmetry_of(self.system.model(), asked(self.config), &self.config.formulas.nodes(), self.system.pinned())
    }

    fn halt(&mut self, halt: &Halt) {
        match halt {
            Halt::Stop(BddStop::Nodes) => self.stops.push("node limit of the symbolic engine reached".to_owned()),
            Halt::Stop(BddStop::Stopped) => {
                let why = self.config.stopped_for.get().copied();
                self.limits.push(why.unwrap_or(Limit::Missing(abridge_system::Gap::Stopped)));
            }
            Halt::Gap(gap) => self.stops.push(format!("symbolic engine: {}", gap.text(self.system.model()))),
            Halt::Inapplicable(why) => self.stops.push((*why).to_owned()),
            Halt::ManyValues => {
                self.stops.push("symbolic engine: a variable without an exact form has too many values".to_owned());
            }
        }
    }

    fn add_counts(&mut self, space: &mut Space<'_>, reached: &ReachedStates, count: u64) {
        self.states += &reached.states;
        self.initial += &reached.initial;
        self.leaves_elements |= space.leaves_elements;
        let is_several = space.has_several_representatives || self.leaves_elements;
        self.shown.symmetry = match (self.shown.symmetry, space.is_reduced()) {
            (SymbolicSymmetry::Off, false) => SymbolicSymmetry::Off,
            (SymbolicSymmetry::Several, _) => SymbolicSymmetry::Several,
            _ if is_several => SymbolicSymmetry::Several,
            _ => SymbolicSymmetry::Unique,
        };
        let behind = match (space.is_reduced(), self.canonising) {
            (false, _) => Some(reached.states.clone()),
            (true, None) => space.states_behind(reached).ok(),
            (true, Some(_)) => None,
        };
        self.behind = self.behind.take().zip(behind).map(|(sum, more)| sum + more * count);
        let counts = if space.is_reduced() { Err(BddStop::Nodes) } else { space.transitions(reached) };
        for (idx, sum) in self.transitions.iter_mut().enumerate() {
            let more = counts.as_ref().ok().and_then(|counts| counts[idx].as_ref());
            *sum = sum.take().zip(more).map(|(sum, more)| sum + more);
        }
        let parts = space.parts();
        self.shown.learnt_operations = self.shown.learnt_operations.max(parts.learnt_operations);
        self.shown.exact_operations = self.shown.exact_operations.max(parts.exact_operations);
        self.shown.numbered_variables = self.shown.numbered_variables.max(parts.numbered_variables);
        self.shown.learnt_properties = self.shown.learnt_properties.max(parts.learnt_properties);
        self.shown.lists_initial |= parts.lists_initial;
        self.shown.peak_nodes = self.shown.peak_nodes.max(space.peak_nodes());
        self.shown.live_nodes = self.shown.live_nodes.max(space.live_nodes());
        self.shown.rounds = self.shown.rounds.max(reached.rounds);
        self.shown.n_reorderings += space.n_reorderings();
    }

    /// Adds violations with their traces, and those whose traces were not found in time.
    fn add_violations(
        &mut self,
        setup: Option<&[u32]>,
        kinds: Vec<(FindingKind, Vec<State>)>,
        unplaced: Vec<FindingKind>,
        group: Option<Group>,
    ) {
        let quotient = group.filter(|_| self.canonising.is_none()).map(|group| Auto::new(self.system, group));
        for (kind, states) in kinds {
            self.depth = self.depth.max(states.len() as u32);
            self.found.add(kind);
            let words = states.iter().map(|state| self.system.words_of(state, true));
            let states: Vec<Vec<u32>> = setup.map(<[u32]>::to_vec).into_iter().chain(words).collect();
            let is_new = self.violations.len() < self.config.max_violations;
            if is_new {
                // Under symmetry the states of the path are representatives.
                let path = match (&quotient, self.canonising) {
                    (Some(quotient), _) => realise(self.system, &states, &mut quotient.judge()),
                    (None, Some(Canonising { canonized, .. })) => realise(self.system, &states, &mut canonized.judge()),
                    (None, None) => StatePath { states, ..StatePath::default() },
                };
                self.violations.extend(violation_at(self.system, kind, &path));
            }
        }
        for kind in unplaced {
            let gap = Some("the search for it was stopped".to_owned());
            let violation = violation_of(kind, Trace { gap, ..Trace::default() }, Explanation::default());
            self.violations.extend(violation);
        }
    }

    fn report(mut self) -> Report {
        let remarks = self.system.remarks();
        self.limits.dedup();
        let mut limits = limits(&remarks, &self.limits, self.config.stopped_for.get().copied());
        self.stops.sort();
        self.stops.dedup();
        limits.append(&mut self.stops);
        let verdict = match self.violations.first() {
            Some(Violation { kind: ViolationKind::Goal, .. }) => Verdict::GoalReached,
            Some(_) => Verdict::Violated,
            None if limits.is_empty() => Verdict::Holds,
            None => Verdict::Incomplete,
        };
        let symmetry = match self.config.symmetry {
            Method::Off => SymmetryReport::default(),
            method => SymmetryReport { method, carriers: self.symmetry().carriers, ..SymmetryReport::default() },
        };
        let number = |count: &BigUint| u64::try_from(count).unwrap_or(u64::MAX);
        let operations = self.system.operation_ids().iter();
        let coverage = operations.zip(&self.transitions).filter_map(|(op, count)| {
            let operation = self.system.model().operations[*op].name.to_string();
            Some(Coverage { operation, transitions: number(count.as_ref()?) })
        });
        let coverage = coverage.collect();
        let starts = &self.initial + self.n_setups;
        let transitions = self.transitions.iter().try_fold(starts, |sum, count| Some(sum + count.as_ref()?));
        let states = self.states + self.n_setups;
        let mut report = Report {
            verdict,
            states: number(&states),
            transitions: transitions.as_ref().map_or(0, number),
            depth: self.canonising.map_or(0, |_| self.depth),
            found: self.found,
            violations: self.violations,
            coverage,
            state_coverage: None,
            failures: remarks.failures.into_iter().map(|failure| (failure.what, failure.diagnostic)).collect(),
            limits,
            visited_all: true,
            finds_all: self.config.find_all,
            unchecked: Vec::new(),
            outside_scope: remarks.n_outside,
            por: None,
            sliced: None,
            reduction: None,
            symbolic: Some(SymbolicReport {
                states,
                states_behind: self.behind.map(|behind| behind + self.n_setups_behind),
                transitions,
                ..self.shown
            }),
            table_bytes: 0,
            profile: Profile::default(),
            symmetry,
            disk: DiskUse::default(),
            temporal: self.formulas.reports,
        };
        report.settle_temporal();
        report
    }
}

/// Whether a permutation leaves the constants as they are.
fn is_kept(group: &Group, constants: &State, images: &Permutation) -> bool {
    map_slots(&constants.constants, &mut |value| permute_value(group, images, value)).is_none()
}

fn exchange(group: &Group, left: u32, right: u32) -> Permutation {
    let mut images = group.identity();
    images.swap(left as usize, right as usize);
    images
}

/// Lists of points of a range that the constants do not tell apart.
fn lists(group: &Group, range: Range<u32>, constants: &State) -> Vec<Vec<u32>> {
    let mut lists: Vec<Vec<u32>> = Vec::new();
    for point in range {
        match lists.iter_mut().find(|list| is_kept(group, constants, &exchange(group, list[0], point))) {
            Some(list) => list.push(point),
            None => lists.push(vec![point]),
        }
    }
    lists
}

/// Permutations that leave the constants as they are, and whether there may be more of them. Elements that can be exchanged form lists. Where the constants have a ring of
/// all elements, the rotations of the ring are all permutations that keep it.
fn classes<'g>(group: &'g Group, constants: &State) -> (Vec<PermutationClass<'g>>, bool) {
    let renaming =
        |images: Permutation| -> ElementRenaming<'g> { Box::new(move |value| permute_value(group, &images, value)) };
    let (mut classes, mut is_split) = (Vec::new(), false);
    for range in group.ranges() {
        let lists = lists(group, range.clone(), constants);
        let rotation = if lists.len() > 1 { rotation(group, range, constants) } else { None };
        if let Some(rotation) = rotation.filter(|images| is_kept(group, constants, images)) {
            classes.push(PermutationClass::Group(powers(&rotation).into_iter().map(renaming).collect()));
            continue;
        }
        is_split |= lists.len() > 1;
        for list in lists.into_iter().filter(|list| list.len() > 1) {
            let exchanges = list.windows(2).map(|pair| renaming(exchange(group, pair[0], pair[1])));
            classes.push(PermutationClass::Exchanges(exchanges.collect()));
        }
    }
    (classes, is_split)
}

/// The permutation that goes once around a ring of all elements of a range, if a constant is such a ring.
fn rotation(group: &Group, range: Range<u32>, constants: &State) -> Option<Permutation> {
    let point = |value: &Value| match value {
        Value::Element { set, index } => group.point(*set, *index),
        _ => None,
    };
    let ring = |val: &Val| {
        let pairs = val.as_set()?;
        let mut images = group.identity();
        if pairs.len() != range.len() as u64 {
            return None;
        }
        for pair in pairs.iter() {
            let Value::Pair(pair) = pair else { return None };
            let (from, to) = (point(&pair.0)?, point(&pair.1)?);
            if !range.contains(&from) || !range.contains(&to) {
                return None;
            }
            images[from as usize] = to;
        }
        let mut at = range.start;
        let returns = (0..range.len()).position(|_| {
            at = images[at as usize];
            at == range.start
        });
        (returns? + 1 == range.len()).then_some(images)
    };
    constants.constants.iter().flatten().find_map(ring)
}

/// All powers of a permutation but the identity.
fn powers(permutation: &Permutation) -> Vec<Permutation> {
    let is_identity = |images: &Permutation| images.iter().zip(0..).all(|(to, from)| *to == from);
    let next = |images: &Permutation| Some(images.iter().map(|to| permutation[*to as usize]).collect());
    std::iter::successors(Some(permutation.clone()), next).take_while(|images| !is_identity(images)).collect()
}

/// A kind of finding as all engines know it.
fn finding(kind: SymbolicFinding) -> FindingKind {
    match kind {
        SymbolicFinding::Property(PropertyKind::Invariant(idx)) => FindingKind::Invariant(idx as u32),
        SymbolicFinding::Property(PropertyKind::Assertion(idx)) => FindingKind::Assertion(idx as u32),
        SymbolicFinding::Property(PropertyKind::Goal) | SymbolicFinding::IllDefinedProperty(PropertyKind::Goal) => {
            FindingKind::Goal
        }
        SymbolicFinding::Property(PropertyKind::Proposition(idx)) => FindingKind::Proposition(idx as u32),
        SymbolicFinding::IllDefinedProperty(PropertyKind::Proposition(idx)) => {
            FindingKind::IllDefinedProposition(idx as u32)
        }
        SymbolicFinding::IllDefinedProperty(PropertyKind::Invariant(idx)) => {
            FindingKind::IllDefinedInvariant(idx as u32)
        }
        SymbolicFinding::IllDefinedProperty(PropertyKind::Assertion(idx)) => {
            FindingKind::IllDefinedAssertion(idx as u32)
        }
        SymbolicFinding::IllDefined(operation) => FindingKind::IllDefined(FIRST_OPERATION + operation as u32),
        SymbolicFinding::Deadlock => FindingKind::Deadlock,
    }
}
