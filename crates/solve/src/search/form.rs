//! Refutation by propositional abstraction: contradictions by form alone, without values.
//!
//! `!s.(s <: NATURAL => s = NATURAL or s <<: NATURAL)` holds, though no search through all sets of naturals could tell. Comparisons become the
//! atoms of a propositional problem, with clauses between atoms about the same operands. If it is unsatisfiable, the problem has no solution.
//! Formulas that may be ill-defined are omitted.

use abridge_blast::{Circuit, Lit, SatAnswer, SatSolver};
use abridge_eval::{ConstraintKind, Operand, Relation, Result, Val};
use abridge_model::ModelNode;
use abridge_model::dump::expr_text;
use abridge_model::{BinaryOp, Comparison, Expr, ExprId, LocalId, Pred, PredId, may_fail};
use rustc_hash::FxHashMap;

use super::{SearchNode, SolutionSearch};

/// Conflicts after which the SAT solver gives up.
const MAX_CONFLICTS: u64 = 1000;

impl SolutionSearch<'_> {
    /// Whether the constraints of a node are contradictory by form. Only the first call of a search looks.
    pub(super) fn is_contradictory_by_form(&self, node: &SearchNode) -> Result<bool> {
        if self.is_read.replace(true) {
            return Ok(false);
        }
        let mut form = Form {
            search: self,
            node,
            circuit: Circuit::default(),
            operands: FxHashMap::default(),
            atoms: FxHashMap::default(),
        };
        let mut solver = SatSolver::new(MAX_CONFLICTS).stopped_by(self.session.stop());
        for constraint in &node.constraints {
            if let Some(lit) = form.constraint(&constraint.kind)? {
                solver.require(&form.circuit, lit);
            }
        }
        for lit in form.laws() {
            solver.require(&form.circuit, lit);
        }
        Ok(matches!(solver.solve(), SatAnswer::Unsatisfiable))
    }
}

/// Operand of a comparison.
#[derive(PartialEq, Eq, Hash)]
enum Side {
    Known(Val),
    /// Text and locals of an operand with unknowns. The locals are needed since names may be reused.
    Open(String, Vec<LocalId>),
}

/// Propositional abstraction of a node.
struct Form<'a> {
    search: &'a SolutionSearch<'a>,
    node: &'a SearchNode,
    circuit: Circuit,
    operands: FxHashMap<Side, u32>,
    atoms: FxHashMap<(Atom, u32, u32), Lit>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Atom {
    /// The operand with the smaller number comes first.
    Equal,
    Member,
    Subset,
    Less,
}

impl Form<'_> {
    /// Literal of a constraint; `None` if it may be ill-defined.
    fn constraint(&mut self, kind: &ConstraintKind) -> Result<Option<Lit>> {
        let (relation, left, right) = match kind {
            ConstraintKind::Holds(pred) => return self.pred(*pred),
            ConstraintKind::Fails(pred) => return Ok(self.pred(*pred)?.map(|lit| !lit)),
            ConstraintKind::Relation(relation, left, right) => (*relation, left, right),
        };
        let (op, is_so) = match relation {
            Relation::Equal => (Comparison::Equal, true),
            Relation::NotEqual => (Comparison::Equal, false),
            Relation::Member => (Comparison::Member, true),
            Relation::NotMember => (Comparison::Member, false),
            Relation::Subset => (Comparison::Subset, true),
            Relation::Less => (Comparison::Less, true),
            Relation::LessEqual => (Comparison::LessEqual, true),
        };
        let lit = self.compare(op, left, right)?;
        Ok(lit.map(|lit| if is_so { lit } else { !lit }))
    }

    fn pred(&mut self, pred: PredId) -> Result<Option<Lit>> {
        let model = self.search.session.model();
        let lit = match model.pred(pred) {
            Pred::True => Some(Lit::TRUE),
            Pred::False => Some(Lit::FALSE),
            Pred::Not(inner) => self.pred(*inner)?.map(|lit| !lit),
            Pred::And(parts) => self.all(parts)?.map(|lits| self.circuit.and_all(lits)),
            Pred::Or(parts) => self.all(parts)?.map(|lits| self.circuit.or_all(lits)),
            Pred::Implies(left, right) => {
                self.both(*left, *right)?.map(|(left, right)| self.circuit.implies(left, right))
            }
            Pred::Equivalent(left, right) => {
                self.both(*left, *right)?.map(|(left, right)| self.circuit.iff(left, right))
            }
            Pred::Compare(op, left, right) => self.compare(*op, &Operand::Expr(*left), &Operand::Expr(*right))?,
            _ => None,
        };
        Ok(lit)
    }

    fn all(&mut self, parts: &[PredId]) -> Result<Option<Vec<Lit>>> {
        parts.iter().map(|part| self.pred(*part)).collect()
    }

    fn both(&mut self, left: PredId, right: PredId) -> Result<Option<(Lit, Lit)>> {
        let (left, right) = (self.pred(left)?, self.pred(right)?);
        Ok(left.zip(right))
    }

    fn compare(&mut self, op: Comparison, left: &Operand, right: &Operand) -> Result<Option<Lit>> {
        if let (Comparison::Member, Operand::Expr(set)) = (op, right)
            && let Some((op, first, second)) = self.combined(*set)
        {
            let first = self.compare(Comparison::Member, left, &Operand::Expr(first))?;
            let second = self.compare(Comparison::Member, left, &Operand::Expr(second))?;
            return Ok(first.zip(second).map(|(first, second)| match op {
                BinaryOp::Union => self.circuit.or(first, second),
                BinaryOp::Intersection => self.circuit.and(first, second),
                _ => self.circuit.and(first, !second),
            }));
        }
        let (Some(left), Some(right)) = (self.operand(left)?, self.operand(right)?) else { return Ok(None) };
        let lit = match op {
            Comparison::Equal => self.atom(Atom::Equal, left.min(right), left.max(right)),
            Comparison::Member => self.atom(Atom::Member, left, right),
            Comparison::Subset => self.atom(Atom::Subset, left, right),
            Comparison::StrictSubset => {
                let subset = self.atom(Atom::Subset, left, right);
                let equal = self.atom(Atom::Equal, left.min(right), left.max(right));
                self.circuit.and(subset, !equal)
            }
            Comparison::Less => self.atom(Atom::Less, left, right),
            Comparison::LessEqual => !self.atom(Atom::Less, right, left),
            Comparison::RealLess | Comparison::RealLessEqual => return Ok(None),
        };
        Ok(Some(lit))
    }

    fn combined(&self, set: ExprId) -> Option<(BinaryOp, ExprId, ExprId)> {
        match self.search.session.model().expr(set) {
            Expr::Binary(op @ (BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference), left, right) => {
                Some((*op, *left, *right))
            }
            _ => None,
        }
    }

    fn atom(&mut self, atom: Atom, left: u32, right: u32) -> Lit {
        let circuit = &mut self.circuit;
        *self.atoms.entry((atom, left, right)).or_insert_with(|| circuit.input())
    }

    /// Number of an operand; `None` if it cannot be evaluated.
    fn operand(&mut self, term: &Operand) -> Result<Option<u32>> {
        let session = self.search.session;
        let operand = if term.is_ready(session, &self.node.open) {
            match term.eval(session, &self.node.env) {
                Ok(val) => Side::Known(val),
                Err(error) if error.is_fatal() => return Err(error),
                Err(_) => return Ok(None),
            }
        } else {
            match term {
                Operand::Expr(id) if may_fail(session.model(), ModelNode::Expr(*id)) => return Ok(None),
                Operand::Expr(id) => Side::Open(expr_text(session.model(), *id), term.names(session).locals.clone()),
                Operand::Local(id) => Side::Open(session.model().locals[*id].name.to_string(), vec![*id]),
                Operand::Known(val) => Side::Known(val.clone()),
            }
        };
        let next = self.operands.len() as u32;
        Ok(Some(*self.operands.entry(operand).or_insert(next)))
    }

    /// Clauses that relate the atoms about two operands.
    fn laws(&mut self) -> Vec<Lit> {
        let mut laws = Vec::new();
        for ((atom, left, right), lit) in self.atoms.clone() {
            let equal = self.atoms.get(&(Atom::Equal, left.min(right), left.max(right))).copied();
            let converse = self.atoms.get(&(atom, right, left)).copied();
            match (atom, equal, converse) {
                (Atom::Subset | Atom::Equal, ..) if left == right => laws.push(lit),
                (Atom::Less, ..) if left == right => laws.push(!lit),
                (Atom::Subset, Some(equal), converse) => {
                    laws.push(self.circuit.implies(equal, lit));
                    if let Some(converse) = converse {
                        let both = self.circuit.and(lit, converse);
                        laws.push(self.circuit.implies(both, equal));
                    }
                }
                (Atom::Less, equal, converse) => {
                    laws.extend(equal.map(|equal| !self.circuit.and(lit, equal)));
                    laws.extend(converse.map(|converse| !self.circuit.and(lit, converse)));
                    if let (Some(equal), Some(converse)) = (equal, converse) {
                        laws.push(self.circuit.or_all([lit, equal, converse]));
                    }
                }
                _ => {}
            }
        }
        laws
    }
}
