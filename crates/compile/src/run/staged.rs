//! Evaluation of single stages of operations. They stop if the whole operation stops.

use abridge_eval::Val;

use super::{Fast, Runtime, Stop};
use crate::program::{Assigned, Condition, GuardVerdict, ParameterSearch};

impl<'p> Runtime<'p> {
    pub fn condition(&mut self, condition: &Condition) -> Fast<GuardVerdict> {
        self.begin();
        let answer = match self.test(&condition.test) {
            Ok(true) => Ok(GuardVerdict::True),
            Ok(false) => Ok(GuardVerdict::False),
            Err(Stop::IllDefined) => Ok(GuardVerdict::Doubtful),
            Err(Stop::Escape) => Err(Stop::Escape),
        };
        self.end(answer)
    }

    /// Calls `each` with the values of the found locals of every solution. Solutions may repeat.
    pub fn search(&mut self, search: &ParameterSearch, each: &mut dyn FnMut(&[&Val])) -> Fast<()> {
        self.begin();
        let answer = self.every(&search.plan, &mut |runtime| {
            let vals: Vec<&Val> = search.found.iter().map(|slot| &runtime.slots[*slot]).collect();
            each(&vals);
            Ok(runtime.session.count_outcome()?)
        });
        self.end(answer)
    }

    /// New value of a variable or output, for values of the found locals.
    pub fn assigned(&mut self, search: &ParameterSearch, assigned: &Assigned, locals: &[Val]) -> Fast<Val> {
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
