//! Enabling, disabling and discord of pairs of instances.
//!
//! Two instances *accord* if in every reachable state where both are enabled, each stays enabled after the other, and both orders lead to the same
//! states (Valmari's strong version of independence; Laarman et al., "Guard-based partial-order reduction", section 3). Answers err on the safe
//! side: too much enabling and too much discord are sound, too little is not.

use std::sync::PoisonError;

use abridge_blast::{Lit, Replaced};
use abridge_encoding::{CellId, Cells};
use abridge_value::BitSet;

use crate::dependencies::{AnalysedInstance, Dependencies, EventGuard, EventId, GuardId};
use crate::theory::{QuestionKind, Theory};

/// Reason why two instances may not accord.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Discord {
    /// One writes a cell that the other reads or writes, without a circuit.
    Opaque(CellId),
    /// One may disable the other or make it ill-defined, or the order may matter.
    Possible,
    /// One may enable more outcomes of the other.
    Choice,
}

impl Dependencies {
    /// Instances that can make a false guard true.
    pub fn enablers(&self, guard: GuardId) -> &BitSet {
        self.enablers[guard].get_or_init(|| {
            let mut theory = self.theory.lock().unwrap_or_else(PoisonError::into_inner);
            theory.remembered(QuestionKind::Enablers, [guard as u32], self.n_instances, |theory| {
                let EventGuard { reads, lit, .. } = &self.guards[guard];
                let can = |event: &EventId| {
                    self.instance(*event).is_some_and(|instance| can_enable(theory, &self.cells, instance, reads, *lit))
                };
                (0..self.n_instances).filter(can).collect()
            })
        })
    }

    /// Instances that write cells read by the guards of an event.
    pub fn writers(&self, event: EventId) -> &BitSet {
        self.writers[event].get_or_init(|| {
            let guards = self.events[event].guards.iter().map(|guard| &self.guards[*guard].reads);
            let mut reads = BitSet::default();
            guards.for_each(|guard| reads.union_with(guard));
            let writes = |other: &EventId| self.instance(*other).is_some_and(|other| other.written.intersects(&reads));
            (0..self.n_instances).filter(writes).collect()
        })
    }

    /// Instances that do not accord with an instance, other than itself.
    pub fn discords(&self, event: EventId) -> &BitSet {
        self.discords[event].get_or_init(|| {
            let mut theory = self.theory.lock().unwrap_or_else(PoisonError::into_inner);
            theory.remembered(QuestionKind::Discords, [event as u32], self.n_instances, |theory| {
                let differs = |other: &EventId| match self.discords[*other].get() {
                    _ if *other == event => false,
                    Some(known) => known.contains(event),
                    None => self.discord(theory, event, *other).is_some(),
                };
                (0..self.n_instances).filter(differs).collect()
            })
        })
    }

    /// Instances that can disable an instance, possibly including itself.
    pub fn disablers(&self, event: EventId) -> &BitSet {
        self.disablers[event].get_or_init(|| {
            let mut theory = self.theory.lock().unwrap_or_else(PoisonError::into_inner);
            // An instance that accords does not disable.
            let may = |by: usize| by == event || self.discords[event].get().is_none_or(|known| known.contains(by));
            theory.remembered(QuestionKind::Disablers, [event as u32], self.n_instances, |theory| {
                (0..self.n_instances).filter(|by| may(*by) && self.can_disable(theory, *by, event)).collect()
            })
        })
    }

    fn can_disable(&self, theory: &mut Theory, by: EventId, event: EventId) -> bool {
        let (Some(by), Some(instance)) = (self.instance(by), self.instance(event)) else { return true };
        let guards = || self.events[event].guards.iter().map(|guard| &self.guards[*guard]);
        if !guards().any(|guard| by.written.intersects(&guard.reads)) {
            return false;
        }
        let is_opaque = |reads: &BitSet| by.opaque_writes.intersects(reads);
        if instance.has_choice
            || theory.is_exhausted
            || guards()
                .any(|guard| is_opaque(&guard.reads) || guard.lit.is_none() && by.written.intersects(&guard.reads))
        {
            return true;
        }
        let later = after(theory, &self.cells, by, &mut Replaced::default(), instance.relation);
        let can = later != instance.relation && !theory.refutes(&[by.relation, instance.relation, !later]);
        theory.forget();
        can
    }

    pub(crate) fn discord(&self, theory: &mut Theory, event: EventId, other: EventId) -> Option<Discord> {
        // The pair is ordered, so that the answer is symmetric.
        let (first, second) = (self.instance(event.min(other))?, self.instance(event.max(other))?);
        let answer = discord(theory, &self.cells, first, second);
        theory.forget();
        answer
    }
}

fn can_enable(theory: &mut Theory, cells: &Cells, by: &AnalysedInstance, reads: &BitSet, guard: Option<Lit>) -> bool {
    if !by.written.intersects(reads) {
        return false;
    }
    let Some(guard) = guard.filter(|_| !by.opaque_writes.intersects(reads) && !theory.is_exhausted) else {
        return true;
    };
    let after = after(theory, cells, by, &mut Replaced::default(), guard);
    let can = after != guard && !theory.refutes(&[by.relation, !guard, after]);
    theory.forget();
    can
}

/// Literal in the state after an instance.
pub(crate) fn after(theory: &mut Theory, cells: &Cells, by: &AnalysedInstance, done: &mut Replaced, lit: Lit) -> Lit {
    let with = |input: Lit| by.new_lit(cells.of_input(input)?);
    theory.circuit().replace(lit, &with, done)
}

impl AnalysedInstance {
    /// New literal of a cell that is written with a circuit.
    pub(crate) fn new_lit(&self, cell: CellId) -> Option<Lit> {
        let idx = self.writes.binary_search_by_key(&cell, |(cell, _)| *cell).ok()?;
        self.writes[idx].1
    }
}

fn discord(theory: &mut Theory, cells: &Cells, a: &AnalysedInstance, b: &AnalysedInstance) -> Option<Discord> {
    let clashes =
        |x: &AnalysedInstance, y: &AnalysedInstance| x.written.intersects(&y.reads) || x.written.intersects(&y.written);
    if !clashes(a, b) && !clashes(b, a) {
        return None;
    }
    if theory.refutes(&[a.relation, b.relation]) {
        return None;
    }
    if theory.is_exhausted {
        return Some(Discord::Possible);
    }
    for (x, y) in [(a, b), (b, a)] {
        let cell = x.written.common(&y.opaque_reads).chain(x.written.common(&y.opaque_writes)).next();
        if let Some(cell) = cell.or_else(|| x.reads.common(&y.opaque_writes).next()) {
            return Some(Discord::Opaque(CellId(cell as u32)));
        }
    }
    let (mut by_a, mut by_b) = (Replaced::default(), Replaced::default());
    let b_later = after(theory, cells, a, &mut by_a, b.relation);
    let a_later = after(theory, cells, b, &mut by_b, a.relation);
    let mut wrong = vec![!b_later, !a_later];
    let inputs: Vec<CellId> = a.writes.iter().chain(&b.writes).map(|(cell, _)| *cell).collect();
    for cell in inputs {
        // A cell that only one of them writes, without a circuit, is not touched by the other.
        let (Some(first), Some(second)) = orders(theory, cells, a, b, &mut by_a, &mut by_b, cell) else { continue };
        wrong.push(theory.circuit().xor(first, second));
    }
    let wrong = theory.circuit().or_all(wrong);
    if !theory.refutes(&[a.relation, b.relation, wrong]) {
        return Some(Discord::Possible);
    }
    let may_widen = |theory: &mut Theory, x: &AnalysedInstance, y: &AnalysedInstance, later: Lit| {
        x.has_choice && later != x.relation && !theory.refutes(&[y.relation, !x.relation, later])
    };
    let widens = may_widen(theory, a, b, a_later) || may_widen(theory, b, a, b_later);
    widens.then_some(Discord::Choice)
}

/// Literals of a cell after both instances, in both orders.
fn orders(
    theory: &mut Theory,
    cells: &Cells,
    a: &AnalysedInstance,
    b: &AnalysedInstance,
    by_a: &mut Replaced,
    by_b: &mut Replaced,
    cell: CellId,
) -> (Option<Lit>, Option<Lit>) {
    match (a.new_lit(cell), b.new_lit(cell)) {
        (Some(from_a), Some(from_b)) => {
            let first_a = after(theory, cells, a, by_a, from_b);
            let first_b = after(theory, cells, b, by_b, from_a);
            (Some(first_a), Some(first_b))
        }
        (Some(from_a), None) => (Some(from_a), Some(after(theory, cells, b, by_b, from_a))),
        (None, Some(from_b)) => (Some(after(theory, cells, a, by_a, from_b)), Some(from_b)),
        (None, None) => (None, None),
    }
}
