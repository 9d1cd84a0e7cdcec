//! Tables of solutions that depend on constants only, and a cache of values of symbolic functions.

use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_eval::Val;
use abridge_value::Value;
use rustc_hash::FxHashMap;

use super::prefixes::Prefixes;
use super::search::Solution;
use super::{Fast, Runtime, Stop, concrete};
use crate::code::{Code, Plan, SolutionTable};

/// Largest table. A search may well end before it has found more solutions.
const MAX_ROWS: u32 = 4096;

/// Largest table with an index by key or prefix, in which few solutions are looked up at a time.
const MAX_INDEXED_ROWS: u32 = 1 << 16;

/// State of a table.
#[derive(Clone, Default)]
pub(crate) enum Rows {
    #[default]
    NotTried,
    /// Asked for once. A table is built at the second request, since constants may change before.
    Wanted,
    /// Too many solutions, or an ill-defined condition.
    NotKept,
    Known(Arc<Kept>),
    /// Solutions that do not even depend on constants.
    Fixed(Arc<Kept>),
}

/// Solutions of a plan.
#[derive(Default)]
pub(crate) struct Kept {
    /// Values of the slots, solution by solution.
    values: Vec<Value>,
    /// Numbers of the solutions with each key, if indexed by key.
    by_key: FxHashMap<Value, Vec<u32>>,
    /// Solutions for a single slot by prefix, if they are functions and so indexed.
    pub(crate) prefixes: Option<Prefixes>,
}

/// Index of a table.
#[derive(Clone, Copy)]
pub(crate) enum RowIndex<'c> {
    AsFound,
    ByKey(&'c Code),
    ByPrefix,
}

impl Rows {
    /// Drops the table after a change of constants.
    pub(crate) fn forget(&mut self) {
        if !matches!(self, Rows::Fixed(_)) {
            *self = Rows::NotTried;
        }
    }
}

/// Largest number of cached applications.
const MAX_CACHED_APPLICATIONS: usize = 1 << 14;

impl<'r> Runtime<'r> {
    /// Applies a symbolic function. Such applications are expensive and often repeat, so they are cached.
    pub(crate) fn apply_symbolic(&mut self, function: Val, arg: &Value) -> Fast<Value> {
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
        if self.applied.len() >= MAX_CACHED_APPLICATIONS {
            self.applied.clear();
        }
        self.applied.insert(key, value.clone());
        Ok(value)
    }

    pub(crate) fn tabulated(
        &mut self,
        plan: &Plan,
        table: &SolutionTable,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        match self.kept(plan, table, RowIndex::AsFound) {
            Some(kept) => {
                let rows = kept.values.chunks_exact(table.slots.len());
                self.each_row(rows, &table.slots, found)
            }
            None => self.run(&plan.steps, false, found),
        }
    }

    /// Calls `found` in every solution of a plan with a table whose key equals the value.
    pub(crate) fn joined(
        &mut self,
        plan: &Plan,
        (key, value): (&Code, &Code),
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        let Some(table) = &plan.table else { return Err(Stop::Escape) };
        let Some(kept) = self.kept(plan, table, RowIndex::ByKey(key)) else {
            return self.run(&plan.steps, false, &mut |runtime| match (runtime.code(key), runtime.code(value)) {
                (Ok(key), Ok(value)) if key == value => found(runtime),
                (Ok(_), Ok(_)) => Ok(ControlFlow::Continue(())),
                (Err(Stop::IllDefined), _) | (_, Err(Stop::IllDefined)) if runtime.is_lenient() => {
                    Ok(ControlFlow::Continue(()))
                }
                (Err(stop), _) | (_, Err(stop)) => Err(stop),
            });
        };
        if kept.values.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let value = match self.code(value) {
            Err(Stop::IllDefined) if self.is_lenient() => return Ok(ControlFlow::Continue(())),
            value => value?,
        };
        let numbers = kept.by_key.get(&value).map(Vec::as_slice).unwrap_or_default();
        let width = table.slots.len();
        let rows = numbers.iter().map(|number| &kept.values[*number as usize * width..][..width]);
        self.each_row(rows, &table.slots, found)
    }

    /// Solutions in a table, built once it is asked for often enough.
    pub(crate) fn kept(&mut self, plan: &Plan, table: &SolutionTable, order: RowIndex<'_>) -> Option<Arc<Kept>> {
        if self.tables.len() <= table.number {
            self.tables.resize(table.number + 1, Rows::NotTried);
        }
        match self.tables[table.number] {
            Rows::NotTried if !table.is_fixed => self.tables[table.number] = Rows::Wanted,
            Rows::NotTried | Rows::Wanted => self.tables[table.number] = self.tabulate(plan, table, order),
            _ => {}
        }
        match &self.tables[table.number] {
            Rows::Known(kept) | Rows::Fixed(kept) => Some(kept.clone()),
            _ => None,
        }
    }

    /// Builds a table. Ill-definedness must not occur, since its meaning depends on the place where the table is used.
    fn tabulate(&mut self, plan: &Plan, table: &SolutionTable, order: RowIndex<'_>) -> Rows {
        let strict = std::mem::replace(&mut self.is_strict, true);
        let mut kept = Kept::default();
        let max_rows = if matches!(order, RowIndex::AsFound) { MAX_ROWS } else { MAX_INDEXED_ROWS };
        let mut number = 0;
        // All solutions are wanted, not one per orbit.
        let has_orbits = self.switch_orbits(false);
        let flow = self.run(&plan.steps, false, &mut |runtime| {
            for slot in &table.slots {
                let Val::Value(value) = &runtime.slots[*slot] else { return Err(Stop::Escape) };
                kept.values.push(value.clone());
            }
            if let RowIndex::ByKey(key) = order {
                kept.by_key.entry(runtime.code(key)?).or_default().push(number);
            }
            number += 1;
            Ok(if number >= max_rows { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        self.is_strict = strict;
        if let (RowIndex::ByPrefix, Ok(ControlFlow::Continue(()))) = (order, &flow) {
            kept.prefixes = Prefixes::new(&kept.values);
        }
        self.switch_orbits(has_orbits);
        match flow {
            Ok(ControlFlow::Continue(())) if table.is_fixed => Rows::Fixed(kept.into()),
            Ok(ControlFlow::Continue(())) => Rows::Known(kept.into()),
            _ => Rows::NotKept,
        }
    }

    pub(crate) fn each_row<'v>(
        &mut self,
        rows: impl Iterator<Item = &'v [Value]>,
        slots: &[usize],
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        let saved: Vec<(usize, Val)> = slots.iter().map(|slot| (*slot, self.slots[*slot].clone())).collect();
        let mut flow = Ok(ControlFlow::Continue(()));
        for row in rows {
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
