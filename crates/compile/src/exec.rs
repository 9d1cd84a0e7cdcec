//! Running compiled substitutions.
//!
//! Slots are changed in place; `then` is called in every outcome and sees the new values; afterwards the slots hold what they held
//! before.

use abridge_eval::Val;
use abridge_value::Value;

use super::code::{Case, Code, Exec, While};
use super::{Fast, Runtime, Stop};

type Then<'t, 'r> = dyn FnMut(&mut Runtime<'r>) -> Fast<()> + 't;

impl<'r> Runtime<'r> {
    /// All outcomes of one way an operation can go.
    pub(super) fn case(&mut self, case: &Case, then: &mut Then<'_, 'r>) -> Fast<()> {
        if case.plan.is_empty() {
            return self.exec(&case.body, then);
        }
        self.every(&case.plan, &mut |runtime| runtime.exec(&case.body, then))
    }

    pub(super) fn exec(&mut self, exec: &Exec, then: &mut Then<'_, 'r>) -> Fast<()> {
        // Variables may have changed, and on their values it depends which elements are alike.
        let before = self.renew_twins();
        let result = self.exec_inner(exec, then);
        self.return_to_twins(before);
        result
    }

    fn exec_inner(&mut self, exec: &Exec, then: &mut Then<'_, 'r>) -> Fast<()> {
        self.tick()?;
        match exec {
            Exec::Skip => then(self),
            Exec::Assign(assignments) => {
                if let [(slot, code)] = assignments.as_slice() {
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
            Exec::Require(test, body) => {
                if self.test(test)? {
                    self.exec(body, then)
                } else {
                    Err(Stop::Escape)
                }
            }
            Exec::Select { branches, otherwise } => {
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
            Exec::Call { params, locals, body, outputs } => {
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
            Exec::Sequence(parts) => self.sequence(parts, then),
            Exec::Parallel(parts) => self.parallel(parts, &mut Vec::new(), then),
        }
    }

    fn exec_or_skip(&mut self, exec: Option<&Exec>, then: &mut Then<'_, 'r>) -> Fast<()> {
        match exec {
            Some(exec) => self.exec(exec, then),
            None => then(self),
        }
    }

    /// Evaluates all, then assigns all; what the slots held comes back.
    fn assign(&mut self, assignments: &[(usize, Code)]) -> Fast<Vec<(usize, Val)>> {
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

    /// Takes a left-nested pair apart; what the slots held comes back.
    pub(super) fn assign_tuple(&mut self, targets: &[usize], value: Value) -> Fast<Vec<(usize, Val)>> {
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

    /// Copies slots; what the targets held comes back.
    fn copy(&mut self, copies: &[(usize, usize)]) -> Vec<(usize, Val)> {
        let copied: Vec<(usize, Val)> = copies.iter().map(|(from, to)| (*to, self.slots[*from].clone())).collect();
        copied.into_iter().map(|(to, val)| (to, std::mem::replace(&mut self.slots[to], val))).collect()
    }

    fn sequence(&mut self, parts: &[Exec], then: &mut Then<'_, 'r>) -> Fast<()> {
        match parts.split_first() {
            None => then(self),
            Some((first, rest)) => self.exec(first, &mut |runtime| runtime.sequence(rest, then)),
        }
    }

    /// Each part reads the old values: what it wrote is set aside while the next one runs.
    fn parallel(
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
        self.exec(first, &mut |runtime| {
            let n_done = done.len();
            for (slot, val) in &old {
                done.push((*slot, std::mem::replace(&mut runtime.slots[*slot], val.clone())));
            }
            let result = runtime.parallel(rest, done, then);
            for (slot, val) in done.drain(n_done..) {
                runtime.slots[slot] = val;
            }
            result
        })
    }

    /// The body is deterministic, so the loop runs in place.
    pub(super) fn while_loop(&mut self, looping: &While, then: &mut Then<'_, 'r>) -> Fast<()> {
        let start: Vec<(usize, Val)> = looping.writes.iter().map(|slot| (*slot, self.slots[*slot].clone())).collect();
        let outer = self.copy(&looping.before);
        let has_twins = self.switch_twins(false);
        let ends = self.passes(looping);
        self.switch_twins(has_twins);
        let result = ends.and_then(|ends| if ends { then(self) } else { Ok(()) });
        self.restore(outer);
        self.restore(start);
        result
    }

    /// Runs the loop to its end. False if the body has no outcome.
    fn passes(&mut self, looping: &While) -> Fast<bool> {
        let While { condition, body, invariant, variant, .. } = looping;
        let mut last: Option<Value> = None;
        loop {
            self.tick()?;
            if !self.test(invariant)? {
                return Err(Stop::Escape);
            }
            if !self.test(condition)? {
                return Ok(true);
            }
            let now = self.code(variant)?;
            if last.is_some_and(|last| now >= last) || now < Value::Int(0) {
                return Err(Stop::Escape);
            }
            last = Some(now);
            if !self.in_place(body)? {
                return Ok(false);
            }
        }
    }

    /// Runs a substitution with at most one outcome and leaves the slots as they are then. False if it has none; what the slots hold
    /// then, or after a stop, means nothing, and the loop around puts back what it found.
    fn in_place(&mut self, exec: &Exec) -> Fast<bool> {
        self.tick()?;
        match exec {
            Exec::Skip => Ok(true),
            Exec::Assign(assignments) => self.assign_in_place(assignments).map(|()| true),
            Exec::Require(test, body) => {
                if self.test(test)? {
                    self.in_place(body)
                } else {
                    Err(Stop::Escape)
                }
            }
            Exec::Select { branches, otherwise } => {
                for (guard, body) in branches {
                    if self.test(guard)? {
                        return self.in_place(body);
                    }
                }
                otherwise.as_deref().map_or(Ok(false), |body| self.in_place(body))
            }
            Exec::If { branches, otherwise } => {
                for (condition, body) in branches {
                    if self.test(condition)? {
                        return self.in_place(body);
                    }
                }
                otherwise.as_deref().map_or(Ok(true), |body| self.in_place(body))
            }
            Exec::Case { selector, branches, otherwise } => {
                let selected = self.code(selector)?;
                for (values, body) in branches {
                    for value in values {
                        if self.code(value)? == selected {
                            return self.in_place(body);
                        }
                    }
                }
                otherwise.as_deref().map_or(Ok(true), |body| self.in_place(body))
            }
            Exec::Let(bindings, body) => {
                let saved = self.bind(bindings)?;
                let result = self.in_place(body);
                self.restore(saved);
                result
            }
            Exec::Var(slots, body) => {
                let saved = self.declare(slots);
                let result = self.in_place(body);
                self.restore(saved);
                result
            }
            Exec::While(looping) => {
                let outer = self.copy(&looping.before);
                let result = self.passes(looping);
                self.restore(outer);
                result
            }
            Exec::Call { params, locals, body, outputs } => {
                let saved = self.assign(params)?;
                let outer = self.declare(locals);
                let result = self.in_place(body);
                let results: Vec<Val> = outputs.iter().map(|(from, _)| self.slots[*from].clone()).collect();
                self.restore(outer);
                self.restore(saved);
                for ((_, to), val) in outputs.iter().zip(results) {
                    self.slots[*to] = val;
                }
                result
            }
            Exec::Sequence(parts) => {
                for part in parts {
                    if !self.in_place(part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Exec::Parallel(parts) => self.parallel_in_place(parts),
            // These have several outcomes.
            Exec::Choose { .. } | Exec::Such { .. } | Exec::Choice(_) | Exec::Any(..) => Err(Stop::Escape),
        }
    }

    fn assign_in_place(&mut self, assignments: &[(usize, Code)]) -> Fast<()> {
        if let [(slot, code)] = assignments {
            self.slots[*slot] = self.code(code)?.into();
            return Ok(());
        }
        self.assign(assignments).map(drop)
    }

    fn parallel_in_place(&mut self, parts: &[(Exec, Vec<usize>)]) -> Fast<bool> {
        let mut done: Vec<(usize, Val)> = Vec::new();
        for (part, writes) in parts {
            let old: Vec<Val> = writes.iter().map(|slot| self.slots[*slot].clone()).collect();
            if !self.in_place(part)? {
                return Ok(false);
            }
            for (slot, val) in writes.iter().zip(old) {
                done.push((*slot, std::mem::replace(&mut self.slots[*slot], val)));
            }
        }
        for (slot, val) in done {
            self.slots[slot] = val;
        }
        Ok(true)
    }
}
