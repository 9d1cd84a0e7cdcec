//! Solver against plain enumeration: if both answer, the answers are equal.

mod common;

use std::sync::Arc;

use abridge_eval::{Enumeration, Error, ErrorKind, EvalConfig, Interp};
use abridge_explicit::judge;
use abridge_external::Library;
use abridge_testkit::{Project, Random, generate};
use common::explore::{Report, explore_with};

/// Whether an error is one of the evaluator, not of the machine.
fn is_refusal(error: &Error) -> bool {
    use ErrorKind::{InfiniteSet, SetTooLarge, Unbounded, Undecided, Undetermined, Unsupported};
    let kind = error.kind();
    error.is_fatal()
        || matches!(
            kind,
            InfiniteSet(_) | SetTooLarge { .. } | Unbounded(..) | Undecided(_) | Undetermined | Unsupported(_)
        )
}

#[test]
fn random_machines_have_the_same_states_with_the_solver_and_by_enumeration() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 3000 } else { 120 };
    let mut n_compared = 0;
    for seed in 0..n_machines {
        let len = 30 + (seed as usize % 7) * 40;
        let text = generate::machine(&Random::new(seed).bytes(len), generate::GeneratorConfig::default());
        let Some(model) = Project::new(&[("M.mch", &text)]).analyse().model else { continue };
        let config = EvalConfig { fuel: 200_000, max_set_size: 2_000, max_calls: 200, ..EvalConfig::default() };
        let solved = explore_with(&judge(&model, config.clone()), 20);
        let listed = explore_with(&Interp::new(&model, config, &Enumeration, Arc::new(Library::new(&model))), 20);
        if solved.errors.iter().chain(&listed.errors).any(is_refusal) || solved.is_cut || listed.is_cut {
            continue;
        }
        n_compared += 1;
        let answers = |report: &Report| {
            (report.states, report.transitions, report.deadlock, report.invariant_violated, report.errors.len())
        };
        assert_eq!(answers(&solved), answers(&listed), "seed {seed}\n{text}");
    }
    assert!(n_compared >= n_machines / 6, "{n_compared} machines of {n_machines} were compared");
}
