//! Domain, range and inverse of symbolic relations by form, so that an infinite relation can have a concrete domain.

use abridge_model::{BaseSet, BinaryOp, Comparison, Expr, LocalId, Pred, QuantifiedOp, UnaryOp};
use abridge_value::{Set, relation};

use crate::domain::{Closure, Env, Result, SymbolicSet, Val};
use crate::interp::Session;

impl Session<'_> {
    pub fn dom(&self, r: &Val, env: &Env) -> Result<Val> {
        abridge_diag::with_stack(|| self.dom_inner(r, env))
    }

    fn dom_inner(&self, r: &Val, env: &Env) -> Result<Val> {
        if let Some(set) = r.as_set() {
            return Ok(relation::dom(set).into());
        }
        match r.as_sym() {
            Some(SymbolicSet::Unary(UnaryOp::Id, set)) => Ok(set.clone()),
            Some(SymbolicSet::Unary(UnaryOp::Inverse, inner)) => self.ran(inner, env),
            Some(SymbolicSet::Unary(UnaryOp::Closure1 | UnaryOp::Fnc, inner)) => self.dom(inner, env),
            Some(SymbolicSet::Binary(op, left, right)) => self.binary_dom(*op, left, right, r, env),
            Some(SymbolicSet::Closure(closure)) => match self.plain_domain(closure, env)? {
                Some(set) => Ok(set),
                None => Ok(SymbolicSet::unary(UnaryOp::Dom, r.clone())),
            },
            Some(SymbolicSet::Partial(partial)) if partial.is_function && partial.is_total => {
                Ok(relation::dom(&partial.decided).union(&partial.open).into())
            }
            Some(SymbolicSet::Successor | SymbolicSet::Predecessor) => Ok(SymbolicSet::Base(BaseSet::Integer).into()),
            Some(SymbolicSet::Constructor(id, constructor)) => self.constructor_domain(*id, *constructor, env),
            _ => Ok(SymbolicSet::unary(UnaryOp::Dom, r.clone())),
        }
    }

    fn binary_dom(&self, op: BinaryOp, left: &Val, right: &Val, r: &Val, env: &Env) -> Result<Val> {
        match op {
            BinaryOp::Cartesian if self.is_empty(right, env)? => Ok(Set::EMPTY.into()),
            BinaryOp::Cartesian => Ok(left.clone()),
            BinaryOp::Prj1 | BinaryOp::Prj2 => Ok(self.cartesian(left, right)),
            BinaryOp::Union | BinaryOp::Override => Ok(self.union(&self.dom(left, env)?, &self.dom(right, env)?)),
            BinaryOp::DomainRestrict => Ok(self.intersection(left, &self.dom(right, env)?)),
            BinaryOp::DomainSubtract => Ok(self.difference(&self.dom(right, env)?, left)),
            BinaryOp::DirectProduct => Ok(self.intersection(&self.dom(left, env)?, &self.dom(right, env)?)),
            BinaryOp::ParallelProduct => Ok(self.cartesian(&self.dom(left, env)?, &self.dom(right, env)?)),
            _ => Ok(SymbolicSet::unary(UnaryOp::Dom, r.clone())),
        }
    }

    pub fn ran(&self, r: &Val, env: &Env) -> Result<Val> {
        if let Some(set) = r.as_set() {
            return Ok(relation::ran(set).into());
        }
        let inverse = self.inverse(r, env)?;
        match inverse.as_sym() {
            // The inverse has no simpler form.
            Some(SymbolicSet::Unary(UnaryOp::Inverse, _)) => Ok(SymbolicSet::unary(UnaryOp::Ran, r.clone())),
            _ => self.dom(&inverse, env),
        }
    }

    /// Inverse of a relation, pushed down to its operands.
    pub fn inverse(&self, r: &Val, env: &Env) -> Result<Val> {
        abridge_diag::with_stack(|| self.inverse_inner(r, env))
    }

    fn inverse_inner(&self, r: &Val, env: &Env) -> Result<Val> {
        if let Some(set) = r.as_set() {
            return Ok(relation::inverse(set).into());
        }
        let both = |op: BinaryOp, left: &Val, right: &Val| -> Result<Val> {
            Ok(SymbolicSet::binary(op, self.inverse(left, env)?, self.inverse(right, env)?))
        };
        match r.as_sym() {
            Some(SymbolicSet::Unary(UnaryOp::Inverse, inner)) => Ok(inner.clone()),
            Some(SymbolicSet::Unary(UnaryOp::Id, _)) => Ok(r.clone()),
            Some(SymbolicSet::Unary(UnaryOp::Closure1, inner)) => {
                Ok(SymbolicSet::unary(UnaryOp::Closure1, self.inverse(inner, env)?))
            }
            Some(SymbolicSet::Successor) => Ok(SymbolicSet::Predecessor.into()),
            Some(SymbolicSet::Predecessor) => Ok(SymbolicSet::Successor.into()),
            Some(SymbolicSet::Binary(op, left, right)) => match op {
                BinaryOp::Cartesian => Ok(SymbolicSet::binary(BinaryOp::Cartesian, right.clone(), left.clone())),
                BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference | BinaryOp::ParallelProduct => {
                    both(*op, left, right)
                }
                BinaryOp::Compose => both(BinaryOp::Compose, right, left),
                BinaryOp::DomainRestrict => {
                    Ok(SymbolicSet::binary(BinaryOp::RangeRestrict, self.inverse(right, env)?, left.clone()))
                }
                BinaryOp::DomainSubtract => {
                    Ok(SymbolicSet::binary(BinaryOp::RangeSubtract, self.inverse(right, env)?, left.clone()))
                }
                BinaryOp::RangeRestrict => {
                    Ok(SymbolicSet::binary(BinaryOp::DomainRestrict, right.clone(), self.inverse(left, env)?))
                }
                BinaryOp::RangeSubtract => {
                    Ok(SymbolicSet::binary(BinaryOp::DomainSubtract, right.clone(), self.inverse(left, env)?))
                }
                BinaryOp::Iterate => {
                    Ok(SymbolicSet::binary(BinaryOp::Iterate, self.inverse(left, env)?, right.clone()))
                }
                BinaryOp::Override => {
                    let kept = SymbolicSet::binary(BinaryOp::DomainSubtract, self.dom(right, env)?, left.clone());
                    both(BinaryOp::Union, &kept, right)
                }
                _ => Ok(SymbolicSet::unary(UnaryOp::Inverse, r.clone())),
            },
            _ => Ok(SymbolicSet::unary(UnaryOp::Inverse, r.clone())),
        }
    }

    /// Domain of `%x,y.(x : S & y : T | E)`, whose predicate only gives each variable a set.
    fn plain_domain(&self, closure: &Closure, env: &Env) -> Result<Option<Val>> {
        let model = self.model();
        let Expr::Quantified { op: QuantifiedOp::Lambda, binder, pred, .. } = model.expr(closure.expr) else {
            return Ok(None);
        };
        let conjuncts = self.interp.conjuncts(*pred);
        let env = env.enter(&closure.scope);
        let mut product: Option<Val> = None;
        if conjuncts.len() != binder.len() {
            return Ok(None);
        }
        for local in binder {
            let member = conjuncts.iter().find_map(|conjunct| match model.pred(*conjunct) {
                Pred::Compare(Comparison::Member, left, set) if self.is_local(*left, *local) => Some(*set),
                _ => None,
            });
            let Some(set) = member else { return Ok(None) };
            let names = self.interp.names_of_expr(set);
            if binder.iter().any(|local| names.locals.contains(local)) {
                return Ok(None);
            }
            let set = self.expr(set, &env)?;
            product = Some(match product {
                Some(left) => self.cartesian(&left, &set),
                None => set,
            });
        }
        Ok(product)
    }

    fn is_local(&self, expr: abridge_model::ExprId, local: LocalId) -> bool {
        matches!(self.model().expr(expr), Expr::Local(found) if *found == local)
    }

    /// Set of arguments of a constructor of a freetype.
    pub fn constructor_domain(&self, id: abridge_model::FreeTypeId, constructor: u32, env: &Env) -> Result<Val> {
        let constructor = &self.model().free_types[id].constructors[constructor as usize];
        match constructor.arg {
            Some((set, _)) => self.expr(set, &env.without_locals()),
            None => Ok(Set::EMPTY.into()),
        }
    }

    /// Whether a relation is functional by form, without listing its pairs.
    pub fn is_surely_functional(&self, r: &Val) -> bool {
        if let Some(set) = r.as_set() {
            return relation::is_functional(set);
        }
        abridge_diag::with_stack(|| match r.as_sym() {
            Some(SymbolicSet::Successor | SymbolicSet::Predecessor | SymbolicSet::Constructor(..)) => true,
            Some(SymbolicSet::Partial(partial)) => partial.is_function,
            Some(SymbolicSet::Unary(UnaryOp::Id | UnaryOp::Fnc, _)) => true,
            Some(SymbolicSet::Unary(UnaryOp::Inverse, inner)) => {
                matches!(inner.as_sym(), Some(SymbolicSet::Constructor(..)))
            }
            Some(SymbolicSet::Closure(closure)) => {
                matches!(self.model().expr(closure.expr), Expr::Quantified { op: QuantifiedOp::Lambda, .. })
            }
            Some(SymbolicSet::Binary(op, left, right)) => match op {
                BinaryOp::Prj1 | BinaryOp::Prj2 => true,
                BinaryOp::DomainRestrict | BinaryOp::DomainSubtract => self.is_surely_functional(right),
                BinaryOp::RangeRestrict | BinaryOp::RangeSubtract | BinaryOp::Difference => {
                    self.is_surely_functional(left)
                }
                BinaryOp::Intersection => self.is_surely_functional(left) || self.is_surely_functional(right),
                BinaryOp::Override | BinaryOp::Compose | BinaryOp::DirectProduct | BinaryOp::ParallelProduct => {
                    self.is_surely_functional(left) && self.is_surely_functional(right)
                }
                BinaryOp::Iterate => self.is_surely_functional(left),
                _ => false,
            },
            _ => false,
        })
    }
}
