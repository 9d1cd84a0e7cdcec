//! Projects whose files live in memory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use abridge_check::{Config, FormulaSource, Prepared, formulas_of, prepare};
use abridge_diag::{RenderConfig, in_order, render};
use abridge_model::{Logic, Model};
use abridge_sema::{Analysis, FileSystem, FormulaAnalysis, FormulaText, Options, analyse, analyse_formulas};

/// Files by name; the first one added is the main machine.
#[derive(Default, Debug)]
pub struct Project {
    files: BTreeMap<PathBuf, String>,
    main: PathBuf,
    /// What the command line says.
    pub options: Options,
}

impl Project {
    /// A project of `(name, text)` pairs, the main machine first.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let main = files.first().map(|(name, _)| PathBuf::from(name)).unwrap_or_default();
        let files = files.iter().map(|(name, text)| (PathBuf::from(name), (*text).to_owned())).collect();
        Project { files, main, options: Options::default() }
    }

    /// The model of a machine that stands alone and has no mistakes.
    pub fn model_of(text: &str) -> Model {
        let analysis = Project::new(&[("M.mch", text)]).analyse();
        analysis.model.unwrap_or_else(|| panic!("{:?}\n{text}", analysis.diagnostics))
    }

    /// Reads, composes and types the main machine.
    pub fn analyse(&self) -> Analysis {
        analyse(self, &self.main, &self.options)
    }

    /// The model with the atoms of temporal formulas, and these; see [`with_formulas`].
    pub fn with_formulas(&self, others: &[(Logic, &str)], config: &Config) -> Option<(Model, Prepared)> {
        with_formulas(self, &self.main, &self.options, others, config)
    }

    /// Reads formulas in the scope of the main machine.
    pub fn analyse_formulas(&self, texts: &[FormulaText]) -> FormulaAnalysis {
        analyse_formulas(self, Some(&self.main), texts, &self.options)
    }

    /// All that the front end has to say, as a user sees it.
    pub fn diagnostics(&self) -> String {
        let analysis = self.analyse();
        let config = RenderConfig::default();
        let texts = in_order(&analysis.diagnostics).into_iter();
        let texts: Vec<String> = texts.map(|diagnostic| render(&analysis.sources, diagnostic, config)).collect();
        texts.join("\n")
    }
}

impl FileSystem for Project {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let text = self.files.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(text.clone().into_bytes())
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    fn names_in(&self, folder: &Path) -> Vec<String> {
        let here = self.files.keys().filter(|path| path.parent() == Some(folder));
        here.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
    }
}

/// The model of a machine with the atoms of temporal formulas, and these: those that the machine states, then the others, named by their
/// positions. Nothing if the machine has mistakes.
pub fn with_formulas(
    files: &dyn FileSystem,
    main: &Path,
    options: &Options,
    others: &[(Logic, &str)],
    config: &Config,
) -> Option<(Model, Prepared)> {
    let mut analysis = analyse(files, main, options);
    let model = analysis.model.take()?;
    let mut formulas = formulas_of(&model, &analysis.sources);
    for (number, (logic, text)) in others.iter().enumerate() {
        let name = number.to_string();
        let file = analysis.sources.add(format!("<{name}>"), *text);
        formulas.push(FormulaSource { name, logic: *logic, text: (*text).to_owned(), file, base: 0 });
    }
    let lower = &mut |texts: &[FormulaText]| analyse_formulas(files, Some(main), texts, options);
    let (with_atoms, prepared) = prepare(&model, formulas, config, lower);
    Some((with_atoms.unwrap_or(model), prepared))
}

/// The files of the disk, for machines that lie in folders.
pub struct FolderFiles;

impl FileSystem for FolderFiles {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }
}
