//! [`Machine`] of a B machine: named steps, readable states, explained findings.
//!
//! All answers come from the judge, never from memos or the compiled form.

use std::collections::BTreeSet;

use abridge_diag::Span;
use abridge_model::{Conjunct, OpId, PredId, dump};
use abridge_model_system::{
    FIRST_OPERATION, INITIALISATION, INITIALISATION_NAME, ModelSystem as _, Place, SETUP, SETUP_NAME, executions,
    shown_values,
};
use abridge_system::{Completeness, Explanation, FindingKind, Listing, Machine, Move, Named, Origin, Remarks};

use crate::explain;
use crate::system::{Explicit, gap_of, lock};
use abridge_eval::Unbounded;

impl Machine for Explicit<'_> {
    fn operation_name(&self, operation: u32) -> String {
        match operation {
            SETUP => SETUP_NAME.to_owned(),
            INITIALISATION => INITIALISATION_NAME.to_owned(),
            number => self.model().operations[self.operations[(number - FIRST_OPERATION) as usize]].name.to_string(),
        }
    }

    fn operations(&self) -> Vec<u32> {
        (FIRST_OPERATION..).take(self.operations.len()).collect()
    }

    fn is_running(&self, origin: Origin<'_>) -> bool {
        origin.state().is_some_and(|words| words[0] & 1 == 1)
    }

    /// A representative of a set-up state is itself a set-up state, unless the model forces a symmetry that its properties do not have. Then the
    /// properties are evaluated, which is still faster than enumerating set-ups.
    fn is_start(&self, state: &[u32]) -> bool {
        let model = self.model();
        let is_honest = model.steering.force_symmetry.is_empty();
        self.has_setup()
            && !self.is_running(Origin::State(state))
            && (is_honest || model.properties.iter().all(|one| matches!(self.holds(one.pred, state), Ok(true))))
    }

    fn start_name(&self, state: &[u32]) -> String {
        if self.is_running(Origin::State(state)) { INITIALISATION_NAME } else { SETUP_NAME }.to_owned()
    }

    fn values(&self, state: &[u32]) -> Vec<Named> {
        shown_values(self.model(), self.notations(), &self.decode(state).0)
    }

    fn moves(&self, origin: Origin<'_>, operation: Option<u32>, found: &mut Listing<'_>) -> Completeness {
        let from = Place::of_words(self, origin.state());
        let ops: Vec<Option<OpId>> = match (&from, operation) {
            (Place::Running(_), None) => self.operations.iter().copied().map(Some).collect(),
            (Place::Running(_), Some(SETUP | INITIALISATION)) => Vec::new(),
            (Place::Running(_), Some(number)) => vec![Some(self.operations[(number - FIRST_OPERATION) as usize])],
            _ => vec![None],
        };
        let session = self.judge().session();
        let (mut gap, mut is_over) = (None, false);
        for op in ops {
            let name = || op.map_or("the start".to_owned(), |op| self.model().operations[op].name.to_string());
            executions(self, &session, &from, op, &mut |execution| {
                let step = match execution {
                    Ok(execution) => found(Ok(execution.shown(self))),
                    Err(error) => {
                        gap = gap.max(gap_of(&error));
                        found(Err((name(), error.diagnostic(self.model()))))
                    }
                };
                is_over = step.is_break();
                step
            });
            if is_over {
                break;
            }
        }
        gap.max(self.note(&session, "a step", None)).into()
    }

    fn move_to(&self, origin: Origin<'_>, target: &[u32]) -> Option<Move> {
        self.execution_between(origin.state(), target).map(|execution| execution.shown(self))
    }

    fn explain(&self, kind: FindingKind, state: &[u32]) -> Option<Explanation> {
        let model = self.model();
        let conjunct = |list: &[Conjunct], idx: u32| {
            let Conjunct { pred, span, .. } = &list[idx as usize];
            self.explain_property(*pred, Some(*span), state)
        };
        match kind {
            FindingKind::Invariant(idx) | FindingKind::IllDefinedInvariant(idx) => conjunct(&model.invariant, idx),
            FindingKind::Assertion(idx) | FindingKind::IllDefinedAssertion(idx) => conjunct(&model.assertions, idx),
            FindingKind::Proposition(idx) | FindingKind::IllDefinedProposition(idx) => {
                self.explain_property(self.config.propositions[idx as usize], None, state)
            }
            FindingKind::Deadlock | FindingKind::Goal => Some(Explanation::default()),
            FindingKind::IllDefined(operation) => {
                let error = self.violation_of(operation, state)?.diagnostic(model);
                let name = self.operation_name(operation);
                Some(Explanation { error: Some((Some(name), error)), ..Explanation::default() })
            }
        }
    }

    fn remarks(&self) -> Remarks {
        let notes = lock(&self.notes).clone();
        let is_exact = self.interp.config().unbounded == Unbounded::Error;
        let caveats = notes.warnings.iter().filter_map(|warning| warning.caveat(is_exact));
        Remarks {
            caveats: caveats.collect::<BTreeSet<String>>().into_iter().collect(),
            failures: notes.failures,
            n_outside: notes.n_outside,
        }
    }

    fn wind_up(&self) {
        self.interp.wind_up();
        self.judge().wind_up();
    }
}

impl Explicit<'_> {
    /// Explanation of a property that is false in a state or cannot be evaluated; `None` if it holds.
    fn explain_property(&self, pred: PredId, span: Option<Span>, words: &[u32]) -> Option<Explanation> {
        let model = self.model();
        let property = Some((dump::pred_text(model, pred), span));
        match self.holds(pred, words) {
            Ok(true) => None,
            Ok(false) => {
                let session = self.judge().session();
                let (parts, reasons) = explain::explain(&session, self.notations(), pred, &self.decode(words).0);
                Some(Explanation { property, parts, reasons, error: None })
            }
            Err(error) if error.is_failed_assertion() => Some(Explanation { property, ..Explanation::default() }),
            Err(error) => {
                Some(Explanation { property, error: Some((None, error.diagnostic(model))), ..Explanation::default() })
            }
        }
    }
}
