//! `abridge refine`: check whether a machine refines another.
//!
//! Options become a `check::Config`; the `Refinement` becomes text or JSON and an exit status. Exit 0 must mean that the refinement holds.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use abridge_check::{
    Config, Counterexample, Failed, Method, Models, Named, Notion, Obligation, PairedStep, RefineConfig, Refinement,
    SideBySide, Verdict, refine,
};
use abridge_diag::{Diagnostic, RenderConfig, SourceMap, render};
use abridge_model::Model;
use abridge_sema::Options;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::commands::{Compat, complain, memory_size, print_json, seconds};
use crate::exit::Exit;
use crate::load::load;
use crate::out::{out, outln};
use crate::report::{count, json_diagnostics};
use crate::steps::{object, shortened};
use crate::watch::{Guard, Interrupt, Watch, grouped, peak_bytes, usual_budget};

#[derive(Args)]
pub(crate) struct RefineOptions {
    /// What is meant by refinement
    #[arg(long, value_enum, default_value = "traces")]
    by: By,
    /// Machine to compare with: an abstraction of FILE, or any machine if FILE refines none [default: what FILE refines]
    #[arg(long, value_name = "MACHINE")]
    against: Option<PathBuf>,
    /// Operations that only the refinement has: an error, or steps that callers do not see
    #[arg(long, value_enum, value_name = "HOW")]
    new: Option<New>,
    /// Let operations of the refinement assume the abstract preconditions that its state decides. Not with `--by simulation`, which
    /// always assumes them
    #[arg(long)]
    assume_preconditions: bool,
    /// Follow the conventions of another tool where B leaves a choice
    #[arg(long, value_enum)]
    compat: Option<Compat>,
    /// Stop after N pairs
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_states: Option<u64>,
    /// Do not visit pairs more than N steps away from the root
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<u32>,
    /// Stop after a number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Limits")]
    time: Option<f64>,
    /// Memory limit, for example 4G [default: three quarters of the memory that is free at the start]
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    memory: Option<u64>,
    /// Threads [default: all cores]. The results do not depend on it
    #[arg(long, value_name = "N", help_heading = "Search")]
    workers: Option<NonZero<usize>>,
    /// Evaluate with the reference interpreter only: slow, for comparison
    #[arg(long, help_heading = "Search")]
    plain: bool,
    /// Visit all pairs, also those that pairs with fewer abstract states cover
    #[arg(long, help_heading = "Reductions")]
    no_antichains: bool,
    /// Symmetry reduction, with one permutation for both machines
    #[arg(long, value_enum, default_value = "auto", help_heading = "Reductions")]
    symmetry: Symmetry,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Every trace of the refinement is one of the abstraction; preconditions are guards
    Traces,
    /// The gluing invariant is a simulation: the proof obligations of classical B, on reachable states
    Simulation,
    /// Traces, and what the refinement refuses the abstraction may refuse; new operations cannot go on for ever
    Failures,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            By::Traces => "traces",
            By::Simulation => "simulation",
            By::Failures => "failures",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum New {
    /// The abstraction has no such event
    Error,
    /// They refine `skip`
    Skip,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Symmetry {
    /// No symmetry reduction
    Off,
    /// Signatures of values and partition refinement, with search where these leave ties
    Auto,
    /// Canonical labelling of state graphs
    Canon,
    /// Permutation flooding, which stores the whole orbit of each pair
    Flood,
}

impl Symmetry {
    fn method(self) -> Method {
        match self {
            Symmetry::Off => Method::Off,
            Symmetry::Auto => Method::Auto,
            Symmetry::Canon => Method::Canon,
            Symmetry::Flood => Method::Flood,
        }
    }
}

impl RefineOptions {
    fn config(&self, file: &Path, budget: u64) -> Config {
        let mut config = Compat::config(self.compat, Some(file), budget);
        config.max_states = self.max_states;
        config.max_depth = self.max_depth;
        config.workers = self.workers.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN);
        config.system.compiled = !self.plain;
        config.system.memo_bytes = self.memory.map(|memory| memory / 4);
        config.symmetry = self.symmetry.method();
        config
    }

    fn choices(&self, model: &Model) -> RefineConfig {
        let notion = match self.by {
            By::Traces => Notion::Traces,
            By::Simulation => Notion::Simulation,
            By::Failures => Notion::Failures,
        };
        // The preference is how machines themselves ask for it.
        let is_allowed = model.steering.preferences.flag("ALLOW_NEW_OPERATIONS_IN_REFINEMENT");
        let new_is_skip = self.new.map_or(is_allowed, |new| new == New::Skip);
        RefineConfig { notion, new_is_skip, antichains: !self.no_antichains }
    }
}

pub(crate) fn run(file: &Path, options: &RefineOptions, model_options: &Options, json: bool) -> Exit {
    let start = Instant::now();
    let mut model_options = Compat::options(options.compat, model_options);
    model_options.against = options.against.clone();
    model_options.ignore_abstract_preconditions = !options.assume_preconditions || options.by == By::Simulation;
    let analysis = load(file, &model_options);
    let Some(model) = &analysis.model else {
        return refuse(file, &analysis.sources, &analysis.diagnostics, json);
    };
    let Some(models) = Models::of(model) else {
        let message = format!("`{}` refines no machine", model.name);
        let diagnostic = Diagnostic::error("no-abstraction", message)
            .help("check a .ref or .imp file, or name a machine to compare with: `--against MACHINE`");
        return refuse(file, &analysis.sources, &[diagnostic], json);
    };
    if !json {
        complain(&analysis.sources, &analysis.diagnostics);
    }
    let interrupt = Interrupt::new();
    let budget = options.memory.unwrap_or_else(usual_budget);
    let mut watch = Watch::new(start, options.time, Some(budget), !json, interrupt.clone());
    let mut config = options.config(file, budget);
    let guard = Guard::new(start, options.time, budget, config.eval.memory.clone()).patient();
    let stop = interrupt.guard(guard);
    (config.stop, config.stopped_for) = (stop.flag, stop.reason);
    let search_start = Instant::now();
    let choices = options.choices(model);
    let report = refine(&models, &config, choices, &mut watch);
    let times = Times { search: search_start.elapsed().as_secs_f64(), total: start.elapsed().as_secs_f64() };
    watch.clear();
    let subject = Subject { file, models: &models, sources: &analysis.sources, options, choices };
    if json {
        let mut value = subject.json(&report, &times);
        value["diagnostics"] = json!(json_diagnostics(&analysis.sources, &analysis.diagnostics));
        print_json(&value);
    } else {
        subject.print(&report, &times);
    }
    // The process ends now, which gives memory back sooner than value by value.
    std::mem::forget(models);
    exit_status(&report)
}

fn refuse(file: &Path, sources: &SourceMap, diagnostics: &[Diagnostic], json: bool) -> Exit {
    if json {
        let message = diagnostics.iter().find(|one| one.is_error()).map(|one| one.message.clone()).unwrap_or_default();
        let diagnostics = json_diagnostics(sources, diagnostics);
        print_json(&json!({ "file": file, "verdict": "error", "message": message, "diagnostics": diagnostics }));
    } else {
        complain(sources, diagnostics);
    }
    Exit::WrongModel
}

fn exit_status(report: &Refinement) -> Exit {
    match (report.verdict, &report.ill_defined) {
        (Verdict::Violated, Some(_)) => Exit::IllDefined,
        (Verdict::Violated, None) => Exit::Refinement,
        (Verdict::Incomplete, _) => Exit::Incomplete,
        _ => Exit::Ok,
    }
}

struct Times {
    search: f64,
    total: f64,
}

struct Subject<'s> {
    file: &'s Path,
    models: &'s Models,
    sources: &'s SourceMap,
    options: &'s RefineOptions,
    choices: RefineConfig,
}

impl Subject<'_> {
    fn names(&self) -> (&str, &str) {
        (&self.models.concrete_level.name, &self.models.abstract_level.name)
    }

    fn print(&self, report: &Refinement, times: &Times) {
        let (concrete, abstracted) = self.names();
        let by = self.options.by.name();
        match (&report.counterexample, &report.ill_defined) {
            (found, Some((operation, error))) => {
                let place = operation.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
                let n_steps = found.as_ref().map_or(0, n_steps);
                outln!("not well-defined{place} after {}", count(n_steps, "step"));
                out!("{}", render(self.sources, error, RenderConfig::default()));
                found.iter().for_each(|found| self.print_steps(found));
            }
            (Some(found), None) => self.print_failure(found),
            (None, None) if report.verdict == Verdict::Holds => {
                outln!("{concrete} refines {abstracted} by {by} ({} visited)", pairs(report.pairs));
            }
            (None, None) => {
                let limit = report.limits.first().map_or("incomplete", String::as_str);
                outln!("no failure found ({limit}; {} in {:.2} s)", pairs(report.pairs), times.search);
            }
        }
        for limit in report.limits.iter().skip(usize::from(report.counterexample.is_none())) {
            outln!("  {limit}");
        }
        for (_, diagnostic) in report.failures.iter().take(3).filter(|_| report.ill_defined.is_none()) {
            out!("{}", render(self.sources, diagnostic, RenderConfig::default()));
        }
        outln!();
        outln!(
            "{}, {} transitions, depth {}, {:.2} s, {} MB",
            pairs(report.pairs),
            grouped(report.transitions),
            report.depth,
            times.total,
            peak_bytes() >> 20
        );
        let never = report.coverage.iter().filter(|one| one.transitions == 0 && report.counterexample.is_none());
        let never: Vec<&str> = never.map(|one| one.operation.as_str()).collect();
        if !never.is_empty() && self.choices.notion != Notion::Simulation {
            outln!("operations never taken: {}", never.join(", "));
        }
    }

    fn print_failure(&self, found: &Counterexample) {
        let (concrete, abstracted) = self.names();
        let Some(failed) = &found.failed else {
            outln!("{concrete} does not refine {abstracted}: new operations can go on for ever");
            self.print_steps(found);
            return;
        };
        let event = label(&failed.operation, &failed.params, &failed.outputs);
        let after = count(n_steps(found).saturating_sub(1), "step");
        let why = match failed.obligation {
            Obligation::Initialisation => format!("{abstracted} has no initial state for one of {concrete}"),
            Obligation::Trace if self.is_new(&failed.operation) => {
                format!("{abstracted} has no operation {}; `--new skip` takes it for a hidden step", failed.operation)
            }
            Obligation::Trace => format!("{abstracted} refuses `{event}` after {after}"),
            Obligation::Precondition => {
                format!("precondition of {concrete} excludes `{event}` after {after}, that of {abstracted} allows it")
            }
            Obligation::Outcome => format!("no outcome of {abstracted} matches `{event}` after {after}"),
            Obligation::Refusal => format!("{concrete} refuses `{event}` after {after}, {abstracted} never does"),
            Obligation::Operation => format!("{concrete} has no operation {}", failed.operation),
        };
        outln!("{concrete} does not refine {abstracted}: {why}");
        self.print_steps(found);
        for candidate in &failed.candidates {
            outln!("  {abstracted} could go to {}, but false: {}", state_text(&candidate.state), candidate.fault);
            for part in &candidate.parts {
                outln!("    {} is {}", part.text, part.value);
            }
        }
        match failed.obligation {
            Obligation::Trace | Obligation::Refusal | Obligation::Outcome | Obligation::Precondition => {
                self.print_allowed(failed);
            }
            Obligation::Initialisation | Obligation::Operation => {}
        }
    }

    fn print_allowed(&self, failed: &Failed) {
        let (_, abstracted) = self.names();
        if failed.allowed.is_empty() {
            outln!("  {abstracted} allows nothing there");
            return;
        }
        outln!("  {abstracted} allows there:");
        for step in &failed.allowed {
            outln!("    {}", label(&step.name, &step.params, &step.outputs));
        }
        if failed.n_allowed > failed.allowed.len() {
            outln!("    and {} more", failed.n_allowed - failed.allowed.len());
        }
    }

    fn is_new(&self, operation: &str) -> bool {
        self.models.abstract_level.operation(operation).is_none()
    }

    /// Both machines step by step, with what each step changes.
    fn print_steps(&self, found: &Counterexample) {
        let (concrete, abstracted) = self.names();
        outln!();
        let first = 1 - found.n_setup.min(1);
        let rows: Vec<[String; 3]> = (0..found.steps.len()).map(|idx| row(found, idx)).collect();
        let width = |column: usize, title: &str| {
            let widths = rows.iter().map(|row| row[column].chars().count());
            widths.chain([title.len()]).max().unwrap_or(0).min(MAX_COLUMN_WIDTH)
        };
        let (left, middle) = (width(0, ""), width(1, concrete));
        outln!("       {:<left$}  {concrete:<middle$}  {abstracted}", "");
        for (idx, [label, own, other]) in rows.iter().enumerate() {
            if found.loop_start == Some(idx) {
                outln!("  for ever:");
            }
            let row = format!("  {:>3}  {label:<left$}  {own:<middle$}  {other}", first + idx);
            outln!("{}", row.trim_end());
        }
        if let Some(gap) = &found.gap {
            outln!("  the trace is incomplete: {gap}");
        }
    }

    fn json(&self, report: &Refinement, times: &Times) -> Value {
        let (concrete, abstracted) = self.names();
        let verdict = match report.verdict {
            Verdict::Holds | Verdict::GoalReached => "holds",
            Verdict::Violated => "violated",
            Verdict::Incomplete => "incomplete",
        };
        let coverage: serde_json::Map<String, Value> =
            report.coverage.iter().map(|item| (item.operation.clone(), json!(item.transitions))).collect();
        let ill_defined = report.ill_defined.as_ref().map(|(operation, error)| {
            json!({ "operation": operation, "id": error.id, "text": error.message,
                    "place": error.span().map(|span| self.sources.locate(span)) })
        });
        let message = report.failures.first().map(|(what, one)| format!("{what}: {}", one.message)).unwrap_or_default();
        let mut value = json!({
            "file": self.file,
            "verdict": verdict,
            "by": self.options.by.name(),
            "refinement": concrete,
            "abstraction": abstracted,
            "new_operations": if self.choices.new_is_skip { "skip" } else { "error" },
            "pairs": report.pairs,
            "transitions": report.transitions,
            "depth": report.depth,
            "coverage": coverage,
            "limits": report.limits,
            "message": message,
            "ill_defined": ill_defined,
            "symmetry": report.symmetry.method.name(),
            "search_seconds": times.search,
            "total_seconds": times.total,
            "peak_bytes": peak_bytes(),
            "table_bytes": report.table_bytes,
        });
        value["counterexample"] = report.counterexample.as_ref().map(counterexample_json).unwrap_or_default();
        value
    }
}

fn pairs(n: u64) -> String {
    format!("{} {}", grouped(n), if n == 1 { "pair" } else { "pairs" })
}

/// Number of steps without the set-up.
fn n_steps(found: &Counterexample) -> usize {
    found.steps.len() - found.n_setup
}

fn label(name: &str, params: &[(String, String)], outputs: &[(String, String)]) -> String {
    let values = |list: &[(String, String)]| list.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(",");
    let mut label = name.to_owned();
    if !params.is_empty() {
        label = format!("{label}({})", values(params));
    }
    if !outputs.is_empty() {
        label = format!("{label} --> {}", values(outputs));
    }
    label
}

fn step_label(step: &PairedStep) -> String {
    label(&step.name, &step.params, &step.outputs)
}

fn state_text(state: &[Named]) -> String {
    let texts: Vec<String> =
        state.iter().map(|value| format!("{} = {}", value.name, shortened(&value.text, 60))).collect();
    texts.join(", ")
}

/// Columns of a run are made no wider than this.
const MAX_COLUMN_WIDTH: usize = 48;

/// A step of a run: its label, and what it does in both machines.
fn row(found: &Counterexample, idx: usize) -> [String; 3] {
    let step = &found.steps[idx];
    let before = idx.checked_sub(1).map(|idx| &found.steps[idx].state);
    let failed = found.failed.as_ref().filter(|_| idx + 1 == found.steps.len());
    let own = changes(before.map(|state| state.concrete.as_slice()), &step.state.concrete);
    let (own, other) = match failed.map(|failed| failed.obligation) {
        None => (own, abstract_text(before, &step.state)),
        Some(Obligation::Precondition) => ("precondition false".to_owned(), "precondition true".to_owned()),
        Some(Obligation::Refusal) => ("refuses".to_owned(), "accepts".to_owned()),
        Some(Obligation::Operation) => ("has no such operation".to_owned(), "accepts".to_owned()),
        Some(_) => (own, "cannot follow".to_owned()),
    };
    [step_label(step), own, other]
}

/// Values that are new.
fn changes(before: Option<&[Named]>, now: &[Named]) -> String {
    let is_new = |value: &&Named| !before.is_some_and(|before| before.contains(value));
    state_text(&now.iter().filter(is_new).cloned().collect::<Vec<Named>>())
}

/// The states that the abstraction may be in after a step; of one that follows one, what is new.
fn abstract_text(before: Option<&SideBySide>, state: &SideBySide) -> String {
    if let [only] = &state.abstracted[..] {
        let before = before.filter(|before| before.n_abstract == 1).and_then(|before| before.abstracted.first());
        return changes(before.map(Vec::as_slice), only);
    }
    let texts: Vec<String> = state.abstracted.iter().map(|state| state_text(state)).collect();
    let more = state.n_abstract - state.abstracted.len();
    let more = if more > 0 { format!(" | and {more} more") } else { String::new() };
    texts.join(" | ") + &more
}

fn values_json(values: &[Named]) -> Value {
    Value::Object(values.iter().map(|value| (value.name.clone(), json!(value.text))).collect())
}

fn counterexample_json(found: &Counterexample) -> Value {
    let steps: Vec<Value> = found.steps.iter().map(step_json).collect();
    json!({
        "obligation": found.failed.as_ref().map(|failed| obligation_name(failed.obligation)),
        "steps": n_steps(found),
        "loop_start": found.loop_start,
        "gap": found.gap,
        "failed": found.failed.as_ref().map(failed_json),
        "trace": steps,
    })
}

fn step_json(step: &PairedStep) -> Value {
    let abstracted: Vec<Value> = step.state.abstracted.iter().map(|state| values_json(state)).collect();
    json!({
        "name": step.name,
        "params": object(&step.params),
        "results": object(&step.outputs),
        "concrete": values_json(&step.state.concrete),
        "abstract": abstracted,
        "abstract_states": step.state.n_abstract,
    })
}

fn failed_json(failed: &Failed) -> Value {
    let allowed: Vec<Value> = failed
        .allowed
        .iter()
        .map(|step| {
            json!({ "name": step.name, "params": object(&step.params), "results": object(&step.outputs),
                    "state": values_json(&step.state) })
        })
        .collect();
    let candidates: Vec<Value> = failed
        .candidates
        .iter()
        .map(|one| {
            let parts: Vec<Value> =
                one.parts.iter().map(|part| json!({ "text": part.text, "value": part.value })).collect();
            json!({ "state": values_json(&one.state), "fault": one.fault, "parts": parts })
        })
        .collect();
    json!({
        "operation": failed.operation,
        "params": object(&failed.params),
        "results": object(&failed.outputs),
        "allowed": allowed,
        "n_allowed": failed.n_allowed,
        "candidates": candidates,
    })
}

fn obligation_name(obligation: Obligation) -> &'static str {
    match obligation {
        Obligation::Initialisation => "initialisation",
        Obligation::Trace => "trace",
        Obligation::Precondition => "precondition",
        Obligation::Outcome => "outcome",
        Obligation::Refusal => "refusal",
        Obligation::Operation => "operation",
    }
}
