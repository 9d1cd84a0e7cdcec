//! One file per command.

pub(crate) mod check;
pub(crate) mod fmt;
pub(crate) mod parse;
pub(crate) mod show;
pub(crate) mod typecheck;

use std::path::Path;

use abridge_diag::{Diagnostic, SourceMap};
use abridge_syntax::ast::Ast;
use serde::Serialize;

use crate::exit::Exit;
use crate::report;

/// A file that was read and parsed on its own.
pub(crate) struct Parsed {
    pub(crate) sources: SourceMap,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) tree: Option<Ast>,
}

impl Parsed {
    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads and parses one file.
pub(crate) fn parse_file(path: &Path) -> Parsed {
    let mut sources = SourceMap::new();
    match std::fs::read(path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            let file = sources.add(path.display().to_string(), &*text);
            let (tree, diagnostics) = abridge_syntax::parse_file(file, &text);
            Parsed { sources, diagnostics, tree: Some(tree) }
        }
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", path.display());
            Parsed { sources, diagnostics: vec![Diagnostic::error("file-unreadable", message)], tree: None }
        }
    }
}

/// Prints a JSON object on one line.
pub(crate) fn print_json(value: &impl Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => println!("{text}"),
        Err(error) => eprintln!("error: cannot write JSON: {error}"),
    }
}

/// The exit status for diagnostics.
pub(crate) fn exit_for(has_errors: bool) -> Exit {
    if has_errors { Exit::WrongModel } else { Exit::Ok }
}

/// Prints diagnostics for people, if there are any.
pub(crate) fn complain(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() {
        report::print_diagnostics(sources, diagnostics);
    }
}

/// Writes beside the file and renames, so that the file is never half written.
pub(crate) fn replace_file(file: &Path, text: &str) -> std::io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".abridge-new");
    let temporary = file.with_file_name(name);
    let written = std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}
