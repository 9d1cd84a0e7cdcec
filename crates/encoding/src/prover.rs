//! Proofs that literals cannot hold together, for whoever bounds variables by induction.

use abridge_blast::{Answer, Blast, Lit, Solver};
use abridge_diag::StopFlag;
use abridge_value::BitSet;

/// Decides circuits within a budget.
pub trait Prover {
    /// The positions of those queries that may be satisfiable together with the assumptions; each is a conjunction. Adding positions is
    /// sound, leaving one out that is satisfiable is not. The circuit is left as it was.
    fn satisfiable(&mut self, blast: &mut Blast, assumptions: &[Lit], queries: &[Vec<Lit>]) -> BitSet;

    /// Whether the translation is to end now.
    fn is_over(&self) -> bool {
        false
    }
}

/// A SAT solver that gives up on a query after so many conflicts, and on everything when the flag is raised.
pub struct SatProver {
    pub conflicts: u64,
    pub stop: StopFlag,
}

impl Default for SatProver {
    fn default() -> SatProver {
        SatProver { conflicts: 20_000, stop: StopFlag::default() }
    }
}

impl Prover for SatProver {
    fn satisfiable(&mut self, blast: &mut Blast, assumptions: &[Lit], queries: &[Vec<Lit>]) -> BitSet {
        let mut solver = Solver::new(u64::MAX).stopped_by(self.stop.clone());
        assumptions.iter().for_each(|lit| solver.require(&blast.circuit, *lit));
        let may_hold = |query: &Vec<Lit>| {
            self.stop.is_raised()
                || !is_contradiction(blast, query)
                    && solver.solve_under(&blast.circuit, query, self.conflicts) != Answer::Unsatisfiable
        };
        let positions = queries.iter().map(may_hold).enumerate().filter(|(_, may_hold)| *may_hold);
        positions.map(|(idx, _)| idx).collect()
    }

    fn is_over(&self) -> bool {
        self.stop.is_raised()
    }
}

/// Whether the form of literals shows that they exclude each other.
pub(crate) fn is_contradiction(blast: &Blast, lits: &[Lit]) -> bool {
    let parts: Vec<Lit> = lits.iter().flat_map(|lit| blast.circuit.conjuncts(*lit)).collect();
    parts.contains(&Lit::FALSE) || parts.iter().any(|part| parts.contains(&!*part))
}
