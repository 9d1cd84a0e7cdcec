//! Expressions that depend on constants and on one element of a given set, such as `f(x)` or `r~[{x}]` in a quantifier over `x`: each is
//! evaluated once per element, as long as the constants stay the same.

use abridge_eval::Val;
use abridge_model::{ExprId, LocalId, Type};
use abridge_value::Value;

use super::build::Builder;
use super::code::PerElement;
use super::{Fast, Runtime, Stop};

/// For larger given sets nothing is kept.
const MAX_SIZE: u32 = 1 << 10;

/// The values of one expression by the position of the element.
pub(super) type Values = Vec<Option<Val>>;

impl Builder<'_, '_> {
    /// The only name, beside constants, that an expression depends on, if it stands for an element of a given set.
    pub(super) fn only_element(&self, id: ExprId) -> Option<LocalId> {
        let names = self.names.of_expr(self.model, id);
        let [local] = names.locals.as_slice() else { return None };
        match self.model.types.get(self.model.locals[*local].ty) {
            Type::Given(set) if self.model.sets[*set].size() <= MAX_SIZE && names.variables.is_empty() => Some(*local),
            _ => None,
        }
    }
}

impl Runtime<'_> {
    /// The value of such an expression if it was evaluated before.
    pub(super) fn known_for_element(&self, expr: &PerElement) -> Option<&Val> {
        let position = self.position(expr)?;
        self.per_element.get(self.place(expr))?.get(position)?.as_ref()
    }

    /// The value of such an expression.
    pub(super) fn for_element(&mut self, expr: &PerElement) -> Fast<Value> {
        if let Some(known) = self.known_for_element(expr).and_then(Val::as_value) {
            return Ok(known.clone());
        }
        let value = self.code(&expr.code)?;
        if self.session.has_warnings() {
            return Err(Stop::Escape);
        }
        if let Some(position) = self.position(expr) {
            let place = self.place(expr);
            grow(&mut self.per_element, place);
            let values = &mut self.per_element[place];
            grow(values, position);
            values[position] = Some(Val::Value(value.clone()));
        }
        Ok(value)
    }

    /// Where the values of an expression are kept. What is ill-defined inside may or may not exclude a candidate, so there are two places.
    fn place(&self, expr: &PerElement) -> usize {
        expr.number * 2 + usize::from(self.is_lenient())
    }

    /// Where the element at hand stands in its given set.
    fn position(&self, expr: &PerElement) -> Option<usize> {
        match self.slots[expr.slot].as_value()? {
            Value::Element { index, .. } => Some(*index as usize),
            _ => None,
        }
    }
}

fn grow<T: Default>(list: &mut Vec<T>, position: usize) {
    if list.len() <= position {
        list.resize_with(position + 1, T::default);
    }
}
