//! Type requirements, and the diagnostics for mismatches.

use abridge_diag::{Diagnostic, Span};
use abridge_model::{CarrierKind, Expr, ExprId, SetId};

use crate::lower::Lower;
use crate::types::{Mismatch, Ty, TypeTerm};

/// Span that explains why a type is expected, and the text of its label.
pub(crate) type TypeOrigin = (Span, String);

impl Lower<'_> {
    /// Requires a type of an expression; `why` completes "... but" in the message, with the type for `{}`.
    pub(crate) fn expect(&mut self, expr: ExprId, expected: Ty, why: &str, because: Span) -> bool {
        self.expect_from(expr, expected, why, because, None)
    }

    /// [`Lower::expect`] with the span that determines the expected type.
    pub(crate) fn expect_from(
        &mut self,
        expr: ExprId,
        expected: Ty,
        why: &str,
        because: Span,
        origin: Option<TypeOrigin>,
    ) -> bool {
        let found = self.ty(expr);
        match self.types.unify(found, expected, because) {
            Ok(()) => true,
            Err(mismatch) => {
                self.report_unexpected(expr, expected, why, &mismatch, origin);
                false
            }
        }
    }

    /// Requires that two expressions have one type, as the sides of `=` do.
    pub(crate) fn expect_like(&mut self, left: ExprId, right: ExprId, because: Span) -> bool {
        match self.types.unify(self.ty(left), self.ty(right), because) {
            Ok(()) => true,
            Err(mismatch) => {
                self.report_unlike(left, right, &mismatch);
                false
            }
        }
    }

    /// Unifies two types that belong to no particular expression.
    pub(crate) fn agree(&mut self, found: Ty, expected: Ty, message: impl FnOnce(&str, &str) -> String, span: Span) {
        if self.types.unify(found, expected, span).is_err() {
            let (found, expected) = (self.types.text(&self.model, found), self.types.text(&self.model, expected));
            self.report(Diagnostic::error("type-mismatch", message(&found, &expected)).at(span));
        }
    }

    /// Unifies parts of the types of two operands; `words` name the parts.
    pub(crate) fn agree_between(
        &mut self,
        operands: [ExprId; 2],
        parts: [Ty; 2],
        message: &str,
        words: [&str; 2],
        because: Span,
    ) {
        let [left, right] = parts;
        if self.types.unify(left, right, because).is_ok() {
            return;
        }
        let text = |idx: usize| format!("{} {}", words[idx], self.types.text(&self.model, parts[idx]));
        let diagnostic = Diagnostic::error("type-mismatch", message).at_saying(self.span(operands[1]), text(1));
        self.report(diagnostic.also(self.span(operands[0]), text(0)));
    }

    fn report_unexpected(
        &mut self,
        expr: ExprId,
        expected: Ty,
        why: &str,
        mismatch: &Mismatch,
        origin: Option<TypeOrigin>,
    ) {
        let found = self.types.text(&self.model, self.ty(expr));
        let span = self.span(expr);
        let snippet = self.snippet(span);
        if mismatch.is_infinite {
            return self.report_infinite(&[expr], expected);
        }
        let why = why.replace("{}", &self.types.text(&self.model, expected));
        let message = format!("`{snippet}` is {found}, but {why}");
        let mut diagnostic = Diagnostic::error("type-mismatch", message).at_saying(span, format!("this is {found}"));
        diagnostic = self.with_reason(diagnostic, expr);
        if let Some((place, text)) = origin {
            diagnostic = diagnostic.also(place, text);
        }
        let diagnostic = self.with_hint(diagnostic, expr, expected);
        self.report(diagnostic);
    }

    fn report_unlike(&mut self, left: ExprId, right: ExprId, mismatch: &Mismatch) {
        if mismatch.is_infinite {
            return self.report_infinite(&[right, left], self.ty(left));
        }
        let (left_ty, right_ty) =
            (self.types.text(&self.model, self.ty(left)), self.types.text(&self.model, self.ty(right)));
        let (left_text, right_text) = (self.snippet(self.span(left)), self.snippet(self.span(right)));
        let message = format!("`{left_text}` is {left_ty}, but `{right_text}` is {right_ty}");
        let diagnostic = Diagnostic::error("type-mismatch", message)
            .at_saying(self.span(right), format!("this is {right_ty}"))
            .also(self.span(left), format!("this is {left_ty}"));
        let diagnostic = self.with_reason(diagnostic, right);
        let diagnostic = self.with_reason(diagnostic, left);
        let diagnostic = self.with_hint_between(diagnostic, left, right);
        self.report(diagnostic);
    }

    /// Reports a type that would have to contain itself: `x : x`, `x = {x}`.
    fn report_infinite(&mut self, exprs: &[ExprId], expected: Ty) {
        let span = self.span(exprs[0]);
        let message = format!("no type fits `{}`: it would have to contain itself", self.snippet(span));
        let mut diagnostic = Diagnostic::error("type-mismatch", message).at(span);
        for other in &exprs[1..] {
            diagnostic = diagnostic.also(self.span(*other), "and this would have the same type");
        }
        self.report(diagnostic.note("a set and its elements have different types"));
        // The names in it have no type either; one diagnostic is enough.
        for ty in exprs.iter().map(|expr| self.ty(*expr)).chain([expected]).collect::<Vec<_>>() {
            let _ = self.types.unify(ty, crate::types::Unifier::ERROR, span);
        }
    }

    /// Adds the span that gave an identifier its type.
    pub(crate) fn with_reason(&self, diagnostic: Diagnostic, expr: ExprId) -> Diagnostic {
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

    /// Adds help for mistakes with a common cause.
    fn with_hint(&self, diagnostic: Diagnostic, expr: ExprId, expected: Ty) -> Diagnostic {
        let found = self.ty(expr);
        let snippet = self.snippet(self.span(expr));
        match (self.types.shape(found), self.types.shape(expected)) {
            (found_shape, TypeTerm::Pow(elem))
                if self.alike(found, *elem) && !matches!(found_shape, TypeTerm::Unknown) =>
            {
                diagnostic.help(singleton(&snippet, matches!(found_shape, TypeTerm::Integer)))
            }
            (TypeTerm::Pow(_), TypeTerm::Integer) => with_size_of(diagnostic, &snippet),
            _ => self.with_conversion(diagnostic, found, expected, &snippet),
        }
    }

    /// Adds help if one of two expressions is a set of the other.
    fn with_hint_between(&self, diagnostic: Diagnostic, left: ExprId, right: ExprId) -> Diagnostic {
        let (left_ty, right_ty) = (self.ty(left), self.ty(right));
        let (left_text, right_text) = (self.snippet(self.span(left)), self.snippet(self.span(right)));
        for (set, elem, text) in [(left_ty, right_ty, &right_text), (right_ty, left_ty, &left_text)] {
            let TypeTerm::Pow(of) = self.types.shape(set) else { continue };
            let is_known = !matches!(self.types.shape(elem), TypeTerm::Unknown);
            if is_known && self.alike(*of, elem) {
                return diagnostic.help(singleton(text, false));
            }
        }
        for (function, value, name) in [(left_ty, right_ty, &left_text), (right_ty, left_ty, &right_text)] {
            let TypeTerm::Pow(pair) = self.types.shape(function) else { continue };
            if matches!(self.types.shape(*pair), TypeTerm::Pair(_, to) if self.alike(*to, value)) {
                return diagnostic.help(format!("a value of the function is written `{name}(...)`"));
            }
        }
        for (set, number, text) in [(left_ty, right_ty, &left_text), (right_ty, left_ty, &right_text)] {
            if let (TypeTerm::Pow(_), TypeTerm::Integer) = (self.types.shape(set), self.types.shape(number)) {
                return with_size_of(diagnostic, text);
            }
        }
        match (self.types.shape(left_ty), self.types.shape(right_ty)) {
            (TypeTerm::Integer, TypeTerm::Real) => self.with_conversion(diagnostic, left_ty, right_ty, &left_text),
            (TypeTerm::Integer, TypeTerm::String) => self.with_conversion(diagnostic, left_ty, right_ty, &left_text),
            _ => self.with_conversion(diagnostic, right_ty, left_ty, &right_text),
        }
    }

    fn with_conversion(&self, diagnostic: Diagnostic, found: Ty, expected: Ty, snippet: &str) -> Diagnostic {
        match (self.types.shape(found), self.types.shape(expected)) {
            (TypeTerm::Integer, TypeTerm::Real) => {
                diagnostic.help(format!("convert the integer with `real({snippet})`"))
            }
            (TypeTerm::Real, TypeTerm::Integer) => {
                diagnostic.help(format!("convert the real with `floor({snippet})` or `ceiling({snippet})`"))
            }
            (TypeTerm::Integer, TypeTerm::String) => {
                diagnostic.help(format!("convert the integer with `INT_TO_STRING({snippet})` of `LibraryStrings.def`"))
            }
            (TypeTerm::Bool, TypeTerm::Integer) | (TypeTerm::Integer, TypeTerm::Bool) => {
                diagnostic.help("the values of BOOL are `TRUE` and `FALSE`, which are not numbers")
            }
            (TypeTerm::Record(found), TypeTerm::Record(expected)) => {
                let names =
                    |fields: &[(abridge_model::SmolStr, Ty)], others: &[(abridge_model::SmolStr, Ty)]| -> Vec<String> {
                        let missing = fields.iter().filter(|(name, _)| others.iter().all(|(other, _)| other != name));
                        missing.map(|(name, _)| format!("`{name}`")).collect()
                    };
                let (extra, missing) = (names(found, expected), names(expected, found));
                let diagnostic = if extra.is_empty() {
                    diagnostic
                } else {
                    diagnostic.note(format!("the field {} is not expected", extra.join(", ")))
                };
                if missing.is_empty() {
                    diagnostic
                } else {
                    diagnostic.note(format!("the field {} is missing", missing.join(", ")))
                }
            }
            _ => match self.valued_set(found, expected) {
                Some(set) => diagnostic.help(format!(
                    "VALUES give `{}` its size only: as in ProB, its elements are no integers",
                    self.model.sets[set].name
                )),
                None => diagnostic,
            },
        }
    }

    /// Set with a size from VALUES that is used as a set of integers, as Atelier B allows.
    fn valued_set(&self, left: Ty, right: Ty) -> Option<SetId> {
        match (self.types.shape(left), self.types.shape(right)) {
            (TypeTerm::Given(set), TypeTerm::Integer) | (TypeTerm::Integer, TypeTerm::Given(set)) => {
                matches!(self.model.sets[*set].kind, CarrierKind::Deferred { size } if size > 0).then_some(*set)
            }
            (TypeTerm::Pow(left), TypeTerm::Pow(right)) => self.valued_set(*left, *right),
            (TypeTerm::Pair(a, b), TypeTerm::Pair(c, d)) => self.valued_set(*a, *c).or_else(|| self.valued_set(*b, *d)),
            _ => None,
        }
    }

    /// True if two types are equal as far as they are known.
    pub(crate) fn alike(&self, left: Ty, right: Ty) -> bool {
        match (self.types.shape(left), self.types.shape(right)) {
            (TypeTerm::Unknown, _) | (_, TypeTerm::Unknown) => true,
            (TypeTerm::Given(a), TypeTerm::Given(b)) => a == b,
            (TypeTerm::Free(a), TypeTerm::Free(b)) => a == b,
            (TypeTerm::Pow(a), TypeTerm::Pow(b)) => self.alike(*a, *b),
            (TypeTerm::Pair(a, b), TypeTerm::Pair(c, d)) => self.alike(*a, *c) && self.alike(*b, *d),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }

    /// Requires the types of `elem : set`.
    pub(crate) fn expect_member(&mut self, elem: ExprId, set: ExprId, span: Span) -> bool {
        let inner = match self.types.shape(self.ty(set)) {
            TypeTerm::Pow(inner) => *inner,
            TypeTerm::Unknown | TypeTerm::Error => {
                let expected = self.types.pow(self.ty(elem));
                return self.expect(set, expected, "`:` needs a set of such elements on its right", span);
            }
            _ => {
                let expected = self.types.pow(self.ty(elem));
                return self.expect(set, expected, "`:` needs a set on its right", span);
            }
        };
        match self.types.unify(self.ty(elem), inner, span) {
            Ok(()) => true,
            Err(mismatch) if mismatch.is_infinite => {
                self.report_infinite(&[elem, set], inner);
                false
            }
            Err(_) => {
                self.report_not_a_member(elem, set, inner);
                false
            }
        }
    }

    fn report_not_a_member(&mut self, elem: ExprId, set: ExprId, inner: Ty) {
        let (elem_text, set_text) = (self.snippet(self.span(elem)), self.snippet(self.span(set)));
        let (found, wanted) = (self.types.text(&self.model, self.ty(elem)), self.types.text(&self.model, inner));
        let message = format!("`{elem_text}` is {found}, but the elements of `{set_text}` are {wanted}");
        let mut diagnostic = Diagnostic::error("type-mismatch", message)
            .at_saying(self.span(elem), format!("this is {found}"))
            .also(self.span(set), format!("this is POW({wanted})"));
        diagnostic = self.with_reason(diagnostic, elem);
        diagnostic = self.with_reason(diagnostic, set);
        let is_subset = self.alike(self.ty(elem), self.ty(set));
        let is_in_domain =
            matches!(self.types.shape(inner), TypeTerm::Pair(from, _) if self.alike(*from, self.ty(elem)));
        let is_in_range = matches!(self.types.shape(inner), TypeTerm::Pair(_, to) if self.alike(*to, self.ty(elem)));
        let diagnostic = if is_subset {
            diagnostic.help(format!("write `{elem_text} <: {set_text}`: `:` is for elements, `<:` for subsets"))
        } else if is_in_range {
            diagnostic.help(format!("the values of a function or sequence are its range: `ran({set_text})`"))
        } else if is_in_domain {
            diagnostic.help(format!("the arguments of a function or relation are its domain: `dom({set_text})`"))
        } else {
            self.with_conversion(diagnostic, self.ty(elem), inner, &elem_text)
        };
        self.report(diagnostic);
    }

    /// Elements in `f({a, b})`, for the hint that `f(a, b)` was meant.
    pub(crate) fn elements_of_extension(&self, expr: ExprId) -> Option<Vec<String>> {
        match &self.model.exprs[expr].expr {
            Expr::SetExtension(items) => Some(items.iter().map(|item| self.snippet(self.span(*item))).collect()),
            _ => None,
        }
    }
}

/// Adds the cardinality of a set. What is more than a name may lack parentheses instead.
fn with_size_of(diagnostic: Diagnostic, set: &str) -> Diagnostic {
    match set.chars().all(|ch| ch.is_alphanumeric() || ch == '_') {
        true => diagnostic.help(format!("the number of its elements is `card({set})`")),
        false => diagnostic,
    }
}

/// Text of the singleton of an element.
fn singleton(elem: &str, is_integer: bool) -> String {
    let bare = elem
        .strip_prefix('(')
        .and_then(|inside| inside.strip_suffix(')'))
        .filter(|inside| !inside.contains(['(', ')']));
    let bare = bare.unwrap_or(elem);
    match is_integer {
        true => format!("the set that holds only `{bare}` is `{{{bare}}}`, an interval is written `0..{bare}`"),
        false => format!("the set that holds only `{bare}` is `{{{bare}}}`"),
    }
}
