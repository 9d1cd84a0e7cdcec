//! Circuits of expressions. An expression without unknowns is evaluated; one without a circuit is [`NoCircuit::Unsupported`].

use abridge_blast::{CircuitValue, Entry, Lit, Side};
use abridge_diag::with_stack;
use abridge_eval::{Env, Unknown, Val};
use abridge_model::{BinaryOp, Expr, ExprId, LocalId, PredId, QuantifiedOp, UnaryOp};
use abridge_value::{Int, Set, Value};

use super::{CircuitEncoder, CircuitResult, CircuitTerm, NoCircuit, TermKind};

/// Largest number of pairs of values for which an operator is tabulated.
const MAX_PAIRS: usize = 4096;

impl<'s> CircuitEncoder<'s> {
    pub fn expr(&mut self, id: ExprId, env: &Env) -> CircuitResult<CircuitTerm> {
        self.tick()?;
        let names = self.session.interp().names_of_expr(id);
        if !self.is_open(&names) {
            let val = self.evaluated(self.session.expr(id, env))?;
            return Ok(val.map_or_else(CircuitTerm::undefined, CircuitTerm::known));
        }
        if names.locals.iter().any(|local| self.lets.contains(local)) {
            return with_stack(|| self.open_expr(id, env));
        }
        let key = (id, names.locals.iter().map(|local| env.local(*local).cloned()).collect::<Vec<_>>());
        if let Some(term) = self.cache.get(&key) {
            return Ok(term.clone());
        }
        let term = with_stack(|| self.open_expr(id, env))?;
        self.cache.insert(key, term.clone());
        Ok(term)
    }

    /// Circuit value of an expression, with the condition that it is defined.
    fn sym(&mut self, id: ExprId, env: &Env) -> CircuitResult<(CircuitValue, Lit)> {
        let term = self.expr(id, env)?;
        Ok((self.as_sym(&term, env)?, term.defined))
    }

    fn open_expr(&mut self, id: ExprId, env: &Env) -> CircuitResult<CircuitTerm> {
        let model = self.session.model();
        match model.expr(id) {
            Expr::Constant(constant) => self.symbol_term(Unknown::Constant(*constant)),
            Expr::Local(local) => self.symbol_term(Unknown::Local(*local)),
            Expr::Variable(variable) => {
                let sym = self.variable(*variable).ok_or(NoCircuit::Unsupported("a variable"))?;
                Ok(CircuitTerm::sym(sym.clone()))
            }
            Expr::Unary(op, operand) => self.unary(*op, *operand, id, env),
            Expr::Binary(op, left, right) => self.binary(*op, *left, *right, env),
            Expr::SetExtension(items) => {
                let (items, defined) = self.syms(items, env)?;
                let items: Vec<(Lit, CircuitValue)> = items.into_iter().map(|item| (Lit::TRUE, item)).collect();
                Ok(CircuitTerm { kind: TermKind::Circuit(self.blast.extension(&items)?), defined })
            }
            Expr::SequenceExtension(items) => {
                let (items, defined) = self.syms(items, env)?;
                Ok(CircuitTerm { kind: TermKind::Circuit(self.blast.sequence(&items)?), defined })
            }
            Expr::Record(fields) => {
                let (fields, defined) = self.syms(fields, env)?;
                Ok(CircuitTerm {
                    kind: TermKind::Circuit(CircuitValue::Record(model.ty(id).0, fields.into())),
                    defined,
                })
            }
            Expr::Field(record, field) => {
                let (record, defined) = self.sym(*record, env)?;
                Ok(CircuitTerm { kind: TermKind::Circuit(self.blast.field(&record, *field as usize)?), defined })
            }
            Expr::WithField(record, field, value) => {
                let ((record, is_record), (value, is_value)) = (self.sym(*record, env)?, self.sym(*value, env)?);
                let abridge_model::Type::Record(names) = model.types.get(model.ty(id)) else {
                    return Err(NoCircuit::Unsupported("a record"));
                };
                let mut fields = Vec::with_capacity(names.len());
                for idx in 0..names.len() {
                    let is_new = idx == *field as usize;
                    fields.push(if is_new { value.clone() } else { self.blast.field(&record, idx)? });
                }
                let defined = self.and(is_record, is_value);
                Ok(CircuitTerm {
                    kind: TermKind::Circuit(CircuitValue::Record(model.ty(id).0, fields.into())),
                    defined,
                })
            }
            Expr::If(condition, then, otherwise) => {
                let condition = self.pred(*condition, env)?;
                let ((a, a_defined), (b, b_defined)) = (self.sym(*then, env)?, self.sym(*otherwise, env)?);
                let (yes, no) = (self.and(condition.holds, a_defined), self.and(condition.fails, b_defined));
                let sym = self.blast.ite(condition.holds, &a, &b)?;
                Ok(CircuitTerm { kind: TermKind::Circuit(sym), defined: self.any([yes, no]) })
            }
            Expr::Let { bindings, body } => {
                let (env, defined) = self.bind_let(bindings, env)?;
                let body = self.expr(*body, &env)?;
                Ok(CircuitTerm { kind: body.kind, defined: self.and(defined, body.defined) })
            }
            Expr::BoolOf(pred) => {
                let truth = self.pred(*pred, env)?;
                let kind = TermKind::Circuit(CircuitValue::Bool(truth.holds));
                Ok(CircuitTerm { kind, defined: self.any([truth.holds, truth.fails]) })
            }
            Expr::Comprehension { binder, pred, .. } => self.comprehension(binder, *pred, env),
            Expr::SetImage { binder, pred, expr } => {
                let (items, defined) = self.collected(binder, *pred, *expr, env)?;
                Ok(CircuitTerm { kind: TermKind::Circuit(self.blast.extension(&items)?), defined })
            }
            Expr::Quantified { op, binder, pred, expr, .. } => self.quantified(*op, binder, *pred, *expr, env),
            _ => Err(NoCircuit::Unsupported("an expression")),
        }
    }

    fn comprehension(&mut self, binder: &[LocalId], pred: PredId, env: &Env) -> CircuitResult<CircuitTerm> {
        let mut items = Vec::new();
        self.each_value(binder, pred, env, &mut |encoder, env| {
            let holds = encoder.pred(pred, env)?.holds;
            if holds != Lit::FALSE {
                let tuple = encoder.session.tuple(env, binder);
                let item = encoder.evaluated(tuple.and_then(|val| encoder.session.finite(&val, env)))?;
                items.extend(item.map(|item| (item, holds)));
            }
            Ok(())
        })?;
        items.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(CircuitTerm::sym(CircuitValue::set(items)))
    }

    pub(crate) fn local(&self, local: LocalId, env: &Env) -> CircuitResult<CircuitTerm> {
        if self.symbols.contains_key(&Unknown::Local(local)) {
            return self.symbol_term(Unknown::Local(local));
        }
        let val = self.evaluated(self.session.local(local, env))?;
        Ok(val.map_or_else(CircuitTerm::undefined, CircuitTerm::known))
    }

    fn symbol_term(&self, unknown: Unknown) -> CircuitResult<CircuitTerm> {
        let sym = self.symbols.get(&unknown).ok_or(NoCircuit::Unsupported("an unknown"))?;
        Ok(CircuitTerm::sym(sym.clone()))
    }

    fn syms(&mut self, ids: &[ExprId], env: &Env) -> CircuitResult<(Vec<CircuitValue>, Lit)> {
        let mut syms = Vec::with_capacity(ids.len());
        let mut defined = Vec::with_capacity(ids.len());
        for id in ids {
            let (sym, is_defined) = self.sym(*id, env)?;
            syms.push(sym);
            defined.push(is_defined);
        }
        Ok((syms, self.all(defined)))
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, id: ExprId, env: &Env) -> CircuitResult<CircuitTerm> {
        use UnaryOp as U;
        let (val, defined) = self.sym(operand, env)?;
        let blast = &mut self.blast;
        let (sym, is_there) = match op {
            U::Negate => (blast.subtract(&int(0), &val)?, Lit::TRUE),
            U::Max => blast.extremum(&val, true)?,
            U::Min => blast.extremum(&val, false)?,
            U::Card => (blast.cardinality(&val)?, Lit::TRUE),
            U::GeneralUnion => (blast.general_union(&val)?, Lit::TRUE),
            U::GeneralInter => blast.general_inter(&val)?,
            U::First => (blast.split(&val)?.0, Lit::TRUE),
            U::Second => (blast.split(&val)?.1, Lit::TRUE),
            U::Dom => (blast.dom(&val)?, Lit::TRUE),
            U::Ran => (blast.ran(&val)?, Lit::TRUE),
            U::Inverse => (blast.inverse(&val)?, Lit::TRUE),
            U::Id => (blast.identity(&val)?, Lit::TRUE),
            U::Closure1 => (blast.closure1(&val)?, Lit::TRUE),
            U::Closure => {
                let path = blast.closure1(&val)?;
                let model = self.session.model();
                let (point, _) = model.types.relation(model.ty(id)).ok_or(NoCircuit::Unsupported("a relation"))?;
                let points = self.sym_of(&self.session.type_set(point), env)?;
                let stay = self.blast.identity(&points)?;
                (self.blast.union(&stay, &path)?, Lit::TRUE)
            }
            U::Size => {
                let is_sequence = self.is_sequence(&val)?;
                (self.blast.cardinality(&val)?, is_sequence)
            }
            U::SeqFirst | U::SeqLast => {
                let position = if op == U::SeqFirst { int(1) } else { self.blast.cardinality(&val)? };
                let (item, is_there) = self.blast.apply(&val, &position)?;
                let is_sequence = self.is_sequence(&val)?;
                (item, self.and(is_there, is_sequence))
            }
            _ => return Err(NoCircuit::Unsupported("an operator")),
        };
        Ok(CircuitTerm { kind: TermKind::Circuit(sym), defined: self.and(defined, is_there) })
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, env: &Env) -> CircuitResult<CircuitTerm> {
        use BinaryOp as B;
        let (a, b) = (self.expr(left, env)?, self.expr(right, env)?);
        let defined = self.and(a.defined, b.defined);
        let (sym, is_there) = match op {
            B::Apply => self.apply(&a, &b, env)?,
            B::Divide | B::Modulo | B::Power => self.integers(op, &a, &b, env)?,
            B::Image => (self.image(&a, &b, env)?, Lit::TRUE),
            B::Intersection | B::Difference => (self.filtered(op, &a, &b, env)?, Lit::TRUE),
            B::DomainRestrict => (self.restricted(&b, &a, Side::First, true, env)?, Lit::TRUE),
            B::DomainSubtract => (self.restricted(&b, &a, Side::First, false, env)?, Lit::TRUE),
            B::RangeRestrict => (self.restricted(&a, &b, Side::Second, true, env)?, Lit::TRUE),
            B::RangeSubtract => (self.restricted(&a, &b, Side::Second, false, env)?, Lit::TRUE),
            _ => {
                let (a, b) = (self.as_sym(&a, env)?, self.as_sym(&b, env)?);
                (self.regular(op, &a, &b)?, Lit::TRUE)
            }
        };
        Ok(CircuitTerm { kind: TermKind::Circuit(sym), defined: self.and(defined, is_there) })
    }

    /// Operators on two circuit values.
    fn regular(&mut self, op: BinaryOp, a: &CircuitValue, b: &CircuitValue) -> CircuitResult<CircuitValue> {
        use BinaryOp as B;
        let blast = &mut self.blast;
        Ok(match op {
            B::Add => blast.add(a, b)?,
            B::Subtract => blast.subtract(a, b)?,
            B::Multiply => blast.multiply(a, b)?,
            B::Pair => CircuitValue::pair(a.clone(), b.clone()),
            B::Union => blast.union(a, b)?,
            B::Cartesian => blast.cartesian(a, b)?,
            B::Override => blast.override_with(a, b)?,
            B::Compose => blast.compose(a, b)?,
            B::Interval => {
                let ((lo, _), (_, hi)) = (blast.int_range(a)?, blast.int_range(b)?);
                if hi.saturating_sub(lo) > super::MAX_ELEMENTS as i64 {
                    return Err(NoCircuit::Unsupported("a large interval"));
                }
                let mut items = Vec::new();
                for item in lo..=hi {
                    let item = int(item);
                    let (below, above) = (blast.less(&item, a)?, blast.less(b, &item)?);
                    let inside = blast.circuit.and(!below, !above);
                    items.extend(blast.choice(&item)?.into_iter().map(|(value, _)| (value, inside)));
                }
                CircuitValue::set(items)
            }
            _ => return Err(NoCircuit::Unsupported("an operator")),
        })
    }

    fn apply(&mut self, function: &CircuitTerm, arg: &CircuitTerm, env: &Env) -> CircuitResult<(CircuitValue, Lit)> {
        let TermKind::Known(known) = &function.kind else {
            let (function, arg) = (self.as_sym(function, env)?, self.as_sym(arg, env)?);
            return Ok(self.blast.apply(&function, &arg)?);
        };
        let arg = self.as_sym(arg, env)?;
        match self.blast.choice(&arg) {
            Ok(choice) => {
                let mut cases = Vec::with_capacity(choice.len());
                for (value, lit) in choice {
                    let result = self.session.apply(known, &value.into(), env);
                    if let Some(result) = self.evaluated(result)? {
                        cases.push((lit, self.sym_of(&result, env)?));
                    }
                }
                let defined = self.any(cases.iter().map(|(lit, _)| *lit));
                Ok((self.blast.select(&cases)?, defined))
            }
            Err(_) => {
                let function = self.sym_of(known, env)?;
                Ok(self.blast.apply(&function, &arg)?)
            }
        }
    }

    fn integers(
        &mut self,
        op: BinaryOp,
        left: &CircuitTerm,
        right: &CircuitTerm,
        env: &Env,
    ) -> CircuitResult<(CircuitValue, Lit)> {
        let (left, right) = (self.as_sym(left, env)?, self.as_sym(right, env)?);
        let (left, right) = (self.blast.choice(&left)?, self.blast.choice(&right)?);
        if left.len() * right.len() > MAX_PAIRS {
            return Err(NoCircuit::Unsupported("a division of many values"));
        }
        let mut values = Vec::new();
        for (x, lit) in &left {
            for (y, other) in &right {
                let result = self.session.integers(op, &x.clone().into(), &y.clone().into());
                if let Some(Val::Value(result)) = self.evaluated(result)? {
                    values.push((result, self.and(*lit, *other)));
                }
            }
        }
        let defined = self.any(values.iter().map(|(_, lit)| *lit));
        Ok((self.blast.chosen(values), defined))
    }

    fn image(&mut self, relation: &CircuitTerm, set: &CircuitTerm, env: &Env) -> CircuitResult<CircuitValue> {
        if let TermKind::Known(known) = &relation.kind
            && known.as_value().is_none()
        {
            let set = self.as_sym(set, env)?;
            let mut items = Vec::new();
            for (value, lit) in self.blast.members(&set)?.items {
                let image = self.session.image(known, &Set::singleton(value).into(), env);
                let image = image.and_then(|image| self.session.enumerate(&image, env));
                for item in self.evaluated(image)?.iter().flat_map(Set::iter) {
                    items.push((lit, CircuitValue::known(&item)));
                }
            }
            return Ok(self.blast.extension(&items)?);
        }
        let relation = self.as_sym(relation, env)?;
        let keys = self.blast.dom(&relation)?;
        let set = self.filter_set(&keys, set, env)?;
        Ok(self.blast.image(&relation, &set)?)
    }

    /// Intersection and difference, of which one set may be infinite.
    fn filtered(
        &mut self,
        op: BinaryOp,
        left: &CircuitTerm,
        right: &CircuitTerm,
        env: &Env,
    ) -> CircuitResult<CircuitValue> {
        let inside = op == BinaryOp::Intersection;
        let (left, right) = match (&left.kind, &right.kind) {
            (TermKind::Known(val), TermKind::Circuit(_)) if inside && val.as_value().is_none() => (right, left),
            _ => (left, right),
        };
        let kept = self.as_sym(left, env)?;
        let other = self.filter_set(&kept, right, env)?;
        Ok(if inside { self.blast.intersection(&kept, &other)? } else { self.blast.difference(&kept, &other)? })
    }

    /// Circuit value of a set, restricted to the possible elements of another if it is symbolic.
    fn filter_set(&mut self, elements: &CircuitValue, set: &CircuitTerm, env: &Env) -> CircuitResult<CircuitValue> {
        match &set.kind {
            TermKind::Known(val) if val.as_value().is_none() => {
                let items = self.blast.members(elements)?.items;
                self.part_of(val, items.into_iter().map(|(item, _)| item), env)
            }
            _ => self.as_sym(set, env),
        }
    }

    fn part_of(&mut self, set: &Val, items: impl Iterator<Item = Value>, env: &Env) -> CircuitResult<CircuitValue> {
        let mut inside = Vec::new();
        for item in items {
            if self.evaluated(self.session.member(&item.clone().into(), set, env))? == Some(true) {
                inside.push((item, Lit::TRUE));
            }
        }
        inside.sort_by(|left, right| left.0.cmp(&right.0));
        inside.dedup_by(|left, right| left.0 == right.0);
        Ok(CircuitValue::set(inside))
    }

    fn restricted(
        &mut self,
        relation: &CircuitTerm,
        set: &CircuitTerm,
        side: Side,
        inside: bool,
        env: &Env,
    ) -> CircuitResult<CircuitValue> {
        let relation = self.as_sym(relation, env)?;
        let set = match &set.kind {
            TermKind::Known(val) if val.as_value().is_none() => {
                let keys = match side {
                    Side::First => self.blast.dom(&relation)?,
                    Side::Second => self.blast.ran(&relation)?,
                };
                let items = self.blast.members(&keys)?.items;
                self.part_of(val, items.into_iter().map(|(item, _)| item), env)?
            }
            _ => self.as_sym(set, env)?,
        };
        Ok(self.blast.restrict(&relation, &set, side, inside)?)
    }

    /// Values of an expression for all bindings that may satisfy a predicate, each with its condition.
    fn collected(
        &mut self,
        binder: &[LocalId],
        pred: PredId,
        expr: ExprId,
        env: &Env,
    ) -> CircuitResult<(Vec<(Lit, CircuitValue)>, Lit)> {
        let (mut items, mut defined) = (Vec::new(), Vec::new());
        self.each_binding(binder, pred, env, &mut |encoder, env| {
            let holds = encoder.pred(pred, env)?.holds;
            if holds != Lit::FALSE {
                let (sym, is_defined) = encoder.sym(expr, env)?;
                defined.push(encoder.blast.circuit.implies(holds, is_defined));
                items.push((holds, sym));
            }
            Ok(())
        })?;
        Ok((items, self.all(defined)))
    }

    fn quantified(
        &mut self,
        op: QuantifiedOp,
        binder: &[LocalId],
        pred: PredId,
        expr: ExprId,
        env: &Env,
    ) -> CircuitResult<CircuitTerm> {
        if op == QuantifiedOp::Lambda {
            return self.lambda(binder, pred, expr, env);
        }
        let (items, defined) = self.collected(binder, pred, expr, env)?;
        let (sym, is_there) = match op {
            QuantifiedOp::Sigma | QuantifiedOp::Pi => {
                let neutral = int(i64::from(op == QuantifiedOp::Pi));
                let mut total = neutral.clone();
                let mut addends = Vec::with_capacity(items.len());
                for (holds, sym) in &items {
                    let value = self.blast.ite(*holds, sym, &neutral)?;
                    if op == QuantifiedOp::Pi {
                        total = self.blast.multiply(&total, &value)?;
                    } else {
                        addends.push(value);
                    }
                }
                (if op == QuantifiedOp::Pi { total } else { self.blast.sum(&addends)? }, Lit::TRUE)
            }
            QuantifiedOp::Union => {
                let mut union = CircuitValue::set(Vec::new());
                for (holds, sym) in &items {
                    let part = self.blast.ite(*holds, sym, &CircuitValue::set(Vec::new()))?;
                    union = self.blast.union(&union, &part)?;
                }
                (union, Lit::TRUE)
            }
            _ => return Err(NoCircuit::Unsupported("a quantified expression")),
        };
        Ok(CircuitTerm { kind: TermKind::Circuit(sym), defined: self.and(defined, is_there) })
    }

    fn lambda(&mut self, binder: &[LocalId], pred: PredId, expr: ExprId, env: &Env) -> CircuitResult<CircuitTerm> {
        let (mut entries, mut defined) = (Vec::new(), Vec::new());
        self.each_value(binder, pred, env, &mut |encoder, env| {
            let present = encoder.pred(pred, env)?.holds;
            if present != Lit::FALSE {
                let (val, is_defined) = encoder.sym(expr, env)?;
                defined.push(encoder.blast.circuit.implies(present, is_defined));
                let tuple = encoder.session.tuple(env, binder);
                let key = encoder.evaluated(tuple.and_then(|key| encoder.session.finite(&key, env)))?;
                entries.extend(key.map(|key| Entry { key, present, val }));
            }
            Ok(())
        })?;
        entries.sort_by(|left, right| left.key.cmp(&right.key));
        let sym = self.blast.flattened(entries);
        Ok(CircuitTerm { kind: TermKind::Circuit(sym), defined: self.all(defined) })
    }
}

pub(super) fn int(int: i64) -> CircuitValue {
    CircuitValue::known(&Value::int(Int::from(int)))
}
