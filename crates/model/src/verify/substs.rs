//! Promises `targets`, `assigned` and `calls`, without the writes of called operations (`machine.rs`).

use std::collections::HashSet;

use super::typing::{is_tuple, locals};
use super::{Faults, Promise};
use crate::expr::Expr;
use crate::ids::{ExprId, IdSet, LocalId, SubstId, TypeId};
use crate::model::Model;
use crate::subst::{Subst, Target};

pub(super) fn check(model: &Model, faults: &mut Faults) {
    let assignable = assignable(model);
    for (id, node) in model.substs.iter() {
        targets(&node.subst, id, &assignable, faults);
        if let Some(text) = assigned(model, &node.subst) {
            faults.add(Promise::Assigned, id, text);
        }
        if let Subst::Call { op, args, outputs } = &node.subst {
            let op = &model.operations[*op];
            if types_of(model, args) != locals(model, &op.params) {
                faults.add(Promise::Calls, id, format_args!("the arguments do not fit {}", op.name));
            }
            if target_types(model, outputs) != locals(model, &op.outputs) {
                faults.add(Promise::Calls, id, format_args!("the outputs do not fit {}", op.name));
            }
        }
    }
    for (id, node) in model.exprs.iter() {
        if let Expr::CallOperation(op, args) = &node.expr {
            let op = &model.operations[*op];
            if types_of(model, args) != locals(model, &op.params) {
                faults.add(Promise::Calls, id, format_args!("the arguments do not fit {}", op.name));
            }
            if !is_tuple(&model.types, node.ty, &locals(model, &op.outputs)) {
                faults.add(Promise::Calls, id, format_args!("the type is not that of the outputs of {}", op.name));
            }
        }
    }
}

/// Outputs and VAR locals.
fn assignable(model: &Model) -> IdSet<LocalId> {
    let outputs = model.operations.values().flat_map(|op| &op.outputs);
    let var_locals = model.substs.values().flat_map(|node| match &node.subst {
        Subst::Var { locals, .. } => locals.as_slice(),
        _ => &[],
    });
    outputs.chain(var_locals).copied().collect()
}

fn targets(subst: &Subst, id: SubstId, assignable: &IdSet<LocalId>, faults: &mut Faults) {
    let targets = subst.targets();
    let before: &[(Target, LocalId)] = match subst {
        Subst::While { before, .. } => before,
        _ => &[],
    };
    let distinct: HashSet<&Target> = targets.iter().collect();
    if distinct.len() < targets.len() {
        faults.add(Promise::Targets, id, "assigns a target twice");
    }
    for target in targets.iter().chain(before.iter().map(|(target, _)| target)) {
        match target {
            Target::Local(local) if !assignable.contains(*local) => {
                faults.add(Promise::Targets, id, format_args!("{local:?} is neither an output nor of a VAR"));
            }
            _ => {}
        }
    }
}

fn assigned(model: &Model, subst: &Subst) -> Option<&'static str> {
    match subst {
        Subst::Assign { targets, values } => {
            (target_types(model, targets) != types_of(model, values)).then_some("the values do not fit the targets")
        }
        Subst::BecomesElement { targets, set } => {
            let elem = model.types.elem(model.ty(*set));
            let fits = elem.is_some_and(|elem| is_tuple(&model.types, elem, &target_types(model, targets)));
            (!fits).then_some("the set does not fit the targets")
        }
        Subst::BecomesSuch { targets, new, .. } => {
            (target_types(model, targets) != locals(model, new)).then_some("the new locals do not fit the targets")
        }
        Subst::While { before, .. } => {
            let fits = before.iter().all(|(target, local)| model.locals[*local].ty == target_type(model, target));
            (!fits).then_some("the locals for the values before the loop do not fit their targets")
        }
        _ => None,
    }
}

fn types_of(model: &Model, exprs: &[ExprId]) -> Vec<TypeId> {
    exprs.iter().map(|id| model.ty(*id)).collect()
}

fn target_types(model: &Model, targets: &[Target]) -> Vec<TypeId> {
    targets.iter().map(|target| target_type(model, target)).collect()
}

fn target_type(model: &Model, target: &Target) -> TypeId {
    match target {
        Target::Variable(id) => model.variables[*id].ty,
        Target::Local(id) => model.locals[*id].ty,
    }
}
