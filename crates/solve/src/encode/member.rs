//! Membership in sets that are not listed: powersets, functions, sequences, infinite sets.

use abridge_blast::{CircuitValue, Entry, Lit};
use abridge_diag::with_stack;
use abridge_eval::{Env, SymbolicSet, Val};
use abridge_model::{Arrow, BaseSet, BinaryOp, Expr, ExprId, LocalId, ModelNode, PredId, UnaryOp, may_fail};

use super::expr::int;
use super::{CircuitEncoder, CircuitResult, CircuitTerm, NoCircuit, TermKind, TruthPair};

/// Set on the right of a membership.
#[derive(Clone)]
pub enum SetArg {
    Expr(ExprId),
    Val(Val),
}

impl From<ExprId> for SetArg {
    fn from(id: ExprId) -> SetArg {
        SetArg::Expr(id)
    }
}

impl CircuitEncoder<'_> {
    /// `x : set`, for a defined `x`. If the set is ill-defined, so is the membership, whatever a part of the set would decide.
    pub fn in_set(&mut self, x: &CircuitTerm, set: &SetArg, env: &Env) -> CircuitResult<TruthPair> {
        let truth = self.in_defined(x, set, env)?;
        let defined = self.set_defined(set, env)?;
        Ok(self.guarded(defined, truth))
    }

    /// Condition that all parts of a set are defined.
    fn set_defined(&mut self, set: &SetArg, env: &Env) -> CircuitResult<Lit> {
        let id = match set {
            SetArg::Val(_) => return Ok(Lit::TRUE),
            SetArg::Expr(id) => *id,
        };
        if !self.is_open_expr(id) {
            return Ok(Lit::from(self.evaluated(self.session.expr(id, env))?.is_some()));
        }
        let parts = match self.session.model().expr(id) {
            Expr::Unary(op, base) if is_set_of_sets(*op) => vec![*base],
            Expr::Binary(BinaryOp::Arrow(_) | BinaryOp::Cartesian, left, right) => vec![*left, *right],
            Expr::Binary(BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference, left, right) => {
                vec![*left, *right]
            }
            // The set itself may have no circuit, as that of a function that is not known.
            Expr::SetExtension(items) => return self.all_defined(items, env),
            Expr::Comprehension { pred, .. } if self.is_total(*pred) => return Ok(Lit::TRUE),
            Expr::Binary(BinaryOp::Interval, low, high) => return self.all_defined(&[*low, *high], env),
            _ => return Ok(self.expr(id, env)?.defined),
        };
        let mut defined = Vec::with_capacity(parts.len());
        for part in parts {
            defined.push(with_stack(|| self.set_defined(&part.into(), env))?);
        }
        Ok(self.all(defined))
    }

    fn all_defined(&mut self, parts: &[ExprId], env: &Env) -> CircuitResult<Lit> {
        let mut defined = Vec::with_capacity(parts.len());
        for part in parts {
            defined.push(self.expr(*part, env)?.defined);
        }
        Ok(self.all(defined))
    }

    /// Whether a predicate is true or false for all values of its names.
    fn is_total(&self, pred: PredId) -> bool {
        !may_fail(self.session.model(), ModelNode::Pred(pred))
    }

    /// Binds locals to the parts of a tuple.
    fn bind_tuple(&mut self, binder: &[LocalId], x: &CircuitTerm, env: &Env) -> CircuitResult<Env> {
        let Some((last, others)) = binder.split_last() else { return Ok(env.clone()) };
        if others.is_empty() {
            return Ok(self.bind(*last, x, env));
        }
        let (first, second) = match &x.kind {
            TermKind::Known(val) => {
                let (first, second) = val.split().map_err(|_| NoCircuit::Unsupported("a tuple"))?;
                (CircuitTerm::known(first), CircuitTerm::known(second))
            }
            TermKind::Circuit(sym) => {
                let (first, second) = self.blast.split(sym)?;
                (CircuitTerm::sym(first), CircuitTerm::sym(second))
            }
        };
        let env = self.bind(*last, &second, env);
        self.bind_tuple(others, &first, &env)
    }

    fn in_defined(&mut self, x: &CircuitTerm, set: &SetArg, env: &Env) -> CircuitResult<TruthPair> {
        match set {
            SetArg::Val(val) => self.in_val(x, val, env),
            SetArg::Expr(id) if !self.is_open_expr(*id) => match self.evaluated(self.session.expr(*id, env))? {
                Some(val) => self.in_val(x, &val, env),
                None => Ok(TruthPair::ILL_DEFINED),
            },
            SetArg::Expr(id) => self.in_expr(x, *id, env),
        }
    }

    fn in_expr(&mut self, x: &CircuitTerm, id: ExprId, env: &Env) -> CircuitResult<TruthPair> {
        match self.session.model().expr(id) {
            Expr::Unary(op @ (UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Pow1 | UnaryOp::Fin1), base) => {
                self.in_powerset(x, *op, &(*base).into(), env)
            }
            Expr::Unary(op @ (UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm), base) => {
                self.in_sequences(x, *op, &(*base).into(), env)
            }
            Expr::Binary(BinaryOp::Arrow(arrow), from, to) => {
                self.in_arrow(x, *arrow, &(*from).into(), &(*to).into(), env)
            }
            Expr::Binary(BinaryOp::Cartesian, left, right) => {
                self.in_product(x, &(*left).into(), &(*right).into(), env)
            }
            Expr::Binary(op @ (BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference), left, right) => {
                let (left, right) = (self.in_set(x, &(*left).into(), env)?, self.in_set(x, &(*right).into(), env)?);
                Ok(self.combined(*op, left, right))
            }
            Expr::SetExtension(items) => {
                let (mut terms, mut same) = (Vec::new(), Vec::new());
                for item in items {
                    let item = self.expr(*item, env)?;
                    same.push(self.same(x, &item, env)?);
                    terms.push(item);
                }
                let inside = self.any(same);
                let terms: Vec<&CircuitTerm> = terms.iter().collect();
                Ok(self.decided(&terms, inside))
            }
            // The set need not be listed, and may be infinite.
            Expr::Comprehension { binder, pred, .. } if self.is_total(*pred) => {
                let env = self.bind_tuple(binder, x, env)?;
                self.pred(*pred, &env)
            }
            Expr::Binary(BinaryOp::Interval, lo, hi) => {
                let (lo, hi) = (self.expr(*lo, env)?, self.expr(*hi, env)?);
                let (a, b, x) = (self.as_sym(&lo, env)?, self.as_sym(&hi, env)?, self.as_sym(x, env)?);
                let (below, above) = (self.blast.less(&x, &a)?, self.blast.less(&b, &x)?);
                let inside = self.and(!below, !above);
                Ok(self.decided(&[&lo, &hi], inside))
            }
            _ => {
                let set = self.expr(id, env)?;
                let (x, sym) = (self.as_sym(x, env)?, self.as_sym(&set, env)?);
                let inside = self.blast.member(&x, &sym)?;
                Ok(self.decided(&[&set], inside))
            }
        }
    }

    fn combined(&mut self, op: BinaryOp, left: TruthPair, right: TruthPair) -> TruthPair {
        match op {
            BinaryOp::Union => {
                TruthPair { holds: self.any([left.holds, right.holds]), fails: self.and(left.fails, right.fails) }
            }
            BinaryOp::Intersection => {
                TruthPair { holds: self.and(left.holds, right.holds), fails: self.any([left.fails, right.fails]) }
            }
            _ => TruthPair { holds: self.and(left.holds, right.fails), fails: self.any([left.fails, right.holds]) },
        }
    }

    fn in_val(&mut self, x: &CircuitTerm, set: &Val, env: &Env) -> CircuitResult<TruthPair> {
        let sym = match &x.kind {
            TermKind::Known(x) => {
                let inside = self.evaluated(self.session.member(x, set, env))?;
                return Ok(inside.map_or(TruthPair::ILL_DEFINED, TruthPair::from));
            }
            TermKind::Circuit(sym) => sym.clone(),
        };
        if let CircuitValue::Choice(choice) = &sym {
            let mut inside = Vec::new();
            for (value, lit) in choice {
                if self.evaluated(self.session.member(&value.clone().into(), set, env))? == Some(true) {
                    inside.push(*lit);
                }
            }
            let holds = self.any(inside);
            return Ok(TruthPair { holds, fails: !holds });
        }
        let of = |val: &Val| SetArg::Val(val.clone());
        let holds = match set.as_sym() {
            Some(SymbolicSet::Base(BaseSet::Integer | BaseSet::String | BaseSet::Real)) => Lit::TRUE,
            Some(SymbolicSet::Base(BaseSet::Natural)) => !self.blast.less(&sym, &int(0))?,
            Some(SymbolicSet::Base(BaseSet::Natural1)) => self.blast.less(&int(0), &sym)?,
            Some(SymbolicSet::Unary(op @ (UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Pow1 | UnaryOp::Fin1), base)) => {
                return self.in_powerset(x, *op, &of(base), env);
            }
            Some(SymbolicSet::Unary(
                op @ (UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm),
                base,
            )) => return self.in_sequences(x, *op, &of(base), env),
            Some(SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, to)) => {
                return self.in_arrow(x, *arrow, &of(from), &of(to), env);
            }
            Some(SymbolicSet::Binary(BinaryOp::Cartesian, left, right)) => {
                return self.in_product(x, &of(left), &of(right), env);
            }
            Some(SymbolicSet::Binary(
                op @ (BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference),
                left,
                right,
            )) => {
                let (left, right) = (self.in_val(x, left, env)?, self.in_val(x, right, env)?);
                return Ok(self.combined(*op, left, right));
            }
            Some(SymbolicSet::Struct(_, fields)) => {
                let mut inside = Vec::with_capacity(fields.len());
                for (idx, field) in fields.iter().enumerate() {
                    let part = CircuitTerm::sym(self.blast.field(&sym, idx)?);
                    inside.push(self.in_val(&part, field, env)?.holds);
                }
                self.all(inside)
            }
            None if set.as_set().is_some_and(|set| set.ends().is_some()) => self.in_interval(&sym, set)?,
            _ => {
                let set = self.sym_of(set, env)?;
                self.blast.member(&sym, &set)?
            }
        };
        Ok(TruthPair { holds, fails: !holds })
    }

    fn in_interval(&mut self, x: &CircuitValue, set: &Val) -> CircuitResult<Lit> {
        let ends = set.as_set().and_then(|set| set.ends());
        let ends = ends.and_then(|(lo, hi)| Some((lo.to_i64()?, hi.to_i64()?)));
        let (lo, hi) = ends.ok_or(NoCircuit::Unsupported("an interval"))?;
        let (below, above) = (self.blast.less(x, &int(lo))?, self.blast.less(&int(hi), x)?);
        Ok(self.and(!below, !above))
    }

    /// `x <: set`, ill-defined if the set is.
    pub(crate) fn within(&mut self, x: &CircuitTerm, set: &SetArg, env: &Env) -> CircuitResult<TruthPair> {
        let truth = self.within_defined(x, set, env)?;
        let defined = self.set_defined(set, env)?;
        Ok(self.guarded(defined, truth))
    }

    fn within_defined(&mut self, x: &CircuitTerm, set: &SetArg, env: &Env) -> CircuitResult<TruthPair> {
        let x = self.as_sym(x, env)?;
        if let Some(other) = self.open_term(set, env)? {
            let sym = self.as_sym(&other, env)?;
            let within = match &x {
                CircuitValue::Map(entries) => self.map_within(entries, &sym)?,
                _ => self.blast.subset(&x, &sym)?,
            };
            return Ok(self.decided(&[&other], within));
        }
        // Element by element.
        let mut holds = Vec::new();
        if let CircuitValue::Map(entries) = &x {
            for entry in entries.iter() {
                let pair = CircuitTerm::sym(CircuitValue::pair(CircuitValue::known(&entry.key), entry.val.clone()));
                let inside = self.in_set(&pair, set, env)?.holds;
                holds.push(self.blast.circuit.implies(entry.present, inside));
            }
        } else {
            for (item, lit) in self.blast.members(&x)?.items {
                let inside = self.in_set(&CircuitTerm::known(item.into()), set, env)?.holds;
                holds.push(self.blast.circuit.implies(lit, inside));
            }
        }
        let holds = self.all(holds);
        Ok(TruthPair { holds, fails: !holds })
    }

    fn map_within(&mut self, entries: &[Entry], set: &CircuitValue) -> CircuitResult<Lit> {
        let mut each = Vec::with_capacity(entries.len());
        for entry in entries {
            let pair = CircuitValue::pair(CircuitValue::known(&entry.key), entry.val.clone());
            let inside = self.blast.member(&pair, set)?;
            each.push(self.blast.circuit.implies(entry.present, inside));
        }
        Ok(self.all(each))
    }

    /// Term of a set with unknowns, if it has a circuit.
    fn open_term(&mut self, set: &SetArg, env: &Env) -> CircuitResult<Option<CircuitTerm>> {
        match set {
            SetArg::Expr(id) if self.is_open_expr(*id) => match self.expr(*id, env) {
                Ok(term) => Ok(Some(term)),
                Err(NoCircuit::Unsupported(_)) => Ok(None),
                Err(stop) => Err(stop),
            },
            _ => Ok(None),
        }
    }

    fn in_powerset(&mut self, x: &CircuitTerm, op: UnaryOp, base: &SetArg, env: &Env) -> CircuitResult<TruthPair> {
        let within = self.within(x, base, env)?;
        if matches!(op, UnaryOp::Pow | UnaryOp::Fin) {
            return Ok(within);
        }
        let x = self.as_sym(x, env)?;
        let empty = self.blast.is_empty(&x)?;
        Ok(TruthPair { holds: self.and(within.holds, !empty), fails: self.any([within.fails, empty]) })
    }

    fn in_product(&mut self, x: &CircuitTerm, left: &SetArg, right: &SetArg, env: &Env) -> CircuitResult<TruthPair> {
        let x = self.as_sym(x, env)?;
        let (first, second) = self.blast.split(&x)?;
        let (first, second) =
            (self.in_set(&CircuitTerm::sym(first), left, env)?, self.in_set(&CircuitTerm::sym(second), right, env)?);
        Ok(TruthPair { holds: self.and(first.holds, second.holds), fails: self.any([first.fails, second.fails]) })
    }

    fn in_arrow(
        &mut self,
        x: &CircuitTerm,
        arrow: Arrow,
        from: &SetArg,
        to: &SetArg,
        env: &Env,
    ) -> CircuitResult<TruthPair> {
        let x = self.as_sym(x, env)?;
        let mut conditions = Vec::new();
        let domain = self.blast.dom(&x)?;
        conditions.push(self.within(&CircuitTerm::sym(domain.clone()), from, env)?.holds);
        if let CircuitValue::Map(entries) = &x {
            for entry in entries.iter() {
                let inside = self.in_set(&CircuitTerm::sym(entry.val.clone()), to, env)?.holds;
                conditions.push(self.blast.circuit.implies(entry.present, inside));
            }
        } else {
            let range = self.blast.ran(&x)?;
            conditions.push(self.within(&CircuitTerm::sym(range), to, env)?.holds);
        }
        if arrow.functional {
            conditions.push(self.blast.is_functional(&x)?);
        }
        if arrow.total {
            let from = self.listed_arg(from, env)?;
            conditions.push(self.blast.subset(&from, &domain)?);
        }
        if arrow.injective {
            conditions.push(self.blast.is_injective(&x)?);
        }
        if arrow.surjective {
            let (to, range) = (self.listed_arg(to, env)?, self.blast.ran(&x)?);
            conditions.push(self.blast.subset(&to, &range)?);
        }
        let holds = self.all(conditions);
        Ok(TruthPair { holds, fails: !holds })
    }

    fn listed_arg(&mut self, set: &SetArg, env: &Env) -> CircuitResult<CircuitValue> {
        match set {
            SetArg::Val(val) => self.sym_of(val, env),
            SetArg::Expr(id) => {
                let term = self.expr(*id, env)?;
                if term.defined != Lit::TRUE {
                    return Err(NoCircuit::Unsupported("a set that may be undefined"));
                }
                self.as_sym(&term, env)
            }
        }
    }

    /// Condition that a relation is a function on `1..n`.
    pub(super) fn is_sequence(&mut self, x: &CircuitValue) -> CircuitResult<Lit> {
        let mut conditions = vec![self.blast.is_functional(x)?];
        let domain = self.blast.dom(x)?;
        let mut expected = 1;
        let mut previous = Lit::TRUE;
        for (key, lit) in self.blast.members(&domain)?.items {
            let position = key.as_int().and_then(|int| int.to_i64()).ok_or(NoCircuit::Unsupported("a sequence"))?;
            if position == expected {
                conditions.push(self.blast.circuit.implies(lit, previous));
                (previous, expected) = (lit, expected + 1);
            } else {
                conditions.push(!lit);
            }
        }
        Ok(self.all(conditions))
    }

    fn in_sequences(&mut self, x: &CircuitTerm, op: UnaryOp, base: &SetArg, env: &Env) -> CircuitResult<TruthPair> {
        let x = self.as_sym(x, env)?;
        let mut conditions = vec![self.is_sequence(&x)?];
        if let CircuitValue::Map(entries) = &x {
            for entry in entries.iter() {
                let inside = self.in_set(&CircuitTerm::sym(entry.val.clone()), base, env)?.holds;
                conditions.push(self.blast.circuit.implies(entry.present, inside));
            }
        } else {
            let range = self.blast.ran(&x)?;
            conditions.push(self.within(&CircuitTerm::sym(range), base, env)?.holds);
        }
        if matches!(op, UnaryOp::Seq1 | UnaryOp::Iseq1) {
            conditions.push(!self.blast.is_empty(&x)?);
        }
        if matches!(op, UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm) {
            conditions.push(self.blast.is_injective(&x)?);
        }
        if op == UnaryOp::Perm {
            let (base, range) = (self.listed_arg(base, env)?, self.blast.ran(&x)?);
            conditions.push(self.blast.subset(&base, &range)?);
        }
        let holds = self.all(conditions);
        Ok(TruthPair { holds, fails: !holds })
    }
}

/// Whether an operator makes a set of subsets or sequences.
fn is_set_of_sets(op: UnaryOp) -> bool {
    use UnaryOp as U;
    matches!(op, U::Pow | U::Pow1 | U::Fin | U::Fin1 | U::Seq | U::Seq1 | U::Iseq | U::Iseq1 | U::Perm)
}
