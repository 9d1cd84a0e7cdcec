//! Solutions that depend on constants only: found once, then read from a table.

use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_value::Value;

use super::code::{Plan, Table};
use super::run::Solution;
use super::{Fast, Runtime, Stop};
use crate::val::Val;

/// Longer tables are not kept: the search may well end before it has found so much.
const MAX_ROWS: usize = 4096;

/// What is known about a table.
#[derive(Clone, Default)]
pub(crate) enum Rows {
    #[default]
    NotTried,
    /// Too many, or not all of them well-defined.
    NotKept,
    /// One value per slot and solution.
    Known(Arc<[Value]>),
}

impl<'r> Runtime<'r> {
    pub(super) fn tabulated(
        &mut self,
        plan: &Plan,
        table: &Table,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        if self.tables.len() <= table.number {
            self.tables.resize(table.number + 1, Rows::NotTried);
        }
        if let Rows::NotTried = self.tables[table.number] {
            self.tables[table.number] = self.tabulate(plan, table);
        }
        match self.tables[table.number].clone() {
            Rows::Known(values) => self.each_row(&values, &table.slots, found),
            _ => self.run(&plan.steps, false, found),
        }
    }

    /// Only what is well-defined everywhere is the same for all who ask.
    fn tabulate(&mut self, plan: &Plan, table: &Table) -> Rows {
        let strict = std::mem::replace(&mut self.is_strict, true);
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
        match flow {
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
