//! The order in which the compiled form finds the steps of an operation, as far as choices decide it.
//!
//! Whoever finds the same steps in another way puts them into this order: the numbers of states, and with them counts under a limit and the trace among several
//! shortest ones, follow from it.

use abridge_model::ids::Id as _;
use abridge_model::{LocalId, Model, OpId, Subst, SubstId};
use rustc_hash::FxHashSet;

use crate::code::{Exec, PlanStep};
use crate::program::{Program, SlotLayout};

/// The order of the steps of an operation: by branches first, then by what is chosen, each in ascending order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StepOrder {
    /// SELECTs around everything that is chosen, the outer ones first: their branches are searched one after the other.
    pub branches: Vec<SubstId>,
    /// Locals in the order in which searches bind them: parameters, then what the body chooses.
    pub bound: Vec<LocalId>,
}

/// The locals that searches bind, in order.
struct SearchedLocals {
    layout: SlotLayout,
    /// Locals that tell steps apart.
    known: FxHashSet<LocalId>,
    order: Vec<LocalId>,
}

impl Program {
    /// The order of the steps of an operation, as a whole or in stages; nothing if steps come in no such order, or there is no compiled form.
    pub fn step_order(&self, model: &Model, op: OpId, in_stages: bool) -> Option<StepOrder> {
        let operation = &model.operations[op];
        let mut bound = SearchedLocals { layout: self.layout, known: chosen(model), order: Vec::new() };
        bound.known.extend(&operation.params);
        if in_stages {
            bound.add(&self.staged(op)?.search.plan.steps)?;
            return Some(StepOrder { branches: Vec::new(), bound: bound.order });
        }
        let cases = &self.operations[op.index()].as_ref()?.cases;
        let mut first: Option<Vec<LocalId>> = None;
        let mut inner = Vec::new();
        for case in cases {
            bound.order.clear();
            bound.add(&case.plan.steps)?;
            // Branches that search in different orders have no order in common.
            if first.as_ref().is_some_and(|first| *first != bound.order) {
                return None;
            }
            first.get_or_insert_with(|| bound.order.clone());
            let n_params = bound.order.len();
            bound.add_body(&case.body)?;
            inner.extend(bound.order.drain(n_params..));
        }
        let mut order = first.unwrap_or_default();
        order.extend(inner);
        let mut branches = Vec::new();
        if cases.len() > 1 {
            add_branches(model, without_precondition(model, operation.body), &mut branches);
        }
        Some(StepOrder { branches, bound: order })
    }
}

fn without_precondition(model: &Model, body: SubstId) -> SubstId {
    match model.subst(body) {
        Subst::Pre { body, .. } => *body,
        _ => body,
    }
}

/// Locals that substitutions choose.
fn chosen(model: &Model) -> FxHashSet<LocalId> {
    let binders = model.substs.iter().filter_map(|(_, node)| match &node.subst {
        Subst::Any { binder, .. } => Some(binder),
        Subst::BecomesSuch { new, .. } => Some(new),
        _ => None,
    });
    binders.flatten().copied().collect()
}

/// Adds a SELECT and those that are branches of it.
fn add_branches(model: &Model, body: SubstId, found: &mut Vec<SubstId>) {
    if let Subst::Select { branches, otherwise } = model.subst(body) {
        found.push(body);
        for body in branches.iter().map(|(_, body)| *body).chain(*otherwise) {
            add_branches(model, body, found);
        }
    }
}

impl SearchedLocals {
    /// Adds the locals that the steps of a plan bind; nothing if solutions come in another order than that of their values.
    fn add(&mut self, steps: &[PlanStep]) -> Option<()> {
        let (mut slots, mut is_hidden) = (Vec::new(), false);
        for step in steps {
            let start = slots.len();
            if !step.binds_in_order(&mut slots) {
                return None;
            }
            for slot in &slots[start..] {
                let local = self.layout.local_at(*slot)?;
                if !self.known.contains(&local) {
                    // What is tried and tells no steps apart decides nevertheless which of them comes first.
                    is_hidden |= !matches!(step, PlanStep::Match { .. });
                } else if is_hidden {
                    return None;
                } else if !self.order.contains(&local) {
                    self.order.push(local);
                }
            }
        }
        Some(())
    }

    fn add_body(&mut self, body: &Exec) -> Option<()> {
        match body {
            Exec::Skip | Exec::Assign(_) | Exec::Choose { .. } | Exec::While(_) => Some(()),
            Exec::Such { plan, .. } => self.add(&plan.steps),
            Exec::Any(plan, body) => {
                self.add(&plan.steps)?;
                self.add_body(body)
            }
            Exec::Require(_, body) | Exec::Let(_, body) | Exec::Var(_, body) => self.add_body(body),
            Exec::Call { body, .. } => self.add_body(body),
            Exec::Select { branches, otherwise } | Exec::If { branches, otherwise } => {
                branches.iter().try_for_each(|(_, body)| self.add_body(body))?;
                otherwise.iter().try_for_each(|body| self.add_body(body))
            }
            Exec::Case { branches, otherwise, .. } => {
                branches.iter().try_for_each(|(_, body)| self.add_body(body))?;
                otherwise.iter().try_for_each(|body| self.add_body(body))
            }
            Exec::Choice(parts) | Exec::Sequence(parts) => parts.iter().try_for_each(|part| self.add_body(part)),
            Exec::Parallel(parts) => parts.iter().try_for_each(|(part, _)| self.add_body(part)),
        }
    }
}
