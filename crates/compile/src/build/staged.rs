//! Operations in stages, each of which reads less than the whole: conditions without unknowns, the search for parameters, and one value for each
//! assigned variable.
//!
//! Covered are operations with one guard (PRE, SELECT), at most one ANY, and assignments. The stages give the same steps as the whole operation.

use abridge_model::{LocalId, ModelNode, OpId, PredId, Subst, SubstId, Target, VarId, may_fail};

use rustc_hash::FxHashSet;

use super::CodeBuilder;
use super::plan::SolutionUse;
use crate::program::{Assigned, Condition, ParameterSearch, Staged};

/// Stages of an operation, if it is covered.
pub(crate) fn staged(builder: &mut CodeBuilder<'_, '_>, op: OpId) -> Option<Staged> {
    let model = builder.model;
    let operation = &model.operations[op];
    let mut guards: Vec<PredId> = Vec::new();
    let mut body = operation.body;
    if let Subst::Pre { pred, body: inner } = model.subst(body) {
        guards.push(*pred);
        body = *inner;
    }
    while let Subst::Select { branches, otherwise: None } = model.subst(body)
        && let [(guard, inner)] = branches.as_slice()
    {
        guards.push(*guard);
        body = *inner;
    }
    let mut binder = operation.params.clone();
    let n_strict = guards.len();
    if let Subst::Any { binder: chosen, pred, body: inner } = model.subst(body)
        && binder.is_empty()
    {
        guards.push(*pred);
        binder.clone_from(chosen);
        body = *inner;
    }
    let mut assignments = Vec::new();
    collect(builder, body, &mut assignments)?;
    let targets: FxHashSet<Target> = assignments.iter().map(|(target, _)| *target).collect();
    if targets.len() < assignments.len() {
        return None;
    }
    let (strict, chosen) = guards.split_at(n_strict);
    stages(builder, &operation.params, &binder, (strict, chosen), &assignments)
}

/// Collects the assignments of a body that consists of assignments only.
fn collect(builder: &CodeBuilder<'_, '_>, body: SubstId, out: &mut Vec<(Target, abridge_model::ExprId)>) -> Option<()> {
    match builder.model.subst(body) {
        Subst::Skip => {}
        Subst::Assign { targets, values } => out.extend(targets.iter().copied().zip(values.iter().copied())),
        Subst::Parallel(parts) => parts.iter().try_for_each(|part| collect(builder, *part, out))?,
        _ => return None,
    }
    Some(())
}

/// Stages for guards and the condition of an ANY below them.
fn stages(
    builder: &mut CodeBuilder<'_, '_>,
    params: &[LocalId],
    binder: &[LocalId],
    (guards, chosen): (&[PredId], &[PredId]),
    assignments: &[(Target, abridge_model::ExprId)],
) -> Option<Staged> {
    let (model, names) = (builder.model, builder.names);
    let mut conditions = Vec::new();
    let mut searched = Vec::new();
    let mut search_reads: Vec<VarId> = Vec::new();
    // A false condition of the ANY must not hide that a guard is ill-defined: it is looked at after the guards.
    let is_later = guards.iter().any(|guard| may_fail(model, ModelNode::Pred(*guard)));
    let conjuncts = |preds: &[PredId]| preds.iter().flat_map(|pred| names.conjuncts(model, *pred).to_vec()).collect();
    let (guards, chosen): (Vec<PredId>, Vec<PredId>) = (conjuncts(guards), conjuncts(chosen));
    let all = guards.into_iter().map(|pred| (pred, false)).chain(chosen.into_iter().map(|pred| (pred, is_later)));
    for (pred, is_later) in all {
        let read = names.of_pred(model, pred);
        if is_later || read.locals.iter().any(|local| binder.contains(local)) {
            search_reads.extend(&read.variables);
            searched.push(pred);
        } else {
            conditions.push(Condition { pred, test: builder.test(pred), reads: read.variables.clone() });
        }
    }
    search_reads.sort_unstable();
    search_reads.dedup();
    let is_read =
        |local: &LocalId| assignments.iter().any(|(_, value)| names.of_expr(model, *value).locals.contains(local));
    let found: Vec<LocalId> = binder.iter().copied().filter(|local| params.contains(local) || is_read(local)).collect();
    let values = assignments.iter().map(|(target, value)| {
        let read = names.of_expr(model, *value);
        let locals = read.locals.iter().map(|local| found.iter().position(|other| other == local));
        let locals = locals.collect::<Option<Vec<usize>>>()?;
        Some(Assigned { code: builder.code(*value), target: *target, reads: read.variables.clone(), locals })
    });
    let values = values.collect::<Option<Vec<Assigned>>>()?;
    let plan = builder.plan_for(SolutionUse::Stage, binder, &searched, &[])?;
    let slots = found.iter().map(|local| builder.layout.local(*local)).collect();
    let search = ParameterSearch { plan, reads: search_reads, locals: found, found: slots };
    Some(Staged { conditions, search, values, n_params: params.len() })
}
