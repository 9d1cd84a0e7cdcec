//! `abridge check`: check all reachable states of a machine.
//!
//! Options become a `check::Config`; the `Report` becomes text or JSON and an exit status. Exit 0 must mean that every property that
//! was asked for holds.

mod coverage;
mod ending;
mod html;
mod json;
mod preferred;
pub(crate) mod temporal;
mod text;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Instant;

use abridge_check::{
    Config, Engine, Evaluator, Memory, Method, PorMode, Report, Representatives, Strategy, check, check_on_disk,
    choose_reductions, fingerprint,
};
use abridge_diag::{Diagnostic, SourceMap};
use abridge_model::{Model, dump};
use abridge_sema::Options;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::cache::{Cache, CacheOptions};
use crate::commands::canonizers::reduction_json;
use crate::commands::places::{DiskOptions, Places, UNSAVED_METHOD};
use crate::commands::{Compat, account, complain, memory_size, print_json, seconds};
use crate::endings::{EndingWords, give_up, misuse, misuse_after};
use crate::exit::Exit;
use crate::files::replace_file;
use crate::load::load;
use crate::out::{errln, out};
use crate::profile;
use crate::report::{json_diagnostics, quoted};
use ending::{ending, refuse_model, save_trace};
use json::{bytes_per_state, por_json, report_json, violation_json};
use text::print_report;

use crate::text::io_text;
use crate::watch::{Guard, Interrupt, RunEnd, SearchSignals, Stage, Watch, resident_bytes, usual_budget};

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
    /// Search for a state that satisfies this predicate, in place of the definition GOAL
    #[arg(long, value_name = "PRED", allow_hyphen_values = true, conflicts_with_all = ["no_goal", "survey"], help_heading = "Properties")]
    goal: Option<String>,
    #[command(flatten)]
    temporal: temporal::TemporalOptions,
    /// Do not check the gluing conjuncts of a refinement
    #[arg(long, help_heading = "Properties")]
    no_gluing: bool,
    /// Engine: state by state, or sets of states as decision diagrams
    #[arg(long, value_enum, default_value = "explicit", help_heading = "Search")]
    engine: EngineName,
    /// With --engine symbolic: forwards from the initial states, or backwards from violations. Backwards, states are not counted
    #[arg(long, value_enum, default_value = "forward", help_heading = "Search")]
    direction: DirectionName,
    /// Search order
    #[arg(long, value_enum, default_value = "bfs", help_heading = "Search")]
    strategy: SearchOrder,
    /// Random seed of the mixed search order
    #[arg(long, default_value_t = 0, help_heading = "Search")]
    seed: u64,
    /// Explore only states that satisfy this predicate, in place of the definition SCOPE
    #[arg(long, value_name = "PRED", allow_hyphen_values = true, help_heading = "Limits")]
    scope: Option<String>,
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
    #[command(flatten)]
    disk: DiskOptions,
    /// Apply ProB's caps MAX_INITIALISATIONS (4) and MAX_OPERATIONS (10)
    #[arg(long, help_heading = "Limits")]
    prob_limits: bool,
    /// Threads of the breadth-first search [default: all cores]. The results do not depend on it
    #[arg(long, value_name = "N", help_heading = "Search")]
    workers: Option<NonZero<usize>>,
    /// Do not memoise the outcomes of operations
    #[arg(long, help_heading = "Search")]
    no_memo: bool,
    /// Evaluator of steps and properties. The results do not depend on it
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto", help_heading = "Search")]
    evaluator: EvaluatorChoice,
    /// Evaluate with the reference interpreter only: slow, for comparison
    #[arg(long, help_heading = "Search")]
    plain: bool,
    /// Print time and memo hits per operation and per conjunct
    #[arg(long, help_heading = "Search")]
    profile: bool,
    /// Symmetry reduction: visit one representative of states that differ only in interchangeable elements. Default: `auto`, but `off`
    /// with --survey, --compat or --prob-limits
    #[arg(long, value_enum, help_heading = "Reductions")]
    symmetry: Option<SymmetryChoice>,
    /// With --engine symbolic and symmetry: order of the bits of interchangeable elements. The results do not depend on it
    #[arg(long, value_enum, value_name = "ORDER", default_value = "concatenated", help_heading = "Reductions")]
    bit_order: BitOrder,
    /// With --symmetry marker: confirm each match by canonical forms, which makes the result exact
    #[arg(long, help_heading = "Reductions")]
    precise: bool,
    /// Partial order reduction: explore one order of independent steps. The verdict stays the same; states and transitions that are
    /// skipped are not counted. Default: `off`, or what `SET_PREF_POR` says
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Reductions")]
    por: Option<PorChoice>,
    /// Validate partial order reduction: explore all steps and check each reduced set along paths of up to LENGTH steps. Slow
    #[arg(long, value_name = "LENGTH", num_args = 0..=1, default_missing_value = "3", help_heading = "Reductions")]
    check_por: Option<usize>,
    /// Reductions that the DEFINITIONS of the machine describe, applied from left to right: `NAME`, `NAME:local` or `NAME:enumerate`, with commas between;
    /// `off` for none. Default: what `SET_PREF_REDUCE` says. See docs/canonizers.md
    #[arg(long, value_name = "NAMES", help_heading = "Reductions")]
    reduce: Option<String>,
    /// With --reduce: compare the reduction with the whole state space. Slow
    #[arg(long, help_heading = "Reductions")]
    check_reduce: bool,
    /// With --reduce: canonise the initial states, too
    #[arg(long, value_enum, value_name = "WHETHER", default_value = "yes", help_heading = "Reductions")]
    canonise_start: YesNo,
    #[command(flatten)]
    cache: CacheOptions,
    /// Write the trace of the violation to a file, in the format of ProB 2 (.prob2trace) or as a drawing (.svg)
    #[arg(long, value_name = "FILE")]
    save_trace: Option<PathBuf>,
    /// Write a report as one HTML file: verdict, traces, coverage
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print coverage: transitions per operation, values of variables, guards that are never true. With FILE, write it as CSV
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    coverage: Option<Option<PathBuf>>,
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
enum SearchOrder {
    /// Breadth-first: shortest traces, parallel
    Bfs,
    /// Depth-first
    Dfs,
    /// Mixed breadth-first and depth-first, as in ProB
    Mixed,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SymmetryChoice {
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
    /// Symbolic engine: representatives by sorting inside the fixpoint, as with `auto`
    Dynamic,
    /// Symbolic engine: a relation to several representatives, computed before
    Multiple,
    /// Symbolic engine: the orbit relation, for few elements
    Orbits,
    /// Symbolic engine: counter abstraction, where no value relates two elements
    Counters,
    /// Symbolic engine, backwards: partial states up to permutations, as with `auto`
    Patterns,
}

#[cfg(feature = "nauty")]
const NAUTY: Method = Method::Nauty;
/// Never used: `run` refuses `--symmetry nauty` in a build without nauty.
#[cfg(not(feature = "nauty"))]
const NAUTY: Method = Method::Canon;

impl SymmetryChoice {
    fn method(self, is_precise: bool) -> Method {
        match self {
            SymmetryChoice::Off => Method::Off,
            SymmetryChoice::Auto
            | SymmetryChoice::Dynamic
            | SymmetryChoice::Multiple
            | SymmetryChoice::Orbits
            | SymmetryChoice::Counters
            | SymmetryChoice::Patterns => Method::Auto,
            SymmetryChoice::Canon => Method::Canon,
            SymmetryChoice::Nauty => NAUTY,
            SymmetryChoice::Flood => Method::Flood,
            SymmetryChoice::Marker => Method::Marker { is_precise },
        }
    }

    /// The way in which the symbolic engine finds representatives; nothing for the methods of all engines.
    fn representatives(self) -> Option<Representatives> {
        match self {
            SymmetryChoice::Dynamic => Some(Representatives::Dynamic),
            SymmetryChoice::Multiple => Some(Representatives::Multiple),
            SymmetryChoice::Orbits => Some(Representatives::Orbits),
            SymmetryChoice::Counters => Some(Representatives::Counters),
            SymmetryChoice::Patterns => Some(Representatives::Patterns),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DirectionName {
    /// All reachable states, which are counted
    Forward,
    /// From the states where a property fails, with as few variables as needed; see docs/symbolic.md
    Backward,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BitOrder {
    /// All bits of one element, then those of the next
    Concatenated,
    /// One bit of all elements, then the next bit
    Interlaced,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EvaluatorChoice {
    /// Memos at first; circuits where a trial shows that they are faster
    Auto,
    /// Circuits over blocks of states, as far as operations and properties have exact ones
    Sliced,
    /// Compiled form with memos
    Memo,
    /// Reference interpreter, as with --plain
    Plain,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PorChoice {
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

impl PorChoice {
    fn name(self) -> &'static str {
        match self {
            PorChoice::Off => "off",
            PorChoice::Auto => "auto",
            PorChoice::Syntactic => "syntactic",
            PorChoice::Semantic => "semantic",
            PorChoice::Ample => "ample",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum YesNo {
    Yes,
    No,
}

impl CheckOptions {
    /// The temporal properties of the machine are to be checked.
    fn checks_temporal(&self) -> bool {
        !self.temporal.no_temporal && !self.survey
    }

    /// Something was asked for that works on circuits of conditions.
    fn needs_circuits(&self) -> bool {
        self.engine != EngineName::Explicit
            || self.por.is_some_and(|por| por != PorChoice::Off)
            || self.reduce.is_some()
            || self.evaluator == EvaluatorChoice::Sliced
    }

    fn por_mode(&self, model: &Model) -> PorMode {
        // What the machine prefers gives way to the command line, and to runs that count all states.
        let prefers_por = || model.steering.preferences.get("POR").is_some_and(|how| !how.eq_ignore_ascii_case("off"));
        match self.por {
            None if self.reduce.is_none() && !self.survey && prefers_por() => PorMode::Semantic,
            None | Some(PorChoice::Off) if self.check_por.is_some() => PorMode::Auto,
            None | Some(PorChoice::Off) => PorMode::Off,
            Some(PorChoice::Auto) => PorMode::Auto,
            Some(PorChoice::Syntactic) => PorMode::Syntactic,
            Some(PorChoice::Semantic) => PorMode::Semantic,
            Some(PorChoice::Ample) => PorMode::Ample,
        }
    }

    /// Puts the direction of a search into a configuration. Sorted sets of states have larger diagrams backwards, so representatives of states are for those who ask; others get patterns.
    fn direct(&self, config: &mut Config) {
        if self.direction == DirectionName::Backward {
            config.direction = abridge_check::Direction::Backward;
            match self.symmetry {
                Some(SymmetryChoice::Dynamic | SymmetryChoice::Multiple) => {}
                Some(SymmetryChoice::Off) => config.symmetry = Method::Off,
                _ => (config.symmetry, config.representatives) = (Method::Auto, Representatives::Patterns),
            }
        }
    }

    /// What needs another engine or reduction than the one that was chosen.
    fn misfit(&self) -> Option<&'static str> {
        let is_symbolic_only = self.symmetry.and_then(SymmetryChoice::representatives).is_some();
        let is_backward = self.direction == DirectionName::Backward;
        let is_unsaved = matches!(self.symmetry, Some(SymmetryChoice::Flood | SymmetryChoice::Marker));
        [
            (is_unsaved && self.disk.saves(), UNSAVED_METHOD),
            (
                self.engine != EngineName::Explicit && self.disk.saves(),
                "--checkpoint and --resume need `--engine explicit`",
            ),
            (
                self.engine == EngineName::Explicit && is_symbolic_only,
                "this method of symmetry reduction needs `--engine symbolic`",
            ),
            (self.engine != EngineName::Symbolic && is_backward, "--direction backward needs `--engine symbolic`"),
        ]
        .into_iter()
        .find_map(|(is_misfit, message)| is_misfit.then_some(message))
    }

    /// Puts the reductions into a configuration; a message if that is not possible.
    fn reduce(&self, model: &Model, config: &mut Config) -> Result<(), String> {
        if !config.eval.ill_defined_search_is_false && self.needs_circuits() {
            return Err(
                "preference TRY_FIND_ABORT cannot be combined with --engine, --por, --reduce or circuits".to_owned()
            );
        }
        // A preference gives way to what the user asked for.
        let is_free = !self.survey && self.compat.is_none() && config.por == PorMode::Off && self.symmetry.is_none();
        let is_free = is_free && self.engine == EngineName::Explicit && !self.prob_limits;
        let is_free = is_free && config.eval.ill_defined_search_is_false;
        let preferred = model.steering.preferences.get("REDUCE").filter(|_| is_free);
        let names = self.reduce.as_deref().or(preferred).unwrap_or("off");
        if names.eq_ignore_ascii_case("off") {
            return match self.check_reduce {
                true => Err("--check-reduce needs --reduce".to_owned()),
                false => Ok(()),
            };
        }
        config.reduce = choose_reductions(model, names)?;
        config.canonises_start = self.canonise_start == YesNo::Yes;
        config.check_reduce = self.check_reduce;
        let refused = [
            (self.engine == EngineName::Auto, "--engine auto", "write `explicit` or `symbolic`"),
            (
                self.engine == EngineName::Symbolic && self.por.is_some_and(|por| por != PorChoice::Off),
                "--engine symbolic with --por",
                "sets of states have all their steps",
            ),
            (self.check_por.is_some(), "--check-por", "check each of the two by itself"),
            (
                self.symmetry.is_some_and(|it| !matches!(it, SymmetryChoice::Off | SymmetryChoice::Auto)),
                "this method of --symmetry",
                "use `--symmetry auto`",
            ),
            (self.prob_limits, "--prob-limits", "which steps are tried under a cap differs between equivalent states"),
        ];
        if let Some((_, option, why)) = refused.into_iter().find(|(is_given, ..)| *is_given) {
            return Err(format!("{option} and --reduce cannot be used together: {why}"));
        }
        if self.symmetry != Some(SymmetryChoice::Auto) {
            config.symmetry = Method::Off;
        }
        Ok(())
    }

    /// Number of threads of the search.
    fn threads(&self) -> NonZero<usize> {
        match self.strategy {
            SearchOrder::Bfs => {
                self.workers.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
            }
            SearchOrder::Dfs | SearchOrder::Mixed => NonZero::<usize>::MIN,
        }
    }

    fn config(&self, file: &Path, model: &Model, budget: u64) -> Config {
        let mut config = Compat::config(self.compat, Some(file), budget);
        config.engine = self.engine.engine();
        let room = budget.saturating_sub(resident_bytes());
        config.max_nodes = usize::try_from(room / BYTES_PER_NODE).unwrap_or(usize::MAX);
        config.strategy = match self.strategy {
            SearchOrder::Bfs => Strategy::BreadthFirst,
            SearchOrder::Dfs => Strategy::DepthFirst,
            SearchOrder::Mixed => Strategy::Mixed { seed: self.seed },
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
        config.por = self.por_mode(model);
        config.check_por = self.check_por;
        config.coverage = match (&self.coverage, &self.report) {
            (Some(_), _) => Some(coverage::MAX_LISTED_VALUES),
            (None, Some(_)) => Some(coverage::MAX_PAGE_VALUES),
            (None, None) => None,
        };
        config.system.memo = !self.no_memo;
        config.system.profile = self.profile;
        // Memos must leave room for states.
        config.system.memo_bytes = self.memory.map(|memory| memory / 4);
        config.system.compiled = !self.plain && self.evaluator != EvaluatorChoice::Plain;
        config.evaluator = match self.evaluator {
            EvaluatorChoice::Sliced => Evaluator::Sliced,
            EvaluatorChoice::Auto if config.system.compiled && config.system.memo => Evaluator::Auto,
            _ => Evaluator::Memo,
        };
        config.representatives = self.symmetry.and_then(SymmetryChoice::representatives).unwrap_or_default();
        config.order = match self.bit_order {
            BitOrder::Concatenated => abridge_check::ElementBitOrder::Concatenated,
            BitOrder::Interlaced => abridge_check::ElementBitOrder::Interlaced,
        };
        config.symmetry = match self.symmetry {
            Some(symmetry) => symmetry.method(self.precise),
            None if self.survey || self.prob_limits => Method::Off,
            // With the conventions of ProB, symmetry reduction is off unless the machine asks for it.
            None if self.compat.is_some() => preferred::symmetry(model).unwrap_or(Method::Off),
            None => preferred::symmetry(model).unwrap_or(Method::Auto),
        };
        self.direct(&mut config);
        if self.prob_limits {
            let cap = |name: &str, default: usize| {
                Some(model.steering.preferences.get(name).and_then(|text| text.parse().ok()).unwrap_or(default))
            };
            config.system.max_initialisations = cap("MAX_INITIALISATIONS", 4);
            config.system.max_operations = cap("MAX_OPERATIONS", 10);
        }
        config.eval.heeds_time_out = !self.survey;
        if !self.survey {
            preferred::evaluation(model, &mut config);
        }
        config
    }
}

pub(crate) fn run(file: &Path, options: &CheckOptions, model_options: &Options, json: bool) -> Exit {
    let (heeds_caps, goal, scope) = (options.prob_limits, options.goal.clone(), options.scope.clone());
    let model_options = &Options { heeds_caps, goal, scope, ..Compat::options(options.compat, model_options) };
    if options.symmetry == Some(SymmetryChoice::Nauty) && !cfg!(feature = "nauty") {
        errln!("error: this build has no nauty: rebuild with `--features nauty`, or use `--symmetry canon`");
        return Exit::Usage;
    }
    let guarded = Guarded::new(file, options, json);
    let mut analysis = load(file, model_options);
    guarded.is_loaded.store(true, Relaxed);
    if !json {
        complain(&analysis.sources, &analysis.diagnostics);
    }
    let Some(model) = &analysis.model else {
        guarded.stop.answer();
        return refuse_model(file, &analysis, json);
    };
    let refuse = |message: &str| {
        guarded.stop.answer();
        misuse(file, json, message)
    };
    if let Some(message) = options.misfit() {
        return refuse(message);
    }
    let places = match Places::new(&options.disk, options.memory, options.strategy == SearchOrder::Bfs) {
        Ok(places) => places,
        Err(message) => return refuse(&message),
    };
    let of_machine = options.checks_temporal();
    let formulas = match options.temporal.sources(model, of_machine, &mut analysis.sources) {
        Ok(formulas) => formulas,
        Err(message) => return refuse(&message),
    };
    let mut config = options.config(file, model, guarded.budget);
    guarded.guard(&mut config);
    if let Err(message) = options.reduce(model, &mut config) {
        guarded.stop.answer();
        let diagnostics = json_diagnostics(&analysis.sources, &analysis.diagnostics);
        return misuse_after(&diagnostics, file, json, &message);
    }
    let (with_atoms, formulas) = temporal::prepared(file, model, formulas, &config, model_options);
    if !json {
        temporal::complain(&formulas, &analysis.sources);
    }
    if temporal::has_wrong_option(&formulas) {
        guarded.stop.answer();
        let mistakes = formulas.formulas.iter().flat_map(|formula| formula.diagnostics.iter().cloned());
        analysis.diagnostics.extend(mistakes);
        return refuse_model(file, &analysis, json);
    }
    let model = with_atoms.as_ref().unwrap_or(model);
    config.formulas = Arc::new(formulas);
    let subject = CheckSubject { file, model, sources: &analysis.sources, options };
    let finished = match subject.search(config, &guarded, &places, json) {
        Ok(finished) => finished,
        // The search has claimed the answer.
        Err(message) => return misuse(file, json, &message),
    };
    let report = &finished.report;
    let saved = options.save_trace.as_ref().map(|path| save_trace(path, model, report));
    if let Err(message) = subject.write_files(&finished) {
        return misuse(file, json, &message);
    }
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
        subject.print(&finished, &places);
    }
    ending(report, saved, json)
}

/// Limits of a run, guarded from before the machine is loaded to the answer.
struct Guarded {
    start: Instant,
    budget: u64,
    memory: Memory,
    interrupt: Interrupt,
    stop: RunEnd,
    told: SearchSignals,
    is_loaded: Arc<AtomicBool>,
}

impl Guarded {
    fn new(file: &Path, options: &CheckOptions, json: bool) -> Guarded {
        let (start, interrupt) = (Instant::now(), Interrupt::new());
        let budget = options.memory.unwrap_or_else(usual_budget);
        let (memory, told, is_loaded) = (account(budget), SearchSignals::default(), Arc::new(AtomicBool::new(false)));
        let mut guard = Guard::new(start, options.time, budget, memory.clone()).patient();
        if options.disk.saves() {
            guard = guard.saved(told.clone());
        }
        let (file, heard, loaded) = (file.to_owned(), told.clone(), is_loaded.clone());
        let stop = interrupt.guard(guard.at_last(move |limit, is_over| {
            let stage = match (is_over, loaded.load(Relaxed)) {
                (true, _) => Stage::Telling,
                (false, true) => Stage::Searching,
                (false, false) => Stage::Loading,
            };
            give_up(&WORDS, &file, limit, stage, heard.n_states(), json);
        }));
        Guarded { start, budget, memory, interrupt, stop, told, is_loaded }
    }

    /// Has the evaluations of a run guarded.
    fn guard(&self, config: &mut Config) {
        let RunEnd { flag, reason, is_over, .. } = self.stop.clone();
        (config.stop, config.stopped_for, config.is_search_over) = (flag, reason, is_over);
        config.eval.memory = self.memory.clone();
    }
}

/// A model to be checked, with its options.
struct CheckSubject<'s> {
    file: &'s Path,
    model: &'s Model,
    sources: &'s SourceMap,
    options: &'s CheckOptions,
}

/// A search that came to a report.
struct Finished {
    report: Report,
    config: Config,
    times: CheckTimes,
    /// Memory of the process before the search.
    bytes_before: u64,
}

impl CheckSubject<'_> {
    /// Runs the search; a message if its checkpoint is refused.
    fn search(&self, mut config: Config, guarded: &Guarded, places: &Places, json: bool) -> Result<Finished, String> {
        let CheckSubject { model, sources, options, .. } = *self;
        let start = guarded.start;
        let mut watch = Watch::new(start, options.time, Some(guarded.budget), !json, guarded.interrupt.clone())
            .heard_by(guarded.told.clone())
            .settle_after(options.survey.then_some(options.settle))
            .checkpoint_every(places.folder.is_some().then_some(options.disk.checkpoint_every));
        let search_start = Instant::now();
        let bytes_before = resident_bytes();
        let cache = if config.por == PorMode::Off { Cache::off() } else { Cache::open(&options.cache, model) };
        config.answers = cache.answers();
        let report = if places.are_used() && options.engine == EngineName::Explicit {
            let texts = sources.iter().map(|(_, file)| &**file.text());
            let disk = places.disk(fingerprint(model, texts, &config), places.resumes);
            check_on_disk(model, &config, disk, &mut watch)
        } else {
            Ok(check(model, &config, &mut watch))
        };
        guarded.stop.answer();
        let search = search_start.elapsed().as_secs_f64();
        watch.clear();
        let report = report.map_err(|refusal| places.refusal_text(&refusal))?;
        cache.save();
        let times = CheckTimes { search, total: start.elapsed().as_secs_f64() };
        Ok(Finished { report, config, times, bytes_before })
    }

    /// Writes the page and the table that were asked for; the message of what went wrong.
    fn write_files(&self, finished: &Finished) -> Result<(), String> {
        let CheckSubject { file, model, sources, options } = *self;
        let write = |path: &Path, text: String| {
            replace_file(path, text).map_err(|error| format!("cannot write `{}`: {}", path.display(), io_text(&error)))
        };
        if let Some(path) = &options.report {
            let goal = model.steering.goal.filter(|_| finished.config.goal);
            let goal = goal.map(|id| quoted(sources, Some(model.preds[id].span), &dump::pred_text(model, id)));
            write(path, html::page(model, sources, file, &finished.report, &finished.times, goal))?;
        }
        match &options.coverage {
            Some(Some(path)) => write(path, coverage::csv(sources, &finished.report)),
            _ => Ok(()),
        }
    }

    /// Prints the report as text.
    fn print(&self, finished: &Finished, places: &Places) {
        let CheckSubject { file, model, sources, options } = *self;
        let Finished { report, times, config, .. } = finished;
        print_report(model, sources, report, times, config);
        if options.profile {
            let threads = options.threads().get();
            out!("{}", profile::table(model, &report.profile, times.search, threads));
            out!("{}", profile::evaluator(report.sliced.as_ref()));
        }
        if options.coverage == Some(None) {
            out!("{}", coverage::text(sources, report));
        }
        places.print_outcome(&report.disk, "check", file);
    }

    /// The report as JSON, without diagnostics and the fate of a saved trace.
    fn json(&self, finished: &Finished, places: &Places) -> Value {
        let CheckSubject { file, model, sources, options } = *self;
        let Finished { report, times, bytes_before, .. } = finished;
        let mut value = report_json(model, sources, report, times);
        value["por"] = json!(match options.por {
            Some(por) => por.name(),
            None if finished.config.por == PorMode::Semantic => PorChoice::Semantic.name(),
            None => PorChoice::Off.name(),
        });
        value["partial_order"] = por_json(report);
        value["reduction"] = report.reduction.as_ref().map_or(Value::Null, reduction_json);
        value["workers"] = json!(options.threads());
        value["bytes_per_state"] = json!(bytes_per_state(report, *bytes_before));
        value["resumed"] = json!(places.resumes);
        value["file"] = json!(file);
        if options.find == Find::All {
            value["violations"] = report.violations.iter().map(|one| violation_json(model, sources, one)).collect();
        }
        value["evaluator"] = profile::evaluator_json(report.sliced.as_ref());
        if options.coverage.is_some() {
            value["state_coverage"] = coverage::json(sources, report);
        }
        if options.profile {
            value["profile"] = profile::rows_json(model, &report.profile);
        }
        value
    }
}

/// Words of a search.
const WORDS: EndingWords = EndingWords { finding: ("violation", "violation"), visited: ("state", "states") };

struct CheckTimes {
    search: f64,
    total: f64,
}
