//! Translation of the model into compiled forms.
//!
//! `formula.rs` and `exec.rs` translate, `plan.rs` orders searches by the costs of `cost.rs`, `offers.rs` lists the ways to bind an unknown,
//! `steps.rs` builds the plan step of the chosen way. A form must mean what the formula means whenever it does not stop. Formulas without such a
//! form are left to the plain interpreter.

mod cost;
mod either;
mod elements;
mod exec;
mod formula;
mod inverse;
mod offers;
mod orbits;
mod plan;
mod staged;
mod steps;

use std::sync::Arc;

use abridge_eval::{Interp, NameCache};
use abridge_model::{IdSet, Model, OpId, SubstId, Target};
use rustc_hash::FxHashMap;

pub(crate) use exec::is_deterministic;

use crate::program::{CompiledOperation, Program, SlotLayout};

pub(crate) struct CodeBuilder<'a, 'm> {
    pub(crate) model: &'m Model,
    pub(crate) names: &'a NameCache,
    pub(crate) layout: SlotLayout,
    pub(crate) numbers: Numbers,
    /// Stack of operations being compiled. A recursive operation is left to the plain interpreter.
    pub(crate) open: Vec<OpId>,
    /// Targets of loop bodies and of parallel parts, with their slots.
    pub(crate) written: FxHashMap<SubstId, Arc<[(Target, usize)]>>,
    /// Constants rarely change, so that values per element are worth caching.
    pub(crate) keeps_per_element: bool,
}

/// Numbers of cache entries assigned so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Numbers {
    pub(crate) cells: usize,
    pub(crate) tables: usize,
    /// Expressions cached by element.
    pub(crate) per_element: usize,
    /// Classes of interchangeable elements.
    pub(crate) classes: usize,
}

impl Program {
    pub fn new(interp: &Interp<'_>) -> Program {
        let model = interp.model();
        let layout = SlotLayout::of(model);
        let mut builder =
            CodeBuilder { keeps_per_element: true, ..CodeBuilder::new(interp, layout, Numbers::default()) };
        let functions: IdSet<OpId> = model.transformations().collect();
        let operations = model.operations.ids().map(|op| {
            let is_wanted = model.operations[op].is_top_level || functions.contains(op);
            if is_wanted { builder.operation(op) } else { None }
        });
        let operations: Vec<Option<CompiledOperation>> = operations.collect();
        let staged = model.operations.ids().zip(&operations);
        let staged = staged.map(|(op, form)| form.as_ref().and_then(|_| staged::staged(&mut builder, op))).collect();
        let conjuncts = model.invariant.iter().chain(&model.assertions).filter(|conjunct| !conjunct.is_gluing);
        let preds = conjuncts.map(|conjunct| conjunct.pred).chain(model.steering.goal);
        let mut tests = Vec::new();
        let mut test_numbers = FxHashMap::default();
        for pred in preds {
            test_numbers.entry(pred).or_insert_with(|| {
                tests.push(builder.test(pred));
                tests.len() - 1
            });
        }
        Program { layout, n_cells: builder.numbers.cells, operations, staged, tests, test_numbers }
    }
}

impl<'a, 'm> CodeBuilder<'a, 'm> {
    pub(crate) fn new(interp: &'a Interp<'m>, layout: SlotLayout, numbers: Numbers) -> CodeBuilder<'a, 'm> {
        CodeBuilder {
            model: interp.model(),
            names: interp.names(),
            layout,
            numbers,
            open: Vec::new(),
            written: FxHashMap::default(),
            keeps_per_element: false,
        }
    }
}
