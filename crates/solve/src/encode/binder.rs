//! Enumeration of bound variables: lists candidates, so that each occurrence has a known value.

use abridge_diag::with_stack;
use abridge_eval::{Env, Size, SymbolicSet, Unknown, Val};
use abridge_model::{BinaryOp, Comparison, Expr, ExprId, LocalId, Pred, PredId, TypeTable};
use abridge_value::{Int, Set, Value};

use super::{CircuitEncoder, CircuitResult, CircuitTerm, MAX_ELEMENTS, NoCircuit, TermKind};

/// Callback for each valuation of bound variables.
pub type ValuationFn<'v, 's> = dyn FnMut(&mut CircuitEncoder<'s>, &Env) -> CircuitResult<()> + 'v;

/// Candidate values for a pattern of bound variables.
struct Candidates {
    pattern: BoundPattern,
    values: Vec<Val>,
}

#[derive(Clone, Copy)]
enum BoundPattern {
    Local(LocalId),
    Expr(ExprId),
}

impl<'s> CircuitEncoder<'s> {
    /// Calls `visit` for a superset of the valuations that satisfy a predicate.
    pub(super) fn each_value(
        &mut self,
        binder: &[LocalId],
        pred: PredId,
        env: &Env,
        visit: &mut ValuationFn<'_, 's>,
    ) -> CircuitResult<()> {
        let conjuncts = self.session.interp().conjuncts(pred);
        self.bind_all(binder, &conjuncts, false, env, visit)
    }

    /// [`CircuitEncoder::each_value`], but a variable that an equation defines may get a circuit value.
    pub(super) fn each_binding(
        &mut self,
        binder: &[LocalId],
        pred: PredId,
        env: &Env,
        visit: &mut ValuationFn<'_, 's>,
    ) -> CircuitResult<()> {
        let conjuncts = self.session.interp().conjuncts(pred);
        self.bind_all(binder, &conjuncts, true, env, visit)
    }

    /// Calls `visit` for all values of the types of the variables.
    pub(super) fn each_typed(
        &mut self,
        binder: &[LocalId],
        env: &Env,
        visit: &mut ValuationFn<'_, 's>,
    ) -> CircuitResult<()> {
        self.bind_all(binder, &[], false, env, visit)
    }

    /// `each_binding` for several predicates.
    pub fn bind_each(
        &mut self,
        binder: &[LocalId],
        conjuncts: &[PredId],
        env: &Env,
        visit: &mut ValuationFn<'_, 's>,
    ) -> CircuitResult<()> {
        self.bind_all(binder, conjuncts, false, env, visit)
    }

    /// Enumerates valuations of the variables, whose previous values are dropped.
    fn bind_all(
        &mut self,
        binder: &[LocalId],
        conjuncts: &[PredId],
        may_define: bool,
        env: &Env,
        visit: &mut ValuationFn<'_, 's>,
    ) -> CircuitResult<()> {
        for local in binder {
            self.symbols.remove(&Unknown::Local(*local));
        }
        self.bind_next(binder, conjuncts, may_define, env, visit)
    }

    fn bind_next(
        &mut self,
        open: &[LocalId],
        conjuncts: &[PredId],
        may_define: bool,
        env: &Env,
        visit: &mut ValuationFn<'_, 's>,
    ) -> CircuitResult<()> {
        self.tick()?;
        let Some(waiting) = self.waiting(open, conjuncts, env)? else { return Ok(()) };
        if open.is_empty() {
            return visit(self, env);
        }
        if may_define && let Some((env, left)) = self.defined(open, &waiting, env)? {
            return with_stack(|| self.bind_next(&left, &waiting, may_define, &env, visit));
        }
        let candidates = self.best_candidates(open, &waiting, env)?;
        for val in candidates.values {
            let Some((env, left)) = self.matched(candidates.pattern, &val, open.to_vec(), env)? else { continue };
            with_stack(|| self.bind_next(&left, &waiting, may_define, &env, visit))?;
        }
        Ok(())
    }

    /// Binds variables that `x = E` or `x : {E}` defines. The conjunct is kept, for its definedness.
    fn defined(
        &mut self,
        open: &[LocalId],
        conjuncts: &[PredId],
        env: &Env,
    ) -> CircuitResult<Option<(Env, Vec<LocalId>)>> {
        let model = self.session.model();
        for conjunct in conjuncts {
            let Pred::Compare(op, left, right) = model.pred(*conjunct) else { continue };
            let (pattern, value) = match (op, model.expr(*right)) {
                (Comparison::Equal, _) if self.is_pattern(*left, open) => (*left, *right),
                (Comparison::Equal, _) if self.is_pattern(*right, open) => (*right, *left),
                (Comparison::Member, Expr::SetExtension(items)) if items.len() == 1 => (*left, items[0]),
                _ => continue,
            };
            if !self.is_pattern(pattern, open) || self.mentions(value, open) || !self.is_open_expr(value) {
                continue;
            }
            let term = match self.expr(value, env) {
                Ok(term) => term,
                Err(NoCircuit::Unsupported(_)) => continue,
                Err(stop) => return Err(stop),
            };
            let TermKind::Circuit(sym) = term.kind else { continue };
            return self.destructured(pattern, sym, open.to_vec(), env).map(Some);
        }
        Ok(None)
    }

    /// Binds the variables of a pattern to the parts of a circuit value. Returns the variables that are still open.
    fn destructured(
        &mut self,
        pattern: ExprId,
        sym: abridge_blast::CircuitValue,
        mut open: Vec<LocalId>,
        env: &Env,
    ) -> CircuitResult<(Env, Vec<LocalId>)> {
        match self.session.model().expr(pattern) {
            Expr::Local(local) if open.contains(local) => {
                open.retain(|other| other != local);
                Ok((self.bind(*local, &CircuitTerm::sym(sym), env), open))
            }
            Expr::Binary(BinaryOp::Pair, first, second) if self.mentions(pattern, &open) => {
                let (left, right) = self.blast.split(&sym)?;
                let (env, open) = self.destructured(*first, left, open, env)?;
                self.destructured(*second, right, open, &env)
            }
            // The conjunct, which is kept, states the rest.
            _ => Ok((env.clone(), open)),
        }
    }

    /// Conjuncts that are not decided yet; `None` if one of them fails.
    fn waiting(&self, open: &[LocalId], conjuncts: &[PredId], env: &Env) -> CircuitResult<Option<Vec<PredId>>> {
        let mut waiting = Vec::with_capacity(conjuncts.len());
        for conjunct in conjuncts {
            let names = self.session.interp().names_of_pred(*conjunct);
            if self.is_open(&names) || open.iter().any(|local| names.locals.contains(local)) {
                waiting.push(*conjunct);
            } else if self.evaluated(self.session.pred(*conjunct, env))? != Some(true) {
                return Ok(None);
            }
        }
        Ok(Some(waiting))
    }

    fn best_candidates(&mut self, open: &[LocalId], conjuncts: &[PredId], env: &Env) -> CircuitResult<Candidates> {
        let mut best: Option<Candidates> = None;
        for conjunct in conjuncts {
            if let Some(found) = self.candidates_of(*conjunct, open, env)?
                && best.as_ref().is_none_or(|best| found.values.len() < best.values.len())
            {
                best = Some(found);
            }
            if best.as_ref().is_some_and(|best| best.values.len() <= 1) {
                break;
            }
        }
        for local in open {
            let values = if self.session.model().locals[*local].ty == TypeTable::INTEGER {
                self.bounded(*local, open, conjuncts, env)?
            } else if best.is_none() {
                let set = self.session.type_set(self.session.model().locals[*local].ty);
                self.listed(&set, env)?
            } else {
                None
            };
            if let Some(values) = values
                && best.as_ref().is_none_or(|best| values.len() < best.values.len())
            {
                best = Some(Candidates { pattern: BoundPattern::Local(*local), values });
            }
        }
        best.ok_or(NoCircuit::Unsupported("a bound variable without bounds"))
    }

    /// Candidates from an equation, membership or inclusion.
    fn candidates_of(&mut self, conjunct: PredId, open: &[LocalId], env: &Env) -> CircuitResult<Option<Candidates>> {
        let Pred::Compare(op, left, right) = self.session.model().pred(conjunct) else { return Ok(None) };
        match op {
            Comparison::Equal => {
                for (pattern, other) in [(*left, *right), (*right, *left)] {
                    if self.is_pattern(pattern, open) && !self.mentions(other, open) {
                        let term = self.expr(other, env)?;
                        let values = match term.kind {
                            TermKind::Known(val) => Some(vec![val]),
                            TermKind::Circuit(sym) => self.blast.choice(&sym).ok().map(values_of),
                        };
                        return Ok(values.map(|values| Candidates { pattern: BoundPattern::Expr(pattern), values }));
                    }
                }
                Ok(None)
            }
            Comparison::Member if self.is_pattern(*left, open) && !self.mentions(*right, open) => {
                let values = self.elements(*right, env)?;
                Ok(values.map(|values| Candidates { pattern: BoundPattern::Expr(*left), values }))
            }
            _ => Ok(None),
        }
    }

    /// Possible elements of a set, if they can be listed.
    fn elements(&mut self, set: ExprId, env: &Env) -> CircuitResult<Option<Vec<Val>>> {
        let term = match self.expr(set, env) {
            Ok(term) => term,
            Err(NoCircuit::Unsupported(_)) => return Ok(None),
            Err(stop) => return Err(stop),
        };
        match term.kind {
            TermKind::Known(val) => self.listed(&val, env),
            TermKind::Circuit(sym) => Ok(self.blast.members(&sym).ok().map(|members| values_of(members.items))),
        }
    }

    fn listed(&self, set: &Val, env: &Env) -> CircuitResult<Option<Vec<Val>>> {
        match self.session.size(set) {
            Size::AtMost(bound) if bound > MAX_ELEMENTS => return Ok(None),
            Size::Infinite => return Ok(None),
            _ => {}
        }
        let listed = self.session.enumerate(set, env);
        self.check_warnings()?;
        match listed {
            Ok(set) => Ok(Some(set.iter().map(Val::from).collect())),
            Err(error) if error.is_fatal() => Err(NoCircuit::Fatal(error)),
            Err(error) if error.is_ill_defined() => Ok(Some(Vec::new())),
            Err(_) => Ok(None),
        }
    }

    /// Integers between the bounds that inequalities give.
    fn bounded(
        &mut self,
        local: LocalId,
        open: &[LocalId],
        conjuncts: &[PredId],
        env: &Env,
    ) -> CircuitResult<Option<Vec<Val>>> {
        let (mut lo, mut hi): (Option<i64>, Option<i64>) = (None, None);
        for conjunct in conjuncts {
            let Pred::Compare(op, left, right) = self.session.model().pred(*conjunct) else { continue };
            let strictness = match op {
                Comparison::Less => 1,
                Comparison::LessEqual => 0,
                _ => continue,
            };
            if self.is_local(*left, local) && !self.mentions(*right, open) {
                if let Some((_, bound)) = self.int_range(*right, env)? {
                    let bound = bound - strictness;
                    hi = Some(hi.map_or(bound, |hi| hi.min(bound)));
                }
            } else if self.is_local(*right, local)
                && !self.mentions(*left, open)
                && let Some((bound, _)) = self.int_range(*left, env)?
            {
                let bound = bound + strictness;
                lo = Some(lo.map_or(bound, |lo| lo.max(bound)));
            }
        }
        for conjunct in conjuncts {
            let Pred::Compare(Comparison::Member, left, right) = self.session.model().pred(*conjunct) else { continue };
            if self.is_local(*left, local)
                && !self.mentions(*right, open)
                && !self.is_open_expr(*right)
                && let Some(val) = self.evaluated(self.session.expr(*right, env))?
                && let Some(least) = least_of(&val)
            {
                lo = Some(lo.map_or(least, |lo| lo.max(least)));
            }
        }
        let (Some(lo), Some(hi)) = (lo, hi) else { return Ok(None) };
        if hi - lo > MAX_ELEMENTS as i64 {
            return Ok(None);
        }
        let range = Set::interval(Int::from(lo), Int::from(hi));
        Ok(Some(range.iter().map(Val::from).collect()))
    }

    fn int_range(&mut self, id: ExprId, env: &Env) -> CircuitResult<Option<(i64, i64)>> {
        let term = match self.expr(id, env) {
            Ok(term) => term,
            Err(NoCircuit::Unsupported(_)) => return Ok(None),
            Err(stop) => return Err(stop),
        };
        let sym = self.as_sym(&term, env)?;
        Ok(self.blast.int_range(&sym).ok())
    }

    fn is_local(&self, id: ExprId, local: LocalId) -> bool {
        matches!(self.session.model().expr(id), Expr::Local(other) if *other == local)
    }

    fn mentions(&self, id: ExprId, open: &[LocalId]) -> bool {
        let names = self.session.interp().names_of_expr(id);
        open.iter().any(|local| names.locals.contains(local))
    }

    /// Whether an expression consists of pairs, variables and known parts, with at least one open variable.
    fn is_pattern(&self, id: ExprId, open: &[LocalId]) -> bool {
        match self.session.model().expr(id) {
            Expr::Local(local) => open.contains(local),
            Expr::Binary(BinaryOp::Pair, first, second) => {
                let is_part = |part: ExprId| self.is_pattern(part, open) || !self.mentions(part, open);
                self.mentions(id, open) && is_part(*first) && is_part(*second)
            }
            _ => false,
        }
    }

    /// Binds the variables of a pattern to the parts of a value. Returns the variables still open; `None` if the value does not match.
    fn matched(
        &mut self,
        pattern: BoundPattern,
        val: &Val,
        mut open: Vec<LocalId>,
        env: &Env,
    ) -> CircuitResult<Option<(Env, Vec<LocalId>)>> {
        let id = match pattern {
            BoundPattern::Local(local) => {
                open.retain(|other| *other != local);
                return Ok(Some((env.bind(local, val.clone()), open)));
            }
            BoundPattern::Expr(id) => id,
        };
        match self.session.model().expr(id) {
            Expr::Local(local) if open.contains(local) => self.matched(BoundPattern::Local(*local), val, open, env),
            Expr::Binary(BinaryOp::Pair, first, second) if self.mentions(id, &open) => {
                let Ok((left, right)) = val.split() else { return Ok(None) };
                let Some((env, open)) = self.matched(BoundPattern::Expr(*first), &left, open, env)? else {
                    return Ok(None);
                };
                self.matched(BoundPattern::Expr(*second), &right, open, &env)
            }
            // Whether this part matches is not known yet; the conjunct decides it.
            _ if self.is_open_expr(id) || self.mentions(id, &open) => Ok(Some((env.clone(), open))),
            _ => {
                let same = self.session.expr(id, env).and_then(|known| self.session.equal(&known, val, env));
                Ok((self.evaluated(same)? == Some(true)).then(|| (env.clone(), open)))
            }
        }
    }
}

fn values_of(items: Vec<(Value, abridge_blast::Lit)>) -> Vec<Val> {
    items.into_iter().map(|(value, _)| Val::from(value)).collect()
}

/// Least element of a set of integers that has one.
fn least_of(set: &Val) -> Option<i64> {
    use abridge_model::BaseSet;
    match (set.as_sym(), set.as_set()) {
        (Some(SymbolicSet::Base(BaseSet::Natural)), _) => Some(0),
        (Some(SymbolicSet::Base(BaseSet::Natural1)), _) => Some(1),
        (_, Some(set)) => set.first()?.as_int()?.to_i64(),
        _ => None,
    }
}
