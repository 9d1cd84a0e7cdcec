//! The facade: a model and a [`Config`] in, a [`Report`] out.
//!
//! [`check`] explores the model, turns findings into violations with traces that the plain interpreter replays, and states a verdict:
//! `Holds` only after a finished, exact search.

mod animation;
mod calculate;
mod canonized;
mod coverage;
mod explorer;
mod find;
mod por;
mod reduced;
mod refinement;
mod replay;
mod report;
mod space;
mod stack;
mod stuck;
mod symbolic;
mod temporal;
mod trace;
mod unchecked;

use std::collections::BTreeSet;
use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use abridge_diag::{Diagnostic, StopFlag, with_stack};
use abridge_explicit::{SystemConfig, judge};
use abridge_model::{Model, dump};
use abridge_model_system::ModelSystem;
use abridge_reduce::symmetry::Canonizer;
use abridge_search::{Exploration, Scouted};
use abridge_system::{AnySystem, Explanation, Finding, FindingKind, Gap, Limit, Machine, Properties, Remarks};
use abridge_value::bytes::{DIGEST_BYTES, Digest};

use explorer::{Explorer as _, InMemory, OnDisk, Unwatched};
use stack::{EvaluatedSystem, Unaided};

pub use abridge_deps::{Answers, Dependence, DependenceReason};
pub use abridge_eval::Memory;
pub use abridge_explicit::{Measured, Profile, Usage};
pub use abridge_model_system::{
    Execution, INITIALISATION_NAME as INITIALISATION, Place, SETUP_NAME as SETUP_CONSTANTS, named_values,
};
pub use abridge_reduce::canonizer::{CanonizerStrategy, ChosenReduction, ReductionProof};
pub use abridge_reduce::symmetry::{AsymmetryReason, Carrier, Method, Symmetry, symmetry_of};
pub use abridge_refine::{AbstractStep, Candidate, Failed, Models, Notion, Obligation, Pair, SideBySide};
pub use abridge_search::{Checkpoint, Control, Disk, DiskUse, MANIFEST, Progress, Refusal, Strategy};
pub use abridge_sliced::{CircuitUsage as SlicedUsage, Evaluator};
pub use abridge_store::{Medium, Ram, Volume};
pub use abridge_symbolic::{Direction, ElementBitOrder, Representatives};
pub use abridge_system::{Completeness, Machine as Shown, Move, Named, Origin, Part};
pub use abridge_value::bytes::Key;
pub use animation::{Animation, OpenSteps, choices};
pub use calculate::{CalculatedAnswer, Calculation, Needs, evaluate, needs, solve};
pub use canonized::{
    CheckAnswer, PartReport, ReductionReport, RefutationReport, choose_reductions, examine_reductions,
};
pub use coverage::{DeadGuard, StateCoverage, VariableCoverage};
pub use find::{Sought, find, nth_state};
pub use por::{PorAnalysis, PorMode, analyse_dependences};
pub use refinement::{
    Counterexample, IllDefinedOperation, PairedStep, RefineConfig, Refinement, pair_of, refine, refine_on_disk,
    refinement_fingerprint,
};
pub use replay::{Replay, ReplayFailure, WantedStep, replay};
pub use report::{
    Coverage, FoundViolations, Report, SymbolicReport, SymbolicSymmetry, SymmetryReport, Verdict, Violation,
    ViolationKind, limit_text,
};
pub use space::{
    Orbits, SpaceEdge, SpaceNode, SpaceView, StateDiagram, StateSpace, Vertex, projection, space, space_of, state_graph,
};
pub use stuck::{Stuck, why_stuck};
pub use symbolic::Engine;
pub use temporal::{
    Branch, BranchShown, BranchingStory, FormulaSource, HistoryRow, LowerTexts, Prepared, PreparedFormula, Story,
    StoryEnd, StoryRow, TemporalReport, TemporalVerdict, along_history, formulas_of, prepare,
};
pub use trace::{Trace, TraceStep};
pub use unchecked::gluing_conjuncts;

/// What to check and how.
#[derive(Clone, Debug)]
pub struct Config {
    pub eval: abridge_eval::EvalConfig,
    pub system: SystemConfig,
    pub engine: Engine,
    /// The way in which the explicit engine evaluates steps and properties.
    pub evaluator: Evaluator,
    /// Nodes of decision diagrams at most, for the symbolic engine.
    pub max_nodes: usize,
    /// How the symbolic engine finds representatives, if there is symmetry reduction.
    pub representatives: Representatives,
    /// The order of the bits of interchangeable elements in the symbolic engine.
    pub order: ElementBitOrder,
    /// Where the symbolic engine starts.
    pub direction: Direction,
    pub strategy: Strategy,
    pub invariant: bool,
    pub deadlock: bool,
    pub assertions: bool,
    pub goal: bool,
    /// Temporal formulas to check.
    pub formulas: Arc<Prepared>,
    /// Paths stay for ever in a state where nothing is enabled, instead of ending there.
    pub stutters: bool,
    /// Temporal properties of the machine are of interest: that they are not among the formulas is told.
    pub temporal: bool,
    /// Conjuncts of a refinement's invariant that speak of variables of its abstraction are of interest.
    pub gluing: bool,
    /// Go on after a violation and count everything.
    pub find_all: bool,
    /// Violations to report with a trace, if the search goes on after the first: one of each kind, conjunct and operation.
    pub max_violations: usize,
    pub max_states: Option<u64>,
    pub max_depth: Option<u32>,
    /// Whether steps are left out that other orders of steps make superfluous.
    pub por: PorMode,
    /// Take all steps and check what the reduction would leave out, along paths up to this length.
    pub check_por: Option<usize>,
    /// Reductions that the machine defines, to be applied from left to right.
    pub reduce: Vec<ChosenReduction>,
    /// The first states are canonised like all others.
    pub canonises_start: bool,
    /// Compare the reduction with the whole state space.
    pub check_reduce: bool,
    /// What is already known about the machine for the reduction; more is added.
    pub answers: Arc<Answers>,
    /// Threads of the search.
    pub workers: NonZero<usize>,
    /// Ends even a single evaluation soon after it is set. What was being evaluated is lost, so a run that is saved must not use it.
    pub stop: StopFlag,
    /// Why it was set; said before it is.
    pub stopped_for: Arc<OnceLock<Limit>>,
    /// Set by the run when the search is over and only the report is left to be made.
    pub is_search_over: Arc<AtomicBool>,
    /// How states that differ only in the names of interchangeable elements are identified.
    pub symmetry: Method,
    /// Values of variables and guards are covered in the report, with at most so many values of each variable.
    pub coverage: Option<usize>,
    /// The process ends after the run, which gives memory back sooner than value by value.
    pub leaves_memory: bool,
}

/// Nodes for which some gigabytes are enough.
const DEFAULT_MAX_NODES: usize = 1 << 26;

impl Default for Config {
    fn default() -> Self {
        Config {
            eval: abridge_eval::EvalConfig::default(),
            system: SystemConfig::default(),
            engine: Engine::Explicit,
            evaluator: Evaluator::Auto,
            max_nodes: DEFAULT_MAX_NODES,
            representatives: Representatives::Dynamic,
            order: ElementBitOrder::Concatenated,
            direction: Direction::Forward,
            strategy: Strategy::BreadthFirst,
            invariant: true,
            deadlock: true,
            assertions: true,
            goal: true,
            formulas: Arc::default(),
            stutters: false,
            temporal: true,
            gluing: true,
            find_all: false,
            max_violations: 1,
            max_states: None,
            max_depth: None,
            por: PorMode::Off,
            check_por: None,
            reduce: Vec::new(),
            canonises_start: true,
            check_reduce: false,
            answers: Arc::default(),
            workers: NonZero::<usize>::MIN,
            stop: StopFlag::default(),
            stopped_for: Arc::default(),
            is_search_over: Arc::default(),
            symmetry: Method::Off,
            coverage: None,
            leaves_memory: false,
        }
    }
}

impl Config {
    /// ProB's conventions: unbounded integers, pinned constants, undefined guards.
    #[must_use]
    pub fn prob(mut self) -> Self {
        self.eval = abridge_eval::EvalConfig::prob();
        self.system.pin_constants = true;
        self
    }
}

/// Explores a model and reports what was found.
pub fn check(model: &Model, config: &Config, control: &mut dyn Control) -> Report {
    with_stack(|| check_inner(model, config, control))
}

fn check_inner(model: &Model, config: &Config, control: &mut dyn Control) -> Report {
    let interp = judge(model, config.eval.clone()).stopped_by(config.stop.clone());
    let system = stack::system_of(interp, system_config(model, config));
    let mut report = explored(&system, config, control);
    report.profile = system.profile();
    end(system, config);
    unchecked::tell(model, config, &mut report);
    report
}

/// Explores a system with the engine that is configured.
fn explored(system: &impl EvaluatedSystem, config: &Config, control: &mut dyn Control) -> Report {
    let symbolic = match config.engine {
        _ if !config.reduce.is_empty() => None,
        Engine::Explicit => None,
        Engine::Symbolic => symbolic::run(system, config, control),
        Engine::Auto => return symbolic::automatic::automatic(system, config, control),
    };
    symbolic.unwrap_or_else(|| {
        let Ok(report) = reduced::run(system, config, InMemory(control));
        report
    })
}

/// The same breadth-first, with a disk: the run can be saved and gone on with, and states that do not fit into memory go to files.
pub fn check_on_disk(
    model: &Model,
    config: &Config,
    disk: Disk<'_>,
    control: &mut dyn Control,
) -> Result<Report, Refusal> {
    with_stack(|| check_on_disk_inner(model, config, disk, control))
}

fn check_on_disk_inner(
    model: &Model,
    config: &Config,
    disk: Disk<'_>,
    control: &mut dyn Control,
) -> Result<Report, Refusal> {
    let interp = judge(model, config.eval.clone()).stopped_by(config.stop.clone());
    let system = stack::system_of(interp, system_config(model, config));
    let mut report = reduced::run(&system, config, OnDisk(disk, control));
    if let Ok(report) = &mut report {
        report.profile = system.profile();
        unchecked::tell(model, config, report);
    }
    end(system, config);
    report
}

/// Explores any system of a model, made with the options of [`system_config`]: with reductions, temporal formulas or the symbolic engine, as configured.
/// Its steps are those of the model, as far as their completeness says so.
pub fn check_system<S: ModelSystem>(system: &S, config: &Config, control: &mut dyn Control) -> Report {
    with_stack(|| {
        let mut report = explored(&Unaided(system), config, control);
        unchecked::tell(system.model(), config, &mut report);
        report
    })
}

/// Explores any machine, without reductions: what is particular to B is not needed for a verdict.
pub fn check_machine<M: Machine>(machine: &M, config: &Config, control: &mut dyn Control) -> Report {
    let Ok(exploration) = InMemory(control).explore(AnySystem::of(machine), &search_config(config), &mut Unwatched);
    summarise(machine, &exploration, None, config)
}

/// Gives the memory of a system back, unless the process does so.
fn end<S>(system: S, config: &Config) {
    if config.leaves_memory {
        std::mem::forget(system);
    }
}

/// Options of a system for a run: a selection of steps asks for labels, atoms of temporal formulas are propositions, reductions are functions on states.
pub fn system_config(model: &Model, config: &Config) -> SystemConfig {
    SystemConfig {
        labels: config.por != PorMode::Off && config.system.memo,
        propositions: config.formulas.propositions.clone(),
        transformations: canonized::functions(model, config),
        ..config.system.clone()
    }
}

/// Stands for all that a saved run depends on: the model, the text of its files, and the options that change what is visited or found.
/// How many states to visit at most and how many threads do it may differ when a run is gone on with.
pub fn fingerprint<'t>(model: &Model, files: impl Iterator<Item = &'t str>, config: &Config) -> [u8; DIGEST_BYTES] {
    let mut sum = Digest::open();
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
    config
        .formulas
        .formulas
        .iter()
        .for_each(|formula| add(&format!("{:?} {}", formula.source.logic, formula.source.text)));
    add(&format!("{:?}", (&config.reduce, config.canonises_start)));
    sum.get()
}

/// Stands for a model, whatever is to be done with it.
pub fn model_sum(model: &Model) -> [u8; DIGEST_BYTES] {
    let mut sum = Digest::open();
    sum.add(dump::dump(model).as_bytes());
    sum.get()
}

/// The properties of states that are asked for.
fn asked(config: &Config) -> Properties {
    let Config { invariant, assertions, goal, .. } = *config;
    Properties { invariant, assertions, goal, propositions: false }
}

fn search_config(config: &Config) -> abridge_search::SearchConfig {
    abridge_search::SearchConfig {
        strategy: config.strategy,
        properties: asked(config),
        deadlock: config.deadlock,
        stop_at_first: !config.find_all,
        max_states: config.max_states,
        max_depth: config.max_depth,
        max_findings: 1,
        workers: config.workers,
    }
}

/// A report in words and with traces. With a canonizer, the states of the table are representatives.
fn summarise(
    machine: &impl Machine,
    exploration: &Exploration,
    canonizer: Option<&mut dyn Canonizer>,
    config: &Config,
) -> Report {
    config.is_search_over.store(true, Ordering::Relaxed);
    let remarks = machine.remarks();
    let mut limits = limits(&remarks, &exploration.limits, config.stopped_for.get().copied());
    // A machine that cannot even start is stuck at the root. Where values were searched for in a part of their type only, none was found
    // there, which is a finding but proves nothing.
    let is_stuck = exploration.is_stuck_at_root && limits.is_empty();
    let has_no_start = exploration.is_stuck_at_root
        && remarks.failures.is_empty()
        && exploration.limits.iter().all(|limit| *limit == Limit::Missing(Gap::Bounded));
    let ill_defined = exploration.is_ill_defined_at_root;
    let mut found = FoundViolations { ill_defined, deadlock: has_no_start, ..FoundViolations::default() };
    exploration.findings.iter().for_each(|finding| found.add(finding.kind));
    exploration.scouted.iter().for_each(|scouted| found.add(scouted.kind));
    limits.extend(exploration.disk.spill_error.iter().map(|error| format!("state files: {error}")));
    machine.wind_up();
    let violations =
        violations(machine, exploration, is_stuck, config.max_violations, canonizer).unwrap_or_else(|error| {
            limits.push(format!("the trace of a violation could not be read from state files: {error}"));
            Vec::new()
        });
    if exploration.findings.is_empty() && !exploration.scouted.is_empty() && !violations.is_empty() {
        limits
            .push("the violation was found by a random walk ahead of the search; a shorter trace may exist".to_owned());
    }
    let verdict = match violations.first() {
        Some(Violation { kind: ViolationKind::Goal, .. }) => Verdict::GoalReached,
        Some(_) => Verdict::Violated,
        None if limits.is_empty() => Verdict::Holds,
        None => Verdict::Incomplete,
    };
    let count = |operation: u32| exploration.per_operation.get(operation as usize).copied().unwrap_or(0);
    let coverage = machine
        .operations()
        .into_iter()
        .map(|operation| Coverage { operation: machine.operation_name(operation), transitions: count(operation) });
    Report {
        verdict,
        states: (exploration.table.len() as u64).saturating_sub(remarks.n_outside),
        transitions: exploration.transitions,
        depth: depth(machine, exploration),
        found,
        violations,
        coverage: coverage.collect(),
        state_coverage: None,
        failures: remarks.failures.into_iter().map(|failure| (failure.what, failure.diagnostic)).collect(),
        limits,
        visited_all: true,
        finds_all: config.find_all,
        unchecked: Vec::new(),
        outside_scope: remarks.n_outside,
        por: None,
        reduction: None,
        symbolic: None,
        sliced: None,
        table_bytes: exploration.table.bytes() as u64,
        profile: Profile::default(),
        symmetry: SymmetryReport::default(),
        disk: exploration.disk.clone(),
        temporal: Vec::new(),
    }
}

/// Reasons why the result is not about everything, in words.
fn limits(remarks: &Remarks, stops: &[Limit], stopped_for: Option<Limit>) -> Vec<String> {
    let failures = remarks.failures.iter().filter(|failure| !failure.is_violation);
    let failed: BTreeSet<&str> = failures.map(|failure| failure.what.as_str()).collect();
    let is_ended = |limit: &Limit| {
        matches!(limit, Limit::Time | Limit::Memory | Limit::Interrupted | Limit::Settled | Limit::Disk)
    };
    let mut limits: Vec<String> = Vec::new();
    for limit in stops {
        limits.push(match limit {
            // Told below, or by what ended the search, in more detail.
            Limit::Missing(Gap::Failed) if !failed.is_empty() => continue,
            Limit::Missing(Gap::Bounded) if !remarks.caveats.is_empty() => continue,
            Limit::Missing(Gap::Stopped) if stops.iter().any(is_ended) => continue,
            Limit::Missing(Gap::Stopped) => stopped_for
                .map_or_else(|| limit_text(*limit), |why| format!("{} during an evaluation", limit_text(why))),
            limit => limit_text(*limit),
        });
    }
    limits.extend(remarks.caveats.iter().cloned());
    if !failed.is_empty() {
        let failed: Vec<&str> = failed.into_iter().collect();
        limits.push(format!("{} could not be evaluated", failed.join(", ")));
    }
    limits
}

/// Depth of the deepest state, counted as the steps of traces are: without the set-up.
fn depth(machine: &impl Machine, exploration: &Exploration) -> u32 {
    let first = if exploration.table.is_empty() { None } else { exploration.table.get(0).ok() };
    let has_setup = first.is_some_and(|state| !machine.is_running(Origin::State(&state)));
    exploration.depth.saturating_sub(u32::from(has_setup))
}

/// Violations with traces, in the order of discovery; an error if the states of a trace cannot be read from files.
fn violations(
    machine: &impl Machine,
    exploration: &Exploration,
    is_stuck: bool,
    max_violations: usize,
    mut canonizer: Option<&mut dyn Canonizer>,
) -> io::Result<Vec<Violation>> {
    if exploration.is_ill_defined_at_root {
        let failure = machine.remarks().failures.into_iter().find(|failure| failure.is_violation);
        let violation = failure.map(|failure| {
            let kind = ViolationKind::IllDefined { operation: Some(failure.what), error: failure.diagnostic };
            Violation { kind, trace: Trace::default(), property: None, parts: Vec::new(), reasons: Vec::new() }
        });
        return Ok(violation.into_iter().collect());
    }
    let visited = exploration.findings.iter().map(|Finding { kind, state }| (*kind, Some(*state), &[][..]));
    let ahead = exploration.scouted.iter().map(|Scouted { kind, from, path }| (*kind, *from, &path[..]));
    // What the search came to itself has a shorter trace.
    let is_new = |kind: FindingKind| exploration.findings.iter().all(|finding| finding.kind != kind);
    let all = visited.chain(ahead.filter(|(kind, ..)| is_new(*kind)));
    let mut violations = Vec::new();
    for (kind, state, behind) in all {
        if violations.len() >= max_violations {
            break;
        }
        let again = canonizer.as_mut().map(|canonizer| &mut **canonizer as &mut dyn Canonizer);
        let path = trace::states_to(machine, &exploration.table, state, behind, again)?;
        let mut violation = violation_at(machine, kind, &path);
        let shown = canonizer.as_mut().filter(|canonizer| canonizer.is_shown());
        if let (Some(Violation { trace, .. }), Some(canonizer)) = (&mut violation, shown)
            && trace.gap.is_some()
        {
            let representatives = trace::states_of_table(&exploration.table, state, behind)?;
            if let Some(path) = trace::in_two_parts(machine, &representatives, &mut **canonizer) {
                let gap = trace.gap.take().unwrap_or_default();
                let gap = Some(format!("{gap}; shown are the steps of the reduced system"));
                *trace = Trace { gap, ..Trace::through(machine, &path) };
            }
        }
        violations.extend(violation);
    }
    if violations.is_empty() && is_stuck {
        let (kind, trace) = (ViolationKind::Deadlock, Trace::default());
        violations.push(Violation { kind, trace, property: None, parts: Vec::new(), reasons: Vec::new() });
    }
    Ok(violations)
}

/// The finding at the end of a path, explained by the judge.
fn violation_at(machine: &impl Machine, kind: FindingKind, path: &trace::StatePath) -> Option<Violation> {
    let mut trace = Trace::through(machine, path);
    // Of an orbit for which no real state was found, all that is known is the representative.
    let is_whole = path.gap.is_none();
    let last = path.states.last().filter(|_| is_whole);
    let explanation = last.and_then(|state| machine.explain(kind, state));
    if explanation.is_none() && is_whole {
        trace.gap.get_or_insert("the plain interpreter does not confirm what was found in the last state".to_owned());
    }
    violation_of(kind, trace, explanation.unwrap_or_default())
}

/// A finding with all that is known of it; nothing if it is no violation by itself.
fn violation_of(kind: FindingKind, trace: Trace, explanation: Explanation) -> Option<Violation> {
    let Explanation { property, parts, reasons, error } = explanation;
    let unconfirmed = || {
        Diagnostic::error(
            "unconfirmed",
            "an evaluation failed, but the plain interpreter does not find the failure again",
        )
    };
    let kind = match kind {
        FindingKind::Invariant(idx) => ViolationKind::Invariant { conjunct: idx as usize },
        FindingKind::Assertion(idx) => ViolationKind::Assertion { conjunct: idx as usize },
        FindingKind::Deadlock => ViolationKind::Deadlock,
        FindingKind::Goal => ViolationKind::Goal,
        FindingKind::Proposition(_) => return None,
        FindingKind::IllDefinedInvariant(_)
        | FindingKind::IllDefinedAssertion(_)
        | FindingKind::IllDefinedProposition(_)
        | FindingKind::IllDefined(_) => {
            let (operation, error) = error.unwrap_or_else(|| (None, unconfirmed()));
            ViolationKind::IllDefined { operation, error }
        }
    };
    Some(Violation { kind, trace, property, parts, reasons })
}
