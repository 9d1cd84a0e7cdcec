//! Loader: finds and parses all files of a project, which are the main machine, the machines it refers to, and the definition files they import.
//!
//! The result is a list of [`ParsedFile`]s, one per file, each parsed once, with every reference resolved to a unit. Composition comes later.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use abridge_diag::{Diagnostic, FileId, SourceMap, Span, with_stack};
use abridge_model::SmolStr;
use abridge_syntax::ast::{Ast, ClauseKind, Definition, Machine, MachineKind, MachinePragma, MachineRef};

use crate::Options;
use crate::library;
use crate::suggest;

/// Read access to files. The crate itself does not touch the disk.
pub trait FileSystem {
    /// Bytes of a file.
    ///
    /// # Errors
    /// When the file does not exist or cannot be read.
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>>;

    fn is_file(&self, path: &Path) -> bool;

    /// Names of the files in a folder, to find one that was meant. None if they cannot be listed.
    fn names_in(&self, _folder: &Path) -> Vec<String> {
        Vec::new()
    }
}

/// Parsed file.
pub(crate) struct ParsedFile {
    pub(crate) path: PathBuf,
    pub(crate) ast: Ast,
    /// References to other machines, in the order of the text.
    pub(crate) refs: Vec<Reference>,
    /// Abstraction of a refinement or implementation.
    pub(crate) refines: Option<UnitId>,
    /// Definition files imported directly, with the span of the import.
    pub(crate) imports: Vec<(UnitId, Span)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct UnitId(pub(crate) u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RefKind {
    Sees,
    Uses,
    Includes,
    Extends,
    Imports,
}

/// Resolved reference to another machine.
pub(crate) struct Reference {
    pub(crate) kind: RefKind,
    pub(crate) syntax: MachineRef,
    pub(crate) unit: UnitId,
}

pub(crate) struct SourceProject {
    pub(crate) units: Vec<ParsedFile>,
    pub(crate) main: UnitId,
    /// Machine to compare the main one with, if the user named one.
    pub(crate) against: Option<UnitId>,
    /// A file could not be read, parsed or found. Trees may have holes, which are not reported again.
    pub(crate) has_errors: bool,
    /// A referenced file could not be found or read.
    lost_file: bool,
    /// Families of reductions of the main machine, expanded into substitutions.
    pub(crate) families: Vec<crate::families::Family>,
    /// Formulas from outside that take the place of steering definitions, with the names of these.
    pub(crate) steered: Vec<(&'static str, UnitId)>,
}

impl SourceProject {
    pub(crate) fn unit(&self, id: UnitId) -> &ParsedFile {
        &self.units[id.0 as usize]
    }

    pub(crate) fn ast(&self, id: UnitId) -> &Ast {
        &self.unit(id).ast
    }

    pub(crate) fn machine(&self, id: UnitId) -> Option<&Machine> {
        self.ast(id).machine()
    }

    /// Information that is missing because of syntax errors or missing files.
    pub(crate) fn gaps(&self) -> Gaps {
        Gaps {
            names: self.lost_file || self.units.iter().any(|unit| unit.ast.lost_names),
            formulas: self.lost_file || self.units.iter().any(|unit| unit.ast.skipped),
        }
    }
}

/// Information that may be missing in a project with errors.
#[derive(Clone, Copy)]
pub(crate) struct Gaps {
    /// Declarations may be missing, so that names are unknown.
    pub(crate) names: bool,
    /// Formulas and substitutions may be missing, so that names have no types or values.
    pub(crate) formulas: bool,
}

/// Loads all files reachable from `main`; `None` if the main file cannot be read.
pub(crate) fn load(
    files: &dyn FileSystem,
    options: &Options,
    main: &Path,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<SourceProject> {
    let include = &options.include;
    let mut loader =
        Loader { files, include, sources, diagnostics, units: Vec::new(), by_path: HashMap::new(), open: Vec::new() };
    let main = loader.unit_at(main, FileRole::Main, None)?;
    let against = options.against.as_ref().and_then(|path| loader.compared_with(main, path));
    let mut units: Vec<ParsedFile> = loader.units.into_iter().flatten().collect();
    let steered = steered(options, &mut units, sources, diagnostics);
    let has_errors = diagnostics.iter().any(Diagnostic::is_error);
    let lost_file = diagnostics.iter().any(|diagnostic| LOST_FILE.contains(&diagnostic.id));
    Some(SourceProject { units, main, against, has_errors, lost_file, families: Vec::new(), steered })
}

/// Adds the formulas of the options as units of their own.
fn steered(
    options: &Options,
    units: &mut Vec<ParsedFile>,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<(&'static str, UnitId)> {
    let given = [("GOAL", "<--goal>", &options.goal), ("SCOPE", "<--scope>", &options.scope)];
    let mut steered = Vec::new();
    for (name, source, text) in given {
        let Some(text) = text else { continue };
        steered.push((name, UnitId(units.len() as u32)));
        units.push(formula_unit(source, text, sources, diagnostics).0);
    }
    steered
}

/// A formula as a unit of its own, with the id of its text.
pub(crate) fn formula_unit(
    source: &str,
    text: &str,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> (ParsedFile, FileId) {
    let file = sources.add(source.to_owned(), text);
    let (ast, found) = abridge_syntax::parse_formula(file, text);
    diagnostics.extend(found);
    (ParsedFile { path: source.into(), ast, refs: Vec::new(), refines: None, imports: Vec::new() }, file)
}

/// Diagnostics after which the names of a whole file are unknown.
const LOST_FILE: [&str; 7] = [
    "cyclic-import",
    "cyclic-machines",
    "file-too-large",
    "file-unreadable",
    "missing-file",
    "missing-machine",
    "not-a-machine",
];

/// Expected kind of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileRole {
    Main,
    Machine,
    Definitions,
}

struct Loader<'a> {
    files: &'a dyn FileSystem,
    include: &'a [PathBuf],
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// `None` while the references of a unit are being loaded.
    units: Vec<Option<ParsedFile>>,
    by_path: HashMap<PathBuf, UnitId>,
    /// Chain of units being loaded, with the name that led to each.
    open: Vec<(UnitId, SmolStr)>,
}

impl Loader<'_> {
    fn unit_at(&mut self, path: &Path, role: FileRole, from: Option<Span>) -> Option<UnitId> {
        let path = normalise(path);
        if let Some(id) = self.by_path.get(&path) {
            let id = *id;
            if let Some(start) = self.open.iter().position(|(open, _)| *open == id) {
                self.report_cycle(start, role, from);
                return None;
            }
            return Some(id);
        }
        let text = self.read(&path, from)?;
        let file = self.sources.add(path.display().to_string(), text.as_str());
        let (ast, diagnostics) = abridge_syntax::parse_file(file, &text);
        self.diagnostics.extend(diagnostics);
        let id = UnitId(self.units.len() as u32);
        self.by_path.insert(path.clone(), id);
        self.units.push(None);
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        self.open.push((id, SmolStr::from(name.as_str())));
        let unit = with_stack(|| self.resolve_references(path, ast));
        self.open.pop();
        self.units[id.0 as usize] = Some(unit);
        Some(id)
    }

    /// Machine to compare the main one with: one of its abstractions, or the abstraction of a machine that has none.
    fn compared_with(&mut self, main: UnitId, path: &Path) -> Option<UnitId> {
        let named = self.unit_at(path, FileRole::Machine, None)?;
        let Some(name) = self.machine_of(named).map(|machine| machine.name.name.clone()) else {
            let message = format!("`{}` is not a machine", path.display());
            self.diagnostics.push(Diagnostic::error("not-a-machine", message));
            return None;
        };
        let mut level = Some(main);
        while let Some(id) = level {
            level = self.units[id.0 as usize].as_ref().and_then(|unit| unit.refines);
            if level == Some(named) {
                return Some(named);
            }
        }
        let refined = self.machine_of(main)?.refines.clone();
        if refined.is_none() && named != main {
            self.units[main.0 as usize].as_mut()?.refines = Some(named);
            return Some(named);
        }
        let message = format!("`{name}` is not an abstraction of this machine");
        let diagnostic = refined.map_or_else(
            || Diagnostic::error("not-an-abstraction", message.clone()),
            |refined| {
                Diagnostic::error("not-an-abstraction", message.clone()).at_saying(refined.span, "refined instead")
            },
        );
        self.diagnostics
            .push(diagnostic.help("name an abstraction, or a machine to compare a machine without REFINES with"));
        None
    }

    fn machine_of(&self, id: UnitId) -> Option<&Machine> {
        self.units[id.0 as usize].as_ref()?.ast.machine()
    }

    fn read(&mut self, path: &Path, from: Option<Span>) -> Option<String> {
        let bytes = match library::text(path) {
            Some(text) => return Some(text.to_owned()),
            None => self.files.read(path),
        };
        match bytes {
            Ok(bytes) => {
                let text = abridge_diag::decoded(bytes);
                if text.len() < u32::MAX as usize {
                    return Some(text);
                }
                self.diagnostics.push(at(
                    Diagnostic::error("file-too-large", format!("`{}` is larger than 4 GB", path.display())),
                    from,
                ));
                None
            }
            Err(error) => {
                let message = format!("cannot read `{}`: {}", path.display(), reason(&error));
                self.diagnostics.push(at(Diagnostic::error("file-unreadable", message), from));
                None
            }
        }
    }

    fn report_cycle(&mut self, start: usize, role: FileRole, from: Option<Span>) {
        let names: Vec<&str> = self.open[start..].iter().map(|(_, name)| name.as_str()).collect();
        let chain = format!("{} -> {}", names.join(" -> "), names[0]);
        let diagnostic = match role {
            FileRole::Definitions => {
                Diagnostic::error("cyclic-import", format!("definition files import each other: {chain}"))
            }
            _ => Diagnostic::error("cyclic-machines", format!("machines refer to each other in a cycle: {chain}")),
        };
        self.diagnostics.push(at(diagnostic, from).help("move what both need into a third file"));
    }

    fn resolve_references(&mut self, path: PathBuf, ast: Ast) -> ParsedFile {
        let mut unit = ParsedFile { path, ast, refs: Vec::new(), refines: None, imports: Vec::new() };
        let definitions: Vec<Definition> = match &unit.ast.unit {
            abridge_syntax::ast::Unit::Definitions(definitions) => definitions.clone(),
            abridge_syntax::ast::Unit::Machine(machine) => {
                let machine = machine.clone();
                self.resolve_machine(&machine, &mut unit);
                let clauses = machine.clauses.into_iter();
                clauses
                    .filter_map(
                        |clause| if let ClauseKind::Definitions(list) = clause.kind { Some(list) } else { None },
                    )
                    .flatten()
                    .collect()
            }
            _ => Vec::new(),
        };
        for definition in definitions {
            if let Definition::Import { path, span } = definition
                && let Some(id) = self.definition_file(&unit.path, &path, span)
            {
                unit.imports.push((id, span));
            }
        }
        unit
    }

    fn resolve_machine(&mut self, machine: &Machine, unit: &mut ParsedFile) {
        let folders = self.folders(&unit.path, machine);
        if let Some(refined) = &machine.refines {
            unit.refines = self.machine_named(&folders, &refined.name, refined.span, &unit.path);
            if let Some(id) = unit.refines
                && self.kind_of(id) == Some(MachineKind::Implementation)
            {
                let message = format!("`{}` is an implementation and cannot be refined", refined.name);
                let diagnostic = Diagnostic::error("refines-implementation", message).at(refined.span);
                self.diagnostics.push(
                    diagnostic
                        .help(format!("an implementation is the last step; refine what `{}` refines", refined.name)),
                );
            }
        }
        for clause in &machine.clauses {
            let (kind, refs) = match &clause.kind {
                ClauseKind::Sees(refs) => (RefKind::Sees, refs),
                ClauseKind::Uses(refs) => (RefKind::Uses, refs),
                ClauseKind::Includes(refs) => (RefKind::Includes, refs),
                ClauseKind::Extends(refs) => (RefKind::Extends, refs),
                ClauseKind::Imports(refs) => (RefKind::Imports, refs),
                _ => continue,
            };
            for reference in refs {
                let found = match &reference.file {
                    Some(file) => {
                        let path = folders[0].join(file.as_str());
                        self.unit_at(&path, FileRole::Machine, Some(reference.span))
                    }
                    None => self.machine_named(&folders, &reference.name.name, reference.name.span, &unit.path),
                };
                if let Some(id) = found {
                    unit.refs.push(Reference { kind, syntax: reference.clone(), unit: id });
                }
            }
        }
    }

    fn kind_of(&self, id: UnitId) -> Option<MachineKind> {
        Some(self.machine_of(id)?.kind)
    }

    /// Folders to search for machines that `path` refers to.
    fn folders(&self, path: &Path, machine: &Machine) -> Vec<PathBuf> {
        let home = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let mut folders = vec![home.clone()];
        let package = machine.pragmas.iter().find_map(|pragma| match pragma {
            MachinePragma::Package(name) => Some(name.split('.').count()),
            _ => None,
        });
        let mut root = home;
        for _ in 0..package.unwrap_or(0) {
            root = root.parent().map(Path::to_path_buf).unwrap_or_default();
        }
        for pragma in &machine.pragmas {
            if let MachinePragma::ImportPackage(name) = pragma {
                let parts = name.trim_end_matches(".*").split('.');
                let folder = parts.fold(root.clone(), |folder, part| folder.join(part));
                folders.push(folder.clone());
                // `a.b` may also name one machine `b` of package `a`.
                folders.extend(folder.parent().map(Path::to_path_buf));
            }
        }
        folders.extend(self.include.iter().cloned());
        folders.push(PathBuf::from(library::FOLDER));
        folders
    }

    fn machine_named(&mut self, folders: &[PathBuf], name: &SmolStr, span: Span, from: &Path) -> Option<UnitId> {
        let candidates = folders
            .iter()
            .flat_map(|folder| MACHINE_ENDINGS.map(|ending| normalise(&folder.join(format!("{name}{ending}")))));
        let exists = |path: &PathBuf| library::text(path).is_some() || self.files.is_file(path);
        let Some(path) = candidates.into_iter().find(|path| path != from && exists(path)) else {
            let itself = normalise(from).file_stem().is_some_and(|stem| stem.to_string_lossy() == name.as_str());
            self.diagnostics.push(if itself {
                let diagnostic =
                    Diagnostic::error("cyclic-machines", format!("machine `{name}` refers to itself")).at(span);
                diagnostic.help("a machine sees its own names anyway; remove the reference")
            } else {
                missing_machine(folders, name, span, self.similar_machine(folders, name, from))
            });
            return None;
        };
        let id = self.unit_at(&path, FileRole::Machine, Some(span))?;
        self.check_machine_name(id, name, span);
        self.kind_of(id).map(|_| id)
    }

    /// File of another machine with nearly this name.
    fn similar_machine(&self, folders: &[PathBuf], name: &str, from: &Path) -> Option<PathBuf> {
        folders.iter().find_map(|folder| {
            let mut names = self.files.names_in(folder);
            names.retain(|file| normalise(&folder.join(file)) != normalise(from));
            let stems: Vec<&str> = names.iter().filter_map(|file| machine_name(file)).collect();
            let near = suggest::nearest(name, stems)?;
            let file = names.iter().find(|file| machine_name(file) == Some(near))?;
            Some(normalise(&folder.join(file)))
        })
    }

    fn check_machine_name(&mut self, id: UnitId, name: &SmolStr, span: Span) {
        let Some(unit) = &self.units[id.0 as usize] else { return };
        match unit.ast.machine() {
            Some(machine) if machine.name.name == *name || machine.name.name.is_empty() => {}
            Some(machine) => {
                let message = format!("the file of machine `{name}` holds a machine named `{}`", machine.name.name);
                let diagnostic = Diagnostic::error("wrong-machine-name", message);
                self.diagnostics.push(
                    diagnostic
                        .at(machine.name.span)
                        .also(span, "referred to here")
                        .help("a machine that others refer to has the name of its file"),
                );
            }
            None => {
                let message = format!("`{}` is not a machine", unit.path.display());
                self.diagnostics.push(Diagnostic::error("not-a-machine", message).at(span));
            }
        }
    }

    /// File of nearly this name.
    fn similar_file(&self, folders: &[PathBuf], name: &str) -> Option<PathBuf> {
        folders.iter().find_map(|folder| {
            let names = self.files.names_in(folder);
            suggest::nearest(name, names.iter().map(String::as_str)).map(|near| normalise(&folder.join(near)))
        })
    }

    fn definition_file(&mut self, from: &Path, name: &str, span: Span) -> Option<UnitId> {
        let home = from.parent().map(Path::to_path_buf).unwrap_or_default();
        let folders: Vec<PathBuf> = std::iter::once(home).chain(self.include.iter().cloned()).collect();
        let library = PathBuf::from(library::FOLDER);
        let mut candidates = folders.iter().chain([&library]).map(|folder| normalise(&folder.join(name)));
        let found = candidates.find(|path| library::text(path).is_some() || self.files.is_file(path));
        let Some(path) = found else {
            let mut diagnostic =
                Diagnostic::error("missing-file", format!("definition file `{name}` not found")).at(span);
            if let Some(near) = self.similar_file(&folders, name) {
                diagnostic = diagnostic.help(similar_one(&near));
            } else if let Some(near) = suggest::nearest(name, library::names()) {
                diagnostic = diagnostic.help(format!("a built-in library has a similar name: `{near}`"));
            }
            self.diagnostics.push(diagnostic.help("definition files are searched beside the importing file, then in the folders of `--include`, then among the built-in libraries"));
            return None;
        };
        self.unit_at(&path, FileRole::Definitions, Some(span))
    }
}

/// Endings of the files of machines, in the order in which they are looked for.
const MACHINE_ENDINGS: [&str; 4] = [".ref", ".mch", ".sys", ".imp"];

/// Name of the machine that a file should hold.
fn machine_name(file: &str) -> Option<&str> {
    MACHINE_ENDINGS.iter().find_map(|ending| file.strip_suffix(ending))
}

fn similar_one(path: &Path) -> String {
    format!("a similar one exists: `{}`", path.display())
}

fn missing_machine(folders: &[PathBuf], name: &str, span: Span, similar: Option<PathBuf>) -> Diagnostic {
    let home = folders.first().filter(|folder| !folder.as_os_str().is_empty());
    let place = home.map_or_else(|| "the current folder".to_owned(), |folder| format!("`{}`", folder.display()));
    let diagnostic = Diagnostic::error("missing-machine", format!("machine `{name}` not found"))
        .at_saying(span, format!("no file `{name}.mch`, `.ref`, `.sys` or `.imp` in {place}"));
    let diagnostic = similar.iter().fold(diagnostic, |diagnostic, near| diagnostic.help(similar_one(near)));
    let diagnostic = diagnostic.help("other folders can be named with `--include DIR`");
    match name.starts_with("BASIC_") {
        true => diagnostic.note("the library of Atelier B has machines of such names; as in ProB, it is not built in"),
        false => diagnostic,
    }
}

fn at(diagnostic: Diagnostic, span: Option<Span>) -> Diagnostic {
    match span {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    }
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// Resolves `.` and `..` textually, so that one file has one path.
fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
