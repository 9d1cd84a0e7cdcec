//! The facade: a model and a [`Config`] in, a [`Report`] out.
//!
//! [`check`] explores the model, turns findings into violations with traces that the plain interpreter replays, and states a verdict:
//! `Holds` only after a finished, exact search.

mod calculate;
mod explain;
mod find;
mod por;
mod replay;
mod report;
mod trace;
mod walk;

use std::num::NonZero;

use abridge_eval::{Explicit, FIRST_OPERATION, Interp, Notes, SystemConfig, Warning};
use abridge_model::Model;
use abridge_reduce::Selected;
use abridge_search::{Exploration, explore};
use abridge_system::{Finding, FindingKind, Limit, Properties};

pub use abridge_deps::{Dependence, Reason};
pub use abridge_search::{Control, Progress, Strategy};
pub use calculate::{Answer, Calculation, Needs, evaluate, needs, solve};
pub use explain::Part;
pub use find::{Sought, find, nth_state};
pub use por::{Analysis, PorMode, analyse_dependences};
pub use replay::{Failure, Replay, Wanted, replay};
pub use report::{Coverage, Found, Report, Verdict, Violation, ViolationKind};
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
    /// Threads of the search.
    pub workers: NonZero<usize>,
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
            workers: NonZero::<usize>::MIN,
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
    let labels = config.por != PorMode::Off && config.system.memo;
    let system_config = SystemConfig { labels, ..config.system.clone() };
    let system = Explicit::new(Interp::new(model, config.eval.clone()), system_config);
    let search = abridge_search::Config {
        strategy: config.strategy,
        properties: Properties { invariant: config.invariant, assertions: config.assertions, goal: config.goal },
        deadlock: config.deadlock,
        stop_at_first: !config.find_all,
        max_states: config.max_states,
        max_depth: config.max_depth,
        max_findings: 1,
        workers: config.workers,
    };
    let Some(por) = por::settings(config) else {
        let exploration = explore(&system, &search, control);
        return summarise(model, &system, &exploration);
    };
    if config.por == PorMode::Auto && config.check_por.is_none() {
        let mut trial = por::Trial::new(control, &system, por);
        let exploration = explore(&system, &search, &mut trial);
        if !trial.is_promising {
            return summarise(model, &system, &exploration);
        }
    }
    let selected = Selected::new(&system, por);
    let exploration = explore(&selected, &search, control);
    Report { por: Some(selected.tally()), ..summarise(model, &system, &exploration) }
}

fn summarise(model: &Model, system: &Explicit<'_>, exploration: &Exploration) -> Report {
    let notes = system.notes();
    // A machine that cannot even start is stuck at the root.
    let is_stuck = exploration.is_stuck_at_root && exploration.limits.is_empty() && notes.failures.is_empty();
    let mut found = Found { ill_defined: exploration.is_ill_defined_at_root, deadlock: is_stuck, ..Found::default() };
    exploration.findings.iter().for_each(|finding| found.add(finding.kind));
    let limits = limits(&notes, &exploration.limits, is_exact(system));
    let violation = violation(model, system, exploration);
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
        states: exploration.table.len() as u64,
        transitions: exploration.transitions,
        depth: exploration.depth,
        found,
        violation,
        coverage: coverage.collect(),
        failures: notes.failures.iter().map(|(what, error)| (what.clone(), error.diagnostic(model))).collect(),
        limits,
        por: None,
        table_bytes: exploration.table.bytes() as u64,
    }
}

/// Without the conventions of another tool, what is taken on trust makes a result incomplete.
fn is_exact(system: &Explicit<'_>) -> bool {
    system.interp().config().unbounded == abridge_eval::Unbounded::Error
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
    if notes.is_capped {
        limits.push("not all set-ups, initialisations or steps of an operation were tried".to_owned());
    }
    if let Some((what, _)) = notes.failures.iter().find(|(_, error)| !error.is_ill_defined() && !error.is_obligation())
    {
        limits.push(format!("{what} could not be evaluated"));
    }
    limits
}

fn violation(model: &Model, system: &Explicit<'_>, exploration: &Exploration) -> Option<Violation> {
    if exploration.is_ill_defined_at_root {
        let notes = system.notes();
        let (what, error) = notes.failures.first()?;
        let kind = ViolationKind::IllDefined { operation: Some(what.clone()), error: error.diagnostic(model) };
        return Some(Violation { kind, trace: Trace::default(), parts: Vec::new() });
    }
    let Some(Finding { kind, state }) = exploration.findings.first() else {
        let is_stuck =
            exploration.is_stuck_at_root && limits(&system.notes(), &exploration.limits, is_exact(system)).is_empty();
        return is_stuck.then(|| Violation {
            kind: ViolationKind::Deadlock,
            trace: Trace::default(),
            parts: Vec::new(),
        });
    };
    let trace = Trace::to(system, &exploration.table, *state);
    let words = exploration.table.get(*state);
    let words = words.as_slice();
    let error_of = |pred| match system.holds(pred, words) {
        Err(error) => Some(error.diagnostic(model)),
        Ok(_) => None,
    };
    let kind = match kind {
        FindingKind::Invariant(idx) => ViolationKind::Invariant { conjunct: *idx as usize },
        FindingKind::Assertion(idx) => ViolationKind::Assertion { conjunct: *idx as usize },
        FindingKind::IllDefinedInvariant(idx) => {
            ViolationKind::IllDefined { operation: None, error: error_of(model.invariant[*idx as usize].pred)? }
        }
        FindingKind::IllDefinedAssertion(idx) => {
            ViolationKind::IllDefined { operation: None, error: error_of(model.assertions[*idx as usize].pred)? }
        }
        FindingKind::Deadlock => ViolationKind::Deadlock,
        FindingKind::Goal => ViolationKind::Goal,
        FindingKind::IllDefined => {
            let (op, error) = system.errors_in(words).into_iter().next()?;
            let operation = model.operations[op].name.to_string();
            ViolationKind::IllDefined { operation: Some(operation), error: error.diagnostic(model) }
        }
    };
    let broken = match &kind {
        ViolationKind::Invariant { conjunct } => Some(model.invariant[*conjunct].pred),
        ViolationKind::Assertion { conjunct } => Some(model.assertions[*conjunct].pred),
        _ => None,
    };
    let session = system.interp().session();
    let parts = broken.map(|pred| explain::explain(&session, model, pred, &system.decode(words).0));
    Some(Violation { kind, trace, parts: parts.unwrap_or_default() })
}
