//! Limits over a folder of machines, with symmetry and partial order reduction on and off.
//!
//!     cargo run --release -p abridge-testkit --example limits -- keep BINARY FOLDER SECONDS MEGABYTES [IN_ALL RESULTS]
//!
//! checks every machine with `BINARY check --time SECONDS --memory MEGABYTES` and measures the processor time that a run has after its limit and its
//! peak of memory.
//!
//!     cargo run --release -p abridge-testkit --example limits -- silence FOLDER SECONDS MEGABYTES [IN_ALL RESULTS]
//!
//! runs every machine inside this program and measures the longest processor time between two polls of the stop flag (`silence.rs`). Short runs
//! are repeated with the flag raised at the first, the second, the tenth and the middle poll, and the time until they end is measured.
//!
//! Both print what breaks a limit, and count. With a file RESULTS, a line for each run is kept there, runs that it has are left out, and no run is begun after IN_ALL
//! seconds; so a long campaign can be done in pieces.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use abridge_check::{Method, PorMode, Verdict};
use abridge_testkit::limited::{self, LimitedRun, Limits};
use abridge_testkit::silence::{Listened, RunOptions, listen, load};

/// Silence that nobody notices.
const MAX_SILENCE: Duration = Duration::from_millis(500);
/// Runs that take longer are not repeated.
const MAX_REPEATED: Duration = Duration::from_millis(500);
/// Names of the settings of symmetry and partial order reduction.
const SETTINGS: [[&str; 2]; 4] = [["auto", "auto"], ["auto", "off"], ["off", "auto"], ["off", "off"]];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let is_kept = match args.as_slice() {
        ["keep", binary, folder, seconds, megabytes, rest @ ..] => {
            let limits = Limits { seconds: number(seconds), megabytes: number(megabytes) };
            campaign(folder, rest, |file, setting| keep(Path::new(binary), file, &limits, setting))
        }
        ["silence", folder, seconds, megabytes, rest @ ..] => {
            campaign(folder, rest, |file, setting| in_a_child(file, seconds, megabytes, setting))
        }
        ["one", file, seconds, megabytes, symmetry, por] => {
            one(Path::new(file), number(seconds), number(megabytes), [symmetry, por]);
            true
        }
        _ => {
            eprintln!(
                "usage: limits keep BINARY FOLDER SECONDS MEGABYTES [IN_ALL RESULTS] | limits silence FOLDER SECONDS MEGABYTES [..]"
            );
            return ExitCode::from(2);
        }
    };
    if is_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

/// Whether limits were kept, and what is to be said about it.
type Outcome = (bool, String);

/// Runs all machines of a folder in all settings. True if all kept their limits.
fn campaign(folder: &str, rest: &[&str], mut run: impl FnMut(&Path, [&str; 2]) -> Outcome) -> bool {
    let (budget, results) = match rest {
        [budget, results] => (Duration::from_secs_f64(number(budget)), Some(Path::new(results))),
        [] => (Duration::MAX, None),
        _ => panic!("a time in all and a file are expected"),
    };
    let before = results.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    let done: BTreeSet<&str> = before.lines().filter_map(|line| line.split('\t').next()).collect();
    let mut file = results.map(|path| OpenOptions::new().create(true).append(true).open(path).expect("writable"));
    let start = Instant::now();
    let mut paths = Vec::new();
    machines(Path::new(folder), &mut paths);
    paths.sort();
    let (mut n_runs, mut n_broken) = (0, 0);
    for (path, setting) in paths.iter().flat_map(|path| SETTINGS.map(|setting| (path, setting))) {
        let name = format!("{} {}", path.strip_prefix(folder).unwrap_or(path).display(), setting.join(" "));
        if done.contains(name.as_str()) {
            continue;
        }
        if start.elapsed() >= budget {
            println!("time is up");
            break;
        }
        let (is_kept, text) = run(path, setting);
        let mark = if is_kept { "ok" } else { "BROKEN" };
        n_runs += 1;
        if !is_kept {
            n_broken += 1;
            println!("{name}: {text}");
        }
        if let Some(file) = &mut file {
            writeln!(file, "{name}\t{mark}\t{text}").expect("a line can be written");
        }
    }
    println!("{n_runs} runs, {n_broken} broke a limit");
    n_broken == 0
}

/// The machines, refinements and implementations below a folder.
fn machines(folder: &Path, paths: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.expect("readable").path()) {
        if path.is_dir() {
            machines(&path, paths);
        } else if path.extension().is_some_and(|end| ["mch", "ref", "imp"].iter().any(|known| end == *known)) {
            paths.push(path);
        }
    }
}

/// Checks a machine with the program.
fn keep(binary: &Path, file: &Path, limits: &Limits, [symmetry, por]: [&str; 2]) -> Outcome {
    let folder = std::env::temp_dir().join(format!("abridge-limits-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    let options = ["--symmetry", symmetry, "--por", por].map(str::to_owned);
    let run = limited::run(binary, file, limits, &options, &folder);
    let _ = fs::remove_dir_all(&folder);
    let LimitedRun { seconds, processor, late, megabytes, status, said } = &run;
    let text = format!(
        "{seconds:.2} s, {processor:.2} s of processor, {late:.2} s late, {megabytes:.0} MB, {status:?}: {said}"
    );
    (run.keeps(limits), text)
}

/// Listens to a machine in a process of its own, so that neither memory nor an abort outlives it.
fn in_a_child(file: &Path, seconds: &str, megabytes: &str, [symmetry, por]: [&str; 2]) -> Outcome {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.arg("one").arg(file).args([seconds, megabytes, symmetry, por]).stderr(Stdio::null());
    let output = command.output().expect("the program can be started");
    let text = String::from_utf8_lossy(&output.stdout).trim().replace(['\n', '\t'], " ");
    match text.strip_prefix("ok ") {
        Some(rest) if output.status.success() => (true, rest.to_owned()),
        _ => (false, format!("{} {text}", output.status)),
    }
}

/// Listens to one machine, and tells in a line.
fn one(file: &Path, seconds: f64, megabytes: f64, [symmetry, por]: [&str; 2]) {
    let Some(loaded) = load(file) else {
        println!("ok refused");
        return;
    };
    let asked = RunOptions {
        time: Duration::from_secs_f64(seconds),
        bytes: (megabytes * 1024.0 * 1024.0) as u64,
        symmetry: if symmetry == "off" { Method::Off } else { Method::Auto },
        por: if por == "off" { PorMode::Off } else { PorMode::Auto },
        ..RunOptions::default()
    };
    let mut text = format!("loading {:.2?}", loaded.time);
    let whole = listen(&loaded, &asked, None);
    let mut is_kept = loaded.time < MAX_SILENCE && whole.heard.longest.time < MAX_SILENCE;
    let _ = write!(text, "; {}", told(&whole));
    if whole.time < MAX_REPEATED {
        for poll in BTreeSet::from([1, 2, 10, whole.heard.n_polls / 2]) {
            let part = listen(&loaded, &asked, Some(poll));
            let is_wrong = part.report.verdict == Verdict::Holds && whole.report.verdict != Verdict::Holds;
            if is_wrong || part.heard.longest.time >= MAX_SILENCE {
                is_kept = false;
                let _ = write!(text, "; stopped at poll {poll}: {}", told(&part));
            }
        }
    }
    println!("{} {text}", if is_kept { "ok" } else { "silent" });
}

fn told(run: &Listened) -> String {
    let Listened { heard, time, report } = run;
    let (longest, grown) = (&heard.longest, heard.largest >> 20);
    format!(
        "{:?} in {time:.2?}, {} polls, silent for {:.2?} with {} MB ({}), {grown} MB at most",
        report.verdict,
        heard.n_polls,
        longest.time,
        longest.bytes >> 20,
        longest.place
    )
}
