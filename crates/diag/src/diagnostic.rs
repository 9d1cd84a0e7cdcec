//! Diagnostics as data.
//!
//! Library crates build diagnostics and never print. Ids are permanent, because tests, documentation and users refer to them.

use crate::Span;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    Error,
    Warning,
}

/// Span with an optional text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// Message to the user. `id` is kebab-case and permanent; `docs/diagnostics/<id>.md` explains it with examples.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub id: &'static str,
    pub severity: Severity,
    /// Lower case, no final stop, B text in backquotes.
    pub message: String,
    /// Primary place; absent only for messages about the command line or an unreadable file.
    pub primary: Option<Label>,
    pub secondary: Vec<Label>,
    pub notes: Vec<String>,
    pub help: Vec<String>,
}

impl Diagnostic {
    pub fn error(id: &'static str, message: impl Into<String>) -> Self {
        Diagnostic::new(id, Severity::Error, message.into())
    }

    pub fn warning(id: &'static str, message: impl Into<String>) -> Self {
        Diagnostic::new(id, Severity::Warning, message.into())
    }

    fn new(id: &'static str, severity: Severity, message: String) -> Self {
        Diagnostic { id, severity, message, primary: None, secondary: Vec::new(), notes: Vec::new(), help: Vec::new() }
    }

    /// Sets the primary place.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        self.at_saying(span, "")
    }

    /// Sets the primary place with a short text shown there.
    #[must_use]
    pub fn at_saying(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Adds a secondary place with a text shown there.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    pub fn span(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }
}

/// Diagnostics in display order: errors first, then by place.
pub fn in_order(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| (diagnostic.severity, diagnostic.span()));
    sorted
}
