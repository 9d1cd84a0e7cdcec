//! Strings as sequences, and values as text.

use abridge_model::{ExprId, UnaryOp};
use abridge_value::{Int, Printer, Value};

use crate::domain::{Env, ModelNames, Result, Val};
use crate::interp::Session;

impl Session<'_> {
    pub(super) fn unary_string(&self, op: UnaryOp, val: &Val, env: &Env) -> Result<Val> {
        match op {
            UnaryOp::StringSize => Ok(Int::from(val.str()?.chars().count()).into()),
            UnaryOp::StringRev => Ok(Value::string(val.str()?.chars().rev().collect::<String>()).into()),
            _ => {
                let parts = self.items("conc", val, env)?;
                Ok(Value::string(parts.iter().filter_map(Value::as_str).collect::<String>()).into())
            }
        }
    }

    /// Text with printed values in it.
    pub(super) fn template(&self, parts: &[ExprId], env: &Env) -> Result<Val> {
        let mut text = String::new();
        for part in parts {
            text.push_str(&self.to_string(&self.expr(*part, env)?, env)?);
        }
        Ok(Value::string(text).into())
    }

    /// As TO_STRING: strings without quotes.
    pub fn to_string(&self, val: &Val, env: &Env) -> Result<String> {
        let value = self.finite(val, env)?;
        Ok(match &value {
            Value::String(text) => text.get().to_string(),
            value => Printer::new(&ModelNames(self.model())).longest_interval(u64::MAX).value(value).to_string(),
        })
    }
}
