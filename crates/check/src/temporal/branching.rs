//! Formulas of branching time on stored steps: [`decide`].
//!
//! What is decided stays so however many steps follow, so a violation that was found in passing is told at the end of the search as it was found, also if time is up then.

use abridge_search::StateGraph;
use abridge_temporal::formula::AtomId;
use abridge_temporal::{BranchingFormula, ctl};

use super::graph::Lettering;
use super::{MarkedSteps, Turned};
use crate::Config;

/// What is known of a formula.
pub(super) enum Decided {
    /// An atom has no value in a state.
    IllDefined(u32, AtomId),
    /// Why an initial state violates the formula; nothing if the search for it was stopped.
    False(Option<ctl::Evidence>),
    /// All known initial states satisfy it; why the first one does, if a path shows that.
    True(Option<ctl::Evidence>),
    /// Missing steps or values may decide.
    Open,
}

impl Decided {
    /// Further steps change nothing.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, Decided::IllDefined(..) | Decided::False(_))
    }
}

/// Judges a formula, given the numbers of its atoms, on the steps that are stored of so many states.
pub(super) fn decide(
    branching: &BranchingFormula,
    atoms: &[usize],
    (seen, n_states): (MarkedSteps<'_>, usize),
    turned: &Turned<'_>,
    config: &Config,
) -> Result<Decided, ctl::Stopped> {
    let stop = &config.stop;
    let is_stopped = || stop.is_raised();
    let seen = MarkedSteps { turned: seen.has_turns.then_some(turned), ..seen };
    let view = || Lettering::new(seen, n_states, atoms, &is_stopped);
    let graph = view();
    let is_read = |stored: &StateGraph| if stored.has_failed() { Err(ctl::Stopped) } else { Ok(()) };
    if let Some((state, atom)) = graph.ill_defined() {
        is_read(seen.stored)?;
        return Ok(Decided::IllDefined(state, atom));
    }
    let views = ctl::Views { view: &view, n_workers: config.workers.get(), may_index: !seen.stored.is_spilled() };
    let satisfied = ctl::check(&views, branching)?;
    is_read(seen.stored)?;
    let value = |state: &u32| satisfied.value(branching.formula.root(), *state);
    let evidence = |state: &u32| ctl::evidence(&graph, branching, &satisfied, *state).ok();
    let initial = &seen.starts.initial;
    if let Some(wrong) = initial.iter().find(|state| value(state) == Some(false)) {
        return Ok(Decided::False(evidence(wrong)));
    }
    if initial.iter().any(|state| value(state).is_none()) {
        return Ok(Decided::Open);
    }
    Ok(Decided::True(initial.first().and_then(evidence).filter(has_path)))
}

/// A path shows the value of a formula.
fn has_path(evidence: &ctl::Evidence) -> bool {
    match &evidence.shown {
        ctl::EvidencePart::Path { steps, parts, .. } => {
            !steps.is_empty() || parts.iter().any(|(_, part)| has_path(part))
        }
        ctl::EvidencePart::Parts(parts) => parts.iter().any(has_path),
        _ => false,
    }
}
