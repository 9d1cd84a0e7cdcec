//! Execution of compiled substitutions.
//!
//! Slots are changed in place. `then` is called in every outcome and sees the new values. Afterwards the slots hold their previous values again.

use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_eval::Val;
use abridge_value::Value;

use super::search::is_last_unwatched;
use super::{Fast, Runtime, Stop};
use crate::code::{Code, CompiledCase, Exec, Test};

pub(crate) type Then<'t, 'r> = dyn FnMut(&mut Runtime<'r>) -> Fast<()> + 't;

impl<'r> Runtime<'r> {
    /// Calls `then` in all outcomes of one case of an operation.
    pub(crate) fn case(&mut self, case: &CompiledCase, then: &mut Then<'_, 'r>) -> Fast<()> {
        let mut is_doubtful = false;
        let rest = match &case.plan.table {
            None => self.leading_tests(&case.plan.steps, &mut is_doubtful)?,
            Some(_) => return self.every(&case.plan, &mut |runtime| runtime.exec(&case.body, then)),
        };
        match rest {
            None => Ok(()),
            Some([]) if is_doubtful => Err(Stop::IllDefined),
            Some([]) => self.exec(&case.body, then),
            Some(rest) => {
                let found = &mut |runtime: &mut Runtime<'r>| runtime.exec(&case.body, then).map(ControlFlow::Continue);
                with_stack(|| self.run(rest, is_doubtful, found)).map(|_| ())
            }
        }
    }

    pub(crate) fn exec(&mut self, exec: &Exec, then: &mut Then<'_, 'r>) -> Fast<()> {
        // Variables may have changed, and classes of elements depend on their values.
        let before = self.renew_orbits();
        let result = self.exec_inner(exec, then);
        self.return_to_orbits(before);
        result
    }

    pub(crate) fn exec_inner(&mut self, exec: &Exec, then: &mut Then<'_, 'r>) -> Fast<()> {
        self.tick()?;
        match exec {
            Exec::Skip => then(self),
            Exec::Assign(assignments) => self.assigning(assignments, then),
            Exec::Choose { targets, source } => self.every_element(source, &mut |runtime, element| {
                let saved = runtime.assign_tuple(targets, element)?;
                let result = then(runtime);
                runtime.restore(saved);
                result
            }),
            Exec::Such { plan, copies } => self.every_choice(plan, &mut |runtime| {
                let saved = runtime.copy(copies);
                let result = then(runtime);
                runtime.restore(saved);
                result
            }),
            _ => with_stack(|| self.compound(exec, then)),
        }
    }

    /// Runs a substitution with parts.
    fn compound(&mut self, exec: &Exec, then: &mut Then<'_, 'r>) -> Fast<()> {
        match exec {
            Exec::Skip | Exec::Assign(_) | Exec::Choose { .. } | Exec::Such { .. } => self.exec_inner(exec, then),
            Exec::Require(test, body) => {
                if self.test(test)? {
                    self.exec(body, then)
                } else {
                    Err(Stop::Escape)
                }
            }
            Exec::Select { branches, otherwise } => self.select(branches, otherwise.as_deref(), then),
            Exec::If { branches, otherwise } => {
                for (condition, body) in branches {
                    if self.test(condition)? {
                        return self.exec(body, then);
                    }
                }
                self.exec_or_skip(otherwise.as_deref(), then)
            }
            Exec::Choice(parts) => parts.iter().try_for_each(|part| self.exec(part, then)),
            Exec::Case { selector, branches, otherwise } => {
                let selected = self.code(selector)?;
                for (values, body) in branches {
                    for value in values {
                        if self.code(value)? == selected {
                            return self.exec(body, then);
                        }
                    }
                }
                self.exec_or_skip(otherwise.as_deref(), then)
            }
            Exec::Any(plan, body) => self.every_choice(plan, &mut |runtime| runtime.exec(body, then)),
            Exec::Let(bindings, body) => {
                let saved = self.bind(bindings)?;
                let result = self.exec(body, then);
                self.restore(saved);
                result
            }
            Exec::Var(slots, body) => {
                let saved = self.declare(slots);
                let result = self.exec(body, then);
                self.restore(saved);
                result
            }
            Exec::While(looping) => self.while_loop(looping, then),
            Exec::Call { params, locals, body, outputs } => self.call((params, locals), body, outputs, then),
            Exec::Sequence(parts) => self.sequence(parts, then),
            Exec::Parallel(parts) => self.parallel(parts, &mut Vec::new(), then),
        }
    }

    fn assigning(&mut self, assignments: &[(usize, Code)], then: &mut Then<'_, 'r>) -> Fast<()> {
        if let [(slot, code)] = assignments {
            let value = self.code(code)?;
            let saved = std::mem::replace(&mut self.slots[*slot], value.into());
            let result = then(self);
            self.slots[*slot] = saved;
            return result;
        }
        let saved = self.assign(assignments)?;
        let result = then(self);
        self.restore(saved);
        result
    }

    /// Runs all branches whose guard holds, or the ELSE branch if none does.
    fn select(&mut self, branches: &[(Test, Exec)], otherwise: Option<&Exec>, then: &mut Then<'_, 'r>) -> Fast<()> {
        let mut any = false;
        for (guard, body) in branches {
            if self.test(guard)? {
                any = true;
                self.exec(body, then)?;
            }
        }
        match otherwise {
            Some(body) if !any => self.exec(body, then),
            _ => Ok(()),
        }
    }

    /// Runs the body of a called operation, with its parameters assigned and its other locals empty.
    fn call(
        &mut self,
        (params, locals): (&[(usize, Code)], &[usize]),
        body: &Exec,
        outputs: &[(usize, usize)],
        then: &mut Then<'_, 'r>,
    ) -> Fast<()> {
        let saved = self.assign(params)?;
        let outer = self.declare(locals);
        let result = self.exec(body, &mut |runtime| {
            let saved = runtime.copy(outputs);
            let result = then(runtime);
            runtime.restore(saved);
            result
        });
        self.restore(outer);
        self.restore(saved);
        result
    }

    pub(crate) fn exec_or_skip(&mut self, exec: Option<&Exec>, then: &mut Then<'_, 'r>) -> Fast<()> {
        match exec {
            Some(exec) => self.exec(exec, then),
            None => then(self),
        }
    }

    /// Evaluates all values, then assigns them. Returns the previous values of the slots.
    pub(crate) fn assign(&mut self, assignments: &[(usize, Code)]) -> Fast<Vec<(usize, Val)>> {
        if let [(slot, code)] = assignments {
            let value = self.code(code)?;
            return Ok(vec![(*slot, std::mem::replace(&mut self.slots[*slot], value.into()))]);
        }
        let mut saved = Vec::with_capacity(assignments.len());
        for (slot, code) in assignments {
            saved.push((*slot, Val::Value(self.code(code)?)));
        }
        for (slot, val) in &mut saved {
            std::mem::swap(&mut self.slots[*slot], val);
        }
        Ok(saved)
    }

    /// Assigns the components of a left-nested pair. Returns the previous values of the slots.
    pub(crate) fn assign_tuple(&mut self, targets: &[usize], value: Value) -> Fast<Vec<(usize, Val)>> {
        let mut saved = Vec::with_capacity(targets.len());
        let mut rest = value;
        for slot in targets.iter().skip(1).rev() {
            let (first, second) = rest.as_pair().map(|(a, b)| (a.clone(), b.clone())).ok_or(Stop::Escape)?;
            saved.push((*slot, std::mem::replace(&mut self.slots[*slot], second.into())));
            rest = first;
        }
        saved.push((targets[0], std::mem::replace(&mut self.slots[targets[0]], rest.into())));
        Ok(saved)
    }

    /// Copies slots. Returns the previous values of the targets.
    pub(crate) fn copy(&mut self, copies: &[(usize, usize)]) -> Vec<(usize, Val)> {
        let copied: Vec<(usize, Val)> = copies.iter().map(|(from, to)| (*to, self.slots[*from].clone())).collect();
        copied.into_iter().map(|(to, val)| (to, std::mem::replace(&mut self.slots[to], val))).collect()
    }

    pub(crate) fn sequence(&mut self, parts: &[Exec], then: &mut Then<'_, 'r>) -> Fast<()> {
        match parts.split_first() {
            None => then(self),
            Some((first, rest)) => {
                let next = &mut |runtime: &mut Runtime<'r>| runtime.sequence(rest, then);
                if is_last_unwatched(parts) { with_stack(|| self.exec(first, next)) } else { self.exec(first, next) }
            }
        }
    }

    /// Runs parts in parallel: each reads the old values, and its results are set aside while the next one runs.
    pub(crate) fn parallel(
        &mut self,
        parts: &[(Exec, Vec<usize>)],
        done: &mut Vec<(usize, Val)>,
        then: &mut Then<'_, 'r>,
    ) -> Fast<()> {
        let Some(((first, writes), rest)) = parts.split_first() else {
            let saved: Vec<(usize, Val)> = done
                .iter()
                .map(|(slot, val)| (*slot, std::mem::replace(&mut self.slots[*slot], val.clone())))
                .collect();
            let result = then(self);
            self.restore(saved);
            return result;
        };
        let old: Vec<(usize, Val)> = writes.iter().map(|slot| (*slot, self.slots[*slot].clone())).collect();
        let next = &mut |runtime: &mut Runtime<'r>| {
            let n_done = done.len();
            for (slot, val) in &old {
                done.push((*slot, std::mem::replace(&mut runtime.slots[*slot], val.clone())));
            }
            let result = runtime.parallel(rest, done, then);
            for (slot, val) in done.drain(n_done..) {
                runtime.slots[slot] = val;
            }
            result
        };
        if is_last_unwatched(parts) { with_stack(|| self.exec(first, next)) } else { self.exec(first, next) }
    }
}
