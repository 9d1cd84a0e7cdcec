//! `abridge check`: explore all reachable states.

use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use abridge_check::{Config, Control, Progress, Report, Strategy, Trace, Verdict, Violation, ViolationKind, check};
use abridge_diag::{RenderConfig, SourceMap, render};
use abridge_model::{Model, dump};
use abridge_sema::{Options, analyse};
use abridge_system::Limit;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::commands::{complain, print_json};
use crate::disk::Disk;
use crate::exit::Exit;
use crate::report::{count, json_diagnostics};

#[derive(Args)]
pub(crate) struct CheckOptions {
    /// Follow the conventions of another tool where B leaves room
    #[arg(long, value_enum)]
    compat: Option<Compat>,
    /// Explore everything, do not stop at a violation, ignore goals and assertions
    #[arg(long)]
    survey: bool,
    /// Stop at the first violation or go on
    #[arg(long, value_enum, default_value = "first")]
    find: Find,
    /// Do not look for deadlocks
    #[arg(long)]
    no_deadlock: bool,
    /// Do not check the invariant
    #[arg(long)]
    no_invariant: bool,
    /// Do not check assertions
    #[arg(long)]
    no_assertions: bool,
    /// Do not look for the GOAL
    #[arg(long)]
    no_goal: bool,
    /// The order in which states are visited
    #[arg(long, value_enum, default_value = "bfs")]
    strategy: Order,
    /// The seed of the mixed order
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Stop after this many states
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// Do not go further than this many steps from the start
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Stop when this much memory is in use, for instance 4G
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    memory: Option<u64>,
    /// Obey ProB's caps MAX_INITIALISATIONS (4) and MAX_OPERATIONS (10)
    #[arg(long)]
    prob_limits: bool,
    /// Do not remember the outcomes of operations
    #[arg(long)]
    no_memo: bool,
    /// Write the trace of a violation to a file, as JSON
    #[arg(long, value_name = "FILE")]
    save_trace: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Compat {
    /// Unbounded integers range over MININT..MAXINT, constants of deferred sets are pinned, undefined guards are false
    Prob,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Find {
    First,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Breadth-first: shortest traces
    Bfs,
    /// Depth-first
    Dfs,
    /// ProB's mixture of the two
    Mixed,
}

fn memory_size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((idx, 'k' | 'K')) => (&text[..idx], 1 << 10),
        Some((idx, 'm' | 'M')) => (&text[..idx], 1 << 20),
        Some((idx, 'g' | 'G')) => (&text[..idx], 1 << 30),
        _ => (text, 1),
    };
    let amount: f64 = digits.parse().map_err(|_| format!("`{text}` is not a size; write for instance 512M or 4G"))?;
    if amount > 0.0 { Ok((amount * f64::from(unit)) as u64) } else { Err("a size is positive".to_owned()) }
}

impl CheckOptions {
    fn config(&self, model: &Model) -> Config {
        let mut config = Config::default();
        if self.compat == Some(Compat::Prob) {
            config = config.prob();
        }
        config.strategy = match self.strategy {
            Order::Bfs => Strategy::BreadthFirst,
            Order::Dfs => Strategy::DepthFirst,
            Order::Mixed => Strategy::Mixed { seed: self.seed },
        };
        config.invariant = !self.no_invariant;
        config.deadlock = !self.no_deadlock;
        config.assertions = !self.no_assertions && !self.survey;
        config.goal = !self.no_goal && !self.survey;
        config.find_all = self.survey || self.find == Find::All;
        config.max_states = self.max_states;
        config.max_depth = self.max_depth;
        config.system.memo = !self.no_memo;
        if self.prob_limits {
            let cap = |name: &str, default: usize| {
                Some(model.steering.preferences.get(name).and_then(|text| text.parse().ok()).unwrap_or(default))
            };
            config.system.max_initialisations = cap("MAX_INITIALISATIONS", 4);
            config.system.max_operations = cap("MAX_OPERATIONS", 10);
        }
        config
    }
}

pub(crate) fn run(file: &Path, options: &CheckOptions, model_options: &Options, json: bool) -> Exit {
    let start = Instant::now();
    let analysis = analyse(&Disk, file, model_options);
    let Some(model) = &analysis.model else {
        if json {
            let message = analysis.diagnostics.iter().find(|d| d.is_error()).map(|d| d.message.clone()).unwrap_or_default();
            let diagnostics = json_diagnostics(&analysis.sources, &analysis.diagnostics);
            print_json(&json!({ "file": file, "verdict": "error", "message": message, "diagnostics": diagnostics }));
        } else {
            complain(&analysis.sources, &analysis.diagnostics);
        }
        return Exit::WrongModel;
    };
    if !json {
        complain(&analysis.sources, &analysis.diagnostics);
    }
    let mut watch = Watch::new(options, !json && std::io::stderr().is_terminal());
    let search_start = Instant::now();
    let report = check(model, &options.config(model), &mut watch);
    let search_seconds = search_start.elapsed().as_secs_f64();
    watch.clear();
    let times = Times { search: search_seconds, total: start.elapsed().as_secs_f64() };
    if json {
        let mut value = report_json(model, &analysis.sources, &report, &times);
        value["file"] = json!(file);
        value["diagnostics"] = json!(json_diagnostics(&analysis.sources, &analysis.diagnostics));
        print_json(&value);
    } else {
        print_report(model, &analysis.sources, &report, &times);
    }
    if let (Some(path), Some(violation)) = (&options.save_trace, &report.violation)
        && let Err(error) = save_trace(path, &violation.trace)
    {
        eprintln!("error: cannot write `{}`: {error}", path.display());
        return Exit::Usage;
    }
    exit_status(&report)
}

struct Times {
    search: f64,
    total: f64,
}

/// Progress for people, limits, and Ctrl-C.
struct Watch {
    start: Instant,
    last: Option<Instant>,
    time: Option<Duration>,
    memory: Option<u64>,
    is_shown: bool,
    interrupted: Arc<AtomicBool>,
}

impl Watch {
    fn new(options: &CheckOptions, is_shown: bool) -> Self {
        let interrupted = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        {
            // A second Ctrl-C ends the process at once.
            let _ = signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGINT, 130, interrupted.clone());
            let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, interrupted.clone());
        }
        let time = options.time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Watch { start: Instant::now(), last: None, time, memory: options.memory, is_shown, interrupted }
    }

    fn show(&mut self, progress: &Progress) {
        let now = Instant::now();
        if !self.is_shown || self.last.is_some_and(|last| now - last < Duration::from_millis(200)) {
            return;
        }
        self.last = Some(now);
        let rate = progress.states as f64 / self.start.elapsed().as_secs_f64().max(0.001);
        let line = format!(
            "{} states, {} transitions, {} waiting, depth {}, {:.0} states/s, {} MB",
            grouped(progress.states),
            grouped(progress.transitions),
            grouped(progress.waiting),
            progress.depth,
            rate,
            resident_bytes() >> 20
        );
        eprint!("\r\x1b[2K{line}");
        let _ = std::io::stderr().flush();
    }

    fn clear(&self) {
        if self.is_shown && self.last.is_some() {
            eprint!("\r\x1b[2K");
        }
    }
}

impl Control for Watch {
    fn poll(&mut self, progress: &Progress) -> Option<Limit> {
        self.show(progress);
        if self.interrupted.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
        }
        if self.time.is_some_and(|time| self.start.elapsed() >= time) {
            return Some(Limit::Time);
        }
        if self.memory.is_some_and(|memory| resident_bytes() >= memory) {
            return Some(Limit::Memory);
        }
        None
    }
}

/// Memory of the process now.
fn resident_bytes() -> u64 {
    status_kb("VmRSS:") * 1024
}

/// The most memory the process had.
pub(crate) fn peak_bytes() -> u64 {
    status_kb("VmHWM:") * 1024
}

fn status_kb(key: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
}

/// `1,234,567`
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn exit_status(report: &Report) -> Exit {
    match report.violation.as_ref().map(|violation| &violation.kind) {
        Some(ViolationKind::Invariant { .. }) => Exit::Invariant,
        Some(ViolationKind::Assertion { .. }) => Exit::Assertion,
        Some(ViolationKind::Deadlock) => Exit::Deadlock,
        Some(ViolationKind::IllDefined { .. }) => Exit::IllDefined,
        Some(ViolationKind::Goal) => Exit::Ok,
        None if report.verdict == Verdict::Incomplete => Exit::Incomplete,
        None => Exit::Ok,
    }
}

fn print_report(model: &Model, sources: &SourceMap, report: &Report, times: &Times) {
    match &report.violation {
        Some(violation) => print_violation(model, sources, violation),
        None if report.verdict == Verdict::Holds => println!("holds: every reachable state was visited"),
        None => println!("no violation found, but not everything was visited"),
    }
    for limit in &report.limits {
        println!("  {limit}");
    }
    for (_, diagnostic) in report.failures.iter().take(3) {
        print!("{}", render(sources, diagnostic, RenderConfig::default()));
    }
    println!();
    let rate = report.states as f64 / times.search.max(1e-9);
    println!(
        "{}, {}, depth {}, {:.2} s ({:.0} states/s), {} MB",
        plural(report.states, "state"),
        plural(report.transitions, "transition"),
        report.depth,
        times.total,
        rate,
        peak_bytes() >> 20
    );
    let never: Vec<&str> = report.coverage.iter().filter(|c| c.transitions == 0).map(|c| c.operation.as_str()).collect();
    if !never.is_empty() {
        println!("never taken: {}", never.join(", "));
    }
}

fn plural(n: u64, noun: &str) -> String {
    count(n as usize, noun).replacen(&n.to_string(), &grouped(n), 1)
}

fn print_violation(model: &Model, sources: &SourceMap, violation: &Violation) {
    let steps = violation.trace.steps.len();
    match &violation.kind {
        ViolationKind::Invariant { conjunct } => {
            let conjunct = &model.invariant[*conjunct];
            println!("invariant violated after {}: {}", count(steps, "step"), dump::pred_text(model, conjunct.pred));
            println!("  --> {}", sources.locate(conjunct.span));
        }
        ViolationKind::Assertion { conjunct } => {
            let conjunct = &model.assertions[*conjunct];
            println!("assertion violated after {}: {}", count(steps, "step"), dump::pred_text(model, conjunct.pred));
            println!("  --> {}", sources.locate(conjunct.span));
        }
        ViolationKind::Deadlock => println!("deadlock after {}: no operation is enabled", count(steps, "step")),
        ViolationKind::Goal => println!("goal reached after {}", count(steps, "step")),
        ViolationKind::IllDefined { operation, error } => {
            let place = operation.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
            println!("not well-defined{place} after {}", count(steps, "step"));
            print!("{}", render(sources, error, RenderConfig::default()));
        }
    }
    print_trace(&violation.trace);
}

/// One row a step: its number, its label, and what it changed.
fn print_trace(trace: &Trace) {
    println!();
    let labels: Vec<String> = trace.steps.iter().map(label).collect();
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).min(40);
    for (idx, (step, label)) in trace.steps.iter().zip(&labels).enumerate() {
        let changed = step.state.iter().filter(|(name, _)| step.changed.contains(name));
        let changes: Vec<String> = changed.map(|(name, value)| format!("{name} = {value}")).collect();
        println!("  {:>3}  {label:<width$}  {}", idx + 1, changes.join(", "));
    }
}

fn label(step: &abridge_check::Step) -> String {
    let values = |list: &[(String, String)]| list.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(",");
    let mut label = step.name.clone();
    if !step.params.is_empty() {
        label = format!("{label}({})", values(&step.params));
    }
    if !step.outputs.is_empty() {
        label = format!("{label} --> {}", values(&step.outputs));
    }
    label
}

fn report_json(model: &Model, sources: &SourceMap, report: &Report, times: &Times) -> Value {
    let verdict = match report.verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Incomplete => "incomplete",
    };
    let coverage: serde_json::Map<String, Value> =
        report.coverage.iter().map(|item| (item.operation.clone(), json!(item.transitions))).collect();
    json!({
        "verdict": verdict,
        "states": report.states,
        "nodes": report.states + 1,
        "transitions": report.transitions,
        "depth": report.depth,
        "found": {
            "deadlock": report.found.deadlock,
            "invariant": report.found.invariant,
            "assertion": report.found.assertion,
            "ill_defined": report.found.ill_defined,
            "goal": report.found.goal,
        },
        "violation": report.violation.as_ref().map(|violation| violation_json(model, sources, violation)),
        "coverage": coverage,
        "limits": report.limits,
        "message": report.failures.first().map(|(what, diagnostic)| format!("{what}: {}", diagnostic.message)).unwrap_or_default(),
        "symmetry": "off",
        "por": "off",
        "workers": 1,
        "search_seconds": times.search,
        "total_seconds": times.total,
        "peak_bytes": peak_bytes(),
        "table_bytes": report.table_bytes,
    })
}

fn violation_json(model: &Model, sources: &SourceMap, violation: &Violation) -> Value {
    let (kind, detail) = match &violation.kind {
        ViolationKind::Invariant { conjunct } => {
            let conjunct = &model.invariant[*conjunct];
            ("invariant", json!({ "text": dump::pred_text(model, conjunct.pred), "place": sources.locate(conjunct.span) }))
        }
        ViolationKind::Assertion { conjunct } => {
            let conjunct = &model.assertions[*conjunct];
            ("assertion", json!({ "text": dump::pred_text(model, conjunct.pred), "place": sources.locate(conjunct.span) }))
        }
        ViolationKind::Deadlock => ("deadlock", Value::Null),
        ViolationKind::Goal => ("goal", Value::Null),
        ViolationKind::IllDefined { operation, error } => {
            ("ill_defined", json!({ "operation": operation, "id": error.id, "text": error.message, "place": error.span().map(|span| sources.locate(span)) }))
        }
    };
    json!({ "kind": kind, "detail": detail, "trace": trace_json(&violation.trace) })
}

fn trace_json(trace: &Trace) -> Value {
    let object = |list: &[(String, String)]| -> Value {
        Value::Object(list.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
    };
    let steps = trace.steps.iter().map(|step| {
        json!({ "name": step.name, "params": object(&step.params), "results": object(&step.outputs), "state": object(&step.state), "changed": step.changed })
    });
    steps.collect()
}

/// Writes beside the file and renames, so that the file is never half written.
fn save_trace(path: &Path, trace: &Trace) -> std::io::Result<()> {
    let text = serde_json::to_string_pretty(&trace_json(trace)).map_err(std::io::Error::other)?;
    super::replace_file(path, &text)
}
