//! Instances that formulas about paths notice.
//!
//! A step is *invisible* if no atom about states has another value after it, and atoms about steps have their idle value on it: `[op]` is false,
//! `unchanged` true. An instance counts as noticed unless all its steps, in all reachable states, are invisible: by the cells that it writes and an
//! atom reads, or by the solver. A visible instance that was missed would let a reduction reorder steps that a formula tells apart.

use std::sync::PoisonError;

use abridge_blast::{Lit, Replaced};
use abridge_encoding::{Cells, EncodingSource};
use abridge_eval::{Env, State, Val};
use abridge_model::{ExprId, PredId};
use abridge_value::BitSet;

use crate::dependencies::{AnalysedInstance, Dependencies, EventId};
use crate::relations::after;
use crate::theory::{QuestionKind, Theory};

/// What a formula about paths observes.
#[derive(Clone, Debug)]
pub enum Observed {
    /// The truth of a predicate in states. It counts as a whole unless it is among [`EncodingSource::propositions`].
    Truth(PredId),
    /// The value of an expression in states.
    Value(ExprId),
    /// Some step of this kind is enabled.
    Enabled(ObservedOperation),
    /// Steps of this kind themselves.
    Taken(ObservedOperation),
}

/// Steps of an operation, by position, with some of its arguments given.
#[derive(Clone, Debug)]
pub struct ObservedOperation {
    pub operation: usize,
    /// Nothing where every value matches.
    pub arguments: Vec<Option<ExprId>>,
}

/// A condition on states that is observed.
pub(crate) struct ObservedCondition {
    /// If all these keep their values, so does the condition; nothing if it has no circuit.
    pub(crate) lits: Option<Vec<Lit>>,
    pub(crate) reads: BitSet,
}

impl ObservedOperation {
    /// The arguments whose values depend on the constants alone, by position, and whether these are all that are given.
    pub(crate) fn fixed(&self, source: &EncodingSource<'_>, constants: &State) -> (Vec<(usize, Val)>, bool) {
        let session = source.interp.session();
        let mut is_all = true;
        let mut fixed = Vec::new();
        for (position, argument) in self.arguments.iter().enumerate() {
            let Some(argument) = argument else { continue };
            let is_constant = source.interp.names_of_expr(*argument).variables.is_empty();
            match session.expr(*argument, &Env::new(constants)).ok().filter(|_| is_constant) {
                Some(val) => fixed.push((position, val)),
                None => is_all = false,
            }
        }
        (fixed, is_all)
    }

    /// Whether steps with a label may be of this kind, as far as these arguments say.
    pub(crate) fn may_mean(&self, source: &EncodingSource<'_>, label: Option<&[Val]>, fixed: &[(usize, Val)]) -> bool {
        let Some(label) = label else { return true };
        let model = source.interp.model();
        let params = &model.operations[source.operations[self.operation]].params;
        let session = source.interp.session();
        fixed.iter().all(|(position, val)| {
            let param = params.get(*position);
            let found = source.labels[self.operation].iter().position(|local| Some(local) == param);
            let Some(given) = found.and_then(|found| label.get(found)) else { return true };
            // What cannot be compared may be equal.
            val == given || session.equal(val, given, &Env::empty()).unwrap_or(true)
        })
    }
}

impl Dependencies {
    /// The instances with a step that some formula may notice, or that leads to something to be reported.
    pub fn noticed(&self) -> &BitSet {
        self.noticed.get_or_init(|| {
            let mut theory = self.theory.lock().unwrap_or_else(PoisonError::into_inner);
            let describe = |watch: &ObservedCondition| {
                let lits = watch.lits.iter().flatten().map(|lit| lit.number());
                let reads = watch.reads.iter().map(|cell| cell as u32);
                lits.chain([u32::MAX]).chain(reads).chain([u32::MAX]).collect::<Vec<u32>>()
            };
            let question: Vec<u32> = self.watches.iter().flat_map(describe).collect();
            let mut noticed = theory.remembered(QuestionKind::Noticed, question, self.n_instances, |theory| {
                let is_seen = |event: &EventId| {
                    let instance = self.instance(*event);
                    instance.is_some_and(|by| self.watches.iter().any(|one| can_change(theory, &self.cells, by, one)))
                };
                (0..self.n_instances).filter(is_seen).collect()
            });
            noticed.union_with(&self.taken);
            noticed
        })
    }
}

/// Whether a step of an instance may change a condition.
fn can_change(theory: &mut Theory, cells: &Cells, by: &AnalysedInstance, watch: &ObservedCondition) -> bool {
    if !by.written.intersects(&watch.reads) {
        return false;
    }
    let Some(lits) = watch.lits.as_ref().filter(|_| !by.opaque_writes.intersects(&watch.reads)) else { return true };
    if theory.is_exhausted {
        return true;
    }
    let can = lits.iter().any(|lit| {
        let later = after(theory, cells, by, &mut Replaced::default(), *lit);
        let differs = theory.circuit().xor(*lit, later);
        differs != Lit::FALSE && !theory.refutes(&[by.relation, differs])
    });
    theory.forget();
    can
}
