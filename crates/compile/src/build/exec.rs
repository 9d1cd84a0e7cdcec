//! Translation of substitutions and operations.

use std::sync::Arc;

use abridge_diag::with_stack;
use abridge_model::{ExprId, LocalId, ModelNode, OpId, PredId, Subst, SubstId, Target};
use rustc_hash::FxHashSet;

use super::CodeBuilder;
use super::plan::SolutionUse;
use crate::code::{CandidateSource, Code, CompiledCase, Exec, Test, While};
use crate::program::CompiledOperation;

impl CodeBuilder<'_, '_> {
    pub(crate) fn operation(&mut self, op: OpId) -> Option<CompiledOperation> {
        let model = self.model;
        let operation = &model.operations[op];
        self.open.push(op);
        let cases = self.cases(operation.body, &operation.params);
        self.open.pop();
        let slots =
            |locals: &[LocalId]| -> Vec<usize> { locals.iter().map(|local| self.layout.local(*local)).collect() };
        let (params, outputs) = (slots(&operation.params), slots(&operation.outputs));
        let writes = operation.effects.writes.iter().map(|id| self.layout.variable(id)).collect();
        let cases = cases?;
        let may_repeat =
            cases.len() > 1 || cases.iter().any(|case| case.plan.may_repeat || !is_deterministic(&case.body));
        Some(CompiledOperation { cases, label: [params, outputs.clone()].concat(), outputs, writes, may_repeat })
    }

    /// Cases of an operation, as in the plain interpreter: its outermost PRE and the SELECTs directly inside are guards.
    pub(crate) fn cases(&mut self, body: SubstId, params: &[LocalId]) -> Option<Vec<CompiledCase>> {
        let mut first = OpenCase { guards: Vec::new(), excluded: Vec::new(), body };
        if let Subst::Pre { pred, body } = self.model.subst(body) {
            first.guards.push(*pred);
            first.body = *body;
        }
        let mut open = vec![first];
        let mut done = Vec::new();
        while let Some(case) = open.pop() {
            let Subst::Select { branches, otherwise } = self.model.subst(case.body) else {
                let plan = self.plan_for(SolutionUse::Choice, params, &case.guards, &case.excluded)?;
                let body = self.exec(case.body)?;
                done.push(CompiledCase { plan, is_deterministic: is_deterministic(&body), body });
                continue;
            };
            let all: Vec<PredId> = branches.iter().map(|(guard, _)| *guard).collect();
            if let Some(body) = otherwise {
                open.push(OpenCase {
                    excluded: [&case.excluded[..], &all].concat(),
                    body: *body,
                    guards: case.guards.clone(),
                });
            }
            for (guard, body) in branches.iter().rev() {
                open.push(OpenCase {
                    guards: [&case.guards[..], &[*guard]].concat(),
                    body: *body,
                    excluded: case.excluded.clone(),
                });
            }
        }
        Some(done)
    }

    pub(crate) fn target(&self, target: Target) -> usize {
        match target {
            Target::Variable(id) => self.layout.variable(id),
            Target::Local(id) => self.layout.local(id),
        }
    }

    /// Compiled form of a substitution, if it is covered.
    pub(crate) fn exec(&mut self, id: SubstId) -> Option<Exec> {
        with_stack(|| self.exec_inner(id))
    }

    pub(crate) fn exec_inner(&mut self, id: SubstId) -> Option<Exec> {
        let model = self.model;
        Some(match model.subst(id) {
            Subst::Skip => Exec::Skip,
            Subst::Assign { targets, values } => Exec::Assign(
                targets.iter().zip(values).map(|(target, value)| (self.target(*target), self.code(*value))).collect(),
            ),
            Subst::BecomesElement { targets, set } => {
                let source = match self.code(*set) {
                    Code::Interpret(id, names) => CandidateSource::Interpret(id, names),
                    code => CandidateSource::Code(code),
                };
                Exec::Choose { targets: targets.iter().map(|target| self.target(*target)).collect(), source }
            }
            Subst::BecomesSuch { targets, new, pred } => {
                let plan = self.plan_for(SolutionUse::Choice, new, &[*pred], &[])?;
                let copies =
                    new.iter().zip(targets).map(|(new, target)| (self.layout.local(*new), self.target(*target)));
                Exec::Such { plan, copies: copies.collect() }
            }
            Subst::Pre { pred, body } | Subst::Assert { pred, body } => {
                Exec::Require(self.test(*pred), Box::new(self.exec(*body)?))
            }
            Subst::Select { branches, otherwise } => {
                let (branches, otherwise) = self.branches(branches, *otherwise)?;
                Exec::Select { branches, otherwise }
            }
            Subst::If { branches, otherwise } => {
                let (branches, otherwise) = self.branches(branches, *otherwise)?;
                Exec::If { branches, otherwise }
            }
            Subst::Choice(parts) => Exec::Choice(self.all(parts)?),
            Subst::Case { selector, branches, otherwise } => {
                let selector = self.code(*selector);
                let mut compiled = Vec::new();
                for (values, body) in branches {
                    let values = values.iter().map(|value| self.code(*value)).collect();
                    compiled.push((values, self.exec(*body)?));
                }
                Exec::Case { selector, branches: compiled, otherwise: self.optional(*otherwise)? }
            }
            Subst::Any { binder, pred, body } => {
                Exec::Any(self.plan_for(SolutionUse::Choice, binder, &[*pred], &[])?, Box::new(self.exec(*body)?))
            }
            Subst::Let { bindings, body } => Exec::Let(self.bindings(bindings), Box::new(self.exec(*body)?)),
            Subst::Var { locals, body } => {
                Exec::Var(locals.iter().map(|local| self.layout.local(*local)).collect(), Box::new(self.exec(*body)?))
            }
            Subst::While { condition, body, invariant, variant, before } => {
                let writes = self.written(*body);
                let body = self.exec(*body)?;
                if !is_deterministic(&body) {
                    return None;
                }
                let before =
                    before.iter().map(|(target, local)| (self.target(*target), self.layout.local(*local))).collect();
                let (condition, invariant) = (self.test(*condition), self.test(*invariant));
                let variant = self.code(*variant);
                Exec::While(Box::new(While { condition, body, writes, invariant, variant, before }))
            }
            Subst::Call { op, args, outputs } => self.call(*op, args, outputs)?,
            Subst::External(..) => return None,
            Subst::Sequence(parts) => Exec::Sequence(self.all(parts)?),
            Subst::Parallel(parts) => self.parallel(parts)?,
        })
    }

    pub(crate) fn all(&mut self, parts: &[SubstId]) -> Option<Vec<Exec>> {
        parts.iter().map(|part| self.exec(*part)).collect()
    }

    pub(crate) fn optional(&mut self, body: Option<SubstId>) -> Option<Option<Box<Exec>>> {
        match body {
            Some(body) => Some(Some(Box::new(self.exec(body)?))),
            None => Some(None),
        }
    }

    #[expect(clippy::type_complexity, reason = "the two parts of IF and SELECT")]
    pub(crate) fn branches(
        &mut self,
        branches: &[(PredId, SubstId)],
        otherwise: Option<SubstId>,
    ) -> Option<(Vec<(Test, Exec)>, Option<Box<Exec>>)> {
        let mut compiled = Vec::new();
        for (condition, body) in branches {
            compiled.push((self.test(*condition), self.exec(*body)?));
        }
        Some((compiled, self.optional(otherwise)?))
    }

    pub(crate) fn call(&mut self, op: OpId, args: &[ExprId], outputs: &[Target]) -> Option<Exec> {
        if self.open.contains(&op) || self.open.len() > 20 {
            return None;
        }
        let operation = &self.model.operations[op];
        self.open.push(op);
        let body = self.exec(operation.body);
        self.open.pop();
        let params = operation
            .params
            .iter()
            .zip(args)
            .map(|(param, arg)| (self.layout.local(*param), self.code(*arg)))
            .collect();
        let locals: Vec<usize> = operation.outputs.iter().map(|local| self.layout.local(*local)).collect();
        let outputs = locals.iter().copied().zip(outputs.iter().map(|target| self.target(*target))).collect();
        Some(Exec::Call { params, locals, body: Arc::new(body?), outputs })
    }

    pub(crate) fn parallel(&mut self, parts: &[SubstId]) -> Option<Exec> {
        let compiled = self.all(parts)?;
        if compiled.iter().all(|part| matches!(part, Exec::Assign(_) | Exec::Skip)) {
            let assignments = compiled.into_iter().flat_map(|part| match part {
                Exec::Assign(assignments) => assignments,
                _ => Vec::new(),
            });
            return Some(Exec::Assign(assignments.collect()));
        }
        let writes = parts.iter().map(|part| self.written(*part));
        let writes: Vec<Vec<usize>> = writes.collect();
        let mut written = FxHashSet::default();
        let are_disjoint = writes.iter().flatten().all(|slot| written.insert(*slot));
        are_disjoint.then(|| Exec::Parallel(compiled.into_iter().zip(writes).collect()))
    }

    /// Slots that a substitution may write, calls included.
    pub(crate) fn written(&mut self, id: SubstId) -> Vec<usize> {
        self.targets(id).iter().map(|(_, slot)| *slot).collect()
    }

    /// Targets that a substitution may write, calls included, with their slots, ascending. Remembered, since loops nest.
    pub(crate) fn targets(&mut self, id: SubstId) -> Arc<[(Target, usize)]> {
        if let Some(known) = self.written.get(&id) {
            return known.clone();
        }
        let model = self.model;
        let mut written: Vec<(Target, usize)> = Vec::new();
        let mut open = vec![id];
        while let Some(part) = open.pop() {
            let subst = model.subst(part);
            let called = match subst {
                Subst::Call { op, .. } => Some(&model.operations[*op].effects.writes),
                _ => None,
            };
            let called = called.into_iter().flat_map(|writes| writes.iter().map(Target::Variable));
            written.extend(subst.targets().iter().copied().chain(called).map(|target| (target, self.target(target))));
            match subst {
                Subst::While { body, .. } => written.extend(&*with_stack(|| self.targets(*body))),
                Subst::Parallel(parts) => {
                    for part in parts {
                        written.extend(&*with_stack(|| self.targets(*part)));
                    }
                }
                _ => model.for_each_child(ModelNode::Subst(part), &mut |child| {
                    if let ModelNode::Subst(child) = child {
                        open.push(child);
                    }
                }),
            }
        }
        written.sort_unstable_by_key(|(_, slot)| *slot);
        written.dedup();
        let written: Arc<[(Target, usize)]> = written.into();
        self.written.insert(id, written.clone());
        written
    }
}

struct OpenCase {
    guards: Vec<PredId>,
    excluded: Vec<PredId>,
    body: SubstId,
}

/// Whether a substitution has at most one outcome.
pub(crate) fn is_deterministic(exec: &Exec) -> bool {
    match exec {
        Exec::Skip | Exec::Assign(_) => true,
        Exec::Choose { .. } | Exec::Such { .. } | Exec::Any(..) | Exec::Choice(_) => false,
        Exec::Select { branches, otherwise } => {
            branches.len() == 1 && is_deterministic(&branches[0].1) && otherwise.as_deref().is_none_or(is_deterministic)
        }
        Exec::Require(_, body) | Exec::Let(_, body) | Exec::Var(_, body) => is_deterministic(body),
        Exec::If { branches, otherwise } => {
            branches.iter().all(|(_, body)| is_deterministic(body)) && otherwise.as_deref().is_none_or(is_deterministic)
        }
        Exec::Case { branches, otherwise, .. } => {
            branches.iter().all(|(_, body)| is_deterministic(body)) && otherwise.as_deref().is_none_or(is_deterministic)
        }
        Exec::While(_) => true,
        Exec::Call { body, .. } => is_deterministic(body),
        Exec::Sequence(parts) => parts.iter().all(is_deterministic),
        Exec::Parallel(parts) => parts.iter().all(|(part, _)| is_deterministic(part)),
    }
}
