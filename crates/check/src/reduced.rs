//! Exploring a model with reductions around it: a selection of steps first, a quotient of states around that.

use std::num::NonZero;
use std::sync::Arc;

use abridge_deps::Resources;
use abridge_model_system::ModelSystem;
use abridge_reduce::symmetry::{
    Auto, Canon, Canonizer, Flood, Group, Marker, Method, OwnLabelling, Quotient, Quotiented, TupleClasses,
    ValueStates as _, symmetry_of,
};
use abridge_reduce::{Paths, Por, Selected, SelectionTally};
use abridge_system::AnySystem;

use crate::coverage::coverage;
use crate::explorer::{Explorer, Unwatched};
use crate::por::{PorMode, PorTrial};
use crate::report::{Report, Verdict};
use crate::stack::EvaluatedSystem;
use crate::temporal::{self, Lettered, LinearProperties, Temporal, TemporalVerdict};
use crate::{Config, canonized, por, search_config, summarise};

/// Order of a group up to which are enumerated and then identified, which is faster than comparing partial solutions.
const MAX_ENUMERATED_ORDER: u128 = 6;

/// Explores a system with what is configured and reports what was found.
pub(crate) fn run<S: EvaluatedSystem, E: Explorer>(
    system: &S,
    config: &Config,
    mut explorer: E,
) -> Result<Report, E::Refusal> {
    if !config.reduce.is_empty() {
        return canonized::run(system, config, &mut explorer);
    }
    let is_about_paths = config.formulas.formulas.iter().any(|formula| formula.body.is_some());
    let everything = ReducedSystem { system, config, paths: None };
    let Some(por) = por::settings(system, config) else { return everything.all_steps(&mut explorer) };
    let paths = match is_about_paths.then(|| asked_paths(system, config, &explorer)) {
        Some(Err(why)) => {
            let report = everything.all_steps(&mut explorer)?;
            let refused = SelectionTally { refused: Some(why), ..SelectionTally::default() };
            return Ok(Report { por: (config.por != PorMode::Auto).then_some(refused), ..report });
        }
        Some(Ok(paths)) => Some(paths),
        None => None,
    };
    if config.por == PorMode::Auto && config.check_por.is_none() {
        if !explorer.may_restart() {
            return everything.all_steps(&mut explorer);
        }
        let mut trial = PorTrial::new(explorer.control(), system, por, paths.as_ref(), config.answers.clone());
        let Ok(report) = everything.all_steps(&mut trial);
        if !trial.is_promising {
            return Ok(report);
        }
    }
    if let Some(paths) = paths {
        return along_paths(system, config, por, &paths, &mut explorer);
    }
    let evaluator = system.evaluator(config);
    let selected = Selected::new(&evaluator, por, resources(config));
    let report = everything.up_to_symmetry(AnySystem::of(&selected), &mut explorer)?;
    Ok(Report { por: Some(selected.tally()), sliced: S::usage(&evaluator), ..report })
}

pub(crate) fn resources(config: &Config) -> Resources {
    let stop = config.stop.clone();
    Resources::new(config.answers.clone(), por::MAX_EFFORT).ended_by(move || stop.is_raised())
}

/// What formulas about paths ask of a selection, or the reason why there is none.
fn asked_paths<E: Explorer>(system: &impl ModelSystem, config: &Config, explorer: &E) -> Result<Paths, String> {
    if config.check_por.is_some() {
        return Err("--check-por does not cover temporal formulas".to_owned());
    }
    if !explorer.may_restart() {
        return Err(
            "temporal formulas may need a second search, and a search with checkpoints or files cannot begin again"
                .to_owned(),
        );
    }
    config.formulas.paths(system.model())
}

/// Searches with a reduction after which nothing is reduced; fewer where nobody asked for one.
const MAX_ROUNDS: usize = 64;
const MAX_AUTO_ROUNDS: usize = 8;

/// Explores with fewer steps while formulas about paths keep their truth. Where steps might be put off for ever, states are expanded fully and the
/// search starts anew.
fn along_paths<S: EvaluatedSystem, E: Explorer>(
    system: &S,
    config: &Config,
    por: Por,
    paths: &Paths,
    explorer: &mut E,
) -> Result<Report, E::Refusal> {
    let n_rounds = if config.por == PorMode::Auto { MAX_AUTO_ROUNDS } else { MAX_ROUNDS };
    for _ in 0..n_rounds {
        let version = paths.version();
        let evaluator = system.evaluator(config);
        let selected = Selected::new(&evaluator, por, resources(config)).along(paths);
        let scene = ReducedSystem { system, config, paths: Some(paths) };
        let report = scene.up_to_symmetry(AnySystem::of(&selected), explorer)?;
        let is_open = report.temporal.iter().any(|formula| matches!(formula.verdict, TemporalVerdict::Incomplete(_)));
        if paths.version() == version || !is_open {
            return Ok(Report { por: Some(selected.tally()), sliced: S::usage(&evaluator), ..report });
        }
    }
    ReducedSystem { system, config, paths: None }.all_steps(explorer)
}

/// What is explored, and how.
struct ReducedSystem<'p, S> {
    system: &'p S,
    config: &'p Config,
    /// Some steps are left out in a way that formulas about paths do not notice.
    paths: Option<&'p Paths>,
}

impl<S: EvaluatedSystem> ReducedSystem<'_, S> {
    /// Explores all steps of the system, by circuits where that pays.
    fn all_steps<E: Explorer>(&self, explorer: &mut E) -> Result<Report, E::Refusal> {
        let evaluator = self.system.evaluator(self.config);
        let report = self.up_to_symmetry(AnySystem::of(&evaluator), explorer)?;
        Ok(Report { sliced: S::usage(&evaluator), ..report })
    }

    /// Explores the steps of `steps`, which are all or some of those of the system.
    fn up_to_symmetry<E: Explorer>(&self, steps: AnySystem<'_>, explorer: &mut E) -> Result<Report, E::Refusal> {
        let ReducedSystem { system, config, paths } = *self;
        let needs_path = paths.is_some() || !explorer.may_restart();
        let properties = LinearProperties::new(config, needs_path);
        let parts = SystemParts { system, steps, config, paths, properties: &properties, group: None };
        // Fairness to every operation with its arguments follows permutations, which only one method tells.
        let needs_permutations = config.formulas.needs_instances;
        if config.symmetry == Method::Off {
            return plain(&parts, explorer);
        }
        if needs_permutations && config.symmetry != Method::Auto {
            let mut report = plain(&parts, explorer)?;
            report.symmetry.restrictions.push(temporal::needs_permutations(&config.formulas));
            return Ok(report);
        }
        let (asked, nodes) = (search_config(config).properties, config.formulas.nodes());
        let symmetry = symmetry_of(system.model(), asked, &nodes, system.pinned());
        let restrictions = temporal::restrictions(system, asked, &config.formulas, &symmetry);
        system.use_interchangeable(symmetry.interchangeable());
        let group = symmetry.group;
        let is_idle = group.is_trivial() || system.movable_words(&group).is_empty();
        // Flooding and markers are about states as they are met.
        let is_about_forms = !matches!(config.symmetry, Method::Flood | Method::Marker { .. });
        if !is_idle && is_about_forms {
            use_group(system, &group);
        }
        let mut report = match config.symmetry {
            _ if is_idle => plain(&parts, explorer)?,
            Method::Off => plain(&parts, explorer)?,
            Method::Auto => {
                let parts = SystemParts { group: needs_permutations.then(|| group.clone()), ..parts };
                quotiented(&parts, &Auto::new(system, group), explorer)?
            }
            Method::Canon => quotiented(&parts, &Canon::new(system, group, OwnLabelling), explorer)?,
            #[cfg(feature = "nauty")]
            Method::Nauty => quotiented(&parts, &Canon::new(system, group, abridge_reduce::symmetry::Nauty), explorer)?,
            Method::Flood => quotiented(&parts, &Flood::new(system, group), explorer)?,
            Method::Marker { is_precise } => marked(&parts, &Marker::new(system, group, is_precise), explorer)?,
        };
        report.symmetry.method = config.symmetry;
        report.symmetry.carriers = symmetry.carriers;
        report.symmetry.restrictions = restrictions;
        Ok(report)
    }
}

/// Lets the system set up one valuation of the constants for each class, where that is faster.
pub(crate) fn use_group(system: &impl ModelSystem, group: &Group) {
    if group.order().is_none_or(|order| order > MAX_ENUMERATED_ORDER) {
        system.set_up_by_class(Arc::new(TupleClasses::new(group.clone())));
    }
}

/// A scene and the steps that are taken in it.
struct SystemParts<'p, S> {
    system: &'p S,
    steps: AnySystem<'p>,
    config: &'p Config,
    paths: Option<&'p Paths>,
    properties: &'p LinearProperties,
    /// Permutations are noted on steps.
    group: Option<Group>,
}

impl<S: ModelSystem> SystemParts<'_, S> {
    /// The steps with letters on them.
    fn lettered(&self) -> Lettered<'_, S> {
        let formulas = &self.config.formulas;
        Lettered::new(self.system, self.steps, &formulas.atoms, formulas.needs_instances)
            .turned_by(self.group.clone())
            .leaving_out(self.properties)
    }
}

/// Explores a system and judges temporal formulas on the way and at the end. `lettered` is the machine with letters and `around` what lies around it in the same way as
/// in `explored`. Where there are formulas, that is what is explored, so that the search stores steps with their letters.
fn explore_and_judge<S: ModelSystem, E: Explorer>(
    parts: &SystemParts<'_, S>,
    explored: AnySystem<'_>,
    (lettered, around): (&Lettered<'_, S>, AnySystem<'_>),
    canonizers: (Option<&mut dyn Canonizer>, Option<&mut dyn Canonizer>),
    explorer: &mut E,
) -> Result<Report, E::Refusal> {
    let SystemParts { system, config, paths, properties, .. } = *parts;
    let search = search_config(config);
    let mut temporal = Temporal::new(system, around, lettered, config, (properties, paths));
    let exploration = match temporal.is_needed() {
        true if temporal.is_on_the_fly() && explorer.may_restart() => {
            temporal.explore_on_the_fly(&search, explorer.control())
        }
        true => explorer.explore(around, &search, &mut temporal)?,
        false => explorer.explore(explored, &search, &mut Unwatched)?,
    };
    let mut report = summarise(system, &exploration, canonizers.0, config);
    if explorer.is_abandoned() {
        return Ok(report);
    }
    let covered = |max_values| coverage(system, &exploration.table, max_values, explorer.control());
    report.state_coverage = config.coverage.map(covered);
    let is_needed = temporal.is_needed();
    report.temporal = temporal.judge(&exploration, &report.limits, canonizers.1, explorer.control());
    report.settle_temporal();
    if is_needed && !exploration.is_stopped && config.stopped_for.get().is_none() {
        explorer.forget_saved();
    }
    Ok(report)
}

fn plain<E: Explorer>(parts: &SystemParts<'_, impl ModelSystem>, explorer: &mut E) -> Result<Report, E::Refusal> {
    let lettered = parts.lettered();
    explore_and_judge(parts, parts.steps, (&lettered, AnySystem::of(&lettered)), (None, None), explorer)
}

/// The states of the table are those that were met, so they need no translation.
fn marked<S: ModelSystem, E: Explorer>(
    parts: &SystemParts<'_, S>,
    marker: &Marker<'_, S>,
    explorer: &mut E,
) -> Result<Report, E::Refusal> {
    // Which state is first must not depend on threads.
    let config = Config { workers: NonZero::<usize>::MIN, ..parts.config.clone() };
    let parts = &SystemParts { config: &config, group: None, ..*parts };
    let (lettered, explored) = (parts.lettered(), Quotiented::new(&parts.steps, marker));
    let around = Quotiented::new(&lettered, marker);
    let mut judge = marker.judge();
    let (explored, around) = (AnySystem::of(&explored), AnySystem::of(&around));
    let mut report = explore_and_judge(parts, explored, (&lettered, around), (None, Some(&mut judge)), explorer)?;
    report.symmetry.is_approximate = marker.is_approximate();
    if marker.is_approximate() {
        let why = "approximate: states with equal symmetry markers share a representative";
        report.limits.push(why.to_owned());
        if report.verdict == Verdict::Holds {
            report.verdict = Verdict::Incomplete;
        }
        report.doubt_temporal(why);
    }
    Ok(report)
}

/// Explores representatives of states along `steps`, which are all or some of those of the system.
pub(crate) fn by_quotient<Q: Quotient, E: Explorer>(
    system: &impl ModelSystem,
    steps: AnySystem<'_>,
    config: &Config,
    quotient: &Q,
    explorer: &mut E,
) -> Result<Report, E::Refusal> {
    let properties = LinearProperties::new(config, !explorer.may_restart());
    quotiented(
        &SystemParts { system, steps, config, paths: None, properties: &properties, group: None },
        quotient,
        explorer,
    )
}

fn quotiented<Q: Quotient, E: Explorer>(
    parts: &SystemParts<'_, impl ModelSystem>,
    quotient: &Q,
    explorer: &mut E,
) -> Result<Report, E::Refusal> {
    let (lettered, explored) = (parts.lettered(), Quotiented::new(&parts.steps, quotient));
    let around = Quotiented::new(&lettered, quotient).annotated(lettered.turns());
    let (mut of_states, mut of_paths) = (quotient.judge(), quotient.judge());
    let canonizers: (Option<&mut dyn Canonizer>, Option<&mut dyn Canonizer>) =
        (Some(&mut of_states), Some(&mut of_paths));
    explore_and_judge(parts, AnySystem::of(&explored), (&lettered, AnySystem::of(&around)), canonizers, explorer)
}
