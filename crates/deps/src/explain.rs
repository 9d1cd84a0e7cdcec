//! Explanations of dependences: reasons and example states.
//!
//! A solver finds a state in which both instances are enabled and one disables the other, or the order matters. The state need not be reachable, and
//! the text must not claim that it is.

use std::sync::PoisonError;

use abridge_blast::{Lit, Replaced, SatAnswer};
use abridge_encoding::{CellId, EncodingSource};
use abridge_eval::{Val, val_text};
use abridge_model::VarId;

use crate::dependencies::{AnalysedInstance, Dependencies, EventId};
use crate::relations::{Discord, after};
use crate::theory::Theory;

/// Two instances that do not accord.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependence {
    pub first: EventId,
    pub second: EventId,
    /// Variables that one writes and the other reads or writes.
    pub shared: Vec<String>,
    pub reason: DependenceReason,
    /// Example state in which both are enabled: variables and their values. It need not be reachable. Empty if the solver was not asked or there is
    /// no circuit.
    pub example: Vec<(String, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DependenceReason {
    /// The first can disable the second.
    Disables,
    /// The second can disable the first.
    IsDisabled,
    /// The order of the two can matter.
    Order,
    /// One can make more outcomes of the other possible.
    Outcomes,
    /// A formula has no circuit, so that nothing is known.
    NoCircuit,
    /// The solver was not asked or gave up.
    Unknown,
}

impl Dependencies {
    /// All pairs of instances that do not accord.
    pub fn dependences(&self, source: &EncodingSource<'_>) -> Vec<Dependence> {
        let pairs =
            (0..self.n_instances).flat_map(|first| (first + 1..self.n_instances).map(move |second| (first, second)));
        let dependent = pairs.filter(|(first, second)| self.discords(*first).contains(*second));
        dependent.filter_map(|(first, second)| self.dependence(source, first, second)).collect()
    }

    fn dependence(&self, source: &EncodingSource<'_>, first: EventId, second: EventId) -> Option<Dependence> {
        let (a, b) = (self.instance(first)?, self.instance(second)?);
        let mut cells: Vec<usize> = a.written.common(&b.reads).chain(a.written.common(&b.written)).collect();
        cells.extend(b.written.common(&a.reads));
        cells.sort_unstable();
        cells.dedup();
        let shared =
            cells.into_iter().map(|cell| self.cells.text(source.interp.model(), CellId(cell as u32))).collect();
        let mut theory = self.theory.lock().unwrap_or_else(PoisonError::into_inner);
        let (reason, example) = match self.discord(&mut theory, first, second)? {
            Discord::Opaque(_) => (DependenceReason::NoCircuit, Vec::new()),
            Discord::Choice => (DependenceReason::Outcomes, Vec::new()),
            Discord::Possible => self.example(&mut theory, source, a, b),
        };
        theory.forget();
        Some(Dependence { first, second, shared, reason, example })
    }

    /// Example state of a dependence.
    fn example(
        &self,
        theory: &mut Theory,
        source: &EncodingSource<'_>,
        a: &AnalysedInstance,
        b: &AnalysedInstance,
    ) -> (DependenceReason, Vec<(String, String)>) {
        let (mut by_a, mut by_b) = (Replaced::default(), Replaced::default());
        let b_later = after(theory, &self.cells, a, &mut by_a, b.relation);
        let a_later = after(theory, &self.cells, b, &mut by_b, a.relation);
        for (reason, wrong) in [
            (DependenceReason::Disables, !b_later),
            (DependenceReason::IsDisabled, !a_later),
            (DependenceReason::Order, Lit::TRUE),
        ] {
            if let Some(state) = self.witness(theory, source, &[a.relation, b.relation, wrong]) {
                return (reason, state);
            }
        }
        (DependenceReason::Unknown, Vec::new())
    }

    fn witness(&self, theory: &mut Theory, source: &EncodingSource<'_>, lits: &[Lit]) -> Option<Vec<(String, String)>> {
        if lits.contains(&Lit::FALSE) {
            return None;
        }
        let mut solver = theory.solver(lits)?;
        let shapes = || source.variables.iter().filter_map(|id: &VarId| Some((*id, self.cells.shape(*id)?.0)));
        for (_, shape) in shapes() {
            shape.for_each_lit(&mut |lit| solver.track(&theory.blast.circuit, lit));
        }
        if solver.solve() != SatAnswer::Satisfiable {
            return None;
        }
        let model = source.interp.model();
        let text = |(id, shape): (VarId, &abridge_blast::CircuitValue)| {
            let value = shape.decode(&|lit| solver.value(lit))?;
            Some((model.variables[id].name.to_string(), val_text(model, &Val::from(value))))
        };
        Some(shapes().filter_map(text).collect())
    }

    /// Pairs of an instance and another one of which it can make a guard true.
    pub fn enabling(&self) -> Vec<(EventId, EventId)> {
        let mut pairs = Vec::new();
        for event in 0..self.n_instances {
            let by = self.guards_of(event).iter().flat_map(|guard| self.enablers(*guard).iter());
            pairs.extend(by.map(|by| (by, event)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Indices of the conjuncts of the invariant that are proved by induction.
    pub fn proven_invariants(&self) -> Vec<usize> {
        self.proven.clone()
    }
}
