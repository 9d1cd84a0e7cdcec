//! Coverage figures against a naive walk: every state and every step, listed by the judge and counted as texts.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use abridge_check::{Config, DeadGuard, Origin, Report, Shown as _, VariableCoverage, check, choices};
use abridge_explicit::{Explicit, judge};
use abridge_model::{Model, Subst};
use abridge_model_system::ModelSystem as _;
use abridge_testkit::models::{self, ModelFile, subjects};
use abridge_testkit::{Project, Random, guarded};

const MOST_STATES: usize = 400;
const MOST_TRANSITIONS: usize = 4_000;

/// What a walk counts: transitions by operation, states, and states by the value of each variable.
#[derive(Default)]
struct Walk {
    operations: BTreeMap<String, u64>,
    states: u64,
    values: BTreeMap<String, BTreeMap<String, u64>>,
}

/// Walks through all states; nothing if there are many, or something cannot be evaluated.
fn walk(model: &Model, config: &Config) -> Option<Walk> {
    let system = Explicit::new(judge(model, config.eval.clone()), config.system.clone());
    let variables: BTreeSet<String> =
        system.variables().iter().map(|id| model.variables[*id].name.to_string()).collect();
    let mut walk = Walk::default();
    let mut known: HashSet<Vec<u32>> = HashSet::new();
    let mut waiting: Vec<Option<Vec<u32>>> = vec![None];
    let mut n_transitions = 0;
    while let Some(state) = waiting.pop() {
        let origin = state.as_deref().map_or(Origin::Root, Origin::State);
        if let (Some(state), true) = (&state, system.is_running(origin)) {
            walk.states += 1;
            for value in system.values(state).into_iter().filter(|value| variables.contains(&value.name)) {
                *walk.values.entry(value.name).or_default().entry(value.text).or_default() += 1;
            }
        }
        let found = choices(&system, origin, usize::MAX);
        if !found.completeness.is_whole() || !found.errors.is_empty() {
            return None;
        }
        for step in found.list {
            if system.is_running(origin) {
                *walk.operations.entry(step.name).or_default() += 1;
            }
            n_transitions += 1;
            if known.insert(step.to.clone()) {
                waiting.push(Some(step.to));
            }
        }
        if known.len() > MOST_STATES || n_transitions > MOST_TRANSITIONS {
            return None;
        }
    }
    Some(walk)
}

fn report(model: &Model, config: &Config) -> Report {
    let config =
        Config { find_all: true, assertions: false, goal: false, coverage: Some(usize::MAX), ..config.clone() };
    check(model, &config, &mut ())
}

/// An operation that is one guarded substitution: it is taken exactly where its guard is true.
fn is_plain(model: &Model, name: &str) -> bool {
    let operation = model.operations.values().find(|operation| operation.name == name && operation.is_top_level);
    let body = operation.map(|operation| &model.substs[operation.body].subst);
    let inner = match body {
        Some(Subst::Pre { body, .. }) => *body,
        Some(Subst::Select { branches, otherwise: None }) if branches.len() == 1 => branches[0].1,
        _ => return false,
    };
    matches!(model.substs[inner].subst, Subst::Assign { .. } | Subst::Skip)
}

/// Compares; whether there was something to compare, and how many guards were never true.
fn compare(name: &str, model: &Model) -> Option<usize> {
    let config = Config::default();
    let walk = walk(model, &config)?;
    let report = report(model, &config);
    let covered = report.state_coverage.as_ref().expect("coverage was asked for");
    assert!(covered.is_whole, "{name}");
    assert_eq!(covered.states, walk.states, "{name}");
    for one in &report.coverage {
        assert_eq!(
            one.transitions,
            walk.operations.get(&one.operation).copied().unwrap_or(0),
            "{name}: {}",
            one.operation
        );
    }
    for VariableCoverage { name: variable, n_values, values } in &covered.variables {
        let naive = walk.values.get(variable).cloned().unwrap_or_default();
        assert_eq!(*n_values as usize, naive.len(), "{name}: {variable}");
        assert_eq!(values.iter().cloned().collect::<BTreeMap<_, _>>(), naive, "{name}: {variable}");
    }
    for DeadGuard { operation, .. } in &covered.guards {
        let is_choice = !is_plain(model, operation);
        assert!(is_choice || !walk.operations.contains_key(operation), "{name}: {operation} is taken");
    }
    let is_dead = |operation: &str| covered.guards.iter().any(|guard| guard.operation == operation);
    for one in report.coverage.iter().filter(|one| one.transitions == 0 && is_plain(model, &one.operation)) {
        assert!(walk.states == 0 || is_dead(&one.operation), "{name}: {} is never taken", one.operation);
    }
    Some(covered.guards.len())
}

#[test]
fn figures_are_those_of_a_naive_walk_on_random_machines() {
    const N_COMPARED: usize = 200;
    let (mut n_compared, mut n_guards, mut seed) = (0, 0, 0);
    while n_compared < N_COMPARED {
        let text = guarded::machine(&mut Random::new(seed));
        let analysis = Project::new(&[("Random.mch", &text)]).analyse();
        let model = analysis.model.as_ref().unwrap_or_else(|| panic!("seed {seed} is no machine:\n{text}"));
        if let Some(guards) = compare(&format!("seed {seed}\n{text}"), model) {
            n_compared += 1;
            n_guards += guards;
        }
        seed += 1;
        assert!(seed < 5_000, "{n_compared} of {seed} machines are small enough");
    }
    println!("{n_compared} machines compared, {n_guards} guards never true");
    assert!(n_guards > 20, "{n_guards}");
}

#[test]
fn figures_are_those_of_a_naive_walk_on_our_machines() {
    let mut n_compared = 0;
    for ModelFile { path, .. } in subjects() {
        if path.extension().is_some_and(|end| end == "mch") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            n_compared += usize::from(compare(&name, &models::model(&name)).is_some());
        }
    }
    assert!(n_compared >= 10, "{n_compared}");
}
