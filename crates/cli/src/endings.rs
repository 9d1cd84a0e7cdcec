//! Ends of runs without a report: misuse of options, and limits that a run did not notice by itself.
//!
//! `check` and `refine` share them, so that the same accident has the same text, JSON and exit status in both.

use std::path::Path;

use abridge_check::limit_text;
use abridge_system::Limit;
use serde_json::{Map, json};

use crate::commands::print_json;
use crate::exit::Exit;
use crate::out::{errln, flush, outln};
use crate::report::JsonDiagnostic;
use crate::watch::{Stage, grouped};

/// Words in which a command tells its results.
pub(crate) struct EndingWords {
    /// A property that fails, in a sentence and as a key of JSON.
    pub(crate) finding: (&'static str, &'static str),
    /// What the search visits, in the singular and as a key of JSON.
    pub(crate) visited: (&'static str, &'static str),
}

/// Ends a run whose evaluation does not poll the stop flag, or that has not enough memory to tell what it found.
pub(crate) fn give_up(words: &EndingWords, file: &Path, limit: Limit, stage: Stage, n_visited: u64, json: bool) {
    let limit = format!("{} {}", limit_text(limit), stage.text());
    if json {
        let mut fields = Map::new();
        fields.insert("file".to_owned(), json!(file));
        fields.insert("verdict".to_owned(), json!("incomplete"));
        fields.insert(words.visited.1.to_owned(), json!(n_visited));
        fields.insert("limits".to_owned(), json!([limit]));
        fields.insert(words.finding.1.to_owned(), json!(null));
        print_json(&fields);
    } else {
        let found =
            if stage == Stage::Telling { "no report".to_owned() } else { format!("no {} found", words.finding.0) };
        let plural = if n_visited == 1 { "" } else { "s" };
        outln!("{found} ({limit}; {} {}{plural} visited)", grouped(n_visited), words.visited.0);
    }
    flush();
    std::process::exit(Exit::Incomplete as i32);
}

/// Reports options that do not fit together, or files that cannot be used.
pub(crate) fn misuse(file: &Path, json: bool, message: &str) -> Exit {
    misuse_after(&[], file, json, message)
}

/// The same where a message refers to diagnostics of the machine. As text, they have been printed.
pub(crate) fn misuse_after(diagnostics: &[JsonDiagnostic], file: &Path, json: bool, message: &str) -> Exit {
    if json {
        print_json(&json!({ "file": file, "verdict": "error", "message": message, "diagnostics": diagnostics }));
    } else {
        errln!("error: {message}");
    }
    Exit::Usage
}
