//! Records, sets of records, and access to fields.

use abridge_model::ExprId;

use crate::domain::{Env, ErrorKind, Result, SymbolicSet, Val};
use crate::interp::Session;

impl Session<'_> {
    pub(super) fn record(&self, fields: &[ExprId], id: ExprId, env: &Env) -> Result<Val> {
        let fields: Result<Vec<Val>> = fields.iter().map(|field| self.value(*field, env)).collect();
        Ok(Val::record(self.model().ty(id).0, fields?))
    }

    /// `struct(f: S, ...)`
    pub(super) fn struct_set(&self, fields: &[ExprId], id: ExprId, env: &Env) -> Result<Val> {
        let shape = self.model().types.elem(self.model().ty(id)).ok_or(ErrorKind::Internal("a set is expected"))?;
        let fields: Result<Vec<Val>> = fields.iter().map(|field| self.value(*field, env)).collect();
        Ok(SymbolicSet::Struct(shape.0, fields?).into())
    }

    pub(super) fn with_field(&self, record: ExprId, field: u32, val: ExprId, env: &Env) -> Result<Val> {
        let shape = self.model().ty(record).0;
        let (record, val) = (self.value(record, env)?, self.value(val, env)?);
        let n_fields = match self.model().types.get(abridge_model::TypeId(shape)) {
            abridge_model::Type::Record(fields) => fields.len() as u32,
            _ => return Err(ErrorKind::Internal("a record is expected").into()),
        };
        let fields: Result<Vec<Val>> =
            (0..n_fields).map(|idx| if idx == field { Ok(val.clone()) } else { record.field(idx) }).collect();
        Ok(Val::record(shape, fields?))
    }
}
