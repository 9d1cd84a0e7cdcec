//! Operators on relations and functions: application, restriction, composition, closures, projections.

use abridge_model::{BinaryOp, Expr, ExprId, FreeTypeId, Model, UnaryOp};
use abridge_value::{Int, Set, SetBuilder, Value, relation};

use crate::domain::{Env, ErrorKind, IllDefined, Result, SymbolicSet, Val};
use crate::interp::Session;

/// Keys and values of a function that is written as a set of pairs with distinct literals as keys: an old idiom for a conditional expression.
pub fn cases(model: &Model, function: ExprId) -> Option<Vec<(Value, ExprId)>> {
    let Expr::SetExtension(items) = model.expr(function) else { return None };
    let mut cases: Vec<(Value, ExprId)> = Vec::with_capacity(items.len());
    for item in items {
        let Expr::Binary(BinaryOp::Pair, key, value) = model.expr(*item) else { return None };
        let key = match model.expr(*key) {
            Expr::Bool(flag) => Value::Bool(*flag),
            Expr::Integer(int) => Value::int(Int::from(int.clone())),
            Expr::Element(set, index) => Value::element(set.0, *index),
            Expr::String(text) => Value::string(text.as_str()),
            _ => return None,
        };
        if cases.iter().any(|(other, _)| *other == key) {
            return None;
        }
        cases.push((key, *value));
    }
    Some(cases)
}

impl Session<'_> {
    pub(super) fn identity(&self, val: Val) -> Val {
        match val.as_set() {
            Some(set) if set.len() <= self.config().max_set_size => relation::identity(set).into(),
            _ => SymbolicSet::unary(UnaryOp::Id, val),
        }
    }

    /// `{k1 |-> e1, k2 |-> e2}(x)`: only the chosen value is evaluated.
    pub(super) fn chosen(&self, cases: &[(Value, ExprId)], function: ExprId, arg: ExprId, env: &Env) -> Result<Val> {
        let arg = self.expr(arg, env)?;
        match cases.iter().find(|(key, _)| arg.as_value() == Some(key)) {
            Some((_, value)) => self.expr(*value, env),
            // The argument is outside the domain, or symbolic.
            None => self.apply(&self.expr(function, env)?, &arg, env),
        }
    }

    /// `closure1(r)`
    pub(super) fn closure1(&self, val: Val) -> Result<Val> {
        match val.as_set() {
            Some(set) => Ok(relation::closure1(set, &mut self.meter())?.into()),
            None => Ok(SymbolicSet::unary(UnaryOp::Closure1, val)),
        }
    }

    /// `closure(r)`: with the identity on the whole type.
    pub(super) fn closure(&self, val: Val, id: ExprId) -> Result<Val> {
        let identity = self.identity_on_type(id)?;
        Ok(self.union(&self.closure1(val)?, &identity))
    }

    /// Identity on the type of the domain of a relation.
    fn identity_on_type(&self, id: ExprId) -> Result<Val> {
        let (first, _) = self.relation_type(id)?;
        Ok(self.identity(self.type_set(first)))
    }

    fn relation_type(&self, id: ExprId) -> Result<(abridge_model::TypeId, abridge_model::TypeId)> {
        let found = self.model().types.relation(self.model().ty(id));
        found.ok_or_else(|| ErrorKind::Internal("a relation is expected").into())
    }

    pub(super) fn fnc(&self, val: Val) -> Val {
        match val.as_set() {
            Some(set) => relation::fnc(set).into(),
            None => SymbolicSet::unary(UnaryOp::Fnc, val),
        }
    }

    pub(super) fn rel(&self, val: Val, env: &Env) -> Result<Val> {
        match self.force(&val, env)?.as_set() {
            Some(set) if !relation::is_functional(set) => {
                Err(IllDefined::BadOperand { operator: "rel", operand: set.clone().into() }.into())
            }
            Some(set) => Ok(relation::rel(set, &mut self.meter())?.into()),
            None => Ok(SymbolicSet::unary(UnaryOp::Rel, val)),
        }
    }

    /// `<|`, `<<|`, `|>`, `|>>`
    pub(super) fn restrict(&self, op: BinaryOp, left: Val, right: Val, env: &Env) -> Result<Val> {
        let by_domain = matches!(op, BinaryOp::DomainRestrict | BinaryOp::DomainSubtract);
        let (rel, keys) = if by_domain { (&right, &left) } else { (&left, &right) };
        let Some(pairs) = rel.as_set() else {
            return match left.as_set() {
                Some(keys) if op == BinaryOp::DomainSubtract => self.without(keys, &right, env),
                _ => Ok(SymbolicSet::binary(op, left, right)),
            };
        };
        let keep = matches!(op, BinaryOp::DomainRestrict | BinaryOp::RangeRestrict);
        if let Some(keys) = keys.as_set() {
            return Ok(match (by_domain, keep) {
                (true, true) => relation::domain_restrict(keys, pairs),
                (true, false) => relation::domain_subtract(keys, pairs),
                (false, true) => relation::range_restrict(pairs, keys),
                (false, false) => relation::range_subtract(pairs, keys),
            }
            .into());
        }
        let mut out = SetBuilder::new();
        for pair in pairs {
            let (first, second) = Val::Value(pair.clone()).split()?;
            if self.member(if by_domain { &first } else { &second }, keys, env)? == keep {
                out.push(pair);
            }
        }
        Ok(out.finish().into())
    }

    /// `<+`, `;`, `><`, `||`
    pub(super) fn relations(&self, op: BinaryOp, left: Val, right: Val, env: &Env) -> Result<Val> {
        if op == BinaryOp::Override && left.is_empty_set() {
            return Ok(right);
        }
        if op == BinaryOp::Override && right.is_empty_set() {
            return Ok(left);
        }
        let (Some(a), Some(b)) = (left.as_set(), right.as_set()) else {
            return match right.as_set() {
                Some(changes) if op == BinaryOp::Override => self.changed(&left, changes, env),
                _ => Ok(SymbolicSet::binary(op, left, right)),
            };
        };
        Ok(match op {
            BinaryOp::Override => relation::override_with(a, b).into(),
            BinaryOp::Compose => relation::compose(a, b, &mut self.meter())?.into(),
            BinaryOp::DirectProduct => relation::direct_product(a, b, &mut self.meter())?.into(),
            _ if a.len().saturating_mul(b.len()) > self.config().max_set_size => SymbolicSet::binary(op, left, right),
            _ => relation::parallel_product(a, b, &mut self.meter())?.into(),
        })
    }

    /// `iterate(r, n)`
    pub(super) fn iterate(&self, r: Val, n: &Val, id: ExprId) -> Result<Val> {
        let count = n.int()?;
        if count.is_negative() {
            return Err(IllDefined::OutOfRange { operator: "iterate", operand: n.clone() }.into());
        }
        if count.is_zero() {
            return self.identity_on_type(id);
        }
        let Some(set) = r.as_set() else { return Ok(SymbolicSet::binary(BinaryOp::Iterate, r, n.clone())) };
        let mut power: Set = set.clone();
        let mut done = Int::ONE;
        while done < count && !power.is_empty() {
            self.tick()?;
            power = relation::compose(&power, set, &mut self.meter())?;
            done = &done + &Int::ONE;
        }
        Ok(power.into())
    }

    /// `@prj1`, `@prj2`
    pub(super) fn projection(&self, op: BinaryOp, id: ExprId) -> Result<Val> {
        let (pair, _) = self.relation_type(id)?;
        match self.model().types.get(pair) {
            abridge_model::Type::Pair(first, second) => {
                Ok(SymbolicSet::binary(op, self.type_set(*first), self.type_set(*second)))
            }
            _ => Err(ErrorKind::Internal("a projection is on pairs").into()),
        }
    }

    pub(super) fn constructor(&self, id: FreeTypeId, constructor: u32) -> Val {
        match self.model().free_types[id].constructors[constructor as usize].arg {
            Some(_) => SymbolicSet::Constructor(id, constructor).into(),
            None => Value::free(id.0, constructor, None).into(),
        }
    }
}
