//! Asking that types agree, and saying so when they do not.

use abridge_diag::{Diagnostic, Span};
use abridge_model::{Expr, ExprId};

use crate::lower::Lower;
use crate::types::{Mismatch, Shape, Ty};

impl Lower<'_> {
    /// Asks that an expression has a type; `why` completes "... but" in the message.
    pub(crate) fn expect(&mut self, expr: ExprId, expected: Ty, why: &str, because: Span) -> bool {
        let found = self.ty(expr);
        match self.types.unify(found, expected, because) {
            Ok(()) => true,
            Err(mismatch) => {
                self.report_unexpected(expr, expected, why, &mismatch);
                false
            }
        }
    }

    /// Asks that two expressions have one type, as the sides of `=` do.
    pub(crate) fn expect_like(&mut self, left: ExprId, right: ExprId, because: Span) -> bool {
        match self.types.unify(self.ty(left), self.ty(right), because) {
            Ok(()) => true,
            Err(mismatch) => {
                self.report_unlike(left, right, &mismatch);
                false
            }
        }
    }

    /// Asks that a type agrees with another where no expression can be blamed.
    pub(crate) fn agree(&mut self, found: Ty, expected: Ty, message: impl FnOnce(&str, &str) -> String, span: Span) {
        if self.types.unify(found, expected, span).is_err() {
            let (found, expected) = (self.types.text(&self.model, found), self.types.text(&self.model, expected));
            self.report(Diagnostic::error("type-mismatch", message(&found, &expected)).at(span));
        }
    }

    fn report_unexpected(&mut self, expr: ExprId, expected: Ty, why: &str, mismatch: &Mismatch) {
        let found = self.types.text(&self.model, self.ty(expr));
        let wanted = self.types.text(&self.model, expected);
        let span = self.span(expr);
        let snippet = self.snippet(span);
        let message = if mismatch.is_infinite {
            format!("the type of `{snippet}` would contain itself: {found} against {wanted}")
        } else {
            format!("`{snippet}` is {found}, but {why}: {wanted}")
        };
        let diagnostic = Diagnostic::error("type-mismatch", message).at_saying(span, format!("this is {found}"));
        let diagnostic = self.with_reason(diagnostic, expr);
        let diagnostic = self.with_hint(diagnostic, self.ty(expr), expected, &snippet);
        self.report(diagnostic);
    }

    fn report_unlike(&mut self, left: ExprId, right: ExprId, mismatch: &Mismatch) {
        let (left_ty, right_ty) = (self.types.text(&self.model, self.ty(left)), self.types.text(&self.model, self.ty(right)));
        let (left_text, right_text) = (self.snippet(self.span(left)), self.snippet(self.span(right)));
        let message = if mismatch.is_infinite {
            format!("no type fits both `{left_text}` ({left_ty}) and `{right_text}` ({right_ty}): it would contain itself")
        } else {
            format!("`{left_text}` is {left_ty}, but `{right_text}` is {right_ty}")
        };
        let diagnostic = Diagnostic::error("type-mismatch", message)
            .at_saying(self.span(right), format!("this is {right_ty}"))
            .also(self.span(left), format!("this is {left_ty}"));
        let diagnostic = self.with_reason(diagnostic, right);
        let diagnostic = self.with_reason(diagnostic, left);
        let diagnostic = self.with_hint(diagnostic, self.ty(right), self.ty(left), &right_text);
        self.report(diagnostic);
    }

    /// Adds the place that gave an identifier its type.
    fn with_reason(&self, diagnostic: Diagnostic, expr: ExprId) -> Diagnostic {
        let (name, ty) = match &self.model.exprs[expr].expr {
            Expr::Constant(id) => (&self.model.constants[*id].name, self.model.constants[*id].ty),
            Expr::Variable(id) => (&self.model.variables[*id].name, self.model.variables[*id].ty),
            Expr::Local(id) => (&self.model.locals[*id].name, self.model.locals[*id].ty),
            _ => return diagnostic,
        };
        match self.types.reason(ty) {
            Some(span) if diagnostic.span() != Some(span) => {
                diagnostic.also(span, format!("`{name}` is {} because of this", self.types.text(&self.model, ty)))
            }
            _ => diagnostic,
        }
    }

    /// Adds help for the mistakes that have a usual cause.
    fn with_hint(&self, diagnostic: Diagnostic, found: Ty, expected: Ty, snippet: &str) -> Diagnostic {
        match (self.types.shape(found), self.types.shape(expected)) {
            (found_shape, Shape::Pow(elem)) if self.alike(found, *elem) && !matches!(found_shape, Shape::Unknown) => {
                diagnostic.help(format!("the set that holds only this element is `{{{snippet}}}`"))
            }
            (Shape::Pow(elem), _) if self.alike(*elem, expected) => {
                diagnostic.help("a set is used where one element is needed; `<:` says that a set is part of another, `:` that an element is in it")
            }
            (Shape::Integer, Shape::Real) => diagnostic.help(format!("convert the integer with `real({snippet})`")),
            (Shape::Real, Shape::Integer) => diagnostic.help(format!("convert the real with `floor({snippet})` or `ceiling({snippet})`")),
            (Shape::Integer, Shape::String) => diagnostic.help("an integer and the string of its digits are different things"),
            _ => diagnostic,
        }
    }

    /// Equal as far as both are known.
    fn alike(&self, left: Ty, right: Ty) -> bool {
        match (self.types.shape(left), self.types.shape(right)) {
            (Shape::Unknown, _) | (_, Shape::Unknown) => true,
            (Shape::Given(a), Shape::Given(b)) => a == b,
            (Shape::Free(a), Shape::Free(b)) => a == b,
            (Shape::Pow(a), Shape::Pow(b)) => self.alike(*a, *b),
            (Shape::Pair(a, b), Shape::Pair(c, d)) => self.alike(*a, *c) && self.alike(*b, *d),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }
}
