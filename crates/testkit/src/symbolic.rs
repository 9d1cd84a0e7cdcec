//! One machine, checked with every method of the symbolic engine: without symmetry, with each way to find representatives, in both orders of bits.
//!
//! [`compare`] takes the plain interpreter as the judge of verdicts, findings, numbers of states and transitions, and formulas of branching time, and canonical forms of single states as the judge of
//! orbits. A method that does not come to its end, or does not apply, must say so.

use std::sync::Arc;

use abridge_check::{
    Config, Direction, ElementBitOrder, Engine, Method, Report, Representatives, SymbolicSymmetry, TemporalReport,
    TemporalVerdict, Verdict, check,
};
use abridge_model::{Logic, Model};

use crate::Project;
use crate::temporal::machines::case;

/// Larger state spaces are not compared.
const MAX_STATES: u64 = 400;
/// Nodes until the symbolic engine gives up.
const MAX_NODES: usize = 1 << 18;
/// Steps of evaluation until a formula is given up.
const MAX_FUEL: u64 = 400_000;

/// What was compared.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SymbolicComparison {
    /// Machines whose states the plain interpreter lists.
    pub machines: usize,
    pub finished: usize,
    /// Runs that say why they did not finish.
    pub unfinished: usize,
    /// Runs with symmetry by method: sorting, several representatives, orbit relation, counters.
    pub reduced: [usize; 4],
    /// Of these, runs with as many representatives as orbits.
    pub unique: usize,
    pub formulas: usize,
    /// Backward searches that finished, and those that say why they did not.
    pub backward: usize,
    pub backward_unfinished: usize,
}

impl SymbolicComparison {
    pub fn add(&mut self, other: SymbolicComparison) {
        self.machines += other.machines;
        self.finished += other.finished;
        self.unfinished += other.unfinished;
        self.reduced.iter_mut().zip(other.reduced).for_each(|(sum, more)| *sum += more);
        self.unique += other.unique;
        self.formulas += other.formulas;
        self.backward += other.backward;
        self.backward_unfinished += other.backward_unfinished;
    }
}

/// Compares the machine of `compare.rs` with this number, and that of `temporal/machines.rs` with its formulas of branching time.
///
/// # Errors
/// The first difference, with the machine.
pub fn compare_number(number: u64) -> Result<SymbolicComparison, String> {
    let mut compared = SymbolicComparison::default();
    let case = case(number);
    let formulas: Vec<&str> =
        case.formulas.iter().filter(|it| it.logic == Logic::Ctl).map(|it| it.text.as_str()).collect();
    for (text, formulas) in [(crate::compare::machine(number), &[][..]), (case.machine.clone(), &formulas)] {
        let project = Project::new(&[("M.mch", &text)]);
        compared.add(compare(&project, formulas).map_err(|difference| format!("{difference}\n{text}"))?);
    }
    Ok(compared)
}

/// Compares all methods on one machine with formulas of branching time.
///
/// # Errors
/// The first difference.
pub fn compare(project: &Project, formulas: &[&str]) -> Result<SymbolicComparison, String> {
    let mut compared = SymbolicComparison::default();
    let plain = plain();
    let formulas: Vec<(Logic, &str)> = formulas.iter().map(|text| (Logic::Ctl, *text)).collect();
    let Some((model, prepared)) = project.with_formulas(&formulas, &plain) else { return Ok(compared) };
    let prepared = Arc::new(prepared);
    let run = |config: Config| check(&model, &Config { formulas: prepared.clone(), ..config }, &mut ());
    let expected = run(plain.clone());
    if !expected.limits.is_empty() {
        return Ok(compared);
    }
    compared.machines = 1;
    let orbits = run(Config { symmetry: Method::Canon, ..plain });
    for order in [ElementBitOrder::Concatenated, ElementBitOrder::Interlaced] {
        for (number, representatives) in METHODS.into_iter().enumerate() {
            let found = run(Config {
                engine: Engine::Symbolic,
                symmetry: if representatives.is_some() { Method::Auto } else { Method::Off },
                representatives: representatives.unwrap_or_default(),
                order,
                ..fast()
            });
            let way = || format!("{representatives:?}, {order:?}");
            if !found.limits.is_empty() {
                compared.unfinished += 1;
                if found.verdict == Verdict::Holds {
                    return Err(format!("{}: holds, with limits {:?}", way(), found.limits));
                }
                continue;
            }
            compared.finished += 1;
            difference(&expected, &orbits, &found).map_err(|text| format!("{}: {text}", way()))?;
            let n_transitions = found.symbolic.as_ref().and_then(|symbolic| symbolic.transitions.clone());
            if let Some(count) =
                n_transitions.filter(|count| representatives.is_none() && *count != expected.transitions.into())
            {
                return Err(format!("{}: {count} transitions instead of {}", way(), expected.transitions));
            }
            compared.formulas += found.temporal.len();
            let symmetry = found.symbolic.as_ref().map(|symbolic| symbolic.symmetry);
            if symmetry.is_some_and(|it| it != SymbolicSymmetry::Off) {
                compared.reduced[number - 1] += 1;
                compared.unique += usize::from(symmetry == Some(SymbolicSymmetry::Unique));
            }
        }
    }
    compare_backward(&model, &mut compared)?;
    Ok(compared)
}

/// Compares backward searches, without formulas, for all findings and for the first one.
fn compare_backward(model: &Model, compared: &mut SymbolicComparison) -> Result<(), String> {
    for find_all in [true, false] {
        let expected = check(model, &Config { find_all, temporal: false, ..plain() }, &mut ());
        for representatives in METHODS.into_iter().take(3).chain([Some(Representatives::Patterns)]) {
            let config = Config {
                engine: Engine::Symbolic,
                direction: Direction::Backward,
                symmetry: if representatives.is_some() { Method::Auto } else { Method::Off },
                representatives: representatives.unwrap_or_default(),
                find_all,
                temporal: false,
                ..fast()
            };
            let found = check(model, &config, &mut ());
            let way = || format!("backward, {representatives:?}, find_all {find_all}");
            if !found.limits.is_empty() {
                compared.backward_unfinished += 1;
                if found.verdict == Verdict::Holds {
                    return Err(format!("{}: holds, with limits {:?}", way(), found.limits));
                }
                continue;
            }
            compared.backward += 1;
            // The first finding of two searches may be another one.
            let holds = |it: &Report| it.verdict == Verdict::Holds;
            if holds(&found) != holds(&expected) || find_all && found.found != expected.found {
                let text = |it: &Report| format!("{:?} {:?}", it.verdict, it.found);
                return Err(format!("{}: {} instead of {}", way(), text(&found), text(&expected)));
            }
            if let Some(violation) = found.violations.iter().find(|violation| violation.trace.gap.is_some()) {
                return Err(format!("{}: {:?}", way(), violation.trace.gap));
            }
        }
    }
    Ok(())
}

/// No symmetry, and all ways to find representatives.
const METHODS: [Option<Representatives>; 5] = [
    None,
    Some(Representatives::Dynamic),
    Some(Representatives::Multiple),
    Some(Representatives::Orbits),
    Some(Representatives::Counters),
];

fn plain() -> Config {
    let mut config = fast();
    config.system.compiled = false;
    config.system.memo = false;
    config.eval.hard = u64::MAX;
    config
}

fn fast() -> Config {
    let mut config = Config { find_all: true, max_states: Some(MAX_STATES), max_nodes: MAX_NODES, ..Config::default() };
    config.eval.fuel = MAX_FUEL;
    config
}

/// What a finished run says otherwise than the explicit ones.
fn difference(expected: &Report, orbits: &Report, found: &Report) -> Result<(), String> {
    // A machine that does not start is left to the explicit engine.
    let Some(symbolic) = &found.symbolic else { return Ok(()) };
    if (found.verdict, found.found) != (expected.verdict, expected.found) {
        let text = |it: &Report| format!("{:?} {:?}", it.verdict, it.found);
        return Err(format!("{} instead of {}", text(found), text(expected)));
    }
    let n_states = symbolic.states_behind.as_ref().unwrap_or(&symbolic.states);
    if *n_states != expected.states.into() {
        return Err(format!("{n_states} states instead of {}", expected.states));
    }
    match symbolic.symmetry {
        SymbolicSymmetry::Off => {}
        SymbolicSymmetry::Unique if found.states == orbits.states => {}
        SymbolicSymmetry::Several if (orbits.states..=expected.states).contains(&found.states) => {}
        kind => return Err(format!("{} representatives ({kind:?}) for {} orbits", found.states, orbits.states)),
    }
    for (found, expected) in found.temporal.iter().zip(&expected.temporal) {
        let is_known = |it: &TemporalReport| !matches!(it.verdict, TemporalVerdict::Incomplete(_));
        if is_known(found) && found.verdict != expected.verdict {
            return Err(format!("{}: {:?} instead of {:?}", found.formula, found.verdict, expected.verdict));
        }
    }
    Ok(())
}
