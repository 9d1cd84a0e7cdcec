//! The facade: a model and a [`Config`] in, a [`Report`] out.
//!
//! [`check`] explores the model, turns findings into violations with traces that the plain interpreter replays, and states a verdict:
//! `Holds` only after a finished, exact search.

mod calculate;
mod explain;
mod explorer;
mod find;
mod por;
mod reduced;
mod replay;
mod report;
mod space;
mod stuck;
mod trace;
mod walk;

use std::collections::BTreeSet;
use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use abridge_eval::Warning;
use abridge_explicit::{Explicit, FIRST_OPERATION, Failure as EvalFailure, Notes, SystemConfig, judge};
use abridge_model::{Model, dump};
use abridge_reduce::symmetry::Canonizer;
use abridge_search::{Exploration, Scouted};
use abridge_system::bytes::Checksum;
use abridge_system::{Finding, FindingKind, Limit, Properties};

use explorer::{InMemory, OnDisk};

pub use abridge_deps::{Answers, Dependence, Reason as DependenceReason};
pub use abridge_explicit::{Cost, Measured, Profile};
pub use abridge_reduce::symmetry::{Carrier, Method, Reason, Symmetry, symmetry_of};
pub use abridge_search::{Checkpoint, Control, Disk, DiskUse, MANIFEST, Progress, Refusal, Strategy};
pub use abridge_store::{Medium, Ram, Volume};
pub use calculate::{Answer, Calculation, Needs, evaluate, needs, solve};
pub use explain::Part;
pub use find::{Sought, find, nth_state};
pub use por::{Analysis, PorMode, analyse_dependences};
pub use replay::{Failure, Replay, Wanted, replay};
pub use report::{Coverage, Found, Report, SymmetryReport, Verdict, Violation, ViolationKind};
pub use space::{Space, SpaceEdge, SpaceNode, StateGraph, Vertex, View, space, state_graph};
pub use stuck::{Stuck, why_stuck};
pub use trace::{Step, Trace};
pub use walk::{INITIALISATION, Move, Moves, Place, SETUP_CONSTANTS, moves, named_values, state_texts};

/// What to check and how.
#[derive(Clone, Debug)]
pub struct Config {
    pub eval: abridge_eval::Config,
    pub system: SystemConfig,
    pub strategy: Strategy,
    pub invariant: bool,
    pub deadlock: bool,
    pub assertions: bool,
    pub goal: bool,
    /// Go on after a violation and count everything.
    pub find_all: bool,
    pub max_states: Option<u64>,
    pub max_depth: Option<u32>,
    /// Whether steps are left out that other orders of steps make superfluous.
    pub por: PorMode,
    /// Take all steps and check what the reduction would leave out, along paths up to this length.
    pub check_por: Option<usize>,
    /// What is already known about the machine for the reduction; more is added.
    pub answers: Arc<Answers>,
    /// Threads of the search.
    pub workers: NonZero<usize>,
    /// Ends even a single evaluation soon after it is set. What was being evaluated is lost, so a run that is saved must not use it.
    pub stop: Arc<AtomicBool>,
    /// How states that differ only in the names of interchangeable elements are identified.
    pub symmetry: Method,
    /// The process ends after the run, which gives memory back sooner than value by value.
    pub leaves_memory: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            eval: abridge_eval::Config::default(),
            system: SystemConfig::default(),
            strategy: Strategy::BreadthFirst,
            invariant: true,
            deadlock: true,
            assertions: true,
            goal: true,
            find_all: false,
            max_states: None,
            max_depth: None,
            por: PorMode::Off,
            check_por: None,
            answers: Arc::default(),
            workers: NonZero::<usize>::MIN,
            stop: Arc::default(),
            symmetry: Method::Off,
            leaves_memory: false,
        }
    }
}

impl Config {
    /// ProB's conventions: unbounded integers, pinned constants, undefined guards.
    #[must_use]
    pub fn prob(mut self) -> Self {
        self.eval = abridge_eval::Config::prob();
        self.system.pin_constants = true;
        self
    }
}

/// Explores a model and reports what was found.
pub fn check(model: &Model, config: &Config, control: &mut dyn Control) -> Report {
    let interp = judge(model, config.eval.clone()).stopped_by(config.stop.clone());
    let system = Explicit::new(interp, system_config(config));
    let Ok(report) = reduced::run(&system, config, InMemory(control));
    end(system, config);
    report
}

/// The same breadth-first, with a disk: the run can be saved and gone on with, and states that do not fit into memory go to files.
pub fn check_on_disk(
    model: &Model,
    config: &Config,
    disk: Disk<'_>,
    control: &mut dyn Control,
) -> Result<Report, Refusal> {
    let interp = judge(model, config.eval.clone()).stopped_by(config.stop.clone());
    let system = Explicit::new(interp, system_config(config));
    let report = reduced::run(&system, config, OnDisk(disk, control));
    end(system, config);
    report
}

/// Gives the memory of a system back, unless the process does so.
fn end(system: Explicit<'_>, config: &Config) {
    if config.leaves_memory {
        std::mem::forget(system);
    }
}

/// A selection of steps asks for labels.
fn system_config(config: &Config) -> SystemConfig {
    SystemConfig { labels: config.por != PorMode::Off && config.system.memo, ..config.system.clone() }
}

/// Stands for all that a saved run depends on: the model, the text of its files, and the options that change what is visited or found.
/// How many states to visit at most and how many threads do it may differ when a run is gone on with.
pub fn fingerprint<'t>(model: &Model, files: impl Iterator<Item = &'t str>, config: &Config) -> u64 {
    let mut sum = Checksum::new();
    let mut add = |text: &str| {
        sum.add(&(text.len() as u64).to_le_bytes());
        sum.add(text.as_bytes());
    };
    add(env!("CARGO_PKG_VERSION"));
    files.for_each(&mut add);
    add(&dump::dump(model));
    let system = SystemConfig { memo: true, compiled: true, memo_bytes: None, profile: false, ..config.system.clone() };
    let Config { strategy, invariant, deadlock, assertions, goal, find_all, max_depth, .. } = config;
    add(&format!("{:?}", (&config.eval, system, strategy, config.symmetry, config.por, config.check_por)));
    add(&format!("{:?}", (invariant, deadlock, assertions, goal, find_all, max_depth)));
    sum.get()
}

/// Stands for a model, whatever is to be done with it.
pub fn model_sum(model: &Model) -> u64 {
    let mut sum = Checksum::new();
    sum.add(dump::dump(model).as_bytes());
    sum.get()
}

fn search_config(config: &Config) -> abridge_search::Config {
    abridge_search::Config {
        strategy: config.strategy,
        properties: Properties { invariant: config.invariant, assertions: config.assertions, goal: config.goal },
        deadlock: config.deadlock,
        stop_at_first: !config.find_all,
        max_states: config.max_states,
        max_depth: config.max_depth,
        max_findings: 1,
        workers: config.workers,
    }
}

/// What was found, by words and with traces. With a canonizer, the states of the table are representatives.
fn summarise(system: &Explicit<'_>, exploration: Exploration, canonizer: Option<&mut dyn Canonizer>) -> Report {
    let model = system.model();
    let notes = system.notes();
    // A machine that cannot even start is stuck at the root.
    let is_stuck =
        exploration.is_stuck_at_root && exploration.limits.is_empty() && notes.failures.is_empty() && !notes.is_stopped;
    let mut found = Found { ill_defined: exploration.is_ill_defined_at_root, deadlock: is_stuck, ..Found::default() };
    exploration.findings.iter().for_each(|finding| found.add(finding.kind));
    exploration.scouted.iter().for_each(|scouted| found.add(scouted.kind));
    let mut limits = limits(&notes, &exploration.limits, is_exact(system));
    limits.extend(exploration.disk.spill_error.iter().map(|error| format!("files of states: {error}")));
    system.judge().wind_up();
    let violation = violation(system, &exploration, canonizer).unwrap_or_else(|error| {
        limits.push(format!("the trace of a violation could not be read back: {error}"));
        None
    });
    if exploration.findings.is_empty() && !exploration.scouted.is_empty() && violation.is_some() {
        limits.push("what was found lies ahead of the search; there may be a shorter way there".to_owned());
    }
    let verdict = match &violation {
        Some(Violation { kind: ViolationKind::Goal, .. }) => Verdict::GoalReached,
        Some(_) => Verdict::Violated,
        None if limits.is_empty() => Verdict::Holds,
        None => Verdict::Incomplete,
    };
    let count = |step: u32| exploration.per_operation.get(step as usize).copied().unwrap_or(0);
    let coverage = system.operations().iter().enumerate().map(|(idx, op)| Coverage {
        operation: model.operations[*op].name.to_string(),
        transitions: count(idx as u32 + FIRST_OPERATION),
    });
    Report {
        verdict,
        states: (exploration.table.len() as u64).saturating_sub(notes.n_outside),
        transitions: exploration.transitions,
        depth: exploration.depth,
        found,
        violation,
        coverage: coverage.collect(),
        failures: notes.failures.into_iter().map(|failure| (failure.what, failure.diagnostic)).collect(),
        limits,
        outside_scope: notes.n_outside,
        por: None,
        table_bytes: exploration.table.bytes() as u64,
        profile: system.profile(),
        symmetry: SymmetryReport::default(),
        disk: exploration.disk,
    }
}

/// Without the conventions of another tool, what is taken on trust makes a result incomplete.
fn is_exact(system: &Explicit<'_>) -> bool {
    system.judge().config().unbounded == abridge_eval::Unbounded::Error
}

/// Why the result is not about everything, in words.
fn limits(notes: &Notes, stops: &[Limit], is_exact: bool) -> Vec<String> {
    let mut limits: Vec<String> = stops.iter().map(|limit| report::limit_text(*limit)).collect();
    for warning in &notes.warnings {
        limits.push(match warning {
            Warning::Enumeration { name, .. } => format!("`{name}` was searched for between MININT and MAXINT only"),
            Warning::Strings { name, .. } => format!("`{name}` was searched for among two strings only"),
            Warning::Impure { name } => format!("`{name}` depends on the world outside the model"),
            Warning::Unchecked { .. } if is_exact => {
                "an infinite function was taken to belong to a set of functions".to_owned()
            }
            _ => continue,
        });
    }
    if notes.is_stopped && stops.is_empty() {
        limits.push("one evaluation was still under way when the time was up or the user wanted an end".to_owned());
    }
    if notes.is_capped {
        limits.push("not all set-ups, initialisations or steps of an operation were tried".to_owned());
    }
    let failed: BTreeSet<&str> =
        notes.failures.iter().filter(|failure| !failure.is_violation).map(|failure| failure.what.as_str()).collect();
    if !failed.is_empty() {
        let failed: Vec<&str> = failed.into_iter().collect();
        limits.push(format!("{} could not be evaluated", failed.join(", ")));
    }
    limits
}

/// The first violation; an error if files do not tell how it is reached.
fn violation(
    system: &Explicit<'_>,
    exploration: &Exploration,
    canonizer: Option<&mut dyn Canonizer>,
) -> io::Result<Option<Violation>> {
    let model = system.model();
    if exploration.is_ill_defined_at_root {
        let failure = system.notes().failures.into_iter().next();
        return Ok(failure.map(|EvalFailure { what, diagnostic, .. }| {
            let kind = ViolationKind::IllDefined { operation: Some(what), error: diagnostic };
            Violation { kind, trace: Trace::default(), parts: Vec::new() }
        }));
    }
    let first = exploration.findings.first().map(|Finding { kind, state }| (*kind, Some(*state), &[][..]));
    let ahead = exploration.scouted.first().map(|Scouted { kind, from, path }| (*kind, *from, &path[..]));
    let Some((kind, state, path)) = first.or(ahead) else {
        let is_stuck =
            exploration.is_stuck_at_root && limits(&system.notes(), &exploration.limits, is_exact(system)).is_empty();
        return Ok(is_stuck.then(|| Violation {
            kind: ViolationKind::Deadlock,
            trace: Trace::default(),
            parts: Vec::new(),
        }));
    };
    let states = trace::states_to(system, &exploration.table, state, path, canonizer)?;
    let trace = Trace::through(system, &states);
    let Some(words) = states.last() else { return Ok(None) };
    Ok(kind_of(model, system, kind, words).map(|kind| {
        let parts = parts_of(model, system, &kind, words);
        Violation { kind, trace, parts }
    }))
}

/// What exactly was found in a state.
fn kind_of(model: &Model, system: &Explicit<'_>, kind: FindingKind, words: &[u32]) -> Option<ViolationKind> {
    let error_of = |pred| match system.holds(pred, words) {
        Err(error) => Some(error.diagnostic(model)),
        Ok(_) => None,
    };
    Some(match kind {
        FindingKind::Invariant(idx) => ViolationKind::Invariant { conjunct: idx as usize },
        FindingKind::Assertion(idx) => ViolationKind::Assertion { conjunct: idx as usize },
        FindingKind::IllDefinedInvariant(idx) => {
            ViolationKind::IllDefined { operation: None, error: error_of(model.invariant[idx as usize].pred)? }
        }
        FindingKind::IllDefinedAssertion(idx) => {
            ViolationKind::IllDefined { operation: None, error: error_of(model.assertions[idx as usize].pred)? }
        }
        FindingKind::Deadlock => ViolationKind::Deadlock,
        FindingKind::Goal => ViolationKind::Goal,
        FindingKind::IllDefined => {
            let (op, error) = system.errors_in(words).into_iter().next()?;
            let operation = model.operations[op].name.to_string();
            ViolationKind::IllDefined { operation: Some(operation), error: error.diagnostic(model) }
        }
    })
}

/// What makes a conjunct false in a state.
fn parts_of(model: &Model, system: &Explicit<'_>, kind: &ViolationKind, words: &[u32]) -> Vec<Part> {
    let broken = match kind {
        ViolationKind::Invariant { conjunct } => Some(model.invariant[*conjunct].pred),
        ViolationKind::Assertion { conjunct } => Some(model.assertions[*conjunct].pred),
        _ => None,
    };
    let session = system.judge().session();
    let parts = broken.map(|pred| explain::explain(&session, model, pred, &system.decode(words).0));
    parts.unwrap_or_default()
}
