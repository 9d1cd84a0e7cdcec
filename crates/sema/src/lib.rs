//! Front end after parsing: names, composition and types. The files of a B project become one typed model.
//!
//! [`analyse`] loads the main machine and all files that it refers to (`project.rs`), collects definitions (`definitions.rs`), composes machine
//! instances, lowers their trees with type inference (`lower/`, `types.rs`), sizes the carriers (`abridge_model::carriers`), and returns the
//! [`Model`] or the diagnostics that explain why there is none.
//!
//! [`analyse_formulas`] also lowers formulas beside the machine, such as those that a user types.
//!
//! The crate reads files only through [`FileSystem`].

mod cascade;
mod definitions;
mod families;
mod formula;
mod library;
mod lower;
mod preferences;
mod project;
mod scope;
mod suggest;
mod types;

use std::path::{Path, PathBuf};

use abridge_diag::{Diagnostic, SourceMap};
use abridge_model::Model;
use abridge_syntax::ast::Ast;

pub use formula::{Formula, FormulaAnalysis, FormulaBody, FormulaRole, FormulaText, analyse_formulas};
pub use preferences::{PreferenceRow, preference_table};
pub use project::FileSystem;
pub use suggest::nearest;

/// Options of the analysis.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Folders searched for definition files and machines, after the folder of the referring file.
    pub include: Vec<PathBuf>,
    /// Preferences by their ProB names, which override SET_PREF definitions.
    pub preferences: Vec<(String, String)>,
    /// Sizes of deferred sets.
    pub set_sizes: Vec<(String, u32)>,
    /// True if the caps MAX_INITIALISATIONS and MAX_OPERATIONS are obeyed, so that setting them causes no warning.
    pub heeds_caps: bool,
    /// True if operations of a refinement do not assume the preconditions of the operations that they refine.
    pub ignore_abstract_preconditions: bool,
    /// Machine to compare the main one with: one of its abstractions or, if it refines none, any machine, which then serves as its abstraction.
    pub against: Option<PathBuf>,
    /// True if binders in the body of a definition capture names in its arguments.
    pub captures: bool,
    /// Predicate that takes the place of the definition GOAL.
    pub goal: Option<String>,
    /// Predicate that takes the place of the definition SCOPE.
    pub scope: Option<String>,
}

impl Options {
    /// Conventions of ProB.
    #[must_use]
    pub fn prob(mut self) -> Self {
        self.ignore_abstract_preconditions = true;
        self.captures = true;
        self
    }
}

/// Result of the analysis.
pub struct Analysis {
    pub sources: SourceMap,
    /// In the order of discovery.
    pub diagnostics: Vec<Diagnostic>,
    /// Trees of all files, the main one first; empty if it could not be read.
    pub trees: Vec<Ast>,
    /// Present if there is no error.
    pub model: Option<Model>,
}

impl Analysis {
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads, composes and types the machine in `main`.
pub fn analyse(files: &dyn FileSystem, main: &Path, options: &Options) -> Analysis {
    let mut sources = SourceMap::new();
    let mut diagnostics = Vec::new();
    let mut project = project::load(files, options, main, &mut sources, &mut diagnostics);
    if let Some(project) = &mut project {
        families::expand(project, &mut sources, &mut diagnostics);
    }
    let mut model = None;
    let trees = match project {
        None => Vec::new(),
        Some(project) => {
            if project.machine(project.main).is_none() && diagnostics.iter().all(|diagnostic| !diagnostic.is_error()) {
                let message = format!("`{}` holds definitions only, not a machine", main.display());
                diagnostics.push(Diagnostic::error("not-a-machine", message));
            }
            let (lowered, more) = lower::compose(&project, options, &sources);
            diagnostics = cascade::joined(diagnostics, more, &sources, project.gaps());
            model = lowered.filter(|_| diagnostics.iter().all(|diagnostic| !diagnostic.is_error()));
            project.units.into_iter().map(|unit| unit.ast).collect()
        }
    };
    Analysis { sources, diagnostics, trees, model }
}
