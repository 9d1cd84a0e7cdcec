//! `abridge check`: check all reachable states of a machine.
//!
//! Options become a `check::Config`; the `Report` becomes text or JSON and an exit status. Exit 0 must mean that every property that
//! was asked for holds.

mod places;
pub(crate) mod temporal;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Instant;

use abridge_check::{
    Config, Engine, Method, PorMode, Report, Strategy, Stuck, SymbolicReport, SymbolicSymmetry, TemporalReport,
    TemporalVerdict, Verdict, Violation, ViolationKind, check, check_on_disk, fingerprint, limit_text, why_stuck,
};
use abridge_diag::{Diagnostic, RenderConfig, SourceMap, render};
use abridge_model::{Conjunct, Model, dump};
use abridge_sema::Options;
use abridge_system::Limit;
use clap::{Args, ValueEnum};
use num_bigint::BigUint;
use serde_json::{Value, json};

use crate::cache::{Cache, CacheOptions};
use crate::commands::{Compat, complain, memory_size, print_json, seconds};
use crate::exit::Exit;
use crate::load::load;
use crate::out::{errln, flush, out, outln};
use crate::profile;
use crate::report::{count, json_diagnostics};
use crate::steps::{steps_json, table};
use crate::trace_file;
use places::Places;

use crate::watch::{Guard, Interrupt, Stop, Watch, grouped, peak_bytes, resident_bytes, usual_budget};

/// Violations that `--find all` lists with their traces.
const MAX_LISTED_VIOLATIONS: usize = 100;
/// Bytes of a node of a decision diagram, with its share of hash tables and caches.
const BYTES_PER_NODE: u64 = 64;

#[derive(Args)]
pub(crate) struct CheckOptions {
    /// Follow the conventions of another tool where B leaves a choice
    #[arg(long, value_enum)]
    compat: Option<Compat>,
    /// Count the whole state space: continue after violations, ignore goal and assertions
    #[arg(long, help_heading = "Properties")]
    survey: bool,
    /// Stop at the first violation, or find all
    #[arg(long, value_enum, default_value = "first", help_heading = "Properties")]
    find: Find,
    /// Do not check for deadlocks
    #[arg(long, help_heading = "Properties")]
    no_deadlock: bool,
    /// Do not check the invariant
    #[arg(long, help_heading = "Properties")]
    no_invariant: bool,
    /// Do not check assertions
    #[arg(long, help_heading = "Properties")]
    no_assertions: bool,
    /// Do not search for GOAL
    #[arg(long, help_heading = "Properties")]
    no_goal: bool,
    #[command(flatten)]
    temporal: temporal::TemporalOptions,
    /// Do not check the gluing conjuncts of a refinement
    #[arg(long, help_heading = "Properties")]
    no_gluing: bool,
    /// Engine: state by state, or sets of states as decision diagrams
    #[arg(long, value_enum, default_value = "explicit", help_heading = "Search")]
    engine: EngineName,
    /// Search order
    #[arg(long, value_enum, default_value = "bfs", help_heading = "Search")]
    strategy: Order,
    /// Random seed of the mixed search order
    #[arg(long, default_value_t = 0, help_heading = "Search")]
    seed: u64,
    /// Stop after N states
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_states: Option<u64>,
    /// Do not visit states more than N steps away from the root
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<u32>,
    /// Stop after a number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Limits")]
    time: Option<f64>,
    /// With --survey: stop counting after this time if a violation has been found
    #[arg(long, value_name = "SECONDS", default_value = "40", value_parser = seconds, help_heading = "Limits")]
    settle: f64,
    /// Memory limit, for example 4G. States that do not fit are written to files, see --spill. Without this option, the search stops at
    /// three quarters of the memory that was free at the start
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    memory: Option<u64>,
    /// Folder for states that do not fit into --memory [default: folder for temporary files]. Its files are removed at the end
    #[arg(long, value_name = "DIR", requires = "memory", help_heading = "Disk")]
    spill: Option<PathBuf>,
    /// Stop at the memory limit instead of writing states to files
    #[arg(long, conflicts_with = "spill", help_heading = "Disk")]
    no_spill: bool,
    /// Save the search to this folder periodically, and when Ctrl-C or a limit ends it; continue with --resume
    #[arg(long, value_name = "DIR", conflicts_with = "resume", help_heading = "Disk")]
    checkpoint: Option<PathBuf>,
    /// Minutes between two checkpoints
    #[arg(long, value_name = "MINUTES", default_value = "10", value_parser = minutes, help_heading = "Disk")]
    checkpoint_every: f64,
    /// Continue the search that was saved in this folder, and keep saving it there. Model and options must be the same; --workers and limits may differ
    #[arg(long, value_name = "DIR", help_heading = "Disk")]
    resume: Option<PathBuf>,
    /// Apply ProB's caps MAX_INITIALISATIONS (4) and MAX_OPERATIONS (10)
    #[arg(long, help_heading = "Limits")]
    prob_limits: bool,
    /// Threads of the breadth-first search [default: all cores]. The results do not depend on it
    #[arg(long, value_name = "N", help_heading = "Search")]
    workers: Option<NonZero<usize>>,
    /// Do not memoise the outcomes of operations
    #[arg(long, help_heading = "Search")]
    no_memo: bool,
    /// Evaluate with the reference interpreter only: slow, for comparison
    #[arg(long, help_heading = "Search")]
    plain: bool,
    /// Print time and memo hits per operation and per conjunct
    #[arg(long, help_heading = "Search")]
    profile: bool,
    /// Symmetry reduction: visit one representative of states that differ only in interchangeable elements. Default: `auto`, but `off`
    /// with --survey, --compat or --prob-limits
    #[arg(long, value_enum, help_heading = "Reductions")]
    symmetry: Option<Symmetry>,
    /// With --symmetry marker: confirm each match by canonical forms, which makes the result exact
    #[arg(long, help_heading = "Reductions")]
    precise: bool,
    /// Partial order reduction: explore one order of independent steps. The verdict stays the same; states and transitions that are
    /// skipped are not counted
    #[arg(long, value_enum, value_name = "HOW", default_value = "off", help_heading = "Reductions")]
    por: Reduction,
    /// Validate partial order reduction: explore all steps and check each reduced set along paths of up to LENGTH steps. Slow
    #[arg(long, value_name = "LENGTH", num_args = 0..=1, default_missing_value = "3", help_heading = "Reductions")]
    check_por: Option<usize>,
    #[command(flatten)]
    cache: CacheOptions,
    /// Write the trace of the violation to a file, in the format of ProB 2 (.prob2trace)
    #[arg(long, value_name = "FILE")]
    save_trace: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Find {
    /// Stop at the first violation
    First,
    /// Continue after violations, and list one of each kind, conjunct and operation
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// State by state
    Explicit,
    /// Sets of states as binary decision diagrams; see docs/symbolic.md
    Symbolic,
    /// Explicit at first, symbolic where there are many states
    Auto,
}

impl EngineName {
    fn engine(self) -> Engine {
        match self {
            EngineName::Explicit => Engine::Explicit,
            EngineName::Symbolic => Engine::Symbolic,
            EngineName::Auto => Engine::Auto,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Breadth-first: shortest traces, parallel
    Bfs,
    /// Depth-first
    Dfs,
    /// Mixed breadth-first and depth-first, as in ProB
    Mixed,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Symmetry {
    /// No symmetry reduction
    Off,
    /// Exact: signatures of values and partition refinement, with search where these leave ties
    Auto,
    /// Exact: canonical labelling of state graphs
    Canon,
    /// Exact: canonical labelling by nauty; needs a build with `--features nauty`
    Nauty,
    /// Exact: permutation flooding, which stores the whole orbit of each state
    Flood,
    /// Approximate: symmetry markers, see --precise
    Marker,
}

#[cfg(feature = "nauty")]
const NAUTY: Method = Method::Nauty;
/// Never used: `run` refuses `--symmetry nauty` in a build without nauty.
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
    /// No partial order reduction
    Off,
    /// Start without; analyse dependences if the search takes long, and restart with the reduction if it promises to pay
    Auto,
    /// Stubborn sets by the elements that operations read and write
    Syntactic,
    /// Stubborn sets by a SAT solver as well: more independence, longer analysis
    Semantic,
    /// Ample sets in place of stubborn sets: simpler, less reduction; for comparison
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
    /// The temporal properties of the machine are to be checked.
    fn checks_temporal(&self) -> bool {
        !self.temporal.no_temporal && !self.survey
    }

    /// Number of threads of the search.
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
        config.engine = self.engine.engine();
        config.max_nodes = usize::try_from(budget / BYTES_PER_NODE).unwrap_or(usize::MAX);
        config.strategy = match self.strategy {
            Order::Bfs => Strategy::BreadthFirst,
            Order::Dfs => Strategy::DepthFirst,
            Order::Mixed => Strategy::Mixed { seed: self.seed },
        };
        config.invariant = !self.no_invariant;
        config.deadlock = !self.no_deadlock;
        config.assertions = !self.no_assertions && !self.survey;
        config.goal = !self.no_goal && !self.survey;
        config.temporal = self.checks_temporal();
        config.stutters = self.temporal.deadlock == temporal::AtDeadlock::Stutter;
        config.gluing = !self.no_gluing && !self.survey;
        config.find_all = self.survey || self.find == Find::All;
        if self.find == Find::All {
            config.max_violations = MAX_LISTED_VIOLATIONS;
        }
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
        // Memos must leave room for states.
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
        errln!("error: this build has no nauty: rebuild with `--features nauty`, or use `--symmetry canon`");
        return Exit::Usage;
    }
    let start = Instant::now();
    let mut analysis = load(file, model_options);
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
    if options.engine != EngineName::Explicit && (options.checkpoint.is_some() || options.resume.is_some()) {
        return refuse(file, json, "--checkpoint and --resume need `--engine explicit`");
    }
    let places = match Places::new(options) {
        Ok(places) => places,
        Err(message) => return refuse(file, json, &message),
    };
    let of_machine = options.checks_temporal();
    let formulas = match options.temporal.sources(model, of_machine, &mut analysis.sources) {
        Ok(formulas) => formulas,
        Err(message) => return refuse(file, json, &message),
    };
    let budget = options.memory.unwrap_or_else(usual_budget);
    let mut config = options.config(file, model, budget);
    let (with_atoms, formulas) = temporal::prepared(file, model, formulas, &config, model_options);
    let model = with_atoms.as_ref().unwrap_or(model);
    config.formulas = Arc::new(formulas);
    let subject = Subject { file, model, sources: &analysis.sources, options };
    let finished = match subject.search(config, budget, &places, start, json) {
        Ok(finished) => finished,
        Err(message) => return refuse(file, json, &message),
    };
    let report = &finished.report;
    let saved = options.save_trace.as_ref().map(|path| save_trace(path, model, report));
    if json {
        let mut value = subject.json(&finished, &places);
        let others = report.unchecked.iter().chain(temporal::diagnostics(report));
        let diagnostics: Vec<Diagnostic> = analysis.diagnostics.iter().chain(others).cloned().collect();
        value["diagnostics"] = json!(json_diagnostics(&analysis.sources, &diagnostics));
        match &saved {
            Some(Ok(path)) => value["trace_file"] = json!(path),
            Some(Err(message)) => value["trace_error"] = json!(message),
            None => {}
        }
        print_json(&value);
    } else {
        print_report(model, &analysis.sources, report, &finished.times, &finished.config);
        if options.profile {
            let threads = options.threads().get();
            out!("{}", profile::table(model, &report.profile, finished.times.search, threads));
        }
        places.print_outcome(report, file);
    }
    match saved {
        Some(Err(message)) => {
            if !json {
                errln!("error: {message}");
            }
            Exit::Usage
        }
        Some(Ok(None)) if !json => {
            outln!("no violation, so no trace was saved");
            exit_status(report)
        }
        _ => exit_status(report),
    }
}

/// A model to be checked, with its options.
struct Subject<'s> {
    file: &'s Path,
    model: &'s Model,
    sources: &'s SourceMap,
    options: &'s CheckOptions,
}

/// A search that came to a report.
struct Finished {
    report: Report,
    config: Config,
    times: Times,
    /// Memory of the process before the search.
    bytes_before: u64,
}

impl Subject<'_> {
    /// Runs the search; a message if its checkpoint is refused.
    fn search(
        &self,
        mut config: Config,
        budget: u64,
        places: &Places,
        start: Instant,
        json: bool,
    ) -> Result<Finished, String> {
        let Subject { file, model, sources, options } = *self;
        let interrupt = Interrupt::new();
        let mut watch = Watch::new(start, options.time, Some(budget), !json, interrupt.clone())
            .settle_after(options.survey.then_some(options.settle))
            .checkpoint_every(places.folder.is_some().then_some(options.checkpoint_every));
        let search_start = Instant::now();
        let bytes_before = resident_bytes();
        // The flag aborts evaluations, whose steps are then missing. A checkpoint must not miss any.
        let mut stop = Stop::default();
        if places.folder.is_none() {
            let guard = Guard::new(start, options.time, budget, config.eval.memory.clone()).patient();
            let (file, n_states) = (file.to_owned(), watch.n_states());
            stop = interrupt.guard(guard.at_last(move |limit| give_up(&file, limit, n_states.load(Relaxed), json)));
            let Stop { flag, reason, is_over, .. } = stop.clone();
            (config.stop, config.stopped_for, config.is_search_over) = (flag, reason, is_over);
        }
        let cache = if config.por == PorMode::Off { Cache::off() } else { Cache::open(&options.cache, model) };
        config.answers = cache.answers();
        let report = if places.are_used() && options.engine == EngineName::Explicit {
            let texts = sources.iter().map(|(_, file)| &**file.text());
            let disk = places.disk(fingerprint(model, texts, &config));
            check_on_disk(model, &config, disk, &mut watch)
        } else {
            Ok(check(model, &config, &mut watch))
        };
        stop.answer();
        let search = search_start.elapsed().as_secs_f64();
        watch.clear();
        let report = report.map_err(|refusal| places.refusal_text(&refusal))?;
        cache.save();
        let times = Times { search, total: start.elapsed().as_secs_f64() };
        Ok(Finished { report, config, times, bytes_before })
    }

    /// The report as JSON, without diagnostics and the fate of a saved trace.
    fn json(&self, finished: &Finished, places: &Places) -> Value {
        let Subject { file, model, sources, options } = *self;
        let Finished { report, times, bytes_before, .. } = finished;
        let mut value = report_json(model, sources, report, times);
        value["por"] = json!(options.por.name());
        value["partial_order"] = por_json(report);
        value["workers"] = json!(options.threads());
        value["bytes_per_state"] = json!(bytes_per_state(report, *bytes_before));
        value["resumed"] = json!(places.resumes);
        value["file"] = json!(file);
        if options.find == Find::All {
            value["violations"] = report.violations.iter().map(|one| violation_json(model, sources, one)).collect();
        }
        if options.profile {
            value["profile"] = profile::rows_json(model, &report.profile);
        }
        value
    }
}

/// Ends a run whose evaluation does not look up. Nothing has been found, or the report would be on its way.
fn give_up(file: &Path, limit: Limit, n_states: u64, json: bool) {
    let limit = format!("{} during an evaluation that could not be interrupted", limit_text(limit));
    if json {
        let value =
            json!({ "file": file, "verdict": "incomplete", "states": n_states, "limits": [limit], "violation": null });
        print_json(&value);
    } else {
        outln!("no violation found ({limit}; {} visited)", plural(n_states, "state"));
    }
    flush();
    std::process::exit(Exit::Incomplete as i32);
}

/// Reports why there is no run.
fn refuse(file: &Path, json: bool, message: &str) -> Exit {
    if json {
        print_json(&json!({ "file": file, "verdict": "error", "message": message, "diagnostics": [] }));
    } else {
        errln!("error: {message}");
    }
    Exit::Usage
}

/// Saves the trace of the violation, or else of the first violated temporal formula, and returns its path; `None` if there is no violation.
fn save_trace<'p>(path: &'p Path, model: &Model, report: &Report) -> Result<Option<&'p Path>, String> {
    let is_violated = |formula: &&TemporalReport| formula.verdict == TemporalVerdict::Violated;
    let of_formula = || report.temporal.iter().filter(is_violated).find_map(|formula| formula.trace.as_ref());
    match report.violation().map(|violation| &violation.trace).or_else(of_formula) {
        Some(trace) => trace_file::save(path, model, &trace.steps, trace.loop_start).map(|()| Some(path)),
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
    match report.violation().map(|violation| &violation.kind) {
        Some(ViolationKind::Invariant { .. }) => Exit::Invariant,
        Some(ViolationKind::Assertion { .. }) => Exit::Assertion,
        Some(ViolationKind::Deadlock) => Exit::Deadlock,
        Some(ViolationKind::IllDefined { .. }) => Exit::IllDefined,
        Some(ViolationKind::Goal) | None => temporal_status(report),
    }
}

/// The exit status of a run that found no violation in single states.
fn temporal_status(report: &Report) -> Exit {
    let is = |wanted: fn(&TemporalVerdict) -> bool| report.temporal.iter().any(|formula| wanted(&formula.verdict));
    if is(|verdict| *verdict == TemporalVerdict::Violated) {
        Exit::Temporal
    } else if is(|verdict| matches!(verdict, TemporalVerdict::IllDefined(_))) {
        Exit::IllDefined
    } else if is(|verdict| matches!(verdict, TemporalVerdict::Error(_))) {
        Exit::WrongModel
    } else if report.verdict == Verdict::Incomplete {
        Exit::Incomplete
    } else {
        Exit::Ok
    }
}

fn print_report(model: &Model, sources: &SourceMap, report: &Report, times: &Times, config: &Config) {
    match report.violation() {
        Some(violation) if is_stuck(violation) => print_stuck(model, sources, config),
        Some(_) => print_violations(model, sources, report),
        None if report.verdict == Verdict::Holds => outln!("{}", holds_text(report)),
        None if report.verdict == Verdict::Violated => outln!("{}", temporal::violated_text(report)),
        None => outln!("{}", incomplete_text(report, times)),
    }
    temporal::print(report, sources);
    if report.outside_scope > 0 {
        outln!("  {} outside SCOPE, not explored", plural(report.outside_scope, "state"));
    }
    // The verdict line of an incomplete search has the first limit.
    for limit in report.limits.iter().skip(usize::from(report.verdict == Verdict::Incomplete)) {
        outln!("  {limit}");
    }
    report.unchecked.iter().for_each(|one| out!("{}", render(sources, one, RenderConfig::default())));
    for (_, diagnostic) in report.failures.iter().take(3) {
        let diagnostic = match diagnostic.id {
            "unbounded-value" => diagnostic.clone().help("`--compat prob` tries the integers from MININT to MAXINT"),
            _ => diagnostic.clone(),
        };
        out!("{}", render(sources, &diagnostic, RenderConfig::default()));
    }
    outln!();
    let rate = report.states as f64 / times.search.max(1e-9);
    match &report.symbolic {
        Some(symbolic) => outln!("{}", symbolic_text(symbolic, times)),
        None => outln!(
            "{}, {}, depth {}, {:.2} s ({:.0} states/s), {} MB",
            plural(report.states, "state"),
            plural(report.transitions, "transition"),
            report.depth,
            times.total,
            rate,
            peak_bytes() >> 20
        ),
    }
    if let Some(tally) = &report.por {
        let outline = tally.outline;
        outln!(
            "partial order reduction: {} reduced, {}, {}, {}",
            plural(tally.reduced, "state"),
            plural(outline.instances as u64, "operation instance"),
            plural(outline.errors as u64, "kind") + " of violation not excluded",
            plural(outline.questions, "solver call")
        );
        tally.mistakes.iter().for_each(|mistake| outln!("ERROR in partial order reduction: {mistake}"));
    }
    let never: Vec<&str> =
        report.coverage.iter().filter(|c| c.transitions == 0).map(|c| c.operation.as_str()).collect();
    // Under partial order reduction, coverage says nothing about the machine.
    if !never.is_empty() && report.por.is_none() {
        outln!("operations never taken: {}", never.join(", "));
    }
}

/// Counts and statistics of the symbolic engine.
fn symbolic_text(symbolic: &SymbolicReport, times: &Times) -> String {
    let transitions = symbolic.transitions.as_ref().map_or("transitions not counted".to_owned(), |count| {
        format!("{} transitions", grouped_digits(&count.to_string()))
    });
    let learnt = match symbolic.learnt_operations {
        0 => String::new(),
        learnt => format!(", {} learnt from the evaluator", plural(learnt as u64, "operation")),
    };
    let states = grouped_digits(&symbolic.states.to_string());
    let behind = symbolic.states_behind.as_ref().map(|count| grouped_digits(&count.to_string()));
    let states = match (symbolic.symmetry, behind) {
        (SymbolicSymmetry::Off, _) => format!("{states} states"),
        (SymbolicSymmetry::Unique, Some(behind)) => format!("{states} orbits of {behind} states"),
        (SymbolicSymmetry::Unique, None) => format!("{states} orbits"),
        (SymbolicSymmetry::Several, Some(behind)) => format!("{states} representatives of {behind} states"),
        (SymbolicSymmetry::Several, None) => format!("{states} representatives"),
    };
    format!(
        "{states}, {transitions}, {}, at most {}{learnt}, {:.2} s, {} MB",
        plural(u64::from(symbolic.rounds), "round"),
        plural(symbolic.peak_nodes as u64, "node"),
        times.total,
        peak_bytes() >> 20
    )
}

/// A number in decimal with groups of three digits.
fn grouped_digits(digits: &str) -> String {
    let first = digits.len() % 3;
    let (head, tail) = digits.split_at(first);
    let groups = tail.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let all: Vec<String> = Some(head.to_owned()).into_iter().filter(|head| !head.is_empty()).chain(groups).collect();
    all.join(",")
}

fn holds_text(report: &Report) -> String {
    if let Some(symbolic) = &report.symbolic {
        return format!("holds (symbolic search: {} states)", grouped_digits(&symbolic.states.to_string()));
    }
    let is_symmetric = report.symmetry.carriers.iter().any(|carrier| !carrier.blocks.is_empty());
    let is_selected = report.por.as_ref().is_some_and(|tally| tally.reduced > 0 && !tally.is_twin);
    let states = plural(report.states, "state");
    match (is_selected, is_symmetric) {
        (true, true) => format!("holds (partial order and symmetry reduction: {states} visited)"),
        (true, false) => format!("holds (partial order reduction: {} of the states visited)", grouped(report.states)),
        (false, true) => format!("holds (symmetry reduction: {states} visited)"),
        (false, false) => format!("holds (exhaustive search: {states} visited)"),
    }
}

/// Verdict, first limit, and how far the search came.
fn incomplete_text(report: &Report, times: &Times) -> String {
    let limit = report.limits.first().map_or("incomplete", String::as_str);
    let search = if report.visited_all { "exhaustive search, " } else { "" };
    format!("no violation found ({limit}; {search}{} in {:.2} s)", plural(report.states, "state"), times.search)
}

fn plural(n: u64, noun: &str) -> String {
    count(n as usize, noun).replacen(&n.to_string(), &grouped(n), 1)
}

/// A machine without initial states: reported as a deadlock of the root.
fn is_stuck(violation: &Violation) -> bool {
    matches!(violation.kind, ViolationKind::Deadlock) && violation.trace.steps.is_empty()
}

fn print_stuck(model: &Model, sources: &SourceMap, config: &Config) {
    match why_stuck(model, config) {
        Some(Stuck::IllDefined(error)) => {
            outln!("the machine cannot start: a property is not well-defined");
            out!("{}", render(sources, &error, RenderConfig::default()));
        }
        Some(Stuck::Property(idx)) => {
            let property = &model.properties[idx];
            outln!("the machine cannot start: PROPERTIES are unsatisfiable");
            let text = dump::pred_text(model, property.pred);
            outln!("  first conjunct that contradicts those before it: {text}");
            outln!("  --> {}", sources.locate(property.span));
            print_bounds(model, sources, &model.properties[..=idx]);
        }
        Some(Stuck::Initialisation) => outln!("the machine cannot start: INITIALISATION has no outcome"),
        None => outln!("the machine cannot start: PROPERTIES are unsatisfiable, or INITIALISATION has no outcome"),
    }
}

/// Prints the bounds of INT if the text of some formula depends on them: few users expect NAT to end at 3.
fn print_bounds(model: &Model, sources: &SourceMap, formulas: &[Conjunct]) {
    const BOUNDED: [&str; 5] = ["INT", "NAT", "NAT1", "MAXINT", "MININT"];
    let is_bounded = |formula: &Conjunct| {
        let words = sources.snippet(formula.span).split(|ch: char| !ch.is_alphanumeric() && ch != '_');
        words.into_iter().any(|word| BOUNDED.contains(&word))
    };
    if formulas.iter().any(is_bounded) {
        let preferences = &model.steering.preferences;
        outln!(
            "  INT is {}..{} here; enlarge it with `-p MAXINT 100`, or with `SET_PREF_MAXINT == 100` in the DEFINITIONS",
            preferences.min_int,
            preferences.max_int
        );
    }
}

/// All violations, the first in the order of discovery first. Several are counted and numbered.
fn print_violations(model: &Model, sources: &SourceMap, report: &Report) {
    let n_violations = report.violations.len();
    if n_violations > 1 {
        outln!("{n_violations} findings, one of each kind, conjunct and operation");
    }
    for (number, violation) in (1..).zip(&report.violations) {
        if n_violations > 1 {
            outln!("\n[{number}]");
        }
        print_violation(model, sources, violation);
    }
    if n_violations >= MAX_LISTED_VIOLATIONS {
        outln!("\nfurther findings are not listed");
    }
}

fn print_violation(model: &Model, sources: &SourceMap, violation: &Violation) {
    let steps = violation.trace.n_steps();
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
    out!("{}", table(&violation.trace.steps, 1 - violation.trace.n_setup.min(1)));
    if let Some(gap) = &violation.trace.gap {
        outln!("  the trace is incomplete: {gap}");
    }
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
    let violation = report.violation().map(|violation| violation_json(model, sources, violation));
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
            "temporal": report.temporal.iter().any(|formula| formula.verdict == TemporalVerdict::Violated),
        },
        "coverage": coverage,
        "limits": report.limits,
        "outside_scope": report.outside_scope,
        "message": report.failures.first().map(|(what, diagnostic)| format!("{what}: {}", diagnostic.message)).unwrap_or_default(),
        "engine": if report.symbolic.is_some() { "symbolic" } else { "explicit" },
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
    if let Some(symbolic) = &report.symbolic {
        let number =
            |count: &BigUint| u64::try_from(count).map_or_else(|_| json!(count.to_string()), |count| json!(count));
        json["states"] = number(&symbolic.states);
        json["nodes"] = number(&(&symbolic.states + 1_u32));
        json["transitions"] = symbolic.transitions.as_ref().map(number).unwrap_or_default();
        json["depth"] = Value::Null;
        json["symbolic"] = json!({
            "all_states": symbolic.states_behind.as_ref().map(number),
            "representatives": match symbolic.symmetry {
                SymbolicSymmetry::Off => Value::Null,
                SymbolicSymmetry::Unique => json!("unique"),
                SymbolicSymmetry::Several => json!("several"),
            },
            "peak_nodes": symbolic.peak_nodes,
            "reorderings": symbolic.n_reorderings,
            "rounds": symbolic.rounds,
            "exact_operations": symbolic.exact_operations,
            "learnt_operations": symbolic.learnt_operations,
            "numbered_variables": symbolic.numbered_variables,
        });
    }
    // Traces may be long: they are moved, where `json!` would copy them.
    json["violation"] = violation.unwrap_or_default();
    json["temporal"] = temporal::json(report, sources);
    json
}

/// Interchangeable elements by given set.
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

/// Statistics of partial order reduction and of its dependence analysis.
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

/// Peak memory of the search, divided by the number of states.
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
    let mut json = json!({ "kind": kind, "detail": detail, "parts": parts, "steps": violation.trace.n_steps() });
    json["gap"] = json!(violation.trace.gap);
    json["trace"] = steps_json(&violation.trace.steps);
    json
}
