//! Exploring a model up to symmetry.

use std::num::NonZero;
use std::sync::Arc;

use abridge_eval::Explicit;
use abridge_reduce::symmetry::{
    Auto, Canon, Flood, Group, Marker, Method, Own, Quotient, Quotiented, TupleClasses, movable_words, symmetry_of,
};
use abridge_search::{Config, Control, explore};

use crate::report::{Report, Verdict};
use crate::summarise;

/// With no more permutations than this, constants are enumerated and then identified, which is faster than comparing partial solutions.
const FEW: u128 = 6;

/// Explores a system by a method and reports what was found.
pub(crate) fn run(system: &Explicit<'_>, search: &Config, method: Method, control: &mut dyn Control) -> Report {
    let plain = |control: &mut dyn Control| summarise(system, &explore(system, search, control), None);
    if method == Method::Off {
        return plain(control);
    }
    let symmetry = symmetry_of(system.model(), search.properties, system.pinned());
    let group: Group = symmetry.group;
    let is_idle = group.is_trivial() || movable_words(system, &group).is_empty();
    // Flooding and markers are about states as they are met.
    let is_about_forms = !matches!(method, Method::Flood | Method::Marker { .. });
    if !is_idle && is_about_forms && group.order().is_none_or(|order| order > FEW) {
        system.set_up_by_class(Arc::new(TupleClasses::new(group.clone())));
    }
    let mut report = match method {
        _ if is_idle => plain(control),
        Method::Off => plain(control),
        Method::Auto => quotiented(system, search, &Auto::new(system, group), control),
        Method::Canon => quotiented(system, search, &Canon::new(system, group, Own), control),
        #[cfg(feature = "nauty")]
        Method::Nauty => {
            quotiented(system, search, &Canon::new(system, group, abridge_reduce::symmetry::Nauty), control)
        }
        Method::Flood => quotiented(system, search, &Flood::new(system, group), control),
        Method::Marker { is_precise } => marked(system, search, &Marker::new(system, group, is_precise), control),
    };
    report.symmetry.method = method;
    report.symmetry.carriers = symmetry.carriers;
    report
}

/// The states of the table are those that were met, so they need no translation.
fn marked(system: &Explicit<'_>, search: &Config, marker: &Marker<'_, '_>, control: &mut dyn Control) -> Report {
    // Which state is first must not depend on threads.
    let search = Config { workers: NonZero::<usize>::MIN, ..search.clone() };
    let exploration = explore(&Quotiented::new(system, marker), &search, control);
    let mut report = summarise(system, &exploration, None);
    report.symmetry.is_approximate = marker.is_approximate();
    if marker.is_approximate() {
        report.limits.push("states with equal symmetry markers were taken to be symmetric".to_owned());
        if report.verdict == Verdict::Holds {
            report.verdict = Verdict::Incomplete;
        }
    }
    report
}

fn quotiented<Q: Quotient>(system: &Explicit<'_>, search: &Config, quotient: &Q, control: &mut dyn Control) -> Report {
    let exploration = explore(&Quotiented::new(system, quotient), search, control);
    summarise(system, &exploration, Some(&mut quotient.judge()))
}
