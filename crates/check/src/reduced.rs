//! Exploring a model with reductions around it: a selection of steps first, a quotient of states around that.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use abridge_deps::Resources;
use abridge_explicit::Explicit;
use abridge_reduce::Selected;
use abridge_reduce::symmetry::{
    Auto, Canon, Canonizer, Flood, Marker, Method, Own, Quotient, Quotiented, TupleClasses, ValueStates as _,
    symmetry_of,
};
use abridge_system::System;

use crate::explorer::{Explorer, InMemory, Unwatched};
use crate::por::{PorMode, Trial};
use crate::report::{Report, Verdict};
use crate::temporal::{Lettered, Temporal};
use crate::{Config, por, search_config, summarise};

/// Order of a group up to which are enumerated and then identified, which is faster than comparing partial solutions.
const MAX_ENUMERATED_ORDER: u128 = 6;

/// Explores a system with what is configured and reports what was found.
pub(crate) fn run<E: Explorer>(system: &Explicit<'_>, config: &Config, mut explorer: E) -> Result<Report, E::Refusal> {
    // Properties of paths are not preserved.
    let is_about_paths = config.formulas.formulas.iter().any(|formula| formula.body.is_some());
    let Some(por) = por::settings(system, config).filter(|_| !is_about_paths) else {
        return up_to_symmetry(system, system, config, explorer);
    };
    if config.por == PorMode::Auto && config.check_por.is_none() {
        if !explorer.may_restart() {
            return up_to_symmetry(system, system, config, explorer);
        }
        let mut trial = Trial::new(explorer.control(), system, por, config.answers.clone());
        let Ok(report) = up_to_symmetry(system, system, config, InMemory(&mut trial));
        if !trial.is_promising {
            return Ok(report);
        }
    }
    let stop = config.stop.clone();
    let resources =
        Resources::new(config.answers.clone(), por::MAX_EFFORT).ended_by(move || stop.load(Ordering::Relaxed));
    let selected = Selected::new(system, por, resources);
    let report = up_to_symmetry(system, &selected, config, explorer)?;
    Ok(Report { por: Some(selected.tally()), ..report })
}

/// Explores the steps of `steps`, which are all or some of those of the system.
fn up_to_symmetry<S: System, E: Explorer>(
    system: &Explicit<'_>,
    steps: &S,
    config: &Config,
    explorer: E,
) -> Result<Report, E::Refusal> {
    let parts = Parts { system, steps, config };
    // Fairness of every operation with its arguments tells elements apart.
    if config.symmetry == Method::Off || config.formulas.needs_instances {
        return plain(&parts, explorer);
    }
    let nodes = config.formulas.nodes();
    let symmetry = symmetry_of(system.model(), search_config(config).properties, &nodes, system.pinned());
    system.use_interchangeable(symmetry.interchangeable());
    let group = symmetry.group;
    let is_idle = group.is_trivial() || system.movable_words(&group).is_empty();
    // Flooding and markers are about states as they are met.
    let is_about_forms = !matches!(config.symmetry, Method::Flood | Method::Marker { .. });
    if !is_idle && is_about_forms && group.order().is_none_or(|order| order > MAX_ENUMERATED_ORDER) {
        system.set_up_by_class(Arc::new(TupleClasses::new(group.clone())));
    }
    let mut report = match config.symmetry {
        _ if is_idle => plain(&parts, explorer)?,
        Method::Off => plain(&parts, explorer)?,
        Method::Auto => quotiented(&parts, &Auto::new(system, group), explorer)?,
        Method::Canon => quotiented(&parts, &Canon::new(system, group, Own), explorer)?,
        #[cfg(feature = "nauty")]
        Method::Nauty => quotiented(&parts, &Canon::new(system, group, abridge_reduce::symmetry::Nauty), explorer)?,
        Method::Flood => quotiented(&parts, &Flood::new(system, group), explorer)?,
        Method::Marker { is_precise } => marked(&parts, &Marker::new(system, group, is_precise), explorer)?,
    };
    report.symmetry.method = config.symmetry;
    report.symmetry.carriers = symmetry.carriers;
    Ok(report)
}

/// What is explored.
struct Parts<'p, 's, S> {
    system: &'p Explicit<'s>,
    steps: &'p S,
    config: &'p Config,
}

impl<S> Parts<'_, '_, S> {
    /// The machine with letters on its steps.
    fn lettered(&self) -> Lettered<'_, '_> {
        let formulas = &self.config.formulas;
        Lettered::new(self.system, &formulas.atoms, formulas.needs_instances, None)
    }
}

/// Explores a system and judges temporal formulas on the way and at the end. The states of the table are those of `explored`; `lettered` is the machine with letters
/// and `around` what lies around it in the same way as in `explored`.
fn explore_and_judge<S: System, A: System, E: Explorer>(
    parts: &Parts<'_, '_, impl System>,
    explored: &S,
    (lettered, around): (&Lettered<'_, '_>, &A),
    canonizers: (Option<&mut dyn Canonizer>, Option<&mut dyn Canonizer>),
    explorer: &mut E,
) -> Result<Report, E::Refusal> {
    let Parts { system, config, .. } = *parts;
    let search = search_config(config);
    let mut temporal = Temporal::new(system, around, lettered, config);
    let exploration = match temporal.is_needed() {
        true => explorer.explore(explored, &search, &mut temporal)?,
        false => explorer.explore(explored, &search, &mut Unwatched)?,
    };
    let mut report = summarise(system, &exploration, canonizers.0, config);
    report.temporal = temporal.judge(&exploration, &report.limits, canonizers.1, explorer.control());
    report.settle_temporal();
    Ok(report)
}

fn plain<S: System, E: Explorer>(parts: &Parts<'_, '_, S>, mut explorer: E) -> Result<Report, E::Refusal> {
    let lettered = parts.lettered();
    explore_and_judge(parts, parts.steps, (&lettered, &lettered), (None, None), &mut explorer)
}

/// The states of the table are those that were met, so they need no translation.
fn marked<S: System, E: Explorer>(
    parts: &Parts<'_, '_, S>,
    marker: &Marker<'_, Explicit<'_>>,
    mut explorer: E,
) -> Result<Report, E::Refusal> {
    // Which state is first must not depend on threads.
    let config = Config { workers: NonZero::<usize>::MIN, ..parts.config.clone() };
    let parts = &Parts { system: parts.system, steps: parts.steps, config: &config };
    let (lettered, explored) = (parts.lettered(), Quotiented::new(parts.steps, marker));
    let around = Quotiented::new(&lettered, marker);
    let mut judge = marker.judge();
    let mut report =
        explore_and_judge(parts, &explored, (&lettered, &around), (None, Some(&mut judge)), &mut explorer)?;
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

fn quotiented<S: System, Q: Quotient, E: Explorer>(
    parts: &Parts<'_, '_, S>,
    quotient: &Q,
    mut explorer: E,
) -> Result<Report, E::Refusal> {
    let (lettered, explored) = (parts.lettered(), Quotiented::new(parts.steps, quotient));
    let around = Quotiented::new(&lettered, quotient);
    let (mut of_states, mut of_paths) = (quotient.judge(), quotient.judge());
    let canonizers: (Option<&mut dyn Canonizer>, Option<&mut dyn Canonizer>) =
        (Some(&mut of_states), Some(&mut of_paths));
    explore_and_judge(parts, &explored, (&lettered, &around), canonizers, &mut explorer)
}
