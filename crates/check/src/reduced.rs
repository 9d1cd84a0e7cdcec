//! Exploring a model up to symmetry.

use std::num::NonZero;

use abridge_eval::Explicit;
use abridge_reduce::symmetry::{Auto, Canon, Flood, Marker, Method, Own, Quotient, Quotiented, symmetry_of};

use crate::explorer::Explorer;
use crate::report::{Report, Verdict};
use crate::{Config, search_config, summarise};

/// Explores a system by a method and reports what was found.
pub(crate) fn run<E: Explorer>(system: &Explicit<'_>, config: &Config, explorer: E) -> Result<Report, E::Refusal> {
    let search = search_config(config);
    let plain = |explorer: E| Ok(summarise(system, explorer.explore(system, &search)?, None));
    if config.symmetry == Method::Off {
        return plain(explorer);
    }
    let symmetry = symmetry_of(system.model(), search.properties, system.pinned());
    let group = symmetry.group;
    let mut report = match config.symmetry {
        _ if group.is_trivial() => plain(explorer)?,
        Method::Off => plain(explorer)?,
        Method::Auto => quotiented(system, config, &Auto::new(system, group), explorer)?,
        Method::Canon => quotiented(system, config, &Canon::new(system, group, Own), explorer)?,
        #[cfg(feature = "nauty")]
        Method::Nauty => {
            quotiented(system, config, &Canon::new(system, group, abridge_reduce::symmetry::Nauty), explorer)?
        }
        Method::Flood => quotiented(system, config, &Flood::new(system, group), explorer)?,
        Method::Marker { is_precise } => marked(system, config, &Marker::new(system, group, is_precise), explorer)?,
    };
    report.symmetry.method = config.symmetry;
    report.symmetry.carriers = symmetry.carriers;
    Ok(report)
}

/// The states of the table are those that were met, so they need no translation.
fn marked<E: Explorer>(
    system: &Explicit<'_>,
    config: &Config,
    marker: &Marker<'_, '_>,
    explorer: E,
) -> Result<Report, E::Refusal> {
    // Which state is first must not depend on threads.
    let search = search_config(&Config { workers: NonZero::<usize>::MIN, ..config.clone() });
    let exploration = explorer.explore(&Quotiented::new(system, marker), &search)?;
    let mut report = summarise(system, exploration, None);
    report.symmetry.is_approximate = marker.is_approximate();
    if marker.is_approximate() {
        report.limits.push("states with equal symmetry markers were taken to be symmetric".to_owned());
        if report.verdict == Verdict::Holds {
            report.verdict = Verdict::Incomplete;
        }
    }
    Ok(report)
}

fn quotiented<Q: Quotient, E: Explorer>(
    system: &Explicit<'_>,
    config: &Config,
    quotient: &Q,
    explorer: E,
) -> Result<Report, E::Refusal> {
    let exploration = explorer.explore(&Quotiented::new(system, quotient), &search_config(config))?;
    Ok(summarise(system, exploration, Some(&mut quotient.canonizer())))
}
