//! Loops. Their bodies have at most one outcome and run in place: slots are not restored between two passes.

use abridge_eval::Val;
use abridge_value::Value;

use super::exec::Then;
use super::{Fast, Runtime, Stop};
use crate::code::{Code, Exec, While};

impl<'r> Runtime<'r> {
    /// Runs a loop, then `then` in its outcome, and restores the slots.
    pub(crate) fn while_loop(&mut self, looping: &While, then: &mut Then<'_, 'r>) -> Fast<()> {
        let start: Vec<(usize, Val)> = looping.writes.iter().map(|slot| (*slot, self.slots[*slot].clone())).collect();
        let outer = self.copy(&looping.before);
        let has_orbits = self.switch_orbits(false);
        let ends = self.passes(looping);
        self.switch_orbits(has_orbits);
        let result = ends.and_then(|ends| if ends { then(self) } else { Ok(()) });
        self.restore(outer);
        self.restore(start);
        result
    }

    /// Runs the passes of a loop to its end; `false` if the body has no outcome.
    pub(crate) fn passes(&mut self, looping: &While) -> Fast<bool> {
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

    /// Runs a substitution with at most one outcome and leaves its values in the slots; `false` if it has none. Then, or after a stop, the slots are
    /// undefined, and the loop restores them.
    pub(crate) fn in_place(&mut self, exec: &Exec) -> Fast<bool> {
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
            Exec::Call { params, locals, body, outputs } => self.call_in_place((params, locals), body, outputs),
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

    fn call_in_place(
        &mut self,
        (params, locals): (&[(usize, Code)], &[usize]),
        body: &Exec,
        outputs: &[(usize, usize)],
    ) -> Fast<bool> {
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

    pub(crate) fn assign_in_place(&mut self, assignments: &[(usize, Code)]) -> Fast<()> {
        if let [(slot, code)] = assignments {
            self.slots[*slot] = self.code(code)?.into();
            return Ok(());
        }
        self.assign(assignments).map(drop)
    }

    pub(crate) fn parallel_in_place(&mut self, parts: &[(Exec, Vec<usize>)]) -> Fast<bool> {
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
