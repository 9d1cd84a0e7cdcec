//! Random inputs, bounded: what the fuzz targets do for hours, for a few seconds.

use std::thread;

use abridge_testkit::generate::{self, GeneratorConfig};
use abridge_testkit::mutate::Mutator;
use abridge_testkit::{Project, Random, fuzz, seeds};

/// Where the numbers of this run's inputs start.
const FIRST: u64 = 1_000_000_000;

#[test]
fn built_in_seeds_are_accepted() {
    for seed in seeds::built_in() {
        fuzz::all(seed.as_bytes());
        if seed.starts_with("DEFINITIONS") {
            continue;
        }
        let files: Vec<(String, String)> = split(&seed);
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let project = Project::new(&files);
        assert!(!project.analyse().has_errors(), "{}\n{seed}", project.diagnostics());
    }
}

fn split(seed: &str) -> Vec<(String, String)> {
    let named = |part: &str| part.split_once('\n').map(|(name, text)| (name.to_owned(), text.to_owned()));
    format!("Main.mch\n{seed}").split("//# ").filter_map(named).collect()
}

#[test]
fn mutated_seeds() {
    let mutator = Mutator::new(&seeds::all());
    let n_workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for worker in 0..n_workers {
            let numbers = (FIRST..FIRST + 20_000).skip(worker).step_by(n_workers);
            scope.spawn(|| numbers.for_each(|number| fuzz::all(&mutator.input(number))));
        }
    });
}

#[test]
fn random_bytes() {
    let mut random = Random::new(1);
    for _ in 0..2_000 {
        let len = random.below(200);
        fuzz::all(&random.bytes(len));
    }
}

#[test]
fn generated_machines_are_accepted() {
    let mut random = Random::new(2);
    for _ in 0..1_000 {
        let len = random.below(400);
        let text = generate::machine(&random.bytes(len), GeneratorConfig::default());
        let project = Project::new(&[("Main.mch", &text)]);
        assert!(!project.analyse().has_errors(), "{}\n{text}", project.diagnostics());
        fuzz::all(text.as_bytes());
    }
}
