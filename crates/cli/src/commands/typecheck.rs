//! `abridge typecheck`: parse, compose and type-check many machines in parallel.
//!
//! Results are printed in the order of the files, whatever thread finishes first.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use abridge_diag::Diagnostic;
use abridge_sema::Options;
use serde::Serialize;

use crate::commands::{complain, exit_for, print_json};
use crate::disk;
use crate::exit::Exit;
use crate::load::{Loaded, load};
use crate::out::{errln, outln};
use crate::report::{JsonDiagnostic, count, json_diagnostics};

#[derive(Serialize)]
struct Summary {
    files: Vec<FileReport>,
    accepted: usize,
    refused: usize,
    seconds: f64,
}

#[derive(Serialize)]
struct FileReport {
    file: String,
    ok: bool,
    seconds: f64,
    diagnostics: Vec<JsonDiagnostic>,
}

/// Analysis of one file, and its duration.
struct FileResult {
    analysis: Loaded,
    seconds: f64,
}

pub(crate) fn run(paths: &[PathBuf], jobs: Option<usize>, options: &Options, json: bool) -> Exit {
    let files = match disk::machine_files(paths) {
        Ok(files) => files,
        Err(error) => {
            errln!("error: cannot list the files: {error}");
            return Exit::WrongModel;
        }
    };
    let start = Instant::now();
    let jobs = jobs.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let is_single = files.len() == 1 && paths.len() == 1 && !paths[0].is_dir();
    let mut summary = Summary { files: Vec::new(), accepted: 0, refused: 0, seconds: 0.0 };
    in_order(&files, jobs, options, |file, outcome| {
        let has_errors = outcome.analysis.model.is_none();
        *(if has_errors { &mut summary.refused } else { &mut summary.accepted }) += 1;
        if json {
            let diagnostics = json_diagnostics(&outcome.analysis.sources, &outcome.analysis.diagnostics);
            summary.files.push(FileReport {
                file: file.display().to_string(),
                ok: !has_errors,
                seconds: outcome.seconds,
                diagnostics,
            });
            return;
        }
        // With many files, warnings would bury the errors.
        let shown: Vec<Diagnostic> = outcome
            .analysis
            .diagnostics
            .iter()
            .filter(|diagnostic| is_single || diagnostic.is_error())
            .cloned()
            .collect();
        complain(&outcome.analysis.sources, &shown);
    });
    summary.seconds = start.elapsed().as_secs_f64();
    if json {
        print_json(&summary);
    } else {
        print_summary(&summary);
    }
    exit_for(summary.refused > 0)
}

fn print_summary(summary: &Summary) {
    let total = summary.accepted + summary.refused;
    let verdict = match summary.refused {
        0 => "accepted".to_owned(),
        refused if total == 1 => return errln!("\n{} refused", count(refused, "machine")),
        refused => format!("read, {} accepted, {refused} refused", summary.accepted),
    };
    outln!("{} {verdict} in {:.2} s", count(total, "machine"), summary.seconds);
}

/// Analyses all files on `jobs` threads and hands the outcomes over in the order of the files.
fn in_order(files: &[PathBuf], jobs: usize, options: &Options, mut take: impl FnMut(&Path, FileResult)) {
    let next = AtomicUsize::new(0);
    let outcomes: Vec<Mutex<Option<FileResult>>> = files.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        let (ready, done) = std::sync::mpsc::channel();
        for _ in 0..jobs.clamp(1, files.len().max(1)) {
            let (ready, next, outcomes) = (ready.clone(), &next, &outcomes);
            scope.spawn(move || {
                loop {
                    let idx = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(idx) else { break };
                    let start = Instant::now();
                    let analysis = load(file, options);
                    let outcome = FileResult { analysis, seconds: start.elapsed().as_secs_f64() };
                    *outcomes[idx].lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(outcome);
                    let _ = ready.send(idx);
                }
            });
        }
        drop(ready);
        let mut reported = 0;
        while done.recv().is_ok() {
            while let Some(outcome) =
                outcomes.get(reported).and_then(|slot| slot.lock().unwrap_or_else(|p| p.into_inner()).take())
            {
                take(&files[reported], outcome);
                reported += 1;
            }
        }
    });
}
