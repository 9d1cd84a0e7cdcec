//! Formulas beside a machine: formulas that a user types, values in a trace.
//!
//! [`analyse_formulas`] analyses the machine as usual and lowers the formulas last, in its scope. All ids of the machine, types included, are those
//! of the model without formulas, so that values and states of one model have the same meaning in the other.

use std::path::Path;

use abridge_diag::{Diagnostic, FileId, SourceMap};
use abridge_model::{ExprId, LocalId, Model, PredId, SmolStr};

use crate::project::{self, FileSystem, SourceProject, UnitId};
use crate::{Options, cascade, families, library, lower};

/// Text of a formula.
#[derive(Clone, Debug)]
pub struct FormulaText {
    /// Text shown in place of a file name.
    pub source: String,
    pub text: String,
    pub role: FormulaRole,
}

/// Role of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormulaRole {
    /// Expression, or predicate whose unknown identifiers are free.
    Any,
    /// Predicate without free identifiers.
    Predicate,
    /// Expression without free identifiers.
    Expression,
    /// Predicate about a step: `x$0`, the value of a variable before it, is a free identifier with the name of the variable.
    BeforeAfter,
    /// Value of a constant or variable.
    ValueOf(SmolStr),
    /// Value of a parameter or output of an operation.
    ValueOfLocal { operation: SmolStr, local: SmolStr },
}

/// Formula in the model.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Free identifiers, in the order of first use.
    pub free: Vec<LocalId>,
    pub body: FormulaBody,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormulaBody {
    Pred(PredId),
    Expr(ExprId),
}

/// Result of the analysis.
pub struct FormulaAnalysis {
    pub sources: SourceMap,
    pub diagnostics: Vec<Diagnostic>,
    /// Model of the machine with the formulas; present if there is no error.
    pub model: Option<Model>,
    /// Formula of each text; empty if there is no model.
    pub formulas: Vec<Formula>,
    /// Ids of the texts, in order.
    pub files: Vec<FileId>,
}

impl FormulaAnalysis {
    /// Errors, and all diagnostics about the formulas.
    pub fn relevant(&self) -> Vec<Diagnostic> {
        let is_inside = |diagnostic: &Diagnostic| diagnostic.span().is_some_and(|span| self.files.contains(&span.file));
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error() || is_inside(diagnostic)).cloned().collect()
    }
}

/// Analyses formulas in the scope of the machine in `main`, or of an empty one that knows the built-in libraries.
pub fn analyse_formulas(
    files: &dyn FileSystem,
    main: Option<&Path>,
    texts: &[FormulaText],
    options: &Options,
) -> FormulaAnalysis {
    let mut sources = SourceMap::new();
    let mut diagnostics = Vec::new();
    let project = match main {
        Some(main) => project::load(files, options, main, &mut sources, &mut diagnostics),
        None => project::load(&Nothing, &Options::default(), Path::new(EMPTY_MACHINE), &mut sources, &mut diagnostics),
    };
    let mut analysis = FormulaAnalysis { sources, diagnostics, model: None, formulas: Vec::new(), files: Vec::new() };
    let Some(mut project) = project else { return analysis };
    families::expand(&mut project, &mut analysis.sources, &mut analysis.diagnostics);
    if project.machine(project.main).is_none() && analysis.diagnostics.iter().all(|diagnostic| !diagnostic.is_error()) {
        let message = format!("`{}` holds definitions only, not a machine", project.unit(project.main).path.display());
        analysis.diagnostics.push(Diagnostic::error("not-a-machine", message));
    }
    let formulas: Vec<(UnitId, FormulaRole)> =
        texts.iter().map(|text| (add(&mut project, text, &mut analysis), text.role.clone())).collect();
    let lowered = lower::compose_with(&project, options, &analysis.sources, &formulas);
    let read = std::mem::take(&mut analysis.diagnostics);
    analysis.diagnostics = cascade::joined(read, lowered.diagnostics, &analysis.sources, project.gaps());
    if analysis.diagnostics.iter().all(|diagnostic| !diagnostic.is_error()) {
        analysis.model = lowered.model;
        analysis.formulas = lowered.formulas;
    }
    analysis
}

/// Adds a text to the project as a unit of its own.
fn add(project: &mut SourceProject, text: &FormulaText, analysis: &mut FormulaAnalysis) -> UnitId {
    let mut diagnostics = Vec::new();
    let (unit, file) = project::formula_unit(&text.source, &text.text, &mut analysis.sources, &mut diagnostics);
    project.has_errors |= diagnostics.iter().any(Diagnostic::is_error);
    analysis.diagnostics.extend(diagnostics);
    analysis.files.push(file);
    project.units.push(unit);
    UnitId(project.units.len() as u32 - 1)
}

const EMPTY_MACHINE: &str = "<empty>";

/// File system with a single machine, which imports the libraries.
struct Nothing;

impl FileSystem for Nothing {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path != Path::new(EMPTY_MACHINE) {
            return Err(std::io::ErrorKind::NotFound.into());
        }
        let libraries = library::names().filter(|name| name.ends_with(".def"));
        let imports: Vec<String> = libraries.map(|name| format!("\"{name}\"")).collect();
        Ok(format!("MACHINE Empty DEFINITIONS {} END", imports.join(";")).into_bytes())
    }

    fn is_file(&self, path: &Path) -> bool {
        path == Path::new(EMPTY_MACHINE)
    }
}
