//! Operations in stages that read less than the whole: conditions without unknowns, the search for parameters, and one value for each
//! assigned variable. What a stage yields depends on few variables only, so it can be remembered under few ids.
//!
//! Covered are operations with one guard (PRE, SELECT), at most one ANY, and assignments. The stages give what the operation as a whole
//! gives, and end in a [`Stop`] where it does.

use abridge_eval::Val;
use abridge_model::{LocalId, OpId, PredId, Subst, SubstId, Target, VarId};

use super::build::Builder;
use super::code::{Code, Plan, Test};
use super::plan::Wanted;
use super::{Fast, Runtime, Stop};

pub struct Staged {
    pub conditions: Vec<Condition>,
    pub search: Search,
    pub values: Vec<Assigned>,
    /// How many of the found locals are parameters and so belong to the label of a step; they come first.
    pub n_params: usize,
}

/// A conjunct of the guard without unknowns.
pub struct Condition {
    pub pred: PredId,
    test: Test,
    pub reads: Vec<VarId>,
}

/// The search for parameters or for the locals of ANY.
pub struct Search {
    plan: Plan,
    pub reads: Vec<VarId>,
    /// The locals that matter afterwards, and their slots.
    pub locals: Vec<LocalId>,
    found: Vec<usize>,
}

/// The new value of a variable, or of an output.
pub struct Assigned {
    code: Code,
    /// Nothing for an output.
    pub target: Option<VarId>,
    pub reads: Vec<VarId>,
    /// Which of the found locals it reads.
    pub locals: Vec<usize>,
}

/// What a condition says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    False,
    True,
    /// Ill-defined: if nothing else forbids the step, the plain interpreter decides.
    Doubtful,
}

impl Verdict {
    /// A number for a memo, never 0.
    pub fn number(self) -> u32 {
        self as u32 + 1
    }

    pub fn from_number(number: u32) -> Verdict {
        [Verdict::False, Verdict::True].get(number as usize - 1).copied().unwrap_or(Verdict::Doubtful)
    }
}

/// The stages of an operation, if it has the form.
pub(super) fn staged(builder: &mut Builder<'_, '_>, op: OpId) -> Option<Staged> {
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
    if let Subst::Any { binder: chosen, pred, body: inner } = model.subst(body)
        && binder.is_empty()
    {
        guards.push(*pred);
        binder.clone_from(chosen);
        body = *inner;
    }
    let mut assignments = Vec::new();
    collect(builder, body, &mut assignments)?;
    stages(builder, &operation.params, &binder, &guards, &assignments)
}

/// The assignments of a body that has nothing else.
fn collect(builder: &Builder<'_, '_>, body: SubstId, out: &mut Vec<(Target, abridge_model::ExprId)>) -> Option<()> {
    match builder.model.subst(body) {
        Subst::Skip => {}
        Subst::Assign { targets, values } => out.extend(targets.iter().copied().zip(values.iter().copied())),
        Subst::Parallel(parts) => parts.iter().try_for_each(|part| collect(builder, *part, out))?,
        _ => return None,
    }
    let is_new = |idx: usize| out[..idx].iter().all(|(target, _)| *target != out[idx].0);
    (0..out.len()).all(is_new).then_some(())
}

fn stages(
    builder: &mut Builder<'_, '_>,
    params: &[LocalId],
    binder: &[LocalId],
    guards: &[PredId],
    assignments: &[(Target, abridge_model::ExprId)],
) -> Option<Staged> {
    let (model, names) = (builder.model, builder.names);
    let mut conditions = Vec::new();
    let mut searched = Vec::new();
    let mut search_reads: Vec<VarId> = Vec::new();
    for pred in guards.iter().flat_map(|guard| names.conjuncts(model, *guard).to_vec()) {
        let read = names.of_pred(model, pred);
        if read.locals.iter().any(|local| binder.contains(local)) {
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
        let target = match target {
            Target::Variable(id) => Some(*id),
            Target::Local(_) => None,
        };
        let locals = locals.collect::<Option<Vec<usize>>>()?;
        Some(Assigned { code: builder.code(*value), target, reads: read.variables.clone(), locals })
    });
    let values = values.collect::<Option<Vec<Assigned>>>()?;
    let plan = builder.plan_for(Wanted::Stage, binder, &searched, &[])?;
    let slots = found.iter().map(|local| builder.layout.local(*local)).collect();
    let search = Search { plan, reads: search_reads, locals: found, found: slots };
    Some(Staged { conditions, search, values, n_params: params.len() })
}

impl Search {
    /// How many locals matter afterwards.
    pub fn n_found(&self) -> usize {
        self.found.len()
    }

    /// There is nothing to search for.
    pub fn is_trivial(&self) -> bool {
        self.plan.is_empty()
    }
}

impl<'p> Runtime<'p> {
    pub fn condition(&mut self, condition: &Condition) -> Fast<Verdict> {
        self.begin();
        let answer = match self.test(&condition.test) {
            Ok(true) => Ok(Verdict::True),
            Ok(false) => Ok(Verdict::False),
            Err(Stop::IllDefined) => Ok(Verdict::Doubtful),
            Err(Stop::Escape) => Err(Stop::Escape),
        };
        self.end(answer)
    }

    /// Calls `each` with the values of the found locals of every solution; equal ones may come again.
    pub fn search(&mut self, search: &Search, each: &mut dyn FnMut(&[&Val])) -> Fast<()> {
        self.begin();
        let answer = self.every(&search.plan, &mut |runtime| {
            let vals: Vec<&Val> = search.found.iter().map(|slot| &runtime.slots[*slot]).collect();
            each(&vals);
            Ok(())
        });
        self.end(answer)
    }

    /// A new value under some values of the found locals.
    pub fn assigned(&mut self, search: &Search, assigned: &Assigned, locals: &[Val]) -> Fast<Val> {
        self.begin();
        let slots = assigned.locals.iter().map(|idx| search.found[*idx]);
        let saved: Vec<(usize, Val)> = slots
            .zip(locals)
            .map(|(slot, val)| (slot, std::mem::replace(&mut self.slots[slot], val.clone())))
            .collect();
        let answer = self.code(&assigned.code);
        self.restore(saved);
        self.end(answer).map(Val::Value)
    }
}
