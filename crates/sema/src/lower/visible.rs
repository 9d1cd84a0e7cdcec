//! Visibility of names by clause.
//!
//! A name that is found may still not be visible: PROPERTIES mention no variables, CONSTRAINTS no constants, operations of a refinement no variables
//! that it has replaced. `testkit/tests/visibility.rs` holds the tables. A missing check lets a formula read a name that has no value when it is
//! evaluated.

use abridge_diag::{Diagnostic, Span};
use abridge_model::SmolStr;

use crate::lower::{ClausePlace, Lower};
use crate::scope::{Access, NameEntry, Symbol};

impl Lower<'_> {
    /// Reports uses of names in clauses that may not mention them.
    pub(super) fn check_visible(&mut self, name: &str, entry: &NameEntry, span: Span) {
        let NameEntry { symbol, is_param, span: declared, .. } = *entry;
        let is_static =
            matches!(self.place, ClausePlace::Properties | ClausePlace::Constraints | ClausePlace::Arguments);
        match symbol {
            Symbol::Variable(..) if is_static => {
                let (clause, help) = match self.place {
                    ClausePlace::Properties => ("PROPERTIES speak about constants only", "say it in the INVARIANT"),
                    ClausePlace::Constraints => ("CONSTRAINTS speak about parameters only", "say it in the INVARIANT"),
                    _ => ("a machine gets its parameters before there is a state", "use a constant"),
                };
                let message = format!("variable `{name}` cannot be used here");
                let diagnostic = Diagnostic::error("variable-not-visible", message).at_saying(span, clause);
                self.report(diagnostic.also(declared, "declared here").help(help));
            }
            Symbol::Variable(_, Access::Abstract)
                if matches!(
                    self.place,
                    ClausePlace::Initialisation | ClausePlace::Operation | ClausePlace::Steering
                ) =>
            {
                self.report_abstract(name, declared, span);
            }
            Symbol::Variable(_, Access::Seen)
                if matches!(self.place, ClausePlace::Invariant | ClausePlace::Assertions) =>
            {
                self.warn_seen(name, declared, span);
            }
            Symbol::Constant(_) if self.place == ClausePlace::Constraints && !is_param => {
                let message =
                    format!("constant `{name}` cannot be used in CONSTRAINTS, which speak about parameters only");
                self.report(
                    Diagnostic::error("constant-not-visible", message)
                        .at(span)
                        .help("relate parameters and constants in the INVARIANT"),
                );
            }
            _ if is_param && self.place == ClausePlace::Properties => {
                let message = format!("parameter `{name}` cannot be used in PROPERTIES");
                self.report(
                    Diagnostic::error("parameter-not-visible", message)
                        .at(span)
                        .help("constants do not depend on parameters; relate the two in the INVARIANT"),
                );
            }
            _ => {}
        }
    }

    /// Reports a replaced variable of the abstraction, once for each name.
    pub(crate) fn report_abstract(&mut self, name: &str, declared: Span, span: Span) {
        if !self.unknown_names.insert(SmolStr::from(name)) {
            return;
        }
        let message = format!("`{name}` is a variable of the abstraction, which the refinement no longer has");
        let diagnostic = Diagnostic::error("abstract-variable", message).at(span).also(declared, "declared here");
        self.report(
            diagnostic.help(format!("use the refinement's own variables, or keep `{name}` among its VARIABLES")),
        );
    }

    /// Warns about a variable of a seen machine in a clause that may not mention it by the rules of B, once for each name.
    fn warn_seen(&mut self, name: &str, declared: Span, span: Span) {
        if !self.warned_seen.insert(SmolStr::from(name)) {
            return;
        }
        let message = format!("`{name}` is a variable of a machine that is only seen");
        let diagnostic = Diagnostic::warning("seen-in-invariant", message).at(span);
        self.report(
            diagnostic
                .also(declared, "declared here")
                .note("by the rules of B, INVARIANT and ASSERTIONS cannot speak about it")
                .help("include the machine, or use it: `USES`"),
        );
    }
}
