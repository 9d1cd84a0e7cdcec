//! Substitutions: all outcomes of a substitution in an environment.
//!
//! An outcome is a set of assignments or an error. A substitution without outcomes is infeasible: its guard is false. A PRE here is an obligation;
//! a PRE that is a guard has been removed before (see `machine.rs`).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_model::ids::Id as _;
use abridge_model::{ExprId, LocalId, OpId, PredId, Subst, SubstId, Target};
use abridge_value::Int;

use crate::config::Unbounded;
use crate::domain::{Env, Error, ErrorKind, Result, Update, Val};
use crate::interp::{Problem, Session, Warning};
use crate::sets::Size;

/// Result of a substitution: assignments, or an error.
pub type UpdateResult = Result<Update>;

pub(crate) type Emit<'e> = dyn FnMut(UpdateResult) -> ControlFlow<()> + 'e;

/// Largest number of outcomes kept for a part of a parallel substitution. A part with more is executed again for each combination of the parts before
/// it: `f :: S --> T` can have more outcomes than there is memory.
const MAX_KEPT_OUTCOMES: usize = 10_000;

/// Outcomes of one part of a parallel substitution.
struct Column {
    part: SubstId,
    updates: Vec<Update>,
    /// First error. Errors of a long column are reported when it is executed again.
    error: Option<Error>,
    /// There are more than [`MAX_KEPT_OUTCOMES`] outcomes, and none is kept.
    is_long: bool,
}

impl Column {
    fn add(&mut self, outcome: UpdateResult) -> ControlFlow<()> {
        match outcome {
            Ok(update) => self.updates.push(update),
            Err(error) => _ = self.error.get_or_insert(error),
        }
        self.is_long = self.updates.len() > MAX_KEPT_OUTCOMES;
        if !self.is_long {
            return ControlFlow::Continue(());
        }
        self.updates = Vec::new();
        self.error = None;
        ControlFlow::Break(())
    }

    fn is_infeasible(&self) -> bool {
        self.updates.is_empty() && self.error.is_none() && !self.is_long
    }
}

/// Emits an error. A fatal error breaks, since all further choices would end in the same error.
fn fail(error: Error, emit: &mut Emit<'_>) -> ControlFlow<()> {
    let is_fatal = error.is_fatal();
    let flow = emit(Err(error));
    if is_fatal { ControlFlow::Break(()) } else { flow }
}

impl Session<'_> {
    /// Calls `emit` with every outcome. Outcomes may repeat.
    pub fn execute(&self, id: SubstId, env: &Env, emit: &mut Emit<'_>) -> ControlFlow<()> {
        if let Err(error) = self.tick() {
            return fail(error, emit);
        }
        let node = &self.model().substs[id];
        let emit: &mut Emit<'_> = &mut |outcome| emit(outcome.map_err(|error| error.at(node.span)));
        if let Subst::While { .. } = &node.subst
            && let Some(update) = self.fragments().and_then(|fragments| fragments.while_loop(self, id, env))
        {
            return emit(Ok(update));
        }
        with_stack(|| match self.execute_inner(&node.subst, env, emit) {
            Ok(flow) => flow,
            Err(error) => fail(error, emit),
        })
    }

    fn execute_inner(&self, subst: &Subst, env: &Env, emit: &mut Emit<'_>) -> Result<ControlFlow<()>> {
        match subst {
            Subst::Skip => Ok(emit(Ok(Update::new()))),
            Subst::Assign { targets, values } => {
                let mut update = Update::new();
                self.assign(targets, values, env, &mut update).map(|()| emit(Ok(update)))
            }
            Subst::BecomesElement { targets, set } => self.becomes_element(targets, *set, env, emit),
            Subst::BecomesSuch { targets, new, pred } => self.becomes_such(targets, new, *pred, env, emit),
            Subst::Pre { pred, body } => self.obligation(*pred, ErrorKind::Precondition, *body, env, emit),
            Subst::Assert { pred, body } => self.obligation(*pred, ErrorKind::Assertion, *body, env, emit),
            Subst::Select { branches, otherwise } => self.select(branches, *otherwise, env, emit),
            Subst::If { branches, otherwise } => {
                for (condition, body) in branches {
                    if self.pred(*condition, env)? {
                        return Ok(self.execute(*body, env, emit));
                    }
                }
                Ok(self.execute_or_skip(*otherwise, env, emit))
            }
            Subst::Choice(parts) => {
                for part in parts {
                    if self.execute(*part, env, emit).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Ok(ControlFlow::Continue(()))
            }
            Subst::Case { selector, branches, otherwise } => self.case(*selector, branches, *otherwise, env, emit),
            Subst::Any { binder, pred, body } => {
                let problem = Problem { samples_strings: true, ..Problem::of_pred(self, binder, *pred) };
                self.solve(problem, env, &mut |env| Ok(self.execute(*body, env, emit)))
            }
            Subst::Let { bindings, body } => Ok(self.execute(*body, &self.bind_let(bindings, env)?, emit)),
            Subst::Var { locals, body } => Ok(self.execute(*body, &env.declare(locals), &mut |outcome| {
                emit(outcome.map(|mut update| {
                    update.retain(|target| !matches!(target, Target::Local(local) if locals.contains(&local)));
                    update
                }))
            })),
            Subst::While { condition, body, invariant, variant, before } => {
                let looping = Loop { condition: *condition, body: *body, invariant: *invariant, variant: *variant };
                self.execute_loop(&looping, before, env, emit)
            }
            Subst::Call { op, args, outputs } => self.call_operation(*op, args, outputs, env, emit),
            Subst::External(external, args) => {
                self.interp.hooks().externals.subst(self, *external, args, env)?;
                Ok(emit(Ok(Update::new())))
            }
            Subst::Sequence(parts) => Ok(self.sequence(parts, env, Update::new(), emit)),
            Subst::Parallel(parts) => Ok(self.parallel(parts, env, emit)),
        }
    }

    /// Adds assignments to `done`.
    fn assign(&self, targets: &[Target], values: &[ExprId], env: &Env, done: &mut Update) -> Result<()> {
        for (target, expr) in targets.iter().zip(values) {
            let val = self.value(*expr, env)?;
            self.check_depth(&val)?;
            done.insert(*target, Some(val));
        }
        Ok(())
    }

    /// Limits the nesting depth of symbolic sets, which a machine may increase with each step.
    fn check_depth(&self, val: &Val) -> Result<()> {
        let limit = self.config().max_calls;
        if val.depth() > limit { Err(ErrorKind::TooDeep { limit }.into()) } else { Ok(()) }
    }

    /// `x :: S`
    fn becomes_element(
        &self,
        targets: &[Target],
        set: ExprId,
        env: &Env,
        emit: &mut Emit<'_>,
    ) -> Result<ControlFlow<()>> {
        let (ty, span) = (self.model().ty(set), self.model().exprs[set].span);
        let mut set = self.value(set, env)?;
        if set.as_set().is_none()
            && self.config().unbounded == Unbounded::PreferenceRange
            && !matches!(self.size(&set), Size::AtMost(_))
            && let Some(preferred) = self.preferred(&set)
        {
            let name = targets.first().map_or("", |target| self.target_name(*target)).to_string();
            self.warn(self.cut_warning(ty, name, span));
            set = preferred;
        }
        if let Some(choice) = self.prescribed_for(targets)
            && self.member(&choice, &set, env)?
        {
            return Ok(emit(Ok(assign_tuple(targets, &choice)?)));
        }
        self.each(&set, env, &mut |val| Ok(emit(Ok(assign_tuple(targets, &self.force(&val, env)?)?))))
    }

    /// Prescribed value of targets.
    fn prescribed_for(&self, targets: &[Target]) -> Option<Val> {
        let prescribed = self.prescribed();
        let variables = prescribed.variables.as_ref()?;
        let val = |target: &Target| match target {
            Target::Variable(id) => variables[id.index()].clone(),
            Target::Local(_) => None,
        };
        let (first, others) = targets.split_first()?;
        others.iter().try_fold(val(first)?, |tuple, target| Some(Val::pair(tuple, val(target)?)))
    }

    fn target_name(&self, target: Target) -> &str {
        match target {
            Target::Variable(id) => &self.model().variables[id].name,
            Target::Local(id) => &self.model().locals[id].name,
        }
    }

    /// `x : (P)`
    fn becomes_such(
        &self,
        targets: &[Target],
        new: &[LocalId],
        pred: PredId,
        env: &Env,
        emit: &mut Emit<'_>,
    ) -> Result<ControlFlow<()>> {
        let mut problem = Problem::of_pred(self, new, pred);
        if let Some(variables) = &self.prescribed().variables {
            for (target, local) in targets.iter().zip(new) {
                if let Some(val) = target.variable().and_then(|id| variables[id.index()].clone()) {
                    problem.fix(self, *local, val);
                }
            }
        }
        self.solve(problem, env, &mut |env| {
            let vals = new.iter().map(|local| self.local(*local, env).map(Some));
            let update: Result<Update> = targets.iter().zip(vals).map(|(target, val)| Ok((*target, val?))).collect();
            Ok(emit(Ok(update?)))
        })
    }

    /// Nested PRE, or ASSERT.
    fn obligation(
        &self,
        pred: PredId,
        violation: ErrorKind,
        body: SubstId,
        env: &Env,
        emit: &mut Emit<'_>,
    ) -> Result<ControlFlow<()>> {
        if !self.pred(pred, env)? {
            return Err(Error::from(violation).at(self.model().preds[pred].span));
        }
        Ok(self.execute(body, env, emit))
    }

    /// Executes every branch whose guard holds, or ELSE if none does.
    fn select(
        &self,
        branches: &[(PredId, SubstId)],
        otherwise: Option<SubstId>,
        env: &Env,
        emit: &mut Emit<'_>,
    ) -> Result<ControlFlow<()>> {
        let mut any = false;
        for (guard, body) in branches {
            if self.guard(*guard, env)? {
                any = true;
                if self.execute(*body, env, emit).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        match otherwise {
            Some(body) if !any => Ok(self.execute(body, env, emit)),
            _ => Ok(ControlFlow::Continue(())),
        }
    }

    /// Whether a guard without unknowns holds.
    pub fn guard(&self, pred: PredId, env: &Env) -> Result<bool> {
        match self.pred(pred, env) {
            Err(error) if error.is_ill_defined() && self.config().ill_defined_guard_is_false => Ok(false),
            answer => answer,
        }
    }

    fn execute_or_skip(&self, subst: Option<SubstId>, env: &Env, emit: &mut Emit<'_>) -> ControlFlow<()> {
        match subst {
            Some(subst) => self.execute(subst, env, emit),
            None => emit(Ok(Update::new())),
        }
    }

    fn case(
        &self,
        selector: ExprId,
        branches: &[(Vec<ExprId>, SubstId)],
        otherwise: Option<SubstId>,
        env: &Env,
        emit: &mut Emit<'_>,
    ) -> Result<ControlFlow<()>> {
        let selected = self.value(selector, env)?;
        for (values, body) in branches {
            for val in values {
                if self.equal(&selected, &self.expr(*val, env)?, env)? {
                    return Ok(self.execute(*body, env, emit));
                }
            }
        }
        Ok(self.execute_or_skip(otherwise, env, emit))
    }

    /// Executes parts in sequence; `done` has the assignments so far.
    fn sequence(&self, parts: &[SubstId], env: &Env, done: Update, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let (parts, env, done) = match self.assignments(parts, env, done) {
            Ok(left) => left,
            Err(error) => return fail(error, emit),
        };
        let Some((first, rest)) = parts.split_first() else { return emit(Ok(done)) };
        self.execute(*first, &env, &mut |outcome| match outcome {
            Ok(update) if rest.is_empty() => emit(Ok(merged(&done, update))),
            Ok(update) => {
                let next = env.assign(update.iter());
                self.sequence(rest, &next, merged(&done, update), emit)
            }
            Err(error) => emit(Err(error)),
        })
    }

    /// Executes the leading assignments of a sequence and returns the rest. An assignment has one outcome, so the environment is changed in place.
    fn assignments<'p, 'e>(
        &self,
        mut parts: &'p [SubstId],
        env: &'e Env,
        mut done: Update,
    ) -> Result<(&'p [SubstId], Cow<'e, Env>, Update)> {
        let mut env = Cow::Borrowed(env);
        while let [first, rest @ ..] = parts
            && let Subst::Assign { targets, values } = self.model().subst(*first)
        {
            self.tick()?;
            let assigned = self.assign(targets, values, &env, &mut done);
            assigned.map_err(|error| error.at(self.model().substs[*first].span))?;
            if !rest.is_empty() {
                let changes = targets.iter().filter_map(|target| Some((*target, done.get(*target)?)));
                env = Cow::Owned(env.into_owned().assigned(changes));
            }
            parts = rest;
        }
        Ok((parts, env, done))
    }

    /// Executes parts in parallel: all read the old values, and every combination of their outcomes is an outcome. An infeasible part makes the whole
    /// infeasible; if it is so beyond doubt, errors and doubts of the others do not matter.
    fn parallel(&self, parts: &[SubstId], env: &Env, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let mut columns: Vec<Column> = Vec::with_capacity(parts.len());
        let (mut is_infeasible, mut warnings) = (false, BTreeSet::new());
        for part in parts {
            let mut column = Column { part: *part, updates: Vec::new(), error: None, is_long: false };
            let (_, own) = self.apart(|| self.execute(*part, env, &mut |outcome| column.add(outcome)));
            let is_certain = own.iter().all(Warning::is_beside_the_answer);
            warnings.extend(own);
            if let Some(error) = column.error.take_if(|error| error.is_fatal()) {
                self.warn_all(warnings);
                return fail(error, emit);
            }
            if column.is_infeasible() && is_certain {
                warnings.retain(Warning::is_beside_the_answer);
                self.warn_all(warnings);
                return ControlFlow::Continue(());
            }
            is_infeasible |= column.is_infeasible();
            columns.push(column);
        }
        self.warn_all(warnings);
        if is_infeasible {
            return ControlFlow::Continue(());
        }
        // An error affects every combination, so it is reported once.
        for column in &mut columns {
            column.error.take().map_or(ControlFlow::Continue(()), |error| emit(Err(error)))?;
        }
        // A part without outcomes leaves no combination, however many outcomes the others have.
        if columns.iter().any(Column::is_infeasible) {
            return ControlFlow::Continue(());
        }
        // Parts with one outcome are merged first: there may be very many, and each level of the combination copies the assignments so far.
        let mut single = Vec::new();
        columns.retain_mut(|column| {
            let is_single = !column.is_long && column.updates.len() == 1;
            if is_single {
                single.extend(column.updates.pop().into_iter().flatten());
            }
            !is_single
        });
        // Long columns are outermost, where they are executed again least often.
        columns.sort_by_key(|column| !column.is_long);
        self.combine_columns(&columns, env, &single.into_iter().collect(), emit)
    }

    fn combine_columns(&self, columns: &[Column], env: &Env, done: &Update, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let Some((first, rest)) = columns.split_first() else {
            return match self.tick() {
                Ok(()) => emit(Ok(done.clone())),
                Err(error) => fail(error, emit),
            };
        };
        if first.is_long {
            return self.execute(first.part, env, &mut |outcome| match outcome {
                Ok(update) => self.combine_columns(rest, env, &merged(done, update), emit),
                Err(error) => emit(Err(error)),
            });
        }
        first.updates.iter().try_for_each(|update| {
            if let Err(error) = self.tick() {
                let _ = emit(Err(error));
                return ControlFlow::Break(());
            }
            self.combine_columns(rest, env, &merged(done, update.clone()), emit)
        })
    }

    /// Executes a loop. Unfinished passes, with their assignments so far, are kept in a list rather than on the stack, since loops may be long.
    fn execute_loop(
        &self,
        looping: &Loop,
        before: &[(Target, LocalId)],
        env: &Env,
        emit: &mut Emit<'_>,
    ) -> Result<ControlFlow<()>> {
        let mut start = env.clone();
        for (target, local) in before {
            let old = match target {
                Target::Variable(id) => env.variable(*id).cloned(),
                Target::Local(id) => env.local(*id).cloned(),
            };
            start = match old {
                Some(old) => start.bind(*local, old),
                None => start.declare(&[*local]),
            };
        }
        let mut open = vec![Pass { env: start, done: Update::new(), variant: None }];
        while let Some(pass) = open.pop() {
            self.tick()?;
            let flow = match self.enter_pass(looping, &pass) {
                Err(error) => emit(Err(error)),
                Ok(None) => emit(Ok(pass.done)),
                Ok(Some(variant)) => {
                    let mut updates = Vec::new();
                    let flow = self.execute(looping.body, &pass.env, &mut |outcome| match outcome {
                        Ok(update) => {
                            updates.push(update);
                            ControlFlow::Continue(())
                        }
                        Err(error) => emit(Err(error)),
                    });
                    pass.followed_by(updates, variant, &mut open);
                    flow
                }
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Variant before another pass; `None` if the loop ends.
    fn enter_pass(&self, looping: &Loop, pass: &Pass) -> Result<Option<Int>> {
        let variant_span = self.model().exprs[looping.variant].span;
        if !self.pred(looping.invariant, &pass.env)? {
            return Err(Error::from(ErrorKind::LoopInvariant).at(self.model().preds[looping.invariant].span));
        }
        if !self.pred(looping.condition, &pass.env)? {
            return Ok(None);
        }
        let variant = self.expr(looping.variant, &pass.env)?.int()?;
        let violated = |before: Option<&Int>| {
            let before = before.map(|int| int.clone().into());
            Error::from(ErrorKind::LoopVariant { before, after: variant.clone().into() }).at(variant_span)
        };
        if pass.variant.as_ref().is_some_and(|before| variant >= *before) {
            return Err(violated(pass.variant.as_ref()));
        }
        if variant.is_negative() {
            return Err(violated(None));
        }
        Ok(Some(variant))
    }

    fn call_operation(
        &self,
        op: OpId,
        args: &[ExprId],
        outputs: &[Target],
        env: &Env,
        emit: &mut Emit<'_>,
    ) -> Result<ControlFlow<()>> {
        let operation = &self.model().operations[op];
        let mut inner = env.without_locals();
        for (param, arg) in operation.params.iter().zip(args) {
            inner = inner.bind(*param, self.value(*arg, env)?);
        }
        let inner = inner.declare(&operation.outputs);
        self.call(|| {
            Ok(self.execute(operation.body, &inner, &mut |outcome| {
                let outcome = outcome.map(|mut update| {
                    let results: Vec<Option<Val>> = operation
                        .outputs
                        .iter()
                        .map(|output| update.remove(Target::Local(*output)).flatten())
                        .collect();
                    update.retain(|target| matches!(target, Target::Variable(_)));
                    update.extend(outputs.iter().copied().zip(results));
                    update
                });
                // Nested calls pass outcomes up through as many closures.
                with_stack(|| emit(outcome))
            }))
        })
    }

    /// Value of a query operation used as an expression: its outputs, as a pair if there are several.
    pub fn query(&self, op: OpId, args: &[ExprId], env: &Env) -> Result<Val> {
        let outputs: Vec<Target> =
            self.model().operations[op].outputs.iter().map(|output| Target::Local(*output)).collect();
        let mut result: Option<UpdateResult> = None;
        let _ = self.call_operation(op, args, &outputs, env, &mut |outcome| {
            result = Some(outcome);
            ControlFlow::Break(())
        })?;
        let name = || self.model().operations[op].name.to_string();
        let blocked = || Error::from(ErrorKind::Undecided(format!("the value of `{}`, which is not enabled", name())));
        let update = result.ok_or_else(blocked)??;
        let vals = outputs.iter().map(|output| update.get(*output).cloned().flatten());
        let vals: Option<Vec<Val>> = vals.collect();
        let vals = vals.ok_or_else(|| ErrorKind::Unassigned(format!("the result of {}", name())))?;
        vals.into_iter().reduce(Val::pair).ok_or_else(|| ErrorKind::Internal("a query has no output").into())
    }
}

struct Loop {
    condition: PredId,
    body: SubstId,
    invariant: PredId,
    variant: ExprId,
}

struct Pass {
    env: Env,
    done: Update,
    /// Variant of the previous pass.
    variant: Option<Int>,
}

impl Pass {
    /// Adds the passes that follow the outcomes of a pass. The last one takes over the environment, which is then changed in place.
    fn followed_by(self, mut updates: Vec<Update>, variant: Int, open: &mut Vec<Pass>) {
        let Some(last) = updates.pop() else { return };
        for update in updates {
            let env = self.env.assign(update.iter());
            open.push(Pass { env, done: merged(&self.done, update), variant: Some(variant.clone()) });
        }
        let env = self.env.assigned(last.iter());
        let mut done = self.done;
        done.extend(last);
        open.push(Pass { env, done, variant: Some(variant) });
    }
}

fn merged(done: &Update, update: Update) -> Update {
    if done.is_empty() {
        return update;
    }
    let mut all = done.clone();
    all.extend(update);
    all
}

/// Assigns the components of a left-nested pair to targets.
fn assign_tuple(targets: &[Target], val: &Val) -> Result<Update> {
    let mut update = Update::new();
    let mut rest = val.clone();
    if let [first, others @ ..] = targets {
        for target in others.iter().rev() {
            let (left, right) = rest.split()?;
            update.insert(*target, Some(right));
            rest = left;
        }
        update.insert(*first, Some(rest));
    }
    Ok(update)
}
