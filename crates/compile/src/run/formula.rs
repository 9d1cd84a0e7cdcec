//! Evaluation of compiled expressions.

use abridge_diag::with_stack;
use abridge_eval::{Session, Val};
use abridge_model::{BinaryOp, QuantifiedOp};
use abridge_value::{Set, SetBuilder, Value, relation, sequence};

use super::operators::{Growing, as_set, binary, unary};
use super::{Fast, Runtime, Stop, concrete};
use crate::code::{Code, Head, Plan};

impl<'r> Runtime<'r> {
    pub(crate) fn code(&mut self, code: &Code) -> Fast<Value> {
        match code {
            Code::Value(value) => Ok(value.clone()),
            Code::Slot(slot) => match &self.slots[*slot] {
                Val::Value(value) => Ok(value.clone()),
                _ => Err(Stop::Escape),
            },
            Code::Cell(cell, expr) => self.cell(*cell, *expr).and_then(|val| concrete(val.clone())),
            Code::PerElement(expr) => self.for_element(expr),
            Code::Interpret(expr, names) => {
                self.interpretable()?;
                let env = self.env(names);
                concrete(self.session.value(*expr, &env)?)
            }
            Code::Unary(op, operand) => {
                if let Some(operand) = self.at_hand(operand) {
                    return unary(&self.session, *op, operand);
                }
                let operand = self.code(operand)?;
                unary(&self.session, *op, &operand)
            }
            Code::Binary(op, left, right) => {
                self.with_both(left, right, |session, left, right| binary(session, *op, left, right))
            }
            Code::Apply(head, arg) => self.apply_to(head, arg),
            Code::Image(head, set) => self.image_of(head, set),
            Code::Case(arg, cases) => {
                let arg = self.code(arg)?;
                let (_, value) = cases.iter().find(|(key, _)| *key == arg).ok_or(Stop::IllDefined)?;
                self.code(value)
            }
            Code::Preimage(relation, set) => self.with_both(relation, set, |_, relation, set| {
                Ok(Value::Set(relation::preimage(as_set(relation)?, as_set(set)?)))
            }),
            Code::Field(record, field) => {
                if let Some(Value::Record(record)) = self.at_hand(record) {
                    return record.fields().get(*field as usize).cloned().ok_or(Stop::Escape);
                }
                match self.code(record)? {
                    Value::Record(record) => record.fields().get(*field as usize).cloned().ok_or(Stop::Escape),
                    _ => Err(Stop::Escape),
                }
            }
            Code::Fold(op, plan, expr) => self.fold(*op, plan, expr),
            Code::If(condition, then, otherwise) => {
                let branch = if self.test(condition)? { then } else { otherwise };
                self.code(branch)
            }
            Code::BoolOf(test) => self.test(test).map(Value::Bool),
            Code::Beta(..) | Code::Let(..) => self.bound(code),
            Code::SetExtension(_)
            | Code::SequenceExtension(_)
            | Code::Record(..)
            | Code::WithField(..)
            | Code::Collect(..)
            | Code::Lambda(..) => self.built(code),
        }
    }

    /// Applies a function to an argument.
    fn apply_to(&mut self, head: &Head, arg: &Code) -> Fast<Value> {
        if let Code::Binary(BinaryOp::Pair, first, second) = arg {
            let (first, second) = (self.code(first)?, self.code(second)?);
            return match self.head_at_hand(head) {
                Some(Val::Value(Value::Set(function))) => {
                    relation::apply_to_pair(function, &first, &second).map_err(|_| Stop::IllDefined)
                }
                _ => self.apply(head, &Value::pair(first, second)),
            };
        }
        let arg = self.code(arg)?;
        self.apply(head, &arg)
    }

    fn image_of(&mut self, head: &Head, set: &Code) -> Fast<Value> {
        let computed = if self.at_hand(set).is_none() { Some(self.code(set)?) } else { None };
        if let (Some(Val::Value(Value::Set(relation))), Some(set)) =
            (self.head_at_hand(head), computed.as_ref().or_else(|| self.at_hand(set)))
        {
            return Ok(Value::Set(relation::image(relation, as_set(set)?)));
        }
        let set = match computed {
            Some(set) => set,
            None => self.code(set)?,
        };
        match self.head(head)? {
            Val::Value(Value::Set(relation)) => Ok(Value::Set(relation::image(&relation, as_set(&set)?))),
            symbolic => {
                let env = self.env(&Default::default());
                let image = self.session.image(&symbolic, &set.into(), &env)?;
                concrete(self.session.force(&image, &env)?)
            }
        }
    }

    /// Evaluates expressions that bind slots: lambdas, LET and the like.
    fn bound(&mut self, code: &Code) -> Fast<Value> {
        match code {
            Code::Beta(arg, slots, test, expr) => {
                let arg = self.code(arg)?;
                let saved = self.assign_tuple(slots, arg)?;
                let value = match self.test(test) {
                    Ok(true) => self.code(expr),
                    Ok(false) => Err(Stop::IllDefined),
                    Err(stop) => Err(stop),
                };
                self.restore(saved);
                value
            }
            Code::Let(bindings, body) => {
                let saved = self.bind(bindings)?;
                let result = self.code(body);
                self.restore(saved);
                result
            }
            _ => Err(Stop::Escape),
        }
    }

    /// Evaluates set, sequence and record constructors.
    fn built(&mut self, code: &Code) -> Fast<Value> {
        match code {
            Code::SetExtension(items) => {
                if let [only] = items.as_slice() {
                    return Ok(Value::Set(Set::singleton(self.code(only)?)));
                }
                let mut set = SetBuilder::new();
                for item in items {
                    set.push(self.code(item)?);
                }
                Ok(Value::Set(set.finish()))
            }
            Code::SequenceExtension(items) => {
                let items: Fast<Vec<Value>> = items.iter().map(|item| self.code(item)).collect();
                Ok(Value::Set(sequence::from_items(items?)))
            }
            Code::Record(shape, fields) => {
                let fields: Fast<Vec<Value>> = fields.iter().map(|field| self.code(field)).collect();
                Ok(Value::record(*shape, fields?))
            }
            Code::WithField(record, field, value) => {
                let record = self.code(record)?;
                let value = self.code(value)?;
                let Value::Record(record) = record else { return Err(Stop::Escape) };
                let mut fields = record.fields().to_vec();
                *fields.get_mut(*field as usize).ok_or(Stop::Escape)? = value;
                Ok(Value::record(record.shape(), fields))
            }
            Code::Collect(plan, expr) => {
                let mut set = Growing::default();
                self.every(plan, &mut |runtime| {
                    let value = runtime.element(expr)?;
                    set.push(&runtime.session, value)
                })?;
                Ok(Value::Set(set.finish()))
            }
            Code::Lambda(plan, arg, expr) => {
                let mut set = Growing::default();
                self.every(plan, &mut |runtime| {
                    let arg = runtime.code(arg)?;
                    let pair = Value::pair(arg, runtime.element(expr)?);
                    set.push(&runtime.session, pair)
                })?;
                Ok(Value::Set(set.finish()))
            }
            _ => Err(Stop::Escape),
        }
    }

    /// Value that makes up a set with others. The plain interpreter keeps the set as a formula and may look at fewer of them, so that one which is
    /// ill-defined settles nothing.
    fn element(&mut self, expr: &Code) -> Fast<Value> {
        self.code(expr).map_err(|_| Stop::Escape)
    }

    /// Value that is available without evaluation.
    #[inline]
    pub(crate) fn at_hand<'a>(&'a self, code: &'a Code) -> Option<&'a Value> {
        match code {
            Code::Value(value) => Some(value),
            Code::Slot(slot) => self.slots[*slot].as_value(),
            Code::Cell(cell, _) => self.cells.get(*cell)?.as_ref()?.as_value(),
            Code::PerElement(expr) => self.known_for_element(expr)?.as_value(),
            _ => None,
        }
    }

    /// [`Runtime::at_hand`] for values that may be symbolic.
    #[inline]
    pub(crate) fn head_at_hand(&self, head: &Head) -> Option<&Val> {
        match head {
            Head::Slot(slot) => Some(&self.slots[*slot]),
            Head::Cell(cell, _) => self.cells.get(*cell)?.as_ref(),
            Head::Code(code) => match &**code {
                Code::PerElement(expr) => self.known_for_element(expr),
                _ => None,
            },
        }
    }

    /// Combines two values. Available values are borrowed, not cloned, since workers would contend for the reference counts.
    #[inline]
    pub(crate) fn with_both<R>(
        &mut self,
        left: &Code,
        right: &Code,
        combine: impl FnOnce(&Session<'_>, &Value, &Value) -> Fast<R>,
    ) -> Fast<R> {
        match (self.at_hand(left), self.at_hand(right)) {
            (Some(left), Some(right)) => combine(&self.session, left, right),
            (Some(_), None) => {
                let right = self.code(right)?;
                combine(&self.session, self.at_hand(left).ok_or(Stop::Escape)?, &right)
            }
            (None, Some(_)) => {
                let left = with_stack(|| self.code(left))?;
                combine(&self.session, &left, self.at_hand(right).ok_or(Stop::Escape)?)
            }
            (None, None) => {
                let left = with_stack(|| self.code(left))?;
                let right = self.code(right)?;
                combine(&self.session, &left, &right)
            }
        }
    }

    pub(crate) fn cell(&mut self, cell: usize, expr: abridge_model::ExprId) -> Fast<&Val> {
        if self.cells.len() <= cell {
            self.cells.resize(cell + 1, None);
        }
        if self.cells[cell].is_none() {
            let env = self.env(&Default::default());
            // A set with ill-defined elements stays a formula: it has members nevertheless.
            let val = match self.session.value(expr, &env) {
                Err(error) if error.is_ill_defined() => self.session.expr(expr, &env)?,
                val => val?,
            };
            if self.session.has_warnings() {
                return Err(Stop::Escape);
            }
            self.cells[cell] = Some(val);
        }
        self.cells[cell].as_ref().ok_or(Stop::Escape)
    }

    #[inline]
    pub(crate) fn head(&mut self, head: &Head) -> Fast<Val> {
        match head {
            Head::Slot(slot) => Ok(self.slots[*slot].clone()),
            Head::Cell(cell, expr) => self.cell(*cell, *expr).cloned(),
            Head::Code(code) => self.code(code).map(Val::Value),
        }
    }

    pub(crate) fn apply(&mut self, head: &Head, arg: &Value) -> Fast<Value> {
        let looked_up = |function: &Val| match function {
            Val::Value(Value::Set(function)) => Some(relation::apply(function, arg).map_err(|_| Stop::IllDefined)),
            _ => None,
        };
        let direct = match head {
            Head::Slot(slot) => looked_up(&self.slots[*slot]),
            Head::Cell(cell, expr) => looked_up(self.cell(*cell, *expr)?),
            Head::Code(_) => self.head_at_hand(head).and_then(looked_up),
        };
        if let Some(found) = direct {
            return found;
        }
        let function = self.head(head)?;
        if let Some(found) = looked_up(&function) {
            return found;
        }
        self.apply_symbolic(function, arg)
    }

    pub(crate) fn fold(&mut self, op: QuantifiedOp, plan: &Plan, expr: &Code) -> Fast<Value> {
        let outer = self.set_weight(1);
        let answer = self.fold_all(op, plan, expr);
        self.set_weight(outer);
        answer
    }

    pub(crate) fn fold_all(&mut self, op: QuantifiedOp, plan: &Plan, expr: &Code) -> Fast<Value> {
        let mut sum: Option<Value> = None;
        self.every(plan, &mut |runtime| {
            let weight = runtime.weight();
            let is_listed = op != QuantifiedOp::Union;
            let next = if is_listed { runtime.code(expr)? } else { runtime.element(expr)? };
            let session = &runtime.session;
            let next = weighted(session, op, next, weight)?;
            sum = Some(match (sum.take(), op) {
                (None, _) => next,
                (Some(sum), QuantifiedOp::Sigma) => binary(session, BinaryOp::Add, &sum, &next)?,
                (Some(sum), QuantifiedOp::Pi) => binary(session, BinaryOp::Multiply, &sum, &next)?,
                (Some(sum), QuantifiedOp::Union) => binary(session, BinaryOp::Union, &sum, &next)?,
                (Some(sum), QuantifiedOp::Inter) => binary(session, BinaryOp::Intersection, &sum, &next)?,
                _ => return Err(Stop::Escape),
            });
            Ok(())
        })?;
        match (sum, op) {
            (Some(sum), _) => Ok(sum),
            (None, QuantifiedOp::Sigma) => Ok(Value::Int(0)),
            (None, QuantifiedOp::Pi) => Ok(Value::Int(1)),
            (None, QuantifiedOp::Union) => Ok(Value::Set(Set::EMPTY)),
            (None, _) => Err(Stop::IllDefined),
        }
    }

    /// Binds slots one after the other. Returns the previous values, for [`Runtime::restore`].
    pub(crate) fn bind(&mut self, bindings: &[(usize, Code)]) -> Fast<Vec<(usize, Val)>> {
        let mut saved = Vec::with_capacity(bindings.len());
        for (slot, code) in bindings {
            match self.code(code) {
                Ok(value) => saved.push((*slot, std::mem::replace(&mut self.slots[*slot], value.into()))),
                Err(stop) => {
                    self.restore(saved);
                    return Err(stop);
                }
            }
        }
        Ok(saved)
    }

    pub(crate) fn restore(&mut self, saved: Vec<(usize, Val)>) {
        for (slot, val) in saved.into_iter().rev() {
            self.slots[slot] = val;
        }
    }

    /// Stops if a slot holds only a prefix of a function, which the interpreter would take for the whole.
    #[inline]
    pub(crate) fn interpretable(&self) -> Fast<()> {
        if self.is_partial { Err(Stop::Escape) } else { Ok(()) }
    }
}

/// Contribution of a value to a sum or product in which it occurs `weight` times.
pub(crate) fn weighted(session: &Session<'_>, op: QuantifiedOp, value: Value, weight: u64) -> Fast<Value> {
    let times = || i64::try_from(weight).map(Value::Int).map_err(|_| Stop::Escape);
    match op {
        _ if weight == 1 => Ok(value),
        QuantifiedOp::Sigma => binary(session, BinaryOp::Multiply, &value, &times()?),
        QuantifiedOp::Pi => binary(session, BinaryOp::Power, &value, &times()?),
        _ => Ok(value),
    }
}
