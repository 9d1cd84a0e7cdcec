//! Random machines: evaluation terminates, never panics, and gives the same answer with and without the compiled form.

mod common;

use abridge_eval::{Error, ErrorKind, EvalConfig};
use abridge_explicit::interpreter;
use abridge_testkit::{Project, Random, generate};
use common::explore::{Report, explore, explore_with};

#[test]
fn random_machines_are_explored() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 3000 } else { 300 };
    let (mut n_compared, mut n_transitions) = (0, 0);
    for seed in 0..n_machines {
        let len = 50 + (seed as usize % 7) * 80;
        let text = generate::machine(&Random::new(seed).bytes(len), generate::GeneratorConfig::default());
        let model = Project::model_of(&text);
        let config = EvalConfig { fuel: 300_000, max_set_size: 10_000, max_calls: 200, ..EvalConfig::prob() };
        let report = explore(&model, config.clone(), 30);
        let malformed =
            report.errors.iter().find(|error| matches!(error.kind(), ErrorKind::Internal(_) | ErrorKind::Undetermined));
        if let Some(error) = malformed {
            panic!("seed {seed}: {error:?}\n{text}");
        }
        let helped = explore_with(&interpreter(&model, config), 30);
        if report.errors.iter().chain(&helped.errors).any(Error::is_fatal) {
            continue;
        }
        let answers = |report: &Report| {
            let kinds: Vec<ErrorKind> = report.errors.iter().map(|error| error.kind().clone()).collect();
            (report.states, report.transitions, report.deadlock, report.invariant_violated, kinds)
        };
        assert_eq!(answers(&report), answers(&helped), "seed {seed}\n{text}");
        n_compared += 1;
        n_transitions += report.transitions;
    }
    eprintln!("{n_compared} of {n_machines} machines compared, {n_transitions} transitions");
    assert!(n_compared * 10 > n_machines * 9, "only {n_compared} machines were compared");
    assert!(n_transitions > 15 * n_machines as usize, "only {n_transitions} transitions were compared");
}
