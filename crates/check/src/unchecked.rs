//! Properties that the machine states and that this run does not check.
//!
//! A run that skips a property must not end in `holds`. [`tell`] adds such properties to a finished report: as diagnostics with their
//! places and, unless the conventions of another tool were asked for, as limits, which turn `holds` into `incomplete`.

use abridge_diag::{Diagnostic, Span};
use abridge_model::{Conjunct, Model};

use crate::Config;
use crate::report::{Report, Verdict};

/// So many places are shown of one kind.
const MAX_PLACES: usize = 8;

/// Adds what was not checked to a report about the model.
pub(crate) fn tell(model: &Model, config: &Config, report: &mut Report) {
    report.visited_all = report.limits.is_empty();
    report.unchecked = temporal(model, config).into_iter().chain(gluing(model, config)).collect();
    // With the conventions of another tool, what is taken on trust is no limit.
    if config.eval.unbounded != abridge_eval::Unbounded::Error {
        return;
    }
    report.limits.extend(report.unchecked.iter().map(|diagnostic| diagnostic.message.clone()));
    if report.verdict == Verdict::Holds && !report.limits.is_empty() {
        report.verdict = Verdict::Incomplete;
    }
}

/// Temporal properties of a machine that nobody prepared.
fn temporal(model: &Model, config: &Config) -> Option<Diagnostic> {
    let properties = &model.steering.temporal;
    if !config.temporal || properties.is_empty() || !config.formulas.formulas.is_empty() {
        return None;
    }
    let message = match properties.as_slice() {
        [only] => format!("temporal property `{}` was not checked", only.name),
        all => format!("{} temporal properties were not checked", all.len()),
    };
    let diagnostic = Diagnostic::warning("temporal-unchecked", message);
    let places = properties.iter().map(|property| property.span);
    Some(at_all(diagnostic, places).help("`--no-temporal` leaves them out"))
}

/// Conjuncts of the invariant over variables of the abstraction that the refinement has replaced. Those that an abstraction states about
/// itself are left out: they are its own to satisfy.
pub fn gluing_conjuncts(model: &Model) -> Vec<&Conjunct> {
    let is_stated_here = |conjunct: &&Conjunct| {
        conjunct.is_gluing
            && (conjunct.machine == model.name || conjunct.reads.iter().any(|id| !model.variables[id].is_abstract))
    };
    model.invariant.iter().filter(is_stated_here).collect()
}

fn gluing(model: &Model, config: &Config) -> Option<Diagnostic> {
    if !config.invariant || !config.gluing {
        return None;
    }
    let conjuncts = gluing_conjuncts(model);
    let message = match conjuncts.as_slice() {
        [] => return None,
        [_] => "a gluing conjunct of the invariant was not checked".to_owned(),
        all => format!("{} gluing conjuncts of the invariant were not checked", all.len()),
    };
    let replaced = conjuncts.iter().flat_map(|conjunct| conjunct.reads.iter());
    let mut names: Vec<String> = replaced
        .filter(|id| model.variables[*id].is_abstract)
        .map(|id| format!("`{}`", model.variables[id].name))
        .collect();
    names.sort();
    names.dedup();
    let diagnostic = Diagnostic::warning("gluing-unchecked", message);
    let note = format!("states have no value of {}, which only the abstraction has", names.join(", "));
    let diagnostic = at_all(diagnostic, conjuncts.iter().map(|conjunct| conjunct.span));
    Some(diagnostic.note(note).help("`abridge refine FILE --by simulation` checks them; `--no-gluing` leaves them out"))
}

/// A diagnostic about several places.
fn at_all(diagnostic: Diagnostic, mut places: impl Iterator<Item = Span>) -> Diagnostic {
    let first = places.next();
    let diagnostic = first.into_iter().fold(diagnostic, Diagnostic::at);
    places.take(MAX_PLACES - 1).fold(diagnostic, |diagnostic, span| diagnostic.also(span, "not checked either"))
}
