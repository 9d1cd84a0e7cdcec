//! Refutation of large problems by SAT, before the search.
//!
//! With many loosely related unknowns, a backtracking search finds the same contradiction again for all values of the other unknowns. So the
//! part of the problem that has a circuit of reasonable size goes to a SAT solver first. If that part has no solution, the whole has none.

use abridge_blast::{SatAnswer, SatSolver};
use abridge_eval::Result;

use super::sat::DeclaredUnknowns;
use super::{SearchNode, SolutionSearch};
use crate::encode::{CircuitEncoder, NoCircuit};

/// Number of unknowns below which the search is faster.
const MIN_UNKNOWNS: usize = 16;
/// Largest circuit, in gates and connections.
const MAX_CIRCUIT_SIZE: usize = 2_000_000;
/// Conflicts after which the SAT solver gives up.
const MAX_CONFLICTS: u64 = 20_000;

impl SolutionSearch<'_> {
    /// Whether a part of the problem is known to have no solution. Only the first call of a search looks.
    pub(super) fn is_refuted(&self, node: &SearchNode) -> Result<bool> {
        if node.open.len() < MIN_UNKNOWNS || self.is_examined.replace(true) {
            return Ok(false);
        }
        match self.contradicts_itself(node) {
            Ok(answer) => Ok(answer),
            Err(NoCircuit::Unsupported(_)) => Ok(false),
            Err(NoCircuit::Fatal(error)) => Err(error),
        }
    }

    fn contradicts_itself(&self, node: &SearchNode) -> std::result::Result<bool, NoCircuit> {
        let mut encoder = CircuitEncoder::with_room(self.session, MAX_CIRCUIT_SIZE);
        let DeclaredUnknowns { conditions: mut required, left_out, .. } = self.declare_all(&mut encoder, node)?;
        for constraint in &node.constraints {
            if left_out.iter().any(|unknown| constraint.mentions(*unknown)) {
                continue;
            }
            match encoder.constraint(constraint, node) {
                Ok(truth) => required.push(truth.holds),
                Err(NoCircuit::Unsupported(_)) => {}
                Err(stop) => return Err(stop),
            }
        }
        let mut solver = SatSolver::new(MAX_CONFLICTS).stopped_by(self.session.stop());
        required.into_iter().for_each(|lit| solver.require(&encoder.blast.circuit, lit));
        Ok(matches!(solver.solve(), SatAnswer::Unsatisfiable))
    }
}
