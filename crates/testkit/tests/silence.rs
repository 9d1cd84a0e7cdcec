//! Runs are ended at any poll, and poll often.
//!
//! In small what `examples/limits.rs` does with a folder of machines: the flag is raised at every poll of a short run. A run that was ended must neither claim that the
//! machine holds nor find what is not there.

use std::time::Duration;

use abridge_check::{FoundViolations, Method, PorMode, Verdict};
use abridge_testkit::models;
use abridge_testkit::silence::{Listened, LoadedMachine, RunOptions, listen, load};

/// Silence that nobody notices, with room for builds without optimisation.
const MAX_SILENCE: Duration = Duration::from_secs(2);
const MACHINES: [&str; 4] = ["Philosophers.mch", "mutex.mch", "Dining.mch", "scheduler1.ref"];
/// Polls at which runs are ended.
const POLLS: [u64; 6] = [1, 2, 3, 10, 100, 1000];

fn machines() -> Vec<(&'static str, LoadedMachine)> {
    MACHINES.into_iter().map(|name| (name, load(&models::path(name)).expect("no mistakes"))).collect()
}

fn settings() -> Vec<RunOptions> {
    let asked = |symmetry, por| RunOptions { time: Duration::from_secs(60), bytes: 1 << 30, symmetry, por };
    let methods = [Method::Off, Method::Auto];
    methods.into_iter().flat_map(|method| [PorMode::Off, PorMode::Auto].map(|por| asked(method, por))).collect()
}

fn is_part(part: FoundViolations, whole: FoundViolations) -> bool {
    let list =
        |found: FoundViolations| [found.deadlock, found.invariant, found.assertion, found.ill_defined, found.goal];
    list(part).into_iter().zip(list(whole)).all(|(part, whole)| !part || whole)
}

#[test]
fn a_run_that_is_ended_claims_nothing() {
    let mut n_ended = 0;
    for (name, loaded) in machines() {
        for asked in settings() {
            let whole = listen(&loaded, &asked, None);
            assert!(whole.heard.n_polls > 0, "{name} did not poll");
            assert!(whole.heard.longest.time < MAX_SILENCE, "{name} under {asked:?}: {:?}", whole.heard);
            for poll in POLLS {
                let Listened { heard, report, .. } = listen(&loaded, &asked, Some(poll));
                n_ended += u64::from(report.verdict == Verdict::Incomplete);
                let is_wrong = report.verdict == Verdict::Holds && whole.report.verdict != Verdict::Holds;
                assert!(!is_wrong && is_part(report.found, whole.report.found), "{name} at {poll} under {asked:?}");
                assert!(heard.longest.time < MAX_SILENCE, "{name} at {poll} under {asked:?}: {heard:?}");
            }
        }
    }
    assert!(n_ended >= 16, "only {n_ended} runs were ended");
}
