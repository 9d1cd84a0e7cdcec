//! Sleep sets change nothing: searches with and without circuits visit the same states under the same numbers, and count and find the same.
//!
//! Random machines have many variables and operations that touch few of them, so that most steps are independent; some operations are ill-defined in some states, where
//! steps may be missing and sleep sets must not be trusted. The machines under `models/` cover what people write.

use std::fmt::Write as _;
use std::num::NonZero;

use abridge_eval::EvalConfig;
use abridge_explicit::{Explicit, SystemConfig, judge};
use abridge_model::Model;
use abridge_search::{Exploration, SearchConfig, Strategy, explore};
use abridge_sliced::{Evaluator, Sliced};
use abridge_system::{AnySystem, Limit, Properties, System};
use abridge_testkit::{Project, Random, everything, models};

fn config(max_states: u64, workers: usize) -> SearchConfig {
    SearchConfig {
        strategy: Strategy::BreadthFirst,
        properties: Properties { invariant: true, assertions: true, goal: true, propositions: false },
        deadlock: true,
        stop_at_first: false,
        max_states: Some(max_states),
        max_depth: None,
        max_findings: 5,
        workers: NonZero::new(workers).expect("some workers"),
    }
}

fn states(exploration: &Exploration) -> Vec<Vec<u32>> {
    let table = &exploration.table;
    (0..table.len() as u32).map(|state| table.get(state).expect("in memory")).collect()
}

/// Explores in both ways; the number of states and whether sleep sets were used. Nothing is compared if steps are missing, since evaluators may give up on
/// different ones.
fn compare(model: &Model, eval: EvalConfig, max_states: u64, what: &str) -> (usize, bool) {
    let system = Explicit::new(judge(model, eval), SystemConfig::default());
    let plain = Sliced::new(&system, Evaluator::Memo);
    let expected = explore(&plain, &config(max_states, 1), &mut ());
    if expected.limits.iter().any(|limit| matches!(limit, Limit::Missing(_))) {
        return (0, false);
    }
    let expected_states = states(&expected);
    let mut has_slept = false;
    for workers in [1, 3] {
        let sliced = Sliced::new(&system, Evaluator::Sliced);
        let found = explore(&sliced, &config(max_states, workers), &mut ());
        has_slept |= sliced.sleep_words() > 0;
        assert_eq!(AnySystem::of(&sliced).sleep_words(), sliced.sleep_words());
        assert_eq!(found.table.len(), expected.table.len(), "states, {workers} workers\n{what}");
        assert!(states(&found) == expected_states, "order of states, {workers} workers\n{what}");
        let parents = |exploration: &Exploration| -> Vec<u32> {
            (0..exploration.table.len() as u32).map(|state| exploration.table.parent(state)).collect()
        };
        assert!(parents(&found) == parents(&expected), "parents, {workers} workers\n{what}");
        let counts = |exploration: &Exploration| {
            let Exploration { transitions, per_operation, findings, limits, depth, .. } = exploration;
            (*transitions, per_operation.clone(), findings.clone(), limits.clone(), *depth)
        };
        assert_eq!(counts(&found), counts(&expected), "{workers} workers\n{what}");
    }
    (expected.table.len(), has_slept)
}

/// A machine of small variables, each operation of which reads and writes one or two of them.
fn machine(random: &mut Random) -> String {
    let n_variables = 4 + random.below(4);
    let mut text = String::from("MACHINE M\nVARIABLES ");
    let names: Vec<String> = (0..n_variables).map(|n| format!("vv{n}")).collect();
    text.push_str(&names.join(", "));
    let bounds: Vec<String> = names.iter().map(|name| format!("{name} : 0..3")).collect();
    let _ = write!(text, "\nINVARIANT {}\nINITIALISATION ", bounds.join(" & "));
    let starts: Vec<String> = names.iter().map(|name| format!("{name} := 0")).collect();
    let _ = write!(text, "{}\nOPERATIONS\n", starts.join(" || "));
    let n_operations = n_variables + random.below(6);
    let mut operations = Vec::new();
    for n in 0..n_operations {
        let own = &names[n % n_variables];
        let other = &names[random.below(n_variables)];
        let bound = random.below(4);
        let body = match random.below(9) {
            0 => format!("SELECT {own} < 3 & {other} = {bound} THEN {own} := {own} + 1 END"),
            1 if other != own => format!("SELECT {own} > {other} THEN {own}, {other} := {other}, {own} END"),
            2 => format!("SELECT {own} = {bound} THEN {own} := 0 END"),
            3 if random.below(6) == 0 => {
                format!("SELECT {own} < 3 & {other} < 3 THEN {own} := 6 / (3 - {own}) / 2 END")
            }
            4 if random.below(6) == 0 => format!("SELECT 4 / ({bound} - {own}) < 9 THEN {own} := {bound} END"),
            5 => format!("ANY xx WHERE xx : 0..3 & xx > {own} THEN {own} := xx END"),
            // Several choices are one transition.
            6 => format!("ANY xx WHERE xx : 0..3 & xx >= {own} THEN {own} := (xx + 1) / 2 END"),
            _ => format!("SELECT {own} < 3 THEN {own} := {own} + 1 END"),
        };
        operations.push(format!("  op{n} = {body}"));
    }
    text + &operations.join(";\n") + "\nEND\n"
}

#[test]
fn random_searches_are_the_same_with_sleep_sets() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 1_000 } else { 24 };
    let (mut n_large, mut n_slept) = (0, 0);
    for seed in 0..n_machines {
        let text = machine(&mut Random::new(seed));
        let analysis = Project::new(&[("M.mch", &text)]).analyse();
        let model = analysis.model.unwrap_or_else(|| panic!("seed {seed}\n{text}"));
        let (n_states, has_slept) = compare(&model, EvalConfig::default(), 6_000, &format!("seed {seed}\n{text}"));
        n_large += usize::from(n_states > 1_000);
        n_slept += usize::from(has_slept && n_states > 1_000);
    }
    eprintln!("{n_large} large machines, {n_slept} with sleep sets");
    assert!(n_large > 5 && n_slept > 5, "{n_large}, {n_slept}");
}

/// A machine with everything, beside counters that are independent of it. So there are many states, and most steps sleep in some of them.
fn widened(random: &mut Random) -> String {
    let counters = 0..2 + random.below(3);
    let each = |text: &str, end: &str| -> String {
        counters.clone().map(|n| text.replace('#', &n.to_string()) + end).collect::<Vec<_>>().concat()
    };
    let guard = *random.pick(&["z0 = 3 & z1 = 2", "z0 > z1", "z1 = 3"]);
    let late = format!("  late = SELECT {guard} THEN z0 := {} END;\n", *random.pick(&["0", "z1", "6 / z1", "7"]));
    let turns = each("  turn# = SELECT z# < 3 THEN z# := z# + 1 END", ";\n");
    let place = if random.once_in(2) { format!("OPERATIONS\n{turns}{late}") } else { format!("OPERATIONS\n{late}") };
    let text = everything::machine(random)
        .replacen("VARIABLES ", &format!("VARIABLES {}", each("z#", ", ")), 1)
        .replacen("INVARIANT\n", &format!("INVARIANT\n{}", each("  z# : 0..3", " &\n")), 1)
        .replacen("INITIALISATION\n", &format!("INITIALISATION\n{}", each("  z# := 0", " ||\n")), 1)
        .replacen("OPERATIONS\n", &place, 1);
    if place.contains("turn0") {
        return text;
    }
    let (text, turns) = (text.trim_end().strip_suffix("END").unwrap_or_default(), turns.trim_end_matches(";\n"));
    format!("{};\n{turns}\nEND\n", text.trim_end())
}

#[test]
fn machines_with_everything_are_the_same_with_sleep_sets() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 2_000 } else { 60 };
    let (mut n_compared, mut n_slept) = (0, 0);
    for seed in 0..n_machines {
        let text = widened(&mut Random::new(seed));
        let analysis = Project::new(&[("M.mch", &text)]).analyse();
        let model = analysis.model.unwrap_or_else(|| panic!("seed {seed}\n{text}"));
        let eval = EvalConfig { fuel: 400_000, ..EvalConfig::default() };
        let (n_states, has_slept) = compare(&model, eval, 3_000, &format!("seed {seed}\n{text}"));
        n_compared += usize::from(n_states > 0);
        n_slept += usize::from(has_slept);
    }
    eprintln!("{n_compared} machines, {n_slept} with sleep sets");
    assert!(n_compared * 2 > n_machines as usize && n_slept * 5 > n_compared, "{n_compared}, {n_slept}");
}

#[test]
fn models_are_the_same_with_sleep_sets() {
    let most = if std::env::var_os("RUN_SLOW").is_some() { 200_000 } else { 5_000 };
    let mut n_slept = 0;
    for subject in models::subjects() {
        let eval = if subject.is_prob() { EvalConfig::prob() } else { EvalConfig::default() };
        let (_, has_slept) = compare(&subject.model(&[]), eval, most, &subject.path.display().to_string());
        n_slept += usize::from(has_slept);
    }
    eprintln!("{n_slept} models with sleep sets");
    assert!(n_slept > 3, "{n_slept}");
}
