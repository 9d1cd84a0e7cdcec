//! External functions, predicates and substitutions, by name; `sema/library/EXTERNALS.md` says what each means.
//!
//! Pure functions are computed exactly. Printing has no effect. Values that are not functions of the state (random numbers, the clock) are fixed, and
//! their use is reported as a warning. Files are read once, through the [`World`](abridge_eval::World) of the configuration. Functions that continue
//! reading a file, or inspect the search, are refused. A value that changed between two evaluations would make states depend on the order of the
//! search.

mod about;
mod clock;
mod determined;
mod documents;
mod files;
mod numbers;
mod reals;
mod recursion;
mod regexes;
mod sets;
mod strings;
mod svg;
mod tables;

use abridge_eval::{Env, Error, ErrorKind, Externals, IllDefined, Result, Session, Val, Warning};
use abridge_model::{ExprId, ExternalId, Model, dump};
use abridge_value::{Int, Set, Value, sequence};

use determined::Determined;
use recursion::Recursion;

/// Call with evaluated arguments.
struct Call<'a> {
    session: &'a Session<'a>,
    name: &'a str,
    args: Vec<Val>,
    /// Node of the call, which has its type; `None` for predicates.
    node: Option<ExprId>,
    env: &'a Env,
}

/// Externals of a model, with tables for those that depend on their place in the model.
pub struct Library {
    recursion: Recursion,
    determined: Determined,
}

impl Library {
    pub fn new(model: &Model) -> Library {
        Library { recursion: Recursion::of(model), determined: Determined::of(model) }
    }
}

impl Externals for Library {
    fn expr(&self, session: &Session<'_>, id: ExternalId, args: &[ExprId], node: ExprId, env: &Env) -> Result<Val> {
        let name = session.model().externals[id].name.as_str();
        match (name, args) {
            // Evaluated without expansion, so that infinite sets stay symbolic.
            ("vprintf" | "fvprintf", [.., val]) => return session.expr(*val, env),
            ("SYMBOLIC" | "COPY" | "ENUM" | "STORE", [val]) => return session.expr(*val, env),
            ("REC_LET", [_, function]) => return session.expr(*function, env),
            ("REC", [_, arg]) => return self.recursion.call(session, node, *arg, env),
            ("STRINGIFY", [val]) => return Ok(Value::string(dump::expr_text(session.model(), *val)).into()),
            _ => {}
        }
        let call = Call::new(session, name, args, Some(node), env)?;
        call.function()
    }

    fn pred(&self, session: &Session<'_>, id: ExternalId, args: &[ExprId], env: &Env) -> Result<bool> {
        let name = session.model().externals[id].name.as_str();
        if SILENT_PREDICATES.contains(&name) {
            return Ok(true);
        }
        if let ("IS_DETERMINED", [arg]) = (name, args) {
            return self.determined.holds(session, *arg);
        }
        let call = Call::new(session, name, args, None, env)?;
        call.predicate()
    }

    /// Executes a substitution. Substitutions print, report a message or open a file.
    fn subst(&self, session: &Session<'_>, id: ExternalId, args: &[ExprId], env: &Env) -> Result<()> {
        let name = session.model().externals[id].name.as_str();
        match name {
            "PRINT" | "PRINTF" | "FPRINTF" | "PRINT_BT" | "DEBUG_PRINT_STATE" | "SLEEP" | "SEEN" => Ok(()),
            "SEE" => {
                let call = Call::new(session, name, args, None, env)?;
                let opened = session.config().world.text(call.str(0)?);
                opened.map(drop).map_err(|why| call.ill_defined(&why))
            }
            "ADD_ERROR" | "ADD_ERRORS" | "ADD_STATE_ERROR" | "ADD_STATE_ERRORS" | "ADD_WARNING" | "ADD_WARNINGS" => {
                let call = Call::new(session, name, args, None, env)?;
                let parts: Result<Vec<String>> = call.args.iter().map(|arg| session.to_string(arg, env)).collect();
                session.warn(Warning::Reported { message: parts?.join(" ") });
                Ok(())
            }
            _ => Err(unsupported(name)),
        }
    }
}

fn unsupported(name: &str) -> Error {
    ErrorKind::Unsupported(format!("the external `{name}`")).into()
}

/// Error for an unsupported use of a known external.
fn unsupported_use(name: &str, how: &str) -> Error {
    ErrorKind::Unsupported(format!("the external `{name}` {how}")).into()
}

/// Predicates that are true for all arguments: printing, then hints.
pub const SILENT_PREDICATES: [&str; 22] = [
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
    "IS_DETERMINED_INTO_FILE",
    "DO_NOT_ENUMERATE",
    "ENUMERATE",
    "MAXIMIZE_EXPR",
    "MINIMIZE_EXPR",
    "KODKOD_SOLVE",
    "STORE_VALUE",
    "SLEEP",
    "SET_PREF",
];

impl<'a> Call<'a> {
    /// Evaluates the arguments.
    fn new(
        session: &'a Session<'a>,
        name: &'a str,
        args: &[ExprId],
        node: Option<ExprId>,
        env: &'a Env,
    ) -> Result<Call<'a>> {
        let args: Vec<Val> = args.iter().map(|arg| session.value(*arg, env)).collect::<Result<_>>()?;
        // Results are about as long as arguments. Functions with longer results charge more.
        session.charge_copies(&args)?;
        Ok(Call { session, name, args, node, env })
    }
}

impl Call<'_> {
    fn function(&self) -> Result<Val> {
        let families = [
            Self::string_function,
            Self::number_function,
            Self::real_function,
            Self::set_function,
            Self::regex_function,
            Self::file_function,
            Self::table_function,
            Self::document_function,
            Self::time_function,
            Self::about_function,
            Self::svg_function,
        ];
        for family in families {
            if let Some(val) = family(self)? {
                return Ok(val);
            }
        }
        self.other_function()
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
            "ARGV" => Err(self.ill_defined("no arguments are given to the model")),
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
            _ => self.other_predicate(),
        }
    }

    fn other_predicate(&self) -> Result<bool> {
        let found = self.string_predicate(self.name)?;
        let found = if found.is_none() { self.regex_predicate()? } else { found };
        let found = if found.is_none() { self.file_predicate()? } else { found };
        found.ok_or_else(|| unsupported(self.name))
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

    fn ill_defined(&self, message: &str) -> Error {
        IllDefined::External { name: self.name.to_string(), message: message.to_string() }.into()
    }

    /// Warns that the result is not a function of the state.
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
