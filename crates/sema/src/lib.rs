//! Names, composition and types: the files of a B project in, one typed model out.
//!
//! [`analyse`] loads the main machine and everything it refers to (`project.rs`), collects definitions (`definitions.rs`), composes
//! machine instances and lowers their trees with type inference (`lower/`, `types.rs`), sizes the carriers (`carriers.rs`), and returns
//! the [`Model`](abridge_model::Model) or the diagnostics that say why there is none.
//!
//! [`analyse_formulas`] does the same and adds formulas that stand beside the machine.
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

pub use formula::{Formula, FormulaAnalysis, FormulaBody, FormulaText, Role, analyse_formulas};
pub use preferences::{PreferenceRow, preference_table};
pub use project::FileSystem;
pub use suggest::nearest;

/// What the user says besides the machine.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Folders searched for definition files and machines after the referring file's own.
    pub include: Vec<PathBuf>,
    /// Preferences by their ProB names; they win over SET_PREF definitions.
    pub preferences: Vec<(String, String)>,
    /// Sizes of deferred sets.
    pub set_sizes: Vec<(String, u32)>,
    /// The caps MAX_INITIALISATIONS and MAX_OPERATIONS will be obeyed, so that setting them is worth no warning.
    pub heeds_caps: bool,
    /// Operations of a refinement do not assume the preconditions of the operations that they refine.
    pub ignore_abstract_preconditions: bool,
    /// A machine to compare the main one with: one of its abstractions or, if it refines none, any machine, which is then taken for its
    /// abstraction.
    pub against: Option<PathBuf>,
    /// Names in arguments of definitions are captured by binders of the definition's body.
    pub captures: bool,
}

impl Options {
    /// ProB's conventions.
    #[must_use]
    pub fn prob(mut self) -> Self {
        self.ignore_abstract_preconditions = true;
        self.captures = true;
        self
    }
}

/// What the front end found out.
pub struct Analysis {
    pub sources: SourceMap,
    /// In the order of discovery.
    pub diagnostics: Vec<Diagnostic>,
    /// The trees of all files, the main one first; empty if it could not be read.
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
