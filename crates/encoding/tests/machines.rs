//! Random machines: circuits of guards, updates, errors, initial states and conjuncts agree with the plain interpreter.

mod common;

use abridge_eval::EvalConfig;
use abridge_testkit::{Random, guarded};
use common::{Compared, compare_with};

#[test]
fn circuits_agree_with_the_interpreter_on_random_machines() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 2_000 } else { 25 };
    let first: u64 = std::env::var("SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut compared = Compared::default();
    for seed in first..first + n_machines {
        let eval = if seed.is_multiple_of(4) { EvalConfig::prob() } else { EvalConfig::default() };
        eprintln!("seed {seed}");
        compared.add(compare_with(&guarded::machine(&mut Random::new(seed)), &eval));
    }
    eprintln!("{compared:?}");
    assert!(compared.steps > 1000 && compared.errors > 10 && compared.truths > 1000, "{compared:?}");
}
