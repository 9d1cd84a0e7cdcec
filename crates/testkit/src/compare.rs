//! One machine, checked in every way there is: evaluators, strategies, workers, memory budgets, reductions.
//!
//! [`compare_all`] explores the machine with the plain interpreter alone, one state after the other, and then in each of [`ways`]. What a
//! way must preserve is said by [`Preserves`]: a reduction may visit fewer states and must find the same kinds of violation. A way that
//! does not come to its end is no difference as long as it says so, and finds nothing that is not there; how many ways came to
//! their ends is in [`Compared`], so that whoever calls can insist on it. Where the machine itself leaves something open, as a parameter without bounds
//! does, every way must say so.

use std::num::NonZero;

use abridge_check::{
    Checkpoint, Config, Control, Direction, Disk, Engine, Evaluator, FoundViolations, Key, Method, PorMode, Progress,
    Ram, Report, Strategy, Verdict, Violation, ViolationKind, Volume, check, check_on_disk,
};
use abridge_model::Model;
use abridge_system::Limit;
use abridge_value::bytes::DIGEST_BYTES;

use crate::minimise::minimise;
use crate::{Project, Random, everything};

/// Larger state spaces are not compared.
const MAX_STATES: u64 = 400;
/// Steps of evaluation until the plain interpreter gives up on a formula.
const MAX_FUEL: u64 = 400_000;
/// Violations with a trace: several, since which one is met first depends on the order of the set-ups.
const MAX_VIOLATIONS: usize = 16;
/// Nodes until the symbolic engine gives up.
const MAX_NODES: usize = 1 << 20;

/// What a comparison covered.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Compared {
    /// Ways that visited everything; none if the plain interpreter did not.
    pub finished: usize,
    pub unfinished: usize,
    /// The machine leaves something open: all ways ended, none of them in `holds`.
    pub is_open: bool,
    pub states: u64,
    pub found: FoundViolations,
}

/// A way that does not agree with the plain interpreter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    pub way: &'static str,
    pub expected: String,
    pub found: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference { way, expected, found } = self;
        write!(f, "{way}\n  plain: {expected}\n  found: {found}")
    }
}

/// What a way of checking leaves as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preserves {
    /// Everything, and the nearest violation is as far from the root.
    Order,
    /// All counts.
    Counts,
    /// The number of states; that of transitions where it is known. Traces are whole.
    States,
    /// What is found, with at most as many states.
    Findings,
    /// Whether anything is found: the search ends there.
    First,
}

/// What a way varies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WayPart {
    Evaluation,
    /// Strategies, workers, files.
    Search,
    Reduction,
}

/// A way of checking.
pub struct Way {
    pub name: &'static str,
    pub part: WayPart,
    pub preserves: Preserves,
    pub config: Config,
    run: fn(&Model, &Config) -> Report,
}

fn plain() -> Config {
    let mut config = fast();
    config.system.compiled = false;
    config.system.memo = false;
    config.eval.hard = u64::MAX;
    config
}

/// As users get it.
fn fast() -> Config {
    let (max_states, max_violations) = (Some(MAX_STATES), MAX_VIOLATIONS);
    let mut config = Config { find_all: true, max_states, max_violations, ..Config::default() };
    config.eval.fuel = MAX_FUEL;
    config
}

/// All ways but the plain one.
pub fn ways() -> Vec<Way> {
    let mut ways = evaluators();
    ways.extend(searches());
    ways.extend(reductions());
    ways
}

fn way(part: WayPart, name: &'static str, preserves: Preserves, change: impl FnOnce(&mut Config)) -> Way {
    let mut config = fast();
    change(&mut config);
    Way { name, part, preserves, config, run: |model, config| check(model, config, &mut ()) }
}

fn workers(n: usize) -> NonZero<usize> {
    NonZero::new(n).unwrap_or(NonZero::<usize>::MIN)
}

fn evaluators() -> Vec<Way> {
    let way = |name, change: fn(&mut Config)| way(WayPart::Evaluation, name, Preserves::Order, change);
    vec![
        way("compiled", |_| {}),
        way("compiled, without a memo", |config| config.system.memo = false),
        way("compiled, with a small memo", |config| config.system.memo_bytes = Some(4096)),
        way("sliced", |config| config.evaluator = Evaluator::Sliced),
        way("sliced, three workers", |config| {
            (config.evaluator, config.workers) = (Evaluator::Sliced, workers(3));
        }),
        way("circuits", |config| {
            *config = plain();
            (config.eval.hard, config.eval.probe, config.eval.conflicts) = (2, 0, 1000);
        }),
    ]
}

fn searches() -> Vec<Way> {
    let way = |name, preserves, change: fn(&mut Config)| way(WayPart::Search, name, preserves, change);
    let mut ways = vec![
        way("depth-first", Preserves::Counts, |config| config.strategy = Strategy::DepthFirst),
        way("mixed", Preserves::Counts, |config| config.strategy = Strategy::Mixed { seed: 3 }),
    ];
    for (name, n) in [("two workers", 2), ("eight workers", 8)] {
        let config = Config { workers: workers(n), ..fast() };
        ways.push(Way { config, ..way(name, Preserves::Order, |_| {}) });
    }
    ways.push(way("symbolic", Preserves::States, |config| {
        config.engine = Engine::Symbolic;
        config.max_nodes = MAX_NODES;
    }));
    ways.push(Way { run: with_little_memory, ..way("states in files", Preserves::Order, |_| {}) });
    ways.push(Way {
        run: with_little_memory,
        ..way("states in files, values in parts", Preserves::Order, |config| config.system.memo_bytes = Some(1 << 16))
    });
    ways.push(Way { run: in_parts, ..way("interrupted and resumed", Preserves::Order, |_| {}) });
    let by_circuits = |config: &mut Config| config.evaluator = Evaluator::Sliced;
    let way = |name, change: fn(&mut Config)| way(name, Preserves::Order, change);
    ways.push(Way { run: with_little_memory, ..way("sliced, states in files", by_circuits) });
    ways.push(Way { run: in_parts, ..way("sliced, interrupted and resumed", by_circuits) });
    ways.push(Way { preserves: Preserves::First, ..way("first finding", |config| config.find_all = false) });
    ways.push(Way {
        preserves: Preserves::First,
        ..way("sliced, first finding", |config| {
            (config.find_all, config.evaluator) = (false, Evaluator::Sliced);
        })
    });
    ways
}

fn reductions() -> Vec<Way> {
    let way = |name, change: fn(&mut Config)| way(WayPart::Reduction, name, Preserves::Findings, change);
    vec![
        way("symmetry auto", |config| config.symmetry = Method::Auto),
        way("symmetry auto, choices by orbits", |config| {
            config.symmetry = Method::Auto;
            config.system.many_choices = -10.0;
        }),
        way("sliced, symmetry auto", |config| {
            (config.evaluator, config.symmetry) = (Evaluator::Sliced, Method::Auto);
        }),
        way("symmetry auto, values in parts", |config| {
            (config.system.memo_bytes, config.symmetry) = (Some(1 << 16), Method::Auto);
        }),
        way("symmetry canon", |config| config.symmetry = Method::Canon),
        way("symmetry flood", |config| config.symmetry = Method::Flood),
        way("symmetry by precise markers", |config| config.symmetry = Method::Marker { is_precise: true }),
        way("symbolic with symmetry", |config| {
            (config.engine, config.max_nodes) = (Engine::Symbolic, MAX_NODES);
            config.symmetry = Method::Auto;
        }),
        way("symbolic, backward", |config| {
            (config.engine, config.max_nodes) = (Engine::Symbolic, MAX_NODES);
            config.direction = Direction::Backward;
        }),
        way("symbolic, backward, with symmetry", |config| {
            (config.engine, config.max_nodes) = (Engine::Symbolic, MAX_NODES);
            (config.direction, config.symmetry) = (Direction::Backward, Method::Auto);
        }),
        way("partial order, syntactic", |config| config.por = PorMode::Syntactic),
        way("partial order, semantic", |config| config.por = PorMode::Semantic),
        way("partial order, ample sets", |config| config.por = PorMode::Ample),
        way("partial order and symmetry", |config| {
            (config.por, config.symmetry) = (PorMode::Semantic, Method::Auto);
        }),
        way("sliced, partial order", |config| {
            (config.evaluator, config.por) = (Evaluator::Sliced, PorMode::Semantic);
        }),
        way("sliced, partial order and symmetry", |config| {
            (config.evaluator, config.por, config.symmetry) = (Evaluator::Sliced, PorMode::Semantic, Method::Auto);
        }),
    ]
}

/// Memory is short from the start, so states go to files.
fn with_little_memory(model: &Model, config: &Config) -> Report {
    struct Short;
    impl Control for Short {
        fn poll(&mut self, progress: &Progress) -> Option<Limit> {
            (!progress.is_spilled).then_some(Limit::Memory)
        }
    }
    let scratch = Ram::new();
    let disk = Disk { checkpoint: None, spill: Some(&scratch as &dyn Volume) };
    check_on_disk(model, config, disk, &mut Short).unwrap_or_else(|refusal| panic!("{refusal:?}"))
}

/// Interrupted at every second poll, saved and gone on with.
fn in_parts(model: &Model, config: &Config) -> Report {
    struct Impatient(u32);
    impl Control for Impatient {
        fn poll(&mut self, _: &Progress) -> Option<Limit> {
            self.0 = self.0.saturating_sub(1);
            (self.0 == 0).then_some(Limit::Interrupted)
        }
    }
    let (saved, key) = (Ram::new(), Key::new([1; DIGEST_BYTES]));
    let mut n_parts = 0;
    loop {
        let checkpoint = Checkpoint { volume: &saved, key: &key, fingerprint: [1; DIGEST_BYTES], resume: n_parts > 0 };
        let checkpoint = Some(checkpoint);
        let disk = Disk { checkpoint, spill: None };
        let run = check_on_disk(model, config, disk, &mut Impatient(2 + n_parts));
        let report = run.unwrap_or_else(|refusal| panic!("{refusal:?}"));
        n_parts += 1;
        if saved.names().is_empty() {
            return report;
        }
    }
}

/// Checks a model in all ways and compares each with the plain interpreter.
///
/// # Errors
/// The first way that disagrees.
pub fn compare_all(model: &Model) -> Result<Compared, Difference> {
    compare(model, &ways(), |_| {})
}

/// The same for some ways. `tell` hears the name of each before it is begun.
///
/// # Errors
/// The first way that disagrees.
pub fn compare(model: &Model, ways: &[Way], mut tell: impl FnMut(&'static str)) -> Result<Compared, Difference> {
    tell("plain");
    let expected = check(model, &plain(), &mut ());
    let mut compared = Compared { states: expected.states, found: expected.found, ..Compared::default() };
    // The plain interpreter may look at more than is needed; what two evaluators leave open is the machine's.
    compared.is_open = is_open(&expected) && is_open(&check(model, &fast(), &mut ()));
    if !is_finished(&expected) && !compared.is_open {
        return Ok(compared);
    }
    for way in ways {
        tell(way.name);
        let report = (way.run)(model, &way.config);
        if let Some((expected, found)) = difference(&expected, &report, way.preserves) {
            return Err(Difference { way: way.name, expected, found });
        }
        if is_finished(&report) {
            compared.finished += 1;
        } else {
            compared.unfinished += 1;
        }
    }
    Ok(compared)
}

fn is_finished(report: &Report) -> bool {
    report.limits.is_empty()
}

/// Whether the machine leaves something open that no other evaluator knows better: a value without bounds, an assumed membership.
fn is_open(report: &Report) -> bool {
    let is_of_machine = |limit: &String| limit.ends_with("could not be evaluated") || limit.ends_with("was assumed");
    let has_ended = |id: &str| ["out-of-fuel", "out-of-memory", "too-deep", "set-too-large"].contains(&id);
    !is_finished(report)
        && report.limits.iter().all(is_of_machine)
        && !report.failures.iter().any(|(_, diagnostic)| has_ended(diagnostic.id))
}

/// What the plain interpreter says and what a way says, if they may not differ.
fn difference(expected: &Report, report: &Report, preserves: Preserves) -> Option<(String, String)> {
    if preserves == Preserves::First && report.found != FoundViolations::default() {
        // What would have been left open was not met.
        let is_wrong = !is_part(report.found, expected.found);
        return is_wrong.then(|| (text(expected, preserves), text(report, preserves)));
    }
    if is_finished(report) && is_open(expected) {
        return Some((format!("{:?}", expected.limits), text(report, preserves)));
    }
    if !is_finished(report) {
        let is_wrong = report.verdict == Verdict::Holds || !is_part(report.found, expected.found);
        return is_wrong
            .then(|| (text(expected, preserves), format!("{}; {:?}", text(report, preserves), report.limits)));
    }
    let has_more = preserves == Preserves::Findings && report.states > expected.states;
    if preserves == Preserves::States && report.symbolic.is_some() {
        let is_counted = report.symbolic.as_ref().is_some_and(|symbolic| symbolic.transitions.is_some());
        let is_torn = report.violations.iter().find_map(|violation| violation.trace.gap.clone());
        let count = |of: &Report| if is_counted { of.transitions } else { 0 };
        let text = |of: &Report, gap: &Option<String>| {
            format!("{:?}, {:?}, {} states, {} transitions {gap:?}", of.verdict, of.found, of.states, count(of))
        };
        let (expected, report) = (text(expected, &None), text(report, &is_torn));
        return (expected != report).then_some((expected, report));
    }
    let (expected, report) = (text(expected, preserves), text(report, preserves));
    (has_more || expected != report).then_some((expected, report))
}

fn is_part(part: FoundViolations, whole: FoundViolations) -> bool {
    let list =
        |found: FoundViolations| [found.deadlock, found.invariant, found.assertion, found.ill_defined, found.goal];
    list(part).into_iter().zip(list(whole)).all(|(part, whole)| !part || whole)
}

/// What must be the same.
fn text(report: &Report, preserves: Preserves) -> String {
    let mut text = format!("{:?}, {:?}", report.verdict, report.found);
    if !matches!(preserves, Preserves::Findings | Preserves::First) {
        let coverage: Vec<u64> = report.coverage.iter().map(|item| item.transitions).collect();
        text += &format!(", {} states, {} transitions {coverage:?}", report.states, report.transitions);
    }
    if preserves == Preserves::Order {
        // Which of two kinds is met first depends on the order of the set-ups.
        let length = report.violations.iter().map(length).min();
        text += &format!(", depth {}, trace {length:?}", report.depth);
    }
    text
}

/// Steps of the trace of a violation, the one that fails included: it has no target.
fn length(violation: &Violation) -> usize {
    let fails = matches!(violation.kind, ViolationKind::IllDefined { operation: Some(_), .. });
    violation.trace.steps.len() + usize::from(fails)
}

/// The machine with this number.
pub fn machine(number: u64) -> String {
    everything::machine(&mut Random::new(number))
}

/// The smallest machine found that differs in the same way, by leaving out lines and then pieces of text.
pub fn minimised(text: &str, way: &'static str) -> String {
    let ways: Vec<Way> = ways().into_iter().filter(|candidate| candidate.name == way).collect();
    let fails = |bytes: &[u8]| {
        let Ok(text) = std::str::from_utf8(bytes) else { return false };
        let analysis = Project::new(&[("M.mch", text)]).analyse();
        analysis.model.is_some_and(|model| compare(&model, &ways, |_| {}).is_err())
    };
    let by_lines = minimise_lines(text, &|text| fails(text.as_bytes()));
    String::from_utf8_lossy(&minimise(by_lines.as_bytes(), fails)).into_owned()
}

fn minimise_lines(text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let mut best = text.to_owned();
    let mut idx = text.lines().count();
    while idx > 0 {
        idx -= 1;
        let shorter: Vec<&str> = best.lines().enumerate().filter(|(at, _)| *at != idx).map(|(_, line)| line).collect();
        let shorter = shorter.join("\n");
        // What stood between this line and the one before goes with it.
        let candidates = [shorter.replace(";\nEND", "\nEND"), shorter.replace(" &\nINIT", "\nINIT"), shorter];
        if let Some(text) = candidates.into_iter().find(|text| fails(text)) {
            best = text;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const BROKEN: &str = "MACHINE M VARIABLES n INVARIANT n : 0..3\nINITIALISATION n := 0\nOPERATIONS\n  up = SELECT n < 9 THEN n := n + 1 END;\n  \
                          down = SELECT n > 3 THEN n := n - 1 END\nEND\n";

    fn compared(change: impl FnOnce(&mut Config)) -> Result<Compared, Difference> {
        compare(&Project::model_of(BROKEN), &[way(WayPart::Evaluation, "changed", Preserves::Counts, change)], |_| {})
    }

    #[test]
    fn a_way_that_is_wrong_is_noticed() {
        assert_eq!(compared(|_| {}).map(|compared| (compared.finished, compared.states)), Ok((1, 10)));
        assert!(compared(|config| config.invariant = false).is_err());
    }

    #[test]
    fn a_way_that_does_not_end_is_counted() {
        assert_eq!(compared(|config| config.max_states = Some(2)).map(|compared| compared.unfinished), Ok(1));
    }

    #[test]
    fn lines_that_do_not_matter_are_left_out() {
        let small = minimise_lines(BROKEN, &|text| text.contains("up =") && text.ends_with("\nEND"));
        assert!(!small.contains("down"), "{small}");
    }
}
