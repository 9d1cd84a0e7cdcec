//! Circuits, memos and the plain interpreter agree, state by state: transitions with their parameters, outputs and targets, how often each counts, ill-defined
//! operations and findings.
//!
//! Each way is a system of its own with ids of its own, so answers are compared as values. All states of random machines take part, and sampled states of the machines of
//! the corpus, which lie beside the repository: without them the test says so and compares nothing. By default there are few of both; `RUN_SLOW=1` takes 2,000 random machines and
//! the whole corpus.

use std::path::{Path, PathBuf};

use abridge_eval::{EvalConfig, State, val_text};
use abridge_explicit::{Explicit, SystemConfig, judge};
use abridge_model::Model;
use abridge_model_system::{FIRST_OPERATION, ModelSystem as _};
use abridge_sema::{Options, analyse};
use abridge_sliced::{Evaluator, Sliced};
use abridge_system::{Ahead, Completeness, FindingKind, Properties, Question, Steps, System, Worker};
use abridge_testkit::{FolderFiles, Project, Random, everything};

const ASKED: Properties = Properties { invariant: true, assertions: true, goal: true, propositions: false };

/// What was compared, so that a test can say that it was not empty.
#[derive(Default, Debug)]
struct Compared {
    machines: usize,
    sliced_machines: usize,
    states: usize,
    transitions: usize,
    ill_defined: usize,
    findings: usize,
    /// States about which the plain interpreter could not say everything.
    skipped: usize,
    differences: Vec<String>,
}

/// Differences that are told.
const MAX_DIFFERENCES: usize = 10;

/// What a way says about a state.
#[derive(PartialEq, Debug)]
struct Answer {
    /// Transitions as text, each once, sorted.
    transitions: Vec<String>,
    /// Transitions with labels, and without, by their counts.
    counts: [u64; 2],
    ill_defined: [Vec<u32>; 2],
    findings: Vec<FindingKind>,
}

/// The answers of a system, or some of its layers, about states; nothing about a state of which not everything is known.
fn answers<S: System>(explicit: &Explicit<'_>, system: &S, states: &[State]) -> Vec<Option<Answer>> {
    let mut worker = system.worker();
    let mut found = Vec::new();
    for states in states.chunks(100) {
        let block: Vec<Ahead> =
            states.iter().map(|state| Ahead { words: explicit.words_of(state, true), ..Ahead::default() }).collect();
        let mut told = Vec::new();
        for mut steps in [Steps::with_labels(system.width()), Steps::new(system.width())] {
            worker.announce(&block, Question::Successors);
            let mut of_states = Vec::new();
            for Ahead { words, .. } in &block {
                steps.clear();
                let completeness = worker.successors(words, &mut steps);
                of_states.push((steps.clone(), completeness));
            }
            told.push(of_states);
        }
        worker.announce(&block, Question::Properties(ASKED));
        for (idx, Ahead { words, .. }) in block.iter().enumerate() {
            let mut findings = Vec::new();
            let mut completeness = worker.inspect(words, None, ASKED, &mut |kind| findings.push(kind));
            findings.sort_unstable();
            let [(labelled, of_labelled), (merged, of_merged)] = [&told[0][idx], &told[1][idx]];
            completeness = completeness.and(*of_labelled).and(*of_merged);
            found.push((completeness == Completeness::Whole).then(|| Answer {
                transitions: transitions(explicit, labelled),
                counts: [labelled, merged].map(|steps| steps.iter().map(|step| step.count).sum()),
                ill_defined: [labelled, merged].map(|steps| steps.ill_defined().to_vec()),
                findings,
            }));
        }
    }
    found
}

fn transitions(system: &Explicit<'_>, steps: &Steps) -> Vec<String> {
    let model = system.model();
    let text = |step: abridge_system::Step<'_>| {
        let label = step.label.expect("labels were asked for");
        let values = system.label_values(step.operation, label);
        let params: Vec<String> = values.params.iter().map(|val| val_text(model, val)).collect();
        let outputs: Vec<_> = values.outputs.iter().map(|val| val.map(|val| val_text(model, val))).collect();
        let (state, _) = system.decode(step.target);
        let values = state.variables.iter().flatten().map(|val| val_text(model, val)).collect::<Vec<_>>();
        format!("{} {params:?} {outputs:?} {values:?}", step.operation - FIRST_OPERATION)
    };
    let mut texts: Vec<String> = steps.iter().map(text).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// States breadth-first, up to a number.
fn states(system: &Explicit<'_>, most: usize) -> Vec<State> {
    let (mut worker, mut steps) = (system.worker(), Steps::new(system.width()));
    let (mut met, mut seen): (Vec<Vec<u32>>, _) = (Vec::new(), std::collections::HashSet::new());
    let _ = worker.initial(&mut steps);
    for next in 0.. {
        for step in steps.iter() {
            if met.len() < most && seen.insert(step.target.to_vec()) {
                met.push(step.target.to_vec());
            }
        }
        let Some(state) = met.get(next).cloned() else { break };
        steps.clear();
        let _ = worker.successors(&state, &mut steps);
    }
    met.iter().filter(|words| words[0] & 1 == 1).map(|words| system.decode(words).0).collect()
}

/// Compares all ways in every `stride`-th of the first states.
fn compare(model: &Model, eval: &EvalConfig, (most, stride): (usize, usize), compared: &mut Compared, what: &str) {
    let system_config = SystemConfig { pin_constants: eval.ill_defined_guard_is_false, ..SystemConfig::default() };
    let memo = Explicit::new(judge(model, eval.clone()), system_config.clone());
    if memo.has_scope() {
        return;
    }
    let states: Vec<State> = states(&memo, most).into_iter().step_by(stride).collect();
    let plain_config = SystemConfig { compiled: false, memo: false, ..system_config.clone() };
    let plain = Explicit::new(judge(model, eval.clone()), plain_config);
    let below = Explicit::new(judge(model, eval.clone()), system_config);
    let sliced = Sliced::new(&below, Evaluator::Sliced);
    let expected = answers(&plain, &plain, &states);
    for (way, found) in [("memo", answers(&memo, &memo, &states)), ("sliced", answers(&below, &sliced, &states))] {
        for ((state, expected), found) in states.iter().zip(&expected).zip(&found) {
            if let (Some(expected), Some(found)) = (expected, found)
                && expected != found
                && compared.differences.len() < MAX_DIFFERENCES
            {
                compared.differences.push(format!("{way} {found:?}\nplain {expected:?}\n{state:?}\n{what}"));
                break;
            }
        }
    }
    compared.machines += 1;
    compared.sliced_machines += usize::from(sliced.usage().n_sliced > 0);
    for answer in &expected {
        let Some(answer) = answer else {
            compared.skipped += 1;
            continue;
        };
        compared.states += 1;
        compared.transitions += answer.transitions.len();
        compared.ill_defined += answer.ill_defined[0].len();
        compared.findings += answer.findings.len();
    }
}

#[test]
fn all_evaluators_agree_on_random_machines() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 2_000 } else { 25 };
    let first = std::env::var("SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut compared = Compared::default();
    for seed in first..first + n_machines {
        let text = everything::machine(&mut Random::new(seed));
        let mut eval = if seed.is_multiple_of(4) { EvalConfig::prob() } else { EvalConfig::default() };
        eval.fuel = 2_000_000;
        let Some(model) = Project::new(&[("M.mch", &text)]).analyse().model else { continue };
        compare(&model, &eval, (200, 1), &mut compared, &format!("seed {seed}\n{text}"));
    }
    assert!(compared.differences.is_empty(), "{}", compared.differences.join("\n\n"));
    eprintln!("{compared:?}");
    assert!(compared.sliced_machines > 10 && compared.transitions > 500, "{compared:?}");
    assert!(compared.ill_defined > 5 && compared.findings > 20, "{compared:?}");
}

/// The machines with exact published results; by default some of those that took little time then.
fn machines(slow: bool) -> Option<Vec<PathBuf>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let expected = std::fs::read_to_string(corpus.join("expected.csv")).ok()?;
    let rows = expected.lines().skip(1).map(|line| line.split(',').collect::<Vec<&str>>());
    let is_wanted = |row: &Vec<&str>| {
        let milliseconds: Option<u64> = row.get(6).and_then(|text| text.parse().ok());
        row.get(1) == Some(&"exact") && (slow || milliseconds.is_some_and(|milliseconds| milliseconds <= 150))
    };
    let wanted = rows.filter(is_wanted).map(|row| corpus.join("machines").join(row[0]));
    Some(wanted.step_by(if slow { 1 } else { 8 }).collect())
}

#[test]
fn all_evaluators_agree_on_the_corpus() {
    let slow = std::env::var_os("RUN_SLOW").is_some();
    let Some(machines) = machines(slow) else {
        eprintln!("SKIPPED: ../shared/corpus is not here, so nothing was compared");
        return;
    };
    let mut compared = Compared::default();
    for path in machines {
        let Some(model) = analyse(&FolderFiles, &path, &Options::default()).model else { continue };
        let mut eval = EvalConfig::prob();
        (eval.fuel, eval.conflicts) = (400_000, 1_000);
        let sampled = if slow { (1_000, 25) } else { (60, 6) };
        compare(&model, &eval, sampled, &mut compared, &path.display().to_string());
    }
    assert!(compared.differences.is_empty(), "{}", compared.differences.join("\n\n"));
    eprintln!("{compared:?}");
    assert!(compared.machines > 60 && compared.sliced_machines > 30, "{compared:?}");
}
