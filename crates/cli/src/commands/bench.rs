//! `abridge bench`: time and memory of named sets of models.
//!
//! Models run one after the other, each in a process of its own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::child;
use crate::commands::{print_json, seconds};
use crate::csv;
use crate::exit::Exit;
use crate::files::replace_file;
use crate::out::{errln, out};
use crate::text::{aligned, io_text};
use crate::watch::grouped;

#[derive(Args)]
pub(crate) struct BenchOptions {
    /// Names of sets, names of models in a set, or model files [default: every set]
    #[arg(value_name = "SET or MODEL")]
    what: Vec<String>,
    /// Benchmark file: `[set]` lines, followed by lines `name: model options`; model paths are relative to the file
    #[arg(long, value_name = "FILE", default_value = "models/benchmarks.txt")]
    sets: PathBuf,
    /// Number of runs per model; the fastest counts
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Time limit per run
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value_t = 3600.0)]
    timeout: f64,
    /// Write the results to a .json or .csv file, with machine, commit and command
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Compare with a .json file of an earlier run, and print the speed-up
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Additional options for `abridge check`
    #[arg(last = true, value_name = "OPTIONS")]
    extra: Vec<String>,
}

/// A model with options of `abridge check`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    set: String,
    name: String,
    model: PathBuf,
    options: Vec<String>,
}

/// Result of an entry.
struct BenchRow {
    entry: Entry,
    answer: Result<Value, String>,
    /// Speed-up over the earlier run.
    ratio: Option<f64>,
}

pub(crate) fn run(options: &BenchOptions, json: bool) -> Exit {
    match measure(options, json) {
        Ok(rows) if rows.iter().all(|row| row.answer.is_ok()) => Exit::Ok,
        Ok(_) => Exit::No,
        Err(message) => {
            errln!("error: {message}");
            Exit::Usage
        }
    }
}

fn measure(options: &BenchOptions, json: bool) -> Result<Vec<BenchRow>, String> {
    let entries = entries(options)?;
    let before = options.against.as_deref().map(read_json).transpose()?;
    let mut rows = Vec::new();
    for entry in entries {
        if !json {
            errln!("{}", entry.name);
        }
        let answer = fastest(&entry, options);
        let ratio = before.as_ref().zip(answer.as_ref().ok()).and_then(|(before, now)| ratio(before, &entry, now));
        rows.push(BenchRow { entry, answer, ratio });
    }
    let document = document(&rows);
    if json {
        print_json(&document);
    } else {
        out!("{}", table(&rows, before.is_some()));
    }
    if let Some(path) = &options.out {
        let is_csv = path.extension().is_some_and(|extension| extension == "csv");
        let text = if is_csv { rows_csv(&rows) } else { format!("{document:#}\n") };
        replace_file(path, text).map_err(|error| format!("cannot write `{}`: {}", path.display(), io_text(&error)))?;
    }
    Ok(rows)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {}", path.display(), io_text(&error)))
}

fn read_json(path: &Path) -> Result<Value, String> {
    serde_json::from_str(&read(path)?)
        .map_err(|error| format!("`{}` is not a file written by --out: {error}", path.display()))
}

/// The requested entries, in the order of the request.
fn entries(options: &BenchOptions) -> Result<Vec<Entry>, String> {
    let is_model = |what: &String| Path::new(what).extension().is_some();
    let needs_sets = options.what.is_empty() || !options.what.iter().all(is_model);
    let known = if needs_sets { parse_sets(&read(&options.sets)?, &options.sets)? } else { Vec::new() };
    if options.what.is_empty() {
        return Ok(known);
    }
    let mut entries = Vec::new();
    for what in &options.what {
        if is_model(what) {
            entries.push(Entry { set: String::new(), name: what.clone(), model: what.into(), options: Vec::new() });
            continue;
        }
        let chosen: Vec<Entry> =
            known.iter().filter(|entry| entry.set == *what || entry.name == *what).cloned().collect();
        if chosen.is_empty() {
            return Err(format!("`{}` has no set or model `{what}`", options.sets.display()));
        }
        entries.extend(chosen);
    }
    Ok(entries)
}

/// Parses a benchmark file.
fn parse_sets(text: &str, file: &Path) -> Result<Vec<Entry>, String> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let (mut set, mut entries) = (String::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.trim().clone_into(&mut set);
            continue;
        }
        let wrong = || format!("{}:{number}: expected `[set]` or `name: model options`", file.display());
        let (name, rest) = line.split_once(':').ok_or_else(wrong)?;
        let mut words = rest.split_whitespace();
        let model = folder.join(words.next().ok_or_else(wrong)?);
        let options = words.map(str::to_owned).collect();
        entries.push(Entry { set: set.clone(), name: name.trim().to_owned(), model, options });
    }
    Ok(entries)
}

/// The answer of the run with the shortest search.
fn fastest(entry: &Entry, options: &BenchOptions) -> Result<Value, String> {
    let limit = Duration::try_from_secs_f64(options.timeout).unwrap_or(Duration::MAX);
    let run = |_| child::check(&entry.model, entry.options.iter().chain(&options.extra), limit);
    let answers: Result<Vec<Value>, String> = (0..options.repeat).map(run).collect();
    let fastest = answers?.into_iter().min_by(|left, right| time(left).total_cmp(&time(right)));
    let answer = fastest.ok_or("no run")?;
    match answer["verdict"].as_str() {
        Some("error") | None => Err(child::first_line(answer["message"].as_str().unwrap_or("no verdict"))),
        Some(_) => Ok(answer),
    }
}

fn time(answer: &Value) -> f64 {
    answer["total_seconds"].as_f64().unwrap_or(f64::INFINITY)
}

/// Speed-up of an entry over the same entry of an earlier run.
fn ratio(before: &Value, entry: &Entry, now: &Value) -> Option<f64> {
    let rows = before["rows"].as_array()?;
    let old = rows.iter().find(|row| row["name"] == entry.name.as_str() && row["set"] == entry.set.as_str())?;
    Some(old["seconds"].as_f64()? / time(now))
}

/// The reductions of a run, as text.
fn reduction(answer: &Value) -> String {
    let used = ["symmetry", "por"].into_iter().filter_map(|kind| {
        let method = answer[kind].as_str().or_else(|| answer[kind]["method"].as_str()).unwrap_or("off");
        (method != "off").then(|| format!("{kind} {method}"))
    });
    used.collect::<Vec<_>>().join(", ")
}

const COLUMNS: [&str; 9] =
    ["model", "verdict", "states", "transitions", "seconds", "states/s", "bytes/state", "peak MB", "reduction"];

fn table(rows: &[BenchRow], has_ratios: bool) -> String {
    let header = COLUMNS.into_iter().chain(has_ratios.then_some("times as fast")).map(str::to_owned).collect();
    let cells = |row: &BenchRow| {
        let mut cells = match &row.answer {
            Ok(answer) => {
                let number = |key: &str| answer[key].as_u64().unwrap_or(0);
                vec![
                    row.entry.name.clone(),
                    answer["verdict"].as_str().unwrap_or_default().to_owned(),
                    grouped(number("states")),
                    grouped(number("transitions")),
                    format!("{:.2}", time(answer)),
                    grouped((number("states") as f64 / time(answer)) as u64),
                    format!("{:.1}", answer["bytes_per_state"].as_f64().unwrap_or(0.0)),
                    (number("peak_bytes") >> 20).to_string(),
                    reduction(answer),
                ]
            }
            Err(reason) => {
                let mut cells = vec![row.entry.name.clone(), reason.clone()];
                cells.resize(COLUMNS.len(), String::new());
                cells
            }
        };
        if has_ratios {
            cells.push(row.ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default());
        }
        cells
    };
    let rows: Vec<Vec<String>> = std::iter::once(header).chain(rows.iter().map(cells)).collect();
    aligned(&rows, 2)
}

fn document(rows: &[BenchRow]) -> Value {
    let row = |row: &BenchRow| {
        let answer = row.answer.as_ref().unwrap_or(&Value::Null);
        json!({
            "set": row.entry.set,
            "name": row.entry.name,
            "model": row.entry.model,
            "options": row.entry.options,
            "error": row.answer.as_ref().err(),
            "verdict": answer["verdict"],
            "states": answer["states"],
            "nodes": answer["nodes"],
            "transitions": answer["transitions"],
            "seconds": answer["total_seconds"],
            "search_seconds": answer["search_seconds"],
            "bytes_per_state": answer["bytes_per_state"],
            "peak_bytes": answer["peak_bytes"],
            "workers": answer["workers"],
            "symmetry": answer["symmetry"],
            "por": answer["por"],
            "times_as_fast": row.ratio,
        })
    };
    json!({
        "program": env!("CARGO_PKG_VERSION"),
        "commit": env!("ABRIDGE_COMMIT"),
        "command": std::env::args().collect::<Vec<_>>().join(" "),
        "machine": machine(),
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// Description of the machine.
fn machine() -> Value {
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        line.split_once(':').map(|(_, name)| name.trim().to_owned())
    });
    json!({
        "os": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "processor": processor,
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
    })
}

/// The rows as CSV, with commit, processor and command repeated in each row.
fn rows_csv(rows: &[BenchRow]) -> String {
    let document = document(rows);
    let columns = [
        "set",
        "name",
        "verdict",
        "states",
        "transitions",
        "seconds",
        "search_seconds",
        "bytes_per_state",
        "peak_bytes",
        "workers",
        "symmetry",
        "por",
        "error",
    ];
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let fixed = [text(&document["commit"]), text(&document["machine"]["processor"]), text(&document["command"])];
    let mut lines = csv::line(columns.into_iter().chain(["commit", "processor", "command"]));
    for row in document["rows"].as_array().into_iter().flatten() {
        let cells: Vec<String> =
            columns.iter().map(|column| text(&row[*column])).chain(fixed.iter().cloned()).collect();
        lines += &csv::line(cells.iter().map(String::as_str));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_sets_is_read() {
        let text = "# a comment\n[small]\nlift: lift.mch --find all\n\n[large]\ntall: tall.mch\n";
        let entries = parse_sets(text, Path::new("models/benchmarks.txt")).unwrap();
        let names: Vec<(&str, &str)> = entries.iter().map(|entry| (entry.set.as_str(), entry.name.as_str())).collect();
        assert_eq!(names, [("small", "lift"), ("large", "tall")]);
        assert_eq!(entries[0].model, Path::new("models/lift.mch"));
        assert_eq!(entries[0].options, ["--find", "all"]);
    }

    #[test]
    fn a_line_that_says_nothing_is_told_with_its_place() {
        let message = parse_sets("[small]\nlift.mch\n", Path::new("sets.txt")).unwrap_err();
        assert_eq!(message, "sets.txt:2: expected `[set]` or `name: model options`");
    }

    #[test]
    fn ratios_are_of_the_same_model() {
        let before = json!({ "rows": [{ "set": "s", "name": "a", "seconds": 3.0 }, { "set": "s", "name": "b", "seconds": 8.0 }] });
        let entry = Entry { set: "s".into(), name: "b".into(), model: "b.mch".into(), options: Vec::new() };
        assert_eq!(ratio(&before, &entry, &json!({ "total_seconds": 2.0 })), Some(4.0));
    }
}
