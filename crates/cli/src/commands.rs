//! One file per command.

pub(crate) mod animate;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod corpus;
pub(crate) mod eval;
pub(crate) mod fmt;
pub(crate) mod graph;
pub(crate) mod parse;
pub(crate) mod por;
pub(crate) mod show;
pub(crate) mod tables;
pub(crate) mod trace;
pub(crate) mod typecheck;

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use abridge_check::Config;
use abridge_diag::{Diagnostic, SourceMap};
use abridge_eval::World;
use abridge_explicit::{Explicit, judge};
use abridge_model::Model;
use abridge_sema::Options;
use abridge_syntax::ast::Ast;
use clap::ValueEnum;
use serde::Serialize;

use crate::disk::Surroundings;
use crate::exit::Exit;
use crate::out::{errln, outln};
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
            let text = abridge_diag::decoded(bytes);
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
        Ok(text) => outln!("{text}"),
        Err(error) => errln!("error: cannot write JSON: {error}"),
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

/// Conventions of other tools.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// Unbounded integers range over MININT..MAXINT, constants of deferred sets are pinned, undefined guards are false, definitions
    /// capture names in their arguments, abstract preconditions are not assumed, what is not checked is no limit
    Prob,
}

impl Compat {
    /// How to read a machine.
    pub(crate) fn options(compat: Option<Compat>, options: &Options) -> Options {
        match compat {
            Some(Compat::Prob) => options.clone().prob(),
            None => options.clone(),
        }
    }

    /// How to check a machine; its externals see the disk from where its file lies.
    pub(crate) fn config(compat: Option<Compat>, machine: Option<&Path>) -> Config {
        let mut config = match compat {
            Some(Compat::Prob) => Config::default().prob(),
            None => Config::default(),
        };
        config.eval.world = World::new(Arc::new(Surroundings::of(machine)));
        config
    }
}

/// A time limit on the command line.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    if seconds > 0.0 { Ok(seconds) } else { Err("a time limit is positive".to_owned()) }
}

/// A model with the means to evaluate it.
pub(crate) fn system<'m>(model: &'m Model, machine: Option<&Path>, compat: Option<Compat>) -> Explicit<'m> {
    let config = Compat::config(compat, machine);
    Explicit::new(judge(model, config.eval), config.system)
}

/// Writes beside the file and renames, so that the file is never half written, not even by two processes at once. A device is written to
/// directly.
pub(crate) fn replace_file(file: &Path, content: impl AsRef<[u8]>) -> std::io::Result<()> {
    let write = |path: &Path| {
        let mut target = std::fs::File::create(path)?;
        target.write_all(content.as_ref())?;
        target.flush()
    };
    let target = match std::fs::metadata(file) {
        Ok(known) if !known.is_file() => return write(file),
        // The file itself, if a link leads to it.
        Ok(_) => std::fs::canonicalize(file)?,
        Err(_) => file.to_owned(),
    };
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".abridge-new-{}", std::process::id()));
    let temporary = target.with_file_name(name);
    let written = write(&temporary).and_then(|()| std::fs::rename(&temporary, &target));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}
