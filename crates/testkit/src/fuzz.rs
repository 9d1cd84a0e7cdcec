//! What must hold whatever the input: the oracles of the fuzz targets.
//!
//! Each takes any bytes and panics when a promise is broken. [`parse_never_fails`] and [`print_parse_round_trip`] look at one file,
//! [`analyse_never_fails`] at a project: lines `//# NAME` in the input begin further files. [`all`] is all three. For [`evaluators_agree`],
//! [`searches_agree`] and [`reductions_agree`] the bytes are the choices of a generator of machines.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use abridge_diag::{Diagnostic, FileId, RenderConfig, SourceMap, Span, render};
use abridge_model::{dump, verify};
use abridge_sema::{FileSystem, Options, analyse};
use abridge_syntax::ast::Ast;
use abridge_syntax::{PrintConfig, Visitor, parse_file, parse_formula, parse_substitution, print, same_tree, walk};

use crate::compare::{self, Compared, Way, WayPart};
use crate::{Choices, Project, everything};

/// More diagnostics than these are not rendered; each costs as much as its line is long.
const MAX_RENDERED: usize = 20;

/// All oracles.
pub fn all(bytes: &[u8]) {
    parse_never_fails(bytes);
    print_parse_round_trip(bytes);
    analyse_never_fails(bytes);
}

/// Parsing ends; its diagnostics are well-formed and can be shown; a tree with holes has at least one error.
pub fn parse_never_fails(bytes: &[u8]) {
    for parse in [parse_file, parse_formula, parse_substitution] {
        never_fails(bytes, parse);
    }
}

/// The same for a whole file only.
pub fn parse_file_never_fails(bytes: &[u8]) {
    never_fails(bytes, parse_file);
}

fn never_fails(bytes: &[u8], parse: fn(FileId, &str) -> (Ast, Vec<Diagnostic>)) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::new();
    sources.add("Main.mch", text.as_ref());
    let (ast, diagnostics) = parse(FileId(0), &text);
    check_diagnostics(&sources, &diagnostics);
    let has_errors = diagnostics.iter().any(Diagnostic::is_error);
    assert!(has_errors || !has_holes(&ast), "a part of the tree is missing and nothing is said about it");
}

/// Whatever parses without errors is printed, in ASCII and in Unicode, as text that parses to the same tree and prints the same.
pub fn print_parse_round_trip(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for parse in [parse_file, parse_formula, parse_substitution] {
        let (ast, diagnostics) = parse(FileId(0), &text);
        if diagnostics.iter().any(Diagnostic::is_error) {
            continue;
        }
        for unicode in [false, true] {
            let config = PrintConfig { unicode, ..PrintConfig::default() };
            let printed = print(&ast, config);
            let (again, diagnostics) = parse(FileId(0), &printed);
            if let Some(error) = diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
                panic!("printed text does not parse (unicode: {unicode}): {error:?}\n{}", shortened(&printed));
            }
            assert!(
                same_tree(&ast, &again),
                "printed text is another tree (unicode: {unicode})\n{}",
                shortened(&printed)
            );
            let reprinted = print(&again, config);
            assert!(
                printed == reprinted,
                "printing is not idempotent (unicode: {unicode})\n{}\n--- then ---\n{}",
                shortened(&printed),
                shortened(&reprinted)
            );
        }
    }
}

/// The whole front end ends; its diagnostics can be shown; a model keeps its promises and can be dumped, and there is one unless
/// there is an error.
pub fn analyse_never_fails(bytes: &[u8]) {
    let files = Files::split(bytes);
    let analysis = analyse(&files, Path::new(Files::MAIN), &options(bytes));
    check_diagnostics(&analysis.sources, &analysis.diagnostics);
    match &analysis.model {
        Some(model) => {
            let faults = verify(model);
            assert!(faults.is_empty(), "the model breaks promises: {faults:?}");
            let _ = dump::dump(model);
        }
        None => assert!(analysis.has_errors(), "there is no model, and nothing says why"),
    }
}

/// Every other input is analysed with everything allowed that a preference can allow.
fn options(bytes: &[u8]) -> Options {
    let mut options = Options::default();
    if bytes.len() % 2 == 1 {
        let preferences = [
            "ALLOW_COMPLEX_LETS",
            "ALLOW_LOCAL_OPERATION_CALLS",
            "ALLOW_NEW_OPERATIONS_IN_REFINEMENT",
            "ALLOW_OPERATION_CALLS_FOR_USES",
            "ALLOW_OPERATION_CALLS_IN_EXPRESSIONS",
            "ALLOW_OUTPUT_READING",
            "ALLOW_SIMULTANEOUS_ASSIGNMENTS",
            "ALLOW_UNTYPED_IDENTIFIERS",
        ];
        options.preferences = preferences.map(|name| (name.to_owned(), "TRUE".to_owned())).to_vec();
    }
    options
}

/// The machine that bytes stand for has the same states, transitions and findings with every evaluator.
pub fn evaluators_agree(bytes: &[u8]) -> Compared {
    agree(bytes, WayPart::Evaluation)
}

/// The same with every strategy, number of workers and place of states.
pub fn searches_agree(bytes: &[u8]) -> Compared {
    agree(bytes, WayPart::Search)
}

/// The same findings with every reduction.
pub fn reductions_agree(bytes: &[u8]) -> Compared {
    agree(bytes, WayPart::Reduction)
}

fn agree(bytes: &[u8], part: WayPart) -> Compared {
    let text = everything::machine(&mut Choices::new(bytes));
    let ways: Vec<Way> = compare::ways().into_iter().filter(|way| way.part == part).collect();
    let compared = compare::compare(&Project::model_of(&text), &ways, |_| {});
    compared.unwrap_or_else(|difference| panic!("{difference}\n{text}"))
}

fn check_diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        assert!(!diagnostic.message.is_empty(), "an empty message: {diagnostic:?}");
        let labels = diagnostic.primary.iter().chain(&diagnostic.secondary);
        assert!(
            labels.into_iter().all(|label| fits(sources, label.span)),
            "a place outside of the text: {diagnostic:?}"
        );
    }
    for diagnostic in diagnostics.iter().take(MAX_RENDERED) {
        let _ = render(sources, diagnostic, RenderConfig::default());
    }
}

/// Whether a place is in its text, between characters.
fn fits(sources: &SourceMap, span: Span) -> bool {
    let text = sources.file(span.file).text();
    let (start, end) = (span.start as usize, span.end as usize);
    start <= end && text.is_char_boundary(start) && text.is_char_boundary(end)
}

/// Whether a formula or substitution is missing.
fn has_holes(ast: &Ast) -> bool {
    struct Holes(bool);
    impl Visitor for Holes {
        fn enter(&mut self, label: &str, _: Span) {
            self.0 |= label == "Error";
        }

        fn leave(&mut self) {}
    }
    let mut holes = Holes(false);
    walk(ast, &mut holes);
    holes.0
}

/// Enough of a text for a message.
fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(4000)]
}

/// The files that one input holds.
struct Files {
    files: HashMap<PathBuf, Vec<u8>>,
}

impl Files {
    const MAIN: &str = "Main.mch";
    const SEPARATOR: &[u8] = b"//# ";

    fn split(bytes: &[u8]) -> Self {
        let mut files = HashMap::new();
        let mut name = PathBuf::from(Files::MAIN);
        let mut text = Vec::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            match line.strip_prefix(Files::SEPARATOR) {
                Some(next) => {
                    let next = PathBuf::from(String::from_utf8_lossy(next).trim());
                    files.insert(std::mem::replace(&mut name, next), std::mem::take(&mut text));
                }
                None => text.extend_from_slice(line),
            }
        }
        files.insert(name, text);
        Files { files }
    }
}

impl FileSystem for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_may_hold_several_files() {
        let files = Files::split(b"MACHINE A END\n//# B.mch\nMACHINE B\nEND\n//# C.def\nDEFINITIONS x == 1");
        assert_eq!(files.read(Path::new("Main.mch")).unwrap(), b"MACHINE A END\n");
        assert_eq!(files.read(Path::new("B.mch")).unwrap(), b"MACHINE B\nEND\n");
        assert_eq!(files.read(Path::new("C.def")).unwrap(), b"DEFINITIONS x == 1");
        assert!(!files.is_file(Path::new("D.mch")));
    }
}
