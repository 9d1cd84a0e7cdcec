//! Induction: whether the properties of a machine, as they are, exclude everything that is asked about.
//!
//! An invariant that was written to be proved needs no search: it holds in all initial states, no step leads from a state with all properties to one without, and
//! no state with all properties has a finding. By symmetry, one instance of an operation stands for those of all elements; properties are taken as wholes, since a part of
//! one is about elements of its own.

use abridge_blast::{Lit, SatAnswer};

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
            for instance in 0..self.encoding.instances.len() {
                let after = self.after(instance, holds);
                let step = [self.encoding.instances[instance].relation, !after];
                if after != holds && !step.contains(&Lit::FALSE) && self.state_of(true, &step, None)?.is_some() {
                    return Ok(false);
                }
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
