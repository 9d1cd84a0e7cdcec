//! Names of elements, fields and constructors, for printing values.

use std::borrow::Cow;

use abridge_model::{FreeTypeId, Model, SetId, Type, TypeId};
use abridge_value::{Names, Notation, Printer, Value};

#[derive(Clone, Copy)]
pub struct ModelNames<'m>(pub &'m Model);

impl Names for ModelNames<'_> {
    fn element(&self, set: u32, index: u32) -> Cow<'_, str> {
        self.0.sets[SetId(set)].element_name(index).to_string().into()
    }

    fn field(&self, shape: u32, field: u32) -> Cow<'_, str> {
        match self.0.types.get(TypeId(shape)) {
            Type::Record(fields) => fields.get(field as usize).map_or("?", |(name, _)| name.as_str()).into(),
            _ => "?".into(),
        }
    }

    fn constructor(&self, free_type: u32, constructor: u32) -> Cow<'_, str> {
        self.0.free_types[FreeTypeId(free_type)].constructors[constructor as usize].name.as_str().into()
    }
}

/// B text of a value.
pub fn value_text(model: &Model, value: &Value) -> String {
    value_text_as(model, value, &Notation::Usual)
}

/// B text of a value in a notation.
pub(super) fn value_text_as(model: &Model, value: &Value, notation: &Notation) -> String {
    Printer::new(&ModelNames(model)).sequences(true).value_as(value, notation).to_string()
}
