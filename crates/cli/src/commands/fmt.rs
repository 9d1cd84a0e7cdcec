//! `abridge fmt`: print a file in standard layout, or overwrite it.
//!
//! A file with syntax errors is left alone.

use std::io::IsTerminal as _;
use std::path::Path;

use abridge_syntax::{PrintConfig, print};
use serde::Serialize;

use crate::commands::{complain, parse_file, print_json};
use crate::exit::Exit;
use crate::files::replace_file;
use crate::out::{errln, out, raw};
use crate::report::{JsonDiagnostic, json_diagnostics};
use crate::text::io_text;

#[derive(Serialize)]
struct FmtReport {
    file: String,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    diagnostics: Vec<JsonDiagnostic>,
}

pub(crate) fn run(file: &Path, unicode: bool, width: usize, write: bool, json: bool) -> Exit {
    let parsed = parse_file(file);
    let text = match &parsed.tree {
        Some(tree) if !parsed.has_errors() => Some(print(tree, PrintConfig { unicode, width })),
        _ => None,
    };
    if json {
        let diagnostics = json_diagnostics(&parsed.sources, &parsed.diagnostics);
        print_json(&FmtReport {
            file: file.display().to_string(),
            ok: text.is_some(),
            text: text.clone(),
            diagnostics,
        });
    } else {
        complain(&parsed.sources, &parsed.diagnostics);
    }
    let Some(text) = text else { return Exit::WrongModel };
    if write {
        if let Err(error) = replace_file(file, &text) {
            errln!("error: cannot write `{}`: {}", file.display(), io_text(&error));
            return Exit::Usage;
        }
    } else if !json {
        // A file must get the text as it is; a terminal must not.
        if std::io::stdout().is_terminal() { out!("{text}") } else { raw(text.as_bytes()) }
    }
    Exit::Ok
}
