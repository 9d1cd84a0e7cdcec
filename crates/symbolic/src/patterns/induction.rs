//! Induction: whether the properties of a machine, as they are, exclude everything that is asked about.
//!
//! An invariant that was written to be proved needs no search: it holds in all initial states, no step leads from a state with all properties to one without, and
//! no state with all properties has a finding. By symmetry, one instance of an operation stands for those of all elements, and one clause of a property for its images
//! (`clauses.rs`). All that is known before the step are properties as wholes: a clause after it may follow from other clauses, about other elements.

use abridge_blast::{Lit, SatAnswer};

use super::clauses::NamedClause;
use super::{NoProof, PatternSearch, STOPPED};

impl PatternSearch<'_, '_> {
    /// Whether the properties are inductive. What the solver does not decide is not.
    pub(super) fn is_inductive(&mut self) -> Result<bool, NoProof> {
        match self.is_closed_under_steps() {
            Err(open) if open != STOPPED => Ok(false),
            result => result,
        }
    }

    fn is_closed_under_steps(&mut self) -> Result<bool, NoProof> {
        for holds in self.holding.clone() {
            if self.initial_has(!holds)? {
                return Ok(false);
            }
        }
        for root in self.roots.clone() {
            if self.state_of(true, &[root], None)?.is_some() {
                return Ok(false);
            }
        }
        for holds in self.holding.clone() {
            let whole = NamedClause { lits: vec![holds], n_named: 0 };
            let clauses = self.named_clauses(holds).unwrap_or_else(|| vec![whole]);
            for instance in 0..self.encoding.instances.len() {
                for clause in &clauses {
                    if !self.is_kept(instance, clause)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Whether no step of an instance leads from a state with all properties to one without a clause, whichever elements it names.
    fn is_kept(&mut self, instance: usize, clause: &NamedClause) -> Result<bool, NoProof> {
        for elements in self.frames(clause.n_named, instance) {
            let before = self.clause_about(clause, &elements);
            let after: Vec<Lit> = before.iter().map(|lit| self.after(instance, *lit)).collect();
            if after == before {
                continue;
            }
            let relation = self.encoding.instances[instance].relation;
            let step: Vec<Lit> = after.iter().map(|lit| !*lit).chain([relation]).collect();
            if !step.contains(&Lit::FALSE) && self.state_of(true, &step, None)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an initial state has a literal.
    pub(super) fn initial_has(&mut self, lit: Lit) -> Result<bool, NoProof> {
        let PatternSearch { encoding, initial, facts, first, .. } = self;
        match initial.ask(encoding, (&facts[0], first), &[lit]) {
            SatAnswer::Unsatisfiable => Ok(false),
            SatAnswer::Satisfiable => Ok(true),
            SatAnswer::Unknown if self.stop.is_raised() => Err(STOPPED),
            SatAnswer::Unknown => Err(NoProof("a question to the solver takes too long", true)),
        }
    }
}
