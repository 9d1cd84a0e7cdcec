//! `abridge check`: explore all reachable states.

mod places;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use abridge_check::{
    Config, Method, PorMode, Report, Strategy, Stuck, Verdict, Violation, ViolationKind, check, check_on_disk,
    fingerprint, why_stuck,
};
use abridge_diag::{Diagnostic, RenderConfig, SourceMap, render};
use abridge_model::{Conjunct, Model, dump};
use abridge_sema::Options;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::cache::{Cache, CacheOptions};
use crate::commands::{Compat, complain, memory_size, print_json, seconds};
use crate::exit::Exit;
use crate::load::load;
use crate::out::{errln, out, outln};
use crate::profile;
use crate::report::{count, json_diagnostics};
use crate::steps::{steps_json, table};
use crate::trace_file;
use places::Places;

use crate::watch::{Guard, Interrupt, Watch, ceiling, grouped, peak_bytes, resident_bytes, usual_budget};

#[derive(Args)]
pub(crate) struct CheckOptions {
    /// Follow the conventions of another tool where B leaves room
    #[arg(long, value_enum)]
    compat: Option<Compat>,
    /// Explore everything, do not stop at a violation, ignore goals and assertions
    #[arg(long, help_heading = "Properties")]
    survey: bool,
    /// Stop at the first violation or go on
    #[arg(long, value_enum, default_value = "first", help_heading = "Properties")]
    find: Find,
    /// Do not look for deadlocks
    #[arg(long, help_heading = "Properties")]
    no_deadlock: bool,
    /// Do not check the invariant
    #[arg(long, help_heading = "Properties")]
    no_invariant: bool,
    /// Do not check assertions
    #[arg(long, help_heading = "Properties")]
    no_assertions: bool,
    /// Do not look for the GOAL
    #[arg(long, help_heading = "Properties")]
    no_goal: bool,
    /// Leave out the temporal properties of the machine
    #[arg(long, help_heading = "Properties")]
    no_temporal: bool,
    /// Leave out the gluing conjuncts of a refinement's invariant, which relate it to its abstraction
    #[arg(long, help_heading = "Properties")]
    no_gluing: bool,
    /// The order in which states are visited
    #[arg(long, value_enum, default_value = "bfs", help_heading = "Search")]
    strategy: Order,
    /// The seed of the mixed order
    #[arg(long, default_value_t = 0, help_heading = "Search")]
    seed: u64,
    /// Stop after this many states
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_states: Option<u64>,
    /// Do not go further than this many steps from the start
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<u32>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Limits")]
    time: Option<f64>,
    /// With --survey: once a violation is known and this much time has passed, stop counting
    #[arg(long, value_name = "SECONDS", default_value = "40", value_parser = seconds, help_heading = "Limits")]
    settle: f64,
    /// Use at most this much memory, for instance 4G; states that do not fit go to files (see --spill). By default the run ends with what it
    /// has when it takes three quarters of the memory that was free
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    memory: Option<u64>,
    /// Where states go that do not fit into --memory; by default the folder for temporary files. Nothing is left there
    #[arg(long, value_name = "DIR", requires = "memory", help_heading = "Disk")]
    spill: Option<PathBuf>,
    /// Stop when the memory is used up, write no files
    #[arg(long, conflicts_with = "spill", help_heading = "Disk")]
    no_spill: bool,
    /// Save the run in this folder now and then, and when Ctrl-C or a limit ends it, to go on with --resume
    #[arg(long, value_name = "DIR", conflicts_with = "resume", help_heading = "Disk")]
    checkpoint: Option<PathBuf>,
    /// How often the run is saved
    #[arg(long, value_name = "MINUTES", default_value = "10", value_parser = minutes, help_heading = "Disk")]
    checkpoint_every: f64,
    /// Go on with the run that was saved in this folder, and keep saving it there. The model and the options must be the same; threads and limits may differ
    #[arg(long, value_name = "DIR", help_heading = "Disk")]
    resume: Option<PathBuf>,
    /// Obey ProB's caps MAX_INITIALISATIONS (4) and MAX_OPERATIONS (10)
    #[arg(long, help_heading = "Limits")]
    prob_limits: bool,
    /// Threads of the breadth-first search; all cores by default. Results do not depend on it
    #[arg(long, value_name = "N", help_heading = "Search")]
    workers: Option<NonZero<usize>>,
    /// Do not remember the outcomes of operations
    #[arg(long, help_heading = "Search")]
    no_memo: bool,
    /// Evaluate with the plain interpreter only, which judges all other ways
    #[arg(long, help_heading = "Search")]
    plain: bool,
    /// Tell where the time goes: by operation and by conjunct, what was computed and what was remembered
    #[arg(long, help_heading = "Search")]
    profile: bool,
    /// Identify states that differ only in the names of interchangeable elements. By default `auto`; with --survey or --compat `off`, so
    /// that all states are counted
    #[arg(long, value_enum, help_heading = "Search")]
    symmetry: Option<Symmetry>,
    /// With --symmetry marker: confirm each hit by canonical forms, which makes the result exact
    #[arg(long, help_heading = "Search")]
    precise: bool,
    /// Leave out steps whose order does not matter (partial order reduction). Verdicts stay the same; states and transitions that are not
    /// needed are not visited and not counted
    #[arg(long, value_enum, value_name = "HOW", default_value = "off", help_heading = "Reductions")]
    por: Reduction,
    /// Take all steps, and check along paths of up to LENGTH steps that the reduction would leave out none that matters. Slow; for the
    /// sceptical
    #[arg(long, value_name = "LENGTH", num_args = 0..=1, default_missing_value = "3", help_heading = "Reductions")]
    check_por: Option<usize>,
    #[command(flatten)]
    cache: CacheOptions,
    /// Write the trace of a violation to a file, in the format of ProB 2 (.prob2trace)
    #[arg(long, value_name = "FILE")]
    save_trace: Option<PathBuf>,
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Symmetry {
    /// Every state counts
    Off,
    /// Exact and fast: signatures of values, refinement, and search only where these leave something open
    Auto,
    /// Exact: canonical labelling of state graphs
    Canon,
    /// Exact: the same graphs, labelled by nauty; only in a build with `--features nauty`
    Nauty,
    /// Exact: all permutations of a state are stored with it
    Flood,
    /// Approximate: symmetry markers; see --precise
    Marker,
}

#[cfg(feature = "nauty")]
const NAUTY: Method = Method::Nauty;
/// Never used: `run` refuses what this build does not have.
#[cfg(not(feature = "nauty"))]
const NAUTY: Method = Method::Canon;

impl Symmetry {
    fn method(self, is_precise: bool) -> Method {
        match self {
            Symmetry::Off => Method::Off,
            Symmetry::Auto => Method::Auto,
            Symmetry::Canon => Method::Canon,
            Symmetry::Nauty => NAUTY,
            Symmetry::Flood => Method::Flood,
            Symmetry::Marker => Method::Marker { is_precise },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Reduction {
    /// Take all steps
    Off,
    /// Begin without; if the search takes long, find out what is independent and start anew if that promises much
    Auto,
    /// By the elements that operations read and write
    Syntactic,
    /// Also by asking a SAT solver about all states, from the start
    Semantic,
    /// The same with ample sets, which are simpler than stubborn sets and reduce less
    Ample,
}

impl Reduction {
    fn name(self) -> &'static str {
        match self {
            Reduction::Off => "off",
            Reduction::Auto => "auto",
            Reduction::Syntactic => "syntactic",
            Reduction::Semantic => "semantic",
            Reduction::Ample => "ample",
        }
    }
}

fn minutes(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(minutes) if minutes >= 0.0 && minutes.is_finite() => Ok(minutes),
        _ => Err(format!("`{text}` is not a number of minutes")),
    }
}

impl CheckOptions {
    /// How many threads take part in the search.
    fn threads(&self) -> NonZero<usize> {
        match self.strategy {
            Order::Bfs => {
                self.workers.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
            }
            Order::Dfs | Order::Mixed => NonZero::<usize>::MIN,
        }
    }

    fn config(&self, file: &Path, model: &Model, budget: u64) -> Config {
        let mut config = Compat::config(self.compat, Some(file), budget);
        config.strategy = match self.strategy {
            Order::Bfs => Strategy::BreadthFirst,
            Order::Dfs => Strategy::DepthFirst,
            Order::Mixed => Strategy::Mixed { seed: self.seed },
        };
        config.invariant = !self.no_invariant;
        config.deadlock = !self.no_deadlock;
        config.assertions = !self.no_assertions && !self.survey;
        config.goal = !self.no_goal && !self.survey;
        config.temporal = !self.no_temporal && !self.survey;
        config.gluing = !self.no_gluing && !self.survey;
        config.find_all = self.survey || self.find == Find::All;
        config.max_states = self.max_states;
        config.max_depth = self.max_depth;
        config.workers = self.threads();
        config.leaves_memory = true;
        config.por = match self.por {
            Reduction::Off => PorMode::Off,
            Reduction::Auto => PorMode::Auto,
            Reduction::Syntactic => PorMode::Syntactic,
            Reduction::Semantic => PorMode::Semantic,
            Reduction::Ample => PorMode::Ample,
        };
        config.check_por = self.check_por;
        if self.check_por.is_some() && config.por == PorMode::Off {
            config.por = PorMode::Auto;
        }
        config.system.memo = !self.no_memo;
        config.system.profile = self.profile;
        // What is remembered must leave room for states.
        config.system.memo_bytes = self.memory.map(|memory| memory / 4);
        config.system.compiled = !self.plain;
        config.symmetry = match self.symmetry {
            Some(symmetry) => symmetry.method(self.precise),
            None if self.survey || self.compat.is_some() || self.prob_limits => Method::Off,
            None => Method::Auto,
        };
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
    let model_options = &Options { heeds_caps: options.prob_limits, ..Compat::options(options.compat, model_options) };
    if options.symmetry == Some(Symmetry::Nauty) && !cfg!(feature = "nauty") {
        errln!("error: this build has no nauty; build it with `--features nauty`, or use `--symmetry canon`");
        return Exit::Usage;
    }
    let start = Instant::now();
    let analysis = load(file, model_options);
    let Some(model) = &analysis.model else {
        if json {
            let message =
                analysis.diagnostics.iter().find(|d| d.is_error()).map(|d| d.message.clone()).unwrap_or_default();
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
    let places = match Places::new(options) {
        Ok(places) => places,
        Err(message) => return refuse(file, json, &message),
    };
    let interrupt = Interrupt::new();
    let budget = options.memory.unwrap_or_else(usual_budget);
    let mut watch = Watch::new(options.time, Some(budget), !json, interrupt.clone())
        .settle_after(options.survey.then_some(options.settle))
        .checkpoint_every(places.folder.is_some().then_some(options.checkpoint_every));
    let search_start = Instant::now();
    let bytes_before = resident_bytes();
    let mut config = options.config(file, model, budget);
    // What was being evaluated is lost, which a run that is saved cannot afford.
    if places.folder.is_none() {
        let stop = interrupt.guard(Guard::new(options.time, ceiling(budget)).patient());
        (config.stop, config.stopped_for) = (stop.flag, stop.reason);
    }
    let cache = if config.por == PorMode::Off { Cache::off() } else { Cache::open(&options.cache, model) };
    config.answers = cache.answers();
    let report = if places.are_used() {
        let texts = analysis.sources.iter().map(|(_, file)| &**file.text());
        let disk = places.disk(fingerprint(model, texts, &config));
        check_on_disk(model, &config, disk, &mut watch)
    } else {
        Ok(check(model, &config, &mut watch))
    };
    let report = match report {
        Ok(report) => report,
        Err(refusal) => {
            watch.clear();
            return refuse(file, json, &places.refusal_text(&refusal));
        }
    };
    let search_seconds = search_start.elapsed().as_secs_f64();
    watch.clear();
    cache.save();
    let times = Times { search: search_seconds, total: start.elapsed().as_secs_f64() };
    let saved = options.save_trace.as_ref().map(|path| save_trace(path, model, &report));
    if json {
        let mut value = report_json(model, &analysis.sources, &report, &times);
        value["por"] = json!(options.por.name());
        value["partial_order"] = por_json(&report);
        value["workers"] = json!(options.threads());
        value["bytes_per_state"] = json!(bytes_per_state(&report, bytes_before));
        value["resumed"] = json!(places.resumes);
        value["file"] = json!(file);
        if options.profile {
            value["profile"] = profile::rows_json(model, &report.profile);
        }
        let diagnostics: Vec<Diagnostic> = analysis.diagnostics.iter().chain(&report.unchecked).cloned().collect();
        value["diagnostics"] = json!(json_diagnostics(&analysis.sources, &diagnostics));
        match &saved {
            Some(Ok(path)) => value["trace_file"] = json!(path),
            Some(Err(message)) => value["trace_error"] = json!(message),
            None => {}
        }
        print_json(&value);
    } else {
        print_report(model, &analysis.sources, &report, &times, &config);
        if options.profile {
            out!("{}", profile::table(model, &report.profile, search_seconds, options.threads().get()));
        }
        places.print_outcome(&report, file);
    }
    match saved {
        Some(Err(message)) => {
            if !json {
                errln!("error: {message}");
            }
            Exit::Usage
        }
        Some(Ok(None)) if !json => {
            outln!("no trace was saved: there is none");
            exit_status(&report)
        }
        _ => exit_status(&report),
    }
}

/// Says why there was no run.
fn refuse(file: &Path, json: bool, message: &str) -> Exit {
    if json {
        print_json(&json!({ "file": file, "verdict": "error", "message": message, "diagnostics": [] }));
    } else {
        errln!("error: {message}");
    }
    Exit::Usage
}

/// Where the trace of the violation went; nothing if there is no violation.
fn save_trace<'p>(path: &'p Path, model: &Model, report: &Report) -> Result<Option<&'p Path>, String> {
    match &report.violation {
        Some(violation) => trace_file::save(path, model, &violation.trace.steps).map(|()| Some(path)),
        None => Ok(None),
    }
}

struct Times {
    search: f64,
    total: f64,
}

fn exit_status(report: &Report) -> Exit {
    if report.por.as_ref().is_some_and(|tally| !tally.mistakes.is_empty()) {
        return Exit::No;
    }
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

fn print_report(model: &Model, sources: &SourceMap, report: &Report, times: &Times, config: &Config) {
    match &report.violation {
        Some(violation) if is_stuck(violation) => print_stuck(model, sources, config),
        Some(violation) => print_violation(model, sources, violation),
        None if report.verdict == Verdict::Holds => outln!("{}", holds_text(report)),
        None if report.symmetry.is_approximate => outln!("no violation found (approximate)"),
        None if report.visited_all => outln!("no violation found, but not everything was checked"),
        None => outln!("no violation found, but not everything was visited"),
    }
    if report.outside_scope > 0 {
        outln!("  {} outside SCOPE left out, with what follows", plural(report.outside_scope, "state"));
    }
    for limit in &report.limits {
        outln!("  {limit}");
    }
    report.unchecked.iter().for_each(|one| out!("{}", render(sources, one, RenderConfig::default())));
    for (_, diagnostic) in report.failures.iter().take(3) {
        let diagnostic = match diagnostic.id {
            "unbounded-value" => {
                diagnostic.clone().help("integers from MININT to MAXINT are tried with `--compat prob`")
            }
            _ => diagnostic.clone(),
        };
        out!("{}", render(sources, &diagnostic, RenderConfig::default()));
    }
    outln!();
    let rate = report.states as f64 / times.search.max(1e-9);
    outln!(
        "{}, {}, depth {}, {:.2} s ({:.0} states/s), {} MB",
        plural(report.states, "state"),
        plural(report.transitions, "transition"),
        report.depth,
        times.total,
        rate,
        peak_bytes() >> 20
    );
    if let Some(tally) = &report.por {
        let outline = tally.outline;
        outln!(
            "partial order: {} with fewer steps; {}, {}, {}",
            plural(tally.reduced, "state"),
            plural(outline.instances as u64, "instance"),
            plural(outline.errors as u64, "kind") + " of violation possible",
            plural(outline.questions, "question") + " to the solver"
        );
        tally.mistakes.iter().for_each(|mistake| outln!("MISTAKE of partial order reduction: {mistake}"));
    }
    let never: Vec<&str> =
        report.coverage.iter().filter(|c| c.transitions == 0).map(|c| c.operation.as_str()).collect();
    // Under a reduction that says nothing about the machine.
    if !never.is_empty() && report.por.is_none() {
        outln!("never taken: {}", never.join(", "));
    }
}

fn holds_text(report: &Report) -> &'static str {
    let is_symmetric = report.symmetry.carriers.iter().any(|carrier| !carrier.blocks.is_empty());
    if report.por.as_ref().is_some_and(|tally| tally.reduced > 0 && !tally.is_twin) {
        "holds: every state was visited that something to be reported could be found through"
    } else if is_symmetric {
        "holds: every reachable state was visited, up to the names of interchangeable elements"
    } else {
        "holds: every reachable state was visited"
    }
}

fn plural(n: u64, noun: &str) -> String {
    count(n as usize, noun).replacen(&n.to_string(), &grouped(n), 1)
}

/// The machine did not even start.
fn is_stuck(violation: &Violation) -> bool {
    matches!(violation.kind, ViolationKind::Deadlock) && violation.trace.steps.is_empty()
}

fn print_stuck(model: &Model, sources: &SourceMap, config: &Config) {
    match why_stuck(model, config) {
        Some(Stuck::IllDefined(error)) => {
            outln!("the machine cannot start: a property is not well-defined, and so counts as false");
            out!("{}", render(sources, &error, RenderConfig::default()));
        }
        Some(Stuck::Property(idx)) => {
            let property = &model.properties[idx];
            outln!("the machine cannot start: nothing satisfies PROPERTIES");
            let text = dump::pred_text(model, property.pred);
            outln!("  with what stands before it, this cannot be satisfied: {text}");
            outln!("  --> {}", sources.locate(property.span));
            print_bounds(model, sources, &model.properties[..=idx]);
        }
        Some(Stuck::Initialisation) => outln!("the machine cannot start: INITIALISATION has no outcome"),
        None => outln!("the machine cannot start: nothing satisfies PROPERTIES, or INITIALISATION has no outcome"),
    }
}

/// Says how large integers get, if the text of some formula depends on that: few expect NAT to end at 3.
fn print_bounds(model: &Model, sources: &SourceMap, formulas: &[Conjunct]) {
    const BOUNDED: [&str; 5] = ["INT", "NAT", "NAT1", "MAXINT", "MININT"];
    let is_bounded = |formula: &Conjunct| {
        let words = sources.snippet(formula.span).split(|ch: char| !ch.is_alphanumeric() && ch != '_');
        words.into_iter().any(|word| BOUNDED.contains(&word))
    };
    if formulas.iter().any(is_bounded) {
        let preferences = &model.steering.preferences;
        outln!(
            "  INT is {}..{} here: `-p MAXINT 100` makes it larger, and so does `SET_PREF_MAXINT == 100` among the DEFINITIONS",
            preferences.min_int,
            preferences.max_int
        );
    }
}

fn print_violation(model: &Model, sources: &SourceMap, violation: &Violation) {
    let steps = violation.trace.steps.len();
    match &violation.kind {
        ViolationKind::Invariant { conjunct } => {
            let conjunct = &model.invariant[*conjunct];
            outln!("invariant violated after {}: {}", count(steps, "step"), dump::pred_text(model, conjunct.pred));
            outln!("  --> {}", sources.locate(conjunct.span));
            print_bounds(model, sources, std::slice::from_ref(conjunct));
        }
        ViolationKind::Assertion { conjunct } => {
            let conjunct = &model.assertions[*conjunct];
            outln!("assertion violated after {}: {}", count(steps, "step"), dump::pred_text(model, conjunct.pred));
            outln!("  --> {}", sources.locate(conjunct.span));
            print_bounds(model, sources, std::slice::from_ref(conjunct));
        }
        ViolationKind::Deadlock => outln!("deadlock after {}: no operation is enabled", count(steps, "step")),
        ViolationKind::Goal => outln!("goal reached after {}", count(steps, "step")),
        ViolationKind::IllDefined { operation, error } => {
            let place = operation.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
            outln!("not well-defined{place} after {}", count(steps, "step"));
            out!("{}", render(sources, error, RenderConfig::default()));
        }
    }
    for part in &violation.parts {
        outln!("  {} is {}", part.text, part.value);
    }
    outln!();
    out!("{}", table(&violation.trace.steps));
}

fn report_json(model: &Model, sources: &SourceMap, report: &Report, times: &Times) -> Value {
    let verdict = match report.verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::GoalReached => "goal",
        Verdict::Incomplete => "incomplete",
    };
    let coverage: serde_json::Map<String, Value> =
        report.coverage.iter().map(|item| (item.operation.clone(), json!(item.transitions))).collect();
    let violation = report.violation.as_ref().map(|violation| violation_json(model, sources, violation));
    let mut json = json!({
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
        "coverage": coverage,
        "limits": report.limits,
        "outside_scope": report.outside_scope,
        "message": report.failures.first().map(|(what, diagnostic)| format!("{what}: {}", diagnostic.message)).unwrap_or_default(),
        "symmetry": report.symmetry.method.name(),
        "symmetric": symmetric_json(model, report),
        "approximate": report.symmetry.is_approximate,
        "search_seconds": times.search,
        "total_seconds": times.total,
        "peak_bytes": peak_bytes(),
        "table_bytes": report.table_bytes,
        "spilled": report.disk.is_spilled,
        "checkpoints": report.disk.n_checkpoints,
        "checkpoint_error": report.disk.checkpoint_error,
    });
    // Traces may be long: they are moved, where `json!` would copy them.
    json["violation"] = violation.unwrap_or_default();
    json
}

/// Elements that were taken as interchangeable, by given set.
fn symmetric_json(model: &Model, report: &Report) -> Value {
    let names = |set, block: &Vec<u32>| -> Vec<String> {
        block.iter().map(|index| model.sets[set].element_name(*index).to_string()).collect()
    };
    let carriers = report.symmetry.carriers.iter().filter(|carrier| !carrier.blocks.is_empty()).map(|carrier| {
        let blocks: Vec<Vec<String>> = carrier.blocks.iter().map(|block| names(carrier.set, block)).collect();
        (model.sets[carrier.set].name.to_string(), json!(blocks))
    });
    Value::Object(carriers.collect())
}

/// What came of leaving out steps, and what was found out for that.
fn por_json(report: &Report) -> Value {
    let Some(tally) = &report.por else { return Value::Null };
    json!({
        "reduced_states": tally.reduced,
        "mistakes": tally.mistakes,
        "instances": tally.outline.instances,
        "errors": tally.outline.errors,
        "places": tally.outline.cells,
        "proven": tally.outline.proven,
        "questions": tally.outline.questions,
    })
}

/// The most memory that the search took, all included, by states.
fn bytes_per_state(report: &Report, bytes_before: u64) -> f64 {
    peak_bytes().saturating_sub(bytes_before) as f64 / report.states.max(1) as f64
}

fn violation_json(model: &Model, sources: &SourceMap, violation: &Violation) -> Value {
    let (kind, detail) = match &violation.kind {
        ViolationKind::Invariant { conjunct } => {
            let conjunct = &model.invariant[*conjunct];
            (
                "invariant",
                json!({ "text": dump::pred_text(model, conjunct.pred), "place": sources.locate(conjunct.span) }),
            )
        }
        ViolationKind::Assertion { conjunct } => {
            let conjunct = &model.assertions[*conjunct];
            (
                "assertion",
                json!({ "text": dump::pred_text(model, conjunct.pred), "place": sources.locate(conjunct.span) }),
            )
        }
        ViolationKind::Deadlock => ("deadlock", Value::Null),
        ViolationKind::Goal => ("goal", Value::Null),
        ViolationKind::IllDefined { operation, error } => (
            "ill_defined",
            json!({ "operation": operation, "id": error.id, "text": error.message, "place": error.span().map(|span| sources.locate(span)) }),
        ),
    };
    let parts: Vec<Value> =
        violation.parts.iter().map(|part| json!({ "text": part.text, "value": part.value })).collect();
    let mut json = json!({ "kind": kind, "detail": detail, "parts": parts });
    json["trace"] = steps_json(&violation.trace.steps);
    json
}
