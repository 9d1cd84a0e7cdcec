//! Benchmarks of the inner loops of a search: successors of a state, insertion into the state table, canonical forms, and solving by circuits.
//!
//! Run with `cargo bench -p abridge-bench --bench engine`. Each benchmark asserts its result, so that a wrong result cannot pass as a fast one. The
//! counts are those of the headers in `models/`.

use std::hint::black_box;
use std::num::NonZero;

use abridge_check::{Config, check};
use abridge_explicit::{Explicit, SystemConfig, interpreter};
use abridge_model::Model;
use abridge_model_system::ModelSystem as _;
use abridge_reduce::symmetry::{Auto, Canon, Canonizer, OwnLabelling, Quotient, symmetry_of};
use abridge_search::{Strategy, explore};
use abridge_store::{Inserted, Order, QuadCache, StateTable};
use abridge_system::{Completeness, Properties, Steps, System, Worker};
use abridge_testkit::models::subjects;
use abridge_testkit::{Project, Random};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const ASKED: Properties = Properties { invariant: true, assertions: false, goal: false, propositions: false };

fn model(name: &str, sets: &[(&str, u32)]) -> Model {
    let sizes: Vec<(String, u32)> = sets.iter().map(|(set, size)| ((*set).to_owned(), *size)).collect();
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with(name)).expect("a model");
    subject.model(&sizes)
}

fn system(model: &Model, config: SystemConfig) -> Explicit<'_> {
    Explicit::new(interpreter(model, abridge_eval::EvalConfig::default()), config)
}

/// All states of a system, in breadth-first order.
fn states(system: &Explicit<'_>) -> Vec<Vec<u32>> {
    let config = abridge_search::SearchConfig {
        strategy: Strategy::BreadthFirst,
        properties: ASKED,
        deadlock: true,
        stop_at_first: false,
        max_states: None,
        max_depth: None,
        max_findings: 1,
        workers: NonZero::<usize>::MIN,
    };
    let table = explore(system, &config, &mut ()).table;
    (0..table.len() as u32).map(|number| table.get(number).expect("in memory")).collect()
}

/// Successors of every state, computed by each evaluator.
fn successors(criterion: &mut Criterion) {
    let model = model("scheduler1.ref", &[("PROC", 4)]);
    let mut group = criterion.benchmark_group("successors");
    let ways = [("plain", false, false), ("compiled", true, false), ("memo", true, true)];
    for (name, compiled, memo) in ways {
        let system = system(&model, SystemConfig { compiled, memo, ..SystemConfig::default() });
        let states = states(&system);
        let expected = all_successors(&system, &states);
        group.sample_size(20).throughput(Throughput::Elements(states.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert_eq!(all_successors(&system, &states), expected));
        });
        // The header of the model has 825 nodes with the root, and 2,948 transitions with four initialisations.
        assert_eq!((states.len(), expected), (824, 2_944), "{name}");
    }
    group.finish();
}

/// Number of transitions out of some states.
fn all_successors(system: &Explicit<'_>, states: &[Vec<u32>]) -> u64 {
    let mut worker = system.worker();
    let mut steps = Steps::new(system.width());
    let mut n_transitions = 0;
    for state in states {
        steps.clear();
        assert_eq!(worker.successors(state, &mut steps), Completeness::Whole);
        n_transitions += steps.iter().map(|step| step.count).sum::<u64>();
    }
    n_transitions
}

/// Folding and insertion of states, half of which are already known.
fn table(criterion: &mut Criterion) {
    const WIDTH: usize = 12;
    const N_STATES: usize = 20_000;
    let mut random = Random::new(1);
    // Consecutive states of a search differ little.
    let mut words = vec![0_u32; WIDTH];
    let mut states = Vec::with_capacity(N_STATES);
    for number in 0..N_STATES as u32 {
        words[random.below(WIDTH - 1)] = random.below(50) as u32;
        words[WIDTH - 1] = number / 2;
        states.push(words.clone());
    }
    let distinct = states.iter().collect::<std::collections::HashSet<_>>().len();
    let mut group = criterion.benchmark_group("table");
    group.sample_size(20).throughput(Throughput::Elements(N_STATES as u64));
    group.bench_function("fold and insert", |bencher| {
        bencher.iter(|| {
            let mut table = StateTable::new(WIDTH, Order::Ascending);
            let (mut cache, mut ids) = (QuadCache::default(), Vec::new());
            let mut n_new = 0;
            for words in &states {
                let root = table.fold(&mut cache, words, None, &mut ids);
                n_new += usize::from(matches!(table.insert(root), Ok(Inserted::New(_))));
            }
            assert_eq!((n_new, table.len()), (distinct, distinct));
            black_box(table);
        });
    });
    group.finish();
}

/// Canonical forms of all states of a symmetric machine.
fn canonical_forms(criterion: &mut Criterion) {
    let model = model("scheduler0.mch", &[("PROC", 4)]);
    let system = system(&model, SystemConfig::default());
    let states = states(&system);
    let symmetry = symmetry_of(&model, ASKED, &[], system.pinned()).group;
    let (auto, canon) = (Auto::new(&system, symmetry.clone()), Canon::new(&system, symmetry, OwnLabelling));
    let mut group = criterion.benchmark_group("canonical forms");
    group.sample_size(20).throughput(Throughput::Elements(states.len() as u64));
    group.bench_function("auto", |bencher| bencher.iter(|| assert_eq!(n_orbits(&mut auto.judge(), &states), 25)));
    group.bench_function("canon", |bencher| bencher.iter(|| assert_eq!(n_orbits(&mut canon.judge(), &states), 25)));
    group.finish();
}

fn n_orbits(canonizer: &mut dyn Canonizer, states: &[Vec<u32>]) -> usize {
    let mut forms: Vec<Vec<u32>> = states.to_vec();
    forms.iter_mut().for_each(|state| canonizer.represent(state));
    forms.sort();
    forms.dedup();
    forms.len()
}

/// Six queens as properties, solved by SAT; there are four solutions.
fn circuits(criterion: &mut Criterion) {
    let model = Project::model_of(
        "MACHINE Queens CONSTANTS q PROPERTIES q : 1..6 >-> 1..6 &
         !(i, j).(i : 1..6 & j : 1..6 & i < j => q(i) - q(j) /= i - j & q(i) - q(j) /= j - i) END",
    );
    let mut config = Config { find_all: true, deadlock: false, ..Config::default() };
    (config.eval.hard, config.eval.probe) = (2, 0);
    let mut group = criterion.benchmark_group("circuits");
    group.sample_size(10);
    // Each solution gives a set-up state and an initial state.
    group.bench_function("six queens", |bencher| {
        bencher.iter(|| assert_eq!(check(&model, &config, &mut ()).states, 8));
    });
    group.finish();
}

criterion_group!(benches, successors, table, canonical_forms, circuits);
criterion_main!(benches);
