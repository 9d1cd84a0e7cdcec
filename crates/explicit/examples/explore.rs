//! Explores machines with the plain interpreter and prints what it counts.
//!
//! `explore [--max STATES] FILE...`; one line per file: name, verdicts, states, transitions, seconds, warnings, errors.

use std::path::Path;
use std::time::Instant;

use abridge_eval::EvalConfig;
use abridge_sema::{Options, analyse};
use abridge_testkit::FolderFiles;

#[path = "../tests/common/explore.rs"]
mod explore;

fn main() {
    let mut max_states = 1_000_000;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        if arg == "--max" {
            max_states = args.next().and_then(|max| max.parse().ok()).unwrap_or(max_states);
        } else {
            one(Path::new(&arg), max_states);
        }
    }
}

fn one(path: &Path, max_states: usize) {
    let start = Instant::now();
    let analysis = analyse(&FolderFiles, path, &Options::default());
    let Some(model) = analysis.model else {
        let why = analysis.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        println!("{}\tREFUSED\t{}", path.display(), why.map_or("", |diagnostic| &diagnostic.message));
        return;
    };
    let report = explore::explore(&model, EvalConfig::prob(), max_states);
    let first = report.errors.first().map_or(String::new(), |error| {
        let diagnostic = error.diagnostic(&model);
        let place = diagnostic.span().map_or(String::new(), |span| analysis.sources.locate(span));
        format!("{} {} at {place}", diagnostic.id, diagnostic.message)
    });
    println!(
        "{}\tdeadlock={} invariant={} cut={}\t{}\t{}\t{:.2}\tw{} e{} {first}",
        path.display(),
        report.deadlock,
        report.invariant_violated,
        report.is_cut,
        report.states,
        report.transitions,
        start.elapsed().as_secs_f64(),
        report.warnings.len(),
        report.errors.len(),
    );
}
