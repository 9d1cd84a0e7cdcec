//! Cache of expressions that depend on constants and on one element of a given set, such as `f(x)` or `r~[{x}]` in a quantifier over `x`.
//!
//! Each is evaluated once per element until the constants change.

use abridge_eval::Val;
use abridge_value::Value;

use super::{Fast, Runtime, Stop};
use crate::code::PerElement;

/// Values of one expression by the index of the element.
pub(crate) type Values = Vec<Option<Val>>;

impl Runtime<'_> {
    /// Cached value of an expression for the current element.
    #[inline]
    pub(crate) fn known_for_element(&self, expr: &PerElement) -> Option<&Val> {
        let position = self.position(expr)?;
        self.per_element.get(self.place(expr))?.get(position)?.as_ref()
    }

    /// Value of an expression for the current element.
    pub(crate) fn for_element(&mut self, expr: &PerElement) -> Fast<Value> {
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

    /// Index of the cache of an expression. There are two, since an ill-defined condition inside may or may not exclude a candidate.
    #[inline]
    fn place(&self, expr: &PerElement) -> usize {
        expr.number * 2 + usize::from(self.is_lenient())
    }

    /// Index of the current element in its given set.
    #[inline]
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
