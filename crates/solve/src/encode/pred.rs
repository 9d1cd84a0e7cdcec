//! Circuits of predicates: the conditions that they hold and that they fail.

use abridge_blast::{CircuitValue, Lit};
use abridge_diag::with_stack;
use abridge_eval::Env;
use abridge_model::{Comparison, Expr, ExprId, LocalId, ModelNode, Pred, PredId, QuantifiedOp, may_fail};

use super::{CircuitEncoder, CircuitResult, CircuitTerm, NoCircuit, TermKind, TruthPair};

impl CircuitEncoder<'_> {
    pub fn pred(&mut self, id: PredId, env: &Env) -> CircuitResult<TruthPair> {
        self.tick()?;
        if !self.is_open_pred(id) {
            let answer = self.evaluated(self.session.pred(id, env))?;
            return Ok(answer.map_or(TruthPair::ILL_DEFINED, TruthPair::from));
        }
        with_stack(|| self.open_pred(id, env))
    }

    fn open_pred(&mut self, id: PredId, env: &Env) -> CircuitResult<TruthPair> {
        match self.session.model().pred(id) {
            Pred::True => Ok(TruthPair::from(true)),
            Pred::False => Ok(TruthPair::from(false)),
            Pred::Not(operand) => Ok(self.pred(*operand, env)?.negated()),
            Pred::And(operands) => self.conjunction(operands, env),
            Pred::Or(operands) => self.disjunction(operands, env),
            Pred::Implies(left, right) => {
                let (left, right) = (self.pred(*left, env)?, self.pred(*right, env)?);
                let both = self.and(left.holds, right.holds);
                Ok(TruthPair { holds: self.any([left.fails, both]), fails: self.and(left.holds, right.fails) })
            }
            Pred::Equivalent(left, right) => {
                let (left, right) = (self.pred(*left, env)?, self.pred(*right, env)?);
                let (both, neither) = (self.and(left.holds, right.holds), self.and(left.fails, right.fails));
                let (only_left, only_right) = (self.and(left.holds, right.fails), self.and(left.fails, right.holds));
                Ok(TruthPair { holds: self.any([both, neither]), fails: self.any([only_left, only_right]) })
            }
            Pred::Compare(op, left, right) => {
                let truth = self.compare(*op, *left, *right, env)?;
                self.unless_kept(id, truth)
            }
            Pred::Forall { binder, body } => self.forall(binder, *body, env),
            Pred::Exists { binder, body } => {
                let mut ways = Vec::new();
                self.each_binding(binder, *body, env, &mut |encoder, env| {
                    ways.push(encoder.pred(*body, env)?.holds);
                    Ok(())
                })?;
                let holds = self.any(ways);
                Ok(TruthPair { holds, fails: !holds })
            }
            Pred::If(condition, then, otherwise) => {
                let condition = self.pred(*condition, env)?;
                let (then, otherwise) = (self.pred(*then, env)?, self.pred(*otherwise, env)?);
                let mut chosen = |then: Lit, otherwise: Lit| {
                    let (yes, no) = (self.and(condition.holds, then), self.and(condition.fails, otherwise));
                    self.any([yes, no])
                };
                Ok(TruthPair { holds: chosen(then.holds, otherwise.holds), fails: chosen(then.fails, otherwise.fails) })
            }
            Pred::Let { bindings, body } => {
                let (env, defined) = self.bind_let(bindings, env)?;
                let body = self.pred(*body, &env)?;
                Ok(self.guarded(defined, body))
            }
            Pred::Finite(set) => {
                let term = self.expr(*set, env)?;
                Ok(TruthPair { holds: term.defined, fails: Lit::FALSE })
            }
            Pred::Partition(set, parts) => self.partition(*set, parts, env),
            Pred::External(..) => Err(NoCircuit::Unsupported("an external predicate")),
        }
    }

    /// A set whose elements are computed is kept as a formula by the interpreter, which may look at fewer elements than a circuit. So the circuit
    /// is exact only if all have values.
    fn unless_kept(&mut self, id: PredId, truth: TruthPair) -> CircuitResult<TruthPair> {
        if self.any([truth.holds, truth.fails]) == Lit::TRUE {
            return Ok(truth);
        }
        let model = self.session.model();
        let mut is_kept = false;
        model.for_each_node(ModelNode::Pred(id), &mut |node| {
            let ModelNode::Expr(set) = node else { return };
            let (Expr::Quantified { op: QuantifiedOp::Lambda | QuantifiedOp::Union, expr, .. }
            | Expr::SetImage { expr, .. }) = model.expr(set)
            else {
                return;
            };
            is_kept |= may_fail(model, ModelNode::Expr(*expr));
        });
        if is_kept { Err(NoCircuit::Unsupported("a set whose elements may be ill-defined")) } else { Ok(truth) }
    }

    /// Conjunction: false if an operand is, even if another is ill-defined.
    fn conjunction(&mut self, operands: &[PredId], env: &Env) -> CircuitResult<TruthPair> {
        let (mut holds, mut fails) = (Vec::new(), Vec::new());
        for operand in operands {
            let truth = self.pred(*operand, env)?;
            if truth == TruthPair::from(false) {
                return Ok(truth);
            }
            holds.push(truth.holds);
            fails.push(truth.fails);
        }
        Ok(TruthPair { holds: self.all(holds), fails: self.any(fails) })
    }

    /// Disjunction, evaluated from left to right.
    fn disjunction(&mut self, operands: &[PredId], env: &Env) -> CircuitResult<TruthPair> {
        let mut ways = Vec::new();
        let mut none_before = Lit::TRUE;
        for operand in operands {
            let truth = self.pred(*operand, env)?;
            ways.push(self.and(none_before, truth.holds));
            none_before = self.and(none_before, truth.fails);
            if none_before == Lit::FALSE {
                break;
            }
        }
        Ok(TruthPair { holds: self.any(ways), fails: none_before })
    }

    /// Universal quantifier. Left sides of implications are searched for values, so an instance with an ill-defined left side counts as true.
    fn forall(&mut self, binder: &[LocalId], body: PredId, env: &Env) -> CircuitResult<TruthPair> {
        let (mut holds, mut fails) = (Vec::new(), Vec::new());
        let (mut conditions, mut conclusion) = (Vec::new(), body);
        while let Pred::Implies(left, right) = self.session.model().pred(conclusion) {
            conditions.push(*left);
            conclusion = *right;
        }
        let mut visit = |encoder: &mut Self, env: &Env| {
            let mut applies = Lit::TRUE;
            for condition in &conditions {
                let holds = encoder.pred(*condition, env)?.holds;
                applies = encoder.and(applies, holds);
            }
            if applies != Lit::FALSE {
                let truth = encoder.pred(conclusion, env)?;
                holds.push(encoder.blast.circuit.implies(applies, truth.holds));
                fails.push(encoder.and(applies, truth.fails));
            }
            Ok(())
        };
        match conditions.first() {
            Some(condition) => self.each_binding(binder, *condition, env, &mut visit)?,
            None => self.each_typed(binder, env, &mut visit)?,
        }
        Ok(TruthPair { holds: self.all(holds), fails: self.any(fails) })
    }

    fn compare(&mut self, op: Comparison, left: ExprId, right: ExprId, env: &Env) -> CircuitResult<TruthPair> {
        match op {
            Comparison::Member => {
                let x = self.expr(left, env)?;
                let inside = self.in_set(&x, &right.into(), env)?;
                Ok(self.guarded(x.defined, inside))
            }
            Comparison::Subset => {
                let left = self.expr(left, env)?;
                let inside = self.within(&left, &right.into(), env)?;
                Ok(self.guarded(left.defined, inside))
            }
            Comparison::StrictSubset => {
                let (left, right) = (self.expr(left, env)?, self.expr(right, env)?);
                let (a, b) = (self.as_sym(&left, env)?, self.as_sym(&right, env)?);
                let (within, same) = (self.blast.subset(&a, &b)?, self.blast.equal(&a, &b)?);
                let holds = self.and(within, !same);
                Ok(self.decided(&[&left, &right], holds))
            }
            Comparison::Equal => {
                let (left, right) = (self.expr(left, env)?, self.expr(right, env)?);
                let same = self.same(&left, &right, env)?;
                Ok(self.decided(&[&left, &right], same))
            }
            Comparison::Less | Comparison::LessEqual => {
                let (left, right) = (self.expr(left, env)?, self.expr(right, env)?);
                let holds = match op {
                    Comparison::Less => self.less(&left, &right, env)?,
                    _ => !self.less(&right, &left, env)?,
                };
                Ok(self.decided(&[&left, &right], holds))
            }
            Comparison::RealLess | Comparison::RealLessEqual => Err(NoCircuit::Unsupported("real numbers")),
        }
    }

    pub(crate) fn same(&mut self, left: &CircuitTerm, right: &CircuitTerm, env: &Env) -> CircuitResult<Lit> {
        // A circuit value is finite, so it differs from any infinite set.
        for (one, other) in [(left, right), (right, left)] {
            if let (TermKind::Circuit(_), TermKind::Known(val)) = (&one.kind, &other.kind)
                && self.evaluated(self.session.is_infinite(val, env))?.flatten() == Some(true)
            {
                return Ok(Lit::FALSE);
            }
        }
        let (left, right) = (self.as_sym(left, env)?, self.as_sym(right, env)?);
        Ok(self.blast.equal(&left, &right)?)
    }

    pub(crate) fn less(&mut self, left: &CircuitTerm, right: &CircuitTerm, env: &Env) -> CircuitResult<Lit> {
        let (left, right) = (self.as_sym(left, env)?, self.as_sym(right, env)?);
        Ok(self.blast.less(&left, &right)?)
    }

    /// Truth of a condition on terms, which must be defined.
    pub(crate) fn decided(&mut self, terms: &[&CircuitTerm], condition: Lit) -> TruthPair {
        let defined = self.all(terms.iter().map(|term| term.defined));
        TruthPair { holds: self.and(defined, condition), fails: self.and(defined, !condition) }
    }

    pub(crate) fn guarded(&mut self, defined: Lit, truth: TruthPair) -> TruthPair {
        TruthPair { holds: self.and(defined, truth.holds), fails: self.and(defined, truth.fails) }
    }

    fn partition(&mut self, set: ExprId, parts: &[ExprId], env: &Env) -> CircuitResult<TruthPair> {
        let whole = self.expr(set, env)?;
        let mut terms = vec![whole.clone()];
        let mut disjoint = Vec::new();
        let mut union = CircuitValue::set(Vec::new());
        for part in parts {
            let term = self.expr(*part, env)?;
            let part = self.as_sym(&term, env)?;
            let common = self.blast.intersection(&union, &part)?;
            disjoint.push(self.blast.is_empty(&common)?);
            union = self.blast.union(&union, &part)?;
            terms.push(term);
        }
        let whole = self.as_sym(&whole, env)?;
        disjoint.push(self.blast.equal(&whole, &union)?);
        let condition = self.all(disjoint);
        let terms: Vec<&CircuitTerm> = terms.iter().collect();
        Ok(self.decided(&terms, condition))
    }
}
