//! Strings as sequences, and values as text.

use std::fmt::{self, Write};

use abridge_model::{ExprId, UnaryOp};
use abridge_value::{Int, Printer, Value};

use crate::domain::{Env, Error, ModelNames, Result, Val};
use crate::interp::Session;

impl Session<'_> {
    pub(super) fn unary_string(&self, op: UnaryOp, val: &Val, env: &Env) -> Result<Val> {
        match op {
            UnaryOp::StringSize => Ok(Int::from(val.str()?.chars().count()).into()),
            UnaryOp::StringRev => Ok(Value::string(val.str()?.chars().rev().collect::<String>()).into()),
            _ => {
                let parts = self.items("conc", val, env)?;
                self.charge_bulk(parts.iter().filter_map(Value::as_str).map(str::len).sum())?;
                Ok(Value::string(parts.iter().filter_map(Value::as_str).collect::<String>()).into())
            }
        }
    }

    /// Template string with printed values.
    pub(super) fn template(&self, parts: &[ExprId], env: &Env) -> Result<Val> {
        let mut text = String::new();
        for part in parts {
            text.push_str(&self.to_string(&self.expr(*part, env)?, env)?);
        }
        Ok(Value::string(text).into())
    }

    /// Text of a value as by TO_STRING: strings without quotes.
    pub fn to_string(&self, val: &Val, env: &Env) -> Result<String> {
        let value = self.finite(val, env)?;
        if let Value::String(text) = &value {
            self.charge_bulk(text.get().len())?;
            return Ok(text.get().to_string());
        }
        let mut out = MeteredText { session: self, text: String::new(), n_open: 0, refusal: None };
        let names = ModelNames(self.model());
        let shown = Printer::new(&names).longest_interval(u64::MAX).value(&value);
        match (write!(out, "{shown}"), out.refusal) {
            (Err(_), Some(error)) => Err(error),
            _ => Ok(out.text),
        }
    }
}

/// Text that charges its session for memory as it grows. A short interval can be a very long text.
struct MeteredText<'s> {
    session: &'s Session<'s>,
    text: String,
    /// Bytes not yet charged.
    n_open: usize,
    refusal: Option<Error>,
}

/// Bytes per charge. A byte of text takes longer to print than to copy.
const PORTION_BYTES: usize = 1 << 12;

impl Write for MeteredText<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.n_open += part.len();
        if self.n_open >= PORTION_BYTES {
            let n_bytes = std::mem::take(&mut self.n_open);
            let asked = self.session.charge(2 * n_bytes).and_then(|()| self.session.ticks(n_bytes as u64 / 4));
            self.refusal = asked.err();
        }
        if self.refusal.is_some() {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}
