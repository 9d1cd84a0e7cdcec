//! `abridge corpus`: a folder of machines against a table of expected results.
//!
//! Every machine runs in a process of its own, so one that takes too long or too much memory does not harm the others. The kind of a row
//! decides what must agree: verdict and counts for `exact` and `likely`, the verdict alone for other kinds. With `--symmetry`, runs are
//! compared with each other instead (`methods.rs`).

mod circuits;
mod methods;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use circuits::Cover;
use clap::Args;
use serde_json::{Value, json};

use crate::child;
use crate::commands::{print_json, seconds};
use crate::csv::{self, CsvRow};
use crate::exit::Exit;
use crate::files::replace_file;
use crate::out::{err, errln, outln};
use crate::terminal::can_overwrite;
use crate::text::io_text;

#[derive(Args)]
pub(crate) struct CorpusOptions {
    /// Folder to which the paths of the table are relative
    dir: PathBuf,
    /// Expected results: columns path, kind, deadlock, invariant_violated, states, transitions, prob_ms, note
    #[arg(long, value_name = "CSV")]
    expect: PathBuf,
    /// Run only rows of this kind
    #[arg(long)]
    kind: Option<String>,
    /// Run only machines whose path contains TEXT
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Time limit per machine
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value_t = 60.0)]
    timeout: f64,
    /// Number of machines at a time [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Compare verdicts with and without these symmetry methods, instead of with the table
    #[arg(long, value_name = "METHODS", value_delimiter = ',')]
    symmetry: Vec<String>,
    /// Write one row per machine to a file
    #[arg(long, value_name = "CSV")]
    out: Option<PathBuf>,
    /// Additional options for `abridge check`
    #[arg(last = true, value_name = "OPTIONS")]
    extra: Vec<String>,
}

/// Result of one machine.
#[derive(Clone, Default)]
struct RowResult {
    path: String,
    kind: String,
    /// The disagreement; empty if the machine agrees.
    detail: String,
    seconds: f64,
    prob_ms: String,
    states: Option<u64>,
    search_seconds: Option<f64>,
    /// Which evaluator was used, and why not the other.
    evaluator: Value,
}

pub(crate) fn run(options: &CorpusOptions, json: bool) -> Exit {
    let start = Instant::now();
    let rows = match read_rows(options) {
        Ok(rows) => rows,
        Err(message) => {
            errln!("error: {message}");
            return Exit::Usage;
        }
    };
    let outcomes = run_all(&rows, options, json);
    let seconds = start.elapsed().as_secs_f64();
    let cover = Cover::of(&outcomes, &options.extra);
    if json {
        let mut report = report_json(&outcomes, seconds);
        if let Some(cover) = cover {
            report["circuits"] = cover.to_json();
        }
        print_json(&report);
    } else {
        print_report(&outcomes, seconds);
        cover.iter().for_each(Cover::print);
    }
    if let Some(path) = &options.out
        && let Err(error) = replace_file(path, table(&outcomes))
    {
        errln!("error: cannot write `{}`: {}", path.display(), io_text(&error));
        return Exit::Usage;
    }
    if outcomes.iter().all(|outcome| outcome.detail.is_empty()) { Exit::Ok } else { Exit::No }
}

fn read_rows(options: &CorpusOptions) -> Result<Vec<CsvRow>, String> {
    let path = options.expect.display();
    let bytes = std::fs::read(&options.expect).map_err(|error| format!("cannot read `{path}`: {}", io_text(&error)))?;
    let text = String::from_utf8_lossy(&bytes);
    let header = csv::header(&text);
    if let Some(missing) = ["path", "kind"].iter().find(|name| !header.iter().any(|column| column == *name)) {
        return Err(format!("`{path}` has no column `{missing}`"));
    }
    let is_asked = |row: &CsvRow| {
        options.kind.as_ref().is_none_or(|kind| *kind == row["kind"])
            && options.only.as_ref().is_none_or(|only| row["path"].contains(only))
    };
    // A row that ends early has no kind.
    let whole = csv::parse(&text).into_iter().filter(|row| row.contains_key("path") && row.contains_key("kind"));
    Ok(whole.filter(is_asked).collect())
}

/// Checks all machines, several at a time; the outcomes in the order of the rows.
fn run_all(rows: &[CsvRow], options: &CorpusOptions, json: bool) -> Vec<RowResult> {
    let jobs =
        options.jobs.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1).clamp(1, 1024);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, RowResult)>> = Mutex::default();
    let is_shown = !json && can_overwrite();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(rows.len()) {
            scope.spawn(|| {
                while let Some((idx, row)) = claim(rows, &next) {
                    let outcome = check(row, options);
                    let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    done.push((idx, outcome));
                    if is_shown {
                        let wrong = done.iter().filter(|(_, outcome)| !outcome.detail.is_empty()).count();
                        err!("\r\x1b[2K{} of {}, {wrong} disagree", done.len(), rows.len());
                    }
                }
            });
        }
    });
    if is_shown {
        err!("\r\x1b[2K");
    }
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(idx, _)| *idx);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

fn claim<'r>(rows: &'r [CsvRow], next: &AtomicUsize) -> Option<(usize, &'r CsvRow)> {
    let idx = next.fetch_add(1, Ordering::Relaxed);
    rows.get(idx).map(|row| (idx, row))
}

/// A cell; empty if the row has none.
fn cell<'r>(row: &'r CsvRow, column: &str) -> &'r str {
    row.get(column).map(String::as_str).unwrap_or_default()
}

fn check(row: &CsvRow, options: &CorpusOptions) -> RowResult {
    if !options.symmetry.is_empty() {
        return methods::compare(cell(row, "path"), &options.symmetry, options);
    }
    let file = options.dir.join(cell(row, "path"));
    let start = Instant::now();
    // Machines of a corpus may refer to each other across its folders.
    let folder = options.dir.display().to_string();
    let fixed = ["--compat", "prob", "--survey", "--allow-read", &folder].map(str::to_owned);
    let limit = Duration::try_from_secs_f64(options.timeout).unwrap_or(Duration::MAX);
    let answer = child::check(&file, fixed.iter().chain(&options.extra), limit);
    let mut outcome = RowResult {
        path: cell(row, "path").to_owned(),
        kind: cell(row, "kind").to_owned(),
        seconds: start.elapsed().as_secs_f64(),
        prob_ms: cell(row, "prob_ms").to_owned(),
        ..RowResult::default()
    };
    match answer {
        Ok(answer) => {
            outcome.states = answer["states"].as_u64();
            outcome.search_seconds = answer["search_seconds"].as_f64();
            outcome.evaluator = answer["evaluator"].clone();
            outcome.detail = disagreements(row, &answer).join("; ");
        }
        Err(reason) => outcome.detail = reason,
    }
    outcome
}

/// Differences between a result and the table.
fn disagreements(row: &CsvRow, answer: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let note = cell(row, "note");
    for (column, field) in [("deadlock", "deadlock"), ("invariant_violated", "invariant")] {
        let known = cell(row, column).to_lowercase();
        let got = answer["found"][field].as_bool().unwrap_or(false).to_string();
        // A published run that timed out proves nothing about what it did not find.
        let is_open = known == "false" && note.contains("timed out");
        if ["true", "false"].contains(&known.as_str()) && got != known && !is_open {
            wrong.push(format!("{column} {got}, published {known}"));
        }
    }
    let kind = cell(row, "kind");
    let has_counts = kind == "exact" || kind == "likely";
    for column in ["states", "transitions"].into_iter().filter(|_| has_counts) {
        let known = cell(row, column);
        if !known.is_empty() && answer[column].as_u64() != known.parse().ok() {
            wrong.push(format!("{column} {}, published {known}", answer[column]));
        }
    }
    let verdict = answer["verdict"].as_str().unwrap_or_default();
    if verdict == "error" {
        wrong.push(format!("error: {}", child::first_line(answer["message"].as_str().unwrap_or_default())));
    }
    if has_counts && verdict == "incomplete" && wrong.is_empty() && !note.contains("integer-domain") {
        wrong.push(format!("incomplete: {}", answer["limits"]));
    }
    wrong
}

/// Agreeing rows and all rows of each kind.
fn by_kind(outcomes: &[RowResult]) -> BTreeMap<&str, (usize, usize)> {
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for outcome in outcomes {
        let (agree, all) = kinds.entry(&outcome.kind).or_default();
        *agree += usize::from(outcome.detail.is_empty());
        *all += 1;
    }
    kinds
}

/// Seconds for the agreeing machines with a published time: ours and theirs.
fn times(outcomes: &[RowResult]) -> (f64, f64) {
    let timed = outcomes.iter().filter(|outcome| outcome.detail.is_empty());
    let timed = timed.filter_map(|outcome| Some((outcome.seconds, outcome.prob_ms.parse::<f64>().ok()? / 1000.0)));
    timed.fold((0.0, 0.0), |(ours, theirs), (our, their)| (ours + our, theirs + their))
}

fn print_report(outcomes: &[RowResult], seconds: f64) {
    for outcome in outcomes.iter().filter(|outcome| !outcome.detail.is_empty()) {
        outln!("{:8} {}: {}", outcome.kind, outcome.path, outcome.detail);
    }
    outln!();
    for (kind, (agree, all)) in by_kind(outcomes) {
        outln!("{kind:8} {agree} of {all} agree ({:.2} %)", 100.0 * agree as f64 / all as f64);
    }
    let (ours, theirs) = times(outcomes);
    if ours > 0.0 {
        outln!(
            "time of the agreeing machines: {ours:.1} s with process start, published {theirs:.1} s, ratio {:.0}",
            theirs / ours
        );
    }
    outln!("total {seconds:.1} s");
}

fn report_json(outcomes: &[RowResult], seconds: f64) -> Value {
    let kinds: serde_json::Map<String, Value> = by_kind(outcomes)
        .into_iter()
        .map(|(kind, (agree, all))| (kind.to_owned(), json!({ "agree": agree, "all": all })))
        .collect();
    let row = |outcome: &RowResult| {
        json!({
            "path": outcome.path,
            "kind": outcome.kind,
            "agree": outcome.detail.is_empty(),
            "seconds": outcome.seconds,
            "prob_ms": outcome.prob_ms.parse::<f64>().ok(),
            "states": outcome.states,
            "search_seconds": outcome.search_seconds,
            "detail": outcome.detail,
        })
    };
    let (ours, theirs) = times(outcomes);
    json!({
        "kinds": kinds,
        "seconds": seconds,
        "agreeing_seconds": ours,
        "agreeing_published_seconds": theirs,
        "machines": outcomes.iter().map(row).collect::<Vec<_>>(),
    })
}

fn table(outcomes: &[RowResult]) -> String {
    let mut text = csv::line(["path", "kind", "agree", "seconds", "prob_ms", "states", "search_seconds", "detail"]);
    for outcome in outcomes {
        let agree = if outcome.detail.is_empty() { "True" } else { "False" };
        let seconds = format!("{:.3}", outcome.seconds);
        let states = outcome.states.map(|n| n.to_string()).unwrap_or_default();
        let search_seconds = outcome.search_seconds.map(|n| n.to_string()).unwrap_or_default();
        text += &csv::line([
            &outcome.path,
            &outcome.kind,
            agree,
            &seconds,
            &outcome.prob_ms,
            &states,
            &search_seconds,
            &outcome.detail,
        ]);
    }
    text
}
