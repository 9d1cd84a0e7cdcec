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
use abridge_search::{Control, Exploration};
use abridge_system::System;

use crate::explorer::{Explorer, InMemory};
use crate::por::{PorMode, Trial};
use crate::report::{Report, Verdict};
use crate::temporal::{Lettered, Searched};
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
    if config.symmetry == Method::Off {
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

    /// Adds what becomes of temporal formulas to a report. `around` lies around the machine with letters.
    fn judge<A: System>(
        &self,
        report: &mut Report,
        exploration: &Exploration,
        (lettered, around): (&Lettered<'_, '_>, &A),
        canonizer: Option<&mut dyn Canonizer>,
        control: &mut dyn Control,
    ) {
        if self.config.formulas.formulas.is_empty() {
            return;
        }
        let Parts { system, config, .. } = *self;
        let searched = Searched { system, steps: around, lettered, exploration, config, limits: &report.limits };
        report.temporal = searched.judge(canonizer, control);
        report.settle_temporal();
    }
}

fn plain<S: System, E: Explorer>(parts: &Parts<'_, '_, S>, mut explorer: E) -> Result<Report, E::Refusal> {
    let exploration = explorer.explore(parts.steps, &search_config(parts.config))?;
    let mut report = summarise(parts.system, &exploration, None, parts.config);
    let lettered = parts.lettered();
    parts.judge(&mut report, &exploration, (&lettered, &lettered), None, explorer.control());
    Ok(report)
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
    let exploration = explorer.explore(&Quotiented::new(parts.steps, marker), &search_config(&config))?;
    let mut report = summarise(parts.system, &exploration, None, parts.config);
    report.symmetry.is_approximate = marker.is_approximate();
    if marker.is_approximate() {
        report.limits.push("approximate: states with equal symmetry markers share a representative".to_owned());
        if report.verdict == Verdict::Holds {
            report.verdict = Verdict::Incomplete;
        }
    }
    let lettered = parts.lettered();
    let around = Quotiented::new(&lettered, marker);
    let mut judge = marker.judge();
    parts.judge(&mut report, &exploration, (&lettered, &around), Some(&mut judge), explorer.control());
    Ok(report)
}

fn quotiented<S: System, Q: Quotient, E: Explorer>(
    parts: &Parts<'_, '_, S>,
    quotient: &Q,
    mut explorer: E,
) -> Result<Report, E::Refusal> {
    let exploration = explorer.explore(&Quotiented::new(parts.steps, quotient), &search_config(parts.config))?;
    let mut report = summarise(parts.system, &exploration, Some(&mut quotient.judge()), parts.config);
    let lettered = parts.lettered();
    let around = Quotiented::new(&lettered, quotient);
    let mut judge = quotient.judge();
    parts.judge(&mut report, &exploration, (&lettered, &around), Some(&mut judge), explorer.control());
    Ok(report)
}
