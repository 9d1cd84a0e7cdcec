//! What is remembered: solutions that depend on constants only, and values of symbolic functions.

use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_value::Value;

use super::code::{Plan, Table};
use super::run::Solution;
use super::{Fast, Runtime, Stop, concrete};
use crate::val::Val;

/// Longer tables are not kept: the search may well end before it has found so much.
const MAX_ROWS: usize = 4096;

/// What is known about a table.
#[derive(Clone, Default)]
pub(crate) enum Rows {
    #[default]
    NotTried,
    /// Asked for once: where constants change at every turn, a table would not be read.
    Wanted,
    /// Too many, or not all of them well-defined.
    NotKept,
    /// One value per slot and solution.
    Known(Arc<[Value]>),
    /// The same where not even constants are read.
    Fixed(Arc<[Value]>),
}

impl Rows {
    /// Constants have changed.
    pub(super) fn forget(&mut self) {
        if !matches!(self, Rows::Fixed(_)) {
            *self = Rows::NotTried;
        }
    }
}

/// More values of functions are not remembered.
const MAX_VALUES: usize = 1 << 14;

impl<'r> Runtime<'r> {
    /// The value of a function that is kept as a formula. Such values are dear, and often asked for again.
    pub(super) fn apply_symbolic(&mut self, function: Val, arg: &Value) -> Fast<Value> {
        let key = (function, arg.clone());
        if let Some(value) = self.applied.get(&key) {
            return Ok(value.clone());
        }
        let env = self.env(&Default::default());
        let value = self.session.apply(&key.0, &arg.clone().into(), &env)?;
        let value = concrete(self.session.force(&value, &env)?)?;
        if self.session.has_warnings() {
            return Err(Stop::Escape);
        }
        if self.applied.len() >= MAX_VALUES {
            self.applied.clear();
        }
        self.applied.insert(key, value.clone());
        Ok(value)
    }

    pub(super) fn tabulated(
        &mut self,
        plan: &Plan,
        table: &Table,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        if self.tables.len() <= table.number {
            self.tables.resize(table.number + 1, Rows::NotTried);
        }
        match self.tables[table.number] {
            Rows::NotTried if !table.is_fixed => self.tables[table.number] = Rows::Wanted,
            Rows::NotTried | Rows::Wanted => self.tables[table.number] = self.tabulate(plan, table),
            _ => {}
        }
        match self.tables[table.number].clone() {
            Rows::Known(values) | Rows::Fixed(values) => self.each_row(&values, &table.slots, found),
            _ => self.run(&plan.steps, false, found),
        }
    }

    /// Only what is well-defined everywhere is the same for all who ask.
    fn tabulate(&mut self, plan: &Plan, table: &Table) -> Rows {
        let strict = std::mem::replace(&mut self.is_strict, true);
        // All solutions are wanted.
        let has_twins = self.switch_twins(false);
        let mut values = Vec::new();
        let flow = self.run(&plan.steps, false, &mut |runtime| {
            for slot in &table.slots {
                let Val::Value(value) = &runtime.slots[*slot] else { return Err(Stop::Escape) };
                values.push(value.clone());
            }
            let is_long = values.len() >= MAX_ROWS * table.slots.len();
            Ok(if is_long { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        self.is_strict = strict;
        self.switch_twins(has_twins);
        match flow {
            Ok(ControlFlow::Continue(())) if table.is_fixed => Rows::Fixed(values.into()),
            Ok(ControlFlow::Continue(())) => Rows::Known(values.into()),
            _ => Rows::NotKept,
        }
    }

    fn each_row(&mut self, values: &[Value], slots: &[usize], found: &mut Solution<'_, 'r>) -> Fast<ControlFlow<()>> {
        let saved: Vec<(usize, Val)> = slots.iter().map(|slot| (*slot, self.slots[*slot].clone())).collect();
        let mut flow = Ok(ControlFlow::Continue(()));
        for row in values.chunks_exact(slots.len()) {
            self.tick()?;
            for (slot, value) in slots.iter().zip(row) {
                self.slots[*slot] = value.clone().into();
            }
            flow = found(self);
            if !matches!(flow, Ok(ControlFlow::Continue(()))) {
                break;
            }
        }
        self.restore(saved);
        flow
    }
}
