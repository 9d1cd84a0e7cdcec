//! The commands, one file each, and what they share: parsing a file, JSON output, conventions of other tools, replacing a file.

pub(crate) mod animate;
pub(crate) mod bench;
pub(crate) mod canonizers;
pub(crate) mod check;
pub(crate) mod corpus;
pub(crate) mod eval;
pub(crate) mod fmt;
pub(crate) mod graph;
pub(crate) mod ltl;
pub(crate) mod parse;
pub(crate) mod places;
pub(crate) mod por;
pub(crate) mod preferences;
pub(crate) mod probcli;
pub(crate) mod refine;
pub(crate) mod repl;
pub(crate) mod show;
pub(crate) mod tables;
pub(crate) mod trace;
pub(crate) mod typecheck;

use std::path::Path;
use std::sync::Arc;

use abridge_check::Config;
use abridge_diag::{Diagnostic, SourceMap, is_unsafe};
use abridge_eval::{Memory, World};
use abridge_explicit::{Explicit, judge};
use abridge_model::Model;
use abridge_sema::Options;
use abridge_syntax::ast::Ast;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Value, json};

use crate::disk::{MAX_SOURCE_BYTES, Surroundings};
use crate::exit::Exit;
use crate::files::read_up_to;
use crate::load::{self, Loaded};
use crate::out::{errln, raw};
use crate::report;
use crate::text::io_text;
use crate::watch::{Ceiling, resident_bytes, usual_budget};

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
    if let Some(refusal) = load::refused(path) {
        return Parsed { sources, diagnostics: vec![refusal], tree: None };
    }
    match read_up_to(path, MAX_SOURCE_BYTES) {
        Ok(bytes) => {
            let text = abridge_diag::decoded(bytes);
            let file = sources.add(path.display().to_string(), &*text);
            let (tree, diagnostics) = abridge_syntax::parse_file(file, &text);
            Parsed { sources, diagnostics, tree: Some(tree) }
        }
        Err(error) => {
            let message = format!("cannot read `{}`: {}", path.display(), io_text(&error));
            Parsed { sources, diagnostics: vec![Diagnostic::error("file-unreadable", message)], tree: None }
        }
    }
}

/// Prints a JSON object on one line.
pub(crate) fn print_json(value: &impl Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => raw((escaped_json(&text) + "\n").as_bytes()),
        Err(error) => errln!("error: cannot write JSON: {error}"),
    }
}

/// The same JSON without characters that make a terminal do something; only strings can contain them.
fn escaped_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        if is_unsafe(ch) {
            out += &format!("\\u{:04x}", ch as u32);
        } else {
            out.push(ch);
        }
    }
    out
}

/// The exit status for diagnostics.
pub(crate) fn exit_for(has_errors: bool) -> Exit {
    if has_errors { Exit::WrongModel } else { Exit::Ok }
}

/// Prints diagnostics as text, if there are any.
pub(crate) fn complain(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() {
        report::print_diagnostics(sources, diagnostics);
    }
}

/// Reads the model in a file and tells its diagnostics. As JSON they come after the model, or at once, with these fields, if there is none.
pub(crate) fn load_and_tell(file: &Path, options: &Options, json: Option<Value>) -> Loaded {
    let loaded = load::load(file, options);
    match json {
        Some(mut fields) if loaded.model.is_none() => {
            fields["ok"] = json!(false);
            fields["diagnostics"] = json!(report::json_diagnostics(&loaded.sources, &loaded.diagnostics));
            print_json(&fields);
        }
        Some(_) => {}
        None => complain(&loaded.sources, &loaded.diagnostics),
    }
    loaded
}

/// Conventions of other tools.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// As ProB: unbounded integers range over MININT..MAXINT, constants of deferred sets are fixed elements, ill-defined guards are false,
    /// definitions capture names in their arguments, abstract preconditions are not assumed, unchecked properties are no limit
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

    /// How to check a machine within some bytes of memory; its externals see the disk from where its file lies.
    pub(crate) fn config(compat: Option<Compat>, machine: Option<&Path>, budget: u64) -> Config {
        let mut config = match compat {
            Some(Compat::Prob) => Config::default().prob(),
            None => Config::default(),
        };
        config.eval.heeds_time_out = true;
        config.eval.memory = account(budget);
        config.eval.world = World::new(Arc::new(Surroundings::of(machine, budget)));
        config
    }
}

/// Account of the memory of evaluations under a budget of the process.
pub(crate) fn account(budget: u64) -> Memory {
    Memory::below(Ceiling::above(budget).soft, resident_bytes)
}

/// A time limit on the command line.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    if seconds > 0.0 { Ok(seconds) } else { Err("the time limit must be positive".to_owned()) }
}

/// A memory size on the command line.
pub(crate) fn memory_size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((idx, 'k' | 'K')) => (&text[..idx], 1 << 10),
        Some((idx, 'm' | 'M')) => (&text[..idx], 1 << 20),
        Some((idx, 'g' | 'G')) => (&text[..idx], 1 << 30),
        _ => (text, 1),
    };
    let amount: f64 = digits.parse().map_err(|_| format!("`{text}` is not a size; expected for example 512M or 4G"))?;
    if amount > 0.0 { Ok((amount * f64::from(unit)) as u64) } else { Err("the size must be positive".to_owned()) }
}

/// The transition system of a model.
pub(crate) fn system<'m>(model: &'m Model, machine: Option<&Path>, compat: Option<Compat>) -> Explicit<'m> {
    system_of(model, &Compat::config(compat, machine, usual_budget()))
}

/// The same with a configuration, and what ends evaluations.
pub(crate) fn system_of<'m>(model: &'m Model, config: &Config) -> Explicit<'m> {
    let interp = judge(model, config.eval.clone()).stopped_by(config.stop.clone());
    Explicit::new(interp, config.system.clone())
}
