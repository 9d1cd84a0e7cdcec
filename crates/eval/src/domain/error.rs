//! Errors of evaluation.
//!
//! Ill-definedness, broken obligations of the machine and limits of the evaluator are separate, since they lead to different verdicts. None of them
//! is a panic. Operators create errors without a place; the nearest evaluated node adds its span.

use std::time::Duration;

use abridge_diag::{Diagnostic, Span, with_stack};
use abridge_model::dump::expr_text;
use abridge_model::{BinaryOp, Expr, ExprId, Model, ModelNode, Type, TypeId};

use super::text::val_text;
use super::val::Val;

/// Result of an evaluation. The error is boxed, since nearly every function returns one.
pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug)]
pub struct Error(Box<Located>);

#[derive(Clone, Debug)]
struct Located {
    kind: ErrorKind,
    span: Option<Span>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    IllDefined(IllDefined),
    /// All elements of a set are needed that is infinite or not known to be finite.
    InfiniteSet(Val),
    /// A value of a type must be found for a name, and nothing bounds it.
    Unbounded(String, TypeId),
    /// A set has more elements than the limit allows to list.
    SetTooLarge {
        limit: u64,
    },
    /// Two sets cannot be compared without listing an infinite one.
    Undecided(String),
    /// The precondition of a called operation or of a nested PRE does not hold.
    Precondition,
    /// The condition of an ASSERT does not hold.
    Assertion,
    LoopInvariant,
    /// The variant did not decrease in a pass, or is negative.
    LoopVariant {
        before: Option<Val>,
        after: Val,
    },
    /// A variable or local is read before it has a value.
    Unassigned(String),
    /// Evaluation took more steps than the limit allows.
    OutOfFuel,
    /// Evaluation took longer than the limit allows.
    TimedOut {
        limit: Duration,
    },
    /// A value takes more memory than there is.
    OutOfMemory,
    /// The stop flag was set.
    Stopped,
    /// Functions or operations call themselves deeper than the limit allows.
    TooDeep {
        limit: u32,
    },
    /// A file cannot be read, so values that come from it are not known.
    Unreadable(String),
    /// A construct is not covered.
    Unsupported(String),
    /// The answer depends on an undecided point of a value under construction. Never leaves the search that constructs the value.
    Undetermined,
    /// The model is not what the verifier promises.
    Internal(&'static str),
}

/// Violated condition of well-definedness, with the operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IllDefined {
    OutsideDomain {
        function: Val,
        argument: Val,
    },
    NotFunctional {
        function: Val,
        argument: Val,
    },
    DivisionByZero,
    ModuloNegative {
        left: Val,
        right: Val,
    },
    NegativeExponent(Val),
    /// `max({})`, `inter({})`, ...
    EmptySet(&'static str),
    NotSequence {
        operator: &'static str,
        operand: Val,
    },
    EmptySequence(&'static str),
    /// A number outside of the range that the operator accepts.
    OutOfRange {
        operator: &'static str,
        operand: Val,
    },
    /// An operand that the operator does not accept.
    BadOperand {
        operator: &'static str,
        operand: Val,
    },
    /// An external function rejects its arguments.
    External {
        name: String,
        message: String,
    },
}

impl Error {
    pub fn new(kind: ErrorKind) -> Error {
        Error(Box::new(Located { kind, span: None }))
    }

    /// Adds a span, unless a more precise one is known.
    #[must_use]
    pub fn at(mut self, span: Span) -> Error {
        self.0.span.get_or_insert(span);
        self
    }

    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    pub fn span(&self) -> Option<Span> {
        self.0.span
    }

    pub fn is_ill_defined(&self) -> bool {
        matches!(self.0.kind, ErrorKind::IllDefined(_))
    }

    /// Whether an `ASSERT_TRUE` or `ASSERT_EXPR` in a formula failed.
    pub fn is_failed_assertion(&self) -> bool {
        matches!(&self.0.kind, ErrorKind::IllDefined(IllDefined::External { name, .. }) if name.starts_with("ASSERT_"))
    }

    /// Whether the machine breaks an obligation: a nested precondition, an ASSERT, the invariant or variant of a loop, a value never given.
    pub fn is_obligation(&self) -> bool {
        use ErrorKind::{Assertion, LoopInvariant, LoopVariant, Precondition, Unassigned};
        matches!(self.0.kind, Precondition | Assertion | LoopInvariant | LoopVariant { .. } | Unassigned(_))
    }

    /// Whether the error is one of the machine, not of the evaluator: ill-definedness or a broken obligation.
    pub fn is_violation(&self) -> bool {
        self.is_ill_defined() || self.is_obligation()
    }

    /// Whether the whole evaluation must end, since continuing could take as long again.
    pub fn is_fatal(&self) -> bool {
        matches!(
            self.0.kind,
            ErrorKind::OutOfFuel
                | ErrorKind::TimedOut { .. }
                | ErrorKind::OutOfMemory
                | ErrorKind::Stopped
                | ErrorKind::TooDeep { .. }
        )
    }

    /// Merges errors of several operands. An undetermined one wins, since it may yet turn out false.
    pub fn merge(failure: &mut Option<Error>, error: Error) {
        let is_undetermined = |error: &Error| matches!(error.0.kind, ErrorKind::Undetermined);
        if failure.as_ref().is_none_or(|old| !is_undetermined(old) && is_undetermined(&error)) {
            *failure = Some(error);
        }
    }

    /// Whether a set could not be listed.
    pub fn is_expansion(&self) -> bool {
        matches!(self.0.kind, ErrorKind::InfiniteSet(_) | ErrorKind::Unbounded(..) | ErrorKind::SetTooLarge { .. })
    }

    pub fn diagnostic(&self, model: &Model) -> Diagnostic {
        if let (ErrorKind::IllDefined(why), Some(span)) = (&self.0.kind, self.0.span)
            && let Some(diagnostic) = why.of_application(model, span)
        {
            return diagnostic;
        }
        let (id, message) = self.0.kind.message(model);
        let diagnostic = Diagnostic::error(id, message);
        match self.0.span {
            Some(span) => diagnostic.at(span),
            None => diagnostic,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error::new(kind)
    }
}

impl From<IllDefined> for Error {
    fn from(why: IllDefined) -> Error {
        Error::new(ErrorKind::IllDefined(why))
    }
}

impl ErrorKind {
    /// Permanent diagnostic id and text.
    fn message(&self, model: &Model) -> (&'static str, String) {
        let show = |val: &Val| shortened(val_text(model, val));
        match self {
            ErrorKind::IllDefined(why) => why.message(model),
            ErrorKind::InfiniteSet(set) => (
                "infinite-set",
                format!("the elements of `{}` are needed, but it is not known to be finite", show(set)),
            ),
            ErrorKind::Unbounded(name, ty) => {
                let bound = bound(model, *ty);
                ("unbounded-value", format!("cannot enumerate `{name}`: add a bound such as `{name} : {bound}`"))
            }
            ErrorKind::SetTooLarge { limit } => ("set-too-large", format!("a set has more than {limit} elements")),
            ErrorKind::Undecided(what) => ("undecided", format!("cannot decide {what}")),
            ErrorKind::Precondition => ("precondition-violated", "the precondition does not hold".into()),
            ErrorKind::Assertion => ("assert-violated", "the condition of ASSERT does not hold".into()),
            ErrorKind::LoopInvariant => ("loop-invariant-violated", "the invariant of the loop does not hold".into()),
            ErrorKind::LoopVariant { before: Some(before), after } => {
                ("loop-variant-violated", format!("the variant went from {} to {}", show(before), show(after)))
            }
            ErrorKind::LoopVariant { before: None, after } => {
                ("loop-variant-violated", format!("the variant is {}, which is not a natural number", show(after)))
            }
            ErrorKind::Unassigned(name) => ("unassigned", format!("`{name}` is read before it has a value")),
            ErrorKind::OutOfFuel => ("out-of-fuel", "the evaluation takes too many steps".into()),
            ErrorKind::TimedOut { limit } => {
                ("timed-out", format!("the evaluation takes longer than {} ms (TIME_OUT)", limit.as_millis()))
            }
            ErrorKind::OutOfMemory => {
                ("out-of-memory", "memory limit reached: a value takes more memory than the run may have".into())
            }
            ErrorKind::Stopped => ("stopped", "the evaluation was ended before it had an answer".into()),
            ErrorKind::TooDeep { limit } => ("too-deep", format!("more than {limit} calls inside each other")),
            ErrorKind::Unreadable(why) => ("data-unreadable", why.clone()),
            ErrorKind::Unsupported(what) => ("unsupported", format!("{what} is not supported")),
            ErrorKind::Undetermined => ("internal", "a value is only partly known".into()),
            ErrorKind::Internal(what) => ("internal", format!("the model is malformed: {what}")),
        }
    }
}

/// A finite set of values of a type, as an example of a bound.
fn bound(model: &Model, ty: TypeId) -> String {
    with_stack(|| match model.types.get(ty) {
        Type::Integer => "0..10".to_owned(),
        Type::String => "{\"a\", \"b\"}".to_owned(),
        Type::Real => "{0.0, 1.0}".to_owned(),
        Type::Pow(element) => match model.types.get(*element) {
            Type::Pair(first, second) => format!("{} <-> {}", bound(model, *first), bound(model, *second)),
            _ => format!("POW({})", bound(model, *element)),
        },
        Type::Pair(first, second) => format!("({})*({})", bound(model, *first), bound(model, *second)),
        Type::Record(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, ty)| format!("{name}: {}", bound(model, *ty))).collect();
            format!("struct({})", fields.join(", "))
        }
        Type::Bool | Type::Given(_) | Type::Free(_) => model.type_text(ty),
    })
}

/// Function and argument of the application at a place.
fn applied(model: &Model, span: Span) -> Option<(ExprId, ExprId)> {
    model.exprs.values().find_map(|node| match node.expr {
        Expr::Binary(BinaryOp::Apply, function, argument) if node.span == span => Some((function, argument)),
        _ => None,
    })
}

/// Text of a function that is short enough to be repeated and has a name in it, so that its value says more.
fn written(model: &Model, id: ExprId) -> Option<String> {
    const MAX_CHARS: usize = 40;
    let mut has_name = false;
    model.for_each_node(ModelNode::Expr(id), &mut |node| {
        let ModelNode::Expr(id) = node else { return };
        has_name |= matches!(model.exprs[id].expr, Expr::Constant(_) | Expr::Variable(_) | Expr::Local(_));
    });
    has_name.then(|| expr_text(model, id)).filter(|text| text.chars().count() <= MAX_CHARS)
}

impl IllDefined {
    /// Message about an application of a function that is not written as a value, with the values of function and argument where they are written.
    fn of_application(&self, model: &Model, span: Span) -> Option<Diagnostic> {
        let (IllDefined::OutsideDomain { function, argument } | IllDefined::NotFunctional { function, argument }) =
            self
        else {
            return None;
        };
        let (function_id, argument_id) = applied(model, span)?;
        let show = |val: &Val| shortened(val_text(model, val));
        let name = written(model, function_id)?;
        let (id, what) = self.message_about(&name, &show(argument));
        let diagnostic = Diagnostic::error(id, what)
            .at(span)
            .also(model.exprs[function_id].span, format!("`{name}` is {}", show(function)));
        let is_plain = matches!(model.exprs[argument_id].expr, Expr::Integer(_) | Expr::Element(..) | Expr::String(_));
        Some(match is_plain {
            true => diagnostic,
            false => diagnostic.also(model.exprs[argument_id].span, format!("this is {}", show(argument))),
        })
    }

    /// Id and text of a failed application.
    fn message_about(&self, function: &str, argument: &str) -> (&'static str, String) {
        match self {
            IllDefined::NotFunctional { .. } => {
                ("not-functional", format!("`{function}` is applied to `{argument}`, where it has several values"))
            }
            _ => ("outside-domain", format!("`{function}` is applied to `{argument}`, which is not in its domain")),
        }
    }

    fn message(&self, model: &Model) -> (&'static str, String) {
        let show = |val: &Val| shortened(val_text(model, val));
        match self {
            IllDefined::OutsideDomain { function, argument } | IllDefined::NotFunctional { function, argument } => {
                self.message_about(&show(function), &show(argument))
            }
            IllDefined::DivisionByZero => ("division-by-zero", "division by zero".into()),
            IllDefined::ModuloNegative { left, right } => (
                "modulo-negative",
                format!(
                    "`{} mod {}` is not defined: it needs a natural number and a positive one",
                    show(left),
                    show(right)
                ),
            ),
            IllDefined::NegativeExponent(exponent) => {
                ("negative-exponent", format!("the exponent `{}` is negative", show(exponent)))
            }
            IllDefined::EmptySet(operator) => ("of-empty-set", format!("`{operator}` of the empty set is not defined")),
            IllDefined::NotSequence { operator, operand } => {
                ("not-a-sequence", format!("`{operator}` is applied to `{}`, which is not a sequence", show(operand)))
            }
            IllDefined::EmptySequence(operator) => {
                ("empty-sequence", format!("`{operator}` of the empty sequence is not defined"))
            }
            IllDefined::OutOfRange { operator, operand } => {
                ("out-of-range", format!("`{operator}` is not defined for `{}`", show(operand)))
            }
            IllDefined::BadOperand { operator, operand } => {
                ("bad-operand", format!("`{operator}` is not defined for `{}`", show(operand)))
            }
            IllDefined::External { name, message } => ("external-failed", format!("`{name}`: {message}")),
        }
    }
}

/// Shortens the text of a long value in a message.
fn shortened(text: String) -> String {
    const MAX_CHARS: usize = 200;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
