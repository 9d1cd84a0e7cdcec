//! External functions, predicates and substitutions, by name; `sema/library/EXTERNALS.md` says what each means.
//!
//! Pure ones are computed exactly. Printing does nothing. Values that are not functions of the state (chance) are fixed ones, with a
//! warning. What reads files, clocks or the tool itself is refused.

mod numbers;
mod reals;
mod sets;
mod strings;

use abridge_model::{ExprId, ExternalId};
use abridge_value::{Int, Set, Value, sequence};

use crate::env::Env;
use crate::error::{ErrorKind, IllDefined, Result};
use crate::interp::{Session, Warning};
use crate::val::Val;

/// A call with its arguments evaluated.
struct Call<'a> {
    session: &'a Session<'a>,
    name: &'a str,
    args: Vec<Val>,
    /// The call itself, for its type; predicates have none.
    node: Option<ExprId>,
    env: &'a Env,
}

impl Session<'_> {
    pub(super) fn external_expr(&self, id: ExternalId, args: &[ExprId], node: ExprId, env: &Env) -> Result<Val> {
        let name = self.model().externals[id].name.as_str();
        match (name, args) {
            // Evaluated as they are, so that infinite sets stay symbolic.
            ("vprintf" | "fvprintf", [.., val]) => return self.expr(*val, env),
            ("SYMBOLIC" | "COPY" | "ENUM" | "STORE", [val]) => return self.expr(*val, env),
            _ => {}
        }
        let call = self.call_of(name, args, Some(node), env)?;
        call.function()
    }

    pub(crate) fn external_pred(&self, id: ExternalId, args: &[ExprId], env: &Env) -> Result<bool> {
        let name = self.model().externals[id].name.as_str();
        if is_silent_predicate(name) {
            return Ok(true);
        }
        let call = self.call_of(name, args, None, env)?;
        call.predicate()
    }

    /// Substitutions only print or report.
    pub(crate) fn external_subst(&self, id: ExternalId, args: &[ExprId], env: &Env) -> Result<()> {
        let name = self.model().externals[id].name.as_str();
        match name {
            "PRINT" | "PRINTF" | "FPRINTF" | "PRINT_BT" | "DEBUG_PRINT_STATE" | "SLEEP" => Ok(()),
            "ADD_ERROR" | "ADD_ERRORS" | "ADD_STATE_ERROR" | "ADD_STATE_ERRORS" | "ADD_WARNING" | "ADD_WARNINGS" => {
                let call = self.call_of(name, args, None, env)?;
                let parts: Result<Vec<String>> = call.args.iter().map(|arg| self.to_string(arg, env)).collect();
                self.warn(Warning::Reported { message: parts?.join(" ") });
                Ok(())
            }
            _ => Err(unsupported(name)),
        }
    }

    fn call_of<'a>(&'a self, name: &'a str, args: &[ExprId], node: Option<ExprId>, env: &'a Env) -> Result<Call<'a>> {
        let args: Result<Vec<Val>> = args.iter().map(|arg| self.value(*arg, env)).collect();
        Ok(Call { session: self, name, args: args?, node, env })
    }
}

fn unsupported(name: &str) -> crate::error::Error {
    ErrorKind::Unsupported(format!("the external `{name}`")).into()
}

/// Predicates that are true whatever they are given: printing and hints.
pub fn is_silent_predicate(name: &str) -> bool {
    let printing = [
        "printf",
        "printf_nonvar",
        "tprintf",
        "printf_opt_trace",
        "iprintf",
        "printf_two",
        "dprintf",
        "fprintf",
        "observe",
        "observe_silent",
        "observe_indent",
        "tobserve",
        "observe_fun",
    ];
    let hints = [
        "DO_NOT_ENUMERATE",
        "ENUMERATE",
        "MAXIMIZE_EXPR",
        "MINIMIZE_EXPR",
        "KODKOD_SOLVE",
        "STORE_VALUE",
        "SLEEP",
        "SET_PREF",
    ];
    printing.contains(&name) || hints.contains(&name)
}

impl Call<'_> {
    fn function(&self) -> Result<Val> {
        let found = self.string_function()?;
        let found = if found.is_none() { self.number_function()? } else { found };
        let found = if found.is_none() { self.real_function()? } else { found };
        let found = if found.is_none() { self.set_function()? } else { found };
        match found {
            Some(val) => Ok(val),
            None => self.other_function(),
        }
    }

    fn other_function(&self) -> Result<Val> {
        match self.name {
            "FORCE" => Ok(self.session.finite(&self.args[0], self.env)?.into()),
            "ASSERT_EXPR" => {
                self.assert_true()?;
                self.arg(2).cloned()
            }
            "ARGC" => {
                self.impure();
                Ok(Int::ZERO.into())
            }
            _ => Err(unsupported(self.name)),
        }
    }

    fn predicate(&self) -> Result<bool> {
        match self.name {
            "ASSERT_TRUE" => {
                self.assert_true()?;
                Ok(true)
            }
            "KODKOD" => self.arg(3)?.bool(),
            "LEQ_SYM" | "LEQ_SYM_BREAK" => match (self.arg(0)?.as_value(), self.arg(1)?.as_value()) {
                (Some(Value::Set(_)), _) => Ok(true),
                (Some(left), Some(right)) => Ok(left <= right),
                _ => Ok(true),
            },
            "REQ" => Ok(self.real(0)? == self.real(1)?),
            "RNEQ" => Ok(self.real(0)? != self.real(1)?),
            "RLT" => Ok(self.real(0)? < self.real(1)?),
            "RGT" => Ok(self.real(0)? > self.real(1)?),
            "RLEQ" => Ok(self.real(0)? <= self.real(1)?),
            "RGEQ" => Ok(self.real(0)? >= self.real(1)?),
            _ => self.string_predicate(self.name)?.ok_or_else(|| unsupported(self.name)),
        }
    }

    fn assert_true(&self) -> Result<()> {
        if self.arg(0)?.bool()? { Ok(()) } else { Err(self.ill_defined(self.str(1)?)) }
    }

    fn arg(&self, idx: usize) -> Result<&Val> {
        self.args.get(idx).ok_or_else(|| ErrorKind::Internal("an external has too few arguments").into())
    }

    fn int(&self, idx: usize) -> Result<Int> {
        self.arg(idx)?.int()
    }

    fn real(&self, idx: usize) -> Result<f64> {
        self.arg(idx)?.real()
    }

    fn str(&self, idx: usize) -> Result<&str> {
        self.arg(idx)?.str()
    }

    fn set(&self, idx: usize) -> Result<Set> {
        self.session.enumerate(self.arg(idx)?, self.env)
    }

    fn items(&self, idx: usize) -> Result<Vec<Value>> {
        let set = self.set(idx)?;
        match sequence::items(&set) {
            Some(items) => Ok(items.into_iter().cloned().collect()),
            None => Err(self.ill_defined("a sequence is expected")),
        }
    }

    fn ill_defined(&self, message: &str) -> crate::error::Error {
        IllDefined::External { name: self.name.to_string(), message: message.to_string() }.into()
    }

    /// The result is not a function of the state.
    fn impure(&self) {
        self.session.warn(Warning::Impure { name: self.name.to_string() });
    }
}

fn text(text: impl Into<Box<str>>) -> Result<Option<Val>> {
    Ok(Some(Value::string(text).into()))
}

fn number(int: Int) -> Result<Option<Val>> {
    Ok(Some(int.into()))
}
