//! Exploring a model up to symmetry.

use abridge_eval::Explicit;
use abridge_reduce::symmetry::{Auto, Group, Method, Quotient, Quotiented, symmetry_of};
use abridge_search::{Config, Control, explore};

use crate::report::{Report, SymmetryReport};
use crate::summarise;

/// Explores a system by a method and reports what was found.
pub(crate) fn run(system: &Explicit<'_>, search: &Config, method: Method, control: &mut dyn Control) -> Report {
    let plain = |control: &mut dyn Control| summarise(system, &explore(system, search, control), None);
    if method == Method::Off {
        return plain(control);
    }
    let symmetry = symmetry_of(system.model(), search.properties, system.pinned());
    let group: Group = symmetry.group;
    let mut report = match method {
        _ if group.is_trivial() => plain(control),
        Method::Off => plain(control),
        Method::Auto => quotiented(system, search, &Auto::new(system, group), control),
    };
    report.symmetry = SymmetryReport { method, carriers: symmetry.carriers };
    report
}

fn quotiented<Q: Quotient>(system: &Explicit<'_>, search: &Config, quotient: &Q, control: &mut dyn Control) -> Report {
    let exploration = explore(&Quotiented::new(system, quotient), search, control);
    summarise(system, &exploration, Some(&mut quotient.canonizer()))
}
