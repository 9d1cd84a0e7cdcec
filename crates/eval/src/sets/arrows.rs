//! Membership in sets of relations, functions and sequences, and their elements.

use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_model::{Arrow, UnaryOp};
use abridge_value::{Int, Set, Value, relation, sequence};

use super::iterate::ElementFn;
use crate::domain::{Env, ErrorKind, Result, SymbolicSet, Val};
use crate::interp::{Session, Warning};

impl Session<'_> {
    /// `f : from --> to` and the other arrows.
    pub(super) fn in_arrow(&self, f: &Val, arrow: Arrow, from: &Val, to: &Val, env: &Env) -> Result<bool> {
        if let Some(set) = identity_on(f) {
            return self.identity_in_arrow(set, arrow, from, to, env);
        }
        let f = self.force(f, env)?;
        match f.as_set() {
            Some(pairs) => self.finite_in_arrow(pairs, arrow, from, to, env),
            None => self.infinite_in_arrow(&f, arrow, from, to, env),
        }
    }

    fn finite_in_arrow(&self, pairs: &Set, arrow: Arrow, from: &Val, to: &Val, env: &Env) -> Result<bool> {
        if arrow.functional && !relation::is_functional(pairs) || arrow.injective && !relation::is_injective(pairs) {
            return Ok(false);
        }
        let (dom, ran) = (relation::dom(pairs).into(), relation::ran(pairs).into());
        let fits = |part: &Val, whole: &Val, all: bool| {
            if all { self.equal(part, whole, env) } else { self.subset(part, whole, env) }
        };
        Ok(fits(&dom, from, arrow.total)? && fits(&ran, to, arrow.surjective)?)
    }

    /// `id(set) : from --> to` and the other arrows: the set is domain and range.
    fn identity_in_arrow(&self, set: &Val, arrow: Arrow, from: &Val, to: &Val, env: &Env) -> Result<bool> {
        let fits = |whole: &Val, all: bool| {
            self.trusted(if all { self.equal(set, whole, env) } else { self.subset(set, whole, env) })
        };
        Ok(fits(from, arrow.total)? && fits(to, arrow.surjective)?)
    }

    /// Membership of an infinite relation. If it cannot be decided it is assumed, if so configured: infinite functions are usually typed by
    /// definition.
    fn infinite_in_arrow(&self, f: &Val, arrow: Arrow, from: &Val, to: &Val, env: &Env) -> Result<bool> {
        if arrow == Arrow::RELATION {
            return self.trusted(self.subset(f, &self.cartesian(from, to), env));
        }
        let dom = self.dom(f, env)?;
        let in_dom = if arrow.total { self.equal(&dom, from, env) } else { self.subset(&dom, from, env) };
        if !self.trusted(in_dom)? {
            return Ok(false);
        }
        let ran = self.ran(f, env)?;
        let in_ran = if arrow.surjective { self.equal(&ran, to, env) } else { self.subset(&ran, to, env) };
        if !self.trusted(in_ran)? {
            return Ok(false);
        }
        let undecided = || Err(ErrorKind::Undecided("whether an infinite relation is a function".into()).into());
        if arrow.functional && !self.is_surely_functional(f) && !self.trusted(undecided())? {
            return Ok(false);
        }
        let undecided = || Err(ErrorKind::Undecided("whether an infinite function is injective".into()).into());
        if arrow.injective
            && !matches!(
                f.as_sym(),
                Some(SymbolicSet::Successor | SymbolicSet::Predecessor | SymbolicSet::Unary(UnaryOp::Id, _))
            )
        {
            return self.trusted(undecided());
        }
        Ok(true)
    }

    fn trusted(&self, answer: Result<bool>) -> Result<bool> {
        match answer {
            Err(error) if self.config().trust_infinite_functions && is_undecided(error.kind()) => {
                self.warn(Warning::Unchecked { span: error.span() });
                Ok(true)
            }
            answer => answer,
        }
    }

    /// Enumerates the relations or functions of a kind, choosing values for one domain element after the other.
    pub(super) fn each_arrow(
        &self,
        arrow: Arrow,
        from: &Val,
        to: &Val,
        env: &Env,
        visit: &mut ElementFn<'_>,
    ) -> Result<ControlFlow<()>> {
        let from = self.elements(from, env)?;
        if from.is_empty() && arrow.surjective && !self.is_empty(to, env)? {
            return Ok(ControlFlow::Continue(()));
        }
        let to = if from.is_empty() { Vec::new() } else { self.elements(to, env)? };
        let too_many = arrow.functional && arrow.total && arrow.injective && from.len() > to.len();
        let too_few = arrow.functional && arrow.surjective && from.len() < to.len();
        if too_many || too_few {
            return Ok(ControlFlow::Continue(()));
        }
        let mut choice = ArrowChoice {
            session: self,
            arrow,
            from: &from,
            to: &to,
            uses: vec![0; to.len()],
            pairs: Vec::new(),
            visit,
        };
        if arrow.functional { choice.function(0) } else { choice.relation(0, 0, false) }
    }

    /// `x : seq(base)` and the other sets of sequences.
    pub(super) fn in_sequences(&self, x: &Val, op: UnaryOp, base: &Val, env: &Env) -> Result<bool> {
        if let Some((val, set)) = identity_on(x).and_then(|val| Some((val, val.as_set()?))) {
            let is_sequence = *set == Set::interval(Int::ONE, set.card());
            let is_allowed = !set.is_empty() || !matches!(op, UnaryOp::Seq1 | UnaryOp::Iseq1);
            let arrow = Arrow { surjective: op == UnaryOp::Perm, ..Arrow::TOTAL };
            return Ok(is_sequence && is_allowed && self.identity_in_arrow(val, arrow, val, base, env)?);
        }
        let x = self.force(x, env)?;
        let listed;
        let set = match x.as_set() {
            Some(set) => set,
            // Sequences are finite. A finite set that stays symbolic is a long one.
            None if self.is_infinite(&self.dom(&x, env)?, env)? == Some(true) => return Ok(false),
            None if !self.is_finite(&x, env)? => return Ok(false),
            None => {
                listed = self.enumerate(&x, env)?;
                &listed
            }
        };
        let Some(items) = sequence::items(set) else { return Ok(false) };
        let is_injective = || relation::is_injective(set);
        let fits = match op {
            UnaryOp::Seq1 => !items.is_empty(),
            UnaryOp::Iseq => is_injective(),
            UnaryOp::Iseq1 => !items.is_empty() && is_injective(),
            UnaryOp::Perm => return Ok(is_injective() && self.equal(&relation::ran(set).into(), base, env)?),
            _ => true,
        };
        Ok(fits && self.subset(&relation::ran(set).into(), base, env)?)
    }

    pub(super) fn each_sequence(
        &self,
        op: UnaryOp,
        base: &Val,
        env: &Env,
        visit: &mut ElementFn<'_>,
    ) -> Result<ControlFlow<()>> {
        if matches!(op, UnaryOp::Seq | UnaryOp::Seq1) {
            if !self.is_empty(base, env)? {
                return Err(ErrorKind::InfiniteSet(SymbolicSet::unary(op, base.clone())).into());
            }
            return if op == UnaryOp::Seq { visit(Set::EMPTY.into()) } else { Ok(ControlFlow::Continue(())) };
        }
        let base = self.elements(base, env)?;
        self.arrangements(op, &base, &mut vec![false; base.len()], &mut Vec::new(), visit)
    }

    fn arrangements(
        &self,
        op: UnaryOp,
        base: &[Value],
        used: &mut [bool],
        items: &mut Vec<Value>,
        visit: &mut ElementFn<'_>,
    ) -> Result<ControlFlow<()>> {
        self.tick()?;
        let wanted = match op {
            UnaryOp::Perm => items.len() == base.len(),
            UnaryOp::Iseq1 => !items.is_empty(),
            _ => true,
        };
        if wanted && visit(sequence::from_items(items.iter().cloned()).into())?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        for idx in 0..base.len() {
            if used[idx] {
                continue;
            }
            used[idx] = true;
            items.push(base[idx].clone());
            let flow = with_stack(|| self.arrangements(op, base, used, items, visit))?;
            items.pop();
            used[idx] = false;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn is_undecided(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Undecided(_) | ErrorKind::InfiniteSet(_) | ErrorKind::Unbounded(..) | ErrorKind::SetTooLarge { .. }
    )
}

/// The set whose identity a relation is by form.
fn identity_on(relation: &Val) -> Option<&Val> {
    match relation.as_sym()? {
        SymbolicSet::Unary(UnaryOp::Id, set) => Some(set),
        _ => None,
    }
}

/// Relation under construction: pairs so far, ascending, and the number of uses of each target.
struct ArrowChoice<'a, 's, 'v> {
    session: &'a Session<'s>,
    arrow: Arrow,
    from: &'a [Value],
    to: &'a [Value],
    uses: Vec<u32>,
    pairs: Vec<Value>,
    visit: &'a mut ElementFn<'v>,
}

impl ArrowChoice<'_, '_, '_> {
    fn finish(&mut self) -> Result<ControlFlow<()>> {
        (self.visit)(Set::from_sorted(self.pairs.clone()).into())
    }

    fn is_covered(&self) -> bool {
        self.uses.iter().all(|uses| *uses > 0)
    }

    /// Chooses values for the domain elements from `idx` on.
    fn function(&mut self, idx: usize) -> Result<ControlFlow<()>> {
        self.session.tick()?;
        let left = self.from.len() - idx;
        if self.arrow.surjective && self.uses.iter().filter(|uses| **uses == 0).count() > left {
            return Ok(ControlFlow::Continue(()));
        }
        if left == 0 {
            return self.finish();
        }
        if !self.arrow.total && with_stack(|| self.function(idx + 1))?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        for target in 0..self.to.len() {
            if self.arrow.injective && self.uses[target] > 0 {
                continue;
            }
            self.push(idx, target);
            let flow = with_stack(|| self.function(idx + 1))?;
            self.pop(target);
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Decides one pair after the other, row by row.
    fn relation(&mut self, idx: usize, target: usize, row_used: bool) -> Result<ControlFlow<()>> {
        self.session.tick()?;
        if idx == self.from.len() {
            let fits = !self.arrow.surjective || self.is_covered();
            return if fits { self.finish() } else { Ok(ControlFlow::Continue(())) };
        }
        if target == self.to.len() {
            let fits = !self.arrow.total || row_used;
            return if fits { with_stack(|| self.relation(idx + 1, 0, false)) } else { Ok(ControlFlow::Continue(())) };
        }
        if with_stack(|| self.relation(idx, target + 1, row_used))?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.push(idx, target);
        let flow = with_stack(|| self.relation(idx, target + 1, true));
        self.pop(target);
        flow
    }

    fn push(&mut self, idx: usize, target: usize) {
        self.pairs.push(Value::pair(self.from[idx].clone(), self.to[target].clone()));
        self.uses[target] += 1;
    }

    fn pop(&mut self, target: usize) {
        self.pairs.pop();
        self.uses[target] -= 1;
    }
}
