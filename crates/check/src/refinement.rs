//! Refinement: two levels of a development in, a [`Refinement`] out.
//!
//! [`refine`] explores the [`Pair`] of both levels like any other system, up to one symmetry of both if that is wanted. A pair in which an
//! obligation fails becomes a counterexample: the path of pairs, found again step by step by the plain interpreters of both levels. What
//! they do not find again is told as a limit, never as a failure. New operations that can go on for ever are looked for in
//! `divergence.rs`.

mod divergence;

use std::sync::Arc;

use abridge_diag::{Diagnostic, with_stack};
use abridge_model::{Model, dump};
use abridge_model_system::ModelSystem as _;
use abridge_reduce::symmetry::{
    Auto, Canon, Canonizer, Flood, Group, Method, OwnLabelling, Quotient, Quotiented, TupleClasses, ValueStates as _,
    symmetry_of,
};
use abridge_refine::{Failed, Models, Notion, Pair, PairConfig, SideBySide};
use abridge_search::{Control, Disk, DiskUse, Exploration, Refusal};
use abridge_system::{AnySystem, FindingKind, Machine as _, Origin, Properties};
use abridge_value::bytes::{DIGEST_BYTES, Digest};

use crate::explorer::{Explorer, InMemory, OnDisk};
use crate::report::{Coverage, SymmetryReport, Verdict};
use crate::trace::{self, StatePath};
use crate::{Config, fingerprint, limits, search_config};
use divergence::{DivergenceUnknown, StoresSteps};

/// Choices about a comparison, beside those about the search.
#[derive(Clone, Copy, Debug)]
pub struct RefineConfig {
    pub notion: Notion,
    /// Operations that only the refinement has are taken to do nothing in the abstraction.
    pub new_is_skip: bool,
    /// Leave out pairs that are covered by others.
    pub antichains: bool,
}

/// What a comparison found out.
#[derive(Clone, Debug)]
pub struct Refinement {
    pub verdict: Verdict,
    /// Pairs that were visited, set-ups included.
    pub pairs: u64,
    pub transitions: u64,
    pub depth: u32,
    /// Transitions of each operation of the refinement.
    pub coverage: Vec<Coverage>,
    pub limits: Vec<String>,
    /// What could not be evaluated, with the diagnostic.
    pub failures: Vec<(String, Diagnostic)>,
    pub counterexample: Option<Counterexample>,
    /// Something that is not well-defined: the operation and what is wrong.
    pub ill_defined: Option<IllDefinedOperation>,
    pub symmetry: SymmetryReport,
    pub table_bytes: u64,
    pub disk: DiskUse,
}

/// An operation, if it is known, and what is not well-defined there.
pub type IllDefinedOperation = (Option<String>, Diagnostic);

/// A run of both machines up to the step that breaks the refinement.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The last one is the step that failed.
    pub steps: Vec<PairedStep>,
    /// Number of leading steps that set the machines up.
    pub n_setup: usize,
    /// The obligation; nothing for a divergence, or where something is not well-defined.
    pub failed: Option<Failed>,
    /// The first step of a loop of new operations.
    pub loop_start: Option<usize>,
    /// What is missing, and why.
    pub gap: Option<String>,
}

/// A step of both machines.
#[derive(Clone, Debug)]
pub struct PairedStep {
    pub name: String,
    pub params: Vec<(String, String)>,
    pub outputs: Vec<(String, String)>,
    /// Both machines after the step.
    pub state: SideBySide,
}

/// Checks whether the concrete level refines the abstract one.
pub fn refine(models: &Models, config: &Config, choices: RefineConfig, control: &mut dyn Control) -> Refinement {
    let Ok(report) = with_stack(|| run(models, config, choices, InMemory(control)));
    report
}

/// The same with a disk: the comparison can be saved and gone on with, and pairs that do not fit into memory go to files.
pub fn refine_on_disk(
    models: &Models,
    config: &Config,
    choices: RefineConfig,
    disk: Disk<'_>,
    control: &mut dyn Control,
) -> Result<Refinement, Refusal> {
    with_stack(|| run(models, config, choices, OnDisk(disk, control)))
}

/// Stands for all that a saved comparison depends on.
pub fn refinement_fingerprint<'t>(
    model: &Model,
    files: impl Iterator<Item = &'t str>,
    config: &Config,
    models: &Models,
    choices: RefineConfig,
) -> [u8; DIGEST_BYTES] {
    let mut sum = Digest::open();
    sum.add(&fingerprint(model, files, config));
    let levels = (&models.concrete_level.name, &models.abstract_level.name);
    sum.add(format!("{:?}", (choices, levels)).as_bytes());
    sum.get()
}

fn run<E: Explorer>(
    models: &Models,
    config: &Config,
    choices: RefineConfig,
    mut explorer: E,
) -> Result<Refinement, E::Refusal> {
    let pair = pair_of(models, config, choices);
    let mut search = search_config(config);
    search.properties = Properties { invariant: true, ..Properties::default() };
    search.deadlock = false;
    let comparison = PairSearch { pair: &pair, config, choices };
    let group = comparison.group();
    let mut report = match (&group, config.symmetry) {
        (None, _) | (_, Method::Off | Method::Marker { .. }) => {
            let exploration =
                explorer.explore(AnySystem::of(&pair), &search, &mut StoresSteps(pair.seeks_divergence()))?;
            comparison.summarise(exploration, None, &mut explorer)
        }
        (Some((group, _)), Method::Canon) => {
            comparison.quotiented(&Canon::new(&pair, group.clone(), OwnLabelling), &search, explorer)?
        }
        #[cfg(feature = "nauty")]
        (Some((group, _)), Method::Nauty) => {
            let nauty = abridge_reduce::symmetry::Nauty;
            comparison.quotiented(&Canon::new(&pair, group.clone(), nauty), &search, explorer)?
        }
        (Some((group, _)), Method::Flood) => {
            comparison.quotiented(&Flood::new(&pair, group.clone()), &search, explorer)?
        }
        (Some((group, _)), Method::Auto) => {
            comparison.quotiented(&Auto::new(&pair, group.clone()), &search, explorer)?
        }
    };
    if let Some((_, carriers)) = group {
        report.symmetry = SymmetryReport { method: config.symmetry, carriers, ..SymmetryReport::default() };
    }
    Ok(report)
}

/// The system that [`refine`] explores.
pub fn pair_of<'m>(models: &'m Models, config: &Config, choices: RefineConfig) -> Pair<'m> {
    let RefineConfig { notion, new_is_skip, antichains } = choices;
    let (eval, system) = (config.eval.clone(), config.system.clone());
    Pair::new(models, &PairConfig { notion, new_is_skip, antichains, eval, system }, &config.stop)
}

/// Order of a group up to which set-ups are enumerated and then identified.
const MAX_ENUMERATED_ORDER: u128 = 6;

struct PairSearch<'c, 'm> {
    pair: &'c Pair<'m>,
    config: &'c Config,
    choices: RefineConfig,
}

impl PairSearch<'_, '_> {
    /// The permutations that neither text can tell apart; nothing if they change nothing.
    fn group(&self) -> Option<(Group, Vec<abridge_reduce::symmetry::Carrier>)> {
        if self.config.symmetry == Method::Off {
            return None;
        }
        let (joint, pinned) = self.pair.joint();
        let invariant = self.choices.notion == Notion::Simulation;
        let symmetry = symmetry_of(joint, Properties { invariant, ..Properties::default() }, &[], pinned);
        let group = symmetry.group.clone();
        if group.is_trivial() || self.pair.movable_words(&group).is_empty() {
            return None;
        }
        for system in [self.pair.concrete(), self.pair.abstraction()] {
            system.use_interchangeable(symmetry.interchangeable());
        }
        let is_about_forms = self.config.symmetry != Method::Flood;
        if is_about_forms && group.order().is_none_or(|order| order > MAX_ENUMERATED_ORDER) {
            self.pair.concrete().set_up_by_class(Arc::new(TupleClasses::new(group.clone())));
        }
        Some((group, symmetry.carriers))
    }

    fn quotiented<Q: Quotient, E: Explorer>(
        &self,
        quotient: &Q,
        search: &abridge_search::SearchConfig,
        mut explorer: E,
    ) -> Result<Refinement, E::Refusal> {
        let quotiented = Quotiented::new(self.pair, quotient);
        let exploration =
            explorer.explore(AnySystem::of(&quotiented), search, &mut StoresSteps(self.pair.seeks_divergence()))?;
        Ok(self.summarise(exploration, Some(&mut quotient.judge()), &mut explorer))
    }

    fn summarise<E: Explorer>(
        &self,
        exploration: Exploration,
        mut canonizer: Option<&mut dyn Canonizer>,
        explorer: &mut E,
    ) -> Refinement {
        self.config.is_search_over.store(true, std::sync::atomic::Ordering::Relaxed);
        let pair = self.pair;
        let remarks = pair.remarks();
        let mut limits = limits(&remarks, &exploration.limits, self.config.stopped_for.get().copied());
        if exploration.is_stuck_at_root && limits.is_empty() && !exploration.is_ill_defined_at_root {
            limits.push("the refinement has no initial state, so that nothing was compared".to_owned());
        }
        limits.extend(exploration.disk.spill_error.iter().map(|error| format!("state files: {error}")));
        limits.extend(self.unchecked());
        pair.wind_up();
        let mut counterexample = None;
        let mut ill_defined = None;
        if exploration.is_ill_defined_at_root {
            let failure = remarks.failures.iter().find(|failure| failure.is_violation);
            ill_defined = failure.map(|failure| (Some(failure.what.clone()), failure.diagnostic.clone()));
            if ill_defined.is_none() {
                limits.push("the start is not well-defined, and the plain interpreter does not say why".to_owned());
            }
        } else if let Some(finding) = exploration.findings.first() {
            match trace::states_to(pair, &exploration.table, Some(finding.state), &[], canonizer.take()) {
                Ok(path) => match self.judged(finding.kind, &path) {
                    Ok((found, error)) => (counterexample, ill_defined) = (Some(found), error),
                    Err(why) => limits.push(why),
                },
                Err(error) => limits.push(format!("the counterexample could not be read from state files: {error}")),
            }
        }
        let is_open = counterexample.is_none() && ill_defined.is_none() && limits.is_empty();
        let mut is_over = !exploration.is_stopped;
        if is_open && pair.seeks_divergence() {
            match divergence::find(pair, &exploration, canonizer, explorer.control()) {
                Ok(found) => counterexample = found,
                Err(DivergenceUnknown::Lost(limit)) => limits.push(limit),
                Err(DivergenceUnknown::Stopped(limit)) => {
                    limits.push(limit);
                    is_over = false;
                }
            }
        }
        // A search that stores steps leaves its checkpoint for what they are used for.
        if is_over && pair.seeks_divergence() {
            explorer.forget_saved();
        }
        let verdict = match (&counterexample, &ill_defined) {
            (None, None) if limits.is_empty() => Verdict::Holds,
            (None, None) => Verdict::Incomplete,
            _ => Verdict::Violated,
        };
        let count = |operation: u32| exploration.per_operation.get(operation as usize).copied().unwrap_or(0);
        let coverage = pair
            .operations()
            .into_iter()
            .map(|operation| Coverage { operation: pair.operation_name(operation), transitions: count(operation) });
        Refinement {
            verdict,
            pairs: exploration.table.len() as u64,
            transitions: exploration.transitions,
            depth: crate::depth(pair, &exploration),
            coverage: coverage.collect(),
            limits,
            failures: remarks.failures.into_iter().map(|failure| (failure.what, failure.diagnostic)).collect(),
            counterexample,
            ill_defined,
            symmetry: SymmetryReport::default(),
            table_bytes: exploration.table.bytes() as u64,
            disk: exploration.disk,
        }
    }

    /// Conjuncts of the gluing invariant that neither level decides.
    fn unchecked(&self) -> Option<String> {
        let (joint, _) = self.pair.joint();
        let first = *self.pair.unchecked().first()?;
        let text = dump::pred_text(joint, joint.invariant[first].pred);
        let n_more = self.pair.unchecked().len() - 1;
        let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
        Some(format!("gluing conjunct `{text}`{more} not checked: it mentions variables of a level between the two"))
    }

    /// What was found at the end of a path, as the plain interpreters see it; a limit if they do not see it.
    fn judged(
        &self,
        kind: FindingKind,
        path: &StatePath,
    ) -> Result<(Counterexample, Option<IllDefinedOperation>), String> {
        let unconfirmed = || "a failure was found that the plain interpreter does not confirm".to_owned();
        let mut counterexample = paired(self.pair, path);
        if let Some(gap) = &counterexample.gap {
            return Err(format!("a failure was found, but its trace was not: {gap}"));
        }
        let last = path.states.last().ok_or_else(unconfirmed)?;
        let before = path.states.len().checked_sub(2).map(|idx| &path.states[idx][..]);
        let origin = before.map_or(Origin::Root, Origin::State);
        match kind {
            FindingKind::Invariant(_) => {
                let failed = self.pair.failure(origin, last).ok_or_else(unconfirmed)?;
                counterexample.failed = Some(failed);
                Ok((counterexample, None))
            }
            FindingKind::IllDefined(_) => {
                let explanation = self.pair.explain(kind, last).ok_or_else(unconfirmed)?;
                Ok((counterexample, Some(explanation.error.ok_or_else(unconfirmed)?)))
            }
            _ => {
                let (operation, error) = self.pair.ill_defined_gluing(origin, last).ok_or_else(unconfirmed)?;
                Ok((counterexample, Some((Some(operation), error))))
            }
        }
    }
}

/// The steps through pairs that follow each other, found by the judge.
fn paired(pair: &Pair<'_>, path: &StatePath) -> Counterexample {
    let mut found =
        Counterexample { steps: Vec::new(), n_setup: 0, failed: None, loop_start: None, gap: path.gap.clone() };
    let mut before: Option<&[u32]> = None;
    for state in &path.states {
        let origin = before.map_or(Origin::Root, Origin::State);
        // A set-up is checked by evaluating the properties, which is faster than finding it among all of them.
        let is_start = before.is_none() && pair.is_start(state);
        let step = if is_start { None } else { pair.move_to(origin, state) };
        let (name, params, outputs) = match step {
            Some(step) => (step.name, step.params, step.outputs),
            None if is_start => (pair.start_name(state), Vec::new(), Vec::new()),
            None => {
                let number = found.steps.len() + 1;
                found.gap.get_or_insert(format!("step {number} could not be found again by the plain interpreter"));
                return found;
            }
        };
        found.n_setup += usize::from(!pair.is_running(Origin::State(state)));
        found.steps.push(PairedStep { name, params, outputs, state: pair.side_by_side(state) });
        before = Some(state);
    }
    found
}
