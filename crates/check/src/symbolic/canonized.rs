//! Reductions that the machine defines, inside the symbolic engine: what of a plan it can apply, and the run.

use abridge_model_system::ModelSystem;
use abridge_reduce::canonizer::{Canonized, PartKind, ReductionPlan};
use abridge_reduce::symmetry::Group;
use abridge_search::Control;
use abridge_symbolic::{Direction, Reduction};

use super::{SymbolicRun, run_all};
use crate::Config;
use crate::report::Report;

/// The reductions of a run, and who tells equivalent states.
pub(super) struct Canonising<'r, S> {
    pub(super) plan: &'r ReductionPlan,
    pub(super) canonized: &'r Canonized<'r, S>,
}

impl<S> Canonising<'_, S> {
    /// The permutations of elements that are left to symmetry reduction.
    pub(super) fn group(&self) -> Group {
        let group = self.plan.parts.iter().find_map(|part| match &part.kind {
            PartKind::Symmetry { group, .. } => Some(group.clone()),
            _ => None,
        });
        group.unwrap_or_else(|| Group::new(Vec::new()))
    }

    /// The parts that are functions on states.
    pub(super) fn reductions(&self) -> Vec<Reduction> {
        let parts = self.plan.parts.iter().filter_map(|part| match &part.kind {
            PartKind::Canonizer(function) => Some(Reduction::Function(*function)),
            PartKind::Orbit { generators, .. } => Some(Reduction::Generators(generators.clone())),
            PartKind::Symmetry { .. } => None,
        });
        parts.collect()
    }

    /// What was asked for and the engine does not do.
    pub(super) fn unsupported(&self, config: &Config) -> Option<&'static str> {
        let n_groups = self.plan.parts.iter().filter(|part| matches!(part.kind, PartKind::Symmetry { .. })).count();
        if config.direction == Direction::Backward {
            return Some("reductions are not applied backwards");
        }
        if !config.formulas.formulas.is_empty() {
            return Some("temporal formulas are not judged under reductions");
        }
        if n_groups > 1 {
            return Some("permutations of several sets with another reduction between them are not supported");
        }
        (!self.plan.canonises_start).then_some("an initial state that is not canonised is not supported")
    }
}

/// Explores a system symbolically with the reductions of a plan; nothing if the explicit engine has to explain why the machine does not start.
pub(crate) fn run<S: ModelSystem>(
    system: &S,
    config: &Config,
    plan: &ReductionPlan,
    canonized: &Canonized<'_, S>,
    control: &mut dyn Control,
) -> Option<Report> {
    let canonising = Canonising { plan, canonized };
    run_all(SymbolicRun { canonising: Some(&canonising), ..SymbolicRun::new(system, config, control) })
}
