//! Formulas of a run ready for its engines, and the steps that none of them needs: [`LinearProperties`].
//!
//! Most formulas are about all states, and most steps of a large machine lie on no path that could violate them. A search that stores only the others is nearly as fast as one without formulas. Where it finds a
//! violation, the steps of the states so far are computed once more, all of them, for the sake of the path.

use abridge_search::Strategy;
use abridge_temporal::emptiness::Truth;
use abridge_temporal::{Budget, GaveUp, Idle, LinearProperty};

use super::prepare::FormulaTree;
use crate::Config;

/// Properties of formulas of linear time.
pub(crate) struct LinearProperties {
    /// By formula; nothing for those of branching time and those that are wrong.
    of_formulas: Vec<Option<Result<LinearProperty, GaveUp>>>,
    /// For each formula the letters of steps that it does not need, and its atoms among those of all formulas; empty if some formula needs all steps.
    idle: Vec<(Idle, Vec<usize>)>,
}

impl LinearProperties {
    /// `needs_path` says that whoever asks for steps wants to follow all of them.
    pub(crate) fn new(config: &Config, needs_path: bool) -> LinearProperties {
        let prepared = &config.formulas;
        let is_stopped = || config.stop.is_raised();
        let bodies = || prepared.formulas.iter().map(|formula| formula.body.as_ref());
        let property = |tree: &FormulaTree| match tree {
            FormulaTree::Ltl(expanded) => {
                Some(LinearProperty::new(expanded, &Budget { is_stopped: &is_stopped, ..Budget::default() }))
            }
            FormulaTree::Ctl(_) => None,
        };
        let of_formulas: Vec<_> = bodies().map(|body| body.and_then(|body| property(&body.tree))).collect();
        let needs_all = needs_path || prepared.needs_instances || config.strategy != Strategy::BreadthFirst;
        let idle = bodies().zip(&of_formulas).filter_map(|(body, property)| Some((body?, property))).map(
            |(body, property)| {
                let property = property.as_ref().and_then(|property| property.as_ref().ok())?;
                Some((Idle::new(property)?, body.atoms.clone()))
            },
        );
        let idle: Option<Vec<_>> = if needs_all { None } else { idle.collect() };
        LinearProperties { of_formulas, idle: idle.unwrap_or_default() }
    }

    pub(super) fn of_formula(&self, formula: usize) -> Option<&Result<LinearProperty, GaveUp>> {
        self.of_formulas.get(formula)?.as_ref()
    }

    /// Some steps may not be needed.
    pub(super) fn has_idle_steps(&self) -> bool {
        !self.idle.is_empty()
    }

    /// Whether no formula needs a step with these values of all atoms, whatever those are that are not known.
    pub(super) fn are_idle(&self, truths: &[Truth]) -> bool {
        self.has_idle_steps()
            && self.idle.iter().all(|(idle, atoms)| idle.contains(&|atom| truths[atoms[atom.0 as usize]]))
    }
}
